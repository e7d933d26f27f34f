(** * ge-1: when can a sink be represented? A theorem of the alternative

    Proves the sentences of statement.v about existence: either a matrix, or multipliers; for the sink's constraints, for
    any finite family, with rational evidence for rational data, and for queries that share their keys.

    Proof: a finite family has a point of its convex hull nearest to 0, found by field operations alone
    (theory/nearest_point.v); if it is 0, multipliers cancel; else it is itself a matrix with positive margins, scaled up.
    Shared keys: the same for vectors, u with u.z_j >= 1 and v with v.(z_0 - z_i) >= 1; then W = u v^T.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ge-1 Claim <proofs>/ge-1/alternative.v *)

From Coq Require Import Reals Lra Lia Arith List Bool FinFun.
From Sinkproof Require Import trigger_task hard_switch nearest_point.
From Claim Require Import statement.
Import ListNotations.
Open Scope R_scope.

(** *** Families indexed by a list *)

(** <A_k, W> >= kappa_k for all k of a list, and multipliers over a list: [satisfies] and [cancels] are these for the
    list of the indices below m. *)
Definition all_satisfied {I} (idx : list I) (d e : nat) (A : I -> matrix) (kappa : I -> R) (W : matrix) : Prop :=
  forall k, In k idx -> kappa k <= frobenius d e (A k) W.

Record all_cancel {I} (idx : list I) (d e : nat) (A : I -> matrix) (l : I -> R) : Prop := {
  all_nonneg : forall k, In k idx -> 0 <= l k;
  some_positive : exists k, In k idx /\ 0 < l k;
  sum_is_zero : forall a b, (a < d)%nat -> (b < e)%nat -> list_sum idx (fun k => l k * A k a b) = 0
}.

Lemma in_below k m : In k (seq 0 m) <-> (k < m)%nat.
Proof. rewrite in_seq. lia. Qed.

Lemma satisfies_iff m d e A kappa W : satisfies m d e A kappa W <-> all_satisfied (seq 0 m) d e A kappa W.
Proof. split; intros H k Hk; apply H; now apply in_below. Qed.

Lemma cancels_iff m d e A l : cancels m d e A l <-> all_cancel (seq 0 m) d e A l.
Proof.
  split; intros [H0 (k & Hk & Hl) Hz]; constructor.
  - intros h Hh. apply H0. now apply in_below.
  - exists k. split; [now apply in_below|assumption].
  - intros a b Ha Hb. rewrite list_sum_seq. now apply Hz.
  - intros h Hh. apply H0. now apply in_below.
  - exists k. split; [now apply in_below|assumption].
  - intros a b Ha Hb. specialize (Hz a b Ha Hb). now rewrite list_sum_seq in Hz.
Qed.

Section Gordan.
Variable F : R -> Prop.
Hypothesis HF : subfield F.
Context {I : Type}.
Variable eq_dec : forall k h : I, {k = h} + {k <> h}.
Variables d e : nat.

Definition positive (idx : list I) (A : I -> matrix) (W : matrix) : Prop :=
  forall k, In k idx -> 0 < frobenius d e (A k) W.

Theorem gordan (idx : list I) (A : I -> matrix) :
  NoDup idx -> (forall k, In k idx -> entries_in F d e (A k)) ->
  (exists W, entries_in F d e W /\ positive idx A W) \/
  (exists l, (forall k, F (l k)) /\ all_cancel idx d e A l).
