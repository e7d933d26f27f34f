(** * co-1: a sink is cheap

    docs/THEORY.md, co-1: "U_sink <= 12 kappa C/sqrt(d) + 5(r_eta + C)".  For every instance (any d, C, group
    sizes, lam with 1/2 <= lam^2 < 1, any noises) there are W_Q, W_K with the sink pattern, reading B and hence
    reading A, whose map cost is at most the page's (2 kappa/sqrt d)(sqrt(2C)/lam + C(1/lam + 1/lam^2)), and the
    identity on the dormant span costs 2(r_eta + C).

    Sharper than the page: with D = C + (C+1) lam^2,
      reading A:  (2 kappa/sqrt d)[(C-1)/lam + sqrt(C/lam^2 + 1/D + 2C/(lam sqrt D))]  <=  3 sqrt(2) kappa C/sqrt d,
      reading B:  (2 kappa/sqrt d)[2(C-1)/lam + sqrt((C^2 (1+lam^2)^2 + 4 lam^2)/(lam^2 D) + 4C/(lam sqrt D))],
                  or, at C = 4 and 5, [2(C-1)/lam + C/(lam q) + C(2 + lam^2)/(q sqrt D)], q = sqrt(C + lam^2),
                  <=  (3 sqrt 2 + 4/3 + 10/(3 sqrt 13)) kappa C/sqrt d,
    in place of 12; 3 sqrt 2 = 4.2426.., the other constant is 6.5004.., and 10.83 kappa C/sqrt d is what the page's
    own matrix gives.

    The matrices are those of proofs/theory/sink_and_diagonal_upper.v, the closed forms' comparisons those of
    proofs/theory/sink_cost_forms.v.  Reading A's cost is the least one and
    neither constant can be lowered: least_sink.v, least_sink_with_bos.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof sink_upper.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper
  sink_and_diagonal_example sink_cost_forms.
Open Scope R_scope.

(** Reading B's constant. *)
Lemma sink_with_bos_constant I kappa : valid_instance I -> 0 < kappa ->
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (reading_b_constant * unit_cost I kappa).
Proof.
  intros HI Hk. pose proof (lam_positive I HI) as Hl. pose proof (some_group I HI) as HC.
  pose proof (lam_from I HI) as L1. pose proof (lam_below I HI) as L2. pose proof reading_b_constant_bounds as [B _].
  assert (HK : 0 < INR (groups I)) by (apply lt_0_INR; lia).
  destruct (Nat.eq_dec (groups I) 4) as [E4|N4]; [|destruct (Nat.eq_dec (groups I) 5) as [E5|N5]].
  - assert (E : INR (groups I) = 4) by (rewrite E4; simpl; lra).
    destruct (many_hypotheses (lam I) Hl L1 L2 4 ltac:(lra) ltac:(lra)) as [H1 H2]. rewrite <- E in H1, H2.
    assert (G : 2 * sink_cost_with_bos_many (INR (groups I)) (lam I) <= reading_b_constant * INR (groups I))
      by (rewrite E; now apply many_four).
    exact (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk G) (sink_with_bos_upper_many I kappa HI Hk H1 H2)).
  - assert (E : INR (groups I) = 5) by (rewrite E5; simpl; lra).
    destruct (many_hypotheses (lam I) Hl L1 L2 5 ltac:(lra) ltac:(lra)) as [H1 H2]. rewrite <- E in H1, H2.
    assert (G : 2 * sink_cost_with_bos_many (INR (groups I)) (lam I) <= reading_b_constant * INR (groups I)).
    { rewrite E. pose proof (many_five (lam I) Hl L1 L2). lra. }
    exact (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk G) (sink_with_bos_upper_many I kappa HI Hk H1 H2)).
  - assert (G : 2 * sink_cost_with_bos (INR (groups I)) (lam I) <= reading_b_constant * INR (groups I)).
    { pose proof (sink_cost_with_bos_le _ _ HC N4 N5 Hl L1 L2).
      apply (Rmult_le_compat_r (INR (groups I))) in B; lra. }
    exact (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk G) (sink_with_bos_upper I kappa HI Hk)).
