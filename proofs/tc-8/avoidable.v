(** * tc-8: where the sink is avoidable

    Proves the sentences of avoidable_statement.v: the closed forms of every variant's sup loss and BOS attention,
    and that both fall below any delta > 0.

    Every head here has one weight w(j,i) for all keys but BOS and V = P, so its errors are explicit
    ([uniform_sup_loss_le], [uniform_error] of theory/variant_rows.v): |w| (i-1) off the trigger, |w (j-1) - 1| at
    it.  What is left is to compare them over i and j.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-8 Claim <proofs>/tc-8/avoidable.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family variant_rows.
From Claim Require Import avoidable_statement.
Open Scope R_scope.

(** *** The logits *)

Theorem aware_logits : avoidable_statement.aware_logits.
Proof. intros n L j x u v i k Hn Hx H1 H2 H3 H4. now apply (aware_logit_task n L j x). Qed.

Lemma gate_value n L j x b i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  gate n (gate_vector b) (- b) (x i) = logistic (if (i =? j)%nat then b else - b).
Proof.
  intros Hn Hx H1 H2. unfold gate, gate_vector. f_equal.
  rewrite (sum_ext n _ (fun r => 2 * b * (x i r * unit_vector 1 r))) by (intros; ring).
  rewrite sum_scal, sum_unit by lia. rewrite (valid_trigger_flag n L j x Hx Hn) by assumption.
  destruct (i =? j)%nat; ring.
Qed.

Theorem gated_logits : avoidable_statement.gated_logits.
Proof.
  intros n L j x b i k Hn Hx H1 H2 H3 H4. split.
  - rewrite switch_logit by assumption.
    replace (- b * bos_flag (x i) + - b * trigger_flag (x i) + - b * content_flag n (x i))
      with (- b * (bos_flag (x i) + trigger_flag (x i) + content_flag n (x i))) by ring.
    rewrite (valid_flags_sum n L j x Hx Hn) by assumption. ring.
  - rewrite (gate_value n L j x) by assumption. f_equal. unfold trigger_flag.
    rewrite (valid_trigger_flag n L j x Hx Hn) by assumption. destruct (i =? j)%nat; ring.
Qed.

(** *** Rows that are not normalised *)

Lemma unnormalised_uniform phi n L u v :
  (4 <= n)%nat ->
  uniform_rows n L (unnormalised phi n (aware_matrix n u v))
    (fun j i => phi (if (i =? j)%nat then u else v) / INR (Nat.max 1 (i - 1))).
Proof.
  intros Hn x j Hx i k H1 H2 H3 H4. unfold unnormalised.
  now rewrite (aware_logit_key n L j x) by (assumption || lia).
Qed.

Lemma unnormalised_error (phi : R -> R) u v j i :
  (3 <= j)%nat -> (1 <= i)%nat ->
  row_error (fun j i => phi (if (i =? j)%nat then u else v) / INR (Nat.max 1 (i - 1))) j i
  = if (i =? j)%nat then Rabs (phi u - 1) else if (i =? 1)%nat then 0 else Rabs (phi v).
Proof.
  intros Hj Hi. unfold row_error. destruct (Nat.eqb_spec i j) as [->|E].
  - rewrite Nat.eqb_refl. replace (Nat.max 1 (j - 1)) with (j - 1)%nat by lia.
    assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia). f_equal. field. lra.
  - destruct (Nat.eqb_spec i 1) as [->|E1]; [simpl; ring|].
    replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia.
    assert (1 <= INR (i - 1)) by (apply (le_INR 1); lia).
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR (i - 1))) by (left; apply Rinv_0_lt_compat; lra).
    field. lra.
Qed.

Lemma unnormalised_sup_loss phi n L u v :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (unnormalised phi n (aware_matrix n u v)) (linear_value n projector))
    (Rmax (Rabs (phi u - 1)) (Rabs (phi v))).
