(** * What a sink of reading B costs at least: the proof behind co-1 and co-4

    Reading B asks of each copy query both lam q_c W m_c >= m + q_c W b and q_c W b >= m + q_c W z for every other
    key z outside the group, m = kappa sqrt(d).  With D = C + (C+1) lam^2 and q = sqrt(C + lam^2) every
    factorisation then costs at least (2 kappa/sqrt d)[2(C-1)/lam + C/(lam q) + C(2 + lam^2)/(q sqrt D)]
    ([sink_with_bos_cost_least]).

    Multipliers a1 (dormant rows: BOS over a group), h0 (copy rows: group over BOS), k1 (BOS over another
    group), k2 (BOS over a copy token).  The dual matrix is the identity q_c -> mean_c on deviations from the
    group averages; on the averages its two rows, in the directions (b, sum mean, sum q), are orthonormal and
    orthogonal to (1, 1/lam, 1) ([with_bos_contract]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_with_bos_cost.v
    (after cost_lower_bounds.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds.
Open Scope R_scope.

(** ** The constraints of reading B under multipliers *)

Section WithBos.
  Context (I : instance) (HI : valid_instance I) (kappa : R).

  Let d := dimension I.
  Let C := groups I.
  Let n := INR C.
  Let l := lam I.
  Let m := kappa * sqrt (INR d).

  Context (a1 h0 k1 k2 : R) (A1 : 0 <= a1) (H0 : 0 <= h0) (K1 : 0 <= k1) (K2 : 0 <= k2).

  Definition with_bos_dual : matrix :=
    copy_dual I (l * (n * a1)) (- (l * l * a1)) 0 (l * (h0 + k1)) 0 ((n - 1) * k1 + n * k2 - h0) (- (l * k1)) (- k2).

  Lemma with_bos_value W :
    sink_pattern_with_bos I W kappa ->
    m * (n * (n * a1) + n * (h0 + (n - 1) * k1 + n * k2)) <= pairing d with_bos_dual W.
  Proof using HI A1 H0 K1 K2.
    intros HB. unfold with_bos_dual, d. rewrite copy_dual_pairing. fold d C.
    rewrite Rmult_plus_distr_l, Rplus_comm. apply Rplus_le_compat.
    2:{ replace (m * (n * (n * a1))) with (n * (m * (n * a1))) by ring.
        unfold n at 1. rewrite <- sum_const. apply sum_le. intros c Hc.
        set (p := bilinear d W (mean I c) (bos_vector I)).
        assert (G : n * m <= sum C (fun k => l * p - l * l * bilinear d W (mean I c) (mean I k))).
        { unfold n. rewrite <- sum_const. apply sum_le. intros k Hk.
          pose proof (dormant_over_group I HI W kappa (reading_a I W kappa HB) c k Hc Hk) as G.
          fold d m l p in G. lra. }
        rewrite sum_minus, sum_const, sum_scal in G. fold n in G.
        apply (Rmult_le_compat_l a1) in G; [|assumption]. lra. }
    replace (m * (n * (h0 + (n - 1) * k1 + n * k2))) with (n * (m * (h0 + (n - 1) * k1 + n * k2))) by ring.
    unfold n at 1. rewrite <- sum_const. apply sum_le. intros c Hc.
    pose proof (copy_prefers_group I W kappa (reading_a I W kappa HB)) as P.
    set (u := bilinear d W (copy_query I c) (mean I c)).
    pose proof (copy_over_bos I HI W kappa c P Hc) as G0. fold d m l u in G0.
    set (p := bilinear d W (copy_query I c) (bos_vector I)) in *.
    assert (Q : forall z, present I z -> z <> Bos -> ~ in_group c z ->
              m + bilinear d W (copy_query I c) (embedding I z) <= p).
    { intros z Z1 Z2 Z3. apply (score_margin I W kappa (Copy c) Bos z (some_dimension I HI)).
      now apply (copy_prefers_bos I W kappa HB). }
    assert (G1 : (n - 1) * m + (p - l * u) <= sum C (fun k => p - l * bilinear d W (copy_query I c) (mean I k))).
    { apply (sum_all_but_one C (fun k => p - l * bilinear d W (copy_query I c) (mean I k)) c m Hc).
      intros k Hk E. assert (G : l * bilinear d W (copy_query I c) (mean I k) <= p - m); [|lra].
      apply (average_ge (size I k) (fun j => bilinear d W (copy_query I c) (dormant I k j))).
      - now apply (size_pos I HI).
      - intros j Hj. assert (G := Q (Dormant k j) (conj Hk Hj)). cbn [embedding] in G.
        specialize (G ltac:(discriminate) E). lra.
      - now apply (group_sum_key I HI). }
    assert (G2 : n * m <= sum C (fun k => p - bilinear d W (copy_query I c) (copy_query I k))).
    { unfold n. rewrite <- sum_const. apply sum_le. intros k Hk. assert (G := Q (Copy k) Hk). cbn [embedding] in G.
      specialize (G ltac:(discriminate) ltac:(intros [])). lra. }
    rewrite sum_minus, sum_const, sum_scal in G1. rewrite sum_minus, sum_const in G2. fold n in G1, G2.
    apply (Rmult_le_compat_l h0) in G0; [|assumption].
    apply (Rmult_le_compat_l k1) in G1; [|assumption].
    apply (Rmult_le_compat_l k2) in G2; [|assumption]. lra.
  Qed.
End WithBos.

(** ** The multipliers *)

Section WithBosScalars.
  Context (n l f psi : R).
  Context (Hn : 1 <= n) (Hl : 0 < l) (Hf : 0 < f) (Hpsi : 0 < psi).
  Context (FF : f * f = n + l * l) (PP : psi * psi = (n + l * l) * (n + (n + 1) * (l * l))).

  Let s1 := n * l / psi.
  Let s2 := - (n + l * l) / psi.
  Let a1 := / (l * n * f).
  Let k1 := (1 - s1) / (n * l).
  Let k2 := - s2 / n.
  Let h0 := / l - k1.

  Lemma with_bos_square : 0 < l * l.
  Proof using Hl. now apply Rmult_lt_0_compat. Qed.

  Lemma with_bos_nonneg : 0 <= a1 /\ 0 <= h0 /\ 0 <= k1 /\ 0 <= k2.
  Proof using Hn Hl Hf Hpsi FF PP.
    pose proof with_bos_square as Hll.
    assert (Hnl : 0 < n * l) by (apply Rmult_lt_0_compat; lra).
    assert (S0 : 0 < s1) by now apply Rdiv_lt_0_compat.
    assert (S1 : s1 <= 1).
    { apply (Rmult_le_reg_r psi); [assumption|]. unfold s1. replace (n * l / psi * psi) with (n * l) by (field; lra).
      rewrite Rmult_1_l. apply Rsqr_incr_0; unfold Rsqr; [|lra|lra]. rewrite PP. set (x := l * l) in *.
      replace (n * l * (n * l)) with (n * n * x) by (unfold x; ring).
      assert (0 <= n * n) by (apply Rmult_le_pos; lra).
      assert (0 <= n * x) by (apply Rmult_le_pos; lra).
      assert (0 <= x * x) by (apply Rmult_le_pos; lra).
      assert (0 <= n * (x * x)) by (apply Rmult_le_pos; lra). lra. }
    repeat split.
    - unfold a1. left. apply Rinv_0_lt_compat. replace (l * n * f) with (n * l * f) by ring. now apply Rmult_lt_0_compat.
    - unfold h0, k1. replace (/ l - (1 - s1) / (n * l)) with ((n - 1 + s1) / (n * l)) by (field; lra).
      apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat].
    - unfold k1. apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat].
    - unfold k2, s2. replace (- (- (n + l * l) / psi) / n) with ((n + l * l) / (psi * n)) by (field; lra).
      apply Rlt_le, Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra].
  Qed.

  Lemma with_bos_total :
    n * (n * a1) + n * (h0 + (n - 1) * k1 + n * k2)
    = 2 * (n - 1) / l + n / (l * f) + n * (2 + l * l) / psi.
  Proof using Hn Hl Hf Hpsi. unfold h0, k1, k2, a1, s1, s2. field. lra. Qed.

  (** What is missing to the bound is a square. *)
  Lemma with_bos_contract w s t :
    n * ((l * (n * a1) * w + - (l * l * a1) * s + 0 * t) * (l * (n * a1) * w + - (l * l * a1) * s + 0 * t))
    + (l * (h0 + k1) * s + 0 * t + n * (((n - 1) * k1 + n * k2 - h0) * w + - (l * k1) * s + - k2 * t))
      * (l * (h0 + k1) * s + 0 * t + n * (((n - 1) * k1 + n * k2 - h0) * w + - (l * k1) * s + - k2 * t)) / n
    <= w * w + s * s / n + t * t / n.
  Proof using Hn Hl Hf Hpsi FF PP.
    pose proof with_bos_square as Hll.
    set (z := n + (n + 1) * (l * l)) in *.
    assert (Hz : 0 < z) by (assert (0 < (n + 1) * (l * l)) by (apply Rmult_lt_0_compat; lra); unfold z; lra).
    replace (l * (n * a1) * w + - (l * l * a1) * s + 0 * t) with ((n * w - l * s) / (n * f))
      by (unfold a1; field; lra).
    replace (l * (h0 + k1) * s + 0 * t + n * (((n - 1) * k1 + n * k2 - h0) * w + - (l * k1) * s + - k2 * t))
      with ((n * l * s - (n + l * l) * t + n * (l * l) * w) / psi)
      by (unfold h0, k1, k2, s1, s2; field; lra).
    replace (n * ((n * w - l * s) / (n * f) * ((n * w - l * s) / (n * f))))
      with ((n * w - l * s) * (n * w - l * s) / (n * (f * f))) by (field; lra).
    set (e := n * l * s - (n + l * l) * t + n * (l * l) * w).
    replace (e / psi * (e / psi) / n) with (e * e / (n * (psi * psi))) by (field; lra).
    rewrite FF, PP.
    assert (ID : w * w + s * s / n + t * t / n
                 = (n * w - l * s) * (n * w - l * s) / (n * (n + l * l)) + e * e / (n * ((n + l * l) * z))
                   + (l * w + s + l * t) * (l * w + s + l * t) / z).
    { unfold e, z in *. field. lra. }
    rewrite ID.
    assert (0 <= (l * w + s + l * t) * (l * w + s + l * t) / z); [|lra].
    apply Rmult_le_pos; [apply Rle_0_sqr|left; now apply Rinv_0_lt_compat].
  Qed.
