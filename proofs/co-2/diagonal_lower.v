(** * co-2: what a diagonal costs at least

    The two parts add because the dual matrix of the copy rows has its rows and columns in the span of
    b, mean_c, q_c and Sigma has its in the orthogonal complement: proofs/theory/cost_lower_bounds.v,
    [diagonal_cost_top], by Pythagoras.  Here: the sentences of the claim, and the copy part's rate in C.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-2 Claim diagonal_lower.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds.
From Claim Require Import statement.
Open Scope R_scope.

(** ** Sigma *)

(** Sigma is symmetric and positive semidefinite, so its form at u, u decides. *)
Theorem operator_norm_top : statement.operator_norm_top.
Proof.
  intros I s HI Hs. rewrite (operator_norm_form _ _ _ Hs). split.
  - intros H u. specialize (H u u). unfold inner. lra.
  - intros H u v. pose proof (H u) as Hu. pose proof (H v) as Hv. unfold inner in Hu, Hv.
    rewrite covariance_form in Hu, Hv |- *. rewrite pair_average_scal.
    apply Rle_trans with (pair_average I (fun c i j =>
      dot (dimension I) (difference I c i j) u * dot (dimension I) (difference I c i j) u
      + dot (dimension I) (difference I c i j) v * dot (dimension I) (difference I c i j) v)).
    + apply (pair_average_le I HI). intros c i j _ _ _.
      set (a := dot _ _ u). set (b := dot _ _ v). pose proof (Rle_0_sqr (a - b)) as Q. unfold Rsqr in Q. lra.
    + rewrite <- pair_average_plus. lra.
Qed.

Theorem trace_bound : statement.trace_bound.
Proof.
  intros I g HI Hg. pose proof (covariance_trace_le I HI g Hg) as T. destruct Hg as [Hg _].
  assert (G : 2 <= INR g) by (change 2 with (INR 2); now apply le_INR).
  apply (Rmult_le_reg_r (INR g - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** ** The cost *)

Theorem diagonal_lower_top : statement.diagonal_lower_top.
Proof. intros I kappa s HI Hs Ht. exact (diagonal_cost_top I HI kappa s Hs Ht). Qed.

Theorem diagonal_lower_rank : statement.diagonal_lower_rank.
Proof. intros I kappa s g HI Hk Hs Ht Hd Hg. exact (diagonal_cost_rank I HI kappa s g Hk Hs Ht Hd Hg). Qed.

(** Equality with sqrt(2) C is approached at C = 1, lam -> 1. *)
Lemma copy_part_linear I : valid_instance I -> sqrt 2 * INR (groups I) <= diagonal_copy I.
Proof.
  intros HI. pose proof (lam_positive I HI) as Hl. pose proof (lam_below I HI) as Hl1.
  pose proof (some_group I HI) as Hg. unfold diagonal_copy.
  set (x := lam I * lam I) in *. assert (Hx : 0 < x) by now apply Rmult_lt_0_compat.
  pose proof (sqrt_pos 2) as P2. pose proof (sqrt_sqrt 2 ltac:(lra)) as S2.
  assert (U2 : sqrt 2 <= 71 / 50).
  { apply Rsqr_incr_0; unfold Rsqr; lra. }
  assert (R1 : 11 / 5 <= sqrt (1 + 4 / x)).
  { rewrite <- (sqrt_square (11 / 5)) by lra. apply sqrt_le_1_alt.
    assert (H : 4 <= 4 / x); [|lra]. apply (Rmult_le_reg_r x); [assumption|].
    replace (4 / x * x) with 4 by (field; lra). lra. }
  set (C := INR (groups I)). assert (HC : 1 <= C) by exact (groups_ge_1 I HI).
  assert (Hz : 0 < C + (1 + C) * x) by (assert (0 < (1 + C) * x) by (apply Rmult_lt_0_compat; lra); lra).
  set (v := sqrt ((C + 4 + x) / (C + (1 + C) * x))). assert (Hv : 0 <= v) by apply sqrt_pos.
  assert (V : (C + 5) / (2 * C + 1) <= (C + 4 + x) / (C + (1 + C) * x)).
  { apply (Rmult_le_reg_r ((2 * C + 1) * (C + (1 + C) * x))); [apply Rmult_lt_0_compat; lra|].
    replace ((C + 5) / (2 * C + 1) * ((2 * C + 1) * (C + (1 + C) * x)))
      with ((C + 5) * (C + (1 + C) * x)) by (field; lra).
    replace ((C + 4 + x) / (C + (1 + C) * x) * ((2 * C + 1) * (C + (1 + C) * x)))
      with ((C + 4 + x) * (2 * C + 1)) by (field; lra).
    assert (0 <= (C * C + 4 * C + 4) * (1 - x)); [|lra].
    apply Rmult_le_pos; [|lra]. assert (0 <= C * C) by (apply Rmult_le_pos; lra). lra. }
  assert (D : (groups I = 1 \/ groups I = 2 \/ 3 <= groups I)%nat) by lia.
  destruct D as [D|[D|D]].
  - assert (E : C = 1) by (unfold C; now rewrite D).
    assert (F : (C + 5) / (2 * C + 1) = 2) by (rewrite E; field).
    assert (sqrt 2 <= v) by (apply sqrt_le_1_alt; lra).
    rewrite E at 1 2. lra.
  - assert (E : C = 2) by (unfold C; rewrite D; simpl; ring).
    assert (F : (C + 5) / (2 * C + 1) = 7 / 5) by (rewrite E; field).
    assert (1 <= v) by (rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt; lra).
    rewrite E at 1 2. lra.
  - assert (E : 3 <= C) by (unfold C; replace 3 with (INR 3) by (simpl; ring); now apply le_INR).
    assert ((C - 1) * (11 / 5) <= (C - 1) * sqrt (1 + 4 / x)) by (apply Rmult_le_compat_l; lra).
    assert (sqrt 2 * C <= 71 / 50 * C) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem copy_part_rate : statement.copy_part_rate.
Proof. intros I HI. split; [exact (diagonal_copy_bracket I HI)|exact (copy_part_linear I HI)]. Qed.

Theorem diagonal_lower_bracket : statement.diagonal_lower_bracket.
Proof.
  intros I kappa s g HI Hk Hs Ht Hd Hg width WQ WK HW.
  pose proof (diagonal_cost_bracket I HI kappa s g Hk Hs Ht Hd Hg width WQ WK HW) as H.
  change (sink_bracket I) with (page_bracket I) in H.
  replace (4 * kappa / sqrt (INR (dimension I)) * page_bracket I)
    with (2 * kappa / sqrt (INR (dimension I)) * (2 * page_bracket I)) by (unfold Rdiv; ring).
  exact H.
Qed.

Theorem diagonal_lower_linear : statement.diagonal_lower_linear.
Proof.
  intros I kappa s HI Hk Hs Ht width WQ WK HW.
  pose proof (diagonal_cost_top I HI kappa s Hs Ht width WQ WK HW) as H.
  pose proof (Rmult_le_compat_l _ _ _ (unit_nonneg I HI kappa Hk) (copy_part_linear I HI)) as G.
  replace (2 * sqrt 2 * kappa * INR (groups I) / sqrt (INR (dimension I)))
    with (2 * kappa / sqrt (INR (dimension I)) * (sqrt 2 * INR (groups I))) by (unfold Rdiv; ring). lra.
Qed.

(** Every valid instance has two members in each group. *)
Theorem diagonal_lower : statement.diagonal_lower.
Proof.
  intros I kappa s HI Hk Hs Ht Hd. apply (diagonal_cost_published I HI kappa s 2 Hk Hs Ht Hd).
  split; [lia|]. exact (two_members I HI).
Qed.

Print Assumptions operator_norm_top.
Print Assumptions trace_bound.
Print Assumptions diagonal_lower_top.
Print Assumptions diagonal_lower_rank.
Print Assumptions copy_part_rate.
Print Assumptions diagonal_lower_bracket.
Print Assumptions diagonal_lower_linear.
Print Assumptions diagonal_lower.
