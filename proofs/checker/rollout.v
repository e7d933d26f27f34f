(** * The rollout of a stack of single heads

    Section 4.6 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool Permutation.
From Sinkproof Require Import task trigger_task.
From Verified Require Import model given rounded weights pass layers.
Import ListNotations.
Open Scope R_scope.

(** ** The least mean of numbers, whose weights are in ranges and sum to 2^p *)

(** A number, its least weight and by how much the weight may be larger. *)
Definition portion : Type := Z * Z * Z.

Fixpoint insert (e : portion) (l : list portion) : list portion :=
  match l with
  | [] => [e]
  | f :: rest => if (fst (fst e) <=? fst (fst f))%Z then e :: l else f :: insert e rest
  end.

Definition sorted (l : list portion) : list portion := fold_right insert [] l.

(** What is left of the whole goes to the smallest numbers first. *)
Fixpoint fill (left : Z) (l : list portion) : Z :=
  match l with
  | [] => 0%Z
  | (x, a, room) :: rest => let more := Z.min room left in (x * (a + more) + fill (left - more) rest)%Z
  end.

Definition least_mean (p : Z) (ws : list range) (xs : list Z) : Z :=
  let portions := map (fun wx => (snd wx, fst (fst wx), snd (fst wx) - fst (fst wx))%Z) (combine ws xs) in
  floor_shift (fill (power p - total (map fst ws)) (sorted portions)) p.

Definition mean_range (p : Z) (ws es : list range) : range :=
  (least_mean p ws (map fst es), (- least_mean p ws (map (fun e => (- snd e)%Z) es))%Z).

Definition next_rollouts (p : Z) (es : list range) (rows : list (list (list range))) : list range :=
  map (fun row => let ws := tl (hd [] row) in mean_range p ws (firstn (length ws) es)) rows.

(** [weights] of layer, row, head and key; of the last layer one row alone. *)
Definition rollout_range (p : Z) (i : nat) (weights : list (list (list (list range)))) : range :=
  hd (0, 0)%Z (fold_left (next_rollouts p) weights ((power p, power p) :: repeat (0, 0)%Z (i - 1))).

(** ** Proofs *)

Definition rsum {A} (f : A -> R) (l : list A) : R := fold_right (fun x s => f x + s) 0 l.

Lemma rsum_permutation {A} (f : A -> R) l l' : Permutation l l' -> rsum f l = rsum f l'.
Proof. induction 1; simpl; lra. Qed.

Lemma rsum_seq {A} (f : A -> R) (g : nat -> A) n : forall s, rsum f (map g (seq s n)) = sum n (fun k => f (g (s + k)%nat)).
Proof.
  induction n as [|n IH]; intros s; [reflexivity|]. cbn [seq map]. unfold rsum in *. cbn [fold_right]. rewrite IH, sum_first.
  rewrite Nat.add_0_r. f_equal. apply sum_ext. intros k _. f_equal. f_equal. lia.
Qed.

Lemma insert_permutation e l : Permutation (e :: l) (insert e l).
Proof.
  induction l as [|f l IH]; simpl; [reflexivity|]. destruct (_ <=? _)%Z; [reflexivity|].
  rewrite perm_swap. constructor. exact IH.
Qed.

Lemma sorted_permutation l : Permutation l (sorted l).
Proof. induction l as [|e l IH]; simpl; [reflexivity|]. rewrite IH at 1. apply insert_permutation. Qed.

Inductive ascending : list portion -> Prop :=
  | ascending_nil : ascending []
  | ascending_cons e l : (forall f, In f l -> (fst (fst e) <= fst (fst f))%Z) -> ascending l -> ascending (e :: l).

Lemma insert_ascending e l : ascending l -> ascending (insert e l).
Proof.
  induction 1 as [|f l H A IH]; simpl; [constructor; [intros f []|constructor]|].
  destruct (Z.leb_spec (fst (fst e)) (fst (fst f))) as [L|L].
  - constructor; [|constructor; assumption]. intros g [<-|G]; [exact L|]. specialize (H g G). lia.
  - constructor; [|exact IH]. intros g G. apply (Permutation_in g (Permutation_sym (insert_permutation e l))) in G.
    destruct G as [<-|G]; [lia|apply H, G].
Qed.

Lemma sorted_ascending l : ascending (sorted l).
Proof. induction l as [|e l IH]; simpl; [constructor|apply insert_ascending, IH]. Qed.

(** Portions with what their weights are above the least. *)
Definition given_portion : Type := portion * R.
Definition number_of (e : given_portion) : R := IZR (fst (fst (fst e))).
Definition least_of (e : given_portion) : R := IZR (snd (fst (fst e))).
Definition room_of (e : given_portion) : R := IZR (snd (fst e)).
Definition extra_of (e : given_portion) : R := snd e.
Definition fits (e : given_portion) : Prop := 0 <= extra_of e <= room_of e.

Lemma rsum_nonneg l : Forall fits l -> 0 <= rsum extra_of l.
Proof. unfold rsum. induction 1 as [|e l [A _] _ IH]; cbn [fold_right]; lra. Qed.

Lemma fill_least : forall (l : list given_portion) left m, ascending (map fst l) -> Forall fits l ->
  (0 <= left)%Z -> IZR left <= rsum extra_of l -> (forall e, In e l -> m <= number_of e) ->
  IZR (fill left (map fst l)) + m * (rsum extra_of l - IZR left) <= rsum (fun e => (least_of e + extra_of e) * number_of e) l.
Proof.
  induction l as [|[[[x a] room] v] l IH]; intros left m A F L0 L M.
  - unfold rsum in *. cbn [map fill fold_right] in *. apply IZR_le in L0. replace (IZR left) with 0 by lra. lra.
  - inversion A as [|? ? HA A']. subst. apply Forall_cons_iff in F. destruct F as [[V0 VR] F].
    unfold room_of in VR. unfold extra_of in V0, VR. cbn [fst snd] in V0, VR. unfold rsum in *. cbn [map fill fold_right fst snd] in *.
    set (V := fold_right (fun x0 s => extra_of x0 + s) 0 l) in *.
    set (S := fold_right (fun e s => (least_of e + extra_of e) * number_of e + s) 0 l) in *.
    unfold least_of at 1, number_of at 1, extra_of at 2. unfold extra_of at 1 in L. unfold extra_of at 1. cbn [fst snd] in *.
    assert (MX : m <= IZR x) by (apply (M ((x, a, room), v)); left; reflexivity).
    assert (HX : forall e, In e l -> IZR x <= number_of e).
    { intros e He. apply IZR_le. apply (HA (fst e)). apply in_map. exact He. }
    assert (V1 : 0 <= V) by apply (rsum_nonneg l F).
    set (more := Z.min room left) in *.
    assert (RM : (0 <= more)%Z) by (apply le_IZR in VR + idtac; unfold more; assert (0 <= room)%Z by (apply le_IZR; lra); lia).
    assert (LM : (0 <= left - more)%Z) by (unfold more; lia).
    rewrite plus_IZR, mult_IZR, plus_IZR. apply IZR_le in L0. apply IZR_le in RM. apply IZR_le in LM.
    rewrite minus_IZR in LM.
    destruct (Rle_or_lt v (IZR more)) as [C|C].
    + assert (Q : IZR (left - more) <= V) by (rewrite minus_IZR; lra).
      assert (P := IH (left - more)%Z (IZR x) A' F ltac:(apply le_IZR; rewrite minus_IZR; lra) Q HX).
      rewrite minus_IZR in P. nra.
    + assert (E : IZR more = IZR left).
      { destruct (Z.min_spec room left) as [[_ Q]|[_ Q]]; fold more in Q; [rewrite Q in C; lra|rewrite Q; reflexivity]. }
      assert (P := IH (left - more)%Z (IZR x) A' F ltac:(apply le_IZR; rewrite minus_IZR; lra) ltac:(rewrite minus_IZR; lra) HX).
      rewrite minus_IZR in P. nra.
Qed.

Lemma map_combine_seq {A B C} (f : A * B -> C) (da : A) (db : B) : forall a b, length a = length b ->
  map f (combine a b) = map (fun k => f (nth k a da, nth k b db)) (seq 0 (length a)).
Proof.
  induction a as [|x a IH]; intros [|y b] E; simpl in E; try discriminate; [reflexivity|]. cbn [combine map length seq].
  f_equal. rewrite IH by lia. rewrite <- seq_shift, map_map. reflexivity.
Qed.

Lemma least_mean_spec p ws xs (W Y : nat -> R) : (0 <= p)%Z -> length xs = length ws ->
  (forall k, (k < length ws)%nat -> within (unit_of p) (nth k ws (0, 0)%Z) (W k)) ->
  (forall k, (k < length ws)%nat -> 0 <= W k /\ IZR (nth k xs 0%Z) <= unit_of p * Y k) ->
  sum (length ws) W = 1 ->
  IZR (least_mean p ws xs) <= unit_of p * sum (length ws) (fun k => W k * Y k).
Proof.
  intros Hp LX HW HY ONE. pose proof (unit_pos p Hp) as U. unfold least_mean. set (n := length ws) in *.
  set (f := fun wx : range * Z => (snd wx, fst (fst wx), (snd (fst wx) - fst (fst wx))%Z)).
  set (left := (power p - total (map fst ws))%Z).
  set (g := fun k => (f (nth k ws (0, 0)%Z, nth k xs 0%Z), unit_of p * W k - IZR (fst (nth k ws (0, 0)%Z)))).
  set (l := map g (seq 0 n)).
  assert (FST : map f (combine ws xs) = map fst l).
  { rewrite (map_combine_seq f (0, 0)%Z 0%Z) by (symmetry; exact LX). unfold l. rewrite map_map. reflexivity. }
  change (map _ (combine ws xs)) with (map f (combine ws xs)). rewrite FST.
  destruct (Permutation_map_inv _ _ (Permutation_sym (sorted_permutation (map fst l)))) as (l' & E & PM). rewrite E.
  assert (FT : Forall fits l).
  { apply Forall_forall. intros e He. apply in_map_iff in He. destruct He as (k & <- & Hk). apply in_seq in Hk.
    destruct (HW k ltac:(lia)) as [W1 W2]. unfold fits, extra_of, room_of, g, f. cbn [fst snd]. rewrite minus_IZR. lra. }
  assert (FT' : Forall fits l') by (apply (Permutation_Forall PM FT)).
  assert (TOT : IZR (total (map fst ws)) = sum n (fun k => IZR (fst (nth k ws (0, 0)%Z)))) by (apply total_sum).
  assert (SUM : rsum extra_of l = IZR left).
  { unfold l. rewrite rsum_seq. unfold extra_of. cbn [snd g]. unfold left. rewrite minus_IZR, TOT. fold (unit_of p).
    rewrite (sum_ext n _ (fun k => unit_of p * W k - IZR (fst (nth k ws (0, 0)%Z)))) by (intros; reflexivity).
    rewrite sum_minus, sum_scal, ONE. lra. }
  assert (S' : rsum extra_of l' = IZR left) by (rewrite <- SUM; symmetry; apply rsum_permutation, PM).
  assert (POS : (0 <= left)%Z).
  { apply le_IZR. rewrite <- SUM. apply rsum_nonneg, FT. }
  assert (AS : ascending (map fst l')) by (pose proof (sorted_ascending (map fst l)) as Q; rewrite E in Q; exact Q).
  pose (m := fold_right (fun (e : given_portion) s => Rmin (number_of e) s) 0 l').
  assert (MM : forall e, In e l' -> m <= number_of e).
  { unfold m. clear. induction l' as [|e l IH]; intros e' He; [destruct He|]. cbn [fold_right].
    destruct He as [->|He]; [apply Rmin_l|]. eapply Rle_trans; [apply Rmin_r|apply IH, He]. }
  assert (Q := fill_least l' left m AS FT' POS (Req_le_sym _ _ S') MM). rewrite S' in Q.
  replace (IZR left - IZR left) with 0 in Q by ring. rewrite Rmult_0_r, Rplus_0_r in Q.
  rewrite <- (rsum_permutation _ _ _ PM) in Q.
  apply Rmult_le_reg_r with (unit_of p); [exact U|]. eapply Rle_trans; [apply floor_shift_le, Hp|].
  eapply Rle_trans; [exact Q|]. unfold l. rewrite rsum_seq. rewrite Rmult_assoc, (Rmult_comm (sum n _)), <- Rmult_assoc.
  rewrite <- sum_scal. apply sum_le. intros k Hk. cbn [Nat.add]. unfold least_of, number_of, extra_of, g, f. cbn [fst snd].
  destruct (HY k Hk) as [W0 Y0].
  replace (IZR (fst (nth k ws (0, 0)%Z)) + (unit_of p * W k - IZR (fst (nth k ws (0, 0)%Z)))) with (unit_of p * W k) by ring.
  replace (unit_of p * unit_of p * (W k * Y k)) with (unit_of p * W k * (unit_of p * Y k)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact Y0].
Qed.

Lemma mean_range_spec p ws es (W Y : nat -> R) : (0 <= p)%Z -> length es = length ws ->
  (forall k, (k < length ws)%nat -> within (unit_of p) (nth k ws (0, 0)%Z) (W k)) ->
  (forall k, (k < length ws)%nat -> 0 <= W k /\ within (unit_of p) (nth k es (0, 0)%Z) (Y k)) ->
  sum (length ws) W = 1 ->
  within (unit_of p) (mean_range p ws es) (sum (length ws) (fun k => W k * Y k)).
Proof.
  intros Hp LE HW HY ONE. split; cbn [fst snd mean_range].
  - apply least_mean_spec; try assumption; [rewrite map_length; exact LE|]. intros k Hk. destruct (HY k Hk) as [A [B _]].
    split; [exact A|]. rewrite (nth_map_in _ _ _ (0, 0)%Z) by lia. exact B.
  - rewrite opp_IZR.
    assert (Q : IZR (least_mean p ws (map (fun e => (- snd e)%Z) es)) <= unit_of p * sum (length ws) (fun k => W k * - Y k)).
    { apply least_mean_spec; try assumption; [rewrite map_length; exact LE|]. intros k Hk. destruct (HY k Hk) as [A [_ B]].
      split; [exact A|]. rewrite (nth_map_in _ _ _ (0, 0)%Z) by lia. rewrite opp_IZR. lra. }
    rewrite (sum_ext (length ws) _ (fun k => -1 * (W k * Y k))) in Q by (intros; ring). rewrite sum_scal in Q. lra.
Qed.

(** ** Weights sum to one *)

Lemma weights_sum M l x h i : (1 <= i)%nat -> normalised (attention_kind M) = true -> has_slot (attention_kind M) = false ->
  (forall k, (1 <= k <= i)%nat -> 0 <= weight M l x h i k) /\ possum i (fun k => weight M l x h i k) = 1.
Proof.
  intros Hi N NS.
  assert (P : 0 < possum i (fun k => phi (attention_kind M) (logit M l x h i k)))
    by (apply sum_pos; [lia|intros; apply phi_pos, N]).
  assert (D : divisor M l x h i = possum i (fun k => phi (attention_kind M) (logit M l x h i k)))
    by (unfold divisor, slot_kernel; rewrite N, NS; ring).
  split.
  - intros [|k] Hk; [lia|]. unfold weight. rewrite D. apply Rlt_le, Rdiv_lt_0_compat; [apply phi_pos, N|exact P].
  - unfold possum in *. rewrite (sum_ext i _ (fun k => / divisor M l x h i * phi (attention_kind M) (logit M l x h i (S k))))
      by (intros; unfold weight, Rdiv; ring).
    rewrite sum_scal, D. field. lra.
Qed.

Section Rollout.

(** [weights] as a pass has them: of all layers but the last, rows 1..i; of the last, row i. *)
Variables (M : network) (x : sequence) (p : Z) (i : nat) (weights : list (list (list (list range)))).
Let D := depth M.
Hypotheses (Hp : (0 <= p)%Z) (Hi : (1 <= i)%nat) (N : normalised (attention_kind M) = true)
  (S0 : has_slot (attention_kind M) = false) (LD : length weights = D) (D1 : (0 < D)%nat)
  (LR : forall d, (d < D)%nat -> length (nth d weights []) = (if (S d =? D)%nat then 1 else i)%nat)
  (LK : forall d j, (d < D)%nat -> (j < length (nth d weights []))%nat ->
     length (hd [] (nth j (nth d weights []) [])) = S (if (S d =? D)%nat then i else S j))
  (HW : forall d j k, (d < D)%nat -> (j < length (nth d weights []))%nat -> (k <= if (S d =? D)%nat then i else S j)%nat ->
     within (unit_of p) (nth k (hd [] (nth j (nth d weights []) [])) (0, 0)%Z)
            (attention_weight M x d 0 (if (S d =? D)%nat then i else S j) k)).

Lemma step_spec d es : (d < D)%nat -> length es = i ->
  (forall k, (k < i)%nat -> within (unit_of p) (nth k es (0, 0)%Z) (rollout M x d (S k))) ->
  forall j, (j < length (nth d weights []))%nat ->
  within (unit_of p) (nth j (next_rollouts p es (nth d weights [])) (0, 0)%Z) (rollout M x (S d) (if (S d =? D)%nat then i else S j)).
Proof.
  intros Hd LE HE j Hj. unfold next_rollouts. rewrite (nth_map_in _ _ _ []) by exact Hj.
  set (row := nth j (nth d weights []) []) in *. set (q := if (S d =? D)%nat then i else S j).
  assert (Lrow := LK d j Hd Hj). fold row q in Lrow. set (ws := tl (hd [] row)) in *.
  assert (Lws : length ws = q) by (unfold ws; destruct (hd [] row); simpl in *; lia).
  assert (NW : forall k, nth k ws (0, 0)%Z = nth (S k) (hd [] row) (0, 0)%Z)
    by (intros k; unfold ws; destruct (hd [] row); [destruct k; reflexivity|reflexivity]).
  assert (Q1 : (1 <= q <= i)%nat).
  { unfold q. assert (R := LR d Hd). destruct (S d =? D)%nat; lia. }
  destruct (weights_sum M (layers M d) (hidden M d x) 0 q ltac:(lia) N S0) as [W0 W1].
  assert (LF : length (firstn (length ws) es) = length ws) by (rewrite firstn_length; lia).
  assert (R := mean_range_spec p ws (firstn (length ws) es) (fun k => attention_weight M x d 0 q (S k)) (fun k => rollout M x d (S k)) Hp LF).
  unfold range in *. rewrite Lws in R, LF. cbn [rollout]. unfold possum. rewrite Lws. apply R.
  - intros k Hk. rewrite NW. assert (T := HW d j (S k) Hd Hj). fold row q in T. apply T. lia.
  - intros k Hk. split; [apply W0; lia|]. rewrite nth_firstn_lt by exact Hk. apply HE. lia.
  - exact W1.
Qed.

Lemma steps_spec : forall n d es, (d + n = D)%nat -> (0 < n)%nat -> length es = i ->
  (forall k, (k < i)%nat -> within (unit_of p) (nth k es (0, 0)%Z) (rollout M x d (S k))) ->
  within (unit_of p) (hd (0, 0)%Z (fold_left (next_rollouts p) (skipn d weights) es)) (rollout M x D i).
Proof.
  induction n as [|n IH]; intros d es E Hn LE HE; [lia|].
  assert (SK : skipn d weights = nth d weights [] :: skipn (S d) weights).
  { assert (T := nth_skipn_plus weights d 0 []). rewrite Nat.add_0_r in T.
    assert (T' : forall k, nth k (skipn (S d) weights) [] = nth (S k) (skipn d weights) []) by
      (intros k; rewrite !nth_skipn_plus; f_equal; lia).
    assert (LS : length (skipn d weights) = S n) by (rewrite skipn_length; lia).
    destruct (skipn d weights) as [|w l] eqn:Q; [simpl in LS; lia|]. cbn [nth] in T. rewrite <- T. f_equal.
    apply nth_ext with [] []; [rewrite skipn_length; simpl in LS; lia|]. intros k _. rewrite T'. reflexivity. }
  rewrite SK. cbn [fold_left]. assert (Hd : (d < D)%nat) by lia.
  assert (ST := step_spec d es Hd LE HE). assert (R := LR d Hd).
  destruct (Nat.eq_dec n 0) as [->|Nn].
  - assert (E1 : S d = D) by lia. rewrite skipn_all2 by lia. cbn [fold_left].
    rewrite E1, Nat.eqb_refl in ST, R. assert (Q := ST 0%nat ltac:(lia)).
    destruct (next_rollouts p es (nth d weights [])) as [|r l]; exact Q.
  - assert (B : (S d =? D)%nat = false) by (apply Nat.eqb_neq; lia). rewrite B in ST, R.
    apply IH; [lia|lia|unfold next_rollouts; rewrite map_length; exact R|]. intros k Hk. apply ST. lia.
Qed.

Theorem rollout_range_spec : within (unit_of p) (rollout_range p i weights) (rollout M x (depth M) i).
Proof.
  pose proof (unit_pos p Hp) as U. unfold rollout_range. apply (steps_spec D 0); [lia|exact D1|simpl; rewrite repeat_length; lia|].
  intros [|k] Hk; cbn [nth rollout Nat.eqb].
  - unfold within. cbn [fst snd]. fold (unit_of p). lra.
  - replace (nth k (repeat (0, 0)%Z (i - 1)) (0, 0)%Z) with (0, 0)%Z.
    + unfold within. cbn [fst snd]. lra.
    + clear. revert k. induction (i - 1)%nat as [|n IH]; intros [|k]; simpl; try reflexivity. apply IH.
Qed.

End Rollout.

(** ** The weights that a pass over rows 1..i has, where there is one head *)

Lemma run_layer_weights g l p first balls j : given_heads g = 1%nat -> (first + j < length balls)%nat ->
  length (hd [] (row_weights (nth j (fst (run_layer g l p first balls)) no_row))) = S (S (first + j)).
Proof.
  intros H Hj. unfold run_layer. cbn [fst].
  rewrite (nth_map_in _ _ _ (0%nat, no_ball)) by (rewrite combine_length, seq_length, skipn_length; lia).
  rewrite combine_nth by (rewrite seq_length, skipn_length; reflexivity). rewrite seq_nth by lia. cbn [fst snd].
  unfold layer_row. rewrite H. cbn [seq map row_weights hd nth]. unfold head_row.
  set (keys := firstn _ (map _ (map _ balls))).
  assert (LK : length keys = (S first + j)%nat) by (unfold keys; rewrite firstn_length, !map_length; lia).
  destruct (given_kind g); cbn [head_weights]; rewrite weight_ranges_length, map_length, LK; reflexivity.
Qed.

Lemma run_layers_weights g p first : given_heads g = 1%nat -> forall ls balls, (first < length balls)%nat ->
  let ws := seen_weights (run_layers g ls p first balls) in
  length ws = length ls /\
  forall d, (d < length ls)%nat ->
    length (nth d ws []) = (length balls - if (S d =? length ls)%nat then first else 0)%nat /\
    forall j, (j < length (nth d ws []))%nat ->
      length (hd [] (nth j (nth d ws []) [])) = S (S ((if (S d =? length ls)%nat then first else 0) + j)).
Proof.
  intros H. induction ls as [|l rest IH]; intros balls Hf; cbn zeta; [split; [reflexivity|simpl; intros; lia]|].
  cbn [run_layers]. set (f := match rest with [] => first | _ => 0%nat end).
  assert (F : (f <= first)%nat) by (unfold f; destruct rest; lia).
  assert (LF := run_layer_length g l p f balls). assert (WF := fun j => run_layer_weights g l p f balls j H).
  destruct (run_layer g l p f balls) as [found fine]. cbn [fst] in LF, WF. cbn [seen_weights].
  assert (W0 : length (map row_weights found) = (length balls - f)%nat /\
    forall j, (j < length (map row_weights found))%nat -> length (hd [] (nth j (map row_weights found) [])) = S (S (f + j))).
  { split; [rewrite map_length; exact LF|]. intros j Hj. rewrite map_length in Hj. rewrite (nth_map_in _ _ _ no_row) by exact Hj.
    apply WF. lia. }
  destruct rest as [|l2 rest].
  - cbn [run_layers seen_weights length]. split; [reflexivity|]. intros [|d] Hd; [|lia]. cbn [nth Nat.eqb]. exact W0.
  - unfold f in *. destruct (IH (map row_ball found) ltac:(rewrite map_length; lia)) as [A B].
    set (ws := seen_weights (run_layers g (l2 :: rest) p first (map row_ball found))) in *. split; [cbn [length]; rewrite A; reflexivity|].
    intros [|d] Hd.
    + cbn [nth length Nat.eqb]. exact W0.
    + cbn [nth]. cbn [length] in Hd. destruct (B d ltac:(simpl in *; lia)) as [B1 B2]. rewrite map_length, LF, Nat.sub_0_r in B1.
      change (S (S d) =? length (l :: l2 :: rest))%nat with (S d =? length (l2 :: rest))%nat. split; [exact B1|exact B2].
Qed.
