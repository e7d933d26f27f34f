(** * sw-3: what it assumes can be met

    The head in the plane of theory/anchored_example.v: v_0 = (-w, 0), v_1 = (1, 1), v_2 = (1, -1), u = (1, 0), Euclidean
    norm, with several w and weights.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-3 Claim <proofs>/sw-3/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch anchored_example softmax_weights least_output.
From Claim Require Import minimax_statement softmax_statement.
From Claim Require Import minimax anchor positive_weights.
Open Scope R_scope.

(** ** minimax_statement.v *)

(** Every norm has values to speak of. *)
Lemma some_values : exists (m T : nat) (N : vector -> R) (v : nat -> vector), is_norm m N.
Proof. exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)). apply euclidean_is_norm. Qed.

Theorem minimax_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector), is_norm m N.
Proof. exact some_values. Qed.

Theorem optimal_pair_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector), is_norm m N.
Proof. exact some_values. Qed.

Theorem weak_duality_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (x y : R),
  is_norm m N /\ output_norms T N v x /\ margins m T N v y.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)).
  eexists. eexists. split; [apply euclidean_is_norm|]. split.
  - exists (plane_weights (1 / 4)). split; [apply plane_simplex; lra|reflexivity].
  - exists (in_plane 1 0). split; [apply plane_dual|reflexivity].
Qed.

Theorem primal_dual_pair_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R)
    (u : vector),
  is_norm m N /\ simplex T a /\ dual_norm_le_1 m N u /\
  (forall k, (k <= T)%nat -> dot m u (v k) >= N (output T a v)).
Proof.
  destruct (optimal_pair 2%nat 2%nat _ (plane_values (- (1 / 2))) (euclidean_is_norm 2)) as (a & u & H).
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (- (1 / 2))), a, u.
  split; [apply euclidean_is_norm|exact H].
Qed.

(** v_0 = (1, 0): every value has first coordinate 1, and weights 1/2, 1/4, 1/4 give the nearest point (1, 0). *)
Lemma plane_nearest k : (k <= 2)%nat ->
  dot 2 (output 2 (plane_weights (1 / 2)) (plane_values (-1))) (plane_values (-1) k)
  >= dot 2 (output 2 (plane_weights (1 / 2)) (plane_values (-1))) (output 2 (plane_weights (1 / 2)) (plane_values (-1))).
Proof.
  intros Hk. apply Req_ge. unfold dot, output, plane_weights, plane_values, in_plane.
  destruct k as [|[|[|]]]; [| | |lia]; simpl; field.
Qed.

Theorem nearest_iff_instance : exists (m T : nat) (v : nat -> vector) (a : nat -> R), simplex T a.
Proof.
  exists 2%nat, 2%nat, (plane_values (-1)), (plane_weights (1 / 2)). apply plane_simplex. lra.
Qed.

Theorem nearest_direction_instance : exists (m T : nat) (v : nat -> vector) (a : nat -> R),
  simplex T a /\
  (forall k, (k <= T)%nat -> dot m (output T a v) (v k) >= dot m (output T a v) (output T a v)) /\
  0 < euclidean_norm m (output T a v) /\ exists k, (k <= T)%nat.
Proof.
  exists 2%nat, 2%nat, (plane_values (-1)), (plane_weights (1 / 2)).
  split; [apply plane_simplex; lra|]. split; [exact plane_nearest|]. split; [|exists 1%nat; lia].
  rewrite plane_output_euclidean, Rabs_pos_eq; lra.
Qed.

Theorem rational_floor_instance : exists (m T : nat) (v : nat -> vector) (d : vector) (l : R) (a : nat -> R),
  0 <= l /\ (forall k, (k <= T)%nat -> dot m d (v k) >= l) /\ simplex T a.
Proof.
  exists 2%nat, 2%nat, (plane_values (- (1 / 2))), (in_plane 1 0), (1 / 2), (plane_weights (1 / 2)).
  split; [lra|]. split; [|apply plane_simplex; lra].
  intros [|k] _; [rewrite plane_anchor|rewrite plane_margin by lia]; lra.
