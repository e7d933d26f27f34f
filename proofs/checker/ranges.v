(** * Ranges of kernels, and the rule layer-attention

    Sections 4.9 and 4.10 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given box statements rounded exponential weights pass layers inputs witness forms logits kernels semidefinite.
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
  bos_greatest : rational;
  gates_of : flag -> rational * rational            (* read for Softmax_gated alone *)
}.

(** alpha, beta and gamma of section 4.5, over one unit. *)
Record multipliers := { key_multipliers : list Z; query_multipliers : list Z; own_multipliers : list Z; multiplier_unit : Z }.

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

(** ** Multipliers, and the curves of these forms *)

Definition noise_pair (i j : nat) : Z := pair_of logit_factor (nth i (of_noise query_columns) []) (nth j (of_noise key_columns) []).
Definition in_units (m : multipliers) (a : list Z) : list Z := map (fun z => (2 * logit_unit * z)%Z) a.

Definition key_matrix (m : multipliers) : half :=
  bordered (in_units m (key_multipliers m))
    (map (fun j => map (fun i => multiplier_unit m * noise_pair i j)%Z (seq 0 d)) (seq 0 d))
    (in_units m (query_multipliers m)).

Definition own_matrix (m : multipliers) : half :=
  bordered (in_units m (own_multipliers m))
    (map (fun j => map (fun i => if (i =? j)%nat then 0 else multiplier_unit m * (noise_pair i j + noise_pair j i))%Z (seq 0 d)) (seq 0 d))
    (in_units m (own_multipliers m)).

Definition multipliers_shown (m : multipliers) : bool :=
  let positive a := (length a =? d)%nat && forallb (fun z => (0 <? z)%Z) a in
  (0 <? multiplier_unit m)%Z && positive (key_multipliers m) && positive (query_multipliers m) && positive (own_multipliers m)
  && semidefinite (key_matrix m) && semidefinite (own_matrix m).

Definition flat : curve := {| turn := 1; squares := []; weights := [] |}.
Definition key_curve (m : multipliers) : curve :=
  if (2 <=? d)%nat
  then {| turn := multiplier_unit m; squares := map (fun z => (logit_unit * z)%Z) (query_multipliers m);
          weights := map (fun z => Some (logit_unit * z)%Z) (key_multipliers m) |}
  else flat.
Definition own_curve (m : multipliers) : curve :=
  {| turn := multiplier_unit m; squares := map (fun z => (logit_unit * z)%Z) (own_multipliers m); weights := [] |}.

Definition class_curve (F : flag) (key : key_kind) (m : multipliers) : curve :=
  match key with
  | Null => flat
  | Key G =>
      match F, G with
      | Trigger_flag, Trigger_flag => own_curve m
      | _, Bos_flag => flat
      | _, _ => key_curve m
      end
  end.

Definition kernel_shown (c : kernel_class) : bool :=
  positive_bottom (class_low c) && positive_bottom (class_high c) && positive_bottom (class_least c) && positive_bottom (class_greatest c)
  && match kernel_low a (class_low c) with Some y => rational_le (class_least c) y | None => false end
  && match kernel_high a (class_high c) with Some y => rational_le y (class_greatest c) | None => false end
  && match a with Linear => true | _ => (0 <=? top (class_least c))%Z end.

Variables (m : option multipliers) (points : nat -> option point).

Definition class_shown (r : head_ranges) (order : list nat) (F : flag) (key : key_kind) : bool :=
  let q := query_columns in let k := key_columns in
  let c := class_of r F key in let (t_high, t_low) := trees_of r F key in let reference := reference_of r F in
  let curve := option_map (class_curve F key) m in
  kernel_shown c
  && shown d (class_form q k 1 F key reference) curve points (top (class_high c) * logit_unit) (bottom (class_high c)) order t_high
  && shown d (class_form q k (-1) F key reference) curve points (- top (class_low c) * logit_unit) (bottom (class_low c)) order t_low.

Definition head_shown (r : head_ranges) (order : list nat) : bool :=
  forallb (fun F => forallb (class_shown r order F)
                      ([Key Bos_flag; Key Content_flag; Key Trigger_flag] ++ if has_slot a then [Null] else []))
          [Content_flag; Trigger_flag].

