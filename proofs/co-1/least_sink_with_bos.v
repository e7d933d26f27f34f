(** * co-1, reading B: the constant 3 sqrt 2 + 4/3 + 10/(3 sqrt 13) = 6.5004.. cannot be lowered

    On pairs of noises delta, -delta along one axis EVERY sink of reading B has map cost at least
      (2 kappa/sqrt d)[2(C-1)/lam + C/(lam q) + C(2 + lam^2)/(q y)],  q = sqrt(C + lam^2), y = sqrt D.
    At C = 4, lam^2 = 1/2 this is the constant times kappa C/sqrt d, and sink_upper.v attains it.

    Proof.  M(x,y) = x^T W y in axes.  With m the margin the constraints give, for all groups c, c':
    lam M(m_c,b) - lam^2 M(m_c,m_c') >= m, lam M(q_c,m_c) - M(q_c,b) >= m, M(q_c,b) - lam M(q_c,m_c') >= m for
    c <> c', M(q_c,b) - M(q_c,q_c') >= m.  They are added with the weights of a matrix of operator norm 1: the
    identity from deviations of the q_c to deviations of the m_c, and on the group sums two orthonormal rows.

    Compile:  coqc -q -R <proofs>/theory Sinkproof least_sink_with_bos.v *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_and_diagonal_example sink_cost_forms.
Open Scope R_scope.

