(** * tc-2: small loss with high probability forces the sink with high probability

    Claim (docs/THEORY.md, tc-2; arXiv:2603.11487 Theorem 1, made explicit; constants ours).  One
    layer, one head, positive content-based kernel K, ANY value map v, L >= 4, eta <= 1/12.
    Sequences are random: noise vectors drawn independently, position by position, from one law; the
    trigger position j uniform on {3..L}.  If P[l(x) > eta] <= delta then with probability at least
    1 - delta (L-1)(L-2)/2 a random sequence has BOS attention >= 1 - 3 eta at ALL pre-trigger
    positions.

    The law is ANY finite one: points 0..N-1 with weights w >= 0 that sum to 1.  Expectations are
    then finite sums, written out below; no measure theory is used, and the continuous uniform law
    of the page is covered only through the grids that approach it.

    Proved here, for all n >= 4, L >= 4, N, w, noise points in the box, K and v:
    - [sink_from_pairs]: the deterministic core.  A fixed sequence with loss <= eta, each of whose
      pre-trigger content tokens has one good pair (y, t), has the sink; [sink_from_probes]: with
      rests (y_1,..,y_{m-1},t) in place of pairs, for any m >= 2;
    - [necessity_high_probability]: the claim; [necessity_high_probability_plus_1]: as the page had
      it first, 1 - delta (1 + (L-1)(L-2)/2) for (L-2) delta < 1;
    - [necessity_high_probability_sharp]: at least 1 - (L-1)/2 (1 - sqrt(1 - (L-2) delta)) for
      (L-2) delta <= 2/3: the factor (L-1)(L-2)/2 becomes (L-1)(L-2)/4 as delta -> 0;
    - [necessity_high_probability_any_m]: tc-1's other constants, BOS attention >= 1 - 2(1 + 1/m) eta
      for eta <= 1/(2m(m+1)), m + 2 <= L, with probability >= 1 - delta (1 + (L-1)(L-2)/2);
    - [necessity_high_probability_law]: the claim and its sharp form when content and trigger points
      are arbitrary tokens (so the two may have different laws);
    - [high_probability_tight]: at eta = 1/12, for every n and L, no factor below (L-1)(L-2)/4 will
      do, however small delta is: an explicit law, kernel and value map;
    - [high_probability_not_vacuous]: for every law and every eta > 0 some softmax head satisfies
      the hypothesis with delta = 0;
    - [probability_true], [probability_not]: P is a probability.

    Steps: (i) the probe of tc-1 with m = 2 and a free y ([probe_with_rest]): if the trigger rows of
    (BOS,x,y,t,..) and (BOS,y,t,..) are both within eta then v(x)_c >= 2/3 - eta.  (ii) the content
    flag of a pre-trigger row ([floor_to_sink]).  (iii) x *lacks a pair* if no (y,t) has both rows
    good; q = P[x lacks a pair], e_j = P[l > eta | j].  e_4 >= q (1 - e_3), and, as row 4 is
    symmetric in x and y, e_4 >= 2 q (1 - e_3) - q^2 ([lacking_costs]).  (iv) e_3 + e_4 <= (L-2) delta
    ([miss_sum]).  (v) A union over the j - 2 pre-trigger content tokens, (L-1)/2 on average; at
    j = 4 lacking tokens and large losses overlap ([union_bound], [leading_cost]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-2/high_probability.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task switch_family hard_switch.
Import ListNotations.
Open Scope R_scope.

(** ** Part 1: definitions *)

(** *** Loss of one sequence: "l(x) = max_i ||out_i - y_i||_inf" *)

Definition row_error (n j : nat) (out : model) (x : sequence) (i : nat) : R :=
  maximum n (fun r => Rabs (out x i r - target j x i r)).

Definition loss (n L j : nat) (out : model) (x : sequence) : R :=
  maximum L (fun i => row_error n j out x (S i)).

(** *** Tokens from noise: c(u) = (0,0,u,1) and t(u) = (0,1,u,0).  Coordinate r of the token carries
    the noise u r, for 2 <= r <= n-2. *)

Definition content_token (n : nat) (u : nat -> R) : token :=
  fun r => if (r <? 2)%nat then 0 else if (r <? n - 1)%nat then u r
           else if (r =? n - 1)%nat then 1 else 0.

Definition trigger_token (n : nat) (u : nat -> R) : token :=
  fun r => if (r =? 0)%nat then 0 else if (r =? 1)%nat then 1
           else if (r <? n - 1)%nat then u r else 0.

(** *** Finite laws.  Point k < N has weight w k. *)

(** Noise vectors in the box. *)
Record noise_law (n N : nat) (w : nat -> R) (u : nat -> nat -> R) : Prop := {
  noise_weight : forall k, (k < N)%nat -> 0 <= w k;
  noise_total : sum N w = 1;
  noise_point : forall k r, (k < N)%nat -> (2 <= r)%nat -> (r <= n - 2)%nat -> -1 <= u k r <= 1
}.

(** More generally: point k is the content token c k where content is wanted, the trigger t k where
    the trigger stands. *)
Record token_law (n N : nat) (w : nat -> R) (c t : nat -> token) : Prop := {
  token_weight : forall k, (k < N)%nat -> 0 <= w k;
  token_total : sum N w = 1;
  token_content : forall k, (k < N)%nat -> is_content n (c k);
  token_trigger : forall k, (k < N)%nat -> is_trigger n (t k)
}.

(** *** Random sequences.  An outcome is a trigger position j and the list of the L - 1 points drawn
    for the positions 2, 3, .., L. *)

Definition random_sequence (c t : nat -> token) (j : nat) (draws : list nat) : sequence :=
  fun i => if (i =? 1)%nat then bos
           else if (i =? j)%nat then t (nth (i - 2) draws 0%nat)
           else c (nth (i - 2) draws 0%nat).

(** The mean of f over p independent draws: the sum over all lists of p points below N of the product
    of their weights times f. *)
Fixpoint mean_draws (N : nat) (w : nat -> R) (p : nat) (f : list nat -> R) : R :=
  match p with
  | O => f []
  | S p' => sum N (fun k => w k * mean_draws N w p' (fun l => f (k :: l)))
  end.

Definition indicator (b : bool) : R := if b then 1 else 0.

(** An event says yes or no to (j, draws).  j is uniform on 3..L. *)
Definition event := nat -> list nat -> bool.

Definition probability (L N : nat) (w : nat -> R) (A : event) : R :=
  sum (L - 2) (fun a => mean_draws N w (L - 1) (fun l => indicator (A (a + 3)%nat l))) / INR (L - 2).

(** x <= y as a boolean. *)
Definition at_most (x y : R) : bool := if Rle_dec x y then true else false.

(** The event l(x) > eta. *)
Definition loss_above (n L : nat) (out : model) (c t : nat -> token) (eta : R) : event :=
  fun j draws => negb (at_most (loss n L j out (random_sequence c t j draws)) eta).

(** The event: BOS attention >= p at every position 1..j-1. *)
Definition sink_before_trigger (a : attention) (c t : nat -> token) (p : R) : event :=
  fun j draws => forallb (fun i => at_most p (bos_attention a (random_sequence c t j draws) i)) (seq 1 (j - 1)).

(** ** Part 2: the deterministic core *)

Lemma at_most_true x y : at_most x y = true <-> x <= y.
Proof. unfold at_most. destruct (Rle_dec x y); split; intros; auto; try discriminate; contradiction. Qed.

Lemma row_error_coordinate n j out x i r :
  (r < n)%nat -> Rabs (out x i r - target j x i r) <= row_error n j out x i.
Proof. intros Hr. apply (maximum_ge n (fun r => Rabs (out x i r - target j x i r))). exact Hr. Qed.

Lemma loss_row n L j out x i :
  (1 <= i)%nat -> (i <= L)%nat -> row_error n j out x i <= loss n L j out x.
Proof.
  intros H1 H2. destruct i as [|i]; [lia|].
  apply (maximum_ge L (fun i => row_error n j out x (S i))). lia.
Qed.

(** [loss] is the least bound of the errors that [sup_loss_le] speaks of. *)
Lemma loss_le_iff n L j out x eta :
  0 <= eta ->
  loss n L j out x <= eta <->
  (forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (out x i r - target j x i r) <= eta).
Proof.
  intros He. split.
  - intros H i r H1 H2 Hr. apply Rle_trans with (row_error n j out x i); [now apply row_error_coordinate|].
    apply Rle_trans with (loss n L j out x); [now apply loss_row|exact H].
  - intros H. apply maximum_le; [assumption|]. intros i Hi. apply maximum_le; [assumption|].
    intros r Hr. apply H; lia.
Qed.

(** Two quotients that differ by one key: weight kappa, value u; the other keys weigh S, sum to Q. *)
Lemma probe_algebra m kappa S Q u eta :
  0 < m -> 0 < kappa -> 0 < S -> 2 * eta <= / (m * (m + 1)) ->
  Rabs ((Q + kappa * u) / (S + kappa) - m / (m + 1)) <= eta ->
  Rabs (Q / S - (m - 1) / m) <= eta ->
  m / (m + 1) - eta <= u.
Proof.
  intros Hm Hk HS Heta H1 H0.
  set (r1 := (Q + kappa * u) / (S + kappa) - m / (m + 1)) in *.
  set (r0 := Q / S - (m - 1) / m) in *.
  assert (E : kappa * (u - (m / (m + 1) - eta)) = kappa * (eta + r1) + S * (/ (m * (m + 1)) + r1 - r0)).
  { unfold r1, r0. field. repeat split; lra. }
  apply abs_bounds in H1. apply abs_bounds in H0.
  assert (0 <= kappa * (eta + r1)) by (apply Rmult_le_pos; lra).
  assert (0 <= S * (/ (m * (m + 1)) + r1 - r0)) by (apply Rmult_le_pos; lra).
  apply Rnot_lt_le. intros Hu.
  assert (0 < kappa * (m / (m + 1) - eta - u)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

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
    apply (probe_algebra M (K t x) (possum (m + 1) (fun l => K t (z' l)))
             (possum (m + 1) (fun k => K t (z' k) * v (z' k) (n - 1)%nat))).
    - lra.
    - apply HK.
    - apply possum_pos; [lia|]. intros. apply HK.
    - assumption.
    - replace (INR (m + 2 - 2)) with M in G1 by (unfold M; f_equal; lia).
      replace (INR (m + 2 - 1)) with (M + 1) in G1; [exact G1|].
      replace (m + 2 - 1)%nat with (S m) by lia. now rewrite S_INR.
    - replace (INR (m + 1 - 1)) with M in G0 by (unfold M; f_equal; lia).
      replace (INR (m + 1 - 2)) with (M - 1) in G0; [exact G0|].
      replace (m + 1 - 2)%nat with (m - 1)%nat by lia. unfold M. now rewrite minus_INR by lia.
  Qed.

  (** (ii) A row before the trigger: p BOS attention, b = v(BOS)_c, U the rest. *)
  Lemma row_conclusion p b U :
    0 <= p -> - eta <= b -> p * b + U <= eta -> (M / (M + 1) - eta) * (1 - p) <= U ->
    1 - 2 * (1 + 1 / M) * eta <= p.
  Proof using Hm.
    intros Hp Hb Hr HU. pose proof M_ge_2 as HM.
    assert (0 <= p * (b + eta)) by (apply Rmult_le_pos; lra).
    apply (Rmult_le_reg_r (M / (M + 1))); [apply Rdiv_lt_0_compat; lra|].
    replace ((1 - 2 * (1 + 1 / M) * eta) * (M / (M + 1))) with (M / (M + 1) - 2 * eta) by (field; lra).
    lra.
  Qed.

  (** A sequence with loss <= eta whose pre-trigger content tokens all have large values. *)
  Lemma floor_to_sink x j :
    valid n L j x -> loss n L j out x <= eta ->
    (forall k, (2 <= k)%nat -> (k < j)%nat -> M / (M + 1) - eta <= v (x k) (n - 1)%nat) ->
    forall i, (1 <= i)%nat -> (i < j)%nat ->
    1 - 2 * (1 + 1 / M) * eta <= bos_attention (kernel_attention K) x i.
  Proof using Hn Hm HmL HK Heta.
    intros Hx Hloss Hfloor i Hi Hij.
    pose proof (trigger_to_L _ _ _ _ Hx) as HjL. pose proof (trigger_from_3 _ _ _ _ Hx) as Hj3.
    assert (Hrow : forall i, (1 <= i)%nat -> (i < j)%nat -> Rabs (out x i (n - 1)%nat) <= eta).
    { intros i' H1 H2. pose proof (row_error_coordinate n j out x i' (n - 1)%nat ltac:(lia)) as H.
      rewrite target_off_trigger, Rminus_0_r in H by lia.
      eapply Rle_trans; [exact H|]. eapply Rle_trans; [|exact Hloss]. apply loss_row; lia. }
    assert (Hb : Rabs (v bos (n - 1)%nat) <= eta).
    { pose proof (Hrow 1%nat ltac:(lia) ltac:(lia)) as H. unfold out in H.
      rewrite kernel_head_quotient in H. unfold possum in H. cbn [sum] in H.
      rewrite (first_is_bos _ _ _ _ Hx) in H. pose proof (HK bos bos).
      replace ((0 + K bos bos * v bos (n - 1)%nat) / (0 + K bos bos)) with (v bos (n - 1)%nat) in H
        by (field; lra).
      exact H. }
    pose proof (kernel_row_stochastic n L K HK x j Hx i ltac:(lia) ltac:(lia)) as [Hpos Hsum].
    specialize (Hrow i Hi Hij). unfold out, head in Hrow.
    rewrite possum_first in Hrow, Hsum by assumption. rewrite (first_is_bos _ _ _ _ Hx) in Hrow.
    apply abs_bounds in Hb. apply abs_bounds in Hrow. unfold bos_attention.
    apply (row_conclusion _ (v bos (n - 1)%nat)
      (sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat * v (x (k + 2)%nat) (n - 1)%nat))).
    - apply Hpos; lia.
    - lra.
    - lra.
    - replace (1 - kernel_attention K x i 1%nat)
        with (sum (i - 1) (fun k => kernel_attention K x i (k + 2)%nat)) by lra.
      rewrite <- sum_scal. apply sum_le. intros k Hk. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [apply Hpos; lia|]. apply Hfloor; lia.
  Qed.
End Deterministic.

(** The deterministic core.  x is ONE sequence with loss <= eta; for each pre-trigger content token x_k
    there are content tokens y_1..y_{m-1} and a trigger t such that the trigger row of
    (BOS,x_k,y_1,..,y_{m-1},t,..) and that of (BOS,y_1,..,y_{m-1},t,..) are within eta of their targets.
    Nothing is assumed about any other sequence. *)
Theorem sink_from_probes n L m K v eta x j :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  2 * eta <= / (INR m * (INR m + 1)) ->
  let out := head (kernel_attention K) v in
  valid n L j x -> loss n L j out x <= eta ->
  (forall k, (2 <= k)%nat -> (k < j)%nat ->
     exists z z', valid n L (m + 2) z /\ valid n L (m + 1) z' /\ z 2%nat = x k /\
                  (forall i, (3 <= i)%nat -> (i <= m + 2)%nat -> z i = z' (i - 1)%nat) /\
                  row_error n (m + 2) out z (m + 2) <= eta /\ row_error n (m + 1) out z' (m + 1) <= eta) ->
  forall i, (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.
Proof.
  intros Hn Hm HmL HK Heta out Hx Hloss Hprobes i Hi Hij. apply Rle_ge.
  apply (floor_to_sink n L m K v eta Hn Hm HmL HK Heta x j Hx Hloss); auto.
  intros k Hk Hkj. destruct (Hprobes k Hk Hkj) as (z & z' & Hz & Hz' & Ex & Erest & H1 & H0).
  rewrite <- Ex. now apply (probe_with_rest n L m K v eta Hn Hm HmL HK Heta z z').
Qed.

(** m = 2: one pair (y,t). *)
Corollary sink_from_pairs n L K v eta x j :
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
  apply (sink_from_probes n L 2 K v eta x j); auto.
  - replace (/ (INR 2 * (INR 2 + 1))) with (1 / 6) by (simpl; field). lra.
  - intros k Hk Hkj. destruct (Hpairs k Hk Hkj) as (z & z' & Hz & Hz' & Ex & Ey & Et & H4 & H3).
    exists z, z'. repeat (split; [assumption|]). split; [|split; assumption].
    intros i' H1 H2. assert (E : i' = 3%nat \/ i' = 4%nat) by lia. destruct E as [->| ->]; assumption.
Qed.

(** ** Part 3: finite means *)

Lemma indicator_range b : 0 <= indicator b <= 1.
Proof. destruct b; simpl; lra. Qed.

Lemma indicator_negb b : indicator (negb b) = 1 - indicator b.
Proof. destruct b; simpl; ring. Qed.

Lemma forallb_false {A : Type} (f : A -> bool) (l : list A) :
  forallb f l = false -> exists x, In x l /\ f x = false.
Proof.
  induction l as [|x l IH]; cbn [forallb]; intros H; [discriminate|].
  destruct (f x) eqn:E.
  - destruct (IH H) as (y & Hy & Ey). exists y. split; [now right|exact Ey].
  - exists x. split; [now left|exact E].
Qed.

Section Means.
  Context (N : nat) (w : nat -> R) (Hw : forall k, (k < N)%nat -> 0 <= w k) (Hw1 : sum N w = 1).

  (** The lists that are summed over. *)
  Definition drawn (p : nat) (l : list nat) : Prop := length l = p /\ Forall (fun k => (k < N)%nat) l.

  Lemma drawn_cons p k l : (k < N)%nat -> drawn p l -> drawn (S p) (k :: l).
  Proof using Type. intros Hk [Hl Hf]. split; [simpl; lia|now constructor]. Qed.

  Lemma mean_le p f g : (forall l, drawn p l -> f l <= g l) -> mean_draws N w p f <= mean_draws N w p g.
  Proof using Hw.
    revert f g. induction p as [|p IH]; intros f g H; cbn [mean_draws].
    - apply H. split; constructor.
    - apply sum_le. intros k Hk. apply Rmult_le_compat_l; [now apply Hw|]. apply IH.
      intros l Hl. apply H. now apply drawn_cons.
  Qed.

  Lemma mean_ext p f g : (forall l, drawn p l -> f l = g l) -> mean_draws N w p f = mean_draws N w p g.
  Proof using Hw. intros H. apply Rle_antisym; apply mean_le; intros l Hl; rewrite (H l Hl); lra. Qed.

  Lemma mean_plus p f g :
    mean_draws N w p (fun l => f l + g l) = mean_draws N w p f + mean_draws N w p g.
  Proof using Type.
    revert f g. induction p as [|p IH]; intros f g; cbn [mean_draws]; [reflexivity|].
    rewrite <- sum_plus. apply sum_ext. intros k _. rewrite IH. ring.
  Qed.

  Lemma weights_const a : sum N (fun k => w k * a) = a.
  Proof using Hw1. rewrite sum_scal_r, Hw1. ring. Qed.

  Lemma mean_const p a : mean_draws N w p (fun _ => a) = a.
  Proof using Hw1.
    induction p as [|p IH]; cbn [mean_draws]; [reflexivity|]. rewrite IH. apply weights_const.
  Qed.

  Lemma mean_minus_1 p f : mean_draws N w p (fun l => 1 - f l) = 1 - mean_draws N w p f.
  Proof using Hw1.
    assert (E : mean_draws N w p (fun l => (1 - f l) + f l) = 1).
    { transitivity (mean_draws N w p (fun _ => 1)); [|apply mean_const]. f_equal. apply FunctionalExtensionality.functional_extensionality.
      intros l. cbv beta. ring. }
    rewrite mean_plus in E. lra.
  Qed.

  Lemma mean_zero_to p f : (forall l, drawn p l -> f l = 0) -> mean_draws N w p f = 0.
  Proof using Hw Hw1. intros H. rewrite (mean_ext p f (fun _ => 0) H). apply mean_const. Qed.

  (** One draw of many: the others integrate to 1. *)
  Lemma mean_nth p i (g : nat -> R) :
    (i < p)%nat -> mean_draws N w p (fun l => g (nth i l 0%nat)) = sum N (fun k => w k * g k).
  Proof using Hw1.
    revert i. induction p as [|p IH]; intros i Hi; [lia|]. cbn [mean_draws]. destruct i as [|i].
    - apply sum_ext. intros k _. cbn [nth]. now rewrite mean_const.
    - cbn [nth]. rewrite IH by lia. apply weights_const.
  Qed.

  (** Finitely many functions. *)
  Lemma mean_sum p m (g : nat -> list nat -> R) :
    mean_draws N w p (fun l => sum m (fun i => g i l)) = sum m (fun i => mean_draws N w p (g i)).
  Proof using Hw1.
    induction m as [|m IH]; cbn [sum]; [apply mean_const|]. now rewrite mean_plus, IH.
  Qed.

  (** The first draws apart. *)
  Lemma mean_first_two p (f : list nat -> R) (g : nat -> nat -> R) :
    (2 <= p)%nat ->
    (forall a b l, drawn (p - 2) l -> (a < N)%nat -> (b < N)%nat -> g a b <= f (a :: b :: l)) ->
    sum N (fun a => w a * sum N (fun b => w b * g a b)) <= mean_draws N w p f.
  Proof using Hw Hw1.
    intros Hp H. destruct p as [|[|p]]; try lia. cbn [mean_draws].
    apply sum_le. intros a Ha. apply Rmult_le_compat_l; [now apply Hw|].
    apply sum_le. intros b Hb. apply Rmult_le_compat_l; [now apply Hw|].
    rewrite <- (mean_const p (g a b)). apply mean_le. intros l Hl. apply H; auto.
    cbn [Nat.sub]. now rewrite Nat.sub_0_r.
  Qed.

  Lemma mean_first_three p (f : list nat -> R) (g : nat -> nat -> nat -> R) :
    (3 <= p)%nat ->
    (forall k a b l, drawn (p - 3) l -> (k < N)%nat -> (a < N)%nat -> (b < N)%nat ->
       g k a b <= f (k :: a :: b :: l)) ->
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b * g k a b))) <= mean_draws N w p f.
  Proof using Hw Hw1.
    intros Hp H. destruct p as [|p]; [lia|]. cbn [mean_draws].
    apply sum_le. intros k Hk. apply Rmult_le_compat_l; [now apply Hw|].
    apply mean_first_two; [lia|]. intros a b l Hl Ha Hb. now apply H.
  Qed.

  Lemma mean_of_three p (g : nat -> nat -> nat -> R) :
    (3 <= p)%nat ->
    mean_draws N w p (fun l => g (nth 0 l 0%nat) (nth 1 l 0%nat) (nth 2 l 0%nat))
    = sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b * g k a b))).
  Proof using Hw1.
    intros Hp. destruct p as [|[|[|p]]]; try lia. cbn [mean_draws nth].
    apply sum_ext. intros k _. f_equal. apply sum_ext. intros a _. f_equal.
    apply sum_ext. intros b _. f_equal. apply mean_const.
  Qed.
