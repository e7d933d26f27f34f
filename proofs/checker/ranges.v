(** * Ranges of kernels, and the rule layer-attention

    Sections 4.9 and 4.10 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given box statements rounded exponential weights pass layers inputs witness forms logits kernels.
Import ListNotations.
Open Scope R_scope.

Definition relative (a : kind) : bool :=
  match a with Softmax | Softmax_gated | Softmax_null | Softmax_sink => true | _ => false end.

(** The logit, less the reference's where the attention is relative, is in [low, high], its kernel in [least, greatest]. *)
Record kernel_class := { class_low : rational; class_high : rational; class_least : rational; class_greatest : rational }.

Inductive key_kind := Key (G : flag) | Null.

Record head_ranges := {
  content_reference : flag;
  trigger_reference : flag;
  class_of : flag -> key_kind -> kernel_class;      (* of query flag and key *)
  trees_of : flag -> key_kind -> tree * tree;       (* for high and for low *)
  bos_least : rational;
  bos_greatest : rational
}.

Section Head.

Variables (g : given_network) (l : given_layer) (h : nat) (b : unit_box).
Let n := given_width g.
Let d := (n - 3)%nat.
Let w := given_head_width g.
Let a := given_kind g.

Definition query_columns : columns := columns_of n w h b (given_query l).
Definition key_columns : columns := columns_of n w h b (given_key l).

Definition map_units : Z :=
  (power (shift (given_query l)) * power (shift (given_key l)) * (box_unit b * box_unit b) * scale_bottom g)%Z.
(** The unit of logits, and what an inner product of columns is multiplied by in it. *)
Definition logit_unit : Z := (map_units * power (slot_shift l))%Z.
Definition logit_factor : Z := (scale_top g * power (slot_shift l))%Z.
Definition slot_in_unit : Z := (nth h (given_slots l) 0 * map_units)%Z.

Definition reference_of (r : head_ranges) (F : flag) : option (list Z) :=
  if relative a
  then Some (of_flag key_columns (match F with Trigger_flag => trigger_reference r | _ => content_reference r end))
  else None.

(** [sign] times the logit of the key, less the reference's, is at most this form. *)
Definition class_form (q k : columns) (sign : Z) (F : flag) (key : key_kind) (reference : option (list Z)) : form :=
  match key with
  | Null => key_form logit_factor q k sign F None reference slot_in_unit false
  | Key G =>
      match F, G with
      | Trigger_flag, Trigger_flag => own_form d logit_factor q k sign F reference
      | _, Bos_flag => key_form logit_factor q k sign F (Some (of_flag k G)) reference 0 false
      | _, _ => key_form logit_factor q k sign F (Some (of_flag k G)) reference 0 true
      end
  end.

Definition kernel_shown (c : kernel_class) : bool :=
  positive_bottom (class_low c) && positive_bottom (class_high c) && positive_bottom (class_least c) && positive_bottom (class_greatest c)
  && match kernel_low a (class_low c) with Some y => rational_le (class_least c) y | None => false end
  && match kernel_high a (class_high c) with Some y => rational_le y (class_greatest c) | None => false end
  && match a with Linear => true | _ => (0 <=? top (class_least c))%Z end.

Definition class_shown (r : head_ranges) (order : list nat) (F : flag) (key : key_kind) : bool :=
  let q := query_columns in let k := key_columns in
  let c := class_of r F key in let (t_high, t_low) := trees_of r F key in let reference := reference_of r F in
  kernel_shown c
  && shown d (class_form q k 1 F key reference) (floor_div (top (class_high c) * logit_unit) (bottom (class_high c))) order (repeat 0%Z d) t_high
  && shown d (class_form q k (-1) F key reference) (floor_div (- top (class_low c) * logit_unit) (bottom (class_low c))) order (repeat 0%Z d) t_low.

Definition head_shown (r : head_ranges) (order : list nat) : bool :=
  forallb (fun F => forallb (class_shown r order F)
                      ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ if has_slot a then [Null] else []))
          [Content_flag; Trigger_flag].

(** The kernel of BOS in row 1; nothing that is proved here rests on it. *)
Definition bos_shown (r : head_ranges) : bool :=
  let z := match a with
           | Softmax | Softmax_gated => {| top := 0; bottom := 1 |}
           | _ => {| top := pair_of logit_factor (of_bos query_columns) (of_bos key_columns) - slot_in_unit; bottom := logit_unit |}
           end in
  kernel_shown {| class_low := z; class_high := z; class_least := bos_least r; class_greatest := bos_greatest r |}.

(** ** What the ranges state *)

Hypotheses (Hn : (4 <= n)%nat) (HU : (0 < box_unit b)%Z) (Lm : length (middle b) = (n - 3)%nat)
  (F0 : network_fits g = true) (FL : layer_fits g l = true) (Hh : (h < given_heads g)%nat).

Let M := network_of g.
Let L := layer_of l.

Lemma columns_lengths f : map_fits f (given_heads g * w) n = true ->
  (forall F, length (of_flag (columns_of n w h b f) F) = w) /\ length (of_noise (columns_of n w h b f)) = d /\
  forall j, (j < d)%nat -> length (nth j (of_noise (columns_of n w h b f)) []) = w.
Proof.
  intros MF. destruct (map_fits_spec _ _ _ MF) as (A & B & _ & _).
  assert (LR : length (head_rows w h f) = w).
  { unfold head_rows. rewrite firstn_length, skipn_length, combine_length, A, B, Nat.min_id. apply Nat.min_l.
    assert (S h * w <= given_heads g * w)%nat by (apply Nat.mul_le_mono_r; lia). simpl in H. lia. }
  split; [intros []; cbn; rewrite map_length; exact LR|]. split; [cbn; rewrite map_length, seq_length; reflexivity|].
  intros j Hj. cbn [of_noise columns_of]. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hj). rewrite map_length. exact LR.
Qed.

Lemma fits_parts : (0 < scale_top g)%Z /\ (0 < scale_bottom g)%Z /\ map_fits (given_query l) (given_heads g * w) n = true
  /\ map_fits (given_key l) (given_heads g * w) n = true /\ (0 <= slot_shift l)%Z
  /\ (0 <= shift (given_query l))%Z /\ (0 <= shift (given_key l))%Z.
Proof.
  assert (F' := F0). unfold network_fits in F'. rewrite !andb_true_iff, Nat.ltb_lt, !Z.ltb_lt in F'. destruct F' as (((_ & Ht) & Hb) & _).
  destruct (layer_fits_parts g l FL) as (Fq & Fk & _ & _ & _ & S0).
  destruct (map_fits_spec _ _ _ Fq) as (_ & _ & _ & D1). destruct (map_fits_spec _ _ _ Fk) as (_ & _ & _ & D2). repeat split; assumption.
Qed.

Lemma map_units_pos : (0 < map_units)%Z.
Proof.
  destruct fits_parts as (_ & Hb & _ & _ & _ & D1 & D2). unfold map_units. pose proof (power_pos _ D1). pose proof (power_pos _ D2). nia.
Qed.

Lemma logit_unit_pos : (0 < logit_unit)%Z.
Proof. destruct fits_parts as (_ & _ & _ & _ & S0 & _ & _). unfold logit_unit. pose proof map_units_pos. pose proof (power_pos _ S0). nia. Qed.

Let base (F : flag) (c : list Z) (u : nat -> R) : R := base_at d logit_factor query_columns F c u.
Let kn (j : nat) : list Z := nth j (of_noise key_columns) [].

(** The logit of row i and key kk, whose tokens these are, in the unit. *)
Lemma logit_in_unit x i kk F u G v : unit_token n b F u (x i) -> (F = Bos_flag -> forall j, u j = 0) ->
  unit_token n b G v (x kk) -> (G = Bos_flag -> forall j, v j = 0) ->
  logit M L x h i kk * IZR logit_unit = base F (of_flag key_columns G) u + sum d (fun j => v j * base F (kn j) u).
Proof.
  intros TU UB TV VB. destruct fits_parts as (Ht & Hb & Fq & Fk & S0 & D1 & D2).
  destruct (columns_lengths _ Fq) as (Q1 & Q2 & Q3). destruct (columns_lengths _ Fk) as (K1 & K2 & K3).
  assert (LF := logit_form d w logit_factor query_columns key_columns Q1 K1 Q3 K3 F u G v). unfold base, kn. rewrite <- LF.
  unfold logit. change (width M) with n. change (head_width M) with w.
  assert (P1 := unit_pos _ D1). assert (P2 := unit_pos _ D2). assert (HU' := IZR_lt _ _ HU). assert (Hb' := IZR_lt _ _ Hb).
  rewrite (sum_ext w (fun i0 => coordinate d query_columns F u i0 * coordinate d key_columns G v i0)
    (fun c => (unit_of (shift (given_query l)) * unit_of (shift (given_key l)) * (IZR (box_unit b) * IZR (box_unit b)))
              * (apply n (query L) (x i) (h * w + c)%nat * apply n (key L) (x kk) (h * w + c)%nat))).
  - rewrite sum_scal. unfold logit_unit, logit_factor, map_units, M, network_of, scale. rewrite !mult_IZR. fold (unit_of (shift (given_query l))).
    fold (unit_of (shift (given_key l))). fold (unit_of (slot_shift l)). field. lra.
  - intros c Hc.
    assert (CQ := columns_spec n w h (given_heads g) b (given_query l) F u (x i) c Hn HU Lm Fq Hh Hc TU UB).
    assert (CK := columns_spec n w h (given_heads g) b (given_key l) G v (x kk) c Hn HU Lm Fk Hh Hc TV VB).
    change (coordinate (n - 3) (columns_of n w h b (given_query l)) F u c) with (coordinate d query_columns F u c) in CQ.
    change (coordinate (n - 3) (columns_of n w h b (given_key l)) G v c) with (coordinate d key_columns G v c) in CK.
    rewrite <- CQ, <- CK. unfold L, layer_of. cbn [query key]. ring.
Qed.

Definition reference_at (r : head_ranges) (F : flag) (u : nat -> R) : R :=
  base_of d logit_factor query_columns F (reference_of r F) u / IZR logit_unit.

Lemma reference_zero r F u : relative a = false -> reference_at r F u = 0.
Proof. intros E. unfold reference_at, reference_of. rewrite E. cbn [base_of]. unfold Rdiv. ring. Qed.

(** The value that a class is about lies in it. *)
Lemma class_bounds r order F key u z value : class_shown r order F key = true -> in_unit d u ->
  z * IZR logit_unit = value ->
  (forall sign, (sign = 1 \/ sign = -1)%Z ->
     IZR sign * (value - base_of d logit_factor query_columns F (reference_of r F) u)
     <= form_at d (class_form query_columns key_columns sign F key (reference_of r F)) u) ->
  real (class_least (class_of r F key)) <= phi a (z - reference_at r F u) <= real (class_greatest (class_of r F key)).
Proof.
  intros H UB E FM. unfold class_shown in H. set (c := class_of r F key) in *. destruct (trees_of r F key) as [t1 t2].
  rewrite !andb_true_iff in H. destruct H as ((H & T1) & T2). unfold kernel_shown in H. rewrite !andb_true_iff in H.
  destruct H as ((((((P1 & P2) & P3) & P4) & K1) & K2) & _). pose proof logit_unit_pos as UP. apply IZR_lt in UP.
  set (rho := base_of d logit_factor query_columns F (reference_of r F) u) in *.
  assert (Z0 : (z - reference_at r F u) * IZR logit_unit = value - rho) by (unfold reference_at; fold rho; rewrite <- E; field; lra).
  assert (HI : z - reference_at r F u <= real (class_high c)).
  { assert (S := shown_everywhere _ _ _ _ _ T1 u UB). assert (Q := FM 1%Z (or_introl eq_refl)).
    unfold positive_bottom in P2. apply Z.ltb_lt in P2. assert (FD := floor_div_le (top (class_high c) * logit_unit) (bottom (class_high c)) P2).
    rewrite mult_IZR in FD. apply IZR_lt in P2. assert (LE : value - rho <= real (class_high c) * IZR logit_unit).
    { unfold real. apply Rmult_le_reg_r with (IZR (bottom (class_high c))); [exact P2|].
      replace (IZR (top (class_high c)) / IZR (bottom (class_high c)) * IZR logit_unit * IZR (bottom (class_high c)))
        with (IZR (top (class_high c)) * IZR logit_unit) by (field; lra). nra. }
    apply Rmult_le_reg_r with (IZR logit_unit); [exact UP|]. rewrite Z0. exact LE. }
  assert (LO : real (class_low c) <= z - reference_at r F u).
  { assert (S := shown_everywhere _ _ _ _ _ T2 u UB). assert (Q := FM (-1)%Z (or_intror eq_refl)).
    unfold positive_bottom in P1. apply Z.ltb_lt in P1. assert (FD := floor_div_le (- top (class_low c) * logit_unit) (bottom (class_low c)) P1).
    rewrite mult_IZR, opp_IZR in FD. apply IZR_lt in P1. assert (LE : real (class_low c) * IZR logit_unit <= value - rho).
    { unfold real. apply Rmult_le_reg_r with (IZR (bottom (class_low c))); [exact P1|].
      replace (IZR (top (class_low c)) / IZR (bottom (class_low c)) * IZR logit_unit * IZR (bottom (class_low c)))
        with (IZR (top (class_low c)) * IZR logit_unit) by (field; lra). nra. }
    apply Rmult_le_reg_r with (IZR logit_unit); [exact UP|]. rewrite Z0. exact LE. }
  assert (RL : forall x y : rational, positive_bottom x = true -> (0 < bottom y)%Z -> rational_le x y = true -> real x <= real y).
  { intros x y Bx By H. unfold positive_bottom in Bx. apply Z.ltb_lt, IZR_lt in Bx. apply IZR_lt in By.
    unfold rational_le in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. unfold real.
    apply Rmult_le_reg_r with (IZR (bottom x) * IZR (bottom y)); [nra|].
    replace (IZR (top x) / IZR (bottom x) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top x) * IZR (bottom y)) by (field; lra).
    replace (IZR (top y) / IZR (bottom y) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top y) * IZR (bottom x)) by (field; lra). exact H. }
  assert (RL' : forall x y : rational, (0 < bottom x)%Z -> positive_bottom y = true -> rational_le x y = true -> real x <= real y).
  { intros x y Bx By H. apply IZR_lt in Bx. unfold positive_bottom in By. apply Z.ltb_lt, IZR_lt in By.
    unfold rational_le in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. unfold real.
    apply Rmult_le_reg_r with (IZR (bottom x) * IZR (bottom y)); [nra|].
    replace (IZR (top x) / IZR (bottom x) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top x) * IZR (bottom y)) by (field; lra).
    replace (IZR (top y) / IZR (bottom y) * (IZR (bottom x) * IZR (bottom y))) with (IZR (top y) * IZR (bottom x)) by (field; lra). exact H. }
  split.
  - destruct (kernel_low a (class_low c)) as [y|] eqn:KL; [|discriminate].
    assert (B1 : (0 < bottom (class_low c))%Z) by (apply Z.ltb_lt, P1).
    destruct (kernel_low_spec a (class_low c) y _ B1 KL LO) as [By Ly]. eapply Rle_trans; [apply RL with (y := y); assumption|exact Ly].
  - destruct (kernel_high a (class_high c)) as [y|] eqn:KH; [|discriminate].
    assert (B2 : (0 < bottom (class_high c))%Z) by (apply Z.ltb_lt, P2).
    destruct (kernel_high_spec a (class_high c) y _ B2 KH HI) as [By Ly]. eapply Rle_trans; [exact Ly|apply RL' with (x := y); assumption].
Qed.

Theorem key_in_class r order (x : sequence) i kk F u G v : head_shown r order = true -> (F = Content_flag \/ F = Trigger_flag) ->
  unit_token n b F u (x i) -> in_unit d u -> unit_token n b G v (x kk) -> in_unit d v -> (G = Bos_flag -> forall j, v j = 0) ->
  (F = Trigger_flag -> G = Trigger_flag -> forall j, (j < d)%nat -> v j = u j) ->
  real (class_least (class_of r F (Key G))) <= phi a (logit M L x h i kk - reference_at r F u) <= real (class_greatest (class_of r F (Key G))).
Proof.
  intros HS HF TU UB TV VU VB OWN. destruct fits_parts as (_ & _ & Fq & Fk & _ & _ & _).
  destruct (columns_lengths _ Fq) as (Q1 & Q2 & Q3). destruct (columns_lengths _ Fk) as (K1 & K2 & K3).
  assert (CS : class_shown r order F (Key G) = true).
  { unfold head_shown in HS. rewrite forallb_forall in HS. specialize (HS F ltac:(destruct HF as [-> | ->]; simpl; auto)).
    rewrite forallb_forall in HS. apply HS. apply in_or_app. left. destruct G; simpl; auto. }
  assert (FB : F = Bos_flag -> forall j, u j = 0) by (intros ->; destruct HF; discriminate).
  assert (E := logit_in_unit x i kk F u G v TU FB TV VB).
  apply class_bounds with (order := order) (1 := CS) (3 := E); [exact UB|]. intros sign SG.
  assert (KF : forall free, (free = false -> forall j, v j = 0) ->
    IZR sign * (base F (of_flag key_columns G) u + sum d (fun j => v j * base F (kn j) u) - base_of d logit_factor query_columns F (reference_of r F) u)
    <= form_at d (key_form logit_factor query_columns key_columns sign F (Some (of_flag key_columns G)) (reference_of r F) 0 free) u).
  { intros free FR. assert (S := key_form_spec d logit_factor query_columns key_columns Q2 K2 sign F (Some (of_flag key_columns G)) (reference_of r F) 0 free u v SG VU FR).
    cbn [base_of] in S. eapply Rle_trans; [|exact S]. apply Req_le. unfold base, kn. simpl (IZR 0). ring. }
  unfold class_form. destruct HF as [-> | ->].
  - destruct G; [apply KF; auto|apply KF; discriminate|apply KF; discriminate].
  - destruct G; [apply KF; auto| |apply KF; discriminate].
    assert (S := own_form_spec d logit_factor query_columns key_columns Q2 K2 sign Trigger_flag (reference_of r Trigger_flag) u SG UB).
    eapply Rle_trans; [|exact S]. apply Req_le. unfold base, kn.
    rewrite (sum_ext d (fun j => v j * _) (fun j => u j * base_at d logit_factor query_columns Trigger_flag (nth j (of_noise key_columns) []) u))
      by (intros j Hj; rewrite (OWN eq_refl eq_refl j Hj); reflexivity). ring.
Qed.

Theorem slot_in_class r order F u : head_shown r order = true -> has_slot a = true -> (F = Content_flag \/ F = Trigger_flag) ->
  in_unit d u ->
  real (class_least (class_of r F Null)) <= phi a (slot_logit L h - reference_at r F u) <= real (class_greatest (class_of r F Null)).
Proof.
  intros HS SL HF UB. destruct fits_parts as (_ & _ & Fq & Fk & S0 & _ & _).
  destruct (columns_lengths _ Fq) as (Q1 & Q2 & Q3). destruct (columns_lengths _ Fk) as (K1 & K2 & K3).
  assert (CS : class_shown r order F Null = true).
  { unfold head_shown in HS. rewrite SL in HS. rewrite forallb_forall in HS. specialize (HS F ltac:(destruct HF as [-> | ->]; simpl; auto)).
    rewrite forallb_forall in HS. apply HS. apply in_or_app. right. simpl. auto. }
  assert (E : slot_logit L h * IZR logit_unit = IZR slot_in_unit).
  { unfold L, layer_of. cbn [slot_logit]. unfold number, logit_unit, slot_in_unit. rewrite power_is_pow by exact S0. rewrite !mult_IZR.
    fold (unit_of (slot_shift l)). pose proof (unit_pos _ S0). field. lra. }
  apply class_bounds with (order := order) (1 := CS) (3 := E); [exact UB|]. intros sign SG. cbn [class_form].
  assert (S := key_form_spec d logit_factor query_columns key_columns Q2 K2 sign F None (reference_of r F) slot_in_unit false u (fun _ => 0) SG
                 ltac:(intros j _; lra) ltac:(reflexivity)).
  eapply Rle_trans; [|exact S]. apply Req_le. cbn [base_of]. rewrite (sum_ext d (fun j => 0 * _) (fun _ => 0)) by (intros; ring).
  rewrite sum_const. ring.
Qed.

End Head.
