(** * tc-9 (a): one residual layer of one head is too few

    Loss 0 makes the values of BOS (row 1) and of every content token (row 2) vanish; so the trigger row
    of (BOS, x, t, ..) is a positive multiple of V t, whatever x is, while the target turns with x's noise. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack switch_model.
From Claim Require Import one_head_statement.
Open Scope R_scope.

Section OneLayer.
  Context (n L : nat) (K : kernel) (V : matrix).
  Context (Hn : (4 <= n)%nat) (HL : (3 <= L)%nat) (HK : positive_kernel K).
  Context (Hloss : residual_sup_loss_le n L (residual_stack n 1 (fun _ => one_head_layer K V)) 0).

  Let a : attention := kernel_attention K.
  Let v : token -> token := linear_value n V.

  (** What the layer adds is the target without residual. *)
  Lemma layer_adds_target x j i r :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    possum i (fun k => a x i k * v (x k) r) = target j x i r.
  Proof using Hloss.
    intros Hx H1 H2 Hr. pose proof (Hloss x j Hx i r H1 H2 Hr) as H.
    change (residual_stack n 1 (fun _ => one_head_layer K V) x i r)
      with (x i r + (0 + possum i (fun k => a x i k * v (x k) r))) in H.
    unfold residual_target in H. apply abs_bounds in H. lra.
  Qed.

  Lemma weight_pos x i k : (1 <= i)%nat -> 0 < a x i k.
  Proof using HK. intros Hi. apply Rdiv_lt_0_compat; [apply HK|]. now apply kernel_row_sum_pos. Qed.

  (** The trigger row of (BOS, x, t, ..). *)
  Lemma trigger_row_of_pair y t :
    is_content n y -> is_trigger n t ->
    exists w, 0 < w /\ forall r, (r < n)%nat -> w * v t r = (y r + t r) / 2.
  Proof using Hn HL HK Hloss.
    intros Hy Ht. pose proof (probe_valid n L 3 y t Hy Ht (le_n 3) HL) as Hv.
    set (x := probe y t 3) in *.
    assert (Hb : forall r, (r < n)%nat -> v bos r = 0).
    { intros r Hr. pose proof (layer_adds_target x 3 1 r Hv ltac:(lia) ltac:(lia) Hr) as H.
      rewrite target_off_trigger in H by lia. unfold possum in H. cbn [sum] in H. change (x 1%nat) with bos in H.
      pose proof (weight_pos x 1 1 ltac:(lia)).
      apply (Rmult_eq_reg_l (a x 1%nat 1%nat)); lra. }
    assert (Hc : forall r, (r < n)%nat -> v y r = 0).
    { intros r Hr. pose proof (layer_adds_target x 3 2 r Hv ltac:(lia) ltac:(lia) Hr) as H.
      rewrite target_off_trigger in H by lia. unfold possum in H. cbn [sum] in H.
      change (x 1%nat) with bos in H. change (x 2%nat) with y in H. rewrite Hb in H by assumption.
      pose proof (weight_pos x 2 2 ltac:(lia)).
      apply (Rmult_eq_reg_l (a x 2%nat 2%nat)); lra. }
    exists (a x 3%nat 3%nat). split; [apply weight_pos; lia|].
    intros r Hr. pose proof (layer_adds_target x 3 3 r Hv ltac:(lia) ltac:(lia) Hr) as H.
    unfold possum, target, mean_from_2 in H. cbn [sum Nat.eqb Nat.sub Nat.add] in H.
    change (x 1%nat) with bos in H. change (x 2%nat) with y in H. change (x 3%nat) with t in H.
    rewrite Hb, Hc in H by assumption. simpl INR in H. lra.
  Qed.

  Lemma one_layer_absurd : False.
  Proof using Hn HL HK Hloss.
    assert (Ht : is_trigger n (constant_trigger n 0)) by (apply constant_trigger_is_trigger; lra || assumption).
    destruct (trigger_row_of_pair (constant_content n 1) _ (constant_content_is_content n 1 Hn ltac:(lra)) Ht)
      as (w & Hw & Hr).
    destruct (trigger_row_of_pair (constant_content n (-1)) _ (constant_content_is_content n (-1) Hn ltac:(lra)) Ht)
      as (z & Hz & Hs).
    specialize (Hr 2%nat ltac:(lia)). specialize (Hs 2%nat ltac:(lia)).
    rewrite constant_content_noise, constant_trigger_noise in Hr, Hs by lia. nra.
  Qed.
End OneLayer.

Theorem one_layer_too_few : one_head_statement.one_layer_too_few.
Proof. intros n L K V Hn HL HK H. exact (one_layer_absurd n L K V Hn HL HK H). Qed.

Theorem one_layer_too_few_instance :
  exists (n L : nat) (K : kernel) (V : matrix), (4 <= n)%nat /\ (3 <= L)%nat /\ positive_kernel K.
Proof.
  exists 5%nat, 6%nat, (softmax_kernel 5 (switch_matrix 5 1 2)), projector.
  split; [lia|]. split; [lia|]. apply softmax_positive.
Qed.

Print Assumptions one_layer_too_few.
Print Assumptions one_layer_too_few_instance.
