(** * Probes of a kernel head with any value map: the argument behind tc-1, which tc-2 and tc-8 use too

    One layer, one head, K >= 0 with positive row sums, ANY value map, sup loss eta.
    (i) Position 1 attends only to itself, so |v(BOS)| <= eta ([bos_value_small]).
    (ii) The trigger rows of (BOS,x,..,x,t,x,..) with m and with m-1 copies of x before the trigger differ by
    one key x ([kernel_probe_row], [probe_difference]); in the content flag this bounds v(x) from below.
    (iii) A pre-trigger row in the content flag: a floor of the values forces the sink ([row_to_sink],
    [floor_to_sink]).
    [kernel_sink] and [kernel_sink_nonnegative] are what the claims use.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/probe.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Sinkproof Require Export heads.
Open Scope R_scope.

Lemma positive_is_nonnegative n L K : positive_kernel K -> nonnegative_kernel n L K.
Proof.
  intros HK. split.
  - intros. apply Rlt_le, HK.
  - intros x j _ i Hi _. now apply kernel_row_sum_pos.
Qed.

Lemma probe_target x t j r :
  (3 <= j)%nat -> target j (probe x t j) j r = (INR (j - 2) * x r + t r) / INR (j - 1).
Proof.
  intros Hj. unfold target, mean_from_2. rewrite Nat.eqb_refl. f_equal.
  pose proof (probe_sum x t j (fun y => y r) ltac:(lia)) as H.
  rewrite possum_first in H by lia. change (probe x t j 1%nat) with bos in H. lra.
Qed.

(** (m^2+m-1)/(m(m+1)) - (2m-1) eta. *)
Definition value_floor (m eta : R) : R := (m * m + m - 1) / (m * (m + 1)) - (2 * m - 1) * eta.

(** Two quotients that differ by one key: weight kappa, value u; the other keys weigh S and sum to N. *)
Lemma probe_difference m kappa S N u eta :
  0 < m -> 0 <= kappa -> 0 < S ->
  Rabs ((N + kappa * u) / (S + kappa) - m / (m + 1)) <= eta ->
  Rabs (N / S - (m - 1) / m) <= eta ->
  S * (/ (m * (m + 1)) - 2 * eta) <= kappa * (u + eta - m / (m + 1)).
Proof.
  intros Hm Hk HS H1 H0.
  set (r1 := (N + kappa * u) / (S + kappa) - m / (m + 1)) in *.
  set (r0 := N / S - (m - 1) / m) in *.
  assert (E : kappa * u = kappa * (m / (m + 1) + r1) + S * (/ (m * (m + 1)) + r1 - r0)).
  { unfold r1, r0. field. repeat split; lra. }
  apply abs_bounds in H1. apply abs_bounds in H0.
  assert (0 <= kappa * (eta + r1)) by (apply Rmult_le_pos; lra).
  assert (0 <= S * (2 * eta + r1 - r0)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** When the other keys weigh at least m - 1 times as much. *)
Lemma probe_floor m kappa S u eta :
  2 <= m -> (m - 1) * kappa <= S -> 2 * eta <= / (m * (m + 1)) ->
  S * (/ (m * (m + 1)) - 2 * eta) <= kappa * (u + eta - m / (m + 1)) ->
  kappa * value_floor m eta <= kappa * u.
Proof.
  intros Hm HS Heta B. assert (Hmm : 0 < m * (m + 1)) by (apply Rmult_lt_0_compat; lra).
  assert (E : value_floor m eta = m / (m + 1) - eta + (m - 1) * (/ (m * (m + 1)) - 2 * eta)).
  { unfold value_floor. field. lra. }
  set (g := / (m * (m + 1))) in *.
  assert (0 <= (S - (m - 1) * kappa) * (g - 2 * eta)) by (apply Rmult_le_pos; lra). rewrite E. lra.
Qed.

(** ** One row *)

(** Position 1 attends only to itself. *)
Lemma first_row K v (x : sequence) r : x 1%nat = bos -> 0 < K bos bos -> head (kernel_attention K) v x 1%nat r = v bos r.
Proof.
  intros Hx HK. rewrite kernel_head_quotient. unfold possum. cbn [sum]. rewrite Hx. field. lra.
Qed.

(** A floor of a row's values in one coordinate forces the sink of that row. *)
Lemma row_to_sink n L K v eta F x j i r :
  nonnegative_kernel n L K -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> 0 < F + eta ->
  Rabs (v bos r) <= eta -> Rabs (head (kernel_attention K) v x i r) <= eta ->
  (forall k, (2 <= k)%nat -> (k <= i)%nat -> F <= v (x k) r) ->
  1 - 2 * eta / (F + eta) <= bos_attention (kernel_attention K) x i.
Proof.
  intros HK Hx Hi HiL HF Hb H Hfloor.
  assert (Hsum : possum i (kernel_attention K x i) = 1).
  { apply kernel_attention_sum. now apply Rgt_not_eq, (proj2 HK x j Hx). }
  assert (Hpos : forall k, 0 <= kernel_attention K x i k).
  { intros k. unfold kernel_attention. apply Rmult_le_pos; [apply (proj1 HK)|].
    left. now apply Rinv_0_lt_compat, (proj2 HK x j Hx). }
  unfold head in H. rewrite possum_first in H, Hsum by assumption.
  rewrite (first_is_bos _ _ _ _ Hx) in H. unfold bos_attention.
  set (p := kernel_attention K x i 1%nat) in *.
  set (rest := sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat)) in *.
  assert (Hc : F * rest <= sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat * v (x (k + 2)%nat) r)).
  { unfold rest. rewrite <- sum_scal. apply sum_le. intros k Hk. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [apply Hpos|]. apply Hfloor; lia. }
  apply abs_bounds in Hb. apply abs_bounds in H.
  assert (Hpe : 0 <= p * (v bos r + eta)) by (apply Rmult_le_pos; [apply Hpos|lra]).
  replace rest with (1 - p) in Hc by lra.
  apply (Rmult_le_reg_r (F + eta)); [assumption|].
  replace ((1 - 2 * eta / (F + eta)) * (F + eta)) with (F - eta) by (field; lra). lra.
