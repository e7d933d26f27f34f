(** * tc-9 (b), the trigger's row of [two_heads] in numbers

    N = j - 2 content tokens stand between BOS and the trigger x_j; S is their sum, e = e^-Lambda,
    w = e^-kappa, k = (1 + w)/(2 + w).  Above layer 1 the trigger's row is [trigger_part] x_j +
    [content_part] S, near k (x_j + mean).  In layer 2 one head attends the trigger but for the share [stray],
    the other shares its attention between BOS and the trigger but for [lack] and [leak].  So the error
    is a combination of x_j and S, with the coefficients [trigger_error] and [content_error]; they are bounded
    by [error_bound] and, from below, by [error_at_least]. *)

From Coq Require Import Reals Lra Arith.
From Claim Require Import two_heads_statement.
Open Scope R_scope.

Lemma div_nonneg a b : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros Ha Hb. apply Rmult_le_pos; [assumption|]. apply Rlt_le, Rinv_0_lt_compat, Hb. Qed.

Lemma div_le a b c : 0 < b -> a <= c * b -> a / b <= c.
Proof.
  intros Hb H. apply (Rmult_le_reg_r b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma le_div a b c : 0 < b -> c * b <= a -> c <= a / b.
Proof.
  intros Hb H. apply (Rmult_le_reg_r b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** A larger denominator. *)
Lemma div_le_denominator a b c : 0 <= a -> 0 < c -> c <= b -> a / b <= a / c.
Proof. intros Ha Hc H. apply Rmult_le_compat_l; [assumption|]. now apply Rinv_le_contravar. Qed.

(** y e^-y <= 1. *)
Lemma mult_exp_neg_le y : y * exp (- y) <= 1.
Proof. rewrite exp_Ropp. apply div_le; [apply exp_pos|]. pose proof (exp_ineq1_le y). lra. Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H| ->]; [left; now apply exp_increasing|lra]. Qed.

(** A product of nonnegative factors. *)
Ltac products_nonneg := repeat match goal with |- 0 <= _ * _ => apply Rmult_le_pos end; lra.

