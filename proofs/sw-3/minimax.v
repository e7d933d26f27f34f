(** * sw-3: the smallest output of a head, and the direction that proves it

    Proves the sentences of minimax_statement.v but those about the anchor (anchor.v), for every m, every T, every family of values and EVERY norm of R^m.

    Steps.  (1) A family of shrinking nonempty bounded sets of R^p has a common limit point (coordinate by coordinate,
    by suprema; no axiom of choice).  (2) A convex set whose points have x.x >= c lies in a half-space d.x >= c: limit
    of nearly shortest points.  (3) With I the infimum of ||o|| and t < I apply (2) to the outputs thickened by the
    ball of radius t; scale d to dual norm 1: u.v_k >= t.  (4) By (1), weights reach I, and directions do as t -> I.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-3 Claim <proofs>/sw-3/minimax.v *)

From Coq Require Import Reals Lra Lia Arith Classical.
From Sinkproof Require Import trigger_task hard_switch least_output.
From Claim Require Import minimax_statement.
Open Scope R_scope.

(** *** Real numbers *)

Lemma vanishing x C : (forall e, 0 < e -> e <= 1 -> x <= C * e) -> x <= 0.
Proof.
  intros H. destruct (Rle_lt_dec x 0) as [|Hx]; [assumption|exfalso].
  assert (HC : 0 < Rabs C + 1) by (pose proof (Rabs_pos C); lra).
  set (e := Rmin 1 (x / (2 * (Rabs C + 1)))).
  assert (He : 0 < e) by (apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]).
  assert (He1 : e <= 1) by apply Rmin_l.
  assert (He2 : e * (2 * (Rabs C + 1)) <= x).
  { apply Rle_trans with (x / (2 * (Rabs C + 1)) * (2 * (Rabs C + 1))).
    - apply Rmult_le_compat_r; [lra|apply Rmin_r].
    - apply Req_le. field. lra. }
  specialize (H e He He1).
  assert (C * e <= Rabs C * e) by (apply Rmult_le_compat_r; [lra|apply Rle_abs]).
  assert (0 <= Rabs C * e) by (apply Rmult_le_pos; [apply Rabs_pos|lra]). lra.
Qed.

(** A nonempty set of numbers >= b has an infimum. *)
Lemma infimum (E : R -> Prop) b :
  (exists x, E x) -> (forall x, E x -> b <= x) ->
  exists i, (forall x, E x -> i <= x) /\ (forall e, 0 < e -> exists x, E x /\ x < i + e) /\ b <= i.
Proof.
  intros [x0 H0] Hb.
  destruct (completeness (fun y => E (- y))) as [s [Hs1 Hs2]].
  - exists (- b). intros y Hy. apply Hb in Hy. lra.
  - exists (- x0). now rewrite Ropp_involutive.
  - exists (- s). split; [|split].
    + intros x Hx. assert (- x <= s) by (apply Hs1; now rewrite Ropp_involutive). lra.
    + intros e He. apply NNPP. intros Hn. assert (s <= s - e); [|lra].
      apply Hs2. intros y Hy. destruct (Rle_lt_dec y (s - e)) as [|Hlt]; [assumption|exfalso].
      apply Hn. exists (- y). split; [assumption|lra].
    + assert (s <= - b); [|lra]. apply Hs2. intros y Hy. apply Hb in Hy. lra.
Qed.

Lemma least_le T f k : (k <= T)%nat -> least T f <= f k.
Proof.
  induction T as [|T IH]; intros Hk; cbn [least].
  - replace k with 0%nat by lia. lra.
  - destruct (Nat.eq_dec k (S T)) as [->|E]; [apply Rmin_r|].
    eapply Rle_trans; [apply Rmin_l|apply IH; lia].
Qed.

Lemma least_member T f : exists k, (k <= T)%nat /\ least T f = f k.
Proof.
  induction T as [|T IH]; cbn [least]; [now exists 0%nat|].
  destruct (Rle_lt_dec (least T f) (f (S T))) as [E|E].
  - destruct IH as (k & Hk & Ek). exists k. split; [lia|]. now rewrite Rmin_left.
  - exists (S T). split; [lia|]. apply Rmin_right. lra.
Qed.

Lemma least_ge T f b : (forall k, (k <= T)%nat -> b <= f k) -> b <= least T f.
Proof.
  induction T as [|T IH]; intros H; cbn [least]; [apply H; lia|].
  apply Rmin_glb; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

(** *** Limit points without choice *)

(** Sets F e that shrink with e > 0, are not empty and bounded in coordinate k: some number L is approached. *)
Lemma limit_coordinate k B (F : R -> vector -> Prop) :
  (forall e f x, 0 < e -> e <= f -> F e x -> F f x) ->
  (forall e, 0 < e -> exists x, F e x) ->
  (forall e x, 0 < e -> F e x -> Rabs (x k) <= B) ->
  exists L, forall e, 0 < e -> exists x, F e x /\ Rabs (x k - L) < e.
