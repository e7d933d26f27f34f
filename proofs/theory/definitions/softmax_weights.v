(** * Positive weights, and softmax's: docs/THEORY.md, sw-3 *)

From Coq Require Import Reals.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

Definition positive_weights (T : nat) (a : nat -> R) : Prop :=
  (forall k, (k <= T)%nat -> 0 < a k) /\ sum (S T) a = 1.

(** Softmax of logits l_0, .., l_T. *)
Definition softmax (T : nat) (l : nat -> R) : nat -> R :=
  fun k => exp (l k) / sum (S T) (fun j => exp (l j)).

(** a reaches the least norm. *)
Definition minimiser (T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R) : Prop :=
  simplex T a /\ forall b, simplex T b -> N (output T a v) <= N (output T b v).

(** Some softmax has output exactly 0. *)
Definition softmax_reaches_zero (m T : nat) (v : nat -> vector) : Prop :=
  exists l, forall r, (r < m)%nat -> output T (softmax T l) v r = 0.

(** A direction u with u.v_k >= 0 for all k and > 0 for one. *)
Definition zero_barred (m T : nat) (v : nat -> vector) : Prop :=
  exists u, (forall k, (k <= T)%nat -> 0 <= dot m u (v k)) /\ exists j, (j <= T)%nat /\ 0 < dot m u (v j).
