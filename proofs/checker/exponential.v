(** * exp and the logistic function between whole numbers

    Sections 4.4 and 4.6 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith Lia Lra Psatz.
From Sinkproof Require Import task trigger_task variants.
From Verified Require Import rounded.
Open Scope R_scope.

(** ** The series of exp *)

Definition term (z : R) (n : nat) : R := / INR (fact n) * z ^ n.

Lemma term_S z n : term z (S n) = term z n * z / INR (S n).
Proof.
  unfold term. rewrite fact_simpl, mult_INR. simpl pow. field. split; [apply not_0_INR, fact_neq_0|apply not_0_INR; lia].
Qed.

Lemma term_nonneg z n : 0 <= z -> 0 <= term z n.
Proof.
  intros H. apply Rmult_le_pos; [|apply pow_le; exact H]. apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma partial_sum f n : sum_f_R0 f n = sum (S n) f.
Proof. induction n as [|n IH]; [simpl; ring|]. simpl sum_f_R0. rewrite IH. reflexivity. Qed.

Lemma exp_limit z : Un_cv (sum_f_R0 (term z)) (exp z).
Proof. unfold exp. destruct (exist_exp z) as [l H]. exact H. Qed.

Lemma exp_above_sum z n : 0 <= z -> sum (S n) (term z) <= exp z.
Proof.
  intros H. rewrite <- partial_sum. apply sum_incr; [apply exp_limit|]. intros k. apply term_nonneg, H.
Qed.

Lemma sum_mono z n m : 0 <= z -> sum (S n) (term z) <= sum (S n + m) (term z).
Proof.
  intros H. induction m as [|m IH]; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r. cbn [sum]. pose proof (term_nonneg z (S n + m) H). cbn [sum] in IH. lra.
Qed.

Lemma term_halves z n m : 0 <= z <= / 2 -> term z (n + m) <= term z n * (/ 2) ^ m.
Proof.
  intros H. induction m as [|m IH]; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r, term_S. simpl pow.
  assert (P := term_nonneg z (n + m) (proj1 H)). assert (1 <= INR (S (n + m))) by (rewrite S_INR; pose proof (pos_INR (n + m)); lra).
  apply Rle_trans with (term z (n + m) * z).
  - unfold Rdiv. rewrite <- (Rmult_1_r (term z (n + m) * z)) at 2. apply Rmult_le_compat_l; [nra|].
    rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - nra.
Qed.

(** What is missing from a partial sum is at most its last term. *)
Lemma exp_below_sum z n : 0 <= z <= / 2 -> exp z <= sum (S n) (term z) + term z n.
Proof.
  intros H.
  assert (B : forall m, sum (S n + m) (term z) <= sum (S n) (term z) + term z n * (1 - (/ 2) ^ m)).
  { induction m as [|m IH]; [rewrite Nat.add_0_r; simpl; lra|]. rewrite Nat.add_succ_r. cbn [sum].
    cbn [sum] in IH. assert (T := term_halves z n (S m) H). replace (S n + m)%nat with (n + S m)%nat by lia.
    replace (S n + m)%nat with (n + S m)%nat in IH by lia. simpl pow in *. lra. }
  apply Rle_cv_lim with (Un := sum_f_R0 (term z)) (Vn := fun _ => sum (S n) (term z) + term z n).
  - intros m. rewrite partial_sum. eapply Rle_trans; [apply (sum_mono z m (S n) (proj1 H))|].
    replace (S m + S n)%nat with (S n + S m)%nat by lia. eapply Rle_trans; [apply B|].
    pose proof (term_nonneg z n (proj1 H)). pose proof (pow_le (/ 2) (S m) ltac:(lra)). nra.
  - apply exp_limit.
  - intros e He. exists 0%nat. intros. rewrite R_dist_eq. exact He.
Qed.

(** ** The series in whole numbers over 2^k; a / 2^k is the argument z *)

Fixpoint series_down (fuel : nat) (k a i t s : Z) : Z :=
  match fuel with
  | O => s
  | S fuel =>
      let t := floor_div (floor_shift (t * a) k) i in
      if (t =? 0)%Z then s else series_down fuel k a (i + 1) t (s + t)
  end.

Fixpoint series_up (fuel : nat) (k a i t s : Z) : Z :=
  match fuel with
  | O => (s + t)%Z
  | S fuel =>
      if (t <=? 1)%Z then (s + 1)%Z else
      let t := ceil_div (ceil_shift (t * a) k) i in
      series_up fuel k a (i + 1) t (s + t)
  end.

Section Series.

Variables (k a : Z) (z : R).
Hypotheses (Hk : (0 <= k)%Z) (Ha : (0 <= a)%Z) (Hz : 0 <= z) (E : IZR a = z * unit_of k).

Lemma series_down_le : forall fuel n t s, (0 <= t)%Z -> IZR t <= unit_of k * term z n ->
  IZR s <= unit_of k * sum (S n) (term z) ->
  IZR (series_down fuel k a (Z.of_nat (S n)) t s) <= unit_of k * exp z.
Proof.
  assert (K := unit_pos k Hk).
  assert (D : forall n s, IZR s <= unit_of k * sum (S n) (term z) -> IZR s <= unit_of k * exp z).
  { intros n s H. pose proof (exp_above_sum z n Hz). nra. }
  induction fuel as [|fuel IH]; intros n t s Ht T S; cbn [series_down]; [eapply D, S|].
  set (i := Z.of_nat (Datatypes.S n)).
  set (q := floor_shift (t * a) k). set (t' := floor_div q i).
  destruct (t' =? 0)%Z; [eapply D, S|].
  assert (Hi : (0 < i)%Z) by (unfold i; lia).
  assert (Q := floor_shift_le (t * a) k Hk). fold q in Q. rewrite mult_IZR in Q.
  assert (Q' := floor_div_le q i Hi). fold t' in Q'.
  assert (I : IZR i = INR (Datatypes.S n)) by (unfold i; symmetry; apply INR_IZR_INZ).
  assert (0 <= t')%Z.
  { unfold t', floor_div. apply Z.div_pos; [|exact Hi]. unfold q. rewrite floor_shift_div by exact Hk.
    apply Z.div_pos; [nia|apply power_pos, Hk]. }
  replace (i + 1)%Z with (Z.of_nat (Datatypes.S (Datatypes.S n))) by (unfold i; lia).
  apply IZR_lt in Hi. pose proof (term_nonneg z n Hz).
  assert (T' : IZR t' <= unit_of k * term z (Datatypes.S n)).
  { rewrite term_S, <- I. apply Rmult_le_reg_r with (IZR i); [exact Hi|].
    replace (unit_of k * (term z n * z / IZR i) * IZR i) with (unit_of k * term z n * z) by (field; lra).
    assert (IZR q <= IZR t * z) by (apply Rmult_le_reg_r with (unit_of k); [exact K|]; rewrite E in Q; lra).
    apply IZR_le in Ht. nra. }
  apply IH; [assumption|exact T'|]. rewrite plus_IZR. cbn [sum] in S |- *. lra.
Qed.

Lemma series_down_ge : forall fuel i t s, (0 < i)%Z -> (0 <= t)%Z -> (s <= series_down fuel k a i t s)%Z.
Proof.
  induction fuel as [|fuel IH]; intros i t s Hi Ht; simpl; [lia|].
  set (t' := floor_div _ i). assert (0 <= t')%Z.
  { unfold t', floor_div. apply Z.div_pos; [|exact Hi]. rewrite floor_shift_div by exact Hk.
    apply Z.div_pos; [nia|apply power_pos, Hk]. }
  destruct (t' =? 0)%Z; [lia|]. assert (H1 := IH (i + 1)%Z t' (s + t')%Z ltac:(lia) H). lia.
Qed.

Lemma series_up_ge (Hh : z <= / 2) : forall fuel n t s, unit_of k * term z n <= IZR t ->
  unit_of k * sum (S n) (term z) <= IZR s ->
  unit_of k * exp z <= IZR (series_up fuel k a (Z.of_nat (S n)) t s).
Proof.
  assert (K := unit_pos k Hk).
  induction fuel as [|fuel IH]; intros n t s T S; cbn [series_up].
  - rewrite plus_IZR. pose proof (exp_below_sum z n (conj Hz Hh)). nra.
  - set (i := Z.of_nat (Datatypes.S n)). destruct (t <=? 1)%Z eqn:L.
    + apply Z.leb_le, IZR_le in L. rewrite plus_IZR. pose proof (exp_below_sum z n (conj Hz Hh)). nra.
    + set (q := ceil_shift (t * a) k). set (t' := ceil_div q i).
      assert (Hi : (0 < i)%Z) by (unfold i; lia).
      assert (Q := ceil_shift_ge (t * a) k Hk). fold q in Q. rewrite mult_IZR in Q.
      assert (Q' := ceil_div_ge q i Hi). fold t' in Q'.
      assert (I : IZR i = INR (Datatypes.S n)) by (unfold i; symmetry; apply INR_IZR_INZ).
      replace (i + 1)%Z with (Z.of_nat (Datatypes.S (Datatypes.S n))) by (unfold i; lia).
      apply IZR_lt in Hi. pose proof (term_nonneg z n Hz).
      assert (T' : unit_of k * term z (Datatypes.S n) <= IZR t').
      { rewrite term_S, <- I. apply Rmult_le_reg_r with (IZR i); [exact Hi|].
        replace (unit_of k * (term z n * z / IZR i) * IZR i) with (unit_of k * term z n * z) by (field; lra).
        assert (IZR t * z <= IZR q) by (apply Rmult_le_reg_r with (unit_of k); [exact K|]; rewrite E in Q; lra).
        nra. }
      apply IH; [exact T'|]. rewrite plus_IZR. cbn [sum] in S |- *. lra.
Qed.

End Series.

(** ** Squares *)

Fixpoint squares_down (h : nat) (k t : Z) : Z :=
  match h with O => t | S h => squares_down h k (floor_shift (t * t) k) end.
Fixpoint squares_up (h : nat) (k t : Z) : Z :=
  match h with O => t | S h => squares_up h k (ceil_shift (t * t) k) end.

Lemma exp_double x : exp (2 * x) = exp x * exp x.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma exp_pow_S z h : exp (z * 2 ^ S h) = exp (2 * z * 2 ^ h).
Proof. f_equal. simpl. ring. Qed.

Lemma squares_down_le k : (0 <= k)%Z -> forall h t z, (power k <= t)%Z -> IZR t <= unit_of k * exp z ->
  (power k <= squares_down h k t)%Z /\ IZR (squares_down h k t) <= unit_of k * exp (z * 2 ^ h).
Proof.
  intros Hk. assert (K := unit_pos k Hk). induction h as [|h IH]; intros t z P T; simpl squares_down.
  - simpl pow. rewrite Rmult_1_r. split; assumption.
  - rewrite exp_pow_S. apply IH.
    + rewrite floor_shift_div by exact Hk. unfold floor_div. pose proof (power_pos k Hk).
      apply Z.div_le_lower_bound; [assumption|]. apply Z.mul_le_mono_nonneg; lia.
    + rewrite exp_double. pose proof (floor_shift_le (t * t) k Hk) as F. rewrite mult_IZR in F.
      apply IZR_le in P. fold (unit_of k) in P.
      assert (IZR t * IZR t <= (unit_of k * exp z) * (unit_of k * exp z)) by (apply Rmult_le_compat; lra).
      apply Rmult_le_reg_r with (unit_of k); [exact K|]. lra.
Qed.

Lemma squares_up_ge k : (0 <= k)%Z -> forall h t z, unit_of k * exp z <= IZR t ->
  unit_of k * exp (z * 2 ^ h) <= IZR (squares_up h k t).
Proof.
  intros Hk. assert (K := unit_pos k Hk). induction h as [|h IH]; intros t z T; simpl squares_up.
  - simpl pow. rewrite Rmult_1_r. assumption.
  - rewrite exp_pow_S. apply IH. rewrite exp_double.
    pose proof (ceil_shift_ge (t * t) k Hk) as F. rewrite mult_IZR in F.
    pose proof (exp_pos z).
    assert ((unit_of k * exp z) * (unit_of k * exp z) <= IZR t * IZR t) by (apply Rmult_le_compat; nra).
    apply Rmult_le_reg_r with (unit_of k); [exact K|]. lra.
Qed.

(** ** exp of x / 2^p for whole x >= 0, over 2^k *)

Definition halvings (p x : Z) : Z := Z.log2_up (Z.max 1 (ceil_shift (2 * x) p)).
Definition bits (p x : Z) : Z := (p + halvings p x + 16)%Z.

Definition exp_down (p x : Z) : Z :=
  let h := halvings p x in let k := bits p x in
  squares_down (Z.to_nat h) k (series_down (Z.to_nat (k + 16)) k (Z.shiftl x 16) 1 (power k) (power k)).

Definition exp_up (p x : Z) : Z :=
  let h := halvings p x in let k := bits p x in
  squares_up (Z.to_nat h) k (series_up (Z.to_nat (k + 16)) k (Z.shiftl x 16) 1 (power k) (power k)).

Lemma unit_pow_nat h : (0 <= h)%Z -> unit_of h = 2 ^ Z.to_nat h.
Proof.
  intros H. unfold unit_of. rewrite power_pow by exact H. rewrite pow_IZR, Z2Nat.id by exact H. reflexivity.
Qed.

Section Exponential.

Variables p x : Z.
Hypotheses (Hp : (0 <= p)%Z) (Hx : (0 <= x)%Z).
Let h := halvings p x.
Let k := bits p x.
Let y := IZR x / unit_of p.
Let z := y / unit_of h.

Lemma h_nonneg : (0 <= h)%Z.
Proof. apply Z.log2_up_nonneg. Qed.

Lemma k_nonneg : (0 <= k)%Z.
Proof. unfold k, bits. pose proof h_nonneg. fold h. lia. Qed.

Lemma z_nonneg : 0 <= z.
Proof.
  pose proof (unit_pos p Hp). pose proof (unit_pos h h_nonneg). apply IZR_le in Hx.
  unfold z, y. apply Rle_mult_inv_pos; [apply Rle_mult_inv_pos|]; assumption.
Qed.

Lemma z_small : z <= / 2.
Proof.
  pose proof (unit_pos p Hp). pose proof (unit_pos h h_nonneg) as Uh.
  set (m := ceil_shift (2 * x) p).
  assert (M : IZR m <= unit_of h).
  { unfold unit_of. rewrite power_pow by apply h_nonneg. apply IZR_le. unfold h, halvings. fold m.
    apply Z.le_trans with (Z.max 1 m); [lia|]. destruct (Z.eq_dec (Z.max 1 m) 1) as [->|N]; [simpl; lia|].
    apply Z.log2_up_spec. lia. }
  assert (C := ceil_shift_ge (2 * x) p Hp). fold m in C. rewrite mult_IZR in C.
  unfold z. apply Rmult_le_reg_r with (unit_of h); [exact Uh|].
  replace (y / unit_of h * unit_of h) with y by (field; lra).
  unfold y. apply Rmult_le_reg_r with (unit_of p); [assumption|].
  replace (IZR x / unit_of p * unit_of p) with (IZR x) by (field; lra). nra.
Qed.

Lemma argument : IZR (Z.shiftl x 16) = z * unit_of k.
Proof.
  rewrite shiftl_unit by lia. unfold k, bits. fold h. pose proof h_nonneg.
  rewrite !unit_add by lia. pose proof (unit_pos p Hp). pose proof (unit_pos h h_nonneg).
  unfold z, y. field. split; lra.
Qed.

Lemma back_to_y : z * 2 ^ Z.to_nat h = y.
Proof.
  rewrite <- unit_pow_nat by apply h_nonneg. pose proof (unit_pos h h_nonneg). unfold z. field. lra.
Qed.

Lemma argument_nonneg : (0 <= Z.shiftl x 16)%Z.
Proof. apply Z.shiftl_nonneg. exact Hx. Qed.

Lemma exp_down_spec : (0 < exp_down p x)%Z /\ IZR (exp_down p x) <= unit_of (bits p x) * exp y.
Proof.
  unfold exp_down. fold h k. set (s := series_down _ _ _ _ _ _). pose proof k_nonneg as Hk.
  pose proof (power_pos k Hk) as Pk.
  assert (P : (power k <= s)%Z) by (apply series_down_ge; [exact Hk|apply argument_nonneg|lia|lia]).
  assert (S : IZR s <= unit_of k * exp z).
  { apply (series_down_le k _ z Hk argument_nonneg z_nonneg argument _ 0); [lia| |]; fold (unit_of k);
      unfold term; simpl; unfold unit_of; lra. }
  destruct (squares_down_le k Hk (Z.to_nat h) s z P S) as [A B]. rewrite back_to_y in B. split; [lia|exact B].
Qed.

Lemma exp_up_spec : unit_of (bits p x) * exp y <= IZR (exp_up p x).
Proof.
  unfold exp_up. fold h k. set (s := series_up _ _ _ _ _ _). pose proof k_nonneg as Hk.
  assert (S : unit_of k * exp z <= IZR s).
  { apply (series_up_ge k _ z Hk z_nonneg argument z_small _ 0); fold (unit_of k);
      unfold term; simpl; unfold unit_of; lra. }
  pose proof (squares_up_ge k Hk (Z.to_nat h) s z S) as B. rewrite back_to_y in B. exact B.
Qed.

End Exponential.

(** ** exp of x / 2^p for whole x <= 0, in units of 2^-p: E- and E+ of section 4.6 *)

Definition vanishes (p x : Z) : bool := (x <? - Z.shiftl p p)%Z.

Definition neg_exp_down (p x : Z) : Z :=
  if vanishes p x then 0%Z else if (x =? 0)%Z then power p
  else floor_div (power (p + bits p (- x))) (exp_up p (- x)).

Definition neg_exp_up (p x : Z) : Z :=
  if vanishes p x then 1%Z else if (x =? 0)%Z then power p
  else ceil_div (power (p + bits p (- x))) (exp_down p (- x)).

Definition at_unit (p x : Z) : R := IZR x / unit_of p.

Lemma exp_at_0 p : exp (at_unit p 0) = 1.
Proof. unfold at_unit, Rdiv. rewrite Rmult_0_l. apply exp_0. Qed.

Lemma bits_nonneg p x : (0 <= p)%Z -> (0 <= bits p x)%Z.
Proof. intros H. unfold bits, halvings. pose proof (Z.log2_up_nonneg (Z.max 1 (ceil_shift (2 * x) p))). lia. Qed.

Lemma exp_opp_at p x : (0 <= p)%Z -> exp (at_unit p x) * exp (IZR (- x) / unit_of p) = 1.
Proof.
  intros Hp. pose proof (unit_pos p Hp). rewrite <- exp_plus, <- exp_0. f_equal. unfold at_unit.
  rewrite opp_IZR. field. lra.
Qed.

Lemma neg_exp_down_le p x : (0 <= p)%Z -> (x <= 0)%Z -> IZR (neg_exp_down p x) <= unit_of p * exp (at_unit p x).
Proof.
  intros Hp Hx. pose proof (unit_pos p Hp). pose proof (exp_pos (at_unit p x)). unfold neg_exp_down.
  destruct (vanishes p x); [nra|]. destruct (Z.eqb_spec x 0) as [->|N]; [rewrite exp_at_0; unfold unit_of; lra|].
  assert (B := bits_nonneg p (- x) Hp). assert (S := exp_up_spec p (- x) Hp ltac:(lia)).
  assert (O := exp_opp_at p x Hp). set (u := exp_up p (- x)) in *. pose proof (unit_pos _ B) as Ub.
  pose proof (exp_pos (IZR (- x) / unit_of p)).
  assert (0 < IZR u) by nra.
  apply floor_div_below; [apply lt_IZR; assumption|]. fold (unit_of (p + bits p (- x))).
  rewrite unit_add by assumption.
  replace (unit_of p * unit_of (bits p (- x)))
    with (unit_of p * exp (at_unit p x) * (unit_of (bits p (- x)) * exp (IZR (- x) / unit_of p)))
    by (replace (unit_of p * exp (at_unit p x) * (unit_of (bits p (- x)) * exp (IZR (- x) / unit_of p)))
          with (unit_of p * unit_of (bits p (- x)) * (exp (at_unit p x) * exp (IZR (- x) / unit_of p))) by ring;
        rewrite O; ring).
  apply Rmult_le_compat_l; [nra|exact S].
Qed.

Lemma exp_ge_pow2 n : 2 ^ n <= exp (INR n).
Proof.
  induction n as [|n IH]; [simpl; rewrite exp_0; lra|]. rewrite S_INR, exp_plus. simpl pow.
  pose proof (exp_ineq1_le 1). pose proof (pow_lt 2 n ltac:(lra)). nra.
Qed.

Lemma neg_exp_up_ge p x : (0 <= p)%Z -> (x <= 0)%Z -> unit_of p * exp (at_unit p x) <= IZR (neg_exp_up p x).
Proof.
  intros Hp Hx. pose proof (unit_pos p Hp) as U. pose proof (exp_pos (at_unit p x)). unfold neg_exp_up.
  destruct (vanishes p x) eqn:V.
  - unfold vanishes in V. apply Z.ltb_lt, IZR_lt in V. rewrite opp_IZR, shiftl_unit in V by exact Hp.
    assert (at_unit p x <= - IZR p).
    { unfold at_unit. apply Rmult_le_reg_r with (unit_of p); [exact U|]. field_simplify; lra. }
    assert (exp (at_unit p x) <= exp (- IZR p)) by (destruct H0 as [H0| ->]; [left; apply exp_increasing, H0|lra]).
    assert (G := exp_ge_pow2 (Z.to_nat p)). rewrite INR_IZR_INZ, Z2Nat.id in G by exact Hp.
    rewrite <- unit_pow_nat in G by exact Hp. pose proof (exp_pos (IZR p)).
    assert (exp (- IZR p) * exp (IZR p) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    pose proof (exp_pos (- IZR p)). nra.
  - destruct (Z.eqb_spec x 0) as [->|N]; [rewrite exp_at_0; unfold unit_of; lra|].
    assert (B := bits_nonneg p (- x) Hp). destruct (exp_down_spec p (- x) Hp ltac:(lia)) as [P S].
    assert (O := exp_opp_at p x Hp). set (d := exp_down p (- x)) in *. pose proof (unit_pos _ B) as Ub.
    apply ceil_div_above; [exact P|]. fold (unit_of (p + bits p (- x))). rewrite unit_add by assumption.
    replace (unit_of p * unit_of (bits p (- x)))
      with (unit_of p * exp (at_unit p x) * (unit_of (bits p (- x)) * exp (IZR (- x) / unit_of p)))
      by (replace (unit_of p * exp (at_unit p x) * (unit_of (bits p (- x)) * exp (IZR (- x) / unit_of p)))
            with (unit_of p * unit_of (bits p (- x)) * (exp (at_unit p x) * exp (IZR (- x) / unit_of p))) by ring;
          rewrite O; ring).
    apply Rmult_le_compat_l; [nra|exact S].
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; apply exp_increasing, H|lra]. Qed.

(** ** The logistic function: S- and S+ of section 4.6 *)

Definition logistic_down (p x : Z) : Z :=
  if (0 <=? x)%Z then floor_div (power (2 * p)) (power p + neg_exp_up p (- x))
  else let e := neg_exp_down p x in floor_div (Z.shiftl e p) (power p + e).

Definition logistic_up (p x : Z) : Z :=
  if (0 <=? x)%Z then ceil_div (power (2 * p)) (power p + neg_exp_down p (- x))
  else let e := neg_exp_up p x in ceil_div (Z.shiftl e p) (power p + e).

Lemma neg_exp_down_nonneg p x : (0 <= p)%Z -> (x <= 0)%Z -> (0 <= neg_exp_down p x)%Z.
Proof.
  intros Hp Hx. unfold neg_exp_down. destruct (vanishes p x); [lia|]. pose proof (power_pos p Hp).
  destruct (Z.eqb_spec x 0); [lia|]. assert (B := bits_nonneg p (- x) Hp).
  assert (S := exp_up_spec p (- x) Hp ltac:(lia)). pose proof (unit_pos _ B). pose proof (exp_pos (IZR (- x) / unit_of p)).
  unfold floor_div. apply Z.div_pos; [pose proof (power_pos (p + bits p (- x)) ltac:(lia)); lia|].
  apply lt_IZR. nra.
Qed.

Lemma neg_exp_up_nonneg p x : (0 <= p)%Z -> (x <= 0)%Z -> (0 <= neg_exp_up p x)%Z.
Proof.
  intros Hp Hx. pose proof (neg_exp_up_ge p x Hp Hx). pose proof (unit_pos p Hp). pose proof (exp_pos (at_unit p x)).
  apply le_IZR. nra.
Qed.

Lemma logistic_pos s : 0 < logistic s.
Proof. unfold logistic. apply Rinv_0_lt_compat. pose proof (exp_pos (- s)). lra. Qed.

Lemma logistic_times s : logistic s * (1 + exp (- s)) = 1.
Proof. unfold logistic. pose proof (exp_pos (- s)). field. lra. Qed.

Lemma logistic_times_exp s : logistic s * (1 + exp s) = exp s.
Proof.
  assert (E : exp s * exp (- s) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  pose proof (logistic_times s) as L. apply (f_equal (fun t => t * exp s)) in L.
  replace (logistic s * (1 + exp (- s)) * exp s) with (logistic s * (exp s + exp s * exp (- s))) in L by ring.
  rewrite E in L. lra.
Qed.

Lemma logistic_le x y : x <= y -> logistic x <= logistic y.
Proof.
  intros H. unfold logistic. pose proof (exp_pos (- x)). pose proof (exp_pos (- y)).
  apply Rinv_le_contravar; [lra|]. pose proof (exp_le (- y) (- x) ltac:(lra)). lra.
Qed.

Lemma logistic_down_le p x : (0 <= p)%Z -> IZR (logistic_down p x) <= unit_of p * logistic (at_unit p x).
Proof.
  intros Hp. pose proof (unit_pos p Hp) as U. pose proof (power_pos p Hp) as P.
  pose proof (logistic_pos (at_unit p x)) as L. unfold logistic_down. destruct (Z.leb_spec 0 x).
  - assert (G := neg_exp_up_ge p (- x) Hp ltac:(lia)). assert (N := neg_exp_up_nonneg p (- x) Hp ltac:(lia)).
    set (e := neg_exp_up p (- x)) in *. apply floor_div_below; [lia|].
    assert (E : at_unit p (- x) = - at_unit p x) by (unfold at_unit; rewrite opp_IZR; field; lra).
    rewrite E in G. pose proof (logistic_times (at_unit p x)) as T.
    rewrite plus_IZR. fold (unit_of p). fold (unit_of (2 * p)). replace (2 * p)%Z with (p + p)%Z by lia.
    rewrite unit_add by assumption. set (s := logistic (at_unit p x)) in *. set (y := exp (- at_unit p x)) in *.
    assert (0 <= unit_of p * s * (IZR e - unit_of p * y)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    replace (unit_of p * unit_of p) with (unit_of p * unit_of p * (s * (1 + y))) by (rewrite T; ring). lra.
  - assert (G := neg_exp_down_le p x Hp ltac:(lia)). assert (N := neg_exp_down_nonneg p x Hp ltac:(lia)).
    set (e := neg_exp_down p x) in *. apply floor_div_below; [lia|]. rewrite shiftl_unit by exact Hp.
    pose proof (logistic_times_exp (at_unit p x)) as T. pose proof (exp_pos (at_unit p x)).
    rewrite plus_IZR. fold (unit_of p). apply IZR_le in N.
    set (s := logistic (at_unit p x)) in *. set (y := exp (at_unit p x)) in *.
    assert (s <= 1) by nra. assert (0 <= (1 - s) * (unit_of p * y - IZR e)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma logistic_up_ge p x : (0 <= p)%Z -> unit_of p * logistic (at_unit p x) <= IZR (logistic_up p x).
Proof.
  intros Hp. pose proof (unit_pos p Hp) as U. pose proof (power_pos p Hp) as P.
  pose proof (logistic_pos (at_unit p x)) as L. unfold logistic_up. destruct (Z.leb_spec 0 x).
  - assert (G := neg_exp_down_le p (- x) Hp ltac:(lia)). assert (N := neg_exp_down_nonneg p (- x) Hp ltac:(lia)).
    set (e := neg_exp_down p (- x)) in *. apply ceil_div_above; [lia|].
    assert (E : at_unit p (- x) = - at_unit p x) by (unfold at_unit; rewrite opp_IZR; field; lra).
    rewrite E in G. pose proof (logistic_times (at_unit p x)) as T.
    rewrite plus_IZR. fold (unit_of p). fold (unit_of (2 * p)). replace (2 * p)%Z with (p + p)%Z by lia.
    rewrite unit_add by assumption. set (s := logistic (at_unit p x)) in *. set (y := exp (- at_unit p x)) in *.
    assert (0 <= unit_of p * s * (unit_of p * y - IZR e)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    replace (unit_of p * unit_of p) with (unit_of p * unit_of p * (s * (1 + y))) by (rewrite T; ring). lra.
  - assert (G := neg_exp_up_ge p x Hp ltac:(lia)). assert (N := neg_exp_up_nonneg p x Hp ltac:(lia)).
    set (e := neg_exp_up p x) in *. apply ceil_div_above; [lia|]. rewrite shiftl_unit by exact Hp.
    pose proof (logistic_times_exp (at_unit p x)) as T. pose proof (exp_pos (at_unit p x)).
    rewrite plus_IZR. fold (unit_of p). apply IZR_le in N.
    set (s := logistic (at_unit p x)) in *. set (y := exp (at_unit p x)) in *.
    assert (s <= 1) by nra. assert (0 <= (1 - s) * (IZR e - unit_of p * y)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma logistic_down_nonneg p x : (0 <= p)%Z -> (0 <= logistic_down p x)%Z.
Proof.
  intros Hp. pose proof (power_pos p Hp). unfold logistic_down, floor_div. destruct (Z.leb_spec 0 x).
  - pose proof (neg_exp_up_nonneg p (- x) Hp ltac:(lia)). pose proof (power_pos (2 * p) ltac:(lia)).
    apply Z.div_pos; lia.
  - pose proof (neg_exp_down_nonneg p x Hp ltac:(lia)). apply Z.div_pos; [apply Z.shiftl_nonneg; assumption|lia].
Qed.
