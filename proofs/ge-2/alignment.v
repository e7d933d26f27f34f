(** * ge-2: representing a sink needs aligned queries; the exact margin when the keys are shared

    Claim (docs/THEORY.md, ge-2; arXiv:2605.08453 Proposition 4.1, reconstructed).  If W represents the sink
    (ge-1 (a): z_j^T W (z_0 - z_i) >= 1 for j in J, i in K_j, i != 0) and a key i != 0 is common to all
    queries then u = W(z_0 - z_i) has u.z_j > 0 for all j in J; so 0 in conv{z_j : j in J} refutes
    representability.

    Proved here, for all d, T, J, K, z:
    - [necessary_alignment]: u.z_j >= 1;
    - [queries_refute]: 0 in the convex hull of queries that share a key i != 0: no W;
    - [keys_refute] (ours): z_0 in the convex hull of some query's other keys: no W;
    - [margin_bound] (ours): with margins rho on J x K and ||W||_F <= 1, any convex weights p on J, q on K
      give rho <= ||sum p_j z_j|| ||z_0 - sum q_i z_i||;
    - [shared_keys_margin] (ours): if all queries share the key set K, P in conv{z_j} and Q in
      conv{z_0 - z_i} with P.z_j >= P.P > 0 and Q.(z_0 - z_i) >= Q.Q > 0 (the points nearest to 0), then the
      greatest margin over ||W||_F <= 1 is exactly ||P|| ||Q||, attained by the rank-one P Q^T/(||P|| ||Q||).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/ge-2/alignment.v *)

From Coq Require Import Reals Lra Lia Arith Bool.
From Sinkproof Require Import trigger_task.
Open Scope R_scope.

(** ** Part 1: definitions *)

Definition difference (x y : token) : token := fun a => x a - y a.

Definition dot (d : nat) (x y : token) : R := sum d (fun a => x a * y a).

Definition norm (d : nat) (x : token) : R := sqrt (dot d x x).

(** W x *)
Definition matrix_vector (d : nat) (W : matrix) (x : token) : token := fun a => sum d (fun b => W a b * x b).

Definition frobenius_norm (d : nat) (W : matrix) : R := sqrt (sum d (fun a => sum d (fun b => W a b * W a b))).

(** Query j and key i are constrained: "j in J, i in K_j, i != 0". *)
Definition constrained (J : nat -> bool) (K : nat -> nat -> bool) (j i : nat) : bool :=
  J j && K j i && negb (i =? 0)%nat.

(** All margins are at least rho: "z_j^T W (z_0 - z_i) >= rho"; ge-1 (a) has rho = 1. *)
Definition margin_at_least (d T : nat) J K (z : nat -> token) (W : matrix) (rho : R) : Prop :=
  forall j i, (j <= T)%nat -> (i <= T)%nat -> constrained J K j i = true ->
  rho <= bilinear d W (z j) (difference (z 0%nat) (z i)).

Definition represents d T J K z W : Prop := margin_at_least d T J K z W 1.

(** [p] in the simplex over the indices 0..T that [S] selects. *)
Record convex_weights (T : nat) (S : nat -> bool) (p : nat -> R) : Prop := {
  convex_nonneg : forall k, (k <= T)%nat -> 0 <= p k;
  convex_support : forall k, (k <= T)%nat -> S k = false -> p k = 0;
  convex_total : sum (Datatypes.S T) p = 1
}.

Definition mixture (T : nat) (p : nat -> R) (x : nat -> token) : token :=
  fun a => sum (S T) (fun k => p k * x k a).

(** The keys of a set other than the sink 0. *)
Definition others (K : nat -> bool) : nat -> bool := fun i => K i && negb (i =? 0)%nat.

(** ** Part 2: lemmas *)

Lemma dot_matrix_vector d W x y : dot d x (matrix_vector d W y) = bilinear d W x y.
Proof.
  apply sum_ext. intros a _. unfold matrix_vector. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma dot_sym d x y : dot d x y = dot d y x.
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_self_nonneg d x : 0 <= dot d x x.
Proof. apply sum_nonneg. intros. apply Rle_0_sqr. Qed.

