(** x y >= x for y >= 1, over the natural numbers: a fixture, so quick rather than general. *)
From Coq Require Import PeanoNat.
From Sinkproof Require Import toy_sum.
From Claim Require Import statement.

Theorem toy : statement.toy.
Proof.
  intros x y H. rewrite <- (Nat.mul_1_r x) at 1. apply Nat.mul_le_mono_l. exact H.
Qed.

Theorem toy_instance : exists x y : nat, 1 <= y.
Proof. exists 0, 1. apply le_n. Qed.

Theorem toy_twice : statement.toy_twice.
Proof. intros x. reflexivity. Qed.

Print Assumptions toy.
Print Assumptions toy_instance.
Print Assumptions toy_twice.
