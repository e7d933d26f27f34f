(** * tc-1, the constant to first order: off-BOS mass before the trigger is 2 eta + O(eta^2) for every L >= 4

    One layer, one head, positive content-based kernel K, ANY value map v, sup loss eta; m, p >= 2,
    m + 2 <= L, p + 2 <= L, C = 4/(m-1) + (p+1)(p+3)/((p-1)(m+1)), eta <= (m-1)/(4(m+1)), C eta < 1.  Then at every
    pre-trigger position
      1 - BOS attention <= 2 eta/(1 - C eta)      ([worst_case]);
    m = p = 2 (L = 4): 2 eta/(1 - 9 eta), eta <= 1/12 ([worst_case_two]).  Theorem tc-1 has 2(1 + 1/m) eta, 12 eta/5 at best
    for L = 4, because it reads nothing but the content flag; here one noise coordinate is read as well.
    2 eta is right to first order: for every n >= 4, L >= 4, 0 < eta < 1 a head of the class, V even linear, has a
    pre-trigger row with mass exactly 2 eta/(1 + eta) off BOS ([first_order_sharp]).

    Proof.  x a content token with noise u, t_w a trigger with noise w = 1 or -1, S = (K(t_w,BOS) + K(t_w,t_w))/K(t_w,x).
    Values relative to v(BOS) = beta.  The trigger rows of (BOS,x^a,t_w) for a = 1 and a = m have, in the content flag,
      v(x) - beta >= 1 - beta + (S-1)/(2(m+1)) - (2S+m+1) eta/(m-1)                           ([content_row])
    and for a = 1 and a = p, in the noise,
      v(x) - beta = u - beta + (u-w)(S-1)/(2(p+1)) up to (2S+p+1) eta/(p-1)                   ([noise_row]).
    v(x) does not know w: so (1-u)(1-S_+) + (1+u)(1-S_-) is small, and S_+ or S_- is nearly at least 1
    ([some_weight_large]); then v(x) is nearly at least 1 in the content flag ([value_floor]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-1/worst_case.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
Open Scope R_scope.

(** ** Part 1: arithmetic *)

(** Two trigger rows, with 1 and with M copies of x: values X of x and Y of t (times its weight), relative
    to BOS and in units of K(t,x); targets T1, TM. *)
Lemma row_difference M S X Y beta T1 TM e1 eM eta :
  1 < M -> 0 <= S -> Rabs e1 <= eta -> Rabs eM <= eta ->
  X + Y = (S + 1) * (T1 - beta + e1) -> M * X + Y = (S + M) * (TM - beta + eM) ->
  Rabs ((M - 1) * X - ((S + M) * (TM - beta) - (S + 1) * (T1 - beta))) <= (2 * S + M + 1) * eta.
Proof.
  intros HM HS H1 H2 E1 EM. apply abs_bounds in H1, H2.
  replace ((M - 1) * X - ((S + M) * (TM - beta) - (S + 1) * (T1 - beta))) with ((S + M) * eM - (S + 1) * e1) by lra.
  assert (0 <= (S + M) * (eta - eM)) by (apply Rmult_le_pos; lra).
  assert (0 <= (S + M) * (eta + eM)) by (apply Rmult_le_pos; lra).
  assert (0 <= (S + 1) * (eta - e1)) by (apply Rmult_le_pos; lra).
  assert (0 <= (S + 1) * (eta + e1)) by (apply Rmult_le_pos; lra).
  apply Rabs_le. lra.
Qed.

(** Content flag: targets 1/2 and M/(M+1). *)
Lemma content_algebra M S : 1 < M ->
  forall beta, (S + M) * (M / (M + 1) - beta) - (S + 1) * (/ 2 - beta)
  = (M - 1) * (1 - beta + (S - 1) / (2 * (M + 1))).
Proof. intros HM beta. field. lra. Qed.

(** Noise: targets (u+w)/2 and (M u + w)/(M+1). *)
Lemma noise_algebra M S u w : 1 < M ->
  forall beta, (S + M) * ((M * u + w) / (M + 1) - beta) - (S + 1) * ((u + w) / 2 - beta)
  = (M - 1) * (u - beta + (u - w) * (S - 1) / (2 * (M + 1))).
Proof. intros HM beta. field. lra. Qed.

(** With triggers of noise 1 and -1 one of the weights is nearly at least 1. *)
Lemma some_weight_large P u Sp Sm X beta eta :
  1 < P -> -1 <= u <= 1 -> 0 <= eta -> Sp < 1 -> Sm < 1 ->
  Rabs ((P - 1) * X - (P - 1) * (u - beta + (u - 1) * (Sp - 1) / (2 * (P + 1)))) <= (2 * Sp + P + 1) * eta ->
  Rabs ((P - 1) * X - (P - 1) * (u - beta + (u - -1) * (Sm - 1) / (2 * (P + 1)))) <= (2 * Sm + P + 1) * eta ->
  (P - 1) * (1 - Sp) <= 2 * (P + 1) * (P + 3) * eta \/ (P - 1) * (1 - Sm) <= 2 * (P + 1) * (P + 3) * eta.
Proof.
  intros HP Hu He Hp Hm Bp Bm. apply abs_bounds in Bp, Bm.
  set (c := 2 * (P + 1) * (P + 3) * eta).
  assert (Hc : (1 - u) * ((P - 1) * (1 - Sp)) + (1 + u) * ((P - 1) * (1 - Sm)) <= 2 * c).
  { assert (E : (1 - u) * ((P - 1) * (1 - Sp)) + (1 + u) * ((P - 1) * (1 - Sm))
              = 2 * (P + 1) * (((P - 1) * X - (P - 1) * (u - beta + (u - -1) * (Sm - 1) / (2 * (P + 1)))) * -1
                 + ((P - 1) * X - (P - 1) * (u - beta + (u - 1) * (Sp - 1) / (2 * (P + 1)))))
              * -1).
    { field. lra. }
    rewrite E. unfold c.
    set (bp := (P - 1) * X - (P - 1) * (u - beta + (u - 1) * (Sp - 1) / (2 * (P + 1)))) in *.
    set (bm := (P - 1) * X - (P - 1) * (u - beta + (u - -1) * (Sm - 1) / (2 * (P + 1)))) in *.
    assert (H1 : 0 <= (1 - Sp) * eta) by (apply Rmult_le_pos; lra).
    assert (H2 : 0 <= (1 - Sm) * eta) by (apply Rmult_le_pos; lra).
    assert (H3 : 0 <= (P + 1) * (2 * (P + 3) * eta - (bm - bp))) by (apply Rmult_le_pos; lra). lra. }
  destruct (Rle_lt_dec ((P - 1) * (1 - Sp)) c) as [|G1]; [now left|].
  destruct (Rle_lt_dec ((P - 1) * (1 - Sm)) c) as [|G2]; [now right|exfalso].
  assert (0 <= (1 - u) * ((P - 1) * (1 - Sp) - c)) by (apply Rmult_le_pos; lra).
  assert (0 <= (1 + u) * ((P - 1) * (1 - Sm) - c)) by (apply Rmult_le_pos; lra).
  destruct (Rle_lt_dec u 0).
  - assert (0 < (1 - u) * ((P - 1) * (1 - Sp) - c)) by (apply Rmult_lt_0_compat; lra). lra.
  - assert (0 < (1 + u) * ((P - 1) * (1 - Sm) - c)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** What the floor of the values loses. *)
Definition floor_loss (M P : R) : R := (M + 3) / (M - 1) + (P + 1) * (P + 3) / ((P - 1) * (M + 1)).

Lemma floor_from_weight M P S X beta eta :
  1 < M -> 1 < P -> 0 <= eta -> eta <= (M - 1) / (4 * (M + 1)) ->
  1 <= S \/ S < 1 /\ (P - 1) * (1 - S) <= 2 * (P + 1) * (P + 3) * eta ->
  Rabs ((M - 1) * X - (M - 1) * (1 - beta + (S - 1) / (2 * (M + 1)))) <= (2 * S + M + 1) * eta ->
  1 - beta - floor_loss M P * eta <= X.
Proof.
  intros HM HP He Heta HS B. apply abs_bounds in B. destruct B as [B _].
  set (g := / (2 * (M + 1))). assert (Hg : 0 < g) by (apply Rinv_0_lt_compat; lra).
  assert (HgM : g * (2 * (M + 1)) = 1) by (apply Rinv_l; lra).
  assert (Hgeta : 2 * eta <= (M - 1) * g).
  { apply (Rmult_le_compat_l 2) in Heta; [|lra]. eapply Rle_trans; [exact Heta|]. apply Req_le. unfold g. field. lra. }
  replace ((S - 1) / (2 * (M + 1))) with ((S - 1) * g) in B by (unfold g; field; lra).
  assert (HX : (M - 1) * (1 - beta) - (M + 3) * eta + (S - 1) * ((M - 1) * g - 2 * eta) <= (M - 1) * X) by lra.
  set (kappa := (P + 1) * (P + 3) / (P - 1)).
  assert (Hk : 0 < kappa) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (HL : (M - 1) * (floor_loss M P * eta) = (M + 3) * eta + (M - 1) * (2 * g * kappa * eta)).
  { unfold floor_loss, kappa, g. field. lra. }
  assert (Hgk : 0 <= 2 * g * kappa) by (apply Rmult_le_pos; lra).
  assert (Hke : 0 <= (M - 1) * (2 * g * kappa * eta)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
  apply (Rmult_le_reg_l (M - 1)); [lra|].
  destruct HS as [HS|[HS1 HS2]].
  - assert (0 <= (S - 1) * ((M - 1) * g - 2 * eta)) by (apply Rmult_le_pos; lra). lra.
  - assert (H1S : 1 - S <= 2 * kappa * eta).
    { apply (Rmult_le_reg_l (P - 1)); [lra|]. eapply Rle_trans; [exact HS2|]. apply Req_le. unfold kappa. field. lra. }
    assert (H2 : 0 <= (M - 1) * g * (2 * kappa * eta - (1 - S))).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]. }
   
    assert (H3 : 0 <= (1 - S) * eta) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** Part 2: rows *)

