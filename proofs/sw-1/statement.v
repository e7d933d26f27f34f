(** * sw-1: what is claimed

    docs/THEORY.md, section 2: values v_0 (the anchor), v_1..v_T in R^m, weights a in the simplex, output
    o = sum a_k v_k, any norm N of R^m.  The terms are those of theory/definitions/anchored_values.v. *)

From Coq Require Import Reals.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** If ||u||_* <= 1, u.v_k >= g > 0 for k >= 1 and u.v_0 >= -w, w >= 0, then an output of norm at most eta < g has
    a_0 >= (g - eta)/(g + w). *)
Definition switch_implies_sink : Prop := forall (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (a : nat -> R) (g w eta : R),
  is_norm m N -> dual_norm_le_1 m N u -> 0 < g -> 0 <= w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> N (output T a v) <= eta -> eta < g ->
  a 0%nat >= (g - eta) / (g + w).

(** The same for g and w of either sign with g + w > 0, and any eta. *)
Definition switch_implies_sink_signed : Prop := forall (m T : nat) (N : vector -> R) (u : vector)
    (v : nat -> vector) (a : nat -> R) (g w eta : R),
  is_norm m N -> dual_norm_le_1 m N u -> 0 < g + w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> N (output T a v) <= eta ->
  a 0%nat >= (g - eta) / (g + w).

(** An anchor of value 0: a_0 >= 1 - eta/g. *)
Definition switch_implies_sink_zero_anchor : Prop := forall (m T : nat) (N : vector -> R) (u : vector)
    (v : nat -> vector) (a : nat -> R) (g eta : R),
  is_norm m N -> dual_norm_le_1 m N u -> 0 < g ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> (forall r, (r < m)%nat -> v 0%nat r = 0) ->
  simplex T a -> N (output T a v) <= eta ->
  a 0%nat >= 1 - eta / g.

(** The Euclidean norm: u of length at most 1. *)
Definition switch_implies_sink_euclidean : Prop := forall (m T : nat) (u : vector) (v : nat -> vector) (a : nat -> R)
    (g w eta : R),
  euclidean_norm m u <= 1 -> 0 < g -> 0 <= w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> euclidean_norm m (output T a v) <= eta -> eta < g ->
  a 0%nat >= (g - eta) / (g + w).

(** The sup norm: |u_0| + .. + |u_{m-1}| <= 1. *)
Definition switch_implies_sink_sup : Prop := forall (m T : nat) (u : vector) (v : nat -> vector) (a : nat -> R)
    (g w eta : R),
  one_norm m u <= 1 -> 0 < g -> 0 <= w ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) -> dot m u (v 0%nat) >= - w ->
  simplex T a -> sup_norm m (output T a v) <= eta -> eta < g ->
  a 0%nat >= (g - eta) / (g + w).

(** Equality occurs, in one dimension, for all g, w, eta with g + w > 0 and max(0, -w) <= eta < g. *)
Definition switch_bound_attained : Prop := forall (T : nat) (g w eta : R),
  (1 <= T)%nat -> 0 < g + w -> - w <= eta -> 0 <= eta -> eta < g ->
  exists (u : vector) (v : nat -> vector) (a : nat -> R),
    dual_norm_le_1 1 (sup_norm 1) u /\
    (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot 1 u (v k) >= g) /\ dot 1 u (v 0%nat) >= - w /\
    simplex T a /\ sup_norm 1 (output T a v) <= eta /\ a 0%nat = (g - eta) / (g + w).
