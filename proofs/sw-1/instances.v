(** * sw-1: what it assumes can be met

    The head in the plane of theory/anchored_example.v: v_0 = (-w, 0), v_1 = (1, 1), v_2 = (1, -1), u = (1, 0), g = 1,
    eta = 1/4, with the weight a_0 = (g - eta)/(g + w) that the bound asks for; w = 1/2, 0 and -1/8.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-1 Claim <proofs>/sw-1/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch anchored_example.
Open Scope R_scope.

Ltac conjuncts := repeat match goal with |- _ /\ _ => split end.

(** What the instances have in common. *)
Lemma plane_head p w :
  0 <= p <= 1 -> p * (1 + w) = 3 / 4 ->
  (forall k, (1 <= k)%nat -> (k <= 2)%nat -> dot 2 (in_plane 1 0) (plane_values w k) >= 1) /\
  dot 2 (in_plane 1 0) (plane_values w 0%nat) >= - w /\ simplex 2 (plane_weights p) /\
  euclidean_norm 2 (output 2 (plane_weights p) (plane_values w)) <= 1 / 4 /\
  sup_norm 2 (output 2 (plane_weights p) (plane_values w)) <= 1 / 4.
Proof.
  intros Hp Hw. split; [intros k H1 _; rewrite plane_margin by assumption; lra|].
  split; [rewrite plane_anchor; lra|]. split; [now apply plane_simplex|].
  rewrite plane_output_euclidean, plane_output_sup, Hw, Rabs_pos_eq; lra.
Qed.

Theorem switch_implies_sink_instance : exists (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (a : nat -> R) (g w eta : R),
  is_norm m N /\ dual_norm_le_1 m N u /\ 0 < g /\ 0 <= w /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\ dot m u (v 0%nat) >= - w /\
  simplex T a /\ N (output T a v) <= eta /\ eta < g.
Proof.
  destruct (plane_head (1 / 2) (1 / 2)) as (Hk & H0 & Ha & Ho & _); [lra|lra|].
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values (1 / 2)), (plane_weights (1 / 2)),
    1, (1 / 2), (1 / 4).
  conjuncts; try lra; try assumption; [apply euclidean_is_norm|apply plane_dual].
Qed.

Theorem switch_implies_sink_signed_instance : exists (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (a : nat -> R) (g w eta : R),
  is_norm m N /\ dual_norm_le_1 m N u /\ 0 < g + w /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\ dot m u (v 0%nat) >= - w /\
  simplex T a /\ N (output T a v) <= eta.
Proof.
  destruct (plane_head (6 / 7) (- (1 / 8))) as (Hk & H0 & Ha & Ho & _); [lra|lra|].
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values (- (1 / 8))), (plane_weights (6 / 7)),
    1, (- (1 / 8)), (1 / 4).
  conjuncts; try lra; try assumption; [apply euclidean_is_norm|apply plane_dual].
Qed.

Theorem switch_implies_sink_zero_anchor_instance : exists (m T : nat) (N : vector -> R) (u : vector)
    (v : nat -> vector) (a : nat -> R) (g eta : R),
  is_norm m N /\ dual_norm_le_1 m N u /\ 0 < g /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\ (forall r, (r < m)%nat -> v 0%nat r = 0) /\
  simplex T a /\ N (output T a v) <= eta.
Proof.
  destruct (plane_head (3 / 4) 0) as (Hk & _ & Ha & Ho & _); [lra|lra|].
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values 0), (plane_weights (3 / 4)), 1, (1 / 4).
  conjuncts; try lra; try assumption; [apply euclidean_is_norm|apply plane_dual|].
  intros [|r] _; unfold plane_values, in_plane; simpl; lra.
Qed.

Theorem switch_implies_sink_euclidean_instance : exists (m T : nat) (u : vector) (v : nat -> vector) (a : nat -> R)
    (g w eta : R),
  euclidean_norm m u <= 1 /\ 0 < g /\ 0 <= w /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\ dot m u (v 0%nat) >= - w /\
  simplex T a /\ euclidean_norm m (output T a v) <= eta /\ eta < g.
Proof.
  destruct (plane_head (1 / 2) (1 / 2)) as (Hk & H0 & Ha & Ho & _); [lra|lra|].
  exists 2%nat, 2%nat, (in_plane 1 0), (plane_values (1 / 2)), (plane_weights (1 / 2)), 1, (1 / 2), (1 / 4).
  conjuncts; try lra; try assumption. apply plane_unit.
Qed.

Theorem switch_implies_sink_sup_instance : exists (m T : nat) (u : vector) (v : nat -> vector) (a : nat -> R)
    (g w eta : R),
  one_norm m u <= 1 /\ 0 < g /\ 0 <= w /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\ dot m u (v 0%nat) >= - w /\
  simplex T a /\ sup_norm m (output T a v) <= eta /\ eta < g.
Proof.
  destruct (plane_head (1 / 2) (1 / 2)) as (Hk & H0 & Ha & _ & Ho); [lra|lra|].
  exists 2%nat, 2%nat, (in_plane 1 0), (plane_values (1 / 2)), (plane_weights (1 / 2)), 1, (1 / 2), (1 / 4).
  conjuncts; try lra; try assumption.
  unfold one_norm, in_plane. simpl. rewrite Rabs_R0, Rabs_R1. lra.
Qed.

Theorem switch_bound_attained_instance : exists (T : nat) (g w eta : R),
  (1 <= T)%nat /\ 0 < g + w /\ - w <= eta /\ 0 <= eta /\ eta < g.
Proof. exists 2%nat, 1, (1 / 2), (1 / 4). conjuncts; lia || lra. Qed.

Print Assumptions switch_implies_sink_instance.
Print Assumptions switch_implies_sink_signed_instance.
Print Assumptions switch_implies_sink_zero_anchor_instance.
Print Assumptions switch_implies_sink_euclidean_instance.
Print Assumptions switch_implies_sink_sup_instance.
Print Assumptions switch_bound_attained_instance.
