(** * tc-1: the hypotheses of every sentence can be met

    By the softmax switches of proofs/theory/switch_family.v, whose sup loss is as small as wanted
    ([softmax_sup_loss_small]), here with n = 5 coordinates, sequences of length L = 8, trigger at 6 and row 4.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-1 Claim instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Coq Require FunctionalExtensionality.
From Sinkproof Require Import trigger_task switch_family probe.
From Claim Require Import statement.
Open Scope R_scope.

(** A softmax head of the class with loss at most eta, and a row before the trigger. *)
Lemma some_head eta : 0 < eta ->
  exists W, sup_loss_le 5 8 (head (kernel_attention (softmax_kernel 5 W)) (linear_value 5 projector)) eta.
Proof. intros He. apply softmax_sup_loss_small; lia || assumption. Qed.

Lemma some_row : exists x j i, valid 5 8 j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof. destruct (valid_exists 5 8 6) as [x Hx]; try lia. exists x, 6%nat, 4%nat. split; [exact Hx|lia]. Qed.

Theorem necessity_instance :
  exists n L m K v eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ positive_kernel K /\
  eta <= 1 / (2 * INR m * (INR m + 1)) /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 24)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 3%nat, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 24).
  do 3 (split; [lia|]). split; [apply softmax_positive|]. split; [simpl; lra|]. split; [exact HW|apply some_row].
Qed.

Theorem necessity_sharp_instance :
  exists n L m K v eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ positive_kernel K /\
  eta <= 1 / (2 * INR m * (INR m + 1)) /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 24)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 3%nat, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 24).
  do 3 (split; [lia|]). split; [apply softmax_positive|]. split; [simpl; lra|]. split; [exact HW|apply some_row].
Qed.

Theorem content_value_floor_instance :
  exists n L m K v eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ positive_kernel K /\
  eta <= 1 / (2 * INR m * (INR m + 1)) /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x, is_content n x.
Proof.
  destruct necessity_instance as (n & L & m & K & v & eta & Hn & Hm & HmL & HK & He & Hloss & _).
  exists n, L, m, K, v, eta. do 6 (split; [assumption|]).
  exists (constant_content n (1 / 2)). apply constant_content_is_content; [assumption|lra].
Qed.

Theorem necessity_nonnegative_instance :
  exists n L m K v eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ nonnegative_kernel n L K /\
  eta < 1 / (2 * INR m * (INR m + 1)) /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 30)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 3%nat, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 30).
  do 3 (split; [lia|]). split; [apply positive_is_nonnegative, softmax_positive|]. split; [simpl; lra|].
  split; [exact HW|apply some_row].
Qed.

Theorem necessity_residual_instance :
  exists n L m K v eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ positive_kernel K /\
  eta <= 1 / (2 * INR m * (INR m + 1)) /\
  residual_sup_loss_le n L (fun x i r => x i r + head (kernel_attention K) v x i r) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct necessity_instance as (n & L & m & K & v & eta & Hn & Hm & HmL & HK & He & Hloss & Hrow).
  exists n, L, m, K, v, eta. do 5 (split; [assumption|]). split; [now apply residual_sup_loss_iff|exact Hrow].
Qed.

(** Every matrix is W_Q^T W_K with W_Q the identity. *)
Lemma softmax_kernel_factors n W : softmax_kernel n (query_key n identity W) = softmax_kernel n W.
Proof.
  apply FunctionalExtensionality.functional_extensionality. intros q.
  apply FunctionalExtensionality.functional_extensionality. intros k. unfold softmax_kernel, bilinear. f_equal.
  apply sum_ext. intros a Ha. apply sum_ext. intros b _. f_equal. f_equal.
  unfold query_key. rewrite (sum_single n _ a Ha).
  - unfold identity. rewrite Nat.eqb_refl. ring.
  - intros c _ Hc. unfold identity. apply Nat.eqb_neq in Hc. rewrite Hc. ring.
Qed.

Theorem necessity_softmax_instance :
  exists n L m width WQ WK V (bias : token) eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\
  eta <= 1 / (2 * INR m * (INR m + 1)) /\
  sup_loss_le n L (head (kernel_attention (softmax_kernel n (query_key width WQ WK)))
                        (fun x r => linear_value n V x r + bias r)) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 24)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, 3%nat, 5%nat, identity, W, projector, (fun _ => 0), (1 / 24).
  do 3 (split; [lia|]). split; [simpl; lra|]. split; [|apply some_row].
  rewrite softmax_kernel_factors.
  replace (fun (x : token) r => linear_value 5 projector x r + 0) with (linear_value 5 projector); [exact HW|].
  apply FunctionalExtensionality.functional_extensionality. intros x.
  apply FunctionalExtensionality.functional_extensionality. intros r. ring.
Qed.

Theorem necessity_two_instance :
  exists n L K v eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 12)) as [W HW]; [lra|].
  exists 5%nat, 8%nat, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 12).
  do 2 (split; [lia|]). split; [apply softmax_positive|]. split; [lra|]. split; [exact HW|apply some_row].
 Qed.

Theorem necessity_sharp_two_instance :
  exists n L K v eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof. exact necessity_two_instance. Qed.

Theorem worst_case_two_instance :
  exists n L K v eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ positive_kernel K /\ eta <= 1 / 12 /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof. exact necessity_two_instance. Qed.

(** m = p = 3: C = 5. *)
Theorem worst_case_instance :
  exists n L m p K v eta,
  (4 <= n)%nat /\ (2 <= m)%nat /\ (m + 2 <= L)%nat /\ (2 <= p)%nat /\ (p + 2 <= L)%nat /\ positive_kernel K /\
  eta <= (INR m - 1) / (4 * (INR m + 1)) /\ second_order_constant m p * eta < 1 /\
  sup_loss_le n L (head (kernel_attention K) v) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 8)) as [W HW]; [lra|].
  assert (HC : second_order_constant 3 3 = 5) by (unfold second_order_constant; simpl; field; lra).
  exists 5%nat, 8%nat, 3%nat, 3%nat, (softmax_kernel 5 W), (linear_value 5 projector), (1 / 8).
  do 5 (split; [lia|]). split; [apply softmax_positive|]. split; [simpl; lra|]. split; [rewrite HC; lra|].
  split; [exact HW|apply some_row].
Qed.

Theorem first_order_sharp_instance : exists n L eta, (4 <= n)%nat /\ (4 <= L)%nat /\ 0 < eta < 1.
Proof. exists 5%nat, 8%nat, (1 / 24). split; [lia|]. split; [lia|lra]. Qed.

Theorem second_order_lower_instance :
  exists n L eta s,
  (4 <= n)%nat /\ (4 <= L)%nat /\ 0 < eta /\ eta <= trigger_gap L /\ s < 2 * eta / (1 - 4 * eta / (INR L - 3)).
Proof.
  exists 5%nat, 8%nat, (1 / 24), (1 / 12). do 2 (split; [lia|]). unfold trigger_gap.
  replace (INR 8) with 8 by (simpl; ring). split; [lra|]. split; lra.
Qed.

Print Assumptions necessity_instance.
Print Assumptions necessity_sharp_instance.
Print Assumptions content_value_floor_instance.
Print Assumptions necessity_nonnegative_instance.
Print Assumptions necessity_residual_instance.
Print Assumptions necessity_softmax_instance.
Print Assumptions necessity_two_instance.
Print Assumptions necessity_sharp_two_instance.
Print Assumptions worst_case_two_instance.
Print Assumptions worst_case_instance.
Print Assumptions first_order_sharp_instance.
Print Assumptions second_order_lower_instance.
