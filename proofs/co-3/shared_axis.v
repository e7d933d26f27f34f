(** * co-3: what a diagonal costs at least when all groups share one noise axis

    On pairs of noises delta, -delta along ONE axis that all groups share (r_eta = 1, Delta = 4 delta^2,
    d = 2C + 2) EVERY diagonal has map cost at least
      (kappa (C-1)/sqrt d) sqrt((1 + 4 lam^2)(4 + lam^2))/lam^2 + 4 kappa sqrt(d) r_eta/Delta:
    the upper bound of diagonal_upper.v with C - 1 in place of C ([diagonal_lower]).

    Proof.  Write e_k for the axes.  A token of group c has noise equal to a token's of
    group c', so lam^2 m_c W (m_c - m_c') >= kappa sqrt d; likewise lam q_c W (m_c - m_c') >= 2 kappa sqrt d and
    q_c W (q_c - q_c') >= kappa sqrt d; and 2 delta^2 e W e >= kappa sqrt d for the noise's axis e.  These are
    added with the weights of a matrix of operator norm 1: on deviations from the group averages the
    triangle [y1 0; y2 y3] below, on e the identity.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-3 Claim shared_axis.v *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_cost_forms sink_and_diagonal_example.
Open Scope R_scope.

(** ** The two-by-two contraction *)

Section Contraction.
  Context (l : R) (Hl : 0 < l).

  Definition h2 : R := 1 + 4 * (l * l).
  Definition k2 : R := l * l * (4 + l * l).
  Definition hk : R := sqrt (h2 * k2).

  Definition y1 : R := 2 * l * (1 + l * l / 4) / hk.
  Definition y2 : R := 15 / 4 * (l * l) / hk.
  Definition y3 : R := l * (2 * (l * l) + / 2) / hk.

  Lemma hk_square : 0 < hk /\ hk * hk = h2 * k2.
  Proof using Hl.
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (H : 0 < h2 * k2) by (unfold h2, k2; repeat apply Rmult_lt_0_compat; lra).
    split; [now apply sqrt_lt_R0|apply sqrt_sqrt; lra].
  Qed.

  Lemma y_nonneg : 0 <= y1 /\ 0 <= y2 /\ 0 <= y3.
  Proof using Hl.
    destruct hk_square as [H _]. assert (0 < l * l) by now apply Rmult_lt_0_compat.
    unfold y1, y2, y3. repeat split; apply Rlt_le, Rdiv_lt_0_compat; try assumption;
      repeat apply Rmult_lt_0_compat; lra.
  Qed.

  (** |u^T Y v| <= |u| |v|, in the form that adds up. *)
  Lemma contraction x1 x2 z1 z2 :
    2 * (y1 * (x1 * z1) + y2 * (x2 * z1) + y3 * (x2 * z2)) <= x1 * x1 + x2 * x2 + z1 * z1 + z2 * z2.
  Proof using Hl.
    destruct hk_square as [H E]. assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    set (A := x1 + 2 * l * x2). set (A' := x2 - 2 * l * x1).
    set (B := 2 * l * z1 + l * l * z2). set (B' := 2 * l * z2 - l * l * z1).
    assert (F : 2 * (y1 * (x1 * z1) + y2 * (x2 * z1) + y3 * (x2 * z2)) = 2 * (A * B + A' * B' / 4) / hk).
    { unfold y1, y2, y3, A, A', B, B'. field. lra. }
    assert (EA : A * A + A' * A' = h2 * (x1 * x1 + x2 * x2)) by (unfold A, A', h2; ring).
    assert (EB : B * B + B' * B' = k2 * (z1 * z1 + z2 * z2)) by (unfold B, B', k2; ring).
    assert (Hh : 0 < h2) by (unfold h2; lra).
    assert (Hk2 : 0 < k2) by (unfold k2; apply Rmult_lt_0_compat; lra).
    rewrite F. apply (Rmult_le_reg_r hk); [assumption|].
    replace (2 * (A * B + A' * B' / 4) / hk * hk) with (2 * (A * B + A' * B' / 4)) by (field; lra).
    (* 2 A B <= (k/h) A^2 + (h/k) B^2, multiplied out *)
    assert (G : forall a b, 2 * (a * b) * hk <= k2 * (a * a) + h2 * (b * b)).
    { intros a b. pose proof (Rle_0_sqr (hk * b - k2 * a)) as Q. unfold Rsqr in Q.
      apply (Rmult_le_reg_l k2); [assumption|].
      replace ((hk * b - k2 * a) * (hk * b - k2 * a))
        with (hk * hk * (b * b) - 2 * k2 * hk * (a * b) + k2 * k2 * (a * a)) in Q by ring.
      rewrite E in Q. lra. }
    apply (Rmult_le_reg_r hk); [assumption|].
    replace ((x1 * x1 + x2 * x2 + z1 * z1 + z2 * z2) * hk * hk)
      with (k2 * (h2 * (x1 * x1 + x2 * x2)) + h2 * (k2 * (z1 * z1 + z2 * z2)))
      by (rewrite Rmult_assoc, E; ring).
    rewrite <- EA, <- EB. pose proof (G A B) as G1. pose proof (G A' B') as G2.
    assert (P1 : 0 <= k2 * (A' * A')) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    assert (P2 : 0 <= h2 * (B' * B')) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    lra.
  Qed.

  (** What the weights earn: half of the upper bound's bracket. *)
  Lemma contraction_value : y1 / (l * l) + 2 * y2 / l + y3 = diagonal_group_cost l / 2.
  Proof using Hl.
    destruct hk_square as [H E]. assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (R : hk = l * sqrt ((1 + 4 * (l * l)) * (4 + l * l))).
    { unfold hk, h2, k2.
      replace ((1 + 4 * (l * l)) * (l * l * (4 + l * l))) with (l * l * ((1 + 4 * (l * l)) * (4 + l * l))) by ring.
      rewrite sqrt_mult_alt, sqrt_square by lra. reflexivity. }
    unfold diagonal_group_cost. replace (sqrt ((1 + 4 * (l * l)) * (4 + l * l))) with (hk / l) by (rewrite R; field; lra).
    apply (Rmult_eq_reg_r hk); [|lra].
    transitivity (hk * hk / (2 * l * (l * l))); [|field; lra]. rewrite E.
    unfold y1, y2, y3, h2, k2. field. lra.
  Qed.
End Contraction.

(** ** Covariances of finite sequences *)

Definition covariance (n : nat) (a b : nat -> R) : R := sum n (fun c => a c * b c) - sum n a * sum n b / INR n.

Lemma covariance_deviation n a b : (1 <= n)%nat ->
  covariance n a b = sum n (fun c => (a c - sum n a / INR n) * (b c - sum n b / INR n)).
Proof.
  intros Hn. assert (H : 0 < INR n) by (apply lt_0_INR; lia). unfold covariance.
  rewrite (sum_ext n (fun c => (a c - sum n a / INR n) * (b c - sum n b / INR n))
             (fun c => a c * b c - (sum n b / INR n * a c + sum n a / INR n * b c - sum n a * sum n b / (INR n * INR n))))
    by (intros; field; lra).
  rewrite sum_minus, sum_minus, sum_plus, !sum_scal, sum_const. field. lra.
Qed.

Lemma covariance_le n a : covariance n a a <= sum n (fun c => a c * a c).
Proof.
  unfold covariance. destruct n as [|n]; [cbn [sum INR]; unfold Rdiv; lra|].
  assert (0 < INR (S n)) by (apply lt_0_INR; lia).
  assert (0 <= sum (S n) a * sum (S n) a / INR (S n)); [|lra].
  apply Rmult_le_pos; [apply Rle_0_sqr|apply Rlt_le, Rinv_0_lt_compat; assumption].
Qed.

(** ** The lower bound *)

Section Lower.
  Context (C : nat) (l dlt kappa : R) (HC : (1 <= C)%nat) (Hl : 0 < l) (L1 : / 2 <= l * l) (L2 : l * l < 1)
    (Hd : 0 < dlt) (Hk : 0 < kappa).

  Let I := pair_instance C 1 (fun _ => 0%nat) l dlt.
  Let d := (2 * C + 1 + 1)%nat.
  Let N := INR d.
  Let s := sqrt N.

  Context (width : nat) (WQ WK : matrix) (HW : diagonal_pattern I (query_key width WQ WK) kappa).

  (** e_i W e_j. *)
  Let M (i j : nat) : R := sum width (fun h => WQ h i * WK h j).
  Let B (x y : vector) : R := bilinear d (query_key width WQ WK) x y.

  Lemma dot_axis u k : (k < d)%nat -> dot d u (axis_vector k) = u k.
  Proof using All.
    intros Hi. unfold dot, axis_vector. rewrite (sum_single d _ k Hi).
    - rewrite Nat.eqb_refl. ring.
    - intros a _ E. apply Nat.eqb_neq in E. rewrite E. ring.
  Qed.

  Lemma form_along x i y j : (i < d)%nat -> (j < d)%nat -> B (along x i) (along y j) = x * y * M i j.
  Proof using All.
    intros Hi Hj. unfold B, along, M. rewrite bilinear_scal_l, bilinear_scal_r, bilinear_query_key.
    rewrite Rmult_assoc. do 2 f_equal. apply sum_ext. intros h _. now rewrite !dot_axis.
  Qed.

  Lemma root_positive : 0 < s /\ s * s = N /\ 0 < N.
  Proof using All.
    assert (HN : 0 < N) by (apply lt_0_INR; unfold d; lia).
    repeat split; [now apply sqrt_lt_R0|apply sqrt_sqrt; lra|assumption].
  Qed.

  Let noise_of (i : nat) : vector := along (if (i =? 0)%nat then dlt else - dlt) (2 * C + 1 + 0).

  Lemma form_dormant_r x c i : B x (dormant I c i) = l * B x (mean I c) + B x (noise_of i).
  Proof using All.
    unfold B, dormant.
    rewrite (bilinear_plus_r d _ x (fun r => lam I * mean I c r) (noise I c i)), bilinear_scal_r. reflexivity.
  Qed.

  Lemma form_dormant_l x c i : B (dormant I c i) x = l * B (mean I c) x + B (noise_of i) x.
  Proof using All.
    unfold B, dormant.
    rewrite (bilinear_plus_l d _ (fun r => lam I * mean I c r) (noise I c i) x), bilinear_scal_l. reflexivity.
  Qed.

  (** A margin of the pattern, on x^T W y. *)
  Lemma margin x y z :
    kappa + score I (query_key width WQ WK) x z <= score I (query_key width WQ WK) x y ->
    kappa * s + B (embedding I x) (embedding I z) <= B (embedding I x) (embedding I y).
  Proof using All.
    intros H. apply score_margin in H; [exact H|]. change (1 <= 2 * C + 1 + 1)%nat. lia.
  Qed.

  (** Values of the form on the instance's vectors. *)
  Lemma form_mean c c' : (c < C)%nat -> (c' < C)%nat -> B (mean I c) (mean I c') = N * M (1 + c) (1 + c').
  Proof using All.
    intros H H'. destruct root_positive as (_ & E & _). rewrite <- E.
    apply (form_along s (1 + c) s (1 + c')); unfold d; lia.
  Qed.

  Lemma form_copy_mean c c' : (c < C)%nat -> (c' < C)%nat ->
    B (copy_query I c) (mean I c') = N * M (1 + C + c) (1 + c').
  Proof using All.
    intros H H'. destruct root_positive as (_ & E & _). rewrite <- E.
    apply (form_along s (1 + C + c) s (1 + c')); unfold d; lia.
  Qed.

  Lemma form_copy c c' : (c < C)%nat -> (c' < C)%nat ->
    B (copy_query I c) (copy_query I c') = N * M (1 + C + c) (1 + C + c').
  Proof using All.
    intros H H'. destruct root_positive as (_ & E & _). rewrite <- E.
    apply (form_along s (1 + C + c) s (1 + C + c')); unfold d; lia.
  Qed.

  (** The two noises are opposite. *)
  Lemma opposite_l x : (forall k, B (noise_of 0) (along x k) + B (noise_of 1) (along x k) = 0).
  Proof using All.
    intros k. unfold B, noise_of, along. cbn [Nat.eqb].
    rewrite !bilinear_scal_l. ring.
  Qed.

  Lemma opposite_r x : (forall k, B (along x k) (noise_of 0) + B (along x k) (noise_of 1) = 0).
  Proof using All.
    intros k. unfold B, noise_of, along. cbn [Nat.eqb].
    rewrite !bilinear_scal_r. ring.
  Qed.

  Lemma members c i : (c < C)%nat -> (i < 2)%nat -> member I c i.
  Proof using All. intros H H'. split; assumption. Qed.

  Lemma margin_mean c c' : (c < C)%nat -> (c' < C)%nat -> c <> c' ->
    kappa * s <= l * l * (N * (M (1 + c) (1 + c) - M (1 + c) (1 + c'))).
  Proof using All.
    intros H H' E.
    assert (P : forall i, (i < 2)%nat ->
      kappa * s <= l * (l * B (mean I c) (mean I c) + B (noise_of i) (mean I c))
                   - l * (l * B (mean I c) (mean I c') + B (noise_of i) (mean I c'))).
    { intros i Hi.
      assert (Q : Dormant c' i <> Dormant c i) by congruence.
      pose proof (margin _ _ _ (dormant_prefers_itself _ _ _ HW c i (Dormant c' i) (members c i H Hi)
                    (members c' i H' Hi) Q)) as G.
      cbn [embedding] in G. rewrite !form_dormant_r, !form_dormant_l in G. lra. }
    pose proof (P 0%nat ltac:(lia)) as P0. pose proof (P 1%nat ltac:(lia)) as P1.
    pose proof (opposite_l s (1 + c)) as O. pose proof (opposite_l s (1 + c')) as O'.
    change (along s (1 + c)) with (mean I c) in O. change (along s (1 + c')) with (mean I c') in O'.
    rewrite Rmult_minus_distr_l, <- !form_mean by assumption.
    set (p := B (mean I c) (mean I c)) in *. set (q := B (mean I c) (mean I c')) in *.
    assert (O2 : l * (B (noise_of 0) (mean I c) + B (noise_of 1) (mean I c)) = 0) by (rewrite O; ring).
    assert (O3 : l * (B (noise_of 0) (mean I c') + B (noise_of 1) (mean I c')) = 0) by (rewrite O'; ring).
    lra.
  Qed.

  Lemma margin_copy_mean c c' : (c < C)%nat -> (c' < C)%nat -> c <> c' ->
    2 * (kappa * s) <= l * (N * (M (1 + C + c) (1 + c) - M (1 + C + c) (1 + c'))).
  Proof using All.
    intros H H' E.
    assert (P : forall i, (i < 2)%nat ->
      kappa * s + B (copy_query I c) (copy_query I c) <= l * B (copy_query I c) (mean I c) + B (copy_query I c) (noise_of i)
      /\ kappa * s + (l * B (copy_query I c) (mean I c') + B (copy_query I c) (noise_of i))
         <= B (copy_query I c) (copy_query I c)).
    { intros i Hi. split.
      - pose proof (margin _ _ _ (copy_prefers_group_d _ _ _ HW c i (Copy c) (members c i H Hi) H (fun x => x))) as G.
        cbn [embedding] in G. rewrite form_dormant_r in G. exact G.
      - assert (Q : ~ in_group c (Dormant c' i)) by (cbn; congruence).
        assert (Q' : Dormant c' i <> Copy c) by congruence.
        pose proof (margin _ _ _ (copy_prefers_itself _ _ _ HW c (Dormant c' i) H (members c' i H' Hi) Q Q')) as G.
        cbn [embedding] in G. rewrite form_dormant_r in G. exact G. }
    destruct (P 0%nat ltac:(lia)) as [P0 Q0]. destruct (P 1%nat ltac:(lia)) as [P1 Q1].
    pose proof (opposite_r s (1 + C + c)) as O. change (along s (1 + C + c)) with (copy_query I c) in O.
    rewrite Rmult_minus_distr_l, <- !form_copy_mean by assumption. lra.
  Qed.

  Lemma margin_copy c c' : (c < C)%nat -> (c' < C)%nat -> c <> c' ->
    kappa * s <= N * (M (1 + C + c) (1 + C + c) - M (1 + C + c) (1 + C + c')).
  Proof using All.
    intros H H' E.
    assert (Q' : Copy c' <> Copy c) by congruence.
    pose proof (margin _ _ _ (copy_prefers_itself _ _ _ HW c (Copy c') H H' (fun x => x) Q')) as G.
    cbn [embedding] in G. rewrite Rmult_minus_distr_l, <- !form_copy by assumption. lra.
  Qed.

  Lemma margin_noise : kappa * s <= 2 * (dlt * dlt) * M (2 * C + 1) (2 * C + 1).
  Proof using All.
    assert (H : (0 < C)%nat) by lia.
    assert (Q : Dormant 0 1 <> Dormant 0 0) by congruence. assert (Q' : Dormant 0 0 <> Dormant 0 1) by congruence.
    pose proof (margin _ _ _ (dormant_prefers_itself _ _ _ HW 0 0 (Dormant 0 1) (members 0 0 H ltac:(lia))
                  (members 0 1 H ltac:(lia)) Q)) as G0.
    pose proof (margin _ _ _ (dormant_prefers_itself _ _ _ HW 0 1 (Dormant 0 0) (members 0 1 H ltac:(lia))
                  (members 0 0 H ltac:(lia)) Q')) as G1.
    cbn [embedding] in G0, G1. rewrite !form_dormant_r, !form_dormant_l in G0, G1.
    pose proof (opposite_r s 1) as O. change (along s 1) with (mean I 0) in O.
    assert (A : B (noise_of 0) (noise_of 0) = dlt * dlt * M (2 * C + 1 + 0) (2 * C + 1 + 0))
      by (apply (form_along dlt _ dlt); unfold d; lia).
    assert (A1 : B (noise_of 0) (noise_of 1) = dlt * - dlt * M (2 * C + 1 + 0) (2 * C + 1 + 0))
      by (apply (form_along dlt _ (- dlt)); unfold d; lia).
    assert (A2 : B (noise_of 1) (noise_of 0) = - dlt * dlt * M (2 * C + 1 + 0) (2 * C + 1 + 0))
      by (apply (form_along (- dlt) _ dlt); unfold d; lia).
    assert (A3 : B (noise_of 1) (noise_of 1) = - dlt * - dlt * M (2 * C + 1 + 0) (2 * C + 1 + 0))
      by (apply (form_along (- dlt) _ (- dlt)); unfold d; lia).
    rewrite Nat.add_0_r in A, A1, A2, A3. rewrite A, A1 in G0. rewrite A2, A3 in G1.
    assert (O2 : l * (B (mean I 0) (noise_of 0) + B (mean I 0) (noise_of 1)) = 0) by (rewrite O; ring).
    lra.
  Qed.

  (** *** The pairing with the dual matrix, row by row *)

  Let row (u v : vector) : R :=
    y1 l * covariance C (fun c => u (1 + c)%nat) (fun c => v (1 + c)%nat)
    + y2 l * covariance C (fun c => u (1 + C + c)%nat) (fun c => v (1 + c)%nat)
    + y3 l * covariance C (fun c => u (1 + C + c)%nat) (fun c => v (1 + C + c)%nat)
    + u (2 * C + 1)%nat * v (2 * C + 1)%nat.

  Lemma squares_ge u :
    sum C (fun c => u (1 + c)%nat * u (1 + c)%nat) + sum C (fun c => u (1 + C + c)%nat * u (1 + C + c)%nat)
    + u (2 * C + 1)%nat * u (2 * C + 1)%nat <= dot d u u.
  Proof using All.
    unfold dot, d. replace (2 * C + 1 + 1)%nat with (1 + C + C + 1)%nat by lia. rewrite !sum_append. cbn [sum].
    rewrite !Nat.add_0_r. replace (1 + C + C)%nat with (2 * C + 1)%nat by lia.
    pose proof (Rle_0_sqr (u 0%nat)) as Q. unfold Rsqr in Q. lra.
  Qed.

  Lemma row_le u v : 2 * row u v <= dot d u u + dot d v v.
  Proof using All.
    pose proof (squares_ge u) as Su. pose proof (squares_ge v) as Sv.
    set (um := fun c => u (1 + c)%nat) in *. set (uq := fun c => u (1 + C + c)%nat) in *.
    set (vm := fun c => v (1 + c)%nat) in *. set (vq := fun c => v (1 + C + c)%nat) in *.
    assert (T : 2 * (y1 l * covariance C um vm + y2 l * covariance C uq vm + y3 l * covariance C uq vq)
                <= covariance C um um + covariance C uq uq + covariance C vm vm + covariance C vq vq).
    { rewrite !covariance_deviation by assumption. rewrite <- !sum_scal, <- !sum_plus, <- sum_scal.
      apply sum_le. intros c _. apply (contraction l Hl). }
    pose proof (covariance_le C um) as K1. pose proof (covariance_le C uq) as K2.
    pose proof (covariance_le C vm) as K3. pose proof (covariance_le C vq) as K4.
    unfold row. fold um uq vm vq. unfold um, uq, vm, vq in *.
    pose proof (Rle_0_sqr (u (2 * C + 1)%nat - v (2 * C + 1)%nat)) as Q. unfold Rsqr in Q. lra.
  Qed.

  (** Covariances of rows add up to differences of M. *)
  Lemma covariance_rows (i j : nat -> nat) :
    sum width (fun h => covariance C (fun c => WQ h (i c)) (fun c => WK h (j c)))
    = / INR C * sum C (fun c => sum C (fun c' => M (i c) (j c) - M (i c) (j c'))).
  Proof using All.
    assert (H : 0 < INR C) by (apply lt_0_INR; lia).
    rewrite (sum_ext C _ (fun c => INR C * M (i c) (j c) - sum C (fun c' => M (i c) (j c'))))
      by (intros; now rewrite sum_minus, sum_const).
    unfold covariance. rewrite sum_minus, sum_minus, sum_scal.
    assert (E1 : sum width (fun h => sum C (fun c => WQ h (i c) * WK h (j c))) = sum C (fun c => M (i c) (j c)))
      by (rewrite sum_swap; reflexivity).
    assert (E2 : sum width (fun h => sum C (fun c => WQ h (i c)) * sum C (fun c => WK h (j c)) / INR C)
                 = / INR C * sum C (fun c => sum C (fun c' => M (i c) (j c')))).
    { rewrite (sum_ext width _ (fun h => / INR C * sum C (fun c => sum C (fun c' => WQ h (i c) * WK h (j c'))))).
      - rewrite sum_scal. f_equal. rewrite sum_swap. apply sum_ext. intros c _. rewrite sum_swap. reflexivity.
      - intros h _. rewrite (sum_ext C (fun c => sum C (fun c' => WQ h (i c) * WK h (j c')))
          (fun c => WQ h (i c) * sum C (fun c' => WK h (j c')))) by (intros; now rewrite sum_scal).
        rewrite sum_scal_r. field. lra. }
    rewrite E1, E2. field. lra.
  Qed.

  Lemma differences_ge (i j : nat -> nat) m :
    (forall c c', (c < C)%nat -> (c' < C)%nat -> c <> c' -> m <= M (i c) (j c) - M (i c) (j c')) ->
    (INR C - 1) * m <= sum width (fun h => covariance C (fun c => WQ h (i c)) (fun c => WK h (j c))).
  Proof using All.
    intros H. assert (HP : 0 < INR C) by (apply lt_0_INR; lia). rewrite covariance_rows.
    apply (Rmult_le_reg_l (INR C)); [assumption|].
    rewrite <- (Rmult_assoc (INR C) (/ INR C)), Rinv_r, Rmult_1_l by lra.
    rewrite <- sum_const. apply sum_le. intros c Hc.
    pose proof (sum_all_but_one C (fun c' => M (i c) (j c) - M (i c) (j c')) c m Hc) as G.
    cbv beta in G. assert (Z : M (i c) (j c) - M (i c) (j c) = 0) by ring. rewrite Z in G.
    rewrite Rplus_0_r in G. apply G. intros c' Hc' E. apply H; auto.
  Qed.

  Lemma diagonal_lower :
    unit_cost I kappa * ((INR C - 1) / INR C * diagonal_group_cost l) + 4 * kappa * s * 1 / (4 * (dlt * dlt))
    <= factor_cost d width WQ WK.
  Proof using All.
    destruct root_positive as (Hs & Es & HN). assert (HP : 1 <= INR C) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (Hdd : 0 < dlt * dlt) by now apply Rmult_lt_0_compat.
    set (m := kappa * s / N).
    assert (D1 := differences_ge (fun c => 1 + c)%nat (fun c => 1 + c)%nat (m / (l * l))).
    assert (D2 := differences_ge (fun c => 1 + C + c)%nat (fun c => 1 + c)%nat (2 * m / l)).
    assert (D3 := differences_ge (fun c => 1 + C + c)%nat (fun c => 1 + C + c)%nat m).
    assert (G1 : (INR C - 1) * (m / (l * l)) <= sum width (fun h => covariance C (fun c => WQ h (1 + c)%nat) (fun c => WK h (1 + c)%nat))).
    { apply D1. intros c c' H H' E. pose proof (margin_mean c c' H H' E) as G.
      apply (Rmult_le_reg_l (l * l * N)); [now apply Rmult_lt_0_compat|].
      replace (l * l * N * (m / (l * l))) with (kappa * s) by (unfold m; field; lra). lra. }
    assert (G2 : (INR C - 1) * (2 * m / l) <= sum width (fun h => covariance C (fun c => WQ h (1 + C + c)%nat) (fun c => WK h (1 + c)%nat))).
    { apply D2. intros c c' H H' E. pose proof (margin_copy_mean c c' H H' E) as G.
      apply (Rmult_le_reg_l (l * N)); [now apply Rmult_lt_0_compat|].
      replace (l * N * (2 * m / l)) with (2 * (kappa * s)) by (unfold m; field; lra). lra. }
    assert (G3 : (INR C - 1) * m <= sum width (fun h => covariance C (fun c => WQ h (1 + C + c)%nat) (fun c => WK h (1 + C + c)%nat))).
    { apply D3. intros c c' H H' E. pose proof (margin_copy c c' H H' E) as G.
      apply (Rmult_le_reg_l N); [assumption|].
      replace (N * m) with (kappa * s) by (unfold m; field; lra). lra. }
    pose proof margin_noise as G4. destruct (y_nonneg l Hl) as (Y1 & Y2 & Y3).
    apply (Rmult_le_compat_l _ _ _ Y1) in G1. apply (Rmult_le_compat_l _ _ _ Y2) in G2.
    apply (Rmult_le_compat_l _ _ _ Y3) in G3.
    assert (G5 : kappa * s / (2 * (dlt * dlt)) <= M (2 * C + 1) (2 * C + 1)).
    { apply (Rmult_le_reg_l (2 * (dlt * dlt))); [lra|].
      replace (2 * (dlt * dlt) * (kappa * s / (2 * (dlt * dlt)))) with (kappa * s) by (field; lra). exact G4. }
    assert (S : 2 * sum width (fun h => row (WQ h) (WK h)) <= factor_cost d width WQ WK).
    { rewrite factor_cost_dot, <- sum_scal. apply sum_le. intros h _. apply row_le. }
    assert (X : sum width (fun h => row (WQ h) (WK h))
      = y1 l * sum width (fun h => covariance C (fun c => WQ h (1 + c)%nat) (fun c => WK h (1 + c)%nat))
        + y2 l * sum width (fun h => covariance C (fun c => WQ h (1 + C + c)%nat) (fun c => WK h (1 + c)%nat))
        + y3 l * sum width (fun h => covariance C (fun c => WQ h (1 + C + c)%nat) (fun c => WK h (1 + C + c)%nat))
        + M (2 * C + 1) (2 * C + 1)).
    { unfold row, M. now rewrite !sum_plus, !sum_scal. }
    pose proof (contraction_value l Hl) as V.
    assert (T : unit_cost I kappa * ((INR C - 1) / INR C * diagonal_group_cost l)
                = 2 * (y1 l * ((INR C - 1) * (m / (l * l))) + y2 l * ((INR C - 1) * (2 * m / l)) + y3 l * ((INR C - 1) * m))).
    { transitivity (2 * ((INR C - 1) * m) * (y1 l / (l * l) + 2 * y2 l / l + y3 l)); [|field; lra].
      rewrite V. unfold unit_cost, m. change (groups I) with C. change (INR (dimension I)) with N. fold s.
      rewrite <- Es. field. lra. }
    assert (T2 : 4 * kappa * s * 1 / (4 * (dlt * dlt)) = 2 * (kappa * s / (2 * (dlt * dlt)))) by (field; lra).
    rewrite T, T2. lra.
  Qed.
End Lower.
