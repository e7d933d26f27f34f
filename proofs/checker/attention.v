(** * The rule layer-attention: floors and ceilings of one layer

    Section 4.10 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given box statements rounded exponential weights pass layers inputs forms logits kernels ranges.
Import ListNotations.
Open Scope R_scope.

Definition plus (x y : rational) : rational := {| top := top x * bottom y + top y * bottom x; bottom := bottom x * bottom y |}.
Definition times (x y : rational) : rational := {| top := top x * top y; bottom := bottom x * bottom y |}.
Definition whole_times (m : nat) (x : rational) : rational := {| top := Z.of_nat m * top x; bottom := bottom x |}.

Definition zero : rational := {| top := 0; bottom := 1 |}.
Definition no_kernel : kernel_class := {| class_low := zero; class_high := zero; class_least := zero; class_greatest := zero |}.

(** In a row of m content keys, and t triggers: what [mine] is of the whole, at least or at most b. *)
Definition share_shown (a : kind) (s : side) (b : rational) (mine other content trigger : kernel_class) (t m : nat) : bool :=
  let own := match s with At_least => class_least mine | _ => class_greatest mine end in
  let rest c := match s with At_least => class_greatest c | _ => class_least c end in
  let whole :=
    if normalised a
    then times b (plus own (plus (rest other) (plus (whole_times m (rest content)) (whole_times t (rest trigger)))))
    else whole_times (m + t) b in
  (if normalised a then (0 <? top (plus own (plus (rest other) (plus (whole_times m (rest content)) (whole_times t (rest trigger))))))%Z else true)
  && match s with At_least => rational_le whole own | At_most => rational_le own whole | _ => false end.

(** Query flag, triggers among the keys, and the least number of content keys. *)
Definition shape (c : row_class) : option (flag * nat * nat) :=
  match c with
  | Before => Some (Content_flag, 0, 1)%nat
  | Trigger => Some (Trigger_flag, 1, 1)%nat
  | After => Some (Content_flag, 1, 2)%nat
  | Any => None
  end.

(** The box in whole numbers, and the multipliers of each head, if there are any. *)
Record frame := { frame_box : unit_box; frame_multipliers : option (nat -> multipliers) }.

Definition multipliers_of (fr : frame) (h : nat) : option multipliers := option_map (fun m => m h) (frame_multipliers fr).

Definition frame_shown (g : given_network) (T : given_task) (fr : frame) : bool :=
  match given_layers g with
  | [l] => network_fits g && box_fits (given_width g) T (frame_box fr)
           && forallb (fun h => match multipliers_of fr h with
                                | Some m => multipliers_shown g l h (frame_box fr) m
                                | None => true
                                end) (seq 0 (given_heads g))
  | _ => false
  end.

Record ranges := { range_order : list nat; range_points : nat -> option point; range_heads : nat -> head_ranges }.

Definition ranges_shown (g : given_network) (fr : frame) (r : ranges) : bool :=
  match given_layers g with
  | [l] => forallb (fun h => let b := frame_box fr in let of_head := range_heads r h in
                             head_shown g l h b (multipliers_of fr h) (range_points r) of_head (range_order r)
                             && bos_shown g l h b of_head && gates_shown g l h b of_head) (seq 0 (given_heads g))
  | _ => false
  end.

Definition place_of_weight (where_ : option (nat * nat)) (h : nat) : bool :=
  match where_ with None => true | Some (_, h') => (h =? h')%nat end.

Definition attention_shown (g : given_network) (L : nat) (r : ranges) (c : row_class) (q : quantity) (s : side) (b : rational) : bool :=
  match q, shape c with
  | Weight_of k where_, Some (F, t, least) =>
      let a := given_kind g in
      positive_bottom b
      && forallb (fun h =>
           let kernel := class_of (range_heads r h) F in
           let mine := match k with O => kernel Null | S _ => kernel (Key Bos_flag) end in
           let other := match k with O => kernel (Key Bos_flag) | S _ => if has_slot a then kernel Null else no_kernel end in
           negb (place_of_weight where_ h)
           || share_shown a s b mine other (kernel (Key Content_flag)) (kernel (Key Trigger_flag)) t least
              && share_shown a s b mine other (kernel (Key Content_flag)) (kernel (Key Trigger_flag)) t (L - 2))
         (seq 0 (given_heads g))
  | _, _ => false
  end.

(** ** Proofs *)

Lemma real_plus x y : (0 < bottom x)%Z -> (0 < bottom y)%Z -> (0 < bottom (plus x y))%Z /\ real (plus x y) = real x + real y.
Proof.
  intros Hx Hy. split; [cbn; nia|]. apply IZR_lt in Hx, Hy. unfold real, plus. cbn [top bottom]. rewrite plus_IZR, !mult_IZR. field. lra.
Qed.

Lemma real_mult x y : (0 < bottom x)%Z -> (0 < bottom y)%Z -> (0 < bottom (times x y))%Z /\ real (times x y) = real x * real y.
Proof.
  intros Hx Hy. split; [cbn; nia|]. apply IZR_lt in Hx, Hy. unfold real, times. cbn [top bottom]. rewrite !mult_IZR. field. lra.
Qed.

Lemma real_whole m x : (0 < bottom x)%Z -> (0 < bottom (whole_times m x))%Z /\ real (whole_times m x) = INR m * real x.
Proof.
  intros Hx. split; [exact Hx|]. apply IZR_lt in Hx. unfold real, whole_times. cbn [top bottom]. rewrite mult_IZR, <- INR_IZR_INZ. field. lra.
Qed.

Lemma real_le x y : (0 < bottom x)%Z -> (0 < bottom y)%Z -> rational_le x y = true -> real x <= real y.
Proof.
  intros Bx By H. apply IZR_lt in Bx, By. unfold rational_le in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. unfold real.
  apply Rmult_le_reg_r with (IZR (bottom x) * IZR (bottom y)); [nra|].
  replace (IZR (top x) / IZR (bottom x) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top x) * IZR (bottom y)) by (field; lra).
  replace (IZR (top y) / IZR (bottom y) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top y) * IZR (bottom x)) by (field; lra). exact H.