Proof.
  intros Hmono Hne Hb.
  set (E := fun y => forall e, 0 < e -> exists x, F e x /\ y <= x k).
  destruct (completeness E) as [L [HL1 HL2]].
  - exists B. intros y Hy. destruct (Hy 1 Rlt_0_1) as (x & Hx & Hyx).
    apply Hb in Hx; [|lra]. apply abs_bounds in Hx. lra.
  - exists (- B). intros e He. destruct (Hne e He) as [x Hx]. exists x. split; [assumption|].
    apply Hb in Hx; [|assumption]. apply abs_bounds in Hx. lra.
  - exists L. intros e He.
    assert (Hlow : exists y, E y /\ L - e < y).
    { apply NNPP. intros Hn. assert (L <= L - e); [|lra]. apply HL2. intros y Hy.
      destruct (Rle_lt_dec y (L - e)) as [|Hlt]; [assumption|exfalso]. apply Hn. now exists y. }
    assert (Hup : exists f, 0 < f /\ forall x, F f x -> x k < L + e).
    { apply NNPP. intros Hn. assert (L + e <= L); [|lra]. apply HL1. intros f Hf. apply NNPP. intros Hm.
      apply Hn. exists f. split; [assumption|]. intros x Hx.
      destruct (Rlt_le_dec (x k) (L + e)) as [|Hle]; [assumption|exfalso]. apply Hm. now exists x. }
    destruct Hlow as (y & Hy & HyL). destruct Hup as (f & Hf & HfL).
    assert (Hd : 0 < Rmin e f) by now apply Rmin_glb_lt.
    destruct (Hy _ Hd) as (x & Hx & Hyx). exists x. split.
    + apply (Hmono (Rmin e f)); [assumption|apply Rmin_l|assumption].
    + assert (x k < L + e) by (apply HfL, (Hmono (Rmin e f)); [assumption|apply Rmin_r|assumption]).
      apply Rabs_def1; lra.
Qed.

(** The same for all coordinates below p at once. *)
Lemma limit_point p B : forall F : R -> vector -> Prop,
  (forall e f x, 0 < e -> e <= f -> F e x -> F f x) ->
  (forall e, 0 < e -> exists x, F e x) ->
  (forall e x k, 0 < e -> F e x -> (k < p)%nat -> Rabs (x k) <= B) ->
  exists l, forall e, 0 < e -> exists x, F e x /\ forall k, (k < p)%nat -> Rabs (x k - l k) < e.
Proof.
  induction p as [|p IH]; intros F Hmono Hne Hb.
  - exists (fun _ => 0). intros e He. destruct (Hne e He) as [x Hx]. exists x. split; [assumption|lia].
  - destruct (limit_coordinate p B F Hmono Hne) as [L HL].
    { intros e x He Hx. apply (Hb e x p He Hx). lia. }
    destruct (IH (fun e x => F e x /\ Rabs (x p - L) < e)) as [l Hl].
    + intros e f x He Hef [Hx Hp]. split; [now apply (Hmono e)|lra].
    + exact HL.
    + intros e x k He [Hx _] Hk. apply (Hb e x k He Hx). lia.
    + exists (fun k => if (k =? p)%nat then L else l k). intros e He.
      destruct (Hl e He) as (x & [Hx Hp] & Hk). exists x. split; [assumption|].
      intros k HkS. destruct (Nat.eqb_spec k p) as [->|E]; [assumption|apply Hk; lia].
Qed.

(** *** Dot products *)

Lemma dot_comm m x y : dot m x y = dot m y x.
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_mix m y x z s t : dot m y (fun r => s * x r + t * z r) = s * dot m y x + t * dot m y z.
Proof. unfold dot. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring. Qed.

Lemma dot_mix_self m x y s t :
  dot m (fun r => s * x r + t * y r) (fun r => s * x r + t * y r)
  = s * s * dot m x x + 2 * (s * t) * dot m x y + t * t * dot m y y.
Proof. unfold dot. rewrite <- !sum_scal, <- !sum_plus. apply sum_ext. intros. ring. Qed.

Lemma dot_near m y x l e :
  (forall r, (r < m)%nat -> Rabs (x r - l r) < e) ->
  dot m y x - dot m y l <= sum m (fun r => Rabs (y r)) * e /\
  dot m y l - dot m y x <= sum m (fun r => Rabs (y r)) * e.
Proof.
  intros H. assert (G : Rabs (dot m y x - dot m y l) <= sum m (fun r => Rabs (y r)) * e).
  { unfold dot. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    rewrite <- sum_scal_r. apply sum_le. intros r Hr.
    replace (y r * x r - y r * l r) with (y r * (x r - l r)) by ring. rewrite Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos|]. apply Rlt_le, H, Hr. }
  apply abs_bounds in G. lra.
Qed.

Lemma square_le_dot m x r : (r < m)%nat -> x r * x r <= dot m x x.
Proof. intros Hr. apply (sum_term_le m (fun r => x r * x r)); [|assumption]. intros. apply Rle_0_sqr. Qed.

(** *** Norms *)

Definition unit_vector (r : nat) : vector := fun k => if (k =? r)%nat then 1 else 0.

Lemma dot_unit m y r : (r < m)%nat -> dot m y (unit_vector r) = y r.
Proof.
  intros Hr. unfold dot, unit_vector. rewrite (sum_single m _ r Hr).
  - rewrite Nat.eqb_refl. ring.
  - intros k _ Hk. apply Nat.eqb_neq in Hk. rewrite Hk. ring.
