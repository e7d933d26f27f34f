(** * The check of a certificate, and why what it accepts is true

    [check] is the function that the program runs; [check_sound] is what is proved of it. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task.
From Verified Require Import model given box statements inputs witness drawn forms logits ranges attention floors losses.
Import ListNotations.
Open Scope R_scope.

(** What shows a property: the given inputs, a witness, the ranges of kernels, trees of a floor, or the properties that
    are assumed or shown. *)
Inductive evidence := By_inputs | By_witness (w : witness) | By_ranges | By_trees (p : floor_proof) | By_others.

(** ** Which statements imply which *)

Definition rational_lt (a b : rational) : bool := (top a * bottom b <? top b * bottom a)%Z.
Definition rational_eq (a b : rational) : bool := (top a =? top b)%Z && (bottom a =? bottom b)%Z.

Fixpoint list_eq {A} (eq : A -> A -> bool) (a b : list A) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => eq x y && list_eq eq a' b'
  | _, _ => false
  end.

Definition task_eq (T T' : given_task) : bool :=
  list_eq (fun x y => rational_eq (fst x) (fst y) && rational_eq (snd x) (snd y)) (noise T) (noise T')
  && (first_trigger T =? first_trigger T')%nat && (last_trigger T =? last_trigger T')%nat.

Definition class_eq (c c' : row_class) : bool :=
  match c, c' with Before, Before | Trigger, Trigger | After, After | Any, Any => true | _, _ => false end.
Definition class_within (c c' : row_class) : bool := class_eq c c' || class_eq c' Any.

Definition place_eq (a b : option (nat * nat)) : bool :=
  match a, b with
  | None, None => true
  | Some (d, h), Some (d', h') => (d =? d')%nat && (h =? h')%nat
  | _, _ => false
  end.

Definition quantity_eq (q q' : quantity) : bool :=
  match q, q' with
  | Error, Error | Rollout, Rollout => true
  | Weight_of k w, Weight_of k' w' => (k =? k')%nat && place_eq w w'
  | _, _ => false
  end.

(** Whether every number that meets the one bound meets the other. *)
Definition side_implies (s : side) (b : rational) (s' : side) (b' : rational) : bool :=
  positive_bottom b && positive_bottom b' &&
  match s, s' with
  | At_least, At_least => rational_le b' b
  | At_most, At_most => rational_le b b'
  | At_least, Above => rational_lt b' b
  | At_most, Below => rational_lt b b'
  | _, _ => false
  end.

Definition implies (p p' : property) : bool :=
  match p, p' with
  | Bounded T c q s b, Bounded T' c' q' s' b' =>
      task_eq T T' && class_within c' c && quantity_eq q q' && side_implies s b s' b'
  | Attained T c q s b, Attained T' c' q' s' b' =>
      task_eq T T' && class_within c c' && quantity_eq q q' && side_implies s b s' b'
  | _, _ => false
  end.

(** The classes of rows that sequences of length L have. *)
Definition classes (L : nat) (T : given_task) : list row_class :=
  [Before; Trigger] ++ if (first_trigger T <? L)%nat then [After] else [].

Definition follows (L : nat) (from : list property) (p : property) : bool :=
  existsb (fun p' => implies p' p) from ||
  match p with
  | Bounded T Any q s b => forallb (fun c => existsb (fun p' => implies p' (Bounded T c q s b)) from) (classes L T)
  | _ => false
  end.

(** ** The check *)

Definition is_drawn (p : property) : bool := match p with Drawn _ _ _ _ _ _ _ => true | _ => false end.
Definition is_given (p : property) : bool := match p with Value _ _ _ _ | Sink_share _ _ _ _ => true | _ => false end.

Definition with_properties (c : certificate) (ps : list property) : certificate := {|
  of_network := of_network c; sequence_length := sequence_length c; inputs := inputs c; samples := samples c;
  assumed := assumed c; properties := ps |}.

(** Refused: it is not shown.  Conditional: it follows from what is assumed. *)
Inductive verdict := Proved | Conditional | Refused.

(** The task that bounds for all inputs are about, and whether its frame, and ranges of kernels, are shown. *)
Definition framed (c : certificate) (fr : option (given_task * frame)) : bool :=
  match fr with Some (T, fr) => frame_shown (of_network c) T fr | None => false end.

Definition ranged (c : certificate) (fr : option (given_task * frame)) (r : option ranges) : bool :=
  match fr, r with Some (_, fr), Some r => ranges_shown (of_network c) fr r | _, _ => false end.

Definition by_ranges (c : certificate) (fr : option (given_task * frame)) (r : option ranges) (p : property) : bool :=
  match fr, r, p with
  | Some (T, fr), Some r, Bounded T' class q s b =>
      task_eq T T' && (length (given_layers (of_network c)) =? 1)%nat
      && match q with
         | Weight_of k _ => (k <=? 1)%nat && attention_shown (of_network c) (sequence_length c) r class q s b
         | Error => (0 <? given_heads (of_network c))%nat && losses_shown (of_network c) (sequence_length c) fr r class s b
         | Rollout => false
         end
  | _, _, _ => false
  end.

Definition by_trees (c : certificate) (fr : option (given_task * frame)) (t : floor_proof) (p : property) : bool :=
  match fr, p with
  | Some (T, fr), Bounded T' class q s b =>
      task_eq T T' && (length (given_layers (of_network c)) =? 1)%nat
      && match q with Weight_of k _ => (k <=? 1)%nat | _ => false end
      && floor_shown (of_network c) (sequence_length c) fr t class q s b
  | _, _ => false
  end.

(** [given], [drawn], [frame], [ranges]: whether all properties of the given inputs, of the drawn sequences, the frame and the
    ranges are shown. *)
Definition judge_alone (c : certificate) (fr : option (given_task * frame)) (r : option ranges) (given drawn frame ranges : bool)
    (p : property) (e : evidence) : bool :=
  match e with
  | By_inputs => is_given p && given || is_drawn p && drawn
  | By_witness w =>
      match p with
      | Attained T class q s b => check_witness (of_network c) (sequence_length c) T class q s b w
      | _ => false
      end
  | By_ranges => frame && ranges && by_ranges c fr r p
  | By_trees t => frame && by_trees c fr t p
  | By_others => false
  end.

Definition judge (L : nat) (assumed shown : list property) (p : property) (e : evidence) (alone : bool) : verdict :=
  match e with
  | By_others => if follows L shown p then Proved else if follows L (assumed ++ shown) p then Conditional else Refused
  | _ => if alone then Proved else Refused
  end.

Fixpoint map3 {A B C D} (f : A -> B -> C -> D) (a : list A) (b : list B) (c : list C) : list D :=
  match a, b, c with
  | x :: a', y :: b', z :: c' => f x y z :: map3 f a' b' c'
  | _, _, _ => []
  end.

Definition needs_frame (e : evidence) : bool := match e with By_ranges | By_trees _ => true | _ => false end.
Definition needs_ranges (e : evidence) : bool := match e with By_ranges => true | _ => false end.

(** The verdict on each property. *)
Definition check (c : certificate) (fr : option (given_task * frame)) (r : option ranges) (es : list evidence) : list verdict :=
  let ps := properties c in
  if (length es =? length ps)%nat then
    let of_inputs := filter is_given ps in
    let given := match of_inputs with [] => true | _ => check_inputs (with_properties c of_inputs) end in
    let of_samples := filter is_drawn ps in
    let drawn := match of_samples with [] => true | _ => check_drawn c of_samples end in
    let framed := existsb needs_frame es && framed c fr in
    let ranged := existsb needs_ranges es && framed && ranged c fr r in
    let alone := map (fun pe => judge_alone c fr r given drawn framed ranged (fst pe) (snd pe)) (combine ps es) in
    let shown := map fst (filter snd (combine ps alone)) in
    map3 (judge (sequence_length c) (assumed c) shown) ps es alone
  else map (fun _ => Refused) ps.

(** ** Proofs *)

Lemma real_bottom q : positive_bottom q = true -> 0 < IZR (bottom q).
Proof. unfold positive_bottom. rewrite Z.ltb_lt. apply IZR_lt. Qed.

Lemma rational_le_spec a b : positive_bottom a = true -> positive_bottom b = true -> rational_le a b = true -> real a <= real b.
Proof.
  intros Ha Hb H. apply real_bottom in Ha, Hb. unfold rational_le in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H.
  unfold real. apply Rmult_le_reg_r with (IZR (bottom a) * IZR (bottom b)); [nra|].
  replace (IZR (top a) / IZR (bottom a) * (IZR (bottom a) * IZR (bottom b))) with (IZR (top a) * IZR (bottom b)) by (field; lra).
  replace (IZR (top b) / IZR (bottom b) * (IZR (bottom a) * IZR (bottom b))) with (IZR (top b) * IZR (bottom a)) by (field; lra).
  exact H.
Qed.

Lemma rational_lt_spec a b : positive_bottom a = true -> positive_bottom b = true -> rational_lt a b = true -> real a < real b.
Proof.
  intros Ha Hb H. apply real_bottom in Ha, Hb. unfold rational_lt in H. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR in H.
  unfold real. apply Rmult_lt_reg_r with (IZR (bottom a) * IZR (bottom b)); [nra|].
  replace (IZR (top a) / IZR (bottom a) * (IZR (bottom a) * IZR (bottom b))) with (IZR (top a) * IZR (bottom b)) by (field; lra).
  replace (IZR (top b) / IZR (bottom b) * (IZR (bottom a) * IZR (bottom b))) with (IZR (top b) * IZR (bottom a)) by (field; lra).
  exact H.
Qed.

Lemma rational_eq_spec a b : rational_eq a b = true -> a = b.
Proof. unfold rational_eq. rewrite andb_true_iff, !Z.eqb_eq. destruct a, b. simpl. intros [-> ->]. reflexivity. Qed.

Lemma list_eq_spec {A} (eq : A -> A -> bool) : (forall x y, eq x y = true -> x = y) -> forall a b, list_eq eq a b = true -> a = b.
Proof.
  intros E. induction a as [|x a IH]; intros [|y b] H; simpl in H; try discriminate; [reflexivity|].
  apply andb_prop in H. destruct H as [H1 H2]. f_equal; [apply E, H1|apply IH, H2].
Qed.

Lemma task_eq_spec T T' : task_eq T T' = true -> T = T'.
Proof.
  unfold task_eq. rewrite !andb_true_iff, !Nat.eqb_eq. destruct T, T'. simpl. intros [[A ->] ->]. f_equal.
  apply list_eq_spec with (2 := A). intros [a b] [a' b']. simpl. rewrite andb_true_iff. intros [H1 H2].
  apply rational_eq_spec in H1, H2. subst. reflexivity.
Qed.

Lemma class_within_spec c c' j i : class_within c c' = true -> of_class c j i -> of_class c' j i.
Proof. destruct c, c'; simpl; intros; try discriminate; auto. Qed.

Lemma quantity_eq_spec q q' : quantity_eq q q' = true -> q = q'.
Proof.
  destruct q as [|k w|], q' as [|k' w'|]; simpl; try discriminate; try reflexivity. rewrite andb_true_iff, Nat.eqb_eq. intros [-> P].
  f_equal. destruct w as [[d h]|], w' as [[d' h']|]; simpl in P; try discriminate; [|reflexivity].
  rewrite andb_true_iff, !Nat.eqb_eq in P. destruct P as [-> ->]. reflexivity.
Qed.

Lemma side_implies_spec s b s' b' y : side_implies s b s' b' = true -> meets s y b -> meets s' y b'.
Proof.
  unfold side_implies. rewrite !andb_true_iff. intros [[P P'] H].
  destruct s, s'; try discriminate; cbn [meets]; intros Y;
    first [apply rational_le_spec in H; [lra|assumption|assumption]|apply rational_lt_spec in H; [lra|assumption|assumption]].
Qed.

Lemma implies_spec c p p' : implies p p' = true -> holds c p -> holds c p'.
Proof.
  destruct p as [| |T cl q s b|T cl q s b|], p' as [| |T' cl' q' s' b'|T' cl' q' s' b'|]; simpl implies; try discriminate;
    rewrite !andb_true_iff; intros (((E1 & E2) & E3) & E4); apply task_eq_spec in E1; apply quantity_eq_spec in E3; subst T' q'; cbn [holds].
  - intros H x j i y A B C D. apply side_implies_spec with (1 := E4). apply H with x j i; try assumption.
    apply class_within_spec with (1 := E2). exact C.
  - intros (x & j & i & y & A & B & C & D & Y). exists x, j, i, y. repeat (split; [assumption|]).
    split; [apply class_within_spec with (1 := E2); exact C|]. split; [exact D|]. apply side_implies_spec with (1 := E4), Y.
Qed.

Lemma follows_spec c from p : follows (sequence_length c) from p = true -> Forall (holds c) from -> holds c p.
Proof.
  unfold follows. rewrite orb_true_iff, Forall_forall.
  assert (E : forall p, existsb (fun p' => implies p' p) from = true -> (forall q, In q from -> holds c q) -> holds c p).
  { intros p0 H F. apply existsb_exists in H. destruct H as (p' & I & H). apply implies_spec with (1 := H), F, I. }
  intros [H|H] F; [apply E; assumption|]. destruct p as [| |T [| | |] q s b| |]; try discriminate.
  rewrite forallb_forall in H. cbn [holds]. intros x j i y A B _ D.
  assert (CL : exists cl, In cl (classes (sequence_length c) T) /\ of_class cl j i).
  { destruct (Nat.lt_trichotomy i j) as [Q|[Q|Q]].
    - exists Before. split; [left; reflexivity|exact Q].
    - exists Trigger. split; [right; left; reflexivity|exact Q].
    - exists After. split; [|exact Q]. right. right. destruct A as [_ A].
      replace (first_trigger T <? sequence_length c)%nat with true by (symmetry; apply Nat.ltb_lt; lia). left. reflexivity. }
  destruct CL as (cl & I & CL). assert (Q := E _ (H cl I) F). cbn [holds] in Q. apply Q with x j i; assumption.
Qed.

(** What a verdict says of a property. *)
Definition means (c : certificate) (p : property) (v : verdict) : Prop :=
  match v with
  | Proved => holds c p
  | Conditional => Forall (holds c) (assumed c) -> holds c p
  | Refused => True
  end.

(** The weights of a network of one layer. *)
Lemma only_layer c d : length (given_layers (of_network c)) = 1%nat -> (d < depth (network_of (of_network c)))%nat ->
  exists l, given_layers (of_network c) = [l]
    /\ forall x h i k, attention_weight (network_of (of_network c)) x d h i k = weight (network_of (of_network c)) (layer_of l) x h i k.
Proof.
  intros L1 Hd. change (depth (network_of (of_network c))) with (length (given_layers (of_network c))) in Hd.
  destruct (given_layers (of_network c)) as [|l [|l' ls]] eqn:EL; simpl in L1; try lia. exists l. split; [reflexivity|]. intros x h i k.
  assert (d = 0%nat) by (simpl in Hd; lia). subst d. unfold attention_weight. cbn [hidden layers network_of]. rewrite EL. reflexivity.
Qed.

Lemma by_ranges_spec c fr r p : framed c fr = true -> ranged c fr r = true -> by_ranges c fr r p = true -> holds c p.
Proof.
  unfold framed, ranged, by_ranges. destruct fr as [[T fr]|]; [|discriminate]. destruct r as [r|]; [|discriminate]. intros FS RS H. destruct p as [| |T' cl q s b| |]; try discriminate.
  rewrite !andb_true_iff, Nat.eqb_eq in H. destruct H as ((E & L1) & Q). apply task_eq_spec in E. subst T'.
  destruct q as [|k where_|]; try discriminate; apply andb_prop in Q; destruct Q as [Q A]; cbn [holds]; intros x j i y OT Hi CL.
  - intros (k & Hk & ->). apply Nat.ltb_lt in Q. destruct (given_layers (of_network c)) as [|l [|l' ls]] eqn:EL; simpl in L1; try lia.
    apply losses_shown_spec with (l := l) (L := sequence_length c) (T := T) (fr := fr) (r := r) (c := cl); assumption.
  - apply Nat.leb_le in Q. intros (H2 & _ & SL & d & h & Hd & Hh & PL & ->). destruct (only_layer c d L1 Hd) as (l & EL & ->).
    apply attention_shown_spec with (L := sequence_length c) (T := T) (fr := fr) (r := r) (j := j) (c := cl) (where_ := where_); try assumption.
    + split; [exact H2|apply Hi].
    + destruct PL as [-> | ->]; [reflexivity|]. apply Nat.eqb_refl.
Qed.

Lemma by_trees_spec c fr t p : framed c fr = true -> by_trees c fr t p = true -> holds c p.
Proof.
  unfold framed, by_trees. destruct fr as [[T fr]|]; [|discriminate]. intros FS H. destruct p as [| |T' cl q s b| |]; try discriminate.
  rewrite !andb_true_iff, Nat.eqb_eq in H. destruct H as (((E & L1) & Q) & A). apply task_eq_spec in E. subst T'.
  destruct q as [|k where_|]; try discriminate. apply Nat.leb_le in Q. cbn [holds]. intros x j i y OT Hi CL (H2 & _ & SL & d & h & Hd & Hh & PL & ->).
  destruct (only_layer c d L1 Hd) as (l & EL & ->). apply floor_shown_spec with (L := sequence_length c) (T := T) (fr := fr) (p := t) (j := j) (c := cl) (where_ := where_); try assumption.
  - split; [exact H2|apply Hi].
  - destruct PL as [-> | ->]; [reflexivity|]. apply Nat.eqb_refl.
Qed.

Lemma judge_alone_spec c fr r given drawn frame ranges p e : (given = true -> is_given p = true -> holds c p) ->
  (drawn = true -> is_drawn p = true -> holds c p) -> (frame = true -> framed c fr = true) -> (ranges = true -> ranged c fr r = true) ->
  judge_alone c fr r given drawn frame ranges p e = true -> holds c p.
Proof.
  intros G D FS S H. destruct e as [|w| |t|]; cbn [judge_alone] in H; [| | | |discriminate].
  - rewrite orb_true_iff, !andb_true_iff in H. destruct H as [[K H]|[K H]]; [apply G|apply D]; assumption.
  - destruct p as [| |T cl q s b|T cl q s b|]; try discriminate. apply check_witness_sound with w, H.
  - rewrite !andb_true_iff in H. apply by_ranges_spec with fr r; [apply FS|apply S|]; apply H.
  - rewrite !andb_true_iff in H. apply by_trees_spec with fr t; [apply FS|]; apply H.
Qed.

Lemma all_alone c fr r given drawn frame ranges : (frame = true -> framed c fr = true) -> (ranges = true -> ranged c fr r = true) -> forall ps es, length es = length ps ->
  (forall p, In p ps -> given = true -> is_given p = true -> holds c p) ->
  (forall p, In p ps -> drawn = true -> is_drawn p = true -> holds c p) ->
  Forall2 (fun p b => b = true -> holds c p) ps (map (fun pe => judge_alone c fr r given drawn frame ranges (fst pe) (snd pe)) (combine ps es)).
Proof.
  intros FS S. induction ps as [|p ps IH]; intros [|e es] LE G D; simpl in LE; try discriminate; [constructor|]. cbn [combine map fst snd]. constructor.
  - apply judge_alone_spec; [apply G; left; reflexivity|apply D; left; reflexivity|exact FS|exact S].
  - apply IH; [lia| |]; intros p' Hp; [apply G|apply D]; right; exact Hp.
Qed.

Lemma shown_hold (P : property -> Prop) : forall ps bs, Forall2 (fun p b => b = true -> P p) ps bs ->
  Forall P (map fst (filter snd (combine ps bs))).
Proof.
  induction 1 as [|p b ps bs H _ IH]; [constructor|]. cbn [combine filter snd]. destruct b; cbn [map fst]; [|exact IH].
  constructor; [apply H; reflexivity|exact IH].
Qed.

Lemma all_judged c shown : Forall (holds c) shown -> forall ps es alone, length es = length ps ->
  Forall2 (fun p b => b = true -> holds c p) ps alone ->
  Forall2 (means c) ps (map3 (judge (sequence_length c) (assumed c) shown) ps es alone).
Proof.
  intros SH ps es alone LE AL. revert es LE.
  induction AL as [|p b ps bs H _ IH]; intros [|e es] LE; simpl in LE; try discriminate; [constructor|].
  cbn [map3]. constructor; [|apply IH; lia].
  destruct e; cbn [judge]; try (destruct b; [apply H; reflexivity|exact I]).
  destruct (follows _ shown p) eqn:F; [apply follows_spec with (1 := F), SH|].
  destruct (follows _ (assumed c ++ shown) p) eqn:F'; [|exact I]. intros A. apply follows_spec with (1 := F').
  apply Forall_app. split; assumption.
Qed.

(** The verdicts are true. *)
Theorem check_sound c fr r es : Forall2 (means c) (properties c) (check c fr r es).
Proof.
  unfold check. set (ps := properties c). destruct (Nat.eqb_spec (length es) (length ps)) as [LE|_].
  - set (of_inputs := filter is_given ps). set (given := match of_inputs with [] => true | _ => _ end).
    set (of_samples := filter is_drawn ps). set (drawn := match of_samples with [] => true | _ => _ end).
    assert (AL : Forall2 (fun p b => b = true -> holds c p) ps
                   (map (fun pe => judge_alone c fr r given drawn (existsb needs_frame es && framed c fr)
                           (existsb needs_ranges es && (existsb needs_frame es && framed c fr) && ranged c fr r) (fst pe) (snd pe)) (combine ps es))).
    { apply all_alone; [intros R; apply andb_prop in R; apply R|intros R; apply andb_prop in R; apply R|exact LE| |]; intros p Hp G K;
        [|assert (H : In p of_samples) by (apply filter_In; split; assumption);
          unfold drawn in G; destruct of_samples as [|p0 l]; [destruct H|exact (check_drawn_sound c (p0 :: l) G p H)]]. assert (H : In p of_inputs) by (apply filter_In; split; assumption).
      assert (Q : Forall (holds c) of_inputs).
      { unfold given in G. destruct of_inputs as [|p0 l]; [constructor|]. apply (check_inputs_sound (with_properties c (p0 :: l)) G). }
      rewrite Forall_forall in Q. apply Q, H. }
    apply all_judged; [apply shown_hold, AL|exact LE|exact AL].
  - clear. induction ps; constructor; [exact I|assumption].
Qed.
