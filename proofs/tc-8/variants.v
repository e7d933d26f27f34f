(** * tc-8: which attention needs a sink, the map of variants

    docs/THEORY.md, tc-8.  One layer, one head, the task of section 0, every n >= 4.  E = e^b; P drops the BOS
    coordinate; s(.) is the logistic function; D_J = (J-3)/(2(J-1)).

    Necessary (part 3):
    - [kernel_needs_sink]: kernels K >= 0 normalised by positive row sums, ANY value map, L >= 4, eta < 1/12: BOS
      attention >= 1 - 3 eta before the trigger.  [softmax_needs_sink], [sigmoid_normalised_needs_sink],
      [elu1_normalised_needs_sink], [relu_normalised_needs_sink] (where its denominators are positive): with value
      bias and output bias.  [row_normalised_biased]: ANY row-stochastic weights, linear V, both biases, every row
      but the trigger's.  [normalised_not_vacuous]: the hypotheses hold at every loss level.
    - [positive_weights_never_exact]: weights a_ik > 0 of ANY kind (normalised or not, positions included) and any
      value map never have sup loss 0, L >= 3: where a sink is avoidable for positive weights, it is so in the
          limit.
    - [sub_stochastic_mass]: rows of sum at most 1, linear V, ||V BOS|| <= w: off the trigger the keys other than
        BOS
      get at most (eta+w)/(D_J - 2(eta+w)).  [null_slot_or_bos], [gate_or_bos]: what this says of a null slot, a
          gate.

    Avoidable (part 2).  Logits u on the pairs (trigger query, key other than BOS), v elsewhere, that is
    v + (u - v) t(q)(t(k) + c(k)); V = P:

    variant, row i >= 2      | logits u, v          | sup loss, exactly     | BOS attention at row i
    ReLU/(i-1), linear/(i-1) | 1, 0                 | 0                     | 0
    normalised ReLU, 0/0 = 0 | 1, 0                 | 0                     | 0
    sigmoid/(i-1)            | b, -b                | s(-b)                 | s(-b)/(i-1)
    (elu+1)/(i-1), b >= 0    | 0, -b                | e^-b                  | e^-b/(i-1)
    softmax with null slot   | b, -b (b >= 0)       | (L-1)/(E+L)  (L >= 4) | off the trigger 1/(E+i), null mass
        E/(E+i)
    gated softmax            | -b bos(k), gate      | 1 - 2 s(b)/(2+e^-b)   | 1/(1+E(i-1))
                             | s(b(2t(q)-1))        |                       |

    Theorems: [relu_exact], [linear_exact], [vanishing_relu_exact], [sigmoid_sup_loss], [elu1_sup_loss],
    [null_sup_loss], [gated_sup_loss], [.._bos_attention], [null_quiet_row], [null_trigger_row]; and
    [sigmoid_avoidable], [elu1_avoidable], [null_avoidable], [gated_avoidable]: for every delta > 0 some parameters
    have sup loss and BOS attention (rows i >= 2) at most delta.
    Corrections to the page: the null slot's closed form needs b >= 0 and L >= 4 (at L = 3 the last row is always
    the trigger's), elu + 1's needs b >= 0.

    Steps.  Part 2: every key but BOS gets one weight w(j,i), so the output is w (x_2 + .. + x_i): the error is
    |w| (i-1) off the trigger and |w (j-1) - 1| at it, both attained with all noise equal to 1
    ([uniform_sup_loss_le], [uniform_error]).  Part 3: tc-1's probe with m = 2; tc-3's two-by-two system
    (proofs/theory/row_normalised_core.v), once more for rows that need not sum to 1.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-8/variants.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family row_normalised_core.
Open Scope R_scope.

(** ** Part 1: the variants *)

(** The logistic function; elu(s) + 1 (elu(s) = e^s - 1 for s <= 0, s beyond). *)
Definition logistic (s : R) : R := / (1 + exp (- s)).
Definition elu1 (s : R) : R := if Rle_dec s 0 then exp s else s + 1.

(** "The causal rows divide by max(1, i-1)": phi of the logit, not normalised. *)
Definition unnormalised (phi : R -> R) (n : nat) (M : matrix) : attention :=
  fun x i k => phi (bilinear n M (x i) (x k)) / INR (Nat.max 1 (i - 1)).

Lemma unnormalised_relu n M : unnormalised (Rmax 0) n M = relu_attention n M.
Proof. reflexivity. Qed.

(** Softmax with a null slot of logit 0 and value 0: what the slot takes, the row loses. *)
Definition null_attention (n : nat) (M : matrix) : attention :=
  fun x i k => exp (bilinear n M (x i) (x k)) / (1 + possum i (fun l => exp (bilinear n M (x i) (x l)))).

Definition null_mass (n : nat) (M : matrix) (x : sequence) (i : nat) : R :=
  1 / (1 + possum i (fun l => exp (bilinear n M (x i) (x l)))).

Lemma null_mass_is_the_rest n M x i :
  null_mass n M x i + possum i (null_attention n M x i) = 1.
Proof.
  unfold null_mass, null_attention, Rdiv.
  rewrite (possum_scal_r i _ (fun k => exp (bilinear n M (x i) (x k)))), <- Rmult_plus_distr_r.
  apply Rinv_r.
  assert (0 <= possum i (fun l => exp (bilinear n M (x i) (x l)))).
  { apply possum_nonneg. intros. left. apply exp_pos. }
  lra.
Qed.

(** Gated softmax: the head's output times s(g.x_i).  The gate multiplies the weights of the row. *)
Definition gate (n : nat) (g q : token) : R := logistic (sum n (fun r => q r * g r)).

Definition gated_head (n : nat) (g : token) (M V : matrix) : model :=
  fun x i r => gate n g (x i) * head (kernel_attention (softmax_kernel n M)) (linear_value n V) x i r.

Definition gated_weights (n : nat) (g : token) (M : matrix) : attention :=
  fun x i k => gate n g (x i) * kernel_attention (softmax_kernel n M) x i k.

Lemma gated_head_weights n g M V x i r :
  gated_head n g M V x i r = head (gated_weights n g M) (linear_value n V) x i r.
Proof.
  unfold gated_head, gated_weights, head. rewrite <- possum_scal. apply possum_ext. intros. ring.
Qed.

(** ReLU attention divided by its row sum, rows of sum 0 giving 0. *)
Definition vanishing_relu (n : nat) (M : matrix) : attention :=
  fun x i k =>
    let S := possum i (fun l => Rmax 0 (bilinear n M (x i) (x l))) in
    if Req_EM_T S 0 then 0 else Rmax 0 (bilinear n M (x i) (x k)) / S.

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

(** ** Part 2: where the sink is avoidable

    *** Logits that know a trigger query and a key other than BOS *)

Definition unit_vector (m : nat) : token := fun r => if (r =? m)%nat then 1 else 0.
Definition flags_vector (n : nat) : token := fun r => unit_vector 0 r + unit_vector 1 r + unit_vector (n - 1) r.

(** W with q^T W k = v (sum of the flags of q)(sum of the flags of k) + (u - v) t(q) (t(k) + c(k)). *)
Definition aware_matrix (n : nat) (u v : R) : matrix :=
  fun r c => v * (flags_vector n r * flags_vector n c)
             + (u - v) * (unit_vector 1 r * (unit_vector 1 c + unit_vector (n - 1) c)).

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

  (** "The three flags of every token sum to 1." *)
  Lemma flags_sum_1 i :
    (1 <= i)%nat -> (i <= L)%nat -> bos_flag (x i) + trigger_flag (x i) + content_flag n (x i) = 1.
  Proof using Hn Hx.
    intros H1 H2. destruct (Nat.eq_dec i 1) as [->|E1].
    - rewrite (first_is_bos _ _ _ _ Hx). unfold bos_flag, trigger_flag, content_flag.
      rewrite bos_0, !bos_pos by lia. ring.
    - destruct (Nat.eq_dec i j) as [->|E].
      + destruct (trigger_at_j _ _ _ _ Hx). lra.
      + destruct (content_elsewhere _ _ _ _ Hx i); try lia. lra.
  Qed.

  (** On tokens of the task: the page's v + (u - v) t(q)(t(k) + c(k)). *)
  Lemma aware_logit_task u v i k :
    (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    bilinear n (aware_matrix n u v) (x i) (x k)
    = v + (u - v) * (trigger_flag (x i) * (trigger_flag (x k) + content_flag n (x k))).
  Proof using Hn Hx. intros. rewrite aware_logit, !flags_sum_1 by assumption. ring. Qed.

  Lemma aware_logit_key u v i k :
    (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= L)%nat ->
    bilinear n (aware_matrix n u v) (x i) (x k) = if (i =? j)%nat then u else v.
  Proof using Hn Hx.
    intros H1 H2 H3 H4. rewrite aware_logit_task by lia.
    pose proof (flags_sum_1 k ltac:(lia) H4) as F.
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

Theorem unnormalised_sup_loss phi n L u v :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (unnormalised phi n (aware_matrix n u v)) (linear_value n projector))
    (Rmax (Rabs (phi u - 1)) (Rabs (phi v))).
Proof.
  intros Hn HL. pose proof (unnormalised_uniform phi n L u v Hn) as Hw. apply sup_loss_of_max.
  - apply (uniform_sup_loss_le n L _ _ _ Hn Hw). intros j i H3 H4 H1 H2.
    rewrite unnormalised_error by assumption.
    destruct (i =? j)%nat; [apply Rmax_l|]. destruct (i =? 1)%nat; [|apply Rmax_r].
    eapply Rle_trans; [apply (Rabs_pos (phi v))|apply Rmax_r].
  - destruct (Rle_dec (Rabs (phi u - 1)) (Rabs (phi v))) as [C|C].
    + rewrite Rmax_right by assumption.
      pose proof (uniform_error n L _ _ 3 2 Hn Hw ltac:(lia) HL ltac:(lia) ltac:(lia)) as H.
      rewrite unnormalised_error in H by lia. exact H.
    + rewrite Rmax_left by lra.
      pose proof (uniform_error n L _ _ 3 3 Hn Hw ltac:(lia) HL ltac:(lia) HL) as H.
      rewrite unnormalised_error in H by lia. exact H.
Qed.

Theorem unnormalised_bos_attention phi n L u v x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (unnormalised phi n (aware_matrix n u v)) x i = phi v / INR (Nat.max 1 (i - 1)).
Proof.
  intros Hn Hx H1 H2. unfold bos_attention, unnormalised.
  now rewrite (aware_logit_bos n L j x) by assumption.
Qed.

Lemma sup_loss_bound n L out eta : is_sup_loss n L out eta -> sup_loss_le n L out eta.
Proof. intros [H _]. now apply sup_loss_le_iff. Qed.

(** What the map means by "avoidable": at every row i >= 2, for any delta > 0. *)
Definition avoidable_in_the_limit (n L : nat) (variant : attention -> model -> Prop) : Prop :=
  forall delta, 0 < delta -> exists a out, variant a out /\
    sup_loss_le n L out delta /\
    forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> Rabs (bos_attention a x i) <= delta.

(** *** ReLU and linear: exact *)

Theorem relu_exact n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (relu_attention n (aware_matrix n 1 0)) (linear_value n projector)) 0 /\
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (relu_attention n (aware_matrix n 1 0)) x i = 0.
Proof.
  intros Hn HL. rewrite <- unnormalised_relu. split.
  - pose proof (unnormalised_sup_loss (Rmax 0) n L 1 0 Hn HL) as H.
    rewrite (Rmax_right 0 1), (Rmax_left 0 0) in H by lra.
    unfold Rminus in H. rewrite Rplus_opp_r, Rabs_R0, Rmax_left in H by lra. exact H.
  - intros x j i Hx H1 H2. rewrite (unnormalised_bos_attention (Rmax 0) n L 1 0 x j) by assumption.
    rewrite Rmax_left by lra. unfold Rdiv. ring.
Qed.

Theorem linear_exact n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (unnormalised (fun s => s) n (aware_matrix n 1 0)) (linear_value n projector)) 0 /\
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (unnormalised (fun s => s) n (aware_matrix n 1 0)) x i = 0.
Proof.
  intros Hn HL. split.
  - pose proof (unnormalised_sup_loss (fun s => s) n L 1 0 Hn HL) as H. cbv beta in H.
    unfold Rminus in H. rewrite Rplus_opp_r, Rabs_R0, Rmax_left in H by lra. exact H.
  - intros x j i Hx H1 H2. rewrite (unnormalised_bos_attention (fun s => s) n L 1 0 x j) by assumption.
    unfold Rdiv. ring.
Qed.

(** *** Sigmoid: s(-b) *)

Theorem sigmoid_sup_loss n L b :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (unnormalised logistic n (aware_matrix n b (- b))) (linear_value n projector)) (logistic
      (- b)).
