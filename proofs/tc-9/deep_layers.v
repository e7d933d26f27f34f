(** * tc-9: the layers of the deep stack, row by row

    Lemmas for deep.v: what a softmax layer with values of low rank does ([layer_step]), the weights of the four
    noise layers, which read flags alone ([noise_weights]), and what one group of four layers does to its
    noise coordinate ([Group]).  e stands for e^-Lam throughout. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task anchored_values residual_stack.
From Claim Require Import deep_statement.
Open Scope R_scope.

(** ** Bilinear forms and values of low rank *)

Lemma bilinear_outer n u v q k : bilinear n (outer u v) q k = dot n u q * dot n v k.
Proof.
  unfold bilinear, dot, outer. rewrite <- sum_scal_r. apply sum_ext. intros a _.
  rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma bilinear_outers n u v u' v' q k :
  bilinear n (outers u v u' v') q k = dot n u q * dot n v k + dot n u' q * dot n v' k.
Proof.
  rewrite <- !bilinear_outer. unfold bilinear. rewrite <- sum_plus. apply sum_ext. intros a _.
  rewrite <- sum_plus. apply sum_ext. intros b _. unfold outers, outer. ring.
Qed.

Lemma bilinear_scal n Lam M q k : bilinear n (fun a b => Lam * M a b) q k = Lam * bilinear n M q k.
Proof.
  unfold bilinear. rewrite <- sum_scal. apply sum_ext. intros a _.
  rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma linear_outer n u v y a : linear_value n (outer u v) y a = u a * dot n v y.
Proof. unfold linear_value, outer, dot. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.

Lemma linear_outers n u v u' v' y a :
  linear_value n (outers u v u' v') y a = u a * dot n v y + u' a * dot n v' y.
Proof.
  rewrite <- !linear_outer. unfold linear_value. rewrite <- sum_plus. apply sum_ext.
  intros. unfold outers, outer. ring.
Qed.

Lemma dot_flags n beta tau gamma y :
  (4 <= n)%nat -> dot n (flags n beta tau gamma) y = beta * y 0%nat + tau * y 1%nat + gamma * y (n - 1)%nat.
Proof.
  intros Hn. unfold dot. replace n with (S (S (n - 2))) at 1 by lia. rewrite !sum_first.
  rewrite (sum_single (n - 2) _ (n - 3)%nat); [|lia|].
  - replace (S (S (n - 3))) with (n - 1)%nat by lia. unfold flags.
    destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
    destruct (Nat.eqb_spec (n - 1) (n - 1)); [|lia]. cbn [Nat.eqb]. ring.
  - intros k Hk E. unfold flags. destruct (Nat.eqb_spec (S (S k)) 0); [lia|].
    destruct (Nat.eqb_spec (S (S k)) 1); [lia|]. destruct (Nat.eqb_spec (S (S k)) (n - 1)); [lia|ring].
Qed.

Lemma dot_noise n r s y : (r < n)%nat -> dot n (noise_at r s) y = s * y r.
Proof.
  intros Hr. unfold dot. rewrite (sum_single n _ r Hr).
  - unfold noise_at. now rewrite Nat.eqb_refl.
  - intros k _ E. unfold noise_at. destruct (Nat.eqb_spec k r); [lia|ring].
Qed.

(** ** Averages *)

Definition average (i : nat) (w f : nat -> R) : R := possum i (fun k => w k * f k).

Definition is_weights (i : nat) (w : nat -> R) : Prop :=
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= w k) /\ possum i w = 1.

(** Key by key, how far an average is from F. *)
Lemma average_near i w f F E :
  is_weights i w -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> w k * Rabs (f k - F) <= E k) ->
  Rabs (average i w f - F) <= possum i E.
Proof.
  intros [Hw Hs] HE. unfold average.
  replace (possum i (fun k => w k * f k) - F) with (possum i (fun k => w k * (f k - F))).
  - eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros k Hk.
    rewrite Rabs_mult, Rabs_pos_eq by (apply Hw; lia). apply HE; lia.
  - rewrite (possum_ext i _ (fun k => w k * f k + w k * - F)) by (intros; ring).
    rewrite possum_plus, possum_scal_r, Hs. ring.
