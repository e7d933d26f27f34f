(** * sm-2: what it assumes can be met

    Models on the line (theory/independent_inputs.v), with numbers p = 1, s = w, t = w^2, N0 = (1 + w)^2 mean^2:
    w = 1/2 for (a), -9/10 for (b), -2 for (d).  For (c), which no line has: W = diag(-1, 0), covariance diag(1, 0) and
    mean (0, 1) in the plane, p = 1, s = -1, t = 1, N0 = 1.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sm-2 Claim <proofs>/sm-2/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch second_moments independent_inputs.
From Claim Require Import statement.
Open Scope R_scope.

(** Three independent inputs mean +- 1. *)
Definition coin (mean : R) (m : nat) (o : nat -> nat) (_ : nat) : R := mean + (if (o m =? 0)%nat then 1 else -1).
Definition coin_law : ((nat -> nat) -> R) -> R := draws 2 (fun _ => / 2) 3.

Lemma coins mean : expectation all_integrable coin_law /\
  independent all_integrable coin_law 1 3 (coin mean) (fun _ => mean) (fun _ _ => 1).
Proof. destruct (two_points mean 0 3 ltac:(lia)) as (H1 & H2 & _). now split. Qed.

Ltac numbers := constructor; lra.
Ltac evaluate := unfold moment, cross_moment, theta; simpl; lra.

Theorem smoothing_of_model_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (i l : nat),
  expectation integrable E /\ independent integrable E d k X mu B /\ (1 <= i)%nat /\ (i < l)%nat /\ (l <= k)%nat.
Proof.
  exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, (coin 2), (fun _ => 2), (fun _ _ => 1), 1, (fun _ _ => - / 2),
    2%nat, 3%nat.
  split; [apply (coins 2)|]. split; [apply coins|lia].
Qed.

(** W = 1/2. *)
Theorem dense_attention_smooths_more_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (i l : nat),
  expectation integrable E /\ independent integrable E d k X mu B /\ (1 <= i)%nat /\ (i < l)%nat /\ (l <= k)%nat /\
  0 <= s_of d beta W B /\ 0 < t_of d W B.
Proof.
  exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, (coin 2), (fun _ => 2), (fun _ _ => 1), 1, (fun _ _ => / 2),
    2%nat, 3%nat.
  split; [apply (coins 2)|]. split; [apply coins|]. do 3 (split; [lia|]).
  unfold s_of, t_of, matrix_trace, matrix_times, matrix_transpose. simpl. lra.
Qed.

Theorem moment_positive_instance : exists (p s t N0 : R) (i : nat) (lam : R),
  (1 <= i)%nat /\ moments p s t N0 /\ 0 < t /\ (s + t <> 0 \/ 0 < N0).
Proof.
  exists 1, (1 / 2), (1 / 4), 0, 2%nat, (1 / 3). split; [lia|]. split; [numbers|]. split; [lra|left; lra].
Qed.

Theorem cosine_derivative_instance : exists (p s t N0 : R) (i l : nat) (lam : R),
  (1 <= l)%nat /\ 0 < moment p s t N0 i lam /\ 0 < moment p s t N0 l lam.
Proof. exists 1, (1 / 2), (1 / 4), 0, 2%nat, 3%nat, (1 / 3). split; [lia|]. split; evaluate. Qed.

Theorem turning_expanded_instance : exists (p s t N0 : R) (i l : nat) (lam m A C n k x : R),
  t <> 0 /\ (1 <= l)%nat /\ m = 1 + s / t /\ A = moment p s t N0 i m /\ C = moment p s t N0 l m /\
  n = cross_moment s t N0 l m /\ k = (s + t) / INR l /\ x = lam - m.
Proof.
  exists 1, (-2), 4, 1, 2%nat, 3%nat, (1 / 3). do 6 eexists. split; [lra|]. split; [lia|]. repeat split.
Qed.

Theorem turning_first_row_instance : exists (p s t N0 : R) (l : nat) (lam m : R),
  t <> 0 /\ (1 <= l)%nat /\ m = 1 + s / t.
Proof. exists 1, (-2), 4, 1, 3%nat, (1 / 3). eexists. split; [lra|]. split; [lia|reflexivity]. Qed.

Theorem smoothing_increases_instance : exists (p s t N0 : R) (i l : nat),
  (1 <= i)%nat /\ (i < l)%nat /\ moments p s t N0 /\ 0 <= s /\ 0 < t.
Proof. exists 1, (1 / 2), (1 / 4), 0, 2%nat, 3%nat. split; [lia|]. split; [lia|]. split; [numbers|lra]. Qed.

(** Mean 1, w = -9/10: the numerator is positive up to lam = 1/3. *)
Theorem smoothing_decreases_instance : exists (p s t N0 : R) (i l : nat),
  (1 <= i)%nat /\ (i < l)%nat /\ moments p s t N0 /\ s + t < 0 /\
  exists x y, 0 <= x /\ x < y /\ 0 <= cross_moment s t N0 l y.
Proof.
  exists 1, (- (9 / 10)), (81 / 100), (1 / 100), 2%nat, 3%nat. split; [lia|]. split; [lia|]. split; [numbers|].
  split; [lra|]. exists 0, (1 / 4). split; [lra|]. split; [lra|evaluate].
Qed.

Theorem smoothing_falls_then_rises_instance : exists (p s t N0 : R) (i l : nat),
  (1 <= i)%nat /\ (i < l)%nat /\ moments p s t N0 /\ s + t < 0.
Proof. exists 1, (- (9 / 10)), (81 / 100), 0, 2%nat, 3%nat. split; [lia|]. split; [lia|]. split; [numbers|lra]. Qed.

Theorem smoothing_falls_first_row_instance : exists (p s t N0 : R) (l : nat),
  (1 < l)%nat /\ moments p s t N0 /\ s + t < 0.
Proof. exists 1, (- (9 / 10)), (81 / 100), (1 / 100), 3%nat. split; [lia|]. split; [numbers|lra]. Qed.

Theorem smoothing_decreases_balanced_instance : exists (p s t N0 : R) (i l : nat),
  (1 <= i)%nat /\ (i < l)%nat /\ moments p s t N0 /\ s + t = 0 /\ 0 < t /\ 0 < N0.
Proof. exists 1, (-1), 1, 1, 2%nat, 3%nat. split; [lia|]. split; [lia|]. split; [numbers|lra]. Qed.

Theorem smoothing_rises_then_falls_instance : exists (p s t N0 : R) (i l : nat),
  (1 <= i)%nat /\ (i < l)%nat /\ moments p s t N0 /\ - t < s /\ s < 0.
Proof. exists 1, (-2), 4, 1, 2%nat, 3%nat. split; [lia|]. split; [lia|]. split; [numbers|lra]. Qed.

(** W = 0. *)
Theorem smoothing_constant_instance : exists (p s t N0 : R) (i l : nat) (x y : R), moments p s t N0 /\ t = 0.
Proof. exists 1, 0, 0, 4, 2%nat, 3%nat, (1 / 3), (2 / 3). split; [numbers|reflexivity]. Qed.

(** W = -I, beta = 1. *)
Theorem smoothing_zero_instance : exists (p s t N0 : R) (i l : nat) (x : R), s + t = 0 /\ N0 = 0.
Proof. exists 1, (-1), 1, 0, 2%nat, 3%nat, (1 / 3). split; lra. Qed.

Theorem rise_example_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (X : nat -> Omega -> vector),
  expectation integrable E /\ independent integrable E 1 3 X (fun _ => 0) (fun _ _ => 1).
Proof. exists (nat -> nat), all_integrable, coin_law, (coin 0). exact (coins 0). Qed.

Theorem fall_example_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (X : nat -> Omega -> vector),
  expectation integrable E /\ independent integrable E 1 3 X (fun _ => 1) (fun _ _ => 1).
Proof. exists (nat -> nat), all_integrable, coin_law, (coin 1). exact (coins 1). Qed.

Theorem no_turn_example_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (X : nat -> Omega -> vector),
  expectation integrable E /\ independent integrable E 1 3 X (fun _ => 0) (fun _ _ => 1).
Proof. exists (nat -> nat), all_integrable, coin_law, (coin 0). exact (coins 0). Qed.

Print Assumptions smoothing_of_model_instance.
Print Assumptions dense_attention_smooths_more_instance.
Print Assumptions moment_positive_instance.
Print Assumptions cosine_derivative_instance.
Print Assumptions turning_expanded_instance.
Print Assumptions turning_first_row_instance.
Print Assumptions smoothing_increases_instance.
Print Assumptions smoothing_decreases_instance.
Print Assumptions smoothing_falls_then_rises_instance.
Print Assumptions smoothing_falls_first_row_instance.
Print Assumptions smoothing_decreases_balanced_instance.
Print Assumptions smoothing_rises_then_falls_instance.
Print Assumptions smoothing_constant_instance.
Print Assumptions smoothing_zero_instance.
Print Assumptions rise_example_instance.
Print Assumptions fall_example_instance.
Print Assumptions no_turn_example_instance.
