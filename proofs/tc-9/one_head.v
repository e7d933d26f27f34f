(** * tc-9 (a): two residual layers of one head solve the residual task exactly, without a sink

    Steps.  With S_i = x_2 + .. + x_i the rows above layer 1 are x_i + (c/m_i) S_i ([first_state]); their
    flags give the position, and the trigger by [trigger_mark] ([state_flag_sum], [state_mark]), so layer 2's
    kernel takes the wanted values there ([second_kernel_bos], [second_kernel_other]): interpolation at
    its nodes.  Two sums telescope: sum_{k <= i} g_k (x_k + (c/m_k) S_k) = g_{i+1} S_i ([weighted_states]) and
    E/(c+1) + sum_{k <= i} g_k = g_{i+1} m_i/(c+1) ([summed_growth]).  Hence layer 2 takes (c/m_i) S_i away
    again, times [trigger_share] at the trigger, which leaves the mean there. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family residual_stack.
From Claim Require Import one_head_statement.
Open Scope R_scope.

(** ** Products and interpolation *)

Lemma product_one m f : (forall l, (l < m)%nat -> f l = 1) -> product m f = 1.
Proof.
  induction m as [|m IH]; intros H; [reflexivity|]. cbn [product].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. ring.
Qed.

Lemma product_zero m f l : (l < m)%nat -> f l = 0 -> product m f = 0.
Proof.
  induction m as [|m IH]; intros Hl H; [lia|]. cbn [product].
  destruct (Nat.eq_dec l m) as [->|E]; [rewrite H; ring|]. rewrite IH by (lia || assumption). ring.
Qed.

(** Lagrange's polynomial takes its values. *)
Lemma interpolation_at_node m node value p :
  (p < m)%nat -> (forall k l, (k < m)%nat -> (l < m)%nat -> k <> l -> node k <> node l) ->
  interpolation m node value (node p) = value p.
Proof.
  intros Hp H. unfold interpolation. rewrite (sum_single m _ p Hp).
  - rewrite product_one; [ring|]. intros l Hl. destruct (Nat.eqb_spec l p) as [_|E]; [reflexivity|].
    assert (node p <> node l) by (apply H; auto). field. lra.
  - intros k Hk E. rewrite (product_zero m _ p); [ring|assumption|].
    apply not_eq_sym, Nat.eqb_neq in E. rewrite E. unfold Rdiv. rewrite Rminus_diag_eq by reflexivity. ring.
Qed.

(** ** The numbers m_i and g_k *)

Section Numbers.
  Context (E c : R) (HE : 0 < E) (Hc : 0 < c).

  Lemma row_mass_pos i : 0 < row_mass E i.
  Proof using HE. unfold row_mass. pose proof (pos_INR (i - 1)). lra. Qed.

  Lemma row_mass_next p : row_mass E (p + 2) = row_mass E (p + 1) + 1.
  Proof using.
    unfold row_mass. replace (p + 2 - 1)%nat with (S (p + 1 - 1)) by lia. rewrite S_INR. ring.
  Qed.

  Lemma growth_step_gt_1 i : 1 < 1 + c / row_mass E i.
  Proof using HE Hc. pose proof (Rdiv_lt_0_compat c _ Hc (row_mass_pos i)). lra. Qed.

  Lemma growth_ge_1 p : 1 <= growth E c p.
  Proof using HE Hc.
    induction p as [|p IH]; [unfold growth; simpl; lra|].
    change (growth E c (S p)) with (growth E c p * (1 + c / row_mass E (p + 2))).
    pose proof (growth_step_gt_1 (p + 2)). rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
  Qed.

  (** E/(c+1) + g_2 + .. + g_i = g_{i+1} m_i/(c+1). *)
  Lemma summed_growth p : E / (c + 1) + sum p (growth E c) = total_weight E c (p + 1).
  Proof using HE Hc.
    unfold total_weight. replace (p + 1 - 1)%nat with p by lia. induction p as [|p IH].
    - unfold growth, row_mass. simpl. field. lra.
    - cbn [sum]. rewrite <- Rplus_assoc, IH.
      change (growth E c (S p)) with (growth E c p * (1 + c / row_mass E (p + 2))).
      replace (S p + 1)%nat with (p + 2)%nat by lia.
      pose proof (row_mass_pos (p + 1)). rewrite row_mass_next. field. lra.
  Qed.

  (** g_2 (z_2 + c S_2/m_2) + .. + g_i (z_i + c S_i/m_i) = g_{i+1} S_i. *)
  Lemma weighted_states (z : nat -> R) p :
    sum p (fun k => growth E c k * (z k + c / row_mass E (k + 2) * sum (S k) z)) = growth E c p * sum p z.
  Proof using.
    induction p as [|p IH]; [simpl; ring|].
    change (growth E c (S p)) with (growth E c p * (1 + c / row_mass E (p + 2))).
    cbn [sum] in *. rewrite IH. ring.
  Qed.

  Lemma total_weight_pos i : 0 < total_weight E c i.
  Proof using HE Hc.
    unfold total_weight. pose proof (growth_ge_1 (i - 1)). pose proof (row_mass_pos i).
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra.
  Qed.

  (** Positions have different nodes. *)
  Lemma flag_node_injective k l : flag_node E c k = flag_node E c l -> k = l.
  Proof using HE Hc.
    unfold flag_node. intros H. pose proof (row_mass_pos (k + 2)) as Hk. pose proof (row_mass_pos (l + 2)) as Hl.
    unfold row_mass in *.
    replace (k + 2 - 1)%nat with (k + 1)%nat in * by lia. replace (l + 2 - 1)%nat with (l + 1)%nat in * by lia.
    set (a := INR (k + 1)) in *. set (b := INR (l + 1)) in *.
    assert (Hd : c * E * (a - b) = (1 + c * a / (E + a) - (1 + c * b / (E + b))) * ((E + a) * (E + b))).
    { field. lra. }
    rewrite (Rminus_diag_eq _ _ H), Rmult_0_l in Hd.
    assert (a - b = 0) by (apply (Rmult_eq_reg_l (c * E)); [lra|]; apply Rgt_not_eq, Rmult_lt_0_compat; lra).
    assert (INR (k + 1) = INR (l + 1)) as Hab by (fold a b; lra). apply INR_eq in Hab. lia.
  Qed.

  Lemma node_value m value p :
    (p < m)%nat -> interpolation m (flag_node E c) value (flag_node E c p) = value p.
  Proof using HE Hc.
    intros Hp. apply interpolation_at_node; [assumption|].
    intros k l _ _ Hkl H. apply Hkl, flag_node_injective, H.
  Qed.

  (** c > 1 + E/2 is what makes the trigger's share positive, for every j >= 3. *)
  Lemma trigger_share_bounds j : 1 + E / 2 < c -> (3 <= j)%nat -> 0 < trigger_share E c j < 1.
  Proof using HE Hc.
    intros H Hj. unfold trigger_share. pose proof (row_mass_pos j) as Hm.
    assert (H2 : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    assert (Hcj : 0 < c * INR (j - 1)) by (apply Rmult_lt_0_compat; lra).
    pose proof (Rdiv_lt_0_compat _ _ Hm Hcj) as Hq. split; [|lra].
    enough (row_mass E j / (c * INR (j - 1)) < 1) by lra.
    apply (Rmult_lt_reg_r (c * INR (j - 1))); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. unfold row_mass.
    assert (0 <= E / 2 * (INR (j - 1) - 2)) by (apply Rmult_le_pos; lra).
    assert (0 < (c - (1 + E / 2)) * INR (j - 1)) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.

  Lemma trigger_bos_weight_pos j : 1 + E / 2 < c -> (3 <= j)%nat -> 0 < trigger_bos_weight E c j.
  Proof using HE Hc.
    intros H Hj. unfold trigger_bos_weight. destruct (trigger_share_bounds j H Hj) as [H0 H1].
    pose proof (total_weight_pos j). assert (0 < E / (c + 1)) by (apply Rdiv_lt_0_compat; lra).
    assert (1 < / trigger_share E c j) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
    assert (0 < total_weight E c j * (/ trigger_share E c j - 1)) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.
End Numbers.

Lemma quotient_lt a b e : 0 < b -> a < e * b -> a / b < e.
Proof.
  intros Hb H. apply (Rmult_lt_reg_r b); [assumption|].
  unfold Rdiv. now rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
Qed.

(** ** Above layer 1 *)

Lemma scaled_projector_value n a y r :
  (r < n)%nat -> linear_value n (scaled_projector a) y r = a * (if (r =? 0)%nat then 0 else y r).
Proof.
  intros Hr. rewrite <- (linear_projector n y r Hr). unfold linear_value, scaled_projector.
  rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(** The stack with any second kernel; [one_head_stack] has [second_kernel]. *)
Definition stack_with (n : nat) (E c : R) (K : kernel) : nat -> layer :=
  two_layers (first_kernel n E) (scaled_projector c) K (scaled_projector (- (c / (1 + c)))).

(** The sequence above layer 1. *)
Definition state (n : nat) (E c : R) (x : sequence) : sequence :=
  residual_layer n (one_head_layer (first_kernel n E) (scaled_projector c)) x.

Section Stack.
  Context (n L j : nat) (x : sequence) (E c : R).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x) (HE : 0 < E) (Hs : 1 + E / 2 < c).

  Let X : sequence := state n E c x.
  Let partial_sum (i r : nat) : R := sum (i - 1) (fun k => x (k + 2)%nat r).

  Let Hc : 0 < c.
  Proof. lra. Qed.

  (** Layer 1 is the switch of docs/THEORY.md with both logits ln E. *)
  Lemma first_bos_factor i : bos_factor (ln E) (ln E) j i = E.
  Proof using HE. unfold bos_factor. destruct (i =? j)%nat; now apply exp_ln. Qed.

  Lemma first_state i r :
    (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> X i r = x i r + c / row_mass E i * partial_sum i r.
  Proof using Hn Hx HE.
    intros H1 H2 Hr.
    change (X i r) with (x i r + (0 + switch_head n (ln E) (ln E) c x i r)).
    rewrite (switch_output n L j x Hx Hn), first_bos_factor by assumption.
    unfold partial_sum, row_mass, Rdiv. ring.
  Qed.

  Lemma state_bos r : (r < n)%nat -> X 1%nat r = bos r.
  Proof using Hn Hx HE.
    intros Hr. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    rewrite first_state by lia. unfold partial_sum. simpl. rewrite (first_is_bos _ _ _ _ Hx). ring.
  Qed.

  Lemma sum_bos_flag i : (i <= L)%nat -> partial_sum i 0%nat = 0.
  Proof using Hn Hx.
    intros Hi. apply sum_zero. intros k Hk. apply (valid_bos_flag n L j x Hx); lia.
  Qed.

  Lemma state_bos_flag i : (2 <= i)%nat -> (i <= L)%nat -> bos_flag (X i) = 0.
  Proof using Hn Hx HE.
    intros H1 H2. unfold bos_flag. rewrite first_state, sum_bos_flag by lia.
    rewrite (valid_bos_flag n L j x Hx) by lia. ring.
  Qed.

  Lemma sum_trigger_flag i : (i <= L)%nat -> partial_sum i 1%nat = if (j <=? i)%nat then 1 else 0.
  Proof using Hn Hx.
    intros Hi. pose proof (trigger_from_3 _ _ _ _ Hx). unfold partial_sum. destruct (Nat.leb_spec j i).
    - rewrite (sum_single _ _ (j - 2)%nat); [|lia|].
      + rewrite (valid_trigger_flag n L j x Hx Hn) by lia. replace (j - 2 + 2)%nat with j by lia.
        now rewrite Nat.eqb_refl.
      + intros k Hk Hkj. rewrite (valid_trigger_flag n L j x Hx Hn) by lia.
        destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity].
    - apply sum_zero. intros k Hk. rewrite (valid_trigger_flag n L j x Hx Hn) by lia.
      destruct (Nat.eqb_spec (k + 2) j); [lia|reflexivity].
  Qed.

  Lemma token_flag_sum k : (2 <= k)%nat -> (k <= L)%nat -> x k 1%nat + x k (n - 1)%nat = 1.
  Proof using Hn Hx.
    intros H1 H2. rewrite (valid_trigger_flag n L j x Hx Hn), (valid_content_flag n L j x Hx Hn) by lia.
    destruct (k =? j)%nat; ring.
  Qed.

  (** The flags above layer 1 tell the position ... *)
  Lemma state_flag_sum i :
    (2 <= i)%nat -> (i <= L)%nat -> flag_sum n (X i) = flag_node E c (i - 2).
  Proof using Hn Hx HE.
    intros H1 H2. unfold flag_sum, trigger_flag, content_flag, flag_node. rewrite !first_state by lia.
    replace (i - 2 + 1)%nat with (i - 1)%nat by lia. replace (i - 2 + 2)%nat with i by lia.
    replace (INR (i - 1)) with (partial_sum i 1%nat + partial_sum i (n - 1)%nat).
    - pose proof (token_flag_sum i H1 H2). unfold Rdiv. lra.
    - unfold partial_sum. rewrite <- sum_plus, (sum_ext _ _ (fun _ => 1)).
      + rewrite sum_const. ring.
      + intros k Hk. apply token_flag_sum; lia.
  Qed.

  (** ... and the trigger. *)
  Lemma state_mark i :
    (1 <= i)%nat -> (i <= L)%nat ->
    trigger_mark n E c (X i) = if (i =? j)%nat then 1 + c / row_mass E j else 0.
  Proof using Hn Hx HE.
    intros H1 H2. pose proof (trigger_from_3 _ _ _ _ Hx). unfold trigger_mark.
    destruct (Nat.eq_dec i 1) as [->|E1].
    - unfold trigger_flag. rewrite state_bos, bos_pos by lia. destruct (Nat.eqb_spec 1 j); [lia|ring].
    - rewrite state_flag_sum by lia. unfold trigger_flag. rewrite first_state, sum_trigger_flag by lia.
      rewrite (valid_trigger_flag n L j x Hx Hn) by lia.
      replace ((1 + c - flag_node E c (i - 2)) / E) with (c / row_mass E i).
      + destruct (Nat.eqb_spec i j) as [->|Hij]; [rewrite Nat.leb_refl; ring|].
        destruct (j <=? i)%nat; ring.
      + unfold flag_node. pose proof (row_mass_pos E HE i) as Hm. unfold row_mass in *.
        replace (i - 2 + 1)%nat with (i - 1)%nat by lia. replace (i - 2 + 2)%nat with i by lia. field. lra.
  Qed.

  (** ** Layer 2: what its kernel has to be *)

  Definition bos_weight (i : nat) : R := if (i =? j)%nat then trigger_bos_weight E c j else E / (c + 1).

  Definition wanted_weight (i k : nat) : R := if (k =? 1)%nat then bos_weight i else growth E c (k - 2).

  Definition decodes (K : kernel) : Prop :=
    forall i k, (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat -> K (X i) (X k) = wanted_weight i k.

  Lemma bos_weight_pos i : 0 < bos_weight i.
  Proof using Hn Hx HE Hc Hs.
    pose proof (trigger_from_3 _ _ _ _ Hx). unfold bos_weight.
    destruct (i =? j)%nat; [now apply trigger_bos_weight_pos|apply Rdiv_lt_0_compat; lra].
  Qed.

  Lemma wanted_weight_pos i k : 0 < wanted_weight i k.
  Proof using Hn Hx HE Hc Hs.
    unfold wanted_weight. destruct (k =? 1)%nat; [apply bos_weight_pos|].
    pose proof (growth_ge_1 E c HE Hc (k - 2)). lra.
  Qed.

  Lemma second_kernel_bos i :
    (1 <= i)%nat -> (i <= L)%nat -> second_kernel n L E c (X i) (X 1%nat) = bos_weight i.
  Proof using Hn Hx HE Hc Hs.
    intros H1 H2. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (bos_weight_pos i) as HA.
    unfold second_kernel, second_logit, bos_weight in *.
    replace (bos_flag (X 1%nat)) with 1 by (unfold bos_flag; rewrite state_bos by lia; reflexivity).
    rewrite Rminus_diag_eq, Rmult_0_l, Rplus_0_r, Rmult_1_l, state_mark by (reflexivity || assumption).
    assert (HB : 0 < E / (c + 1)) by (apply Rdiv_lt_0_compat; lra).
    destruct (Nat.eqb_spec i j) as [->|Hij].
    - rewrite state_flag_sum, node_value by (lia || assumption). replace (j - 2 + 2)%nat with j by lia.
      replace (ln (E / (c + 1)) + _) with (ln (E / (c + 1)) + ln (trigger_bos_weight E c j / (E / (c + 1)))).
      2:{ pose proof (row_mass_pos E HE j). field. lra. }
      rewrite exp_plus, !exp_ln by (assumption || now apply Rdiv_lt_0_compat). field. lra.
    - rewrite Rmult_0_l, Rplus_0_r. now apply exp_ln.
  Qed.

  Lemma second_kernel_other i k :
    (2 <= k)%nat -> (k <= L)%nat -> second_kernel n L E c (X i) (X k) = growth E c (k - 2).
  Proof using Hn Hx HE Hc.
    intros H1 H2. unfold second_kernel, second_logit.
    rewrite state_bos_flag, (state_flag_sum k), node_value by (lia || assumption).
    rewrite Rmult_0_l, Rplus_0_l, Rminus_0_r, Rmult_1_l. apply exp_ln.
    pose proof (growth_ge_1 E c HE Hc (k - 2)). lra.
  Qed.

  Lemma second_kernel_decodes : decodes (second_kernel n L E c).
  Proof using Hn Hx HE Hc Hs.
    intros i k H1 H2 H3 H4. unfold wanted_weight. destruct (Nat.eqb_spec k 1) as [->|H].
    - now apply second_kernel_bos.
    - apply second_kernel_other; lia.
  Qed.

  (** The denominators of layer 2. *)
  Definition row_weight (i : nat) : R :=
    if (i =? j)%nat then total_weight E c j / trigger_share E c j else total_weight E c i.

  Lemma wanted_row_sum i : (1 <= i)%nat -> possum i (wanted_weight i) = row_weight i.
  Proof using Hn Hx HE Hc.
    intros H1. rewrite possum_first by lia. unfold wanted_weight at 1. cbn [Nat.eqb].
    rewrite (sum_ext _ _ (growth E c)).
    - pose proof (summed_growth E c HE Hc (i - 1)) as HT. replace (i - 1 + 1)%nat with i in HT by lia.
      unfold bos_weight, row_weight, trigger_bos_weight. destruct (Nat.eqb_spec i j) as [->|_]; [|exact HT].
      unfold Rdiv at 2. rewrite <- HT at 2. ring_simplify. rewrite <- HT. ring.
    - intros k Hk. unfold wanted_weight. destruct (Nat.eqb_spec (k + 2) 1); [lia|]. f_equal. lia.
  Qed.

  (** ** The stack with a second kernel that does *)

  Section Decoding.
    Context (K : kernel) (HK : decodes K).

    Lemma second_row_sum i :
      (1 <= i)%nat -> (i <= L)%nat -> possum i (fun l => K (X i) (X l)) = row_weight i.
    Proof using Hn Hx HE Hc HK.
      intros H1 H2. rewrite <- wanted_row_sum by assumption. apply possum_ext. intros. apply HK; lia.
    Qed.

    (** The stack returns x_i + (c/m_i) S_i less layer 2's multiple of S_i. *)
    Lemma second_state i r :
      (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
      residual_stack n 2 (stack_with n E c K) x i r
      = x i r + c / row_mass E i * partial_sum i r
        - c / (1 + c) * (growth E c (i - 1) * partial_sum i r / row_weight i).
    Proof using Hn Hx HE Hc HK.
      intros H1 H2 Hr.
      change (residual_stack n 2 (stack_with n E c K) x i r)
        with (X i r + (0 + head (kernel_attention K) (linear_value n (scaled_projector (- (c / (1 + c))))) X i r)).
      rewrite kernel_head_quotient, second_row_sum, first_state by assumption.
      rewrite possum_first, !scaled_projector_value by assumption.
      replace (if (r =? 0)%nat then 0 else X 1%nat r) with 0.
      2:{ destruct (Nat.eqb_spec r 0); [reflexivity|]. rewrite state_bos, bos_pos by lia. reflexivity. }
      pose proof (weighted_states E c (fun k => x (k + 2)%nat r) (i - 1)) as HT.
      fold (partial_sum i r) in HT. rewrite <- HT.
      rewrite (sum_ext _ (fun k => K (X i) (X (k + 2)%nat) * _)
                (fun k => - (c / (1 + c)) * (growth E c k * (x (k + 2)%nat r
                 + c / row_mass E (k + 2) * sum (S k) (fun l => x (l + 2)%nat r))))).
      - rewrite sum_scal. unfold Rdiv. ring.
      - intros k Hk. rewrite HK, scaled_projector_value by lia. unfold wanted_weight.
        destruct (Nat.eqb_spec (k + 2) 1); [lia|]. replace (k + 2 - 2)%nat with k by lia.
        replace (if (r =? 0)%nat then 0 else X (k + 2)%nat r) with (X (k + 2)%nat r).
        + rewrite first_state by lia. unfold partial_sum. replace (k + 2 - 1)%nat with (S k) by lia. ring.
        + destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity]. apply state_bos_flag; lia.
    Qed.

    Lemma stack_output i r :
      (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
      residual_stack n 2 (stack_with n E c K) x i r = residual_target j x i r.
    Proof using Hn Hx HE Hc Hs HK.
      intros H1 H2 Hr. pose proof (trigger_from_3 _ _ _ _ Hx). rewrite second_state by assumption.
      pose proof (growth_ge_1 E c HE Hc (i - 1)). pose proof (row_mass_pos E HE i).
      unfold residual_target, row_weight, total_weight. destruct (Nat.eqb_spec i j) as [->|Hij].
      - rewrite (switch_target n) by assumption. fold (partial_sum j r).
        destruct (trigger_share_bounds E c HE Hc j) as [Hrho _]; [assumption..|].
        assert (2 <= INR (j - 1)) by (apply (le_INR 2); lia).
        transitivity (x j r + c / row_mass E j * partial_sum j r * (1 - trigger_share E c j)).
        + field. repeat split; lra.
        + unfold trigger_share. field. repeat split; lra.
      - rewrite target_off_trigger by assumption. field. repeat split; lra.
    Qed.

    Lemma first_bos i :
      (1 <= i)%nat -> (i <= L)%nat ->
      stack_bos_attention n (stack_with n E c K) 0 0 x i = E / row_mass E i.
    Proof using Hn Hx HE.
      intros H1 H2.
      change (stack_bos_attention n (stack_with n E c K) 0 0 x i)
        with (bos_attention (switch_attention n (ln E) (ln E)) x i).
      now rewrite (switch_bos_attention n L j x Hx Hn), first_bos_factor.
    Qed.

    Lemma second_bos i :
      (1 <= i)%nat -> (i <= L)%nat ->
      stack_bos_attention n (stack_with n E c K) 1 0 x i = bos_weight i / row_weight i.
    Proof using Hn Hx HE Hc HK.
      intros H1 H2.
      change (stack_bos_attention n (stack_with n E c K) 1 0 x i)
        with (K (X i) (X 1%nat) / possum i (fun l => K (X i) (X l))).
      rewrite second_row_sum by assumption. f_equal. apply HK; lia.
    Qed.

    Lemma second_bos_other i :
      (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
      stack_bos_attention n (stack_with n E c K) 1 0 x i = E / (row_mass E i * growth E c (i - 1)).
    Proof using Hn Hx HE Hc HK.
      intros H1 H2 Hij. rewrite second_bos by assumption.
      pose proof (growth_ge_1 E c HE Hc (i - 1)). pose proof (row_mass_pos E HE i).
      apply Nat.eqb_neq in Hij. unfold bos_weight, row_weight, total_weight. rewrite Hij.
      field. repeat split; lra.
    Qed.

    Lemma second_bos_trigger :
      stack_bos_attention n (stack_with n E c K) 1 0 x j
      = 1 - trigger_share E c j * (1 - E / (row_mass E j * growth E c (j - 1))).
    Proof using Hn Hx HE Hc Hs HK.
      pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx).
      rewrite second_bos by lia.
      pose proof (growth_ge_1 E c HE Hc (j - 1)). pose proof (row_mass_pos E HE j).
      destruct (trigger_share_bounds E c HE Hc j Hs H3).
      unfold bos_weight, row_weight, trigger_bos_weight, total_weight. rewrite Nat.eqb_refl.
      field. repeat split; lra.
    Qed.

    (** With E = delta/2 and c >= 2/delta it is below E off the trigger, below 3 delta/4 + delta/4 there. *)
    Lemma small_bos delta i d :
      0 < delta -> delta <= 1 -> E = delta / 2 -> 2 / delta <= c ->
      (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> stack_bos_attention n (stack_with n E c K) d 0 x i < delta.
    Proof using Hn Hx HE Hc Hs HK.
      intros H0 H1 HEd Hcd H2 H3 Hd.
      assert (Hm : E + 1 <= row_mass E i).
      { unfold row_mass. apply Rplus_le_compat_l, (le_INR 1). lia. }
      pose proof (growth_ge_1 E c HE Hc (i - 1)) as Hg.
      assert (Hmg : row_mass E i <= row_mass E i * growth E c (i - 1)).
      { rewrite <- (Rmult_1_r (row_mass _ _)) at 1. apply Rmult_le_compat_l; lra. }
      destruct d as [|[|d]]; [| |lia].
      - rewrite first_bos by lia. apply quotient_lt; nra.
      - destruct (Nat.eq_dec i j) as [->|Hij].
        + pose proof (trigger_from_3 _ _ _ _ Hx) as Hj3. rewrite second_bos_trigger.
          assert (Hj : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
          destruct (trigger_share_bounds E c HE Hc j Hs Hj3) as [_ Hr].
          set (e := E / (row_mass E j * _)).
          assert (He : e < delta / 4) by (apply quotient_lt; unfold row_mass in *; nra).
          assert (He0 : 0 < e) by (apply Rdiv_lt_0_compat; lra).
          assert (Hq : row_mass E j / (c * INR (j - 1)) < 3 / 4 * delta).
          { apply quotient_lt; [apply Rmult_lt_0_compat; lra|].
            apply Rlt_le_trans with (3 / 4 * delta * (2 / delta * INR (j - 1))).
            - unfold row_mass.
              replace (3 / 4 * delta * (2 / delta * INR (j - 1))) with (3 / 2 * INR (j - 1)) by (field; lra). lra.
            - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
          unfold trigger_share in *. nra.
        + rewrite second_bos_other by (assumption || lia). apply quotient_lt; nra.
    Qed.
  End Decoding.
End Stack.

(** ** Sentences: the loss and BOS attention *)

Theorem one_head_exact : one_head_statement.one_head_exact.
Proof.
  intros n L E c Hn _ HE Hc x j Hx i r H1 H2 Hr.
  change (one_head_stack n L E c) with (stack_with n E c (second_kernel n L E c)).
  rewrite (stack_output n L j) by (assumption || now apply second_kernel_decodes).
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Theorem one_head_first_bos : one_head_statement.one_head_first_bos.
Proof.
  intros n L E c x j i Hn HE Hx H1 H2. now apply (first_bos n L j).
Qed.

Theorem one_head_second_bos : one_head_statement.one_head_second_bos.
Proof.
  intros n L E c x j i Hn HE Hs Hx H1 H2 Hij.
  apply (second_bos_other n L j); try assumption. now apply second_kernel_decodes.
Qed.

Theorem one_head_trigger_bos : one_head_statement.one_head_trigger_bos.
Proof.
  intros n L E c x j Hn HE Hs Hx.
  apply (second_bos_trigger n L j); try assumption. now apply second_kernel_decodes.
Qed.

Lemma small_parameters delta : 0 < delta -> delta <= 1 -> 1 + delta / 2 / 2 < 2 / delta.
Proof.
  intros H0 H1. apply Rlt_le_trans with 2; [lra|].
  apply (Rmult_le_reg_r delta); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem one_head_small_bos : one_head_statement.one_head_small_bos.
Proof.
  intros n L delta x j i d Hn H0 H1 Hx H2 H3 Hd. pose proof (small_parameters delta H0 H1).
  apply (small_bos n L j); try assumption; try lra. apply second_kernel_decodes; lra || assumption.
Qed.

Print Assumptions one_head_exact.
Print Assumptions one_head_first_bos.
Print Assumptions one_head_second_bos.
Print Assumptions one_head_trigger_bos.
Print Assumptions one_head_small_bos.
