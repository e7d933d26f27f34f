(** * Hard switch and sink: the setting of docs/THEORY.md, section 2

    Lemmas about norms of R^m, their duals and the simplex (definitions/anchored_values.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/hard_switch.v
    (after trigger_task.v, whose finite sums it uses) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Sinkproof Require Export anchored_values.
Open Scope R_scope.

Lemma dot_scal m c x y : dot m x (fun r => c * y r) = c * dot m x y.
Proof. unfold dot. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.

Lemma dot_output m T u a v : dot m u (output T a v) = sum (S T) (fun k => a k * dot m u (v k)).
Proof.
  unfold dot, output. rewrite (sum_ext m _ (fun r => sum (S T) (fun k => a k * (u r * v k r)))).
  - rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
  - intros r _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(** The dual norm bounds the pairing: u.y <= ||y||. *)
Lemma dual_pairing m N u : is_norm m N -> dual_norm_le_1 m N u -> forall y, dot m u y <= N y.
Proof.
  intros HN Hu y. destruct (norm_nonneg m N HN y) as [Hy|Hy].
  - assert (H : dot m u (fun r => / N y * y r) <= 1).
    { apply Hu. rewrite (norm_scal m N HN), Rabs_pos_eq by (left; now apply Rinv_0_lt_compat).
      rewrite Rinv_l by lra. lra. }
    rewrite dot_scal in H. apply (Rmult_le_compat_l (N y)) in H; [|lra].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r in H by lra. exact H.
  - apply Req_le. rewrite <- Hy. unfold dot. apply sum_zero. intros r Hr.
    rewrite (norm_definite m N HN y (eq_sym Hy) r Hr). ring.
Qed.

(** The norm of a weighted sum. *)
Lemma norm_sum m N (a : nat -> R) (v : nat -> vector) p :
  is_norm m N -> (forall k, (k < p)%nat -> 0 <= a k) ->
  N (fun r => sum p (fun k => a k * v k r)) <= sum p (fun k => a k * N (v k)).
Proof.
  intros HN. induction p as [|p IH]; intros Ha; cbn [sum].
  - apply Req_le. rewrite (norm_reads_m m N HN _ (fun r => 0 * v 0%nat r)) by (intros; ring).
    rewrite (norm_scal m N HN), Rabs_R0. ring.
  - eapply Rle_trans; [apply (norm_triangle m N HN)|].
    rewrite (norm_scal m N HN), (Rabs_pos_eq (a p)) by (apply Ha; lia).
    apply Rplus_le_compat_r, IH. intros. apply Ha. lia.
Qed.

(** *** The maximum *)

Lemma maximum_nonneg m f : 0 <= maximum m f.
Proof. induction m as [|m IH]; cbn [maximum]; [lra|]. eapply Rle_trans; [exact IH|apply Rmax_l]. Qed.

Lemma maximum_ge m f k : (k < m)%nat -> f k <= maximum m f.
Proof.
  induction m as [|m IH]; intros Hk; [lia|]. cbn [maximum].
  destruct (Nat.eq_dec k m) as [->|E]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia|apply Rmax_l].
Qed.

Lemma maximum_le m f b : 0 <= b -> (forall k, (k < m)%nat -> f k <= b) -> maximum m f <= b.
Proof.
  intros Hb. induction m as [|m IH]; intros Hf; cbn [maximum]; [assumption|].
  apply Rmax_lub; [apply IH; intros; apply Hf; lia|apply Hf; lia].
Qed.

Lemma maximum_ext m f g : (forall k, (k < m)%nat -> f k = g k) -> maximum m f = maximum m g.
Proof.
  induction m as [|m IH]; intros H; cbn [maximum]; [reflexivity|].
  rewrite IH, H by (try lia; intros; apply H; lia). reflexivity.
Qed.

Lemma maximum_scal m c f : 0 <= c -> maximum m (fun k => c * f k) = c * maximum m f.
Proof.
  intros Hc. induction m as [|m IH]; cbn [maximum]; [ring|].
  now rewrite IH, RmaxRmult.
Qed.

(** *** The norms are norms *)

Lemma sup_norm_is_norm m : is_norm m (sup_norm m).
Proof.
  unfold sup_norm. split.
  - intros x y H. apply maximum_ext. intros. now rewrite H.
  - intros x. apply maximum_nonneg.
  - intros x H r Hr. pose proof (maximum_ge m (fun r => Rabs (x r)) r Hr) as G. rewrite H in G.
    apply abs_bounds in G. lra.
  - intros c x. rewrite <- maximum_scal by apply Rabs_pos. apply maximum_ext. intros. apply Rabs_mult.
  - intros x y. pose proof (maximum_nonneg m (fun r => Rabs (x r))). pose proof (maximum_nonneg m (fun r => Rabs (y r))).
    apply maximum_le; [lra|]. intros k Hk. eapply Rle_trans; [apply Rabs_triang|].
    apply Rplus_le_compat; now apply (maximum_ge m (fun r => Rabs (_ r)) k).
Qed.

Lemma dot_self_nonneg m x : 0 <= dot m x x.
Proof. apply sum_nonneg. intros. apply Rle_0_sqr. Qed.

Lemma cauchy_schwarz m x y : dot m x y <= euclidean_norm m x * euclidean_norm m y.
Proof.
  unfold euclidean_norm. pose proof (dot_self_nonneg m x) as Hx. pose proof (dot_self_nonneg m y) as Hy.
  (* 0 <= |t x - s y|^2 for all s, t *)
  assert (Q : forall s t, 0 <= t * t * dot m x x - 2 * (s * t) * dot m x y + s * s * dot m y y).
  { intros s t. unfold dot.
    replace (t * t * sum m (fun r => x r * x r) - 2 * (s * t) * sum m (fun r => x r * y r)
             + s * s * sum m (fun r => y r * y r))
      with (sum m (fun r => (t * x r - s * y r) * (t * x r - s * y r))).
    - apply sum_nonneg. intros. apply Rle_0_sqr.
    - rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros. ring. }
  pose proof (sqrt_pos (dot m x x)) as Sx. pose proof (sqrt_pos (dot m y y)) as Sy.
  pose proof (sqrt_sqrt _ Hx) as Ex. pose proof (sqrt_sqrt _ Hy) as Ey.
  set (X := sqrt (dot m x x)) in *. set (Y := sqrt (dot m y y)) in *.
  rewrite <- Ex, <- Ey in Q. set (p := dot m x y) in *.
  destruct Sx as [Sx|Sx].
  - destruct Sy as [Sy|Sy].
    + specialize (Q X Y). assert (HXY : 0 < X * Y) by (now apply Rmult_lt_0_compat).
      apply (Rmult_le_reg_l (X * Y)); [assumption|]. lra.
    + (* Y = 0 *)
      rewrite <- Sy in *. specialize (Q ((p + 0) * / 1) 0) as Q0.
      assert (Q1 := Q (X * X + 1) p). rewrite Rmult_0_r.
      destruct (Rle_lt_dec p 0) as [|Hp]; [assumption|exfalso].
      assert (0 < p * p) by (now apply Rmult_lt_0_compat).
      assert (0 <= X * X * (p * p)) by (apply Rmult_le_pos; [apply Rle_0_sqr|lra]).
      lra.
  - rewrite <- Sx in *. assert (Q1 := Q p (Y * Y + 1)). rewrite Rmult_0_l.
    destruct (Rle_lt_dec p 0) as [|Hp]; [assumption|exfalso].
    assert (0 < p * p) by (now apply Rmult_lt_0_compat).
    assert (0 <= Y * Y * (p * p)) by (apply Rmult_le_pos; [apply Rle_0_sqr|lra]).
    lra.
Qed.

Lemma euclidean_is_norm m : is_norm m (euclidean_norm m).
Proof.
  unfold euclidean_norm. split.
  - intros x y H. f_equal. apply sum_ext. intros. now rewrite H.
  - intros x. apply sqrt_pos.
  - intros x H r Hr. apply sqrt_eq_0 in H; [|apply dot_self_nonneg].
    pose proof (sum_term_le m (fun r => x r * x r) r) as G. unfold dot in H. rewrite H in G.
    apply Rsqr_eq_0. unfold Rsqr. apply Rle_antisym; [|apply Rle_0_sqr].
    apply G; [|assumption]. intros. apply Rle_0_sqr.
  - intros c x. replace (dot m (fun r => c * x r) (fun r => c * x r)) with (Rsqr c * dot m x x).
    + rewrite sqrt_mult_alt by apply Rle_0_sqr. now rewrite sqrt_Rsqr_abs.
    + unfold dot, Rsqr. rewrite <- sum_scal. apply sum_ext. intros. ring.
  - intros x y. pose proof (cauchy_schwarz m x y) as C. unfold euclidean_norm in C.
    pose proof (dot_self_nonneg m x) as Hx. pose proof (dot_self_nonneg m y) as Hy.
    pose proof (sqrt_pos (dot m x x)). pose proof (sqrt_pos (dot m y y)).
    rewrite <- (sqrt_Rsqr (sqrt (dot m x x) + sqrt (dot m y y))) by lra.
    apply sqrt_le_1_alt. unfold Rsqr.
    replace (dot m (fun r => x r + y r) (fun r => x r + y r)) with (dot m x x + 2 * dot m x y + dot m y y).
    + pose proof (sqrt_sqrt _ Hx). pose proof (sqrt_sqrt _ Hy). lra.
    + unfold dot. rewrite <- sum_scal, <- !sum_plus. apply sum_ext. intros. ring.
Qed.

(** *** Their dual balls *)

Lemma dual_euclidean m u : dual_norm_le_1 m (euclidean_norm m) u <-> euclidean_norm m u <= 1.
Proof.
  unfold euclidean_norm at 2. split.
  - intros Hu. pose proof (dual_pairing m _ u (euclidean_is_norm m) Hu u) as H.
    unfold euclidean_norm in H. pose proof (sqrt_pos (dot m u u)) as Hs.
    pose proof (sqrt_sqrt _ (dot_self_nonneg m u)) as E. set (s := sqrt (dot m u u)) in *.
    destruct (Rle_lt_dec s 1) as [|Hlt]; [assumption|exfalso].
    assert (s * 1 < s * s) by (apply Rmult_lt_compat_l; lra). lra.
  - intros Hu y Hy. eapply Rle_trans; [apply cauchy_schwarz|]. rewrite <- (Rmult_1_r 1).
    apply Rmult_le_compat; auto; apply sqrt_pos.
Qed.

Definition sign_of (x : R) : R := if Rle_lt_dec 0 x then 1 else -1.

Lemma dual_sup m u : dual_norm_le_1 m (sup_norm m) u <-> one_norm m u <= 1.
Proof.
  unfold one_norm. split.
  - intros Hu. specialize (Hu (fun r => sign_of (u r))).
    replace (sum m (fun r => Rabs (u r))) with (dot m u (fun r => sign_of (u r))).
    + apply Hu, maximum_le; [lra|]. intros k _. unfold sign_of.
      destruct (Rle_lt_dec 0 (u k)); apply Rabs_le; lra.
    + apply sum_ext. intros r _. unfold sign_of.
      destruct (Rle_lt_dec 0 (u r)); [rewrite Rabs_pos_eq by lra|rewrite Rabs_left by lra]; ring.
  - intros Hu y Hy. eapply Rle_trans; [|exact Hu]. apply sum_le. intros r Hr.
    eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs (u r))) at 2.
    apply Rmult_le_compat_l; [apply Rabs_pos|].
    eapply Rle_trans; [|exact Hy]. now apply (maximum_ge m (fun r => Rabs (y r))).
Qed.
