(** * sm-1: second moments of outputs under smoothed attention

    Claim (docs/THEORY.md, sm-1; arXiv:2605.08453 section 5, reconstructed).  X_1..X_k independent, mean mu,
    covariance B.  Y_i = beta X_i + W sum_l a_il X_l, row i attends by a_i(lam) = (1-lam) delta_i +
    lam uniform{1..i}.  theta_i = 1 - 1/i, N0 = ||(beta I + W) mu||^2, s = beta tr(BW), t = tr(B W^T W).
    D_i = E||Y_i||^2 = N0 + beta^2 tr B + 2(1 - lam theta_i) s + (1 - theta_i(1-(1-lam)^2)) t,
    dD_i/dlam = -2 theta_i [s + (1-lam) t], and E[Y_i.Y_l] = N0 + (lam/l)(s + t) for i < l.

    Proved here, for all d, k, mu, B, W, beta, lam and every expectation E (linear, E[1] = 1, E[f] >= 0 for
    f >= 0, on a space of integrable functions: finite laws, densities, anything):
    - [second_moment], [second_moment_derivative], [product_moment]: the three formulas;
    - [attention_moment]: for ANY weights whose rows sum to 1 (not only causal),
      E[Y_i.Y_l] = N0 + [i = l] beta^2 tr B + (a_il + a_li) s + (sum_m a_im a_lm) t;
    - these need of independence only E[X_a X_b^T] = mu mu^T + [a = b] B ([uncorrelated]);
      [independent_uncorrelated]: independent inputs satisfy it;
    - [moment_bounds]: beta^2 tr B >= 0, t >= 0, N0 >= 0 and s^2 <= beta^2 tr B t, the facts sm-2 uses;
    - [independent_copies]: for every finite law and every k there are k independent inputs of that law, so
      the hypotheses can be met; [two_points]: the law +-1 in one dimension, used by sm-2's instances.

    Step: Y_i = sum_m (beta [m = i] I + a_im W) X_m; pairs m <> m' see only the mean, and for m = m'
    the trace of (x I + y W) B (x' I + y' W)^T is x x' tr B + (x y' + x' y) tr(BW) + y y' tr(B W^T W).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/sm-1/moments.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
Open Scope R_scope.

(** ** Part 1: definitions *)

(** An expectation on functions of a point of [Omega]. *)
Record expectation {Omega : Type} (integrable : (Omega -> R) -> Prop) (E : (Omega -> R) -> R) : Prop := {
  expectation_constant : forall c, integrable (fun _ => c) /\ E (fun _ => c) = c;
  expectation_combine : forall f g a b, integrable f -> integrable g ->
    integrable (fun o => a * f o + b * g o) /\ E (fun o => a * f o + b * g o) = a * E f + b * E g;
  expectation_nonneg : forall f, integrable f -> (forall o, 0 <= f o) -> 0 <= E f;
  expectation_ext : forall f g, (forall o, f o = g o) -> integrable f -> integrable g /\ E f = E g
}.

(** A vector of R^d: a function read at the indices 0..d-1. *)
Definition vector := nat -> R.

(** "X_1..X_k independent, mean mu, covariance B". *)
Record independent {Omega : Type} integrable (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector)
    (mu : vector) (B : matrix) : Prop := {
  independent_mean : forall m r, (1 <= m <= k)%nat -> (r < d)%nat ->
    integrable (fun o => X m o r) /\ E (fun o => X m o r) = mu r;
  independent_covariance : forall m r c, (1 <= m <= k)%nat -> (r < d)%nat -> (c < d)%nat ->
    integrable (fun o => (X m o r - mu r) * (X m o c - mu c)) /\
    E (fun o => (X m o r - mu r) * (X m o c - mu c)) = B r c;
  independent_product : forall m m' (f g : vector -> R), (1 <= m <= k)%nat -> (1 <= m' <= k)%nat -> m <> m' ->
    integrable (fun o => f (X m o)) -> integrable (fun o => g (X m' o)) ->
    integrable (fun o => f (X m o) * g (X m' o)) /\
    E (fun o => f (X m o) * g (X m' o)) = E (fun o => f (X m o)) * E (fun o => g (X m' o))
}.

(** What is used of it: E[X_m] = mu, E[X_m X_m'^T] = mu mu^T + [m = m'] B. *)
Record uncorrelated {Omega : Type} integrable (E : (Omega -> R) -> R) (d k : nat) (X : nat -> Omega -> vector)
    (mu : vector) (B : matrix) : Prop := {
  uncorrelated_mean : forall m r, (1 <= m <= k)%nat -> (r < d)%nat ->
    integrable (fun o => X m o r) /\ E (fun o => X m o r) = mu r;
  uncorrelated_second : forall m m' r c, (1 <= m <= k)%nat -> (1 <= m' <= k)%nat -> (r < d)%nat -> (c < d)%nat ->
    integrable (fun o => X m o r * X m' o c) /\
    E (fun o => X m o r * X m' o c) = mu r * mu c + (if (m =? m')%nat then B r c else 0)
}.

(** "Y_i = beta X_i + W sum_l a_il X_l": coordinate r, positions from 1. *)
Definition smoothed {Omega} (d k : nat) (beta : R) (W : matrix) (a : nat -> nat -> R) (X : nat -> Omega -> vector)
    (i : nat) (o : Omega) (r : nat) : R :=
  beta * X i o r + sum d (fun c => W r c * possum k (fun l => a i l * X l o c)).

Definition dot (d : nat) (x y : vector) : R := sum d (fun r => x r * y r).

Definition trace (d : nat) (A : matrix) : R := sum d (fun r => A r r).
Definition times (d : nat) (A B : matrix) : matrix := fun r c => sum d (fun m => A r m * B m c).
Definition transpose (A : matrix) : matrix := fun r c => A c r.

(** "N0 = ||(beta I + W) mu||^2", "s = beta tr(BW)", "t = tr(B W^T W)". *)
Definition mean_output (d : nat) (beta : R) (W : matrix) (mu : vector) : vector :=
  fun r => beta * mu r + sum d (fun c => W r c * mu c).
Definition N_0 d beta W mu : R := dot d (mean_output d beta W mu) (mean_output d beta W mu).
Definition s_of d beta W B : R := beta * trace d (times d B W).
Definition t_of d W B : R := trace d (times d (times d B (transpose W)) W).

(** "theta_i = 1 - 1/i"; "a_i(lam) = (1-lam) delta_i + lam uniform{1..i}". *)
Definition theta (i : nat) : R := 1 - / INR i.
Definition smoothing (lam : R) (i l : nat) : R :=
  (1 - lam) * (if (l =? i)%nat then 1 else 0) + lam * (if (l <=? i)%nat then / INR i else 0).

(** "D_i" as a function of lam. *)
Definition D_of d beta W mu B (i : nat) (lam : R) : R :=
  N_0 d beta W mu + beta * beta * trace d B + 2 * (1 - lam * theta i) * s_of d beta W B
  + (1 - theta i * (1 - (1 - lam) ^ 2)) * t_of d W B.

(** ** Part 2: lemmas *)

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
  = x * x' * trace d B + (x * y' + x' * y) * trace d (times d B W) + y * y' * t_of d W B.
Proof.
  intros Hk.
  assert (H1 : sum d (fun r => sum d (fun c => sum d (fun c' => W r c * W r c' * B c c'))) = t_of d W B).
  { unfold t_of, trace, times, transpose.
    rewrite (sum_ext d (fun r => sum d (fun m => sum d (fun m0 => B r m0 * W m m0) * W m r))
              (fun r => sum d (fun m => sum d (fun m0 => W m r * W m m0 * B r m0)))).
    - symmetry. rewrite sum_swap. reflexivity.
    - intros r _. apply sum_ext. intros m _. rewrite <- sum_scal_r. apply sum_ext. intros. ring. }
  assert (H2 : sum d (fun r => sum d (fun c => W r c * B r c)) = trace d (times d B W)).
  { unfold trace, times. rewrite sum_swap. apply sum_ext. intros c Hc. apply sum_ext. intros r Hr.
    rewrite (covariance_symmetric r c) by assumption. ring. }
  assert (HI : forall r f, (r < d)%nat -> sum d (fun c => (if (c =? r)%nat then 1 else 0) * f c) = f r).
  { intros r f Hr. rewrite (sum_single d _ r); [rewrite Nat.eqb_refl; ring|assumption|].
    intros c _ Hne. destruct (Nat.eqb_spec c r); [contradiction|ring]. }
  rewrite (sum_ext d _ (fun r => x * x' * B r r + x * y' * sum d (fun c => W r c * B r c)
      + y * x' * sum d (fun c => W r c * B r c)
      + y * y' * sum d (fun c => sum d (fun c' => W r c * W r c' * B c c')))).
  - rewrite !sum_plus, !sum_scal, H1, H2. fold (trace d B). ring.
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
  = N_0 d beta W mu + (if (i =? l)%nat then beta * beta * trace d B else 0)
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
  rewrite (sum_ext k _ (fun m => beta * beta * trace d B
       * ((if (S m =? i)%nat then 1 else 0) * (if (S m =? l)%nat then 1 else 0))
     + ((if (S m =? i)%nat then 1 else 0) * (beta * a l (S m) * trace d (times d B W))
        + ((if (S m =? l)%nat then 1 else 0) * (beta * a i (S m) * trace d (times d B W))
           + a i (S m) * a l (S m) * t_of d W B)))).
  - rewrite !sum_plus, sum_scal, sum_scal_r.
    assert (K : forall n f, (1 <= n <= k)%nat -> sum k (fun m => (if (S m =? n)%nat then 1 else 0) * f (S m)) = f n)
      by exact (possum_single k).
    rewrite (K i (fun m => if (m =? l)%nat then 1 else 0) Hi).
    rewrite (K i (fun m => beta * a l m * trace d (times d B W)) Hi).
    rewrite (K l (fun m => beta * a i m * trace d (times d B W)) Hl).
    unfold s_of. destruct (i =? l)%nat; ring.
  - intros m Hm. unfold P. rewrite trace_of_pair by lia. ring.
Qed.

(** ||x I + y W|| of the centred input is never negative. *)
Lemma quadratic_nonneg x y : (1 <= k)%nat ->
  0 <= x * x * trace d B + 2 * x * y * trace d (times d B W) + y * y * t_of d W B.
Proof.
  intros Hk.
  replace (x * x * trace d B + 2 * x * y * trace d (times d B W) + y * y * t_of d W B)
    with (x * x * trace d B + (x * y + x * y) * trace d (times d B W) + y * y * t_of d W B) by ring.
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
  possum k (fun m => smoothing lam i m * f m) = (1 - lam) * f i + lam * (possum i f / INR i).
Proof.
  intros Hi Hk. unfold smoothing.
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

Lemma smoothing_total lam i k : (1 <= i)%nat -> (i <= k)%nat -> possum k (smoothing lam i) = 1.
Proof.
  intros Hi Hk. rewrite (possum_ext k _ (fun m => smoothing lam i m * 1)) by (intros; ring).
  rewrite (smoothing_dot lam i (fun _ => 1)) by assumption. unfold possum. rewrite sum_const.
  field. apply not_0_INR. lia.
Qed.

Lemma smoothing_future lam i l : (i < l)%nat -> smoothing lam i l = 0.
Proof.
  intros H. unfold smoothing. destruct (Nat.eqb_spec l i); [lia|]. destruct (Nat.leb_spec l i); [lia|ring].
Qed.

Lemma smoothing_past lam i l : (i < l)%nat -> smoothing lam l i = lam / INR l.
Proof.
  intros H. unfold smoothing. destruct (Nat.eqb_spec i l); [lia|].
  destruct (Nat.leb_spec i l); [unfold Rdiv; ring|lia].
Qed.

Lemma smoothing_self lam i : (1 <= i)%nat -> smoothing lam i i = 1 - lam * theta i.
Proof. intros H. unfold smoothing, theta. rewrite Nat.eqb_refl, Nat.leb_refl. ring. Qed.

Lemma smoothing_square lam i k : (1 <= i)%nat -> (i <= k)%nat ->
  possum k (fun m => smoothing lam i m * smoothing lam i m) = 1 - theta i * (1 - (1 - lam) ^ 2).
Proof.
  intros Hi Hk. rewrite (smoothing_dot lam i (smoothing lam i)) by assumption.
  rewrite (smoothing_total lam i i) by lia. rewrite smoothing_self by assumption.
  unfold theta. field. apply not_0_INR. lia.
Qed.

Lemma smoothing_overlap lam i l k : (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  possum k (fun m => smoothing lam i m * smoothing lam l m) = lam / INR l.
Proof.
  intros Hi Hl Hk. rewrite (smoothing_dot lam i (smoothing lam l)) by lia.
  rewrite smoothing_past by assumption.
  rewrite (possum_ext i _ (fun _ => lam / INR l)).
  - unfold possum. rewrite sum_const. field. split; apply not_0_INR; lia.
  - intros m H1 H2. apply smoothing_past. lia.
Qed.

(** ** Theorems *)

Theorem independent_uncorrelated Omega integrable (E : (Omega -> R) -> R) d k X mu B :
  expectation integrable E -> independent integrable E d k X mu B -> uncorrelated integrable E d k X mu B.
Proof. intros HE H. now apply independent_uncorrelated_here. Qed.

(** Any attention rows that sum to 1. *)
Theorem attention_moment Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W a i l :
  expectation integrable E -> uncorrelated integrable E d k X mu B ->
  (1 <= i <= k)%nat -> (1 <= l <= k)%nat -> possum k (a i) = 1 -> possum k (a l) = 1 ->
  E (fun o => dot d (smoothed d k beta W a X i o) (smoothed d k beta W a X l o))
  = N_0 d beta W mu + (if (i =? l)%nat then beta * beta * trace d B else 0)
    + (a i l + a l i) * s_of d beta W B + possum k (fun m => a i m * a l m) * t_of d W B.
Proof. intros HE HX Hi Hl Ai Al. now apply (attention_moment_here integrable E HE d k X mu B HX). Qed.

(** "D_i := E||Y_i||^2 = ..." *)
Theorem second_moment Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W lam i :
  expectation integrable E -> independent integrable E d k X mu B -> (1 <= i <= k)%nat ->
  let Y := smoothed d k beta W (smoothing lam) X in
  E (fun o => dot d (Y i o) (Y i o)) = D_of d beta W mu B i lam.
Proof.
  intros HE HX Hi Y. unfold Y.
  rewrite (attention_moment Omega integrable E d k X mu B beta W (smoothing lam) i i); try assumption.
  - rewrite Nat.eqb_refl, smoothing_square, smoothing_self by lia. unfold D_of. ring.
  - now apply independent_uncorrelated.
  - apply smoothing_total; lia.
  - apply smoothing_total; lia.
Qed.

(** "dD_i/dlam = -2 theta_i [s + (1-lam) t]" *)
Theorem second_moment_derivative d beta W mu B i lam :
  derivable_pt_lim (D_of d beta W mu B i) lam (-2 * theta i * (s_of d beta W B + (1 - lam) * t_of d W B)).
Proof.
  unfold D_of. set (s := s_of d beta W B). set (t := t_of d W B).
  set (c := N_0 d beta W mu + beta * beta * trace d B). set (th := theta i).
  assert (H : forall h, c + 2 * (1 - (lam + h) * th) * s + (1 - th * (1 - (1 - (lam + h)) ^ 2)) * t
      - (c + 2 * (1 - lam * th) * s + (1 - th * (1 - (1 - lam) ^ 2)) * t)
      = h * (-2 * th * (s + (1 - lam) * t)) + h * h * (th * t)) by (intros; ring).
  intros eps Heps.
  assert (Hd : 0 < eps / (Rabs (th * t) + 1)).
  { apply Rdiv_lt_0_compat; [assumption|]. pose proof (Rabs_pos (th * t)). lra. }
  exists (mkposreal _ Hd). intros h Hh0 Hh. cbv beta. rewrite H. simpl in Hh.
  replace ((h * (-2 * th * (s + (1 - lam) * t)) + h * h * (th * t)) / h - -2 * th * (s + (1 - lam) * t))
    with (h * (th * t)) by (field; assumption).
  rewrite Rabs_mult. pose proof (Rabs_pos (th * t)) as Hp.
  assert (Rabs h * (Rabs (th * t) + 1) < eps).
  { apply (Rmult_lt_compat_r (Rabs (th * t) + 1)) in Hh; [|lra].
    replace (eps / (Rabs (th * t) + 1) * (Rabs (th * t) + 1)) with eps in Hh by (field; lra). assumption. }
  pose proof (Rabs_pos h). nra.
Qed.

(** "For i < l: E[Y_i.Y_l] = N0 + (lam/l)(s + t)" *)
Theorem product_moment Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W lam i l :
  expectation integrable E -> independent integrable E d k X mu B ->
  (1 <= i)%nat -> (i < l)%nat -> (l <= k)%nat ->
  let Y := smoothed d k beta W (smoothing lam) X in
  E (fun o => dot d (Y i o) (Y l o)) = N_0 d beta W mu + lam / INR l * (s_of d beta W B + t_of d W B).
Proof.
  intros HE HX Hi Hil Hl Y. unfold Y.
  rewrite (attention_moment Omega integrable E d k X mu B beta W (smoothing lam) i l); try assumption; try lia.
  - destruct (Nat.eqb_spec i l); [lia|].
    rewrite smoothing_overlap, smoothing_future, smoothing_past by lia. ring.
  - now apply independent_uncorrelated.
  - apply smoothing_total; lia.
  - apply smoothing_total; lia.
Qed.

(** What sm-2 uses of the numbers. *)
Theorem moment_bounds Omega integrable (E : (Omega -> R) -> R) d k X mu B beta W :
  expectation integrable E -> uncorrelated integrable E d k X mu B -> (1 <= k)%nat ->
  let p := beta * beta * trace d B in
  let s := s_of d beta W B in
  let t := t_of d W B in
  0 <= p /\ 0 <= t /\ 0 <= N_0 d beta W mu /\ s * s <= p * t.
Proof.
  intros HE HX Hk p s t.
  pose proof (fun x y => quadratic_nonneg integrable E HE d k X mu B HX W x y Hk) as Q.
  assert (Hb : 0 <= trace d B) by (pose proof (Q 1 0); lra).
  assert (Ht : 0 <= t) by (pose proof (Q 0 1); unfold t; lra).
  split; [apply Rmult_le_pos; [apply Rle_0_sqr|assumption]|]. split; [assumption|]. split.
  { apply sum_nonneg. intros. apply Rle_0_sqr. }
  unfold s, p, s_of. set (q := trace d (times d B W)) in *. fold t in Q.
  assert (Hq : q * q <= trace d B * t).
  { destruct Ht as [Ht|Ht].
    - pose proof (Q t (- q)) as H. apply (Rmult_le_reg_l t); [assumption|]. lra.
    - rewrite <- Ht in *. destruct (Req_dec q 0) as [->|Hq0]; [lra|].
      pose proof (Q 1 (- (trace d B + 1) / (2 * q))) as H.
      replace (2 * 1 * (- (trace d B + 1) / (2 * q)) * q) with (- (trace d B + 1)) in H by (field; assumption).
      lra. }
  replace (beta * q * (beta * q)) with (beta * beta * (q * q)) by ring.
  replace (beta * beta * trace d B * t) with (beta * beta * (trace d B * t)) by ring.
  apply Rmult_le_compat_l; [apply Rle_0_sqr|assumption].
Qed.

(** *** Independent inputs exist: k draws from a finite law, point v < N with weight w v and value x v *)

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

Theorem independent_copies N w (x : nat -> vector) d k :
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
Theorem two_points mean omega k : (1 <= k)%nat ->
  let X := fun m (o : nat -> nat) (_ : nat) => mean + (if (o m =? 0)%nat then 1 else -1) in
  let mu := fun _ : nat => mean in
  let B := fun _ _ : nat => 1 in
  let W := fun _ _ : nat => omega in
  expectation all_integrable (draws 2 (fun _ => / 2) k) /\
  independent all_integrable (draws 2 (fun _ => / 2) k) 1 k X mu B /\
  1 * 1 * trace 1 B = 1 /\ s_of 1 1 W B = omega /\ t_of 1 W B = omega * omega /\
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
  - repeat split; unfold trace, s_of, t_of, N_0, dot, mean_output, trace, times, transpose, B, W, mu; simpl; ring.
Qed.

Print Assumptions attention_moment.
Print Assumptions second_moment.
Print Assumptions second_moment_derivative.
Print Assumptions product_moment.
Print Assumptions independent_uncorrelated.
Print Assumptions moment_bounds.
Print Assumptions independent_copies.
Print Assumptions two_points.
