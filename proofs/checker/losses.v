(** * The rule layer-row: losses of one layer

    Section 4.11 of CHECKPOINT_RULES.md, without gates.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given box statements rounded exponential weights pass layers inputs forms logits kernels ranges attention rows.
Import ListNotations.
Open Scope R_scope.

(** ** Rational numbers, whose sums keep a common denominator *)

Definition add (x y : rational) : rational :=
  if (bottom x =? bottom y)%Z then {| top := top x + top y; bottom := bottom x |} else plus x y.

Fixpoint add_all (n : nat) (f : nat -> rational) : rational := match n with O => zero | S p => add (add_all p f) (f p) end.

Definition size_of (x : rational) : rational := {| top := Z.abs (top x); bottom := bottom x |}.
Definition larger (x y : rational) : rational := if rational_le x y then y else x.

(** ** What the heads give coordinate r, over [value_unit] *)

Record head_value := { v_bos : Z; v_trigger : Z; v_content : Z; v_noise : list Z }.
Definition v_reach (v : head_value) : Z := fold_right (fun x s => Z.abs x + s)%Z 0%Z (v_noise v).

(** The ends of the kernels of a row, over one unit. *)
Record ends := { e_unit : Z; e_null : Z * Z; e_bos : Z * Z; e_content : Z * Z; e_trigger : Z * Z }.
Definition both (e : Z * Z) : Z := (fst e + snd e)%Z.
Definition apart (e : Z * Z) : Z := (snd e - fst e)%Z.

Definition ends_of (a : kind) (r : head_ranges) (F : flag) : ends :=
  let e key := (top (class_least (class_of r F key)), top (class_greatest (class_of r F key))) in
  {| e_unit := bottom (class_least (class_of r F (Key Bos_flag))); e_null := if has_slot a then e Null else (0, 0)%Z;
     e_bos := e (Key Bos_flag); e_content := e (Key Content_flag); e_trigger := e (Key Trigger_flag) |}.

Definition one_unit (a : kind) (r : head_ranges) (F : flag) : bool :=
  let u := bottom (class_least (class_of r F (Key Bos_flag))) in
  forallb (fun key => (bottom (class_least (class_of r F key)) =? u)%Z && (bottom (class_greatest (class_of r F key)) =? u)%Z)
    ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ if has_slot a then [Null] else []).

Section Heads.

Variables (a : kind) (m t : nat).        (* content keys and triggers *)
Let mz := Z.of_nat m. Let tz := Z.of_nat t.

Definition centre_of (e : ends) : Z := (both (e_null e) + both (e_bos e) + mz * both (e_content e) + tz * both (e_trigger e))%Z.
Definition least_of (e : ends) : Z := (fst (e_null e) + fst (e_bos e) + mz * fst (e_content e) + tz * fst (e_trigger e))%Z.
Definition divisor_of (e : ends) : Z := if normalised a then centre_of e else (2 * e_unit e * (mz + tz))%Z.

Definition ends_fit (e : ends) : bool := (0 <? divisor_of e)%Z && if normalised a then (0 <? least_of e)%Z else true.

Definition reference_at_centre (e : ends) (v : head_value) : rational :=
  {| top := both (e_bos e) * v_bos v + mz * (both (e_content e) * v_content v) + tz * (both (e_trigger e) * v_trigger v); bottom := divisor_of e |}.

(** How far what a head gives is from its reference. *)
Definition deviation (e : ends) (v : head_value) : rational :=
  let rho := v_reach v in let vb := v_bos v in let vc := v_content v in let vt := v_trigger v in
  (if normalised a then
     let z := centre_of e in let q := mz * mz in
     let c0 := both (e_null e) in let cb := both (e_bos e) in let cc := mz * both (e_content e) in let ct := tz * both (e_trigger e) in
     let off_c := rho * Z.of_nat (most_spread m) * z
                  + q * (ct * (Z.abs (vc - vt) + 2 * rho) + cb * (Z.abs (vc - vb) + rho) + c0 * (Z.abs vc + rho)) in
     let off_t := cc * (Z.abs (vt - vc) + 2 * rho) + cb * (Z.abs (vt - vb) + rho) + c0 * (Z.abs vt + rho) in
     let off_b := cc * (Z.abs (vb - vc) + rho) + ct * (Z.abs (vb - vt) + rho) + c0 * Z.abs vb in
     let off_0 := cc * (Z.abs vc + rho) + ct * (Z.abs vt + rho) + cb * Z.abs vb in
     {| top := mz * apart (e_content e) * off_c + q * (tz * apart (e_trigger e) * off_t + apart (e_bos e) * off_b + apart (e_null e) * off_0);
        bottom := 2 * least_of e * z * q |}
   else {| top := mz * apart (e_content e) * (Z.abs vc + rho) + tz * apart (e_trigger e) * (Z.abs vt + rho) + apart (e_bos e) * Z.abs vb;
           bottom := divisor_of e |})%Z.

(** The error of a row, over [value_unit]: [offset] is that of the output, [flags] and [noise] are those of the target. *)
Definition row_total (H d : nat) (E : nat -> ends) (V : nat -> head_value) (offset : Z) (flags : Z * Z) (noise : nat -> Z) : rational :=
  let N := (mz + tz)%Z in
  let centre := add {| top := N * offset - (mz * fst flags + tz * snd flags); bottom := N |} (add_all H (fun h => reference_at_centre (E h) (V h))) in
  let swing (of_key : ends -> Z * Z) :=
    add_all d (fun k => size_of (add {| top := - noise k; bottom := N |}
                                  (add_all H (fun h => {| top := both (of_key (E h)) * nth k (v_noise (V h)) 0%Z; bottom := divisor_of (E h) |})))) in
  add (add (size_of centre) (add (whole_times m (swing e_content)) (whole_times t (swing e_trigger)))) (add_all H (fun h => deviation (E h) (V h))).

End Heads.

Section Layer.

Variables (g : given_network) (l : given_layer) (b : unit_box).
Let n := given_width g.
Let d := (n - 3)%nat.
Let w := given_head_width g.
Let a := given_kind g.

Definition value_columns (h : nat) : columns := columns_of n w h b (given_value l).
Definition output_part (h r : nat) : list Z := firstn w (skipn (h * w) (nth r (rows (given_output l)) [])).

Definition head_value_of (c : columns) (h r : nat) : head_value :=
  let o := output_part h r in
  {| v_bos := dot o (of_bos c); v_trigger := dot o (of_trigger c); v_content := dot o (of_content c); v_noise := map (dot o) (of_noise c) |}.

Definition map_unit : Z := (power (shift (given_output l)) * power (shift (given_value l)))%Z.
Definition value_unit : Z := (map_unit * box_unit b)%Z.
Definition offset_value (r : nat) : Z := (nth r (offsets (given_output l)) 0 * (power (shift (given_value l)) * box_unit b))%Z.

(** Coordinate r of unit tokens. *)
Definition is_noise (r : nat) : bool := (2 <=? r)%nat && (r <? n - 1)%nat.
Definition token_flag (r : nat) (G : flag) : Z :=
  if is_noise r then (map_unit * nth (r - 2) (middle b) 0)%Z
  else match G with
       | Trigger_flag => if (r =? 1)%nat then value_unit else 0%Z
       | Content_flag => if (r =? n - 1)%nat then value_unit else 0%Z
       | Bos_flag => 0%Z
       end.
Definition token_noise (r k : nat) : Z := if (r =? k + 2)%nat then (map_unit * nth k (spread b) 0)%Z else 0%Z.

(** The weight of BOS in row 1. *)
Definition first_weight (r : head_ranges) : rational * rational :=
  let share (x : rational) := {| top := top x; bottom := bottom x + top x |} in
  if normalised a then
    if has_slot a then (share (bos_least r), share (bos_greatest r)) else ({| top := 1; bottom := 1 |}, {| top := 1; bottom := 1 |})
  else (bos_least r, bos_greatest r).

Definition first_total (R : nat -> head_ranges) (V : nat -> head_value) (s : Z) (r : nat) : rational :=
  add {| top := s * offset_value r; bottom := 1 |}
    (add_all (given_heads g) (fun h =>
       let (least, greatest) := first_weight (R h) in let v := (s * v_bos (V h))%Z in
       larger {| top := top least * v; bottom := bottom least |} {| top := top greatest * v; bottom := bottom greatest |})).

End Layer.

Definition no_columns : columns := {| of_bos := []; of_trigger := []; of_content := []; of_noise := [] |}.
Definition no_ends : ends := {| e_unit := 1; e_null := (0, 0)%Z; e_bos := (0, 0)%Z; e_content := (0, 0)%Z; e_trigger := (0, 0)%Z |}.
Definition no_value : head_value := {| v_bos := 0; v_trigger := 0; v_content := 0; v_noise := [] |}.

Definition losses_shown (g : given_network) (L : nat) (fr : frame) (r : ranges) (c : row_class) (s : side) (b : rational) : bool :=
  match shape c, s, given_layers g with
  | Some (F, t, least), At_most, [l] =>
      let n := given_width g in let H := given_heads g in let a := given_kind g in let bx := frame_box fr in
      let limit := {| top := top b * value_unit l bx; bottom := bottom b |} in
      let es := map (fun h => ends_of a (range_heads r h) F) (seq 0 H) in
      let E h := nth h es no_ends in
      let cs := map (value_columns g l bx) (seq 0 H) in
      let ms := seq least (L - 1 - least) in
      match a with Softmax_gated => false | _ => true end && negb (given_residual g) && positive_bottom b
      && forallb (fun h => one_unit a (range_heads r h) F) (seq 0 H)
      && forallb (fun m => forallb (fun e => ends_fit a m t e) es) ms
      && forallb (fun k =>
           let vs := map (fun h => head_value_of g l (nth h cs no_columns) h k) (seq 0 H) in
           let V h := nth h vs no_value in
           let flags := match F with Trigger_flag => (token_flag g l bx k Content_flag, token_flag g l bx k Trigger_flag) | _ => (0, 0)%Z end in
           let noise := match F with Trigger_flag => token_noise l bx k | _ => fun _ => 0%Z end in
           forallb (fun m => rational_le (row_total a m t H (n - 3) E V (offset_value l bx k) flags noise) limit) ms
           && match c with
              | Before => rational_le (first_total g l bx (range_heads r) V 1 k) limit && rational_le (first_total g l bx (range_heads r) V (-1) k) limit
              | _ => true
              end) (seq 0 n)
  | _, _, _ => false
  end.

(** ** Proofs: rational numbers *)

Definition sound (x : rational) : Prop := (0 < bottom x)%Z.

Lemma add_spec x y : sound x -> sound y -> sound (add x y) /\ real (add x y) = real x + real y.
Proof.
  unfold sound. intros Hx Hy. unfold add. destruct (Z.eqb_spec (bottom x) (bottom y)) as [E|E]; [|apply real_plus; assumption].
  split; [exact Hx|]. unfold real. cbn [top bottom]. rewrite plus_IZR, <- E. apply IZR_lt in Hx. field. lra.
