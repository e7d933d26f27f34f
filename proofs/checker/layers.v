(** * The forward pass: heads, layers and stacks

    Section 4.6 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task variants.
From Verified Require Import model given rounded exponential weights pass.
Import ListNotations.
Open Scope R_scope.

(** ** Where a pass fails *)

Definition bounded (p : Z) (b : ball) : bool :=
  let limit := power (2 * p) in (radius b <? limit)%Z && forallb (fun x => (Z.abs x <? limit)%Z) (centre b).

Definition bounded_range (p : Z) (r : range) : bool :=
  let limit := power (2 * p) in (- limit <? fst r)%Z && (snd r <? limit)%Z.

(** ** A row of a head *)

Definition slot_range (p s z : Z) : range := (floor_shift (Z.shiftl z p) s, ceil_shift (Z.shiftl z p) s).

Lemma slot_range_spec p s z : (0 <= p)%Z -> (0 <= s)%Z -> within (unit_of p) (slot_range p s z) (IZR z / IZR (2 ^ s)).
Proof.
  intros Hp Hs. rewrite power_is_pow by exact Hs. pose proof (unit_pos s Hs) as U.
  split; cbn [fst snd slot_range]; (apply Rmult_le_reg_r with (unit_of s); [exact U|]).
  - replace (unit_of p * (IZR z / unit_of s) * unit_of s) with (IZR z * unit_of p) by (field; lra).
    rewrite <- (shiftl_unit z p) by exact Hp. apply floor_shift_le, Hs.
  - replace (unit_of p * (IZR z / unit_of s) * unit_of s) with (IZR z * unit_of p) by (field; lra).
    rewrite <- (shiftl_unit z p) by exact Hp. apply ceil_shift_ge, Hs.
Qed.

Definition gate_range (p : Z) (b : ball) (h : nat) : range :=
  let c := nth h (centre b) 0%Z in (logistic_down p (c - radius b), logistic_up p (c + radius b)).

Lemma gate_range_spec p b h x : (0 <= p)%Z -> (h < length (centre b))%nat -> encloses p b x ->
  within (unit_of p) (gate_range p b h) (logistic (x h)).
Proof.
  intros Hp Hh [_ N]. pose proof (unit_pos p Hp) as U. specialize (N h Hh). apply abs_bounds in N. unfold number in N.
  split; cbn [fst snd gate_range].
  - eapply Rle_trans; [apply logistic_down_le, Hp|]. apply Rmult_le_compat_l; [lra|].
    apply logistic_le, at_unit_le; [exact Hp|]. rewrite minus_IZR. lra.
  - eapply Rle_trans; [|apply logistic_up_ge, Hp]. apply Rmult_le_compat_l; [lra|].
    apply logistic_le, at_unit_ge; [exact Hp|]. rewrite plus_IZR. lra.
Qed.

Record head_seen := { head_ball : ball; head_weights : list range; head_fine : bool }.

Definition head_row (g : given_network) (l : given_layer) (p : Z) (q gate : ball) (i h : nat)
    (keys values : list sized) : head_seen :=
  let w := given_head_width g in
  let own_query := part_of h w q in
  let logits := map (logit_range (scale_top g) (scale_bottom g) p own_query (own_size w own_query)) (firstn i keys) in
  let slot := slot_range p (slot_shift l) (nth h (given_slots l) 0%Z) in
  let ws := weight_ranges (given_kind g) p slot logits in
  let out := combination p w (tl ws) (firstn i values) in
  let fine := forallb (bounded_range p) logits && bounded p out
              && (if has_slot (given_kind g) then bounded_range p slot else true) in
  match given_kind g with
  | Softmax_gated =>
      let gated := combination p w [gate_range p gate h] [with_reach out] in
      {| head_ball := gated; head_weights := ws; head_fine := fine && bounded p gated |}
  | _ => {| head_ball := out; head_weights := ws; head_fine := fine |}
  end.

(** ** A row of a layer *)

Record row_seen := { row_ball : ball; row_weights : list (list range); row_fine : bool }.

(** The [norm_*] are those of the maps, so that they are found once for a layer. *)
Definition layer_row (g : given_network) (l : given_layer) (norm_query norm_gates norm_output p : Z)
    (keys values : list (list sized)) (i : nat) (b : ball) : row_seen :=
  let q := apply_map (given_query l) norm_query p b in
  let gate := match given_kind g with Softmax_gated => apply_map (given_gates l) norm_gates p b | _ => no_ball end in
  let seen := map (fun h => head_row g l p q gate i h (nth h keys []) (nth h values [])) (seq 0 (given_heads g)) in
  let out := apply_map (given_output l) norm_output p (beside (map head_ball seen)) in
  let last := if given_residual g then sum_of out b else out in
  {| row_ball := last; row_weights := map head_weights seen;
     row_fine := bounded p q && bounded p gate && forallb head_fine seen && bounded p out && bounded p last |}.

Definition run_layer (g : given_network) (l : given_layer) (p : Z) (first : nat) (balls : list ball)
    : list row_seen * bool :=
  let w := given_head_width g in
  let norm_key := largest_size (rows (given_key l)) in
  let norm_value := largest_size (rows (given_value l)) in
  let norm_query := largest_size (rows (given_query l)) in
  let norm_gates := largest_size (rows (given_gates l)) in
  let norm_output := largest_size (rows (given_output l)) in
  let ks := map (apply_map (given_key l) norm_key p) balls in
  let vs := map (apply_map (given_value l) norm_value p) balls in
  let keys := map (fun h => map (fun b => with_size (part_of h w b)) ks) (seq 0 (given_heads g)) in
  let values := map (fun h => map (fun b => with_reach (part_of h w b)) vs) (seq 0 (given_heads g)) in
  let found := map (fun t => layer_row g l norm_query norm_gates norm_output p keys values (fst t) (snd t))
                   (combine (seq (S first) (length balls - first)) (skipn first balls)) in
  (found, forallb (bounded p) ks && forallb (bounded p) vs && forallb row_fine found).

(** ** What a layer must be like *)

Definition layer_fits (g : given_network) (l : given_layer) : bool :=
  let n := given_width g in let hw := (given_heads g * given_head_width g)%nat in
  map_fits (given_query l) hw n && map_fits (given_key l) hw n && map_fits (given_value l) hw n
  && map_fits (given_output l) n hw
  && match given_kind g with Softmax_gated => map_fits (given_gates l) (given_heads g) n | _ => true end
  && (0 <=? slot_shift l)%Z.

Definition network_fits (g : given_network) : bool :=
  (0 <? given_head_width g)%nat && (0 <? scale_top g)%Z && (0 <? scale_bottom g)%Z
  && forallb (layer_fits g) (given_layers g).

Definition no_row : row_seen := {| row_ball := no_ball; row_weights := []; row_fine := false |}.

(** The balls enclose the rows from [first] on (from 0) of the sequence. *)
Definition enclose_rows (p : Z) (n first : nat) (balls : list ball) (x : sequence) : Prop :=
  forall k, (k < length balls)%nat ->
  length (centre (nth k balls no_ball)) = n /\ encloses p (nth k balls no_ball) (x (S (first + k))).

Section Layer.

Variables (g : given_network) (l : given_layer) (p : Z) (x : sequence).
Hypotheses (Hp : (0 <= p)%Z) (Hw : (0 < given_head_width g)%nat) (Ht : (0 < scale_top g)%Z)
  (Hb : (0 < scale_bottom g)%Z) (F : layer_fits g l = true).

Let M := network_of g.
Let n := given_width g.
Let w := given_head_width g.
Let H := given_heads g.
Let L := layer_of l.

Lemma layer_fits_parts :
  map_fits (given_query l) (H * w) n = true /\ map_fits (given_key l) (H * w) n = true
  /\ map_fits (given_value l) (H * w) n = true /\ map_fits (given_output l) n (H * w) = true
  /\ (given_kind g = Softmax_gated -> map_fits (given_gates l) H n = true) /\ (0 <= slot_shift l)%Z.
Proof.
  unfold layer_fits in F. rewrite !andb_true_iff, Z.leb_le in F. destruct F as (((((A & B) & C) & D) & E) & G).
  repeat split; try assumption. intros K. rewrite K in E. exact E.
Qed.

Lemma head_part_fits h : (h < H)%nat -> (S h * w <= H * w)%nat.
Proof. intros Hh. apply Nat.mul_le_mono_r. exact Hh. Qed.

Lemma head_row_spec q gate i h keys values : (h < H)%nat -> (i <= length keys)%nat -> (i <= length values)%nat ->
  length (centre q) = (H * w)%nat -> encloses p q (apply n (query L) (x i)) ->
  (given_kind g = Softmax_gated -> length (centre gate) = H /\ encloses p gate (apply n (gates L) (x i))) ->
  (forall k, (k < i)%nat -> exists b, nth k keys no_sized = with_size b /\ length (centre b) = w
     /\ encloses p b (fun c => apply n (key L) (x (S k)) (h * w + c)%nat)) ->
  (forall k, (k < i)%nat -> exists b, nth k values no_sized = with_reach b /\ length (centre b) = w
     /\ encloses p b (fun c => apply n (value L) (x (S k)) (h * w + c)%nat)) ->
  let s := head_row g l p q gate i h keys values in
  length (centre (head_ball s)) = w /\ encloses p (head_ball s) (head_output M L x h i)
  /\ forall k, (k <= i)%nat -> within (unit_of p) (nth k (head_weights s) (0, 0)%Z) (weight M L x h i k).
Proof.
  intros Hh Lk Lv Lq Eq Eg Ek Ev. destruct layer_fits_parts as (_ & _ & _ & _ & _ & S0).
  unfold head_row. fold w. set (qh := part_of h w q).
  set (logits := map (logit_range (scale_top g) (scale_bottom g) p qh (own_size w qh)) (firstn i keys)).
  set (slot := slot_range p (slot_shift l) (nth h (given_slots l) 0%Z)).
  set (ws := weight_ranges (given_kind g) p slot logits).
  set (out := combination p w (tl ws) (firstn i values)). cbn zeta.
  assert (Pq : (S h * w <= length (centre q))%nat) by (rewrite Lq; apply head_part_fits, Hh).
  assert (LL : length logits = i) by (unfold logits; rewrite map_length, firstn_length; lia).
  assert (HL : forall k, (k < length logits)%nat ->
            within (unit_of p) (nth k logits (0, 0)%Z) (logit M L x h (length logits) (S k))).
  { intros k Hk. rewrite LL in *. unfold logits.
    rewrite (nth_map_in _ _ _ no_sized) by (rewrite firstn_length; lia). rewrite nth_firstn_lt by exact Hk.
    destruct (Ek k Hk) as (b & -> & Lb & Eb). unfold logit.
    apply (logit_range_spec _ _ p w qh b (fun c => apply n (query L) (x i) (h * w + c)%nat)); try assumption.
    - apply part_length, Pq.
    - apply part_spec; assumption. }
  assert (HS : has_slot (given_kind g) = true -> within (unit_of p) slot (slot_logit L h))
    by (intros _; apply slot_range_spec; assumption).
  destruct (weight_ranges_spec M L x h p slot logits Hp HS HL) as [LW HW]. fold ws in LW, HW.
  change (attention_kind M) with (given_kind g) in LW, HW. fold ws in LW, HW. rewrite LL in LW, HW.
  assert (TL : length (tl ws) = i) by (destruct ws; simpl in *; lia).
  assert (TN : forall k, nth k (tl ws) (0, 0)%Z = nth (S k) ws (0, 0)%Z)
    by (intros k; destruct ws; [destruct k; reflexivity|reflexivity]).
  destruct (combination_spec p w (tl ws) (firstn i values) (fun k => weight M L x h i (S k))
             (fun k c => apply n (value L) (x (S k)) (h * w + c)%nat) Hp) as [LO EO].
  { rewrite TL, firstn_length, Nat.min_l by exact Lv. reflexivity. }
  { intros k Hk. rewrite TN. apply HW. lia. }
  { intros k Hk. rewrite TL in Hk. rewrite nth_firstn_lt by exact Hk. apply Ev, Hk. }
  fold out in LO, EO. rewrite TL in EO.
  assert (PLAIN : given_kind g <> Softmax_gated -> encloses p out (head_output M L x h i)).
  { intros NG. destruct EO as [R0 N0]. split; [exact R0|]. apply near_ext with (1 := N0). intros j _.
    unfold head_output, head_gate. change (attention_kind M) with (given_kind g).
    destruct (given_kind g); try contradiction; rewrite Rmult_1_l; reflexivity. }
  destruct (given_kind g) eqn:K;
    try (cbn [head_ball head_weights]; split; [exact LO|split; [apply PLAIN; discriminate|exact HW]]).
  cbn [head_ball head_weights]. destruct (Eg eq_refl) as [Lg Egate].
  destruct (combination_spec p w [gate_range p gate h] [with_reach out] (fun _ => logistic (apply n (gates L) (x i) h))
             (fun _ j => sum i (fun k => weight M L x h i (S k) * apply n (value L) (x (S k)) (h * w + j)%nat)) Hp)
    as [LG EG].
  { reflexivity. }
  { intros k Hk. simpl in Hk. destruct k; [|lia]. cbn [nth]. apply gate_range_spec; [exact Hp|lia|exact Egate]. }
  { intros k Hk. simpl in Hk. destruct k; [|lia]. exists out. cbn [nth]. repeat split; try exact LO; apply EO. }
  split; [exact LG|]. split; [|exact HW]. destruct EG as [R0 N0]. split; [exact R0|].
  apply near_ext with (1 := N0). intros j _. unfold head_output, head_gate.
  change (attention_kind M) with (given_kind g). rewrite K. simpl sum at 1. rewrite Rplus_0_l. reflexivity.
Qed.

Lemma layer_row_spec keys values i b : length (centre b) = n -> encloses p b (x i) ->
  (forall h, (h < H)%nat -> (i <= length (nth h keys []))%nat /\ (i <= length (nth h values []))%nat) ->
  (forall h k, (h < H)%nat -> (k < i)%nat -> exists c, nth k (nth h keys []) no_sized = with_size c /\ length (centre c) = w
     /\ encloses p c (fun r => apply n (key L) (x (S k)) (h * w + r)%nat)) ->
  (forall h k, (h < H)%nat -> (k < i)%nat -> exists c, nth k (nth h values []) no_sized = with_reach c /\ length (centre c) = w
     /\ encloses p c (fun r => apply n (value L) (x (S k)) (h * w + r)%nat)) ->
  let s := layer_row g l (largest_size (rows (given_query l))) (largest_size (rows (given_gates l)))
                     (largest_size (rows (given_output l))) p keys values i b in
  length (centre (row_ball s)) = n /\ encloses p (row_ball s) (layer_output M L x i)
  /\ forall h k, (h < H)%nat -> (k <= i)%nat ->
       within (unit_of p) (nth k (nth h (row_weights s) []) (0, 0)%Z) (weight M L x h i k).
Proof.
  intros Lb Eb Ln Ek Ev. destruct layer_fits_parts as (Fq & _ & _ & Fo & Fg & _).
  unfold layer_row. fold H. set (q := apply_map (given_query l) _ p b).
  set (gate := match given_kind g with Softmax_gated => _ | _ => _ end).
  set (seen := map _ (seq 0 H)). cbn zeta. cbn [row_ball row_weights].
  assert (Lq : length (centre q) = (H * w)%nat) by (apply apply_map_length with n; exact Fq).
  assert (Eq : encloses p q (apply n (query L) (x i))) by (apply apply_map_spec with (H * w)%nat; assumption).
  assert (Eg : given_kind g = Softmax_gated -> length (centre gate) = H /\ encloses p gate (apply n (gates L) (x i))).
  { intros K. specialize (Fg K). unfold gate. rewrite K.
    split; [apply apply_map_length with n; exact Fg|apply apply_map_spec with H; assumption]. }
  assert (LS : length seen = H) by (unfold seen; rewrite map_length, seq_length; reflexivity).
  set (none := {| head_ball := no_ball; head_weights := []; head_fine := false |}).
  assert (SN : forall h, (h < H)%nat -> nth h seen none = head_row g l p q gate i h (nth h keys []) (nth h values [])).
  { intros h Hh. unfold seen. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hh).
    rewrite seq_nth by exact Hh. reflexivity. }
  assert (SH : forall h, (h < H)%nat -> length (centre (head_ball (nth h seen none))) = w
     /\ encloses p (head_ball (nth h seen none)) (head_output M L x h i)
     /\ forall k, (k <= i)%nat -> within (unit_of p) (nth k (head_weights (nth h seen none)) (0, 0)%Z) (weight M L x h i k)).
  { intros h Hh. rewrite SN by exact Hh. destruct (Ln h Hh). apply head_row_spec; try assumption.
    - intros k Hk. apply Ek; assumption.
    - intros k Hk. apply Ev; assumption. }
  destruct (beside_spec p w (map head_ball seen) (fun h => head_output M L x h i) Hw) as [LB EB].
  { intros h Hh. rewrite map_length, LS in Hh. rewrite (nth_map_in _ _ _ none) by lia.
    destruct (SH h Hh) as (A & B & _). split; assumption. }
  rewrite map_length, LS in LB.
  set (out := apply_map (given_output l) _ p _).
  assert (LO : length (centre out) = n) by (apply apply_map_length with (H * w)%nat; exact Fo).
  assert (EO : encloses p out (apply (H * w) (output L) (side_by_side M L x i)))
    by (apply apply_map_spec with n; assumption).
  split; [|split].
  - destruct (given_residual g); [|exact LO]. cbn [sum_of centre]. rewrite add_lists_length; [exact LO|]. rewrite LO, Lb. reflexivity.
  - unfold layer_output. change (residual M) with (given_residual g). destruct (given_residual g).
    + apply (sum_of_spec p out b _ (x i)); [lia|exact EO|exact Eb].
    + destruct EO as [R0 N0]. split; [exact R0|]. apply near_ext with (1 := N0). intros j _. rewrite Rplus_0_r. reflexivity.
  - intros h k Hh Hk. rewrite (nth_map_in _ _ _ none) by lia. apply SH; assumption.
