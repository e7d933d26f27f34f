(** * tc-3: every row-normalised attention with a linear value map needs a sink

    Claim (docs/THEORY.md, tc-3; ours).  One layer, one head, out_i = V sum_k a_ik x_k, ANY row-stochastic
    causal a (it may depend on everything, positions included).  4 <= J <= L, D_J = (J-3)/(2(J-1)),
    eta < D_J/4.  Then at every non-trigger position, before or after the trigger, BOS attention is at
    least 1 - 2 eta/(D_J - 2 eta).

    Proved here, for all n >= 4, all L, all V:
    - [row_normalised]: the claim;  [row_normalised_four]: J = 4, 1 - 12 eta/(1 - 12 eta), eta < 1/24;
    - [row_normalised_softmax]: softmax with a logit that is any function of the sequence and the two
      positions (positional encodings of every kind);
    - [row_normalised_residual]: the residual task;
    - [row_normalised_not_vacuous]: for every eta > 0 a softmax head satisfies the hypotheses;
    - [added_encodings_row_two] and [added_encodings_flags]: what the page's "Limits" example does.

    A correction to the page.  It says that encodings ADDED to the values (V = P, c_2 = -e_{n-1},
    c_3 = +e_{n-1}) refute the claim with loss 0.  That holds in the three flag coordinates only
    ([added_encodings_flags]: their error is 0 and no row i >= 2 looks at BOS), so it shows that the
    proof, which reads nothing but flags, does not extend.  With n >= 4 there is a noise coordinate, and
    there row 2 still needs the sink: with these encodings the BOS attention of row 2 is at least
    1 - eta on a content token with noise 1 ([added_encodings_row_two]).

    The proof is in proofs/theory/row_normalised_core.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-3/row_normalised.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family row_normalised_core.
Open Scope R_scope.

Theorem row_normalised n L J a V eta :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  eta < D / 4 ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (D - 2 * eta).
Proof.
  intros Hn HJ HJL Ha D Heta Hloss. exact (row_normalised_sink n L J a V eta Hn HJ HJL Ha Hloss Heta).
Qed.

Corollary row_normalised_four n L a V eta :
  (4 <= n)%nat -> (4 <= L)%nat -> row_stochastic n L a -> eta < 1 / 24 ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 12 * eta / (1 - 12 * eta).
Proof.
  intros Hn HL Ha Heta Hloss x j i Hx H1 H2 E.
  replace (12 * eta / (1 - 12 * eta))
    with (2 * eta / ((INR 4 - 3) / (2 * (INR 4 - 1)) - 2 * eta)) by (simpl; field; lra).
  apply (row_normalised n L 4 a V eta) with (j := j); auto; simpl; lra.
Qed.

(** Softmax over any logits. *)
Definition softmax_attention (logit : sequence -> nat -> nat -> R) : attention :=
  fun x i k => exp (logit x i k) / possum i (fun l => exp (logit x i l)).

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

Corollary row_normalised_softmax n L J logit V eta :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  eta < D / 4 ->
  sup_loss_le n L (head (softmax_attention logit) (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention (softmax_attention logit) x i >= 1 - 2 * eta / (D - 2 * eta).
Proof.
  intros Hn HJ HJL D Heta Hloss. apply (row_normalised n L J _ V eta); auto.
  apply softmax_row_stochastic.
Qed.

Corollary row_normalised_residual n L J a V eta :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  eta < D / 4 ->
  residual_sup_loss_le n L (fun x i r => x i r + head a (linear_value n V) x i r) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (D - 2 * eta).
Proof.
  intros Hn HJ HJL Ha D Heta Hloss. apply (row_normalised n L J a V eta); auto.
  now apply residual_sup_loss_iff.
Qed.

Theorem row_normalised_not_vacuous n L eta :
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta ->
  exists a V, row_stochastic n L a /\ sup_loss_le n L (head a (linear_value n V)) eta.
Proof.
  intros Hn HL Heta. destruct (softmax_sup_loss_small n L eta) as [W HW]; try lia; try assumption.
  exists (kernel_attention (softmax_kernel n W)), projector. split; [|assumption].
  apply kernel_row_stochastic, softmax_positive.
Qed.

(** ** Encodings added to the values *)

(** out_i = sum_k a_ik (P x_k + c_k). *)
Definition encoded_head (n : nat) (a : attention) (c : nat -> token) : model :=
  fun x i r => possum i (fun k => a x i k * (linear_value n projector (x k) r + c k r)).

(** c_2 = -e_{n-1}, c_3 = +e_{n-1}, no other encodings. *)
Definition page_encoding (n : nat) : nat -> token :=
  fun k r => if (r =? n - 1)%nat then (if (k =? 2)%nat then -1 else if (k =? 3)%nat then 1 else 0) else 0.

Theorem added_encodings_row_two n L a eta :
  (4 <= n)%nat -> (3 <= L)%nat -> row_stochastic n L a ->
  sup_loss_le n L (encoded_head n a (page_encoding n)) eta ->
  forall x j, valid n L j x -> x 2%nat 2%nat = 1 -> bos_attention a x 2%nat >= 1 - eta.
Proof.
  intros Hn HL Ha Hloss x j Hx Hu. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  pose proof (Hloss x j Hx 2%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as H1.
  destruct (Ha x j Hx 2%nat) as [_ Hs]; try lia.
  rewrite target_off_trigger, Rminus_0_r in H1 by lia.
  unfold encoded_head, possum in H1. unfold possum in Hs. cbn [sum] in H1, Hs.
  rewrite !linear_projector, (first_is_bos _ _ _ _ Hx), Hu in H1 by lia.
  cbn [Nat.eqb] in H1. rewrite bos_S in H1.
  assert (Hc : forall k, page_encoding n k 2%nat = 0).
  { intros k. unfold page_encoding. destruct (Nat.eqb_spec 2 (n - 1)); [lia|reflexivity]. }
  rewrite !Hc in H1. apply abs_bounds in H1. unfold bos_attention. lra.
Qed.

(** Position 2 for every other row, the mean for the trigger's (the weights may depend on the whole
    sequence, hence on the position j of its trigger). *)
Definition avoiding_attention (j : nat) : attention :=
  fun _ i k => if (i =? 1)%nat then 1
               else if (i =? j)%nat then (if (k =? 1)%nat then 0 else / INR (j - 1))
               else if (k =? 2)%nat then 1 else 0.

Theorem added_encodings_flags n L j x i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat ->
  encoded_head n (avoiding_attention j) (page_encoding n) x i r = target j x i r /\
  ((2 <= i)%nat -> bos_attention (avoiding_attention j) x i = 0).
Proof.
  intros Hn Hx H1 H2 Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  assert (Hrn : (r < n)%nat) by lia.
  assert (Hbos : linear_value n projector bos r = 0).
  { rewrite linear_projector by assumption. destruct (Nat.eqb_spec r 0); [reflexivity|].
    now rewrite bos_pos by lia. }
  assert (Hc1 : page_encoding n 1 r = 0) by (unfold page_encoding; now destruct (r =? n - 1)%nat).
  assert (Hval : forall k, (2 <= k)%nat -> (k <= L)%nat -> linear_value n projector (x k) r = x k r).
  { intros k Hk HkL. rewrite linear_projector by assumption.
    destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity]. now rewrite (valid_bos_flag n L j x Hx) by lia. }
  split.
  2:{ intros Hi. unfold bos_attention, avoiding_attention. destruct (Nat.eqb_spec i 1); [lia|].
      destruct (i =? j)%nat; reflexivity. }
  unfold encoded_head. rewrite possum_first, (first_is_bos _ _ _ _ Hx), Hbos, Hc1, Rplus_0_l, Rmult_0_r, Rplus_0_l
    by assumption.
  destruct (Nat.eq_dec i 1) as [->|E1]; [rewrite target_off_trigger by lia; reflexivity|].
  destruct (Nat.eq_dec i j) as [->|E].
  - (* the trigger row: c_2 and c_3 cancel in the mean *)
    unfold target, mean_from_2. rewrite Nat.eqb_refl.
    rewrite (sum_ext _ _ (fun k => (x (k + 2)%nat r + page_encoding n (k + 2) r) * / INR (j - 1))).
    2:{ intros k Hk. unfold avoiding_attention. destruct (Nat.eqb_spec j 1); [lia|]. rewrite Nat.eqb_refl.
        destruct (Nat.eqb_spec (k + 2) 1); [lia|]. rewrite Hval by lia. ring. }
    rewrite sum_scal_r, sum_plus. unfold Rdiv. f_equal.
    replace (sum (j - 1) (fun k => page_encoding n (k + 2) r)) with 0; [ring|].
    rewrite (sum_two _ _ 0%nat 1%nat); try lia.
    + unfold page_encoding. destruct (r =? n - 1)%nat; cbn; ring.
    + intros k _ K0 K1. unfold page_encoding. destruct (r =? n - 1)%nat; [|reflexivity].
      destruct (Nat.eqb_spec (k + 2) 2); [lia|]. destruct (Nat.eqb_spec (k + 2) 3); [lia|reflexivity].
  - rewrite target_off_trigger by assumption. apply Nat.eqb_neq in E1, E.
    rewrite (sum_single _ _ 0%nat); [|apply Nat.eqb_neq in E1; lia|].
    + cbn [Nat.add]. rewrite Hval by lia. unfold avoiding_attention, page_encoding.
      rewrite E1, E. cbn [Nat.eqb].
      destruct Hr as [->|[->| ->]].
      * rewrite (valid_bos_flag n L j x Hx) by lia. destruct (Nat.eqb_spec 0 (n - 1)); [lia|]. ring.
      * rewrite (valid_trigger_flag n L j x Hx Hn) by lia. destruct (Nat.eqb_spec 1 (n - 1)); [lia|].
        destruct (Nat.eqb_spec 2 j); [lia|]. ring.
      * rewrite (valid_content_flag n L j x Hx Hn) by lia. rewrite Nat.eqb_refl.
        destruct (Nat.eqb_spec 2 j); [lia|]. cbn [Nat.eqb]. ring.
    + intros k _ Hk. unfold avoiding_attention. rewrite E1, E.
      destruct (Nat.eqb_spec (k + 2) 2); [lia|ring].
Qed.

Print Assumptions row_normalised.
Print Assumptions row_normalised_four.
Print Assumptions row_normalised_softmax.
Print Assumptions row_normalised_residual.
Print Assumptions row_normalised_not_vacuous.
Print Assumptions added_encodings_row_two.
Print Assumptions added_encodings_flags.
