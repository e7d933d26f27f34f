(** * co-1: what a sink can be had for

    The matrices are those of proofs/theory/sink_and_diagonal_upper.v, the comparisons of their closed forms
    those of proofs/theory/sink_cost_forms.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-1 Claim sink_upper.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper sink_cost_forms.
From Claim Require Import statement.
Open Scope R_scope.

Theorem constant_is_enough : statement.constant_is_enough.
Proof.
  intros I kappa HI Hk.
  pose proof (sink_cost_le (groups I) (lam I) (some_group I HI) (lam_positive I HI) (lam_from I HI)) as H.
  exact (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk H) (sink_upper I kappa HI Hk)).
Qed.

Theorem cheap_sink_with_bos : statement.cheap_sink_with_bos.
Proof. intros I kappa HI Hk. exact (sink_with_bos_upper I kappa HI Hk). Qed.

Theorem four_to_ten_groups : statement.four_to_ten_groups.
Proof.
  intros I HI H4 H10. apply le_INR in H4, H10. simpl INR in H4, H10.
  apply (four_to_ten (lam I) (lam_positive I HI) (lam_from I HI) (lam_below I HI)); lra.
Qed.

(** Four and five groups need the sharper matrix, the others do not. *)
Theorem reading_b_constant_is_enough : statement.reading_b_constant_is_enough.
Proof.
  intros I kappa HI Hk. pose proof (lam_positive I HI) as Hl. pose proof (some_group I HI) as HC.
  pose proof (lam_from I HI) as L1. pose proof (lam_below I HI) as L2. pose proof reading_b_constant_bounds as [B _].
  assert (HK : 0 < INR (groups I)) by (apply lt_0_INR; lia).
  change (cost_at_most I (fun W => sink_pattern_with_bos I W kappa) (reading_b_constant * unit_cost I kappa)).
  assert (Sharp : (groups I = 4 \/ groups I = 5)%nat ->
    2 * sink_cost_with_bos_many (INR (groups I)) (lam I) <= reading_b_constant * INR (groups I)).
  { intros [E|E]; rewrite E.
    - replace (INR 4) with 4 by (simpl; lra). now apply many_four.
    - replace (INR 5) with 5 by (simpl; lra). pose proof (many_five (lam I) Hl L1 L2). lra. }
  assert (Cases : ((groups I = 4 \/ groups I = 5) \/ (groups I <> 4 /\ groups I <> 5))%nat) by lia.
  destruct Cases as [E|[N4 N5]].
  - assert (M : neither_few_nor_many (INR (groups I)) (lam I)) by (apply four_to_ten_groups; [assumption|lia|lia]).
    exact (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk (Sharp E)) (sink_with_bos_upper_many I kappa HI Hk M)).
  - assert (G : 2 * sink_cost_with_bos (INR (groups I)) (lam I) <= reading_b_constant * INR (groups I)).
    { pose proof (sink_cost_with_bos_le _ _ HC N4 N5 Hl L1 L2).
      apply (Rmult_le_compat_r (INR (groups I))) in B; lra. }
    exact (cost_at_most_le I _ _ _ (scaled_cost I kappa _ _ HI Hk G) (sink_with_bos_upper I kappa HI Hk)).
Qed.

Theorem page_sink : statement.page_sink.
Proof.
  intros I kappa HI Hk. pose proof (groups_from_1 I HI) as HK. pose proof (lam_positive I HI) as Hl.
  pose proof (lam_from I HI) as L1. split.
  - refine (cost_at_most_le I _ _ _ _ (sink_with_bos_upper I kappa HI Hk)).
    apply Rmult_le_compat_l; [|exact (sink_cost_page _ _ HK Hl L1 (lam_below I HI))].
    apply Rlt_le, Rdiv_lt_0_compat; [lra|]. apply sqrt_lt_R0, (dimension_pos I HI).
  - exact (scaled_cost I kappa _ _ HI Hk (page_bracket _ _ HK Hl L1)).
Qed.

Theorem identity_cost : statement.identity_cost.
Proof. intros I r f HI Hf. now apply value_cost with (f := f). Qed.

Theorem cheap_sink : statement.cheap_sink.
Proof.
  intros I kappa r f HI Hk Hf.
  destruct (reading_b_constant_is_enough I kappa HI Hk) as (width & WQ & WK & HW & HWC).
  destruct (proj1 (identity_cost I r f HI Hf)) as (width' & WO & WV & HV & HVC).
  exists width, WQ, WK, width', WO, WV. repeat split; try apply HW; try assumption.
  fold (unit_cost I kappa) in HWC |- *. fold reading_b_constant in HWC.
  pose proof (Rlt_le _ _ (unit_cost_positive I kappa HI Hk)) as Hc.
  pose proof (Rmult_le_compat_r _ _ _ Hc (proj2 reading_b_constant_bounds)). lra.
Qed.

Print Assumptions constant_is_enough.
Print Assumptions cheap_sink_with_bos.
Print Assumptions four_to_ten_groups.
Print Assumptions reading_b_constant_is_enough.
Print Assumptions page_sink.
Print Assumptions identity_cost.
Print Assumptions cheap_sink.
