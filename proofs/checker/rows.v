(** * A row of keys around an affine reference

    Section 4.11 of CHECKPOINT_RULES.md, "Why", in real numbers.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
Open Scope R_scope.

(** ** Keys 2, 3, .., n + 1, of which j may be the trigger and the others are content *)

Definition content_sum (n j : nat) (g : nat -> R) : R := sum n (fun s => if (s + 2 =? j)%nat then 0 else g s).
Definition triggers (n j : nat) : nat := if (2 <=? j)%nat && (j <? n + 2)%nat then 1 else 0.

Lemma sum_keys n j f : sum n f = content_sum n j f + INR (triggers n j) * f (j - 2)%nat.
Proof.
  unfold content_sum, triggers. induction n as [|n IH].
  - cbn [sum]. destruct (Nat.leb_spec 2 j), (Nat.ltb_spec j (0 + 2)); cbn [andb]; simpl INR; try ring. lia.
  - cbn [sum]. rewrite IH. destruct (Nat.eqb_spec (n + 2) j) as [E|E], (Nat.leb_spec 2 j), (Nat.ltb_spec j (n + 2)), (Nat.ltb_spec j (S n + 2)); cbn [andb]; try lia; simpl INR; try ring.
    replace (j - 2)%nat with n by lia. ring.
Qed.

Lemma content_ext n j f g : (forall s, (s < n)%nat -> (s + 2 <> j)%nat -> f s = g s) -> content_sum n j f = content_sum n j g.
Proof. intros H. apply sum_ext. intros s Hs. destruct (Nat.eqb_spec (s + 2) j); [reflexivity|apply H; assumption]. Qed.

Lemma content_plus n j f g : content_sum n j (fun s => f s + g s) = content_sum n j f + content_sum n j g.
Proof. unfold content_sum. rewrite <- sum_plus. apply sum_ext. intros s _. destruct (s + 2 =? j)%nat; ring. Qed.

Lemma content_minus n j f g : content_sum n j (fun s => f s - g s) = content_sum n j f - content_sum n j g.
Proof. unfold content_sum. rewrite <- sum_minus. apply sum_ext. intros s _. destruct (s + 2 =? j)%nat; ring. Qed.

Lemma content_scal n j c f : content_sum n j (fun s => c * f s) = c * content_sum n j f.
Proof. unfold content_sum. rewrite <- sum_scal. apply sum_ext. intros s _. destruct (s + 2 =? j)%nat; ring. Qed.

Lemma content_le n j f g : (forall s, (s < n)%nat -> (s + 2 <> j)%nat -> f s <= g s) -> content_sum n j f <= content_sum n j g.
Proof. intros H. apply sum_le. intros s Hs. destruct (Nat.eqb_spec (s + 2) j); [lra|apply H; assumption]. Qed.

Lemma content_abs n j f : Rabs (content_sum n j f) <= content_sum n j (fun s => Rabs (f s)).
Proof.
  eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros s _. destruct (s + 2 =? j)%nat; [rewrite Rabs_R0; lra|lra].
Qed.

Lemma content_const n j c : content_sum n j (fun _ => c) = INR (n - triggers n j) * c.
Proof.
  assert (H := sum_keys n j (fun _ => c)). rewrite sum_const in H.
  assert (T : (triggers n j <= n)%nat) by (unfold triggers; destruct (Nat.leb_spec 2 j), (Nat.ltb_spec j (n + 2)); simpl; lia).
  rewrite minus_INR by exact T. lra.
Qed.

Lemma content_key n j : (1 <= n - triggers n j)%nat -> exists s, (s < n)%nat /\ (s + 2 <> j)%nat.
Proof.
  intros H. destruct n as [|[|n]]; [lia| |destruct (Nat.eq_dec 2 j); [exists 1%nat|exists 0%nat]; lia].
  destruct (Nat.eq_dec 2 j) as [E|E]; [|exists 0%nat; lia]. rewrite <- E in H. unfold triggers in H. simpl in H. lia.
Qed.

(** Natural: how many content keys a property holds of. *)
Lemma content_bits n j e : (forall s, e s = 0 \/ e s = 1) -> exists a, content_sum n j e = INR a.
Proof.
  intros H. unfold content_sum. induction n as [|n [a IH]]; [exists 0%nat; reflexivity|]. cbn [sum]. rewrite IH.
  destruct (n + 2 =? j)%nat; [exists a; ring|]. destruct (H n) as [-> | ->]; [exists a; ring|exists (S a); rewrite S_INR; ring].
Qed.

(** The mean distance of numbers in an interval to their mean, times m; m * m - 1 for odd m. *)
Definition most_spread (m : nat) : nat := if Nat.odd m then (m * m - 1)%nat else (m * m)%nat.

Lemma squares_apart m a : (a <= m)%nat -> (4 * (a * (m - a)) <= most_spread m)%nat.
Proof.
  intros H. replace m with (a + (m - a))%nat at 2 by lia. generalize (m - a)%nat. clear m H. intros b. unfold most_spread.
  destruct (Nat.odd (a + b)) eqn:O.
  2: { destruct (Nat.le_ge_cases a b) as [L|L].
       - assert (E : exists k, b = (a + k)%nat) by (exists (b - a)%nat; lia). destruct E as [k ->]. nia.
       - assert (E : exists k, a = (b + k)%nat) by (exists (a - b)%nat; lia). destruct E as [k ->]. nia. }
  assert (N : a <> b). { intros ->. rewrite <- Nat.negb_even in O. replace (b + b)%nat with (2 * b)%nat in O by lia. rewrite Nat.even_mul in O. discriminate. }
  assert (Q : (4 * (a * b) + 1 <= (a + b) * (a + b))%nat); [|lia].
  destruct (Nat.lt_ge_cases a b) as [L|L].
  - assert (E : exists k, b = (a + S k)%nat) by (exists (b - a - 1)%nat; lia). destruct E as [k ->]. nia.
  - assert (E : exists k, a = (b + S k)%nat) by (exists (a - b - 1)%nat; lia). destruct E as [k ->]. nia.
Qed.

Lemma mean_distance n j (y : nat -> R) v rho : (0 < n - triggers n j)%nat -> 0 <= rho ->
  (forall s, (s < n)%nat -> (s + 2 <> j)%nat -> Rabs (y s - v) <= rho) ->
  let m := INR (n - triggers n j) in
  content_sum n j (fun s => Rabs (y s - content_sum n j y / m)) <= rho * INR (most_spread (n - triggers n j)) / m.
Proof.
  intros Hm R0 Y m. set (mean := content_sum n j y / m). assert (M0 : 0 < m) by (apply lt_0_INR; exact Hm).
  set (e := fun s => if Rle_dec mean (y s) then 1 else 0). assert (E01 : forall s, e s = 0 \/ e s = 1) by (intros s; unfold e; destruct (Rle_dec _ _); auto).
  destruct (content_bits n j e E01) as [a A].
  assert (CM : content_sum n j (fun _ => 1) = m) by (rewrite content_const; fold m; ring).
  assert (AM : INR a <= m) by (rewrite <- A, <- CM; apply content_le; intros s _ _; destruct (E01 s) as [-> | ->]; lra).
  assert (AN : (a <= n - triggers n j)%nat) by (apply INR_le; exact AM).
  set (z := fun s => y s - v). set (q := INR a / m). assert (Q0 : 0 <= q) by (apply Rle_mult_inv_pos; [apply pos_INR|exact M0]).
  assert (Q1 : q <= 1) by (unfold q; apply Rmult_le_reg_r with m; [exact M0|]; replace (INR a / m * m) with (INR a) by (field; lra); lra).
  assert (ZY : content_sum n j z = content_sum n j y - m * v) by (unfold z; rewrite content_minus, content_const; fold m; ring).
  assert (MZ : mean - v = content_sum n j z / m) by (rewrite ZY; unfold mean; field; lra).
  assert (STEP : content_sum n j (fun s => Rabs (y s - mean)) = 2 * content_sum n j (fun s => (e s - q) * z s)).
  { set (dv := mean - v) in MZ. rewrite (content_ext n j (fun s => Rabs (y s - mean)) (fun s => 2 * (e s * z s) - 2 * dv * e s - (z s - dv))).
    - rewrite !content_minus, !content_scal, (content_const n j dv), A. fold m.
      rewrite (content_ext n j (fun s => (e s - q) * z s) (fun s => e s * z s - q * z s)) by (intros; ring). rewrite content_minus, content_scal. rewrite MZ. unfold q. field. lra.
    - intros s _ _. unfold e, z, dv. destruct (Rle_dec mean (y s)) as [L|L]; [rewrite Rabs_pos_eq by lra; ring|rewrite Rabs_left by lra; ring]. }
  rewrite STEP.
  assert (B : content_sum n j (fun s => (e s - q) * z s) <= rho * content_sum n j (fun s => Rabs (e s - q))).
  { rewrite <- content_scal. apply content_le. intros s Hs N. specialize (Y s Hs N). fold (z s) in Y. pose proof (Rle_abs ((e s - q) * z s)) as P. rewrite Rabs_mult in P.
    pose proof (Rabs_pos (e s - q)). nra. }
  assert (C : content_sum n j (fun s => Rabs (e s - q)) = 2 * (INR a * (m - INR a)) / m).
  { rewrite (content_ext n j _ (fun s => e s * (1 - 2 * q) + q)).
    - rewrite content_plus, (content_const n j q). fold m. rewrite (content_ext n j _ (fun s => (1 - 2 * q) * e s)) by (intros; ring). rewrite content_scal, A. unfold q. field. lra.
    - intros s _ _. destruct (E01 s) as [-> | ->]; [rewrite Rabs_left1 by lra; ring|rewrite Rabs_pos_eq by lra; ring]. }
  assert (SA : 4 * (INR a * (m - INR a)) <= INR (most_spread (n - triggers n j))).
  { pose proof (squares_apart _ a AN) as S. apply le_INR in S. rewrite !mult_INR, minus_INR in S by exact AN. fold m in S. simpl (INR 4) in S. lra. }
  apply Rle_trans with (rho * (4 * (INR a * (m - INR a))) / m).
  - apply Rle_trans with (2 * (rho * content_sum n j (fun s => Rabs (e s - q)))); [lra|]. rewrite C. apply Req_le. field. lra.
  - unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, M0|]. apply Rmult_le_compat_l; assumption.
