(** * tc-6, the proof

    All sentences of statement.v.  On tokens of the setting the logit is t(q)(t(k) + c(k)): 1 for the trigger
    query and a key other than BOS, else 0 ([relu_logit]).  Every token but BOS has 1-norm at most s = n - 2,
    BOS has 1, so a logit moves by at most delta s^2 (delta s at the key BOS) and a value by at most delta s
    (delta for BOS) ([bilinear_moved], [linear_moved]).  The trigger row needs two cases, because BOS's value
    is e_0: in the BOS flag the other values vanish, in the other coordinates BOS's does.  The exact model is
    the case delta = 0.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-6 Claim <proofs>/tc-6/relu_exact.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement.
Open Scope R_scope.

Theorem relu_matrix_factors : statement.relu_matrix_factors.
Proof.
  intros n r c Hn. unfold query_key, relu_matrix. cbn [sum].
  destruct (r =? 1)%nat; [|ring]. destruct (Nat.eqb_spec c 1) as [->|_].
  - destruct (Nat.eqb_spec 1 (n - 1)); [lia|ring].
  - destruct (c =? n - 1)%nat; ring.
Qed.

(** ** Logits *)

Lemma relu_bilinear n q k :
  (4 <= n)%nat ->
  bilinear n (relu_matrix n) q k = trigger_flag q * (trigger_flag k + content_flag n k).
Proof.
  intros Hn. unfold bilinear, trigger_flag, content_flag.
  rewrite (sum_single n _ 1%nat); [|lia|].
  - rewrite (sum_two n _ 1%nat (n - 1)%nat); try lia.
    + unfold relu_matrix. cbn [Nat.eqb]. rewrite Nat.eqb_refl.
      destruct (Nat.eqb_spec (n - 1) 1); [lia|ring].
    + intros c _ H1 H2. unfold relu_matrix. cbn [Nat.eqb].
      apply Nat.eqb_neq in H1, H2. rewrite H1, H2. ring.
  - intros r _ Hr. apply sum_zero. intros c _. unfold relu_matrix.
    apply Nat.eqb_neq in Hr. rewrite Hr. ring.
Qed.

Lemma relu_logit n L j x i k :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= L)%nat ->
  bilinear n (relu_matrix n) (x i) (x k) = if (i =? j)%nat then 1 else 0.
Proof.
  intros Hn Hx H1 H2 H3 H4. rewrite relu_bilinear by assumption.
  unfold trigger_flag, content_flag.
  rewrite !(valid_trigger_flag n L j x Hx Hn), (valid_content_flag n L j x Hx Hn) by lia.
  destruct (i =? j)%nat, (k =? j)%nat; ring.
Qed.

Lemma relu_logit_bos n q : (4 <= n)%nat -> bilinear n (relu_matrix n) q bos = 0.
Proof.
  intros Hn. rewrite relu_bilinear by assumption. unfold trigger_flag, content_flag.
  rewrite !bos_pos by lia. ring.
Qed.

(** ** Norms and perturbations *)

Definition norm1 (n : nat) (x : token) : R := sum n (fun a => Rabs (x a)).

Lemma norm1_bos n : (4 <= n)%nat -> norm1 n bos = 1.
Proof.
  intros Hn. unfold norm1. rewrite (sum_single n _ 0%nat); [|lia|].
  - rewrite bos_0. apply Rabs_R1.
  - intros k _ Hk. rewrite bos_pos by lia. apply Rabs_R0.
Qed.

Lemma norm1_content n x : (4 <= n)%nat -> is_content n x -> norm1 n x <= INR (n - 2).
Proof.
  intros Hn Hx. unfold norm1. replace n with (S (S (n - 2))) at 1 by lia. rewrite !sum_first.
  destruct Hx as [H0 H1 Hc Hu Hd] eqn:E. unfold bos_flag, trigger_flag in H0, H1. rewrite H0, H1, Rabs_R0.
  rewrite <- (Rmult_1_r (INR (n - 2))), <- sum_const, !Rplus_0_l.
  apply sum_le. intros k Hk. apply (content_abs_le_1 n); [assumption|exact Hx|lia].
Qed.

