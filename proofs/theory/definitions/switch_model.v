(** * The BOS switch: a softmax head whose logits depend on the query's flags and on the key's BOS flag

    Every key but BOS has logit 0, BOS has logit tau for the trigger query and beta for every other
    query; the flags of a token sum to 1, so this is a bilinear form q^T W k. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** W with q^T W k = (beta bos(q) + tau t(q) + beta c(q)) bos(k). *)
Definition switch_matrix (n : nat) (beta tau : R) : matrix :=
  fun r c => if (c =? 0)%nat
             then (if (r =? 0)%nat then beta else if (r =? 1)%nat then tau
                   else if (r =? n - 1)%nat then beta else 0)
             else 0.

Definition switch_attention (n : nat) (beta tau : R) : attention :=
  kernel_attention (softmax_kernel n (switch_matrix n beta tau)).

(** V = c P. *)
Definition scaled_projector (c : R) : matrix := fun r k => c * projector r k.

(** The head with values c P. *)
Definition switch_head (n : nat) (beta tau c : R) : model :=
  head (switch_attention n beta tau) (linear_value n (scaled_projector c)).

(** exp of the BOS logit at row i of a sequence with its trigger at j. *)
Definition bos_factor (beta tau : R) (j i : nat) : R := if (i =? j)%nat then exp tau else exp beta.

(** The single switch: logits b (1 - 2 t(q)) bos(k), V = P (tc-5). *)
Definition single_switch (n : nat) (b : R) : model :=
  head (switch_attention n b (- b)) (linear_value n projector).
