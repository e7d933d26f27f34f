(** * tc-8: the hypotheses of every sentence can be met

    For each sentence of necessary_statement.v, avoidable_statement.v and limits_statement.v a model that satisfies
    its hypotheses, in dimension 6, for sequences of length 16.  The normalised variants reach every loss
    ([every_loss_reached]): logits p on every key but BOS, and on BOS one that closes the row off the trigger
    and opens it at the trigger; here with biases that cancel.  The others come from avoidable.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-8 Claim <proofs>/tc-8/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family probe row_normalised_core variant_rows.
From Claim Require Import necessary_statement avoidable_statement limits_statement avoidable slot_or_gate.
Open Scope R_scope.

(** A sequence with its trigger at 8, content noise 1/2 and trigger noise -1/3. *)
Definition example : sequence := probe (constant_content 6 (1 / 2)) (constant_trigger 6 (- (1 / 3))) 8.

Lemma example_valid : valid 6 16 8 example.
Proof.
  apply probe_valid; try lia.
  - apply constant_content_is_content; [lia|lra].
  - apply constant_trigger_is_trigger; [lia|lra].
Qed.

(** *** The normalised variants reach every loss *)

(** Logits p on every key but BOS; on BOS t for a trigger query and s for the others. *)
Definition bos_logit_matrix (n : nat) (p s t : R) : matrix :=
  fun r c => aware_matrix n p p r c + switch_matrix n (s - p) (t - p) r c.

Lemma bos_logit n L j x p s t i k :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
  bilinear n (bos_logit_matrix n p s t) (x i) (x k) = p + (if (i =? j)%nat then t - p else s - p) * bos_flag (x k).
Proof.
  intros Hn Hx H1 H2 H3 H4.
  transitivity (bilinear n (aware_matrix n p p) (x i) (x k) + bilinear n (switch_matrix n (s - p) (t - p)) (x i) (x k)).
  { unfold bilinear. rewrite <- sum_plus. apply sum_ext. intros r _. rewrite <- sum_plus. apply sum_ext.
    intros c _. unfold bos_logit_matrix. ring. }
  rewrite (aware_logit_task n L j x), switch_logit by assumption.
  pose proof (valid_flags_sum n L j x Hx Hn i H1 H2) as F.
  assert (T : trigger_flag (x i) = if (i =? j)%nat then 1 else 0) by now apply (valid_trigger_flag n L j x Hx Hn).
  replace (bos_flag (x i)) with (1 - trigger_flag (x i) - content_flag n (x i)) by lra. rewrite T.
  destruct (i =? j)%nat; ring.
Qed.

Lemma bos_logit_key n L j x p s t i k :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= L)%nat ->
  bilinear n (bos_logit_matrix n p s t) (x i) (x k) = p.
Proof.
  intros Hn Hx H1 H2 H3 H4. rewrite (bos_logit n L j x) by (assumption || lia).
  replace (bos_flag (x k)) with 0 by (symmetry; now apply (valid_bos_flag n L j x Hx)). ring.
Qed.

Lemma bos_logit_bos n L j x p s t i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bilinear n (bos_logit_matrix n p s t) (x i) (x 1%nat) = if (i =? j)%nat then t else s.
Proof.
  intros Hn Hx H1 H2. rewrite (bos_logit n L j x) by (assumption || lia). rewrite (first_is_bos _ _ _ _ Hx).
  change (bos_flag bos) with 1. destruct (i =? j)%nat; ring.
Qed.

(** phi(s) large and phi(t) small against phi(p): the loss is small, and no denominator vanishes. *)
Lemma normalised_family phi n L p s t delta :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta -> 0 < phi p -> 0 <= phi t ->
  INR L * phi p <= delta * phi s -> phi t <= delta * phi p ->
  sup_loss_le n L (head (normalised phi n (bos_logit_matrix n p s t)) (linear_value n projector)) delta /\
  forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
    0 < possum i (fun l => phi (bilinear n (bos_logit_matrix n p s t) (x i) (x l))).