Proof.
  intros Hn HL. pose proof (unnormalised_uniform phi n L u v Hn) as Hw.
  assert (Herr : forall j i, (3 <= j)%nat -> (j <= L)%nat -> (1 <= i)%nat -> (i <= L)%nat ->
            row_error (fun j i => phi (if (i =? j)%nat then u else v) / INR (Nat.max 1 (i - 1))) j i
            <= Rmax (Rabs (phi u - 1)) (Rabs (phi v))).
  { intros j i H3 H4 H1 H2. rewrite unnormalised_error by assumption.
    destruct (i =? j)%nat; [apply Rmax_l|]. destruct (i =? 1)%nat; [|apply Rmax_r].
    eapply Rle_trans; [apply (Rabs_pos (phi v))|apply Rmax_r]. }
  destruct (Rle_dec (Rabs (phi u - 1)) (Rabs (phi v))) as [C|C].
  - apply (uniform_sup_loss n L _ _ _ 3 2 Hn Hw Herr); try lia.
    rewrite unnormalised_error, Rmax_right by (lia || lra). reflexivity.
  - apply (uniform_sup_loss n L _ _ _ 3 3 Hn Hw Herr); try lia.
    rewrite unnormalised_error, Rmax_left by (lia || lra). reflexivity.
Qed.

Lemma unnormalised_bos_attention phi n L u v x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (unnormalised phi n (aware_matrix n u v)) x i = phi v / INR (Nat.max 1 (i - 1)).
Proof.
  intros Hn Hx H1 H2. unfold bos_attention, unnormalised.
  now rewrite (aware_logit_bos n L j x) by assumption.
Qed.

(** *** ReLU and linear: exact *)

Theorem relu_exact : avoidable_statement.relu_exact.
Proof.
  intros n L Hn HL. rewrite <- unnormalised_relu. split.
  - pose proof (unnormalised_sup_loss (Rmax 0) n L 1 0 Hn HL) as H.
    rewrite (Rmax_right 0 1), (Rmax_left 0 0) in H by lra.
    unfold Rminus in H. rewrite Rplus_opp_r, Rabs_R0, Rmax_left in H by lra. exact H.
  - intros x j i Hx H1 H2. rewrite (unnormalised_bos_attention (Rmax 0) n L 1 0 x j) by assumption.
    rewrite Rmax_left by lra. unfold Rdiv. ring.
Qed.

Theorem linear_exact : avoidable_statement.linear_exact.
Proof.
  intros n L Hn HL. split.
  - pose proof (unnormalised_sup_loss (fun s => s) n L 1 0 Hn HL) as H. cbv beta in H.
    unfold Rminus in H. rewrite Rplus_opp_r, Rabs_R0, Rmax_left in H by lra. exact H.
  - intros x j i Hx H1 H2. rewrite (unnormalised_bos_attention (fun s => s) n L 1 0 x j) by assumption.
    unfold Rdiv. ring.
Qed.

(** *** Normalised ReLU with rows that vanish *)

