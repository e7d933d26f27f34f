(** * co-4: what a sink costs at least

    The weights, averages and operator norms are in proofs/theory/cost_lower_bounds.v (reading A) and
    proofs/theory/sink_with_bos_cost.v (reading B); that reading A's bound can be had is
    proofs/theory/sink_and_diagonal_upper.v.  Here: the sentences of the claim, and the bracket's rate in C.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-4 Claim sink_lower.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_with_bos_cost sink_and_diagonal_upper.
From Claim Require Import statement.
Open Scope R_scope.

(** ** Reading A *)

Theorem sink_lower_exact : statement.sink_lower_exact.
Proof. intros I kappa HI. exact (sink_cost_least I HI kappa). Qed.

Theorem sink_lower_closed_form : statement.sink_lower_closed_form.
Proof. intros I HI. exact (sink_least_closed_form I HI). Qed.

Theorem sink_lower_attained : statement.sink_lower_attained.
Proof.
  intros I kappa HI Hk. pose proof (sink_upper I kappa HI Hk) as H. rewrite <- (sink_least_closed_form I HI) in H.
  exact H.
Qed.

Theorem sink_lower_bracket : statement.sink_lower_bracket.
Proof. intros I kappa HI Hk. exact (sink_cost_bracket I HI kappa Hk). Qed.

Theorem sink_lower_linear : statement.sink_lower_linear.
Proof. intros I kappa HI Hk. exact (sink_cost_linear I HI kappa Hk). Qed.

Theorem sink_lower : statement.sink_lower.
Proof. intros I kappa HI Hk. exact (sink_cost_published I HI kappa Hk). Qed.

(** N = sqrt(C + 2C/E + 1/E^2) lies between 1 and 1 + sqrt C. *)
Theorem sink_lower_rate : statement.sink_lower_rate.
Proof.
  intros I HI. pose proof (lam_positive I HI) as Hl. pose proof (groups_ge_1 I HI) as Hn.
  pose proof (sink_norm_gt_1 I HI) as HN. pose proof (lam_below I HI) as Hl1.
  destruct (sink_norm_facts I HI) as [_ NN]. destruct (sink_root_square I HI) as [HE EE].
  set (n := INR (groups I)) in *. set (l := lam I) in *.
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

(** ** Reading B *)

Theorem sink_lower_with_bos : statement.sink_lower_with_bos.
Proof. intros I kappa HI width WQ WK HW. apply (sink_lower_exact I kappa HI width WQ WK), HW. Qed.

Theorem sink_with_bos_lower : statement.sink_with_bos_lower.
Proof. intros I kappa HI. exact (sink_with_bos_cost_least I kappa HI). Qed.

Theorem sink_with_bos_lower_linear : statement.sink_with_bos_lower_linear.
Proof.
  intros I kappa HI Hk r WQ WK HW. pose proof (sink_with_bos_lower I kappa HI r WQ WK HW) as H.
  pose proof (lam_positive I HI) as Hl. pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs.
  pose proof (groups_ge_1 I HI) as Hn. unfold cost_unit in H.
  set (C := INR (groups I)) in *. set (l := lam I) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  assert (Hf : 0 < sqrt (C + l * l)) by (apply sqrt_lt_R0; lra).
  assert (Hz : 0 < sqrt (C + (C + 1) * (l * l))).
  { apply sqrt_lt_R0. assert (0 < (C + 1) * (l * l)) by (apply Rmult_lt_0_compat; lra). lra. }
  eapply Rle_trans; [|exact H].
  replace (4 * kappa * (C - 1) / (l * sqrt (INR (dimension I))))
    with (2 * kappa / sqrt (INR (dimension I)) * (2 * (C - 1) / l)) by (field; lra).
  apply Rmult_le_compat_l; [apply (unit_nonneg I HI kappa Hk)|].
  assert (0 < C / (l * sqrt (C + l * l))) by (apply Rdiv_lt_0_compat; [lra|now apply Rmult_lt_0_compat]).
  assert (0 < C * (2 + l * l) / (sqrt (C + l * l) * sqrt (C + (C + 1) * (l * l)))).
  { apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|now apply Rmult_lt_0_compat]. }
  lra.
Qed.

Print Assumptions sink_lower_exact.
Print Assumptions sink_lower_attained.
Print Assumptions sink_lower_closed_form.
Print Assumptions sink_lower_rate.
Print Assumptions sink_lower_bracket.
Print Assumptions sink_lower_linear.
Print Assumptions sink_lower.
Print Assumptions sink_lower_with_bos.
Print Assumptions sink_with_bos_lower.
Print Assumptions sink_with_bos_lower_linear.
