(** * tc-9 (b), robustness: moved weights

    If all weights of [two_heads] are moved by at most rho, entry by entry, then the tokens above each layer
    move by at most [moved_state], logits by at most [moved_logit] and BOS attention by a factor of at most
    e^(2 [moved_logit]) ([two_heads_robust]); all of these are continuous in rho ([two_heads_robust_escape]).
    A layer is dealt with in [moved_layer]: tokens of size at most 4/3 before and at most 4/3 + m after. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack.
From Claim Require Import two_heads_statement two_heads_rows two_heads_numbers two_heads.
Open Scope R_scope.

(** ** Moved matrices *)

Lemma abs_mult_le a b c d : Rabs a <= c -> Rabs b <= d -> Rabs (a * b) <= c * d.
Proof. intros H1 H2. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

Lemma linear_moved n rho s A B (x : token) r :
  (forall a b, (a < n)%nat -> (b < n)%nat -> Rabs (A a b - B a b) <= rho) ->
  (forall c, (c < n)%nat -> Rabs (x c) <= s) -> (r < n)%nat ->
  Rabs (linear_value n A x r - linear_value n B x r) <= rho * INR n * s.
Proof.
  intros HAB Hx Hr. unfold linear_value. rewrite <- sum_minus.
  replace (rho * INR n * s) with (INR n * (rho * s)) by ring. apply sum_abs_le. intros c Hc.
  rewrite <- Rmult_minus_distr_r. apply abs_mult_le; auto.
Qed.

Lemma bilinear_moved n rho s A B (q k : token) :
  (forall a b, (a < n)%nat -> (b < n)%nat -> Rabs (A a b - B a b) <= rho) ->
  (forall c, (c < n)%nat -> Rabs (q c) <= s) -> (forall c, (c < n)%nat -> Rabs (k c) <= s) ->
  Rabs (bilinear n A q k - bilinear n B q k) <= rho * (INR n * s) ^ 2.
Proof.
  intros HAB Hq Hk.
  assert (F : forall M, bilinear n M q k = sum n (fun a => q a * linear_value n M k a)).
  { intros M. unfold bilinear, linear_value. apply sum_ext. intros a _. rewrite <- sum_scal.
    apply sum_ext. intros. ring. }
  rewrite !F, <- sum_minus. replace (rho * (INR n * s) ^ 2) with (INR n * (s * (rho * INR n * s))) by ring.
  apply sum_abs_le. intros a Ha. rewrite <- Rmult_minus_distr_l. apply abs_mult_le; [auto|].
  now apply linear_moved.
Qed.

(** ** Moved softmax *)

Section MovedSoftmax.
  Context (K K' : kernel) (y y' : sequence) (i : nat) (tau : R) (HK : positive_kernel K) (HK' : positive_kernel K')
          (Hi : (1 <= i)%nat)
          (Hlo : forall k, (1 <= k)%nat -> (k <= i)%nat -> exp (- tau) * K (y i) (y k) <= K' (y' i) (y' k))
          (Hup : forall k, (1 <= k)%nat -> (k <= i)%nat -> K' (y' i) (y' k) <= exp tau * K (y i) (y k)).

  Lemma moved_weight_bounds k :
    (1 <= k)%nat -> (k <= i)%nat ->
    exp (- (2 * tau)) * kernel_attention K y i k <= kernel_attention K' y' i k
    <= exp (2 * tau) * kernel_attention K y i k.
  Proof using HK HK' Hi Hlo Hup.
    intros H1 H2. unfold kernel_attention.
    assert (Z : 0 < possum i (fun l => K (y i) (y l))) by (apply kernel_row_sum_pos; assumption).
    assert (Z' : 0 < possum i (fun l => K' (y' i) (y' l))) by (apply kernel_row_sum_pos; assumption).
    assert (Zlo : exp (- tau) * possum i (fun l => K (y i) (y l)) <= possum i (fun l => K' (y' i) (y' l))).
    { rewrite <- possum_scal. now apply possum_le. }
    assert (Zup : possum i (fun l => K' (y' i) (y' l)) <= exp tau * possum i (fun l => K (y i) (y l))).
    { rewrite <- possum_scal. now apply possum_le. }
    specialize (Hlo k H1 H2). specialize (Hup k H1 H2). pose proof (HK (y i) (y k)). pose proof (HK' (y' i) (y' k)).
    pose proof (exp_pos tau). pose proof (exp_pos (- tau)).
    set (a := K (y i) (y k)) in *. set (a' := K' (y' i) (y' k)) in *.
    set (z := possum i (fun l => K (y i) (y l))) in *. set (z' := possum i (fun l => K' (y' i) (y' l))) in *.
    replace (2 * tau) with (tau + tau) by ring. rewrite Ropp_plus_distr, !exp_plus.
    assert (E : exp (- tau) * exp tau = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    split.
    - apply le_div; [assumption|].
      replace (exp (- tau) * exp (- tau) * (a / z) * z') with (exp (- tau) * a * (exp (- tau) * z' / z))
        by (field; lra).
      assert (exp (- tau) * z' / z <= 1).
      { apply div_le; [assumption|]. apply (Rmult_le_compat_l (exp (- tau))) in Zup; [|lra].
        rewrite <- Rmult_assoc, E in Zup. lra. }
      assert (0 <= exp (- tau) * z' / z) by (apply div_nonneg; [apply Rmult_le_pos|]; lra).
      assert (0 <= exp (- tau) * a) by (apply Rmult_le_pos; lra).
      assert (exp (- tau) * a * (exp (- tau) * z' / z) <= exp (- tau) * a * 1) by (apply Rmult_le_compat_l; lra).
      lra.
    - apply div_le; [assumption|].
      replace (exp tau * exp tau * (a / z) * z') with (exp tau * a * (exp tau * z' / z)) by (field; lra).
      assert (1 <= exp tau * z' / z).
      { apply le_div; [assumption|]. apply (Rmult_le_compat_l (exp tau)) in Zlo; [|lra].
        rewrite <- Rmult_assoc, (Rmult_comm (exp tau)), E in Zlo. lra. }
      assert (0 <= exp tau * a) by (apply Rmult_le_pos; lra).
      assert (exp tau * a * 1 <= exp tau * a * (exp tau * z' / z)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (** The output, values having size at most B and moving by at most mu. *)
  Lemma moved_head f f' mu B r :
    0 <= tau ->
    (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (f (y k) r) <= B) ->
    (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (f' (y' k) r - f (y k) r) <= mu) ->
    Rabs (head (kernel_attention K') f' y' i r - head (kernel_attention K) f y i r) <= mu + (exp (2 * tau) - 1) * B.
  Proof using HK HK' Hi Hlo Hup.
    intros Ht Hf Hff. unfold head.
    set (a := kernel_attention K y i). set (a' := kernel_attention K' y' i).
    assert (S1 : possum i a = 1) by (apply kernel_attention_sum, Rgt_not_eq, kernel_row_sum_pos; assumption).
    assert (S1' : possum i a' = 1) by (apply kernel_attention_sum, Rgt_not_eq, kernel_row_sum_pos; assumption).
    assert (A0 : forall k, 0 <= a k) by (intros; apply div_nonneg; [apply Rlt_le, HK|now apply kernel_row_sum_pos]).
    assert (A0' : forall k, 0 <= a' k)
      by (intros; apply div_nonneg; [apply Rlt_le, HK'|now apply kernel_row_sum_pos]).
    assert (He : exp (2 * tau) * exp (- (2 * tau)) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    assert (He1 : 1 <= exp (2 * tau)) by (pose proof (exp_ineq1_le (2 * tau)); lra).
    unfold possum in *. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    apply Rle_trans with (sum i (fun k => mu * a' (S k) + (exp (2 * tau) - 1) * B * a (S k))).
    2:{ rewrite sum_plus, !sum_scal, S1, S1'. lra. }
    apply sum_le. intros k Hk.
    destruct (moved_weight_bounds (S k)) as [W1 W2]; [lia..|]. fold a a' in W1, W2.
    replace (a' (S k) * f' (y' (S k)) r - a (S k) * f (y (S k)) r)
      with ((f' (y' (S k)) r - f (y (S k)) r) * a' (S k) + (a' (S k) - a (S k)) * f (y (S k)) r) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
    - rewrite Rabs_mult, (Rabs_pos_eq (a' (S k))) by apply A0'. apply Rmult_le_compat_r; [apply A0'|apply Hff; lia].
    - replace ((exp (2 * tau) - 1) * B * a (S k)) with ((exp (2 * tau) - 1) * a (S k) * B) by ring.
      apply abs_mult_le; [|apply Hf; lia]. specialize (A0 (S k)).
      (* 2 - e^2tau <= e^-2tau *)
      assert (2 - exp (2 * tau) <= exp (- (2 * tau))).
      { assert (0 <= (exp (2 * tau) - 1) * (exp (2 * tau) - 1) * exp (- (2 * tau))).
        { apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rlt_le, exp_pos]. }
        replace ((exp (2 * tau) - 1) * (exp (2 * tau) - 1) * exp (- (2 * tau)))
          with (exp (2 * tau) * (exp (2 * tau) * exp (- (2 * tau))) - 2 * (exp (2 * tau) * exp (- (2 * tau)))
                + exp (- (2 * tau))) in H by ring.
        rewrite He in H. lra. }
      assert ((2 - exp (2 * tau)) * a (S k) <= exp (- (2 * tau)) * a (S k))
        by (apply Rmult_le_compat_r; assumption).
      apply Rabs_le. lra.
  Qed.
End MovedSoftmax.

(** ** One layer *)

Lemma rho_nonneg n rho W V W' V' : (4 <= n)%nat -> stack_within n rho W V W' V' -> 0 <= rho.
Proof. intros Hn HW. eapply Rle_trans; [apply Rabs_pos|]. apply (HW 0 0 0 0)%nat; lia. Qed.

Lemma moved_logit_nonneg n Lambda kappa rho m :
  0 <= Lambda -> 0 <= kappa -> 0 <= rho -> 0 <= m -> 0 <= moved_logit n Lambda kappa rho m.
Proof.
  intros. unfold moved_logit. apply Rplus_le_le_0_compat.
  - apply Rmult_le_pos; [assumption|apply pow2_ge_0].
  - repeat apply Rmult_le_pos; lra.
Qed.

Section MovedLayer.
  Context (n L : nat) (Lambda kappa rho m : R) (W V : nat -> nat -> matrix) (d : nat) (y y' : sequence)
          (Hn : (4 <= n)%nat) (HL : 0 <= Lambda) (Hk : 0 <= kappa) (Hd : (d < 2)%nat) (Hm : 0 <= m)
          (HW : stack_within n rho (two_heads_scores n Lambda kappa) (two_heads_values kappa) W V)
          (Hy : forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (y i r) <= 4 / 3)
          (Hyy : forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (y' i r - y i r) <= m).

  Let tau := moved_logit n Lambda kappa rho m.

  Lemma moved_size i r : (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (y' i r) <= 4 / 3 + m.
  Proof using Hy Hyy.
    intros H1 H2 Hr. specialize (Hy i r H1 H2 Hr). specialize (Hyy i r H1 H2 Hr).
    apply abs_bounds in Hy, Hyy. apply Rabs_le. lra.
  Qed.

  Lemma product_moved a a' b b' A B p q :
    Rabs (a' - a) <= p -> Rabs (b' - b) <= q -> Rabs a <= A -> Rabs b' <= B ->
    Rabs (a' * b' - a * b) <= p * B + A * q.
  Proof using.
    intros. replace (a' * b' - a * b) with ((a' - a) * b' + a * (b' - b)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; now apply abs_mult_le.
  Qed.

  (** A reading is a sum of at most three flags. *)
  Lemma reading_le h b t c s :
    Rabs b <= s -> Rabs t <= s -> Rabs c <= s -> Rabs (key_reading kappa d h b t c) <= 3 * s.
  Proof using Hd Hk.
    intros Hb Ht Hc. pose proof (k_bounds kappa Hk) as Hkb. apply abs_bounds in Hb, Ht, Hc. apply Rabs_le.
    unfold key_reading. destruct d, h; try lra.
    assert (Hi : / (2 * first_factor kappa) <= / 1) by (apply Rinv_le_contravar; lra).
    assert (Hi0 : 0 < / (2 * first_factor kappa)) by (apply Rinv_0_lt_compat; lra).
    assert (Htc : Rabs ((t + c) / (2 * first_factor kappa)) <= 2 * s * / 1).
    { apply abs_mult_le; [apply Rabs_le; lra|]. rewrite Rabs_pos_eq by lra. assumption. }
    apply abs_bounds in Htc. lra.
  Qed.

  Lemma reading_minus h b t c b' t' c' :
    key_reading kappa d h b' t' c' - key_reading kappa d h b t c = key_reading kappa d h (b' - b) (t' - t) (c' - c).
  Proof using Hd. unfold key_reading, Rdiv. destruct d, h; ring. Qed.

  Lemma logit_moved h i k :
    (h < 2)%nat -> (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    Rabs (bilinear n (W d h) (y' i) (y' k) - bilinear n (two_heads_scores n Lambda kappa d h) (y i) (y k)) <= tau.
  Proof using Hn HL Hk Hd Hm HW Hy Hyy.
    intros Hh H1 H2 H3 H4.
    replace (bilinear n (W d h) (y' i) (y' k) - bilinear n (two_heads_scores n Lambda kappa d h) (y i) (y k))
      with ((bilinear n (W d h) (y' i) (y' k) - bilinear n (two_heads_scores n Lambda kappa d h) (y' i) (y' k))
            + (bilinear n (two_heads_scores n Lambda kappa d h) (y' i) (y' k)
               - bilinear n (two_heads_scores n Lambda kappa d h) (y i) (y k))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. unfold tau, moved_logit. apply Rplus_le_compat.
    - apply bilinear_moved.
      + intros a b Ha Hb. apply (HW d h a b); assumption.
      + intros. now apply moved_size.
      + intros. now apply moved_size.
    - rewrite !key_logit by assumption. unfold bos_flag, trigger_flag, content_flag.
      set (R0 := key_reading kappa d h (y k 0%nat) (y k 1%nat) (y k (n - 1)%nat)).
      set (R1 := key_reading kappa d h (y' k 0%nat) (y' k 1%nat) (y' k (n - 1)%nat)).
      assert (HR : Rabs (R1 - R0) <= 3 * m)
        by (unfold R0, R1; rewrite reading_minus; apply reading_le; apply Hyy; lia).
      assert (HR1 : Rabs R1 <= 3 * (4 / 3 + m)) by (apply reading_le; apply moved_size; lia).
      assert (Hq : Rabs (y' i 1%nat - y i 1%nat) <= m) by (apply Hyy; lia).
      assert (Hq0 : Rabs (y i 1%nat) <= 4 / 3) by (apply Hy; lia).
      assert (Hc : Rabs (y' i (n - 1)%nat - y i (n - 1)%nat) <= m) by (apply Hyy; lia).
      assert (Hc0 : Rabs (y i (n - 1)%nat) <= 4 / 3) by (apply Hy; lia).
      assert (Hb : Rabs (y' k 0%nat - y k 0%nat) <= m) by (apply Hyy; lia).
      assert (Hb1 : Rabs (y' k 0%nat) <= 4 / 3 + m) by (apply moved_size; lia).
      pose proof (product_moved _ _ _ _ _ _ _ _ Hq HR Hq0 HR1) as P1.
      assert (Hs : Rabs (y' i 1%nat + y' i (n - 1)%nat - (y i 1%nat + y i (n - 1)%nat)) <= 2 * m).
      { apply abs_bounds in Hq, Hc. apply Rabs_le. lra. }
      assert (Hs0 : Rabs (y i 1%nat + y i (n - 1)%nat) <= 8 / 3).
      { apply abs_bounds in Hq0, Hc0. apply Rabs_le. lra. }
      pose proof (product_moved _ _ _ _ _ _ _ _ Hs Hb Hs0 Hb1) as P2.
      set (D := (y' i 1%nat + y' i (n - 1)%nat) * y' k 0%nat - (y i 1%nat + y i (n - 1)%nat) * y k 0%nat) in P2.
      replace (y' i 1%nat * (Lambda * R1) + (y' i 1%nat + y' i (n - 1)%nat) * (- kappa * y' k 0%nat)
               - (y i 1%nat * (Lambda * R0) + (y i 1%nat + y i (n - 1)%nat) * (- kappa * y k 0%nat)))
        with (Lambda * (y' i 1%nat * R1 - y i 1%nat * R0)
              + - kappa * D) by (unfold D; ring).
      eapply Rle_trans; [apply Rabs_triang|].
      assert (Q1 : Rabs (Lambda * (y' i 1%nat * R1 - y i 1%nat * R0))
                   <= Lambda * (m * (3 * (4 / 3 + m)) + 4 / 3 * (3 * m))).
      { apply abs_mult_le; [rewrite Rabs_pos_eq; lra|assumption]. }
      assert (Q2 : Rabs (- kappa * D) <= kappa * (2 * m * (4 / 3 + m) + 8 / 3 * m)).
      { apply abs_mult_le; [rewrite Rabs_Ropp, Rabs_pos_eq; lra|assumption]. }
      assert (0 <= kappa * m * m) by (repeat apply Rmult_le_pos; assumption).
      assert (0 <= kappa * m) by (apply Rmult_le_pos; assumption). lra.
  Qed.

  (** Hence weights move by a factor. *)
  Lemma kernel_moved h i k :
    (h < 2)%nat -> (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= i)%nat ->
    exp (- tau) * softmax_kernel n (two_heads_scores n Lambda kappa d h) (y i) (y k)
    <= softmax_kernel n (W d h) (y' i) (y' k)
    <= exp tau * softmax_kernel n (two_heads_scores n Lambda kappa d h) (y i) (y k).
  Proof using Hn HL Hk Hd Hm HW Hy Hyy.
    intros Hh H1 H2 H3 H4. pose proof (logit_moved h i k Hh H1 H2 H3 ltac:(lia)) as H. apply abs_bounds in H.
    unfold softmax_kernel. rewrite <- !exp_plus. split; apply exp_le; lra.
  Qed.

  Lemma bos_attention_moved h i :
    (h < 2)%nat -> (1 <= i)%nat -> (i <= L)%nat ->
    kernel_attention (softmax_kernel n (W d h)) y' i 1%nat
    <= exp (2 * tau) * kernel_attention (softmax_kernel n (two_heads_scores n Lambda kappa d h)) y i 1%nat.
  Proof using Hn HL Hk Hd Hm HW Hy Hyy.
    intros Hh H1 H2. apply moved_weight_bounds; try lia; try apply softmax_positive;
      intros; apply kernel_moved; lia || assumption.
  Qed.

  Lemma value_moved h k r :
    (h < 2)%nat -> (1 <= k)%nat -> (k <= L)%nat -> (r < n)%nat ->
    Rabs (linear_value n (V d h) (y' k) r - linear_value n (two_heads_values kappa d h) (y k) r)
    <= rho * INR n * (4 / 3 + m) + 2 * exp kappa * m.
  Proof using Hn Hk Hd HW Hy Hyy.
    intros Hh H1 H2 Hr.
    replace (linear_value n (V d h) (y' k) r - linear_value n (two_heads_values kappa d h) (y k) r)
      with ((linear_value n (V d h) (y' k) r - linear_value n (two_heads_values kappa d h) (y' k) r)
            + (linear_value n (two_heads_values kappa d h) (y' k) r
               - linear_value n (two_heads_values kappa d h) (y k) r)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
    - apply linear_moved; [|intros; now apply moved_size|assumption].
      intros a b Ha Hb. apply (HW d h a b); assumption.
    - rewrite !value_spec, <- Rmult_minus_distr_l by assumption.
      apply abs_mult_le; [now apply value_factor_le|].
      destruct (Nat.eqb_spec r 0) as [->|_]; [|now apply Hyy].
      rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
      eapply Rle_trans; [apply Rabs_pos|now apply (Hyy k 0%nat H1 H2)].
  Qed.

  Lemma value_le h k r :
    (1 <= k)%nat -> (k <= L)%nat -> (r < n)%nat ->
    Rabs (linear_value n (two_heads_values kappa d h) (y k) r) <= 2 * exp kappa * (4 / 3).
  Proof using Hk Hy.
    intros H1 H2 Hr. rewrite value_spec by assumption. apply abs_mult_le; [now apply value_factor_le|].
    destruct (r =? 0)%nat; [rewrite Rabs_R0; lra|now apply Hy].
  Qed.

  Lemma moved_layer i r :
    (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    Rabs (residual_layer n (softmax_stack n W V d) y' i r - residual_layer n (two_heads n Lambda kappa d) y i r)
    <= m + 2 * (rho * INR n * (4 / 3 + m) + 2 * exp kappa * (m + 4 / 3 * (exp (2 * tau) - 1))).
  Proof using Hn HL Hk Hd Hm HW Hy Hyy.
    intros H1 H2 Hr.
    assert (HH : forall h, (h < 2)%nat ->
              Rabs (head (kernel_attention (softmax_kernel n (W d h))) (linear_value n (V d h)) y' i r
                    - two_heads_head n Lambda kappa d h y i r)
              <= rho * INR n * (4 / 3 + m) + 2 * exp kappa * m + (exp (2 * tau) - 1) * (2 * exp kappa * (4 / 3))).
    { intros h Hh. apply moved_head; try apply softmax_positive; try assumption.
      - intros. apply kernel_moved; assumption.
      - intros. apply kernel_moved; assumption.
      - apply moved_logit_nonneg; try assumption. now apply (rho_nonneg _ _ _ _ _ _ Hn HW).
      - intros. apply value_le; lia || assumption.
      - intros. apply value_moved; lia || assumption. }
    pose proof (HH 0%nat ltac:(lia)) as A. pose proof (HH 1%nat ltac:(lia)) as B.
    specialize (Hyy i r H1 H2 Hr). rewrite layer_heads.
    unfold residual_layer, layer_output, multi_head. cbn [head_count softmax_stack weights values sum].
    rewrite Rplus_0_l.
    apply abs_bounds in A, B, Hyy. apply Rabs_le. lra.
  Qed.
End MovedLayer.

(** ** Both layers *)

Section MovedStack.
  Context (n L : nat) (Lambda kappa rho : R) (W V : nat -> nat -> matrix) (x : sequence) (j : nat)
          (Hn : (4 <= n)%nat) (HL : 0 <= Lambda) (Hk : 0 <= kappa) (Hx : valid n L j x)
          (HW : stack_within n rho (two_heads_scores n Lambda kappa) (two_heads_values kappa) W V).

  Lemma input_size i r : (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (x i r) <= 1.
  Proof using Hn Hx.
    intros H1 H2 Hr. destruct (Nat.eq_dec i 1) as [->|E]; [|apply (valid_abs_le_1 n L j x Hx Hn); lia].
    rewrite (first_is_bos _ _ _ _ Hx). destruct r; [rewrite bos_0, Rabs_R1|rewrite bos_S, Rabs_R0]; lra.
  Qed.

  (** Below both layers tokens have size at most 4/3. *)
  Lemma state_size d i r :
    (d < 2)%nat -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    Rabs (hidden_states n (two_heads n Lambda kappa) d x i r) <= 4 / 3.
  Proof using Hn HL Hk Hx.
    intros Hd H1 H2 Hr. destruct (Nat.eq_dec i j) as [->|E].
    2:{ rewrite (quiet_states n L Lambda kappa x j) by assumption. pose proof (input_size i r H1 H2 Hr). lra. }
    destruct d as [|[|d]]; [pose proof (input_size j r H1 H2 Hr) as H; cbn; lra| |lia].
    rewrite (first_state n L Lambda kappa x j Hn Hx r Hr). pose proof (contents_ge_1 n L x j Hn Hx) as HN.
    pose proof (X_bounds Lambda kappa _ HL Hk HN). pose proof (C_bounds Lambda kappa _ HL Hk HN).
    pose proof (k_bounds kappa Hk). pose proof (lack_bounds Lambda kappa _ HL Hk HN).
    pose proof (s_form Lambda kappa (INR (j - 2)) Hk) as Hs. unfold flag_sum in Hs.
    set (X := trigger_part _ _ _) in *. set (C := content_part _ _ _) in *. set (l := key_lack _ _ _) in *.
    assert (Hl : 2 * first_factor kappa * (1 - l) <= 4 / 3 * 1).
    { destruct (Rle_or_lt 0 (1 - l)) as [Hl|Hl]; [apply Rmult_le_compat; lra|].
      assert (0 <= 2 * first_factor kappa * (l - 1)) by (apply Rmult_le_pos; lra). lra. }
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Rabs (X * x j r) <= X * 1).
    { apply abs_mult_le; [rewrite Rabs_pos_eq; lra|now apply input_size]. }
    assert (Rabs (C * content_sum x j r) <= C * (INR (j - 2) * 1)).
    { apply abs_mult_le; [rewrite Rabs_pos_eq; lra|]. apply sum_abs_le. intros k Hkj. apply input_size; lia. }
    lra.
  Qed.

  Lemma moved_state_nonneg d : 0 <= moved_state n Lambda kappa rho d.
  Proof using Hn HL Hk HW.
    induction d as [|d IH]; cbn [moved_state]; [lra|]. set (m := moved_state n Lambda kappa rho d) in *.
    pose proof (rho_nonneg _ _ _ _ _ _ Hn HW) as Hr.
    pose proof (moved_logit_nonneg n Lambda kappa rho m HL Hk Hr IH).
    pose proof (exp_ineq1_le (2 * moved_logit n Lambda kappa rho m)). pose proof (exp_pos kappa).
    pose proof (pos_INR n).
    assert (0 <= rho * INR n * (4 / 3 + m)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    assert (0 <= 2 * exp kappa * (m + 4 / 3 * (exp (2 * moved_logit n Lambda kappa rho m) - 1)))
      by (apply Rmult_le_pos; lra).
    lra.
  Qed.

  Lemma states_moved d i r :
    (d <= 2)%nat -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    Rabs (hidden_states n (softmax_stack n W V) d x i r - hidden_states n (two_heads n Lambda kappa) d x i r)
    <= moved_state n Lambda kappa rho d.
  Proof using Hn HL Hk Hx HW.
    revert i r. induction d as [|d IH]; intros i r Hd H1 H2 Hr.
    - cbn. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    - cbn [hidden_states moved_state].
      apply (moved_layer n L Lambda kappa rho _ W V d); try assumption; try lia.
      + apply moved_state_nonneg.
      + intros. apply state_size; assumption || lia.
      + intros. apply IH; assumption || lia.
  Qed.

  Lemma stack_bos_moved d h i :
    (d < 2)%nat -> (h < 2)%nat -> (1 <= i)%nat -> (i <= L)%nat ->
    stack_bos_attention n (softmax_stack n W V) d h x i
    <= exp (2 * moved_logit n Lambda kappa rho (moved_state n Lambda kappa rho d))
       * stack_bos_attention n (two_heads n Lambda kappa) d h x i.
  Proof using Hn HL Hk Hx HW.
    intros Hd Hh H1 H2.
    apply (bos_attention_moved n L Lambda kappa rho (moved_state n Lambda kappa rho d) W V d
             (hidden_states n (two_heads n Lambda kappa) d x)); try assumption.
    - apply moved_state_nonneg.
    - intros. now apply state_size.
    - intros. apply states_moved; lia || assumption.
  Qed.
End MovedStack.

Theorem two_heads_robust : two_heads_statement.two_heads_robust.
Proof.
  intros n L Lambda kappa rho W V Hn HL H0 Hk HW. split.
  - intros x j Hx i r H1 H2 Hr.
    pose proof (states_moved n L Lambda kappa rho W V x j Hn H0 Hk Hx HW 2 i r (le_n 2) H1 H2 Hr) as A.
    pose proof (two_heads_loss n L Lambda kappa Hn HL H0 Hk x j Hx i r H1 H2 Hr) as B.
    unfold residual_stack in *. apply abs_bounds in A, B. apply Rabs_le. lra.
  - intros x j i d h Hx H1 H2 Hd Hh.
    eapply Rle_trans; [now apply (stack_bos_moved n L Lambda kappa rho W V x j Hn H0 Hk Hx HW d h i); try lia|].
    unfold Rdiv. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
    rewrite <- (Rmult_1_l (/ _)). fold (1 / (1 + exp kappa)).
    now apply (two_heads_bos_attention n L Lambda kappa x j).
Qed.

(** ** A neighbourhood *)

Lemma moved_state_at_0 n Lambda kappa d : moved_state n Lambda kappa 0 d = 0.
Proof.
  induction d as [|d IH]; [reflexivity|]. cbn [moved_state]. rewrite IH. unfold moved_logit.
  replace (2 * (0 * (INR n * (4 / 3 + 0)) ^ 2 + 3 * (Lambda + kappa) * 0 * (8 / 3 + 0))) with 0 by ring.
  rewrite exp_0. ring.
Qed.

Lemma moved_continuous n Lambda kappa d :
  continuity (fun rho => moved_state n Lambda kappa rho d) /\
  continuity (fun rho => exp (2 * moved_logit n Lambda kappa rho (moved_state n Lambda kappa rho d))).
Proof.
  assert (HE : forall f, continuity f -> continuity (fun rho => exp (2 * moved_logit n Lambda kappa rho (f rho)))).
  { intros f Hf. unfold moved_logit. intros rho. specialize (Hf rho). reg. }
  assert (HS : forall f g, continuity f -> continuity g ->
            continuity (fun rho => f rho + 2 * (rho * INR n * (4 / 3 + f rho)
                                                + 2 * exp kappa * (f rho + 4 / 3 * (g rho - 1))))).
  { intros f g Hf Hg rho. specialize (Hf rho). specialize (Hg rho). reg. }
  induction d as [|d [IH1 IH2]].
  - assert (H : continuity (fun _ : R => 0)) by (intros rho; reg). split; [exact H|now apply HE].
  - assert (H : continuity (fun rho => moved_state n Lambda kappa rho (S d))) by exact (HS _ _ IH1 IH2).
    split; [exact H|now apply HE].
Qed.

(** A continuous function below c at 0 is below c at all small rho. *)
Lemma continuous_below f c :
  continuity f -> f 0 < c -> exists a, 0 < a /\ forall rho, 0 < rho -> rho < a -> f rho < c.
Proof.
  intros Hf H0. destruct (Hf 0 (c - f 0)) as (a & Ha & H); [lra|]. exists a. split; [exact Ha|].
  intros rho H1 H2. specialize (H rho). unfold D_x, no_cond, dist, R_met, R_dist in H. cbn in H.
  unfold R_dist in H. rewrite Rminus_0_r, Rabs_pos_eq in H by lra.
  assert (Hr : Rabs (f rho - f 0) < c - f 0) by (apply H; repeat split; lra).
  unfold Rabs in Hr. destruct (Rcase_abs (f rho - f 0)); lra.
Qed.

Theorem two_heads_robust_escape : two_heads_statement.two_heads_robust_escape.
Proof.
  intros n L eta delta Hn HL Heta Hdelta.
  destruct (two_heads_parameters L (eta / 2) (Rmin delta (1 / 2) / 2) HL) as (Lambda & kappa & H0 & Hk & Hb & Hs).
  { lra. }
  { apply Rmult_lt_0_compat; [apply Rmin_glb_lt|]; lra. }
  { pose proof (Rmin_r delta (1 / 2)). lra. }
  pose proof (Rmin_l delta (1 / 2)) as Hmin.
  exists (two_heads_scores n Lambda kappa), (two_heads_values kappa).
  assert (Hlog : forall d, exp (2 * moved_logit n Lambda kappa 0 (moved_state n Lambda kappa 0 d)) < 2).
  { intros d. rewrite moved_state_at_0. unfold moved_logit.
    replace (2 * (0 * (INR n * (4 / 3 + 0)) ^ 2 + 3 * (Lambda + kappa) * 0 * (8 / 3 + 0))) with 0 by ring.
    rewrite exp_0. lra. }
  destruct (continuous_below _ (eta / 2) (proj1 (moved_continuous n Lambda kappa 2))) as (a & Ha & HA).
  { rewrite moved_state_at_0. lra. }
  destruct (continuous_below _ 2 (proj2 (moved_continuous n Lambda kappa 0)) (Hlog 0%nat)) as (b & Hb0 & HB).
  destruct (continuous_below _ 2 (proj2 (moved_continuous n Lambda kappa 1)) (Hlog 1%nat)) as (c & Hc0 & HC).
  set (rho := Rmin a (Rmin b c) / 2).
  assert (Hm : 0 < Rmin a (Rmin b c)) by (repeat apply Rmin_glb_lt; assumption).
  pose proof (Rmin_l a (Rmin b c)). pose proof (Rmin_r a (Rmin b c)). pose proof (Rmin_l b c).
  pose proof (Rmin_r b c).
  assert (Hr : 0 < rho) by (unfold rho; lra).
  specialize (HA rho Hr ltac:(unfold rho; lra)). specialize (HB rho Hr ltac:(unfold rho; lra)).
  specialize (HC rho Hr ltac:(unfold rho; lra)).
  exists rho. split; [exact Hr|]. intros W' V' HW.
  destruct (two_heads_robust n L Lambda kappa rho W' V' Hn HL H0 Hk HW) as [R1 R2]. split.
  - intros x j Hx i r Hi1 Hi2 Hrn. specialize (R1 x j Hx i r Hi1 Hi2 Hrn). lra.
  - intros x j i d h Hx Hi1 Hi2 Hd Hh. eapply Rle_trans; [now apply (R2 x j i d h)|].
    assert (Hlt : exp (2 * moved_logit n Lambda kappa rho (moved_state n Lambda kappa rho d)) <= 2)
      by (destruct d as [|[|d]]; [lra|lra|lia]).
    unfold Rdiv. pose proof (exp_pos kappa).
    assert (Hi : 0 < / (1 + exp kappa)) by (apply Rinv_0_lt_compat; lra).
    assert (exp (2 * moved_logit n Lambda kappa rho (moved_state n Lambda kappa rho d)) * / (1 + exp kappa)
            <= 2 * / (1 + exp kappa)) by (apply Rmult_le_compat_r; lra).
    lra.
Qed.

(** ** The hypotheses can be met *)

(** One score and one value of a head moved by rho. *)
Theorem two_heads_robust_instance :
  exists n L Lambda kappa rho W V,
  (4 <= n)%nat /\ (3 <= L)%nat /\ 0 <= Lambda /\ 0 <= kappa /\
  stack_within n rho (two_heads_scores n Lambda kappa) (two_heads_values kappa) W V /\
  exists x j i d h, valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ (d < 2)%nat /\ (h < 2)%nat.
Proof.
  set (bump := fun (M : nat -> nat -> matrix) d h a b => M d h a b + (if (a =? b)%nat then 1 / 1000 else 0)).
  exists 16%nat, 16%nat, 80, 1, (1 / 1000), (bump (two_heads_scores 16 80 1)), (bump (two_heads_values 1)).
  do 2 (split; [lia|]). do 2 (split; [lra|]). split.
  - intros d h a b _ _ _ _. unfold bump.
    assert (H : forall z e, Rabs e <= 1 / 1000 -> Rabs (z + e - z) <= 1 / 1000).
    { intros z e He. now replace (z + e - z) with e by ring. }
    destruct (a =? b)%nat; split; apply H; apply Rabs_le; lra.
  - destruct (valid_exists 16 16 9) as [x Hx]; try lia.
    exists x, 9%nat, 9%nat, 1%nat, 1%nat. repeat (split; [lia || exact Hx|]); lia.
Qed.

Theorem two_heads_robust_escape_instance :
  exists n L eta delta, (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < eta /\ 0 < delta.
Proof. exists 16%nat, 16%nat, (1 / 1000), (1 / 10). repeat split; lia || lra. Qed.

Print Assumptions two_heads_robust.
Print Assumptions two_heads_robust_instance.
Print Assumptions two_heads_robust_escape.
Print Assumptions two_heads_robust_escape_instance.
