(** * ge-1: the greatest Frobenius margin

    Proves the sentences of statement.v about margins.  For O = sum l_k A_k with <O, A_k> >= <O, O> > 0 the matrix
    O/||O|| has margin ||O||; a W with ||W|| <= 1 has at most the average margin <O, W> <= ||O||, with equality only for
    O/||O||.  Such an O is the nearest point of the hull (theory/nearest_point.v), which is not 0 where some W has
    margin 1.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/ge-1 Claim <proofs>/ge-1/margin.v (after alternative.v) *)

From Coq Require Import Reals Lra Lia Arith List.
From Sinkproof Require Import trigger_task hard_switch nearest_point.
From Claim Require Import statement.
From Claim Require Import alternative.
Open Scope R_scope.

Theorem margin_per_norm : statement.margin_per_norm.
Proof.
  intros m d e A rho Hr.
  assert (Hn : forall c W, 0 <= c -> frobenius_norm d e (fun a b => c * W a b) = c * frobenius_norm d e W).
  { intros c W Hc. unfold frobenius_norm.
    rewrite frobenius_scal_r, frobenius_sym, frobenius_scal_r.
    replace (c * (c * frobenius d e W W)) with (Rsqr c * frobenius d e W W) by (unfold Rsqr; ring).
    rewrite sqrt_mult; [now rewrite sqrt_Rsqr|apply Rle_0_sqr|apply frobenius_self_nonneg]. }
  split; intros (W & HW & Hs).
  - exists (fun a b => rho * W a b). split.
    + rewrite Hn by lra. apply (Rmult_le_compat_l rho) in HW; [|lra]. rewrite Rinv_r in HW; lra.
    + intros k Hk. rewrite frobenius_scal_r. specialize (Hs k Hk). cbv beta in Hs. nra.
  - assert (0 < / rho) by now apply Rinv_0_lt_compat.
    exists (fun a b => / rho * W a b). split.
    + rewrite Hn by lra. nra.
    + intros k Hk. rewrite frobenius_scal_r. specialize (Hs k Hk). cbv beta in Hs.
      apply (Rmult_le_compat_l (/ rho)) in Hs; [|lra]. rewrite Rinv_l in Hs; lra.
Qed.

(** <sum l_k A_k, W> = sum l_k <A_k, W>. *)
Lemma hull_product m d e A l W :
  frobenius d e (hull_point m A l) W = sum m (fun k => l k * frobenius d e (A k) W).
Proof.
  transitivity (list_sum (seq 0 m) (fun k => l k * frobenius d e (A k) W)); [|now rewrite list_sum_seq].
  rewrite <- frobenius_list. apply frobenius_ext. intros a b _ _. now rewrite list_sum_seq.
Qed.

