(** * tc-2: losses, finite means, random sequences

    What the other files need: [loss] bounds what [sup_loss_le] speaks of ([loss_le_iff]); means over independent
    draws ([mean_le], [mean_plus], [mean_nth], ..); P is a probability ([probability_true],
    [probability_not]); random sequences are valid ([random_valid]) and noise laws give token laws.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-2 Claim random_sequences.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task hard_switch.
From Claim Require Import statement.
Import ListNotations.
Open Scope R_scope.

(** ** Losses *)

Lemma at_most_true x y : at_most x y = true <-> x <= y.
Proof. unfold at_most. destruct (Rle_dec x y); split; intros; auto; try discriminate; contradiction. Qed.

Lemma row_error_coordinate n j out x i r :
  (r < n)%nat -> Rabs (out x i r - target j x i r) <= row_error n j out x i.
Proof. intros Hr. apply (maximum_ge n (fun r => Rabs (out x i r - target j x i r))). exact Hr. Qed.

Lemma loss_row n L j out x i :
  (1 <= i)%nat -> (i <= L)%nat -> row_error n j out x i <= loss n L j out x.
Proof.
  intros H1 H2. destruct i as [|i]; [lia|].
  apply (maximum_ge L (fun i => row_error n j out x (S i))). lia.
Qed.

(** [loss] is the least bound of the errors that [sup_loss_le] speaks of. *)
Lemma loss_le_iff n L j out x eta :
  0 <= eta ->
  loss n L j out x <= eta <->
  (forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (out x i r - target j x i r) <= eta).
Proof.
  intros He. split.
  - intros H i r H1 H2 Hr. apply Rle_trans with (row_error n j out x i); [now apply row_error_coordinate|].
    apply Rle_trans with (loss n L j out x); [now apply loss_row|exact H].
  - intros H. apply maximum_le; [assumption|]. intros i Hi. apply maximum_le; [assumption|].
    intros r Hr. apply H; lia.
Qed.

(** The trigger row looks at positions 1..j only. *)
Lemma trigger_row_causal n j K v (z z' : sequence) :
  (1 <= j)%nat -> (forall i, (1 <= i)%nat -> (i <= j)%nat -> z i = z' i) ->
  row_error n j (head (kernel_attention K) v) z j = row_error n j (head (kernel_attention K) v) z' j.
Proof.
  intros Hj H. apply maximum_ext. intros r _. f_equal. f_equal.
  - rewrite !kernel_head_quotient.
    rewrite (H j) by lia. f_equal; apply possum_ext; intros k H1 H2; now rewrite (H k) by lia.
  - unfold target, mean_from_2. rewrite Nat.eqb_refl. f_equal. apply sum_ext.
    intros k Hk. now rewrite H by lia.
Qed.

(** ** Finite means *)

Lemma indicator_range b : 0 <= indicator b <= 1.
Proof. destruct b; simpl; lra. Qed.

Lemma indicator_negb b : indicator (negb b) = 1 - indicator b.
Proof. destruct b; simpl; ring. Qed.

Lemma forallb_false {A : Type} (f : A -> bool) (l : list A) :
  forallb f l = false -> exists x, In x l /\ f x = false.
Proof.
  induction l as [|x l IH]; cbn [forallb]; intros H; [discriminate|].
  destruct (f x) eqn:E.
  - destruct (IH H) as (y & Hy & Ey). exists y. split; [now right|exact Ey].
  - exists x. split; [now left|exact E].
Qed.

Section Means.
  Context (N : nat) (w : nat -> R) (Hw : forall k, (k < N)%nat -> 0 <= w k) (Hw1 : sum N w = 1).

  (** The lists that are summed over. *)
  Definition drawn (p : nat) (l : list nat) : Prop := length l = p /\ Forall (fun k => (k < N)%nat) l.

  Lemma drawn_cons p k l : (k < N)%nat -> drawn p l -> drawn (S p) (k :: l).
  Proof using Type. intros Hk [Hl Hf]. split; [simpl; lia|now constructor]. Qed.

  Lemma mean_le p f g : (forall l, drawn p l -> f l <= g l) -> mean_draws N w p f <= mean_draws N w p g.
  Proof using Hw.
    revert f g. induction p as [|p IH]; intros f g H; cbn [mean_draws].
    - apply H. split; constructor.
    - apply sum_le. intros k Hk. apply Rmult_le_compat_l; [now apply Hw|]. apply IH.
      intros l Hl. apply H. now apply drawn_cons.
  Qed.

  Lemma mean_ext p f g : (forall l, drawn p l -> f l = g l) -> mean_draws N w p f = mean_draws N w p g.
  Proof using Hw. intros H. apply Rle_antisym; apply mean_le; intros l Hl; rewrite (H l Hl); lra. Qed.

  Lemma mean_plus p f g :
    mean_draws N w p (fun l => f l + g l) = mean_draws N w p f + mean_draws N w p g.
  Proof using Type.
    revert f g. induction p as [|p IH]; intros f g; cbn [mean_draws]; [reflexivity|].
    rewrite <- sum_plus. apply sum_ext. intros k _. rewrite IH. ring.
  Qed.

  Lemma weights_const a : sum N (fun k => w k * a) = a.
  Proof using Hw1. rewrite sum_scal_r, Hw1. ring. Qed.

  Lemma mean_const p a : mean_draws N w p (fun _ => a) = a.
  Proof using Hw1.
    induction p as [|p IH]; cbn [mean_draws]; [reflexivity|]. rewrite IH. apply weights_const.
  Qed.

  Lemma mean_minus_1 p f : mean_draws N w p (fun l => 1 - f l) = 1 - mean_draws N w p f.
  Proof using Hw1.
    assert (E : mean_draws N w p (fun l => (1 - f l) + f l) = 1).
    { transitivity (mean_draws N w p (fun _ => 1)); [|apply mean_const]. f_equal. apply FunctionalExtensionality.functional_extensionality.
      intros l. cbv beta. ring. }
    rewrite mean_plus in E. lra.
  Qed.

  Lemma mean_zero_to p f : (forall l, drawn p l -> f l = 0) -> mean_draws N w p f = 0.
  Proof using Hw Hw1. intros H. rewrite (mean_ext p f (fun _ => 0) H). apply mean_const. Qed.

  (** One draw of many: the others integrate to 1. *)
  Lemma mean_nth p i (g : nat -> R) :
    (i < p)%nat -> mean_draws N w p (fun l => g (nth i l 0%nat)) = sum N (fun k => w k * g k).
  Proof using Hw1.
    revert i. induction p as [|p IH]; intros i Hi; [lia|]. cbn [mean_draws]. destruct i as [|i].
    - apply sum_ext. intros k _. cbn [nth]. now rewrite mean_const.
    - cbn [nth]. rewrite IH by lia. apply weights_const.
  Qed.

  (** Finitely many functions. *)
  Lemma mean_sum p m (g : nat -> list nat -> R) :
    mean_draws N w p (fun l => sum m (fun i => g i l)) = sum m (fun i => mean_draws N w p (g i)).
  Proof using Hw1.
    induction m as [|m IH]; cbn [sum]; [apply mean_const|]. now rewrite mean_plus, IH.
  Qed.

  (** The first draws apart. *)
  Lemma mean_first_two p (f : list nat -> R) (g : nat -> nat -> R) :
    (2 <= p)%nat ->
    (forall a b l, drawn (p - 2) l -> (a < N)%nat -> (b < N)%nat -> g a b <= f (a :: b :: l)) ->
    sum N (fun a => w a * sum N (fun b => w b * g a b)) <= mean_draws N w p f.
  Proof using Hw Hw1.
    intros Hp H. destruct p as [|[|p]]; try lia. cbn [mean_draws].
    apply sum_le. intros a Ha. apply Rmult_le_compat_l; [now apply Hw|].
    apply sum_le. intros b Hb. apply Rmult_le_compat_l; [now apply Hw|].
    rewrite <- (mean_const p (g a b)). apply mean_le. intros l Hl. apply H; auto.
    cbn [Nat.sub]. now rewrite Nat.sub_0_r.
  Qed.

  Lemma mean_first_three p (f : list nat -> R) (g : nat -> nat -> nat -> R) :
    (3 <= p)%nat ->
    (forall k a b l, drawn (p - 3) l -> (k < N)%nat -> (a < N)%nat -> (b < N)%nat ->
       g k a b <= f (k :: a :: b :: l)) ->
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b * g k a b))) <= mean_draws N w p f.
  Proof using Hw Hw1.
    intros Hp H. destruct p as [|p]; [lia|]. cbn [mean_draws].
    apply sum_le. intros k Hk. apply Rmult_le_compat_l; [now apply Hw|].
    apply mean_first_two; [lia|]. intros a b l Hl Ha Hb. now apply H.
  Qed.

  Lemma mean_of_three p (g : nat -> nat -> nat -> R) :
    (3 <= p)%nat ->
    mean_draws N w p (fun l => g (nth 0 l 0%nat) (nth 1 l 0%nat) (nth 2 l 0%nat))
    = sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b * g k a b))).
  Proof using Hw1.
    intros Hp. destruct p as [|[|[|p]]]; try lia. cbn [mean_draws nth].
    apply sum_ext. intros k _. f_equal. apply sum_ext. intros a _. f_equal.
    apply sum_ext. intros b _. f_equal. apply mean_const.
  Qed.
