(** * Logits of task tokens as forms in their noise

    Sections 4.2 and 4.3 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given box statements rounded weights pass layers inputs forms.
Import ListNotations.
Open Scope R_scope.

(** ** The box in whole numbers: its intervals are (middle - spread) / unit .. (middle + spread) / unit *)

Record unit_box := { middle : list Z; spread : list Z; box_unit : Z }.

Definition interval_fits (unit : Z) (x : (rational * rational) * (Z * Z)) : bool :=
  let '((least, greatest), (m, s)) := x in
  positive_bottom least && positive_bottom greatest && (0 <=? s)%Z
  && ((m - s) * bottom least =? top least * unit)%Z && ((m + s) * bottom greatest =? top greatest * unit)%Z.

Definition box_fits (n : nat) (T : given_task) (b : unit_box) : bool :=
  (4 <=? n)%nat && (0 <? box_unit b)%Z && (length (noise T) =? n - 3)%nat && (length (middle b) =? n - 3)%nat
  && (length (spread b) =? n - 3)%nat
  && forallb (interval_fits (box_unit b)) (combine (noise T) (combine (middle b) (spread b))).

Inductive flag := Bos_flag | Trigger_flag | Content_flag.

Definition place_of (n : nat) (F : flag) : nat := match F with Bos_flag => 0 | Trigger_flag => 1 | Content_flag => n - 1 end.

(** The token with this flag and noise u. *)
Record unit_token (n : nat) (b : unit_box) (F : flag) (u : nat -> R) (x : token) : Prop := {
  flag_0 : x 0%nat = match F with Bos_flag => 1 | _ => 0 end;
  flag_1 : x 1%nat = match F with Trigger_flag => 1 | _ => 0 end;
  flag_last : x (n - 1)%nat = match F with Content_flag => 1 | _ => 0 end;
  noise_of : forall k, (k < n - 3)%nat ->
    x (2 + k)%nat * IZR (box_unit b) = match F with Bos_flag => 0 | _ => number (middle b) k + number (spread b) k * u k end
}.

Definition in_unit (d : nat) (u : nat -> R) : Prop := forall k, (k < d)%nat -> -1 <= u k <= 1.

Lemma bos_is_unit_token n b : (4 <= n)%nat -> unit_token n b Bos_flag (fun _ => 0) bos.
Proof.
  intros Hn. constructor; unfold bos; try reflexivity.
  - destruct (Nat.eqb_spec (n - 1) 0); [lia|reflexivity].
  - intros k Hk. cbn [Nat.eqb Nat.add]. ring.
Qed.

Lemma task_token_is_unit_token n T b F t c x : box_fits n T b = true -> task_token n (box_of T) t c x ->
  (F = Trigger_flag /\ t = 1 /\ c = 0) \/ (F = Content_flag /\ t = 0 /\ c = 1) ->
  exists u, in_unit (n - 3) u /\ unit_token n b F u x.
Proof.
  intros B X FC. unfold box_fits in B. rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq, forallb_forall in B.
  destruct B as (((((Hn & HU) & LN) & LM) & LS) & FT). destruct X as [X0 X1 X2 XN _]. apply IZR_lt in HU.
  set (D := IZR (box_unit b)) in *.
  set (u := fun k => if Req_EM_T (number (spread b) k) 0 then 0 else (x (2 + k)%nat * D - number (middle b) k) / number (spread b) k).
  assert (EACH : forall k, (k < n - 3)%nat -> -1 <= u k <= 1 /\ x (2 + k)%nat * D = number (middle b) k + number (spread b) k * u k).
  { intros k Hk.
    assert (I : In (nth k (noise T) no_interval, (nth k (middle b) 0%Z, nth k (spread b) 0%Z)) (combine (noise T) (combine (middle b) (spread b)))).
    { rewrite <- (combine_nth (middle b) (spread b) k 0%Z 0%Z) by lia.
      rewrite <- (combine_nth (noise T) (combine (middle b) (spread b)) k no_interval (0, 0)%Z) by (rewrite combine_length; lia).
      apply nth_In. rewrite !combine_length. lia. }
    specialize (FT _ I). specialize (XN (2 + k)%nat ltac:(lia) ltac:(lia)). unfold box_of in XN.
    replace (2 + k - 2)%nat with k in XN by lia. destruct (nth k (noise T) no_interval) as [lo hi]. cbn [fst snd] in XN.
    cbn [interval_fits] in FT. rewrite !andb_true_iff, Z.leb_le, !Z.eqb_eq in FT. destruct FT as ((((P1 & P2) & S0) & E1) & E2).
    unfold positive_bottom in P1, P2. apply Z.ltb_lt, IZR_lt in P1. apply Z.ltb_lt, IZR_lt in P2. apply IZR_le in S0.
    apply (f_equal IZR) in E1. apply (f_equal IZR) in E2. rewrite !mult_IZR, minus_IZR in E1. rewrite !mult_IZR, plus_IZR in E2.
    fold (number (middle b) k) in *. fold (number (spread b) k) in *. fold D in E1, E2.
    set (m := number (middle b) k) in *. set (s := number (spread b) k) in *. change (IZR (nth k (middle b) 0%Z)) with m in *. change (IZR (nth k (spread b) 0%Z)) with s in *.
    assert (LO : real lo * D = m - s).
    { unfold real. apply Rmult_eq_reg_r with (IZR (bottom lo)); [|lra]. rewrite E1. field. lra. }
    assert (HI : real hi * D = m + s).
    { unfold real. apply Rmult_eq_reg_r with (IZR (bottom hi)); [|lra]. rewrite E2. field. lra. }
    assert (Q1 : m - s <= x (2 + k)%nat * D) by (rewrite <- LO; apply Rmult_le_compat_r; lra).
    assert (Q2 : x (2 + k)%nat * D <= m + s) by (rewrite <- HI; apply Rmult_le_compat_r; lra).
    unfold u. fold s m. destruct (Req_EM_T s 0) as [Z0|N0]; [split; [lra|rewrite Z0 in *; lra]|].
    assert (SP : 0 < s) by lra. split; [|field; lra]. split.
    - apply Rmult_le_reg_r with s; [exact SP|]. replace ((x (2 + k)%nat * D - m) / s * s) with (x (2 + k)%nat * D - m) by (field; lra). lra.
    - apply Rmult_le_reg_r with s; [exact SP|]. replace ((x (2 + k)%nat * D - m) / s * s) with (x (2 + k)%nat * D - m) by (field; lra). lra. }
  exists u. split; [intros k Hk; apply EACH, Hk|]. unfold bos_flag, trigger_flag, content_flag in *.
  constructor; [destruct FC as [(-> & _ & _)|(-> & _ & _)]; exact X0| | |].
  - destruct FC as [(-> & -> & _)|(-> & -> & _)]; exact X1.
  - destruct FC as [(-> & _ & ->)|(-> & _ & ->)]; exact X2.
  - intros k Hk. destruct (EACH k Hk) as [_ E]. destruct FC as [(-> & _)|(-> & _)]; exact E.
Qed.

(** ** Columns of a map's rows, of unit tokens: over 2^shift times the box's unit *)

Definition noise_part (n : nat) (row : list Z) : list Z := firstn (n - 3) (skipn 2 row).

(** What the rest of row c, offset o contributes where the flag is F. *)
Definition flag_entry (n : nat) (b : unit_box) (F : flag) (ro : list Z * Z) : Z :=
  let (row, o) := ro in
  ((nth (place_of n F) row 0 + o) * box_unit b + match F with Bos_flag => 0 | _ => dot (middle b) (noise_part n row) end)%Z.

Definition noise_entry (n : nat) (b : unit_box) (k : nat) (ro : list Z * Z) : Z :=
  (nth k (noise_part n (fst ro)) 0 * nth k (spread b) 0)%Z.

Lemma sum_split n g : (4 <= n)%nat -> sum n g = g 0%nat + g 1%nat + sum (n - 3) (fun k => g (2 + k)%nat) + g (n - 1)%nat.
Proof.
  intros Hn. destruct n as [|[|[|n]]]; try lia. replace (S (S (S n)) - 3)%nat with n by lia.
  replace (S (S (S n)) - 1)%nat with (S (S n)) by lia. change (sum (S (S (S n))) g) with (sum (S (S n)) g + g (S (S n))). f_equal.
  rewrite sum_first, sum_first. rewrite Rplus_assoc. f_equal. 
Qed.

Lemma dot_sum : forall a c, length a = length c -> IZR (dot a c) = sum (length a) (fun k => number a k * number c k).
Proof.
  intros a c E. assert (Q := dot_near 1 a c 0 (fun k => number c k) ltac:(lia)).
  assert (NR : near 1 c 0 (fun k => number c k)) by (intros k _; rewrite Rmult_1_r; unfold Rminus; rewrite Rplus_opp_r, Rabs_R0; simpl; lra).
  specialize (Q NR (Z.le_refl 0)). rewrite Z.mul_0_r, Rmult_1_r in Q.
  apply abs_bounds in Q. simpl IZR in Q. lra.
Qed.

Lemma row_on_token n b F u x row o : (4 <= n)%nat -> (0 < box_unit b)%Z -> length row = n -> length (middle b) = (n - 3)%nat ->
  unit_token n b F u x -> (F = Bos_flag -> forall k, u k = 0) ->
  (sum n (fun c => number row c * x c) + IZR o) * IZR (box_unit b)
  = IZR (flag_entry n b F (row, o)) + sum (n - 3) (fun k => u k * IZR (noise_entry n b k (row, o))).
Proof.
  intros Hn HU Lr Lm X UB.
  replace (sum (n - 3) (fun k => u k * IZR (noise_entry n b k (row, o))))
    with (match F with Bos_flag => 0 | _ => sum (n - 3) (fun k => u k * IZR (noise_entry n b k (row, o))) end).
  2: { destruct F; try reflexivity. rewrite (sum_ext (n - 3) _ (fun _ => 0)); [rewrite sum_const; ring|]. intros k _. rewrite UB by reflexivity. ring. }
  destruct X as [F0 F1 F2 FN]. rewrite sum_split by exact Hn. set (D := IZR (box_unit b)) in *.
  assert (NP : forall k, (k < n - 3)%nat -> nth k (noise_part n row) 0%Z = nth (2 + k) row 0%Z).
  { intros k Hk. unfold noise_part. rewrite nth_firstn_lt by exact Hk. rewrite nth_skipn_plus. reflexivity. }
  assert (LN : length (noise_part n row) = (n - 3)%nat) by (unfold noise_part; rewrite firstn_length, skipn_length; lia).
  assert (S1 : sum (n - 3) (fun k => number row (2 + k) * x (2 + k)%nat) * D
             = match F with Bos_flag => 0 | _ => IZR (dot (middle b) (noise_part n row)) end
               + match F with Bos_flag => 0 | _ => sum (n - 3) (fun k => u k * IZR (noise_entry n b k (row, o))) end).
  { rewrite Rmult_comm, <- sum_scal.
    rewrite (sum_ext (n - 3) _ (fun k => match F with Bos_flag => 0 | _ => number (middle b) k * number (noise_part n row) k + u k * IZR (noise_entry n b k (row, o)) end)).
    - destruct F; [rewrite sum_const; ring| |]; (rewrite sum_plus; f_equal; rewrite dot_sum by lia; rewrite Lm; reflexivity).
    - intros k Hk. specialize (FN k Hk). fold D in FN.
      replace (D * (number row (2 + k) * x (2 + k)%nat)) with (number row (2 + k) * (x (2 + k)%nat * D)) by ring. rewrite FN.
      destruct F; [ring| |]; unfold noise_entry, number; cbn [fst]; rewrite mult_IZR, NP by exact Hk; ring. }
  unfold flag_entry. rewrite plus_IZR, mult_IZR, plus_IZR. fold D. rewrite F0, F1, F2.
  replace ((number row 0 * _ + number row 1 * _ + sum (n - 3) (fun k => number row (2 + k) * x (2 + k)%nat) + number row (n - 1) * _ + IZR o) * D)
    with ((number row 0 * match F with Bos_flag => 1 | _ => 0 end + number row 1 * match F with Trigger_flag => 1 | _ => 0 end
           + number row (n - 1) * match F with Content_flag => 1 | _ => 0 end + IZR o) * D
          + sum (n - 3) (fun k => number row (2 + k) * x (2 + k)%nat) * D) by ring.
  rewrite S1. destruct F; unfold place_of, number; cbn; ring.
Qed.

Record columns := { of_bos : list Z; of_trigger : list Z; of_content : list Z; of_noise : list (list Z) }.

Definition of_flag (c : columns) (F : flag) : list Z :=
  match F with Bos_flag => of_bos c | Trigger_flag => of_trigger c | Content_flag => of_content c end.

Definition head_rows (w h : nat) (f : given_map) : list (list Z * Z) := firstn w (skipn (h * w) (combine (rows f) (offsets f))).

Definition columns_of (n w h : nat) (b : unit_box) (f : given_map) : columns :=
  let ros := head_rows w h f in {|
    of_bos := map (flag_entry n b Bos_flag) ros;
    of_trigger := map (flag_entry n b Trigger_flag) ros;
    of_content := map (flag_entry n b Content_flag) ros;
    of_noise := map (fun k => map (noise_entry n b k) ros) (seq 0 (n - 3)) |}.

(** The coordinate i that a map whose columns these are gives the token of flag F and noise u, over some unit. *)
Definition coordinate (d : nat) (c : columns) (F : flag) (u : nat -> R) (i : nat) : R :=
  number (of_flag c F) i + sum d (fun k => u k * number_at (of_noise c) k i).

Lemma columns_spec n w h heads b f F u x i : (4 <= n)%nat -> (0 < box_unit b)%Z -> length (middle b) = (n - 3)%nat ->
  map_fits f (heads * w) n = true -> (h < heads)%nat -> (i < w)%nat ->
  unit_token n b F u x -> (F = Bos_flag -> forall k, u k = 0) ->
  apply n (map_of f) x (h * w + i)%nat * (unit_of (shift f) * IZR (box_unit b)) = coordinate (n - 3) (columns_of n w h b f) F u i.
Proof.
  intros Hn HU Lm MF Hh Hi X UB. destruct (map_fits_spec _ _ _ MF) as (A & B & C & D).
  assert (HW : (h * w + i < heads * w)%nat) by (apply Nat.lt_le_trans with (S h * w)%nat; [simpl; lia|apply Nat.mul_le_mono_r; lia]).
  set (ros := head_rows w h f).
  assert (LR : length ros = w).
  { unfold ros, head_rows. rewrite firstn_length, skipn_length, combine_length, A, B, Nat.min_id.
    apply Nat.min_l. assert (S h * w <= heads * w)%nat by (apply Nat.mul_le_mono_r; lia). simpl in H. lia. }
  assert (RN : nth i ros ([], 0%Z) = (nth (h * w + i) (rows f) [], nth (h * w + i) (offsets f) 0%Z)).
  { unfold ros, head_rows. rewrite nth_firstn_lt by exact Hi. rewrite nth_skipn_plus. apply combine_nth. lia. }
  assert (CF : number (of_flag (columns_of n w h b f) F) i = IZR (flag_entry n b F (nth (h * w + i) (rows f) [], nth (h * w + i) (offsets f) 0%Z))).
  { unfold number. rewrite <- RN. destruct F; cbn [of_flag of_bos of_trigger of_content columns_of]; fold ros;
      rewrite (nth_map_in _ _ _ ([], 0%Z)) by (rewrite LR; exact Hi); reflexivity. }
  assert (CN : forall k, (k < n - 3)%nat -> number_at (of_noise (columns_of n w h b f)) k i
             = IZR (noise_entry n b k (nth (h * w + i) (rows f) [], nth (h * w + i) (offsets f) 0%Z))).
  { intros k Hk. unfold number_at, number. cbn [of_noise columns_of]. fold ros.
    rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hk). rewrite seq_nth by exact Hk. cbn [Nat.add].
    rewrite (nth_map_in _ _ _ ([], 0%Z)) by (rewrite LR; exact Hi). rewrite RN. reflexivity. }
  unfold coordinate. rewrite CF, (sum_ext (n - 3) (fun k => u k * number_at (of_noise (columns_of n w h b f)) k i)
    (fun k => u k * IZR (noise_entry n b k (nth (h * w + i) (rows f) [], nth (h * w + i) (offsets f) 0%Z)))) by (intros k Hk; rewrite CN by exact Hk; reflexivity).
  rewrite <- (row_on_token n b F u x _ _ Hn HU (C _ HW) Lm X UB). unfold apply, linear_value. cbn [entries bias map_of].
  rewrite power_is_pow by exact D. pose proof (unit_pos _ D) as U. unfold number_at, number.
  rewrite (sum_ext n (fun c => IZR (nth c (nth (h * w + i) (rows f) []) 0%Z) / unit_of (shift f) * x c)
             (fun c => / unit_of (shift f) * (IZR (nth c (nth (h * w + i) (rows f) []) 0%Z) * x c))) by (intros; unfold Rdiv; ring).
  rewrite sum_scal. field. lra.
