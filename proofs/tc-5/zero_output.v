(** * tc-5, the proof

    All sentences of statement.v.  Steps of the impossibility, by exact rows: v(BOS)_c = 0 from position 1;
    the trigger rows of (BOS,x,x,t,..) and (BOS,x,t,..) give K(t,x) v(x)_c = (2/3) K(t,x) + S/6 > 0 with
    S > 0 the weight of the other keys; row 2 needs a_22 v(x)_c = 0, but a_22 > 0.
    The single switch is computed in theory/switch_family.v; its loss (L-1)/(E + L - 1), E = e^b, takes every
    value eta between 0 and 1, at E = (L-1)(1/eta - 1).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-5 Claim <proofs>/tc-5/zero_output.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
From Claim Require Import statement.
Open Scope R_scope.

Lemma quotient_eq a b c : 0 < b -> Rabs (a / b - c) <= 0 -> a = b * c.
Proof.
  intros Hb H. apply abs_bounds in H. assert (E : a / b = c) by lra.
  rewrite <- E. field. lra.
Qed.

Theorem zero_loss_impossible : statement.zero_loss_impossible.
Proof.
  intros n L K v Hn HL HK Hloss.
  set (x := constant_content n 0). set (t := constant_trigger n 0).
  assert (Hx : is_content n x) by (apply constant_content_is_content; [assumption|lra]).
  assert (Ht : is_trigger n t) by (apply constant_trigger_is_trigger; [assumption|lra]).
  assert (V3 : valid n L 3 (probe x t 3)) by (apply probe_valid; auto; lia).
  assert (V4 : valid n L 4 (probe x t 4)) by (apply probe_valid; auto; lia).
  pose proof (Hloss _ _ V4 1%nat (n - 1)%nat ltac:(lia) ltac:(lia) ltac:(lia)) as R1.
  pose proof (Hloss _ _ V4 2%nat (n - 1)%nat ltac:(lia) ltac:(lia) ltac:(lia)) as R2.
  pose proof (Hloss _ _ V3 3%nat (n - 1)%nat ltac:(lia) ltac:(lia) ltac:(lia)) as R3.
  pose proof (Hloss _ _ V4 4%nat (n - 1)%nat ltac:(lia) ltac:(lia) ltac:(lia)) as R4.
  rewrite (target_content_flag n L) in R3, R4 by assumption.
  rewrite target_off_trigger in R1, R2 by lia.
  rewrite kernel_head_quotient in R1, R2, R3, R4.
  apply quotient_eq in R1; [|apply kernel_row_sum_pos; [assumption|lia]].
  apply quotient_eq in R2; [|apply kernel_row_sum_pos; [assumption|lia]].
  apply quotient_eq in R3; [|apply kernel_row_sum_pos; [assumption|lia]].
  apply quotient_eq in R4; [|apply kernel_row_sum_pos; [assumption|lia]].
  unfold possum, probe in R1, R2, R3, R4. cbn [sum Nat.eqb] in R1, R2, R3, R4.
  simpl INR in R3, R4.
  pose proof (HK bos bos). pose proof (HK x x). pose proof (HK t x) as Htx.
  pose proof (HK t bos). pose proof (HK t t).
  set (b := v bos (n - 1)%nat) in *. set (u := v x (n - 1)%nat) in *. set (w := v t (n - 1)%nat) in *.
  assert (B : b = 0) by (apply (Rmult_eq_reg_l (K bos bos)); lra).
  assert (U : u = 0) by (rewrite B in R2; apply (Rmult_eq_reg_l (K x x)); lra).
  rewrite B, U in R3, R4. lra.
Qed.

Theorem zero_loss_impossible_instance :
  exists n L K (v : token -> token), (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K.
Proof.
  exists 5%nat, 6%nat, (softmax_kernel 5 (switch_matrix 5 3 (- 3))), (linear_value 5 projector).
  repeat split; try lia. apply softmax_positive.
Qed.

Theorem infimum_not_attained : statement.infimum_not_attained.
Proof.
  intros n L Hn HL. split.
  - intros eta Heta. destruct (softmax_sup_loss_small n L eta) as [W HW]; try lia; try assumption.
    now exists W, projector.
  - intros W V. exact (zero_loss_impossible n L _ _ Hn HL (softmax_positive n W)).
Qed.

Theorem infimum_not_attained_instance : exists n L, (4 <= n)%nat /\ (4 <= L)%nat /\ exists eta, 0 < eta.
Proof. exists 5%nat, 6%nat. repeat split; try lia. exists (/ 10). lra. Qed.

(** ** The single switch *)

Theorem switch_logits : statement.switch_logits.
Proof. intros n L x j b i k. apply single_switch_logit. Qed.

Theorem switch_logits_instance :
  exists n L x j (b : R) i (k : nat), (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists 5%nat, 6%nat, x, 4%nat, 3, 2%nat, 1%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

(** The sup loss of the switch is (L-1)/(e^b + L - 1): attained at row L of
    (BOS, c(1), t(1), c(1), ..., c(1)) in the noise coordinate 2. *)
Theorem switch_sup_loss : statement.switch_sup_loss.
Proof.
  intros n L b Hn HL. apply sup_loss_of_max; [apply single_switch_sup_loss_le; lia|].
  set (x := constant_content n 1). set (t := constant_trigger n 1).
  assert (Hx : is_content n x) by (apply constant_content_is_content; [assumption|lra]).
  assert (Ht : is_trigger n t) by (apply constant_trigger_is_trigger; [assumption|lra]).
  assert (V3 : valid n L 3 (probe x t 3)) by (apply probe_valid; auto; lia).
  exists (probe x t 3), 3%nat, L, 2%nat. do 4 (split; [assumption || lia|]).
  rewrite target_off_trigger, Rminus_0_r by lia.
  rewrite single_switch_head, (switch_output n L 3 _ V3 Hn) by lia.
  rewrite (sum_ext _ _ (fun _ => 1)).
  - rewrite sum_const, Rmult_1_l, Rmult_1_r. unfold bos_factor.
    destruct (Nat.eqb_spec L 3); [lia|]. symmetry. apply Rabs_pos_eq.
    pose proof (exp_pos b). pose proof (pos_INR (L - 1)).
    apply Rmult_le_pos; [assumption|left; apply Rinv_0_lt_compat; lra].
  - intros k Hk. unfold probe.
    destruct (Nat.eqb_spec (k + 2) 1); [lia|]. destruct (Nat.eqb_spec (k + 2) 3).
    + apply constant_trigger_noise; lia.
    + apply constant_content_noise; lia.
Qed.

Theorem switch_sup_loss_instance : exists n L (b : R), (4 <= n)%nat /\ (4 <= L)%nat.
Proof. exists 5%nat, 6%nat, 3. lia. Qed.

Theorem switch_bos_attention_rows : statement.switch_bos_attention_rows.
Proof.
  intros n L b x j i Hn Hx H1 H2. rewrite (switch_bos_attention n L j x Hx Hn) by assumption.
  unfold bos_factor. destruct (Nat.eqb_spec i j) as [->|_]; reflexivity.
Qed.

Theorem switch_bos_attention_rows_instance :
  exists n L (b : R) x j i, (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists 5%nat, 6%nat, 3, x, 4%nat, 2%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

Theorem sink_rate : statement.sink_rate.
Proof.
  intros n L eta Hn HL Hpos H1.
  assert (Hl : 3 <= INR (L - 1)) by (replace 3 with (INR 3) by (simpl; ring); apply le_INR; lia).
  assert (HE : 0 < INR (L - 1) * (/ eta - 1)).
  { apply Rmult_lt_0_compat; [lra|]. rewrite <- Rinv_1. apply Rlt_Rminus, Rinv_lt_contravar; lra. }
  set (b := ln (INR (L - 1) * (/ eta - 1))).
  assert (Hb : exp b = INR (L - 1) * (/ eta - 1)) by (now apply exp_ln).
  assert (Heta : INR (L - 1) / (exp b + INR (L - 1)) = eta) by (rewrite Hb; field; lra).
  exists b. split; [rewrite <- Heta; exact (switch_sup_loss n L b Hn HL)|].
  intros x j i Hx Hi HiL E. rewrite (switch_bos_attention_rows n L b x j i Hn Hx Hi HiL).
  apply Nat.eqb_neq in E. rewrite E, <- Heta. pose proof (exp_pos b). pose proof (pos_INR (i - 1)).
  assert (Hil : INR (i - 1) <= INR (L - 1)) by (apply le_INR; lia).
  replace (INR (i - 1) / INR (L - 1) * (INR (L - 1) / (exp b + INR (L - 1))))
    with (INR (i - 1) * / (exp b + INR (L - 1))) by (field; lra).
  replace (exp b / (exp b + INR (i - 1))) with (1 - INR (i - 1) * / (exp b + INR (i - 1))) by (field; lra).
  apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [assumption|].
  apply Rinv_le_contravar; lra.
Qed.

Theorem sink_rate_instance :
  exists n L eta, (4 <= n)%nat /\ (4 <= L)%nat /\ 0 < eta /\ eta < 1.
Proof. exists 5%nat, 6%nat, (/ 10). repeat split; lia || lra. Qed.

Print Assumptions zero_loss_impossible.
Print Assumptions zero_loss_impossible_instance.
Print Assumptions infimum_not_attained.
Print Assumptions infimum_not_attained_instance.
Print Assumptions switch_logits.
Print Assumptions switch_logits_instance.
Print Assumptions switch_sup_loss.
Print Assumptions switch_sup_loss_instance.
Print Assumptions switch_bos_attention_rows.
Print Assumptions switch_bos_attention_rows_instance.
Print Assumptions sink_rate.
Print Assumptions sink_rate_instance.
