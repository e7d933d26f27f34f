(** The shared theory of the fixture: twice a number. *)
Definition twice (x : nat) : nat := x + x.
