(** * tc-9 (b): two residual layers of two softmax heads need no sink

    BOS attention at most 1/2 at every row but BOS's own ([two_heads_bos_attention]), the sup loss
    ([two_heads_loss], [two_heads_loss_at_least], [two_heads_loss_short]) and what follows ([two_heads_escape]).  The rows other than
    the trigger's are in two_heads_rows.v; the trigger's row is computed here, layer by layer, and put
    into the numbers of two_heads_numbers.v. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack.
From Claim Require Import two_heads_statement two_heads_rows two_heads_numbers.
Open Scope R_scope.

(** ** The trigger's row *)

Section TriggerRow.
  Context (n L : nat) (Lambda : R) (x : sequence) (j : nat) (Hn : (4 <= n)%nat) (Hx : valid n L j x).

  Let Hj3 : (3 <= j)%nat := trigger_from_3 _ _ _ _ Hx.
  Let HjL : (j <= L)%nat := trigger_to_L _ _ _ _ Hx.
  Let N := INR (j - 2).
  Let S := content_sum x j.
  Let X := trigger_part (exp (- Lambda)) N.
  Let C := content_part (exp (- Lambda)) N.
  Let y := hidden_states n (two_heads n Lambda) 1 x.

  Lemma contents_ge_1 : 1 <= N.
  Proof using Hn Hx. apply (le_INR 1). lia. Qed.

  Lemma flags_of_trigger : bos_flag (x j) = 0 /\ trigger_flag (x j) = 1 /\ content_flag n (x j) = 0.
  Proof using Hn Hx. destruct (trigger_at_j _ _ _ _ Hx). auto. Qed.

  Lemma flags_of_content k :
    (2 <= k)%nat -> (k < j)%nat -> bos_flag (x k) = 0 /\ trigger_flag (x k) = 0 /\ content_flag n (x k) = 1.
  Proof using Hn Hx. intros H1 H2. destruct (content_elsewhere _ _ _ _ Hx k) as [? ? ? _ _]; [lia..|auto]. Qed.

  Lemma content_sum_flags : S 0%nat = 0 /\ S 1%nat = 0 /\ S (n - 1)%nat = N.
  Proof using Hn Hx.
    repeat split.
    - apply sum_zero. intros k Hk. apply (flags_of_content (k + 2)); lia.
    - apply sum_zero. intros k Hk. apply (flags_of_content (k + 2)); lia.
    - unfold S, content_sum. rewrite (sum_ext _ _ (fun _ => 1)).
      + rewrite sum_const. unfold N. ring.
      + intros k Hk. apply (flags_of_content (k + 2)); lia.
  Qed.

  (** The weight that head h of layer d gives to a key with this reading. *)
  Lemma weight_of d h q k rho :
    key_reading n d h k = rho -> softmax_kernel n (two_heads_scores n Lambda d h) q k
                                 = exp (trigger_flag q * (Lambda * rho)).
  Proof using Hn. intros <-. unfold softmax_kernel. now rewrite key_logit. Qed.

  (** *** Layer 1: one head reads off BOS, the other contents *)

  Lemma first_weights h :
    (h < 2)%nat ->
    let K := softmax_kernel n (two_heads_scores n Lambda 0 h) in
    let e := exp (- Lambda) in
    K (x j) (x 1%nat) = (if (h =? 0)%nat then e else 1) /\
    (forall k, (2 <= k)%nat -> (k < j)%nat -> K (x j) (x k) = if (h =? 0)%nat then 1 else e) /\
    K (x j) (x j) = 1.
  Proof using Hn Hx.
    intros Hh K e. destruct flags_of_trigger as (F0 & F1 & F2).
    assert (HK : forall k rho, key_reading n 0 h k = rho -> K (x j) k = exp (Lambda * rho)).
    { intros k rho H. unfold K. rewrite (weight_of 0 h (x j) k rho H), F1. f_equal. ring. }
    assert (E0 : exp (Lambda * -0) = 1) by (rewrite <- exp_0; f_equal; ring).
    assert (E1 : exp (Lambda * -1) = e) by (unfold e; f_equal; ring).
    assert (Hb : content_flag n bos = 0) by (apply bos_pos; lia).
    destruct h as [|[|h]]; [| |lia]; cbn [Nat.eqb]; rewrite (first_is_bos _ _ _ _ Hx).
    - rewrite (HK bos (-1)), (HK (x j) (-0)); [|cbn; now rewrite F0|reflexivity].
      repeat split; [assumption| |assumption]. intros k H1 H2.
      rewrite (HK (x k) (-0)); [assumption|]. cbn. now rewrite (proj1 (flags_of_content k H1 H2)).
    - rewrite (HK bos (-0)), (HK (x j) (-0)); [|cbn; now rewrite F2|cbn; now rewrite Hb].
      repeat split; [assumption| |assumption]. intros k H1 H2.
      rewrite (HK (x k) (-1)); [assumption|]. cbn. now rewrite (proj2 (proj2 (flags_of_content k H1 H2))).
  Qed.

  Lemma input_bos_flags k : (2 <= k)%nat -> (k <= j)%nat -> bos_flag (x k) = 0.
  Proof using Hn Hx. intros H1 H2. apply (valid_bos_flag n L j x Hx Hn); lia. Qed.

  Lemma input_bos_row r : r <> 0%nat -> x 1%nat r = 0.
  Proof using Hn Hx. intros Hr. rewrite (first_is_bos _ _ _ _ Hx). apply bos_pos. lia. Qed.

  Lemma first_state r : (r < n)%nat -> y j r = X * x j r + C * S r.
  Proof using Hn Hx.
    intros Hr. unfold y. cbn [hidden_states]. rewrite layer_heads.
    destruct (first_weights 0) as (A1 & A2 & A3); [lia|].
    destruct (first_weights 1) as (B1 & B2 & B3); [lia|]. cbn [Nat.eqb] in *.
    unfold head_weights.
    rewrite (three_weights_head _ x j _ _ _ ltac:(lia) A1 A2 A3 n 0 0 r Hr input_bos_flags (input_bos_row r)).
    rewrite (three_weights_head _ x j _ _ _ ltac:(lia) B1 B2 B3 n 0 1 r Hr input_bos_flags (input_bos_row r)).
    fold (S r) N. unfold X, C, trigger_part, content_part, value_factor, Rdiv. ring.
  Qed.

  (** *** Layer 2: one head finds the trigger, the other BOS and the trigger *)

  Lemma first_state_quiet k r : (1 <= k)%nat -> (k < j)%nat -> (r < n)%nat -> y k r = x k r.
  Proof using Hn Hx. intros H1 H2 Hr. apply (quiet_states n L Lambda x j); lia || assumption. Qed.

  Lemma first_state_flags :
    bos_flag (y j) = 0 /\ trigger_flag (y j) = X /\ content_flag n (y j) = N * C.
  Proof using Hn Hx.
    destruct flags_of_trigger as (F0 & F1 & F2). destruct content_sum_flags as (S0 & S1 & S2).
    unfold bos_flag, trigger_flag, content_flag in *. rewrite !first_state, F0, F1, F2, S0, S1, S2 by lia.
    repeat split; ring.
  Qed.

  Lemma first_state_sum r : (r < n)%nat -> content_sum y j r = S r.
  Proof using Hn Hx. intros Hr. apply sum_ext. intros. apply first_state_quiet; lia. Qed.

  Lemma second_weights_0 :
    let K := softmax_kernel n (two_heads_scores n Lambda 1 0) in
    K (y j) (y 1%nat) = 1 /\ (forall k, (2 <= k)%nat -> (k < j)%nat -> K (y j) (y k) = 1) /\
    K (y j) (y j) = self_weight Lambda N.
  Proof using Hn Hx.
    intros K. destruct first_state_flags as (_ & F1 & _).
    assert (HK : forall k, trigger_flag (y k) = 0 -> K (y j) (y k) = 1).
    { intros k H. unfold K. rewrite (weight_of 1 0 (y j) (y k) 0) by exact H.
      rewrite <- exp_0. f_equal. ring. }
    repeat split.
    - apply HK. unfold trigger_flag. rewrite first_state_quiet, (first_is_bos _ _ _ _ Hx) by lia. reflexivity.
    - intros k H1 H2. apply HK. unfold trigger_flag. rewrite first_state_quiet by lia.
      apply (flags_of_content k H1 H2).
    - unfold K. rewrite (weight_of 1 0 (y j) (y j) X) by exact F1. rewrite F1. reflexivity.
  Qed.

  Lemma second_weights_1 :
    let K := softmax_kernel n (two_heads_scores n Lambda 1 1) in
    K (y j) (y 1%nat) = bos_weight Lambda N /\
    (forall k, (2 <= k)%nat -> (k < j)%nat -> K (y j) (y k) = content_weight Lambda N) /\
    K (y j) (y j) = trigger_weight Lambda N.
  Proof using Hn Hx.
    intros K. destruct first_state_flags as (F0 & F1 & F2).
    assert (HK : forall k b t c, bos_flag k = b -> trigger_flag k = t -> content_flag n k = c ->
                 K (y j) k = exp (X * (Lambda * (b + 3 / 4 * (t + c))))).
    { intros k b t c <- <- <-. unfold K. rewrite <- F1. now apply weight_of. }
    repeat split.
    - apply HK; unfold bos_flag, trigger_flag, content_flag;
        rewrite first_state_quiet, (first_is_bos _ _ _ _ Hx) by lia; [reflexivity..|apply bos_pos; lia].
    - intros k H1 H2. destruct (flags_of_content k H1 H2) as (G0 & G1 & G2).
      apply HK; unfold bos_flag, trigger_flag, content_flag in *; rewrite first_state_quiet by lia; assumption.
    - now apply HK.
  Qed.

  Lemma state_bos_flags k : (2 <= k)%nat -> (k <= j)%nat -> bos_flag (y k) = 0.
  Proof using Hn Hx.
    intros H1 H2. destruct (Nat.eq_dec k j) as [->|E]; [apply first_state_flags|].
    unfold bos_flag. rewrite first_state_quiet by lia. apply (flags_of_content k); lia.
  Qed.

  Lemma state_bos_row r : (r < n)%nat -> r <> 0%nat -> y 1%nat r = 0.
  Proof using Hn Hx. intros Hr H0. rewrite first_state_quiet by lia. now apply input_bos_row. Qed.

  (** The trigger's row, and its error. *)
  Lemma second_state r :
    (r < n)%nat ->
    residual_stack n 2 (two_heads n Lambda) x j r
    = X * x j r + C * S r
      + ((1 * S r + self_weight Lambda N * (X * x j r + C * S r)) / (1 + N * 1 + self_weight Lambda N)
         - (content_weight Lambda N * S r + trigger_weight Lambda N * (X * x j r + C * S r)) / total Lambda N).
  Proof using Hn Hx.
    intros Hr.
    change (residual_stack n 2 (two_heads n Lambda) x) with (residual_layer n (two_heads n Lambda 1) y).
    rewrite layer_heads. unfold head_weights.
    destruct second_weights_0 as (A1 & A2 & A3). destruct second_weights_1 as (B1 & B2 & B3).
    rewrite (three_weights_head _ y j _ _ _ ltac:(lia) A1 A2 A3 n 1 0 r Hr state_bos_flags (state_bos_row r Hr)).
    rewrite (three_weights_head _ y j _ _ _ ltac:(lia) B1 B2 B3 n 1 1 r Hr state_bos_flags (state_bos_row r Hr)).
    rewrite first_state, first_state_sum by assumption. fold N. unfold total, value_factor, Rdiv. ring.
  Qed.

  Lemma trigger_row_error r :
    0 <= Lambda -> (r < n)%nat ->
    residual_stack n 2 (two_heads n Lambda) x j r - residual_target j x j r
    = trigger_error Lambda N * x j r + content_error Lambda N * S r.
  Proof using Hn Hx.
    intros HL Hr. rewrite <- (error_form Lambda N HL contents_ge_1). fold X C.
    rewrite second_state by assumption.
    unfold residual_target, target, mean_from_2. rewrite Nat.eqb_refl.
    replace (j - 1)%nat with (Datatypes.S (j - 2)) by lia. cbn [sum].
    replace (j - 2 + 2)%nat with j by lia. rewrite S_INR. reflexivity.
  Qed.

  (** Tokens lie in [-1,1]. *)
  Lemma trigger_row_abs r :
    0 <= Lambda -> (r < n)%nat ->
    Rabs (residual_stack n 2 (two_heads n Lambda) x j r - residual_target j x j r)
    <= Rabs (trigger_error Lambda N) + N * Rabs (content_error Lambda N).
  Proof using Hn Hx.
    intros HL Hr. rewrite trigger_row_error by assumption.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rmult_comm N).
    rewrite <- (Rmult_1_r (Rabs (trigger_error Lambda N))) at 2.
    apply Rplus_le_compat; apply Rmult_le_compat_l; try apply Rabs_pos.
    - apply (valid_abs_le_1 n L j x Hx Hn); lia.
    - rewrite <- (Rmult_1_r N). apply sum_abs_le. intros. apply (valid_abs_le_1 n L j x Hx Hn); lia.
  Qed.

  Lemma trigger_row_bos_attention d h :
    0 <= Lambda -> (d < 2)%nat -> (h < 2)%nat ->
    stack_bos_attention n (two_heads n Lambda) d h x j <= 1 / 2.
  Proof using Hn Hx.
    intros HL Hd Hh. pose proof contents_ge_1 as HN.
    pose proof (e_pos Lambda) as He0. pose proof (e_le_1 Lambda HL) as He1.
    destruct d as [|[|d]]; [| |lia].
    - change (stack_bos_attention n (two_heads n Lambda) 0 h x j)
        with (kernel_attention (softmax_kernel n (two_heads_scores n Lambda 0 h)) x j 1%nat).
      destruct (first_weights h Hh) as (A1 & A2 & A3).
      rewrite (three_weights_bos _ x j _ _ _ ltac:(lia) A1 A2 A3). fold N.
      destruct h as [|h]; cbn [Nat.eqb]; [apply div_le; lra|].
      pose proof (Ne_pos _ N He0 HN). apply div_le; lra.
    - change (stack_bos_attention n (two_heads n Lambda) 1 h x j)
        with (kernel_attention (softmax_kernel n (two_heads_scores n Lambda 1 h)) y j 1%nat).
      destruct h as [|[|h]]; [| |lia].
      + destruct second_weights_0 as (A1 & A2 & A3).
        rewrite (three_weights_bos _ y j _ _ _ ltac:(lia) A1 A2 A3). fold N.
        assert (0 < self_weight Lambda N) by apply exp_pos. apply div_le; lra.
      + destruct second_weights_1 as (A1 & A2 & A3).
        rewrite (three_weights_bos _ y j _ _ _ ltac:(lia) A1 A2 A3). fold N. now apply bos_share.
  Qed.
End TriggerRow.

(** ** The theorems *)

Theorem two_heads_bos_attention : two_heads_statement.two_heads_bos_attention.
Proof.
  intros n L Lambda x j i d h Hn HL Hx H1 H2 Hd Hh.
  destruct (Nat.eq_dec i j) as [->|E]; [now apply (trigger_row_bos_attention n L)|].
  rewrite (two_heads_quiet_bos_attention n L Lambda x j) by (assumption || lia).
  assert (2 <= INR i) by (apply (le_INR 2); lia). apply div_le; lra.
Qed.

Lemma length_ge_3 L : (3 <= L)%nat -> 3 <= INR L.
Proof. intros H. apply le_INR in H. simpl in H. lra. Qed.

Lemma leading_nonneg L Lambda : (3 <= L)%nat -> 0 <= two_heads_leading L Lambda.
Proof.
  intros H. apply length_ge_3 in H. unfold two_heads_leading.
  apply Rmult_le_pos; [|apply Rlt_le, exp_pos]. apply div_nonneg; [apply Rmult_le_pos; lra|lra].
Qed.

Theorem two_heads_loss : two_heads_statement.two_heads_loss.
Proof.
  intros n L Lambda Hn HL H0 x j Hx i r H1 H2 Hr.
  destruct (Nat.eq_dec i j) as [->|E].
  - eapply Rle_trans; [now apply (trigger_row_abs n L)|].
    apply error_bound; [assumption|now apply (contents_ge_1 n L x)|].
    pose proof (trigger_from_3 _ _ _ _ Hx). rewrite minus_INR by lia.
    apply le_INR in H2. simpl (INR 2). lra.
  - unfold residual_target. rewrite target_off_trigger, Rplus_0_r by assumption.
    rewrite (two_heads_quiet_rows n L Lambda x j) by assumption.
    unfold Rminus at 1. rewrite Rplus_opp_r, Rabs_R0.
    pose proof (length_ge_3 L HL). pose proof (leading_nonneg L Lambda HL).
    pose proof (exp_pos (- (4 / 9 * Lambda))). pose proof (exp_pos (- Lambda)).
    apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat; [assumption|]|]; apply Rmult_le_pos; lra.
Qed.

Theorem two_heads_loss_short : two_heads_statement.two_heads_loss_short.
Proof.
  intros n L Lambda Hn HL H0 x j Hx i r H1 H2 Hr.
  eapply Rle_trans; [now apply (two_heads_loss n L Lambda Hn HL H0 x j Hx)|].
  pose proof (length_ge_3 L HL) as Hl. set (l := INR L) in *.
  set (g := exp (- (Lambda / 6))). assert (Hg : 0 < g) by apply exp_pos.
  assert (A1 : exp (- (Lambda * l / (6 * (l - 1)))) <= g).
  { apply exp_le, Ropp_le_contravar. unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; [assumption|].
    fold (l / (6 * (l - 1))). apply le_div; lra. }
  assert (A2 : exp (- (4 / 9 * Lambda)) <= g) by (apply exp_le; lra).
  assert (A3 : exp (- Lambda) <= g) by (apply exp_le; lra).
  assert (A4 : Lambda * exp (- Lambda) <= 6 / 5 * g).
  { replace (- Lambda) with (- (5 / 6 * Lambda) + - (Lambda / 6)) by field. rewrite exp_plus. fold g.
    pose proof (mult_exp_neg_le (5 / 6 * Lambda)) as H.
    assert (5 / 6 * Lambda * exp (- (5 / 6 * Lambda)) * g <= 1 * g) by (apply Rmult_le_compat_r; lra). lra. }
  assert (B0 : 0 < / (l - 1)) by (apply Rinv_0_lt_compat; lra).
  assert (B1 : two_heads_leading L Lambda <= (l / 2 - 2 / 3) * g).
  { unfold two_heads_leading. fold l.
    replace ((l - 2) * (3 * l - 1) / (6 * (l - 1))) with (l / 2 - 2 / 3 - 1 / 3 * / (l - 1)) by (field; lra).
    apply Rle_trans with ((l / 2 - 2 / 3 - 1 / 3 * / (l - 1)) * g).
    - apply Rmult_le_compat_l; [|assumption].
      assert (/ (l - 1) <= / 2) by (apply Rinv_le_contravar; lra). lra.
    - apply Rmult_le_compat_r; lra. }
  assert (B2 : 2 * (l - 1) * exp (- (4 / 9 * Lambda)) <= 2 * (l - 1) * g) by (apply Rmult_le_compat_l; lra).
  assert (B3 : (l - 1) * exp (- Lambda) <= (l - 1) * g) by (apply Rmult_le_compat_l; lra).
  assert (B4 : 3 * g <= l * g) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** The extreme sequence: the trigger last, its noise 1, the contents' noise -1. *)
Theorem two_heads_loss_at_least : two_heads_statement.two_heads_loss_at_least.
Proof.
  intros n L Lambda eta Hn HL H0 H. pose proof (length_ge_3 L HL) as Hl.
  set (x := probe (constant_content n (-1)) (constant_trigger n 1) L).
  assert (Hx : valid n L L x).
  { apply probe_valid; [apply constant_content_is_content|apply constant_trigger_is_trigger|..]; lia || lra. }
  specialize (H x L Hx L 2%nat ltac:(lia) ltac:(lia) ltac:(lia)).
  rewrite (trigger_row_error n L Lambda x L Hn Hx 2 H0) in H by lia.
  assert (E1 : x L 2%nat = 1).
  { unfold x. rewrite probe_trigger by lia. apply constant_trigger_noise; lia. }
  assert (E2 : content_sum x L 2%nat = - INR (L - 2)).
  { unfold content_sum. rewrite (sum_ext _ _ (fun _ => -1)); [rewrite sum_const; ring|].
    intros k Hk. unfold x, probe. destruct (Nat.eqb_spec (k + 2) 1), (Nat.eqb_spec (k + 2) L); try lia.
    apply constant_content_noise; lia. }
  rewrite E1, E2 in H. apply abs_bounds in H.
  pose proof (contents_ge_1 n L x L Hn Hx) as HN.
  assert (EL : INR L = INR (L - 2) + 2) by (rewrite minus_INR by lia; simpl (INR 2); ring).
  pose proof (error_at_least Lambda (INR (L - 2)) H0 HN (INR L) EL) as HE.
  unfold two_heads_leading. lra.
Qed.

Theorem two_heads_escape : two_heads_statement.two_heads_escape.
Proof.
  intros n L eta Hn HL Heta. pose proof (length_ge_3 L HL) as Hl.
  set (Lambda := 24 * INR L / eta).
  assert (H0 : 0 < Lambda) by (apply Rdiv_lt_0_compat; lra).
  exists (two_heads n Lambda). split; [|split].
  - intros d. split; [reflexivity|]. intros h. now exists (two_heads_scores n Lambda d h).
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (two_heads_loss_short n L Lambda Hn HL (Rlt_le _ _ H0) x j Hx i r H1 H2 Hr)|].
    pose proof (mult_exp_neg_le (Lambda / 6)) as H.
    replace (4 * INR L * exp (- (Lambda / 6))) with (eta * (Lambda / 6 * exp (- (Lambda / 6))))
      by (unfold Lambda at 1; field; lra).
    rewrite <- (Rmult_1_r eta) at 2. apply Rmult_le_compat_l; lra.
  - intros x j i d h Hx H1 H2 Hd Hh. apply (two_heads_bos_attention n L Lambda x j); auto. lra.