Qed.

Lemma add_all_spec n f : (forall k, (k < n)%nat -> sound (f k)) -> sound (add_all n f) /\ real (add_all n f) = sum n (fun k => real (f k)).
Proof.
  induction n as [|n IH]; intros H; [split; [reflexivity|unfold real, zero; cbn; lra]|]. destruct (IH ltac:(intros; apply H; lia)) as [A B].
  destruct (add_spec _ _ A (H n ltac:(lia))) as [C D]. split; [exact C|]. cbn [add_all sum]. rewrite D, B. reflexivity.
Qed.

Lemma add_all_ext n f f' : (forall k, (k < n)%nat -> f k = f' k) -> add_all n f = add_all n f'.
Proof. induction n as [|n IH]; intros Q; [reflexivity|]. cbn [add_all]. rewrite IH by (intros; apply Q; lia). rewrite Q by lia. reflexivity. Qed.

Lemma size_of_spec x : sound x -> sound (size_of x) /\ real (size_of x) = Rabs (real x).
Proof.
  unfold sound. intros H. split; [exact H|]. unfold real, size_of. cbn [top bottom]. apply IZR_lt in H. rewrite abs_IZR. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)); [reflexivity|].
  apply Rlt_le, Rinv_0_lt_compat, H.
Qed.

Lemma larger_spec x y : sound x -> sound y -> sound (larger x y) /\ real x <= real (larger x y) /\ real y <= real (larger x y).
Proof.
  unfold sound. intros Hx Hy. unfold larger. destruct (rational_le x y) eqn:E.
  - split; [exact Hy|]. split; [apply real_le; assumption|lra].
  - split; [exact Hx|]. split; [lra|]. apply Rlt_le. unfold rational_le in E. apply Z.leb_gt, IZR_lt in E. rewrite !mult_IZR in E. apply IZR_lt in Hx, Hy.
    unfold real. apply Rmult_lt_reg_r with (IZR (bottom x) * IZR (bottom y)); [nra|].
    replace (IZR (top x) / IZR (bottom x) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top x) * IZR (bottom y)) by (field; lra).
    replace (IZR (top y) / IZR (bottom y) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top y) * IZR (bottom x)) by (field; lra). exact E.
Qed.

(** ** Proofs: the output of a layer *)

Lemma sum_add p q f : sum (p + q) f = sum p f + sum q (fun k => f (p + k)%nat).
Proof. induction q as [|q IH]; [rewrite Nat.add_0_r; simpl; ring|]. rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring. Qed.

Lemma sum_blocks H w f : sum (H * w) f = sum H (fun h => sum w (fun c => f (h * w + c)%nat)).
Proof. induction H as [|H IH]; [reflexivity|]. cbn [sum]. rewrite <- IH, <- sum_add. f_equal. simpl. lia. Qed.

(** What head h makes of a token, in coordinate r of the output. *)
Definition value_at (M : network) (L : layer) (h : nat) (y : token) (r : nat) : R :=
  sum (head_width M) (fun c => entries (output L) r (h * head_width M + c)%nat * apply (width M) (value L) y (h * head_width M + c)%nat).

Lemma layer_output_spec M L x i r : attention_kind M <> Softmax_gated -> residual M = false ->
  layer_output M L x i r = bias (output L) r + sum (heads M) (fun h => possum i (fun k => weight M L x h i k * value_at M L h (x k) r)).
Proof.
  intros NG NR. unfold layer_output. rewrite NR, Rplus_0_r. unfold apply at 1, linear_value. rewrite sum_blocks, Rplus_comm. f_equal. apply sum_ext. intros h Hh.
  rewrite (sum_ext (head_width M) _ (fun c => possum i (fun k => weight M L x h i k * (entries (output L) r (h * head_width M + c)%nat * apply (width M) (value L) (x k) (h * head_width M + c)%nat)))).
  - unfold possum, value_at. rewrite sum_swap. apply sum_ext. intros k _. rewrite <- sum_scal. reflexivity.
  - intros c Hc. unfold side_by_side. replace ((h * head_width M + c) / head_width M)%nat with h.
    2: { apply Nat.div_unique with c; lia. }
    replace ((h * head_width M + c) mod head_width M)%nat with c by (apply Nat.mod_unique with h; lia).
    unfold head_output. replace (head_gate M L x h i) with 1 by (unfold head_gate; destruct (attention_kind M); try reflexivity; contradiction).
    rewrite Rmult_1_l, <- possum_scal. apply possum_ext. intros; ring.
Qed.

Lemma reach_spec v : IZR (v_reach v) = sum (length (v_noise v)) (fun k => Rabs (number (v_noise v) k)).
Proof.
  unfold v_reach. induction (v_noise v) as [|x s IH]; [reflexivity|]. cbn [fold_right length]. rewrite sum_first, plus_IZR, abs_IZR, IH. reflexivity.
Qed.

Lemma near_by_noise d (e : nat -> R) (u : nat -> R) : in_unit d u -> Rabs (sum d (fun k => u k * e k)) <= sum d (fun k => Rabs (e k)).
Proof.
  intros U. eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros k Hk. rewrite Rabs_mult. rewrite <- (Rmult_1_l (Rabs (e k))) at 2.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rabs_le. specialize (U k Hk). lra.
Qed.

Lemma finite_choice {A} (P : nat -> A -> Prop) (z : A) L : (forall k, (k < L)%nat -> exists u, P k u) -> exists W, forall k, (k < L)%nat -> P k (W k).
Proof.
  induction L as [|L IH]; intros H; [exists (fun _ => z); intros; lia|]. destruct (IH ltac:(intros; apply H; lia)) as [W HW]. destruct (H L ltac:(lia)) as [u Hu].
  exists (fun k => if (k =? L)%nat then u else W k). intros k Hk. destruct (Nat.eqb_spec k L) as [->|N]; [exact Hu|apply HW; lia].
Qed.

Section Values.

Variables (g : given_network) (l : given_layer) (b : unit_box) (h r : nat).
Hypotheses (Hn : (4 <= given_width g)%nat) (HU : (0 < box_unit b)%Z) (LM : length (middle b) = (given_width g - 3)%nat)
  (LF : layer_fits g l = true) (Hh : (h < given_heads g)%nat) (Hr : (r < given_width g)%nat).

Let n := given_width g.
Let d := (n - 3)%nat.
Let w := given_head_width g.
Let M := network_of g.
Let vu := IZR (value_unit l b).
Let v := head_value_of g l (value_columns g l b h) h r.

Definition of_value (u : head_value) (G : flag) : Z := match G with Bos_flag => v_bos u | Trigger_flag => v_trigger u | Content_flag => v_content u end.

Lemma value_parts : map_fits (given_value l) (given_heads g * w) n = true /\ map_fits (given_output l) n (given_heads g * w) = true.
Proof. destruct (layer_fits_parts g l LF) as (_ & _ & Fv & Fo & _ & _). split; assumption. Qed.

Lemma value_unit_pos : (0 < value_unit l b)%Z.
Proof.
  destruct value_parts as [Fv Fo]. destruct (map_fits_spec _ _ _ Fv) as (_ & _ & _ & D1). destruct (map_fits_spec _ _ _ Fo) as (_ & _ & _ & D2).
  unfold value_unit, map_unit. pose proof (power_pos _ D1). pose proof (power_pos _ D2). nia.
Qed.

Lemma offset_spec : bias (output (layer_of l)) r * vu = IZR (offset_value l b r).
Proof.
  destruct value_parts as [Fv Fo]. destruct (map_fits_spec _ _ _ Fo) as (_ & _ & _ & D2). destruct (map_fits_spec _ _ _ Fv) as (_ & _ & _ & D1).
  unfold layer_of, map_of. cbn [output bias]. unfold number, vu, value_unit, map_unit, offset_value. rewrite power_is_pow by exact D2. rewrite !mult_IZR.
  fold (unit_of (shift (given_output l))). fold (unit_of (shift (given_value l))). pose proof (unit_pos _ D2). field. lra.
Qed.

Lemma noise_length : length (v_noise v) = d.
Proof.
  destruct value_parts as [Fv _]. destruct (columns_lengths g h b Hn LM Hh _ Fv) as (_ & C & _). unfold v, head_value_of, value_columns. cbn [v_noise]. rewrite map_length. exact C.
Qed.

Lemma value_spec G u y : unit_token n b G u y -> (G = Bos_flag -> forall k, u k = 0) ->
  value_at M (layer_of l) h y r * vu = IZR (of_value v G) + sum d (fun k => u k * number (v_noise v) k).
Proof.
  intros TU UB. destruct value_parts as [Fv Fo]. destruct (map_fits_spec _ _ _ Fo) as (O1 & O2 & O3 & D2). destruct (map_fits_spec _ _ _ Fv) as (_ & _ & _ & D1).
  destruct (columns_lengths g h b Hn LM Hh _ Fv) as (C1 & C2 & C3). fold n w d in C1, C2, C3. set (o := output_part g l h r). set (c := value_columns g l b h).
  assert (LO : length o = w).
  { unfold o, output_part. rewrite firstn_length, skipn_length. rewrite O3 by exact Hr. fold w. apply Nat.min_l. assert (S h * w <= given_heads g * w)%nat by (apply Nat.mul_le_mono_r; lia). simpl in H. lia. }
  assert (P1 := unit_pos _ D1). assert (P2 := unit_pos _ D2).
  assert (E : value_at M (layer_of l) h y r * vu = sum w (fun i => number o i * coordinate d c G u i)).
  { unfold value_at. change (head_width M) with w. change (width M) with n. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros i Hi.
    assert (CS := columns_spec n w h (given_heads g) b (given_value l) G u y i Hn HU LM Fv Hh Hi TU UB). fold d in CS. change (columns_of n w h b (given_value l)) with c in CS. rewrite <- CS.
    unfold layer_of. cbn [output value]. unfold map_of at 1. cbn [entries]. rewrite power_is_pow by exact D2. unfold number_at, number, o, output_part. rewrite nth_firstn_lt by exact Hi. rewrite nth_skipn_plus.
    unfold vu, value_unit, map_unit. rewrite !mult_IZR. fold (unit_of (shift (given_output l))). fold (unit_of (shift (given_value l))). fold w. field. lra. }
  rewrite E. unfold coordinate.
  rewrite (sum_ext w _ (fun i => number o i * number (of_flag c G) i + sum d (fun k => u k * (number o i * number_at (of_noise c) k i)))).
  2: { intros i _. rewrite Rmult_plus_distr_l. f_equal. rewrite <- sum_scal. apply sum_ext. intros; ring. }
  rewrite sum_plus. f_equal.
  - assert (LC : length (of_flag c G) = w) by (unfold c, value_columns; apply C1). rewrite <- LO, <- dot_sum by lia. unfold v, head_value_of. fold o c. destruct G; reflexivity.
  - rewrite sum_swap. apply sum_ext. intros k Hk. rewrite sum_scal. f_equal.
    assert (LCK : length (nth k (of_noise c) []) = w) by (unfold c, value_columns; apply C3, Hk).
    transitivity (IZR (dot o (nth k (of_noise c) []))); [rewrite dot_sum by lia; rewrite LO; reflexivity|].
    unfold v, head_value_of. fold c. cbn [v_noise]. unfold number. rewrite (nth_map_in _ _ _ []) by (unfold c, value_columns; fold n w; rewrite C2; exact Hk). reflexivity.
