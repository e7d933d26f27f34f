(** * ge-1: when can a sink be represented? A theorem of the alternative, and the Frobenius margin

    Claim (docs/THEORY.md, ge-1; arXiv:2605.08453 Proposition 4.1, reconstructed).  Embeddings z_0..z_T in
    R^d, queries J, key sets K_j.  Exactly one holds: (a) some W has z_j^T W (z_0 - z_i) >= 1 for all j in
    J, i in K_j, i != 0; (b) there are multipliers l_ji >= 0, not all 0, with
    sum l_ji z_j (z_0 - z_i)^T = 0 (a d x d matrix).

    Proved here, for all d, T, J, K and all embeddings:
    - [sink_alternative]: the claim;
    - [sink_alternative_rational]: for rational embeddings a rational W or rational multipliers exist, so
      exact evidence of one of the two always exists;
    - [margin_alternative], [margin_alternative_rational]: the same for any finite family of constraints
      <A_k, W> >= kappa_k, A_k a d x e matrix, kappa_k > 0; [score_alternative]: of constraints (query,
      above, below): q_k^T W (x_k - y_k) >= kappa_k;
    - [margin_per_norm]: W with all margins >= 1 and ||W||_F <= 1/rho exists iff W with ||W||_F <= 1 and
      all margins >= rho does;
    - [frobenius_margin]: if O = sum l_k A_k, l in the simplex, and <O, A_k> >= <O, O> > 0 for all k, then
      the greatest margin min_k <A_k, W> over ||W||_F <= 1 is exactly ||O||_F, and O/||O||_F is the only W
      that has it;
    - [frobenius_margin_exists]: such an O exists whenever (a) holds, rational for rational A_k: the greatest
      margin squared is a rational number with exact evidence;
    - [common_keys]: if all queries share their key set, then (a) with a W of rank one, or 0 is in the
      convex hull of the queries, or z_0 is in the convex hull of the other keys.

    Proof: a finite family has a point of its convex hull nearest to 0, found by field operations alone
    ([nearest_in_hull]); if it is 0, (b); else it is itself a W of (a), up to scale.  Nearest points first for cones
    c + sum l_k D_k, l >= 0 ([nearest_in_cone_exists]), by induction on the number of generators, for all cones at
    once.  A further generator b: if the point r0 found without it has <r0, b> >= 0, keep it.  Else solve the
    problem projected on the complement of b and give b the coefficient m that makes the result orthogonal to b;
    m >= 0, because otherwise |r0 - rho|^2 <= - m <r0, b> < 0 for the new point rho.  The convex hull is the cone
    (0, -1) + sum y_k (A_k, 1) in one more coordinate, scaled by 1/sum y_k.  No compactness is used.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/ge-1/alternative.v *)

From Coq Require Import Reals Lra Lia Arith List Bool FinFun.
From Sinkproof Require Import trigger_task.
Import ListNotations.
Open Scope R_scope.

(** ** Part 1: definitions *)

(** A d x e matrix is a function of the indices a < d, b < e. *)
Definition frobenius (d e : nat) (A W : matrix) : R := sum d (fun a => sum e (fun b => A a b * W a b)).

Definition frobenius_norm (d e : nat) (A : matrix) : R := sqrt (frobenius d e A A).

Definition outer (x y : token) : matrix := fun a b => x a * y b.

Definition difference (x y : token) : token := fun a => x a - y a.

(** Sum over the elements of a list. *)
Fixpoint list_sum {I : Type} (l : list I) (f : I -> R) : R :=
  match l with
  | [] => 0
  | k :: rest => f k + list_sum rest f
  end.

(** Numbers closed under the four operations: the reals, or the rationals. *)
Record subfield (F : R -> Prop) : Prop := {
  field_zero : F 0;
  field_one : F 1;
  field_plus : forall x y, F x -> F y -> F (x + y);
  field_opp : forall x, F x -> F (- x);
  field_mult : forall x y, F x -> F y -> F (x * y);
  field_inv : forall x, x <> 0 -> F x -> F (/ x)
}.

Definition any (x : R) : Prop := True.
Definition rational (x : R) : Prop := exists p q : Z, (q <> 0)%Z /\ x = IZR p / IZR q.

Definition entries_in (F : R -> Prop) (d e : nat) (A : matrix) : Prop :=
  forall a b, (a < d)%nat -> (b < e)%nat -> F (A a b).

(** A finite family of constraints <A_k, W> >= kappa_k, k in [idx]. *)
Definition satisfies {I} (idx : list I) (d e : nat) (A : I -> matrix) (kappa : I -> R) (W : matrix) : Prop :=
  forall k, In k idx -> kappa k <= frobenius d e (A k) W.

(** Multipliers l >= 0, not all 0, with sum_k l_k A_k = 0. *)
Record cancels {I} (idx : list I) (d e : nat) (A : I -> matrix) (l : I -> R) : Prop := {
  cancels_nonneg : forall k, In k idx -> 0 <= l k;
  cancels_some : exists k, In k idx /\ 0 < l k;
  cancels_zero : forall a b, (a < d)%nat -> (b < e)%nat -> list_sum idx (fun k => l k * A k a b) = 0
}.

(** The sink: "z_j^T W (z_0 - z_i) >= 1 for all j in J, i in K_j, i != 0"; j and i run over 0..T. *)
Definition constrained (J : nat -> bool) (K : nat -> nat -> bool) (j i : nat) : bool :=
  J j && K j i && negb (i =? 0)%nat.

Definition represents (d T : nat) J K (z : nat -> token) (W : matrix) : Prop :=
  forall j i, (j <= T)%nat -> (i <= T)%nat -> constrained J K j i = true ->
  1 <= bilinear d W (z j) (difference (z 0%nat) (z i)).

(** "multipliers l_ji >= 0, not all 0, with sum l_ji z_j (z_0 - z_i)^T = 0". *)
Record obstructs (d T : nat) J K (z : nat -> token) (l : nat -> nat -> R) : Prop := {
  obstructs_nonneg : forall j i, (j <= T)%nat -> (i <= T)%nat -> constrained J K j i = true -> 0 <= l j i;
  obstructs_some : exists j i, (j <= T)%nat /\ (i <= T)%nat /\ constrained J K j i = true /\ 0 < l j i;
  obstructs_zero : forall a b, (a < d)%nat -> (b < d)%nat ->
    sum (S T) (fun j => sum (S T) (fun i =>
      if constrained J K j i then l j i * (z j a * (z 0%nat b - z i b)) else 0)) = 0
}.

(** [p] in the simplex over the indices 0..T that [S] selects. *)
Record convex_weights (T : nat) (S : nat -> bool) (p : nat -> R) : Prop := {
  convex_nonneg : forall k, (k <= T)%nat -> 0 <= p k;
  convex_support : forall k, (k <= T)%nat -> S k = false -> p k = 0;
  convex_total : sum (Datatypes.S T) p = 1
}.

(** ** Part 2: lemmas *)

Section Lists.
Context {I : Type}.
Implicit Types (idx : list I) (f g : I -> R).

Lemma list_sum_ext idx f g : (forall k, In k idx -> f k = g k) -> list_sum idx f = list_sum idx g.
Proof.
  induction idx as [|k idx IH]; intros H; simpl; [reflexivity|].
  rewrite (H k), IH; [reflexivity| |now left]. intros; apply H; now right.
Qed.