Section Lower.
  Context (C : nat) (l dlt kappa : R) (HC : (1 <= C)%nat) (Hl : 0 < l) (L2 : l * l < 1) (Hk : 0 < kappa).

  Let I := pair_instance C 1 (fun _ => 0%nat) l dlt.
  Let d := (2 * C + 1 + 1)%nat.
  Let N := INR d.
  Let s := sqrt N.
  Let K := INR C.
  Let q := sqrt (K + l * l).
  Let y := sqrt (spread K l).

  Context (width : nat) (WQ WK : matrix) (HW : sink_pattern_with_bos I (query_key width WQ WK) kappa).

  (** e_i W e_j. *)
  Let M (i j : nat) : R := sum width (fun h => WQ h i * WK h j).
  Let B (x z : vector) : R := bilinear d (query_key width WQ WK) x z.

  Lemma dot_axis u k : (k < d)%nat -> dot d u (axis_vector k) = u k.
  Proof using All.
    intros Hi. unfold dot, axis_vector. rewrite (sum_single d _ k Hi).
    - rewrite Nat.eqb_refl. ring.
    - intros a _ E. apply Nat.eqb_neq in E. rewrite E. ring.
  Qed.

  Lemma form_along x i z j : (i < d)%nat -> (j < d)%nat -> B (along x i) (along z j) = x * z * M i j.
  Proof using All.
    intros Hi Hj. unfold B, along, M. rewrite bilinear_scal_l, bilinear_scal_r, bilinear_query_key.
    rewrite Rmult_assoc. do 2 f_equal. apply sum_ext. intros h _. now rewrite !dot_axis.
  Qed.

  Lemma positives : 0 < s /\ s * s = N /\ 0 < N /\ 1 <= K /\ 0 < q /\ q * q = K + l * l /\ 0 < y /\ y * y = spread K l.
  Proof using All.
    assert (HN : 0 < N) by (apply lt_0_INR; unfold d; lia).
    assert (HK : 1 <= K) by (unfold K; replace 1 with (INR 1) by reflexivity; now apply le_INR).
    assert (HQ : 0 < K + l * l) by nra. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
    repeat split; try assumption; try (now apply sqrt_lt_R0); apply sqrt_sqrt; lra.
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

  Lemma margin x z z' :
    kappa + score I (query_key width WQ WK) x z' <= score I (query_key width WQ WK) x z ->
    kappa * s + B (embedding I x) (embedding I z') <= B (embedding I x) (embedding I z).
  Proof using All.
    intros H. apply score_margin in H; [exact H|]. change (1 <= 2 * C + 1 + 1)%nat. lia.
  Qed.

  Lemma axis_form i j : (i < d)%nat -> (j < d)%nat -> B (along s i) (along s j) = N * M i j.
  Proof using All. intros Hi Hj. destruct positives as (_ & E & _). rewrite <- E. now apply form_along. Qed.

  Lemma opposite_l x k : B (noise_of 0) (along x k) + B (noise_of 1) (along x k) = 0.
  Proof using All. unfold B, noise_of, along. cbn [Nat.eqb]. rewrite !bilinear_scal_l. ring. Qed.

  Lemma opposite_r x k : B (along x k) (noise_of 0) + B (along x k) (noise_of 1) = 0.
  Proof using All. unfold B, noise_of, along. cbn [Nat.eqb]. rewrite !bilinear_scal_r. ring. Qed.

  Lemma members c i : (c < C)%nat -> (i < 2)%nat -> member I c i.
  Proof using All. intros H H'. split; assumption. Qed.

  Let m := kappa * s / N.

  Lemma from_form x : kappa * s <= N * x -> m <= x.
  Proof using All.
    intros H. destruct positives as (_ & _ & HN & _). apply (Rmult_le_reg_l N); [assumption|].
    replace (N * m) with (kappa * s) by (unfold m; field; lra). exact H.
  Qed.

  Lemma margin_dormant c c' : (c < C)%nat -> (c' < C)%nat ->
    m <= l * M (1 + c) 0 - l * l * M (1 + c) (1 + c').
  Proof using All.
    intros H H'. apply from_form.
    assert (P : forall i j, (i < 2)%nat -> (j < 2)%nat ->
      kappa * s + (l * (l * B (mean I c) (mean I c') + B (noise_of i) (mean I c'))
                   + (l * B (mean I c) (noise_of j) + B (noise_of i) (noise_of j)))
      <= l * B (mean I c) (bos_vector I) + B (noise_of i) (bos_vector I)).
    { intros i j Hi Hj.
      assert (Q : Dormant c' j <> Bos) by congruence.
      pose proof (margin _ _ _ (dormant_prefers_bos _ _ _ (reading_a _ _ _ HW) c i (Dormant c' j)
                    (members c i H Hi) (members c' j H' Hj) Q)) as G.
      cbn [embedding] in G. rewrite !form_dormant_r, !form_dormant_l in G. lra. }
    pose proof (P 0%nat 0%nat ltac:(lia) ltac:(lia)) as P00. pose proof (P 0%nat 1%nat ltac:(lia) ltac:(lia)) as P01.
    pose proof (P 1%nat 0%nat ltac:(lia) ltac:(lia)) as P10. pose proof (P 1%nat 1%nat ltac:(lia) ltac:(lia)) as P11.
    pose proof (opposite_l s (1 + c')) as O1. change (along s (1 + c')) with (mean I c') in O1.
    pose proof (opposite_l s 0) as O2. change (along s 0) with (bos_vector I) in O2.
    pose proof (opposite_r s (1 + c)) as O3. change (along s (1 + c)) with (mean I c) in O3.
    pose proof (opposite_r dlt (2 * C + 1 + 0)) as O4. change (along dlt (2 * C + 1 + 0)) with (noise_of 0) in O4.
    pose proof (opposite_r (- dlt) (2 * C + 1 + 0)) as O5. change (along (- dlt) (2 * C + 1 + 0)) with (noise_of 1) in O5.
    assert (E1 : B (mean I c) (bos_vector I) = N * M (1 + c) 0) by (apply axis_form; unfold d; lia).
    assert (E2 : B (mean I c) (mean I c') = N * M (1 + c) (1 + c')) by (apply axis_form; unfold d; lia).
    assert (O1' : l * (B (noise_of 0) (mean I c') + B (noise_of 1) (mean I c')) = 0) by (rewrite O1; ring).
    assert (O3' : l * (B (mean I c) (noise_of 0) + B (mean I c) (noise_of 1)) = 0) by (rewrite O3; ring).
    replace (N * (l * M (1 + c) 0 - l * l * M (1 + c) (1 + c')))
      with (l * (N * M (1 + c)%nat 0%nat) - l * l * (N * M (1 + c)%nat (1 + c')%nat)) by ring.
    rewrite <- E1, <- E2. lra.
  Qed.

  Lemma margin_group c : (c < C)%nat -> m <= l * M (1 + C + c) (1 + c) - M (1 + C + c) 0.
  Proof using All.
    intros H. apply from_form.
    assert (P : forall i, (i < 2)%nat ->
      kappa * s + B (copy_query I c) (bos_vector I)
      <= l * B (copy_query I c) (mean I c) + B (copy_query I c) (noise_of i)).
    { intros i Hi.
      pose proof (margin _ _ _ (copy_prefers_group _ _ _ (reading_a _ _ _ HW) c i Bos (members c i H Hi) Logic.I
                    (fun x => x))) as G.
      cbn [embedding] in G. rewrite form_dormant_r in G. exact G. }
    pose proof (P 0%nat ltac:(lia)) as P0. pose proof (P 1%nat ltac:(lia)) as P1.
    pose proof (opposite_r s (1 + C + c)) as O. change (along s (1 + C + c)) with (copy_query I c) in O.
    assert (E1 : B (copy_query I c) (bos_vector I) = N * M (1 + C + c) 0) by (apply axis_form; unfold d; lia).
    assert (E2 : B (copy_query I c) (mean I c) = N * M (1 + C + c) (1 + c)) by (apply axis_form; unfold d; lia).
    replace (N * (l * M (1 + C + c) (1 + c) - M (1 + C + c) 0))
      with (l * (N * M (1 + C + c)%nat (1 + c)%nat) - N * M (1 + C + c)%nat 0%nat) by ring.
    rewrite <- E1, <- E2. lra.
  Qed.

  Lemma margin_other c c' : (c < C)%nat -> (c' < C)%nat -> c <> c' ->
    m <= M (1 + C + c) 0 - l * M (1 + C + c) (1 + c').
  Proof using All.
    intros H H' E. apply from_form.
    assert (P : forall i, (i < 2)%nat ->
      kappa * s + (l * B (copy_query I c) (mean I c') + B (copy_query I c) (noise_of i))
      <= B (copy_query I c) (bos_vector I)).
    { intros i Hi. assert (Q : Dormant c' i <> Bos) by congruence.
      assert (Q' : ~ in_group c (Dormant c' i)) by (cbn; congruence).
      pose proof (margin _ _ _ (copy_prefers_bos _ _ _ HW c (Dormant c' i) H (members c' i H' Hi) Q Q')) as G.
      cbn [embedding] in G. rewrite form_dormant_r in G. exact G. }
    pose proof (P 0%nat ltac:(lia)) as P0. pose proof (P 1%nat ltac:(lia)) as P1.
    pose proof (opposite_r s (1 + C + c)) as O. change (along s (1 + C + c)) with (copy_query I c) in O.
    assert (E1 : B (copy_query I c) (bos_vector I) = N * M (1 + C + c) 0) by (apply axis_form; unfold d; lia).
    assert (E2 : B (copy_query I c) (mean I c') = N * M (1 + C + c) (1 + c')) by (apply axis_form; unfold d; lia).
    replace (N * (M (1 + C + c) 0 - l * M (1 + C + c) (1 + c')))
      with (N * M (1 + C + c)%nat 0%nat - l * (N * M (1 + C + c)%nat (1 + c')%nat)) by ring.
    rewrite <- E1, <- E2. lra.
  Qed.

  Lemma margin_copies c c' : (c < C)%nat -> (c' < C)%nat -> m <= M (1 + C + c) 0 - M (1 + C + c) (1 + C + c').
  Proof using All.
    intros H H'. apply from_form. assert (Q : Copy c' <> Bos) by congruence.
    pose proof (margin _ _ _ (copy_prefers_bos _ _ _ HW c (Copy c') H H' Q (fun x => x))) as G.
    cbn [embedding] in G.
    assert (E1 : B (copy_query I c) (bos_vector I) = N * M (1 + C + c) 0) by (apply axis_form; unfold d; lia).
    assert (E2 : B (copy_query I c) (copy_query I c') = N * M (1 + C + c) (1 + C + c')) by (apply axis_form; unfold d; lia).
    rewrite Rmult_minus_distr_l, <- E1, <- E2. lra.
  Qed.

  (** *** One row of the pairing *)

  Let row (u v : vector) : R :=
    let Um := sum C (fun c => u (1 + c)%nat) in let Uq := sum C (fun c => u (1 + C + c)%nat) in
    let Vm := sum C (fun c => v (1 + c)%nat) in let Vq := sum C (fun c => v (1 + C + c)%nat) in
    Um * (v 0%nat - l * Vm / K) / q
    + Uq * (l * l * v 0%nat + l * Vm - (K + l * l) / K * Vq) / (q * y)
    + (sum C (fun c => u (1 + C + c)%nat * v (1 + c)%nat) - Uq * Vm / K).

  (** C sum f^2 >= (sum f)^2, from cost_lower_bounds.v, divided by C. *)
  Lemma mean_square (f : nat -> R) : sum C f * sum C f / K <= sum C (fun c => f c * f c).
  Proof using All.
    destruct positives as (_ & _ & _ & HK & _). apply (Rmult_le_reg_l K); [lra|].
    replace (K * (sum C f * sum C f / K)) with (sum C f * sum C f) by (field; lra). apply sum_square_mean.
  Qed.

  Lemma squares_ge u :
    u 0%nat * u 0%nat + sum C (fun c => u (1 + c)%nat * u (1 + c)%nat)
    + sum C (fun c => u (1 + C + c)%nat * u (1 + C + c)%nat) <= dot d u u.
  Proof using All.
    unfold dot, d. replace (2 * C + 1 + 1)%nat with (1 + C + C + 1)%nat by lia. rewrite !sum_append. cbn [sum].
    rewrite !Nat.add_0_r.
    pose proof (Rle_0_sqr (u (1 + C + C)%nat)) as Q. unfold Rsqr in Q. lra.
  Qed.

  Lemma row_le u v : 2 * row u v <= dot d u u + dot d v v.
  Proof using All.
    pose proof (squares_ge u) as Su. pose proof (squares_ge v) as Sv.
    destruct positives as (_ & _ & _ & HK & Hq & Eq & Hy & Ey).
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    pose proof (mean_square (fun c => u (1 + c)%nat)) as Mum. pose proof (mean_square (fun c => v (1 + C + c)%nat)) as Mvq.
    cbv beta in Mum, Mvq.
    (* deviations of q_c against deviations of m_c *)
    assert (T : 2 * (sum C (fun c => u (1 + C + c)%nat * v (1 + c)%nat)
                     - sum C (fun c => u (1 + C + c)%nat) * sum C (fun c => v (1 + c)%nat) / K)
      <= sum C (fun c => u (1 + C + c)%nat * u (1 + C + c)%nat)
         - sum C (fun c => u (1 + C + c)%nat) * sum C (fun c => u (1 + C + c)%nat) / K
         + (sum C (fun c => v (1 + c)%nat * v (1 + c)%nat)
            - sum C (fun c => v (1 + c)%nat) * sum C (fun c => v (1 + c)%nat) / K)).
    { pose proof (mean_square (fun c => u (1 + C + c)%nat - v (1 + c)%nat)) as G. cbv beta in G.
      rewrite sum_minus in G.
      rewrite (sum_ext C (fun c => (u (1 + C + c)%nat - v (1 + c)%nat) * (u (1 + C + c)%nat - v (1 + c)%nat))
        (fun c => u (1 + C + c)%nat * u (1 + C + c)%nat + (v (1 + c)%nat * v (1 + c)%nat
                  - 2 * (u (1 + C + c)%nat * v (1 + c)%nat)))) in G by (intros; ring).
      rewrite sum_plus, sum_minus, sum_scal in G. unfold Rdiv in *. lra. }
    unfold row. set (Um := sum C (fun c => u (1 + c)%nat)) in *. set (Uq := sum C (fun c => u (1 + C + c)%nat)) in *.
    set (Vm := sum C (fun c => v (1 + c)%nat)) in *. set (Vq := sum C (fun c => v (1 + C + c)%nat)) in *.
    set (z := v 0%nat) in *.
    (* two orthonormal rows, and what is left of (z, Vm, Vq) *)
    set (a := (z - l * Vm / K) / q). set (b := (l * l * z + l * Vm - (K + l * l) / K * Vq) / (q * y)).
    assert (F1 : 2 * (Um * (z - l * Vm / K) / q) <= Um * Um / K + K * (a * a)).
    { replace (Um * (z - l * Vm / K) / q) with (Um * a) by (unfold a; field; lra).
      assert (G : 0 <= (Um - K * a) * (Um - K * a) / K)
        by (apply Rmult_le_pos; [apply Rle_0_sqr|apply Rlt_le, Rinv_0_lt_compat; lra]).
      replace ((Um - K * a) * (Um - K * a) / K) with (Um * Um / K - 2 * (Um * a) + K * (a * a)) in G by (field; lra). lra. }
    assert (F2 : 2 * (Uq * (l * l * z + l * Vm - (K + l * l) / K * Vq) / (q * y)) <= Uq * Uq / K + K * (b * b)).
    { replace (Uq * (l * l * z + l * Vm - (K + l * l) / K * Vq) / (q * y)) with (Uq * b) by (unfold b; field; lra).
      assert (G : 0 <= (Uq - K * b) * (Uq - K * b) / K)
        by (apply Rmult_le_pos; [apply Rle_0_sqr|apply Rlt_le, Rinv_0_lt_compat; lra]).
      replace ((Uq - K * b) * (Uq - K * b) / K) with (Uq * Uq / K - 2 * (Uq * b) + K * (b * b)) in G by (field; lra). lra. }
    assert (HD : 0 < spread K l) by (apply spread_pos; lra).
    assert (F3 : K * (a * a) + K * (b * b) <= z * z + Vm * Vm / K + Vq * Vq / K).
    { assert (X : z * z + Vm * Vm / K + Vq * Vq / K - (K * (a * a) + K * (b * b))
                  = (l * z + Vm + l * Vq) * (l * z + Vm + l * Vq) / spread K l).
      { replace (a * a) with ((z - l * Vm / K) * (z - l * Vm / K) / (q * q)) by (unfold a; field; lra).
        replace (b * b) with ((l * l * z + l * Vm - (K + l * l) / K * Vq) * (l * l * z + l * Vm - (K + l * l) / K * Vq)
                              / (q * q * (y * y))) by (unfold b; field; lra).
        rewrite Eq, Ey. unfold spread in *. field. repeat split; lra. }
      assert (0 <= (l * z + Vm + l * Vq) * (l * z + Vm + l * Vq) / spread K l); [|lra].
      apply Rmult_le_pos; [apply Rle_0_sqr|apply Rlt_le, Rinv_0_lt_compat; lra]. }
    pose proof (Rle_0_sqr (u 0%nat)) as U0. unfold Rsqr in U0. fold z in Sv. lra.
  Qed.

  (** *** Adding up *)

  Let Sa := sum C (fun c => M (1 + c) 0).
  Let Sp := sum C (fun c => sum C (fun c' => M (1 + c) (1 + c'))).
  Let Sg := sum C (fun c => M (1 + C + c) 0).
  Let Su := sum C (fun c => sum C (fun c' => M (1 + C + c) (1 + c'))).
  Let Sd := sum C (fun c => M (1 + C + c) (1 + c)).
  Let Sv := sum C (fun c => sum C (fun c' => M (1 + C + c) (1 + C + c'))).

  Lemma products (i j : nat -> nat) :
    sum width (fun h => sum C (fun c => WQ h (i c)) * sum C (fun c => WK h (j c)))
    = sum C (fun c => sum C (fun c' => M (i c) (j c'))).
  Proof using All.
    rewrite (sum_ext width _ (fun h => sum C (fun c => sum C (fun c' => WQ h (i c) * WK h (j c'))))).
    - rewrite sum_swap. apply sum_ext. intros c _. now rewrite sum_swap.
    - intros h _. rewrite <- sum_scal_r. apply sum_ext. intros. now rewrite sum_scal.
  Qed.

  Lemma with_bos (i : nat -> nat) :
    sum width (fun h => sum C (fun c => WQ h (i c)) * WK h 0%nat) = sum C (fun c => M (i c) 0).
  Proof using All.
    rewrite (sum_ext width _ (fun h => sum C (fun c => WQ h (i c) * WK h 0%nat))) by (intros; now rewrite sum_scal_r).
    now rewrite sum_swap.
  Qed.

  Lemma pairing_value :
    sum width (fun h => row (WQ h) (WK h))
    = (Sa - l / K * Sp) / q + (l * l * Sg + l * Su - (K + l * l) / K * Sv) / (q * y) + (Sd - Su / K).
  Proof using All.
    destruct positives as (_ & _ & _ & HK & Hq & _ & Hy & _).
    assert (D1 : sum width (fun h => sum C (fun c => WQ h (1 + C + c)%nat * WK h (1 + c)%nat)) = Sd)
      by (rewrite sum_swap; reflexivity).
    unfold row. cbv zeta.
    rewrite (sum_ext width _ (fun h =>
      / q * (sum C (fun c => WQ h (1 + c)%nat) * WK h 0%nat)
      + - (l / (K * q)) * (sum C (fun c => WQ h (1 + c)%nat) * sum C (fun c => WK h (1 + c)%nat))
      + (l * l / (q * y) * (sum C (fun c => WQ h (1 + C + c)%nat) * WK h 0%nat)
         + (l / (q * y) - / K) * (sum C (fun c => WQ h (1 + C + c)%nat) * sum C (fun c => WK h (1 + c)%nat))
         + - ((K + l * l) / (K * (q * y))) * (sum C (fun c => WQ h (1 + C + c)%nat) * sum C (fun c => WK h (1 + C + c)%nat)))
      + sum C (fun c => WQ h (1 + C + c)%nat * WK h (1 + c)%nat))) by (intros; field; lra).
    rewrite !sum_plus, !sum_scal.
    rewrite (with_bos (fun c => 1 + c)%nat), (with_bos (fun c => 1 + C + c)%nat),
      (products (fun c => 1 + c)%nat (fun c => 1 + c)%nat), (products (fun c => 1 + C + c)%nat (fun c => 1 + c)%nat),
      (products (fun c => 1 + C + c)%nat (fun c => 1 + C + c)%nat), D1.
    fold Sa Sp Sg Su Sv. field. lra.
  Qed.

  Theorem sink_with_bos_lower :
    2 * kappa / s * sink_cost_with_bos_many K l <= factor_cost d width WQ WK.
  Proof using All.
    destruct positives as (Hs & Es & HN & HK & Hq & Eq & Hy & Ey).
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (S : 2 * sum width (fun h => row (WQ h) (WK h)) <= factor_cost d width WQ WK).
    { rewrite factor_cost_dot, <- sum_scal. apply sum_le. intros h _. apply row_le. }
    rewrite pairing_value in S.
    assert (A1 : K * (K * m) <= K * (l * Sa) - l * l * Sp).
    { replace (K * (l * Sa) - l * l * Sp)
        with (sum C (fun c => sum C (fun c' => l * M (1 + c) 0 - l * l * M (1 + c) (1 + c')))).
      - unfold K at 1. rewrite <- (sum_const C (K * m)). apply sum_le. intros c Hc.
        unfold K. rewrite <- (sum_const C m). apply sum_le. intros c' Hc'. now apply margin_dormant.
      - rewrite (sum_ext C _ (fun c => K * l * M (1 + c) 0 - l * l * sum C (fun c' => M (1 + c) (1 + c'))))
          by (intros; rewrite sum_minus, sum_const, sum_scal; fold K; ring).
        rewrite sum_minus, !sum_scal. fold Sa Sp. ring. }
    assert (A2 : K * m <= l * Sd - Sg).
    { unfold K, Sd, Sg. rewrite <- (sum_const C m), <- (sum_scal C l), <- sum_minus. apply sum_le. intros c Hc.
      now apply margin_group. }
    assert (A3 : K * ((K - 1) * m) <= (K - 1) * Sg - l * (Su - Sd)).
    { replace ((K - 1) * Sg - l * (Su - Sd)) with (sum C (fun c =>
        sum C (fun c' => M (1 + C + c) 0 - l * M (1 + C + c) (1 + c')) - (M (1 + C + c) 0 - l * M (1 + C + c) (1 + c)))).
      - unfold K at 1. rewrite <- (sum_const C ((K - 1) * m)). apply sum_le. intros c Hc.
        pose proof (sum_all_but_one C (fun c' => M (1 + C + c) 0 - l * M (1 + C + c) (1 + c')) c m Hc) as G.
        cbv beta in G. fold K in G. assert (G' := G (fun c' Hc' E => margin_other c c' Hc Hc' (not_eq_sym E))). lra.
      - rewrite sum_minus, sum_minus, sum_scal.
        rewrite (sum_ext C (fun c => sum C (fun c' => M (1 + C + c) 0 - l * M (1 + C + c) (1 + c')))
          (fun c => K * M (1 + C + c) 0 - l * sum C (fun c' => M (1 + C + c) (1 + c'))))
          by (intros; now rewrite sum_minus, sum_const, sum_scal).
        rewrite sum_minus, !sum_scal. fold Sg Su Sd. ring. }
    assert (A4 : K * (K * m) <= K * Sg - Sv).
    { replace (K * Sg - Sv)
        with (sum C (fun c => sum C (fun c' => M (1 + C + c) 0 - M (1 + C + c) (1 + C + c')))).
      - unfold K at 1. rewrite <- (sum_const C (K * m)). apply sum_le. intros c Hc.
        unfold K. rewrite <- (sum_const C m). apply sum_le. intros c' Hc'. now apply margin_copies.
      - rewrite (sum_ext C _ (fun c => K * M (1 + C + c) 0 - sum C (fun c' => M (1 + C + c) (1 + C + c'))))
          by (intros; now rewrite sum_minus, sum_const).
        now rewrite sum_minus, sum_scal. }
    (* the multipliers *)
    assert (Hqy : 0 < q * y) by now apply Rmult_lt_0_compat.
    assert (Z : K * l <= q * y).
    { apply le_by_square; [lra|]. replace (q * y * (q * y)) with (q * q * (y * y)) by ring. rewrite Eq, Ey. unfold spread.
      assert (0 <= K * K * (1 - l * l)) by (apply Rmult_le_pos; [apply Rle_0_sqr|lra]).
      assert (0 <= (K + l * l) * ((K + 1) * (l * l))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
      assert (0 <= l * l * K) by (apply Rmult_le_pos; lra). lra. }
    set (z1 := / (K * l * q)). set (z6 := / (K * l) - / (q * y)). set (z3 := (K - 1) / (K * l) + / (q * y)).
    set (z7 := (K + l * l) / (K * (q * y))).
    assert (HKl : 0 < K * l) by (apply Rmult_lt_0_compat; lra).
    assert (Z1 : 0 <= z1) by (apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; assumption).
    assert (Z6 : 0 <= z6) by (unfold z6; pose proof (Rinv_le_contravar _ _ HKl Z); lra).
    assert (Z3 : 0 <= z3).
    { unfold z3. pose proof (Rinv_0_lt_compat _ Hqy). apply Rplus_le_le_0_compat; [|lra].
      apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat; assumption. }
    assert (Z7 : 0 <= z7) by (apply Rlt_le, Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
    apply (Rmult_le_compat_l _ _ _ Z1) in A1. apply (Rmult_le_compat_l _ _ _ Z3) in A2.
    apply (Rmult_le_compat_l _ _ _ Z6) in A3. apply (Rmult_le_compat_l _ _ _ Z7) in A4.
    assert (Left : z1 * (K * (K * m)) + z3 * (K * m) + z6 * (K * ((K - 1) * m)) + z7 * (K * (K * m))
                   = m * sink_cost_with_bos_many K l).
    { unfold z1, z3, z6, z7, sink_cost_with_bos_many. fold q y. field. lra. }
    assert (Right : z1 * (K * (l * Sa) - l * l * Sp) + z3 * (l * Sd - Sg) + z6 * ((K - 1) * Sg - l * (Su - Sd))
                    + z7 * (K * Sg - Sv)
      = (Sa - l / K * Sp) / q + (l * l * Sg + l * Su - (K + l * l) / K * Sv) / (q * y) + (Sd - Su / K)).
    { unfold z1, z3, z6, z7. field. lra. }
    replace (2 * kappa / s * sink_cost_with_bos_many K l) with (2 * (m * sink_cost_with_bos_many K l))
      by (unfold m; rewrite <- Es; field; lra).
    lra.
  Qed.
End Lower.

(** At C = 4, lam^2 = 1/2. *)
Lemma many_worst : 2 * sink_cost_with_bos_many 4 (/ sqrt 2) = reading_b_constant * 4.
Proof.
  destruct root2 as [Ew Hw].
  assert (E : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  assert (H13 : 0 < sqrt 13) by (apply sqrt_lt_R0; lra).
  assert (E13 : sqrt 13 * sqrt 13 = 13) by (apply sqrt_sqrt; lra).
  unfold sink_cost_with_bos_many, reading_b_constant.
  assert (Eq : sqrt (4 + / sqrt 2 * / sqrt 2) = 3 / sqrt 2).
  { replace (4 + / sqrt 2 * / sqrt 2) with (3 / sqrt 2 * (3 / sqrt 2)).
    - apply sqrt_square, Rlt_le, Rdiv_lt_0_compat; lra.
    - transitivity (9 * (/ sqrt 2 * / sqrt 2)); [field; lra|]. rewrite E. lra. }
  assert (Ey : sqrt (spread 4 (/ sqrt 2)) = sqrt 13 / sqrt 2).
  { unfold spread. rewrite E. replace (4 + (4 + 1) * / 2) with (13 / 2) by lra. apply sqrt_div_alt. lra. }
  rewrite Eq, Ey, E.
  replace (4 / (/ sqrt 2 * (3 / sqrt 2))) with (4 / 3 * (sqrt 2 * sqrt 2)) by (field; lra).
  replace (4 * (2 + / 2) / (3 / sqrt 2 * (sqrt 13 / sqrt 2))) with (10 / (3 * sqrt 13) * (sqrt 2 * sqrt 2)) by (field; lra).
  rewrite Ew. field. lra.
Qed.

(** No constant below it can stand in place of 12 in reading B. *)
Theorem reading_b_constant_is_least : exists I, valid_instance I /\ forall kappa k, 0 < kappa ->
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (k * unit_cost I kappa) -> reading_b_constant <= k.
Proof.
  destruct root2 as [Ew Hw].
  assert (Hl : 0 < / sqrt 2) by now apply Rinv_0_lt_compat.
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  set (I := pair_instance 4 1 (fun _ => 0%nat) (/ sqrt 2) 1).
  assert (HI : valid_instance I) by (apply pair_instance_valid; intros; lia || lra).
  exists I. split; [assumption|]. intros kappa k Hk (width & WQ & WK & HW & HC).
  pose proof (sink_with_bos_lower 4 (/ sqrt 2) 1 kappa ltac:(lia) Hl ltac:(lra) Hk width WQ WK HW) as HL.
  change (factor_cost (2 * 4 + 1 + 1) width WQ WK) with (factor_cost (dimension I) width WQ WK) in HL.
  change (sqrt (INR (2 * 4 + 1 + 1))) with (sqrt (INR (dimension I))) in HL.
  pose proof (Rle_trans _ _ _ HL HC) as H. clear HL HC HW.
  unfold unit_cost in H. change (groups I) with 4%nat in H.
  replace (INR 4) with 4 in H by (simpl; lra).
  pose proof (sqrt_lt_R0 _ (sink_and_diagonal_upper.dimension_pos I HI)) as Hs. set (s := sqrt (INR (dimension I))) in *.
  assert (Hf : 0 < kappa / s) by now apply Rdiv_lt_0_compat.
  apply (Rmult_le_reg_r 4); [lra|]. rewrite <- many_worst.
  apply (Rmult_le_reg_l (kappa / s)); [assumption|]. unfold Rdiv in *. lra.
Qed.

Print Assumptions reading_b_constant_is_least.
Print Assumptions sink_with_bos_lower.