Proof.
  intros Hn HL Hd Hp Ht Hs Htp.
  assert (HLR : 3 <= INR L) by (replace 3 with (INR 3) by (simpl; ring); now apply le_INR).
  assert (Hs0 : 0 < phi s).
  { apply (Rmult_lt_reg_l delta); [assumption|]. rewrite Rmult_0_r.
    apply Rlt_le_trans with (INR L * phi p); [apply Rmult_lt_0_compat; lra|assumption]. }
  assert (Hsum : forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
            possum i (fun l => phi (bilinear n (bos_logit_matrix n p s t) (x i) (x l)))
            = phi (if (i =? j)%nat then t else s) + INR (i - 1) * phi p).
  { intros x j Hx i H1 H2. rewrite possum_first, (bos_logit_bos n L j x) by assumption. f_equal.
    rewrite (sum_ext _ _ (fun _ => phi p)); [apply sum_const|].
    intros k Hk. now rewrite (bos_logit_key n L j x) by (assumption || lia). }
  assert (Hden : forall j i, (3 <= j)%nat -> (1 <= i)%nat -> 0 < phi (if (i =? j)%nat then t else s) + INR (i -
      1) * phi p).
  { intros j i Hj Hi. pose proof (pos_INR (i - 1)).
    assert (0 <= INR (i - 1) * phi p) by (apply Rmult_le_pos; lra).
    destruct (Nat.eqb_spec i j) as [->|_]; [|lra].
    assert (1 <= INR (j - 1)) by (apply (le_INR 1); lia).
    assert (1 * phi p <= INR (j - 1) * phi p) by (apply Rmult_le_compat_r; lra). lra. }
  split.
  2:{ intros x j Hx i H1 H2. rewrite (Hsum x j) by assumption. apply Hden; [apply (trigger_from_3 _ _ _ _
      Hx)|assumption]. }
  assert (Hw : uniform_rows n L (normalised phi n (bos_logit_matrix n p s t))
                 (fun j i => phi p / (phi (if (i =? j)%nat then t else s) + INR (i - 1) * phi p))).
  { intros x j Hx i k H1 H2 H3 H4. unfold normalised, kernel_attention.
    now rewrite (Hsum x j), (bos_logit_key n L j x) by (assumption || lia). }
  apply (uniform_sup_loss_le n L _ _ _ Hn Hw). intros j i H3 H4 H1 H2.
  pose proof (Hden j i H3 H1) as HD. unfold row_error.
  destruct (Nat.eqb_spec i j) as [->|E].
  - rewrite Nat.eqb_refl. set (m := INR (j - 1)) in *.
    assert (Hm : 1 <= m) by (apply (le_INR 1); lia).
    replace (phi p / (phi t + m * phi p) * m - 1) with (- (phi t / (phi t + m * phi p))) by (field; lra).
    rewrite Rabs_Ropp, Rabs_pos_eq by (apply Rmult_le_pos; [assumption|left; now apply Rinv_0_lt_compat]).
    apply (Rmult_le_reg_r (phi t + m * phi p)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (1 * phi p <= m * phi p) by (apply Rmult_le_compat_r; lra).
    assert (delta * phi p <= delta * (phi t + m * phi p)) by (apply Rmult_le_compat_l; lra). lra.
  - set (m := INR (i - 1)) in *.
    assert (Hm : 0 <= m) by apply pos_INR.
    assert (HmL : m <= INR L) by (apply le_INR; lia).
    rewrite Rabs_pos_eq by (left; now apply Rdiv_lt_0_compat).
    apply (Rmult_le_reg_r (phi s + m * phi p)); [assumption|].
    replace (phi p / (phi s + m * phi p) * m * (phi s + m * phi p)) with (m * phi p) by (field; lra).
    assert (m * phi p <= INR L * phi p) by (apply Rmult_le_compat_r; lra).
    assert (0 <= delta * (m * phi p)) by (apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; lra). lra.
Qed.


(** At every loss level, with no denominator 0. *)
Definition reaches (phi : R -> R) (n L : nat) : Prop :=
  forall delta, 0 < delta -> exists M V,
    sup_loss_le n L (head (normalised phi n M) (linear_value n V)) delta /\
    forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
      0 < possum i (fun l => phi (bilinear n M (x i) (x l))).

Lemma every_loss_reached n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  reaches exp n L /\ reaches logistic n L /\ reaches elu1 n L /\ reaches (Rmax 0) n L.
Proof.
  intros Hn HL.
  assert (HLR : 3 <= INR L) by (replace 3 with (INR 3) by (simpl; ring); now apply le_INR).
  assert (Hq : forall delta, 0 < delta -> 0 < INR L / delta) by (intros; apply Rdiv_lt_0_compat; lra).
  repeat split; intros delta Hd; specialize (Hq delta Hd).
  - exists (bos_logit_matrix n 0 (ln (INR L / delta)) (ln delta)), projector.
    apply normalised_family; auto; rewrite ?exp_0, ?exp_ln by assumption; try lra.
    apply Req_le. field. lra.
  - set (B := INR L / delta + 1). assert (HB : 1 < B) by (unfold B; lra).
    assert (HBL : INR L <= delta * B).
    { unfold B. rewrite Rmult_plus_distr_l. replace (delta * (INR L / delta)) with (INR L) by (field; lra). lra. }
    assert (HBB : 1 < B * B) by (rewrite <- (Rmult_1_l 1); apply Rmult_le_0_lt_compat; lra).
    exists (bos_logit_matrix n (- ln B) (ln B) (- (ln (B * B)))), projector.
    assert (Lp : logistic (- ln B) = / (1 + B)) by (rewrite logistic_exp, exp_ln by lra; reflexivity).
    assert (Lt : logistic (- ln (B * B)) = / (1 + B * B)) by (rewrite logistic_exp, exp_ln by lra; reflexivity).
    assert (Ls : logistic (ln B) = B * / (1 + B)).
    { unfold logistic. rewrite exp_Ropp, exp_ln by lra. field. split; lra. }
    assert (0 < / (1 + B)) by (apply Rinv_0_lt_compat; lra).
    apply normalised_family; auto; rewrite ?Lp, ?Lt, ?Ls.
    + assumption.
    + left. apply Rinv_0_lt_compat. lra.
    + rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
    + apply (Rmult_le_reg_r ((1 + B) * (1 + B * B))); [apply Rmult_lt_0_compat; lra|].
      replace (/ (1 + B * B) * ((1 + B) * (1 + B * B))) with (1 + B) by (field; lra).
      replace (delta * / (1 + B) * ((1 + B) * (1 + B * B))) with (delta * (1 + B * B)) by (field; lra).
      assert (INR L * B <= delta * B * B) by (apply Rmult_le_compat_r; lra).
      assert (3 * B <= INR L * B) by (apply Rmult_le_compat_r; lra). lra.
  - exists (bos_logit_matrix n 0 (INR L / delta) (- ln (1 + 1 / delta))), projector.
    assert (H1d : 0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
    assert (Hln : 0 < ln (1 + 1 / delta)) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (Ep : elu1 0 = 1) by (unfold elu1; destruct (Rle_dec 0 0); [apply exp_0|lra]).
    assert (Es : elu1 (INR L / delta) = INR L / delta + 1) by (unfold elu1; destruct (Rle_dec (INR L / delta) 0);
        lra).
    assert (Et : elu1 (- ln (1 + 1 / delta)) = / (1 + 1 / delta)).
    { unfold elu1. destruct (Rle_dec _ 0); [|lra]. rewrite exp_Ropp, exp_ln by lra. reflexivity. }
    apply normalised_family; auto; rewrite ?Ep, ?Es, ?Et.
    + lra.
    + left. apply Rinv_0_lt_compat. lra.
    + rewrite Rmult_plus_distr_l. replace (delta * (INR L / delta)) with (INR L) by (field; lra). lra.
    + apply (Rmult_le_reg_r (1 + 1 / delta)); [lra|]. rewrite Rinv_l by lra.
      replace (delta * 1 * (1 + 1 / delta)) with (delta + 1) by (field; lra). lra.
  - exists (bos_logit_matrix n 1 (INR L / delta) delta), projector.
    apply normalised_family; auto; rewrite ?Rmax_right by lra; try lra.
    apply Req_le. field. lra.
Qed.

(** With a value bias of 1 and an output bias of -1, which cancel where rows sum to 1. *)
Lemma cancelling_biases phi n L M V eta :
  (forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => phi (bilinear n M (x i) (x l)))) ->
  sup_loss_le n L (head (normalised phi n M) (linear_value n V)) eta ->
  sup_loss_le n L (biased_head n (normalised phi n M) V (fun _ => 1) (fun _ => -1)) eta.
Proof.
  intros Hpos Hloss x j Hx i r H1 H2 Hr. rewrite biased_head_absorbed.
  - replace (head (normalised phi n M) (fun y r => linear_value n V y r + (1 + -1)) x i r)
      with (head (normalised phi n M) (linear_value n V) x i r); [now apply (Hloss x j)|].
    apply possum_ext. intros k _ _. ring.
  - apply kernel_attention_sum, Rgt_not_eq, (Hpos x j Hx i H1 H2).
Qed.

Lemma biased_reached phi :
  reaches phi 6 16 ->
  exists M V, sup_loss_le 6 16 (biased_head 6 (normalised phi 6 M) V (fun _ => 1) (fun _ => -1)) (1 / 100) /\
    forall x j, valid 6 16 j x -> forall i, (1 <= i)%nat -> (i <= 16)%nat ->
      0 < possum i (fun l => phi (bilinear 6 M (x i) (x l))).
Proof.
  intros H. destruct (H (1 / 100)) as (M & V & Hloss & Hpos); [lra|].
  exists M, V. split; [now apply cancelling_biases|exact Hpos].
Qed.

(** The trigger gap of J = 10 is 7/18. *)
Lemma trigger_gap_10 : trigger_gap 10 = 7 / 18.
Proof. unfold trigger_gap. replace (INR 10) with 10 by (simpl; ring). field. Qed.

(** *** necessary_statement.v *)

Theorem kernel_needs_sink_instance : exists n L K v eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ nonnegative_kernel n L K /\ eta < 1 / 12 /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (every_loss_reached 6 16) as (_ & _ & _ & H); [lia|lia|].
  destruct (H (1 / 100)) as (M & V & Hloss & Hpos); [lra|].
  exists 6%nat, 16%nat, (fun q k => Rmax 0 (bilinear 6 M q k)), (linear_value 6 V), (1 / 100).
  split; [lia|]. split; [lia|]. split; [split; [intros; apply Rmax_l|exact Hpos]|]. split; [lra|].
  split; [exact Hloss|]. exists example, 8%nat, 5%nat. split; [exact example_valid|lia].
Qed.

Theorem softmax_needs_sink_instance : exists n L M V bv bo eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ eta < 1 / 12 /\
  sup_loss_le n L (biased_head n (normalised exp n M) V bv bo) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (every_loss_reached 6 16) as (H & _ & _ & _); [lia|lia|].
  destruct (biased_reached _ H) as (M & V & Hloss & _).
  exists 6%nat, 16%nat, M, V, (fun _ => 1), (fun _ => -1), (1 / 100).
  split; [lia|]. split; [lia|]. split; [lra|]. split; [exact Hloss|].
  exists example, 8%nat, 5%nat. split; [exact example_valid|lia].
Qed.

Theorem sigmoid_normalised_needs_sink_instance : exists n L M V bv bo eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ eta < 1 / 12 /\
  sup_loss_le n L (biased_head n (normalised logistic n M) V bv bo) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (every_loss_reached 6 16) as (_ & H & _ & _); [lia|lia|].
  destruct (biased_reached _ H) as (M & V & Hloss & _).
  exists 6%nat, 16%nat, M, V, (fun _ => 1), (fun _ => -1), (1 / 100).
  split; [lia|]. split; [lia|]. split; [lra|]. split; [exact Hloss|].
  exists example, 8%nat, 5%nat. split; [exact example_valid|lia].
Qed.

Theorem elu1_normalised_needs_sink_instance : exists n L M V bv bo eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ eta < 1 / 12 /\
  sup_loss_le n L (biased_head n (normalised elu1 n M) V bv bo) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (every_loss_reached 6 16) as (_ & _ & H & _); [lia|lia|].
  destruct (biased_reached _ H) as (M & V & Hloss & _).
  exists 6%nat, 16%nat, M, V, (fun _ => 1), (fun _ => -1), (1 / 100).
  split; [lia|]. split; [lia|]. split; [lra|]. split; [exact Hloss|].
  exists example, 8%nat, 5%nat. split; [exact example_valid|lia].
Qed.

Theorem relu_normalised_needs_sink_instance : exists n L M V bv bo eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ eta < 1 / 12 /\
  (forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => Rmax 0 (bilinear n M (x i) (x l)))) /\
  sup_loss_le n L (biased_head n (normalised (Rmax 0) n M) V bv bo) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (every_loss_reached 6 16) as (_ & _ & _ & H); [lia|lia|].
  destruct (biased_reached _ H) as (M & V & Hloss & Hpos).
  exists 6%nat, 16%nat, M, V, (fun _ => 1), (fun _ => -1), (1 / 100).
  split; [lia|]. split; [lia|]. split; [lra|]. split; [intros x j i Hx; now apply (Hpos x j)|].
  split; [exact Hloss|]. exists example, 8%nat, 5%nat. split; [exact example_valid|lia].