Proof.
  intros Hdup FA. destruct idx as [|k0 rest] eqn:Eidx.
  { left. exists (fun _ _ => 0). split; [intros a c _ _; apply (field_zero F HF)|]. intros k []. }
  rewrite <- Eidx in *. assert (Hne : idx <> []) by now rewrite Eidx.
  destruct (nearest_in_hull F HF eq_dec d e idx A Hdup Hne FA) as (l & Fl & H0 & H1 & Hnear).
  set (O := fun a b => list_sum idx (fun k => l k * A k a b)) in *.
  destruct (Req_dec (frobenius d e O O) 0) as [Hz|Hnz].
  - right. exists l. split; [assumption|]. constructor; [assumption| |].
    + destruct (list_sum_some idx l) as (k & Hk & Hlk); [rewrite H1; lra|]. now exists k.
    + intros a b Ha Hb. apply (frobenius_self_zero d e O Hz a b Ha Hb).
  - left. exists O. split.
    + intros a b Ha Hb. apply (field_list_sum F HF). intros k Hk. apply (field_mult F HF); [apply Fl|now apply (FA k Hk)].
    + intros k Hk. specialize (Hnear k Hk). rewrite frobenius_sym.
      pose proof (frobenius_self_nonneg d e O). lra.
Qed.

(** A positive W, scaled up, passes any thresholds. *)
Lemma scale_up (idx : list I) A kappa W :
  (forall k, In k idx -> entries_in F d e (A k) /\ F (kappa k) /\ 0 < kappa k) ->
  entries_in F d e W -> positive idx A W ->
  exists W', entries_in F d e W' /\ all_satisfied idx d e A kappa W'.
Proof.
  intros HA FW HW.
  set (c := list_sum idx (fun k => kappa k / frobenius d e (A k) W)).
  assert (Hterm : forall k, In k idx -> 0 <= kappa k / frobenius d e (A k) W).
  { intros k Hk. apply Rlt_le, Rdiv_lt_0_compat; [now apply HA|now apply HW]. }
  exists (fun a b => c * W a b). split.
  - intros a b Ha Hb. apply (field_mult F HF); [|now apply FW]. apply (field_list_sum F HF). intros k Hk.
    destruct (HA k Hk) as (FA & Fk & _). specialize (HW k Hk).
    apply (field_div F HF); [lra|assumption|now apply (field_frobenius F HF)].
  - intros k Hk. rewrite frobenius_scal_r. specialize (HW k Hk).
    pose proof (list_sum_term idx (fun k => kappa k / frobenius d e (A k) W) k Hterm Hk) as H. cbv beta in H.
    fold c in H. replace (kappa k) with (kappa k / frobenius d e (A k) W * frobenius d e (A k) W)
      by (field; lra).
    apply Rmult_le_compat_r; lra.
Qed.

Lemma margin_or_cancels (idx : list I) A kappa :
  NoDup idx -> (forall k, In k idx -> entries_in F d e (A k) /\ F (kappa k) /\ 0 < kappa k) ->
  (exists W, entries_in F d e W /\ all_satisfied idx d e A kappa W) \/
  (exists l, (forall k, F (l k)) /\ all_cancel idx d e A l).
Proof.
  intros Hdup HA. destruct (gordan idx A Hdup) as [(W & FW & HW)|H]; [intros; now apply HA| |now right].
  left. now apply (scale_up idx A kappa W).
Qed.
End Gordan.

Lemma not_both {I} (idx : list I) d e A kappa W l :
  (forall k, In k idx -> 0 < kappa k) -> all_satisfied idx d e A kappa W -> all_cancel idx d e A l -> False.
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
  outer (z (fst p)) (token_difference (z 0%nat) (z (snd p))).

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

Lemma represents_iff d T J K z W :
  margin_at_least d T J K z W 1 <-> all_satisfied (index_pairs T J K) d d (sink_matrix z) (fun _ => 1) W.
Proof.
  split.
  - intros H (j, i) Hp. apply in_index_pairs in Hp. destruct Hp as (Hj & Hi & Hc).
    unfold sink_matrix. rewrite <- bilinear_frobenius. now apply H.
  - intros H j i Hj Hi Hc. rewrite bilinear_frobenius.
    apply (H (j, i)). apply in_index_pairs. auto.
Qed.

Lemma obstructs_of_all_cancel d T J K z l :
  all_cancel (index_pairs T J K) d d (sink_matrix z) l -> obstructs d T J K z (fun j i => l (j, i)).
