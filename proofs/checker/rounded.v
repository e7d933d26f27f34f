(** * Whole numbers in units of 2^-p, rounded: sums, products and quotients

    Nothing here has to be read.  [near u c r x]: every x_j u is within r of entry j of c. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From Sinkproof Require Import task trigger_task.
From Verified Require Import given.
Import ListNotations.
Open Scope R_scope.

(** ** Powers of two and rounding *)

Definition power (p : Z) : Z := Z.shiftl 1 p.
Definition floor_shift (x s : Z) : Z := Z.shiftr x s.
Definition ceil_shift (x s : Z) : Z := (- Z.shiftr (- x) s)%Z.
Definition floor_div (a b : Z) : Z := (a / b)%Z.
Definition ceil_div (a b : Z) : Z := (- ((- a) / b))%Z.

Definition unit_of (p : Z) : R := IZR (power p).

Lemma power_pow p : (0 <= p)%Z -> power p = (2 ^ p)%Z.
Proof. intros H. unfold power. rewrite Z.shiftl_mul_pow2 by lia. ring. Qed.

Lemma power_pos p : (0 <= p)%Z -> (0 < power p)%Z.
Proof. intros H. rewrite power_pow by lia. apply Z.pow_pos_nonneg; lia. Qed.

Lemma unit_pos p : (0 <= p)%Z -> 0 < unit_of p.
Proof. intros H. apply IZR_lt, power_pos, H. Qed.

Lemma unit_add p q : (0 <= p)%Z -> (0 <= q)%Z -> unit_of (p + q) = unit_of p * unit_of q.
Proof.
  intros Hp Hq. unfold unit_of. rewrite !power_pow by lia. rewrite Z.pow_add_r by lia. apply mult_IZR.
Qed.

Lemma shiftl_unit x s : (0 <= s)%Z -> IZR (Z.shiftl x s) = IZR x * unit_of s.
Proof.
  intros H. unfold unit_of. rewrite power_pow by lia. rewrite Z.shiftl_mul_pow2 by lia. apply mult_IZR.
Qed.

Lemma floor_div_le a b : (0 < b)%Z -> IZR (floor_div a b) * IZR b <= IZR a.
Proof.
  intros H. unfold floor_div. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. apply Z.mul_div_le. exact H.
Qed.

Lemma floor_div_gt a b : (0 < b)%Z -> IZR a < (IZR (floor_div a b) + 1) * IZR b.
Proof.
  intros H. unfold floor_div. rewrite <- plus_IZR, <- mult_IZR. apply IZR_lt.
  pose proof (Z.mod_pos_bound a b H). pose proof (Z.div_mod a b). nia.
Qed.

Lemma ceil_div_ge a b : (0 < b)%Z -> IZR a <= IZR (ceil_div a b) * IZR b.
Proof.
  intros H. unfold ceil_div. rewrite opp_IZR. pose proof (floor_div_le (- a) b H) as F.
  unfold floor_div in F. rewrite opp_IZR in F. lra.
Qed.

Lemma floor_shift_div x s : (0 <= s)%Z -> floor_shift x s = floor_div x (power s).
Proof. intros H. unfold floor_shift, floor_div. rewrite Z.shiftr_div_pow2, power_pow by lia. reflexivity. Qed.

Lemma ceil_shift_div x s : (0 <= s)%Z -> ceil_shift x s = ceil_div x (power s).
Proof. intros H. unfold ceil_shift, ceil_div. rewrite Z.shiftr_div_pow2, power_pow by lia. reflexivity. Qed.

Lemma floor_shift_le x s : (0 <= s)%Z -> IZR (floor_shift x s) * unit_of s <= IZR x.
Proof. intros H. rewrite floor_shift_div by exact H. apply floor_div_le, power_pos, H. Qed.

Lemma floor_shift_gt x s : (0 <= s)%Z -> IZR x < (IZR (floor_shift x s) + 1) * unit_of s.
Proof. intros H. rewrite floor_shift_div by exact H. apply floor_div_gt, power_pos, H. Qed.

Lemma ceil_shift_ge x s : (0 <= s)%Z -> IZR x <= IZR (ceil_shift x s) * unit_of s.
Proof. intros H. rewrite ceil_shift_div by exact H. apply ceil_div_ge, power_pos, H. Qed.

(** A quotient between quotients. *)
Lemma floor_div_below a b y : (0 < b)%Z -> IZR a <= y * IZR b -> IZR (floor_div a b) <= y.
Proof.
  intros Hb H. pose proof (floor_div_le a b Hb). apply IZR_lt in Hb. nra.
Qed.

Lemma ceil_div_above a b y : (0 < b)%Z -> y * IZR b <= IZR a -> y <= IZR (ceil_div a b).
Proof.
  intros Hb H. pose proof (ceil_div_ge a b Hb). apply IZR_lt in Hb. nra.
Qed.

(** ** Lists of whole numbers *)

Fixpoint dot_from (acc : Z) (a b : list Z) : Z :=
  match a, b with
  | x :: a', y :: b' => dot_from (acc + x * y) a' b'
  | _, _ => acc
  end.
Definition dot : list Z -> list Z -> Z := dot_from 0.

Fixpoint size_from (acc : Z) (a : list Z) : Z :=
  match a with x :: a' => size_from (acc + Z.abs x) a' | [] => acc end.
Definition size : list Z -> Z := size_from 0.          (* sum |a_j| *)

Definition reach (a : list Z) : Z := fold_left (fun m x => Z.max m (Z.abs x)) a 0%Z.    (* max |a_j| *)

Notation entry := number.

Lemma entry_S x a j : entry (x :: a) (S j) = entry a j.
Proof. reflexivity. Qed.

Lemma dot_from_plus a : forall b acc, dot_from acc a b = (acc + dot a b)%Z.
Proof.
  unfold dot. induction a as [|x a IH]; intros [|y b] acc; simpl; try lia.
  rewrite (IH b (acc + x * y)%Z), (IH b (x * y)%Z). lia.
Qed.

Lemma dot_cons x a y b : dot (x :: a) (y :: b) = (x * y + dot a b)%Z.
Proof. unfold dot at 1. simpl. apply dot_from_plus. Qed.

Lemma size_from_plus a : forall acc, size_from acc a = (acc + size a)%Z.
Proof.
  unfold size. induction a as [|x a IH]; intros acc; simpl; [lia|].
  rewrite (IH (acc + Z.abs x)%Z), (IH (Z.abs x)). lia.
Qed.

Lemma size_cons x a : size (x :: a) = (Z.abs x + size a)%Z.
Proof. unfold size at 1. simpl. apply size_from_plus. Qed.

Lemma size_nonneg a : (0 <= size a)%Z.
Proof. induction a as [|x a IH]; [unfold size; simpl; lia|]. rewrite size_cons. lia. Qed.

Lemma fold_max_ge a : forall m, (m <= fold_left (fun m x => Z.max m (Z.abs x)) a m)%Z.
Proof. induction a as [|x a IH]; intros m; simpl; [lia|]. specialize (IH (Z.max m (Z.abs x))). lia. Qed.

Lemma reach_entry a j : (j < length a)%nat -> Rabs (entry a j) <= IZR (reach a).
Proof.
  intros Hj. unfold number. rewrite <- abs_IZR. apply IZR_le. unfold reach.
  generalize 0%Z at 2 as m. revert j Hj.
  induction a as [|x a IH]; intros j Hj m; simpl in Hj; [lia|]. destruct j as [|j]; simpl.
  - pose proof (fold_max_ge a (Z.max m (Z.abs x))). lia.
  - apply IH. lia.
Qed.

Definition near (u : R) (c : list Z) (r : Z) (x : nat -> R) : Prop :=
  forall j, (j < length c)%nat -> Rabs (x j * u - entry c j) <= IZR r.

Lemma near_tail u z c r x : near u (z :: c) r x -> near u c r (fun j => x (S j)).
Proof. intros H j Hj. apply (H (S j)). simpl. lia. Qed.

Lemma near_ext u c r x y : near u c r x -> (forall j, (j < length c)%nat -> x j = y j) -> near u c r y.
Proof. intros H E j Hj. rewrite <- E by exact Hj. apply H, Hj. Qed.

Lemma near_wider u c r r' x : near u c r x -> (r <= r')%Z -> near u c r' x.
Proof. intros H Hr j Hj. apply IZR_le in Hr. specialize (H j Hj). lra. Qed.

