(** * sm-2: the sign of c' is that of a quartic

    Proves [moment_positive], [cosine_derivative], [turning_expanded] and [turning_first_row] of statement.v.  D > 0:
    t (D - N0) = (p t - s^2) + (s + a t)^2 + lam^2 theta (1 - theta) t^2 with a = 1 - lam theta.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sm-2 Claim <proofs>/sm-2/derivative.v *)

From Coq Require Import Reals Lra Lia Arith Psatz.
From Coquelicot Require Import Coquelicot.
From Sinkproof Require Import task anchored_values smoothing.
From Claim Require Import statement.
Open Scope R_scope.

Lemma inv_position i : (1 <= i)%nat -> 0 < / INR i <= 1.
Proof.
  intros Hi. assert (1 <= INR i) by (replace 1 with (INR 1) by reflexivity; now apply le_INR). split.
  - apply Rinv_0_lt_compat. lra.
  - rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Lemma theta_range i : (1 <= i)%nat -> 0 <= theta i < 1.
Proof. intros Hi. pose proof (inv_position i Hi). unfold theta. lra. Qed.

Lemma theta_pos i : (2 <= i)%nat -> 0 < theta i.
Proof.
  intros Hi. unfold theta. assert (2 <= INR i) by (replace 2 with (INR 2) by (simpl; ring); now apply le_INR).
  assert (/ INR i < 1); [|lra]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.

Lemma theta_1 : theta 1 = 0.
Proof. unfold theta. simpl. field. Qed.

(** t D - t N0 >= (s + a t)^2 + lam^2 theta (1 - theta) t^2, a = 1 - lam theta. *)
Theorem moment_positive : statement.moment_positive.
Proof.
  intros p s t N0 i lam Hi [Hp _ HN HCS] Ht Hs. pose proof (theta_range i Hi) as Hth.
  apply (Rmult_lt_reg_l t); [assumption|]. rewrite Rmult_0_r. unfold moment.
  set (th := theta i) in *.
  assert (E : t * (N0 + p + 2 * (1 - lam * th) * s + (1 - th * (1 - (1 - lam) ^ 2)) * t)
    = t * N0 + (p * t - s * s) + Rsqr (s + (1 - lam * th) * t) + th * (1 - th) * Rsqr (lam * t))
    by (unfold Rsqr; ring).
  rewrite E. assert (Hw : 0 <= th * (1 - th)) by (apply Rmult_le_pos; lra).
  pose proof (Rmult_le_pos _ _ Hw (Rle_0_sqr (lam * t))) as Hq.
  pose proof (Rle_0_sqr (s + (1 - lam * th) * t)) as Hsq.
  pose proof (Rmult_le_pos t N0 (Rlt_le _ _ Ht) HN) as HtN.
  destruct Hs as [Hs|HN0]; [|pose proof (Rmult_lt_0_compat t N0 Ht HN0); lra].
  destruct (Req_dec (lam * th) 0) as [Hz|Hz].
  - rewrite Hz, Rminus_0_r, Rmult_1_l in *. pose proof (Rsqr_pos_lt _ Hs). lra.
  - assert (lam <> 0 /\ th <> 0) as [Hl Hth0] by (split; intros ->; apply Hz; ring).
    assert (0 < Rsqr (lam * t)) by (apply Rsqr_pos_lt; apply Rmult_integral_contrapositive_currified; lra).
    assert (0 < th * (1 - th)) by (apply Rmult_lt_0_compat; lra).
    assert (0 < th * (1 - th) * Rsqr (lam * t)) by now apply Rmult_lt_0_compat. lra.
Qed.

(** "dD_i/dlam = -2 theta_i (s + (1 - lam) t)" *)
Lemma moment_derivative p s t N0 i lam :
  is_derive (moment p s t N0 i) lam (-2 * theta i * (s + (1 - lam) * t)).
Proof. unfold moment. auto_derive; [exact I|ring]. Qed.

