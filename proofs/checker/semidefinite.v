(** * Matrices that are shown positive semidefinite

    Section 4.5 of CHECKPOINT_RULES.md, "Multipliers".  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task.
From Verified Require Import given rounded.
Import ListNotations.
Open Scope R_scope.

(** The rows of the upper half of a symmetric matrix: row k begins at the diagonal. *)
Definition half := list (list Z).

Definition triangular (t : half) : bool :=
  snd (fold_right (fun row nb => (S (fst nb), (length row =? S (fst nb))%nat && snd nb)) (0%nat, true) t).

(** One step of the elimination of a first row a, r, which lowers the diagonal by m more. *)
Fixpoint less_row (a x : Z) (r row : list Z) : list Z :=
  match r, row with
  | y :: r', b :: row' => (b - ceil_div (x * y) a)%Z :: less_row a x r' row'
  | _, _ => []
  end.

Definition less_diagonal (m x : Z) (row : list Z) : list Z :=
  match row with b :: row' => (b - if (x =? 0)%Z then 0 else m)%Z :: row' | [] => [] end.

Fixpoint reduce (m a : Z) (r : list Z) (t : half) : half :=
  match r, t with
  | x :: r', row :: t' => less_diagonal m x (less_row a x r row) :: reduce m a r' t'
  | _, _ => []
  end.

(** [n] is the number of rows. *)
Fixpoint eliminated (m : Z) (n : nat) (t : half) : bool :=
  match n, t with
  | O, [] => true
  | S n, (a :: r) :: t' => (0 <? a)%Z && eliminated m n (reduce m a r t')
  | _, _ => false
  end.

(** Over the largest diagonal entry, in units of 2^-64. *)
Definition rounded_row (m most : Z) (row : list Z) : list Z :=
  match map (fun z => floor_div (z * power 64) most) row with b :: row' => (b - m)%Z :: row' | [] => [] end.

Definition semidefinite (t : half) : bool :=
  let m := Z.of_nat (length t) in
  let most := fold_left (fun z row => Z.max z (hd 0%Z row)) t 0%Z in
  let rounded := map (rounded_row m most) t in
  (0 <? most)%Z && triangular t && forallb (forallb (fun z => (Z.abs z <=? power 64)%Z)) rounded
  && eliminated m (length t) rounded.

(** ** What it shows *)

Definition next (x : nat -> R) : nat -> R := fun k => x (S k).

Fixpoint along (r : list Z) (x : nat -> R) : R := match r with [] => 0 | z :: r' => IZR z * x 0%nat + along r' (next x) end.

(** x^T A x. *)
Fixpoint quadratic (t : half) (x : nat -> R) : R :=
  match t with
  | [] => 0
  | row :: t' => x 0%nat * (match row with [] => 0 | a :: r => IZR a * x 0%nat + 2 * along r (next x) end) + quadratic t' (next x)
  end.

(** Sums of |x| and of squares where r is not 0. *)
Definition there (z : Z) : R := if (z =? 0)%Z then 0 else 1.
Fixpoint sizes (r : list Z) (x : nat -> R) : R := match r with [] => 0 | z :: r' => there z * Rabs (x 0%nat) + sizes r' (next x) end.
Fixpoint squares_of (r : list Z) (x : nat -> R) : R := match r with [] => 0 | z :: r' => there z * (x 0%nat * x 0%nat) + squares_of r' (next x) end.

Lemma there_cases z : there z = 0 /\ z = 0%Z \/ there z = 1 /\ z <> 0%Z.
Proof. unfold there. destruct (Z.eqb_spec z 0); auto. Qed.

Lemma sizes_nonneg : forall r x, 0 <= sizes r x.
Proof.
  induction r as [|z r IH]; intros x; simpl; [lra|]. pose proof (Rabs_pos (x 0%nat)). specialize (IH (next x)). destruct (there_cases z) as [[-> _]|[-> _]]; lra.
Qed.