Qed.

Section Norm.
  Context (m : nat) (N : vector -> R) (HN : is_norm m N).

  Lemma norm_zero : N (fun _ => 0) = 0.
  Proof using HN.
    rewrite (norm_reads_m m N HN _ (fun r => 0 * 0)) by (intros; ring).
    rewrite (norm_scal m N HN 0 (fun _ => 0)), Rabs_R0. ring.
  Qed.

  Lemma norm_mix x y s t : 0 <= s -> 0 <= t -> N (fun r => s * x r + t * y r) <= s * N x + t * N y.
  Proof using HN.
    intros Hs Ht. eapply Rle_trans; [apply (norm_triangle m N HN)|].
    rewrite !(norm_scal m N HN), !Rabs_pos_eq by assumption. lra.
  Qed.

  Lemma norm_difference x y : N x <= N y + N (fun r => x r - y r).
  Proof using HN.
    rewrite (norm_reads_m m N HN x (fun r => y r + (x r - y r))) by (intros; ring).
    apply (norm_triangle m N HN).
  Qed.

  (** Weights of any sign. *)
  Lemma norm_sum_abs (c : nat -> R) (w : nat -> vector) p :
    N (fun r => sum p (fun k => c k * w k r)) <= sum p (fun k => Rabs (c k) * N (w k)).
  Proof using HN.
    induction p as [|p IH]; cbn [sum]; [rewrite norm_zero; lra|].
    eapply Rle_trans; [apply (norm_triangle m N HN)|]. rewrite (norm_scal m N HN). lra.
  Qed.

  Lemma norm_le_coordinates x : N x <= sum m (fun r => Rabs (x r) * N (unit_vector r)).
  Proof using HN.
    rewrite (norm_reads_m m N HN x (fun r => sum m (fun k => x k * unit_vector k r))).
    - apply norm_sum_abs.
    - intros r Hr. symmetry. rewrite (sum_single m _ r Hr).
      + unfold unit_vector. rewrite Nat.eqb_refl. ring.
      + intros k _ Hk. unfold unit_vector. destruct (Nat.eqb_spec r k); [congruence|ring].
  Qed.

  (** Where N x >= b > 0 the Euclidean length is bounded below. *)
  Lemma length_floor b : 0 < b -> exists c, 0 < c /\ forall x, b <= N x -> c <= dot m x x.
  Proof using HN.
    intros Hb. set (C := sum m (fun r => N (unit_vector r))).
    assert (HC : 0 <= C) by (apply sum_nonneg; intros; apply (norm_nonneg m N HN)).
    set (q := b / (C + 1)). assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; lra).
    assert (Hqb : q * (C + 1) = b) by (unfold q; field; lra).
    exists (q * q). split; [now apply Rmult_lt_0_compat|]. intros x Hx.
    destruct (Rle_lt_dec (q * q) (dot m x x)) as [|Hlt]; [assumption|exfalso].
    assert (N x <= q * C); [|lra].
    eapply Rle_trans; [apply norm_le_coordinates|]. unfold C. rewrite <- sum_scal. apply sum_le.
    intros r Hr. apply Rmult_le_compat_r; [apply (norm_nonneg m N HN)|].
    apply Rsqr_incr_0_var; [|lra]. rewrite <- Rsqr_abs. unfold Rsqr.
    pose proof (square_le_dot m x r Hr). lra.
  Qed.

  Lemma dual_coordinate u r : dual_norm_le_1 m N u -> (r < m)%nat -> Rabs (u r) <= N (unit_vector r).
  Proof using HN.
    intros Hu Hr. pose proof (dual_pairing m N u HN Hu (unit_vector r)) as H1.
    pose proof (dual_pairing m N u HN Hu (fun k => Ropp 1 * unit_vector r k)) as H2.
    rewrite (norm_scal m N HN), Rabs_Ropp, Rabs_R1, dot_scal, dot_unit in H2 by assumption.
    rewrite dot_unit in H1 by assumption. apply Rabs_le. lra.
  Qed.

  Lemma zero_direction : dual_norm_le_1 m N (fun _ => 0).
  Proof using. intros y _. unfold dot. rewrite sum_zero; [lra|intros; ring]. Qed.
End Norm.

(** *** The simplex *)

Lemma simplex_mix T a b s :
  simplex T a -> simplex T b -> 0 <= s <= 1 -> simplex T (fun k => (1 - s) * a k + s * b k).
Proof.
  intros [Ha1 Ha2] [Hb1 Hb2] Hs. split.
  - intros k Hk. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra; auto.
  - rewrite (sum_plus (S T) (fun k => (1 - s) * a k) (fun k => s * b k)), !sum_scal, Ha2, Hb2. ring.
Qed.

Lemma output_mix T a b s v r :
  output T (fun k => (1 - s) * a k + s * b k) v r = (1 - s) * output T a v r + s * output T b v r.
Proof. unfold output. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring. Qed.

