(** * ge-1: what is claimed

    docs/THEORY.md, section 3.  Embeddings, queries J, key sets K and scores are those of
    theory/definitions/scores.v; a family of constraints is A_0, .., A_{m-1}, matrices d x e. *)

From Coq Require Import Reals.
From Sinkproof Require Import task scores.
Open Scope R_scope.

(** "multipliers l_ji >= 0, not all 0, with sum l_ji z_j (z_0 - z_i)^T = 0". *)
Record obstructs (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool) (z : nat -> token)
    (l : nat -> nat -> R) : Prop := {
  obstructs_nonneg : forall j i, (j <= T)%nat -> (i <= T)%nat -> constrained J K j i = true -> 0 <= l j i;
  obstructs_some : exists j i, (j <= T)%nat /\ (i <= T)%nat /\ constrained J K j i = true /\ 0 < l j i;
  obstructs_zero : forall a b, (a < d)%nat -> (b < d)%nat ->
    sum (S T) (fun j => sum (S T) (fun i =>
      if constrained J K j i then l j i * (z j a * (z 0%nat b - z i b)) else 0)) = 0
}.

(** <A_k, W> >= kappa_k for all k < m. *)
Definition satisfies (m d e : nat) (A : nat -> matrix) (kappa : nat -> R) (W : matrix) : Prop :=
  forall k, (k < m)%nat -> kappa k <= frobenius d e (A k) W.

(** Multipliers l >= 0, not all 0, with sum_k l_k A_k = 0. *)
Record cancels (m d e : nat) (A : nat -> matrix) (l : nat -> R) : Prop := {
  cancels_nonneg : forall k, (k < m)%nat -> 0 <= l k;
  cancels_some : exists k, (k < m)%nat /\ 0 < l k;
  cancels_zero : forall a b, (a < d)%nat -> (b < e)%nat -> sum m (fun k => l k * A k a b) = 0
}.

Definition rational_entries (d e : nat) (A : matrix) : Prop :=
  forall a b, (a < d)%nat -> (b < e)%nat -> rational (A a b).

(** O = sum_k l_k A_k. *)
Definition hull_point (m : nat) (A : nat -> matrix) (l : nat -> R) : matrix :=
  fun a b => sum m (fun k => l k * A k a b).

(** l is in the simplex and <O, A_k> >= <O, O> for all k. *)
Record nearest_weights (m d e : nat) (A : nat -> matrix) (l : nat -> R) : Prop := {
  nearest_nonneg : forall k, (k < m)%nat -> 0 <= l k;
  nearest_total : sum m l = 1;
  nearest_outward : forall k, (k < m)%nat ->
    frobenius d e (hull_point m A l) (hull_point m A l) <= frobenius d e (hull_point m A l) (A k)
}.

(** O/||O||_F. *)
Definition unit_point (m d e : nat) (A : nat -> matrix) (l : nat -> R) : matrix :=
  fun a b => hull_point m A l a b / frobenius_norm d e (hull_point m A l).

(** Exactly one holds: some W has margin 1, or some multipliers cancel. *)
Definition sink_alternative : Prop := forall (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token),
  ((exists W, margin_at_least d T J K z W 1) \/ (exists l, obstructs d T J K z l)) /\
  ~ ((exists W, margin_at_least d T J K z W 1) /\ (exists l, obstructs d T J K z l)).

(** Rational embeddings have rational evidence of one of the two. *)
Definition sink_alternative_rational : Prop := forall (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token),
  (forall k a, (k <= T)%nat -> (a < d)%nat -> rational (z k a)) ->
  (exists W, rational_entries d d W /\ margin_at_least d T J K z W 1) \/
  (exists l, (forall j i, rational (l j i)) /\ obstructs d T J K z l).

(** The same for any finite family of constraints <A_k, W> >= kappa_k > 0. *)
Definition margin_alternative : Prop := forall (m d e : nat) (A : nat -> matrix) (kappa : nat -> R),
  (forall k, (k < m)%nat -> 0 < kappa k) ->
  ((exists W, satisfies m d e A kappa W) \/ (exists l, cancels m d e A l)) /\
  ~ ((exists W, satisfies m d e A kappa W) /\ (exists l, cancels m d e A l)).

