(** * co-3: the hypotheses can be met

    By one instance: four groups of two, lam = 3/4, delta = 1/2, d = 13, Delta = 1, r_eta = 4
    (proofs/theory/sink_and_diagonal_example.v); and by the constants of diagonal_upper.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-3 Claim instances.v *)

From Coq Require Import Reals Lra.
From Sinkproof Require Import patterns sink_and_diagonal_example.
From Claim Require Import statement diagonal_upper.
Open Scope R_scope.

Theorem diagonal_cost_instance : exists I kappa Delta r f,
  valid_instance I /\ 0 < kappa /\ separated I Delta /\ noise_basis I r f.
Proof.
  exists example_instance, 1, 1. do 2 eexists. split; [exact example_valid|]. split; [lra|].
  split; [exact example_separated|exact example_basis].
Qed.

Theorem constants_are_enough_instance : exists I kappa Delta r f,
  valid_instance I /\ 0 < kappa /\ separated I Delta /\ noise_basis I r f.
Proof. exact diagonal_cost_instance. Qed.

Theorem group_constant_is_least_instance : exists a, valid_constants a 4.
Proof. exists (3 * sqrt 6). exact constants_are_enough. Qed.

Theorem noise_constant_is_least_instance : exists a b, valid_constants a b.
Proof. exists (3 * sqrt 6), 4. exact constants_are_enough. Qed.

Theorem cheap_diagonal_instance : exists I kappa Delta r f,
  valid_instance I /\ 0 < kappa /\ separated I Delta /\ noise_basis I r f.
Proof. exact diagonal_cost_instance. Qed.

Print Assumptions diagonal_cost_instance.
Print Assumptions constants_are_enough_instance.
Print Assumptions group_constant_is_least_instance.
Print Assumptions noise_constant_is_least_instance.
Print Assumptions cheap_diagonal_instance.
