(** * Nearest points of cones and hulls, by field operations alone

    Finite families of matrices, indexed by a list.  The point of a cone c + sum l_k D_k, l >= 0, nearest to 0
    ([nearest_in_cone_exists]) and the point of a convex hull nearest to 0 ([nearest_in_hull], for vectors
    [nearest_mixture]) exist with coefficients in any field that holds the data: rational data, rational points.  No
    compactness is used.

    Proof: by induction on the number of generators, for all cones at once.  A further generator b: if the point r0
    found without it has <r0, b> >= 0, keep it.  Else solve the problem projected on the complement of b and give b
    the coefficient m that makes the result orthogonal to b; m >= 0, because otherwise
    |r0 - rho|^2 <= - m <r0, b> < 0 for the new point rho.  The convex hull is the cone (0, -1) + sum y_k (A_k, 1) in
    one more coordinate, scaled by 1/sum y_k.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/nearest_point.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task hard_switch.
From Sinkproof Require Export scores.
Import ListNotations.
Open Scope R_scope.

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

Definition entries_in (F : R -> Prop) (d e : nat) (A : matrix) : Prop :=
  forall a b, (a < d)%nat -> (b < e)%nat -> F (A a b).

(** *** Sums over lists *)

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
End Subfield.

(** *** Vectors *)

(** A vector as a matrix of one column. *)
Definition column (x : token) : matrix := fun a _ => x a.

Lemma frobenius_column d x y : frobenius d 1 (column x) (column y) = dot d x y.
Proof. apply sum_ext. intros a _. cbn [sum]. unfold column. ring. Qed.

(** The nearest point of the hull of the vectors that S selects. *)
Lemma nearest_mixture F d T S (x : nat -> token) :
  subfield F -> (exists k, (k <= T)%nat /\ S k = true) ->
  (forall k a, (k <= T)%nat -> (a < d)%nat -> F (x k a)) ->
  exists p, (forall k, F (p k)) /\ convex_weights T S p /\
    forall k, (k <= T)%nat -> S k = true -> dot d (mixture T p x) (mixture T p x) <= dot d (mixture T p x) (x k).
Proof.
  intros HF (k0 & Hk0 & HS0) Fx. set (idx := filter S (seq 0 (Datatypes.S T))).
  assert (Hin : forall k, In k idx <-> (k <= T)%nat /\ S k = true).
  { intros k. unfold idx. rewrite filter_In, in_seq. intuition lia. }
  destruct (nearest_in_hull F HF Nat.eq_dec d 1 idx (fun k => column (x k))) as (l & Fl & H0 & H1 & Hn).
  - apply NoDup_filter, seq_NoDup.
  - intros E. apply (in_nil (a := k0)). rewrite <- E. now apply Hin.
  - intros k Hk a b Ha _. apply Hin in Hk. now apply Fx.
  - set (p := fun k => if S k then l k else 0).
    assert (Hsel : forall f, sum (Datatypes.S T) (fun k => p k * f k) = list_sum idx (fun k => l k * f k)).
    { intros f. unfold idx, p. rewrite list_sum_filter, list_sum_seq. apply sum_ext. intros k _.
      simpl. destruct (S k); ring. }
    exists p. split; [|split; [constructor|]].
    + intros k. unfold p. destruct (S k); [apply Fl|apply (field_zero F HF)].
    + intros k Hk. unfold p. destruct (S k) eqn:E; [apply H0; now apply Hin|lra].
    + intros k _ E. unfold p. now rewrite E.
    + rewrite (sum_ext _ _ (fun k => p k * 1)) by (intros; ring). rewrite (Hsel (fun _ => 1)).
      etransitivity; [|exact H1]. apply list_sum_ext. intros. ring.
    + intros k Hk E. specialize (Hn k ltac:(now apply Hin)). rewrite <- !frobenius_column.
      assert (Em : forall W, frobenius d 1 (column (mixture T p x)) W
                = frobenius d 1 (fun a b => list_sum idx (fun k => l k * column (x k) a b)) W).
      { intros W. apply frobenius_ext. intros a b _ _. unfold column, mixture. apply (Hsel (fun k => x k a)). }
      rewrite Em, frobenius_sym, Em, Em. exact Hn.
Qed.

(** *** Scores *)

Lemma bilinear_frobenius d W x y : bilinear d W x y = frobenius d d (outer x y) W.
Proof. apply sum_ext. intros a _. apply sum_ext. intros b _. unfold outer. ring. Qed.
