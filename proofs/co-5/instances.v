(** * co-5: the hypotheses can be met

    By one instance: four groups of two, lam = 3/4, delta = 1/2, d = 13, s = 1, r_eff = 1, g = 2
    (proofs/theory/sink_and_diagonal_example.v).  The noises' share is 26, every bracket of a sink at most 22.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-5 Claim instances.v *)

From Coq Require Import Reals Lra.
From Sinkproof Require Import patterns closed_forms sink_and_diagonal sink_and_diagonal_upper cost_lower_bounds
  sink_cost_forms sink_and_diagonal_example.
From Claim Require Import statement crossover.
Open Scope R_scope.

Lemma example_noise_share : noise_share example_instance 1 2 = 26.
Proof. unfold noise_share. rewrite example_effective_rank. simpl. lra. Qed.

Lemma example_short_noises :
  delta example_instance * delta example_instance
  <= (1 - lam example_instance * lam example_instance) * INR (dimension example_instance).
Proof. simpl. lra. Qed.

(** The page's bracket, at most (4 + sqrt 2) C. *)
Lemma example_page : page_sink_cost (INR (groups example_instance)) (lam example_instance) <= 22.
Proof.
  pose proof (page_bracket _ _ (groups_from_1 _ example_valid) (lam_positive _ example_valid) (lam_from _ example_valid)) as H.
  rewrite example_groups in H |- *. pose proof (proj2 sqrt2_bounds). lra.
Qed.

Lemma example_copy : 0 <= sink_bracket example_instance /\ 0 <= diagonal_copy example_instance.
Proof.
  pose proof (diagonal_copy_bracket _ example_valid) as H. assert (B : 0 <= sink_bracket example_instance); [|lra].
  unfold sink_bracket. rewrite example_groups. change (lam example_instance) with (3 / 4).
  assert (0 < 1 / sqrt (4 + 3 / 4 * (3 / 4))) by (apply Rdiv_lt_0_compat; [lra|apply sqrt_lt_R0; lra]). lra.
Qed.

Theorem cheaper_means_instance : exists I p q, cheaper I p q.
Proof.
  do 3 eexists.
  exact (always_cheaper example_instance 1 example_valid Rlt_0_1 example_delta example_short_noises).
Qed.

Theorem crossover_instance : exists I kappa s g,
  valid_instance I /\ 0 < kappa /\ 0 < delta I /\ 0 < s /\ top_at_most I s /\ sizes_at_least I g
  /\ sqrt (2 * INR (groups I)) / lam I + INR (groups I) * (1 / lam I + 1 / (lam I * lam I))
     < noise_share I s g + 2 * ((INR (groups I) - 1) / lam I + 1 / sqrt (INR (groups I) + lam I * lam I)).
Proof.
  exists example_instance, 1, 1, 2%nat.
  repeat (split; [exact example_valid || exact example_delta || exact example_top || exact example_sizes || lra|]).
  pose proof example_page as P. pose proof example_copy as [B D]. rewrite example_noise_share.
  unfold page_sink_cost in P. unfold sink_bracket in B. lra.
Qed.

Theorem crossover_sink_instance : exists I kappa s g,
  valid_instance I /\ 0 < kappa /\ 0 < delta I /\ 0 < s /\ top_at_most I s /\ sizes_at_least I g
  /\ sink_cost (INR (groups I)) (lam I) < noise_share I s g + diagonal_copy I.
Proof.
  exists example_instance, 1, 1, 2%nat.
  repeat (split; [exact example_valid || exact example_delta || exact example_top || exact example_sizes || lra|]).
  pose proof example_page as P. pose proof example_copy as [B D]. rewrite example_noise_share.
  pose proof (sink_cost_le 4 (lam example_instance) ltac:(repeat constructor) (lam_positive _ example_valid)
                (lam_from _ example_valid)) as A.
  change (INR 4) with (INR (groups example_instance)) in A. rewrite example_groups in *.
  pose proof (proj2 sqrt2_bounds). lra.
Qed.

Theorem crossover_with_bos_instance : exists I kappa s g,
  valid_instance I /\ 0 < kappa /\ 0 < delta I /\ 0 < s /\ top_at_most I s /\ sizes_at_least I g
  /\ sink_cost_with_bos (INR (groups I)) (lam I) < noise_share I s g + diagonal_copy I.
Proof.
  exists example_instance, 1, 1, 2%nat.
  repeat (split; [exact example_valid || exact example_delta || exact example_top || exact example_sizes || lra|]).
  pose proof example_page as P. pose proof example_copy as [B D]. rewrite example_noise_share.
  pose proof (sink_cost_page _ _ (groups_from_1 _ example_valid) (lam_positive _ example_valid)
                (lam_from _ example_valid) (lam_below _ example_valid)). lra.
Qed.

Theorem crossover_with_bos_middle_instance : exists I kappa s g,
  valid_instance I /\ 0 < kappa /\ 0 < delta I /\ 0 < s /\ top_at_most I s /\ sizes_at_least I g
  /\ neither_few_nor_many (INR (groups I)) (lam I)
  /\ sink_cost_with_bos_many (INR (groups I)) (lam I) < noise_share I s g + diagonal_copy I.
Proof.
  exists example_instance, 1, 1, 2%nat.
  repeat (split; [exact example_valid || exact example_delta || exact example_top || exact example_sizes || exact example_between || lra|]).
  pose proof example_page as P. pose proof example_copy as [B D]. rewrite example_noise_share.
  rewrite example_groups.
  pose proof (many_four _ (lam_positive _ example_valid) (lam_from _ example_valid) (lam_below _ example_valid)).
  pose proof (proj2 reading_b_constant_bounds). lra.
Qed.

Theorem always_cheaper_instance : exists I kappa,
  valid_instance I /\ 0 < kappa /\ 0 < delta I /\ delta I * delta I <= (1 - lam I * lam I) * INR (dimension I).
Proof.
  exists example_instance, 1.
  repeat (split; [exact example_valid || exact example_delta || lra|]). exact example_short_noises.
Qed.

Print Assumptions cheaper_means_instance.
Print Assumptions crossover_sink_instance.
Print Assumptions crossover_with_bos_instance.
Print Assumptions crossover_with_bos_middle_instance.
Print Assumptions crossover_instance.
Print Assumptions always_cheaper_instance.
