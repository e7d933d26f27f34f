(** * The rule softmax-floor: floors of one softmax layer

    Section 4.13 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given box statements rounded exponential weights pass layers inputs forms logits kernels ranges attention.
Import ListNotations.
Open Scope R_scope.

(** ** Sums of exponentials of forms *)

(** [number_of] times exp of a form over the unit of logits. *)
Record term := { number_of : nat; form_of : form; curve_of : option curve }.

Definition shifted (z : Z) (f : form) : form :=
  {| constant := constant f + z; linear := linear f; products := products f; absolutes := absolutes f |}.

(** The lesser of a leaf's two bounds. *)
Definition leaf_value (d : nat) (unit : Z) (f : form) (c : option curve) (p : option point) (s : list Z) : rational :=
  let plain := leaf_bound d f s in
  match c, p with
  | Some c, Some p =>
      let fine := (256 * turn c)%Z in
      {| top := Z.min (plain * fine) (point_bound d f c (part_of p 0) (part_of p 1) s); bottom := unit * fine |}
  | _, _ => {| top := plain; bottom := unit |}
  end.

Fixpoint leaf_total (d : nat) (unit : Z) (points : nat -> option point) (ts : list term) (k : nat) (s : list Z) (e : option nat) : option rational :=
  match ts with
  | [] => Some zero
  | t :: ts =>
      match exp_high (leaf_value d unit (form_of t) (curve_of t) (point_of points e k) s), leaf_total d unit points ts (S k) s e with
      | Some a, Some b => Some (plus (whole_times (number_of t) a) b)
      | _, _ => None
      end
  end.

Fixpoint all_numbered (points : nat -> option point) (ts : list term) (k : nat) (e : option nat) : bool :=
  match ts with
  | [] => true
  | t :: ts => numbered (curve_of t) (fun e => points (e + k)%nat) e && all_numbered points ts (S k) e
  end.

Definition one : rational := {| top := 1; bottom := 1 |}.

Definition floor_test (d : nat) (unit : Z) (points : nat -> option point) (ts : list term) (lower : rational) (s : list Z) (e : option nat) : bool :=
  all_numbered points ts 0 e
  && ((top lower <=? 0)%Z
      || match leaf_total d unit points ts 0 s e with Some total => rational_le (times lower (plus one total)) one | None => false end).

Record floor_proof := { floor_order : list nat; floor_trees : nat -> tree; floor_points : nat -> option point }.

(** Key k, 1 for BOS and 0 for the null slot, against the others; [content] counts the content keys that are not the query. *)
Definition floor_terms (g : given_network) (l : given_layer) (b : unit_box) (m : option multipliers) (h k : nat) (F : flag)
    (content : nat) (with_trigger : bool) : list term :=
  let d := (given_width g - 3)%nat in
  let q := query_columns g l h b in let kc := key_columns g l h b in let lf := logit_factor g l in
  let slot := slot_in_unit g l h b in
  let reference := match k with O => None | S _ => Some (of_bos kc) end in
  let less := match k with O => (- slot)%Z | S _ => 0%Z end in
  let key G := {| number_of := match G with Content_flag => content | _ => 1%nat end;
                  form_of := key_form lf q kc 1 F (Some (of_flag kc G)) reference less true; curve_of := option_map (key_curve g l b) m |} in
  [key Content_flag;
   {| number_of := 1; form_of := shifted less (own_form d lf q kc 1 F reference); curve_of := option_map (own_curve g l b) m |}]
  ++ (if with_trigger then [key Trigger_flag] else [])
  ++ (if has_slot (given_kind g)
      then [{| number_of := 1; curve_of := option_map (fun _ => flat) m;
               form_of := match k with
                          | O => key_form lf q kc 1 F (Some (of_bos kc)) None less false
                          | S _ => key_form lf q kc 1 F None reference slot false
                          end |}]
      else []).

Definition content_keys (L : nat) (c : row_class) : nat := match c with Trigger => L - 2 | _ => L - 3 end.
Definition is_after (c : row_class) : bool := match c with After => true | _ => false end.

Definition floor_shown (g : given_network) (L : nat) (fr : frame) (p : floor_proof) (c : row_class) (q : quantity) (s : side) (b : rational) : bool :=
  match q, shape c, s, given_layers g with
  | Weight_of k where_, Some (F, _, _), At_least, [l] =>
      relative (given_kind g) && positive_bottom b
      && forallb (fun h =>
           let bx := frame_box fr in
           negb (place_of_weight where_ h)
           || everywhere (floor_test (given_width g - 3) (logit_unit g l bx) (floor_points p)
                            (floor_terms g l bx (multipliers_of fr h) h k F (content_keys L c) (is_after c)) b)
                (floor_order p) (repeat 0%Z (given_width g - 3)) (floor_trees p h))
         (seq 0 (given_heads g))
  | _, _, _, _ => false
  end.

(** ** Proofs *)

Lemma exp_convex a b x y : 0 <= x -> 0 <= y -> x + y = 1 -> exp (x * a + y * b) <= x * exp a + y * exp b.
Proof.
  intros X Y E. set (m := x * a + y * b).
  assert (T : forall z, exp m * (1 + (z - m)) <= exp z).
  { intros z. replace (exp z) with (exp m * exp (z - m)) by (rewrite <- exp_plus; f_equal; ring). apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
    pose proof (exp_ineq1_le (z - m)). lra. }
  pose proof (T a) as A. pose proof (T b) as B. apply Rmult_le_compat_l with (r := x) in A; [|exact X]. apply Rmult_le_compat_l with (r := y) in B; [|exact Y].
  assert (Q : exp m * 1 = x * (exp m * (1 + (a - m))) + y * (exp m * (1 + (b - m)))) by (unfold m; replace y with (1 - x) by lra; ring). lra.
Qed.

Section Totals.

Variables (d : nat) (unit : Z).
Hypothesis (HU : (0 < unit)%Z).

Fixpoint total (ts : list term) (u : nat -> R) : R :=
  match ts with [] => 0 | t :: ts => INR (number_of t) * exp (form_at d (form_of t) u / IZR unit) + total ts u end.

Lemma total_convex ts : convex_in_each (total ts).
Proof.
  assert (U := IZR_lt _ _ HU). intros u k H. induction ts as [|t ts IH]; cbn [total]; [lra|].
  set (x := (1 + u k) / 2) in *. set (y := (1 - u k) / 2) in *. assert (X0 : 0 <= x) by (unfold x; lra). assert (Y0 : 0 <= y) by (unfold y; lra).
  assert (C := form_convex d (form_of t) u k H). fold x y in C. set (fu := form_at d (form_of t) (at_end u k 1)) in *. set (fd := form_at d (form_of t) (at_end u k (-1))) in *.
  assert (E : exp (form_at d (form_of t) u / IZR unit) <= x * exp (fu / IZR unit) + y * exp (fd / IZR unit)).
  { eapply Rle_trans; [|apply exp_convex; [exact X0|exact Y0|unfold x, y; lra]]. apply exp_le.
    replace (x * (fu / IZR unit) + y * (fd / IZR unit)) with ((x * fu + y * fd) / IZR unit) by (field; lra).
    unfold Rdiv at 1. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; exact U|exact C]. }
  apply Rmult_le_compat_l with (r := INR (number_of t)) in E; [|apply pos_INR]. lra.
Qed.

Definition sound_term (t : term) : Prop := forall c, curve_of t = Some c -> not_negative d (form_of t) c.

Lemma leaf_value_spec t p s u : sound_term t -> in_face d s u ->
  (0 < bottom (leaf_value d unit (form_of t) (curve_of t) p s))%Z /\ form_at d (form_of t) u / IZR unit <= real (leaf_value d unit (form_of t) (curve_of t) p s).
Proof.
  intros S F. assert (U := IZR_lt _ _ HU). assert (P := leaf_bound_spec d (form_of t) s u F).
  assert (PLAIN : form_at d (form_of t) u / IZR unit <= IZR (leaf_bound d (form_of t) s) / IZR unit).
  { unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; exact U|exact P]. }
  unfold leaf_value. destruct (curve_of t) as [c|] eqn:C; [|split; [exact HU|exact PLAIN]]. destruct p as [p|]; [|split; [exact HU|exact PLAIN]].
  specialize (S c C). assert (B := point_bound_spec d (form_of t) c (part_of p 0) (part_of p 1) s u S F). destruct S as (_ & _ & _ & T). cbn [bottom].
  split; [nia|]. apply IZR_lt in T. unfold real. cbn [top bottom]. rewrite !mult_IZR. apply Rmult_le_reg_r with (IZR unit * (256 * IZR (turn c))); [nra|].
  replace (form_at d (form_of t) u / IZR unit * (IZR unit * (256 * IZR (turn c)))) with (form_at d (form_of t) u * (256 * IZR (turn c))) by (field; lra).
  match goal with |- _ <= IZR ?z / _ * _ => replace (IZR z / (IZR unit * (256 * IZR (turn c))) * (IZR unit * (256 * IZR (turn c)))) with (IZR z) by (field; lra) end.
  apply Z.min_case; [|exact B]. rewrite !mult_IZR. apply Rmult_le_compat_r; [lra|exact P].
