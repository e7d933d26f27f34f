(** x y >= x for x > 0 and y >= 1. *)
From Coq Require Import Reals Lra.
From Sinkproof Require Import toy_sum.
Open Scope R_scope.

Theorem toy x y : 0 < x -> 1 <= y -> x * y >= x.
Proof. intros Hx Hy. assert (0 <= x * (y - 1)) by (apply Rmult_le_pos; lra). lra. Qed.

Theorem toy_twice x : twice x = 2 * x.
Proof. unfold twice. ring. Qed.

Print Assumptions toy.
Print Assumptions toy_twice.
