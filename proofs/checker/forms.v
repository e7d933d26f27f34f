(** * Forms, trees and leaf bounds: what holds of a form at every point of the box

    Section 4.5 of CHECKPOINT_RULES.md, leaves without points.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import given.
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

(** ** Trees: a form is convex in each coordinate, so it is enough to look at its two ends *)

Definition at_end (u : nat -> R) (k : nat) (x : R) : nat -> R := fun j => if (j =? k)%nat then x else u j.

Lemma form_convex u k : -1 <= u k <= 1 ->
  form_at u <= (1 + u k) / 2 * form_at (at_end u k 1) + (1 - u k) / 2 * form_at (at_end u k (-1)).
Proof.
  intros H. set (x := (1 + u k) / 2). set (y := (1 - u k) / 2). assert (XY : x + y = 1) by (unfold x, y; lra).
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

Inductive tree := Leaf | Split (low high : tree).

Fixpoint put (s : list Z) (k : nat) (z : Z) : list Z :=
  match s, k with
  | [], _ => []
  | _ :: s, O => z :: s
  | x :: s, S k => x :: put s k z
  end.

(** Whether every leaf bound is at most [bound]. *)
Fixpoint shown (bound : Z) (order : list nat) (s : list Z) (t : tree) : bool :=
  match t, order with
  | Leaf, _ => (leaf_bound s <=? bound)%Z
  | Split low high, k :: order =>
      (k <? length s)%nat && shown bound order (put s k (-1)) low && shown bound order (put s k 1) high
  | Split _ _, [] => false
  end.

Lemma put_nth z : forall s k j, (k < length s)%nat -> entry (put s k z) j = if (j =? k)%nat then z else entry s j.
Proof.
  unfold entry. induction s as [|x s IH]; intros [|k] [|j] H; simpl in *; try lia; try reflexivity. apply IH. lia.
Qed.

Lemma put_length z : forall s k, length (put s k z) = length s.
Proof. induction s as [|x s IH]; intros [|k]; simpl; try reflexivity. rewrite IH. reflexivity. Qed.

Theorem shown_spec bound : forall t order s, length s = d -> shown bound order s t = true ->
  forall u, in_face s u -> form_at u <= IZR bound.
Proof.
  induction t as [|low IHl high IHh]; intros order s Ls H u F.
  - destruct order; cbn [shown] in H; apply Z.leb_le, IZR_le in H; pose proof (leaf_bound_spec s u F); lra.
  - destruct order as [|k order]; [discriminate|]. cbn [shown] in H. rewrite !andb_true_iff, Nat.ltb_lt in H.
    destruct H as ((Hk & H1) & H2). rewrite Ls in Hk.
    assert (E : forall z, (z = 1 \/ z = -1)%Z -> in_face (put s k z) (at_end u k (IZR z))).
    { intros z Hz j Hj. rewrite put_nth by lia. unfold at_end. destruct (Nat.eqb_spec j k) as [->|N]; [|apply F, Hj].
      split; [destruct Hz as [-> | ->]; lra|reflexivity]. }
    assert (L := IHl order (put s k (-1)) ltac:(rewrite put_length; exact Ls) H1 _ (E (-1)%Z ltac:(auto))).
    assert (U := IHh order (put s k 1) ltac:(rewrite put_length; exact Ls) H2 _ (E 1%Z ltac:(auto))).
    destruct (F k Hk) as [B _]. eapply Rle_trans; [apply (form_convex u k B)|].
    assert (0 <= (1 + u k) / 2) by lra. assert (0 <= (1 - u k) / 2) by lra.
    apply Rle_trans with ((1 + u k) / 2 * IZR bound + (1 - u k) / 2 * IZR bound); [|lra].
    apply Rplus_le_compat; apply Rmult_le_compat_l; assumption.
Qed.

(** In the whole box. *)
Corollary shown_everywhere bound order t : shown bound order (repeat 0%Z d) t = true ->
  forall u, (forall k, (k < d)%nat -> -1 <= u k <= 1) -> form_at u <= IZR bound.
Proof.
  intros H u B. apply (shown_spec bound t order (repeat 0%Z d)); [apply repeat_length|exact H|]. intros k Hk.
  split; [apply B, Hk|]. intros N. exfalso. apply N. unfold entry. clear. revert k.
  induction d as [|n IH]; intros [|k]; simpl; try reflexivity. apply IH.
Qed.

End Forms.
