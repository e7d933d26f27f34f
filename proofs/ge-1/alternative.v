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
    - [common_keys]: if all queries share their key set, then (a) with a W of rank one, or 0 is in the
      convex hull of the queries, or z_0 is in the convex hull of the other keys.

    Proof of the alternative (Gordan's theorem): induction on the number of constraints, for all families
    at once.  A further matrix b: if b = 0 take the multiplier 1.  Else project the others on the
    complement of b.  If the projections have a common W, move it a little along b.  If they have
    multipliers l, then sum l_k A_k = mu b.  mu <= 0: add -mu b.  mu > 0: b is a positive combination of
    the others, so both alternatives of the others (induction again) carry over.

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

(** A step so small that finitely many positive numbers stay positive. *)
Lemma small_step {I} (idx : list I) (x y : I -> R) :
  (forall k, In k idx -> F (x k) /\ F (y k) /\ 0 < x k) ->
  exists s, F s /\ 0 < s /\ forall k, In k idx -> 0 < x k + s * y k.
Proof.
  induction idx as [|k idx IH]; intros H.
  - exists 1. split; [apply (field_one F HF)|]. split; [lra|]. intros k [].
  - destruct IH as (s & Fs & Hs & Hall); [intros; apply H; now right|].
    destruct (H k (or_introl eq_refl)) as (Fx & Fy & Hx).
    set (D := x k + s * Rabs (y k)).
    assert (HD : 0 < D) by (unfold D; pose proof (Rabs_pos (y k)); nra).
    assert (FD : F D).
    { apply (field_plus F HF); [assumption|]. apply (field_mult F HF); [assumption|now apply field_abs]. }
    exists (s * (x k / D)). assert (Hq : 0 < x k / D) by (apply Rdiv_lt_0_compat; lra).
    assert (Hq1 : x k / D <= 1).
    { apply (Rmult_le_reg_r D); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      unfold D. pose proof (Rabs_pos (y k)). nra. }
    split; [apply (field_mult F HF); [assumption|apply field_div; auto; lra]|].
    split; [now apply Rmult_lt_0_compat|].
    intros h [<-|Hh].
    + apply (Rmult_lt_reg_r D); [assumption|].
      replace ((x k + s * (x k / D) * y k) * D) with (x k * (D + s * y k)) by (field; lra).
      rewrite Rmult_0_l. apply Rmult_lt_0_compat; [assumption|]. unfold D.
      assert (Habs : 0 <= Rabs (y k) + y k) by (pose proof (Rle_abs (- y k)) as Ha; rewrite Rabs_Ropp in Ha; lra).
      pose proof (Rmult_le_pos s _ (Rlt_le _ _ Hs) Habs). lra.
    + specialize (Hall h Hh). destruct (H h (or_intror Hh)) as (_ & _ & Hxh).
      destruct (Rle_dec 0 (y h)).
      * assert (0 <= s * (x k / D) * y h) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
      * assert (0 <= s * (1 - x k / D)) by (apply Rmult_le_pos; lra). nra.
Qed.

(** *** Gordan's theorem *)

Section Gordan.
Context {I : Type}.
Variable eq_dec : forall k h : I, {k = h} + {k <> h}.
Variables d e : nat.

Definition positive (idx : list I) (A : I -> matrix) (W : matrix) : Prop :=
  forall k, In k idx -> 0 < frobenius d e (A k) W.

Definition replaced (b : I) (m : R) (l : I -> R) : I -> R := fun k => if eq_dec k b then m else l k.

Lemma replaced_here b m l : replaced b m l b = m.
Proof. unfold replaced. now destruct (eq_dec b b). Qed.

Lemma replaced_sum b m l idx (f : I -> R) :
  ~ In b idx -> list_sum idx (fun k => replaced b m l k * f k) = list_sum idx (fun k => l k * f k).
Proof.
  intros Hb. apply list_sum_ext. intros k Hk. unfold replaced.
  destruct (eq_dec k b) as [->|_]; [contradiction|reflexivity].
Qed.

(** Multipliers with m on b and l elsewhere. *)
Lemma cancels_cons b idx A l m :
  ~ In b idx -> 0 <= m -> (forall k, In k idx -> 0 <= l k) ->
  (0 < m \/ exists k, In k idx /\ 0 < l k) ->
  (forall a c, (a < d)%nat -> (c < e)%nat -> m * A b a c + list_sum idx (fun k => l k * A k a c) = 0) ->
  cancels (b :: idx) d e A (replaced b m l).
Proof.
  intros Hb Hm Hl Hsome Hzero.
  assert (Hk : forall k, In k idx -> replaced b m l k = l k).
  { intros k Hk. unfold replaced. destruct (eq_dec k b) as [->|_]; [contradiction|reflexivity]. }
  constructor.
  - intros k [<-|H]; [now rewrite replaced_here|]. rewrite Hk by assumption. auto.
  - destruct Hsome as [H|(k & H & H')].
    + exists b. split; [now left|]. now rewrite replaced_here.
    + exists k. split; [now right|]. now rewrite Hk.
  - intros a c Ha Hc. simpl. rewrite replaced_here.
    rewrite (replaced_sum b m l idx (fun k => A k a c)) by assumption. auto.
Qed.

Definition projected (b : matrix) (A : I -> matrix) : I -> matrix :=
  fun k a c => 1 * A k a c + - (frobenius d e (A k) b / frobenius d e b b) * b a c.

Theorem gordan idx :
  NoDup idx -> forall A, (forall k, In k idx -> entries_in F d e (A k)) ->
  (exists W, entries_in F d e W /\ positive idx A W) \/
  (exists l, (forall k, F (l k)) /\ cancels idx d e A l).
Proof.
  induction idx as [|b idx IH]; intros Hdup A HA.
  - left. exists (fun _ _ => 0). split; [intros a c _ _; apply (field_zero F HF)|]. intros k [].
  - inversion Hdup as [|? ? Hb Hdup']. subst. specialize (IH Hdup').
    assert (HAb : entries_in F d e (A b)) by (apply HA; now left).
    assert (HA' : forall k, In k idx -> entries_in F d e (A k)) by (intros; apply HA; now right).
    destruct (Req_dec (frobenius d e (A b) (A b)) 0) as [Hz|Hnz].
    { right. exists (replaced b 1 (fun _ => 0)). split.
      - intros k. unfold replaced. destruct (eq_dec k b); [apply (field_one F HF)|apply (field_zero F HF)].
      - apply cancels_cons; try assumption; try lra; [intros; lra|].
        intros a c Ha Hc. rewrite (frobenius_self_zero d e (A b) Hz a c Ha Hc), list_sum_scal. ring. }
    assert (Hbb : 0 < frobenius d e (A b) (A b)) by (pose proof (frobenius_self_nonneg d e (A b)); lra).
    assert (FAbb : F (frobenius d e (A b) (A b))) by now apply field_frobenius.
    set (B := A b) in *. set (bb := frobenius d e B B) in *.
    destruct (IH (projected B A)) as [(V & FV & HV)|(l & Fl & Hl)].
    { intros k Hk. apply field_combine; auto; [apply (field_one F HF)|].
      apply (field_opp F HF), field_div; auto. now apply field_frobenius; [apply HA'|]. }
    + (* a common W of the projections, made orthogonal to b, then moved along b *)
      left. set (q := frobenius d e B V / bb).
      assert (FBV : F (frobenius d e B V)) by now apply field_frobenius.
      assert (Fq : F q) by (apply field_div; auto).
      set (U := fun a c => 1 * V a c + - q * B a c).
      assert (FU : entries_in F d e U).
      { apply field_combine; auto; [apply (field_one F HF)|]. now apply (field_opp F HF). }
      assert (HU : forall k, In k idx -> 0 < frobenius d e (A k) U).
      { intros k Hk. specialize (HV k Hk). unfold projected in HV. fold bb in HV.
        rewrite frobenius_combine in HV. unfold U, q. rewrite frobenius_combine_r.
        replace (1 * frobenius d e (A k) V + - (frobenius d e B V / bb) * frobenius d e (A k) B)
          with (1 * frobenius d e (A k) V + - (frobenius d e (A k) B / bb) * frobenius d e B V)
          by (field; assumption). assumption. }
      assert (HUb : frobenius d e B U = 0).
      { unfold U, q. rewrite frobenius_combine_r. fold bb. field. assumption. }
      destruct (small_step idx (fun k => frobenius d e (A k) U) (fun k => frobenius d e (A k) B)) as
        (s & Fs & Hs & Hall).
      { intros k Hk. split; [|split]; [now apply field_frobenius; [apply HA'|]| |now apply HU].
        now apply field_frobenius; [apply HA'|]. }
      exists (fun a c => 1 * U a c + s * B a c). split.
      { apply field_combine; auto. apply (field_one F HF). }
      intros k [<-|Hk]; rewrite frobenius_combine_r.
      * fold B bb. rewrite HUb. nra.
      * specialize (Hall k Hk). lra.
    + set (mu := list_sum idx (fun k => l k * frobenius d e (A k) B) / bb).
      assert (Hmu : forall a c, (a < d)%nat -> (c < e)%nat ->
                    list_sum idx (fun k => l k * A k a c) = mu * B a c).
      { intros a c Ha Hc. pose proof (cancels_zero _ _ _ _ _ Hl a c Ha Hc) as H. unfold projected in H.
        fold bb in H.
        rewrite (list_sum_ext idx _ (fun k => l k * A k a c + (- (B a c / bb)) * (l k * frobenius d e (A k) B))) in H.
        - rewrite list_sum_plus, list_sum_scal in H. unfold mu.
          replace (list_sum idx (fun k => l k * frobenius d e (A k) B) / bb * B a c)
            with (B a c / bb * list_sum idx (fun k => l k * frobenius d e (A k) B)) by (field; assumption). lra.
        - intros k _. field. assumption. }
      assert (Fmu : F mu).
      { apply field_div; auto. apply field_list_sum. intros k Hk.
        apply (field_mult F HF); [apply Fl|]. now apply field_frobenius; [apply HA'|]. }
      pose proof (cancels_nonneg _ _ _ _ _ Hl) as Hl0. pose proof (cancels_some _ _ _ _ _ Hl) as Hl1.
      destruct (Rle_dec mu 0) as [Hneg|Hpos].
      * right. exists (replaced b (- mu) l). split.
        { intros k. unfold replaced. destruct (eq_dec k b); [now apply (field_opp F HF)|apply Fl]. }
        apply cancels_cons; auto; [lra|]. intros a c Ha Hc. rewrite Hmu by assumption. fold B. ring.
      * destruct (IH A HA') as [(V & FV & HV)|(l' & Fl' & Hl')].
        { left. exists V. split; [assumption|]. intros k [<-|Hk]; [|now apply HV].
          assert (E : mu * frobenius d e B V = list_sum idx (fun k => l k * frobenius d e (A k) V)).
          { rewrite <- frobenius_list, <- (Rplus_0_r (mu * _)), <- (Rmult_0_l (frobenius d e B V)),
              <- frobenius_combine.
            apply frobenius_ext. intros a c Ha Hc. rewrite Hmu by assumption. ring. }
          assert (P : 0 < list_sum idx (fun k => l k * frobenius d e (A k) V)).
          { apply list_sum_pos.
            - intros k Hk. apply Rmult_le_pos; [auto|]. now apply Rlt_le, HV.
            - destruct Hl1 as (k & Hk & Hk'). exists k. split; [assumption|].
              apply Rmult_lt_0_compat; [assumption|]. now apply HV. }
          fold B. apply (Rmult_lt_reg_l mu); [lra|]. rewrite Rmult_0_r, E. assumption. }
        right. exists (replaced b 0 l'). split.
        { intros k. unfold replaced. destruct (eq_dec k b); [apply (field_zero F HF)|apply Fl']. }
        apply cancels_cons; auto; [lra|apply (cancels_nonneg _ _ _ _ _ Hl')| |].
        { right. apply (cancels_some _ _ _ _ _ Hl'). }
        intros a c Ha Hc. rewrite (cancels_zero _ _ _ _ _ Hl') by assumption. ring.
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
  intros Hdup HA. destruct (gordan idx Hdup A) as [(W & FW & HW)|H]; [intros; now apply HA| |now right].
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
Print Assumptions common_keys.
