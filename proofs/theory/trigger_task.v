(** * The trigger-conditional task: the setting of docs/THEORY.md, section 0

    Every proof file of a trigger-conditional claim (proofs/tc-*/...) states its theorem with the
    definitions of this file and nothing else, so this file is what has to be read to know what was
    proved.  Part 1 (definitions) is the statement language; part 2 holds lemmas, which Coq checks
    and nobody has to trust.

    Conventions.  A vector of R^n is a function [nat -> R] read at the indices below n; coordinates
    count from 0 and positions of a sequence count from 1, as on the page.  A function on sequences
    may look at whatever it likes: that only makes a "for every model" theorem stronger.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/trigger_task.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Export task.
Open Scope R_scope.

(** *** Absolute values *)

Lemma abs_bounds x e : Rabs x <= e -> - e <= x <= e.
Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

(** *** Sums *)

Lemma sum_ext m f g : (forall k, (k < m)%nat -> f k = g k) -> sum m f = sum m g.
Proof.
  induction m as [|m IH]; intros H; simpl; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma sum_plus m f g : sum m (fun k => f k + g k) = sum m f + sum m g.
Proof. induction m as [|m IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_minus m f g : sum m (fun k => f k - g k) = sum m f - sum m g.
Proof. induction m as [|m IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_scal m c f : sum m (fun k => c * f k) = c * sum m f.
Proof. induction m as [|m IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_scal_r m c f : sum m (fun k => f k * c) = sum m f * c.
Proof. induction m as [|m IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma sum_const m c : sum m (fun _ => c) = INR m * c.
Proof. induction m as [|m IH]; [simpl; ring|]. rewrite S_INR. simpl. rewrite IH. ring. Qed.

Lemma sum_le m f g : (forall k, (k < m)%nat -> f k <= g k) -> sum m f <= sum m g.
Proof.
  induction m as [|m IH]; intros H; simpl; [lra|].
  assert (sum m f <= sum m g) by (apply IH; intros; apply H; lia).
  assert (f m <= g m) by (apply H; lia). lra.
Qed.

Lemma sum_zero m f : (forall k, (k < m)%nat -> f k = 0) -> sum m f = 0.
Proof. intros H. rewrite (sum_ext m f (fun _ => 0) H), sum_const. ring. Qed.

Lemma sum_nonneg m f : (forall k, (k < m)%nat -> 0 <= f k) -> 0 <= sum m f.
Proof.
  intros H. replace 0 with (sum m (fun _ => 0)) by (rewrite sum_const; ring).
  apply sum_le. exact H.
Qed.

Lemma sum_pos m f : (0 < m)%nat -> (forall k, (k < m)%nat -> 0 < f k) -> 0 < sum m f.
Proof.
  destruct m as [|m]; intros Hm H; [lia|]. simpl.
  assert (0 <= sum m f) by (apply sum_nonneg; intros; apply Rlt_le, H; lia).
  assert (0 < f m) by (apply H; lia). lra.
Qed.

Lemma sum_abs m f : Rabs (sum m f) <= sum m (fun k => Rabs (f k)).
Proof.
  induction m as [|m IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(** A sum of m terms, each at most c in absolute value. *)
Lemma sum_abs_le m f c :
  (forall k, (k < m)%nat -> Rabs (f k) <= c) -> Rabs (sum m f) <= INR m * c.
Proof.
  intros H. eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const. apply sum_le. exact H.
Qed.

Lemma sum_swap m p (f : nat -> nat -> R) :
  sum m (fun a => sum p (fun b => f a b)) = sum p (fun b => sum m (fun a => f a b)).
Proof.
  induction m as [|m IH]; simpl.
  - symmetry. apply sum_zero. reflexivity.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

(** First term apart. *)
Lemma sum_first m f : sum (S m) f = f 0%nat + sum m (fun k => f (S k)).
Proof. induction m as [|m IH]; [simpl; ring|]. simpl in *. rewrite IH. ring. Qed.

(** A term of a sum of nonnegative terms. *)
Lemma sum_term_le m f k :
  (forall a, (a < m)%nat -> 0 <= f a) -> (k < m)%nat -> f k <= sum m f.
Proof.
  induction m as [|m IH]; intros H Hk; [lia|]. simpl.
  assert (0 <= sum m f) by (apply sum_nonneg; intros; apply H; lia).
  assert (0 <= f m) by (apply H; lia).
  destruct (Nat.eq_dec k m) as [->|E]; [lra|].
  assert (f k <= sum m f) by (apply IH; [intros; apply H|]; lia). lra.
Qed.

(** Only index c counts. *)
Lemma sum_single m f c :
  (c < m)%nat -> (forall k, (k < m)%nat -> k <> c -> f k = 0) -> sum m f = f c.
Proof.
  induction m as [|m IH]; intros Hc H; [lia|]. simpl.
  destruct (Nat.eq_dec c m) as [->|E].
  - rewrite sum_zero by (intros; apply H; lia). ring.
  - rewrite IH by (try lia; intros; apply H; lia). rewrite (H m) by lia. ring.
Qed.

(** Only two indices count. *)
Lemma sum_two m f c d :
  (c < m)%nat -> (d < m)%nat -> c <> d ->
  (forall k, (k < m)%nat -> k <> c -> k <> d -> f k = 0) -> sum m f = f c + f d.
Proof.
  intros Hc Hd E H.
  rewrite (sum_ext m f (fun k => (if (k =? c)%nat then f k else 0)
                               + (if (k =? c)%nat then 0 else f k))).
  2:{ intros k _. destruct (k =? c)%nat; ring. }
  rewrite sum_plus. f_equal.
  - rewrite (sum_single m _ c Hc); [now rewrite Nat.eqb_refl|].
    intros k _ Hk. apply Nat.eqb_neq in Hk. now rewrite Hk.
  - rewrite (sum_single m _ d Hd).
    + apply not_eq_sym, Nat.eqb_neq in E. now rewrite E.
    + intros k Hk Hkd. destruct (Nat.eqb_spec k c); [reflexivity|]. now apply H.
Qed.

Lemma possum_S i f : possum (S i) f = possum i f + f (S i).
Proof. reflexivity. Qed.

Lemma possum_ext i f g :
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> f k = g k) -> possum i f = possum i g.
Proof. intros H. apply sum_ext. intros; apply H; lia. Qed.

Lemma possum_plus i f g : possum i (fun k => f k + g k) = possum i f + possum i g.
Proof. apply sum_plus. Qed.

Lemma possum_scal i c f : possum i (fun k => c * f k) = c * possum i f.
Proof. apply sum_scal. Qed.

Lemma possum_scal_r i c f : possum i (fun k => f k * c) = possum i f * c.
Proof. apply (sum_scal_r i c (fun k => f (S k))). Qed.

Lemma possum_nonneg i f :
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= f k) -> 0 <= possum i f.
Proof. intros H. apply sum_nonneg. intros; apply H; lia. Qed.

Lemma possum_pos i f :
  (1 <= i)%nat -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 < f k) -> 0 < possum i f.
Proof. intros Hi H. apply sum_pos; [lia|]. intros; apply H; lia. Qed.

Lemma possum_le i f g :
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> f k <= g k) -> possum i f <= possum i g.
Proof. intros H. apply sum_le. intros; apply H; lia. Qed.

(** Position 1 (BOS) apart. *)
Lemma possum_first i f :
  (1 <= i)%nat -> possum i f = f 1%nat + sum (i - 1) (fun k => f (k + 2)%nat).
Proof.
  intros Hi. destruct i as [|i]; [lia|]. unfold possum. rewrite sum_first. f_equal.
  replace (S i - 1)%nat with i by lia.
  apply sum_ext. intros k _. f_equal. lia.
Qed.

(** First and last position apart. *)
Lemma possum_ends i f :
  (2 <= i)%nat -> possum i f = f 1%nat + sum (i - 2) (fun k => f (k + 2)%nat) + f i.
Proof.
  intros Hi. rewrite possum_first by lia.
  replace (i - 1)%nat with (S (i - 2)) by lia. cbn [sum].
  replace (i - 2 + 2)%nat with i by lia. ring.
Qed.

(** *** Tokens *)

Lemma bos_0 : bos 0%nat = 1.
Proof. reflexivity. Qed.

Lemma bos_S k : bos (S k) = 0.
Proof. reflexivity. Qed.

Lemma bos_pos k : (0 < k)%nat -> bos k = 0.
Proof. destruct k; [lia|reflexivity]. Qed.

Lemma constant_content_noise n u k :
  (2 <= k)%nat -> (k <= n - 2)%nat -> constant_content n u k = u.
Proof.
  intros H1 H2. unfold constant_content.
  destruct (Nat.ltb_spec k 2); [lia|]. destruct (Nat.ltb_spec k (n - 1)); [reflexivity|lia].
Qed.

Lemma constant_trigger_noise n u k :
  (2 <= k)%nat -> (k <= n - 2)%nat -> constant_trigger n u k = u.
Proof.
  intros H1 H2. unfold constant_trigger.
  destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec k 1); [lia|].
  destruct (Nat.ltb_spec k (n - 1)); [reflexivity|lia].
Qed.

Lemma constant_content_is_content n u :
  (4 <= n)%nat -> -1 <= u <= 1 -> is_content n (constant_content n u).
Proof.
  intros Hn Hu. split.
  - reflexivity.
  - reflexivity.
  - unfold content_flag, constant_content.
    destruct (Nat.ltb_spec (n - 1) 2); [lia|]. destruct (Nat.ltb_spec (n - 1) (n - 1)); [lia|].
    now rewrite Nat.eqb_refl.
  - intros k H1 H2. rewrite constant_content_noise by lia. lra.
  - intros k H. unfold constant_content.
    destruct (Nat.ltb_spec k 2); [lia|]. destruct (Nat.ltb_spec k (n - 1)); [lia|].
    destruct (Nat.eqb_spec k (n - 1)); [lia|reflexivity].
Qed.

Lemma constant_trigger_is_trigger n u :
  (4 <= n)%nat -> -1 <= u <= 1 -> is_trigger n (constant_trigger n u).
Proof.
  intros Hn Hu. split.
  - reflexivity.
  - reflexivity.
  - unfold content_flag, constant_trigger.
    destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
    destruct (Nat.ltb_spec (n - 1) (n - 1)); [lia|reflexivity].
  - intros k H1 H2. rewrite constant_trigger_noise by lia. lra.
  - intros k H. unfold constant_trigger.
    destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec k 1); [lia|].
    destruct (Nat.ltb_spec k (n - 1)); [lia|reflexivity].