(** Rational constraints have rational evidence of one of the two. *)
Definition margin_alternative_rational : Prop := forall (m d e : nat) (A : nat -> matrix) (kappa : nat -> R),
  (forall k, (k < m)%nat -> rational_entries d e (A k) /\ rational (kappa k) /\ 0 < kappa k) ->
  (exists W, rational_entries d e W /\ satisfies m d e A kappa W) \/
  (exists l, (forall k, rational (l k)) /\ cancels m d e A l).

(** Constraints (query, above, below): q_k^T W x_k - q_k^T W y_k >= kappa_k, or multipliers cancel. *)
Definition score_alternative : Prop := forall (m d : nat) (q above below : nat -> token) (kappa : nat -> R),
  (forall k, (k < m)%nat -> 0 < kappa k) ->
  (exists W, forall k, (k < m)%nat -> kappa k <= bilinear d W (q k) (above k) - bilinear d W (q k) (below k)) \/
  (exists l, (forall k, (k < m)%nat -> 0 <= l k) /\ (exists k, (k < m)%nat /\ 0 < l k) /\
     forall a b, (a < d)%nat -> (b < d)%nat -> sum m (fun k => l k * (q k a * (above k b - below k b))) = 0).

(** Margin per norm: margin 1 at norm 1/rho is margin rho at norm 1. *)
Definition margin_per_norm : Prop := forall (m d e : nat) (A : nat -> matrix) (rho : R),
  0 < rho ->
  ((exists W, frobenius_norm d e W <= / rho /\ satisfies m d e A (fun _ => 1) W) <->
   (exists W, frobenius_norm d e W <= 1 /\ satisfies m d e A (fun _ => rho) W)).

(** If O is a convex combination of the A_k with <O, A_k> >= <O, O> > 0 for all k then the greatest margin over
    ||W||_F <= 1 is exactly ||O||_F, attained at O/||O||_F and nowhere else. *)
Definition frobenius_margin : Prop := forall (m d e : nat) (A : nat -> matrix) (l : nat -> R),
  nearest_weights m d e A l -> 0 < frobenius d e (hull_point m A l) (hull_point m A l) ->
  (frobenius_norm d e (unit_point m d e A l) = 1 /\
   satisfies m d e A (fun _ => frobenius_norm d e (hull_point m A l)) (unit_point m d e A l)) /\
  (forall W rho, frobenius_norm d e W <= 1 -> satisfies m d e A (fun _ => rho) W ->
   rho <= frobenius_norm d e (hull_point m A l)) /\
  (forall W, frobenius_norm d e W <= 1 ->
   satisfies m d e A (fun _ => frobenius_norm d e (hull_point m A l)) W ->
   forall a b, (a < d)%nat -> (b < e)%nat -> W a b = unit_point m d e A l a b).

(** Such an O exists whenever some W has margin 1 and there is a constraint. *)
Definition frobenius_margin_exists : Prop := forall (m d e : nat) (A : nat -> matrix),
  (0 < m)%nat -> (exists W, satisfies m d e A (fun _ => 1) W) ->
  exists l, nearest_weights m d e A l /\ 0 < frobenius d e (hull_point m A l) (hull_point m A l).

(** With rational weights if the A_k are rational: the greatest margin squared is a rational number. *)
Definition frobenius_margin_rational : Prop := forall (m d e : nat) (A : nat -> matrix),
  (0 < m)%nat -> (forall k, (k < m)%nat -> rational_entries d e (A k)) ->
  (exists W, satisfies m d e A (fun _ => 1) W) ->
  exists l, (forall k, rational (l k)) /\ nearest_weights m d e A l /\
            0 < frobenius d e (hull_point m A l) (hull_point m A l) /\
            rational (frobenius d e (hull_point m A l) (hull_point m A l)).

(** All queries share their keys: (a) with a W of rank one, or 0 is in the hull of the queries, or z_0 is in the hull
    of the other keys. *)
Definition common_keys : Prop := forall (d T : nat) (J Kset : nat -> bool) (z : nat -> token),
  (exists u v : token, margin_at_least d T J (fun _ => Kset) z (outer u v) 1) \/
  (exists p, convex_weights T J p /\ forall a, (a < d)%nat -> mixture T p z a = 0) \/
  (exists p, convex_weights T (other_keys Kset) p /\ forall a, (a < d)%nat -> mixture T p z a = z 0%nat a).