Lemma norm1_trigger n x : (4 <= n)%nat -> is_trigger n x -> norm1 n x <= INR (n - 2).
Proof.
  intros Hn Hx. unfold norm1. replace n with (S (n - 1)) at 1 by lia. cbn [sum].
  destruct Hx as [H0 H1 Hc Hu Hd] eqn:E. unfold bos_flag, content_flag in H0, Hc. rewrite Hc, Rabs_R0.
  replace (n - 1)%nat with (S (n - 2)) by lia. rewrite sum_first, H0, Rabs_R0.
  rewrite <- (Rmult_1_r (INR (n - 2))), <- sum_const, Rplus_0_l, Rplus_0_r.
  apply sum_le. intros k Hk. apply (trigger_abs_le_1 n); [assumption|exact Hx|lia].
Qed.

Lemma valid_norm1 n L j x k :
  (4 <= n)%nat -> valid n L j x -> (2 <= k)%nat -> (k <= L)%nat -> norm1 n (x k) <= INR (n - 2).
Proof.
  intros Hn Hx H1 H2. destruct (Nat.eq_dec k j) as [->|E].
  - apply norm1_trigger; [assumption|]. apply (trigger_at_j _ _ _ _ Hx).
  - apply norm1_content; [assumption|]. apply (content_elsewhere _ _ _ _ Hx); assumption.
Qed.

Lemma norm1_nonneg n x : 0 <= norm1 n x.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.

Lemma linear_moved n delta A B x r :
  entries_within n delta A B -> (r < n)%nat ->
  Rabs (linear_value n A x r - linear_value n B x r) <= delta * norm1 n x.
Proof.
  intros H Hr. unfold linear_value, norm1. rewrite <- sum_minus, <- sum_scal.
  eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros c Hc.
  rewrite <- Rmult_minus_distr_r, Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|auto].
Qed.

Lemma bilinear_moved n delta A B q k :
  entries_within n delta A B ->
  Rabs (bilinear n A q k - bilinear n B q k) <= delta * norm1 n q * norm1 n k.
Proof.
  intros H.
  assert (F : forall W, bilinear n W q k = sum n (fun a => q a * linear_value n W k a)).
  { intros W. unfold bilinear, linear_value. apply sum_ext. intros a _. rewrite <- sum_scal.
    apply sum_ext. intros. ring. }
  rewrite !F, <- sum_minus. eapply Rle_trans; [apply sum_abs|].
  replace (delta * norm1 n q * norm1 n k) with (norm1 n q * (delta * norm1 n k)) by ring.
  unfold norm1 at 1. rewrite <- sum_scal_r. apply sum_le. intros a Ha.
  rewrite <- Rmult_minus_distr_l, Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
  now apply linear_moved.
Qed.

(** relu is 1-Lipschitz. *)
Lemma relu_moved a b e : Rabs (a - b) <= e -> Rabs (Rmax 0 a - Rmax 0 b) <= e.
Proof.
  intros H. apply abs_bounds in H. apply Rabs_le. unfold Rmax.
  destruct (Rle_dec 0 a), (Rle_dec 0 b); lra.
Qed.

Lemma abs_moved a b c e : Rabs (a - b) <= e -> Rabs b <= c -> Rabs a <= c + e.
Proof. intros H1 H2. apply abs_bounds in H1, H2. apply Rabs_le. lra. Qed.

Lemma abs_mult_le a b c d : Rabs a <= c -> Rabs b <= d -> Rabs (a * b) <= c * d.
Proof. intros H1 H2. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

(** ** Rows of the moved model *)

(** Numerator of row i: BOS's part and the others'. *)
Lemma relu_output n M V x i r :
  (2 <= i)%nat ->
  relu_model n M V x i r
  = (Rmax 0 (bilinear n M (x i) (x 1%nat)) * linear_value n V (x 1%nat) r
     + sum (i - 1) (fun k => Rmax 0 (bilinear n M (x i) (x (k + 2)%nat)) * linear_value n V (x (k + 2)%nat) r))
    / INR (i - 1).
Proof.
  intros Hi. unfold relu_model, head, relu_attention. rewrite possum_first by lia.
  replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia. unfold Rdiv.
  rewrite Rmult_plus_distr_r, <- sum_scal_r. f_equal; [ring|].
  apply sum_ext. intros. ring.
Qed.

(** A part at most a and m terms at most c each, over m >= 1. *)
Lemma mean_bound A m (f : nat -> R) a c :
  (1 <= m)%nat -> Rabs A <= a -> (forall k, (k < m)%nat -> Rabs (f k) <= c) ->
  Rabs ((A + sum m f) / INR m) <= a / INR m + c.
