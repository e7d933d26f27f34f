(** * What a certificate states

    Sections 4.7 and 4.18 of CHECKPOINT_RULES.md.  This file has to be read; it holds definitions only. *)

From Coq Require Import Reals ZArith List Arith.
From Sinkproof Require Import task anchored_values.
From Verified Require Import model given box.
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

(** ** Statements about the task *)

(** The sequences of the task with noise coordinate 2, 3, .. in these intervals and the trigger at a position
    from [first_trigger] to [last_trigger]. *)
Record given_task := { noise : list (rational * rational); first_trigger : nat; last_trigger : nat }.

Definition no_interval : rational * rational := ({| top := 0; bottom := 1 |}, {| top := 0; bottom := 1 |}).
Definition box_of (T : given_task) : box :=
  fun k => let (least, greatest) := nth (k - 2) (noise T) no_interval in (real least, real greatest).

Definition of_task (n L : nat) (T : given_task) (j : nat) (x : sequence) : Prop :=
  task_sequence n L j (box_of T) x /\ (first_trigger T <= j <= last_trigger T)%nat.

(** The rows i of a sequence whose trigger is at j. *)
Inductive row_class := Before | Trigger | After | Any.

Definition of_class (c : row_class) (j i : nat) : Prop :=
  match c with Before => (i < j)%nat | Trigger => i = j | After => (j < i)%nat | Any => True end.

(** What a statement bounds: all errors of a row, or a key's weights in the rows from 2 on. *)
Inductive quantity :=
  | Error
  | Weight_of (key : nat) (where_ : option (nat * nat))    (* key 1: BOS; 0: the null slot; Some: layer, head *)
  | Rollout.                                               (* of one head, whose weights sum to one *)

(** y is one of the numbers of row i that the quantity stands for. *)
Definition is_number (M : network) (x : sequence) (j i : nat) (q : quantity) (y : R) : Prop :=
  match q with
  | Error => exists r, (r < width M)%nat /\ y = Rabs (row_error M x j i r)
  | Weight_of k where_ =>
      (2 <= i)%nat /\ (k <= 1)%nat /\ (k = 0%nat -> has_slot (attention_kind M) = true) /\
      exists d h, (d < depth M)%nat /\ (h < heads M)%nat /\ (where_ = None \/ where_ = Some (d, h)) /\
                  y = attention_weight M x d h i k
  | Rollout =>
      (2 <= i)%nat /\ heads M = 1%nat /\ residual M = false /\ normalised (attention_kind M) = true /\
      has_slot (attention_kind M) = false /\ y = rollout M x (depth M) i
  end.

Inductive side := At_least | At_most | Above | Below.
Definition meets (s : side) (y : R) (b : rational) : Prop :=
  match s with At_least => real b <= y | At_most => y <= real b | Above => real b < y | Below => y < real b end.

(** ** Statements about sequences that were drawn: section 4.17 of CHECKPOINT_RULES.md *)

Inductive closeness := Small_loss | Some_sink | No_sink.

(** The sequence x with its trigger at j is within t. *)
Definition is_within (M : network) (L j : nat) (x : sequence) (k : closeness) (t : R) : Prop :=
  match k with
  | Small_loss => forall i r, (1 <= i <= L)%nat -> (r < width M)%nat -> Rabs (row_error M x j i r) <= t
  | Some_sink =>
      exists d h, (d < depth M)%nat /\ (h < heads M)%nat /\
        forall i, (2 <= i <= L)%nat -> i <> j -> 1 - t <= attention_weight M x d h i 1
  | No_sink =>
      forall d h i, (d < depth M)%nat -> (h < heads M)%nat -> (2 <= i <= L)%nat -> attention_weight M x d h i 1 <= t
  end.

(** At most m successes in N independent trials of probability q have this probability. *)
Definition binomial_tail (N m : nat) (q : R) : R := sum (S m) (fun k => C N k * q ^ k * (1 - q) ^ (N - k)).

(** By what the choice of the threshold divides the confidence. *)
Definition price (t : rational) : R := 1000 * (IZR (top t) + IZR (bottom t)) ^ 2.

Inductive property :=
  | Value (lower upper : rational) (o : readout) (where_ : option nat)   (* None: of every sequence *)
  | Sink_share (epsilon lower upper : rational) (position : nat)
  | Bounded (T : given_task) (c : row_class) (q : quantity) (s : side) (b : rational)    (* in every sequence *)
  | Attained (T : given_task) (c : row_class) (q : quantity) (s : side) (b : rational)   (* in some sequence *)
  | Drawn (T : given_task) (k : closeness) (t : rational) (count exceeding : nat) (alpha delta : rational).

Record certificate := {
  of_network : given_network;
  sequence_length : nat;
  inputs : list given_tokens;
  samples : list (nat * given_tokens);   (* that were drawn: the trigger's position and the tokens *)
  assumed : list property;     (* not checked: the others may follow from these *)
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

(** The drawn sequence of index s, and its trigger's position. *)
Definition sample (s : nat) : sequence := sequence_of (snd (nth s (samples c) (0%nat, no_tokens))).
Definition trigger_of (s : nat) : nat := fst (nth s (samples c) (0%nat, no_tokens)).

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
  | Bounded T class q s b =>
      forall x j i y, of_task (width M) L T j x -> (1 <= i <= L)%nat -> of_class class j i -> is_number M x j i q y ->
        meets s y b
  | Attained T class q s b =>
      exists x j i y, of_task (width M) L T j x /\ (1 <= i <= L)%nat /\ of_class class j i /\ is_number M x j i q y /\
        meets s y b
  | Drawn T k t count exceeding alpha delta =>
      (count <= length (samples c))%nat /\ (exceeding <= count)%nat /\
      (forall s, (s < count)%nat -> of_task (width M) L T (trigger_of s) (sample s)) /\
      (exists few : list nat, (length few <= exceeding)%nat /\ forall s, (s < count)%nat -> ~ In s few ->
         is_within M L (trigger_of s) (sample s) k (real t)) /\
      price t * INR count * binomial_tail count exceeding (real delta) <= real alpha
  end.

End Certificate.
