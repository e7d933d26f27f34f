(** * tc-8: what no variant, no null slot and no gate can do

    docs/THEORY.md, tc-8.  One layer, one head, the task of section 0, every n >= 4.  Positive weights never reach
    loss 0; and where the row's weights sum to at most 1, what BOS does not take a null slot or a gate must. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task variants.
Open Scope R_scope.

(** *** Loss 0 is out of reach, L >= 3, any value map *)

(** Positive weights of any kind: normalised or not, depending on everything, positions included. *)
Definition positive_weights_never_exact : Prop := forall n L (a : attention) (v : token -> token),
  (4 <= n)%nat -> (3 <= L)%nat ->
  (forall x j i k, valid n L j x -> (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat -> 0 < a x i k) ->
  ~ sup_loss_le n L (head a v) 0.

(** Sigmoid/(i-1), (elu+1)/(i-1): any phi > 0 of the logit. *)
Definition unnormalised_never_exact : Prop := forall (phi : R -> R) n L (M : matrix) (v : token -> token),
  (4 <= n)%nat -> (3 <= L)%nat -> (forall s, 0 < phi s) ->
  ~ sup_loss_le n L (head (unnormalised phi n M) v) 0.

(** Any positive kernel, normalised. *)
Definition kernel_never_exact : Prop := forall n L K (v : token -> token),
  (4 <= n)%nat -> (3 <= L)%nat -> positive_kernel K ->
  ~ sup_loss_le n L (head (kernel_attention K) v) 0.

(** Softmax with a null slot. *)
Definition null_never_exact : Prop := forall n L (M : matrix) (v : token -> token),
  (4 <= n)%nat -> (3 <= L)%nat -> ~ sup_loss_le n L (head (null_attention n M) v) 0.

(** Gated softmax. *)
Definition gated_never_exact : Prop := forall n L (g : token) (c : R) (M : matrix) (v : token -> token),
  (4 <= n)%nat -> (3 <= L)%nat -> ~ sup_loss_le n L (gated_head n g c M v) 0.

(** *** Rows of sum at most 1, values V x, |V BOS| <= w in every coordinate, 2 (eta + w) < D_J = [trigger_gap J] *)

(** Off the trigger the keys other than BOS get at most (eta + w)/(D_J - 2 (eta + w)) together. *)
Definition sub_stochastic_mass : Prop := forall n L J a V eta w,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> sub_stochastic n L a -> 2 * (eta + w) < trigger_gap J ->
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  sum (i - 1) (fun k => a x i (k + 2)%nat) <= (eta + w) / (trigger_gap J - 2 * (eta + w)).

(** The null slot: BOS and the slot together keep the rest of the row. *)
Definition null_slot_or_bos : Prop := forall n L J M V eta w,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> 2 * (eta + w) < trigger_gap J ->
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) ->
  sup_loss_le n L (head (null_attention n M) (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  null_mass n M x i + bos_attention (null_attention n M) x i >= 1 - (eta + w) / (trigger_gap J - 2 * (eta + w)).

(** The gate: gate times the softmax's attention to the keys other than BOS is small. *)
Definition gate_or_bos : Prop := forall n L J g c M V eta w,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> 2 * (eta + w) < trigger_gap J ->
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) ->
  sup_loss_le n L (gated_head n g c M (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  gate n g c (x i) * (1 - bos_attention (kernel_attention (softmax_kernel n M)) x i)
  <= (eta + w) / (trigger_gap J - 2 * (eta + w)).