End Means.

(** 1 + 2 + .. + m. *)
Lemma sum_positions m : sum m (fun a => INR (a + 1)) = INR m * (INR m + 1) / 2.
Proof.
  induction m as [|m IH]; [simpl; lra|]. cbn [sum]. rewrite IH, plus_INR, (S_INR m).
  change (INR 1) with 1. lra.
Qed.

Lemma sum_pair_le p f a :
  (S a < p)%nat -> (forall k, (k < p)%nat -> 0 <= f k) -> f a + f (S a) <= sum p f.
Proof.
  induction p as [|p IH]; intros Ha Hf; [lia|]. cbn [sum].
  assert (Hp : 0 <= f p) by (apply Hf; lia).
  destruct (Nat.eq_dec (S a) p) as [E|E].
  - rewrite E. pose proof (sum_term_le p f a) as T.
    assert (f a <= sum p f) by (apply T; [intros; apply Hf|]; lia). lra.
  - assert (f a + f (S a) <= sum p f) by (apply IH; [lia|intros; apply Hf; lia]). lra.
Qed.

(** *** P is a probability *)

Theorem probability_true : statement.probability_true.
Proof.
  intros L N w HL Hw. unfold probability. rewrite (sum_ext _ _ (fun _ => 1)).
  - rewrite sum_const. field. apply not_0_INR. lia.
  - intros a _. now apply mean_const.
