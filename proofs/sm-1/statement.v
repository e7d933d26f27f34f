(** * sm-1: what is claimed

    docs/THEORY.md, section 4: second moments of Y_i = beta X_i + W sum_l a_il X_l.  The terms (expectation,
    independent inputs, smoothed rows, the numbers p, s, t, N0) are those of theory/definitions/smoothing.v. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values smoothing.
Open Scope R_scope.

(** D_i = E||Y_i||^2 = N0 + p + 2 (1 - lam theta_i) s + (1 - theta_i (1 - (1-lam)^2)) t, p = beta^2 tr B. *)
Definition second_moment : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R) (W : matrix) (lam : R) (i : nat),
  expectation integrable E -> independent integrable E d k X mu B -> (1 <= i <= k)%nat ->
  E (fun o => dot d (smoothed d k beta W (smoothing_row lam) X i o) (smoothed d k beta W (smoothing_row lam) X i o))
  = N_0 d beta W mu + p_of d beta B + 2 * (1 - lam * theta i) * s_of d beta W B
    + (1 - theta i * (1 - (1 - lam) ^ 2)) * t_of d W B.

(** dD_i/dlam = -2 theta_i (s + (1-lam) t): the derivative of that formula, for all numbers p, s, t, N0. *)
Definition second_moment_derivative : Prop := forall (p s t N0 : R) (i : nat) (lam : R),
  derivable_pt_lim (fun x => N0 + p + 2 * (1 - x * theta i) * s + (1 - theta i * (1 - (1 - x) ^ 2)) * t) lam
    (-2 * theta i * (s + (1 - lam) * t)).

(** For i < l: E[Y_i.Y_l] = N0 + (lam/l)(s + t). *)
Definition product_moment : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (lam : R) (i l : nat),
  expectation integrable E -> independent integrable E d k X mu B ->
  (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  E (fun o => dot d (smoothed d k beta W (smoothing_row lam) X i o) (smoothed d k beta W (smoothing_row lam) X l o))
  = N_0 d beta W mu + lam / INR l * (s_of d beta W B + t_of d W B).

(** Any attention rows that sum to 1:
    E[Y_i.Y_l] = N0 + [i = l] beta^2 tr B + (a_il + a_li) s + (sum_m a_im a_lm) t. *)
Definition attention_moment : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (a : nat -> nat -> R) (i l : nat),
  expectation integrable E -> uncorrelated integrable E d k X mu B ->
  (1 <= i <= k)%nat -> (1 <= l <= k)%nat -> possum k (a i) = 1 -> possum k (a l) = 1 ->
  E (fun o => dot d (smoothed d k beta W a X i o) (smoothed d k beta W a X l o))
  = N_0 d beta W mu + (if (i =? l)%nat then p_of d beta B else 0)
    + (a i l + a l i) * s_of d beta W B + possum k (fun m => a i m * a l m) * t_of d W B.

(** What it uses of independence, E[X_a X_b^T] = mu mu^T + [a = b] B, follows from it. *)
Definition independent_uncorrelated : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix),
  expectation integrable E -> independent integrable E d k X mu B -> uncorrelated integrable E d k X mu B.

(** beta^2 tr B >= 0, t >= 0, N0 >= 0 and s^2 <= beta^2 tr(B) t. *)
Definition moment_bounds : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix),
  expectation integrable E -> uncorrelated integrable E d k X mu B -> (1 <= k)%nat ->
  0 <= p_of d beta B /\ 0 <= t_of d W B /\ 0 <= N_0 d beta W mu /\
  s_of d beta W B * s_of d beta W B <= p_of d beta B * t_of d W B.
