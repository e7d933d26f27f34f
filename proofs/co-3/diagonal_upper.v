(** * co-3: what a diagonal can be had for

    docs/THEORY.md, co-3: "U_diag <= 13 kappa C/sqrt d + 4 kappa sqrt(d) r_eta/Delta + 3(r_eta + C)".  For every
    instance, any lower bound Delta > 0 of the squared distances within groups and any orthonormal basis of
    the noises' span (r_eta vectors) there are W_Q, W_K with the diagonal pattern and map cost
      (kappa C/sqrt d) sqrt((1 + 4 lam^2)(4 + lam^2))/lam^2 + 4 kappa sqrt(d) r_eta/Delta,
    at most 3 sqrt(6) kappa C/sqrt d + 4 kappa sqrt(d) r_eta/Delta; 3 sqrt 6 = 7.3484.. in place of 13.  With the
    identity on the dormant span the sum is at most 13 .. + 4 .. + 2(r_eta + C).

    The matrix: per group one piece (m_c + 2 lam q_c)(m_c + (lam/2) q_c)^T, and 2 kappa sqrt(d)/Delta times the
    projector on the noises' span, which by Delta <= 4 delta^2 already gives a token half of its margin over
    the copy tokens.  proofs/theory/sink_and_diagonal_upper.v, part 3.  Neither constant can be lowered:
    least_constants.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof diagonal_upper.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper
  sink_and_diagonal_example sink_cost_forms.
Open Scope R_scope.

(** The bracket is largest at lam^2 = 1/2, where it is 3 sqrt 6. *)
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

Lemma diagonal_group_cost_worst l : 0 < l -> l * l = / 2 -> diagonal_group_cost l = 3 * sqrt 6.
Proof.
  intros Hl E. unfold diagonal_group_cost. rewrite E.
  replace ((1 + 4 * / 2) * (4 + / 2)) with (3 / 2 * (3 / 2) * 6) by lra.
  rewrite sqrt_mult_alt, sqrt_square by lra. field.
Qed.

Lemma sqrt6_le : 3 * sqrt 6 <= 13.
Proof. assert (sqrt 6 <= 4) by (apply sqrt_le_by_square; lra). lra. Qed.

(** 4 kappa sqrt(d) r_eta/Delta. *)
Definition noise_cost (I : instance) (kappa Delta : R) (r : nat) : R :=
  4 * kappa * sqrt (INR (dimension I)) * INR r / Delta.

Theorem cheap_diagonal I kappa Delta r f :
  valid_instance I -> 0 < kappa -> separated I Delta -> noise_basis I r f ->
  (* map cost, the closed form *)
  cost_at_most I (fun W => diagonal_pattern I W kappa)
    (unit_cost I kappa * diagonal_group_cost (lam I) + noise_cost I kappa Delta r)
  (* the constant *)
  /\ cost_at_most I (fun W => diagonal_pattern I W kappa)
       (3 * sqrt 6 * unit_cost I kappa + noise_cost I kappa Delta r)
  (* map and value cost together: published with 13, 4 and 3 *)
  /\ (exists width WQ WK width' WO WV,
        diagonal_pattern I (query_key width WQ WK) kappa /\ fixes_dormant I (query_key width' WO WV)
        /\ factor_cost (dimension I) width WQ WK + factor_cost (dimension I) width' WO WV
           <= 13 * unit_cost I kappa + noise_cost I kappa Delta r + 2 * (INR r + INR (groups I))).
Proof.
  intros HI Hk HD Hf. pose proof (diagonal_upper I kappa Delta r f HI Hk HD Hf) as H.
  fold (unit_cost I kappa) in H. fold (noise_cost I kappa Delta r) in H.
  assert (Hu : 0 < unit_cost I kappa).
  { unfold unit_cost. apply Rdiv_lt_0_compat; [|apply sqrt_lt_R0, (dimension_pos I HI)].
    apply Rmult_lt_0_compat; [assumption|]. pose proof (groups_from_1 I HI). lra. }
  pose proof (diagonal_group_cost_le (lam I) (lam_positive I HI) (lam_from I HI)) as HG.
  pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ Hu) HG) as HU.
  split; [exact H|]. split.
  - apply (cost_at_most_le I _ _ _ (Rplus_le_compat_r (noise_cost I kappa Delta r) _ _ HU)) in H.
    now rewrite (Rmult_comm (3 * sqrt 6)).
  - destruct H as (width & WQ & WK & HW & HWC).
    destruct (proj1 (value_cost I r f HI Hf)) as (width' & WO & WV & HV & HVC).
    exists width, WQ, WK, width', WO, WV. split; [assumption|]. split; [assumption|].
    pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ Hu) sqrt6_le). lra.
Qed.

(** The hypotheses can be met, for every C, lam and delta > 0, with Delta = 4 delta^2 and r_eta = C. *)
Theorem instances_exist C l dlt : (1 <= C)%nat -> 0 < l -> / 2 <= l * l -> l * l < 1 -> 0 < dlt ->
  exists I f, valid_instance I /\ separated I (4 * (dlt * dlt)) /\ noise_basis I C f
              /\ groups I = C /\ lam I = l /\ delta I = dlt.
Proof.
  intros HC Hl L1 L2 Hd. exists (pair_instance C C (fun c => c) l dlt), (fun k => along 1 (2 * C + 1 + k)).
  split; [apply pair_instance_valid; auto; lra|]. split; [apply pair_instance_separated; auto|].
  split; [|repeat split]. apply pair_instance_basis; auto. intros k Hk. now exists k.
Qed.

Print Assumptions cheap_diagonal.
Print Assumptions instances_exist.
