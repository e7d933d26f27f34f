(** * What a certificate about given inputs states

    Section 4.18 of CHECKPOINT_RULES.md.  This file has to be read; it holds definitions only. *)

From Coq Require Import Reals ZArith List Arith.
From Sinkproof Require Import task anchored_values.
From Verified Require Import model given.
Import ListNotations.
Open Scope R_scope.

Record rational := { top : Z; bottom : Z }.
Definition real (q : rational) : R := IZR (top q) / IZR (bottom q).

(** A number that a network computes on one sequence. *)
Inductive readout :=
  | Output_of (row coordinate : nat)
  | Loss_of (row trigger : nat)
  | Attention_of (layer head row key : nat)      (* key 0: the null slot *)
  | Alpha_of (layer head position : nat).

Definition reading (M : network) (L : nat) (x : sequence) (o : readout) : R :=
  match o with
  | Output_of i r => network_output M x i r
  | Loss_of i j => maximum (width M) (fun r => Rabs (row_error M x j i r))
  | Attention_of d h i k => attention_weight M x d h i k
  | Alpha_of d h k => alpha M L x d h k
  end.

(** The rows, layers, heads and keys that a readout names exist. *)
Definition exists_in (M : network) (L : nat) (o : readout) : Prop :=
  match o with
  | Output_of i r => (1 <= i <= L)%nat /\ (r < width M)%nat
  | Loss_of i j => (1 <= i <= L)%nat /\ (3 <= j <= L)%nat
  | Attention_of d h i k => (d < depth M)%nat /\ (h < heads M)%nat /\ (1 <= i <= L)%nat /\ (k <= i)%nat
                            /\ (k = 0%nat -> has_slot (attention_kind M) = true)
  | Alpha_of d h k => (d < depth M)%nat /\ (h < heads M)%nat /\ (1 <= k <= L)%nat
  end.

Inductive property :=
  | Value (lower upper : rational) (o : readout) (where_ : option nat)   (* None: of every sequence *)
  | Sink_share (epsilon lower upper : rational) (position : nat).

Record certificate := {
  of_network : given_network;
  sequence_length : nat;
  inputs : list given_tokens;
  properties : list property
}.

Definition no_tokens : given_tokens := {| tokens := []; over := 1 |}.

Section Certificate.

Variable c : certificate.
Let M := network_of (of_network c).
Let L := sequence_length c.
Let N := length (inputs c).

(** The input of index s, a sequence of length L. *)
Definition input (s : nat) : sequence := sequence_of (nth s (inputs c) no_tokens).

Definition exceeds (epsilon y : R) : R := if Rlt_dec epsilon y then 1 else 0.

(** The number of triples (sequence, layer, head) with alpha > epsilon, and the share that they are of all. *)
Definition sinks (epsilon : R) (k : nat) : R :=
  sum N (fun s => sum (depth M) (fun d => sum (heads M) (fun h => exceeds epsilon (alpha M L (input s) d h k)))).
Definition share_of_sinks (epsilon : R) (k : nat) : R := sinks epsilon k / INR (N * depth M * heads M).

Definition holds (q : property) : Prop :=
  match q with
  | Value lower upper o where_ =>
      exists_in M L o /\
      (forall s, where_ = Some s -> (s < N)%nat) /\
      forall s, (s < N)%nat -> (where_ = None \/ where_ = Some s) ->
        real lower <= reading M L (input s) o <= real upper
  | Sink_share epsilon lower upper k =>
      (1 <= k <= L)%nat /\ (0 < N * depth M * heads M)%nat /\
      real lower <= share_of_sinks (real epsilon) k <= real upper
  end.

End Certificate.
