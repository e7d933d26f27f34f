(** * tc-3, the exact constant: off-BOS mass is at most 4 eta, and 2 eta to first order before the trigger

    From [off_bos_mass_le] of proofs/theory/row_normalised_exact.v, where the argument is.  That 4 eta is attained:
    attained.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-3 Claim worst_case.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task row_normalised_core row_normalised_exact.
From Claim Require Import statement.
Open Scope R_scope.

Theorem worst_case : statement.worst_case.
Proof.
  intros n L J a V eta Hn HJ HJL Ha Heta Hloss x j i Hx H1 H2 E.
  pose proof (proj1 (off_bos_mass_le n L a V eta Hn ltac:(lia) Ha Hloss J HJ HJL Heta x j i Hx H1 H2 E)). lra.
Qed.

Theorem worst_case_pre_trigger : statement.worst_case_pre_trigger.
Proof.
  intros n L J a V eta Hn HJ HJL Ha Heta Hloss x j i Hx H1 H2. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
  assert (HL : (3 <= L)%nat) by lia.
  assert (He : 0 <= eta) by (apply (sup_loss_nonneg n L _ eta Hn HL) in Hloss; assumption).
  pose proof (trigger_gap_bounds J HJ) as [HD HD2].
  pose proof (proj2 (off_bos_mass_le n L a V eta Hn HL Ha Hloss J HJ HJL Heta x j i Hx H1 ltac:(lia) ltac:(lia)) H2) as H.
  set (D := trigger_gap J) in *. set (s := 1 - bos_attention a x i) in *.
  assert (HeD : 0 <= eta * D) by (apply Rmult_le_pos; lra).
  assert (HB : 0 < D - 16 * eta * (1 + D)).
  { destruct He as [He|<-]; [|lra]. assert (0 < eta * D) by (now apply Rmult_lt_0_compat). lra. }
  assert (HX : 0 < (1 - 4 * eta) * (D - 16 * eta * (1 + D))) by (apply Rmult_lt_0_compat; lra).
  replace (2 * eta / ((1 - 4 * eta) * (1 - 16 * eta * (1 + D) / D)))
    with (2 * eta * D / ((1 - 4 * eta) * (D - 16 * eta * (1 + D)))) by (field; repeat split; lra).
  assert (Hs : s <= 2 * eta * D / ((1 - 4 * eta) * (D - 16 * eta * (1 + D)))); [|unfold s in Hs; lra].
  apply (Rmult_le_reg_r ((1 - 4 * eta) * (D - 16 * eta * (1 + D)))); [exact HX|].
  unfold Rdiv. rewrite (Rmult_assoc (2 * eta * D)), Rinv_l, Rmult_1_r by lra. exact H.
Qed.

Print Assumptions worst_case.
Print Assumptions worst_case_pre_trigger.
