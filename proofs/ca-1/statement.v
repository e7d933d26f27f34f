(** * ca-1: rows of a causal model do not depend on what follows

    Rows and tokens are of any types: nothing is assumed of the numbers in them. *)

From Coq Require Import List Arith.

(** A causal map: row i (from 0) is f of the rows 0 to i, in order. That list's length tells f its position, so
    learned and rotary positions, windows, caches that keep the first keys, norms and MLPs are all of this form. *)
Definition causal {A B : Type} (f : list A -> B) (rows : list A) : list B :=
  map (fun i => f (firstn (S i) rows)) (seq 0 (length rows)).

(** A model: token embeddings, then layers one after another. *)
Definition run {T X : Type} (embed : list T -> X) (layers : list (list X -> X)) (tokens : list T) : list X :=
  fold_left (fun rows f => causal f rows) layers (causal embed tokens).

(** Whatever text follows, the rows of a prefix are those of the prefix alone, after every number of layers. *)
Definition prefix_rows : Prop :=
  forall (T X : Type) (embed : list T -> X) (layers : list (list X -> X)) (prefix rest : list T),
    firstn (length prefix) (run embed layers (prefix ++ rest)) = run embed layers prefix.

(** The first row: each layer is applied to it alone. *)
Definition first_row : Prop :=
  forall (T X : Type) (embed : list T -> X) (layers : list (list X -> X)) (first : T) (rest : list T),
    nth_error (run embed layers (cons first rest)) 0 =
    Some (fold_left (fun row f => f (cons row nil)) layers (embed (cons first nil))).

(** A map of rows to as many rows is causal exactly if it gives a prefix the same rows whatever follows. The
    nonempty B says no more than that there are rows. *)
Definition causal_iff : Prop :=
  forall (A B : Type) (b : B) (F : list A -> list B),
    (exists f, forall rows, F rows = causal f rows) <->
    (forall rows, length (F rows) = length rows) /\
    (forall prefix rest, firstn (length prefix) (F (prefix ++ rest)) = F prefix).

(** Without a causal mask it fails: in the map that copies the last row to every row, the first row depends on what
    follows. *)
Definition mask_needed : Prop :=
  let copy_last := fun rows : list bool => map (fun _ => last rows true) rows in
  nth_error (copy_last (cons true nil)) 0 <> nth_error (copy_last (cons true (cons false nil))) 0.