Qed.

(** ** Logits, over one unit *)

Section Logits.

Variables (d w : nat) (factor : Z) (q k : columns).
Hypotheses (LQ : forall F, length (of_flag q F) = w) (LK : forall F, length (of_flag k F) = w)
  (LQN : length (of_noise q) = d) (LKN : length (of_noise k) = d)
  (LQC : forall l, (l < d)%nat -> length (nth l (of_noise q) []) = w)
  (LKC : forall l, (l < d)%nat -> length (nth l (of_noise k) []) = w).

Definition pair_of (a c : list Z) : Z := (factor * dot a c)%Z.
Let e (a c : list Z) : R := IZR (pair_of a c).
Let qn (l : nat) : list Z := nth l (of_noise q) [].
Let kn (l : nat) : list Z := nth l (of_noise k) [].

(** base(F, G) and q(F)_l of section 4.3. *)
Definition base_at (F : flag) (c : list Z) (u : nat -> R) : R := e (of_flag q F) c + sum d (fun j => u j * e (qn j) c).

Lemma sum_swap_terms n m (g : nat -> nat -> R) : sum n (fun i => sum m (g i)) = sum m (fun j => sum n (fun i => g i j)).
Proof.
  induction n as [|n IH]; [simpl; rewrite sum_const; ring|]. cbn [sum]. rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma coordinate_times F u (c : nat -> R) :
  sum w (fun i => coordinate d q F u i * c i)
  = sum w (fun i => number (of_flag q F) i * c i) + sum d (fun j => u j * sum w (fun i => number (qn j) i * c i)).