Qed.

(** ** The hypotheses can be met *)

Theorem two_heads_bos_attention_instance :
  exists n L Lambda x j i d h,
  (4 <= n)%nat /\ 0 <= Lambda /\ valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ (d < 2)%nat /\ (h < 2)%nat.
Proof.
  exists 5%nat, 6%nat, 8. destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists x, 4%nat, 4%nat, 1%nat, 1%nat. repeat (split; [lia || lra || exact Hx|]); lia.
Qed.

Theorem two_heads_loss_instance :
  exists n L Lambda, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda.
Proof. exists 16%nat, 16%nat, 80. repeat split; lia || lra. Qed.

Theorem two_heads_loss_at_least_instance :
  exists n L Lambda eta,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda /\
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda)) eta.
Proof.
  exists 16%nat, 16%nat, 80. eexists. do 2 (split; [lia|]). split; [lra|].
  apply two_heads_loss; lia || lra.
Qed.

Theorem two_heads_loss_short_instance :
  exists n L Lambda, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda.
Proof. exact two_heads_loss_instance. Qed.

Theorem two_heads_escape_instance :
  exists n L eta, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < eta.
Proof. exists 16%nat, 16%nat, (1 / 1000). repeat split; lia || lra. Qed.

Print Assumptions two_heads_bos_attention.
Print Assumptions two_heads_bos_attention_instance.
Print Assumptions two_heads_loss.
Print Assumptions two_heads_loss_instance.
Print Assumptions two_heads_loss_at_least.
Print Assumptions two_heads_loss_at_least_instance.
Print Assumptions two_heads_loss_short.
Print Assumptions two_heads_loss_short_instance.
Print Assumptions two_heads_escape.
Print Assumptions two_heads_escape_instance.
