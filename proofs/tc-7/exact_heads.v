(** * tc-7 (c), (c'): exact zero loss with L - 1 heads, for even L with L - 2

    The Cauchy system is solved one equation at a time, Newton's way: [newton_row] gives coefficients whose sum
    of fractions vanishes at the points already done and not at the next one.  For even L see [fractions_row].
    The least numbers of heads follow with head_count.v and flag_heads.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/exact_heads.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
From Claim Require Import statement polynomials heads head_count flag_heads.
Open Scope R_scope.

(** ** (c) The Cauchy system *)

(** Newton's way: fractions that vanish at the first k points and nowhere else. *)
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
  Lemma cauchy_system (g : nat -> R) k :
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

(** Finitely many distinct positive factors belong to an infinite family of such. *)
Lemma extend H F :
  distinct_positive H F ->
  exists G, (forall h, 0 < G h) /\ (forall h g, h <> g -> G h <> G g) /\ forall h, (h < H)%nat -> G h = F h.
Proof.
  intros [HF Hd].
  assert (Hle : forall h, (h < H)%nat -> F h <= sum H F).
  { intros h Hh. apply sum_term_le; [|assumption]. intros g Hg. left. now apply HF. }
  assert (Hs : 0 <= sum H F) by (apply sum_nonneg; intros h Hh; left; now apply HF).
  exists (fun h => if (h <? H)%nat then F h else 1 + sum H F + INR h).
  assert (Hout : forall h g, (h < H)%nat -> F h < 1 + sum H F + INR g).
  { intros h g Hh. specialize (Hle h Hh). pose proof (pos_INR g). lra. }
  repeat split.
  - intros h. destruct (Nat.ltb_spec h H); [now apply HF|]. pose proof (pos_INR h). lra.
  - intros h g E. destruct (Nat.ltb_spec h H), (Nat.ltb_spec g H).
    + now apply Hd.
    + specialize (Hout h g ltac:(assumption)). lra.
    + specialize (Hout g h ltac:(assumption)). lra.
    + intros C. apply E, INR_eq. lra.
  - intros h Hh. destruct (Nat.ltb_spec h H); [reflexivity|lia].
Qed.

(** BOS attention of a switch with factors E (off the trigger) and F (at it). *)
Theorem many_heads_bos_attention : statement.many_heads_bos_attention.
Proof.
  intros n L E F x j i Hn Hx H1 H2 HE HF. pose proof (trigger_from_3 _ _ _ _ Hx).
  rewrite (switch_bos_attention n L j x Hx Hn) by lia. unfold bos_factor.
  destruct (Nat.eqb_spec i j) as [->|_]; rewrite exp_ln by assumption.
  - assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  - assert (1 <= INR (i - 1)) by (apply (le_INR 1); lia).
    unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(** L-1 heads, distinct factors F_h, factor E for other queries: coefficients with zero loss exist. *)
Theorem many_heads_zero_loss : statement.many_heads_zero_loss.
Proof.
  intros n L E F Hn HL HE HF. destruct (extend (L - 1) F HF) as (G & HG & HGd & HGF).
  destruct (cauchy_system G (fun p => INR (p + 2)) HG HGd) with (g := fun p => 1 / INR (p + 2)) (k := (L - 2)%nat)
    as (c & Hc & Hsys).
  - intros p. apply lt_0_INR. lia.
  - intros p q E1. apply not_INR. lia.
  - replace (L - 2 + 1)%nat with (L - 1)%nat in * by lia.
    assert (Hj : forall j, (3 <= j)%nat -> (j <= L)%nat ->
       sum (L - 1) (fun h => c h / (F h + INR (j - 1))) = 1 / INR (j - 1)).
    { intros j H3 HjL. specialize (Hsys (j - 3)%nat ltac:(lia)).
      replace (j - 3 + 2)%nat with (j - 1)%nat in Hsys by lia.
      rewrite <- Hsys. apply sum_ext. intros h Hh. now rewrite HGF. }
    exists c. split; [assumption|]. split; [assumption|].
    apply system_zero_loss; [assumption|assumption|].
    intros j H3 HjL. rewrite <- Hj by assumption. apply sum_ext. intros h Hh.
    rewrite exp_ln by (now apply HF). reflexivity.
Qed.

(** Zero loss with BOS attention below any bound, at every row i >= 2, in every head. *)
Theorem sink_free_exact : statement.sink_free_exact.
Proof.
  intros n L delta Hn HL Hd.
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
  destruct (many_heads_zero_loss n L delta F Hn HL Hd) as (c & _ & _ & Hloss); [now split; auto|].
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
Theorem tc1_fails_for_several_heads : statement.tc1_fails_for_several_heads.
Proof.
  intros n L eta0 C Hn HL He. destruct (sink_free_exact n L (/ 2) Hn HL) as (beta & tau & c & Hloss & Hbos); [lra|].
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

Theorem even_length : statement.even_length.
Proof.
  intros n L E F0 Hn HL Heven HE HF0 Hprod0. destruct (extend (L - 2) F0 HF0) as (F & HF & HFd & HFF).
  assert (Hprod : product (L - 2) F = product (L - 2) (fun p => INR (p + 2))).
  { rewrite product_fact. replace (S (L - 2)) with (L - 1)%nat by lia. rewrite <- Hprod0. now apply product_ext. }
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
      * intros h Hh. rewrite exp_ln by (now apply HF0). rewrite <- HFF by assumption. unfold Rdiv. ring.
    + unfold H. lia.
    + unfold y. replace (j - 3 + 2)%nat with (j - 1)%nat by lia. ring.
Qed.

(** Even L, L - 2 heads, loss 0: BOS attention below any bound off the trigger, at most (L-1)/(L+1) at it. *)
Theorem even_length_exact : statement.even_length_exact.
Proof.
  intros n L delta Hn HL Heven Hd.
  set (F := fun h => INR (h + 2)).
  assert (HF : forall h, 0 < F h) by (intros; apply lt_0_INR; lia).
  destruct (even_length n L delta F) as (c & _ & Hloss); try assumption; [lia| |unfold F|].
  { split; [intros; apply HF|]. intros h g _ _ E. apply not_INR. lia. }
  { rewrite product_fact. do 2 f_equal. lia. }
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

(** ** The least numbers of heads *)

(** Switch heads are heads of flag kernels with linear values. *)
Lemma switch_flag_kernel n beta tau : (4 <= n)%nat -> flag_kernel n (softmax_kernel n (switch_matrix n beta tau)).
Proof.
  intros Hn q q' k k' (Q0 & Q1 & Q2) (K0 & _). unfold softmax_kernel. rewrite !switch_logit by assumption. congruence.
Qed.

Theorem even_length_least : statement.even_length_least.
Proof.
  intros n L HL HLn Heven. split.
  - destruct (even_length_exact n L 1 ltac:(lia) HL Heven) as (beta & tau & c & Hloss & _); [lra|].
    exists (fun h => switch_matrix n beta (tau h)), (fun h => scaled_projector (c h)). exact Hloss.
  - intros H K v HH HK. apply too_few_heads; try assumption; lia.
Qed.

Theorem flag_only_least : statement.flag_only_least.
Proof.
  intros n L H Hn HL HH. split.
  - assert (Hex : exists beta tau c, sup_loss_le n L (multi_head H (switch_heads n beta tau c)) 0).
    { subst H. destruct (Nat.even L) eqn:Hev.
      - apply Nat.even_spec in Hev. assert (4 <= L)%nat by (destruct Hev; lia).
        destruct (even_length_exact n L 1) as (beta & tau & c & Hloss & _); try assumption; [lra|].
        now exists beta, tau, c.
      - destruct (sink_free_exact n L 1) as (beta & tau & c & Hloss & _); try assumption; [lra|].
        now exists beta, tau, c. }
    destruct Hex as (beta & tau & c & Hloss).
    exists (fun h => switch_matrix n beta (tau h)), (fun h => scaled_projector (c h)).
    split; [intros h; now apply switch_flag_kernel|exact Hloss].
  - intros H' K V HH' HK Hflag Hloss.
    assert (HHL : (H' + 2 <= L)%nat) by (destruct (Nat.even L); lia).
    destruct (too_few_flag_heads n L H' K V Hn HL HK Hflag Hloss HHL) as [E Heven].
    apply Nat.even_spec in Heven. rewrite Heven in HH. lia.
Qed.

Print Assumptions many_heads_zero_loss.
Print Assumptions many_heads_bos_attention.
Print Assumptions sink_free_exact.
Print Assumptions tc1_fails_for_several_heads.
Print Assumptions even_length.
Print Assumptions even_length_exact.
Print Assumptions even_length_least.
Print Assumptions flag_only_least.
