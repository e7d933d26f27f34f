(** * co-6: the hypotheses can be met

    By one token 1 in R^1 with the constraint score(0,0) >= m ([rule_attained]), for the refutations by two
    constraints that contradict each other: score(0,0) >= 1 and -score(0,0) >= 1.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-6 Claim instances.v *)

From Coq Require Import Reals Lra Lia.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost.
From Claim Require Import statement certified_optimum.
Open Scope R_scope.

(** The token, the constraint, and its pattern with margin m. *)
Definition one_token : nat -> vector := fun _ _ => 1.
Definition one_constraint : nat -> matrix := fun _ _ _ => 1.
Definition one_pattern (m : R) : matrix -> Prop := token_pattern 1 1 1 one_token one_constraint (fun _ => m).

(** Its least cost is 2m. *)
Lemma one_least m : 0 < m -> is_least_cost 1 (one_pattern m) (2 * m).
Proof. intros Hm. apply (rule_attained m Hm). Qed.

Lemma one_attained m : 0 < m -> cost_attained 1 (one_pattern m) (2 * m).
Proof. intros Hm. apply (rule_attained m Hm). Qed.

(** Two constraints that contradict each other. *)
Definition sign (k : nat) : R := if (k =? 0)%nat then 1 else - 1.

Theorem gram_operator_norm_instance : exists (d T : nat) (X : nat -> vector) (L : matrix) t, 0 <= t.
Proof. exists 1%nat, 1%nat, one_token, (one_constraint 0), 1. lra. Qed.

Theorem dual_lower_instance : exists d n x z (m : nat -> R) y t,
  0 < t /\ (forall k, (k < n)%nat -> 0 <= y k) /\
  (forall w, 0 <= t * t * dot d w w - dot d (transposed_image d (combination n y x z) w)
                                            (transposed_image d (combination n y x z) w)).
Proof.
  exists 1%nat, 1%nat, one_token, one_token, (fun _ => 1), (fun _ => 1), 1. split; [lra|]. split; [intros; lra|].
  intros w. apply Req_le. unfold dot, transposed_image, combination, one_token. cbn [sum]. ring.
Qed.

Theorem dual_infeasible_instance : exists d n x z m y (W : matrix),
  (forall k, (k < n)%nat -> 0 <= y k) /\
  (forall a b, (a < d)%nat -> (b < d)%nat -> combination n y x z a b = 0) /\ 0 < sum n (fun k => y k * m k).
Proof.
  exists 1%nat, 2%nat, one_token, (fun k _ => sign k), (fun _ => 1), (fun _ => 1), (fun _ _ => 0).
  split; [intros; lra|]. split.
  - intros a b _ _. unfold combination, one_token, sign. cbn [sum Nat.eqb]. ring.
  - cbn [sum]. lra.
Qed.

Theorem margin_pairing_instance : exists T i j l (S : matrix), (i < T)%nat /\ (j < T)%nat /\ (l < T)%nat.
Proof. exists 3%nat, 0%nat, 1%nat, 2%nat, (fun _ _ => 0). lia. Qed.

Theorem gram_lower_instance : exists d T n X E (m : nat -> R) y t,
  0 < t /\ (forall k, (k < n)%nat -> 0 <= y k) /\ semidefinite T (gram_gap T d X (combined n y E) t).
Proof.
  exists 1%nat, 1%nat, 1%nat, one_token, one_constraint, (fun _ => 1), (fun _ => 1), 1. split; [lra|].
  split; [intros; lra|]. apply (rule_attained 1 Rlt_0_1).
Qed.

Theorem gram_infeasible_instance : exists d T n X E m y (W : matrix),
  (forall k, (k < n)%nat -> 0 <= y k) /\
  (forall i j, (i < T)%nat -> (j < T)%nat -> gram_null T d X (combined n y E) i j = 0) /\
  0 < sum n (fun k => y k * m k).
Proof.
  exists 1%nat, 1%nat, 2%nat, one_token, (fun k _ _ => sign k), (fun _ => 1), (fun _ => 1), (fun _ _ => 0).
  split; [intros; lra|]. split.
  - intros i j _ _. unfold gram_null, product, gram, dot, combined, one_token, sign. cbn [sum Nat.eqb]. ring.
  - cbn [sum]. lra.
Qed.

Theorem feasible_upper_instance : exists d (pattern : matrix -> Prop) r WQ WK i,
  pattern (query_key r WQ WK) /\ is_least_cost d pattern i.
Proof.
  destruct (one_attained 1 Rlt_0_1) as (r & WQ & WK & H & _).
  exists 1%nat, (one_pattern 1), r, WQ, WK, (2 * 1). split; [exact H|exact (one_least 1 Rlt_0_1)].
Qed.

Theorem coefficients_upper_instance : exists d T n r X E m A B i,
  meets T n E m (coefficient_scores T r d X A B) /\ is_least_cost d (token_pattern d T n X E m) i.
Proof.
  exists 1%nat, 1%nat, 1%nat, 1%nat, one_token, one_constraint, (fun _ => 1), (fun _ _ => 1), (fun _ _ => 1), (2 * 1).
  split; [|exact (one_least 1 Rlt_0_1)]. intros k _. apply Req_le.
  unfold pairing, coefficient_scores, product, gram, dot, query_key, one_token, one_constraint. cbn [sum]. ring.
Qed.

Theorem cheaper_instance : exists d p1 p2 U1 L2 i1 i2,
  cost_attained d p1 U1 /\ cost_bounded_below d p2 L2 /\ U1 < L2 /\ is_least_cost d p1 i1 /\ is_least_cost d p2 i2.
Proof.
  exists 1%nat, (one_pattern 1), (one_pattern 2), (2 * 1), (2 * 2), (2 * 1), (2 * 2).
  pose proof (one_least 2 Rlt_0_2) as L. split; [exact (one_attained 1 Rlt_0_1)|]. split; [apply L|].
  split; [lra|]. split; [exact (one_least 1 Rlt_0_1)|exact L].
Qed.

Theorem least_cost_exists_instance : exists d pattern c, cost_attained d pattern c.
Proof. do 3 eexists. exact (one_attained 1 Rlt_0_1). Qed.

Theorem least_cost_scales_instance : exists d T n X E m c i,
  0 < c /\ is_least_cost d (token_pattern d T n X E m) i.
Proof. do 6 eexists. exists 2, (2 * 1). split; [lra|exact (one_least 1 Rlt_0_1)]. Qed.

Theorem rule_attained_instance : exists m, 0 < m.
Proof. exists 1. lra. Qed.

Print Assumptions gram_operator_norm_instance.
Print Assumptions dual_lower_instance.
Print Assumptions dual_infeasible_instance.
Print Assumptions margin_pairing_instance.
Print Assumptions gram_lower_instance.
Print Assumptions gram_infeasible_instance.
Print Assumptions feasible_upper_instance.
Print Assumptions coefficients_upper_instance.
Print Assumptions cheaper_instance.
Print Assumptions least_cost_exists_instance.
Print Assumptions least_cost_scales_instance.
Print Assumptions rule_attained_instance.