End Means.

(** 1 + 2 + .. + m. *)
Lemma sum_positions m : sum m (fun a => INR (a + 1)) = INR m * (INR m + 1) / 2.
Proof.
  induction m as [|m IH]; [simpl; lra|]. cbn [sum]. rewrite IH, plus_INR, (S_INR m).
  change (INR 1) with 1. lra.
Qed.

Lemma sum_pair_le p f a :
  (S a < p)%nat -> (forall k, (k < p)%nat -> 0 <= f k) -> f a + f (S a) <= sum p f.
Proof.
  induction p as [|p IH]; intros Ha Hf; [lia|]. cbn [sum].
  assert (Hp : 0 <= f p) by (apply Hf; lia).
  destruct (Nat.eq_dec (S a) p) as [E|E].
  - rewrite E. pose proof (sum_term_le p f a) as T.
    assert (f a <= sum p f) by (apply T; [intros; apply Hf|]; lia). lra.
  - assert (f a + f (S a) <= sum p f) by (apply IH; [lia|intros; apply Hf; lia]). lra.
Qed.

(** *** P is a probability *)

Theorem probability_true L N w :
  (3 <= L)%nat -> sum N w = 1 -> probability L N w (fun _ _ => true) = 1.
Proof.
  intros HL Hw. unfold probability. rewrite (sum_ext _ _ (fun _ => 1)).
  - rewrite sum_const. field. apply not_0_INR. lia.
  - intros a _. now apply mean_const.
Qed.

Theorem probability_not L N w A :
  (3 <= L)%nat -> sum N w = 1 ->
  probability L N w (fun j l => negb (A j l)) = 1 - probability L N w A.
Proof.
  intros HL Hw. unfold probability. rewrite (sum_ext _ _
    (fun a => 1 - mean_draws N w (L - 1) (fun l => indicator (A (a + 3)%nat l)))).
  - rewrite sum_minus, sum_const. field. apply not_0_INR. lia.
  - intros a _. rewrite <- mean_minus_1 by assumption. f_equal.
    apply FunctionalExtensionality.functional_extensionality. intros l. apply indicator_negb.
Qed.

Lemma probability_nonneg L N w A :
  (3 <= L)%nat -> (forall k, (k < N)%nat -> 0 <= w k) -> sum N w = 1 -> 0 <= probability L N w A.
Proof.
  intros HL Hw Hw1. apply Rmult_le_pos.
  - apply sum_nonneg. intros a _. rewrite <- (mean_const N w Hw1 (L - 1) 0).
    apply mean_le; [assumption|]. intros. apply indicator_range.
  - left. apply Rinv_0_lt_compat, lt_0_INR. lia.
Qed.

(** ** Part 4: random sequences *)

(** What q = P[x lacks a pair] can be, given e_3, e_4 and s = (L-2) delta. *)
Lemma lacking_simple q e3 e4 s :
  0 <= e3 -> q <= 1 -> q * (1 - e3) <= e4 -> e3 + e4 <= s -> s < 1 -> q <= s.
Proof.
  intros H3 Hq H4 Hs Hs1. assert (He : 0 < 1 - e3).
  { apply Rnot_le_lt. intros H. assert (0 <= (1 - q) * (e3 - 1)) by (apply Rmult_le_pos; lra). lra. }
  apply (Rmult_le_reg_r (1 - e3)); [assumption|].
  assert (0 <= e3 * (1 - s)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma lacking_symmetric q e3 e4 s :
  0 <= e3 -> 0 <= q <= 1 -> q * (1 - e3) <= e4 -> 2 * q * (1 - e3) - q * q <= e4 ->
  e3 + e4 <= s -> s < 3 / 4 -> 2 * q - q * q <= s.
Proof.
  intros H3 Hq H4 H4' Hs Hs1. destruct (Rle_lt_dec q (1 / 2)) as [Hh|Hh].
  - assert (0 <= e3 * (1 - 2 * q)) by (apply Rmult_le_pos; lra). lra.
  - exfalso.
    assert (A : 0 <= (2 * q - 1) * (s - q - e3 * (1 - q))) by (apply Rmult_le_pos; lra).
    assert (B : 0 <= (1 - q) * (s - e3 - 2 * q * (1 - e3) + q * q)) by (apply Rmult_le_pos; lra).
    assert (C : 0 < q * (3 / 4 - s)) by (apply Rmult_lt_0_compat; lra).
    assert (D : 0 <= q * ((q - 1 / 2) * (q - 1 / 2))).
    { apply Rmult_le_pos; [lra|]. apply Rle_0_sqr. }
    lra.
Qed.

Lemma quadratic_root q s : 0 <= q <= 1 -> 2 * q - q * q <= s -> q <= 1 - sqrt (1 - s).
Proof.
  intros Hq H. assert (sqrt (1 - s) <= 1 - q); [|lra].
  rewrite <- (sqrt_Rsqr (1 - q)) by lra. apply sqrt_le_1_alt. unfold Rsqr. lra.
Qed.

(** 1 - sqrt(1 - s) <= s. *)
Lemma root_bounds s : 0 <= s <= 1 -> 1 - sqrt (1 - s) <= s.
Proof.
  intros Hs. assert (1 - s <= sqrt (1 - s)); [|lra].
  rewrite <- (sqrt_Rsqr (1 - s)) at 1 by lra. apply sqrt_le_1_alt. unfold Rsqr.
  assert (0 <= s * (1 - s)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Q^2 (1-2Q) + r (1-6Q+6Q^2) + 6 (1-Q) r^2 >= 0 for small Q. *)
Lemma leading_polynomial Q r :
  0 <= Q <= 43 / 100 -> 0 <= r ->
  0 <= Q * Q * (1 - 2 * Q) + r * (1 - 6 * Q + 6 * (Q * Q)) + 6 * (1 - Q) * (r * r).
Proof.
  intros HQ Hr. assert (HQQ : 0 <= Q * Q) by apply Rle_0_sqr. assert (Hrr : 0 <= r * r) by apply Rle_0_sqr.
  destruct (Rle_lt_dec Q (1 / 5)) as [H|H].
  - assert (0 <= Q * Q * (1 - 2 * Q)) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 / 5 - Q) * (1 / 5 - Q)) by apply Rle_0_sqr.
    assert (0 <= r * (1 - 6 * Q + 6 * (Q * Q))) by (apply Rmult_le_pos; lra).
    assert (0 <= 6 * (1 - Q) * (r * r)) by (apply Rmult_le_pos; lra). lra.
  - assert (H1 : 0 <= (Q - 1 / 5) * (43 / 100 - Q)) by (apply Rmult_le_pos; lra).
    assert (H2 : 0 <= (Q - 1 / 5) * (Q - 1 / 5)) by apply Rle_0_sqr.
    assert (H3 : 0 <= (Q - 1 / 5) * (Q - 1 / 5) * (1 - 2 * Q)) by (apply Rmult_le_pos; lra).
    assert (A : 184 / 10000 <= Q * Q * (1 - 2 * Q)) by lra.
    assert (H4 : 0 <= (Q - 1 / 2) * (Q - 1 / 2)) by apply Rle_0_sqr.
    assert (B : 0 <= r * (1 - 6 * Q + 6 * (Q * Q) + 1 / 2)) by (apply Rmult_le_pos; lra).
    assert (C : 0 <= (43 / 100 - Q) * (r * r)) by (apply Rmult_le_pos; lra).
    assert (D : 0 <= (r - 25 / 342) * (r - 25 / 342)) by apply Rle_0_sqr. lra.
Qed.

(** Where the loss is large and where a token lacks a pair overlap at j = 4: the union costs no more
    than lacking tokens alone would. *)
Lemma leading_cost q Q e3 s :
  0 <= e3 -> 0 <= q -> q <= Q -> Q <= 43 / 100 -> s = 2 * Q - Q * Q ->
  e3 * (1 - 2 * q) <= s - 2 * q + q * q -> s - 2 * q * (1 - e3) <= 3 * (Q - q).
