(** * tc-2: the hypotheses of every sentence can be met

    By the softmax switches of proofs/theory/switch_family.v: their loss is at most eta on every sequence, so
    P[l > eta] = 0 under every law ([softmax_never_above]).  Here n = 5 coordinates, length L = 8 and a law of two
    noise points with the weights 1/4 and 3/4.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-2 Claim instances.v *)

From Coq Require Import Reals Lra Lia Arith List Bool.
From Sinkproof Require Import trigger_task switch_family hard_switch.
From Claim Require Import statement random_sequences.
Import ListNotations.
Open Scope R_scope.

Lemma softmax_never_above n L N w c t eta :
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta -> token_law n N w c t ->
  exists W, probability L N w
    (loss_above n L (head (kernel_attention (softmax_kernel n W)) (linear_value n projector)) c t eta) = 0.
Proof.
  intros Hn HL He Ht. destruct (softmax_sup_loss_small n L eta) as [W HW]; [assumption|lia|assumption|].
  exists W. unfold probability. rewrite sum_zero; [unfold Rdiv; ring|].
  intros a Ha. apply (mean_zero_to N w (token_weight _ _ _ _ _ Ht) (token_total _ _ _ _ _ Ht)).
  intros l [_ Hl]. unfold loss_above.
  replace (at_most _ eta) with true; [reflexivity|]. symmetry. apply at_most_true.
  apply loss_le_iff; [lra|]. apply HW. apply (random_valid n L N w _ _ Ht); auto; lia.
Qed.

(** The law: noise 1/2 with probability 1/4, noise -1 with probability 3/4. *)
Definition weights (k : nat) : R := if (k =? 0)%nat then 1 / 4 else 3 / 4.
Definition points (k r : nat) : R := if (k =? 0)%nat then 1 / 2 else -1.

Lemma some_law n : noise_law n 2 weights points.
Proof.
  split.
  - intros k _. unfold weights. destruct (k =? 0)%nat; lra.
  - unfold weights. simpl. lra.
  - intros k r _ _ _. unfold points. destruct (k =? 0)%nat; lra.
Qed.

Lemma some_head eta : 0 < eta ->
  exists W, probability 8 2 weights (loss_above 5 8 (head (kernel_attention (softmax_kernel 5 W))
    (linear_value 5 projector)) (contents 5 points) (triggers 5 points) eta) <= 1 / 100.
Proof.
  intros He. destruct (softmax_never_above 5 8 2 weights (contents 5 points) (triggers 5 points) eta) as [W HW];
    try lia; try assumption.
  - apply noise_law_tokens; [lia|apply some_law].
  - exists W. rewrite HW. lra.
Qed.

Theorem probability_true_instance :
  exists L N w,
  (3 <= L)%nat /\ sum N w = 1.
Proof.
  exists 8%nat, 2%nat, weights. split; [lia|apply (noise_total _ _ _ _ (some_law 5))].
Qed.

Theorem probability_not_instance :
  exists L N w (A : event),
  (3 <= L)%nat /\ sum N w = 1.
Proof.
  exists 8%nat, 2%nat, weights, (fun j _ => (j <=? 5)%nat). split; [lia|apply (noise_total _ _ _ _ (some_law 5))].
Qed.

