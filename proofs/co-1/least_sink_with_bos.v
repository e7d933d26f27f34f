(** * co-1: reading B's least cost where it is known, and its least constant

    The upper half is proofs/theory/sink_and_diagonal_upper.v, the lower half proofs/theory/sink_with_bos_cost.v:
    they meet in the middle, from 4 to 10 groups for every lam.  At C = 4, lam^2 = 1/2 the least cost is
    (3 sqrt 2 + 4/3 + 10/(3 sqrt 13)) kappa C/sqrt d, so no smaller constant will do.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-1 Claim least_sink_with_bos.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost sink_with_bos_cost
  sink_and_diagonal_upper sink_cost_forms sink_and_diagonal_example.
From Claim Require Import statement.
Open Scope R_scope.

Theorem least_sink_with_bos_cost : statement.least_sink_with_bos_cost.
Proof.
  intros I kappa HI Hk H. split; [exact (sink_with_bos_upper_many I kappa HI Hk H)|].
  exact (sink_with_bos_cost_least I kappa HI).
Qed.

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

(** Four groups, lam^2 = 1/2. *)
Theorem reading_b_constant_is_least : statement.reading_b_constant_is_least.
Proof.
  destruct root2 as [Ew Hw].
  assert (Hl : 0 < / sqrt 2) by now apply Rinv_0_lt_compat.
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  set (I := pair_instance 4 1 (fun _ => 0%nat) (/ sqrt 2) 1).
  assert (HI : valid_instance I) by (apply pair_instance_valid; intros; lia || lra).
  exists I. split; [assumption|]. intros kappa k Hk (width & WQ & WK & HW & HC).
  pose proof (sink_with_bos_cost_least I kappa HI width WQ WK HW) as HL.
  pose proof (Rle_trans _ _ _ HL HC) as H. clear HL HC HW.
  change (groups I) with 4%nat in H. replace (INR 4) with 4 in H by (simpl; lra). change (lam I) with (/ sqrt 2) in H.
  pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs. set (s := sqrt (INR (dimension I))) in *.
  assert (Hf : 0 < kappa / s) by now apply Rdiv_lt_0_compat.
  fold reading_b_constant. apply (Rmult_le_reg_r 4); [lra|]. rewrite <- many_worst.
  apply (Rmult_le_reg_l (kappa / s)); [assumption|]. unfold Rdiv in *. lra.
Qed.

Print Assumptions least_sink_with_bos_cost.
Print Assumptions reading_b_constant_is_least.
