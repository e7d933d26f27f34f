(** * What a factorisation costs, and weak duality: the proof behind co-2, co-4 and co-6

    docs/THEORY.md, section 5: the map cost of scores x^T W y is the least ||W_Q||_F^2 + ||W_K||_F^2 over
    W_Q^T W_K = W.  A lower bound is a theorem about EVERY pair of matrices W_Q, W_K, of any head width r:
    no nuclear norm, singular value or matrix root is needed.

    The definitions are in definitions/map_cost.v.  Part 1 is linear algebra, part 2 duality:
    [pairing_cost]: <Y, W_Q^T W_K> <= (t/2) cost for a matrix Y of operator norm at most t;
    [weak_duality]: Y = sum_k y_k x_k z_k^T, y_k >= 0, x_k^T W z_k >= m_k, so cost >= (2/t) sum_k y_k m_k;
    [infeasible]: the same with Y = 0 and sum_k y_k m_k > 0: there is no W at all.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/factor_cost.v
    (after sink_and_diagonal.v, whose [factor_cost] it uses) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal.
From Sinkproof Require Export map_cost.
Open Scope R_scope.

(** ** Part 1: linear algebra *)

Definition vadd (x y : vector) : vector := fun a => x a + y a.
Definition vsub (x y : vector) : vector := fun a => x a - y a.
Definition vscal (c : R) (x : vector) : vector := fun a => c * x a.
Definition vsum (n : nat) (x : nat -> vector) : vector := fun a => sum n (fun k => x k a).

Lemma dot_vadd_r d x y z : dot d x (vadd y z) = dot d x y + dot d x z.
Proof. unfold dot, vadd. rewrite <- sum_plus. apply sum_ext. intros. ring. Qed.

Lemma dot_vsub_r d x y z : dot d x (vsub y z) = dot d x y - dot d x z.
Proof. unfold dot, vsub. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.

Lemma dot_vscal_r d c x y : dot d x (vscal c y) = c * dot d x y.
Proof. unfold dot, vscal. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.

Lemma dot_vsum_r d n x y : dot d x (vsum n y) = sum n (fun k => dot d x (y k)).
Proof.
  unfold dot, vsum. rewrite sum_swap. apply sum_ext. intros. now rewrite sum_scal.
Qed.

Lemma dot_vadd_l d x y z : dot d (vadd y z) x = dot d y x + dot d z x.
Proof. now rewrite dot_comm, dot_vadd_r, (dot_comm d x y), (dot_comm d x z). Qed.

Lemma dot_vsub_l d x y z : dot d (vsub y z) x = dot d y x - dot d z x.
Proof. now rewrite dot_comm, dot_vsub_r, (dot_comm d x y), (dot_comm d x z). Qed.

Lemma dot_vscal_l d c x y : dot d (vscal c y) x = c * dot d y x.
Proof. now rewrite dot_comm, dot_vscal_r, (dot_comm d x y). Qed.

Lemma dot_vsum_l d n x y : dot d (vsum n y) x = sum n (fun k => dot d (y k) x).
Proof. rewrite dot_comm, dot_vsum_r. apply sum_ext. intros. apply dot_comm. Qed.

Lemma dot_self_zero d x : dot d x x = 0 -> forall a, (a < d)%nat -> x a = 0.
Proof.
  intros H a Ha. pose proof (sum_term_le d (fun a => x a * x a) a) as G. unfold dot in H. rewrite H in G.
  apply Rsqr_eq_0. unfold Rsqr. apply Rle_antisym; [|apply Rle_0_sqr].
  apply G; [|assumption]. intros. apply Rle_0_sqr.
Qed.

Lemma euclidean_square d x : euclidean_norm d x * euclidean_norm d x = dot d x x.
Proof. apply sqrt_sqrt, dot_self_nonneg. Qed.

Lemma bilinear_vadd_r d W x y z : bilinear d W x (vadd y z) = bilinear d W x y + bilinear d W x z.
Proof.
  unfold bilinear, vadd. rewrite <- sum_plus. apply sum_ext. intros a _. rewrite <- sum_plus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_vsub_r d W x y z : bilinear d W x (vsub y z) = bilinear d W x y - bilinear d W x z.
Proof.
  unfold bilinear, vsub. rewrite <- sum_minus. apply sum_ext. intros a _. rewrite <- sum_minus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_vscal_r d W x c y : bilinear d W x (vscal c y) = c * bilinear d W x y.
Proof.
  unfold bilinear, vscal. rewrite <- sum_scal. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_vsub_l d W x y z : bilinear d W (vsub y z) x = bilinear d W y x - bilinear d W z x.
Proof.
  unfold bilinear, vsub. rewrite <- sum_minus. apply sum_ext. intros a _. rewrite <- sum_minus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_vscal_l d W x c y : bilinear d W (vscal c y) x = c * bilinear d W y x.
Proof.
  unfold bilinear, vscal. rewrite <- sum_scal. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_vsum_r d W n x y : bilinear d W x (vsum n y) = sum n (fun k => bilinear d W x (y k)).
Proof.
  apply bilinear_sum_r.
Qed.

Lemma bilinear_vsum_l d W n x y : bilinear d W (vsum n y) x = sum n (fun k => bilinear d W (y k) x).
Proof.
  apply bilinear_sum_l.
Qed.

Lemma bilinear_ext d W W' x x' y y' :
  (forall a b, (a < d)%nat -> (b < d)%nat -> W a b = W' a b) ->
  (forall a, (a < d)%nat -> x a = x' a) -> (forall a, (a < d)%nat -> y a = y' a) ->
  bilinear d W x y = bilinear d W' x' y'.
Proof.
  intros HW Hx Hy. unfold bilinear. apply sum_ext. intros a Ha. apply sum_ext. intros b Hb.
  now rewrite HW, Hx, Hy.
Qed.

(** sum_k y_k x_k z_k^T against u and v, and against W. *)
Lemma bilinear_combination d n y x z u v :
  bilinear d (combination n y x z) u v = sum n (fun k => y k * (dot d (x k) u * dot d (z k) v)).
Proof.
  unfold bilinear, combination.
  transitivity (sum d (fun a => sum n (fun k => y k * (x k a * u a) * dot d (z k) v))).
  - apply sum_ext. intros a _.
    transitivity (sum d (fun b => sum n (fun k => y k * (x k a * u a) * (z k b * v b)))).
    + apply sum_ext. intros b _. rewrite Rmult_assoc, (Rmult_comm (sum n _)), <- Rmult_assoc, <- sum_scal.
      apply sum_ext. intros. ring.
    + rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
  - rewrite sum_swap. apply sum_ext. intros k _. rewrite sum_scal_r.
    replace (y k * (dot d (x k) u * dot d (z k) v)) with (y k * dot d (x k) u * dot d (z k) v) by ring.
    f_equal. unfold dot. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma pairing_combination d n y x z W :
  pairing d (combination n y x z) W = sum n (fun k => y k * bilinear d W (x k) (z k)).
Proof.
  unfold pairing, combination, bilinear.
  transitivity (sum d (fun a => sum n (fun k => y k * sum d (fun b => x k a * W a b * z k b)))).
  - apply sum_ext. intros a _.
    transitivity (sum d (fun b => sum n (fun k => y k * (x k a * W a b * z k b)))).
    + apply sum_ext. intros b _. rewrite <- sum_scal_r. apply sum_ext. intros. ring.
    + rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
  - rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
Qed.

(** <Y, W_Q^T W_K> = sum over the rows of (row of W_Q)^T Y (row of W_K). *)
Lemma pairing_query_key d r Y WQ WK :
  pairing d Y (query_key r WQ WK) = sum r (fun k => bilinear d Y (WQ k) (WK k)).
Proof.
  unfold pairing, query_key, bilinear.
  transitivity (sum d (fun a => sum r (fun k => sum d (fun b => WQ k a * Y a b * WK k b)))).
  - apply sum_ext. intros a _. rewrite sum_swap. apply sum_ext. intros b _. rewrite <- sum_scal.
    apply sum_ext. intros. ring.
  - now rewrite sum_swap.
Qed.

Lemma factor_cost_nonneg d r WQ WK : 0 <= factor_cost d r WQ WK.
Proof.
  rewrite factor_cost_dot. apply sum_nonneg. intros. pose proof (dot_self_nonneg d (WQ k)). pose proof (dot_self_nonneg d (WK k)). lra.
Qed.

(** *** Three ways to say that the operator norm is at most t *)

(** The one that proofs use: no root. *)
Definition form_bounded (d : nat) (Y : matrix) (t : R) : Prop :=
  forall u v, 2 * bilinear d Y u v <= t * (dot d u u + dot d v v).

Lemma bilinear_transposed d Y w v : bilinear d Y w v = dot d (transposed_image d Y w) v.
Proof.
  unfold bilinear, dot, transposed_image. rewrite sum_swap. apply sum_ext. intros b _.
  rewrite <- sum_scal_r. apply sum_ext. intros. ring.
Qed.

Lemma bilinear_zero_r d Y u v : (forall a, (a < d)%nat -> v a = 0) -> bilinear d Y u v = 0.
Proof.
  intros H. unfold bilinear. apply sum_zero. intros a _. apply sum_zero. intros b Hb. rewrite H by assumption. ring.
Qed.

Lemma bilinear_zero_l d Y u v : (forall a, (a < d)%nat -> u a = 0) -> bilinear d Y u v = 0.
Proof.
  intros H. unfold bilinear. apply sum_zero. intros a Ha. apply sum_zero. intros b _. rewrite H by assumption. ring.
Qed.

Lemma operator_norm_form d Y t : 0 <= t -> operator_norm_le d Y t <-> form_bounded d Y t.
Proof.
  intros Ht. split.
  - intros H u v. specialize (H u v).
    pose proof (Rle_abs (bilinear d Y u v)) as G.
    pose proof (euclidean_square d u) as Eu. pose proof (euclidean_square d v) as Ev.
    set (a := euclidean_norm d u) in *. set (b := euclidean_norm d v) in *. rewrite <- Eu, <- Ev.
    assert (0 <= t * ((a - b) * (a - b))) by (apply Rmult_le_pos; [assumption|apply Rle_0_sqr]). lra.
  - intros H u v.
    pose proof (euclidean_square d u) as Eu. pose proof (euclidean_square d v) as Ev.
    pose proof (sqrt_pos (dot d u u)) as Pu. pose proof (sqrt_pos (dot d v v)) as Pv.
    fold (euclidean_norm d u) in Pu. fold (euclidean_norm d v) in Pv.
    assert (Q : forall p q, 2 * (p * q) * bilinear d Y u v <= t * (p * p * dot d u u + q * q * dot d v v)).
    { intros p q. specialize (H (vscal p u) (vscal q v)).
      rewrite bilinear_vscal_l, bilinear_vscal_r, !dot_vscal_l, !dot_vscal_r in H. lra. }
    set (a := euclidean_norm d u) in *. set (b := euclidean_norm d v) in *.
    destruct Pu as [Pu|Pu].
    2:{ rewrite (bilinear_zero_l d Y u v), Rabs_R0, <- Pu by (apply dot_self_zero; rewrite <- Eu, <- Pu; ring). lra. }
    destruct Pv as [Pv|Pv].
    2:{ rewrite (bilinear_zero_r d Y u v), Rabs_R0, <- Pv by (apply dot_self_zero; rewrite <- Ev, <- Pv; ring). lra. }
    assert (Hab : 0 < a * b) by (now apply Rmult_lt_0_compat).
    pose proof (Q b a) as Q1. pose proof (Q (- b) a) as Q2. rewrite <- Eu, <- Ev in Q1, Q2.
    apply Rabs_le. split; apply (Rmult_le_reg_l (a * b)); try assumption; lra.
Qed.

(** "t^2 |w|^2 - |Y^T w|^2 >= 0 for all w". *)
Lemma transposed_operator_norm d Y t :
  0 <= t ->
  (forall w, 0 <= t * t * dot d w w - dot d (transposed_image d Y w) (transposed_image d Y w)) <->
  operator_norm_le d Y t.
Proof.
  intros Ht. split.
  - intros H u v. specialize (H u). rewrite bilinear_transposed.
    set (y := transposed_image d Y u) in *.
    assert (Hy : euclidean_norm d y <= t * euclidean_norm d u).
    { unfold euclidean_norm. rewrite <- (sqrt_square t) at 1 by assumption. rewrite <- sqrt_mult_alt by (now apply Rmult_le_pos).
      apply sqrt_le_1_alt. lra. }
    pose proof (sqrt_pos (dot d v v)) as Pv. fold (euclidean_norm d v) in Pv.
    apply (Rmult_le_compat_r _ _ _ Pv) in Hy.
    apply Rabs_le. split.
    + pose proof (cauchy_schwarz d y (vscal (-1) v)) as C. rewrite dot_vscal_r in C.
      replace (euclidean_norm d (vscal (-1) v)) with (euclidean_norm d v) in C; [lra|].
      unfold euclidean_norm. rewrite dot_vscal_l, dot_vscal_r. f_equal. ring.
    + pose proof (cauchy_schwarz d y v). lra.
  - intros H w. apply (operator_norm_form d Y t Ht) in H. set (y := transposed_image d Y w).
    assert (Q : forall p q, 2 * (p * q) * dot d y y <= t * (p * p * dot d w w + q * q * dot d y y)).
    { intros p q. specialize (H (vscal p w) (vscal q y)).
      rewrite bilinear_vscal_l, bilinear_vscal_r, !dot_vscal_l, !dot_vscal_r, bilinear_transposed in H.
      fold y in H. lra. }
    pose proof (dot_self_nonneg d y) as Py. destruct Ht as [Ht|Ht].
    + specialize (Q t 1). assert (0 < / t) by (now apply Rinv_0_lt_compat).
      apply (Rmult_le_reg_l t); [assumption|]. lra.
    + rewrite <- Ht in *. pose proof (Q 1 1). lra.
Qed.

(** ** Part 2: duality *)

Lemma pairing_form_bounded d r Y t WQ WK :
  form_bounded d Y t -> 2 * pairing d Y (query_key r WQ WK) <= t * factor_cost d r WQ WK.
Proof.
  intros H. rewrite pairing_query_key, factor_cost_dot, <- !sum_scal.
  apply sum_le. intros k _. apply H.
Qed.

Theorem pairing_cost d r Y t WQ WK :
  0 <= t -> operator_norm_le d Y t ->
  pairing d Y (query_key r WQ WK) <= t / 2 * factor_cost d r WQ WK.
Proof.
  intros Ht H. apply (operator_norm_form d Y t Ht) in H. apply (pairing_form_bounded d r Y t WQ WK) in H. lra.
Qed.

Theorem weak_duality d r n x z m y t WQ WK :
  0 < t -> (forall k, (k < n)%nat -> 0 <= y k) -> operator_norm_le d (combination n y x z) t ->
  satisfies d n x z m (query_key r WQ WK) ->
  2 / t * sum n (fun k => y k * m k) <= factor_cost d r WQ WK.
Proof.
  intros Ht Hy HY HW. pose proof (pairing_cost d r _ t WQ WK (Rlt_le _ _ Ht) HY) as P.
  rewrite pairing_combination in P.
  assert (S : sum n (fun k => y k * m k) <= sum n (fun k => y k * bilinear d (query_key r WQ WK) (x k) (z k))).
  { apply sum_le. intros k Hk. apply Rmult_le_compat_l; [now apply Hy|now apply HW]. }
  apply (Rmult_le_reg_l (t / 2)); [lra|]. replace (t / 2 * (2 / t * sum n (fun k => y k * m k)))
    with (sum n (fun k => y k * m k)) by (field; lra). lra.
Qed.

(** Multipliers whose combination vanishes: no matrix W at all, factored or not. *)
Theorem infeasible d n x z m y W :
  (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall a b, (a < d)%nat -> (b < d)%nat -> combination n y x z a b = 0) ->
  0 < sum n (fun k => y k * m k) -> ~ satisfies d n x z m W.
Proof.
  intros Hy HY Hm HW.
  assert (P : pairing d (combination n y x z) W = 0).
  { unfold pairing. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb. rewrite HY by assumption. ring. }
  rewrite pairing_combination in P.
  assert (sum n (fun k => y k * m k) <= sum n (fun k => y k * bilinear d W (x k) (z k))).
  { apply sum_le. intros k Hk. apply Rmult_le_compat_l; [now apply Hy|now apply HW]. }
  lra.
Qed.
