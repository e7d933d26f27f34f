(** * co-5: when the sink is certainly cheaper than the diagonal

    Instances, patterns and map costs are those of docs/THEORY.md, section 5: C groups, dimension d, margin
    kappa, 1/2 <= lam^2 < 1, noises of squared norm delta^2.  Sigma is the average of x x^T over same-group
    differences, s a number with u^T Sigma u <= s |u|^2 for all u ([top_at_most]), r_eff = tr Sigma/s
    ([effective_rank]), g a number with g members or more in every group ([sizes_at_least]). *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns closed_forms.
Open Scope R_scope.

(** Some factorisation with pattern p costs less than every factorisation with pattern q, by a fixed amount. *)
Definition cheaper (I : instance) (p q : matrix -> Prop) : Prop :=
  exists low high, low < high /\ cost_at_most I p low /\ cost_at_least I q high.

(** In words: one W_Q, W_K beats them all. *)
Definition cheaper_means : Prop :=
  forall I p q, cheaper I p q ->
  exists width WQ WK, p (query_key width WQ WK) /\
  forall width' WQ' WK', q (query_key width' WQ' WK') ->
  factor_cost (dimension I) width WQ WK < factor_cost (dimension I) width' WQ' WK'.

(** (d/delta^2) r_eff (g-1)/g: the noises' share of the diagonal. *)
Definition noise_share (I : instance) (s : R) (g : nat) : R :=
  INR (dimension I) / (delta I * delta I) * effective_rank I s * ((INR g - 1) / INR g).

(** The page's inequality, both readings. *)
Definition crossover : Prop :=
  forall I kappa s g,
  valid_instance I -> 0 < kappa -> 0 < delta I -> 0 < s -> top_at_most I s -> sizes_at_least I g ->
  sqrt (2 * INR (groups I)) / lam I + INR (groups I) * (1 / lam I + 1 / (lam I * lam I))
  < noise_share I s g + 2 * ((INR (groups I) - 1) / lam I + 1 / sqrt (INR (groups I) + lam I * lam I)) ->
  cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa)
  /\ cheaper I (fun W => sink_pattern I W kappa) (fun W => diagonal_pattern I W kappa).

(** Sharper: co-1's closed forms against co-2's copy part.  Reading A. *)
Definition crossover_sink : Prop :=
  forall I kappa s g,
  valid_instance I -> 0 < kappa -> 0 < delta I -> 0 < s -> top_at_most I s -> sizes_at_least I g ->
  sink_cost (INR (groups I)) (lam I) < noise_share I s g + diagonal_copy I ->
  cheaper I (fun W => sink_pattern I W kappa) (fun W => diagonal_pattern I W kappa).

(** Reading B. *)
Definition crossover_with_bos : Prop :=
  forall I kappa s g,
  valid_instance I -> 0 < kappa -> 0 < delta I -> 0 < s -> top_at_most I s -> sizes_at_least I g ->
  sink_cost_with_bos (INR (groups I)) (lam I) < noise_share I s g + diagonal_copy I ->
  cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa).

(** Reading B in the middle, from 4 to 10 groups whatever lam. *)
Definition crossover_with_bos_middle : Prop :=
  forall I kappa s g,
  valid_instance I -> 0 < kappa -> 0 < delta I -> 0 < s -> top_at_most I s -> sizes_at_least I g ->
  neither_few_nor_many (INR (groups I)) (lam I) ->
  sink_cost_with_bos_many (INR (groups I)) (lam I) < noise_share I s g + diagonal_copy I ->
  cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa).

(** Nothing to compute: |lam m_c + eta_ci|^2 <= d, dormant tokens no longer than the others. *)
Definition always_cheaper : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa -> 0 < delta I ->
  delta I * delta I <= (1 - lam I * lam I) * INR (dimension I) ->
  cheaper I (fun W => sink_pattern I W kappa) (fun W => diagonal_pattern I W kappa).
