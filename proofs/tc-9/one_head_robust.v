(** * tc-9 (a): the exact stack is not a knife's edge

    Weights moved by at most e times themselves move attention weights by at most 4e times themselves
    ([attention_moved]), hence a head's output by little ([head_moved]).  Layer 1 reads the sequence itself;
    layer 2 reads moved rows, but their flags take finitely many values before they are moved, so its
    kernel is uniformly continuous there ([uniformly_continuous]). *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack switch_family.
From Claim Require Import one_head_statement one_head one_head_kernels.
Open Scope R_scope.

(** ** Heads *)

Lemma abs_mult_le a b x y : Rabs a <= x -> Rabs b <= y -> Rabs (a * b) <= x * y.
Proof. intros Ha Hb. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

Lemma abs_moved a b e y : Rabs (a - b) <= e -> Rabs b <= y -> Rabs a <= y + e.
Proof. intros Ha Hb. replace a with (b + (a - b)) by ring. eapply Rle_trans; [apply Rabs_triang|lra]. Qed.

Lemma possum_abs_le i f g :
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (f k) <= g k) -> Rabs (possum i f) <= possum i g.
Proof. intros H. eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros. apply H; lia. Qed.

Section Weights.
  Context (i : nat) (w w' : nat -> R) (e : R) (Hi : (1 <= i)%nat) (He : 0 <= e <= / 2).
  Context (Hw : forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 < w k).
  Context (Hw' : forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (w' k - w k) <= e * w k).

  Lemma attention_moved k :
    (1 <= k)%nat -> (k <= i)%nat ->
    Rabs (w' k / possum i w' - w k / possum i w) <= 4 * e * (w k / possum i w).
  Proof using Hi He Hw Hw'.
    intros H1 H2. assert (HS : 0 < possum i w) by (apply possum_pos; assumption).
    assert (HT : Rabs (possum i w' - possum i w) <= e * possum i w).
    { unfold possum. rewrite <- sum_minus, <- sum_scal. eapply Rle_trans; [apply sum_abs|].
      apply sum_le. intros. apply Hw'; lia. }
    set (S := possum i w) in *. set (T := possum i w') in *.
    pose proof (Hw k H1 H2) as Hk. pose proof (Hw' k H1 H2) as Hk'.
    assert (HT2 : S / 2 <= T) by (apply abs_bounds in HT; nra).
    replace (w' k / T - w k / S) with (((w' k - w k) * S - w k * (T - S)) * / (T * S)) by (field; lra).
    assert (0 < T * S) by (apply Rmult_lt_0_compat; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ (T * S))) by (left; now apply Rinv_0_lt_compat).
    apply Rle_trans with (2 * e * w k * S * / (T * S)).
    - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
      pose proof (abs_mult_le _ S _ S Hk' ltac:(rewrite Rabs_pos_eq; lra)).
      pose proof (abs_mult_le (w k) _ (w k) _ ltac:(rewrite Rabs_pos_eq; lra) HT). lra.
    - replace (2 * e * w k * S * / (T * S)) with (2 * e * w k * / T) by (field; lra).
      replace (4 * e * (w k / S)) with (2 * e * w k * (/ (S / 2))) by (field; lra).
      apply Rmult_le_compat_l; [repeat apply Rmult_le_pos; lra|]. apply Rinv_le_contravar; lra.
  Qed.
End Weights.

(** A head of kernel K and values v on Y; a head of kernel K' and values v' on Y'. *)
Section Head.
  Context (K K' : kernel) (v v' : token -> token) (Y Y' : sequence) (i : nat) (e g b : R).
  Context (Hi : (1 <= i)%nat) (He : 0 <= e <= / 2) (Hg : 0 <= g) (Hb : 0 <= b).
  Context (HK : forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 < K (Y i) (Y k)).
  Context (HK' : forall k, (1 <= k)%nat -> (k <= i)%nat ->
    Rabs (K' (Y' i) (Y' k) - K (Y i) (Y k)) <= e * K (Y i) (Y k)).

  Let a (k : nat) : R := kernel_attention K Y i k.
  Let a' (k : nat) : R := kernel_attention K' Y' i k.

  Lemma weight_moved k : (1 <= k)%nat -> (k <= i)%nat -> Rabs (a' k - a k) <= 4 * e * a k.
  Proof using Hi He HK HK'.
    apply (attention_moved i (fun k => K (Y i) (Y k)) (fun k => K' (Y' i) (Y' k))); assumption.
  Qed.

  Lemma weights_sum : possum i a = 1.
  Proof using Hi HK.
    apply kernel_attention_sum. apply Rgt_not_eq, possum_pos; assumption.
  Qed.

  Lemma weight_nonneg k : (1 <= k)%nat -> (k <= i)%nat -> 0 <= a k.
  Proof using Hi HK.
    intros H1 H2. apply Rlt_le, Rdiv_lt_0_compat; [now apply HK|]. now apply possum_pos.
  Qed.

  Lemma bos_weight_moved : Rabs (a' 1%nat - a 1%nat) <= 4 * e.
  Proof using Hi He HK HK'.
    eapply Rle_trans; [apply weight_moved; lia|].
    assert (a 1%nat <= 1).
    { rewrite <- weights_sum. unfold possum. apply (sum_term_le i (fun k => a (S k)) 0%nat); [|lia].
      intros. apply weight_nonneg; lia. }
    pose proof (weight_nonneg 1 ltac:(lia) Hi). nra.
  Qed.

  Lemma head_moved r :
    (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (v (Y k) r) <= b) ->
    (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (v' (Y' k) r - v (Y k) r) <= g) ->
    Rabs (head (kernel_attention K') v' Y' i r - head (kernel_attention K) v Y i r) <= 3 * g + 4 * e * b.
  Proof using Hi He Hg Hb HK HK'.
    intros Hv Hv'. unfold head. fold a a'.
    replace (possum i _ - possum i _)
      with (possum i (fun k => a' k * (v' (Y' k) r - v (Y k) r) + (a' k - a k) * v (Y k) r)).
    2:{ unfold possum. rewrite <- sum_minus. apply sum_ext. intros. unfold a, a'. ring. }
    rewrite <- (Rmult_1_r (3 * g + 4 * e * b)), <- weights_sum, <- possum_scal.
    apply possum_abs_le. intros k H1 H2.
    pose proof (weight_nonneg k H1 H2) as Ha. pose proof (weight_moved k H1 H2) as Hm.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Ha' : Rabs (a' k) <= 3 * a k).
    { eapply Rle_trans; [apply (abs_moved _ (a k) _ (a k) Hm); rewrite Rabs_pos_eq; lra|]. nra. }
    pose proof (abs_mult_le _ _ _ _ Ha' (Hv' k H1 H2)). pose proof (abs_mult_le _ _ _ _ Hm (Hv k H1 H2)). lra.
  Qed.
End Head.

(** ** Matrices *)

Lemma linear_bound n V y r v b :
  (forall s, (s < n)%nat -> Rabs (V r s) <= v) -> (forall s, (s < n)%nat -> Rabs (y s) <= b) ->
  Rabs (linear_value n V y r) <= INR n * (v * b).
Proof. intros HV Hy. apply sum_abs_le. intros. apply abs_mult_le; auto. Qed.

Lemma linear_moved n V V' y y' r eps v b x :
  matrix_within n eps V' V -> (r < n)%nat -> 0 <= x -> (forall s, (s < n)%nat -> Rabs (V r s) <= v) ->
  (forall s, (s < n)%nat -> Rabs (y s) <= b) -> (forall s, (s < n)%nat -> Rabs (y' s - y s) <= x) ->
  Rabs (linear_value n V' y' r - linear_value n V y r) <= INR n * (eps * (b + x) + v * x).
Proof.
  intros HV' Hr Hx HV Hy Hy'. unfold linear_value. rewrite <- sum_minus. apply sum_abs_le. intros s Hs.
  replace (V' r s * y' s - V r s * y s) with ((V' r s - V r s) * y' s + V r s * (y' s - y s)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; apply abs_mult_le; auto.
  apply (abs_moved _ (y s)); auto.
Qed.

Lemma bilinear_moved n M M' q k eps :
  matrix_within n eps M' M -> (forall s, (s < n)%nat -> Rabs (q s) <= 1) -> (forall s, (s < n)%nat -> Rabs (k s) <= 1) ->
  Rabs (bilinear n M' q k - bilinear n M q k) <= INR n * (INR n * eps).
Proof.
  intros HM Hq Hk. unfold bilinear. rewrite <- sum_minus. apply sum_abs_le. intros a Ha.
  rewrite <- sum_minus. apply sum_abs_le. intros b Hb.
  replace (q a * M' a b * k b - q a * M a b * k b) with (q a * (M' a b - M a b) * k b) by ring.
  replace eps with (1 * eps * 1) by ring. repeat apply abs_mult_le; auto.
Qed.

(** |e^u - 1| <= 2|u| for |u| <= 1/2. *)
Lemma exp_near_0 u : Rabs u <= / 2 -> Rabs (exp u - 1) <= 2 * Rabs u.
Proof.
  intros Hu. pose proof (exp_pos u) as Hp.
  assert (H1 : 1 + u <= exp u) by (destruct (Req_dec u 0) as [->|H]; [rewrite exp_0; lra|left; now apply exp_ineq1]).
  assert (H2 : 1 - u <= exp (- u)).
  { destruct (Req_dec u 0) as [->|H]; [rewrite Ropp_0, exp_0; lra|]. left. apply (exp_ineq1 (- u)). lra. }
  assert (H3 : exp u * (1 - u) <= 1).
  { apply Rle_trans with (exp u * exp (- u)); [apply Rmult_le_compat_l; lra|].
    rewrite <- exp_plus, Rplus_opp_r, exp_0. lra. }
  unfold Rabs in *. destruct (Rcase_abs u), (Rcase_abs (exp u - 1)); nra.
Qed.

Lemma scaled_projector_entry a n r s : (r < n)%nat -> (s < n)%nat -> Rabs (scaled_projector a r s) <= Rabs a.
Proof.
  intros _ _. unfold scaled_projector, projector. rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs a)) at 2.
  apply Rmult_le_compat_l; [apply Rabs_pos|].
  destruct (r =? s)%nat, (r =? 0)%nat; rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.
