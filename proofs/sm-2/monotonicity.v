(** * sm-2: how c moves as attention is smoothed, case by case

    Proves the cases (a) to (d) of statement.v and the rest, t = 0 and s + t = 0 = N0, for all numbers with [moments].
    In x = lam - (1 + s/t) the quartic has a positive constant and otherwise negative coefficients if s + t > 0 (at most
    one root beyond), and one sign change if s + t < 0.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sm-2 Claim <proofs>/sm-2/monotonicity.v (after
    derivative.v) *)

From Coq Require Import Reals Lra Lia Arith Psatz.
From Sinkproof Require Import task anchored_values smoothing.
From Claim Require Import statement.
From Claim Require Import derivative.
Open Scope R_scope.

Lemma monotone_of_derivative f f' a b :
  (forall x, a <= x <= b -> derivable_pt_lim f x (f' x)) ->
  (forall x, a < x < b -> 0 < f' x) -> strictly_increasing f a b.
Proof.
  intros Hd Hp x y Hx Hxy Hy.
  destruct (MVT_cor2 f f' x y Hxy) as (c & E & Hc); [intros c Hc; apply Hd; lra|].
  assert (0 < f' c * (y - x)) by (apply Rmult_lt_0_compat; [apply Hp|]; lra). lra.
Qed.

Lemma antitone_of_derivative f f' a b :
  (forall x, a <= x <= b -> derivable_pt_lim f x (f' x)) ->
  (forall x, a < x < b -> f' x < 0) -> strictly_decreasing f a b.
Proof.
  intros Hd Hp x y Hx Hxy Hy.
  destruct (MVT_cor2 f f' x y Hxy) as (c & E & Hc); [intros c Hc; apply Hd; lra|].
  assert (0 < - f' c * (y - x)) by (apply Rmult_lt_0_compat; [specialize (Hp c)|]; lra). lra.
Qed.

Lemma cube_le x y : 0 <= x <= y -> x ^ 3 <= y ^ 3.
Proof. intros H. apply pow_incr. lra. Qed.

(** One sign change: nonnegative coefficients but the highest. *)
Lemma one_sign_change a b c d x y :
  0 < a -> 0 <= b -> 0 <= c -> 0 < x < y ->
  a + b * x + c * x ^ 3 - d * x ^ 4 <= 0 -> a + b * y + c * y ^ 3 - d * y ^ 4 < 0.
Proof.
  intros Ha Hb Hc [Hx Hxy] H.
  assert (Hx4 : 0 < x ^ 4) by now apply pow_lt.
  assert (Hy4 : 0 < y ^ 4) by (apply pow_lt; lra).
  assert (H1 : x ^ 4 < y ^ 4).
  { assert (x ^ 2 < y ^ 2) by (simpl; nra). assert (0 < x ^ 2) by now apply pow_lt.
    replace (x ^ 4) with (x ^ 2 * x ^ 2) by ring. replace (y ^ 4) with (y ^ 2 * y ^ 2) by ring. nra. }
  assert (H2 : x ^ 4 * y <= y ^ 4 * x).
  { assert (x ^ 3 <= y ^ 3) by (apply cube_le; lra).
    replace (x ^ 4 * y) with (x * y * x ^ 3) by ring. replace (y ^ 4 * x) with (x * y * y ^ 3) by ring.
    apply Rmult_le_compat_l; [nra|assumption]. }
  assert (H3 : x ^ 4 * y ^ 3 <= y ^ 4 * x ^ 3).
  { assert (0 < x ^ 3 * y ^ 3) by (apply Rmult_lt_0_compat; apply pow_lt; lra).
    replace (x ^ 4 * y ^ 3) with (x ^ 3 * y ^ 3 * x) by ring.
    replace (y ^ 4 * x ^ 3) with (x ^ 3 * y ^ 3 * y) by ring. apply Rmult_le_compat_l; lra. }
  apply (Rmult_lt_reg_l (x ^ 4)); [assumption|]. rewrite Rmult_0_r.
  assert (a * x ^ 4 < a * y ^ 4) by now apply Rmult_lt_compat_l.
  assert (b * (x ^ 4 * y) <= b * (y ^ 4 * x)) by now apply Rmult_le_compat_l.
  assert (c * (x ^ 4 * y ^ 3) <= c * (y ^ 4 * x ^ 3)) by now apply Rmult_le_compat_l.
  assert (0 <= y ^ 4 * - (a + b * x + c * x ^ 3 - d * x ^ 4)) by (apply Rmult_le_pos; lra).
  lra.
Qed.

Lemma turning_continuous p s t N0 i l : continuity (turning p s t N0 i l).
Proof.
  intros x. unfold turning, cross_moment, moment, Rdiv. reg.
Qed.

Section Rows.
Variables (p s t N0 : R) (i l : nat).
Hypothesis Hi : (1 <= i)%nat.
Hypothesis Hil : (i < l)%nat.
Hypothesis HM : moments p s t N0.

Let c := cosine p s t N0 i l.
Let P := turning p s t N0 i l.

Lemma l_pos : 0 < INR l.
Proof. apply lt_0_INR. lia. Qed.

Let slope (z : R) : R :=
  P z / (moment p s t N0 i z * moment p s t N0 l z * sqrt (moment p s t N0 i z * moment p s t N0 l z)).

Lemma slope_is_derivative z : 0 < t -> s + t <> 0 \/ 0 < N0 -> derivable_pt_lim c z (slope z).
Proof. intros Ht Hs. apply cosine_derivative; [lia| |]; apply moment_positive; auto; lia. Qed.

Lemma slope_denominator z : 0 < t -> s + t <> 0 \/ 0 < N0 ->
  0 < / (moment p s t N0 i z * moment p s t N0 l z * sqrt (moment p s t N0 i z * moment p s t N0 l z)).
Proof.
  intros Ht Hs. apply Rinv_0_lt_compat.
  assert (0 < moment p s t N0 i z * moment p s t N0 l z)
    by (apply Rmult_lt_0_compat; apply moment_positive; auto; lia).
  apply Rmult_lt_0_compat; [assumption|]. now apply sqrt_lt_R0.
Qed.

Lemma increasing_where_positive a b :
  0 < t -> s + t <> 0 \/ 0 < N0 -> (forall x, a < x < b -> 0 < P x) -> strictly_increasing c a b.
Proof.
  intros Ht Hs HP. apply (monotone_of_derivative c slope); [intros z _; now apply slope_is_derivative|].
  intros z Hz. apply Rmult_lt_0_compat; [now apply HP|now apply slope_denominator].
Qed.

Lemma decreasing_where_negative a b :
  0 < t -> s + t <> 0 \/ 0 < N0 -> (forall x, a < x < b -> P x < 0) -> strictly_decreasing c a b.
Proof.
  intros Ht Hs HP. apply (antitone_of_derivative c slope); [intros z _; now apply slope_is_derivative|].
  intros z Hz. specialize (HP z Hz). pose proof (slope_denominator z Ht Hs) as Hd.
  assert (0 < - P z * / (moment p s t N0 i z * moment p s t N0 l z
            * sqrt (moment p s t N0 i z * moment p s t N0 l z))) by (apply Rmult_lt_0_compat; lra).
  unfold slope, Rdiv. lra.
Qed.

(** The numbers of [turning_in_x]. *)
Lemma theta_sum_pos : 0 < t -> s + t <> 0 ->
  0 < theta i * moment p s t N0 l (1 + s / t) + theta l * moment p s t N0 i (1 + s / t).
Proof.
  intros Ht Hs.
  assert (H1 : 0 < moment p s t N0 i (1 + s / t)) by (apply moment_positive; auto).
  assert (H2 : 0 < moment p s t N0 l (1 + s / t)) by (apply moment_positive; auto; lia).
  pose proof (theta_range i Hi). pose proof (theta_pos l ltac:(lia)). nra.
Qed.

(** s + t > 0, beyond the turn of the norms: the quartic falls strictly. *)
Lemma turning_falls x y :
  0 < t -> 0 < s + t -> s <= 0 -> 1 + s / t <= x -> x < y -> P y < P x.
Proof.
  intros Ht Hs Hs0 Hx Hxy. unfold P. rewrite !(turning_in_x p s t N0 i l) by (lra || lia).
  set (m := 1 + s / t) in *.
  assert (Hm : 0 < m).
  { unfold m. apply (Rmult_lt_reg_l t); [assumption|]. replace (t * (1 + s / t)) with (s + t) by (field; lra). lra. }
  assert (Hn : 0 < cross_moment s t N0 l m).
  { unfold cross_moment. destruct HM as [_ _ HN _].
    assert (0 < m / INR l * (s + t)).
    { apply Rmult_lt_0_compat; [|assumption]. apply Rdiv_lt_0_compat; [assumption|exact l_pos]. } lra. }
  pose proof (theta_sum_pos Ht ltac:(lra)) as HS. fold m in HS.
  set (S := theta i * _ + theta l * _) in *. set (n := cross_moment s t N0 l m) in *.
  assert (Hk : 0 < (s + t) / INR l) by (apply Rdiv_lt_0_compat; [assumption|exact l_pos]).
  set (k := (s + t) / INR l) in *.
  pose proof (theta_range i Hi) as Hti. pose proof (theta_range l ltac:(lia)) as Htl.
  assert (Htt : 0 <= theta i * theta l) by (apply Rmult_le_pos; lra).
  assert (H3 : (x - m) ^ 3 <= (y - m) ^ 3) by (apply pow_incr; lra).
  assert (H4 : (x - m) ^ 4 <= (y - m) ^ 4) by (apply pow_incr; lra).
  assert (Ht2 : 0 < t ^ 2) by now apply pow_lt.
  assert (E1 : t * n * S * (x - m) < t * n * S * (y - m)).
  { apply Rmult_lt_compat_l; [|lra]. repeat apply Rmult_lt_0_compat; assumption. }
  assert (E3 : 2 * t ^ 2 * n * theta i * theta l * (x - m) ^ 3 <= 2 * t ^ 2 * n * theta i * theta l * (y - m) ^ 3).
  { apply Rmult_le_compat_l; [|assumption]. rewrite Rmult_assoc.
    apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; lra. }
  assert (E4 : k * theta i * theta l * t ^ 2 * (x - m) ^ 4 <= k * theta i * theta l * t ^ 2 * (y - m) ^ 4).
  { apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [|lra]. rewrite Rmult_assoc.
    apply Rmult_le_pos; lra. }
  lra.
Qed.

(** s + t < 0: the quartic, once it has reached 0, is positive ever after. *)
Lemma turning_stays_positive x y :
  0 < t -> s + t < 0 -> 0 <= x -> x < y -> 0 <= P x -> 0 < P y.
Proof.
  intros Ht Hs Hx Hxy. unfold P. rewrite !(turning_in_x p s t N0 i l) by (lra || lia).
  set (m := 1 + s / t) in *.
  assert (Hm : m < 0).
  { unfold m. apply (Rmult_lt_reg_l t); [assumption|]. replace (t * (1 + s / t)) with (s + t) by (field; lra). lra. }
  assert (Hn : 0 <= cross_moment s t N0 l m).
  { unfold cross_moment. destruct HM as [_ _ HN _].
    assert (0 < - m / INR l * - (s + t)).
    { apply Rmult_lt_0_compat; [|lra]. apply Rdiv_lt_0_compat; [lra|exact l_pos]. }
    replace (m / INR l * (s + t)) with (- m / INR l * - (s + t)) by (unfold Rdiv; ring). lra. }
  pose proof (theta_sum_pos Ht ltac:(lra)) as HS. fold m in HS.
  assert (HA : 0 < moment p s t N0 i m) by (apply moment_positive; auto; left; lra).
  assert (HC : 0 < moment p s t N0 l m) by (apply moment_positive; auto; [lia|left; lra]).
  set (A := moment p s t N0 i m) in *. set (C := moment p s t N0 l m) in *.
  set (S := theta i * _ + theta l * _) in *. set (n := cross_moment s t N0 l m) in *.
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; [lra|exact l_pos]).
  assert (Ek : (s + t) / INR l = - (- (s + t) / INR l)) by (unfold Rdiv; ring). rewrite Ek.
  set (k := - (s + t) / INR l) in *.
  pose proof (theta_range i Hi) as Hti. pose proof (theta_range l ltac:(lia)) as Htl.
  assert (Htt : 0 <= theta i * theta l) by (apply Rmult_le_pos; lra).
  assert (Ht2 : 0 < t ^ 2) by now apply pow_lt.
  intros H.
  assert (H' : k * A * C + t * n * S * (y - m) + 2 * t ^ 2 * n * (theta i * theta l) * (y - m) ^ 3
               - k * (theta i * theta l) * t ^ 2 * (y - m) ^ 4 < 0); [|lra].
  apply (one_sign_change _ _ _ _ (x - m)); [| | | |lra].
  - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
  - apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
  - apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; lra.
  - lra.
Qed.

Lemma turning_root a b : a < b -> P a * P b < 0 -> exists z, a < z < b /\ P z = 0.
Proof.
  intros Hab H. destruct (IVT_cor P a b (turning_continuous p s t N0 i l) (Rlt_le _ _ Hab)) as (z & [H1 H2] & Hz).
  { lra. }
  exists z. split; [|assumption]. split.
  - destruct H1 as [H1|H1]; [assumption|]. subst z. rewrite Hz in H. lra.
  - destruct H2 as [H2|H2]; [assumption|]. subst z. rewrite Hz in H. lra.
Qed.

Lemma moments_at lam : 0 < t -> s + t <> 0 \/ 0 < N0 ->
  0 < moment p s t N0 i lam /\ 0 < moment p s t N0 l lam /\
  0 < theta i * moment p s t N0 l lam + theta l * moment p s t N0 i lam.
Proof.
  intros Ht Hs.
  assert (H1 : 0 < moment p s t N0 i lam) by (apply moment_positive; auto).
  assert (H2 : 0 < moment p s t N0 l lam) by (apply moment_positive; auto; lia).
  pose proof (theta_range i Hi). pose proof (theta_pos l ltac:(lia)).
  split; [assumption|]. split; [assumption|].
  assert (0 <= theta i * moment p s t N0 l lam) by (apply Rmult_le_pos; lra).
  assert (0 < theta l * moment p s t N0 i lam) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** s + t > 0 and the norms still fall: the quartic is positive. *)
Lemma turning_positive lam :
  0 < t -> 0 < s + t -> 0 <= lam -> 0 <= s + (1 - lam) * t -> 0 < P lam.
Proof.
  intros Ht Hs Hl Hn. destruct (moments_at lam Ht ltac:(left; lra)) as (H1 & H2 & H3).
  assert (Hk : 0 < (s + t) / INR l) by (apply Rdiv_lt_0_compat; [assumption|exact l_pos]).
  assert (Hg : 0 <= cross_moment s t N0 l lam).
  { unfold cross_moment. pose proof (moments_N0 _ _ _ _ HM).
    replace (lam / INR l * (s + t)) with (lam * ((s + t) / INR l)) by (unfold Rdiv; ring).
    assert (0 <= lam * ((s + t) / INR l)) by (apply Rmult_le_pos; lra). lra. }
  unfold P, turning. apply Rplus_lt_le_0_compat.
  - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
  - apply Rmult_le_pos; [apply Rmult_le_pos; assumption|lra].
Qed.

(** s + t < 0 and the numerator not negative: the quartic is negative. *)
Lemma turning_negative lam :
  0 < t -> s + t < 0 -> 0 <= lam -> 0 <= cross_moment s t N0 l lam -> P lam < 0.
Proof.
  intros Ht Hs Hl Hg. destruct (moments_at lam Ht ltac:(left; lra)) as (H1 & H2 & H3).
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; [lra|exact l_pos]).
  assert (Hn : 0 <= - (s + (1 - lam) * t)) by nra.
  assert (Ha : 0 < - (s + t) / INR l * moment p s t N0 i lam * moment p s t N0 l lam)
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption).
  assert (Hb : 0 <= cross_moment s t N0 l lam * - (s + (1 - lam) * t)
     * (theta i * moment p s t N0 l lam + theta l * moment p s t N0 i lam))
    by (apply Rmult_le_pos; [apply Rmult_le_pos; assumption|lra]).
  unfold P, turning. unfold Rdiv in *. lra.
Qed.

Lemma negative_sum_needs_t : s + t < 0 -> 0 < t.
Proof.
  intros Hs. destruct HM as [Hp Ht HN HCS]. destruct Ht as [Ht|Ht]; [assumption|].
  rewrite <- Ht in *. assert (s * s <= 0) by lra. assert (0 < s * s) by nra. lra.
Qed.

Lemma increases : 0 <= s -> 0 < t -> strictly_increasing c 0 1.
Proof.
  intros Hs Ht. apply increasing_where_positive; [assumption|left; lra|].
  intros x Hx. apply turning_positive; try lra. assert (0 <= (1 - x) * t) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma decreases x y :
  s + t < 0 -> 0 <= x -> x < y -> 0 <= cross_moment s t N0 l y -> c y < c x.
Proof.
  intros Hs Hx Hxy Hg. pose proof (negative_sum_needs_t Hs) as Ht.
  assert (H : strictly_decreasing c x y); [|apply H; lra].
  apply decreasing_where_negative; [assumption|left; lra|]. intros z Hz.
  apply turning_negative; try lra.
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; [lra|exact l_pos]).
  unfold cross_moment in *. unfold Rdiv in *. nra.
Qed.

Lemma falls_then_rises :
  s + t < 0 ->
  strictly_decreasing c 0 1 \/
  exists z, 0 < z < 1 /\ cross_moment s t N0 l z < 0 /\ (forall w, 0 <= w -> (P w = 0 <-> w = z)) /\
            strictly_decreasing c 0 z /\ strictly_increasing c z 1.
Proof.
  intros Hs. pose proof (negative_sum_needs_t Hs) as Ht.
  assert (H0 : P 0 < 0).
  { apply turning_negative; try lra. unfold cross_moment, Rdiv. pose proof (moments_N0 _ _ _ _ HM). lra. }
  destruct (Rle_dec (P 1) 0) as [H1|H1].
  - left. apply decreasing_where_negative; [assumption|left; lra|]. intros x Hx.
    destruct (Rlt_dec (P x) 0) as [|Hn]; [assumption|].
    pose proof (turning_stays_positive x 1 Ht Hs ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - right. destruct (turning_root 0 1 Rlt_0_1) as (z & Hz & Ez); [nra|].
    assert (Hbefore : forall w, 0 <= w -> w < z -> P w < 0).
    { intros w Hw Hwz. destruct (Rlt_dec (P w) 0) as [|Hn]; [assumption|].
      pose proof (turning_stays_positive w z Ht Hs Hw Hwz ltac:(lra)). lra. }
    assert (Hafter : forall w, z < w -> 0 < P w).
    { intros w Hw. apply (turning_stays_positive z w); lra. }
    exists z. split; [assumption|]. split; [|split; [|split]].
    + apply Rnot_le_lt. intros Hg. pose proof (turning_negative z Ht Hs ltac:(lra) Hg). lra.
    + intros w Hw. split; [|now intros ->]. intros Ew.
      destruct (Rtotal_order w z) as [H|[H|H]]; [specialize (Hbefore w Hw H); lra|assumption|].
      specialize (Hafter w H). lra.
    + apply decreasing_where_negative; [assumption|left; lra|]. intros w Hw. apply Hbefore; lra.
    + apply increasing_where_positive; [assumption|left; lra|]. intros w Hw. apply Hafter; lra.
Qed.

Lemma decreases_balanced : s + t = 0 -> 0 < t -> 0 < N0 -> strictly_decreasing c 0 1.
Proof.
  intros Hs Ht HN. apply decreasing_where_negative; [assumption|now right|]. intros x Hx.
  destruct (moments_at x Ht ltac:(now right)) as (H1 & H2 & H3).
  unfold P, turning, cross_moment. rewrite Hs.
  replace (s + (1 - x) * t) with (- (x * t)) by lra.
  assert (0 < N0 * (x * t) * (theta i * moment p s t N0 l x + theta l * moment p s t N0 i x)).
  { apply Rmult_lt_0_compat; [|assumption]. apply Rmult_lt_0_compat; [assumption|].
    apply Rmult_lt_0_compat; lra. }
  unfold Rdiv. lra.
Qed.

Lemma rises_then_falls :
  - t < s -> s < 0 ->
  0 < 1 + s / t < 1 /\ strictly_increasing c 0 (1 + s / t) /\
  ((0 <= P 1 /\ strictly_increasing c 0 1) \/
   (P 1 < 0 /\ exists z, 1 + s / t < z < 1 /\ (forall w, 1 + s / t <= w -> (P w = 0 <-> w = z)) /\
      strictly_increasing c 0 z /\ strictly_decreasing c z 1)).
Proof.
  intros Hs Hs0. assert (Ht : 0 < t) by (pose proof (moments_t _ _ _ _ HM); lra).
  set (m := 1 + s / t).
  assert (Em : t * m = s + t) by (unfold m; field; lra).
  assert (Hm : 0 < m < 1) by (split; apply (Rmult_lt_reg_l t); lra).
  assert (Hrise : forall w, 0 <= w <= m -> 0 < P w).
  { intros w Hw. apply turning_positive; try lra.
    assert (0 <= t * (m - w)) by (apply Rmult_le_pos; lra). lra. }
  assert (Hinc : forall b, (forall w, m < w < b -> 0 < P w) -> strictly_increasing c 0 b).
  { intros b Hb. apply increasing_where_positive; [assumption|left; lra|]. intros w Hw.
    destruct (Rle_dec w m); [apply Hrise; lra|apply Hb; lra]. }
  split; [assumption|]. split; [apply Hinc; intros; lra|].
  assert (Hfall : forall x y, m <= x -> x < y -> P y < P x).
  { intros x y Hx Hxy. apply turning_falls; try lra. exact Hx. }
  destruct (Rle_dec 0 (P 1)) as [H1|H1].
  - left. split; [assumption|]. apply Hinc. intros w Hw. specialize (Hfall w 1). lra.
  - right. split; [lra|].
    destruct (turning_root m 1 ltac:(lra)) as (z & Hz & Ez).
    { specialize (Hrise m ltac:(lra)). nra. }
    exists z. split; [assumption|]. split; [|split].
    + intros w Hw. split; [|now intros ->]. intros Ew.
      destruct (Rtotal_order w z) as [H|[H|H]]; [|assumption|].
      * pose proof (Hfall w z Hw H). lra.
      * pose proof (Hfall z w ltac:(lra) H). lra.
    + apply Hinc. intros w Hw. pose proof (Hfall w z ltac:(lra) ltac:(lra)). lra.
    + apply decreasing_where_negative; [assumption|left; lra|]. intros w Hw.
      pose proof (Hfall z w ltac:(lra) ltac:(lra)). lra.
Qed.

End Rows.

(** The claim, case by case. *)

Theorem smoothing_increases : statement.smoothing_increases.
Proof. intros p s t N0 i l. now apply increases. Qed.

Theorem smoothing_decreases : statement.smoothing_decreases.
Proof.
  intros p s t N0 i l Hi Hil HM Hs. split; [now apply (negative_sum_needs_t p s t N0)|]. intros x y.
  now apply decreases.
Qed.

Theorem smoothing_falls_then_rises : statement.smoothing_falls_then_rises.
Proof. intros p s t N0 i l. now apply falls_then_rises. Qed.

(** Row 1 attends to itself alone: then c never rises again. *)
Theorem smoothing_falls_first_row : statement.smoothing_falls_first_row.
Proof.
  intros p s t N0 l Hl HM Hs. destruct (falls_then_rises p s t N0 1 l (le_n 1) Hl HM Hs) as [H|(z & Hz & _ & Hr & _)];
    [assumption|exfalso].
  pose proof (negative_sum_needs_t p s t N0 HM Hs) as Ht.
  pose proof (proj2 (Hr z ltac:(lra)) eq_refl) as E.
  rewrite (turning_in_x p s t N0 1 l z) in E by (lra || lia). rewrite theta_1 in E.
  set (m := 1 + s / t) in *.
  assert (Em : t * m = s + t) by (unfold m; field; lra).
  assert (Hm : m < 0) by (apply (Rmult_lt_reg_l t); lra).
  assert (HA : 0 < moment p s t N0 1 m) by (apply moment_positive; auto; left; lra).
  assert (HC : 0 < moment p s t N0 l m) by (apply moment_positive; auto; [lia|left; lra]).
  assert (HlR : 0 < INR l) by (apply lt_0_INR; lia).
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; lra).
  assert (Hn : 0 <= cross_moment s t N0 l m).
  { unfold cross_moment. pose proof (moments_N0 _ _ _ _ HM).
    assert (0 <= - m * (- (s + t) / INR l)) by (apply Rmult_le_pos; lra).
    replace (m / INR l * (s + t)) with (- m * (- (s + t) / INR l)) by (unfold Rdiv; ring). lra. }
  pose proof (theta_pos l ltac:(lia)) as Htl.
  assert (H1 : 0 < - (s + t) / INR l * moment p s t N0 1 m * moment p s t N0 l m)
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption).
  assert (H2 : 0 <= t * cross_moment s t N0 l m * (0 * moment p s t N0 l m + theta l * moment p s t N0 1 m) * (z - m)).
  { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [apply Rmult_le_pos; lra|].
    assert (0 < theta l * moment p s t N0 1 m) by now apply Rmult_lt_0_compat. lra. }
  unfold Rdiv in *. lra.
Qed.

Theorem smoothing_decreases_balanced : statement.smoothing_decreases_balanced.
Proof. intros p s t N0 i l. now apply decreases_balanced. Qed.

Theorem smoothing_rises_then_falls : statement.smoothing_rises_then_falls.
Proof. intros p s t N0 i l. now apply rises_then_falls. Qed.

Theorem smoothing_constant : statement.smoothing_constant.
Proof.
  intros p s t N0 i l x y [_ _ _ HCS] ->.
  assert (Hs : s = 0) by (apply Rsqr_0_uniq, Rle_antisym; [unfold Rsqr; lra|apply Rle_0_sqr]).
  assert (HM : forall j, moment p s 0 N0 j x = moment p s 0 N0 j y) by (intros j; unfold moment; rewrite Hs; ring).
  assert (HX : cross_moment s 0 N0 l x = cross_moment s 0 N0 l y) by (unfold cross_moment; rewrite Hs; ring).
  split; [assumption|]. split; [apply HM|]. split; [assumption|]. unfold cosine. now rewrite HX, !HM.
Qed.

Theorem smoothing_zero : statement.smoothing_zero.
Proof.
  intros p s t N0 i l x Hs ->. unfold cosine, cross_moment. rewrite Hs, Rmult_0_r, Rplus_0_r. unfold Rdiv. ring.
Qed.

Print Assumptions smoothing_increases.
Print Assumptions smoothing_decreases.
Print Assumptions smoothing_falls_then_rises.
Print Assumptions smoothing_falls_first_row.
Print Assumptions smoothing_decreases_balanced.
Print Assumptions smoothing_rises_then_falls.
Print Assumptions smoothing_constant.
Print Assumptions smoothing_zero.