Lemma probe_target x t j r :
  (3 <= j)%nat -> target j (probe x t j) j r = (INR (j - 2) * x r + t r) / INR (j - 1).
Proof.
  intros Hj. unfold target, mean_from_2. rewrite Nat.eqb_refl. f_equal.
  pose proof (probe_sum x t j (fun y => y r) ltac:(lia)) as H.
  rewrite possum_first in H by lia. change (probe x t j 1%nat) with bos in H. lra.
Qed.

Section Rows.
  Context (n L : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (HK : positive_kernel K)
          (Hloss : sup_loss_le n L (head (kernel_attention K) v) eta).

  Let beta r := v bos r.
  Let weight x t := (K t bos + K t t) / K t x.

  Lemma bos_value_small r : (r < n)%nat -> Rabs (beta r) <= eta.
  Proof using Hn HL HK Hloss.
    intros Hr. destruct (valid_exists n L 3) as [x Hx]; try lia.
    pose proof (Hloss x 3%nat Hx 1%nat r ltac:(lia) ltac:(lia) Hr) as H.
    rewrite kernel_head_quotient, target_off_trigger, Rminus_0_r in H by lia.
    unfold possum in H. cbn [sum] in H. rewrite (first_is_bos _ _ _ _ Hx) in H.
    replace ((0 + K bos bos * v bos r) / (0 + K bos bos)) with (v bos r) in H; [exact H|].
    field. pose proof (HK bos bos). lra.
  Qed.

  (** The trigger row of (BOS, x^q, t, x, ..). *)
  Lemma trigger_row x t q r :
    is_content n x -> is_trigger n t -> (1 <= q)%nat -> (q + 2 <= L)%nat -> (r < n)%nat ->
    exists e, Rabs e <= eta /\
      INR q * (v x r - beta r) + K t t * (v t r - beta r) / K t x
      = (weight x t + INR q) * ((INR q * x r + t r) / (INR q + 1) - beta r + e).
  Proof using Hn HL HK Hloss.
    intros Hx Ht Hq HqL Hr.
    assert (Hv : valid n L (q + 2) (probe x t (q + 2))) by (apply probe_valid; auto; lia).
    pose proof (Hloss _ _ Hv (q + 2)%nat r ltac:(lia) ltac:(lia) Hr) as H.
    rewrite kernel_head_quotient, probe_target in H by lia. rewrite probe_trigger in H by lia.
    rewrite (probe_sum x t (q + 2) (fun y => K t y)) in H by lia.
    rewrite (probe_sum x t (q + 2) (fun y => K t y * v y r)) in H by lia.
    replace (q + 2 - 2)%nat with q in H by lia. replace (q + 2 - 1)%nat with (q + 1)%nat in H by lia.
    rewrite (plus_INR q 1) in H. change (INR 1) with 1 in H.
    eexists. split; [exact H|].
    pose proof (HK t bos). pose proof (HK t x). pose proof (HK t t). pose proof (pos_INR q).
    assert (0 <= INR q * K t x) by (apply Rmult_le_pos; lra).
    unfold weight, beta. field. repeat split; lra.
  Qed.

  Lemma weight_nonneg x t : 0 <= weight x t.
  Proof using HK.
    clear Hn HL Hloss. pose proof (HK t bos). pose proof (HK t x). pose proof (HK t t).
    unfold weight. left. apply Rdiv_lt_0_compat; lra.
  Qed.

  Lemma content_row x t m :
    is_content n x -> is_trigger n t -> (2 <= m)%nat -> (m + 2 <= L)%nat ->
    Rabs ((INR m - 1) * (v x (n - 1)%nat - beta (n - 1)%nat)
          - (INR m - 1) * (1 - beta (n - 1)%nat + (weight x t - 1) / (2 * (INR m + 1))))
      <= (2 * weight x t + INR m + 1) * eta.
  Proof using Hn HL HK Hloss.
    intros Hx Ht Hm HmL. assert (HM : 2 <= INR m) by (now apply (le_INR 2)).
    destruct (trigger_row x t 1 (n - 1)%nat Hx Ht) as (e1 & He1 & E1); try lia.
    destruct (trigger_row x t m (n - 1)%nat Hx Ht) as (em & Hem & Em); try lia.
    destruct Hx as [_ _ Hxc _ _]. destruct Ht as [_ _ Htc _ _]. unfold content_flag in *. rewrite Hxc, Htc in *.
    change (INR 1) with 1 in E1.
    rewrite <- (content_algebra (INR m) (weight x t)) by lra.
    apply (row_difference (INR m) (weight x t) _ (K t t * (v t (n - 1)%nat - beta (n - 1)%nat) / K t x)
             (beta (n - 1)%nat) (/ 2) (INR m / (INR m + 1)) e1 em eta); try assumption; try lra.
    apply weight_nonneg.
  Qed.

  Lemma noise_row x w p :
    is_content n x -> -1 <= w <= 1 -> (2 <= p)%nat -> (p + 2 <= L)%nat ->
    let S := weight x (constant_trigger n w) in
    Rabs ((INR p - 1) * (v x 2%nat - beta 2%nat)
          - (INR p - 1) * (x 2%nat - beta 2%nat + (x 2%nat - w) * (S - 1) / (2 * (INR p + 1))))
      <= (2 * S + INR p + 1) * eta.
  Proof using Hn HL HK Hloss.
    intros Hx Hw Hp HpL S. assert (HP : 2 <= INR p) by (now apply (le_INR 2)).
    assert (Ht : is_trigger n (constant_trigger n w)) by (now apply constant_trigger_is_trigger).
    set (t := constant_trigger n w) in *.
    assert (Htw : t 2%nat = w) by (unfold t; apply constant_trigger_noise; lia).
    destruct (trigger_row x t 1 2%nat Hx Ht) as (e1 & He1 & E1); try lia.
    destruct (trigger_row x t p 2%nat Hx Ht) as (em & Hem & Em); try lia.
    rewrite Htw in *. change (INR 1) with 1 in E1. fold S in E1, Em.
    rewrite <- (noise_algebra (INR p) S) by lra.
    apply (row_difference (INR p) S _ (K t t * (v t 2%nat - beta 2%nat) / K t x)
             (beta 2%nat) ((x 2%nat + w) / 2) ((INR p * x 2%nat + w) / (INR p + 1)) e1 em eta);
      try assumption; try lra.
    apply weight_nonneg.
  Qed.

  Context (m p : nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat) (Hp : (2 <= p)%nat) (HpL : (p + 2 <= L)%nat)
          (Heta : eta <= (INR m - 1) / (4 * (INR m + 1))).

  Lemma value_floor x :
    is_content n x -> 1 - beta (n - 1)%nat - floor_loss (INR m) (INR p) * eta <= v x (n - 1)%nat - beta (n - 1)%nat.
  Proof using Hn HL HK Hloss Hm HmL Hp HpL Heta.
    intros Hx. assert (HM : 2 <= INR m) by (now apply (le_INR 2)). assert (HP : 2 <= INR p) by (now apply (le_INR 2)).
    assert (He : 0 <= eta) by (apply (sup_loss_nonneg n L _ eta Hn) in Hloss; [assumption|lia]).
    assert (Hu : -1 <= x 2%nat <= 1) by (apply (content_noise n x Hx); lia).
    assert (Hend : forall w, -1 <= w <= 1 ->
              let S := weight x (constant_trigger n w) in
              1 <= S \/ S < 1 /\ (INR p - 1) * (1 - S) <= 2 * (INR p + 1) * (INR p + 3) * eta ->
              1 - beta (n - 1)%nat - floor_loss (INR m) (INR p) * eta <= v x (n - 1)%nat - beta (n - 1)%nat).
    { intros w Hw S HS. apply (floor_from_weight (INR m) (INR p) S); try assumption; try lra.
      apply content_row; try assumption. now apply constant_trigger_is_trigger. }
    destruct (Rle_lt_dec 1 (weight x (constant_trigger n 1))) as [G1|G1].
    { apply (Hend 1); [lra|now left]. }
    destruct (Rle_lt_dec 1 (weight x (constant_trigger n (-1)))) as [G2|G2].
    { apply (Hend (-1)); [lra|now left]. }
    destruct (some_weight_large (INR p) (x 2%nat) _ _ (v x 2%nat - beta 2%nat) (beta 2%nat) eta
                ltac:(lra) Hu He G1 G2) as [Q|Q].
    - apply (noise_row x 1 p Hx); try assumption; lra.
    - apply (noise_row x (-1) p Hx); try assumption; lra.
    - apply (Hend 1); [lra|right; split; assumption].
    - apply (Hend (-1)); [lra|right; split; assumption].
  Qed.

  Lemma mass_bound x j i :
    valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
    (1 - bos_attention (kernel_attention K) x i) * (1 - (floor_loss (INR m) (INR p) - 1) * eta) <= 2 * eta.
  Proof using Hn HL HK Hloss Hm HmL Hp HpL Heta.
    intros Hx Hi Hij. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    pose proof (Hloss x j Hx i (n - 1)%nat ltac:(lia) ltac:(lia) ltac:(lia)) as H.
    rewrite target_off_trigger, Rminus_0_r in H by lia.
    destruct (kernel_row_stochastic n L K HK x j Hx i Hi ltac:(lia)) as [Hpos Hsum].
    unfold head in H. rewrite possum_first in H, Hsum by assumption. rewrite (first_is_bos _ _ _ _ Hx) in H.
    unfold bos_attention. set (b := kernel_attention K x i 1%nat) in *.
    set (s := sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat)) in *.
    set (F := 1 - beta (n - 1)%nat - floor_loss (INR m) (INR p) * eta).
    assert (Hc : (F + beta (n - 1)%nat) * s <= sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat
                                                  * v (x (k + 2)%nat) (n - 1)%nat)).
    { unfold s. rewrite <- sum_scal. apply sum_le. intros k Hk. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [apply Hpos; lia|].
      pose proof (value_floor (x (k + 2)%nat)) as Hfl. fold F in Hfl.
      assert (F <= v (x (k + 2)%nat) (n - 1)%nat - beta (n - 1)%nat); [|lra].
      apply Hfl. apply (content_elsewhere _ _ _ _ Hx); lia. }
    pose proof (bos_value_small (n - 1)%nat ltac:(lia)) as Hb.
    apply abs_bounds in Hb. apply abs_bounds in H.
    assert (Hb0 : 0 <= b) by (apply Hpos; lia).
    assert (Hs0 : 0 <= s) by (apply sum_nonneg; intros; apply Hpos; lia).
    replace b with (1 - s) in * by lra. fold (beta (n - 1)%nat) in H.
    assert (H2 : 0 <= (1 - s) * (beta (n - 1)%nat + eta)) by (apply Rmult_le_pos; lra).
    unfold F in Hc. lra.
  Qed.