Proof.
  unfold coordinate.
  rewrite (sum_ext w _ (fun i => number (of_flag q F) i * c i + sum d (fun j => u j * (number (qn j) i * c i)))).
  - rewrite sum_plus. f_equal. rewrite sum_swap_terms. apply sum_ext. intros j _. rewrite sum_scal. reflexivity.
  - intros i _. rewrite Rmult_plus_distr_r. f_equal. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros j _.
    unfold number_at, qn, number. ring.
Qed.

Lemma base_spec F u c : length c = w -> IZR factor * sum w (fun i => coordinate d q F u i * number c i) = base_at F c u.
Proof.
  intros Lc. rewrite coordinate_times. unfold base_at, e, pair_of. rewrite Rmult_plus_distr_l, mult_IZR, dot_sum by (rewrite LQ; auto).
  rewrite LQ. f_equal. rewrite <- sum_scal. apply sum_ext. intros j Hj. rewrite mult_IZR, dot_sum by (unfold qn; rewrite LQC by exact Hj; auto).
  unfold qn. rewrite LQC by exact Hj. ring.
Qed.

(** The logit of a key of flag G and noise v, for a query of flag F and noise u. *)
Theorem logit_form F u G v :
  IZR factor * sum w (fun i => coordinate d q F u i * coordinate d k G v i)
  = base_at F (of_flag k G) u + sum d (fun l => v l * base_at F (kn l) u).
