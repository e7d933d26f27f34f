(** * tc-3: the bound from the flags alone

    The proof is [row_normalised_sink] of proofs/theory/row_normalised_core.v; here are the claim and its
    instances: J = 4, softmax over any logits, the residual task.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-3 Claim row_normalised.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task heads row_normalised_core.
From Claim Require Import statement.
Open Scope R_scope.

Theorem row_normalised : statement.row_normalised.
Proof.
  intros n L J a V eta Hn HJ HJL Ha Heta Hloss. exact (row_normalised_sink n L J a V eta Hn HJ HJL Ha Hloss Heta).
Qed.

Theorem row_normalised_four : statement.row_normalised_four.
Proof.
  intros n L a V eta Hn HL Ha Heta Hloss x j i Hx H1 H2 E.
  assert (HD : trigger_gap 4 = 1 / 6) by (unfold trigger_gap; simpl; field).
  replace (12 * eta / (1 - 12 * eta)) with (2 * eta / (trigger_gap 4 - 2 * eta)) by (rewrite HD; field; lra).
  apply (row_normalised n L 4%nat a V eta) with (j := j); auto. rewrite HD. lra.
Qed.

Lemma softmax_row_stochastic n L logit : row_stochastic n L (softmax_attention logit).
Proof.
  intros x j _ i Hi _.
  assert (Hs : 0 < possum i (fun l => exp (logit x i l))).
  { apply possum_pos; [assumption|]. intros. apply exp_pos. }
  split.
  - intros k _ _. left. apply Rdiv_lt_0_compat; [apply exp_pos|assumption].
  - unfold softmax_attention, Rdiv.
    rewrite (possum_scal_r i _ (fun k => exp (logit x i k))). apply Rinv_r. lra.
Qed.

Theorem row_normalised_softmax : statement.row_normalised_softmax.
Proof.
  intros n L J logit V eta Hn HJ HJL Heta Hloss. apply (row_normalised n L J _ V eta); auto.
  apply softmax_row_stochastic.
Qed.

(** Adding x_i on both sides changes no error. *)
Theorem row_normalised_residual : statement.row_normalised_residual.
Proof.
  intros n L J a V eta Hn HJ HJL Ha Heta Hloss. apply (row_normalised n L J a V eta); auto.
  now apply residual_sup_loss_iff.
Qed.

Print Assumptions row_normalised.
Print Assumptions row_normalised_four.
Print Assumptions row_normalised_softmax.
Print Assumptions row_normalised_residual.