Qed.

Lemma value_near G u y : unit_token n b G u y -> (G = Bos_flag -> forall k, u k = 0) -> in_unit d u ->
  Rabs (value_at M (layer_of l) h y r * vu - IZR (of_value v G)) <= IZR (v_reach v).
Proof.
  intros TU UB U. rewrite (value_spec G u y TU UB), reach_spec, noise_length.
  match goal with |- Rabs (?x + ?y - ?x) <= _ => replace (x + y - x) with y by ring end. apply near_by_noise, U.
Qed.

(** Coordinate r of the token itself. *)
Lemma token_spec G u y : (G = Content_flag \/ G = Trigger_flag) -> unit_token n b G u y ->
  y r * vu = IZR (token_flag g l b r G) + sum d (fun k => u k * IZR (token_noise l b r k)).
Proof.
  intros HG [T0 T1 T2 TN]. unfold token_flag, is_noise. fold n in Hr. fold n. destruct (Nat.leb_spec 2 r) as [A|A], (Nat.ltb_spec r (n - 1)) as [B|B]; cbn [andb].
  - specialize (TN (r - 2)%nat ltac:(lia)). replace (2 + (r - 2))%nat with r in TN by lia.
    assert (E : y r * IZR (box_unit b) = number (middle b) (r - 2) + number (spread b) (r - 2) * u (r - 2)%nat) by (destruct HG; subst G; exact TN).
    unfold vu, value_unit. rewrite mult_IZR. replace (y r * (IZR (map_unit l) * IZR (box_unit b))) with (IZR (map_unit l) * (y r * IZR (box_unit b))) by ring. rewrite E.
    rewrite (sum_single d _ (r - 2)%nat); [|unfold d; lia|].
    + unfold token_noise. replace (r =? r - 2 + 2)%nat with true by (symmetry; apply Nat.eqb_eq; lia). rewrite !mult_IZR. unfold number. ring.
    + intros k Hk N. unfold token_noise. destruct (Nat.eqb_spec r (k + 2)); [lia|]. simpl. ring.
  - assert (r = n - 1)%nat by lia. subst r. rewrite (sum_ext d _ (fun _ => 0)).
    2: { intros k Hk. unfold token_noise. destruct (Nat.eqb_spec (n - 1) (k + 2)); [unfold d in Hk; lia|]. simpl. ring. }
    rewrite sum_const, T2. replace (n - 1 =? 1)%nat with false by (symmetry; apply Nat.eqb_neq; unfold n in *; lia). rewrite Nat.eqb_refl. destruct HG; subst G; unfold vu; simpl (IZR 0); ring.
  - rewrite (sum_ext d _ (fun _ => 0)).
    2: { intros k Hk. unfold token_noise. destruct (Nat.eqb_spec r (k + 2)); [lia|]. simpl. ring. }
    rewrite sum_const. destruct r as [|[|r']]; [| |lia].
    + rewrite T0. replace (0 =? n - 1)%nat with false by (symmetry; apply Nat.eqb_neq; lia). destruct HG; subst G; simpl; ring.
    + rewrite T1. replace (1 =? n - 1)%nat with false by (symmetry; apply Nat.eqb_neq; lia). destruct HG; subst G; unfold vu; simpl; ring.
  - unfold n in *. lia.
Qed.

End Values.

(** ** Proofs: a row from 2 on *)

Lemma triggers_of i j : (3 <= j)%nat -> (2 <= i)%nat -> triggers (i - 1) j = if (j <=? i)%nat then 1%nat else 0%nat.
Proof.
  intros J I. unfold triggers. destruct (Nat.leb_spec 2 j); [|lia]. cbn [andb]. destruct (Nat.ltb_spec j (i - 1 + 2)), (Nat.leb_spec j i); try reflexivity; lia.
Qed.

Lemma possum_keys i f : (2 <= i)%nat -> possum i f = f 1%nat + sum (i - 1) (fun s => f (s + 2)%nat).
Proof. intros H. unfold possum. replace i with (S (i - 1)) at 1 by lia. rewrite sum_first. f_equal. apply sum_ext. intros s _. f_equal. lia. Qed.

Lemma sum_content_swap H n j (f : nat -> nat -> R) : sum H (fun h => content_sum n j (f h)) = content_sum n j (fun s => sum H (fun h => f h s)).
Proof.
  unfold content_sum. rewrite sum_swap. apply sum_ext. intros s _. destruct (s + 2 =? j)%nat; [rewrite sum_const; ring|reflexivity].
Qed.

Section Row.

Variables (g : given_network) (l : given_layer) (L : nat) (T : given_task) (fr : frame) (r : ranges) (x : sequence) (j i c : nat).
Hypotheses (EL : given_layers g = [l]) (FS : frame_shown g T fr = true) (RS : ranges_shown g fr r = true)
  (OT : of_task (given_width g) L T j x) (Hi : (2 <= i <= L)%nat) (Hc : (c < given_width g)%nat) (H1 : (0 < given_heads g)%nat).

Let n := given_width g.
Let d := (n - 3)%nat.
Let M := network_of g.
Let a := given_kind g.
Let b := frame_box fr.
Let F := if (i =? j)%nat then Trigger_flag else Content_flag.
Let t := triggers (i - 1) j.
Let m := (i - 1 - t)%nat.
Let vu := IZR (value_unit l b).
Hypotheses (M1 : (1 <= m)%nat) (UN : forall h, (h < given_heads g)%nat -> one_unit a (range_heads r h) F = true)
  (FIT : forall h, (h < given_heads g)%nat -> ends_fit a m t (ends_of a (range_heads r h) F) = true).

Let E (h : nat) : ends := ends_of a (range_heads r h) F.
Let V (h : nat) : head_value := head_value_of g l (value_columns g l b h) h c.

Lemma box_parts : (4 <= n)%nat /\ (0 < box_unit b)%Z /\ length (middle b) = d /\ layer_fits g l = true.
Proof.
  destruct (frame_parts g l L T fr j i 0 EL FS Hi H1) as (_ & BF & LF & _). unfold box_fits in BF.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF. destruct BF as (((((Hn & HU) & _) & LM) & _) & _). repeat split; assumption.
Qed.

Lemma trigger_place : (3 <= j <= L)%nat.
Proof. destruct OT as [[_ J _ _] _]. exact J. Qed.

(** The kernels of a head, and its weights. *)
Lemma head_weights h : (h < given_heads g)%nat -> exists (k0 kb D : R) (ks : nat -> R),
  let k := class_of (range_heads r h) F in
  (if has_slot a then real (class_least (k Null)) <= k0 <= real (class_greatest (k Null)) else k0 = 0)
  /\ real (class_least (k (Key Bos_flag))) <= kb <= real (class_greatest (k (Key Bos_flag)))
  /\ (forall s, (s < i - 1)%nat -> let G := if (s + 2 =? j)%nat then Trigger_flag else Content_flag in
        real (class_least (k (Key G))) <= ks s <= real (class_greatest (k (Key G))))
  /\ D = (if normalised a then k0 + (kb + sum (i - 1) ks) else INR (i - 1))
  /\ forall val : nat -> R, possum i (fun s => weight M (layer_of l) x h i s * val s) = (kb * val 1%nat + sum (i - 1) (fun s => ks s * val (s + 2)%nat)) / D.
Proof.
  intros Hh. destruct (row_kernels g l L T fr r x j i h EL FS RS OT Hi Hh) as (fac & rho & FP & FN & FE & KS & KB & KR). fold F a in KS. fold F a M in KB. fold F a M in KR. fold a in FN. fold a in FE.
  set (K := fun z => phi a (z - rho)) in *.
  set (k0 := if has_slot a then K (slot_logit (layer_of l) h) else 0). set (kb := K (logit M (layer_of l) x h i 1)).
  set (ks := fun s : nat => K (logit M (layer_of l) x h i (s + 2))).
  exists k0, kb, (if normalised a then k0 + (kb + sum (i - 1) ks) else INR (i - 1)), ks. cbv zeta. split; [|split; [exact KB|split; [|split; [reflexivity|]]]].
  - unfold k0. destruct (has_slot a) eqn:HS; [apply KS; reflexivity|reflexivity].
  - intros s Hs. apply (KR (s + 2)%nat). lia.
  - intros val. assert (WEIGHTS : forall s, (1 <= s)%nat -> weight M (layer_of l) x h i s = K (logit M (layer_of l) x h i s) / (if normalised a then k0 + (kb + sum (i - 1) ks) else INR (i - 1))).
    { intros [|s] Hs; [lia|]. unfold weight, divisor. change (attention_kind M) with a. destruct (normalised a) eqn:N.
      - assert (KP : forall z, 0 < K z) by (intros z; apply phi_pos, N).
        assert (PS : slot_kernel M (layer_of l) h + possum i (fun k => phi a (logit M (layer_of l) x h i k)) = fac * (k0 + (kb + sum (i - 1) ks))).
        { rewrite possum_keys by lia. rewrite (sum_ext (i - 1) (fun s0 => phi a _) (fun s0 => fac * ks s0)) by (intros; apply FE). rewrite sum_scal, (FE (logit M (layer_of l) x h i 1)).
          fold (K (logit M (layer_of l) x h i 1)). fold kb. unfold slot_kernel. change (attention_kind M) with a. unfold k0. destruct (has_slot a) eqn:HS; [|ring].
          destruct (slot_is_softmax a HS) as [PE _].
          assert (SK : exp (slot_logit (layer_of l) h) = fac * K (slot_logit (layer_of l) h)) by (replace (exp (slot_logit (layer_of l) h)) with (phi a (slot_logit (layer_of l) h)) by (rewrite PE; reflexivity); apply FE).
          rewrite SK. ring. }
        rewrite PS, (FE (logit M (layer_of l) x h i (S s))). fold (K (logit M (layer_of l) x h i (S s))).
        assert (0 < kb) by apply KP. assert (0 <= sum (i - 1) ks) by (apply sum_nonneg; intros; apply Rlt_le, KP). assert (0 <= k0) by (unfold k0; destruct (has_slot a); [apply Rlt_le, KP|lra]).
        apply share_scale; [reflexivity|exact FP|lra].
      - destruct (FN eq_refl) as [_ R1]. unfold K. rewrite R1, Rminus_0_r. do 2 f_equal. lia. }
    set (D := if normalised a then _ else _) in *. rewrite possum_keys by lia. rewrite WEIGHTS by lia. fold kb.
    rewrite (sum_ext (i - 1) _ (fun s => / D * (ks s * val (s + 2)%nat))) by (intros s _; rewrite WEIGHTS by lia; unfold ks, Rdiv; ring). rewrite sum_scal. unfold Rdiv. ring.
Qed.

(** The tokens' noise. *)
Lemma noises : exists W : nat -> nat -> R, forall s, (s < i - 1)%nat ->
  in_unit d (W s) /\ unit_token n b (if (s + 2 =? j)%nat then Trigger_flag else Content_flag) (W s) (x (s + 2)%nat).
Proof.
  apply (finite_choice (fun s u => in_unit d u /\ unit_token n b (if (s + 2 =? j)%nat then Trigger_flag else Content_flag) u (x (s + 2)%nat)) (fun _ => 0)). intros s Hs. apply (token_is_unit g l L T fr x j i 0 EL FS OT Hi H1). lia.
Qed.

Lemma real_end (h : nat) key (up : bool) : (h < given_heads g)%nat -> In key ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ if has_slot a then [Null] else []) ->
  let e := if up then class_greatest (class_of (range_heads r h) F key) else class_least (class_of (range_heads r h) F key) in
  real e = IZR (top e) / IZR (e_unit (E h)).
Proof.
  intros Hh I. assert (U := UN h Hh). unfold one_unit in U. rewrite forallb_forall in U. specialize (U key I). rewrite andb_true_iff, !Z.eqb_eq in U.
  unfold real, E, ends_of. cbn [e_unit]. destruct up; cbv zeta; [destruct U as [_ ->]|destruct U as [-> _]]; reflexivity.
Qed.

Lemma unit_positive h : (h < given_heads g)%nat -> 0 < IZR (e_unit (E h)).
Proof.
  intros Hh. destruct (classes_sound g l L fr r j i h EL RS Hi Hh (Key Bos_flag) ltac:(discriminate)) as [[S _] _]. apply IZR_lt, S.
Qed.

Definition share_at (e : ends) (of_key : ends -> Z * Z) : R := IZR (both (of_key e)) / IZR (divisor_of a m t e).

Lemma head_near h (W : nat -> nat -> R) : (h < given_heads g)%nat ->
  (forall s, (s < i - 1)%nat -> in_unit d (W s) /\ unit_token n b (if (s + 2 =? j)%nat then Trigger_flag else Content_flag) (W s) (x (s + 2)%nat)) ->
  let y s := value_at M (layer_of l) h (x (s + 2)%nat) c * vu in
  sound (deviation a m t (E h) (V h)) /\ (0 < divisor_of a m t (E h))%Z /\
  Rabs (possum i (fun k => weight M (layer_of l) x h i k * value_at M (layer_of l) h (x k) c) * vu
        - (share_at (E h) e_bos * IZR (v_bos (V h)) + share_at (E h) e_content * content_sum (i - 1) j y + INR t * (share_at (E h) e_trigger * y (j - 2)%nat)))
  <= real (deviation a m t (E h) (V h)).
Proof.
  intros Hh HW y. destruct box_parts as (Hn & HU & LM & LF). assert (J := trigger_place).
  destruct (head_weights h Hh) as (k0 & kb & D & ks & K0 & KB & KS & ED & PW). cbv zeta in K0, KB, KS. rewrite PW.
  assert (U := unit_positive h Hh). set (u := IZR (e_unit (E h))) in *.
  assert (CLS := fun key I => classes_sound g l L fr r j i h EL RS Hi Hh key I). fold F a in CLS.
  assert (RE := fun key up I => real_end h key up Hh I). cbv zeta in RE. fold u in RE.
  set (e := E h) in *. set (v := V h) in *.
  assert (INK : forall G, In (Key G) ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ if has_slot a then [Null] else [])) by (intros []; simpl; auto).
  (* the ends over the unit *)
  set (l0 := IZR (fst (e_null e)) / u). set (u0 := IZR (snd (e_null e)) / u). set (lb := IZR (fst (e_bos e)) / u). set (ub := IZR (snd (e_bos e)) / u).
  set (lc := IZR (fst (e_content e)) / u). set (uc := IZR (snd (e_content e)) / u). set (lt0 := IZR (fst (e_trigger e)) / u). set (ut := IZR (snd (e_trigger e)) / u).
  assert (EB1 := RE _ false (INK Bos_flag)). assert (EB2 := RE _ true (INK Bos_flag)). assert (EC1 := RE _ false (INK Content_flag)). assert (EC2 := RE _ true (INK Content_flag)).
  assert (ET1 := RE _ false (INK Trigger_flag)). assert (ET2 := RE _ true (INK Trigger_flag)). cbv iota in EB1, EB2, EC1, EC2, ET1, ET2.
  assert (HB : lb <= kb <= ub) by (unfold lb, ub, e, E, ends_of; cbn [e_bos fst snd]; rewrite <- EB1, <- EB2; exact KB).
  assert (H0 : l0 <= k0 <= u0).
  { unfold l0, u0, e, E, ends_of. cbn [e_null fst snd]. destruct (has_slot a) eqn:HS.
    - cbn [fst snd]. assert (IN : In Null ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ [Null])) by (simpl; auto 6).
      assert (N1 := RE Null false IN). assert (N2 := RE Null true IN). cbv iota in N1, N2. rewrite <- N1, <- N2. exact K0.
    - cbn [fst snd]. rewrite K0. unfold Rdiv. rewrite Rmult_0_l. lra. }
  assert (BOS : unit_token n b Bos_flag (fun _ => 0) (x 1%nat)) by (destruct OT as [[FT _ _ _] _]; rewrite FT; apply bos_is_unit_token, Hn).
  assert (VB : value_at M (layer_of l) h (x 1%nat) c * vu = IZR (v_bos v)).
  { assert (Q := value_spec g l b h c Hn HU LM LF Hh Hc Bos_flag (fun _ => 0) (x 1%nat) BOS (fun _ _ => eq_refl)). fold M vu in Q. rewrite Q.
    rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sum_const. unfold v, V. cbn [of_value]. ring. }
  assert (NEAR : forall s, (s < i - 1)%nat -> Rabs (y s - IZR (of_value v (if (s + 2 =? j)%nat then Trigger_flag else Content_flag))) <= IZR (v_reach v)).
  { intros s Hs. destruct (HW s Hs) as [WU WT]. apply (value_near g l b h c Hn HU LM LF Hh Hc _ (W s)); [exact WT|destruct (s + 2 =? j)%nat; discriminate|exact WU]. }
  assert (HC : forall s, (s < i - 1)%nat -> (s + 2 <> j)%nat -> lc <= ks s <= uc /\ Rabs (y s - IZR (v_content v)) <= IZR (v_reach v)).
  { intros s Hs Ns. specialize (NEAR s Hs). specialize (KS s Hs). cbv zeta in KS. apply Nat.eqb_neq in Ns. rewrite Ns in NEAR, KS. split; [|exact NEAR].
    unfold lc, uc, e, E, ends_of. cbn [e_content fst snd]. rewrite <- EC1, <- EC2. exact KS. }
  assert (HT : triggers (i - 1) j = 1%nat -> lt0 <= ks (j - 2)%nat <= ut /\ Rabs (y (j - 2)%nat - IZR (v_trigger v)) <= IZR (v_reach v)).
  { intros TE. rewrite triggers_of in TE by lia. destruct (Nat.leb_spec j i) as [JI|JI]; [|discriminate]. assert (Hs : (j - 2 < i - 1)%nat) by lia.
    specialize (NEAR _ Hs). specialize (KS _ Hs). cbv zeta in KS. replace (j - 2 + 2 =? j)%nat with true in NEAR, KS by (symmetry; apply Nat.eqb_eq; lia). split; [|exact NEAR].
    unfold lt0, ut, e, E, ends_of. cbn [e_trigger fst snd]. rewrite <- ET1, <- ET2. exact KS. }
  assert (R0 : 0 <= IZR (v_reach v)) by (rewrite reach_spec; apply sum_nonneg; intros; apply Rabs_pos).
  assert (FT := FIT h Hh). change (ends_of a (range_heads r h) F) with e in FT. unfold ends_fit in FT. apply andb_prop in FT. destruct FT as [DP LP]. apply Z.ltb_lt in DP.
  assert (DP' := IZR_lt _ _ DP). fold m in M1. assert (MT : INR m + INR t = INR (i - 1)).
  { rewrite <- plus_INR. f_equal. unfold m. assert (t <= 1)%nat by (unfold t, triggers; destruct (_ && _); lia). lia. }
  assert (MZ : IZR (Z.of_nat m) = INR m) by (symmetry; apply INR_IZR_INZ). assert (TZ : IZR (Z.of_nat t) = INR t) by (symmetry; apply INR_IZR_INZ).
  assert (M0 : 0 < INR m) by (apply lt_0_INR; exact M1).
  replace ((kb * value_at M (layer_of l) h (x 1%nat) c + sum (i - 1) (fun s => ks s * value_at M (layer_of l) h (x (s + 2)%nat) c)) / D * vu)
    with ((kb * IZR (v_bos v) + sum (i - 1) (fun s => ks s * y s)) / D).
  2: { rewrite <- VB. unfold y. rewrite (sum_ext (i - 1) (fun s => ks s * (value_at M (layer_of l) h (x (s + 2)%nat) c * vu)) (fun s => vu * (ks s * value_at M (layer_of l) h (x (s + 2)%nat) c))) by (intros; ring).
       rewrite sum_scal. unfold Rdiv. ring. }
  unfold deviation, share_at. destruct (normalised a) eqn:N.
  - apply Z.ltb_lt in LP. assert (LP' := IZR_lt _ _ LP). assert (EZ : divisor_of a m t e = centre_of m t e) by (unfold divisor_of; rewrite N; reflexivity). rewrite EZ in *.
    assert (NL : a <> Linear) by (intros Q; rewrite Q in N; discriminate).
    assert (P : forall G, 0 <= real (class_least (class_of (range_heads r h) F (Key G)))) by (intros G; apply (CLS (Key G) ltac:(discriminate)), NL).
    assert (L0 : 0 <= l0).
    { unfold l0, e, E, ends_of. cbn [e_null fst]. destruct (has_slot a) eqn:HS; cbn [fst]; [|unfold Rdiv; rewrite Rmult_0_l; lra].
      assert (IN : In Null ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ [Null])) by (simpl; auto 6). assert (N1 := RE Null false IN). cbv iota in N1. rewrite <- N1. apply (CLS Null); auto. }
    assert (LB0 : 0 <= lb) by (unfold lb, e, E, ends_of; cbn [e_bos fst]; rewrite <- EB1; apply P). assert (LC0 : 0 <= lc) by (unfold lc, e, E, ends_of; cbn [e_content fst]; rewrite <- EC1; apply P).
    assert (LT0 : 0 <= lt0) by (unfold lt0, e, E, ends_of; cbn [e_trigger fst]; rewrite <- ET1; apply P).
    assert (CS : centre_sum (i - 1) j l0 u0 lb ub lc uc lt0 ut = IZR (centre_of m t e) / (2 * u)).
    { unfold centre_sum, centre_of, both. fold t m. rewrite !plus_IZR, !mult_IZR, !plus_IZR, MZ, TZ. unfold l0, u0, lb, ub, lc, uc, lt0, ut. field. lra. }
    assert (LS : least_sum (i - 1) j l0 lb lc lt0 = IZR (least_of m t e) / u).
    { unfold least_sum, least_of. fold t m. rewrite !plus_IZR, !mult_IZR, MZ, TZ. unfold l0, lb, lc, lt0. field. lra. }
    assert (CP : 0 < centre_sum (i - 1) j l0 u0 lb ub lc uc lt0 ut) by (rewrite CS; apply Rdiv_lt_0_compat; lra).
    assert (SP : 0 < least_sum (i - 1) j l0 lb lc lt0) by (rewrite LS; apply Rdiv_lt_0_compat; lra).
    assert (HN := head_normalised (i - 1) j k0 kb ks y l0 u0 lb ub lc uc lt0 ut (IZR (v_bos v)) (IZR (v_content v)) (IZR (v_trigger v)) (IZR (v_reach v)) H0 HB HC HT R0 M1 L0 LB0 LC0 (fun _ => LT0) CP SP).
    rewrite <- ED in HN. fold t m in HN. split; [unfold sound; cbn [bottom]; nia|]. split; [exact DP|].
    eapply Rle_trans; [|eapply Rle_trans; [exact HN|]].
    + apply Req_le. f_equal. f_equal. rewrite CS. unfold affine_reference, both. fold t. rewrite !plus_IZR. unfold lb, ub, lc, uc, lt0, ut. field. lra.
    + apply Req_le. rewrite LS. unfold off_content, off_trigger, off_bos, off_null, spread_of. rewrite CS. fold t m. unfold real. cbn [top bottom].
      rewrite !plus_IZR, !mult_IZR, !plus_IZR, !mult_IZR, !plus_IZR, !mult_IZR, !plus_IZR, !mult_IZR, !abs_IZR, !minus_IZR, MZ, TZ. unfold both, apart. rewrite !plus_IZR, !minus_IZR.
      rewrite <- (INR_IZR_INZ (most_spread m)). unfold l0, u0, lb, ub, lc, uc, lt0, ut. simpl (IZR 2).
      set (z := IZR (centre_of m t e)) in *. set (ls := IZR (least_of m t e)) in *. field. repeat split; lra.
  - assert (EZ : divisor_of a m t e = (2 * e_unit e * (Z.of_nat m + Z.of_nat t))%Z) by (unfold divisor_of; rewrite N; reflexivity). rewrite EZ in *.
    split; [exact DP|]. split; [exact DP|]. rewrite ED.
    assert (NP : 0 < INR (i - 1)) by (apply lt_0_INR; lia).
    assert (HD := head_divided (i - 1) j kb ks y lb ub lc uc lt0 ut (IZR (v_bos v)) (IZR (v_content v)) (IZR (v_trigger v)) (IZR (v_reach v)) HB HC HT R0 (INR (i - 1)) NP). fold t m in HD.
    assert (QZ : IZR (2 * e_unit e * (Z.of_nat m + Z.of_nat t)) = 2 * u * INR (i - 1)) by (rewrite !mult_IZR, plus_IZR, MZ, TZ, MT; reflexivity).
    eapply Rle_trans; [|eapply Rle_trans; [exact HD|]].
    + apply Req_le. f_equal. f_equal. rewrite QZ. unfold affine_reference, both. fold t. rewrite !plus_IZR. unfold lb, ub, lc, uc, lt0, ut. field. lra.
    + apply Req_le. unfold real. cbn [top bottom]. rewrite QZ, !plus_IZR, !mult_IZR, !plus_IZR, !abs_IZR, MZ, TZ. unfold apart. rewrite !minus_IZR. unfold lb, ub, lc, uc, lt0, ut. field. lra.
Qed.

(** The target, over the unit: [flags] and [noise] are those of its tokens, divided by their number. *)
Variables (flags : Z * Z) (noise : nat -> Z).
Hypothesis (TARGET : F = Content_flag /\ flags = (0, 0)%Z /\ noise = (fun _ => 0%Z)
  \/ F = Trigger_flag /\ flags = (token_flag g l b c Content_flag, token_flag g l b c Trigger_flag) /\ noise = token_noise l b c).

Lemma keys_counted : INR m + INR t = INR (i - 1) /\ 0 < INR (i - 1).
Proof.
  split; [|apply lt_0_INR; lia]. rewrite <- plus_INR. f_equal. unfold m. assert (t <= 1)%nat by (unfold t, triggers; destruct (_ && _); lia). lia.
Qed.

Lemma target_spec (W : nat -> nat -> R) :
  (forall s, (s < i - 1)%nat -> in_unit d (W s) /\ unit_token n b (if (s + 2 =? j)%nat then Trigger_flag else Content_flag) (W s) (x (s + 2)%nat)) ->
  target j x i c * vu = (INR m * IZR (fst flags) + INR t * IZR (snd flags)
    + content_sum (i - 1) j (fun s => sum d (fun k => W s k * IZR (noise k))) + INR t * sum d (fun k => W (j - 2)%nat k * IZR (noise k))) / INR (i - 1).
Proof.
  intros HW. destruct box_parts as (Hn & HU & LM & LF). destruct keys_counted as [_ NP]. assert (J := trigger_place). unfold target.
  destruct TARGET as [(EF & -> & ->)|(EF & -> & ->)]; unfold F in EF; destruct (Nat.eqb_spec i j) as [EI|NI]; try discriminate.
  - assert (Z0 : forall w : nat -> R, sum d (fun k => w k * IZR 0) = 0) by (intros w; rewrite (sum_ext d _ (fun _ => 0)) by (intros; simpl; ring); rewrite sum_const; ring).
    rewrite (content_ext (i - 1) j _ (fun _ => 0)) by (intros; apply Z0). rewrite content_const, Z0. cbn [fst snd]. simpl (IZR 0). unfold Rdiv. ring.
  - unfold mean_from_2. rewrite <- EI. unfold Rdiv at 1. rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc. unfold Rdiv. f_equal.
    rewrite Rmult_comm, <- sum_scal, (sum_keys (i - 1) j). fold t. cbn [fst snd].
    assert (TS := fun s G HG TK => token_spec g l b 0 c Hn LM H1 Hc G (W s) (x (s + 2)%nat) HG TK). fold vu d in TS.
    rewrite (content_ext (i - 1) j _ (fun s => IZR (token_flag g l b c Content_flag) + sum d (fun k => W s k * IZR (token_noise l b c k)))).
    + rewrite content_plus, content_const. fold t m.
      assert (Q : INR t * (vu * x (j - 2 + 2)%nat c) = INR t * (IZR (token_flag g l b c Trigger_flag) + sum d (fun k => W (j - 2)%nat k * IZR (token_noise l b c k)))).
      { f_equal. destruct (HW (j - 2)%nat ltac:(lia)) as [_ TT]. replace (j - 2 + 2 =? j)%nat with true in TT by (symmetry; apply Nat.eqb_eq; lia).
        rewrite Rmult_comm. apply (TS (j - 2)%nat Trigger_flag (or_intror eq_refl) TT). }
      rewrite EI in *. rewrite Q. ring.
    + intros s Hs Ns. destruct (HW s Hs) as [_ TT]. apply Nat.eqb_neq in Ns. rewrite Ns in TT. rewrite Rmult_comm. apply (TS s Content_flag (or_introl eq_refl) TT).
Qed.

Theorem row_spec (E' : nat -> ends) (V' : nat -> head_value) : a <> Softmax_gated -> given_residual g = false ->
  (forall h, (h < given_heads g)%nat -> E' h = E h) -> (forall h, (h < given_heads g)%nat -> V' h = V h) ->
  let total := row_total a m t (given_heads g) d E' V' (offset_value l b c) flags noise in
  sound total /\ Rabs (layer_output M (layer_of l) x i c - target j x i c) * vu <= real total.
Proof.
  intros NG NR EE EV. destruct box_parts as (Hn & HU & LM & LF). destruct keys_counted as [MT NP]. destruct noises as [W HW]. assert (J := trigger_place).
  set (H := given_heads g) in *. set (N := (Z.of_nat m + Z.of_nat t)%Z).
  assert (NZ : IZR N = INR (i - 1)) by (unfold N; rewrite plus_IZR, <- !INR_IZR_INZ; exact MT). assert (NPZ : (0 < N)%Z) by (apply lt_IZR; rewrite NZ; exact NP).
  assert (MZ : IZR (Z.of_nat m) = INR m) by (symmetry; apply INR_IZR_INZ). assert (TZ : IZR (Z.of_nat t) = INR t) by (symmetry; apply INR_IZR_INZ).
  assert (VP := value_unit_pos g l b 0 c Hn HU LM LF H1 Hc). assert (VP' := IZR_lt _ _ VP). fold vu in VP'.
  set (y := fun h s => value_at M (layer_of l) h (x (s + 2)%nat) c * vu).
  assert (HEAD := fun h Hh => head_near h W Hh HW). cbv zeta in HEAD.
  assert (DIV : forall h, (h < H)%nat -> (0 < divisor_of a m t (E h))%Z) by (intros h Hh; apply (HEAD h Hh)).
  set (P := fun of_key h => share_at (E h) of_key).
  (* the values by noise *)
  assert (YS : forall h s, (h < H)%nat -> (s < i - 1)%nat -> y h s = IZR (of_value (V h) (if (s + 2 =? j)%nat then Trigger_flag else Content_flag)) + sum d (fun k => W s k * number (v_noise (V h)) k)).
  { intros h s Hh Hs. destruct (HW s Hs) as [_ WT]. apply (value_spec g l b h c Hn HU LM LF Hh Hc _ (W s)); [exact WT|destruct (s + 2 =? j)%nat; discriminate]. }
  set (S := fun of_key k => sum H (fun h => P of_key h * number (v_noise (V h)) k) - IZR (noise k) / INR (i - 1)).
  set (C0 := IZR (offset_value l b c) - (INR m * IZR (fst flags) + INR t * IZR (snd flags)) / INR (i - 1)
             + sum H (fun h => P e_bos h * IZR (v_bos (V h)) + INR m * (P e_content h * IZR (v_content (V h))) + INR t * (P e_trigger h * IZR (v_trigger (V h))))).
  (* evaluation *)
  assert (AE := add_all_ext H).
  assert (SH : forall of_key, let f k := size_of (add {| top := - noise k; bottom := N |} (add_all H (fun h => {| top := both (of_key (E' h)) * nth k (v_noise (V' h)) 0%Z; bottom := divisor_of a m t (E' h) |}))) in
    sound (add_all d f) /\ real (add_all d f) = sum d (fun k => Rabs (S of_key k))).
  { intros of_key f. assert (Q : forall k, sound (f k) /\ real (f k) = Rabs (S of_key k)).
    { intros k. unfold f. rewrite (AE _ (fun h => {| top := both (of_key (E h)) * nth k (v_noise (V h)) 0%Z; bottom := divisor_of a m t (E h) |})) by (intros h Hh; rewrite EE, EV by exact Hh; reflexivity).
      destruct (add_all_spec H (fun h => {| top := both (of_key (E h)) * nth k (v_noise (V h)) 0%Z; bottom := divisor_of a m t (E h) |}) ltac:(intros h Hh; apply DIV, Hh)) as [A1 A2].
      destruct (add_spec {| top := - noise k; bottom := N |} _ NPZ A1) as [B1 B2]. destruct (size_of_spec _ B1) as [C1 C2]. split; [exact C1|]. rewrite C2, B2, A2. f_equal.
      unfold S. unfold real at 1. cbn [top bottom]. rewrite opp_IZR, NZ.
      rewrite (sum_ext H (fun h => real _) (fun h => P of_key h * number (v_noise (V h)) k)); [unfold Rdiv; ring|].
      intros h Hh. unfold real, P, share_at, number. cbn [top bottom]. rewrite mult_IZR. unfold Rdiv. ring. }
    destruct (add_all_spec d f ltac:(intros; apply Q)) as [A1 A2]. split; [exact A1|]. rewrite A2. apply sum_ext. intros k _. apply Q. }
  assert (DV : sound (add_all H (fun h => deviation a m t (E' h) (V' h))) /\ real (add_all H (fun h => deviation a m t (E' h) (V' h))) = sum H (fun h => real (deviation a m t (E h) (V h)))).
  { rewrite (AE _ (fun h => deviation a m t (E h) (V h))) by (intros h Hh; rewrite EE, EV by exact Hh; reflexivity). apply add_all_spec. intros h Hh. apply (HEAD h Hh). }
  assert (CT : let ce := add {| top := N * offset_value l b c - (Z.of_nat m * fst flags + Z.of_nat t * snd flags); bottom := N |} (add_all H (fun h => reference_at_centre a m t (E' h) (V' h))) in
    sound (size_of ce) /\ real (size_of ce) = Rabs C0).
  { rewrite (AE _ (fun h => reference_at_centre a m t (E h) (V h))) by (intros h Hh; rewrite EE, EV by exact Hh; reflexivity).
    destruct (add_all_spec H (fun h => reference_at_centre a m t (E h) (V h)) ltac:(intros h Hh; apply DIV, Hh)) as [A1 A2].
    destruct (add_spec {| top := N * offset_value l b c - (Z.of_nat m * fst flags + Z.of_nat t * snd flags); bottom := N |} _ NPZ A1) as [B1 B2]. destruct (size_of_spec _ B1) as [C1 C2].
    split; [exact C1|]. rewrite C2, B2, A2. f_equal. unfold C0. f_equal.
    - unfold real. cbn [top bottom]. rewrite minus_IZR, plus_IZR, !mult_IZR, MZ, TZ, NZ. field. lra.
    - apply sum_ext. intros h Hh. unfold real, reference_at_centre, P, share_at. cbn [top bottom]. rewrite !plus_IZR, !mult_IZR, MZ, TZ. unfold Rdiv. ring. }
  destruct (SH e_content) as [C1 C2]. destruct (SH e_trigger) as [T1 T2]. destruct DV as [D1 D2]. destruct CT as [Q1 Q2].
  destruct (real_whole m _ C1) as [WC1 WC2]. destruct (real_whole t _ T1) as [WT1 WT2]. destruct (add_spec _ _ WC1 WT1) as [X1 X2].
  destruct (add_spec _ _ Q1 X1) as [Y1 Y2]. destruct (add_spec _ _ Y1 D1) as [Z1 Z2].
  unfold row_total. fold N. split; [exact Z1|]. cbv zeta. rewrite Z2, Y2, X2, WC2, WT2, C2, T2, Q2, D2.
  (* the bound *)
  rewrite <- (Rabs_pos_eq vu) at 1 by lra. rewrite <- Rabs_mult, Rmult_minus_distr_r, (target_spec W HW).
  rewrite layer_output_spec by (try assumption; unfold M, network_of; cbn [residual]; exact NR). change (heads M) with H.
  rewrite Rmult_plus_distr_r, (offset_spec g l b c LF : bias (output (layer_of l)) c * vu = _).
  rewrite (Rmult_comm (sum H _)), <- sum_scal.
  set (out := fun h => vu * possum i (fun k => weight M (layer_of l) x h i k * value_at M (layer_of l) h (x k) c)).
  set (ref := fun h => P e_bos h * IZR (v_bos (V h)) + P e_content h * content_sum (i - 1) j (y h) + INR t * (P e_trigger h * y h (j - 2)%nat)).
  assert (FAR : Rabs (sum H out - sum H ref) <= sum H (fun h => real (deviation a m t (E h) (V h)))).
  { rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros h Hh. destruct (HEAD h Hh) as (_ & _ & B). unfold out, ref, P, y. rewrite (Rmult_comm vu). exact B. }
  assert (REF : sum H ref = sum H (fun h => P e_bos h * IZR (v_bos (V h)) + INR m * (P e_content h * IZR (v_content (V h))) + INR t * (P e_trigger h * IZR (v_trigger (V h))))
    + content_sum (i - 1) j (fun s => sum d (fun k => W s k * sum H (fun h => P e_content h * number (v_noise (V h)) k)))
    + INR t * sum d (fun k => W (j - 2)%nat k * sum H (fun h => P e_trigger h * number (v_noise (V h)) k))).
  { rewrite (sum_ext H ref (fun h => (P e_bos h * IZR (v_bos (V h)) + INR m * (P e_content h * IZR (v_content (V h))) + INR t * (P e_trigger h * IZR (v_trigger (V h))))
      + content_sum (i - 1) j (fun s => sum d (fun k => W s k * (P e_content h * number (v_noise (V h)) k)))
      + INR t * sum d (fun k => W (j - 2)%nat k * (P e_trigger h * number (v_noise (V h)) k)))).
    - set (q0 := fun h => P e_bos h * IZR (v_bos (V h)) + INR m * (P e_content h * IZR (v_content (V h))) + INR t * (P e_trigger h * IZR (v_trigger (V h)))).
      set (q1 := fun h => content_sum (i - 1) j (fun s => sum d (fun k => W s k * (P e_content h * number (v_noise (V h)) k)))).
      set (q2 := fun h => sum d (fun k => W (j - 2)%nat k * (P e_trigger h * number (v_noise (V h)) k))).
      transitivity (sum H q0 + sum H q1 + INR t * sum H q2); [rewrite <- sum_scal, <- !sum_plus; reflexivity|]. unfold q1, q2. rewrite sum_content_swap. f_equal; [f_equal|f_equal].
      + apply content_ext. intros s _ _. rewrite sum_swap. apply sum_ext. intros k _. rewrite sum_scal. reflexivity.
      + rewrite sum_swap. apply sum_ext. intros k _. rewrite sum_scal. reflexivity.
    - intros h Hh. unfold ref.
      assert (CY : content_sum (i - 1) j (y h) = INR m * IZR (v_content (V h)) + content_sum (i - 1) j (fun s => sum d (fun k => W s k * number (v_noise (V h)) k))).
      { rewrite (content_ext (i - 1) j (y h) (fun s => IZR (v_content (V h)) + sum d (fun k => W s k * number (v_noise (V h)) k))).
        - rewrite content_plus, content_const. fold t m. reflexivity.
        - intros s Hs Ns. rewrite (YS h s Hh Hs). apply Nat.eqb_neq in Ns. rewrite Ns. reflexivity. }
      assert (TY : INR t * y h (j - 2)%nat = INR t * (IZR (v_trigger (V h)) + sum d (fun k => W (j - 2)%nat k * number (v_noise (V h)) k))).
      { unfold t. rewrite triggers_of by lia. destruct (Nat.leb_spec j i); [|simpl INR; ring]. rewrite YS by lia. replace (j - 2 + 2 =? j)%nat with true by (symmetry; apply Nat.eqb_eq; lia). reflexivity. }
      rewrite CY. replace (INR t * (P e_trigger h * y h (j - 2)%nat)) with (P e_trigger h * (INR t * y h (j - 2)%nat)) by ring. rewrite TY.
      rewrite (content_ext (i - 1) j (fun s => sum d (fun k => W s k * (P e_content h * number (v_noise (V h)) k))) (fun s => P e_content h * sum d (fun k => W s k * number (v_noise (V h)) k)))
        by (intros; rewrite <- sum_scal; apply sum_ext; intros; ring). rewrite content_scal.
      rewrite (sum_ext d (fun k => W (j - 2)%nat k * (P e_trigger h * number (v_noise (V h)) k)) (fun k => P e_trigger h * (W (j - 2)%nat k * number (v_noise (V h)) k))) by (intros; ring). rewrite sum_scal. ring. }
  set (CC := content_sum (i - 1) j (fun s => sum d (fun k => W s k * S e_content k))). set (CTr := sum d (fun k => W (j - 2)%nat k * S e_trigger k)).
  assert (INNER : IZR (offset_value l b c) + sum H ref - (INR m * IZR (fst flags) + INR t * IZR (snd flags)
      + content_sum (i - 1) j (fun s => sum d (fun k => W s k * IZR (noise k))) + INR t * sum d (fun k => W (j - 2)%nat k * IZR (noise k))) / INR (i - 1)
    = C0 + CC + INR t * CTr).
  { assert (SP : forall of_key s, sum d (fun k => W s k * S of_key k) = sum d (fun k => W s k * sum H (fun h => P of_key h * number (v_noise (V h)) k)) - / INR (i - 1) * sum d (fun k => W s k * IZR (noise k))).
    { intros of_key s. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros k _. unfold S, Rdiv. ring. }
    unfold CC, CTr. rewrite (content_ext (i - 1) j _ _ (fun s _ _ => SP e_content s)), content_minus, content_scal, SP, REF. unfold C0. field. lra. }
  assert (BC : Rabs CC <= INR m * sum d (fun k => Rabs (S e_content k))).
  { unfold CC. eapply Rle_trans; [apply content_abs|]. unfold m, t. rewrite <- content_const. apply content_le. intros s Hs Ns. apply near_by_noise, HW, Hs. }
  assert (BT : Rabs (INR t * CTr) <= INR t * sum d (fun k => Rabs (S e_trigger k))).
  { rewrite Rabs_mult, (Rabs_pos_eq (INR t)) by apply pos_INR. unfold t. rewrite triggers_of by lia. destruct (Nat.leb_spec j i); [|simpl INR; lra].
    apply Rmult_le_compat_l; [apply pos_INR|]. apply near_by_noise, HW. lia. }
  match goal with |- Rabs ?z <= _ => replace z with (C0 + CC + INR t * CTr + (sum H out - sum H ref)) by (rewrite <- INNER; unfold out; ring) end.
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (C0 + CC) (INR t * CTr)). pose proof (Rabs_triang C0 CC). lra.
Qed.

End Row.

(** ** Proofs: row 1 *)

Section First.

Variables (g : given_network) (l : given_layer) (L : nat) (T : given_task) (fr : frame) (r : ranges) (x : sequence) (j c : nat).
Hypotheses (EL : given_layers g = [l]) (FS : frame_shown g T fr = true) (RS : ranges_shown g fr r = true)
  (OT : of_task (given_width g) L T j x) (HL : (2 <= L)%nat) (Hc : (c < given_width g)%nat) (H1 : (0 < given_heads g)%nat).

Let n := given_width g.
Let d := (n - 3)%nat.
Let M := network_of g.
Let a := given_kind g.
Let b := frame_box fr.
Let vu := IZR (value_unit l b).

Lemma shown_at_point z low high : (0 < bottom z)%Z -> kernel_shown g {| class_low := z; class_high := z; class_least := low; class_greatest := high |} = true ->
  sound low /\ sound high /\ real low <= phi a (real z) <= real high /\ (a <> Linear -> 0 <= real low).
Proof.
  intros Hz H. unfold kernel_shown in H. cbn [class_low class_high class_least class_greatest] in H. rewrite !andb_true_iff in H. destruct H as ((((((_ & _) & P3) & P4) & K1) & K2) & NN).
  unfold positive_bottom in P3, P4. rewrite Z.ltb_lt in P3, P4. fold a in K1, K2, NN. split; [exact P3|]. split; [exact P4|]. split; [split|].
  - destruct (kernel_low a z) as [y|] eqn:E; [|discriminate]. destruct (kernel_low_spec a z y (real z) Hz E ltac:(lra)) as [A B]. apply real_le in K1; [lra|exact P3|exact A].
  - destruct (kernel_high a z) as [y|] eqn:E; [|discriminate]. destruct (kernel_high_spec a z y (real z) Hz E ltac:(lra)) as [A B]. apply real_le in K2; [lra|exact A|exact P4].
  - intros NL. assert (Q : (0 <= top low)%Z) by (destruct a; try contradiction; apply Z.leb_le, NN). apply IZR_le in Q. apply IZR_lt in P3. unfold real. apply Rle_mult_inv_pos; assumption.
Qed.

Lemma share_of x' : sound x' -> 0 <= real x' -> sound {| top := top x'; bottom := bottom x' + top x' |} /\ real {| top := top x'; bottom := bottom x' + top x' |} = real x' / (1 + real x').
Proof.
  intros S P. assert (T0 := real_times x' S). assert (B := IZR_lt _ _ S).
  assert (TP : 0 <= IZR (top x')) by (rewrite <- T0; apply Rmult_le_pos; lra). split; [unfold sound; cbn [bottom]; apply lt_IZR; rewrite plus_IZR; lra|].
  unfold real at 1. cbn [top bottom]. rewrite plus_IZR, <- T0. field. split; [lra|]. assert (0 <= real x' * IZR (bottom x')) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma share_grows p q : 0 <= p <= q -> p / (1 + p) <= q / (1 + q).
Proof.
  intros H. apply Rmult_le_reg_r with ((1 + p) * (1 + q)); [nra|]. replace (p / (1 + p) * ((1 + p) * (1 + q))) with (p * (1 + q)) by (field; lra).
  replace (q / (1 + q) * ((1 + p) * (1 + q))) with (q * (1 + p)) by (field; lra). lra.
Qed.

Lemma first_weight_spec h : (h < given_heads g)%nat -> let w := first_weight g (range_heads r h) in
  sound (fst w) /\ sound (snd w) /\ real (fst w) <= weight M (layer_of l) x h 1 1 <= real (snd w).
Proof.
  intros Hh. destruct (frame_parts g l L T fr j 2 h EL FS ltac:(lia) Hh) as (NF & BF & LF & _). unfold box_fits in BF.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF. destruct BF as (((((Hn & HU) & _) & LM) & _) & _).
  assert (BS : bos_shown g l h b (range_heads r h) = true).
  { unfold ranges_shown in RS. rewrite EL in RS. rewrite forallb_forall in RS. specialize (RS h ltac:(apply in_seq; lia)). cbv zeta in RS. rewrite !andb_true_iff in RS. apply RS. }
  assert (UP := logit_unit_pos g l h b Hn HU LM NF LF Hh). assert (U := IZR_lt _ _ UP).
  assert (BOS : unit_token n b Bos_flag (fun _ => 0) (x 1%nat)) by (destruct OT as [[FT _ _ _] _]; rewrite FT; apply bos_is_unit_token, Hn).
  assert (LG := logit_in_unit g l h b Hn HU LM NF LF Hh x 1 1 Bos_flag (fun _ => 0) Bos_flag (fun _ => 0) BOS (fun _ _ => eq_refl) BOS (fun _ _ => eq_refl)).
  rewrite (sum_ext _ (fun j0 => 0 * _) (fun _ => 0)) in LG by (intros; ring). rewrite sum_const in LG. unfold base_at in LG.
  rewrite (sum_ext _ (fun j0 => 0 * _) (fun _ => 0)) in LG by (intros; ring). rewrite sum_const in LG. fold M in LG. cbn [of_flag] in LG.
  set (lg := logit M (layer_of l) x h 1 1) in *. set (pr := pair_of (logit_factor g l) (of_bos (query_columns g l h b)) (of_bos (key_columns g l h b))) in *.
  set (un := logit_unit g l b) in *. assert (LE : lg * IZR un = IZR pr) by lra.
  unfold bos_shown in BS. fold a in BS. change (pair_of (logit_factor g l) (of_bos (query_columns g l h b)) (of_bos (key_columns g l h b))) with pr in BS. fold un in BS.
  assert (W1 : weight M (layer_of l) x h 1 1 = phi a lg / (if normalised a then slot_kernel M (layer_of l) h + phi a lg else 1)).
  { unfold weight, divisor. change (attention_kind M) with a. fold lg. destruct (normalised a); [|simpl; reflexivity]. unfold possum. simpl. fold lg. rewrite Rplus_0_l. reflexivity. }
  unfold first_weight. fold a. rewrite W1. cbv zeta. destruct (normalised a) eqn:N.
  - destruct (has_slot a) eqn:HS.
    + set (z := {| top := pr - slot_in_unit g l h b; bottom := un |}).
      assert (SH : kernel_shown g {| class_low := z; class_high := z; class_least := bos_least (range_heads r h); class_greatest := bos_greatest (range_heads r h) |} = true)
        by (destruct a; simpl in HS, N; try discriminate; exact BS).
      destruct (shown_at_point z _ _ UP SH) as (S1 & S2 & B & P). assert (NL : a <> Linear) by (intros Q; rewrite Q in N; discriminate). specialize (P NL).
      destruct (share_of _ S1 P) as [A1 A2]. destruct (share_of _ S2 ltac:(lra)) as [B1 B2]. cbn [fst snd]. split; [exact A1|]. split; [exact B1|]. rewrite A2, B2.
      destruct (slot_is_softmax a HS) as [PE _]. unfold slot_kernel. change (attention_kind M) with a. rewrite HS, PE in *.
      assert (ES : slot_logit (layer_of l) h * IZR un = IZR (slot_in_unit g l h b)).
      { destruct (fits_parts g l NF LF) as (_ & _ & _ & _ & S0 & _ & _). unfold layer_of. cbn [slot_logit]. unfold number, un, logit_unit, slot_in_unit. rewrite power_is_pow by exact S0. rewrite !mult_IZR.
        fold (unit_of (slot_shift l)). pose proof (unit_pos _ S0). field. lra. }
      assert (RZ : real z = lg - slot_logit (layer_of l) h).
      { unfold real, z. cbn [top bottom]. rewrite minus_IZR, <- LE, <- ES. field. lra. }
      rewrite RZ in B. set (sl := slot_logit (layer_of l) h) in *.
      assert (EX : exp lg / (exp sl + exp lg) = exp (lg - sl) / (1 + exp (lg - sl))).
      { replace (exp lg) with (exp sl * exp (lg - sl)) by (rewrite <- exp_plus; f_equal; ring). pose proof (exp_pos sl). pose proof (exp_pos (lg - sl)). field. split; nra. }
      rewrite EX. pose proof (exp_pos (lg - sl)). split; apply share_grows; lra.
    + cbn [fst snd]. unfold slot_kernel. change (attention_kind M) with a. rewrite HS, Rplus_0_l. split; [reflexivity|]. split; [reflexivity|].
      assert (0 < phi a lg) by (apply phi_pos, N). unfold real. cbn [top bottom]. replace (phi a lg / phi a lg) with 1 by (field; lra). lra.
  - assert (HS : has_slot a = false) by (destruct a; simpl in *; try discriminate; reflexivity).
    set (z := {| top := pr - 0; bottom := un |}).
    assert (SH : kernel_shown g {| class_low := z; class_high := z; class_least := bos_least (range_heads r h); class_greatest := bos_greatest (range_heads r h) |} = true)
      by (rewrite HS in BS; destruct a; simpl in N; try discriminate; exact BS).
    destruct (shown_at_point z _ _ UP SH) as (S1 & S2 & B & _). cbn [fst snd]. split; [exact S1|]. split; [exact S2|].
    assert (RZ : real z = lg) by (unfold real, z; cbn [top bottom]; rewrite Z.sub_0_r, <- LE; field; lra). rewrite RZ in B. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. exact B.
Qed.

Theorem first_spec (V : nat -> head_value) (s : Z) : a <> Softmax_gated -> given_residual g = false -> (s = 1 \/ s = -1)%Z ->
  (forall h, (h < given_heads g)%nat -> V h = head_value_of g l (value_columns g l b h) h c) ->
  sound (first_total g l b (range_heads r) V s c) /\ IZR s * (layer_output M (layer_of l) x 1%nat c * vu) <= real (first_total g l b (range_heads r) V s c).
Proof.
  intros NG NR SG EV. destruct (frame_parts g l L T fr j 2 0 EL FS ltac:(lia) H1) as (_ & BF & LF & _). unfold box_fits in BF.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF. destruct BF as (((((Hn & HU) & _) & LM) & _) & _).
  unfold first_total. match goal with |- context [add_all _ ?f'] => set (f := f') end.
  assert (FH : forall h, (h < given_heads g)%nat -> sound (f h) /\ IZR s * (weight M (layer_of l) x h 1 1 * IZR (v_bos (V h))) <= real (f h)).
  { intros h Hh. destruct (first_weight_spec h Hh) as (A & B & W). unfold f. destruct (first_weight g (range_heads r h)) as [lo hi]. cbn [fst snd] in *. cbv zeta.
    destruct (larger_spec {| top := top lo * (s * v_bos (V h)); bottom := bottom lo |} {| top := top hi * (s * v_bos (V h)); bottom := bottom hi |} A B) as (L1 & L2 & L3).
    split; [exact L1|]. set (v := IZR (v_bos (V h))) in *. assert (E1 : real {| top := top lo * (s * v_bos (V h)); bottom := bottom lo |} = real lo * (IZR s * v)) by (unfold real; cbn [top bottom]; rewrite !mult_IZR; unfold v, Rdiv; ring).
    assert (E2 : real {| top := top hi * (s * v_bos (V h)); bottom := bottom hi |} = real hi * (IZR s * v)) by (unfold real; cbn [top bottom]; rewrite !mult_IZR; unfold v, Rdiv; ring).
    rewrite E1 in L2. rewrite E2 in L3. set (q := IZR s * v) in *. replace (IZR s * (weight M (layer_of l) x h 1 1 * v)) with (weight M (layer_of l) x h 1 1 * q) by (unfold q; ring).
    destruct (Rle_dec 0 q); nra. }
  destruct (add_all_spec (given_heads g) f ltac:(intros; apply FH; assumption)) as [A1 A2].
  destruct (add_spec {| top := s * offset_value l b c; bottom := 1 |} _ ltac:(reflexivity) A1) as [B1 B2]. split; [exact B1|]. rewrite B2, A2.
  rewrite layer_output_spec by (try assumption; unfold M, network_of; cbn [residual]; exact NR). rewrite Rmult_plus_distr_r, (offset_spec g l b c LF : bias (output (layer_of l)) c * vu = _).
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [apply Req_le; unfold real; cbn [top bottom]; rewrite mult_IZR; field|].
  change (heads M) with (given_heads g). rewrite (Rmult_comm (sum _ _)), <- !sum_scal. apply sum_le. intros h Hh. destruct (FH h Hh) as [_ B]. eapply Rle_trans; [|exact B]. apply Req_le.
  assert (BOS : unit_token n b Bos_flag (fun _ => 0) (x 1%nat)) by (destruct OT as [[FT _ _ _] _]; rewrite FT; apply bos_is_unit_token, Hn).
  assert (Q := value_spec g l b h c Hn HU LM LF Hh Hc Bos_flag (fun _ => 0) (x 1%nat) BOS (fun _ _ => eq_refl)). fold M vu in Q.
  rewrite (sum_ext _ (fun k => 0 * _) (fun _ => 0)) in Q by (intros; ring). rewrite sum_const in Q. cbn [of_value] in Q. rewrite EV by exact Hh.
  unfold possum. cbn [sum]. rewrite Rplus_0_l.
  replace (IZR s * (vu * (weight M (layer_of l) x h 1 1 * value_at M (layer_of l) h (x 1%nat) c))) with (IZR s * (weight M (layer_of l) x h 1 1 * (value_at M (layer_of l) h (x 1%nat) c * vu))) by ring.
  rewrite Q. ring.
Qed.

End First.

(** The rule. *)
Theorem losses_shown_spec g l L T fr r x j i k c s b :
  given_layers g = [l] -> frame_shown g T fr = true -> ranges_shown g fr r = true -> of_task (given_width g) L T j x -> (1 <= i <= L)%nat ->
  of_class c j i -> (k < given_width g)%nat -> (0 < given_heads g)%nat ->
  losses_shown g L fr r c s b = true ->
  meets s (Rabs (row_error (network_of g) x j i k)) b.
Proof.
  intros EL FS RS OT Hi CL Hk H1 H. unfold losses_shown in H. rewrite EL in H. destruct (shape c) as [[[F t] least]|] eqn:SH; [|discriminate].
  destruct s; try discriminate. cbv zeta in H. rewrite !andb_true_iff in H. destruct H as (((((NG & NR) & PB) & UN) & FT) & H).
  assert (NG' : given_kind g <> Softmax_gated) by (intros E; rewrite E in NG; discriminate). apply negb_true_iff in NR. unfold positive_bottom in PB. apply Z.ltb_lt in PB.
  rewrite forallb_forall in UN, FT, H. specialize (H k ltac:(apply in_seq; lia)). apply andb_prop in H. destruct H as [HR HF]. rewrite forallb_forall in HR.
  assert (J : (3 <= j <= L)%nat) by (destruct OT as [[_ J _ _] _]; exact J).
  destruct (frame_parts g l L T fr j 2 0 EL FS ltac:(lia) H1) as (_ & BF & LF & _). unfold box_fits in BF.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF. destruct BF as (((((Hn & HU) & _) & LM) & _) & _).
  assert (VP := value_unit_pos g l (frame_box fr) 0 k Hn HU LM LF H1 Hk). assert (VP' := IZR_lt _ _ VP). set (vu := IZR (value_unit l (frame_box fr))) in *.
  set (E := fun h : nat => nth h (map (fun h0 => ends_of (given_kind g) (range_heads r h0) F) (seq 0 (given_heads g))) no_ends) in *.
  set (V := fun h : nat => nth h (map (fun h0 => head_value_of g l (nth h0 (map (value_columns g l (frame_box fr)) (seq 0 (given_heads g))) no_columns) h0 k) (seq 0 (given_heads g))) no_value) in *.
  assert (EE : forall h, (h < given_heads g)%nat -> E h = ends_of (given_kind g) (range_heads r h) F).
  { intros h Hh. unfold E. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hh). rewrite seq_nth by exact Hh. reflexivity. }
  assert (EV : forall h, (h < given_heads g)%nat -> V h = head_value_of g l (value_columns g l (frame_box fr) h) h k).
  { intros h Hh. unfold V. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hh). rewrite seq_nth by exact Hh. cbn [Nat.add].
    rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hh). rewrite seq_nth by exact Hh. reflexivity. }
  assert (LB : 0 < IZR (bottom b)) by (apply IZR_lt, PB).
  assert (LIM : real {| top := top b * value_unit l (frame_box fr); bottom := bottom b |} = real b * vu) by (unfold real; cbn [top bottom]; rewrite mult_IZR; fold vu; field; lra).
  assert (RE : row_error (network_of g) x j i k = layer_output (network_of g) (layer_of l) x i k - target j x i k).
  { unfold row_error, network_output. cbn [residual network_of]. rewrite NR. cbn [depth network_of]. rewrite EL. cbn [length hidden layers network_of]. rewrite EL. reflexivity. }
  rewrite RE. cbn [meets]. apply Rmult_le_reg_r with vu; [exact VP'|].
  destruct (Nat.eq_dec i 1) as [->|N1].
  - (* row 1 *)
    destruct c; cbn [shape of_class] in *; try discriminate; try lia. apply andb_prop in HF. destruct HF as [F1 F2].
    destruct (first_spec g l L T fr r x j k EL FS RS OT ltac:(lia) Hk H1 V 1 NG' NR (or_introl eq_refl) EV) as [A1 A2].
    destruct (first_spec g l L T fr r x j k EL FS RS OT ltac:(lia) Hk H1 V (-1) NG' NR (or_intror eq_refl) EV) as [B1 B2].
    apply real_le in F1; [|exact A1|exact PB]. apply real_le in F2; [|exact B1|exact PB]. rewrite LIM in F1, F2. fold vu in A2, B2.
    assert (T0 : target j x 1 k = 0) by (unfold target; destruct (Nat.eqb_spec 1 j); [lia|reflexivity]). rewrite T0, Rminus_0_r.
    rewrite <- (Rabs_pos_eq vu) by lra. rewrite <- Rabs_mult, (Rabs_pos_eq vu) by lra. apply Rabs_le. simpl (IZR 1) in A2. simpl (IZR (-1)) in B2. lra.
  - destruct (shape_spec c L j i F t least SH CL J ltac:(lia)) as (EF & Et & LMm). set (m := (i - 1 - t)%nat) in *.
    assert (TR : triggers (i - 1) j = t) by (rewrite triggers_of by lia; symmetry; exact Et).
    assert (LEAST : (1 <= least)%nat) by (destruct c; cbn [shape] in SH; try discriminate; injection SH as <- <- <-; lia).
    assert (MS : In m (seq least (L - 1 - least))) by (apply in_seq; lia).
    specialize (HR m MS). specialize (FT m MS). rewrite forallb_forall in FT.
    assert (FIT : forall h, (h < given_heads g)%nat -> ends_fit (given_kind g) m t (ends_of (given_kind g) (range_heads r h) F) = true).
    { intros h Hh. apply FT. apply in_map_iff. exists h. split; [reflexivity|apply in_seq; lia]. }
    assert (UN' : forall h, (h < given_heads g)%nat -> one_unit (given_kind g) (range_heads r h) F = true) by (intros h Hh; apply UN, in_seq; lia).
    set (flags := match F return Z * Z with Trigger_flag => (token_flag g l (frame_box fr) k Content_flag, token_flag g l (frame_box fr) k Trigger_flag) | _ => (0, 0)%Z end) in *.
    set (noise := match F return nat -> Z with Trigger_flag => token_noise l (frame_box fr) k | _ => fun _ : nat => 0%Z end) in *.
    assert (TG : F = Content_flag /\ flags = (0, 0)%Z /\ noise = (fun _ => 0%Z)
      \/ F = Trigger_flag /\ flags = (token_flag g l (frame_box fr) k Content_flag, token_flag g l (frame_box fr) k Trigger_flag) /\ noise = token_noise l (frame_box fr) k).
    { unfold flags, noise. rewrite EF. destruct (i =? j)%nat; [right|left]; repeat split; reflexivity. }
    subst F. assert (Hi2 : (2 <= i <= L)%nat) by lia.
    assert (RSP := row_spec g l L T fr r x j i k EL FS RS OT Hi2 Hk H1). rewrite TR in RSP. fold m in RSP.
    destruct (RSP ltac:(lia) UN' FIT flags noise TG E V NG' NR EE EV) as [S B]. fold vu in B.
    apply real_le in HR; [|exact S|exact PB]. rewrite LIM in HR. lra.
Qed.
