(** * tc-7: the hypotheses of the sentences can be met

    Two_heads_floor by the two heads of (b), which have loss 1/21 and BOS attention at most 3/5 at L = 5.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family.
From Claim Require Import statement polynomials heads exact_heads.
Open Scope R_scope.

Lemma example : exists x, valid 5 6 4 x.
Proof. apply valid_exists; lia. Qed.

(** Factors 2, 3, 4, ... *)
Definition factors (h : nat) : R := INR (h + 2).

Lemma factors_distinct H : distinct_positive H factors.
Proof.
  split; unfold factors; [intros; apply lt_0_INR; lia|]. intros h g _ _ E. apply not_INR. lia.
Qed.

(** The heads of (b). *)
Definition b_kernels (h : nat) : kernel := softmax_kernel 5 (switch_matrix 5 (ln 1) (alternate (ln 2) (ln 3) h)).
Definition b_values (h : nat) : matrix := scaled_projector (alternate 10 (- 10) h).

Lemma b_positive h : positive_kernel (b_kernels h).
Proof. apply softmax_positive. Qed.

Lemma b_flags h : flag_kernel 5 (b_kernels h).
Proof. apply switch_flag_kernel. lia. Qed.

Lemma b_loss : sup_loss_le 5 5 (linear_heads 5 2 b_kernels b_values) (/ 21).
Proof.
  intros x j Hx i r H1 H2 Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  change (linear_heads 5 2 b_kernels b_values)
    with (multi_head 2 (switch_heads 5 (ln 1) (alternate (ln 2) (ln 3)) (alternate 10 (- 10)))).
  destruct (Nat.eq_dec i j) as [->|E].
  - rewrite (trigger_row 5 5), (switch_target 5) by (assumption || lia).
    pose proof (valid_sum_abs_le 5 5 j x Hx ltac:(lia) j r ltac:(lia) Hr) as HS.
    set (S := sum (j - 1) (fun k => x (k + 2)%nat r)) in *.
    cbn [sum]. unfold alternate. cbn [Nat.eqb]. rewrite !exp_ln by lra.
    assert (Hj : j = 3%nat \/ j = 4%nat \/ j = 5%nat) by lia.
    apply abs_bounds in HS. destruct Hj as [->|[->| ->]]; simpl in HS |- *; apply Rabs_le; lra.
  - rewrite (quiet_rows 5 5) with (j := j) by (try assumption; try lia; cbn; unfold alternate; cbn; ring).
    rewrite target_off_trigger, Rminus_0_r, Rabs_R0 by assumption. lra.
Qed.

Lemma b_bos_attention h x j i :
  valid 5 5 j x -> (2 <= i)%nat -> (i <= 5)%nat -> bos_attention (kernel_attention (b_kernels h)) x i <= 9 / 10.
Proof.
  intros Hx H1 H2.
  assert (G : forall F, 0 < F -> F / (F + 2) <= 9 / 10 ->
            bos_attention (switch_attention 5 (ln 1) (ln F)) x i <= 9 / 10).
  { intros F HF HFb.
    pose proof (many_heads_bos_attention 5%nat 5%nat 1 F x j i ltac:(lia) Hx H1 H2 ltac:(lra) HF) as B.
    destruct (i =? j)%nat; lra. }
  unfold b_kernels, alternate. destruct (h =? 0)%nat; apply G; lra.
Qed.

Theorem switch_logits_instance : exists n (beta tau : R) (q k : token), (4 <= n)%nat.
Proof. exists 5%nat, 1, 2, bos, bos. lia. Qed.

Theorem pair_sup_loss_instance : exists n L (b eta : R), (4 <= n)%nat /\ (3 <= L)%nat.
Proof. exists 5%nat, 6%nat, 3, (/ 10). lia. Qed.

Theorem pair_bos_attention_instance :
  exists n L (b : R) x j i, (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, 3, x, 4%nat, 3%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

Theorem pair_sup_loss_small_instance : exists n L eta, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < eta.
Proof. exists 5%nat, 6%nat, (/ 10). repeat split; lia || lra. Qed.

Theorem two_heads_zero_loss_instance : exists n, (4 <= n)%nat.
Proof. exists 5%nat. lia. Qed.

Theorem two_heads_bos_attention_instance :
  exists n x j i, (4 <= n)%nat /\ valid n 4 j x /\ (2 <= i)%nat /\ (i <= 4)%nat.
Proof.
  destruct (valid_exists 5 4 3) as [x Hx]; try lia.
  exists 5%nat, x, 3%nat, 4%nat. split; [lia|]. split; [exact Hx|lia].
Qed.

Theorem system_zero_loss_instance :
  exists n L H (beta : R) tau c,
  (4 <= n)%nat /\ sum H c = 0 /\
  (forall j, (3 <= j)%nat -> (j <= L)%nat ->
     sum H (fun h => c h / (exp (tau h) + INR (j - 1))) = 1 / INR (j - 1)).
Proof.
  exists 5%nat, 4%nat, 2%nat, 0, (alternate (ln 2) (ln 3)), (alternate 10 (- 10)).
  split; [lia|]. cbn [sum]. unfold alternate. cbn [Nat.eqb]. split; [ring|].
  intros j H3 H4. rewrite !exp_ln by lra.
  assert (Hj : j = 3%nat \/ j = 4%nat) by lia. destruct Hj; subst j; simpl; field.
Qed.

Theorem many_heads_zero_loss_instance :
  exists n L E (F : nat -> R), (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < E /\ distinct_positive (L - 1) F.
Proof.
  exists 5%nat, 7%nat, 1, factors. split; [lia|]. split; [lia|]. split; [lra|]. apply factors_distinct.
Qed.

Theorem many_heads_bos_attention_instance :
  exists n L E F x j i,
  (4 <= n)%nat /\ valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ 0 < E /\ 0 < F.
Proof.
  destruct example as [x Hx]. exists 5%nat, 6%nat, 1, 3, x, 4%nat, 3%nat.
  split; [lia|]. split; [exact Hx|]. repeat split; lia || lra.
Qed.

Theorem sink_free_exact_instance : exists n L delta, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < delta.
Proof. exists 5%nat, 7%nat, (/ 10). repeat split; lia || lra. Qed.

Theorem tc1_fails_for_several_heads_instance :
  exists n L eta0 (C : R), (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < eta0.
Proof. exists 5%nat, 7%nat, (/ 12), 3. repeat split; lia || lra. Qed.

Theorem even_length_instance :
  exists n L E (F : nat -> R),
  (4 <= n)%nat /\ (3 <= L)%nat /\ Nat.Even L /\ 0 < E /\ distinct_positive (L - 2) F /\
  product (L - 2) F = INR (fact (L - 1)).
Proof.
  exists 5%nat, 6%nat, 1, factors. split; [lia|]. split; [lia|]. split; [now exists 3%nat|]. split; [lra|].
  split; [apply factors_distinct|]. apply product_fact.
Qed.

Theorem even_length_exact_instance :
  exists n L delta, (4 <= n)%nat /\ (4 <= L)%nat /\ Nat.Even L /\ 0 < delta.
Proof. exists 5%nat, 6%nat, (/ 10). split; [lia|]. split; [lia|]. split; [now exists 3%nat|lra]. Qed.

Theorem too_few_heads_instance :
  exists n L H (K : nat -> kernel) (v : nat -> token -> token),
  (4 <= n)%nat /\ (H + 3 <= n)%nat /\ (H + 3 <= L)%nat /\ (forall h, positive_kernel (K h)).
Proof.
  exists 5%nat, 6%nat, 2%nat, b_kernels, (fun h => linear_value 5 (b_values h)).
  repeat split; lia || apply b_positive.
Qed.

Theorem even_length_least_instance :
  exists n L, (4 <= L)%nat /\ (L <= n)%nat /\ Nat.Even L /\
  exists H (K : nat -> kernel) (v : nat -> token -> token), (H < L - 2)%nat /\ (forall h, positive_kernel (K h)).
Proof.
  exists 6%nat, 6%nat. split; [lia|]. split; [lia|]. split; [now exists 3%nat|].
  exists 2%nat, b_kernels, (fun h => linear_value 5 (b_values h)). split; [simpl; lia|apply b_positive].
Qed.

Theorem flag_only_least_instance :
  exists n L H, (4 <= n)%nat /\ (3 <= L)%nat /\ H = (if Nat.even L then L - 2 else L - 1)%nat /\
  exists H' (K : nat -> kernel) (V : nat -> matrix),
    (H' < H)%nat /\ (forall h, positive_kernel (K h)) /\ (forall h, flag_kernel n (K h)).
Proof.
  exists 5%nat, 7%nat, 6%nat. split; [lia|]. split; [lia|]. split; [reflexivity|].
  exists 2%nat, b_kernels, b_values. split; [lia|]. split; [apply b_positive|apply b_flags].
Qed.

Theorem two_heads_floor_instance :
  exists n L K V eta,
  (4 <= n)%nat /\ (5 <= L)%nat /\ (forall h, positive_kernel (K h)) /\ (forall h, flag_kernel n (K h)) /\
  (forall h x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
     bos_attention (kernel_attention (K h)) x i <= 9 / 10) /\
  sup_loss_le n L (linear_heads n 2 K V) eta.
Proof.
  exists 5%nat, 5%nat, b_kernels, b_values, (/ 21). split; [lia|]. split; [lia|].
  split; [apply b_positive|]. split; [apply b_flags|]. split; [|apply b_loss].
  intros h x j i. apply b_bos_attention.
Qed.

Print Assumptions switch_logits_instance.
Print Assumptions pair_sup_loss_instance.
Print Assumptions pair_bos_attention_instance.
Print Assumptions pair_sup_loss_small_instance.
Print Assumptions two_heads_zero_loss_instance.
Print Assumptions two_heads_bos_attention_instance.
Print Assumptions system_zero_loss_instance.
Print Assumptions many_heads_zero_loss_instance.
Print Assumptions many_heads_bos_attention_instance.
Print Assumptions sink_free_exact_instance.
Print Assumptions tc1_fails_for_several_heads_instance.
Print Assumptions even_length_instance.
Print Assumptions even_length_exact_instance.
Print Assumptions too_few_heads_instance.
Print Assumptions even_length_least_instance.
Print Assumptions flag_only_least_instance.
Print Assumptions two_heads_floor_instance.
