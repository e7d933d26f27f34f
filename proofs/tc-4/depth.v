(** * tc-4, the proof: stacks as rollouts, and the backward chain

    All sentences of statement.v but depth_sharp (sharp_stack.v).  Values are linear and nothing is added,
    so the stack is one layer with the rollout's weights, and tc-3's bound (theory/row_normalised_core.v) is
    the rollout's.  Then alive (s+1) = alive s - sum_m chain s m a^{D-s}_m1 ([alive_step]) and
    alive D = 1 - A_i1 ([alive_end]), so some factor alive (s+1)/alive s is at most rho ([some_factor_small]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-4 Claim <proofs>/tc-4/depth.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task row_normalised_core.
From Claim Require Import statement.
Open Scope R_scope.

(** ** Sums over causal rows *)

Lemma possum_cut p i f :
  (p <= i)%nat -> (forall k, (p < k)%nat -> (k <= i)%nat -> f k = 0) -> possum i f = possum p f.
Proof.
  intros Hp. induction i as [|i IH]; intros Hf.
  - now replace p with 0%nat by lia.
  - destruct (Nat.eq_dec p (S i)) as [->|E]; [reflexivity|].
    rewrite possum_S, Hf by lia. rewrite IH; [ring|lia|]. intros. apply Hf; lia.
Qed.

Lemma causal_sum a x p i f :
  (p <= i)%nat -> possum i (fun m => causal a x p m * f m) = possum p (fun m => a x p m * f m).
Proof.
  intros Hp. rewrite (possum_cut p i); [|assumption|].
  - apply possum_ext. intros k _ Hk. unfold causal. destruct (Nat.leb_spec k p); [reflexivity|lia].
  - intros k Hk _. unfold causal. destruct (Nat.leb_spec k p); [lia|ring].
Qed.

Lemma possum_swap m p (f : nat -> nat -> R) :
  possum m (fun a => possum p (fun b => f a b)) = possum p (fun b => possum m (fun a => f a b)).
Proof. apply (sum_swap m p (fun a b => f (S a) (S b))). Qed.

Lemma possum_single i f c :
  (1 <= c)%nat -> (c <= i)%nat -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> k <> c -> f k = 0) ->
  possum i f = f c.
Proof.
  intros H1 H2 Hf. unfold possum. rewrite (sum_single i _ (c - 1)%nat); [|lia|].
  - f_equal. lia.
  - intros k Hk E. apply Hf; lia.
Qed.

Section Stack.
  Context (n L D : nat) (A : nat -> attention) (V : nat -> matrix).

  Lemma rollout_above l x m k : (m < k)%nat -> rollout A l x m k = 0.
  Proof using.
    revert m. induction l as [|l IH]; intros m Hk; simpl.
    - destruct (Nat.eqb_spec m k); [lia|reflexivity].
    - unfold possum. apply sum_zero. intros p Hp. rewrite IH by lia. ring.
  Qed.

  (** out = V_D..V_1 A x. *)
  Lemma layers_are_rollout l x i r :
    (1 <= i)%nat -> (r < n)%nat ->
    hidden n A V l x i r = head (rollout A l) (linear_value n (total_value n V l)) x i r.
  Proof using.
    revert i r. induction l as [|l IH]; intros i r Hi Hr.
    - unfold head. simpl. rewrite (possum_single i _ i); [|assumption|lia|].
      + rewrite Nat.eqb_refl, linear_identity by assumption. ring.
      + intros k _ _ E. destruct (Nat.eqb_spec i k); [lia|ring].
    - unfold head in *. simpl.
      (* V (sum_k R_mk W x_k) = sum_k R_mk (V W) x_k *)
      assert (Hmat : forall m y, linear_value n (total_value n V (S l)) y m
                       = linear_value n (V (S l)) (linear_value n (total_value n V l) y) m).
      { intros m y. unfold linear_value. simpl.
        rewrite (sum_ext _ _ (fun c => sum n (fun b => V (S l) m b * total_value n V l b c * y c))).
        - rewrite sum_swap. apply sum_ext. intros b _. rewrite <- sum_scal. apply sum_ext. intros. ring.
        - intros c _. now rewrite sum_scal_r. }
      rewrite (possum_ext i _ (fun m => possum i (fun k =>
                 A (S l) x i m * (rollout A l x m k * linear_value n (total_value n V (S l)) (x k) r)))).
      + rewrite possum_swap. apply possum_ext. intros k _ _. rewrite <- possum_scal_r.
        apply possum_ext. intros. simpl total_value. ring.
      + intros m Hm Hmi. rewrite possum_scal. apply (f_equal (Rmult _)).
        rewrite (possum_cut m i); [|assumption|].
        * unfold possum. rewrite (sum_ext _ _ (fun k => rollout A l x m (S k) *
            linear_value n (V (S l)) (linear_value n (total_value n V l) (x (S k))) r)).
          2:{ intros k _. now rewrite Hmat. }
          rewrite (linear_sum n (V (S l)) m (fun k => rollout A l x m (S k))
                     (fun k => linear_value n (total_value n V l) (x (S k)))).
          apply sum_ext. intros b Hb. apply (f_equal (Rmult _)). now apply IH.
        * intros k Hk _. rewrite rollout_above by assumption. ring.
  Qed.

  Context (HA : stochastic_layers n L D A).

  Lemma rollout_stochastic l : (l <= D)%nat -> row_stochastic n L (rollout A l).
  Proof using HA.
    intros HlD x j Hx. induction l as [|l IH]; intros i H1 H2.
    - simpl. split.
      + intros k _ _. destruct (i =? k)%nat; lra.
      + rewrite (possum_single i _ i); [now rewrite Nat.eqb_refl|assumption|lia|].
        intros k _ _ E. destruct (Nat.eqb_spec i k); [lia|reflexivity].
    - specialize (IH ltac:(lia)). destruct (HA (S l) ltac:(lia) HlD x j Hx i H1 H2) as [Hpos Hsum]. split.
      + intros k Hk _. simpl. apply possum_nonneg. intros m Hm Hmi.
        apply Rmult_le_pos; [now apply Hpos|].
        destruct (Nat.le_gt_cases k m) as [E|E].
        * apply IH; lia.
        * rewrite rollout_above by assumption. lra.
      + simpl. rewrite possum_swap, <- Hsum. apply possum_ext. intros m Hm Hmi.
        rewrite possum_scal. rewrite (possum_cut m i); [|assumption|].
        * destruct (IH m) as [_ E]; try lia. rewrite E. ring.
        * intros k Hk _. now apply rollout_above.
  Qed.

  (** ** The chain *)

  Section Chain.
    Context (x : sequence) (j i : nat) (Hx : valid n L j x) (Hi : (1 <= i)%nat) (HiL : (i <= L)%nat).

    Lemma chain_nonneg s k : (s <= D)%nat -> (1 <= k)%nat -> 0 <= chain A D x i s k.
    Proof using HA Hx Hi HiL.
      intros Hs. revert k. induction s as [|s IH]; intros k Hk; simpl.
      - destruct (k =? i)%nat; lra.
      - apply possum_nonneg. intros m Hm Hmi. apply Rmult_le_pos; [apply IH; lia|].
        unfold causal. destruct (Nat.leb_spec k m); [|lra].
        apply (HA (D - s)%nat ltac:(lia) ltac:(lia) x j Hx m); lia.
    Qed.

    (** A step from row m stays within the rows 1..i. *)
    Lemma causal_row_sum s m :
      (s < D)%nat -> (1 <= m)%nat -> (m <= i)%nat -> possum i (causal (A (D - s)%nat) x m) = 1.
    Proof using HA Hx Hi HiL.
      intros Hs Hm Hmi. destruct (HA (D - s)%nat ltac:(lia) ltac:(lia) x j Hx m Hm ltac:(lia)) as [_ Hsum].
      rewrite <- Hsum, (possum_ext i _ (fun k => causal (A (D - s)%nat) x m k * 1)) by (intros; ring).
      rewrite (causal_sum _ x m i (fun _ => 1)) by assumption. apply possum_ext. intros. ring.
    Qed.

    Lemma chain_sum s : (s <= D)%nat -> possum i (chain A D x i s) = 1.
    Proof using HA Hx Hi HiL.
      induction s as [|s IH]; intros Hs.
      - rewrite (possum_single i _ i); [|assumption|lia|].
        + simpl. now rewrite Nat.eqb_refl.
        + intros k _ _ E. simpl. apply Nat.eqb_neq in E. now rewrite E.
      - simpl chain. rewrite possum_swap, <- IH by lia. apply possum_ext. intros m Hm Hmi.
        rewrite possum_scal. change (fun k => causal (A (D - s)%nat) x m k) with (causal (A (D - s)%nat) x m).
        rewrite causal_row_sum by (assumption || lia). ring.
    Qed.

    (** chain s times the rollout of the layers below is the rollout of the stack. *)
    Lemma chain_rollout s k :
      (s <= D)%nat ->
      possum i (fun m => chain A D x i s m * rollout A (D - s) x m k) = rollout A D x i k.
    Proof using Hi.
      clear Hx HiL HA. induction s as [|s IH]; intros Hs.
      - rewrite (possum_single i _ i); [|assumption|lia|].
        + simpl. rewrite Nat.eqb_refl, Nat.sub_0_r. ring.
        + intros m _ _ E. simpl. apply Nat.eqb_neq in E. rewrite E. ring.
      - rewrite <- IH by lia. simpl chain.
        rewrite (possum_ext i _ (fun m => possum i (fun p =>
          chain A D x i s p * (causal (A (D - s)%nat) x p m * rollout A (D - S s) x m k)))).
        + rewrite possum_swap. apply possum_ext. intros p _ Hp. rewrite possum_scal. f_equal.
          rewrite (causal_sum _ x p i (fun m => rollout A (D - S s) x m k)) by assumption.
          replace (D - s)%nat with (S (D - S s)) by lia. reflexivity.
        + intros m _ _. rewrite <- possum_scal_r. apply possum_ext. intros. ring.
    Qed.

    Lemma alive_start : (2 <= i)%nat -> alive A D x i 0 = 1.
    Proof using.
      clear Hx Hi HiL HA. intros H2. unfold alive, sum_from_2. rewrite (sum_single _ _ (i - 2)%nat); [|lia|].
      - simpl. destruct (Nat.eqb_spec (i - 2 + 2) i); [reflexivity|lia].
      - intros k _ E. simpl. destruct (Nat.eqb_spec (k + 2) i); [lia|reflexivity].
    Qed.

    Lemma alive_end : alive A D x i D = 1 - bos_attention (rollout A D) x i.
    Proof using HA Hx Hi HiL.
      destruct (rollout_stochastic D (le_n D) x j Hx i Hi HiL) as [_ Hsum].
      rewrite possum_first in Hsum by assumption. unfold bos_attention. rewrite <- Hsum.
      unfold alive, sum_from_2.
      rewrite (sum_ext _ _ (fun k => rollout A D x i (k + 2)%nat)); [ring|].
      intros k Hk. rewrite <- (chain_rollout D) by lia. rewrite Nat.sub_diag.
      rewrite (possum_single i _ (k + 2)%nat); [|lia|lia|].
      - simpl. rewrite Nat.eqb_refl. ring.
      - intros m _ _ E. simpl. apply Nat.eqb_neq in E. rewrite E. ring.
    Qed.

    (** BOS is absorbing: what is lost in a step is what looks at BOS from the rows 2..i. *)
    Lemma alive_step s :
      (s < D)%nat ->
      alive A D x i (S s)
      = alive A D x i s
        - sum_from_2 i (fun m => chain A D x i s m * bos_attention (A (D - s)%nat) x m).
    Proof using HA Hx Hi HiL.
      intros Hs. unfold alive, sum_from_2. rewrite <- sum_minus. simpl chain.
      unfold possum at 1. rewrite (sum_swap (i - 1) i).
      change (possum i (fun m => sum (i - 1) (fun k => chain A D x i s m * causal (A (D - s)%nat) x m (k + 2)%nat))
              = sum (i - 1) (fun k => chain A D x i s (k + 2)%nat
                  - chain A D x i s (k + 2)%nat * bos_attention (A (D - s)%nat) x (k + 2)%nat)).
      assert (Hrow : forall m, (1 <= m)%nat -> (m <= i)%nat ->
                sum (i - 1) (fun k => causal (A (D - s)%nat) x m (k + 2)%nat)
                = 1 - bos_attention (A (D - s)%nat) x m).
      { intros m Hm Hmi. pose proof (causal_row_sum s m Hs Hm Hmi) as Hsum.
        rewrite possum_first in Hsum by assumption.
        unfold causal at 1 in Hsum. destruct (Nat.leb_spec 1 m); [|lia].
        unfold bos_attention. lra. }
      rewrite possum_first by assumption. rewrite sum_scal, Hrow by lia.
      destruct (HA (D - s)%nat ltac:(lia) ltac:(lia) x j Hx 1%nat ltac:(lia) ltac:(lia)) as [_ H1].
      unfold possum in H1. cbn [sum] in H1. rewrite Rplus_0_l in H1.
      unfold bos_attention at 1. rewrite H1.
      rewrite (sum_ext (i - 1) (fun k => sum (i - 1) _) (fun k => chain A D x i s (k + 2)%nat
                  - chain A D x i s (k + 2)%nat * bos_attention (A (D - s)%nat) x (k + 2)%nat)).
      - ring.
      - intros k Hk. rewrite sum_scal, Hrow by lia. ring.
    Qed.
  End Chain.
End Stack.

(** A product of D factors that is at most rho^D has a factor at most rho. *)
Lemma some_factor_small (f : nat -> R) rho D :
  0 <= rho -> (1 <= D)%nat -> f 0%nat = 1 -> f D <= rho ^ D ->
  exists s, (s < D)%nat /\ 0 < f s /\ f (S s) <= rho * f s.
Proof.
  intros Hr HD H0 HfD.
  assert (H : forall d, (exists s, (s < d)%nat /\ 0 < f s /\ f (S s) <= rho * f s) \/
                        (0 < f d /\ rho ^ d <= f d /\ ((1 <= d)%nat -> rho ^ d < f d))).
  { induction d as [|d [(s & Hs & E)|(P & Q & _)]].
    - right. simpl. rewrite H0. split; [lra|]. split; [lra|]. intros; lia.
    - left. exists s. split; [lia|assumption].
    - destruct (Rle_lt_dec (f (S d)) (rho * f d)) as [Hle|Hlt].
      + left. exists d. split; [lia|]. split; assumption.
      + right. assert (rho ^ S d <= rho * f d) by (simpl; now apply Rmult_le_compat_l).
        assert (0 <= rho * f d) by (apply Rmult_le_pos; lra).
        split; [lra|]. split; [lra|]. intros _. lra. }
  destruct (H D) as [E|(_ & _ & E)]; [assumption|]. specialize (E HD). lra.
Qed.

(** ** tc-4 *)

Theorem stack_is_rollout : statement.stack_is_rollout.
Proof. intros n A V D x i r. apply layers_are_rollout. Qed.

Theorem rollout_row_stochastic : statement.rollout_row_stochastic.
Proof. intros n L D A HA. exact (rollout_stochastic n L D A HA D (le_n D)). Qed.

(** The stack's loss is that of one layer with the rollout's weights. *)
Lemma rollout_loss n L D A V eta :
  sup_loss_le n L (hidden n A V D) eta ->
  sup_loss_le n L (head (rollout A D) (linear_value n (total_value n V D))) eta.
Proof. intros H x j Hx i r H1 H2 Hr. rewrite <- layers_are_rollout by assumption. now apply (H x j). Qed.

Theorem rollout_sink : statement.rollout_sink.
Proof.
  intros n L J D A V eta Hn HJ HJL HA Heta Hloss x j i Hx H1 H2 E.
  pose proof (row_normalised_sink n L J _ _ eta Hn HJ HJL (rollout_row_stochastic n L D A HA)
                (rollout_loss n L D A V eta Hloss) Heta x j i Hx H1 H2 E) as G.
  unfold depth_eps. lra.
Qed.

Theorem chain_is_law : statement.chain_is_law.
Proof.
  intros n L D A HA x j i s Hx H1 H2 Hs. split.
  - intros k Hk _. now apply (chain_nonneg n L D A HA x j i Hx).
  - now apply (chain_sum n L D A HA x j i Hx).
Qed.

(** Whatever bound eps on the mass off BOS one layer has at row i, a stack has a layer with average
    1 - eps^(1/D). *)
Theorem some_layer_sinks_given : statement.some_layer_sinks_given.
Proof.
  intros n L D A V eta eps rho x j i HD HA Hloss Hx H2 HiL Hone Hrho Heps.
  pose proof (Hone _ _ (rollout_row_stochastic n L D A HA) (rollout_loss n L D A V eta Hloss)) as Hsink.
  destruct (some_factor_small (alive A D x i) rho D) as (s & Hs & Hpos & Hstep); auto.
  - now apply alive_start.
  - rewrite (alive_end n L D A HA x j i Hx) by lia. lra.
  - rewrite (alive_step n L D A HA x j i Hx) in Hstep by lia.
    exists (D - s)%nat. replace (D - (D - s))%nat with s by lia.
    split; [lia|]. split; [lia|]. split; [assumption|].
    unfold average_bos_attention. replace (D - (D - s))%nat with s by lia.
    apply Rle_ge, (Rmult_le_reg_r (alive A D x i s)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Theorem some_layer_sinks : statement.some_layer_sinks.
Proof.
  intros n L J D A V eta rho Hn HJ HJL HD HA Heta Hloss Hrho Heps x j i Hx H2 HiL E.
  apply (some_layer_sinks_given n L D A V eta (depth_eps J eta) rho x j i); try assumption.
  intros a W Ha HW. apply (row_normalised_sink n L J a W eta Hn HJ HJL Ha HW Heta x j i Hx); lia.
Qed.

Theorem some_layer_sinks_root : statement.some_layer_sinks_root.
Proof.
  intros n L J D A V eta Hn HJ HJL HD HA Hpos Heta Hloss.
  assert (Heps : 0 < depth_eps J eta) by (apply Rdiv_lt_0_compat; lra).
  assert (HDR : 1 <= INR D) by (now apply (le_INR 1)).
  apply (some_layer_sinks n L J D A V eta); auto.
  - left. apply exp_pos.
  - right. rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult.
    replace (1 / INR D * INR D) with 1 by (field; lra). now rewrite Rpower_1.
Qed.

(** At i = 2 only row 2 is left outside BOS. *)
Theorem row_two_sinks : statement.row_two_sinks.
Proof.
  intros n L J D A V eta rho Hn HJ HJL HD HA Heta Hloss Hrho Heps x j Hx.
  pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  destruct (some_layer_sinks n L J D A V eta rho Hn HJ HJL HD HA Heta Hloss Hrho Heps x j 2%nat Hx)
    as (l & H1 & H2 & Hal & Hav); try lia.
  exists l. split; [assumption|]. split; [assumption|].
  unfold average_bos_attention, alive, sum_from_2 in *. cbn [sum Nat.sub Nat.add] in Hav, Hal.
  rewrite !Rplus_0_l in Hav. rewrite Rplus_0_l in Hal.
  replace (chain A D x 2 (D - l) 2%nat * bos_attention (A l) x 2%nat / chain A D x 2 (D - l) 2%nat)
    with (bos_attention (A l) x 2%nat) in Hav by (field; lra).
  exact Hav.
Qed.

Print Assumptions stack_is_rollout.
Print Assumptions rollout_row_stochastic.
Print Assumptions rollout_sink.
Print Assumptions chain_is_law.
Print Assumptions some_layer_sinks_given.
Print Assumptions some_layer_sinks.
Print Assumptions some_layer_sinks_root.
Print Assumptions row_two_sinks.
