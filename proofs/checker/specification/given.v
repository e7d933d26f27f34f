(** * What the numbers of a model file and of given tokens stand for

    This file has to be read; it holds definitions only.  A model is given as whole numbers over powers
    of two, which are the exact values of its floating-point numbers. *)

From Coq Require Import Reals ZArith List.
From Sinkproof Require Import task.
From Verified Require Import model.
Import ListNotations.
Open Scope R_scope.

(** Entry j of a list; entry j of row i of a list of rows.  0 beyond the end. *)
Definition number (l : list Z) (j : nat) : R := IZR (nth j l 0%Z).
Definition number_at (m : list (list Z)) (i j : nat) : R := number (nth i m []) j.

(** W and b of y = W x + b over 2^[shift]. *)
Record given_map := { rows : list (list Z); offsets : list Z; shift : Z }.

Definition map_of (f : given_map) : affine_map := {|
  entries := fun r c => number_at (rows f) r c / IZR (2 ^ shift f);
  bias := fun r => number (offsets f) r / IZR (2 ^ shift f)
|}.

Record given_layer := {
  given_query : given_map;
  given_key : given_map;
  given_value : given_map;
  given_output : given_map;
  given_gates : given_map;
  given_slots : list Z;         (* the logits of the heads' null slots over 2^[slot_shift] *)
  slot_shift : Z
}.

Definition layer_of (l : given_layer) : layer := {|
  query := map_of (given_query l);
  key := map_of (given_key l);
  value := map_of (given_value l);
  output := map_of (given_output l);
  gates := map_of (given_gates l);
  slot_logit := fun h => number (given_slots l) h / IZR (2 ^ slot_shift l)
|}.

Record given_network := {
  given_kind : kind;
  given_width : nat;
  given_heads : nat;
  given_head_width : nat;
  given_residual : bool;
  scale_top : Z;
  scale_bottom : Z;
  given_layers : list given_layer
}.

Definition no_map : given_map := {| rows := []; offsets := []; shift := 0 |}.
Definition no_layer : given_layer := {|
  given_query := no_map; given_key := no_map; given_value := no_map; given_output := no_map;
  given_gates := no_map; given_slots := []; slot_shift := 0 |}.

Definition network_of (g : given_network) : network := {|
  attention_kind := given_kind g;
  width := given_width g;
  heads := given_heads g;
  head_width := given_head_width g;
  residual := given_residual g;
  scale := IZR (scale_top g) / IZR (scale_bottom g);
  depth := length (given_layers g);
  layers := fun d => layer_of (nth d (given_layers g) no_layer)
|}.

(** Tokens x_1, .., x_L as rows of whole numbers over one whole number. *)
Record given_tokens := { tokens : list (list Z); over : Z }.

Definition sequence_of (t : given_tokens) : sequence :=
  fun k r => number_at (tokens t) (k - 1) r / IZR (over t).