Theorem vanishing_relu_exact : avoidable_statement.vanishing_relu_exact.
Proof.
  intros n L Hn HL.
  assert (Hsum : forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
            possum i (fun l => Rmax 0 (bilinear n (aware_matrix n 1 0) (x i) (x l)))
            = if (i =? j)%nat then INR (j - 1) else 0).
  { intros x j Hx i H1 H2. rewrite possum_first, (aware_logit_bos n L j x), (Rmax_left 0 0) by (assumption || lra).
    rewrite (sum_ext _ _ (fun _ => if (i =? j)%nat then 1 else 0)).
    - rewrite sum_const. destruct (Nat.eqb_spec i j) as [->|_]; ring.
    - intros k Hk. rewrite (aware_logit_key n L j x) by (assumption || lia).
      destruct (i =? j)%nat; [apply Rmax_right|apply Rmax_left]; lra. }
  assert (Hw : uniform_rows n L (vanishing_relu n (aware_matrix n 1 0))
                 (fun j i => if (i =? j)%nat then 1 / INR (j - 1) else 0)).
  { intros x j Hx i k H1 H2 H3 H4. unfold vanishing_relu. rewrite (Hsum x j Hx i H1 H2).
    rewrite (aware_logit_key n L j x) by (assumption || lia). pose proof (trigger_from_3 _ _ _ _ Hx).
    destruct (Nat.eqb_spec i j) as [->|_].
    - assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      destruct (Req_EM_T (INR (j - 1)) 0); [lra|]. now rewrite Rmax_right by lra.
    - destruct (Req_EM_T 0 0); [reflexivity|lra]. }
  assert (Herr : forall j i, (3 <= j)%nat ->
            row_error (fun j i => if (i =? j)%nat then 1 / INR (j - 1) else 0) j i = 0).
  { intros j i Hj. unfold row_error. assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    destruct (Nat.eqb_spec i j) as [->|E].
    - rewrite Nat.eqb_refl. replace (1 / INR (j - 1) * INR (j - 1) - 1) with 0 by (field; lra). apply Rabs_R0.
    - rewrite Rabs_R0. ring. }
  split.
  - apply (uniform_sup_loss n L _ _ 0 3 3 Hn Hw); try lia; [|apply Herr; lia].
    intros j i H3 H4 H1 H2. rewrite Herr by assumption. lra.
  - intros x j i Hx H1 H2. unfold bos_attention, vanishing_relu. rewrite (Hsum x j Hx i H1 H2).
    rewrite (aware_logit_bos n L j x), (Rmax_left 0 0) by (assumption || lra).
    destruct (Req_EM_T _ 0); [reflexivity|]. unfold Rdiv. ring.
Qed.

(** *** Sigmoid: s(-b) *)

Theorem sigmoid_sup_loss : avoidable_statement.sigmoid_sup_loss.
Proof.
  intros n L b Hn HL. pose proof (unnormalised_sup_loss logistic n L b (- b) Hn HL) as H.
  replace (logistic b - 1) with (- logistic (- b)) in H by (rewrite logistic_opp; ring).
  rewrite Rabs_Ropp, Rmax_left, Rabs_pos_eq in H by (try lra; left; apply logistic_pos). exact H.
Qed.

Theorem sigmoid_bos_attention : avoidable_statement.sigmoid_bos_attention.
Proof.
  intros n L b x j i Hn Hx H1 H2. rewrite (unnormalised_bos_attention logistic n L b (- b) x j) by (assumption || lia).
  now replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia.
Qed.

(** *** elu + 1: e^-b *)

Theorem elu1_sup_loss : avoidable_statement.elu1_sup_loss.
Proof.
  intros n L b Hn HL Hb. pose proof (unnormalised_sup_loss elu1 n L 0 (- b) Hn HL) as H.
  unfold elu1 in H at 2 3. destruct (Rle_dec 0 0); [|lra]. destruct (Rle_dec (- b) 0); [|lra].
  rewrite exp_0 in H. unfold Rminus in H. rewrite Rplus_opp_r, Rabs_R0 in H.
  rewrite Rmax_right, Rabs_pos_eq in H by (try apply Rabs_pos; left; apply exp_pos). exact H.
Qed.

Theorem elu1_bos_attention : avoidable_statement.elu1_bos_attention.
Proof.
  intros n L b x j i Hn Hb Hx H1 H2. rewrite (unnormalised_bos_attention elu1 n L 0 (- b) x j) by (assumption || lia).
  replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia. unfold elu1.
  destruct (Rle_dec (- b) 0); [reflexivity|lra].
Qed.

(** *** Softmax with a null slot *)

Lemma null_row_sum n L j x b i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  possum i (fun l => exp (bilinear n (aware_matrix n b (- b)) (x i) (x l)))
  = exp (- b) + INR (i - 1) * (if (i =? j)%nat then exp b else exp (- b)).
