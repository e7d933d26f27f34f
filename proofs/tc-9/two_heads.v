(** * tc-9 (b): two residual layers of two softmax heads need no sink

    BOS attention ([two_heads_bos_attention]), the sup loss from above and below ([two_heads_loss],
    [two_heads_loss_at_least], [two_heads_loss_asymptotic], [two_heads_loss_short], [two_heads_plain]) and
    what follows ([two_heads_escape]).  The rows other than the trigger's are in two_heads_rows.v; the
    trigger's row is computed here, layer by layer, and put into the numbers of two_heads_numbers.v. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack.
From Claim Require Import two_heads_statement two_heads_rows two_heads_numbers.
Open Scope R_scope.

(** ** The trigger's row *)

Section TriggerRow.
  Context (n L : nat) (Lambda kappa : R) (x : sequence) (j : nat) (Hn : (4 <= n)%nat) (Hx : valid n L j x).

  Let Hj3 : (3 <= j)%nat := trigger_from_3 _ _ _ _ Hx.
  Let HjL : (j <= L)%nat := trigger_to_L _ _ _ _ Hx.
  Let N := INR (j - 2).
  Let S := content_sum x j.
  Let X := trigger_part (exp (- Lambda)) (bos_worth kappa) N.
  Let C := content_part (exp (- Lambda)) (bos_worth kappa) N.
  Let y := hidden_states n (two_heads n Lambda kappa) 1 x.

  Lemma contents_ge_1 : 1 <= N.
  Proof using Hn Hx. apply (le_INR 1). lia. Qed.

  Lemma flags_of_trigger : bos_flag (x j) = 0 /\ trigger_flag (x j) = 1 /\ content_flag n (x j) = 0.
  Proof using Hn Hx. destruct (trigger_at_j _ _ _ _ Hx). auto. Qed.

  Lemma flags_of_content k :
    (2 <= k)%nat -> (k < j)%nat -> bos_flag (x k) = 0 /\ trigger_flag (x k) = 0 /\ content_flag n (x k) = 1.
  Proof using Hn Hx. intros H1 H2. destruct (content_elsewhere _ _ _ _ Hx k) as [? ? ? _ _]; [lia..|auto]. Qed.

  Lemma flags_of_bos : bos_flag (x 1%nat) = 1 /\ trigger_flag (x 1%nat) = 0 /\ content_flag n (x 1%nat) = 0.
  Proof using Hn Hx.
    rewrite (first_is_bos _ _ _ _ Hx). repeat split. unfold content_flag. apply bos_pos. lia.
  Qed.

  Lemma content_sum_flags : S 0%nat = 0 /\ S 1%nat = 0 /\ S (n - 1)%nat = N.
  Proof using Hn Hx.
    repeat split.
    - apply sum_zero. intros k Hk. apply (flags_of_content (k + 2)); lia.
    - apply sum_zero. intros k Hk. apply (flags_of_content (k + 2)); lia.
    - unfold S, content_sum. rewrite (sum_ext _ _ (fun _ => 1)).
      + rewrite sum_const. unfold N. ring.
      + intros k Hk. apply (flags_of_content (k + 2)); lia.
  Qed.

  (** A key's weight by its flags and the query's. *)
  Lemma weight_of d h q k t c b' t' c' :
    trigger_flag q = t /\ content_flag n q = c ->
    bos_flag k = b' /\ trigger_flag k = t' /\ content_flag n k = c' ->
    head_kernel n Lambda kappa d h q k
    = exp (t * (Lambda * key_reading kappa d h b' t' c') + (t + c) * (- kappa * b')).
  Proof using Hn. intros [<- <-] (<- & <- & <-). unfold head_kernel, softmax_kernel. now rewrite key_logit. Qed.

  (** *** Layer 1: one head avoids BOS, the other contents *)

  Lemma first_weights h :
    (h < 2)%nat ->
    let K := head_kernel n Lambda kappa 0 h in
    let e := exp (- Lambda) in
    let w := bos_worth kappa in
    K (x j) (x 1%nat) = (if (h =? 0)%nat then w * e else w) /\
    (forall k, (2 <= k)%nat -> (k < j)%nat -> K (x j) (x k) = if (h =? 0)%nat then 1 else e) /\
    K (x j) (x j) = 1.
  Proof using Hn Hx.
    intros Hh K e w. pose proof flags_of_trigger as Fj. pose proof flags_of_bos as Fb.
    assert (HK : forall k b t c, bos_flag k = b /\ trigger_flag k = t /\ content_flag n k = c ->
                 K (x j) k = exp (Lambda * key_reading kappa 0 h b t c + - kappa * b)).
    { intros k b t c F. unfold K. rewrite (weight_of 0 h (x j) k 1 0 b t c (proj2 Fj) F). f_equal. ring. }
    rewrite (HK _ _ _ _ Fj), (HK _ _ _ _ Fb).
    destruct h as [|[|h]]; [| |lia]; cbn [Nat.eqb key_reading]; repeat split.
    - unfold w, e, bos_worth. rewrite <- exp_plus. f_equal. ring.
    - intros k H1 H2. rewrite (HK _ _ _ _ (flags_of_content k H1 H2)). cbn. rewrite <- exp_0. f_equal. ring.
    - rewrite <- exp_0. f_equal. ring.
    - unfold w, bos_worth. f_equal. ring.
    - intros k H1 H2. rewrite (HK _ _ _ _ (flags_of_content k H1 H2)). cbn. unfold e. f_equal. ring.
    - rewrite <- exp_0. f_equal. ring.
  Qed.

  Lemma input_bos_row r : r <> 0%nat -> x 1%nat r = 0.
  Proof using Hn Hx. intros Hr. rewrite (first_is_bos _ _ _ _ Hx). apply bos_pos. lia. Qed.

  Lemma input_bos_flags k : (2 <= k)%nat -> (k <= j)%nat -> bos_flag (x k) = 0.
  Proof using Hn Hx. intros H1 H2. apply (valid_bos_flag n L j x Hx Hn); lia. Qed.

  Lemma first_state r : (r < n)%nat -> y j r = X * x j r + C * S r.
  Proof using Hn Hx.
    intros Hr. unfold y. cbn [hidden_states]. rewrite layer_heads. unfold two_heads_head.
    destruct (first_weights 0) as (A1 & A2 & A3); [lia|].
    destruct (first_weights 1) as (B1 & B2 & B3); [lia|]. cbn [Nat.eqb] in *.
    rewrite (three_weights_head _ x j _ _ _ ltac:(lia) A1 A2 A3 n kappa 0 0 r Hr input_bos_flags (input_bos_row r)).
    rewrite (three_weights_head _ x j _ _ _ ltac:(lia) B1 B2 B3 n kappa 0 1 r Hr input_bos_flags (input_bos_row r)).
    fold (S r) N. unfold X, C, trigger_part, content_part, value_factor, first_factor, Rdiv. ring.
  Qed.

  (** *** Layer 2: one head finds the trigger, the other BOS and the trigger *)

  Lemma first_state_quiet k r : (1 <= k)%nat -> (k < j)%nat -> (r < n)%nat -> y k r = x k r.
  Proof using Hn Hx. intros H1 H2 Hr. apply (quiet_states n L Lambda kappa x j); lia || assumption. Qed.

  Lemma first_state_trigger_flags :
    bos_flag (y j) = 0 /\ trigger_flag (y j) = X /\ content_flag n (y j) = N * C.
  Proof using Hn Hx.
    destruct flags_of_trigger as (F0 & F1 & F2). destruct content_sum_flags as (S0 & S1 & S2).
    unfold bos_flag, trigger_flag, content_flag in *. rewrite !first_state, F0, F1, F2, S0, S1, S2 by lia.
    repeat split; ring.
  Qed.

  Lemma first_state_flags k :
    (1 <= k)%nat -> (k < j)%nat ->
    bos_flag (y k) = bos_flag (x k) /\ trigger_flag (y k) = trigger_flag (x k) /\
    content_flag n (y k) = content_flag n (x k).
  Proof using Hn Hx.
    intros H1 H2. unfold bos_flag, trigger_flag, content_flag. rewrite !first_state_quiet by lia. auto.
  Qed.

  Lemma first_state_sum r : (r < n)%nat -> content_sum y j r = S r.
  Proof using Hn Hx. intros Hr. apply sum_ext. intros. apply first_state_quiet; lia. Qed.

  Lemma second_weights h :
    (h < 2)%nat ->
    let K := head_kernel n Lambda kappa 1 h in
    K (y j) (y 1%nat) = (if (h =? 0)%nat then other_weight Lambda kappa N else bos_weight Lambda kappa N) /\
    (forall k, (2 <= k)%nat -> (k < j)%nat ->
     K (y j) (y k) = if (h =? 0)%nat then 1 else content_weight Lambda kappa N) /\
    K (y j) (y j) = (if (h =? 0)%nat then self_weight Lambda kappa N else trigger_weight Lambda kappa N).
  Proof using Hn Hx.
    intros Hh K. pose proof first_state_trigger_flags as Fj.
    assert (HK : forall k b t c, bos_flag (y k) = b /\ trigger_flag (y k) = t /\ content_flag n (y k) = c ->
                 K (y j) (y k)
                 = exp (X * (Lambda * key_reading kappa 1 h b t c) + (X + N * C) * (- kappa * b))).
    { intros k b t c F. apply weight_of; [apply Fj|exact F]. }
    assert (Hb : bos_flag (y 1%nat) = 1 /\ trigger_flag (y 1%nat) = 0 /\ content_flag n (y 1%nat) = 0).
    { destruct (first_state_flags 1) as (-> & -> & ->); [lia..|]. apply flags_of_bos. }
    assert (Hc : forall k, (2 <= k)%nat -> (k < j)%nat ->
                 bos_flag (y k) = 0 /\ trigger_flag (y k) = 0 /\ content_flag n (y k) = 1).
    { intros k H1 H2. destruct (first_state_flags k) as (-> & -> & ->); [lia..|]. now apply flags_of_content. }
    rewrite (HK _ _ _ _ Fj), (HK _ _ _ _ Hb).
    destruct h as [|[|h]]; [| |lia]; cbn [Nat.eqb key_reading]; repeat split.
    - intros k H1 H2. rewrite (HK _ _ _ _ (Hc k H1 H2)). cbn. rewrite <- exp_0. f_equal. ring.
    - intros k H1 H2. now rewrite (HK _ _ _ _ (Hc k H1 H2)).
  Qed.

  Lemma state_bos_flags k : (2 <= k)%nat -> (k <= j)%nat -> bos_flag (y k) = 0.
  Proof using Hn Hx. intros H1 H2. unfold y. rewrite states_bos_flag by assumption. now apply input_bos_flags. Qed.

  Lemma state_bos_row r : (r < n)%nat -> r <> 0%nat -> y 1%nat r = 0.
  Proof using Hn Hx. intros Hr H0. rewrite first_state_quiet by lia. now apply input_bos_row. Qed.

  (** The trigger's row, and its error. *)
  Lemma second_state r :
    (r < n)%nat ->
    residual_stack n 2 (two_heads n Lambda kappa) x j r
    = X * x j r + C * S r
      + (second_factor kappa
         * ((1 * S r + self_weight Lambda kappa N * (X * x j r + C * S r)) / first_total Lambda kappa N)
         - second_factor kappa
           * ((content_weight Lambda kappa N * S r + trigger_weight Lambda kappa N * (X * x j r + C * S r))
              / total Lambda kappa N)).
  Proof using Hn Hx.
    intros Hr.
    change (residual_stack n 2 (two_heads n Lambda kappa) x) with (residual_layer n (two_heads n Lambda kappa 1) y).
    rewrite layer_heads. unfold two_heads_head.
    destruct (second_weights 0) as (A1 & A2 & A3); [lia|].
    destruct (second_weights 1) as (B1 & B2 & B3); [lia|]. cbn [Nat.eqb] in *.
    rewrite (three_weights_head _ y j _ _ _ ltac:(lia) A1 A2 A3 n kappa 1 0 r Hr state_bos_flags
               (state_bos_row r Hr)).
    rewrite (three_weights_head _ y j _ _ _ ltac:(lia) B1 B2 B3 n kappa 1 1 r Hr state_bos_flags
               (state_bos_row r Hr)).
    rewrite first_state, first_state_sum by assumption. fold N. unfold first_total, total, value_factor, Rdiv. ring.
  Qed.

  Lemma trigger_row_error r :
    0 <= Lambda -> 0 <= kappa -> (r < n)%nat ->
    residual_stack n 2 (two_heads n Lambda kappa) x j r - residual_target j x j r
    = trigger_error Lambda kappa N * x j r + content_error Lambda kappa N * S r.
  Proof using Hn Hx.
    intros HL Hk Hr. rewrite <- (error_form Lambda kappa N HL Hk contents_ge_1). fold X C.
    rewrite second_state by assumption.
    unfold residual_target, target, mean_from_2. rewrite Nat.eqb_refl.
    replace (j - 1)%nat with (Datatypes.S (j - 2)) by lia. cbn [sum].
    replace (j - 2 + 2)%nat with j by lia. rewrite S_INR. reflexivity.
  Qed.

  (** Tokens lie in [-1,1]. *)
  Lemma trigger_row_abs r :
    0 <= Lambda -> 0 <= kappa -> (r < n)%nat ->
    Rabs (residual_stack n 2 (two_heads n Lambda kappa) x j r - residual_target j x j r)
    <= Rabs (trigger_error Lambda kappa N) + N * Rabs (content_error Lambda kappa N).
  Proof using Hn Hx.
    intros HL Hk Hr. rewrite trigger_row_error by assumption.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rmult_comm N).
    rewrite <- (Rmult_1_r (Rabs (trigger_error Lambda kappa N))) at 2.
    apply Rplus_le_compat; apply Rmult_le_compat_l; try apply Rabs_pos.
    - apply (valid_abs_le_1 n L j x Hx Hn); lia.
    - rewrite <- (Rmult_1_r N). apply sum_abs_le. intros. apply (valid_abs_le_1 n L j x Hx Hn); lia.
  Qed.

  Lemma trigger_row_bos_attention d h :
    0 <= Lambda -> 0 <= kappa -> (d < 2)%nat -> (h < 2)%nat ->
    stack_bos_attention n (two_heads n Lambda kappa) d h x j <= 1 / (1 + exp kappa).
  Proof using Hn Hx.
    intros HL Hk Hd Hh. pose proof contents_ge_1 as HN.
    destruct d as [|[|d]]; [| |lia].
    - change (stack_bos_attention n (two_heads n Lambda kappa) 0 h x j)
        with (kernel_attention (head_kernel n Lambda kappa 0 h) x j 1%nat).
      destruct (first_weights h Hh) as (A1 & A2 & A3).
      rewrite (three_weights_bos _ x j _ _ _ ltac:(lia) A1 A2 A3). fold N.
      now apply first_layer_bos_share.
    - change (stack_bos_attention n (two_heads n Lambda kappa) 1 h x j)
        with (kernel_attention (head_kernel n Lambda kappa 1 h) y j 1%nat).
      destruct (second_weights h Hh) as (A1 & A2 & A3).
      rewrite (three_weights_bos _ y j _ _ _ ltac:(lia) A1 A2 A3). fold N.
      destruct h as [|h]; [now apply bos_share_other|now apply bos_share].
  Qed.
End TriggerRow.

(** ** The theorems *)

Theorem two_heads_bos_attention : two_heads_statement.two_heads_bos_attention.
Proof.
  intros n L Lambda kappa x j i d h Hn HL Hk Hx H1 H2 Hd Hh.
  destruct (Nat.eq_dec i j) as [->|E]; [now apply (trigger_row_bos_attention n L)|].
  rewrite (two_heads_quiet_bos_attention n L Lambda kappa x j) by assumption.
  pose proof (exp_pos kappa). apply le_INR in H1. simpl in H1. apply div_le_denominator; try lra.
  assert (1 * exp kappa <= (INR i - 1) * exp kappa) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma length_ge_3 L : (3 <= L)%nat -> 3 <= INR L.
Proof. intros H. apply le_INR in H. simpl in H. lra. Qed.

Lemma leading_form L Lambda kappa :
  two_heads_leading L Lambda kappa = leading_factor kappa (INR L - 2) * two_heads_decay L Lambda kappa.
Proof. unfold two_heads_leading, leading_factor. do 4 f_equal. ring. Qed.

Lemma leading_nonneg L Lambda kappa : (3 <= L)%nat -> 0 <= kappa -> 0 <= two_heads_leading L Lambda kappa.
Proof.
  intros H Hk. apply length_ge_3 in H. rewrite leading_form.
  apply Rmult_le_pos; [|apply Rlt_le, exp_pos].
  apply (leading_factor_le kappa (INR L - 2) Hk ltac:(lra) (INR L - 2) (Rle_refl _)).
Qed.

Theorem two_heads_loss : two_heads_statement.two_heads_loss.
Proof.
  intros n L Lambda kappa Hn HL H0 Hk x j Hx i r H1 H2 Hr. pose proof (length_ge_3 L HL) as Hl.
  destruct (Nat.eq_dec i j) as [->|E].
  - eapply Rle_trans; [now apply (trigger_row_abs n L)|].
    unfold two_heads_bound. rewrite leading_form.
    apply (error_bound Lambda kappa); [assumption..|now apply (contents_ge_1 n L x)|].
    pose proof (trigger_from_3 _ _ _ _ Hx). rewrite minus_INR by lia.
    apply le_INR in H2. simpl (INR 2). lra.
  - unfold residual_target. rewrite target_off_trigger, Rplus_0_r by assumption.
    rewrite (two_heads_quiet_rows n L Lambda kappa x j) by assumption.
    unfold Rminus at 1. rewrite Rplus_opp_r, Rabs_R0.
    pose proof (leading_nonneg L Lambda kappa HL Hk). pose proof (exp_pos (- (first_factor kappa ^ 2 * Lambda))).
    pose proof (exp_pos (- Lambda)). pose proof (v_pos kappa Hk). pose proof (odds_pos kappa).
    assert (0 <= second_factor kappa * (INR L - 1)) by (apply Rmult_le_pos; lra).
    assert (0 <= (2 + trigger_odds kappa) * (INR L - 1)) by (apply Rmult_le_pos; lra).
    assert (0 <= trigger_odds kappa / 4 * (Lambda + 2 * kappa)) by (apply Rmult_le_pos; lra).
    apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat; [assumption|]|]; apply Rmult_le_pos; lra.
Qed.

(** The extreme sequence: the trigger last, its noise 1, the contents' noise -1. *)
Theorem two_heads_loss_at_least : two_heads_statement.two_heads_loss_at_least.
Proof.
  intros n L Lambda kappa eta Hn HL H0 Hk H. pose proof (length_ge_3 L HL) as Hl.
  set (x := probe (constant_content n (-1)) (constant_trigger n 1) L).
  assert (Hx : valid n L L x).
  { apply probe_valid; [apply constant_content_is_content|apply constant_trigger_is_trigger|..]; lia || lra. }
  specialize (H x L Hx L 2%nat ltac:(lia) ltac:(lia) ltac:(lia)).
  rewrite (trigger_row_error n L Lambda kappa x L Hn Hx 2 H0 Hk) in H by lia.
  assert (E1 : x L 2%nat = 1).
  { unfold x. rewrite probe_trigger by lia. apply constant_trigger_noise; lia. }
  assert (E2 : content_sum x L 2%nat = - INR (L - 2)).
  { unfold content_sum. rewrite (sum_ext _ _ (fun _ => -1)); [rewrite sum_const; ring|].
    intros k Hk'. unfold x, probe. destruct (Nat.eqb_spec (k + 2) 1), (Nat.eqb_spec (k + 2) L); try lia.
    apply constant_content_noise; lia. }
  rewrite E1, E2 in H. apply abs_bounds in H.
  pose proof (contents_ge_1 n L x L Hn Hx) as HN.
  assert (EL : INR L = INR (L - 2) + 2) by (rewrite minus_INR by lia; simpl (INR 2); ring).
  pose proof (error_at_least Lambda kappa (INR (L - 2)) H0 Hk HN (INR L) _ EL eq_refl) as HE.
  rewrite leading_form. unfold two_heads_decay. lra.
Qed.

(** Polynomials against exponentials. *)
Lemma vanishing a b c eps :
  0 <= a -> 0 <= b -> 0 < c -> 0 < eps ->
  exists l, 0 < l /\ forall Lambda, l <= Lambda -> (a + b * Lambda) * exp (- (c * Lambda)) <= eps.
Proof.
  intros Ha Hb Hc He. set (K := a + b * (2 / c)).
  assert (HK : 0 <= K) by (unfold K; assert (0 <= 2 / c) by (apply div_nonneg; lra);
    assert (0 <= b * (2 / c)) by (apply Rmult_le_pos; lra); lra).
  assert (Hce : 0 < c * eps) by (apply Rmult_lt_0_compat; lra).
  exists (1 + 2 * K / (c * eps)). assert (H1 : 0 <= 2 * K / (c * eps)) by (apply div_nonneg; lra).
  split; [lra|]. intros Lambda HL.
  set (g := exp (- (c / 2 * Lambda))). assert (Hg : 0 < g) by apply exp_pos.
  assert (Hg1 : g <= 1).
  { rewrite <- exp_0. apply exp_le. assert (0 <= c / 2 * Lambda) by (apply Rmult_le_pos; lra). lra. }
  assert (Hy : c / 2 * Lambda * g <= 1) by apply mult_exp_neg_le.
  replace (exp (- (c * Lambda))) with (g * g) by (unfold g; rewrite <- exp_plus; f_equal; field).
  assert (H2 : Lambda * g <= 2 / c).
  { apply le_div; [assumption|]. lra. }
  assert (H3 : (a + b * Lambda) * g <= K).
  { assert (a * g <= a * 1) by (apply Rmult_le_compat_l; lra).
    assert (b * (Lambda * g) <= b * (2 / c)) by (apply Rmult_le_compat_l; lra). unfold K. lra. }
  assert (H4 : K * g <= eps).
  { assert (2 * K <= c * eps * Lambda).
    { replace (2 * K) with (c * eps * (2 * K / (c * eps))) by (field; lra). apply Rmult_le_compat_l; lra. }
    assert (2 * K * g <= c * eps * Lambda * g) by (apply Rmult_le_compat_r; lra).
    assert (2 * eps * (c / 2 * Lambda * g) <= 2 * eps * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert ((a + b * Lambda) * g * g <= K * g) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** The leading term has the smallest exponent. *)
Theorem two_heads_loss_asymptotic : two_heads_statement.two_heads_loss_asymptotic.
Proof.
  intros n L kappa eps Hn HL Hk He. pose proof (length_ge_3 L HL) as Hl.
  pose proof (w_bounds kappa Hk) as Hw. pose proof (k_bounds kappa Hk) as Hkb. pose proof (odds_pos kappa) as Ho.
  pose proof (v_pos kappa Hk) as Hv.
  set (l := INR L) in *. set (w := bos_worth kappa) in *. set (k := first_factor kappa) in *.
  set (odds := trigger_odds kappa) in *. set (v := second_factor kappa) in *.
  set (a := w / (2 * (2 + w)) * (l / (l - 1))). set (M := leading_factor kappa (l - 2)).
  assert (Ha : 0 < a) by (apply Rmult_lt_0_compat; apply Rdiv_lt_0_compat; lra).
  assert (Ha1 : a < k ^ 2 /\ a <= 1 / 4).
  { assert (H1 : a <= 3 / 4 * (w / (2 + w))).
    { replace (3 / 4 * (w / (2 + w))) with (w / (2 * (2 + w)) * (3 / 2)) by (field; lra).
      apply Rmult_le_compat_l; [apply div_nonneg; lra|]. apply div_le; lra. }
    assert (H2 : w / (2 + w) <= 1 / 3) by (apply div_le; lra).
    assert (H3 : 1 / 2 < k) by (unfold k, first_factor; fold w; apply (Rmult_lt_reg_r (2 + w)); [lra|];
      replace ((1 + w) / (2 + w) * (2 + w)) with (1 + w) by (field; lra); lra).
    assert (1 / 2 * (1 / 2) < k * k) by (apply Rmult_le_0_lt_compat; lra). split; lra. }
  assert (HM : 0 < M).
  { unfold M, leading_factor. fold w k odds.
    assert (0 < 2 * k * odds / ((1 + odds) * (l - 2 + 1)))
      by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|apply Rmult_lt_0_compat]; lra).
    apply Rmult_lt_0_compat; [|lra]. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
  assert (HeM : 0 < eps * M / 2) by (assert (0 < eps * M) by (apply Rmult_lt_0_compat; lra); lra).
  destruct (vanishing (2 * v * (l - 1)) 0 (k ^ 2 - a) (eps * M / 2)) as (l1 & P1 & V1); try lra.
  { apply Rmult_le_pos; lra. }
  destruct (vanishing ((2 + odds) * (l - 1) + odds / 4 * (2 * kappa)) (odds / 4) (1 - a) (eps * M / 2))
    as (l2 & P2 & V2); try lra.
  { apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  destruct (vanishing (l - 2) 0 a (eps / 4)) as (l3 & P3 & V3); try lra.
  destruct (vanishing (l - 2) ((l - 2) / 6) 1 (eps / 4)) as (l4 & P4 & V4); try lra.
  exists (l1 + l2 + l3 + l4). intros Lambda HLa.
  specialize (V1 Lambda ltac:(lra)). specialize (V2 Lambda ltac:(lra)).
  specialize (V3 Lambda ltac:(lra)). specialize (V4 Lambda ltac:(lra)).
  assert (HLe : two_heads_leading L Lambda kappa = M * exp (- (a * Lambda))).
  { rewrite leading_form. unfold M, two_heads_decay. fold l w. do 3 f_equal. unfold a. ring. }
  assert (HD : two_heads_decay L Lambda kappa = exp (- (a * Lambda))).
  { unfold two_heads_decay. fold l w. do 2 f_equal. unfold a. ring. }
  set (d := exp (- (a * Lambda))) in *. assert (Hd : 0 < d) by apply exp_pos.
  assert (E1 : exp (- (k ^ 2 * Lambda)) = exp (- ((k ^ 2 - a) * Lambda)) * d)
    by (unfold d; rewrite <- exp_plus; f_equal; ring).
  assert (E2 : exp (- Lambda) = exp (- ((1 - a) * Lambda)) * d) by (unfold d; rewrite <- exp_plus; f_equal; ring).
  apply (Rmult_le_compat_r d) in V1; [|lra]. rewrite Rmult_assoc, <- E1 in V1.
  apply (Rmult_le_compat_r d) in V2; [|lra]. rewrite Rmult_assoc, <- E2 in V2.
  rewrite Rmult_1_l in V4. split.
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (two_heads_loss n L Lambda kappa Hn HL ltac:(lra) Hk x j Hx i r H1 H2 Hr)|].
    unfold two_heads_bound. rewrite HLe. fold l v k odds. lra.
  - intros eta H. eapply Rle_trans; [|apply (two_heads_loss_at_least n L Lambda kappa eta Hn HL ltac:(lra) Hk H)].
    rewrite HLe, HD. fold l v k.
    assert (A : (l - 2) * (d + (1 + Lambda / 6) * exp (- Lambda)) <= eps / 2) by lra.
    assert (0 <= M * d) by (apply Rmult_le_pos; lra).
    assert (M * d * (1 - eps / 2) <= M * d * (1 - (l - 2) * (d + (1 + Lambda / 6) * exp (- Lambda))))
      by (apply Rmult_le_compat_l; lra).
    lra.
Qed.

Lemma bound_short L Lambda kappa :
  (3 <= L)%nat -> 0 <= Lambda -> 0 <= kappa ->
  two_heads_bound L Lambda kappa <= 9 * INR L * trigger_odds kappa ^ 2 * exp (- (bos_worth kappa / 6 * Lambda)).
Proof.
  intros HL H0 Hk. pose proof (length_ge_3 L HL) as Hl. set (l := INR L) in *.
  pose proof (w_bounds kappa Hk) as Hw. set (w := bos_worth kappa) in *.
  pose proof (k_bounds kappa Hk) as Hkb. set (k := first_factor kappa) in *.
  pose proof (odds_ge kappa Hk) as Ho. set (odds := trigger_odds kappa) in *.
  pose proof (exp_ineq1_le kappa) as Hek.
  unfold two_heads_bound. fold w k odds l. set (g := exp (- (w / 6 * Lambda))).
  assert (Hg : 0 < g) by apply exp_pos.
  assert (Hoo : odds * 1 <= odds * odds) by (apply Rmult_le_compat_l; lra).
  assert (Hexp : forall c, w / 6 <= c -> exp (- (c * Lambda)) <= g).
  { intros c Hc. apply exp_le, Ropp_le_contravar. apply Rmult_le_compat_r; lra. }
  assert (A1 : two_heads_decay L Lambda kappa <= g).
  { unfold two_heads_decay. fold w l.
    replace (Lambda * (w / (2 * (2 + w))) * (l / (l - 1))) with (w / (2 * (2 + w)) * (l / (l - 1)) * Lambda)
      by ring.
    apply Hexp. rewrite <- (Rmult_1_r (w / 6)). apply Rmult_le_compat; try lra.
    - apply div_le_denominator; lra.
    - apply le_div; lra. }
  assert (A2 : exp (- (k ^ 2 * Lambda)) <= g).
  { apply Hexp. assert (1 / 2 * (1 / 2) <= k * k) by (apply Rmult_le_compat; lra). lra. }
  assert (A3 : exp (- Lambda) <= g) by (rewrite <- (Rmult_1_l Lambda); apply Hexp; lra).
  assert (A4 : Lambda * exp (- Lambda) <= 6 / 5 * g).
  { apply Rle_trans with (6 / 5 * exp (- (1 / 6 * Lambda))).
    2:{ apply Rmult_le_compat_l; [lra|]. apply Hexp. lra. }
    replace (- Lambda) with (- (5 / 6 * Lambda) + - (1 / 6 * Lambda)) by field. rewrite exp_plus.
    pose proof (mult_exp_neg_le (5 / 6 * Lambda)) as H. pose proof (exp_pos (- (1 / 6 * Lambda))).
    assert (5 / 6 * Lambda * exp (- (5 / 6 * Lambda)) * exp (- (1 / 6 * Lambda)) <= 1 * exp (- (1 / 6 * Lambda)))
      by (apply Rmult_le_compat_r; lra). lra. }
  (* the three terms *)
  assert (B1 : two_heads_leading L Lambda kappa <= odds * (l - 2 + 4 / 3) * g).
  { rewrite leading_form. pose proof (leading_factor_le kappa (l - 2) Hk ltac:(lra) (l - 2) (Rle_refl _)) as Hlf.
    fold l. apply Rmult_le_compat; [apply Hlf|apply Rlt_le, exp_pos| |assumption].
    unfold leading_factor. fold w k odds.
    replace ((l - 2) * odds / (1 + w) * (1 + 2 * k * odds / ((1 + odds) * (l - 2 + 1))))
      with (odds / (1 + w) * (l - 2 + 2 * k * (odds / (1 + odds)) * ((l - 2) / (l - 1)))) by (field; lra).
    assert (odds / (1 + odds) <= 1) by (apply div_le; lra).
    assert (0 <= odds / (1 + odds)) by (apply div_nonneg; lra).
    assert ((l - 2) / (l - 1) <= 1) by (apply div_le; lra).
    assert (0 <= (l - 2) / (l - 1)) by (apply div_nonneg; lra).
    assert (0 <= 2 * k * (odds / (1 + odds))) by (apply Rmult_le_pos; lra).
    assert (2 * k * (odds / (1 + odds)) <= 4 / 3 * 1) by (apply Rmult_le_compat; lra).
    assert (0 <= 2 * k * (odds / (1 + odds)) * ((l - 2) / (l - 1))) by (apply Rmult_le_pos; lra).
    assert (2 * k * (odds / (1 + odds)) * ((l - 2) / (l - 1)) <= 4 / 3 * 1 * 1) by (apply Rmult_le_compat; lra).
    apply Rmult_le_compat; try lra; [apply div_nonneg; lra|].
    apply div_le; [lra|]. assert (odds * 1 <= odds * (1 + w)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (B2 : 2 * second_factor kappa * (l - 1) * exp (- (k ^ 2 * Lambda)) <= 4 * odds * (l - 1) * g).
  { pose proof (v_pos kappa Hk). assert (second_factor kappa <= 2 * odds).
    { unfold second_factor. fold w odds. apply div_le; [lra|].
      assert (odds * 1 <= odds * (1 + w)) by (apply Rmult_le_compat_l; lra). lra. }
    apply Rmult_le_compat; [|apply Rlt_le, exp_pos| |assumption]; [apply Rmult_le_pos; lra|].
    apply Rmult_le_compat_r; lra. }
  assert (B3 : (2 + odds) * (l - 1) * exp (- Lambda) <= 3 * odds * (l - 1) * g).
  { apply Rmult_le_compat; [|apply Rlt_le, exp_pos| |assumption]; [apply Rmult_le_pos; lra|].
    apply Rmult_le_compat_r; lra. }
  assert (B4 : odds / 4 * (Lambda * exp (- Lambda)) <= odds / 4 * (6 / 5 * g)) by (apply Rmult_le_compat_l; lra).
  assert (B5 : odds / 4 * (2 * kappa) * exp (- Lambda) <= odds / 4 * (2 * odds) * g).
  { apply Rmult_le_compat; [|apply Rlt_le, exp_pos| |assumption]; [apply Rmult_le_pos; lra|].
    apply Rmult_le_compat_l; lra. }
  assert (0 <= odds * g) by (apply Rmult_le_pos; lra).
  apply Rle_trans with ((odds * (8 * l - 22 / 3) + odds * odds / 2) * g); [lra|].
  apply Rmult_le_compat_r; [lra|].
  assert (odds * (8 * l) <= odds * odds * (8 * l)) by (apply Rmult_le_compat_r; lra).
  assert (odds * odds * 1 <= odds * odds * l) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem two_heads_loss_short : two_heads_statement.two_heads_loss_short.
Proof.
  intros n L Lambda kappa Hn HL H0 Hk x j Hx i r H1 H2 Hr.
  eapply Rle_trans; [now apply (two_heads_loss n L Lambda kappa Hn HL H0 Hk x j Hx)|now apply bound_short].
Qed.

Theorem two_heads_plain : two_heads_statement.two_heads_plain.
Proof.
  intros n L Lambda Hn HL H0. pose proof (length_ge_3 L HL) as Hl.
  assert (Ew : bos_worth 0 = 1) by (unfold bos_worth; rewrite Ropp_0; apply exp_0).
  assert (Ek : first_factor 0 = 2 / 3) by (unfold first_factor; rewrite Ew; field).
  assert (Eo : trigger_odds 0 = 1) by (unfold trigger_odds; rewrite Rmult_0_r; apply exp_0).
  assert (Ev : second_factor 0 = 1) by (unfold second_factor; rewrite Ew, Eo; field).
  split.
  - pose proof (two_heads_loss n L Lambda 0 Hn HL H0 (Rle_refl 0)) as H.
    unfold two_heads_bound, two_heads_leading, two_heads_decay in H. rewrite Ew, Ek, Eo, Ev in H.
    replace ((INR L - 2) * (3 * INR L - 1) / (6 * (INR L - 1)))
      with ((INR L - 2) * 1 / (1 + 1) * (1 + 2 * (2 / 3) * 1 / ((1 + 1) * (INR L - 1)))) by (field; lra).
    replace (Lambda / 6 * (INR L / (INR L - 1))) with (Lambda * (1 / (2 * (2 + 1))) * (INR L / (INR L - 1)))
      by (field; lra).
    replace (2 * (INR L - 1)) with (2 * 1 * (INR L - 1)) by ring.
    replace (4 / 9 * Lambda) with ((2 / 3) ^ 2 * Lambda) by field.
    replace (3 * (INR L - 1) + Lambda / 4) with ((2 + 1) * (INR L - 1) + 1 / 4 * (Lambda + 2 * 0)) by field.
    exact H.
  - intros x j i d h Hx H1 H2 Hd Hh.
    replace (1 / 2) with (1 / (1 + exp 0)) by (rewrite exp_0; field).
    apply (two_heads_bos_attention n L Lambda 0 x j); assumption || lra.
Qed.

(** The values' size. *)
Lemma value_factor_le kappa d h : 0 <= kappa -> Rabs (value_factor kappa d h) <= 2 * exp kappa.
Proof.
  intros Hk. pose proof (k_bounds kappa Hk). pose proof (v_pos kappa Hk). pose proof (v_le kappa Hk).
  pose proof (exp_ineq1_le kappa). unfold value_factor. apply Rabs_le. destruct d, h; lra.
Qed.

Lemma values_size kappa d h a b : 0 <= kappa -> Rabs (two_heads_values kappa d h a b) <= 2 * exp kappa.
Proof.
  intros Hk. unfold two_heads_values. fold (value_factor kappa d h).
  rewrite Rabs_mult, <- (Rmult_1_r (2 * exp kappa)).
  apply Rmult_le_compat; auto using Rabs_pos, value_factor_le.
  unfold projector. destruct (a =? b)%nat, (a =? 0)%nat; rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.

(** kappa = ln (1/delta - 1), and Lambda large. *)
Lemma two_heads_parameters L eta delta :
  (3 <= L)%nat -> 0 < eta -> 0 < delta -> delta <= 1 / 2 ->
  exists Lambda kappa, 0 <= Lambda /\ 0 <= kappa /\ two_heads_bound L Lambda kappa <= eta /\
                       delta = / (1 + exp kappa).
Proof.
  intros HL Heta Hd0 Hd1. pose proof (length_ge_3 L HL) as Hl.
  assert (Hd : 2 <= / delta) by (rewrite <- (Rinv_inv 2); apply Rinv_le_contravar; lra).
  set (kappa := ln (/ delta - 1)).
  assert (Ek : exp kappa = / delta - 1) by (apply exp_ln; lra).
  assert (Hk : 0 <= kappa).
  { destruct (Rle_or_lt 0 kappa) as [H|H]; [assumption|]. apply exp_increasing in H. rewrite exp_0 in H. lra. }
  pose proof (w_bounds kappa Hk) as Hw. pose proof (odds_pos kappa) as Ho.
  set (K := 9 * INR L * trigger_odds kappa ^ 2).
  assert (HK : 0 < K) by (unfold K; repeat apply Rmult_lt_0_compat; lra).
  set (Lambda := 6 * K / (bos_worth kappa * eta)).
  assert (H0 : 0 < Lambda) by (apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  exists Lambda, kappa. split; [lra|]. split; [assumption|]. split; [|rewrite Ek; field; lra].
  eapply Rle_trans; [apply bound_short; assumption || lra|].
  fold K. pose proof (mult_exp_neg_le (bos_worth kappa / 6 * Lambda)) as H.
  replace K with (eta * (bos_worth kappa / 6 * Lambda)) by (unfold Lambda; field; lra).
  rewrite Rmult_assoc. apply (Rmult_le_compat_l eta) in H; lra.
Qed.

Theorem two_heads_escape : two_heads_statement.two_heads_escape.
Proof.
  intros n L eta delta Hn HL Heta Hd0 Hd1.
  destruct (two_heads_parameters L eta delta HL Heta Hd0 Hd1) as (Lambda & kappa & H0 & Hk & Hb & Hd).
  exists (two_heads_scores n Lambda kappa), (two_heads_values kappa).
  change (softmax_stack n (two_heads_scores n Lambda kappa) (two_heads_values kappa))
    with (two_heads n Lambda kappa).
  split; [|split].
  - intros d h a b. eapply Rle_trans; [now apply (values_size kappa d h a b)|].
    rewrite Hd. unfold Rdiv. rewrite Rinv_inv. lra.
  - intros x j Hx i r H1 H2 Hr.
    eapply Rle_trans; [apply (two_heads_loss n L Lambda kappa Hn HL H0 Hk x j Hx i r H1 H2 Hr)|assumption].
  - intros x j Hx i H2. split.
    + intros H1 E r Hr. now apply (two_heads_quiet_rows n L Lambda kappa x j).
    + intros H1 d h Hdd Hh. rewrite Hd, <- (Rmult_1_l (/ _)).
      now apply (two_heads_bos_attention n L Lambda kappa x j).
Qed.

(** ** The hypotheses can be met *)

Theorem two_heads_bos_attention_instance :
  exists n L Lambda kappa x j i d h,
  (4 <= n)%nat /\ 0 <= Lambda /\ 0 <= kappa /\
  valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ (d < 2)%nat /\ (h < 2)%nat.
Proof.
  exists 5%nat, 6%nat, 8, 1. destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists x, 4%nat, 4%nat, 1%nat, 1%nat. repeat (split; [lia || lra || exact Hx|]); lia.
Qed.

Theorem two_heads_loss_instance :
  exists n L Lambda kappa, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda /\ 0 <= kappa.
Proof. exists 16%nat, 16%nat, 80, 1. repeat split; lia || lra. Qed.

Theorem two_heads_loss_at_least_instance :
  exists n L Lambda kappa eta,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda /\ 0 <= kappa /\
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda kappa)) eta.
Proof.
  exists 16%nat, 16%nat, 80, 1. eexists. do 2 (split; [lia|]). do 2 (split; [lra|]).
  apply two_heads_loss; lia || lra.
Qed.

Theorem two_heads_loss_asymptotic_instance :
  exists n L kappa eps, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= kappa /\ 0 < eps.
Proof. exists 16%nat, 16%nat, 1, (1 / 100). repeat split; lia || lra. Qed.

Theorem two_heads_loss_short_instance :
  exists n L Lambda kappa, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda /\ 0 <= kappa.
Proof. exact two_heads_loss_instance. Qed.

Theorem two_heads_plain_instance :
  exists n L Lambda,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda /\
  exists x j i d h, valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ (d < 2)%nat /\ (h < 2)%nat.
Proof.
  exists 16%nat, 16%nat, 80. do 2 (split; [lia|]). split; [lra|].
  destruct (valid_exists 16 16 9) as [x Hx]; try lia.
  exists x, 9%nat, 9%nat, 1%nat, 1%nat. repeat (split; [lia || exact Hx|]); lia.
Qed.

Theorem two_heads_escape_instance :
  exists n L eta delta, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < eta /\ 0 < delta /\ delta <= 1 / 2.
Proof. exists 16%nat, 16%nat, (1 / 1000), (1 / 10). repeat split; lia || lra. Qed.

Print Assumptions two_heads_bos_attention.
Print Assumptions two_heads_bos_attention_instance.
Print Assumptions two_heads_loss.
Print Assumptions two_heads_loss_instance.
Print Assumptions two_heads_loss_at_least.
Print Assumptions two_heads_loss_at_least_instance.
Print Assumptions two_heads_loss_asymptotic.
Print Assumptions two_heads_loss_asymptotic_instance.
Print Assumptions two_heads_loss_short.
Print Assumptions two_heads_loss_short_instance.
Print Assumptions two_heads_plain.
Print Assumptions two_heads_plain_instance.
Print Assumptions two_heads_escape.
Print Assumptions two_heads_escape_instance.