Qed.

(** ** One head: what its kernels give is near what their centres give *)

Lemma triangle a b c : Rabs (a - c) <= Rabs (a - b) + Rabs (b - c).
Proof. replace (a - c) with (a - b + (b - c)) by ring. apply Rabs_triang. Qed.

Section Head.

Variables (n j : nat) (k0 kb : R) (k y : nat -> R) (l0 u0 lb ub lc uc lt ut vb vc vt rho : R).
Let t := triggers n j.
Let m := (n - t)%nat.
Let yt := y (j - 2)%nat.
Hypotheses (H0 : l0 <= k0 <= u0) (HB : lb <= kb <= ub)
  (HC : forall s, (s < n)%nat -> (s + 2 <> j)%nat -> lc <= k s <= uc /\ Rabs (y s - vc) <= rho)
  (HT : t = 1%nat -> lt <= k (j - 2)%nat <= ut /\ Rabs (yt - vt) <= rho) (R0 : 0 <= rho) (M1 : (1 <= m)%nat).

Let c0 := (l0 + u0) / 2. Let cb := (lb + ub) / 2. Let cc := (lc + uc) / 2. Let ct := (lt + ut) / 2.
Let d0 := (u0 - l0) / 2. Let db := (ub - lb) / 2. Let dc := (uc - lc) / 2. Let dt := (ut - lt) / 2.
Let mr := INR m. Let tr := INR t.