Qed.

(** ** All sequences *)

Section Rows.
  Context (n L : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (3 <= L)%nat) (HK : nonnegative_kernel n L K)
          (Hloss : sup_loss_le n L (head (kernel_attention K) v) eta).

  (** (i) Position 1 attends only to itself. *)
  Lemma bos_value_small r : (r < n)%nat -> Rabs (v bos r) <= eta.
  Proof using Hn HL HK Hloss.
    intros Hr. destruct (valid_exists n L 3) as [x Hx]; try lia.
    pose proof (first_is_bos _ _ _ _ Hx) as H1. pose proof (proj2 HK x 3%nat Hx 1%nat) as Hp.
    unfold possum in Hp. cbn [sum] in Hp. rewrite H1, Rplus_0_l in Hp.
    pose proof (Hloss x 3%nat Hx 1%nat r) as H. rewrite target_off_trigger, Rminus_0_r, first_row in H; auto.
    - apply H; lia.
    - apply Hp; lia.
  Qed.

  (** The trigger row of (BOS, x^p, t, x, ..). *)
  Lemma kernel_probe_row x t p r :
    is_content n x -> is_trigger n t -> (1 <= p)%nat -> (p + 2 <= L)%nat -> (r < n)%nat ->
    let S := K t bos + INR p * K t x + K t t in
    0 < S /\
    Rabs ((K t bos * v bos r + INR p * (K t x * v x r) + K t t * v t r) / S
          - (INR p * x r + t r) / (INR p + 1)) <= eta.
  Proof using Hn HL HK Hloss.
    intros Hx Ht Hp HpL Hr S.
    assert (Hv : valid n L (p + 2) (probe x t (p + 2))) by (apply probe_valid; auto; lia).
    pose proof (Hloss _ _ Hv (p + 2)%nat r) as H.
    pose proof (proj2 HK _ _ Hv (p + 2)%nat) as HS.
    rewrite kernel_head_quotient, probe_target in H by lia.
    rewrite probe_trigger in H, HS by lia.
    rewrite (probe_sum x t (p + 2) (fun y => K t y)) in H, HS by lia.
    rewrite (probe_sum x t (p + 2) (fun y => K t y * v y r)) in H by lia.
    replace (p + 2 - 2)%nat with p in H, HS by lia.
    replace (INR (p + 2 - 1)) with (INR p + 1) in H.
    2:{ replace (p + 2 - 1)%nat with (p + 1)%nat by lia. now rewrite plus_INR. }
    split; [apply HS; lia|]. apply H; lia.
  Qed.

  (** (iii) A floor under the content flag of the values forces the sink. *)
  Lemma floor_to_sink F x j i :
    0 < F + eta -> (forall y, is_content n y -> F <= v y (n - 1)%nat) ->
    valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
    1 - 2 * eta / (F + eta) <= bos_attention (kernel_attention K) x i.
  Proof using Hn HL HK Hloss.
    intros HF Hfloor Hx Hi Hij. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    apply (row_to_sink n L K v eta F x j i (n - 1)); auto; try lia.
    - apply bos_value_small. lia.
    - pose proof (Hloss x j Hx i (n - 1)%nat) as H. rewrite target_off_trigger, Rminus_0_r in H by lia. apply H; lia.
    - intros k H2 Hk. apply Hfloor. apply (content_elsewhere _ _ _ _ Hx); lia.
  Qed.
