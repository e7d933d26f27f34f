(** * ca-1: there are such models

    Tokens and rows that are whole numbers; each map adds up what it is given.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ca-1 Claim instances.v *)

From Coq Require Import List Arith.
From Claim Require Import statement causal_rows.

Definition total (rows : list nat) : nat := list_sum rows.

Theorem prefix_rows_instance : exists (T X : Type) (embed : list T -> X), True.
Proof. now exists nat, nat, total. Qed.

Theorem first_row_instance : exists (T X : Type) (embed : list T -> X) (layers : list (list X -> X)) (first : T), True.
Proof. now exists nat, nat, total, (cons total nil), 1. Qed.

Theorem causal_iff_instance : exists (A B : Type) (b : B), True.
Proof. now exists nat, nat, 0. Qed.

Print Assumptions prefix_rows_instance.
Print Assumptions first_row_instance.
Print Assumptions causal_iff_instance.