Proof.
  intros [H0 H1 Hz]. constructor.
  - intros j i Hj Hi Hc. apply H0, in_index_pairs. auto.
  - destruct H1 as ((j, i) & Hp & Hl). apply in_index_pairs in Hp. exists j, i. tauto.
  - intros a b Ha Hb. specialize (Hz a b Ha Hb). rewrite index_pairs_sum in Hz. exact Hz.
Qed.

Lemma all_cancel_of_obstructs d T J K z l :
  obstructs d T J K z l -> all_cancel (index_pairs T J K) d d (sink_matrix z) (fun p => l (fst p) (snd p)).
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

(** *** Theorems *)

(** "Exactly one holds." *)
Theorem sink_alternative : statement.sink_alternative.
Proof.
  intros d T J K z.
  split.
  - destruct (margin_or_cancels any any_subfield pair_dec d d (index_pairs T J K) (sink_matrix z) (fun _ => 1))
      as [(W & _ & HW)|(l & _ & Hl)].
    + apply index_pairs_no_dup.
    + now apply sink_matrix_entries; [apply any_subfield|].
    + left. exists W. now apply represents_iff.
    + right. eexists. apply obstructs_of_all_cancel. eassumption.
  - intros [(W & HW) (l & Hl)]. apply represents_iff in HW. apply all_cancel_of_obstructs in Hl.
    apply (not_both _ _ _ _ _ _ _ (fun _ _ => Rlt_0_1) HW Hl).
Qed.

(** "Both exact certificates": with rational embeddings, rational evidence exists. *)
Theorem sink_alternative_rational : statement.sink_alternative_rational.
Proof.
  intros d T J K z Hz.
  destruct (margin_or_cancels rational rational_subfield pair_dec d d (index_pairs T J K) (sink_matrix z)
              (fun _ => 1)) as [(W & FW & HW)|(l & Fl & Hl)].
  - apply index_pairs_no_dup.
  - now apply sink_matrix_entries; [apply rational_subfield|].
  - left. exists W. split; [assumption|]. now apply represents_iff.
  - right. exists (fun j i => l (j, i)). split; [intros; apply Fl|]. now apply obstructs_of_all_cancel.
Qed.

