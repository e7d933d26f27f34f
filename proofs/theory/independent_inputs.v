(** * Independent inputs exist

    For every finite law and every k there are k independent inputs of that law ([independent_copies]); [two_points]
    is the law mean +- 1 on the line, whose numbers are those of sm-2's examples.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/independent_inputs.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch second_moments.
Open Scope R_scope.

(** k draws from a finite law, point v < N with weight w v and value x v *)

Definition update (o : nat -> nat) (m v : nat) : nat -> nat := fun n => if (n =? m)%nat then v else o n.

Fixpoint draws (N : nat) (w : nat -> R) (k : nat) (f : (nat -> nat) -> R) : R :=
  match k with
  | O => f (fun _ => O)
  | S p => sum N (fun v => w v * draws N w p (fun o => f (update o (S p) v)))
  end.

Definition all_integrable {Omega : Type} (f : Omega -> R) : Prop := True.

Section Draws.
Variables (N : nat) (w : nat -> R).
Hypothesis w_nonneg : forall v, (v < N)%nat -> 0 <= w v.
Hypothesis w_total : sum N w = 1.

Lemma draws_ext k f g : (forall o, f o = g o) -> draws N w k f = draws N w k g.
Proof.
  revert f g. induction k as [|k IH]; intros f g H; simpl; [apply H|].
  apply sum_ext. intros v _. f_equal. apply IH. intros. apply H.
Qed.

Lemma draws_constant k c : draws N w k (fun _ => c) = c.
Proof.
  induction k as [|k IH]; simpl; [reflexivity|].
  rewrite (sum_ext N _ (fun v => w v * c)) by (intros; now rewrite IH). rewrite sum_scal_r, w_total. ring.
Qed.

Lemma draws_combine k f g a b :
  draws N w k (fun o => a * f o + b * g o) = a * draws N w k f + b * draws N w k g.
Proof.
  revert f g. induction k as [|k IH]; intros f g; simpl; [reflexivity|].
  rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros v _. rewrite IH. ring.
Qed.

Lemma draws_nonneg k f : (forall o, 0 <= f o) -> 0 <= draws N w k f.
Proof.
  revert f. induction k as [|k IH]; intros f H; simpl; [apply H|].
  apply sum_nonneg. intros v Hv. apply Rmult_le_pos; auto.
Qed.

Lemma draws_expectation k : expectation all_integrable (draws N w k).
Proof.
  constructor.
  - intros c. split; [exact I|apply draws_constant].
  - intros f g a b _ _. split; [exact I|apply draws_combine].
  - intros f _. apply draws_nonneg.
  - intros f g H _. split; [exact I|now apply draws_ext].
Qed.

Lemma draws_one k m f : (1 <= m <= k)%nat -> draws N w k (fun o => f (o m)) = sum N (fun v => w v * f v).
Proof.
  induction k as [|k IH]; intros Hm; [lia|]. simpl.
  destruct (Nat.eq_dec m (S k)) as [->|Hne].
  - apply sum_ext. intros v _. f_equal. unfold update. rewrite Nat.eqb_refl. apply draws_constant.
  - rewrite (sum_ext N _ (fun v => w v * sum N (fun v => w v * f v))).
    + rewrite sum_scal_r, w_total. ring.
    + intros v _. f_equal. rewrite <- IH by lia. apply draws_ext. intros o. unfold update.
      destruct (Nat.eqb_spec m (S k)); [lia|reflexivity].
Qed.

Lemma draws_two k m m' f g : (1 <= m)%nat -> (m < m')%nat -> (m' <= k)%nat ->
  draws N w k (fun o => f (o m) * g (o m')) = sum N (fun v => w v * f v) * sum N (fun v => w v * g v).
Proof.
  induction k as [|k IH]; intros H1 H2 H3; [lia|]. simpl.
  destruct (Nat.eq_dec m' (S k)) as [->|Hne].
  - rewrite <- sum_scal. apply sum_ext. intros v _.
    rewrite (draws_ext k _ (fun o => g v * f (o m) + 0 * f (o m))).
    + rewrite draws_combine, draws_one by lia. ring.
    + intros o. unfold update. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec m (S k)); [lia|ring].
  - rewrite (sum_ext N _ (fun v => w v * (sum N (fun v => w v * f v) * sum N (fun v => w v * g v)))).
    + rewrite sum_scal_r, w_total. ring.
    + intros v _. f_equal. rewrite <- IH by lia. apply draws_ext. intros o. unfold update.
      destruct (Nat.eqb_spec m (S k)); [lia|]. destruct (Nat.eqb_spec m' (S k)); [lia|reflexivity].
Qed.
End Draws.

Lemma independent_copies N w (x : nat -> vector) d k :
  (forall v, (v < N)%nat -> 0 <= w v) -> sum N w = 1 ->
  let mu := fun r => sum N (fun v => w v * x v r) in
  let B := fun r c => sum N (fun v => w v * ((x v r - mu r) * (x v c - mu c))) in
  expectation all_integrable (draws N w k) /\
  independent all_integrable (draws N w k) d k (fun m o => x (o m)) mu B.
Proof.
  intros Hw Ht mu B. split; [now apply draws_expectation|]. constructor.
  - intros m r Hm _. split; [exact I|]. apply (draws_one N w Ht k m (fun v => x v r) Hm).
  - intros m r c Hm _ _. split; [exact I|].
    apply (draws_one N w Ht k m (fun v => (x v r - mu r) * (x v c - mu c)) Hm).
  - intros m m' f g Hm Hm' Hne _ _. split; [exact I|].
    rewrite (draws_one N w Ht k m (fun v => f (x v)) Hm), (draws_one N w Ht k m' (fun v => g (x v)) Hm').
    destruct (Nat.lt_total m m') as [H|[H|H]]; [|contradiction|].
    + apply (draws_two N w Ht k m m' (fun v => f (x v)) (fun v => g (x v))); lia.
    + rewrite (draws_ext N w k _ (fun o => g (x (o m')) * f (x (o m)))) by (intros; ring).
      rewrite (draws_two N w Ht k m' m (fun v => g (x v)) (fun v => f (x v))) by lia. ring.
Qed.

(** One dimension, X = mean +- 1 with probability 1/2 each, W = w: the numbers are those of sm-2's
    instances. *)
Lemma two_points mean omega k : (1 <= k)%nat ->
  let X := fun m (o : nat -> nat) (_ : nat) => mean + (if (o m =? 0)%nat then 1 else -1) in
  let mu := fun _ : nat => mean in
  let B := fun _ _ : nat => 1 in
  let W := fun _ _ : nat => omega in
  expectation all_integrable (draws 2 (fun _ => / 2) k) /\
  independent all_integrable (draws 2 (fun _ => / 2) k) 1 k X mu B /\
  p_of 1 1 B = 1 /\ s_of 1 1 W B = omega /\ t_of 1 W B = omega * omega /\
  N_0 1 1 W mu = (1 + omega) * (1 + omega) * (mean * mean).
Proof.
  intros Hk X mu B W.
  destruct (independent_copies 2 (fun _ => / 2) (fun v _ => mean + (if (v =? 0)%nat then 1 else -1)) 1 k)
    as [H1 [Hm Hc Hp]]; [intros; lra|simpl; lra|].
  split; [assumption|]. split.
  - constructor.
    + intros m r Hm' Hr. destruct (Hm m r Hm' Hr) as [_ E]. split; [exact I|]. etransitivity; [exact E|].
      simpl. unfold mu. lra.
    + intros m r c Hm' Hr Hc'. destruct (Hc m r c Hm' Hr Hc') as [_ E]. split; [exact I|].
      assert (Emu : sum 2 (fun v => / 2 * (mean + (if (v =? 0)%nat then 1 else -1))) = mean) by (simpl; lra).
      etransitivity; [|etransitivity; [exact E|]].
      * apply draws_ext. intros o. unfold X, mu. now rewrite Emu.
      * cbv beta. rewrite Emu. simpl. unfold B. lra.
    + exact Hp.
  - repeat split; unfold p_of, s_of, t_of, N_0, dot, mean_output, matrix_trace, matrix_times, matrix_transpose, B, W, mu; simpl; ring.
Qed.