Lemma list_sum_plus idx f g : list_sum idx (fun k => f k + g k) = list_sum idx f + list_sum idx g.
Proof. induction idx as [|k idx IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma list_sum_scal idx c f : list_sum idx (fun k => c * f k) = c * list_sum idx f.
Proof. induction idx as [|k idx IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma list_sum_le idx f g : (forall k, In k idx -> f k <= g k) -> list_sum idx f <= list_sum idx g.
Proof.
  induction idx as [|k idx IH]; intros H; simpl; [lra|].
  apply Rplus_le_compat; [apply H; now left|]. apply IH. intros; apply H; now right.
Qed.

Lemma list_sum_zero idx : list_sum idx (fun _ => 0) = 0.
Proof. induction idx as [|k idx IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma list_sum_nonneg idx f : (forall k, In k idx -> 0 <= f k) -> 0 <= list_sum idx f.
Proof. intros H. rewrite <- (list_sum_zero idx). now apply list_sum_le. Qed.

Lemma list_sum_pos idx f :
  (forall k, In k idx -> 0 <= f k) -> (exists k, In k idx /\ 0 < f k) -> 0 < list_sum idx f.
Proof.
  intros H (k & Hk & Hp). induction idx as [|h idx IH]; simpl; [destruct Hk|].
  assert (Hn : 0 <= f h) by (apply H; now left).
  destruct Hk as [->|Hk].
  - assert (0 <= list_sum idx f) by (apply list_sum_nonneg; intros; apply H; now right). lra.
  - assert (0 < list_sum idx f) by (apply IH; auto; intros; apply H; now right). lra.
Qed.

Lemma list_sum_some idx f : 0 < list_sum idx f -> exists k, In k idx /\ 0 < f k.
Proof.
  induction idx as [|h idx IH]; simpl; intros H; [lra|].
  destruct (Rlt_dec 0 (f h)) as [Hh|Hh]; [exists h; auto|].
  destruct IH as (k & Hk & Hp); [lra|]. exists k. auto.
Qed.

Lemma list_sum_term idx f k : (forall h, In h idx -> 0 <= f h) -> In k idx -> f k <= list_sum idx f.
Proof.
  intros H Hk. induction idx as [|h idx IH]; simpl; [destruct Hk|].
  destruct Hk as [->|Hk].
  - assert (0 <= list_sum idx f) by (apply list_sum_nonneg; intros; apply H; now right). lra.
  - assert (0 <= f h) by (apply H; now left).
    assert (f k <= list_sum idx f) by (apply IH; auto; intros; apply H; now right). lra.
Qed.

Lemma list_sum_sum idx m (f : I -> nat -> R) :
  list_sum idx (fun k => sum m (f k)) = sum m (fun a => list_sum idx (fun k => f k a)).
Proof.
  induction idx as [|k idx IH]; simpl; [symmetry; now apply sum_zero|].
  rewrite IH. symmetry. apply sum_plus.
Qed.

Lemma list_sum_filter idx (p : I -> bool) f :
  list_sum (filter p idx) f = list_sum idx (fun k => if p k then f k else 0).
Proof.
  induction idx as [|k idx IH]; simpl; [reflexivity|].
  destruct (p k); simpl; rewrite IH; ring.
Qed.

Lemma list_sum_app idx idx' f : list_sum (idx ++ idx') f = list_sum idx f + list_sum idx' f.
Proof. induction idx as [|k idx IH]; simpl; [|rewrite IH]; ring. Qed.
End Lists.

Lemma list_sum_map {I I'} (h : I -> I') (idx : list I) f : list_sum (map h idx) f = list_sum idx (fun k => f (h k)).
Proof. induction idx as [|k idx IH]; simpl; [|rewrite IH]; reflexivity. Qed.

Lemma list_sum_prod {I I'} (l : list I) (l' : list I') f :
  list_sum (list_prod l l') f = list_sum l (fun j => list_sum l' (fun i => f (j, i))).
Proof.
  induction l as [|j l IH]; simpl; [reflexivity|].
  now rewrite list_sum_app, list_sum_map, IH.
Qed.

Lemma list_sum_seq n m f : list_sum (seq n m) f = sum m (fun k => f (n + k)%nat).
Proof.
  revert n. induction m as [|m IH]; intros n; [reflexivity|].
  rewrite sum_first. simpl. rewrite IH, Nat.add_0_r. f_equal. apply sum_ext. intros. f_equal. lia.
Qed.

(** *** The Frobenius product *)

Lemma frobenius_sym d e A W : frobenius d e A W = frobenius d e W A.
Proof. apply sum_ext. intros a _. apply sum_ext. intros b _. ring. Qed.

Lemma frobenius_combine d e A B W s t :
  frobenius d e (fun a b => s * A a b + t * B a b) W = s * frobenius d e A W + t * frobenius d e B W.
Proof.
  unfold frobenius. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros a _.
  rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros b _. ring.
Qed.

Lemma frobenius_combine_r d e A B W s t :
  frobenius d e W (fun a b => s * A a b + t * B a b) = s * frobenius d e W A + t * frobenius d e W B.
Proof. now rewrite frobenius_sym, frobenius_combine, !(frobenius_sym d e _ W). Qed.

Lemma frobenius_scal_r d e W A s : frobenius d e W (fun a b => s * A a b) = s * frobenius d e W A.
Proof.
  unfold frobenius. rewrite <- sum_scal. apply sum_ext. intros a _.
  rewrite <- sum_scal. apply sum_ext. intros b _. ring.
Qed.

Lemma frobenius_ext d e A B W :
  (forall a b, (a < d)%nat -> (b < e)%nat -> A a b = B a b) -> frobenius d e A W = frobenius d e B W.
Proof. intros H. apply sum_ext. intros a Ha. apply sum_ext. intros b Hb. now rewrite H. Qed.

Lemma frobenius_list {I} (idx : list I) d e (l : I -> R) (A : I -> matrix) W :
  frobenius d e (fun a b => list_sum idx (fun k => l k * A k a b)) W
  = list_sum idx (fun k => l k * frobenius d e (A k) W).
Proof.
  induction idx as [|k idx IH]; simpl.
  - apply sum_zero. intros a _. apply sum_zero. intros b _. ring.
  - rewrite <- IH, <- (Rmult_1_l (frobenius d e (fun a b => list_sum idx _) W)), <- frobenius_combine.
    apply frobenius_ext. intros. ring.
Qed.

Lemma frobenius_self_nonneg d e A : 0 <= frobenius d e A A.
Proof.
  apply sum_nonneg. intros a _. apply sum_nonneg. intros b _. apply Rle_0_sqr.
Qed.

Lemma frobenius_self_zero d e A :
  frobenius d e A A = 0 -> forall a b, (a < d)%nat -> (b < e)%nat -> A a b = 0.
Proof.
  intros H a b Ha Hb. apply Rsqr_0_uniq, Rle_antisym; [|apply Rle_0_sqr]. rewrite <- H.
  eapply Rle_trans; [|apply (sum_term_le d (fun a => sum e (fun b => A a b * A a b)) a)]; try assumption.
  - apply (sum_term_le e (fun b => A a b * A a b)); [intros; apply Rle_0_sqr|assumption].
  - intros. apply sum_nonneg. intros. apply Rle_0_sqr.
Qed.

(** Cauchy-Schwarz for a W of norm at most 1. *)
Lemma frobenius_unit d e O W :
  frobenius d e W W <= 1 -> 0 < frobenius d e O O -> frobenius d e O W <= frobenius_norm d e O.
Proof.
  intros HW HO. unfold frobenius_norm. set (r := sqrt (frobenius d e O O)).
  assert (Hr : 0 < r) by now apply sqrt_lt_R0.
  assert (Hrr : r * r = frobenius d e O O) by (apply sqrt_sqrt; lra).
  pose proof (frobenius_self_nonneg d e (fun a b => 1 * O a b + (- r) * W a b)) as H.
  rewrite frobenius_combine, !frobenius_combine_r, (frobenius_sym d e W O) in H.
  apply (Rmult_le_reg_l (2 * r)); [lra|].
  assert (r * r * frobenius d e W W <= r * r * 1) by (apply Rmult_le_compat_l; [nra|assumption]). nra.
Qed.

(** *** Subfields *)

Lemma any_subfield : subfield any.
Proof. now constructor. Qed.

Lemma rational_subfield : subfield rational.
Proof.
  constructor.
  - exists 0%Z, 1%Z. split; [lia|]. simpl. lra.
  - exists 1%Z, 1%Z. split; [lia|]. simpl. lra.
  - intros x y (p & q & Hq & ->) (p' & q' & Hq' & ->).
    exists (p * q' + p' * q)%Z, (q * q')%Z. split; [lia|].
    rewrite plus_IZR, !mult_IZR. field. split; now apply not_0_IZR.
  - intros x (p & q & Hq & ->). exists (- p)%Z, q. split; [assumption|].
    rewrite opp_IZR. field. now apply not_0_IZR.
  - intros x y (p & q & Hq & ->) (p' & q' & Hq' & ->).
    exists (p * p')%Z, (q * q')%Z. split; [lia|].
    rewrite !mult_IZR. field. split; now apply not_0_IZR.
  - intros x Hx (p & q & Hq & ->). exists q, p.
    assert (p <> 0)%Z by (intros ->; apply Hx; unfold Rdiv; ring).
    split; [assumption|]. field. split; now apply not_0_IZR.
Qed.

Section Subfield.
Variable F : R -> Prop.
Hypothesis HF : subfield F.

Lemma field_minus x y : F x -> F y -> F (x - y).
Proof. intros. apply (field_plus F HF); [|apply (field_opp F HF)]; assumption. Qed.

Lemma field_div x y : y <> 0 -> F x -> F y -> F (x / y).
Proof. intros. apply (field_mult F HF); [|apply (field_inv F HF)]; assumption. Qed.

Lemma field_abs x : F x -> F (Rabs x).
Proof. intros H. unfold Rabs. destruct (Rcase_abs x); [now apply (field_opp F HF)|assumption]. Qed.

Lemma field_sum m f : (forall k, (k < m)%nat -> F (f k)) -> F (sum m f).
Proof.
  induction m as [|m IH]; intros H; simpl; [apply (field_zero F HF)|].
  apply (field_plus F HF); [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma field_list_sum {I} (idx : list I) f : (forall k, In k idx -> F (f k)) -> F (list_sum idx f).
Proof.
  induction idx as [|k idx IH]; intros H; simpl; [apply (field_zero F HF)|].
  apply (field_plus F HF); [apply H; now left|apply IH; intros; apply H; now right].
Qed.

Lemma field_frobenius d e A W : entries_in F d e A -> entries_in F d e W -> F (frobenius d e A W).
Proof.
  intros HA HW. apply field_sum. intros a Ha. apply field_sum. intros b Hb.
  apply (field_mult F HF); auto.
Qed.

Lemma field_combine d e A B s t :
  F s -> F t -> entries_in F d e A -> entries_in F d e B -> entries_in F d e (fun a b => s * A a b + t * B a b).
Proof.
  intros Hs Ht HA HB a b Ha Hb.
  apply (field_plus F HF); apply (field_mult F HF); auto.
Qed.

(** *** The point of a cone nearest to a given point, and Gordan's theorem *)

Section Nearest.
Context {I : Type}.
Variable eq_dec : forall k h : I, {k = h} + {k <> h}.

Definition replaced (b : I) (m : R) (l : I -> R) : I -> R := fun k => if eq_dec k b then m else l k.

Lemma replaced_here b m l : replaced b m l b = m.
Proof. unfold replaced. now destruct (eq_dec b b). Qed.

Lemma replaced_there b m l k idx : ~ In b idx -> In k idx -> replaced b m l k = l k.
Proof. intros Hb Hk. unfold replaced. destruct (eq_dec k b) as [->|_]; [contradiction|reflexivity]. Qed.

Lemma replaced_sum b m l idx (f : I -> R) :
  ~ In b idx -> list_sum idx (fun k => replaced b m l k * f k) = list_sum idx (fun k => l k * f k).
Proof. intros Hb. apply list_sum_ext. intros k Hk. now rewrite (replaced_there b m l k idx). Qed.

(** c + sum_k l_k D_k *)
Definition shifted (idx : list I) (c : matrix) (D : I -> matrix) (l : I -> R) : matrix :=
  fun a b => 1 * c a b + 1 * list_sum idx (fun k => l k * D k a b).

Lemma shifted_product idx d e c D l W :
  frobenius d e (shifted idx c D l) W = frobenius d e c W + list_sum idx (fun k => l k * frobenius d e (D k) W).
Proof. unfold shifted. rewrite frobenius_combine, frobenius_list. ring. Qed.

(** r = c + sum_k l_k D_k is the point of that cone nearest to 0. *)
Record nearest_in_cone (idx : list I) (d e : nat) (c : matrix) (D : I -> matrix) (l : I -> R) : Prop := {
  cone_nonneg : forall k, In k idx -> 0 <= l k;
  cone_outward : forall k, In k idx -> 0 <= frobenius d e (D k) (shifted idx c D l);
  cone_complementary : list_sum idx (fun k => l k * frobenius d e (D k) (shifted idx c D l)) = 0
}.

Definition project (d e : nat) (B A : matrix) : matrix :=
  fun a b => 1 * A a b + - (frobenius d e A B / frobenius d e B B) * B a b.

Lemma project_product d e B A V :
  frobenius d e B B <> 0 -> frobenius d e (project d e B A) (project d e B V) = frobenius d e A (project d e B V).
Proof.
  intros HB. unfold project at 1. rewrite frobenius_combine.
  assert (H : frobenius d e B (project d e B V) = 0).
  { unfold project. rewrite frobenius_combine_r, (frobenius_sym d e V B). field. assumption. }
  rewrite H. ring.
Qed.

Theorem nearest_in_cone_exists d e idx :
  NoDup idx -> forall c D, entries_in F d e c -> (forall k, In k idx -> entries_in F d e (D k)) ->
  exists l, (forall k, F (l k)) /\ nearest_in_cone idx d e c D l.
Proof.
  induction idx as [|b idx IH]; intros Hdup c D Fc FD.
  - exists (fun _ => 0). split; [intros; apply (field_zero F HF)|]. constructor; [intros k []|intros k []|reflexivity].
  - inversion Hdup as [|? ? Hb Hdup']. subst. specialize (IH Hdup').
    assert (FDb : entries_in F d e (D b)) by (apply FD; now left).
    assert (FD' : forall k, In k idx -> entries_in F d e (D k)) by (intros; apply FD; now right).
    destruct (IH c D Fc FD') as (l0 & Fl0 & [N0 O0 C0]). set (r0 := shifted idx c D l0) in *.
    assert (Hshift : forall m l a e', shifted (b :: idx) c D (replaced b m l) a e'
                       = 1 * shifted idx c D l a e' + m * D b a e').
    { intros m l a e'. unfold shifted. simpl.
      rewrite replaced_here, (replaced_sum b m l idx (fun k => D k a e')) by assumption. ring. }
    assert (Hprod : forall m l W, frobenius d e W (shifted (b :: idx) c D (replaced b m l))
                       = frobenius d e W (shifted idx c D l) + m * frobenius d e W (D b)).
    { intros m l W. rewrite <- (Rmult_1_l (frobenius d e W (shifted idx c D l))), <- frobenius_combine_r.
      rewrite !(frobenius_sym d e W). apply frobenius_ext. intros. apply Hshift. }
    destruct (Rle_dec 0 (frobenius d e (D b) r0)) as [Hout|Hin].
    { (* r0 is already nearest *)
      exists (replaced b 0 l0). split.
      { intros k. unfold replaced. destruct (eq_dec k b); [apply (field_zero F HF)|apply Fl0]. }
      constructor.
      - intros k [<-|Hk]; [rewrite replaced_here; lra|]. rewrite (replaced_there b 0 l0 k idx); auto.
      - intros k [<-|Hk]; rewrite Hprod, Rmult_0_l, Rplus_0_r; auto.
      - simpl. rewrite replaced_here, Rmult_0_l, Rplus_0_l.
        rewrite (replaced_sum b 0 l0 idx (fun k => frobenius d e (D k) (shifted (b :: idx) c D (replaced b 0 l0))))
          by assumption.
        etransitivity; [|exact C0]. apply list_sum_ext. intros k _. rewrite Hprod. fold r0. ring. }
    set (B := D b) in *. set (bb := frobenius d e B B).
    assert (Hbb : bb <> 0).
    { intros Hz. apply Hin. apply Req_le. symmetry. apply sum_zero. intros a Ha. apply sum_zero. intros a' Ha'.
      rewrite (frobenius_self_zero d e B Hz a a') by assumption. ring. }
    assert (Fproj : forall A, entries_in F d e A -> entries_in F d e (project d e B A)).
    { intros A FA. apply field_combine; auto; [apply (field_one F HF)|].
      apply (field_opp F HF), field_div; [exact Hbb| |]; now apply field_frobenius. }
    destruct (IH (project d e B c) (fun k => project d e B (D k))) as (l & Fl & [N1 O1 C1]); auto.
    set (r := shifted idx c D l). set (m := - (frobenius d e r B / bb)).
    assert (Er : forall a e', (a < d)%nat -> (e' < e)%nat ->
              shifted idx (project d e B c) (fun k => project d e B (D k)) l a e' = project d e B r a e').
    { intros a e' _ _. unfold project at 3. unfold r at 2. rewrite shifted_product. fold bb.
      unfold r, shifted, project. fold bb.
      rewrite (list_sum_ext idx (fun k => l k * (1 * D k a e' + - (frobenius d e (D k) B / bb) * B a e'))
        (fun k => l k * D k a e' + - (B a e' / bb) * (l k * frobenius d e (D k) B))) by (intros; field; exact Hbb).
      rewrite list_sum_plus, list_sum_scal. field. exact Hbb. }
    assert (Ew : forall W, frobenius d e W (shifted idx (project d e B c) (fun k => project d e B (D k)) l)
                           = frobenius d e W (project d e B r)).
    { intros W. rewrite !(frobenius_sym d e W). now apply frobenius_ext. }
    set (rho := project d e B r) in *.
    assert (Erho : forall W, frobenius d e W rho = frobenius d e W r + m * frobenius d e W B).
    { intros W. unfold rho, project. rewrite frobenius_combine_r. unfold m. fold bb. ring. }
    assert (HB : frobenius d e B rho = 0).
    { rewrite Erho. unfold m. rewrite (frobenius_sym d e B r). fold bb. field. exact Hbb. }
    assert (O2 : forall k, In k idx -> 0 <= frobenius d e (D k) rho).
    { intros k Hk. specialize (O1 k Hk). rewrite Ew in O1. unfold rho in *.
      now rewrite project_product in O1. }
    assert (C2 : list_sum idx (fun k => l k * frobenius d e (D k) rho) = 0).
    { etransitivity; [|exact C1]. apply list_sum_ext. intros k _. rewrite Ew. unfold rho. now rewrite project_product. }
    (* the coefficient of b is not negative *)
    assert (Hm : 0 <= m).
    { apply Rnot_lt_le. intros Hm.
      assert (H1 : frobenius d e r0 r0 <= frobenius d e r r0).
      { unfold r, r0 at 1. rewrite !shifted_product. fold r0. rewrite C0.
        assert (0 <= list_sum idx (fun k => l k * frobenius d e (D k) r0)); [|lra].
        apply list_sum_nonneg. intros k Hk. apply Rmult_le_pos; auto. }
      assert (H2 : frobenius d e r rho <= frobenius d e r0 rho).
      { unfold r, r0. rewrite !shifted_product, C2.
        assert (0 <= list_sum idx (fun k => l0 k * frobenius d e (D k) rho)); [|lra].
        apply list_sum_nonneg. intros k Hk. apply Rmult_le_pos; auto. }
      assert (H3 : frobenius d e rho rho = frobenius d e r rho).
      { rewrite Erho, (frobenius_sym d e rho r), (frobenius_sym d e rho B), HB. ring. }
      assert (H4 : frobenius d e r0 rho = frobenius d e r r0 + m * frobenius d e B r0).
      { rewrite Erho, (frobenius_sym d e r0 r), (frobenius_sym d e r0 B). ring. }
      pose proof (frobenius_self_nonneg d e (fun a b => 1 * rho a b + - 1 * r0 a b)) as H5.
      rewrite frobenius_combine, !frobenius_combine_r, (frobenius_sym d e rho r0) in H5.
      assert (0 < - m * - frobenius d e B r0) by (apply Rmult_lt_0_compat; lra). lra. }
    exists (replaced b m l). split.
    { intros k. unfold replaced. destruct (eq_dec k b); [|apply Fl].
      apply (field_opp F HF), field_div; [exact Hbb| |apply field_frobenius; assumption].
      unfold r. rewrite shifted_product. apply (field_plus F HF); [now apply field_frobenius|].
      apply field_list_sum. intros h Hh. apply (field_mult F HF); [apply Fl|].
      apply field_frobenius; [now apply FD'|assumption]. }
    constructor.
    + intros k [<-|Hk]; [now rewrite replaced_here|]. rewrite (replaced_there b m l k idx); auto.
    + intros k [<-|Hk]; rewrite Hprod; fold r B; rewrite <- Erho; [rewrite HB; lra|now apply O2].
    + simpl. rewrite replaced_here.
      rewrite (replaced_sum b m l idx (fun k => frobenius d e (D k) (shifted (b :: idx) c D (replaced b m l))))
        by assumption.
      rewrite Hprod. fold r B. rewrite <- Erho, HB.
      rewrite (list_sum_ext idx _ (fun k => l k * frobenius d e (D k) rho)); [rewrite C2; ring|].
      intros k _. rewrite Hprod. fold r B. now rewrite <- Erho.
Qed.

(** A further coordinate, so that the cone problem yields the nearest point of the convex hull. *)
Definition extended (d e : nat) (A : matrix) (x : R) : matrix :=
  fun a b => if (a =? d)%nat then (if (b =? e)%nat then x else 0) else (if (b =? e)%nat then 0 else A a b).

Lemma extended_product d e A V x y :
  frobenius (S d) (S e) (extended d e A x) (extended d e V y) = frobenius d e A V + x * y.
Proof.
  unfold frobenius. simpl. f_equal.
  - apply sum_ext. intros a Ha. unfold extended.
    destruct (Nat.eqb_spec a d); [lia|]. rewrite Nat.eqb_refl, Rmult_0_l, Rplus_0_r.
    apply sum_ext. intros b Hb. destruct (Nat.eqb_spec b e); [lia|reflexivity].
  - unfold extended. rewrite !Nat.eqb_refl.
    rewrite (sum_zero e); [ring|]. intros b Hb. destruct (Nat.eqb_spec b e); [lia|ring].
Qed.

(** The point of the convex hull nearest to 0, with weights in the subfield. *)
Theorem nearest_in_hull d e (idx : list I) (A : I -> matrix) :
  NoDup idx -> idx <> [] -> (forall k, In k idx -> entries_in F d e (A k)) ->
  let O := fun (l : I -> R) a b => list_sum idx (fun k => l k * A k a b) in
  exists l, (forall k, F (l k)) /\ (forall k, In k idx -> 0 <= l k) /\ list_sum idx l = 1 /\
            forall k, In k idx -> frobenius d e (O l) (O l) <= frobenius d e (O l) (A k).
Proof.
  intros Hdup Hne FA O.
  destruct (nearest_in_cone_exists (S d) (S e) idx Hdup (extended d e (fun _ _ => 0) (-1))
              (fun k => extended d e (A k) 1)) as (y & Fy & [Hy0 Hout Hcomp]).
  { intros a b _ _. unfold extended.
    destruct (a =? d)%nat, (b =? e)%nat; try apply (field_zero F HF). apply (field_opp F HF), (field_one F HF). }
  { intros k Hk a b Ha Hb. unfold extended.
    destruct (Nat.eqb_spec a d), (Nat.eqb_spec b e); try apply (field_zero F HF); try apply (field_one F HF).
    apply (FA k Hk); lia. }
  set (sigma := list_sum idx y). set (V := O y).
  assert (E : forall W x, frobenius (S d) (S e) (extended d e W x)
      (shifted idx (extended d e (fun _ _ => 0) (-1)) (fun k => extended d e (A k) 1) y)
      = frobenius d e W V + x * (sigma - 1)).
  { intros W x. rewrite frobenius_sym, shifted_product, extended_product.
    rewrite (list_sum_ext idx _ (fun k => y k * frobenius d e (A k) W + x * y k))
      by (intros; rewrite extended_product; ring).
    rewrite list_sum_plus, list_sum_scal, <- frobenius_list. fold sigma. rewrite (frobenius_sym d e W V).
    unfold V, O. replace (frobenius d e (fun _ _ => 0) W) with 0; [ring|].
    symmetry. apply sum_zero. intros. apply sum_zero. intros. ring. }
  assert (Hout' : forall k, In k idx -> 1 - sigma <= frobenius d e (A k) V).
  { intros k Hk. specialize (Hout k Hk). cbv beta in Hout. rewrite E in Hout. lra. }
  assert (Hcomp' : frobenius d e V V = sigma * (1 - sigma)).
  { rewrite (list_sum_ext idx _ (fun k => y k * frobenius d e (A k) V + (sigma - 1) * y k)) in Hcomp
      by (intros; rewrite E; ring).
    rewrite list_sum_plus, list_sum_scal, <- frobenius_list in Hcomp. fold sigma in Hcomp. unfold V, O in *. lra. }
  assert (Hs0 : 0 <= sigma) by now apply list_sum_nonneg.
  assert (Hs : 0 < sigma).
  { destruct Hs0 as [H|H]; [assumption|exfalso]. rewrite <- H in *.
    destruct idx as [|k rest]; [now apply Hne|].
    specialize (Hout' k (or_introl eq_refl)).
    assert (Hz : frobenius d e V V = 0) by lra.
    assert (frobenius d e (A k) V = 0); [|lra].
    apply sum_zero. intros a Ha. apply sum_zero. intros b Hb.
    rewrite (frobenius_self_zero d e V Hz a b) by assumption. ring. }
  exists (fun k => / sigma * y k). split; [|split; [|split]].
  - intros k. apply (field_mult F HF); [|apply Fy]. apply (field_inv F HF); [lra|].
    apply field_list_sum. intros; apply Fy.
  - intros k Hk. apply Rmult_le_pos; [|now apply Hy0]. now apply Rlt_le, Rinv_0_lt_compat.
  - rewrite list_sum_scal. fold sigma. field. lra.
  - intros k Hk.
    assert (EO : forall W, frobenius d e (O (fun k => / sigma * y k)) W = / sigma * frobenius d e V W).
    { intros W. unfold V, O. rewrite !frobenius_list, <- list_sum_scal. apply list_sum_ext. intros; ring. }
    specialize (Hout' k Hk).
    rewrite EO, (frobenius_sym d e V), EO, Hcomp', EO, (frobenius_sym d e V (A k)).
    replace (/ sigma * (/ sigma * (sigma * (1 - sigma)))) with (/ sigma * (1 - sigma)) by (field; lra).
    apply Rmult_le_compat_l; [now apply Rlt_le, Rinv_0_lt_compat|assumption].
Qed.
End Nearest.

Section Gordan.
Context {I : Type}.
Variable eq_dec : forall k h : I, {k = h} + {k <> h}.
Variables d e : nat.

Definition positive (idx : list I) (A : I -> matrix) (W : matrix) : Prop :=
  forall k, In k idx -> 0 < frobenius d e (A k) W.

Theorem gordan (idx : list I) (A : I -> matrix) :
  NoDup idx -> (forall k, In k idx -> entries_in F d e (A k)) ->
  (exists W, entries_in F d e W /\ positive idx A W) \/
  (exists l, (forall k, F (l k)) /\ cancels idx d e A l).
Proof.
  intros Hdup FA. destruct idx as [|k0 rest] eqn:Eidx.
  { left. exists (fun _ _ => 0). split; [intros a c _ _; apply (field_zero F HF)|]. intros k []. }
  rewrite <- Eidx in *. assert (Hne : idx <> []) by now rewrite Eidx.
  destruct (nearest_in_hull eq_dec d e idx A Hdup Hne FA) as (l & Fl & H0 & H1 & Hnear).
  set (O := fun a b => list_sum idx (fun k => l k * A k a b)) in *.
  destruct (Req_dec (frobenius d e O O) 0) as [Hz|Hnz].
  - right. exists l. split; [assumption|]. constructor; [assumption| |].
    + destruct (list_sum_some idx l) as (k & Hk & Hlk); [rewrite H1; lra|]. now exists k.
    + intros a b Ha Hb. apply (frobenius_self_zero d e O Hz a b Ha Hb).
  - left. exists O. split.
    + intros a b Ha Hb. apply field_list_sum. intros k Hk. apply (field_mult F HF); [apply Fl|now apply (FA k Hk)].
    + intros k Hk. specialize (Hnear k Hk). rewrite frobenius_sym.
      pose proof (frobenius_self_nonneg d e O). lra.
Qed.

(** A positive W, scaled up, passes any thresholds. *)
Lemma scale_up (idx : list I) A kappa W :
  (forall k, In k idx -> entries_in F d e (A k) /\ F (kappa k) /\ 0 < kappa k) ->
  entries_in F d e W -> positive idx A W ->
  exists W', entries_in F d e W' /\ satisfies idx d e A kappa W'.
Proof.
  intros HA FW HW.
  set (c := list_sum idx (fun k => kappa k / frobenius d e (A k) W)).
  assert (Hterm : forall k, In k idx -> 0 <= kappa k / frobenius d e (A k) W).
  { intros k Hk. apply Rlt_le, Rdiv_lt_0_compat; [now apply HA|now apply HW]. }
  exists (fun a b => c * W a b). split.
  - intros a b Ha Hb. apply (field_mult F HF); [|now apply FW]. apply field_list_sum. intros k Hk.
    destruct (HA k Hk) as (FA & Fk & _). specialize (HW k Hk).
    apply field_div; [lra|assumption|now apply field_frobenius].
  - intros k Hk. rewrite frobenius_scal_r. specialize (HW k Hk).
    pose proof (list_sum_term idx (fun k => kappa k / frobenius d e (A k) W) k Hterm Hk) as H. cbv beta in H.
    fold c in H. replace (kappa k) with (kappa k / frobenius d e (A k) W * frobenius d e (A k) W)
      by (field; lra).
    apply Rmult_le_compat_r; lra.
Qed.

Lemma margin_or_cancels (idx : list I) A kappa :
  NoDup idx -> (forall k, In k idx -> entries_in F d e (A k) /\ F (kappa k) /\ 0 < kappa k) ->
  (exists W, entries_in F d e W /\ satisfies idx d e A kappa W) \/
  (exists l, (forall k, F (l k)) /\ cancels idx d e A l).
Proof.
  intros Hdup HA. destruct (gordan idx A Hdup) as [(W & FW & HW)|H]; [intros; now apply HA| |now right].
  left. now apply (scale_up idx A kappa W).
Qed.
End Gordan.
End Subfield.

Lemma not_both {I} (idx : list I) d e A kappa W l :
  (forall k, In k idx -> 0 < kappa k) -> satisfies idx d e A kappa W -> cancels idx d e A l -> False.
Proof.
  intros Hk HW [Hl0 Hl1 Hz].
  assert (E : list_sum idx (fun k => l k * frobenius d e (A k) W) = 0).
  { rewrite <- frobenius_list. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb.
    rewrite Hz by assumption. ring. }
  assert (P : 0 < list_sum idx (fun k => l k * frobenius d e (A k) W)).
  { apply list_sum_pos.
    - intros k H. apply Rmult_le_pos; [auto|]. specialize (HW k H). specialize (Hk k H). lra.
    - destruct Hl1 as (k & H & H'). exists k. split; [assumption|]. apply Rmult_lt_0_compat; [assumption|].
      specialize (HW k H). specialize (Hk k H). lra. }
  lra.
Qed.

(** *** The constraints of the sink *)

Definition index_pairs (T : nat) J K : list (nat * nat) :=
  filter (fun p => constrained J K (fst p) (snd p)) (list_prod (seq 0 (S T)) (seq 0 (S T))).

Definition sink_matrix (z : nat -> token) (p : nat * nat) : matrix :=
  outer (z (fst p)) (difference (z 0%nat) (z (snd p))).

Lemma pair_dec (p q : nat * nat) : {p = q} + {p <> q}.
Proof. decide equality; apply Nat.eq_dec. Qed.

Lemma prod_no_dup {I I'} (l : list I) (l' : list I') : NoDup l -> NoDup l' -> NoDup (list_prod l l').
Proof.
  intros Hl Hl'. induction Hl as [|k l Hk Hl IH]; simpl; [constructor|].
  assert (Hm : NoDup (map (fun y => (k, y)) l')).
  { apply FinFun.Injective_map_NoDup; [|assumption]. intros x y H. now inversion H. }
  revert Hm. generalize (fun p H => proj1 (in_map_iff (fun y : I' => (k, y)) l' p) H).
  generalize (map (fun y : I' => (k, y)) l'). intros m Hm. induction m as [|p m IHm]; intros Hd; simpl; [assumption|].
  inversion Hd as [|? ? Hp Hd']. subst. constructor.
  - rewrite in_app_iff. intros [H|H]; [contradiction|].
    destruct (Hm p (or_introl eq_refl)) as (y & <- & _). apply in_prod_iff in H. tauto.
  - apply IHm; [intros q Hq; apply Hm; now right|assumption].
Qed.

Lemma index_pairs_no_dup T J K : NoDup (index_pairs T J K).
Proof. apply NoDup_filter, prod_no_dup; apply seq_NoDup. Qed.

Lemma in_index_pairs T J K j i :
  In (j, i) (index_pairs T J K) <-> (j <= T)%nat /\ (i <= T)%nat /\ constrained J K j i = true.
Proof.
  unfold index_pairs. rewrite filter_In, in_prod_iff, !in_seq. simpl fst. simpl snd. intuition lia.
Qed.

Lemma index_pairs_sum T J K f :
  list_sum (index_pairs T J K) f
  = sum (S T) (fun j => sum (S T) (fun i => if constrained J K j i then f (j, i) else 0)).
Proof.
  unfold index_pairs. rewrite list_sum_filter, list_sum_prod, list_sum_seq.
  apply sum_ext. intros j _. rewrite list_sum_seq. reflexivity.
Qed.

Lemma bilinear_frobenius d W x y : bilinear d W x y = frobenius d d (outer x y) W.
Proof. apply sum_ext. intros a _. apply sum_ext. intros b _. unfold outer. ring. Qed.

Lemma represents_iff d T J K z W :
  represents d T J K z W <-> satisfies (index_pairs T J K) d d (sink_matrix z) (fun _ => 1) W.
Proof.
  split.
  - intros H (j, i) Hp. apply in_index_pairs in Hp. destruct Hp as (Hj & Hi & Hc).
    unfold sink_matrix. rewrite <- bilinear_frobenius. now apply H.
  - intros H j i Hj Hi Hc. rewrite bilinear_frobenius.
    apply (H (j, i)). apply in_index_pairs. auto.
Qed.

Lemma obstructs_of_cancels d T J K z l :
  cancels (index_pairs T J K) d d (sink_matrix z) l -> obstructs d T J K z (fun j i => l (j, i)).
Proof.
  intros [H0 H1 Hz]. constructor.
  - intros j i Hj Hi Hc. apply H0, in_index_pairs. auto.
  - destruct H1 as ((j, i) & Hp & Hl). apply in_index_pairs in Hp. exists j, i. tauto.
  - intros a b Ha Hb. specialize (Hz a b Ha Hb). rewrite index_pairs_sum in Hz. exact Hz.
Qed.

Lemma cancels_of_obstructs d T J K z l :
  obstructs d T J K z l -> cancels (index_pairs T J K) d d (sink_matrix z) (fun p => l (fst p) (snd p)).
Proof.
  intros [H0 H1 Hz]. constructor.
  - intros (j, i) Hp. apply in_index_pairs in Hp. apply H0; tauto.
  - destruct H1 as (j & i & Hj & Hi & Hc & Hl). exists (j, i). split; [apply in_index_pairs; auto|assumption].
  - intros a b Ha Hb. rewrite index_pairs_sum. exact (Hz a b Ha Hb).
Qed.

Lemma sink_matrix_entries F d T J K z : subfield F ->
  (forall k a, (k <= T)%nat -> (a < d)%nat -> F (z k a)) ->
  forall p, In p (index_pairs T J K) -> entries_in F d d (sink_matrix z p) /\ F 1 /\ 0 < 1.
Proof.
  intros HF Hz (j, i) Hp. apply in_index_pairs in Hp. split; [|split; [apply (field_one F HF)|lra]].
  intros a b Ha Hb. simpl in Hp. apply (field_mult F HF); [apply Hz; simpl; tauto|].
  apply (field_minus F HF); apply Hz; simpl; lia.
Qed.

(** ** Theorems *)

(** "Exactly one holds." *)
Theorem sink_alternative d T J K z :
  ((exists W, represents d T J K z W) \/ (exists l, obstructs d T J K z l)) /\
  ~ ((exists W, represents d T J K z W) /\ (exists l, obstructs d T J K z l)).
Proof.
  split.
  - destruct (margin_or_cancels any any_subfield pair_dec d d (index_pairs T J K) (sink_matrix z) (fun _ => 1))
      as [(W & _ & HW)|(l & _ & Hl)].
    + apply index_pairs_no_dup.
    + now apply sink_matrix_entries; [apply any_subfield|].
    + left. exists W. now apply represents_iff.
    + right. eexists. apply obstructs_of_cancels. eassumption.
  - intros [(W & HW) (l & Hl)]. apply represents_iff in HW. apply cancels_of_obstructs in Hl.
    apply (not_both _ _ _ _ _ _ _ (fun _ _ => Rlt_0_1) HW Hl).
Qed.

(** "Both exact certificates": with rational embeddings, rational evidence exists. *)
Theorem sink_alternative_rational d T J K z :
  (forall k a, (k <= T)%nat -> (a < d)%nat -> rational (z k a)) ->
  (exists W, entries_in rational d d W /\ represents d T J K z W) \/
  (exists l, (forall j i, rational (l j i)) /\ obstructs d T J K z l).
Proof.
  intros Hz.
  destruct (margin_or_cancels rational rational_subfield pair_dec d d (index_pairs T J K) (sink_matrix z)
              (fun _ => 1)) as [(W & FW & HW)|(l & Fl & Hl)].
  - apply index_pairs_no_dup.
  - now apply sink_matrix_entries; [apply rational_subfield|].
  - left. exists W. split; [assumption|]. now apply represents_iff.
  - right. exists (fun j i => l (j, i)). split; [intros; apply Fl|]. now apply obstructs_of_cancels.
Qed.

(** Any finite family of margin constraints <A_k, W> >= kappa_k > 0, k < m. *)
Theorem margin_alternative m d e A kappa :
  (forall k, (k < m)%nat -> 0 < kappa k) ->
  ((exists W, satisfies (seq 0 m) d e A kappa W) \/ (exists l, cancels (seq 0 m) d e A l)) /\
  ~ ((exists W, satisfies (seq 0 m) d e A kappa W) /\ (exists l, cancels (seq 0 m) d e A l)).
Proof.
  intros Hk. assert (Hk' : forall k, In k (seq 0 m) -> 0 < kappa k).
  { intros k H. apply in_seq in H. apply Hk. lia. }
  split.
  - destruct (margin_or_cancels any any_subfield Nat.eq_dec d e (seq 0 m) A kappa) as
      [(W & _ & HW)|(l & _ & Hl)]; [apply seq_NoDup| |left; now exists W|right; now exists l].
    intros k H. split; [now intros a b _ _|]. split; [exact Logic.I|auto].
  - intros [(W & HW) (l & Hl)]. exact (not_both _ _ _ _ _ _ _ Hk' HW Hl).
Qed.

Theorem margin_alternative_rational m d e A kappa :
  (forall k, (k < m)%nat -> entries_in rational d e (A k) /\ rational (kappa k) /\ 0 < kappa k) ->
  (exists W, entries_in rational d e W /\ satisfies (seq 0 m) d e A kappa W) \/
  (exists l, (forall k, rational (l k)) /\ cancels (seq 0 m) d e A l).
Proof.
  intros Hk. apply (margin_or_cancels rational rational_subfield Nat.eq_dec); [apply seq_NoDup|].
  intros k H. apply in_seq in H. apply Hk. lia.
Qed.

(** Constraints (query, above, below): q_k^T W (x_k - y_k) >= kappa_k. *)
Theorem score_alternative m d (q above below : nat -> token) kappa :
  (forall k, (k < m)%nat -> 0 < kappa k) ->
  ((exists W, forall k, (k < m)%nat -> kappa k <= bilinear d W (q k) (above k) - bilinear d W (q k) (below k)) \/
   (exists l, (forall k, (k < m)%nat -> 0 <= l k) /\ (exists k, (k < m)%nat /\ 0 < l k) /\
      forall a b, (a < d)%nat -> (b < d)%nat -> sum m (fun k => l k * (q k a * (above k b - below k b))) = 0)).
Proof.
  intros Hk.
  destruct (margin_alternative m d d (fun k => outer (q k) (difference (above k) (below k))) kappa Hk)
    as [[(W & HW)|(l & [H0 H1 Hz])] _].
  - left. exists W. intros k H.
    replace (bilinear d W (q k) (above k) - bilinear d W (q k) (below k))
      with (bilinear d W (q k) (difference (above k) (below k))).
    + rewrite bilinear_frobenius. apply (HW k). apply in_seq. lia.
    + unfold bilinear, difference. rewrite <- sum_minus. apply sum_ext. intros a _.
      rewrite <- sum_minus. apply sum_ext. intros. ring.
  - right. exists l. split; [intros k H; apply H0, in_seq; lia|]. split.
    + destruct H1 as (k & Hin & Hl). apply in_seq in Hin. exists k. split; [lia|assumption].
    + intros a b Ha Hb. specialize (Hz a b Ha Hb). rewrite list_sum_seq in Hz. exact Hz.
Qed.

(** Margin per norm: margin 1 at norm 1/rho is margin rho at norm 1. *)
Theorem margin_per_norm {I} (idx : list I) d e A rho :
  0 < rho ->
  ((exists W, frobenius_norm d e W <= / rho /\ satisfies idx d e A (fun _ => 1) W) <->
   (exists W, frobenius_norm d e W <= 1 /\ satisfies idx d e A (fun _ => rho) W)).
Proof.
  intros Hr.
  assert (Hn : forall c W, 0 <= c -> frobenius_norm d e (fun a b => c * W a b) = c * frobenius_norm d e W).
  { intros c W Hc. unfold frobenius_norm.
    rewrite frobenius_scal_r, frobenius_sym, frobenius_scal_r.
    replace (c * (c * frobenius d e W W)) with (c² * frobenius d e W W) by (unfold Rsqr; ring).
    rewrite sqrt_mult; [now rewrite sqrt_Rsqr|apply Rle_0_sqr|apply frobenius_self_nonneg]. }
  split; intros (W & HW & Hs).
  - exists (fun a b => rho * W a b). split.
    + rewrite Hn by lra. apply (Rmult_le_compat_l rho) in HW; [|lra]. rewrite Rinv_r in HW; lra.
    + intros k Hk. rewrite frobenius_scal_r. specialize (Hs k Hk). cbv beta in Hs. nra.
  - assert (0 < / rho) by now apply Rinv_0_lt_compat.
    exists (fun a b => / rho * W a b). split.
    + rewrite Hn by lra. nra.
    + intros k Hk. rewrite frobenius_scal_r. specialize (Hs k Hk). cbv beta in Hs.
      apply (Rmult_le_compat_l (/ rho)) in Hs; [|lra]. rewrite Rinv_l in Hs; lra.
Qed.

(** The exact Frobenius margin, certified by a point of the convex hull of the constraints. *)
Theorem frobenius_margin {I} (idx : list I) d e A (l : I -> R) :
  let O := fun a b => list_sum idx (fun k => l k * A k a b) in
  let N := frobenius_norm d e O in
  (forall k, In k idx -> 0 <= l k) -> list_sum idx l = 1 ->
  0 < frobenius d e O O -> (forall k, In k idx -> frobenius d e O O <= frobenius d e O (A k)) ->
  (frobenius_norm d e (fun a b => O a b / N) = 1 /\ satisfies idx d e A (fun _ => N) (fun a b => O a b / N)) /\
  (forall W rho, frobenius_norm d e W <= 1 -> satisfies idx d e A (fun _ => rho) W -> rho <= N) /\
  (forall W, frobenius_norm d e W <= 1 -> satisfies idx d e A (fun _ => N) W ->
   forall a b, (a < d)%nat -> (b < e)%nat -> W a b = O a b / N).
Proof.
  intros O N Hl0 Hl1 HO HA.
  assert (HN : 0 < N) by now apply sqrt_lt_R0.
  assert (HNN : N * N = frobenius d e O O) by (apply sqrt_sqrt; lra).
  assert (Hunit : forall W, frobenius_norm d e W <= 1 -> frobenius d e W W <= 1).
  { intros W HW. rewrite <- (sqrt_sqrt (frobenius d e W W)) by apply frobenius_self_nonneg.
    fold (frobenius_norm d e W). pose proof (sqrt_pos (frobenius d e W W)).
    fold (frobenius_norm d e W) in *. nra. }
  assert (Hover : forall W rho, satisfies idx d e A (fun _ => rho) W -> rho <= frobenius d e O W).
  { intros W rho HW. unfold O. rewrite frobenius_list, <- (Rmult_1_r rho), <- Hl1, <- list_sum_scal.
    apply list_sum_le. intros k Hk. rewrite Rmult_comm. apply Rmult_le_compat_l; [auto|]. now apply HW. }
  assert (Hdiv : forall B, frobenius d e B (fun a b => O a b / N) = frobenius d e B O / N).
  { intros B. unfold Rdiv. rewrite (Rmult_comm (frobenius d e B O)), <- frobenius_scal_r.
    rewrite !(frobenius_sym d e B). apply frobenius_ext. intros. ring. }
  split; [split|split].
  - unfold frobenius_norm. rewrite Hdiv, frobenius_sym, Hdiv, <- HNN.
    replace (N * N / N / N) with 1 by (field; lra). apply sqrt_1.
  - intros k Hk. rewrite Hdiv, frobenius_sym. specialize (HA k Hk). rewrite <- HNN in HA.
    apply (Rmult_le_reg_r N); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros W rho HW Hs. eapply Rle_trans; [exact (Hover W rho Hs)|]. apply frobenius_unit; auto.
  - intros W HW Hs a b Ha Hb. apply (Hover W N) in Hs. apply Hunit in HW.
    pose proof (frobenius_self_nonneg d e (fun a b => 1 * W a b + - 1 * (O a b / N))) as Hn.
    assert (Hz : frobenius d e (fun a b => 1 * W a b + - 1 * (O a b / N))
                   (fun a b => 1 * W a b + - 1 * (O a b / N)) = 0).
    { apply Rle_antisym; [|assumption].
      rewrite frobenius_combine, !frobenius_combine_r, !(Hdiv _).
      rewrite (frobenius_sym d e (fun a b => O a b / N) W), (frobenius_sym d e (fun a b => O a b / N) O), !Hdiv.
      rewrite (frobenius_sym d e W O), <- HNN.
      replace (N * N / N / N) with 1 by (field; lra).
      assert (1 <= frobenius d e O W / N).
      { apply (Rmult_le_reg_r N); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      lra. }
    pose proof (frobenius_self_zero _ _ _ Hz a b Ha Hb) as H. cbv beta in H. lra.
Qed.

(** Such a point always exists where the sink can be represented; for rational constraints a rational one. *)
Theorem frobenius_margin_exists F m d e A :
  subfield F -> (0 < m)%nat -> (forall k, (k < m)%nat -> entries_in F d e (A k)) ->
  (exists W, satisfies (seq 0 m) d e A (fun _ => 1) W) ->
  let O := fun (l : nat -> R) a b => list_sum (seq 0 m) (fun k => l k * A k a b) in
  exists l, (forall k, F (l k)) /\ (forall k, In k (seq 0 m) -> 0 <= l k) /\ list_sum (seq 0 m) l = 1 /\
            0 < frobenius d e (O l) (O l) /\
            forall k, In k (seq 0 m) -> frobenius d e (O l) (O l) <= frobenius d e (O l) (A k).
Proof.
  intros HF Hm FA (W & HW) O.
  destruct (nearest_in_hull F HF Nat.eq_dec d e (seq 0 m) A) as (l & Fl & H0 & H1 & Hn).
  - apply seq_NoDup.
  - destruct m; [lia|discriminate].
  - intros k Hk. apply in_seq in Hk. apply FA. lia.
  - exists l. do 3 (split; [assumption|]). split; [|exact Hn].
    destruct (Rle_lt_or_eq_dec 0 _ (frobenius_self_nonneg d e (O l))) as [H|Hz]; [assumption|exfalso].
    apply (not_both (seq 0 m) d e A (fun _ => 1) W l); [intros; lra|assumption|]. constructor; [assumption| |].
    + destruct (list_sum_some (seq 0 m) l) as (k & Hk & Hlk); [rewrite H1; lra|]. now exists k.
    + intros a b Ha Hb. apply (frobenius_self_zero d e (O l) (eq_sym Hz) a b Ha Hb).
Qed.

(** *** Queries that share their key set *)

Definition column (x : token) : matrix := fun a _ => x a.

(** Vectors: v with v.x_k >= 1 for all k that S selects, or 0 in their convex hull. *)
Lemma vector_alternative d T (S : nat -> bool) (x : nat -> token) :
  (exists v : token, forall k, (k <= T)%nat -> S k = true -> 1 <= sum d (fun a => x k a * v a)) \/
  (exists p, convex_weights T S p /\
     forall a, (a < d)%nat -> sum (Datatypes.S T) (fun k => p k * x k a) = 0).
Proof.
  set (idx := filter S (seq 0 (Datatypes.S T))).
  destruct (margin_or_cancels any any_subfield Nat.eq_dec d 1 idx (fun k => column (x k)) (fun _ => 1))
    as [(W & _ & HW)|(l & _ & [H0 H1 Hz])].
  - apply NoDup_filter, seq_NoDup.
  - intros k _. split; [now intros a b _ _|]. split; [exact Logic.I|lra].
  - left. exists (fun a => W a 0%nat). intros k Hk HS.
    assert (Hin : In k idx) by (apply filter_In; split; [apply in_seq; lia|assumption]).
    specialize (HW k Hin). cbv beta in HW. unfold frobenius, column in HW.
    erewrite sum_ext; [exact HW|]. intros a _. simpl. ring.
  - right. set (t := list_sum idx l).
    assert (Ht : 0 < t) by (unfold t; apply list_sum_pos; assumption).
    assert (Hsel : forall f : nat -> R, sum (Datatypes.S T) (fun k => (if S k then l k / t else 0) * f k)
                              = list_sum idx (fun k => l k * f k) / t).
    { intros f. unfold idx. rewrite list_sum_filter, list_sum_seq. unfold Rdiv.
      rewrite <- sum_scal_r. apply sum_ext. intros k _. simpl. destruct (S k); ring. }
    exists (fun k => if S k then l k / t else 0). split.
    + constructor.
      * intros k Hk. destruct (S k) eqn:E; [|lra].
        assert (0 <= l k) by (apply H0, filter_In; split; [apply in_seq; lia|assumption]).
        apply Rmult_le_pos; [assumption|]. now apply Rlt_le, Rinv_0_lt_compat.
      * intros k _ ->. reflexivity.
      * transitivity (sum (Datatypes.S T) (fun k => (if S k then l k / t else 0) * 1)).
        { apply sum_ext. intros. ring. }
        rewrite Hsel. rewrite (list_sum_ext idx _ l) by (intros; ring). fold t. field. lra.
    + intros a Ha. rewrite (Hsel (fun k => x k a)).
      specialize (Hz a 0%nat Ha Nat.lt_0_1). unfold column in Hz. rewrite Hz. field. lra.
Qed.

Theorem common_keys d T J (Kset : nat -> bool) z :
  (exists u v : token, represents d T J (fun _ => Kset) z (outer u v)) \/
  (exists p, convex_weights T J p /\ forall a, (a < d)%nat -> sum (S T) (fun j => p j * z j a) = 0) \/
  (exists p, convex_weights T (fun i => Kset i && negb (i =? 0)%nat) p /\
     forall a, (a < d)%nat -> sum (S T) (fun i => p i * z i a) = z 0%nat a).
Proof.
  destruct (vector_alternative d T J z) as [(u & Hu)|H]; [|now right; left].
  destruct (vector_alternative d T (fun i => Kset i && negb (i =? 0)%nat) (fun i => difference (z 0%nat) (z i)))
    as [(v & Hv)|(p & Hp & Hz)].
  - left. exists u, v. intros j i Hj Hi Hc. unfold constrained in Hc.
    apply andb_true_iff in Hc. destruct Hc as [Hc Hi0]. apply andb_true_iff in Hc. destruct Hc as [HJ HK].
    specialize (Hu j Hj HJ). specialize (Hv i Hi ltac:(now rewrite HK)).
    replace (bilinear d (outer u v) (z j) (difference (z 0%nat) (z i)))
      with (sum d (fun a => z j a * u a) * sum d (fun b => difference (z 0%nat) (z i) b * v b)).
    + nra.
    + unfold bilinear, outer. rewrite <- sum_scal_r. apply sum_ext. intros a _.
      rewrite <- sum_scal. apply sum_ext. intros b _. ring.
  - right. right. exists p. split; [assumption|]. intros a Ha. specialize (Hz a Ha).
    unfold difference in Hz.
    rewrite (sum_ext _ _ (fun k => p k * z 0%nat a - p k * z k a)) in Hz by (intros; ring).
    rewrite sum_minus, sum_scal_r, (convex_total _ _ _ Hp) in Hz. lra.
Qed.

Print Assumptions sink_alternative.
Print Assumptions sink_alternative_rational.
Print Assumptions margin_alternative.
Print Assumptions margin_alternative_rational.
Print Assumptions score_alternative.
Print Assumptions margin_per_norm.
Print Assumptions frobenius_margin.
Print Assumptions frobenius_margin_exists.
Print Assumptions common_keys.
