(** * sm-2: how the average cosine of two outputs moves as attention is smoothed

    Claim (docs/THEORY.md, sm-2; arXiv:2605.08453 section 5, reconstructed; the turning points are ours).
    c(lam) = E[Y_i.Y_l]/sqrt(D_i D_l), 1 <= i < l, with the moments of sm-1 (proofs/sm-1):
    D_i = N0 + p + 2(1 - lam theta_i) s + (1 - theta_i(1 - (1-lam)^2)) t, p = beta^2 tr B,
    E[Y_i.Y_l] = N0 + (lam/l)(s + t), theta_i = 1 - 1/i.  All that is used of the model is what sm-1 proves
    of it: p >= 0, t >= 0, s^2 <= p t, N0 >= 0.

    The sign of c' is that of the quartic [turning] of the page ([cosine_derivative]).  With it, for all
    1 <= i < l and all such p, s, t, N0, on [0,1]:
    - [moment_positive]: D > 0 wherever t > 0 and (s + t <> 0 or N0 > 0): no hypothesis is needed;
    - (a) [smoothing_increases]: s >= 0, t > 0: c strictly increases;
    - (b) [smoothing_decreases]: s + t < 0 (then t > 0): c strictly decreases where its numerator is >= 0;
      [smoothing_falls_then_rises]: on [0,1] c strictly decreases, or it has exactly one turning point and
      strictly increases after it; [smoothing_falls_first_row]: for i = 1 it never rises;
    - (c) [smoothing_decreases_balanced]: s + t = 0, t > 0, N0 > 0: c strictly decreases;
    - (d) [smoothing_rises_then_falls]: -t < s < 0: c strictly increases on [0, 1 + s/t] and beyond, either
      up to 1, or up to exactly one turning point, the root of the quartic in (1 + s/t, 1), after which it
      strictly decreases.  AT MOST ONE LATER TURNING POINT: in x = lam - (1 + s/t) the quartic has a positive
      constant and otherwise negative coefficients ([turning_expanded]); [turning_first_row]: its closed
      form for i = 1;
    - the rest: [smoothing_constant] (t = 0), [smoothing_zero] (s + t = 0 = N0);
    - [rise_instance], [fall_instance], [no_turn_instance]: numbers at which each case occurs.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/sm-2/monotonicity.v *)

From Coq Require Import Reals Lra Lia Arith Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** Part 1: definitions *)

(** "theta_i = 1 - 1/i" *)
Definition theta (i : nat) : R := 1 - / INR i.

(** "D_i": E||Y_i||^2. *)
Definition moment (p s t N0 : R) (i : nat) (lam : R) : R :=
  N0 + p + 2 * (1 - lam * theta i) * s + (1 - theta i * (1 - (1 - lam) ^ 2)) * t.

(** "E[Y_i.Y_l]", i < l. *)
Definition product_moment (s t N0 : R) (l : nat) (lam : R) : R := N0 + lam / INR l * (s + t).

(** "c(lam)" *)
Definition cosine (p s t N0 : R) (i l : nat) (lam : R) : R :=
  product_moment s t N0 l lam / sqrt (moment p s t N0 i lam * moment p s t N0 l lam).

(** The page's quartic, whose sign is that of c'. *)
Definition turning (p s t N0 : R) (i l : nat) (lam : R) : R :=
  (s + t) / INR l * moment p s t N0 i lam * moment p s t N0 l lam
  + product_moment s t N0 l lam * (s + (1 - lam) * t)
    * (theta i * moment p s t N0 l lam + theta l * moment p s t N0 i lam).

(** What sm-1 proves of the numbers of a model. *)
Record moments (p s t N0 : R) : Prop := {
  moments_p : 0 <= p;
  moments_t : 0 <= t;
  moments_N0 : 0 <= N0;
  moments_cauchy_schwarz : s * s <= p * t
}.