(** The sign of c' is the sign of the quartic. *)
Theorem cosine_derivative : statement.cosine_derivative.
Proof.
  intros p s t N0 i l lam Hl Hi Hl'. apply is_derive_Reals. unfold cosine.
  set (Di := moment p s t N0 i lam) in *. set (Dl := moment p s t N0 l lam) in *.
  assert (HD : 0 < Di * Dl) by now apply Rmult_lt_0_compat.
  assert (Hr : 0 < sqrt (Di * Dl)) by now apply sqrt_lt_R0.
  assert (Hrr : sqrt (Di * Dl) * sqrt (Di * Dl) = Di * Dl) by (apply sqrt_sqrt; lra).
  assert (HlR : INR l <> 0) by (apply not_0_INR; lia).
  pose proof (moment_derivative p s t N0 i lam) as Mi. pose proof (moment_derivative p s t N0 l lam) as Ml.
  assert (Mg : is_derive (cross_moment s t N0 l) lam ((s + t) / INR l)).
  { unfold cross_moment. auto_derive; [exact I|field; assumption]. }
  pose proof (is_derive_mult _ _ lam _ _ Mi Ml Rmult_comm) as Mp.
  assert (Ms : is_derive (fun x => sqrt (moment p s t N0 i x * moment p s t N0 l x)) lam
    (((-2 * theta i * (s + (1 - lam) * t)) * Dl + Di * (-2 * theta l * (s + (1 - lam) * t)))
     / (2 * sqrt (Di * Dl)))).
  { apply (is_derive_sqrt _ lam _ Mp). exact HD. }
  pose proof (is_derive_div _ _ lam _ _ Mg Ms (Rgt_not_eq _ _ Hr)) as Mc.
  cbv beta in Mc. fold Di Dl in Mc. unfold turning. fold Di Dl.
  match goal with |- is_derive _ _ ?v => match type of Mc with is_derive _ _ ?w => replace v with w end end;
    [exact Mc|].
  set (r := sqrt (Di * Dl)) in *. set (g := cross_moment s t N0 l lam).
  rewrite <- Hrr. replace ((s + t) / INR l * Di * Dl) with ((s + t) / INR l * (r * r)) by (rewrite Hrr; ring).
  field. split; assumption || lra.
Qed.

(** *** The quartic around the point 1 + s/t where the norms turn *)

Lemma moment_expanded p s t N0 i lam :
  t <> 0 ->
  moment p s t N0 i lam = moment p s t N0 i (1 + s / t) + theta i * t * (lam - (1 + s / t)) ^ 2.
Proof. intros Ht. unfold moment. field. assumption. Qed.

(** In x = lam - (1 + s/t): constant, x, x^3 and x^4; no x^2. *)
Lemma turning_in_x p s t N0 i l lam :
  t <> 0 -> (1 <= l)%nat ->
  let m := 1 + s / t in
  let A := moment p s t N0 i m in
  let C := moment p s t N0 l m in
  let n := cross_moment s t N0 l m in
  let k := (s + t) / INR l in
  let x := lam - m in
  turning p s t N0 i l lam
  = k * A * C - t * n * (theta i * C + theta l * A) * x
    - 2 * t ^ 2 * n * theta i * theta l * x ^ 3 - k * theta i * theta l * t ^ 2 * x ^ 4.
Proof.
  intros Ht Hl m A C n k x. assert (HlR : INR l <> 0) by (apply not_0_INR; lia).
  unfold turning. rewrite (moment_expanded p s t N0 i lam Ht), (moment_expanded p s t N0 l lam Ht).
  fold m A C x.
  replace (cross_moment s t N0 l lam) with (n + k * x)
    by (unfold n, k, x, cross_moment; field; assumption).
  replace (s + (1 - lam) * t) with (- (t * x)) by (unfold x, m; field; assumption).
  fold k. ring.
Qed.

Theorem turning_expanded : statement.turning_expanded.
Proof. intros p s t N0 i l lam m A C n k x Ht Hl -> -> -> -> -> ->. now apply turning_in_x. Qed.

Theorem turning_first_row : statement.turning_first_row.
Proof.
  intros p s t N0 l lam m Ht Hl ->. rewrite (turning_in_x p s t N0 1 l lam Ht Hl), theta_1. ring.
Qed.

Print Assumptions moment_positive.
Print Assumptions cosine_derivative.
Print Assumptions turning_expanded.
Print Assumptions turning_first_row.