Qed.

Lemma real_positive x : (0 < bottom x)%Z -> (0 <? top x)%Z = true -> 0 < real x.
Proof. intros B H. apply Z.ltb_lt, IZR_lt in H. apply IZR_lt in B. unfold real. apply Rdiv_lt_0_compat; assumption. Qed.

Definition sound_class (c : kernel_class) : Prop := (0 < bottom (class_least c))%Z /\ (0 < bottom (class_greatest c))%Z.

(** At both ends, so between. *)
Lemma affine A B x y z : 0 <= A + x * B -> 0 <= A + z * B -> x <= y <= z -> 0 <= A + y * B.
Proof. intros. destruct (Rle_dec 0 B); nra. Qed.

Lemma affine_strict A B x y z : 0 < A + x * B -> 0 < A + z * B -> x <= y <= z -> 0 < A + y * B.
Proof. intros. destruct (Rle_dec 0 B); nra. Qed.

Lemma floor_share B a al rest ru : 0 <= al <= a -> 0 <= rest <= ru -> 0 < a + rest -> 0 < al + ru -> B * (al + ru) <= al -> B <= a / (a + rest).
Proof.
  intros [A0 A1] [R0 R1] P Q H. apply Rmult_le_reg_r with (a + rest); [exact P|]. replace (a / (a + rest) * (a + rest)) with a by (field; lra).
  assert (B1 : B <= 1) by nra. destruct (Rle_dec B 0) as [N|N]; [nra|]. assert (0 <= B) by lra.
  assert (B * (a + rest) <= B * (a + ru)) by (apply Rmult_le_compat_l; lra). assert (B * (a - al) <= 1 * (a - al)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma ceiling_share B a au rest rl : 0 <= a <= au -> 0 <= rl <= rest -> 0 < a + rest -> 0 < au + rl -> au <= B * (au + rl) -> a / (a + rest) <= B.
Proof.
  intros [A0 A1] [R0 R1] P Q H. apply Rmult_le_reg_r with (a + rest); [exact P|]. replace (a / (a + rest) * (a + rest)) with a by (field; lra).
  destruct (Rle_dec 1 B) as [N|N]; [nra|].
  assert (a * (1 - B) <= au * (1 - B)) by (apply Rmult_le_compat_r; lra). assert (B0 : 0 <= B) by nra.
  assert (B * rl <= B * rest) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma share_scale fac p d d' : d = fac * d' -> 0 < fac -> 0 < d' -> fac * p / d = p / d'.
Proof. intros -> F D. field. split; lra. Qed.

(** A sum over keys 2..i, one of which may be the trigger. *)
Lemma sum_of_keys n j c t : sum n (fun s => if (s + 2 =? j)%nat then t else c)
  = INR n * c + (if (2 <=? j)%nat && (j <? n + 2)%nat then t - c else 0).
Proof.
  induction n as [|n IH].
  - cbn [sum]. simpl INR. replace ((2 <=? j)%nat && (j <? 0 + 2)%nat) with false; [ring|].
    symmetry. apply andb_false_iff. destruct (Nat.leb_spec 2 j); [right; apply Nat.ltb_ge; lia|left; reflexivity].
  - cbn [sum]. rewrite IH, S_INR.
    destruct (Nat.eqb_spec (n + 2) j) as [E|E], (Nat.leb_spec 2 j), (Nat.ltb_spec j (n + 2)), (Nat.ltb_spec j (S n + 2)); cbn [andb]; try lia; ring.
Qed.

Lemma phi_nonneg a z : a <> Linear -> 0 <= phi a z.
Proof.
  destruct a; intros N; try contradiction; simpl; try (apply Rlt_le, exp_pos); try (apply Rlt_le, logistic_pos); try (apply Rlt_le, elu1_pos). apply Rmax_l.
Qed.

Section Row.

Variables (g : given_network) (l : given_layer) (L : nat) (T : given_task) (fr : frame) (r : ranges) (x : sequence) (j i h : nat).
Hypotheses (EL : given_layers g = [l]) (FS : frame_shown g T fr = true) (RS : ranges_shown g fr r = true) (OT : of_task (given_width g) L T j x)
  (Hi : (2 <= i <= L)%nat) (Hh : (h < given_heads g)%nat).

Let n := given_width g.
Let a := given_kind g.
Let M := network_of g.
Let F := if (i =? j)%nat then Trigger_flag else Content_flag.
Let kernel := class_of (range_heads r h) F.
Let t := if (j <=? i)%nat then 1%nat else 0%nat.
Let m := (i - 1 - t)%nat.

Lemma frame_parts : network_fits g = true /\ box_fits n T (frame_box fr) = true /\ layer_fits g l = true
  /\ forall m0, multipliers_of fr h = Some m0 -> multipliers_shown g l h (frame_box fr) m0 = true.
Proof.
  unfold frame_shown in FS. rewrite EL in FS. rewrite !andb_true_iff, forallb_forall in FS. destruct FS as [[A B] C].
  split; [exact A|]. split; [exact B|]. split.
  - unfold network_fits in A. rewrite !andb_true_iff, EL in A. destruct A as [_ A]. simpl in A. apply andb_prop in A. apply A.
  - intros m0 E. specialize (C h ltac:(apply in_seq; lia)). rewrite E in C. exact C.
Qed.

Lemma shown_head : head_shown g l h (frame_box fr) (multipliers_of fr h) (range_points r) (range_heads r h) (range_order r) = true.
Proof.
  unfold ranges_shown in RS. rewrite EL in RS. rewrite forallb_forall in RS. specialize (RS h ltac:(apply in_seq; lia)). cbv zeta in RS.
  rewrite !andb_true_iff in RS. apply RS.
Qed.

Lemma token_is_unit k : (2 <= k <= L)%nat ->
  exists u, in_unit (n - 3) u /\ unit_token n (frame_box fr) (if (k =? j)%nat then Trigger_flag else Content_flag) u (x k).
Proof.
  intros Hk. destruct frame_parts as (_ & BF & _). destruct OT as [[_ J TT CT] _]. destruct (Nat.eqb_spec k j) as [->|N].
  - apply task_token_is_unit_token with T 1 0; [exact BF|exact TT|]. left. auto.
  - apply task_token_is_unit_token with T 0 1; [exact BF|apply CT; assumption|]. right. auto.
Qed.

(** The kernels of the row, up to one positive factor. *)
Lemma row_kernels : exists (factor rho : R), 0 < factor /\ (normalised a = false -> factor = 1 /\ rho = 0)
  /\ (forall z, phi a z = factor * phi a (z - rho))
  /\ (has_slot a = true -> real (class_least (kernel Null)) <= phi a (slot_logit (layer_of l) h - rho) <= real (class_greatest (kernel Null)))
  /\ (real (class_least (kernel (Key Bos_flag))) <= phi a (logit M (layer_of l) x h i 1 - rho) <= real (class_greatest (kernel (Key Bos_flag))))
  /\ forall k, (2 <= k <= i)%nat -> let c := kernel (Key (if (k =? j)%nat then Trigger_flag else Content_flag)) in
       real (class_least c) <= phi a (logit M (layer_of l) x h i k - rho) <= real (class_greatest c).
Proof.
  destruct frame_parts as (NF & BF & LF & MS). assert (HS := shown_head). assert (BF' := BF). unfold box_fits in BF'.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF'. destruct BF' as (((((Hn & HU) & _) & LM) & _) & _).
  destruct (token_is_unit i Hi) as (u & UB & TU). fold F in TU.
  set (rho := reference_at g l h (frame_box fr) (range_heads r h) F u).
  assert (HF : F = Content_flag \/ F = Trigger_flag) by (unfold F; destruct (i =? j)%nat; auto).
  assert (KC := key_in_class g l h (frame_box fr) (multipliers_of fr h) (range_points r) Hn HU LM NF LF Hh MS (range_heads r h) (range_order r) x i).
  exists (if relative a then exp rho else 1), rho. split; [destruct (relative a); [apply exp_pos|lra]|]. split.
  { intros N. assert (R : relative a = false) by (destruct a; simpl in *; try discriminate; reflexivity).
    rewrite R. split; [reflexivity|]. apply reference_zero. exact R. }
  split.
  { intros z. destruct (relative a) eqn:R.
    - assert (P : phi a = exp) by (destruct a; simpl in *; try discriminate; reflexivity). rewrite P, <- exp_plus. f_equal. ring.
    - unfold rho. rewrite reference_zero by exact R. rewrite Rminus_0_r, Rmult_1_l. reflexivity. }
  split.
  { intros S. apply (slot_in_class g l h (frame_box fr) (multipliers_of fr h) (range_points r) Hn HU LM NF LF Hh MS (range_heads r h) (range_order r) F u HS S HF UB). }
  split.
  { apply (KC 1%nat F u Bos_flag (fun _ => 0) HS HF TU UB).
    - destruct OT as [[FT _ _ _] _]. rewrite FT. apply bos_is_unit_token, Hn.
    - intros k Hk. lra.
    - reflexivity.
    - intros _ E. discriminate E. }
  intros k Hk. cbn zeta. destruct (Nat.eq_dec k i) as [->|NE].
  - fold F. apply (KC i F u F u HS HF TU UB TU UB); [|reflexivity]. intros E. destruct HF as [H|H]; rewrite H in E; discriminate.
  - destruct (token_is_unit k ltac:(lia)) as (v & VB & TV). apply (KC k F u _ v HS HF TU UB TV VB).
    + destruct (k =? j)%nat; discriminate.
    + unfold F. destruct (Nat.eqb_spec i j) as [->|Nj]; [|discriminate]. destruct (Nat.eqb_spec k j); [lia|discriminate].
Qed.

Lemma classes_sound key : (key = Null -> has_slot a = true) -> sound_class (kernel key)
  /\ (a <> Linear -> 0 <= real (class_least (kernel key))).
Proof.
  intros SL. assert (HS := shown_head). unfold head_shown in HS. rewrite forallb_forall in HS.
  specialize (HS F ltac:(unfold F; destruct (i =? j)%nat; simpl; auto)). rewrite forallb_forall in HS.
  assert (I : In key ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ (if has_slot (given_kind g) then [Null] else []))).
  { apply in_or_app. destruct key as [[]|]; simpl; auto. right. fold a. rewrite SL by reflexivity. simpl. auto. }
  specialize (HS key I). unfold class_shown in HS. fold kernel in HS. change (class_of (range_heads r h) F key) with (kernel key) in HS.
  destruct (trees_of _ _ _). rewrite !andb_true_iff in HS. destruct HS as [[K _] _]. unfold kernel_shown in K. rewrite !andb_true_iff in K.
  destruct K as ((((((_ & _) & P3) & P4) & _) & _) & NN). unfold positive_bottom in P3, P4. rewrite Z.ltb_lt in P3, P4.
  split; [split; assumption|]. intros NL. assert (Q : (0 <= top (class_least (kernel key)))%Z).
  { fold a in NN. destruct a; try contradiction; apply Z.leb_le, NN. }
  apply IZR_le in Q. apply IZR_lt in P3. unfold real. apply Rle_mult_inv_pos; assumption.
Qed.

End Row.

Definition end_of (s : side) (c : kernel_class) : R := match s with At_least => real (class_least c) | _ => real (class_greatest c) end.
Definition other_end (s : side) (c : kernel_class) : R := match s with At_least => real (class_greatest c) | _ => real (class_least c) end.

Definition whole_of (s : side) (mine other content trigger : kernel_class) (t : nat) (m : R) : R :=
  end_of s mine + (other_end s other + (m * other_end s content + INR t * other_end s trigger)).

Lemma share_shown_spec a s b mine other content trigger t m : (0 < bottom b)%Z ->
  sound_class mine -> sound_class other -> sound_class content -> sound_class trigger ->
  share_shown a s b mine other content trigger t m = true ->
  (normalised a = true -> 0 < whole_of s mine other content trigger t (INR m)) /\
  let whole := if normalised a then real b * whole_of s mine other content trigger t (INR m) else (INR m + INR t) * real b in
  match s with At_least => whole <= end_of s mine | At_most => end_of s mine <= whole | _ => False end.
Proof.
  intros Hb [M1 M2] [O1 O2] [C1 C2] [T1 T2] H. unfold share_shown in H. cbn zeta in H.
  set (own := match s with At_least => class_least mine | _ => class_greatest mine end) in H.
  set (o := match s with At_least => class_greatest other | _ => class_least other end) in H.
  set (c := match s with At_least => class_greatest content | _ => class_least content end) in H.
  set (tr := match s with At_least => class_greatest trigger | _ => class_least trigger end) in H.
  assert (Bo : (0 < bottom own)%Z) by (unfold own; destruct s; assumption).
  assert (Boo : (0 < bottom o)%Z) by (unfold o; destruct s; assumption).
  assert (Bc : (0 < bottom c)%Z) by (unfold c; destruct s; assumption).
  assert (Bt : (0 < bottom tr)%Z) by (unfold tr; destruct s; assumption).
  destruct (real_whole m c Bc) as [B1 E1]. destruct (real_whole t tr Bt) as [B2 E2].
  destruct (real_plus _ _ B1 B2) as [B3 E3]. destruct (real_plus _ _ Boo B3) as [B4 E4]. destruct (real_plus _ _ Bo B4) as [B5 E5].
  destruct (real_mult b _ Hb B5) as [B6 E6]. destruct (real_whole (m + t) b Hb) as [B7 E7].
  assert (W : real (plus own (plus o (plus (whole_times m c) (whole_times t tr)))) = whole_of s mine other content trigger t (INR m)).
  { rewrite E5, E4, E3, E1, E2. unfold whole_of, end_of, other_end, own, o, c, tr. destruct s; reflexivity. }
  assert (OW : real own = end_of s mine) by (unfold own, end_of; destruct s; reflexivity).
  apply andb_prop in H. destruct H as [P Q]. split.
  - intros N. rewrite N in P. rewrite <- W. apply real_positive; assumption.
  - rewrite plus_INR in E7. cbn zeta. destruct (normalised a).
    + rewrite <- W, <- E6, <- OW. destruct s; try discriminate; apply real_le; assumption.
    + rewrite <- E7, <- OW. destruct s; try discriminate; apply real_le; assumption.
Qed.

Lemma shape_spec c L j i F t least : shape c = Some (F, t, least) -> of_class c j i -> (3 <= j <= L)%nat -> (2 <= i <= L)%nat ->
  F = (if (i =? j)%nat then Trigger_flag else Content_flag) /\ t = (if (j <=? i)%nat then 1%nat else 0%nat)
  /\ (least <= i - 1 - t <= L - 2)%nat.
Proof.
  intros S C J I. destruct c; cbn [shape of_class] in *; try discriminate; injection S as <- <- <-.
  - destruct (Nat.eqb_spec i j); [lia|]. destruct (Nat.leb_spec j i); [lia|]. repeat split; lia.
  - subst j. rewrite Nat.eqb_refl, Nat.leb_refl. repeat split; lia.
  - destruct (Nat.eqb_spec i j); [lia|]. destruct (Nat.leb_spec j i); [|lia]. repeat split; lia.
Qed.

Lemma no_kernel_sound : sound_class no_kernel.
Proof. split; simpl; lia. Qed.

(** The rule. *)
Theorem attention_shown_spec g l L T fr r x j i h c k where_ s b :
  given_layers g = [l] -> frame_shown g T fr = true -> ranges_shown g fr r = true -> of_task (given_width g) L T j x -> (2 <= i <= L)%nat -> (h < given_heads g)%nat ->
  of_class c j i -> (k <= 1)%nat -> (k = 0%nat -> has_slot (given_kind g) = true) -> place_of_weight where_ h = true ->
  attention_shown g L r c (Weight_of k where_) s b = true ->
  meets s (weight (network_of g) (layer_of l) x h i k) b.
Proof.
  intros EL FS RS OT Hi Hh CL Hk HS PW H. unfold attention_shown in H. destruct (shape c) as [[[F t] least]|] eqn:SH; [|discriminate].
  assert (J : (3 <= j <= L)%nat) by (destruct OT as [[_ J _ _] _]; exact J).
  destruct (shape_spec c L j i F t least SH CL J Hi) as (EF & Et & LM).
  apply andb_prop in H. destruct H as [PB H]. unfold positive_bottom in PB. apply Z.ltb_lt in PB.
  rewrite forallb_forall in H. specialize (H h ltac:(apply in_seq; lia)). cbn zeta in H. rewrite PW in H. cbn [negb orb] in H.
  set (a := given_kind g) in *. set (kernel := class_of (range_heads r h) F) in *.
  set (mine := match k with O => kernel Null | S _ => kernel (Key Bos_flag) end) in *.
  set (other := match k with O => kernel (Key Bos_flag) | S _ => if has_slot a then kernel Null else no_kernel end) in *.
  apply andb_prop in H. destruct H as [H1 H2].
  assert (KC := classes_sound g l L fr r j i h EL RS Hi Hh). rewrite <- EF in KC. fold kernel a in KC.
  destruct (row_kernels g l L T fr r x j i h EL FS RS OT Hi Hh) as (fac & rho & FP & FN & FE & KS & KB & KR). rewrite <- EF in KS, KB, KR.
  fold kernel a in KS, KB, KR, FN, FE.
  destruct (KC (Key Bos_flag) ltac:(discriminate)) as [SB NB]. destruct (KC (Key Content_flag) ltac:(discriminate)) as [SC NC].
  destruct (KC (Key Trigger_flag) ltac:(discriminate)) as [ST NT].
  assert (SM : sound_class mine) by (unfold mine; destruct k; [apply KC; auto|exact SB]).
  assert (SO : sound_class other).
  { unfold other. destruct k; [exact SB|]. destruct (has_slot a) eqn:E; [apply KC; auto|apply no_kernel_sound]. }
  destruct (share_shown_spec a s b mine other _ _ t least PB SM SO SC ST H1) as [P1 Q1].
  destruct (share_shown_spec a s b mine other _ _ t (L - 2) PB SM SO SC ST H2) as [P2 Q2]. cbn zeta in Q1, Q2.
  set (m := (i - 1 - t)%nat) in *. assert (MI : INR least <= INR m <= INR (L - 2)) by (split; apply le_INR; lia).
  set (content := kernel (Key Content_flag)) in *. set (trigger := kernel (Key Trigger_flag)) in *.
  set (K := fun z => phi a (z - rho)) in *.
  set (own := K (match k with O => slot_logit (layer_of l) h | S _ => logit (network_of g) (layer_of l) x h i 1 end)).
  assert (OWN : real (class_least mine) <= own <= real (class_greatest mine)).
  { unfold own, mine, K. destruct k; [apply KS; auto|exact KB]. }
  (* the keys from 2 on *)
  set (rest := sum (i - 1) (fun s0 => K (logit (network_of g) (layer_of l) x h i (s0 + 2)))).
  assert (SUMS : forall e : kernel_class -> R, sum (i - 1) (fun s0 => e (kernel (Key (if (s0 + 2 =? j)%nat then Trigger_flag else Content_flag))))
                 = INR m * e content + INR t * e trigger).
  { intros e. rewrite (sum_ext (i - 1) _ (fun s0 => if (s0 + 2 =? j)%nat then e trigger else e content)) by (intros s0 _; destruct (s0 + 2 =? j)%nat; reflexivity).
    rewrite sum_of_keys. replace (2 <=? j)%nat with true by (symmetry; apply Nat.leb_le; lia). cbn [andb].
    replace (j <? i - 1 + 2)%nat with (j <=? i)%nat by (destruct (Nat.leb_spec j i); symmetry; [apply Nat.ltb_lt|apply Nat.ltb_ge]; lia).
    unfold m. rewrite Et. destruct (Nat.leb_spec j i); [replace (i - 1)%nat with (S (i - 1 - 1)) at 1 by lia; rewrite S_INR; simpl INR; ring|].
    rewrite Nat.sub_0_r. simpl INR. ring. }
  assert (REST : INR m * real (class_least content) + INR t * real (class_least trigger) <= rest
                 <= INR m * real (class_greatest content) + INR t * real (class_greatest trigger)).
  { rewrite <- (SUMS (fun c0 => real (class_least c0))), <- (SUMS (fun c0 => real (class_greatest c0))). unfold rest, K.
    split; apply sum_le; intros s0 Hs; apply (KR (s0 + 2)%nat); lia. }
  assert (TOTAL : possum i (fun k0 => K (logit (network_of g) (layer_of l) x h i k0)) = K (logit (network_of g) (layer_of l) x h i 1) + rest).
  { unfold possum. replace i with (S (i - 1)) at 1 by lia. rewrite sum_first. f_equal. unfold rest. apply sum_ext. intros s0 _. f_equal. f_equal. lia. }
  assert (GE : forall c0, end_of At_least c0 = real (class_least c0)) by reflexivity.
  assert (LE : forall c0, end_of At_most c0 = real (class_greatest c0)) by reflexivity.
  unfold weight, divisor. change (attention_kind (network_of g)) with a. destruct (normalised a) eqn:N.
  - (* normalised *)
    assert (NL : a <> Linear) by (intros E; rewrite E in N; discriminate).
    set (o := match k with O => K (logit (network_of g) (layer_of l) x h i 1) | S _ => if has_slot a then K (slot_logit (layer_of l) h) else 0 end).
    assert (OTH : real (class_least other) <= o <= real (class_greatest other)).
    { unfold o, other, K. destruct k; [exact KB|]. destruct (has_slot a) eqn:E; [apply KS; auto|]. unfold no_kernel, zero, real. cbn. lra. }
    assert (ON : 0 <= real (class_least other)).
    { unfold other. destruct k; [apply NB, NL|]. destruct (has_slot a) eqn:E; [apply KC; auto|]. unfold no_kernel, zero, real. cbn. lra. }
    assert (MN : 0 <= real (class_least mine)) by (unfold mine; destruct k; [apply KC; auto|apply NB, NL]).
    assert (KP : forall z, 0 < K z) by (intros z; apply phi_pos, N).
    assert (OP : 0 < own) by (unfold own; apply KP).
    assert (R0 : 0 <= rest) by (unfold rest; apply sum_nonneg; intros; apply Rlt_le, KP).
    assert (M0 := pos_INR m). assert (T0 := pos_INR t). specialize (NC NL). specialize (NT NL).
    assert (W : match k with O => slot_kernel (network_of g) (layer_of l) h | S _ => phi a (logit (network_of g) (layer_of l) x h i k) end
                / (slot_kernel (network_of g) (layer_of l) h + possum i (fun k0 => phi a (logit (network_of g) (layer_of l) x h i k0)))
                = own / (own + (o + rest))).
    { assert (PS : possum i (fun k0 => phi a (logit (network_of g) (layer_of l) x h i k0)) = fac * (K (logit (network_of g) (layer_of l) x h i 1) + rest)).
      { rewrite <- TOTAL. unfold possum. rewrite <- sum_scal. apply sum_ext. intros s0 _. apply FE. }
      rewrite PS. unfold slot_kernel. change (attention_kind (network_of g)) with a. unfold own, o. destruct k as [|k].
      - rewrite HS by reflexivity. destruct (slot_is_softmax a (HS eq_refl)) as [PE _].
        assert (SK : exp (slot_logit (layer_of l) h) = fac * K (slot_logit (layer_of l) h)) by (replace (exp (slot_logit (layer_of l) h)) with (phi a (slot_logit (layer_of l) h)) by (rewrite PE; reflexivity); apply FE).
        rewrite SK. pose proof (KP (slot_logit (layer_of l) h)). pose proof (KP (logit (network_of g) (layer_of l) x h i 1)). apply share_scale; [ring|exact FP|lra].
      - replace (S k) with 1%nat by lia. rewrite (FE (logit (network_of g) (layer_of l) x h i 1)).
        fold (K (logit (network_of g) (layer_of l) x h i 1)). pose proof (KP (logit (network_of g) (layer_of l) x h i 1)).
        destruct (has_slot a) eqn:E.
        + destruct (slot_is_softmax a E) as [PE _].
          assert (SK : exp (slot_logit (layer_of l) h) = fac * K (slot_logit (layer_of l) h)) by (replace (exp (slot_logit (layer_of l) h)) with (phi a (slot_logit (layer_of l) h)) by (rewrite PE; reflexivity); apply FE).
          rewrite SK. pose proof (KP (slot_logit (layer_of l) h)). apply share_scale; [ring|exact FP|lra].
        + apply share_scale; [ring|exact FP|lra]. }
    specialize (P1 eq_refl). specialize (P2 eq_refl). rewrite W. destruct s; try contradiction; unfold whole_of in *; cbn [meets end_of other_end] in *.
    + apply floor_share with (al := real (class_least mine)) (ru := real (class_greatest other) + (INR m * real (class_greatest content) + INR t * real (class_greatest trigger))); try lra.
      * set (B0 := real b) in *. set (mg := real (class_greatest content)) in *.
        assert (Q := affine_strict (real (class_least mine) + real (class_greatest other) + INR t * real (class_greatest trigger)) mg (INR least) (INR m) (INR (L - 2)) ltac:(lra) ltac:(lra) MI).
        lra.
      * set (B0 := real b) in *. set (mg := real (class_greatest content)) in *.
        assert (Q := affine (real (class_least mine) - B0 * (real (class_least mine) + real (class_greatest other) + INR t * real (class_greatest trigger))) (- (B0 * mg)) (INR least) (INR m) (INR (L - 2)) ltac:(lra) ltac:(lra) MI).
        lra.
    + apply ceiling_share with (au := real (class_greatest mine)) (rl := real (class_least other) + (INR m * real (class_least content) + INR t * real (class_least trigger))); try lra.
      * split; [|lra]. assert (0 <= INR m * real (class_least content)) by (apply Rmult_le_pos; assumption).
        assert (0 <= INR t * real (class_least trigger)) by (apply Rmult_le_pos; assumption). lra.
      * set (mg := real (class_least content)) in *.
        assert (Q := affine_strict (real (class_greatest mine) + real (class_least other) + INR t * real (class_least trigger)) mg (INR least) (INR m) (INR (L - 2)) ltac:(lra) ltac:(lra) MI).
        lra.
      * set (B0 := real b) in *. set (mg := real (class_least content)) in *.
        assert (Q := affine (B0 * (real (class_greatest mine) + real (class_least other) + INR t * real (class_least trigger)) - real (class_greatest mine)) (B0 * mg) (INR least) (INR m) (INR (L - 2)) ltac:(lra) ltac:(lra) MI).
        lra.
  - (* not normalised: there is no null slot *)
    assert (NS : has_slot a = false) by (destruct a; simpl in *; try discriminate; reflexivity).
    destruct k as [|k]; [rewrite HS in NS by reflexivity; discriminate|]. replace (S k) with 1%nat by lia.
    destruct (FN eq_refl) as [F1 R1]. assert (EK : phi a (logit (network_of g) (layer_of l) x h i 1) = own).
    { unfold own, K. rewrite R1, Rminus_0_r. reflexivity. }
    rewrite EK. assert (CT : INR (Nat.max 1 (i - 1)) = INR m + INR t).
    { rewrite <- plus_INR. f_equal. unfold m. rewrite Et. destruct (Nat.leb_spec j i); lia. }
    rewrite CT. assert (CP : 0 < INR m + INR t) by (rewrite <- CT; apply lt_0_INR; lia).
    assert (VAL : own / (INR m + INR t) * (INR m + INR t) = own) by (field; lra).
    destruct s; try contradiction; cbn [meets end_of] in *.
    + apply Rmult_le_reg_r with (INR m + INR t); [exact CP|]. rewrite VAL.
      assert (Q := affine (real (class_least mine) - INR t * real b) (- real b) (INR least) (INR m) (INR (L - 2)) ltac:(lra) ltac:(lra) MI). lra.
    + apply Rmult_le_reg_r with (INR m + INR t); [exact CP|]. rewrite VAL.
      assert (Q := affine (INR t * real b - real (class_greatest mine)) (real b) (INR least) (INR m) (INR (L - 2)) ltac:(lra) ltac:(lra) MI). lra.
Qed.
