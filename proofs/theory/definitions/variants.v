(** * The variants of attention of tc-8, and the parameters that make a sink avoidable

    docs/THEORY.md, tc-8.  Every variant is an [attention] (weights) or a [model] in the sense of task.v,
    with logits q^T M k for one matrix M.  No proofs here. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** *** Weights *)

(** The logistic function; elu(s) + 1, where elu(s) = e^s - 1 for s <= 0 and s beyond. *)
Definition logistic (s : R) : R := / (1 + exp (- s)).
Definition elu1 (s : R) : R := if Rle_dec s 0 then exp s else s + 1.

(** phi of the logit, divided by max(1, i-1): not normalised.  With phi = [Rmax 0] it is [relu_attention]. *)
Definition unnormalised (phi : R -> R) (n : nat) (M : matrix) : attention :=
  fun x i k => phi (bilinear n M (x i) (x k)) / INR (Nat.max 1 (i - 1)).

(** phi of the logit over its sum along the row.  With phi = [exp] it is softmax. *)
Definition normalised (phi : R -> R) (n : nat) (M : matrix) : attention :=
  kernel_attention (fun q k => phi (bilinear n M q k)).

(** Normalised ReLU, rows of sum 0 read as 0. *)
Definition vanishing_relu (n : nat) (M : matrix) : attention :=
  fun x i k =>
    let S := possum i (fun l => Rmax 0 (bilinear n M (x i) (x l))) in
    if Req_EM_T S 0 then 0 else Rmax 0 (bilinear n M (x i) (x k)) / S.

(** Softmax with a null slot of logit 0 and value 0: what the slot takes, the row loses. *)
Definition null_attention (n : nat) (M : matrix) : attention :=
  fun x i k => exp (bilinear n M (x i) (x k)) / (1 + possum i (fun l => exp (bilinear n M (x i) (x l)))).

Definition null_mass (n : nat) (M : matrix) (x : sequence) (i : nat) : R :=
  1 / (1 + possum i (fun l => exp (bilinear n M (x i) (x l)))).

(** Gated softmax: the output of row i times the gate s(g.x_i + c), for any value map v. *)
Definition gate (n : nat) (g : token) (c : R) (q : token) : R := logistic (sum n (fun r => q r * g r) + c).

Definition gated_head (n : nat) (g : token) (c : R) (M : matrix) (v : token -> token) : model :=
  fun x i r => gate n g c (x i) * head (kernel_attention (softmax_kernel n M)) v x i r.

(** Rows of nonnegative weights of sum at most 1: what a null slot or a gate leaves. *)
Definition sub_stochastic (n L : nat) (a : attention) : Prop :=
  forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a x i k) /\ possum i (a x i) <= 1.

(** Value and output biases: out = sum a (V x + b_v) + b_o. *)
Definition biased_head (n : nat) (a : attention) (V : matrix) (value_bias output_bias : token) : model :=
  fun x i r => head a (fun y r => linear_value n V y r + value_bias r) x i r + output_bias r.

(** *** Parameters *)

Definition unit_vector (m : nat) : token := fun r => if (r =? m)%nat then 1 else 0.

(** (1,1,0,..,0,1): its product with a token is the sum of the token's flags. *)
Definition flags_vector (n : nat) : token := fun r => unit_vector 0 r + unit_vector 1 r + unit_vector (n - 1) r.

(** W with q^T W k = v (sum of q's flags)(sum of k's flags) + (u - v) t(q) (t(k) + c(k)): on tokens the logit u for
    a trigger query and a key other than BOS, v elsewhere. *)
Definition aware_matrix (n : nat) (u v : R) : matrix :=
  fun r c => v * (flags_vector n r * flags_vector n c)
             + (u - v) * (unit_vector 1 r * (unit_vector 1 c + unit_vector (n - 1) c)).
