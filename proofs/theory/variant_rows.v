(** * Variants of attention on the tokens of the task

    Lemmas about theory/definitions/variants.v, used by every half of tc-8.
    - Functions: the logistic function and elu + 1 are positive.
    - Weights: a null slot takes what the row loses; a gate multiplies the weights of the row; rows that sum to 1
      absorb an output bias.
    - Logits: [aware_matrix] sees a trigger query and a key other than BOS.
    - Rows with one weight w(j,i) for every key but BOS, V = P: the output is w (x_2 + .. + x_i), so the error is
      |w| (i-1) off the trigger and |w (j-1) - 1| at it, both attained with all noise equal to 1
      ([uniform_sup_loss_le], [uniform_error], [uniform_sup_loss]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/variant_rows.v
    (after switch_family.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
From Sinkproof Require Export variants.
Open Scope R_scope.

(** *** Functions *)

Lemma logistic_pos s : 0 < logistic s.
Proof. unfold logistic. apply Rinv_0_lt_compat. pose proof (exp_pos (- s)). lra. Qed.

Lemma logistic_opp s : logistic (- s) = 1 - logistic s.
Proof.
  unfold logistic. rewrite Ropp_involutive, exp_Ropp. pose proof (exp_pos s).
  field. split; lra.
Qed.

Lemma logistic_exp s : logistic (- s) = / (1 + exp s).
Proof. unfold logistic. now rewrite Ropp_involutive. Qed.

Lemma elu1_pos s : 0 < elu1 s.
Proof. unfold elu1. destruct (Rle_dec s 0); [apply exp_pos|lra]. Qed.

(** *** Weights *)

Lemma unnormalised_relu n M : unnormalised (Rmax 0) n M = relu_attention n M.
Proof. reflexivity. Qed.

Lemma null_row_pos n M (x : sequence) i : 0 < 1 + possum i (fun l => exp (bilinear n M (x i) (x l))).
Proof.
  assert (0 <= possum i (fun l => exp (bilinear n M (x i) (x l)))).
  { apply possum_nonneg. intros. left. apply exp_pos. }
  lra.
Qed.

Lemma null_mass_is_the_rest n M x i :
  null_mass n M x i + possum i (null_attention n M x i) = 1.
Proof.
  unfold null_mass, null_attention, Rdiv.
  rewrite (possum_scal_r i _ (fun k => exp (bilinear n M (x i) (x k)))), <- Rmult_plus_distr_r.
  apply Rinv_r, Rgt_not_eq, null_row_pos.
Qed.

(** The gate multiplies the weights of the row. *)
Definition gated_weights (n : nat) (g : token) (c : R) (M : matrix) : attention :=
  fun x i k => gate n g c (x i) * kernel_attention (softmax_kernel n M) x i k.

Lemma gated_head_weights n g c M v x i r :
  gated_head n g c M v x i r = head (gated_weights n g c M) v x i r.
Proof.
  unfold gated_head, gated_weights, head. rewrite <- possum_scal. apply possum_ext. intros. ring.
Qed.

Lemma gate_bounds n g c q : 0 < gate n g c q < 1.
Proof.
  split; [apply logistic_pos|]. unfold gate.
  pose proof (logistic_pos (- (sum n (fun r => q r * g r) + c))) as G. rewrite logistic_opp in G. lra.
Qed.

(** Two models with the same outputs have the same sup loss. *)
Lemma sup_loss_ext n L f g eta :
  (forall x i r, f x i r = g x i r) -> is_sup_loss n L f eta -> is_sup_loss n L g eta.
Proof.
  intros E [H1 H2]. split.
  - intros e (x & j & i & r & A & B & C & D & ->). apply H1. exists x, j, i, r.
    do 4 (split; [assumption|]). now rewrite E.
  - intros c Hc. apply H2. intros e (x & j & i & r & A & B & C & D & ->). apply Hc. exists x, j, i, r.
    do 4 (split; [assumption|]). now rewrite E.
Qed.

(** Rows that sum to 1 absorb the output bias in the values. *)
Lemma biased_head_absorbed n a V bv bo x i r :
  possum i (a x i) = 1 ->
  biased_head n a V bv bo x i r = head a (fun y r => linear_value n V y r + (bv r + bo r)) x i r.
Proof.
  intros Hs. unfold biased_head, head. transitivity (possum i (fun k => a x i k * (linear_value n V (x k) r + bv
      r)) + possum i (fun k => a x i k * bo r)).
  - rewrite (possum_scal_r i (bo r) (a x i)), Hs. ring.
  - rewrite <- possum_plus. apply possum_ext. intros. ring.
Qed.

(** *** Logits that know a trigger query and a key other than BOS *)

Lemma sum_unit n m (x : token) : (m < n)%nat -> sum n (fun r => x r * unit_vector m r) = x m.
Proof.
  intros Hm. rewrite (sum_single n _ m Hm).
  - unfold unit_vector. rewrite Nat.eqb_refl. ring.
  - intros k _ Hk. unfold unit_vector. apply Nat.eqb_neq in Hk. rewrite Hk. ring.
Qed.

Lemma sum_flags n (x : token) :
  (4 <= n)%nat -> sum n (fun r => x r * flags_vector n r) = bos_flag x + trigger_flag x + content_flag n x.
Proof.
  intros Hn. unfold flags_vector.
  rewrite (sum_ext n _ (fun r => (x r * unit_vector 0 r + x r * unit_vector 1 r) + x r * unit_vector (n - 1) r))
    by (intros; ring).
  rewrite !sum_plus, !sum_unit by lia. reflexivity.
Qed.

Lemma bilinear_outer n (al be q k : token) :
  bilinear n (fun r c => al r * be c) q k = sum n (fun r => q r * al r) * sum n (fun c => k c * be c).
Proof.
  unfold bilinear. rewrite <- sum_scal_r. apply sum_ext. intros r _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma aware_logit n u v q k :
  (4 <= n)%nat ->
  bilinear n (aware_matrix n u v) q k
  = v * ((bos_flag q + trigger_flag q + content_flag n q) * (bos_flag k + trigger_flag k + content_flag n k))
    + (u - v) * (trigger_flag q * (trigger_flag k + content_flag n k)).
Proof.
  intros Hn. rewrite <- (sum_flags n q Hn), <- (sum_flags n k Hn), <- bilinear_outer.
  replace (trigger_flag q * (trigger_flag k + content_flag n k))
    with (bilinear n (fun r c => unit_vector 1 r * (unit_vector 1 c + unit_vector (n - 1) c)) q k).
  - unfold bilinear. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros r _.
    rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros c _. unfold aware_matrix. ring.
  - rewrite (bilinear_outer n (unit_vector 1) (fun c => unit_vector 1 c + unit_vector (n - 1) c)).
    rewrite sum_unit by lia. unfold trigger_flag, content_flag. f_equal.
    rewrite (sum_ext n _ (fun c => k c * unit_vector 1 c + k c * unit_vector (n - 1) c)) by (intros; ring).
    rewrite sum_plus, !sum_unit by lia. reflexivity.
Qed.

Section Tokens.
  Context (n L j : nat) (x : sequence) (Hn : (4 <= n)%nat) (Hx : valid n L j x).

  (** On tokens of the task: the page's v + (u - v) t(q)(t(k) + c(k)). *)
  Lemma aware_logit_task u v i k :
    (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    bilinear n (aware_matrix n u v) (x i) (x k)
    = v + (u - v) * (trigger_flag (x i) * (trigger_flag (x k) + content_flag n (x k))).
  Proof using Hn Hx. intros. rewrite aware_logit, !(valid_flags_sum n L j x Hx Hn) by assumption. ring. Qed.

  Lemma aware_logit_key u v i k :
    (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= L)%nat ->
    bilinear n (aware_matrix n u v) (x i) (x k) = if (i =? j)%nat then u else v.
  Proof using Hn Hx.
    intros H1 H2 H3 H4. rewrite aware_logit_task by lia.
    pose proof (valid_flags_sum n L j x Hx Hn k ltac:(lia) H4) as F.
    assert (B : bos_flag (x k) = 0) by (apply (valid_bos_flag n L j x Hx); lia).
    replace (trigger_flag (x k) + content_flag n (x k)) with 1 by lra.
    unfold trigger_flag. rewrite (valid_trigger_flag n L j x Hx Hn) by lia.
    destruct (i =? j)%nat; ring.
  Qed.

  Lemma aware_logit_bos u v i :
    (1 <= i)%nat -> (i <= L)%nat -> bilinear n (aware_matrix n u v) (x i) (x 1%nat) = v.
  Proof using Hn Hx.
    intros H1 H2. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    rewrite aware_logit_task by lia. rewrite (first_is_bos _ _ _ _ Hx).
    unfold trigger_flag at 2. unfold content_flag. rewrite !bos_pos by lia. ring.
  Qed.
End Tokens.
(** *** Rows with one weight for all keys but BOS *)

Definition uniform_rows (n L : nat) (a : attention) (w : nat -> nat -> R) : Prop :=
  forall x j, valid n L j x -> forall i k, (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= i)%nat ->
  a x i k = w j i.

Definition row_error (w : nat -> nat -> R) (j i : nat) : R :=
  if (i =? j)%nat then Rabs (w j j * INR (j - 1) - 1) else Rabs (w j i) * INR (i - 1).

Lemma uniform_output n L a w x j i r :
  (4 <= n)%nat -> uniform_rows n L a w -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
  head a (linear_value n projector) x i r = w j i * sum (i - 1) (fun k => x (k + 2)%nat r).
Proof.
  intros Hn Hw Hx H1 H2 Hr. unfold head. rewrite possum_first by assumption.
  rewrite (first_is_bos _ _ _ _ Hx), linear_projector by assumption.
  replace (if (r =? 0)%nat then 0 else bos r) with 0.
  2:{ destruct (Nat.eqb_spec r 0); [reflexivity|]. now rewrite bos_pos by lia. }
  rewrite Rmult_0_r, Rplus_0_l, <- sum_scal. apply sum_ext. intros k Hk.
  rewrite (Hw x j Hx) by lia. rewrite linear_projector by assumption.
  destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity].
  rewrite (valid_bos_flag n L j x Hx) by lia. ring.
Qed.

(** The error of a row: w S off the trigger, (w (j-1) - 1) S/(j-1) at it, S a sum of i-1 tokens. *)
Lemma uniform_difference n L a w x j i r :
  (4 <= n)%nat -> uniform_rows n L a w -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
  let S := sum (i - 1) (fun k => x (k + 2)%nat r) in
  head a (linear_value n projector) x i r - target j x i r
  = if (i =? j)%nat then (w j j * INR (j - 1) - 1) * (S / INR (j - 1)) else w j i * S.
Proof.
  intros Hn Hw Hx H1 H2 Hr S. pose proof (trigger_from_3 _ _ _ _ Hx).
  rewrite (uniform_output n L a w x j i r) by assumption. fold S.
  destruct (Nat.eqb_spec i j) as [->|E].
  - rewrite (switch_target n) by assumption. fold S.
    assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia). field. lra.
  - rewrite target_off_trigger by assumption. ring.
Qed.

Theorem uniform_sup_loss_le n L a w eta :
  (4 <= n)%nat -> uniform_rows n L a w ->
  (forall j i, (3 <= j)%nat -> (j <= L)%nat -> (1 <= i)%nat -> (i <= L)%nat -> row_error w j i <= eta) ->
  sup_loss_le n L (head a (linear_value n projector)) eta.
Proof.
  intros Hn Hw Herr x j Hx i r H1 H2 Hr.
  pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as H4.
  rewrite (uniform_difference n L a w) by assumption.
  pose proof (valid_sum_abs_le n L j x Hx Hn i r H2 Hr) as HS.
  eapply Rle_trans; [|apply (Herr j i H3 H4 H1 H2)]. unfold row_error.
  destruct (Nat.eqb_spec i j) as [->|E].
  - assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs (w j j * INR (j - 1) - 1))) at 2.
    apply Rmult_le_compat_l; [apply Rabs_pos|].
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR (j - 1))) by (left; apply Rinv_0_lt_compat; lra).
    apply (Rmult_le_reg_r (INR (j - 1))); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|exact HS].
