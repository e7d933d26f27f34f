(** * co-2: 4 cannot be raised before kappa sqrt(d)/s

    One group of two, noises delta and -delta on one axis: s = 4 delta^2 = Delta, and co-3's diagonal costs
    4 kappa sqrt(d)/Delta plus something that does not depend on delta; delta to 0.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-2 Claim noise_constant.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_cost_forms sink_and_diagonal_example.
From Claim Require Import statement diagonal_lower.
Open Scope R_scope.

Theorem noise_constant_is_largest : statement.noise_constant_is_largest.
Proof.
  intros b Hb. destruct (Rle_lt_dec b 4) as [|Hlt]; [assumption|exfalso].
  set (g := diagonal_group_cost (3 / 4)).
  assert (Hg : 0 < g) by (apply Rdiv_lt_0_compat; [apply sqrt_lt_R0|]; lra).
  set (x := (b - 4) / (2 * g)). assert (Hx : 0 < x) by (apply Rdiv_lt_0_compat; lra).
  pose proof (sqrt_lt_R0 x Hx) as Hr. pose proof (sqrt_sqrt x (Rlt_le _ _ Hx)) as Er.
  set (I := pair_instance 1 1 (fun _ => 0%nat) (3 / 4) (sqrt x)).
  assert (HI : valid_instance I) by (apply pair_instance_valid; intros; lia || lra).
  assert (HS : separated I (4 * x)) by (rewrite <- Er; apply pair_instance_separated; [intros; lia|assumption]).
  assert (HB : noise_basis I 1 (fun k => along 1 (2 * 1 + 1 + k))).
  { apply pair_instance_basis; [intros; lia| |assumption]. intros k Hk. exists 0%nat. split; lia. }
  assert (HT : top_at_most I (4 * x)) by (rewrite <- Er; exact (top_at_most_4 I HI)).
  destruct (diagonal_upper I 1 (4 * x) 1 _ HI Rlt_0_1 HS HB) as (width & WQ & WK & HW & HU).
  pose proof (Hb I 1 (4 * x) HI Rlt_0_1 ltac:(lra) HT width WQ WK HW) as HL.
  pose proof (Rle_trans _ _ _ HL HU) as H. clear HL HU.
  change (diagonal_group_cost (lam I)) with g in H. change (groups I) with 1%nat in H.
  assert (E : sqrt (INR (dimension I)) = 2).
  { change (dimension I) with 4%nat. replace (INR 4) with (2 * 2) by (simpl; lra). apply sqrt_square. lra. }
  rewrite E in H. simpl INR in H. apply (Rmult_le_compat_l (2 * x)) in H; [|lra].
  replace (2 * x * (b * (1 * 2 / (4 * x)))) with b in H by (field; lra).
  replace (2 * x * (1 * 1 / 2 * g + 4 * 1 * 2 * 1 / (4 * x))) with (x * g + 4) in H by (field; lra).
  replace (x * g) with ((b - 4) / 2) in H by (unfold x; field; lra). lra.
Qed.

(** And 4 is one. *)
Theorem noise_constant_is_largest_instance : exists b, valid_noise_constant b.
Proof.
  exists 4. intros I kappa s HI Hk Hs Ht width WQ WK HW.
  pose proof (diagonal_lower_linear I kappa s HI (Rlt_le _ _ Hk) Hs Ht width WQ WK HW) as H.
  pose proof (unit_cost_positive I kappa HI Hk) as U. pose proof (sqrt_lt_R0 2 ltac:(lra)) as R2.
  apply (Rmult_lt_compat_l (2 * sqrt 2)) in U; [|lra]. unfold unit_cost in U. unfold Rdiv in *. lra.
Qed.

Print Assumptions noise_constant_is_largest.
Print Assumptions noise_constant_is_largest_instance.
