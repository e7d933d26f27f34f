(** * tc-8: positive weights never reach loss 0

    Proves the first part of limits_statement.v.  At loss 0 rows 1 and 2 force v(BOS) = 0 and v(x) = 0, so the
    trigger row (trigger at 3) is a positive multiple of v(t), while its target turns with the noise of x_2.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-8 Claim <proofs>/tc-8/never_exact.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task variant_rows.
From Claim Require Import limits_statement.
Open Scope R_scope.

Theorem positive_weights_never_exact : limits_statement.positive_weights_never_exact.
Proof.
  intros n L a v Hn HL Ha Hloss. set (t := constant_trigger n 0).
  assert (Ht : is_trigger n t) by (apply constant_trigger_is_trigger; [assumption|lra]).
  assert (Hrow : forall u, -1 <= u <= 1 ->
            exists w, 0 < w /\ w * v t (n - 1)%nat = 1 / 2 /\ w * v t 2%nat = u / 2).
  { intros u Hu. set (x := constant_content n u).
    assert (Hx : is_content n x) by (now apply constant_content_is_content).
    assert (Hv : valid n L 3 (probe x t 3)) by (apply probe_valid; auto; lia).
    assert (Hpos := fun i k => Ha _ _ i k Hv).
    set (y := probe x t 3) in *.
    assert (Hzero : forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
              head a v y i r = target 3 y i r).
    { intros i r H1 H2 Hr. pose proof (Hloss y 3%nat Hv i r H1 H2 Hr) as H. apply abs_bounds in H. lra. }
    assert (Hb : forall r, (r < n)%nat -> v bos r = 0).
    { intros r Hr. pose proof (Hzero 1%nat r ltac:(lia) ltac:(lia) Hr) as H.
      rewrite target_off_trigger in H by lia. unfold head, possum in H. cbn [sum] in H.
      change (y 1%nat) with bos in H. rewrite Rplus_0_l in H.
      pose proof (Hpos 1%nat 1%nat ltac:(lia) ltac:(lia) ltac:(lia)).
      apply (Rmult_eq_reg_l (a y 1%nat 1%nat)); [rewrite H; ring|lra]. }
    assert (Hc : forall r, (r < n)%nat -> v x r = 0).
    { intros r Hr. pose proof (Hzero 2%nat r ltac:(lia) ltac:(lia) Hr) as H.
      rewrite target_off_trigger in H by lia. unfold head, possum in H. cbn [sum] in H.
      change (y 1%nat) with bos in H. change (y 2%nat) with x in H. rewrite Hb in H by assumption.
      pose proof (Hpos 2%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)).
      apply (Rmult_eq_reg_l (a y 2%nat 2%nat)); lra. }
    assert (H3 : forall r, (r < n)%nat -> a y 3%nat 3%nat * v t r = (x r + t r) / 2).
    { intros r Hr. pose proof (Hzero 3%nat r ltac:(lia) ltac:(lia) Hr) as H.
      unfold head, possum, target, mean_from_2 in H. cbn [sum Nat.eqb Nat.sub Nat.add] in H.
      change (y 1%nat) with bos in H. change (y 2%nat) with x in H. change (y 3%nat) with t in H.
      rewrite Hb, Hc in H by assumption. simpl INR in H. lra. }
    exists (a y 3%nat 3%nat). split; [apply Hpos; lia|]. split.
    - rewrite H3 by lia. pose proof (content_content_flag _ _ Hx) as C. pose proof (trigger_content_flag _ _ Ht)
        as C'.
      unfold content_flag in C, C'. rewrite C, C'. field.
    - rewrite H3 by lia. unfold x, t. rewrite constant_content_noise, constant_trigger_noise by lia. field. }
  destruct (Hrow 1) as (w & Hw & Hwc & Hwn); [lra|]. destruct (Hrow (-1)) as (z & Hz & Hzc & Hzn); [lra|].
  assert (Hn1 : 0 < v t 2%nat).
  { apply (Rmult_lt_reg_l w); [assumption|]. rewrite Hwn. lra. }
  assert (Hn2 : 0 < z * v t 2%nat) by (now apply Rmult_lt_0_compat). lra.
Qed.

Theorem unnormalised_never_exact : limits_statement.unnormalised_never_exact.
Proof.
  intros phi n L M v Hn HL Hphi. apply positive_weights_never_exact; auto. intros x j i k _ _ _ _.
  apply Rdiv_lt_0_compat; [apply Hphi|]. apply lt_0_INR. lia.
Qed.

Theorem kernel_never_exact : limits_statement.kernel_never_exact.
Proof.
  intros n L K v Hn HL HK. apply positive_weights_never_exact; auto. intros x j i k _ K1 K2 _.
  apply Rdiv_lt_0_compat; [apply HK|]. apply kernel_row_sum_pos; [assumption|lia].
Qed.

Theorem null_never_exact : limits_statement.null_never_exact.
Proof.
  intros n L M v Hn HL. apply positive_weights_never_exact; auto. intros x j i k _ _ _ _.
  apply Rdiv_lt_0_compat; [apply exp_pos|apply null_row_pos].
Qed.

Theorem gated_never_exact : limits_statement.gated_never_exact.
Proof.
  intros n L g c M v Hn HL H. apply (positive_weights_never_exact n L (gated_weights n g c M) v Hn HL).
  - intros x j i k _ K1 K2 _. apply Rmult_lt_0_compat; [apply gate_bounds|].
    apply Rdiv_lt_0_compat; [apply exp_pos|]. apply kernel_row_sum_pos; [apply softmax_positive|lia].
  - intros x j Hx i r H1 H2 Hr. rewrite <- gated_head_weights. now apply (H x j Hx).
Qed.

Print Assumptions positive_weights_never_exact.
Print Assumptions unnormalised_never_exact.
Print Assumptions kernel_never_exact.
Print Assumptions null_never_exact.
Print Assumptions gated_never_exact.