Qed.

(** Every coordinate of a token is at most 1 in absolute value. *)
Lemma content_abs_le_1 n x r : (4 <= n)%nat -> is_content n x -> (r < n)%nat -> Rabs (x r) <= 1.
Proof.
  intros Hn [H0 H1 Hc Hu _] Hr. unfold bos_flag, trigger_flag, content_flag in *.
  destruct (Nat.eq_dec r 0) as [->|E0]; [rewrite H0, Rabs_R0; lra|].
  destruct (Nat.eq_dec r 1) as [->|E1]; [rewrite H1, Rabs_R0; lra|].
  destruct (Nat.eq_dec r (n - 1)) as [->|Ec]; [rewrite Hc, Rabs_R1; lra|].
  apply Rabs_le. apply Hu; lia.
Qed.

Lemma trigger_abs_le_1 n x r : (4 <= n)%nat -> is_trigger n x -> (r < n)%nat -> Rabs (x r) <= 1.
Proof.
  intros Hn [H0 H1 Hc Hu _] Hr. unfold bos_flag, trigger_flag, content_flag in *.
  destruct (Nat.eq_dec r 0) as [->|E0]; [rewrite H0, Rabs_R0; lra|].
  destruct (Nat.eq_dec r 1) as [->|E1]; [rewrite H1, Rabs_R1; lra|].
  destruct (Nat.eq_dec r (n - 1)) as [->|Ec]; [rewrite Hc, Rabs_R0; lra|].
  apply Rabs_le. apply Hu; lia.
