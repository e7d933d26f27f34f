(** * From ranges of logits to ranges of weights

    Section 4.6 of CHECKPOINT_RULES.md.  Nothing here has to be read.  A range is a pair of whole
    numbers in units of 2^-p. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From Sinkproof Require Import task trigger_task variants.
From Verified Require Import model rounded exponential.
Import ListNotations.
Open Scope R_scope.

Definition range : Type := Z * Z.

Definition within (u : R) (r : range) (y : R) : Prop := IZR (fst r) <= u * y <= IZR (snd r).

(** ** Kernels; those of softmax kinds times exp of -top *)

Definition elu1_end (exp_end : Z -> Z -> Z) (p x : Z) : Z :=
  if (0 <=? x)%Z then (x + power p)%Z else exp_end p x.

Definition kernel_range (a : kind) (p top : Z) (r : range) : range :=
  let (low, high) := r in
  match a with
  | Softmax | Softmax_gated | Softmax_null | Softmax_sink =>
      (neg_exp_down p (low - top), neg_exp_up p (high - top))
  | Sigmoid_normalised | Sigmoid => (logistic_down p low, logistic_up p high)
  | Elu1_normalised | Elu1 => (elu1_end neg_exp_down p low, elu1_end neg_exp_up p high)
  | Relu => (Z.max 0 low, Z.max 0 high)
  | Linear => (low, high)
  end.

Definition factor (a : kind) (p top : Z) : R :=
  match a with
  | Softmax | Softmax_gated | Softmax_null | Softmax_sink => exp (- at_unit p top)
  | _ => 1
  end.

Lemma factor_pos a p top : 0 < factor a p top.
Proof. destruct a; simpl; try apply exp_pos; lra. Qed.

Lemma at_unit_le p x y : (0 <= p)%Z -> IZR x <= unit_of p * y -> at_unit p x <= y.
Proof.
  intros Hp H. pose proof (unit_pos p Hp). unfold at_unit. apply Rmult_le_reg_r with (unit_of p); [assumption|].
  field_simplify; lra.
Qed.

Lemma at_unit_ge p x y : (0 <= p)%Z -> unit_of p * y <= IZR x -> y <= at_unit p x.
Proof.
  intros Hp H. pose proof (unit_pos p Hp). unfold at_unit. apply Rmult_le_reg_r with (unit_of p); [assumption|].
  field_simplify; lra.
Qed.

Lemma at_unit_times p x : (0 <= p)%Z -> unit_of p * at_unit p x = IZR x.
Proof. intros Hp. pose proof (unit_pos p Hp). unfold at_unit. field. lra. Qed.

Lemma at_unit_minus p x t : at_unit p (x - t) = at_unit p x - at_unit p t.
Proof. unfold at_unit. rewrite minus_IZR. unfold Rdiv. ring. Qed.

Lemma elu1_ge s t : s <= t -> elu1 s <= elu1 t.
Proof.
  intros H. unfold elu1. destruct (Rle_dec s 0), (Rle_dec t 0); try lra; [apply exp_le, H|].
  pose proof (exp_le s 0 ltac:(lra)). rewrite exp_0 in H0. lra.
Qed.

Lemma elu1_pos s : 0 < elu1 s.
Proof. unfold elu1. destruct (Rle_dec s 0); [apply exp_pos|lra]. Qed.

Lemma elu1_at p x : (0 <= p)%Z ->
  unit_of p * elu1 (at_unit p x) = if (0 <=? x)%Z then IZR (x + power p) else unit_of p * exp (at_unit p x).
Proof.
  intros Hp. pose proof (unit_pos p Hp). pose proof (at_unit_times p x Hp) as T. unfold elu1.
  destruct (Z.leb_spec 0 x) as [L|L], (Rle_dec (at_unit p x) 0) as [N|N]; try reflexivity.
  - apply IZR_le in L. assert (E : at_unit p x = 0) by nra. rewrite E, exp_0 in *. rewrite plus_IZR.
    fold (unit_of p). lra.
  - rewrite plus_IZR. fold (unit_of p). lra.
  - apply IZR_lt in L. nra.
Qed.

Lemma exp_shifted_down p top low y : (0 <= p)%Z -> (low <= top)%Z -> IZR low <= unit_of p * y ->
  IZR (neg_exp_down p (low - top)) <= unit_of p * exp (- at_unit p top) * exp y.
Proof.
  intros Hp Ht H. pose proof (unit_pos p Hp). pose proof (at_unit_le p low y Hp H).
  assert (D := neg_exp_down_le p (low - top) Hp ltac:(lia)). rewrite at_unit_minus in D.
  rewrite Rmult_assoc, <- exp_plus. eapply Rle_trans; [exact D|].
  apply Rmult_le_compat_l; [lra|]. apply exp_le. lra.
Qed.

Lemma exp_shifted_up p top high y : (0 <= p)%Z -> (high <= top)%Z -> unit_of p * y <= IZR high ->
  unit_of p * exp (- at_unit p top) * exp y <= IZR (neg_exp_up p (high - top)).
Proof.
  intros Hp Ht H. pose proof (unit_pos p Hp). pose proof (at_unit_ge p high y Hp H).
  assert (D := neg_exp_up_ge p (high - top) Hp ltac:(lia)). rewrite at_unit_minus in D.
  rewrite Rmult_assoc, <- exp_plus. eapply Rle_trans; [|exact D].
  apply Rmult_le_compat_l; [lra|]. apply exp_le. lra.
Qed.

Lemma within_ordered u low high y : within u (low, high) y -> (low <= high)%Z.
Proof. intros [A B]. simpl in *. apply le_IZR. lra. Qed.

Lemma kernel_range_spec a p top r y : (0 <= p)%Z -> (snd r <= top)%Z -> within (unit_of p) r y ->
  within (unit_of p * factor a p top) (kernel_range a p top r) (phi a y).
Proof.
  intros Hp Ht W. destruct r as [low high]. pose proof (within_ordered _ _ _ _ W) as O.
  destruct W as [A B]. simpl in A, B, Ht. pose proof (unit_pos p Hp) as U.
  assert (EX : within (unit_of p * exp (- at_unit p top))
                 (neg_exp_down p (low - top), neg_exp_up p (high - top)) (exp y)).
  { split; simpl; [apply exp_shifted_down|apply exp_shifted_up]; try assumption; lia. }
  assert (LO : within (unit_of p * 1) (logistic_down p low, logistic_up p high) (logistic y)).
  { rewrite Rmult_1_r. split; simpl.
    - eapply Rle_trans; [apply logistic_down_le, Hp|]. apply Rmult_le_compat_l; [lra|].
      apply logistic_le, at_unit_le; assumption.
    - eapply Rle_trans; [|apply logistic_up_ge, Hp]. apply Rmult_le_compat_l; [lra|].
      apply logistic_le, at_unit_ge; assumption. }
  assert (EL : within (unit_of p * 1) (elu1_end neg_exp_down p low, elu1_end neg_exp_up p high) (elu1 y)).
  { rewrite Rmult_1_r. split; simpl; unfold elu1_end.
    - apply Rle_trans with (unit_of p * elu1 (at_unit p low)).
      + rewrite elu1_at by exact Hp. destruct (Z.leb_spec 0 low); [lra|apply neg_exp_down_le; [exact Hp|lia]].
      + apply Rmult_le_compat_l; [lra|]. apply elu1_ge, at_unit_le; assumption.
    - apply Rle_trans with (unit_of p * elu1 (at_unit p high)).
      + apply Rmult_le_compat_l; [lra|]. apply elu1_ge, at_unit_ge; assumption.
      + rewrite elu1_at by exact Hp. destruct (Z.leb_spec 0 high); [lra|apply neg_exp_up_ge; [exact Hp|lia]]. }
  destruct a; simpl; try assumption; rewrite Rmult_1_r; split; simpl; try assumption.
  - destruct (Z.max_spec 0 low) as [[_ ->]|[_ ->]].
    + pose proof (Rmax_r 0 y). nra.
    + pose proof (Rmax_l 0 y). nra.
  - pose proof (IZR_le _ _ (Z.le_max_l 0 high)). pose proof (IZR_le _ _ (Z.le_max_r 0 high)).
    unfold Rmax. destruct (Rle_dec 0 y); lra.
Qed.

Lemma kernel_range_nonneg a p top r : (0 <= p)%Z -> normalised a = true -> (fst r <= top)%Z ->
  (0 <= fst (kernel_range a p top r))%Z.
Proof.
  intros Hp N Ht. destruct r as [low high]. simpl in Ht.
  assert (0 <= elu1_end neg_exp_down p low)%Z.
  { unfold elu1_end. pose proof (power_pos p Hp). destruct (Z.leb_spec 0 low); [lia|apply neg_exp_down_nonneg; lia]. }
  destruct a; simpl in *; try discriminate; try assumption; try (apply neg_exp_down_nonneg; lia);
    apply logistic_down_nonneg, Hp.
Qed.

Lemma phi_pos a y : normalised a = true -> 0 < phi a y.
Proof. destruct a; simpl; intros N; try discriminate; first [apply exp_pos|apply logistic_pos|apply elu1_pos]. Qed.

(** ** Shares *)

Definition total (l : list Z) : Z := fold_left Z.add l 0%Z.

Lemma fold_add l : forall m, fold_left Z.add l m = (m + total l)%Z.
Proof.
  unfold total. induction l as [|x l IH]; intros m; simpl; [lia|]. rewrite (IH (m + x)%Z), (IH x). lia.
Qed.

Lemma total_sum (f : range -> Z) l : IZR (total (map f l)) = sum (length l) (fun j => IZR (f (nth j l (0, 0)%Z))).
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [map length]. rewrite sum_first. unfold total. simpl fold_left.
  rewrite fold_add, plus_IZR, IH. reflexivity.
Qed.

Definition share (p least greatest : Z) (r : range) : range :=
  let (a, b) := r in
  ((if (a =? 0)%Z then 0 else floor_div (Z.shiftl a p) (a + (greatest - b)))%Z,
   ceil_div (Z.shiftl b p) (b + (least - a))).

Lemma share_spec p (ks : list range) (K : nat -> R) : (0 <= p)%Z ->
  (forall j, (j < length ks)%nat -> 0 < K j /\ (0 <= fst (nth j ks (0, 0)))%Z /\
     IZR (fst (nth j ks (0, 0)%Z)) <= K j <= IZR (snd (nth j ks (0, 0)%Z))) ->
  forall j, (j < length ks)%nat ->
  within (unit_of p) (share p (total (map fst ks)) (total (map snd ks)) (nth j ks (0, 0)%Z))
         (K j / sum (length ks) K).
Proof.
  intros Hp H j Hj. pose proof (unit_pos p Hp) as U. set (A := total (map fst ks)). set (B := total (map snd ks)).
  assert (SA : IZR A = sum (length ks) (fun j => IZR (fst (nth j ks (0, 0)%Z)))) by apply total_sum.
  assert (SB : IZR B = sum (length ks) (fun j => IZR (snd (nth j ks (0, 0)%Z)))) by apply total_sum.
  set (S := sum (length ks) K) in *.
  assert (DB : IZR (snd (nth j ks (0, 0)%Z)) - K j <= IZR B - S).
  { rewrite SB. unfold S. rewrite <- sum_minus.
    apply (sum_term_le (length ks) (fun j => IZR (snd (nth j ks (0, 0)%Z)) - K j)); [|exact Hj].
    intros i Hi. destruct (H i Hi) as (_ & _ & _ & ?). lra. }
  assert (DA : K j - IZR (fst (nth j ks (0, 0)%Z)) <= S - IZR A).
  { rewrite SA. unfold S. rewrite <- sum_minus.
    apply (sum_term_le (length ks) (fun j => K j - IZR (fst (nth j ks (0, 0)%Z)))); [|exact Hj].
    intros i Hi. destruct (H i Hi) as (_ & _ & ? & _). lra. }
  assert (LA : IZR (fst (nth j ks (0, 0)%Z)) <= IZR A).
  { rewrite SA. apply (sum_term_le (length ks) (fun j => IZR (fst (nth j ks (0, 0)%Z)))); [|exact Hj].
    intros i Hi. destruct (H i Hi) as (_ & ? & _). apply IZR_le. assumption. }
  assert (LS : K j <= S).
  { unfold S. apply sum_term_le; [|exact Hj]. intros i Hi. destruct (H i Hi) as (? & _). lra. }
  destruct (H j Hj) as (KP & NN & KA & KB). destruct (nth j ks (0, 0)%Z) as [a b]. simpl in *.
  apply IZR_le in NN. set (w := K j / S).
  assert (W : w * S = K j) by (unfold w; field; lra).
  assert (W1 : w <= 1) by nra. assert (W0 : 0 < w) by (unfold w; apply Rdiv_lt_0_compat; lra).
  split; simpl.
  - destruct (Z.eqb_spec a 0); [nra|]. apply floor_div_below.
    + apply lt_IZR. rewrite plus_IZR, minus_IZR. assert (IZR a <> 0) by (apply not_0_IZR; assumption). lra.
    + rewrite shiftl_unit by exact Hp. rewrite plus_IZR, minus_IZR.
      assert (0 <= (K j - IZR a) * (1 - w)) by (apply Rmult_le_pos; lra).
      assert (w * (S - K j) <= w * (IZR B - IZR b)) by (apply Rmult_le_compat_l; lra).
      assert (IZR a <= w * (IZR a + (IZR B - IZR b))) by nra. nra.
  - apply ceil_div_above.
    + apply lt_IZR. rewrite plus_IZR, minus_IZR. lra.
    + rewrite shiftl_unit by exact Hp. rewrite plus_IZR, minus_IZR.
      assert (0 <= (IZR b - K j) * (1 - w)) by (apply Rmult_le_pos; lra).
      assert (w * (IZR A - IZR a) <= w * (S - K j)) by (apply Rmult_le_compat_l; lra).
      assert (w * (IZR b + (IZR A - IZR a)) <= IZR b) by nra. nra.
Qed.

(** ** The weights of a row, the null slot's first, (0, 0) where there is none *)

Definition highest (l : list range) : Z := fold_left (fun m r => Z.max m (snd r)) l (snd (hd (0, 0)%Z l)).

Lemma fold_highest (l : list range) : forall m, (m <= fold_left (fun m r => Z.max m (snd r)) l m)%Z
  /\ forall j, (j < length l)%nat -> (snd (nth j l (0, 0)) <= fold_left (fun m r => Z.max m (snd r)) l m)%Z.
Proof.
  induction l as [|x l IH]; intros m; simpl; [split; [lia|intros; lia]|].
  destruct (IH (Z.max m (snd x))) as [A B]. split; [lia|]. intros [|j] Hj; [lia|apply B; lia].
Qed.

Definition divided (n : Z) (r : range) : range := (floor_div (fst r) n, ceil_div (snd r) n).

Definition weight_ranges (a : kind) (p : Z) (slot : range) (logits : list range) : list range :=
  let all := if has_slot a then slot :: logits else logits in
  let kernels := map (kernel_range a p (highest all)) all in
  if normalised a then
    let least := total (map fst kernels) in let greatest := total (map snd kernels) in
    let shares := map (share p least greatest) kernels in
    if has_slot a then shares else (0, 0)%Z :: shares
  else
    let others := Z.max 1 (Z.of_nat (length logits) - 1) in
    (0, 0)%Z :: map (divided others) kernels.

Lemma slot_is_softmax a : has_slot a = true -> phi a = exp /\ normalised a = true.
Proof. destruct a; simpl; intros; try discriminate; split; reflexivity. Qed.

Lemma weight_ranges_length a p slot logits : length (weight_ranges a p slot logits) = S (length logits).
Proof. destruct a; unfold weight_ranges; cbn [has_slot normalised length]; rewrite !map_length; reflexivity. Qed.

Section Row.

Variables (M : network) (l : layer) (x : sequence) (h : nat) (p : Z) (slot : range) (logits : list range).
Let a := attention_kind M.
Let i := length logits.
Hypotheses (Hp : (0 <= p)%Z)
  (Hslot : has_slot a = true -> within (unit_of p) slot (slot_logit l h))
  (Hlogits : forall k, (k < i)%nat -> within (unit_of p) (nth k logits (0, 0)%Z) (logit M l x h i (S k))).

Let all := if has_slot a then slot :: logits else logits.
Let y (j : nat) : R :=
  if has_slot a then match j with O => slot_logit l h | S _ => logit M l x h i j end else logit M l x h i (S j).

Lemma all_within j : (j < length all)%nat -> within (unit_of p) (nth j all (0, 0)%Z) (y j).
Proof.
  unfold all, y. destruct (has_slot a) eqn:E; intros Hj; [|apply Hlogits, Hj].
  destruct j as [|j]; simpl in *; [apply Hslot; reflexivity|apply Hlogits; unfold i; lia].
Qed.

Let kernels := map (kernel_range a p (highest all)) all.
Let K (j : nat) : R := unit_of p * factor a p (highest all) * phi a (y j).

Lemma kernels_nth j : (j < length all)%nat -> nth j kernels (0, 0)%Z = kernel_range a p (highest all) (nth j all (0, 0)%Z).
Proof.
  intros Hj. unfold kernels. rewrite nth_indep with (d' := kernel_range a p (highest all) (0, 0)%Z)
    by (rewrite map_length; exact Hj). apply map_nth.
Qed.

Lemma kernels_within j : (j < length all)%nat ->
  IZR (fst (nth j kernels (0, 0)%Z)) <= K j <= IZR (snd (nth j kernels (0, 0)%Z)).
Proof.
  intros Hj. rewrite kernels_nth by exact Hj.
  apply kernel_range_spec; [exact Hp| |apply all_within, Hj]. apply fold_highest. exact Hj.
Qed.

Lemma kernel_total : normalised a = true ->
  sum (length all) K = unit_of p * factor a p (highest all) * divisor M l x h i.
Proof.
  intros N. unfold K. rewrite sum_scal. f_equal. unfold divisor. fold a. rewrite N. unfold slot_kernel. fold a.
  unfold all, y. destruct (has_slot a) eqn:E; simpl length.
  - rewrite sum_first. destruct (slot_is_softmax a E) as [-> _]. reflexivity.
  - rewrite Rplus_0_l. reflexivity.
Qed.

Lemma share_of j : normalised a = true -> (j < length all)%nat ->
  within (unit_of p) (share p (total (map fst kernels)) (total (map snd kernels)) (nth j kernels (0, 0)%Z))
         (phi a (y j) / divisor M l x h i).
Proof.
  intros N Hj. pose proof (unit_pos p Hp) as U. pose proof (factor_pos a p (highest all)) as F.
  assert (LK : length kernels = length all) by (unfold kernels; apply map_length).
  assert (P : forall j, (j < length kernels)%nat -> 0 < K j /\ (0 <= fst (nth j kernels (0, 0)))%Z /\
     IZR (fst (nth j kernels (0, 0)%Z)) <= K j <= IZR (snd (nth j kernels (0, 0)%Z))).
  { intros k Hk. rewrite LK in Hk. split; [|split; [|apply kernels_within, Hk]].
    - unfold K. pose proof (phi_pos a (y k) N). apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
    - rewrite kernels_nth by exact Hk. apply kernel_range_nonneg; [exact Hp|exact N|].
      assert (T : (snd (nth k all (0, 0)) <= highest all)%Z) by (apply fold_highest; exact Hk).
      pose proof (all_within k Hk) as W. destruct (nth k all (0, 0)%Z) as [lo hi].
      pose proof (within_ordered _ _ _ _ W). cbn [fst snd] in *. lia. }
  assert (Hj' := Hj). rewrite <- LK in Hj'. assert (W := share_spec p kernels K Hp P j Hj').
  rewrite LK, kernel_total in W by exact N.
  assert (DP : 0 < divisor M l x h i).
  { assert (T := kernel_total N). assert (0 < sum (length all) K).
    { apply sum_pos; [lia|]. intros k Hk. apply P. rewrite LK. exact Hk. }
    rewrite T in H. apply Rmult_lt_reg_l with (unit_of p * factor a p (highest all)); [nra|]. lra. }
  replace (phi a (y j) / divisor M l x h i)
    with (K j / (unit_of p * factor a p (highest all) * divisor M l x h i)) by (unfold K; field; lra).
  exact W.
Qed.

Lemma others_divisor : normalised a = false ->
  divisor M l x h i = IZR (Z.max 1 (Z.of_nat i - 1)) /\ has_slot a = false.
Proof.
  intros N. split; [|destruct a; simpl in *; try discriminate; reflexivity].
  unfold divisor. fold a. rewrite N. rewrite INR_IZR_INZ. f_equal. lia.
Qed.

Lemma nth_map_range (f : range -> range) (ks : list range) j : (j < length ks)%nat ->
  nth j (map f ks) (0, 0)%Z = f (nth j ks (0, 0)%Z).
Proof. intros H. rewrite nth_indep with (d' := f (0, 0)%Z) by (rewrite map_length; exact H). apply map_nth. Qed.

Theorem weight_ranges_spec :
  length (weight_ranges a p slot logits) = S i /\
  forall k, (k <= i)%nat -> within (unit_of p) (nth k (weight_ranges a p slot logits) (0, 0)%Z) (weight M l x h i k).
Proof.
  pose proof (unit_pos p Hp) as U. unfold weight_ranges. fold all. fold kernels.
  assert (LK : length kernels = length all) by (unfold kernels; apply map_length).
  destruct (normalised a) eqn:N.
  - destruct (Bool.bool_dec (has_slot a) true) as [E|E]; [|apply Bool.not_true_is_false in E]; rewrite E.
    + assert (LA : length all = S i) by (unfold all; try rewrite E; reflexivity).
      split; [rewrite map_length, LK, LA; reflexivity|]. intros k Hk. rewrite nth_map_range by (rewrite LK, LA; lia).
      assert (Hk' : (k < length all)%nat) by (rewrite LA; lia).
      assert (W := share_of k N Hk'). unfold weight, slot_kernel; change (attention_kind M) with a; rewrite E.
      unfold y in W. try rewrite E in W. destruct k; [destruct (slot_is_softmax a E) as [P _]; rewrite P in W|]; exact W.
    + assert (LA : length all = i) by (unfold all; try rewrite E; reflexivity).
      split; [cbn [length]; rewrite map_length, LK, LA; reflexivity|]. intros [|k] Hk; cbn [nth].
      * unfold weight, slot_kernel; change (attention_kind M) with a; rewrite E. unfold within, Rdiv. rewrite Rmult_0_l, Rmult_0_r. simpl fst; simpl snd. split; apply Rle_refl.
      * assert (Hk' : (k < length all)%nat) by (rewrite LA; lia).
        rewrite nth_map_range by (rewrite LK; exact Hk'). assert (W := share_of k N Hk'). unfold y in W. try rewrite E in W. exact W.
  - destruct (others_divisor N) as [D E].
    assert (LA : length all = i) by (unfold all; try rewrite E; reflexivity).
    split; [cbn [length]; rewrite map_length, LK, LA; reflexivity|]. intros [|k] Hk; cbn [nth].
    + unfold weight, slot_kernel; change (attention_kind M) with a; rewrite E. unfold within, Rdiv. rewrite Rmult_0_l, Rmult_0_r. simpl fst; simpl snd. split; apply Rle_refl.
    + assert (Hk' : (k < length all)%nat) by (rewrite LA; lia).
      rewrite nth_map_range by (rewrite LK; exact Hk'). fold i. unfold weight. fold a. rewrite D.
      set (o := Z.max 1 (Z.of_nat i - 1)). assert (O : (0 < o)%Z) by (unfold o; lia).
      assert (W := kernels_within k Hk'). unfold K, y in W. try rewrite E in W.
      assert (F1 : factor a p (highest all) = 1) by (destruct a; simpl in *; try discriminate; reflexivity).
      rewrite F1, Rmult_1_r in W. assert (IZR o <> 0) by (apply not_0_IZR; lia).
      split; simpl; [apply floor_div_below|apply ceil_div_above]; try exact O.
      * replace (unit_of p * (phi a (logit M l x h i (S k)) / IZR o) * IZR o)
          with (unit_of p * phi a (logit M l x h i (S k))) by (field; assumption). apply W.
      * replace (unit_of p * (phi a (logit M l x h i (S k)) / IZR o) * IZR o)
          with (unit_of p * phi a (logit M l x h i (S k))) by (field; assumption). apply W.
Qed.

End Row.
