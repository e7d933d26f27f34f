(** * The forward pass on given tokens

    Section 4.6 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task variants.
From Verified Require Import model given rounded exponential weights.
Import ListNotations.
Open Scope R_scope.

Lemma power_is_pow s : (0 <= s)%Z -> IZR (2 ^ s) = unit_of s.
Proof. intros H. unfold unit_of. rewrite power_pow by exact H. reflexivity. Qed.

Lemma nth_map_in {A B} (f : A -> B) l j a b : (j < length l)%nat -> nth j (map f l) b = f (nth j l a).
Proof. intros H. rewrite nth_indep with (d' := f a) by (rewrite map_length; exact H). apply map_nth. Qed.

Lemma nth_firstn_lt {A} (l : list A) : forall n j d, (j < n)%nat -> nth j (firstn n l) d = nth j l d.
Proof.
  induction l as [|x l IH]; intros [|n] [|j] d H; simpl; try lia; try reflexivity. apply IH. lia.
Qed.

Lemma nth_skipn_plus {A} (l : list A) : forall n j d, nth j (skipn n l) d = nth (n + j) l d.
Proof.
  induction l as [|x l IH]; intros [|n] j d; simpl; try reflexivity; [destruct j; reflexivity|apply IH].
Qed.

(** ** Maps *)

Definition largest_size (m : list (list Z)) : Z := fold_left (fun s row => Z.max s (size row)) m 0%Z.

Lemma fold_largest m : forall s, (s <= fold_left (fun s row => Z.max s (size row)) m s)%Z
  /\ forall i, (i < length m)%nat -> (size (nth i m []) <= fold_left (fun s row => Z.max s (size row)) m s)%Z.
Proof.
  induction m as [|x m IH]; intros s; simpl; [split; [lia|intros; lia]|].
  destruct (IH (Z.max s (size x))) as [A B]. split; [lia|]. intros [|i] Hi; [lia|apply B; lia].
Qed.

Definition map_sum (p : Z) (c : list Z) (rb : list Z * Z) : Z := (dot (fst rb) c + Z.shiftl (snd rb) p)%Z.

Definition apply_map (f : given_map) (norm p : Z) (b : ball) : ball :=
  round_ball (shift f) (map (map_sum p (centre b)) (combine (rows f) (offsets f))) (norm * radius b).

Definition map_fits (f : given_map) (r n : nat) : bool :=
  (length (rows f) =? r)%nat && (length (offsets f) =? r)%nat && forallb (fun row => (length row =? n)%nat) (rows f)
  && (0 <=? shift f)%Z.

Lemma map_fits_spec f r n : map_fits f r n = true ->
  length (rows f) = r /\ length (offsets f) = r /\ (forall i, (i < r)%nat -> length (nth i (rows f) []) = n)
  /\ (0 <= shift f)%Z.
Proof.
  unfold map_fits. rewrite !andb_true_iff, !Nat.eqb_eq, Z.leb_le. intros (((A & B) & C) & D).
  repeat split; try assumption. intros i Hi. rewrite forallb_forall in C. apply Nat.eqb_eq, C, nth_In. lia.
Qed.

Lemma apply_map_length f norm p b r n : map_fits f r n = true -> length (centre (apply_map f norm p b)) = r.
Proof.
  intros F. destruct (map_fits_spec f r n F) as (A & B & _ & _). simpl.
  rewrite !map_length, combine_length. lia.
Qed.

Lemma apply_map_spec f p b r n x : map_fits f r n = true -> (0 <= p)%Z -> length (centre b) = n ->
  encloses p b x -> encloses p (apply_map f (largest_size (rows f)) p b) (apply n (map_of f) x).
Proof.
  intros F Hp Hn [Hr N]. destruct (map_fits_spec f r n F) as (A & B & C & D).
  assert (LZ : (0 <= largest_size (rows f))%Z) by apply (fold_largest (rows f) 0%Z).
  apply round_near; try assumption; [nia|].
  intros j Hj. rewrite map_length, combine_length in Hj. assert (Hj' : (j < r)%nat) by lia.
  unfold number. rewrite (nth_map_in _ _ _ ([], 0%Z)) by (rewrite combine_length; lia).
  rewrite combine_nth by lia. unfold map_sum. simpl fst. simpl snd.
  rewrite plus_IZR, shiftl_unit by exact Hp. unfold apply, linear_value. cbn [entries bias map_of].
  rewrite power_is_pow by exact D. pose proof (unit_pos _ D) as US. pose proof (unit_pos _ Hp) as UP.
  assert (L := C j Hj'). set (row := nth j (rows f) []) in *.
  assert (E := dot_near (unit_of p) row (centre b) (radius b) x ltac:(lia) N Hr). rewrite L in E.
  rewrite (sum_ext n _ (fun c => / unit_of (shift f) * (number row c * x c)))
    by (intros; unfold number_at; fold row; unfold Rdiv; ring).
  rewrite sum_scal. set (s := sum n (fun c => number row c * x c)) in *.
  replace ((/ unit_of (shift f) * s + number (offsets f) j / unit_of (shift f)) * unit_of p * unit_of (shift f)
           - (IZR (dot row (centre b)) + IZR (nth j (offsets f) 0%Z) * unit_of p))
    with (s * unit_of p - IZR (dot row (centre b))) by (unfold number; field; lra).
  eapply Rle_trans; [exact E|]. apply IZR_le. apply Z.mul_le_mono_nonneg_r; [exact Hr|].
  apply (fold_largest (rows f) 0%Z). lia.
Qed.

(** ** The coordinates of one head *)

Definition part (h w : nat) (c : list Z) : list Z := firstn w (skipn (h * w) c).
Definition part_of (h w : nat) (b : ball) : ball := {| centre := part h w (centre b); radius := radius b |}.

Lemma part_length h w c : (S h * w <= length c)%nat -> length (part h w c) = w.
Proof. intros H. unfold part. rewrite firstn_length, skipn_length. simpl in H. lia. Qed.

Lemma part_spec h w p b x : (S h * w <= length (centre b))%nat -> encloses p b x ->
  encloses p (part_of h w b) (fun c => x (h * w + c)%nat).
Proof.
  intros H [Hr N]. split; [exact Hr|]. intros j Hj. simpl in Hj. rewrite part_length in Hj by exact H.
  simpl centre. unfold number, part. rewrite nth_firstn_lt, nth_skipn_plus by exact Hj. apply N. simpl in H. lia.
Qed.

(** ** Logits *)

(** A ball and a number of it that is used again and again. *)
Definition sized : Type := ball * Z.
Definition with_size (b : ball) : sized := (b, size (centre b)).
Definition with_reach (b : ball) : sized := (b, (reach (centre b) + radius b)%Z).

Definition logit_range (top bottom p : Z) (q : ball) (own : Z) (k : sized) : range :=
  let z := dot (centre q) (centre (fst k)) in
  let e := (radius q * snd k + radius (fst k) * own)%Z in
  (floor_shift (floor_div (top * (z - e)) bottom) p, ceil_shift (ceil_div (top * (z + e)) bottom) p).

(** [own] of a query. *)
Definition own_size (w : nat) (q : ball) : Z := (size (centre q) + Z.of_nat w * radius q)%Z.

Lemma logit_range_spec top bottom p w q k x y : (0 < top)%Z -> (0 < bottom)%Z -> (0 <= p)%Z ->
  length (centre q) = w -> length (centre k) = w -> encloses p q x -> encloses p k y ->
  within (unit_of p) (logit_range top bottom p q (own_size w q) (with_size k))
         (IZR top / IZR bottom * sum w (fun c => x c * y c)).
Proof.
  intros Ht Hb Hp Lq Lk [Hr N] [Hr' N']. pose proof (unit_pos p Hp) as U.
  assert (E := dot_near_near (unit_of p) (centre q) (centre k) (radius q) (radius k) x y ltac:(lia) N N' Hr Hr').
  rewrite Lq in E. set (s := sum w (fun c => x c * y c)) in *.
  unfold logit_range, with_size, own_size. simpl fst. simpl snd. set (z := dot (centre q) (centre k)) in *.
  replace (radius q * size (centre k) + radius k * (size (centre q) + Z.of_nat w * radius q))%Z
    with (radius q * size (centre k) + radius k * size (centre q) + Z.of_nat w * (radius q * radius k))%Z by ring.
  set (e := (radius q * size (centre k) + radius k * size (centre q) + Z.of_nat w * (radius q * radius k))%Z) in *.
  apply abs_bounds in E. apply IZR_lt in Ht. assert (Hb' := Hb). apply IZR_lt in Hb'.
  split; cbn [fst snd].
  - apply Rmult_le_reg_r with (unit_of p); [exact U|].
    eapply Rle_trans; [apply floor_shift_le, Hp|]. apply floor_div_below; [exact Hb|].
    rewrite mult_IZR, minus_IZR.
    replace (unit_of p * (IZR top / IZR bottom * s) * unit_of p * IZR bottom)
      with (IZR top * (s * (unit_of p * unit_of p))) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - apply Rmult_le_reg_r with (unit_of p); [exact U|].
    eapply Rle_trans; [|apply ceil_shift_ge, Hp]. apply ceil_div_above; [exact Hb|].
    rewrite mult_IZR, plus_IZR.
    replace (unit_of p * (IZR top / IZR bottom * s) * unit_of p * IZR bottom)
      with (IZR top * (s * (unit_of p * unit_of p))) by (field; lra).
    apply Rmult_le_compat_l; lra.
Qed.

(** ** Combinations *)

Fixpoint add_times (m : Z) (c acc : list Z) : list Z :=
  match c, acc with
  | x :: c', y :: acc' => (m * x + y)%Z :: add_times m c' acc'
  | _, _ => []
  end.

Lemma add_times_length m : forall c acc, length c = length acc -> length (add_times m c acc) = length acc.
Proof. induction c as [|x c IH]; intros [|y acc] E; simpl in *; try discriminate; [reflexivity|]. rewrite IH; lia. Qed.

Lemma add_times_nth m : forall c acc j, length c = length acc -> (j < length acc)%nat ->
  nth j (add_times m c acc) 0%Z = (m * nth j c 0 + nth j acc 0)%Z.
Proof.
  induction c as [|x c IH]; intros [|y acc] j E Hj; simpl in *; try discriminate; [lia|].
  destruct j as [|j]; [reflexivity|]. apply IH; lia.
Qed.

(** Each ball comes with its reach. *)
Fixpoint mix (ws : list range) (bs : list sized) (acc : list Z) (e : Z) : list Z * Z :=
  match ws, bs with
  | (a, b) :: ws', (k, far) :: bs' =>
      let m := Z.shiftr (a + b) 1 in
      mix ws' bs' (add_times m (centre k) acc) (e + Z.abs m * radius k + (b - m) * far)
  | _, _ => (acc, e)
  end.

Definition combination (p : Z) (w : nat) (ws : list range) (bs : list sized) : ball :=
  let (z, e) := mix ws bs (repeat 0%Z w) 0 in round_ball p z e.

Definition no_ball : ball := {| centre := []; radius := 0 |}.
Definition no_sized : sized := (no_ball, 0%Z).

Lemma mix_spec p : (0 <= p)%Z -> forall (ws : list range) (bs : list sized) acc e V (W : nat -> R) (X : nat -> nat -> R),
  length ws = length bs ->
  (forall k, (k < length ws)%nat -> within (unit_of p) (nth k ws (0, 0)%Z) (W k)) ->
  (forall k, (k < length ws)%nat -> exists b, nth k bs no_sized = with_reach b
      /\ length (centre b) = length acc /\ encloses p b (X k)) ->
  (0 <= e)%Z ->
  (forall j, (j < length acc)%nat -> Rabs (V j - number acc j) <= IZR e) ->
  let (z, e') := mix ws bs acc e in
  length z = length acc /\ (0 <= e')%Z /\
  forall j, (j < length acc)%nat ->
    Rabs (V j + sum (length ws) (fun k => W k * X k j) * (unit_of p * unit_of p) - number z j) <= IZR e'.
Proof.
  intros Hp. pose proof (unit_pos p Hp) as U.
  induction ws as [|[a b] ws IH]; intros [|[ball far] bs] acc e V W X E HW HB He HV; simpl in E; try discriminate.
  - simpl. split; [reflexivity|]. split; [exact He|]. intros j Hj.
    replace (V j + 0 * (unit_of p * unit_of p) - number acc j) with (V j - number acc j) by ring. apply HV, Hj.
  - simpl mix. set (m := Z.shiftr (a + b) 1).
    destruct (HB 0%nat (Nat.lt_0_succ _)) as (b0 & B0 & L0 & R0 & N0). cbn [nth] in B0.
    unfold with_reach in B0. injection B0 as -> ->.
    assert (W0 := HW 0%nat (Nat.lt_0_succ _)). cbn [nth] in W0. destruct W0 as [WA WB]. cbn [fst snd] in WA, WB.
    assert (AB : (a <= b)%Z) by (apply le_IZR; lra).
    assert (M : (2 * m <= a + b < 2 * m + 2)%Z).
    { unfold m. rewrite Z.shiftr_div_pow2 by lia. change (2 ^ 1)%Z with 2%Z.
      pose proof (Z.div_mod (a + b) 2). pose proof (Z.mod_pos_bound (a + b) 2). lia. }
    assert (RN : (0 <= reach (centre b0))%Z) by apply fold_max_ge.
    set (d := (e + Z.abs m * radius b0 + (b - m) * (reach (centre b0) + radius b0))%Z).
    assert (HD : (0 <= d)%Z) by (unfold d; nia).
    assert (IHx := IH bs (add_times m (centre b0) acc) d
      (fun j => V j + W 0%nat * X 0%nat j * (unit_of p * unit_of p)) (fun k => W (S k)) (fun k => X (S k))
      (eq_add_S _ _ E) (fun k Hk => HW (S k) (le_n_S _ _ Hk))).
    rewrite add_times_length in IHx by exact L0.
    specialize (IHx (fun k Hk => HB (S k) (le_n_S _ _ Hk)) HD).
    assert (HV' : forall j, (j < length acc)%nat ->
      Rabs (V j + W 0%nat * X 0%nat j * (unit_of p * unit_of p) - number (add_times m (centre b0) acc) j) <= IZR d).
    { intros j Hj. unfold number. rewrite add_times_nth by (try exact L0; exact Hj). rewrite plus_IZR, mult_IZR.
      assert (NJ := N0 j ltac:(lia)). assert (RJ := reach_entry (centre b0) j ltac:(lia)). assert (VJ := HV j Hj).
      unfold number in NJ, RJ, VJ. set (c := IZR (nth j (centre b0) 0%Z)) in *. set (v := IZR (nth j acc 0%Z)) in *.
      set (x := X 0%nat j) in *. set (w := W 0%nat) in *.
      replace (V j + w * x * (unit_of p * unit_of p) - (IZR m * c + v))
        with ((V j - v) + IZR m * (x * unit_of p - c) + (unit_of p * w - IZR m) * (x * unit_of p)) by ring.
      assert (A1 : Rabs (IZR m * (x * unit_of p - c)) <= Rabs (IZR m) * IZR (radius b0))
        by (rewrite Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos|exact NJ]).
      assert (A2 : Rabs (x * unit_of p) <= IZR (reach (centre b0)) + IZR (radius b0)).
      { replace (x * unit_of p) with (c + (x * unit_of p - c)) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. lra. }
      assert (A3 : Rabs (unit_of p * w - IZR m) <= IZR (b - m)).
      { destruct M as [M1 M2]. assert (Mi : (m - a <= b - m)%Z) by lia. apply IZR_le in Mi.
        rewrite !minus_IZR in *. apply Rabs_le. lra. }
      assert (A4 : Rabs ((unit_of p * w - IZR m) * (x * unit_of p))
                   <= IZR (b - m) * (IZR (reach (centre b0)) + IZR (radius b0)))
        by (rewrite Rabs_mult; apply Rmult_le_compat; try apply Rabs_pos; assumption).
      unfold d. rewrite !plus_IZR, !mult_IZR, !plus_IZR, abs_IZR.
      pose proof (Rabs_triang ((V j - v) + IZR m * (x * unit_of p - c)) ((unit_of p * w - IZR m) * (x * unit_of p))).
      pose proof (Rabs_triang (V j - v) (IZR m * (x * unit_of p - c))). lra. }
    specialize (IHx HV'). fold d. destruct (mix ws bs (add_times m (centre b0) acc) d) as [z e'].
    destruct IHx as (LZ & HE & HZ). split; [exact LZ|]. split; [exact HE|]. intros j Hj.
    cbn [length]. rewrite sum_first. specialize (HZ j Hj).
    replace (V j + (W 0%nat * X 0%nat j + sum (length ws) (fun k => W (S k) * X (S k) j)) * (unit_of p * unit_of p)
             - number z j)
      with (V j + W 0%nat * X 0%nat j * (unit_of p * unit_of p)
            + sum (length ws) (fun k => W (S k) * X (S k) j) * (unit_of p * unit_of p) - number z j) by ring.
    exact HZ.
Qed.

Lemma number_repeat w j : number (repeat 0%Z w) j = 0.
Proof. unfold number. revert j. induction w as [|w IH]; intros [|j]; simpl; try reflexivity. apply IH. Qed.

Lemma combination_spec p w (ws : list range) (bs : list sized) (W : nat -> R) (X : nat -> nat -> R) : (0 <= p)%Z ->
  length ws = length bs ->
  (forall k, (k < length ws)%nat -> within (unit_of p) (nth k ws (0, 0)%Z) (W k)) ->
  (forall k, (k < length ws)%nat -> exists b, nth k bs no_sized = with_reach b
      /\ length (centre b) = w /\ encloses p b (X k)) ->
  length (centre (combination p w ws bs)) = w /\
  encloses p (combination p w ws bs) (fun j => sum (length ws) (fun k => W k * X k j)).
Proof.
  intros Hp E HW HB. unfold combination.
  assert (M := mix_spec p Hp ws bs (repeat 0%Z w) 0 (fun _ => 0) W X E HW). rewrite repeat_length in M.
  specialize (M HB (Z.le_refl 0)).
  assert (Z0 : forall j, (j < w)%nat -> Rabs (0 - number (repeat 0%Z w) j) <= 0)
    by (intros; rewrite number_repeat, Rminus_0_r, Rabs_R0; lra).
  specialize (M Z0). destruct (mix ws bs (repeat 0%Z w) 0) as [z e]. destruct M as (L & He & M).
  split; [simpl; rewrite map_length; exact L|]. apply round_near; try assumption. intros j Hj. rewrite L in Hj.
  specialize (M j Hj). rewrite Rplus_0_l in M. rewrite Rmult_assoc. exact M.
Qed.

(** ** Heads side by side *)

Definition beside (parts : list ball) : ball :=
  {| centre := concat (map centre parts); radius := fold_left (fun r b => Z.max r (radius b)) parts 0%Z |}.

Lemma fold_radius l : forall r, (r <= fold_left (fun r b => Z.max r (radius b)) l r)%Z
  /\ forall i, (i < length l)%nat -> (radius (nth i l no_ball) <= fold_left (fun r b => Z.max r (radius b)) l r)%Z.
Proof.
  induction l as [|x l IH]; intros r; simpl; [split; [lia|intros; lia]|].
  destruct (IH (Z.max r (radius x))) as [A B]. split; [lia|]. intros [|i] Hi; [lia|apply B; lia].
Qed.

Lemma concat_nth w : forall cs h c, (forall i, (i < length cs)%nat -> length (nth i cs []) = w) ->
  (h < length cs)%nat -> (c < w)%nat -> nth (h * w + c) (concat cs) 0%Z = nth c (nth h cs []) 0%Z.
Proof.
  induction cs as [|x cs IH]; intros h c L Hh Hc; [simpl in Hh; lia|].
  assert (L0 := L 0%nat (Nat.lt_0_succ _)). simpl in L0. simpl concat. destruct h as [|h].
  - simpl. rewrite app_nth1 by lia. reflexivity.
  - rewrite app_nth2 by (simpl; lia). replace (S h * w + c - length x)%nat with (h * w + c)%nat by (simpl; lia).
    apply IH; [|simpl in Hh; lia|exact Hc]. intros i Hi. apply (L (S i)). simpl. lia.
Qed.

Lemma concat_length w : forall cs : list (list Z), (forall i, (i < length cs)%nat -> length (nth i cs []) = w) ->
  length (concat cs) = (length cs * w)%nat.
Proof.
  induction cs as [|x cs IH]; intros L; [reflexivity|]. simpl. rewrite app_length, IH.
  - rewrite (L 0%nat (Nat.lt_0_succ _) : length x = w). reflexivity.
  - intros i Hi. apply (L (S i)). simpl. lia.
Qed.

Lemma beside_spec p w parts (y : nat -> nat -> R) : (0 < w)%nat ->
  (forall h, (h < length parts)%nat -> length (centre (nth h parts no_ball)) = w /\ encloses p (nth h parts no_ball) (y h)) ->
  length (centre (beside parts)) = (length parts * w)%nat /\
  encloses p (beside parts) (fun r => y (r / w)%nat (r mod w)%nat).
Proof.
  intros Hw H.
  assert (NM : forall i, (i < length parts)%nat -> nth i (map centre parts) [] = centre (nth i parts no_ball))
    by (intros; apply nth_map_in; assumption).
  assert (L : forall i, (i < length (map centre parts))%nat -> length (nth i (map centre parts) []) = w).
  { intros i Hi. rewrite map_length in Hi. rewrite NM by exact Hi. apply H, Hi. }
  assert (LC : length (centre (beside parts)) = (length parts * w)%nat)
    by (simpl; rewrite (concat_length w) by exact L; rewrite map_length; reflexivity).
  split; [exact LC|]. split; [apply (fold_radius parts 0%Z)|]. intros r Hr. rewrite LC in Hr.
  assert (D : (r / w < length parts)%nat) by (apply Nat.div_lt_upper_bound; lia).
  assert (C : (r mod w < w)%nat) by (apply Nat.mod_upper_bound; lia).
  destruct (H _ D) as [LH [_ N]]. assert (X := N (r mod w)%nat ltac:(lia)).
  assert (E : number (centre (beside parts)) r = number (centre (nth (r / w) parts no_ball)) (r mod w)).
  { unfold number. simpl. rewrite (Nat.div_mod r w) at 1 by lia. rewrite (Nat.mul_comm w).
    rewrite (concat_nth w) by (try exact L; try exact C; rewrite map_length; exact D). rewrite NM by exact D. reflexivity. }
  rewrite E. eapply Rle_trans; [exact X|]. apply IZR_le. apply (fold_radius parts 0%Z). exact D.
Qed.

(** ** Sums *)

Fixpoint add_lists (a b : list Z) : list Z :=
  match a, b with x :: a', y :: b' => (x + y)%Z :: add_lists a' b' | _, _ => [] end.

Definition sum_of (a b : ball) : ball :=
  {| centre := add_lists (centre a) (centre b); radius := (radius a + radius b)%Z |}.

Lemma add_lists_length : forall a b, length a = length b -> length (add_lists a b) = length a.
Proof. induction a as [|x a IH]; intros [|y b] E; simpl in *; try discriminate; [reflexivity|]. rewrite IH; lia. Qed.

Lemma add_lists_nth : forall a b j, length a = length b -> (j < length a)%nat ->
  nth j (add_lists a b) 0%Z = (nth j a 0 + nth j b 0)%Z.
Proof.
  induction a as [|x a IH]; intros [|y b] j E Hj; simpl in *; try discriminate; [lia|].
  destruct j as [|j]; [reflexivity|]. apply IH; lia.
Qed.

Lemma sum_of_spec p a b x y : length (centre a) = length (centre b) -> encloses p a x -> encloses p b y ->
  encloses p (sum_of a b) (fun r => x r + y r).
Proof.
  intros E [Ra Na] [Rb Nb]. split; [simpl; lia|]. intros j Hj. simpl in Hj. rewrite add_lists_length in Hj by exact E.
  simpl. unfold number. rewrite add_lists_nth by assumption. rewrite !plus_IZR.
  assert (A := Na j Hj). assert (B := Nb j ltac:(lia)). unfold number in A, B.
  replace ((x j + y j) * unit_of p - (IZR (nth j (centre a) 0%Z) + IZR (nth j (centre b) 0%Z)))
    with ((x j * unit_of p - IZR (nth j (centre a) 0%Z)) + (y j * unit_of p - IZR (nth j (centre b) 0%Z))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