End Rows.

Section Probes.
  Context (n L m : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat)
          (HK : nonnegative_kernel n L K)
          (Hloss : sup_loss_le n L (head (kernel_attention K) v) eta).

  Lemma INR_m_ge_2 : 2 <= INR m.
  Proof using Hm. now apply (le_INR 2). Qed.

  (** (ii) Both probes: the content flag of v(x), weighted by K(t,x). *)
  Lemma probe_bounds x t :
    2 * eta <= / (INR m * (INR m + 1)) -> is_content n x -> is_trigger n t ->
    K t x * value_floor (INR m) eta <= K t x * v x (n - 1)%nat /\
    exists S, 0 < S /\ S * (/ (INR m * (INR m + 1)) - 2 * eta)
                       <= K t x * (v x (n - 1)%nat + eta - INR m / (INR m + 1)).
  Proof using Hn Hm HmL HK Hloss.
    intros Heta Hx Ht. pose proof INR_m_ge_2 as HM.
    destruct (kernel_probe_row n L K v eta Hn ltac:(lia) HK Hloss x t m (n - 1)%nat Hx Ht) as [_ H1]; try lia.
    destruct (kernel_probe_row n L K v eta Hn ltac:(lia) HK Hloss x t (m - 1) (n - 1)%nat Hx Ht) as [HS0 H0]; try lia.
    rewrite minus_INR in H0, HS0 by lia. change (INR 1) with 1 in H0, HS0.
    destruct Hx as [_ _ Hxc _ _]. destruct Ht as [_ _ Htc _ _]. unfold content_flag in Hxc, Htc.
    rewrite Hxc, Htc in H0, H1.
    pose proof (proj1 HK t x) as Hk. pose proof (proj1 HK t bos). pose proof (proj1 HK t t).
    set (M := INR m) in *. set (S := K t bos + (M - 1) * K t x + K t t) in *.
    assert (HS : (M - 1) * K t x <= S) by (unfold S; lra).
    assert (B : S * (/ (M * (M + 1)) - 2 * eta) <= K t x * (v x (n - 1)%nat + eta - M / (M + 1))).
    { apply (probe_difference M (K t x) S
        (K t bos * v bos (n - 1)%nat + (M - 1) * (K t x * v x (n - 1)%nat) + K t t * v t (n - 1)%nat)); try assumption; try lra.
      - replace (M / (M + 1)) with ((M * 1 + 0) / (M + 1)) by (field; lra).
        eapply Rle_trans; [|exact H1]. apply Req_le. f_equal. f_equal. unfold S. f_equal; ring.
      - replace ((M - 1) / M) with (((M - 1) * 1 + 0) / (M - 1 + 1)) by (field; lra). exact H0. }
    split; [now apply (probe_floor M (K t x) S)|]. exists S. split; assumption.
  Qed.

  Lemma content_value_floor_weighted x t :
    2 * eta <= / (INR m * (INR m + 1)) -> is_content n x -> is_trigger n t -> 0 < K t x ->
    value_floor (INR m) eta <= v x (n - 1)%nat.
  Proof using Hn Hm HmL HK Hloss.
    intros Heta Hx Ht Hk. apply (Rmult_le_reg_l (K t x)); [assumption|].
    now apply probe_bounds.
  Qed.

  (** With room to spare in eta a kernel cannot vanish: dropping x must change the row. *)
  Lemma kernel_cannot_vanish x t :
    2 * eta < / (INR m * (INR m + 1)) -> is_content n x -> is_trigger n t -> 0 < K t x.
  Proof using Hn Hm HmL HK Hloss.
    intros Heta Hx Ht. destruct (proj1 HK t x) as [Hk|Hk]; [assumption|exfalso].
    destruct (probe_bounds x t) as [_ (S & HS & B)]; [lra|assumption|assumption|].
    rewrite <- Hk, Rmult_0_l in B.
    assert (0 < S * (/ (INR m * (INR m + 1)) - 2 * eta)) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.

  (** From the floor of (ii) to the two constants of tc-1. *)
  Lemma floors_to_sinks x j i :
    2 * eta <= / (INR m * (INR m + 1)) ->
    (forall y, is_content n y -> value_floor (INR m) eta <= v y (n - 1)%nat) ->
    valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
    bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta /\
    bos_attention (kernel_attention K) x i
      >= 1 - 2 * eta / ((INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - 2 * (INR m - 1) * eta).
  Proof using Hn Hm HmL HK Hloss.
    intros Heta Hfloor Hx Hi Hij. pose proof INR_m_ge_2 as HM.
    assert (HL3 : (3 <= L)%nat) by lia.
    assert (He : 0 <= eta) by (apply (sup_loss_nonneg n L _ eta Hn HL3) in Hloss; assumption).
    set (M := INR m) in *. set (g := / (M * (M + 1))) in *.
    assert (Hmm : 0 < M * (M + 1)) by (apply Rmult_lt_0_compat; lra).
    assert (HF : value_floor M eta = M / (M + 1) - eta + (M - 1) * (g - 2 * eta)).
    { unfold value_floor, g. field. lra. }
    assert (Hgap : 0 <= (M - 1) * (g - 2 * eta)) by (apply Rmult_le_pos; lra).
    assert (HM1 : 0 < M / (M + 1)) by (apply Rdiv_lt_0_compat; lra).
    split; apply Rle_ge.
    - replace (2 * (1 + 1 / M) * eta) with (2 * eta / (M / (M + 1) - eta + eta)).
      2:{ replace (M / (M + 1) - eta + eta) with (M / (M + 1)) by ring. field. lra. }
      apply (floor_to_sink n L K v eta Hn HL3 HK Hloss (M / (M + 1) - eta) x j i); auto; [lra|].
      intros y Hy. specialize (Hfloor y Hy). lra.
    - replace ((M * M + M - 1) / (M * (M + 1)) - 2 * (M - 1) * eta) with (value_floor M eta + eta).
      2:{ unfold value_floor. ring. }
      apply (floor_to_sink n L K v eta Hn HL3 HK Hloss (value_floor M eta) x j i); auto. lra.
  Qed.
End Probes.

(** The threshold as the page writes it. *)
Lemma threshold m eta :
  (2 <= m)%nat -> eta <= 1 / (2 * INR m * (INR m + 1)) -> 2 * eta <= / (INR m * (INR m + 1)).
Proof.
  intros Hm H. assert (2 <= INR m) by now apply (le_INR 2).
  replace (1 / (2 * INR m * (INR m + 1))) with (/ (INR m * (INR m + 1)) / 2) in H by (field; lra). lra.
Qed.

Lemma threshold_strict m eta :
  (2 <= m)%nat -> eta < 1 / (2 * INR m * (INR m + 1)) -> 2 * eta < / (INR m * (INR m + 1)).
Proof.
  intros Hm H. assert (2 <= INR m) by now apply (le_INR 2).
  replace (1 / (2 * INR m * (INR m + 1))) with (/ (INR m * (INR m + 1)) / 2) in H by (field; lra). lra.
Qed.

(** Every content token's value has a large content flag: K > 0, or K >= 0 with room to spare. *)
Lemma kernel_value_floor n L m K v eta x :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta -> is_content n x ->
  value_floor (INR m) eta <= v x (n - 1)%nat.
Proof.
  intros Hn Hm HmL HK Heta Hloss Hx.
  apply (content_value_floor_weighted n L m K v eta Hn Hm HmL (positive_is_nonnegative n L K HK) Hloss
           x (constant_trigger n 0)); auto.
  - now apply threshold.
  - apply constant_trigger_is_trigger; [assumption|lra].
Qed.

Lemma kernel_value_floor_nonnegative n L m K v eta x :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> nonnegative_kernel n L K ->
  eta < 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta -> is_content n x ->
  value_floor (INR m) eta <= v x (n - 1)%nat.
Proof.
  intros Hn Hm HmL HK Heta Hloss Hx. pose proof (threshold_strict m eta Hm Heta) as Ht.
  assert (Htr : is_trigger n (constant_trigger n 0)) by (apply constant_trigger_is_trigger; [assumption|lra]).
  apply (content_value_floor_weighted n L m K v eta Hn Hm HmL HK Hloss x (constant_trigger n 0)); auto; [lra|].
  now apply (kernel_cannot_vanish n L m K v eta).
Qed.

(** The sink, with both constants. *)
Theorem kernel_sink n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta /\
  bos_attention (kernel_attention K) x i
    >= 1 - 2 * eta / ((INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - 2 * (INR m - 1) * eta).
Proof.
  intros Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij.
  apply (floors_to_sinks n L m K v eta Hn Hm HmL (positive_is_nonnegative n L K HK) Hloss x j i); auto.
  - now apply threshold.
  - intros y Hy. now apply (kernel_value_floor n L m K v eta).
Qed.

(** The same for kernels that may vanish. *)
Theorem kernel_sink_nonnegative n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> nonnegative_kernel n L K ->
  eta < 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta /\
  bos_attention (kernel_attention K) x i
    >= 1 - 2 * eta / ((INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - 2 * (INR m - 1) * eta).
Proof.
  intros Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij.
  apply (floors_to_sinks n L m K v eta Hn Hm HmL HK Hloss x j i); auto.
  - apply threshold; [assumption|lra].
  - intros y Hy. now apply (kernel_value_floor_nonnegative n L m K v eta).
Qed.
