(** * tc-2: probes with m - 1 free content tokens

    The argument of high_probability.v with rests (y_1,..,y_{m-1},t) in place of pairs and rows m+1, m+2 in place
    of 3, 4, without the symmetry: tc-1's other constants.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-2 Claim any_probe.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task hard_switch probe.
From Claim Require Import statement random_sequences probes high_probability.
Import ListNotations.
Open Scope R_scope.

Lemma nth_of_firstn (l : list nat) p i d : (i < p)%nat -> nth i (firstn p l) d = nth i l d.
Proof.
  revert l i. induction p as [|p IH]; intros l i Hi; [lia|].
  destruct l as [|k l]; [reflexivity|]. destruct i as [|i]; [reflexivity|]. cbn [firstn nth]. apply IH. lia.
Qed.

(** Every list of p points below N. *)
Fixpoint all_draws (N p : nat) : list (list nat) :=
  match p with
  | O => [[]]
  | S p' => flat_map (fun k => map (cons k) (all_draws N p')) (seq 0 N)
  end.

Lemma all_draws_spec N p l : In l (all_draws N p) <-> drawn N p l.
Proof.
  revert l. induction p as [|p IH]; intros l; cbn [all_draws].
  - split.
    + intros [<-|[]]. split; constructor.
    + intros [Hl _]. destruct l; [now left|discriminate].
  - rewrite in_flat_map. split.
    + intros (k & Hk & Hl). apply in_map_iff in Hl. destruct Hl as (l' & <- & Hl').
      apply drawn_cons; [apply in_seq in Hk; lia|]. now apply IH.
    + intros [Hlen Hl]. destruct l as [|k l]; [discriminate|].
      inversion Hl as [|? ? Hk Hl']; subst. exists k. split; [apply in_seq; lia|].
      apply in_map_iff. exists l. split; [reflexivity|]. apply IH. split; [now injection Hlen|assumption].
Qed.

Lemma mean_firstn N w p r (g : list nat -> R) :
  sum N w = 1 -> mean_draws N w (p + r) (fun l => g (firstn p l)) = mean_draws N w p g.
Proof.
  intros Hw. revert g. induction p as [|p IH]; intros g.
  - cbn [Nat.add mean_draws firstn]. now apply mean_const.
  - cbn [Nat.add mean_draws firstn]. apply sum_ext. intros k _. f_equal. apply (IH (fun l => g (k :: l))).
Qed.

Section AnyProbe.
  Context (n L m N : nat) (w : nat -> R) (c t : nat -> token) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat) (HK : positive_kernel K)
          (Heta : eta <= 1 / (2 * INR m * (INR m + 1))) (Hlaw : token_law n N w c t).

  Let out : model := head (kernel_attention K) v.
  Let x_of := random_sequence c t.
  Let floor : R := 1 - 2 * (1 + 1 / INR m) * eta.
  Let e := miss n L N w c t K v eta.
  Let Hw := token_weight _ _ _ _ _ Hlaw.
  Let Hw1 := token_total _ _ _ _ _ Hlaw.

  Lemma eta_small : eta <= 1 / 12.
  Proof using Hn Hm HmL HK Heta Hlaw.
    pose proof (threshold m eta Hm Heta). assert (HM : 2 <= INR m) by now apply (le_INR 2).
    assert (H6 : 6 <= INR m * (INR m + 1)).
    { assert (0 <= (INR m - 2) * (INR m + 3)) by (apply Rmult_le_pos; lra). lra. }
    assert (/ (INR m * (INR m + 1)) <= / 6) by (apply Rinv_le_contravar; lra). lra.
  Qed.

  Definition good_row (j : nat) (l : list nat) : bool := at_most (row_error n j out (x_of j l) j) eta.

  Lemma good_row_of_loss j p l :
    (3 <= j)%nat -> (j <= L)%nat -> (j - 1 <= p)%nat ->
    loss n L j out (x_of j l) <= eta -> good_row j (firstn p l) = true.
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H3 HjL Hp H. apply at_most_true. eapply Rle_trans; [|exact H].
    unfold out. rewrite (trigger_row_causal n j K v _ (x_of j l)); [apply loss_row; lia|lia|].
    intros i H1 H2. unfold x_of, random_sequence. now rewrite nth_of_firstn by lia.
  Qed.

  (** No rest (y_1,..,y_{m-1},t) has both rows good. *)
  Definition lacks_rest (k : nat) : bool :=
    forallb (fun l => negb (good_row (m + 2) (k :: l) && good_row (m + 1) l)) (all_draws N m).

  Definition lacking_rest : R := sum N (fun k => w k * indicator (lacks_rest k)).
  Let bad_short : R := mean_draws N w m (fun l => indicator (negb (good_row (m + 1) l))).

  Lemma lacks_rest_spec k l :
    lacks_rest k = true -> drawn N m l -> good_row (m + 1) l = true -> good_row (m + 2) (k :: l) = false.
  Proof using Hn Hm HmL HK Heta Hlaw.
    unfold lacks_rest. intros H Hl Hg. rewrite forallb_forall in H.
    assert (H' := H l ltac:(now apply all_draws_spec)). rewrite Hg, andb_true_r in H'.
    now apply negb_true_iff.
  Qed.

  Lemma has_rest k : lacks_rest k = false ->
    exists l, drawn N m l /\ good_row (m + 2) (k :: l) = true /\ good_row (m + 1) l = true.
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H. destruct (forallb_false _ _ H) as (l & Hl & E). exists l.
    apply all_draws_spec in Hl. apply negb_false_iff, andb_true_iff in E. tauto.
  Qed.

  Lemma lacking_rest_range : 0 <= lacking_rest <= 1.
  Proof using Hn Hm HmL HK Heta Hlaw.
    split.
    - apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [now apply Hw|apply indicator_range].
    - rewrite <- Hw1. apply sum_le. intros k Hk. rewrite <- (Rmult_1_r (w k)) at 2.
      apply Rmult_le_compat_l; [now apply Hw|apply indicator_range].
  Qed.

  (** A bad row means a large loss. *)
  Lemma bad_row_le j p l :
    (3 <= j)%nat -> (j <= L)%nat -> (j - 1 <= p)%nat ->
    indicator (negb (good_row j (firstn p l))) <= indicator (loss_above n L out c t eta j l).
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H3 HjL Hp. unfold loss_above. destruct (at_most _ eta) eqn:E.
    - apply at_most_true, (good_row_of_loss j p) in E; [|assumption..]. rewrite E. simpl. lra.
    - simpl (indicator (negb false)). apply indicator_range.
  Qed.

  Lemma bad_short_le : bad_short <= e (m + 1).
  Proof using Hn Hm HmL HK Heta Hlaw.
    unfold bad_short. rewrite <- (mean_firstn N w m (L - 1 - m) _ Hw1).
    replace (m + (L - 1 - m))%nat with (L - 1)%nat by lia.
    apply mean_le; [exact Hw|]. intros l _. apply bad_row_le; lia.
  Qed.

  Lemma lacking_rest_costs : lacking_rest * (1 - e (m + 1)) <= e (m + 2).
  Proof using Hn Hm HmL HK Heta Hlaw.
    pose proof lacking_rest_range as Hq. pose proof bad_short_le as Hb.
    assert (0 <= lacking_rest * (e (m + 1) - bad_short)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with (lacking_rest * (1 - bad_short)); [lra|].
    apply Rle_trans with (mean_draws N w (S m) (fun l => indicator (negb (good_row (m + 2) l)))).
    - cbn [mean_draws]. unfold lacking_rest. rewrite <- sum_scal_r. apply sum_le. intros k Hk.
      rewrite Rmult_assoc. apply Rmult_le_compat_l; [now apply Hw|].
      unfold bad_short. rewrite <- mean_minus_1 by assumption.
      destruct (lacks_rest k) eqn:E; simpl (indicator _).
      + rewrite Rmult_1_l. apply mean_le; [exact Hw|]. intros l Hl.
        destruct (good_row (m + 1) l) eqn:G; simpl.
        * rewrite (lacks_rest_spec k l E Hl G). simpl. lra.
        * rewrite Rminus_diag_eq by reflexivity. apply indicator_range.
      + rewrite Rmult_0_l, <- (mean_const N w Hw1 m 0). apply mean_le; [exact Hw|].
        intros. apply indicator_range.
    - rewrite <- (mean_firstn N w (S m) (L - 1 - S m) _ Hw1).
      replace (S m + (L - 1 - S m))%nat with (L - 1)%nat by lia.
      apply mean_le; [exact Hw|]. intros l _. apply bad_row_le; lia.
  Qed.

  Lemma no_sink_cause_rest j l :
    (3 <= j)%nat -> (j <= L)%nat -> drawn N (L - 1) l ->
    1 - indicator (sink_before_trigger (kernel_attention K) c t floor j l)
    <= indicator (loss_above n L out c t eta j l)
       + sum (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat))).
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H3 HjL [_ Hl].
    assert (Hsum : 0 <= sum (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat)))).
    { apply sum_nonneg. intros. apply indicator_range. }
    pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t floor j l)) as Hi.
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl (indicator (negb _)); [|lra].
    apply at_most_true in E.
    destruct (forallb (fun i => negb (lacks_rest (nth i l 0%nat))) (seq 0 (j - 2))) eqn:F.
    - enough (G : sink_before_trigger (kernel_attention K) c t floor j l = true).
      { rewrite G. simpl. lra. }
      unfold sink_before_trigger. apply forallb_forall. intros i Hii. apply in_seq in Hii.
      apply at_most_true, Rge_le.
      apply (sink_from_probes n L m K v eta (x_of j l) j); auto; try lia.
      + now apply (random_valid n L N w c t Hlaw).
      + intros k H2 Hk. rewrite forallb_forall in F.
        assert (Fk := F (k - 2)%nat ltac:(apply in_seq; lia)). apply negb_true_iff in Fk.
        destruct (has_rest _ Fk) as (rest & [Hrl Hrest] & G1 & G0).
        apply at_most_true in G1. apply at_most_true in G0.
        exists (x_of (m + 2)%nat (nth (k - 2) l 0%nat :: rest)), (x_of (m + 1)%nat rest).
        split; [|split; [|split; [|split; [|split]]]]; auto.
        * apply (random_valid n L N w c t Hlaw); try lia. constructor; [now apply (nth_drawn n N w c t Hlaw)|assumption].
        * apply (random_valid n L N w c t Hlaw); try lia. assumption.
        * unfold x_of, random_sequence. destruct (Nat.eqb_spec k 1); [lia|].
          destruct (Nat.eqb_spec k j); [lia|]. destruct (Nat.eqb_spec 2 (m + 2)); [lia|]. reflexivity.
        * intros i' Hi3 Him. unfold x_of, random_sequence.
          destruct (Nat.eqb_spec i' 1); [lia|]. destruct (Nat.eqb_spec (i' - 1) 1); [lia|].
          replace (i' - 2)%nat with (S (i' - 1 - 2)) by lia. cbn [nth].
          destruct (Nat.eqb_spec i' (m + 2)); destruct (Nat.eqb_spec (i' - 1) (m + 1)); try lia; reflexivity.
    - destruct (forallb_false _ _ F) as (i & Hii & Ei). apply in_seq in Hii. apply negb_false_iff in Ei.
      pose proof (sum_term_le (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat))) i) as T.
      cbv beta in T. rewrite Ei in T. simpl (indicator true) in T.
      assert (1 <= sum (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat)))).
      { apply T; [intros; apply indicator_range|lia]. }
      lra.
  Qed.

  Lemma union_bound_rest :
    1 - probability L N w (sink_before_trigger (kernel_attention K) c t floor)
    <= probability L N w (loss_above n L out c t eta) + (INR L - 1) / 2 * lacking_rest.
  Proof using Hn Hm HmL HK Heta Hlaw.
    assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
    assert (HL4 : 4 <= INR L).
    { assert (H4 : (4 <= L)%nat) by lia. pose proof (le_INR 4 L H4) as H. simpl in H. lra. }
    rewrite <- probability_not by (auto; lia). unfold probability.
    apply (Rmult_le_reg_r (INR (L - 2))); [lra|].
    rewrite Rmult_plus_distr_r. unfold Rdiv.
    rewrite !(Rmult_assoc _ (/ INR (L - 2)) (INR (L - 2))), Rinv_l, !Rmult_1_r by lra.
    replace ((INR L - 1) * / 2 * lacking_rest * INR (L - 2))
      with (sum (L - 2) (fun a => INR (a + 1)) * lacking_rest).
    2:{ rewrite sum_positions, HM. field. }
    rewrite <- sum_scal_r, <- sum_plus. apply sum_le. intros a Ha.
    replace (INR (a + 1) * lacking_rest)
      with (mean_draws N w (L - 1) (fun l => sum (a + 3 - 2) (fun i => indicator (lacks_rest (nth i l 0%nat))))).
    2:{ rewrite mean_sum by assumption.
        rewrite (sum_ext _ _ (fun _ => lacking_rest)).
        - rewrite sum_const. f_equal. f_equal. lia.
        - intros i Hi. apply (mean_nth N w Hw1 (L - 1) i (fun k => indicator (lacks_rest k))). lia. }
    rewrite <- mean_plus. apply mean_le; [exact Hw|]. intros draws Hl.
    rewrite indicator_negb. apply no_sink_cause_rest; auto; lia.
  Qed.

  Lemma any_probe_bound delta :
    probability L N w (loss_above n L out c t eta) <= delta ->
    1 - delta * (1 + (INR L - 1) * (INR L - 2) / 2)
    <= probability L N w (sink_before_trigger (kernel_attention K) c t floor).
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros Hd. pose proof union_bound_rest as HU. pose proof lacking_rest_range as Hq.
    pose proof lacking_rest_costs as Hc.
    assert (HL : (4 <= L)%nat) by lia.
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    pose proof (miss_sum n L N w c t K v eta Hn HL HK eta_small Hlaw (m + 1) ltac:(lia) ltac:(lia)) as Hs.
    replace (m + 1 + 1)%nat with (m + 2)%nat in Hs by lia.
    pose proof (miss_range n L N w c t K v eta Hn HL HK eta_small Hlaw (m + 1)) as H3.
    fold out e in Hs, H3.
    pose proof (probability_nonneg L N w (sink_before_trigger (kernel_attention K) c t floor)
                  ltac:(lia) Hw Hw1) as HP.
    pose proof (probability_nonneg L N w (loss_above n L out c t eta) ltac:(lia) Hw Hw1) as HP0.
    set (P0 := probability L N w (loss_above n L out c t eta)) in *.
    set (s := (INR L - 2) * delta).
    replace (delta * (1 + (INR L - 1) * (INR L - 2) / 2)) with (delta + (INR L - 1) / 2 * s)
      by (unfold s; field).
    assert (Hs' : (INR L - 2) * P0 <= s) by (apply Rmult_le_compat_l; lra).
    destruct (Rlt_le_dec s 1) as [Hs1|Hs1].
    - assert (Hqs : lacking_rest <= s) by (apply (lacking_simple lacking_rest (e (m + 1)) (e (m + 2))); lra).
      assert (0 <= (INR L - 1) / 2 * (s - lacking_rest)) by (apply Rmult_le_pos; lra). lra.
    - assert (0 <= (INR L - 1) / 2 * (s - 1)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End AnyProbe.

Theorem necessity_high_probability_any_m : statement.necessity_high_probability_any_m.
Proof.
  intros n L m N w u K v eta delta Hn Hm HmL HK Heta Hlaw Hd. apply Rle_ge.
  apply (any_probe_bound n L m N w _ _ K v eta Hn Hm HmL HK Heta); [now apply noise_law_tokens|exact Hd].
Qed.

Print Assumptions necessity_high_probability_any_m.
