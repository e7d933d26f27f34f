(** x y >= x for y >= 1, over the natural numbers: a fixture, so quick rather than general. *)
From Coq Require Import PeanoNat.
From Sinkproof Require Import toy_sum.

Theorem toy (x y : nat) : 1 <= y -> x <= x * y.
Proof.
  intros H. rewrite <- (Nat.mul_1_r x) at 1. apply Nat.mul_le_mono_l. exact H.
Qed.

Theorem toy_twice (x : nat) : twice x = x + x.
Proof. reflexivity. Qed.

Print Assumptions toy.
Print Assumptions toy_twice.
