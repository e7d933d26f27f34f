(** * tc-4: the hypotheses of the sentences can be met

    By stacks of any depth and loss: one softmax layer (the switch of tc-5) below layers that look at
    themselves.  Here D = 3, L = 6, loss at most 1/50, so eps = 6/19 and rho = 9/10.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-4 Claim <proofs>/tc-4/instances.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family row_normalised_core.
From Claim Require Import statement depth.
Open Scope R_scope.

Lemma stack_of_loss n L D eta :
  (4 <= n)%nat -> (3 <= L)%nat -> (1 <= D)%nat -> 0 < eta ->
  exists A V, stochastic_layers n L D A /\ sup_loss_le n L (hidden n A V D) eta.
Proof.
  intros Hn HL HD Heta. destruct (softmax_sup_loss_small n L eta Hn HL Heta) as [W HW].
  set (self := fun (_ : sequence) (i k : nat) => if (i =? k)%nat then 1 else 0).
  set (A := fun l : nat => if (l =? 1)%nat then kernel_attention (softmax_kernel n W) else self).
  set (V := fun l : nat => if (l =? 1)%nat then projector else identity).
  exists A, V. split.
  - intros l _ _. unfold A. destruct (l =? 1)%nat; [apply kernel_row_stochastic, softmax_positive|].
    intros x j _ i H1 _. unfold self. split.
    + intros k _ _. destruct (i =? k)%nat; lra.
    + rewrite (possum_single i _ i); [now rewrite Nat.eqb_refl|assumption|lia|].
      intros k _ _ E. destruct (Nat.eqb_spec i k); [lia|reflexivity].
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

(** The stack and the sequence used below: trigger at 4 of 6. *)
Lemma example :
  exists A V x, stochastic_layers 5 6 3 A /\ sup_loss_le 5 6 (hidden 5 A V 3) (/ 50) /\ valid 5 6 4 x.
Proof.
  destruct (stack_of_loss 5 6 3 (/ 50)) as (A & V & HA & HV); try lia; [lra|].
  destruct (valid_exists 5 6 4) as [x Hx]; try lia. exists A, V, x. auto.
Qed.

Lemma example_gap : / 50 < trigger_gap 4 / 4.
Proof. unfold trigger_gap. simpl. lra. Qed.

Lemma example_eps : depth_eps 4 (/ 50) <= (9 / 10) ^ 3.
Proof. unfold depth_eps, trigger_gap. simpl. lra. Qed.

Theorem stack_is_rollout_instance :
  exists (n : nat) (A : nat -> attention) (V : nat -> matrix) (D : nat) (x : sequence) i r,
  (1 <= i)%nat /\ (r < n)%nat.
Proof. destruct example as (A & V & x & _). exists 5%nat, A, V, 3%nat, x, 2%nat, 2%nat. lia. Qed.

Theorem rollout_row_stochastic_instance : exists n L D A, stochastic_layers n L D A.
Proof. destruct example as (A & V & x & HA & _). now exists 5%nat, 6%nat, 3%nat, A. Qed.

Theorem rollout_sink_instance :
  exists n L J D A V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ stochastic_layers n L D A /\
  eta < trigger_gap J / 4 /\ sup_loss_le n L (hidden n A V D) eta /\
  exists x j i, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct example as (A & V & x & HA & HV & Hx). exists 5%nat, 6%nat, 4%nat, 3%nat, A, V, (/ 50).
  do 6 (split; [lia || assumption || apply example_gap|]).
  exists x, 4%nat, 2%nat. split; [assumption|lia].
Qed.

Theorem chain_is_law_instance :
  exists n L D A, stochastic_layers n L D A /\
  exists x j i s, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ (s <= D)%nat /\
  exists k, (1 <= k)%nat /\ (k <= i)%nat.
Proof.
  destruct example as (A & V & x & HA & HV & Hx). exists 5%nat, 6%nat, 3%nat, A. split; [assumption|].
  exists x, 4%nat, 3%nat, 2%nat. do 4 (split; [lia || assumption|]). exists 2%nat. lia.
Qed.

Theorem some_layer_sinks_instance :
  exists n L J D A V eta rho,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ (1 <= D)%nat /\ stochastic_layers n L D A /\
  eta < trigger_gap J / 4 /\ sup_loss_le n L (hidden n A V D) eta /\
  0 <= rho /\ depth_eps J eta <= rho ^ D /\
  exists x j i, valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct example as (A & V & x & HA & HV & Hx). exists 5%nat, 6%nat, 4%nat, 3%nat, A, V, (/ 50), (9 / 10).
  do 9 (split; [lia || assumption || apply example_gap || apply example_eps || lra|]).
  exists x, 4%nat, 2%nat. split; [assumption|lia].
Qed.

Theorem some_layer_sinks_root_instance :
  exists n L J D A V eta,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ (1 <= D)%nat /\ stochastic_layers n L D A /\
  0 < eta /\ eta < trigger_gap J / 4 /\ sup_loss_le n L (hidden n A V D) eta /\
  exists x j i, valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  destruct example as (A & V & x & HA & HV & Hx). exists 5%nat, 6%nat, 4%nat, 3%nat, A, V, (/ 50).
  do 8 (split; [lia || assumption || apply example_gap || lra|]).
  exists x, 4%nat, 2%nat. split; [assumption|lia].
Qed.

Theorem row_two_sinks_instance :
  exists n L J D A V eta rho,
  (4 <= n)%nat /\ (4 <= J)%nat /\ (J <= L)%nat /\ (1 <= D)%nat /\ stochastic_layers n L D A /\
  eta < trigger_gap J / 4 /\ sup_loss_le n L (hidden n A V D) eta /\
  0 <= rho /\ depth_eps J eta <= rho ^ D /\
  exists x j, valid n L j x.
Proof.
  destruct example as (A & V & x & HA & HV & Hx). exists 5%nat, 6%nat, 4%nat, 3%nat, A, V, (/ 50), (9 / 10).
  do 9 (split; [lia || assumption || apply example_gap || apply example_eps || lra|]).
  now exists x, 4%nat.
Qed.

(** The bound given is tc-3's. *)
Theorem some_layer_sinks_given_instance :
  exists n L D A V eta eps rho x j i,
  (1 <= D)%nat /\ stochastic_layers n L D A /\ sup_loss_le n L (hidden n A V D) eta /\
  valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\
  (forall a W, row_stochastic n L a -> sup_loss_le n L (head a (linear_value n W)) eta ->
     bos_attention a x i >= 1 - eps) /\
  0 <= rho /\ eps <= rho ^ D.
Proof.
  destruct example as (A & V & x & HA & HV & Hx).
  exists 5%nat, 6%nat, 3%nat, A, V, (/ 50), (depth_eps 4 (/ 50)), (9 / 10), x, 4%nat, 2%nat.
  do 6 (split; [lia || assumption|]). split; [|split; [lra|apply example_eps]].
  intros a W Ha HW. apply (row_normalised_sink 5 6 4 a W (/ 50)) with (j := 4%nat); try lia; try assumption.
  apply example_gap.
Qed.

Theorem depth_sharp_instance :
  exists n L D a (V : matrix), (1 <= D)%nat /\ row_stochastic n L a.
Proof.
  exists 5%nat, 6%nat, 3%nat, (switch_attention 5 3 (- 3)), projector. split; [lia|].
  apply kernel_row_stochastic, softmax_positive.
Qed.

Print Assumptions stack_is_rollout_instance.
Print Assumptions rollout_row_stochastic_instance.
Print Assumptions rollout_sink_instance.
Print Assumptions chain_is_law_instance.
Print Assumptions some_layer_sinks_instance.
Print Assumptions some_layer_sinks_root_instance.
Print Assumptions row_two_sinks_instance.
Print Assumptions some_layer_sinks_given_instance.
Print Assumptions depth_sharp_instance.