Definition strictly_increasing (f : R -> R) (a b : R) : Prop :=
  forall x y, a <= x -> x < y -> y <= b -> f x < f y.

Definition strictly_decreasing (f : R -> R) (a b : R) : Prop :=
  forall x y, a <= x -> x < y -> y <= b -> f y < f x.

(** ** Part 2: lemmas *)

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
Theorem moment_positive p s t N0 i lam :
  (1 <= i)%nat -> moments p s t N0 -> 0 < t -> s + t <> 0 \/ 0 < N0 -> 0 < moment p s t N0 i lam.
Proof.
  intros Hi [Hp _ HN HCS] Ht Hs. pose proof (theta_range i Hi) as Hth.
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

(** "dD_i/dlam = -2 theta_i (s + (1 - lam) t)" *)
Lemma moment_derivative p s t N0 i lam :
  is_derive (moment p s t N0 i) lam (-2 * theta i * (s + (1 - lam) * t)).
Proof. unfold moment. auto_derive; [exact I|ring]. Qed.

(** The sign of c' is the sign of the quartic. *)
Theorem cosine_derivative p s t N0 i l lam :
  (1 <= l)%nat -> 0 < moment p s t N0 i lam -> 0 < moment p s t N0 l lam ->
  derivable_pt_lim (cosine p s t N0 i l) lam
    (turning p s t N0 i l lam
     / (moment p s t N0 i lam * moment p s t N0 l lam * sqrt (moment p s t N0 i lam * moment p s t N0 l lam))).
Proof.
  intros Hl Hi Hl'. apply is_derive_Reals. unfold cosine.
  set (Di := moment p s t N0 i lam) in *. set (Dl := moment p s t N0 l lam) in *.
  assert (HD : 0 < Di * Dl) by now apply Rmult_lt_0_compat.
  assert (Hr : 0 < sqrt (Di * Dl)) by now apply sqrt_lt_R0.
  assert (Hrr : sqrt (Di * Dl) * sqrt (Di * Dl) = Di * Dl) by (apply sqrt_sqrt; lra).
  assert (HlR : INR l <> 0) by (apply not_0_INR; lia).
  pose proof (moment_derivative p s t N0 i lam) as Mi. pose proof (moment_derivative p s t N0 l lam) as Ml.
  assert (Mg : is_derive (product_moment s t N0 l) lam ((s + t) / INR l)).
  { unfold product_moment. auto_derive; [exact I|field; assumption]. }
  pose proof (is_derive_mult _ _ lam _ _ Mi Ml Rmult_comm) as Mp.
  assert (Ms : is_derive (fun x => sqrt (moment p s t N0 i x * moment p s t N0 l x)) lam
    (((-2 * theta i * (s + (1 - lam) * t)) * Dl + Di * (-2 * theta l * (s + (1 - lam) * t)))
     / (2 * sqrt (Di * Dl)))).
  { apply (is_derive_sqrt _ lam _ Mp). exact HD. }
  pose proof (is_derive_div _ _ lam _ _ Mg Ms (Rgt_not_eq _ _ Hr)) as Mc.
  cbv beta in Mc. fold Di Dl in Mc. unfold turning. fold Di Dl.
  match goal with |- is_derive _ _ ?v => match type of Mc with is_derive _ _ ?w => replace v with w end end;
    [exact Mc|].
  set (r := sqrt (Di * Dl)) in *. set (g := product_moment s t N0 l lam).
  rewrite <- Hrr. replace ((s + t) / INR l * Di * Dl) with ((s + t) / INR l * (r * r)) by (rewrite Hrr; ring).
  field. split; assumption || lra.
Qed.

(** *** The quartic around the point 1 + s/t where the norms turn *)

Lemma moment_expanded p s t N0 i lam :
  t <> 0 ->
  moment p s t N0 i lam = moment p s t N0 i (1 + s / t) + theta i * t * (lam - (1 + s / t)) ^ 2.
Proof. intros Ht. unfold moment. field. assumption. Qed.

(** In x = lam - (1 + s/t): constant, x, x^3 and x^4; no x^2. *)
Theorem turning_expanded p s t N0 i l lam :
  t <> 0 -> (1 <= l)%nat ->
  let m := 1 + s / t in
  let A := moment p s t N0 i m in
  let C := moment p s t N0 l m in
  let n := product_moment s t N0 l m in
  let k := (s + t) / INR l in
  let x := lam - m in
  turning p s t N0 i l lam
  = k * A * C - t * n * (theta i * C + theta l * A) * x
    - 2 * t ^ 2 * n * theta i * theta l * x ^ 3 - k * theta i * theta l * t ^ 2 * x ^ 4.
Proof.
  intros Ht Hl m A C n k x. assert (HlR : INR l <> 0) by (apply not_0_INR; lia).
  unfold turning. rewrite (moment_expanded p s t N0 i lam Ht), (moment_expanded p s t N0 l lam Ht).
  fold m A C x.
  replace (product_moment s t N0 l lam) with (n + k * x)
    by (unfold n, k, x, product_moment; field; assumption).
  replace (s + (1 - lam) * t) with (- (t * x)) by (unfold x, m; field; assumption).
  fold k. ring.
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
  intros x. unfold turning, product_moment, moment, Rdiv. reg.
Qed.

(** ** Theorems *)

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

(** The numbers of [turning_expanded]. *)
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
  intros Ht Hs Hs0 Hx Hxy. unfold P. rewrite !(turning_expanded p s t N0 i l) by (lra || lia).
  set (m := 1 + s / t) in *.
  assert (Hm : 0 < m).
  { unfold m. apply (Rmult_lt_reg_l t); [assumption|]. replace (t * (1 + s / t)) with (s + t) by (field; lra). lra. }
  assert (Hn : 0 < product_moment s t N0 l m).
  { unfold product_moment. destruct HM as [_ _ HN _].
    assert (0 < m / INR l * (s + t)).
    { apply Rmult_lt_0_compat; [|assumption]. apply Rdiv_lt_0_compat; [assumption|exact l_pos]. } lra. }
  pose proof (theta_sum_pos Ht ltac:(lra)) as HS. fold m in HS.
  set (S := theta i * _ + theta l * _) in *. set (n := product_moment s t N0 l m) in *.
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
  intros Ht Hs Hx Hxy. unfold P. rewrite !(turning_expanded p s t N0 i l) by (lra || lia).
  set (m := 1 + s / t) in *.
  assert (Hm : m < 0).
  { unfold m. apply (Rmult_lt_reg_l t); [assumption|]. replace (t * (1 + s / t)) with (s + t) by (field; lra). lra. }
  assert (Hn : 0 <= product_moment s t N0 l m).
  { unfold product_moment. destruct HM as [_ _ HN _].
    assert (0 < - m / INR l * - (s + t)).
    { apply Rmult_lt_0_compat; [|lra]. apply Rdiv_lt_0_compat; [lra|exact l_pos]. }
    replace (m / INR l * (s + t)) with (- m / INR l * - (s + t)) by (unfold Rdiv; ring). lra. }
  pose proof (theta_sum_pos Ht ltac:(lra)) as HS. fold m in HS.
  assert (HA : 0 < moment p s t N0 i m) by (apply moment_positive; auto; left; lra).
  assert (HC : 0 < moment p s t N0 l m) by (apply moment_positive; auto; [lia|left; lra]).
  set (A := moment p s t N0 i m) in *. set (C := moment p s t N0 l m) in *.
  set (S := theta i * _ + theta l * _) in *. set (n := product_moment s t N0 l m) in *.
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
  assert (Hg : 0 <= product_moment s t N0 l lam).
  { unfold product_moment. pose proof (moments_N0 _ _ _ _ HM).
    replace (lam / INR l * (s + t)) with (lam * ((s + t) / INR l)) by (unfold Rdiv; ring).
    assert (0 <= lam * ((s + t) / INR l)) by (apply Rmult_le_pos; lra). lra. }
  unfold P, turning. apply Rplus_lt_le_0_compat.
  - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
  - apply Rmult_le_pos; [apply Rmult_le_pos; assumption|lra].
Qed.

(** s + t < 0 and the numerator not negative: the quartic is negative. *)
Lemma turning_negative lam :
  0 < t -> s + t < 0 -> 0 <= lam -> 0 <= product_moment s t N0 l lam -> P lam < 0.
Proof.
  intros Ht Hs Hl Hg. destruct (moments_at lam Ht ltac:(left; lra)) as (H1 & H2 & H3).
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; [lra|exact l_pos]).
  assert (Hn : 0 <= - (s + (1 - lam) * t)) by nra.
  assert (Ha : 0 < - (s + t) / INR l * moment p s t N0 i lam * moment p s t N0 l lam)
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption).
  assert (Hb : 0 <= product_moment s t N0 l lam * - (s + (1 - lam) * t)
     * (theta i * moment p s t N0 l lam + theta l * moment p s t N0 i lam))
    by (apply Rmult_le_pos; [apply Rmult_le_pos; assumption|lra]).
  unfold P, turning. unfold Rdiv in *. lra.
