(** * tc-4, sharpness: any one-layer model as a stack of D layers, each with its share of the sink

    depth_sharp of statement.v.  Row i of the one-layer model has mass m = 1 - a_i1 off BOS; let rho = m^(1/D).
    Layer 1 has the model's values and its weights off BOS scaled from m up to rho; each layer above has values
    I and looks at BOS with 1 - rho, at its own row with rho.  So a layer keeps the share rho of what has not
    reached BOS, and off BOS the rollout has rho^D/m = 1 times the model's weights.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-4 Claim <proofs>/tc-4/sharp_stack.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement depth.
Open Scope R_scope.

Section Spread.
  Context (n L D : nat) (a : attention) (V : matrix) (HD : (1 <= D)%nat) (Ha : row_stochastic n L a).

  Definition off_bos (x : sequence) (i : nat) : R := 1 - bos_attention a x i.

  (** rho = m^(1/D). *)
  Definition keep (x : sequence) (i : nat) : R :=
    if Rlt_dec 0 (off_bos x i) then Rpower (off_bos x i) (1 / INR D) else 0.

  Definition spread_attention (l : nat) : attention := fun x i k =>
    if (k =? 1)%nat then 1 - keep x i
    else if (l =? 1)%nat then a x i k * (keep x i / off_bos x i)
    else if (k =? i)%nat then keep x i else 0.

  Definition spread_values (l : nat) : matrix := if (l =? 1)%nat then V else identity.

  Section Sequence.
    Context (x : sequence) (j : nat) (Hx : valid n L j x).

    (** m is the sum of the weights off BOS. *)
    Lemma off_bos_sum i :
      (1 <= i)%nat -> (i <= L)%nat -> off_bos x i = sum (i - 1) (fun k => a x i (k + 2)%nat).
    Proof using HD Ha Hx.
      intros H1 H2. destruct (Ha x j Hx i H1 H2) as [_ Hs]. rewrite possum_first in Hs by assumption.
      unfold off_bos, bos_attention. lra.
    Qed.

    Lemma off_bos_bounds i : (1 <= i)%nat -> (i <= L)%nat -> 0 <= off_bos x i <= 1.
    Proof using HD Ha Hx.
      intros H1 H2. destruct (Ha x j Hx i H1 H2) as [Hpos _]. split.
      - rewrite off_bos_sum by assumption. apply sum_nonneg. intros k Hk. apply Hpos; lia.
      - pose proof (Hpos 1%nat (le_n 1) H1). unfold off_bos, bos_attention. lra.
    Qed.

    Lemma keep_power i : (1 <= i)%nat -> (i <= L)%nat -> keep x i ^ D = off_bos x i.
    Proof using HD Ha Hx.
      intros H1 H2. pose proof (off_bos_bounds i H1 H2). unfold keep. destruct (Rlt_dec 0 (off_bos x i)) as [Hm|Hm].
      - assert (1 <= INR D) by (now apply (le_INR 1)).
        rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult.
        replace (1 / INR D * INR D) with 1 by (field; lra). now apply Rpower_1.
      - rewrite pow_ne_zero by lia. lra.
    Qed.

    Lemma keep_bounds i : (1 <= i)%nat -> (i <= L)%nat -> 0 <= keep x i <= 1.
    Proof using HD Ha Hx.
      intros H1 H2. pose proof (off_bos_bounds i H1 H2) as Hb. pose proof (keep_power i H1 H2) as Hp.
      assert (H0 : 0 <= keep x i).
      { unfold keep. destruct (Rlt_dec 0 (off_bos x i)); [left; apply exp_pos|lra]. }
      split; [assumption|]. destruct (Rle_lt_dec (keep x i) 1) as [|Hk]; [assumption|exfalso].
      pose proof (Rlt_pow_R1 (keep x i) D Hk ltac:(lia)). lra.
    Qed.

    (** Scaling up: keep/m times the weights off BOS add up to keep. *)
    Lemma scale i : (1 <= i)%nat -> (i <= L)%nat -> off_bos x i * (keep x i / off_bos x i) = keep x i.
    Proof using HD Ha Hx.
      intros H1 H2. pose proof (off_bos_bounds i H1 H2). unfold keep. destruct (Rlt_dec 0 (off_bos x i)) as [Hm|Hm].
      - field. lra.
      - unfold Rdiv. ring.
    Qed.

    Lemma first_row : (1 <= L)%nat -> keep x 1%nat = 0.
    Proof using HD Ha Hx.
      intros HL. unfold keep. rewrite off_bos_sum by lia. simpl. destruct (Rlt_dec 0 0); [lra|reflexivity].
    Qed.

    Lemma no_weight i k :
      (i <= L)%nat -> off_bos x i = 0 -> (2 <= k)%nat -> (k <= i)%nat -> a x i k = 0.
    Proof using HD Ha Hx.
      intros HiL E Hk Hki. destruct (Ha x j Hx i ltac:(lia) HiL) as [Hpos _].
      rewrite off_bos_sum in E by lia.
      pose proof (sum_term_le (i - 1) (fun k => a x i (k + 2)%nat) (k - 2)) as H. cbv beta in H.
      replace (k - 2 + 2)%nat with k in H by lia.
      assert (a x i k <= 0) by (rewrite <- E; apply H; [intros; apply Hpos|]; lia).
      assert (0 <= a x i k) by (apply Hpos; lia). lra.
    Qed.

    (** A row of a layer above the first, against any f. *)
    Lemma upper_row l i (f : nat -> R) :
      (2 <= l)%nat -> (1 <= i)%nat -> (i <= L)%nat ->
      possum i (fun k => spread_attention l x i k * f k) = (1 - keep x i) * f 1%nat + keep x i * f i.
    Proof using HD Ha Hx.
      intros Hl H1 H2. rewrite possum_first by assumption. unfold spread_attention. cbn [Nat.eqb].
      destruct (Nat.eqb_spec l 1); [lia|]. f_equal.
      destruct (Nat.eq_dec i 1) as [->|E].
      - rewrite first_row by lia. simpl. ring.
      - rewrite (sum_single _ _ (i - 2)%nat); [|lia|].
        + replace (i - 2 + 2)%nat with i by lia. rewrite Nat.eqb_refl.
          destruct (Nat.eqb_spec i 1); [lia|reflexivity].
        + intros k _ Hk. destruct (Nat.eqb_spec (k + 2) 1); [lia|].
          destruct (Nat.eqb_spec (k + 2) i); [lia|ring].
    Qed.

    (** A row of the first layer, against any f. *)
    Lemma lower_row i (f : nat -> R) :
      (1 <= i)%nat -> (i <= L)%nat ->
      possum i (fun k => spread_attention 1 x i k * f k)
      = (1 - keep x i) * f 1%nat
        + keep x i / off_bos x i * sum (i - 1) (fun k => a x i (k + 2)%nat * f (k + 2)%nat).
    Proof using HD Ha Hx.
      intros H1 H2. rewrite possum_first by assumption. unfold spread_attention. cbn [Nat.eqb]. f_equal.
      rewrite <- sum_scal. apply sum_ext. intros k _. destruct (Nat.eqb_spec (k + 2) 1); [lia|ring].
    Qed.

    Lemma spread_row_sum l i :
      (1 <= l)%nat -> (1 <= i)%nat -> (i <= L)%nat -> possum i (spread_attention l x i) = 1.
    Proof using HD Ha Hx.
      intros Hl H1 H2. rewrite (possum_ext i _ (fun k => spread_attention l x i k * 1)) by (intros; ring).
      destruct (Nat.eq_dec l 1) as [->|E].
      - rewrite (lower_row i (fun _ => 1)), (sum_ext _ _ (fun k => a x i (k + 2)%nat))
          by (assumption || (intros; ring)).
        rewrite <- off_bos_sum, Rmult_comm by assumption.
        rewrite (Rmult_comm (keep x i / off_bos x i)), scale by assumption. ring.
      - rewrite (upper_row l i (fun _ => 1)) by (assumption || lia). ring.
    Qed.

    (** Hidden states: BOS's value with 1 - rho^l, the rest of the model's output with rho^l/m. *)
    Lemma spread_hidden p i r :
      (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
      hidden n spread_attention spread_values (S p) x i r
      = (1 - keep x i ^ S p) * linear_value n V (x 1%nat) r
        + keep x i ^ p * (keep x i / off_bos x i)
          * sum (i - 1) (fun k => a x i (k + 2)%nat * linear_value n V (x (k + 2)%nat) r).
    Proof using HD Ha Hx.
      revert i. induction p as [|p IH]; intros i H1 H2 Hr.
      - cbn [hidden]. change (spread_values 1) with V.
        rewrite (lower_row i (fun k => linear_value n V (x k) r)) by assumption. simpl. ring.
      - change (hidden n spread_attention spread_values (S (S p)) x i r)
          with (possum i (fun k => spread_attention (S (S p)) x i k
                  * linear_value n identity (hidden n spread_attention spread_values (S p) x k) r)).
        rewrite (upper_row (S (S p)) i (fun k => linear_value n identity
                   (hidden n spread_attention spread_values (S p) x k) r)) by (assumption || lia).
        rewrite !linear_identity, !IH by (assumption || lia).
        rewrite first_row by lia. simpl. unfold Rdiv. ring.
    Qed.

    (** The chain above layer 1 sits at row i or at BOS. *)
    Lemma spread_chain i s k :
      (2 <= i)%nat -> (i <= L)%nat -> (s < D)%nat -> (2 <= k)%nat -> (k <= i)%nat ->
      chain spread_attention D x i s k = if (k =? i)%nat then keep x i ^ s else 0.
    Proof using HD Ha Hx.
      intros Hi HiL. revert k. induction s as [|s IH]; intros k Hs H2 Hk; [reflexivity|].
      cbn [chain]. rewrite (possum_single i _ i); [|lia|lia|].
      - rewrite IH, Nat.eqb_refl by lia. unfold causal, spread_attention.
        destruct (Nat.leb_spec k i); [|lia]. destruct (Nat.eqb_spec k 1); [lia|].
        destruct (Nat.eqb_spec (D - s) 1); [lia|]. destruct (k =? i)%nat; simpl; ring.
      - intros m H1 Hmi E. destruct (Nat.eq_dec m 1) as [->|E1].
        + unfold causal. destruct (Nat.leb_spec k 1); [lia|ring].
        + rewrite IH by lia. apply Nat.eqb_neq in E. rewrite E. ring.
    Qed.

    (** So a sum over the rows 2..i against the chain is its term at i. *)
    Lemma spread_chain_sum i s (f : nat -> R) :
      (2 <= i)%nat -> (i <= L)%nat -> (s < D)%nat ->
      sum_from_2 i (fun k => chain spread_attention D x i s k * f k) = keep x i ^ s * f i.
    Proof using HD Ha Hx.
      intros Hi HiL Hs. unfold sum_from_2. rewrite (sum_single _ _ (i - 2)%nat); [|lia|].
      - replace (i - 2 + 2)%nat with i by lia. now rewrite spread_chain, Nat.eqb_refl by lia.
      - intros k Hk E. rewrite spread_chain by lia. destruct (Nat.eqb_spec (k + 2) i); [lia|ring].
    Qed.
  End Sequence.
End Spread.

Theorem depth_sharp : statement.depth_sharp.
Proof.
  intros n L D a V HD Ha. exists (spread_attention D a), (spread_values V). split; [|split].
  - intros l Hl _ x j Hx i H1 H2. pose proof (keep_bounds n L D a HD Ha x j Hx i H1 H2) as Hk.
    pose proof (off_bos_bounds n L D a HD Ha x j Hx i H1 H2) as Hm. split.
    + intros k Hk1 Hki. unfold spread_attention. destruct (k =? 1)%nat; [lra|].
      destruct (l =? 1)%nat; [|destruct (k =? i)%nat; lra].
      destruct (Ha x j Hx i H1 H2) as [Hpos _]. apply Rmult_le_pos; [now apply Hpos|].
      destruct (Req_dec (off_bos a x i) 0) as [E|E].
      * unfold keep. destruct (Rlt_dec 0 (off_bos a x i)); [lra|]. unfold Rdiv. lra.
      * apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    + now apply (spread_row_sum n L D a HD Ha x j Hx).
  - intros x j i r Hx H1 H2 Hr. destruct D as [|p]; [lia|].
    rewrite (spread_hidden n L (S p) a V HD Ha x j Hx) by assumption.
    rewrite (keep_power n L (S p) a HD Ha x j Hx) by assumption.
    unfold head. rewrite possum_first by assumption. apply f_equal2; [unfold off_bos, bos_attention; ring|].
    destruct (Req_dec (off_bos a x i) 0) as [E|E].
    + rewrite (sum_zero (i - 1)); [ring|]. intros k Hk.
      rewrite (no_weight n L (S p) a HD Ha x j Hx i (k + 2)) by (assumption || lia). ring.
    + replace (keep (S p) a x i ^ p * (keep (S p) a x i / off_bos a x i)) with (keep (S p) a x i ^ S p / off_bos a x i)
        by (simpl; field; assumption).
      rewrite (keep_power n L (S p) a HD Ha x j Hx) by assumption. field. assumption.
  - intros x j i l Hx H2 HiL Hm Hl HlD. fold (off_bos a x i) in *.
    assert (Hk : keep D a x i = Rpower (off_bos a x i) (1 / INR D)).
    { unfold keep. destruct (Rlt_dec 0 (off_bos a x i)); [reflexivity|contradiction]. }
    assert (Hpos : 0 < keep D a x i ^ (D - l)) by (rewrite Hk; apply pow_lt, exp_pos).
    assert (Hal : alive (spread_attention D a) D x i (D - l) = keep D a x i ^ (D - l)).
    { unfold alive. rewrite <- (Rmult_1_r (keep D a x i ^ (D - l))).
      rewrite <- (spread_chain_sum n L D a HD Ha x j Hx i (D - l) (fun _ => 1)) by lia.
      apply sum_ext. intros. ring. }
    rewrite Hal. split; [assumption|]. unfold average_bos_attention.
    rewrite (spread_chain_sum n L D a HD Ha x j Hx i (D - l) (bos_attention (spread_attention D a l) x)), Hal by lia.
    rewrite <- Hk. unfold bos_attention at 1, spread_attention. cbn [Nat.eqb]. field. lra.
Qed.

Print Assumptions depth_sharp.
