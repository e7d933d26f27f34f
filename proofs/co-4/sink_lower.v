(** * co-4: what a sink costs at least

    Claim (docs/THEORY.md, co-4).  Every factorisation W_Q, W_K, of any head width, whose scores have the sink
    pattern of reading A (hence B too) with margin kappa >= 0 costs
        ||W_Q||_F^2 + ||W_K||_F^2 >= kappa C/(2 sqrt d)                                  [sink_lower]
    and, sharper, >= (2 kappa/sqrt d) [(C-1)/lam + 1/sqrt(C + lam^2)]                    [sink_lower_bracket].
    For every C >= 1, every d, every lam with 1/2 <= lam^2 < 1, groups of any sizes from 2.

    More is true, and proved first: with E = sqrt(1 + C + C/lam^2),
        >= (2 kappa/(lam sqrt d)) (C - 1 + sqrt(C + 2C/E + 1/E^2))                       [sink_lower_exact]
    so >= 2 kappa C/(lam sqrt d) [sink_lower_linear]: the published 1/2 may be replaced by 2/lam > 2, and by no
    larger multiple of 1/lam that holds for all C [sink_lower_rate] once the bound is attained.
    [sink_lower_closed_form] writes the same number with D = C + (C+1) lam^2.

    The weights, averages and operator norms are in proofs/theory/cost_lower_bounds.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/co-4/sink_lower.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds.
Open Scope R_scope.

Theorem sink_lower_exact I kappa :
  valid_instance I ->
  let C := INR (groups I) in
  let E := sqrt (1 + C + C / (lam I * lam I)) in
  forall width WQ WK, sink_pattern I (query_key width WQ WK) kappa ->
  2 * kappa / (lam I * sqrt (INR (dimension I))) * (C - 1 + sqrt (C + 2 * C / E + 1 / (E * E)))
  <= factor_cost (dimension I) width WQ WK.
Proof.
  intros HI C E r WQ WK HW. pose proof (sink_cost_least I HI kappa r WQ WK HW) as H.
  pose proof (lam_positive I HI). pose proof (sqrt_lt_R0 _ (dimension_pos I HI)).
  replace (2 * kappa / (lam I * sqrt (INR (dimension I))) * (C - 1 + sqrt (C + 2 * C / E + 1 / (E * E))))
    with (2 * kappa / sqrt (INR (dimension I)) * sink_least I); [exact H|].
  unfold sink_least, sink_norm, sink_root. fold C. fold E. field. lra.
Qed.

Theorem sink_lower_bracket I kappa :
  valid_instance I -> 0 <= kappa ->
  let C := INR (groups I) in
  forall width WQ WK, sink_pattern I (query_key width WQ WK) kappa ->
  2 * kappa / sqrt (INR (dimension I)) * ((C - 1) / lam I + 1 / sqrt (C + lam I * lam I))
  <= factor_cost (dimension I) width WQ WK.
Proof. intros HI Hk C. exact (sink_cost_bracket I HI kappa Hk). Qed.

Theorem sink_lower_linear I kappa :
  valid_instance I -> 0 <= kappa ->
  forall width WQ WK, sink_pattern I (query_key width WQ WK) kappa ->
  2 * kappa * INR (groups I) / (lam I * sqrt (INR (dimension I))) <= factor_cost (dimension I) width WQ WK.
Proof. intros HI Hk. exact (sink_cost_linear I HI kappa Hk). Qed.

Theorem sink_lower I kappa :
  valid_instance I -> 0 <= kappa ->
  forall width WQ WK, sink_pattern I (query_key width WQ WK) kappa ->
  kappa * INR (groups I) / (2 * sqrt (INR (dimension I))) <= factor_cost (dimension I) width WQ WK.
Proof. intros HI Hk. exact (sink_cost_published I HI kappa Hk). Qed.

(** Reading B asks for more, so it costs at least as much. *)
Theorem sink_lower_with_bos I kappa :
  valid_instance I -> 0 <= kappa ->
  forall width WQ WK, sink_pattern_with_bos I (query_key width WQ WK) kappa ->
  2 * kappa * INR (groups I) / (lam I * sqrt (INR (dimension I))) <= factor_cost (dimension I) width WQ WK.
Proof. intros HI Hk r WQ WK HW. apply sink_lower_linear; try assumption. apply HW. Qed.

(** The exact bound is strictly above the bracket, and its slope in C is 1/lam: it lies between C/lam and
    (C + sqrt C)/lam. *)
Theorem sink_lower_rate I :
  valid_instance I ->
  sink_bracket I < sink_least I /\
  INR (groups I) / lam I < sink_least I <= (INR (groups I) + sqrt (INR (groups I))) / lam I.
Proof.
  intros HI. pose proof (lam_positive I HI) as Hl. pose proof (groups_ge_1 I HI) as Hn.
  pose proof (sink_norm_gt_1 I HI) as HN. pose proof (lam_below I HI) as Hl1.
  destruct (sink_norm_facts I HI) as [_ NN]. destruct (sink_root_square I HI) as [HE EE].
  unfold sink_bracket, sink_least. set (n := INR (groups I)) in *. set (l := lam I) in *.
  set (E := sink_root I) in *. set (N := sink_norm I) in *.
  assert (Hi : 0 < / l) by now apply Rinv_0_lt_compat.
  assert (A1 : n / l < (n - 1 + N) / l) by (apply Rmult_lt_compat_r; lra).
  assert (A2 : (n - 1) / l + 1 / sqrt (n + l * l) < (n - 1 + N) / l).
  { assert (R : l <= sqrt (n + l * l)) by (rewrite <- (sqrt_square l) at 1 by lra; apply sqrt_le_1_alt; lra).
    assert (1 / sqrt (n + l * l) <= 1 / l) by (unfold Rdiv; rewrite !Rmult_1_l; now apply Rinv_le_contravar).
    assert (1 / l < N / l) by (apply Rmult_lt_compat_r; lra). unfold Rdiv in *. lra. }
  assert (A3 : (n - 1 + N) / l <= (n + sqrt n) / l); [|auto].
  apply Rmult_le_compat_r; [lra|]. assert (H : N <= 1 + sqrt n); [|lra].
  pose proof (sqrt_pos n) as Ps. pose proof (sqrt_sqrt n ltac:(lra)) as Ss.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  assert (0 < n / (l * l)) by (apply Rdiv_lt_0_compat; lra).
  assert (G1 : sqrt n <= E).
  { apply Rsqr_incr_0; unfold Rsqr; lra. }
  assert (G2 : 1 / (E * E) <= 1).
  { apply (Rmult_le_reg_r (E * E)); [now apply Rmult_lt_0_compat|].
    replace (1 / (E * E) * (E * E)) with 1 by (field; lra). lra. }
  assert (G3 : 2 * n / E <= 2 * sqrt n).
  { apply (Rmult_le_reg_r E); [assumption|]. replace (2 * n / E * E) with (2 * n) by (field; lra).
    rewrite <- Ss at 1. assert (0 <= sqrt n * (E - sqrt n)) by (apply Rmult_le_pos; lra). lra. }
  apply Rsqr_incr_0; unfold Rsqr; lra.
Qed.

(** The same number with D = C + (C+1) lam^2. *)
Theorem sink_lower_closed_form I :
  valid_instance I ->
  let C := INR (groups I) in let l := lam I in let D := C + (C + 1) * (l * l) in
  sink_least I = (C - 1) / l + sqrt (C / (l * l) + / D + 2 * C / (l * sqrt D)).
Proof.
  intros HI C l D. pose proof (lam_positive I HI) as Hl. pose proof (groups_ge_1 I HI) as Hn.
  destruct (sink_norm_facts I HI) as [HN NN]. destruct (sink_root_square I HI) as [HE EE].
  fold C in Hn, NN, EE. fold l in Hl, EE. unfold sink_least. fold C l.
  set (E := sink_root I) in *. set (N := sink_norm I) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  assert (ED : sqrt D = l * E).
  { rewrite <- (sqrt_square (l * E)) by (apply Rmult_le_pos; lra). f_equal.
    replace (l * E * (l * E)) with (l * l * (E * E)) by ring. rewrite EE. unfold D. field. lra. }
  assert (DD : D = l * l * (E * E)) by (rewrite EE; unfold D; field; lra).
  rewrite ED, DD.
  assert (Q : sqrt (C / (l * l) + / (l * l * (E * E)) + 2 * C / (l * (l * E))) = N / l).
  { rewrite <- (sqrt_square (N / l)) by (apply Rlt_le, Rdiv_lt_0_compat; lra). f_equal.
    replace (N / l * (N / l)) with (N * N / (l * l)) by (field; lra). rewrite NN. field. lra. }
  rewrite Q. field. lra.
Qed.

Print Assumptions sink_lower_exact.
Print Assumptions sink_lower_bracket.
Print Assumptions sink_lower_linear.
Print Assumptions sink_lower.
Print Assumptions sink_lower_with_bos.
Print Assumptions sink_lower_rate.
Print Assumptions sink_lower_closed_form.