(** A fixed row of weights and a ball: |sum w_j x_j u - w.c| <= (sum |w_j|) r. *)
Lemma dot_near u : forall w c r x, length w = length c -> near u c r x -> (0 <= r)%Z ->
  Rabs (sum (length w) (fun j => entry w j * x j) * u - IZR (dot w c)) <= IZR (size w * r).
Proof.
  induction w as [|a w IH]; intros [|z c] r x E N Hr; simpl in E; try discriminate.
  - simpl. unfold dot, size. simpl. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
  - simpl length. rewrite sum_first, dot_cons, size_cons.
    rewrite (sum_ext _ _ (fun j => entry w j * x (S j))) by reflexivity.
    assert (H := IH c r (fun j => x (S j)) (eq_add_S _ _ E) (near_tail _ _ _ _ _ N) Hr).
    assert (H0 := N 0%nat (Nat.lt_0_succ _)). unfold number at 1. unfold number in H0. simpl nth in *.
    rewrite plus_IZR, !mult_IZR, plus_IZR, abs_IZR. rewrite mult_IZR in H.
    replace ((IZR a * x 0%nat + sum (length w) (fun j => entry w j * x (S j))) * u
             - (IZR a * IZR z + IZR (dot w c)))
      with (IZR a * (x 0%nat * u - IZR z)
            + (sum (length w) (fun j => entry w j * x (S j)) * u - IZR (dot w c))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
    assert (Rabs (IZR a) * Rabs (x 0%nat * u - IZR z) <= Rabs (IZR a) * IZR r)
      by (apply Rmult_le_compat_l; [apply Rabs_pos|exact H0]).
    lra.
Qed.

(** Two balls: |<x, y> u^2 - c.c'| <= r sum|c'_j| + r' sum|c_j| + m r r'. *)
Lemma dot_near_near u : forall c c' r r' x y, length c = length c' -> near u c r x -> near u c' r' y ->
  (0 <= r)%Z -> (0 <= r')%Z ->
  Rabs (sum (length c) (fun j => x j * y j) * (u * u) - IZR (dot c c'))
  <= IZR (r * size c' + r' * size c + Z.of_nat (length c) * (r * r')).
Proof.
  induction c as [|a c IH]; intros [|b c'] r r' x y E N N' Hr Hr'; simpl in E; try discriminate.
  - simpl. unfold dot, size. simpl. rewrite !Z.mul_0_r. simpl.
    rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
  - simpl length. rewrite sum_first, dot_cons, !size_cons.
    assert (H := IH c' r r' (fun j => x (S j)) (fun j => y (S j)) (eq_add_S _ _ E)
                    (near_tail _ _ _ _ _ N) (near_tail _ _ _ _ _ N') Hr Hr').
    assert (H0 := N 0%nat (Nat.lt_0_succ _)). assert (H1 := N' 0%nat (Nat.lt_0_succ _)).
    unfold number in H0, H1. simpl nth in *. rewrite Nat2Z.inj_succ. unfold Z.succ.
    repeat rewrite plus_IZR. repeat rewrite mult_IZR. repeat rewrite plus_IZR. rewrite !abs_IZR.
    repeat rewrite plus_IZR in H. repeat rewrite mult_IZR in H.
    set (s := sum (length c) (fun j => x (S j) * y (S j))) in *.
    replace ((x 0%nat * y 0%nat + s) * (u * u) - (IZR a * IZR b + IZR (dot c c')))
      with ((x 0%nat * u - IZR a) * (y 0%nat * u - IZR b) + (x 0%nat * u - IZR a) * IZR b
            + IZR a * (y 0%nat * u - IZR b) + (s * (u * u) - IZR (dot c c'))) by ring.
    apply IZR_le in Hr. apply IZR_le in Hr'.
    set (e := x 0%nat * u - IZR a) in *. set (f := y 0%nat * u - IZR b) in *.
    assert (A1 : Rabs (e * f) <= IZR r * IZR r')
      by (rewrite Rabs_mult; apply Rmult_le_compat; try apply Rabs_pos; assumption).
    assert (A2 : Rabs (e * IZR b) <= IZR r * Rabs (IZR b))
      by (rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos|assumption]).
    assert (A3 : Rabs (IZR a * f) <= Rabs (IZR a) * IZR r')
      by (rewrite Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos|assumption]).
    pose proof (Rabs_triang (e * f + e * IZR b + IZR a * f) (s * (u * u) - IZR (dot c c'))).
    pose proof (Rabs_triang (e * f + e * IZR b) (IZR a * f)).
    pose proof (Rabs_triang (e * f) (e * IZR b)). lra.
Qed.

(** ** Balls *)

(** All rows within [radius] of [centre] in every coordinate, in units of 2^-p. *)
Record ball := { centre : list Z; radius : Z }.

Definition encloses (p : Z) (b : ball) (x : nat -> R) : Prop :=
  (0 <= radius b)%Z /\ near (unit_of p) (centre b) (radius b) x.

(** The numbers z and the error e are in units of 2^-(p+s): back to units of 2^-p. *)
Definition exact_shift (s z : Z) : bool := (Z.shiftl (Z.shiftr z s) s =? z)%Z.
Definition round_ball (s : Z) (z : list Z) (e : Z) : ball :=
  {| centre := map (fun x => floor_shift x s) z;
     radius := (ceil_shift e s + if forallb (exact_shift s) z then 0 else 1)%Z |}.

Lemma entry_map f z j : (j < length z)%nat -> entry (map f z) j = IZR (f (nth j z 0%Z)).
Proof. intros H. unfold number. rewrite nth_indep with (d' := f 0%Z) by (rewrite map_length; exact H). now rewrite map_nth. Qed.

Lemma ceil_shift_nonneg e s : (0 <= s)%Z -> (0 <= e)%Z -> (0 <= ceil_shift e s)%Z.
Proof.
  intros Hs He. pose proof (ceil_shift_ge e s Hs) as H. pose proof (unit_pos s Hs). apply IZR_le in He.
  apply le_IZR. nra.
Qed.

Lemma round_near p s z e x : (0 <= p)%Z -> (0 <= s)%Z -> (0 <= e)%Z ->
  (forall j, (j < length z)%nat -> Rabs (x j * unit_of p * unit_of s - entry z j) <= IZR e) ->
  encloses p (round_ball s z e) x.
Proof.
  intros Hp Hs He H. pose proof (unit_pos s Hs) as Us. split; simpl.
  - pose proof (ceil_shift_nonneg e s Hs He). destruct (forallb _ _); lia.
  - intros j Hj. simpl in Hj. rewrite map_length in Hj. simpl. rewrite entry_map by exact Hj.
    specialize (H j Hj). unfold number in H. set (v := nth j z 0%Z) in *.
    pose proof (ceil_shift_ge e s Hs) as C. pose proof (floor_shift_le v s Hs). pose proof (floor_shift_gt v s Hs).
    apply abs_bounds in H. rewrite plus_IZR. set (y := x j * unit_of p) in *.
    destruct (forallb (exact_shift s) z) eqn:F.
    + rewrite forallb_forall in F. assert (X := F v (nth_In z 0%Z Hj)).
      apply Z.eqb_eq in X. apply (f_equal IZR) in X. rewrite shiftl_unit in X by exact Hs.
      fold (floor_shift v s) in X. apply Rabs_le. split; nra.
    + apply Rabs_le. split; nra.
Qed.
