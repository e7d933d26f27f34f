(** * The least output of a head, and the directions that bound it from below: docs/THEORY.md, sw-3 *)

From Coq Require Import Reals.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** min_{k <= T} f k. *)
Fixpoint least (T : nat) (f : nat -> R) : R :=
  match T with
  | O => f 0%nat
  | S p => Rmin (least p f) (f (S p))
  end.

(** The numbers ||sum a_k v_k||, a in the simplex. *)
Definition output_norms (T : nat) (N : vector -> R) (v : nat -> vector) : R -> Prop :=
  fun x => exists a, simplex T a /\ x = N (output T a v).

(** The numbers min_k u.v_k, ||u||_* <= 1. *)
Definition margins (m T : nat) (N : vector -> R) (v : nat -> vector) : R -> Prop :=
  fun x => exists u, dual_norm_le_1 m N u /\ x = least T (fun k => dot m u (v k)).

Definition is_min (E : R -> Prop) (x : R) : Prop := E x /\ forall y, E y -> x <= y.
Definition is_max (E : R -> Prop) (x : R) : Prop := E x /\ forall y, E y -> y <= x.
