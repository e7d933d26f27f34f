(** * tc-3: the hypotheses of the bounds can be met

    By the softmax switches of proofs/theory/switch_family.v, here with n = 5 coordinates, length L = 8, J = 6
    (D_J = 3/10), the trigger at 6 and row 8 after it or row 4 before it.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-3 Claim instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family heads.
From Claim Require Import statement.
Open Scope R_scope.

Lemma gap_6 : trigger_gap 6 = 3 / 10.
Proof. unfold trigger_gap. simpl. field. Qed.

Lemma gap_8 : trigger_gap 8 = 5 / 14.
Proof. unfold trigger_gap. simpl. field. Qed.

(** A softmax head of the class with loss at most eta. *)
Lemma some_head eta : 0 < eta ->
  exists W, row_stochastic 5 8 (kernel_attention (softmax_kernel 5 W)) /\
    sup_loss_le 5 8 (head (kernel_attention (softmax_kernel 5 W)) (linear_value 5 projector)) eta.
Proof.
  intros He. destruct (softmax_sup_loss_small 5 8 eta) as [W HW]; try lia; try assumption.
  exists W. split; [apply kernel_row_stochastic, softmax_positive|exact HW].
Qed.

Lemma some_row : exists x j i, valid 5 8 j x /\ (1 <= i)%nat /\ (i <= 8)%nat /\ i <> j.
Proof. destruct (valid_exists 5 8 6) as [x Hx]; try lia. exists x, 6%nat, 8%nat. split; [exact Hx|lia]. Qed.

Lemma some_early_row : exists x j i, valid 5 8 j x /\ (1 <= i)%nat /\ (i < j)%nat.
Proof. destruct (valid_exists 5 8 6) as [x Hx]; try lia. exists x, 6%nat, 4%nat. split; [exact Hx|lia]. Qed.

Theorem row_normalised_instance :
  exists n L J a V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ row_stochastic n L a /\ eta < trigger_gap J / 4 /\ sup_loss_le
  n L (head a (linear_value n V)) eta /\ exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (some_head (1 / 20)) as (W & HK & HW); [lra|].
  exists 5%nat, 8%nat, 6%nat, (kernel_attention (softmax_kernel 5 W)), projector, (1 / 20).
  do 3 (split; [lia|]). split; [exact HK|]. split; [rewrite gap_6; lra|]. split; [exact HW|apply some_row].
Qed.

Theorem row_normalised_four_instance :
  exists n L a V eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ row_stochastic n L a /\ eta < 1 / 24 /\ sup_loss_le n L (head a (linear_value
  n V)) eta /\ exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (some_head (1 / 30)) as (W & HK & HW); [lra|].
  exists 5%nat, 8%nat, (kernel_attention (softmax_kernel 5 W)), projector, (1 / 30).
  do 2 (split; [lia|]). split; [exact HK|]. split; [lra|]. split; [exact HW|apply some_row].
Qed.

Theorem row_normalised_softmax_instance :
  exists n L J logit V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ eta < trigger_gap J / 4 /\ sup_loss_le n L (head
  (softmax_attention logit) (linear_value n V)) eta /\ exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <=
  L)%nat /\ i <> j.
Proof.
  destruct (some_head (1 / 20)) as (W & HK & HW); [lra|].
  exists 5%nat, 8%nat, 6%nat, (fun x i k => bilinear 5 W (x i) (x k)), projector, (1 / 20).
  do 3 (split; [lia|]). split; [rewrite gap_6; lra|]. split; [exact HW|apply some_row].
Qed.

Theorem row_normalised_residual_instance :
  exists n L J a V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ row_stochastic n L a /\ eta < trigger_gap J / 4 /\
  residual_sup_loss_le n L (fun x i r => x i r + head a (linear_value n V) x i r) eta /\ exists x j i, valid n L
  j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct row_normalised_instance as (n & L & J & a & V & eta & Hn & HJ & HJL & Ha & He & Hloss & Hrow).
  exists n, L, J, a, V, eta. do 5 (split; [assumption|]). split; [now apply residual_sup_loss_iff|exact Hrow].
Qed.

Theorem worst_case_instance :
  exists n L J a V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ row_stochastic n L a /\ eta * (16 + 22 * trigger_gap J) <=
  trigger_gap J /\ sup_loss_le n L (head a (linear_value n V)) eta /\ exists x j i, valid n L j x /\ (1 <=
  i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct (some_head (1 / 100)) as (W & HK & HW); [lra|].
  exists 5%nat, 8%nat, 6%nat, (kernel_attention (softmax_kernel 5 W)), projector, (1 / 100).
  do 3 (split; [lia|]). split; [exact HK|]. split; [rewrite gap_6; lra|]. split; [exact HW|apply some_row].
Qed.

Theorem worst_case_pre_trigger_instance :
  exists n L J a V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ row_stochastic n L a /\ eta * (16 + 22 * trigger_gap J) <=
  trigger_gap J /\ sup_loss_le n L (head a (linear_value n V)) eta /\ exists x j i, valid n L j x /\ (1 <=
  i)%nat /\ (i < j)%nat.
Proof.
  destruct (some_head (1 / 100)) as (W & HK & HW); [lra|].
  exists 5%nat, 8%nat, 6%nat, (kernel_attention (softmax_kernel 5 W)), projector, (1 / 100).
  do 3 (split; [lia|]). split; [exact HK|]. split; [rewrite gap_6; lra|]. split; [exact HW|apply some_early_row].
Qed.

Theorem worst_case_attained_instance :
  exists n L eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ 0 <= eta <= / 4.
Proof.
  exists 5%nat, 8%nat, (1 / 10). split; [lia|]. split; [lia|lra].
Qed.

Theorem worst_case_exact_instance :
  exists n L eta,
  (4 <= n)%nat /\ (4 <= L)%nat /\ 0 <= eta /\ eta * (16 + 22 * trigger_gap L) <= trigger_gap L.
Proof.
  exists 5%nat, 8%nat, (1 / 100). do 2 (split; [lia|]). rewrite gap_8. lra.
Qed.

Print Assumptions row_normalised_instance.
Print Assumptions row_normalised_four_instance.
Print Assumptions row_normalised_softmax_instance.
Print Assumptions row_normalised_residual_instance.
Print Assumptions worst_case_instance.
Print Assumptions worst_case_pre_trigger_instance.
Print Assumptions worst_case_attained_instance.
Print Assumptions worst_case_exact_instance.
