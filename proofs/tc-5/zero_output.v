(** * tc-5: zero loss is impossible for one normalised head, and approachable

    Claim (docs/THEORY.md, tc-5).  Positive content-based kernel, one layer, one head, L >= 4: no
    parameters have sup loss 0.  The softmax head with logits b (1 - 2 t(q)) bos(k) and V = P has sup
    loss EXACTLY (L-1)/(e^b + L - 1) and BOS attention e^b/(e^b + i - 1) at pre-trigger row i: the
    infimum 0 is not attained, and the sink 1 - O(eta) of tc-1 cannot become 1 - o(eta).

    Proved here, for all n >= 4 and all L >= 4:
    - [zero_loss_impossible]: for every positive kernel and ANY value map;
    - [switch_sup_loss]: the exact sup loss (a maximum), for every real b;
    - [switch_bos_attention_rows]: BOS attention at every row: e^b/(e^b + i - 1) off the trigger
      (before and after it), e^-b/(e^-b + j - 1) at the trigger;
    - [infimum_not_attained]: over softmax heads with linear values the infimum is 0, unattained;
    - [sink_rate]: 1 - BOS attention >= ((i-1)/(L-1)) * sup loss at every row i off the trigger.

    Steps of the impossibility, by exact rows: v(BOS)_c = 0 from position 1; the trigger rows of
    (BOS,x,x,t,..) and (BOS,x,t,..) give K(t,x) v(x)_c = (2/3) K(t,x) + S/6 > 0 with S > 0 the weight of
    the other keys; row 2 needs a_22 v(x)_c = 0, but a_22 > 0.
    The head itself is computed in proofs/theory/switch_family.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-5/zero_output.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
Open Scope R_scope.

Lemma quotient_eq a b c : 0 < b -> Rabs (a / b - c) <= 0 -> a = b * c.
Proof.
  intros Hb H. apply abs_bounds in H. assert (E : a / b = c) by lra.
  rewrite <- E. field. lra.
Qed.

Theorem zero_loss_impossible n L K v :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K ->
  ~ sup_loss_le n L (head (kernel_attention K) v) 0.
Proof.
  intros Hn HL HK Hloss.
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

Corollary zero_is_not_the_sup_loss n L K v :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K ->
  ~ is_sup_loss n L (head (kernel_attention K) v) 0.
Proof.
  intros Hn HL HK [H _]. apply (zero_loss_impossible n L K v Hn HL HK). now apply sup_loss_le_iff.
Qed.

(** The sup loss of the switch is (L-1)/(e^b + L - 1): attained at row L of
    (BOS, c(1), t(1), c(1), ..., c(1)) in the noise coordinate 2. *)
Theorem switch_sup_loss n L b :
  (4 <= n)%nat -> (4 <= L)%nat ->
  is_sup_loss n L (single_switch n b) (INR (L - 1) / (exp b + INR (L - 1))).
Proof.
  intros Hn HL. apply sup_loss_of_max; [apply single_switch_sup_loss_le; lia|].
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

Theorem switch_bos_attention_rows n L b x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (switch_attention n b (- b)) x i
  = if (i =? j)%nat then exp (- b) / (exp (- b) + INR (j - 1)) else exp b / (exp b + INR (i - 1)).
Proof.
  intros Hn Hx H1 H2. rewrite (switch_bos_attention n L j x Hx Hn) by assumption.
  unfold bos_factor. destruct (Nat.eqb_spec i j) as [->|_]; reflexivity.
Qed.

Theorem infimum_not_attained n L :
  (4 <= n)%nat -> (4 <= L)%nat ->
  (forall eta, 0 < eta -> exists W V,
     sup_loss_le n L (head (kernel_attention (softmax_kernel n W)) (linear_value n V)) eta) /\
  (forall W V,
     ~ sup_loss_le n L (head (kernel_attention (softmax_kernel n W)) (linear_value n V)) 0).
Proof.
  intros Hn HL. split.
  - intros eta Heta. destruct (softmax_sup_loss_small n L eta) as [W HW]; try lia; try assumption.
    now exists W, projector.
  - intros W V. apply zero_loss_impossible; auto. apply softmax_positive.
Qed.

(** The distance of the sink from 1 is at least a fixed multiple of the loss. *)
Theorem sink_rate n L b x j i :
  (4 <= n)%nat -> (4 <= L)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  1 - bos_attention (switch_attention n b (- b)) x i
  >= INR (i - 1) / INR (L - 1) * (INR (L - 1) / (exp b + INR (L - 1))).
Proof.
  intros Hn HL Hx H1 H2 E. rewrite (switch_bos_attention_rows n L b x j i) by assumption.
  apply Nat.eqb_neq in E. rewrite E. apply Rle_ge.
  pose proof (exp_pos b). pose proof (pos_INR (i - 1)).
  assert (Hl : 3 <= INR (L - 1)) by (replace 3 with (INR 3) by (simpl; ring); apply le_INR; lia).
  assert (Hil : INR (i - 1) <= INR (L - 1)) by (apply le_INR; lia).
  replace (INR (i - 1) / INR (L - 1) * (INR (L - 1) / (exp b + INR (L - 1))))
    with (INR (i - 1) * / (exp b + INR (L - 1))) by (field; lra).
  replace (1 - exp b / (exp b + INR (i - 1))) with (INR (i - 1) * / (exp b + INR (i - 1))) by (field; lra).
  apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra.
Qed.

Print Assumptions zero_loss_impossible.
Print Assumptions zero_is_not_the_sup_loss.
Print Assumptions switch_sup_loss.
Print Assumptions switch_bos_attention_rows.
Print Assumptions infimum_not_attained.
Print Assumptions sink_rate.