Qed.

(** Without its anchor the head's outputs have norm 1 or more. *)
Lemma plane_without_anchor w x :
  output_norms (2 - 1) (euclidean_norm 2) (without_anchor (plane_values w)) x -> 1 <= x.
Proof.
  intros (a & Ha & ->). eapply Rle_trans; [|apply (dual_pairing 2 _ _ (euclidean_is_norm 2) plane_dual)].
  apply margin_output; [exact Ha|]. intros k _. unfold without_anchor. rewrite plane_margin by lia. lra.
Qed.

Theorem anchor_needed_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (g : R) (a : nat -> R)
    (eta : R),
  is_norm m N /\ (1 <= T)%nat /\
  (forall x, output_norms (T - 1) N (without_anchor v) x -> g <= x) /\
  simplex T a /\ N (output T a v) <= eta.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)), 1, (plane_weights (1 / 2)), (1 / 4).
  split; [apply euclidean_is_norm|]. split; [lia|]. split; [exact (plane_without_anchor (1 / 2))|].
  split; [apply plane_simplex; lra|]. rewrite plane_output_euclidean, Rabs_pos_eq; lra.
Qed.

Theorem switched_off_without_anchor_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (g : R),
  is_norm m N /\ (1 <= T)%nat /\ is_min (output_norms (T - 1) N (without_anchor v)) g.
Proof.
  destruct (minimax 2%nat (2 - 1)%nat _ (without_anchor (plane_values (1 / 2))) (euclidean_is_norm 2)) as (g & Hg & _).
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)), g.
  split; [apply euclidean_is_norm|]. split; [lia|exact Hg].
Qed.

Theorem anchor_alternative_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector),
  is_norm m N /\ (1 <= T)%nat.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)). split; [apply euclidean_is_norm|lia].
Qed.

Theorem anchor_certificate_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (p eta : R),
  is_norm m N /\ (1 <= T)%nat /\ 0 <= p <= 1.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)), (1 / 4), (1 / 4).
  split; [apply euclidean_is_norm|]. split; [lia|lra].
Qed.

(** Norm 1/4 or less asks for weight 1/2 on the anchor (-1/2, 0): more than 1/4. *)
Theorem sw1_complete_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (p eta : R),
  is_norm m N /\ (1 <= T)%nat /\ 0 <= p <= 1 /\
  (forall a, simplex T a -> N (output T a v) <= eta -> p < a 0%nat).
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values (1 / 2)), (1 / 4), (1 / 4).
  split; [apply euclidean_is_norm|]. split; [lia|]. split; [lra|]. intros a Ha Ho.
  pose proof (anchor_split 2 2 (in_plane 1 0) a (plane_values (1 / 2)) 1 Ha) as G. rewrite plane_anchor in G.
  pose proof (dual_pairing 2 _ _ (euclidean_is_norm 2) plane_dual (output 2 a (plane_values (1 / 2)))) as P.
  assert (a 0%nat * - (1 / 2) + (1 - a 0%nat) * 1 <= 1 / 4); [|lra].
  eapply Rle_trans; [apply G|lra]. intros k H1 _. rewrite plane_margin by assumption. lra.
Qed.

(** ** softmax_statement.v *)

(** v_0 = (-w, 0) with w <= -1: u = (1, 0) shows the bound 1. *)
Lemma plane_bound w k : w <= -1 -> 1 <= dot 2 (in_plane 1 0) (plane_values w k).
Proof.
  intros Hw. destruct k as [|k]; [rewrite plane_anchor|rewrite plane_margin by lia]; lra.
Qed.

Lemma plane_positive : positive_weights 2 (plane_weights (1 / 2)).
Proof. split; [intros [|k] _; unfold plane_weights; simpl; lra|apply plane_simplex; lra]. Qed.

Theorem positive_is_softmax_instance : exists (T : nat) (a : nat -> R), positive_weights T a.
Proof. exists 2%nat, (plane_weights (1 / 2)). exact plane_positive. Qed.

