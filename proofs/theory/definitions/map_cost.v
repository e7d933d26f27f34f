(** * What a factorisation of scores costs: docs/THEORY.md, section 5

    The map cost of scores x^T W y is the least ||W_Q||_F^2 + ||W_K||_F^2 over W_Q^T W_K = W, so a lower
    bound is a statement about EVERY pair W_Q, W_K, of any head width. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns.
Open Scope R_scope.

(** "<Y, W>", the sum of the products of the entries. *)
Definition pairing (d : nat) (Y W : matrix) : R := sum d (fun a => sum d (fun b => Y a b * W a b)).

(** "The operator norm of Y is at most t": |u^T Y v| <= t |u| |v|. *)
Definition operator_norm_le (d : nat) (Y : matrix) (t : R) : Prop :=
  forall u v, Rabs (bilinear d Y u v) <= t * (euclidean_norm d u * euclidean_norm d v).

(** Y^T w. *)
Definition transposed_image (d : nat) (Y : matrix) (w : vector) : vector :=
  fun b => sum d (fun a => Y a b * w a).

(** "sum_k y_k x_k z_k^T". *)
Definition combination (n : nat) (y : nat -> R) (x z : nat -> vector) : matrix :=
  fun a b => sum n (fun k => y k * (x k a * z k b)).

(** A linear margin pattern: x_k^T W z_k >= m_k for k < n. *)
Definition satisfies (d n : nat) (x z : nat -> vector) (m : nat -> R) (W : matrix) : Prop :=
  forall k, (k < n)%nat -> m k <= bilinear d W (x k) (z k).

(** The costs at which a pattern can be had, over all head widths, and their infimum. *)
Definition cost_attained (d : nat) (pattern : matrix -> Prop) (c : R) : Prop :=
  exists r WQ WK, pattern (query_key r WQ WK) /\ c = factor_cost d r WQ WK.

Definition cost_bounded_below (d : nat) (pattern : matrix -> Prop) (l : R) : Prop :=
  forall r WQ WK, pattern (query_key r WQ WK) -> l <= factor_cost d r WQ WK.

Definition is_least_cost (d : nat) (pattern : matrix -> Prop) (i : R) : Prop :=
  cost_bounded_below d pattern i /\ (forall l, cost_bounded_below d pattern l -> l <= i).
