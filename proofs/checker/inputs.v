(** * Statements about given inputs

    Section 4.18 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task anchored_values.
From Verified Require Import model given statements rounded exponential weights pass layers.
Import ListNotations.
Open Scope R_scope.

(** ** Ranges of numbers: two whole numbers over a third *)

Record fraction_range := { low : Z; high : Z; parts : Z }.

Definition contains (f : fraction_range) (y : R) : Prop :=
  (0 < parts f)%Z /\ IZR (low f) <= y * IZR (parts f) <= IZR (high f).

Definition positive_bottom (q : rational) : bool := (0 <? bottom q)%Z.

(** q <= n / d and n / d <= q. *)
Definition at_most (q : rational) (n d : Z) : bool := (top q * d <=? n * bottom q)%Z.
Definition at_least (q : rational) (n d : Z) : bool := (n * bottom q <=? top q * d)%Z.

Lemma at_most_spec q n d y : (0 < bottom q)%Z -> (0 < d)%Z -> at_most q n d = true -> IZR n <= y * IZR d -> real q <= y.
Proof.
  intros Hb Hd H Hy. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. apply IZR_lt in Hb. apply IZR_lt in Hd.
  unfold real. set (v := IZR (top q) / IZR (bottom q)).
  assert (V : v * IZR (bottom q) = IZR (top q)) by (unfold v; field; lra).
  rewrite <- V in H. assert (v * IZR d <= IZR n) by (apply Rmult_le_reg_r with (IZR (bottom q)); lra).
  apply Rmult_le_reg_r with (IZR d); lra.
Qed.

Lemma at_least_spec q n d y : (0 < bottom q)%Z -> (0 < d)%Z -> at_least q n d = true -> y * IZR d <= IZR n -> y <= real q.
Proof.
  intros Hb Hd H Hy. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. apply IZR_lt in Hb. apply IZR_lt in Hd.
  unfold real. set (v := IZR (top q) / IZR (bottom q)).
  assert (V : v * IZR (bottom q) = IZR (top q)) by (unfold v; field; lra).
  rewrite <- V in H. assert (IZR n <= v * IZR d) by (apply Rmult_le_reg_r with (IZR (bottom q)); lra).
  apply Rmult_le_reg_r with (IZR d); lra.
Qed.

Definition lies_between (lower upper : rational) (f : fraction_range) : bool :=
  at_most lower (low f) (parts f) && at_least upper (high f) (parts f).

Lemma lies_between_spec lower upper f y : positive_bottom lower = true -> positive_bottom upper = true ->
  lies_between lower upper f = true -> contains f y -> real lower <= y <= real upper.
Proof.
  unfold positive_bottom, lies_between. rewrite andb_true_iff, !Z.ltb_lt. intros Bl Bu [A B] (P & C & D).
  split; [apply at_most_spec with (low f) (parts f)|apply at_least_spec with (high f) (parts f)]; assumption.
Qed.

(** ** Sums of ranges *)

Definition between (r : range) (y : R) : Prop := IZR (fst r) <= y <= IZR (snd r).
Definition sum_ranges (l : list range) : range := (total (map fst l), total (map snd l)).

Lemma sum_ranges_spec (l : list range) (y : nat -> R) : (forall k, (k < length l)%nat -> between (nth k l (0, 0)%Z) (y k)) ->
  between (sum_ranges l) (sum (length l) y).
Proof.
  intros H. unfold between, sum_ranges. cbn [fst snd].
  assert (A : forall f : range -> Z, IZR (total (map f l)) = sum (length l) (fun j => IZR (f (nth j l (0, 0)%Z))))
    by (intros; apply total_sum).
  rewrite !A. split; apply sum_le; intros k Hk; apply H, Hk.
Qed.

Lemma sum_ranges_seq (f : nat -> range) n y : (forall k, (k < n)%nat -> between (f k) (y k)) ->
  between (sum_ranges (map f (seq 0 n))) (sum n y).
Proof.
  intros H. set (l := map f (seq 0 n)). assert (Ll : length l = n) by (unfold l; rewrite map_length, seq_length; reflexivity).
  replace (sum n y) with (sum (length l) y) by (rewrite Ll; reflexivity). apply sum_ranges_spec. intros k Hk. rewrite Ll in Hk. unfold l.
  rewrite (nth_map_in _ _ _ 0%nat) by (rewrite seq_length; exact Hk). rewrite seq_nth by exact Hk. apply H, Hk.
Qed.

(** ** What a pass shows of a readout *)

Definition add_rows (n : nat) (m : list (list Z)) : list Z := fold_left add_lists m (repeat 0%Z n).

(** The target of row i, times [share] and the tokens' unit. *)
Definition target_share (i j : nat) : nat := if (i =? j)%nat then j - 1 else 1.
Definition scaled_target (g : given_network) (t : given_tokens) (i j : nat) : list Z :=
  let n := given_width g in
  let own := if given_residual g
             then map (Z.mul (Z.of_nat (target_share i j))) (nth (i - 1) (tokens t) []) else repeat 0%Z n in
  if (i =? j)%nat then add_lists own (add_rows n (firstn (j - 1) (skipn 1 (tokens t)))) else own.

(** The errors of the coordinates of row i: their centres and their radius, over [unit] 2^p. *)
Definition error_centres (p unit : Z) (centre target : list Z) : list Z :=
  map (fun ct => (fst ct * unit - Z.shiftl (snd ct) p)%Z) (combine centre target).

Definition loss_range (g : given_network) (t : given_tokens) (p : Z) (b : ball) (i j : nat) : fraction_range :=
  let unit := (Z.of_nat (target_share i j) * over t)%Z in
  let most := reach (error_centres p unit (centre b) (scaled_target g t i j)) in
  let r := (radius b * unit)%Z in
  {| low := Z.max 0 (most - r); high := most + r; parts := Z.shiftl unit p |}.

Definition weight_of (s : seen) (d h i k : nat) : range :=
  nth k (nth h (nth (i - 1) (nth d (seen_weights s) []) []) []) (0, 0)%Z.

Definition alpha_range (p : Z) (s : seen) (L d h k : nat) : fraction_range :=
  let ends := sum_ranges (map (fun row => nth k (nth h row []) (0, 0)%Z) (skipn (k - 1) (nth d (seen_weights s) []))) in
  {| low := fst ends; high := snd ends; parts := Z.shiftl (Z.of_nat (L - k + 1)) p |}.

Definition reading_range (g : given_network) (t : given_tokens) (L : nat) (p : Z) (s : seen) (o : readout) : fraction_range :=
  match o with
  | Output_of i r =>
      let b := nth (i - 1) (seen_rows s) no_ball in let c := nth r (centre b) 0%Z in
      {| low := c - radius b; high := c + radius b; parts := power p |}
  | Loss_of i j => loss_range g t p (nth (i - 1) (seen_rows s) no_ball) i j
  | Attention_of d h i k =>
      let r := weight_of s d h i k in {| low := fst r; high := snd r; parts := power p |}
  | Alpha_of d h k => alpha_range p s L d h k
  end.

Definition readout_exists (g : given_network) (L : nat) (o : readout) : bool :=
  match o with
  | Output_of i r => (1 <=? i)%nat && (i <=? L)%nat && (r <? given_width g)%nat
  | Loss_of i j => (1 <=? i)%nat && (i <=? L)%nat && (3 <=? j)%nat && (j <=? L)%nat
  | Attention_of d h i k =>
      (d <? length (given_layers g))%nat && (h <? given_heads g)%nat && (1 <=? i)%nat && (i <=? L)%nat && (k <=? i)%nat
      && (has_slot (given_kind g) || (1 <=? k)%nat)
  | Alpha_of d h k => (d <? length (given_layers g))%nat && (h <? given_heads g)%nat && (1 <=? k)%nat && (k <=? L)%nat
  end.

(** ** The check *)

Definition precisions : list Z := [64; 128; 256; 512; 1024; 2048]%Z.

Definition value_shown (g : given_network) (t : given_tokens) (L : nat) (p : Z) (s : seen) (q : property) : bool :=
  match q with
  | Value lower upper o _ => lies_between lower upper (reading_range g t L p s o)
  | _ => true
  end.

(** How many of one alpha are above epsilon, at least and at most. *)
Definition above_range (epsilon : rational) (f : fraction_range) : range :=
  if negb (at_least epsilon (low f) (parts f)) then (1, 1)%Z
  else if at_least epsilon (high f) (parts f) then (0, 0)%Z else (0, 1)%Z.

Definition above_in (g : given_network) (L : nat) (p : Z) (s : seen) (share : option (rational * nat)) : range :=
  match share with
  | None => (0, 0)%Z
  | Some (epsilon, k) =>
      sum_ranges (map (fun d => sum_ranges (map (fun h => above_range epsilon (alpha_range p s L d h k))
                                                (seq 0 (given_heads g)))) (seq 0 (length (given_layers g))))
  end.

(** If the pass failed, nothing is known. *)
Definition unknown (g : given_network) (share : option (rational * nat)) : range :=
  match share with
  | None => (0, 0)%Z
  | Some _ => (0, Z.of_nat (length (given_layers g) * given_heads g))%Z
  end.

(** One sequence: every value is shown; the number of sinks, at least and at most. *)
Fixpoint check_sequence (ps : list Z) (g : given_network) (L : nat) (t : given_tokens) (values : list property)
    (share : option (rational * nat)) : option range :=
  match ps with
  | [] => None
  | p :: rest =>
      let s := run g t p 0 in
      let fine := seen_fine s in
      let shown := if fine then forallb (value_shown g t L p s) values else match values with [] => true | _ => false end in
      let above := if fine then above_in g L p s share else unknown g share in
      if shown && fine && (fst above =? snd above)%Z then Some above
      else match rest with
           | [] => if shown then Some above else None
           | _ => check_sequence rest g L t values share
           end
  end.

Definition concerns (s : nat) (q : property) : bool :=
  match q with
  | Value _ _ _ None => true
  | Value _ _ _ (Some s') => (s =? s')%nat
  | _ => false
  end.

Fixpoint check_sequences (g : given_network) (L index : nat) (ts : list given_tokens) (qs : list property)
    (share : option (rational * nat)) : option (list range) :=
  match ts with
  | [] => Some []
  | t :: rest =>
      match check_sequence precisions g L t (filter (concerns index) qs) share with
      | None => None
      | Some r => match check_sequences g L (S index) rest qs share with
                  | None => None
                  | Some rs => Some (r :: rs)
                  end
      end
  end.

Definition rational_le (a b : rational) : bool := (top a * bottom b <=? top b * bottom a)%Z.

Definition well_formed (g : given_network) (L N : nat) (q : property) : bool :=
  match q with
  | Value lower upper o where_ =>
      positive_bottom lower && positive_bottom upper && rational_le lower upper && readout_exists g L o
      && match where_ with None => true | Some s => (s <? N)%nat end
  | Sink_share epsilon lower upper k =>
      positive_bottom epsilon && positive_bottom lower && positive_bottom upper && (0 <=? top lower)%Z
      && rational_le lower upper && (1 <=? k)%nat && (k <=? L)%nat
  | _ => false
  end.

Definition share_shown (g : given_network) (N : nat) (r : range) (q : property) : bool :=
  match q with
  | Sink_share _ lower upper _ =>
      let all := Z.of_nat (N * length (given_layers g) * given_heads g) in
      at_most lower (fst r) all && at_least upper (snd r) all
  | _ => true
  end.

Definition shares (qs : list property) : list (rational * nat) :=
  flat_map (fun q => match q with Sink_share epsilon _ _ k => [(epsilon, k)] | _ => [] end) qs.

Definition check_inputs (c : certificate) : bool :=
  let g := of_network c in let L := sequence_length c in let N := length (inputs c) in
  network_fits g && (0 <? length (given_layers g))%nat && (0 <? given_heads g)%nat && (0 <? N)%nat
  && forallb (fun t => tokens_fit g t && (length (tokens t) =? L)%nat) (inputs c)
  && forallb (well_formed g L N) (properties c)
  && (length (shares (properties c)) <=? 1)%nat
  && match check_sequences g L 0 (inputs c) (properties c) (hd_error (shares (properties c))) with
     | None => false
     | Some rs => forallb (share_shown g N (sum_ranges rs)) (properties c)
     end.

(** ** Proofs *)

Lemma reach_le a b : 0 <= b -> (forall j, (j < length a)%nat -> Rabs (number a j) <= b) -> IZR (reach a) <= b.
Proof.
  intros Hb. unfold reach.
  assert (G : forall a m, IZR m <= b -> (forall j, (j < length a)%nat -> Rabs (number a j) <= b) ->
    IZR (fold_left (fun m x => Z.max m (Z.abs x)) a m) <= b).
  { clear a. induction a as [|x a IH]; intros m Hm H; simpl; [exact Hm|]. apply IH.
    - specialize (H 0%nat (Nat.lt_0_succ _)). unfold number in H. simpl in H. rewrite <- abs_IZR in H.
      destruct (Z.max_spec m (Z.abs x)) as [[_ ->]|[_ ->]]; assumption.
    - intros j Hj. apply (H (S j)). simpl. lia. }
  apply G. exact Hb.
Qed.

Lemma maximum_nonneg n f : 0 <= maximum n f.
Proof. induction n as [|n IH]; simpl; [lra|]. pose proof (Rmax_l (maximum n f) (f n)). lra. Qed.

Lemma maximum_ge n f r : (r < n)%nat -> f r <= maximum n f.
Proof.
  induction n as [|n IH]; intros H; simpl; [lia|]. pose proof (Rmax_l (maximum n f) (f n)). pose proof (Rmax_r (maximum n f) (f n)).
  destruct (Nat.eq_dec r n) as [->|N]; [lra|]. specialize (IH ltac:(lia)). lra.
Qed.

Lemma maximum_le n f b : 0 <= b -> (forall r, (r < n)%nat -> f r <= b) -> maximum n f <= b.
Proof.
  intros Hb. induction n as [|n IH]; intros H; simpl; [exact Hb|]. apply Rmax_lub; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma add_rows_spec n : forall m acc, (forall i, (i < length m)%nat -> length (nth i m []) = n) -> length acc = n ->
  length (fold_left add_lists m acc) = n /\
  forall r, (r < n)%nat -> number (fold_left add_lists m acc) r = number acc r + sum (length m) (fun k => number_at m k r).
Proof.
  induction m as [|row m IH]; intros acc H La; simpl fold_left.
  - split; [exact La|]. intros. simpl. ring.
  - assert (Lr := H 0%nat (Nat.lt_0_succ _)). cbn [nth] in Lr.
    destruct (IH (add_lists acc row)) as [A B].
    { intros i Hi. apply (H (S i)). simpl. lia. }
    { rewrite add_lists_length; lia. }
    split; [exact A|]. intros r Hr. rewrite B by exact Hr. cbn [length]. rewrite sum_first. unfold number_at at 2. cbn [nth].
    unfold number at 1. rewrite add_lists_nth by lia. rewrite plus_IZR. unfold number_at, number. cbn [nth]. ring.
Qed.

Section Sequence.

Variables (g : given_network) (t : given_tokens) (L : nat).
Hypotheses (F : network_fits g = true) (T : tokens_fit g t = true) (LT : length (tokens t) = L)
  (NE : (0 < length (given_layers g))%nat).

Let M := network_of g.
Let x := sequence_of t.
Let n := given_width g.

Lemma token_length i : (i < L)%nat -> length (nth i (tokens t) []) = n.
Proof.
  intros Hi. assert (T' := T). unfold tokens_fit in T'. rewrite andb_true_iff, forallb_forall in T'. destruct T' as [_ T'].
  apply Nat.eqb_eq, T', nth_In. lia.
Qed.

Lemma over_pos : (0 < over t)%Z.
Proof. assert (T' := T). unfold tokens_fit in T'. rewrite andb_true_iff, Z.ltb_lt in T'. apply T'. Qed.

Lemma scaled_target_spec i j : (1 <= i <= L)%nat -> (3 <= j <= L)%nat ->
  length (scaled_target g t i j) = n /\
  forall r, (r < n)%nat ->
    number (scaled_target g t i j) r
    = (if residual M then residual_target j x i r else target j x i r) * IZR (Z.of_nat (target_share i j) * over t).
Proof.
  intros Hi Hj. pose proof over_pos as O. apply IZR_lt in O. unfold scaled_target. fold n.
  set (own := if given_residual g then _ else _).
  assert (LO : length own = n).
  { unfold own. destruct (given_residual g); [rewrite map_length; apply token_length; lia|apply repeat_length]. }
  assert (NO : forall r, (r < n)%nat ->
            number own r = (if residual M then x i r else 0) * IZR (Z.of_nat (target_share i j) * over t)).
  { intros r Hr. unfold own. change (residual M) with (given_residual g). destruct (given_residual g).
    - unfold number. rewrite (nth_map_in _ _ _ 0%Z) by (rewrite token_length by lia; exact Hr).
      rewrite !mult_IZR. unfold x, sequence_of, number_at, number. field. lra.
    - rewrite number_repeat. ring. }
  rewrite mult_IZR in *. rewrite <- INR_IZR_INZ in *. unfold target_share, target in *.
  unfold residual_target, target. destruct (Nat.eqb_spec i j) as [->|N].
  - set (m := firstn (j - 1) (skipn 1 (tokens t))).
    assert (Lm : length m = (j - 1)%nat) by (unfold m; rewrite firstn_length, skipn_length; lia).
    assert (NM : forall k, (k < j - 1)%nat -> nth k m [] = nth (S k) (tokens t) []).
    { intros k Hk. unfold m. rewrite nth_firstn_lt by exact Hk. apply nth_skipn_plus. }
    destruct (add_rows_spec n m (repeat 0%Z n)) as [A B].
    { intros k Hk. rewrite Lm in Hk. rewrite NM by exact Hk. apply token_length. lia. }
    { apply repeat_length. }
    fold (add_rows n m) in A, B. split; [rewrite add_lists_length; lia|]. intros r Hr.
    unfold number at 1. rewrite add_lists_nth by lia. rewrite plus_IZR. fold (number own r). fold (number (add_rows n m) r).
    rewrite NO, B by exact Hr. rewrite number_repeat, Lm, Rplus_0_l.
    assert (E : sum (j - 1) (fun k => number_at m k r) = mean_from_2 x j r * (INR (j - 1) * IZR (over t))).
    { unfold mean_from_2. rewrite (sum_ext (j - 1) (fun k => x (k + 2)%nat r) (fun k => / IZR (over t) * number_at m k r)).
      - rewrite sum_scal. field. split; [lra|]. apply not_0_INR. lia.
      - intros k Hk. unfold x, sequence_of, number_at. rewrite NM by exact Hk.
        replace (k + 2 - 1)%nat with (S k) by lia. unfold Rdiv. ring. }
    rewrite E. destruct (residual M); ring.
  - split; [exact LO|]. intros r Hr. rewrite NO by exact Hr. destruct (residual M); ring.
Qed.

Lemma loss_range_spec p b i j : (0 <= p)%Z -> (1 <= i <= L)%nat -> (3 <= j <= L)%nat ->
  length (centre b) = n -> encloses p b (network_output M x i) ->
  contains (loss_range g t p b i j) (maximum (width M) (fun r => Rabs (row_error M x j i r))).
Proof.
  intros Hp Hi Hj Lb [Hr N]. destruct (scaled_target_spec i j Hi Hj) as [LTg TG]. pose proof over_pos as O.
  unfold loss_range. set (u := (Z.of_nat (target_share i j) * over t)%Z).
  set (cs := error_centres p u (centre b) (scaled_target g t i j)). change (width M) with n.
  assert (HU : (0 < u)%Z) by (unfold u, target_share; destruct (i =? j)%nat; nia).
  assert (LC : length cs = n) by (unfold cs, error_centres; rewrite map_length, combine_length; lia).
  pose proof (unit_pos p Hp) as UP. assert (HU' := HU). apply IZR_lt in HU'.
  assert (CP : (0 < Z.shiftl u p)%Z) by (apply lt_IZR; rewrite shiftl_unit by exact Hp; nra).
  set (f := fun r => Rabs (row_error M x j i r)).
  assert (D : forall r, (r < n)%nat ->
            Rabs (row_error M x j i r * (IZR u * unit_of p) - number cs r) <= IZR (radius b * u)).
  { intros r Hrn. unfold number, cs, error_centres.
    rewrite (nth_map_in _ _ _ (0, 0)%Z) by (rewrite combine_length; lia). rewrite combine_nth by lia. cbn [fst snd].
    rewrite minus_IZR, mult_IZR, shiftl_unit by exact Hp. assert (Q := TG r Hrn). unfold number in Q. rewrite Q. fold u.
    unfold row_error. set (y := if residual M then _ else _). assert (NR := N r ltac:(lia)). unfold number in NR.
    replace ((network_output M x i r - y) * (IZR u * unit_of p) - (IZR (nth r (centre b) 0%Z) * IZR u - y * IZR u * unit_of p))
      with ((network_output M x i r * unit_of p - IZR (nth r (centre b) 0%Z)) * IZR u) by ring.
    rewrite Rabs_mult, mult_IZR. rewrite (Rabs_pos_eq (IZR u)) by lra. apply Rmult_le_compat_r; lra. }
  assert (K : 0 < IZR u * unit_of p) by (apply Rmult_lt_0_compat; lra).
  assert (SC : forall r, f r * (IZR u * unit_of p) = Rabs (row_error M x j i r * (IZR u * unit_of p))).
  { intros r. unfold f. rewrite Rabs_mult. rewrite (Rabs_pos_eq (IZR u * unit_of p)) by lra. reflexivity. }
  assert (RU : (0 <= radius b * u)%Z) by nia.
  split; [exact CP|]. cbn [low high parts]. rewrite shiftl_unit by exact Hp. fold f. split.
  - assert (P : 0 <= maximum n f * (IZR u * unit_of p)) by (apply Rmult_le_pos; [apply maximum_nonneg|lra]).
    assert (G : IZR (reach cs) <= maximum n f * (IZR u * unit_of p) + IZR (radius b * u)).
    { apply IZR_le in RU. apply reach_le; [lra|]. intros r Hrn. rewrite LC in Hrn. assert (Q := D r Hrn).
      assert (MX := maximum_ge n f r Hrn). apply Rmult_le_compat_r with (r := IZR u * unit_of p) in MX; [|lra].
      rewrite SC in MX.
      replace (number cs r) with (row_error M x j i r * (IZR u * unit_of p)
                                  - (row_error M x j i r * (IZR u * unit_of p) - number cs r)) by ring.
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    assert (IZR (reach cs - radius b * u) <= maximum n f * (IZR u * unit_of p)) by (rewrite minus_IZR; lra).
    destruct (Z.max_spec 0 (reach cs - radius b * u)) as [[_ ->]|[_ ->]]; assumption.
  - assert (G : maximum n f <= IZR (reach cs + radius b * u) / (IZR u * unit_of p)).
    { assert (RN : (0 <= reach cs)%Z) by apply fold_max_ge. apply maximum_le.
      - apply Rle_mult_inv_pos; [apply IZR_le; lia|exact K].
      - intros r Hrn. apply Rmult_le_reg_r with (IZR u * unit_of p); [lra|]. rewrite SC.
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
        assert (Q := D r Hrn). assert (RE := reach_entry cs r ltac:(lia)). rewrite plus_IZR.
        replace (row_error M x j i r * (IZR u * unit_of p))
          with (number cs r + (row_error M x j i r * (IZR u * unit_of p) - number cs r)) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. lra. }
    apply Rmult_le_compat_r with (r := IZR u * unit_of p) in G; [|lra].
    unfold Rdiv in G. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in G by lra. exact G.
Qed.

(** ** A pass that does not fail *)

Section Pass.

Variables (p : Z) (Hp : (0 <= p)%Z).
Let s := run g t p 0.

Lemma pass_rows i : (1 <= i <= L)%nat ->
  length (centre (nth (i - 1) (seen_rows s) no_ball)) = n
  /\ encloses p (nth (i - 1) (seen_rows s) no_ball) (network_output M x i).
Proof.
  intros Hi. assert (NN : given_layers g <> []) by (destruct (given_layers g); simpl in NE; [lia|discriminate]).
  destruct (run_sound g t p 0 Hp F T (Nat.le_0_l _) NN) as (A & B & _). fold s in A, B.
  assert (Q := B (i - 1)%nat ltac:(lia)). replace (S (0 + (i - 1))) with i in Q by lia. exact Q.
Qed.

Lemma pass_weights d h i k : (d < depth M)%nat -> (h < heads M)%nat -> (1 <= i <= L)%nat -> (k <= i)%nat ->
  within (unit_of p) (weight_of s d h i k) (attention_weight M x d h i k).
Proof.
  intros Hd Hh Hi Hk. assert (NN : given_layers g <> []) by (destruct (given_layers g); simpl in NE; [lia|discriminate]).
  destruct (run_sound g t p 0 Hp F T (Nat.le_0_l _) NN) as (_ & _ & C). fold s in C.
  assert (Q := C d (i - 1)%nat h k Hd (fun _ => Nat.le_0_l _) ltac:(lia) Hh ltac:(lia)).
  replace (if S d =? depth (network_of g) then i - 1 - 0 else i - 1)%nat with (i - 1)%nat in Q
    by (destruct (S d =? depth (network_of g))%nat; lia).
  replace (S (i - 1)) with i in Q by lia. exact Q.
Qed.

Lemma pass_weights_length d : (d < depth M)%nat -> length (nth d (seen_weights s) []) = L.
Proof. intros Hd. unfold s, run. rewrite run_layers_lengths by exact Hd. rewrite map_length. exact LT. Qed.

Lemma alpha_range_spec d h k : (d < depth M)%nat -> (h < heads M)%nat -> (1 <= k <= L)%nat ->
  contains (alpha_range p s L d h k) (alpha M L x d h k).
Proof.
  intros Hd Hh Hk. pose proof (unit_pos p Hp) as U. unfold alpha_range, alpha.
  set (rows := skipn (k - 1) (nth d (seen_weights s) [])).
  set (m := (L - k + 1)%nat). assert (Lr : length rows = m) by (unfold rows; rewrite skipn_length, pass_weights_length by exact Hd; lia).
  pose (l := map (fun row : list (list range) => nth k (nth h row []) (0, 0)%Z : range) rows : list range).
  change (map _ rows) with l. assert (Ll : length l = m) by (unfold l; rewrite map_length; exact Lr).
  assert (B : between (sum_ranges l) (sum (length l) (fun e => unit_of p * attention_weight M x d h (k + e) k))).
  { apply sum_ranges_spec. intros e He. rewrite Ll in He. unfold l. rewrite (nth_map_in _ _ _ []) by lia.
    unfold rows. rewrite nth_skipn_plus. assert (W := pass_weights d h (k + e) k Hd Hh ltac:(lia) ltac:(lia)).
    unfold weight_of in W. replace (k + e - 1)%nat with (k - 1 + e)%nat in W by lia. exact W. }
  rewrite Ll, sum_scal in B. set (S := sum m (fun e => attention_weight M x d h (k + e) k)) in *.
  assert (HM : 0 < INR m) by (apply lt_0_INR; lia).
  split; cbn [low high parts].
  - apply lt_IZR. rewrite shiftl_unit, <- INR_IZR_INZ by exact Hp. nra.
  - rewrite shiftl_unit, <- INR_IZR_INZ by exact Hp.
    replace (S / INR m * (INR m * unit_of p)) with (unit_of p * S) by (field; lra). exact B.
Qed.

Theorem reading_range_spec o : readout_exists g L o = true ->
  exists_in M L o /\ contains (reading_range g t L p s o) (reading M L x o).
Proof.
  intros E. pose proof (unit_pos p Hp) as U. pose proof (power_pos p Hp) as PP. destruct o as [i r|i j|d h i k|d h k]; cbn [readout_exists] in E;
    rewrite ?andb_true_iff, ?orb_true_iff, ?Nat.leb_le, ?Nat.ltb_lt in E; cbn [exists_in reading reading_range].
  - destruct E as [[A B] C]. split; [repeat split; assumption|]. destruct (pass_rows i (conj A B)) as [Lb [_ N]].
    assert (Q := N r ltac:(rewrite Lb; exact C)). apply abs_bounds in Q. unfold number in Q.
    split; [exact PP|]. cbn [low high parts]. fold (unit_of p). rewrite minus_IZR, plus_IZR. lra.
  - destruct E as [[[A B] C] D]. split; [repeat split; assumption|].
    destruct (pass_rows i (conj A B)) as [Lb Eb]. apply loss_range_spec; try assumption; split; assumption.
  - destruct E as [[[[[A B] C] D] G] K]. split.
    + repeat split; try assumption. intros ->. destruct K as [K|K]; [exact K|lia].
    + assert (W := pass_weights d h i k A B (conj C D) G). split; [exact PP|]. cbn [low high parts].
      fold (unit_of p). rewrite (Rmult_comm (attention_weight M x d h i k)). exact W.
  - destruct E as [[[A B] C] D]. split; [repeat split; assumption|]. apply alpha_range_spec; try assumption. split; assumption.
Qed.

Lemma above_range_spec epsilon f y : (0 < bottom epsilon)%Z -> contains f y ->
  between (above_range epsilon f) (exceeds (real epsilon) y).
Proof.
  intros Hb (Hd & A & B). unfold above_range, exceeds, between.
  destruct (at_least epsilon (low f) (parts f)) eqn:E1; simpl negb; cbv iota.
  - destruct (at_least epsilon (high f) (parts f)) eqn:E2.
    + assert (Q := at_least_spec epsilon (high f) (parts f) y Hb Hd E2 B). cbn [fst snd].
      destruct (Rlt_dec (real epsilon) y); lra.
    + cbn [fst snd]. destruct (Rlt_dec (real epsilon) y); lra.
  - cbn [fst snd]. destruct (Rlt_dec (real epsilon) y) as [_|C]; [lra|]. exfalso. apply C.
    unfold at_least in E1. apply Z.leb_gt, IZR_lt in E1. rewrite !mult_IZR in E1. apply IZR_lt in Hb. apply IZR_lt in Hd.
    unfold real. set (v := IZR (top epsilon) / IZR (bottom epsilon)).
    assert (V : v * IZR (bottom epsilon) = IZR (top epsilon)) by (unfold v; field; lra). rewrite <- V in E1.
    assert (v * IZR (parts f) < IZR (low f)) by (apply Rmult_lt_reg_r with (IZR (bottom epsilon)); lra).
    apply Rmult_lt_reg_r with (IZR (parts f)); lra.
Qed.

Definition sinks_here (share : option (rational * nat)) : R :=
  match share with
  | None => 0
  | Some (epsilon, k) =>
      sum (depth M) (fun d => sum (heads M) (fun h => exceeds (real epsilon) (alpha M L x d h k)))
  end.

Definition share_fits (share : option (rational * nat)) : Prop :=
  match share with None => True | Some (epsilon, k) => (0 < bottom epsilon)%Z /\ (1 <= k <= L)%nat end.

Lemma above_in_spec share : share_fits share -> between (above_in g L p s share) (sinks_here share).
Proof.
  destruct share as [[epsilon k]|]; simpl; intros H; [|unfold between; simpl; lra]. destruct H as [Hb Hk].
  apply sum_ranges_seq. intros d Hd. apply sum_ranges_seq. intros h Hh.
  apply above_range_spec; [exact Hb|]. apply alpha_range_spec; assumption.
Qed.

End Pass.

Lemma exceeds_range e y : 0 <= exceeds e y <= 1.
Proof. unfold exceeds. destruct (Rlt_dec e y); lra. Qed.

Lemma unknown_spec share : between (unknown g share) (sinks_here share).
Proof.
  destruct share as [[epsilon k]|]; unfold between; simpl; [|lra].
  rewrite <- INR_IZR_INZ, mult_INR. change (length (given_layers g)) with (depth M). change (given_heads g) with (heads M).
  split.
  - apply sum_nonneg. intros. apply sum_nonneg. intros. apply exceeds_range.
  - rewrite <- sum_const. apply sum_le. intros. rewrite <- (Rmult_1_r (INR (heads M))), <- sum_const.
    apply sum_le. intros. apply exceeds_range.
Qed.

Definition value_holds (q : property) : Prop :=
  match q with
  | Value lower upper o _ => real lower <= reading M L x o <= real upper
  | _ => True
  end.

Lemma check_sequence_spec N values share : Forall (fun q => well_formed g L N q = true) values -> share_fits share ->
  forall ps r, Forall (fun p => (0 <= p)%Z) ps -> check_sequence ps g L t values share = Some r ->
  Forall value_holds values /\ between r (sinks_here share).
Proof.
  intros W SF. induction ps as [|p ps IH]; intros r P C; [discriminate|]. apply Forall_cons_iff in P. destruct P as [Pp P].
  cbn [check_sequence] in C. set (s := run g t p 0) in *.
  set (shown := if seen_fine s then forallb (value_shown g t L p s) values else match values with [] => true | _ => false end) in *.
  set (above := if seen_fine s then above_in g L p s share else unknown g share) in *.
  assert (SH : shown = true -> Forall value_holds values).
  { unfold shown. destruct (seen_fine s).
    - intros A. rewrite forallb_forall in A. rewrite Forall_forall in W |- *. intros q Hq. specialize (A q Hq). specialize (W q Hq).
      destruct q as [lower upper o w| | | |]; try exact I. simpl in A, W |- *. rewrite !andb_true_iff in W.
      destruct W as ((((Wl & Wu) & _) & We) & _). destruct (reading_range_spec p Pp o We) as [_ CT].
      apply lies_between_spec with (1 := Wl) (2 := Wu) (3 := A). exact CT.
    - destruct values; [constructor|discriminate]. }
  assert (AB : between above (sinks_here share))
    by (unfold above; destruct (seen_fine s); [apply above_in_spec; assumption|apply unknown_spec]).
  destruct (shown && seen_fine s && (fst above =? snd above)%Z) eqn:E.
  - rewrite !andb_true_iff in E. destruct E as [[E _] _]. injection C as <-. split; [apply SH, E|exact AB].
  - destruct ps as [|p' ps'].
    + destruct shown; [|discriminate]. injection C as <-. split; [apply SH; reflexivity|exact AB].
    + apply IH; assumption.
Qed.

End Sequence.

(** ** All sequences *)

Lemma check_sequences_spec g L qs share N :
  network_fits g = true -> (0 < length (given_layers g))%nat ->
  Forall (fun q => well_formed g L N q = true) qs -> share_fits L share ->
  forall ts index rs, Forall (fun t => tokens_fit g t = true /\ length (tokens t) = L) ts ->
  check_sequences g L index ts qs share = Some rs ->
  length rs = length ts /\
  forall s, (s < length ts)%nat ->
    between (nth s rs (0, 0)%Z) (sinks_here g (nth s ts no_tokens) L share) /\
    Forall (value_holds g (nth s ts no_tokens) L) (filter (concerns (index + s)) qs).
Proof.
  intros F NE W SF. induction ts as [|t ts IH]; intros index rs TF C; cbn [check_sequences] in C.
  - injection C as <-. split; [reflexivity|]. intros s Hs. simpl in Hs. lia.
  - apply Forall_cons_iff in TF. destruct TF as [[T LT] TF].
    destruct (check_sequence precisions g L t (filter (concerns index) qs) share) as [r|] eqn:C1; [|discriminate].
    destruct (check_sequences g L (S index) ts qs share) as [rs'|] eqn:C2; [|discriminate]. injection C as <-.
    destruct (IH (S index) rs' TF C2) as [A B]. split; [simpl; rewrite A; reflexivity|]. intros [|s] Hs.
    + cbn [nth]. rewrite Nat.add_0_r.
      assert (W' : Forall (fun q => well_formed g L N q = true) (filter (concerns index) qs)).
      { rewrite Forall_forall in W |- *. intros q Hq. apply W. apply filter_In in Hq. apply Hq. }
      assert (P : Forall (fun p => (0 <= p)%Z) precisions) by (repeat constructor; lia).
      destruct (check_sequence_spec g t L F T LT NE N _ share W' SF _ r P C1) as [V S0]. split; assumption.
    + cbn [nth]. replace (index + S s)%nat with (S index + s)%nat by lia. apply B. simpl in Hs. lia.
Qed.

Lemma shares_in qs epsilon k lower upper : In (Sink_share epsilon lower upper k) qs -> In (epsilon, k) (shares qs).
Proof. intros H. unfold shares. apply in_flat_map. eexists. split; [exact H|]. left. reflexivity. Qed.

(** What the check accepts is true. *)
Theorem check_inputs_sound c : check_inputs c = true -> Forall (holds c) (properties c).
Proof.
  unfold check_inputs. set (g := of_network c). set (L := sequence_length c). set (N := length (inputs c)).
  rewrite !andb_true_iff, !Nat.ltb_lt, Nat.leb_le. intros (((((((F & NE) & HH) & HN) & TF) & W) & ONE) & C).
  set (share := hd_error (shares (properties c))) in *.
  destruct (check_sequences g L 0 (inputs c) (properties c) share) as [rs|] eqn:CS; [|discriminate].
  assert (TF' : Forall (fun t => tokens_fit g t = true /\ length (tokens t) = L) (inputs c)).
  { rewrite forallb_forall in TF. apply Forall_forall. intros t Ht. specialize (TF t Ht).
    rewrite andb_true_iff, Nat.eqb_eq in TF. exact TF. }
  assert (W' : Forall (fun q => well_formed g L N q = true) (properties c))
    by (rewrite forallb_forall in W; apply Forall_forall; exact W).
  assert (SH : forall epsilon lower upper k, In (Sink_share epsilon lower upper k) (properties c) -> share = Some (epsilon, k)).
  { intros epsilon lower upper k Hq. apply shares_in in Hq. unfold share. destruct (shares (properties c)) as [|a [|b l]];
      [destruct Hq|destruct Hq as [->|[]]; reflexivity|simpl in ONE; lia]. }
  assert (SF : share_fits L share).
  { unfold share, share_fits. destruct (shares (properties c)) as [|[epsilon k] l] eqn:E; [exact I|]. simpl hd_error. cbv iota beta.
    assert (Q : In (epsilon, k) (shares (properties c))) by (rewrite E; left; reflexivity).
    apply in_flat_map in Q. destruct Q as (q & Hq & Q). destruct q as [|e lo up k'| | |]; [destruct Q| |destruct Q|destruct Q|destruct Q]. destruct Q as [Q|[]].
    injection Q as -> ->. rewrite Forall_forall in W'. specialize (W' _ Hq). simpl in W'.
    rewrite !andb_true_iff in W'. destruct W' as ((((((B & _) & _) & _) & _) & K1) & K2).
    split; [apply Z.ltb_lt, B|]. split; apply Nat.leb_le; assumption. }
  destruct (check_sequences_spec g L (properties c) share N F NE W' SF (inputs c) 0 rs TF' CS) as [LR R].
  apply Forall_forall. intros q Hq. assert (Wq := proj1 (Forall_forall _ _) W' q Hq).
  destruct q as [lower upper o w|epsilon lower upper k| | |]; try discriminate Wq.
  - cbn [holds]. fold g L N. cbn [well_formed] in Wq. rewrite !andb_true_iff in Wq. destruct Wq as ((((Wl & Wu) & _) & We) & Ww).
    split; [|split].
    + assert (H0 : (0 < length (inputs c))%nat) by exact HN.
      assert (TN := proj1 (Forall_forall _ _) TF' (nth 0 (inputs c) no_tokens) (nth_In _ _ H0)). destruct TN as [T0 LT0].
      apply (reading_range_spec g _ L F T0 LT0 NE 64 ltac:(lia) o We).
    + intros s ->. apply Nat.ltb_lt, Ww.
    + intros s Hs Hw. destruct (R s Hs) as [_ V]. rewrite Forall_forall in V. unfold input.
      apply (V (Value lower upper o w)). apply filter_In. split; [exact Hq|]. simpl.
      destruct Hw as [->| ->]; [reflexivity|apply Nat.eqb_refl].
  - cbn [holds]. fold g L N. assert (S0 := SH _ _ _ _ Hq). cbn [well_formed] in Wq.
    rewrite !andb_true_iff in Wq. destruct Wq as ((((((Be & Bl) & Bu) & _) & _) & K1) & K2).
    change (depth (network_of g)) with (length (given_layers g)). change (heads (network_of g)) with (given_heads g).
    assert (ALL : (0 < N * length (given_layers g) * given_heads g)%nat) by nia.
    split; [split; apply Nat.leb_le; assumption|]. split; [exact ALL|].
    rewrite forallb_forall in C. specialize (C _ Hq). cbn [share_shown] in C. rewrite andb_true_iff in C. destruct C as [C1 C2].
    set (all := (N * length (given_layers g) * given_heads g)%nat) in *.
    assert (CNT : between (sum_ranges rs) (sinks c (real epsilon) k)).
    { assert (Q := sum_ranges_spec rs (fun s => sinks_here g (nth s (inputs c) no_tokens) L share)).
      rewrite LR in Q. rewrite S0 in Q. unfold sinks. apply Q. intros s Hs. rewrite <- S0. apply R. exact Hs. }
    destruct CNT as [N1 N2]. assert (PA : 0 < INR all) by (apply lt_0_INR; exact ALL).
    assert (PZ : (0 < Z.of_nat all)%Z) by lia.
    assert (E : share_of_sinks c (real epsilon) k * IZR (Z.of_nat all) = sinks c (real epsilon) k).
    { rewrite <- INR_IZR_INZ. unfold share_of_sinks. fold g N. change (depth (network_of g)) with (length (given_layers g)).
      change (heads (network_of g)) with (given_heads g). fold all. field. lra. }
    apply Z.ltb_lt in Bl. apply Z.ltb_lt in Bu.
    split; [apply at_most_spec with (fst (sum_ranges rs)) (Z.of_nat all)|apply at_least_spec with (snd (sum_ranges rs)) (Z.of_nat all)];
      try assumption; rewrite E; assumption.
Qed.