Lemma dot_mixture d T p x u : dot d u (mixture T p x) = sum (S T) (fun k => p k * dot d u (x k)).
Proof.
  unfold dot, mixture. rewrite (sum_ext d _ (fun a => sum (S T) (fun k => p k * (u a * x k a)))).
  - rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
  - intros a _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(** An average of numbers that are at least rho where the weights count. *)
Lemma average_ge T S p f rho :
  convex_weights T S p -> (forall k, (k <= T)%nat -> S k = true -> rho <= f k) ->
  rho <= sum (Datatypes.S T) (fun k => p k * f k).
Proof.
  intros [H0 Hs H1] Hf. rewrite <- (Rmult_1_r rho), <- H1, <- sum_scal. apply sum_le. intros k Hk.
  destruct (S k) eqn:E.
  - rewrite Rmult_comm. apply Rmult_le_compat_l; [apply H0; lia|]. apply Hf; [lia|assumption].
  - rewrite (Hs k) by (lia || assumption). lra.
Qed.

Lemma matrix_vector_difference d T W p z : sum (S T) p = 1 -> forall x,
  dot d x (matrix_vector d W (difference (z 0%nat) (mixture T p z)))
  = sum (S T) (fun i => p i * bilinear d W x (difference (z 0%nat) (z i))).
Proof.
  intros Hp x.
  set (v := fun b => sum d (fun a => x a * W a b)).
  assert (Hb : forall y, bilinear d W x y = dot d v y).
  { intros y. unfold bilinear, dot, v. rewrite sum_swap. apply sum_ext. intros b _. now rewrite sum_scal_r. }
  rewrite dot_matrix_vector, Hb.
  transitivity (dot d v (mixture T p (fun i => difference (z 0%nat) (z i)))).
  - apply sum_ext. intros a _. f_equal. unfold difference, mixture.
    rewrite (sum_ext (S T) (fun k => p k * (z 0%nat a - z k a)) (fun k => p k * z 0%nat a - p k * z k a))
      by (intros; ring).
    rewrite sum_minus, sum_scal_r, Hp. ring.
  - rewrite dot_mixture. apply sum_ext. intros i _. now rewrite Hb.
Qed.

(** P^T W Q <= ||W||_F ||P|| ||Q|| for ||W||_F <= 1. *)
Lemma bilinear_le d W x y : frobenius_norm d W <= 1 -> bilinear d W x y <= norm d x * norm d y.
Proof.
  intros HW. unfold frobenius_norm in HW.
  set (WW := sum d (fun a => sum d (fun b => W a b * W a b))) in *.
  assert (H0 : 0 <= WW) by (apply sum_nonneg; intros; apply sum_nonneg; intros; apply Rle_0_sqr).
  assert (H1 : WW <= 1).
  { rewrite <- (sqrt_sqrt WW H0). pose proof (sqrt_pos WW). nra. }
  set (r := norm d x * norm d y).
  assert (Hr : 0 <= r) by (apply Rmult_le_pos; apply sqrt_pos).
  assert (Hrr : r * r = dot d x x * dot d y y).
  { unfold r, norm. rewrite <- (sqrt_sqrt (dot d x x)) at 3 by apply dot_self_nonneg.
    rewrite <- (sqrt_sqrt (dot d y y)) at 3 by apply dot_self_nonneg. ring. }
  assert (Hsq : forall s, 0 <= dot d x x * dot d y y - 2 * s * bilinear d W x y + s * s * WW).
  { intros s.
    replace (dot d x x * dot d y y - 2 * s * bilinear d W x y + s * s * WW)
      with (sum d (fun a => sum d (fun b => Rsqr (x a * y b - s * W a b)))).
    - apply sum_nonneg. intros a _. apply sum_nonneg. intros b _. apply Rle_0_sqr.
    - unfold dot, bilinear, WW. rewrite <- (sum_scal_r d (sum d (fun b => y b * y b))).
      rewrite <- !sum_scal, <- sum_minus, <- sum_plus.
      apply sum_ext. intros a _. rewrite <- !sum_scal, <- sum_minus, <- sum_plus.
      apply sum_ext. intros b _. unfold Rsqr. ring. }
  rewrite <- Hrr in Hsq.
  destruct Hr as [Hr|Hr].
  - apply (Rmult_le_reg_l (2 * r)); [lra|]. pose proof (Hsq r).
    assert (r * r * WW <= r * r * 1) by (apply Rmult_le_compat_l; [nra|assumption]). lra.
  - rewrite <- Hr in *. apply Rnot_lt_le. intros Hb. pose proof (Hsq (bilinear d W x y)).
    assert (bilinear d W x y * bilinear d W x y * WW <= bilinear d W x y * bilinear d W x y * 1)
      by (apply Rmult_le_compat_l; [nra|assumption]). nra.
