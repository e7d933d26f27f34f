(** * tc-4: an attention-only stack has a sink in some layer

    The task is that of docs/THEORY.md, section 0 (theory/definitions/task.v).  A stack has layers 1..D, one
    head each, no residual connection; A l is the attention of layer l, which may depend on the whole input
    and hence on every hidden state, V l its value matrix.  Layers above D are not read. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** Hidden states after l layers: h^0 = x, h^l_i = V_l sum_{k<=i} a^l_ik h^{l-1}_k. *)
Fixpoint hidden (n : nat) (A : nat -> attention) (V : nat -> matrix) (l : nat) : model :=
  match l with
  | O => fun x => x
  | S p => fun x i r => possum i (fun k => A l x i k * linear_value n (V l) (hidden n A V p x k) r)
  end.

(** The rollout A^l ... A^1. *)
Fixpoint rollout (A : nat -> attention) (l : nat) : attention :=
  match l with
  | O => fun _ i k => if (i =? k)%nat then 1 else 0
  | S p => fun x i k => possum i (fun m => A l x i m * rollout A p x m k)
  end.

(** V_l ... V_1. *)
Fixpoint total_value (n : nat) (V : nat -> matrix) (l : nat) : matrix :=
  match l with
  | O => identity
  | S p => fun r c => sum n (fun b => V l r b * total_value n V p b c)
  end.

Definition stochastic_layers (n L D : nat) (A : nat -> attention) : Prop :=
  forall l, (1 <= l)%nat -> (l <= D)%nat -> row_stochastic n L (A l).

(** The weights of layer a as a step from row m to row k: none upwards. *)
Definition causal (a : attention) : attention := fun x m k => if (k <=? m)%nat then a x m k else 0.

(** The backward chain: it starts at row i above layer D, and layer l takes it from row m to row k with
    probability a^l_mk.  [chain A D x i s k]: the probability of row k once it has passed the s top layers.
    BOS is absorbing, because no row but 1 is below it. *)
Fixpoint chain (A : nat -> attention) (D : nat) (x : sequence) (i s : nat) : nat -> R :=
  match s with
  | O => fun k => if (k =? i)%nat then 1 else 0
  | S p => fun k => possum i (fun m => chain A D x i p m * causal (A (D - p)%nat) x m k)
  end.

(** A sum over the rows 2..i. *)
Definition sum_from_2 (i : nat) (f : nat -> R) : R := sum (i - 1) (fun k => f (k + 2)%nat).

(** The probability that the chain has not reached BOS. *)
Definition alive (A : nat -> attention) (D : nat) (x : sequence) (i s : nat) : R :=
  sum_from_2 i (chain A D x i s).

(** The BOS attention of layer l, averaged over where the chain arrives at layer l, given that it has not
    reached BOS. *)
Definition average_bos_attention (A : nat -> attention) (D : nat) (x : sequence) (i l : nat) : R :=
  sum_from_2 i (fun m => chain A D x i (D - l) m * bos_attention (A l) x m) / alive A D x i (D - l).

(** eps = 2 eta/(D_J - 2 eta), D_J = (J-3)/(2(J-1)). *)
Definition depth_eps (J : nat) (eta : R) : R := 2 * eta / (trigger_gap J - 2 * eta).

(** The output is V_D..V_1 applied to the rollout. *)
Definition stack_is_rollout : Prop :=
  forall (n : nat) (A : nat -> attention) (V : nat -> matrix) (D : nat) (x : sequence) i r,
  (1 <= i)%nat -> (r < n)%nat ->
  hidden n A V D x i r = head (rollout A D) (linear_value n (total_value n V D)) x i r.

Definition rollout_row_stochastic : Prop :=
  forall n L D A, stochastic_layers n L D A -> row_stochastic n L (rollout A D).

(** So the rollout has the sink of tc-3 at every row but the trigger's. *)
Definition rollout_sink : Prop :=
  forall n L J D A V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> stochastic_layers n L D A ->
  eta < trigger_gap J / 4 -> sup_loss_le n L (hidden n A V D) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  1 - bos_attention (rollout A D) x i <= depth_eps J eta.

(** The chain is a law on the rows 1..i. *)
Definition chain_is_law : Prop :=
  forall n L D A, stochastic_layers n L D A ->
  forall x j i s, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (s <= D)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= chain A D x i s k) /\ possum i (chain A D x i s) = 1.

(** If eps <= rho^D, some layer has average BOS attention at least 1 - rho. *)
Definition some_layer_sinks : Prop :=
  forall n L J D A V eta rho,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> (1 <= D)%nat -> stochastic_layers n L D A ->
  eta < trigger_gap J / 4 -> sup_loss_le n L (hidden n A V D) eta ->
  0 <= rho -> depth_eps J eta <= rho ^ D ->
  forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ 0 < alive A D x i (D - l) /\
            average_bos_attention A D x i l >= 1 - rho.

(** rho = eps^(1/D). *)
Definition some_layer_sinks_root : Prop :=
  forall n L J D A V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> (1 <= D)%nat -> stochastic_layers n L D A ->
  0 < eta -> eta < trigger_gap J / 4 -> sup_loss_le n L (hidden n A V D) eta ->
  forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ 0 < alive A D x i (D - l) /\
            average_bos_attention A D x i l >= 1 - Rpower (depth_eps J eta) (1 / INR D).

(** At i = 2 the average is the one weight a^l_21. *)
Definition row_two_sinks : Prop :=
  forall n L J D A V eta rho,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> (1 <= D)%nat -> stochastic_layers n L D A ->
  eta < trigger_gap J / 4 -> sup_loss_le n L (hidden n A V D) eta ->
  0 <= rho -> depth_eps J eta <= rho ^ D ->
  forall x j, valid n L j x ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ bos_attention (A l) x 2%nat >= 1 - rho.

(** The same from any other bound eps on the mass off BOS of one layer of loss eta, at the row at hand. *)
Definition some_layer_sinks_given : Prop :=
  forall n L D A V eta eps rho x j i,
  (1 <= D)%nat -> stochastic_layers n L D A -> sup_loss_le n L (hidden n A V D) eta ->
  valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
  (forall a W, row_stochastic n L a -> sup_loss_le n L (head a (linear_value n W)) eta ->
     bos_attention a x i >= 1 - eps) ->
  0 <= rho -> eps <= rho ^ D ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ 0 < alive A D x i (D - l) /\
            average_bos_attention A D x i l >= 1 - rho.

(** Nothing is lost on the way from one layer to D: for every one-layer model and every D some stack has the
    model's outputs, and wherever the model has mass s > 0 off BOS every layer of the stack has average BOS
    attention 1 - s^(1/D). *)
Definition depth_sharp : Prop :=
  forall n L D a (V : matrix), (1 <= D)%nat -> row_stochastic n L a ->
  exists A W, stochastic_layers n L D A /\
    (forall x j i r, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
       hidden n A W D x i r = head a (linear_value n V) x i r) /\
    (forall x j i l, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> 0 < 1 - bos_attention a x i ->
       (1 <= l)%nat -> (l <= D)%nat ->
       0 < alive A D x i (D - l) /\
       average_bos_attention A D x i l = 1 - Rpower (1 - bos_attention a x i) (1 / INR D)).
