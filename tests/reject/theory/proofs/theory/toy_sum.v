(** The shared theory of the fixture: twice a number. *)
From Coq Require Import Reals.
Open Scope R_scope.

Definition twice (x : R) : R := x + x.
