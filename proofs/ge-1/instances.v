(** * ge-1: what it assumes can be met

    One query (1, 0) and two keys at (1, 1) and (1, -1) from the sink: the constraints A_0 = (1, 0)(1, 1)^T and
    A_1 = (1, 0)(1, -1)^T, whose hull's nearest point is O = (1, 0)(1, 0)^T, halfway; ||O||_F = 1.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ge-1 Claim <proofs>/ge-1/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch nearest_point.
From Claim Require Import statement.
Open Scope R_scope.

(** The vector (x, y). *)
Definition plane (x y : R) : token := fun a => if (a =? 0)%nat then x else y.

Definition two_constraints (k : nat) : matrix := outer (plane 1 0) (plane 1 (if (k =? 0)%nat then 1 else -1)).
Definition midpoint : matrix := outer (plane 1 0) (plane 1 0).

Lemma rational_integer z : rational (IZR z).
Proof. exists z, 1%Z. split; [lia|]. simpl. field. Qed.

Lemma two_rational k : rational_entries 2 2 (two_constraints k).
Proof.
  intros a b _ _. unfold two_constraints, outer, plane.
  destruct (a =? 0)%nat, (b =? 0)%nat, (k =? 0)%nat;
    match goal with |- rational (?x * ?y) => apply (field_mult rational rational_subfield) end;
    apply rational_integer.
Qed.

Lemma two_halves a b : (a < 2)%nat -> (b < 2)%nat -> hull_point 2 two_constraints (fun _ => / 2) a b = midpoint a b.
Proof.
  intros Ha Hb. unfold hull_point, two_constraints, midpoint, outer, plane.
  destruct a as [|[|]], b as [|[|]]; try lia; simpl; field.
Qed.

Lemma midpoint_product k : frobenius 2 2 midpoint (two_constraints k) = 1.
Proof. unfold frobenius, midpoint, two_constraints, outer, plane. simpl. ring. Qed.

Lemma midpoint_square : frobenius 2 2 midpoint midpoint = 1.
Proof. unfold frobenius, midpoint, outer, plane. simpl. ring. Qed.

Lemma midpoint_norm : frobenius_norm 2 2 midpoint = 1.
Proof. unfold frobenius_norm. rewrite midpoint_square. apply sqrt_1. Qed.

Lemma hull_midpoint W : frobenius 2 2 (hull_point 2 two_constraints (fun _ => / 2)) W = frobenius 2 2 midpoint W.
Proof. apply frobenius_ext. exact two_halves. Qed.

Lemma hull_square : frobenius 2 2 (hull_point 2 two_constraints (fun _ => / 2))
                                  (hull_point 2 two_constraints (fun _ => / 2)) = 1.
Proof. rewrite hull_midpoint, frobenius_sym, hull_midpoint. apply midpoint_square. Qed.

Lemma two_nearest : nearest_weights 2 2 2 two_constraints (fun _ => / 2).
Proof.
  constructor.
  - intros k _. lra.
  - simpl. lra.
  - intros k _. rewrite hull_square, hull_midpoint, midpoint_product. lra.
Qed.

Lemma midpoint_satisfies : satisfies 2 2 2 two_constraints (fun _ => 1) midpoint.
Proof. intros k _. rewrite frobenius_sym, midpoint_product. lra. Qed.

Theorem sink_alternative_rational_instance : exists (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token),
  forall k a, (k <= T)%nat -> (a < d)%nat -> rational (z k a).
Proof.
  exists 2%nat, 2%nat, (fun j => (j =? 1)%nat), (fun _ _ => true), (fun k => if (k =? 0)%nat then plane 1 1 else plane 1 (-1)).
  intros k a _ _. unfold plane. destruct (k =? 0)%nat, (a =? 0)%nat; apply rational_integer.
Qed.

Theorem margin_alternative_instance : exists (m d e : nat) (A : nat -> matrix) (kappa : nat -> R),
  forall k, (k < m)%nat -> 0 < kappa k.
Proof. exists 2%nat, 2%nat, 2%nat, two_constraints, (fun k => INR (S k)). intros k _. apply lt_0_INR. lia. Qed.

Theorem margin_alternative_rational_instance : exists (m d e : nat) (A : nat -> matrix) (kappa : nat -> R),
  forall k, (k < m)%nat -> rational_entries d e (A k) /\ rational (kappa k) /\ 0 < kappa k.
Proof.
  exists 2%nat, 2%nat, 2%nat, two_constraints, (fun k => INR (S k)). intros k _. split; [apply two_rational|]. split.
  - rewrite INR_IZR_INZ. apply rational_integer.
  - apply lt_0_INR. lia.
Qed.

Theorem score_alternative_instance : exists (m d : nat) (q above below : nat -> token) (kappa : nat -> R),
  forall k, (k < m)%nat -> 0 < kappa k.
Proof.
  exists 2%nat, 2%nat, (fun _ => plane 1 0), (fun _ => plane 1 1), (fun _ => plane 0 1), (fun k => INR (S k)).
  intros k _. apply lt_0_INR. lia.
Qed.

Theorem margin_per_norm_instance : exists (m d e : nat) (A : nat -> matrix) (rho : R), 0 < rho.
Proof. exists 2%nat, 2%nat, 2%nat, two_constraints, (1 / 2). lra. Qed.

Theorem frobenius_margin_instance : exists (m d e : nat) (A : nat -> matrix) (l : nat -> R),
  nearest_weights m d e A l /\ 0 < frobenius d e (hull_point m A l) (hull_point m A l) /\
  (exists k, (k < m)%nat) /\
  (exists W rho, frobenius_norm d e W <= 1 /\ satisfies m d e A (fun _ => rho) W) /\
  (exists W, frobenius_norm d e W <= 1 /\
   satisfies m d e A (fun _ => frobenius_norm d e (hull_point m A l)) W /\
   exists a b, (a < d)%nat /\ (b < e)%nat).
Proof.
  exists 2%nat, 2%nat, 2%nat, two_constraints, (fun _ => / 2).
  split; [exact two_nearest|]. split; [rewrite hull_square; lra|]. split; [exists 0%nat; lia|]. split.
  - exists midpoint, 1. split; [rewrite midpoint_norm; lra|exact midpoint_satisfies].
  - exists midpoint. split; [rewrite midpoint_norm; lra|]. split; [|exists 0%nat, 1%nat; split; lia].
    unfold frobenius_norm. rewrite hull_square, sqrt_1. exact midpoint_satisfies.
Qed.

Theorem frobenius_margin_exists_instance : exists (m d e : nat) (A : nat -> matrix),
  (0 < m)%nat /\ exists W, satisfies m d e A (fun _ => 1) W.
Proof. exists 2%nat, 2%nat, 2%nat, two_constraints. split; [lia|]. exists midpoint. exact midpoint_satisfies. Qed.

Theorem frobenius_margin_rational_instance : exists (m d e : nat) (A : nat -> matrix),
  (0 < m)%nat /\ (forall k, (k < m)%nat -> rational_entries d e (A k)) /\
  exists W, satisfies m d e A (fun _ => 1) W.
Proof.
  exists 2%nat, 2%nat, 2%nat, two_constraints. split; [lia|]. split; [intros; apply two_rational|].
  exists midpoint. exact midpoint_satisfies.
Qed.

Print Assumptions sink_alternative_rational_instance.
Print Assumptions margin_alternative_instance.
Print Assumptions margin_alternative_rational_instance.
Print Assumptions score_alternative_instance.
Print Assumptions margin_per_norm_instance.
Print Assumptions frobenius_margin_instance.
Print Assumptions frobenius_margin_exists_instance.
Print Assumptions frobenius_margin_rational_instance.