Proof.
  intros H3 Hq HqQ HQ Hs Hsym. set (r := Q - q).
  pose proof (leading_polynomial Q r ltac:(lra) ltac:(unfold r; lra)) as HG.
  assert (Hr : 0 <= r) by (unfold r; lra).
  assert (Hrrr : 0 <= r * r * r) by (repeat apply Rmult_le_pos; assumption).
  assert (H1 : 0 <= 2 * q * (s - 2 * q + q * q - e3 * (1 - 2 * q))) by (apply Rmult_le_pos; lra).
  assert (H2 : 0 <= (1 - 2 * q) * (r + Q * Q - 2 * q * e3)).
  { replace ((1 - 2 * q) * (r + Q * Q - 2 * q * e3))
      with (Q * Q * (1 - 2 * Q) + r * (1 - 6 * Q + 6 * (Q * Q)) + 6 * (1 - Q) * (r * r) + 2 * (r * r * r)
            + 2 * q * (s - 2 * q + q * q - e3 * (1 - 2 * q))) by (rewrite Hs; unfold r; ring).
    lra. }
  assert (H5 : 0 <= r + Q * Q - 2 * q * e3).
  { apply (Rmult_le_reg_l (1 - 2 * q)); [lra|]. rewrite Rmult_0_r. exact H2. }
  unfold r in *. lra.
Qed.

(** The trigger row looks at positions 1..j only. *)
Lemma trigger_row_causal n j K v (z z' : sequence) :
  (1 <= j)%nat -> (forall i, (1 <= i)%nat -> (i <= j)%nat -> z i = z' i) ->
  row_error n j (head (kernel_attention K) v) z j = row_error n j (head (kernel_attention K) v) z' j.
Proof.
  intros Hj H. apply maximum_ext. intros r _. f_equal. f_equal.
  - rewrite !kernel_head_quotient.
    rewrite (H j) by lia. f_equal; apply possum_ext; intros k H1 H2; now rewrite (H k) by lia.
  - unfold target, mean_from_2. rewrite Nat.eqb_refl. f_equal. apply sum_ext.
    intros k Hk. now rewrite H by lia.
Qed.

Section Sequences.
  Context (n L N : nat) (w : nat -> R) (c t : nat -> token) (Hlaw : token_law n N w c t).

  Lemma points_exist : (0 < N)%nat.
  Proof using Hlaw.
    destruct N as [|N']; [|lia]. pose proof (token_total _ _ _ _ _ Hlaw) as H. cbn [sum] in H. lra.
  Qed.

  Lemma nth_drawn l i : Forall (fun k => (k < N)%nat) l -> (nth i l 0 < N)%nat.
  Proof using Hlaw.
    intros Hl. destruct (nth_in_or_default i l 0%nat) as [H|H].
    - rewrite Forall_forall in Hl. now apply Hl.
    - rewrite H. exact points_exist.
  Qed.

  Lemma random_valid j l :
    Forall (fun k => (k < N)%nat) l -> (3 <= j)%nat -> (j <= L)%nat -> valid n L j (random_sequence c t j l).
  Proof using Hlaw.
    intros Hl H3 HjL. unfold random_sequence. split; try assumption.
    - reflexivity.
    - destruct (Nat.eqb_spec j 1); [lia|]. rewrite Nat.eqb_refl.
      apply (token_trigger _ _ _ _ _ Hlaw). now apply nth_drawn.
    - intros i Hi _ E. destruct (Nat.eqb_spec i 1); [lia|]. destruct (Nat.eqb_spec i j); [lia|].
      apply (token_content _ _ _ _ _ Hlaw). now apply nth_drawn.
  Qed.
End Sequences.

Section Random.
  Context (n L N : nat) (w : nat -> R) (c t : nat -> token) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (HK : positive_kernel K) (Heta : eta <= 1 / 12)
          (Hlaw : token_law n N w c t).

  Let out : model := head (kernel_attention K) v.
  Let x_of := random_sequence c t.

  (** The two rows of a probe, by the points of x, y and t. *)
  Definition good_4 (k a b : nat) : bool := at_most (row_error n 4 out (x_of 4%nat [k; a; b]) 4) eta.
  Definition good_3 (a b : nat) : bool := at_most (row_error n 3 out (x_of 3%nat [a; b]) 3) eta.

  Lemma good_4_of_loss k a b l :
    loss n L 4 out (x_of 4%nat (k :: a :: b :: l)) <= eta -> good_4 k a b = true.
  Proof using Hn HL HK Heta Hlaw.
    intros H. apply at_most_true. eapply Rle_trans; [|exact H].
    unfold out. rewrite (trigger_row_causal n 4 K v _ (x_of 4%nat (k :: a :: b :: l))); [apply loss_row; lia|lia|].
    intros i H1 H2. assert (E : (i = 1 \/ i = 2 \/ i = 3 \/ i = 4)%nat) by lia.
    destruct E as [->|[->|[->| ->]]]; reflexivity.
  Qed.

  Lemma good_3_of_loss a b l :
    loss n L 3 out (x_of 3%nat (a :: b :: l)) <= eta -> good_3 a b = true.
  Proof using Hn HL HK Heta Hlaw.
    intros H. apply at_most_true. eapply Rle_trans; [|exact H].
    unfold out. rewrite (trigger_row_causal n 3 K v _ (x_of 3%nat (a :: b :: l))); [apply loss_row; lia|lia|].
    intros i H1 H2. assert (E : (i = 1 \/ i = 2 \/ i = 3)%nat) by lia.
    destruct E as [->|[->| ->]]; reflexivity.
  Qed.

  (** Row 4 does not know the order of x and y. *)
  Lemma good_4_symmetric k a b : good_4 k a b = good_4 a k b.
  Proof using Hn HL HK Heta Hlaw.
    unfold good_4. f_equal. apply maximum_ext. intros r _. f_equal. f_equal.
    - unfold out. rewrite !kernel_head_quotient. unfold possum, x_of, random_sequence.
      cbn [sum Nat.eqb Nat.sub nth]. f_equal; ring.
    - unfold target, mean_from_2, x_of, random_sequence. cbn [sum Nat.eqb Nat.sub Nat.add nth].
      f_equal. ring.
  Qed.

  (** No pair (y,t) has both rows good. *)
  Definition lacks (k : nat) : bool :=
    forallb (fun a => forallb (fun b => negb (good_4 k a b && good_3 a b)) (seq 0 N)) (seq 0 N).

  Lemma lacks_spec k a b :
    lacks k = true -> (a < N)%nat -> (b < N)%nat -> good_3 a b = true -> good_4 k a b = false.
  Proof using Hn HL HK Heta Hlaw.
    unfold lacks. intros H Ha Hb H3. rewrite forallb_forall in H.
    assert (H' := H a ltac:(apply in_seq; lia)). rewrite forallb_forall in H'.
    assert (H'' := H' b ltac:(apply in_seq; lia)). rewrite H3, andb_true_r in H''.
    now apply negb_true_iff.
  Qed.

  Lemma has_pair k : lacks k = false ->
    exists a b, (a < N)%nat /\ (b < N)%nat /\ good_4 k a b = true /\ good_3 a b = true.
  Proof using Hn HL HK Heta Hlaw.
    unfold lacks. intros H.
    destruct (forallb_false _ _ H) as (a & Ha & H'). destruct (forallb_false _ _ H') as (b & Hb & H'').
    apply in_seq in Ha. apply in_seq in Hb. apply negb_false_iff, andb_true_iff in H''.
    exists a, b. repeat split; try lia; tauto.
  Qed.

  (** q, e_j. *)
  Definition lacking : R := sum N (fun k => w k * indicator (lacks k)).
  Definition miss (j : nat) : R :=
    mean_draws N w (L - 1) (fun l => indicator (loss_above n L out c t eta j l)).
  Let bad_3 : R := sum N (fun a => w a * sum N (fun b => w b * indicator (negb (good_3 a b)))).

  Let Hw := token_weight _ _ _ _ _ Hlaw.
  Let Hw1 := token_total _ _ _ _ _ Hlaw.

  Lemma lacking_range : 0 <= lacking <= 1.
  Proof using Hn HL HK Heta Hlaw.
    split.
    - apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [now apply Hw|apply indicator_range].
    - rewrite <- Hw1. apply sum_le. intros k Hk. rewrite <- (Rmult_1_r (w k)) at 2.
      apply Rmult_le_compat_l; [now apply Hw|apply indicator_range].
  Qed.

  Lemma miss_range j : 0 <= miss j.
  Proof using Hn HL HK Heta Hlaw.
    rewrite <- (mean_const N w Hw1 (L - 1) 0). apply mean_le; [exact Hw|].
    intros. apply indicator_range.
  Qed.

  Lemma bad_3_le : bad_3 <= miss 3.
  Proof using Hn HL HK Heta Hlaw.
    apply (mean_first_two N w Hw Hw1); [lia|]. intros a b l _ _ _.
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl.
    - apply at_most_true, good_3_of_loss in E. rewrite E. simpl. lra.
    - apply indicator_range.
  Qed.

  (** A mean over (x,y,t) of indicators bounds e_4 from below if they force row 4 to be bad. *)
  Lemma miss_4_ge (g : nat -> nat -> nat -> R) :
    (forall k a b, (k < N)%nat -> (a < N)%nat -> (b < N)%nat -> g k a b <= indicator (negb (good_4 k a b))) ->
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b * g k a b))) <= miss 4.
  Proof using Hn HL HK Heta Hlaw.
    intros Hg. apply (mean_first_three N w Hw Hw1); [lia|]. intros k a b l _ Hk Ha Hb.
    eapply Rle_trans; [now apply Hg|].
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl.
    - apply at_most_true, good_4_of_loss in E. rewrite E. simpl. lra.
    - apply indicator_range.
  Qed.

  (** Mean over (x,y,t) of [x lacks a pair and row 3 of (y,t) is good]: independence. *)
  Lemma mean_lacks_good :
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
      (indicator (lacks k) * indicator (good_3 a b))))) = lacking * (1 - bad_3).
  Proof using Hn HL HK Heta Hlaw.
    unfold lacking. rewrite <- sum_scal_r. apply sum_ext. intros k _.
    rewrite Rmult_assoc. f_equal. unfold bad_3.
    rewrite <- Hw1 at 1. rewrite <- sum_minus, <- sum_scal. apply sum_ext. intros a _.
    rewrite <- (Rmult_1_r (w a)) at 2. rewrite <- Rmult_minus_distr_l, <- Rmult_assoc, (Rmult_comm _ (w a)), Rmult_assoc.
    f_equal. rewrite <- Hw1 at 1. rewrite <- sum_minus, <- sum_scal. apply sum_ext. intros b _.
    rewrite indicator_negb. ring.
  Qed.

  (** (iii) What lacking a pair costs at trigger position 4. *)
  Lemma lacking_costs :
    lacking * (1 - miss 3) <= miss 4 /\ 2 * lacking * (1 - miss 3) - lacking * lacking <= miss 4.
  Proof using Hn HL HK Heta Hlaw.
    pose proof lacking_range as Hq. pose proof bad_3_le as H3.
    assert (Hqb : 0 <= lacking * (miss 3 - bad_3)) by (apply Rmult_le_pos; lra).
    assert (Hforce : forall k a b, (a < N)%nat -> (b < N)%nat ->
              indicator (lacks k) * indicator (good_3 a b) <= indicator (negb (good_4 k a b))).
    { intros k a b Ha Hb. destruct (lacks k) eqn:E; simpl.
      - destruct (good_3 a b) eqn:E3; simpl.
        + rewrite (lacks_spec k a b E Ha Hb E3). simpl. lra.
        + rewrite Rmult_0_r. apply indicator_range.
      - rewrite Rmult_0_l. apply indicator_range. }
    split.
    - apply Rle_trans with (lacking * (1 - bad_3)); [lra|].
      rewrite <- mean_lacks_good. apply miss_4_ge. intros. now apply Hforce.
    - apply Rle_trans with (2 * (lacking * (1 - bad_3)) - lacking * lacking); [lra|].
      eapply Rle_trans; [|apply (miss_4_ge (fun k a b =>
        (indicator (lacks k) * indicator (good_3 a b) + indicator (lacks a) * indicator (good_3 k b))
        - indicator (lacks k) * indicator (lacks a)))].
      + apply Req_le.
        rewrite (sum_ext N _ (fun k =>
          w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks k) * indicator (good_3 a b))))
          + w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks a) * indicator (good_3 k b))))
          - w k * indicator (lacks k) * lacking)).
        * rewrite sum_minus, sum_plus, mean_lacks_good, sum_scal_r. fold lacking.
          rewrite (sum_ext N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
                     (indicator (lacks a) * indicator (good_3 k b)))))
                   (fun k => sum N (fun a => w k * (w a * sum N (fun b => w b *
                     (indicator (lacks a) * indicator (good_3 k b))))))).
          2:{ intros k _. now rewrite sum_scal. }
          rewrite sum_swap.
          rewrite (sum_ext N _ (fun a => w a * sum N (fun k => w k * sum N (fun b => w b *
                     (indicator (lacks a) * indicator (good_3 k b)))))).
          2:{ intros a _. rewrite <- sum_scal. apply sum_ext. intros k _. ring. }
          rewrite mean_lacks_good. ring.
        * intros k _. unfold lacking.
          replace (w k * indicator (lacks k) * sum N (fun a => w a * indicator (lacks a)))
            with (w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks k) * indicator (lacks a))))).
          2:{ rewrite Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext. intros a _.
              rewrite weights_const by assumption. ring. }
          rewrite <- Rmult_plus_distr_l, <- Rmult_minus_distr_l. f_equal.
          rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros a _.
          rewrite <- Rmult_plus_distr_l, <- Rmult_minus_distr_l. f_equal.
          rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros b _. ring.
      + intros k a b Hk Ha Hb.
        pose proof (Hforce k a b Ha Hb) as F1. pose proof (Hforce a k b Hk Hb) as F2.
        rewrite good_4_symmetric in F2.
        destruct (lacks k); destruct (lacks a); destruct (good_3 a b); destruct (good_3 k b);
          destruct (good_4 k a b); simpl in *; lra.
  Qed.

  (** (iv) No sink before the trigger: the loss is large or some pre-trigger token lacks a pair. *)
  Lemma no_sink_cause j l :
    (3 <= j)%nat -> (j <= L)%nat -> drawn N (L - 1) l ->
    1 - indicator (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l)
    <= indicator (loss_above n L out c t eta j l)
       + sum (j - 2) (fun i => indicator (lacks (nth i l 0%nat))).
  Proof using Hn HL HK Heta Hlaw.
    intros H3 HjL [_ Hl].
    assert (Hsum : 0 <= sum (j - 2) (fun i => indicator (lacks (nth i l 0%nat)))).
    { apply sum_nonneg. intros. apply indicator_range. }
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl.
    2:{ pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l)). lra. }
    apply at_most_true in E.
    destruct (forallb (fun i => negb (lacks (nth i l 0%nat))) (seq 0 (j - 2))) eqn:F.
    - enough (G : sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l = true).
      { rewrite G. simpl. lra. }
      unfold sink_before_trigger. apply forallb_forall. intros i Hi. apply in_seq in Hi.
      apply at_most_true, Rge_le.
      apply (sink_from_pairs n L K v eta (x_of j l) j); auto; try lia.
      + now apply (random_valid n L N w c t Hlaw).
      + intros k H2 Hk. rewrite forallb_forall in F.
        assert (Fk := F (k - 2)%nat ltac:(apply in_seq; lia)). apply negb_true_iff in Fk.
        destruct (has_pair _ Fk) as (a & b & Ha & Hb & G4 & G3).
        exists (x_of 4%nat [nth (k - 2) l 0%nat; a; b]), (x_of 3%nat [a; b]).
        apply at_most_true in G4. apply at_most_true in G3.
        split; [|split; [|split; [|split; [|split; [|split]]]]]; auto.
        * apply (random_valid n L N w c t Hlaw); try lia. repeat constructor; auto. now apply (nth_drawn n N w c t Hlaw).
        * apply (random_valid n L N w c t Hlaw); try lia. repeat constructor; auto.
        * unfold x_of, random_sequence. destruct (Nat.eqb_spec k 1); [lia|].
          destruct (Nat.eqb_spec k j); [lia|]. reflexivity.
    - destruct (forallb_false _ _ F) as (i & Hii & Ei). apply in_seq in Hii. apply negb_false_iff in Ei.
      pose proof (sum_term_le (j - 2) (fun i => indicator (lacks (nth i l 0%nat))) i) as T.
      cbv beta in T. rewrite Ei in T. simpl (indicator true) in T.
      assert (1 <= sum (j - 2) (fun i => indicator (lacks (nth i l 0%nat)))).
      { apply T; [intros; apply indicator_range|lia]. }
      pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) j l)). lra.
  Qed.

  (** At j = 4 a small loss leaves a lacking token only where the other token's row 3 is bad. *)
  Lemma no_sink_cause_4 l :
    drawn N (L - 1) l ->
    1 - indicator (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) 4%nat l)
    <= indicator (loss_above n L out c t eta 4%nat l)
       + (indicator (lacks (nth 0 l 0%nat)) * indicator (negb (good_3 (nth 1 l 0%nat) (nth 2 l 0%nat)))
          + indicator (lacks (nth 1 l 0%nat)) * indicator (negb (good_3 (nth 0 l 0%nat) (nth 2 l 0%nat)))).
  Proof using Hn HL HK Heta Hlaw.
    intros Hl. pose proof (no_sink_cause 4 l ltac:(lia) ltac:(lia) Hl) as H.
    destruct Hl as [Hlen Hl]. destruct l as [|k [|a [|b l]]]; simpl in Hlen; try lia.
    inversion Hl as [|? ? Hk Hl1]; subst. inversion Hl1 as [|? ? Ha Hl2]; subst.
    inversion Hl2 as [|? ? Hb _]; subst. cbn [nth]. cbn [sum Nat.sub nth] in H.
    pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta) 4%nat (k :: a :: b :: l))) as Hi.
    set (missing := indicator (lacks k) * indicator (negb (good_3 a b))
                    + indicator (lacks a) * indicator (negb (good_3 k b))).
    assert (Hm : 0 <= missing).
    { apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply indicator_range. }
    unfold loss_above in *. destruct (at_most _ eta) eqn:E; simpl (indicator (negb _)) in *; [|lra].
    apply at_most_true, good_4_of_loss in E.
    assert (F1 : indicator (lacks k) <= indicator (lacks k) * indicator (negb (good_3 a b))).
    { destruct (lacks k) eqn:Ek; simpl; [|lra].
      destruct (good_3 a b) eqn:G; simpl; [|lra]. pose proof (lacks_spec k a b Ek Ha Hb G). congruence. }
    rewrite good_4_symmetric in E.
    assert (F2 : indicator (lacks a) <= indicator (lacks a) * indicator (negb (good_3 k b))).
    { destruct (lacks a) eqn:Ea; simpl; [|lra].
      destruct (good_3 k b) eqn:G; simpl; [|lra]. pose proof (lacks_spec a k b Ea Hk Hb G). congruence. }
    unfold missing. lra.
  Qed.

  Lemma mean_lacks_bad :
    sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
      (indicator (lacks k) * indicator (negb (good_3 a b))
       + indicator (lacks a) * indicator (negb (good_3 k b)))))) = 2 * lacking * bad_3.
  Proof using Hn HL HK Heta Hlaw.
    assert (E : sum N (fun k => w k * sum N (fun a => w a * sum N (fun b => w b *
                  (indicator (lacks k) * indicator (negb (good_3 a b)))))) = lacking * bad_3).
    { unfold lacking. rewrite <- sum_scal_r. apply sum_ext. intros k _. unfold bad_3.
      rewrite Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext. intros a _.
      rewrite <- !sum_scal. apply sum_ext. intros b _. ring. }
    rewrite (sum_ext N _ (fun k =>
      w k * sum N (fun a => w a * sum N (fun b => w b * (indicator (lacks k) * indicator (negb (good_3 a b)))))
      + sum N (fun a => w a * (w k * sum N (fun b => w b * (indicator (lacks a) * indicator (negb (good_3 k b)))))))).
    - rewrite sum_plus, E, sum_swap.
      rewrite (sum_ext N (fun a => sum N (fun k => w a * (w k * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b)))))))
               (fun a => w a * sum N (fun k => w k * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b))))))).
      + rewrite E. ring.
      + intros a _. now rewrite <- sum_scal.
    - intros k _.
      rewrite (sum_ext N (fun a => w a * (w k * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b))))))
               (fun a => w k * (w a * sum N (fun b => w b *
                 (indicator (lacks a) * indicator (negb (good_3 k b))))))) by (intros; ring).
      rewrite sum_scal, <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros a _.
      rewrite <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros b _. ring.
  Qed.

  (** The union: E[j - 2] = (L-1)/2 tokens, but at j = 4 they cost only where row 3 is bad. *)
  Lemma union_bound :
    (INR L - 2) * (1 - probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta)))
    <= (INR L - 2) * probability L N w (loss_above n L out c t eta)
       + (INR L - 1) * (INR L - 2) / 2 * lacking - 2 * lacking * (1 - miss 3).
  Proof using Hn HL HK Heta Hlaw.
    assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    pose proof lacking_range as Hq. pose proof bad_3_le as H3.
    assert (Hb3 : 0 <= 2 * lacking * (miss 3 - bad_3)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with ((INR L - 2) * probability L N w (loss_above n L out c t eta)
       + (INR L - 1) * (INR L - 2) / 2 * lacking - 2 * lacking * (1 - bad_3)); [|lra].
    rewrite <- probability_not by (auto; lia). unfold probability. rewrite HM.
    unfold Rdiv. rewrite <- !(Rmult_assoc (INR L - 2)).
    rewrite !(Rmult_comm (INR L - 2) (sum _ _)), !(Rmult_assoc _ (INR L - 2) (/ (INR L - 2))), Rinv_r, !Rmult_1_r by lra.
    replace ((INR L - 1) * (INR L - 2) * / 2 * lacking) with (sum (L - 2) (fun a => INR (a + 1)) * lacking).
    2:{ rewrite sum_positions, HM. field. }
    replace (2 * lacking * (1 - bad_3))
      with (sum (L - 2) (fun a => if (a =? 1)%nat then 2 * lacking * (1 - bad_3) else 0)).
    2:{ rewrite (sum_single (L - 2) _ 1%nat); [reflexivity|lia|].
        intros a _ E. now apply Nat.eqb_neq in E as ->. }
    rewrite <- sum_scal_r, <- sum_plus, <- sum_minus. apply sum_le. intros a Ha.
    destruct (Nat.eqb_spec a 1) as [->|E].
    - replace (mean_draws N w (L - 1) (fun l => indicator (loss_above n L out c t eta (1 + 3)%nat l))
               + INR (1 + 1) * lacking - 2 * lacking * (1 - bad_3))
        with (mean_draws N w (L - 1) (fun l => indicator (loss_above n L out c t eta 4%nat l)) + 2 * lacking * bad_3)
        by (simpl; ring).
      rewrite <- mean_lacks_bad, <- (mean_of_three N w Hw1 (L - 1)) by lia.
      rewrite <- mean_plus. apply mean_le; [exact Hw|]. intros draws Hl.
      rewrite indicator_negb. now apply no_sink_cause_4.
    - rewrite Rminus_0_r.
      replace (INR (a + 1) * lacking)
        with (mean_draws N w (L - 1) (fun l => sum (a + 3 - 2) (fun i => indicator (lacks (nth i l 0%nat))))).
      2:{ rewrite mean_sum by assumption.
          rewrite (sum_ext _ _ (fun _ => lacking)).
          - rewrite sum_const. f_equal. f_equal. lia.
          - intros i Hi. apply (mean_nth N w Hw1 (L - 1) i (fun k => indicator (lacks k))). lia. }
      rewrite <- mean_plus. apply mean_le; [exact Hw|]. intros draws Hl.
      rewrite indicator_negb. apply no_sink_cause; auto; lia.
  Qed.

  (** e_j + e_{j+1} <= (L-2) P[l > eta]. *)
  Lemma miss_sum j :
    (3 <= j)%nat -> (j + 1 <= L)%nat ->
    miss j + miss (j + 1) <= (INR L - 2) * probability L N w (loss_above n L out c t eta).
  Proof using Hn HL HK Heta Hlaw.
    intros H3 HjL.
    assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    unfold probability. rewrite HM.
    replace ((INR L - 2) * (sum (L - 2) (fun a => mean_draws N w (L - 1)
               (fun l => indicator (loss_above n L out c t eta (a + 3)%nat l))) / (INR L - 2)))
      with (sum (L - 2) (fun a => miss (a + 3)%nat)) by (unfold miss; field; lra).
    replace (miss j) with (miss (j - 3 + 3)%nat) by (f_equal; lia).
    replace (miss (j + 1)%nat) with (miss (S (j - 3) + 3)%nat) by (f_equal; lia).
    apply (sum_pair_le (L - 2) (fun a => miss (a + 3)%nat)); [lia|]. intros. apply miss_range.
  Qed.

  Lemma sharp_bound delta :
    (INR L - 2) * delta <= 2 / 3 ->
    probability L N w (loss_above n L out c t eta) <= delta ->
    1 - (INR L - 1) / 2 * (1 - sqrt (1 - (INR L - 2) * delta))
    <= probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta)).
  Proof using Hn HL HK Heta Hlaw.
    intros Hs1 Hd. pose proof union_bound as HU. pose proof (miss_sum 3 ltac:(lia) ltac:(lia)) as Hm. simpl (3 + 1)%nat in Hm.
    pose proof lacking_range as Hq. pose proof lacking_costs as [Hc1 Hc2].
    pose proof (miss_range 3) as H3. pose proof (miss_range 4) as H4.
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    set (P := probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta))) in *.
    set (P0 := probability L N w (loss_above n L out c t eta)) in *.
    set (s := (INR L - 2) * delta) in *.
    assert (Hs : (INR L - 2) * P0 <= s) by (apply Rmult_le_compat_l; lra).
    set (Q := 1 - sqrt (1 - s)).
    assert (Hroot : (1 - Q) * (1 - Q) = 1 - s).
    { unfold Q. replace (1 - (1 - sqrt (1 - s))) with (sqrt (1 - s)) by ring. apply sqrt_sqrt. lra. }
    assert (Hr0 : 0 <= sqrt (1 - s)) by apply sqrt_pos.
    assert (Hr : lacking <= Q).
    { apply quadratic_root; [assumption|]. apply (lacking_symmetric lacking (miss 3) (miss 4) s); lra. }
    assert (HQ : Q <= 43 / 100).
    { apply Rnot_lt_le. intros H. assert (0 < (Q - 43 / 100) * (157 / 100 - Q)); [|lra].
      apply Rmult_lt_0_compat; [lra|]. unfold Q. lra. }
    pose proof (leading_cost lacking Q (miss 3) s H3 ltac:(lra) Hr HQ ltac:(lra) ltac:(lra)) as Hlead.
    assert (HLL : 0 <= ((INR L - 1) * (INR L - 2) / 2 - 3) * (Q - lacking)).
    { apply Rmult_le_pos; [|lra]. assert (0 <= (INR L - 4) * (INR L + 1)) by (apply Rmult_le_pos; lra). lra. }
    apply (Rmult_le_reg_l (INR L - 2)); [lra|]. lra.
  Qed.

  Lemma page_bound delta :
    probability L N w (loss_above n L out c t eta) <= delta ->
    1 - delta * ((INR L - 1) * (INR L - 2) / 2)
    <= probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta)).
  Proof using Hn HL HK Heta Hlaw.
    intros Hd. pose proof (sharp_bound delta) as HS.
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    pose proof (probability_nonneg L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta))
                  ltac:(lia) Hw Hw1) as HP.
    pose proof (probability_nonneg L N w (loss_above n L out c t eta) ltac:(lia) Hw Hw1) as HP0.
    set (s := (INR L - 2) * delta) in *.
    replace (delta * ((INR L - 1) * (INR L - 2) / 2)) with ((INR L - 1) / 2 * s) by (unfold s; field).
    assert (Hs0 : 0 <= s) by (apply Rmult_le_pos; lra).
    destruct (Rle_lt_dec s (2 / 3)) as [Hs1|Hs1].
    - specialize (HS Hs1 Hd).
      assert (0 <= (INR L - 1) / 2 * (s - (1 - sqrt (1 - s)))).
      { apply Rmult_le_pos; [lra|]. pose proof (root_bounds s ltac:(lra)). lra. }
      lra.
    - assert (0 <= (INR L - 1) / 2 * (s - 2 / 3)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Random.

(** *** Probes with m - 1 free content tokens *)

Lemma nth_of_firstn (l : list nat) p i d : (i < p)%nat -> nth i (firstn p l) d = nth i l d.
Proof.
  revert l i. induction p as [|p IH]; intros l i Hi; [lia|].
  destruct l as [|k l]; [reflexivity|]. destruct i as [|i]; [reflexivity|]. cbn [firstn nth]. apply IH. lia.
Qed.

(** Every list of p points below N. *)
Fixpoint all_draws (N p : nat) : list (list nat) :=
  match p with
  | O => [[]]
  | S p' => flat_map (fun k => map (cons k) (all_draws N p')) (seq 0 N)
  end.