Qed.

Lemma leaf_total_spec points s e u : in_face d s u -> forall ts k v, Forall sound_term ts -> leaf_total d unit points ts k s e = Some v ->
  (0 < bottom v)%Z /\ total ts u <= real v.
Proof.
  intros F. induction ts as [|t ts IH]; intros k v S H; cbn [leaf_total] in H.
  - injection H as <-. split; [reflexivity|]. unfold zero, real. cbn. lra.
  - inversion S as [|t' ts' S1 S2]; subst. destruct (exp_high _) as [a|] eqn:E; [|discriminate]. destruct (leaf_total d unit points ts (Datatypes.S k) s e) as [b|] eqn:R; [|discriminate].
    injection H as <-. destruct (IH _ b S2 R) as [B1 B2]. destruct (leaf_value_spec t (point_of points e k) s u S1 F) as [V1 V2].
    destruct (exp_high_spec _ _ V1 E) as [A1 A2]. destruct (real_whole (number_of t) a A1) as [W1 W2]. destruct (real_plus _ _ W1 B1) as [P1 P2].
    split; [exact P1|]. rewrite P2, W2. cbn [total]. apply Rplus_le_compat; [|exact B2]. apply Rmult_le_compat_l; [apply pos_INR|].
    eapply Rle_trans; [apply exp_le, V2|exact A2].