Theorem same_infimum_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector) (a : nat -> R) (e : R),
  is_norm m N /\ simplex T a /\ 0 < e.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (plane_values 0), (plane_weights 1), (1 / 8).
  split; [apply euclidean_is_norm|]. split; [apply plane_simplex|]; lra.
Qed.

Theorem slackness_instance : exists (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector) (b : nat -> R)
    (g : R),
  is_norm m N /\ dual_norm_le_1 m N u /\ (forall k, (k <= T)%nat -> g <= dot m u (v k)) /\
  positive_weights T b /\ N (output T b v) <= g /\ exists k, (k <= T)%nat.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values (-1)), (plane_weights (1 / 2)), 1.
  split; [apply euclidean_is_norm|]. split; [apply plane_dual|].
  split; [intros; apply plane_bound; lra|]. split; [exact plane_positive|].
  split; [rewrite plane_output_euclidean, Rabs_pos_eq; lra|]. exists 1%nat. lia.
Qed.

Theorem not_attained_instance : exists (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (b : nat -> R) (g : R) (j : nat),
  is_norm m N /\ dual_norm_le_1 m N u /\ (forall k, (k <= T)%nat -> g <= dot m u (v k)) /\
  (j <= T)%nat /\ g < dot m u (v j) /\ positive_weights T b.
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values (-2)), (plane_weights (1 / 2)), 1, 0%nat.
  split; [apply euclidean_is_norm|]. split; [apply plane_dual|].
  split; [intros; apply plane_bound; lra|]. split; [lia|]. split; [rewrite plane_anchor; lra|exact plane_positive].
Qed.

Theorem attained_iff_instance : exists (m T : nat) (N : vector -> R) (v : nat -> vector), is_norm m N.
Proof. exact some_values. Qed.

Theorem zero_anchor_never_off_instance : exists (m T : nat) (N : vector -> R) (u : vector) (v : nat -> vector)
    (l : nat -> R) (g : R),
  is_norm m N /\ (1 <= T)%nat /\ dual_norm_le_1 m N u /\ 0 < g /\
  (forall k, (1 <= k)%nat -> (k <= T)%nat -> g <= dot m u (v k)) /\ (forall r, (r < m)%nat -> v 0%nat r = 0).
Proof.
  exists 2%nat, 2%nat, (euclidean_norm 2), (in_plane 1 0), (plane_values 0), (fun k => if (k =? 0)%nat then 5 else 0), 1.
  split; [apply euclidean_is_norm|]. split; [lia|]. split; [apply plane_dual|]. split; [lra|]. split.
  - intros k H1 _. rewrite plane_margin by assumption. lra.
  - intros [|r] _; unfold plane_values, in_plane; simpl; lra.
Qed.

Theorem missed_instance : exists b : nat -> R, positive_weights 1 b.
Proof. exists (uniform 1). apply uniform_positive. Qed.

Theorem slack_not_enough_instance : exists b : nat -> R, positive_weights 1 b.
Proof. exact missed_instance. Qed.

Print Assumptions minimax_instance.
Print Assumptions weak_duality_instance.
Print Assumptions primal_dual_pair_instance.
Print Assumptions optimal_pair_instance.
Print Assumptions nearest_iff_instance.
Print Assumptions nearest_direction_instance.
Print Assumptions rational_floor_instance.
Print Assumptions anchor_needed_instance.
Print Assumptions switched_off_without_anchor_instance.
Print Assumptions anchor_alternative_instance.
Print Assumptions anchor_certificate_instance.
Print Assumptions sw1_complete_instance.
Print Assumptions positive_is_softmax_instance.
Print Assumptions same_infimum_instance.
Print Assumptions slackness_instance.
Print Assumptions not_attained_instance.
Print Assumptions attained_iff_instance.
Print Assumptions zero_anchor_never_off_instance.
Print Assumptions missed_instance.
Print Assumptions slack_not_enough_instance.
