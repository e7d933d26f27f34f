(** * tc-1: the sink is necessary

    The claim, its sharper form and its variants, each from [kernel_sink], [kernel_sink_nonnegative] or
    [kernel_value_floor] of proofs/theory/probe.v, where the argument is.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-1 Claim necessity.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task probe.
From Claim Require Import statement.
Open Scope R_scope.

Theorem necessity : statement.necessity.
Proof. intros n L m K v eta Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij. now apply (kernel_sink n L m K v eta) with (j := j). Qed.

Theorem necessity_sharp : statement.necessity_sharp.
Proof. intros n L m K v eta Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij. now apply (kernel_sink n L m K v eta) with (j := j). Qed.

Theorem necessity_two : statement.necessity_two.
Proof.
  intros n L K v eta Hn HL HK Heta Hloss x j i Hx Hi Hij.
  replace (3 * eta) with (2 * (1 + 1 / INR 2) * eta) by (simpl; lra).
  apply (necessity n L 2%nat K v eta) with (j := j); auto; simpl; lra.
Qed.

Theorem necessity_sharp_two : statement.necessity_sharp_two.
Proof.
  intros n L K v eta Hn HL HK Heta Hloss x j i Hx Hi Hij.
  replace (12 * eta / (5 - 12 * eta))
    with (2 * eta / ((INR 2 * INR 2 + INR 2 - 1) / (INR 2 * (INR 2 + 1)) - 2 * (INR 2 - 1) * eta)).
  - apply (necessity_sharp n L 2%nat K v eta) with (j := j); auto; simpl; lra.
  - simpl. field. lra.
Qed.

Theorem content_value_floor : statement.content_value_floor.
Proof. intros n L m K v eta Hn Hm HmL HK Heta Hloss x Hx. apply Rle_ge. now apply (kernel_value_floor n L m K v eta). Qed.

Theorem necessity_nonnegative : statement.necessity_nonnegative.
Proof.
  intros n L m K v eta Hn Hm HmL HK Heta Hloss x j i Hx Hi Hij.
  now apply (kernel_sink_nonnegative n L m K v eta) with (j := j).
Qed.

Theorem necessity_softmax : statement.necessity_softmax.
Proof.
  intros n L m width WQ WK V bias eta Hn Hm HmL Heta Hloss.
  apply (necessity n L m _ _ eta Hn Hm HmL) with (3 := Hloss); [apply softmax_positive|assumption].
Qed.

(** Adding x_i on both sides changes no error. *)
Theorem necessity_residual : statement.necessity_residual.
Proof.
  intros n L m K v eta Hn Hm HmL HK Heta Hloss. apply (necessity n L m K v eta); auto.
  now apply residual_sup_loss_iff.
Qed.

Print Assumptions necessity.
Print Assumptions necessity_sharp.
Print Assumptions necessity_two.
Print Assumptions necessity_sharp_two.
Print Assumptions content_value_floor.
Print Assumptions necessity_nonnegative.
Print Assumptions necessity_softmax.
Print Assumptions necessity_residual.
