(** * sw-2: what it assumes can be met

    The head in the plane of theory/anchored_example.v with weight 3/4 on its anchor: v_0 = (-w, 0), v_1 = (1, 1),
    v_2 = (1, -1), u = (1, 0).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-2 Claim <proofs>/sw-2/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch anchored_example.
Open Scope R_scope.

Lemma plane_sink : simplex 2 (plane_weights (3 / 4)) /\ plane_weights (3 / 4) 0%nat >= 1 - 1 / 4.
Proof. split; [apply plane_simplex; lra|unfold plane_weights; simpl; lra]. Qed.

Theorem sink_implies_switch_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R)
    (eps : R),
  is_norm m N /\ simplex T a /\ a 0%nat >= 1 - eps.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)), (plane_weights (3 / 4)), (1 / 4).
  split; [apply euclidean_is_norm|exact plane_sink].
Qed.

Theorem sink_implies_switch_euclidean_instance : exists (m T : nat) (v : nat -> vector) (a : nat -> R) (eps : R),
  simplex T a /\ a 0%nat >= 1 - eps.
Proof. exists 2%nat, 2%nat, (plane_values (1 / 2)), (plane_weights (3 / 4)), (1 / 4). exact plane_sink. Qed.

Theorem sink_implies_switch_sup_instance : exists (m T : nat) (v : nat -> vector) (a : nat -> R) (eps : R),
  simplex T a /\ a 0%nat >= 1 - eps.
Proof. exact sink_implies_switch_euclidean_instance. Qed.

Theorem sink_bound_attained_instance : exists (T : nat) (z d eps : R),
  (1 <= T)%nat /\ 0 <= z /\ 0 <= d /\ 0 <= eps <= 1.
Proof. exists 2%nat, (1 / 2), 2, (1 / 4). split; [lia|lra]. Qed.

Theorem zero_anchor_equivalence_instance : exists (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (a : nat -> R) (g : R),
  is_norm m N /\ dual_norm_le_1 m N u /\ simplex T a /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\ N (v 0%nat) = 0.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values 0), (plane_weights (3 / 4)), 1.
  split; [apply euclidean_is_norm|]. split; [apply plane_dual|]. split; [apply plane_sink|]. split.
  - intros k H1 _. rewrite plane_margin by assumption. lra.
  - unfold plane_values. simpl. now rewrite Ropp_0, plane_euclidean, Rabs_R0.
Qed.

Print Assumptions sink_implies_switch_instance.
Print Assumptions sink_implies_switch_euclidean_instance.
Print Assumptions sink_implies_switch_sup_instance.
Print Assumptions sink_bound_attained_instance.
Print Assumptions zero_anchor_equivalence_instance.
