(** * Values with an anchor: the setting of docs/THEORY.md, section 2

    "Values v_0 (anchor), v_1..v_T in R^m (T >= 1), a in the simplex, o = sum a_k v_k."  The norm is any
    norm of R^m. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** A vector of R^m: a function read at the indices 0..m-1. *)
Definition vector := nat -> R.

Definition dot (m : nat) (x y : vector) : R := sum m (fun r => x r * y r).

(** A norm of R^m. *)
Record is_norm (m : nat) (N : vector -> R) : Prop := {
  norm_reads_m : forall x y, (forall r, (r < m)%nat -> x r = y r) -> N x = N y;
  norm_nonneg : forall x, 0 <= N x;
  norm_definite : forall x, N x = 0 -> forall r, (r < m)%nat -> x r = 0;
  norm_scal : forall c x, N (fun r => c * x r) = Rabs c * N x;
  norm_triangle : forall x y, N (fun r => x r + y r) <= N x + N y
}.

(** "||u||_* <= 1": u is at most 1 on the unit ball. *)
Definition dual_norm_le_1 (m : nat) (N : vector -> R) (u : vector) : Prop :=
  forall y, N y <= 1 -> dot m u y <= 1.

(** "a in the simplex": weights a_0, .., a_T. *)
Definition simplex (T : nat) (a : nat -> R) : Prop :=
  (forall k, (k <= T)%nat -> 0 <= a k) /\ sum (S T) a = 1.

(** "o = sum a_k v_k". *)
Definition output (T : nat) (a : nat -> R) (v : nat -> vector) : vector :=
  fun r => sum (S T) (fun k => a k * v k r).

(** The norms used in practice. *)
Fixpoint maximum (m : nat) (f : nat -> R) : R :=
  match m with
  | O => 0
  | S p => Rmax (maximum p f) (f p)
  end.

Definition sup_norm (m : nat) (x : vector) : R := maximum m (fun r => Rabs (x r)).
Definition one_norm (m : nat) (x : vector) : R := sum m (fun r => Rabs (x r)).
Definition euclidean_norm (m : nat) (x : vector) : R := sqrt (dot m x x).