Proof.
  intros Hn HL. pose proof (unnormalised_sup_loss logistic n L b (- b) Hn HL) as H.
  replace (logistic b - 1) with (- logistic (- b)) in H by (rewrite logistic_opp; ring).
  rewrite Rabs_Ropp, Rmax_left, Rabs_pos_eq in H by (try lra; left; apply logistic_pos). exact H.
Qed.

Theorem sigmoid_bos_attention n L b x j i :
  (4 <= n)%nat -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
  bos_attention (unnormalised logistic n (aware_matrix n b (- b))) x i = logistic (- b) / INR (i - 1).
Proof.
  intros Hn Hx H1 H2. rewrite (unnormalised_bos_attention logistic n L b (- b) x j) by (assumption || lia).
  now replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia.
Qed.

(** *** elu + 1: e^-b *)

Theorem elu1_sup_loss n L b :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= b ->
  is_sup_loss n L (head (unnormalised elu1 n (aware_matrix n 0 (- b))) (linear_value n projector)) (exp (- b)).
Proof.
  intros Hn HL Hb. pose proof (unnormalised_sup_loss elu1 n L 0 (- b) Hn HL) as H.
  unfold elu1 in H at 2 3. destruct (Rle_dec 0 0); [|lra]. destruct (Rle_dec (- b) 0); [|lra].
  rewrite exp_0 in H. unfold Rminus in H. rewrite Rplus_opp_r, Rabs_R0 in H.
  rewrite Rmax_right, Rabs_pos_eq in H by (try apply Rabs_pos; left; apply exp_pos). exact H.
Qed.

Theorem elu1_bos_attention n L b x j i :
  (4 <= n)%nat -> 0 <= b -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
  bos_attention (unnormalised elu1 n (aware_matrix n 0 (- b))) x i = exp (- b) / INR (i - 1).
Proof.
  intros Hn Hb Hx H1 H2. rewrite (unnormalised_bos_attention elu1 n L 0 (- b) x j) by (assumption || lia).
  replace (Nat.max 1 (i - 1)) with (i - 1)%nat by lia. unfold elu1.
  destruct (Rle_dec (- b) 0); [reflexivity|lra].
Qed.

(** *** Softmax with a null slot *)

Section Null.
  Context (n L j : nat) (x : sequence) (Hn : (4 <= n)%nat) (Hx : valid n L j x) (b : R).

  Lemma null_row_sum i :
    (1 <= i)%nat -> (i <= L)%nat ->
    possum i (fun l => exp (bilinear n (aware_matrix n b (- b)) (x i) (x l)))
    = exp (- b) + INR (i - 1) * (if (i =? j)%nat then exp b else exp (- b)).
  Proof using Hn Hx.
    intros H1 H2. rewrite possum_first by assumption. rewrite (aware_logit_bos n L j x) by assumption. f_equal.
    rewrite (sum_ext _ _ (fun _ => if (i =? j)%nat then exp b else exp (- b))).
    - apply sum_const.
    - intros k Hk. rewrite (aware_logit_key n L j x) by (assumption || lia).
      now destruct (i =? j)%nat.
  Qed.

  (** Off the trigger: weight 1/(E+i) on every key, E/(E+i) on the slot. *)
  Theorem null_quiet_row i :
    (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    null_mass n (aware_matrix n b (- b)) x i = exp b / (exp b + INR i) /\
    forall k, (1 <= k)%nat -> (k <= i)%nat ->
      null_attention n (aware_matrix n b (- b)) x i k = 1 / (exp b + INR i).
  Proof using Hn Hx.
    intros H1 H2 E. pose proof (exp_pos b) as HE. pose proof (pos_INR (i - 1)) as Hi1.
    assert (Hi : INR (i - 1) = INR i - 1) by (rewrite minus_INR by assumption; reflexivity).
    unfold null_mass, null_attention. rewrite null_row_sum by assumption.
    apply Nat.eqb_neq in E. rewrite E, exp_Ropp, Hi. split.
    - field. repeat split; lra.
    - intros k K1 K2. destruct (Nat.eq_dec k 1) as [->|E1].
      + rewrite (aware_logit_bos n L j x), exp_Ropp by assumption. field. repeat split; lra.
      + rewrite (aware_logit_key n L j x) by (assumption || lia). rewrite E, exp_Ropp.
        field. repeat split; lra.
  Qed.

  Theorem null_trigger_row :
    null_mass n (aware_matrix n b (- b)) x j = exp b / (exp b + 1 + exp b * exp b * INR (j - 1)) /\
    bos_attention (null_attention n (aware_matrix n b (- b))) x j = 1 / (exp b + 1 + exp b * exp b * INR (j - 1)).
  Proof using Hn Hx.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    pose proof (exp_pos b) as HE. pose proof (pos_INR (j - 1)) as Hi1.
    assert (0 <= exp b * exp b * INR (j - 1)) by (apply Rmult_le_pos; [|assumption]; apply Rmult_le_pos; lra).
    unfold bos_attention, null_mass, null_attention. rewrite null_row_sum by lia.
    rewrite (aware_logit_bos n L j x), Nat.eqb_refl, exp_Ropp by (assumption || lia).
    split; field; repeat split; lra.
  Qed.
End Null.

Definition null_weight (b : R) (j i : nat) : R :=
  if (i =? j)%nat then exp b / (1 + (exp (- b) + INR (j - 1) * exp b)) else 1 / (exp b + INR i).

Lemma null_uniform n L b :
  (4 <= n)%nat -> uniform_rows n L (null_attention n (aware_matrix n b (- b))) (null_weight b).
Proof.
  intros Hn x j Hx i k H1 H2 H3 H4. unfold null_weight. destruct (Nat.eqb_spec i j) as [->|E].
  - unfold null_attention. rewrite (null_row_sum n L j x), (aware_logit_key n L j x) by (assumption || lia).
    now rewrite Nat.eqb_refl.
  - apply (null_quiet_row n L j x Hn Hx); lia.
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

Theorem null_sup_loss_le n L b :
  (4 <= n)%nat -> (4 <= L)%nat -> 0 <= b ->
  sup_loss_le n L (head (null_attention n (aware_matrix n b (- b))) (linear_value n projector))
    (INR (L - 1) / (exp b + INR L)).
Proof.
  intros Hn HL Hb. apply (uniform_sup_loss_le n L _ _ _ Hn (null_uniform n L b Hn)).
  intros j i H3 H4 H1 H2. unfold row_error. destruct (Nat.eqb_spec i j) as [->|E].
  - eapply Rle_trans; [now apply null_trigger_error|].
    assert (HE : 1 <= exp b) by (rewrite <- exp_0; destruct Hb as [Hb| <-]; [left; now apply exp_increasing|lra]).
    assert (HL4 : 4 <= INR L) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
    rewrite (minus_INR L 1) by lia. change (INR 1) with 1. set (E := exp b) in *. set (l := INR L) in *.
    assert (HEE : 0 < E * E) by (apply Rmult_lt_0_compat; lra).
    apply (Rmult_le_reg_r ((E + 1 + E * E * 2) * (E + l))); [apply Rmult_lt_0_compat; lra|].
    replace ((E + 1) / (E + 1 + E * E * 2) * ((E + 1 + E * E * 2) * (E + l))) with ((E + 1) * (E + l)) by (field;
        lra).
    replace ((l - 1) / (E + l) * ((E + 1 + E * E * 2) * (E + l))) with ((l - 1) * (E + 1 + E * E * 2)) by (field;
        lra).
    assert (0 <= (E - 1) * (E - 1)) by (apply Rle_0_sqr).
    assert (0 <= E * E * (l - 4)) by (apply Rmult_le_pos; lra).
    assert (0 <= E * (E - 1)) by (apply Rmult_le_pos; lra). lra.
  - unfold null_weight. apply Nat.eqb_neq in E. rewrite E. now apply null_quiet_error.
Qed.

Theorem null_sup_loss n L b :
  (4 <= n)%nat -> (4 <= L)%nat -> 0 <= b ->
  is_sup_loss n L (head (null_attention n (aware_matrix n b (- b))) (linear_value n projector))
    (INR (L - 1) / (exp b + INR L)).
Proof.
  intros Hn HL Hb. apply sup_loss_of_max; [now apply null_sup_loss_le|].
  pose proof (uniform_error n L _ _ 3 L Hn (null_uniform n L b Hn) ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia))
      as H.
  unfold row_error, null_weight in H. destruct (Nat.eqb_spec L 3); [lia|].
  pose proof (exp_pos b). pose proof (pos_INR L).
  rewrite Rabs_pos_eq in H by (left; apply Rdiv_lt_0_compat; lra).
  replace (INR (L - 1) / (exp b + INR L)) with (1 / (exp b + INR L) * INR (L - 1)) by (field; lra). exact H.
