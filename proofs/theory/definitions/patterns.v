(** * Sink patterns and diagonal patterns: the setting of docs/THEORY.md, section 5

    The claims co-1 to co-5 compare what it costs an attention layer to score BOS highest (a sink) with
    what it costs to score every token itself highest (a diagonal).

    Conventions.  The instance is data (record [instance]) and a list of properties (record
    [valid_instance]); the page's d >= 2C+1+r_eta is not assumed: orthogonality forces it. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** *** The instance.  "R^d, orthogonal vectors of norm sqrt(d): b (BOS), m_1..m_C (group means),
    q_1..q_C (copy queries).  Dormant tokens d_ci = lam m_c + eta_ci."  Groups count from 0 to C-1, the
    members of group c from 0 to size c - 1. *)

Record instance := {
  dimension : nat;
  groups : nat;
  size : nat -> nat;
  lam : R;
  delta : R;
  bos_vector : vector;
  mean : nat -> vector;
  copy_query : nat -> vector;
  noise : nat -> nat -> vector
}.

(** d_ci = lam m_c + eta_ci. *)
Definition dormant (I : instance) (c i : nat) : vector :=
  fun r => lam I * mean I c r + noise I c i r.

(** Products, squared norms and embedding scores are read in the instance's dimension. *)
Definition inner (I : instance) (x y : vector) : R := dot (dimension I) x y.

(** [member I c i]: c is a group and i one of its members. *)
Definition member (I : instance) (c i : nat) : Prop := (c < groups I)%nat /\ (i < size I c)%nat.

(** "1/2 <= lam^2 < 1, eta_ci orthogonal to all of the above, equal norms delta, at least two per group,
    sum_i eta_ci = 0 in each group." *)
Record valid_instance (I : instance) : Prop := {
  some_dimension : (1 <= dimension I)%nat;
  some_group : (1 <= groups I)%nat;
  two_members : forall c, (c < groups I)%nat -> (2 <= size I c)%nat;
  lam_positive : 0 < lam I;
  lam_from : / 2 <= lam I * lam I;
  lam_below : lam I * lam I < 1;
  delta_nonneg : 0 <= delta I;
  bos_norm : inner I (bos_vector I) (bos_vector I) = INR (dimension I);
  mean_norm : forall c, (c < groups I)%nat -> inner I (mean I c) (mean I c) = INR (dimension I);
  copy_norm : forall c, (c < groups I)%nat -> inner I (copy_query I c) (copy_query I c) = INR (dimension I);
  noise_norm : forall c i, member I c i -> inner I (noise I c i) (noise I c i) = delta I * delta I;
  bos_mean : forall c, (c < groups I)%nat -> inner I (bos_vector I) (mean I c) = 0;
  bos_copy : forall c, (c < groups I)%nat -> inner I (bos_vector I) (copy_query I c) = 0;
  bos_noise : forall c i, member I c i -> inner I (bos_vector I) (noise I c i) = 0;
  mean_mean : forall c c', (c < groups I)%nat -> (c' < groups I)%nat -> c <> c' ->
    inner I (mean I c) (mean I c') = 0;
  copy_copy : forall c c', (c < groups I)%nat -> (c' < groups I)%nat -> c <> c' ->
    inner I (copy_query I c) (copy_query I c') = 0;
  mean_copy : forall c c', (c < groups I)%nat -> (c' < groups I)%nat ->
    inner I (mean I c) (copy_query I c') = 0;
  mean_noise : forall c c' i, (c < groups I)%nat -> member I c' i -> inner I (mean I c) (noise I c' i) = 0;
  copy_noise : forall c c' i, (c < groups I)%nat -> member I c' i -> inner I (copy_query I c) (noise I c' i) = 0;
  noise_centred : forall c, (c < groups I)%nat ->
    forall r, (r < dimension I)%nat -> sum (size I c) (fun i => noise I c i r) = 0
}.

(** Delta: "min_{c, i != j} ||eta_ci - eta_cj||^2 > 0".  [separated I Delta]: every such squared distance
    is at least Delta > 0; the minimum is the largest such Delta. *)
Definition separated (I : instance) (Delta : R) : Prop :=
  0 < Delta /\
  forall c i j, member I c i -> member I c j -> i <> j ->
  Delta <= inner I (fun r => noise I c i r - noise I c j r) (fun r => noise I c i r - noise I c j r).

(** *** Tokens, by name *)

Inductive token_name :=
  | Bos
  | Dormant (c i : nat)
  | Copy (c : nat).

Definition present (I : instance) (t : token_name) : Prop :=
  match t with
  | Bos => True
  | Dormant c i => member I c i
  | Copy c => (c < groups I)%nat
  end.

Definition embedding (I : instance) (t : token_name) : vector :=
  match t with
  | Bos => bos_vector I
  | Dormant c i => dormant I c i
  | Copy c => copy_query I c
  end.

(** The dormant tokens of group c. *)
Definition in_group (c : nat) (t : token_name) : Prop :=
  match t with
  | Dormant c' _ => c' = c
  | _ => False
  end.

(** *** Scores.  "Score(x,y) = x^T W y/sqrt(d)." *)

Definition score (I : instance) (W : matrix) (x y : token_name) : R :=
  bilinear (dimension I) W (embedding I x) (embedding I y) / sqrt (INR (dimension I)).

(** *** "Sink pattern: every dormant query scores BOS at least kappa above every other token (copy tokens
    too)", itself included; "copy query q_c scores each token of its group at least kappa above everything
    else [reading A]": above everything outside its group, itself included. *)

Record sink_pattern (I : instance) (W : matrix) (kappa : R) : Prop := {
  dormant_prefers_bos : forall c i z, member I c i -> present I z -> z <> Bos ->
    kappa + score I W (Dormant c i) z <= score I W (Dormant c i) Bos;
  copy_prefers_group : forall c i z, member I c i -> present I z -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Dormant c i)
}.

(** "... and BOS at least kappa above everything outside its group [reading B = A plus this]." *)
Record sink_pattern_with_bos (I : instance) (W : matrix) (kappa : R) : Prop := {
  reading_a : sink_pattern I W kappa;
  copy_prefers_bos : forall c z, (c < groups I)%nat -> present I z -> z <> Bos -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) Bos
}.

(** *** "Diagonal pattern: every dormant token scores itself at least kappa above every other token; q_c
    scores its group's tokens at least kappa above everything else and itself at least kappa above
    everything outside its group." *)

Record diagonal_pattern (I : instance) (W : matrix) (kappa : R) : Prop := {
  dormant_prefers_itself : forall c i z, member I c i -> present I z -> z <> Dormant c i ->
    kappa + score I W (Dormant c i) z <= score I W (Dormant c i) (Dormant c i);
  copy_prefers_group_d : forall c i z, member I c i -> present I z -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Dormant c i);
  copy_prefers_itself : forall c z, (c < groups I)%nat -> present I z -> ~ in_group c z -> z <> Copy c ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Copy c)
}.

(** *** Costs.  "Map cost of W: min ||W_Q||_F^2 + ||W_K||_F^2 over W_Q^T W_K = W" (any head width).  W_Q and
    W_K are width x d; the same function prices W_O and W_V. *)

Definition squared_frobenius (rows columns : nat) (A : matrix) : R :=
  sum rows (fun h => sum columns (fun r => A h r * A h r)).

Definition factor_cost (d width : nat) (WQ WK : matrix) : R :=
  squared_frobenius width d WQ + squared_frobenius width d WK.

(** A pattern can be had at map cost K (upper bound): some width and factors have it and cost at most K. *)
Definition cost_at_most (I : instance) (pattern : matrix -> Prop) (K : R) : Prop :=
  exists width WQ WK,
    pattern (query_key width WQ WK) /\ factor_cost (dimension I) width WQ WK <= K.

(** A pattern cannot be had for less than K (lower bound): every factorisation that has it costs that. *)
Definition cost_at_least (I : instance) (pattern : matrix -> Prop) (K : R) : Prop :=
  forall width WQ WK,
    pattern (query_key width WQ WK) -> K <= factor_cost (dimension I) width WQ WK.

(** The least map cost of a pattern is K: it can be had for K, and not for less. *)
Definition least_map_cost (I : instance) (pattern : matrix -> Prop) (K : R) : Prop :=
  cost_at_most I pattern K /\ cost_at_least I pattern K.

(** "r_eta = dim span{eta_ci}": an orthonormal basis f_0 .. f_{r-1} of that span has r = r_eta members.
    Orthonormal, every eta is a combination of the f's, every f one of the eta's. *)
Record noise_basis (I : instance) (r : nat) (f : nat -> vector) : Prop := {
  basis_orthonormal : forall k l, (k < r)%nat -> (l < r)%nat ->
    dot (dimension I) (f k) (f l) = if (k =? l)%nat then 1 else 0;
  basis_spans : forall c i, member I c i -> exists x : nat -> R,
    forall a, (a < dimension I)%nat -> noise I c i a = sum r (fun k => x k * f k a);
  basis_in_span : forall k, (k < r)%nat -> exists x : nat -> nat -> R,
    forall a, (a < dimension I)%nat ->
    f k a = sum (groups I) (fun c => sum (size I c) (fun i => x c i * noise I c i a))
}.

(** W_O W_V = W acts as the identity on the dormant span.  In the notation of [query_key], W_Q = W_O^T. *)
Definition fixes_dormant (I : instance) (W : matrix) : Prop :=
  forall c i, member I c i -> forall a, (a < dimension I)%nat ->
  linear_value (dimension I) W (dormant I c i) a = dormant I c i a.