Lemma all_draws_spec N p l : In l (all_draws N p) <-> drawn N p l.
Proof.
  revert l. induction p as [|p IH]; intros l; cbn [all_draws].
  - split.
    + intros [<-|[]]. split; constructor.
    + intros [Hl _]. destruct l; [now left|discriminate].
  - rewrite in_flat_map. split.
    + intros (k & Hk & Hl). apply in_map_iff in Hl. destruct Hl as (l' & <- & Hl').
      apply drawn_cons; [apply in_seq in Hk; lia|]. now apply IH.
    + intros [Hlen Hl]. destruct l as [|k l]; [discriminate|].
      inversion Hl as [|? ? Hk Hl']; subst. exists k. split; [apply in_seq; lia|].
      apply in_map_iff. exists l. split; [reflexivity|]. apply IH. split; [now injection Hlen|assumption].
Qed.

Lemma mean_firstn N w p r (g : list nat -> R) :
  sum N w = 1 -> mean_draws N w (p + r) (fun l => g (firstn p l)) = mean_draws N w p g.
Proof.
  intros Hw. revert g. induction p as [|p IH]; intros g.
  - cbn [Nat.add mean_draws firstn]. now apply mean_const.
  - cbn [Nat.add mean_draws firstn]. apply sum_ext. intros k _. f_equal. apply (IH (fun l => g (k :: l))).
Qed.

Section AnyProbe.
  Context (n L m N : nat) (w : nat -> R) (c t : nat -> token) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat) (HK : positive_kernel K)
          (Heta : 2 * eta <= / (INR m * (INR m + 1))) (Hlaw : token_law n N w c t).

  Let out : model := head (kernel_attention K) v.
  Let x_of := random_sequence c t.
  Let floor : R := 1 - 2 * (1 + 1 / INR m) * eta.
  Let e := miss n L N w c t K v eta.
  Let Hw := token_weight _ _ _ _ _ Hlaw.
  Let Hw1 := token_total _ _ _ _ _ Hlaw.

  Lemma eta_small : eta <= 1 / 12.
  Proof using Hn Hm HmL HK Heta Hlaw.
    assert (HM : 2 <= INR m) by now apply (le_INR 2).
    assert (H6 : 6 <= INR m * (INR m + 1)).
    { assert (0 <= (INR m - 2) * (INR m + 3)) by (apply Rmult_le_pos; lra). lra. }
    assert (/ (INR m * (INR m + 1)) <= / 6) by (apply Rinv_le_contravar; lra). lra.
  Qed.

  Definition good_row (j : nat) (l : list nat) : bool := at_most (row_error n j out (x_of j l) j) eta.

  Lemma good_row_of_loss j p l :
    (3 <= j)%nat -> (j <= L)%nat -> (j - 1 <= p)%nat ->
    loss n L j out (x_of j l) <= eta -> good_row j (firstn p l) = true.
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H3 HjL Hp H. apply at_most_true. eapply Rle_trans; [|exact H].
    unfold out. rewrite (trigger_row_causal n j K v _ (x_of j l)); [apply loss_row; lia|lia|].
    intros i H1 H2. unfold x_of, random_sequence. now rewrite nth_of_firstn by lia.
  Qed.

  (** No rest (y_1,..,y_{m-1},t) has both rows good. *)
  Definition lacks_rest (k : nat) : bool :=
    forallb (fun l => negb (good_row (m + 2) (k :: l) && good_row (m + 1) l)) (all_draws N m).

  Definition lacking_rest : R := sum N (fun k => w k * indicator (lacks_rest k)).
  Let bad_short : R := mean_draws N w m (fun l => indicator (negb (good_row (m + 1) l))).

  Lemma lacks_rest_spec k l :
    lacks_rest k = true -> drawn N m l -> good_row (m + 1) l = true -> good_row (m + 2) (k :: l) = false.
  Proof using Hn Hm HmL HK Heta Hlaw.
    unfold lacks_rest. intros H Hl Hg. rewrite forallb_forall in H.
    assert (H' := H l ltac:(now apply all_draws_spec)). rewrite Hg, andb_true_r in H'.
    now apply negb_true_iff.
  Qed.

  Lemma has_rest k : lacks_rest k = false ->
    exists l, drawn N m l /\ good_row (m + 2) (k :: l) = true /\ good_row (m + 1) l = true.
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H. destruct (forallb_false _ _ H) as (l & Hl & E). exists l.
    apply all_draws_spec in Hl. apply negb_false_iff, andb_true_iff in E. tauto.
  Qed.

  Lemma lacking_rest_range : 0 <= lacking_rest <= 1.
  Proof using Hn Hm HmL HK Heta Hlaw.
    split.
    - apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [now apply Hw|apply indicator_range].
    - rewrite <- Hw1. apply sum_le. intros k Hk. rewrite <- (Rmult_1_r (w k)) at 2.
      apply Rmult_le_compat_l; [now apply Hw|apply indicator_range].
  Qed.

  (** A bad row means a large loss. *)
  Lemma bad_row_le j p l :
    (3 <= j)%nat -> (j <= L)%nat -> (j - 1 <= p)%nat ->
    indicator (negb (good_row j (firstn p l))) <= indicator (loss_above n L out c t eta j l).
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H3 HjL Hp. unfold loss_above. destruct (at_most _ eta) eqn:E.
    - apply at_most_true, (good_row_of_loss j p) in E; [|assumption..]. rewrite E. simpl. lra.
    - simpl (indicator (negb false)). apply indicator_range.
  Qed.

  Lemma bad_short_le : bad_short <= e (m + 1).
  Proof using Hn Hm HmL HK Heta Hlaw.
    unfold bad_short. rewrite <- (mean_firstn N w m (L - 1 - m) _ Hw1).
    replace (m + (L - 1 - m))%nat with (L - 1)%nat by lia.
    apply mean_le; [exact Hw|]. intros l _. apply bad_row_le; lia.
  Qed.

  Lemma lacking_rest_costs : lacking_rest * (1 - e (m + 1)) <= e (m + 2).
  Proof using Hn Hm HmL HK Heta Hlaw.
    pose proof lacking_rest_range as Hq. pose proof bad_short_le as Hb.
    assert (0 <= lacking_rest * (e (m + 1) - bad_short)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with (lacking_rest * (1 - bad_short)); [lra|].
    apply Rle_trans with (mean_draws N w (S m) (fun l => indicator (negb (good_row (m + 2) l)))).
    - cbn [mean_draws]. unfold lacking_rest. rewrite <- sum_scal_r. apply sum_le. intros k Hk.
      rewrite Rmult_assoc. apply Rmult_le_compat_l; [now apply Hw|].
      unfold bad_short. rewrite <- mean_minus_1 by assumption.
      destruct (lacks_rest k) eqn:E; simpl (indicator _).
      + rewrite Rmult_1_l. apply mean_le; [exact Hw|]. intros l Hl.
        destruct (good_row (m + 1) l) eqn:G; simpl.
        * rewrite (lacks_rest_spec k l E Hl G). simpl. lra.
        * rewrite Rminus_diag_eq by reflexivity. apply indicator_range.
      + rewrite Rmult_0_l, <- (mean_const N w Hw1 m 0). apply mean_le; [exact Hw|].
        intros. apply indicator_range.
    - rewrite <- (mean_firstn N w (S m) (L - 1 - S m) _ Hw1).
      replace (S m + (L - 1 - S m))%nat with (L - 1)%nat by lia.
      apply mean_le; [exact Hw|]. intros l _. apply bad_row_le; lia.
  Qed.

  Lemma no_sink_cause_rest j l :
    (3 <= j)%nat -> (j <= L)%nat -> drawn N (L - 1) l ->
    1 - indicator (sink_before_trigger (kernel_attention K) c t floor j l)
    <= indicator (loss_above n L out c t eta j l)
       + sum (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat))).
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros H3 HjL [_ Hl].
    assert (Hsum : 0 <= sum (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat)))).
    { apply sum_nonneg. intros. apply indicator_range. }
    pose proof (indicator_range (sink_before_trigger (kernel_attention K) c t floor j l)) as Hi.
    unfold loss_above. destruct (at_most _ eta) eqn:E; simpl (indicator (negb _)); [|lra].
    apply at_most_true in E.
    destruct (forallb (fun i => negb (lacks_rest (nth i l 0%nat))) (seq 0 (j - 2))) eqn:F.
    - enough (G : sink_before_trigger (kernel_attention K) c t floor j l = true).
      { rewrite G. simpl. lra. }
      unfold sink_before_trigger. apply forallb_forall. intros i Hii. apply in_seq in Hii.
      apply at_most_true, Rge_le.
      apply (sink_from_probes n L m K v eta (x_of j l) j); auto; try lia.
      + now apply (random_valid n L N w c t Hlaw).
      + intros k H2 Hk. rewrite forallb_forall in F.
        assert (Fk := F (k - 2)%nat ltac:(apply in_seq; lia)). apply negb_true_iff in Fk.
        destruct (has_rest _ Fk) as (rest & [Hrl Hrest] & G1 & G0).
        apply at_most_true in G1. apply at_most_true in G0.
        exists (x_of (m + 2)%nat (nth (k - 2) l 0%nat :: rest)), (x_of (m + 1)%nat rest).
        split; [|split; [|split; [|split; [|split]]]]; auto.
        * apply (random_valid n L N w c t Hlaw); try lia. constructor; [now apply (nth_drawn n N w c t Hlaw)|assumption].
        * apply (random_valid n L N w c t Hlaw); try lia. assumption.
        * unfold x_of, random_sequence. destruct (Nat.eqb_spec k 1); [lia|].
          destruct (Nat.eqb_spec k j); [lia|]. destruct (Nat.eqb_spec 2 (m + 2)); [lia|]. reflexivity.
        * intros i' Hi3 Him. unfold x_of, random_sequence.
          destruct (Nat.eqb_spec i' 1); [lia|]. destruct (Nat.eqb_spec (i' - 1) 1); [lia|].
          replace (i' - 2)%nat with (S (i' - 1 - 2)) by lia. cbn [nth].
          destruct (Nat.eqb_spec i' (m + 2)); destruct (Nat.eqb_spec (i' - 1) (m + 1)); try lia; reflexivity.
    - destruct (forallb_false _ _ F) as (i & Hii & Ei). apply in_seq in Hii. apply negb_false_iff in Ei.
      pose proof (sum_term_le (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat))) i) as T.
      cbv beta in T. rewrite Ei in T. simpl (indicator true) in T.
      assert (1 <= sum (j - 2) (fun i => indicator (lacks_rest (nth i l 0%nat)))).
      { apply T; [intros; apply indicator_range|lia]. }
      lra.
  Qed.

  Lemma union_bound_rest :
    1 - probability L N w (sink_before_trigger (kernel_attention K) c t floor)
    <= probability L N w (loss_above n L out c t eta) + (INR L - 1) / 2 * lacking_rest.
  Proof using Hn Hm HmL HK Heta Hlaw.
    assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
    assert (HL4 : 4 <= INR L).
    { assert (H4 : (4 <= L)%nat) by lia. pose proof (le_INR 4 L H4) as H. simpl in H. lra. }
    rewrite <- probability_not by (auto; lia). unfold probability.
    apply (Rmult_le_reg_r (INR (L - 2))); [lra|].
    rewrite Rmult_plus_distr_r. unfold Rdiv.
    rewrite !(Rmult_assoc _ (/ INR (L - 2)) (INR (L - 2))), Rinv_l, !Rmult_1_r by lra.
    replace ((INR L - 1) * / 2 * lacking_rest * INR (L - 2))
      with (sum (L - 2) (fun a => INR (a + 1)) * lacking_rest).
    2:{ rewrite sum_positions, HM. field. }
    rewrite <- sum_scal_r, <- sum_plus. apply sum_le. intros a Ha.
    replace (INR (a + 1) * lacking_rest)
      with (mean_draws N w (L - 1) (fun l => sum (a + 3 - 2) (fun i => indicator (lacks_rest (nth i l 0%nat))))).
    2:{ rewrite mean_sum by assumption.
        rewrite (sum_ext _ _ (fun _ => lacking_rest)).
        - rewrite sum_const. f_equal. f_equal. lia.
        - intros i Hi. apply (mean_nth N w Hw1 (L - 1) i (fun k => indicator (lacks_rest k))). lia. }
    rewrite <- mean_plus. apply mean_le; [exact Hw|]. intros draws Hl.
    rewrite indicator_negb. apply no_sink_cause_rest; auto; lia.
  Qed.

  Lemma any_probe_bound delta :
    probability L N w (loss_above n L out c t eta) <= delta ->
    1 - delta * (1 + (INR L - 1) * (INR L - 2) / 2)
    <= probability L N w (sink_before_trigger (kernel_attention K) c t floor).
  Proof using Hn Hm HmL HK Heta Hlaw.
    intros Hd. pose proof union_bound_rest as HU. pose proof lacking_rest_range as Hq.
    pose proof lacking_rest_costs as Hc.
    assert (HL : (4 <= L)%nat) by lia.
    assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
    pose proof (miss_sum n L N w c t K v eta Hn HL HK eta_small Hlaw (m + 1) ltac:(lia) ltac:(lia)) as Hs.
    replace (m + 1 + 1)%nat with (m + 2)%nat in Hs by lia.
    pose proof (miss_range n L N w c t K v eta Hn HL HK eta_small Hlaw (m + 1)) as H3.
    fold out e in Hs, H3.
    pose proof (probability_nonneg L N w (sink_before_trigger (kernel_attention K) c t floor)
                  ltac:(lia) Hw Hw1) as HP.
    pose proof (probability_nonneg L N w (loss_above n L out c t eta) ltac:(lia) Hw Hw1) as HP0.
    set (P0 := probability L N w (loss_above n L out c t eta)) in *.
    set (s := (INR L - 2) * delta).
    replace (delta * (1 + (INR L - 1) * (INR L - 2) / 2)) with (delta + (INR L - 1) / 2 * s)
      by (unfold s; field).
    assert (Hs' : (INR L - 2) * P0 <= s) by (apply Rmult_le_compat_l; lra).
    destruct (Rlt_le_dec s 1) as [Hs1|Hs1].
    - assert (Hqs : lacking_rest <= s) by (apply (lacking_simple lacking_rest (e (m + 1)) (e (m + 2))); lra).
      assert (0 <= (INR L - 1) / 2 * (s - lacking_rest)) by (apply Rmult_le_pos; lra). lra.
    - assert (0 <= (INR L - 1) / 2 * (s - 1)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End AnyProbe.

(** ** Part 5: the theorems *)

Lemma content_token_is_content n u :
  (4 <= n)%nat -> (forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> -1 <= u r <= 1) ->
  is_content n (content_token n u).
Proof.
  intros Hn Hu. split.
  - reflexivity.
  - reflexivity.
  - unfold content_flag, content_token.
    destruct (Nat.ltb_spec (n - 1) 2); [lia|]. destruct (Nat.ltb_spec (n - 1) (n - 1)); [lia|].
    now rewrite Nat.eqb_refl.
  - intros k H1 H2. unfold content_token. destruct (Nat.ltb_spec k 2); [lia|].
    destruct (Nat.ltb_spec k (n - 1)); [|lia]. now apply Hu.
  - intros k H. unfold content_token.
    destruct (Nat.ltb_spec k 2); [lia|]. destruct (Nat.ltb_spec k (n - 1)); [lia|].
    destruct (Nat.eqb_spec k (n - 1)); [lia|reflexivity].
Qed.

Lemma trigger_token_is_trigger n u :
  (4 <= n)%nat -> (forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> -1 <= u r <= 1) ->
  is_trigger n (trigger_token n u).
Proof.
  intros Hn Hu. split.
  - reflexivity.
  - reflexivity.
  - unfold content_flag, trigger_token.
    destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
    destruct (Nat.ltb_spec (n - 1) (n - 1)); [lia|reflexivity].
  - intros k H1 H2. unfold trigger_token. destruct (Nat.eqb_spec k 0); [lia|].
    destruct (Nat.eqb_spec k 1); [lia|]. destruct (Nat.ltb_spec k (n - 1)); [|lia]. now apply Hu.
  - intros k H. unfold trigger_token.
    destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec k 1); [lia|].
    destruct (Nat.ltb_spec k (n - 1)); [lia|reflexivity].
Qed.

(** A noise law gives a token law. *)
Lemma noise_law_tokens n N w u :
  (4 <= n)%nat -> noise_law n N w u ->
  token_law n N w (fun k => content_token n (u k)) (fun k => trigger_token n (u k)).
Proof.
  intros Hn [H1 H2 H3]. split; auto.
  - intros k Hk. apply content_token_is_content; auto.
  - intros k Hk. apply trigger_token_is_trigger; auto.
Qed.

(** Any finite law of tokens. *)
Theorem necessity_high_probability_law n L N w c t K v eta delta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> token_law n N w c t ->
  let a := kernel_attention K in
  probability L N w (loss_above n L (head a v) c t eta) <= delta ->
  probability L N w (sink_before_trigger a c t (1 - 3 * eta)) >= 1 - delta * ((INR L - 1) * (INR L - 2) / 2) /\
  ((INR L - 2) * delta <= 2 / 3 ->
   probability L N w (sink_before_trigger a c t (1 - 3 * eta))
   >= 1 - (INR L - 1) / 2 * (1 - sqrt (1 - (INR L - 2) * delta))).
Proof.
  intros Hn HL HK Heta Hlaw a Hd. split; [|intros Hs]; apply Rle_ge.
  - now apply (page_bound n L N w c t K v eta Hn HL HK Heta Hlaw).
  - now apply (sharp_bound n L N w c t K v eta Hn HL HK Heta Hlaw).
Qed.

(** ** tc-2 *)
Theorem necessity_high_probability n L N w u K v eta delta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> noise_law n N w u ->
  let a := kernel_attention K in
  let c := fun k => content_token n (u k) in
  let t := fun k => trigger_token n (u k) in
  probability L N w (loss_above n L (head a v) c t eta) <= delta ->
  probability L N w (sink_before_trigger a c t (1 - 3 * eta))
  >= 1 - delta * ((INR L - 1) * (INR L - 2) / 2).
Proof.
  intros Hn HL HK Heta Hlaw a c t Hd.
  apply (necessity_high_probability_law n L N w c t K v eta delta); auto.
  now apply noise_law_tokens.
Qed.

(** The weaker bound that docs/THEORY.md stated first. *)
Corollary necessity_high_probability_plus_1 n L N w u K v eta delta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> noise_law n N w u ->
  let a := kernel_attention K in
  let c := fun k => content_token n (u k) in
  let t := fun k => trigger_token n (u k) in
  probability L N w (loss_above n L (head a v) c t eta) <= delta -> (INR L - 2) * delta < 1 ->
  probability L N w (sink_before_trigger a c t (1 - 3 * eta))
  >= 1 - delta * (1 + (INR L - 1) * (INR L - 2) / 2).
Proof.
  intros Hn HL HK Heta Hlaw a c t Hd _.
  assert (Hd0 : 0 <= delta).
  { eapply Rle_trans; [|exact Hd].
    apply probability_nonneg; [lia|apply (noise_weight _ _ _ _ Hlaw)|apply (noise_total _ _ _ _ Hlaw)]. }
  pose proof (necessity_high_probability n L N w u K v eta delta Hn HL HK Heta Hlaw Hd) as H.
  fold a c t in H. lra.
Qed.

(** Sharper: the factor 1/2 becomes 1/4 as delta -> 0. *)
Theorem necessity_high_probability_sharp n L N w u K v eta delta :
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> noise_law n N w u ->
  (INR L - 2) * delta <= 2 / 3 ->
  let a := kernel_attention K in
  let c := fun k => content_token n (u k) in
  let t := fun k => trigger_token n (u k) in
  probability L N w (loss_above n L (head a v) c t eta) <= delta ->
  probability L N w (sink_before_trigger a c t (1 - 3 * eta))
  >= 1 - (INR L - 1) / 2 * (1 - sqrt (1 - (INR L - 2) * delta)).
Proof.
  intros Hn HL HK Heta Hlaw Hs a c t Hd.
  apply (necessity_high_probability_law n L N w c t K v eta delta); auto.
  now apply noise_law_tokens.
Qed.

(** tc-1's other constants: m >= 2, and eta at most 1/(2m(m+1)). *)
Theorem necessity_high_probability_any_m n L m N w u K v eta delta :
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) -> noise_law n N w u ->
  let a := kernel_attention K in
  let c := fun k => content_token n (u k) in
  let t := fun k => trigger_token n (u k) in
  probability L N w (loss_above n L (head a v) c t eta) <= delta ->
  probability L N w (sink_before_trigger a c t (1 - 2 * (1 + 1 / INR m) * eta))
  >= 1 - delta * (1 + (INR L - 1) * (INR L - 2) / 2).
Proof.
  intros Hn Hm HmL HK Heta Hlaw a c t Hd. apply Rle_ge.
  apply (any_probe_bound n L m N w c t K v eta Hn Hm HmL HK); [|now apply noise_law_tokens|exact Hd].
  assert (2 <= INR m) by now apply (le_INR 2).
  replace (1 / (2 * INR m * (INR m + 1))) with (/ (INR m * (INR m + 1)) / 2) in Heta by (field; lra). lra.
Qed.

(** The hypothesis can be met, for every law and at every loss level, with delta = 0. *)
Theorem high_probability_not_vacuous n L N w u eta :
  (4 <= n)%nat -> (4 <= L)%nat -> 0 < eta -> noise_law n N w u ->
  exists W V,
    probability L N w
      (loss_above n L (head (kernel_attention (softmax_kernel n W)) (linear_value n V))
         (fun k => content_token n (u k)) (fun k => trigger_token n (u k)) eta) = 0.
Proof.
  intros Hn HL He Hlaw. destruct (softmax_sup_loss_small n L eta) as [W HW]; [assumption|lia|assumption|].
  exists W, projector. pose proof (noise_law_tokens n N w u Hn Hlaw) as Ht.
  unfold probability. rewrite sum_zero; [unfold Rdiv; ring|].
  intros a Ha. apply (mean_zero_to N w (token_weight _ _ _ _ _ Ht) (token_total _ _ _ _ _ Ht)).
  intros l [_ Hl]. unfold loss_above.
  replace (at_most _ eta) with true; [reflexivity|]. symmetry. apply at_most_true.
  apply loss_le_iff; [lra|]. apply HW. apply (random_valid n L N w _ _ Ht); auto; lia.
Qed.

(** ** Part 6: how much the probability could be improved

    At eta = 1/12 the factor (L-1)(L-2)/4 that [necessity_high_probability_sharp] gives as delta -> 0
    cannot be lowered.  Two noise points: 0 ("good") and a rare one ("bad", probability q).  A content
    token with the bad noise has a value that makes the head miss by more than 1/12 only where it is
    one of two content tokens before the trigger (j = 4), and its own row does not look at BOS enough. *)

Inductive class := Bos | Trg | Bad | Good.

Definition class_of (x : token) : class :=
  if at_most 1 (x 0%nat) then Bos else if at_most 1 (x 1%nat) then Trg
  else if at_most (1 / 24) (x 2%nat) then Bad else Good.

(** The trigger's weights, and those of the other queries: M is large. *)
Definition rare_kernel (M : R) : kernel := fun x y =>
  match class_of x, class_of y with
  | Trg, Bos => 1 / 2
  | Trg, Trg => 1 / 2
  | Trg, Bad => 23 / 10
  | Trg, Good => 1
  | Bad, Bos => M * (749 / 1000)
  | Bad, Bad => M * (251 / 1000)
  | _, Bos => M
  | _, _ => 1
  end.

Definition rare_value (n : nat) : token -> token := fun x r =>
  if (r =? 1)%nat then match class_of x with Bos => 0 | Trg => 2 | Bad => 5 / 23 | Good => 0 end
  else if (r =? n - 1)%nat
  then match class_of x with Bos => - (2 / 25) | Trg => 6 / 25 | Bad => 13 / 23 | Good => 27 / 25 end
  else 0.

Definition rare_noise (k r : nat) : R := if (k =? 1)%nat then 1 / 12 else 0.
Definition rare_weight (q : R) (k : nat) : R := if (k =? 1)%nat then q else 1 - q.

(** How many of the first m draws are bad. *)
Fixpoint bads (m : nat) (l : list nat) : nat :=
  match m, l with
  | S m', k :: l' => ((if (k =? 1)%nat then 1 else 0) + bads m' l')%nat
  | _, _ => 0%nat
  end.

Lemma bads_mono m p l : (m <= p)%nat -> (bads m l <= bads p l)%nat.
Proof.
  revert p l. induction m as [|m IH]; intros p l Hp; [simpl; lia|].
  destruct p as [|p]; [lia|]. destruct l as [|k l]; [simpl; lia|].
  cbn [bads]. specialize (IH p l ltac:(lia)). lia.
Qed.

Lemma bads_at_least_1 m l a : (a < m)%nat -> nth a l 0%nat = 1%nat -> (1 <= bads m l)%nat.
Proof.
  revert l a. induction m as [|m IH]; intros l a Ha H; [lia|].
  destruct l as [|k l]; [destruct a; discriminate|]. cbn [bads]. destruct a as [|a].
  - cbn [nth] in H. rewrite H. simpl. lia.
  - cbn [nth] in H. specialize (IH l a ltac:(lia) H). lia.
Qed.

Lemma bads_at_least_2 m l a b :
  (a < b)%nat -> (b < m)%nat -> nth a l 0%nat = 1%nat -> nth b l 0%nat = 1%nat -> (2 <= bads m l)%nat.
Proof.
  revert l a b. induction m as [|m IH]; intros l a b Hab Hb Ea Eb; [lia|].
  destruct l as [|k l]; [destruct a; discriminate|]. cbn [bads].
  destruct b as [|b]; [lia|]. cbn [nth] in Eb. destruct a as [|a].
  - cbn [nth] in Ea. rewrite Ea. pose proof (bads_at_least_1 m l b ltac:(lia) Eb). simpl. lia.
  - cbn [nth] in Ea. specialize (IH l a b ltac:(lia) ltac:(lia) Ea Eb). lia.
Qed.

Lemma bads_found m l : bads m l <> 0%nat -> exists a, (a < m)%nat /\ nth a l 0%nat = 1%nat.
Proof.
  revert l. induction m as [|m IH]; intros l H; [simpl in H; lia|].
  destruct l as [|k l]; [simpl in H; lia|]. cbn [bads] in H.
  destruct (Nat.eqb_spec k 1) as [->|E].
  - exists 0%nat. split; [lia|reflexivity].
  - destruct (IH l ltac:(lia)) as (a & Ha & E'). exists (S a). split; [lia|exact E'].
Qed.

(** A sum over draws counts them. *)
Lemma sum_by_class m l (g b : R) :
  sum m (fun k => if (nth k l 0 =? 1)%nat then b else g) = INR m * g + INR (bads m l) * (b - g).
Proof.
  revert l. induction m as [|m IH]; intros l; [simpl; ring|]. rewrite sum_first.
  destruct l as [|k l].
  - rewrite (sum_ext m _ (fun _ => g)).
    2:{ intros a _. reflexivity. }
    rewrite sum_const. cbn [nth Nat.eqb bads]. rewrite (S_INR m). simpl (INR 0). ring.
  - cbn [nth bads]. rewrite IH, plus_INR, (S_INR m). destruct (k =? 1)%nat; simpl (INR 0); simpl (INR 1); ring.
Qed.

(** *** How often draws are bad *)

Section Rarity.
  Context (q : R) (Hq : 0 <= q <= 1).
  Let w := rare_weight q.

  Lemma rare_weight_nonneg k : (k < 2)%nat -> 0 <= w k.
  Proof using Hq. intros _. unfold w, rare_weight. destruct (k =? 1)%nat; lra. Qed.

  Lemma rare_weight_total : sum 2 w = 1.
  Proof using Type. unfold w, rare_weight. cbn [sum Nat.eqb]. ring. Qed.

  Lemma mean_two p f :
    mean_draws 2 w (S p) f
    = (1 - q) * mean_draws 2 w p (fun l => f (0%nat :: l)) + q * mean_draws 2 w p (fun l => f (1%nat :: l)).
  Proof using Type. cbn [mean_draws sum]. unfold w, rare_weight at 1 3. cbn [Nat.eqb]. ring. Qed.

  Lemma mean_range p f : (forall l, 0 <= f l <= 1) -> 0 <= mean_draws 2 w p f <= 1.
  Proof using Hq.
    intros Hf. split.
    - rewrite <- (mean_const 2 w rare_weight_total p 0). apply mean_le; [exact rare_weight_nonneg|].
      intros. apply Hf.
    - rewrite <- (mean_const 2 w rare_weight_total p 1). apply mean_le; [exact rare_weight_nonneg|].
      intros. apply Hf.
  Qed.

  Lemma one_bad p : mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat) <= INR p * q.
  Proof using Hq.
    induction p as [|p IH]; [simpl; lra|]. rewrite mean_two, S_INR. cbn [bads Nat.eqb Nat.add].
    pose proof (mean_range p (fun l => indicator (1 <=? S (bads p l))%nat)) as H1.
    pose proof (mean_range p (fun l => indicator (1 <=? bads p l)%nat)) as H0.
    specialize (H1 ltac:(intros; apply indicator_range)). specialize (H0 ltac:(intros; apply indicator_range)).
    set (m1 := mean_draws 2 w p (fun l => indicator (1 <=? S (bads p l))%nat)) in *.
    set (m0 := mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat)) in *.
    assert (0 <= q * (1 - m1)) by (apply Rmult_le_pos; lra).
    assert (0 <= q * m0) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma two_bads p :
    mean_draws 2 w p (fun l => indicator (2 <=? bads p l)%nat) <= INR p * INR p * (q * q).
  Proof using Hq.
    induction p as [|p IH]; [simpl; lra|]. rewrite mean_two, S_INR. cbn [bads Nat.eqb Nat.add].
    pose proof (one_bad p) as H1.
    pose proof (mean_range p (fun l => indicator (2 <=? bads p l)%nat)) as H0.
    specialize (H0 ltac:(intros; apply indicator_range)).
    change (mean_draws 2 w p (fun l => indicator (2 <=? S (bads p l))%nat))
      with (mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat)).
    set (m1 := mean_draws 2 w p (fun l => indicator (1 <=? bads p l)%nat)) in *.
    set (m0 := mean_draws 2 w p (fun l => indicator (2 <=? bads p l)%nat)) in *.
    pose proof (pos_INR p) as Hp.
    assert (0 <= q * m0) by (apply Rmult_le_pos; lra).
    assert (0 <= q * (INR p * q - m1)) by (apply Rmult_le_pos; lra).
    assert (0 <= q * q) by (apply Rmult_le_pos; lra).
    assert (0 <= INR p * (q * q)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma no_bad p m :
    (m <= p)%nat ->
    mean_draws 2 w p (fun l => indicator (bads m l =? 0)%nat) <= 1 - INR m * q + INR m * INR m * (q * q).
  Proof using Hq.
    revert m. induction p as [|p IH]; intros m Hm.
    - replace m with 0%nat by lia. simpl. lra.
    - destruct m as [|m].
      + simpl (INR 0). rewrite !Rmult_0_l, Rminus_0_r, Rplus_0_r.
        apply mean_range. intros. apply indicator_range.
      + rewrite mean_two, S_INR. cbn [bads Nat.eqb Nat.add indicator].
        rewrite (mean_const 2 w rare_weight_total). specialize (IH m ltac:(lia)).
        set (m0 := mean_draws 2 w p (fun l => indicator (bads m l =? 0)%nat)) in *.
        set (B := 1 - INR m * q + INR m * INR m * (q * q)) in *.
        pose proof (pos_INR m) as HM.
        assert (H1 : 0 <= (1 - q) * (B - m0)) by (apply Rmult_le_pos; lra).
        assert (H2 : 0 <= q * q) by (apply Rmult_le_pos; lra).
        assert (H3 : 0 <= INR m * (q * q)) by (apply Rmult_le_pos; lra).
        assert (H4 : 0 <= INR m * INR m * (q * q) * q).
        { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [|lra]. now apply Rmult_le_pos. }
        unfold B in *. lra.
  Qed.
End Rarity.

(** *** The head's rows *)

Section Rare.
  Context (n L : nat) (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat).

  Let M : R := 2000 * INR L.
  Let K := rare_kernel M.
  Let v := rare_value n.
  Let c := fun k => content_token n (rare_noise k).
  Let t := fun k => trigger_token n (rare_noise k).

  Lemma M_large : 8000 <= M.
  Proof using HL. unfold M. pose proof (le_INR 4 L HL) as H. simpl in H. lra. Qed.

  Lemma rare_kernel_positive : positive_kernel K.
  Proof using HL.
    pose proof M_large. intros x y. unfold K, rare_kernel.
    destruct (class_of x); destruct (class_of y); lra.
  Qed.

  Lemma rare_noise_law q : 0 <= q <= 1 -> noise_law n 2 (rare_weight q) rare_noise.
  Proof using Type.
    intros Hq. split.
    - intros k Hk. now apply rare_weight_nonneg.
    - apply rare_weight_total.
    - intros k r _ _ _. unfold rare_noise. destruct (k =? 1)%nat; lra.
  Qed.

  Lemma class_bos : class_of bos = Bos.
  Proof using Hn HL.
    unfold class_of. rewrite bos_0. replace (at_most 1 1) with true; [reflexivity|].
    symmetry. apply at_most_true. lra.
  Qed.

  Lemma above_false x y : y < x -> at_most x y = false.
  Proof using Type. intros H. unfold at_most. destruct (Rle_dec x y); [lra|reflexivity]. Qed.

  Lemma class_trigger k : class_of (t k) = Trg.
  Proof using Hn HL.
    unfold class_of. rewrite above_false by (unfold t, trigger_token; simpl; lra).
    replace (at_most 1 (t k 1%nat)) with true; [reflexivity|].
    symmetry. apply at_most_true. unfold t, trigger_token. simpl. lra.
  Qed.

  Lemma class_content k : class_of (c k) = if (k =? 1)%nat then Bad else Good.
  Proof using Hn HL.
    unfold class_of. rewrite above_false by (unfold c, content_token; simpl; lra).
    rewrite above_false by (unfold c, content_token; simpl; lra).
    assert (E : c k 2%nat = rare_noise k 2%nat).
    { unfold c, content_token. simpl. destruct (Nat.ltb_spec 2 (n - 1)); [reflexivity|lia]. }
    rewrite E. unfold rare_noise. destruct (k =? 1)%nat.
    - replace (at_most (1 / 24) (1 / 12)) with true; [reflexivity|]. symmetry. apply at_most_true. lra.
    - rewrite above_false by lra. reflexivity.
  Qed.

  Section Sequence.
    Context (j : nat) (l : list nat) (H3 : (3 <= j)%nat) (HjL : (j <= L)%nat)
            (Hl : drawn 2 (L - 1) l).

    Let x := random_sequence c t j l.
    Let kind (i : nat) : class :=
      if (i =? j)%nat then Trg else if (nth (i - 2) l 0 =? 1)%nat then Bad else Good.

    Lemma rare_valid : valid n L j x.
    Proof using Hn HL H3 HjL Hl.
      apply (random_valid n L 2 (rare_weight 0)); auto; [|apply Hl].
      apply noise_law_tokens; [assumption|]. apply rare_noise_law. lra.
    Qed.

    Lemma x_1 : x 1%nat = bos.
    Proof using Hn HL H3 HjL Hl. reflexivity. Qed.

    Lemma class_x i : (2 <= i)%nat -> class_of (x i) = kind i.
    Proof using Hn HL H3 HjL Hl.
      intros Hi. unfold x, random_sequence, kind. destruct (Nat.eqb_spec i 1); [lia|].
      destruct (i =? j)%nat; [apply class_trigger|apply class_content].
    Qed.

    (** Coordinates other than the trigger's and the content's flag carry at most 1/12. *)
    Lemma small_coordinate i r :
      (2 <= i)%nat -> r <> 1%nat -> r <> (n - 1)%nat -> (r < n)%nat -> Rabs (x i r) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hi E1 En Hr. apply Rabs_le. unfold x, random_sequence. destruct (Nat.eqb_spec i 1); [lia|].
      assert (G : forall k, - (1 / 12) <= rare_noise k r <= 1 / 12).
      { intros k. unfold rare_noise. destruct (k =? 1)%nat; lra. }
      destruct (i =? j)%nat; unfold t, c, trigger_token, content_token.
      - destruct (Nat.eqb_spec r 0); [lra|]. destruct (Nat.eqb_spec r 1); [lia|].
        destruct (Nat.ltb_spec r (n - 1)); [apply G|lra].
      - destruct (Nat.ltb_spec r 2); [lra|]. destruct (Nat.ltb_spec r (n - 1)); [apply G|].
        destruct (Nat.eqb_spec r (n - 1)); [lia|lra].
    Qed.

    (** The trigger row. *)
    Lemma trigger_row_out r :
      head (kernel_attention K) v x j r
      = (v bos r / 2 + INR (j - 2) * v (c 0%nat) r
         + INR (bads (j - 2) l) * (23 / 10 * v (c 1%nat) r - v (c 0%nat) r) + v (t 0%nat) r / 2)
        / (INR (j - 1) + INR (bads (j - 2) l) * (13 / 10)).
    Proof using Hn HL H3 HjL Hl.
      assert (Hc : class_of (x j) = Trg).
      { rewrite class_x by lia. unfold kind. now rewrite Nat.eqb_refl. }
      assert (Hk : forall k, (k < j - 2)%nat ->
                class_of (x (k + 2)%nat) = if (nth k l 0 =? 1)%nat then Bad else Good).
      { intros k Hk. rewrite class_x by lia. unfold kind. destruct (Nat.eqb_spec (k + 2) j); [lia|].
        now replace (k + 2 - 2)%nat with k by lia. }
      rewrite kernel_head_quotient, !possum_ends by lia. rewrite x_1. f_equal.
      - rewrite (sum_ext _ _ (fun k => if (nth k l 0 =? 1)%nat then 23 / 10 * v (c 1%nat) r else v (c 0%nat) r)).
        + rewrite sum_by_class. unfold K, rare_kernel. rewrite Hc, class_bos.
          replace (v (x j) r) with (v (t 0%nat) r).
          2:{ unfold v, rare_value. rewrite Hc, class_trigger. reflexivity. }
          field.
        + intros k Hk'. specialize (Hk k Hk'). unfold K, rare_kernel. rewrite Hc, Hk.
          unfold v, rare_value. rewrite Hk, !class_content. cbn [Nat.eqb].
          destruct (nth k l 0 =? 1)%nat; ring.
      - rewrite (sum_ext _ _ (fun k => if (nth k l 0 =? 1)%nat then 23 / 10 else 1)).
        + rewrite sum_by_class. unfold K, rare_kernel. rewrite Hc, class_bos.
          replace (INR (j - 1)) with (INR (j - 2) + 1); [field|].
          replace (j - 1)%nat with (S (j - 2)) by lia. now rewrite S_INR.
        + intros k Hk'. specialize (Hk k Hk'). unfold K, rare_kernel. rewrite Hc, Hk.
          destruct (nth k l 0 =? 1)%nat; ring.
    Qed.

    Lemma value_trigger_flag y :
      v y 1%nat = match class_of y with Bos => 0 | Trg => 2 | Bad => 5 / 23 | Good => 0 end.
    Proof using Hn HL H3 HjL Hl. reflexivity. Qed.

    Lemma value_content_flag y :
      v y (n - 1)%nat
      = match class_of y with Bos => - (2 / 25) | Trg => 6 / 25 | Bad => 13 / 23 | Good => 27 / 25 end.
    Proof using Hn HL H3 HjL Hl.
      unfold v, rare_value. destruct (Nat.eqb_spec (n - 1) 1); [lia|]. now rewrite Nat.eqb_refl.
    Qed.

    Lemma value_elsewhere y r : r <> 1%nat -> r <> (n - 1)%nat -> v y r = 0.
    Proof using Hn HL H3 HjL Hl.
      intros E1 En. unfold v, rare_value. destruct (Nat.eqb_spec r 1); [contradiction|].
      destruct (Nat.eqb_spec r (n - 1)); [contradiction|reflexivity].
    Qed.

    (** |a/b - e/y| <= 1/12, multiplied out. *)
    Lemma quotient_error a b e y :
      0 < b -> 0 < y -> 12 * (a * y - e * b) <= b * y -> - (b * y) <= 12 * (a * y - e * b) ->
      Rabs (a / b - e / y) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hb Hy H1 H2. assert (Hby : 0 < b * y) by now apply Rmult_lt_0_compat.
      replace (a / b - e / y) with ((a * y - e * b) / (b * y)) by (field; lra).
      apply Rabs_le. split.
      - apply (Rmult_le_reg_r (b * y)); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra.
      - apply (Rmult_le_reg_r (b * y)); [assumption|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra.
    Qed.

    Lemma trigger_row_good r :
      (r < n)%nat -> (bads (L - 1) l <= 1)%nat -> (j = 4%nat -> bads 2 l = 0%nat) ->
      Rabs (head (kernel_attention K) v x j r - target j x j r) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hr Hone H4. rewrite trigger_row_out.
      assert (Hb : (bads (j - 2) l <= 1)%nat) by (pose proof (bads_mono (j - 2) (L - 1) l ltac:(lia)); lia).
      assert (Hcase : bads (j - 2) l = 0%nat \/ (bads (j - 2) l = 1%nat /\ j <> 4%nat)).
      { destruct (bads (j - 2) l) as [|[|b]] eqn:E; [left; reflexivity| |lia].
        right. split; [reflexivity|]. intros E4. rewrite E4 in E. simpl (4 - 2)%nat in E.
        specialize (H4 E4). congruence. }
      assert (EJ : INR (j - 2) = INR (j - 1) - 1).
      { replace (j - 1)%nat with (S (j - 2)) by lia. rewrite S_INR. ring. }
      assert (Hy2 : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      destruct (Nat.eq_dec r 1) as [->|E1]; [|destruct (Nat.eq_dec r (n - 1)) as [->|En]].
      - rewrite (target_trigger_flag n L j x rare_valid Hn).
        rewrite !value_trigger_flag, class_bos, !class_content, class_trigger. cbn [Nat.eqb].
        set (y := INR (j - 1)) in *. assert (Hyy : 0 <= (y - 3) * (y - 3)) by apply Rle_0_sqr.
        destruct Hcase as [->|[-> _]]; [change (INR 0) with 0|change (INR 1) with 1]; apply quotient_error; lra.
      - rewrite (target_content_flag n L j x rare_valid Hn).
        rewrite !value_content_flag, class_bos, !class_content, class_trigger. cbn [Nat.eqb].
        rewrite EJ. set (y := INR (j - 1)) in *.
        destruct Hcase as [->|[-> E4]].
        + change (INR 0) with 0. assert (0 <= y * (y - 2)) by (apply Rmult_le_pos; lra).
          apply quotient_error; lra.
        + change (INR 1) with 1. assert (Hyy : 0 <= (y - 2) * (y - 4)).
          { destruct (Nat.eq_dec j 3) as [E|E].
            - unfold y. rewrite E. simpl. lra.
            - pose proof (le_INR 4 (j - 1) ltac:(lia)) as H. simpl (INR 4) in H. fold y in H. apply Rmult_le_pos; lra. }
          assert (0 <= y * (y - 2)) by (apply Rmult_le_pos; lra).
          apply quotient_error; lra.
      - rewrite !value_elsewhere by assumption.
        assert (Ht : Rabs (target j x j r) <= 1 / 12).
        { unfold target, mean_from_2. rewrite Nat.eqb_refl. unfold Rdiv at 1.
          rewrite Rabs_mult, (Rabs_pos_eq (/ INR (j - 1))) by (left; apply Rinv_0_lt_compat; lra).
          apply (Rmult_le_reg_r (INR (j - 1))); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
          rewrite (Rmult_comm (1 / 12)). apply sum_abs_le. intros. apply small_coordinate; auto; lia. }
        replace ((0 / 2 + INR (j - 2) * 0 + INR (bads (j - 2) l) * (23 / 10 * 0 - 0) + 0 / 2)
                 / (INR (j - 1) + INR (bads (j - 2) l) * (13 / 10)) - target j x j r)
          with (- target j x j r).
        2:{ pose proof (pos_INR (bads (j - 2) l)). field. lra. }
        now rewrite Rabs_Ropp.
    Qed.

    (** Values are small numbers. *)
    Lemma value_abs y r : Rabs (v y r) <= 2.
    Proof using Hn HL H3 HjL Hl.
      apply Rabs_le. unfold v, rare_value. destruct (r =? 1)%nat; [destruct (class_of y); lra|].
      destruct (r =? n - 1)%nat; [destruct (class_of y); lra|lra].
    Qed.

    Lemma value_bos_abs r : - (2 / 25) <= v bos r <= 0.
    Proof using Hn HL H3 HjL Hl.
      unfold v, rare_value. rewrite class_bos. destruct (r =? 1)%nat; [lra|]. destruct (r =? n - 1)%nat; lra.
    Qed.

    Lemma value_bad r : - (82 / 1000) <= 749 / 1000 * v bos r + 251 / 1000 * v (c 1%nat) r <= 82 / 1000.
    Proof using Hn HL H3 HjL Hl.
      unfold v, rare_value. rewrite class_bos, class_content. cbn [Nat.eqb].
      destruct (r =? 1)%nat; [lra|]. destruct (r =? n - 1)%nat; lra.
    Qed.

    (** A quotient M a + s over M + p with |a| <= 82/1000 and |s| <= 2 L. *)
    Lemma quiet_quotient a s p :
      Rabs a <= 82 / 1000 -> Rabs s <= INR L * 2 -> 0 <= p -> Rabs ((M * a + s) / (M + p)) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Ha Hs Hp. pose proof M_large as HM. unfold Rdiv at 1.
      rewrite Rabs_mult, (Rabs_pos_eq (/ (M + p))) by (left; apply Rinv_0_lt_compat; lra).
      apply (Rmult_le_reg_r (M + p)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, (Rabs_pos_eq M) by lra.
      assert (H : 0 <= M * (82 / 1000 - Rabs a)) by (apply Rmult_le_pos; lra).
      unfold M in *. lra.
    Qed.

    Lemma quiet_row_good i r :
      (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (bads (L - 1) l <= 1)%nat ->
      Rabs (head (kernel_attention K) v x i r) <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hi HiL Ej Hone. rewrite kernel_head_quotient. pose proof M_large as HM.
      pose proof (value_bos_abs r) as Hv0.
      destruct (Nat.eq_dec i 1) as [->|E1].
      - unfold possum. cbn [sum]. rewrite x_1. unfold K, rare_kernel. rewrite class_bos.
        replace ((0 + M * v bos r) / (0 + M)) with (v bos r) by (field; lra). apply Rabs_le. lra.
      - assert (Hci : class_of (x i) = if (nth (i - 2) l 0 =? 1)%nat then Bad else Good).
        { rewrite class_x by lia. unfold kind. destruct (Nat.eqb_spec i j); [contradiction|reflexivity]. }
        assert (HiL' : INR (i - 1) <= INR L) by (apply le_INR; lia).
        assert (HiL2 : INR (i - 2) <= INR L) by (apply le_INR; lia).
        destruct (Nat.eqb_spec (nth (i - 2) l 0%nat) 1) as [Eb|Eb].
        + (* the query is the one bad token *)
          assert (Hother : forall k, (k < i - 2)%nat ->
                    class_of (x (k + 2)%nat) = Trg \/ class_of (x (k + 2)%nat) = Good).
          { intros k Hk. rewrite class_x by lia. unfold kind. destruct (k + 2 =? j)%nat; [now left|].
            destruct (Nat.eqb_spec (nth (k + 2 - 2) l 0%nat) 1) as [Ek|]; [|now right]. exfalso.
            pose proof (bads_at_least_2 (L - 1) l (k + 2 - 2) (i - 2) ltac:(lia) ltac:(lia) Ek Eb). lia. }
          assert (HK1 : forall k, (k < i - 2)%nat -> K (x i) (x (k + 2)%nat) = 1).
          { intros k Hk. unfold K, rare_kernel. rewrite Hci. destruct (Hother k Hk) as [->| ->]; reflexivity. }
          rewrite !possum_ends by lia. rewrite x_1.
          rewrite (sum_ext _ _ (fun k => v (x (k + 2)%nat) r)) by (intros k Hk; rewrite HK1 by assumption; ring).
          rewrite (sum_ext (i - 2) (fun k => K (x i) (x (k + 2)%nat)) (fun _ => 1)) by (intros k Hk; now apply HK1).
          rewrite sum_const.
          replace (v (x i) r) with (v (c 1%nat) r).
          2:{ unfold v, rare_value. rewrite Hci, class_content. reflexivity. }
          unfold K, rare_kernel. rewrite Hci, class_bos.
          set (s := sum (i - 2) (fun k => v (x (k + 2)%nat) r)).
          replace (M * (749 / 1000) * v bos r + s + M * (251 / 1000) * v (c 1%nat) r)
            with (M * (749 / 1000 * v bos r + 251 / 1000 * v (c 1%nat) r) + s) by ring.
          replace (M * (749 / 1000) + INR (i - 2) * 1 + M * (251 / 1000)) with (M + INR (i - 2)) by field.
          apply quiet_quotient.
          * apply Rabs_le, value_bad.
          * eapply Rle_trans; [apply (sum_abs_le (i - 2) _ 2); intros; apply value_abs|]. lra.
          * apply pos_INR.
        + assert (HK1 : forall k, (k < i - 1)%nat -> K (x i) (x (k + 2)%nat) = 1).
          { intros k Hk. unfold K, rare_kernel. rewrite Hci, class_x by lia. unfold kind.
            destruct (k + 2 =? j)%nat; [reflexivity|]. destruct (nth (k + 2 - 2) l 0 =? 1)%nat; reflexivity. }
          rewrite !possum_first by lia. rewrite x_1.
          rewrite (sum_ext _ _ (fun k => v (x (k + 2)%nat) r)) by (intros k Hk; rewrite HK1 by assumption; ring).
          rewrite (sum_ext (i - 1) (fun k => K (x i) (x (k + 2)%nat)) (fun _ => 1)) by (intros k Hk; now apply HK1).
          rewrite sum_const, Rmult_1_r. unfold K, rare_kernel. rewrite Hci, class_bos.
          apply quiet_quotient.
          * apply Rabs_le. lra.
          * eapply Rle_trans; [apply (sum_abs_le (i - 1) _ 2); intros; apply value_abs|]. lra.
          * apply pos_INR.
    Qed.

    Lemma rare_loss :
      (bads (L - 1) l <= 1)%nat -> (j = 4%nat -> bads 2 l = 0%nat) ->
      loss n L j (head (kernel_attention K) v) x <= 1 / 12.
    Proof using Hn HL H3 HjL Hl.
      intros Hone H4. apply loss_le_iff; [lra|]. intros i r Hi HiL Hr.
      destruct (Nat.eq_dec i j) as [->|E]; [now apply trigger_row_good|].
      rewrite target_off_trigger, Rminus_0_r by assumption. now apply quiet_row_good.
    Qed.

    (** A bad token before the trigger does not look at BOS enough. *)
    Lemma rare_no_sink a :
      (a < j - 2)%nat -> nth a l 0%nat = 1%nat ->
      bos_attention (kernel_attention K) x (a + 2) <= 749 / 1000.
    Proof using Hn HL H3 HjL Hl.
      intros Ha Eb. pose proof M_large as HM.
      assert (Hca : class_of (x (a + 2)%nat) = Bad).
      { rewrite class_x by lia. unfold kind. destruct (Nat.eqb_spec (a + 2) j); [lia|].
        replace (a + 2 - 2)%nat with a by lia. now rewrite Eb. }
      unfold bos_attention, kernel_attention.
      rewrite possum_ends by lia. rewrite x_1.
      assert (Hs : 0 <= sum (a + 2 - 2) (fun k => K (x (a + 2)%nat) (x (k + 2)%nat))).
      { apply sum_nonneg. intros. left. apply rare_kernel_positive. }
      set (s := sum (a + 2 - 2) (fun k => K (x (a + 2)%nat) (x (k + 2)%nat))) in *.
      unfold K, rare_kernel. rewrite Hca, class_bos.
      apply (Rmult_le_reg_r (M * (749 / 1000) + s + M * (251 / 1000))); [lra|].
      unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
    Qed.
  End Sequence.

  Section Chance.
    Context (q : R) (Hq : 0 <= q <= 1).
    Let w := rare_weight q.

    Lemma rare_miss :
      probability L 2 w (loss_above n L (head (kernel_attention K) v) c t (1 / 12))
      <= 2 * q / (INR L - 2) + (INR L - 1) * (INR L - 1) * (q * q).
    Proof using Hn HL Hq.
      assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
      assert (HM1 : INR (L - 1) = INR L - 1) by (rewrite minus_INR by lia; simpl; ring).
      assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
      unfold probability. apply (Rmult_le_reg_r (INR (L - 2))); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace ((2 * q * / (INR L - 2) + (INR L - 1) * (INR L - 1) * (q * q)) * INR (L - 2))
        with (INR (L - 2) * (INR (L - 1) * INR (L - 1) * (q * q))
              + sum (L - 2) (fun a => if (a =? 1)%nat then 2 * q else 0)).
      2:{ rewrite (sum_single (L - 2) _ 1%nat).
          - simpl (1 =? 1)%nat. rewrite HM, HM1. field. lra.
          - lia.
          - intros k _ E. now apply Nat.eqb_neq in E as ->. }
      rewrite <- sum_const, <- sum_plus. apply sum_le. intros a Ha.
      pose proof (two_bads q Hq (L - 1)) as H2. fold w in H2.
      assert (Hbound : mean_draws 2 w (L - 1) (fun l =>
                indicator (loss_above n L (head (kernel_attention K) v) c t (1 / 12) (a + 3)%nat l))
              <= mean_draws 2 w (L - 1) (fun l => indicator (2 <=? bads (L - 1) l)%nat
                   + (if (a =? 1)%nat then indicator (nth 0 l 0 =? 1)%nat + indicator (nth 1 l 0 =? 1)%nat else 0))).
      { apply mean_le; [apply (rare_weight_nonneg q Hq)|]. intros l Hl. unfold loss_above.
        destruct (Nat.leb_spec 2 (bads (L - 1) l)) as [Hb|Hb].
        - simpl (indicator true).
          pose proof (indicator_range (negb (at_most (loss n L (a + 3) (head (kernel_attention K) v)
            (random_sequence c t (a + 3) l)) (1 / 12)))).
          pose proof (indicator_range (nth 0 l 0 =? 1)%nat). pose proof (indicator_range (nth 1 l 0 =? 1)%nat).
          destruct (a =? 1)%nat; lra.
        - simpl (indicator false). rewrite Rplus_0_l.
          destruct (at_most _ (1 / 12)) eqn:E.
          + simpl. pose proof (indicator_range (nth 0 l 0 =? 1)%nat). pose proof (indicator_range (nth 1 l 0 =? 1)%nat).
            destruct (a =? 1)%nat; lra.
          + simpl (indicator (negb false)).
            destruct (Nat.eqb_spec a 1) as [->|Ea].
            * destruct (bads 2 l) as [|b] eqn:E2.
              -- exfalso. enough (at_most (loss n L (1 + 3) (head (kernel_attention K) v)
                   (random_sequence c t (1 + 3) l)) (1 / 12) = true) by congruence.
                 apply at_most_true, rare_loss; auto; lia.
              -- destruct l as [|k0 [|k1 l]]; [simpl in E2; lia| |].
                 ++ destruct Hl as [Hl _]. simpl in Hl. lia.
                 ++ cbn [nth]. cbn [bads] in E2.
                    destruct (k0 =? 1)%nat; destruct (k1 =? 1)%nat; simpl in *; try lia; lra.
            * exfalso. enough (at_most (loss n L (a + 3) (head (kernel_attention K) v)
                   (random_sequence c t (a + 3) l)) (1 / 12) = true) by congruence.
              apply at_most_true, rare_loss; auto; lia. }
      eapply Rle_trans; [exact Hbound|]. rewrite mean_plus. apply Rplus_le_compat; [exact H2|].
      destruct (a =? 1)%nat.
      - rewrite mean_plus.
        rewrite (mean_nth 2 w (rare_weight_total q) (L - 1) 0 (fun k => indicator (k =? 1)%nat)) by lia.
        rewrite (mean_nth 2 w (rare_weight_total q) (L - 1) 1 (fun k => indicator (k =? 1)%nat)) by lia.
        unfold w, rare_weight. simpl. lra.
      - rewrite (mean_const 2 w (rare_weight_total q)). lra.
    Qed.

    Lemma rare_sink :
      probability L 2 w (sink_before_trigger (kernel_attention K) c t (1 - 3 * (1 / 12)))
      <= 1 - (INR L - 1) / 2 * q + (INR L - 1) * (INR L - 1) * (q * q).
    Proof using Hn HL Hq.
      assert (HM : INR (L - 2) = INR L - 2) by (rewrite minus_INR by lia; simpl; ring).
      assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
      assert (Hqq : 0 <= q * q) by (apply Rmult_le_pos; lra).
      unfold probability. apply (Rmult_le_reg_r (INR (L - 2))); [lra|]. unfold Rdiv at 1.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace ((1 - (INR L - 1) / 2 * q + (INR L - 1) * (INR L - 1) * (q * q)) * INR (L - 2))
        with (sum (L - 2) (fun _ => 1 + (INR L - 1) * (INR L - 1) * (q * q))
              - sum (L - 2) (fun a => INR (a + 1)) * q).
      2:{ rewrite sum_const, sum_positions, HM. field. }
      rewrite <- sum_scal_r, <- sum_minus. apply sum_le. intros a Ha.
      assert (Ha1 : INR (a + 1) <= INR L - 1).
      { assert (H : (a + 1 <= L - 1)%nat) by lia. apply le_INR in H. rewrite (minus_INR L 1) in H by lia.
        simpl (INR 1) in H. lra. }
      pose proof (pos_INR (a + 1)) as Ha0.
      apply Rle_trans with (1 - INR (a + 1) * q + INR (a + 1) * INR (a + 1) * (q * q)).
      - eapply Rle_trans; [|apply (no_bad q Hq (L - 1) (a + 1)); lia]. fold w.
        apply mean_le; [apply (rare_weight_nonneg q Hq)|]. intros l Hl.
        destruct (Nat.eqb_spec (bads (a + 1) l) 0) as [E|E].
        + simpl (indicator true). apply indicator_range.
        + destruct (bads_found _ _ E) as (b & Hb & Eb).
          replace (sink_before_trigger _ c t _ (a + 3)%nat l) with false; [simpl; lra|].
          symmetry. apply not_true_is_false. intros H. unfold sink_before_trigger in H.
          rewrite forallb_forall in H. specialize (H (b + 2)%nat ltac:(apply in_seq; lia)).
          apply at_most_true in H.
          pose proof (rare_no_sink (a + 3) l ltac:(lia) ltac:(lia) Hl b ltac:(lia) Eb) as G. lra.
      - assert (H1 : INR (a + 1) * INR (a + 1) <= (INR L - 1) * (INR L - 1)) by (apply Rmult_le_compat; lra).
        apply (Rmult_le_compat_r (q * q)) in H1; [|assumption]. lra.
    Qed.
  End Chance.
End Rare.

(** No factor below (L-1)(L-2)/4 is right at eta = 1/12, however small delta is asked to be. *)
Theorem high_probability_tight n L kappa small :
  (4 <= n)%nat -> (4 <= L)%nat -> kappa < (INR L - 1) * (INR L - 2) / 4 -> 0 < small ->
  exists w u K v delta,
    noise_law n 2 w u /\ positive_kernel K /\ 0 < delta <= small /\
    let a := kernel_attention K in
    let c := fun k => content_token n (u k) in
    let t := fun k => trigger_token n (u k) in
    probability L 2 w (loss_above n L (head a v) c t (1 / 12)) <= delta /\
    probability L 2 w (sink_before_trigger a c t (1 - 3 * (1 / 12))) < 1 - kappa * delta.
Proof.
  intros Hn HL Hk Hsmall. assert (HL4 : 4 <= INR L) by (pose proof (le_INR 4 L HL) as H; simpl in H; lra).
  set (k := Rmax 0 kappa).
  assert (Hk0 : 0 <= k) by apply Rmax_l. assert (Hkk : kappa <= k) by apply Rmax_r.
  assert (Hpos : 0 < (INR L - 1) * (INR L - 2)) by (apply Rmult_lt_0_compat; lra).
  assert (Hk4 : k < (INR L - 1) * (INR L - 2) / 4) by (apply Rmax_lub_lt; lra).
  set (D := (INR L - 1) * (INR L - 1)).
  assert (HD : 9 <= D) by (unfold D; assert (0 <= (INR L - 4) * (INR L + 2)) by (apply Rmult_le_pos; lra); lra).
  set (g := (INR L - 1) / 2 - k * (2 / (INR L - 2))).
  assert (Hg : 0 < g).
  { unfold g. apply (Rmult_lt_reg_r (INR L - 2)); [lra|].
    replace (((INR L - 1) / 2 - k * (2 / (INR L - 2))) * (INR L - 2))
      with ((INR L - 1) * (INR L - 2) / 2 - 2 * k) by (field; lra). lra. }
  assert (HDk : 0 < D * (1 + k)) by (apply Rmult_lt_0_compat; lra).
  set (q := Rmin (Rmin 1 (small / (1 + D))) (g / (2 * (D * (1 + k))))).
  assert (Hq0 : 0 < q).
  { unfold q. repeat apply Rmin_pos; try lra; apply Rdiv_lt_0_compat; lra. }
  assert (Hq1 : q <= 1) by (eapply Rle_trans; [apply Rmin_l|apply Rmin_l]).
  assert (Hqs : q * (1 + D) <= small).
  { apply Rle_trans with (small / (1 + D) * (1 + D)).
    - apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply Rmin_l|apply Rmin_r].
    - apply Req_le. field. lra. }
  assert (Hqg : q * (D * (1 + k)) <= g / 2).
  { apply Rle_trans with (g / (2 * (D * (1 + k))) * (D * (1 + k))).
    - apply Rmult_le_compat_r; [lra|apply Rmin_r].
    - apply Req_le. field. lra. }
  assert (Hqq : 0 < q * q) by (now apply Rmult_lt_0_compat).
  assert (H2L : 0 < 2 / (INR L - 2) <= 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_le_reg_r (INR L - 2)); [lra|].
    replace (2 / (INR L - 2) * (INR L - 2)) with 2 by (field; lra). lra. }
  assert (HDq : 0 < D * (q * q)) by (apply Rmult_lt_0_compat; lra).
  assert (Hd0 : 0 < q * (2 / (INR L - 2))) by (apply Rmult_lt_0_compat; lra).
  exists (rare_weight q), rare_noise, (rare_kernel (2000 * INR L)), (rare_value n),
    (q * (2 / (INR L - 2)) + D * (q * q)).
  split; [apply rare_noise_law; lra|]. split; [now apply rare_kernel_positive|]. split; [split; [lra|]|].
  - assert (0 <= q * (1 - 2 / (INR L - 2))) by (apply Rmult_le_pos; lra).
    assert (0 <= D * (q * (1 - q))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). lra.
  - intros a c t. split.
    + eapply Rle_trans; [apply (rare_miss n L Hn HL q); lra|]. fold D. apply Req_le. field. lra.
    + eapply Rle_lt_trans; [apply (rare_sink n L Hn HL q); lra|]. fold D.
      assert (Hfin : q * (q * (D * (1 + k))) <= q * (g / 2)) by (apply Rmult_le_compat_l; lra).
      assert (Hgq : 0 < q * g) by (now apply Rmult_lt_0_compat).
      assert (Hle : kappa * (q * (2 / (INR L - 2)) + D * (q * q)) <= k * (q * (2 / (INR L - 2)) + D * (q * q))).
      { apply Rmult_le_compat_r; lra. }
      assert (Eg : q * g = (INR L - 1) / 2 * q - k * (q * (2 / (INR L - 2)))) by (unfold g; ring).
      lra.
Qed.

Print Assumptions sink_from_probes.
Print Assumptions sink_from_pairs.
Print Assumptions probability_true.
Print Assumptions probability_not.
Print Assumptions necessity_high_probability_law.
Print Assumptions necessity_high_probability.
Print Assumptions necessity_high_probability_plus_1.
Print Assumptions necessity_high_probability_sharp.
Print Assumptions necessity_high_probability_any_m.
Print Assumptions high_probability_not_vacuous.
Print Assumptions high_probability_tight.
