(** * co-3: neither constant can be lowered

    From the lower bound of shared_axis.v: C to infinity gives 3 sqrt 6 before kappa C/sqrt d, delta to 0 gives
    4 before kappa sqrt(d) r_eta/Delta.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-3 Claim least_constants.v *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper sink_cost_forms
  sink_and_diagonal_example.
From Claim Require Import statement shared_axis.
Open Scope R_scope.

(** At lam^2 = 1/2 the bracket is 3 sqrt 6. *)
Lemma diagonal_group_cost_worst l : 0 < l -> l * l = / 2 -> diagonal_group_cost l = 3 * sqrt 6.
Proof.
  intros Hl E. unfold diagonal_group_cost. rewrite E.
  replace ((1 + 4 * / 2) * (4 + / 2)) with (3 / 2 * (3 / 2) * 6) by lra.
  rewrite sqrt_mult_alt, sqrt_square by lra. field.
Qed.

(** What valid constants give on pairs along one shared axis. *)
Lemma constants_on_shared C l dlt a b :
  (1 <= C)%nat -> 0 < l -> / 2 <= l * l -> l * l < 1 -> 0 < dlt -> valid_constants a b ->
  let N := INR (2 * C + 1 + 1) in
  INR C / N * ((INR C - 1) / INR C * diagonal_group_cost l) + 4 / (4 * (dlt * dlt))
  <= INR C / N * a + b / (4 * (dlt * dlt)).
Proof.
  intros HC Hl L1 L2 Hd Hab N.
  set (I := pair_instance C 1 (fun _ => 0%nat) l dlt).
  assert (HI : valid_instance I) by (apply pair_instance_valid; intros; lia || lra).
  assert (HS : separated I (4 * (dlt * dlt))) by (apply pair_instance_separated; auto; intros; lia).
  assert (HB : noise_basis I 1 (fun k => along 1 (2 * C + 1 + k))).
  { apply pair_instance_basis; [intros; lia| |assumption]. intros k Hk. exists 0%nat. split; lia. }
  destruct (Hab I 1 _ _ _ HI Rlt_0_1 HS HB) as (width & WQ & WK & HW & HU).
  pose proof (diagonal_lower C l dlt 1 HC Hl L1 L2 Hd Rlt_0_1 width WQ WK HW) as HL.
  change (dimension I) with (2 * C + 1 + 1)%nat in HU. unfold unit_cost in *.
  change (groups (pair_instance C 1 (fun _ => 0%nat) l dlt)) with C in HL. change (groups I) with C in HU.
  change (dimension (pair_instance C 1 (fun _ => 0%nat) l dlt)) with (2 * C + 1 + 1)%nat in HL.
  change (dimension I) with (2 * C + 1 + 1)%nat in HU. fold N in HU, HL.
  assert (HN : 0 < N) by (apply lt_0_INR; lia).
  assert (Hdd : 0 < dlt * dlt) by now apply Rmult_lt_0_compat.
  assert (HP : 0 < INR C) by (apply lt_0_INR; lia).
  pose proof (sqrt_lt_R0 N HN) as Hs. pose proof (sqrt_sqrt N (Rlt_le _ _ HN)) as Es. set (s := sqrt N) in *.
  pose proof (Rle_trans _ _ _ HL HU) as H. apply (Rmult_le_reg_l s); [assumption|].
  replace (s * (INR C / N * ((INR C - 1) / INR C * diagonal_group_cost l) + 4 / (4 * (dlt * dlt))))
    with (1 * INR C / s * ((INR C - 1) / INR C * diagonal_group_cost l) + 4 * 1 * s * 1 / (4 * (dlt * dlt)))
    by (rewrite <- Es; field; lra).
  replace (s * (INR C / N * a + b / (4 * (dlt * dlt))))
    with (a * (1 * INR C / s) + b * (1 * s * INR 1 / (4 * (dlt * dlt))))
    by (rewrite <- Es; simpl INR; field; lra).
  exact H.
Qed.

(** With the 4 kept, 13 cannot be replaced by anything below 3 sqrt 6. *)
Theorem group_constant_is_least : statement.group_constant_is_least.
Proof.
  intros a Ha. destruct root2 as [Ew Hw].
  assert (Hl : 0 < / sqrt 2) by now apply Rinv_0_lt_compat.
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  pose proof (diagonal_group_cost_worst (/ sqrt 2) Hl Hll) as EG.
  assert (H6 : 0 < sqrt 6) by (apply sqrt_lt_R0; lra).
  (* a >= 3 sqrt 6 (1 - 1/C) for every C *)
  assert (H : forall C, (1 <= C)%nat -> (INR C - 1) * (3 * sqrt 6) <= INR C * a).
  { intros C HC.
    assert (K := constants_on_shared C (/ sqrt 2) 1 a 4 HC Hl ltac:(lra) ltac:(lra) Rlt_0_1 Ha).
    cbv zeta in K. rewrite EG in K.
    assert (HN : 0 < INR (2 * C + 1 + 1)) by (apply lt_0_INR; lia).
    assert (HP : 0 < INR C) by (apply lt_0_INR; lia). set (N := INR (2 * C + 1 + 1)) in *.
    apply (Rmult_le_reg_l (/ N)); [now apply Rinv_0_lt_compat|].
    replace (/ N * ((INR C - 1) * (3 * sqrt 6))) with (INR C / N * ((INR C - 1) / INR C * (3 * sqrt 6))) by (field; lra).
    replace (/ N * (INR C * a)) with (INR C / N * a) by (field; lra). lra. }
  destruct (Rle_lt_dec (3 * sqrt 6) a) as [|Hlt]; [assumption|exfalso].
  set (e := 3 * sqrt 6 - a) in *. assert (He : 0 < e) by (unfold e; lra).
  assert (Hpos : 0 < e / (3 * sqrt 6)) by (apply Rdiv_lt_0_compat; lra).
  destruct (archimed_cor1 _ Hpos) as (n & Hn & Hn1). specialize (H n Hn1).
  assert (HP : 0 < INR n) by now apply lt_0_INR.
  apply (Rmult_lt_compat_r (INR n * (3 * sqrt 6))) in Hn; [|apply Rmult_lt_0_compat; lra].
  replace (/ INR n * (INR n * (3 * sqrt 6))) with (3 * sqrt 6) in Hn by (field; lra).
  replace (e / (3 * sqrt 6) * (INR n * (3 * sqrt 6))) with (INR n * e) in Hn by (field; lra).
  unfold e in Hn. lra.
Qed.

(** 4 cannot be replaced by anything smaller, whatever stands in place of 13. *)
Theorem noise_constant_is_least : statement.noise_constant_is_least.
Proof.
  intros a b Hab. destruct (Rle_lt_dec 4 b) as [|Hb]; [assumption|exfalso].
  destruct root2 as [Ew Hw].
  assert (Hl : 0 < / sqrt 2) by now apply Rinv_0_lt_compat.
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  (* one group, d = 4: (4 - b)/(4 delta^2) <= a/4 for every delta *)
  set (q := (4 - b) / (Rabs a + 1) / 2).
  assert (Ha : 0 < Rabs a + 1) by (pose proof (Rabs_pos a); lra).
  assert (Hq : 0 < q) by (unfold q; repeat apply Rdiv_lt_0_compat; lra).
  pose proof (sqrt_lt_R0 q Hq) as Hr. pose proof (sqrt_sqrt q (Rlt_le _ _ Hq)) as Er.
  assert (K := constants_on_shared 1 (/ sqrt 2) (sqrt q) a b (le_n 1) Hl ltac:(lra) ltac:(lra) Hr Hab).
  cbv zeta in K. rewrite Er in K. replace (INR (2 * 1 + 1 + 1)) with 4 in K by (simpl; lra). simpl INR in K.
  apply (Rmult_le_compat_l (4 * q)) in K; [|lra].
  replace (4 * q * (1 / 4 * ((1 - 1) / 1 * diagonal_group_cost (/ sqrt 2)) + 4 / (4 * q))) with 4 in K by (field; lra).
  replace (4 * q * (1 / 4 * a + b / (4 * q))) with (q * a + b) in K by (field; lra).
  assert (Eq : q * (Rabs a + 1) = (4 - b) / 2) by (unfold q; field; lra).
  pose proof (Rle_abs a) as Hra. apply (Rmult_le_compat_l q) in Hra; [|lra]. lra.
Qed.

Print Assumptions group_constant_is_least.
Print Assumptions noise_constant_is_least.
