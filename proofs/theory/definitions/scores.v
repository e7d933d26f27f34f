(** * Scores and the representability of a sink: the setting of docs/THEORY.md, section 3

    "Embeddings z_0..z_T, queries J, key sets K_j": vectors of R^d, sets of the indices 0..T as boolean functions;
    z_0 is the sink. *)

From Coq Require Import Reals Arith ZArith Bool.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** <A, W> for d x e matrices, functions of the indices a < d, b < e, and ||A||_F. *)
Definition frobenius (d e : nat) (A W : matrix) : R := sum d (fun a => sum e (fun b => A a b * W a b)).
Definition frobenius_norm (d e : nat) (A : matrix) : R := sqrt (frobenius d e A A).

(** x y^T and x - y. *)
Definition outer (x y : token) : matrix := fun a b => x a * y b.
Definition token_difference (x y : token) : token := fun a => x a - y a.

Definition rational (x : R) : Prop := exists p q : Z, (q <> 0)%Z /\ x = IZR p / IZR q.

(** Query j and key i are constrained: "j in J, i in K_j, i != 0". *)
Definition constrained (J : nat -> bool) (K : nat -> nat -> bool) (j i : nat) : bool :=
  J j && K j i && negb (i =? 0)%nat.

(** All margins are at least rho: "z_j^T W (z_0 - z_i) >= rho".  W represents the sink if rho = 1. *)
Definition margin_at_least (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool) (z : nat -> token) (W : matrix)
    (rho : R) : Prop :=
  forall j i, (j <= T)%nat -> (i <= T)%nat -> constrained J K j i = true ->
  rho <= bilinear d W (z j) (token_difference (z 0%nat) (z i)).

(** The keys of a set other than the sink. *)
Definition other_keys (K : nat -> bool) : nat -> bool := fun i => K i && negb (i =? 0)%nat.

(** p in the simplex over the indices 0..T that S selects. *)
Record convex_weights (T : nat) (S : nat -> bool) (p : nat -> R) : Prop := {
  convex_nonneg : forall k, (k <= T)%nat -> 0 <= p k;
  convex_support : forall k, (k <= T)%nat -> S k = false -> p k = 0;
  convex_total : sum (Datatypes.S T) p = 1
}.

(** sum_k p_k x_k. *)
Definition mixture (T : nat) (p : nat -> R) (x : nat -> token) : token :=
  fun a => sum (S T) (fun k => p k * x k a).

(** z_0 - sum_i q_i z_i. *)
Definition key_gap (T : nat) (q : nat -> R) (z : nat -> token) : token := token_difference (z 0%nat) (mixture T q z).

(** ||sum p_j z_j|| = dist(0, conv{z_j : j in J}). *)
Definition nearest_queries (d T : nat) (J : nat -> bool) (z : nat -> token) (p : nat -> R) : Prop :=
  convex_weights T J p /\
  forall p', convex_weights T J p' -> euclidean_norm d (mixture T p z) <= euclidean_norm d (mixture T p' z).

(** ||z_0 - sum q_i z_i|| = dist(z_0, conv{z_i : i in K, i != 0}). *)
Definition nearest_keys (d T : nat) (Kset : nat -> bool) (z : nat -> token) (q : nat -> R) : Prop :=
  convex_weights T (other_keys Kset) q /\
  forall q', convex_weights T (other_keys Kset) q' ->
  euclidean_norm d (key_gap T q z) <= euclidean_norm d (key_gap T q' z).
