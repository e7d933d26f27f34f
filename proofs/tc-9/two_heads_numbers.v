(** * tc-9 (b), the trigger's row of [two_heads] in numbers

    N = j - 2 content tokens stand between BOS and the trigger x_j; S is their sum, e = e^-Lambda.  Above
    layer 1 the trigger's row is [trigger_part] x_j + [content_part] S, near 2/3 (x_j + mean).  In layer 2
    one head attends the trigger but for the share [stray], the other halves its attention between BOS and
    the trigger but for [lack] and [leak].  So the loss is a sum of two coefficients ([error_bound]). *)

From Coq Require Import Reals Lra.
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

(** y e^-y <= 1. *)
Lemma mult_exp_neg_le y : y * exp (- y) <= 1.
Proof.
  rewrite exp_Ropp. apply div_le; [apply exp_pos|]. pose proof (exp_ineq1_le y). lra.
Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H| ->]; [left; now apply exp_increasing|lra]. Qed.

Section FirstLayer.
  Context (e N : R) (He0 : 0 < e) (He1 : e <= 1) (HN : 1 <= N).

  Definition trigger_part : R := 1 + 2 / 3 * (1 / (e + N * 1 + 1) - 1 / (1 + N * e + 1)).
  Definition content_part : R := 2 / 3 * (1 / (e + N * 1 + 1) - e / (1 + N * e + 1)).

  (** How far they are from 2/3 (1 + 1/(N+1)) and 2/3 1/(N+1): both deviations are nonnegative. *)
  Definition trigger_excess : R := N * e / (2 * (2 + N * e)) - e / ((N + 1) * (e + N + 1)).
  Definition content_lack : R := e / ((N + 1) * (e + N + 1)) + e / (2 + N * e).

  Lemma Ne_pos : 0 < N * e.
  Proof using He0 HN. apply Rmult_lt_0_compat; lra. Qed.

  Lemma Ne_le : N * e <= N.
  Proof using He1 HN. rewrite <- (Rmult_1_r N) at 2. apply Rmult_le_compat_l; lra. Qed.

  Lemma trigger_part_excess : trigger_part = 2 / 3 * (1 + 1 / (N + 1) + trigger_excess).
  Proof using He0 HN. pose proof Ne_pos. unfold trigger_part, trigger_excess. field. lra. Qed.

  Lemma content_part_lack : content_part = 2 / 3 * (1 / (N + 1) - content_lack).
  Proof using He0 HN. pose proof Ne_pos. unfold content_part, content_lack. field. lra. Qed.

  Lemma trigger_excess_nonneg : 0 <= trigger_excess.
  Proof using He0 He1 HN.
    pose proof Ne_pos.
    replace trigger_excess
      with (e * (N * ((N + 1) * (e + N + 1)) - 2 * (2 + N * e)) / (2 * (2 + N * e) * ((N + 1) * (e + N + 1))))
      by (unfold trigger_excess; field; lra).
    apply div_nonneg; [|repeat apply Rmult_lt_0_compat; lra].
    apply Rmult_le_pos; [lra|].
    assert (0 <= N * (N - 1) * e) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= (N - 1) * (N * N + 3 * N + 4)).
    { apply Rmult_le_pos; [lra|]. assert (0 <= N * N) by (apply Rmult_le_pos; lra). lra. }
    lra.
  Qed.

  Lemma content_lack_nonneg : 0 <= content_lack.
  Proof using He0 HN.
    pose proof Ne_pos. unfold content_lack.
    assert (0 <= e / ((N + 1) * (e + N + 1))) by (apply div_nonneg; [lra|apply Rmult_lt_0_compat; lra]).
    assert (0 <= e / (2 + N * e)) by (apply div_nonneg; lra). lra.
  Qed.

  (** The error of layer 1. *)
  Lemma first_layer_error : trigger_excess + N * content_lack <= 3 / 4 * (N + 1) * e.
  Proof using He0 He1 HN.
    pose proof Ne_pos.
    replace (trigger_excess + N * content_lack)
      with (3 / 2 * (N * e / (2 + N * e)) + (N - 1) / (N + 1) * (e / (e + N + 1)))
      by (unfold trigger_excess, content_lack; field; lra).
    assert (N * e / (2 + N * e) <= N * e * / 2).
    { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
    assert (H1 : 0 <= e / (e + N + 1)) by (apply div_nonneg; lra).
    assert (H2 : e / (e + N + 1) <= e * / 2).
    { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
    assert (H3 : (N - 1) / (N + 1) <= 1) by (apply div_le; lra).
    assert ((N - 1) / (N + 1) * (e / (e + N + 1)) <= 1 * (e / (e + N + 1))) by (apply Rmult_le_compat_r; lra).
    lra.
  Qed.

  Lemma trigger_part_ge : 2 / 3 * (1 + 1 / (N + 1)) <= trigger_part.
  Proof using He0 He1 HN. rewrite trigger_part_excess. pose proof trigger_excess_nonneg. lra. Qed.

  Lemma trigger_part_ge_2_3 : 2 / 3 <= trigger_part.
  Proof using He0 He1 HN.
    pose proof trigger_part_ge. assert (0 <= 1 / (N + 1)) by (apply div_nonneg; lra). lra.
  Qed.

  Lemma trigger_part_le_1 : trigger_part <= 1.
  Proof using He0 He1 HN.
    pose proof Ne_pos. unfold trigger_part.
    assert (1 / (e + N * 1 + 1) <= 1 / (1 + N * e + 1)).
    { unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; [lra|].
      assert (0 <= (N - 1) * (1 - e)) by (apply Rmult_le_pos; lra). lra. }
    lra.
  Qed.

  Lemma content_part_nonneg : 0 <= content_part.
  Proof using He0 He1 HN.
    pose proof Ne_pos. pose proof Ne_le. unfold content_part.
    assert (e / (1 + N * e + 1) <= 1 / (e + N * 1 + 1)).
    { apply le_div; [lra|].
      replace (e / (1 + N * e + 1) * (e + N * 1 + 1)) with (e * (e + N * 1 + 1) / (1 + N * e + 1)) by (field; lra).
      apply div_le; [lra|]. assert (e * e <= 1 * 1) by (apply Rmult_le_compat; lra). lra. }
    lra.
  Qed.

  Lemma content_part_le : content_part <= 2 / 3 * (1 / (N + 1)).
  Proof using He0 HN. rewrite content_part_lack. pose proof content_lack_nonneg. lra. Qed.

  (** The reading of the trigger's own key in layer 2 is 1 but for this much. *)
  Definition key_lack : R := 1 - 3 / 4 * (trigger_part + N * content_part).

  Lemma key_lack_form : key_lack = 1 / 2 * (e / (e + N + 1) + N * e / (2 * (2 + N * e))).
  Proof using He0 HN. pose proof Ne_pos. unfold key_lack, trigger_part, content_part. field. lra. Qed.

  Lemma key_lack_nonneg : 0 <= key_lack.
  Proof using He0 HN.
    pose proof Ne_pos. rewrite key_lack_form.
    assert (0 <= e / (e + N + 1)) by (apply div_nonneg; lra).
    assert (0 <= N * e / (2 * (2 + N * e))) by (apply div_nonneg; lra). lra.
  Qed.

  Lemma key_lack_le : key_lack <= 3 / 8 * N * e.
  Proof using He0 HN.
    pose proof Ne_pos. rewrite key_lack_form.
    assert (e / (e + N + 1) <= e * / 2).
    { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
    assert (N * e / (2 * (2 + N * e)) <= N * e * / 4).
    { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
    assert (1 * e <= N * e) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
End FirstLayer.

Section SecondLayer.
  Context (Lambda N : R) (HL : 0 <= Lambda) (HN : 1 <= N).

  Let e := exp (- Lambda).
  Let X := trigger_part e N.
  Let C := content_part e N.

  Lemma e_pos : 0 < e.
  Proof using. apply exp_pos. Qed.

  Lemma e_le_1 : e <= 1.
  Proof using HL. rewrite <- exp_0. apply exp_le. lra. Qed.

  (** Weights of layer 2: the head that looks for the trigger, BOS and contents having weight 1; the head
      that looks for BOS and the trigger. *)
  Definition self_weight : R := exp (X * (Lambda * X)).
  Definition bos_weight : R := exp (X * (Lambda * (1 + 3 / 4 * (0 + 0)))).
  Definition content_weight : R := exp (X * (Lambda * (0 + 3 / 4 * (0 + 1)))).
  Definition trigger_weight : R := exp (X * (Lambda * (0 + 3 / 4 * (X + N * C)))).

  Definition total : R := bos_weight + N * content_weight + trigger_weight.

  (** Relative to BOS: a content token e^(-Lambda X / 4), the trigger e^-gap. *)
  Definition content_ratio : R := exp (- (Lambda * X / 4)).
  Definition gap : R := Lambda * X * key_lack e N.

  Lemma content_weight_ratio : content_weight = bos_weight * content_ratio.
  Proof using. unfold content_weight, bos_weight, content_ratio. rewrite <- exp_plus. f_equal. field. Qed.

  Lemma trigger_weight_ratio : trigger_weight = bos_weight * exp (- gap).
  Proof using.
    unfold trigger_weight, bos_weight, gap, key_lack. rewrite <- exp_plus. f_equal. fold X C. ring.
  Qed.

  Lemma X_bounds : 2 / 3 <= X <= 1.
  Proof using HL HN.
    split; [apply trigger_part_ge_2_3|apply trigger_part_le_1]; auto using e_pos, e_le_1.
  Qed.

  Lemma gap_nonneg : 0 <= gap.
  Proof using HL HN.
    unfold gap. pose proof X_bounds. repeat apply Rmult_le_pos; try lra. apply key_lack_nonneg; auto using e_pos.
  Qed.

  Lemma gap_le : gap <= 3 / 8 * N * (Lambda * e).
  Proof using HL HN.
    unfold gap. pose proof X_bounds. pose proof (key_lack_nonneg e N e_pos HN) as H0.
    pose proof (key_lack_le e N e_pos HN) as H1.
    assert (Lambda * X <= Lambda * 1) by (apply Rmult_le_compat_l; lra).
    assert (Lambda * X * key_lack e N <= Lambda * key_lack e N) by (apply Rmult_le_compat_r; lra).
    assert (Lambda * key_lack e N <= Lambda * (3 / 8 * N * e)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (** What the content tokens gain outweighs what the trigger lacks. *)
  Lemma gap_le_ratio : gap <= N * content_ratio.
  Proof using HL HN.
    eapply Rle_trans; [apply gap_le|].
    assert (H1 : 3 / 8 * (Lambda * e) <= exp (- (Lambda / 4))).
    { unfold e. replace (- Lambda) with (- (3 / 4 * Lambda) + - (Lambda / 4)) by field. rewrite exp_plus.
      pose proof (mult_exp_neg_le (3 / 4 * Lambda)) as H. pose proof (exp_pos (- (Lambda / 4))).
      assert (3 / 4 * Lambda * exp (- (3 / 4 * Lambda)) * exp (- (Lambda / 4)) <= 1 * exp (- (Lambda / 4)))
        by (apply Rmult_le_compat_r; lra). lra. }
    assert (H2 : exp (- (Lambda / 4)) <= content_ratio).
    { apply exp_le. pose proof X_bounds. assert (Lambda * X <= Lambda * 1) by (apply Rmult_le_compat_l; lra). lra. }
    replace (3 / 8 * N * (Lambda * e)) with (N * (3 / 8 * (Lambda * e))) by ring.
    apply Rmult_le_compat_l; lra.
  Qed.

  Lemma exp_gap_ge : 1 - gap <= exp (- gap).
  Proof using. pose proof (exp_ineq1_le (- gap)). lra. Qed.

  Definition relative_total : R := 1 + N * content_ratio + exp (- gap).

  Lemma total_ratio : total = bos_weight * relative_total.
  Proof using. unfold total, relative_total. rewrite content_weight_ratio, trigger_weight_ratio. ring. Qed.

  Lemma relative_total_ge : 2 <= relative_total.
  Proof using HL HN. unfold relative_total. pose proof gap_le_ratio. pose proof exp_gap_ge. lra. Qed.

  Lemma bos_weight_pos : 0 < bos_weight.
  Proof using. apply exp_pos. Qed.

  (** BOS attention of the trigger's row in the second head of layer 2. *)
  Lemma bos_share : bos_weight / total <= 1 / 2.
  Proof using HL HN.
    rewrite total_ratio. pose proof relative_total_ge. pose proof bos_weight_pos.
    replace (bos_weight / (bos_weight * relative_total)) with (1 / relative_total) by (field; lra).
    apply div_le; lra.
  Qed.

  (** Shares: of BOS and contents in the first head; what the trigger lacks of 1/2, and what a content
      token has, in the second. *)
  Definition stray : R := (N + 1) / (1 + N * 1 + self_weight).
  Definition lack : R := 1 / 2 - trigger_weight / total.
  Definition leak : R := content_weight / total.

  Lemma lack_form : lack = (1 - exp (- gap) + N * content_ratio) / (2 * relative_total).
  Proof using HL HN.
    unfold lack. rewrite total_ratio, trigger_weight_ratio. pose proof relative_total_ge as HR.
    pose proof bos_weight_pos.
    replace (N * content_ratio) with (relative_total - 1 - exp (- gap)) by (unfold relative_total; ring).
    field. lra.
  Qed.

  Lemma leak_form : leak = content_ratio / relative_total.
  Proof using HL HN.
    unfold leak. rewrite total_ratio, content_weight_ratio. pose proof relative_total_ge.
    pose proof bos_weight_pos. field. lra.
  Qed.

  Lemma content_ratio_pos : 0 < content_ratio.
  Proof using. apply exp_pos. Qed.

  Lemma exp_gap_le : exp (- gap) <= 1.
  Proof using HL HN. rewrite <- exp_0. apply exp_le. pose proof gap_nonneg. lra. Qed.

  Lemma N_ratio_nonneg : 0 <= N * content_ratio.
  Proof using HN. pose proof content_ratio_pos. apply Rmult_le_pos; lra. Qed.

  Lemma lack_nonneg : 0 <= lack.
  Proof using HL HN.
    rewrite lack_form. pose proof relative_total_ge. pose proof exp_gap_le. pose proof N_ratio_nonneg.
    apply div_nonneg; lra.
  Qed.

  Lemma lack_le_half : lack <= 1 / 2.
  Proof using HL HN.
    unfold lack. assert (0 <= trigger_weight / total); [|lra].
    apply div_nonneg; [apply Rlt_le, exp_pos|]. rewrite total_ratio. pose proof relative_total_ge.
    apply Rmult_lt_0_compat; [apply bos_weight_pos|lra].
  Qed.

  Lemma lack_le : lack <= (gap + N * content_ratio) / 4.
  Proof using HL HN.
    rewrite lack_form. pose proof relative_total_ge. pose proof exp_gap_ge. pose proof exp_gap_le.
    pose proof N_ratio_nonneg. pose proof gap_nonneg. apply Rle_trans with ((gap + N * content_ratio) / (2 * relative_total)).
    - apply Rmult_le_compat_r; [|lra]. apply Rlt_le, Rinv_0_lt_compat. lra.
    - apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  Qed.

  Lemma leak_nonneg : 0 <= leak.
  Proof using HL HN.
    rewrite leak_form. pose proof relative_total_ge. pose proof content_ratio_pos. apply div_nonneg; lra.
  Qed.

  Lemma leak_le : leak <= content_ratio / 2.
  Proof using HL HN.
    rewrite leak_form. pose proof relative_total_ge. pose proof content_ratio_pos.
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  Qed.

  Lemma lack_le_leak : lack <= N * leak.
  Proof using HL HN.
    rewrite lack_form, leak_form. pose proof relative_total_ge. pose proof exp_gap_ge. pose proof gap_le_ratio.
    replace (N * (content_ratio / relative_total)) with (2 * (N * content_ratio) / (2 * relative_total)) by (field; lra).
    apply Rmult_le_compat_r; [|lra]. apply Rlt_le, Rinv_0_lt_compat. lra.
  Qed.

  Lemma stray_bounds : 0 <= stray <= (N + 1) * exp (- (4 / 9 * Lambda)).
  Proof using HL HN.
    assert (HE : exp (4 / 9 * Lambda) <= self_weight).
    { apply exp_le. pose proof X_bounds. assert (2 / 3 * (2 / 3) <= X * X) by (apply Rmult_le_compat; lra).
      assert (Lambda * (2 / 3 * (2 / 3)) <= Lambda * (X * X)) by (apply Rmult_le_compat_l; lra). lra. }
    pose proof (exp_pos (4 / 9 * Lambda)). unfold stray. split; [apply div_nonneg; lra|].
    rewrite exp_Ropp. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  Qed.

  (** ** The error: coefficients of x_j and of S *)

  Definition trigger_error : R := trigger_excess e N + X * (lack - stray).
  Definition content_error : R :=
    C * (lack - stray) - content_lack e N + stray / (N + 1) - leak.

  (** The trigger's row above layer 2 is the target but for these. *)
  Lemma error_form u s :
    X * u + C * s
    + ((1 * s + self_weight * (X * u + C * s)) / (1 + N * 1 + self_weight)
       - (content_weight * s + trigger_weight * (X * u + C * s)) / total)
    - (u + (s + u) / (N + 1))
    = trigger_error * u + content_error * s.
  Proof using HL HN.
    assert (HX : X * (3 / 2) = 1 + 1 / (N + 1) + trigger_excess e N)
      by (unfold X; rewrite (trigger_part_excess e N e_pos HN); lra).
    assert (HC : C * (3 / 2) = 1 / (N + 1) - content_lack e N)
      by (unfold C; rewrite (content_part_lack e N e_pos HN); lra).
    assert (HE : 0 < self_weight) by apply exp_pos.
    assert (HT : 0 < total).
    { rewrite total_ratio. pose proof relative_total_ge. apply Rmult_lt_0_compat; [apply bos_weight_pos|lra]. }
    unfold trigger_error, content_error.
    replace (trigger_excess e N) with (X * (3 / 2) - 1 - 1 / (N + 1)) by lra.
    replace (content_lack e N) with (1 / (N + 1) - C * (3 / 2)) by lra.
    unfold stray, lack, leak. field. lra.
  Qed.

  Lemma trigger_error_le : Rabs trigger_error <= trigger_excess e N + X * lack + stray.
  Proof using HL HN.
    unfold trigger_error. pose proof X_bounds. pose proof lack_nonneg. pose proof (proj1 stray_bounds).
    pose proof (trigger_excess_nonneg e N e_pos e_le_1 HN).
    assert (0 <= X * lack) by (apply Rmult_le_pos; lra).
    assert (0 <= X * stray) by (apply Rmult_le_pos; lra).
    assert (X * stray <= 1 * stray) by (apply Rmult_le_compat_r; lra).
    apply Rabs_le. lra.
  Qed.

  Lemma C_lack_le_leak : C * lack <= leak.
  Proof using HL HN.
    pose proof (content_part_le e N e_pos HN) as HC. fold C in HC. pose proof lack_nonneg. pose proof leak_nonneg.
    assert (C * lack <= 2 / 3 * (1 / (N + 1)) * lack) by (apply Rmult_le_compat_r; lra).
    assert (1 / (N + 1) * lack <= leak); [|lra].
    replace (1 / (N + 1) * lack) with (lack / (N + 1)) by (field; lra).
    apply div_le; [lra|]. pose proof lack_le_leak. lra.
  Qed.

  Lemma content_error_le : N * Rabs content_error <= N * content_lack e N + N * (leak - C * lack) + stray.
  Proof using HL HN.
    pose proof (content_part_nonneg e N e_pos e_le_1 HN) as HC0. fold C in HC0.
    pose proof (content_part_le e N e_pos HN) as HC. fold C in HC.
    pose proof (content_lack_nonneg e N e_pos HN). pose proof C_lack_le_leak. pose proof (proj1 stray_bounds) as Hs.
    assert (HC1 : C <= 1 / (N + 1)) by (assert (0 <= 1 / (N + 1)) by (apply div_nonneg; lra); lra).
    assert (0 <= C * stray) by (apply Rmult_le_pos; lra).
    assert (C * stray <= 1 / (N + 1) * stray) by (apply Rmult_le_compat_r; lra).
    assert (Habs : Rabs content_error <= content_lack e N + (leak - C * lack) + 1 / (N + 1) * stray).
    { unfold content_error. apply Rabs_le. unfold Rdiv in *. lra. }
    apply (Rmult_le_compat_l N) in Habs; [|lra].
    assert (N * (1 / (N + 1) * stray) <= stray); [|lra].
    replace (N * (1 / (N + 1) * stray)) with (N * stray / (N + 1)) by (field; lra).
    apply div_le; lra.
  Qed.

  Lemma error_bound_here :
    Rabs trigger_error + N * Rabs content_error
    <= (N / 2 + 1 / 3 - 1 / 3 * / (N + 1)) * content_ratio + 2 * (N + 1) * exp (- (4 / 9 * Lambda)) + (N + 1 + Lambda / 8) * e.
  Proof using HL HN.
    pose proof trigger_error_le. pose proof content_error_le. pose proof (proj2 stray_bounds) as Hs.
    pose proof (first_layer_error e N e_pos e_le_1 HN) as H1. pose proof lack_nonneg as Hl0.
    pose proof lack_le_half as Hl1. pose proof lack_le as Hl2. pose proof leak_le as Hk. pose proof gap_le as Hg.
    pose proof content_ratio_pos as Hr. pose proof e_pos as He.
    (* X - N C = 4/(3(N+1)) + 2/3 (the error of layer 1) *)
    set (f := trigger_excess e N + N * content_lack e N) in *.
    assert (HXC : X - N * C = 4 / 3 * / (N + 1) + 2 / 3 * f).
    { unfold X, C, f. rewrite (trigger_part_excess e N e_pos HN), (content_part_lack e N e_pos HN). field. lra. }
    assert (Hf0 : 0 <= f).
    { pose proof (trigger_excess_nonneg e N e_pos e_le_1 HN). pose proof (content_lack_nonneg e N e_pos HN).
      assert (0 <= N * content_lack e N) by (apply Rmult_le_pos; lra). unfold f. lra. }
    assert (Hf : f * lack <= f * (1 / 2)) by (apply Rmult_le_compat_l; lra).
    assert (Hi : 0 < / (N + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (Hi1 : / (N + 1) * N = 1 - / (N + 1)) by (field; lra).
    assert (Hl : / (N + 1) * lack <= (3 / 8 * (Lambda * e) + (1 - / (N + 1)) * content_ratio) / 4).
    { apply Rle_trans with (/ (N + 1) * ((3 / 8 * N * (Lambda * e) + N * content_ratio) / 4)).
      - apply Rmult_le_compat_l; lra.
      - replace (/ (N + 1) * ((3 / 8 * N * (Lambda * e) + N * content_ratio) / 4))
          with ((/ (N + 1) * N) * ((3 / 8 * (Lambda * e) + content_ratio) / 4)) by (unfold Rdiv; ring).
        rewrite Hi1. assert (0 <= / (N + 1) * (Lambda * e)) by (repeat apply Rmult_le_pos; lra). lra. }
    assert (Hk2 : N * leak <= N * (content_ratio / 2)) by (apply Rmult_le_compat_l; lra).
    assert (HXl : (X - N * C) * lack = 4 / 3 * (/ (N + 1) * lack) + 2 / 3 * (f * lack)) by (rewrite HXC; ring).
    apply Rle_trans with (f + (X - N * C) * lack + N * leak + 2 * stray); [unfold f; lra|].
    rewrite HXl. lra.
  Qed.

  (** The longest sequences are the worst. *)
  Lemma content_ratio_le l : N + 2 <= l -> content_ratio <= exp (- (Lambda * l / (6 * (l - 1)))).
  Proof using HL HN.
    intros Hl. apply exp_le. apply Ropp_le_contravar.
    pose proof (trigger_part_ge e N e_pos e_le_1 HN) as HX. fold X in HX.
    replace (Lambda * l / (6 * (l - 1))) with (Lambda * (1 / 4 * (2 / 3 * (1 + / (l - 1))))) by (field; lra).
    replace (Lambda * X / 4) with (Lambda * (1 / 4 * X)) by field.
    apply Rmult_le_compat_l; [lra|].
    assert (/ (l - 1) <= / (N + 1)) by (apply Rinv_le_contravar; lra). lra.
  Qed.

  Lemma error_bound l :
    N + 2 <= l ->
    Rabs trigger_error + N * Rabs content_error
    <= (l - 2) * (3 * l - 1) / (6 * (l - 1)) * exp (- (Lambda * l / (6 * (l - 1))))
       + 2 * (l - 1) * exp (- (4 / 9 * Lambda)) + (l - 1 + Lambda / 8) * e.
  Proof using HL HN.
    intros Hl. eapply Rle_trans; [apply error_bound_here|].
    pose proof (content_ratio_le l Hl). pose proof content_ratio_pos. pose proof e_pos.
    pose proof (exp_pos (- (4 / 9 * Lambda))).
    replace ((l - 2) * (3 * l - 1) / (6 * (l - 1))) with (l / 2 - 2 / 3 - 1 / 3 * / (l - 1)) by (field; lra).
    assert (0 < / (l - 1)) by (apply Rinv_0_lt_compat; lra).
    assert (/ (N + 1) <= / 2) by (apply Rinv_le_contravar; lra).
    assert (/ (l - 1) <= / (N + 1)) by (apply Rinv_le_contravar; lra).
    assert ((N / 2 + 1 / 3 - 1 / 3 * / (N + 1)) * content_ratio
            <= (l / 2 - 2 / 3 - 1 / 3 * / (l - 1)) * exp (- (Lambda * l / (6 * (l - 1)))))
      by (apply Rmult_le_compat; lra).
    assert (2 * (N + 1) * exp (- (4 / 9 * Lambda)) <= 2 * (l - 1) * exp (- (4 / 9 * Lambda)))
      by (apply Rmult_le_compat_r; lra).
    assert ((N + 1 + Lambda / 8) * e <= (l - 1 + Lambda / 8) * e) by (apply Rmult_le_compat_r; lra).
    lra.
  Qed.

  (** ** The error from below: x_j at 1, the contents at -1 *)

  Lemma trigger_excess_le : trigger_excess e N <= N * e / 4.
  Proof using HL HN.
    pose proof (Ne_pos e N e_pos HN). pose proof e_pos. unfold trigger_excess.
    assert (0 <= e / ((N + 1) * (e + N + 1))) by (apply div_nonneg; [lra|apply Rmult_lt_0_compat; lra]).
    assert (N * e / (2 * (2 + N * e)) <= N * e * / 4); [|lra].
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  Qed.

  (** Half the content's ratio, but for a factor e^(-a-b) with small a and b. *)
  Lemma leak_ge g :
    g = exp (- (Lambda * (N + 2) / (6 * (N + 1)))) ->
    g / 2 * (1 - N / 2 * g - N / 24 * (Lambda * e)) <= leak.
  Proof using HL HN.
    intros Eg. rewrite leak_form. pose proof relative_total_ge. pose proof content_ratio_pos as Hr.
    assert (Hg : 0 < g) by (rewrite Eg; apply exp_pos).
    assert (Hrg : content_ratio <= g).
    { rewrite Eg. replace (6 * (N + 1)) with (6 * (N + 2 - 1)) by ring. apply content_ratio_le. lra. }
    assert (HNg : 0 <= N * g) by (apply Rmult_le_pos; lra).
    assert (HR : relative_total <= 2 * exp (N / 2 * g)).
    { unfold relative_total. pose proof exp_gap_le. pose proof (exp_ineq1_le (N / 2 * g)).
      assert (N * content_ratio <= N * g) by (apply Rmult_le_compat_l; lra). lra. }
    assert (Hc : g * exp (- (N / 24 * (Lambda * e))) <= content_ratio).
    { rewrite Eg, <- exp_plus. apply exp_le.
      replace (Lambda * X / 4) with (Lambda * (N + 2) / (6 * (N + 1)) + 1 / 6 * (Lambda * trigger_excess e N)).
      2:{ unfold X. rewrite (trigger_part_excess e N e_pos HN). field. lra. }
      pose proof trigger_excess_le as Hx. apply (Rmult_le_compat_l Lambda) in Hx; lra. }
    apply Rle_trans with (content_ratio / (2 * exp (N / 2 * g))).
    - apply Rle_trans with (g * exp (- (N / 24 * (Lambda * e))) / (2 * exp (N / 2 * g))).
      + replace (g * exp (- (N / 24 * (Lambda * e))) / (2 * exp (N / 2 * g)))
          with (g / 2 * exp (- (N / 24 * (Lambda * e)) + - (N / 2 * g))).
        2:{ rewrite exp_plus, (exp_Ropp (N / 2 * g)). field. apply Rgt_not_eq, exp_pos. }
        apply Rmult_le_compat_l; [lra|]. pose proof (exp_ineq1_le (- (N / 24 * (Lambda * e)) + - (N / 2 * g))). lra.
      + apply Rmult_le_compat_r; [|assumption]. apply Rlt_le, Rinv_0_lt_compat.
        pose proof (exp_pos (N / 2 * g)). lra.
    - apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  Qed.

  Lemma lack_ge : N * leak / 2 <= lack.
  Proof using HL HN.
    rewrite lack_form, leak_form. pose proof relative_total_ge. pose proof exp_gap_le.
    replace (N * (content_ratio / relative_total) / 2) with (N * content_ratio / (2 * relative_total)) by (field; lra).
    apply Rmult_le_compat_r; [|lra]. apply Rlt_le, Rinv_0_lt_compat. lra.
  Qed.

  Lemma error_at_least l :
    l = N + 2 ->
    (l - 2) * (3 * l - 1) / (6 * (l - 1)) * exp (- (Lambda * l / (6 * (l - 1))))
    * (1 - (l - 2) / 2 * exp (- (Lambda * l / (6 * (l - 1)))) - (l - 2) / 24 * (Lambda * e))
    - 2 * (l - 1) * exp (- (4 / 9 * Lambda))
    <= trigger_error - N * content_error.
  Proof using HL HN.
    intros ->. replace (N + 2 - 1) with (N + 1) by ring. replace (N + 2 - 2) with N by ring.
    set (g := exp (- (Lambda * (N + 2) / (6 * (N + 1))))).
    pose proof (leak_ge g eq_refl) as Hk. pose proof lack_ge as Hl. pose proof stray_bounds as Hs.
    pose proof X_bounds as HX. pose proof (content_part_nonneg e N e_pos e_le_1 HN) as HC. fold C in HC.
    pose proof (trigger_excess_nonneg e N e_pos e_le_1 HN) as H1. pose proof (content_lack_nonneg e N e_pos HN) as H2.
    assert (HXC : X - N * C = 4 / 3 * / (N + 1) + 2 / 3 * (trigger_excess e N + N * content_lack e N)).
    { unfold X, C. rewrite (trigger_part_excess e N e_pos HN), (content_part_lack e N e_pos HN). field. lra. }
    assert (HNl : 0 <= N * content_lack e N) by (apply Rmult_le_pos; lra).
    assert (HNC : 0 <= N * C) by (apply Rmult_le_pos; lra).
    assert (Hi : 0 < / (N + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (A1 : (X - N * C) * stray <= 1 * stray) by (apply Rmult_le_compat_r; lra).
    assert (A2 : 4 / 3 * / (N + 1) * lack <= (X - N * C) * lack).
    { apply Rmult_le_compat_r; [apply lack_nonneg|lra]. }
    assert (A3 : N * (stray / (N + 1)) <= stray).
    { replace (N * (stray / (N + 1))) with (N * stray / (N + 1)) by (field; lra). apply div_le; lra. }
    assert (A4 : / (N + 1) * (N * leak / 2) <= / (N + 1) * lack) by (apply Rmult_le_compat_l; lra).
    assert (A5 : N * (1 + 2 / 3 * / (N + 1)) * (g / 2 * (1 - N / 2 * g - N / 24 * (Lambda * e)))
                 <= N * (1 + 2 / 3 * / (N + 1)) * leak).
    { apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; lra. }
    replace (N * (3 * (N + 2) - 1) / (6 * (N + 1)) * g * (1 - N / 2 * g - N / 24 * (Lambda * e)))
      with (N * (1 + 2 / 3 * / (N + 1)) * (g / 2 * (1 - N / 2 * g - N / 24 * (Lambda * e)))) by (field; lra).
    unfold trigger_error, content_error. unfold Rdiv in A3 |- *. lra.
  Qed.
End SecondLayer.
