(** * tc-9: the trade is exact at one layer

    Proves [trade_attained] of trade_statement.v.  L = 3: rows 2 of both heads have BOS attention 1/2, and the trigger's
    rows 1/2 - p and 1/2 + p (BOS factors 2y/(1 - y), y = 1/2 -+ p); values P/(2p) and - P/(2p). *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family anchored_values residual_stack.
From Claim Require Import trade_statement trade trade_flags.
Open Scope R_scope.

Lemma maximum_attained m f k b : (k < m)%nat -> f k = b -> (forall l, (l < m)%nat -> f l <= b) -> 0 <= b -> maximum m f = b.
Proof.
  intros Hk Hfk Hf Hb. apply Rle_antisym; [|rewrite <- Hfk; now apply maximum_ge].
  clear k Hk Hfk. induction m as [|m IH]; cbn [maximum]; [assumption|].
  apply Rmax_lub; [apply IH; intros; apply Hf|apply Hf]; lia.
Qed.

(** ||c P|| = |c|. *)
Lemma scaled_projector_norm n c : (2 <= n)%nat -> value_norm n (scaled_projector c) = Rabs c.
Proof.
  intros Hn.
  assert (Hrow : forall r, (r < n)%nat ->
            sum n (fun k => Rabs (scaled_projector c r k)) = if (r =? 0)%nat then 0 else Rabs c).
  { intros r Hr. rewrite (sum_single n _ r Hr).
    - unfold scaled_projector, projector. rewrite Nat.eqb_refl.
      destruct (r =? 0)%nat; [rewrite Rmult_0_r; apply Rabs_R0|now rewrite Rmult_1_r].
    - intros k _ E. unfold scaled_projector, projector.
      destruct (Nat.eqb_spec r k); [lia|]. rewrite Rmult_0_r. apply Rabs_R0. }
  unfold value_norm. apply (maximum_attained n _ 1); [lia|now rewrite Hrow by lia| |apply Rabs_pos].
  intros l Hl. rewrite Hrow by assumption. pose proof (Rabs_pos c). destruct (l =? 0)%nat; lra.
Qed.

Section Sharp.
  Context (n : nat) (p : R) (Hn : (4 <= n)%nat) (Hp : 0 < p < / 2).

  (** BOS attention of the trigger's row. *)
  Definition trigger_bos (h : nat) : R := if (h =? 0)%nat then / 2 - p else / 2 + p.
  Definition factor (h : nat) : R := 2 * trigger_bos h / (1 - trigger_bos h).
  Definition scale (h : nat) : R := if (h =? 0)%nat then / (2 * p) else - / (2 * p).
  Definition sharp_layers : nat -> layer := fun _ => switch_layer n factor scale.

  Lemma trigger_bos_range h : 0 < trigger_bos h < 1.
  Proof using Hp. unfold trigger_bos. destruct (h =? 0)%nat; lra. Qed.

  Lemma factor_pos h : 0 < factor h.
  Proof using Hp. pose proof (trigger_bos_range h). apply Rdiv_lt_0_compat; lra. Qed.

  Lemma sharp_exact : sup_loss_le n 3 (layer_output n (switch_layer n factor scale)) 0.
  Proof using Hn Hp.
    apply switch_layer_exact; [assumption|apply factor_pos|unfold scale; cbn [Nat.eqb]; ring|].
    intros j H3 H4. replace j with 3%nat by lia. replace (INR (3 - 1)) with 2 by (simpl; ring).
    assert (E : forall h, / (factor h + 2) = (1 - trigger_bos h) / 2).
    { intros h. pose proof (trigger_bos_range h). unfold factor. field. split; lra. }
    unfold Rdiv at 1 2. rewrite !E. unfold scale, trigger_bos. cbn [Nat.eqb]. field. lra.
  Qed.

  Lemma sharp_spread j x :
    valid n 3 j x -> bos_spread_le 1 sharp_layers (hidden_states n sharp_layers) j x (fun _ _ => p).
  Proof using Hn Hp.
    intros Hx. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    intros d h i i' Hd _ H2 Hi H2' Hi'. replace d with 0%nat by lia.
    cbn [sharp_layers switch_layer weights hidden_states].
    assert (E : forall k, (2 <= k)%nat -> (k <= j)%nat ->
              bos_attention (switch_attention n 0 (ln (factor h))) x k = if (k =? j)%nat then trigger_bos h else / 2).
    { intros k Hk Hkj. rewrite (switch_bos_attention n 3 j x Hx Hn) by lia. unfold bos_factor.
      rewrite exp_0, exp_ln by apply factor_pos. destruct (Nat.eqb_spec k j) as [->|Ek].
      - replace (INR (j - 1)) with 2 by (replace (j - 1)%nat with 2%nat by lia; simpl; ring).
        pose proof (trigger_bos_range h). unfold factor. field. split; lra.
      - replace (k - 1)%nat with 1%nat by lia. simpl. field. }
    rewrite !E by assumption. unfold trigger_bos.
    destruct (i =? j)%nat; destruct (i' =? j)%nat; destruct (h =? 0)%nat; apply Rabs_le; lra.
  Qed.

  Lemma sharp_norm d : layer_norm n (sharp_layers d) = / p.
  Proof using Hn Hp.
    unfold layer_norm, sharp_layers. cbn [switch_layer head_count values sum].
    rewrite !scaled_projector_norm by lia. unfold scale. cbn [Nat.eqb].
    assert (0 < / (2 * p)) by (apply Rinv_0_lt_compat; lra).
    rewrite Rabs_Ropp, Rabs_pos_eq by lra. field. lra.
  Qed.
End Sharp.

Theorem trade_attained : trade_statement.trade_attained.
Proof.
  intros n p Hn Hp. exists (sharp_layers n p). split; [|split; [|split; [|split]]].
  - intros d. split; [reflexivity|]. intros h. eexists. reflexivity.
  - now apply switch_layer_flags.
  - intros j x Hx. now apply sharp_spread.
  - apply (residual_sup_loss_iff n 3 (layer_output n (switch_layer n (factor p) (scale p)))). now apply sharp_exact.
  - unfold growth. cbn [product sum]. rewrite sharp_norm by assumption.
    assert (0 < / p) by (apply Rinv_0_lt_compat; lra). field. split; lra.
Qed.

Theorem trade_attained_instance : exists n p, (4 <= n)%nat /\ 0 < p < / 2.
Proof. exists 4%nat, (/ 10). split; [lia|lra]. Qed.

Print Assumptions trade_attained.
Print Assumptions trade_attained_instance.
