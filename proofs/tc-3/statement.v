(** * tc-3: every row-normalised attention with a linear value map needs a sink

    docs/THEORY.md, tc-3; the setting is proofs/theory/definitions/task.v.  One layer, one head,
    out_i = V sum_k a_ik x_k, ANY row-stochastic causal a: it may depend on everything, positions included.
    eta bounds the sup loss; D_J = (J-3)/(2(J-1)) is [trigger_gap J], 4 <= J <= L. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task heads.
Open Scope R_scope.

(** ** The claim: every row but the trigger's *)

(** eta < D_J/4: BOS attention is at least 1 - 2 eta/(D_J - 2 eta). *)
Definition row_normalised : Prop :=
  forall n L J a V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  eta < trigger_gap J / 4 ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (trigger_gap J - 2 * eta).

(** J = 4: at least 1 - 12 eta/(1 - 12 eta), eta < 1/24. *)
Definition row_normalised_four : Prop :=
  forall n L a V eta,
  (4 <= n)%nat -> (4 <= L)%nat -> row_stochastic n L a -> eta < 1 / 24 ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 12 * eta / (1 - 12 * eta).

(** Softmax over logits that are any function of the sequence and the two positions. *)
Definition row_normalised_softmax : Prop :=
  forall n L J logit V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat ->
  eta < trigger_gap J / 4 ->
  sup_loss_le n L (head (softmax_attention logit) (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention (softmax_attention logit) x i >= 1 - 2 * eta / (trigger_gap J - 2 * eta).

(** The residual task: out_i = x_i + V sum_k a_ik x_k. *)
Definition row_normalised_residual : Prop :=
  forall n L J a V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  eta < trigger_gap J / 4 ->
  residual_sup_loss_le n L (fun x i r => x i r + head a (linear_value n V) x i r) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (trigger_gap J - 2 * eta).

(** ** The exact worst case *)

(** eta (16 + 22 D_J) <= D_J: at least 1 - 4 eta. *)
Definition worst_case : Prop :=
  forall n L J a V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  eta * (16 + 22 * trigger_gap J) <= trigger_gap J ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 4 * eta.

(** Before the trigger: at least 1 - 2 eta/((1 - 4 eta)(1 - 16 eta (1 + D_J)/D_J)). *)
Definition worst_case_pre_trigger : Prop :=
  forall n L J a V eta,
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  eta * (16 + 22 * trigger_gap J) <= trigger_gap J ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention a x i
  >= 1 - 2 * eta / ((1 - 4 * eta) * (1 - 16 * eta * (1 + trigger_gap J) / trigger_gap J)).

(** 4 eta is reached for every eta <= 1/4.  (By weights that ask whether a token's noise is 0: discontinuous, no
    softmax.) *)
Definition worst_case_attained : Prop :=
  forall n L eta,
  (4 <= n)%nat -> (4 <= L)%nat -> 0 <= eta <= / 4 ->
  exists a V x j i, row_stochastic n L a /\ sup_loss_le n L (head a (linear_value n V)) eta /\
    valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j /\ bos_attention a x i = 1 - 4 * eta.

(** s is a mass off BOS of some model of the class with sup loss at most eta, at some row but the trigger's. *)
Definition off_bos_mass (n L : nat) (eta s : R) : Prop :=
  exists a V x j i, row_stochastic n L a /\ sup_loss_le n L (head a (linear_value n V)) eta /\
    valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j /\ s = 1 - bos_attention a x i.

(** So the supremum of these masses is 4 eta, and it is one of them. *)
Definition worst_case_exact : Prop :=
  forall n L eta,
  (4 <= n)%nat -> (4 <= L)%nat -> 0 <= eta ->
  eta * (16 + 22 * trigger_gap L) <= trigger_gap L ->
  is_lub (off_bos_mass n L eta) (4 * eta) /\ off_bos_mass n L eta (4 * eta).

(** ** Limits: encodings ADDED to the values, out_i = sum_k a_ik (P x_k + c_k) *)

(** c_2 = -e_{n-1}, c_3 = +e_{n-1}, all other c_k = 0. *)
Definition pair_encoding (n : nat) : nat -> token :=
  fun k r => if (r =? n - 1)%nat then (if (k =? 2)%nat then -1 else if (k =? 3)%nat then 1 else 0) else 0.

(** They refute the bound: with loss 0 no row i >= 2 looks at BOS when x_2 has no noise, and such sequences exist. *)
Definition added_encodings_refute : Prop :=
  forall n L,
  (4 <= n)%nat -> (3 <= L)%nat ->
  exists a, row_stochastic n L a /\ sup_loss_le n L (encoded_head n a (pair_encoding n)) 0 /\
    (forall x j i, valid n L j x -> (forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> x 2%nat r = 0) ->
       (2 <= i)%nat -> (i <= L)%nat -> bos_attention a x i = 0) /\
    (exists x j, valid n L j x /\ forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> x 2%nat r = 0).

(** With these encodings row 2 still needs the sink on a token with noise 1: BOS attention at least 1 - eta. *)
Definition added_encodings_row_two : Prop :=
  forall n L a eta,
  (4 <= n)%nat -> (3 <= L)%nat -> row_stochastic n L a ->
  sup_loss_le n L (encoded_head n a (pair_encoding n)) eta ->
  forall x j, valid n L j x -> x 2%nat 2%nat = 1 -> bos_attention a x 2%nat >= 1 - eta.