Section FirstLayer.
  Context (e w N : R) (He0 : 0 < e) (He1 : e <= 1) (Hw0 : 0 < w) (Hw1 : w <= 1) (HN : 1 <= N).

  Let k := (1 + w) / (2 + w).

  Definition trigger_part : R := 1 + k * (1 / (w * e + N * 1 + 1) - 1 / (w + N * e + 1)).
  Definition content_part : R := k * (1 / (w * e + N * 1 + 1) - e / (w + N * e + 1)).

  (** How far they are from k (1 + 1/(N+1)) and k 1/(N+1): both deviations are nonnegative. *)
  Definition trigger_excess : R :=
    N * e / ((1 + w) * (1 + w + N * e)) - w * e / ((N + 1) * (N + 1 + w * e)).
  Definition content_lack : R := w * e / ((N + 1) * (N + 1 + w * e)) + e / (1 + w + N * e).

  Lemma factor_bounds : 1 / 2 <= k <= 2 / 3.
  Proof using Hw0 Hw1. unfold k. split; [apply le_div|apply div_le]; lra. Qed.

  Lemma products : 0 < N * e <= N /\ 0 < w * e <= e /\ w * e <= w.
  Proof using He0 He1 Hw0 Hw1 HN.
    assert (N * e <= N * 1) by (apply Rmult_le_compat_l; lra).
    assert (w * e <= 1 * e) by (apply Rmult_le_compat_r; lra).
    assert (w * e <= w * 1) by (apply Rmult_le_compat_l; lra).
    pose proof (Rmult_lt_0_compat N e). pose proof (Rmult_lt_0_compat w e). lra.
  Qed.

  Lemma trigger_part_excess : trigger_part = k * (1 + 1 / (N + 1) + trigger_excess).
  Proof using He0 He1 Hw0 Hw1 HN. pose proof products. unfold trigger_part, trigger_excess, k. field. lra. Qed.

  Lemma content_part_lack : content_part = k * (1 / (N + 1) - content_lack).
  Proof using He0 He1 Hw0 Hw1 HN. pose proof products. unfold content_part, content_lack, k. field. lra. Qed.

  Lemma trigger_excess_nonneg : 0 <= trigger_excess.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products.
    replace trigger_excess
      with (e * (N * (N + 1) * (N + 1 + w * e) - w * (1 + w) * (1 + w + N * e))
            / (((1 + w) * (1 + w + N * e)) * ((N + 1) * (N + 1 + w * e))))
      by (unfold trigger_excess; field; lra).
    apply div_nonneg; [|repeat apply Rmult_lt_0_compat; lra]. apply Rmult_le_pos; [lra|].
    assert (0 <= w * (1 + w)) by (apply Rmult_le_pos; lra).
    assert (w * (1 + w) <= N * (N + 1)) by (apply Rmult_le_compat; lra).
    assert (w * (1 + w) * (1 + w + N * e) <= N * (N + 1) * (N + 1 + w * e)); [|lra].
    apply Rmult_le_compat; try lra.
    assert (0 <= (N - w) * (1 - e)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma trigger_excess_le : trigger_excess <= N * e.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. unfold trigger_excess.
    assert (0 <= w * e / ((N + 1) * (N + 1 + w * e))).
    { apply div_nonneg; [lra|]. apply Rmult_lt_0_compat; lra. }
    assert (1 * 1 <= (1 + w) * (1 + w + N * e)) by (apply Rmult_le_compat; lra).
    pose proof (div_le_denominator (N * e) ((1 + w) * (1 + w + N * e)) 1). lra.
  Qed.

  Lemma content_lack_nonneg : 0 <= content_lack.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. unfold content_lack. apply Rplus_le_le_0_compat; apply div_nonneg; try lra.
    apply Rmult_lt_0_compat; lra.
  Qed.

  (** The error of layer 1. *)
  Definition first_error : R := trigger_excess + N * content_lack.

  Lemma first_error_nonneg : 0 <= first_error.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof trigger_excess_nonneg. pose proof content_lack_nonneg. unfold first_error.
    assert (0 <= N * content_lack) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma first_error_le : first_error <= 2 * (N + 1) * e.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. pose proof trigger_excess_le. unfold first_error, content_lack.
    assert (N * e / (1 + w + N * e) <= N * e / 1) by (apply div_le_denominator; lra).
    assert (A : N * (w * e / ((N + 1) * (N + 1 + w * e))) <= e).
    { replace (N * (w * e / ((N + 1) * (N + 1 + w * e)))) with (N * (w * e) / ((N + 1) * (N + 1 + w * e)))
        by (field; lra).
      apply div_le; [apply Rmult_lt_0_compat; lra|].
      assert (N * (w * e) <= N * e) by (apply Rmult_le_compat_l; lra).
      assert (N * 1 <= (N + 1) * (N + 1 + w * e)) by (apply Rmult_le_compat; lra).
      assert (e * (N * 1) <= e * ((N + 1) * (N + 1 + w * e))) by (apply Rmult_le_compat_l; lra). lra. }
    replace (N * (w * e / ((N + 1) * (N + 1 + w * e)) + e / (1 + w + N * e)))
      with (N * (w * e / ((N + 1) * (N + 1 + w * e))) + N * e / (1 + w + N * e)) by (field; lra).
    lra.
  Qed.

  Lemma parts_difference : trigger_part - N * content_part = k * (2 * / (N + 1) + first_error).
  Proof using He0 He1 Hw0 Hw1 HN.
    rewrite trigger_part_excess, content_part_lack. unfold first_error. field. lra.
  Qed.

  Lemma trigger_part_ge : k * (1 + 1 / (N + 1)) <= trigger_part.
  Proof using He0 He1 Hw0 Hw1 HN.
    rewrite trigger_part_excess. pose proof trigger_excess_nonneg. pose proof factor_bounds.
    apply Rmult_le_compat_l; lra.
  Qed.

  Lemma trigger_part_ge_factor : k <= trigger_part.
  Proof using He0 He1 Hw0 Hw1 HN.
    eapply Rle_trans; [|apply trigger_part_ge]. pose proof factor_bounds.
    assert (0 <= 1 / (N + 1)) by (apply div_nonneg; lra).
    assert (0 <= k * (1 / (N + 1))) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma trigger_part_le_1 : trigger_part <= 1.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. pose proof factor_bounds. unfold trigger_part.
    assert (1 / (w * e + N * 1 + 1) <= 1 / (w + N * e + 1)).
    { apply div_le_denominator; [lra..|]. assert (0 <= (N - w) * (1 - e)) by (apply Rmult_le_pos; lra). lra. }
    assert (0 <= k * (1 / (w + N * e + 1) - 1 / (w * e + N * 1 + 1))) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma content_part_nonneg : 0 <= content_part.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. pose proof factor_bounds. unfold content_part. apply Rmult_le_pos; [lra|].
    assert (e / (w + N * e + 1) <= 1 / (w * e + N * 1 + 1)); [|lra].
    apply div_le; [lra|]. replace (1 / (w * e + N * 1 + 1) * (w + N * e + 1))
      with ((w + N * e + 1) / (w * e + N * 1 + 1)) by (field; lra).
    apply le_div; [lra|]. assert (e * (w * e) <= 1 * (w * e)) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma content_part_le : content_part <= k * / (N + 1).
  Proof using He0 He1 Hw0 Hw1 HN.
    rewrite content_part_lack. pose proof content_lack_nonneg. pose proof factor_bounds.
    apply Rmult_le_compat_l; lra.
  Qed.

  (** The trigger's flags add up to 2 k but for the share [key_lack]; they are at least 1. *)
  Definition flag_sum : R := trigger_part + N * content_part.
  Definition key_lack : R := 1 - flag_sum / (2 * k).

  Lemma key_lack_form :
    key_lack = w / 2 * (N * e / ((1 + w) * (1 + w + N * e)) + e / (w * e + N + 1)).
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. unfold key_lack, flag_sum, trigger_part, content_part, k. field. lra.
  Qed.

  Lemma key_lack_bounds : 0 <= key_lack <= 3 / 4 * w * (N * e).
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. rewrite key_lack_form.
    assert (1 * 1 <= (1 + w) * (1 + w + N * e)) by (apply Rmult_le_compat; lra).
    assert (0 <= N * e / ((1 + w) * (1 + w + N * e)) <= N * e / 1)
      by (split; [apply div_nonneg|apply div_le_denominator]; lra).
    assert (0 <= e / (w * e + N + 1) <= e / 2)
      by (split; [apply div_nonneg|apply div_le_denominator]; lra).
    assert (1 * e <= N * e) by (apply Rmult_le_compat_r; lra).
    split; [apply Rmult_le_pos; lra|].
    replace (3 / 4 * w * (N * e)) with (w / 2 * (3 / 2 * (N * e))) by field. apply Rmult_le_compat_l; lra.
  Qed.

  Lemma flag_sum_ge_1 : 1 <= flag_sum.
  Proof using He0 He1 Hw0 Hw1 HN.
    pose proof products. pose proof factor_bounds.
    replace flag_sum
      with (1 + k * (w * (N + 1 - e - N * e * e) / ((w * e + N + 1) * (1 + w + N * e))))
      by (unfold flag_sum, trigger_part, content_part; field; unfold k; lra).
    assert (N * e * e <= N * 1) by (rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|];
      rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra).
    assert (0 <= k * (w * (N + 1 - e - N * e * e) / ((w * e + N + 1) * (1 + w + N * e)))); [|lra].
    apply Rmult_le_pos; [lra|]. apply div_nonneg; [apply Rmult_le_pos; lra|apply Rmult_lt_0_compat; lra].
  Qed.
End FirstLayer.

Section SecondLayer.
  Context (Lambda kappa N : R) (HL : 0 <= Lambda) (Hk : 0 <= kappa) (HN : 1 <= N).

  Let e := exp (- Lambda).
  Let w := bos_worth kappa.
  Let k := first_factor kappa.
  Let odds := trigger_odds kappa.
  Let v := second_factor kappa.
  Let X := trigger_part e w N.
  Let C := content_part e w N.
  Let s := flag_sum e w N.

  Lemma e_bounds : 0 < e <= 1.
  Proof using HL. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. lra. Qed.

  Lemma w_bounds : 0 < w <= 1.
  Proof using Hk. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. lra. Qed.

  (** Facts about layer 1, for these e and w. *)
  Ltac first_layer F H :=
    pose proof (F e w N (proj1 e_bounds) (proj2 e_bounds) (proj1 w_bounds) (proj2 w_bounds) HN) as H.

  Lemma k_bounds : 1 / 2 <= k <= 2 / 3.
  Proof using Hk. apply factor_bounds; apply w_bounds. Qed.

  Lemma worth_exp : w * exp kappa = 1.
  Proof using. unfold w, bos_worth. rewrite <- exp_plus, <- exp_0. f_equal. ring. Qed.

  Lemma odds_pos : 0 < odds.
  Proof using. apply exp_pos. Qed.

  Lemma odds_ge : exp kappa <= odds.
  Proof using Hk.
    apply exp_le. fold k. pose proof k_bounds.
    assert (1 * kappa <= 2 * k * kappa) by (apply Rmult_le_compat_r; lra).
    lra.
  Qed.

  (** 2 k = 1 + w/(2+w), and kappa w <= 1. *)
  Lemma odds_le : odds <= 2 * exp kappa.
  Proof using Hk.
    pose proof w_bounds. pose proof (mult_exp_neg_le kappa) as Hkw. fold (bos_worth kappa) w in Hkw.
    assert (Hy : kappa * w / (2 + w) <= 1 / 2) by (apply div_le; lra).
    replace odds with (exp kappa * exp (kappa * w / (2 + w))).
    2:{ unfold odds, trigger_odds. rewrite <- exp_plus. f_equal. unfold first_factor. fold w. field. lra. }
    rewrite (Rmult_comm 2). apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
    rewrite <- (Ropp_involutive (kappa * w / (2 + w))), exp_Ropp.
    pose proof (exp_ineq1_le (- (kappa * w / (2 + w)))).
    apply Rle_trans with (/ (1 / 2)); [apply Rinv_le_contravar; lra|lra].
  Qed.

  Lemma v_share : v / (1 + odds) = 1 / (1 + w).
  Proof using Hk.
    pose proof odds_pos. pose proof w_bounds. unfold v, second_factor. fold odds w. field. lra.
  Qed.

  Lemma v_pos : 0 < v.
  Proof using Hk.
    pose proof odds_pos. pose proof w_bounds. unfold v, second_factor. fold odds w. apply Rdiv_lt_0_compat; lra.
  Qed.

  (** The values' size. *)
  Lemma v_le : v <= 2 * exp kappa.
  Proof using Hk.
    pose proof odds_le. pose proof w_bounds. pose proof worth_exp.
    unfold v, second_factor. fold odds w. apply div_le; lra.
  Qed.

  (** ** Weights of layer 2 *)

  (** The head that looks for the trigger: BOS, itself; contents have weight 1. *)
  Definition other_weight : R := exp (X * (Lambda * 0) + s * (- kappa * 1)).
  Definition self_weight : R := exp (X * (Lambda * X) + s * (- kappa * 0)).

  (** The head that looks for BOS and the trigger: BOS, a content, itself. *)
  Definition bos_weight : R := exp (X * (Lambda * (1 + (0 + 0) / (2 * k))) + s * (- kappa * 1)).
  Definition content_weight : R := exp (X * (Lambda * (0 + (0 + 1) / (2 * k))) + s * (- kappa * 0)).
  Definition trigger_weight : R := exp (X * (Lambda * (0 + s / (2 * k))) + s * (- kappa * 0)).

  Definition first_total : R := other_weight + N * 1 + self_weight.
  Definition total : R := bos_weight + N * content_weight + trigger_weight.

  (** Relative to BOS: a content token [gain] [decay], the trigger [gain] e^-[gap]. *)
  Definition gain : R := exp (kappa * s).
  Definition decay : R := exp (- (Lambda * X * (w / (2 * (1 + w))))).
  Definition gap : R := Lambda * X * key_lack e w N.

  Lemma content_weight_ratio : content_weight = bos_weight * (gain * decay).
  Proof using Hk.
    unfold content_weight, bos_weight, gain, decay. rewrite <- !exp_plus. f_equal.
    pose proof w_bounds. unfold k, first_factor. fold w. field. lra.
  Qed.

  Lemma trigger_weight_ratio : trigger_weight = bos_weight * (gain * exp (- gap)).
  Proof using Hk.
    unfold trigger_weight, bos_weight, gain, gap, key_lack. rewrite <- !exp_plus. f_equal.
    pose proof w_bounds. unfold k, first_factor. fold w s. field. lra.
  Qed.

  Lemma X_bounds : k <= X <= 1.
  Proof using HL Hk HN.
    first_layer trigger_part_ge_factor Fx. first_layer trigger_part_le_1 Fx1. split; assumption.
  Qed.

  Lemma C_bounds : 0 <= C <= k * / (N + 1).
  Proof using HL Hk HN.
    first_layer content_part_nonneg Fc. first_layer content_part_le Fc1. split; assumption.
  Qed.

  Lemma s_ge_1 : 1 <= s.
  Proof using HL Hk HN. first_layer flag_sum_ge_1 Fs. assumption. Qed.

  Lemma s_form : s = 2 * k * (1 - key_lack e w N).
  Proof using Hk. pose proof w_bounds. unfold key_lack. fold s. unfold k, first_factor. fold w. field. lra. Qed.

  Lemma lack_bounds : 0 <= key_lack e w N <= 3 / 4 * w * (N * e).
  Proof using HL Hk HN. first_layer key_lack_bounds Fk. assumption. Qed.

  Lemma Ne_nonneg : 0 <= N * e.
  Proof using HL HN. pose proof e_bounds. apply Rmult_le_pos; lra. Qed.

  Lemma decay_pos : 0 < decay.
  Proof using. apply exp_pos. Qed.

  Lemma half_worth_le : w / (2 * (1 + w)) <= 1 / 4.
  Proof using Hk. pose proof w_bounds. apply div_le; lra. Qed.

  Lemma decay_ge : exp (- (Lambda / 4)) <= decay.
  Proof using HL Hk HN.
    apply exp_le. pose proof X_bounds. pose proof w_bounds. pose proof k_bounds. pose proof half_worth_le.
    assert (0 <= w / (2 * (1 + w))) by (apply div_nonneg; lra).
    assert (X * (w / (2 * (1 + w))) <= 1 * (1 / 4)) by (apply Rmult_le_compat; lra).
    assert (Lambda * (X * (w / (2 * (1 + w)))) <= Lambda * (1 * (1 / 4))) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma e_le_decay : e <= decay.
  Proof using HL Hk HN. eapply Rle_trans; [|apply decay_ge]. apply exp_le. lra. Qed.

  Lemma gap_nonneg : 0 <= gap.
  Proof using HL Hk HN.
    pose proof X_bounds. pose proof k_bounds. pose proof lack_bounds. unfold gap.
    products_nonneg.
  Qed.

  Lemma gap_le : gap <= 3 / 4 * w * (N * e) * Lambda.
  Proof using HL Hk HN.
    pose proof X_bounds. pose proof k_bounds. pose proof lack_bounds. unfold gap.
    assert (X * key_lack e w N <= 1 * (3 / 4 * w * (N * e))) by (apply Rmult_le_compat; lra).
    assert (Lambda * (X * key_lack e w N) <= Lambda * (1 * (3 / 4 * w * (N * e))))
      by (apply Rmult_le_compat_l; lra).
    lra.
  Qed.

  (** What the content tokens gain outweighs what the trigger lacks. *)
  Lemma gap_le_decay : gap <= N * decay.
  Proof using HL Hk HN.
    eapply Rle_trans; [apply gap_le|]. pose proof decay_ge. pose proof w_bounds. pose proof e_bounds.
    assert (G1 : 3 / 4 * Lambda * e <= exp (- (Lambda / 4))).
    { unfold e. replace (- Lambda) with (- (3 / 4 * Lambda) + - (Lambda / 4)) by field. rewrite exp_plus.
      pose proof (mult_exp_neg_le (3 / 4 * Lambda)) as G2. pose proof (exp_pos (- (Lambda / 4))).
      assert (3 / 4 * Lambda * exp (- (3 / 4 * Lambda)) * exp (- (Lambda / 4)) <= 1 * exp (- (Lambda / 4)))
        by (apply Rmult_le_compat_r; lra). lra. }
    assert (0 <= 3 / 4 * Lambda * e) by products_nonneg.
    replace (3 / 4 * w * (N * e) * Lambda) with (N * (w * (3 / 4 * Lambda * e))) by ring.
    apply Rmult_le_compat_l; [lra|].
    assert (w * (3 / 4 * Lambda * e) <= 1 * (3 / 4 * Lambda * e)) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma exp_gap_bounds : 1 - gap <= exp (- gap) <= 1.
  Proof using HL Hk HN.
    pose proof (exp_ineq1_le (- gap)). pose proof gap_nonneg. split; [lra|].
    rewrite <- exp_0. apply exp_le. lra.
  Qed.

  Lemma gain_ge : exp kappa <= gain.
  Proof using HL Hk HN.
    apply exp_le. pose proof s_ge_1. assert (kappa * 1 <= kappa * s) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma exp_kappa_ge_1 : 1 <= exp kappa.
  Proof using Hk. pose proof (exp_ineq1_le kappa). lra. Qed.

  (** The trigger's odds, but for what its flags lack. *)
  Definition lost : R := 2 * k * kappa * key_lack e w N.

  Lemma gain_odds : gain = odds * exp (- lost).
  Proof using Hk.
    unfold gain, odds, trigger_odds, lost. rewrite <- exp_plus. f_equal. rewrite s_form. fold k. ring.
  Qed.

  Lemma lost_nonneg : 0 <= lost.
  Proof using HL Hk HN.
    pose proof lack_bounds. pose proof k_bounds. unfold lost. products_nonneg.
  Qed.

  Lemma lost_le : lost <= kappa * w * (N * e).
  Proof using HL Hk HN.
    pose proof lack_bounds. pose proof k_bounds. unfold lost.
    assert (2 * k * kappa * key_lack e w N <= 4 / 3 * kappa * (3 / 4 * w * (N * e))); [|lra].
    apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra].
  Qed.

  Lemma gain_le_odds : gain <= odds.
  Proof using HL Hk HN.
    rewrite gain_odds. pose proof odds_pos. pose proof lost_nonneg.
    assert (exp (- lost) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
    assert (odds * exp (- lost) <= odds * 1) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (** ** BOS attention of the trigger's row *)

  Definition relative_total : R := 1 + gain * (N * decay + exp (- gap)).

  Lemma total_ratio : total = bos_weight * relative_total.
  Proof using Hk. unfold total, relative_total. rewrite content_weight_ratio, trigger_weight_ratio. ring. Qed.

  Lemma relative_total_ge : 1 + gain <= relative_total.
  Proof using HL Hk HN.
    unfold relative_total. pose proof gap_le_decay. pose proof exp_gap_bounds.
    pose proof (exp_pos (kappa * s)) as Hg.
    fold gain in Hg. assert (gain * 1 <= gain * (N * decay + exp (- gap))) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma relative_total_ge_2 : 2 <= relative_total.
  Proof using HL Hk HN. pose proof relative_total_ge. pose proof gain_ge. pose proof exp_kappa_ge_1. lra. Qed.

  Lemma bos_weight_pos : 0 < bos_weight.
  Proof using. apply exp_pos. Qed.

  Lemma total_pos : 0 < total.
  Proof using HL Hk HN.
    rewrite total_ratio. pose proof relative_total_ge_2. apply Rmult_lt_0_compat; [apply bos_weight_pos|lra].
  Qed.

  Lemma bos_share : bos_weight / total <= 1 / (1 + exp kappa).
  Proof using HL Hk HN.
    rewrite total_ratio. pose proof relative_total_ge. pose proof gain_ge. pose proof bos_weight_pos.
    pose proof exp_kappa_ge_1.
    replace (bos_weight / (bos_weight * relative_total)) with (1 / relative_total) by (field; lra).
    apply div_le_denominator; lra.
  Qed.

  Lemma other_weight_le : 0 < other_weight <= w.
  Proof using HL Hk HN.
    split; [apply exp_pos|]. apply exp_le. pose proof s_ge_1.
    assert (kappa * 1 <= kappa * s) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma bos_share_other : other_weight / first_total <= 1 / (1 + exp kappa).
  Proof using HL Hk HN.
    pose proof other_weight_le as H. pose proof w_bounds. pose proof worth_exp. pose proof exp_kappa_ge_1.
    assert (Hs : 0 < self_weight) by apply exp_pos. unfold first_total. apply div_le; [lra|].
    replace (1 / (1 + exp kappa) * (other_weight + N * 1 + self_weight))
      with ((other_weight + N * 1 + self_weight) / (1 + exp kappa)) by (field; lra).
    apply le_div; [lra|]. assert (other_weight * exp kappa <= w * exp kappa) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma first_layer_bos_share (h : nat) :
    (if (h =? 0)%nat then w * e else w)
    / ((if (h =? 0)%nat then w * e else w) + N * (if (h =? 0)%nat then 1 else e) + 1) <= 1 / (1 + exp kappa).
  Proof using HL Hk HN.
    pose proof w_bounds. pose proof e_bounds. pose proof Ne_nonneg. pose proof worth_exp. pose proof exp_kappa_ge_1.
    assert (Hw : 1 / (1 + exp kappa) = w / (w + 1)).
    { replace w with (1 / exp kappa) by (rewrite <- worth_exp; field; lra). field. lra. }
    rewrite Hw. destruct (h =? 0)%nat; [|apply div_le_denominator; lra].
    assert (0 <= w * e) by (apply Rmult_le_pos; lra). apply div_le; [lra|].
    replace (w / (w + 1) * (w * e + N * 1 + 1)) with (w * (w * e + N * 1 + 1) / (w + 1)) by (field; lra).
    apply le_div; [lra|]. assert (w * e <= w * 1) by (apply Rmult_le_compat_l; lra).
    assert (w * 1 <= w * N) by (apply Rmult_le_compat_l; lra).
    assert (w * e * w <= w * w * e) by lra. lra.
  Qed.

  (** ** Shares *)

  (** What the first head gives to BOS and the contents, and to one content; what the trigger lacks of its due
      in the second head, and what that gives to one content. *)
  Definition stray : R := (other_weight + N) / first_total.
  Definition stray_one : R := 1 / first_total.
  Definition lack : R := odds / (1 + odds) - trigger_weight / total.
  Definition leak : R := content_weight / total.

  Lemma gain_pos : 0 < gain.
  Proof using. apply exp_pos. Qed.

  Lemma leak_form : leak = gain * decay / relative_total.
  Proof using HL Hk HN.
    unfold leak. rewrite total_ratio, content_weight_ratio. pose proof relative_total_ge_2.
    pose proof bos_weight_pos. field. lra.
  Qed.

  Lemma lack_form : lack = odds / (1 + odds) * ((1 - exp (- (lost + gap))) / relative_total + N * leak).
  Proof using HL Hk HN.
    unfold lack. rewrite leak_form, total_ratio, trigger_weight_ratio. pose proof relative_total_ge_2.
    pose proof bos_weight_pos. pose proof odds_pos.
    replace (- (lost + gap)) with (- lost + - gap) by ring. rewrite exp_plus.
    assert (G1 : gain * N * decay = relative_total - 1 - gain * exp (- gap)) by (unfold relative_total; ring).
    replace (N * (gain * decay / relative_total)) with (gain * N * decay / relative_total) by (field; lra).
    rewrite G1, gain_odds. field. lra.
  Qed.

  Lemma leak_nonneg : 0 <= leak.
  Proof using HL Hk HN.
    rewrite leak_form. pose proof relative_total_ge_2. pose proof decay_pos. pose proof gain_pos.
    apply div_nonneg; [apply Rmult_le_pos; lra|lra].
  Qed.

  Lemma leak_le : leak <= odds / (1 + odds) * decay.
  Proof using HL Hk HN.
    rewrite leak_form. pose proof relative_total_ge. pose proof decay_pos. pose proof gain_pos.
    pose proof gain_le_odds. pose proof odds_pos.
    apply Rle_trans with (gain * decay / (1 + gain)).
    { apply div_le_denominator; [apply Rmult_le_pos; lra|lra..]. }
    replace (gain * decay / (1 + gain)) with (gain / (1 + gain) * decay) by (field; lra).
    apply Rmult_le_compat_r; [lra|]. apply div_le; [lra|].
    replace (odds / (1 + odds) * (1 + gain)) with (odds * (1 + gain) / (1 + odds)) by (field; lra).
    apply le_div; lra.
  Qed.

  Lemma odds_share_nonneg : 0 <= odds / (1 + odds).
  Proof using. pose proof odds_pos. apply div_nonneg; lra. Qed.

  Lemma N_leak_nonneg : 0 <= N * leak.
  Proof using HL Hk HN. pose proof leak_nonneg. apply Rmult_le_pos; lra. Qed.

  Lemma lack_ge : odds / (1 + odds) * (N * leak) <= lack.
  Proof using HL Hk HN.
    rewrite lack_form. apply Rmult_le_compat_l; [apply odds_share_nonneg|].
    assert (0 <= (1 - exp (- (lost + gap))) / relative_total); [|lra].
    pose proof relative_total_ge_2. pose proof lost_nonneg. pose proof gap_nonneg.
    assert (exp (- (lost + gap)) <= 1) by (rewrite <- exp_0; apply exp_le; lra). apply div_nonneg; lra.
  Qed.

  Lemma lack_nonneg : 0 <= lack.
  Proof using HL Hk HN.
    eapply Rle_trans; [|apply lack_ge]. apply Rmult_le_pos; [apply odds_share_nonneg|apply N_leak_nonneg].
  Qed.

  Lemma lack_le_share : lack <= odds / (1 + odds).
  Proof using HL Hk HN.
    unfold lack. assert (0 <= trigger_weight / total); [|lra].
    apply div_nonneg; [apply Rlt_le, exp_pos|apply total_pos].
  Qed.

  Lemma lack_le : lack <= odds / (1 + odds) * ((lost + gap) / relative_total + N * leak).
  Proof using HL Hk HN.
    rewrite lack_form. apply Rmult_le_compat_l; [apply odds_share_nonneg|].
    apply Rplus_le_compat_r. pose proof relative_total_ge_2. pose proof (exp_ineq1_le (- (lost + gap))).
    apply Rmult_le_compat_r; [|lra]. apply Rlt_le, Rinv_0_lt_compat. lra.
  Qed.

  (** lost <= kappa N decay <= (gain - 1) N decay *)
  Lemma lost_gap_le : lost + gap <= N * (gain * decay).
  Proof using HL Hk HN.
    pose proof gap_le_decay. pose proof lost_le. pose proof e_le_decay. pose proof w_bounds. pose proof Ne_nonneg.
    pose proof decay_pos.
    assert (N * e <= N * decay) by (apply Rmult_le_compat_l; lra).
    assert (kappa * (w * (N * e)) <= kappa * (1 * (N * decay))).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra. }
    assert (1 + kappa <= gain) by (pose proof gain_ge; pose proof (exp_ineq1_le kappa); lra).
    assert ((1 + kappa) * (N * decay) <= gain * (N * decay)) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma lack_le_leak : lack <= odds / (1 + odds) * (2 * (N * leak)).
  Proof using HL Hk HN.
    eapply Rle_trans; [apply lack_le|]. apply Rmult_le_compat_l; [apply odds_share_nonneg|].
    assert ((lost + gap) / relative_total <= N * leak); [|lra].
    rewrite leak_form. pose proof relative_total_ge_2. pose proof lost_gap_le. apply div_le; [lra|].
    replace (N * (gain * decay / relative_total) * relative_total) with (N * (gain * decay)) by (field; lra).
    assumption.
  Qed.

  (** 2 k odds <= 1 + odds, as (2 k - 1) e^kappa = 1/(2 + w). *)
  Lemma C_lack_le_leak : C * lack <= leak.
  Proof using HL Hk HN.
    pose proof C_bounds. pose proof lack_nonneg. pose proof leak_nonneg. pose proof odds_pos. pose proof w_bounds.
    assert (Ho : (2 * k - 1) * odds <= 1).
    { replace (2 * k - 1) with (w / (2 + w)) by (unfold k, first_factor; fold w; field; lra).
      pose proof odds_le. pose proof worth_exp.
      assert (w * odds <= w * (2 * exp kappa)) by (apply Rmult_le_compat_l; lra).
      replace (w / (2 + w) * odds) with (w * odds / (2 + w)) by (field; lra). apply div_le; lra. }
    assert (Hq : k * 2 * (odds / (1 + odds)) <= 1).
    { replace (k * 2 * (odds / (1 + odds))) with (2 * k * odds / (1 + odds)) by (field; lra). apply div_le; lra. }
    assert (Hi : / (N + 1) * N <= 1) by (rewrite Rmult_comm; apply div_le; lra).
    assert (Hi0 : 0 <= / (N + 1) * N) by (apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat|]; lra).
    apply Rle_trans with (k * / (N + 1) * (odds / (1 + odds) * (2 * (N * leak)))).
    { apply Rmult_le_compat; try lra. apply lack_le_leak. }
    replace (k * / (N + 1) * (odds / (1 + odds) * (2 * (N * leak))))
      with (k * 2 * (odds / (1 + odds)) * (/ (N + 1) * N) * leak) by ring.
    pose proof odds_share_nonneg. pose proof k_bounds.
    assert (k * 2 * (odds / (1 + odds)) * (/ (N + 1) * N) <= 1 * 1).
    { apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra. }
    assert (k * 2 * (odds / (1 + odds)) * (/ (N + 1) * N) * leak <= 1 * 1 * leak) by (apply Rmult_le_compat_r; lra).
    lra.
  Qed.

  Lemma first_total_pos : 0 < first_total.
  Proof using HL Hk HN.
    pose proof other_weight_le. assert (0 < self_weight) by apply exp_pos. unfold first_total. lra.
  Qed.

  Lemma stray_bounds : 0 <= stray <= (N + 1) * exp (- (k ^ 2 * Lambda)).
  Proof using HL Hk HN.
    pose proof other_weight_le. pose proof w_bounds. pose proof first_total_pos.
    assert (HE : exp (k ^ 2 * Lambda) <= self_weight).
    { apply exp_le. pose proof X_bounds. pose proof k_bounds.
      assert (k * k <= X * X) by (apply Rmult_le_compat; lra).
      assert (Lambda * (k * k) <= Lambda * (X * X)) by (apply Rmult_le_compat_l; lra). lra. }
    pose proof (exp_pos (k ^ 2 * Lambda)). unfold stray. split; [apply div_nonneg; lra|].
    rewrite exp_Ropp. apply Rmult_le_compat; [lra|apply Rlt_le, Rinv_0_lt_compat; lra|lra|].
    apply Rinv_le_contravar; unfold first_total; lra.
  Qed.

  Lemma stray_one_bounds : 0 <= stray_one /\ N * stray_one <= stray.
  Proof using HL Hk HN.
    pose proof first_total_pos. pose proof other_weight_le. unfold stray_one, stray.
    split; [apply div_nonneg; lra|]. unfold Rdiv. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|lra].
  Qed.

  (** ** The error: coefficients of x_j and of S *)

  Definition trigger_error : R := trigger_excess e w N + X * (v * (lack - stray)).
  Definition content_error : R :=
    v * (C * lack - leak) + v * (stray_one - C * stray) - content_lack e w N.

  (** The trigger's row above layer 2 is the target but for these. *)
  Lemma error_form x_j S :
    X * x_j + C * S
    + (v * ((1 * S + self_weight * (X * x_j + C * S)) / first_total)
       - v * ((content_weight * S + trigger_weight * (X * x_j + C * S)) / total))
    - (x_j + (S + x_j) / (N + 1))
    = trigger_error * x_j + content_error * S.
  Proof using HL Hk HN.
    pose proof w_bounds. pose proof odds_pos. pose proof total_pos. pose proof first_total_pos as Hf.
    assert (Hv : 1 / (1 + w) = v / (1 + odds)) by (symmetry; apply v_share).
    assert (HX : trigger_excess e w N = X * (1 + v / (1 + odds)) - 1 - 1 / (N + 1)).
    { rewrite <- Hv. first_layer trigger_part_excess FX. unfold X. rewrite FX. field. lra. }
    assert (HC : content_lack e w N = 1 / (N + 1) - C * (1 + v / (1 + odds))).
    { rewrite <- Hv. first_layer content_part_lack FC. unfold C. rewrite FC. field. lra. }
    unfold trigger_error, content_error. rewrite HX, HC. unfold lack, leak, stray, stray_one.
    replace (other_weight + N) with (first_total - self_weight) by (unfold first_total; ring).
    field. lra.
  Qed.

  Lemma trigger_error_le : Rabs trigger_error <= trigger_excess e w N + X * (v * lack) + v * stray.
  Proof using HL Hk HN.
    unfold trigger_error. pose proof X_bounds. pose proof k_bounds. pose proof lack_nonneg.
    pose proof (proj1 stray_bounds). pose proof v_pos. first_layer trigger_excess_nonneg Ft.
    assert (0 <= X * (v * lack)) by products_nonneg.
    assert (0 <= v * stray) by (apply Rmult_le_pos; lra).
    assert (0 <= X * (v * stray)) by (apply Rmult_le_pos; lra).
    assert (X * (v * stray) <= 1 * (v * stray)) by (apply Rmult_le_compat_r; lra).
    apply Rabs_le. lra.
  Qed.

  (** N C <= 1 *)
  Lemma N_C_bounds : 0 <= N * C <= 1.
  Proof using HL Hk HN.
    pose proof C_bounds. pose proof k_bounds.
    assert (Hi : 0 < / (N + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (k * / (N + 1) <= 1 * / (N + 1)) by (apply Rmult_le_compat_r; lra).
    assert (N * C <= N * / (N + 1)) by (apply Rmult_le_compat_l; lra).
    assert (N * / (N + 1) <= 1) by (apply div_le; lra). split; [apply Rmult_le_pos|]; lra.
  Qed.

  Lemma content_error_le :
    N * Rabs content_error <= N * content_lack e w N + N * (v * (leak - C * lack)) + v * stray.
  Proof using HL Hk HN.
    pose proof N_C_bounds. pose proof C_lack_le_leak. pose proof (proj1 stray_bounds). pose proof v_pos.
    destruct stray_one_bounds. first_layer content_lack_nonneg Fl.
    assert (0 <= N * content_lack e w N) by (apply Rmult_le_pos; lra).
    assert (0 <= N * (v * (leak - C * lack))) by products_nonneg.
    assert (0 <= v * (N * stray_one)) by products_nonneg.
    assert (v * (N * stray_one) <= v * stray) by (apply Rmult_le_compat_l; lra).
    assert (0 <= v * (N * C * stray)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
    assert (v * (N * C * stray) <= v * (1 * stray)).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
    rewrite <- (Rabs_pos_eq N) at 1 by lra. rewrite <- Rabs_mult. unfold content_error. apply Rabs_le. lra.
  Qed.

  (** The factor of the decay in the leading term. *)
  Definition leading_factor (m : R) : R := m * odds / (1 + w) * (1 + 2 * k * odds / ((1 + odds) * (m + 1))).

  (** 2 k/(N+1) times the part of v lack that is not due to the contents *)
  Lemma small_part_le :
    2 * k * / (N + 1) * (odds / (1 + w) * ((lost + gap) / relative_total)) <= odds / 4 * (Lambda + 2 * kappa) * e.
  Proof using HL Hk HN.
    pose proof relative_total_ge_2. pose proof w_bounds. pose proof e_bounds. pose proof odds_pos.
    pose proof k_bounds.
    pose proof lost_le. pose proof gap_le. pose proof lost_nonneg. pose proof gap_nonneg.
    assert (A1 : 2 * k * / (N + 1) * N <= 4 / 3).
    { rewrite Rmult_assoc. assert (/ (N + 1) * N <= 1) by (rewrite Rmult_comm; apply div_le; lra).
      assert (0 <= / (N + 1) * N) by (apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat|]; lra).
      assert (2 * k * (/ (N + 1) * N) <= 4 / 3 * 1) by (apply Rmult_le_compat; lra). lra. }
    assert (A2 : (lost + gap) / relative_total <= (kappa * w * (N * e) + 3 / 4 * w * (N * e) * Lambda) / 2).
    { apply Rle_trans with ((lost + gap) / 2); [apply div_le_denominator; lra|]. lra. }
    assert (Hi : 0 < / (N + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (A3 : 0 <= odds / (1 + w)) by (apply div_nonneg; lra).
    assert (A4 : w * / (1 + w) <= 1 / 2) by (apply div_le; lra).
    assert (A5 : 0 <= w * / (1 + w)) by (apply div_nonneg; lra).
    assert (A6 : 0 <= (kappa + 3 / 4 * Lambda) * e) by (apply Rmult_le_pos; lra).
    apply Rle_trans
      with (2 * k * / (N + 1) * (odds / (1 + w) * ((kappa * w * (N * e) + 3 / 4 * w * (N * e) * Lambda) / 2))).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra. }
    replace (2 * k * / (N + 1) * (odds / (1 + w) * ((kappa * w * (N * e) + 3 / 4 * w * (N * e) * Lambda) / 2)))
      with (2 * k * / (N + 1) * N * (w * / (1 + w)) * (odds / 2 * ((kappa + 3 / 4 * Lambda) * e))) by (field; lra).
    assert (0 <= odds / 2 * ((kappa + 3 / 4 * Lambda) * e)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with (4 / 3 * (1 / 2) * (odds / 2 * ((kappa + 3 / 4 * Lambda) * e))).
    { apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; try lra. products_nonneg. }
    assert (0 <= odds * (kappa * e)) by products_nonneg.
    assert (0 <= odds * (Lambda * e)) by products_nonneg. lra.
  Qed.

  Lemma error_bound_here :
    Rabs trigger_error + N * Rabs content_error
    <= leading_factor N * decay + 2 * v * (N + 1) * exp (- (k ^ 2 * Lambda))
       + ((2 + odds) * (N + 1) + odds / 4 * (Lambda + 2 * kappa)) * e.
  Proof using HL Hk HN.
    pose proof trigger_error_le. pose proof content_error_le. pose proof (proj2 stray_bounds) as Hs.
    first_layer parts_difference FD. first_layer first_error_nonneg Ff. first_layer first_error_le Ff1.
    set (f := first_error e w N) in *. fold X C in FD. change ((1 + w) / (2 + w)) with k in FD.
    pose proof lack_nonneg as Hl0. pose proof lack_le_share as Hl1. pose proof lack_le as Hl2.
    pose proof leak_le as Hlk. pose proof v_pos as Hv. pose proof v_share as Hvs. pose proof odds_pos as Ho.
    pose proof w_bounds as Hw. pose proof k_bounds as Hkb. pose proof e_bounds as He.
    pose proof small_part_le as Hsm.
    assert (Hvo : v * (odds / (1 + odds)) = odds / (1 + w)).
    { replace (v * (odds / (1 + odds))) with (v / (1 + odds) * odds) by (field; lra). rewrite Hvs. field. lra. }
    assert (Hi : 0 < / (N + 1)) by (apply Rinv_0_lt_compat; lra).
    (* the part of layer 1 *)
    assert (A1 : k * f * (v * lack) <= odds / 2 * f).
    { apply Rle_trans with (k * f * (v * (odds / (1 + odds)))).
      - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra.
      - rewrite Hvo. replace (k * f * (odds / (1 + w))) with (f * odds / (2 + w))
          by (unfold k, first_factor; fold w; field; lra).
        replace (odds / 2 * f) with (f * odds / 2) by field.
        apply div_le_denominator; [apply Rmult_le_pos|..]; lra. }
    (* the leading part *)
    assert (A2 : v * (N * leak) <= N * (odds / (1 + w) * decay)).
    { rewrite <- Hvo.
      replace (N * (v * (odds / (1 + odds)) * decay)) with (v * (N * (odds / (1 + odds) * decay))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
    assert (A3 : 2 * k * / (N + 1) * (v * lack)
                 <= 2 * k * / (N + 1) * (odds / (1 + w) * ((lost + gap) / relative_total))
                    + 2 * k * / (N + 1) * (odds / (1 + w) * (N * (odds / (1 + odds) * decay)))).
    { rewrite <- Rmult_plus_distr_l, <- Rmult_plus_distr_l, <- Hvo.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
      eapply Rle_trans; [apply Hl2|]. apply Rmult_le_compat_l; [apply odds_share_nonneg|].
      apply Rplus_le_compat_l. apply Rmult_le_compat_l; lra. }
    replace (leading_factor N * decay)
      with (N * (odds / (1 + w) * decay) + 2 * k * / (N + 1) * (odds / (1 + w) * (N * (odds / (1 + odds) * decay))))
      by (unfold leading_factor; field; lra).
    assert (A4 : v * stray <= v * ((N + 1) * exp (- (k ^ 2 * Lambda)))) by (apply Rmult_le_compat_l; lra).
    assert (A5 : odds / 2 * f <= odds / 2 * (2 * (N + 1) * e)) by (apply Rmult_le_compat_l; lra).
    assert (A6 : (X - N * C) * (v * lack) = 2 * k * / (N + 1) * (v * lack) + k * f * (v * lack))
      by (rewrite FD; ring).
    assert (A7 : f = trigger_excess e w N + N * content_lack e w N) by reflexivity.
    lra.
  Qed.

  (** The longest sequences are the worst. *)
  Lemma decay_le l :
    N + 2 <= l -> decay <= exp (- (Lambda * (w / (2 * (2 + w))) * (l / (l - 1)))).
  Proof using HL Hk HN.
    intros Hl. apply exp_le. apply Ropp_le_contravar. pose proof w_bounds. pose proof k_bounds.
    first_layer trigger_part_ge Fg. fold X in Fg. change ((1 + w) / (2 + w)) with k in Fg.
    replace (Lambda * (w / (2 * (2 + w))) * (l / (l - 1)))
      with (Lambda * (k * (1 + / (l - 1)) * (w / (2 * (1 + w)))))
      by (unfold k, first_factor; fold w; field; lra).
    rewrite (Rmult_assoc Lambda X). apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_compat_r; [apply div_nonneg; lra|].
    eapply Rle_trans; [|apply Fg]. apply Rmult_le_compat_l; [lra|].
    assert (/ (l - 1) <= / (N + 1)) by (apply Rinv_le_contravar; lra). lra.
  Qed.

  Lemma leading_factor_le m : N <= m -> 0 <= leading_factor N <= leading_factor m.
  Proof using Hk HN.
    intros Hm. pose proof odds_pos. pose proof w_bounds. pose proof k_bounds.
    assert (F : forall y, 1 <= y -> leading_factor y
                          = odds / (1 + w) * (y + 2 * k * (odds / (1 + odds)) * (1 - / (y + 1)))).
    { intros y Hy. unfold leading_factor. field. lra. }
    assert (Hi : / (m + 1) <= / (N + 1)) by (apply Rinv_le_contravar; lra).
    assert (Hi1 : / (N + 1) <= / 2) by (apply Rinv_le_contravar; lra).
    pose proof odds_share_nonneg. assert (0 <= odds / (1 + w)) by (apply div_nonneg; lra).
    rewrite !F by lra.
    assert (G3 : 0 <= 2 * k * (odds / (1 + odds))) by (apply Rmult_le_pos; lra).
    assert (G4 : 0 <= 2 * k * (odds / (1 + odds)) * (1 - / (N + 1))) by (apply Rmult_le_pos; lra).
    assert (2 * k * (odds / (1 + odds)) * (1 - / (N + 1)) <= 2 * k * (odds / (1 + odds)) * (1 - / (m + 1)))
      by (apply Rmult_le_compat_l; lra).
    split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra.
  Qed.

  Lemma error_bound l :
    N + 2 <= l ->
    Rabs trigger_error + N * Rabs content_error
    <= leading_factor (l - 2) * exp (- (Lambda * (w / (2 * (2 + w))) * (l / (l - 1))))
       + 2 * v * (l - 1) * exp (- (k ^ 2 * Lambda))
       + ((2 + odds) * (l - 1) + odds / 4 * (Lambda + 2 * kappa)) * e.
  Proof using HL Hk HN.
    intros Hl. eapply Rle_trans; [apply error_bound_here|].
    pose proof (decay_le l Hl). pose proof decay_pos. pose proof e_bounds. pose proof v_pos. pose proof odds_pos.
    pose proof (exp_pos (- (k ^ 2 * Lambda))). destruct (leading_factor_le (l - 2)) as [G0 G1]; [lra|].
    apply Rplus_le_compat; [apply Rplus_le_compat|].
    - apply Rmult_le_compat; lra.
    - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
    - apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat_r. apply Rmult_le_compat_l; lra.
  Qed.

  (** ** The error from below: x_j at 1, the contents at -1 *)

  (** The leak has its leading value but for a factor e^(-a-b-c) with small a, b and c. *)
  Lemma leak_ge g :
    g = exp (- (Lambda * (w / (2 * (2 + w))) * ((N + 2) / (N + 1)))) ->
    odds / (1 + odds) * (g * (1 - N * (g + (1 + Lambda / 6) * e))) <= leak.
  Proof using HL Hk HN.
    intros Eg. rewrite leak_form. pose proof relative_total_ge_2 as HR2. pose proof decay_pos as Hd.
    pose proof odds_pos as Ho. pose proof gain_pos as Hgp. pose proof w_bounds as Hw. pose proof e_bounds as He.
    pose proof k_bounds as Hkb. pose proof exp_gap_bounds as Hgap. pose proof gain_le_odds as Hgo.
    pose proof Ne_nonneg.
    assert (Hg : 0 < g) by (rewrite Eg; apply exp_pos).
    assert (Hdg : decay <= g).
    { rewrite Eg. replace (N + 1) with (N + 2 - 1) by ring. apply decay_le. lra. }
    assert (HNd : N * decay <= N * g) by (apply Rmult_le_compat_l; lra).
    assert (HNg : 0 <= N * decay) by (apply Rmult_le_pos; lra).
    assert (Hlost : lost <= N * e).
    { pose proof (mult_exp_neg_le kappa) as Hkw. fold (bos_worth kappa) w in Hkw.
      assert (kappa * w * (N * e) <= 1 * (N * e)) by (apply Rmult_le_compat_r; lra). pose proof lost_le. lra. }
    (* gain/total and decay, each from below *)
    assert (G1 : odds / (1 + odds) * exp (- (N * e) + - (N * g)) <= gain / relative_total).
    { rewrite exp_plus.
      assert (B1 : relative_total <= (1 + gain) * exp (N * g)).
      { pose proof (exp_ineq1_le (N * g)). apply Rle_trans with ((1 + gain) * (1 + N * g)).
        - unfold relative_total.
          assert (gain * (N * decay + exp (- gap)) <= gain * (N * g + 1)) by (apply Rmult_le_compat_l; lra).
          lra.
        - apply Rmult_le_compat_l; lra. }
      assert (B2 : odds * exp (- (N * e)) <= gain).
      { rewrite gain_odds. apply Rmult_le_compat_l; [lra|]. apply exp_le. lra. }
      pose proof (exp_pos (- (N * e))). pose proof (exp_pos (N * g)). pose proof (exp_pos (- (N * g))).
      apply Rle_trans with (gain / ((1 + gain) * exp (N * g))).
      2:{ apply div_le_denominator; lra. }
      replace (gain / ((1 + gain) * exp (N * g))) with (gain / (1 + gain) * exp (- (N * g)))
        by (rewrite exp_Ropp; field; lra).
      rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
      replace (odds / (1 + odds) * exp (- (N * e))) with (odds * exp (- (N * e)) / (1 + odds)) by (field; lra).
      apply Rle_trans with (gain / (1 + odds)).
      - apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; lra.
      - apply div_le_denominator; lra. }
    assert (G2 : g * exp (- (N * (Lambda / 6) * e)) <= decay).
    { rewrite Eg, <- exp_plus. apply exp_le.
      first_layer trigger_part_excess FX. fold X in FX. change ((1 + w) / (2 + w)) with k in FX.
      first_layer trigger_excess_nonneg Ft. first_layer trigger_excess_le Ft1.
      replace (Lambda * X * (w / (2 * (1 + w))))
        with (Lambda * (w / (2 * (2 + w))) * ((N + 2) / (N + 1))
              + Lambda * (k * (trigger_excess e w N) * (w / (2 * (1 + w))))).
      2:{ rewrite FX. unfold k, first_factor. fold w. field. lra. }
      assert (k * (trigger_excess e w N) * (w / (2 * (1 + w))) <= 2 / 3 * (N * e) * (1 / 4)).
      { pose proof half_worth_le. apply Rmult_le_compat; try lra.
        - apply Rmult_le_pos; lra.
        - apply div_nonneg; lra.
        - apply Rmult_le_compat; lra. }
      assert (Lambda * (k * (trigger_excess e w N) * (w / (2 * (1 + w)))) <= Lambda * (2 / 3 * (N * e) * (1 / 4)))
        by (apply Rmult_le_compat_l; lra).
      lra. }
    replace (gain * decay / relative_total) with (gain / relative_total * decay) by (field; lra).
    apply Rle_trans
      with (odds / (1 + odds) * exp (- (N * e) + - (N * g)) * (g * exp (- (N * (Lambda / 6) * e)))).
    - replace (odds / (1 + odds) * exp (- (N * e) + - (N * g)) * (g * exp (- (N * (Lambda / 6) * e))))
        with (odds / (1 + odds) * (g * exp (- (N * e) + - (N * g) + - (N * (Lambda / 6) * e)))).
      2:{ rewrite (exp_plus (- (N * e) + - (N * g))). ring. }
      apply Rmult_le_compat_l; [apply odds_share_nonneg|]. apply Rmult_le_compat_l; [lra|].
      pose proof (exp_ineq1_le (- (N * e) + - (N * g) + - (N * (Lambda / 6) * e))). lra.
    - pose proof (exp_pos (- (N * e) + - (N * g))). pose proof (exp_pos (- (N * (Lambda / 6) * e))).
      pose proof odds_share_nonneg.
      apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra.
  Qed.

  Lemma error_at_least l g :
    l = N + 2 -> g = exp (- (Lambda * (w / (2 * (2 + w))) * (l / (l - 1)))) ->
    leading_factor (l - 2) * g * (1 - (l - 2) * (g + (1 + Lambda / 6) * e))
    - 2 * v * (l - 1) * exp (- (k ^ 2 * Lambda))
    <= trigger_error - N * content_error.
  Proof using HL Hk HN.
    intros -> Eg. replace (N + 2 - 1) with (N + 1) in * by ring. replace (N + 2 - 2) with N by ring.
    pose proof (leak_ge g Eg) as Hlk. pose proof lack_ge as Hl. pose proof stray_bounds as Hs.
    destruct stray_one_bounds as [Hs0 Hs1]. pose proof X_bounds as HX. pose proof k_bounds as Hkb.
    pose proof N_C_bounds as HNC. pose proof v_pos as Hv. pose proof v_share as Hvs. pose proof odds_pos as Ho.
    pose proof w_bounds as Hw. pose proof lack_nonneg as Hl0.
    first_layer parts_difference FD. first_layer first_error_nonneg Ff.
    fold X C in FD. change ((1 + w) / (2 + w)) with k in FD.
    assert (Hf : first_error e w N = trigger_excess e w N + N * content_lack e w N) by reflexivity.
    assert (Hi : 0 < / (N + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (Hvl : 0 <= v * lack) by (apply Rmult_le_pos; lra).
    assert (A1 : (X - N * C) * (v * stray) <= 1 * (v * stray)).
    { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]. }
    assert (A2 : 2 * k * / (N + 1) * (v * lack) <= (X - N * C) * (v * lack)).
    { apply Rmult_le_compat_r; [lra|]. rewrite FD.
      assert (0 <= k * first_error e w N) by (apply Rmult_le_pos; lra). lra. }
    assert (A3 : v * (N * stray_one) <= v * stray) by (apply Rmult_le_compat_l; lra).
    assert (A4 : 2 * k * / (N + 1) * (v * (odds / (1 + odds) * (N * leak))) <= 2 * k * / (N + 1) * (v * lack)).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra. }
    assert (A5 : v * stray <= v * ((N + 1) * exp (- (k ^ 2 * Lambda)))) by (apply Rmult_le_compat_l; lra).
    set (c := v * N * (1 + 2 * k * / (N + 1) * (odds / (1 + odds)))).
    assert (Hc : 0 <= c).
    { unfold c. apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. pose proof odds_share_nonneg.
      assert (0 <= 2 * k * / (N + 1) * (odds / (1 + odds))) by products_nonneg. lra. }
    apply (Rmult_le_compat_l c) in Hlk; [|assumption].
    replace (leading_factor N * g * (1 - N * (g + (1 + Lambda / 6) * e)))
      with (c * (odds / (1 + odds) * (g * (1 - N * (g + (1 + Lambda / 6) * e))))).
    2:{ unfold c, leading_factor. replace v with (v / (1 + odds) * (1 + odds)) by (field; lra). rewrite Hvs.
        field. lra. }
    unfold trigger_error, content_error. unfold c in Hlk |- *. lra.
  Qed.
End SecondLayer.
