(** * co-2: the hypotheses can be met

    By one instance: four groups of two, lam = 3/4, delta = 1/2, d = 13, s = 1
    (proofs/theory/sink_and_diagonal_example.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-2 Claim instances.v *)

From Coq Require Import Reals Lra.
From Sinkproof Require Import patterns closed_forms sink_and_diagonal_example.
Open Scope R_scope.

Theorem operator_norm_top_instance : exists I s, valid_instance I /\ 0 <= s.
Proof. exists example_instance, 1. split; [exact example_valid|lra]. Qed.

Theorem trace_bound_instance : exists I g, valid_instance I /\ sizes_at_least I g.
Proof. exists example_instance, 2%nat. split; [exact example_valid|exact example_sizes]. Qed.

Theorem diagonal_lower_top_instance : exists I (kappa : R) s, valid_instance I /\ 0 < s /\ top_at_most I s.
Proof. exists example_instance, 1, 1. split; [exact example_valid|]. split; [lra|exact example_top]. Qed.

Theorem diagonal_lower_rank_instance : exists I kappa s g,
  valid_instance I /\ 0 <= kappa /\ 0 < s /\ top_at_most I s /\ 0 < delta I /\ sizes_at_least I g.
Proof.
  exists example_instance, 1, 1, 2%nat.
  repeat (split; [exact example_valid || exact example_top || exact example_delta || lra|]). exact example_sizes.
Qed.

Theorem copy_part_rate_instance : exists I, valid_instance I.
Proof. exists example_instance. exact example_valid. Qed.

Theorem diagonal_lower_bracket_instance : exists I kappa s g,
  valid_instance I /\ 0 <= kappa /\ 0 < s /\ top_at_most I s /\ 0 < delta I /\ sizes_at_least I g.
Proof. exact diagonal_lower_rank_instance. Qed.

Theorem diagonal_lower_linear_instance : exists I kappa s, valid_instance I /\ 0 <= kappa /\ 0 < s /\ top_at_most I s.
Proof.
  exists example_instance, 1, 1.
  repeat (split; [exact example_valid || lra|]). exact example_top.
Qed.

Theorem diagonal_lower_instance : exists I kappa s,
  valid_instance I /\ 0 <= kappa /\ 0 < s /\ top_at_most I s /\ 0 < delta I.
Proof.
  exists example_instance, 1, 1.
  repeat (split; [exact example_valid || exact example_top || lra|]). exact example_delta.
Qed.

Print Assumptions operator_norm_top_instance.
Print Assumptions trace_bound_instance.
Print Assumptions diagonal_lower_top_instance.
Print Assumptions diagonal_lower_rank_instance.
Print Assumptions copy_part_rate_instance.
Print Assumptions diagonal_lower_bracket_instance.
Print Assumptions diagonal_lower_linear_instance.
Print Assumptions diagonal_lower_instance.