Theorem necessity_high_probability_instance :
  exists n L N w u K v eta delta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\ noise_law n N w u /\ probability L N w
  (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta.
Proof.
  destruct (some_head (1 / 12)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 2%nat, weights, points, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 12), (1 / 100).
  do 2 (split; [lia|]). split; [apply softmax_positive|]. split; [lra|]. split; [apply some_law|exact HW].
Qed.

Theorem necessity_high_probability_sharp_instance :
  exists n L N w u K v eta delta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\ noise_law n N w u /\ probability L N w
  (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta /\ (INR L - 2) *
  delta <= 2 / 3.
Proof.
  destruct (some_head (1 / 12)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 2%nat, weights, points, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 12), (1 / 100).
  do 2 (split; [lia|]). split; [apply softmax_positive|]. split; [lra|]. split; [apply some_law|].
  split; [exact HW|]. simpl. lra.
Qed.

Theorem necessity_high_probability_first_order_instance :
  exists n L N w u K v eta delta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\ noise_law n N w u /\ probability L N w
  (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta /\ (INR L - 2) *
  delta <= 2 / 3.
Proof. exact necessity_high_probability_sharp_instance. Qed.

Theorem necessity_high_probability_law_instance :
  exists n L N w c t K v eta delta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\ token_law n N w c t /\ probability L N w
  (loss_above n L (head (kernel_attention K) v) c t eta) <= delta /\ (INR L - 2) * delta <= 2 / 3.
Proof.
  destruct necessity_high_probability_sharp_instance as (n & L & N & w & u & K & v & eta & delta & H).
  exists n, L, N, w, (contents n u), (triggers n u), K, v, eta, delta.
  destruct H as (Hn & HL & HK & He & Hlaw & H). do 4 (split; [assumption|]). split; [now apply noise_law_tokens|exact H].
Qed.

Theorem necessity_high_probability_any_m_instance :
  exists n L m N w u K v eta delta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ positive_kernel K /\ eta <= 1 / (2 * INR m * (INR m + 1))
  /\ noise_law n N w u /\ probability L N w (loss_above n L (head (kernel_attention K) v) (contents n u)
  (triggers n u) eta) <= delta.
Proof.
  destruct (some_head (1 / 24)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 3%nat, 2%nat, weights, points, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 24), (1 / 100).
  do 3 (split; [lia|]). split; [apply softmax_positive|]. split; [simpl; lra|]. split; [apply some_law|exact HW].
Qed.

Theorem high_probability_tight_instance :
  exists n L kappa small,
  (4 <= n)%nat /\ (4 <= L)%nat /\ kappa < (INR L - 1) * (INR L - 2) / 4 /\ 0 < small.
Proof.
  exists 5%nat, 8%nat, 10, (1 / 100). do 2 (split; [lia|]). replace (INR 8) with 8 by (simpl; ring). split; lra.
Qed.

(** m = 3: x, z and z' are the probes with trigger at 6, 5 and 4. *)
Theorem sink_from_probes_instance :
  exists n L m K v eta x j,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ positive_kernel K /\ eta <= 1 / (2 * INR m * (INR m + 1))
  /\ valid n L j x /\ loss n L j (head (kernel_attention K) v) x <= eta /\ (forall k, (2 <= k)%nat -> (k <
  j)%nat -> exists z z', valid n L (m + 2) z /\ valid n L (m + 1) z' /\ z 2%nat = x k /\ (forall i, (3 <= i)%nat
  -> (i <= m + 2)%nat -> z i = z' (i - 1)%nat) /\ row_error n (m + 2) (head (kernel_attention K) v) z (m + 2) <=
  eta /\ row_error n (m + 1) (head (kernel_attention K) v) z' (m + 1) <= eta) /\ exists i, (1 <= i)%nat /\ (i <
  j)%nat.
Proof.
  destruct (softmax_sup_loss_small 5 8 (1 / 24)) as [W HW]; [lia|lia|lra|].
  set (x := probe (constant_content 5 (1 / 2)) (constant_trigger 5 0)).
  assert (Hx : forall j, (3 <= j)%nat -> (j <= 8)%nat -> valid 5 8 j (x j)).
  { intros j H3 H8. apply probe_valid; auto; [apply constant_content_is_content|apply constant_trigger_is_trigger]; lia || lra. }
  assert (Hl : forall j, (3 <= j)%nat -> (j <= 8)%nat ->
             loss 5 8 j (head (kernel_attention (softmax_kernel 5 W)) (linear_value 5 projector)) (x j) <= 1 / 24).
  { intros j H3 H8. apply loss_le_iff; [lra|]. apply HW. now apply Hx. }
  exists 5%nat, 8%nat, 3%nat, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 24), (x 6%nat), 6%nat.
  do 3 (split; [lia|]). split; [apply softmax_positive|]. split; [simpl; lra|].
  split; [apply Hx; lia|]. split; [apply Hl; lia|]. split; [|exists 4%nat; lia].
  intros k H2 H6. exists (x 5%nat), (x 4%nat). split; [apply Hx; lia|]. split; [apply Hx; lia|].
  split; [unfold x, probe; destruct (Nat.eqb_spec k 1), (Nat.eqb_spec k 6); reflexivity || lia|].
  split.
  { intros i H3 H5. assert (E : (i = 3 \/ i = 4 \/ i = 5)%nat) by lia. destruct E as [->|[->| ->]]; reflexivity. }
  split; (eapply Rle_trans; [apply (loss_row 5 8); lia|apply Hl; lia]).
Qed.

Print Assumptions probability_true_instance.
Print Assumptions probability_not_instance.
Print Assumptions necessity_high_probability_instance.
Print Assumptions necessity_high_probability_sharp_instance.
Print Assumptions necessity_high_probability_law_instance.
Print Assumptions necessity_high_probability_any_m_instance.
Print Assumptions high_probability_tight_instance.
Print Assumptions sink_from_probes_instance.
Print Assumptions necessity_high_probability_first_order_instance.
