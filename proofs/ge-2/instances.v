(** * ge-2: what it assumes can be met

    In the plane: z_0 = (1, 1), queries z_0 and z_1 = (1, -1), keys z_2 = (0, 0) and z_3 = (0, 2).  The queries' nearest
    point to 0 is (1, 0), the gaps z_0 - z_i are (1, 1) and (1, -1), so the nearest gap is (1, 0) too, and
    W = (1, 0)(1, 0)^T has margin 1 and norm 1.  For the refutations z_1 or z_3 is moved.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ge-2 Claim <proofs>/ge-2/instances.v *)

From Coq Require Import Reals Lra Lia Arith Bool.
From Sinkproof Require Import trigger_task hard_switch nearest_point.
From Claim Require Import statement.
Open Scope R_scope.

Definition plane (x y : R) : token := fun a => if (a =? 0)%nat then x else y.

(** z_0, .., z_3. *)
Definition embeddings (query key : token) : nat -> token := fun k =>
  match k with 0 => plane 1 1 | 1 => query | 2 => plane 0 0 | _ => key end.

Definition fitting := embeddings (plane 1 (-1)) (plane 0 2).
Definition queries (j : nat) : bool := (j <=? 1)%nat.
Definition keys (i : nat) : bool := (2 <=? i)%nat.
Definition halves (S : nat -> bool) (k : nat) : R := if S k then / 2 else 0.
Definition first_coordinates : matrix := outer (plane 1 0) (plane 1 0).

Lemma query_halves : convex_weights 3 queries (halves queries).
Proof.
  constructor.
  - intros k _. unfold halves. destruct (queries k); lra.
  - intros k _ E. unfold halves. now rewrite E.
  - unfold halves, queries. simpl. lra.
Qed.

Lemma key_halves : convex_weights 3 (other_keys keys) (halves keys).
Proof.
  constructor.
  - intros k _. unfold halves. destruct (keys k); lra.
  - intros [|[|[|k]]] Hk E; try reflexivity; exfalso; unfold other_keys, keys in E; simpl in E; discriminate.
  - unfold halves, keys. simpl. lra.
Qed.

Lemma mean_query a : (a < 2)%nat -> mixture 3 (halves queries) fitting a = plane 1 0 a.
Proof.
  intros Ha. unfold mixture, halves, queries, fitting, embeddings, plane.
  destruct a as [|[|]]; [| |lia]; simpl; field.
Qed.

Lemma mean_gap a : (a < 2)%nat -> key_gap 3 (halves keys) fitting a = plane 1 0 a.
Proof.
  intros Ha. unfold key_gap, token_difference, mixture, halves, keys, fitting, embeddings, plane.
  destruct a as [|[|]]; [| |lia]; simpl; field.
Qed.

Lemma dot_mean_query x : dot 2 (mixture 3 (halves queries) fitting) x = x 0%nat.
Proof. unfold dot. cbn [sum]. rewrite !mean_query by lia. unfold plane. simpl. ring. Qed.

Lemma dot_mean_gap x : dot 2 (key_gap 3 (halves keys) fitting) x = x 0%nat.
Proof. unfold dot. cbn [sum]. rewrite !mean_gap by lia. unfold plane. simpl. ring. Qed.

Lemma first_norm : frobenius_norm 2 2 first_coordinates <= 1.
Proof.
  unfold frobenius_norm. replace (frobenius 2 2 first_coordinates first_coordinates) with 1; [rewrite sqrt_1; lra|].
  unfold frobenius, first_coordinates, outer, plane. simpl. ring.
Qed.

(** Every query and every key of the setting has score 1. *)
Lemma first_margin : margin_at_least 2 3 queries (fun _ => keys) fitting first_coordinates 1.
Proof.
  intros j i Hj Hi Hc. unfold constrained in Hc. apply andb_true_iff in Hc. destruct Hc as [Hc _].
  apply andb_true_iff in Hc. destruct Hc as [HJ HK]. apply Nat.leb_le in HJ, HK.
  apply Req_le. unfold bilinear, first_coordinates, outer, token_difference, fitting, embeddings, plane.
  destruct j as [|[|]]; [| |lia]; destruct i as [|[|[|[|]]]]; try lia; simpl; ring.
Qed.

Theorem necessary_alignment_instance : exists (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token) (W : matrix) (i : nat),
  margin_at_least d T J K z W 1 /\ (i <= T)%nat /\ i <> 0%nat /\
  (forall j, (j <= T)%nat -> J j = true -> K j i = true) /\
  exists j, (j <= T)%nat /\ J j = true.
Proof.
  exists 2%nat, 3%nat, queries, (fun _ => keys), fitting, first_coordinates, 2%nat.
  split; [exact first_margin|]. split; [lia|]. split; [lia|]. split; [reflexivity|]. exists 1%nat. now split; [lia|].
Qed.

(** The query (-1, -1) opposite to z_0. *)
Theorem queries_refute_instance : exists (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool)
    (z : nat -> token) (i : nat) (p : nat -> R),
  (i <= T)%nat /\ i <> 0%nat /\ (forall j, (j <= T)%nat -> J j = true -> K j i = true) /\
  convex_weights T J p /\ (forall a, (a < d)%nat -> mixture T p z a = 0).
