(** * sw-2: what is claimed

    docs/THEORY.md, section 2: values v_0 (the anchor), v_1..v_T in R^m, weights a in the simplex, output
    o = sum a_k v_k, any norm N of R^m.  The terms are those of theory/definitions/anchored_values.v. *)

From Coq Require Import Reals.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** max_{1 <= k <= T} ||v_k - v_0||; 0 for T = 0. *)
Definition spread (N : vector -> R) (T : nat) (v : nat -> vector) : R :=
  maximum T (fun k => N (fun r => v (S k) r - v 0%nat r)).

(** If a_0 >= 1 - eps then ||o|| <= ||v_0|| + eps max_k ||v_k - v_0||. *)
Definition sink_implies_switch : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R)
    (eps : R),
  is_norm m N -> simplex T a -> a 0%nat >= 1 - eps ->
  N (output T a v) <= N (v 0%nat) + eps * spread N T v.

(** The same for the Euclidean norm. *)
Definition sink_implies_switch_euclidean : Prop := forall (m T : nat) (v : nat -> vector) (a : nat -> R) (eps : R),
  simplex T a -> a 0%nat >= 1 - eps ->
  euclidean_norm m (output T a v) <= euclidean_norm m (v 0%nat) + eps * spread (euclidean_norm m) T v.

(** The same for the sup norm. *)
Definition sink_implies_switch_sup : Prop := forall (m T : nat) (v : nat -> vector) (a : nat -> R) (eps : R),
  simplex T a -> a 0%nat >= 1 - eps ->
  sup_norm m (output T a v) <= sup_norm m (v 0%nat) + eps * spread (sup_norm m) T v.

(** Equality occurs, in one dimension, for every eps in [0,1], every ||v_0|| and every max_k ||v_k - v_0||. *)
Definition sink_bound_attained : Prop := forall (T : nat) (z d eps : R),
  (1 <= T)%nat -> 0 <= z -> 0 <= d -> 0 <= eps <= 1 ->
  exists (v : nat -> vector) (a : nat -> R),
    simplex T a /\ a 0%nat >= 1 - eps /\
    sup_norm 1 (v 0%nat) = z /\ spread (sup_norm 1) T v = d /\ sup_norm 1 (output T a v) = z + eps * d.

(** v_0 = 0 and sw-1's u: the mass off the anchor and the output bound each other,
    (1 - a_0) g <= ||o|| <= (1 - a_0) max_k ||v_k||. *)
Definition zero_anchor_equivalence : Prop := forall (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (a : nat -> R) (g : R),
  is_norm m N -> dual_norm_le_1 m N u -> simplex T a ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> N (v 0%nat) = 0 ->
  (1 - a 0%nat) * g <= N (output T a v) <= (1 - a 0%nat) * maximum T (fun k => N (v (S k))).
