(** * The BOS switch: a softmax head whose logits depend on the query's flags and on the key's BOS flag

    docs/THEORY.md uses one family of explicit softmax heads again and again (tc-5, tc-7 and the
    examples showing that no necessity theorem is vacuous): every key but BOS has logit 0, BOS has
    logit tau for the trigger query and beta for every other query.  Because the flags of a token
    sum to 1 this is a bilinear form q^T W k.  With values c P (P = I - e_0 e_0^T) everything about
    the head is explicit; this file does the computation once.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/switch_family.v
    (after trigger_task.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Sinkproof Require Export switch_model.
Open Scope R_scope.

(** It is W_Q^T W_K for projections of width 1: W_Q = (beta, tau, 0, .., 0, beta), W_K = e_0^T. *)
Lemma switch_matrix_factors n beta tau r c :
  switch_matrix n beta tau r c
  = query_key 1 (fun _ a => switch_matrix n beta tau a 0%nat) (fun _ => bos) r c.
Proof.
  unfold query_key, switch_matrix, bos. cbn [sum Nat.eqb]. destruct (c =? 0)%nat; ring.
Qed.

Lemma bos_factor_pos beta tau j i : 0 < bos_factor beta tau j i.
Proof. unfold bos_factor. destruct (i =? j)%nat; apply exp_pos. Qed.

Lemma switch_logit n beta tau q k :
  (4 <= n)%nat ->
  bilinear n (switch_matrix n beta tau) q k
  = (beta * bos_flag q + tau * trigger_flag q + beta * content_flag n q) * bos_flag k.
Proof.
  intros Hn. unfold bilinear, bos_flag, trigger_flag, content_flag.
  rewrite (sum_ext n _ (fun a => q a * switch_matrix n beta tau a 0%nat * k 0%nat)).
  2:{ intros a _. rewrite (sum_single n _ 0%nat); [reflexivity|lia|].
      intros b _ Hb. unfold switch_matrix. apply Nat.eqb_neq in Hb. rewrite Hb. ring. }
  rewrite (sum_scal_r n (k 0%nat) (fun a => q a * switch_matrix n beta tau a 0%nat)). f_equal.
  assert (W0 : switch_matrix n beta tau 0%nat 0%nat = beta) by reflexivity.
  assert (W1 : switch_matrix n beta tau 1%nat 0%nat = tau) by reflexivity.
  assert (Wc : switch_matrix n beta tau (n - 1)%nat 0%nat = beta).
  { unfold switch_matrix. cbn [Nat.eqb]. destruct (Nat.eqb_spec (n - 1) 0); [lia|].
    destruct (Nat.eqb_spec (n - 1) 1); [lia|]. now rewrite Nat.eqb_refl. }
  assert (Wr : forall a, (2 <= a)%nat -> a <> (n - 1)%nat -> switch_matrix n beta tau a 0%nat = 0).
  { intros a H2 Ha. unfold switch_matrix. cbn [Nat.eqb]. destruct (Nat.eqb_spec a 0); [lia|].
    destruct (Nat.eqb_spec a 1); [lia|]. destruct (Nat.eqb_spec a (n - 1)); [lia|reflexivity]. }
  set (f := fun a => q a * switch_matrix n beta tau a 0%nat).
  replace n with (S (S (n - 2))) at 1 by lia. rewrite !sum_first.
  rewrite (sum_single (n - 2) _ (n - 3)%nat).
  - replace (S (S (n - 3))) with (n - 1)%nat by lia. unfold f. rewrite W0, W1, Wc. ring.
  - lia.
  - intros a Ha Ha'. unfold f. rewrite Wr by lia. ring.
Qed.

Section Row.
  Context (n L j : nat) (x : sequence) (Hx : valid n L j x) (Hn : (4 <= n)%nat) (beta tau : R).

  Lemma switch_kernel_bos i :
    (1 <= i)%nat -> (i <= L)%nat ->
    softmax_kernel n (switch_matrix n beta tau) (x i) (x 1%nat) = bos_factor beta tau j i.
  Proof using Hx Hn.
    intros H1 H2. unfold softmax_kernel, bos_factor. rewrite switch_logit by assumption.
    rewrite (first_is_bos _ _ _ _ Hx) at 1. unfold bos_flag at 2. rewrite bos_0.
    unfold trigger_flag. rewrite (valid_trigger_flag n L j x Hx Hn) by lia.
    destruct (Nat.eq_dec i 1) as [->|E].
    - pose proof (trigger_from_3 _ _ _ _ Hx). destruct (Nat.eqb_spec 1 j); [lia|].
      rewrite (first_is_bos _ _ _ _ Hx). unfold bos_flag, content_flag.
      rewrite bos_0, bos_pos by lia. f_equal. ring.
    - unfold bos_flag, content_flag. rewrite (valid_bos_flag n L j x Hx) by lia.
      rewrite (valid_content_flag n L j x Hx Hn) by lia.
      destruct (i =? j)%nat; f_equal; ring.
  Qed.

  Lemma switch_kernel_other i k :
    (2 <= k)%nat -> (k <= L)%nat ->
    softmax_kernel n (switch_matrix n beta tau) (x i) (x k) = 1.
  Proof using Hx Hn.
    intros H1 H2. unfold softmax_kernel. rewrite switch_logit by assumption.
    unfold bos_flag at 2. rewrite (valid_bos_flag n L j x Hx) by lia.
    rewrite Rmult_0_r. apply exp_0.
  Qed.

  (** The denominator: e^(BOS logit) + (i - 1). *)
  Lemma switch_row_sum i :
    (1 <= i)%nat -> (i <= L)%nat ->
    possum i (fun l => softmax_kernel n (switch_matrix n beta tau) (x i) (x l))
    = bos_factor beta tau j i + INR (i - 1).
  Proof using Hx Hn.
    intros H1 H2. rewrite possum_first, switch_kernel_bos by lia. f_equal.
    rewrite (sum_ext _ _ (fun _ => 1)).
    - rewrite sum_const. ring.
    - intros k Hk. apply switch_kernel_other; lia.
  Qed.

  Lemma switch_row_sum_pos i : 0 < bos_factor beta tau j i + INR (i - 1).
  Proof using. pose proof (bos_factor_pos beta tau j i). pose proof (pos_INR (i - 1)). lra. Qed.

  Lemma switch_bos_attention i :
    (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (switch_attention n beta tau) x i
    = bos_factor beta tau j i / (bos_factor beta tau j i + INR (i - 1)).
  Proof using Hx Hn.
    intros H1 H2. unfold bos_attention, switch_attention, kernel_attention.
    rewrite switch_row_sum, switch_kernel_bos by lia. reflexivity.
  Qed.

  (** The output: c (x_2 + .. + x_i) / (e^(BOS logit) + i - 1), and 0 in the BOS flag. *)
  Lemma switch_output c i r :
    (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    switch_head n beta tau c x i r
    = c * sum (i - 1) (fun k => x (k + 2)%nat r) / (bos_factor beta tau j i + INR (i - 1)).
  Proof using Hx Hn.
    intros H1 H2 Hr. unfold switch_head, switch_attention. rewrite kernel_head_quotient.
    rewrite switch_row_sum by lia. f_equal.
    assert (HV : forall y, linear_value n (scaled_projector c) y r = c * (if (r =? 0)%nat then 0 else y r)).
    { intros y. rewrite <- (linear_projector n y r Hr). unfold linear_value, scaled_projector.
      rewrite <- sum_scal. apply sum_ext. intros. ring. }
    rewrite possum_first by lia. rewrite HV.
    replace (if (r =? 0)%nat then 0 else x 1%nat r) with 0.
    2:{ rewrite (first_is_bos _ _ _ _ Hx).
        destruct (Nat.eqb_spec r 0); [reflexivity|]. rewrite bos_pos by lia. reflexivity. }
    rewrite !Rmult_0_r, Rplus_0_l, <- sum_scal. apply sum_ext. intros k Hk.
    rewrite switch_kernel_other, HV by lia.
    destruct (Nat.eqb_spec r 0) as [->|_]; [|ring].
    rewrite (valid_bos_flag n L j x Hx) by lia. ring.
  Qed.

  Lemma switch_target r :
    (r < n)%nat -> target j x j r = sum (j - 1) (fun k => x (k + 2)%nat r) / INR (j - 1).
  Proof using. intros _. unfold target, mean_from_2. now rewrite Nat.eqb_refl. Qed.
End Row.

(** ** The single switch: logits b (1 - 2 t(q)) bos(k), V = P  (tc-5) *)

(** The logits of the switch on the tokens of the setting, in the page's words. *)
Lemma single_switch_logit n L j x b i k :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bilinear n (switch_matrix n b (- b)) (x i) (x k) = b * (1 - 2 * trigger_flag (x i)) * bos_flag (x k).
Proof.
  intros Hn Hx H1 H2. rewrite switch_logit by assumption. f_equal.
  pose proof (valid_flags_sum n L j x Hx Hn i H1 H2) as F.
  replace (content_flag n (x i)) with (1 - bos_flag (x i) - trigger_flag (x i)) by lra. ring.
Qed.

Lemma single_switch_head n b x i r : single_switch n b x i r = switch_head n b (- b) 1 x i r.
Proof.
  unfold single_switch, switch_head, head. apply possum_ext. intros k _ _.
  apply (f_equal (Rmult _)). apply sum_ext. intros. unfold scaled_projector. ring.
Qed.

(** x/(E+x) grows with x. *)
Lemma fraction_le E x y : 0 < E -> 0 <= x <= y -> x / (E + x) <= y / (E + y).
Proof.
  intros HE [Hx Hy].
  assert (Hd : y / (E + y) - x / (E + x) = E * (y - x) * (/ (E + x) * / (E + y))) by (field; lra).
  assert (0 <= E * (y - x)) by (apply Rmult_le_pos; lra).
  assert (0 < / (E + x) * / (E + y)) by (apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; lra).
  assert (0 <= E * (y - x) * (/ (E + x) * / (E + y))) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The error of a switch at the trigger row: |S/(F + m) - S/m| <= F/(F + m) when |S| <= m. *)
Lemma switch_trigger_error S F m :
  0 < F -> 0 < m -> Rabs S <= m -> Rabs (S / (F + m) - S / m) <= F / (F + m).
Proof.
  intros HF Hm HS.
  replace (S / (F + m) - S / m) with (- (S / m) * (F / (F + m))) by (field; lra).
  assert (HF' : 0 < F / (F + m)) by (apply Rdiv_lt_0_compat; lra).
  rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (F / (F + m))) by lra.
  rewrite <- (Rmult_1_l (F / (F + m))) at 2. apply Rmult_le_compat_r; [lra|].
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ m)) by (left; now apply Rinv_0_lt_compat).
  apply (Rmult_le_reg_r m); [assumption|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Theorem single_switch_sup_loss_le n L b :
  (4 <= n)%nat -> (3 <= L)%nat ->
  sup_loss_le n L (single_switch n b) (INR (L - 1) / (exp b + INR (L - 1))).
Proof.
  intros Hn HL x j Hx i r Hi HiL Hr.
  pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as H4.
  pose proof (exp_pos b) as HE.
  rewrite single_switch_head, (switch_output n L j x Hx Hn) by assumption. rewrite Rmult_1_l.
  pose proof (valid_sum_abs_le n L j x Hx Hn i r HiL Hr) as HS.
  set (S := sum (i - 1) (fun k => x (k + 2)%nat r)) in *.
  destruct (Nat.eq_dec i j) as [->|E].
  - rewrite (switch_target n) by assumption. fold S.
    assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    assert (HmL : INR (j - 1) <= INR (L - 1)) by (apply le_INR; lia).
    unfold bos_factor. rewrite Nat.eqb_refl.
    eapply Rle_trans; [apply switch_trigger_error; [apply exp_pos|lra|exact HS]|].
    rewrite exp_Ropp. set (m := INR (j - 1)) in *. set (l := INR (L - 1)) in *.
    replace (/ exp b / (/ exp b + m)) with (/ m / (exp b + / m)).
    2:{ field. repeat split; try lra. assert (0 < exp b * m) by (apply Rmult_lt_0_compat; lra). lra. }
    apply fraction_le; [assumption|]. split; [left; apply Rinv_0_lt_compat; lra|].
    apply Rle_trans with 1; [|lra]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - rewrite target_off_trigger, Rminus_0_r by assumption.
    unfold bos_factor. apply Nat.eqb_neq in E. rewrite E.
    pose proof (pos_INR (i - 1)) as Hp.
    assert (HmL : INR (i - 1) <= INR (L - 1)) by (apply le_INR; lia).
    unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ (exp b + INR (i - 1)))).
    2:{ left. apply Rinv_0_lt_compat. lra. }
    apply Rle_trans with (INR (i - 1) / (exp b + INR (i - 1))).
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact HS].
    + apply fraction_le; [assumption|lra].
Qed.

(** Every eta > 0 bounds the sup loss of some single softmax head. *)
Theorem softmax_sup_loss_small n L eta :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta ->
  exists W : matrix,
    sup_loss_le n L (head (kernel_attention (softmax_kernel n W)) (linear_value n projector)) eta.
Proof.
  intros Hn HL Heta.
  assert (Hl : 2 <= INR (L - 1)) by (apply (le_INR 2); lia).
  set (b := ln (INR (L - 1) / eta)).
  assert (Hb : exp b = INR (L - 1) / eta) by (apply exp_ln, Rdiv_lt_0_compat; lra).
  exists (switch_matrix n b (- b)). intros x j Hx i r Hi HiL Hr.
  eapply Rle_trans; [exact (single_switch_sup_loss_le n L b Hn HL x j Hx i r Hi HiL Hr)|].
  rewrite Hb.
  set (l := INR (L - 1)) in *.
  replace (l / (l / eta + l)) with (eta / (1 + eta)).
  2:{ assert (0 < l * eta) by (apply Rmult_lt_0_compat; lra). field. repeat split; lra. }
  apply (Rmult_le_reg_r (1 + eta)); [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra.
  assert (0 <= eta * eta) by (apply Rmult_le_pos; lra). lra.
Qed.
