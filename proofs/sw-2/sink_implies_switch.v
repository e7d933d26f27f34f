(** * sw-2: a sink implies a hard switch

    Proves the sentences of statement.v.  Step: o = v_0 + sum_{k>=1} a_k (v_k - v_0), and the weights a_k, k >= 1, sum
    to 1 - a_0 <= eps.  Equality: v_0 = z, v_k = z + d on the line.  Zero anchor: the lower bound is u.o <= ||o||.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-2 Claim <proofs>/sw-2/sink_implies_switch.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
From Claim Require Import statement.
Open Scope R_scope.

Theorem sink_implies_switch : statement.sink_implies_switch.
Proof.
  intros m T N v a eps HN [Hpos Hsum] Ha.
  rewrite (norm_reads_m m N HN _
    (fun r => v 0%nat r + sum T (fun k => a (S k) * (v (S k) r - v 0%nat r)))).
  - eapply Rle_trans; [apply (norm_triangle m N HN)|]. apply Rplus_le_compat_l.
    eapply Rle_trans.
    { apply (norm_sum m N (fun k => a (S k)) (fun k r => v (S k) r - v 0%nat r) T HN).
      intros. apply Hpos. lia. }
    apply Rle_trans with (sum T (fun k => a (S k)) * spread N T v).
    + rewrite <- sum_scal_r. apply sum_le. intros k Hk.
      apply Rmult_le_compat_l; [apply Hpos; lia|].
      apply (maximum_ge T (fun k => N (fun r => v (S k) r - v 0%nat r))). assumption.
    + rewrite sum_first in Hsum. apply Rmult_le_compat_r; [apply maximum_nonneg|]. lra.
  - intros r _. unfold output. rewrite sum_first. rewrite sum_first in Hsum.
    rewrite (sum_ext T (fun k => a (S k) * (v (S k) r - v 0%nat r))
                       (fun k => a (S k) * v (S k) r - a (S k) * v 0%nat r)) by (intros; ring).
    rewrite sum_minus, (sum_scal_r T (v 0%nat r) (fun k => a (S k))).
    replace (sum T (fun k => a (S k))) with (1 - a 0%nat) by lra. ring.
Qed.

Corollary sink_implies_switch_euclidean : statement.sink_implies_switch_euclidean.
Proof. intros m T v a eps. apply (sink_implies_switch m), euclidean_is_norm. Qed.

Corollary sink_implies_switch_sup : statement.sink_implies_switch_sup.
Proof. intros m T v a eps. apply (sink_implies_switch m), sup_norm_is_norm. Qed.

(** Sharp: in R^1 with v_0 = z, v_k = z + d, a = (1-eps, eps, 0, ..). *)
Theorem sink_bound_attained : statement.sink_bound_attained.
Proof.
  intros T z d eps HT Hz Hd He.
  set (a := fun k => if (k =? 0)%nat then 1 - eps else if (k =? 1)%nat then eps else 0).
  set (v := fun (k _ : nat) => if (k =? 0)%nat then z else z + d).
  assert (Hsel : forall f, sum (S T) (fun k => a k * f k) = (1 - eps) * f 0%nat + eps * f 1%nat).
  { intros f. rewrite (sum_two _ _ 0%nat 1%nat); try lia.
    - unfold a. cbn [Nat.eqb]. ring.
    - intros k _ K0 K1. unfold a. apply Nat.eqb_neq in K0, K1. rewrite K0, K1. ring. }
  assert (Hone : forall y : vector, 0 <= y 0%nat -> sup_norm 1 y = y 0%nat).
  { intros y Hy. unfold sup_norm. cbn [maximum]. rewrite Rabs_pos_eq by assumption.
    now apply Rmax_right. }
  exists v, a. split; [|split; [|split; [|split]]].
  - split.
    + intros k _. unfold a. destruct (k =? 0)%nat; [lra|]. destruct (k =? 1)%nat; lra.
    + rewrite (sum_ext _ _ (fun k => a k * 1)) by (intros; ring). rewrite (Hsel (fun _ => 1)). ring.
  - unfold a. cbn [Nat.eqb]. lra.
  - rewrite Hone; unfold v; cbn [Nat.eqb]; lra.
  - unfold spread. assert (Hd' : forall k, sup_norm 1 (fun r => v (S k) r - v 0%nat r) = d).
    { intros k. rewrite Hone; unfold v; cbn [Nat.eqb]; lra. }
    apply Rle_antisym.
    + apply maximum_le; [assumption|]. intros k _. rewrite Hd'. lra.
    + rewrite <- (Hd' 0%nat) at 1.
      apply (maximum_ge T (fun k => sup_norm 1 (fun r => v (S k) r - v 0%nat r))). lia.
  - assert (Ho : output T a v 0%nat = z + eps * d).
    { unfold output. rewrite (Hsel (fun k => v k 0%nat)). unfold v. cbn [Nat.eqb]. ring. }
    rewrite Hone; [exact Ho|]. rewrite Ho. assert (0 <= eps * d) by (apply Rmult_le_pos; lra). lra.
Qed.

(** "Equivalent": with an anchor of value 0 the mass off the anchor and the output bound each other. *)
Theorem zero_anchor_equivalence : statement.zero_anchor_equivalence.
Proof.
  intros m T N u v a g HN Hu Ha Hk H0. pose proof (norm_definite m N HN (v 0%nat) H0) as Hz. split.
  - eapply Rle_trans; [|apply (dual_pairing m N u HN Hu)]. destruct Ha as [Hpos Hsum].
    rewrite dot_output. rewrite sum_first in *. replace (dot m u (v 0%nat)) with 0.
    2:{ symmetry. apply sum_zero. intros r Hr. rewrite Hz by assumption. ring. }
    replace (1 - a 0%nat) with (sum T (fun k => a (S k))) by lra.
    rewrite Rmult_0_r, Rplus_0_l, <- sum_scal_r. apply sum_le. intros k HkT.
    apply Rmult_le_compat_l; [apply Hpos; lia|]. apply Rge_le, Hk; lia.
  - pose proof (sink_implies_switch m T N v a (1 - a 0%nat) HN Ha ltac:(lra)) as G.
    rewrite H0, Rplus_0_l in G. unfold spread in G.
    rewrite (maximum_ext T _ (fun k => N (v (S k)))) in G; [exact G|].
    intros k _. apply (norm_reads_m m N HN). intros r Hr. rewrite Hz by assumption. ring.
Qed.

Print Assumptions sink_implies_switch.
Print Assumptions sink_implies_switch_euclidean.
Print Assumptions sink_implies_switch_sup.
Print Assumptions sink_bound_attained.
Print Assumptions zero_anchor_equivalence.
