(** * A family of instances of docs/THEORY.md, section 5

    Groups of two, noises delta and -delta along one axis per group.  The axes are numbered by [axis]: all
    groups may share one (axes = 1, axis c = 0) or have their own (axes = C, axis c = c).  It shows that the
    hypotheses can be met for every C, every lam and every delta > 0, and the constants that cannot be
    improved are attained on it.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_and_diagonal_example.v
    (after sink_and_diagonal_upper.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal sink_and_diagonal_upper.
Open Scope R_scope.

(** e_k. *)
Definition axis_vector (k : nat) : vector := fun r => if (r =? k)%nat then 1 else 0.

Definition along (x : R) (k : nat) : vector := fun r => x * axis_vector k r.

Definition pair_instance (C axes : nat) (axis : nat -> nat) (l dlt : R) : instance := {|
  dimension := 2 * C + 1 + axes;
  groups := C;
  size := fun _ => 2%nat;
  lam := l;
  delta := dlt;
  bos_vector := along (sqrt (INR (2 * C + 1 + axes))) 0;
  mean := fun c => along (sqrt (INR (2 * C + 1 + axes))) (1 + c);
  copy_query := fun c => along (sqrt (INR (2 * C + 1 + axes))) (1 + C + c);
  noise := fun c i => along (if (i =? 0)%nat then dlt else - dlt) (2 * C + 1 + axis c)
|}.

Lemma dot_along m x j y k : (j < m)%nat ->
  dot m (along x j) (along y k) = if (j =? k)%nat then x * y else 0.
Proof.
  intros Hj. unfold dot, along, axis_vector. rewrite (sum_single m _ j Hj).
  - rewrite Nat.eqb_refl. destruct (j =? k)%nat; ring.
  - intros r _ E. apply Nat.eqb_neq in E. rewrite E. ring.
Qed.

Lemma dot_along_other m x j y k : (j < m)%nat -> j <> k -> dot m (along x j) (along y k) = 0.
Proof. intros Hj E. rewrite dot_along by assumption. apply Nat.eqb_neq in E. now rewrite E. Qed.

Lemma pair_instance_valid C axes axis l dlt :
  (1 <= C)%nat -> (forall c, (c < C)%nat -> (axis c < axes)%nat) ->
  0 < l -> / 2 <= l * l -> l * l < 1 -> 0 <= dlt -> valid_instance (pair_instance C axes axis l dlt).
Proof.
  intros HC Hax Hl H1 H2 Hd.
  assert (Hs : sqrt (INR (2 * C + 1 + axes)) * sqrt (INR (2 * C + 1 + axes)) = INR (2 * C + 1 + axes))
    by (apply sqrt_sqrt, pos_INR).
  split; cbn [dimension groups size lam delta bos_vector mean copy_query noise pair_instance];
    unfold inner, member; cbn [dimension groups size lam delta bos_vector mean copy_query noise pair_instance];
    try assumption; try lia.
  - rewrite dot_along by lia. exact Hs.
  - intros c Hc. rewrite dot_along, Nat.eqb_refl by lia. exact Hs.
  - intros c Hc. rewrite dot_along, Nat.eqb_refl by lia. exact Hs.
  - intros c i [Hc _]. specialize (Hax c Hc). rewrite dot_along, Nat.eqb_refl by lia.
    destruct (i =? 0)%nat; ring.
  - intros c Hc. apply dot_along_other; lia.
  - intros c Hc. apply dot_along_other; lia.
  - intros c i [Hc _]. apply dot_along_other; lia.
  - intros c c' Hc Hc' E. apply dot_along_other; lia.
  - intros c c' Hc Hc' E. apply dot_along_other; lia.
  - intros c c' Hc Hc'. apply dot_along_other; lia.
  - intros c c' i Hc [Hc' _]. apply dot_along_other; lia.
  - intros c c' i Hc [Hc' _]. apply dot_along_other; lia.
  - intros c Hc r Hr. unfold along. cbn [sum Nat.eqb]. ring.
Qed.

(** Delta = 4 delta^2, the largest value it can have. *)
Lemma pair_instance_separated C axes axis l dlt :
  (forall c, (c < C)%nat -> (axis c < axes)%nat) -> 0 < dlt ->
  separated (pair_instance C axes axis l dlt) (4 * (dlt * dlt)).
Proof.
  intros Hax Hd. split; [assert (0 < dlt * dlt) by (now apply Rmult_lt_0_compat); lra|].
  intros c i j [Hc Hi] [_ Hj] E. cbn [groups size pair_instance] in *. specialize (Hax c Hc).
  unfold inner. cbn [dimension noise pair_instance].
  rewrite (dot_ext _ _ _ (along (if (i =? 0)%nat then 2 * dlt else - (2 * dlt)) (2 * C + 1 + axis c))
                     (along (if (i =? 0)%nat then 2 * dlt else - (2 * dlt)) (2 * C + 1 + axis c))).
  - rewrite dot_along, Nat.eqb_refl by lia. apply Req_le. destruct (i =? 0)%nat; ring.
  - intros r _. unfold along. destruct (Nat.eqb_spec i 0); destruct (Nat.eqb_spec j 0); lia || ring.
  - intros r _. unfold along. destruct (Nat.eqb_spec i 0); destruct (Nat.eqb_spec j 0); lia || ring.
Qed.

(** The axes in use are a basis of the noises' span, so r_eta = axes, if each is some group's. *)
Lemma pair_instance_basis C axes axis l dlt :
  (forall c, (c < C)%nat -> (axis c < axes)%nat) -> (forall k, (k < axes)%nat -> exists c, (c < C)%nat /\ axis c = k) ->
  0 < dlt ->
  noise_basis (pair_instance C axes axis l dlt) axes (fun k => along 1 (2 * C + 1 + k)).
Proof.
  intros Hax Hon Hd. split; cbn [dimension groups size noise pair_instance].
  - intros k k' Hk Hk'. rewrite dot_along by lia.
    destruct (Nat.eqb_spec (2 * C + 1 + k) (2 * C + 1 + k')); destruct (Nat.eqb_spec k k'); lia || lra.
  - intros c i [Hc Hi]. cbn [groups size pair_instance] in *.
    exists (fun k => if (k =? axis c)%nat then (if (i =? 0)%nat then dlt else - dlt) else 0).
    intros a _. rewrite (sum_single axes _ (axis c) (Hax c Hc)).
    + rewrite Nat.eqb_refl. unfold along. ring.
    + intros k _ E. apply Nat.eqb_neq in E. rewrite E. ring.
  - intros k Hk. destruct (Hon k Hk) as (c & Hc & <-).
    exists (fun c' i => if (c' =? c)%nat then (if (i =? 0)%nat then / dlt else 0) else 0).
    intros a _. rewrite (sum_single C _ c Hc).
    + cbn [sum Nat.eqb]. rewrite Nat.eqb_refl. unfold along. field. lra.
    + intros c' _ E. apply Nat.eqb_neq in E. cbn [sum]. rewrite E. ring.
Qed.