Qed.

Lemma negative_sum_needs_t : s + t < 0 -> 0 < t.
Proof.
  intros Hs. destruct HM as [Hp Ht HN HCS]. destruct Ht as [Ht|Ht]; [assumption|].
  rewrite <- Ht in *. assert (s * s <= 0) by lra. assert (0 < s * s) by nra. lra.
Qed.

Theorem increases : 0 <= s -> 0 < t -> strictly_increasing c 0 1.
Proof.
  intros Hs Ht. apply increasing_where_positive; [assumption|left; lra|].
  intros x Hx. apply turning_positive; try lra. assert (0 <= (1 - x) * t) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem decreases x y :
  s + t < 0 -> 0 <= x -> x < y -> 0 <= product_moment s t N0 l y -> c y < c x.
Proof.
  intros Hs Hx Hxy Hg. pose proof (negative_sum_needs_t Hs) as Ht.
  assert (H : strictly_decreasing c x y); [|apply H; lra].
  apply decreasing_where_negative; [assumption|left; lra|]. intros z Hz.
  apply turning_negative; try lra.
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; [lra|exact l_pos]).
  unfold product_moment in *. unfold Rdiv in *. nra.
Qed.

Theorem falls_then_rises :
  s + t < 0 ->
  strictly_decreasing c 0 1 \/
  exists z, 0 < z < 1 /\ product_moment s t N0 l z < 0 /\ (forall w, 0 <= w -> (P w = 0 <-> w = z)) /\
            strictly_decreasing c 0 z /\ strictly_increasing c z 1.