Qed.

Lemma average_size i w f B :
  is_weights i w -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (f k) <= B) -> Rabs (average i w f) <= B.
Proof.
  intros Hw Hf. rewrite <- (Rminus_0_r (average i w f)).
  replace B with (possum i (fun k => w k * B)) by (rewrite possum_scal_r, (proj2 Hw); ring).
  apply average_near; [assumption|]. intros k H1 Hk. rewrite Rminus_0_r.
  apply Rmult_le_compat_l; [now apply (proj1 Hw)|auto].
Qed.

Lemma average_ext i w w' f f' :
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> w k = w' k) ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> f k = f' k) -> average i w f = average i w' f'.
Proof. intros H H'. apply possum_ext. intros. now rewrite H, H'. Qed.

(** Two averages of numbers that differ at position j alone. *)
Lemma average_differs_at i w f g j :
  (1 <= j)%nat -> (j <= i)%nat -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> k <> j -> f k = g k) ->
  average i w f - average i w g = w j * (f j - g j).
Proof.
  intros H1 Hj Hf. unfold average, possum. rewrite <- sum_minus, (sum_single i _ (j - 1)%nat); [|lia|].
  - replace (S (j - 1)) with j by lia. ring.
  - intros k Hk E. rewrite Hf by lia. ring.
Qed.

Lemma weight_le_1 i w k : is_weights i w -> (1 <= k)%nat -> (k <= i)%nat -> w k <= 1.
Proof.
  intros [Hw Hs] H1 Hk. rewrite <- Hs. unfold possum.
  replace k with (S (k - 1)) at 1 by lia. apply (sum_term_le i (fun k => w (S k))); [|lia].
  intros; apply Hw; lia.
Qed.

(** Two keys have weight at most 1 together. *)
Lemma two_weights_le_1 i w :
  is_weights i w -> (2 <= i)%nat -> w 1%nat + w i <= 1.
Proof.
  intros [Hw Hs] Hi. rewrite possum_ends in Hs by assumption.
  assert (0 <= sum (i - 2) (fun k => w (k + 2)%nat)) by (apply sum_nonneg; intros; apply Hw; lia). lra.
Qed.

(** |p X| <= p Y, p > 0. *)
Lemma abs_scale p X Y : 0 < p -> Rabs (p * X) <= p * Y -> Rabs X <= Y.
Proof.
  intros Hp H. rewrite Rabs_mult, Rabs_pos_eq in H by lra. now apply (Rmult_le_reg_l p).
Qed.

(** ** Softmax layers *)

Lemma softmax_weights n Lam M V z i :
  (1 <= i)%nat -> is_weights i (weights (softmax_layer n Lam M V) 0 z i).
Proof.
  intros Hi. cbn [weights softmax_layer].
  pose proof (kernel_row_sum_pos (softmax_kernel n (fun a b => Lam * M a b)) z i (softmax_positive _ _) Hi) as Hs.
  split.
  - intros k _ _. left. apply Rdiv_lt_0_compat; [apply exp_pos|exact Hs].
  - apply kernel_attention_sum. lra.
Qed.

(** Two weights of a row differ by the factor exp of the difference of their logits. *)
Lemma softmax_ratio n Lam M V z i k l :
  weights (softmax_layer n Lam M V) 0 z i k
  = exp (Lam * (bilinear n M (z i) (z k) - bilinear n M (z i) (z l))) * weights (softmax_layer n Lam M V) 0 z i l.
Proof.
  cbn [weights softmax_layer]. unfold kernel_attention, softmax_kernel. rewrite !bilinear_scal.
  unfold Rdiv. rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. ring.
Qed.