Proof.
  intros Hm HA Hf. assert (HM : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (Hs := sum_abs_le m f c Hf).
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR m)) by (left; apply Rinv_0_lt_compat; lra).
  replace c with (INR m * c * / INR m) by (field; lra). rewrite <- Rmult_plus_distr_r.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Section Robust.
  Context (n L j : nat) (x : sequence) (M V : matrix) (delta : R)
          (Hn : (4 <= n)%nat) (Hx : valid n L j x)
          (HM : entries_within n delta M (relu_matrix n))
          (HV : entries_within n delta V identity).

  Let s := INR (n - 2).

  Lemma s_ge_2 : 2 <= s.
  Proof using Hn. apply (le_INR 2). lia. Qed.

  Lemma delta_nonneg : 0 <= delta.
  Proof using Hn HM.
    eapply Rle_trans; [apply Rabs_pos|]. apply (HM 0%nat 0%nat); lia.
  Qed.

  Lemma bos_logit_moved i :
    (2 <= i)%nat -> (i <= L)%nat -> Rabs (Rmax 0 (bilinear n M (x i) (x 1%nat))) <= delta * s.
  Proof using Hn Hx HM.
    intros H1 H2. rewrite (first_is_bos _ _ _ _ Hx).
    pose proof (bilinear_moved n delta M (relu_matrix n) (x i) bos HM) as H.
    rewrite relu_logit_bos, norm1_bos, Rmult_1_r in H by assumption.
    pose proof (valid_norm1 n L j x i Hn Hx H1 H2) as Hi. fold s in Hi. pose proof delta_nonneg as Hd.
    assert (Hds : delta * norm1 n (x i) <= delta * s) by (apply Rmult_le_compat_l; assumption).
    apply relu_moved in H. rewrite (Rmax_left 0 0), Rminus_0_r in H by lra. lra.
  Qed.

  Lemma logit_moved i k :
    (2 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= L)%nat ->
    Rabs (Rmax 0 (bilinear n M (x i) (x k)) - (if (i =? j)%nat then 1 else 0)) <= delta * (s * s).
  Proof using Hn Hx HM.
    intros H1 H2 H3 H4.
    pose proof (bilinear_moved n delta M (relu_matrix n) (x i) (x k) HM) as H.
    rewrite (relu_logit n L j x i k) in H by (assumption || lia).
    pose proof (valid_norm1 n L j x i Hn Hx H1 H2) as Hi. fold s in Hi.
    pose proof (valid_norm1 n L j x k Hn Hx H3 H4) as Hk. fold s in Hk. pose proof delta_nonneg as Hd.
    assert (Hds : delta * norm1 n (x i) * norm1 n (x k) <= delta * (s * s)).
    { rewrite Rmult_assoc. apply Rmult_le_compat_l; [assumption|].
      apply Rmult_le_compat; auto using norm1_nonneg. }
    apply relu_moved in H.
    replace (Rmax 0 (if (i =? j)%nat then 1 else 0)) with (if (i =? j)%nat then 1 else 0) in H.
    - lra.
    - symmetry. destruct (i =? j)%nat; [apply Rmax_right|apply Rmax_left]; lra.
  Qed.

  Lemma value_moved k r :
    (2 <= k)%nat -> (k <= L)%nat -> (r < n)%nat ->
    Rabs (linear_value n V (x k) r - x k r) <= delta * s.
  Proof using Hn Hx HM HV.
    intros H1 H2 Hr. rewrite <- (linear_identity n (x k) r Hr).
    eapply Rle_trans; [apply linear_moved; eassumption|].
    apply Rmult_le_compat_l; [apply delta_nonneg|]. now apply (valid_norm1 n L j).
  Qed.

  Lemma bos_value_moved r : (r < n)%nat -> Rabs (linear_value n V (x 1%nat) r - bos r) <= delta.
  Proof using Hn Hx HV.
    intros Hr. rewrite (first_is_bos _ _ _ _ Hx), <- (linear_identity n bos r Hr).
    eapply Rle_trans; [apply linear_moved; eassumption|]. rewrite norm1_bos by assumption. lra.
  Qed.

  Lemma bos_value_le r : (r < n)%nat -> Rabs (linear_value n V (x 1%nat) r) <= 1 + delta.
  Proof using Hn Hx HV.
    intros Hr. apply (abs_moved _ (bos r)); [now apply bos_value_moved|].
    destruct r; [rewrite bos_0, Rabs_R1|rewrite bos_S, Rabs_R0]; lra.
  Qed.

  Lemma value_le k r :
    (2 <= k)%nat -> (k <= L)%nat -> (r < n)%nat -> Rabs (linear_value n V (x k) r) <= 1 + delta * s.
  Proof using Hn Hx HM HV.
    intros H1 H2 Hr. apply (abs_moved _ (x k r)); [now apply value_moved|].
    now apply (valid_abs_le_1 n L j).
  Qed.

  (** Row 1: BOS attends to itself with weight at most delta. *)
  Lemma first_row_weight : Rabs (relu_attention n M x 1%nat 1%nat) <= delta.
  Proof using Hn Hx HM.
    unfold relu_attention. rewrite (first_is_bos _ _ _ _ Hx).
    pose proof (bilinear_moved n delta M (relu_matrix n) bos bos HM) as H.
    rewrite relu_logit_bos, norm1_bos in H by assumption. apply relu_moved in H.
    rewrite (Rmax_left 0 0), Rminus_0_r in H by lra.
    simpl INR. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. lra.
  Qed.

  Lemma first_row r : (r < n)%nat -> Rabs (relu_model n M V x 1%nat r) <= robust_bound s delta.
  Proof using Hn Hx HM HV.
    intros Hr. unfold relu_model, head, possum. cbn [sum]. rewrite Rplus_0_l.
    pose proof s_ge_2. pose proof delta_nonneg.
    apply Rle_trans with (delta * (1 + delta)).
    { apply abs_mult_le; [apply first_row_weight|now apply bos_value_le]. }
    unfold robust_bound.
    assert (0 <= delta * delta) by (apply Rmult_le_pos; assumption).
    assert (0 <= delta * (s * s) * (1 + delta * s)).
    { apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|].
      assert (0 <= delta * s) by (apply Rmult_le_pos; lra). lra. }
    assert (0 <= delta * (1 + delta) * (s - 1)) by (repeat apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma quiet_row i r :
    (2 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat ->
    Rabs (relu_model n M V x i r) <= robust_bound s delta.
  Proof using Hn Hx HM HV.
    intros H1 H2 E Hr. rewrite relu_output by assumption.
    pose proof s_ge_2. pose proof delta_nonneg.
    assert (Hm : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
    eapply Rle_trans.
    - apply mean_bound with (a := delta * s * (1 + delta)) (c := delta * (s * s) * (1 + delta * s)).
      + lia.
      + apply abs_mult_le; [now apply bos_logit_moved|now apply bos_value_le].
      + intros k Hk. apply abs_mult_le; [|apply value_le; lia].
        pose proof (logit_moved i (k + 2)) as H3. apply Nat.eqb_neq in E. rewrite E, Rminus_0_r in H3.
        apply H3; lia.
    - unfold robust_bound. rewrite (Rplus_comm (delta * (s * s) * _)). apply Rplus_le_compat_r.
      set (a := delta * s * (1 + delta)).
      assert (0 <= a) by (unfold a; repeat apply Rmult_le_pos; lra).
      apply (Rmult_le_reg_r (INR (i - 1))); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (0 <= a * (INR (i - 1) - 1)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma trigger_row r :
    (r < n)%nat -> Rabs (relu_model n M V x j r - target j x j r) <= robust_bound s delta.
  Proof using Hn Hx HM HV.
    intros Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    pose proof s_ge_2 as Hs. pose proof delta_nonneg as Hd.
    assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    rewrite relu_output by lia. unfold target, mean_from_2. rewrite Nat.eqb_refl.
    unfold Rdiv. rewrite <- Rmult_minus_distr_r. unfold Rminus at 1. rewrite Rplus_assoc.
    change (?a + - ?b) with (a - b). rewrite <- sum_minus.
    fold (Rdiv (Rmax 0 (bilinear n M (x j) (x 1%nat)) * linear_value n V (x 1%nat) r
      + sum (j - 1) (fun k => Rmax 0 (bilinear n M (x j) (x (k + 2)%nat)) * linear_value n V (x (k + 2)%nat) r
                              - x (k + 2)%nat r)) (INR (j - 1))).
    assert (Hlog : forall k, (k < j - 1)%nat ->
              Rabs (Rmax 0 (bilinear n M (x j) (x (k + 2)%nat)) - 1) <= delta * (s * s)).
    { intros k Hk. pose proof (logit_moved j (k + 2)) as H3. rewrite Nat.eqb_refl in H3. apply H3; lia. }
    assert (Hds : 0 <= delta * s) by (apply Rmult_le_pos; lra).
    assert (Hdd : 0 <= delta * (delta * s)) by (apply Rmult_le_pos; lra).
    destruct (Nat.eq_dec r 0) as [->|Er].
    - eapply Rle_trans.
      + apply mean_bound with (a := delta * s * (1 + delta)) (c := (1 + delta * (s * s)) * (delta * s)).
        * lia.
        * apply abs_mult_le; [apply bos_logit_moved; lia|now apply bos_value_le].
        * intros k Hk. rewrite (valid_bos_flag n L j x Hx), Rminus_0_r by lia. apply abs_mult_le.
          -- apply (abs_moved _ 1); [now apply Hlog|rewrite Rabs_R1; lra].
          -- pose proof (value_moved (k + 2) 0) as H3.
             rewrite (valid_bos_flag n L j x Hx), Rminus_0_r in H3 by lia. apply H3; lia.
      + assert (Ha : 0 <= delta * s * (1 + delta)) by (apply Rmult_le_pos; lra).
        assert (Hq : delta * s * (1 + delta) / INR (j - 1) <= delta * s * (1 + delta) * / 2).
        { unfold Rdiv. apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra. }
        unfold robust_bound.
        assert (0 <= delta * s * (s - 1)) by (apply Rmult_le_pos; lra). lra.
    - eapply Rle_trans.
      + apply mean_bound with (a := delta * s * delta)
                              (c := delta * (s * s) * (1 + delta * s) + delta * s).
        * lia.
        * apply abs_mult_le; [apply bos_logit_moved; lia|].
          pose proof (bos_value_moved r Hr) as H3. rewrite bos_pos, Rminus_0_r in H3 by lia. exact H3.
        * intros k Hk.
          replace (Rmax 0 (bilinear n M (x j) (x (k + 2)%nat)) * linear_value n V (x (k + 2)%nat) r - x (k + 2)%nat r)
            with ((Rmax 0 (bilinear n M (x j) (x (k + 2)%nat)) - 1) * linear_value n V (x (k + 2)%nat) r
                  + (linear_value n V (x (k + 2)%nat) r - x (k + 2)%nat r)) by ring.
          eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|apply value_moved; lia].
          apply abs_mult_le; [now apply Hlog|apply value_le; lia].
      + assert (Ha : 0 <= delta * s * delta) by (apply Rmult_le_pos; lra).
        assert (Hq : delta * s * delta / INR (j - 1) <= delta * s * delta * / 2).
        { unfold Rdiv. apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra. }
        unfold robust_bound. lra.
  Qed.
End Robust.

(** ** tc-6, robustness *)

Theorem relu_robust_loss : statement.relu_robust_loss.
Proof.
  intros n L M V delta Hn HM HV x j Hx i r H1 H2 Hr.
  destruct (Nat.eq_dec i j) as [->|E]; [now apply (trigger_row n L)|].
  rewrite target_off_trigger, Rminus_0_r by assumption.
  destruct (Nat.eq_dec i 1) as [->|E1]; [now apply (first_row n L j)|].
  apply (quiet_row n L j); auto. lia.
Qed.

Theorem relu_robust_bos_attention : statement.relu_robust_bos_attention.
Proof.
  intros n L M delta x j i Hn HM Hx H1 H2. unfold bos_attention, relu_attention.
  replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia.
  assert (Hm : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
  assert (Hi : 0 < / INR (i - 1)) by (apply Rinv_0_lt_compat; lra).
  pose proof (bos_logit_moved n L j x M delta Hn Hx HM i H1 H2) as H. apply abs_bounds in H.
  split.
  - apply Rmult_le_pos; [apply Rmax_l|lra].
  - apply Rmult_le_compat_r; lra.
Qed.

Theorem relu_robust_bos_attention_first : statement.relu_robust_bos_attention_first.
Proof.
  intros n L M delta x j Hn HM Hx. pose proof (first_row_weight n L j x M delta Hn Hx HM) as H. apply abs_bounds in H.
  split; [|apply H]. unfold bos_attention, relu_attention.
  apply Rmult_le_pos; [apply Rmax_l|]. simpl INR. rewrite Rinv_1. lra.
Qed.

(** ** tc-6, the exact model: delta = 0 *)

Lemma entries_within_refl n A : entries_within n 0 A A.
Proof. intros r c _ _. replace (A r c - A r c) with 0 by ring. rewrite Rabs_R0. lra. Qed.

Theorem relu_exact : statement.relu_exact.
Proof.
  intros n L x j i r Hn Hx H1 H2 Hr.
  pose proof (relu_robust_loss n L (relu_matrix n) identity 0 Hn
                (entries_within_refl _ _) (entries_within_refl _ _) x j Hx i r H1 H2 Hr) as H.
  apply abs_bounds in H. unfold robust_bound in H. lra.
Qed.

Theorem relu_no_sink : statement.relu_no_sink.
Proof.
  intros n L x j i Hn Hx H1 H2. unfold bos_attention, relu_attention.
  rewrite (first_is_bos _ _ _ _ Hx), relu_logit_bos, Rmax_left by (assumption || lra).
  unfold Rdiv. ring.
Qed.

(** Every row: 1/(j-1) on positions 2..j of the trigger row, 0 elsewhere. *)
Theorem relu_rows : statement.relu_rows.
Proof.
  intros n L x j i k Hn Hx H1 H2 H3 H4. unfold relu_attention. rewrite (relu_logit n L j x) by (assumption || lia).
  replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia.
  destruct (Nat.eqb_spec i j) as [->|_].
  - rewrite Rmax_right by lra. reflexivity.
  - rewrite Rmax_left by lra. unfold Rdiv. ring.
Qed.

(** ** The hypotheses can be met: n = 5, L = 6, the trigger at 4, every entry moved by 1/100 *)

Definition moved (A : matrix) : matrix := fun r c => A r c + / 100.

Lemma moved_within A : entries_within 5 (/ 100) (moved A) A.
Proof. intros r c _ _. unfold moved. rewrite Rabs_pos_eq; lra. Qed.

Lemma example : exists x, valid 5 6 4 x.
Proof. apply valid_exists; lia. Qed.

Theorem relu_matrix_factors_instance : exists n (r c : nat), (4 <= n)%nat.
Proof. exists 5%nat, 1%nat, 4%nat. lia. Qed.

Theorem relu_exact_instance :
  exists n L x j i r, (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ (r < n)%nat.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, x, 4%nat, 4%nat, 2%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

Theorem relu_no_sink_instance :
  exists n L x j i, (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, x, 4%nat, 2%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

Theorem relu_rows_instance :
  exists n L x j i k,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ (2 <= k)%nat /\ (k <= i)%nat.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, x, 4%nat, 4%nat, 3%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

Theorem relu_robust_loss_instance :
  exists n (L : nat) M V delta,
  (4 <= n)%nat /\ entries_within n delta M (relu_matrix n) /\ entries_within n delta V identity.
Proof.
  exists 5%nat, 6%nat, (moved (relu_matrix 5)), (moved identity), (/ 100).
  split; [lia|]. split; apply moved_within.
Qed.

Theorem relu_robust_bos_attention_instance :
  exists n L M delta x j i,
  (4 <= n)%nat /\ entries_within n delta M (relu_matrix n) /\
  valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, (moved (relu_matrix 5)), (/ 100), x, 4%nat, 3%nat.
  split; [lia|]. split; [apply moved_within|]. split; [exact Hx|lia].
Qed.

Theorem relu_robust_bos_attention_first_instance :
  exists n L M delta x j,
  (4 <= n)%nat /\ entries_within n delta M (relu_matrix n) /\ valid n L j x.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, (moved (relu_matrix 5)), (/ 100), x, 4%nat.
  split; [lia|]. split; [apply moved_within|exact Hx].
Qed.

Print Assumptions relu_matrix_factors.
Print Assumptions relu_matrix_factors_instance.
Print Assumptions relu_exact.
Print Assumptions relu_exact_instance.
Print Assumptions relu_no_sink.
Print Assumptions relu_no_sink_instance.
Print Assumptions relu_rows.
Print Assumptions relu_rows_instance.
Print Assumptions relu_robust_loss.
Print Assumptions relu_robust_loss_instance.
Print Assumptions relu_robust_bos_attention.
Print Assumptions relu_robust_bos_attention_instance.
Print Assumptions relu_robust_bos_attention_first.
Print Assumptions relu_robust_bos_attention_first_instance.
