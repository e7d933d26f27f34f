(** * tc-4: attention-only stacks need a sink in some layer

    Claim (docs/THEORY.md, tc-4; arXiv:2603.11487 Theorem 2, reconstructed and made explicit).
    D >= 1 layers, one head each, no residual, linear value maps V_1..V_D, any row-normalised attention
    A^1..A^D (each may depend on the whole input, hence on every hidden state).  With
    eps = 2 eta/(D_J - 2 eta) every non-trigger row i of the rollout A = A^D ... A^1 has 1 - A_i1 <= eps, and
    some layer has mu_l-average BOS attention >= 1 - eps^(1/D).

    Proved here, for all n >= 4, all L, all D:
    - [stack_is_rollout]: out_i = V_D..V_1 sum_k A_ik x_k;  [rollout_row_stochastic];
    - [rollout_sink]: 1 - A_i1 <= eps at every non-trigger row;
    - [some_layer_sinks]: for every rho >= 0 with eps <= rho^D some layer l in 1..D has mu_l-average BOS
      attention >= 1 - rho;  [some_layer_sinks_root]: rho = eps^(1/D) when eta > 0;
    - [some_layer_sinks_given]: the same from any one-layer bound eps, such as tc-3's exact 4 eta;
    - [row_two_sinks]: at i = 2 the average is a^l_21 itself;
    - [depth_not_vacuous]: the hypotheses hold for some stack, for every D and eta > 0.
    (A stack has attentions and values for all l >= 1; only those with l <= D are read.)

    The law mu_l.  The backward chain starts at row i above layer D; a layer moves it from m to k <= m
    with probability a_mk.  [chain s m] is the probability of being at m after the layers D, ..,
    D-s+1; BOS is absorbing, because the chain never goes up.  [alive s] is the probability of not
    being at BOS, and mu_{D-s} is [chain s] on the rows 2..i divided by [alive s] (the theorem
    includes alive s > 0).  Steps: alive (s+1) = alive s - sum_m chain s m a^{D-s}_m1 ([alive_step]),
    alive D = 1 - A_i1 ([alive_end]), so some factor alive (s+1)/alive s is at most rho
    ([some_factor_small]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/tc-4/depth.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family row_normalised_core.
Open Scope R_scope.

(** ** The stack *)

(** One attention and one value matrix for each layer 1, 2, ... *)
Definition stack_attention := nat -> attention.
Definition stack_values := nat -> matrix.

(** Hidden states after l layers: h^0 = x, h^l_i = V_l sum_{k<=i} a^l_ik h^{l-1}_k. *)
Fixpoint hidden (n : nat) (A : stack_attention) (V : stack_values) (l : nat) : model :=
  match l with
  | O => fun x => x
  | S p => fun x i r =>
      possum i (fun k => A l x i k * linear_value n (V l) (hidden n A V p x k) r)
  end.

(** The rollout A^l ... A^1. *)
Fixpoint rollout (A : stack_attention) (l : nat) : attention :=
  match l with
  | O => fun _ i k => if (i =? k)%nat then 1 else 0
  | S p => fun x i k => possum i (fun m => A l x i m * rollout A p x m k)
  end.

(** V_l ... V_1. *)
Fixpoint total_value (n : nat) (V : stack_values) (l : nat) : matrix :=
  match l with
  | O => identity
  | S p => fun r c => sum n (fun b => V l r b * total_value n V p b c)
  end.

(** ** The backward chain *)

Definition causal (a : attention) : attention := fun x m k => if (k <=? m)%nat then a x m k else 0.

(** The chain of a stack of D layers, started at row i, after its s top layers. *)
Fixpoint chain (A : stack_attention) (D : nat) (x : sequence) (i s : nat) : nat -> R :=
  match s with
  | O => fun k => if (k =? i)%nat then 1 else 0
  | S p => fun k => possum i (fun m => chain A D x i p m * causal (A (D - p)%nat) x m k)
  end.

(** A sum over the rows 2..i. *)
Definition sum_from_2 (i : nat) (f : nat -> R) : R := sum (i - 1) (fun k => f (k + 2)%nat).

(** Probability of not being at BOS. *)
Definition alive (A : stack_attention) (D : nat) (x : sequence) (i s : nat) : R :=
  sum_from_2 i (chain A D x i s).

(** The mu_l-average BOS attention of layer l = D - s. *)
Definition average_bos_attention (A : stack_attention) (D : nat) (x : sequence) (i l : nat) : R :=
  sum_from_2 i (fun m => chain A D x i (D - l) m * bos_attention (A l) x m) / alive A D x i (D - l).

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
  Context (n L : nat) (A : stack_attention) (V : stack_values).

  Lemma rollout_above l x m k : (m < k)%nat -> rollout A l x m k = 0.
  Proof using.
    revert m. induction l as [|l IH]; intros m Hk; simpl.
    - destruct (Nat.eqb_spec m k); [lia|reflexivity].
    - unfold possum. apply sum_zero. intros p Hp. rewrite IH by lia. ring.
  Qed.

  (** out = V_D..V_1 A x. *)
  Theorem stack_is_rollout l x i r :
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

  Context (HA : forall l, (1 <= l)%nat -> row_stochastic n L (A l)).

  Theorem rollout_row_stochastic l : row_stochastic n L (rollout A l).
  Proof using HA.
    intros x j Hx. induction l as [|l IH]; intros i H1 H2.
    - simpl. split.
      + intros k _ _. destruct (i =? k)%nat; lra.
      + rewrite (possum_single i _ i); [now rewrite Nat.eqb_refl|assumption|lia|].
        intros k _ _ E. destruct (Nat.eqb_spec i k); [lia|reflexivity].
    - destruct (HA (S l) ltac:(lia) x j Hx i H1 H2) as [Hpos Hsum]. split.
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

  (** ** The rollout has a sink *)

  Theorem rollout_sink J D eta :
    (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat ->
    let DJ := (INR J - 3) / (2 * (INR J - 1)) in
    eta < DJ / 4 -> sup_loss_le n L (hidden n A V D) eta ->
    forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    1 - bos_attention (rollout A D) x i <= 2 * eta / (DJ - 2 * eta).
  Proof using HA.
    intros Hn HJ HJL DJ Heta Hloss x j i Hx H1 H2 E.
    assert (H : sup_loss_le n L (head (rollout A D) (linear_value n (total_value n V D))) eta).
    { intros y m Hy k r K1 K2 Hr. rewrite <- stack_is_rollout by assumption. now apply Hloss. }
    pose proof (row_normalised_sink n L J _ _ eta Hn HJ HJL (rollout_row_stochastic D) H Heta
                  x j i Hx H1 H2 E) as G.
    unfold trigger_gap in G. fold DJ in G. lra.
  Qed.

  (** ** The chain *)

  Section Chain.
    Context (D : nat) (x : sequence) (j i : nat) (Hx : valid n L j x) (Hi : (1 <= i)%nat) (HiL : (i <= L)%nat).

    Lemma chain_nonneg s k : (s <= D)%nat -> (1 <= k)%nat -> 0 <= chain A D x i s k.
    Proof using HA Hx Hi HiL.
      intros Hs. revert k. induction s as [|s IH]; intros k Hk; simpl.
      - destruct (k =? i)%nat; lra.
      - apply possum_nonneg. intros m Hm Hmi. apply Rmult_le_pos; [apply IH; lia|].
        unfold causal. destruct (Nat.leb_spec k m); [|lra].
        apply (HA (D - s)%nat ltac:(lia) x j Hx m); lia.
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
      destruct (rollout_row_stochastic D x j Hx i Hi HiL) as [_ Hsum].
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
      { intros m Hm Hmi. destruct (HA (D - s)%nat ltac:(lia) x j Hx m Hm ltac:(lia)) as [_ Hsum].
        rewrite (possum_ext _ _ (fun k => A (D - s)%nat x m k * 1)) in Hsum by (intros; ring).
        rewrite <- (causal_sum _ x m i (fun _ => 1)), possum_first in Hsum by assumption.
        rewrite (sum_ext _ _ (fun k => causal (A (D - s)%nat) x m (k + 2)%nat)) in Hsum by (intros; ring).
        unfold causal at 1 in Hsum. destruct (Nat.leb_spec 1 m); [|lia].
        unfold bos_attention. lra. }
      rewrite possum_first by assumption. rewrite sum_scal, Hrow by lia.
      destruct (HA (D - s)%nat ltac:(lia) x j Hx 1%nat ltac:(lia) ltac:(lia)) as [_ H1].
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

(** eps of the page. *)
Definition depth_eps (J : nat) (eta : R) : R :=
  2 * eta / ((INR J - 3) / (2 * (INR J - 1)) - 2 * eta).

(** Whatever bound eps on the mass off BOS one layer has, a stack has a layer with average 1 - eps^(1/D).
    tc-3 gives two: eps = 2 eta/(D_J - 2 eta) ([some_layer_sinks] below), and, for eta (16 + 22 D_J) <= D_J, the exact
    eps = 4 eta (theorem worst_case of proofs/tc-3/worst_case.v, which is this hypothesis). *)
Theorem some_layer_sinks_given n L D A V eta eps rho :
  (1 <= D)%nat -> (forall l, (1 <= l)%nat -> row_stochastic n L (A l)) ->
  (forall a W, row_stochastic n L a -> sup_loss_le n L (head a (linear_value n W)) eta ->
     forall x j i, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> bos_attention a x i >= 1 - eps) ->
  sup_loss_le n L (hidden n A V D) eta -> 0 <= rho -> eps <= rho ^ D ->
  forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ 0 < alive A D x i (D - l) /\
            average_bos_attention A D x i l >= 1 - rho.
Proof.
  intros HD HA Hone Hloss Hrho Heps x j i Hx H2 HiL E.
  assert (H : sup_loss_le n L (head (rollout A D) (linear_value n (total_value n V D))) eta).
  { intros y m Hy k r K1 K2 Hr. rewrite <- stack_is_rollout by assumption. now apply Hloss. }
  pose proof (Hone _ _ (rollout_row_stochastic n L A HA D) H x j i Hx ltac:(lia) HiL E) as Hsink.
  destruct (some_factor_small (alive A D x i) rho D) as (s & Hs & Hpos & Hstep); auto.
  - now apply alive_start.
  - rewrite (alive_end n L A HA D x j i Hx) by lia. lra.
  - rewrite (alive_step n L A HA D x j i Hx) in Hstep by lia.
    exists (D - s)%nat. replace (D - (D - s))%nat with s by lia.
    split; [lia|]. split; [lia|]. split; [assumption|].
    unfold average_bos_attention. replace (D - (D - s))%nat with s by lia.
    apply Rle_ge, (Rmult_le_reg_r (alive A D x i s)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Theorem some_layer_sinks n L J D A V eta rho :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> (1 <= D)%nat ->
  (forall l, (1 <= l)%nat -> row_stochastic n L (A l)) ->
  eta < (INR J - 3) / (2 * (INR J - 1)) / 4 ->
  sup_loss_le n L (hidden n A V D) eta ->
  0 <= rho -> depth_eps J eta <= rho ^ D ->
  forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ 0 < alive A D x i (D - l) /\
            average_bos_attention A D x i l >= 1 - rho.
Proof.
  intros Hn HJ HJL HD HA Heta Hloss Hrho Heps.
  apply (some_layer_sinks_given n L D A V eta (depth_eps J eta) rho); try assumption.
  intros a W Ha HW x j i Hx H1 H2 E.
  exact (row_normalised_sink n L J a W eta Hn HJ HJL Ha HW Heta x j i Hx H1 H2 E).
Qed.

(** rho = eps^(1/D). *)
Corollary some_layer_sinks_root n L J D A V eta :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> (1 <= D)%nat ->
  (forall l, (1 <= l)%nat -> row_stochastic n L (A l)) ->
  0 < eta -> eta < (INR J - 3) / (2 * (INR J - 1)) / 4 ->
  sup_loss_le n L (hidden n A V D) eta ->
  forall x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ 0 < alive A D x i (D - l) /\
            average_bos_attention A D x i l >= 1 - Rpower (depth_eps J eta) (1 / INR D).
Proof.
  intros Hn HJ HJL HD HA Hpos Heta Hloss.
  assert (Heps : 0 < depth_eps J eta) by (apply Rdiv_lt_0_compat; lra).
  assert (HDR : 1 <= INR D) by (now apply (le_INR 1)).
  apply (some_layer_sinks n L J D A V eta); auto.
  - left. apply exp_pos.
  - right. rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult.
    replace (1 / INR D * INR D) with 1 by (field; lra). now rewrite Rpower_1.
Qed.

(** At i = 2 only row 2 is left outside BOS, so the average is one weight. *)
Corollary row_two_sinks n L J D A V eta rho :
  (4 <= n)%nat -> (4 <= J)%nat -> (J <= L)%nat -> (1 <= D)%nat ->
  (forall l, (1 <= l)%nat -> row_stochastic n L (A l)) ->
  eta < (INR J - 3) / (2 * (INR J - 1)) / 4 ->
  sup_loss_le n L (hidden n A V D) eta ->
  0 <= rho -> depth_eps J eta <= rho ^ D ->
  forall x j, valid n L j x ->
  exists l, (1 <= l)%nat /\ (l <= D)%nat /\ bos_attention (A l) x 2%nat >= 1 - rho.
Proof.
  intros Hn HJ HJL HD HA Heta Hloss Hrho Heps x j Hx.
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

(** The hypotheses can be met at every depth: one softmax layer below layers that only look at
    themselves. *)
Theorem depth_not_vacuous n L D eta :
  (4 <= n)%nat -> (4 <= L)%nat -> (1 <= D)%nat -> 0 < eta ->
  exists A V, (forall l, (1 <= l)%nat -> row_stochastic n L (A l)) /\ sup_loss_le n L (hidden n A V D) eta.
Proof.
  intros Hn HL HD Heta. destruct (softmax_sup_loss_small n L eta) as [W HW]; try lia; try assumption.
  set (self := fun (_ : sequence) (i k : nat) => if (i =? k)%nat then 1 else 0).
  set (A := fun l : nat => if (l =? 1)%nat then kernel_attention (softmax_kernel n W) else self).
  set (V := fun l : nat => if (l =? 1)%nat then projector else identity).
  exists A, V. split.
  - intros l _. unfold A. destruct (l =? 1)%nat; [apply kernel_row_stochastic, softmax_positive|].
    exact (rollout_row_stochastic n L (fun _ => kernel_attention (softmax_kernel n W))
             (fun _ _ => kernel_row_stochastic n L _ (softmax_positive n W)) 0).
  - assert (Hsame : forall d x i r, (1 <= i)%nat -> (r < n)%nat ->
              hidden n A V (S d) x i r = hidden n A V 1 x i r).
    { induction d as [|d IH]; intros x i r Hi Hr; [reflexivity|].
      rewrite <- IH by assumption. cbn [hidden]. rewrite (possum_single i _ i); [|assumption|lia|].
      - unfold A, V, self. cbn [Nat.eqb]. rewrite Nat.eqb_refl, linear_identity by assumption.
        cbn [hidden]. ring.
      - intros k _ _ E. unfold A, self. cbn [Nat.eqb]. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring. }
    intros x j Hx i r Hi HiL Hr. destruct D as [|d]; [lia|]. rewrite Hsame by assumption.
    exact (HW x j Hx i r Hi HiL Hr).
Qed.

Print Assumptions stack_is_rollout.
Print Assumptions rollout_row_stochastic.
Print Assumptions rollout_sink.
Print Assumptions some_layer_sinks_given.
Print Assumptions some_layer_sinks.
Print Assumptions some_layer_sinks_root.
Print Assumptions row_two_sinks.
Print Assumptions depth_not_vacuous.