Proof.
  intros Hn Hx H1 H2. rewrite possum_first by assumption. rewrite (aware_logit_bos n L j x) by assumption. f_equal.
  rewrite (sum_ext _ _ (fun _ => if (i =? j)%nat then exp b else exp (- b))).
  - apply sum_const.
  - intros k Hk. rewrite (aware_logit_key n L j x) by (assumption || lia).
    now destruct (i =? j)%nat.
Qed.

Theorem null_quiet_row : avoidable_statement.null_quiet_row.
Proof.
  intros n L b x j i Hn Hx H1 H2 E. pose proof (exp_pos b) as HE. pose proof (pos_INR (i - 1)) as Hi1.
  assert (Hi : INR (i - 1) = INR i - 1) by (rewrite minus_INR by assumption; reflexivity).
  unfold null_mass, null_attention. rewrite (null_row_sum n L j) by assumption.
  apply Nat.eqb_neq in E. rewrite E, exp_Ropp, Hi. split.
  - field. repeat split; lra.
  - intros k K1 K2. destruct (Nat.eq_dec k 1) as [->|E1].
    + rewrite (aware_logit_bos n L j x), exp_Ropp by assumption. field. repeat split; lra.
    + rewrite (aware_logit_key n L j x) by (assumption || lia). rewrite E, exp_Ropp.
      field. repeat split; lra.
Qed.

Theorem null_trigger_row : avoidable_statement.null_trigger_row.
Proof.
  intros n L b x j Hn Hx. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  pose proof (exp_pos b) as HE. pose proof (pos_INR (j - 1)) as Hi1.
  assert (0 <= exp b * exp b * INR (j - 1)) by (apply Rmult_le_pos; [|assumption]; apply Rmult_le_pos; lra).
  unfold bos_attention, null_mass, null_attention. rewrite (null_row_sum n L j) by (assumption || lia).
  rewrite (aware_logit_bos n L j x), Nat.eqb_refl, exp_Ropp by (assumption || lia).
  split; field; repeat split; lra.
Qed.

Definition null_weight (b : R) (j i : nat) : R :=
  if (i =? j)%nat then exp b / (1 + (exp (- b) + INR (j - 1) * exp b)) else 1 / (exp b + INR i).

Lemma null_uniform n L b :
  (4 <= n)%nat -> uniform_rows n L (null_attention n (aware_matrix n b (- b))) (null_weight b).
Proof.
  intros Hn x j Hx i k H1 H2 H3 H4. unfold null_weight. destruct (Nat.eqb_spec i j) as [->|E].
  - unfold null_attention. rewrite (null_row_sum n L j x), (aware_logit_key n L j x) by (assumption || lia).
    now rewrite Nat.eqb_refl.
  - apply (null_quiet_row n L b x j i Hn Hx); lia.
Qed.

