(** * Sink patterns and diagonal patterns: the setting of docs/THEORY.md, section 5

    Lemmas about the definitions of definitions/patterns.v: products of vectors, bilinear forms in factored
    form, and the products of an instance's vectors.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_and_diagonal.v
    (after trigger_task.v and hard_switch.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
From Sinkproof Require Export patterns.
Open Scope R_scope.

(** *** Products *)

Lemma dot_comm m x y : dot m x y = dot m y x.
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_plus m x y z : dot m x (fun r => y r + z r) = dot m x y + dot m x z.
Proof. unfold dot. rewrite <- sum_plus. apply sum_ext. intros. ring. Qed.

Lemma dot_minus m x y z : dot m x (fun r => y r - z r) = dot m x y - dot m x z.
Proof. unfold dot. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.

Lemma dot_sum m p x (f : nat -> vector) :
  dot m x (fun r => sum p (fun k => f k r)) = sum p (fun k => dot m x (f k)).
Proof.
  unfold dot. rewrite <- (sum_swap m p (fun r k => x r * f k r)). apply sum_ext. intros r _.
  now rewrite <- sum_scal.
Qed.

Lemma dot_ext m x y x' y' :
  (forall r, (r < m)%nat -> x r = x' r) -> (forall r, (r < m)%nat -> y r = y' r) -> dot m x y = dot m x' y'.
Proof. intros Hx Hy. apply sum_ext. intros r Hr. now rewrite Hx, Hy. Qed.

(** x^T W y as a product of x with W y. *)
Lemma bilinear_dot n W x y : bilinear n W x y = dot n x (linear_value n W y).
Proof.
  unfold bilinear, dot, linear_value. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_plus_r n W x y z : bilinear n W x (fun r => y r + z r) = bilinear n W x y + bilinear n W x z.
Proof.
  unfold bilinear. rewrite <- sum_plus. apply sum_ext. intros a _. rewrite <- sum_plus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_plus_l n W x y z : bilinear n W (fun r => x r + y r) z = bilinear n W x z + bilinear n W y z.
Proof.
  unfold bilinear. rewrite <- sum_plus. apply sum_ext. intros a _. rewrite <- sum_plus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_scal_r n W c x y : bilinear n W x (fun r => c * y r) = c * bilinear n W x y.
Proof.
  unfold bilinear. rewrite <- sum_scal. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_scal_l n W c x y : bilinear n W (fun r => c * x r) y = c * bilinear n W x y.
Proof.
  unfold bilinear. rewrite <- sum_scal. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_sum_l n p W (f : nat -> vector) y :
  bilinear n W (fun r => sum p (fun k => f k r)) y = sum p (fun k => bilinear n W (f k) y).
Proof.
  induction p as [|p IH]; cbn [sum].
  - unfold bilinear. apply sum_zero. intros. apply sum_zero. intros. ring.
  - now rewrite <- IH, <- bilinear_plus_l.
Qed.

Lemma bilinear_sum_r n p W x (f : nat -> vector) :
  bilinear n W x (fun r => sum p (fun k => f k r)) = sum p (fun k => bilinear n W x (f k)).
Proof.
  induction p as [|p IH]; cbn [sum].
  - unfold bilinear. apply sum_zero. intros. apply sum_zero. intros. ring.
  - now rewrite <- IH, <- bilinear_plus_r.
Qed.

(** A factored form: x^T W_Q^T W_K y = sum_h (W_Q x)_h (W_K y)_h. *)
Lemma bilinear_query_key n width WQ WK x y :
  bilinear n (query_key width WQ WK) x y = sum width (fun h => dot n (WQ h) x * dot n (WK h) y).
Proof.
  unfold bilinear, query_key, dot.
  rewrite (sum_ext n _ (fun a => sum width (fun h => WQ h a * x a * sum n (fun b => WK h b * y b)))).
  - rewrite sum_swap. apply sum_ext. intros h _. now rewrite sum_scal_r.
  - intros a _. rewrite (sum_ext n _ (fun b => sum width (fun h => WQ h a * x a * (WK h b * y b)))).
    + rewrite sum_swap. apply sum_ext. intros h _. now rewrite sum_scal.
    + intros b _. rewrite <- sum_scal, <- sum_scal_r. apply sum_ext. intros. ring.
Qed.

Lemma factor_cost_dot d width WQ WK :
  factor_cost d width WQ WK = sum width (fun h => dot d (WQ h) (WQ h) + dot d (WK h) (WK h)).
Proof. unfold factor_cost, squared_frobenius, dot. now rewrite sum_plus. Qed.

(** *** The instance *)

(** Margins of scores are margins of x^T W y, times sqrt d. *)
Lemma score_margin I W kappa x y z :
  (1 <= dimension I)%nat ->
  kappa + score I W x z <= score I W x y <->
  kappa * sqrt (INR (dimension I)) + bilinear (dimension I) W (embedding I x) (embedding I z)
  <= bilinear (dimension I) W (embedding I x) (embedding I y).
Proof.
  intros Hd. assert (Hs : 0 < sqrt (INR (dimension I))) by (apply sqrt_lt_R0, lt_0_INR; lia).
  unfold score. set (s := sqrt (INR (dimension I))) in *.
  set (p := bilinear _ _ _ (embedding I z)). set (q := bilinear _ _ _ _).
  split; intros H.
  - apply (Rmult_le_compat_r s) in H; [|lra]. unfold Rdiv in H.
    rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r in H by lra. exact H.
  - apply (Rmult_le_reg_r s); [assumption|]. unfold Rdiv.
    rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra. exact H.
Qed.

Lemma inner_comm I x y : inner I x y = inner I y x.
Proof. apply dot_comm. Qed.

Lemma inner_dormant I x c i : inner I x (dormant I c i) = lam I * inner I x (mean I c) + inner I x (noise I c i).
Proof.
  unfold inner, dormant. rewrite (dot_plus _ _ (fun r => lam I * mean I c r) (noise I c i)).
  now rewrite dot_scal.
Qed.

Section Instance.
  Context (I : instance) (HI : valid_instance I).

  Lemma inner_bos_dormant c i : member I c i -> inner I (bos_vector I) (dormant I c i) = 0.
  Proof using HI.
    intros H. rewrite inner_dormant, bos_mean, bos_noise by (apply H || assumption). ring.
  Qed.

  Lemma inner_copy_dormant c c' i :
    (c < groups I)%nat -> member I c' i -> inner I (copy_query I c) (dormant I c' i) = 0.
  Proof using HI.
    intros Hc H. rewrite inner_dormant, inner_comm, (mean_copy I HI), (copy_noise I HI) by (apply H || assumption).
    ring.
  Qed.

  Lemma inner_mean_dormant c c' i :
    (c < groups I)%nat -> member I c' i ->
    inner I (mean I c) (dormant I c' i) = if (c =? c')%nat then lam I * INR (dimension I) else 0.
  Proof using HI.
    intros Hc H. rewrite inner_dormant, (mean_noise I HI) by assumption.
    destruct (Nat.eqb_spec c c') as [<-|E].
    - rewrite (mean_norm I HI) by assumption. ring.
    - rewrite (mean_mean I HI) by (apply H || assumption). ring.
  Qed.
End Instance.
