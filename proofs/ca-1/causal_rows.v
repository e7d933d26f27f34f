(** * ca-1: the proofs

    By induction over the layers: a causal map gives the same rows to a prefix, so the next one is given the same.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ca-1 Claim causal_rows.v *)

From Coq Require Import List Arith Lia.
From Claim Require Import statement.
Import ListNotations.

Lemma causal_length {A B} (f : list A -> B) rows : length (causal f rows) = length rows.
Proof. unfold causal. now rewrite map_length, seq_length. Qed.

Lemma firstn_seq n : forall start k, firstn k (seq start n) = seq start (min k n).
Proof.
  induction n as [|n IH]; intros start [|k]; simpl; try reflexivity. now rewrite IH.
Qed.

Lemma firstn_of_firstn {A} (rows : list A) k n : k <= n -> firstn k (firstn n rows) = firstn k rows.
Proof. intros H. rewrite firstn_firstn. now rewrite Nat.min_l. Qed.

(** The first n rows of a causal map are the map of the first n rows. *)
Lemma causal_firstn {A B} (f : list A -> B) rows n : firstn n (causal f rows) = causal f (firstn n rows).
Proof.
  unfold causal. rewrite firstn_map, firstn_seq, firstn_length. apply map_ext_in. intros i Hi.
  apply in_seq in Hi. now rewrite firstn_of_firstn by lia.
Qed.

Lemma layers_firstn {X} (layers : list (list X -> X)) : forall rows n,
  firstn n (fold_left (fun rows f => causal f rows) layers rows) =
  fold_left (fun rows f => causal f rows) layers (firstn n rows).
Proof.
  induction layers as [|f layers IH]; intros rows n; simpl; [reflexivity|]. now rewrite IH, causal_firstn.
Qed.

Lemma firstn_prefix {A} (prefix rest : list A) : firstn (length prefix) (prefix ++ rest) = prefix.
Proof. rewrite firstn_app, firstn_all, Nat.sub_diag. apply app_nil_r. Qed.

Theorem prefix_rows : statement.prefix_rows.
Proof.
  intros T X embed layers prefix rest. unfold run. now rewrite layers_firstn, causal_firstn, firstn_prefix.
Qed.

Lemma one_row {X} (layers : list (list X -> X)) : forall row,
  fold_left (fun rows f => causal f rows) layers [row] = [fold_left (fun row f => f [row]) layers row].
Proof. induction layers as [|f layers IH]; intros row; simpl; [reflexivity|]. apply IH. Qed.

Lemma nth_error_firstn {A} (rows : list A) : nth_error (firstn 1 rows) 0 = nth_error rows 0.
Proof. now destruct rows. Qed.

Theorem first_row : statement.first_row.
Proof.
  intros T X embed layers first rest. rewrite <- nth_error_firstn.
  change 1 with (length [first]). change (first :: rest) with ([first] ++ rest). rewrite prefix_rows.
  unfold run. change (causal embed [first]) with [embed [first]]. now rewrite one_row.
Qed.

Lemma firstn_S_nth {A} (rows : list A) (a : A) : forall i, i < length rows ->
  nth i (firstn (S i) rows) a = nth i rows a.
Proof.
  induction rows as [|x rows IH]; intros [|i] H; simpl in *; try lia; [reflexivity|]. apply IH. lia.
Qed.

Theorem causal_iff : statement.causal_iff.
Proof.
  intros A B b F. split.
  - intros [f H]. split; intros; rewrite !H; [apply causal_length|]. now rewrite causal_firstn, firstn_prefix.
  - intros [L P]. exists (fun seen => nth (length seen - 1) (F seen) b). intros rows.
    apply (nth_ext _ _ b b); [now rewrite causal_length|]. rewrite L. intros i Hi.
    unfold causal.
    set (g := fun i : nat => nth (length (firstn (S i) rows) - 1) (F (firstn (S i) rows)) b).
    rewrite (nth_indep (map g _) b (g 0)) by now rewrite map_length, seq_length.
    rewrite map_nth, seq_nth by exact Hi. unfold g. cbn [Nat.add].
    rewrite firstn_length, Nat.min_l by lia. replace (S i - 1) with i by lia.
    rewrite <- (firstn_skipn (S i) rows) at 1.
    rewrite <- (firstn_S_nth (F _) b i) by (rewrite L, app_length, firstn_length; lia).
    replace (S i) with (length (firstn (S i) rows)) at 1 by (rewrite firstn_length; lia).
    now rewrite P.
Qed.

Theorem mask_needed : statement.mask_needed.
Proof. cbv. discriminate. Qed.

Print Assumptions prefix_rows.
Print Assumptions first_row.
Print Assumptions causal_iff.
Print Assumptions mask_needed.
