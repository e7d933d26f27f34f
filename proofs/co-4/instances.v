(** * co-4: the hypotheses can be met

    By one instance: four groups of two, lam = 3/4, delta = 1/2, d = 13 (proofs/theory/sink_and_diagonal_example.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-4 Claim instances.v *)

From Coq Require Import Reals Lra.
From Sinkproof Require Import patterns sink_and_diagonal_example.
Open Scope R_scope.

(** An instance, a margin > 0 and a margin >= 0. *)
Lemma instance_with_margin : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exists example_instance, 1. split; [exact example_valid|lra]. Qed.

Lemma instance_with_weak_margin : exists I kappa, valid_instance I /\ 0 <= kappa.
Proof. exists example_instance, 1. split; [exact example_valid|lra]. Qed.

Theorem sink_lower_exact_instance : exists (I : instance) (kappa : R), valid_instance I.
Proof. exists example_instance, 1. exact example_valid. Qed.

Theorem sink_lower_attained_instance : exists I kappa, valid_instance I /\ 0 < kappa.
Proof. exact instance_with_margin. Qed.

Theorem sink_lower_closed_form_instance : exists I, valid_instance I.
Proof. exists example_instance. exact example_valid. Qed.

Theorem sink_lower_rate_instance : exists I, valid_instance I.
Proof. exists example_instance. exact example_valid. Qed.

Theorem sink_lower_bracket_instance : exists I kappa, valid_instance I /\ 0 <= kappa.
Proof. exact instance_with_weak_margin. Qed.

Theorem sink_lower_linear_instance : exists I kappa, valid_instance I /\ 0 <= kappa.
Proof. exact instance_with_weak_margin. Qed.

Theorem sink_lower_instance : exists I kappa, valid_instance I /\ 0 <= kappa.
Proof. exact instance_with_weak_margin. Qed.

Theorem sink_lower_with_bos_instance : exists (I : instance) (kappa : R), valid_instance I.
Proof. exists example_instance, 1. exact example_valid. Qed.

Theorem sink_with_bos_lower_instance : exists (I : instance) (kappa : R), valid_instance I.
Proof. exists example_instance, 1. exact example_valid. Qed.

Theorem sink_with_bos_lower_linear_instance : exists I kappa, valid_instance I /\ 0 <= kappa.
Proof. exact instance_with_weak_margin. Qed.

Print Assumptions sink_lower_exact_instance.
Print Assumptions sink_lower_attained_instance.
Print Assumptions sink_lower_closed_form_instance.
Print Assumptions sink_lower_rate_instance.
Print Assumptions sink_lower_bracket_instance.
Print Assumptions sink_lower_linear_instance.
Print Assumptions sink_lower_instance.
Print Assumptions sink_lower_with_bos_instance.
Print Assumptions sink_with_bos_lower_instance.
Print Assumptions sink_with_bos_lower_linear_instance.