Lemma t_cases : t = 0%nat \/ t = 1%nat.
Proof. unfold t, triggers. destruct (_ && _); auto. Qed.

Definition affine_reference : R := cb * vb + cc * content_sum n j y + tr * (ct * yt).

Lemma near_centre l u x z b : l <= x <= u -> Rabs z <= b -> 0 <= b -> Rabs ((x - (l + u) / 2) * z) <= (u - l) / 2 * b.
Proof.
  intros X Z B. rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; [|exact Z]. apply Rabs_le. lra.
Qed.

(** Divided by a number of keys. *)
Lemma head_divided (N : R) : 0 < N ->
  Rabs ((kb * vb + sum n (fun s => k s * y s)) / N - affine_reference / N)
  <= (mr * dc * (Rabs vc + rho) + tr * dt * (Rabs vt + rho) + db * Rabs vb) / N.
Proof.
  intros HN. replace ((kb * vb + sum n (fun s => k s * y s)) / N - affine_reference / N) with ((kb * vb + sum n (fun s => k s * y s) - affine_reference) / N) by (field; lra).
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ N)) by (apply Rlt_le, Rinv_0_lt_compat, HN). apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, HN|].
  rewrite (sum_keys n j). fold t yt tr. unfold affine_reference.
  replace (kb * vb + (content_sum n j (fun s => k s * y s) + tr * (k (j - 2)%nat * yt)) - (cb * vb + cc * content_sum n j y + tr * (ct * yt)))
    with (content_sum n j (fun s => (k s - cc) * y s) + tr * ((k (j - 2)%nat - ct) * yt) + (kb - cb) * vb).
  2: { rewrite (content_ext n j (fun s => (k s - cc) * y s) (fun s => k s * y s - cc * y s)) by (intros; ring). rewrite content_minus, content_scal. ring. }
  assert (FAR : forall z v, Rabs (z - v) <= rho -> Rabs z <= Rabs v + rho) by (intros z v Z; pose proof (triangle z v 0); rewrite !Rminus_0_r in H; lra).
  assert (A : Rabs (content_sum n j (fun s => (k s - cc) * y s)) <= mr * dc * (Rabs vc + rho)).
  { eapply Rle_trans; [apply content_abs|]. rewrite Rmult_assoc. unfold mr, m, t. rewrite <- content_const. apply content_le. intros s Hs Ns. destruct (HC s Hs Ns) as [K Y].
    apply near_centre; [exact K|apply FAR, Y|pose proof (Rabs_pos vc); lra]. }
  assert (B : Rabs (tr * ((k (j - 2)%nat - ct) * yt)) <= tr * dt * (Rabs vt + rho)).
  { unfold tr. destruct t_cases as [E|E]; rewrite E; simpl INR; [rewrite !Rmult_0_l, Rabs_R0; lra|]. rewrite !Rmult_1_l. destruct (HT E) as [K Y].
    apply near_centre; [exact K|apply FAR, Y|pose proof (Rabs_pos vt); lra]. }
  assert (C : Rabs ((kb - cb) * vb) <= db * Rabs vb) by (apply near_centre; [exact HB|lra|apply Rabs_pos]).
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (content_sum n j (fun s => (k s - cc) * y s)) (tr * ((k (j - 2)%nat - ct) * yt))). lra.
Qed.

