(** * tc-7 (a), (b): rows of switch heads, the cancelling pair, two heads at L = 4

    switch_logits, system_zero_loss and the sentences on the pair and on two_heads, of statement.v.  Row i of
    head h outputs c_h (x_2+..+x_i)/(f_h + i - 1), f_h the BOS factor of the row (theory/switch_family.v); the
    heads add up to (x_2+..+x_i) sum_h c_h/(f_h + i - 1).  Off the trigger all f_h agree and sum c_h = 0.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/heads.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
From Claim Require Import statement.
Open Scope R_scope.

Theorem switch_logits : statement.switch_logits.
Proof. intros n beta tau q k. apply switch_logit. Qed.

(** Off the trigger the heads agree up to c_h. *)
Lemma quiet_rows n L H beta tau c x j i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> i <> j ->
  sum H c = 0 -> multi_head H (switch_heads n beta tau c) x i r = 0.
Proof.
  intros Hn Hx H1 H2 Hr E Hc. unfold multi_head, switch_heads.
  set (S := sum (i - 1) (fun k => x (k + 2)%nat r)).
  rewrite (sum_ext H _ (fun h => c h * (S / (exp beta + INR (i - 1))))).
  - rewrite sum_scal_r, Hc. ring.
  - intros h _. rewrite (switch_output n L j x Hx Hn) by assumption. fold S.
    unfold bos_factor. apply Nat.eqb_neq in E. rewrite E. unfold Rdiv. ring.
Qed.

(** At the trigger. *)
Lemma trigger_row n L H beta tau c x j r :
  (4 <= n)%nat -> valid n L j x -> (r < n)%nat ->
  multi_head H (switch_heads n beta tau c) x j r
  = sum (j - 1) (fun k => x (k + 2)%nat r) * sum H (fun h => c h / (exp (tau h) + INR (j - 1))).
Proof.
  intros Hn Hx Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  unfold multi_head, switch_heads. rewrite <- sum_scal. apply sum_ext. intros h _.
  rewrite (switch_output n L j x Hx Hn) by (assumption || lia).
  unfold bos_factor. rewrite Nat.eqb_refl. unfold Rdiv. ring.
Qed.

(** Coefficients that solve the system give zero loss. *)
Theorem system_zero_loss : statement.system_zero_loss.
Proof.
  intros n L H beta tau c Hn Hc Hsys x j Hx i r H1 H2 Hr.
  pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  destruct (Nat.eq_dec i j) as [->|E].
  - rewrite (trigger_row n L) by assumption. rewrite Hsys, (switch_target n) by assumption.
    unfold Rdiv. rewrite Rmult_1_l, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - rewrite (quiet_rows n L) with (j := j) by assumption.
    rewrite target_off_trigger, Rminus_0_r, Rabs_R0 by assumption. lra.
Qed.

(** ** (a) The cancelling pair *)

Lemma pair_error_nonneg b j : 0 <= pair_error b j.
Proof.
  unfold pair_error. pose proof (exp_pos (- b)). pose proof (exp_pos b). pose proof (pos_INR (j - 1)).
  assert (0 < / (exp (- b) + INR (j - 1))) by (apply Rinv_0_lt_compat; lra).
  assert (0 < / (exp b + INR (j - 1))) by (apply Rinv_0_lt_compat; lra).
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

(** The error at the trigger is |mean| (e1 + e2). *)
Lemma pair_trigger_error n L b x j r :
  (4 <= n)%nat -> valid n L j x -> (r < n)%nat ->
  cancelling_pair n b x j r - target j x j r = - target j x j r * pair_error b j.
Proof.
  intros Hn Hx Hr. pose proof (trigger_from_3 _ _ _ _ Hx).
  assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  unfold cancelling_pair. rewrite (trigger_row n L), (switch_target n) by assumption.
  cbn [sum]. unfold alternate, pair_error. cbn [Nat.eqb].
  pose proof (exp_pos (- b)). pose proof (exp_pos b). field. repeat split; lra.
Qed.

Lemma target_abs_le_1 n L x j r :
  (4 <= n)%nat -> valid n L j x -> (r < n)%nat -> Rabs (target j x j r) <= 1.
Proof.
  intros Hn Hx Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  rewrite (switch_target n) by assumption. unfold Rdiv.
  rewrite Rabs_mult, (Rabs_pos_eq (/ INR (j - 1))) by (left; apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_reg_r (INR (j - 1))); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
  now apply (valid_sum_abs_le n L j).
Qed.

Lemma pair_quiet n L b x j i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> i <> j ->
  cancelling_pair n b x i r = 0.
Proof.
  intros Hn Hx H1 H2 Hr E. apply (quiet_rows n L 2 0 _ _ x j i r); auto.
  cbn [sum]. unfold alternate. cbn [Nat.eqb]. ring.
Qed.

(** The sup loss is the maximum of e1 + e2 over the trigger positions. *)
Theorem pair_sup_loss : statement.pair_sup_loss.
Proof.
  intros n L b eta Hn HL. split.
  - intros H j H3 HjL.
    (* all noise equal to 1: the mean is 1 in the noise coordinate 2 *)
    set (x := constant_content n 1). set (t := constant_trigger n 1).
    assert (Hv : valid n L j (probe x t j)).
    { apply probe_valid; auto.
      - apply constant_content_is_content; [assumption|lra].
      - apply constant_trigger_is_trigger; [assumption|lra]. }
    pose proof (H _ _ Hv j 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as B.
    rewrite (pair_trigger_error n L) in B by (assumption || lia).
    assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    replace (target j (probe x t j) j 2%nat) with 1 in B.
    + apply abs_bounds in B. lra.
    + rewrite (switch_target n) by lia. rewrite (sum_ext _ _ (fun _ => 1)).
      * rewrite sum_const. field. lra.
      * intros k Hk. unfold probe. destruct (Nat.eqb_spec (k + 2) 1); [lia|].
        destruct (k + 2 =? j)%nat; [apply constant_trigger_noise|apply constant_content_noise]; lia.
  - intros H x j Hx i r H1 H2 Hr.
    pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as H4.
    destruct (Nat.eq_dec i j) as [->|E].
    + rewrite (pair_trigger_error n L) by assumption.
      rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (pair_error b j)) by apply pair_error_nonneg.
      pose proof (target_abs_le_1 n L x j r Hn Hx Hr) as B. pose proof (pair_error_nonneg b j) as P.
      apply Rle_trans with (1 * pair_error b j); [now apply Rmult_le_compat_r|].
      rewrite Rmult_1_l. now apply H.
    + rewrite (pair_quiet n L b x j), target_off_trigger, Rminus_0_r, Rabs_R0 by assumption.
      eapply Rle_trans; [apply (pair_error_nonneg b j)|]. now apply H.
Qed.

(** BOS attention 1/i off the trigger, in both heads. *)
Theorem pair_bos_attention : statement.pair_bos_attention.
Proof.
  intros n L b x j i Hn Hx H1 H2 E h. rewrite (switch_bos_attention n L j x Hx Hn) by assumption.
  unfold bos_factor. apply Nat.eqb_neq in E. rewrite E, exp_0.
  rewrite minus_INR by assumption. change (INR 1) with 1. f_equal. ring.
Qed.

(** The sup loss tends to 0. *)
Theorem pair_sup_loss_small : statement.pair_sup_loss_small.
Proof.
  intros n L eta Hn HL Heta.
  assert (HLR : 3 <= INR L) by (replace 3 with (INR 3) by (simpl; ring); now apply le_INR).
  exists (ln (INR L / eta)). apply pair_sup_loss; auto. intros j H3 HjL.
  assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  assert (HmL : INR (j - 1) <= INR L - 1).
  { rewrite minus_INR by lia. change (INR 1) with 1. apply le_INR in HjL. lra. }
  unfold pair_error. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra).
  set (m := INR (j - 1)) in *. set (l := INR L) in *.
  replace (/ (l / eta)) with (eta / l) by (field; lra).
  assert (Hel : 0 < eta / l) by (apply Rdiv_lt_0_compat; lra).
  assert (Hle : 0 < l / eta) by (apply Rdiv_lt_0_compat; lra).
  assert (A : eta / l / (eta / l + m) <= eta / l).
  { rewrite <- (Rmult_1_r (eta / l)) at 3. unfold Rdiv at 1. apply Rmult_le_compat_l; [lra|].
    rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (B : m / (l / eta + m) <= (l - 1) * (eta / l)).
  { apply Rle_trans with (m * / (l / eta)).
    - unfold Rdiv at 1. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    - replace (/ (l / eta)) with (eta / l) by (field; lra). apply Rmult_le_compat_r; lra. }
  replace eta with (eta / l + (l - 1) * (eta / l)) at 4 by (field; lra). lra.
Qed.

(** ** (b) Two heads, L = 4 *)

Theorem two_heads_zero_loss : statement.two_heads_zero_loss.
Proof.
  intros n Hn. apply system_zero_loss; [assumption| |].
  - cbn [sum]. unfold alternate. cbn [Nat.eqb]. ring.
  - intros j H3 H4. cbn [sum]. unfold alternate. cbn [Nat.eqb]. rewrite !exp_ln by lra.
    assert (Hj : j = 3%nat \/ j = 4%nat) by lia. destruct Hj; subst j; simpl; field.
Qed.

Theorem two_heads_bos_attention : statement.two_heads_bos_attention.
Proof.
  intros n x j i Hn Hx H1 H2 h. pose proof (trigger_from_3 _ _ _ _ Hx) as H3.
  rewrite (switch_bos_attention n 4 j x Hx Hn) by lia. unfold bos_factor.
  assert (Hm : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
  assert (HF : forall f m, 0 < f -> 2 * f <= 3 * m -> 1 <= m -> f / (f + m) <= 3 / 5).
  { intros f m Hf Hfm Hm1. apply (Rmult_le_reg_r (f + m)); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  destruct (Nat.eqb_spec i j) as [->|_].
  - assert (Hm2 : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    unfold alternate. destruct (h =? 0)%nat; rewrite exp_ln by lra; apply HF; lra.
  - rewrite exp_0. apply HF; lra.
Qed.

Print Assumptions switch_logits.
Print Assumptions system_zero_loss.
Print Assumptions pair_sup_loss.
Print Assumptions pair_bos_attention.
Print Assumptions pair_sup_loss_small.
Print Assumptions two_heads_zero_loss.
Print Assumptions two_heads_bos_attention.