Qed.

Section ValidSequence.
  Context (n L j : nat) (x : sequence) (Hx : valid n L j x) (Hn : (4 <= n)%nat).

  (** From position 2 on every token has BOS flag 0 and coordinates in [-1,1]. *)
  Lemma valid_bos_flag i : (2 <= i)%nat -> (i <= L)%nat -> x i 0%nat = 0.
  Proof using Hx Hn.
    intros H1 H2. destruct (Nat.eq_dec i j) as [->|E].
    - apply (trigger_bos_flag _ _ (trigger_at_j _ _ _ _ Hx)).
    - apply (content_bos_flag _ _ (content_elsewhere _ _ _ _ Hx i H1 H2 E)).
  Qed.

  Lemma valid_abs_le_1 i r : (2 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (x i r) <= 1.
  Proof using Hx Hn.
    intros H1 H2 Hr. destruct (Nat.eq_dec i j) as [->|E].
    - apply (trigger_abs_le_1 n); auto. apply (trigger_at_j _ _ _ _ Hx).
    - apply (content_abs_le_1 n); auto. apply (content_elsewhere _ _ _ _ Hx i H1 H2 E).
  Qed.

  Lemma valid_trigger_flag i :
    (1 <= i)%nat -> (i <= L)%nat -> x i 1%nat = if (i =? j)%nat then 1 else 0.
  Proof using Hx Hn.
    intros H1 H2. destruct (Nat.eqb_spec i j) as [->|E].
    - apply (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx)).
    - destruct (Nat.eq_dec i 1) as [->|E1]; [now rewrite (first_is_bos _ _ _ _ Hx)|].
      apply (content_trigger_flag n). apply (content_elsewhere _ _ _ _ Hx); lia.
  Qed.

  Lemma valid_content_flag i :
    (2 <= i)%nat -> (i <= L)%nat -> x i (n - 1)%nat = if (i =? j)%nat then 0 else 1.
  Proof using Hx Hn.
    intros H1 H2. destruct (Nat.eqb_spec i j) as [->|E].
    - apply (trigger_content_flag _ _ (trigger_at_j _ _ _ _ Hx)).
    - apply (content_content_flag n). apply (content_elsewhere _ _ _ _ Hx); lia.
  Qed.

  (** "The three flags of every token sum to 1." *)
  Lemma valid_flags_sum i :
    (1 <= i)%nat -> (i <= L)%nat -> bos_flag (x i) + trigger_flag (x i) + content_flag n (x i) = 1.
  Proof using Hx Hn.
    intros H1 H2. destruct (Nat.eq_dec i 1) as [->|E1].
    - rewrite (first_is_bos _ _ _ _ Hx). unfold bos_flag, trigger_flag, content_flag.
      rewrite bos_0, !bos_pos by lia. ring.
    - destruct (Nat.eq_dec i j) as [->|E].
      + destruct (trigger_at_j _ _ _ _ Hx). lra.
      + destruct (content_elsewhere _ _ _ _ Hx i); try lia. lra.
  Qed.

  (** The target's content flag at the trigger is (j-2)/(j-1), its trigger flag 1/(j-1). *)
  Lemma target_content_flag : target j x j (n - 1)%nat = INR (j - 2) / INR (j - 1).
  Proof using Hx Hn.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    unfold target, mean_from_2. rewrite Nat.eqb_refl. f_equal.
    replace (j - 1)%nat with (S (j - 2)) by lia. cbn [sum].
    rewrite valid_content_flag by lia.
    replace (j - 2 + 2)%nat with j by lia. rewrite Nat.eqb_refl.
    rewrite (sum_ext _ _ (fun _ => 1)).
    - rewrite sum_const. ring.
    - intros k Hk. rewrite valid_content_flag by lia.
      destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity].
  Qed.

  Lemma target_trigger_flag : target j x j 1%nat = 1 / INR (j - 1).
  Proof using Hx Hn.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    unfold target, mean_from_2. rewrite Nat.eqb_refl. f_equal.
    replace (j - 1)%nat with (S (j - 2)) by lia. cbn [sum].
    rewrite valid_trigger_flag by lia.
    replace (j - 2 + 2)%nat with j by lia. rewrite Nat.eqb_refl.
    rewrite sum_zero; [ring|].
    intros k Hk. rewrite valid_trigger_flag by lia.
    destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity].
  Qed.

  (** Every coordinate of a sum of i-1 tokens x_2..x_i is at most i-1. *)
  Lemma valid_sum_abs_le i r :
    (i <= L)%nat -> (r < n)%nat -> Rabs (sum (i - 1) (fun k => x (k + 2)%nat r)) <= INR (i - 1).
  Proof using Hx Hn.
    intros Hi Hr. rewrite <- (Rmult_1_r (INR (i - 1))).
    apply sum_abs_le. intros. apply valid_abs_le_1; lia || exact Hr.
  Qed.