(** Divided by the sum of the kernels. *)
Definition centre_sum : R := c0 + cb + mr * cc + tr * ct.
Definition least_sum : R := l0 + lb + mr * lc + tr * lt.
Let z := centre_sum.
Definition spread_of : R := rho * INR (most_spread m) / (mr * mr).
Definition off_content : R := spread_of + (tr * ct * (Rabs (vc - vt) + 2 * rho) + cb * (Rabs (vc - vb) + rho) + c0 * (Rabs vc + rho)) / z.
Definition off_trigger : R := (mr * cc * (Rabs (vt - vc) + 2 * rho) + cb * (Rabs (vt - vb) + rho) + c0 * (Rabs vt + rho)) / z.
Definition off_bos : R := (mr * cc * (Rabs (vb - vc) + rho) + tr * ct * (Rabs (vb - vt) + rho) + c0 * Rabs vb) / z.
Definition off_null : R := (mr * cc * (Rabs vc + rho) + tr * ct * (Rabs vt + rho) + cb * Rabs vb) / z.

Lemma head_normalised : 0 <= l0 -> 0 <= lb -> 0 <= lc -> (t = 1%nat -> 0 <= lt) -> 0 < z -> 0 < least_sum ->
  Rabs ((kb * vb + sum n (fun s => k s * y s)) / (k0 + (kb + sum n k)) - affine_reference / z)
  <= (mr * dc * off_content + tr * dt * off_trigger + db * off_bos + d0 * off_null) / least_sum.
