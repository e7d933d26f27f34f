(** * Second moments of smoothed outputs

    The moments of docs/THEORY.md, sm-1, as lemmas that sm-1 and sm-2 share.

    Step: Y_i = sum_m (beta [m = i] I + a_im W) X_m; pairs m <> m' see only the mean, and for m = m'
    the trace of (x I + y W) B (x' I + y' W)^T is x x' tr B + (x y' + x' y) tr(BW) + y y' tr(B W^T W).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/second_moments.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
From Sinkproof Require Export smoothing.
Open Scope R_scope.

Lemma possum_single k i f : (1 <= i <= k)%nat -> possum k (fun m => (if (m =? i)%nat then 1 else 0) * f m) = f i.
Proof.
  intros Hi. unfold possum. rewrite (sum_single k _ (i - 1)%nat).
  - replace (S (i - 1)) with i by lia. rewrite Nat.eqb_refl. ring.
  - lia.
  - intros m Hm Hne. destruct (Nat.eqb_spec (S m) i); [lia|ring].
Qed.

Section Expectation.
Context {Omega : Type}.
Variables (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R).
Hypothesis HE : expectation integrable E.

Lemma E_scal c f : integrable f -> integrable (fun o => c * f o) /\ E (fun o => c * f o) = c * E f.
Proof.
  intros Hf. destruct (expectation_combine _ _ HE f f c 0 Hf Hf) as [H1 H2].
  destruct (expectation_ext _ _ HE _ (fun o => c * f o)
              (fun o => ltac:(ring) : c * f o + 0 * f o = c * f o) H1) as [H3 H4].
  split; [assumption|]. rewrite <- H4, H2. ring.
Qed.

Lemma E_plus f g : integrable f -> integrable g ->
  integrable (fun o => f o + g o) /\ E (fun o => f o + g o) = E f + E g.
Proof.
  intros Hf Hg. destruct (expectation_combine _ _ HE f g 1 1 Hf Hg) as [H1 H2].
  destruct (expectation_ext _ _ HE _ (fun o => f o + g o)
              (fun o => ltac:(ring) : 1 * f o + 1 * g o = f o + g o) H1) as [H3 H4].
  split; [assumption|]. rewrite <- H4, H2. ring.
Qed.

Lemma E_sum m (f : nat -> Omega -> R) (e : nat -> R) :
  (forall k, (k < m)%nat -> integrable (f k) /\ E (f k) = e k) ->
  integrable (fun o => sum m (fun k => f k o)) /\ E (fun o => sum m (fun k => f k o)) = sum m e.
Proof.
  induction m as [|m IH]; intros H; simpl; [apply (expectation_constant _ _ HE)|].
  destruct IH as [H1 H2]; [intros; apply H; lia|]. destruct (H m ltac:(lia)) as [H3 H4].
  destruct (E_plus _ _ H1 H3) as [H5 H6]. split; [assumption|]. now rewrite H6, H2, H4.
Qed.

Variables (d k : nat) (X : nat -> Omega -> vector) (mu : vector) (B : matrix).

Lemma independent_uncorrelated_here : independent integrable E d k X mu B -> uncorrelated integrable E d k X mu B.
Proof.
  intros [Hm Hc Hp]. constructor; [assumption|]. intros m m' r c Hk Hk' Hr Hc'.
  destruct (Hm m r Hk Hr) as [I1 E1]. destruct (Hm m' c Hk' Hc') as [I2 E2].
  destruct (Nat.eqb_spec m m') as [<-|Hne].
  - destruct (Hc m r c Hk Hr Hc') as [I3 E3]. destruct (Hm m c Hk Hc') as [I4 E4].
    destruct (expectation_combine _ _ HE _ _ (mu c) (mu r) I1 I4) as [I5 E5].
    destruct (E_plus _ _ I3 I5) as [I6 E6].
    destruct (expectation_constant _ _ HE (- (mu r * mu c))) as [I7 E7].
    destruct (E_plus _ _ I6 I7) as [I8 E8].
    destruct (expectation_ext _ _ HE _ (fun o => X m o r * X m o c) (fun o => ltac:(ring) :
       (X m o r - mu r) * (X m o c - mu c) + (mu c * X m o r + mu r * X m o c) + - (mu r * mu c)
       = X m o r * X m o c) I8) as [I9 E9].
    split; [assumption|]. rewrite <- E9, E8, E6, E5, E3, E1, E4, E7. ring.
  - destruct (Hp m m' (fun x => x r) (fun x => x c) Hk Hk' Hne I1 I2) as [I3 E3].
    split; [assumption|]. rewrite E3, E1, E2. ring.
Qed.

Hypothesis HX : uncorrelated integrable E d k X mu B.

(** A linear function of all inputs. *)
Definition combination (P : nat -> vector) (o : Omega) : R := possum k (fun m => sum d (fun c => P m c * X m o c)).

Lemma combination_product P Q :
  integrable (fun o => combination P o * combination Q o) /\
  E (fun o => combination P o * combination Q o)
  = possum k (fun m => sum d (fun c => P m c * mu c)) * possum k (fun m => sum d (fun c => Q m c * mu c))
    + possum k (fun m => sum d (fun r => sum d (fun c => P m r * Q m c * B r c))).
Proof.
  assert (Hterm : forall m, (m < k)%nat ->
    integrable (fun o => sum d (fun r => sum k (fun m' => sum d (fun c =>
      P (S m) r * Q (S m') c * (X (S m) o r * X (S m') o c))))) /\
    E (fun o => sum d (fun r => sum k (fun m' => sum d (fun c =>
      P (S m) r * Q (S m') c * (X (S m) o r * X (S m') o c)))))
    = sum d (fun r => sum k (fun m' => sum d (fun c =>
        P (S m) r * Q (S m') c * (mu r * mu c + (if (S m =? S m')%nat then B r c else 0)))))).
  { intros m Hm. apply E_sum. intros r Hr. apply E_sum. intros m' Hm'. apply E_sum. intros c Hc.
    destruct (uncorrelated_second _ _ _ _ _ _ _ HX (S m) (S m') r c) as [I1 E1]; try lia.
    destruct (E_scal (P (S m) r * Q (S m') c) _ I1) as [I2 E2]. split; [assumption|]. now rewrite E2, E1. }
  destruct (E_sum k _ _ Hterm) as [I1 E1].
  assert (Eq : forall o, sum k (fun m => sum d (fun r => sum k (fun m' => sum d (fun c =>
      P (S m) r * Q (S m') c * (X (S m) o r * X (S m') o c))))) = combination P o * combination Q o).
  { intros o. unfold combination, possum. rewrite <- sum_scal_r. apply sum_ext. intros m _.
    rewrite <- sum_scal_r. apply sum_ext. intros r _. rewrite <- sum_scal. apply sum_ext. intros m' _.
    rewrite <- sum_scal. apply sum_ext. intros c _. ring. }
  destruct (expectation_ext _ _ HE _ _ Eq I1) as [I2 E2].
  split; [assumption|]. rewrite <- E2, E1. unfold possum. rewrite <- sum_scal_r, <- sum_plus.
  apply sum_ext. intros m Hm. rewrite <- sum_scal_r, <- sum_plus. apply sum_ext. intros r _.
  rewrite <- sum_scal.
  rewrite (sum_ext k _ (fun m' => P (S m) r * mu r * sum d (fun c => Q (S m') c * mu c)
            + (if (m' =? m)%nat then sum d (fun c => P (S m) r * Q (S m) c * B r c) else 0))).
  - rewrite sum_plus. f_equal.
    rewrite (sum_single k _ m); [now rewrite Nat.eqb_refl|assumption|].
    intros m' _ Hne. destruct (Nat.eqb_spec m' m); [contradiction|reflexivity].
  - intros m' _. destruct (Nat.eqb_spec m' m) as [->|Hne].
    + rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros c _. rewrite Nat.eqb_refl. ring.
    + rewrite Rplus_0_r, <- sum_scal. apply sum_ext. intros c _.
      destruct (Nat.eqb_spec (S m) (S m')); [lia|ring].
Qed.

Lemma covariance_symmetric r c : (1 <= k)%nat -> (r < d)%nat -> (c < d)%nat -> B r c = B c r.
Proof.
  intros Hk Hr Hc.
  destruct (uncorrelated_second _ _ _ _ _ _ _ HX 1%nat 1%nat r c) as [I1 E1]; try lia.
  destruct (uncorrelated_second _ _ _ _ _ _ _ HX 1%nat 1%nat c r) as [I2 E2]; try lia.
  destruct (expectation_ext _ _ HE _ (fun o => X 1%nat o c * X 1%nat o r)
    (fun o => ltac:(ring) : X 1%nat o r * X 1%nat o c = X 1%nat o c * X 1%nat o r) I1) as [_ E3].
  simpl Nat.eqb in E1, E2. cbv iota in E1, E2. lra.
Qed.

(** The covariance of (x I + y W) X and (x' I + y' W) X, coordinate by coordinate. *)
Definition scaled (W : matrix) (x y : R) : matrix := fun r c => x * (if (c =? r)%nat then 1 else 0) + y * W r c.

Lemma trace_of_pair W x y x' y' : (1 <= k)%nat ->
  sum d (fun r => sum d (fun c => sum d (fun c' => scaled W x y r c * scaled W x' y' r c' * B c c')))
  = x * x' * matrix_trace d B + (x * y' + x' * y) * matrix_trace d (matrix_times d B W) + y * y' * t_of d W B.
Proof.
  intros Hk.
  assert (H1 : sum d (fun r => sum d (fun c => sum d (fun c' => W r c * W r c' * B c c'))) = t_of d W B).
  { unfold t_of, matrix_trace, matrix_times, matrix_transpose.
    rewrite (sum_ext d (fun r => sum d (fun m => sum d (fun m0 => B r m0 * W m m0) * W m r))
              (fun r => sum d (fun m => sum d (fun m0 => W m r * W m m0 * B r m0)))).
    - symmetry. rewrite sum_swap. reflexivity.
    - intros r _. apply sum_ext. intros m _. rewrite <- sum_scal_r. apply sum_ext. intros. ring. }
  assert (H2 : sum d (fun r => sum d (fun c => W r c * B r c)) = matrix_trace d (matrix_times d B W)).
  { unfold matrix_trace, matrix_times. rewrite sum_swap. apply sum_ext. intros c Hc. apply sum_ext. intros r Hr.
    rewrite (covariance_symmetric r c) by assumption. ring. }
  assert (HI : forall r f, (r < d)%nat -> sum d (fun c => (if (c =? r)%nat then 1 else 0) * f c) = f r).
  { intros r f Hr. rewrite (sum_single d _ r); [rewrite Nat.eqb_refl; ring|assumption|].
    intros c _ Hne. destruct (Nat.eqb_spec c r); [contradiction|ring]. }
  rewrite (sum_ext d _ (fun r => x * x' * B r r + x * y' * sum d (fun c => W r c * B r c)
      + y * x' * sum d (fun c => W r c * B r c)
      + y * y' * sum d (fun c => sum d (fun c' => W r c * W r c' * B c c')))).
  - rewrite !sum_plus, !sum_scal, H1, H2. fold (matrix_trace d B). ring.
  - intros r Hr.
    rewrite (sum_ext d _ (fun c => (if (c =? r)%nat then 1 else 0)
          * (x * x' * B c r + x * y' * sum d (fun c' => W r c' * B c c'))
        + (y * x' * (W r c * B c r) + y * y' * sum d (fun c' => W r c * W r c' * B c c')))).
    + rewrite sum_plus, (HI r (fun c => x * x' * B c r + x * y' * sum d (fun c' => W r c' * B c c'))) by assumption.
      rewrite sum_plus, !sum_scal.
      rewrite (sum_ext d (fun c => W r c * B c r) (fun c => W r c * B r c)).
      * ring.
      * intros c Hc. now rewrite (covariance_symmetric c r).
    + intros c Hc. unfold scaled.
      rewrite (sum_ext d _ (fun c' => (if (c' =? r)%nat then 1 else 0)
          * ((x * (if (c =? r)%nat then 1 else 0) + y * W r c) * x' * B c c')
          + (x * (if (c =? r)%nat then 1 else 0) * y' * (W r c' * B c c') + y * y' * (W r c * W r c' * B c c'))))
        by (intros; ring).
      rewrite sum_plus, (HI r (fun c' => (x * (if (c =? r)%nat then 1 else 0) + y * W r c) * x' * B c c')) by assumption.
      rewrite sum_plus, !sum_scal. ring.
Qed.

Variables (beta : R) (W : matrix) (a : nat -> nat -> R).

Lemma smoothed_combination i o r : (1 <= i <= k)%nat -> (r < d)%nat ->
  smoothed d k beta W a X i o r
  = combination (fun m => scaled W (beta * (if (m =? i)%nat then 1 else 0)) (a i m) r) o.
Proof.
  intros Hi Hr. unfold smoothed, combination, scaled.
  assert (H1 : possum k (fun m => (if (m =? i)%nat then 1 else 0) * (beta * X m o r)) = beta * X i o r)
    by (now apply (possum_single k i (fun m => beta * X m o r))).
  rewrite <- H1. unfold possum.
  rewrite (sum_ext d _ (fun c => sum k (fun l => W r c * (a i (S l) * X (S l) o c))))
    by (intros; now rewrite sum_scal).
  rewrite sum_swap, <- sum_plus. apply sum_ext. intros m Hm.
  assert (H2 : sum d (fun c => (if (c =? r)%nat then 1 else 0) * (beta * (if (S m =? i)%nat then 1 else 0) * X (S m) o c))
               = beta * (if (S m =? i)%nat then 1 else 0) * X (S m) o r).
  { rewrite (sum_single d _ r); [rewrite Nat.eqb_refl; ring|assumption|].
    intros c _ Hne. destruct (Nat.eqb_spec c r); [contradiction|ring]. }
  rewrite <- (Rmult_assoc _ beta), (Rmult_comm _ beta), <- H2, <- sum_plus.
  apply sum_ext. intros c _. ring.
Qed.

Lemma mean_of_row i r : (1 <= i <= k)%nat -> (r < d)%nat -> possum k (a i) = 1 ->
  possum k (fun m => sum d (fun c => scaled W (beta * (if (m =? i)%nat then 1 else 0)) (a i m) r c * mu c))
  = mean_output d beta W mu r.
Proof.
  intros Hi Hr Ha. unfold mean_output, scaled.
  rewrite (possum_ext k _ (fun m => (if (m =? i)%nat then 1 else 0) * (beta * mu r)
      + a i m * sum d (fun c => W r c * mu c))).
  - rewrite possum_plus, (possum_single k i (fun _ => beta * mu r)), possum_scal_r, Ha by assumption. ring.
  - intros m _ _. rewrite <- sum_scal.
    rewrite (sum_ext d _ (fun c => (if (c =? r)%nat then 1 else 0) * (beta * (if (m =? i)%nat then 1 else 0) * mu c)
        + a i m * (W r c * mu c))) by (intros; ring).
    rewrite sum_plus. f_equal.
    rewrite (sum_single d _ r); [rewrite Nat.eqb_refl; ring|assumption|].
    intros c _ Hne. destruct (Nat.eqb_spec c r); [contradiction|ring].
Qed.

Lemma attention_moment_here i l :
  (1 <= i <= k)%nat -> (1 <= l <= k)%nat -> possum k (a i) = 1 -> possum k (a l) = 1 ->
  integrable (fun o => dot d (smoothed d k beta W a X i o) (smoothed d k beta W a X l o)) /\
  E (fun o => dot d (smoothed d k beta W a X i o) (smoothed d k beta W a X l o))
  = N_0 d beta W mu + (if (i =? l)%nat then p_of d beta B else 0)
    + (a i l + a l i) * s_of d beta W B + possum k (fun m => a i m * a l m) * t_of d W B.
Proof.
  intros Hi Hl Ai Al.
  set (P := fun i r m => scaled W (beta * (if (m =? i)%nat then 1 else 0)) (a i m) r).
  destruct (E_sum d (fun r o => combination (P i r) o * combination (P l r) o)
    (fun r => mean_output d beta W mu r * mean_output d beta W mu r
      + possum k (fun m => sum d (fun c => sum d (fun c' => P i r m c * P l r m c' * B c c'))))) as [I1 E1].
  { intros r Hr. destruct (combination_product (P i r) (P l r)) as [I1 E1]. split; [assumption|].
    rewrite E1. unfold P. now rewrite !mean_of_row. }
  assert (Eq : forall o, sum d (fun r => combination (P i r) o * combination (P l r) o)
      = dot d (smoothed d k beta W a X i o) (smoothed d k beta W a X l o)).
  { intros o. apply sum_ext. intros r Hr. now rewrite !smoothed_combination. }
  destruct (expectation_ext _ _ HE _ _ Eq I1) as [I2 E2].
  split; [assumption|]. rewrite <- E2, E1, sum_plus. fold (N_0 d beta W mu).
  unfold N_0 at 1, dot. rewrite !Rplus_assoc. f_equal. unfold possum. rewrite sum_swap.
  rewrite (sum_ext k _ (fun m => beta * beta * matrix_trace d B
       * ((if (S m =? i)%nat then 1 else 0) * (if (S m =? l)%nat then 1 else 0))
     + ((if (S m =? i)%nat then 1 else 0) * (beta * a l (S m) * matrix_trace d (matrix_times d B W))
        + ((if (S m =? l)%nat then 1 else 0) * (beta * a i (S m) * matrix_trace d (matrix_times d B W))
           + a i (S m) * a l (S m) * t_of d W B)))).
  - rewrite !sum_plus, sum_scal, sum_scal_r.
    assert (K : forall n f, (1 <= n <= k)%nat -> sum k (fun m => (if (S m =? n)%nat then 1 else 0) * f (S m)) = f n)
      by exact (possum_single k).
    rewrite (K i (fun m => if (m =? l)%nat then 1 else 0) Hi).
    rewrite (K i (fun m => beta * a l m * matrix_trace d (matrix_times d B W)) Hi).
    rewrite (K l (fun m => beta * a i m * matrix_trace d (matrix_times d B W)) Hl).
    unfold s_of, p_of. destruct (i =? l)%nat; ring.
  - intros m Hm. unfold P. rewrite trace_of_pair by lia. ring.
Qed.

(** ||x I + y W|| of the centred input is never negative. *)
Lemma quadratic_nonneg x y : (1 <= k)%nat ->
  0 <= x * x * matrix_trace d B + 2 * x * y * matrix_trace d (matrix_times d B W) + y * y * t_of d W B.
Proof.
  intros Hk.
  replace (x * x * matrix_trace d B + 2 * x * y * matrix_trace d (matrix_times d B W) + y * y * t_of d W B)
    with (x * x * matrix_trace d B + (x * y + x * y) * matrix_trace d (matrix_times d B W) + y * y * t_of d W B) by ring.
  rewrite <- trace_of_pair by assumption. apply sum_nonneg. intros r Hr.
  set (Q := fun m : nat => if (m =? 1)%nat then scaled W x y r else (fun _ : nat => 0)).
  assert (Hsq : forall f : nat -> R, (forall m, m <> 1%nat -> f m = 0) -> possum k f = f 1%nat).
  { intros f Hf. unfold possum. apply (sum_single k (fun m => f (S m)) 0%nat); [lia|].
    intros m _ Hm. apply Hf. lia. }
  destruct (combination_product Q Q) as [I1 E1].
  rewrite (Hsq (fun m => sum d (fun c => Q m c * mu c))) in E1.
  2:{ intros m Hm. apply sum_zero. intros c _. unfold Q. destruct (Nat.eqb_spec m 1); [contradiction|ring]. }
  rewrite (Hsq (fun m => sum d (fun r0 => sum d (fun c => Q m r0 * Q m c * B r0 c)))) in E1.
  2:{ intros m Hm. apply sum_zero. intros c _. apply sum_zero. intros c' _. unfold Q.
      destruct (Nat.eqb_spec m 1); [contradiction|ring]. }
  unfold Q in E1 at 3 4 5 6. change (1 =? 1)%nat with true in E1. cbv iota in E1.
  set (v := sum d (fun c => scaled W x y r c * mu c)) in *.
  (* E[(Z - v)^2] with Z the combination, E Z = v *)
  assert (HZ : integrable (combination Q) /\ E (combination Q) = v).
  { destruct (E_sum k (fun m o => sum d (fun c => Q (S m) c * X (S m) o c))
               (fun m => sum d (fun c => Q (S m) c * mu c))) as [I2 E2].
    { intros m Hm. apply E_sum. intros c Hc.
      destruct (uncorrelated_mean _ _ _ _ _ _ _ HX (S m) c) as [I2 E2]; try lia.
      destruct (E_scal (Q (S m) c) _ I2) as [I3 E3]. split; [assumption|]. now rewrite E3, E2. }
    split; [exact I2|]. etransitivity; [exact E2|].
    apply (Hsq (fun m => sum d (fun c => Q m c * mu c))).
    intros m Hm. apply sum_zero. intros c _. unfold Q. destruct (Nat.eqb_spec m 1); [contradiction|ring]. }
  destruct HZ as [IZ EZ].
  destruct (expectation_combine _ _ HE _ _ 1 (-2 * v) I1 IZ) as [I3 E3].
  destruct (expectation_constant _ _ HE (v * v)) as [I4 E4].
  destruct (E_plus _ _ I3 I4) as [I5 E5].
  assert (H : 0 <= E (fun o => 1 * (combination Q o * combination Q o) + -2 * v * combination Q o + v * v)).
  { apply (expectation_nonneg _ _ HE); [assumption|]. intros o.
    replace (1 * (combination Q o * combination Q o) + -2 * v * combination Q o + v * v)
      with (Rsqr (combination Q o - v)) by (unfold Rsqr; ring). apply Rle_0_sqr. }
  rewrite E5, E3, E4, E1, EZ in H. lra.
Qed.
End Expectation.

(** *** The smoothed rows *)

Lemma smoothing_dot lam i f k : (1 <= i)%nat -> (i <= k)%nat ->
  possum k (fun m => smoothing_row lam i m * f m) = (1 - lam) * f i + lam * (possum i f / INR i).
Proof.
  intros Hi Hk. unfold smoothing_row.
  rewrite (possum_ext k _ (fun m => (if (m =? i)%nat then 1 else 0) * ((1 - lam) * f m)
      + lam / INR i * (if (m <=? i)%nat then f m else 0))).
  - rewrite possum_plus, possum_scal, (possum_single k i (fun m => (1 - lam) * f m)) by lia.
    assert (H : possum k (fun m => if (m <=? i)%nat then f m else 0) = possum i f).
    { clear Hi. induction k as [|k IH]; [replace i with 0%nat by lia; reflexivity|].
      rewrite possum_S. destruct (Nat.eq_dec i (S k)) as [->|Hne].
      - rewrite Nat.leb_refl, possum_S. f_equal. apply possum_ext. intros m H1 H2.
        destruct (Nat.leb_spec m (S k)); [reflexivity|lia].
      - rewrite IH by lia. destruct (Nat.leb_spec (S k) i); [lia|ring]. }
    rewrite H. unfold Rdiv. ring.
  - intros m _ _. destruct (m =? i)%nat, (m <=? i)%nat; unfold Rdiv; ring.
Qed.

Lemma smoothing_total lam i k : (1 <= i)%nat -> (i <= k)%nat -> possum k (smoothing_row lam i) = 1.
Proof.
  intros Hi Hk. rewrite (possum_ext k _ (fun m => smoothing_row lam i m * 1)) by (intros; ring).
  rewrite (smoothing_dot lam i (fun _ => 1)) by assumption. unfold possum. rewrite sum_const.
  field. apply not_0_INR. lia.
Qed.

Lemma smoothing_future lam i l : (i < l)%nat -> smoothing_row lam i l = 0.
Proof.
  intros H. unfold smoothing_row. destruct (Nat.eqb_spec l i); [lia|]. destruct (Nat.leb_spec l i); [lia|ring].
Qed.

Lemma smoothing_past lam i l : (i < l)%nat -> smoothing_row lam l i = lam / INR l.
Proof.
  intros H. unfold smoothing_row. destruct (Nat.eqb_spec i l); [lia|].
  destruct (Nat.leb_spec i l); [unfold Rdiv; ring|lia].
Qed.

Lemma smoothing_self lam i : (1 <= i)%nat -> smoothing_row lam i i = 1 - lam * theta i.
Proof. intros H. unfold smoothing_row, theta. rewrite Nat.eqb_refl, Nat.leb_refl. ring. Qed.

Lemma smoothing_square lam i k : (1 <= i)%nat -> (i <= k)%nat ->
  possum k (fun m => smoothing_row lam i m * smoothing_row lam i m) = 1 - theta i * (1 - (1 - lam) ^ 2).
Proof.
  intros Hi Hk. rewrite (smoothing_dot lam i (smoothing_row lam i)) by assumption.
  rewrite (smoothing_total lam i i) by lia. rewrite smoothing_self by assumption.
  unfold theta. field. apply not_0_INR. lia.
Qed.

Lemma smoothing_overlap lam i l k : (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  possum k (fun m => smoothing_row lam i m * smoothing_row lam l m) = lam / INR l.
Proof.
  intros Hi Hl Hk. rewrite (smoothing_dot lam i (smoothing_row lam l)) by lia.
  rewrite smoothing_past by assumption.
  rewrite (possum_ext i _ (fun _ => lam / INR l)).
  - unfold possum. rewrite sum_const. field. split; apply not_0_INR; lia.
  - intros m H1 H2. apply smoothing_past. lia.
Qed.

(** *** The moments *)

Lemma independent_is_uncorrelated Omega integrable (E : (Omega -> R) -> R) d k X mu B :
  expectation integrable E -> independent integrable E d k X mu B -> uncorrelated integrable E d k X mu B.
Proof. intros HE H. now apply independent_uncorrelated_here. Qed.

(** Any attention rows that sum to 1. *)
Lemma general_moment Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W a i l :
  expectation integrable E -> uncorrelated integrable E d k X mu B ->
  (1 <= i <= k)%nat -> (1 <= l <= k)%nat -> possum k (a i) = 1 -> possum k (a l) = 1 ->
  E (fun o => dot d (smoothed d k beta W a X i o) (smoothed d k beta W a X l o))
  = N_0 d beta W mu + (if (i =? l)%nat then p_of d beta B else 0)
    + (a i l + a l i) * s_of d beta W B + possum k (fun m => a i m * a l m) * t_of d W B.
Proof. intros HE HX Hi Hl Ai Al. now apply (attention_moment_here integrable E HE d k X mu B HX). Qed.

(** "D_i := E||Y_i||^2 = ..." *)
Lemma own_moment Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W lam i :
  expectation integrable E -> independent integrable E d k X mu B -> (1 <= i <= k)%nat ->
  let Y := smoothed d k beta W (smoothing_row lam) X in
  E (fun o => dot d (Y i o) (Y i o)) = moment (p_of d beta B) (s_of d beta W B) (t_of d W B) (N_0 d beta W mu) i lam.
Proof.
  intros HE HX Hi Y. unfold Y.
  rewrite (general_moment Omega integrable E d k X mu B beta W (smoothing_row lam) i i); try assumption.
  - rewrite Nat.eqb_refl, smoothing_square, smoothing_self by lia. unfold moment. ring.
  - now apply independent_is_uncorrelated.
  - apply smoothing_total; lia.
  - apply smoothing_total; lia.
Qed.

(** "For i < l: E[Y_i.Y_l] = N0 + (lam/l)(s + t)" *)
Lemma pair_moment Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W lam i l :
  expectation integrable E -> independent integrable E d k X mu B ->
  (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  let Y := smoothed d k beta W (smoothing_row lam) X in
  E (fun o => dot d (Y i o) (Y l o)) = cross_moment (s_of d beta W B) (t_of d W B) (N_0 d beta W mu) l lam.
Proof.
  intros HE HX Hi Hil Hl Y. unfold Y.
  rewrite (general_moment Omega integrable E d k X mu B beta W (smoothing_row lam) i l); try assumption; try lia.
  - destruct (Nat.eqb_spec i l); [lia|].
    rewrite smoothing_overlap, smoothing_future, smoothing_past by lia. unfold cross_moment. ring.
  - now apply independent_is_uncorrelated.
  - apply smoothing_total; lia.
  - apply smoothing_total; lia.
Qed.

(** What is true of the four numbers. *)
Lemma numbers_of_model Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W :
  expectation integrable E -> uncorrelated integrable E d k X mu B -> (1 <= k)%nat ->
  moments (p_of d beta B) (s_of d beta W B) (t_of d W B) (N_0 d beta W mu).
Proof.
  intros HE HX Hk. set (p := p_of d beta B). set (s := s_of d beta W B). set (t := t_of d W B).
  pose proof (fun x y => quadratic_nonneg integrable E HE d k X mu B HX W x y Hk) as Q.
  assert (Hb : 0 <= matrix_trace d B) by (pose proof (Q 1 0); lra).
  assert (Ht : 0 <= t) by (pose proof (Q 0 1); unfold t; lra).
  split; [apply Rmult_le_pos; [apply Rle_0_sqr|assumption]|assumption|apply sum_nonneg; intros; apply Rle_0_sqr|].
  unfold s, p, s_of, p_of. set (q := matrix_trace d (matrix_times d B W)) in *. fold t in Q.
  assert (Hq : q * q <= matrix_trace d B * t).
  { destruct Ht as [Ht|Ht].
    - pose proof (Q t (- q)) as H. apply (Rmult_le_reg_l t); [assumption|]. lra.
    - rewrite <- Ht in *. destruct (Req_dec q 0) as [->|Hq0]; [lra|].
      pose proof (Q 1 (- (matrix_trace d B + 1) / (2 * q))) as H.
      replace (2 * 1 * (- (matrix_trace d B + 1) / (2 * q)) * q) with (- (matrix_trace d B + 1)) in H by (field; assumption).
      lra. }
  replace (beta * q * (beta * q)) with (beta * beta * (q * q)) by ring.
  replace (beta * beta * matrix_trace d B * t) with (beta * beta * (matrix_trace d B * t)) by ring.
  apply Rmult_le_compat_l; [apply Rle_0_sqr|assumption].
Qed.
