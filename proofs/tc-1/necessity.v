(** * tc-1: a single normalised head with small loss has an attention sink

    Claim (docs/THEORY.md, tc-1; arXiv:2603.11487 Theorem 1 strengthened, constants ours).
    One layer, one head, positive content-based kernel K, ANY value map v, m >= 2, m + 2 <= L,
    sup loss eta <= 1/(2m(m+1)).  Then in every sequence, at every pre-trigger position, the BOS
    attention is at least 1 - 2(1 + 1/m) eta.

    Proved here, for all n >= 4, all L, all real-valued K and v:
    - [necessity]: the claim;  [necessity_two]: m = 2, i.e. >= 1 - 3 eta for eta <= 1/12;
    - [necessity_sharp]: >= 1 - 2 eta/((m^2+m-1)/(m(m+1)) - 2(m-1) eta);
      [necessity_sharp_two]: m = 2, i.e. >= 1 - 12 eta/(5 - 12 eta);
    - [content_value_floor]: the inner statement, v(x)_c >= (m^2+m-1)/(m(m+1)) - (2m-1) eta for every
      content token x;
    - [necessity_nonnegative]: K >= 0 with positive denominators, for eta < 1/(2m(m+1));
    - [necessity_softmax]: the instance K = exp(x^T W_Q^T W_K x'), V = W_O W_V plus any bias;
    - [necessity_residual]: the residual task;
    - [necessity_not_vacuous]: for every eta in (0, 1/12] a softmax head satisfies the hypotheses.

    Steps: (i) position 1 attends only to itself, so |v(BOS)_c| <= eta ([bos_value_small]).
    (ii) The probes (BOS,x,..,x,t,x,..) with m and with m-1 copies of x before the trigger, both
    valid sequences of length L, differ at the trigger row by one key x ([probe_row],
    [probe_algebra]).  The page's first form uses arbitrary y_k; taking all y_k = x gives both the
    first and the sharper bound.  (iii) The content flag of a pre-trigger row ([floor_to_sink]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-1/necessity.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
Open Scope R_scope.

(** K >= 0 and every attention row has a positive denominator. *)
Definition nonnegative_kernel (n L : nat) (K : kernel) : Prop :=
  (forall q k, 0 <= K q k) /\
  (forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => K (x i) (x l))).

Lemma positive_is_nonnegative n L K : positive_kernel K -> nonnegative_kernel n L K.
Proof.
  intros HK. split.
  - intros. apply Rlt_le, HK.
  - intros x j _ i Hi _. now apply kernel_row_sum_pos.
Qed.

(** (m^2+m-1)/(m(m+1)) - (2m-1) eta. *)
Definition value_floor (m eta : R) : R := (m * m + m - 1) / (m * (m + 1)) - (2 * m - 1) * eta.

(** Two quotients that differ by one key: weight kappa, value u; the other keys weigh S and sum to N. *)
Lemma probe_algebra m kappa S N u eta :
  2 <= m -> 0 <= kappa -> 0 < S -> (m - 1) * kappa <= S -> 2 * eta <= / (m * (m + 1)) ->
  Rabs ((N + kappa * u) / (S + kappa) - m / (m + 1)) <= eta ->
  Rabs (N / S - (m - 1) / m) <= eta ->
  kappa * value_floor m eta <= kappa * u /\ S * (/ (m * (m + 1)) - 2 * eta) <= kappa * (u + eta - m / (m + 1)).
Proof.
  intros Hm Hk HS HSk Heta H1 H0.
  assert (Hmm : 0 < m * (m + 1)) by (apply Rmult_lt_0_compat; lra).
  set (r1 := (N + kappa * u) / (S + kappa) - m / (m + 1)) in *.
  set (r0 := N / S - (m - 1) / m) in *.
  assert (E : kappa * u = kappa * (m / (m + 1) + r1) + S * (/ (m * (m + 1)) + r1 - r0)).
  { unfold r1, r0. field. repeat split; lra. }
  apply abs_bounds in H1. apply abs_bounds in H0.
  set (g := / (m * (m + 1))) in *.
  assert (Hk1 : 0 <= kappa * (eta + r1)) by (apply Rmult_le_pos; lra).
  assert (HS1 : 0 <= S * (2 * eta + r1 - r0)) by (apply Rmult_le_pos; lra).
  assert (B : S * (g - 2 * eta) <= kappa * (u + eta - m / (m + 1))) by lra.
  split; [|exact B].
  assert (HS2 : 0 <= (S - (m - 1) * kappa) * (g - 2 * eta)) by (apply Rmult_le_pos; lra).
  replace (value_floor m eta) with (m / (m + 1) - eta + (m - 1) * (g - 2 * eta)).
  - lra.
  - unfold value_floor, g. field. lra.
Qed.

Section Necessity.
  Context (n L m : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat)
          (HK : nonnegative_kernel n L K)
          (Hloss : sup_loss_le n L (head (kernel_attention K) v) eta).

  (** (i) Position 1 attends only to itself. *)
  Lemma bos_value_small r : (r < n)%nat -> Rabs (v bos r) <= eta.
  Proof using Hn Hm HmL HK Hloss.
    intros Hr. destruct (valid_exists n L 3) as [x Hx]; try lia.
    pose proof (Hloss x 3%nat Hx 1%nat r) as H.
    rewrite kernel_head_quotient, target_off_trigger, Rminus_0_r in H by lia.
    unfold possum in H. cbn [sum] in H. rewrite (first_is_bos _ _ _ _ Hx) in H.
    pose proof (proj2 HK x 3%nat Hx 1%nat) as Hp. unfold possum in Hp. cbn [sum] in Hp.
    rewrite (first_is_bos _ _ _ _ Hx) in Hp.
    replace ((0 + K bos bos * v bos r) / (0 + K bos bos)) with (v bos r) in H.
    - apply H; lia.
    - field. assert (0 < 0 + K bos bos) by (apply Hp; lia). lra.
  Qed.

  (** The trigger row of (BOS, x^p, t, x, ..) in the content flag. *)
  Lemma probe_row x t p :
    is_content n x -> is_trigger n t -> (1 <= p)%nat -> (p + 2 <= L)%nat ->
    let S := K t bos + INR p * K t x + K t t in
    0 < S /\
    Rabs ((K t bos * v bos (n - 1)%nat + INR p * (K t x * v x (n - 1)%nat) + K t t * v t (n - 1)%nat) / S
          - INR p / (INR p + 1)) <= eta.
  Proof using Hn Hm HmL HK Hloss.
    intros Hx Ht Hp HpL S.
    assert (Hv : valid n L (p + 2) (probe x t (p + 2))) by (apply probe_valid; auto; lia).
    pose proof (Hloss _ _ Hv (p + 2)%nat (n - 1)%nat) as H.
    pose proof (proj2 HK _ _ Hv (p + 2)%nat) as HS.
    rewrite kernel_head_quotient, (target_content_flag n L) in H by assumption.
    rewrite probe_trigger in H, HS by lia.
    rewrite (probe_sum x t (p + 2) (fun y => K t y)) in H, HS by lia.
    rewrite (probe_sum x t (p + 2) (fun y => K t y * v y (n - 1)%nat)) in H by lia.
    replace (p + 2 - 2)%nat with p in H, HS by lia.
    replace (INR (p + 2 - 1)) with (INR p + 1) in H.
    2:{ replace (p + 2 - 1)%nat with (p + 1)%nat by lia. now rewrite plus_INR. }
    split; [apply HS; lia|]. apply H; lia.
  Qed.

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
    destruct (probe_row x t m Hx Ht) as [_ H1]; [lia|lia|].
    destruct (probe_row x t (m - 1) Hx Ht) as [HS0 H0]; [lia|lia|].
    rewrite minus_INR in H0, HS0 by lia. change (INR 1) with 1 in H0, HS0.
    pose proof (proj1 HK t x) as Hk. pose proof (proj1 HK t bos). pose proof (proj1 HK t t).
    set (M := INR m) in *. set (S := K t bos + (M - 1) * K t x + K t t) in *.
    destruct (probe_algebra M (K t x) S
      (K t bos * v bos (n - 1)%nat + (M - 1) * (K t x * v x (n - 1)%nat) + K t t * v t (n - 1)%nat)
      (v x (n - 1)%nat) eta) as [A B]; try assumption.
    - unfold S. lra.
    - eapply Rle_trans; [|exact H1]. apply Req_le. f_equal. f_equal. unfold S. f_equal; ring.
    - replace (M - 1 + 1) with M in H0 by ring. exact H0.
    - split; [exact A|]. exists S. split; assumption.
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

  (** (iii) A floor under the content flag of the values forces the sink. *)
  Lemma floor_to_sink F x j i :
    0 < F + eta -> (forall y, is_content n y -> F <= v y (n - 1)%nat) ->
    valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
    1 - 2 * eta / (F + eta) <= bos_attention (kernel_attention K) x i.
  Proof using Hn Hm HmL HK Hloss.
    intros HF Hfloor Hx Hi Hij. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    pose proof (Hloss x j Hx i (n - 1)%nat) as H.
    rewrite target_off_trigger, Rminus_0_r in H by lia.
    assert (Hsum : possum i (kernel_attention K x i) = 1).
    { apply kernel_attention_sum. apply Rgt_not_eq, (proj2 HK x j Hx); lia. }
    assert (Hpos : forall k, 0 <= kernel_attention K x i k).
    { intros k. unfold kernel_attention. apply Rmult_le_pos; [apply (proj1 HK)|].
      left. apply Rinv_0_lt_compat, (proj2 HK x j Hx); lia. }
    unfold head in H. rewrite possum_first in H, Hsum by assumption.
    rewrite (first_is_bos _ _ _ _ Hx) in H. unfold bos_attention.
    set (p := kernel_attention K x i 1%nat) in *.
    set (rest := sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat)) in *.
    assert (Hc : F * rest <= sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat
                                                  * v (x (k + 2)%nat) (n - 1)%nat)).
    { unfold rest. rewrite <- sum_scal. apply sum_le. intros k Hk. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [apply Hpos|]. apply Hfloor.
      apply (content_elsewhere _ _ _ _ Hx); lia. }
    pose proof (bos_value_small (n - 1)) as Hb.
    assert (Hb' : Rabs (v bos (n - 1)%nat) <= eta) by (apply Hb; lia).
    assert (Hr' : Rabs (p * v bos (n - 1)%nat
       + sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat * v (x (k + 2)%nat) (n - 1)%nat))
       <= eta) by (apply H; lia).
    apply abs_bounds in Hb'. apply abs_bounds in Hr'.
    assert (Hp : 0 <= p) by apply Hpos.
    assert (Hpe : 0 <= p * (v bos (n - 1)%nat + eta)) by (apply Rmult_le_pos; lra).
    replace rest with (1 - p) in Hc by lra.
    apply (Rmult_le_reg_r (F + eta)); [assumption|].
    replace ((1 - 2 * eta / (F + eta)) * (F + eta)) with (F - eta) by (field; lra). lra.
  Qed.

  Lemma eta_nonneg : 0 <= eta.
  Proof using Hn Hm HmL Hloss. apply (sup_loss_nonneg n L _ eta Hn) in Hloss; [assumption|lia]. Qed.

  (** From the floor of (ii) to the two constants of the claim. *)
  Lemma floors_to_sinks x j i :
    2 * eta <= / (INR m * (INR m + 1)) ->
    (forall y, is_content n y -> value_floor (INR m) eta <= v y (n - 1)%nat) ->
    valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
    1 - 2 * (1 + / INR m) * eta <= bos_attention (kernel_attention K) x i /\
    1 - 2 * eta / ((INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - 2 * (INR m - 1) * eta)
      <= bos_attention (kernel_attention K) x i.
  Proof using Hn Hm HmL HK Hloss.
    intros Heta Hfloor Hx Hi Hij. pose proof INR_m_ge_2 as HM. pose proof eta_nonneg as He.
    set (M := INR m) in *. set (g := / (M * (M + 1))) in *.
    assert (Hmm : 0 < M * (M + 1)) by (apply Rmult_lt_0_compat; lra).
    assert (HF : value_floor M eta = M / (M + 1) - eta + (M - 1) * (g - 2 * eta)).
    { unfold value_floor, g. field. lra. }
    assert (Hgap : 0 <= (M - 1) * (g - 2 * eta)) by (apply Rmult_le_pos; lra).
    assert (HM1 : 0 < M / (M + 1)) by (apply Rdiv_lt_0_compat; lra).
    split.
    - replace (2 * (1 + / M) * eta) with (2 * eta / (M / (M + 1) - eta + eta)).
      2:{ replace (M / (M + 1) - eta + eta) with (M / (M + 1)) by ring. field. lra. }
      apply (floor_to_sink (M / (M + 1) - eta) x j i); auto; [lra|].
      intros y Hy. specialize (Hfloor y Hy). lra.
    - replace ((M * M + M - 1) / (M * (M + 1)) - 2 * (M - 1) * eta) with (value_floor M eta + eta).
      2:{ unfold value_floor. ring. }
      apply (floor_to_sink (value_floor M eta) x j i); auto. lra.
  Qed.
End Necessity.

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

(** Every content token's value has a large content flag. *)
Theorem content_value_floor n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x, is_content n x -> value_floor (INR m) eta <= v x (n - 1)%nat.
Proof.
  intros Hn Hm HmL HK Heta Hloss x Hx.
  apply (content_value_floor_weighted n L m K v eta Hn Hm HmL (positive_is_nonnegative n L K HK) Hloss
           x (constant_trigger n 0)); auto.
  - now apply threshold.
  - apply constant_trigger_is_trigger; [assumption|lra].
Qed.

(** ** tc-1 *)
Theorem necessity n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.
Proof.
  intros Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij. apply Rle_ge.
  replace (1 / INR m) with (/ INR m) by (unfold Rdiv; ring).
  apply (floors_to_sinks n L m K v eta Hn Hm HmL (positive_is_nonnegative n L K HK) Hloss x j i); auto.
  - now apply threshold.
  - now apply (content_value_floor n L m K v eta).
Qed.

(** The sharper form. *)
Theorem necessity_sharp n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i
  >= 1 - 2 * eta / ((INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - 2 * (INR m - 1) * eta).
Proof.
  intros Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij. apply Rle_ge.
  apply (floors_to_sinks n L m K v eta Hn Hm HmL (positive_is_nonnegative n L K HK) Hloss x j i); auto.
  - now apply threshold.
  - now apply (content_value_floor n L m K v eta).
Qed.

(** m = 2. *)
Corollary necessity_two n L K v eta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 3 * eta.
Proof.
  intros Hn HL HK Heta Hloss x j i Hx Hi Hij.
  replace (3 * eta) with (2 * (1 + 1 / INR 2) * eta) by (simpl; lra).
  apply (necessity n L 2 K v eta) with (j := j); auto; simpl; lra.
Qed.

Corollary necessity_sharp_two n L K v eta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 12 * eta / (5 - 12 * eta).
Proof.
  intros Hn HL HK Heta Hloss x j i Hx Hi Hij.
  replace (12 * eta / (5 - 12 * eta))
    with (2 * eta / ((INR 2 * INR 2 + INR 2 - 1) / (INR 2 * (INR 2 + 1)) - 2 * (INR 2 - 1) * eta)).
  - apply (necessity_sharp n L 2 K v eta) with (j := j); auto; simpl; lra.
  - simpl. field. lra.
Qed.

(** Kernels that may vanish, with positive denominators (normalised ReLU where it is defined). *)
Theorem necessity_nonnegative n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> nonnegative_kernel n L K ->
  eta < 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.
Proof.
  intros Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij. apply Rle_ge.
  replace (1 / INR m) with (/ INR m) by (unfold Rdiv; ring).
  pose proof (threshold_strict m eta Hm Heta) as Ht.
  apply (floors_to_sinks n L m K v eta Hn Hm HmL HK Hloss x j i); auto; [lra|].
  intros y Hy.
  assert (Htr : is_trigger n (constant_trigger n 0)) by (apply constant_trigger_is_trigger; [assumption|lra]).
  apply (content_value_floor_weighted n L m K v eta Hn Hm HmL HK Hloss y (constant_trigger n 0)); auto; [lra|].
  now apply (kernel_cannot_vanish n L m K v eta).
Qed.

(** Softmax: logits x_i^T W_Q^T W_K x_k with projections of any width, values V x + bias. *)
Corollary necessity_softmax n L m width WQ WK V (bias : token) eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  let a := kernel_attention (softmax_kernel n (query_key width WQ WK)) in
  sup_loss_le n L (head a (fun x r => linear_value n V x r + bias r)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention a x i >= 1 - 2 * (1 + 1 / INR m) * eta.
Proof.
  intros Hn Hm HmL Heta a Hloss. apply (necessity n L m _ _ eta Hn Hm HmL) with (3 := Hloss); [|assumption].
  apply softmax_positive.
Qed.

(** The residual task: out_i = x_i + sum_k a_ik v(x_k) against y_i = x_i (+ mean at the trigger). *)
Corollary necessity_residual n L m K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  residual_sup_loss_le n L (fun x i r => x i r + head (kernel_attention K) v x i r) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.
Proof.
  intros Hn Hm HmL HK Heta Hloss. apply (necessity n L m K v eta); auto.
  now apply residual_sup_loss_iff.
Qed.

(** The hypotheses can be met, at every loss level and every length. *)
Theorem necessity_not_vacuous n L eta :
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta ->
  exists W V, sup_loss_le n L (head (kernel_attention (softmax_kernel n W)) (linear_value n V)) eta.
Proof.
  intros Hn HL Heta. destruct (softmax_sup_loss_small n L eta) as [W HW]; [assumption|lia|assumption|].
  now exists W, projector.
Qed.

Print Assumptions content_value_floor.
Print Assumptions necessity.
Print Assumptions necessity_sharp.
Print Assumptions necessity_two.
Print Assumptions necessity_sharp_two.
Print Assumptions necessity_nonnegative.
Print Assumptions necessity_softmax.
Print Assumptions necessity_residual.
Print Assumptions necessity_not_vacuous.
