(** The fixture's sentences: x y >= x for y >= 1, over the natural numbers; twice x is x + x. *)
From Sinkproof Require Import toy_sum.

Definition toy : Prop :=
  forall x y : nat, 1 <= y -> x <= x * y.

Definition toy_twice : Prop :=
  forall x : nat, twice x = x + x.