Lemma squares_nonneg : forall r x, 0 <= squares_of r x.
Proof.
  induction r as [|z r IH]; intros x; simpl; [lra|]. specialize (IH (next x)). destruct (there_cases z) as [[-> _]|[-> _]]; nra.
Qed.

Lemma sizes_squares : forall r x, sizes r x * sizes r x <= INR (length r) * squares_of r x.
Proof.
  induction r as [|z r IH]; intros x; [simpl; lra|]. cbn [sizes squares_of length]. rewrite S_INR. specialize (IH (next x)).
  set (n := INR (length r)) in *. set (A := sizes r (next x)) in *. set (Q := squares_of r (next x)) in *.
  assert (A0 : 0 <= A) by apply sizes_nonneg. assert (Q0 : 0 <= Q) by apply squares_nonneg. assert (N0 : 0 <= n) by apply pos_INR.
  destruct (there_cases z) as [[-> _]|[-> _]]; [nra|]. set (y := Rabs (x 0%nat)). assert (Y0 : 0 <= y) by apply Rabs_pos.
  assert (YY : x 0%nat * x 0%nat = y * y) by (unfold y; rewrite <- Rabs_mult; symmetry; apply Rabs_pos_eq; nra). rewrite YY.
  assert (K : 2 * (y * A) <= n * (y * y) + Q).
  { destruct (Req_dec n 0) as [E|E]; [rewrite E in *; assert (A = 0) by nra; nra|]. assert (NP : 0 < n) by lra.
    apply Rmult_le_reg_l with n; [exact NP|]. assert (0 <= (n * y - A) * (n * y - A)) by apply Rle_0_sqr. nra. }
  nra.
Qed.

Lemma rounding_up p a : (0 < a)%Z -> exists e, IZR (ceil_div p a) = IZR p / IZR a + e /\ 0 <= e <= 1 /\ (p = 0%Z -> e = 0).
Proof.
  intros Ha. assert (A := IZR_lt _ _ Ha). exists (IZR (ceil_div p a) - IZR p / IZR a). split; [ring|]. pose proof (ceil_div_ge p a Ha) as G.
  assert (E : IZR p = IZR p / IZR a * IZR a) by (field; lra). split; [split|].
  - apply Rmult_le_reg_r with (IZR a); [exact A|]. rewrite Rmult_minus_distr_r, <- E. lra.
  - pose proof (floor_div_gt (- p) a Ha) as F. unfold floor_div in F. unfold ceil_div. rewrite opp_IZR in *.
    apply Rmult_le_reg_r with (IZR a); [exact A|]. rewrite Rmult_minus_distr_r, <- E. lra.
  - intros ->. unfold ceil_div. rewrite Z.opp_0, Z.div_0_l by lia. simpl. unfold Rdiv. ring.
Qed.

Lemma product_above s y v e : 0 <= e <= 1 -> 0 <= s -> (s = 0 -> e * y * v = 0) -> s <= 1 -> (s = 0 \/ s = 1) -> - (s * (Rabs y * Rabs v)) <= e * y * v.
Proof.
  intros E S0 Z S1 [-> | ->]; [rewrite Z by reflexivity; lra|]. rewrite <- Rabs_mult. pose proof (Rle_abs (- (y * v))) as H. rewrite Rabs_Ropp in H.
  pose proof (Rabs_pos (y * v)). rewrite Rmult_assoc. destruct (Rle_dec 0 (y * v)); nra.
Qed.

(** A row that is lowered: what was taken away is the product over a, and no more than the sizes. *)
Lemma less_row_spec a x : (0 < a)%Z -> forall r row (v : R) (u : nat -> R), length row = length r ->
  v * along (less_row a x r row) u + IZR x * v * along r u / IZR a - there x * (Rabs v * sizes r u) <= v * along row u.
