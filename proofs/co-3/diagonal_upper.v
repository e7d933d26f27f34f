(** * co-3: what a diagonal can be had for

    The matrix: per group one piece (m_c + 2 lam q_c)(m_c + (lam/2) q_c)^T, and 2 kappa sqrt(d)/Delta times the
    projector on the noises' span, which by Delta <= 4 delta^2 already gives a token half of its margin over
    the copy tokens: proofs/theory/sink_and_diagonal_upper.v, part 3.  Here: its cost is at most
    3 sqrt(6) kappa C/sqrt d + 4 kappa sqrt(d) r_eta/Delta.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-3 Claim diagonal_upper.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper sink_cost_forms.
From Claim Require Import statement.
Open Scope R_scope.

(** The bracket is at most 3 sqrt 6, its value at lam^2 = 1/2. *)
Lemma diagonal_group_cost_le l : 0 < l -> / 2 <= l * l -> diagonal_group_cost l <= 3 * sqrt 6.
Proof.
  intros Hl L1. unfold diagonal_group_cost. set (L := l * l) in *.
  apply (Rmult_le_reg_r L); [lra|].
  replace (sqrt ((1 + 4 * L) * (4 + L)) / L * L) with (sqrt ((1 + 4 * L) * (4 + L))) by (field; lra).
  pose proof (sqrt_pos 6) as H6. apply sqrt_le_by_square; [apply Rmult_le_pos; lra|].
  replace (3 * sqrt 6 * L * (3 * sqrt 6 * L)) with (9 * (sqrt 6 * sqrt 6) * (L * L)) by ring.
  rewrite sqrt_sqrt by lra.
  assert (0 <= (L - / 2) * (50 * L + 8)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem diagonal_cost : statement.diagonal_cost.
Proof. intros I kappa Delta r f HI Hk HD Hf. exact (sink_and_diagonal_upper.diagonal_upper I kappa Delta r f HI Hk HD Hf). Qed.

Theorem constants_are_enough : statement.constants_are_enough.
Proof.
  intros I kappa Delta r f HI Hk HD Hf.
  refine (cost_at_most_le I _ _ _ _ (diagonal_cost I kappa Delta r f HI Hk HD Hf)).
  pose proof (Rlt_le _ _ (unit_cost_positive I kappa HI Hk)) as Hu. unfold unit_cost in Hu.
  pose proof (Rmult_le_compat_l _ _ _ Hu (diagonal_group_cost_le (lam I) (lam_positive I HI) (lam_from I HI))) as H.
  unfold diagonal_group_cost in H. unfold Rdiv in *. lra.
Qed.

Theorem cheap_diagonal : statement.cheap_diagonal.
Proof.
  intros I kappa Delta r f HI Hk HD Hf.
  destruct (constants_are_enough I kappa Delta r f HI Hk HD Hf) as (width & WQ & WK & HW & HWC).
  destruct (proj1 (value_cost I r f HI Hf)) as (width' & WO & WV & HV & HVC).
  exists width, WQ, WK, width', WO, WV. split; [assumption|]. split; [assumption|].
  assert (H6 : 3 * sqrt 6 <= 13) by (assert (sqrt 6 <= 4) by (apply sqrt_le_by_square; lra); lra).
  pose proof (Rlt_le _ _ (unit_cost_positive I kappa HI Hk)) as Hu. unfold unit_cost in Hu.
  pose proof (Rmult_le_compat_r _ _ _ Hu H6). lra.
Qed.

Print Assumptions diagonal_cost.
Print Assumptions constants_are_enough.
Print Assumptions cheap_diagonal.
