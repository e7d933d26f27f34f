(** * co-1: reading A's cost is the least one, and 3 sqrt 2 is the least constant

    With D = C + (C+1) lam^2 the least map cost of a sink in reading A, over all W_Q and W_K of any width, is
    for EVERY instance (2 kappa/sqrt d)[(C-1)/lam + sqrt(C/lam^2 + 1/D + 2C/(lam sqrt D))].  At C = 1,
    lam^2 = 1/2 this is 3 sqrt(2) kappa C/sqrt d.  So no constant below 3 sqrt 2 can stand in place of the
    published 12 in reading A.

    The upper half is sink_upper.v; the lower half is proofs/theory/cost_lower_bounds.v (claim co-4).

    Compile:  coqc -q -R <proofs>/theory Sinkproof least_sink.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_and_diagonal_example sink_cost_forms.
Open Scope R_scope.

(** co-4 writes the same number with E = sqrt(1 + C + C/lam^2) = sqrt(D)/lam. *)
Lemma sink_least_is_sink_cost I : valid_instance I -> sink_least I = sink_cost (INR (groups I)) (lam I).
Proof.
  intros HI. pose proof (groups_from_1 I HI) as HK. pose proof (lam_positive I HI) as Hl.
  unfold sink_least, sink_cost, sink_norm, group_sum_cost.
  set (K := INR (groups I)) in *. set (l := lam I) in *.
  destruct (sqrt_spread K l HK Hl) as [Hy Ey]. pose proof (spread_pos K l HK Hl) as HD.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  assert (E : sink_root I = sqrt (spread K l) / l).
  { unfold sink_root. fold K l.
    replace (1 + K + K / (l * l)) with (spread K l / (l * l)) by (unfold spread; field; lra).
    now rewrite sqrt_div_alt, sqrt_square by lra. }
  rewrite E.
  assert (F : K / (l * l) + / spread K l + 2 * K / (l * sqrt (spread K l))
    = (K + 2 * K / (sqrt (spread K l) / l) + 1 / (sqrt (spread K l) / l * (sqrt (spread K l) / l))) / (l * l)).
  { set (y := sqrt (spread K l)) in *. rewrite <- Ey. field. lra. }
  rewrite F, sqrt_div_alt, sqrt_square by lra. field. lra.
Qed.

(** The least map cost in reading A, of every instance. *)
Theorem least_sink_cost I kappa : valid_instance I -> 0 < kappa ->
  let least := 2 * kappa / sqrt (INR (dimension I)) * sink_cost (INR (groups I)) (lam I) in
  cost_at_most I (fun W => sink_pattern I W kappa) least
  /\ cost_at_least I (fun W => sink_pattern I W kappa) least.
Proof.
  intros HI Hk least. split; [now apply sink_upper|].
  unfold least. rewrite <- sink_least_is_sink_cost by assumption. now apply (sink_cost_least I HI).
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

(** An instance, one group, on which every sink costs at least 3 sqrt 2 kappa C/sqrt d. *)
Theorem constant_is_least : exists I, valid_instance I /\ forall kappa K, 0 < kappa ->
  cost_at_most I (fun W => sink_pattern I W kappa) (K * unit_cost I kappa) -> 3 * sqrt 2 <= K.
Proof.
  destruct root2 as [Ew Hw].
  assert (Hl : 0 < / sqrt 2) by now apply Rinv_0_lt_compat.
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  set (I := pair_instance 1 1 (fun _ => 0%nat) (/ sqrt 2) 1).
  assert (HI : valid_instance I) by (apply pair_instance_valid; intros; lia || lra).
  exists I. split; [assumption|]. intros kappa K Hk (width & WQ & WK & HW & HC).
  pose proof (proj2 (least_sink_cost I kappa HI Hk) width WQ WK HW) as HL.
  pose proof (Rle_trans _ _ _ HL HC) as H. clear HL HC HW.
  change (lam I) with (/ sqrt 2) in H. change (INR (groups I)) with 1 in H.
  unfold unit_cost in H. change (INR (groups I)) with 1 in H.
  pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs. set (s := sqrt (INR (dimension I))) in *.
  assert (Hf : 0 < kappa / s) by now apply Rdiv_lt_0_compat.
  apply (Rmult_le_reg_l (kappa / s)); [assumption|]. rewrite <- sink_cost_worst. unfold Rdiv in *. lra.
Qed.

Print Assumptions least_sink_cost.
Print Assumptions constant_is_least.