Proof.
  intros Ha. assert (A := IZR_lt _ _ Ha).
  induction r as [|y r IH]; intros [|b row] v u E; simpl in E; try discriminate; [simpl; unfold Rdiv; lra|].
  cbn [less_row along sizes]. specialize (IH row v (next u) ltac:(lia)). rewrite minus_IZR.
  destruct (rounding_up (x * y) a Ha) as (e & C & B & Z). rewrite C, mult_IZR.
  assert (P : - (there x * there y * (Rabs v * Rabs (u 0%nat))) <= e * v * u 0%nat).
  { destruct (there_cases x) as [[-> X0]|[-> X0]], (there_cases y) as [[-> Y0]|[-> Y0]]; apply product_above; try lra;
      intros; try lra; rewrite Z by (subst; ring); ring. }
  replace (IZR x * v * (IZR y * u 0%nat + along r (next u)) / IZR a) with (IZR x * IZR y / IZR a * (v * u 0%nat) + IZR x * v * along r (next u) / IZR a) by (field; lra).
  set (q := IZR x * IZR y / IZR a) in *. set (w := IZR x * v * along r (next u) / IZR a) in *. lra.
Qed.

Inductive shaped : half -> Prop :=
  | shaped_nil : shaped []
  | shaped_cons row t : length row = S (length t) -> shaped t -> shaped (row :: t).

Lemma triangular_spec t : triangular t = true -> shaped t.
Proof.
  unfold triangular. set (f := fun (row : list Z) (nb : nat * bool) => _).
  assert (L : forall t, fst (fold_right f (0%nat, true) t) = length t) by (induction t0 as [|row t0 IH]; simpl; [reflexivity|rewrite IH; reflexivity]).
  induction t as [|row t IH]; intros H; [constructor|]. simpl in H. rewrite L, andb_true_iff, Nat.eqb_eq in H. constructor; [apply H|apply IH, H].
Qed.

Lemma less_row_length a x : forall r row, length row = length r -> length (less_row a x r row) = length row.
Proof. induction r as [|y r IH]; intros [|b row] E; simpl in *; try discriminate; [reflexivity|]. rewrite IH by lia. reflexivity. Qed.

Lemma reduce_shaped m a : forall r t, shaped t -> length r = length t -> shaped (reduce m a r t) /\ length (reduce m a r t) = length t.
Proof.
  induction r as [|x r IH]; intros t S E; [destruct t; [split; [constructor|reflexivity]|discriminate]|].
  inversion S as [E0|row t' LR ST E0]; subst; simpl in E; try discriminate. destruct (IH t' ST ltac:(lia)) as [A B]. cbn [reduce]. split; [|simpl; rewrite B; reflexivity].
  constructor; [|exact A]. rewrite B, <- LR. assert (LL : length (less_row a x (x :: r) row) = length row) by (apply less_row_length; simpl; lia).
  rewrite <- LL. destruct (less_row a x (x :: r) row); reflexivity.
Qed.

Lemma reduce_spec m a : (0 < a)%Z -> (0 <= m)%Z -> forall t r x, shaped t -> length r = length t ->
  quadratic (reduce m a r t) x + along r x * along r x / IZR a + IZR m * squares_of r x - sizes r x * sizes r x <= quadratic t x.
