(** * tc-2: the deterministic core

    A fixed sequence with loss <= eta, each of whose content tokens before the trigger has one probe with good
    rows, has the sink.  The probe is tc-1's with free y_1..y_{m-1} ([probe_with_rest]); then the content flag of
    a row ([row_to_sink] of proofs/theory/probe.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-2 Claim probes.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task hard_switch probe.
From Claim Require Import statement random_sequences.
Import ListNotations.
Open Scope R_scope.

Section Deterministic.
  Context (n L m : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat) (HK : positive_kernel K)
          (Heta : 2 * eta <= / (INR m * (INR m + 1))).

  Let out : model := head (kernel_attention K) v.
  Let M : R := INR m.

  Lemma M_ge_2 : 2 <= M.
  Proof using Hm. now apply (le_INR 2). Qed.

  (** (i) The probe: z = (BOS,x,y_1,..,y_{m-1},t,..), z' = (BOS,y_1,..,y_{m-1},t,..), their trigger rows
      within eta. *)
  Lemma probe_with_rest z z' :
    valid n L (m + 2) z -> valid n L (m + 1) z' ->
    (forall i, (3 <= i)%nat -> (i <= m + 2)%nat -> z i = z' (i - 1)%nat) ->
    row_error n (m + 2) out z (m + 2) <= eta -> row_error n (m + 1) out z' (m + 1) <= eta ->
    M / (M + 1) - eta <= v (z 2%nat) (n - 1)%nat.
  Proof using Hn Hm HmL HK Heta.
    intros Hz Hz' Erest H1 H0. pose proof M_ge_2 as HM.
    assert (G1 := row_error_coordinate n (m + 2) out z (m + 2) (n - 1)%nat ltac:(lia)).
    assert (G0 := row_error_coordinate n (m + 1) out z' (m + 1) (n - 1)%nat ltac:(lia)).
    apply (Rle_trans _ _ eta) in G1; [|exact H1]. apply (Rle_trans _ _ eta) in G0; [|exact H0].
    unfold out in G1, G0. rewrite kernel_head_quotient in G1, G0.
    rewrite (target_content_flag n L _ z Hz Hn) in G1. rewrite (target_content_flag n L _ z' Hz' Hn) in G0.
    assert (Et : z (m + 2)%nat = z' (m + 1)%nat).
    { rewrite Erest by lia. f_equal. lia. }
    rewrite <- Et in G0. set (x := z 2%nat) in *. set (t := z (m + 2)%nat) in *.
    assert (Hsplit : forall f : token -> R,
      possum (m + 2) (fun k => f (z k)) = possum (m + 1) (fun k => f (z' k)) + f x).
    { intros f. rewrite !possum_first by lia.
      replace (m + 2 - 1)%nat with (S m) by lia. replace (m + 1 - 1)%nat with m by lia. rewrite sum_first.
      rewrite (first_is_bos _ _ _ _ Hz), (first_is_bos _ _ _ _ Hz').
      rewrite (sum_ext m (fun k => f (z (S k + 2)%nat)) (fun k => f (z' (k + 2)%nat))).
      - change (z (0 + 2)%nat) with x. ring.
      - intros k Hk. rewrite Erest by lia. f_equal. f_equal. lia. }
    rewrite (Hsplit (fun y => K t y * v y (n - 1)%nat)), (Hsplit (fun y => K t y)) in G1.
    set (W := possum (m + 1) (fun l => K t (z' l))) in *.
    assert (HW : 0 < W) by (apply possum_pos; [lia|]; intros; apply HK).
    pose proof (HK t x) as Hk.
    assert (B : W * (/ (M * (M + 1)) - 2 * eta) <= K t x * (v x (n - 1)%nat + eta - M / (M + 1))).
    2:{ assert (0 <= W * (/ (M * (M + 1)) - 2 * eta)) by (apply Rmult_le_pos; unfold M; lra).
        apply Rnot_lt_le. intros Hu.
        assert (0 < K t x * (M / (M + 1) - eta - v x (n - 1)%nat)) by (apply Rmult_lt_0_compat; lra). lra. }
    apply (probe_difference M (K t x) W (possum (m + 1) (fun k => K t (z' k) * v (z' k) (n - 1)%nat))); try lra.
    - replace (INR (m + 2 - 2)) with M in G1 by (unfold M; f_equal; lia).
      replace (INR (m + 2 - 1)) with (M + 1) in G1; [exact G1|].
      replace (m + 2 - 1)%nat with (S m) by lia. now rewrite S_INR.
    - replace (INR (m + 1 - 1)) with M in G0 by (unfold M; f_equal; lia).
      replace (INR (m + 1 - 2)) with (M - 1) in G0; [exact G0|].
      replace (m + 1 - 2)%nat with (m - 1)%nat by lia. unfold M. now rewrite minus_INR by lia.
  Qed.

  (** A sequence with loss <= eta whose pre-trigger content tokens all have large values. *)
  Lemma floor_to_sink x j :
    valid n L j x -> loss n L j out x <= eta ->
    (forall k, (2 <= k)%nat -> (k < j)%nat -> M / (M + 1) - eta <= v (x k) (n - 1)%nat) ->
    forall i, (1 <= i)%nat -> (i < j)%nat ->
    1 - 2 * (1 + 1 / M) * eta <= bos_attention (kernel_attention K) x i.
  Proof using Hn Hm HmL HK Heta.
    intros Hx Hloss Hfloor i Hi Hij. pose proof M_ge_2 as HM.
    pose proof (trigger_to_L _ _ _ _ Hx) as HjL. pose proof (trigger_from_3 _ _ _ _ Hx) as Hj3.
    assert (Hrow : forall i, (1 <= i)%nat -> (i < j)%nat -> Rabs (out x i (n - 1)%nat) <= eta).
    { intros i' H1 H2. pose proof (row_error_coordinate n j out x i' (n - 1)%nat ltac:(lia)) as H.
      rewrite target_off_trigger, Rminus_0_r in H by lia.
      eapply Rle_trans; [exact H|]. eapply Rle_trans; [|exact Hloss]. apply loss_row; lia. }
    assert (HMM : 0 < M / (M + 1)) by (apply Rdiv_lt_0_compat; lra).
    replace (2 * (1 + 1 / M) * eta) with (2 * eta / (M / (M + 1) - eta + eta)).
    2:{ replace (M / (M + 1) - eta + eta) with (M / (M + 1)) by ring. field. lra. }
    apply (row_to_sink n L K v eta _ x j i (n - 1) (positive_is_nonnegative n L K HK) Hx Hi); [lia|lra| | |].
    - rewrite <- (first_row K v x) by (apply HK || exact (first_is_bos _ _ _ _ Hx)). apply Hrow; lia.
    - now apply Hrow.
    - intros k H2 Hk. apply Hfloor; lia.
  Qed.
End Deterministic.

Theorem sink_from_probes : statement.sink_from_probes.
Proof.
  intros n L m K v eta x j Hn Hm HmL HK Heta Hx Hloss Hprobes i Hi Hij. apply Rle_ge.
  apply (threshold m eta Hm) in Heta.
  apply (floor_to_sink n L m K v eta Hn Hm HmL HK Heta x j Hx Hloss); auto.
  intros k Hk Hkj. destruct (Hprobes k Hk Hkj) as (z & z' & Hz & Hz' & Ex & Erest & H1 & H0).
  rewrite <- Ex. now apply (probe_with_rest n L m K v eta Hn Hm HmL HK Heta z z').
Qed.

(** m = 2: one pair (y,t). *)
Lemma sink_from_pairs n L K v eta x j :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 ->
  let out := head (kernel_attention K) v in
  valid n L j x -> loss n L j out x <= eta ->
  (forall k, (2 <= k)%nat -> (k < j)%nat ->
     exists z z', valid n L 4 z /\ valid n L 3 z' /\
                  z 2%nat = x k /\ z 3%nat = z' 2%nat /\ z 4%nat = z' 3%nat /\
                  row_error n 4 out z 4 <= eta /\ row_error n 3 out z' 3 <= eta) ->
  forall i, (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 3 * eta.
Proof.
  intros Hn HL HK Heta out Hx Hloss Hpairs i Hi Hij.
  replace (3 * eta) with (2 * (1 + 1 / INR 2) * eta) by (simpl; lra).
  apply (sink_from_probes n L 2%nat K v eta x j); auto.
  - simpl. lra.
  - intros k Hk Hkj. destruct (Hpairs k Hk Hkj) as (z & z' & Hz & Hz' & Ex & Ey & Et & H4 & H3).
    exists z, z'. repeat (split; [assumption|]). split; [|split; assumption].
    intros i' H1 H2. assert (E : i' = 3%nat \/ i' = 4%nat) by lia. destruct E as [->| ->]; assumption.
Qed.

Print Assumptions sink_from_probes.
