(** * tc-8: where the sink is necessary

    docs/THEORY.md, tc-8.  One layer, one head, the task of section 0, every n >= 4, sup loss at most eta.  The
    variants are those of theory/definitions/variants.v; their values are V x + bv and their outputs are moved by
    bo, for any matrix V and any biases ([biased_head]). *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task heads variants.
Open Scope R_scope.

(** Any kernel K >= 0 with positive row sums (every positive normalised kernel), ANY value map. *)
Definition kernel_needs_sink : Prop := forall n L K v eta,
  (4 <= n)%nat -> (4 <= L)%nat -> nonnegative_kernel n L K -> eta < 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 3 * eta.

(** Softmax. *)
Definition softmax_needs_sink : Prop := forall n L M V bv bo eta,
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised exp n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised exp n M) x i >= 1 - 3 * eta.

(** Normalised sigmoid. *)
Definition sigmoid_normalised_needs_sink : Prop := forall n L M V bv bo eta,
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised logistic n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised logistic n M) x i >= 1 - 3 * eta.

(** Normalised elu + 1. *)
Definition elu1_normalised_needs_sink : Prop := forall n L M V bv bo eta,
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised elu1 n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised elu1 n M) x i >= 1 - 3 * eta.

(** Normalised ReLU where every denominator is positive. *)
Definition relu_normalised_needs_sink : Prop := forall n L M V bv bo eta,
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  (forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => Rmax 0 (bilinear n M (x i) (x l)))) ->
  sup_loss_le n L (biased_head n (normalised (Rmax 0) n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised (Rmax 0) n M) x i >= 1 - 3 * eta.

(** ANY row-stochastic weights, every row but the trigger's; D_J = [trigger_gap J]. *)
Definition row_normalised_biased : Prop := forall n L J a V bv bo eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a -> eta < trigger_gap J / 4 ->
  sup_loss_le n L (biased_head n a V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (trigger_gap J - 2 * eta).