Proof.
  intros Hs. pose proof (negative_sum_needs_t Hs) as Ht.
  assert (H0 : P 0 < 0).
  { apply turning_negative; try lra. unfold product_moment, Rdiv. pose proof (moments_N0 _ _ _ _ HM). lra. }
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

Theorem decreases_balanced : s + t = 0 -> 0 < t -> 0 < N0 -> strictly_decreasing c 0 1.
Proof.
  intros Hs Ht HN. apply decreasing_where_negative; [assumption|now right|]. intros x Hx.
  destruct (moments_at x Ht ltac:(now right)) as (H1 & H2 & H3).
  unfold P, turning, product_moment. rewrite Hs.
  replace (s + (1 - x) * t) with (- (x * t)) by lra.
  assert (0 < N0 * (x * t) * (theta i * moment p s t N0 l x + theta l * moment p s t N0 i x)).
  { apply Rmult_lt_0_compat; [|assumption]. apply Rmult_lt_0_compat; [assumption|].
    apply Rmult_lt_0_compat; lra. }
  unfold Rdiv. lra.
Qed.

Theorem rises_then_falls :
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

Theorem constant x y : t = 0 -> c x = c y.
Proof.
  intros Ht. assert (Hs : s = 0).
  { pose proof (moments_cauchy_schwarz _ _ _ _ HM) as H. rewrite Ht in H.
    apply Rsqr_0_uniq. apply Rle_antisym; [unfold Rsqr; lra|apply Rle_0_sqr]. }
  unfold c, cosine, product_moment, moment. rewrite Ht, Hs.
  rewrite !Rmult_0_r, !Rplus_0_r, !Rmult_0_r. reflexivity.