Proof.
  intros L0 LB LC LT Z0 S0. assert (M0 : 0 < mr) by (apply lt_0_INR; exact M1).
  set (ym := content_sum n j y / mr). assert (CY : content_sum n j y = mr * ym) by (unfold ym; field; lra).
  set (ref := affine_reference / z). assert (RZ : ref * z = cb * vb + mr * cc * ym + tr * ct * yt) by (unfold ref, affine_reference; rewrite CY; field; lra).
  assert (FAR : forall p v, Rabs (p - v) <= rho -> Rabs p <= Rabs v + rho) by (intros p v P; pose proof (triangle p v 0); rewrite !Rminus_0_r in H; lra).
  destruct (content_key n j M1) as (s1 & Hs1 & Ns1). destruct (HC s1 Hs1 Ns1) as [K1 _].
  assert (CC0 : 0 <= cc) by (unfold cc; lra).
  assert (CB0 : 0 <= cb) by (unfold cb; lra). assert (C00 : 0 <= c0) by (unfold c0; lra).
  assert (T0 : 0 <= tr) by apply pos_INR.
  assert (TC0 : 0 <= tr * ct). { unfold tr. destruct t_cases as [E|E]; rewrite E; simpl INR; [lra|]. destruct (HT E). specialize (LT E). unfold ct. lra. }
  assert (YM : Rabs (ym - vc) <= rho).
  { replace (ym - vc) with (content_sum n j (fun s => y s - vc) / mr).
    - unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ mr)) by (apply Rlt_le, Rinv_0_lt_compat, M0). apply Rmult_le_reg_r with mr; [exact M0|].
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [apply content_abs|]. rewrite (Rmult_comm rho). unfold mr, m, t. rewrite <- content_const.
      apply content_le. intros s Hs Ns. apply (HC s Hs Ns).
    - rewrite content_minus, content_const. fold t m mr. unfold ym. field. lra. }
  (* distances *)
  assert (DT : t = 1%nat -> Rabs (ym - yt) <= Rabs (vc - vt) + 2 * rho).
  { intros E. destruct (HT E) as [_ Y]. pose proof (triangle ym vc yt). pose proof (triangle vc vt yt). rewrite (Rabs_minus_sym vt yt) in H1. lra. }
  assert (DB : Rabs (ym - vb) <= Rabs (vc - vb) + rho) by (pose proof (triangle ym vc vb); lra).
  assert (DTB : t = 1%nat -> Rabs (yt - vb) <= Rabs (vt - vb) + rho) by (intros E; destruct (HT E) as [_ Y]; pose proof (triangle yt vt vb); lra).
  assert (COMB : forall (v w1 w2 w3 x1 x2 x3 a b1 b2 b3 : R), 0 <= w1 -> 0 <= w2 -> 0 <= w3 -> (v - ref) * z = w1 * x1 + w2 * x2 + w3 * x3 ->
    w1 * Rabs x1 <= w1 * b1 -> w2 * Rabs x2 <= w2 * b2 -> w3 * Rabs x3 <= w3 * b3 -> a = (w1 * b1 + w2 * b2 + w3 * b3) / z -> Rabs (v - ref) <= a).
  { intros v w1 w2 w3 x1 x2 x3 a b1 b2 b3 W1 W2 W3 E B1 B2 B3 ->. apply Rmult_le_reg_r with z; [exact Z0|].
    replace ((w1 * b1 + w2 * b2 + w3 * b3) / z * z) with (w1 * b1 + w2 * b2 + w3 * b3) by (field; lra).
    rewrite <- (Rabs_pos_eq z) at 1 by lra. rewrite <- Rabs_mult, E. eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (w1 * x1) (w2 * x2)).
    rewrite !Rabs_mult, (Rabs_pos_eq w1), (Rabs_pos_eq w2) in H by assumption. rewrite Rabs_mult, (Rabs_pos_eq w3) by assumption. lra. }
  assert (TW : forall a b, (t = 1%nat -> Rabs a <= b) -> tr * ct * Rabs a <= tr * ct * b).
  { intros a b H. unfold tr in *. destruct t_cases as [E|E]; rewrite E in *; simpl INR in *; [lra|]. apply Rmult_le_compat_l; [lra|apply H; reflexivity]. }
  assert (MC0 : 0 <= mr * cc) by (apply Rmult_le_pos; lra).
  assert (OC : Rabs (ym - ref) <= off_content - spread_of).
  { apply COMB with (w1 := tr * ct) (w2 := cb) (w3 := c0) (x1 := ym - yt) (x2 := ym - vb) (x3 := ym) (b1 := Rabs (vc - vt) + 2 * rho) (b2 := Rabs (vc - vb) + rho) (b3 := Rabs vc + rho); try assumption.
    - rewrite Rmult_minus_distr_r, RZ. unfold z, centre_sum. ring.
    - apply TW, DT.
    - apply Rmult_le_compat_l; assumption.
    - apply Rmult_le_compat_l; [assumption|apply FAR, YM].
    - unfold off_content. ring. }
  assert (OT : t = 1%nat -> Rabs (yt - ref) <= off_trigger).
  { intros E. apply COMB with (w1 := mr * cc) (w2 := cb) (w3 := c0) (x1 := yt - ym) (x2 := yt - vb) (x3 := yt) (b1 := Rabs (vt - vc) + 2 * rho) (b2 := Rabs (vt - vb) + rho) (b3 := Rabs vt + rho); try assumption.
    - rewrite Rmult_minus_distr_r, RZ. unfold z, centre_sum, tr. rewrite E. simpl INR. ring.
    - apply Rmult_le_compat_l; [assumption|]. rewrite Rabs_minus_sym, (Rabs_minus_sym vt). apply DT, E.
    - apply Rmult_le_compat_l; [assumption|apply DTB, E].
    - apply Rmult_le_compat_l; [assumption|]. apply FAR, (HT E).
    - reflexivity. }
  assert (OB : Rabs (vb - ref) <= off_bos).
  { apply COMB with (w1 := mr * cc) (w2 := tr * ct) (w3 := c0) (x1 := vb - ym) (x2 := vb - yt) (x3 := vb) (b1 := Rabs (vb - vc) + rho) (b2 := Rabs (vb - vt) + rho) (b3 := Rabs vb); try assumption.
    - rewrite Rmult_minus_distr_r, RZ. unfold z, centre_sum. ring.
    - apply Rmult_le_compat_l; [assumption|]. rewrite Rabs_minus_sym, (Rabs_minus_sym vb). exact DB.
    - apply TW. intros E. rewrite Rabs_minus_sym, (Rabs_minus_sym vb). apply DTB, E.
    - lra.
    - reflexivity. }
  assert (ON : Rabs (0 - ref) <= off_null).
  { apply COMB with (w1 := mr * cc) (w2 := tr * ct) (w3 := cb) (x1 := - ym) (x2 := - yt) (x3 := - vb) (b1 := Rabs vc + rho) (b2 := Rabs vt + rho) (b3 := Rabs vb); try assumption.
    - rewrite Rmult_minus_distr_r, RZ. ring.
    - apply Rmult_le_compat_l; [assumption|]. rewrite Rabs_Ropp. apply FAR, YM.
    - apply TW. intros E. rewrite Rabs_Ropp. apply FAR, (HT E).
    - rewrite Rabs_Ropp. lra.
    - reflexivity. }
  (* the sum of the kernels *)
  set (S := k0 + (kb + sum n k)).
  assert (SL : least_sum <= S).
  { unfold S, least_sum. rewrite (sum_keys n j k). fold t tr. assert (mr * lc <= content_sum n j k) by (unfold mr, m, t; rewrite <- content_const; apply content_le; intros s Hs Ns; apply (HC s Hs Ns)).
    assert (tr * lt <= tr * k (j - 2)%nat); [|lra]. unfold tr. destruct t_cases as [E|E]; rewrite E; simpl INR; [lra|]. destruct (HT E). lra. }
  assert (SP : 0 < S) by lra.
  assert (ID : (kb * vb + sum n (fun s => k s * y s)) / S - ref
             = ((kb - cb) * (vb - ref) + content_sum n j (fun s => (k s - cc) * (y s - ref)) + tr * ((k (j - 2)%nat - ct) * (yt - ref)) + (k0 - c0) * (0 - ref)) / S).
  { apply Rmult_eq_reg_r with S; [|lra].
    replace (((kb * vb + sum n (fun s => k s * y s)) / S - ref) * S) with (kb * vb + sum n (fun s => k s * y s) - ref * S) by (field; lra).
    match goal with |- _ = ?a / S * S => replace (a / S * S) with a by (field; lra) end.
    rewrite (sum_keys n j (fun s => k s * y s)). unfold S. rewrite (sum_keys n j k). fold t tr yt.
    rewrite (content_ext n j (fun s => (k s - cc) * (y s - ref)) (fun s => (k s * y s - ref * k s) - (cc * y s - cc * ref))) by (intros; ring).
    rewrite !content_minus, !content_scal, content_const, CY. fold t m mr.
    assert (Q : ref * (c0 + cb + mr * cc + tr * ct) = cb * vb + mr * cc * ym + tr * ct * yt) by exact RZ. lra. }
  fold ref. fold S. rewrite ID. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ S)) by (apply Rlt_le, Rinv_0_lt_compat, SP).
  assert (OC0 : 0 <= off_content - spread_of) by (pose proof (Rabs_pos (ym - ref)); lra).
  assert (SPR : content_sum n j (fun s => Rabs (y s - ym)) <= mr * spread_of).
  { eapply Rle_trans; [apply (mean_distance n j y vc rho); [unfold m in M1; fold t; lia|exact R0|intros s Hs Ns; apply (HC s Hs Ns)]|]. fold t m mr. apply Req_le. unfold spread_of. field. lra. }
  assert (A1 : Rabs (content_sum n j (fun s => (k s - cc) * (y s - ref))) <= mr * dc * off_content).
  { eapply Rle_trans; [apply content_abs|]. apply Rle_trans with (content_sum n j (fun s => dc * (Rabs (y s - ym) + (off_content - spread_of)))).
    - apply content_le. intros s Hs Ns. destruct (HC s Hs Ns) as [K _]. apply near_centre; [exact K| |pose proof (Rabs_pos (y s - ym)); lra].
      eapply Rle_trans; [apply triangle with (b := ym)|]. lra.
    - rewrite content_scal, content_plus, content_const. fold t m mr. assert (D0 : 0 <= dc) by (unfold dc; lra).
      replace (mr * dc * off_content) with (dc * (mr * spread_of + mr * (off_content - spread_of))) by ring. apply Rmult_le_compat_l; [exact D0|lra]. }
  assert (A2 : Rabs (tr * ((k (j - 2)%nat - ct) * (yt - ref))) <= tr * dt * off_trigger).
  { unfold tr. destruct t_cases as [E|E]; rewrite E; simpl INR; [rewrite !Rmult_0_l, Rabs_R0; lra|]. rewrite !Rmult_1_l. destruct (HT E) as [K _].
    apply near_centre; [exact K|apply OT, E|pose proof (OT E); pose proof (Rabs_pos (yt - ref)); lra]. }
  assert (A3 : Rabs ((kb - cb) * (vb - ref)) <= db * off_bos) by (apply near_centre; [exact HB|exact OB|pose proof (Rabs_pos (vb - ref)); lra]).
  assert (A4 : Rabs ((k0 - c0) * (0 - ref)) <= d0 * off_null) by (apply near_centre; [exact H0|exact ON|pose proof (Rabs_pos (0 - ref)); lra]).
  set (x1 := (kb - cb) * (vb - ref)) in *. set (x2 := content_sum n j (fun s => (k s - cc) * (y s - ref))) in *. set (x3 := tr * ((k (j - 2)%nat - ct) * (yt - ref))) in *. set (x4 := (k0 - c0) * (0 - ref)) in *.
  assert (ALL : Rabs (x1 + x2 + x3 + x4) <= mr * dc * off_content + tr * dt * off_trigger + db * off_bos + d0 * off_null).
  { pose proof (Rabs_triang (x1 + x2 + x3) x4). pose proof (Rabs_triang (x1 + x2) x3). pose proof (Rabs_triang x1 x2). lra. }
  pose proof (Rabs_pos (x1 + x2 + x3 + x4)). apply Rmult_le_compat; [assumption|apply Rlt_le, Rinv_0_lt_compat, SP|exact ALL|apply Rinv_le_contravar; assumption].
Qed.

End Head.
