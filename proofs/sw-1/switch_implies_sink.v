(** * sw-1: a hard switch implies a sink

    Claim (docs/THEORY.md, sw-1; arXiv:2605.08453, constants ours).  Values v_0 (anchor), v_1..v_T in
    R^m, a in the simplex, o = sum a_k v_k.  If ||u||_* <= 1, u.v_k >= g > 0 for k >= 1, u.v_0 >= -w (w >= 0)
    and ||o|| <= eta < g then a_0 >= (g - eta)/(g + w).

    Proved here, for every m, T and every norm of R^m:
    - [switch_implies_sink]: the claim (eta < g and w >= 0 only make it say something);
    - [switch_implies_sink_signed]: stronger: g and w of either sign with g + w > 0, any eta.  A negative w, an anchor
      that points along u, raises the floor; with such w every true floor has a u that shows it (sw-3);
    - [switch_implies_sink_euclidean]: u a unit vector;  [switch_implies_sink_sup]: |u_0|+..+|u_{m-1}| <= 1;
    - [switch_bound_attained]: equality occurs for all g, w and eta with g + w > 0 and max(0, -w) <= eta < g, so the
      bound cannot be improved (and the hypotheses can be met).

    Step: u.o <= ||o|| <= eta, and u.o = sum a_k u.v_k >= - w a_0 + g (1 - a_0).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/sw-1/switch_implies_sink.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
Open Scope R_scope.

Theorem switch_implies_sink_signed m T N u v a g w eta :
  is_norm m N -> dual_norm_le_1 m N u -> 0 < g + w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> N (output T a v) <= eta ->
  a 0%nat >= (g - eta) / (g + w).
Proof.
  intros HN Hu Hgw Hk H0 [Hpos Hsum] Ho.
  pose proof (dual_pairing m N u HN Hu (output T a v)) as Hp. rewrite dot_output in Hp.
  rewrite sum_first in Hp, Hsum.
  assert (Hrest : g * sum T (fun k => a (S k)) <= sum T (fun k => a (S k) * dot m u (v (S k)))).
  { rewrite <- sum_scal. apply sum_le. intros k HkT. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [apply Hpos; lia|]. apply Rge_le, Hk; lia. }
  assert (Ha : a 0%nat * - w <= a 0%nat * dot m u (v 0%nat)).
  { apply Rmult_le_compat_l; [apply Hpos; lia|lra]. }
  replace (sum T (fun k => a (S k))) with (1 - a 0%nat) in Hrest by lra.
  apply Rle_ge, (Rmult_le_reg_r (g + w)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Theorem switch_implies_sink m T N u v a g w eta :
  is_norm m N -> dual_norm_le_1 m N u ->
  0 < g -> 0 <= w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> N (output T a v) <= eta -> eta < g ->
  a 0%nat >= (g - eta) / (g + w).
Proof.
  intros HN Hu Hg Hw Hk H0 Ha Ho _.
  apply (switch_implies_sink_signed m T N u v a g w eta); try assumption. lra.
Qed.

(** The Euclidean norm: u of length at most 1. *)
Corollary switch_implies_sink_euclidean m T u v a g w eta :
  euclidean_norm m u <= 1 -> 0 < g -> 0 <= w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> euclidean_norm m (output T a v) <= eta -> eta < g ->
  a 0%nat >= (g - eta) / (g + w).
Proof.
  intros Hu. apply (switch_implies_sink m T (euclidean_norm m) u v a g w eta).
  - apply euclidean_is_norm.
  - intros y Hy. eapply Rle_trans; [apply cauchy_schwarz|]. rewrite <- (Rmult_1_r 1).
    apply Rmult_le_compat; auto; apply sqrt_pos.
Qed.

(** The sup norm: the 1-norm of u is at most 1. *)
Corollary switch_implies_sink_sup m T u v a g w eta :
  sum m (fun r => Rabs (u r)) <= 1 -> 0 < g -> 0 <= w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> sup_norm m (output T a v) <= eta -> eta < g ->
  a 0%nat >= (g - eta) / (g + w).
Proof.
  intros Hu. apply (switch_implies_sink m T (sup_norm m) u v a g w eta).
  - apply sup_norm_is_norm.
  - intros y Hy. eapply Rle_trans; [|exact Hu]. apply sum_le. intros r Hr.
    eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs (u r))) at 2.
    apply Rmult_le_compat_l; [apply Rabs_pos|].
    eapply Rle_trans; [|exact Hy]. now apply (maximum_ge m (fun r => Rabs (y r))).
Qed.

(** Sharp: in R^1 with v_0 = -w, v_k = g and u = 1. *)
Theorem switch_bound_attained T g w eta :
  (1 <= T)%nat -> 0 < g + w -> - w <= eta -> 0 <= eta -> eta < g ->
  exists (u : vector) (v : nat -> vector) (a : nat -> R),
    dual_norm_le_1 1 (sup_norm 1) u /\
    (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot 1 u (v k) >= g) /\ dot 1 u (v 0%nat) >= - w /\
    simplex T a /\ sup_norm 1 (output T a v) <= eta /\ a 0%nat = (g - eta) / (g + w).
Proof.
  intros HT Hgw Hwe He Heg.
  set (p := (g - eta) / (g + w)).
  assert (Hp : 0 < p) by (apply Rdiv_lt_0_compat; lra).
  assert (Hpe : p * (g + w) = g - eta) by (unfold p; field; lra).
  assert (Hp1 : p <= 1).
  { apply (Rmult_le_reg_r (g + w)); [lra|]. rewrite Hpe. lra. }
  set (a := fun k => if (k =? 0)%nat then p else if (k =? 1)%nat then 1 - p else 0).
  set (v := fun (k _ : nat) => if (k =? 0)%nat then - w else g).
  assert (Hsel : forall f, sum (S T) (fun k => a k * f k) = p * f 0%nat + (1 - p) * f 1%nat).
  { intros f. rewrite (sum_two _ _ 0%nat 1%nat); try lia.
    - unfold a. cbn [Nat.eqb]. ring.
    - intros k _ K0 K1. unfold a. apply Nat.eqb_neq in K0, K1. rewrite K0, K1. ring. }
  exists (fun _ => 1), v, a. split; [|split; [|split; [|split; [|split]]]].
  - intros y Hy. unfold sup_norm, dot in *. cbn [maximum sum] in *.
    pose proof (Rmax_r 0 (Rabs (y 0%nat))). pose proof (Rle_abs (y 0%nat)). lra.
  - intros k Hk _. unfold dot, v. cbn [sum]. destruct (Nat.eqb_spec k 0); [lia|lra].
  - unfold dot, v. cbn [sum Nat.eqb]. lra.
  - split.
    + intros k _. unfold a. destruct (k =? 0)%nat; [lra|]. destruct (k =? 1)%nat; lra.
    + rewrite (sum_ext _ _ (fun k => a k * 1)) by (intros; ring). rewrite (Hsel (fun _ => 1)). ring.
  - unfold sup_norm, output. cbn [maximum]. rewrite (Hsel (fun k => v k 0%nat)).
    unfold v. cbn [Nat.eqb]. replace (p * - w + (1 - p) * g) with eta by lra.
    rewrite Rabs_pos_eq by assumption. apply Rmax_lub; lra.
  - reflexivity.
Qed.

Print Assumptions switch_implies_sink_signed.
Print Assumptions switch_implies_sink.
Print Assumptions switch_implies_sink_euclidean.
Print Assumptions switch_implies_sink_sup.
Print Assumptions switch_bound_attained.