Proof.
  exists 2%nat, 3%nat, queries, (fun _ => keys), (embeddings (plane (-1) (-1)) (plane 0 2)), 2%nat, (halves queries).
  split; [lia|]. split; [lia|]. split; [reflexivity|]. split; [exact query_halves|].
  intros a Ha. unfold mixture, halves, queries, embeddings, plane. destruct a as [|[|]]; [| |lia]; simpl; field.
Qed.

(** The keys (0, 0) and (2, 2), with z_0 halfway. *)
Theorem keys_refute_instance : exists (d T : nat) (J : nat -> bool) (K : nat -> nat -> bool) (z : nat -> token)
    (j : nat) (p : nat -> R),
  (j <= T)%nat /\ J j = true /\ convex_weights T (other_keys (K j)) p /\
  (forall a, (a < d)%nat -> mixture T p z a = z 0%nat a).
Proof.
  exists 2%nat, 3%nat, queries, (fun _ => keys), (embeddings (plane 1 (-1)) (plane 2 2)), 1%nat, (halves keys).
  split; [lia|]. split; [reflexivity|]. split; [exact key_halves|].
  intros a Ha. unfold mixture, halves, keys, embeddings, plane. destruct a as [|[|]]; [| |lia]; simpl; field.
Qed.

Theorem margin_bound_instance : exists (d T : nat) (J Kset : nat -> bool) (z : nat -> token) (W : matrix) (rho : R)
    (p q : nat -> R),
  frobenius_norm d d W <= 1 /\ margin_at_least d T J (fun _ => Kset) z W rho /\
  convex_weights T J p /\ convex_weights T (other_keys Kset) q.
Proof.
  exists 2%nat, 3%nat, queries, keys, fitting, first_coordinates, 1, (halves queries), (halves keys).
  split; [exact first_norm|]. split; [exact first_margin|]. split; [exact query_halves|exact key_halves].
Qed.

Theorem greatest_margin_instance : exists (d T : nat) (J Kset : nat -> bool) (z : nat -> token),
  (exists j, (j <= T)%nat /\ J j = true) /\ (exists i, (i <= T)%nat /\ other_keys Kset i = true).
Proof.
  exists 2%nat, 3%nat, queries, keys, fitting.
  split; [exists 1%nat; now split; [lia|]|exists 2%nat; now split; [lia|]].
Qed.

Theorem shared_keys_margin_instance : exists (d T : nat) (J Kset : nat -> bool) (z : nat -> token) (p q : nat -> R),
  convex_weights T J p /\ convex_weights T (other_keys Kset) q /\
  0 < dot d (mixture T p z) (mixture T p z) /\ 0 < dot d (key_gap T q z) (key_gap T q z) /\
  (forall j, (j <= T)%nat -> J j = true -> dot d (mixture T p z) (mixture T p z) <= dot d (mixture T p z) (z j)) /\
  (forall i, (i <= T)%nat -> other_keys Kset i = true ->
     dot d (key_gap T q z) (key_gap T q z) <= dot d (key_gap T q z) (token_difference (z 0%nat) (z i))) /\
  exists W rho, frobenius_norm d d W <= 1 /\ margin_at_least d T J (fun _ => Kset) z W rho.
Proof.
  exists 2%nat, 3%nat, queries, keys, fitting, (halves queries), (halves keys).
  split; [exact query_halves|]. split; [exact key_halves|].
  rewrite dot_mean_query, dot_mean_gap, mean_query, mean_gap by lia. unfold plane at 1 2. simpl Nat.eqb. cbv iota.
  split; [lra|]. split; [lra|]. split; [|split].
  - intros j Hj HJ. rewrite dot_mean_query. apply Nat.leb_le in HJ.
    destruct j as [|[|]]; [| |lia]; unfold plane, fitting, embeddings, plane; simpl; lra.
  - intros i Hi HK. rewrite dot_mean_gap. unfold other_keys in HK. apply andb_true_iff in HK. destruct HK as [HK _].
    apply Nat.leb_le in HK. unfold token_difference, fitting, embeddings, plane.
    destruct i as [|[|[|[|]]]]; try lia; simpl; lra.
  - exists first_coordinates, 1. split; [exact first_norm|exact first_margin].
Qed.

Theorem rational_evidence_instance : exists (d T : nat) (J Kset : nat -> bool) (z : nat -> token),
  (exists j, (j <= T)%nat /\ J j = true) /\ (exists i, (i <= T)%nat /\ other_keys Kset i = true) /\
  (forall k a, (k <= T)%nat -> (a < d)%nat -> rational (z k a)).
Proof.
  exists 2%nat, 3%nat, queries, keys, fitting. split; [exists 1%nat; now split; [lia|]|].
  split; [exists 2%nat; now split; [lia|]|]. intros k a _ _.
  assert (E : exists m, fitting k a = IZR m).
  { unfold fitting, embeddings, plane. destruct k as [|[|[|]]], (a =? 0)%nat; eexists; reflexivity. }
  destruct E as (m & ->). exists m, 1%Z. split; [lia|]. simpl. field.
Qed.

Print Assumptions necessary_alignment_instance.
Print Assumptions queries_refute_instance.
Print Assumptions keys_refute_instance.
Print Assumptions margin_bound_instance.
Print Assumptions greatest_margin_instance.
Print Assumptions shared_keys_margin_instance.
Print Assumptions rational_evidence_instance.
