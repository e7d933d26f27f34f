(** * Smoothed attention: the setting of docs/THEORY.md, section 4

    "X_1..X_k independent, mean mu, covariance B.  Y_i = beta X_i + W sum_l a_il X_l, row i attends by
    a_i(lam) = (1-lam) delta_i + lam uniform{1..i}."  Positions count from 1, coordinates from 0. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** An expectation on functions of a point of Omega: linear, E[1] = 1, E[f] >= 0 for f >= 0, on a space of
    integrable functions (finite laws, densities, anything). *)
Record expectation {Omega : Type} (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R) : Prop := {
  expectation_constant : forall c, integrable (fun _ => c) /\ E (fun _ => c) = c;
  expectation_combine : forall f g a b, integrable f -> integrable g ->
    integrable (fun o => a * f o + b * g o) /\ E (fun o => a * f o + b * g o) = a * E f + b * E g;
  expectation_nonneg : forall f, integrable f -> (forall o, 0 <= f o) -> 0 <= E f;
  expectation_ext : forall f g, (forall o, f o = g o) -> integrable f -> integrable g /\ E f = E g
}.

(** "X_1..X_k independent, mean mu, covariance B" in R^d. *)
Record independent {Omega : Type} (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R) (d k : nat)
    (X : nat -> Omega -> vector) (mu : vector) (B : matrix) : Prop := {
  independent_mean : forall m r, (1 <= m <= k)%nat -> (r < d)%nat ->
    integrable (fun o => X m o r) /\ E (fun o => X m o r) = mu r;
  independent_covariance : forall m r c, (1 <= m <= k)%nat -> (r < d)%nat -> (c < d)%nat ->
    integrable (fun o => (X m o r - mu r) * (X m o c - mu c)) /\
    E (fun o => (X m o r - mu r) * (X m o c - mu c)) = B r c;
  independent_product : forall m m' (f g : vector -> R), (1 <= m <= k)%nat -> (1 <= m' <= k)%nat -> m <> m' ->
    integrable (fun o => f (X m o)) -> integrable (fun o => g (X m' o)) ->
    integrable (fun o => f (X m o) * g (X m' o)) /\
    E (fun o => f (X m o) * g (X m' o)) = E (fun o => f (X m o)) * E (fun o => g (X m' o))
}.

(** What is used of it: E[X_m] = mu, E[X_m X_m'^T] = mu mu^T + [m = m'] B. *)
Record uncorrelated {Omega : Type} (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R) (d k : nat)
    (X : nat -> Omega -> vector) (mu : vector) (B : matrix) : Prop := {
  uncorrelated_mean : forall m r, (1 <= m <= k)%nat -> (r < d)%nat ->
    integrable (fun o => X m o r) /\ E (fun o => X m o r) = mu r;
  uncorrelated_second : forall m m' r c, (1 <= m <= k)%nat -> (1 <= m' <= k)%nat -> (r < d)%nat -> (c < d)%nat ->
    integrable (fun o => X m o r * X m' o c) /\
    E (fun o => X m o r * X m' o c) = mu r * mu c + (if (m =? m')%nat then B r c else 0)
}.

(** "Y_i = beta X_i + W sum_l a_il X_l", coordinate r. *)
Definition smoothed {Omega : Type} (d k : nat) (beta : R) (W : matrix) (a : nat -> nat -> R)
    (X : nat -> Omega -> vector) (i : nat) (o : Omega) (r : nat) : R :=
  beta * X i o r + sum d (fun c => W r c * possum k (fun l => a i l * X l o c)).

(** "theta_i = 1 - 1/i"; "a_i(lam) = (1-lam) delta_i + lam uniform{1..i}". *)
Definition theta (i : nat) : R := 1 - / INR i.
Definition smoothing_row (lam : R) (i l : nat) : R :=
  (1 - lam) * (if (l =? i)%nat then 1 else 0) + lam * (if (l <=? i)%nat then / INR i else 0).

(** "p = beta^2 tr B", "s = beta tr(BW)", "t = tr(B W^T W)", "N0 = ||(beta I + W) mu||^2". *)
Definition matrix_trace (d : nat) (A : matrix) : R := sum d (fun r => A r r).
Definition matrix_times (d : nat) (A B : matrix) : matrix := fun r c => sum d (fun m => A r m * B m c).
Definition matrix_transpose (A : matrix) : matrix := fun r c => A c r.
Definition mean_output (d : nat) (beta : R) (W : matrix) (mu : vector) : vector :=
  fun r => beta * mu r + sum d (fun c => W r c * mu c).
Definition p_of (d : nat) (beta : R) (B : matrix) : R := beta * beta * matrix_trace d B.
Definition s_of (d : nat) (beta : R) (W B : matrix) : R := beta * matrix_trace d (matrix_times d B W).
Definition t_of (d : nat) (W B : matrix) : R :=
  matrix_trace d (matrix_times d (matrix_times d B (matrix_transpose W)) W).
Definition N_0 (d : nat) (beta : R) (W : matrix) (mu : vector) : R :=
  dot d (mean_output d beta W mu) (mean_output d beta W mu).

(** "D_i" and, for i < l, "E[Y_i.Y_l]", as functions of the four numbers and of lam. *)
Definition moment (p s t N0 : R) (i : nat) (lam : R) : R :=
  N0 + p + 2 * (1 - lam * theta i) * s + (1 - theta i * (1 - (1 - lam) ^ 2)) * t.
Definition cross_moment (s t N0 : R) (l : nat) (lam : R) : R := N0 + lam / INR l * (s + t).

(** What is true of the four numbers of every model. *)
Record moments (p s t N0 : R) : Prop := {
  moments_p : 0 <= p;
  moments_t : 0 <= t;
  moments_N0 : 0 <= N0;
  moments_cauchy_schwarz : s * s <= p * t
}.

(** f on [a,b]. *)
Definition strictly_increasing (f : R -> R) (a b : R) : Prop :=
  forall x y, a <= x -> x < y -> y <= b -> f x < f y.

Definition strictly_decreasing (f : R -> R) (a b : R) : Prop :=
  forall x y, a <= x -> x < y -> y <= b -> f y < f x.
