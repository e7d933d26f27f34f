(** * tc-8: where the sink is avoidable

    docs/THEORY.md, tc-8.  One layer, one head, the task of section 0, every n >= 4.  The variants and the
    parameters are those of theory/definitions/variants.v; the values drop the BOS coordinate (V = P,
    [projector]).  E = e^b, s(.) the logistic function. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task switch_model variants.
Open Scope R_scope.

(** [projector] as a value map. *)
Definition values_P (n : nat) : token -> token := linear_value n projector.

(** The gate vector 2 b e_1; with bias -b the gate of a token q is s(b (2 t(q) - 1)). *)
Definition gate_vector (b : R) : token := fun r => 2 * b * unit_vector 1 r.

(** The gated head: that gate, logits -b on BOS. *)
Definition gated_switch (n : nat) (b : R) : model :=
  gated_head n (gate_vector b) (- b) (switch_matrix n (- b) (- b)) (values_P n).

(** Attention weights a and a model out that solve the task without a sink, up to delta: sup loss and BOS attention
    at every row i >= 2 at most delta. *)
Definition sink_free (n L : nat) (a : attention) (out : model) (delta : R) : Prop :=
  sup_loss_le n L out delta /\
  forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> Rabs (bos_attention a x i) <= delta.

(** *** The logits, on the tokens of the task *)

(** v + (u - v) t(q) (t(k) + c(k)). *)
Definition aware_logits : Prop := forall n L j x (u v : R) i k,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
  bilinear n (aware_matrix n u v) (x i) (x k)
  = v + (u - v) * (trigger_flag (x i) * (trigger_flag (x k) + content_flag n (x k))).

(** The gated head: logits -b bos(k), gate s(b (2 t(q) - 1)). *)
Definition gated_logits : Prop := forall n L j x (b : R) i k,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
  bilinear n (switch_matrix n (- b) (- b)) (x i) (x k) = - b * bos_flag (x k) /\
  gate n (gate_vector b) (- b) (x i) = logistic (b * (2 * trigger_flag (x i) - 1)).

(** *** Exactly: loss 0 and BOS attention 0 *)

(** ReLU/(i-1), logits 1 and 0. *)
Definition relu_exact : Prop := forall n L,
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (relu_attention n (aware_matrix n 1 0)) (values_P n)) 0 /\
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (relu_attention n (aware_matrix n 1 0)) x i = 0.

(** Linear attention: the logit itself, divided by i-1. *)
Definition linear_exact : Prop := forall n L,
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (unnormalised (fun s => s) n (aware_matrix n 1 0)) (values_P n)) 0 /\
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (unnormalised (fun s => s) n (aware_matrix n 1 0)) x i = 0.

(** Normalised ReLU with 0/0 read as 0. *)
Definition vanishing_relu_exact : Prop := forall n L,
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (vanishing_relu n (aware_matrix n 1 0)) (values_P n)) 0 /\
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (vanishing_relu n (aware_matrix n 1 0)) x i = 0.

(** *** In the limit: closed forms, and loss and BOS attention below any delta > 0 *)

(** Sigmoid/(i-1), logits b and -b: loss s(-b), BOS attention s(-b)/(i-1). *)
Definition sigmoid_sup_loss : Prop := forall n L (b : R),
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (unnormalised logistic n (aware_matrix n b (- b))) (values_P n)) (logistic (- b)).

Definition sigmoid_bos_attention : Prop := forall n L (b : R) x j i,
  (4 <= n)%nat -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
  bos_attention (unnormalised logistic n (aware_matrix n b (- b))) x i = logistic (- b) / INR (i - 1).

Definition sigmoid_avoidable : Prop := forall n L delta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta ->
  exists M, sink_free n L (unnormalised logistic n M) (head (unnormalised logistic n M) (values_P n)) delta.

(** (elu+1)/(i-1), logits 0 and -b, b >= 0: loss e^-b, BOS attention e^-b/(i-1). *)
Definition elu1_sup_loss : Prop := forall n L (b : R),
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= b ->
  is_sup_loss n L (head (unnormalised elu1 n (aware_matrix n 0 (- b))) (values_P n)) (exp (- b)).

Definition elu1_bos_attention : Prop := forall n L (b : R) x j i,
  (4 <= n)%nat -> 0 <= b -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
  bos_attention (unnormalised elu1 n (aware_matrix n 0 (- b))) x i = exp (- b) / INR (i - 1).

Definition elu1_avoidable : Prop := forall n L delta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta ->
  exists M, sink_free n L (unnormalised elu1 n M) (head (unnormalised elu1 n M) (values_P n)) delta.

(** Softmax with a null slot, logits b and -b, b >= 0, L >= 4: loss (L-1)/(E+L). *)
Definition null_sup_loss : Prop := forall n L (b : R),
  (4 <= n)%nat -> (4 <= L)%nat -> 0 <= b ->
  is_sup_loss n L (head (null_attention n (aware_matrix n b (- b))) (values_P n)) (INR (L - 1) / (exp b + INR L)).

(** Off the trigger, any b: E/(E+i) on the slot, 1/(E+i) on every key, BOS among them. *)
Definition null_quiet_row : Prop := forall n L (b : R) x j i,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  null_mass n (aware_matrix n b (- b)) x i = exp b / (exp b + INR i) /\
  forall k, (1 <= k)%nat -> (k <= i)%nat ->
    null_attention n (aware_matrix n b (- b)) x i k = 1 / (exp b + INR i).

(** At the trigger: E and 1, over E + 1 + E^2 (j-1). *)
Definition null_trigger_row : Prop := forall n L (b : R) x j,
  (4 <= n)%nat -> valid n L j x ->
  null_mass n (aware_matrix n b (- b)) x j = exp b / (exp b + 1 + exp b * exp b * INR (j - 1)) /\
  bos_attention (null_attention n (aware_matrix n b (- b))) x j = 1 / (exp b + 1 + exp b * exp b * INR (j - 1)).

Definition null_avoidable : Prop := forall n L delta,
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < delta ->
  exists M, sink_free n L (null_attention n M) (head (null_attention n M) (values_P n)) delta.

(** Gated softmax: loss 1 - 2 s(b)/(2 + e^-b). *)
Definition gated_sup_loss : Prop := forall n L (b : R),
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (gated_switch n b) (1 - 2 * logistic b / (2 + exp (- b))).

(** The softmax's BOS attention, before the gate: 1/(1 + E (i-1)). *)
Definition gated_bos_attention : Prop := forall n L (b : R) x j i,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (switch_attention n (- b) (- b)) x i = 1 / (1 + exp b * INR (i - 1)).

Definition gated_avoidable : Prop := forall n L delta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta ->
  exists g c M, sink_free n L (kernel_attention (softmax_kernel n M)) (gated_head n g c M (values_P n)) delta.