Qed.

Theorem zero x : s + t = 0 -> N0 = 0 -> c x = 0.
Proof.
  intros Hs HN. unfold c, cosine, product_moment. rewrite Hs, HN, Rmult_0_r, Rplus_0_r.
  unfold Rdiv. ring.
Qed.
End Rows.

(** The claim, case by case. *)

Theorem smoothing_increases p s t N0 i l :
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> 0 <= s -> 0 < t ->
  strictly_increasing (cosine p s t N0 i l) 0 1.
Proof. intros. now apply increases. Qed.

Theorem smoothing_decreases p s t N0 i l x y :
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> s + t < 0 ->
  0 <= x -> x < y -> 0 <= product_moment s t N0 l y ->
  cosine p s t N0 i l y < cosine p s t N0 i l x.
Proof. intros. now apply decreases. Qed.

Theorem smoothing_falls_then_rises p s t N0 i l :
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> s + t < 0 ->
  let c := cosine p s t N0 i l in
  strictly_decreasing c 0 1 \/
  exists z, 0 < z < 1 /\ product_moment s t N0 l z < 0 /\
            (forall w, 0 <= w -> (turning p s t N0 i l w = 0 <-> w = z)) /\
            strictly_decreasing c 0 z /\ strictly_increasing c z 1.
Proof. intros. now apply falls_then_rises. Qed.

(** Row 1 attends to itself alone: then c never rises again. *)
Theorem smoothing_falls_first_row p s t N0 l :
  (1 < l)%nat -> moments p s t N0 -> s + t < 0 -> strictly_decreasing (cosine p s t N0 1 l) 0 1.
Proof.
  intros Hl HM Hs. destruct (falls_then_rises p s t N0 1 l (le_n 1) Hl HM Hs) as [H|(z & Hz & _ & Hr & _)];
    [assumption|exfalso].
  pose proof (negative_sum_needs_t p s t N0 HM Hs) as Ht.
  pose proof (proj2 (Hr z ltac:(lra)) eq_refl) as E.
  rewrite (turning_expanded p s t N0 1 l z) in E by (lra || lia). rewrite theta_1 in E.
  set (m := 1 + s / t) in *.
  assert (Em : t * m = s + t) by (unfold m; field; lra).
  assert (Hm : m < 0) by (apply (Rmult_lt_reg_l t); lra).
  assert (HA : 0 < moment p s t N0 1 m) by (apply moment_positive; auto; left; lra).
  assert (HC : 0 < moment p s t N0 l m) by (apply moment_positive; auto; [lia|left; lra]).
  assert (HlR : 0 < INR l) by (apply lt_0_INR; lia).
  assert (Hk : 0 < - (s + t) / INR l) by (apply Rdiv_lt_0_compat; lra).
  assert (Hn : 0 <= product_moment s t N0 l m).
  { unfold product_moment. pose proof (moments_N0 _ _ _ _ HM).
    assert (0 <= - m * (- (s + t) / INR l)) by (apply Rmult_le_pos; lra).
    replace (m / INR l * (s + t)) with (- m * (- (s + t) / INR l)) by (unfold Rdiv; ring). lra. }
  pose proof (theta_pos l ltac:(lia)) as Htl.
  assert (H1 : 0 < - (s + t) / INR l * moment p s t N0 1 m * moment p s t N0 l m)
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption).
  assert (H2 : 0 <= t * product_moment s t N0 l m * (0 * moment p s t N0 l m + theta l * moment p s t N0 1 m) * (z - m)).
  { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [apply Rmult_le_pos; lra|].
    assert (0 < theta l * moment p s t N0 1 m) by now apply Rmult_lt_0_compat. lra. }
  unfold Rdiv in *. lra.