End Rows.

(** ** The theorem *)

Theorem worst_case n L m p K v eta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> (2 <= p)%nat -> (p + 2 <= L)%nat -> positive_kernel K ->
  let C := 4 / (INR m - 1) + (INR p + 1) * (INR p + 3) / ((INR p - 1) * (INR m + 1)) in
  eta <= (INR m - 1) / (4 * (INR m + 1)) -> C * eta < 1 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * eta / (1 - C * eta).
Proof.
  intros Hn Hm HmL Hp HpL HK C Heta HC Hloss x j i Hx Hi Hij.
  assert (HM : 2 <= INR m) by (now apply (le_INR 2)). assert (HP : 2 <= INR p) by (now apply (le_INR 2)).
  pose proof (mass_bound n L K v eta Hn ltac:(lia) HK Hloss m p Hm HmL Hp HpL Heta x j i Hx Hi Hij) as H.
  replace (floor_loss (INR m) (INR p) - 1) with C in H.
  2:{ unfold floor_loss, C. field. lra. }
  apply Rle_ge, (Rmult_le_reg_r (1 - C * eta)); [lra|].
  replace ((1 - 2 * eta / (1 - C * eta)) * (1 - C * eta)) with (1 - C * eta - 2 * eta) by (field; lra). lra.
Qed.

