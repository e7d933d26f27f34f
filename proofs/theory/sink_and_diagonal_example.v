(** * A family of instances of docs/THEORY.md, section 5

    Groups of two, noises delta and -delta along one axis per group.  The axes are numbered by [axis]: all
    groups may share one (axes = 1, axis c = 0) or have their own (axes = C, axis c = c).  It shows that the
    hypotheses can be met for every C, every lam and every delta > 0, and the constants that cannot be
    improved are attained on it.  At the end one member, [example_instance], with what the claims ask of it.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_and_diagonal_example.v
    (after sink_cost_forms.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_cost_forms.
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

(** tr Sigma = 4 delta^2: every two members differ by 2 delta. *)
Lemma pair_instance_trace C axes axis l dlt :
  (1 <= C)%nat -> (forall c, (c < C)%nat -> (axis c < axes)%nat) -> 0 < l -> / 2 <= l * l -> l * l < 1 -> 0 <= dlt ->
  let I := pair_instance C axes axis l dlt in
  trace (dimension I) (difference_covariance I) = 4 * (dlt * dlt).
Proof.
  intros HC Hax Hl L1 L2 Hd I.
  assert (HI : valid_instance I) by now apply pair_instance_valid.
  assert (P : pair_count I = 2 * INR C).
  { unfold pair_count, I. cbn [groups size pair_instance]. rewrite sum_const. simpl INR. ring. }
  assert (HP : 0 < INR C) by (apply lt_0_INR; lia).
  rewrite covariance_trace. unfold pair_average. rewrite P.
  rewrite (sum_ext (groups I) _ (fun _ => 8 * (dlt * dlt))).
  - rewrite sum_const. cbn [groups I pair_instance]. field. lra.
  - intros c Hc. unfold I in *. cbn [groups size dimension pair_instance] in *. specialize (Hax c Hc).
    assert (D : forall i j, dot (2 * C + 1 + axes) (difference (pair_instance C axes axis l dlt) c i j)
                               (difference (pair_instance C axes axis l dlt) c i j)
      = ((if (i =? 0)%nat then dlt else - dlt) - (if (j =? 0)%nat then dlt else - dlt))
        * ((if (i =? 0)%nat then dlt else - dlt) - (if (j =? 0)%nat then dlt else - dlt))).
    { intros i j. set (x := (if (i =? 0)%nat then dlt else - dlt) - (if (j =? 0)%nat then dlt else - dlt)).
      assert (E : forall r, difference (pair_instance C axes axis l dlt) c i j r = along x (2 * C + 1 + axis c) r)
        by (intros r; unfold difference, along, x; cbn [noise pair_instance]; unfold along; ring).
      rewrite (dot_ext _ _ _ (along x (2 * C + 1 + axis c)) (along x (2 * C + 1 + axis c))) by (intros; apply E).
      now rewrite dot_along, Nat.eqb_refl by lia. }
    cbn [sum]. rewrite !D. cbn [Nat.eqb]. ring.
Qed.

(** ** One instance: four groups of two, lam = 3/4, delta = 1/2, d = 13, every group its own axis *)

Definition example_instance : instance := pair_instance 4 4 (fun c => c) (3 / 4) (/ 2).

Lemma example_valid : valid_instance example_instance.
Proof. apply pair_instance_valid; intros; lia || lra. Qed.

Lemma example_groups : INR (groups example_instance) = 4.
Proof. simpl. lra. Qed.

Lemma example_delta : 0 < delta example_instance.
Proof. simpl. lra. Qed.

Lemma example_basis : noise_basis example_instance 4 (fun k => along 1 (2 * 4 + 1 + k)).
Proof. apply pair_instance_basis; [intros; lia| |lra]. intros k Hk. now exists k. Qed.

(** Delta = 4 delta^2 = 1. *)
Lemma example_separated : separated example_instance 1.
Proof.
  replace 1 with (4 * (/ 2 * / 2)) by lra. apply pair_instance_separated; [intros; lia|lra].
Qed.

Lemma example_top : top_at_most example_instance 1.
Proof.
  pose proof (top_at_most_4 example_instance example_valid) as H.
  replace (4 * (delta example_instance * delta example_instance)) with 1 in H by (simpl; lra). exact H.
Qed.

Lemma example_sizes : sizes_at_least example_instance 2.
Proof. split; [lia|exact (two_members _ example_valid)]. Qed.

(** r_eff = tr Sigma/s = 1 for s = 1. *)
Lemma example_effective_rank : effective_rank example_instance 1 = 1.
Proof.
  unfold effective_rank, example_instance. rewrite pair_instance_trace; lra || lia.
Qed.

Lemma example_between : neither_few_nor_many (INR (groups example_instance)) (lam example_instance).
Proof.
  rewrite example_groups. apply four_to_ten; [exact (lam_positive _ example_valid)|exact (lam_from _ example_valid)|
    exact (lam_below _ example_valid)|lra|lra].
Qed.