Qed.

Lemma floor_test_spec points ts lower order t : Forall sound_term ts -> (0 < bottom lower)%Z -> 0 < real lower ->
  everywhere (floor_test d unit points ts lower) order (repeat 0%Z d) t = true ->
  forall u, in_unit d u -> real lower * (1 + total ts u) <= 1.
Proof.
  intros S B P H u UB. apply everywhere_in_box with (3 := H) (G := fun u => real lower * (1 + total ts u)); [| |exact UB].
  - intros u' k Hk. assert (C := total_convex ts u' k Hk). set (a := total ts (at_end u' k 1)) in *. set (b := total ts (at_end u' k (-1))) in *.
    apply Rmult_le_compat_l with (r := real lower) in C; [|lra]. lra.
  - intros s e u' T F. unfold floor_test in T. apply andb_prop in T. destruct T as [_ T]. apply orb_prop in T. destruct T as [T|T].
    + apply Z.leb_le, IZR_le in T. apply IZR_lt in B. exfalso. unfold real in P. assert (real lower * IZR (bottom lower) = IZR (top lower)) by (unfold real; field; lra).
      unfold real in H0. nra.
    + destruct (leaf_total d unit points ts 0 s e) as [v|] eqn:E; [|discriminate]. destruct (leaf_total_spec points s e u' F ts 0%nat v S E) as [V1 V2].
      destruct (real_plus one v ltac:(reflexivity) V1) as [P1 P2]. destruct (real_mult lower _ B P1) as [M1 M2].
      apply real_le in T; [|exact M1|reflexivity]. rewrite M2, P2 in T. assert (O : real one = 1) by (unfold real, one; cbn; field). rewrite O in T.
      eapply Rle_trans; [|exact T]. apply Rmult_le_compat_l; lra.
Qed.

End Totals.

Lemma shifted_at d z f u : form_at d (shifted z f) u = form_at d f u + IZR z.
Proof. unfold form_at, inner, shifted. cbn [constant linear products absolutes]. rewrite plus_IZR. ring. Qed.

Lemma shifted_not_negative d z f c : not_negative d f c -> not_negative d (shifted z f) c.
Proof. intros H. exact H. Qed.

Section Row.

Variables (g : given_network) (l : given_layer) (L : nat) (T : given_task) (fr : frame) (x : sequence) (j i h k : nat) (c : row_class).
Hypotheses (EL : given_layers g = [l]) (FS : frame_shown g T fr = true) (OT : of_task (given_width g) L T j x)
  (Hi : (2 <= i <= L)%nat) (Hh : (h < given_heads g)%nat) (CL : of_class c j i) (NA : c <> Any)
  (HS : k = 0%nat -> has_slot (given_kind g) = true) (Hk : (k <= 1)%nat) (RL : relative (given_kind g) = true).

Let M := network_of g.
Let b := frame_box fr.
Let d := (given_width g - 3)%nat.
Let F := if (i =? j)%nat then Trigger_flag else Content_flag.
Let ts := floor_terms g l b (multipliers_of fr h) h k F (content_keys L c) (is_after c).
Let reference := match k with O => slot_logit (layer_of l) h | S _ => logit M (layer_of l) x h i 1 end.

Lemma terms_sound : Forall (sound_term d) ts.
Proof.
  destruct (frame_parts g l L T fr j i h EL FS Hi Hh) as (NF & BF & LF & MS). unfold box_fits in BF.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF. destruct BF as (((((Hn & HU) & _) & LM) & _) & _).
  apply Forall_forall. intros t I cu E. unfold ts, floor_terms in I. fold b in MS, HU, LM.
  assert (KC : forall F G r z cu, option_map (key_curve g l b) (multipliers_of fr h) = Some cu ->
    not_negative d (key_form (logit_factor g l) (query_columns g l h b) (key_columns g l h b) 1 F G r z true) cu).
  { intros F' G r z cu' E'. destruct (multipliers_of fr h) as [m|]; [|discriminate]. injection E' as <-. apply key_curve_not_negative; try assumption. apply MS. reflexivity. }
  assert (FC : forall F G r z cu, option_map (fun _ : multipliers => flat) (multipliers_of fr h) = Some cu ->
    not_negative d (key_form (logit_factor g l) (query_columns g l h b) (key_columns g l h b) 1 F G r z false) cu).
  { intros F' G r z cu' E'. destruct (multipliers_of fr h) as [m|]; [|discriminate]. injection E' as <-. apply flat_not_negative with (h := h) (b := b); try assumption. reflexivity. }
  apply in_app_or in I. destruct I as [I|I].
  - destruct I as [<-|[<-|[]]]; cbn [curve_of form_of] in *; [apply KC, E|]. destruct (multipliers_of fr h) as [m|]; [|discriminate]. injection E as <-.
    apply shifted_not_negative, own_curve_not_negative; try assumption; [apply MS; reflexivity|left; reflexivity].
  - apply in_app_or in I. destruct I as [I|I].
    + destruct (is_after c); [destruct I as [<-|[]]; apply KC, E|destruct I].
    + destruct (has_slot (given_kind g)); [destruct I as [<-|[]]; cbn [curve_of form_of] in *; destruct k; apply FC, E|destruct I].
Qed.

(** The other keys, over the kernel of key k. *)
Lemma row_below : exists u, in_unit d u /\
  weight M (layer_of l) x h i k >= / (1 + total d (logit_unit g l b) ts u).
Proof.
  destruct (frame_parts g l L T fr j i h EL FS Hi Hh) as (NF & BF & LF & MS). assert (BF' := BF). unfold box_fits in BF'.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF'. destruct BF' as (((((Hn & HU) & _) & LM) & _) & _). fold b in MS, HU, LM.
  destruct (fits_parts g l NF LF) as (_ & _ & Fq & Fk & S0 & _ & _).
  destruct (columns_lengths g h b Hn LM Hh _ Fq) as (_ & Q2 & _). destruct (columns_lengths g h b Hn LM Hh _ Fk) as (_ & K2 & _).
  change (length (of_noise (query_columns g l h b)) = d) in Q2. change (length (of_noise (key_columns g l h b)) = d) in K2.
  assert (UP := logit_unit_pos g l h b Hn HU LM NF LF Hh). assert (U := IZR_lt _ _ UP). set (un := IZR (logit_unit g l b)) in *.
  assert (PE : phi (given_kind g) = exp) by (destruct (given_kind g); simpl in *; try discriminate; reflexivity).
  assert (NM : normalised (given_kind g) = true) by (destruct (given_kind g); simpl in *; try discriminate; reflexivity).
  assert (TOK := token_is_unit g l L T fr x j i h EL FS OT Hi Hh).
  destruct (TOK i Hi) as (u & UB & TU). fold F b in TU. fold d in UB. exists u. split; [exact UB|].
  assert (HF : F = Content_flag \/ F = Trigger_flag) by (unfold F; destruct (i =? j)%nat; auto).
  assert (FB : F = Bos_flag -> forall m, u m = 0) by (intros E; destruct HF as [H|H]; rewrite H in E; discriminate).
  set (q := query_columns g l h b) in *. set (kc := key_columns g l h b) in *. set (lf := logit_factor g l) in *.
  set (slot := slot_in_unit g l h b). set (ref := match k with O => None | S _ => Some (of_bos kc) end).
  set (less := match k with O => (- slot)%Z | S _ => 0%Z end).
  assert (BOS : unit_token (given_width g) b Bos_flag (fun _ => 0) (x 1%nat)) by (destruct OT as [[FT _ _ _] _]; rewrite FT; apply bos_is_unit_token, Hn).
  assert (LU := fun s G v => logit_in_unit g l h b Hn HU LM NF LF Hh x i s F u G v TU FB). fold q kc lf d un M in LU.
  assert (EB := LU 1%nat Bos_flag (fun _ => 0) BOS (fun _ _ => eq_refl)). cbv beta in EB.
  rewrite (sum_ext d (fun j0 => 0 * _) (fun _ => 0)) in EB by (intros; ring). rewrite sum_const, Rmult_0_r, Rplus_0_r in EB. cbn [of_flag] in EB.
  assert (ES : slot_logit (layer_of l) h * un = IZR slot).
  { unfold layer_of. cbn [slot_logit]. unfold number, un, logit_unit, slot, slot_in_unit. rewrite power_is_pow by exact S0. rewrite !mult_IZR.
    fold (unit_of (slot_shift l)). pose proof (unit_pos _ S0). field. lra. }
  assert (ER : reference * un = base_of d lf q F ref u - IZR less).
  { unfold reference, ref, less. destruct k as [|k']; cbn [base_of]; [rewrite ES, opp_IZR; ring|]. rewrite EB. simpl IZR. ring. }
  (* a key of flag G with free noise *)
  assert (KEY : forall s G v, unit_token (given_width g) b G v (x s) -> in_unit d v -> G <> Bos_flag ->
    exp (logit M (layer_of l) x h i s - reference) <= exp (form_at d (key_form lf q kc 1 F (Some (of_flag kc G)) ref less true) u / un)).
  { intros s G v TV VB NB. apply exp_le. apply Rmult_le_reg_r with un; [exact U|].
    replace (form_at d (key_form lf q kc 1 F (Some (of_flag kc G)) ref less true) u / un * un) with (form_at d (key_form lf q kc 1 F (Some (of_flag kc G)) ref less true) u) by (field; lra).
    eapply Rle_trans; [|apply (key_form_spec d lf q kc Q2 K2 1 F (Some (of_flag kc G)) ref less true u v (or_introl eq_refl) VB ltac:(discriminate))].
    rewrite Rmult_minus_distr_r, ER, (LU s G v TV ltac:(intros E; contradiction)). cbn [base_of]. apply Req_le. simpl (IZR 1). ring. }
  assert (OWN : exp (logit M (layer_of l) x h i i - reference) <= exp (form_at d (shifted less (own_form d lf q kc 1 F ref)) u / un)).
  { apply exp_le. apply Rmult_le_reg_r with un; [exact U|].
    replace (form_at d (shifted less (own_form d lf q kc 1 F ref)) u / un * un) with (form_at d (shifted less (own_form d lf q kc 1 F ref)) u) by (field; lra).
    rewrite shifted_at. eapply Rle_trans; [|apply Rplus_le_compat_r; apply (own_form_spec d lf q kc Q2 K2 1 F ref u (or_introl eq_refl) UB)].
    rewrite Rmult_minus_distr_r, ER, (LU i F u TU FB). apply Req_le. simpl (IZR 1). ring. }
  set (E0 := exp (form_at d (key_form lf q kc 1 F (Some (of_flag kc Content_flag)) ref less true) u / un)) in *.
  set (E1 := exp (form_at d (shifted less (own_form d lf q kc 1 F ref)) u / un)) in *.
  set (E2 := exp (form_at d (key_form lf q kc 1 F (Some (of_flag kc Trigger_flag)) ref less true) u / un)) in *.
  set (f3 := match k with O => key_form lf q kc 1 F (Some (of_bos kc)) None less false | S _ => key_form lf q kc 1 F None ref slot false end).
  set (E3 := if has_slot (given_kind g) then exp (form_at d f3 u / un) else 0).
  set (other := if has_slot (given_kind g) then exp (match k with O => logit M (layer_of l) x h i 1 | S _ => slot_logit (layer_of l) h end - reference) else 0).
  assert (OTHER : other <= E3).
  { unfold other, E3. destruct (has_slot (given_kind g)) eqn:HSL; [|lra]. apply exp_le. apply Rmult_le_reg_r with un; [exact U|].
    replace (form_at d f3 u / un * un) with (form_at d f3 u) by (field; lra). rewrite Rmult_minus_distr_r, ER.
    assert (Z0 : in_unit d (fun _ => 0)) by (intros m _; lra).
    assert (SZ : forall e : nat -> R, sum d (fun l0 => 0 * e l0) = 0) by (intros e; rewrite (sum_ext d _ (fun _ => 0)) by (intros; ring); rewrite sum_const; ring).
    unfold f3, less, ref. destruct k as [|k'].
    - eapply Rle_trans; [|apply (key_form_spec d lf q kc Q2 K2 1 F (Some (of_bos kc)) None (- slot) false u (fun _ => 0) (or_introl eq_refl) Z0 ltac:(reflexivity))].
      rewrite SZ, EB. cbn [base_of]. rewrite opp_IZR. apply Req_le. simpl (IZR 1). ring.
    - eapply Rle_trans; [|apply (key_form_spec d lf q kc Q2 K2 1 F None (Some (of_bos kc)) slot false u (fun _ => 0) (or_introl eq_refl) Z0 ltac:(reflexivity))].
      rewrite SZ, ES. cbn [base_of]. apply Req_le. simpl (IZR 1). simpl (IZR 0). ring. }
  (* the keys from 2 on *)
  set (D := fun s => exp (logit M (layer_of l) x h i s - reference)).
  assert (J : (3 <= j <= L)%nat) by (destruct OT as [[_ J _ _] _]; exact J).
  assert (REST : sum (i - 1) (fun s0 => D (s0 + 2)%nat) <= INR (content_keys L c) * E0 + (if is_after c then E2 else 0) + E1).
  { replace (i - 1)%nat with (S (i - 2)) by lia. cbn [sum]. apply Rplus_le_compat; [|replace (i - 2 + 2)%nat with i by lia; exact OWN].
    apply Rle_trans with (sum (i - 2) (fun s0 => if (s0 + 2 =? j)%nat then E2 else E0)).
    - apply sum_le. intros s0 Hs. destruct (TOK (s0 + 2)%nat ltac:(lia)) as (v & VB & TV). fold b in TV. fold d in VB.
      destruct (Nat.eqb_spec (s0 + 2) j); [apply (KEY _ Trigger_flag v TV VB)|apply (KEY _ Content_flag v TV VB)]; discriminate.
    - rewrite sum_of_keys. replace (2 <=? j)%nat with true by (symmetry; apply Nat.leb_le; lia). cbn [andb].
      assert (P0 : 0 < E0) by apply exp_pos. assert (KEYS : forall n m, (n <= m)%nat -> INR n * E0 <= INR m * E0) by (intros n m H; apply Rmult_le_compat_r; [lra|apply le_INR, H]).
      destruct c; cbn [of_class content_keys is_after] in *; [| | |contradiction].
      + replace (j <? i - 2 + 2)%nat with false by (symmetry; apply Nat.ltb_ge; lia). specialize (KEYS (i - 2)%nat (L - 3)%nat ltac:(lia)). lra.
      + replace (j <? i - 2 + 2)%nat with false by (symmetry; apply Nat.ltb_ge; lia). specialize (KEYS (i - 2)%nat (L - 2)%nat ltac:(lia)). lra.
      + replace (j <? i - 2 + 2)%nat with true by (symmetry; apply Nat.ltb_lt; lia). specialize (KEYS (i - 3)%nat (L - 3)%nat ltac:(lia)).
        replace (i - 2)%nat with (S (i - 3)) by lia. rewrite S_INR. lra. }
  (* the weight *)
  set (R0 := exp reference). assert (R0P : 0 < R0) by apply exp_pos.
  assert (OV : forall z, exp z = R0 * exp (z - reference)) by (intros z; unfold R0; rewrite <- exp_plus; f_equal; ring).
  assert (PS : possum i (fun s => phi (given_kind g) (logit M (layer_of l) x h i s)) = R0 * (D 1%nat + sum (i - 1) (fun s0 => D (s0 + 2)%nat))).
  { rewrite PE. unfold possum. replace i with (S (i - 1)) at 1 by lia. rewrite sum_first, Rmult_plus_distr_l, <- sum_scal. f_equal; [apply OV|].
    apply sum_ext. intros s0 _. unfold D. rewrite OV. do 3 f_equal. f_equal. lia. }
  assert (TOT : 1 + total d (logit_unit g l b) ts u = 1 + (INR (content_keys L c) * E0 + (if is_after c then E2 else 0) + E1) + E3).
  { unfold ts, floor_terms. fold q kc lf slot d. fold ref less. fold f3. unfold E3. destruct (is_after c), (has_slot (given_kind g)); cbn [app total number_of form_of]; fold un; fold E0 E1 E2; simpl (INR 1); ring. }
  assert (OD : 0 <= other) by (unfold other; destruct (has_slot (given_kind g)); [apply Rlt_le, exp_pos|lra]).
  assert (RD : 0 <= sum (i - 1) (fun s0 => D (s0 + 2)%nat)) by (apply sum_nonneg; intros; apply Rlt_le, exp_pos).
  assert (WT : weight M (layer_of l) x h i k = / (1 + other + sum (i - 1) (fun s0 => D (s0 + 2)%nat))).
  { unfold weight, divisor. change (attention_kind M) with (given_kind g). rewrite NM, PS. unfold slot_kernel. change (attention_kind M) with (given_kind g).
    unfold other, reference, D, R0, reference in *. destruct k as [|k'].
    - rewrite HS in * by reflexivity.
      set (A := exp (logit M (layer_of l) x h i 1 - slot_logit (layer_of l) h)) in *. set (B := sum (i - 1) _) in *. set (e := exp (slot_logit (layer_of l) h)) in *.
      field. split; nra.
    - replace (S k') with 1%nat by lia. cbv iota. rewrite PE. rewrite (Rminus_diag_eq (logit M (layer_of l) x h i 1) _ eq_refl), exp_0.
      set (B := sum (i - 1) _) in *. set (e := exp (logit M (layer_of l) x h i 1)) in *.
      destruct (has_slot (given_kind g)).
      + rewrite (OV (slot_logit (layer_of l) h)). set (A := exp (slot_logit (layer_of l) h - logit M (layer_of l) x h i 1)) in *. field. split; nra.
      + field. split; nra. }
  rewrite WT, TOT. apply Rle_ge, Rinv_le_contravar; lra.
Qed.

End Row.

(** The rule. *)
Theorem floor_shown_spec g l L T fr p x j i h c k where_ s b :
  given_layers g = [l] -> frame_shown g T fr = true -> of_task (given_width g) L T j x -> (2 <= i <= L)%nat -> (h < given_heads g)%nat ->
  of_class c j i -> (k <= 1)%nat -> (k = 0%nat -> has_slot (given_kind g) = true) -> place_of_weight where_ h = true ->
  floor_shown g L fr p c (Weight_of k where_) s b = true ->
  meets s (weight (network_of g) (layer_of l) x h i k) b.
Proof.
  intros EL FS OT Hi Hh CL Hk HS PW H. unfold floor_shown in H. rewrite EL in H. destruct (shape c) as [[[F t] least]|] eqn:SH; [|discriminate].
  destruct s; try discriminate. rewrite !andb_true_iff, forallb_forall in H. destruct H as ((RL & PB) & H). unfold positive_bottom in PB. apply Z.ltb_lt in PB.
  specialize (H h ltac:(apply in_seq; lia)). cbv zeta in H. rewrite PW in H. cbn [negb orb] in H.
  assert (J : (3 <= j <= L)%nat) by (destruct OT as [[_ J _ _] _]; exact J).
  destruct (shape_spec c L j i F t least SH CL J Hi) as (EF & _ & _). assert (NA : c <> Any) by (intros ->; discriminate).
  destruct (row_below g l L T fr x j i h k c EL FS OT Hi Hh CL NA HS Hk RL) as (u & UB & W). rewrite <- EF in W.
  assert (TS : Forall (sound_term (given_width g - 3)) (floor_terms g l (frame_box fr) (multipliers_of fr h) h k F (content_keys L c) (is_after c)))
    by (rewrite EF; eapply terms_sound; eassumption). cbn [meets].
  destruct (frame_parts g l L T fr j i h EL FS Hi Hh) as (NF & BF & LF & _). unfold box_fits in BF.
  rewrite !andb_true_iff, Nat.leb_le, Z.ltb_lt, !Nat.eqb_eq in BF. destruct BF as (((((Hn & HU) & _) & LM) & _) & _).
  assert (UP := logit_unit_pos g l h (frame_box fr) Hn HU LM NF LF Hh).
  set (tot := total _ _ _ u) in *. assert (TP : 0 <= tot).
  { unfold tot. generalize (floor_terms g l (frame_box fr) (multipliers_of fr h) h k F (content_keys L c) (is_after c)). intros ts.
    induction ts as [|y ys IH]; cbn [total]; [lra|]. pose proof (pos_INR (number_of y)). pose proof (exp_pos (form_at (given_width g - 3) (form_of y) u / IZR (logit_unit g l (frame_box fr)))). nra. }
  destruct (Rle_dec (real b) 0) as [N|N].
  - apply Rle_trans with 0; [exact N|]. apply Rle_trans with (/ (1 + tot)); [apply Rlt_le, Rinv_0_lt_compat; lra|lra].
  - assert (Q := floor_test_spec _ _ UP _ _ b _ _ TS PB ltac:(lra) H u UB). fold tot in Q.
    apply Rle_trans with (/ (1 + tot)); [|lra]. apply Rmult_le_reg_r with (1 + tot); [lra|]. rewrite Rinv_l by lra. exact Q.
Qed.
