(** * sw-1: a hard switch implies a sink

    Proves the sentences of statement.v.  Step: u.o <= ||o|| <= eta, and
    u.o = sum a_k u.v_k >= - w a_0 + g (1 - a_0).  The Euclidean and the sup norm are the cases whose dual balls
    are known (theory/hard_switch.v).  Equality: v_0 = -w, v_k = g on the line.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-1 Claim <proofs>/sw-1/switch_implies_sink.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
From Claim Require Import statement.
Open Scope R_scope.

Theorem switch_implies_sink_signed : statement.switch_implies_sink_signed.
Proof.
  intros m T N u v a g w eta HN Hu Hgw Hk H0 [Hpos Hsum] Ho.
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

Theorem switch_implies_sink : statement.switch_implies_sink.
Proof.
  intros m T N u v a g w eta HN Hu Hg Hw Hk H0 Ha Ho _.
  apply (switch_implies_sink_signed m T N u v a g w eta); try assumption. lra.
Qed.

Corollary switch_implies_sink_zero_anchor : statement.switch_implies_sink_zero_anchor.
Proof.
  intros m T N u v a g eta HN Hu Hg Hk H0 Ha Ho.
  replace (1 - eta / g) with ((g - eta) / (g + 0)) by (field; lra).
  apply (switch_implies_sink_signed m T N u v a g 0 eta); try assumption; [lra|].
  apply Req_ge. unfold dot. rewrite sum_zero; [ring|]. intros r Hr. rewrite H0 by assumption. ring.
Qed.

Corollary switch_implies_sink_euclidean : statement.switch_implies_sink_euclidean.
Proof.
  intros m T u v a g w eta Hu. apply (switch_implies_sink m T (euclidean_norm m) u v a g w eta).
  - apply euclidean_is_norm.
  - now apply dual_euclidean.
Qed.

Corollary switch_implies_sink_sup : statement.switch_implies_sink_sup.
Proof.
  intros m T u v a g w eta Hu. apply (switch_implies_sink m T (sup_norm m) u v a g w eta).
  - apply sup_norm_is_norm.
  - now apply dual_sup.
Qed.

(** Sharp: in R^1 with v_0 = -w, v_k = g and u = 1. *)
Theorem switch_bound_attained : statement.switch_bound_attained.
Proof.
  intros T g w eta HT Hgw Hwe He Heg.
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
Print Assumptions switch_implies_sink_zero_anchor.
Print Assumptions switch_implies_sink_euclidean.
Print Assumptions switch_implies_sink_sup.
Print Assumptions switch_bound_attained.