(** The kernel of BOS in row 1. *)
Definition bos_shown (r : head_ranges) : bool :=
  let z := match a with
           | Softmax | Softmax_gated => {| top := 0; bottom := 1 |}
           | _ => {| top := pair_of logit_factor (of_bos query_columns) (of_bos key_columns) - if has_slot a then slot_in_unit else 0; bottom := logit_unit |}
           end in
  kernel_shown {| class_low := z; class_high := z; class_least := bos_least r; class_greatest := bos_greatest r |}.

(** The gate of a query of each flag; nothing that is proved here rests on it. *)
Definition gates_shown (r : head_ranges) : bool :=
  match a with
  | Softmax_gated =>
      let row := (nth h (rows (given_gates l)) [], nth h (offsets (given_gates l)) 0%Z) in
      let unit := (power (shift (given_gates l)) * box_unit b)%Z in
      forallb (fun F =>
        let centre := flag_entry n b F row in
        let reach := match F with Bos_flag => 0%Z | _ => whole_sum d (fun k => Z.abs (noise_entry n b k row)) end in
        let (least, greatest) := gates_of r F in
        positive_bottom least && positive_bottom greatest && (0 <=? top least)%Z
        && match logistic_low {| top := centre - reach; bottom := unit |} with Some y => rational_le least y | None => false end
        && rational_le (logistic_high {| top := centre + reach; bottom := unit |}) greatest)
      [Bos_flag; Content_flag; Trigger_flag]
  | _ => true
  end.

(** ** What the ranges state *)

Hypotheses (Hn : (4 <= n)%nat) (HU : (0 < box_unit b)%Z) (Lm : length (middle b) = (n - 3)%nat)
  (F0 : network_fits g = true) (FL : layer_fits g l = true) (Hh : (h < given_heads g)%nat)
  (MS : forall m', m = Some m' -> multipliers_shown m' = true).

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

Lemma bordered_below A B C : length A = d -> length B = d -> length C = d -> (forall l, (l < d)%nat -> length (nth l B []) = d) ->
  semidefinite (bordered A B C) = true -> forall v u : nat -> R,
  0 <= sum d (fun l => number A l * (v l * v l)) - 2 * sum d (fun l => v l * sum d (fun k => number_at B l k * u k)) + sum d (fun k => number C k * (u k * u k)).
Proof.
  intros LA LB LC LR H v u. assert (Q := semidefinite_spec _ H (fun i => if (i <? d)%nat then v i else - u (i - d)%nat)).
  rewrite bordered_spec in Q by lia. rewrite LA, LC in Q. eapply Rle_trans; [exact Q|]. apply Req_le.
  assert (E : forall k, (if (d + k <? d)%nat then v (d + k)%nat else - u (d + k - d)%nat) = - u k).
  { intros k. destruct (Nat.ltb_spec (d + k) d); [lia|]. do 2 f_equal. lia. }
  rewrite (sum_ext d (fun l => number A l * _) (fun l => number A l * (v l * v l))) by (intros i Hi; destruct (Nat.ltb_spec i d); [reflexivity|lia]).
  rewrite (sum_ext d (fun l => (if (l <? d)%nat then v l else - u (l - d)%nat) * _) (fun l => - 1 * (v l * sum d (fun k => number_at B l k * u k)))).
  - rewrite sum_scal. rewrite (sum_ext d (fun k => number C k * _) (fun k => number C k * (u k * u k))) by (intros k Hk; rewrite E; ring). ring.
  - intros i Hi. destruct (Nat.ltb_spec i d); [|lia]. rewrite along_sum, LR by exact Hi.
    rewrite (sum_ext d (fun k => number (nth i B []) k * _) (fun k => - 1 * (number_at B i k * u k))) by (intros k Hk; rewrite E; unfold number_at; ring).
    rewrite sum_scal. ring.
Qed.

Lemma table_entry (e : nat -> nat -> Z) i j : (i < d)%nat -> (j < d)%nat -> number_at (map (fun j => map (fun i => e i j) (seq 0 d)) (seq 0 d)) j i = IZR (e i j).
Proof.
  intros Hi Hj. unfold number_at, number. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hj). rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hi).
  rewrite !seq_nth by assumption. reflexivity.
Qed.

Lemma table_lengths (e : nat -> nat -> Z) : length (map (fun j => map (fun i => e i j) (seq 0 d)) (seq 0 d)) = d
  /\ forall j, (j < d)%nat -> length (nth j (map (fun j => map (fun i => e i j) (seq 0 d)) (seq 0 d)) []) = d.