End WithBosScalars.

Theorem sink_with_bos_cost_least I kappa : valid_instance I ->
  cost_at_least I (fun W => sink_pattern_with_bos I W kappa)
    (2 * kappa / sqrt (INR (dimension I)) * sink_cost_with_bos_many (INR (groups I)) (lam I)).
Proof.
  intros HI r WQ WK HW. pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl.
  unfold sink_cost_with_bos_many. set (C := INR (groups I)) in *. set (l := lam I) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  assert (Hz : 0 < spread C l) by (assert (0 < (C + 1) * (l * l)) by (apply Rmult_lt_0_compat; lra); unfold spread; lra).
  assert (Hf : 0 < sqrt (C + l * l)) by (apply sqrt_lt_R0; lra). set (f := sqrt (C + l * l)) in *.
  assert (FF : f * f = C + l * l) by (apply sqrt_sqrt; lra).
  pose proof (sqrt_lt_R0 _ Hz) as Hsz. pose proof (sqrt_sqrt _ (Rlt_le _ _ Hz)) as Sz.
  set (psi := f * sqrt (spread C l)).
  assert (Hpsi : 0 < psi) by now apply Rmult_lt_0_compat.
  assert (PP : psi * psi = (C + l * l) * (C + (C + 1) * (l * l))).
  { unfold psi. transitivity (f * f * (sqrt (spread C l) * sqrt (spread C l))); [ring|]. now rewrite FF, Sz. }
  destruct (with_bos_nonneg C l f psi Hn Hl Hf Hpsi FF PP) as (G0 & G1 & G2 & G3).
  pose proof (with_bos_total C l f psi Hn Hl Hf Hpsi) as ET.
  pose proof (with_bos_contract C l f psi Hn Hl Hf Hpsi FF PP) as ES.
  set (a1 := / (l * C * f)) in *.
  set (k1 := (1 - C * l / psi) / (C * l)) in *.
  set (k2 := - (- (C + l * l) / psi) / C) in *.
  set (h0 := / l - k1) in *.
  pose proof (with_bos_value I HI kappa a1 h0 k1 k2 G0 G1 G2 G3 _ HW) as VB. fold C in VB. rewrite ET in VB.
  set (Y := with_bos_dual I a1 h0 k1 k2) in *.
  assert (B : form_bounded (dimension I) Y (INR (dimension I))).
  { unfold Y, with_bos_dual. apply (copy_dual_bounded I HI); [|exact ES].
    unfold h0. fold l. replace (l * (/ l - k1 + k1)) with 1 by (field; lra). lra. }
  pose proof (pairing_form_bounded (dimension I) r Y _ WQ WK B) as P.
  pose proof (dimension_pos I HI) as HD. pose proof (sqrt_lt_R0 _ HD) as Hs.
  pose proof (sqrt_sqrt _ (Rlt_le _ _ HD)) as Es. set (rd := sqrt (INR (dimension I))) in *.
  set (cost := factor_cost (dimension I) r WQ WK) in *.
  set (V := 2 * (C - 1) / l + C / (l * f) + C * (2 + l * l) / psi) in *.
  apply (Rmult_le_reg_l (rd * rd)); [now apply Rmult_lt_0_compat|].
  replace (rd * rd * (2 * kappa / rd * V)) with (2 * (kappa * rd * V)) by (field; lra).
  rewrite Es. lra.
Qed.