Qed.

Theorem row_normalised_biased_instance : exists n L J a V bv bo eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ row_stochastic n L a /\ eta < trigger_gap J / 4 /\
  sup_loss_le n L (biased_head n a V bv bo) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (every_loss_reached 6 16) as (H & _ & _ & _); [lia|lia|].
  destruct (biased_reached _ H) as (M & V & Hloss & _).
  exists 6%nat, 16%nat, 10%nat, (normalised exp 6 M), V, (fun _ => 1), (fun _ => -1), (1 / 100).
  rewrite trigger_gap_10. split; [lia|]. split; [lia|]. split; [lia|].
  split; [apply kernel_row_stochastic, softmax_positive|]. split; [lra|]. split; [exact Hloss|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

(** *** avoidable_statement.v *)

Theorem aware_logits_instance : exists n L j x (u v : R) i k,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ (1 <= k)%nat /\ (k <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 8%nat, example, 2, (-3), 8%nat, 5%nat.
  split; [lia|]. split; [exact example_valid|lia].
Qed.

Theorem gated_logits_instance : exists n L j x (b : R) i k,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ (1 <= k)%nat /\ (k <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 8%nat, example, 3, 8%nat, 5%nat.
  split; [lia|]. split; [exact example_valid|lia].
Qed.

Theorem relu_exact_instance : exists n L,
  (4 <= n)%nat /\ (3 <= L)%nat /\ exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 6%nat, 16%nat. split; [lia|]. split; [lia|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

Theorem linear_exact_instance : exists n L,
  (4 <= n)%nat /\ (3 <= L)%nat /\ exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 6%nat, 16%nat. split; [lia|]. split; [lia|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

Theorem vanishing_relu_exact_instance : exists n L,
  (4 <= n)%nat /\ (3 <= L)%nat /\ exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 6%nat, 16%nat. split; [lia|]. split; [lia|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

Theorem sigmoid_sup_loss_instance : exists n L (b : R),
  (4 <= n)%nat /\ (3 <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 3. split; lia.
Qed.

Theorem sigmoid_bos_attention_instance : exists n L (b : R) x j i,
  (4 <= n)%nat /\ valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 3, example, 8%nat, 12%nat. split; [lia|]. split; [exact example_valid|lia].
Qed.

Theorem sigmoid_avoidable_instance : exists n L delta,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < delta.
Proof.
  exists 6%nat, 16%nat, (1 / 100). split; [lia|]. split; [lia|lra].
Qed.

Theorem elu1_sup_loss_instance : exists n L b,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= b.
Proof.
  exists 6%nat, 16%nat, 3. split; [lia|]. split; [lia|lra].
Qed.

Theorem elu1_bos_attention_instance : exists n L b x j i,
  (4 <= n)%nat /\ 0 <= b /\ valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 3, example, 8%nat, 12%nat. split; [lia|]. split; [lra|].
  split; [exact example_valid|lia].
Qed.

Theorem elu1_avoidable_instance : exists n L delta,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < delta.
Proof.
  exists 6%nat, 16%nat, (1 / 100). split; [lia|]. split; [lia|lra].
Qed.

Theorem null_sup_loss_instance : exists n L b,
  (4 <= n)%nat /\ (4 <= L)%nat /\ 0 <= b.
Proof.
  exists 6%nat, 16%nat, 3. split; [lia|]. split; [lia|lra].
Qed.

Theorem null_quiet_row_instance : exists n L (b : R) x j i,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j /\
  exists k, (1 <= k)%nat /\ (k <= i)%nat.
Proof.
  exists 6%nat, 16%nat, 3, example, 8%nat, 12%nat. split; [lia|]. split; [exact example_valid|].
  do 3 (split; [lia|]). exists 5%nat. lia.
Qed.

Theorem null_trigger_row_instance : exists n L (b : R) x j,
  (4 <= n)%nat /\ valid n L j x.
Proof.
  exists 6%nat, 16%nat, 3, example, 8%nat. split; [lia|exact example_valid].
Qed.

Theorem null_avoidable_instance : exists n L delta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ 0 < delta.
Proof.
  exists 6%nat, 16%nat, (1 / 100). split; [lia|]. split; [lia|lra].
Qed.

Theorem gated_sup_loss_instance : exists n L (b : R),
  (4 <= n)%nat /\ (3 <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 3. split; lia.
Qed.

Theorem gated_bos_attention_instance : exists n L (b : R) x j i,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 6%nat, 16%nat, 3, example, 8%nat, 12%nat. split; [lia|]. split; [exact example_valid|lia].
Qed.

Theorem gated_avoidable_instance : exists n L delta,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < delta.
Proof.
  exists 6%nat, 16%nat, (1 / 100). split; [lia|]. split; [lia|lra].
Qed.

(** *** limits_statement.v *)

Theorem positive_weights_never_exact_instance : exists n L (a : attention) (v : token -> token),
  (4 <= n)%nat /\ (3 <= L)%nat /\
  forall x j i k, valid n L j x -> (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat -> 0 < a x i k.
Proof.
  exists 6%nat, 16%nat, (null_attention 6 identity), (linear_value 6 projector).
  split; [lia|]. split; [lia|]. intros x j i k _ _ _ _.
  apply Rdiv_lt_0_compat; [apply exp_pos|apply null_row_pos].
Qed.

Theorem unnormalised_never_exact_instance : exists (phi : R -> R) n L (M : matrix) (v : token -> token),
  (4 <= n)%nat /\ (3 <= L)%nat /\ forall s, 0 < phi s.
Proof.
  exists logistic, 6%nat, 16%nat, identity, (linear_value 6 projector).
  split; [lia|]. split; [lia|exact logistic_pos].
Qed.

Theorem kernel_never_exact_instance : exists n L K (v : token -> token),
  (4 <= n)%nat /\ (3 <= L)%nat /\ positive_kernel K.
Proof.
  exists 6%nat, 16%nat, (softmax_kernel 6 identity), (linear_value 6 projector).
  split; [lia|]. split; [lia|apply softmax_positive].
Qed.

Theorem null_never_exact_instance : exists n L (M : matrix) (v : token -> token),
  (4 <= n)%nat /\ (3 <= L)%nat.
Proof.
  exists 6%nat, 16%nat, identity, (linear_value 6 projector). split; lia.
Qed.

Theorem gated_never_exact_instance : exists n L (g : token) (c : R) (M : matrix) (v : token -> token),
  (4 <= n)%nat /\ (3 <= L)%nat.
Proof.
  exists 6%nat, 16%nat, (gate_vector 3), (-3), identity, (linear_value 6 projector).
  split; lia.
Qed.

(** V = P sends BOS to 0. *)
Lemma projector_bos n r : (r < n)%nat -> Rabs (linear_value n projector bos r) <= 1 / 100.
Proof.
  intros Hr. rewrite linear_projector by assumption.
  destruct (Nat.eqb_spec r 0); [rewrite Rabs_R0; lra|]. rewrite bos_pos, Rabs_R0 by lia. lra.
Qed.

Theorem sub_stochastic_mass_instance : exists n L J a V eta w,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ sub_stochastic n L a /\ 2 * (eta + w) < trigger_gap J /\
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) /\
  sup_loss_le n L (head a (linear_value n V)) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (null_avoidable 6%nat 16%nat (1 / 100)) as (M & Hloss & _); [lia|lia|lra|].
  exists 6%nat, 16%nat, 10%nat, (null_attention 6 M), projector, (1 / 100), (1 / 100).
  rewrite trigger_gap_10. do 3 (split; [lia|]). split; [apply null_sub_stochastic|]. split; [lra|].
  split; [apply projector_bos|]. split; [exact Hloss|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

Theorem null_slot_or_bos_instance : exists n L J M V eta w,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ 2 * (eta + w) < trigger_gap J /\
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) /\
  sup_loss_le n L (head (null_attention n M) (linear_value n V)) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (null_avoidable 6%nat 16%nat (1 / 100)) as (M & Hloss & _); [lia|lia|lra|].
  exists 6%nat, 16%nat, 10%nat, M, projector, (1 / 100), (1 / 100).
  rewrite trigger_gap_10. do 3 (split; [lia|]). split; [lra|]. split; [apply projector_bos|]. split; [exact Hloss|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

Theorem gate_or_bos_instance : exists n L J g c M V eta w,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ 2 * (eta + w) < trigger_gap J /\
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) /\
  sup_loss_le n L (gated_head n g c M (linear_value n V)) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (gated_avoidable 6%nat 16%nat (1 / 100)) as (g & c & M & Hloss & _); [lia|lia|lra|].
  exists 6%nat, 16%nat, 10%nat, g, c, M, projector, (1 / 100), (1 / 100).
  rewrite trigger_gap_10. do 3 (split; [lia|]). split; [lra|]. split; [apply projector_bos|]. split; [exact Hloss|].
  exists example, 8%nat, 12%nat. split; [exact example_valid|lia].
Qed.

Print Assumptions kernel_needs_sink_instance.
Print Assumptions softmax_needs_sink_instance.
Print Assumptions sigmoid_normalised_needs_sink_instance.
Print Assumptions elu1_normalised_needs_sink_instance.
Print Assumptions relu_normalised_needs_sink_instance.
Print Assumptions row_normalised_biased_instance.
Print Assumptions aware_logits_instance.
Print Assumptions gated_logits_instance.
Print Assumptions relu_exact_instance.
Print Assumptions linear_exact_instance.
Print Assumptions vanishing_relu_exact_instance.
Print Assumptions sigmoid_sup_loss_instance.
Print Assumptions sigmoid_bos_attention_instance.
Print Assumptions sigmoid_avoidable_instance.
Print Assumptions elu1_sup_loss_instance.
Print Assumptions elu1_bos_attention_instance.
Print Assumptions elu1_avoidable_instance.
Print Assumptions null_sup_loss_instance.
Print Assumptions null_quiet_row_instance.
Print Assumptions null_trigger_row_instance.
Print Assumptions null_avoidable_instance.
Print Assumptions gated_sup_loss_instance.
Print Assumptions gated_bos_attention_instance.
Print Assumptions gated_avoidable_instance.
Print Assumptions positive_weights_never_exact_instance.
Print Assumptions unnormalised_never_exact_instance.
Print Assumptions kernel_never_exact_instance.
Print Assumptions null_never_exact_instance.
Print Assumptions gated_never_exact_instance.
Print Assumptions sub_stochastic_mass_instance.
Print Assumptions null_slot_or_bos_instance.
Print Assumptions gate_or_bos_instance.