Proof.
  split; [rewrite map_length; apply seq_length|]. intros j Hj. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hj). rewrite map_length. apply seq_length.
Qed.

Lemma number_units (z : Z) e k : (k < length e)%nat -> number (map (fun y => (z * y)%Z) e) k = IZR z * number e k.
Proof. intros H. unfold number. rewrite (nth_map_in _ _ _ 0%Z) by exact H. apply mult_IZR. Qed.

Lemma multipliers_parts m' : multipliers_shown m' = true -> (0 < multiplier_unit m')%Z
  /\ (length (key_multipliers m') = d /\ length (query_multipliers m') = d /\ length (own_multipliers m') = d)
  /\ (forall k, (k < d)%nat -> 0 < number (key_multipliers m') k /\ 0 < number (query_multipliers m') k /\ 0 < number (own_multipliers m') k)
  /\ semidefinite (key_matrix m') = true /\ semidefinite (own_matrix m') = true.
Proof.
  unfold multipliers_shown. rewrite !andb_true_iff, !Nat.eqb_eq, !forallb_forall, Z.ltb_lt.
  intros (((((U & (L1 & P1)) & (L2 & P2)) & (L3 & P3)) & S1) & S2).
  split; [exact U|]. split; [auto|]. split; [|auto]. intros k Hk. repeat split; apply IZR_lt, Z.ltb_lt; [apply P1|apply P2|apply P3]; apply nth_In; lia.
Qed.

Lemma flat_not_negative f : products f = [] -> not_negative d f flat.
Proof.
  intros P. unfold not_negative, curving, curved_part, weight_of, flat. cbn [turn squares weights].
  split; [intros u v|split; [|split; [intros i; destruct i; simpl; lra|lia]]].
  - rewrite P, (sum_ext d (fun k => number [] k * _) (fun _ => 0)) by (intros k _; unfold number; destruct k; simpl; ring).
    rewrite (sum_ext (length (absolutes f)) _ (fun _ => 0)).
    + rewrite (sum_ext d (fun k => sum k _) (fun _ => 0)); [rewrite !sum_const; lra|]. intros k _. rewrite (sum_ext k _ (fun _ => 0)); [rewrite sum_const; ring|].
      intros i _. unfold number_at, number. destruct k, i; simpl; ring.
    + intros i _. replace (nth i [] None) with (@None Z) by (destruct i; reflexivity). cbn [snd].
      rewrite (sum_ext d _ (fun _ => 0)) by (intros k _; unfold number; destruct k; simpl; ring). rewrite sum_const. simpl. ring.
  - intros k _. unfold number. destruct k; simpl; lra.
Qed.

Lemma key_curve_not_negative m' sign F key reference slot : multipliers_shown m' = true ->
  not_negative d (key_form logit_factor query_columns key_columns sign F key reference slot true) (key_curve m').
Proof.
  intros S. unfold key_curve. destruct (2 <=? d)%nat; [|apply flat_not_negative; reflexivity].
  destruct (multipliers_parts m' S) as (U & (L1 & L2 & L3) & P & S1 & _). pose proof logit_unit_pos as UP. assert (UP' := IZR_lt _ _ UP).
  destruct fits_parts as (_ & _ & Fq & Fk & _ & _ & _). destruct (columns_lengths _ Fq) as (_ & Q2 & _). destruct (columns_lengths _ Fk) as (_ & K2 & _).
  change (length (of_noise query_columns) = d) in Q2. change (length (of_noise key_columns) = d) in K2.
  set (f := key_form _ _ _ _ _ _ _ _ _). set (c := {| turn := _; squares := _; weights := _ |}).
  assert (WO : forall i, weight_of c i = if (i <? d)%nat then (logit_unit * nth i (key_multipliers m') 0)%Z else 0%Z).
  { intros i. unfold weight_of, c. cbn [weights]. destruct (Nat.ltb_spec i d).
    - rewrite (nth_map_in _ _ _ 0%Z) by lia. reflexivity.
    - rewrite nth_overflow by (rewrite map_length; lia). reflexivity. }
  unfold not_negative. split; [|split; [|split; [|exact U]]].
  - intros u v. destruct (table_lengths (fun i j => (multiplier_unit m' * noise_pair i j)%Z)) as [T1 T2].
    assert (B := bordered_below _ _ _ ltac:(unfold in_units; rewrite map_length; exact L1) T1 ltac:(unfold in_units; rewrite map_length; exact L2) T2 S1 v u).
    assert (LN : length (absolutes f) = d) by (unfold f, key_form; cbn [absolutes]; rewrite map_length; exact K2).
    assert (E : 2 * curving d f c u v = sum d (fun l => number (in_units m' (key_multipliers m')) l * (v l * v l))
              - 2 * sum d (fun l => v l * sum d (fun k => number_at (map (fun j => map (fun i => (multiplier_unit m' * noise_pair i j)%Z) (seq 0 d)) (seq 0 d)) l k * u k))
              + sum d (fun k => number (in_units m' (query_multipliers m')) k * (u k * u k))).
    { unfold curving. rewrite LN.
      rewrite (sum_ext d (fun k => sum k _) (fun _ => 0)).
      2: { intros j _. rewrite (sum_ext j _ (fun _ => 0)); [rewrite sum_const; ring|]. intros i _. unfold number_at, number, f, key_form. cbn [products]. destruct j, i; simpl; ring. }
      rewrite sum_const.
      rewrite (sum_ext d (fun k => number (squares c) k * (u k * u k)) (fun k => / 2 * (number (in_units m' (query_multipliers m')) k * (u k * u k)))).
      2: { intros k Hk. unfold c, in_units. cbn [squares]. rewrite !number_units by lia. rewrite mult_IZR. simpl (IZR 2). field. }
      rewrite (sum_ext d (fun i => IZR (weight_of c i) * (v i * v i) - IZR (turn c) * (v i * sum d (fun k => number (snd (curved_part f c i)) k * u k)))
                 (fun i => / 2 * (number (in_units m' (key_multipliers m')) i * (v i * v i))
                           - v i * sum d (fun k => number_at (map (fun j => map (fun i => (multiplier_unit m' * noise_pair i j)%Z) (seq 0 d)) (seq 0 d)) i k * u k))).
      2: { intros i Hi. rewrite WO. destruct (Nat.ltb_spec i d); [|lia]. unfold in_units. rewrite number_units by lia. rewrite !mult_IZR. fold (number (key_multipliers m') i).
           assert (CP : curved_part f c i = nth i (absolutes f) (0%Z, [])) by (unfold curved_part, c; cbn [weights]; rewrite (nth_map_in _ _ _ 0%Z) by lia; reflexivity).
           rewrite CP. assert (R : IZR (turn c) * (v i * sum d (fun k => number (snd (nth i (absolutes f) (0%Z, []))) k * u k))
             = v i * sum d (fun k => number_at (map (fun j => map (fun i0 => (multiplier_unit m' * noise_pair i0 j)%Z) (seq 0 d)) (seq 0 d)) i k * u k)).
           { rewrite <- Rmult_assoc, (Rmult_comm _ (v i)), Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext. intros k Hk. rewrite (table_entry (fun i0 j => (multiplier_unit m' * noise_pair i0 j)%Z)) by assumption.
             rewrite mult_IZR. unfold f, key_form, c. cbn [absolutes turn]. rewrite (nth_map_in _ _ _ []) by (rewrite K2; exact Hi). cbn [snd].
             unfold number, noise_pair. rewrite (nth_map_in _ _ _ []) by (rewrite Q2; exact Hk). ring. }
           rewrite R. simpl (IZR 2). field. }
      rewrite sum_minus, !sum_scal. field. }
    assert (B2 : 0 <= 2 * curving d f c u v) by (rewrite E; exact B). lra.
  - intros k Hk. unfold c. cbn [squares]. rewrite number_units by lia. apply Rmult_le_pos; [lra|]. apply Rlt_le, P, Hk.
  - intros i. rewrite WO. destruct (Nat.ltb_spec i d) as [Hi|Hi]; [|lra]. rewrite mult_IZR. apply Rmult_le_pos; [lra|]. apply Rlt_le, (P i Hi).
Qed.

Lemma own_curve_not_negative m' sign F reference : multipliers_shown m' = true -> (sign = 1 \/ sign = -1)%Z ->
  not_negative d (own_form d logit_factor query_columns key_columns sign F reference) (own_curve m').
Proof.
  intros S SG. destruct (multipliers_parts m' S) as (U & (L1 & L2 & L3) & P & _ & S2). pose proof logit_unit_pos as UP. assert (UP' := IZR_lt _ _ UP).
  destruct fits_parts as (_ & _ & Fq & Fk & _ & _ & _). destruct (columns_lengths _ Fq) as (_ & Q2 & _). destruct (columns_lengths _ Fk) as (_ & K2 & _).
  change (length (of_noise query_columns) = d) in Q2. change (length (of_noise key_columns) = d) in K2.
  set (f := own_form _ _ _ _ _ _ _). set (c := own_curve m').
  unfold not_negative. split; [|split; [|split; [|exact U]]].
  - intros u v. set (e := fun i j => if (i =? j)%nat then 0%Z else (multiplier_unit m' * (noise_pair i j + noise_pair j i))%Z).
    destruct (table_lengths e) as [T1 T2]. assert (LU : length (in_units m' (own_multipliers m')) = d) by (unfold in_units; rewrite map_length; exact L3).
    assert (B := bordered_below _ _ _ LU T1 LU T2 S2 (fun l => IZR sign * u l) u).
    assert (LC : length (combine (of_noise query_columns) (of_noise key_columns)) = d) by (rewrite combine_length; lia).
    assert (CN : forall j, (j < d)%nat -> nth j (combine (of_noise query_columns) (of_noise key_columns)) ([], []) = (nth j (of_noise query_columns) [], nth j (of_noise key_columns) []))
      by (intros; apply combine_nth; lia).
    assert (SQ : sum d (fun l => IZR sign * u l * sum d (fun k => number_at (map (fun j => map (fun i => e i j) (seq 0 d)) (seq 0 d)) l k * u k))
               = 2 * (IZR (turn c) * sum d (fun k => sum k (fun l => number_at (products f) k l * (u k * u l))))).
    { rewrite (sum_ext d _ (fun l => IZR sign * sum d (fun k => u l * (u k * IZR (e k l))))).
      - rewrite sum_scal, square_terms. rewrite (sum_ext d (fun j => IZR (e j j) * _) (fun _ => 0)) by (intros j _; unfold e; rewrite Nat.eqb_refl; simpl; ring).
        rewrite sum_const, <- !sum_scal. rewrite Rmult_0_r, Rplus_0_l, <- sum_scal. apply sum_ext. intros k Hk. rewrite <- !sum_scal. apply sum_ext. intros i Hi.
        unfold e. destruct (Nat.eqb_spec k i); [lia|]. destruct (Nat.eqb_spec i k); [lia|]. unfold number_at, number, f, own_form. cbn [products].
        rewrite (nth_map_in _ _ _ ([], [])) by (rewrite LC; exact Hk). rewrite (nth_map_in _ _ _ ([], [])) by (rewrite LC; lia). rewrite !CN by lia. cbn [fst snd].
        unfold noise_pair, c, own_curve. cbn [turn]. rewrite !mult_IZR, !plus_IZR. ring.
      - intros i Hi. rewrite Rmult_assoc, <- sum_scal. f_equal. apply sum_ext. intros k Hk. rewrite table_entry by assumption. ring. }
    cbv beta in B. rewrite SQ in B.
    rewrite (sum_ext d (fun l => number (in_units m' (own_multipliers m')) l * (IZR sign * u l * (IZR sign * u l)))
               (fun l => number (in_units m' (own_multipliers m')) l * (u l * u l))) in B by (intros; destruct SG as [-> | ->]; ring).
    unfold curving. replace (length (absolutes f)) with 0%nat by reflexivity. cbn [sum].
    rewrite (sum_ext d (fun k => number (squares c) k * (u k * u k)) (fun k => / 2 * (number (in_units m' (own_multipliers m')) k * (u k * u k)))).
    2: { intros k Hk. unfold c, own_curve, in_units. cbn [squares]. rewrite !number_units by lia. rewrite mult_IZR. simpl (IZR 2). field. }
    rewrite sum_scal. lra.
  - intros k Hk. unfold c, own_curve. cbn [squares]. rewrite number_units by lia. apply Rmult_le_pos; [lra|]. apply Rlt_le, P, Hk.
  - intros i. unfold weight_of, c, own_curve. cbn [weights]. destruct i; simpl; lra.
Qed.

Lemma class_curve_not_negative sign F key reference c : (F = Content_flag \/ F = Trigger_flag) -> (sign = 1 \/ sign = -1)%Z ->
  option_map (class_curve F key) m = Some c -> not_negative d (class_form query_columns key_columns sign F key reference) c.
Proof.
  intros HF SG E. destruct m as [m'|]; [|discriminate]. injection E as <-. specialize (MS m' eq_refl). unfold class_form, class_curve.
  destruct key as [G|]; [|apply flat_not_negative; reflexivity].
  destruct HF as [-> | ->], G; first [apply flat_not_negative; reflexivity|apply key_curve_not_negative; exact MS|apply own_curve_not_negative; assumption].
Qed.

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
Lemma class_bounds r order F key u z value : (F = Content_flag \/ F = Trigger_flag) -> class_shown r order F key = true -> in_unit d u ->
  z * IZR logit_unit = value ->
  (forall sign, (sign = 1 \/ sign = -1)%Z ->
     IZR sign * (value - base_of d logit_factor query_columns F (reference_of r F) u)
     <= form_at d (class_form query_columns key_columns sign F key (reference_of r F)) u) ->
  real (class_least (class_of r F key)) <= phi a (z - reference_at r F u) <= real (class_greatest (class_of r F key)).
Proof.
  intros HF H UB E FM. unfold class_shown in H. set (c := class_of r F key) in *. destruct (trees_of r F key) as [t1 t2].
  rewrite !andb_true_iff in H. destruct H as ((H & T1) & T2). unfold kernel_shown in H. rewrite !andb_true_iff in H.
  destruct H as ((((((P1 & P2) & P3) & P4) & K1) & K2) & _). pose proof logit_unit_pos as UP. apply IZR_lt in UP.
  set (rho := base_of d logit_factor query_columns F (reference_of r F) u) in *.
  assert (Z0 : (z - reference_at r F u) * IZR logit_unit = value - rho) by (unfold reference_at; fold rho; rewrite <- E; field; lra).
  assert (AT : forall p q y, (0 < q)%Z -> y * IZR logit_unit <= IZR (p * logit_unit) / IZR q -> y <= IZR p / IZR q).
  { intros p q y Hq. apply IZR_lt in Hq. rewrite mult_IZR. intros Q. apply Rmult_le_reg_r with (IZR logit_unit); [exact UP|]. eapply Rle_trans; [exact Q|]. apply Req_le. field. lra. }
  assert (HI : z - reference_at r F u <= real (class_high c)).
  { unfold positive_bottom in P2. apply Z.ltb_lt in P2. apply AT; [exact P2|]. rewrite Z0.
    assert (S := shown_everywhere _ _ _ _ _ _ _ _ P2 (fun c' => class_curve_not_negative 1 F key _ c' HF (or_introl eq_refl)) T1 u UB).
    assert (Q := FM 1%Z (or_introl eq_refl)). lra. }
  assert (LO : real (class_low c) <= z - reference_at r F u).
  { unfold positive_bottom in P1. apply Z.ltb_lt in P1. assert (NL : - (z - reference_at r F u) <= IZR (- top (class_low c)) / IZR (bottom (class_low c))).
    - apply AT; [exact P1|]. assert (S := shown_everywhere _ _ _ _ _ _ _ _ P1 (fun c' => class_curve_not_negative (-1) F key _ c' HF (or_intror eq_refl)) T2 u UB).
      assert (Q := FM (-1)%Z (or_intror eq_refl)). rewrite Ropp_mult_distr_l_reverse, Z0. lra.
    - rewrite opp_IZR in NL. unfold real. apply Ropp_le_cancel. eapply Rle_trans; [exact NL|]. apply Req_le. apply IZR_lt in P1. field. lra. }
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
  apply class_bounds with (order := order) (1 := HF) (2 := CS) (4 := E); [exact UB|]. intros sign SG.
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
  apply class_bounds with (order := order) (1 := HF) (2 := CS) (4 := E); [exact UB|]. intros sign SG. cbn [class_form].
  assert (S := key_form_spec d logit_factor query_columns key_columns Q2 K2 sign F None (reference_of r F) slot_in_unit false u (fun _ => 0) SG
                 ltac:(intros j _; lra) ltac:(reflexivity)).
  eapply Rle_trans; [|exact S]. apply Req_le. cbn [base_of]. rewrite (sum_ext d (fun j => 0 * _) (fun _ => 0)) by (intros; ring).
  rewrite sum_const. ring.
Qed.

End Head.
