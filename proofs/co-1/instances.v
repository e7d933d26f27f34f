(** * co-1: the hypotheses can be met

    By one instance: four groups of two, lam = 3/4, delta = 1/2, d = 13 (proofs/theory/sink_and_diagonal_example.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-1 Claim instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_example.
From Claim Require Import statement.
Open Scope R_scope.

Theorem least_sink_cost_instance : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exists example_instance, 1. split; [exact example_valid|lra]. Qed.

Theorem constant_is_enough_instance : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exact least_sink_cost_instance. Qed.

Theorem cheap_sink_with_bos_instance : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exact least_sink_cost_instance. Qed.

Theorem least_sink_with_bos_cost_instance :
  exists I kappa, valid_instance I /\ 0 < kappa /\ middle (INR (groups I)) (lam I).
Proof. exists example_instance, 1. split; [exact example_valid|]. split; [lra|exact example_between]. Qed.

Theorem four_to_ten_groups_instance :
  exists I, valid_instance I /\ (4 <= groups I)%nat /\ (groups I <= 10)%nat.
Proof. exists example_instance. split; [exact example_valid|]. split; simpl; lia. Qed.

Theorem reading_b_constant_is_enough_instance : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exact least_sink_cost_instance. Qed.

Theorem page_sink_instance : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exact least_sink_cost_instance. Qed.

Theorem identity_cost_instance : exists I r f, valid_instance I /\ noise_basis I r f.
Proof. do 3 eexists. split; [exact example_valid|exact example_basis]. Qed.

Theorem cheap_sink_instance : exists I kappa r f, valid_instance I /\ 0 < kappa /\ noise_basis I r f.
Proof. exists example_instance, 1. do 2 eexists. split; [exact example_valid|]. split; [lra|exact example_basis]. Qed.

Print Assumptions least_sink_cost_instance.
Print Assumptions constant_is_enough_instance.
Print Assumptions cheap_sink_with_bos_instance.
Print Assumptions least_sink_with_bos_cost_instance.
Print Assumptions four_to_ten_groups_instance.
Print Assumptions reading_b_constant_is_enough_instance.
Print Assumptions page_sink_instance.
Print Assumptions identity_cost_instance.
Print Assumptions cheap_sink_instance.