(** Logits that agree make weights that agree. *)
Lemma softmax_ext n Lam M V M' V' z z' i k :
  (1 <= k)%nat -> (k <= i)%nat ->
  (forall l, (1 <= l)%nat -> (l <= i)%nat -> bilinear n M (z i) (z l) = bilinear n M' (z' i) (z' l)) ->
  weights (softmax_layer n Lam M V) 0 z i k = weights (softmax_layer n Lam M' V') 0 z' i k.
Proof.
  intros H1 Hk H. cbn [weights softmax_layer]. unfold kernel_attention, softmax_kernel.
  rewrite !bilinear_scal, H by assumption. f_equal. apply possum_ext. intros l Hl Hli.
  rewrite !bilinear_scal, H by assumption. reflexivity.
Qed.

(** What a layer adds. *)
Lemma softmax_step n Lam M V z i a :
  residual_layer n (softmax_layer n Lam M V) z i a
  = z i a + average i (weights (softmax_layer n Lam M V) 0 z i) (fun k => linear_value n V (z k) a).
Proof.
  unfold residual_layer, layer_output, multi_head. cbn [head_count softmax_layer sum].
  rewrite Rplus_0_l. reflexivity.
Qed.

Lemma average_scal i w f c : average i w (fun k => c * f k) = c * average i w f.
Proof. unfold average. rewrite <- possum_scal. apply possum_ext. intros. ring. Qed.

Lemma average_plus i w f g : average i w (fun k => f k + g k) = average i w f + average i w g.
Proof. unfold average. rewrite <- possum_plus. apply possum_ext. intros. ring. Qed.

Lemma outer_step n Lam M u v z i a :
  residual_layer n (softmax_layer n Lam M (outer u v)) z i a
  = z i a + u a * average i (weights (softmax_layer n Lam M (outer u v)) 0 z i) (fun k => dot n v (z k)).
Proof.
  rewrite softmax_step, <- average_scal. f_equal. apply average_ext; [reflexivity|].
  intros. apply linear_outer.
Qed.

(** ** The weights of the noise layers *)

(** Flags of the input with its trigger at j. *)
Definition is_trigger_key (j k : nat) : R := if (k =? j)%nat then 1 else 0.
Definition is_content_key (j k : nat) : R := if (k =? 1)%nat then 0 else if (k =? j)%nat then 0 else 1.

(** Settles an equation of logits by the cases of its keys. *)
Ltac keys :=
  unfold is_trigger_key, is_content_key;
  repeat match goal with |- context [(?a =? ?b)%nat] => destruct (Nat.eqb_spec a b) end;
  try lia; try ring.

Section Weights.
  Context (n L j : nat) (x : sequence) (Lam : R).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x).

  Definition decay : R := exp (- Lam).

  (** Sequences with the input's trigger and content flags. *)
  Definition flagged (z : sequence) : Prop :=
    forall i, (1 <= i)%nat -> (i <= L)%nat ->
    z i 1%nat = is_trigger_key j i /\ z i (n - 1)%nat = is_content_key j i.

  Lemma input_flagged : flagged x.
  Proof using Hn Hx.
    intros i H1 Hi. split; [now apply (valid_trigger_flag n L j x Hx Hn)|].
    unfold is_content_key. destruct (Nat.eqb_spec i 1) as [->|E].
    - rewrite (first_is_bos _ _ _ _ Hx), bos_pos by lia. reflexivity.
    - apply (valid_content_flag n L j x Hx Hn); lia.
  Qed.

  (** The weights of the four layers on the input, and on every flagged sequence. *)
  Definition w (q i : nat) : nat -> R := weights (noise_layer n Lam 2 q) 0 x i.

  (** Logits of layer q, divided by Lam. *)
  Definition noise_logit (q i k : nat) : R :=
    is_content_key j i * is_content_key j k
    + is_trigger_key j i * match q with
                         | 0%nat => is_content_key j k + is_trigger_key j k
                         | 1%nat => is_trigger_key j k
                         | 2%nat => - is_content_key j k
                         | _ => 0
                         end.

  Lemma noise_layer_logits r q :
    exists M V, noise_layer n Lam r q = softmax_layer n Lam M V /\
    (exists V', noise_layer n Lam 2 q = softmax_layer n Lam M V') /\
    forall z, flagged z -> forall i k, (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat ->
    bilinear n M (z i) (z k) = noise_logit q i k.
  Proof using Hn.
    assert (H : forall M V, noise_layer n Lam r q = softmax_layer n Lam M V ->
              (exists V', noise_layer n Lam 2 q = softmax_layer n Lam M V') ->
              (forall (z : sequence) i k, bilinear n M (z i) (z k) =
                 z i (n - 1)%nat * z k (n - 1)%nat
                 + z i 1%nat * match q with
                               | 0%nat => z k (n - 1)%nat + z k 1%nat
                               | 1%nat => z k 1%nat
                               | 2%nat => - z k (n - 1)%nat
                               | _ => 0 end) ->
              exists M V, noise_layer n Lam r q = softmax_layer n Lam M V /\
              (exists V', noise_layer n Lam 2 q = softmax_layer n Lam M V') /\
              forall z, flagged z -> forall i k, (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat ->
              bilinear n M (z i) (z k) = noise_logit q i k).
    { intros M V E E2 Hb. exists M, V. split; [exact E|]. split; [exact E2|]. intros z Hz i k H1 Hk Hi.
      rewrite Hb. unfold noise_logit.
      destruct (Hz i) as [-> ->]; try lia. destruct (Hz k) as [-> ->]; try lia. reflexivity. }
    destruct q as [|[|[|q]]]; eapply H; try reflexivity; try (eexists; reflexivity); intros z i k;
      rewrite ?bilinear_outers, ?bilinear_outer, !dot_flags by assumption; ring.
  Qed.

  Lemma noise_weights z r q i k :
    flagged z -> (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat ->
    weights (noise_layer n Lam r q) 0 z i k = w q i k.
  Proof using Hn Hx.
    intros Hz H1 Hk Hi. unfold w.
    destruct (noise_layer_logits r q) as (M & V & -> & (V' & ->) & HM).
    apply softmax_ext; try assumption. intros l Hl Hli.
    rewrite !HM; try lia; [reflexivity|apply input_flagged|assumption].
  Qed.

  Lemma w_weights q i : (1 <= i)%nat -> is_weights i (w q i).
  Proof using Hn Hx.
    intros Hi. unfold w. destruct (noise_layer_logits 2 q) as (M & V & -> & _ & _). now apply softmax_weights.
  Qed.

  Lemma w_ratio q i k l :
    (1 <= k)%nat -> (k <= i)%nat -> (1 <= l)%nat -> (l <= i)%nat -> (i <= L)%nat ->
    w q i k = exp (Lam * (noise_logit q i k - noise_logit q i l)) * w q i l.
  Proof using Hn Hx.
    intros Hk Hki Hl Hli Hi. unfold w. destruct (noise_layer_logits 2 q) as (M & V & -> & _ & HM).
    rewrite <- !(HM x input_flagged) by assumption. apply softmax_ratio.
  Qed.

  (** Rows that are not the trigger's meet the same weights in all four layers. *)
  Lemma w_quiet q i k :
    (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat -> i <> j -> w q i k = w 3 i k.
  Proof using Hn Hx.
    intros H1 Hk Hi E. unfold w.
    destruct (noise_layer_logits 2 q) as (M & V & -> & _ & HM).
    destruct (noise_layer_logits 2 3) as (M' & V' & -> & _ & HM').
    apply softmax_ext; try assumption. intros l Hl Hli.
    rewrite (HM x input_flagged), (HM' x input_flagged) by lia.
    unfold noise_logit, is_trigger_key. destruct (Nat.eqb_spec i j); [lia|]. ring.
  Qed.

  (** Equal logits, and logits that differ by 1. *)
  Lemma w_same q i k l :
    (1 <= k)%nat -> (k <= i)%nat -> (1 <= l)%nat -> (l <= i)%nat -> (i <= L)%nat ->
    noise_logit q i k = noise_logit q i l -> w q i k = w q i l.
  Proof using Hn Hx.
    intros Hk Hki Hl Hli Hi H. rewrite (w_ratio q i k l) by assumption.
    rewrite H, Rminus_diag_eq, Rmult_0_r, exp_0 by reflexivity. ring.
  Qed.

  Lemma w_less q i k l :
    (1 <= k)%nat -> (k <= i)%nat -> (1 <= l)%nat -> (l <= i)%nat -> (i <= L)%nat ->
    noise_logit q i k = noise_logit q i l - 1 -> w q i k = decay * w q i l.
  Proof using Hn Hx.
    intros Hk Hki Hl Hli Hi H. rewrite (w_ratio q i k l) by assumption. unfold decay.
    do 2 f_equal. rewrite H. ring.
  Qed.

  Lemma decay_pos : 0 < decay.
  Proof using. apply exp_pos. Qed.

  Lemma w_less_decay q i k l :
    (1 <= k)%nat -> (k <= i)%nat -> (1 <= l)%nat -> (l <= i)%nat -> (i <= L)%nat ->
    noise_logit q i k = noise_logit q i l - 1 -> w q i k <= decay.
  Proof using Hn Hx.
    intros Hk Hki Hl Hli Hi H. rewrite (w_less q i k l) by assumption.
    rewrite <- (Rmult_1_r decay) at 2. apply Rmult_le_compat_l; [left; apply decay_pos|].
    apply (weight_le_1 i); try assumption. apply w_weights. lia.
  Qed.

  (** A content row gives BOS and the trigger at most decay. *)
  Lemma w_content_row q i k :
    (2 <= i)%nat -> (i <= L)%nat -> i <> j -> k = 1%nat \/ k = j -> (k <= i)%nat -> w q i k <= decay.
  Proof using Hn Hx.
    intros H2 Hi E Hk Hki. pose proof (trigger_from_3 _ _ _ _ Hx).
    apply (w_less_decay q i k i); try lia. unfold noise_logit. keys.
  Qed.

  (** The trigger's row. *)
  Lemma w_trigger_0 :
    w 0 j 1%nat = decay * w 0 j j /\ forall k, (2 <= k)%nat -> (k <= j)%nat -> w 0 j k = w 0 j j.
  Proof using Hn Hx.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    split; [apply w_less|intros; apply w_same]; try lia; unfold noise_logit; keys.
  Qed.

  Lemma w_trigger_1 k : (1 <= k)%nat -> (k < j)%nat -> w 1 j k <= decay.
  Proof using Hn Hx.
    intros H1 Hk. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    apply (w_less_decay 1 j k j); try lia. unfold noise_logit. keys.
  Qed.

  Lemma w_trigger_2 :
    w 2 j 1%nat = w 2 j j /\ forall k, (2 <= k)%nat -> (k < j)%nat -> w 2 j k <= decay.
  Proof using Hn Hx.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    split; [apply w_same|intros k H2 Hk; apply (w_less_decay 2 j k j)]; try lia; unfold noise_logit; keys.
  Qed.

  Lemma w_trigger_3 k : (1 <= k)%nat -> (k <= j)%nat -> w 3 j k = w 3 j j.
  Proof using Hn Hx.
    intros H1 Hk. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    apply w_same; try lia. unfold noise_logit. keys.
  Qed.

  (** BOS attention of the noise layers. *)
  Lemma w_bos q i :
    0 <= Lam -> (2 <= i)%nat -> (i <= L)%nat -> w q i 1%nat <= if (i =? j)%nat then / 2 else decay.
  Proof using Hn Hx.
    intros HLam H2 Hi. destruct (Nat.eqb_spec i j) as [->|E]; [|apply w_content_row; auto; lia].
    assert (H : w q j 1%nat <= w q j j).
    { rewrite (w_ratio q j 1%nat j) by lia. rewrite <- (Rmult_1_l (w q j j)) at 2.
      destruct (w_weights q j ltac:(lia)) as [Hpos _].
      apply Rmult_le_compat_r; [apply Hpos; lia|]. rewrite <- exp_0.
      assert (Hlogit : Lam * (noise_logit q j 1%nat - noise_logit q j j) <= 0).
      { rewrite <- (Rmult_0_r Lam). apply Rmult_le_compat_l; [assumption|].
        unfold noise_logit. destruct q as [|[|[|q]]]; keys; lra. }
      destruct Hlogit as [H|H]; [left; now apply exp_increasing|rewrite H; lra]. }
    pose proof (two_weights_le_1 j (w q j) (w_weights q j ltac:(lia)) ltac:(lia)). lra.
  Qed.
End Weights.
