(** * Any row-normalised attention with linear values needs a sink: the proof behind tc-3 and tc-4

    docs/THEORY.md tc-3 states it for one head; tc-4 applies it to the rollout of a stack.  Both
    claims' own files (proofs/tc-3, proofs/tc-4) restate the theorem they use.

    The attention is ANY row-stochastic causal map: it may depend on the whole sequence and on the
    positions.  With J in 4..L and D = (J-3)/(2(J-1)), a sup loss eta < D/4 forces BOS attention
    >= 1 - 2 eta/(D - 2 eta) at every row that is not the trigger's.

    Steps.  Part 1 is the two-by-two system of the page, in the content and trigger flags: N = [Vz, Vt],
    T_3 = (1/2, 1/2), T_J = (1/2 + D, 1/2 - D).  A dual vector g with g.Vz = g.Vt = 1 exists because a null
    vector of N would contradict the estimate of its norm ([dual_vector_exists]); ||g||_1 (D - 3 eta) <= 1
    ([dual_norm]); then s (D - 2 eta) <= 2 eta ([two_by_two]).  Part 2 averages the content tokens of a row
    into one content token z (the box is convex), for any nonnegative weights ([quiet_row_split]), and reads off
    the rows ([trigger_probe_row], [quiet_row]).  Parts of both serve rows that sum to at most 1 as well (tc-8).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/row_normalised_core.v
    (after trigger_task.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Sinkproof Require Export task variants.
Open Scope R_scope.

(** ** Part 1: the two-by-two system *)

Lemma dot_bound g1 g2 e1 e2 e :
  Rabs e1 <= e -> Rabs e2 <= e -> Rabs (g1 * e1 + g2 * e2) <= (Rabs g1 + Rabs g2) * e.
Proof.
  intros H1 H2. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, Rmult_plus_distr_r.
  apply Rplus_le_compat; apply Rmult_le_compat_l; auto using Rabs_pos.
Qed.

(** max(|g1+g2|, |g1-g2|) = |g1| + |g2|. *)
Lemma norm1_two g1 g2 : Rabs g1 + Rabs g2 = Rabs (g1 + g2) \/ Rabs g1 + Rabs g2 = Rabs (g1 - g2).
Proof. unfold Rabs. repeat destruct Rcase_abs; lra. Qed.

(** Two vectors (zc,zt), (tc,tt) of the plane.  If every g with g.z = g.t = eps, eps = 0 or 1, has 1-norm at most
    eps/c, then g with g.z = g.t = 1 exists: the matrix [z, t] has no left null vector. *)
Lemma dual_vector_exists zc zt tc tt c :
  0 < c ->
  (forall g1 g2 eps, g1 * zc + g2 * zt = eps -> g1 * tc + g2 * tt = eps -> eps = 0 \/ eps = 1 ->
     (Rabs g1 + Rabs g2) * c <= eps) ->
  exists g1 g2, g1 * zc + g2 * zt = 1 /\ g1 * tc + g2 * tt = 1 /\ (Rabs g1 + Rabs g2) * c <= 1.
Proof.
  intros Hc Hdual.
  assert (Hnull : forall g1 g2, g1 * zc + g2 * zt = 0 -> g1 * tc + g2 * tt = 0 -> g1 = 0 /\ g2 = 0).
  { intros g1 g2 Gz Gt. pose proof (Hdual g1 g2 0 Gz Gt (or_introl eq_refl)) as H.
    pose proof (Rabs_pos g1). pose proof (Rabs_pos g2).
    assert (Hs : Rabs g1 + Rabs g2 <= 0) by (apply (Rmult_le_reg_r c); lra).
    assert (B1 := abs_bounds g1 0 ltac:(lra)). assert (B2 := abs_bounds g2 0 ltac:(lra)).
    split; lra. }
  assert (Hdet : zc * tt - tc * zt <> 0).
  { intros Hdet. destruct (Hnull zt (- zc)) as [Z1 Z2]; [ring|lra|].
    destruct (Hnull tt (- tc)) as [T1 T2]; [|ring|].
    - replace zt with 0 by lra. replace zc with 0 by lra. ring.
    - destruct (Hnull 1 0); [| |lra].
      + replace zc with 0 by lra. ring.
      + replace tc with 0 by lra. ring. }
  exists ((tt - zt) / (zc * tt - tc * zt)), ((zc - tc) / (zc * tt - tc * zt)).
  assert (Gz : (tt - zt) / (zc * tt - tc * zt) * zc + (zc - tc) / (zc * tt - tc * zt) * zt = 1)
    by (field; assumption).
  assert (Gt : (tt - zt) / (zc * tt - tc * zt) * tc + (zc - tc) / (zc * tt - tc * zt) * tt = 1)
    by (field; assumption).
  repeat split; [exact Gz|exact Gt|]. apply Hdual; auto.
Qed.

(** g against a row with weights q on z, h on t. *)
Lemma dual_row g1 g2 zc zt tc tt q h eps :
  g1 * zc + g2 * zt = eps -> g1 * tc + g2 * tt = eps ->
  g1 * (q * zc + h * tc) + g2 * (q * zt + h * tt) = eps * (q + h).
Proof.
  intros Gz Gt. transitivity (q * (g1 * zc + g2 * zt) + h * (g1 * tc + g2 * tt)); [ring|]. rewrite Gz, Gt. ring.
Qed.

Section TwoByTwo.
  Context (D eta : R) (HD : D <= / 2) (Heta : 0 <= eta) (HDeta : 4 * eta < D).

  (** g against the two trigger rows: g.(T_j + E_j) = eps sigma_j, eps = 0 or 1. *)
  Lemma dual_norm g1 g2 eps sg3 sgJ F3c F3t FJc FJt :
    0 <= sg3 <= 1 -> 0 <= sgJ <= 1 ->
    Rabs (F3c - / 2) <= (2 - sg3) * eta -> Rabs (F3t - / 2) <= (2 - sg3) * eta ->
    Rabs (FJc - (/ 2 + D)) <= (2 - sgJ) * eta -> Rabs (FJt - (/ 2 - D)) <= (2 - sgJ) * eta ->
    g1 * F3c + g2 * F3t = eps * sg3 -> g1 * FJc + g2 * FJt = eps * sgJ ->
    eps = 0 \/ eps = 1 ->
    (Rabs g1 + Rabs g2) * (D - 3 * eta) <= eps.
  Proof using HD Heta HDeta.
    intros Hs3 HsJ A3c A3t AJc AJt G3 GJ Heps.
    pose proof (dot_bound g1 g2 _ _ _ A3c A3t) as B3. pose proof (dot_bound g1 g2 _ _ _ AJc AJt) as BJ.
    pose proof (norm1_two g1 g2) as Hn.
    set (G := Rabs g1 + Rabs g2) in *.
    assert (HG : 0 <= G) by (unfold G; pose proof (Rabs_pos g1); pose proof (Rabs_pos g2); lra).
    set (y := G * eta).
    assert (Hy : 0 <= y) by (apply Rmult_le_pos; assumption).
    replace (G * ((2 - sg3) * eta)) with ((2 - sg3) * y) in B3 by (unfold y; ring).
    replace (G * ((2 - sgJ) * eta)) with ((2 - sgJ) * y) in BJ by (unfold y; ring).
    apply abs_bounds in B3. apply abs_bounds in BJ.
    assert (EP : g1 * (F3c - / 2) + g2 * (F3t - / 2) = eps * sg3 - (g1 + g2) / 2) by lra.
    assert (EQ : g1 * (FJc - (/ 2 + D)) + g2 * (FJt - (/ 2 - D))
                 = eps * sgJ - (g1 + g2) / 2 - D * (g1 - g2)) by lra.
    rewrite EP in B3. rewrite EQ in BJ.
    set (P := g1 + g2) in *. set (Q := g1 - g2) in *.
    assert (S3 : 0 <= sg3 * y) by (apply Rmult_le_pos; lra).
    assert (SJ : 0 <= sgJ * y) by (apply Rmult_le_pos; lra).
    assert (S3' : 0 <= (1 - sg3) * y) by (apply Rmult_le_pos; lra).
    assert (SJ' : 0 <= (1 - sgJ) * y) by (apply Rmult_le_pos; lra).
    assert (Goal : G * (D - 3 * eta) = D * G - 3 * y) by (unfold y; ring). rewrite Goal.
    assert (HDG : D * G <= / 2 * G) by (apply Rmult_le_compat_r; lra).
    destruct (Req_dec G 0) as [G0|G0].
    { rewrite G0. destruct Heps; subst eps; lra. }
    assert (Hgap : 0 < (D - 4 * eta) * G) by (apply Rmult_lt_0_compat; lra).
    assert (Hgap' : 4 * y < D * G) by (unfold y; lra).
    assert (Heps0 : 0 <= eps) by (destruct Heps; lra).
    assert (Heps3 : 0 <= eps * sg3) by (apply Rmult_le_pos; lra).
    assert (HP : Rabs P <= 2 * eps * sg3 + 2 * ((2 - sg3) * y)) by (apply Rabs_le; lra).
    assert (HQ : Rabs (D * Q) <= eps * Rabs (sgJ - sg3) + (4 - sg3 - sgJ) * y).
    { apply Rabs_le.
      pose proof (Rle_abs (sgJ - sg3)) as R1. pose proof (Rle_abs (- (sgJ - sg3))) as R2.
      rewrite Rabs_Ropp in R2.
      apply (Rmult_le_compat_l eps) in R1; [|assumption].
      apply (Rmult_le_compat_l eps) in R2; [|assumption]. lra. }
    rewrite Rabs_mult, (Rabs_pos_eq D) in HQ by lra.
    destruct Heps as [->| ->].
    - (* eps = 0: only G = 0 is possible *)
      exfalso. rewrite Rmult_0_l in HQ. destruct Hn as [Hn|Hn]; rewrite <- Hn in *; lra.
    - assert (Hy1 : y <= 1).
      { destruct (Rle_lt_dec y 1) as [|Hy1]; [assumption|exfalso].
        assert (0 <= sg3 * (y - 1)) by (apply Rmult_le_pos; lra).
        assert (0 <= sgJ * (y - 1)) by (apply Rmult_le_pos; lra).
        destruct Hn as [Hn|Hn]; rewrite <- Hn in *; [lra|].
        unfold Rabs in HQ. destruct (Rcase_abs (sgJ - sg3)); lra. }
      assert (0 <= (1 - sg3) * (1 - y)) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - sgJ) * (1 - y)) by (apply Rmult_le_pos; lra).
      destruct Hn as [Hn|Hn]; rewrite <- Hn in *; [lra|].
      unfold Rabs in HQ. destruct (Rcase_abs (sgJ - sg3)); lra.
  Qed.

  (** The dual vector. *)
  Lemma dual_vector zc zt tc tt Q3 A3 QJ AJ :
    0 <= Q3 -> 0 <= A3 -> Q3 + A3 <= 1 -> 0 <= QJ -> 0 <= AJ -> QJ + AJ <= 1 ->
    Rabs (Q3 * zc + A3 * tc - / 2) <= (2 - (Q3 + A3)) * eta ->
    Rabs (Q3 * zt + A3 * tt - / 2) <= (2 - (Q3 + A3)) * eta ->
    Rabs (QJ * zc + AJ * tc - (/ 2 + D)) <= (2 - (QJ + AJ)) * eta ->
    Rabs (QJ * zt + AJ * tt - (/ 2 - D)) <= (2 - (QJ + AJ)) * eta ->
    exists g1 g2, g1 * zc + g2 * zt = 1 /\ g1 * tc + g2 * tt = 1 /\
                  (Rabs g1 + Rabs g2) * (D - 3 * eta) <= 1.
  Proof using HD Heta HDeta.
    intros H1 H2 H3 H4 H5 H6 A3c A3t AJc AJt. apply dual_vector_exists; [lra|].
    intros g1 g2 eps Gz Gt Heps.
    apply (dual_norm g1 g2 eps (Q3 + A3) (QJ + AJ) (Q3 * zc + A3 * tc) (Q3 * zt + A3 * tt)
             (QJ * zc + AJ * tc) (QJ * zt + AJ * tt)); try assumption; try lra; now apply dual_row.
  Qed.

  (** A row with weights q on z, h on t whose output is nearly 0 has little weight on both. *)
  Lemma two_by_two zc zt tc tt Q3 A3 QJ AJ q h :
    0 <= Q3 -> 0 <= A3 -> Q3 + A3 <= 1 -> 0 <= QJ -> 0 <= AJ -> QJ + AJ <= 1 ->
    Rabs (Q3 * zc + A3 * tc - / 2) <= (2 - (Q3 + A3)) * eta ->
    Rabs (Q3 * zt + A3 * tt - / 2) <= (2 - (Q3 + A3)) * eta ->
    Rabs (QJ * zc + AJ * tc - (/ 2 + D)) <= (2 - (QJ + AJ)) * eta ->
    Rabs (QJ * zt + AJ * tt - (/ 2 - D)) <= (2 - (QJ + AJ)) * eta ->
    0 <= q -> 0 <= h -> q + h <= 1 ->
    Rabs (q * zc + h * tc) <= (2 - (q + h)) * eta -> Rabs (q * zt + h * tt) <= (2 - (q + h)) * eta ->
    (q + h) * (D - 2 * eta) <= 2 * eta.
  Proof using HD Heta HDeta.
    intros H1 H2 H3 H4 H5 H6 A3c A3t AJc AJt Hq Hh Hqh Fc Ft.
    destruct (dual_vector zc zt tc tt Q3 A3 QJ AJ) as (g1 & g2 & Gz & Gt & HG); try assumption.
    pose proof (dot_bound g1 g2 _ _ _ Fc Ft) as B.
    rewrite (dual_row g1 g2 zc zt tc tt q h 1 Gz Gt), Rmult_1_l in B.
    apply abs_bounds in B. destruct B as [_ B].
    set (G := Rabs g1 + Rabs g2) in *. set (s := q + h) in *.
    apply (Rmult_le_compat_r (D - 3 * eta)) in B; [|lra].
    assert (C : 0 <= (2 - s) * eta * (1 - G * (D - 3 * eta))) by (repeat apply Rmult_le_pos; lra).
    lra.
  Qed.
End TwoByTwo.

(** ** Part 2: rows *)

(** "z = the q-average of its content tokens is a content token (convex box; if q = 0 take any)". *)
Lemma content_average n m (c : nat -> R) (y : nat -> token) :
  (4 <= n)%nat -> (forall k, (k < m)%nat -> 0 <= c k) ->
  (forall k, (k < m)%nat -> c k = 0 \/ is_content n (y k)) ->
  exists z, is_content n z /\ forall b, sum m (fun k => c k * y k b) = sum m c * z b.
Proof.
  intros Hn Hc Hy. pose proof (sum_nonneg m c Hc) as Hs.
  destruct (Req_dec (sum m c) 0) as [E|E].
  - exists (constant_content n 0). split; [apply constant_content_is_content; [assumption|lra]|].
    intros b. rewrite E, Rmult_0_l. apply sum_zero. intros k Hk.
    pose proof (sum_term_le m c k Hc Hk) as H. specialize (Hc k Hk).
    replace (c k) with 0 by lra. ring.
  - exists (fun b => sum m (fun k => c k * y k b) / sum m c).
    split; [|intros b; field; assumption].
    assert (Hconst : forall b w, (forall k, (k < m)%nat -> is_content n (y k) -> y k b = w) ->
                       sum m (fun k => c k * y k b) / sum m c = w).
    { intros b w Hb. rewrite (sum_ext _ _ (fun k => c k * w)).
      - rewrite sum_scal_r. field. assumption.
      - intros k Hk. destruct (Hy k Hk) as [Hk0|Hk0]; [rewrite Hk0; ring|].
        now rewrite Hb. }
    split.
    + apply Hconst. intros k _ [H _ _ _ _]. exact H.
    + apply Hconst. intros k _ [_ H _ _ _]. exact H.
    + apply Hconst. intros k _ [_ _ H _ _]. exact H.
    + intros b H2 H3. apply abs_bounds. unfold Rdiv.
      rewrite Rabs_mult, (Rabs_pos_eq (/ sum m c)) by (left; apply Rinv_0_lt_compat; lra).
      apply (Rmult_le_reg_r (sum m c)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by assumption.
      eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros k Hk.
      rewrite Rabs_mult, (Rabs_pos_eq (c k)) by auto.
      destruct (Hy k Hk) as [Hk0|Hk0]; [rewrite Hk0; lra|].
      rewrite <- (Rmult_1_r (c k)) at 2. apply Rmult_le_compat_l; [auto|].
      apply Rabs_le. apply (content_noise n _ Hk0); assumption.
    + intros b Hb. apply Hconst. intros k _ H. apply (content_dimension n _ H). assumption.
Qed.

(** V applied to a weighted sum. *)
Lemma linear_sum n V m (c : nat -> R) (y : nat -> token) r :
  sum m (fun k => c k * linear_value n V (y k) r)
  = linear_value n V (fun b => sum m (fun k => c k * y k b)) r.
Proof.
  unfold linear_value. rewrite (sum_ext _ _ (fun k => sum n (fun b => V r b * (c k * y k b)))).
  - rewrite sum_swap. apply sum_ext. intros b _. apply sum_scal.
  - intros k _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma linear_ext n V x y r : (forall b, x b = y b) -> linear_value n V x r = linear_value n V y r.
Proof. intros H. apply sum_ext. intros b _. now rewrite H. Qed.

Lemma linear_scal n V c x r : linear_value n V (fun b => c * x b) r = c * linear_value n V x r.
Proof. unfold linear_value. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.

(** A row off the trigger, nonnegative weights of any sum: q on one content token z, h on the trigger token. *)
Lemma quiet_row_split n L a V x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a x i k) ->
  exists z q h, is_content n z /\ 0 <= q /\ 0 <= h /\ q + h = sum (i - 1) (fun k => a x i (k + 2)%nat) /\
    ((i < j)%nat -> h = 0) /\
    forall r, head a (linear_value n V) x i r
              = a x i 1%nat * linear_value n V bos r + (q * linear_value n V z r + h * linear_value n V (x j) r).
Proof.
  intros Hn Hx H1 H2 E Hpos.
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
  split; [exact Hz|]. split; [now apply sum_nonneg|]. split; [now apply sum_nonneg|]. split; [|split].
  - rewrite <- sum_plus. apply sum_ext. intros k _. unfold c, d. destruct (k + 2 =? j)%nat; ring.
  - intros Hij. apply sum_zero. intros k Hk. unfold d. destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity].
  - intros r. unfold head. rewrite possum_first, (first_is_bos _ _ _ _ Hx) by assumption. f_equal.
    rewrite (sum_ext _ _ (fun k => c k * linear_value n V (x (k + 2)%nat) r + d k * linear_value n V (x j) r)).
    + rewrite sum_plus, sum_scal_r. f_equal.
      rewrite (linear_sum n V (i - 1) c (fun k => x (k + 2)%nat)), <- linear_scal.
      apply linear_ext. exact Havg.
    + intros k _. unfold c, d. destruct (Nat.eqb_spec (k + 2) j) as [->|_]; ring.
Qed.

(** The rows read off, where BOS and the loss together move a row of mass s off BOS by at most [slack] s. *)
Section SlackRows.
  Context (n L : nat) (a : attention) (V : matrix) (eta : R) (slack : R -> R)
          (Hn : (4 <= n)%nat) (Ha : sub_stochastic n L a)
          (Hloss : sup_loss_le n L (head a (linear_value n V)) eta)
          (Hslack : forall x j i r, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
             Rabs (a x i 1%nat * linear_value n V bos r) + eta
             <= slack (sum (i - 1) (fun k => a x i (k + 2)%nat))).

  (** The trigger row of (BOS, z, .., z, t, z, ..), position j: weights Q on z, A on t. *)
  Lemma trigger_probe_row z t j :
    is_content n z -> is_trigger n t -> (3 <= j)%nat -> (j <= L)%nat ->
    exists Q A, 0 <= Q /\ 0 <= A /\ Q + A <= 1 /\
      Rabs (Q * linear_value n V z (n - 1)%nat + A * linear_value n V t (n - 1)%nat
            - INR (j - 2) / INR (j - 1)) <= slack (Q + A) /\
      Rabs (Q * linear_value n V z 1%nat + A * linear_value n V t 1%nat - 1 / INR (j - 1)) <= slack (Q + A).
  Proof using Hn Ha Hloss Hslack.
    intros Hz Ht H3 Hj.
    assert (Hv : valid n L j (probe z t j)) by (now apply probe_valid).
    destruct (Ha _ _ Hv j) as [Hpos Hsum]; try lia.
    set (w := a (probe z t j) j) in *.
    set (Q := sum (j - 2) (fun k => w (k + 2)%nat)). exists Q, (w j).
    assert (HQ : 0 <= Q) by (apply sum_nonneg; intros k Hk; apply Hpos; lia).
    assert (HA : 0 <= w j) by (apply Hpos; lia).
    assert (HB : 0 <= w 1%nat) by (apply Hpos; lia).
    rewrite possum_ends in Hsum by lia. fold Q in Hsum.
    do 3 (split; [lra|]).
    assert (Hmass : sum (j - 1) (fun k => w (k + 2)%nat) = Q + w j).
    { replace (j - 1)%nat with (S (j - 2)) by lia. cbn [sum]. now replace (j - 2 + 2)%nat with j by lia. }
    assert (Hrow : forall r, (r < n)%nat ->
              Rabs (Q * linear_value n V z r + w j * linear_value n V t r - target j (probe z t j) j r)
              <= slack (Q + w j)).
    { intros r Hr. pose proof (Hloss _ _ Hv j r ltac:(lia) ltac:(lia) Hr) as H.
      unfold head in H. fold w in H.
      rewrite (probe_weighted_sum z t j w (fun y => linear_value n V y r)) in H by lia. fold Q in H.
      pose proof (Hslack _ _ j r Hv ltac:(lia) Hj Hr) as Hs. fold w in Hs. rewrite Hmass in Hs.
      assert (B := abs_bounds (w 1%nat * linear_value n V bos r) _ (Rle_refl _)).
      apply abs_bounds in H. apply Rabs_le. lra. }
    split.
    - rewrite <- (target_content_flag n L j _ Hv Hn). apply Hrow. lia.
    - rewrite <- (target_trigger_flag n L j _ Hv Hn). apply Hrow. lia.
  Qed.

  (** A row off the trigger. *)
  Lemma quiet_row x j i :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    exists z q h, is_content n z /\ 0 <= q /\ 0 <= h /\ q + h = sum (i - 1) (fun k => a x i (k + 2)%nat) /\
      forall r, (r < n)%nat ->
      Rabs (q * linear_value n V z r + h * linear_value n V (x j) r) <= slack (q + h).
  Proof using Hn Ha Hloss Hslack.
    intros Hx H1 H2 E.
    destruct (quiet_row_split n L a V x j i Hn Hx H1 H2 E (proj1 (Ha x j Hx i H1 H2)))
      as (z & q & h & Hz & Hq & Hh & Hqh & _ & Hout).
    exists z, q, h. do 4 (split; [assumption|]). intros r Hr.
    pose proof (Hloss x j Hx i r H1 H2 Hr) as H.
    rewrite target_off_trigger, Rminus_0_r, Hout in H by assumption.
    pose proof (Hslack x j i r Hx H1 H2 Hr) as Hs. rewrite <- Hqh in Hs.
    assert (B := abs_bounds (a x i 1%nat * linear_value n V bos r) _ (Rle_refl _)).
    apply abs_bounds in H. apply Rabs_le. lra.
  Qed.

  (** Both trigger rows, at 3 and at J, beside a row off the trigger. *)
  Lemma three_rows J x j i :
    (4 <= J)%nat -> (J <= L)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    exists zc zt tc tt Q3 A3 QJ AJ q h,
      (0 <= Q3 /\ 0 <= A3 /\ Q3 + A3 <= 1 /\
       Rabs (Q3 * zc + A3 * tc - / 2) <= slack (Q3 + A3) /\ Rabs (Q3 * zt + A3 * tt - / 2) <= slack (Q3 + A3)) /\
      (0 <= QJ /\ 0 <= AJ /\ QJ + AJ <= 1 /\
       Rabs (QJ * zc + AJ * tc - (/ 2 + trigger_gap J)) <= slack (QJ + AJ) /\
       Rabs (QJ * zt + AJ * tt - (/ 2 - trigger_gap J)) <= slack (QJ + AJ)) /\
      0 <= q /\ 0 <= h /\ q + h = sum (i - 1) (fun k => a x i (k + 2)%nat) /\
      Rabs (q * zc + h * tc) <= slack (q + h) /\ Rabs (q * zt + h * tt) <= slack (q + h).
  Proof using Hn Ha Hloss Hslack.
    intros HJ HJL Hx H1 H2 E.
    assert (HJR : 4 <= INR J) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
    destruct (quiet_row x j i Hx H1 H2 E) as (z & q & h & Hz & Hq & Hh & Hqh & Hrow).
    pose proof (trigger_at_j _ _ _ _ Hx) as Ht.
    destruct (trigger_probe_row z (x j) 3 Hz Ht) as (Q3 & A3 & HQ3 & HA3 & HS3 & C3 & T3); try lia.
    destruct (trigger_probe_row z (x j) J Hz Ht) as (QJ & AJ & HQJ & HAJ & HSJ & CJ & TJ); try lia.
    exists (linear_value n V z (n - 1)%nat), (linear_value n V z 1%nat),
      (linear_value n V (x j) (n - 1)%nat), (linear_value n V (x j) 1%nat), Q3, A3, QJ, AJ, q, h.
    replace (INR (3 - 2) / INR (3 - 1)) with (/ 2) in C3 by (simpl; field).
    replace (1 / INR (3 - 1)) with (/ 2) in T3 by (simpl; field).
    rewrite (minus_INR J 2) in CJ by lia. rewrite (minus_INR J 1) in CJ, TJ by lia.
    change (INR 1) with 1 in CJ, TJ. change (INR 2) with 2 in CJ.
    replace ((INR J - 2) / (INR J - 1)) with (/ 2 + trigger_gap J) in CJ by (unfold trigger_gap; field; lra).
    replace (1 / (INR J - 1)) with (/ 2 - trigger_gap J) in TJ by (unfold trigger_gap; field; lra).
    repeat split; try assumption; apply Hrow; lia.
  Qed.
End SlackRows.

Lemma trigger_gap_le_half J : (4 <= J)%nat -> trigger_gap J <= / 2.
Proof.
  intros HJ. assert (HJR : 4 <= INR J) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  replace (trigger_gap J) with (/ 2 - / (INR J - 1)) by (unfold trigger_gap; field; lra).
  assert (0 < / (INR J - 1)) by (apply Rinv_0_lt_compat; lra). lra.
Qed.

(** *** Rows that sum to 1 *)

Section Normalised.
  Context (n L : nat) (a : attention) (V : matrix) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (3 <= L)%nat) (Ha : row_stochastic n L a)
          (Hloss : sup_loss_le n L (head a (linear_value n V)) eta).

  (** Row 1 is V BOS. *)
  Lemma bos_value_row r : (r < n)%nat -> Rabs (linear_value n V bos r) <= eta.
  Proof using Hn HL Ha Hloss.
    intros Hr. destruct (valid_exists n L 3) as [x Hx]; try lia.
    destruct (Ha x 3%nat Hx 1%nat) as [_ Hs]; try lia.
    pose proof (Hloss x 3%nat Hx 1%nat r) as H.
    rewrite target_off_trigger, Rminus_0_r in H by lia.
    unfold head, possum in H. unfold possum in Hs. cbn [sum] in H, Hs.
    rewrite Rplus_0_l in Hs. rewrite Hs, (first_is_bos _ _ _ _ Hx), Rplus_0_l, Rmult_1_l in H.
    apply H; lia.
  Qed.

  Lemma normalised_sub_stochastic : sub_stochastic n L a.
  Proof using Ha. intros x j Hx i H1 H2. destruct (Ha x j Hx i H1 H2) as [Hp Hs]. split; [exact Hp|lra]. Qed.

  Lemma mass_off_bos x j i :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    sum (i - 1) (fun k => a x i (k + 2)%nat) = 1 - bos_attention a x i.
  Proof using Ha.
    intros Hx H1 H2. destruct (Ha x j Hx i H1 H2) as [_ Hs]. rewrite possum_first in Hs by assumption.
    unfold bos_attention. lra.
  Qed.

  (** Mass s off BOS: V BOS counts 1 - s times. *)
  Lemma normalised_slack x j i r :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    Rabs (a x i 1%nat * linear_value n V bos r) + eta
    <= (2 - sum (i - 1) (fun k => a x i (k + 2)%nat)) * eta.
  Proof using Hn HL Ha Hloss.
    intros Hx H1 H2 Hr. rewrite (mass_off_bos x j i Hx H1 H2). unfold bos_attention.
    assert (Hp : 0 <= a x i 1%nat) by (apply (Ha x j Hx i H1 H2); lia).
    rewrite Rabs_mult, Rabs_pos_eq by assumption.
    pose proof (Rmult_le_compat_l _ _ _ Hp (bos_value_row r Hr)). lra.
  Qed.
End Normalised.

Theorem row_normalised_sink n L J a V eta :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> row_stochastic n L a ->
  sup_loss_le n L (head a (linear_value n V)) eta -> eta < trigger_gap J / 4 ->
  forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  bos_attention a x i >= 1 - 2 * eta / (trigger_gap J - 2 * eta).
Proof.
  intros Hn HJ HJL Ha Hloss Heta x j i Hx H1 H2 E. assert (HL : (3 <= L)%nat) by lia.
  assert (He : 0 <= eta) by exact (sup_loss_nonneg n L _ eta Hn HL Hloss).
  destruct (three_rows n L a V eta (fun s => (2 - s) * eta) Hn (normalised_sub_stochastic n L a Ha) Hloss
              (normalised_slack n L a V eta Hn HL Ha Hloss) J x j i HJ HJL Hx H1 H2 E)
    as (zc & zt & tc & tt & Q3 & A3 & QJ & AJ & q & h & (P1 & P2 & P3 & P4 & P5) & (R1 & R2 & R3 & R4 & R5)
        & Hq & Hh & Hqh & Hc & Ht).
  rewrite (mass_off_bos n L a Ha x j i Hx H1 H2) in Hqh.
  assert (Hp : 0 <= bos_attention a x i) by (apply (Ha x j Hx i H1 H2); lia).
  pose proof (two_by_two (trigger_gap J) eta (trigger_gap_le_half J HJ) He ltac:(lra) zc zt tc tt Q3 A3 QJ AJ q h
    P1 P2 P3 R1 R2 R3 P4 P5 R4 R5 Hq Hh ltac:(lra) Hc Ht) as H.
  rewrite Hqh in H. apply Rle_ge. apply (Rmult_le_reg_r (trigger_gap J - 2 * eta)); [lra|].
  replace ((1 - 2 * eta / (trigger_gap J - 2 * eta)) * (trigger_gap J - 2 * eta))
    with (trigger_gap J - 2 * eta - 2 * eta) by (field; lra). lra.
Qed.