Proof.
  rewrite (sum_ext w _ (fun i => coordinate d q F u i * number (of_flag k G) i + sum d (fun l => v l * (coordinate d q F u i * number (kn l) i)))).
  - rewrite sum_plus, Rmult_plus_distr_l, base_spec by apply LK. f_equal. rewrite sum_swap_terms, <- sum_scal. apply sum_ext. intros l Hl.
    rewrite sum_scal. rewrite <- (base_spec F u (kn l)) by (apply LKC, Hl). ring.
  - intros i _. unfold coordinate at 2. rewrite Rmult_plus_distr_l. f_equal. rewrite <- sum_scal. apply sum_ext. intros l _.
    unfold number_at, kn, number. ring.
Qed.

(** ** The forms of section 4.9 *)

(** [sign] (base of the key - base of the reference + [slot]), and the absolute values of q where the key's noise is free. *)
Definition against (key reference : option (list Z)) (a : list Z) : Z :=
  ((match key with Some c => pair_of a c | None => 0 end) - (match reference with Some c => pair_of a c | None => 0 end))%Z.

Definition key_form (sign : Z) (F : flag) (key reference : option (list Z)) (slot : Z) (free : bool) : form := {|
  constant := sign * (against key reference (of_flag q F) + slot);
  linear := map (fun a => (sign * against key reference a)%Z) (of_noise q);
  products := [];
  absolutes := if free then map (fun c => (pair_of (of_flag q F) c, map (fun a => pair_of a c) (of_noise q))) (of_noise k) else [] |}.

(** The token as its own key. *)
Definition own_form (sign : Z) (F : flag) (reference : option (list Z)) : form := {|
  constant := (sign * against (Some (of_flag k F)) reference (of_flag q F)
               + whole_sum d (fun j => Z.max 0 (sign * pair_of (nth j (of_noise q) []) (nth j (of_noise k) []))))%Z;
  linear := map (fun ac => (sign * (against (Some (of_flag k F)) reference (fst ac) + pair_of (of_flag q F) (snd ac)))%Z)
                (combine (of_noise q) (of_noise k));
  products := map (fun ac => map (fun ac' => (sign * (pair_of (fst ac) (snd ac') + pair_of (fst ac') (snd ac)))%Z)
                                 (combine (of_noise q) (of_noise k)))
                  (combine (of_noise q) (of_noise k));
  absolutes := [] |}.

Definition base_of (F : flag) (c : option (list Z)) (u : nat -> R) : R := match c with Some c => base_at F c u | None => 0 end.

Lemma against_spec F key reference u :
  IZR (against key reference (of_flag q F)) + sum d (fun j => u j * IZR (against key reference (qn j))) = base_of F key u - base_of F reference u.
Proof.
  unfold against. rewrite minus_IZR.
  rewrite (sum_ext d _ (fun j => u j * match key with Some c => e (qn j) c | None => 0 end - u j * match reference with Some c => e (qn j) c | None => 0 end)).
  - rewrite sum_minus. unfold base_of, base_at, e.
    destruct key, reference; rewrite ?(sum_ext d (fun j => u j * 0) (fun _ => 0)) by (intros; ring); rewrite ?sum_const; ring.
  - intros j _. rewrite minus_IZR. unfold e. destruct key, reference; ring.
Qed.

Lemma key_form_spec sign F key reference slot free u v : (sign = 1 \/ sign = -1)%Z -> in_unit d v -> (free = false -> forall l, v l = 0) ->
  IZR sign * (base_of F key u - base_of F reference u + IZR slot + sum d (fun l => v l * base_at F (kn l) u))
  <= form_at d (key_form sign F key reference slot free) u.
Proof.
  intros SG V FR. unfold form_at, key_form. cbn [constant linear products absolutes].
  rewrite (sum_ext d (fun k0 => sum k0 _) (fun _ => 0)).
  2: { intros j _. rewrite (sum_ext j _ (fun _ => 0)); [rewrite sum_const; ring|]. intros l _. unfold number_at, number. destruct j, l; simpl; ring. }
  rewrite sum_const, Rmult_0_r, Rplus_0_r.
  rewrite (sum_ext d (fun j => number (map (fun a => (sign * against key reference a)%Z) (of_noise q)) j * u j)
             (fun j => IZR sign * (u j * IZR (against key reference (qn j))))).
  2: { intros j Hj. unfold number. rewrite (nth_map_in _ _ _ []) by (rewrite LQN; exact Hj). rewrite mult_IZR. unfold qn. ring. }
  rewrite sum_scal, mult_IZR, plus_IZR.
  assert (AG := against_spec F key reference u).
  assert (AB : IZR sign * sum d (fun l => v l * base_at F (kn l) u)
             <= sum (length (absolutes (key_form sign F key reference slot free))) (fun i => Rabs (inner d (key_form sign F key reference slot free) i u))).
  { destruct free.
    - cbn [absolutes key_form]. rewrite map_length, LKN, <- sum_scal. apply sum_le. intros l Hl. unfold inner. cbn [absolutes key_form].
      rewrite (nth_map_in _ _ _ []) by (rewrite LKN; exact Hl). cbn [fst snd].
      replace (IZR (pair_of (of_flag q F) (nth l (of_noise k) [])) + sum d (fun k0 => number (map (fun a => pair_of a (nth l (of_noise k) [])) (of_noise q)) k0 * u k0))
        with (base_at F (kn l) u).
      + set (y := base_at F (kn l) u). pose proof (Rle_abs y). pose proof (Rle_abs (- y)). rewrite Rabs_Ropp in H0. specialize (V l Hl).
        destruct SG as [-> | ->]; nra.
      + unfold base_at, e, kn. f_equal. apply sum_ext. intros j Hj. unfold number. rewrite (nth_map_in _ _ _ []) by (rewrite LQN; exact Hj).
        unfold qn. ring.
    - cbn [absolutes key_form length sum]. rewrite (sum_ext d _ (fun _ => 0)) by (intros l _; rewrite (FR eq_refl); ring).
      rewrite sum_const, !Rmult_0_r. apply Rle_refl. }
  eapply Rle_trans; [|apply Rplus_le_compat_l; exact AB]. rewrite <- !Rmult_plus_distr_l. apply Req_le. f_equal. lra.
Qed.

Lemma square_terms (m : nat -> nat -> R) (u : nat -> R) n :
  sum n (fun l => sum n (fun j => u l * (u j * m j l)))
  = sum n (fun j => m j j * (u j * u j)) + sum n (fun j => sum j (fun l => (m j l + m l j) * (u j * u l))).
Proof.
  induction n as [|n IH]; [simpl; ring|]. cbn [sum].
  rewrite (sum_ext n (fun l => sum n (fun j => u l * (u j * m j l)) + u l * (u n * m n l))
            (fun l => sum n (fun j => u l * (u j * m j l)) + m n l * (u n * u l))) by (intros; ring).
  rewrite sum_plus, IH.
  rewrite (sum_ext n (fun j => u n * (u j * m j n)) (fun j => m j n * (u n * u j))) by (intros; ring).
  rewrite (sum_ext n (fun l => (m n l + m l n) * (u n * u l)) (fun l => m n l * (u n * u l) + m l n * (u n * u l))) by (intros; ring).
  rewrite sum_plus. ring.
Qed.

Lemma own_form_spec sign F reference u : (sign = 1 \/ sign = -1)%Z -> in_unit d u ->
  IZR sign * (base_at F (of_flag k F) u - base_of F reference u + sum d (fun l => u l * base_at F (kn l) u))
  <= form_at d (own_form sign F reference) u.
Proof.
  intros SG V. unfold form_at, own_form. cbn [constant linear products absolutes length sum].
  assert (LC : length (combine (of_noise q) (of_noise k)) = d) by (rewrite combine_length; lia).
  assert (CN : forall j, (j < d)%nat -> nth j (combine (of_noise q) (of_noise k)) ([], []) = (qn j, kn j)) by (intros; apply combine_nth; lia).
  rewrite plus_IZR, whole_sum_spec, mult_IZR, Rplus_0_r.
  rewrite (sum_ext d (fun j => number _ j * u j)
             (fun j => IZR sign * (u j * IZR (against (Some (of_flag k F)) reference (qn j))) + IZR sign * (u j * e (of_flag q F) (kn j)))).
  2: { intros j Hj. unfold number. rewrite (nth_map_in _ _ _ ([], [])) by (rewrite LC; exact Hj). rewrite CN by exact Hj. cbn [fst snd].
       rewrite mult_IZR, plus_IZR. unfold e. ring. }
  rewrite sum_plus, !sum_scal.
  assert (AG := against_spec F (Some (of_flag k F)) reference u). cbn [base_of] in AG.
  set (m := fun j l => e (qn j) (kn l)).
  assert (PR : sum d (fun j => sum j (fun l => number_at (map (fun ac => map (fun ac' => (sign * (pair_of (fst ac) (snd ac') + pair_of (fst ac') (snd ac)))%Z)
                 (combine (of_noise q) (of_noise k))) (combine (of_noise q) (of_noise k))) j l * (u j * u l)))
               = IZR sign * sum d (fun j => sum j (fun l => (m j l + m l j) * (u j * u l)))).
  { rewrite <- sum_scal. apply sum_ext. intros j Hj. rewrite <- sum_scal. apply sum_ext. intros l Hl. unfold number_at, number.
    rewrite (nth_map_in _ _ _ ([], [])) by (rewrite LC; exact Hj). rewrite (nth_map_in _ _ _ ([], [])) by (rewrite LC; lia).
    rewrite !CN by lia. cbn [fst snd]. rewrite mult_IZR, plus_IZR. unfold m, e. ring. }
  rewrite PR.
  assert (BQ : sum d (fun l => u l * base_at F (kn l) u)
             = sum d (fun l => u l * e (of_flag q F) (kn l)) + sum d (fun l => sum d (fun j => u l * (u j * m j l)))).
  { rewrite <- sum_plus. apply sum_ext. intros l _. unfold base_at. rewrite Rmult_plus_distr_l, <- sum_scal. f_equal. }
  rewrite square_terms in BQ.
  assert (SQ : IZR sign * sum d (fun j => m j j * (u j * u j))
             <= sum d (fun j => IZR (Z.max 0 (sign * pair_of (nth j (of_noise q) []) (nth j (of_noise k) []))))).
  { rewrite <- sum_scal. apply sum_le. intros j Hj. specialize (V j Hj). set (z := (sign * pair_of _ _)%Z).
    assert (E : IZR sign * (m j j * (u j * u j)) = IZR z * (u j * u j)) by (unfold z, m, e, qn, kn; rewrite mult_IZR; ring).
    rewrite E. pose proof (IZR_le _ _ (Z.le_max_r 0 z)). pose proof (IZR_le _ _ (Z.le_max_l 0 z)).
    assert (0 <= u j * u j <= 1) by nra. nra. }
  destruct SG as [-> | ->]; lra.
Qed.

End Logits.