Qed.

Theorem cheap_sink I kappa r f : valid_instance I -> 0 < kappa -> noise_basis I r f ->
  let C := INR (groups I) in
  let unit := 2 * kappa / sqrt (INR (dimension I)) in
  (* map cost, the closed forms and the page's *)
  cost_at_most I (fun W => sink_pattern I W kappa) (unit * sink_cost C (lam I))
  /\ cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (unit * sink_cost_with_bos C (lam I))
  /\ cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (unit * page_sink_cost C (lam I))
  (* the constants *)
  /\ cost_at_most I (fun W => sink_pattern I W kappa) (3 * sqrt 2 * unit_cost I kappa)
  /\ cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (reading_b_constant * unit_cost I kappa)
  (* map and value cost together: published with 12 and 5 *)
  /\ (exists width WQ WK width' WO WV,
        sink_pattern_with_bos I (query_key width WQ WK) kappa /\ fixes_dormant I (query_key width' WO WV)
        /\ factor_cost (dimension I) width WQ WK + factor_cost (dimension I) width' WO WV
           <= 12 * unit_cost I kappa + 2 * (INR r + C)).
Proof.
  intros HI Hk Hf C unit. pose proof (groups_from_1 I HI) as HK. pose proof (lam_positive I HI) as Hl.
  pose proof (lam_from I HI) as L1. pose proof (lam_below I HI) as L2. pose proof (some_group I HI) as HC.
  pose proof (sink_upper I kappa HI Hk) as HA. pose proof (sink_with_bos_upper I kappa HI Hk) as HB.
  fold C unit in HA, HB.
  assert (Hu : 0 < unit).
  { unfold unit. apply Rdiv_lt_0_compat; [lra|]. apply sqrt_lt_R0, (dimension_pos I HI). }
  assert (HB6 : cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (reading_b_constant * unit_cost I kappa))
    by now apply sink_with_bos_constant.
  repeat split; try assumption.
  - apply (cost_at_most_le I _ (unit * sink_cost_with_bos C (lam I))); [|assumption].
    apply Rmult_le_compat_l; [lra|]. now apply sink_cost_page.
  - apply (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk (sink_cost_le _ _ HC Hl L1)) HA).
  - destruct HB6 as (width & WQ & WK & HW & HWC).
    destruct (proj1 (value_cost I r f HI Hf)) as (width' & WO & WV & HV & HVC).
    exists width, WQ, WK, width', WO, WV. repeat split; try apply HW; try assumption.
    fold C in HVC. assert (Hc : 0 < unit_cost I kappa);
      [|pose proof (Rmult_le_compat_r _ _ _ (Rlt_le _ _ Hc) (proj2 reading_b_constant_bounds)); lra].
    unfold unit_cost. apply Rdiv_lt_0_compat; [|apply sqrt_lt_R0, (dimension_pos I HI)].
    apply Rmult_lt_0_compat; [assumption|]. fold C. unfold C. lra.
Qed.

(** The hypotheses can be met, for every C, lam and delta > 0. *)
Theorem instances_exist C l dlt : (1 <= C)%nat -> 0 < l -> / 2 <= l * l -> l * l < 1 -> 0 < dlt ->
  exists I r f, valid_instance I /\ noise_basis I r f /\ groups I = C /\ lam I = l /\ delta I = dlt.
Proof.
  intros HC Hl L1 L2 Hd. exists (pair_instance C C (fun c => c) l dlt), C, (fun k => along 1 (2 * C + 1 + k)).
  split; [apply pair_instance_valid; auto; lra|]. split; [|repeat split].
  apply pair_instance_basis; auto. intros k Hk. now exists k.
Qed.

Print Assumptions cheap_sink.
Print Assumptions instances_exist.
