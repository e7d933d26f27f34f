(** * tc-2: how much the probability could be improved

    At eta = 1/12 the factor (L-1)(L-2)/4 that [necessity_high_probability_sharp] gives as delta -> 0
    cannot be lowered.  Two noise points: 0 ("good") and a rare one ("bad", probability q).  A content
    token with the bad noise has a value that makes the head miss by more than 1/12 only where it is
    one of two content tokens before the trigger (j = 4), and its own row does not look at BOS enough.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-2 Claim tightness.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task hard_switch.
From Claim Require Import statement random_sequences.
Import ListNotations.
Open Scope R_scope.

Inductive class := Bos | Trg | Bad | Good.

Definition class_of (x : token) : class :=
  if at_most 1 (x 0%nat) then Bos else if at_most 1 (x 1%nat) then Trg
  else if at_most (1 / 24) (x 2%nat) then Bad else Good.

(** The trigger's weights, and those of the other queries: M is large. *)
Definition rare_kernel (M : R) : kernel := fun x y =>
  match class_of x, class_of y with
  | Trg, Bos => 1 / 2
  | Trg, Trg => 1 / 2
  | Trg, Bad => 23 / 10
  | Trg, Good => 1
  | Bad, Bos => M * (749 / 1000)
  | Bad, Bad => M * (251 / 1000)
  | _, Bos => M
  | _, _ => 1
  end.

Definition rare_value (n : nat) : token -> token := fun x r =>
  if (r =? 1)%nat then match class_of x with Bos => 0 | Trg => 2 | Bad => 5 / 23 | Good => 0 end
  else if (r =? n - 1)%nat
  then match class_of x with Bos => - (2 / 25) | Trg => 6 / 25 | Bad => 13 / 23 | Good => 27 / 25 end
  else 0.

Definition rare_noise (k r : nat) : R := if (k =? 1)%nat then 1 / 12 else 0.
Definition rare_weight (q : R) (k : nat) : R := if (k =? 1)%nat then q else 1 - q.

(** How many of the first m draws are bad. *)
Fixpoint bads (m : nat) (l : list nat) : nat :=
  match m, l with
  | S m', k :: l' => ((if (k =? 1)%nat then 1 else 0) + bads m' l')%nat
  | _, _ => 0%nat
  end.

Lemma bads_mono m p l : (m <= p)%nat -> (bads m l <= bads p l)%nat.
Proof.
  revert p l. induction m as [|m IH]; intros p l Hp; [simpl; lia|].
  destruct p as [|p]; [lia|]. destruct l as [|k l]; [simpl; lia|].
  cbn [bads]. specialize (IH p l ltac:(lia)). lia.
Qed.

Lemma bads_at_least_1 m l a : (a < m)%nat -> nth a l 0%nat = 1%nat -> (1 <= bads m l)%nat.
Proof.
  revert l a. induction m as [|m IH]; intros l a Ha H; [lia|].
  destruct l as [|k l]; [destruct a; discriminate|]. cbn [bads]. destruct a as [|a].
  - cbn [nth] in H. rewrite H. simpl. lia.
  - cbn [nth] in H. specialize (IH l a ltac:(lia) H). lia.
Qed.

Lemma bads_at_least_2 m l a b :
  (a < b)%nat -> (b < m)%nat -> nth a l 0%nat = 1%nat -> nth b l 0%nat = 1%nat -> (2 <= bads m l)%nat.
Proof.
  revert l a b. induction m as [|m IH]; intros l a b Hab Hb Ea Eb; [lia|].
  destruct l as [|k l]; [destruct a; discriminate|]. cbn [bads].
  destruct b as [|b]; [lia|]. cbn [nth] in Eb. destruct a as [|a].
  - cbn [nth] in Ea. rewrite Ea. pose proof (bads_at_least_1 m l b ltac:(lia) Eb). simpl. lia.
  - cbn [nth] in Ea. specialize (IH l a b ltac:(lia) ltac:(lia) Ea Eb). lia.
Qed.

Lemma bads_found m l : bads m l <> 0%nat -> exists a, (a < m)%nat /\ nth a l 0%nat = 1%nat.
Proof.
  revert l. induction m as [|m IH]; intros l H; [simpl in H; lia|].
  destruct l as [|k l]; [simpl in H; lia|]. cbn [bads] in H.
  destruct (Nat.eqb_spec k 1) as [->|E].
  - exists 0%nat. split; [lia|reflexivity].
  - destruct (IH l ltac:(lia)) as (a & Ha & E'). exists (S a). split; [lia|exact E'].
Qed.

(** A sum over draws counts them. *)
Lemma sum_by_class m l (g b : R) :
  sum m (fun k => if (nth k l 0 =? 1)%nat then b else g) = INR m * g + INR (bads m l) * (b - g).
Proof.
  revert l. induction m as [|m IH]; intros l; [simpl; ring|]. rewrite sum_first.
  destruct l as [|k l].
  - rewrite (sum_ext m _ (fun _ => g)).
    2:{ intros a _. reflexivity. }
    rewrite sum_const. cbn [nth Nat.eqb bads]. rewrite (S_INR m). simpl (INR 0). ring.
  - cbn [nth bads]. rewrite IH, plus_INR, (S_INR m). destruct (k =? 1)%nat; simpl (INR 0); simpl (INR 1); ring.
Qed.

(** *** How often draws are bad *)

Section Rarity.
  Context (q : R) (Hq : 0 <= q <= 1).
  Let w := rare_weight q.

  Lemma rare_weight_nonneg k : (k < 2)%nat -> 0 <= w k.
  Proof using Hq. intros _. unfold w, rare_weight. destruct (k =? 1)%nat; lra. Qed.

  Lemma rare_weight_total : sum 2 w = 1.
  Proof using Type. unfold w, rare_weight. cbn [sum Nat.eqb]. ring. Qed.

  Lemma mean_two p f :
    mean_draws 2 w (S p) f
    = (1 - q) * mean_draws 2 w p (fun l => f (0%nat :: l)) + q * mean_draws 2 w p (fun l => f (1%nat :: l)).
  Proof using Type. cbn [mean_draws sum]. unfold w, rare_weight at 1 3. cbn [Nat.eqb]. ring. Qed.

  Lemma mean_range p f : (forall l, 0 <= f l <= 1) -> 0 <= mean_draws 2 w p f <= 1.
  Proof using Hq.
    intros Hf. split.
    - rewrite <- (mean_const 2 w rare_weight_total p 0). apply mean_le; [exact rare_weight_nonneg|].
      intros. apply Hf.
    - rewrite <- (mean_const 2 w rare_weight_total p 1). apply mean_le; [exact rare_weight_nonneg|].
      intros. apply Hf.
  Qed.

  Lemma one_bad p : mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat) <= INR p * q.
  Proof using Hq.
    induction p as [|p IH]; [simpl; lra|]. rewrite mean_two, S_INR. cbn [bads Nat.eqb Nat.add].
    pose proof (mean_range p (fun l => indicator (1 <=? S (bads p l))%nat)) as H1.
    pose proof (mean_range p (fun l => indicator (1 <=? bads p l)%nat)) as H0.
    specialize (H1 ltac:(intros; apply indicator_range)). specialize (H0 ltac:(intros; apply indicator_range)).
    set (m1 := mean_draws 2 w p (fun l => indicator (1 <=? S (bads p l))%nat)) in *.
    set (m0 := mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat)) in *.
    assert (0 <= q * (1 - m1)) by (apply Rmult_le_pos; lra).
    assert (0 <= q * m0) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma two_bads p :
    mean_draws 2 w p (fun l => indicator (2 <=? bads p l)%nat) <= INR p * INR p * (q * q).
  Proof using Hq.
    induction p as [|p IH]; [simpl; lra|]. rewrite mean_two, S_INR. cbn [bads Nat.eqb Nat.add].
    pose proof (one_bad p) as H1.
    pose proof (mean_range p (fun l => indicator (2 <=? bads p l)%nat)) as H0.
    specialize (H0 ltac:(intros; apply indicator_range)).
    change (mean_draws 2 w p (fun l => indicator (2 <=? S (bads p l))%nat))
      with (mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat)).
    set (m1 := mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat)) in *.
    set (m0 := mean_draws 2 w p (fun l => indicator (2 <=? bads p l)%nat)) in *.
    pose proof (pos_INR p) as Hp.
    assert (0 <= q * m0) by (apply Rmult_le_pos; lra).
    assert (0 <= q * (INR p * q - m1)) by (apply Rmult_le_pos; lra).
    assert (0 <= q * q) by (apply Rmult_le_pos; lra).
    assert (0 <= INR p * (q * q)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma no_bad p m :
    (m <= p)%nat ->
    mean_draws 2 w p (fun l => indicator (bads m l =? 0)%nat) <= 1 - INR m * q + INR m * INR m * (q * q).
  Proof using Hq.
    revert m. induction p as [|p IH]; intros m Hm.
    - replace m with 0%nat by lia. simpl. lra.
    - destruct m as [|m].
      + simpl (INR 0). rewrite !Rmult_0_l, Rminus_0_r, Rplus_0_r.
        apply mean_range. intros. apply indicator_range.
      + rewrite mean_two, S_INR. cbn [bads Nat.eqb Nat.add indicator].
        rewrite (mean_const 2 w rare_weight_total). specialize (IH m ltac:(lia)).
        set (m0 := mean_draws 2 w p (fun l => indicator (bads m l =? 0)%nat)) in *.
        set (B := 1 - INR m * q + INR m * INR m * (q * q)) in *.
        pose proof (pos_INR m) as HM.
        assert (H1 : 0 <= (1 - q) * (B - m0)) by (apply Rmult_le_pos; lra).
        assert (H2 : 0 <= q * q) by (apply Rmult_le_pos; lra).
        assert (H3 : 0 <= INR m * (q * q)) by (apply Rmult_le_pos; lra).
        assert (H4 : 0 <= INR m * INR m * (q * q) * q).
        { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [|lra]. now apply Rmult_le_pos. }
        unfold B in *. lra.
  Qed.
End Rarity.

(** *** The head's rows *)

Section Rare.
  Context (n L : nat) (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat).

  Let M : R := 2000 * INR L.
  Let K := rare_kernel M.
  Let v := rare_value n.
  Let c := fun k => content_token n (rare_noise k).
  Let t := fun k => trigger_token n (rare_noise k).

  Lemma M_large : 8000 <= M.
  Proof using HL. unfold M. pose proof (le_INR 4 L HL) as H. simpl in H. lra. Qed.

  Lemma rare_kernel_positive : positive_kernel K.
  Proof using HL.
    pose proof M_large. intros x y. unfold K, rare_kernel.
    destruct (class_of x); destruct (class_of y); lra.
  Qed.

  Lemma rare_noise_law q : 0 <= q <= 1 -> noise_law n 2 (rare_weight q) rare_noise.
  Proof using Type.
    intros Hq. split.
    - intros k Hk. now apply rare_weight_nonneg.
    - apply rare_weight_total.
    - intros k r _ _ _. unfold rare_noise. destruct (k =? 1)%nat; lra.
  Qed.

  Lemma class_bos : class_of bos = Bos.
  Proof using Hn HL.
    unfold class_of. rewrite bos_0. replace (at_most 1 1) with true; [reflexivity|].
    symmetry. apply at_most_true. lra.
  Qed.

  Lemma above_false x y : y < x -> at_most x y = false.
  Proof using Type. intros H. unfold at_most. destruct (Rle_dec x y); [lra|reflexivity]. Qed.

  Lemma class_trigger k : class_of (t k) = Trg.
  Proof using Hn HL.
    unfold class_of. rewrite above_false by (unfold t, trigger_token; simpl; lra).
    replace (at_most 1 (t k 1%nat)) with true; [reflexivity|].
    symmetry. apply at_most_true. unfold t, trigger_token. simpl. lra.
  Qed.

  Lemma class_content k : class_of (c k) = if (k =? 1)%nat then Bad else Good.
  Proof using Hn HL.
    unfold class_of. rewrite above_false by (unfold c, content_token; simpl; lra).
    rewrite above_false by (unfold c, content_token; simpl; lra).
    assert (E : c k 2%nat = rare_noise k 2%nat).
    { unfold c, content_token. simpl. destruct (Nat.ltb_spec 2 (n - 1)); [reflexivity|lia]. }
    rewrite E. unfold rare_noise. destruct (k =? 1)%nat.
    - replace (at_most (1 / 24) (1 / 12)) with true; [reflexivity|]. symmetry. apply at_most_true. lra.
    - rewrite above_false by lra. reflexivity.
  Qed.

  Section Sequence.
    Context (j : nat) (l : list nat) (H3 : (3 <= j)%nat) (HjL : (j <= L)%nat)
            (Hl : drawn 2 (L - 1) l).

    Let x := random_sequence c t j l.
    Let kind (i : nat) : class :=
      if (i =? j)%nat then Trg else if (nth (i - 2) l 0 =? 1)%nat then Bad else Good.

    Lemma rare_valid : valid n L j x.
    Proof using Hn HL H3 HjL Hl.
      apply (random_valid n L 2 (rare_weight 0)); auto; [|apply Hl].
      apply noise_law_tokens; [assumption|]. apply rare_noise_law. lra.
    Qed.

    Lemma x_1 : x 1%nat = bos.
    Proof using Hn HL H3 HjL Hl. reflexivity. Qed.

    Lemma class_x i : (2 <= i)%nat -> class_of (x i) = kind i.
    Proof using Hn HL H3 HjL Hl.
      intros Hi. unfold x, random_sequence, kind. destruct (Nat.eqb_spec i 1); [lia|].
      destruct (i =? j)%nat; [apply class_trigger|apply class_content].
    Qed.

    (** Coordinates other than the trigger's and the content's flag carry at most 1/12. *)
    Lemma small_coordinate i r :
      (2 <= i)%nat -> r <> 1%nat -> r <> (n - 1)%nat -> (r < n)%nat -> Rabs (x i r) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hi E1 En Hr. apply Rabs_le. unfold x, random_sequence. destruct (Nat.eqb_spec i 1); [lia|].
      assert (G : forall k, - (1 / 12) <= rare_noise k r <= 1 / 12).
      { intros k. unfold rare_noise. destruct (k =? 1)%nat; lra. }
      destruct (i =? j)%nat; unfold t, c, trigger_token, content_token.
      - destruct (Nat.eqb_spec r 0); [lra|]. destruct (Nat.eqb_spec r 1); [lia|].
        destruct (Nat.ltb_spec r (n - 1)); [apply G|lra].
      - destruct (Nat.ltb_spec r 2); [lra|]. destruct (Nat.ltb_spec r (n - 1)); [apply G|].
        destruct (Nat.eqb_spec r (n - 1)); [lia|lra].
    Qed.

    (** The trigger row. *)
    Lemma trigger_row_out r :
      head (kernel_attention K) v x j r
      = (v bos r / 2 + INR (j - 2) * v (c 0%nat) r
         + INR (bads (j - 2) l) * (23 / 10 * v (c 1%nat) r - v (c 0%nat) r) + v (t 0%nat) r / 2)
        / (INR (j - 1) + INR (bads (j - 2) l) * (13 / 10)).
    Proof using Hn HL H3 HjL Hl.
      assert (Hc : class_of (x j) = Trg).
      { rewrite class_x by lia. unfold kind. now rewrite Nat.eqb_refl. }
      assert (Hk : forall k, (k < j - 2)%nat ->
                class_of (x (k + 2)%nat) = if (nth k l 0 =? 1)%nat then Bad else Good).
      { intros k Hk. rewrite class_x by lia. unfold kind. destruct (Nat.eqb_spec (k + 2) j); [lia|].
        now replace (k + 2 - 2)%nat with k by lia. }
      rewrite kernel_head_quotient, !possum_ends by lia. rewrite x_1. f_equal.
      - rewrite (sum_ext _ _ (fun k => if (nth k l 0 =? 1)%nat then 23 / 10 * v (c 1%nat) r else v (c 0%nat) r)).
        + rewrite sum_by_class. unfold K, rare_kernel. rewrite Hc, class_bos.
          replace (v (x j) r) with (v (t 0%nat) r).
          2:{ unfold v, rare_value. rewrite Hc, class_trigger. reflexivity. }
          field.
        + intros k Hk'. specialize (Hk k Hk'). unfold K, rare_kernel. rewrite Hc, Hk.
          unfold v, rare_value. rewrite Hk, !class_content. cbn [Nat.eqb].
          destruct (nth k l 0 =? 1)%nat; ring.
      - rewrite (sum_ext _ _ (fun k => if (nth k l 0 =? 1)%nat then 23 / 10 else 1)).
        + rewrite sum_by_class. unfold K, rare_kernel. rewrite Hc, class_bos.
          replace (INR (j - 1)) with (INR (j - 2) + 1); [field|].
          replace (j - 1)%nat with (S (j - 2)) by lia. now rewrite S_INR.
        + intros k Hk'. specialize (Hk k Hk'). unfold K, rare_kernel. rewrite Hc, Hk.
          destruct (nth k l 0 =? 1)%nat; ring.
    Qed.

    Lemma value_trigger_flag y :
      v y 1%nat = match class_of y with Bos => 0 | Trg => 2 | Bad => 5 / 23 | Good => 0 end.
    Proof using Hn HL H3 HjL Hl. reflexivity. Qed.

    Lemma value_content_flag y :
      v y (n - 1)%nat
      = match class_of y with Bos => - (2 / 25) | Trg => 6 / 25 | Bad => 13 / 23 | Good => 27 / 25 end.
    Proof using Hn HL H3 HjL Hl.
      unfold v, rare_value. destruct (Nat.eqb_spec (n - 1) 1); [lia|]. now rewrite Nat.eqb_refl.
    Qed.

    Lemma value_elsewhere y r : r <> 1%nat -> r <> (n - 1)%nat -> v y r = 0.
    Proof using Hn HL H3 HjL Hl.
      intros E1 En. unfold v, rare_value. destruct (Nat.eqb_spec r 1); [contradiction|].
      destruct (Nat.eqb_spec r (n - 1)); [contradiction|reflexivity].
    Qed.

    (** |a/b - e/y| <= 1/12, multiplied out. *)
    Lemma quotient_error a b e y :
      0 < b -> 0 < y -> 12 * (a * y - e * b) <= b * y -> - (b * y) <= 12 * (a * y - e * b) ->
      Rabs (a / b - e / y) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hb Hy H1 H2. assert (Hby : 0 < b * y) by now apply Rmult_lt_0_compat.
      replace (a / b - e / y) with ((a * y - e * b) / (b * y)) by (field; lra).
      apply Rabs_le. split.
      - apply (Rmult_le_reg_r (b * y)); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra.
      - apply (Rmult_le_reg_r (b * y)); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra.
    Qed.

    Lemma trigger_row_good r :
      (r < n)%nat -> (bads (L - 1) l <= 1)%nat -> (j = 4%nat -> bads 2 l = 0%nat) ->
      Rabs (head (kernel_attention K) v x j r - target j x j r) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hr Hone H4. rewrite trigger_row_out.
      assert (Hb : (bads (j - 2) l <= 1)%nat) by (pose proof (bads_mono (j - 2) (L - 1) l ltac:(lia)); lia).
      assert (Hcase : bads (j - 2) l = 0%nat \/ (bads (j - 2) l = 1%nat /\ j <> 4%nat)).
      { destruct (bads (j - 2) l) as [|[|b]] eqn:E; [left; reflexivity| |lia].
        right. split; [reflexivity|]. intros E4. rewrite E4 in E. simpl (4 - 2)%nat in E.
        specialize (H4 E4). congruence. }
      assert (EJ : INR (j - 2) = INR (j - 1) - 1).
      { replace (j - 1)%nat with (S (j - 2)) by lia. rewrite S_INR. ring. }
      assert (Hy2 : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      destruct (Nat.eq_dec r 1) as [->|E1]; [|destruct (Nat.eq_dec r (n - 1)) as [->|En]].
      - rewrite (target_trigger_flag n L j x rare_valid Hn).
        rewrite !value_trigger_flag, class_bos, !class_content, class_trigger. cbn [Nat.eqb].
        set (y := INR (j - 1)) in *. assert (Hyy : 0 <= (y - 3) * (y - 3)) by apply Rle_0_sqr.
        destruct Hcase as [->|[-> _]]; [change (INR 0) with 0|change (INR 1) with 1]; apply quotient_error; lra.
      - rewrite (target_content_flag n L j x rare_valid Hn).
        rewrite !value_content_flag, class_bos, !class_content, class_trigger. cbn [Nat.eqb].
        rewrite EJ. set (y := INR (j - 1)) in *.
        destruct Hcase as [->|[-> E4]].
        + change (INR 0) with 0. assert (0 <= y * (y - 2)) by (apply Rmult_le_pos; lra).
          apply quotient_error; lra.
        + change (INR 1) with 1. assert (Hyy : 0 <= (y - 2) * (y - 4)).
          { destruct (Nat.eq_dec j 3) as [E|E].
            - unfold y. rewrite E. simpl. lra.
            - pose proof (le_INR 4 (j - 1) ltac:(lia)) as H. simpl (INR 4) in H. fold y in H. apply Rmult_le_pos; lra. }
          assert (0 <= y * (y - 2)) by (apply Rmult_le_pos; lra).
          apply quotient_error; lra.
      - rewrite !value_elsewhere by assumption.
        assert (Ht : Rabs (target j x j r) <= 1 / 12).
        { unfold target, mean_from_2. rewrite Nat.eqb_refl. unfold Rdiv at 1.
          rewrite Rabs_mult, (Rabs_pos_eq (/ INR (j - 1))) by (left; apply Rinv_0_lt_compat; lra).
          apply (Rmult_le_reg_r (INR (j - 1))); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
          rewrite (Rmult_comm (1 / 12)). apply sum_abs_le. intros. apply small_coordinate; auto; lia. }
        replace ((0 / 2 + INR (j - 2) * 0 + INR (bads (j - 2) l) * (23 / 10 * 0 - 0) + 0 / 2)
                 / (INR (j - 1) + INR (bads (j - 2) l) * (13 / 10)) - target j x j r)
          with (- target j x j r).
        2:{ pose proof (pos_INR (bads (j - 2) l)). field. lra. }
        now rewrite Rabs_Ropp.
    Qed.

    (** Values are small numbers. *)
    Lemma value_abs y r : Rabs (v y r) <= 2.
    Proof using Hn HL H3 HjL Hl.
      apply Rabs_le. unfold v, rare_value. destruct (r =? 1)%nat; [destruct (class_of y); lra|].
      destruct (r =? n - 1)%nat; [destruct (class_of y); lra|lra].
    Qed.

    Lemma value_bos_abs r : - (2 / 25) <= v bos r <= 0.
    Proof using Hn HL H3 HjL Hl.
      unfold v, rare_value. rewrite class_bos. destruct (r =? 1)%nat; [lra|]. destruct (r =? n - 1)%nat; lra.
    Qed.

    Lemma value_bad r : - (82 / 1000) <= 749 / 1000 * v bos r + 251 / 1000 * v (c 1%nat) r <= 82 / 1000.
    Proof using Hn HL H3 HjL Hl.
      unfold v, rare_value. rewrite class_bos, class_content. cbn [Nat.eqb].
      destruct (r =? 1)%nat; [lra|]. destruct (r =? n - 1)%nat; lra.
    Qed.

    (** A quotient M a + s over M + p with |a| <= 82/1000 and |s| <= 2 L. *)
    Lemma quiet_quotient a s p :
      Rabs a <= 82 / 1000 -> Rabs s <= INR L * 2 -> 0 <= p -> Rabs ((M * a + s) / (M + p)) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Ha Hs Hp. pose proof M_large as HM. unfold Rdiv at 1.
      rewrite Rabs_mult, (Rabs_pos_eq (/ (M + p))) by (left; apply Rinv_0_lt_compat; lra).
      apply (Rmult_le_reg_r (M + p)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, (Rabs_pos_eq M) by lra.
      assert (H : 0 <= M * (82 / 1000 - Rabs a)) by (apply Rmult_le_pos; lra).
      unfold M in *. lra.
    Qed.

    Lemma quiet_row_good i r :
      (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (bads (L - 1) l <= 1)%nat ->
      Rabs (head (kernel_attention K) v x i r) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hi HiL Ej Hone. rewrite kernel_head_quotient. pose proof M_large as HM.
      pose proof (value_bos_abs r) as Hv0.
      destruct (Nat.eq_dec i 1) as [->|E1].
      - unfold possum. cbn [sum]. rewrite x_1. unfold K, rare_kernel. rewrite class_bos.
        replace ((0 + M * v bos r) / (0 + M)) with (v bos r) by (field; lra). apply Rabs_le. lra.
      - assert (Hci : class_of (x i) = if (nth (i - 2) l 0 =? 1)%nat then Bad else Good).
        { rewrite class_x by lia. unfold kind. destruct (Nat.eqb_spec i j); [contradiction|reflexivity]. }
        assert (HiL' : INR (i - 1) <= INR L) by (apply le_INR; lia).
        assert (HiL2 : INR (i - 2) <= INR L) by (apply le_INR; lia).
        destruct (Nat.eqb_spec (nth (i - 2) l 0%nat) 1) as [Eb|Eb].
        + (* the query is the one bad token *)
          assert (Hother : forall k, (k < i - 2)%nat ->
                    class_of (x (k + 2)%nat) = Trg \/ class_of (x (k + 2)%nat) = Good).
          { intros k Hk. rewrite class_x by lia. unfold kind. destruct (k + 2 =? j)%nat; [now left|].
            destruct (Nat.eqb_spec (nth (k + 2 - 2) l 0%nat) 1) as [Ek|]; [|now right]. exfalso.
            pose proof (bads_at_least_2 (L - 1) l (k + 2 - 2) (i - 2) ltac:(lia) ltac:(lia) Ek Eb). lia. }
          assert (HK1 : forall k, (k < i - 2)%nat -> K (x i) (x (k + 2)%nat) = 1).
          { intros k Hk. unfold K, rare_kernel. rewrite Hci. destruct (Hother k Hk) as [->| ->]; reflexivity. }
          rewrite !possum_ends by lia. rewrite x_1.
          rewrite (sum_ext _ _ (fun k => v (x (k + 2)%nat) r)) by (intros k Hk; rewrite HK1 by assumption; ring).
          rewrite (sum_ext (i - 2) (fun k => K (x i) (x (k + 2)%nat)) (fun _ => 1)) by (intros k Hk; now apply HK1).
          rewrite sum_const.
          replace (v (x i) r) with (v (c 1%nat) r).
          2:{ unfold v, rare_value. rewrite Hci, class_content. reflexivity. }
          unfold K, rare_kernel. rewrite Hci, class_bos.
          set (s := sum (i - 2) (fun k => v (x (k + 2)%nat) r)).
          replace (M * (749 / 1000) * v bos r + s + M * (251 / 1000) * v (c 1%nat) r)
            with (M * (749 / 1000 * v bos r + 251 / 1000 * v (c 1%nat) r) + s) by ring.
          replace (M * (749 / 1000) + INR (i - 2) * 1 + M * (251 / 1000)) with (M + INR (i - 2)) by field.
          apply quiet_quotient.
          * apply Rabs_le, value_bad.
          * eapply Rle_trans; [apply (sum_abs_le (i - 2) _ 2); intros; apply value_abs|]. lra.
          * apply pos_INR.
        + assert (HK1 : forall k, (k < i - 1)%nat -> K (x i) (x (k + 2)%nat) = 1).
          { intros k Hk. unfold K, rare_kernel. rewrite Hci, class_x by lia. unfold kind.
            destruct (k + 2 =? j)%nat; [reflexivity|]. destruct (nth (k + 2 - 2) l 0 =? 1)%nat; reflexivity. }
          rewrite !possum_first by lia. rewrite x_1.
          rewrite (sum_ext _ _ (fun k => v (x (k + 2)%nat) r)) by (intros k Hk; rewrite HK1 by assumption; ring).
          rewrite (sum_ext (i - 1) (fun k => K (x i) (x (k + 2)%nat)) (fun _ => 1)) by (intros k Hk; now apply HK1).
          rewrite sum_const, Rmult_1_r. unfold K, rare_kernel. rewrite Hci, class_bos.
          apply quiet_quotient.
          * apply Rabs_le. lra.
          * eapply Rle_trans; [apply (sum_abs_le (i - 1) _ 2); intros; apply value_abs|]. lra.
          * apply pos_INR.
    Qed.

    Lemma rare_loss :
      (bads (L - 1) l <= 1)%nat -> (j = 4%nat -> bads 2 l = 0%nat) ->
      loss n L j (head (kernel_attention K) v) x <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hone H4. apply loss_le_iff; [lra|]. intros i r Hi HiL Hr.
      destruct (Nat.eq_dec i j) as [->|E]; [now apply trigger_row_good|].
      rewrite target_off_trigger, Rminus_0_r by assumption. now apply quiet_row_good.
    Qed.

    (** A bad token before the trigger does not look at BOS enough. *)
    Lemma rare_no_sink a :
      (a < j - 2)%nat -> nth a l 0%nat = 1%nat ->
      bos_attention (kernel_attention K) x (a + 2) <= 749 / 1000.
    Proof using Hn HL H3 HjL Hl.
      intros Ha Eb. pose proof M_large as HM.
      assert (Hca : class_of (x (a + 2)%nat) = Bad).
      { rewrite class_x by lia. unfold kind. destruct (Nat.eqb_spec (a + 2) j); [lia|].
        replace (a + 2 - 2)%nat with a by lia. now rewrite Eb. }
      unfold bos_attention, kernel_attention.
      rewrite possum_ends by lia. rewrite x_1.
      assert (Hs : 0 <= sum (a + 2 - 2) (fun k => K (x (a + 2)%nat) (x (k + 2)%nat))).
      { apply sum_nonneg. intros. left. apply rare_kernel_positive. }
      set (s := sum (a + 2 - 2) (fun k => K (x (a + 2)%nat) (x (k + 2)%nat))) in *.
      unfold K, rare_kernel. rewrite Hca, class_bos.
      apply (Rmult_le_reg_r (M * (749 / 1000) + s + M * (251 / 1000))); [lra|].
      unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
    Qed.
  End Sequence.

  Section Chance.
    Context (q : R) (Hq : 0 <= q <= 1).
    Let w := rare_weight q.

    Lemma rare_miss :
      probability L 2 w (loss_above n L (head (kernel_attention K) v) c t (1 / 12))
      <= 2 * q / (INR L - 2) + (INR L - 1) * (INR L - 1) * (q * q).
    Proof using Hn HL Hq.
      assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
      assert (HM1 : INR (L - 1) = INR L - 1) by (rewrite minus_INR by lia; simpl; ring).
      assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
      unfold probability. apply (Rmult_le_reg_r (INR (L - 2))); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace ((2 * q * / (INR L - 2) + (INR L - 1) * (INR L - 1) * (q * q)) * INR (L - 2))
        with (INR (L - 2) * (INR (L - 1) * INR (L - 1) * (q * q))
              + sum (L - 2) (fun a => if (a =? 1)%nat then 2 * q else 0)).
      2:{ rewrite (sum_single (L - 2) _ 1%nat).
          - simpl (1 =? 1)%nat. rewrite HM, HM1. field. lra.
          - lia.
          - intros k _ E. now apply Nat.eqb_neq in E as ->. }
      rewrite <- sum_const, <- sum_plus. apply sum_le. intros a Ha.
      pose proof (two_bads q Hq (L - 1)) as H2. fold w in H2.
      assert (Hbound : mean_draws 2 w (L - 1) (fun l =>
                indicator (loss_above n L (head (kernel_attention K) v) c t (1 / 12) (a + 3)%nat l))
              <= mean_draws 2 w (L - 1) (fun l => indicator (2 <=? bads (L - 1) l)%nat
                   + (if (a =? 1)%nat then indicator (nth 0 l 0 =? 1)%nat + indicator (nth 1 l 0 =? 1)%nat else 0))).
      { apply mean_le; [apply (rare_weight_nonneg q Hq)|]. intros l Hl. unfold loss_above.
        destruct (Nat.leb_spec 2 (bads (L - 1) l)) as [Hb|Hb].
        - simpl (indicator true).
          pose proof (indicator_range (negb (at_most (loss n L (a + 3) (head (kernel_attention K) v)
            (random_sequence c t (a + 3) l)) (1 / 12)))).
          pose proof (indicator_range (nth 0 l 0 =? 1)%nat). pose proof (indicator_range (nth 1 l 0 =? 1)%nat).
          destruct (a =? 1)%nat; lra.
        - simpl (indicator false). rewrite Rplus_0_l.
          destruct (at_most _ (1 / 12)) eqn:E.
          + simpl. pose proof (indicator_range (nth 0 l 0 =? 1)%nat). pose proof (indicator_range (nth 1 l 0 =? 1)%nat).
            destruct (a =? 1)%nat; lra.
          + simpl (indicator (negb false)).
            destruct (Nat.eqb_spec a 1) as [->|Ea].
            * destruct (bads 2 l) as [|b] eqn:E2.
              -- exfalso. enough (at_most (loss n L (1 + 3) (head (kernel_attention K) v)
                   (random_sequence c t (1 + 3) l)) (1 / 12) = true) by congruence.
                 apply at_most_true, rare_loss; auto; lia.
              -- destruct l as [|k0 [|k1 l]]; [simpl in E2; lia| |].
                 ++ destruct Hl as [Hl _]. simpl in Hl. lia.
                 ++ cbn [nth]. cbn [bads] in E2.
                    destruct (k0 =? 1)%nat; destruct (k1 =? 1)%nat; simpl in *; try lia; lra.
            * exfalso. enough (at_most (loss n L (a + 3) (head (kernel_attention K) v)
                   (random_sequence c t (a + 3) l)) (1 / 12) = true) by congruence.
              apply at_most_true, rare_loss; auto; lia. }
      eapply Rle_trans; [exact Hbound|]. rewrite mean_plus. apply Rplus_le_compat; [exact H2|].
      destruct (a =? 1)%nat.
      - rewrite mean_plus.
        rewrite (mean_nth 2 w (rare_weight_total q) (L - 1) 0 (fun k => indicator (k =? 1)%nat)) by lia.
        rewrite (mean_nth 2 w (rare_weight_total q) (L - 1) 1 (fun k => indicator (k =? 1)%nat)) by lia.
        unfold w, rare_weight. simpl. lra.
      - rewrite (mean_const 2 w (rare_weight_total q)). lra.
    Qed.

    Lemma rare_sink :
      probability L 2 w (sink_before_trigger (kernel_attention K) c t (1 - 3 * (1 / 12)))
      <= 1 - (INR L - 1) / 2 * q + (INR L - 1) * (INR L - 1) * (q * q).
    Proof using Hn HL Hq.
      assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
      assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
      assert (Hqq : 0 <= q * q) by (apply Rmult_le_pos; lra).
      unfold probability. apply (Rmult_le_reg_r (INR (L - 2))); [lra|]. unfold Rdiv at 1.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace ((1 - (INR L - 1) / 2 * q + (INR L - 1) * (INR L - 1) * (q * q)) * INR (L - 2))
        with (sum (L - 2) (fun _ => 1 + (INR L - 1) * (INR L - 1) * (q * q))
              - sum (L - 2) (fun a => INR (a + 1)) * q).
      2:{ rewrite sum_const, sum_positions, HM. field. }
      rewrite <- sum_scal_r, <- sum_minus. apply sum_le. intros a Ha.
      assert (Ha1 : INR (a + 1) <= INR L - 1).
      { assert (H : (a + 1 <= L - 1)%nat) by lia. apply le_INR in H. rewrite (minus_INR L 1) in H by lia.
        simpl (INR 1) in H. lra. }
      pose proof (pos_INR (a + 1)) as Ha0.
      apply Rle_trans with (1 - INR (a + 1) * q + INR (a + 1) * INR (a + 1) * (q * q)).
      - eapply Rle_trans; [|apply (no_bad q Hq (L - 1) (a + 1)); lia]. fold w.
        apply mean_le; [apply (rare_weight_nonneg q Hq)|]. intros l Hl.
        destruct (Nat.eqb_spec (bads (a + 1) l) 0) as [E|E].
        + simpl (indicator true). apply indicator_range.
        + destruct (bads_found _ _ E) as (b & Hb & Eb).
          replace (sink_before_trigger _ c t _ (a + 3)%nat l) with false; [simpl; lra|].
          symmetry. apply not_true_is_false. intros H. unfold sink_before_trigger in H.
          rewrite forallb_forall in H. specialize (H (b + 2)%nat ltac:(apply in_seq; lia)).
          apply at_most_true in H.
          pose proof (rare_no_sink (a + 3) l ltac:(lia) ltac:(lia) Hl b ltac:(lia) Eb) as G. lra.
      - assert (H1 : INR (a + 1) * INR (a + 1) <= (INR L - 1) * (INR L - 1)) by (apply Rmult_le_compat; lra).
        apply (Rmult_le_compat_r (q * q)) in H1; [|assumption]. lra.
    Qed.
  End Chance.
End Rare.

Theorem high_probability_tight : statement.high_probability_tight.
Proof.
  intros n L kappa small Hn HL Hk Hsmall. assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
  set (k := Rmax 0 kappa).
  assert (Hk0 : 0 <= k) by apply Rmax_l. assert (Hkk : kappa <= k) by apply Rmax_r.
  assert (Hpos : 0 < (INR L - 1) * (INR L - 2)) by (apply Rmult_lt_0_compat; lra).
  assert (Hk4 : k < (INR L - 1) * (INR L - 2) / 4) by (apply Rmax_lub_lt; lra).
  set (D := (INR L - 1) * (INR L - 1)).
  assert (HD : 9 <= D) by (unfold D; assert (0 <= (INR L - 4) * (INR L + 2)) by (apply Rmult_le_pos; lra); lra).
  set (g := (INR L - 1) / 2 - k * (2 / (INR L - 2))).
  assert (Hg : 0 < g).
  { unfold g. apply (Rmult_lt_reg_r (INR L - 2)); [lra|].
    replace (((INR L - 1) / 2 - k * (2 / (INR L - 2))) * (INR L - 2))
      with ((INR L - 1) * (INR L - 2) / 2 - 2 * k) by (field; lra). lra. }
  assert (HDk : 0 < D * (1 + k)) by (apply Rmult_lt_0_compat; lra).
  set (q := Rmin (Rmin 1 (small / (1 + D))) (g / (2 * (D * (1 + k))))).
  assert (Hq0 : 0 < q).
  { unfold q. repeat apply Rmin_pos; try lra; apply Rdiv_lt_0_compat; lra. }
  assert (Hq1 : q <= 1) by (eapply Rle_trans; [apply Rmin_l|apply Rmin_l]).
  assert (Hqs : q * (1 + D) <= small).
  { apply Rle_trans with (small / (1 + D) * (1 + D)).
    - apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply Rmin_l|apply Rmin_r].
    - apply Req_le. field. lra. }
  assert (Hqg : q * (D * (1 + k)) <= g / 2).
  { apply Rle_trans with (g / (2 * (D * (1 + k))) * (D * (1 + k))).
    - apply Rmult_le_compat_r; [lra|apply Rmin_r].
    - apply Req_le. field. lra. }
  assert (Hqq : 0 < q * q) by (now apply Rmult_lt_0_compat).
  assert (H2L : 0 < 2 / (INR L - 2) <= 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_le_reg_r (INR L - 2)); [lra|].
    replace (2 / (INR L - 2) * (INR L - 2)) with 2 by (field; lra). lra. }
  assert (HDq : 0 < D * (q * q)) by (apply Rmult_lt_0_compat; lra).
  assert (Hd0 : 0 < q * (2 / (INR L - 2))) by (apply Rmult_lt_0_compat; lra).
  exists (rare_weight q), rare_noise, (rare_kernel (2000 * INR L)), (rare_value n),
    (q * (2 / (INR L - 2)) + D * (q * q)).
  split; [apply rare_noise_law; lra|]. split; [now apply rare_kernel_positive|]. split; [split; [lra|]|].
  - assert (0 <= q * (1 - 2 / (INR L - 2))) by (apply Rmult_le_pos; lra).
    assert (0 <= D * (q * (1 - q))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). lra.
  - split.
    + eapply Rle_trans; [apply (rare_miss n L Hn HL q); lra|]. fold D. apply Req_le. field. lra.
    + eapply Rle_lt_trans; [apply (rare_sink n L Hn HL q); lra|]. fold D.
      assert (Hfin : q * (q * (D * (1 + k))) <= q * (g / 2)) by (apply Rmult_le_compat_l; lra).
      assert (Hgq : 0 < q * g) by (now apply Rmult_lt_0_compat).
      assert (Hle : kappa * (q * (2 / (INR L - 2)) + D * (q * q)) <= k * (q * (2 / (INR L - 2)) + D * (q * q))).
      { apply Rmult_le_compat_r; lra. }
      assert (Eg : q * g = (INR L - 1) / 2 * q - k * (q * (2 / (INR L - 2)))) by (unfold g; ring).
      lra.
Qed.

Print Assumptions high_probability_tight.