End ValidSequence.

Lemma target_off_trigger j x i r : i <> j -> target j x i r = 0.
Proof. intros H. unfold target. apply Nat.eqb_neq in H. now rewrite H. Qed.

Lemma probe_valid n L j x t :
  is_content n x -> is_trigger n t -> (3 <= j)%nat -> (j <= L)%nat -> valid n L j (probe x t j).
Proof.
  intros Hx Ht H3 HL. unfold probe. split; try assumption.
  - reflexivity.
  - destruct (Nat.eqb_spec j 1); [lia|]. now rewrite Nat.eqb_refl.
  - intros i H2 _ E. destruct (Nat.eqb_spec i 1); [lia|].
    destruct (Nat.eqb_spec i j); [lia|assumption].
Qed.

Lemma probe_trigger x t j : (2 <= j)%nat -> probe x t j j = t.
Proof. intros H. unfold probe. destruct (Nat.eqb_spec j 1); [lia|]. now rewrite Nat.eqb_refl. Qed.

Lemma probe_weighted_sum x t j (a : nat -> R) (f : token -> R) :
  (2 <= j)%nat ->
  possum j (fun k => a k * f (probe x t j k))
  = a 1%nat * f bos + sum (j - 2) (fun k => a (k + 2)%nat) * f x + a j * f t.