(** m = p = 2. *)
Corollary worst_case_two n L K v eta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * eta / (1 - 9 * eta).
Proof.
  intros Hn HL HK Heta Hloss x j i Hx Hi Hij.
  replace 9 with (4 / (INR 2 - 1) + (INR 2 + 1) * (INR 2 + 3) / ((INR 2 - 1) * (INR 2 + 1))) by (simpl; field; lra).
  apply (worst_case n L 2 2 K v eta) with (j := j); auto; simpl; try lra.
Qed.

(** ** 2 eta is first-order sharp: a head of the class with mass 2 eta/(1 + eta) off BOS *)

(** V = P, but V BOS = -eta in the content flag. *)
Definition sharp_value (n : nat) (eta : R) : matrix :=
  fun r c => if (c =? 0)%nat then (if (r =? n - 1)%nat then - eta else 0) else if (r =? c)%nat then 1 else 0.

Lemma sharp_value_apply n eta y r :
  (4 <= n)%nat -> (r < n)%nat ->
  linear_value n (sharp_value n eta) y r
  = (if (r =? n - 1)%nat then - eta else 0) * y 0%nat + (if (r =? 0)%nat then 0 else y r).
Proof.
  intros Hn Hr. unfold linear_value, sharp_value.
  destruct (Nat.eqb_spec r 0) as [->|E].
  - rewrite (sum_single n _ 0%nat); [|lia|].
    + change (0 =? 0)%nat with true. cbv iota. ring.
    + intros k _ Hk. destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec 0 k); [lia|ring].
  - rewrite (sum_two n _ 0%nat r); try lia.
    + change (0 =? 0)%nat with true. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r 0); [lia|]. cbv iota. ring.
    + intros k _ K0 Kr. destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec r k); [lia|ring].
