(** * What an attention-only checkpoint computes, over the real numbers

    Section 4.2 of CHECKPOINT_RULES.md.  This file has to be read; it holds definitions only.  Positions
    of a sequence count from 1, coordinates, heads and layers from 0; key 0 of a row is its null slot. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task variants.
Open Scope R_scope.

Inductive kind :=
  | Softmax | Softmax_gated | Sigmoid_normalised | Elu1_normalised | Softmax_null | Softmax_sink
  | Relu | Sigmoid | Elu1 | Linear.

(** The kernel: what a logit becomes. *)
Definition phi (a : kind) : R -> R :=
  match a with
  | Softmax | Softmax_gated | Softmax_null | Softmax_sink => exp
  | Sigmoid_normalised | Sigmoid => logistic
  | Elu1_normalised | Elu1 => elu1
  | Relu => Rmax 0
  | Linear => fun s => s
  end.

(** Weights are divided by the sum of the row's kernels, or else by max(1, i-1). *)
Definition normalised (a : kind) : bool :=
  match a with Relu | Sigmoid | Elu1 | Linear => false | _ => true end.

Definition has_slot (a : kind) : bool := match a with Softmax_null | Softmax_sink => true | _ => false end.

(** [matrix] and [token] are those of the task: functions of indices. *)
Record affine_map := { entries : matrix; bias : token }.

(** y = W x + b, x of n coordinates. *)
Definition apply (n : nat) (f : affine_map) (x : token) : token :=
  fun r => linear_value n (entries f) x r + bias f r.

Record layer := {
  query : affine_map;
  key : affine_map;
  value : affine_map;
  output : affine_map;
  gates : affine_map;           (* read for Softmax_gated alone *)
  slot_logit : nat -> R         (* of each head's null slot; read where there is one *)
}.

Record network := {
  attention_kind : kind;
  width : nat;                  (* d_model *)
  heads : nat;
  head_width : nat;
  residual : bool;
  scale : R;
  depth : nat;
  layers : nat -> layer
}.

(** ** One layer on the sequence x *)

Section Layer.

Variables (M : network) (l : layer) (x : sequence).

(** scale <q_i, k_k>, over the coordinates of head h. *)
Definition logit (h i k : nat) : R :=
  scale M * sum (head_width M) (fun c =>
    apply (width M) (query l) (x i) (h * head_width M + c)%nat
    * apply (width M) (key l) (x k) (h * head_width M + c)%nat).

Definition slot_kernel (h : nat) : R :=
  if has_slot (attention_kind M) then exp (slot_logit l h) else 0.

Definition divisor (h i : nat) : R :=
  if normalised (attention_kind M)
  then slot_kernel h + possum i (fun k => phi (attention_kind M) (logit h i k))
  else INR (Nat.max 1 (i - 1)).

(** The weight of key k in row i of head h. *)
Definition weight (h i k : nat) : R :=
  match k with
  | O => slot_kernel h
  | S _ => phi (attention_kind M) (logit h i k)
  end / divisor h i.

Definition head_gate (h i : nat) : R :=
  match attention_kind M with
  | Softmax_gated => logistic (apply (width M) (gates l) (x i) h)
  | _ => 1
  end.

(** Coordinate c of what head h gives row i. *)
Definition head_output (h i c : nat) : R :=
  head_gate h i * possum i (fun k =>
    weight h i k * apply (width M) (value l) (x k) (h * head_width M + c)%nat).

Definition side_by_side (i : nat) : token :=
  fun r => head_output (r / head_width M) i (r mod head_width M).

Definition layer_output : sequence := fun i r =>
  apply (heads M * head_width M) (output l) (side_by_side i) r + if residual M then x i r else 0.

End Layer.

(** ** The network on the sequence x *)

(** The sequence below layer d; [hidden M (depth M) x] is the network's output. *)
Fixpoint hidden (M : network) (d : nat) (x : sequence) : sequence :=
  match d with
  | O => x
  | S p => layer_output M (layers M p) (hidden M p x)
  end.

Definition network_output (M : network) : model := hidden M (depth M).

Definition attention_weight (M : network) (x : sequence) (d h i k : nat) : R :=
  weight M (layers M d) (hidden M d x) h i k.

(** How much of row i after d layers stems from row 1, through the weights of one head in each layer. *)
Fixpoint rollout (M : network) (x : sequence) (d i : nat) : R :=
  match d with
  | O => if (i =? 1)%nat then 1 else 0
  | S p => possum i (fun k => attention_weight M x p 0 i k * rollout M x p k)
  end.

(** (1/(L-k+1)) sum_{i=k..L} weight_ik: how much of the rows from k on head h of layer d puts on key k. *)
Definition alpha (M : network) (L : nat) (x : sequence) (d h k : nat) : R :=
  sum (L - k + 1) (fun t => attention_weight M x d h (k + t) k) / INR (L - k + 1).

(** out - target at row i of a sequence whose trigger is at j. *)
Definition row_error (M : network) (x : sequence) (j i r : nat) : R :=
  network_output M x i r - (if residual M then residual_target j x i r else target j x i r).
