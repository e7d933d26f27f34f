(** * sm-2: what is claimed

    docs/THEORY.md, section 4: how smoothing attention moves c(lam) = E[Y_i.Y_l]/sqrt(D_i D_l), i < l, a ratio of
    expectations.  Models and the formulas [moment] (D_i) and [cross_moment] (E[Y_i.Y_l]) are those of
    theory/definitions/smoothing.v; [moments p s t N0] is what is true of every model's numbers. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values smoothing.
Open Scope R_scope.

(** "c(lam)" in the numbers p, s, t, N0. *)
Definition cosine (p s t N0 : R) (i l : nat) (lam : R) : R :=
  cross_moment s t N0 l lam / sqrt (moment p s t N0 i lam * moment p s t N0 l lam).

(** The page's quartic P. *)
Definition turning (p s t N0 : R) (i l : nat) (lam : R) : R :=
  (s + t) / INR l * moment p s t N0 i lam * moment p s t N0 l lam
  + cross_moment s t N0 l lam * (s + (1 - lam) * t)
    * (theta i * moment p s t N0 l lam + theta l * moment p s t N0 i lam).

(** "c(lam)" of a model: E[Y_i.Y_l]/sqrt(E||Y_i||^2 E||Y_l||^2). *)
Definition expected_cosine {Omega : Type} (E : (Omega -> R) -> R) (d k : nat) (beta : R) (W : matrix)
    (X : nat -> Omega -> vector) (i l : nat) (lam : R) : R :=
  let product a b := E (fun o => dot d (smoothed d k beta W (smoothing_row lam) X a o)
                                       (smoothed d k beta W (smoothing_row lam) X b o)) in
  product i l / sqrt (product i i * product l l).

(** A model's c(lam) is [cosine] of its four numbers, of which [moments] is true: what follows applies to it. *)
Definition smoothing_of_model : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (i l : nat),
  expectation integrable E -> independent integrable E d k X mu B -> (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  moments (p_of d beta B) (s_of d beta W B) (t_of d W B) (N_0 d beta W mu) /\
  forall lam, expected_cosine E d k beta W X i l lam
              = cosine (p_of d beta B) (s_of d beta W B) (t_of d W B) (N_0 d beta W mu) i l lam.

(** So in a model with s >= 0 and t > 0 dense attention smooths more: c strictly increases on [0,1]. *)
Definition dense_attention_smooths_more : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (i l : nat),
  expectation integrable E -> independent integrable E d k X mu B -> (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  0 <= s_of d beta W B -> 0 < t_of d W B ->
  strictly_increasing (expected_cosine E d k beta W X i l) 0 1.

(** D_i > 0 whenever t > 0 and (s + t <> 0 or N0 > 0). *)
Definition moment_positive : Prop := forall (p s t N0 : R) (i : nat) (lam : R),
  (1 <= i)%nat -> moments p s t N0 -> 0 < t -> s + t <> 0 \/ 0 < N0 -> 0 < moment p s t N0 i lam.

(** c' is P over a positive number. *)
Definition cosine_derivative : Prop := forall (p s t N0 : R) (i l : nat) (lam : R),
  (1 <= l)%nat -> 0 < moment p s t N0 i lam -> 0 < moment p s t N0 l lam ->
  derivable_pt_lim (cosine p s t N0 i l) lam
    (turning p s t N0 i l lam
     / (moment p s t N0 i lam * moment p s t N0 l lam * sqrt (moment p s t N0 i lam * moment p s t N0 l lam))).

(** In x = lam - (1 + s/t), P = k A C - t n (theta_i C + theta_l A) x - 2 t^2 n theta_i theta_l x^3
    - k theta_i theta_l t^2 x^4, with k = (s+t)/l and A, C, n the values of D_i, D_l and the numerator at x = 0. *)
Definition turning_expanded : Prop := forall (p s t N0 : R) (i l : nat) (lam m A C n k x : R),
  t <> 0 -> (1 <= l)%nat -> m = 1 + s / t -> A = moment p s t N0 i m -> C = moment p s t N0 l m ->
  n = cross_moment s t N0 l m -> k = (s + t) / INR l -> x = lam - m ->
  turning p s t N0 i l lam
  = k * A * C - t * n * (theta i * C + theta l * A) * x
    - 2 * t ^ 2 * n * theta i * theta l * x ^ 3 - k * theta i * theta l * t ^ 2 * x ^ 4.

(** For i = 1 the quartic is linear. *)
Definition turning_first_row : Prop := forall (p s t N0 : R) (l : nat) (lam m : R),
  t <> 0 -> (1 <= l)%nat -> m = 1 + s / t ->
  turning p s t N0 1 l lam
  = moment p s t N0 1 m
    * ((s + t) / INR l * moment p s t N0 l m - t * cross_moment s t N0 l m * theta l * (lam - m)).

(** (a) s >= 0, t > 0: c strictly increases. *)
Definition smoothing_increases : Prop := forall (p s t N0 : R) (i l : nat),
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> 0 <= s -> 0 < t ->
  strictly_increasing (cosine p s t N0 i l) 0 1.

(** (b) s + t < 0: then t > 0, and c strictly decreases as long as its numerator is >= 0. *)
Definition smoothing_decreases : Prop := forall (p s t N0 : R) (i l : nat),
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> s + t < 0 ->
  0 < t /\
  (forall x y, 0 <= x -> x < y -> 0 <= cross_moment s t N0 l y ->
   cosine p s t N0 i l y < cosine p s t N0 i l x).

(** (b) On [0,1] c strictly decreases, or it has one turning point, the only root of P in [0, oo), where the numerator is
    negative, and strictly increases after it. *)
Definition smoothing_falls_then_rises : Prop := forall (p s t N0 : R) (i l : nat),
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> s + t < 0 ->
  strictly_decreasing (cosine p s t N0 i l) 0 1 \/
  exists z, 0 < z < 1 /\ cross_moment s t N0 l z < 0 /\
            (forall w, 0 <= w -> (turning p s t N0 i l w = 0 <-> w = z)) /\
            strictly_decreasing (cosine p s t N0 i l) 0 z /\ strictly_increasing (cosine p s t N0 i l) z 1.

(** (b) For i = 1 it strictly decreases. *)
Definition smoothing_falls_first_row : Prop := forall (p s t N0 : R) (l : nat),
  (1 < l)%nat -> moments p s t N0 -> s + t < 0 -> strictly_decreasing (cosine p s t N0 1 l) 0 1.

(** (c) s + t = 0, t > 0, N0 > 0: c strictly decreases. *)
Definition smoothing_decreases_balanced : Prop := forall (p s t N0 : R) (i l : nat),
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> s + t = 0 -> 0 < t -> 0 < N0 ->
  strictly_decreasing (cosine p s t N0 i l) 0 1.

(** (d) -t < s < 0: c strictly increases on [0, 1 + s/t] and beyond: up to 1 if P(1) >= 0, else up to the one root of P
    in (1 + s/t, 1), after which it strictly decreases. *)
Definition smoothing_rises_then_falls : Prop := forall (p s t N0 : R) (i l : nat),
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> - t < s -> s < 0 ->
  0 < 1 + s / t < 1 /\ strictly_increasing (cosine p s t N0 i l) 0 (1 + s / t) /\
  ((0 <= turning p s t N0 i l 1 /\ strictly_increasing (cosine p s t N0 i l) 0 1) \/
   (turning p s t N0 i l 1 < 0 /\ exists z, 1 + s / t < z < 1 /\
      (forall w, 1 + s / t <= w -> (turning p s t N0 i l w = 0 <-> w = z)) /\
      strictly_increasing (cosine p s t N0 i l) 0 z /\ strictly_decreasing (cosine p s t N0 i l) z 1)).

(** t = 0: then s = 0, and neither D nor E[Y_i.Y_l] moves. *)
Definition smoothing_constant : Prop := forall (p s t N0 : R) (i l : nat) (x y : R),
  moments p s t N0 -> t = 0 ->
  s = 0 /\ moment p s t N0 i x = moment p s t N0 i y /\ cross_moment s t N0 l x = cross_moment s t N0 l y /\
  cosine p s t N0 i l x = cosine p s t N0 i l y.

(** s + t = 0 = N0: c = 0. *)
Definition smoothing_zero : Prop := forall (p s t N0 : R) (i l : nat) (x : R),
  s + t = 0 -> N0 = 0 -> cosine p s t N0 i l x = 0.

(** (b) occurs: on the line, mean 0, variance 1, beta = 1, W = -9/10, rows 2 and 3: c turns in (1/10, 1/5). *)
Definition rise_example : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (X : nat -> Omega -> vector),
  expectation integrable E -> independent integrable E 1 3 X (fun _ => 0) (fun _ _ => 1) ->
  exists z, 1 / 10 < z < 1 / 5 /\ strictly_decreasing (expected_cosine E 1 3 1 (fun _ _ => - (9 / 10)) X 2 3) 0 z /\
            strictly_increasing (expected_cosine E 1 3 1 (fun _ _ => - (9 / 10)) X 2 3) z 1.

(** (d) occurs: the same with mean 1 and W = -2: c turns in (3/5, 7/10). *)
Definition fall_example : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (X : nat -> Omega -> vector),
  expectation integrable E -> independent integrable E 1 3 X (fun _ => 1) (fun _ _ => 1) ->
  exists z, 3 / 5 < z < 7 / 10 /\ strictly_increasing (expected_cosine E 1 3 1 (fun _ _ => -2) X 2 3) 0 z /\
            strictly_decreasing (expected_cosine E 1 3 1 (fun _ _ => -2) X 2 3) z 1.

(** (d) without a turning point occurs: mean 0 and W = -10: c strictly increases. *)
Definition no_turn_example : Prop := forall (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (X : nat -> Omega -> vector),
  expectation integrable E -> independent integrable E 1 3 X (fun _ => 0) (fun _ _ => 1) ->
  strictly_increasing (expected_cosine E 1 3 1 (fun _ _ => -10) X 2 3) 0 1.
