(** * tc-2: the sink with high probability

    (i) x *lacks a pair* if no (y,t) has both rows of the probe good; q = P[x lacks a pair], e_j = P[l > eta | j].
    e_4 >= q (1 - e_3), and, as row 4 is symmetric in x and y, e_4 >= 2 q (1 - e_3) - q^2 ([lacking_costs]).
    (ii) e_3 + e_4 <= (L-2) delta ([miss_sum]).  (iii) A union over the j - 2 content tokens before the trigger,
    (L-1)/2 on average; at j = 4 lacking tokens and large losses overlap ([union_bound], [leading_cost]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-2 Claim high_probability.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task hard_switch.
From Claim Require Import statement random_sequences probes.
Import ListNotations.
Open Scope R_scope.

(** ** What lacking a pair costs *)

(** What q = P[x lacks a pair] can be, given e_3, e_4 and s = (L-2) delta. *)
Lemma lacking_simple q e3 e4 s :
  0 <= e3 -> q <= 1 -> q * (1 - e3) <= e4 -> e3 + e4 <= s -> s < 1 -> q <= s.
Proof.
  intros H3 Hq H4 Hs Hs1. assert (He : 0 < 1 - e3).
  { apply Rnot_le_lt. intros H. assert (0 <= (1 - q) * (e3 - 1)) by (apply Rmult_le_pos; lra). lra. }
  apply (Rmult_le_reg_r (1 - e3)); [assumption|].
  assert (0 <= e3 * (1 - s)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma lacking_symmetric q e3 e4 s :
  0 <= e3 -> 0 <= q <= 1 -> q * (1 - e3) <= e4 -> 2 * q * (1 - e3) - q * q <= e4 ->
  e3 + e4 <= s -> s < 3 / 4 -> 2 * q - q * q <= s.
Proof.
  intros H3 Hq H4 H4' Hs Hs1. destruct (Rle_lt_dec q (1 / 2)) as [Hh|Hh].
  - assert (0 <= e3 * (1 - 2 * q)) by (apply Rmult_le_pos; lra). lra.
  - exfalso.
    assert (A : 0 <= (2 * q - 1) * (s - q - e3 * (1 - q))) by (apply Rmult_le_pos; lra).
    assert (B : 0 <= (1 - q) * (s - e3 - 2 * q * (1 - e3) + q * q)) by (apply Rmult_le_pos; lra).
    assert (C : 0 < q * (3 / 4 - s)) by (apply Rmult_lt_0_compat; lra).
    assert (D : 0 <= q * ((q - 1 / 2) * (q - 1 / 2))).
    { apply Rmult_le_pos; [lra|]. apply Rle_0_sqr. }
    lra.
Qed.

Lemma quadratic_root q s : 0 <= q <= 1 -> 2 * q - q * q <= s -> q <= 1 - sqrt (1 - s).
Proof.
  intros Hq H. assert (sqrt (1 - s) <= 1 - q); [|lra].
  rewrite <- (sqrt_Rsqr (1 - q)) by lra. apply sqrt_le_1_alt. unfold Rsqr. lra.
Qed.

(** 1 - sqrt(1 - s) <= s. *)
Lemma root_bounds s : 0 <= s <= 1 -> 1 - sqrt (1 - s) <= s.
Proof.
  intros Hs. assert (1 - s <= sqrt (1 - s)); [|lra].
  rewrite <- (sqrt_Rsqr (1 - s)) at 1 by lra. apply sqrt_le_1_alt. unfold Rsqr.
  assert (0 <= s * (1 - s)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Q^2 (1-2Q) + r (1-6Q+6Q^2) + 6 (1-Q) r^2 >= 0 for small Q. *)
Lemma leading_polynomial Q r :
  0 <= Q <= 43 / 100 -> 0 <= r ->
  0 <= Q * Q * (1 - 2 * Q) + r * (1 - 6 * Q + 6 * (Q * Q)) + 6 * (1 - Q) * (r * r).
Proof.
  intros HQ Hr. assert (HQQ : 0 <= Q * Q) by apply Rle_0_sqr. assert (Hrr : 0 <= r * r) by apply Rle_0_sqr.
  destruct (Rle_lt_dec Q (1 / 5)) as [H|H].
  - assert (0 <= Q * Q * (1 - 2 * Q)) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 / 5 - Q) * (1 / 5 - Q)) by apply Rle_0_sqr.
    assert (0 <= r * (1 - 6 * Q + 6 * (Q * Q))) by (apply Rmult_le_pos; lra).
    assert (0 <= 6 * (1 - Q) * (r * r)) by (apply Rmult_le_pos; lra). lra.
  - assert (H1 : 0 <= (Q - 1 / 5) * (43 / 100 - Q)) by (apply Rmult_le_pos; lra).
    assert (H2 : 0 <= (Q - 1 / 5) * (Q - 1 / 5)) by apply Rle_0_sqr.
    assert (H3 : 0 <= (Q - 1 / 5) * (Q - 1 / 5) * (1 - 2 * Q)) by (apply Rmult_le_pos; lra).
    assert (A : 184 / 10000 <= Q * Q * (1 - 2 * Q)) by lra.
    assert (H4 : 0 <= (Q - 1 / 2) * (Q - 1 / 2)) by apply Rle_0_sqr.
    assert (B : 0 <= r * (1 - 6 * Q + 6 * (Q * Q) + 1 / 2)) by (apply Rmult_le_pos; lra).
    assert (C : 0 <= (43 / 100 - Q) * (r * r)) by (apply Rmult_le_pos; lra).
    assert (D : 0 <= (r - 25 / 342) * (r - 25 / 342)) by apply Rle_0_sqr. lra.
Qed.

(** Where the loss is large and where a token lacks a pair overlap at j = 4: the union costs no more
    than lacking tokens alone would. *)
Lemma leading_cost q Q e3 s :
  0 <= e3 -> 0 <= q -> q <= Q -> Q <= 43 / 100 -> s = 2 * Q - Q * Q ->
  e3 * (1 - 2 * q) <= s - 2 * q + q * q -> s - 2 * q * (1 - e3) <= 3 * (Q - q).
Proof.
  intros H3 Hq HqQ HQ Hs Hsym. set (r := Q - q).
  pose proof (leading_polynomial Q r ltac:(lra) ltac:(unfold r; lra)) as HG.
  assert (Hr : 0 <= r) by (unfold r; lra).
  assert (Hrrr : 0 <= r * r * r) by (repeat apply Rmult_le_pos; assumption).
  assert (H1 : 0 <= 2 * q * (s - 2 * q + q * q - e3 * (1 - 2 * q))) by (apply Rmult_le_pos; lra).
  assert (H2 : 0 <= (1 - 2 * q) * (r + Q * Q - 2 * q * e3)).
  { replace ((1 - 2 * q) * (r + Q * Q - 2 * q * e3))
      with (Q * Q * (1 - 2 * Q) + r * (1 - 6 * Q + 6 * (Q * Q)) + 6 * (1 - Q) * (r * r) + 2 * (r * r * r)
            + 2 * q * (s - 2 * q + q * q - e3 * (1 - 2 * q))) by (rewrite Hs; unfold r; ring).
    lra. }
  assert (H5 : 0 <= r + Q * Q - 2 * q * e3).
  { apply (Rmult_le_reg_l (1 - 2 * q)); [lra|]. rewrite Rmult_0_r. exact H2. }
  unfold r in *. lra.
Qed.

Section Random.
  Context (n L N : nat) (w : nat -> R) (c t : nat -> token) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (HK : positive_kernel K) (Heta : eta <= 1 / 12)
          (Hlaw : token_law n N w c t).

  Let out : model := head (kernel_attention K) v.
  Let x_of := random_sequence c t.

  (** The two rows of a probe, by the points of x, y and t. *)
  Definition good_4 (k a b : nat) : bool := at_most (row_error n 4 out (x_of 4%nat [k; a; b]) 4) eta.
  Definition good_3 (a b : nat) : bool := at_most (row_error n 3 out (x_of 3%nat [a; b]) 3) eta.

  Lemma good_4_of_loss k a b l :
    loss n L 4 out (x_of 4%nat (k :: a :: b :: l)) <= eta -> good_4 k a b = true.
  Proof using Hn HL HK Heta Hlaw.
    intros H. apply at_most_true. eapply Rle_trans; [|exact H].
    unfold out. rewrite (trigger_row_causal n 4 K v _ (x_of 4%nat (k :: a :: b :: l))); [apply loss_row; lia|lia|].
    intros i H1 H2. assert (E : (i = 1 \/ i = 2 \/ i = 3 \/ i = 4)%nat) by lia.
    destruct E as [->|[->|[->| ->]]]; reflexivity.
  Qed.

  Lemma good_3_of_loss a b l :
    loss n L 3 out (x_of 3%nat (a :: b :: l)) <= eta -> good_3 a b = true.
  Proof using Hn HL HK Heta Hlaw.
    intros H. apply at_most_true. eapply Rle_trans; [|exact H].
    unfold out. rewrite (trigger_row_causal n 3 K v _ (x_of 3%nat (a :: b :: l))); [apply loss_row; lia|lia|].
    intros i H1 H2. assert (E : (i = 1 \/ i = 2 \/ i = 3)%nat) by lia.
    destruct E as [->|[->| ->]]; reflexivity.
  Qed.

  (** Row 4 does not know the order of x and y. *)
  Lemma good_4_symmetric k a b : good_4 k a b = good_4 a k b.
  Proof using Hn HL HK Heta Hlaw.
    unfold good_4. f_equal. apply maximum_ext. intros r _. f_equal. f_equal.
    - unfold out. rewrite !kernel_head_quotient. unfold possum, x_of, random_sequence.
      cbn [sum Nat.eqb Nat.sub nth]. f_equal; ring.
    - unfold target, mean_from_2, x_of, random_sequence. cbn [sum Nat.eqb Nat.sub Nat.add nth].
      f_equal. ring.
  Qed.

  (** No pair (y,t) has both rows good. *)
  Definition lacks (k : nat) : bool :=
    forallb (fun a => forallb (fun b => negb (good_4 k a b && good_3 a b)) (seq 0 N)) (seq 0 N).

  Lemma lacks_spec k a b :
    lacks k = true -> (a < N)%nat -> (b < N)%nat -> good_3 a b = true -> good_4 k a b = false.
  Proof using Hn HL HK Heta Hlaw.
    unfold lacks. intros H Ha Hb H3. rewrite forallb_forall in H.
    assert (H' := H a ltac:(apply in_seq; lia)). rewrite forallb_forall in H'.
    assert (H'' := H' b ltac:(apply in_seq; lia)). rewrite H3, andb_true_r in H''.
    now apply negb_true_iff.
  Qed.

  Lemma has_pair k : lacks k = false ->
    exists a b, (a < N)%nat /\ (b < N)%nat /\ good_4 k a b = true /\ good_3 a b = true.
  Proof using Hn HL HK Heta Hlaw.
    unfold lacks. intros H.
    destruct (forallb_false _ _ H) as (a & Ha & H'). destruct (forallb_false _ _ H') as (b & Hb & H'').
    apply in_seq in Ha. apply in_seq in Hb. apply negb_false_iff, andb_true_iff in H''.
    exists a, b. repeat split; try lia; tauto.
  Qed.

  (** q, e_j. *)
  Definition lacking : R := sum N (fun k => w k * indicator (lacks k)).
  Definition miss (j : nat) : R :=
    mean_draws N w (L - 1) (fun l => indicator (loss_above n L out c t eta j l)).
  Let bad_3 : R := sum N (fun a => w a * sum N (fun b => w b * indicator (negb (good_3 a b)))).

  Let Hw := token_weight _ _ _ _ _ Hlaw.
  Let Hw1 := token_total _ _ _ _ _ Hlaw.

  Lemma lacking_range : 0 <= lacking <= 1.
  Proof using Hn HL HK Heta Hlaw.
    split.
    - apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [now apply Hw|apply indicator_range].
    - rewrite <- Hw1. apply sum_le. intros k Hk. rewrite <- (Rmult_1_r (w k)) at 2.
      apply Rmult_le_compat_l; [now apply Hw|apply indicator_range].
  Qed.

  Lemma miss_range j : 0 <= miss j.
  Proof using Hn HL HK Heta Hlaw.
    rewrite <- (mean_const N w Hw1 (L - 1) 0). apply mean_le; [exact Hw|].
    intros. apply indicator_range.
  Qed.

  Lemma bad_3_le : bad_3 <= miss 3.
  Proof using Hn HL HK Heta Hlaw.
    apply (mean_first_two N w Hw Hw1); [lia|]. intros a b l _ _ _.
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl.
    - apply at_most_true, good_3_of_loss in E. rewrite E. simpl. lra.
    - apply indicator_range.
  Qed.

  (** A mean over (x,y,t) of indicators bounds e_4 from below if they force row 4 to be bad. *)
  Lemma miss_4_ge (g : nat -> nat -> nat -> R) :
    (forall k a b, (k < N)%nat -> (a < N)%nat -> (b < N)%nat -> g k a b <= indicator (negb (good_4 k a b))) ->
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b * g k a b))) <= miss 4.
  Proof using Hn HL HK Heta Hlaw.
    intros Hg. apply (mean_first_three N w Hw Hw1); [lia|]. intros k a b l _ Hk Ha Hb.
    eapply Rle_trans; [now apply Hg|].
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl.
    - apply at_most_true, good_4_of_loss in E. rewrite E. simpl. lra.
    - apply indicator_range.
  Qed.

  (** Mean over (x,y,t) of [x lacks a pair and row 3 of (y,t) is good]: independence. *)
  Lemma mean_lacks_good :
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
      (indicator (lacks k) * indicator (good_3 a b))))) = lacking * (1 - bad_3).
  Proof using Hn HL HK Heta Hlaw.
    unfold lacking. rewrite <- sum_scal_r. apply sum_ext. intros k _.
    rewrite Rmult_assoc. f_equal. unfold bad_3.
    rewrite <- Hw1 at 1. rewrite <- sum_minus, <- sum_scal. apply sum_ext. intros a _.
    rewrite <- (Rmult_1_r (w a)) at 2. rewrite <- Rmult_minus_distr_l, <- Rmult_assoc, (Rmult_comm _ (w a)), Rmult_assoc.
    f_equal. rewrite <- Hw1 at 1. rewrite <- sum_minus, <- sum_scal. apply sum_ext. intros b _.
    rewrite indicator_negb. ring.
  Qed.

  (** (iii) What lacking a pair costs at trigger position 4. *)
  Lemma lacking_costs :
    lacking * (1 - miss 3) <= miss 4 /\ 2 * lacking * (1 - miss 3) - lacking * lacking <= miss 4.
  Proof using Hn HL HK Heta Hlaw.
    pose proof lacking_range as Hq. pose proof bad_3_le as H3.
    assert (Hqb : 0 <= lacking * (miss 3 - bad_3)) by (apply Rmult_le_pos; lra).
    assert (Hforce : forall k a b, (a < N)%nat -> (b < N)%nat ->
              indicator (lacks k) * indicator (good_3 a b) <= indicator (negb (good_4 k a b))).
    { intros k a b Ha Hb. destruct (lacks k) eqn:E; simpl.
      - destruct (good_3 a b) eqn:E3; simpl.
        + rewrite (lacks_spec k a b E Ha Hb E3). simpl. lra.
        + rewrite Rmult_0_r. apply indicator_range.
      - rewrite Rmult_0_l. apply indicator_range. }
    split.
    - apply Rle_trans with (lacking * (1 - bad_3)); [lra|].
      rewrite <- mean_lacks_good. apply miss_4_ge. intros. now apply Hforce.
    - apply Rle_trans with (2 * (lacking * (1 - bad_3)) - lacking * lacking); [lra|].
      eapply Rle_trans; [|apply (miss_4_ge (fun k a b =>
        (indicator (lacks k) * indicator (good_3 a b) + indicator (lacks a) * indicator (good_3 k b))
        - indicator (lacks k) * indicator (lacks a)))].
      + apply Req_le.
        rewrite (sum_ext N _ (fun k =>
          w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks k) * indicator (good_3 a b))))
          + w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks a) * indicator (good_3 k b))))
          - w k * indicator (lacks k) * lacking)).
        * rewrite sum_minus, sum_plus, mean_lacks_good, sum_scal_r. fold lacking.
          rewrite (sum_ext N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
                     (indicator (lacks a) * indicator (good_3 k b)))))
                   (fun k => sum N (fun a => w k * (w a * sum N (fun b => w b *
                     (indicator (lacks a) * indicator (good_3 k b))))))).
          2:{ intros k _. now rewrite sum_scal. }
          rewrite sum_swap.
          rewrite (sum_ext N _ (fun a => w a * sum N (fun k => w k * sum N (fun b => w b *
                     (indicator (lacks a) * indicator (good_3 k b)))))).
          2:{ intros a _. rewrite <- sum_scal. apply sum_ext. intros k _. ring. }
          rewrite mean_lacks_good. ring.
        * intros k _. unfold lacking.
          replace (w k * indicator (lacks k) * sum N (fun a => w a * indicator (lacks a)))
            with (w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks k) * indicator (lacks a))))).
          2:{ rewrite Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext. intros a _.
              rewrite weights_const by assumption. ring. }
          rewrite <- Rmult_plus_distr_l, <- Rmult_minus_distr_l. f_equal.
          rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros a _.
          rewrite <- Rmult_plus_distr_l, <- Rmult_minus_distr_l. f_equal.
          rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros b _. ring.
      + intros k a b Hk Ha Hb.
        pose proof (Hforce k a b Ha Hb) as F1. pose proof (Hforce a k b Hk Hb) as F2.
        rewrite good_4_symmetric in F2.
        destruct (lacks k); destruct (lacks a); destruct (good_3 a b); destruct (good_3 k b);
          destruct (good_4 k a b); simpl in *; lra.
  Qed.

  (** (iv) No sink before the trigger: the loss is large or some pre-trigger token lacks a pair. *)
  Lemma no_sink_cause j l :
    (3 <= j)%nat -> (j <= L)%nat -> drawn N (L - 1) l ->
    1 - indicator (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l)
    <= indicator (loss_above n L out c t eta j l)
       + sum (j - 2) (fun i => indicator (lacks (nth i l 0%nat))).
  Proof using Hn HL HK Heta Hlaw.
    intros H3 HjL [_ Hl].
    assert (Hsum : 0 <= sum (j - 2) (fun i => indicator (lacks (nth i l 0%nat)))).
    { apply sum_nonneg. intros. apply indicator_range. }
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl.
    2:{ pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l)). lra. }
    apply at_most_true in E.
    destruct (forallb (fun i => negb (lacks (nth i l 0%nat))) (seq 0 (j - 2))) eqn:F.
    - enough (G : sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l = true).
      { rewrite G. simpl. lra. }
      unfold sink_before_trigger. apply forallb_forall. intros i Hi. apply in_seq in Hi.
      apply at_most_true, Rge_le.
      apply (sink_from_pairs n L K v eta (x_of j l) j); auto; try lia.
      + now apply (random_valid n L N w c t Hlaw).
      + intros k H2 Hk. rewrite forallb_forall in F.
        assert (Fk := F (k - 2)%nat ltac:(apply in_seq; lia)). apply negb_true_iff in Fk.
        destruct (has_pair _ Fk) as (a & b & Ha & Hb & G4 & G3).
        exists (x_of 4%nat [nth (k - 2) l 0%nat; a; b]), (x_of 3%nat [a; b]).
        apply at_most_true in G4. apply at_most_true in G3.
        split; [|split; [|split; [|split; [|split; [|split]]]]]; auto.
        * apply (random_valid n L N w c t Hlaw); try lia. repeat constructor; auto. now apply (nth_drawn n N w c t Hlaw).
        * apply (random_valid n L N w c t Hlaw); try lia. repeat constructor; auto.
        * unfold x_of, random_sequence. destruct (Nat.eqb_spec k 1); [lia|].
          destruct (Nat.eqb_spec k j); [lia|]. reflexivity.
    - destruct (forallb_false _ _ F) as (i & Hii & Ei). apply in_seq in Hii. apply negb_false_iff in Ei.
      pose proof (sum_term_le (j - 2) (fun i => indicator (lacks (nth i l 0%nat))) i) as T.
      cbv beta in T. rewrite Ei in T. simpl (indicator true) in T.
      assert (1 <= sum (j - 2) (fun i => indicator (lacks (nth i l 0%nat)))).
      { apply T; [intros; apply indicator_range|lia]. }
      pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l)). lra.
  Qed.

  (** At j = 4 a small loss leaves a lacking token only where the other token's row 3 is bad. *)
  Lemma no_sink_cause_4 l :
    drawn N (L - 1) l ->
    1 - indicator (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) 4%nat l)
    <= indicator (loss_above n L out c t eta 4%nat l)
       + (indicator (lacks (nth 0 l 0%nat)) * indicator (negb (good_3 (nth 1 l 0%nat) (nth 2 l 0%nat)))
          + indicator (lacks (nth 1 l 0%nat)) * indicator (negb (good_3 (nth 0 l 0%nat) (nth 2 l 0%nat)))).
  Proof using Hn HL HK Heta Hlaw.
    intros Hl. pose proof (no_sink_cause 4 l ltac:(lia) ltac:(lia) Hl) as H.
    destruct Hl as [Hlen Hl]. destruct l as [|k [|a [|b l]]]; simpl in Hlen; try lia.
    inversion Hl as [|? ? Hk Hl1]; subst. inversion Hl1 as [|? ? Ha Hl2]; subst.
    inversion Hl2 as [|? ? Hb _]; subst. cbn [nth]. cbn [sum Nat.sub nth] in H.
    pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) 4%nat (k :: a :: b :: l))) as Hi.
    set (missing := indicator (lacks k) * indicator (negb (good_3 a b))
                    + indicator (lacks a) * indicator (negb (good_3 k b))).
    assert (Hm : 0 <= missing).
    { apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply indicator_range. }
    unfold loss_above in *. destruct (at_most _ eta) eqn:E; simpl (indicator (negb _)) in *; [|lra].
    apply at_most_true, good_4_of_loss in E.
    assert (F1 : indicator (lacks k) <= indicator (lacks k) * indicator (negb (good_3 a b))).
    { destruct (lacks k) eqn:Ek; simpl; [|lra].
      destruct (good_3 a b) eqn:G; simpl; [|lra]. pose proof (lacks_spec k a b Ek Ha Hb G). congruence. }
    rewrite good_4_symmetric in E.
    assert (F2 : indicator (lacks a) <= indicator (lacks a) * indicator (negb (good_3 k b))).
    { destruct (lacks a) eqn:Ea; simpl; [|lra].
      destruct (good_3 k b) eqn:G; simpl; [|lra]. pose proof (lacks_spec a k b Ea Hk Hb G). congruence. }
    unfold missing. lra.
  Qed.

  Lemma mean_lacks_bad :
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
      (indicator (lacks k) * indicator (negb (good_3 a b))
       + indicator (lacks a) * indicator (negb (good_3 k b)))))) = 2 * lacking * bad_3.
  Proof using Hn HL HK Heta Hlaw.
    assert (E : sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
                  (indicator (lacks k) * indicator (negb (good_3 a b)))))) = lacking * bad_3).
    { unfold lacking. rewrite <- sum_scal_r. apply sum_ext. intros k _. unfold bad_3.
      rewrite Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext. intros a _.
      rewrite <- !sum_scal. apply sum_ext. intros b _. ring. }
    rewrite (sum_ext N _ (fun k =>
      w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks k) * indicator (negb (good_3 a b)))))
      + sum N (fun a => w a * (w k * sum N (fun b => w b * (indicator (lacks a) * indicator (negb (good_3 k b)))))))).
    - rewrite sum_plus, E, sum_swap.
      rewrite (sum_ext N (fun a => sum N (fun k => w a * (w k * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b)))))))
               (fun a => w a * sum N (fun k => w k * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b))))))).
      + rewrite E. ring.
      + intros a _. now rewrite <- sum_scal.
    - intros k _.
      rewrite (sum_ext N (fun a => w a * (w k * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b))))))
               (fun a => w k * (w a * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b))))))) by (intros; ring).
      rewrite sum_scal, <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros a _.
      rewrite <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros b _. ring.
  Qed.

  (** The union: E[j - 2] = (L-1)/2 tokens, but at j = 4 they cost only where row 3 is bad. *)
  Lemma union_bound :
    (INR L - 2) * (1 - probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta)))
    <= (INR L - 2) * probability L N w (loss_above n L out c t eta)
       + (INR L - 1) * (INR L - 2) / 2 * lacking - 2 * lacking * (1 - miss 3).
  Proof using Hn HL HK Heta Hlaw.
    assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    pose proof lacking_range as Hq. pose proof bad_3_le as H3.
    assert (Hb3 : 0 <= 2 * lacking * (miss 3 - bad_3)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with ((INR L - 2) * probability L N w (loss_above n L out c t eta)
       + (INR L - 1) * (INR L - 2) / 2 * lacking - 2 * lacking * (1 - bad_3)); [|lra].
    rewrite <- probability_not by (auto; lia). unfold probability. rewrite HM.
    unfold Rdiv. rewrite <- !(Rmult_assoc (INR L - 2)).
    rewrite !(Rmult_comm (INR L - 2) (sum _ _)), !(Rmult_assoc _ (INR L - 2) (/ (INR L - 2))), Rinv_r, !Rmult_1_r by lra.
    replace ((INR L - 1) * (INR L - 2) * / 2 * lacking) with (sum (L - 2) (fun a => INR (a + 1)) * lacking).
    2:{ rewrite sum_positions, HM. field. }
    replace (2 * lacking * (1 - bad_3))
      with (sum (L - 2) (fun a => if (a =? 1)%nat then 2 * lacking * (1 - bad_3) else 0)).
    2:{ rewrite (sum_single (L - 2) _ 1%nat); [reflexivity|lia|].
        intros a _ E. now apply Nat.eqb_neq in E as ->. }
    rewrite <- sum_scal_r, <- sum_plus, <- sum_minus. apply sum_le. intros a Ha.
    destruct (Nat.eqb_spec a 1) as [->|E].
    - replace (mean_draws N w (L - 1) (fun l => indicator (loss_above n L out c t eta (1 + 3)%nat l))
               + INR (1 + 1) * lacking - 2 * lacking * (1 - bad_3))
        with (mean_draws N w (L - 1) (fun l => indicator (loss_above n L out c t eta 4%nat l)) + 2 * lacking * bad_3)
        by (simpl; ring).
      rewrite <- mean_lacks_bad, <- (mean_of_three N w Hw1 (L - 1)) by lia.
      rewrite <- mean_plus. apply mean_le; [exact Hw|]. intros draws Hl.
      rewrite indicator_negb. now apply no_sink_cause_4.
    - rewrite Rminus_0_r.
      replace (INR (a + 1) * lacking)
        with (mean_draws N w (L - 1) (fun l => sum (a + 3 - 2) (fun i => indicator (lacks (nth i l 0%nat))))).
      2:{ rewrite mean_sum by assumption.
          rewrite (sum_ext _ _ (fun _ => lacking)).
          - rewrite sum_const. f_equal. f_equal. lia.
          - intros i Hi. apply (mean_nth N w Hw1 (L - 1) i (fun k => indicator (lacks k))). lia. }
      rewrite <- mean_plus. apply mean_le; [exact Hw|]. intros draws Hl.
      rewrite indicator_negb. apply no_sink_cause; auto; lia.
  Qed.

  (** e_j + e_{j+1} <= (L-2) P[l > eta]. *)
  Lemma miss_sum j :
    (3 <= j)%nat -> (j + 1 <= L)%nat ->
    miss j + miss (j + 1) <= (INR L - 2) * probability L N w (loss_above n L out c t eta).
  Proof using Hn HL HK Heta Hlaw.
    intros H3 HjL.
    assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    unfold probability. rewrite HM.
    replace ((INR L - 2) * (sum (L - 2) (fun a => mean_draws N w (L - 1)
               (fun l => indicator (loss_above n L out c t eta (a + 3)%nat l))) / (INR L - 2)))
      with (sum (L - 2) (fun a => miss (a + 3)%nat)) by (unfold miss; field; lra).
    replace (miss j) with (miss (j - 3 + 3)%nat) by (f_equal; lia).
    replace (miss (j + 1)%nat) with (miss (S (j - 3) + 3)%nat) by (f_equal; lia).
    apply (sum_pair_le (L - 2) (fun a => miss (a + 3)%nat)); [lia|]. intros. apply miss_range.
  Qed.

  Lemma sharp_bound delta :
    (INR L - 2) * delta <= 2 / 3 ->
    probability L N w (loss_above n L out c t eta) <= delta ->
    1 - (INR L - 1) / 2 * (1 - sqrt (1 - (INR L - 2) * delta))
    <= probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta)).
  Proof using Hn HL HK Heta Hlaw.
    intros Hs1 Hd. pose proof union_bound as HU. pose proof (miss_sum 3 ltac:(lia) ltac:(lia)) as Hm. simpl (3 + 1)%nat in Hm.
    pose proof lacking_range as Hq. pose proof lacking_costs as [Hc1 Hc2].
    pose proof (miss_range 3) as H3. pose proof (miss_range 4) as H4.
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    set (P := probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta))) in *.
    set (P0 := probability L N w (loss_above n L out c t eta)) in *.
    set (s := (INR L - 2) * delta) in *.
    assert (Hs : (INR L - 2) * P0 <= s) by (apply Rmult_le_compat_l; lra).
    set (Q := 1 - sqrt (1 - s)).
    assert (Hroot : (1 - Q) * (1 - Q) = 1 - s).
    { unfold Q. replace (1 - (1 - sqrt (1 - s))) with (sqrt (1 - s)) by ring. apply sqrt_sqrt. lra. }
    assert (Hr0 : 0 <= sqrt (1 - s)) by apply sqrt_pos.
    assert (Hr : lacking <= Q).
    { apply quadratic_root; [assumption|]. apply (lacking_symmetric lacking (miss 3) (miss 4) s); lra. }
    assert (HQ : Q <= 43 / 100).
    { apply Rnot_lt_le. intros H. assert (0 < (Q - 43 / 100) * (157 / 100 - Q)); [|lra].
      apply Rmult_lt_0_compat; [lra|]. unfold Q. lra. }
    pose proof (leading_cost lacking Q (miss 3) s H3 ltac:(lra) Hr HQ ltac:(lra) ltac:(lra)) as Hlead.
    assert (HLL : 0 <= ((INR L - 1) * (INR L - 2) / 2 - 3) * (Q - lacking)).
    { apply Rmult_le_pos; [|lra]. assert (0 <= (INR L - 4) * (INR L + 1)) by (apply Rmult_le_pos; lra). lra. }
    apply (Rmult_le_reg_l (INR L - 2)); [lra|]. lra.
  Qed.

  Lemma page_bound delta :
    probability L N w (loss_above n L out c t eta) <= delta ->
    1 - delta * ((INR L - 1) * (INR L - 2) / 2)
    <= probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta)).
  Proof using Hn HL HK Heta Hlaw.
    intros Hd. pose proof (sharp_bound delta) as HS.
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    pose proof (probability_nonneg L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta))
                  ltac:(lia) Hw Hw1) as HP.
    pose proof (probability_nonneg L N w (loss_above n L out c t eta) ltac:(lia) Hw Hw1) as HP0.
    set (s := (INR L - 2) * delta) in *.
    replace (delta * ((INR L - 1) * (INR L - 2) / 2)) with ((INR L - 1) / 2 * s) by (unfold s; field).
    assert (Hs0 : 0 <= s) by (apply Rmult_le_pos; lra).
    destruct (Rle_lt_dec s (2 / 3)) as [Hs1|Hs1].
    - specialize (HS Hs1 Hd).
      assert (0 <= (INR L - 1) / 2 * (s - (1 - sqrt (1 - s)))).
      { apply Rmult_le_pos; [lra|]. pose proof (root_bounds s ltac:(lra)). lra. }
      lra.
    - assert (0 <= (INR L - 1) / 2 * (s - 2 / 3)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Random.

(** ** The theorems *)

Theorem necessity_high_probability_law : statement.necessity_high_probability_law.
Proof.
  intros n L N w c t K v eta delta Hn HL HK Heta Hlaw Hd. split; [|intros Hs]; apply Rle_ge.
  - now apply (page_bound n L N w c t K v eta Hn HL HK Heta Hlaw).
  - now apply (sharp_bound n L N w c t K v eta Hn HL HK Heta Hlaw).
Qed.

Theorem necessity_high_probability : statement.necessity_high_probability.
Proof.
  intros n L N w u K v eta delta Hn HL HK Heta Hlaw Hd.
  apply (necessity_high_probability_law n L N w _ _ K v eta delta); auto. now apply noise_law_tokens.
Qed.

Theorem necessity_high_probability_sharp : statement.necessity_high_probability_sharp.
Proof.
  intros n L N w u K v eta delta Hn HL HK Heta Hlaw Hd Hs.
  apply (necessity_high_probability_law n L N w _ _ K v eta delta); auto. now apply noise_law_tokens.
Qed.

(** 1 - sqrt(1 - s) <= s/2 + s^2/2. *)
Lemma root_first_order s : 0 <= s <= 1 -> 1 - sqrt (1 - s) <= s / 2 * (1 + s).
Proof.
  intros Hs. assert (H2 : 0 <= s * (1 - s)) by (apply Rmult_le_pos; lra).
  assert (1 - s / 2 * (1 + s) <= sqrt (1 - s)); [|lra].
  rewrite <- (sqrt_Rsqr (1 - s / 2 * (1 + s))) by lra. apply sqrt_le_1_alt. unfold Rsqr.
  assert (0 <= s * s * (1 - s) * (3 + s)) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

Theorem necessity_high_probability_first_order : statement.necessity_high_probability_first_order.
Proof.
  intros n L N w u K v eta delta Hn HL HK Heta Hlaw Hd Hs.
  eapply Rge_trans; [now apply (necessity_high_probability_sharp n L N w u K v eta delta)|]. apply Rle_ge.
  assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
  pose proof (noise_law_tokens n N w u Hn Hlaw) as Ht.
  pose proof (probability_nonneg L N w (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta)
                ltac:(lia) (token_weight _ _ _ _ _ Ht) (token_total _ _ _ _ _ Ht)) as HP0.
  assert (Hs0 : 0 <= (INR L - 2) * delta) by (apply Rmult_le_pos; lra).
  replace (delta * ((INR L - 1) * (INR L - 2) / 4) * (1 + (INR L - 2) * delta))
    with ((INR L - 1) / 2 * ((INR L - 2) * delta / 2 * (1 + (INR L - 2) * delta))) by field.
  apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [lra|]. apply root_first_order. lra.
Qed.

Print Assumptions necessity_high_probability_law.
Print Assumptions necessity_high_probability.
Print Assumptions necessity_high_probability_sharp.
Print Assumptions necessity_high_probability_first_order.