Qed.

Definition noise_size (n : nat) (y : token) : R :=
  sum n (fun r => if (2 <=? r)%nat then if (r <=? n - 2)%nat then Rabs (y r) else 0 else 0).

Lemma noise_size_zero n y r : noise_size n y = 0 -> (2 <= r)%nat -> (r <= n - 2)%nat -> y r = 0.
Proof.
  intros H H2 Hr.
  pose proof (sum_term_le n (fun r => if (2 <=? r)%nat then if (r <=? n - 2)%nat then Rabs (y r) else 0 else 0) r) as T.
  cbv beta in T. destruct (Nat.leb_spec 2 r); [|lia]. destruct (Nat.leb_spec r (n - 2)); [|lia].
  assert (T' : Rabs (y r) <= 0).
  { rewrite <- H. apply T; [|lia]. intros k _. destruct (2 <=? k)%nat, (k <=? n - 2)%nat; try lra. apply Rabs_pos. }
  pose proof (abs_bounds _ _ T'). lra.
Qed.

(** Queries: the trigger weighs BOS eta, the rest 1.  A token without noise weighs BOS E = (L-2)(1-eta)/(2 eta), content
    without noise 1, the rest (1-eta)/4.  Other tokens weigh BOS (L-1)/eta, the rest 1. *)
Definition sharp_kernel (n L : nat) (eta : R) : kernel :=
  fun q k =>
    if Req_EM_T (q 1%nat) 1 then (if Req_EM_T (k 0%nat) 1 then eta else 1)
    else if Req_EM_T (noise_size n q) 0 then
      if Req_EM_T (k 0%nat) 1 then (INR L - 2) * (1 - eta) / (2 * eta)
      else if Req_EM_T (noise_size n k) 0 then (if Req_EM_T (k 1%nat) 1 then (1 - eta) / 4 else 1)
      else (1 - eta) / 4
    else if Req_EM_T (k 0%nat) 1 then (INR L - 1) / eta else 1.

Section Sharp.
  Context (n L : nat) (eta : R) (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (He : 0 < eta) (He1 : eta < 1).
  Let K := sharp_kernel n L eta.
  Let v := linear_value n (sharp_value n eta).

  Lemma INR_L_ge_4 : 4 <= INR L.
  Proof using HL. replace 4 with (INR 4) by (simpl; ring). now apply le_INR. Qed.

  Lemma sharp_positive : positive_kernel K.
  Proof using Hn HL He He1.
    intros q k. pose proof INR_L_ge_4. unfold K, sharp_kernel.
    assert (0 < (INR L - 2) * (1 - eta) / (2 * eta)).
    { apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
    assert (0 < (INR L - 1) / eta) by (apply Rdiv_lt_0_compat; lra).
    repeat destruct Req_EM_T; lra.
  Qed.

  (** A row off the trigger, BOS weight E, weights w on the rest. *)
  Lemma quiet_quotient (E : R) (m : nat) (w c : nat -> R) (content : bool) :
    0 < E -> (forall k, (k < m)%nat -> 0 <= w k) ->
    (content = false -> Rabs (sum m (fun k => w k * c k)) <= eta * E) ->
    (content = true -> 0 <= sum m (fun k => w k * c k) /\ sum m (fun k => w k * (c k - eta)) <= 2 * eta * E) ->
    Rabs ((E * (if content then - eta else 0) + sum m (fun k => w k * c k)) / (E + sum m w)) <= eta.
  Proof using He.
    intros HE Hw Hf Ht. pose proof (sum_nonneg m w Hw) as Hs.
    set (S := sum m w) in *. set (X := sum m (fun k => w k * c k)) in *.
    assert (HES : 0 < E + S) by lra.
    assert (HeS : 0 <= eta * S) by (apply Rmult_le_pos; lra).
    assert (HeE : 0 < eta * E) by (apply Rmult_lt_0_compat; lra).
    assert (B : Rabs (E * (if content then - eta else 0) + X) <= eta * (E + S)).
    { apply Rabs_le. destruct content.
      - destruct (Ht eq_refl) as [T1 T2].
        assert (ET : sum m (fun k => w k * (c k - eta)) = X - eta * S).
        { unfold X, S. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros. ring. }
        rewrite ET in T2. lra.
      - specialize (Hf eq_refl). apply abs_bounds in Hf. lra. }
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ (E + S))) by (left; now apply Rinv_0_lt_compat).
    apply (Rmult_le_reg_r (E + S)); [assumption|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact B.
  Qed.

  Lemma sharp_sup_loss_le : sup_loss_le n L (head (kernel_attention K) v) eta.
  Proof using Hn HL He He1.
    intros x j Hx i r Hi HiL Hr. pose proof INR_L_ge_4 as HLR.
    pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    rewrite kernel_head_quotient. rewrite !possum_first by assumption. rewrite (first_is_bos _ _ _ _ Hx).
    assert (Hvb : v bos r = if (r =? n - 1)%nat then - eta else 0).
    { unfold v. rewrite sharp_value_apply by assumption. rewrite bos_0.
      destruct (Nat.eqb_spec r 0) as [->|E]; [ring|]. rewrite bos_pos by lia. ring. }
    assert (Hvx : forall k, (k < i - 1)%nat -> v (x (k + 2)%nat) r = x (k + 2)%nat r).
    { intros k Hk. unfold v. rewrite sharp_value_apply by assumption.
      rewrite (valid_bos_flag n L j x Hx Hn (k + 2)) by lia.
      destruct (Nat.eqb_spec r 0) as [->|E]; [|ring]. rewrite (valid_bos_flag n L j x Hx Hn) by lia. ring. }
    rewrite (sum_ext _ _ (fun k => K (x i) (x (k + 2)%nat) * x (k + 2)%nat r)).
    2:{ intros k Hk. now rewrite Hvx. }
    assert (Hk0 : forall k, (k < i - 1)%nat -> x (k + 2)%nat 0%nat <> 1).
    { intros k Hk. rewrite (valid_bos_flag n L j x Hx Hn) by lia. lra. }
    rewrite Hvb. destruct (Nat.eq_dec i j) as [Eij|Eij].
    - (* the trigger row *)
      subst i. assert (Hq : x j 1%nat = 1) by exact (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx)).
      assert (HKb : K (x j) bos = eta).
      { unfold K, sharp_kernel. destruct (Req_EM_T (x j 1%nat) 1); [|lra].
        destruct (Req_EM_T (bos 0%nat) 1) as [_|E]; [reflexivity|]. rewrite bos_0 in E. lra. }
      assert (HKx : forall k, (k < j - 1)%nat -> K (x j) (x (k + 2)%nat) = 1).
      { intros k Hk. unfold K, sharp_kernel. destruct (Req_EM_T (x j 1%nat) 1); [|lra].
        destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1) as [E|_]; [|reflexivity]. now destruct (Hk0 k Hk). }
      rewrite HKb. rewrite (sum_ext _ (fun k => K (x j) (x (k + 2)%nat)) (fun _ => 1)) by exact HKx.
      rewrite (sum_ext _ _ (fun k => x (k + 2)%nat r)) by (intros k Hk; rewrite HKx by assumption; ring).
      rewrite sum_const. unfold target, mean_from_2. rewrite Nat.eqb_refl.
      assert (HJ : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      pose proof (valid_sum_abs_le n L j x Hx Hn j r HjL Hr) as HS.
      set (S := sum (j - 1) (fun k => x (k + 2)%nat r)) in *. set (M := INR (j - 1)) in *.
      set (b := if (r =? n - 1)%nat then - eta else 0).
      assert (Hb : Rabs b <= eta) by (unfold b; destruct (r =? n - 1)%nat; apply Rabs_le; lra).
      replace ((eta * b + S) / (eta + M * 1) - S / M) with (eta * (b - S / M) * / (eta + M)) by (field; lra).
      assert (HSM : Rabs (S / M) <= 1).
      { unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ M)) by (left; apply Rinv_0_lt_compat; lra).
        apply (Rmult_le_reg_r M); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      rewrite !Rabs_mult, (Rabs_pos_eq eta) by lra.
      rewrite (Rabs_pos_eq (/ (eta + M))) by (left; apply Rinv_0_lt_compat; lra).
      assert (Hd : Rabs (b - S / M) <= 2).
      { apply abs_bounds in Hb, HSM. apply Rabs_le. lra. }
      apply (Rmult_le_reg_r (eta + M)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rmult_le_compat_l; lra.
    - rewrite target_off_trigger, Rminus_0_r by assumption.
      assert (Hq : x i 1%nat <> 1).
      { rewrite (valid_trigger_flag n L j x Hx Hn) by assumption. destruct (Nat.eqb_spec i j); [lia|lra]. }
      (* content flags of the keys *)
      assert (Hc0 : forall k, (k < i - 1)%nat -> 0 <= x (k + 2)%nat (n - 1)%nat <= 1).
      { intros k Hk. rewrite (valid_content_flag n L j x Hx Hn) by lia. destruct (k + 2 =? j)%nat; lra. }
      assert (HiLR : INR (i - 1) <= INR L - 1).
      { replace (INR L - 1) with (INR (L - 1)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
      apply quiet_quotient; try (intros; left; apply sharp_positive).
      + apply sharp_positive.
      + (* trigger flag and noise *)
        intros Ef. apply Nat.eqb_neq in Ef. unfold K, sharp_kernel.
        destruct (Req_EM_T (x i 1%nat) 1) as [|_]; [lra|].
        destruct (Req_EM_T (bos 0%nat) 1) as [_|E]; [|rewrite bos_0 in E; lra].
        destruct (Req_EM_T (noise_size n (x i)) 0) as [_|_].
        * replace (eta * ((INR L - 2) * (1 - eta) / (2 * eta))) with ((INR L - 2) * (1 - eta) / 2) by (field; lra).
          apply Rle_trans with (INR (i - 1) * ((1 - eta) / 4)).
          -- apply sum_abs_le. intros k Hk. specialize (Hk0 k Hk).
             pose proof (valid_abs_le_1 n L j x Hx Hn (k + 2)%nat r ltac:(lia) ltac:(lia) Hr) as Habs.
             destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1); [lra|].
             assert (Hsmall : Rabs ((1 - eta) / 4 * x (k + 2)%nat r) <= (1 - eta) / 4).
             { rewrite Rabs_mult, Rabs_pos_eq by lra. rewrite <- (Rmult_1_r ((1 - eta) / 4)) at 2.
               apply Rmult_le_compat_l; lra. }
             destruct (Req_EM_T (noise_size n (x (k + 2)%nat)) 0) as [E0|_]; [|exact Hsmall].
             destruct (Req_EM_T (x (k + 2)%nat 1%nat) 1) as [_|E1]; [exact Hsmall|].
             assert (Hz : x (k + 2)%nat r = 0).
             { destruct (Nat.eq_dec r 0) as [->|R0]; [apply (valid_bos_flag n L j x Hx Hn); lia|].
               destruct (Nat.eq_dec r 1) as [->|R1].
               - rewrite (valid_trigger_flag n L j x Hx Hn) in E1 |- * by lia.
                 destruct (k + 2 =? j)%nat; [lra|reflexivity].
               - apply (noise_size_zero n); [assumption| |]; lia. }
             rewrite Hz, Rmult_0_r, Rabs_R0. lra.
          -- assert (0 <= (1 - eta) * (INR L - 1 - INR (i - 1))) by (apply Rmult_le_pos; lra).
             assert (0 <= (1 - eta) * (INR L - 3)) by (apply Rmult_le_pos; lra). lra.
        * replace (eta * ((INR L - 1) / eta)) with (INR L - 1) by (field; lra).
          apply Rle_trans with (INR (i - 1) * 1); [|lra].
          apply sum_abs_le. intros k Hk. specialize (Hk0 k Hk).
          destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1); [lra|]. rewrite Rmult_1_l.
          apply (valid_abs_le_1 n L j x Hx Hn); lia.
      + (* content flag *)
        intros Et. apply Nat.eqb_eq in Et. rewrite Et. split.
        * apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [left; apply sharp_positive|]. now apply Hc0.
        * assert (Hw1 : forall k, (k < i - 1)%nat -> K (x i) (x (k + 2)%nat) <= 1).
          { intros k Hk. specialize (Hk0 k Hk). unfold K, sharp_kernel.
            destruct (Req_EM_T (x i 1%nat) 1) as [|_]; [lra|]. repeat destruct Req_EM_T; lra. }
          assert (Hterm : forall k, (k < i - 1)%nat ->
                    K (x i) (x (k + 2)%nat) * (x (k + 2)%nat (n - 1)%nat - eta)
                    <= (1 - eta) - (if (k =? j - 2)%nat then 1 - eta else 0)).
          { intros k Hk. specialize (Hw1 k Hk). pose proof (sharp_positive (x i) (x (k + 2)%nat)) as Hw0. fold K in Hw0.
            rewrite (valid_content_flag n L j x Hx Hn) by lia.
            destruct (Nat.eqb_spec (k + 2) j), (Nat.eqb_spec k (j - 2)); try lia.
            - assert (0 <= K (x i) (x (k + 2)%nat) * eta) by (apply Rmult_le_pos; lra). lra.
            - assert (0 <= (1 - K (x i) (x (k + 2)%nat)) * (1 - eta)) by (apply Rmult_le_pos; lra). lra. }
          apply Rle_trans with ((INR L - 2) * (1 - eta)).
          -- eapply Rle_trans; [apply sum_le; exact Hterm|]. rewrite sum_minus, sum_const.
             destruct (Nat.lt_ge_cases i j) as [Hij|Hij].
             ++ assert (Hi2 : INR (i - 1) <= INR L - 2).
                { replace (INR L - 2) with (INR (L - 2)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
                assert (0 <= (1 - eta) * (INR L - 2 - INR (i - 1))) by (apply Rmult_le_pos; lra).
                assert (0 <= sum (i - 1) (fun k => if (k =? j - 2)%nat then 1 - eta else 0)).
                { apply sum_nonneg. intros k _. destruct (k =? j - 2)%nat; lra. } lra.
             ++ rewrite (sum_single (i - 1) _ (j - 2)%nat); [|lia|].
                ** rewrite Nat.eqb_refl.
                   assert (0 <= (1 - eta) * (INR L - 1 - INR (i - 1))) by (apply Rmult_le_pos; lra). lra.
                ** intros k _ E. apply Nat.eqb_neq in E. now rewrite E.
          -- unfold K, sharp_kernel. destruct (Req_EM_T (x i 1%nat) 1) as [|_]; [lra|].
             destruct (Req_EM_T (bos 0%nat) 1) as [_|E]; [|rewrite bos_0 in E; lra].
             destruct (Req_EM_T (noise_size n (x i)) 0) as [_|_].
             ++ apply Req_le. field. lra.
             ++ replace (2 * eta * ((INR L - 1) / eta)) with (2 * (INR L - 1)) by (field; lra).
                assert (0 <= eta * (INR L - 2)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Sharp.

Theorem first_order_sharp n L eta :
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta < 1 ->
  exists K V x j i, positive_kernel K /\ sup_loss_le n L (head (kernel_attention K) (linear_value n V)) eta /\
    valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat /\
    1 - bos_attention (kernel_attention K) x i = 2 * eta / (1 + eta).
Proof.
  intros Hn HL [He He1].
  set (x := probe (constant_content n 0) (constant_trigger n 0) L).
  assert (Hc : is_content n (constant_content n 0)) by (apply constant_content_is_content; [assumption|lra]).
  assert (Hx : valid n L L x).
  { apply probe_valid; try lia; [assumption|apply constant_trigger_is_trigger; [assumption|lra]]. }
  exists (sharp_kernel n L eta), (sharp_value n eta), x, L, (L - 1)%nat.
  split; [now apply sharp_positive|]. split; [now apply sharp_sup_loss_le|].
  split; [exact Hx|]. do 2 (split; [lia|]).
  assert (HLR : 4 <= INR L) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  assert (Hz : noise_size n (constant_content n 0) = 0).
  { unfold noise_size. apply sum_zero. intros r Hr.
    destruct (Nat.leb_spec 2 r); [|reflexivity]. destruct (Nat.leb_spec r (n - 2)); [|reflexivity].
    rewrite constant_content_noise by assumption. apply Rabs_R0. }
  assert (Hxk : forall k, (2 <= k)%nat -> (k < L)%nat -> x k = constant_content n 0).
  { intros k H2 Hk. unfold x, probe. destruct (Nat.eqb_spec k 1); [lia|]. destruct (Nat.eqb_spec k L); [lia|reflexivity]. }
  unfold bos_attention, kernel_attention. rewrite possum_first by lia.
  rewrite (first_is_bos _ _ _ _ Hx). rewrite (Hxk (L - 1)%nat) by lia.
  set (q := constant_content n 0) in *.
  assert (Hq1 : q 1%nat = 0) by reflexivity. assert (Hq0 : q 0%nat = 0) by reflexivity.
  assert (HB : sharp_kernel n L eta q bos = (INR L - 2) * (1 - eta) / (2 * eta)).
  { unfold sharp_kernel. rewrite Hq1, Hz. destruct (Req_EM_T 0 1); [lra|]. destruct (Req_EM_T 0 0); [|lra].
    rewrite bos_0. destruct (Req_EM_T 1 1); [reflexivity|lra]. }
  assert (HQ : sharp_kernel n L eta q q = 1).
  { unfold sharp_kernel. rewrite Hq1, Hq0, Hz. destruct (Req_EM_T 0 1); [lra|]. destruct (Req_EM_T 0 0); [|lra]. reflexivity. }
  rewrite (sum_ext _ _ (fun _ => 1)).
  2:{ intros k Hk. rewrite Hxk by lia. exact HQ. }
  rewrite sum_const, HB. replace (INR (L - 1 - 1)) with (INR L - 2).
  2:{ replace (L - 1 - 1)%nat with (L - 2)%nat by lia. rewrite minus_INR by lia. reflexivity. }
  field. assert (0 < (INR L - 2) * (1 + eta)) by (apply Rmult_lt_0_compat; lra). repeat split; lra.
Qed.

Print Assumptions worst_case.
Print Assumptions worst_case_two.
Print Assumptions first_order_sharp.
