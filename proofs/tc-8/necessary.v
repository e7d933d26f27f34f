(** * tc-8: where the sink is necessary

    Proves the sentences of necessary_statement.v.  Kernels: tc-1's probe with m = 2 (theory/probe.v); rows sum to
    1, so both biases are part of the value map.  Any row-stochastic weights: the theorem behind tc-3
    (theory/row_normalised_core.v); the flags of a token sum to 1, so a bias is linear in tokens.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-8 Claim <proofs>/tc-8/necessary.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task probe row_normalised_core variant_rows.
From Claim Require Import necessary_statement.
Open Scope R_scope.

Theorem kernel_needs_sink : necessary_statement.kernel_needs_sink.
Proof.
  intros n L K v eta Hn HL HK Heta Hloss x j i Hx Hi Hij.
  replace (3 * eta) with (2 * (1 + 1 / INR 2) * eta) by (simpl; lra).
  apply (kernel_sink_nonnegative n L 2 K v eta Hn) with (j := j); auto; simpl; lra.
Qed.

(** Any normalised phi >= 0 of the logit with positive row sums, with both biases. *)
Lemma normalised_needs_sink phi n L M V bv bo eta :
  (4 <= n)%nat -> (4 <= L)%nat -> nonnegative_kernel n L (fun q k => phi (bilinear n M q k)) -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised phi n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised phi n M) x i >= 1 - 3 * eta.
Proof.
  intros Hn HL HK Heta Hloss.
  apply (kernel_needs_sink n L _ (fun y r => linear_value n V y r + (bv r + bo r)) eta Hn HL HK Heta).
  intros x j Hx i r H1 H2 Hr. rewrite <- biased_head_absorbed; [now apply (Hloss x j Hx)|].
  apply kernel_attention_sum, Rgt_not_eq, (proj2 HK x j Hx i H1 H2).
Qed.

Lemma positive_normalised phi n L M :
  (forall s, 0 < phi s) -> nonnegative_kernel n L (fun q k => phi (bilinear n M q k)).
Proof. intros H. apply positive_is_nonnegative. intros q k. apply H. Qed.

Theorem softmax_needs_sink : necessary_statement.softmax_needs_sink.
Proof.
  intros n L M V bv bo eta Hn HL. apply normalised_needs_sink; auto. apply positive_normalised, exp_pos.
Qed.

Theorem sigmoid_normalised_needs_sink : necessary_statement.sigmoid_normalised_needs_sink.
Proof.
  intros n L M V bv bo eta Hn HL. apply normalised_needs_sink; auto. apply positive_normalised, logistic_pos.
Qed.

Theorem elu1_normalised_needs_sink : necessary_statement.elu1_normalised_needs_sink.
Proof.
  intros n L M V bv bo eta Hn HL. apply normalised_needs_sink; auto. apply positive_normalised, elu1_pos.
Qed.

Theorem relu_normalised_needs_sink : necessary_statement.relu_normalised_needs_sink.
Proof.
  intros n L M V bv bo eta Hn HL Heta Hden. apply normalised_needs_sink; auto.
  split; [intros; apply Rmax_l|]. intros x j Hx i. now apply (Hden x j i).
Qed.

(** The flags sum to 1, so a bias is linear in tokens. *)
Definition absorb_bias (n : nat) (V : matrix) (c : token) : matrix := fun r k => V r k + c r * flags_vector n k.

Lemma absorb_bias_value n L j x V c i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  linear_value n (absorb_bias n V c) (x i) r = linear_value n V (x i) r + c r.
Proof.
  intros Hn Hx H1 H2. unfold linear_value, absorb_bias.
  rewrite (sum_ext n _ (fun k => V r k * x i k + c r * (x i k * flags_vector n k))) by (intros; ring).
  rewrite sum_plus, sum_scal, sum_flags, (valid_flags_sum n L j x Hx Hn) by assumption. ring.
Qed.

Theorem row_normalised_biased : necessary_statement.row_normalised_biased.
Proof.
  intros n L J a V bv bo eta Hn HJ HJL Ha Heta Hloss.
  apply (row_normalised_sink n L J a (absorb_bias n V (fun r => bv r + bo r)) eta Hn HJ HJL Ha); [|exact Heta].
  intros x j Hx i r H1 H2 Hr.
  replace (head a (linear_value n (absorb_bias n V (fun r => bv r + bo r))) x i r)
    with (biased_head n a V bv bo x i r); [now apply (Hloss x j Hx)|].
  rewrite biased_head_absorbed by apply (Ha x j Hx i H1 H2). unfold head. apply possum_ext. intros k K1 K2.
  now rewrite (absorb_bias_value n L j x) by (assumption || lia).
Qed.

Print Assumptions kernel_needs_sink.
Print Assumptions softmax_needs_sink.
Print Assumptions sigmoid_normalised_needs_sink.
Print Assumptions elu1_normalised_needs_sink.
Print Assumptions relu_normalised_needs_sink.
Print Assumptions row_normalised_biased.