Qed.

(** ** Theorems *)

(** "u = W(z_0 - z_i) has u.z_j > 0 for all j in J": even >= 1. *)
Theorem necessary_alignment d T J K z W i :
  represents d T J K z W -> (i <= T)%nat -> i <> 0%nat ->
  (forall j, (j <= T)%nat -> J j = true -> K j i = true) ->
  forall j, (j <= T)%nat -> J j = true ->
  1 <= dot d (matrix_vector d W (difference (z 0%nat) (z i))) (z j).
Proof.
  intros HW Hi Hi0 Hcommon j Hj HJ. rewrite dot_sym, dot_matrix_vector. apply HW; try assumption.
  unfold constrained. rewrite HJ, (Hcommon j Hj HJ). apply Nat.eqb_neq in Hi0. now rewrite Hi0.
Qed.

(** "0 in conv{z_j : j in J} refutes representability." *)
Theorem queries_refute d T J K z i p :
  (i <= T)%nat -> i <> 0%nat -> (forall j, (j <= T)%nat -> J j = true -> K j i = true) ->
  convex_weights T J p -> (forall a, (a < d)%nat -> mixture T p z a = 0) ->
  ~ exists W, represents d T J K z W.
Proof.
  intros Hi Hi0 Hcommon Hp Hz [W HW].
  set (u := matrix_vector d W (difference (z 0%nat) (z i))).
  assert (H : 1 <= sum (S T) (fun j => p j * dot d u (z j))).
  { apply (average_ge T J); [assumption|]. intros j Hj HJ. now apply (necessary_alignment d T J K). }
  rewrite <- dot_mixture in H. unfold dot in H. rewrite sum_zero in H; [lra|].
  intros a Ha. rewrite Hz by assumption. ring.
Qed.

