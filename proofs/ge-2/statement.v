(** * ge-2: what is claimed

    docs/THEORY.md, section 3.  Embeddings, queries J, key sets K and scores are those of
    theory/definitions/scores.v; dot and euclidean_norm those of theory/definitions/anchored_values.v. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values scores.
Open Scope R_scope.

(** P Q^T/(||P|| ||Q||). *)
Definition aligned (d : nat) (P Q : token) : matrix :=
  fun a b => P a * Q b / (euclidean_norm d P * euclidean_norm d Q).

(** "u = W(z_0 - z_i) has u.z_j >= 1 for all j in J" if W represents the sink and the key i is common. *)
Definition necessary_alignment : Prop := forall (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token) (W : matrix) (i : nat),
  margin_at_least d T J K z W 1 -> (i <= T)%nat -> i <> 0%nat ->
  (forall j, (j <= T)%nat -> J j = true -> K j i = true) ->
  forall j, (j <= T)%nat -> J j = true ->
  1 <= dot d (linear_value d W (token_difference (z 0%nat) (z i))) (z j).

(** 0 in the hull of queries that share a key i != 0: no W. *)
Definition queries_refute : Prop := forall (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token) (i : nat) (p : nat -> R),
  (i <= T)%nat -> i <> 0%nat -> (forall j, (j <= T)%nat -> J j = true -> K j i = true) ->
  convex_weights T J p -> (forall a, (a < d)%nat -> mixture T p z a = 0) ->
  ~ exists W, margin_at_least d T J K z W 1.

(** z_0 in the hull of one query's other keys: no W. *)
Definition keys_refute : Prop := forall (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool) (z : nat -> token)
    (j : nat) (p : nat -> R),
  (j <= T)%nat -> J j = true -> convex_weights T (other_keys (K j)) p ->
  (forall a, (a < d)%nat -> mixture T p z a = z 0%nat a) ->
  ~ exists W, margin_at_least d T J K z W 1.

(** If key sets differ, neither refutation need apply although no W exists: two queries with a common key. *)
Definition not_sufficient : Prop := exists (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool) (z : nat -> token),
  (exists i, (i <= T)%nat /\ i <> 0%nat /\ forall j, (j <= T)%nat -> J j = true -> K j i = true) /\
  (~ exists p, convex_weights T J p /\ forall a, (a < d)%nat -> mixture T p z a = 0) /\
  (forall j, (j <= T)%nat -> J j = true ->
   ~ exists p, convex_weights T (other_keys (K j)) p /\ forall a, (a < d)%nat -> mixture T p z a = z 0%nat a) /\
  ~ exists W, margin_at_least d T J K z W 1.

(** Shared keys: every pair of convex combinations bounds the margin of W's of norm at most 1. *)
Definition margin_bound : Prop := forall (d T : nat) (J Kset : nat -> bool) (z : nat -> token) (W : matrix) (rho : R)
    (p q : nat -> R),
  frobenius_norm d d W <= 1 -> margin_at_least d T J (fun _ => Kset) z W rho ->
  convex_weights T J p -> convex_weights T (other_keys Kset) q ->
  rho <= euclidean_norm d (mixture T p z) * euclidean_norm d (key_gap T q z).

(** Shared keys: the greatest margin is dist(0, conv{z_j}) dist(z_0, conv{z_i}). *)
Definition greatest_margin : Prop := forall (d T : nat) (J Kset : nat -> bool) (z : nat -> token),
  (exists j, (j <= T)%nat /\ J j = true) -> (exists i, (i <= T)%nat /\ other_keys Kset i = true) ->
  exists p q, nearest_queries d T J z p /\ nearest_keys d T Kset z q /\
    (exists W, frobenius_norm d d W <= 1 /\
       margin_at_least d T J (fun _ => Kset) z W
         (euclidean_norm d (mixture T p z) * euclidean_norm d (key_gap T q z))) /\
    (forall W rho, frobenius_norm d d W <= 1 -> margin_at_least d T J (fun _ => Kset) z W rho ->
       rho <= euclidean_norm d (mixture T p z) * euclidean_norm d (key_gap T q z)).

(** Evidence: P in conv{z_j} and Q in conv{z_0 - z_i} with P.z_j >= P.P > 0 and Q.(z_0 - z_i) >= Q.Q > 0 are nearest
    points, and the greatest margin ||P|| ||Q|| is attained at P Q^T/(||P|| ||Q||). *)
Definition shared_keys_margin : Prop := forall (d T : nat) (J Kset : nat -> bool) (z : nat -> token) (p q : nat -> R),
  convex_weights T J p -> convex_weights T (other_keys Kset) q ->
  0 < dot d (mixture T p z) (mixture T p z) -> 0 < dot d (key_gap T q z) (key_gap T q z) ->
  (forall j, (j <= T)%nat -> J j = true -> dot d (mixture T p z) (mixture T p z) <= dot d (mixture T p z) (z j)) ->
  (forall i, (i <= T)%nat -> other_keys Kset i = true ->
     dot d (key_gap T q z) (key_gap T q z) <= dot d (key_gap T q z) (token_difference (z 0%nat) (z i))) ->
  nearest_queries d T J z p /\ nearest_keys d T Kset z q /\
  frobenius_norm d d (aligned d (mixture T p z) (key_gap T q z)) = 1 /\
  margin_at_least d T J (fun _ => Kset) z (aligned d (mixture T p z) (key_gap T q z))
    (euclidean_norm d (mixture T p z) * euclidean_norm d (key_gap T q z)) /\
  (forall W rho, frobenius_norm d d W <= 1 -> margin_at_least d T J (fun _ => Kset) z W rho ->
   rho <= euclidean_norm d (mixture T p z) * euclidean_norm d (key_gap T q z)).

(** Such P and Q, up to being nonzero, always exist, with rational weights for rational embeddings. *)
Definition rational_evidence : Prop := forall (d T : nat) (J Kset : nat -> bool) (z : nat -> token),
  (exists j, (j <= T)%nat /\ J j = true) -> (exists i, (i <= T)%nat /\ other_keys Kset i = true) ->
  (forall k a, (k <= T)%nat -> (a < d)%nat -> rational (z k a)) ->
  exists p q, (forall k, rational (p k)) /\ (forall k, rational (q k)) /\
    convex_weights T J p /\ convex_weights T (other_keys Kset) q /\
    (forall j, (j <= T)%nat -> J j = true -> dot d (mixture T p z) (mixture T p z) <= dot d (mixture T p z) (z j)) /\
    (forall i, (i <= T)%nat -> other_keys Kset i = true ->
       dot d (key_gap T q z) (key_gap T q z) <= dot d (key_gap T q z) (token_difference (z 0%nat) (z i))).