Qed.

Theorem smoothing_decreases_balanced p s t N0 i l :
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> s + t = 0 -> 0 < t -> 0 < N0 ->
  strictly_decreasing (cosine p s t N0 i l) 0 1.
Proof. intros. now apply decreases_balanced. Qed.

Theorem smoothing_rises_then_falls p s t N0 i l :
  (1 <= i)%nat -> (i < l)%nat -> moments p s t N0 -> - t < s -> s < 0 ->
  let c := cosine p s t N0 i l in
  let P := turning p s t N0 i l in
  0 < 1 + s / t < 1 /\ strictly_increasing c 0 (1 + s / t) /\
  ((0 <= P 1 /\ strictly_increasing c 0 1) \/
   (P 1 < 0 /\ exists z, 1 + s / t < z < 1 /\ (forall w, 1 + s / t <= w -> (P w = 0 <-> w = z)) /\
      strictly_increasing c 0 z /\ strictly_decreasing c z 1)).
Proof. intros. now apply rises_then_falls. Qed.

(** For i = 1 the quartic is linear: (d)'s turning point, where it lies below 1, is
    1 + s/t + (s + t) D_l(1 + s/t)/(t n l theta_l), n the numerator at 1 + s/t; rational for rational numbers. *)
Theorem turning_first_row p s t N0 l lam :
  t <> 0 -> (1 <= l)%nat ->
  let m := 1 + s / t in
  turning p s t N0 1 l lam
  = moment p s t N0 1 m
    * ((s + t) / INR l * moment p s t N0 l m - t * product_moment s t N0 l m * theta l * (lam - m)).
Proof.
  intros Ht Hl m. rewrite (turning_expanded p s t N0 1 l lam Ht Hl). fold m. rewrite theta_1. ring.
Qed.

Theorem smoothing_constant p s t N0 i l x y :
  moments p s t N0 -> t = 0 -> cosine p s t N0 i l x = cosine p s t N0 i l y.
Proof. intros. now apply constant. Qed.

Theorem smoothing_zero p s t N0 i l x :
  s + t = 0 -> N0 = 0 -> cosine p s t N0 i l x = 0.
Proof. intros. now apply zero. Qed.

(** ** Numbers at which each case occurs: one dimension, beta = 1, B = 1, W = w, mean mu, so that p = 1,
    s = w, t = w^2, N0 = (1 + w)^2 mu^2; rows 2 and 3. *)

Lemma instance_moments w mu : moments 1 w (w * w) ((1 + w) * (1 + w) * (mu * mu)).
Proof.
  constructor; [lra| | |lra].
  - apply Rle_0_sqr.
  - apply Rmult_le_pos; apply Rle_0_sqr.
Qed.

Ltac evaluate := unfold turning, product_moment, moment, theta; simpl INR; lra.

(** (b) w = -9/10, mu = 0: s + t = -9/100 < 0, and c rises again from some point between 1/10 and 1/5 on. *)
Theorem rise_instance :
  let w := - (9 / 10) in
  let c := cosine 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 in
  w + w * w < 0 /\
  exists z, 1 / 10 < z < 1 / 5 /\ strictly_decreasing c 0 z /\ strictly_increasing c z 1.
