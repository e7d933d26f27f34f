(** * Residual stacks: layers of several heads whose outputs are added to their inputs

    The setting of tc-9 (docs/THEORY.md).  A layer reads the sequence below it and adds what its heads
    write; the stack's output is the sequence above its last layer.  Layers and heads count from 0. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** Heads of attention with linear values V_h: weights may depend on the whole input of the layer. *)
Record layer := {
  head_count : nat;
  weights : nat -> attention;
  values : nat -> matrix
}.

Definition layer_output (n : nat) (l : layer) : model :=
  multi_head (head_count l) (fun h => head (weights l h) (linear_value n (values l h))).

(** x_i + sum_h out_i^h. *)
Definition residual_layer (n : nat) (l : layer) (x : sequence) : sequence :=
  fun i r => x i r + layer_output n l x i r.

(** The sequence below layer d; [hidden_states n layers D] is the output of a stack of D layers. *)
Fixpoint hidden_states (n : nat) (layers : nat -> layer) (d : nat) (x : sequence) : sequence :=
  match d with
  | O => x
  | S p => residual_layer n (layers p) (hidden_states n layers p x)
  end.

(** A stack as a model, judged by [residual_sup_loss_le]. *)
Definition residual_stack (n D : nat) (layers : nat -> layer) : model := hidden_states n layers D.

(** BOS attention of row i of head h of layer d, on the stack's input x. *)
Definition stack_bos_attention (n : nat) (layers : nat -> layer) (d h : nat) (x : sequence) (i : nat) : R :=
  bos_attention (weights (layers d) h) (hidden_states n layers d x) i.