Proof.
  intros Hj. rewrite possum_ends by assumption. rewrite probe_trigger by assumption.
  change (probe x t j 1%nat) with bos. f_equal. f_equal.
  rewrite <- sum_scal_r. apply sum_ext. intros k Hk. unfold probe.
  destruct (Nat.eqb_spec (k + 2) 1); [lia|]. destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity].
Qed.

Lemma probe_sum x t j (f : token -> R) :
  (2 <= j)%nat ->
  possum j (fun k => f (probe x t j k)) = f bos + INR (j - 2) * f x + f t.
Proof.
  intros Hj. rewrite (possum_ext _ _ (fun k => 1 * f (probe x t j k))) by (intros; ring).
  rewrite (probe_weighted_sum x t j (fun _ => 1)) by assumption. rewrite sum_const. ring.
Qed.

(** Valid sequences exist for every n >= 4, every L and every j in 3..L. *)
Lemma valid_exists n L j :
  (4 <= n)%nat -> (3 <= j)%nat -> (j <= L)%nat -> exists x, valid n L j x.
Proof.
  intros Hn H3 HL. exists (probe (constant_content n 0) (constant_trigger n 0) j).
  apply probe_valid; try assumption.
  - apply constant_content_is_content; [assumption|lra].
  - apply constant_trigger_is_trigger; [assumption|lra].
Qed.

(** *** Loss *)

(** [sup_loss_le] says that eta is an upper bound of the errors. *)
Lemma sup_loss_le_iff n L out eta : sup_loss_le n L out eta <-> is_upper_bound (is_error n L out) eta.
Proof.
  split.
  - intros H e (x & j & i & r & Hx & H1 & H2 & H3 & ->). now apply H.
  - intros H x j Hx i r H1 H2 H3. apply H. exists x, j, i, r. auto 6.
Qed.

Lemma sup_loss_of_max n L out eta :
  sup_loss_le n L out eta -> is_error n L out eta -> is_sup_loss n L out eta.
