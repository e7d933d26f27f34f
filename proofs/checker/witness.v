(** * Witnesses: inputs of the task that attain what a statement says

    Sections 4.6 and 4.7 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool FunctionalExtensionality.
From Sinkproof Require Import task trigger_task anchored_values.
From Verified Require Import model given box statements rounded exponential weights pass layers rollout inputs.
Import ListNotations.
Open Scope R_scope.

(** ** The box is that of the theory where all intervals are [-1, 1] *)

Lemma task_sequence_of_theory n L j x : task_sequence n L j (fun _ => (-1, 1)) x <-> valid n L j x.
Proof.
  split; intros [A B C D].
  - constructor; [exact A|lia|lia| |]; [destruct C; constructor; assumption|].
    intros i H1 H2 H3. destruct (D i (conj H1 H2) H3). constructor; assumption.
  - constructor; [exact A|lia| |]; [destruct D; constructor; assumption|].
    intros i [H1 H2] H3. destruct (content_elsewhere i H1 H2 H3). constructor; assumption.
Qed.

(** ** Row i depends on rows 1..i alone *)

Definition agree (i : nat) (x y : sequence) : Prop := forall k, (1 <= k <= i)%nat -> forall r, x k r = y k r.

Lemma apply_agree n f x y : (forall r, x r = y r) -> forall r, apply n f x r = apply n f y r.
Proof. intros H r. unfold apply, linear_value. f_equal. apply sum_ext. intros c _. rewrite H. reflexivity. Qed.

Lemma logit_agree M l x y h i k n : agree n x y -> (1 <= i <= n)%nat -> (1 <= k <= n)%nat -> logit M l x h i k = logit M l y h i k.
Proof.
  intros A Hi Hk. unfold logit. f_equal. apply sum_ext. intros c _.
  f_equal; apply apply_agree; intros r; apply A; assumption.
Qed.

Lemma weight_agree M l x y h i k n : agree n x y -> (1 <= i <= n)%nat -> (k <= i)%nat -> weight M l x h i k = weight M l y h i k.
Proof.
  intros A Hi Hk. unfold weight. f_equal.
  - destruct k; [reflexivity|]. f_equal. apply (logit_agree M l x y h i (S k) n A); lia.
  - unfold divisor. destruct (normalised (attention_kind M)); [|reflexivity]. f_equal. unfold possum. apply sum_ext.
    intros m Hm. f_equal. apply (logit_agree M l x y h i (S m) n A); lia.
Qed.

Lemma layer_output_agree M l x y n : agree n x y -> agree n (layer_output M l x) (layer_output M l y).
Proof.
  intros A i Hi r. unfold layer_output. f_equal.
  - apply apply_agree. intros c. unfold side_by_side, head_output. f_equal.
    + unfold head_gate. destruct (attention_kind M); try reflexivity. f_equal. apply apply_agree. intros; apply A, Hi.
    + unfold possum. apply sum_ext. intros m Hm. f_equal.
      * apply weight_agree with n; [exact A|exact Hi|lia].
      * apply apply_agree. intros; apply A. lia.
  - destruct (residual M); [apply A, Hi|reflexivity].
Qed.

Lemma hidden_agree M x y n : agree n x y -> forall d, agree n (hidden M d x) (hidden M d y).
Proof. intros A. induction d as [|d IH]; [exact A|]. apply layer_output_agree, IH. Qed.

(** ** The check of a witness *)

Record witness := {
  trigger_at : nat;
  row_at : nat;
  coordinate_at : nat;
  above_target : bool;
  whole : given_tokens
}.

Definition token_shown (n : nat) (intervals : list (rational * rational)) (unit trigger content : Z) (t : list Z) : bool :=
  (nth 0 t 0 =? 0)%Z && (nth 1 t 0 =? trigger)%Z && (nth (n - 1) t 0 =? content)%Z
  && (length intervals =? n - 3)%nat
  && forallb (fun ix : rational * rational * Z => let '((least, greatest), x) := ix in
                        positive_bottom least && positive_bottom greatest && at_most least x unit && at_least greatest x unit)
             (combine intervals (firstn (n - 3) (skipn 2 t))).

Definition bos_shown (unit : Z) (t : list Z) : bool :=
  (hd 0 t =? unit)%Z && forallb (fun x => (x =? 0)%Z) (tl t).

Definition sequence_shown (n L : nat) (T : given_task) (j : nat) (t : given_tokens) : bool :=
  (4 <=? n)%nat && (3 <=? j)%nat && (j <=? L)%nat && (first_trigger T <=? j)%nat && (j <=? last_trigger T)%nat
  && (length (tokens t) =? L)%nat && bos_shown (over t) (nth 0 (tokens t) [])
  && forallb (fun ix : nat * list Z => let (i, x) := ix in
                        if (i =? j)%nat then token_shown n (noise T) (over t) (over t) 0 x
                        else token_shown n (noise T) (over t) 0 (over t) x)
             (combine (seq 2 (L - 1)) (tl (tokens t))).

Definition in_class (c : row_class) (j i : nat) : bool :=
  match c with Before => (i <? j)%nat | Trigger => (i =? j)%nat | After => (j <? i)%nat | Any => true end.

Definition meets_range (s : side) (b : rational) (r : range) (d : Z) : bool :=
  match s with At_least => at_most b (fst r) d | At_most => at_least b (snd r) d | _ => false end.

Definition place_meant (where_ : option (nat * nat)) (d h : nat) : bool :=
  match where_ with None => true | Some (d', h') => (d =? d')%nat && (h =? h')%nat end.

(** The rows up to i. *)
Definition cut (i : nat) (t : given_tokens) : given_tokens := {| tokens := firstn i (tokens t); over := over t |}.

(** sign (out - target) times the tokens' unit and 2^p, at least. *)
Definition error_least (g : given_network) (p : Z) (t : given_tokens) (b : ball) (i j r : nat) (above : bool) : Z * Z :=
  let unit := (Z.of_nat (target_share i j) * over t)%Z in
  let d := (nth r (centre b) 0 * unit - Z.shiftl (nth r (scaled_target g t i j) 0) p)%Z in
  ((if above then d else - d) - radius b * unit, Z.shiftl unit p)%Z.

Definition attains (g : given_network) (q : quantity) (s : side) (b : rational) (w : witness) (p : Z) : bool :=
  let i := row_at w in
  let seen := run g (cut i (whole w)) p (i - 1) in
  seen_fine seen &&
  match q with
  | Error =>
      match s with
      | At_least =>
          let (e, d) := error_least g p (whole w) (nth 0 (seen_rows seen) no_ball) i (trigger_at w) (coordinate_at w) (above_target w) in
          at_most b e d
      | _ => false
      end
  | Weight_of k where_ =>
      let depth := length (given_layers g) in
      existsb (fun d => let row := nth (if (S d =? depth)%nat then 0 else i - 1)%nat (nth d (seen_weights seen) []) [] in
                        existsb (fun h => place_meant where_ d h && meets_range s b (nth k (nth h row []) (0, 0)%Z) (power p))
                                (seq 0 (given_heads g)))
              (seq 0 depth)
  | Rollout => meets_range s b (rollout_range p i (seen_weights seen)) (power p)
  end.

Definition is_trivial (q : quantity) (s : side) (b : rational) : bool :=
  match q, s with Error, At_least => (top b <=? 0)%Z | _, _ => false end.

Definition quantity_exists (g : given_network) (q : quantity) (i : nat) : bool :=
  match q with
  | Error => true
  | Weight_of k _ => (2 <=? i)%nat && (k <=? 1)%nat && (has_slot (given_kind g) || (1 <=? k)%nat)
  | Rollout => (2 <=? i)%nat && (given_heads g =? 1)%nat && negb (given_residual g) && normalised (given_kind g)
               && negb (has_slot (given_kind g))
  end.

Definition check_witness (g : given_network) (L : nat) (T : given_task) (c : row_class) (q : quantity) (s : side) (b : rational)
    (w : witness) : bool :=
  let i := row_at w in
  network_fits g && (0 <? length (given_layers g))%nat && tokens_fit g (whole w) && positive_bottom b
  && sequence_shown (given_width g) L T (trigger_at w) (whole w) && (1 <=? i)%nat && (i <=? L)%nat
  && in_class c (trigger_at w) i && quantity_exists g q i && (coordinate_at w <? given_width g)%nat
  && (is_trivial q s b || existsb (attains g q s b w) precisions).

(** ** Proofs *)

Lemma token_shown_spec n T unit trigger content t v : (4 <= n)%nat -> (0 < unit)%Z -> length t = n ->
  token_shown n (noise T) unit trigger content t = true -> (forall r, v r = number t r / IZR unit) ->
  task_token n (box_of T) (IZR trigger / IZR unit) (IZR content / IZR unit) v.
Proof.
  intros Hn Hu Lt H V. unfold token_shown in H. rewrite !andb_true_iff, !Z.eqb_eq, Nat.eqb_eq, forallb_forall in H.
  destruct H as ((((A & B) & C) & D) & E). assert (Hu' := Hu). apply IZR_lt in Hu'.
  constructor; unfold bos_flag, trigger_flag, content_flag; rewrite ?V; unfold number; try (rewrite ?A, ?B, ?C; unfold Rdiv; ring).
  - intros k H1 H2. rewrite V. set (m := skipn 2 t) in *.
    assert (Lm : length (firstn (n - 3) m) = (n - 3)%nat) by (unfold m; rewrite firstn_length, skipn_length; lia).
    assert (I : In (nth (k - 2) (noise T) no_interval, nth (k - 2) (firstn (n - 3) m) 0%Z) (combine (noise T) (firstn (n - 3) m))).
    { rewrite <- (combine_nth (noise T) (firstn (n - 3) m) (k - 2) no_interval 0%Z) by lia. apply nth_In.
      rewrite combine_length. lia. }
    specialize (E _ I). assert (N : nth (k - 2) (firstn (n - 3) m) 0%Z = nth k t 0%Z).
    { rewrite nth_firstn_lt by lia. unfold m. rewrite nth_skipn_plus. f_equal. lia. }
    rewrite N in E. unfold box_of. destruct (nth (k - 2) (noise T) no_interval) as [least greatest]. cbn [fst snd].
    unfold positive_bottom in E. rewrite !andb_true_iff, !Z.ltb_lt in E. destruct E as (((P1 & P2) & E1) & E2). unfold number.
    assert (Q : IZR (nth k t 0%Z) / IZR unit * IZR unit = IZR (nth k t 0%Z)) by (field; lra).
    split; [apply at_most_spec with (4 := Req_le_sym _ _ Q)|apply at_least_spec with (4 := Req_le _ _ Q)]; assumption.
  - intros k Hk. rewrite V. unfold number. rewrite nth_overflow by lia. unfold Rdiv. ring.
Qed.

Lemma bos_shown_spec unit t : (0 < unit)%Z -> bos_shown unit t = true -> (fun r => number t r / IZR unit) = bos.
Proof.
  intros Hu H. unfold bos_shown in H. rewrite andb_true_iff, Z.eqb_eq, forallb_forall in H. destruct H as [A B]. apply IZR_lt in Hu.
  apply functional_extensionality. intros r. unfold number, bos. destruct t as [|x t]; cbn [hd tl] in A, B.
  - subst unit. lra.
  - destruct r as [|r]; cbn [nth Nat.eqb]; [subst x; field; lra|].
    destruct (Nat.lt_ge_cases r (length t)) as [L|L].
    + rewrite (proj1 (Z.eqb_eq _ _) (B _ (nth_In t 0%Z L))). unfold Rdiv. ring.
    + rewrite nth_overflow by exact L. unfold Rdiv. ring.
Qed.

Lemma sequence_shown_spec g L T j t : tokens_fit g t = true -> sequence_shown (given_width g) L T j t = true ->
  of_task (given_width g) L T j (sequence_of t) /\ length (tokens t) = L.
Proof.
  intros F H. unfold sequence_shown in H. rewrite !andb_true_iff, !Nat.leb_le, Nat.eqb_eq, forallb_forall in H.
  destruct H as (((((((Hn & J1) & J2) & J3) & J4) & LT) & B) & TK).
  unfold tokens_fit in F. rewrite andb_true_iff, Z.ltb_lt, forallb_forall in F. destruct F as [U W].
  set (n := given_width g) in *. assert (U' := U). apply IZR_lt in U'. split; [|exact LT]. split; [|lia].
  assert (EACH : forall i, (2 <= i <= L)%nat ->
    task_token n (box_of T) (IZR (if (i =? j)%nat then over t else 0%Z) / IZR (over t))
               (IZR (if (i =? j)%nat then 0%Z else over t) / IZR (over t)) (sequence_of t i)).
  { intros i Hi. assert (LS : length (tl (tokens t)) = (L - 1)%nat) by (destruct (tokens t); simpl in *; lia).
    assert (N : nth (i - 2) (tl (tokens t)) [] = nth (i - 1) (tokens t) []).
    { destruct (tokens t) as [|x l]; [destruct (i - 2)%nat, (i - 1)%nat; reflexivity|].
      replace (i - 1)%nat with (S (i - 2)) by lia. reflexivity. }
    assert (I : In (i, nth (i - 1) (tokens t) []) (combine (seq 2 (L - 1)) (tl (tokens t)))).
    { assert (Q := combine_nth (seq 2 (L - 1)) (tl (tokens t)) (i - 2) 0%nat []). rewrite seq_length, seq_nth, N in Q by lia.
      replace (2 + (i - 2))%nat with i in Q by lia. rewrite <- Q by (symmetry; exact LS). apply nth_In.
      rewrite combine_length, seq_length. lia. }
    specialize (TK _ I). cbn beta iota zeta in TK.
    assert (LR : length (nth (i - 1) (tokens t) []) = n) by (apply Nat.eqb_eq, W, nth_In; lia).
    destruct (i =? j)%nat; (eapply token_shown_spec; [exact Hn|exact U|exact LR|exact TK|intros; reflexivity]). }
  assert (ONE : IZR (over t) / IZR (over t) = 1) by (field; lra). assert (NIL : 0 / IZR (over t) = 0) by (unfold Rdiv; ring).
  constructor.
  - unfold sequence_of. apply (bos_shown_spec (over t) (nth 0 (tokens t) []) U B).
  - lia.
  - assert (Q := EACH j ltac:(lia)). rewrite Nat.eqb_refl, ONE, NIL in Q. exact Q.
  - intros i Hi N. assert (Q := EACH i Hi). apply Nat.eqb_neq in N. rewrite N, ONE, NIL in Q. exact Q.
Qed.

Lemma in_class_spec c j i : in_class c j i = true -> of_class c j i.
Proof. destruct c; simpl; rewrite ?Nat.ltb_lt, ?Nat.eqb_eq; auto. Qed.

Lemma cut_agree i t : agree i (sequence_of (cut i t)) (sequence_of t).
Proof. intros k Hk r. unfold sequence_of, number_at, cut. cbn [tokens over]. rewrite nth_firstn_lt by lia. reflexivity. Qed.

Lemma cut_fits g i t : tokens_fit g t = true -> tokens_fit g (cut i t) = true.
Proof.
  unfold tokens_fit, cut. cbn [tokens over]. rewrite !andb_true_iff, !forallb_forall. intros [A B]. split; [exact A|].
  intros row Hr. apply B. rewrite <- (firstn_skipn i (tokens t)). apply in_or_app. left. exact Hr.
Qed.

Lemma meets_range_spec s b r d y : positive_bottom b = true -> (0 < d)%Z -> meets_range s b r d = true ->
  IZR (fst r) <= y * IZR d <= IZR (snd r) -> meets s y b.
Proof.
  unfold positive_bottom. rewrite Z.ltb_lt. intros Hb Hd H [A B].
  destruct s; [apply at_most_spec with (fst r) d|apply at_least_spec with (snd r) d| |]; try discriminate; assumption.
Qed.

Section Witness.

Variables (g : given_network) (L i : nat) (t : given_tokens).
Hypotheses (F : network_fits g = true) (NE : (0 < length (given_layers g))%nat) (TF : tokens_fit g t = true)
  (LT : length (tokens t) = L) (Hi : (1 <= i <= L)%nat).

Let M := network_of g.
Let x := sequence_of t.

Lemma cut_length : length (tokens (cut i t)) = i.
Proof. unfold cut. cbn [tokens]. rewrite firstn_length. lia. Qed.

Lemma witness_pass p : (0 <= p)%Z ->
  let s := run g (cut i t) p (i - 1) in
  (length (centre (nth 0 (seen_rows s) no_ball)) = given_width g
   /\ encloses p (nth 0 (seen_rows s) no_ball) (network_output M x i)) /\
  forall d h k, (d < depth M)%nat -> (h < heads M)%nat -> (k <= i)%nat ->
    within (unit_of p) (nth k (nth h (nth (if (S d =? depth M)%nat then 0 else i - 1)%nat (nth d (seen_weights s) []) []) []) (0, 0)%Z)
           (attention_weight M x d h i k).
Proof.
  intros Hp. cbn zeta. assert (NN : given_layers g <> []) by (destruct (given_layers g); simpl in NE; [lia|discriminate]).
  pose proof cut_length as CL. assert (A := cut_agree i t). fold x in A.
  destruct (run_sound g (cut i t) p (i - 1) Hp F (cut_fits g i t TF) ltac:(lia) NN) as (LR & ER & W).
  set (s := run g (cut i t) p (i - 1)) in *. split.
  - destruct (ER 0%nat ltac:(lia)) as [A1 [A2 A3]]. replace (S (i - 1 + 0)) with i in A3 by lia. split; [exact A1|].
    split; [exact A2|]. intros r Hr. assert (Q := A3 r Hr). unfold network_output in *.
    rewrite (hidden_agree (network_of g) _ _ i A (depth (network_of g)) i ltac:(lia)) in Q. exact Q.
  - intros d h k Hd Hh Hk. assert (Q := W d (i - 1)%nat h k Hd (fun _ => Nat.le_refl _) ltac:(lia) Hh ltac:(lia)).
    replace (S (i - 1)) with i in Q by lia. rewrite Nat.sub_diag in Q. unfold attention_weight in *.
    rewrite (weight_agree _ _ _ (hidden M d x) h i k i) in Q; [exact Q| |lia|exact Hk]. apply hidden_agree, A.
Qed.

Lemma witness_rollout p : (0 <= p)%Z -> given_heads g = 1%nat -> normalised (given_kind g) = true -> has_slot (given_kind g) = false ->
  within (unit_of p) (rollout_range p i (seen_weights (run g (cut i t) p (i - 1)))) (rollout M x (depth M) i).
Proof.
  intros Hp H1 N S0. pose proof cut_length as CL.
  destruct (run_layers_weights g p (i - 1) H1 (given_layers g) (map (token_ball p (over (cut i t))) (tokens (cut i t)))
              ltac:(rewrite map_length; lia)) as [A B].
  change (run_layers g (given_layers g) p (i - 1) _) with (run g (cut i t) p (i - 1)) in A, B. rewrite map_length, CL in B.
  set (s := run g (cut i t) p (i - 1)) in *.
  assert (NN : given_layers g <> []) by (destruct (given_layers g); simpl in NE; [lia|discriminate]).
  destruct (run_sound g (cut i t) p (i - 1) Hp F (cut_fits g i t TF) ltac:(lia) NN) as (_ & _ & W). fold s in W.
  assert (D : depth M = length (given_layers g)) by reflexivity.
  apply rollout_range_spec; try assumption; try lia; rewrite <- ?D in *.
  - intros d Hd. destruct (B d Hd) as [B1 _]. rewrite B1. destruct (S d =? depth M)%nat; lia.
  - intros d j Hd Hj. destruct (B d Hd) as [B1 B2]. rewrite B2 by exact Hj. rewrite B1 in Hj. destruct (S d =? depth M)%nat; lia.
  - intros d j k Hd Hj Hk. destruct (B d Hd) as [B1 _]. rewrite B1 in Hj.
    set (j' := if (S d =? depth M)%nat then (i - 1)%nat else j).
    assert (Q := W d j' 0%nat k Hd).
    assert (E : (if (S d =? depth M)%nat then i else S j) = S j') by (unfold j'; destruct (S d =? depth M)%nat; lia).
    rewrite E in *. assert (NH : forall l : list (list range), nth 0 l [] = hd [] l) by (intros [|? ?]; reflexivity).
    fold M in Q. replace (if (S d =? depth M)%nat then (j' - (i - 1))%nat else j') with j in Q
      by (unfold j'; destruct (S d =? depth M)%nat; lia).
    rewrite NH in Q. unfold attention_weight in *. rewrite (weight_agree _ _ _ (hidden M d x) 0 (S j') k i) in Q.
    + apply Q; unfold j'; revert Hj; change (depth (network_of g)) with (depth M);
        destruct (Nat.eqb_spec (S d) (depth M)); intros; try lia; change (heads M) with (given_heads g); lia.
    + apply hidden_agree. apply cut_agree.
    + unfold j'. destruct (S d =? depth M)%nat; lia.
    + exact Hk.
Qed.

Lemma error_least_spec p b j r above : (0 <= p)%Z -> (3 <= j <= L)%nat -> (r < given_width g)%nat ->
  length (centre b) = given_width g -> encloses p b (network_output M x i) ->
  let (e, d) := error_least g p t b i j r above in
  (0 < d)%Z /\ IZR e <= Rabs (row_error M x j i r) * IZR d.
Proof.
  intros Hp Hj Hr Lb [_ N]. destruct (scaled_target_spec g t L TF LT NE i j Hi Hj) as [_ TG].
  specialize (TG r Hr). specialize (N r ltac:(lia)). pose proof (over_pos g t TF) as O. pose proof (unit_pos p Hp) as U.
  unfold error_least. set (u := (Z.of_nat (target_share i j) * over t)%Z) in *.
  assert (HU : (0 < u)%Z) by (unfold u, target_share; destruct (i =? j)%nat; nia). assert (HU' := HU). apply IZR_lt in HU'.
  assert (D : (0 < Z.shiftl u p)%Z) by (apply lt_IZR; rewrite shiftl_unit by exact Hp; nra). split; [exact D|].
  set (y := if residual (network_of g) then residual_target j (sequence_of t) i r else target j (sequence_of t) i r) in *.
  assert (E : row_error M x j i r = network_output M x i r - y) by reflexivity.
  unfold number in N, TG. apply abs_bounds in N.
  set (o := network_output M x i r) in *. set (c := nth r (centre b) 0%Z) in *.
  assert (B1 : (o * unit_of p - IZR c) * IZR u <= IZR (radius b) * IZR u) by (apply Rmult_le_compat_r; lra).
  assert (B2 : - IZR (radius b) * IZR u <= (o * unit_of p - IZR c) * IZR u) by (apply Rmult_le_compat_r; lra).
  rewrite minus_IZR, mult_IZR, shiftl_unit by exact Hp.
  assert (DV : IZR (c * u - Z.shiftl (nth r (scaled_target g t i j) 0%Z) p) = IZR c * IZR u - y * IZR u * unit_of p).
  { rewrite minus_IZR, mult_IZR, shiftl_unit by exact Hp. rewrite TG. reflexivity. }
  assert (K : 0 < IZR u * unit_of p) by nra. rewrite E.
  apply Rle_trans with ((if above then o - y else - (o - y)) * (IZR u * unit_of p)).
  - destruct above; rewrite ?opp_IZR, DV; lra.
  - apply Rmult_le_compat_r; [lra|]. destruct above; [apply Rle_abs|rewrite <- Rabs_Ropp; apply Rle_abs].
Qed.

Lemma attains_spec q s b w p : whole w = t -> row_at w = i -> (0 <= p)%Z -> (3 <= trigger_at w <= L)%nat ->
  (coordinate_at w < given_width g)%nat -> quantity_exists g q i = true -> positive_bottom b = true ->
  attains g q s b w p = true -> exists y, is_number M x (trigger_at w) i q y /\ meets s y b.
Proof.
  intros Ew Ei Hp Hj Hr QE PB H. unfold attains in H. rewrite Ew, Ei in H. apply andb_prop in H. destruct H as [_ H].
  destruct (witness_pass p Hp) as [[Lb Eb] WT]. set (seen := run g (cut i t) p (i - 1)) in *.
  destruct q as [|k where_|].
  - destruct s; try discriminate.
    assert (Q := error_least_spec p _ (trigger_at w) (coordinate_at w) (above_target w) Hp Hj Hr Lb Eb).
    destruct (error_least _ _ _ _ _ _ _ _) as [e d]. destruct Q as [D E].
    exists (Rabs (row_error M x (trigger_at w) i (coordinate_at w))). split; [exists (coordinate_at w); split; [exact Hr|reflexivity]|].
    apply at_most_spec with e d; try assumption. apply Z.ltb_lt, PB.
  - apply existsb_exists in H. destruct H as (d & Hd & H). apply existsb_exists in H. destruct H as (h & Hh & H).
    apply in_seq in Hd. apply in_seq in Hh. apply andb_prop in H. destruct H as [PM MR].
    cbn [quantity_exists] in QE. rewrite !andb_true_iff, orb_true_iff, !Nat.leb_le in QE. destruct QE as ((Q1 & Q2) & Q3).
    exists (attention_weight M x d h i k). split.
    + cbn [is_number]. split; [exact Q1|]. split; [exact Q2|]. split; [intros ->; destruct Q3 as [Q3|Q3]; [exact Q3|lia]|].
      exists d, h. split; [apply Hd|]. split; [apply Hh|]. split; [|reflexivity].
      destruct where_ as [[d' h']|]; [right|left; reflexivity]. cbn [place_meant] in PM.
      rewrite andb_true_iff, !Nat.eqb_eq in PM. destruct PM as [-> ->]. reflexivity.
    + eapply meets_range_spec; [exact PB|apply (power_pos p Hp)|exact MR|].
      assert (W := WT d h k (proj2 Hd) (proj2 Hh) ltac:(lia)). destruct W as [W1 W2]. fold (unit_of p).
      rewrite (Rmult_comm (attention_weight _ _ _ _ _ _)). split; [exact W1|exact W2].
  - cbn [quantity_exists] in QE. rewrite !andb_true_iff, !negb_true_iff, Nat.leb_le, Nat.eqb_eq in QE.
    destruct QE as ((((Q1 & Q2) & Q3) & Q4) & Q5). exists (rollout M x (depth M) i). split.
    + cbn [is_number]. repeat split; assumption.
    + eapply meets_range_spec; [exact PB|apply (power_pos p Hp)|exact H|].
      destruct (witness_rollout p Hp Q2 Q4 Q5) as [W1 W2]. fold (unit_of p).
      rewrite (Rmult_comm (rollout _ _ _ _)). split; [exact W1|exact W2].
Qed.

End Witness.

Theorem check_witness_sound c T class q s b w :
  check_witness (of_network c) (sequence_length c) T class q s b w = true -> holds c (Attained T class q s b).
Proof.
  unfold check_witness. set (g := of_network c). set (L := sequence_length c).
  rewrite !andb_true_iff, Nat.ltb_lt, !Nat.leb_le, Nat.ltb_lt.
  intros ((((((((((F & NE) & TF) & PB) & SS) & I1) & I2) & CL) & QE) & CO) & SH).
  destruct (sequence_shown_spec g L T (trigger_at w) (whole w) TF SS) as [TK LT].
  assert (HJ : (3 <= trigger_at w <= L)%nat) by (destruct TK as [[_ J _ _] _]; exact J).
  assert (Y : exists y, is_number (network_of g) (sequence_of (whole w)) (trigger_at w) (row_at w) q y /\ meets s y b).
  { apply orb_true_iff in SH. destruct SH as [Z0|SH].
    - destruct q; try discriminate. destruct s; try discriminate. cbn [is_trivial] in Z0. apply Z.leb_le, IZR_le in Z0.
      exists (Rabs (row_error (network_of g) (sequence_of (whole w)) (trigger_at w) (row_at w) (coordinate_at w))).
      split; [exists (coordinate_at w); split; [exact CO|reflexivity]|].
      apply Z.ltb_lt, IZR_lt in PB. cbn [meets]. eapply Rle_trans; [|apply Rabs_pos]. unfold real, Rdiv.
      assert (0 < / IZR (bottom b)) by (apply Rinv_0_lt_compat, PB). nra.
    - apply existsb_exists in SH. destruct SH as (p & Hp & SH).
      assert (P : Forall (fun p => (0 <= p)%Z) precisions) by (repeat constructor; lia). rewrite Forall_forall in P.
      apply (attains_spec g L (row_at w) (whole w) F NE TF LT (conj I1 I2) q s b w p eq_refl eq_refl (P p Hp) HJ CO QE PB SH). }
  destruct Y as (y & N & MB). exists (sequence_of (whole w)), (trigger_at w), (row_at w), y.
  split; [exact TK|]. split; [split; assumption|]. split; [apply in_class_spec, CL|]. split; assumption.
Qed.