Proof.
  intros w c. assert (Hs : w + w * w < 0) by (unfold w; lra). split; [assumption|].
  pose proof (instance_moments w 0) as HM. set (P := turning 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3).
  assert (H1 : P (1 / 10) < 0) by (unfold P, w; evaluate).
  assert (H2 : 0 < P (1 / 5)) by (unfold P, w; evaluate).
  destruct (turning_root 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 (1 / 10) (1 / 5)) as (z' & Hz' & Ez');
    [lra|fold P; nra|].
  destruct (falls_then_rises 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 ltac:(lia) ltac:(lia) HM Hs)
    as [Hd|(z & Hz & _ & Hr & Hd & Hi)].
  - exfalso.
    assert (Hinc : strictly_increasing c z' 1).
    { apply increasing_where_positive; [lia|lia|assumption|unfold w; lra|left; lra|].
      intros y Hy. apply (turning_stays_positive 1 w (w * w) _ 2 3 ltac:(lia) ltac:(lia) HM z' y);
        [unfold w; lra|assumption|lra|lra|rewrite Ez'; lra]. }
    specialize (Hinc z' 1). specialize (Hd z' 1). unfold c in *. lra.
  - exists z. replace z with z' in *; [now repeat split|]. apply Hr; [lra|assumption].
Qed.

(** (d) w = -2, mu = 1: s = -2, t = 4; the norms turn at 1/2, c turns between 3/5 and 7/10. *)
Theorem fall_instance :
  let w := -2 in
  let c := cosine 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3 in
  1 + w / (w * w) = 1 / 2 /\
  exists z, 3 / 5 < z < 7 / 10 /\ strictly_increasing c 0 z /\ strictly_decreasing c z 1.
Proof.
  intros w c. assert (Em : 1 + w / (w * w) = 1 / 2) by (unfold w; field). split; [assumption|].
  pose proof (instance_moments w 1) as HM. set (P := turning 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3).
  assert (H1 : 0 < P (3 / 5)) by (unfold P, w; evaluate).
  assert (H2 : P (7 / 10) < 0) by (unfold P, w; evaluate).
  assert (H3 : P 1 < 0) by (unfold P, w; evaluate).
  destruct (turning_root 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3 (3 / 5) (7 / 10)) as (z' & Hz' & Ez');
    [lra|fold P; nra|].
  destruct (rises_then_falls 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3 ltac:(lia) ltac:(lia) HM
              ltac:(unfold w; lra) ltac:(unfold w; lra)) as (_ & _ & [[H _]|(_ & z & Hz & Hr & Hi & Hd)]).
  - fold P in H. lra.
  - exists z. replace z with z' in *; [now repeat split|]. apply Hr; [rewrite Em; lra|assumption].
Qed.

(** (d) w = -10, mu = 0: c increases up to 1 although the norms turn at 9/10. *)
Theorem no_turn_instance :
  let w := -10 in
  1 + w / (w * w) = 9 / 10 /\
  strictly_increasing (cosine 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3) 0 1.
Proof.
  intros w. split; [unfold w; field|].
  destruct (rises_then_falls 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 ltac:(lia) ltac:(lia)
              (instance_moments w 0) ltac:(unfold w; lra) ltac:(unfold w; lra))
    as (_ & _ & [[_ H]|(H & _)]); [exact H|exfalso].
  revert H. apply Rle_not_lt. unfold w. evaluate.
Qed.

Print Assumptions moment_positive.
Print Assumptions cosine_derivative.
Print Assumptions turning_expanded.
Print Assumptions smoothing_increases.
Print Assumptions smoothing_decreases.
Print Assumptions smoothing_falls_then_rises.
Print Assumptions smoothing_falls_first_row.
Print Assumptions smoothing_decreases_balanced.
Print Assumptions smoothing_rises_then_falls.
Print Assumptions turning_first_row.
Print Assumptions smoothing_constant.
Print Assumptions smoothing_zero.
Print Assumptions rise_instance.
Print Assumptions fall_instance.
Print Assumptions no_turn_instance.