Proof.
  intros H He. split; [now apply sup_loss_le_iff|]. intros b Hb. now apply Hb.
Qed.

Lemma sup_loss_nonneg n L out eta :
  (4 <= n)%nat -> (3 <= L)%nat -> sup_loss_le n L out eta -> 0 <= eta.
Proof.
  intros Hn HL H. destruct (valid_exists n L 3) as [x Hx]; try lia.
  eapply Rle_trans; [apply Rabs_pos|].
  apply (H x 3%nat Hx 1%nat 0%nat); lia.
Qed.

(** Adding x_i to the output and to the target changes nothing: every theorem about
    [sup_loss_le] is one about the residual task as well. *)
Lemma residual_sup_loss_iff n L out eta :
  residual_sup_loss_le n L (fun x i r => x i r + out x i r) eta <-> sup_loss_le n L out eta.
Proof.
  unfold residual_sup_loss_le, sup_loss_le, residual_target.
  split; intros H x j Hx i r H1 H2 H3; specialize (H x j Hx i r H1 H2 H3);
    [replace (out x i r - target j x i r) with (x i r + out x i r - (x i r + target j x i r)) by ring
    |replace (x i r + out x i r - (x i r + target j x i r)) with (out x i r - target j x i r) by ring];
    exact H.
Qed.

(** *** Kernels *)

Lemma softmax_positive n W : positive_kernel (softmax_kernel n W).
Proof. intros q k. apply exp_pos. Qed.

Lemma kernel_row_sum_pos K (x : sequence) i :
  positive_kernel K -> (1 <= i)%nat -> 0 < possum i (fun l => K (x i) (x l)).
Proof. intros HK Hi. apply possum_pos; auto. Qed.

Lemma kernel_attention_sum K (x : sequence) i :
  possum i (fun l => K (x i) (x l)) <> 0 -> possum i (kernel_attention K x i) = 1.
Proof.
  intros H. unfold kernel_attention, Rdiv. rewrite possum_scal_r. now apply Rinv_r.
Qed.

(** A positive kernel is a row-stochastic attention. *)
Lemma kernel_row_stochastic n L K : positive_kernel K -> row_stochastic n L (kernel_attention K).
Proof.
  intros HK x j _ i Hi _. pose proof (kernel_row_sum_pos K x i HK Hi) as Hs. split.
  - intros k _ _. apply Rlt_le, Rdiv_lt_0_compat; auto.
  - apply kernel_attention_sum. lra.
Qed.

(** The output of a kernel head is a quotient of two sums. *)
Lemma kernel_head_quotient K v (x : sequence) i r :
  head (kernel_attention K) v x i r
  = possum i (fun k => K (x i) (x k) * v (x k) r) / possum i (fun l => K (x i) (x l)).
Proof.
  unfold head, kernel_attention, Rdiv. rewrite <- possum_scal_r.
  apply possum_ext. intros. ring.
Qed.

(** *** Linear maps *)

Lemma linear_projector n x r :
  (r < n)%nat -> linear_value n projector x r = if (r =? 0)%nat then 0 else x r.
Proof.
  intros Hr. unfold linear_value. rewrite (sum_single n _ r Hr).
  - unfold projector. rewrite Nat.eqb_refl. destruct (r =? 0)%nat; ring.
  - intros k _ Hk. unfold projector. destruct (Nat.eqb_spec r k); [lia|ring].
Qed.

Lemma linear_identity n x r : (r < n)%nat -> linear_value n identity x r = x r.
Proof.
  intros Hr. unfold linear_value. rewrite (sum_single n _ r Hr).
  - unfold identity. rewrite Nat.eqb_refl. ring.
  - intros k _ Hk. unfold identity. destruct (Nat.eqb_spec r k); [lia|ring].
Qed.

(** V BOS is the first column of V. *)
Lemma linear_bos n V r : (0 < n)%nat -> linear_value n V bos r = V r 0%nat.
Proof.
  intros Hn. unfold linear_value. rewrite (sum_single n _ 0%nat Hn).
  - rewrite bos_0. ring.
  - intros k _ Hk. rewrite bos_pos by lia. ring.
Qed.