(** Any finite family of margin constraints <A_k, W> >= kappa_k > 0, k < m. *)
Theorem margin_alternative : statement.margin_alternative.
Proof.
  intros m d e A kappa Hk. assert (Hk' : forall k, In k (seq 0 m) -> 0 < kappa k).
  { intros k H. now apply Hk, in_below. }
  split.
  - destruct (margin_or_cancels any any_subfield Nat.eq_dec d e (seq 0 m) A kappa) as
      [(W & _ & HW)|(l & _ & Hl)]; [apply seq_NoDup| | |].
    + intros k H. split; [now intros a b _ _|]. split; [exact Logic.I|auto].
    + left. exists W. now apply satisfies_iff.
    + right. exists l. now apply cancels_iff.
  - intros [(W & HW) (l & Hl)]. apply satisfies_iff in HW. apply cancels_iff in Hl.
    exact (not_both _ _ _ _ _ _ _ Hk' HW Hl).
Qed.

Theorem margin_alternative_rational : statement.margin_alternative_rational.
Proof.
  intros m d e A kappa Hk.
  destruct (margin_or_cancels rational rational_subfield Nat.eq_dec d e (seq 0 m) A kappa) as
    [(W & FW & HW)|(l & Fl & Hl)]; [apply seq_NoDup| | |].
  - intros k H. now apply Hk, in_below.
  - left. exists W. split; [exact FW|]. now apply satisfies_iff.
  - right. exists l. split; [exact Fl|]. now apply cancels_iff.
Qed.

(** Constraints (query, above, below): q_k^T W (x_k - y_k) >= kappa_k. *)
Theorem score_alternative : statement.score_alternative.
Proof.
  intros m d q above below kappa Hk.
  destruct (margin_alternative m d d (fun k => outer (q k) (token_difference (above k) (below k))) kappa Hk)
    as [[(W & HW)|(l & [H0 H1 Hz])] _].
  - left. exists W. intros k H.
    replace (bilinear d W (q k) (above k) - bilinear d W (q k) (below k))
      with (bilinear d W (q k) (token_difference (above k) (below k))).
    + rewrite bilinear_frobenius. now apply (HW k).
    + unfold bilinear, token_difference. rewrite <- sum_minus. apply sum_ext. intros a _.
      rewrite <- sum_minus. apply sum_ext. intros. ring.
  - right. exists l. split; [exact H0|]. split; [exact H1|exact Hz].
Qed.

(** *** Queries that share their key set *)

(** Vectors: v with v.x_k >= 1 for all k that S selects, or 0 in their convex hull. *)
Lemma vector_alternative d T S (x : nat -> token) :
  (exists v : token, forall k, (k <= T)%nat -> S k = true -> 1 <= dot d (x k) v) \/
  (exists p, convex_weights T S p /\ forall a, (a < d)%nat -> mixture T p x a = 0).
Proof.
  destruct (existsb S (seq 0 (Datatypes.S T))) eqn:E.
  - apply existsb_exists in E. destruct E as (k0 & Hk0 & HS). apply in_seq in Hk0.
    destruct (nearest_mixture any d T S x any_subfield) as (p & _ & Hp & Hn).
    + exists k0. split; [lia|assumption].
    + intros. exact Logic.I.
    + set (P := mixture T p x) in *. destruct (Req_dec (dot d P P) 0) as [Hz|Hnz].
      * right. exists p. split; [assumption|]. intros a Ha. rewrite <- frobenius_column in Hz.
        apply (frobenius_self_zero d 1 _ Hz a 0%nat); lia.
      * left. exists (fun a => / dot d P P * P a). intros k Hk HSk. rewrite dot_scal. specialize (Hn k Hk HSk).
        pose proof (dot_self_nonneg d P).
        replace (dot d (x k) P) with (dot d P (x k)) by (apply sum_ext; intros; ring).
        apply (Rmult_le_reg_l (dot d P P)); [lra|]. rewrite <- Rmult_assoc, Rinv_r by assumption. lra.
  - left. exists (fun _ => 0). intros k Hk HSk. exfalso. revert E. apply not_false_iff_true, existsb_exists.
    exists k. split; [apply in_seq; lia|assumption].
Qed.

Theorem common_keys : statement.common_keys.
Proof.
  intros d T J Kset z.
  destruct (vector_alternative d T J z) as [(u & Hu)|H]; [|now right; left].
  destruct (vector_alternative d T (other_keys Kset) (fun i => token_difference (z 0%nat) (z i)))
    as [(v & Hv)|(p & Hp & Hz)].
  - left. exists u, v. intros j i Hj Hi Hc. unfold constrained in Hc.
    apply andb_true_iff in Hc. destruct Hc as [Hc Hi0]. apply andb_true_iff in Hc. destruct Hc as [HJ HK].
    specialize (Hu j Hj HJ). specialize (Hv i Hi ltac:(unfold other_keys; now rewrite HK)).
    replace (bilinear d (outer u v) (z j) (token_difference (z 0%nat) (z i)))
      with (dot d (z j) u * dot d (token_difference (z 0%nat) (z i)) v).
    + nra.
    + unfold bilinear, outer, dot. rewrite <- sum_scal_r. apply sum_ext. intros a _.
      rewrite <- sum_scal. apply sum_ext. intros b _. ring.
  - right. right. exists p. split; [assumption|]. intros a Ha. specialize (Hz a Ha).
    unfold mixture, token_difference in *.
    rewrite (sum_ext _ _ (fun k => p k * z 0%nat a - p k * z k a)) in Hz by (intros; ring).
    rewrite sum_minus, sum_scal_r, (convex_total _ _ _ Hp) in Hz. lra.
Qed.

Print Assumptions sink_alternative.
Print Assumptions sink_alternative_rational.
Print Assumptions margin_alternative.
Print Assumptions margin_alternative_rational.
Print Assumptions score_alternative.
Print Assumptions common_keys.
