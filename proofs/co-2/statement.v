(** * co-2: what a diagonal costs at least

    Instances, patterns and map costs are those of docs/THEORY.md, section 5: C groups, dimension d, margin
    kappa, 1/2 <= lam^2 < 1, noises of squared norm delta^2.  Sigma ([difference_covariance]) is the average of
    x x^T over the same-group differences x = eta_ci - eta_cj, all ordered pairs i <> j of all groups; s is a
    number with u^T Sigma u <= s |u|^2 for all u ([top_at_most]); r_eff = tr Sigma/s ([effective_rank]).
    [cost_at_least I p K]: every W_Q, W_K, of any head width, whose scores have the pattern p has
    ||W_Q||_F^2 + ||W_K||_F^2 >= K. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns map_cost closed_forms.
Open Scope R_scope.

(** (C-1) sqrt(1 + 4/lam^2) + sqrt((C+4+lam^2)/(C+(1+C) lam^2)), the copy part. *)
Definition copy_part (I : instance) : R :=
  let C := INR (groups I) in let ll := lam I * lam I in
  (C - 1) * sqrt (1 + 4 / ll) + sqrt ((C + 4 + ll) / (C + (1 + C) * ll)).

(** (C-1)/lam + 1/sqrt(C + lam^2), co-4's bracket. *)
Definition page_bracket (I : instance) : R :=
  let C := INR (groups I) in (C - 1) / lam I + 1 / sqrt (C + lam I * lam I).

(** ** Sigma *)

(** s is such a number exactly if Sigma's operator norm is at most s. *)
Definition operator_norm_top : Prop :=
  forall I s, valid_instance I -> 0 <= s ->
  operator_norm_le (dimension I) (difference_covariance I) s <-> top_at_most I s.

(** tr Sigma <= 2 g delta^2/(g-1), for groups of g members or more. *)
Definition trace_bound : Prop :=
  forall I g, valid_instance I -> sizes_at_least I g ->
  trace (dimension I) (difference_covariance I) <= 2 * INR g * (delta I * delta I) / (INR g - 1).

(** ** The cost *)

(** Any margin, even kappa <= 0. *)
Definition diagonal_lower_top : Prop :=
  forall I (kappa : R) s, valid_instance I -> 0 < s -> top_at_most I s ->
  cost_at_least I (fun W => diagonal_pattern I W kappa)
    (4 * kappa * sqrt (INR (dimension I)) / s + 2 * kappa / sqrt (INR (dimension I)) * copy_part I).

(** With r_eff, for groups of g members or more. *)
Definition diagonal_lower_rank : Prop :=
  forall I kappa s g,
  valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s -> 0 < delta I -> sizes_at_least I g ->
  cost_at_least I (fun W => diagonal_pattern I W kappa)
    (2 * kappa * sqrt (INR (dimension I)) * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
     + 2 * kappa / sqrt (INR (dimension I)) * copy_part I).

(** The copy part is at least twice co-4's bracket, and at least sqrt(2) C. *)
Definition copy_part_rate : Prop :=
  forall I, valid_instance I -> 2 * page_bracket I <= copy_part I /\ sqrt 2 * INR (groups I) <= copy_part I.

(** The page's sharper form. *)
Definition diagonal_lower_bracket : Prop :=
  forall I kappa s g,
  valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s -> 0 < delta I -> sizes_at_least I g ->
  cost_at_least I (fun W => diagonal_pattern I W kappa)
    (2 * kappa * sqrt (INR (dimension I)) * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
     + 4 * kappa / sqrt (INR (dimension I)) * page_bracket I).

(** In place of the published 1/2 the copy part has the constant 2 sqrt 2. *)
Definition diagonal_lower_linear : Prop :=
  forall I kappa s, valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s ->
  cost_at_least I (fun W => diagonal_pattern I W kappa)
    (4 * kappa * sqrt (INR (dimension I)) / s
     + 2 * sqrt 2 * kappa * INR (groups I) / sqrt (INR (dimension I))).

(** The published bound. *)
Definition diagonal_lower : Prop :=
  forall I kappa s, valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s -> 0 < delta I ->
  cost_at_least I (fun W => diagonal_pattern I W kappa)
    (kappa * sqrt (INR (dimension I)) * effective_rank I s / (delta I * delta I)
     + kappa * INR (groups I) / (2 * sqrt (INR (dimension I)))).

(** The constant 4 of the noises' term: "L_diag >= b kappa sqrt(d)/s" for every instance, *)
Definition valid_noise_constant (b : R) : Prop :=
  forall I kappa s, valid_instance I -> 0 < kappa -> 0 < s -> top_at_most I s ->
  cost_at_least I (fun W => diagonal_pattern I W kappa) (b * (kappa * sqrt (INR (dimension I)) / s)).

(** holds for no b above 4. *)
Definition noise_constant_is_largest : Prop := forall b, valid_noise_constant b -> b <= 4.
