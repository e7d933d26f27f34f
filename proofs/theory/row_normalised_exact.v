(** * The exact constant for row-normalised attention with linear values: the proof behind tc-3

    out_i = V sum_k a_ik x_k, ANY row-stochastic causal a, sup loss eta, D = (J-3)/(2(J-1)).  row_normalised_core.v
    reads nothing but flags; here one noise coordinate is read as well: eta (16 + 22 D) <= D gives
    1 - a_i1 <= 4 eta at every row but the trigger's, and 2 eta to first order before it ([off_bos_mass_le]).

    Write V' = V - V BOS, beta = V BOS.  z = a row's average content token, t the trigger token; z_a, t_b: the same
    with the first noise coordinate set to a, b = 1 or -1.  In the coordinates (content flag, trigger flag, noise)
    let K be the cofactors of V': K_c, K_t, K_n are covectors dual to z, t and the noise direction, times det.
    m_ab = K_n - a K_c - b K_t vanishes on V'z_a and V't_b, hence on the trigger rows of (BOS,z_a,..,z_a,t_b) at
    positions 3 and J up to errors, hence nearly on z_a and t_b ([nearly_normal]).  The four corners (a,b) say
    that K is nearly a multiple of the identity ([nearly_scalar], [diagonal_wins]), so l = K_c + K_t has flags of one
    sign ([one_sign]).  l is det (q + h) on a row with weights q on z and h on t.  Against a row with target 0:
    |det| s <= 2 ||l||_1 eta; against the trigger row at 3 with a = b the sign of l_n, minus the row:
    |det| (1 - s) >= ||l||_1 (1/2 - 2 eta).  Hence s <= 4 eta ([quiet_mass]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/row_normalised_exact.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task probe row_normalised_core.
Open Scope R_scope.

Lemma trigger_gap_bounds J : (4 <= J)%nat -> 0 < trigger_gap J <= / 2.
Proof.
  intros HJ. assert (HJR : 4 <= INR J) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  replace (trigger_gap J) with (/ 2 - / (INR J - 1)) by (unfold trigger_gap; field; lra).
  assert (0 < / (INR J - 1)) by (apply Rinv_0_lt_compat; lra).
  assert (/ (INR J - 1) <= / 3) by (apply Rinv_le_contravar; lra). lra.
Qed.

(** ** Three coordinates (content flag, trigger flag, one noise coordinate) *)

Definition dot3 (m1 m2 m3 x1 x2 x3 : R) : R := m1 * x1 + m2 * x2 + m3 * x3.
Definition norm3 (m1 m2 m3 : R) : R := Rabs m1 + Rabs m2 + Rabs m3.

Lemma norm3_nonneg m1 m2 m3 : 0 <= norm3 m1 m2 m3.
Proof. unfold norm3. pose proof (Rabs_pos m1). pose proof (Rabs_pos m2). pose proof (Rabs_pos m3). lra. Qed.

Lemma dot3_le m1 m2 m3 x1 x2 x3 e :
  Rabs x1 <= e -> Rabs x2 <= e -> Rabs x3 <= e -> Rabs (dot3 m1 m2 m3 x1 x2 x3) <= norm3 m1 m2 m3 * e.
Proof.
  intros H1 H2 H3. unfold dot3, norm3. rewrite !Rmult_plus_distr_r.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
  - eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
    apply Rplus_le_compat; apply Rmult_le_compat_l; auto using Rabs_pos.
  - rewrite Rabs_mult. apply Rmult_le_compat_l; auto using Rabs_pos.
Qed.

(** What four corners say about the coefficients. *)
Lemma corners p q r s h :
  (forall a b, (a = 1 \/ a = -1) -> (b = 1 \/ b = -1) -> Rabs (p + a * q + b * r + a * b * s) <= h) ->
  Rabs p <= h /\ Rabs q <= h /\ Rabs r <= h /\ Rabs s <= h.
Proof.
  intros H.
  assert (H1 := H 1 1 (or_introl eq_refl) (or_introl eq_refl)).
  assert (H2 := H 1 (-1) (or_introl eq_refl) (or_intror eq_refl)).
  assert (H3 := H (-1) 1 (or_intror eq_refl) (or_introl eq_refl)).
  assert (H4 := H (-1) (-1) (or_intror eq_refl) (or_intror eq_refl)).
  apply abs_bounds in H1, H2, H3, H4. repeat split; apply Rabs_le; lra.
Qed.

Definition sign (a : R) : Prop := a = 1 \/ a = -1.

Section Core.
  (** V' = V - V BOS on content token z (noise 0), on trigger t (noise 0), on the noise direction. *)
  Context (D eta zc zt zn tc tt tn uc ut un bc bt bn : R).
  Context (HD0 : 0 < D) (HD : D <= / 2) (He : 0 <= eta) (Heta : eta * (16 + 22 * D) <= D).
  Context (Hbc : Rabs bc <= eta) (Hbt : Rabs bt <= eta) (Hbn : Rabs bn <= eta).

  (** A trigger row whose target is p z_a + q t_b, up to eta. *)
  Definition trigger_row (p q a b : R) : Prop :=
    exists Q A, 0 <= Q /\ 0 <= A /\ Q + A <= 1 /\
      Rabs (bc + Q * (zc + a * uc) + A * (tc + b * uc) - p) <= eta /\
      Rabs (bt + Q * (zt + a * ut) + A * (tt + b * ut) - q) <= eta /\
      Rabs (bn + Q * (zn + a * un) + A * (tn + b * un) - (p * a + q * b)) <= eta.

  Context (R3 : forall a b, sign a -> sign b -> trigger_row (/ 2) (/ 2) a b)
          (RJ : forall a b, sign a -> sign b -> trigger_row (/ 2 + D) (/ 2 - D) a b).

  (** A covector that vanishes on V'z_a and V't_b nearly vanishes on z_a and t_b. *)
  Lemma nearly_normal a b m1 m2 m3 :
    sign a -> sign b ->
    dot3 m1 m2 m3 (zc + a * uc) (zt + a * ut) (zn + a * un) = 0 ->
    dot3 m1 m2 m3 (tc + b * uc) (tt + b * ut) (tn + b * un) = 0 ->
    D * Rabs (m1 + m3 * a) <= eta * norm3 m1 m2 m3 /\
    D * Rabs (m2 + m3 * b) <= eta * (1 + 2 * D) * norm3 m1 m2 m3.
  Proof using HD0 HD He Hbc Hbt Hbn R3 RJ.
    intros Ha Hb Hz Ht.
    destruct (R3 a b Ha Hb) as (Q3 & A3 & _ & _ & _ & C3 & T3 & N3).
    destruct (RJ a b Ha Hb) as (QJ & AJ & _ & _ & _ & CJ & TJ & NJ).
    set (r3c := bc + Q3 * (zc + a * uc) + A3 * (tc + b * uc) - / 2) in *.
    set (r3t := bt + Q3 * (zt + a * ut) + A3 * (tt + b * ut) - / 2) in *.
    set (r3n := bn + Q3 * (zn + a * un) + A3 * (tn + b * un) - (/ 2 * a + / 2 * b)) in *.
    set (rJc := bc + QJ * (zc + a * uc) + AJ * (tc + b * uc) - (/ 2 + D)) in *.
    set (rJt := bt + QJ * (zt + a * ut) + AJ * (tt + b * ut) - (/ 2 - D)) in *.
    set (rJn := bn + QJ * (zn + a * un) + AJ * (tn + b * un) - ((/ 2 + D) * a + (/ 2 - D) * b)) in *.
    pose proof (dot3_le m1 m2 m3 _ _ _ eta C3 T3 N3) as B3.
    pose proof (dot3_le m1 m2 m3 _ _ _ eta CJ TJ NJ) as BJ.
    pose proof (dot3_le m1 m2 m3 _ _ _ eta Hbc Hbt Hbn) as Bb.
    set (b' := dot3 m1 m2 m3 bc bt bn) in *.
    set (d3 := dot3 m1 m2 m3 r3c r3t r3n) in *. set (dJ := dot3 m1 m2 m3 rJc rJt rJn) in *.
    set (M := norm3 m1 m2 m3) in *.
    assert (E3 : d3 = b' - (m1 + m3 * a) / 2 - (m2 + m3 * b) / 2).
    { transitivity (b' - (m1 + m3 * a) / 2 - (m2 + m3 * b) / 2
        + Q3 * dot3 m1 m2 m3 (zc + a * uc) (zt + a * ut) (zn + a * un)
        + A3 * dot3 m1 m2 m3 (tc + b * uc) (tt + b * ut) (tn + b * un)).
      - unfold d3, b', r3c, r3t, r3n, dot3. field.
      - rewrite Hz, Ht. ring. }
    assert (EJ : dJ = b' - (m1 + m3 * a) * (/ 2 + D) - (m2 + m3 * b) * (/ 2 - D)).
    { transitivity (b' - (m1 + m3 * a) * (/ 2 + D) - (m2 + m3 * b) * (/ 2 - D)
        + QJ * dot3 m1 m2 m3 (zc + a * uc) (zt + a * ut) (zn + a * un)
        + AJ * dot3 m1 m2 m3 (tc + b * uc) (tt + b * ut) (tn + b * un)).
      - unfold dJ, b', rJc, rJt, rJn, dot3. field.
      - rewrite Hz, Ht. ring. }
    apply abs_bounds in B3, BJ, Bb.
    assert (HM : 0 <= M) by apply norm3_nonneg.
    assert (P1 : 0 <= D * (M * eta - b')) by (apply Rmult_le_pos; lra).
    assert (P2 : 0 <= D * (M * eta + b')) by (apply Rmult_le_pos; lra).
    assert (P3 : 0 <= (/ 2 - D) * (M * eta - d3)) by (apply Rmult_le_pos; lra).
    assert (P4 : 0 <= (/ 2 - D) * (M * eta + d3)) by (apply Rmult_le_pos; lra).
    assert (P5 : 0 <= (/ 2 + D) * (M * eta - d3)) by (apply Rmult_le_pos; lra).
    assert (P6 : 0 <= (/ 2 + D) * (M * eta + d3)) by (apply Rmult_le_pos; lra).
    assert (Ez : D * (m1 + m3 * a) = D * b' + (/ 2 - D) * d3 - / 2 * dJ) by (rewrite E3, EJ; field).
    assert (Et : D * (m2 + m3 * b) = D * b' - (/ 2 + D) * d3 + / 2 * dJ) by (rewrite E3, EJ; field).
    assert (Hd : forall x, D * Rabs x = Rabs (D * x)).
    { intros x. rewrite Rabs_mult, (Rabs_pos_eq D); [reflexivity|lra]. }
    rewrite !Hd, Ez, Et. split; apply Rabs_le; lra.
  Qed.

  (** Cofactors: covectors dual to z, t and the noise direction, times the determinant. *)
  Let kcc := tt * un - tn * ut. Let kct := tn * uc - tc * un. Let kcn := tc * ut - tt * uc.
  Let ktc := ut * zn - un * zt. Let ktt := un * zc - uc * zn. Let ktn := uc * zt - ut * zc.
  Let knc := zt * tn - zn * tt. Let knt := zn * tc - zc * tn. Let knn := zc * tt - zt * tc.
  Let det := zc * kcc + zt * kct + zn * kcn.
  Let lc := kcc + ktc. Let lt := kct + ktt. Let ln := kcn + ktn.

  Let m1 a b := knc - a * kcc - b * ktc.
  Let m2 a b := knt - a * kct - b * ktt.
  Let m3 a b := knn - a * kcn - b * ktn.
  Let size a b := norm3 (m1 a b) (m2 a b) (m3 a b).

  Lemma normal_on_z a b : dot3 (m1 a b) (m2 a b) (m3 a b) (zc + a * uc) (zt + a * ut) (zn + a * un) = 0.
  Proof using. unfold dot3, m1, m2, m3, knc, knt, knn, kcc, kct, kcn, ktc, ktt, ktn. ring. Qed.

  Lemma normal_on_t a b : dot3 (m1 a b) (m2 a b) (m3 a b) (tc + b * uc) (tt + b * ut) (tn + b * un) = 0.
  Proof using. unfold dot3, m1, m2, m3, knc, knt, knn, kcc, kct, kcn, ktc, ktt, ktn. ring. Qed.

  Let N := Rmax (Rmax (size 1 1) (size 1 (-1))) (Rmax (size (-1) 1) (size (-1) (-1))).

  Lemma size_le a b : sign a -> sign b -> size a b <= N.
  Proof using.
    pose proof (Rmax_l (size 1 1) (size 1 (-1))). pose proof (Rmax_r (size 1 1) (size 1 (-1))).
    pose proof (Rmax_l (size (-1) 1) (size (-1) (-1))). pose proof (Rmax_r (size (-1) 1) (size (-1) (-1))).
    pose proof (Rmax_l (Rmax (size 1 1) (size 1 (-1))) (Rmax (size (-1) 1) (size (-1) (-1)))).
    pose proof (Rmax_r (Rmax (size 1 1) (size 1 (-1))) (Rmax (size (-1) 1) (size (-1) (-1)))).
    unfold N. intros [-> | ->] [-> | ->]; lra.
  Qed.

  Lemma size_attained : exists a b, sign a /\ sign b /\ N = size a b.
  Proof using.
    unfold N, sign.
    destruct (Rmax_case (Rmax (size 1 1) (size 1 (-1))) (Rmax (size (-1) 1) (size (-1) (-1)))
      (fun v => v = Rmax (size 1 1) (size 1 (-1)) \/ v = Rmax (size (-1) 1) (size (-1) (-1)))
      (or_introl eq_refl) (or_intror eq_refl)) as [E|E]; rewrite E.
    - destruct (Rmax_case (size 1 1) (size 1 (-1)) (fun v => v = size 1 1 \/ v = size 1 (-1))
        (or_introl eq_refl) (or_intror eq_refl)) as [F|F]; rewrite F; eauto 10.
    - destruct (Rmax_case (size (-1) 1) (size (-1) (-1)) (fun v => v = size (-1) 1 \/ v = size (-1) (-1))
        (or_introl eq_refl) (or_intror eq_refl)) as [F|F]; rewrite F; eauto 10.
  Qed.

  (** The cofactor matrix is nearly a multiple of the identity. *)
  Lemma nearly_scalar :
    D * Rabs ktc <= eta * N /\ D * Rabs ktn <= eta * N /\
    D * Rabs (knn - kcc) <= eta * N /\ D * Rabs (knc - kcn) <= eta * N /\
    D * Rabs kct <= eta * (1 + 2 * D) * N /\ D * Rabs kcn <= eta * (1 + 2 * D) * N /\
    D * Rabs (knn - ktt) <= eta * (1 + 2 * D) * N /\ D * Rabs (knt - ktn) <= eta * (1 + 2 * D) * N.
  Proof using HD0 HD He Hbc Hbt Hbn R3 RJ.
    assert (Hd : forall x, D * Rabs x = Rabs (D * x)).
    { intros x. rewrite Rabs_mult, (Rabs_pos_eq D); [reflexivity|lra]. }
    assert (H : forall a b, sign a -> sign b ->
              Rabs (D * (knc - kcn) + a * (D * (knn - kcc)) + b * (D * - ktc) + a * b * (D * - ktn)) <= eta * N /\
              Rabs (D * (knt - ktn) + a * (D * - kct) + b * (D * (knn - ktt)) + a * b * (D * - kcn))
                <= eta * (1 + 2 * D) * N).
    { intros a b Ha Hb.
      destruct (nearly_normal a b _ _ _ Ha Hb (normal_on_z a b) (normal_on_t a b)) as [P1 P2].
      pose proof (size_le a b Ha Hb) as Hs. unfold size in Hs. rewrite Hd in P1, P2.
      assert (Q1 : eta * norm3 (m1 a b) (m2 a b) (m3 a b) <= eta * N) by (now apply Rmult_le_compat_l).
      assert (Q2 : eta * (1 + 2 * D) * norm3 (m1 a b) (m2 a b) (m3 a b) <= eta * (1 + 2 * D) * N).
      { apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; lra. }
      assert (Ea : a * a = 1) by (destruct Ha; subst a; ring).
      assert (Eb : b * b = 1) by (destruct Hb; subst b; ring).
      split.
      - eapply Rle_trans; [|exact Q1]. eapply Rle_trans; [|exact P1]. apply Req_le. f_equal.
        unfold m1, m3. replace (knn - a * kcn - b * ktn) with (knn - a * kcn - b * ktn) by ring.
        replace (D * (knc - a * kcc - b * ktc + (knn - a * kcn - b * ktn) * a))
          with (D * (knc - a * kcc - b * ktc + (knn * a - (a * a) * kcn - b * ktn * a))) by ring.
        rewrite Ea. ring.
      - eapply Rle_trans; [|exact Q2]. eapply Rle_trans; [|exact P2]. apply Req_le. f_equal.
        unfold m2, m3.
        replace (D * (knt - a * kct - b * ktt + (knn - a * kcn - b * ktn) * b))
          with (D * (knt - a * kct - b * ktt + (knn * b - (b * b) * ktn - a * kcn * b))) by ring.
        rewrite Eb. ring. }
    destruct (corners _ _ _ _ _ (fun a b Ha Hb => proj1 (H a b Ha Hb))) as (A1 & A2 & A3 & A4).
    destruct (corners _ _ _ _ _ (fun a b Ha Hb => proj2 (H a b Ha Hb))) as (B1 & B2 & B3 & B4).
    rewrite <- Hd in A1, A2, A3, A4, B1, B2, B3, B4.
    rewrite Rabs_Ropp in A3, A4, B2, B4. repeat split; assumption.
  Qed.

  Lemma size_bound : N * (D - 10 * eta * (1 + D)) <= 3 * (D * Rabs knn).
  Proof using HD0 HD He Hbc Hbt Hbn R3 RJ.
    destruct nearly_scalar as (A1 & A2 & A3 & A4 & B1 & B2 & B3 & B4).
    destruct size_attained as (a & b & Ha & Hb & E).
    assert (Habs : forall x y z, Rabs (x - a * y - b * z) <= Rabs x + Rabs y + Rabs z).
    { intros x y z. unfold Rabs.
      destruct Ha as [-> | ->], Hb as [-> | ->]; repeat destruct Rcase_abs; lra. }
    assert (Htri : forall x y, Rabs x <= Rabs (x - y) + Rabs y).
    { intros x y. replace x with ((x - y) + y) at 1 by ring. apply Rabs_triang. }
    assert (Htri' : forall x y, Rabs y <= Rabs (x - y) + Rabs x).
    { intros x y. rewrite Rabs_minus_sym. apply Htri. }
    assert (S : N <= 3 * Rabs knn + Rabs (knc - kcn) + 2 * Rabs kcn + Rabs (knn - kcc) + Rabs ktc
                     + Rabs (knt - ktn) + 2 * Rabs ktn + Rabs kct + Rabs (knn - ktt)).
    { rewrite E. unfold size, norm3, m1, m2, m3.
      pose proof (Habs knc kcc ktc). pose proof (Habs knt kct ktt). pose proof (Habs knn kcn ktn).
      pose proof (Htri knc kcn). pose proof (Htri knt ktn).
      pose proof (Htri' knn kcc). pose proof (Htri' knn ktt). lra. }
    apply (Rmult_le_compat_l D) in S; [|lra]. lra.
  Qed.

  Lemma size_nonneg : 0 <= N.
  Proof using. destruct size_attained as (a & b & _ & _ & ->). apply norm3_nonneg. Qed.

  Lemma diagonal_wins : 2 * (eta * (1 + 2 * D) * N) <= D * Rabs knn.
  Proof using HD0 HD He Heta Hbc Hbt Hbn R3 RJ.
    pose proof size_bound as H. pose proof size_nonneg as HN.
    assert (0 <= N * (D - eta * (16 + 22 * D))) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** The sum of the covectors of z and t has flags of one sign. *)
  Lemma one_sign : (0 <= lc /\ 0 <= lt) \/ (lc <= 0 /\ lt <= 0).
  Proof using HD0 HD He Heta Hbc Hbt Hbn R3 RJ.
    destruct nearly_scalar as (A1 & A2 & A3 & A4 & B1 & B2 & B3 & B4).
    pose proof diagonal_wins as H. pose proof size_nonneg as HN.
    assert (HDN : 0 <= eta * (2 * D) * N) by (repeat apply Rmult_le_pos; lra).
    assert (Hd : forall x, D * Rabs x = Rabs (D * x)).
    { intros x. rewrite Rabs_mult, (Rabs_pos_eq D); [reflexivity|lra]. }
    rewrite Hd in A1, A3, B1, B3. apply abs_bounds in A1, A3, B1, B3.
    unfold lc, lt.
    assert (Hpos : forall x, 0 <= D * x -> 0 <= x).
    { intros x Hx. apply (Rmult_le_reg_l D); lra. }
    assert (Hneg : forall x, D * x <= 0 -> x <= 0).
    { intros x Hx. apply (Rmult_le_reg_l D); lra. }
    destruct (Rle_lt_dec 0 knn) as [K|K].
    - rewrite Rabs_pos_eq in H by assumption. left. split; apply Hpos; lra.
    - rewrite Rabs_left in H by assumption. right. split; apply Hneg; lra.
  Qed.

  (** l = 0 would make V' nearly a matrix of rank one, which cannot reach two opposite noises. *)
  Lemma covector_not_zero : ~ (lc = 0 /\ lt = 0).
  Proof using HD0 HD He Heta Hbc Hbt Hbn R3 RJ.
    intros [L1 L2].
    destruct nearly_scalar as (A1 & A2 & A3 & A4 & B1 & B2 & B3 & B4).
    pose proof diagonal_wins as H. pose proof size_nonneg as HN. pose proof size_bound as HB.
    assert (Hd : forall x, D * Rabs x = Rabs (D * x)).
    { intros x. rewrite Rabs_mult, (Rabs_pos_eq D); [reflexivity|lra]. }
    assert (Hk : D * Rabs knn <= 2 * (eta * N)).
    { rewrite Hd in *. apply abs_bounds in A1, A3. unfold lc in L1. apply Rabs_le.
      assert (kcc = - ktc) by lra. rewrite H0 in A3. lra. }
    assert (N0 : N = 0).
    { destruct (Req_dec N 0) as [|Hne]; [assumption|exfalso].
      assert (HNp : 0 < N) by lra.
      assert (HeN : eta * N * (2 * D) <= 0) by lra.
      assert (eta * N = 0).
      { assert (0 <= eta * N) by (apply Rmult_le_pos; lra).
        destruct (Req_dec (eta * N) 0); [assumption|].
        assert (0 < eta * N * (2 * D)) by (apply Rmult_lt_0_compat; lra). lra. }
      assert (E0 : eta = 0).
      { apply Rmult_integral in H0. destruct H0; [assumption|lra]. }
      rewrite E0 in HB, Hk.
      assert (0 < N * D) by (now apply Rmult_lt_0_compat). lra. }
    rewrite N0 in *.
    assert (Hz : forall x, D * Rabs x <= eta * 0 -> x = 0).
    { intros x Hx. destruct (Req_dec x 0); [assumption|]. apply Rabs_pos_lt in H0.
      assert (0 < D * Rabs x) by (now apply Rmult_lt_0_compat). lra. }
    assert (Hz' : forall x, D * Rabs x <= eta * (1 + 2 * D) * 0 -> x = 0).
    { intros x Hx. apply Hz. lra. }
    apply Hz in A1, A2, A3, A4. apply Hz' in B1, B2, B3, B4.
    assert (K0 : knn = 0) by (apply Hz; lra).
    assert (kcc0 : kcc = 0) by lra. assert (ktt0 : ktt = 0) by lra.
    assert (knc0 : knc = 0) by lra.
    destruct (R3 1 1 (or_introl eq_refl) (or_introl eq_refl)) as (Q & A & _ & _ & _ & C1 & _ & N1).
    destruct (R3 (-1) (-1) (or_intror eq_refl) (or_intror eq_refl)) as (Q' & A' & _ & _ & _ & C2 & _ & N2).
    set (c1 := Q * (zc + 1 * uc) + A * (tc + 1 * uc)) in *.
    set (n1 := Q * (zn + 1 * un) + A * (tn + 1 * un)) in *.
    set (c2 := Q' * (zc + -1 * uc) + A' * (tc + -1 * uc)) in *.
    set (n2 := Q' * (zn + -1 * un) + A' * (tn + -1 * un)) in *.
    assert (knt0 : knt = 0) by lra.
    assert (E : c1 * n2 - n1 * c2 = 0).
    { transitivity (- (Q * A' - A * Q') * knt + (Q * (- (Q' + A')) - (Q + A) * Q') * ktt
                    + (- (A * (- (Q' + A')) - (A' * (Q + A)))) * kct).
      - unfold c1, c2, n1, n2, knt, ktt, kct. ring.
      - rewrite knt0, ktt0, B1. ring. }
    assert (Hsmall : eta <= / 22).
    { assert (0 <= eta * (16 * D)) by (repeat apply Rmult_le_pos; lra).
      assert (eta * 16 <= D) by (assert (0 <= eta * (22 * D)) by (repeat apply Rmult_le_pos; lra); lra).
      lra. }
    apply abs_bounds in Hbc, Hbn. apply abs_bounds in C1, C2, N1, N2.
    fold c1 in C1. fold c2 in C2. fold n1 in N1. fold n2 in N2.
    assert (Hc1 : / 4 <= c1) by (unfold c1; lra). assert (Hc2 : / 4 <= c2) by (unfold c2; lra).
    assert (Hn1 : / 4 <= n1) by (unfold n1; lra). assert (Hn2 : / 4 <= - n2) by (unfold n2; lra).
    assert (0 < c1 * - n2) by (apply Rmult_lt_0_compat; lra).
    assert (0 < n1 * c2) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.

  (** A row off the trigger: q on z_u, h on t_w, output within eta of 0. *)
  Lemma quiet_mass u w q h :
    0 <= q -> 0 <= h ->
    Rabs (bc + q * (zc + u * uc) + h * (tc + w * uc)) <= eta ->
    Rabs (bt + q * (zt + u * ut) + h * (tt + w * ut)) <= eta ->
    Rabs (bn + q * (zn + u * un) + h * (tn + w * un)) <= eta ->
    q + h <= 4 * eta.
  Proof using HD0 HD He Heta Hbc Hbt Hbn R3 RJ.
    intros Hq Hh Fc Ft Fn.
    set (fc := bc + q * (zc + u * uc) + h * (tc + w * uc)) in *.
    set (ft := bt + q * (zt + u * ut) + h * (tt + w * ut)) in *.
    set (fn := bn + q * (zn + u * un) + h * (tn + w * un)) in *.
    set (s := q + h).
    assert (Es : det * s = dot3 lc lt ln fc ft fn - dot3 lc lt ln bc bt bn).
    { unfold s, dot3, fc, ft, fn, det, lc, lt, ln, kcc, kct, kcn, ktc, ktt, ktn. ring. }
    pose proof (dot3_le lc lt ln _ _ _ eta Fc Ft Fn) as Bf.
    set (F := dot3 lc lt ln fc ft fn) in *.
    set (B := dot3 lc lt ln bc bt bn) in *.
    pose proof (dot3_le lc lt ln _ _ _ eta Hbc Hbt Hbn) as Bb. fold B in Bb.
    set (G := norm3 lc lt ln) in *.
    assert (HG : 0 <= G) by apply norm3_nonneg.
    assert (Hs0 : 0 <= s) by (unfold s; lra).
    assert (Hsmall : eta <= / 22).
    { assert (0 <= eta * (22 * D)) by (repeat apply Rmult_le_pos; lra). lra. }
    assert (Hrow : forall a, sign a -> exists sg r, 0 <= sg <= 1 /\ Rabs r <= G * eta /\
              det * sg = (lc + lt) / 2 + ln * a - B + r).
    { intros a Ha. destruct (R3 a a Ha Ha) as (Q & A & HQ & HA & HQA & C & T & M).
      pose proof (dot3_le lc lt ln _ _ _ eta C T M) as Br.
      set (rc := bc + Q * (zc + a * uc) + A * (tc + a * uc) - / 2) in *.
      set (rt := bt + Q * (zt + a * ut) + A * (tt + a * ut) - / 2) in *.
      set (rn := bn + Q * (zn + a * un) + A * (tn + a * un) - (/ 2 * a + / 2 * a)) in *.
      exists (Q + A), (dot3 lc lt ln rc rt rn). split; [lra|]. split; [exact Br|].
      unfold B, dot3, rc, rt, rn, det, lc, lt, ln, kcc, kct, kcn, ktc, ktt, ktn. field. }
    assert (Hsg : exists a, sign a /\ ln * a = Rabs ln).
    { destruct (Rle_lt_dec 0 ln) as [P|P].
      - exists 1. split; [now left|]. rewrite Rabs_pos_eq by assumption. ring.
      - exists (-1). split; [now right|]. rewrite Rabs_left by assumption. ring. }
    assert (Hsg' : exists a, sign a /\ ln * a = - Rabs ln).
    { destruct Hsg as (a & [-> | ->] & E).
      - exists (-1). split; [now right|]. lra.
      - exists 1. split; [now left|]. lra. }
    apply abs_bounds in Bf, Bb.
    assert (Hln : 0 <= Rabs ln) by apply Rabs_pos.
    (* d = e det, e = 1 or -1 *)
    assert (Hend : forall d e sg r, (e = 1 \/ e = -1) -> d = e * det -> 0 <= sg <= 1 -> Rabs r <= G * eta ->
              G / 2 <= d * sg + e * B - e * r -> G <> 0 -> s <= 4 * eta).
    { intros d e sg r Hee Hd Hsg1 Hr HGd HG0. apply abs_bounds in Hr.
      assert (Hds : d * s <= G * eta - e * B).
      { rewrite Hd. replace (e * det * s) with (e * (det * s)) by ring. rewrite Es.
        destruct Hee as [-> | ->]; lra. }
      assert (Her : e * r <= G * eta) by (destruct Hee as [-> | ->]; lra).
      assert (Her' : - (e * r) <= G * eta) by (destruct Hee as [-> | ->]; lra).
      assert (HeB : - (e * B) <= G * eta) by (destruct Hee as [-> | ->]; lra).
      assert (HeB' : e * B <= G * eta) by (destruct Hee as [-> | ->]; lra).
      assert (HGp : 0 < G) by lra.
      assert (HGe : G * eta <= G * / 22) by (apply Rmult_le_compat_l; lra).
      assert (Hdsg : 0 < d * sg) by lra.
      assert (Hdp : 0 < d).
      { destruct (Rle_lt_dec d 0) as [P|P]; [|assumption].
        assert (0 <= - d * sg) by (apply Rmult_le_pos; lra). lra. }
      assert (H1 : 0 <= d * (1 - sg)) by (apply Rmult_le_pos; lra).
      assert (H2 : G * (/ 2 - 2 * eta) <= d * (1 - s)) by lra.
      assert (H3 : d * s <= 2 * (G * eta)) by lra.
      (* s (1/2 - 2 eta) d <= 2 eta G (1/2 - 2 eta) <= 2 eta d (1 - s) *)
      assert (H4 : 0 <= (/ 2 - 2 * eta) * (2 * (G * eta) - d * s)) by (apply Rmult_le_pos; lra).
      assert (H5 : 0 <= 2 * eta * (d * (1 - s) - G * (/ 2 - 2 * eta))) by (apply Rmult_le_pos; lra).
      apply (Rmult_le_reg_l d); [assumption|]. lra. }
    destruct (Req_dec G 0) as [G0|G0].
    { exfalso. apply covector_not_zero. unfold G, norm3 in G0.
      pose proof (Rabs_pos lc). pose proof (Rabs_pos lt).
      assert (C1 := abs_bounds lc 0 ltac:(lra)). assert (C2 := abs_bounds lt 0 ltac:(lra)). lra. }
    destruct one_sign as [[S1 S2]|[S1 S2]].
    - destruct Hsg as (a & Ha & Ea). destruct (Hrow a Ha) as (sg & r & Hsg1 & Hr & E).
      apply (Hend det 1 sg r); auto; [ring|].
      assert (EG : G = lc + lt + Rabs ln) by (unfold G, norm3; rewrite !Rabs_pos_eq by assumption; ring). lra.
    - destruct Hsg' as (a & Ha & Ea). destruct (Hrow a Ha) as (sg & r & Hsg1 & Hr & E).
      apply (Hend (- det) (-1) sg r); auto; [ring|].
      assert (EG : G = - lc - lt + Rabs ln).
      { unfold G, norm3. rewrite (Rabs_left1 lc), (Rabs_left1 lt) by assumption. ring. }
      lra.
  Qed.

  (** The same before the trigger (h = 0), where 2 eta is the constant. *)
  Lemma quiet_mass_content u q :
    0 <= q -> eta < / 22 ->
    Rabs (bc + q * (zc + u * uc)) <= eta -> Rabs (bt + q * (zt + u * ut)) <= eta ->
    Rabs (bn + q * (zn + u * un)) <= eta ->
    q * ((1 - 4 * eta) * (D - 16 * eta * (1 + D))) <= 2 * eta * D.
  Proof using HD0 HD He Heta Hbc Hbt Hbn R3 RJ.
    intros Hq Hsmall Fc Ft Fn.
    set (fc := bc + q * (zc + u * uc)) in *.
    set (ft := bt + q * (zt + u * ut)) in *.
    set (fn := bn + q * (zn + u * un)) in *.
    assert (Es : det * q = dot3 kcc kct kcn fc ft fn - dot3 kcc kct kcn bc bt bn).
    { unfold dot3, fc, ft, fn, det, kcc, kct, kcn. ring. }
    pose proof (dot3_le kcc kct kcn _ _ _ eta Fc Ft Fn) as Bf.
    pose proof (dot3_le kcc kct kcn _ _ _ eta Hbc Hbt Hbn) as Bb.
    set (C := norm3 kcc kct kcn) in *.
    assert (Hdq : Rabs det * q <= 2 * (C * eta)).
    { rewrite <- (Rabs_pos_eq q) by assumption. rewrite <- Rabs_mult, Es.
      apply abs_bounds in Bf, Bb. apply Rabs_le. lra. }
    (* the determinant, from a trigger row *)
    assert (Hdet : (lc + lt) / 2 - 2 * (norm3 lc lt ln * eta) + Rabs ln <= Rabs det /\
                   - (lc + lt) / 2 - 2 * (norm3 lc lt ln * eta) + Rabs ln <= Rabs det).
    { assert (Hrow : forall a, sign a ->
                Rabs ((lc + lt) / 2 + ln * a) - 2 * (norm3 lc lt ln * eta) <= Rabs det).
      { intros a Ha. destruct (R3 a a Ha Ha) as (Q & A & HQ & HA & HQA & G1 & G2 & G3).
        pose proof (dot3_le lc lt ln _ _ _ eta G1 G2 G3) as Br.
        pose proof (dot3_le lc lt ln _ _ _ eta Hbc Hbt Hbn) as BB.
        set (rc := bc + Q * (zc + a * uc) + A * (tc + a * uc) - / 2) in *.
        set (rt := bt + Q * (zt + a * ut) + A * (tt + a * ut) - / 2) in *.
        set (rn := bn + Q * (zn + a * un) + A * (tn + a * un) - (/ 2 * a + / 2 * a)) in *.
        assert (E : (lc + lt) / 2 + ln * a = det * (Q + A) + dot3 lc lt ln bc bt bn - dot3 lc lt ln rc rt rn).
        { unfold dot3, rc, rt, rn, det, lc, lt, ln, kcc, kct, kcn, ktc, ktt, ktn. field. }
        assert (Hds : Rabs (det * (Q + A)) <= Rabs det).
        { rewrite Rabs_mult, (Rabs_pos_eq (Q + A)) by lra. rewrite <- (Rmult_1_r (Rabs det)) at 2.
          apply Rmult_le_compat_l; [apply Rabs_pos|lra]. }
        rewrite E. apply abs_bounds in Br, BB. apply abs_bounds in Hds.
        assert (Rabs (det * (Q + A) + dot3 lc lt ln bc bt bn - dot3 lc lt ln rc rt rn)
                <= Rabs det + 2 * (norm3 lc lt ln * eta)) by (apply Rabs_le; lra). lra. }
      assert (P := Hrow 1 (or_introl eq_refl)). assert (M := Hrow (-1) (or_intror eq_refl)).
      pose proof (Rle_abs ((lc + lt) / 2 + ln * 1)) as A1. pose proof (Rle_abs ((lc + lt) / 2 + ln * -1)) as A2.
      pose proof (Rle_abs (- ((lc + lt) / 2 + ln * 1))) as A3. pose proof (Rle_abs (- ((lc + lt) / 2 + ln * -1))) as A4.
      rewrite Rabs_Ropp in A3, A4.
      destruct (Rle_lt_dec 0 ln) as [Gn|Gn].
      - rewrite (Rabs_pos_eq ln) by assumption. split; lra.
      - rewrite (Rabs_left ln) by assumption. split; lra. }
    destruct nearly_scalar as (A1 & A2 & A3 & A4 & B1 & B2 & B3 & B4).
    pose proof diagonal_wins as Hw. pose proof size_nonneg as HN. pose proof size_bound as HB.
    assert (Hd : forall x, D * Rabs x = Rabs (D * x)).
    { intros x. rewrite Rabs_mult, (Rabs_pos_eq D); [reflexivity|lra]. }
    set (kappa := Rabs knn) in *.
    assert (Hk0 : 0 <= kappa) by apply Rabs_pos.
    (* the sizes of l and of K_c *)
    assert (HC : D * C <= D * kappa + eta * N * (3 + 4 * D)).
    { unfold C, norm3.
      assert (Rabs kcc <= Rabs (knn - kcc) + kappa).
      { unfold kappa. replace kcc with (knn - (knn - kcc)) at 1 by ring.
        eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
      apply (Rmult_le_compat_l D) in H; [|lra]. lra. }
    assert (Hll : D * (Rabs lc + Rabs lt) >= 2 * (D * kappa) - 2 * (eta * N) - 2 * (eta * (1 + 2 * D) * N)).
    { assert (kappa <= Rabs (knn - kcc) + Rabs ktc + Rabs lc).
      { unfold kappa, lc. replace knn with ((knn - kcc) + (- ktc) + (kcc + ktc)) at 1 by ring.
        eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
        eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
      assert (kappa <= Rabs (knn - ktt) + Rabs kct + Rabs lt).
      { unfold kappa, lt. replace knn with ((knn - ktt) + (- kct) + (kct + ktt)) at 1 by ring.
        eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
        eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
      apply (Rmult_le_compat_l D) in H; [|lra]. apply (Rmult_le_compat_l D) in H0; [|lra]. lra. }
    assert (Hdl : (Rabs lc + Rabs lt) * (/ 2 - 2 * eta) <= Rabs det).
    { assert (Hln : 0 <= Rabs ln) by apply Rabs_pos.
      assert (Hle : 0 <= Rabs ln * (1 - 2 * eta)) by (apply Rmult_le_pos; lra).
      destruct Hdet as [D1 D2]. unfold norm3 in D1, D2.
      destruct one_sign as [[S1 S2]|[S1 S2]].
      - rewrite (Rabs_pos_eq lc), (Rabs_pos_eq lt) in * by assumption. lra.
      - rewrite (Rabs_left1 lc), (Rabs_left1 lt) in * by assumption. lra. }
    set (X := D - 10 * eta * (1 + D)) in *.
    assert (HX : 0 < X).
    { assert (0 <= eta * (6 + 12 * D)) by (apply Rmult_le_pos; lra).
      destruct (Req_dec eta 0) as [E0|E0]; [unfold X; rewrite E0; lra|].
      assert (0 < eta * (6 + 12 * D)) by (apply Rmult_lt_0_compat; lra). unfold X. lra. }
    assert (Hkp : 0 < kappa).
    { destruct (Req_dec kappa 0) as [K0|]; [exfalso|lra]. apply covector_not_zero.
      rewrite K0 in HB. assert (N0 : N = 0).
      { destruct (Req_dec N 0); [assumption|]. assert (0 < N * X) by (apply Rmult_lt_0_compat; lra). lra. }
      rewrite N0 in *.
      assert (Hz : forall x, D * Rabs x <= 0 -> x = 0).
      { intros x Hx. destruct (Req_dec x 0); [assumption|]. apply Rabs_pos_lt in H.
        assert (0 < D * Rabs x) by (now apply Rmult_lt_0_compat). lra. }
      assert (Z1 : ktc = 0) by (apply Hz; lra). assert (Z2 : kct = 0) by (apply Hz; lra).
      assert (Z3 : knn - kcc = 0) by (apply Hz; lra). assert (Z4 : knn - ktt = 0) by (apply Hz; lra).
      assert (Z5 : knn = 0) by (apply Hz; fold kappa; rewrite K0; lra). unfold lc, lt. lra. }
    (* q (1 - 4 eta)(D kappa - eta N (2 + 2 D)) <= 2 eta (D kappa + eta N (3 + 4 D)) *)
    assert (Q1 : q * ((Rabs lc + Rabs lt) * (/ 2 - 2 * eta)) <= 2 * (C * eta)).
    { eapply Rle_trans; [|exact Hdq]. rewrite Rmult_comm. now apply Rmult_le_compat_r. }
    assert (Q2 : q * ((1 - 4 * eta) * (D * kappa - eta * N * (2 + 2 * D)))
                 <= 2 * eta * (D * kappa + eta * N * (3 + 4 * D))).
    { assert (P1 : 0 <= q * ((/ 2 - 2 * eta) *
        (D * (Rabs lc + Rabs lt) - (2 * (D * kappa) - 2 * (eta * N) - 2 * (eta * (1 + 2 * D) * N))))).
      { apply Rmult_le_pos; [assumption|]. apply Rmult_le_pos; lra. }
      assert (P2 : 0 <= eta * (D * kappa + eta * N * (3 + 4 * D) - D * C)) by (apply Rmult_le_pos; lra).
      apply (Rmult_le_compat_l D) in Q1; [|lra]. lra. }
    apply (Rmult_le_reg_l (D * kappa)); [now apply Rmult_lt_0_compat|].
    assert (HeN : eta * N * X <= 3 * eta * (D * kappa)).
    { apply (Rmult_le_compat_l eta) in HB; [|assumption]. lra. }
    assert (W1 : 0 <= q * (1 - 4 * eta) * ((2 + 2 * D) * (3 * eta * (D * kappa) - eta * N * X))).
    { repeat apply Rmult_le_pos; lra. }
    assert (W2 : 0 <= 2 * eta * ((3 + 4 * D) * (3 * eta * (D * kappa) - eta * N * X))).
    { repeat apply Rmult_le_pos; lra. }
    apply (Rmult_le_compat_r X) in Q2; [|lra].
    assert (W3 : 0 <= 2 * eta * (D * kappa * (eta * (1 - 2 * D)))).
    { repeat apply Rmult_le_pos; lra. }
    assert (EX1 : X - 6 * eta * (1 + D) = D - 16 * eta * (1 + D)) by (unfold X; ring).
    assert (EX2 : X + 3 * eta * (3 + 4 * D) = D - eta * (1 - 2 * D)) by (unfold X; ring).
    replace (D * kappa * (q * ((1 - 4 * eta) * (D - 16 * eta * (1 + D)))))
      with (q * (1 - 4 * eta) * (D * kappa) * (X - 6 * eta * (1 + D))) by (rewrite EX1; ring).
    replace (D * kappa * (2 * eta * D)) with
      (2 * eta * (D * kappa) * (X + 3 * eta * (3 + 4 * D)) + 2 * eta * (D * kappa * (eta * (1 - 2 * D))))
      by (rewrite EX2; ring).
    lra.
  Qed.
End Core.

(** ** Rows *)

(** Token y with its first noise coordinate set to a. *)
Definition with_noise (y : token) (a : R) : token := fun k => if (k =? 2)%nat then a else y k.

Definition noise_direction : token := fun k => if (k =? 2)%nat then 1 else 0.

Lemma with_noise_content n z a : (4 <= n)%nat -> is_content n z -> -1 <= a <= 1 -> is_content n (with_noise z a).
Proof.
  intros Hn [H0 H1 Hc Hu Hd] Ha. unfold bos_flag, trigger_flag, content_flag in *. unfold with_noise.
  split; try assumption.
  - unfold content_flag. destruct (Nat.eqb_spec (n - 1) 2); [lia|assumption].
  - intros k K2 Kn. destruct (Nat.eqb_spec k 2); [assumption|now apply Hu].
  - intros k K. destruct (Nat.eqb_spec k 2); [lia|now apply Hd].
Qed.

Lemma with_noise_trigger n t a : (4 <= n)%nat -> is_trigger n t -> -1 <= a <= 1 -> is_trigger n (with_noise t a).
Proof.
  intros Hn [H0 H1 Hc Hu Hd] Ha. unfold bos_flag, trigger_flag, content_flag in *. unfold with_noise.
  split; try assumption.
  - unfold content_flag. destruct (Nat.eqb_spec (n - 1) 2); [lia|assumption].
  - intros k K2 Kn. destruct (Nat.eqb_spec k 2); [assumption|now apply Hu].
  - intros k K. destruct (Nat.eqb_spec k 2); [lia|now apply Hd].
Qed.

Lemma with_noise_value n V y a r :
  linear_value n V (with_noise y a) r = linear_value n V (with_noise y 0) r + a * linear_value n V noise_direction r.
Proof.
  unfold linear_value. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros c _.
  unfold with_noise, noise_direction. destruct (c =? 2)%nat; ring.
Qed.

Lemma with_noise_same n V y r : linear_value n V (with_noise y (y 2%nat)) r = linear_value n V y r.
Proof.
  apply linear_ext. intros b. unfold with_noise. destruct (Nat.eqb_spec b 2) as [->|]; reflexivity.
Qed.

Section Rows.
  Context (n L : nat) (a : attention) (V : matrix) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (3 <= L)%nat) (Ha : row_stochastic n L a)
          (Hloss : sup_loss_le n L (head a (linear_value n V)) eta).

  Let beta r := linear_value n V bos r.

  (** The trigger row of (BOS, z, .., z, t, z, ..), with the value of BOS kept apart. *)
  Lemma stochastic_probe_row z t j :
    is_content n z -> is_trigger n t -> (3 <= j)%nat -> (j <= L)%nat ->
    exists Q A, 0 <= Q /\ 0 <= A /\ Q + A <= 1 /\
      forall r, (r < n)%nat ->
      Rabs (beta r + Q * (linear_value n V z r - beta r) + A * (linear_value n V t r - beta r)
            - (INR (j - 2) * z r + t r) / INR (j - 1)) <= eta.
  Proof using Hn HL Ha Hloss.
    intros Hz Ht H3 Hj.
    assert (Hv : valid n L j (probe z t j)) by (now apply probe_valid).
    destruct (Ha _ _ Hv j) as [Hpos Hsum]; try lia.
    set (w := a (probe z t j) j) in *.
    exists (sum (j - 2) (fun k => w (k + 2)%nat)), (w j).
    assert (HQ : 0 <= sum (j - 2) (fun k => w (k + 2)%nat)).
    { apply sum_nonneg. intros k Hk. apply Hpos; lia. }
    assert (HA : 0 <= w j) by (apply Hpos; lia).
    assert (HB : 0 <= w 1%nat) by (apply Hpos; lia).
    rewrite possum_ends in Hsum by lia.
    set (Q := sum (j - 2) (fun k => w (k + 2)%nat)) in *.
    do 3 (split; [lra|]). intros r Hr.
    pose proof (Hloss _ _ Hv j r ltac:(lia) ltac:(lia) Hr) as H.
    rewrite probe_target in H by assumption. unfold head in H. fold w in H.
    rewrite (probe_weighted_sum z t j w (fun y => linear_value n V y r)) in H by lia. fold Q (beta r) in H.
    eapply Rle_trans; [|exact H]. apply Req_le. f_equal.
    replace (w 1%nat) with (1 - Q - w j) by lra. ring.
  Qed.

  (** A row off the trigger. *)
  Lemma quiet_row_exact x j i :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    exists z q h, is_content n z /\ 0 <= q /\ 0 <= h /\ q + h = 1 - bos_attention a x i /\
      ((i < j)%nat -> h = 0) /\
      forall r, (r < n)%nat ->
      Rabs (beta r + q * (linear_value n V z r - beta r) + h * (linear_value n V (x j) r - beta r)) <= eta.
  Proof using Hn HL Ha Hloss.
    intros Hx H1 H2 E. destruct (Ha x j Hx i H1 H2) as [Hpos Hsum].
    set (c := fun k => if (k + 2 =? j)%nat then 0 else a x i (k + 2)%nat).
    set (d := fun k => if (k + 2 =? j)%nat then a x i (k + 2)%nat else 0).
    assert (Hc : forall k, (k < i - 1)%nat -> 0 <= c k).
    { intros k Hk. unfold c. destruct (k + 2 =? j)%nat; [lra|apply Hpos; lia]. }
    assert (Hd : forall k, (k < i - 1)%nat -> 0 <= d k).
    { intros k Hk. unfold d. destruct (k + 2 =? j)%nat; [apply Hpos; lia|lra]. }
    destruct (content_average n (i - 1) c (fun k => x (k + 2)%nat) Hn Hc) as (z & Hz & Havg).
    { intros k Hk. unfold c. destruct (Nat.eqb_spec (k + 2) j); [now left|right].
      apply (content_elsewhere _ _ _ _ Hx); lia. }
    exists z, (sum (i - 1) c), (sum (i - 1) d).
    assert (Hcd : sum (i - 1) c + sum (i - 1) d = 1 - bos_attention a x i).
    { unfold bos_attention. rewrite possum_first in Hsum by assumption. rewrite <- Hsum, <- sum_plus.
      rewrite (sum_ext _ _ (fun k => a x i (k + 2)%nat)); [ring|].
      intros k _. unfold c, d. destruct (k + 2 =? j)%nat; ring. }
    split; [exact Hz|]. split; [now apply sum_nonneg|]. split; [now apply sum_nonneg|].
    split; [exact Hcd|]. split.
    { intros Hij. apply sum_zero. intros k Hk. unfold d. destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity]. }
    intros r Hr.
    pose proof (Hloss x j Hx i r H1 H2 Hr) as H.
    rewrite target_off_trigger, Rminus_0_r in H by assumption.
    unfold head in H. rewrite possum_first, (first_is_bos _ _ _ _ Hx) in H by assumption.
    assert (Hsplit : sum (i - 1) (fun k => a x i (k + 2)%nat * linear_value n V (x (k + 2)%nat) r)
                     = sum (i - 1) c * linear_value n V z r + sum (i - 1) d * linear_value n V (x j) r).
    { rewrite (sum_ext _ _ (fun k => c k * linear_value n V (x (k + 2)%nat) r
                                     + d k * linear_value n V (x j) r)).
      - rewrite sum_plus, sum_scal_r. f_equal.
        rewrite (linear_sum n V (i - 1) c (fun k => x (k + 2)%nat)), <- linear_scal.
        apply linear_ext. exact Havg.
      - intros k _. unfold c, d. destruct (Nat.eqb_spec (k + 2) j) as [->|_]; ring. }
    rewrite Hsplit in H. eapply Rle_trans; [|exact H]. apply Req_le. f_equal.
    fold (bos_attention a x i). replace (bos_attention a x i) with (1 - (sum (i - 1) c + sum (i - 1) d)) by lra.
    unfold beta. ring.
  Qed.

  Context (J : nat) (HJ : (4 <= J)%nat) (HJL : (J <= L)%nat).
  Let D := trigger_gap J.
  Context (Heta : eta * (16 + 22 * D) <= D).

  Lemma off_bos_mass_le x j i :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    1 - bos_attention a x i <= 4 * eta /\
    ((i < j)%nat -> (1 - bos_attention a x i) * ((1 - 4 * eta) * (D - 16 * eta * (1 + D))) <= 2 * eta * D).
  Proof using Hn HL Ha Hloss HJ HJL Heta.
    intros Hx H1 H2 E.
    assert (He : 0 <= eta) by (apply (sup_loss_nonneg n L _ eta Hn HL) in Hloss; assumption).
    assert (HJR : 4 <= INR J) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
    assert (HD : D = / 2 - / (INR J - 1)) by (unfold D, trigger_gap; field; lra).
    assert (HDi : 0 < / (INR J - 1)) by (apply Rinv_0_lt_compat; lra).
    assert (HDi' : / (INR J - 1) <= / 3) by (apply Rinv_le_contravar; lra).
    destruct (quiet_row_exact x j i Hx H1 H2 E) as (z & q & h & Hz & Hq & Hh & Hqh & Hpre & Hrow).
    pose proof (trigger_at_j _ _ _ _ Hx) as Ht. set (t := x j) in *. rewrite <- Hqh.
    set (v := fun y r => linear_value n V y r - beta r).
    set (U := linear_value n V noise_direction).
    assert (Hrows : forall aa bb m, sign aa -> sign bb -> (3 <= m)%nat -> (m <= L)%nat ->
      trigger_row eta (v (with_noise z 0) (n - 1)%nat) (v (with_noise z 0) 1%nat) (v (with_noise z 0) 2%nat)
        (v (with_noise t 0) (n - 1)%nat) (v (with_noise t 0) 1%nat) (v (with_noise t 0) 2%nat)
        (U (n - 1)%nat) (U 1%nat) (U 2%nat) (beta (n - 1)%nat) (beta 1%nat) (beta 2%nat)
        (INR (m - 2) / INR (m - 1)) (1 / INR (m - 1)) aa bb).
    { intros aa bb m Haa Hbb M3 ML.
      assert (Ba : -1 <= aa <= 1) by (destruct Haa; subst aa; lra).
      assert (Bb : -1 <= bb <= 1) by (destruct Hbb; subst bb; lra).
      destruct (stochastic_probe_row (with_noise z aa) (with_noise t bb) m) as (Q & A & HQ & HA & HQA & HR);
        auto using with_noise_content, with_noise_trigger.
      pose proof (with_noise_content n z aa Hn Hz Ba) as [_ Z1 Zc _ _].
      pose proof (with_noise_trigger n t bb Hn Ht Bb) as [_ T1 Tc _ _].
      unfold trigger_flag, content_flag in *.
      exists Q, A. do 3 (split; [assumption|]).
      pose proof (HR (n - 1)%nat ltac:(lia)) as RC. pose proof (HR 1%nat ltac:(lia)) as RT.
      pose proof (HR 2%nat ltac:(lia)) as RN.
      rewrite Zc, Tc in RC. rewrite Z1, T1 in RT.
      rewrite !(with_noise_value n V _ aa), !(with_noise_value n V _ bb) in RC, RT, RN.
      change (with_noise z aa 2%nat) with aa in RN. change (with_noise t bb 2%nat) with bb in RN.
      fold U in RC, RT, RN.
      unfold v, Rdiv. unfold Rdiv in RC, RT, RN.
      split; [|split].
      - eapply Rle_trans; [|exact RC]. apply Req_le. f_equal. ring.
      - eapply Rle_trans; [|exact RT]. apply Req_le. f_equal. ring.
      - eapply Rle_trans; [|exact RN]. apply Req_le. f_equal. ring. }
    set (zc := v (with_noise z 0) (n - 1)%nat) in *. set (zt := v (with_noise z 0) 1%nat) in *.
    set (zn := v (with_noise z 0) 2%nat) in *. set (tc := v (with_noise t 0) (n - 1)%nat) in *.
    set (tt := v (with_noise t 0) 1%nat) in *. set (tn := v (with_noise t 0) 2%nat) in *.
    assert (R3 : forall aa bb, sign aa -> sign bb -> trigger_row eta zc zt zn tc tt tn (U (n - 1)%nat) (U 1%nat) (U 2%nat)
                   (beta (n - 1)%nat) (beta 1%nat) (beta 2%nat) (/ 2) (/ 2) aa bb).
    { intros aa bb Haa Hbb. pose proof (Hrows aa bb 3%nat Haa Hbb ltac:(lia) HL) as R.
      replace (INR (3 - 2) / INR (3 - 1)) with (/ 2) in R by (simpl; field).
      replace (1 / INR (3 - 1)) with (/ 2) in R by (simpl; field). exact R. }
    assert (RJ : forall aa bb, sign aa -> sign bb -> trigger_row eta zc zt zn tc tt tn (U (n - 1)%nat) (U 1%nat) (U 2%nat)
                   (beta (n - 1)%nat) (beta 1%nat) (beta 2%nat) (/ 2 + D) (/ 2 - D) aa bb).
    { intros aa bb Haa Hbb. pose proof (Hrows aa bb J Haa Hbb ltac:(lia) HJL) as R.
      rewrite (minus_INR J 2), (minus_INR J 1) in R by lia.
      change (INR 1) with 1 in R. change (INR 2) with 2 in R.
      replace ((INR J - 2) / (INR J - 1)) with (/ 2 + D) in R by (rewrite HD; field; lra).
      replace (1 / (INR J - 1)) with (/ 2 - D) in R by (rewrite HD; field; lra). exact R. }
    assert (Hb : forall r, (r < n)%nat -> Rabs (beta r) <= eta) by (intros; now apply (bos_value_row n L a V eta)).
    assert (Hq3 : forall r, (r < n)%nat ->
      Rabs (beta r + q * (v (with_noise z 0) r + z 2%nat * U r) + h * (v (with_noise t 0) r + t 2%nat * U r)) <= eta).
    { intros r Hr. eapply Rle_trans; [|exact (Hrow r Hr)].
      apply Req_le. f_equal. rewrite <- (with_noise_same n V z), <- (with_noise_same n V t).
      rewrite (with_noise_value n V z (z 2%nat)), (with_noise_value n V t (t 2%nat)). unfold v, U. ring. }
    assert (HDp : 0 < D) by lra. assert (HDh : D <= / 2) by lra.
    split.
    - apply (quiet_mass D eta zc zt zn tc tt tn (U (n - 1)%nat) (U 1%nat) (U 2%nat)
               (beta (n - 1)%nat) (beta 1%nat) (beta 2%nat)) with (u := z 2%nat) (w := t 2%nat);
        try assumption; try (apply Hb; lia); apply Hq3; lia.
    - intros Hij. rewrite (Hpre Hij) in *. rewrite Rplus_0_r.
      assert (Hq0 : forall r, (r < n)%nat -> Rabs (beta r + q * (v (with_noise z 0) r + z 2%nat * U r)) <= eta).
      { intros r Hr. eapply Rle_trans; [|exact (Hq3 r Hr)]. apply Req_le. f_equal. ring. }
      assert (Hsm : eta < / 22).
      { assert (0 <= eta * (22 * D)) by (apply Rmult_le_pos; lra). lra. }
      apply (quiet_mass_content D eta zc zt zn tc tt tn (U (n - 1)%nat) (U 1%nat) (U 2%nat)
               (beta (n - 1)%nat) (beta 1%nat) (beta 2%nat)) with (u := z 2%nat);
        try assumption; try (apply Hb; lia); apply Hq0; lia.
  Qed.
End Rows.
