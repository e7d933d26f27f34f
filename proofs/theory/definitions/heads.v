(** * Further classes of one-layer heads

    docs/THEORY.md, sections 0 and 1: beside the positive kernels of task.v.  No proofs here. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** "K >= 0 with positive denominators": the row sums of every valid sequence are positive. *)
Definition nonnegative_kernel (n L : nat) (K : kernel) : Prop :=
  (forall q k, 0 <= K q k) /\
  (forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => K (x i) (x l))).

(** Softmax over logits that are any function of the sequence and the two positions: positional
    encodings of every kind. *)
Definition softmax_attention (logit : sequence -> nat -> nat -> R) : attention :=
  fun x i k => exp (logit x i k) / possum i (fun l => exp (logit x i l)).

(** "Encodings added to the values": out_i = sum_k a_ik (P x_k + c_k). *)
Definition encoded_head (n : nat) (a : attention) (c : nat -> token) : model :=
  fun x i r => possum i (fun k => a x i k * (linear_value n projector (x k) r + c k r)).