Qed.

(** *** Gated softmax *)

(** b (2 t(q) - 1) as a linear form: (-b, b, 0, .., 0, -b). *)
Definition gate_vector (n : nat) (b : R) : token := fun r => b * (2 * unit_vector 1 r - flags_vector n r).

Lemma gate_value n L j x b i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  gate n (gate_vector n b) (x i) = logistic (if (i =? j)%nat then b else - b).
Proof.
  intros Hn Hx H1 H2. unfold gate, gate_vector. f_equal.
  rewrite (sum_ext n _ (fun r => b * (2 * (x i r * unit_vector 1 r) - x i r * flags_vector n r))) by (intros; ring).
  rewrite sum_scal, sum_minus, sum_scal, sum_unit, sum_flags, (flags_sum_1 n L j x) by (assumption || lia).
  rewrite (valid_trigger_flag n L j x Hx Hn) by assumption. destruct (i =? j)%nat; ring.
Qed.

Definition gated_weight (b : R) (j i : nat) : R :=
  logistic (if (i =? j)%nat then b else - b) / (exp (- b) + INR (i - 1)).

Lemma gated_uniform n L b :
  (4 <= n)%nat ->
  uniform_rows n L (gated_weights n (gate_vector n b) (switch_matrix n (- b) (- b))) (gated_weight b).
Proof.
  intros Hn x j Hx i k H1 H2 H3 H4. unfold gated_weights, gated_weight, kernel_attention.
  rewrite (gate_value n L j x), (switch_row_sum n L j x Hx Hn), (switch_kernel_other n L j x Hx Hn) by
      (assumption || lia).
  unfold bos_factor. destruct (i =? j)%nat; unfold Rdiv; ring.
Qed.

Definition gated_loss (b : R) : R := 1 - 2 * logistic b / (2 + exp (- b)).

