(** * tc-8: what a null slot or a gate must take where BOS does not

    Proves the second part of limits_statement.v: rows of sum at most 1, linear V, |V BOS| <= w.  tc-3's rows
    ([three_rows] of theory/row_normalised_core.v) hold with e = eta + w in place of (2 - s) eta, and the two-by-two
    system still has a dual vector, of 1-norm at most 1/(D_J - 2e).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-8 Claim <proofs>/tc-8/slot_or_gate.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task row_normalised_core variant_rows.
From Claim Require Import limits_statement.
Open Scope R_scope.

(** g against the trigger rows at 3 and at J, of masses sg3 and sgJ. *)
Lemma sub_dual_norm D e g1 g2 eps sg3 sgJ F3c F3t FJc FJt :
  D <= / 2 -> 0 <= e -> 2 * e < D ->
  0 <= sg3 <= 1 -> 0 <= sgJ <= 1 ->
  Rabs (F3c - / 2) <= e -> Rabs (F3t - / 2) <= e ->
  Rabs (FJc - (/ 2 + D)) <= e -> Rabs (FJt - (/ 2 - D)) <= e ->
  g1 * F3c + g2 * F3t = eps * sg3 -> g1 * FJc + g2 * FJt = eps * sgJ ->
  eps = 0 \/ eps = 1 ->
  (Rabs g1 + Rabs g2) * (D - 2 * e) <= eps.
Proof.
  intros HD He HDe Hs3 HsJ A3c A3t AJc AJt G3 GJ Heps.
  pose proof (dot_bound g1 g2 _ _ _ A3c A3t) as B3. pose proof (dot_bound g1 g2 _ _ _ AJc AJt) as BJ.
  pose proof (norm1_two g1 g2) as Hn.
  set (G := Rabs g1 + Rabs g2) in *.
  assert (HG : 0 <= G) by (unfold G; pose proof (Rabs_pos g1); pose proof (Rabs_pos g2); lra).
  set (y := G * e) in *. assert (Hy : 0 <= y) by (apply Rmult_le_pos; assumption).
  apply abs_bounds in B3. apply abs_bounds in BJ.
  assert (S3 : 0 <= eps * sg3 <= eps) by (destruct Heps; subst eps; lra).
  assert (SJ : 0 <= eps * sgJ <= eps) by (destruct Heps; subst eps; lra).
  assert (Goal : G * (D - 2 * e) = D * G - 2 * y) by (unfold y; ring). rewrite Goal.
  assert (HDG : D * G <= / 2 * G) by (apply Rmult_le_compat_r; lra).
  destruct Hn as [Hn|Hn].
  - assert (HP : Rabs (g1 + g2) <= 2 * eps + 2 * y) by (apply Rabs_le; lra). lra.
  - assert (HQ : Rabs (D * (g1 - g2)) <= eps + 2 * y) by (apply Rabs_le; lra).
    rewrite Rabs_mult, (Rabs_pos_eq D), <- Hn in HQ by lra. lra.
Qed.

Theorem sub_stochastic_mass : limits_statement.sub_stochastic_mass.
Proof.
  intros n L J a V eta w Hn HJ HJL Ha He Hw Hloss x j i Hx H1 H2 E. assert (HL : (3 <= L)%nat) by lia.
  assert (He0 : 0 <= eta) by exact (sup_loss_nonneg n L _ eta Hn HL Hloss).
  assert (Hw0 : 0 <= w) by (eapply Rle_trans; [apply Rabs_pos|apply (Hw 0%nat); lia]).
  assert (Hslack : forall x j i r, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
            Rabs (a x i 1%nat * linear_value n V bos r) + eta <= eta + w).
  { intros y l p r Hy P1 P2 Hr. destruct (Ha y l Hy p P1 P2) as [Hpos Hsum].
    assert (H0 : 0 <= a y p 1%nat) by (apply Hpos; lia).
    assert (Hrest : 0 <= sum (p - 1) (fun k => a y p (k + 2)%nat)) by (apply sum_nonneg; intros; apply Hpos; lia).
    rewrite possum_first in Hsum by assumption. rewrite Rabs_mult, Rabs_pos_eq by assumption.
    pose proof (Rmult_le_compat _ _ _ _ H0 (Rabs_pos _) (ltac:(lra) : a y p 1%nat <= 1) (Hw r Hr)). lra. }
  destruct (three_rows n L a V eta (fun _ => eta + w) Hn Ha Hloss Hslack J x j i HJ HJL Hx H1 H2 E)
    as (zc & zt & tc & tt & Q3 & A3 & QJ & AJ & q & h & (P1 & P2 & P3 & P4 & P5) & (R1 & R2 & R3 & R4 & R5)
        & Hq & Hh & Hqh & Hc & Ht).
  pose proof (trigger_gap_le_half J HJ) as HD. set (D := trigger_gap J) in *. set (e := eta + w) in *.
  destruct (dual_vector_exists zc zt tc tt (D - 2 * e)) as (g1 & g2 & Gz & Gt & HG); [lra| |].
  { intros g1 g2 eps Gz Gt Heps.
    apply (sub_dual_norm D e g1 g2 eps (Q3 + A3) (QJ + AJ) (Q3 * zc + A3 * tc) (Q3 * zt + A3 * tt)
             (QJ * zc + AJ * tc) (QJ * zt + AJ * tt)); try assumption; unfold e in *; try lra; now apply dual_row. }
  pose proof (dot_bound g1 g2 _ _ _ Hc Ht) as B. rewrite (dual_row g1 g2 zc zt tc tt q h 1 Gz Gt) in B.
  apply abs_bounds in B. rewrite <- Hqh.
  assert (He1 : 0 <= e) by (unfold e; lra).
  apply (Rmult_le_reg_r (D - 2 * e)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with ((Rabs g1 + Rabs g2) * e * (D - 2 * e)); [apply Rmult_le_compat_r; lra|].
  replace ((Rabs g1 + Rabs g2) * e * (D - 2 * e)) with (e * ((Rabs g1 + Rabs g2) * (D - 2 * e))) by ring.
  rewrite <- (Rmult_1_r e) at 3. now apply Rmult_le_compat_l.
Qed.

Lemma null_sub_stochastic n L M : sub_stochastic n L (null_attention n M).
Proof.
  intros x j _ i H1 H2. split.
  - intros k _ _. left. apply Rdiv_lt_0_compat; [apply exp_pos|apply null_row_pos].
  - pose proof (null_mass_is_the_rest n M x i) as S.
    assert (0 < null_mass n M x i) by (apply Rdiv_lt_0_compat; [lra|apply null_row_pos]). lra.
Qed.

Theorem null_slot_or_bos : limits_statement.null_slot_or_bos.
Proof.
  intros n L J M V eta w Hn HJ HJL He Hw Hloss x j i Hx H1 H2 E. apply Rle_ge.
  pose proof (sub_stochastic_mass n L J _ V eta w Hn HJ HJL (null_sub_stochastic n L M) He Hw Hloss x j i Hx H1 H2 E)
    as H.
  pose proof (null_mass_is_the_rest n M x i) as S. rewrite possum_first in S by assumption.
  unfold bos_attention. lra.
Qed.

Theorem gate_or_bos : limits_statement.gate_or_bos.
Proof.
  intros n L J g c M V eta w Hn HJ HJL He Hw Hloss x j i Hx H1 H2 E.
  set (a := kernel_attention (softmax_kernel n M)).
  assert (Hs : row_stochastic n L a) by (apply kernel_row_stochastic, softmax_positive).
  assert (Ha : sub_stochastic n L (gated_weights n g c M)).
  { intros y l Hy p P1 P2. destruct (Hs y l Hy p P1 P2) as [S1 S2].
    pose proof (gate_bounds n g c (y p)). unfold gated_weights. fold a. split.
    - intros k K1 K2. apply Rmult_le_pos; [lra|now apply S1].
    - rewrite possum_scal, S2. lra. }
  assert (Hloss' : sup_loss_le n L (head (gated_weights n g c M) (linear_value n V)) eta).
  { intros y l Hy p r P1 P2 Hr. rewrite <- gated_head_weights. now apply (Hloss y l Hy). }
  pose proof (sub_stochastic_mass n L J _ V eta w Hn HJ HJL Ha He Hw Hloss' x j i Hx H1 H2 E) as H.
  unfold gated_weights in H. rewrite sum_scal in H. fold a in H.
  now rewrite <- (mass_off_bos n L a Hs x j i Hx H1 H2).
Qed.

Print Assumptions sub_stochastic_mass.
Print Assumptions null_slot_or_bos.
Print Assumptions gate_or_bos.
