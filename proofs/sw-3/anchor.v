(** * sw-3: the smallest output with and without the anchor

    Proves the sentences of minimax_statement.v about the anchor.  The best direction for v_1..v_T shows how much weight
    the anchor needs; a bound on a_0 <= p is the least output over the keys v_k and p v_0 + (1-p) v_k, k >= 1.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-3 Claim <proofs>/sw-3/anchor.v (after minimax.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch least_output.
From Claim Require Import minimax_statement.
From Claim Require Import minimax.
Open Scope R_scope.

(** u.o >= a_0 u.v_0 + (1 - a_0) g. *)
Lemma anchor_split m T u a v g :
  simplex T a -> (forall k, (1 <= k)%nat -> (k <= T)%nat -> g <= dot m u (v k)) ->
  a 0%nat * dot m u (v 0%nat) + (1 - a 0%nat) * g <= dot m u (output T a v).
Proof.
  intros [Hpos Hsum] H. rewrite dot_output. rewrite sum_first in *. apply Rplus_le_compat_l.
  replace (1 - a 0%nat) with (sum T (fun k => a (S k))) by lra. rewrite <- sum_scal_r.
  apply sum_le. intros k Hk. apply Rmult_le_compat_l; [apply Hpos|apply H]; lia.
Qed.

Lemma direction_without_anchor m T N v g :
  is_norm m N -> (1 <= T)%nat ->
  (forall x, output_norms (T - 1) N (without_anchor v) x -> g <= x) ->
  exists u, dual_norm_le_1 m N u /\ forall k, (1 <= k)%nat -> (k <= T)%nat -> g <= dot m u (v k).
Proof.
  intros HN HT Hg. destruct (optimal_pair m (T - 1)%nat N (without_anchor v) HN) as (b & u & Hb & Hu & Hk).
  assert (G : g <= N (output (T - 1) b (without_anchor v))) by (apply Hg; now exists b).
  exists u. split; [assumption|]. intros k H1 HkT. specialize (Hk (k - 1)%nat ltac:(lia)).
  unfold without_anchor at 1 in Hk. replace (S (k - 1)) with k in Hk by lia. lra.
Qed.

Lemma anchor_value_floor m N u y : is_norm m N -> dual_norm_le_1 m N u -> - N y <= dot m u y.
Proof.
  intros HN Hu. pose proof (dual_pairing m N u HN Hu (fun r => Ropp 1 * y r)) as H.
  rewrite dot_scal, (norm_scal m N HN), Rabs_Ropp, Rabs_R1 in H. lra.
Qed.

(** g: a lower bound of the norms that v_1, .., v_T reach. *)
Theorem anchor_needed : minimax_statement.anchor_needed.
Proof.
  intros m T N v g a eta HN HT Hg Ha Ho. destruct (direction_without_anchor m T N v g HN HT Hg) as (u & Hu & Hk).
  pose proof (anchor_split m T u a v g Ha Hk) as G.
  pose proof (dual_pairing m N u HN Hu (output T a v)) as P.
  pose proof (anchor_value_floor m N u (v 0%nat) HN Hu) as W. destruct Ha as [Hpos _].
  assert (a 0%nat * - N (v 0%nat) <= a 0%nat * dot m u (v 0%nat)).
  { apply Rmult_le_compat_l; [apply Hpos; lia|assumption]. }
  lra.
Qed.

Theorem switched_off_without_anchor : minimax_statement.switched_off_without_anchor.
Proof.
  intros m T N v g HN HT [(b & [Hpos Hsum] & ->) _]. replace (S (T - 1)) with T in Hsum by lia.
  exists (fun k => match k with O => 0 | S j => b j end). split; [split|split].
  - intros [|k] Hk; [lra|]. apply Hpos. lia.
  - rewrite sum_first. change (0 + sum T b = 1). lra.
  - reflexivity.
  - apply (norm_reads_m m N HN). intros r _. unfold output, without_anchor. rewrite sum_first.
    replace (S (T - 1)) with T by lia. ring.
Qed.

(** Exactly one holds: the head can be switched off without its anchor, or some direction shows that all weights
    with output 0 put at least g/(g + ||v_0||) on the anchor. *)
Theorem anchor_alternative : minimax_statement.anchor_alternative.
Proof.
  intros m T N v HN HT. split.
  - destruct (minimax m (T - 1)%nat N (without_anchor v) HN) as (g & Hmin & _).
    assert (Hg0 : 0 <= g) by (destruct Hmin as [(b & _ & ->) _]; apply (norm_nonneg m N HN)).
    destruct Hg0 as [Hg|Hg].
    + right. destruct Hmin as [_ Hmin].
      destruct (direction_without_anchor m T N v g HN HT Hmin) as (u & Hu & Hk).
      exists u, g. repeat split; try assumption.
      * intros k H1 H2. now apply Rle_ge, Hk.
      * intros a Ha Ho. pose proof (anchor_needed m T N v g a 0 HN HT Hmin Ha ltac:(lra)) as G.
        pose proof (norm_nonneg m N HN (v 0%nat)).
        apply Rle_ge, (Rmult_le_reg_r (g + N (v 0%nat))); [lra|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + left. destruct (switched_off_without_anchor m T N v g HN HT Hmin) as (a & Ha & Ha0 & Ho).
      exists a. repeat split; try assumption; try apply Ha. lra.
  - intros [(a & Ha & Ha0 & Ho) (u & g & _ & Hg & _ & H)].
    specialize (H a Ha Ho). pose proof (norm_nonneg m N HN (v 0%nat)).
    assert (0 < g / (g + N (v 0%nat))) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.

(** *** sw-1 loses nothing: every true bound on the anchor's weight has a direction that shows it *)

Lemma sum_append p q f : sum (p + q) f = sum p f + sum q (fun k => f (p + k)%nat).
Proof.
  induction q as [|q IH].
  - rewrite Nat.add_0_r. cbn [sum]. ring.
  - rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring.
Qed.

(** The ends of the outputs with a_0 <= p: v_1, .., v_T, then p v_0 + (1-p) v_k. *)
Definition capped (T : nat) (p : R) (v : nat -> vector) : nat -> vector :=
  fun k => if (k <? T)%nat then v (S k) else fun r => p * v 0%nat r + (1 - p) * v (S (k - T)) r.

Lemma capped_weights T p v b :
  (1 <= T)%nat -> 0 <= p <= 1 -> simplex (T + T - 1) b ->
  exists a, simplex T a /\ a 0%nat <= p /\ forall r, output T a v r = output (T + T - 1) b (capped T p v) r.
Proof.
  intros HT Hp [Hpos Hsum]. set (B := sum T (fun j => b (T + j)%nat)).
  replace (S (T + T - 1)) with (T + T)%nat in Hsum by lia. rewrite sum_append in Hsum. fold B in Hsum.
  assert (HB : 0 <= B) by (apply sum_nonneg; intros; apply Hpos; lia).
  assert (HA : 0 <= sum T b) by (apply sum_nonneg; intros; apply Hpos; lia).
  exists (fun k => match k with O => p * B | S j => b j + (1 - p) * b (T + j)%nat end).
  split; [split|split].
  - intros [|k] Hk; [apply Rmult_le_pos; lra|].
    apply Rplus_le_le_0_compat; [apply Hpos; lia|]. apply Rmult_le_pos; [lra|apply Hpos; lia].
  - rewrite sum_first, sum_plus, sum_scal. fold B. lra.
  - rewrite <- (Rmult_1_r p) at 2. apply Rmult_le_compat_l; lra.
  - intros r. unfold output. rewrite sum_first. replace (S (T + T - 1)) with (T + T)%nat by lia.
    rewrite sum_append.
    rewrite (sum_ext T (fun k => b k * capped T p v k r) (fun k => b k * v (S k) r)).
    2:{ intros k Hk. unfold capped. destruct (Nat.ltb_spec k T); [reflexivity|lia]. }
    rewrite (sum_ext T (fun k => b (T + k)%nat * capped T p v (T + k)%nat r)
              (fun k => b (T + k)%nat * (p * v 0%nat r) + (1 - p) * b (T + k)%nat * v (S k) r)).
    2:{ intros k Hk. unfold capped. destruct (Nat.ltb_spec (T + k) T); [lia|].
        replace (T + k - T)%nat with k by lia. ring. }
    rewrite sum_plus, (sum_scal_r T (p * v 0%nat r)). fold B.
    rewrite (sum_ext T (fun k => (b k + (1 - p) * b (T + k)%nat) * v (S k) r)
              (fun k => b k * v (S k) r + (1 - p) * b (T + k)%nat * v (S k) r)) by (intros; ring).
    rewrite (sum_plus T (fun k => b k * v (S k) r)). ring.
Qed.

Lemma least_without_anchor m T u v :
  (1 <= T)%nat ->
  exists g, (forall k, (1 <= k)%nat -> (k <= T)%nat -> g <= dot m u (v k)) /\
            exists k, (1 <= k)%nat /\ (k <= T)%nat /\ g = dot m u (v k).
Proof.
  intros HT. set (f := fun k => dot m u (v (S k))). exists (least (T - 1) f). split.
  - intros k H1 H2. replace k with (S (k - 1)) by lia. apply (least_le (T - 1) f). lia.
  - destruct (least_member (T - 1) f) as (k & Hk & E). exists (S k). repeat split; try lia. exact E.
Qed.

Theorem anchor_certificate : minimax_statement.anchor_certificate.
Proof.
  intros m T N v p eta HN HT Hp. split.
  - intros H. destruct (optimal_pair m (T + T - 1)%nat N (capped T p v) HN) as (b & u & Hb & Hu & Hk).
    destruct (capped_weights T p v b HT Hp Hb) as (a & Ha & Hap & Ho).
    specialize (H a Ha Hap). rewrite (norm_reads_m m N HN _ _ (fun r _ => Ho r)) in H.
    exists u. split; [assumption|]. intros k H1 HkT. split.
    + specialize (Hk (k - 1)%nat ltac:(lia)). unfold capped at 1 in Hk.
      destruct (Nat.ltb_spec (k - 1) T); [|lia]. replace (S (k - 1)) with k in Hk by lia. lra.
    + specialize (Hk (T + (k - 1))%nat ltac:(lia)). unfold capped at 1 in Hk.
      destruct (Nat.ltb_spec (T + (k - 1)) T); [lia|].
      replace (S (T + (k - 1) - T)) with k in Hk by lia. rewrite dot_mix in Hk. lra.
  - intros (u & Hu & Hk) a Ha Hap.
    apply Rlt_le_trans with (dot m u (output T a v)); [|now apply (dual_pairing m N)].
    destruct (least_without_anchor m T u v HT) as (g & Hg & Hmem).
    destruct Hmem as (k & H1 & H2 & Eg). destruct (Hk k H1 H2) as [K1 K2]. rewrite <- Eg in K1, K2.
    pose proof (anchor_split m T u a v g Ha Hg) as G. destruct Ha as [Hpos _].
    specialize (Hpos 0%nat ltac:(lia)).
    apply Rlt_le_trans with (a 0%nat * dot m u (v 0%nat) + (1 - a 0%nat) * g); [|assumption].
    destruct (Rle_lt_dec g (dot m u (v 0%nat))) as [E|E].
    + assert (a 0%nat * g <= a 0%nat * dot m u (v 0%nat)) by (now apply Rmult_le_compat_l). lra.
    + assert (a 0%nat * (g - dot m u (v 0%nat)) <= p * (g - dot m u (v 0%nat)))
        by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** In the words of sw-1: if a_0 > p wherever ||o|| <= eta then some (u, g, w) of sw-1 shows it, w of either sign:
    (g - eta)/(g + w) > p if g + w > 0, and else no output has norm at most eta. *)
Corollary sw1_complete : minimax_statement.sw1_complete.
Proof.
  intros m T N v p eta HN HT Hp H. destruct (proj1 (anchor_certificate m T N v p eta HN HT Hp)) as (u & Hu & Hk).
  { intros a Ha Hap. destruct (Rle_lt_dec (N (output T a v)) eta) as [E|E]; [exfalso|assumption].
    specialize (H a Ha E). lra. }
  destruct (least_without_anchor m T u v HT) as (g & Hg & k & H1 & H2 & Eg).
  destruct (Hk k H1 H2) as [K1 K2]. rewrite <- Eg in K1, K2.
  exists u, g, (- dot m u (v 0%nat)). repeat split; try assumption; try lra.
  intros j J1 J2. now apply Rle_ge, Hg.
Qed.

Print Assumptions anchor_needed.
Print Assumptions switched_off_without_anchor.
Print Assumptions anchor_alternative.
Print Assumptions anchor_certificate.
Print Assumptions sw1_complete.