Theorem frobenius_margin : statement.frobenius_margin.
Proof.
  intros m d e A l [Hl0 Hl1 HA] HO. set (O := hull_point m A l) in *. set (N := frobenius_norm d e O).
  change (unit_point m d e A l) with (fun a b => O a b / N).
  assert (HN : 0 < N) by now apply sqrt_lt_R0.
  assert (HNN : N * N = frobenius d e O O) by (apply sqrt_sqrt; lra).
  assert (Hunit : forall W, frobenius_norm d e W <= 1 -> frobenius d e W W <= 1).
  { intros W HW. rewrite <- (sqrt_sqrt (frobenius d e W W)) by apply frobenius_self_nonneg.
    fold (frobenius_norm d e W). pose proof (sqrt_pos (frobenius d e W W)).
    fold (frobenius_norm d e W) in *. nra. }
  assert (Hover : forall W rho, satisfies m d e A (fun _ => rho) W -> rho <= frobenius d e O W).
  { intros W rho HW. unfold O. rewrite hull_product, <- (Rmult_1_r rho), <- Hl1, <- sum_scal.
    apply sum_le. intros k Hk. rewrite Rmult_comm. apply Rmult_le_compat_l; [auto|]. now apply HW. }
  assert (Hdiv : forall B, frobenius d e B (fun a b => O a b / N) = frobenius d e B O / N).
  { intros B. unfold Rdiv. rewrite (Rmult_comm (frobenius d e B O)), <- frobenius_scal_r.
    rewrite !(frobenius_sym d e B). apply frobenius_ext. intros. ring. }
  split; [split|split].
  - unfold frobenius_norm. rewrite Hdiv, frobenius_sym, Hdiv, <- HNN.
    replace (N * N / N / N) with 1 by (field; lra). apply sqrt_1.
  - intros k Hk. rewrite Hdiv, frobenius_sym. specialize (HA k Hk). rewrite <- HNN in HA.
    apply (Rmult_le_reg_r N); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros W rho HW Hs. eapply Rle_trans; [exact (Hover W rho Hs)|]. apply frobenius_unit; auto.
  - intros W HW Hs a b Ha Hb. apply (Hover W N) in Hs. apply Hunit in HW.
    pose proof (frobenius_self_nonneg d e (fun a b => 1 * W a b + - 1 * (O a b / N))) as Hn.
    assert (Hz : frobenius d e (fun a b => 1 * W a b + - 1 * (O a b / N))
                   (fun a b => 1 * W a b + - 1 * (O a b / N)) = 0).
    { apply Rle_antisym; [|assumption].
      rewrite frobenius_combine, !frobenius_combine_r, !(Hdiv _).
      rewrite (frobenius_sym d e (fun a b => O a b / N) W), (frobenius_sym d e (fun a b => O a b / N) O), !Hdiv.
      rewrite (frobenius_sym d e W O), <- HNN.
      replace (N * N / N / N) with 1 by (field; lra).
      assert (1 <= frobenius d e O W / N).
      { apply (Rmult_le_reg_r N); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      lra. }
    pose proof (frobenius_self_zero _ _ _ Hz a b Ha Hb) as H. cbv beta in H. lra.
Qed.

(** The nearest point of the hull, with weights in any field that holds the data; where some W has margin 1 it is
    not 0. *)
Lemma nearest_weights_exist F m d e A :
  subfield F -> (0 < m)%nat -> (forall k, (k < m)%nat -> entries_in F d e (A k)) ->
  (exists W, satisfies m d e A (fun _ => 1) W) ->
  exists l, (forall k, F (l k)) /\ nearest_weights m d e A l /\
            0 < frobenius d e (hull_point m A l) (hull_point m A l).
Proof.
  intros HF Hm FA (W & HW).
  destruct (nearest_in_hull F HF Nat.eq_dec d e (seq 0 m) A) as (l & Fl & H0 & H1 & Hn).
  - apply seq_NoDup.
  - destruct m; [lia|discriminate].
  - intros k Hk. now apply FA, in_below.
  - assert (E : forall B, frobenius d e (fun a b => list_sum (seq 0 m) (fun k => l k * A k a b)) B
                          = frobenius d e (hull_point m A l) B).
    { intros B. apply frobenius_ext. intros a b _ _. now rewrite list_sum_seq. }
    assert (HN : nearest_weights m d e A l).
    { constructor.
      - intros k Hk. now apply H0, in_below.
      - now rewrite list_sum_seq in H1.
      - intros k Hk. apply in_below in Hk. specialize (Hn k Hk). rewrite E, frobenius_sym, E, E in Hn. exact Hn. }
    exists l. split; [assumption|]. split; [assumption|].
    destruct (Rle_lt_or_eq_dec 0 _ (frobenius_self_nonneg d e (hull_point m A l))) as [H|Hz]; [assumption|exfalso].
    assert (G : 1 <= frobenius d e (hull_point m A l) W).
    { rewrite hull_product, <- (nearest_total _ _ _ _ _ HN). apply sum_le. intros k Hk.
      rewrite <- (Rmult_1_r (l k)) at 1. apply Rmult_le_compat_l; [now apply (nearest_nonneg _ _ _ _ _ HN)|now apply HW]. }
    replace (frobenius d e (hull_point m A l) W) with 0 in G; [lra|]. symmetry. apply sum_zero. intros a Ha.
    apply sum_zero. intros b Hb. rewrite (frobenius_self_zero d e _ (eq_sym Hz) a b) by assumption. ring.
Qed.

Theorem frobenius_margin_exists : statement.frobenius_margin_exists.
Proof.
  intros m d e A Hm HW.
  destruct (nearest_weights_exist any m d e A any_subfield Hm) as (l & _ & Hl); [now intros k _ a b _ _|assumption|].
  now exists l.
Qed.

Theorem frobenius_margin_rational : statement.frobenius_margin_rational.
Proof.
  intros m d e A Hm FA HW.
  destruct (nearest_weights_exist rational m d e A rational_subfield Hm FA HW) as (l & Fl & HN & HO).
  exists l. split; [assumption|]. split; [assumption|]. split; [assumption|].
  assert (FO : entries_in rational d e (hull_point m A l)).
  { intros a b Ha Hb. apply (field_sum rational rational_subfield). intros k Hk.
    apply (field_mult rational rational_subfield); [apply Fl|now apply (FA k Hk)]. }
  now apply (field_frobenius rational rational_subfield).
Qed.

Print Assumptions margin_per_norm.
Print Assumptions frobenius_margin.
Print Assumptions frobenius_margin_exists.
Print Assumptions frobenius_margin_rational.
