(** * tc-1: a single normalised head with small loss has an attention sink

    docs/THEORY.md, tc-1; the setting is proofs/theory/definitions/task.v.  One layer, one head, content-based
    kernel K, ANY value map v (linear or not), eta a bound of the sup loss.  m counts the content tokens of a
    probe, m >= 2, m + 2 <= L.  All sentences but the last two speak of every sequence x and every position i
    before its trigger j. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task heads.
Open Scope R_scope.

(** ** The claim *)

(** eta <= 1/(2m(m+1)): BOS attention is at least 1 - 2(1 + 1/m) eta. *)
Definition necessity : Prop :=
  forall n L m K v eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.

(** m = 2: at least 1 - 3 eta. *)
Definition necessity_two : Prop :=
  forall n L K v eta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 3 * eta.

(** Sharper: at least 1 - 2 eta/((m^2+m-1)/(m(m+1)) - 2(m-1) eta). *)
Definition necessity_sharp : Prop :=
  forall n L m K v eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i
  >= 1 - 2 * eta / ((INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - 2 * (INR m - 1) * eta).

(** m = 2: at least 1 - 12 eta/(5 - 12 eta). *)
Definition necessity_sharp_two : Prop :=
  forall n L K v eta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 12 * eta / (5 - 12 * eta).

(** The inner statement: the value of every content token has a large content flag. *)
Definition content_value_floor : Prop :=
  forall n L m K v eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x, is_content n x ->
  v x (n - 1)%nat >= (INR m * INR m + INR m - 1) / (INR m * (INR m + 1)) - (2 * INR m - 1) * eta.

(** ** The same for more heads *)

(** K >= 0 with positive row sums (normalised ReLU where it is defined), for eta < 1/(2m(m+1)). *)
Definition necessity_nonnegative : Prop :=
  forall n L m K v eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> nonnegative_kernel n L K ->
  eta < 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.

(** Softmax: logits x_i^T W_Q^T W_K x_k with projections of any width, values V x + bias. *)
Definition necessity_softmax : Prop :=
  forall n L m width WQ WK V (bias : token) eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  sup_loss_le n L (head (kernel_attention (softmax_kernel n (query_key width WQ WK)))
                        (fun x r => linear_value n V x r + bias r)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention (softmax_kernel n (query_key width WQ WK))) x i
  >= 1 - 2 * (1 + 1 / INR m) * eta.

(** The residual task: out_i = x_i + sum_k a_ik v(x_k). *)
Definition necessity_residual : Prop :=
  forall n L m K v eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  residual_sup_loss_le n L (fun x i r => x i r + head (kernel_attention K) v x i r) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.

(** ** The constant to first order *)

(** C = 4/(m-1) + (p+1)(p+3)/((p-1)(m+1)). *)
Definition second_order_constant (m p : nat) : R :=
  4 / (INR m - 1) + (INR p + 1) * (INR p + 3) / ((INR p - 1) * (INR m + 1)).

(** With one noise coordinate: at least 1 - 2 eta/(1 - C eta). *)
Definition worst_case : Prop :=
  forall n L m p K v eta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> (2 <= p)%nat -> (p + 2 <= L)%nat -> positive_kernel K ->
  eta <= (INR m - 1) / (4 * (INR m + 1)) -> second_order_constant m p * eta < 1 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * eta / (1 - second_order_constant m p * eta).

(** m = p = 2: at least 1 - 2 eta/(1 - 9 eta). *)
Definition worst_case_two : Prop :=
  forall n L K v eta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  sup_loss_le n L (head (kernel_attention K) v) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * eta / (1 - 9 * eta).

(** 2 is right to first order: some positive kernel with LINEAR values has sup loss at most eta and a row before
    the trigger with mass exactly 2 eta/(1 + eta) off BOS.  (The kernels of the proofs of this sentence and the
    next ask whether a token's noise is 0: they are discontinuous, and no softmax of a bilinear form.) *)
Definition first_order_sharp : Prop :=
  forall n L eta,
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta < 1 ->
  exists K V x j i, positive_kernel K /\ sup_loss_le n L (head (kernel_attention K) (linear_value n V)) eta /\
    valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat /\
    1 - bos_attention (kernel_attention K) x i = 2 * eta / (1 + eta).

(** More mass, in the second order: for every s below 2 eta/(1 - 4 eta/(L-3)) a head of the same kind has a row
    before the trigger with mass at least s off BOS; eta <= D_L = (L-3)/(2(L-1)). *)
Definition second_order_lower : Prop :=
  forall n L eta s,
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta -> eta <= trigger_gap L -> s < 2 * eta / (1 - 4 * eta / (INR L - 3)) ->
  exists K V x j i, positive_kernel K /\ sup_loss_le n L (head (kernel_attention K) (linear_value n V)) eta /\
    valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat /\
    1 - bos_attention (kernel_attention K) x i >= s.