(** The same from the side of one query's keys. *)
Theorem keys_refute d T J K z j p :
  (j <= T)%nat -> J j = true -> convex_weights T (others (K j)) p ->
  (forall a, (a < d)%nat -> mixture T p z a = z 0%nat a) ->
  ~ exists W, represents d T J K z W.
Proof.
  intros Hj HJ Hp Hz [W HW].
  assert (H : 1 <= sum (S T) (fun i => p i * bilinear d W (z j) (difference (z 0%nat) (z i)))).
  { apply (average_ge T (others (K j))); [assumption|]. intros i Hi Ho. apply HW; try assumption.
    unfold constrained, others in *. now rewrite HJ. }
  rewrite <- (matrix_vector_difference d T W p z (convex_total _ _ _ Hp)) in H.
  rewrite dot_matrix_vector in H. unfold bilinear in H. rewrite sum_zero in H; [lra|].
  intros a _. apply sum_zero. intros b Hb. unfold difference. rewrite Hz by assumption. ring.
Qed.

(** Every pair of convex combinations bounds the margin of W's of norm at most 1. *)
Theorem margin_bound d T J (K : nat -> bool) z W rho p q :
  frobenius_norm d W <= 1 -> margin_at_least d T J (fun _ => K) z W rho ->
  convex_weights T J p -> convex_weights T (others K) q ->
  rho <= norm d (mixture T p z) * norm d (difference (z 0%nat) (mixture T q z)).
Proof.
  intros HW Hm Hp Hq.
  eapply Rle_trans; [|apply (bilinear_le d W _ _ HW)].
  rewrite <- dot_matrix_vector, dot_sym, dot_mixture.
  apply (average_ge T J); [assumption|]. intros j Hj HJ.
  rewrite dot_sym, (matrix_vector_difference d T W q z (convex_total _ _ _ Hq)).
  apply (average_ge T (others K)); [assumption|]. intros i Hi Ho. apply Hm; try assumption.
  unfold constrained, others in *. now rewrite HJ.
Qed.

(** Shared keys: the exact margin. *)
Theorem shared_keys_margin d T J (K : nat -> bool) z p q :
  let P := mixture T p z in
  let Q := difference (z 0%nat) (mixture T q z) in
  let W := fun a b => P a * Q b / (norm d P * norm d Q) in
  convex_weights T J p -> convex_weights T (others K) q ->
  0 < dot d P P -> 0 < dot d Q Q ->
  (forall j, (j <= T)%nat -> J j = true -> dot d P P <= dot d P (z j)) ->
  (forall i, (i <= T)%nat -> others K i = true -> dot d Q Q <= dot d Q (difference (z 0%nat) (z i))) ->
  (frobenius_norm d W = 1 /\ margin_at_least d T J (fun _ => K) z W (norm d P * norm d Q)) /\
  (forall W' rho, frobenius_norm d W' <= 1 -> margin_at_least d T J (fun _ => K) z W' rho ->
   rho <= norm d P * norm d Q).
Proof.
  intros P Q W Hp Hq HP HQ Hj Hi.
  assert (HnP : 0 < norm d P) by now apply sqrt_lt_R0.
  assert (HnQ : 0 < norm d Q) by now apply sqrt_lt_R0.
  assert (EP : norm d P * norm d P = dot d P P) by (apply sqrt_sqrt; lra).
  assert (EQ : norm d Q * norm d Q = dot d Q Q) by (apply sqrt_sqrt; lra).
  split; [split|].
  - unfold frobenius_norm. replace (sum d _) with 1; [apply sqrt_1|].
    rewrite (sum_ext d _ (fun a => P a * P a * (dot d Q Q / (norm d P * norm d P * (norm d Q * norm d Q))))).
    + rewrite sum_scal_r. fold (dot d P P). rewrite <- EP, <- EQ. field. split; lra.
    + intros a _. unfold dot, Rdiv. rewrite <- sum_scal_r, <- sum_scal. apply sum_ext. intros b _.
      unfold W. field. split; lra.
  - intros j i HjT HiT Hc. unfold constrained in Hc. apply andb_true_iff in Hc. destruct Hc as [Hc Hi0].
    apply andb_true_iff in Hc. destruct Hc as [HJ HK].
    specialize (Hj j HjT HJ). specialize (Hi i HiT ltac:(unfold others; now rewrite HK)).
    replace (bilinear d W (z j) (difference (z 0%nat) (z i)))
      with (dot d P (z j) * dot d Q (difference (z 0%nat) (z i)) / (norm d P * norm d Q)).
    + apply (Rmult_le_reg_r (norm d P * norm d Q)); [now apply Rmult_lt_0_compat|].
      replace (dot d P (z j) * dot d Q (difference (z 0%nat) (z i)) / (norm d P * norm d Q) * (norm d P * norm d Q))
        with (dot d P (z j) * dot d Q (difference (z 0%nat) (z i))) by (field; split; lra).
      replace (norm d P * norm d Q * (norm d P * norm d Q)) with (dot d P P * dot d Q Q) by (rewrite <- EP, <- EQ; ring).
      apply Rmult_le_compat; lra.
    + unfold bilinear, dot, Rdiv. rewrite <- !sum_scal_r. apply sum_ext. intros a _.
      rewrite <- sum_scal, <- sum_scal_r. apply sum_ext. intros b _. unfold W, Rdiv. ring.
  - intros W' rho HW' Hm. now apply (margin_bound d T J K z W').
Qed.

Print Assumptions necessary_alignment.
Print Assumptions queries_refute.
Print Assumptions keys_refute.
Print Assumptions margin_bound.
Print Assumptions shared_keys_margin.
