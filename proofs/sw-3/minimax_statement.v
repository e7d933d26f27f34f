(** * sw-3: what is claimed of the smallest output of a head

    docs/THEORY.md, section 2: values v_0 (the anchor), v_1..v_T in R^m, weights a in the simplex, output
    o = sum a_k v_k, any norm N of R^m.  The terms are those of theory/definitions/anchored_values.v. *)

From Coq Require Import Reals.
From Sinkproof Require Import task anchored_values least_output.
Open Scope R_scope.

(** v_1, .., v_T: the values without the anchor. *)
Definition without_anchor (v : nat -> vector) : nat -> vector := fun k => v (S k).

(** Some weights without the anchor have output 0. *)
Definition off_without_anchor (T : nat) (N : vector -> R) (v : nat -> vector) : Prop :=
  exists a, simplex T a /\ a 0%nat = 0 /\ N (output T a v) = 0.

(** A direction u with u.v_k >= g > 0 for k >= 1, and output 0 puts at least g/(g + ||v_0||) on the anchor. *)
Definition needs_anchor (m T : nat) (N : vector -> R) (v : nat -> vector) : Prop :=
  exists u g, dual_norm_le_1 m N u /\ 0 < g /\
    (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\
    (forall a, simplex T a -> N (output T a v) = 0 -> a 0%nat >= g / (g + N (v 0%nat))).

(** min over the simplex of ||o|| = max over ||u||_* <= 1 of min_k u.v_k, both attained. *)
Definition minimax : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector),
  is_norm m N -> exists x, is_min (output_norms T N v) x /\ is_max (margins m T N v) x.

(** No margin exceeds an output's norm. *)
Definition weak_duality : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (x y : R),
  is_norm m N -> output_norms T N v x -> margins m T N v y -> y <= x.

(** Weights and a direction that meet prove each other optimal. *)
Definition primal_dual_pair : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R)
    (u : vector),
  is_norm m N -> simplex T a -> dual_norm_le_1 m N u ->
  (forall k, (k <= T)%nat -> dot m u (v k) >= N (output T a v)) ->
  is_min (output_norms T N v) (N (output T a v)) /\ is_max (margins m T N v) (N (output T a v)).

(** Such a pair always exists. *)
Definition optimal_pair : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector),
  is_norm m N ->
  exists a u, simplex T a /\ dual_norm_le_1 m N u /\
              forall k, (k <= T)%nat -> dot m u (v k) >= N (output T a v).

(** The same with the dual ball spelt out: the Euclidean norm. *)
Definition minimax_euclidean : Prop := forall (m T : nat) (v : nat -> vector),
  exists a u, simplex T a /\ euclidean_norm m u <= 1 /\
              forall k, (k <= T)%nat -> dot m u (v k) >= euclidean_norm m (output T a v).

(** The sup norm. *)
Definition minimax_sup : Prop := forall (m T : nat) (v : nat -> vector),
  exists a u, simplex T a /\ one_norm m u <= 1 /\
              forall k, (k <= T)%nat -> dot m u (v k) >= sup_norm m (output T a v).

(** The 1-norm. *)
Definition minimax_one : Prop := forall (m T : nat) (v : nat -> vector),
  exists a u, simplex T a /\ sup_norm m u <= 1 /\
              forall k, (k <= T)%nat -> dot m u (v k) >= one_norm m (output T a v).

(** Euclidean norm: o is nearest to 0 iff o.v_k >= o.o for all k. *)
Definition nearest_iff : Prop := forall (m T : nat) (v : nat -> vector) (a : nat -> R),
  simplex T a ->
  ((forall b, simplex T b -> euclidean_norm m (output T a v) <= euclidean_norm m (output T b v)) <->
   (forall k, (k <= T)%nat -> dot m (output T a v) (v k) >= dot m (output T a v) (output T a v))).

(** Then ||o|| is the least norm and the greatest margin and, unless o = 0, u = o/||o|| has that margin. *)
Definition nearest_direction : Prop := forall (m T : nat) (v : nat -> vector) (a : nat -> R),
  simplex T a ->
  (forall k, (k <= T)%nat -> dot m (output T a v) (v k) >= dot m (output T a v) (output T a v)) ->
  is_min (output_norms T (euclidean_norm m) v) (euclidean_norm m (output T a v)) /\
  is_max (margins m T (euclidean_norm m) v) (euclidean_norm m (output T a v)) /\
  (0 < euclidean_norm m (output T a v) -> forall k, (k <= T)%nat ->
     dot m (fun r => / euclidean_norm m (output T a v) * output T a v r) (v k)
     >= euclidean_norm m (output T a v)).

(** Evidence without roots: d.v_k >= l >= 0 for all k gives (d.d)(o.o) >= l^2. *)
Definition rational_floor : Prop := forall (m T : nat) (v : nat -> vector) (d : vector) (l : R) (a : nat -> R),
  0 <= l -> (forall k, (k <= T)%nat -> dot m d (v k) >= l) -> simplex T a ->
  l * l <= dot m d d * dot m (output T a v) (output T a v).

(** With g a lower bound of the norms over v_1..v_T, ||o|| <= eta forces a_0 (g + ||v_0||) >= g - eta. *)
Definition anchor_needed : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (g : R) (a : nat -> R)
    (eta : R),
  is_norm m N -> (1 <= T)%nat ->
  (forall x, output_norms (T - 1) N (without_anchor v) x -> g <= x) ->
  simplex T a -> N (output T a v) <= eta -> a 0%nat * (g + N (v 0%nat)) >= g - eta.

(** Some weights with a_0 = 0 reach the least norm over v_1..v_T. *)
Definition switched_off_without_anchor : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (g : R),
  is_norm m N -> (1 <= T)%nat -> is_min (output_norms (T - 1) N (without_anchor v)) g ->
  exists a, simplex T a /\ a 0%nat = 0 /\ N (output T a v) = g.

(** Exactly one holds: output 0 without the anchor, or a direction that shows that output 0 needs it. *)
Definition anchor_alternative : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector),
  is_norm m N -> (1 <= T)%nat ->
  (off_without_anchor T N v \/ needs_anchor m T N v) /\ ~ (off_without_anchor T N v /\ needs_anchor m T N v).

(** ||o|| > eta for all weights with a_0 <= p iff a direction shows it. *)
Definition anchor_certificate : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (p eta : R),
  is_norm m N -> (1 <= T)%nat -> 0 <= p <= 1 ->
  ((forall a, simplex T a -> a 0%nat <= p -> eta < N (output T a v)) <->
   (exists u, dual_norm_le_1 m N u /\ forall k, (1 <= k)%nat -> (k <= T)%nat ->
      eta < dot m u (v k) /\ eta < p * dot m u (v 0%nat) + (1 - p) * dot m u (v k))).

(** In the words of sw-1: if a_0 > p wherever ||o|| <= eta then some (u, g, w) shows it, w of either sign:
    (g - eta)/(g + w) > p if g + w > 0, and else no output has norm at most eta. *)
Definition sw1_complete : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (p eta : R),
  is_norm m N -> (1 <= T)%nat -> 0 <= p <= 1 ->
  (forall a, simplex T a -> N (output T a v) <= eta -> p < a 0%nat) ->
  exists u g w, dual_norm_le_1 m N u /\ (forall k, (1 <= k)%nat -> (k <= T)%nat -> dot m u (v k) >= g) /\
                dot m u (v 0%nat) >= - w /\ eta < g /\ p * (g + w) < g - eta.
