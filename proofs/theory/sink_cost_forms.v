(** * The closed forms of the sink's cost, compared with each other and with multiples of C

    docs/THEORY.md, co-1 and co-5.  [sink_cost] and [sink_cost_with_bos] are what the matrices of
    sink_and_diagonal_upper.v cost, in units of 2 kappa/sqrt d; [page_sink_cost] is the page's bracket.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_cost_forms.v
    (after sink_and_diagonal_upper.v) *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper.
From Sinkproof Require Export closed_forms.
Open Scope R_scope.

Lemma cost_at_most_le I pattern K K' : K <= K' -> cost_at_most I pattern K -> cost_at_most I pattern K'.
Proof. intros H (width & WQ & WK & HW & HC). exists width, WQ, WK. split; [assumption|lra]. Qed.

Lemma cost_at_most_weaken I (p q : matrix -> Prop) K :
  (forall W, p W -> q W) -> cost_at_most I p K -> cost_at_most I q K.
Proof. intros H (width & WQ & WK & HW & HC). exists width, WQ, WK. split; [now apply H|assumption]. Qed.

(** [a <= b] from squares. *)
Lemma sqrt_le_by_square q b : 0 <= b -> q <= b * b -> sqrt q <= b.
Proof. intros Hb H. rewrite <- (sqrt_square b) by assumption. now apply sqrt_le_1_alt. Qed.

Lemma le_by_square a b : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros Hb H. destruct (Rle_lt_dec a b); [assumption|]. exfalso. nra. Qed.

(** sqrt 2, between decimals. *)
Lemma sqrt2_bounds : 1.414213 <= sqrt 2 <= 1.414214.
Proof.
  split; [|apply sqrt_le_by_square; lra].
  apply le_by_square; [apply sqrt_pos|]. rewrite sqrt_sqrt; lra.
Qed.

(** *** Scalars: x = 1/lam <= sqrt 2, and m = 1/(lam sqrt D) with m^2 <= 4/(3C+1) *)

Section Scalars.
  Context (K l : R) (HK : 1 <= K) (Hl : 0 < l) (L1 : / 2 <= l * l).

  Let w := sqrt 2.
  Let D := spread K l.
  Let m := / (l * sqrt D).

  Lemma root2 : w * w = 2 /\ 0 < w.
  Proof using. split; [apply sqrt_sqrt; lra|apply sqrt_lt_R0; lra]. Qed.

  Lemma inverse_lam : 0 < / l /\ / l <= w.
  Proof using Hl L1.
    destruct root2 as [Ew Hw]. split; [now apply Rinv_0_lt_compat|].
    apply (Rmult_le_reg_l l); [assumption|]. rewrite Rinv_r by lra.
    apply le_by_square; [apply Rlt_le, Rmult_lt_0_compat; assumption|].
    replace (l * w * (l * w)) with (l * l * (w * w)) by ring. rewrite Ew. lra.
  Qed.

  Lemma spread_ge : (3 * K + 1) / 2 <= D.
  Proof using HK L1. unfold D, spread. nra. Qed.

  Lemma m_square : 0 < m /\ m * m * (3 * K + 1) <= 4.
  Proof using HK Hl L1.
    pose proof spread_ge as HD. destruct (sqrt_spread K l HK Hl) as [Hy Ey]. fold D in Hy, Ey.
    assert (Hly : 0 < l * sqrt D) by now apply Rmult_lt_0_compat.
    split; [now apply Rinv_0_lt_compat|].
    assert (E : m * m = / (l * l * D)) by (unfold m; set (y := sqrt D) in *; rewrite <- Ey; field; lra).
    assert (Hp : (3 * K + 1) / 4 <= l * l * D) by nra.
    rewrite E. apply (Rmult_le_reg_l (l * l * D)); [lra|].
    rewrite <- Rmult_assoc, Rinv_r by lra. lra.
  Qed.

  Lemma group_sum_square : group_sum_cost K l = sqrt (K / (l * l) + / D + 2 * K * m).
  Proof using. reflexivity. Qed.

  Lemma group_sum_square_with_bos :
    group_sum_cost_with_bos K l
    = sqrt ((K * K * ((1 + l * l) * (1 + l * l)) + 4 * (l * l)) / (l * l * D) + 4 * K * m).
  Proof using. reflexivity. Qed.

  (** K/lam^2 + 1/D <= 2K + 2/(3K+1). *)
  Lemma rational_part : K / (l * l) + / D <= 2 * K + 2 / (3 * K + 1).
  Proof using HK Hl L1.
    pose proof spread_ge as HD. apply Rplus_le_compat.
    - apply (Rmult_le_reg_r (l * l)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
    - replace (2 / (3 * K + 1)) with (/ ((3 * K + 1) / 2)) by (field; lra). apply Rinv_le_contravar; lra.
  Qed.

  (** (K^2 (1+lam^2)^2 + 4 lam^2)/(lam^2 D) <= (9K^2 + 8)/(3K+1): worst at lam^2 = 1/2. *)
  Lemma rational_part_with_bos : l * l < 1 ->
    (K * K * ((1 + l * l) * (1 + l * l)) + 4 * (l * l)) / (l * l * D) <= (9 * (K * K) + 8) / (3 * K + 1).
  Proof using HK Hl L1.
    intros L2. pose proof spread_ge as HD. set (L := l * l) in *.
    assert (HLD : 0 < L * D) by (apply Rmult_lt_0_compat; lra).
    apply (Rmult_le_reg_r (L * D)); [assumption|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (Rmult_le_reg_r (3 * K + 1)); [lra|].
    replace ((9 * (K * K) + 8) / (3 * K + 1) * (L * D) * (3 * K + 1)) with ((9 * (K * K) + 8) * (L * D)) by (field; lra).
    assert (A : (1 + L) * (1 + L) * (3 * K + 1) <= 9 * (L * D)).
    { unfold D, spread. fold L.
      assert (A1 : (1 + L) * (1 + L) <= 9 * (L * L)) by nra.
      assert (A2 : 3 * ((1 + L) * (1 + L)) <= 9 * (L * L) + 9 * L) by nra. nra. }
    assert (B : 4 * L * (3 * K + 1) <= 8 * (L * D)) by nra.
    assert (0 <= K * K) by nra.
    apply (Rmult_le_compat_l (K * K)) in A; [|assumption]. lra.
  Qed.
End Scalars.

(** Reading B costs no more than the page's bracket. *)
Lemma sink_cost_page K l : 1 <= K -> 0 < l -> / 2 <= l * l -> l * l < 1 ->
  sink_cost_with_bos K l <= page_sink_cost K l.
Proof.
  intros HK Hl L1 L2. unfold sink_cost_with_bos, page_sink_cost.
  assert (H2K : 0 <= 2 * K) by lra.
  pose proof (sqrt_pos (2 * K)) as Hs0. pose proof (sqrt_sqrt (2 * K) H2K) as Es. set (s := sqrt (2 * K)) in *.
  assert (Hs : 0 < s) by nra.
  destruct (inverse_lam l Hl L1) as [Hi _].
  pose proof (m_square K l HK Hl L1) as [Hm Hm2].
  pose proof (spread_ge K l HK L1) as HD. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
  (* nu <= (2 + s)/l *)
  assert (Hnu : group_sum_cost_with_bos K l <= (2 + s) / l).
  { rewrite group_sum_square_with_bos. apply sqrt_le_by_square.
    { apply Rlt_le, Rdiv_lt_0_compat; lra. }
    replace ((2 + s) / l * ((2 + s) / l)) with ((4 + 4 * s + 2 * K) / (l * l)) by (rewrite <- Es; field; lra).
    set (D := spread K l) in *. set (y := sqrt D) in *.
    assert (ED : D = K + (K + 1) * (l * l)) by reflexivity.
    apply (Rmult_le_reg_r (l * l)); [lra|].
    replace ((4 + 4 * s + 2 * K) / (l * l) * (l * l)) with (4 + 4 * s + 2 * K) by (field; lra).
    replace (((K * K * ((1 + l * l) * (1 + l * l)) + 4 * (l * l)) / (l * l * D) + 4 * K * / (l * y)) * (l * l))
      with (K * K * ((1 + l * l) * (1 + l * l)) / D + 4 * (l * l) / D + 4 * (K * l / y)) by (field; lra).
    assert (P1 : K * K * ((1 + l * l) * (1 + l * l)) / D <= 2 * K).
    { apply (Rmult_le_reg_r D); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (K * (1 + l * l) <= D) by (rewrite ED; nra).
      assert (K * K * ((1 + l * l) * (1 + l * l)) <= K * (1 + l * l) * D) by nra. nra. }
    assert (P2 : 4 * (l * l) / D <= 4).
    { apply (Rmult_le_reg_r D); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
    assert (P3 : K * l / y <= s).
    { apply (Rmult_le_reg_r y); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply le_by_square; [apply Rlt_le, Rmult_lt_0_compat; assumption|].
      replace (s * y * (s * y)) with (s * s * (y * y)) by ring. rewrite Es, Ey, ED. nra. }
    lra. }
  assert (Hll : / l <= 1 / (l * l)).
  { replace (1 / (l * l)) with (/ l * / l) by (field; lra).
    assert (1 <= / l); [|nra]. rewrite <- Rinv_1. apply Rinv_le_contravar; nra. }
  assert (HKl : K * / l <= K * (1 / (l * l))) by (apply Rmult_le_compat_l; lra).
  unfold Rdiv in *. lra.
Qed.

(** The page's bracket is at most (4 + sqrt 2) C, with equality at C = 1, lam^2 = 1/2. *)
Lemma page_bracket K l : 1 <= K -> 0 < l -> / 2 <= l * l ->
  2 * page_sink_cost K l <= (8 + 2 * sqrt 2) * K.
Proof.
  intros HK Hl L1. unfold page_sink_cost. destruct (inverse_lam l Hl L1) as [Hi Hw]. destruct root2 as [Ew Hw0].
  set (w := sqrt 2) in *.
  assert (Hs : sqrt (2 * K) <= w * K).
  { apply sqrt_le_by_square; [nra|]. replace (w * K * (w * K)) with (w * w * (K * K)) by ring. rewrite Ew. nra. }
  pose proof (sqrt_pos (2 * K)).
  assert (A : sqrt (2 * K) / l <= w * K * w) by (unfold Rdiv; apply Rmult_le_compat; lra).
  assert (B : 1 / (l * l) <= 2).
  { replace (1 / (l * l)) with (/ l * / l) by (field; lra). rewrite <- Ew. apply Rmult_le_compat; lra. }
  assert (E : w * K * w = 2 * K) by (rewrite <- Ew; ring). rewrite E in A.
  assert (G : K * (1 / l + 1 / (l * l)) <= K * (w + 2)) by (apply Rmult_le_compat_l; unfold Rdiv in *; lra).
  nra.
Qed.

(** A whole number is 1, 2, .. or large. *)
Lemma whole_cases C : (1 <= C)%nat ->
  INR C = 1 \/ INR C = 2 \/ INR C = 3 \/ INR C = 4 \/ INR C = 5 \/ INR C = 6 \/ INR C = 7 \/ 8 <= INR C.
Proof.
  intros H. destruct (le_lt_dec 8 C) as [G|G].
  - do 7 right. replace 8 with (INR 8) by (simpl; lra). now apply le_INR.
  - assert (E : (C = 1 \/ C = 2 \/ C = 3 \/ C = 4 \/ C = 5 \/ C = 6 \/ C = 7)%nat) by lia.
    decompose [or] E; subst C; simpl; repeat (first [left; lra|right]).
Qed.

(** Reading A: 3 sqrt 2 C, with equality at C = 1, lam^2 = 1/2. *)
Lemma sink_cost_le C l : (1 <= C)%nat -> 0 < l -> / 2 <= l * l ->
  2 * sink_cost (INR C) l <= 3 * sqrt 2 * INR C.
Proof.
  intros HC Hl L1.
  assert (HK : 1 <= INR C) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
  pose proof (whole_cases C HC) as Cases. set (K := INR C) in *.
  destruct (inverse_lam l Hl L1) as [Hi Hw]. destruct root2 as [Ew Hw0].
  destruct (m_square K l HK Hl L1) as [Hm Hm2]. pose proof (rational_part K l HK Hl L1) as HR.
  unfold sink_cost.
  assert (Hnu : group_sum_cost K l <= sqrt 2 * (K / 2 + 1)).
  { rewrite group_sum_square. set (m := / (l * sqrt (spread K l))) in *.
    apply sqrt_le_by_square; [nra|].
    replace (sqrt 2 * (K / 2 + 1) * (sqrt 2 * (K / 2 + 1)))
      with (sqrt 2 * sqrt 2 * ((K / 2 + 1) * (K / 2 + 1))) by ring.
    rewrite Ew.
    destruct Cases as [E|[E|Cases]].
    - rewrite E in *. assert (m <= 1) by (apply le_by_square; lra). lra.
    - rewrite E in *. assert (m <= 0.77) by (apply le_by_square; lra). lra.
    - assert (H3 : 3 <= K) by lra. assert (m <= 2 / 3).
      { apply le_by_square; [lra|]. assert (0 < m * m) by nra. nra. }
      assert (2 / (3 * K + 1) <= 0.2).
      { apply (Rmult_le_reg_r (3 * K + 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      nra. }
  assert (HA : (K - 1) / l <= (K - 1) * sqrt 2) by (unfold Rdiv; apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** Reading B, C other than 4 and 5: 6.5 C. *)
Lemma sink_cost_with_bos_le C l : (1 <= C)%nat -> C <> 4%nat -> C <> 5%nat -> 0 < l -> / 2 <= l * l -> l * l < 1 ->
  2 * sink_cost_with_bos (INR C) l <= 6.5 * INR C.
Proof.
  intros HC N4 N5 Hl L1 L2.
  assert (HK : 1 <= INR C) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
  assert (Cases : INR C = 1 \/ INR C = 2 \/ INR C = 3 \/ INR C = 6 \/ INR C = 7 \/ 8 <= INR C).
  { pose proof (whole_cases C HC) as Cases.
    assert (E4 : INR C <> 4) by (intros E; apply N4, INR_eq; rewrite E; simpl; lra).
    assert (E5 : INR C <> 5) by (intros E; apply N5, INR_eq; rewrite E; simpl; lra). tauto. }
  set (K := INR C) in *.
  destruct (inverse_lam l Hl L1) as [Hi Hw]. pose proof sqrt2_bounds as [_ W].
  destruct (m_square K l HK Hl L1) as [Hm Hm2]. pose proof (rational_part_with_bos K l HK Hl L1 L2) as HR.
  unfold sink_cost_with_bos.
  assert (HA : 2 * (K - 1) / l <= 2 * (K - 1) * 1.414214) by (unfold Rdiv; apply Rmult_le_compat_l; lra).
  assert (Hnu : group_sum_cost_with_bos K l <= 3.25 * K - 2 * (K - 1) * 1.414214); [|lra].
  rewrite group_sum_square_with_bos. set (m := / (l * sqrt (spread K l))) in *.
  apply sqrt_le_by_square; [lra|].
  eapply Rle_trans; [apply Rplus_le_compat_r; exact HR|]. clear HR HA.
  destruct Cases as [E|[E|[E|[E|[E|E]]]]]; [rewrite E in * ..|].
  - assert (m <= 1) by (apply le_by_square; lra). lra.
  - assert (m <= 0.75593) by (apply le_by_square; lra). lra.
  - assert (m <= 0.63246) by (apply le_by_square; lra). lra.
  - assert (m <= 0.45884) by (apply le_by_square; lra). lra.
  - assert (m <= 0.42641) by (apply le_by_square; lra). lra.
  - assert (m <= 0.4).
    { apply le_by_square; [lra|]. assert (0 < m * m) by nra. nra. }
    assert (R : (9 * (K * K) + 8) / (3 * K + 1) <= 3 * K - 0.64).
    { apply (Rmult_le_reg_r (3 * K + 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
    nra.
Qed.

Lemma sqrt13_bounds : 3.6055 <= sqrt 13 <= 3.6056.
Proof.
  split; [|apply sqrt_le_by_square; lra].
  apply le_by_square; [apply sqrt_pos|]. rewrite sqrt_sqrt; lra.
Qed.

Lemma reading_b_constant_bounds : 6.5 <= reading_b_constant <= 6.501.
Proof.
  pose proof sqrt2_bounds as [A B]. pose proof sqrt13_bounds as [E F]. unfold reading_b_constant.
  assert (H : forall x, 0 < x -> x * (3 * sqrt 13) <= 10 -> x <= 10 / (3 * sqrt 13)).
  { intros x Hx H. apply (Rmult_le_reg_r (3 * sqrt 13)); [lra|].
    replace (10 / (3 * sqrt 13) * (3 * sqrt 13)) with 10 by (field; lra). exact H. }
  assert (H' : 10 / (3 * sqrt 13) <= 0.9246).
  { apply (Rmult_le_reg_r (3 * sqrt 13)); [lra|].
    replace (10 / (3 * sqrt 13) * (3 * sqrt 13)) with 10 by (field; lra). lra. }
  pose proof (H 0.9244 ltac:(lra) ltac:(lra)). lra.
Qed.

Section FourAndFive.
  Context (l : R) (Hl : 0 < l) (L1 : / 2 <= l * l) (L2 : l * l < 1).

  (** K/(lam sqrt(K + lam^2)) and K (2 + lam^2)/(sqrt(K + lam^2) sqrt D), from bounds of the denominators. *)
  Lemma quotient_le x y b : 0 < y -> 0 <= b -> x <= b * y -> x / y <= b.
  Proof using All.
    intros Hy Hb H. apply (Rmult_le_reg_r y); [assumption|].
    replace (x / y * y) with x by (field; lra). exact H.
  Qed.

  Lemma roots K : 1 <= K ->
    0 < l * sqrt (K + l * l) /\ l * sqrt (K + l * l) * (l * sqrt (K + l * l)) = l * l * (K + l * l) /\
    0 < sqrt (K + l * l) * sqrt (spread K l) /\
    sqrt (K + l * l) * sqrt (spread K l) * (sqrt (K + l * l) * sqrt (spread K l)) = (K + l * l) * spread K l.
  Proof using All.
    intros HK. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
    assert (HQ : 0 < K + l * l) by nra.
    pose proof (sqrt_lt_R0 _ HQ) as Hq. pose proof (sqrt_sqrt _ (Rlt_le _ _ HQ)) as Eq.
    repeat split; try (now apply Rmult_lt_0_compat).
    - set (q := sqrt (K + l * l)) in *. transitivity (l * l * (q * q)); [ring|]. now rewrite Eq.
    - set (q := sqrt (K + l * l)) in *. set (y := sqrt (spread K l)) in *.
      transitivity (q * q * (y * y)); [ring|]. now rewrite Eq, Ey.
  Qed.

  Lemma many_four : 2 * sink_cost_with_bos_many 4 l <= reading_b_constant * 4.
  Proof using All.
    destruct (inverse_lam l Hl L1) as [Hi Hw]. destruct (roots 4 ltac:(lra)) as (P1 & E1 & P2 & E2).
    unfold sink_cost_with_bos_many, reading_b_constant. set (x := l * sqrt (4 + l * l)) in *.
    set (y := sqrt (4 + l * l) * sqrt (spread 4 l)) in *.
    pose proof sqrt13_bounds as [F _]. assert (E13 : sqrt 13 * sqrt 13 = 13) by (apply sqrt_sqrt; lra).
    assert (A : 2 * (4 - 1) / l <= 6 * sqrt 2) by (unfold Rdiv; lra).
    assert (B : 4 / x <= 8 / 3).
    { apply quotient_le; [assumption|lra|]. assert (3 / 2 <= x); [|lra].
      apply le_by_square; [lra|]. rewrite E1. nra. }
    assert (G : 4 * (2 + l * l) / y <= 20 / (3 * sqrt 13)).
    { apply (Rmult_le_reg_r (y * (3 * sqrt 13))); [apply Rmult_lt_0_compat; lra|].
      replace (4 * (2 + l * l) / y * (y * (3 * sqrt 13))) with (4 * (3 * sqrt 13 * (2 + l * l))) by (field; lra).
      replace (20 / (3 * sqrt 13) * (y * (3 * sqrt 13))) with (4 * (5 * y)) by (field; lra).
      apply Rmult_le_compat_l; [lra|]. apply le_by_square; [lra|].
      replace (3 * sqrt 13 * (2 + l * l) * (3 * sqrt 13 * (2 + l * l)))
        with (9 * (sqrt 13 * sqrt 13) * ((2 + l * l) * (2 + l * l))) by ring.
      replace (5 * y * (5 * y)) with (25 * (y * y)) by ring. rewrite E2, E13. unfold spread. nra. }
    replace (20 / (3 * sqrt 13)) with (2 * (10 / (3 * sqrt 13))) in G by (field; lra). lra.
  Qed.

  Lemma many_five : 2 * sink_cost_with_bos_many 5 l <= 6.5 * 5.
  Proof using All.
    destruct (inverse_lam l Hl L1) as [Hi Hw]. destruct (roots 5 ltac:(lra)) as (P1 & E1 & P2 & E2).
    pose proof sqrt2_bounds as [_ W].
    unfold sink_cost_with_bos_many. set (x := l * sqrt (5 + l * l)) in *.
    set (y := sqrt (5 + l * l) * sqrt (spread 5 l)) in *.
    assert (A : 2 * (5 - 1) / l <= 8 * 1.414214) by (unfold Rdiv; lra).
    assert (B : 5 / x <= 3.0304).
    { apply quotient_le; [assumption|lra|]. assert (1.65 <= x); [|lra].
      apply le_by_square; [lra|]. rewrite E1. nra. }
    assert (G : 5 * (2 + l * l) / y <= 1.89).
    { apply quotient_le; [assumption|lra|]. apply le_by_square; [lra|].
      replace (1.89 * y * (1.89 * y)) with (1.89 * 1.89 * (y * y)) by ring. rewrite E2. unfold spread. nra. }
    lra.
  Qed.

  (** From 4 to 10 groups [sink_cost_with_bos_many] can be had. *)
  Lemma four_to_ten K : 4 <= K -> K <= 10 -> neither_few_nor_many K l.
  Proof using All.
    intros H4 H10. assert (HK : 1 <= K) by lra. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
    unfold neither_few_nor_many. set (y := sqrt (spread K l)) in *. unfold spread in Ey. split.
    - apply le_by_square; [apply Rmult_le_pos; lra|].
      replace ((K - 2) * y * ((K - 2) * y)) with ((K - 2) * (K - 2) * (y * y)) by ring. rewrite Ey.
      assert (K * K <= 4 * ((K - 2) * (K - 2))) by nra.
      assert (4 * (l * l) <= K + (K + 1) * (l * l)) by nra.
      assert (0 <= (K - 2) * (K - 2)) by apply Rle_0_sqr. nra.
    - (* the factors are at most 0.64 K^2 and 1.5276 (2 + lam^2) *)
      assert (A : (K - 2) * (K - 2) <= 0.64 * (K * K)) by nra.
      assert (B : l * y <= 1.5276 * (2 + l * l)).
      { apply le_by_square; [lra|]. replace (l * y * (l * y)) with (l * l * (y * y)) by ring. rewrite Ey.
        assert (l * l * (K + (K + 1) * (l * l)) <= l * l * (10 + 11 * (l * l))) by (apply Rmult_le_compat_l; nra).
        nra. }
      assert (P : (K - 2) * (K - 2) * (l * y) <= 0.64 * (K * K) * (1.5276 * (2 + l * l)))
        by (apply Rmult_le_compat; [apply Rle_0_sqr|apply Rlt_le, Rmult_lt_0_compat|..]; assumption).
      assert (0 < K * K * (2 + l * l)) by (apply Rmult_lt_0_compat; nra). nra.
  Qed.
End FourAndFive.

Lemma unit_cost_positive I kappa : valid_instance I -> 0 < kappa -> 0 < unit_cost I kappa.
Proof.
  intros HI Hk. unfold unit_cost. apply Rdiv_lt_0_compat; [|apply sqrt_lt_R0, (dimension_pos I HI)].
  apply Rmult_lt_0_compat; [assumption|]. pose proof (groups_from_1 I HI). lra.
Qed.

Lemma scaled_cost I kappa x y : valid_instance I -> 0 < kappa -> 2 * x <= y * INR (groups I) ->
  2 * kappa / sqrt (INR (dimension I)) * x <= y * unit_cost I kappa.
Proof.
  intros HI Hk H. pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs. unfold unit_cost.
  assert (Hf : 0 <= kappa / sqrt (INR (dimension I))) by (apply Rlt_le, Rdiv_lt_0_compat; assumption).
  apply (Rmult_le_compat_l _ _ _ Hf) in H. unfold Rdiv in *. lra.
Qed.
