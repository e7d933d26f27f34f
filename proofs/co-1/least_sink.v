(** * co-1: reading A's least cost, and its least constant

    The closed form is the least map cost of EVERY instance: the upper half is proofs/theory/sink_and_diagonal_upper.v,
    the lower half proofs/theory/cost_lower_bounds.v.  At C = 1, lam^2 = 1/2 it is 3 sqrt(2) kappa C/sqrt d, so no
    constant below 3 sqrt 2 can stand in place of the published 12.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-1 Claim least_sink.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_cost_forms sink_and_diagonal_example.
From Claim Require Import statement.
Open Scope R_scope.

Theorem least_sink_cost : statement.least_sink_cost.
Proof.
  intros I kappa HI Hk. split; [exact (sink_upper I kappa HI Hk)|].
  pose proof (sink_cost_least I HI kappa) as H. rewrite (sink_least_closed_form I HI) in H. exact H.
Qed.

(** At C = 1, lam^2 = 1/2 the bracket is 3/sqrt 2. *)
Lemma sink_cost_worst : 2 * sink_cost 1 (/ sqrt 2) = 3 * sqrt 2.
Proof.
  destruct root2 as [Ew Hw].
  assert (E : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  assert (ED : spread 1 (/ sqrt 2) = 2) by (unfold spread; rewrite E; lra).
  unfold sink_cost, group_sum_cost. rewrite ED, E.
  replace (/ sqrt 2 * sqrt 2) with 1 by (field; lra).
  replace (1 / / 2 + / 2 + 2 * 1 / 1) with (3 / sqrt 2 * (3 / sqrt 2)).
  - rewrite sqrt_square by (apply Rlt_le, Rdiv_lt_0_compat; lra).
    replace ((1 - 1) / / sqrt 2) with 0 by (field; lra).
    apply (Rmult_eq_reg_r (sqrt 2)); [|lra].
    replace (3 * sqrt 2 * sqrt 2) with (3 * (sqrt 2 * sqrt 2)) by ring. rewrite Ew. field. lra.
  - transitivity (9 / (sqrt 2 * sqrt 2)); [field; lra|]. rewrite Ew. lra.
Qed.

(** One group, lam^2 = 1/2. *)
Theorem constant_is_least : statement.constant_is_least.
Proof.
  destruct root2 as [Ew Hw].
  assert (Hl : 0 < / sqrt 2) by now apply Rinv_0_lt_compat.
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  set (I := pair_instance 1 1 (fun _ => 0%nat) (/ sqrt 2) 1).
  assert (HI : valid_instance I) by (apply pair_instance_valid; intros; lia || lra).
  exists I. split; [assumption|]. intros kappa k Hk (width & WQ & WK & HW & HC).
  pose proof (proj2 (least_sink_cost I kappa HI Hk) width WQ WK HW) as HL.
  change (2 * kappa / sqrt (INR (dimension I)) * sink_cost 1 (/ sqrt 2) <= factor_cost (dimension I) width WQ WK) in HL.
  pose proof (Rle_trans _ _ _ HL HC) as H. clear HL HC HW. change (INR (groups I)) with 1 in H.
  pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs. set (s := sqrt (INR (dimension I))) in *.
  assert (Hf : 0 < kappa / s) by now apply Rdiv_lt_0_compat.
  apply (Rmult_le_reg_l (kappa / s)); [assumption|]. rewrite <- sink_cost_worst. unfold Rdiv in *. lra.
Qed.

Print Assumptions least_sink_cost.
Print Assumptions constant_is_least.