Lemma gated_loss_bounds b : logistic (- b) <= gated_loss b.
Proof.
  unfold gated_loss. rewrite logistic_opp. pose proof (logistic_pos b). pose proof (exp_pos (- b)).
  assert (logistic b * (2 / (2 + exp (- b))) <= logistic b * 1).
  { apply Rmult_le_compat_l; [lra|]. apply (Rmult_le_reg_r (2 + exp (- b))); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  replace (2 * logistic b / (2 + exp (- b))) with (logistic b * (2 / (2 + exp (- b)))) by (field; lra). lra.
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

Lemma sup_loss_ext n L f g eta :
  (forall x i r, f x i r = g x i r) -> is_sup_loss n L f eta -> is_sup_loss n L g eta.
Proof.
  intros E [H1 H2]. split.
  - intros e (x & j & i & r & A & B & C & D & ->). apply H1. exists x, j, i, r.
    do 4 (split; [assumption|]). now rewrite E.
  - intros c Hc. apply H2. intros e (x & j & i & r & A & B & C & D & ->). apply Hc. exists x, j, i, r.
    do 4 (split; [assumption|]). now rewrite E.
Qed.

Theorem gated_sup_loss n L b :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (gated_head n (gate_vector n b) (switch_matrix n (- b) (- b)) projector) (gated_loss b).
Proof.
  intros Hn HL. pose proof (gated_uniform n L b Hn) as Hw. pose proof (exp_pos (- b)) as HF.
  eapply sup_loss_ext.
  { intros x i r. symmetry. apply gated_head_weights. }
  apply sup_loss_of_max.
  - apply (uniform_sup_loss_le n L _ _ _ Hn Hw). intros j i H3 H4 H1 H2.
    unfold row_error. destruct (Nat.eqb_spec i j) as [->|E].
    + rewrite gated_trigger_error by assumption.
      assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      unfold gated_loss. pose proof (logistic_pos b).
      replace (2 * logistic b / (2 + exp (- b))) with (logistic b * (2 / (exp (- b) + 2))) by (field; lra).
      apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [lra|].
      apply fraction_le; lra.
    + eapply Rle_trans; [|apply gated_loss_bounds]. unfold gated_weight.
      apply Nat.eqb_neq in E. rewrite E. pose proof (pos_INR (i - 1)). pose proof (logistic_pos (- b)).
      rewrite Rabs_pos_eq by (left; apply Rdiv_lt_0_compat; lra).
      apply (Rmult_le_reg_r (exp (- b) + INR (i - 1))); [lra|].
      replace (logistic (- b) / (exp (- b) + INR (i - 1)) * INR (i - 1) * (exp (- b) + INR (i - 1)))
        with (logistic (- b) * INR (i - 1)) by (field; lra).
      apply Rmult_le_compat_l; lra.
  - pose proof (uniform_error n L _ _ 3 3 Hn Hw ltac:(lia) HL ltac:(lia) HL) as H.
    unfold row_error in H. rewrite Nat.eqb_refl, gated_trigger_error in H by lia.
    replace (INR (3 - 1)) with 2 in H by (simpl; ring). unfold gated_loss.
    replace (2 * logistic b / (2 + exp (- b))) with (logistic b * (2 / (exp (- b) + 2))) by (field; lra). exact H.
Qed.

(** The softmax's BOS attention, before the gate. *)
Theorem gated_bos_attention n L b x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (switch_attention n (- b) (- b)) x i = 1 / (1 + exp b * INR (i - 1)).
Proof.
  intros Hn Hx H1 H2. rewrite (switch_bos_attention n L j x Hx Hn) by assumption.
  pose proof (exp_pos b). pose proof (pos_INR (i - 1)).
  assert (0 <= exp b * INR (i - 1)) by (apply Rmult_le_pos; lra).
  unfold bos_factor. destruct (i =? j)%nat; rewrite exp_Ropp; field; lra.
Qed.

(** *** Normalised ReLU with rows that vanish *)

Theorem vanishing_relu_exact n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  is_sup_loss n L (head (vanishing_relu n (aware_matrix n 1 0)) (linear_value n projector)) 0 /\
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    bos_attention (vanishing_relu n (aware_matrix n 1 0)) x i = 0.
Proof.
  intros Hn HL.
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
  - apply sup_loss_of_max.
    + apply (uniform_sup_loss_le n L _ _ _ Hn Hw). intros j i H3 H4 H1 H2. rewrite Herr by assumption. lra.
    + pose proof (uniform_error n L _ _ 3 3 Hn Hw ltac:(lia) HL ltac:(lia) HL) as H.
      rewrite Herr in H by lia. exact H.
  - intros x j i Hx H1 H2. unfold bos_attention, vanishing_relu. rewrite (Hsum x j Hx i H1 H2).
    rewrite (aware_logit_bos n L j x), (Rmax_left 0 0) by (assumption || lra).
    destruct (Req_EM_T _ 0); [reflexivity|]. unfold Rdiv. ring.
Qed.

(** *** Avoidable in the limit *)

Lemma inverse_small delta E : 0 < delta -> 1 / delta <= E -> 0 < E /\ / E <= delta.
Proof.
  intros Hd HE. assert (0 < / delta) by now apply Rinv_0_lt_compat.
  unfold Rdiv in HE. rewrite Rmult_1_l in HE. assert (0 < E) by lra. split; [assumption|].
  rewrite <- (Rinv_inv delta). apply Rinv_le_contravar; lra.
Qed.

Lemma quotient_small s delta m : 0 <= s <= delta -> (1 <= m)%nat -> Rabs (s / INR m) <= delta.
Proof.
  intros [H0 Hs] Hm. assert (1 <= INR m) by (now apply (le_INR 1)).
  rewrite Rabs_pos_eq; [|apply Rmult_le_pos; [assumption|left; apply Rinv_0_lt_compat; lra]].
  apply (Rmult_le_reg_r (INR m)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  assert (0 <= delta * (INR m - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem sigmoid_avoidable n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  avoidable_in_the_limit n L (fun a out => exists M, a = unnormalised logistic n M /\ out = head a (linear_value
      n projector)).
Proof.
  intros Hn HL delta Hd. assert (H1d : 0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  destruct (inverse_small delta (1 / delta) Hd (Rle_refl _)) as [_ HE].
  set (b := ln (1 / delta)).
  assert (Hs : logistic (- b) <= delta).
  { rewrite logistic_exp. unfold b. rewrite exp_ln by assumption.
    eapply Rle_trans; [|exact HE]. apply Rinv_le_contravar; lra. }
  exists (unnormalised logistic n (aware_matrix n b (- b))), (head (unnormalised logistic n (aware_matrix n b (-
      b))) (linear_value n projector)).
  split; [now exists (aware_matrix n b (- b))|]. split.
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (sup_loss_bound _ _ _ _ (sigmoid_sup_loss n L b Hn HL) x j Hx i r); assumption|exact
        Hs].
  - intros x j i Hx H1 H2. rewrite (sigmoid_bos_attention n L b x j i) by assumption.
    apply quotient_small; [|lia]. pose proof (logistic_pos (- b)). lra.
Qed.

Theorem elu1_avoidable n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  avoidable_in_the_limit n L (fun a out => exists M, a = unnormalised elu1 n M /\ out = head a (linear_value n
      projector)).
Proof.
  intros Hn HL delta Hd. assert (H1d : 0 < 1 / delta) by (apply Rdiv_lt_0_compat; lra).
  set (b := ln (1 / delta + 1)).
  assert (Hb : 0 <= b) by (unfold b; rewrite <- ln_1; left; apply ln_increasing; lra).
  destruct (inverse_small delta (1 / delta + 1) Hd ltac:(lra)) as [_ HE].
  assert (Hs : exp (- b) <= delta) by (rewrite exp_Ropp; unfold b; rewrite exp_ln by lra; exact HE).
  exists (unnormalised elu1 n (aware_matrix n 0 (- b))), (head (unnormalised elu1 n (aware_matrix n 0 (- b)))
      (linear_value n projector)).
  split; [now exists (aware_matrix n 0 (- b))|]. split.
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (sup_loss_bound _ _ _ _ (elu1_sup_loss n L b Hn HL Hb) x j Hx i r); assumption|exact
        Hs].
  - intros x j i Hx H1 H2. rewrite (elu1_bos_attention n L b x j i) by assumption.
    apply quotient_small; [|lia]. pose proof (exp_pos (- b)). lra.
Qed.

Theorem null_avoidable n L :
  (4 <= n)%nat -> (4 <= L)%nat ->
  avoidable_in_the_limit n L (fun a out => exists M, a = null_attention n M /\ out = head a (linear_value n
      projector)).
Proof.
  intros Hn HL delta Hd.
  assert (HL4 : 4 <= INR L) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  assert (H1d : 0 < INR L / delta) by (apply Rdiv_lt_0_compat; lra).
  set (E := INR L / delta + 1). set (b := ln E).
  assert (HE : exp b = E) by (apply exp_ln; unfold E; lra).
  assert (Hb : 0 <= b) by (unfold b; rewrite <- ln_1; left; apply ln_increasing; unfold E; lra).
  assert (HEd : INR L <= delta * E).
  { unfold E. rewrite Rmult_plus_distr_l. replace (delta * (INR L / delta)) with (INR L) by (field; lra). lra. }
  assert (HE1 : 1 < E) by (unfold E; lra).
  assert (Hq : forall p q, 0 <= p -> p <= INR L -> E <= q -> Rabs (p / q) <= delta).
  { intros p q Hp Hpl Hq. rewrite Rabs_pos_eq by (apply Rmult_le_pos; [assumption|left; apply Rinv_0_lt_compat;
      lra]).
    apply (Rmult_le_reg_r q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (delta * E <= delta * q) by (apply Rmult_le_compat_l; lra). lra. }
  exists (null_attention n (aware_matrix n b (- b))), (head (null_attention n (aware_matrix n b (- b)))
      (linear_value n projector)).
  split; [now exists (aware_matrix n b (- b))|]. split.
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (null_sup_loss_le n L b Hn HL Hb x j Hx i r); assumption|].
    rewrite HE. assert (HL1 : INR (L - 1) <= INR L) by (apply le_INR; lia). pose proof (pos_INR (L - 1)).
    eapply Rle_trans; [apply Rle_abs|]. apply Hq; lra.
  - intros x j i Hx H1 H2. pose proof (pos_INR i) as Hi. destruct (Nat.eq_dec i j) as [->|Ej].
    + destruct (null_trigger_row n L j x Hn Hx b) as [_ ->]. rewrite HE. apply Hq; [lra|lra|].
      pose proof (pos_INR (j - 1)).
      assert (0 <= E * E * INR (j - 1)) by (apply Rmult_le_pos; [|assumption]; apply Rmult_le_pos; lra). lra.
    + unfold bos_attention. destruct (null_quiet_row n L j x Hn Hx b i ltac:(lia) H2 Ej) as [_ H].
      rewrite H, HE by lia. apply Hq; lra.
Qed.

Theorem gated_avoidable n L :
  (4 <= n)%nat -> (3 <= L)%nat ->
  avoidable_in_the_limit n L (fun a out => exists g M, a = kernel_attention (softmax_kernel n M) /\ out =
      gated_head n g M projector).
Proof.
  intros Hn HL delta Hd. assert (H1d : 0 < 2 / delta) by (apply Rdiv_lt_0_compat; lra).
  set (E := 2 / delta). set (b := ln E). assert (HE : exp b = E) by (apply exp_ln; assumption).
  assert (HEd : / E = delta / 2) by (unfold E; field; lra).
  assert (HE0 : 0 < E) by assumption.
  assert (Hloss : gated_loss b <= delta).
  { (* 1 - 2E^2/((E+1)(2E+1)) = (3E+1)/((E+1)(2E+1)) <= 2/E *)
    unfold gated_loss. replace (logistic b) with (E / (E + 1)).
    2:{ unfold logistic. rewrite exp_Ropp, HE. field. lra. }
    rewrite exp_Ropp, HE.
    replace (1 - 2 * (E / (E + 1)) / (2 + / E)) with ((3 * E + 1) * / ((E + 1) * (2 * E + 1))).
    2:{ field. repeat split; lra. }
    replace delta with (2 * / E) by lra.
    apply (Rmult_le_reg_r (E * ((E + 1) * (2 * E + 1)))).
    - apply Rmult_lt_0_compat; [assumption|]. apply Rmult_lt_0_compat; lra.
    - replace ((3 * E + 1) * / ((E + 1) * (2 * E + 1)) * (E * ((E + 1) * (2 * E + 1)))) with ((3 * E + 1) * E) by
        (field; lra).
      replace (2 * / E * (E * ((E + 1) * (2 * E + 1)))) with (2 * ((E + 1) * (2 * E + 1))) by (field; lra).
      assert (0 <= E * E) by (apply Rmult_le_pos; lra). lra. }
  exists (switch_attention n (- b) (- b)), (gated_head n (gate_vector n b) (switch_matrix n (- b) (- b)) projector).
  split; [now exists (gate_vector n b), (switch_matrix n (- b) (- b))|]. split.
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (sup_loss_bound _ _ _ _ (gated_sup_loss n L b Hn HL) x j Hx i r); assumption|exact
        Hloss].
  - intros x j i Hx H1 H2. rewrite (gated_bos_attention n L b x j i) by (assumption || lia). rewrite HE.
    assert (Hi : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
    assert (HEi : E * 1 <= E * INR (i - 1)) by (apply Rmult_le_compat_l; lra).
    rewrite Rabs_pos_eq by (left; apply Rdiv_lt_0_compat; lra).
    unfold Rdiv. rewrite Rmult_1_l. apply Rle_trans with (/ E); [apply Rinv_le_contravar; lra|lra].
Qed.

(** ** Part 3: where the sink is necessary *)

(** Attention normalised by its own row sum: phi of the logit over the sum of the row. *)
Definition normalised (phi : R -> R) (n : nat) (M : matrix) : attention :=
  kernel_attention (fun q k => phi (bilinear n M q k)).

Lemma normalised_softmax n M : normalised exp n M = kernel_attention (softmax_kernel n M).
Proof. reflexivity. Qed.

(** K >= 0 and every attention row has a positive denominator. *)
Definition nonnegative_kernel (n L : nat) (K : kernel) : Prop :=
  (forall q k, 0 <= K q k) /\
  (forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => K (x i) (x l))).

Lemma positive_is_nonnegative n L K : positive_kernel K -> nonnegative_kernel n L K.
Proof.
  intros HK. split.
  - intros. apply Rlt_le, HK.
  - intros x j _ i Hi _. now apply kernel_row_sum_pos.
Qed.

(** *** Kernels and any value map: tc-1's argument with m = 2 *)

Section Kernels.
  Context (n L : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (HK : nonnegative_kernel n L K) (Heta : eta < 1 / 12)
          (Hloss : sup_loss_le n L (head (kernel_attention K) v) eta).

  Lemma bos_value_small : Rabs (v bos (n - 1)%nat) <= eta.
  Proof using Hn HL HK Hloss.
    destruct (valid_exists n L 3) as [x Hx]; try lia.
    pose proof (Hloss x 3%nat Hx 1%nat (n - 1)%nat) as H.
    rewrite kernel_head_quotient, target_off_trigger, Rminus_0_r in H by lia.
    unfold possum in H. cbn [sum] in H. rewrite (first_is_bos _ _ _ _ Hx) in H.
    pose proof (proj2 HK x 3%nat Hx 1%nat) as Hp. unfold possum in Hp. cbn [sum] in Hp.
    rewrite (first_is_bos _ _ _ _ Hx) in Hp.
    replace ((0 + K bos bos * v bos (n - 1)%nat) / (0 + K bos bos)) with (v bos (n - 1)%nat) in H.
    - apply H; lia.
    - field. assert (0 < 0 + K bos bos) by (apply Hp; lia). lra.
  Qed.

  (** The trigger row of (BOS, x^m, t, x, ..) in the content flag. *)
  Lemma kernel_probe_row x t m :
    is_content n x -> is_trigger n t -> (1 <= m)%nat -> (m + 2 <= L)%nat ->
    let S := K t bos + INR m * K t x + K t t in
    0 < S /\
    Rabs ((K t bos * v bos (n - 1)%nat + INR m * (K t x * v x (n - 1)%nat) + K t t * v t (n - 1)%nat) / S
          - INR m / (INR m + 1)) <= eta.
  Proof using Hn HL HK Hloss.
    intros Hx Ht Hm HmL S.
    assert (Hv : valid n L (m + 2) (probe x t (m + 2))) by (apply probe_valid; auto; lia).
    pose proof (Hloss _ _ Hv (m + 2)%nat (n - 1)%nat) as H.
    pose proof (proj2 HK _ _ Hv (m + 2)%nat) as HS.
    rewrite kernel_head_quotient, (target_content_flag n L) in H by assumption.
    rewrite probe_trigger in H, HS by lia.
    rewrite (probe_sum x t (m + 2) (fun y => K t y)) in H, HS by lia.
    rewrite (probe_sum x t (m + 2) (fun y => K t y * v y (n - 1)%nat)) in H by lia.
    replace (m + 2 - 2)%nat with m in H, HS by lia.
    replace (INR (m + 2 - 1)) with (INR m + 1) in H.
    2:{ replace (m + 2 - 1)%nat with (m + 1)%nat by lia. now rewrite plus_INR. }
    split; [apply HS; lia|]. apply H; lia.
  Qed.

  (** Every content token's value has content flag at least 2/3 - eta. *)
  Lemma content_value_floor x : is_content n x -> 2 / 3 - eta <= v x (n - 1)%nat.
  Proof using Hn HL HK Heta Hloss.
    intros Hx. set (t := constant_trigger n 0).
    assert (Ht : is_trigger n t) by (apply constant_trigger_is_trigger; [assumption|lra]).
    destruct (kernel_probe_row x t 2 Hx Ht) as [HS1 H1]; [lia|lia|].
    destruct (kernel_probe_row x t 1 Hx Ht) as [HS0 H0]; [lia|lia|].
    replace (INR 2) with 2 in H1, HS1 by (simpl; ring). change (INR 1) with 1 in H0, HS0.
    pose proof (proj1 HK t x) as Hk. pose proof (proj1 HK t bos) as Hkb. pose proof (proj1 HK t t) as Hkt.
    set (k := K t x) in *. set (u := v x (n - 1)%nat) in *.
    set (S := K t bos + 1 * k + K t t) in *.
    set (N := K t bos * v bos (n - 1)%nat + 1 * (k * u) + K t t * v t (n - 1)%nat) in *.
    replace (K t bos + 2 * k + K t t) with (S + k) in H1, HS1 by (unfold S; ring).
    replace (K t bos * v bos (n - 1)%nat + 2 * (k * u) + K t t * v t (n - 1)%nat) with (N + k * u) in H1
      by (unfold N; ring).
    set (r1 := (N + k * u) / (S + k) - 2 / (2 + 1)) in *. set (r0 := N / S - 1 / (1 + 1)) in *.
    assert (E : k * u = k * (2 / 3 + r1) + S * (/ 6 + r1 - r0)) by (unfold r1, r0; field; lra).
    apply abs_bounds in H1. apply abs_bounds in H0.
    assert (Hgap : 0 < S * (/ 6 - 2 * eta)) by (apply Rmult_lt_0_compat; lra).
    assert (HSr : 0 <= S * (2 * eta + r1 - r0)) by (apply Rmult_le_pos; lra).
    assert (Hkr : 0 <= k * (eta + r1)) by (apply Rmult_le_pos; lra).
    destruct Hk as [Hk|Hk].
    - apply (Rmult_le_reg_l k); [assumption|]. lra.
    - exfalso. rewrite <- Hk in *. lra.
  Qed.

  Theorem kernel_needs_sink x j i :
    valid n L j x -> (1 <= i)%nat -> (i < j)%nat -> bos_attention (kernel_attention K) x i >= 1 - 3 * eta.
  Proof using Hn HL HK Heta Hloss.
    intros Hx Hi Hij. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    pose proof (Hloss x j Hx i (n - 1)%nat) as H.
    rewrite target_off_trigger, Rminus_0_r in H by lia.
    assert (Hden : 0 < possum i (fun l => K (x i) (x l))) by (apply (proj2 HK x j Hx); lia).
    assert (Hsum : possum i (kernel_attention K x i) = 1) by (apply kernel_attention_sum; lra).
    assert (Hpos : forall k, 0 <= kernel_attention K x i k).
    { intros k. unfold kernel_attention. apply Rmult_le_pos; [apply (proj1 HK)|].
      left. now apply Rinv_0_lt_compat. }
    unfold head in H. rewrite possum_first in H, Hsum by assumption.
    rewrite (first_is_bos _ _ _ _ Hx) in H. unfold bos_attention.
    set (p := kernel_attention K x i 1%nat) in *.
    set (rest := sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat)) in *.
    assert (Hc : (2 / 3 - eta) * rest <= sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat
                                                  * v (x (k + 2)%nat) (n - 1)%nat)).
    { unfold rest. rewrite <- sum_scal. apply sum_le. intros k Hk. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [apply Hpos|]. apply content_value_floor.
      apply (content_elsewhere _ _ _ _ Hx); lia. }
    pose proof bos_value_small as Hb. apply abs_bounds in Hb.
    assert (Hr := H ltac:(lia) ltac:(lia) ltac:(lia)). apply abs_bounds in Hr.
    assert (Hp : 0 <= p) by apply Hpos.
    assert (Hpe : 0 <= p * (v bos (n - 1)%nat + eta)) by (apply Rmult_le_pos; lra).
    replace rest with (1 - p) in Hc by lra. lra.
  Qed.
End Kernels.

(** Value and output biases: out = sum a (V x + b_v) + b_o. *)
Definition biased_head (n : nat) (a : attention) (V : matrix) (value_bias output_bias : token) : model :=
  fun x i r => head a (fun y r => linear_value n V y r + value_bias r) x i r + output_bias r.

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

(** Softmax, normalised sigmoid, normalised elu + 1: phi > 0, with both biases. *)
Theorem positive_normalised_needs_sink phi n L M V bv bo eta :
  (4 <= n)%nat -> (4 <= L)%nat -> (forall s, 0 < phi s) -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised phi n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised phi n M) x i >= 1 - 3 * eta.
Proof.
  intros Hn HL Hphi Heta Hloss.
  assert (HK : positive_kernel (fun q k => phi (bilinear n M q k))) by (intros q k; apply Hphi).
  apply (kernel_needs_sink n L _ (fun y r => linear_value n V y r + (bv r + bo r)) eta Hn HL); [|assumption|].
  - now apply positive_is_nonnegative.
  - intros x j Hx i r H1 H2 Hr. rewrite <- biased_head_absorbed; [now apply (Hloss x j Hx)|].
    apply kernel_attention_sum. apply Rgt_not_eq. exact (kernel_row_sum_pos _ x i HK H1).
Qed.

Corollary softmax_needs_sink n L M V bv bo eta :
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised exp n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat -> bos_attention (normalised exp n M) x i >= 1 - 3 *
      eta.
Proof. intros Hn HL. apply positive_normalised_needs_sink; auto. apply exp_pos. Qed.

Corollary sigmoid_normalised_needs_sink n L M V bv bo eta :
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised logistic n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat -> bos_attention (normalised logistic n M) x i >= 1
      - 3 * eta.
Proof. intros Hn HL. apply positive_normalised_needs_sink; auto. apply logistic_pos. Qed.

Corollary elu1_normalised_needs_sink n L M V bv bo eta :
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  sup_loss_le n L (biased_head n (normalised elu1 n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat -> bos_attention (normalised elu1 n M) x i >= 1 - 3
      * eta.
Proof. intros Hn HL. apply positive_normalised_needs_sink; auto. apply elu1_pos. Qed.

(** Normalised ReLU where every denominator is positive. *)
Theorem relu_normalised_needs_sink n L M V bv bo eta :
  (4 <= n)%nat -> (4 <= L)%nat -> eta < 1 / 12 ->
  (forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
     0 < possum i (fun l => Rmax 0 (bilinear n M (x i) (x l)))) ->
  sup_loss_le n L (biased_head n (normalised (Rmax 0) n M) V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (normalised (Rmax 0) n M) x i >= 1 - 3 * eta.
Proof.
  intros Hn HL Heta Hden Hloss.
  apply (kernel_needs_sink n L _ (fun y r => linear_value n V y r + (bv r + bo r)) eta Hn HL); [|assumption|].
  - split; [intros; apply Rmax_l|exact Hden].
  - intros x j Hx i r H1 H2 Hr. rewrite <- biased_head_absorbed; [now apply (Hloss x j Hx)|].
    apply kernel_attention_sum. apply Rgt_not_eq. exact (Hden x j Hx i H1 H2).
Qed.

(** *** Any row-normalised weights, linear values, both biases: an instance of the theorem behind tc-3 *)

(** The flags sum to 1, so a bias is linear in tokens. *)
Definition absorb_bias (n : nat) (V : matrix) (c : token) : matrix := fun r k => V r k + c r * flags_vector n k.

Lemma absorb_bias_value n L j x V c i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  linear_value n (absorb_bias n V c) (x i) r = linear_value n V (x i) r + c r.
Proof.
  intros Hn Hx H1 H2. unfold linear_value, absorb_bias.
  rewrite (sum_ext n _ (fun k => V r k * x i k + c r * (x i k * flags_vector n k))) by (intros; ring).
  rewrite sum_plus, sum_scal, sum_flags, (flags_sum_1 n L j x) by assumption. ring.
Qed.

Theorem row_normalised_biased n L J a V bv bo eta :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  eta < D / 4 ->
  sup_loss_le n L (biased_head n a V bv bo) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (D - 2 * eta).
Proof.
  intros Hn HJ HJL Ha D Heta Hloss.
  apply (row_normalised_sink n L J a (absorb_bias n V (fun r => bv r + bo r)) eta Hn HJ HJL Ha); [|exact Heta].
  intros x j Hx i r H1 H2 Hr.
  replace (head a (linear_value n (absorb_bias n V (fun r => bv r + bo r))) x i r)
    with (biased_head n a V bv bo x i r); [now apply (Hloss x j Hx)|].
  rewrite biased_head_absorbed by apply (Ha x j Hx i H1 H2). unfold head. apply possum_ext. intros k K1 K2.
  now rewrite (absorb_bias_value n L j x) by (assumption || lia).
Qed.

(** *** The hypotheses can be met *)

(** Logits p on every key but BOS; on BOS t for a trigger query and s for the others. *)
Definition bos_logit_matrix (n : nat) (p s t : R) : matrix :=
  fun r c => p * (flags_vector n r * (unit_vector 1 c + unit_vector (n - 1) c))
             + (s * ((unit_vector 0 r + unit_vector (n - 1) r) * unit_vector 0 c)
                + t * (unit_vector 1 r * unit_vector 0 c)).

Lemma bos_logit n p s t q k :
  (4 <= n)%nat ->
  bilinear n (bos_logit_matrix n p s t) q k
  = p * ((bos_flag q + trigger_flag q + content_flag n q) * (trigger_flag k + content_flag n k))
    + (s * ((bos_flag q + content_flag n q) * bos_flag k) + t * (trigger_flag q * bos_flag k)).
Proof.
  intros Hn.
  assert (Htwo : forall (y : token) a b, (a < n)%nat -> (b < n)%nat ->
            sum n (fun r => y r * (unit_vector a r + unit_vector b r)) = y a + y b).
  { intros y a b Ha Hb. rewrite (sum_ext n _ (fun r => y r * unit_vector a r + y r * unit_vector b r)) by
      (intros; ring).
    now rewrite sum_plus, !sum_unit by assumption. }
  transitivity (p * bilinear n (fun r c => flags_vector n r * (unit_vector 1 c + unit_vector (n - 1) c)) q k
    + (s * bilinear n (fun r c => (unit_vector 0 r + unit_vector (n - 1) r) * unit_vector 0 c) q k
       + t * bilinear n (fun r c => unit_vector 1 r * unit_vector 0 c) q k)).
  - unfold bilinear. rewrite <- !sum_scal, <- !sum_plus. apply sum_ext. intros r _.
    rewrite <- !sum_scal, <- !sum_plus. apply sum_ext. intros c _. unfold bos_logit_matrix. ring.
  - rewrite (bilinear_outer n (flags_vector n) (fun c => unit_vector 1 c + unit_vector (n - 1) c)).
    rewrite (bilinear_outer n (fun r => unit_vector 0 r + unit_vector (n - 1) r) (unit_vector 0)).
    rewrite (bilinear_outer n (unit_vector 1) (unit_vector 0)).
    rewrite sum_flags, !Htwo, !sum_unit by lia. reflexivity.
Qed.

Lemma bos_logit_key n L j x p s t i k :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= L)%nat ->
  bilinear n (bos_logit_matrix n p s t) (x i) (x k) = p.
Proof.
  intros Hn Hx H1 H2 H3 H4. rewrite bos_logit, (flags_sum_1 n L j x) by assumption.
  pose proof (flags_sum_1 n L j x Hn Hx k ltac:(lia) H4) as F.
  assert (B : bos_flag (x k) = 0) by (apply (valid_bos_flag n L j x Hx); lia).
  replace (trigger_flag (x k) + content_flag n (x k)) with 1 by lra. rewrite B. ring.
Qed.

Lemma bos_logit_bos n L j x p s t i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bilinear n (bos_logit_matrix n p s t) (x i) (x 1%nat) = if (i =? j)%nat then t else s.
Proof.
  intros Hn Hx H1 H2. rewrite bos_logit, (flags_sum_1 n L j x) by assumption.
  pose proof (flags_sum_1 n L j x Hn Hx i H1 H2) as F. rewrite (first_is_bos _ _ _ _ Hx).
  unfold bos_flag at 2 3. unfold trigger_flag at 1. unfold content_flag at 1.
  rewrite bos_0, !bos_pos by lia.
  assert (T : trigger_flag (x i) = if (i =? j)%nat then 1 else 0) by (apply (valid_trigger_flag n L j x Hx Hn);
      assumption).
  replace (bos_flag (x i) + content_flag n (x i)) with (1 - trigger_flag (x i)) by lra.
  rewrite T. destruct (i =? j)%nat; ring.
Qed.

(** phi(s) large and phi(t) small against phi(p): the loss is small, and no denominator vanishes. *)
Theorem normalised_family phi n L p s t delta :
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

(** For each normalised variant the hypotheses of its theorem hold at every loss level. *)
Definition reaches (phi : R -> R) (n L : nat) : Prop :=
  forall delta, 0 < delta -> exists M V,
    sup_loss_le n L (head (normalised phi n M) (linear_value n V)) delta /\
    forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
      0 < possum i (fun l => phi (bilinear n M (x i) (x l))).

Theorem normalised_not_vacuous n L :
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

(** *** Positive weights never reach 0, whatever the normalisation *)

(** One head, weights a_ik > 0 that may depend on everything, ANY value map, L >= 3.  Rows 1 and 2 force v(BOS) = 0
    and v(x) = 0, so the trigger row (trigger at 3) is a positive multiple of v(t), while its target turns with
    the noise of x_2. *)
Theorem positive_weights_never_exact n L a v :
  (4 <= n)%nat -> (3 <= L)%nat ->
  (forall x j, valid n L j x -> forall i k, (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat -> 0 < a x i k) ->
  ~ sup_loss_le n L (head a v) 0.
Proof.
  intros Hn HL Ha Hloss. set (t := constant_trigger n 0).
  assert (Ht : is_trigger n t) by (apply constant_trigger_is_trigger; [assumption|lra]).
  assert (Hrow : forall u, -1 <= u <= 1 ->
            exists w, 0 < w /\ w * v t (n - 1)%nat = 1 / 2 /\ w * v t 2%nat = u / 2).
  { intros u Hu. set (x := constant_content n u).
    assert (Hx : is_content n x) by (now apply constant_content_is_content).
    assert (Hv : valid n L 3 (probe x t 3)) by (apply probe_valid; auto; lia).
    pose proof (Ha _ _ Hv) as Hpos.
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

Corollary unnormalised_never_exact phi n L M v :
  (4 <= n)%nat -> (3 <= L)%nat -> (forall s, 0 < phi s) -> ~ sup_loss_le n L (head (unnormalised phi n M) v) 0.
Proof.
  intros Hn HL Hphi. apply positive_weights_never_exact; auto. intros x j _ i k _ _ _.
  apply Rdiv_lt_0_compat; [apply Hphi|]. apply lt_0_INR. lia.
Qed.

Corollary kernel_never_exact n L K v :
  (4 <= n)%nat -> (3 <= L)%nat -> positive_kernel K -> ~ sup_loss_le n L (head (kernel_attention K) v) 0.
Proof.
  intros Hn HL HK. apply positive_weights_never_exact; auto. intros x j _ i k K1 K2 _.
  apply Rdiv_lt_0_compat; [apply HK|]. apply kernel_row_sum_pos; [assumption|lia].
Qed.

Lemma null_row_pos n M (x : sequence) i : 0 < 1 + possum i (fun l => exp (bilinear n M (x i) (x l))).
Proof.
  assert (0 <= possum i (fun l => exp (bilinear n M (x i) (x l)))).
  { apply possum_nonneg. intros. left. apply exp_pos. }
  lra.
Qed.

Corollary null_never_exact n L M v :
  (4 <= n)%nat -> (3 <= L)%nat -> ~ sup_loss_le n L (head (null_attention n M) v) 0.
Proof.
  intros Hn HL. apply positive_weights_never_exact; auto. intros x j _ i k _ _ _.
  apply Rdiv_lt_0_compat; [apply exp_pos|apply null_row_pos].
Qed.

Corollary gated_never_exact n L g M V :
  (4 <= n)%nat -> (3 <= L)%nat -> ~ sup_loss_le n L (gated_head n g M V) 0.
Proof.
  intros Hn HL H. apply (positive_weights_never_exact n L (gated_weights n g M) (linear_value n V) Hn HL).
  - intros x j _ i k K1 K2 _. apply Rmult_lt_0_compat; [apply logistic_pos|].
    apply Rdiv_lt_0_compat; [apply exp_pos|]. apply kernel_row_sum_pos; [apply softmax_positive|lia].
  - intros x j Hx i r H1 H2 Hr. rewrite <- gated_head_weights. now apply (H x j Hx).
Qed.

(** *** Rows that sum to at most 1: what a null slot or a gate cannot change *)

Definition sub_stochastic (n L : nat) (a : attention) : Prop :=
  forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a x i k) /\ possum i (a x i) <= 1.

Section SubTwoByTwo.
  Context (D e : R) (HD : D <= / 2) (He : 0 <= e) (HDe : 2 * e < D).

  Lemma sub_dual_norm g1 g2 eps sg3 sgJ F3c F3t FJc FJt :
    0 <= sg3 <= 1 -> 0 <= sgJ <= 1 ->
    Rabs (F3c - / 2) <= e -> Rabs (F3t - / 2) <= e ->
    Rabs (FJc - (/ 2 + D)) <= e -> Rabs (FJt - (/ 2 - D)) <= e ->
    g1 * F3c + g2 * F3t = eps * sg3 -> g1 * FJc + g2 * FJt = eps * sgJ ->
    0 <= eps ->
    (Rabs g1 + Rabs g2) * (D - 2 * e) <= eps.
  Proof using HD He HDe.
    intros Hs3 HsJ A3c A3t AJc AJt G3 GJ Heps.
    pose proof (dot_bound g1 g2 _ _ _ A3c A3t) as B3. pose proof (dot_bound g1 g2 _ _ _ AJc AJt) as BJ.
    pose proof (norm1_two g1 g2) as Hn.
    set (G := Rabs g1 + Rabs g2) in *.
    assert (HG : 0 <= G) by (unfold G; pose proof (Rabs_pos g1); pose proof (Rabs_pos g2); lra).
    set (y := G * e) in *. assert (Hy : 0 <= y) by (apply Rmult_le_pos; assumption).
    apply abs_bounds in B3. apply abs_bounds in BJ.
    assert (S3 : 0 <= eps * sg3 <= eps) by (split; [apply Rmult_le_pos; lra|rewrite <- (Rmult_1_r eps) at 2;
        apply Rmult_le_compat_l; lra]).
    assert (SJ : 0 <= eps * sgJ <= eps) by (split; [apply Rmult_le_pos; lra|rewrite <- (Rmult_1_r eps) at 2;
        apply Rmult_le_compat_l; lra]).
    assert (Goal : G * (D - 2 * e) = D * G - 2 * y) by (unfold y; ring). rewrite Goal.
    assert (HDG : D * G <= / 2 * G) by (apply Rmult_le_compat_r; lra).
    destruct Hn as [Hn|Hn].
    - assert (HP : Rabs (g1 + g2) <= 2 * eps + 2 * y) by (apply Rabs_le; lra). lra.
    - assert (HQ : Rabs (D * (g1 - g2)) <= eps + 2 * y) by (apply Rabs_le; lra).
      rewrite Rabs_mult, (Rabs_pos_eq D), <- Hn in HQ by lra. lra.
  Qed.

  Lemma sub_two_by_two zc zt tc tt Q3 A3 QJ AJ q h :
    0 <= Q3 -> 0 <= A3 -> Q3 + A3 <= 1 -> 0 <= QJ -> 0 <= AJ -> QJ + AJ <= 1 ->
    Rabs (Q3 * zc + A3 * tc - / 2) <= e -> Rabs (Q3 * zt + A3 * tt - / 2) <= e ->
    Rabs (QJ * zc + AJ * tc - (/ 2 + D)) <= e -> Rabs (QJ * zt + AJ * tt - (/ 2 - D)) <= e ->
    Rabs (q * zc + h * tc) <= e -> Rabs (q * zt + h * tt) <= e ->
    (q + h) * (D - 2 * e) <= e.
  Proof using HD He HDe.
    intros H1 H2 H3 H4 H5 H6 A3c A3t AJc AJt Bc Bt.
    assert (Hdual : forall g1 g2 eps, g1 * zc + g2 * zt = eps -> g1 * tc + g2 * tt = eps -> 0 <= eps ->
              (Rabs g1 + Rabs g2) * (D - 2 * e) <= eps).
    { intros g1 g2 eps Gz Gt Heps.
      apply (sub_dual_norm g1 g2 eps (Q3 + A3) (QJ + AJ) (Q3 * zc + A3 * tc) (Q3 * zt + A3 * tt)
               (QJ * zc + AJ * tc) (QJ * zt + AJ * tt)); try assumption; try lra.
      - replace (eps * (Q3 + A3)) with (Q3 * eps + A3 * eps) by ring.
        rewrite <- Gz at 1. rewrite <- Gt. ring.
      - replace (eps * (QJ + AJ)) with (QJ * eps + AJ * eps) by ring.
        rewrite <- Gz at 1. rewrite <- Gt. ring. }
    assert (Hnull : forall g1 g2, g1 * zc + g2 * zt = 0 -> g1 * tc + g2 * tt = 0 -> g1 = 0 /\ g2 = 0).
    { intros g1 g2 Gz Gt. pose proof (Hdual g1 g2 0 Gz Gt (Rle_refl 0)) as H.
      pose proof (Rabs_pos g1). pose proof (Rabs_pos g2).
      assert (Hs : Rabs g1 + Rabs g2 <= 0) by (apply (Rmult_le_reg_r (D - 2 * e)); lra).
      assert (B1 := abs_bounds g1 0 ltac:(lra)). assert (B2 := abs_bounds g2 0 ltac:(lra)). split; lra. }
    assert (Hdet : zc * tt - tc * zt <> 0).
    { intros Hdet. destruct (Hnull zt (- zc)) as [Z1 Z2]; [ring|lra|].
      destruct (Hnull tt (- tc)) as [T1 T2]; [|ring|].
      - replace zt with 0 by lra. replace zc with 0 by lra. ring.
      - destruct (Hnull 1 0); [| |lra].
        + replace zc with 0 by lra. ring.
        + replace tc with 0 by lra. ring. }
    set (g1 := (tt - zt) / (zc * tt - tc * zt)). set (g2 := (zc - tc) / (zc * tt - tc * zt)).
    assert (Gz : g1 * zc + g2 * zt = 1) by (unfold g1, g2; field; assumption).
    assert (Gt : g1 * tc + g2 * tt = 1) by (unfold g1, g2; field; assumption).
    pose proof (Hdual g1 g2 1 Gz Gt ltac:(lra)) as HG.
    pose proof (dot_bound g1 g2 _ _ _ Bc Bt) as B. apply abs_bounds in B.
    replace (g1 * (q * zc + h * tc) + g2 * (q * zt + h * tt)) with (q + h) in B.
    2:{ transitivity (q * (g1 * zc + g2 * zt) + h * (g1 * tc + g2 * tt)); [rewrite Gz, Gt; ring|ring]. }
    apply Rle_trans with ((Rabs g1 + Rabs g2) * e * (D - 2 * e)).
    - apply Rmult_le_compat_r; lra.
    - replace ((Rabs g1 + Rabs g2) * e * (D - 2 * e)) with (e * ((Rabs g1 + Rabs g2) * (D - 2 * e))) by ring.
      apply Rle_trans with (e * 1); [apply Rmult_le_compat_l; assumption|lra].
  Qed.
End SubTwoByTwo.

Section SubRows.
  Context (n L : nat) (a : attention) (V : matrix) (eta w : R)
          (Hn : (4 <= n)%nat) (Ha : sub_stochastic n L a)
          (Hloss : sup_loss_le n L (head a (linear_value n V)) eta)
          (Hw : forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w).

  Lemma bos_part_le p r : 0 <= p -> p <= 1 -> (r < n)%nat -> Rabs (p * linear_value n V bos r) <= w.
  Proof using Hw.
    intros H0 H1 Hr. rewrite Rabs_mult, Rabs_pos_eq by assumption. pose proof (Hw r Hr).
    pose proof (Rabs_pos (linear_value n V bos r)).
    apply Rle_trans with (1 * Rabs (linear_value n V bos r)); [apply Rmult_le_compat_r|]; lra.
  Qed.

  Lemma sub_trigger_row z t j :
    is_content n z -> is_trigger n t -> (3 <= j)%nat -> (j <= L)%nat ->
    exists Q A, 0 <= Q /\ 0 <= A /\ Q + A <= 1 /\
      Rabs (Q * linear_value n V z (n - 1)%nat + A * linear_value n V t (n - 1)%nat
            - INR (j - 2) / INR (j - 1)) <= eta + w /\
      Rabs (Q * linear_value n V z 1%nat + A * linear_value n V t 1%nat - 1 / INR (j - 1)) <= eta + w.
  Proof using Hn Ha Hloss Hw.
    intros Hz Ht H3 Hj.
    assert (Hv : valid n L j (probe z t j)) by (now apply probe_valid).
    destruct (Ha _ _ Hv j) as [Hpos Hsum]; try lia.
    set (c := a (probe z t j) j) in *.
    exists (sum (j - 2) (fun k => c (k + 2)%nat)), (c j).
    assert (HQ : 0 <= sum (j - 2) (fun k => c (k + 2)%nat)) by (apply sum_nonneg; intros k Hk; apply Hpos; lia).
    assert (HA : 0 <= c j) by (apply Hpos; lia).
    assert (HB : 0 <= c 1%nat) by (apply Hpos; lia).
    rewrite possum_ends in Hsum by lia.
    set (Q := sum (j - 2) (fun k => c (k + 2)%nat)) in *.
    do 3 (split; [lra|]).
    assert (Hrow : forall r, (r < n)%nat ->
              Rabs (Q * linear_value n V z r + c j * linear_value n V t r - target j (probe z t j) j r) <= eta + w).
    { intros r Hr. pose proof (Hloss _ _ Hv j r ltac:(lia) ltac:(lia) Hr) as H.
      unfold head in H. fold c in H.
      rewrite (probe_weighted_sum z t j c (fun y => linear_value n V y r)) in H by lia. fold Q in H.
      pose proof (bos_part_le (c 1%nat) r HB ltac:(lra) Hr) as Hb.
      apply abs_bounds in H. apply abs_bounds in Hb. apply Rabs_le. lra. }
    split.
    - rewrite <- (target_content_flag n L j _ Hv Hn). apply Hrow. lia.
    - rewrite <- (target_trigger_flag n L j _ Hv Hn). apply Hrow. lia.
  Qed.

  Lemma sub_quiet_row x j i :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    exists z q h, is_content n z /\ q + h = sum (i - 1) (fun k => a x i (k + 2)%nat) /\
      forall r, (r < n)%nat -> Rabs (q * linear_value n V z r + h * linear_value n V (x j) r) <= eta + w.
  Proof using Hn Ha Hloss Hw.
    intros Hx H1 H2 E. destruct (Ha x j Hx i H1 H2) as [Hpos Hsum].
    set (c := fun k => if (k + 2 =? j)%nat then 0 else a x i (k + 2)%nat).
    set (d := fun k => if (k + 2 =? j)%nat then a x i (k + 2)%nat else 0).
    assert (Hc : forall k, (k < i - 1)%nat -> 0 <= c k).
    { intros k Hk. unfold c. destruct (k + 2 =? j)%nat; [lra|apply Hpos; lia]. }
    destruct (content_average n (i - 1) c (fun k => x (k + 2)%nat) Hn Hc) as (z & Hz & Havg).
    { intros k Hk. unfold c. destruct (Nat.eqb_spec (k + 2) j); [now left|right].
      apply (content_elsewhere _ _ _ _ Hx); lia. }
    exists z, (sum (i - 1) c), (sum (i - 1) d).
    assert (Hp : 0 <= a x i 1%nat) by (apply Hpos; lia).
    assert (Hrest : 0 <= sum (i - 1) (fun k => a x i (k + 2)%nat)) by (apply sum_nonneg; intros; apply Hpos; lia).
    rewrite possum_first in Hsum by assumption.
    split; [exact Hz|]. split.
    { rewrite <- sum_plus. apply sum_ext. intros k _. unfold c, d. destruct (k + 2 =? j)%nat; ring. }
    intros r Hr. pose proof (Hloss x j Hx i r H1 H2 Hr) as H.
    rewrite target_off_trigger, Rminus_0_r in H by assumption.
    unfold head in H. rewrite possum_first, (first_is_bos _ _ _ _ Hx) in H by assumption.
    pose proof (bos_part_le (a x i 1%nat) r Hp ltac:(lra) Hr) as Hb.
    assert (Hsplit : sum (i - 1) (fun k => a x i (k + 2)%nat * linear_value n V (x (k + 2)%nat) r)
                     = sum (i - 1) c * linear_value n V z r + sum (i - 1) d * linear_value n V (x j) r).
    { rewrite (sum_ext _ _ (fun k => c k * linear_value n V (x (k + 2)%nat) r
                                     + d k * linear_value n V (x j) r)).
      - rewrite sum_plus, sum_scal_r. f_equal.
        rewrite (linear_sum n V (i - 1) c (fun k => x (k + 2)%nat)), <- linear_scal.
        apply linear_ext. exact Havg.
      - intros k _. unfold c, d. destruct (Nat.eqb_spec (k + 2) j) as [->|_]; ring. }
    rewrite Hsplit in H. apply abs_bounds in H. apply abs_bounds in Hb. apply Rabs_le. lra.
  Qed.
End SubRows.

(** Rows of sum at most 1, linear V, ||V BOS|| <= w: off the trigger the other keys get at most
    (eta + w)/(D_J - 2 (eta + w)) together. *)
Theorem sub_stochastic_mass n L J a V eta w :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> sub_stochastic n L a ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  2 * (eta + w) < D ->
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) ->
  sup_loss_le n L (head a (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  sum (i - 1) (fun k => a x i (k + 2)%nat) <= (eta + w) / (D - 2 * (eta + w)).
Proof.
  intros Hn HJ HJL Ha D He Hw Hloss x j i Hx H1 H2 E.
  assert (He0 : 0 <= eta) by (apply (sup_loss_nonneg n L _ eta Hn) in Hloss; [assumption|lia]).
  assert (Hw0 : 0 <= w) by (eapply Rle_trans; [apply Rabs_pos|apply (Hw 0%nat); lia]).
  assert (HJR : 4 <= INR J) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  assert (HD : D = / 2 - / (INR J - 1)) by (unfold D; field; lra).
  assert (HD2 : D <= / 2) by (rewrite HD; assert (0 < / (INR J - 1)) by (apply Rinv_0_lt_compat; lra); lra).
  destruct (sub_quiet_row n L a V eta w Hn Ha Hloss Hw x j i Hx H1 H2 E) as (z & q & h & Hz & Hqh & Hrow).
  pose proof (trigger_at_j _ _ _ _ Hx) as Ht.
  destruct (sub_trigger_row n L a V eta w Hn Ha Hloss Hw z (x j) 3 Hz Ht) as (Q3 & A3 & P1 & P2 & P3 & P4 & P5);
      try lia.
  destruct (sub_trigger_row n L a V eta w Hn Ha Hloss Hw z (x j) J Hz Ht) as (QJ & AJ & R1 & R2 & R3 & R4 & R5);
      try lia.
  replace (INR (3 - 2) / INR (3 - 1)) with (/ 2) in P4 by (simpl; field).
  replace (1 / INR (3 - 1)) with (/ 2) in P5 by (simpl; field).
  assert (J1 : INR (J - 1) = INR J - 1) by (rewrite minus_INR by lia; reflexivity).
  assert (J2 : INR (J - 2) = INR J - 2) by (rewrite minus_INR by lia; simpl; ring).
  replace (INR (J - 2) / INR (J - 1)) with (/ 2 + D) in R4 by (rewrite J1, J2, HD; field; lra).
  replace (1 / INR (J - 1)) with (/ 2 - D) in R5 by (rewrite J1, HD; field; lra).
  rewrite <- Hqh.
  apply (Rmult_le_reg_r (D - 2 * (eta + w))); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply (sub_two_by_two D (eta + w) HD2 ltac:(lra) He
           (linear_value n V z (n - 1)%nat) (linear_value n V z 1%nat)
           (linear_value n V (x j) (n - 1)%nat) (linear_value n V (x j) 1%nat) Q3 A3 QJ AJ); try assumption;
    apply Hrow; lia.
Qed.

(** V = P sends BOS to 0: with [null_avoidable] and [gated_avoidable] the hypotheses of the next two theorems hold
    with w = 0 and every eta > 0. *)
Lemma projector_bos n r : (r < n)%nat -> Rabs (linear_value n projector bos r) <= 0.
Proof.
  intros Hr. rewrite linear_projector by assumption.
  destruct (Nat.eqb_spec r 0); [rewrite Rabs_R0; lra|]. rewrite bos_pos, Rabs_R0 by lia. lra.
Qed.

(** The null slot: BOS and the slot together keep all but (eta + w)/(D_J - 2 (eta + w)) of the row. *)
Theorem null_slot_or_bos n L J M V eta w :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  2 * (eta + w) < D ->
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) ->
  sup_loss_le n L (head (null_attention n M) (linear_value n V)) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  null_mass n M x i + bos_attention (null_attention n M) x i >= 1 - (eta + w) / (D - 2 * (eta + w)).
Proof.
  intros Hn HJ HJL D He Hw Hloss x j i Hx H1 H2 E. apply Rle_ge.
  assert (Ha : sub_stochastic n L (null_attention n M)).
  { intros y l _ p P1 P2. split.
    - intros k _ _. left. apply Rdiv_lt_0_compat; [apply exp_pos|apply null_row_pos].
    - pose proof (null_mass_is_the_rest n M y p) as S.
      assert (0 < null_mass n M y p) by (apply Rdiv_lt_0_compat; [lra|apply null_row_pos]). lra. }
  pose proof (sub_stochastic_mass n L J _ V eta w Hn HJ HJL Ha He Hw Hloss x j i Hx H1 H2 E) as H. fold D in H.
  pose proof (null_mass_is_the_rest n M x i) as S. rewrite possum_first in S by assumption.
  unfold bos_attention. lra.
Qed.

(** The gate: gate times the softmax's attention to the other keys is small. *)
Theorem gate_or_bos n L J g M V eta w :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat ->
  let D := (INR J - 3) / (2 * (INR J - 1)) in
  2 * (eta + w) < D ->
  (forall r, (r < n)%nat -> Rabs (linear_value n V bos r) <= w) ->
  sup_loss_le n L (gated_head n g M V) eta ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  gate n g (x i) * (1 - bos_attention (kernel_attention (softmax_kernel n M)) x i)
  <= (eta + w) / (D - 2 * (eta + w)).
Proof.
  intros Hn HJ HJL D He Hw Hloss x j i Hx H1 H2 E.
  set (a := kernel_attention (softmax_kernel n M)).
  assert (Hs : row_stochastic n L a) by (apply kernel_row_stochastic, softmax_positive).
  assert (Hg : forall q, 0 < gate n g q < 1).
  { intros q. split; [apply logistic_pos|]. unfold gate. pose proof (logistic_pos (- sum n (fun r => q r * g r)))
      as G.
    rewrite logistic_opp in G. lra. }
  assert (Ha : sub_stochastic n L (gated_weights n g M)).
  { intros y l Hy p P1 P2. destruct (Hs y l Hy p P1 P2) as [S1 S2]. unfold gated_weights. fold a.
    pose proof (Hg (y p)). split.
    - intros k K1 K2. apply Rmult_le_pos; [lra|now apply S1].
    - rewrite possum_scal. unfold a in S2 |- *. rewrite S2. lra. }
  assert (Hloss' : sup_loss_le n L (head (gated_weights n g M) (linear_value n V)) eta).
  { intros y l Hy p r P1 P2 Hr. rewrite <- gated_head_weights. now apply (Hloss y l Hy). }
  pose proof (sub_stochastic_mass n L J _ V eta w Hn HJ HJL Ha He Hw Hloss' x j i Hx H1 H2 E) as H. fold D in H.
  destruct (Hs x j Hx i H1 H2) as [_ S2]. rewrite possum_first in S2 by assumption.
  unfold gated_weights in H. rewrite sum_scal in H. fold a in H.
  unfold bos_attention. replace (1 - a x i 1%nat) with (sum (i - 1) (fun k => a x i (k + 2)%nat)) by lra. exact H.
Qed.

Print Assumptions relu_exact.
Print Assumptions linear_exact.
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
Print Assumptions vanishing_relu_exact.
Print Assumptions kernel_needs_sink.
Print Assumptions softmax_needs_sink.
Print Assumptions sigmoid_normalised_needs_sink.
Print Assumptions elu1_normalised_needs_sink.
Print Assumptions relu_normalised_needs_sink.
Print Assumptions row_normalised_biased.
Print Assumptions normalised_not_vacuous.
Print Assumptions positive_weights_never_exact.
Print Assumptions unnormalised_never_exact.
Print Assumptions kernel_never_exact.
Print Assumptions null_never_exact.
Print Assumptions gated_never_exact.
Print Assumptions sub_stochastic_mass.
Print Assumptions null_slot_or_bos.
Print Assumptions gate_or_bos.
