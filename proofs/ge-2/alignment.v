(** * ge-2: representing a sink needs aligned queries; the greatest margin when the keys are shared

    Proves the sentences of statement.v.  Refutations: the average score over convex weights is the score of the average,
    which is 0.  Shared keys: P^T W Q <= ||W||_F ||P|| ||Q||; P Q^T/(||P|| ||Q||) attains it where P and Q are nearest
    points, which exist (theory/nearest_point.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ge-2 Claim <proofs>/ge-2/alignment.v *)

From Coq Require Import Reals Lra Lia Arith Bool.
From Sinkproof Require Import trigger_task hard_switch nearest_point.
From Claim Require Import statement.
Open Scope R_scope.

Lemma dot_linear_value d W x y : dot d x (linear_value d W y) = bilinear d W x y.
Proof.
  apply sum_ext. intros a _. unfold linear_value. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma dot_sym d x y : dot d x y = dot d y x.
Proof. apply sum_ext. intros. ring. Qed.

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

Lemma linear_value_gap d T W p z : sum (S T) p = 1 -> forall x,
  dot d x (linear_value d W (key_gap T p z))
  = sum (S T) (fun i => p i * bilinear d W x (token_difference (z 0%nat) (z i))).
Proof.
  intros Hp x.
  set (v := fun b => sum d (fun a => x a * W a b)).
  assert (Hb : forall y, bilinear d W x y = dot d v y).
  { intros y. unfold bilinear, dot, v. rewrite sum_swap. apply sum_ext. intros b _. now rewrite sum_scal_r. }
  rewrite dot_linear_value, Hb.
  transitivity (dot d v (mixture T p (fun i => token_difference (z 0%nat) (z i)))).
  - apply sum_ext. intros a _. f_equal. unfold key_gap, token_difference, mixture.
    rewrite (sum_ext (S T) (fun k => p k * (z 0%nat a - z k a)) (fun k => p k * z 0%nat a - p k * z k a))
      by (intros; ring).
    rewrite sum_minus, sum_scal_r, Hp. ring.
  - rewrite dot_mixture. apply sum_ext. intros i _. now rewrite Hb.
Qed.

(** P^T W Q <= ||W||_F ||P|| ||Q|| for ||W||_F <= 1. *)
Lemma bilinear_le d W x y : frobenius_norm d d W <= 1 -> bilinear d W x y <= euclidean_norm d x * euclidean_norm d y.
Proof.
  intros HW. unfold frobenius_norm, frobenius in HW.
  set (WW := sum d (fun a => sum d (fun b => W a b * W a b))) in *.
  assert (H0 : 0 <= WW) by (apply sum_nonneg; intros; apply sum_nonneg; intros; apply Rle_0_sqr).
  assert (H1 : WW <= 1).
  { rewrite <- (sqrt_sqrt WW H0). pose proof (sqrt_pos WW). nra. }
  set (r := euclidean_norm d x * euclidean_norm d y).
  assert (Hr : 0 <= r) by (apply Rmult_le_pos; apply sqrt_pos).
  assert (Hrr : r * r = dot d x x * dot d y y).
  { unfold r, euclidean_norm. rewrite <- (sqrt_sqrt (dot d x x)) at 3 by apply dot_self_nonneg.
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

(** *** Theorems *)

(** "u = W(z_0 - z_i) has u.z_j > 0 for all j in J": even >= 1. *)
Theorem necessary_alignment : statement.necessary_alignment.
Proof.
  intros d T J K z W i HW Hi Hi0 Hcommon j Hj HJ. rewrite dot_sym, dot_linear_value. apply HW; try assumption.
  unfold constrained. rewrite HJ, (Hcommon j Hj HJ). apply Nat.eqb_neq in Hi0. now rewrite Hi0.
Qed.

(** "0 in conv{z_j : j in J} refutes representability." *)
Theorem queries_refute : statement.queries_refute.
Proof.
  intros d T J K z i p Hi Hi0 Hcommon Hp Hz [W HW].
  set (u := linear_value d W (token_difference (z 0%nat) (z i))).
  assert (H : 1 <= sum (S T) (fun j => p j * dot d u (z j))).
  { apply (average_ge T J); [assumption|]. intros j Hj HJ. now apply (necessary_alignment d T J K). }
  rewrite <- dot_mixture in H. unfold dot in H. rewrite sum_zero in H; [lra|].
  intros a Ha. rewrite Hz by assumption. ring.
Qed.

(** The same from the side of one query's keys. *)
Theorem keys_refute : statement.keys_refute.
Proof.
  intros d T J K z j p Hj HJ Hp Hz [W HW].
  assert (H : 1 <= sum (S T) (fun i => p i * bilinear d W (z j) (token_difference (z 0%nat) (z i)))).
  { apply (average_ge T (other_keys (K j))); [assumption|]. intros i Hi Ho. apply HW; try assumption.
    unfold constrained, other_keys in *. now rewrite HJ. }
  rewrite <- (linear_value_gap d T W p z (convex_total _ _ _ Hp)) in H.
  rewrite dot_linear_value in H. unfold bilinear in H. rewrite sum_zero in H; [lra|].
  intros a _. apply sum_zero. intros b Hb. unfold key_gap, token_difference. rewrite Hz by assumption. ring.
Qed.

(** Every pair of convex combinations bounds the margin of W's of norm at most 1. *)
Theorem margin_bound : statement.margin_bound.
Proof.
  intros d T J K z W rho p q HW Hm Hp Hq.
  eapply Rle_trans; [|apply (bilinear_le d W _ _ HW)].
  rewrite <- dot_linear_value, dot_sym, dot_mixture.
  apply (average_ge T J); [assumption|]. intros j Hj HJ.
  rewrite dot_sym, (linear_value_gap d T W q z (convex_total _ _ _ Hq)).
  apply (average_ge T (other_keys K)); [assumption|]. intros i Hi Ho. apply Hm; try assumption.
  unfold constrained, other_keys in *. now rewrite HJ.
Qed.

(** *** Nearest points *)

(** A mean P with P.P <= P.x_k for all selected k has the least norm. *)
Lemma nearest_of_evidence d T S p x : convex_weights T S p ->
  (forall k, (k <= T)%nat -> S k = true -> dot d (mixture T p x) (mixture T p x) <= dot d (mixture T p x) (x k)) ->
  forall p', convex_weights T S p' -> euclidean_norm d (mixture T p x) <= euclidean_norm d (mixture T p' x).
Proof.
  intros Hp Hk p' Hp'. set (P := mixture T p x) in *.
  assert (H : dot d P P <= dot d P (mixture T p' x)).
  { rewrite dot_mixture. now apply (average_ge T S). }
  pose proof (cauchy_schwarz d P (mixture T p' x)) as C.
  pose proof (sqrt_sqrt _ (dot_self_nonneg d P)) as E. fold (euclidean_norm d P) in E.
  pose proof (sqrt_pos (dot d P P)) as HP. fold (euclidean_norm d P) in HP.
  pose proof (sqrt_pos (dot d (mixture T p' x) (mixture T p' x))) as HP'. fold (euclidean_norm d (mixture T p' x)) in HP'.
  destruct HP as [HP|<-]; [|assumption]. apply (Rmult_le_reg_l (euclidean_norm d P)); [assumption|]. lra.
Qed.

(** The gap is the mean of the differences. *)
Lemma key_gap_mixture T S q z : convex_weights T S q ->
  forall a, key_gap T q z a = mixture T q (fun i => token_difference (z 0%nat) (z i)) a.
Proof.
  intros Hq a. unfold key_gap, token_difference, mixture.
  rewrite (sum_ext _ (fun k => q k * (z 0%nat a - z k a)) (fun k => q k * z 0%nat a - q k * z k a)) by (intros; ring).
  rewrite sum_minus, sum_scal_r, (convex_total _ _ _ Hq). ring.
Qed.

Lemma dot_gap d T S q z x : convex_weights T S q ->
  dot d (key_gap T q z) x = dot d (mixture T q (fun i => token_difference (z 0%nat) (z i))) x.
Proof. intros Hq. apply sum_ext. intros a _. now rewrite (key_gap_mixture T S). Qed.

Lemma gap_square d T S q z : convex_weights T S q ->
  dot d (key_gap T q z) (key_gap T q z) = dot d (mixture T q (fun i => token_difference (z 0%nat) (z i)))
                                                (mixture T q (fun i => token_difference (z 0%nat) (z i))).
Proof. intros Hq. now rewrite (dot_gap d T S), dot_sym, (dot_gap d T S). Qed.

Lemma nearest_queries_of_evidence d T J z p : convex_weights T J p ->
  (forall j, (j <= T)%nat -> J j = true -> dot d (mixture T p z) (mixture T p z) <= dot d (mixture T p z) (z j)) ->
  nearest_queries d T J z p.
Proof. intros Hp Hj. split; [assumption|]. now apply (nearest_of_evidence d T J). Qed.

Lemma nearest_keys_of_evidence d T Kset z q : convex_weights T (other_keys Kset) q ->
  (forall i, (i <= T)%nat -> other_keys Kset i = true ->
     dot d (key_gap T q z) (key_gap T q z) <= dot d (key_gap T q z) (token_difference (z 0%nat) (z i))) ->
  nearest_keys d T Kset z q.
Proof.
  intros Hq Hi. split; [assumption|]. intros q' Hq'. unfold euclidean_norm.
  rewrite (gap_square d T _ q z Hq), (gap_square d T _ q' z Hq').
  apply (nearest_of_evidence d T (other_keys Kset) q (fun i => token_difference (z 0%nat) (z i)) Hq); [|assumption].
  intros i HiT Ho. rewrite <- (gap_square d T _ q z Hq), <- (dot_gap d T _ q z _ Hq). now apply Hi.
Qed.

(** Nearest points with coefficients in any field that holds the embeddings. *)
Lemma evidence_exists F d T (J Kset : nat -> bool) z :
  subfield F -> (exists j, (j <= T)%nat /\ J j = true) -> (exists i, (i <= T)%nat /\ other_keys Kset i = true) ->
  (forall k a, (k <= T)%nat -> (a < d)%nat -> F (z k a)) ->
  exists p q, (forall k, F (p k)) /\ (forall k, F (q k)) /\
    convex_weights T J p /\ convex_weights T (other_keys Kset) q /\
    (forall j, (j <= T)%nat -> J j = true -> dot d (mixture T p z) (mixture T p z) <= dot d (mixture T p z) (z j)) /\
    (forall i, (i <= T)%nat -> other_keys Kset i = true ->
       dot d (key_gap T q z) (key_gap T q z) <= dot d (key_gap T q z) (token_difference (z 0%nat) (z i))).
Proof.
  intros HF HJ HK Fz. destruct (nearest_mixture F d T J z HF HJ Fz) as (p & Fp & Hp & Hj).
  destruct (nearest_mixture F d T (other_keys Kset) (fun i => token_difference (z 0%nat) (z i)) HF HK)
    as (q & Fq & Hq & Hi).
  { intros k a Hk Ha. apply (field_minus F HF); apply Fz; lia || assumption. }
  exists p, q. do 5 (split; [assumption|]). intros i HiT Ho.
  rewrite (gap_square d T _ q z Hq), (dot_gap d T _ q z _ Hq). now apply Hi.
Qed.

Theorem rational_evidence : statement.rational_evidence.
Proof.
  intros d T J Kset z HJ HK Fz. now apply (evidence_exists rational d T J Kset z rational_subfield).
Qed.

(** *** The greatest margin *)

Theorem shared_keys_margin : statement.shared_keys_margin.
Proof.
  intros d T J K z p q Hp Hq HP HQ Hj Hi.
  set (P := mixture T p z) in *. set (Q := key_gap T q z) in *. set (W := aligned d P Q).
  assert (HnP : 0 < euclidean_norm d P) by now apply sqrt_lt_R0.
  assert (HnQ : 0 < euclidean_norm d Q) by now apply sqrt_lt_R0.
  assert (EP : euclidean_norm d P * euclidean_norm d P = dot d P P) by (apply sqrt_sqrt; lra).
  assert (EQ : euclidean_norm d Q * euclidean_norm d Q = dot d Q Q) by (apply sqrt_sqrt; lra).
  split; [now apply nearest_queries_of_evidence|]. split; [now apply nearest_keys_of_evidence|].
  split; [|split; [|intros W' rho HW' Hm; now apply (margin_bound d T J K z W')]].
  - unfold frobenius_norm, frobenius. replace (sum d _) with 1; [apply sqrt_1|].
    rewrite (sum_ext d _ (fun a => P a * P a * (dot d Q Q / (euclidean_norm d P * euclidean_norm d P * (euclidean_norm d Q * euclidean_norm d Q))))).
    + rewrite sum_scal_r. fold (dot d P P). rewrite <- EP, <- EQ. field. split; lra.
    + intros a _. unfold dot, Rdiv. rewrite <- sum_scal_r, <- sum_scal. apply sum_ext. intros b _.
      unfold W, aligned. fold P Q. field. split; lra.
  - intros j i HjT HiT Hc. unfold constrained in Hc. apply andb_true_iff in Hc. destruct Hc as [Hc Hi0].
    apply andb_true_iff in Hc. destruct Hc as [HJ HK].
    specialize (Hj j HjT HJ). specialize (Hi i HiT ltac:(unfold other_keys; now rewrite HK)).
    replace (bilinear d W (z j) (token_difference (z 0%nat) (z i)))
      with (dot d P (z j) * dot d Q (token_difference (z 0%nat) (z i)) / (euclidean_norm d P * euclidean_norm d Q)).
    + apply (Rmult_le_reg_r (euclidean_norm d P * euclidean_norm d Q)); [now apply Rmult_lt_0_compat|].
      replace (dot d P (z j) * dot d Q (token_difference (z 0%nat) (z i)) / (euclidean_norm d P * euclidean_norm d Q) * (euclidean_norm d P * euclidean_norm d Q))
        with (dot d P (z j) * dot d Q (token_difference (z 0%nat) (z i))) by (field; split; lra).
      replace (euclidean_norm d P * euclidean_norm d Q * (euclidean_norm d P * euclidean_norm d Q)) with (dot d P P * dot d Q Q) by (rewrite <- EP, <- EQ; ring).
      apply Rmult_le_compat; lra.
    + unfold bilinear, dot, Rdiv. rewrite <- !sum_scal_r. apply sum_ext. intros a _.
      rewrite <- sum_scal, <- sum_scal_r. apply sum_ext. intros b _. unfold W, aligned, Rdiv. fold P Q. ring.
Qed.

(** If a distance is 0 the greatest margin is 0, which W = 0 attains. *)
Theorem greatest_margin : statement.greatest_margin.
Proof.
  intros d T J K z HJ HK.
  destruct (evidence_exists any d T J K z any_subfield HJ HK) as (p & q & _ & _ & Hp & Hq & Hj & Hi);
    [intros; exact Logic.I|].
  exists p, q. split; [now apply nearest_queries_of_evidence|]. split; [now apply nearest_keys_of_evidence|].
  split; [|intros W rho HW Hm; now apply (margin_bound d T J K z W)].
  destruct (Rle_lt_or_eq_dec 0 _ (dot_self_nonneg d (mixture T p z))) as [HP|HP].
  1: destruct (Rle_lt_or_eq_dec 0 _ (dot_self_nonneg d (key_gap T q z))) as [HQ|HQ].
  1: { destruct (shared_keys_margin d T J K z p q Hp Hq HP HQ Hj Hi) as (_ & _ & H1 & Hm & _).
       exists (aligned d (mixture T p z) (key_gap T q z)). split; [lra|assumption]. }
  all: exists (fun _ _ => 0); split;
    [unfold frobenius_norm, frobenius; rewrite sum_zero; [rewrite sqrt_0; lra|intros; apply sum_zero; intros; ring]|].
  all: intros j i _ _ _; unfold euclidean_norm; try rewrite <- HP; try rewrite <- HQ;
    rewrite sqrt_0, ?Rmult_0_l, ?Rmult_0_r; apply Req_le; symmetry; apply sum_zero; intros; apply sum_zero; intros; ring.
Qed.

(** *** Two queries on one ray, with a common key, whose own keys lie on opposite sides of z_0 = 0 *)

Definition opposed (k : nat) : token := fun a =>
  match k with
  | 1 => 1
  | 2 => 2
  | 3 => if (a =? 0)%nat then 1 else 0
  | 4 => if (a =? 0)%nat then -1 else 0
  | 5 => if (a =? 0)%nat then 0 else 1
  | _ => 0
  end.

Definition two_queries (j : nat) : bool := (j =? 1)%nat || (j =? 2)%nat.
Definition own_and_common (j i : nat) : bool := (i =? j + 2)%nat || (i =? 5)%nat.

Theorem not_sufficient : statement.not_sufficient.
Proof.
  exists 2%nat, 5%nat, two_queries, own_and_common, opposed. split; [|split; [|split]].
  - exists 5%nat. split; [lia|]. split; [lia|]. intros j _ _. unfold own_and_common. now rewrite orb_true_r.
  - intros (p & [H0 Hs H1] & Hz). specialize (Hz 0%nat ltac:(lia)). unfold mixture in Hz. simpl in Hz, H1.
    pose proof (Hs 0%nat ltac:(lia) eq_refl). pose proof (Hs 3%nat ltac:(lia) eq_refl).
    pose proof (Hs 4%nat ltac:(lia) eq_refl). pose proof (Hs 5%nat ltac:(lia) eq_refl).
    pose proof (H0 1%nat ltac:(lia)). pose proof (H0 2%nat ltac:(lia)). lra.
  - intros j Hj HJ (p & [H0 Hs H1] & Hz).
    pose proof (Hz 0%nat ltac:(lia)) as Z0. pose proof (Hz 1%nat ltac:(lia)) as Z1. unfold mixture in Z0, Z1.
    assert (Hj12 : j = 1%nat \/ j = 2%nat).
    { unfold two_queries in HJ. apply orb_true_iff in HJ. destruct HJ as [E|E]; apply Nat.eqb_eq in E; auto. }
    simpl in Z0, Z1, H1.
    destruct Hj12 as [-> | ->];
      pose proof (Hs 0%nat ltac:(lia) eq_refl); pose proof (Hs 1%nat ltac:(lia) eq_refl);
      pose proof (Hs 2%nat ltac:(lia) eq_refl);
      [pose proof (Hs 4%nat ltac:(lia) eq_refl)|pose proof (Hs 3%nat ltac:(lia) eq_refl)]; lra.
  - intros (W & HW).
    pose proof (HW 1%nat 3%nat ltac:(lia) ltac:(lia) eq_refl) as G1.
    pose proof (HW 2%nat 4%nat ltac:(lia) ltac:(lia) eq_refl) as G2.
    unfold bilinear, token_difference, opposed in G1, G2. simpl in G1, G2. lra.
Qed.

Print Assumptions necessary_alignment.
Print Assumptions queries_refute.
Print Assumptions keys_refute.
Print Assumptions not_sufficient.
Print Assumptions margin_bound.
Print Assumptions greatest_margin.
Print Assumptions shared_keys_margin.
Print Assumptions rational_evidence.
