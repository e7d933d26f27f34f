(** * Forms, trees and leaf bounds: what holds of a form at every point of the box

    Section 4.5 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import given.
From Verified Require rounded.
Import rounded(floor_div, floor_div_le).
Import ListNotations.
Open Scope R_scope.

(** c + sum_k a_k u_k + sum_(k, l < k) q_kl u_k u_l + sum_i |b_i + sum_k B_ik u_k|, in whole numbers over one unit. *)
Record form := {
  constant : Z;
  linear : list Z;
  products : list (list Z);           (* row k: q_kl for l < k *)
  absolutes : list (Z * list Z)
}.

Section Forms.

Variables (d : nat) (f : form).

Let a (k : nat) : R := number (linear f) k.
Let q (k l : nat) : R := number_at (products f) k l.
Let absolute (i : nat) : Z * list Z := nth i (absolutes f) (0%Z, []).

Definition inner (i : nat) (u : nat -> R) : R := IZR (fst (absolute i)) + sum d (fun k => number (snd (absolute i)) k * u k).

Definition form_at (u : nat -> R) : R :=
  IZR (constant f) + sum d (fun k => a k * u k) + sum d (fun k => sum k (fun l => q k l * (u k * u l)))
  + sum (length (absolutes f)) (fun i => Rabs (inner i u)).

(** ** The leaf bound: s_k is -1 or 1 where coordinate k is fixed, 0 where it is free *)

Definition whole_sum (n : nat) (g : nat -> Z) : Z := fold_left (fun t k => (t + g k)%Z) (seq 0 n) 0%Z.
Definition entry (l : list Z) (k : nat) : Z := nth k l 0%Z.
Definition product_of (k l : nat) : Z := entry (nth k (products f) []) l.
Definition is_free (s : list Z) (k : nat) : bool := (entry s k =? 0)%Z.
Definition if_free (s : list Z) (k : nat) (z : Z) : Z := if is_free s k then Z.abs z else 0%Z.

(** The coefficient of u_k where the fixed coordinates are put in. *)
Definition slope (s : list Z) (k : nat) : Z :=
  (entry (linear f) k + whole_sum k (fun l => product_of k l * entry s l)
   + whole_sum d (fun l => if (k <? l)%nat then product_of l k * entry s l else 0))%Z.

Definition leaf_bound (s : list Z) : Z :=
  (constant f + whole_sum d (fun k => entry (linear f) k * entry s k)
   + whole_sum d (fun k => whole_sum k (fun l => product_of k l * (entry s k * entry s l)))
   + whole_sum d (fun k => if_free s k (slope s k))
   + whole_sum d (fun k => whole_sum k (fun l => if is_free s k && is_free s l then Z.abs (product_of k l) else 0))
   + whole_sum (length (absolutes f)) (fun i =>
       let (b, row) := nth i (absolutes f) (0%Z, []) in
       Z.abs (b + whole_sum d (fun k => entry row k * entry s k)) + whole_sum d (fun k => if_free s k (entry row k))))%Z.

Lemma whole_sum_spec n g : IZR (whole_sum n g) = sum n (fun k => IZR (g k)).
Proof.
  unfold whole_sum. induction n as [|n IH]; [reflexivity|]. rewrite seq_S, fold_left_app. cbn [fold_left].
  rewrite plus_IZR, IH. reflexivity.
Qed.

(** In the face of s. *)
Definition in_face (s : list Z) (u : nat -> R) : Prop :=
  forall k, (k < d)%nat -> -1 <= u k <= 1 /\ (entry s k <> 0%Z -> u k = IZR (entry s k)).

(** sum_(k, l < k) q_kl (v_k s_l + s_k v_l) by the coordinates of v. *)
Lemma cross_terms (w : nat -> nat -> R) (v s : nat -> R) n :
  sum n (fun k => sum k (fun l => w k l * (v k * s l + s k * v l)))
  = sum n (fun k => v k * (sum k (fun l => w k l * s l) + sum n (fun l => if (k <? l)%nat then w l k * s l else 0))).
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [sum]. rewrite IH.
  rewrite (sum_ext n (fun l => w n l * (v n * s l + s n * v l)) (fun l => v n * (w n l * s l) + s n * (w n l * v l))) by (intros; ring).
  rewrite sum_plus, !sum_scal. replace (n <? n)%nat with false by (symmetry; apply Nat.ltb_irrefl).
  assert (Z0 : sum n (fun l => if (n <? l)%nat then w l n * s l else 0) = 0).
  { rewrite (sum_ext n _ (fun _ => 0)); [rewrite sum_const; ring|]. intros l Hl.
    destruct (Nat.ltb_spec n l); [lia|reflexivity]. }
  rewrite Z0.
  rewrite (sum_ext n (fun k => v k * (sum k (fun l => w k l * s l) + (sum n (fun l => if (k <? l)%nat then w l k * s l else 0)
                                    + (if (k <? n)%nat then w n k * s n else 0))))
             (fun k => v k * (sum k (fun l => w k l * s l) + sum n (fun l => if (k <? l)%nat then w l k * s l else 0))
                       + s n * (w n k * v k))).
  - rewrite sum_plus, sum_scal. ring.
  - intros k Hk. destruct (Nat.ltb_spec k n); [ring|lia].
Qed.

Lemma bound_free s k z v : (entry s k <> 0%Z -> v = 0) -> -1 <= v <= 1 -> IZR z * v <= IZR (if_free s k z).
Proof.
  intros H B. unfold if_free, is_free. destruct (Z.eqb_spec (entry s k) 0) as [E|E].
  - rewrite abs_IZR. pose proof (Rle_abs (IZR z)). pose proof (Rle_abs (- IZR z)). rewrite Rabs_Ropp in H1.
    destruct (Rle_dec 0 (IZR z)); nra.
  - rewrite (H E). simpl. lra.
Qed.

(** What a leaf bound bounds. *)
Theorem leaf_bound_spec s u : in_face s u -> form_at u <= IZR (leaf_bound s).
Proof.
  intros F. set (S := fun k => IZR (entry s k)). set (v := fun k => u k - S k).
  assert (V : forall k, (k < d)%nat -> (entry s k <> 0%Z -> v k = 0) /\ -1 <= v k <= 1).
  { intros k Hk. destruct (F k Hk) as [B E]. unfold v, S. split; [intros N; rewrite (E N); ring|].
    destruct (Z.eq_dec (entry s k) 0) as [Q|Q]; [rewrite Q; lra|rewrite (E Q); lra]. }
  unfold form_at, leaf_bound. rewrite !plus_IZR, !whole_sum_spec.
  set (lin := sum d (fun k => IZR (entry (linear f) k * entry s k))).
  set (quad := sum d (fun k => IZR (whole_sum k (fun l => product_of k l * (entry s k * entry s l))%Z))).
  assert (L : sum d (fun k => a k * u k) = lin + sum d (fun k => a k * v k)).
  { unfold lin. rewrite <- sum_plus. apply sum_ext. intros k _. rewrite mult_IZR. unfold v, S, a, number, entry. ring. }
  assert (Q : sum d (fun k => sum k (fun l => q k l * (u k * u l)))
              = quad + sum d (fun k => sum k (fun l => q k l * (v k * S l + S k * v l)))
                + sum d (fun k => sum k (fun l => q k l * (v k * v l)))).
  { unfold quad. rewrite <- !sum_plus. apply sum_ext. intros k _. rewrite whole_sum_spec, <- !sum_plus. apply sum_ext. intros l _.
    rewrite !mult_IZR. unfold v, S, q, number_at, number, product_of, entry. ring. }
  assert (A : sum d (fun k => a k * v k) + sum d (fun k => sum k (fun l => q k l * (v k * S l + S k * v l)))
              <= sum d (fun k => IZR (if_free s k (slope s k)))).
  { rewrite cross_terms, <- sum_plus. apply sum_le. intros k Hk. destruct (V k Hk) as [V1 V2].
    eapply Rle_trans; [|apply (bound_free s k (slope s k) (v k) V1 V2)]. apply Req_le. unfold slope.
    rewrite !plus_IZR, !whole_sum_spec.
    rewrite (sum_ext k (fun l => IZR (product_of k l * entry s l)) (fun l => q k l * S l))
      by (intros; rewrite mult_IZR; reflexivity).
    rewrite (sum_ext d (fun l => IZR (if (k <? l)%nat then (product_of l k * entry s l)%Z else 0%Z))
               (fun l => if (k <? l)%nat then q l k * S l else 0))
      by (intros l _; destruct (k <? l)%nat; [rewrite mult_IZR; reflexivity|reflexivity]).
    unfold a, number, entry. ring. }
  assert (B : sum d (fun k => sum k (fun l => q k l * (v k * v l)))
              <= sum d (fun k => IZR (whole_sum k (fun l => if is_free s k && is_free s l then Z.abs (product_of k l) else 0%Z)))).
  { apply sum_le. intros k Hk. rewrite whole_sum_spec. apply sum_le. intros l Hl.
    destruct (V k Hk) as [K1 K2]. destruct (V l ltac:(lia)) as [L1 L2]. unfold is_free.
    destruct (Z.eqb_spec (entry s k) 0) as [E|E]; [|rewrite (K1 E); simpl; lra].
    destruct (Z.eqb_spec (entry s l) 0) as [E'|E']; [|rewrite (L1 E'); simpl; lra].
    cbn [andb]. rewrite abs_IZR. change (IZR (product_of k l)) with (q k l).
    eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs (q k l))) at 2.
    apply Rmult_le_compat_l; [apply Rabs_pos|]. apply Rabs_le. nra. }
  assert (C : sum (length (absolutes f)) (fun i => Rabs (inner i u))
              <= sum (length (absolutes f)) (fun i => IZR (let (b, row) := nth i (absolutes f) (0%Z, []) in
                   Z.abs (b + whole_sum d (fun k => (entry row k * entry s k)%Z)) + whole_sum d (fun k => if_free s k (entry row k))))).
  { apply sum_le. intros i _. unfold inner, absolute. destruct (nth i (absolutes f) (0%Z, [])) as [b row]. cbn [fst snd].
    rewrite plus_IZR, abs_IZR, plus_IZR, !whole_sum_spec.
    assert (E : IZR b + sum d (fun k => number row k * u k)
                = IZR b + sum d (fun k => IZR (entry row k * entry s k)) + sum d (fun k => number row k * v k)).
    { rewrite Rplus_assoc, <- sum_plus. f_equal. apply sum_ext. intros k _. rewrite mult_IZR. unfold v, S, number, entry. ring. }
    rewrite E. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_l. apply Rabs_le. split.
    - rewrite <- (Ropp_involutive (sum d (fun k => number row k * v k))). apply Ropp_le_contravar.
      replace (- sum d (fun k => number row k * v k)) with (sum d (fun k => number row k * - v k))
        by (rewrite (sum_ext d _ (fun k => -1 * (number row k * v k))) by (intros; ring); rewrite sum_scal; ring).
      apply sum_le. intros k Hk. destruct (V k Hk) as [V1 V2]. apply (bound_free s k (entry row k) (- v k)); [|lra].
      intros N. rewrite (V1 N). ring.
    - apply sum_le. intros k Hk. destruct (V k Hk) as [V1 V2]. apply (bound_free s k (entry row k) (v k) V1 V2). }
  lra.
Qed.

(** ** The bound of a point: a quadratic form that is not negative is above its tangents *)

(** What makes it one: squares of the noise, and of the signs of absolute values unless these stand alone, over
    [turn] times the form's unit. *)
Record curve := { turn : Z; squares : list Z; weights : list (option Z) }.

Variables (c : curve) (y x : list Z).      (* a point, in 16ths: of the noise, and of the signs *)

Definition weight_of (i : nat) : Z := match nth i (weights c) None with Some z => z | None => 0 end.
Definition curved_part (i : nat) : Z * list Z := match nth i (weights c) None with Some _ => absolute i | None => (0%Z, []) end.
Definition part_alone (i : nat) : Z :=
  match nth i (weights c) None with
  | Some _ => 0
  | None => Z.abs (fst (absolute i)) + whole_sum d (fun k => Z.abs (entry (snd (absolute i)) k))
  end%Z.

(** In 16ths of the finer unit. *)
Definition point_slope (k : nat) : Z :=
  (16 * turn c * entry (linear f) k - 2 * entry (squares c) k * entry y k
   + turn c * (whole_sum k (fun l => product_of k l * entry y l) + whole_sum d (fun l => if (k <? l)%nat then product_of l k * entry y l else 0))
   + turn c * whole_sum (length (absolutes f)) (fun i => entry (snd (curved_part i)) k * entry x i))%Z.

Definition row_at (i : nat) : Z := whole_sum d (fun k => entry (snd (curved_part i)) k * entry y k)%Z.
Definition sign_slope (i : nat) : Z := (16 * turn c * fst (curved_part i) + turn c * row_at i - 2 * weight_of i * entry x i)%Z.

Definition at_sign (s : list Z) (k : nat) (z : Z) : Z := if is_free s k then Z.abs z else (entry s k * z)%Z.

(** Over 256 times the finer unit. *)
Definition point_bound (s : list Z) : Z :=
  (256 * turn c * constant f
   + whole_sum d (fun k => entry (squares c) k * (256 + entry y k * entry y k))
   - turn c * whole_sum d (fun k => whole_sum k (fun l => product_of k l * (entry y k * entry y l)))
   + whole_sum (length (absolutes f)) (fun i =>
       weight_of i * (256 + entry x i * entry x i) - turn c * (entry x i * row_at i) + 16 * Z.abs (sign_slope i)
       + 256 * turn c * part_alone i)
   + 16 * whole_sum d (fun k => at_sign s k (point_slope k)))%Z.

Let row (i : nat) (u : nat -> R) : R := sum d (fun k => number (snd (curved_part i)) k * u k).

(** The quadratic form, over the finer unit. *)
Definition curving (u v : nat -> R) : R :=
  sum d (fun k => number (squares c) k * (u k * u k))
  + sum (length (absolutes f)) (fun i => IZR (weight_of i) * (v i * v i) - IZR (turn c) * (v i * row i u))
  - IZR (turn c) * sum d (fun k => sum k (fun l => q k l * (u k * u l))).

Definition not_negative : Prop := (forall u v, 0 <= curving u v)
  /\ (forall k, (k < d)%nat -> 0 <= number (squares c) k) /\ (forall i, 0 <= IZR (weight_of i)) /\ (0 < turn c)%Z.

Lemma row_minus i u u' : row i (fun k => u k - u' k) = row i u - row i u'.
Proof. unfold row. rewrite <- sum_minus. apply sum_ext. intros; ring. Qed.

Lemma products_minus u u' : sum d (fun k => sum k (fun l => q k l * ((u k - u' k) * (u l - u' l))))
  = sum d (fun k => sum k (fun l => q k l * (u k * u l))) + sum d (fun k => sum k (fun l => q k l * (u' k * u' l)))
    - sum d (fun k => sum k (fun l => q k l * (u k * u' l + u' k * u l))).
Proof.
  rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros k _. rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros; ring.
Qed.

(** What is taken away where the tangent at a point takes the place of the quadratic form. *)
Lemma tangent u v u' v' : not_negative ->
  - curving u v <= curving u' v'
    - sum d (fun k => u k * (2 * number (squares c) k * u' k - IZR (turn c) * (sum k (fun l => q k l * u' l) + sum d (fun l => if (k <? l)%nat then q l k * u' l else 0))))
    - sum (length (absolutes f)) (fun i => v i * (2 * IZR (weight_of i) * v' i - IZR (turn c) * row i u') - IZR (turn c) * (v' i * row i u)).
Proof.
  intros (P & _). specialize (P (fun k => u k - u' k) (fun i => v i - v' i)). unfold curving in *.
  rewrite products_minus, cross_terms in P.
  rewrite (sum_ext d (fun k => number (squares c) k * ((u k - u' k) * (u k - u' k)))
             (fun k => number (squares c) k * (u k * u k) + number (squares c) k * (u' k * u' k) - u k * (2 * number (squares c) k * u' k))) in P by (intros; ring).
  rewrite sum_minus, sum_plus in P.
  rewrite (sum_ext (length (absolutes f)) (fun i => IZR (weight_of i) * ((v i - v' i) * (v i - v' i)) - IZR (turn c) * ((v i - v' i) * row i (fun k => u k - u' k)))
             (fun i => (IZR (weight_of i) * (v i * v i) - IZR (turn c) * (v i * row i u)) + (IZR (weight_of i) * (v' i * v' i) - IZR (turn c) * (v' i * row i u'))
                       - (v i * (2 * IZR (weight_of i) * v' i - IZR (turn c) * row i u') - IZR (turn c) * (v' i * row i u)))) in P
    by (intros; rewrite row_minus; ring).
  rewrite sum_minus, sum_plus in P.
  assert (E : sum d (fun k => u k * (2 * number (squares c) k * u' k - IZR (turn c) * (sum k (fun l => q k l * u' l) + sum d (fun l => if (k <? l)%nat then q l k * u' l else 0))))
              = sum d (fun k => u k * (2 * number (squares c) k * u' k))
                - IZR (turn c) * sum d (fun k => u k * (sum k (fun l => q k l * u' l) + sum d (fun l => if (k <? l)%nat then q l k * u' l else 0))))
    by (rewrite <- sum_scal, <- sum_minus; apply sum_ext; intros; ring).
  rewrite E. lra.
Qed.

Lemma at_sign_spec s k z u : (entry s k <> 0%Z -> u = IZR (entry s k)) -> -1 <= u <= 1 -> u * IZR z <= IZR (at_sign s k z).
Proof.
  intros E B. unfold at_sign, is_free. destruct (Z.eqb_spec (entry s k) 0) as [H|H].
  - rewrite abs_IZR. pose proof (Rle_abs (IZR z)). pose proof (Rle_abs (- IZR z)). rewrite Rabs_Ropp in H1. destruct (Rle_dec 0 (IZR z)); nra.
  - rewrite (E H), mult_IZR. lra.
Qed.

Theorem point_bound_spec s u : not_negative -> in_face s u -> form_at u * (256 * IZR (turn c)) <= IZR (point_bound s).
Proof.
  intros NN F. assert (Q := NN). destruct Q as (_ & S0 & W0 & T0). apply IZR_lt in T0. set (t := IZR (turn c)) in *. set (n := length (absolutes f)).
  set (v := fun i => if Rle_dec 0 (inner i u) then 1 else -1).
  set (Y := fun k => number y k / 16). set (X := fun i => number x i / 16).
  assert (V : forall i, -1 <= v i <= 1 /\ v i * v i = 1 /\ Rabs (inner i u) = v i * inner i u).
  { intros i. unfold v. destruct (Rle_dec 0 (inner i u)) as [H|H]; repeat split; try lra; [rewrite Rabs_pos_eq by exact H; ring|rewrite Rabs_left by lra; ring]. }
  (* each absolute value *)
  assert (A : forall i, Rabs (inner i u) <= v i * (IZR (fst (curved_part i)) + row i u) + IZR (part_alone i)).
  { intros i. destruct (V i) as (V1 & _ & E). unfold row, curved_part, part_alone. destruct (nth i (weights c) None) as [z|].
    - rewrite E. unfold inner. simpl IZR. lra.
    - cbn [fst snd]. rewrite (sum_ext d (fun k => number [] k * u k) (fun _ => 0)) by (intros k _; unfold number; destruct k; simpl; ring).
      rewrite sum_const, plus_IZR, abs_IZR, whole_sum_spec. unfold inner. eapply Rle_trans; [apply Rabs_triang|].
      assert (Rabs (sum d (fun k => number (snd (absolute i)) k * u k)) <= sum d (fun k => IZR (Z.abs (entry (snd (absolute i)) k)))); [|simpl IZR; lra].
      eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros k Hk. rewrite Rabs_mult, abs_IZR. unfold number, entry.
      rewrite <- (Rmult_1_r (Rabs (IZR (nth k (snd (absolute i)) 0%Z)))) at 2. apply Rmult_le_compat_l; [apply Rabs_pos|].
      apply Rabs_le. apply F, Hk. }
  assert (TA := tangent u v Y X NN). fold n t in TA.
  set (H := fun k => number (linear f) k * t - 2 * number (squares c) k * Y k
                     + t * (sum k (fun l => q k l * Y l) + sum d (fun l => if (k <? l)%nat then q l k * Y l else 0))
                     + t * sum n (fun i => number (snd (curved_part i)) k * X i)).
  set (W := fun i => t * IZR (fst (curved_part i)) + t * row i Y - 2 * IZR (weight_of i) * X i).
  assert (LIN : t * form_at u <= t * IZR (constant f) + sum d (fun k => number (squares c) k) + sum n (fun i => IZR (weight_of i))
                + curving Y X + sum d (fun k => u k * H k) + sum n (fun i => v i * W i) + t * sum n (fun i => IZR (part_alone i))).
  { assert (SW : sum n (fun i => X i * row i u) = sum d (fun k => u k * sum n (fun i => number (snd (curved_part i)) k * X i))).
    { unfold row. rewrite (sum_ext n _ (fun i => sum d (fun k => X i * (number (snd (curved_part i)) k * u k)))) by (intros; rewrite sum_scal; reflexivity).
      rewrite sum_swap. apply sum_ext. intros k _. rewrite <- sum_scal. apply sum_ext. intros; ring. }
    assert (EH : sum d (fun k => u k * H k)
                 = t * sum d (fun k => a k * u k)
                   - sum d (fun k => u k * (2 * number (squares c) k * Y k - t * (sum k (fun l => q k l * Y l) + sum d (fun l => if (k <? l)%nat then q l k * Y l else 0))))
                   + t * sum n (fun i => X i * row i u)).
    { rewrite SW, <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros k _. unfold H, a. ring. }
    assert (EW : sum n (fun i => v i * W i)
                 = t * sum n (fun i => v i * IZR (fst (curved_part i)))
                   - sum n (fun i => v i * (2 * IZR (weight_of i) * X i - t * row i Y) - t * (X i * row i u)) - t * sum n (fun i => X i * row i u)).
    { rewrite <- !sum_scal, <- !sum_minus. apply sum_ext. intros i _. unfold W. ring. }
    assert (EA : sum n (fun i => Rabs (inner i u)) <= sum n (fun i => v i * IZR (fst (curved_part i))) + sum n (fun i => v i * row i u) + sum n (fun i => IZR (part_alone i))).
    { rewrite <- !sum_plus. apply sum_le. intros i _. specialize (A i). lra. }
    assert (U2 : sum d (fun k => number (squares c) k * (u k * u k)) <= sum d (fun k => number (squares c) k)).
    { apply sum_le. intros k Hk. specialize (S0 k Hk). destruct (F k Hk) as [B _]. assert (u k * u k <= 1) by nra. nra. }
    assert (EP : curving u v = sum d (fun k => number (squares c) k * (u k * u k)) + sum n (fun i => IZR (weight_of i)) - t * sum n (fun i => v i * row i u)
                 - t * sum d (fun k => sum k (fun l => q k l * (u k * u l)))).
    { unfold curving. fold n t.
      assert (E : sum n (fun i => IZR (weight_of i) * (v i * v i) - t * (v i * row i u)) = sum n (fun i => IZR (weight_of i)) - t * sum n (fun i => v i * row i u)).
      { rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros i _. destruct (V i) as (_ & -> & _). ring. }
      rewrite E. ring. }
    unfold form_at. fold n. rewrite EH, EW. rewrite EP in TA.
    assert (t * sum n (fun i => Rabs (inner i u)) <= t * (sum n (fun i => v i * IZR (fst (curved_part i))) + sum n (fun i => v i * row i u) + sum n (fun i => IZR (part_alone i))))
      by (apply Rmult_le_compat_l; lra). lra. }
  (* in whole numbers *)
  assert (HK : forall k, 16 * H k = IZR (point_slope k)).
  { intros k. unfold point_slope. rewrite !plus_IZR, !minus_IZR, !mult_IZR, plus_IZR, !whole_sum_spec. fold t n.
    rewrite (sum_ext k (fun l => IZR (product_of k l * entry y l)) (fun l => 16 * (q k l * Y l))) by (intros; rewrite mult_IZR; unfold Y, q, number_at, number, product_of, entry; field).
    rewrite (sum_ext d (fun l => IZR (if (k <? l)%nat then (product_of l k * entry y l)%Z else 0%Z)) (fun l => 16 * (if (k <? l)%nat then q l k * Y l else 0)))
      by (intros l _; destruct (k <? l)%nat; [rewrite mult_IZR; unfold Y, q, number_at, number, product_of, entry; field|simpl; ring]).
    rewrite (sum_ext n (fun i => IZR (entry (snd (curved_part i)) k * entry x i)) (fun i => 16 * (number (snd (curved_part i)) k * X i))) by (intros; rewrite mult_IZR; unfold X, number, entry; field).
    rewrite !sum_scal. unfold H, Y, number, entry. simpl (IZR 16). simpl (IZR 2). field. }
  assert (RA : forall i, IZR (row_at i) = 16 * row i Y).
  { intros i. unfold row_at, row. rewrite whole_sum_spec, <- sum_scal. apply sum_ext. intros k _. rewrite mult_IZR. unfold Y, number, entry. field. }
  assert (WI : forall i, 16 * W i = IZR (sign_slope i)).
  { intros i. unfold sign_slope. rewrite minus_IZR, plus_IZR, !mult_IZR, RA. fold t. unfold W, X, number, entry. field. }
  assert (EB : IZR (point_bound s) = 256 * t * IZR (constant f) + 256 * sum d (fun k => number (squares c) k) + 256 * sum n (fun i => IZR (weight_of i))
               + 256 * curving Y X + 16 * sum n (fun i => Rabs (16 * W i)) + 256 * t * sum n (fun i => IZR (part_alone i))
               + 16 * sum d (fun k => IZR (at_sign s k (point_slope k)))).
  { unfold point_bound. rewrite !plus_IZR, minus_IZR, plus_IZR, !mult_IZR, !whole_sum_spec. fold t n. unfold curving. fold n t.
    rewrite (sum_ext d (fun k => IZR (entry (squares c) k * (256 + entry y k * entry y k))) (fun k => 256 * number (squares c) k + 256 * (number (squares c) k * (Y k * Y k))))
      by (intros; rewrite mult_IZR, plus_IZR, mult_IZR; unfold Y, number, entry; field).
    rewrite (sum_ext d (fun k => IZR (whole_sum k (fun l => (product_of k l * (entry y k * entry y l))%Z))) (fun k => 256 * sum k (fun l => q k l * (Y k * Y l))))
      by (intros; rewrite whole_sum_spec, <- sum_scal; apply sum_ext; intros; rewrite !mult_IZR; unfold Y, q, number_at, number, product_of, entry; field).
    rewrite (sum_ext n (fun i => IZR (weight_of i * (256 + entry x i * entry x i) - turn c * (entry x i * row_at i) + 16 * Z.abs (sign_slope i) + 256 * turn c * part_alone i))
               (fun i => 256 * IZR (weight_of i) + 256 * (IZR (weight_of i) * (X i * X i) - t * (X i * row i Y)) + 16 * Rabs (16 * W i) + 256 * t * IZR (part_alone i)))
      by (intros; rewrite !plus_IZR, minus_IZR, !mult_IZR, plus_IZR, mult_IZR, abs_IZR, RA, <- WI; fold t; unfold X, number, entry; simpl (IZR 16); simpl (IZR 256); field).
    rewrite !sum_plus, !sum_scal. change (sum d (fun k => number (squares c) k)) with (sum d (number (squares c))). ring. }
  rewrite EB.
  assert (SH : 16 * sum d (fun k => u k * H k) <= sum d (fun k => IZR (at_sign s k (point_slope k)))).
  { rewrite <- sum_scal. apply sum_le. intros k Hk. destruct (F k Hk) as [B E]. replace (16 * (u k * H k)) with (u k * (16 * H k)) by ring. rewrite HK.
    apply at_sign_spec; assumption. }
  assert (SV : 16 * sum n (fun i => v i * W i) <= sum n (fun i => Rabs (16 * W i))).
  { rewrite <- sum_scal. apply sum_le. intros i _. destruct (V i) as (B & _). replace (16 * (v i * W i)) with (v i * (16 * W i)) by ring.
    pose proof (Rle_abs (16 * W i)). pose proof (Rle_abs (- (16 * W i))) as N. rewrite Rabs_Ropp in N. destruct (Rle_dec 0 (16 * W i)); nra. }
  lra.
Qed.

(** ** A form is convex in each coordinate *)

Definition at_end (u : nat -> R) (k : nat) (x : R) : nat -> R := fun j => if (j =? k)%nat then x else u j.

Definition convex_in_each (G : (nat -> R) -> R) : Prop := forall u k, -1 <= u k <= 1 ->
  G u <= (1 + u k) / 2 * G (at_end u k 1) + (1 - u k) / 2 * G (at_end u k (-1)).

Lemma form_convex : convex_in_each form_at.
Proof.
  intros u k H. clear row. clear c y x. set (x := (1 + u k) / 2). set (y := (1 - u k) / 2). assert (XY : x + y = 1) by (unfold x, y; lra).
  assert (X0 : 0 <= x) by (unfold x; lra). assert (Y0 : 0 <= y) by (unfold y; lra).
  assert (P : forall j, u j = x * at_end u k 1 j + y * at_end u k (-1) j).
  { intros j. unfold at_end. destruct (Nat.eqb_spec j k) as [->|_]; [unfold x, y; lra|]. rewrite <- Rmult_plus_distr_r, XY. ring. }
  set (up := at_end u k 1) in *. set (down := at_end u k (-1)) in *.
  assert (PP : forall j l, (l < j)%nat -> u j * u l = x * (up j * up l) + y * (down j * down l)).
  { intros j l Hl. unfold up, down, at_end. destruct (Nat.eqb_spec j k) as [->|Nj].
    - destruct (Nat.eqb_spec l k); [lia|]. unfold x, y. lra.
    - destruct (Nat.eqb_spec l k) as [->|Nl]; [unfold x, y; lra|]. rewrite <- Rmult_plus_distr_r, XY. ring. }
  unfold form_at.
  assert (L : sum d (fun k => a k * u k) = x * sum d (fun k => a k * up k) + y * sum d (fun k => a k * down k)).
  { rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros j _. rewrite (P j) at 1. ring. }
  assert (Q : sum d (fun k => sum k (fun l => q k l * (u k * u l)))
              = x * sum d (fun k => sum k (fun l => q k l * (up k * up l))) + y * sum d (fun k => sum k (fun l => q k l * (down k * down l)))).
  { rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros j _. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros l Hl.
    rewrite (PP j l Hl). ring. }
  assert (A : sum (length (absolutes f)) (fun i => Rabs (inner i u))
              <= x * sum (length (absolutes f)) (fun i => Rabs (inner i up)) + y * sum (length (absolutes f)) (fun i => Rabs (inner i down))).
  { rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros i _.
    assert (E : inner i u = x * inner i up + y * inner i down).
    { unfold inner. rewrite (sum_ext d (fun k => number (snd (absolute i)) k * u k)
        (fun k => x * (number (snd (absolute i)) k * up k) + y * (number (snd (absolute i)) k * down k)))
        by (intros j _; rewrite (P j) at 1; ring).
      rewrite sum_plus, !sum_scal. replace (IZR (fst (absolute i))) with ((x + y) * IZR (fst (absolute i))) at 1 by (rewrite XY; ring). ring. }
    rewrite E. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq x), (Rabs_pos_eq y) by assumption. lra. }
  rewrite L, Q. replace (IZR (constant f)) with ((x + y) * IZR (constant f)) at 1 by (rewrite XY; ring). lra.
Qed.

End Forms.

(** ** Trees: of what is convex in each coordinate, it is enough to look at its two ends *)

(** A leaf has the number of a point or none. *)
Inductive tree := Leaf (number : option nat) | Split (low high : tree).

Fixpoint put (s : list Z) (k : nat) (z : Z) : list Z :=
  match s, k with
  | [], _ => []
  | _ :: s, O => z :: s
  | x :: s, S k => x :: put s k z
  end.

Section Trees.

Variable test : list Z -> option nat -> bool.

(** Whether every leaf passes the test. *)
Fixpoint everywhere (order : list nat) (s : list Z) (t : tree) : bool :=
  match t, order with
  | Leaf e, _ => test s e
  | Split low high, k :: order =>
      (k <? length s)%nat && everywhere order (put s k (-1)) low && everywhere order (put s k 1) high
  | Split _ _, [] => false
  end.

Lemma put_nth z : forall s k j, (k < length s)%nat -> entry (put s k z) j = if (j =? k)%nat then z else entry s j.
Proof.
  unfold entry. induction s as [|x s IH]; intros [|k] [|j] H; simpl in *; try lia; try reflexivity. apply IH. lia.
Qed.

Lemma put_length z : forall s k, length (put s k z) = length s.
Proof. induction s as [|x s IH]; intros [|k]; simpl; try reflexivity. rewrite IH. reflexivity. Qed.

Theorem everywhere_spec d G (bound : R) : convex_in_each G ->
  (forall s e u, test s e = true -> in_face d s u -> G u <= bound) ->
  forall t order s, length s = d -> everywhere order s t = true -> forall u, in_face d s u -> G u <= bound.
Proof.
  intros CV TS. induction t as [e|low IHl high IHh]; intros order s Ls H u F.
  - destruct order; cbn [everywhere] in H; apply TS with s e; assumption.
  - destruct order as [|k order]; [discriminate|]. cbn [everywhere] in H. rewrite !andb_true_iff, Nat.ltb_lt in H.
    destruct H as ((Hk & H1) & H2). rewrite Ls in Hk.
    assert (E : forall z, (z = 1 \/ z = -1)%Z -> in_face d (put s k z) (at_end u k (IZR z))).
    { intros z Hz j Hj. rewrite put_nth by lia. unfold at_end. destruct (Nat.eqb_spec j k) as [->|N]; [|apply F, Hj].
      split; [destruct Hz as [-> | ->]; lra|reflexivity]. }
    assert (L := IHl order (put s k (-1)) ltac:(rewrite put_length; exact Ls) H1 _ (E (-1)%Z ltac:(auto))).
    assert (U := IHh order (put s k 1) ltac:(rewrite put_length; exact Ls) H2 _ (E 1%Z ltac:(auto))).
    destruct (F k Hk) as [B _]. eapply Rle_trans; [apply (CV u k B)|].
    assert (0 <= (1 + u k) / 2) by lra. assert (0 <= (1 - u k) / 2) by lra.
    apply Rle_trans with ((1 + u k) / 2 * bound + (1 - u k) / 2 * bound); [|lra].
    apply Rplus_le_compat; apply Rmult_le_compat_l; assumption.
Qed.

(** In the whole box. *)
Corollary everywhere_in_box d G (bound : R) order t : convex_in_each G ->
  (forall s e u, test s e = true -> in_face d s u -> G u <= bound) ->
  everywhere order (repeat 0%Z d) t = true -> forall u, (forall k, (k < d)%nat -> -1 <= u k <= 1) -> G u <= bound.
Proof.
  intros CV TS H u B. apply (everywhere_spec d G bound CV TS t order (repeat 0%Z d)); [apply repeat_length|exact H|]. intros k Hk.
  split; [apply B, Hk|]. intros N. exfalso. apply N. unfold entry. clear. revert k.
  induction d as [|n IH]; intros [|k]; simpl; try reflexivity. apply IH.
Qed.

End Trees.

(** ** The leaf bound of a form without products, along its lists *)

Fixpoint at_signs (a s : list Z) : Z := match a, s with x :: a', z :: s' => (x * z + at_signs a' s')%Z | _, _ => 0%Z end.
Fixpoint free_size (a s : list Z) : Z := match a, s with x :: a', z :: s' => ((if (z =? 0)%Z then Z.abs x else 0) + free_size a' s')%Z | _, _ => 0%Z end.

Definition plain_bound (f : form) (s : list Z) : Z :=
  (constant f + at_signs (linear f) s + free_size (linear f) s
   + fold_right (fun part t => Z.abs (fst part + at_signs (snd part) s) + free_size (snd part) s + t) 0 (absolutes f))%Z.

Lemma at_signs_spec : forall s a, IZR (at_signs a s) = sum (length s) (fun k => IZR (entry a k * entry s k)).
Proof.
  unfold entry. induction s as [|z s IH]; intros [|x a]; cbn [at_signs length]; try reflexivity.
  - rewrite (sum_ext (S (length s)) _ (fun _ => 0)); [rewrite sum_const; ring|]. intros k _. destruct k; simpl; ring.
  - rewrite sum_first, plus_IZR, IH. reflexivity.
Qed.

Lemma free_size_spec : forall s a, IZR (free_size a s) = sum (length s) (fun k => IZR (if_free s k (entry a k))).
Proof.
  unfold if_free, is_free, entry. induction s as [|z s IH]; intros [|x a]; cbn [free_size length]; try reflexivity.
  - rewrite (sum_ext (S (length s)) _ (fun _ => 0)); [rewrite sum_const; ring|]. intros k _. destruct (nth k (z :: s) 0 =? 0)%Z, k; reflexivity.
  - rewrite sum_first, plus_IZR, IH. reflexivity.
Qed.

Lemma plain_bound_spec f s : products f = [] -> plain_bound f s = leaf_bound (length s) f s.
Proof.
  intros P. apply eq_IZR. unfold plain_bound, leaf_bound. rewrite !plus_IZR, !whole_sum_spec, at_signs_spec, free_size_spec.
  assert (PR : forall k l, product_of f k l = 0%Z) by (intros k l; unfold product_of, entry; rewrite P; destruct k, l; reflexivity).
  assert (Z0 : forall n g, (forall k, g k = 0%Z) -> whole_sum n g = 0%Z).
  { intros n g H. apply eq_IZR. rewrite whole_sum_spec, (sum_ext n _ (fun _ => 0)) by (intros k _; rewrite H; reflexivity). rewrite sum_const. simpl. ring. }
  rewrite (sum_ext (length s) (fun k => IZR (whole_sum k _)) (fun _ => 0)) by (intros k _; rewrite Z0 by (intros; rewrite PR; reflexivity); reflexivity).
  rewrite (sum_ext (length s) (fun k => IZR (if_free s k (slope (length s) f s k))) (fun k => IZR (if_free s k (entry (linear f) k)))).
  2: { intros k _. do 2 f_equal. unfold slope. rewrite !Z0; [lia| |]; intros l; [destruct (k <? l)%nat|]; rewrite ?PR; reflexivity. }
  rewrite (sum_ext (length s) (fun k => IZR (whole_sum k _)) (fun _ => 0)) by (intros k _; rewrite Z0 by (intros l; rewrite PR; destruct (_ && _); reflexivity); reflexivity).
  rewrite !sum_const.
  assert (A : forall parts, IZR (fold_right (fun part t => Z.abs (fst part + at_signs (snd part) s) + free_size (snd part) s + t)%Z 0%Z parts)
    = sum (length parts) (fun i => IZR (let (b, row) := nth i parts (0%Z, []) in
        Z.abs (b + whole_sum (length s) (fun k => (entry row k * entry s k)%Z)) + whole_sum (length s) (fun k => if_free s k (entry row k))))).
  { induction parts as [|[b row] parts IH]; [reflexivity|]. cbn [fold_right length fst snd]. rewrite sum_first, plus_IZR, IH. f_equal. cbn [nth].
    rewrite !plus_IZR, !abs_IZR, !plus_IZR, !whole_sum_spec, at_signs_spec, free_size_spec. reflexivity. }
  rewrite A. ring.
Qed.

(** The same number, however it is found. *)
Definition bound_at (d : nat) (f : form) (s : list Z) : Z :=
  match products f with
  | [] => if (length s =? d)%nat then plain_bound f s else leaf_bound d f s
  | _ => leaf_bound d f s
  end.

Lemma bound_at_spec d f s : bound_at d f s = leaf_bound d f s.
Proof.
  unfold bound_at. destruct (products f) eqn:P; [|reflexivity]. destruct (Nat.eqb_spec (length s) d) as [<-|_]; [apply plain_bound_spec, P|reflexivity].
Qed.

(** ** Leaves with and without numbers *)

(** What leaves with numbers rest on: curves of forms, and points. *)
Definition point := list (list Z).
Definition part_of (p : point) (k : nat) : list Z := nth k p [].

(** The form is at most [bound] over [over] in the face of s, by the leaf bound or the point's. *)
Definition leaf_below (d : nat) (f : form) (c : option curve) (p : option point) (s : list Z) (bound over : Z) : bool :=
  (bound_at d f s <=? floor_div bound over)%Z
  || match c, p with
     | Some c, Some p => (point_bound d f c (part_of p 0) (part_of p 1) s <=? floor_div (bound * (256 * turn c)) over)%Z
     | _, _ => false
     end.

(** The leaf of number e, if there is one, has a point, which is that of the form of index k. *)
Definition numbered (c : option curve) (points : nat -> option point) (e : option nat) : bool :=
  match e with None => true | Some e => match c, points e with Some _, Some _ => true | _, _ => false end end.

Definition point_of (points : nat -> option point) (e : option nat) (k : nat) : option point :=
  match e with None => None | Some e => points (e + k)%nat end.

Definition shown (d : nat) (f : form) (c : option curve) (points : nat -> option point) (bound over : Z) (order : list nat) (t : tree) : bool :=
  everywhere (fun s e => numbered c points e && leaf_below d f c (point_of points e 0) s bound over) order (repeat 0%Z d) t.

Lemma leaf_below_spec d f c p s bound over u : (0 < over)%Z -> (forall c', c = Some c' -> not_negative d f c') ->
  leaf_below d f c p s bound over = true -> in_face d s u -> form_at d f u <= IZR bound / IZR over.
Proof.
  intros HO NN H F. assert (O := IZR_lt _ _ HO). unfold leaf_below in H. rewrite bound_at_spec in H. apply orb_prop in H. destruct H as [H|H].
  - apply Z.leb_le, IZR_le in H. pose proof (leaf_bound_spec d f s u F). pose proof (floor_div_le bound over HO).
    apply Rmult_le_reg_r with (IZR over); [exact O|]. replace (IZR bound / IZR over * IZR over) with (IZR bound) by (field; lra). nra.
  - destruct c as [c|], p as [p|]; try discriminate. apply Z.leb_le, IZR_le in H. specialize (NN c eq_refl).
    pose proof (point_bound_spec d f c (part_of p 0) (part_of p 1) s u NN F) as B. destruct NN as (_ & _ & _ & T). apply IZR_lt in T.
    pose proof (floor_div_le (bound * (256 * turn c)) over HO) as G. rewrite !mult_IZR in G.
    apply Rmult_le_reg_r with (256 * IZR (turn c)); [lra|]. eapply Rle_trans; [exact B|]. apply Rmult_le_reg_r with (IZR over); [exact O|].
    replace (IZR bound / IZR over * (256 * IZR (turn c)) * IZR over) with (IZR bound * (256 * IZR (turn c))) by (field; lra).
    apply Rle_trans with (IZR (floor_div (bound * (256 * turn c)) over) * IZR over); [apply Rmult_le_compat_r; lra|exact G].
Qed.

Theorem shown_everywhere d f c points bound over order t : (0 < over)%Z -> (forall c', c = Some c' -> not_negative d f c') ->
  shown d f c points bound over order t = true ->
  forall u, (forall k, (k < d)%nat -> -1 <= u k <= 1) -> form_at d f u <= IZR bound / IZR over.
Proof.
  intros HO NN H. apply everywhere_in_box with (3 := H); [apply form_convex|]. intros s e u T F. apply andb_prop in T.
  apply leaf_below_spec with (4 := F) (3 := proj2 T); assumption.
Qed.