Lemma simplex_unit T k : (k <= T)%nat -> simplex T (unit_vector k).
Proof.
  intros Hk. unfold unit_vector. split.
  - intros j _. destruct (j =? k)%nat; lra.
  - rewrite (sum_single _ _ k); [now rewrite Nat.eqb_refl|lia|].
    intros j _ Hj. apply Nat.eqb_neq in Hj. now rewrite Hj.
Qed.

Lemma output_unit T k v r : (k <= T)%nat -> output T (unit_vector k) v r = v k r.
Proof.
  intros Hk. unfold output, unit_vector. rewrite (sum_single _ _ k).
  - rewrite Nat.eqb_refl. ring.
  - lia.
  - intros j _ Hj. apply Nat.eqb_neq in Hj. rewrite Hj. ring.
Qed.

Lemma simplex_le_1 T a k : simplex T a -> (k <= T)%nat -> a k <= 1.
Proof.
  intros [Hpos Hsum] Hk. rewrite <- Hsum. apply sum_term_le; [|lia]. intros. apply Hpos. lia.
Qed.

(** A margin is a bound on every output, and only a least value. *)
Lemma margin_output m T u a v b :
  simplex T a -> (forall k, (k <= T)%nat -> b <= dot m u (v k)) -> b <= dot m u (output T a v).
Proof.
  intros [Hpos Hsum] H. rewrite dot_output. rewrite <- (Rmult_1_l b), <- Hsum, <- sum_scal_r.
  apply sum_le. intros k Hk. apply Rmult_le_compat_l; [apply Hpos|apply H]; lia.
Qed.

(** *** Step 2: a convex set away from 0 lies in a half-space *)

Lemma half_space m (D : vector -> Prop) c :
  (exists x, D x) ->
  (forall x y s, D x -> D y -> 0 <= s <= 1 -> D (fun r => (1 - s) * x r + s * y r)) ->
  (forall x, D x -> c <= dot m x x) ->
  exists d, forall y, D y -> c <= dot m d y.
Proof.
  intros [x0 Hx0] Hconv Hc.
  destruct (infimum (fun q => exists x, D x /\ q = dot m x x) c) as (I & HI & Hnear & HcI).
  { now exists (dot m x0 x0), x0. }
  { intros q (x & Hx & ->). now apply Hc. }
  destruct (limit_point m (I + 2)
    (fun e x => D x /\ dot m x x <= I + e /\ dot m x x <= I + 1)) as [d Hd].
  - intros e f x He Hef (H1 & H2 & H3). repeat split; try assumption. lra.
  - intros e He. destruct (Hnear (Rmin e 1)) as (q & (x & Hx & ->) & Hq).
    { apply Rmin_glb_lt; lra. }
    exists x. pose proof (Rmin_l e 1). pose proof (Rmin_r e 1). repeat split; try assumption; lra.
  - intros e x k He (_ & _ & H) Hk. pose proof (square_le_dot m x k Hk).
    assert (0 <= (Rabs (x k) - 1) * (Rabs (x k) - 1)) by apply Rle_0_sqr.
    assert (E : Rabs (x k) * Rabs (x k) = x k * x k).
    { rewrite <- Rabs_mult. apply Rabs_pos_eq, Rle_0_sqr. }
    pose proof (Rabs_pos (x k)). lra.
  - exists d. intros y Hy. apply Rle_trans with I; [assumption|].
    set (A := sum m (fun r => Rabs (y r))). set (beta := dot m d y). set (Y := dot m y y).
    assert (HA : 0 <= A) by (apply sum_nonneg; intros; apply Rabs_pos).
    assert (2 * (I - beta) <= 0); [|lra].
    apply (vanishing _ (4 * A + 1 + Rabs I + Y + 2 * Rabs beta)). intros s Hs Hs1.
    assert (Hss : 0 < s * s) by now apply Rmult_lt_0_compat.
    destruct (Hd (s * s) Hss) as (x & (Hx & Hq & _) & Hxd).
    destruct (dot_near m y x d (s * s) Hxd) as [N1 N2]. fold A in N1, N2.
    rewrite (dot_comm m y x), (dot_comm m y d) in N1, N2. fold beta in N1, N2.
    assert (HIx : I <= dot m x x) by (apply HI; now exists x).
    assert (Hmix : I <= (1 - s) * (1 - s) * dot m x x + 2 * ((1 - s) * s) * dot m x y + s * s * Y).
    { unfold Y. rewrite <- dot_mix_self. apply HI. eexists. split; [|reflexivity].
      apply Hconv; [assumption..|lra]. }
    set (q := dot m x x) in *. set (b := dot m x y) in *.
    assert (Hqs : (1 - s) * (1 - s) * q <= (1 - s) * (1 - s) * I + s * s).
    { assert ((1 - s) * (1 - s) * q <= (1 - s) * (1 - s) * (I + s * s))
        by (apply Rmult_le_compat_l; [apply Rle_0_sqr|assumption]).
      assert ((1 - s) * (1 - s) * (s * s) <= 1 * (s * s)); [|lra].
      apply Rmult_le_compat_r; [lra|]. replace 1 with (1 * 1) at 3 by ring. apply Rmult_le_compat; lra. }
    (* divide by s *)
    assert (Hdiv : 2 * I - s * I <= s + 2 * (1 - s) * b + s * Y).
    { apply (Rmult_le_reg_l s); [assumption|]. lra. }
    assert (Hb : Rabs b <= Rabs beta + A).
    { assert (A * (s * s) <= A * 1).
      { apply Rmult_le_compat_l; [assumption|]. replace 1 with (1 * 1) by ring. apply Rmult_le_compat; lra. }
      pose proof (Rle_abs beta). pose proof (Rle_abs (- beta)) as G. rewrite Rabs_Ropp in G.
      apply Rabs_le. lra. }
    assert (Hsb : - (s * b) <= s * (Rabs beta + A)).
    { apply Rle_trans with (s * Rabs b).
      - rewrite <- Ropp_mult_distr_r_reverse. apply Rmult_le_compat_l; [lra|].
        rewrite <- Rabs_Ropp. apply Rle_abs.
      - apply Rmult_le_compat_l; [lra|assumption]. }
    assert (HsI : s * I <= s * Rabs I) by (apply Rmult_le_compat_l; [lra|apply Rle_abs]).
    assert (HAs : A * (s * s) <= A * s).
    { apply Rmult_le_compat_l; [assumption|]. rewrite <- (Rmult_1_r s) at 3. apply Rmult_le_compat_l; lra. }
    lra.