Qed.

Theorem run_layer_spec first balls : enclose_rows p n 0 balls x -> (first <= length balls)%nat ->
  let found := fst (run_layer g l p first balls) in
  length found = (length balls - first)%nat /\
  enclose_rows p n first (map row_ball found) (layer_output M L x) /\
  forall j h k, (j < length found)%nat -> (h < H)%nat -> (k <= S (first + j))%nat ->
    within (unit_of p) (nth k (nth h (row_weights (nth j found no_row)) []) (0, 0)%Z) (weight M L x h (S (first + j)) k).
Proof.
  intros E Hf. destruct layer_fits_parts as (_ & Fk & Fv & _ & _ & _).
  unfold run_layer. fold w H. set (ks := map (apply_map (given_key l) _ p) balls).
  set (vs := map (apply_map (given_value l) _ p) balls). set (keys := map _ (seq 0 H)). set (values := map _ (seq 0 H)).
  set (found := map _ (combine _ _)). cbn zeta. cbn [fst].
  assert (LC : length (combine (seq (S first) (length balls - first)) (skipn first balls)) = (length balls - first)%nat)
    by (rewrite combine_length, seq_length, skipn_length; lia).
  assert (LF : length found = (length balls - first)%nat) by (unfold found; rewrite map_length; exact LC).
  assert (HEADS : forall f (balls' : list ball) h, (h < H)%nat ->
            nth h (map (fun h => map (fun b => f (part_of h w b)) balls') (seq 0 H)) []
            = map (fun b => f (part_of h w b)) balls' :> list sized).
  { intros f balls' h Hh. rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hh).
    rewrite seq_nth by exact Hh. reflexivity. }
  assert (MAPS : forall m, map_fits m (H * w) n = true -> forall f h k, (h < H)%nat -> (k < length balls)%nat ->
            exists c, nth k (map (fun b => f (part_of h w b)) (map (apply_map m (largest_size (rows m)) p) balls)) no_sized = f c
              /\ length (centre c) = w /\ encloses p c (fun r => apply n (map_of m) (x (S k)) (h * w + r)%nat)).
  { intros m Fm f h k Hh Hk. rewrite (nth_map_in _ _ _ no_ball) by (rewrite map_length; exact Hk).
    rewrite (nth_map_in _ _ _ no_ball) by exact Hk. destruct (E k Hk) as [Lk Ek]. simpl in Ek.
    eexists. split; [reflexivity|].
    assert (LM : length (centre (apply_map m (largest_size (rows m)) p (nth k balls no_ball))) = (H * w)%nat)
      by (apply apply_map_length with n; exact Fm).
    split; [apply part_length; rewrite LM; apply head_part_fits, Hh|].
    apply (part_spec h w p _ (apply n (map_of m) (x (S k)))); [rewrite LM; apply head_part_fits, Hh|].
    apply apply_map_spec with (H * w)%nat; assumption. }
  assert (ROW : forall j, (j < length balls - first)%nat ->
    let s := nth j found no_row in
    length (centre (row_ball s)) = n /\ encloses p (row_ball s) (layer_output M L x (S (first + j)))
    /\ forall h k, (h < H)%nat -> (k <= S (first + j))%nat ->
       within (unit_of p) (nth k (nth h (row_weights s) []) (0, 0)%Z) (weight M L x h (S (first + j)) k)).
  { intros j Hj. cbn zeta. unfold found. rewrite (nth_map_in _ _ _ (0%nat, no_ball)) by (rewrite LC; exact Hj).
    rewrite combine_nth by (rewrite seq_length, skipn_length; lia). rewrite seq_nth by exact Hj.
    rewrite nth_skipn_plus. cbn [fst snd]. replace (S first + j)%nat with (S (first + j)) by lia.
    destruct (E (first + j)%nat ltac:(lia)) as [Lj Ej]. rewrite Nat.add_0_l in Ej.
    apply layer_row_spec; try assumption.
    - intros h Hh. unfold keys, values. rewrite !HEADS by exact Hh. unfold ks, vs. rewrite !map_length. lia.
    - intros h k Hh Hk. unfold keys. rewrite HEADS by exact Hh. apply MAPS; try assumption. lia.
    - intros h k Hh Hk. unfold values. rewrite HEADS by exact Hh. apply MAPS; try assumption. lia. }
  split; [exact LF|]. split.
  - intros k Hk. rewrite map_length, LF in Hk. rewrite (nth_map_in _ _ _ no_row) by lia.
    destruct (ROW k Hk) as (A & B & _). split; assumption.
  - intros j h k Hj Hh Hk. rewrite LF in Hj. apply ROW; assumption.
Qed.

End Layer.

(** ** The stack: the last layer's rows from [first] on, and every layer's weights *)

Record seen := { seen_rows : list ball; seen_weights : list (list (list (list range))); seen_fine : bool }.

(** Of the weights: layer, row, head, key. *)
Fixpoint run_layers (g : given_network) (ls : list given_layer) (p : Z) (first : nat) (balls : list ball) : seen :=
  match ls with
  | [] => {| seen_rows := balls; seen_weights := []; seen_fine := true |}
  | l :: rest =>
      let (found, fine) := run_layer g l p (match rest with [] => first | _ => 0%nat end) balls in
      let next := run_layers g rest p first (map row_ball found) in
      {| seen_rows := seen_rows next; seen_weights := map row_weights found :: seen_weights next;
         seen_fine := fine && seen_fine next |}
  end.

Lemma run_layer_length g l p first balls : length (fst (run_layer g l p first balls)) = (length balls - first)%nat.
Proof. unfold run_layer. cbn [fst]. rewrite map_length, combine_length, seq_length, skipn_length. lia. Qed.

(** Where all rows are looked at, there are all. *)
Lemma run_layers_lengths g p : forall ls balls d, (d < length ls)%nat ->
  length (nth d (seen_weights (run_layers g ls p 0 balls)) []) = length balls.
Proof.
  induction ls as [|l rest IH]; intros balls d Hd; simpl in Hd; [lia|]. cbn [run_layers].
  set (f := match rest with [] => 0%nat | _ => 0%nat end). assert (f = 0%nat) by (unfold f; destruct rest; reflexivity).
  assert (LF := run_layer_length g l p f balls). destruct (run_layer g l p f balls) as [found fine].
  cbn [fst] in LF. cbn [seen_weights]. destruct d as [|d]; cbn [nth].
  - rewrite map_length. lia.
  - rewrite IH by lia. rewrite map_length. lia.
Qed.

Definition token_ball (p unit : Z) (t : list Z) : ball :=
  let scaled := map (fun x => Z.shiftl x p) t in
  {| centre := map (fun x => floor_div x unit) scaled;
     radius := if forallb (fun x => (floor_div x unit * unit =? x)%Z) scaled then 0 else 1 |}.

Definition run (g : given_network) (t : given_tokens) (p : Z) (first : nat) : seen :=
  run_layers g (given_layers g) p first (map (token_ball p (over t)) (tokens t)).

Definition tokens_fit (g : given_network) (t : given_tokens) : bool :=
  (0 <? over t)%Z && forallb (fun row => (length row =? given_width g)%nat) (tokens t).

Lemma token_ball_spec p unit t : (0 <= p)%Z -> (0 < unit)%Z ->
  length (centre (token_ball p unit t)) = length t /\ encloses p (token_ball p unit t) (fun r => number t r / IZR unit).
Proof.
  intros Hp Hu. split; [simpl; rewrite !map_length; reflexivity|]. split; [simpl; destruct (forallb _ _); lia|].
  intros j Hj. simpl in Hj. rewrite !map_length in Hj. simpl centre.
  unfold number. rewrite (nth_map_in _ _ _ 0%Z) by (rewrite map_length; exact Hj).
  rewrite (nth_map_in _ _ _ 0%Z) by exact Hj. set (x := nth j t 0%Z).
  pose proof (floor_div_le (Z.shiftl x p) unit Hu) as A. pose proof (floor_div_gt (Z.shiftl x p) unit Hu) as B.
  set (f := floor_div (Z.shiftl x p) unit) in *. rewrite shiftl_unit in A, B by exact Hp.
  assert (Hu' := Hu). apply IZR_lt in Hu'. set (y := IZR x / IZR unit * unit_of p).
  assert (Y : y * IZR unit = IZR x * unit_of p) by (unfold y; field; lra).
  simpl radius. destruct (forallb _ _) eqn:X.
  - rewrite forallb_forall in X. assert (XX := X (Z.shiftl x p) (in_map _ _ _ (nth_In t 0%Z Hj))).
    apply Z.eqb_eq, (f_equal IZR) in XX. fold f in XX. rewrite mult_IZR, shiftl_unit in XX by exact Hp.
    assert (E : y = IZR f) by nra. rewrite E. unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra.
  - apply Rabs_le. split; nra.
Qed.

Section Stack.

Variables (g : given_network) (t : given_tokens) (p : Z) (first : nat).
Hypotheses (Hp : (0 <= p)%Z) (F : network_fits g = true) (T : tokens_fit g t = true)
  (Hf : (first <= length (tokens t))%nat).

Let M := network_of g.
Let n := given_width g.
Let x := sequence_of t.

Lemma run_layers_spec : forall ls d balls,
  (forall j, (j < length ls)%nat -> nth j ls no_layer = nth (d + j) (given_layers g) no_layer) ->
  forallb (layer_fits g) ls = true -> length balls = length (tokens t) ->
  enclose_rows p n 0 balls (hidden M d x) ->
  let s := run_layers g ls p first balls in
  (ls <> [] -> length (seen_rows s) = (length (tokens t) - first)%nat
     /\ enclose_rows p n first (seen_rows s) (hidden M (d + length ls) x)) /\
  forall e j h k, (e < length ls)%nat -> (S e = length ls -> first <= j)%nat -> (j < length (tokens t))%nat -> (h < given_heads g)%nat ->
    (k <= S j)%nat ->
    within (unit_of p) (nth k (nth h (nth (if S e =? length ls then j - first else j) (nth e (seen_weights s) []) []) []) (0, 0)%Z)
           (attention_weight M x (d + e) h (S j) k).
Proof.
  assert (F' := F). unfold network_fits in F'. rewrite !andb_true_iff, Nat.ltb_lt, !Z.ltb_lt in F'.
  destruct F' as (((Hw & Ht) & Hb) & _).
  induction ls as [|l rest IH]; intros d balls EL FL LB EB; [simpl; split; [congruence|intros; lia]|].
  simpl in FL. apply andb_prop in FL. destruct FL as [Fl Fr].
  assert (E0 : nth d (given_layers g) no_layer = l).
  { assert (Q := EL 0%nat (Nat.lt_0_succ _)). rewrite Nat.add_0_r in Q. symmetry. exact Q. }
  set (f := match rest with [] => first | _ => 0%nat end).
  assert (Hff : (f <= length balls)%nat) by (unfold f; destruct rest; lia).
  assert (SPEC := run_layer_spec g l p (hidden M d x) Hp Hw Ht Hb Fl f balls EB Hff). cbn zeta in SPEC.
  cbn [run_layers]. fold f. destruct (run_layer g l p f balls) as [found fine]. cbn [fst] in SPEC.
  destruct SPEC as (LF & EF & WF). cbn zeta. cbn [seen_rows seen_weights].
  assert (HN : layer_output (network_of g) (layer_of l) (hidden M d x) = hidden M (S d) x)
    by (unfold M; cbn [hidden layers network_of]; rewrite E0; reflexivity).
  rewrite HN in EF.
  assert (WF' : forall j h k, (j < length found)%nat -> (h < given_heads g)%nat -> (k <= S (f + j))%nat ->
     within (unit_of p) (nth k (nth h (nth j (map row_weights found) []) []) (0, 0)%Z)
            (attention_weight M x d h (S (f + j)) k)).
  { intros j h k Hj Hh Hk. rewrite (nth_map_in _ _ _ no_row) by exact Hj. unfold attention_weight.
    unfold M at 2. cbn [layers network_of]. rewrite E0. apply WF; assumption. }
  destruct rest as [|l2 rest].
  - cbn [run_layers seen_rows seen_weights length]. split.
    + intros _. rewrite map_length, LF, LB. split; [reflexivity|]. replace (d + 1)%nat with (S d) by lia. exact EF.
    + intros e j h k He H1 H2 Hh Hk. assert (e = 0)%nat by lia. subst e. specialize (H1 eq_refl). cbn [nth Nat.eqb].
      rewrite Nat.add_0_r. unfold f in *. replace (S j) with (S (first + (j - first))) by lia.
      apply WF'; try assumption; lia.
  - unfold f in *.
    assert (EL' : forall j, (j < length (l2 :: rest))%nat -> nth j (l2 :: rest) no_layer = nth (S d + j) (given_layers g) no_layer).
    { intros j Hj. assert (Q := EL (S j) ltac:(simpl in *; lia)). cbn [nth] in Q.
      replace (S d + j)%nat with (d + S j)%nat by lia. exact Q. }
    assert (LB' : length (map row_ball found) = length (tokens t)) by (rewrite map_length, LF, LB; lia).
    specialize (IH (S d) (map row_ball found) EL' Fr LB' EF). cbn zeta in IH. destruct IH as [IH1 IH2].
    set (s := run_layers g (l2 :: rest) p first (map row_ball found)) in *. split.
    + intros _. destruct (IH1 ltac:(discriminate)) as [A B]. split; [exact A|].
      replace (d + length (l :: l2 :: rest))%nat with (S d + length (l2 :: rest))%nat by (simpl; lia). exact B.
    + intros e j h k He H1 H2 Hh Hk. destruct e as [|e].
      * cbn [nth length]. replace (1 =? S (S (length rest)))%nat with false by (symmetry; apply Nat.eqb_neq; lia).
        rewrite Nat.add_0_r. apply (WF' j h k); try assumption; lia.
      * assert (Q := IH2 e j h k ltac:(simpl in *; lia) ltac:(simpl in *; lia) H2 Hh Hk). cbn [nth].
        replace (d + S e)%nat with (S d + e)%nat by lia. exact Q.
Qed.

(** The pass encloses what the network computes. *)
Theorem run_sound : given_layers g <> [] ->
  let s := run g t p first in
  length (seen_rows s) = (length (tokens t) - first)%nat /\
  enclose_rows p n first (seen_rows s) (network_output M x) /\
  forall d j h k, (d < depth M)%nat -> (S d = depth M -> first <= j)%nat -> (j < length (tokens t))%nat -> (h < heads M)%nat -> (k <= S j)%nat ->
    within (unit_of p) (nth k (nth h (nth (if S d =? depth M then j - first else j) (nth d (seen_weights s) []) []) []) (0, 0)%Z)
           (attention_weight M x d h (S j) k).
Proof.
  intros NE. cbn zeta. unfold tokens_fit in T. rewrite andb_true_iff, Z.ltb_lt in T. destruct T as [TU TF].
  rewrite forallb_forall in TF.
  assert (F' := F). unfold network_fits in F'. rewrite !andb_true_iff in F'. destruct F' as (_ & FF).
  assert (E0 : enclose_rows p n 0 (map (token_ball p (over t)) (tokens t)) (hidden M 0 x)).
  { intros k Hk. rewrite map_length in Hk. rewrite (nth_map_in _ _ _ []) by exact Hk.
    destruct (token_ball_spec p (over t) (nth k (tokens t) []) Hp TU) as [A B].
    split; [rewrite A; apply Nat.eqb_eq, TF, nth_In, Hk|].
    simpl hidden. unfold x, sequence_of. assert (Q : (S k - 1)%nat = k) by lia. rewrite Q. exact B. }
  assert (S0 := run_layers_spec (given_layers g) 0 _ (fun j _ => eq_refl) FF ltac:(rewrite map_length; reflexivity) E0).
  cbn zeta in S0. destruct S0 as [A B]. destruct (A NE) as [A1 A2].
  split; [exact A1|]. split; [exact A2|]. intros d j h k Hd H1 H2 Hh Hk. exact (B d j h k Hd H1 H2 Hh Hk).
Qed.

End Stack.