(** The trigger row's error (E+1)/(E+1+E^2 m), m = j-1 >= 2, against 2/(E+3). *)
Lemma null_trigger_error b j :
  (3 <= j)%nat -> 0 <= b ->
  Rabs (null_weight b j j * INR (j - 1) - 1) <= (exp b + 1) / (exp b + 1 + exp b * exp b * 2).
Proof.
  intros Hj Hb. pose proof (exp_pos b) as HE. set (m := INR (j - 1)).
  assert (Hm : 2 <= m) by (apply (le_INR 2); lia).
  unfold null_weight. rewrite Nat.eqb_refl. fold m. rewrite exp_Ropp. set (E := exp b) in *.
  assert (HEE : 0 < E * E) by now apply Rmult_lt_0_compat.
  assert (HEm : E * E * 2 <= E * E * m) by (apply Rmult_le_compat_l; lra).
  replace (E / (1 + (/ E + m * E)) * m - 1) with (- ((E + 1) * / (E + 1 + E * E * m))).
  2:{ field. repeat split; lra. }
  rewrite Rabs_Ropp, Rabs_pos_eq.
  - unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma null_quiet_error b L i :
  (1 <= i)%nat -> (i <= L)%nat -> Rabs (1 / (exp b + INR i)) * INR (i - 1) <= INR (L - 1) / (exp b + INR L).
Proof.
  intros H1 H2. pose proof (exp_pos b) as HE.
  assert (Hi : INR (i - 1) = INR i - 1) by (rewrite minus_INR by assumption; reflexivity).
  assert (HLi : INR (L - 1) = INR L - 1) by (rewrite minus_INR by lia; reflexivity).
  assert (Hi1 : 1 <= INR i) by (apply (le_INR 1); lia).
  assert (HiL : INR i <= INR L) by (apply le_INR; lia).
  rewrite Rabs_pos_eq by (left; apply Rdiv_lt_0_compat; lra).
  replace (1 / (exp b + INR i) * INR (i - 1)) with ((INR i - 1) / (exp b + 1 + (INR i - 1))) by (rewrite Hi;
      field; lra).
  replace (INR (L - 1) / (exp b + INR L)) with ((INR L - 1) / (exp b + 1 + (INR L - 1))) by (rewrite HLi; field;
      lra).
  apply fraction_le; lra.
Qed.

(** The largest error is the last row's, with the trigger at 3. *)
Theorem null_sup_loss : avoidable_statement.null_sup_loss.
Proof.
  intros n L b Hn HL Hb. apply (uniform_sup_loss n L _ _ _ 3 L Hn (null_uniform n L b Hn)); try lia.
  - intros j i H3 H4 H1 H2. unfold row_error. destruct (Nat.eqb_spec i j) as [->|E].
    + eapply Rle_trans; [now apply null_trigger_error|].
      assert (HE : 1 <= exp b) by (rewrite <- exp_0; destruct Hb as [Hb| <-]; [left; now apply exp_increasing|lra]).
      assert (HL4 : 4 <= INR L) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
      rewrite (minus_INR L 1) by lia. change (INR 1) with 1. set (E := exp b) in *. set (l := INR L) in *.
      assert (HEE : 0 < E * E) by (apply Rmult_lt_0_compat; lra).
      apply (Rmult_le_reg_r ((E + 1 + E * E * 2) * (E + l))); [apply Rmult_lt_0_compat; lra|].
      replace ((E + 1) / (E + 1 + E * E * 2) * ((E + 1 + E * E * 2) * (E + l))) with ((E + 1) * (E + l))
        by (field; lra).
      replace ((l - 1) / (E + l) * ((E + 1 + E * E * 2) * (E + l))) with ((l - 1) * (E + 1 + E * E * 2))
        by (field; lra).
      assert (0 <= (E - 1) * (E - 1)) by (apply Rle_0_sqr).
      assert (0 <= E * E * (l - 4)) by (apply Rmult_le_pos; lra).
      assert (0 <= E * (E - 1)) by (apply Rmult_le_pos; lra). lra.
    + unfold null_weight. apply Nat.eqb_neq in E. rewrite E. now apply null_quiet_error.
  - unfold row_error, null_weight. destruct (Nat.eqb_spec L 3); [lia|].
    pose proof (exp_pos b). pose proof (pos_INR L).
    rewrite Rabs_pos_eq by (left; apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(** *** Gated softmax *)

Definition gated_weight (b : R) (j i : nat) : R :=
  logistic (if (i =? j)%nat then b else - b) / (exp (- b) + INR (i - 1)).

Lemma gated_uniform n L b :
  (4 <= n)%nat ->
  uniform_rows n L (gated_weights n (gate_vector b) (- b) (switch_matrix n (- b) (- b))) (gated_weight b).
Proof.
  intros Hn x j Hx i k H1 H2 H3 H4. unfold gated_weights, gated_weight, kernel_attention.
  rewrite (gate_value n L j x), (switch_row_sum n L j x Hx Hn), (switch_kernel_other n L j x Hx Hn) by
      (assumption || lia).
  unfold bos_factor. destruct (i =? j)%nat; unfold Rdiv; ring.
Qed.

(** The error off the trigger is the smaller one. *)
Lemma gated_loss_bounds b : logistic (- b) <= 1 - 2 * logistic b / (2 + exp (- b)).
Proof.
  rewrite logistic_opp. pose proof (logistic_pos b). pose proof (exp_pos (- b)).
  assert (0 <= logistic b * (exp (- b) / (2 + exp (- b)))).
  { apply Rmult_le_pos; [lra|]. left. apply Rdiv_lt_0_compat; lra. }
  replace (2 * logistic b / (2 + exp (- b))) with (logistic b - logistic b * (exp (- b) / (2 + exp (- b))))
    by (field; lra). lra.
Qed.

Lemma gated_trigger_error b j :
  (3 <= j)%nat ->
  Rabs (gated_weight b j j * INR (j - 1) - 1) = 1 - logistic b * (INR (j - 1) / (exp (- b) + INR (j - 1))).
Proof.
  intros Hj. assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  unfold gated_weight. rewrite Nat.eqb_refl. set (m := INR (j - 1)) in *.
  pose proof (exp_pos (- b)) as HF. pose proof (logistic_pos b) as Hs.
  pose proof (logistic_pos (- b)) as Hs'. rewrite logistic_opp in Hs'.
  assert (Hf : m / (exp (- b) + m) <= 1).
  { apply (Rmult_le_reg_r (exp (- b) + m)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hf0 : 0 <= m / (exp (- b) + m)) by (left; apply Rdiv_lt_0_compat; lra).
  assert (Hfs : logistic b * (m / (exp (- b) + m)) <= logistic b * 1) by (apply Rmult_le_compat_l; lra).
  replace (logistic b / (exp (- b) + m) * m - 1) with (- (1 - logistic b * (m / (exp (- b) + m)))) by (field; lra).
  rewrite Rabs_Ropp, Rabs_pos_eq; lra.
Qed.

Theorem gated_sup_loss : avoidable_statement.gated_sup_loss.
Proof.
  intros n L b Hn HL. pose proof (exp_pos (- b)) as HF. pose proof (logistic_pos b).
  assert (Hl : 1 - 2 * logistic b / (2 + exp (- b)) = 1 - logistic b * (2 / (exp (- b) + 2))) by (field; lra).
  eapply sup_loss_ext.
  { intros x i r. symmetry. apply gated_head_weights. }
  apply (uniform_sup_loss n L _ _ _ 3 3 Hn (gated_uniform n L b Hn)); try lia.
  - intros j i H3 H4 H1 H2. unfold row_error. destruct (Nat.eqb_spec i j) as [->|E].
    + rewrite gated_trigger_error by assumption.
      assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      rewrite Hl. apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [lra|].
      apply fraction_le; lra.
    + eapply Rle_trans; [|apply gated_loss_bounds]. unfold gated_weight.
      apply Nat.eqb_neq in E. rewrite E. pose proof (pos_INR (i - 1)). pose proof (logistic_pos (- b)).
      rewrite Rabs_pos_eq by (left; apply Rdiv_lt_0_compat; lra).
      apply (Rmult_le_reg_r (exp (- b) + INR (i - 1))); [lra|].
      replace (logistic (- b) / (exp (- b) + INR (i - 1)) * INR (i - 1) * (exp (- b) + INR (i - 1)))
        with (logistic (- b) * INR (i - 1)) by (field; lra).
      apply Rmult_le_compat_l; lra.
  - unfold row_error. rewrite Nat.eqb_refl, gated_trigger_error, Hl by lia.
    replace (INR (3 - 1)) with 2 by (simpl; ring). reflexivity.
Qed.

(** The softmax's BOS attention, before the gate. *)
Theorem gated_bos_attention : avoidable_statement.gated_bos_attention.
Proof.
  intros n L b x j i Hn Hx H1 H2. rewrite (switch_bos_attention n L j x Hx Hn) by assumption.
  pose proof (exp_pos b). pose proof (pos_INR (i - 1)).
  assert (0 <= exp b * INR (i - 1)) by (apply Rmult_le_pos; lra).
  unfold bos_factor. destruct (i =? j)%nat; rewrite exp_Ropp; field; lra.
Qed.

(** *** Avoidable in the limit *)

(** From the closed forms to [sink_free]. *)
Lemma closed_forms_small n L a out eta delta :
  is_sup_loss n L out eta -> eta <= delta ->
  (forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> 0 <= bos_attention a x i <= delta) ->
  sink_free n L a out delta.
Proof.
  intros [H _] He Hb. split.
  - apply sup_loss_le_iff. intros e E. apply Rle_trans with eta; [now apply H|exact He].
  - intros x j i Hx H1 H2. destruct (Hb x j i Hx H1 H2). rewrite Rabs_pos_eq; assumption.
Qed.

(** p/q <= delta where p <= delta q. *)
Lemma quotient_small p q delta : 0 <= p -> 0 < q -> p <= delta * q -> 0 <= p / q <= delta.
Proof.
  intros Hp Hq H. split.
  - apply Rmult_le_pos; [assumption|]. left. now apply Rinv_0_lt_compat.
  - apply (Rmult_le_reg_r q); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma over_positions_small s delta i : 0 <= s <= delta -> (2 <= i)%nat -> 0 <= s / INR (i - 1) <= delta.
Proof.
  intros Hs Hi. assert (1 <= INR (i - 1)) by (apply (le_INR 1); lia).
  apply quotient_small; [lra|lra|]. assert (0 <= delta * (INR (i - 1) - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem sigmoid_avoidable : avoidable_statement.sigmoid_avoidable.
Proof.
  intros n L delta Hn HL Hd. assert (H1d : 0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  set (b := ln (1 / delta)). exists (aware_matrix n b (- b)).
  assert (Hs : 0 <= logistic (- b) <= delta).
  { rewrite logistic_exp. unfold b. rewrite exp_ln by assumption. rewrite <- (Rmult_1_l (/ _)).
    apply quotient_small; try lra. replace (delta * (1 + 1 / delta)) with (delta + 1) by (field; lra). lra. }
  apply (closed_forms_small _ _ _ _ _ delta (sigmoid_sup_loss n L b Hn HL)); [apply Hs|].
  intros x j i Hx H1 H2. rewrite (sigmoid_bos_attention n L b x j i) by assumption.
  now apply over_positions_small.
Qed.

Theorem elu1_avoidable : avoidable_statement.elu1_avoidable.
Proof.
  intros n L delta Hn HL Hd. assert (H1d : 0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  set (b := ln (1 + 1 / delta)). exists (aware_matrix n 0 (- b)).
  assert (Hb : 0 <= b) by (unfold b; rewrite <- ln_1; left; apply ln_increasing; lra).
  assert (Hs : 0 <= exp (- b) <= delta).
  { rewrite exp_Ropp. unfold b. rewrite exp_ln by lra. rewrite <- (Rmult_1_l (/ _)).
    apply quotient_small; try lra. replace (delta * (1 + 1 / delta)) with (delta + 1) by (field; lra). lra. }
  apply (closed_forms_small _ _ _ _ _ delta (elu1_sup_loss n L b Hn HL Hb)); [apply Hs|].
  intros x j i Hx H1 H2. rewrite (elu1_bos_attention n L b x j i) by assumption.
  now apply over_positions_small.
Qed.

(** E = 1 + L/delta. *)
Theorem null_avoidable : avoidable_statement.null_avoidable.
Proof.
  intros n L delta Hn HL Hd.
  assert (HL4 : 4 <= INR L) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  assert (H1d : 0 < INR L / delta) by (apply Rdiv_lt_0_compat; lra).
  set (E := 1 + INR L / delta). set (b := ln E).
  assert (HE : exp b = E) by (apply exp_ln; unfold E; lra).
  assert (Hb : 0 <= b) by (unfold b; rewrite <- ln_1; left; apply ln_increasing; unfold E; lra).
  assert (HE1 : 1 < E) by (unfold E; lra).
  assert (HEd : delta * E = delta + INR L) by (unfold E; field; lra).
  assert (Hq : forall p q, 0 <= p -> p <= INR L -> E <= q -> 0 <= p / q <= delta).
  { intros p q Hp Hpl Hq. apply quotient_small; [assumption|lra|].
    assert (delta * E <= delta * q) by (apply Rmult_le_compat_l; lra). lra. }
  exists (aware_matrix n b (- b)).
  apply (closed_forms_small _ _ _ _ _ delta (null_sup_loss n L b Hn HL Hb)).
  - rewrite HE. assert (INR (L - 1) <= INR L) by (apply le_INR; lia).
    apply Hq; [apply pos_INR|assumption|lra].
  - intros x j i Hx H1 H2. destruct (Nat.eq_dec i j) as [->|Ej].
    + destruct (null_trigger_row n L b x j Hn Hx) as [_ ->]. rewrite HE. apply Hq; [lra|lra|].
      assert (0 <= E * E * INR (j - 1)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply pos_INR]). lra.
    + destruct (null_quiet_row n L b x j i Hn Hx ltac:(lia) H2 Ej) as [_ H].
      unfold bos_attention. rewrite H, HE by lia. pose proof (pos_INR i). apply Hq; lra.
Qed.

(** E = 2/delta. *)
Theorem gated_avoidable : avoidable_statement.gated_avoidable.
Proof.
  intros n L delta Hn HL Hd. set (E := 2 / delta). set (b := ln E).
  assert (HE0 : 0 < E) by (apply Rdiv_lt_0_compat; lra).
  assert (HE : exp b = E) by now apply exp_ln.
  assert (HEd : delta * E = 2) by (unfold E; field; lra).
  exists (gate_vector b), (- b), (switch_matrix n (- b) (- b)).
  apply (closed_forms_small _ _ _ _ _ delta (gated_sup_loss n L b Hn HL)).
  - (* 1 - 2E^2/((E+1)(2E+1)) = (3E+1)/((E+1)(2E+1)) <= 2/E *)
    assert (Hp : 0 < (E + 1) * (2 * E + 1)) by (apply Rmult_lt_0_compat; lra).
    replace (1 - 2 * logistic b / (2 + exp (- b))) with ((3 * E + 1) / ((E + 1) * (2 * E + 1))).
    2:{ unfold logistic. rewrite exp_Ropp, HE. field. repeat split; lra. }
    apply quotient_small; [lra|assumption|].
    replace (delta * ((E + 1) * (2 * E + 1))) with (delta * E * (2 * E) + 3 * (delta * E) + delta) by ring.
    rewrite HEd. lra.
  - intros x j i Hx H1 H2. fold (switch_attention n (- b) (- b)).
    rewrite (gated_bos_attention n L b x j i), HE by (assumption || lia).
    assert (Hi : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
    assert (HEi : E * 1 <= E * INR (i - 1)) by (apply Rmult_le_compat_l; lra).
    assert (delta * (E * 1) <= delta * (E * INR (i - 1))) by (apply Rmult_le_compat_l; lra).
    apply quotient_small; lra.
Qed.

Print Assumptions aware_logits.
Print Assumptions gated_logits.
Print Assumptions relu_exact.
Print Assumptions linear_exact.
Print Assumptions vanishing_relu_exact.
Print Assumptions sigmoid_sup_loss.
Print Assumptions sigmoid_bos_attention.
Print Assumptions sigmoid_avoidable.
Print Assumptions elu1_sup_loss.
Print Assumptions elu1_bos_attention.
Print Assumptions elu1_avoidable.
Print Assumptions null_sup_loss.
Print Assumptions null_quiet_row.
Print Assumptions null_trigger_row.
Print Assumptions null_avoidable.
Print Assumptions gated_sup_loss.
Print Assumptions gated_bos_attention.
Print Assumptions gated_avoidable.
