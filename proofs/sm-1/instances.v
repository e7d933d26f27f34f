(** * sm-1: what it assumes can be met

    Three independent inputs on the line, 2 +- 1 with equal chances (theory/independent_inputs.v: there are independent
    inputs of every finite law), beta = 1, W = -1/2, lam = 1/3, rows 2 and 3.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sm-1 Claim <proofs>/sm-1/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch second_moments independent_inputs.
From Claim Require Import statement.
Open Scope R_scope.

Definition coin (m : nat) (o : nat -> nat) (_ : nat) : R := 2 + (if (o m =? 0)%nat then 1 else -1).
Definition coin_law : ((nat -> nat) -> R) -> R := draws 2 (fun _ => / 2) 3.
Definition coin_mean : vector := fun _ => 2.
Definition coin_covariance : matrix := fun _ _ => 1.
Definition half_negative : matrix := fun _ _ => - / 2.

Lemma coins : expectation all_integrable coin_law /\
  independent all_integrable coin_law 1 3 coin coin_mean coin_covariance.
Proof. destruct (two_points 2 (- / 2) 3 ltac:(lia)) as (H1 & H2 & _). now split. Qed.

Lemma coins_uncorrelated : uncorrelated all_integrable coin_law 1 3 coin coin_mean coin_covariance.
Proof. apply independent_is_uncorrelated; apply coins. Qed.

Theorem second_moment_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R) (W : matrix) (lam : R) (i : nat),
  expectation integrable E /\ independent integrable E d k X mu B /\ (1 <= i <= k)%nat.
Proof.
  exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, coin, coin_mean, coin_covariance, 1, half_negative, (/ 3), 2%nat.
  split; [apply coins|]. split; [apply coins|lia].
Qed.

Theorem product_moment_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (lam : R) (i l : nat),
  expectation integrable E /\ independent integrable E d k X mu B /\
  (1 <= i)%nat /\ (i < l)%nat /\ (l <= k)%nat.
Proof.
  exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, coin, coin_mean, coin_covariance, 1, half_negative, (/ 3),
    2%nat, 3%nat.
  split; [apply coins|]. split; [apply coins|lia].
Qed.

(** Uniform attention to all three, the future included. *)
Theorem attention_moment_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix) (a : nat -> nat -> R) (i l : nat),
  expectation integrable E /\ uncorrelated integrable E d k X mu B /\
  (1 <= i <= k)%nat /\ (1 <= l <= k)%nat /\ possum k (a i) = 1 /\ possum k (a l) = 1.
Proof.
  exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, coin, coin_mean, coin_covariance, 1, half_negative,
    (fun _ _ => / 3), 2%nat, 3%nat.
  split; [apply coins|]. split; [exact coins_uncorrelated|]. split; [lia|]. split; [lia|].
  unfold possum. simpl. lra.
Qed.

Theorem independent_uncorrelated_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix),
  expectation integrable E /\ independent integrable E d k X mu B.
Proof. exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, coin, coin_mean, coin_covariance. exact coins. Qed.

Theorem moment_bounds_instance : exists (Omega : Type) (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R)
    (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix) (beta : R)
    (W : matrix),
  expectation integrable E /\ uncorrelated integrable E d k X mu B /\ (1 <= k)%nat.
Proof.
  exists (nat -> nat), all_integrable, coin_law, 1%nat, 3%nat, coin, coin_mean, coin_covariance, 1, half_negative.
  split; [apply coins|]. split; [exact coins_uncorrelated|lia].
Qed.

Print Assumptions second_moment_instance.
Print Assumptions product_moment_instance.
Print Assumptions attention_moment_instance.
Print Assumptions independent_uncorrelated_instance.
Print Assumptions moment_bounds_instance.
