(** * tc-9: one bilinear softmax head a layer, depth 4n - 10

    Proves the sentences of deep_statement.v.  Below layer 4g the first g noise coordinates are done
    ([group_done]): at the trigger they have taken their means, up to 32 L e, e = e^-Lam; all flags but BOS are
    those of the input, and BOS flags have rests of 16 L e at the trigger and 3 g e after it.  deep_group.v does one group,
    deep_last.v the two layers of the flags. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task anchored_values residual_stack.
From Claim Require Import deep_statement deep_layers deep_group deep_last.
Open Scope R_scope.

(** ** The layers by number *)

Lemma deep_noise_layer n Lam g q m :
  (g < n - 3)%nat -> (q < 4)%nat -> m = (4 * g + q)%nat -> deep_layers n Lam m = noise_layer n Lam (2 + g) q.
Proof.
  intros Hg Hq ->. unfold deep_layers. destruct (Nat.ltb_spec (4 * g + q) (4 * (n - 3))); [|lia].
  now rewrite <- (Nat.div_unique (4 * g + q) 4 g q), <- (Nat.mod_unique (4 * g + q) 4 g q) by lia.
Qed.

Lemma deep_flag_layer n Lam : deep_layers n Lam (4 * (n - 3)) = flag_layer n Lam.
Proof. unfold deep_layers. destruct (Nat.ltb_spec (4 * (n - 3)) (4 * (n - 3))); [lia|]. now rewrite Nat.eqb_refl. Qed.

Lemma deep_last_layer n Lam : deep_layers n Lam (S (4 * (n - 3))) = last_layer n Lam.
Proof.
  unfold deep_layers. destruct (Nat.ltb_spec (S (4 * (n - 3))) (4 * (n - 3))); [lia|].
  destruct (Nat.eqb_spec (S (4 * (n - 3))) (4 * (n - 3))); [lia|reflexivity].
Qed.

Section Deep.
  Context (n L j : nat) (x : sequence) (Lam : R).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x) (Hlarge : 200 * (INR n + INR L) <= exp Lam).
  Notation e := (decay Lam).
  Notation below d := (hidden_states n (deep_layers n Lam) d x).

  Lemma big : 200 * (INR n + INR L) * e <= 1.
  Proof using Hlarge.
    pose proof (exp_pos Lam). unfold decay. rewrite exp_Ropp.
    apply (Rmult_le_reg_r (exp Lam)); [assumption|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
    assumption.
  Qed.

  Lemma Lam_nonneg : 0 <= Lam.
  Proof using Hn Hlarge.
    assert (4 <= INR n) by (apply Rle_trans with (INR 4); [simpl; lra|apply le_INR; lia]). pose proof (pos_INR L).
    left. apply exp_lt_inv. rewrite exp_0. lra.
  Qed.

  Lemma small : 16 * INR L * e <= 1.
  Proof using Hlarge.
    pose proof big. pose proof (exp_pos (- Lam)) as He. fold e in He. pose proof (pos_INR L). pose proof (pos_INR n).
    assert (0 <= INR n * e) by (apply Rmult_le_pos; lra). assert (0 <= INR L * e) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** ** The noise layers *)

  Record group_done (g : nat) (z : sequence) : Prop := {
    done_flags : flagged n L j z;
    done_quiet : forall i a, (1 <= i)%nat -> (i <= L)%nat -> i <> j -> a <> 0%nat -> z i a = x i a;
    done_before : forall i, (1 <= i)%nat -> (i < j)%nat -> z i 0%nat = x i 0%nat;
    done_rest : Rabs (z j 0%nat) <= 16 * INR L * e;
    done_after : forall i, (j < i)%nat -> (i <= L)%nat -> Rabs (z i 0%nat) <= 3 * INR g * e;
    done_todo : forall r, (2 + g <= r)%nat -> (r <= n - 2)%nat -> z j r = x j r;
    done_noise : forall r, (2 <= r)%nat -> (r < 2 + g)%nat ->
      Rabs (z j r - (x j r + mean_from_2 x j r)) <= 32 * INR L * e
  }.

  Lemma none_done : group_done 0 x.
  Proof using Hn Hx.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    assert (He : 0 < e) by apply exp_pos. assert (HLe : 0 <= INR L * e) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    split; try reflexivity.
    - exact (input_flagged n L j x Hn Hx).
    - rewrite (valid_bos_flag n L j x Hx Hn), Rabs_R0 by lia. lra.
    - intros i Hj Hi. rewrite (valid_bos_flag n L j x Hx Hn), Rabs_R0 by lia. simpl. lra.
    - intros r H2 Hr. lia.
  Qed.

  Lemma next_done g z : (g < n - 3)%nat -> group_done g z -> group_done (S g) (z4 n Lam (2 + g) z).
  Proof using Hn Hx Hlarge.
    intros Hg [Hf Hq Hb Hr Ha Ht Hd].
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx). pose proof small as Hs.
    assert (Hbos : z 1%nat 0%nat = 1) by (rewrite Hb, (first_is_bos _ _ _ _ Hx) by lia; reflexivity).
    assert (Hnoise : forall i, (1 <= i)%nat -> (i <= L)%nat -> z i (2 + g)%nat = x i (2 + g)%nat).
    { intros i H1 Hi. destruct (Nat.eq_dec i j) as [->|E]; [apply Ht|apply Hq]; lia. }
    assert (Hbefore : forall i, (2 <= i)%nat -> (i < j)%nat -> z i 0%nat = 0).
    { intros i H2 Hi. rewrite Hb by lia. apply (valid_bos_flag n L j x Hx Hn); lia. }
    split.
    - unfold z4, z3, z2, z1. repeat apply step_flagged; try lia. exact Hf.
    - intros i a H1 Hi E Ea. destruct (Nat.eq_dec a (2 + g)) as [->|Er].
      + apply (z4_quiet_noise n L j); auto; lia.
      + rewrite z4_other by lia. now apply Hq.
    - intros i H1 Hi. rewrite (z4_before n L j x) by (auto; lia). now apply Hb.
    - apply (z4_trigger_bos n L j x); auto; lia.
    - intros i Hj Hi. rewrite S_INR.
      pose proof (z4_after n L j x Lam Hn Hx Hs (2 + g) ltac:(lia) ltac:(lia) z Hf Hbos Hnoise Hbefore Hr i Hj Hi) as B.
      pose proof (abs_bounds _ _ (Ha i Hj Hi)). apply abs_bounds in B. apply Rabs_le. lra.
    - intros r H2 Hrn. rewrite z4_other by lia. apply Ht; lia.
    - intros r H2 Hrg. destruct (Nat.eq_dec r (2 + g)) as [->|Er].
      + apply (z4_trigger_noise n L j x); auto; lia.
      + rewrite z4_other by lia. apply Hd; lia.
  Qed.

  Lemma groups_done g : (g <= n - 3)%nat -> group_done g (below (4 * g)%nat).
  Proof using Hn Hx Hlarge.
    induction g as [|g IH]; intros Hg; [exact none_done|].
    replace (4 * S g)%nat with (S (S (S (S (4 * g))))) by lia. cbn [hidden_states].
    rewrite (deep_noise_layer n Lam g 3), (deep_noise_layer n Lam g 2), (deep_noise_layer n Lam g 1),
      (deep_noise_layer n Lam g 0) by lia.
    apply (next_done g _ ltac:(lia) (IH ltac:(lia))).
  Qed.

  Lemma below_flagged d : (d <= 4 * (n - 3))%nat -> flagged n L j (below d).
  Proof using Hn Hx.
    induction d as [|d IH]; intros Hd; [exact (input_flagged n L j x Hn Hx)|].
    cbn [hidden_states].
    assert (Hdiv : d = (4 * (d / 4) + d mod 4)%nat) by (apply Nat.div_mod; lia).
    assert (Hmod : (d mod 4 < 4)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite (deep_noise_layer n Lam (d / 4) (d mod 4) d) by lia.
    apply (step_flagged n L j Lam Hn (2 + d / 4) ltac:(lia) ltac:(lia)). apply IH. lia.
  Qed.

  (** ** The end *)

  Notation z := (below (4 * (n - 3))%nat).

  Lemma z_done : group_done (n - 3) z.
  Proof using Hn Hx Hlarge. now apply groups_done. Qed.

  Lemma z_bos : z 1%nat 0%nat = 1.
  Proof using Hn Hx Hlarge.
    pose proof (trigger_from_3 _ _ _ _ Hx).
    rewrite (done_before _ _ z_done), (first_is_bos _ _ _ _ Hx) by lia. reflexivity.
  Qed.

  Lemma e_nonneg : 0 < e /\ 0 <= INR n * e /\ 3 * e <= INR L * e.
  Proof using Hn Hx.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    assert (He : 0 < e) by apply exp_pos. split; [assumption|]. split; [apply Rmult_le_pos; [apply pos_INR|lra]|].
    apply Rmult_le_compat_r; [lra|]. apply Rle_trans with (INR 3); [simpl; lra|apply le_INR; lia].
  Qed.

  Lemma z_quiet i : (2 <= i)%nat -> (i <= L)%nat -> i <> j -> Rabs (z i 0%nat) <= 3 * INR n * e.
  Proof using Hn Hx Hlarge.
    intros H2 Hi E. destruct e_nonneg as (He & Hne & _). destruct (Nat.lt_ge_cases i j) as [Hj|Hj].
    - rewrite (done_before _ _ z_done), (valid_bos_flag n L j x Hx Hn), Rabs_R0 by lia. lra.
    - eapply Rle_trans; [apply (done_after _ _ z_done); lia|].
      apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|]. apply le_INR. lia.
  Qed.

  Lemma end_is_z6 : deep_stack n Lam x = z6 n Lam z.
  Proof using Hn.
    unfold deep_stack, residual_stack. replace (4 * n - 10)%nat with (S (S (4 * (n - 3)))) by lia.
    cbn [hidden_states]. now rewrite deep_last_layer, deep_flag_layer.
  Qed.

  Lemma error_bound i a :
    (1 <= i)%nat -> (i <= L)%nat -> (a < n)%nat ->
    Rabs (z6 n Lam z i a - residual_target j x i a) <= (3 * INR n + 32 * INR L + 200 * INR L * Lam) * e.
  Proof using Hn Hx Hlarge.
    intros H1 Hi Ha. pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    destruct e_nonneg as (He & Hne & HLe). pose proof Lam_nonneg as HLam. pose proof z_done as Hz.
    pose proof (done_flags _ _ Hz) as Hf. pose proof z_bos as Hb. pose proof (done_rest _ _ Hz) as Hr.
    assert (HLLe : 0 <= INR L * Lam * e).
    { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [apply pos_INR|assumption]. }
    assert (Hgoal : forall X, Rabs X <= 3 * INR n * e + 32 * INR L * e + 200 * INR L * Lam * e ->
              Rabs X <= (3 * INR n + 32 * INR L + 200 * INR L * Lam) * e) by (intros; lra).
    apply Hgoal. clear Hgoal. unfold residual_target.
    destruct (Nat.eq_dec i j) as [->|E].
    - (* the trigger's row *)
      destruct (Nat.eq_dec a (n - 1)) as [->|Ec]; [|destruct (Nat.eq_dec a 1) as [->|E1]].
      + destruct (last_trigger_row n L j x Lam Hn Hx big HLam z Hf Hb Hr z_quiet) as [_ B].
        rewrite (target_content_flag n L j x Hx Hn).
        replace (x j (n - 1)%nat) with 0 by (symmetry; apply (trigger_content_flag _ _ (trigger_at_j _ _ _ _ Hx))).
        replace (0 + INR (j - 2) / INR (j - 1)) with (1 - 1 / INR (j - 1)); [lra|].
        replace (j - 1)%nat with (S (j - 2)) by lia. rewrite S_INR. pose proof (pos_INR (j - 2)). field. lra.
      + rewrite z6_other by lia. destruct (z5_trigger n L j x Lam Hn Hx z Hf) as [-> _].
        rewrite (target_trigger_flag n L j x Hx Hn).
        replace (x j 1%nat) with 1 by (symmetry; apply (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx))).
        destruct (alpha_bounds n L j x Lam Hn Hx) as (_ & B & _).
        replace (1 + alpha n j x Lam - (1 + 1 / INR (j - 1))) with (alpha n j x Lam - 1 / INR (j - 1)) by ring. lra.
      + rewrite z6_other, z5_other by lia. unfold target. rewrite Nat.eqb_refl.
        destruct (Nat.eq_dec a 0) as [->|E0].
        * replace (x j 0%nat) with 0 by (symmetry; apply (valid_bos_flag n L j x Hx Hn); lia).
          replace (mean_from_2 x j 0%nat) with 0.
          2:{ unfold mean_from_2. rewrite sum_zero; [unfold Rdiv; ring|].
              intros k Hk. apply (valid_bos_flag n L j x Hx Hn); lia. }
          rewrite Rplus_0_r, Rminus_0_r. lra.
        * pose proof (done_noise _ _ Hz a ltac:(lia) ltac:(lia)). lra.
    - (* the others return *)
      rewrite target_off_trigger, Rplus_0_r by assumption.
      destruct (Nat.eq_dec i 1) as [->|Ei].
      { destruct (z5_first n L j x Lam Hn Hx z Hf Hb) as (E0 & E1 & Ec). destruct (bos_key n L j x Lam Hn Hx z Hf Hb) as [_ Hv].
        replace (z6 n Lam z 1%nat a) with (x 1%nat a); [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
        rewrite (first_is_bos _ _ _ _ Hx). destruct (Nat.eq_dec a (n - 1)) as [->|Eac].
        - rewrite z6_content_flag, Ec, bos_pos by lia. unfold average, possum. cbn [sum]. rewrite Hv. field.
        - rewrite z6_other by lia. destruct (Nat.eq_dec a 0) as [->|Ea0]; [now rewrite E0|].
          destruct (Nat.eq_dec a 1) as [->|Ea1]; [now rewrite E1|].
          rewrite z5_other, (done_quiet _ _ Hz), (first_is_bos _ _ _ _ Hx) by lia. reflexivity. }
      destruct (Nat.eq_dec a (n - 1)) as [->|Ec]; [|destruct (Nat.eq_dec a 1) as [->|E1]].
      + destruct (last_content_row n L j x Lam Hn Hx big HLam z Hf Hb Hr z_quiet i ltac:(lia) Hi E) as [_ B].
        replace (x i (n - 1)%nat) with 1; [lra|]. symmetry.
        apply (content_content_flag n). apply (content_elsewhere _ _ _ _ Hx); lia.
      + rewrite z6_other by lia. destruct (z5_content n L j x Lam Hn Hx z Hf i ltac:(lia) Hi E) as (B & _ & _).
        replace (x i 1%nat) with 0.
        * apply Rabs_le. lra.
        * symmetry. apply (content_trigger_flag n). apply (content_elsewhere _ _ _ _ Hx); lia.
      + rewrite z6_other, z5_other by lia. destruct (Nat.eq_dec a 0) as [->|E0].
        * rewrite (valid_bos_flag n L j x Hx Hn), Rminus_0_r by lia. pose proof (z_quiet i ltac:(lia) Hi E). lra.
        * rewrite (done_quiet _ _ Hz), Rminus_diag_eq, Rabs_R0 by (assumption || reflexivity || lia). lra.
  Qed.

  Lemma bos_bound d i :
    (d < 4 * n - 10)%nat -> (2 <= i)%nat -> (i <= L)%nat ->
    stack_bos_attention n (deep_layers n Lam) d 0 x i
    <= if (i =? j)%nat then / 2 + 200 * INR L * Lam * e else e.
  Proof using Hn Hx Hlarge.
    intros Hd H2 Hi. pose proof Lam_nonneg as HLam. destruct e_nonneg as (He & Hne & HLe).
    assert (HLLe : 0 <= 200 * INR L * Lam * e).
    { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [|assumption]. pose proof (pos_INR L). lra. }
    assert (Hw : forall q, w n x Lam q i 1%nat <= if (i =? j)%nat then / 2 + 200 * INR L * Lam * e else e).
    { intros q. eapply Rle_trans; [apply (w_bos n L j x Lam Hn Hx q i HLam H2 Hi)|]. destruct (i =? j)%nat; lra. }
    unfold stack_bos_attention, bos_attention.
    assert (Hcase : (d < 4 * (n - 3))%nat \/ d = (4 * (n - 3))%nat \/ d = S (4 * (n - 3))) by lia.
    destruct Hcase as [Hdn|[->| ->]].
    - assert (Hdiv : d = (4 * (d / 4) + d mod 4)%nat) by (apply Nat.div_mod; lia).
      assert (Hmod : (d mod 4 < 4)%nat) by (apply Nat.mod_upper_bound; lia).
      rewrite (deep_noise_layer n Lam (d / 4) (d mod 4) d) at 1 by lia.
      rewrite (noise_weights n L j x Lam Hn Hx) by (apply below_flagged || lia; lia). apply Hw.
    - rewrite deep_flag_layer.
      rewrite (flag_weights n L j x Lam Hn Hx _ (done_flags _ _ z_done)) by lia. apply Hw.
    - rewrite deep_last_layer. cbn [hidden_states]. rewrite deep_flag_layer.
      pose proof z_done as Hz. pose proof (done_flags _ _ Hz) as Hf. pose proof z_bos as Hb. pose proof (done_rest _ _ Hz) as Hr.
      destruct (Nat.eqb_spec i j) as [->|E].
      + apply (last_trigger_row n L j x Lam Hn Hx big HLam z Hf Hb Hr z_quiet).
      + apply (last_content_row n L j x Lam Hn Hx big HLam z Hf Hb Hr z_quiet i H2 Hi E).
  Qed.
End Deep.

Theorem deep_loss : deep_statement.deep_loss.
Proof.
  intros n L Lam Hn Hlarge x j Hx i a H1 Hi Ha. rewrite end_is_z6 by assumption.
  now apply (error_bound n L j x Lam).
Qed.

Theorem deep_bos_attention : deep_statement.deep_bos_attention.
Proof. intros n L Lam j x d i Hn Hlarge Hx Hd H2 Hi. now apply (bos_bound n L j x Lam). Qed.

(** e^Lam >= Lam^2/4, so Lam e^-Lam <= 4/Lam and e^-Lam <= 1/Lam. *)
Lemma decay_bounds Lam : 0 < Lam -> exp (- Lam) <= / Lam /\ Lam * exp (- Lam) <= 4 * / Lam.
Proof.
  intros H. rewrite exp_Ropp. pose proof (exp_ineq1_le Lam). split; [apply Rinv_le_contravar; lra|].
  assert (Hsq : (Lam / 2) * (Lam / 2) <= exp Lam).
  { replace (exp Lam) with (exp (Lam / 2) * exp (Lam / 2)) by (rewrite <- exp_plus; f_equal; field).
    pose proof (exp_ineq1_le (Lam / 2)). apply Rmult_le_compat; lra. }
  assert (Hinv : / exp Lam <= / ((Lam / 2) * (Lam / 2))).
  { apply Rinv_le_contravar; [|assumption]. apply Rmult_lt_0_compat; lra. }
  apply Rle_trans with (Lam * / ((Lam / 2) * (Lam / 2))).
  - apply Rmult_le_compat_l; lra.
  - right. field. lra.
Qed.

Theorem deep_limit : deep_statement.deep_limit.
Proof.
  intros n L eta Hn Heta. pose proof (pos_INR n) as HN. pose proof (pos_INR L) as HL.
  set (C := 3 * INR n + 832 * INR L + 1).
  assert (HCpos : 0 < C) by (unfold C; lra).
  assert (HCeta : 0 < C / eta) by (apply Rdiv_lt_0_compat; assumption).
  exists (200 * (INR n + INR L) + C / eta). intros Lam HLam.
  assert (Hpos : 0 < Lam) by lra.
  assert (Hlarge : 200 * (INR n + INR L) <= exp Lam) by (pose proof (exp_ineq1_le Lam); lra).
  destruct (decay_bounds Lam Hpos) as [D1 D2]. pose proof (exp_pos (- Lam)) as He.
  assert (Hinv : C * / Lam <= eta).
  { apply (Rmult_le_reg_r Lam); [assumption|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace C with (eta * (C / eta)) by (field; lra). apply Rmult_le_compat_l; lra. }
  assert (Hi : 0 < / Lam) by (now apply Rinv_0_lt_compat).
  assert (T1 : (3 * INR n + 32 * INR L) * exp (- Lam) <= (3 * INR n + 32 * INR L) * / Lam)
    by (apply Rmult_le_compat_l; lra).
  assert (T2 : 200 * INR L * (Lam * exp (- Lam)) <= 200 * INR L * (4 * / Lam)) by (apply Rmult_le_compat_l; lra).
  assert (T3 : 0 <= (3 * INR n + 32 * INR L) * exp (- Lam)) by (apply Rmult_le_pos; lra).
  unfold C in Hinv. split.
  - intros x j Hx i a H1 Hia Ha.
    eapply Rle_trans; [apply (deep_loss n L Lam Hn Hlarge x j Hx i a H1 Hia Ha)|]. lra.
  - intros j x d i Hx Hd H2 Hia.
    eapply Rle_trans; [apply (deep_bos_attention n L Lam j x d i Hn Hlarge Hx Hd H2 Hia)|].
    assert (0 <= INR n * / Lam) by (apply Rmult_le_pos; lra). assert (0 <= INR L * / Lam) by (apply Rmult_le_pos; lra).
    destruct (i =? j)%nat; lra.
Qed.

(** ** The hypotheses hold: n = 4, L = 16, e^Lam = 10^6 *)

Definition example_scale : R := ln 1000000.

Lemma example_large : 200 * (INR 4 + INR 16) <= exp example_scale.
Proof. unfold example_scale. rewrite exp_ln by lra. simpl. lra. Qed.

Theorem deep_loss_instance : exists n L Lam, (4 <= n)%nat /\ 200 * (INR n + INR L) <= exp Lam.
Proof. exists 4%nat, 16%nat, example_scale. split; [lia|exact example_large]. Qed.

Theorem deep_bos_attention_instance :
  exists n L Lam j x d i, (4 <= n)%nat /\ 200 * (INR n + INR L) <= exp Lam /\ valid n L j x /\
  (d < 4 * n - 10)%nat /\ (2 <= i)%nat /\ (i <= L)%nat.
Proof.
  destruct (valid_exists 4 16 5) as [x Hx]; try lia.
  exists 4%nat, 16%nat, example_scale, 5%nat, x, 3%nat, 5%nat.
  repeat match goal with |- _ /\ _ => split end; try lia; [exact example_large|exact Hx].
Qed.

Theorem deep_limit_instance : exists (n L : nat) (eta : R), (4 <= n)%nat /\ 0 < eta.
Proof. exists 4%nat, 16%nat, (/ 1000). split; [lia|lra]. Qed.

Print Assumptions deep_loss.
Print Assumptions deep_bos_attention.
Print Assumptions deep_limit.
Print Assumptions deep_loss_instance.
Print Assumptions deep_bos_attention_instance.
Print Assumptions deep_limit_instance.