Proof.
  intros Ha Hm. assert (A := IZR_lt _ _ Ha). apply IZR_le in Hm. induction t as [|row t IH]; intros r x S E.
  - destruct r; [|discriminate]. simpl. unfold Rdiv. lra.
  - inversion S as [|row' t' LR ST]; subst. destruct r as [|y r]; [discriminate|]. simpl in E. destruct row as [|b row]; [discriminate|]. simpl in LR.
    specialize (IH r (next x) ST ltac:(lia)). cbn [reduce less_row less_diagonal quadratic along sizes squares_of].
    assert (Q := less_row_spec a y Ha r row (x 0%nat) (next x) ltac:(lia)).
    destruct (rounding_up (y * y) a Ha) as (e & C & B & Z). rewrite !minus_IZR, C, mult_IZR.
    set (R := along r (next x)) in *. set (x0 := x 0%nat) in *. set (W := along row (next x)) in *. set (W' := along (less_row a y r row) (next x)) in *.
    set (T := sizes r (next x)) in *. set (U := squares_of r (next x)) in *. set (Q0 := quadratic t (next x)) in *. set (Q1 := quadratic (reduce m a r t) (next x)) in *.
    assert (YY : Rabs x0 * Rabs x0 = x0 * x0) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
    assert (IF : IZR (if (y =? 0)%Z then 0 else m) = there y * IZR m) by (unfold there; destruct (y =? 0)%Z; lra). rewrite IF.
    assert (TT : there y * there y = there y) by (destruct (there_cases y) as [[-> _]|[-> _]]; ring).
    assert (T0 : 0 <= there y) by (destruct (there_cases y) as [[-> _]|[-> _]]; lra).
    replace ((IZR y * x0 + R) * (IZR y * x0 + R) / IZR a) with (IZR y * IZR y / IZR a * (x0 * x0) + 2 * (IZR y * x0 * R / IZR a) + R * R / IZR a) by (field; lra).
    replace ((there y * Rabs x0 + T) * (there y * Rabs x0 + T)) with (there y * (x0 * x0) + 2 * (there y * (Rabs x0 * T)) + T * T)
      by (rewrite <- YY; replace (there y * (Rabs x0 * Rabs x0)) with (there y * there y * (Rabs x0 * Rabs x0)) by (rewrite TT; ring); ring).
    set (q := IZR y * IZR y / IZR a) in *. set (p := IZR y * x0 * R / IZR a) in *. set (rr := R * R / IZR a) in *. set (s := there y) in *. set (sz := s * (Rabs x0 * T)) in *.
    assert (X0 : 0 <= x0 * x0) by nra. assert (E0 : 0 <= e * (x0 * x0)) by (apply Rmult_le_pos; lra). assert (S0 : 0 <= s * (x0 * x0)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma eliminated_spec m : forall n t, shaped t -> (Z.of_nat (length t) <= m)%Z -> eliminated m n t = true -> forall x, 0 <= quadratic t x.
Proof.
  induction n as [|n IH]; intros [|[|a r] t] S L H x; cbn [eliminated] in H; try discriminate; [simpl; lra|].
  apply andb_prop in H. destruct H as [Ha H]. apply Z.ltb_lt in Ha. assert (A := IZR_lt _ _ Ha). inversion S as [|row t' LR ST]; subst. simpl in LR.
  simpl length in L. destruct (reduce_shaped m a r t ST ltac:(lia)) as [RS RL].
  assert (R := reduce_spec m a Ha ltac:(lia) t r (next x) ST ltac:(lia)). specialize (IH _ RS ltac:(rewrite RL; lia) H (next x)).
  assert (CS := sizes_squares r (next x)). assert (U := squares_nonneg r (next x)).
  assert (LM : INR (length r) <= IZR m) by (rewrite INR_IZR_INZ; apply IZR_le; lia).
  assert (CM : INR (length r) * squares_of r (next x) <= IZR m * squares_of r (next x)) by (apply Rmult_le_compat_r; assumption).
  cbn [quadratic]. set (y := along r (next x)) in *. set (x0 := x 0%nat).
  assert (SQ : 0 <= (IZR a * x0 + y) * (IZR a * x0 + y) / IZR a) by (apply Rle_mult_inv_pos; [apply Rle_0_sqr|exact A]).
  replace ((IZR a * x0 + y) * (IZR a * x0 + y) / IZR a) with (x0 * (IZR a * x0 + 2 * y) + y * y / IZR a) in SQ by (field; lra). lra.
Qed.

(** The rounded matrix is below. *)
Definition ones (n : nat) : list Z := repeat 1%Z n.

Lemma rounding_down p most : (0 < most)%Z -> exists e, IZR p * unit_of 64 / IZR most = IZR (floor_div (p * power 64) most) + e /\ 0 <= e <= 1.
Proof.
  intros H. assert (A := IZR_lt _ _ H). exists (IZR p * unit_of 64 / IZR most - IZR (floor_div (p * power 64) most)). split; [ring|].
  pose proof (floor_div_le (p * power 64) most H) as F. pose proof (floor_div_gt (p * power 64) most H) as G. rewrite mult_IZR in F, G. fold (unit_of 64) in F, G.
  set (f := IZR (floor_div (p * power 64) most)) in *. set (v := IZR p * unit_of 64) in *.
  assert (E : v / IZR most * IZR most = v) by (field; lra). split; (apply Rmult_le_reg_r with (IZR most); [exact A|]); rewrite Rmult_minus_distr_r, E; lra.
Qed.

Lemma rounded_along most : (0 < most)%Z -> forall row (v : R) u,
  v * along (map (fun z => floor_div (z * power 64) most) row) u - Rabs v * sizes (ones (length row)) u <= v * (along row u * (unit_of 64 / IZR most)).
Proof.
  intros H. assert (A := IZR_lt _ _ H). induction row as [|z row IH]; intros v u; [simpl; unfold Rdiv; lra|].
  cbn [map along length ones repeat sizes]. fold (ones (length row)). specialize (IH v (next u)). destruct (rounding_down z most H) as (e & E & B).
  assert (P := product_above 1 v (u 0%nat) e B ltac:(lra) ltac:(lra) ltac:(lra) ltac:(auto)). assert (T1 : there 1 = 1) by reflexivity. rewrite T1.
  replace (v * ((IZR z * u 0%nat + along row (next u)) * (unit_of 64 / IZR most)))
    with (v * u 0%nat * (IZR z * unit_of 64 / IZR most) + v * (along row (next u) * (unit_of 64 / IZR most))) by (field; lra).
  rewrite E. set (f := IZR (floor_div (z * power 64) most)) in *. set (al := along (map _ row) (next u)) in *. set (s := sizes (ones (length row)) (next u)) in *.
  set (w := along row (next u) * (unit_of 64 / IZR most)) in *. nra.
Qed.

Lemma rounded_spec m most : (0 < most)%Z -> forall t x, shaped t ->
  quadratic (map (rounded_row m most) t) x + IZR m * squares_of (ones (length t)) x - sizes (ones (length t)) x * sizes (ones (length t)) x
  <= quadratic t x * (unit_of 64 / IZR most).
Proof.
  intros H. assert (A := IZR_lt _ _ H). induction t as [|row t IH]; intros x S; [simpl; lra|]. inversion S as [|row' t' LR ST]; subst.
  destruct row as [|b row]; [discriminate|]. simpl in LR. specialize (IH (next x) ST). cbn [map rounded_row quadratic length ones repeat squares_of sizes]. fold (ones (length t)).
  assert (Q := rounded_along most H row (x 0%nat) (next x)). replace (length row) with (length t) in Q by lia. destruct (rounding_down b most H) as (e & E & B).
  assert (T1 : there 1 = 1) by reflexivity. rewrite T1, minus_IZR. set (x0 := x 0%nat) in *.
  replace ((x0 * (IZR b * x0 + 2 * along row (next x)) + quadratic t (next x)) * (unit_of 64 / IZR most))
    with (x0 * x0 * (IZR b * unit_of 64 / IZR most) + 2 * (x0 * (along row (next x) * (unit_of 64 / IZR most))) + quadratic t (next x) * (unit_of 64 / IZR most)) by (field; lra).
  rewrite E. assert (YY : Rabs x0 * Rabs x0 = x0 * x0) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
  set (f := IZR (floor_div (b * power 64) most)) in *. set (al := along (map _ row) (next x)) in *. set (s := sizes (ones (length t)) (next x)) in *.
  set (U := squares_of (ones (length t)) (next x)) in *. set (Q0 := quadratic t (next x) * (unit_of 64 / IZR most)) in *. set (Q1 := quadratic (map (rounded_row m most) t) (next x)) in *.
  set (w := along row (next x) * (unit_of 64 / IZR most)) in *. assert (E0 : 0 <= e * (x0 * x0)) by (apply Rmult_le_pos; nra). assert (X0 : 0 <= x0 * x0) by nra. nra.
Qed.

Lemma rounded_shaped m most t : shaped t -> shaped (map (rounded_row m most) t).
Proof.
  induction 1 as [|row t L _ IH]; [constructor|]. cbn [map]. constructor; [|exact IH]. rewrite map_length, <- L. unfold rounded_row. destruct row; [reflexivity|].
  cbn [map length]. rewrite map_length. reflexivity.
Qed.

Theorem semidefinite_spec t : semidefinite t = true -> forall x, 0 <= quadratic t x.
Proof.
  unfold semidefinite. set (m := Z.of_nat (length t)). set (most := fold_left _ t 0%Z). rewrite !andb_true_iff. intros (((Hm & T) & _) & E) x.
  apply Z.ltb_lt in Hm. apply triangular_spec in T. assert (A := IZR_lt _ _ Hm).
  assert (P := eliminated_spec m (length t) _ (rounded_shaped m most t T) ltac:(rewrite map_length; unfold m; lia) E x).
  assert (R := rounded_spec m most Hm t x T). assert (CS := sizes_squares (ones (length t)) x). unfold ones in CS at 3. rewrite repeat_length in CS.
  assert (MI : IZR m = INR (length t)) by (unfold m; rewrite INR_IZR_INZ; reflexivity). rewrite MI in R.
  assert (U := unit_pos 64 ltac:(lia)). assert (0 < unit_of 64 / IZR most) by (apply Rdiv_lt_0_compat; assumption).
  assert (Q : 0 <= quadratic t x * (unit_of 64 / IZR most)) by lra.
  apply Rmult_le_reg_r with (unit_of 64 / IZR most); [assumption|]. lra.
Qed.

(** ** The matrix of two diagonals with a block between them *)

Fixpoint diagonal (a : list Z) : half := match a with [] => [] | z :: a' => (z :: repeat 0%Z (length a')) :: diagonal a' end.

Fixpoint bordered (a : list Z) (block : half) (b : list Z) : half :=
  match a, block with
  | z :: a', row :: block' => (z :: repeat 0%Z (length a') ++ row) :: bordered a' block' b
  | _, _ => diagonal b
  end.

Lemma along_sum : forall r x, along r x = sum (length r) (fun k => number r k * x k).
Proof.
  induction r as [|z r IH]; intros x; [reflexivity|]. cbn [along length]. rewrite sum_first, IH. f_equal.
Qed.

Lemma along_zeros : forall n r x, along (repeat 0%Z n ++ r) x = along r (fun k => x (n + k)%nat).
Proof. induction n as [|n IH]; intros r x; [reflexivity|]. cbn [repeat app along]. rewrite IH. unfold next. simpl. ring. Qed.

Lemma diagonal_spec : forall b x, quadratic (diagonal b) x = sum (length b) (fun k => number b k * (x k * x k)).
Proof.
  induction b as [|z b IH]; intros x; [reflexivity|]. cbn [diagonal quadratic length]. rewrite sum_first, IH.
  rewrite <- (app_nil_r (repeat 0%Z (length b))), along_zeros. cbn [along]. unfold next, number. simpl nth. ring_simplify. f_equal.
Qed.

Lemma bordered_spec : forall a block b x, length block = length a ->
  quadratic (bordered a block b) x
  = sum (length a) (fun l => number a l * (x l * x l)) + 2 * sum (length a) (fun l => x l * along (nth l block []) (fun k => x (length a + k)%nat))
    + sum (length b) (fun k => number b k * (x (length a + k)%nat * x (length a + k)%nat)).
Proof.
  induction a as [|z a IH]; intros [|row block] b x E; simpl in E; try discriminate.
  - cbn [bordered length sum]. rewrite diagonal_spec. simpl. ring.
  - cbn [bordered quadratic length]. rewrite IH by lia. rewrite !sum_first, along_zeros. unfold next. cbn [nth].
    change (number (z :: a) 0) with (IZR z). cbn [Nat.add].
    change (fun k => number (z :: a) (S k) * (x (S k) * x (S k))) with (fun k => number a k * (x (S k) * x (S k))). ring.
Qed.
