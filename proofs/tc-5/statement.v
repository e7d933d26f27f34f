(** * tc-5: zero loss is impossible for one normalised head, and approachable

    The task is that of docs/THEORY.md, section 0 (theory/definitions/task.v); the head is the single
    switch of theory/definitions/switch_model.v: softmax, values P = I - e_0 e_0^T. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task switch_model.
Open Scope R_scope.

(** One head, a positive kernel, any value map, linear or not: the sup loss is not 0. *)
Definition zero_loss_impossible : Prop :=
  forall n L K (v : token -> token),
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K ->
  ~ sup_loss_le n L (head (kernel_attention K) v) 0.

(** Softmax heads with linear values: every eta > 0 bounds the sup loss of one, 0 of none. *)
Definition infimum_not_attained : Prop :=
  forall n L, (4 <= n)%nat -> (4 <= L)%nat ->
  (forall eta, 0 < eta -> exists W V,
     sup_loss_le n L (head (kernel_attention (softmax_kernel n W)) (linear_value n V)) eta) /\
  (forall W V,
     ~ sup_loss_le n L (head (kernel_attention (softmax_kernel n W)) (linear_value n V)) 0).

(** The logits of the single switch on the tokens of the task: b (1 - 2 t(q)) bos(k). *)
Definition switch_logits : Prop :=
  forall n L x j (b : R) i (k : nat),
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bilinear n (switch_matrix n b (- b)) (x i) (x k) = b * (1 - 2 * trigger_flag (x i)) * bos_flag (x k).

(** Its sup loss: (L-1)/(e^b + L - 1). *)
Definition switch_sup_loss : Prop :=
  forall n L (b : R), (4 <= n)%nat -> (4 <= L)%nat ->
  is_sup_loss n L (single_switch n b) (INR (L - 1) / (exp b + INR (L - 1))).

(** Its BOS attention: e^b/(e^b + i - 1) at row i off the trigger, e^-b/(e^-b + j - 1) at the trigger j. *)
Definition switch_bos_attention_rows : Prop :=
  forall n L (b : R) x j i,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (switch_attention n b (- b)) x i
  = if (i =? j)%nat then exp (- b) / (exp (- b) + INR (j - 1)) else exp b / (exp b + INR (i - 1)).

(** Every number between 0 and 1 is the sup loss of a single switch whose BOS attention stays below
    1 - (i-1)/(L-1) times that loss at every row i off the trigger: no sink 1 - o(eta) is forced. *)
Definition sink_rate : Prop :=
  forall n L eta, (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta -> eta < 1 ->
  exists b, is_sup_loss n L (single_switch n b) eta /\
    forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    bos_attention (switch_attention n b (- b)) x i <= 1 - INR (i - 1) / INR (L - 1) * eta.
