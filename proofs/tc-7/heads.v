(** * tc-7: several softmax heads escape the sink

    Claim (docs/THEORY.md, tc-7; ours).
    (a) Cancelling pair, every L: V_1 = P, V_2 = -P, logits -b t(q) bos(k) and +b t(q) bos(k): sup loss
        max_j (e1 + e2), e1 = e^-b/(e^-b + j-1), e2 = (j-1)/(e^b + j-1), which tends to 0, while every
        non-trigger row i has BOS attention exactly 1/i in both heads.
    (b) Exactly zero loss, L = 4, two softmax heads: logits ln F_h t(q) bos(k), F = (2,3), V = +10P and
        -10P; BOS attention at most 3/5 at every row i >= 2.
    (c) Every L: H = L-1 heads, distinct F_h > 0, a BOS factor E > 0 for other queries, V_h = c_h P with
        sum c_h = 0 and sum_h c_h/(F_h + x) = 1/x for x = 2..L-1 (a Cauchy system, solvable): loss 0 and
        BOS attention <= max(E/(E+1), max F/(max F + 2)), as small as wanted.
    (c') Every even L: H = L-2 heads are enough, with any distinct F_h > 0 of product (L-1)!.

    Proved here, for all n >= 4:
    - (a) [pair_sup_loss]: eta bounds the sup loss if and only if e1 + e2 <= eta for every j in 3..L,
      so the sup loss IS the maximum; [pair_bos_attention]: 1/i; [pair_sup_loss_small]: -> 0;
    - (b) [two_heads_zero_loss], [two_heads_bos_attention];
    - (c) [cauchy_system]: the system has a solution for all distinct F_h > 0; [many_heads_zero_loss],
      [many_heads_bos_attention]; [sink_free_exact]: for every L and every bound delta > 0 on the BOS attention;
    - (c') [even_length]; [even_length_exact]: with F = 2..L-1, BOS attention below any bound off the trigger and
      at most (L-1)/(L+1) at it.  With [too_few_heads] (head_count.v): for even L and n >= L the least number of
      heads with zero loss is exactly L - 2;
    - [tc1_fails_for_several_heads]: so no constants C and threshold make tc-1 true of them.

    Steps.  Row i of head h outputs c_h (x_2+..+x_i)/(f_h + i - 1), f_h the BOS factor of the row
    (proofs/theory/switch_family.v); the heads add up to (x_2+..+x_i) sum_h c_h/(f_h + i - 1).
    Off the trigger all f_h agree and sum c_h = 0.  The Cauchy system is solved one equation at
    a time, Newton's way: [newton_row] gives coefficients whose sum of fractions vanishes at the
    points already done and not at the next one.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-7/heads.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
Open Scope R_scope.

(** Head h: softmax, BOS logit tau_h for the trigger query and beta for the others, values c_h P. *)
Definition switch_heads (n : nat) (beta : R) (tau c : nat -> R) : nat -> model :=
  fun h => switch_head n beta (tau h) (c h).

(** Each of them is a softmax head with a linear value map. *)
Lemma switch_heads_are_softmax n beta tau c h :
  switch_heads n beta tau c h
  = head (kernel_attention (softmax_kernel n (switch_matrix n beta (tau h))))
         (linear_value n (scaled_projector (c h))).
Proof. reflexivity. Qed.

(** Off the trigger the heads agree up to c_h. *)
Lemma quiet_rows n L H beta tau c x j i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> i <> j ->
  sum H c = 0 -> multi_head H (switch_heads n beta tau c) x i r = 0.
Proof.
  intros Hn Hx H1 H2 Hr E Hc. unfold multi_head, switch_heads.
  set (S := sum (i - 1) (fun k => x (k + 2)%nat r)).
  rewrite (sum_ext H _ (fun h => c h * (S / (exp beta + INR (i - 1))))).
  - rewrite sum_scal_r, Hc. ring.
  - intros h _. rewrite (switch_output n L j x Hx Hn) by assumption. fold S.
    unfold bos_factor. apply Nat.eqb_neq in E. rewrite E. unfold Rdiv. ring.
Qed.

(** At the trigger. *)
Lemma trigger_row n L H beta tau c x j r :
  (4 <= n)%nat -> valid n L j x -> (r < n)%nat ->
  multi_head H (switch_heads n beta tau c) x j r
  = sum (j - 1) (fun k => x (k + 2)%nat r) * sum H (fun h => c h / (exp (tau h) + INR (j - 1))).
Proof.
  intros Hn Hx Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  unfold multi_head, switch_heads. rewrite <- sum_scal. apply sum_ext. intros h _.
  rewrite (switch_output n L j x Hx Hn) by (assumption || lia).
  unfold bos_factor. rewrite Nat.eqb_refl. unfold Rdiv. ring.
Qed.

(** Coefficients that solve the system give zero loss. *)
Theorem system_zero_loss n L H beta tau c :
  (4 <= n)%nat -> sum H c = 0 ->
  (forall j, (3 <= j)%nat -> (j <= L)%nat ->
     sum H (fun h => c h / (exp (tau h) + INR (j - 1))) = 1 / INR (j - 1)) ->
  sup_loss_le n L (multi_head H (switch_heads n beta tau c)) 0.
Proof.
  intros Hn Hc Hsys x j Hx i r H1 H2 Hr.
  pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  destruct (Nat.eq_dec i j) as [->|E].
  - rewrite (trigger_row n L) by assumption. rewrite Hsys, (switch_target n) by assumption.
    unfold Rdiv. rewrite Rmult_1_l, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - rewrite (quiet_rows n L) with (j := j) by assumption.
    rewrite target_off_trigger, Rminus_0_r, Rabs_R0 by assumption. lra.
Qed.

(** ** (a) The cancelling pair *)

Definition alternate (u v : R) : nat -> R := fun h => if (h =? 0)%nat then u else v.

Definition cancelling_pair (n : nat) (b : R) : model :=
  multi_head 2 (switch_heads n 0 (alternate (- b) b) (alternate 1 (- 1))).

Definition pair_error (b : R) (j : nat) : R :=
  exp (- b) / (exp (- b) + INR (j - 1)) + INR (j - 1) / (exp b + INR (j - 1)).

Lemma pair_error_nonneg b j : 0 <= pair_error b j.
Proof.
  unfold pair_error. pose proof (exp_pos (- b)). pose proof (exp_pos b). pose proof (pos_INR (j - 1)).
  assert (0 < / (exp (- b) + INR (j - 1))) by (apply Rinv_0_lt_compat; lra).
  assert (0 < / (exp b + INR (j - 1))) by (apply Rinv_0_lt_compat; lra).
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

(** The error at the trigger is |mean| (e1 + e2). *)
Lemma pair_trigger_error n L b x j r :
  (4 <= n)%nat -> valid n L j x -> (r < n)%nat ->
  cancelling_pair n b x j r - target j x j r = - target j x j r * pair_error b j.
Proof.
  intros Hn Hx Hr. pose proof (trigger_from_3 _ _ _ _ Hx).
  assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  unfold cancelling_pair. rewrite (trigger_row n L), (switch_target n) by assumption.
  cbn [sum]. unfold alternate, pair_error. cbn [Nat.eqb].
  pose proof (exp_pos (- b)). pose proof (exp_pos b). field. repeat split; lra.
Qed.

Lemma target_abs_le_1 n L x j r :
  (4 <= n)%nat -> valid n L j x -> (r < n)%nat -> Rabs (target j x j r) <= 1.
Proof.
  intros Hn Hx Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  rewrite (switch_target n) by assumption. unfold Rdiv.
  rewrite Rabs_mult, (Rabs_pos_eq (/ INR (j - 1))) by (left; apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_reg_r (INR (j - 1))); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
  now apply (valid_sum_abs_le n L j).
Qed.

Lemma pair_quiet n L b x j i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> i <> j ->
  cancelling_pair n b x i r = 0.
Proof.
  intros Hn Hx H1 H2 Hr E. apply (quiet_rows n L 2 0 _ _ x j i r); auto.
  cbn [sum]. unfold alternate. cbn [Nat.eqb]. ring.
Qed.

(** The sup loss is the maximum of e1 + e2 over the trigger positions. *)
Theorem pair_sup_loss n L b eta :
  (4 <= n)%nat -> (3 <= L)%nat ->
  (sup_loss_le n L (cancelling_pair n b) eta <->
   forall j, (3 <= j)%nat -> (j <= L)%nat -> pair_error b j <= eta).
Proof.
  intros Hn HL. split.
  - intros H j H3 HjL.
    (* all noise equal to 1: the mean is 1 in the noise coordinate 2 *)
    set (x := constant_content n 1). set (t := constant_trigger n 1).
    assert (Hv : valid n L j (probe x t j)).
    { apply probe_valid; auto.
      - apply constant_content_is_content; [assumption|lra].
      - apply constant_trigger_is_trigger; [assumption|lra]. }
    pose proof (H _ _ Hv j 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as B.
    rewrite (pair_trigger_error n L) in B by (assumption || lia).
    assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    replace (target j (probe x t j) j 2%nat) with 1 in B.
    + apply abs_bounds in B. lra.
    + rewrite (switch_target n) by lia. rewrite (sum_ext _ _ (fun _ => 1)).
      * rewrite sum_const. field. lra.
      * intros k Hk. unfold probe. destruct (Nat.eqb_spec (k + 2) 1); [lia|].
        destruct (k + 2 =? j)%nat; [apply constant_trigger_noise|apply constant_content_noise]; lia.
  - intros H x j Hx i r H1 H2 Hr.
    pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as H4.
    destruct (Nat.eq_dec i j) as [->|E].
    + rewrite (pair_trigger_error n L) by assumption.
      rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (pair_error b j)) by apply pair_error_nonneg.
      pose proof (target_abs_le_1 n L x j r Hn Hx Hr) as B. pose proof (pair_error_nonneg b j) as P.
      apply Rle_trans with (1 * pair_error b j); [now apply Rmult_le_compat_r|].
      rewrite Rmult_1_l. now apply H.
    + rewrite (pair_quiet n L b x j), target_off_trigger, Rminus_0_r, Rabs_R0 by assumption.
      eapply Rle_trans; [apply (pair_error_nonneg b j)|]. now apply H.
Qed.

(** BOS attention 1/i off the trigger, in both heads. *)
Theorem pair_bos_attention n L b x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  forall h, bos_attention (switch_attention n 0 (alternate (- b) b h)) x i = 1 / INR i.
Proof.
  intros Hn Hx H1 H2 E h. rewrite (switch_bos_attention n L j x Hx Hn) by assumption.
  unfold bos_factor. apply Nat.eqb_neq in E. rewrite E, exp_0.
  rewrite minus_INR by assumption. change (INR 1) with 1. f_equal. ring.
Qed.

(** The sup loss tends to 0. *)
Theorem pair_sup_loss_small n L eta :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta ->
  exists b, sup_loss_le n L (cancelling_pair n b) eta.
Proof.
  intros Hn HL Heta.
  assert (HLR : 3 <= INR L) by (replace 3 with (INR 3) by (simpl; ring); now apply le_INR).
  exists (ln (INR L / eta)). apply pair_sup_loss; auto. intros j H3 HjL.
  assert (Hm : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
  assert (HmL : INR (j - 1) <= INR L - 1).
  { rewrite minus_INR by lia. change (INR 1) with 1. apply le_INR in HjL. lra. }
  unfold pair_error. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra).
  set (m := INR (j - 1)) in *. set (l := INR L) in *.
  replace (/ (l / eta)) with (eta / l) by (field; lra).
  assert (Hel : 0 < eta / l) by (apply Rdiv_lt_0_compat; lra).
  assert (Hle : 0 < l / eta) by (apply Rdiv_lt_0_compat; lra).
  assert (A : eta / l / (eta / l + m) <= eta / l).
  { rewrite <- (Rmult_1_r (eta / l)) at 3. unfold Rdiv at 1. apply Rmult_le_compat_l; [lra|].
    rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (B : m / (l / eta + m) <= (l - 1) * (eta / l)).
  { apply Rle_trans with (m * / (l / eta)).
    - unfold Rdiv at 1. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    - replace (/ (l / eta)) with (eta / l) by (field; lra). apply Rmult_le_compat_r; lra. }
  replace eta with (eta / l + (l - 1) * (eta / l)) at 4 by (field; lra). lra.
Qed.

(** ** (b) Two heads, L = 4 *)

Definition two_heads (n : nat) : model :=
  multi_head 2 (switch_heads n 0 (alternate (ln 2) (ln 3)) (alternate 10 (- 10))).

Theorem two_heads_zero_loss n : (4 <= n)%nat -> sup_loss_le n 4 (two_heads n) 0.
Proof.
  intros Hn. apply system_zero_loss; [assumption| |].
  - cbn [sum]. unfold alternate. cbn [Nat.eqb]. ring.
  - intros j H3 H4. cbn [sum]. unfold alternate. cbn [Nat.eqb]. rewrite !exp_ln by lra.
    assert (Hj : j = 3%nat \/ j = 4%nat) by lia. destruct Hj; subst j; simpl; field.
Qed.

Theorem two_heads_bos_attention n x j i :
  (4 <= n)%nat -> valid n 4 j x -> (2 <= i)%nat -> (i <= 4)%nat ->
  forall h, bos_attention (switch_attention n 0 (alternate (ln 2) (ln 3) h)) x i <= 3 / 5.
Proof.
  intros Hn Hx H1 H2 h. pose proof (trigger_from_3 _ _ _ _ Hx) as H3.
  rewrite (switch_bos_attention n 4 j x Hx Hn) by lia. unfold bos_factor.
  assert (Hm : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
  assert (HF : forall f m, 0 < f -> 2 * f <= 3 * m -> 1 <= m -> f / (f + m) <= 3 / 5).
  { intros f m Hf Hfm Hm1. apply (Rmult_le_reg_r (f + m)); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  destruct (Nat.eqb_spec i j) as [->|_].
  - assert (Hm2 : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    unfold alternate. destruct (h =? 0)%nat; rewrite exp_ln by lra; apply HF; lra.
  - rewrite exp_0. apply HF; lra.
Qed.

(** ** (c) The Cauchy system *)

(** Newton's way: fractions that vanish at the first k points and nowhere else. *)
Fixpoint product (m : nat) (f : nat -> R) : R :=
  match m with
  | O => 1
  | S p => product p f * f p
  end.

Lemma product_zero m f p : (p < m)%nat -> f p = 0 -> product m f = 0.
Proof.
  induction m as [|m IH]; intros Hp Hf; [lia|]. simpl.
  destruct (Nat.eq_dec p m) as [->|E]; [rewrite Hf; ring|]. rewrite IH by (assumption || lia). ring.
Qed.

Lemma product_nonzero m f : (forall p, (p < m)%nat -> f p <> 0) -> product m f <> 0.
Proof.
  induction m as [|m IH]; intros Hf; simpl; [lra|].
  apply Rmult_integral_contrapositive_currified; [apply IH; intros; apply Hf|apply Hf]; lia.
Qed.

Section Cauchy.
  Context (F X : nat -> R) (HF : forall h, 0 < F h)
          (Fdistinct : forall h g, h <> g -> F h <> F g).

  (** prod_{p<k} (y - X_p) / prod_{h<k+2} (F_h + y) as a sum of fractions with coefficients of sum 0. *)
  Lemma newton_row k :
    exists b : nat -> R, sum (k + 2) b = 0 /\
      forall y, 0 < y -> sum (k + 2) (fun h => b h / (F h + y))
                         = product k (fun p => y - X p) / product (k + 2) (fun h => F h + y).
  Proof using HF Fdistinct.
    induction k as [|k (b & Hb & Hrow)].
    - exists (fun h => if (h =? 0)%nat then / (F 1%nat - F 0%nat) else - / (F 1%nat - F 0%nat)).
      split; [cbn; ring|]. intros y Hy. cbn.
      pose proof (HF 0). pose proof (HF 1).
      assert (F 1%nat - F 0%nat <> 0) by (apply Rminus_eq_contra, Fdistinct; lia).
      field. repeat split; lra.
    - set (K := (k + 2)%nat) in *. replace (S k + 2)%nat with (S K) by (unfold K; lia).
      set (al := fun h => (- F h - X k) / (F K - F h)).
      exists (fun h => if (h =? K)%nat then sum K (fun g => b g * (1 - al g)) else b h * al h).
      assert (Hsel : forall w : nat -> R -> R,
                sum K (fun h => w h (if (h =? K)%nat then sum K (fun g => b g * (1 - al g)) else b h * al h))
                = sum K (fun h => w h (b h * al h))).
      { intros w. apply sum_ext. intros h Hh. destruct (Nat.eqb_spec h K); [lia|reflexivity]. }
      cbn [sum]. rewrite Nat.eqb_refl. split.
      + rewrite (Hsel (fun _ z => z)), <- sum_plus, <- Hb. apply sum_ext. intros. ring.
      + intros y Hy. rewrite (Hsel (fun h z => z / (F h + y))).
        pose proof (HF K) as HFK.
        cbn [product].
        transitivity (sum K (fun h => b h / (F h + y)) * ((y - X k) / (F K + y))).
        * unfold Rdiv at 2. rewrite <- !sum_scal_r, <- sum_plus. apply sum_ext. intros h Hh.
          pose proof (HF h). unfold al.
          assert (F K - F h <> 0) by (apply Rminus_eq_contra, Fdistinct; lia).
          field. repeat split; lra.
        * rewrite Hrow by assumption. field. split; [lra|].
          apply product_nonzero. intros h _. pose proof (HF h). lra.
  Qed.

  Context (HX : forall p, 0 < X p) (Xdistinct : forall p q, p <> q -> X p <> X q).

  (** k equations and sum c_h = 0, for k + 1 heads. *)
  Theorem cauchy_system (g : nat -> R) k :
    exists c : nat -> R, sum (k + 1) c = 0 /\
      forall p, (p < k)%nat -> sum (k + 1) (fun h => c h / (F h + X p)) = g p.
  Proof using HF Fdistinct HX Xdistinct.
    induction k as [|k (c & Hc & Hsys)].
    - exists (fun _ => 0). split; [cbn; ring|]. intros; lia.
    - destruct (newton_row k) as (b & Hb & Hrow).
      set (lastrow := sum (k + 1) (fun h => c h / (F h + X k))).
      set (B := product k (fun p => X k - X p) / product (k + 2) (fun h => F h + X k)).
      assert (HB : B <> 0).
      { unfold B, Rdiv. apply Rmult_integral_contrapositive_currified.
        - apply product_nonzero. intros p Hp. apply Rminus_eq_contra, Xdistinct. lia.
        - apply Rinv_neq_0_compat, product_nonzero. intros h _. pose proof (HF h). pose proof (HX k). lra. }
      set (lam := (g k - lastrow) / B).
      exists (fun h => (if (h <? k + 1)%nat then c h else 0) + lam * b h).
      replace (S k + 1)%nat with (k + 2)%nat by lia.
      assert (Hold : forall w : nat -> R,
                sum (k + 2) (fun h => (if (h <? k + 1)%nat then c h else 0) * w h)
                = sum (k + 1) (fun h => c h * w h)).
      { intros w. replace (k + 2)%nat with (S (k + 1)) by lia. cbn [sum].
        destruct (Nat.ltb_spec (k + 1) (k + 1)); [lia|]. rewrite Rmult_0_l, Rplus_0_r.
        apply sum_ext. intros h Hh. destruct (Nat.ltb_spec h (k + 1)); [reflexivity|lia]. }
      split.
      + rewrite sum_plus, sum_scal, Hb, Rmult_0_r, Rplus_0_r.
        rewrite (sum_ext (k + 2) _ (fun h => (if (h <? k + 1)%nat then c h else 0) * 1)) by (intros; ring).
        rewrite (Hold (fun _ => 1)), sum_scal_r, Hc. ring.
      + intros p Hp.
        rewrite (sum_ext _ _ (fun h => (if (h <? k + 1)%nat then c h else 0) * / (F h + X p)
                                       + lam * (b h / (F h + X p)))) by (intros; unfold Rdiv; ring).
        rewrite sum_plus, sum_scal, Hold, Hrow by apply HX.
        destruct (Nat.eq_dec p k) as [->|E].
        * fold B. fold (lastrow). change (sum (k + 1) (fun h => c h * / (F h + X k))) with lastrow.
          unfold lam. field. exact HB.
        * rewrite (product_zero k (fun q => X p - X q) p) by (lia || (cbv beta; ring)).
          unfold Rdiv in Hsys |- *. rewrite Hsys by lia. ring.
  Qed.
End Cauchy.

(** BOS attention of a switch with factors E (off the trigger) and F (at it). *)
Theorem many_heads_bos_attention n L E F x j i :
  (4 <= n)%nat -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> 0 < E -> 0 < F ->
  bos_attention (switch_attention n (ln E) (ln F)) x i <= (if (i =? j)%nat then F / (F + 2) else E / (E + 1)).
Proof.
  intros Hn Hx H1 H2 HE HF. pose proof (trigger_from_3 _ _ _ _ Hx).
  rewrite (switch_bos_attention n L j x Hx Hn) by lia. unfold bos_factor.
  destruct (Nat.eqb_spec i j) as [->|_]; rewrite exp_ln by assumption.
  - assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  - assert (1 <= INR (i - 1)) by (apply (le_INR 1); lia).
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(** L-1 heads, distinct factors F_h, factor E for other queries: coefficients with zero loss exist. *)
Theorem many_heads_zero_loss n L E (F : nat -> R) :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < E -> (forall h, 0 < F h) -> (forall h g, h <> g -> F h <> F g) ->
  exists c : nat -> R,
    sum (L - 1) c = 0 /\
    (forall j, (3 <= j)%nat -> (j <= L)%nat ->
       sum (L - 1) (fun h => c h / (F h + INR (j - 1))) = 1 / INR (j - 1)) /\
    sup_loss_le n L (multi_head (L - 1) (switch_heads n (ln E) (fun h => ln (F h)) c)) 0.
Proof.
  intros Hn HL HE HF HFd.
  destruct (cauchy_system F (fun p => INR (p + 2)) HF HFd) with (g := fun p => 1 / INR (p + 2)) (k := (L - 2)%nat)
    as (c & Hc & Hsys).
  - intros p. apply lt_0_INR. lia.
  - intros p q E1. apply not_INR. lia.
  - replace (L - 2 + 1)%nat with (L - 1)%nat in * by lia.
    assert (Hj : forall j, (3 <= j)%nat -> (j <= L)%nat ->
       sum (L - 1) (fun h => c h / (F h + INR (j - 1))) = 1 / INR (j - 1)).
    { intros j H3 HjL. specialize (Hsys (j - 3)%nat ltac:(lia)).
      replace (j - 3 + 2)%nat with (j - 1)%nat in Hsys by lia. exact Hsys. }
    exists c. split; [assumption|]. split; [assumption|].
    apply system_zero_loss; [assumption|assumption|].
    intros j H3 HjL. rewrite <- Hj by assumption. apply sum_ext. intros h _. now rewrite exp_ln.
Qed.

(** Zero loss with BOS attention below any bound, at every row i >= 2, in every head. *)
Theorem sink_free_exact n L delta :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta ->
  exists beta (tau c : nat -> R),
    sup_loss_le n L (multi_head (L - 1) (switch_heads n beta tau c)) 0 /\
    forall x j i h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
      bos_attention (switch_attention n beta (tau h)) x i <= delta.
Proof.
  intros Hn HL Hd.
  set (F := fun h => delta / INR (S h)).
  assert (Hpos : forall h, 0 < INR (S h)) by (intros; apply lt_0_INR; lia).
  assert (HF : forall h, 0 < F h) by (intros; now apply Rdiv_lt_0_compat).
  assert (HFle : forall h, F h <= delta).
  { intros h. unfold F. apply (Rmult_le_reg_r (INR (S h))); [auto|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (specialize (Hpos h); lra).
    rewrite <- (Rmult_1_r delta) at 1. apply Rmult_le_compat_l; [lra|]. apply (le_INR 1). lia. }
  assert (HFd : forall h g, h <> g -> F h <> F g).
  { intros h g E H. apply E. apply eq_add_S, INR_eq. unfold F in H.
    pose proof (Hpos h). pose proof (Hpos g).
    replace (INR (S h)) with (delta / (delta / INR (S h))) by (field; lra). rewrite H. field. lra. }
  destruct (many_heads_zero_loss n L delta F Hn HL Hd HF HFd) as (c & _ & _ & Hloss).
  exists (ln delta), (fun h => ln (F h)), c. split; [exact Hloss|].
  intros x j i h Hx H1 H2.
  eapply Rle_trans; [apply (many_heads_bos_attention n L delta (F h) x j i); auto|].
  assert (Hle : forall f s, 0 < f -> f <= delta -> 1 <= s -> f / (f + s) <= delta).
  { intros f s Hf Hfd Hs. apply Rle_trans with (f * / 1); [|rewrite Rinv_1; lra].
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  destruct (i =? j)%nat; apply Hle; auto; lra.
Qed.

(** No threshold eta0 > 0 and constant C make "sup loss eta <= eta0 implies BOS attention >= 1 - C eta in
    some head at some pre-trigger row i >= 2" true of softmax layers with L - 1 heads. *)
Corollary tc1_fails_for_several_heads n L eta0 C :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta0 ->
  exists beta (tau c : nat -> R) eta,
    0 <= eta <= eta0 /\
    sup_loss_le n L (multi_head (L - 1) (switch_heads n beta tau c)) eta /\
    forall x j i h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
      bos_attention (switch_attention n beta (tau h)) x i < 1 - C * eta.
Proof.
  intros Hn HL He. destruct (sink_free_exact n L (/ 2) Hn HL) as (beta & tau & c & Hloss & Hbos); [lra|].
  exists beta, tau, c, 0. split; [lra|]. split; [exact Hloss|].
  intros x j i h Hx H1 H2. specialize (Hbos x j i h Hx H1 H2). lra.
Qed.

(** ** (c'), even L: L - 2 heads are enough

    The numerator x sum_h c_h/(F_h + x) - 1 over the common denominator prod (F_h + x) has degree H and leading
    coefficient sum c_h - 1; with H = L - 2 heads its H roots 2..L-1 fix it, and its value at x = 0, which is
    - prod F_h, asks for prod F_h = (-1)^H (L-1)!.  So for even L any distinct F_h > 0 with product (L-1)!
    will do: F = 2, .., L-1, for one.  Below, 0 stands as one more factor, whose residue is to be 1. *)

Section Residues.
  Context (G X : nat -> R) (HG : forall h, 0 <= G h) (Gdistinct : forall h g, h <> g -> G h <> G g).

  (** prod_{p<k} (y - X_p) / prod_{h<=k} (G_h + y) as fractions: sum of coefficients 1, first one explicit. *)
  Lemma fractions_row k :
    exists b : nat -> R,
      sum (k + 1) b = 1 /\
      b 0%nat = product k (fun p => - G 0%nat - X p) / product k (fun h => G (S h) - G 0%nat) /\
      forall y, 0 < y -> sum (k + 1) (fun h => b h / (G h + y))
                         = product k (fun p => y - X p) / product (k + 1) (fun h => G h + y).
  Proof using HG Gdistinct.
    induction k as [|k (b & Hb & Hb0 & Hrow)].
    - exists (fun _ => 1). split; [cbn; ring|]. split; [cbn; field|].
      intros y Hy. cbn. pose proof (HG 0). field. lra.
    - set (K := (k + 1)%nat) in *. replace (S k + 1)%nat with (S K) by (unfold K; lia).
      set (al := fun h => (- G h - X k) / (G K - G h)).
      exists (fun h => if (h =? K)%nat then sum K (fun g => b g * (1 - al g)) else b h * al h).
      assert (Hsel : forall w : nat -> R -> R,
                sum K (fun h => w h (if (h =? K)%nat then sum K (fun g => b g * (1 - al g)) else b h * al h))
                = sum K (fun h => w h (b h * al h))).
      { intros w. apply sum_ext. intros h Hh. destruct (Nat.eqb_spec h K); [lia|reflexivity]. }
      split; [|split].
      + cbn [sum]. rewrite Nat.eqb_refl, (Hsel (fun _ z => z)), <- sum_plus.
        transitivity (sum K b); [|exact Hb]. apply sum_ext. intros. ring.
      + destruct (Nat.eqb_spec 0 K) as [E|_]; [unfold K in E; lia|].
        cbn [product]. rewrite Hb0. unfold al.
        replace (G (S k)) with (G K) by (unfold K; f_equal; lia).
        assert (G K - G 0%nat <> 0) by (apply Rminus_eq_contra, Gdistinct; unfold K; lia).
        field. split; [assumption|]. apply product_nonzero. intros h _.
        apply Rminus_eq_contra, Gdistinct. lia.
      + intros y Hy. cbn [sum]. rewrite Nat.eqb_refl, (Hsel (fun h z => z / (G h + y))).
        pose proof (HG K) as HGK.
        cbn [product].
        transitivity (sum K (fun h => b h / (G h + y)) * ((y - X k) / (G K + y))).
        * unfold Rdiv at 2. rewrite <- !sum_scal_r, <- sum_plus. apply sum_ext. intros h Hh.
          pose proof (HG h). unfold al.
          assert (G K - G h <> 0) by (apply Rminus_eq_contra, Gdistinct; lia).
          field. repeat split; lra.
        * rewrite Hrow by assumption. field. split; [lra|].
          apply product_nonzero. intros h _. pose proof (HG h). lra.
  Qed.
End Residues.

Lemma product_ext m f g : (forall p, (p < m)%nat -> f p = g p) -> product m f = product m g.
Proof.
  induction m as [|m IH]; intros H; simpl; [reflexivity|].
  rewrite IH, H by (try lia; intros; apply H; lia). reflexivity.
Qed.

(** An even number of sign changes. *)
Lemma product_opposite m f : Nat.Even m -> product m (fun p => - f p) = product m f.
Proof.
  intros [q ->]. replace (2 * q)%nat with (q + q)%nat by lia.
  assert (G : forall k, product (k + k) (fun p => - f p) = product (k + k) f); [|apply G].
  induction k as [|k IH]; [reflexivity|].
  replace (S k + S k)%nat with (S (S (k + k))) by lia. cbn [product]. rewrite IH. ring.
Qed.

Theorem even_length n L E (F : nat -> R) :
  (4 <= n)%nat -> (3 <= L)%nat -> Nat.Even L -> 0 < E ->
  (forall h, 0 < F h) -> (forall h g, h <> g -> F h <> F g) ->
  product (L - 2) F = product (L - 2) (fun p => INR (p + 2)) ->
  exists c : nat -> R,
    sum (L - 2) c = 0 /\
    sup_loss_le n L (multi_head (L - 2) (switch_heads n (ln E) (fun h => ln (F h)) c)) 0.
Proof.
  intros Hn HL Heven HE HF HFd Hprod.
  set (H := (L - 2)%nat) in *.
  set (G := fun h => match h with O => 0 | S g => F g end).
  destruct (fractions_row G (fun p => INR (p + 2))) with (k := H) as (b & Hb & Hb0 & Hrow).
  - intros [|h]; simpl; [lra|]. left. apply HF.
  - intros [|h] [|g] E1; simpl; try lia.
    + pose proof (HF g). lra.
    + pose proof (HF h). lra.
    + apply HFd. lia.
  - assert (Hpos : product H F <> 0) by (apply product_nonzero; intros h _; pose proof (HF h); lra).
    assert (HevenH : Nat.Even H).
    { destruct Heven as [q Hq]. exists (q - 1)%nat. unfold H. lia. }
    assert (B0 : b 0%nat = 1).
    { rewrite Hb0. rewrite (product_ext H (fun p => - G 0%nat - INR (p + 2)) (fun p => - INR (p + 2)))
        by (intros; unfold G; ring).
      rewrite product_opposite by assumption.
      rewrite (product_ext H (fun h => G (S h) - G 0%nat) F) by (intros; unfold G; ring).
      rewrite <- Hprod. field. assumption. }
    replace (H + 1)%nat with (S H) in Hb, Hrow by lia.
    rewrite sum_first, B0 in Hb.
    exists (fun h => - b (S h)). assert (Hc : sum H (fun h => - b (S h)) = 0).
    { rewrite (sum_ext H _ (fun h => -1 * b (S h))) by (intros; ring). rewrite sum_scal. lra. }
    split; [exact Hc|]. apply system_zero_loss; [assumption|exact Hc|].
    intros j H3 HjL. set (y := INR (j - 1)).
    assert (Hy : 2 <= y) by (apply (le_INR 2); lia).
    specialize (Hrow y ltac:(lra)). rewrite sum_first, B0 in Hrow. change (G 0%nat) with 0 in Hrow.
    rewrite (product_zero H (fun p => y - INR (p + 2)) (j - 3)) in Hrow.
    + unfold Rdiv in Hrow. rewrite Rmult_0_l, Rmult_1_l in Hrow.
      rewrite (sum_ext H _ (fun h => -1 * (b (S h) * / (F h + y)))).
      * rewrite sum_scal. unfold Rdiv.
        change (sum H (fun k => b (S k) * / (G (S k) + y))) with (sum H (fun h => b (S h) * / (F h + y))) in Hrow.
        rewrite Rplus_0_l in Hrow. lra.
      * intros h _. rewrite exp_ln by apply HF. unfold Rdiv. ring.
    + unfold H. lia.
    + unfold y. replace (j - 3 + 2)%nat with (j - 1)%nat by lia. ring.
Qed.

(** Even L, L - 2 heads, loss 0: BOS attention below any bound off the trigger, at most (L-1)/(L+1) at it. *)
Theorem even_length_exact n L delta :
  (4 <= n)%nat -> (4 <= L)%nat -> Nat.Even L -> 0 < delta ->
  exists beta (tau c : nat -> R),
    sup_loss_le n L (multi_head (L - 2) (switch_heads n beta tau c)) 0 /\
    forall x j i h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (h < L - 2)%nat ->
      bos_attention (switch_attention n beta (tau h)) x i
      <= (if (i =? j)%nat then (INR L - 1) / (INR L + 1) else delta).
Proof.
  intros Hn HL Heven Hd.
  set (F := fun h => INR (h + 2)).
  assert (HF : forall h, 0 < F h) by (intros; apply lt_0_INR; lia).
  destruct (even_length n L delta F) as (c & _ & Hloss); auto; [lia|intros h g E; apply not_INR; lia|].
  exists (ln delta), (fun h => ln (F h)), c. split; [exact Hloss|].
  intros x j i h Hx H1 H2 Hh.
  eapply Rle_trans; [apply (many_heads_bos_attention n L delta (F h) x j i); auto|].
  destruct (i =? j)%nat.
  - assert (HFL : F h <= INR L - 1).
    { unfold F. replace (INR L - 1) with (INR (L - 1)) by (rewrite minus_INR by lia; reflexivity).
      apply le_INR. lia. }
    specialize (HF h).
    apply (Rmult_le_reg_r ((F h + 2) * (INR L + 1))); [apply Rmult_lt_0_compat; lra|].
    replace (F h / (F h + 2) * ((F h + 2) * (INR L + 1))) with (F h * (INR L + 1)) by (field; lra).
    replace ((INR L - 1) / (INR L + 1) * ((F h + 2) * (INR L + 1))) with ((INR L - 1) * (F h + 2)) by (field; lra).
    lra.
  - apply Rle_trans with (delta * / 1); [|rewrite Rinv_1; lra].
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Print Assumptions pair_sup_loss.
Print Assumptions pair_bos_attention.
Print Assumptions pair_sup_loss_small.
Print Assumptions two_heads_zero_loss.
Print Assumptions two_heads_bos_attention.
Print Assumptions cauchy_system.
Print Assumptions many_heads_zero_loss.
Print Assumptions many_heads_bos_attention.
Print Assumptions sink_free_exact.
Print Assumptions tc1_fails_for_several_heads.
Print Assumptions even_length.
Print Assumptions even_length_exact.