Qed.

(** *** Step 3: directions almost as good as the infimum *)

Lemma near_direction m T N v I t :
  is_norm m N -> (forall a, simplex T a -> I <= N (output T a v)) -> 0 < t -> t < I ->
  exists u, dual_norm_le_1 m N u /\ forall k, (k <= T)%nat -> t <= dot m u (v k).
Proof.
  intros HN HI Ht HtI.
  set (D := fun x => exists a, simplex T a /\ N (fun r => output T a v r - x r) <= t).
  destruct (length_floor m N HN (I - t)) as (c & Hc & Hfloor); [lra|].
  destruct (half_space m D c) as [d Hd].
  - exists (output T (unit_vector 0) v), (unit_vector 0). split; [apply simplex_unit; lia|].
    rewrite (norm_reads_m m N HN _ (fun _ => 0)) by (intros; ring). rewrite (norm_zero m N HN). lra.
  - intros x y s (a & Ha & Hx) (b & Hb & Hy) Hs.
    exists (fun k => (1 - s) * a k + s * b k). split; [now apply simplex_mix|].
    rewrite (norm_reads_m m N HN _ (fun r => (1 - s) * (output T a v r - x r) + s * (output T b v r - y r))).
    2:{ intros r _. rewrite output_mix. ring. }
    eapply Rle_trans; [apply (norm_mix m N HN); lra|].
    apply Rle_trans with ((1 - s) * t + s * t); [|lra].
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - intros x (a & Ha & Hx). apply Hfloor.
    pose proof (norm_difference m N HN (output T a v) x). pose proof (HI a Ha). lra.
  - (* d.v_k >= c + t d.b for every b of the unit ball *)
    assert (Hball : forall k b, (k <= T)%nat -> N b <= 1 -> c + t * dot m d b <= dot m d (v k)).
    { intros k b Hk Hb. assert (Hy : D (fun r => 1 * v k r + - t * b r)).
      { exists (unit_vector k). split; [now apply simplex_unit|].
        rewrite (norm_reads_m m N HN _ (fun r => t * b r)).
        - rewrite (norm_scal m N HN), Rabs_pos_eq by lra.
          rewrite <- (Rmult_1_r t) at 2. apply Rmult_le_compat_l; lra.
        - intros r _. rewrite output_unit by assumption. ring. }
      apply Hd in Hy. rewrite dot_mix in Hy. lra. }
    assert (Hz : N (fun _ => 0) <= 1) by (rewrite (norm_zero m N HN); lra).
    assert (Hd0 : dot m d (fun _ => 0) = 0) by (apply sum_zero; intros; ring).
    destruct (completeness (fun x => exists b, N b <= 1 /\ x = dot m d b)) as [M [HM1 HM2]].
    { exists (dot m d (v 0%nat) / t). intros x (b & Hb & ->).
      apply (Rmult_le_reg_r t); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      pose proof (Hball 0%nat b ltac:(lia) Hb). lra. }
    { exists 0, (fun _ => 0). split; [assumption|now rewrite Hd0]. }
    assert (Hv0 : 0 < dot m d (v 0%nat)).
    { pose proof (Hball 0%nat _ ltac:(lia) Hz) as G. rewrite Hd0 in G. lra. }
    assert (HNv : 0 < N (v 0%nat)).
    { pose proof (HI _ (simplex_unit T 0 ltac:(lia))) as G.
      rewrite (norm_reads_m m N HN _ (v 0%nat)) in G by (intros; apply output_unit; lia). lra. }
    assert (HM : 0 < M).
    { apply Rlt_le_trans with (/ N (v 0%nat) * dot m d (v 0%nat)).
      - apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|assumption].
      - apply HM1. exists (fun r => / N (v 0%nat) * v 0%nat r). split; [|now rewrite dot_scal].
        rewrite (norm_scal m N HN), Rabs_pos_eq by (left; now apply Rinv_0_lt_compat). rewrite Rinv_l; lra. }
    exists (fun r => / M * d r). split.
    + intros b Hb. rewrite dot_comm, dot_scal, dot_comm.
      apply (Rmult_le_reg_l M); [assumption|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra.
      apply HM1. now exists b.
    + intros k Hk. rewrite dot_comm, dot_scal, dot_comm.
      apply (Rmult_le_reg_l M); [assumption|]. rewrite <- (Rmult_assoc M), Rinv_r, Rmult_1_l by lra.
      apply (Rmult_le_reg_r (/ t)); [now apply Rinv_0_lt_compat|].
      rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. apply HM2. intros x (b & Hb & ->).
      apply (Rmult_le_reg_r t); [assumption|]. rewrite Rmult_assoc, Rinv_l by lra.
      pose proof (Hball k b Hk Hb). lra.
Qed.

(** *** Step 4: both are attained *)

Lemma weights_attain m T N v I :
  is_norm m N -> (forall e, 0 < e -> exists a, simplex T a /\ N (output T a v) <= I + e) ->
  exists a, simplex T a /\ N (output T a v) <= I.
Proof.
  intros HN H.
  destruct (limit_point (S T) 1 (fun e a => simplex T a /\ N (output T a v) <= I + e)) as [l Hl].
  - intros e f x He Hef [H1 H2]. split; [assumption|lra].
  - exact H.
  - intros e x k He [Hx _] Hk. rewrite Rabs_pos_eq by (apply Hx; lia). apply (simplex_le_1 T); [assumption|lia].
  - exists l. split; [split|].
    + intros k Hk. assert (- l k <= 0); [|lra]. apply (vanishing _ 1). intros e He _.
      destruct (Hl e He) as (x & [[Hx _] _] & Hxl).
      specialize (Hxl k ltac:(lia)). apply Rabs_def2 in Hxl. specialize (Hx k Hk). lra.
    + assert (G : Rabs (sum (S T) l - 1) <= 0).
      { apply (vanishing _ (INR (S T))). intros e He _. destruct (Hl e He) as (x & [[_ Hx] _] & Hxl).
        rewrite <- Hx, <- sum_minus. apply sum_abs_le. intros k Hk.
        rewrite Rabs_minus_sym. now apply Rlt_le, Hxl. }
      apply abs_bounds in G. lra.
    + assert (N (output T l v) - I <= 0); [|lra].
      apply (vanishing _ (1 + sum (S T) (fun k => N (v k)))). intros e He _.
      destruct (Hl e He) as (x & [_ Hx] & Hxl).
      pose proof (norm_difference m N HN (output T l v) (output T x v)) as G.
      assert (N (fun r => output T l v r - output T x v r) <= sum (S T) (fun k => N (v k)) * e); [|lra].
      rewrite (norm_reads_m m N HN _ (fun r => sum (S T) (fun k => (l k - x k) * v k r))).
      * eapply Rle_trans; [apply (norm_sum_abs m N HN)|]. rewrite <- sum_scal_r. apply sum_le.
        intros k Hk. rewrite Rmult_comm. apply Rmult_le_compat_l; [apply (norm_nonneg m N HN)|].
        rewrite Rabs_minus_sym. now apply Rlt_le, Hxl.
      * intros r _. unfold output. rewrite <- sum_minus. apply sum_ext. intros. ring.
Qed.

Lemma direction_attains m T N v I :
  is_norm m N ->
  (forall e, 0 < e -> exists u, dual_norm_le_1 m N u /\ forall k, (k <= T)%nat -> I - e <= dot m u (v k)) ->
  exists u, dual_norm_le_1 m N u /\ forall k, (k <= T)%nat -> I <= dot m u (v k).
Proof.
  intros HN H.
  destruct (limit_point m (sum m (fun r => N (unit_vector r)))
    (fun e u => dual_norm_le_1 m N u /\ forall k, (k <= T)%nat -> I - e <= dot m u (v k))) as [l Hl].
  - intros e f u He Hef [H1 H2]. split; [assumption|]. intros k Hk. specialize (H2 k Hk). lra.
  - exact H.
  - intros e u r He [Hu _] Hr. eapply Rle_trans; [now apply (dual_coordinate m N HN)|].
    apply (sum_term_le m (fun r => N (unit_vector r))); [|assumption]. intros. apply (norm_nonneg m N HN).
  - exists l. split.
    + intros y Hy. assert (dot m l y - 1 <= 0); [|lra].
      apply (vanishing _ (sum m (fun r => Rabs (y r)))). intros e He _.
      destruct (Hl e He) as (u & [Hu _] & Hul). specialize (Hu y Hy).
      destruct (dot_near m y u l e Hul) as [_ G]. rewrite (dot_comm m y l), (dot_comm m y u) in G. lra.
    + intros k Hk. assert (I - dot m l (v k) <= 0); [|lra].
      apply (vanishing _ (1 + sum m (fun r => Rabs (v k r)))). intros e He _.
      destruct (Hl e He) as (u & [_ Hu] & Hul). specialize (Hu k Hk).
      destruct (dot_near m (v k) u l e Hul) as [G _]. rewrite (dot_comm m _ l), (dot_comm m _ u) in G. lra.
Qed.

(** *** Theorems *)

Theorem weak_duality : minimax_statement.weak_duality.
Proof.
  intros m T N v x y HN (a & Ha & ->) (u & Hu & ->).
  apply Rle_trans with (dot m u (output T a v)); [|now apply (dual_pairing m N)].
  apply margin_output; [assumption|]. intros k Hk. now apply (least_le T (fun k => dot m u (v k))).
Qed.

(** The evidence: weights and a direction. *)
Theorem primal_dual_pair : minimax_statement.primal_dual_pair.
Proof.
  intros m T N v a u HN Ha Hu Hk.
  assert (Ho : output_norms T N v (N (output T a v))) by now exists a.
  assert (Hl : margins m T N v (least T (fun k => dot m u (v k)))) by now exists u.
  assert (E : least T (fun k => dot m u (v k)) = N (output T a v)).
  { apply Rle_antisym; [now apply (weak_duality m T N v)|].
    apply least_ge. intros k HkT. now apply Rge_le, Hk. }
  rewrite E in Hl. split; split; try assumption; intros y Hy.
  - now apply (weak_duality m T N v).
  - now apply (weak_duality m T N v).
Qed.

(** Such a pair always exists. *)
Theorem optimal_pair : minimax_statement.optimal_pair.
Proof.
  intros m T N v HN.
  destruct (infimum (output_norms T N v) 0) as (I & HI & Hnear & HI0).
  { exists (N (output T (unit_vector 0) v)), (unit_vector 0). split; [apply simplex_unit; lia|reflexivity]. }
  { intros x (a & _ & ->). apply (norm_nonneg m N HN). }
  destruct (weights_attain m T N v I HN) as (a & Ha & HaI).
  { intros e He. destruct (Hnear e He) as (x & (a & Ha & ->) & Hx). exists a. split; [assumption|lra]. }
  destruct (direction_attains m T N v I HN) as (u & Hu & HuI).
  { intros e He. destruct (Rlt_le_dec e I) as [HeI|HeI].
    - apply (near_direction m T N v I); try assumption; try lra. intros b Hb. apply HI. now exists b.
    - exists (fun _ => 0). split; [apply zero_direction|]. intros k _.
      replace (dot m (fun _ => 0) (v k)) with 0; [lra|]. symmetry. apply sum_zero. intros. ring. }
  exists a, u. repeat split; try assumption; try apply Ha.
  intros k Hk. specialize (HuI k Hk). lra.
Qed.

(** The claim. *)
Theorem minimax : minimax_statement.minimax.
Proof.
  intros m T N v HN. destruct (optimal_pair m T N v HN) as (a & u & Ha & Hu & Hk).
  exists (N (output T a v)). now apply (primal_dual_pair m T N v a u).
Qed.

(** *** Three norms *)

Lemma one_norm_is_norm m : is_norm m (one_norm m).
Proof.
  unfold one_norm. split.
  - intros x y H. apply sum_ext. intros. now rewrite H.
  - intros x. apply sum_nonneg. intros. apply Rabs_pos.
  - intros x H r Hr. assert (G : Rabs (x r) <= 0); [|apply abs_bounds in G; lra].
    rewrite <- H. apply (sum_term_le m (fun r => Rabs (x r))); [|assumption]. intros. apply Rabs_pos.
  - intros c x. rewrite <- sum_scal. apply sum_ext. intros. apply Rabs_mult.
  - intros x y. rewrite <- sum_plus. apply sum_le. intros. apply Rabs_triang.
Qed.

Lemma dual_one m u : dual_norm_le_1 m (one_norm m) u <-> sup_norm m u <= 1.
Proof.
  split.
  - intros Hu. apply maximum_le; [lra|]. intros r Hr.
    eapply Rle_trans; [now apply (dual_coordinate m _ (one_norm_is_norm m))|].
    unfold one_norm. rewrite (sum_single m _ r Hr).
    + unfold unit_vector. rewrite Nat.eqb_refl, Rabs_R1. lra.
    + intros k _ Hk. unfold unit_vector. apply Nat.eqb_neq in Hk. rewrite Hk. apply Rabs_R0.
  - intros Hu y Hy. eapply Rle_trans; [|exact Hy]. apply sum_le. intros r Hr.
    eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. rewrite <- (Rmult_1_l (Rabs (y r))) at 2.
    apply Rmult_le_compat_r; [apply Rabs_pos|].
    eapply Rle_trans; [|exact Hu]. now apply (maximum_ge m (fun r => Rabs (u r))).
Qed.

Corollary minimax_euclidean : minimax_statement.minimax_euclidean.
Proof.
  intros m T v.
  destruct (optimal_pair m T _ v (euclidean_is_norm m)) as (a & u & Ha & Hu & Hk).
  exists a, u. now rewrite dual_euclidean in Hu.
Qed.

Corollary minimax_sup : minimax_statement.minimax_sup.
Proof.
  intros m T v.
  destruct (optimal_pair m T _ v (sup_norm_is_norm m)) as (a & u & Ha & Hu & Hk).
  exists a, u. now rewrite dual_sup in Hu.
Qed.

Corollary minimax_one : minimax_statement.minimax_one.
Proof.
  intros m T v.
  destruct (optimal_pair m T _ v (one_norm_is_norm m)) as (a & u & Ha & Hu & Hk).
  exists a, u. now rewrite dual_one in Hu.
Qed.

(** *** The nearest point in the Euclidean norm *)

Lemma length_le m x y : dot m x x <= dot m y y -> euclidean_norm m x <= euclidean_norm m y.
Proof. apply sqrt_le_1_alt. Qed.

Theorem nearest_iff : minimax_statement.nearest_iff.
Proof.
  intros m T v a Ha. set (o := output T a v). split.
  - intros Hmin k Hk. assert (2 * (dot m o o - dot m o (v k)) <= 0); [|lra].
    apply (vanishing _ (dot m o o - 2 * dot m o (v k) + dot m (v k) (v k))). intros s Hs Hs1.
    assert (Hb : simplex T (fun j => (1 - s) * a j + s * unit_vector k j)).
    { apply simplex_mix; [assumption|now apply simplex_unit|lra]. }
    apply Hmin, sqrt_le_0 in Hb; try apply dot_self_nonneg.
    replace (dot m (output T (fun j => (1 - s) * a j + s * unit_vector k j) v) _)
      with (dot m (fun r => (1 - s) * o r + s * v k r) (fun r => (1 - s) * o r + s * v k r)) in Hb.
    + rewrite dot_mix_self in Hb. apply (Rmult_le_reg_l s); [assumption|]. lra.
    + apply sum_ext. intros r _. rewrite output_mix, output_unit by assumption. reflexivity.
  - intros Hk b Hb. apply length_le.
    assert (G : dot m o o <= dot m o (output T b v)).
    { apply margin_output; [assumption|]. intros k HkT. now apply Rge_le, Hk. }
    pose proof (dot_self_nonneg m (fun r => 1 * output T b v r + -1 * o r)) as P.
    rewrite dot_mix_self, (dot_comm m _ o) in P. lra.
Qed.

(** Then ||o|| is the least norm and, unless o = 0, u = o/||o|| is the direction that shows it. *)
Theorem nearest_direction : minimax_statement.nearest_direction.
Proof.
  intros m T v a Ha Hk. set (o := output T a v) in *.
  pose proof (sqrt_sqrt _ (dot_self_nonneg m o)) as E. fold (euclidean_norm m o) in E.
  assert (Hdir : 0 < euclidean_norm m o -> forall k, (k <= T)%nat ->
            dot m (fun r => / euclidean_norm m o * o r) (v k) >= euclidean_norm m o).
  { intros Hpos k HkT. rewrite dot_comm, dot_scal, dot_comm. specialize (Hk k HkT).
    apply Rle_ge, (Rmult_le_reg_l (euclidean_norm m o)); [assumption|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. lra. }
  assert (Hpair : is_min (output_norms T (euclidean_norm m) v) (euclidean_norm m o) /\
                  is_max (margins m T (euclidean_norm m) v) (euclidean_norm m o)).
  { destruct (Rle_lt_or_eq_dec 0 (euclidean_norm m o) (sqrt_pos _)) as [Hpos|Hzero].
    - apply (primal_dual_pair m T _ v a (fun r => / euclidean_norm m o * o r)); auto using euclidean_is_norm.
      apply dual_euclidean. rewrite (norm_scal m _ (euclidean_is_norm m)).
      rewrite Rabs_pos_eq by (left; now apply Rinv_0_lt_compat). rewrite Rinv_l; lra.
    - apply (primal_dual_pair m T _ v a (fun _ => 0)); auto using euclidean_is_norm, zero_direction.
      intros k _. fold o. rewrite <- Hzero. apply Req_ge, sum_zero. intros. ring. }
  split; [apply Hpair|]. split; [apply Hpair|exact Hdir].
Qed.

(** Evidence without square roots: any direction d, not normalised, with d.v_k >= l >= 0 for all k. *)
Theorem rational_floor : minimax_statement.rational_floor.
Proof.
  intros m T v d l a Hl Hk Ha. set (o := output T a v).
  assert (Hd : l <= dot m d o).
  { apply margin_output; [assumption|]. intros k HkT. now apply Rge_le, Hk. }
  apply Rle_trans with (dot m d o * dot m d o); [now apply Rmult_le_compat|].
  pose proof (cauchy_schwarz m d o) as C. unfold euclidean_norm in C.
  rewrite <- (sqrt_sqrt _ (dot_self_nonneg m d)), <- (sqrt_sqrt _ (dot_self_nonneg m o)).
  set (X := sqrt (dot m d d)) in *. set (Y := sqrt (dot m o o)) in *.
  replace (X * X * (Y * Y)) with (X * Y * (X * Y)) by ring. apply Rmult_le_compat; lra.
Qed.

Print Assumptions minimax.
Print Assumptions weak_duality.
Print Assumptions primal_dual_pair.
Print Assumptions optimal_pair.
Print Assumptions minimax_euclidean.
Print Assumptions minimax_sup.
Print Assumptions minimax_one.
Print Assumptions nearest_iff.
Print Assumptions nearest_direction.
Print Assumptions rational_floor.