Qed.

Theorem probability_not : statement.probability_not.
Proof.
  intros L N w A HL Hw. unfold probability. rewrite (sum_ext _ _
    (fun a => 1 - mean_draws N w (L - 1) (fun l => indicator (A (a + 3)%nat l)))).
  - rewrite sum_minus, sum_const. field. apply not_0_INR. lia.
  - intros a _. rewrite <- mean_minus_1 by assumption. f_equal.
    apply FunctionalExtensionality.functional_extensionality. intros l. apply indicator_negb.
Qed.

Lemma probability_nonneg L N w A :
  (3 <= L)%nat -> (forall k, (k < N)%nat -> 0 <= w k) -> sum N w = 1 -> 0 <= probability L N w A.
Proof.
  intros HL Hw Hw1. apply Rmult_le_pos.
  - apply sum_nonneg. intros a _. rewrite <- (mean_const N w Hw1 (L - 1) 0).
    apply mean_le; [assumption|]. intros. apply indicator_range.
  - left. apply Rinv_0_lt_compat, lt_0_INR. lia.
Qed.

(** ** Random sequences *)

Section Sequences.
  Context (n L N : nat) (w : nat -> R) (c t : nat -> token) (Hlaw : token_law n N w c t).

  Lemma points_exist : (0 < N)%nat.
  Proof using Hlaw.
    destruct N as [|N']; [|lia]. pose proof (token_total _ _ _ _ _ Hlaw) as H. cbn [sum] in H. lra.
  Qed.

  Lemma nth_drawn l i : Forall (fun k => (k < N)%nat) l -> (nth i l 0 < N)%nat.
  Proof using Hlaw.
    intros Hl. destruct (nth_in_or_default i l 0%nat) as [H|H].
    - rewrite Forall_forall in Hl. now apply Hl.
    - rewrite H. exact points_exist.
  Qed.

  Lemma random_valid j l :
    Forall (fun k => (k < N)%nat) l -> (3 <= j)%nat -> (j <= L)%nat -> valid n L j (random_sequence c t j l).
  Proof using Hlaw.
    intros Hl H3 HjL. unfold random_sequence. split; try assumption.
    - reflexivity.
    - destruct (Nat.eqb_spec j 1); [lia|]. rewrite Nat.eqb_refl.
      apply (token_trigger _ _ _ _ _ Hlaw). now apply nth_drawn.
    - intros i Hi _ E. destruct (Nat.eqb_spec i 1); [lia|]. destruct (Nat.eqb_spec i j); [lia|].
      apply (token_content _ _ _ _ _ Hlaw). now apply nth_drawn.
  Qed.
End Sequences.

Lemma content_token_is_content n u :
  (4 <= n)%nat -> (forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> -1 <= u r <= 1) ->
  is_content n (content_token n u).
Proof.
  intros Hn Hu. split.
  - reflexivity.
  - reflexivity.
  - unfold content_flag, content_token.
    destruct (Nat.ltb_spec (n - 1) 2); [lia|]. destruct (Nat.ltb_spec (n - 1) (n - 1)); [lia|].
    now rewrite Nat.eqb_refl.
  - intros k H1 H2. unfold content_token. destruct (Nat.ltb_spec k 2); [lia|].
    destruct (Nat.ltb_spec k (n - 1)); [|lia]. now apply Hu.
  - intros k H. unfold content_token.
    destruct (Nat.ltb_spec k 2); [lia|]. destruct (Nat.ltb_spec k (n - 1)); [lia|].
    destruct (Nat.eqb_spec k (n - 1)); [lia|reflexivity].
Qed.

Lemma trigger_token_is_trigger n u :
  (4 <= n)%nat -> (forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> -1 <= u r <= 1) ->
  is_trigger n (trigger_token n u).
Proof.
  intros Hn Hu. split.
  - reflexivity.
  - reflexivity.
  - unfold content_flag, trigger_token.
    destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
    destruct (Nat.ltb_spec (n - 1) (n - 1)); [lia|reflexivity].
  - intros k H1 H2. unfold trigger_token. destruct (Nat.eqb_spec k 0); [lia|].
    destruct (Nat.eqb_spec k 1); [lia|]. destruct (Nat.ltb_spec k (n - 1)); [|lia]. now apply Hu.
  - intros k H. unfold trigger_token.
    destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec k 1); [lia|].
    destruct (Nat.ltb_spec k (n - 1)); [lia|reflexivity].
Qed.

(** A noise law gives a token law. *)
Lemma noise_law_tokens n N w u :
  (4 <= n)%nat -> noise_law n N w u ->
  token_law n N w (contents n u) (triggers n u).
Proof.
  intros Hn [H1 H2 H3]. split; auto.
  - intros k Hk. apply content_token_is_content; auto.
  - intros k Hk. apply trigger_token_is_trigger; auto.
Qed.


Print Assumptions probability_true.
Print Assumptions probability_not.