Qed.

(** Attained, with all noise equal to 1. *)
Theorem uniform_error n L a w j i :
  (4 <= n)%nat -> uniform_rows n L a w ->
  (3 <= j)%nat -> (j <= L)%nat -> (1 <= i)%nat -> (i <= L)%nat ->
  is_error n L (head a (linear_value n projector)) (row_error w j i).
Proof.
  intros Hn Hw H3 H4 H1 H2.
  set (x := constant_content n 1). set (t := constant_trigger n 1).
  assert (Hv : valid n L j (probe x t j)).
  { apply probe_valid; auto.
    - apply constant_content_is_content; [assumption|lra].
    - apply constant_trigger_is_trigger; [assumption|lra]. }
  exists (probe x t j), j, i, 2%nat. do 4 (split; [assumption || lia|]).
  rewrite (uniform_difference n L a w) by (assumption || lia).
  rewrite (sum_ext _ _ (fun _ => 1)).
  - rewrite sum_const, Rmult_1_r. unfold row_error. destruct (Nat.eqb_spec i j) as [->|E].
    + assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia). f_equal. field. lra.
    + rewrite Rabs_mult, (Rabs_pos_eq (INR (i - 1))) by apply pos_INR. reflexivity.
  - intros k Hk. unfold probe. destruct (Nat.eqb_spec (k + 2) 1); [lia|].
    destruct (k + 2 =? j)%nat; [apply constant_trigger_noise|apply constant_content_noise]; lia.
Qed.

(** The sup loss: a bound of the row errors that one row attains. *)
Theorem uniform_sup_loss n L a w eta j i :
  (4 <= n)%nat -> uniform_rows n L a w ->
  (forall j i, (3 <= j)%nat -> (j <= L)%nat -> (1 <= i)%nat -> (i <= L)%nat -> row_error w j i <= eta) ->
  (3 <= j)%nat -> (j <= L)%nat -> (1 <= i)%nat -> (i <= L)%nat -> row_error w j i = eta ->
  is_sup_loss n L (head a (linear_value n projector)) eta.
Proof.
  intros Hn Hw Herr H3 H4 H1 H2 E. apply sup_loss_of_max; [now apply (uniform_sup_loss_le n L a w)|].
  rewrite <- E. now apply uniform_error.
Qed.
