(** * sw-3: what is claimed of softmax weights

    The minimum of docs/THEORY.md, sw-3 is over the whole simplex; softmax weights are positive.  The terms are those of
    theory/definitions/anchored_values.v. *)

From Coq Require Import Reals.
From Sinkproof Require Import task anchored_values softmax_weights.
Open Scope R_scope.

(** Two values x, y in R^1. *)
Definition pair_of_values (x y : R) : nat -> vector := fun k _ => if (k =? 0)%nat then x else y.

(** The values (0,1), (1,1) in R^2. *)
Definition flat_pair : nat -> vector := fun k r => if (r =? 0)%nat then INR k else 1.

(** Softmax weights are positive. *)
Definition softmax_is_positive : Prop := forall (T : nat) (l : nat -> R), positive_weights T (softmax T l).

(** Positive weights are softmax weights. *)
Definition positive_is_softmax : Prop := forall (T : nat) (a : nat -> R),
  positive_weights T a -> exists l, forall k, (k <= T)%nat -> softmax T l k = a k.

(** Positive weights come as near as wanted to every norm that the simplex reaches: the same infimum. *)
Definition same_infimum : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R) (e : R),
  is_norm m N -> simplex T a -> 0 < e ->
  exists b, positive_weights T b /\ N (output T b v) <= N (output T a v) + e.

(** Positive weights reach g, a bound that u shows, only if u.v_k = g for every k. *)
Definition slackness : Prop := forall (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector) (b : nat -> R)
    (g : R),
  is_norm m N -> dual_norm_le_1 m N u -> (forall k, (k <= T)%nat -> g <= dot m u (v k)) ->
  positive_weights T b -> N (output T b v) <= g -> forall k, (k <= T)%nat -> dot m u (v k) = g.

(** So one u.v_j > g is enough to keep them from it. *)
Definition not_attained : Prop := forall (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (b : nat -> R) (g : R) (j : nat),
  is_norm m N -> dual_norm_le_1 m N u -> (forall k, (k <= T)%nat -> g <= dot m u (v k)) ->
  (j <= T)%nat -> g < dot m u (v j) -> positive_weights T b -> g < N (output T b v).

(** Positive weights reach the minimum iff each value takes part in some minimiser. *)
Definition attained_iff : Prop := forall (m T : nat) (N : vector -> R) (v : nat -> vector),
  is_norm m N ->
  ((exists b, positive_weights T b /\ minimiser T N v b) <->
   (forall k, (k <= T)%nat -> exists a, minimiser T N v a /\ 0 < a k)).

(** Exactly one holds (Stiemke): some softmax has output exactly 0, or a direction shows that none has. *)
Definition zero_reached_or_not : Prop := forall (m T : nat) (v : nat -> vector),
  (softmax_reaches_zero m T v \/ zero_barred m T v) /\ ~ (softmax_reaches_zero m T v /\ zero_barred m T v).

(** The usual sink, an anchor of value 0: the head is never quite off. *)
Definition zero_anchor_never_off : Prop := forall (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (l : nat -> R) (g : R),
  is_norm m N -> (1 <= T)%nat -> dual_norm_le_1 m N u -> 0 < g ->
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> g <= dot m u (v k)) -> (forall r, (r < m)%nat -> v 0%nat r = 0) ->
  (1 - softmax T l 0%nat) * g <= N (output T (softmax T l) v) /\ 0 < (1 - softmax T l 0%nat) * g.

(** The values -1, 1: positive weights reach 0. *)
Definition attained_at_zero : Prop :=
  exists b, positive_weights 1 b /\ minimiser 1 (sup_norm 1) (pair_of_values (-1) 1) b /\
            sup_norm 1 (output 1 b (pair_of_values (-1) 1)) = 0.

(** The values 1, 1: positive weights reach the minimum, though it is 1 and not 0. *)
Definition attained_away_from_zero : Prop :=
  exists b, positive_weights 1 b /\ minimiser 1 (sup_norm 1) (pair_of_values 1 1) b /\
            sup_norm 1 (output 1 b (pair_of_values 1 1)) = 1.

(** The values 0, 1: the minimum is 0, and positive weights miss it. *)
Definition missed : Prop :=
  (exists a, minimiser 1 (sup_norm 1) (pair_of_values 0 1) a /\
             sup_norm 1 (output 1 a (pair_of_values 0 1)) = 0) /\
  (forall b, positive_weights 1 b -> 0 < sup_norm 1 (output 1 b (pair_of_values 0 1))).

(** The values (0,1), (1,1): u = (0,1) has u.v_k = 1 for both, 1 is the minimum, and positive weights miss it. *)
Definition slack_not_enough : Prop :=
  (forall k, dot 2 (fun r => INR r) (flat_pair k) = 1) /\
  (exists a, minimiser 1 (euclidean_norm 2) flat_pair a /\ euclidean_norm 2 (output 1 a flat_pair) = 1) /\
  (forall b, positive_weights 1 b -> 1 < euclidean_norm 2 (output 1 b flat_pair)).
