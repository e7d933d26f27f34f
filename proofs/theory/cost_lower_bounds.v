(** * Lower bounds on the map cost of a sink and of a diagonal: the proofs behind co-2, co-4 and co-5

    docs/THEORY.md, section 5.  Every statement is about EVERY factorisation W_Q, W_K (any head width) whose
    scores have the pattern; the instance has any dimension, any number of groups of any sizes.

    The definitions are in definitions/closed_forms.v.  Part 1: an orthogonal frame (b, mean_c, q_c) and what is
    left of a vector (Bessel's inequality with its remainder).  Part 2: the constraints, averaged over the
    members of groups, speak of b, mean_c, q_c alone.  Part 3: dual matrices and their operator norms.  Part 4:
    the bounds.  Reading B of the sink is sink_with_bos_cost.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/cost_lower_bounds.v
    (after factor_cost.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost.
From Sinkproof Require Export closed_forms.
Open Scope R_scope.

(** ** Part 1: the frame (b, mean_c, q_c) and what is left of a vector *)

Lemma sum_square_shift C (f : nat -> R) k :
  sum C (fun c => (f c + k) * (f c + k)) = sum C (fun c => f c * f c) + 2 * k * sum C f + INR C * (k * k).
Proof.
  rewrite <- sum_const, <- sum_scal, <- !sum_plus. apply sum_ext. intros. ring.
Qed.

(** C sum f^2 >= (sum f)^2. *)
Lemma sum_square_mean C (f : nat -> R) : sum C f * sum C f <= INR C * sum C (fun c => f c * f c).
Proof.
  destruct C as [|C]; [simpl; lra|]. set (n := S C).
  assert (Hn : 0 < INR n) by (apply lt_0_INR; unfold n; lia).
  assert (H : 0 <= sum n (fun c => (f c + - (sum n f / INR n)) * (f c + - (sum n f / INR n))))
    by (apply sum_nonneg; intros; apply Rle_0_sqr).
  rewrite sum_square_shift in H. apply (Rmult_le_compat_l (INR n)) in H; [|lra].
  replace (INR n * (sum n (fun c => f c * f c) + 2 * - (sum n f / INR n) * sum n f
                    + INR n * (- (sum n f / INR n) * - (sum n f / INR n))))
    with (INR n * sum n (fun c => f c * f c) - sum n f * sum n f) in H by (field; lra).
  lra.
Qed.

Lemma sum_diagonal C (f g : nat -> R) c :
  (c < C)%nat -> sum C (fun k => f k * (if (c =? k)%nat then g k else 0)) = f c * g c.
Proof.
  intros Hc. rewrite (sum_single C _ c Hc).
  - now rewrite Nat.eqb_refl.
  - intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
Qed.

Section Frame.
  Context (I : instance) (HI : valid_instance I).

  Let d := dimension I.
  Let C := groups I.
  Let D := INR d.
  Let b := bos_vector I.
  Let mu := mean I.
  Let q := copy_query I.

  Lemma dimension_pos : 0 < INR (dimension I).
  Proof using HI. apply lt_0_INR. pose proof (some_dimension I HI). lia. Qed.

  Lemma groups_ge_1 : 1 <= INR (groups I).
  Proof using HI. change 1 with (INR 1). apply le_INR. apply (some_group I HI). Qed.

  Lemma dot_mean_mean c k : (c < C)%nat -> (k < C)%nat -> dot d (mu c) (mu k) = if (c =? k)%nat then D else 0.
  Proof using HI.
    intros Hc Hk. destruct (Nat.eqb_spec c k) as [<-|E]; [now apply (mean_norm I HI)|now apply (mean_mean I HI)].
  Qed.

  Lemma dot_copy_copy c k : (c < C)%nat -> (k < C)%nat -> dot d (q c) (q k) = if (c =? k)%nat then D else 0.
  Proof using HI.
    intros Hc Hk. destruct (Nat.eqb_spec c k) as [<-|E]; [now apply (copy_norm I HI)|now apply (copy_copy I HI)].
  Qed.

  (** The projection onto the frame, and the remainder. *)
  Definition projection (v : vector) : vector :=
    vscal (/ D) (vadd (vscal (dot d b v) b)
      (vadd (vsum C (fun c => vscal (dot d (mu c) v) (mu c))) (vsum C (fun c => vscal (dot d (q c) v) (q c))))).

  Definition remainder (v : vector) : vector := vsub v (projection v).

  Lemma dot_projection x v :
    dot d x (projection v)
    = / D * (dot d b v * dot d x b + (sum C (fun c => dot d (mu c) v * dot d x (mu c))
                                      + sum C (fun c => dot d (q c) v * dot d x (q c)))).
  Proof.
    unfold projection. rewrite dot_vscal_r, !dot_vadd_r, !dot_vsum_r, dot_vscal_r.
    do 2 f_equal. f_equal; apply sum_ext; intros; apply dot_vscal_r.
  Qed.

  Lemma bos_remainder v : dot d b (remainder v) = 0.
  Proof using HI.
    pose proof dimension_pos. unfold remainder. rewrite dot_vsub_r, dot_projection.
    replace (dot d b b) with D by (symmetry; apply (bos_norm I HI)).
    rewrite (sum_zero C (fun c => dot d (mu c) v * dot d b (mu c))).
    2:{ intros c Hc. replace (dot d b (mu c)) with 0; [ring|]. symmetry. now apply (bos_mean I HI). }
    rewrite (sum_zero C (fun c => dot d (q c) v * dot d b (q c))).
    2:{ intros c Hc. replace (dot d b (q c)) with 0; [ring|]. symmetry. now apply (bos_copy I HI). }
    unfold D, d. field. lra.
  Qed.

  Lemma mean_remainder c v : (c < C)%nat -> dot d (mu c) (remainder v) = 0.
  Proof using HI.
    intros Hc. pose proof dimension_pos. unfold remainder. rewrite dot_vsub_r, dot_projection.
    replace (dot d (mu c) b) with 0 by (rewrite dot_comm; symmetry; now apply (bos_mean I HI)).
    rewrite (sum_ext C (fun k => dot d (mu k) v * dot d (mu c) (mu k))
               (fun k => dot d (mu k) v * (if (c =? k)%nat then D else 0)))
      by (intros; now rewrite dot_mean_mean).
    rewrite (sum_diagonal C (fun k => dot d (mu k) v) (fun _ => D) c Hc).
    rewrite (sum_zero C (fun k => dot d (q k) v * dot d (mu c) (q k))).
    2:{ intros k Hk. replace (dot d (mu c) (q k)) with 0; [ring|]. symmetry. now apply (mean_copy I HI). }
    unfold D, d. field. lra.
  Qed.

  Lemma copy_remainder c v : (c < C)%nat -> dot d (q c) (remainder v) = 0.
  Proof using HI.
    intros Hc. pose proof dimension_pos. unfold remainder. rewrite dot_vsub_r, dot_projection.
    replace (dot d (q c) b) with 0 by (rewrite dot_comm; symmetry; now apply (bos_copy I HI)).
    rewrite (sum_zero C (fun k => dot d (mu k) v * dot d (q c) (mu k))).
    2:{ intros k Hk. replace (dot d (q c) (mu k)) with 0; [ring|]. symmetry. rewrite dot_comm. now apply (mean_copy I HI). }
    rewrite (sum_ext C (fun k => dot d (q k) v * dot d (q c) (q k))
               (fun k => dot d (q k) v * (if (c =? k)%nat then D else 0)))
      by (intros; now rewrite dot_copy_copy).
    rewrite (sum_diagonal C (fun k => dot d (q k) v) (fun _ => D) c Hc).
    unfold D, d. field. lra.
  Qed.

  (** The part of |v|^2 on the frame, times d. *)
  Definition frame_square (v : vector) : R :=
    dot d b v * dot d b v + (sum C (fun c => dot d (mu c) v * dot d (mu c) v)
                             + sum C (fun c => dot d (q c) v * dot d (q c) v)).

  Lemma pythagoras v : dot d v v = / D * frame_square v + dot d (remainder v) (remainder v).
  Proof using HI.
    assert (O : dot d (remainder v) (projection v) = 0).
    { rewrite dot_projection.
      rewrite (sum_zero C (fun c => dot d (mu c) v * dot d (remainder v) (mu c)))
        by (intros; rewrite (dot_comm d (remainder v)), mean_remainder by assumption; ring).
      rewrite (sum_zero C (fun c => dot d (q c) v * dot d (remainder v) (q c)))
        by (intros; rewrite (dot_comm d (remainder v)), copy_remainder by assumption; ring).
      rewrite (dot_comm d (remainder v) b), bos_remainder. ring. }
    assert (P : dot d v (projection v) = / D * frame_square v).
    { rewrite dot_projection. unfold frame_square.
      rewrite (dot_comm d v b). do 3 f_equal; apply sum_ext; intros; now rewrite (dot_comm d v). }
    assert (S : dot d (remainder v) (remainder v) = dot d v (remainder v) - dot d (projection v) (remainder v))
      by (unfold remainder at 1; apply dot_vsub_l).
    rewrite (dot_comm d (projection v)), O in S. rewrite S.
    unfold remainder. rewrite dot_vsub_r, P. ring.
  Qed.

  Lemma bessel v : frame_square v <= D * dot d v v.
  Proof using HI.
    pose proof dimension_pos as HD. pose proof (pythagoras v) as P. pose proof (dot_self_nonneg d (remainder v)).
    rewrite P. fold d D in HD. rewrite Rmult_plus_distr_l, <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    assert (0 <= D * dot d (remainder v) (remainder v)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** What is orthogonal to the frame does not see the projection. *)
  Lemma noise_remainder c i v : member I c i -> dot d (noise I c i) (remainder v) = dot d (noise I c i) v.
  Proof using HI.
    intros H. unfold remainder. rewrite dot_vsub_r, dot_projection.
    replace (dot d (noise I c i) b) with 0 by (rewrite dot_comm; symmetry; now apply (bos_noise I HI)).
    rewrite (sum_zero C (fun k => dot d (mu k) v * dot d (noise I c i) (mu k))).
    2:{ intros k Hk. replace (dot d (noise I c i) (mu k)) with 0; [ring|].
        symmetry. rewrite dot_comm. now apply (mean_noise I HI). }
    rewrite (sum_zero C (fun k => dot d (q k) v * dot d (noise I c i) (q k))).
    2:{ intros k Hk. replace (dot d (noise I c i) (q k)) with 0; [ring|].
        symmetry. rewrite dot_comm. now apply (copy_noise I HI). }
    ring.
  Qed.

  (** ** Part 2: the constraints, averaged over groups *)

  Lemma average_le n (f : nat -> R) a g :
    (0 < n)%nat -> (forall i, (i < n)%nat -> a <= f i) -> sum n f = INR n * g -> a <= g.
  Proof.
    intros Hn H S. assert (Hp : 0 < INR n) by now apply lt_0_INR.
    apply (Rmult_le_reg_l (INR n)); [assumption|]. rewrite <- S, <- sum_const. apply sum_le. assumption.
  Qed.

  Lemma average_ge n (f : nat -> R) a g :
    (0 < n)%nat -> (forall i, (i < n)%nat -> f i <= a) -> sum n f = INR n * g -> g <= a.
  Proof.
    intros Hn H S. assert (Hp : 0 < INR n) by now apply lt_0_INR.
    apply (Rmult_le_reg_l (INR n)); [assumption|]. rewrite <- S, <- sum_const. apply sum_le. assumption.
  Qed.

  Context (W : matrix).
  Let B := bilinear d W.

  Lemma group_sum_key x c :
    (c < C)%nat -> sum (size I c) (fun i => B x (dormant I c i)) = INR (size I c) * (lam I * B x (mu c)).
  Proof using HI.
    intros Hc. unfold dormant.
    rewrite (sum_ext _ _ (fun i => B x (vscal (lam I) (mu c)) + B x (noise I c i)))
      by (intros; apply bilinear_plus_r).
    rewrite sum_plus, sum_const. unfold B. rewrite bilinear_vscal_r.
    rewrite <- (bilinear_sum_r d (size I c) W x (noise I c)).
    rewrite (bilinear_zero_r d W x (fun r => sum (size I c) (fun i => noise I c i r))) by (apply (noise_centred I HI c Hc)). ring.
  Qed.

  Lemma group_sum_query x c :
    (c < C)%nat -> sum (size I c) (fun i => B (dormant I c i) x) = INR (size I c) * (lam I * B (mu c) x).
  Proof using HI.
    intros Hc. unfold dormant.
    rewrite (sum_ext _ _ (fun i => B (vscal (lam I) (mu c)) x + B (noise I c i) x))
      by (intros; apply bilinear_plus_l).
    rewrite sum_plus, sum_const. unfold B. rewrite bilinear_vscal_l.
    rewrite <- (bilinear_sum_l d (size I c) W (noise I c) x).
    rewrite (bilinear_zero_l d W (fun r => sum (size I c) (fun i => noise I c i r)) x) by (apply (noise_centred I HI c Hc)). ring.
  Qed.

  Lemma size_pos c : (c < C)%nat -> (0 < size I c)%nat.
  Proof using HI. intros Hc. pose proof (two_members I HI c Hc). lia. Qed.

  Context (kappa : R).
  Let m := kappa * sqrt D.

  (** Copy rows: what both patterns ask of the group's tokens. *)
  Definition copy_prefers : Prop :=
    forall c i z, member I c i -> present I z -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Dormant c i).

  Lemma copy_margin c z :
    copy_prefers -> (c < C)%nat -> present I z -> ~ in_group c z ->
    m + B (q c) (embedding I z) <= lam I * B (q c) (mu c).
  Proof using HI.
    intros H Hc Hz Ho. apply (average_le (size I c) (fun i => B (q c) (dormant I c i))).
    - now apply size_pos.
    - intros i Hi. apply (score_margin I W kappa (Copy c) (Dormant c i) z (some_dimension I HI)).
      apply H; [split; assumption|assumption|assumption].
    - now apply group_sum_key.
  Qed.

  Lemma copy_over_bos c : copy_prefers -> (c < C)%nat -> m + B (q c) b <= lam I * B (q c) (mu c).
  Proof using HI. intros H Hc. now apply (copy_margin c Bos H Hc). Qed.

  Lemma copy_over_copy c k :
    copy_prefers -> (c < C)%nat -> (k < C)%nat -> m + B (q c) (q k) <= lam I * B (q c) (mu c).
  Proof using HI. intros H Hc Hk. now apply (copy_margin c (Copy k) H Hc). Qed.

  Lemma copy_over_group c k :
    copy_prefers -> (c < C)%nat -> (k < C)%nat -> k <> c ->
    m + lam I * B (q c) (mu k) <= lam I * B (q c) (mu c).
  Proof using HI.
    intros H Hc Hk E.
    assert (G : lam I * B (q c) (mu k) <= lam I * B (q c) (mu c) - m); [|lra].
    apply (average_ge (size I k) (fun j => B (q c) (dormant I k j))).
    - now apply size_pos.
    - intros j Hj. pose proof (copy_margin c (Dormant k j) H Hc) as G. cbn [embedding] in G.
      assert (m + B (q c) (dormant I k j) <= lam I * B (q c) (mu c)); [|lra].
      apply G; [split; assumption|exact E].
    - now apply group_sum_key.
  Qed.

  (** Dormant rows of the sink pattern. *)
  Section SinkRows.
    Context (HS : sink_pattern I W kappa).

    Lemma dormant_margin c i z :
      member I c i -> present I z -> z <> Bos -> m + B (dormant I c i) (embedding I z) <= B (dormant I c i) b.
    Proof using HI HS.
      intros Hi Hz E. apply (score_margin I W kappa (Dormant c i) Bos z (some_dimension I HI)).
      now apply (dormant_prefers_bos I W kappa HS).
    Qed.

    Lemma dormant_over_copy c k :
      (c < C)%nat -> (k < C)%nat -> m + lam I * B (mu c) (q k) <= lam I * B (mu c) b.
    Proof using HI HS.
      intros Hc Hk.
      assert (G : m <= lam I * B (mu c) b - lam I * B (mu c) (q k)); [|lra].
      apply (average_le (size I c) (fun i => B (dormant I c i) b - B (dormant I c i) (q k))).
      - now apply size_pos.
      - intros i Hi. pose proof (dormant_margin c i (Copy k) (conj Hc Hi) Hk) as G. cbn [embedding] in G.
        specialize (G ltac:(discriminate)). fold (q k) in G. lra.
      - rewrite sum_minus, !group_sum_query by assumption. ring.
    Qed.

    Lemma dormant_over_group c k :
      (c < C)%nat -> (k < C)%nat -> m + lam I * lam I * B (mu c) (mu k) <= lam I * B (mu c) b.
    Proof using HI HS.
      intros Hc Hk.
      assert (R : forall i, (i < size I c)%nat -> m + lam I * B (dormant I c i) (mu k) <= B (dormant I c i) b).
      { intros i Hi. assert (G : lam I * B (dormant I c i) (mu k) <= B (dormant I c i) b - m); [|lra].
        apply (average_ge (size I k) (fun j => B (dormant I c i) (dormant I k j))).
        - now apply size_pos.
        - intros j Hj. pose proof (dormant_margin c i (Dormant k j) (conj Hc Hi) (conj Hk Hj)) as G.
          cbn [embedding] in G. specialize (G ltac:(discriminate)). lra.
        - now apply group_sum_key. }
      assert (G : m <= lam I * B (mu c) b - lam I * lam I * B (mu c) (mu k)); [|lra].
      apply (average_le (size I c) (fun i => B (dormant I c i) b - lam I * B (dormant I c i) (mu k))).
      - now apply size_pos.
      - intros i Hi. specialize (R i Hi). lra.
      - rewrite sum_minus, sum_scal, !group_sum_query by assumption. ring.
    Qed.
  End SinkRows.
End Frame.

(** ** Part 3: dual matrices *)

(** A sum in which one term is apart. *)
Lemma sum_all_but_one n (f : nat -> R) c a :
  (c < n)%nat -> (forall k, (k < n)%nat -> k <> c -> a <= f k) -> (INR n - 1) * a + f c <= sum n f.
Proof.
  intros Hc H.
  replace ((INR n - 1) * a + f c) with (sum n (fun k => a + 1 * (if (c =? k)%nat then f k - a else 0))).
  - apply sum_le. intros k Hk. destruct (Nat.eqb_spec c k) as [<-|E]; [lra|].
    specialize (H k Hk (not_eq_sym E)). lra.
  - rewrite sum_plus, sum_const, (sum_diagonal n (fun _ => 1) (fun k => f k - a) c Hc). ring.
Qed.

(** With p1^2 + p2^2 <= 1 the mixture p1 f + p2 g varies no more than f and g together. *)
Lemma mixture_spread C p1 p2 (f g : nat -> R) :
  (1 <= C)%nat -> p1 * p1 + p2 * p2 <= 1 ->
  sum C (fun c => (p1 * f c + p2 * g c) * (p1 * f c + p2 * g c))
  - (p1 * sum C f + p2 * sum C g) * (p1 * sum C f + p2 * sum C g) / INR C
  <= sum C (fun c => f c * f c) + sum C (fun c => g c * g c)
     - (sum C f * sum C f + sum C g * sum C g) / INR C.
Proof.
  intros HC Hp. assert (Hn : 0 < INR C) by now apply lt_0_INR.
  set (F := sum C f). set (G := sum C g).
  set (u := fun c => f c + - (F / INR C)). set (v := fun c => g c + - (G / INR C)).
  assert (E1 : sum C (fun c => u c * u c) = sum C (fun c => f c * f c) - F * F / INR C)
    by (unfold u; rewrite sum_square_shift; fold F; field; lra).
  assert (E2 : sum C (fun c => v c * v c) = sum C (fun c => g c * g c) - G * G / INR C)
    by (unfold v; rewrite sum_square_shift; fold G; field; lra).
  assert (E3 : sum C (fun c => (p1 * u c + p2 * v c) * (p1 * u c + p2 * v c))
               = sum C (fun c => (p1 * f c + p2 * g c) * (p1 * f c + p2 * g c))
                 - (p1 * F + p2 * G) * (p1 * F + p2 * G) / INR C).
  { rewrite (sum_ext C _ (fun c => ((p1 * f c + p2 * g c) + - ((p1 * F + p2 * G) / INR C))
                                 * ((p1 * f c + p2 * g c) + - ((p1 * F + p2 * G) / INR C))))
      by (intros; unfold u, v, Rdiv; ring).
    rewrite (sum_square_shift C (fun c => p1 * f c + p2 * g c)).
    rewrite (sum_plus C (fun c => p1 * f c)), !sum_scal. fold F G. field. lra. }
  rewrite <- E3.
  apply Rle_trans with (sum C (fun c => u c * u c) + sum C (fun c => v c * v c)).
  - rewrite <- sum_plus. apply sum_le. intros c _.
    pose proof (Rle_0_sqr (p1 * v c - p2 * u c)) as Q. unfold Rsqr in Q.
    assert (0 <= (1 - (p1 * p1 + p2 * p2)) * (u c * u c + v c * v c)); [|lra].
    apply Rmult_le_pos; [lra|]. pose proof (Rle_0_sqr (u c)). pose proof (Rle_0_sqr (v c)). unfold Rsqr in *. lra.
  - rewrite E1, E2. unfold Rdiv. lra.
Qed.

Section Dual.
  Context (I : instance) (HI : valid_instance I).

  Let d := dimension I.
  Let C := groups I.
  Let D := INR d.
  Let b := bos_vector I.
  Let mu := mean I.
  Let q := copy_query I.
  Let means := vsum C mu.
  Let copies := vsum C q.

  (** (sum_c mean_c) (a0 b + a1 sum mean + a2 sum q)^T
      + sum_c q_c (p1 mean_c + p2 q_c + r0 b + r1 sum mean + r2 sum q)^T. *)
  Context (a0 a1 a2 p1 p2 r0 r1 r2 : R).

  Definition dual_key (k : nat) : vector :=
    if (k <? C)%nat
    then vadd (vadd (vscal p1 (mu k)) (vscal p2 (q k))) (vadd (vscal r0 b) (vadd (vscal r1 means) (vscal r2 copies)))
    else vadd (vscal a0 b) (vadd (vscal a1 means) (vscal a2 copies)).

  Definition dual_query (k : nat) : vector := if (k <? C)%nat then q k else means.

  Definition copy_dual : matrix := combination (S C) (fun _ => 1) dual_query dual_key.

  Lemma copy_dual_pairing W :
    pairing d copy_dual W
    = sum C (fun c => p1 * bilinear d W (q c) (mu c) + p2 * bilinear d W (q c) (q c) + r0 * bilinear d W (q c) b
                      + r1 * sum C (fun k => bilinear d W (q c) (mu k))
                      + r2 * sum C (fun k => bilinear d W (q c) (q k)))
      + sum C (fun c => a0 * bilinear d W (mu c) b + a1 * sum C (fun k => bilinear d W (mu c) (mu k))
                        + a2 * sum C (fun k => bilinear d W (mu c) (q k))).
  Proof using.
    unfold copy_dual. rewrite pairing_combination. cbn [sum]. f_equal.
    - apply sum_ext. intros c Hc. unfold dual_query, dual_key.
      destruct (Nat.ltb_spec c C); [|lia].
      rewrite !bilinear_vadd_r, !bilinear_vscal_r. unfold means, copies. rewrite !bilinear_vsum_r. ring.
    - unfold dual_query, dual_key. rewrite Nat.ltb_irrefl, Rmult_1_l.
      unfold means at 1. rewrite bilinear_vsum_l. apply sum_ext. intros c _.
      rewrite !bilinear_vadd_r, !bilinear_vscal_r. unfold means, copies. rewrite !bilinear_vsum_r. ring.
  Qed.

  Context (Hp : p1 * p1 + p2 * p2 <= 1).
  Context (Hsym : forall w s t,
    INR C * ((a0 * w + a1 * s + a2 * t) * (a0 * w + a1 * s + a2 * t))
    + (p1 * s + p2 * t + INR C * (r0 * w + r1 * s + r2 * t))
      * (p1 * s + p2 * t + INR C * (r0 * w + r1 * s + r2 * t)) / INR C
    <= w * w + s * s / INR C + t * t / INR C).

  Lemma copy_dual_frame u v :
    2 * bilinear d copy_dual u v <= frame_square I u + frame_square I v.
  Proof using HI Hp Hsym.
    pose proof (groups_ge_1 I HI) as HC. fold C in HC.
    set (qu := fun c => dot d (q c) u). set (mv := fun c => dot d (mu c) v). set (qv := fun c => dot d (q c) v).
    set (w := dot d b v). set (s := sum C mv). set (t := sum C qv).
    set (x := a0 * w + a1 * s + a2 * t). set (y := r0 * w + r1 * s + r2 * t).
    set (z := fun c => p1 * mv c + p2 * qv c).
    set (U := sum C (fun c => dot d (mu c) u)).
    assert (E : bilinear d copy_dual u v = sum C (fun c => qu c * (z c + y)) + U * x).
    { unfold copy_dual. rewrite bilinear_combination. cbn [sum]. f_equal.
      - apply sum_ext. intros c Hc. unfold dual_query, dual_key. destruct (Nat.ltb_spec c C); [|lia].
        rewrite !dot_vadd_l, !dot_vscal_l. unfold means, copies. rewrite !dot_vsum_l.
        unfold z, y, w, s, t, mv, qv, qu. ring.
      - unfold dual_query, dual_key. rewrite Nat.ltb_irrefl, Rmult_1_l. unfold means at 1.
        rewrite dot_vsum_l, !dot_vadd_l, !dot_vscal_l. unfold means, copies. rewrite !dot_vsum_l.
        unfold U, x, w, s, t, mv, qv. ring. }
    assert (A1 : 2 * sum C (fun c => qu c * (z c + y))
                 <= sum C (fun c => qu c * qu c) + sum C (fun c => (z c + y) * (z c + y))).
    { rewrite <- sum_scal, <- sum_plus. apply sum_le. intros c _.
      pose proof (Rle_0_sqr (qu c - (z c + y))) as Q. unfold Rsqr in Q. lra. }
    assert (A2 : 2 * (U * x) <= sum C (fun c => dot d (mu c) u * dot d (mu c) u) + INR C * (x * x)).
    { pose proof (sum_square_mean C (fun c => dot d (mu c) u)) as Q. fold U in Q.
      set (M := sum C (fun c => dot d (mu c) u * dot d (mu c) u)) in *.
      pose proof (Rle_0_sqr (U - INR C * x)) as P. unfold Rsqr in P.
      apply (Rmult_le_reg_l (INR C)); lra. }
    pose proof (sum_square_shift C z y) as A3.
    assert (Ez : sum C z = p1 * s + p2 * t) by (unfold z; rewrite sum_plus, !sum_scal; reflexivity).
    pose proof (mixture_spread C p1 p2 mv qv (some_group I HI) Hp) as A4. fold s t in A4.
    change (sum C (fun c => (p1 * mv c + p2 * qv c) * (p1 * mv c + p2 * qv c)))
      with (sum C (fun c => z c * z c)) in A4.
    pose proof (Hsym w s t) as A5. fold x y in A5.
    replace ((p1 * s + p2 * t + INR C * y) * (p1 * s + p2 * t + INR C * y) / INR C)
      with ((p1 * s + p2 * t) * (p1 * s + p2 * t) / INR C + 2 * y * (p1 * s + p2 * t) + INR C * (y * y))
      in A5 by (field; lra).
    rewrite Ez in A3. rewrite E. unfold frame_square.
    fold d C b mu q. fold w.
    change (sum C (fun c => dot d (mu c) v * dot d (mu c) v)) with (sum C (fun c => mv c * mv c)).
    change (sum C (fun c => dot d (q c) v * dot d (q c) v)) with (sum C (fun c => qv c * qv c)).
    change (sum C (fun c => dot d (q c) u * dot d (q c) u)) with (sum C (fun c => qu c * qu c)).
    pose proof (Rle_0_sqr (dot d b u)) as Hbu. unfold Rsqr in Hbu. unfold Rdiv in *.
    lra.
  Qed.

  Lemma copy_dual_bounded : form_bounded d copy_dual D.
  Proof using HI Hp Hsym.
    intros u v. pose proof (copy_dual_frame u v) as H. pose proof (bessel I HI u) as H0. pose proof (bessel I HI v) as H1.
    rewrite Rmult_plus_distr_l. fold d in H0, H1. unfold D. lra.
  Qed.
End Dual.

(** *** The sink's constraints under multipliers a1 (dormant over dormant), a2 (dormant over copy token),
    b0 (q_c: group over BOS), b1 (over another group), g (over a copy token). *)

Section SinkDual.
  Context (I : instance) (HI : valid_instance I) (kappa : R).

  Let d := dimension I.
  Let C := groups I.
  Let n := INR C.
  Let l := lam I.
  Let m := kappa * sqrt (INR d).

  Context (a1 a2 b0 b1 g : R) (Ha1 : 0 <= a1) (Ha2 : 0 <= a2) (Hb0 : 0 <= b0) (Hb1 : 0 <= b1) (Hg : 0 <= g).
  Context (Hunit : l * (b0 + n * b1 + n * g) = 1).
  Context (Hsym : forall w s t,
    n * ((l * (n * (a1 + a2)) * w - l * l * a1 * s - l * a2 * t)
         * (l * (n * (a1 + a2)) * w - l * l * a1 * s - l * a2 * t))
    + (s - n * (b0 * w + l * b1 * s + g * t)) * (s - n * (b0 * w + l * b1 * s + g * t)) / n
    <= w * w + s * s / n + t * t / n).

  Let Y := copy_dual I (l * (n * (a1 + a2))) (- (l * l * a1)) (- (l * a2)) 1 0 (- b0) (- (l * b1)) (- g).

  Lemma sink_dual_bounded : form_bounded d Y (INR d).
  Proof using HI Hsym.
    apply copy_dual_bounded; [assumption|lra|]. intros w s t. pose proof (Hsym w s t) as H. fold C n.
    replace (l * (n * (a1 + a2)) * w + - (l * l * a1) * s + - (l * a2) * t)
      with (l * (n * (a1 + a2)) * w - l * l * a1 * s - l * a2 * t) by ring.
    replace (1 * s + 0 * t + n * (- b0 * w + - (l * b1) * s + - g * t))
      with (s - n * (b0 * w + l * b1 * s + g * t)) by ring.
    exact H.
  Qed.

  Lemma sink_dual_value W :
    sink_pattern I W kappa ->
    m * (n * (n * (a1 + a2)) + n * (b0 + (n - 1) * b1 + n * g)) <= pairing d Y W.
  Proof using HI Ha1 Ha2 Hb0 Hb1 Hg Hunit.
    intros HS. unfold Y, d. rewrite copy_dual_pairing. fold d C.
    assert (R : forall c, (c < C)%nat -> m * (b0 + (n - 1) * b1 + n * g)
       <= 1 * bilinear d W (copy_query I c) (mean I c) + 0 * bilinear d W (copy_query I c) (copy_query I c)
          + - b0 * bilinear d W (copy_query I c) (bos_vector I)
          + - (l * b1) * sum C (fun k => bilinear d W (copy_query I c) (mean I k))
          + - g * sum C (fun k => bilinear d W (copy_query I c) (copy_query I k))).
    { intros c Hc. pose proof (copy_prefers_group I W kappa HS) as P.
      set (u := bilinear d W (copy_query I c) (mean I c)).
      pose proof (copy_over_bos I HI W kappa c P Hc) as H0. fold d m l u in H0.
      set (p := bilinear d W (copy_query I c) (bos_vector I)) in *.
      assert (H1 : (n - 1) * m + 0 <= sum C (fun k => l * u - l * bilinear d W (copy_query I c) (mean I k))).
      { replace 0 with (l * u - l * u) by ring.
        apply (sum_all_but_one C (fun k => l * u - l * bilinear d W (copy_query I c) (mean I k)) c m Hc).
        intros k Hk E. pose proof (copy_over_group I HI W kappa c k P Hc Hk E) as G. fold d m l u in G. lra. }
      rewrite sum_minus, sum_const, sum_scal in H1. fold n in H1.
      assert (H2 : n * m <= sum C (fun k => l * u - bilinear d W (copy_query I c) (copy_query I k))).
      { unfold n. rewrite <- sum_const. apply sum_le. intros k Hk.
        pose proof (copy_over_copy I HI W kappa c k P Hc Hk) as G. fold d m l u in G. lra. }
      rewrite sum_minus, sum_const in H2. fold n in H2.
      set (S1 := sum C (fun k => bilinear d W (copy_query I c) (mean I k))) in *.
      set (S2 := sum C (fun k => bilinear d W (copy_query I c) (copy_query I k))) in *.
      apply (Rmult_le_compat_l b0) in H0; [|assumption].
      apply (Rmult_le_compat_l b1) in H1; [|assumption].
      apply (Rmult_le_compat_l g) in H2; [|assumption].
      assert (Hu : u = l * (b0 + n * b1 + n * g) * u) by (rewrite Hunit; ring). lra. }
    assert (Q : forall c, (c < C)%nat -> m * (n * (a1 + a2))
       <= l * (n * (a1 + a2)) * bilinear d W (mean I c) (bos_vector I)
          + - (l * l * a1) * sum C (fun k => bilinear d W (mean I c) (mean I k))
          + - (l * a2) * sum C (fun k => bilinear d W (mean I c) (copy_query I k))).
    { intros c Hc. set (p := bilinear d W (mean I c) (bos_vector I)).
      assert (H1 : n * m <= sum C (fun k => l * p - l * l * bilinear d W (mean I c) (mean I k))).
      { unfold n. rewrite <- sum_const. apply sum_le. intros k Hk.
        pose proof (dormant_over_group I HI W kappa HS c k Hc Hk) as G. fold d m l p in G. lra. }
      rewrite sum_minus, sum_const, sum_scal in H1. fold n in H1.
      assert (H2 : n * m <= sum C (fun k => l * p - l * bilinear d W (mean I c) (copy_query I k))).
      { unfold n. rewrite <- sum_const. apply sum_le. intros k Hk.
        pose proof (dormant_over_copy I HI W kappa HS c k Hc Hk) as G. fold d m l p in G. lra. }
      rewrite sum_minus, sum_const, sum_scal in H2. fold n in H2.
      apply (Rmult_le_compat_l a1) in H1; [|assumption].
      apply (Rmult_le_compat_l a2) in H2; [|assumption]. lra. }
    rewrite Rmult_plus_distr_l, Rplus_comm.
    apply Rplus_le_compat.
    - replace (m * (n * (b0 + (n - 1) * b1 + n * g))) with (n * (m * (b0 + (n - 1) * b1 + n * g))) by ring.
      unfold n at 1. rewrite <- sum_const. now apply sum_le.
    - replace (m * (n * (n * (a1 + a2)))) with (n * (m * (n * (a1 + a2)))) by ring.
      unfold n at 1. rewrite <- sum_const. now apply sum_le.
  Qed.

  Lemma sink_dual_cost :
    cost_at_least I (fun W => sink_pattern I W kappa)
      (2 * kappa / sqrt (INR d) * (n * (n * (a1 + a2)) + n * (b0 + (n - 1) * b1 + n * g))).
  Proof using HI Ha1 Ha2 Hb0 Hb1 Hg Hunit Hsym.
    intros r WQ WK HW. apply sink_dual_value in HW.
    pose proof (pairing_form_bounded d r Y (INR d) WQ WK sink_dual_bounded) as P.
    pose proof (dimension_pos I HI) as HD. fold d in HD.
    pose proof (sqrt_lt_R0 _ HD) as Hs. pose proof (sqrt_sqrt (INR d) (Rlt_le _ _ HD)) as Es.
    set (V := n * (n * (a1 + a2)) + n * (b0 + (n - 1) * b1 + n * g)) in *. unfold m in HW.
    set (rd := sqrt (INR d)) in *. fold d. set (K := factor_cost d r WQ WK) in *.
    apply (Rmult_le_reg_l (rd * rd)); [now apply Rmult_lt_0_compat|].
    replace (rd * rd * (2 * kappa / rd * V)) with (2 * (kappa * rd * V)) by (field; lra).
    rewrite Es. lra.
  Qed.
End SinkDual.

(** ** Part 4: the bounds *)

(** *** Scalar facts about E and N of [sink_least] *)

Section SinkScalars.
  Context (n l E N : R).
  Context (Hn : 1 <= n) (Hl : 0 < l) (Hl1 : l * l < 1) (HE : 0 < E) (HN : 0 < N).
  Context (EE : E * E = 1 + n + n / (l * l)) (NN : N * N = n + 2 * n / E + 1 / (E * E)).

  Let Y2 := (n * E + 1 + n) / (N * (E * E)).
  Let a1 := / (l * l * l * N * (E * E)).
  Let a2 := (E + n) / (l * n * N * (E * E)).
  Let b0 := / (l * N * (E * E)).
  Let b1 := (1 - Y2) / (n * l).
  Let g := (E + 1) / (l * N * (E * E)).

  Lemma sink_multipliers_product : 0 < N * (E * E).
  Proof using HE HN. apply Rmult_lt_0_compat; [assumption|now apply Rmult_lt_0_compat]. Qed.

  Lemma sink_norm_square : N * (E * E) * (N * (E * E)) = E * E * (n * (E * E) + 2 * n * E + 1).
  Proof using HE NN.
    replace (N * (E * E) * (N * (E * E))) with (N * N * (E * E * (E * E))) by ring. rewrite NN. field. lra.
  Qed.

  Lemma sink_root_large : 1 + 2 * n <= E * E.
  Proof using Hn Hl Hl1 EE.
    rewrite EE. assert (H : n <= n / (l * l)); [|lra].
    apply (Rmult_le_reg_r (l * l)); [now apply Rmult_lt_0_compat|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra.
    assert (0 <= n * (1 - l * l)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma sink_share_le_1 : Y2 <= 1.
  Proof using Hn Hl Hl1 HE HN EE NN.
    pose proof sink_multipliers_product as P. pose proof sink_norm_square as S. pose proof sink_root_large as L.
    unfold Y2. apply (Rmult_le_reg_r (N * (E * E))); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
    assert (Q : (n * E + 1 + n) * (n * E + 1 + n) <= N * (E * E) * (N * (E * E))).
    { rewrite S. set (F := E * E) in *.
      replace ((n * E + 1 + n) * (n * E + 1 + n)) with (n * n * F + 2 * n * (1 + n) * E + (1 + n) * (1 + n))
        by (unfold F; ring).
      assert (0 <= n * F * (F - (1 + 2 * n))) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]).
      assert (0 <= 2 * n * E * (F - (1 + n))) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]).
      assert (0 <= (n * n + n + 1) * (F - (1 + 2 * n))) by (apply Rmult_le_pos; [nra|lra]).
      assert (0 <= n * n * n) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
      assert (0 <= n * n) by (apply Rmult_le_pos; lra). lra. }
    apply Rsqr_incr_0; unfold Rsqr; [exact Q| |lra].
    assert (0 <= n * E) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma sink_multipliers_nonneg : 0 <= a1 /\ 0 <= a2 /\ 0 <= b0 /\ 0 <= b1 /\ 0 <= g.
  Proof using Hn Hl Hl1 HE HN EE NN.
    pose proof sink_multipliers_product as P. pose proof sink_share_le_1 as Q.
    assert (P1 : 0 < l * N * (E * E)) by (rewrite Rmult_assoc; now apply Rmult_lt_0_compat).
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    repeat split.
    - unfold a1. left. apply Rinv_0_lt_compat.
      replace (l * l * l * N * (E * E)) with (l * l * (l * N * (E * E))) by ring. now apply Rmult_lt_0_compat.
    - unfold a2. apply Rlt_le, Rdiv_lt_0_compat; [lra|].
      replace (l * n * N * (E * E)) with (n * (l * N * (E * E))) by ring. apply Rmult_lt_0_compat; lra.
    - unfold b0. left. now apply Rinv_0_lt_compat.
    - unfold b1, Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra.
    - unfold g. apply Rlt_le, Rdiv_lt_0_compat; lra.
  Qed.

  Lemma sink_multipliers_unit : l * (b0 + n * b1 + n * g) = 1.
  Proof using Hn Hl HE HN. unfold b0, b1, g, Y2. field. repeat split; lra. Qed.

  Lemma sink_multipliers_value :
    n * (n * (a1 + a2)) + n * (b0 + (n - 1) * b1 + n * g) = (n - 1 + N) / l.
  Proof using Hn Hl HE HN EE NN.
    assert (H1 : n * (n * (a1 + a2)) = n * (E * E + E - 1) / (l * (N * (E * E)))).
    { unfold a1, a2. replace (E * E + E - 1) with (n + n / (l * l) + E) by (rewrite EE; ring).
      field. repeat split; lra. }
    assert (H2 : n * (b0 + (n - 1) * b1 + n * g) = (n - 1 + Y2) / l).
    { replace (b0 + (n - 1) * b1 + n * g) with (l * (b0 + n * b1 + n * g) / l - b1) by (field; lra).
      rewrite sink_multipliers_unit. unfold b1. field. lra. }
    rewrite H1, H2.
    assert (H3 : n * (E * E + E - 1) / (N * (E * E)) + Y2 = N).
    { apply (Rmult_eq_reg_r (N * (E * E))); [|pose proof sink_multipliers_product; lra].
      replace ((n * (E * E + E - 1) / (N * (E * E)) + Y2) * (N * (E * E)))
        with (n * (E * E) + 2 * n * E + 1) by (unfold Y2; field; lra).
      replace (N * (N * (E * E))) with (N * N * (E * E)) by ring. rewrite NN. field. lra. }
    rewrite <- H3 at 2. unfold Y2. field. repeat split; lra.
  Qed.

  Lemma sink_multipliers_contract w s t :
    n * ((l * (n * (a1 + a2)) * w - l * l * a1 * s - l * a2 * t)
         * (l * (n * (a1 + a2)) * w - l * l * a1 * s - l * a2 * t))
    + (s - n * (b0 * w + l * b1 * s + g * t)) * (s - n * (b0 * w + l * b1 * s + g * t)) / n
    <= w * w + s * s / n + t * t / n.
  Proof using Hn Hl Hl1 HE HN EE NN.
    pose proof sink_multipliers_product as P. pose proof sink_norm_square as SQ.
    set (Z := N * (E * E)) in *.
    set (x1 := (E * E + E - 1) * w - s / l - (E + n) / n * t).
    set (x2 := (n * E + 1 + n) * s - n / l * w - n * (E + 1) / l * t).
    assert (X1 : l * (n * (a1 + a2)) * w - l * l * a1 * s - l * a2 * t = x1 / Z).
    { unfold a1, a2, x1. replace (E * E + E - 1) with (n + n / (l * l) + E) by (rewrite EE; ring).
      unfold Z. field. repeat split; lra. }
    assert (X2 : s - n * (b0 * w + l * b1 * s + g * t) = x2 / Z).
    { unfold b0, b1, g, Y2, x2. fold Z. unfold Z. field. repeat split; lra. }
    rewrite X1, X2.
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (HEE : 0 < E * E) by now apply Rmult_lt_0_compat.
    assert (HK : 0 < n * (E * E) + 2 * n * E + 1).
    { assert (0 < n * (E * E)) by (apply Rmult_lt_0_compat; lra).
      assert (0 < n * E) by (apply Rmult_lt_0_compat; lra). lra. }
    set (K := n * (E * E) + 2 * n * E + 1) in *.
    replace (n * (x1 / Z * (x1 / Z)) + x2 / Z * (x2 / Z) / n) with ((n * (x1 * x1) + x2 * x2 / n) / (Z * Z))
      by (field; lra).
    rewrite SQ.
    (* what is missing is (w + s/l + t)^2/E^2 *)
    assert (ID : E * E * K * (w * w + s * s / n + t * t / n)
                 = n * (x1 * x1) + x2 * x2 / n + K * ((w + s / l + t) * (w + s / l + t))).
    { assert (En : n = (E * E - 1) * (l * l) / (l * l + 1)) by (rewrite EE; field; lra).
      assert (Hpos : 0 < E * E - 1).
      { rewrite EE. assert (0 < n / (l * l)) by (apply Rdiv_lt_0_compat; lra). lra. }
      unfold K, x1, x2. clear -En Hpos Hl Hll HE. rewrite En. field. repeat split; lra. }
    apply (Rmult_le_reg_l (E * E * K)); [now apply Rmult_lt_0_compat|]. rewrite ID.
    replace (E * E * K * ((n * (x1 * x1) + x2 * x2 / n) / (E * E * K)))
      with (n * (x1 * x1) + x2 * x2 / n) by (field; lra).
    assert (0 <= K * ((w + s / l + t) * (w + s / l + t))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]). lra.
  Qed.
End SinkScalars.

Section SinkBounds.
  Context (I : instance) (HI : valid_instance I).

  Let n := INR (groups I).
  Let l := lam I.

  Lemma sink_root_square : 0 < sink_root I /\ sink_root I * sink_root I = 1 + n + n / (l * l).
  Proof using HI.
    pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl. fold n in Hn. fold l in Hl.
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (0 < n / (l * l)) by (apply Rdiv_lt_0_compat; lra).
    unfold sink_root. fold n l. split; [apply sqrt_lt_R0; lra|apply sqrt_sqrt; lra].
  Qed.

  Lemma sink_norm_facts :
    0 < sink_norm I /\
    sink_norm I * sink_norm I = n + 2 * n / sink_root I + 1 / (sink_root I * sink_root I).
  Proof using HI.
    pose proof (groups_ge_1 I HI) as Hn. fold n in Hn. destruct sink_root_square as [HE _].
    unfold sink_norm. fold n. set (E := sink_root I) in *.
    assert (0 < 2 * n / E) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < 1 / (E * E)) by (apply Rdiv_lt_0_compat; [lra|now apply Rmult_lt_0_compat]).
    split; [apply sqrt_lt_R0; lra|apply sqrt_sqrt; lra].
  Qed.

  (** co-4, the exact bound: L_sink >= (2 kappa/(lam sqrt d)) (C - 1 + sqrt(C + 2C/E + 1/E^2)). *)
  Theorem sink_cost_least kappa :
    cost_at_least I (fun W => sink_pattern I W kappa)
      (2 * kappa / sqrt (INR (dimension I)) * sink_least I).
  Proof using HI.
    pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl. pose proof (lam_below I HI) as Hl1.
    destruct sink_root_square as [HE EE]. destruct sink_norm_facts as [HN NN].
    fold n in Hn. fold l in Hl, Hl1.
    destruct (sink_multipliers_nonneg n l _ _ Hn Hl Hl1 HE HN EE NN) as (H1 & H2 & H3 & H4 & H5).
    unfold sink_least. fold n l.
    rewrite <- (sink_multipliers_value n l _ _ Hn Hl HE HN EE NN).
    apply sink_dual_cost; try assumption.
    - now apply sink_multipliers_unit.
    - intros w s t. now apply sink_multipliers_contract.
  Qed.

  (** The same number with D = C + (C+1) lam^2, as the upper bound has it: E = sqrt(D)/lam. *)
  Lemma sink_least_closed_form : sink_least I = sink_cost n l.
  Proof using HI.
    pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl. fold n in Hn. fold l in Hl.
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (HD : 0 < spread n l) by (assert (0 < (n + 1) * (l * l)) by (apply Rmult_lt_0_compat; lra); unfold spread; lra).
    assert (E : sink_root I = sqrt (spread n l) / l).
    { unfold sink_root. fold n l. replace (1 + n + n / (l * l)) with (spread n l / (l * l)) by (unfold spread; field; lra).
      now rewrite sqrt_div_alt, sqrt_square by lra. }
    unfold sink_least, sink_norm, sink_cost, group_sum_cost. rewrite E. fold n l.
    assert (Hy : 0 < sqrt (spread n l)) by now apply sqrt_lt_R0.
    assert (Ey : sqrt (spread n l) * sqrt (spread n l) = spread n l) by (apply sqrt_sqrt; lra).
    replace (n / (l * l) + / spread n l + 2 * n / (l * sqrt (spread n l)))
      with ((n + 2 * n / (sqrt (spread n l) / l) + 1 / (sqrt (spread n l) / l * (sqrt (spread n l) / l))) / (l * l))
      by (set (y := sqrt (spread n l)) in *; rewrite <- Ey; field; lra).
    rewrite sqrt_div_alt, sqrt_square by lra. field. lra.
  Qed.
End SinkBounds.

(** *** The sink: weaker and simpler forms *)

Section SinkCorollaries.
  Context (I : instance) (HI : valid_instance I) (kappa : R) (Hk : 0 <= kappa).

  Let n := INR (groups I).
  Let l := lam I.
  Let unit := 2 * kappa / sqrt (INR (dimension I)).

  Lemma unit_nonneg : 0 <= unit.
  Proof using HI Hk.
    unfold unit. pose proof (sqrt_lt_R0 _ (dimension_pos I HI)). apply Rmult_le_pos; [lra|].
    left. now apply Rinv_0_lt_compat.
  Qed.

  Lemma weaken K K' pattern : K' <= K -> cost_at_least I pattern (unit * K) -> cost_at_least I pattern (unit * K').
  Proof using HI Hk.
    intros H HK r WQ WK HW. apply Rle_trans with (unit * K); [|now apply HK].
    apply Rmult_le_compat_l; [apply unit_nonneg|assumption].
  Qed.

  Lemma sink_norm_gt_1 : 1 < sink_norm I.
  Proof using HI.
    destruct (sink_norm_facts I HI) as [HN NN]. destruct (sink_root_square I HI) as [HE _].
    pose proof (groups_ge_1 I HI) as Hn.
    assert (0 < 2 * INR (groups I) / sink_root I) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < 1 / (sink_root I * sink_root I)) by (apply Rdiv_lt_0_compat; [lra|now apply Rmult_lt_0_compat]).
    apply Rsqr_incrst_0; unfold Rsqr; lra.
  Qed.

  Lemma lam_below_1 : l < 1.
  Proof using HI.
    pose proof (lam_below I HI) as H. pose proof (lam_positive I HI). unfold l.
    apply Rsqr_incrst_0; unfold Rsqr; lra.
  Qed.

  (** "(2 kappa/sqrt d) [(C-1)/lam + 1/sqrt(C + lam^2)]". *)
  Theorem sink_cost_bracket : cost_at_least I (fun W => sink_pattern I W kappa) (unit * sink_bracket I).
  Proof using HI Hk.
    apply (weaken (sink_least I)); [|now apply sink_cost_least].
    pose proof sink_norm_gt_1 as HN. pose proof (lam_positive I HI) as Hl. pose proof (groups_ge_1 I HI) as Hn.
    unfold sink_bracket, sink_least. fold n l in Hn, Hl |- *.
    assert (R : l <= sqrt (n + l * l)).
    { rewrite <- (sqrt_square l) at 1 by lra. apply sqrt_le_1_alt. lra. }
    assert (1 / sqrt (n + l * l) <= sink_norm I / l).
    { apply Rle_trans with (1 / l).
      - unfold Rdiv. rewrite !Rmult_1_l. now apply Rinv_le_contravar.
      - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
    unfold Rdiv in *. lra.
  Qed.

  (** 2 kappa C/(lam sqrt d); the factor 1/lam > 1 is for nothing. *)
  Theorem sink_cost_linear :
    cost_at_least I (fun W => sink_pattern I W kappa) (2 * kappa * INR (groups I) / (lam I * sqrt (INR (dimension I)))).
  Proof using HI Hk.
    pose proof sink_norm_gt_1 as HN. pose proof (lam_positive I HI) as Hl. fold l in Hl.
    pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs.
    replace (2 * kappa * INR (groups I) / (lam I * sqrt (INR (dimension I)))) with (unit * (n / l))
      by (pose proof (lam_positive I HI); unfold unit, n, l; field; lra).
    apply (weaken (sink_least I)); [|now apply sink_cost_least].
    unfold sink_least. fold n l. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
  Qed.

  (** "L_sink >= kappa C/(2 sqrt d)". *)
  Theorem sink_cost_published :
    cost_at_least I (fun W => sink_pattern I W kappa) (kappa * INR (groups I) / (2 * sqrt (INR (dimension I)))).
  Proof using HI Hk.
    pose proof lam_below_1 as Hl1. pose proof (lam_positive I HI) as Hl. fold l in Hl. pose proof sink_norm_gt_1.
    pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hs. pose proof (groups_ge_1 I HI) as Hn. fold n in Hn.
    replace (kappa * INR (groups I) / (2 * sqrt (INR (dimension I)))) with (unit * (n / 4))
      by (unfold unit, n; field; lra).
    apply (weaken (sink_least I)); [|now apply sink_cost_least].
    unfold sink_least. fold n l. apply (Rmult_le_reg_r l); [assumption|].
    replace ((n - 1 + sink_norm I) / l * l) with (n - 1 + sink_norm I) by (field; lra).
    assert (n * l <= n * 1) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
End SinkCorollaries.

(** *** The diagonal: copy rows *)

Section DiagonalDual.
  Context (I : instance) (HI : valid_instance I) (kappa : R).

  Let d := dimension I.
  Let C := groups I.
  Let n := INR C.
  Let l := lam I.
  Let m := kappa * sqrt (INR d).

  (** Multipliers: g1 (group over q_c itself), e0 (q_c over BOS), e1 (over another group), e2 (over another
      copy token). *)
  Context (g1 e0 e1 e2 : R) (Hg1 : 0 <= g1) (He0 : 0 <= e0) (He1 : 0 <= e1) (He2 : 0 <= e2).

  Definition diagonal_dual : matrix :=
    copy_dual I 0 0 0 (l * (g1 + e1)) (e0 + (n - 1) * e1 + n * e2 - g1) (- e0) (- (l * e1)) (- e2).

  Lemma diagonal_dual_value W :
    diagonal_pattern I W kappa -> m * (n * (g1 + e0 + (n - 1) * (e1 + e2))) <= pairing d diagonal_dual W.
  Proof using HI Hg1 He0 He1 He2.
    intros HS. unfold diagonal_dual, d. rewrite copy_dual_pairing. fold d C.
    rewrite (sum_zero C (fun c => 0 * bilinear d W (mean I c) (bos_vector I)
               + 0 * sum C (fun k => bilinear d W (mean I c) (mean I k))
               + 0 * sum C (fun k => bilinear d W (mean I c) (copy_query I k)))) by (intros; ring).
    rewrite Rplus_0_r.
    replace (m * (n * (g1 + e0 + (n - 1) * (e1 + e2)))) with (n * (m * (g1 + e0 + (n - 1) * (e1 + e2)))) by ring.
    unfold n at 1. rewrite <- sum_const. apply sum_le. intros c Hc.
    pose proof (copy_prefers_group_d I W kappa HS) as P.
    pose proof (fun z => copy_prefers_itself I W kappa HS c z Hc) as Q.
    set (u := bilinear d W (copy_query I c) (mean I c)).
    set (e := bilinear d W (copy_query I c) (copy_query I c)).
    pose proof (copy_over_copy I HI W kappa c c P Hc Hc) as H0. fold d m l u e in H0.
    assert (T : forall z, present I z -> ~ in_group c z -> z <> Copy c ->
              m + bilinear d W (copy_query I c) (embedding I z) <= e).
    { intros z H1 H2 H3. apply (score_margin I W kappa (Copy c) (Copy c) z (some_dimension I HI)).
      now apply Q. }
    assert (H1 : m + bilinear d W (copy_query I c) (bos_vector I) <= e)
      by (apply (T Bos); [exact Logic.I|intros []|discriminate]).
    set (p := bilinear d W (copy_query I c) (bos_vector I)) in *.
    assert (H2 : (n - 1) * m + (e - l * u) <= sum C (fun k => e - l * bilinear d W (copy_query I c) (mean I k))).
    { apply (sum_all_but_one C (fun k => e - l * bilinear d W (copy_query I c) (mean I k)) c m Hc).
      intros k Hk E. assert (G : l * bilinear d W (copy_query I c) (mean I k) <= e - m); [|lra].
      apply (average_ge (size I k) (fun j => bilinear d W (copy_query I c) (dormant I k j))).
      - now apply (size_pos I HI).
      - intros j Hj. assert (G := T (Dormant k j) (conj Hk Hj)). cbn [embedding] in G.
        specialize (G E ltac:(discriminate)). lra.
      - now apply (group_sum_key I HI). }
    assert (H3 : (n - 1) * m + (e - e) <= sum C (fun k => e - bilinear d W (copy_query I c) (copy_query I k))).
    { apply (sum_all_but_one C (fun k => e - bilinear d W (copy_query I c) (copy_query I k)) c m Hc).
      intros k Hk E. assert (G := T (Copy k) Hk). cbn [embedding] in G.
      assert (m + bilinear d W (copy_query I c) (copy_query I k) <= e); [|lra].
      apply G; [intros []|]. intros X. apply E. congruence. }
    rewrite sum_minus, sum_const, sum_scal in H2. fold n in H2.
    rewrite sum_minus, sum_const in H3. fold n in H3.
    apply (Rmult_le_compat_l g1) in H0; [|assumption].
    apply (Rmult_le_compat_l e0) in H1; [|assumption].
    apply (Rmult_le_compat_l e1) in H2; [|assumption].
    apply (Rmult_le_compat_l e2) in H3; [|assumption]. lra.
  Qed.
End DiagonalDual.

Section DiagonalScalars.
  Context (n l r v : R).
  Context (Hn : 1 <= n) (Hl : 0 < l) (Hl1 : l * l < 1) (Hr : 0 < r) (Hv : 0 < v).
  Context (RR : r * r = 1 + 4 / (l * l)) (VV : v * v = (n + 4 + l * l) / (n + (1 + n) * (l * l))).

  Let z := n + (1 + n) * (l * l).
  Let o := (l * l + 2) / z.
  Let p1 := 2 / (l * r).
  Let p2 := 1 / r.
  Let s1 := (2 - o * n) / l.
  Let s2 := 1 - o * n.
  Let e0 := o / v.
  Let e1 := (p1 - s1 / v) / (n * l).
  Let e2 := (p2 - s2 / v) / n.
  Let g1 := p1 / l - e1.

  Lemma diagonal_square_pos : 0 < l * l.
  Proof using Hn Hl Hl1 Hr Hv RR VV. now apply Rmult_lt_0_compat. Qed.

  Lemma diagonal_z_pos : 0 < z.
  Proof using Hn Hl Hl1 Hr Hv RR VV. pose proof diagonal_square_pos. unfold z. nra. Qed.

  Lemma diagonal_l_r : l * l * (r * r) = 4 + l * l.
  Proof using Hn Hl Hl1 Hr Hv RR VV. rewrite RR. field. lra. Qed.

  Lemma diagonal_v_z : v * v * z = n + 4 + l * l.
  Proof using Hn Hl Hl1 Hr Hv RR VV. pose proof diagonal_z_pos. rewrite VV. fold z. field. lra. Qed.

  Lemma diagonal_s1 : s1 = l * (n + 2) / z.
  Proof using Hn Hl Hl1 Hr Hv RR VV. pose proof diagonal_z_pos. unfold s1, o. unfold z in *. field. lra. Qed.

  Lemma diagonal_s2 : s2 = - (n - l * l) / z.
  Proof using Hn Hl Hl1 Hr Hv RR VV. pose proof diagonal_z_pos. unfold s2, o. unfold z in *. field. lra. Qed.

  Lemma diagonal_multipliers_nonneg : 0 <= g1 /\ 0 <= e0 /\ 0 <= e1 /\ 0 <= e2.
  Proof using Hn Hl Hl1 Hr Hv RR VV.
    pose proof diagonal_square_pos as Hll. pose proof diagonal_z_pos as Hz.
    pose proof diagonal_l_r as LR. pose proof diagonal_v_z as VZ.
    assert (Hlr : 0 < l * r) by now apply Rmult_lt_0_compat.
    assert (Hnl : 0 < n * l) by (apply Rmult_lt_0_compat; lra).
    assert (Hp1 : 0 < p1) by (unfold p1; apply Rdiv_lt_0_compat; lra).
    assert (Hp2 : 0 < p2) by (unfold p2; apply Rdiv_lt_0_compat; lra).
    assert (Hs1 : 0 < s1) by (rewrite diagonal_s1; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption]).
    assert (Hs1v : 0 < s1 / v) by now apply Rdiv_lt_0_compat.
    assert (He1 : 0 <= e1).
    { unfold e1. unfold Rdiv at 1. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
      assert (H : s1 / v <= p1); [|lra].
      assert (Q : l * l * (n + 2) * (n + 2) * (l * l * (r * r)) <= 4 * z * (v * v * z)).
      { rewrite LR, VZ. unfold z. set (x := l * l) in *.
        assert (0 <= (n + 2) * (n + 2) * (x * (1 - x))).
        { apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra]. }
        assert (0 <= n * n * (1 - x)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]).
        assert (0 <= n * n) by (apply Rmult_le_pos; lra).
        assert (0 <= n * x) by (apply Rmult_le_pos; lra).
        assert (0 <= n * (x * x)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
        assert (0 <= x * x) by (apply Rmult_le_pos; lra). lra. }
      apply Rsqr_incr_0; unfold Rsqr; [|lra|lra].
      rewrite diagonal_s1. unfold p1.
      replace (l * (n + 2) / z / v * (l * (n + 2) / z / v)) with (l * l * (n + 2) * (n + 2) / (z * (v * v * z)))
        by (field; lra).
      replace (2 / (l * r) * (2 / (l * r))) with (4 / (l * l * (r * r))) by (field; lra).
      assert (0 < v * v * z) by (rewrite VZ; lra).
      apply (Rmult_le_reg_r (z * (v * v * z) * (l * l * (r * r)))).
      { apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|rewrite LR; lra]. }
      replace (l * l * (n + 2) * (n + 2) / (z * (v * v * z)) * (z * (v * v * z) * (l * l * (r * r))))
        with (l * l * (n + 2) * (n + 2) * (l * l * (r * r))) by (field; lra).
      replace (4 / (l * l * (r * r)) * (z * (v * v * z) * (l * l * (r * r)))) with (4 * z * (v * v * z)) by (field; lra).
      exact Q. }
    repeat split.
    - unfold g1, e1. replace (p1 / l - (p1 - s1 / v) / (n * l)) with ((p1 * (n - 1) + s1 / v) / (n * l)) by (field; lra).
      apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
      assert (0 <= p1 * (n - 1)) by (apply Rmult_le_pos; lra). lra.
    - unfold e0, o. apply Rlt_le. repeat apply Rdiv_lt_0_compat; lra.
    - exact He1.
    - unfold e2. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
      assert (s2 <= 0).
      { rewrite diagonal_s2. unfold Rdiv. rewrite Ropp_mult_distr_l_reverse.
        assert (0 <= (n - l * l) * / z) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]). lra. }
      assert (s2 / v <= 0); [|lra]. unfold Rdiv. rewrite <- (Rmult_0_l (/ v)).
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|assumption].
  Qed.

  Lemma diagonal_multipliers_mean : l * (g1 + e1) = p1.
  Proof using Hn Hl Hl1 Hr Hv RR VV. unfold g1. field. lra. Qed.

  Lemma diagonal_multipliers_copy : e0 + (n - 1) * e1 + n * e2 - g1 = p2.
  Proof using Hn Hl Hl1 Hr Hv RR VV.
    assert (S : o = s1 / l + s2).
    { pose proof diagonal_z_pos. rewrite diagonal_s1, diagonal_s2. unfold o, z in *. field. lra. }
    unfold g1. replace (e0 + (n - 1) * e1 + n * e2 - (p1 / l - e1)) with (e0 + n * e1 + n * e2 - p1 / l) by ring.
    unfold e0, e1, e2. rewrite S. field. lra.
  Qed.

  Lemma diagonal_multipliers_unit : p1 * p1 + p2 * p2 <= 1.
  Proof using Hn Hl Hl1 Hr Hv RR VV.
    pose proof diagonal_l_r as LR. apply Req_le. unfold p1, p2.
    replace (2 / (l * r) * (2 / (l * r)) + 1 / r * (1 / r)) with ((4 + l * l) / (l * l * (r * r))) by (field; lra).
    rewrite LR. field. pose proof diagonal_square_pos. lra.
  Qed.

  Lemma diagonal_multipliers_value : n * (g1 + e0 + (n - 1) * (e1 + e2)) = (n - 1) * r + v.
  Proof using Hn Hl Hl1 Hr Hv RR VV.
    pose proof diagonal_square_pos as Hll. pose proof diagonal_z_pos as Hz.
    (* perpendicular part: 2 p1/l + p2 = r; symmetric part: 2 s1/l + s2 = v^2 *)
    assert (A : 2 * p1 / l + p2 = r).
    { apply (Rmult_eq_reg_r (l * l * r)); [|apply Rgt_not_eq; now apply Rmult_lt_0_compat].
      unfold p1, p2. replace ((2 * (2 / (l * r)) / l + 1 / r) * (l * l * r)) with (4 + l * l) by (field; lra).
      replace (r * (l * l * r)) with (l * l * (r * r)) by ring. now rewrite diagonal_l_r. }
    assert (V : 2 * s1 / l + s2 = v * v).
    { apply (Rmult_eq_reg_r z); [|lra]. rewrite diagonal_v_z, diagonal_s1, diagonal_s2. field. lra. }
    assert (S : o = s1 / l + s2).
    { rewrite diagonal_s1, diagonal_s2. unfold o, z in *. field. lra. }
    unfold g1. replace (n * (p1 / l - e1 + e0 + (n - 1) * (e1 + e2)))
      with (n * (p1 / l + e0 + (n - 2) * e1 + (n - 1) * e2)) by ring.
    unfold e0, e1, e2. rewrite S.
    replace (n * (p1 / l + (s1 / l + s2) / v + (n - 2) * ((p1 - s1 / v) / (n * l)) + (n - 1) * ((p2 - s2 / v) / n)))
      with ((n - 1) * (2 * p1 / l + p2) + (2 * s1 / l + s2) / v) by (field; lra).
    rewrite A, V. field. lra.
  Qed.

  Lemma diagonal_multipliers_contract w s t :
    n * ((0 * w + 0 * s + 0 * t) * (0 * w + 0 * s + 0 * t))
    + (p1 * s + p2 * t + n * (- e0 * w + - (l * e1) * s + - e2 * t))
      * (p1 * s + p2 * t + n * (- e0 * w + - (l * e1) * s + - e2 * t)) / n
    <= w * w + s * s / n + t * t / n.
  Proof using Hn Hl Hl1 Hr Hv RR VV.
    pose proof diagonal_square_pos as Hll. pose proof diagonal_z_pos as Hz.
    replace (p1 * s + p2 * t + n * (- e0 * w + - (l * e1) * s + - e2 * t))
      with ((s1 * s + s2 * t - n * o * w) / v) by (unfold e0, e1, e2; field; lra).
    assert (V : v * v = s1 * s1 + s2 * s2 + n * (o * o)).
    { apply (Rmult_eq_reg_r z); [|lra]. rewrite diagonal_v_z, diagonal_s1, diagonal_s2.
      unfold o, z in *. field. lra. }
    assert (Hvv : 0 < v * v) by now apply Rmult_lt_0_compat.
    apply (Rmult_le_reg_r (n * (v * v))); [apply Rmult_lt_0_compat; lra|].
    replace ((n * ((0 * w + 0 * s + 0 * t) * (0 * w + 0 * s + 0 * t))
              + (s1 * s + s2 * t - n * o * w) / v * ((s1 * s + s2 * t - n * o * w) / v) / n) * (n * (v * v)))
      with ((s1 * s + s2 * t - n * o * w) * (s1 * s + s2 * t - n * o * w)) by (field; lra).
    replace ((w * w + s * s / n + t * t / n) * (n * (v * v)))
      with ((n * (w * w) + s * s + t * t) * (v * v)) by (field; lra).
    rewrite V.
    pose proof (Rle_0_sqr (s1 * t - s2 * s)) as Q1. unfold Rsqr in Q1.
    assert (Q2 : 0 <= n * ((s1 * w + o * s) * (s1 * w + o * s))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    assert (Q3 : 0 <= n * ((s2 * w + o * t) * (s2 * w + o * t))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    lra.
  Qed.
End DiagonalScalars.

(** *** The diagonal: dormant rows, through the covariance of the same-group differences *)

Section Covariance.
  Context (I : instance) (HI : valid_instance I).

  Let d := dimension I.
  Let C := groups I.
  Let P := pair_count I.

  (** A linear functional of Sigma is the average of its values on x x^T. *)
  Definition pair_average (f : nat -> nat -> nat -> R) : R :=
    sum C (fun c => sum (size I c) (fun i => sum (size I c) (fun j => f c i j))) / P.

  Lemma pair_average_ext f g :
    (forall c i j, (c < C)%nat -> (i < size I c)%nat -> (j < size I c)%nat -> f c i j = g c i j) ->
    pair_average f = pair_average g.
  Proof.
    intros H. unfold pair_average. f_equal. apply sum_ext. intros. apply sum_ext. intros. apply sum_ext. intros.
    now apply H.
  Qed.

  Lemma pair_count_pos : 0 < P.
  Proof using HI.
    unfold P, pair_count. apply sum_pos; [pose proof (some_group I HI); lia|]. intros c Hc.
    assert (H : 2 <= INR (size I c)) by (change 2 with (INR 2); apply le_INR, (two_members I HI c Hc)).
    apply Rmult_lt_0_compat; lra.
  Qed.

  Lemma pair_average_times f :
    pair_average f * P = sum C (fun c => sum (size I c) (fun i => sum (size I c) (fun j => f c i j))).
  Proof using HI. pose proof pair_count_pos. unfold pair_average. field. lra. Qed.

  Lemma pair_average_le f g :
    (forall c i j, (c < C)%nat -> (i < size I c)%nat -> (j < size I c)%nat -> f c i j <= g c i j) ->
    pair_average f <= pair_average g.
  Proof using HI.
    intros H. unfold pair_average. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pair_count_pos|].
    apply sum_le. intros. apply sum_le. intros. apply sum_le. intros. now apply H.
  Qed.

  Lemma pair_average_sum n (f : nat -> nat -> nat -> nat -> R) :
    sum n (fun a => pair_average (f a)) = pair_average (fun c i j => sum n (fun a => f a c i j)).
  Proof.
    unfold pair_average, Rdiv. rewrite sum_scal_r. f_equal. rewrite sum_swap. apply sum_ext. intros c _.
    rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
  Qed.

  Lemma pair_average_scal k f : k * pair_average f = pair_average (fun c i j => k * f c i j).
  Proof.
    unfold pair_average, Rdiv. rewrite <- Rmult_assoc. f_equal. rewrite <- sum_scal. apply sum_ext. intros c _.
    rewrite <- sum_scal. apply sum_ext. intros i _. now rewrite sum_scal.
  Qed.

  Lemma pair_average_plus f g :
    pair_average f + pair_average g = pair_average (fun c i j => f c i j + g c i j).
  Proof.
    unfold pair_average, Rdiv. rewrite <- Rmult_plus_distr_r. f_equal. rewrite <- sum_plus. apply sum_ext. intros c _.
    rewrite <- sum_plus. apply sum_ext. intros i _. now rewrite sum_plus.
  Qed.

  Lemma covariance_pairing W :
    pairing d (difference_covariance I) W
    = pair_average (fun c i j => bilinear d W (difference I c i j) (difference I c i j)).
  Proof using.
    unfold pairing, bilinear.
    rewrite (sum_ext d _ (fun a => pair_average (fun c i j =>
               sum d (fun e => difference I c i j a * W a e * difference I c i j e)))).
    - apply pair_average_sum.
    - intros a _. rewrite <- pair_average_sum. apply sum_ext. intros e _.
      rewrite Rmult_comm. unfold difference_covariance. fold C P.
      change (sum C _ / P) with (pair_average (fun c i j => difference I c i j a * difference I c i j e)).
      rewrite pair_average_scal. apply pair_average_ext. intros. ring.
  Qed.

  Lemma covariance_form u v :
    bilinear d (difference_covariance I) u v
    = pair_average (fun c i j => dot d (difference I c i j) u * dot d (difference I c i j) v).
  Proof using.
    transitivity (pairing d (difference_covariance I) (fun a e => u a * v e)).
    - unfold bilinear, pairing. apply sum_ext. intros a _. apply sum_ext. intros e _. ring.
    - rewrite covariance_pairing. apply pair_average_ext. intros c i j _ _ _.
      set (x := difference I c i j). unfold bilinear, dot. rewrite <- sum_scal_r. apply sum_ext. intros a _.
      rewrite <- sum_scal. apply sum_ext. intros e _. ring.
  Qed.

  Lemma covariance_trace :
    trace d (difference_covariance I)
    = pair_average (fun c i j => dot d (difference I c i j) (difference I c i j)).
  Proof using.
    unfold trace, dot. rewrite <- pair_average_sum. reflexivity.
  Qed.

  (** "Add the two constraints of a pair": x^T W x >= 2 kappa sqrt d. *)
  Lemma covariance_margin W kappa :
    diagonal_pattern I W kappa ->
    2 * (kappa * sqrt (INR d)) <= pairing d (difference_covariance I) W.
  Proof using HI.
    intros HS. set (m := kappa * sqrt (INR d)). rewrite covariance_pairing.
    assert (H : forall c i j, member I c i -> member I c j -> j <> i ->
              m + bilinear d W (dormant I c i) (dormant I c j) <= bilinear d W (dormant I c i) (dormant I c i)).
    { intros c i j Hi Hj E.
      apply (score_margin I W kappa (Dormant c i) (Dormant c i) (Dormant c j) (some_dimension I HI)).
      apply (dormant_prefers_itself I W kappa HS c i (Dormant c j) Hi Hj). congruence. }
    pose proof pair_count_pos as HP.
    apply (Rmult_le_reg_r P); [assumption|]. rewrite pair_average_times. unfold P, pair_count. fold C.
    rewrite <- sum_scal. apply sum_le. intros c Hc.
    replace (2 * m * (INR (size I c) * (INR (size I c) - 1))) with (INR (size I c) * ((INR (size I c) - 1) * (2 * m)))
      by ring.
    rewrite <- sum_const. apply sum_le. intros i Hi.
    assert (X : forall j, bilinear d W (difference I c i j) (difference I c i j)
                = bilinear d W (dormant I c i) (dormant I c i) - bilinear d W (dormant I c i) (dormant I c j)
                  + (bilinear d W (dormant I c j) (dormant I c j) - bilinear d W (dormant I c j) (dormant I c i))).
    { intros j. rewrite (bilinear_ext d W W (difference I c i j) (vsub (dormant I c i) (dormant I c j))
                           (difference I c i j) (vsub (dormant I c i) (dormant I c j))).
      - rewrite bilinear_vsub_l, !bilinear_vsub_r. ring.
      - reflexivity.
      - intros a _. unfold difference, vsub, dormant. ring.
      - intros a _. unfold difference, vsub, dormant. ring. }
    replace ((INR (size I c) - 1) * (2 * m))
      with ((INR (size I c) - 1) * (2 * m) + bilinear d W (difference I c i i) (difference I c i i))
      by (rewrite X; ring).
    apply (sum_all_but_one (size I c) (fun j => bilinear d W (difference I c i j) (difference I c i j)) i (2 * m) Hi).
    intros j Hj E. rewrite X.
    pose proof (H c i j (conj Hc Hi) (conj Hc Hj) E). pose proof (H c j i (conj Hc Hj) (conj Hc Hi) (not_eq_sym E)). lra.
  Qed.

  (** Sigma sees the remainder alone, and there it is at most s. *)
  Lemma covariance_remainder s u v :
    top_at_most I s ->
    2 * bilinear d (difference_covariance I) u v
    <= s * dot d (remainder I u) (remainder I u) + s * dot d (remainder I v) (remainder I v).
  Proof using HI.
    intros Hs.
    assert (R : forall c i j w, (c < C)%nat -> (i < size I c)%nat -> (j < size I c)%nat ->
              dot d (difference I c i j) w = dot d (difference I c i j) (remainder I w)).
    { intros c i j w Hc Hi Hj.
      assert (X : forall y, dot d (difference I c i j) y = dot d (noise I c i) y - dot d (noise I c j) y)
        by (intros y; exact (dot_vsub_l d y (noise I c i) (noise I c j))).
      rewrite !X. unfold d. rewrite !(noise_remainder I HI) by (split; assumption). reflexivity. }
    pose proof (Hs (remainder I u)) as Hu. pose proof (Hs (remainder I v)) as Hv. unfold inner in Hu, Hv. fold d in Hu, Hv.
    eapply Rle_trans; [|apply Rplus_le_compat; [exact Hu|exact Hv]].
    rewrite !covariance_form, pair_average_scal, pair_average_plus. apply pair_average_le.
    intros c i j Hc Hi Hj. rewrite (R c i j u), (R c i j v) by assumption.
    set (a := dot d _ (remainder I u)). set (e := dot d _ (remainder I v)).
    pose proof (Rle_0_sqr (a - e)) as Q. unfold Rsqr in Q. lra.
  Qed.

  (** "tr Sigma <= 2 g delta^2/(g-1)". *)
  Lemma covariance_trace_le g :
    sizes_at_least I g ->
    trace d (difference_covariance I) * (INR g - 1) <= 2 * INR g * (delta I * delta I).
  Proof using HI.
    intros [Hg Hsize]. rewrite covariance_trace.
    assert (G : 2 <= INR g) by (change 2 with (INR 2); now apply le_INR).
    pose proof pair_count_pos as HP. set (e := delta I * delta I).
    assert (S : forall c, (c < C)%nat ->
      sum (size I c) (fun i => sum (size I c) (fun j => dot d (difference I c i j) (difference I c i j)))
      = 2 * e * (INR (size I c) * INR (size I c))).
    { intros c Hc.
      rewrite (sum_ext _ _ (fun i => INR (size I c) * (2 * e))); [rewrite sum_const; ring|].
      intros i Hi.
      rewrite (sum_ext _ _ (fun j => 2 * e - 2 * dot d (noise I c i) (noise I c j))).
      - rewrite sum_minus, sum_const, sum_scal, <- dot_sum.
        replace (dot d (noise I c i) (fun r => sum (size I c) (fun k => noise I c k r))) with 0; [ring|].
        unfold dot. symmetry. apply sum_zero. intros r Hr. rewrite (noise_centred I HI c Hc r Hr). ring.
      - intros j Hj.
        transitivity (dot d (vsub (noise I c i) (noise I c j)) (vsub (noise I c i) (noise I c j))); [reflexivity|].
        rewrite dot_vsub_l, !dot_vsub_r, (dot_comm d (noise I c j) (noise I c i)).
        pose proof (noise_norm I HI c i (conj Hc Hi)) as Ei. pose proof (noise_norm I HI c j (conj Hc Hj)) as Ej.
        unfold inner in Ei, Ej. fold d e in Ei, Ej. rewrite Ei, Ej. ring. }
    apply (Rmult_le_reg_r P); [assumption|]. unfold pair_average.
    replace (sum C (fun c => sum (size I c) (fun i => sum (size I c) (fun j =>
               dot d (difference I c i j) (difference I c i j)))) / P * (INR g - 1) * P)
      with ((INR g - 1) * sum C (fun c => sum (size I c) (fun i => sum (size I c) (fun j =>
               dot d (difference I c i j) (difference I c i j))))) by (field; lra).
    rewrite (sum_ext C _ (fun c => 2 * e * (INR (size I c) * INR (size I c)))) by exact S.
    unfold P, pair_count. fold C. rewrite <- !sum_scal. apply sum_le. intros c Hc.
    assert (K : INR g <= INR (size I c)) by now apply le_INR, Hsize.
    assert (He : 0 <= e) by apply Rle_0_sqr.
    assert (0 <= 2 * e * (INR (size I c) * (INR (size I c) - INR g))).
    { apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]. }
    lra.
  Qed.

  (** ||Sigma||_op <= tr Sigma <= 4 delta^2. *)
  Lemma top_at_most_4 : top_at_most I (4 * (delta I * delta I)).
  Proof using HI.
    intros u. rewrite covariance_form.
    assert (T : trace d (difference_covariance I) <= 4 * (delta I * delta I)).
    { assert (G : sizes_at_least I 2) by (split; [lia|apply (two_members I HI)]).
      pose proof (covariance_trace_le 2 G) as T. simpl INR in T. lra. }
    assert (U : 0 <= inner I u u) by apply dot_self_nonneg.
    apply Rle_trans with (inner I u u * trace d (difference_covariance I)).
    - rewrite covariance_trace, pair_average_scal. apply pair_average_le. intros c i j _ _ _.
      pose proof (cauchy_schwarz d (difference I c i j) u) as S1.
      pose proof (cauchy_schwarz d (difference I c i j) (fun r => - 1 * u r)) as S2.
      rewrite dot_scal in S2.
      assert (N2 : euclidean_norm d (fun r => - 1 * u r) = euclidean_norm d u).
      { unfold euclidean_norm. f_equal. apply sum_ext. intros. ring. }
      rewrite N2 in S2. unfold inner. fold d.
      rewrite <- (euclidean_square d u), <- (euclidean_square d (difference I c i j)).
      set (x := dot d (difference I c i j) u) in *.
      set (p := euclidean_norm _ _) in *. set (q := euclidean_norm _ _) in *. nra.
    - rewrite Rmult_comm. now apply Rmult_le_compat_r.
  Qed.
End Covariance.

Section DiagonalBounds.
  Context (I : instance) (HI : valid_instance I).

  Let d := dimension I.
  Let n := INR (groups I).
  Let l := lam I.

  (** co-2, the strongest form: rows and columns of the two duals are orthogonal, so the parts add. *)
  Theorem diagonal_cost_top kappa s :
    0 < s -> top_at_most I s ->
    cost_at_least I (fun W => diagonal_pattern I W kappa)
      (4 * kappa * sqrt (INR d) / s + 2 * kappa / sqrt (INR d) * diagonal_copy I).
  Proof using HI.
    intros Hs0 Hs r WQ WK HW.
    pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl. pose proof (lam_below I HI) as Hl1.
    fold n in Hn. fold l in Hl, Hl1.
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (Hz : 0 < n + (1 + n) * (l * l)).
    { assert (0 < (1 + n) * (l * l)) by (apply Rmult_lt_0_compat; lra). lra. }
    assert (H4 : 0 < 4 / (l * l)) by (apply Rdiv_lt_0_compat; lra).
    assert (H5 : 0 < (n + 4 + l * l) / (n + (1 + n) * (l * l))) by (apply Rdiv_lt_0_compat; lra).
    set (rho := sqrt (1 + 4 / (l * l))). set (v := sqrt ((n + 4 + l * l) / (n + (1 + n) * (l * l)))).
    assert (Hr : 0 < rho) by (apply sqrt_lt_R0; lra). assert (Hv : 0 < v) by (apply sqrt_lt_R0; lra).
    assert (RR : rho * rho = 1 + 4 / (l * l)) by (apply sqrt_sqrt; lra).
    assert (VV : v * v = (n + 4 + l * l) / (n + (1 + n) * (l * l))) by (apply sqrt_sqrt; lra).
    destruct (diagonal_multipliers_nonneg n l rho v Hn Hl Hl1 Hr Hv RR VV) as (G1 & G2 & G3 & G4).
    pose proof (diagonal_multipliers_mean n l rho v Hn Hl Hl1 Hr Hv RR VV) as EM.
    pose proof (diagonal_multipliers_copy n l rho v Hn Hl Hl1 Hr Hv RR VV) as EC.
    pose proof (diagonal_multipliers_value n l rho v Hn Hl Hl1 Hr Hv RR VV) as EV.
    pose proof (diagonal_multipliers_unit n l rho v Hn Hl Hl1 Hr Hv RR VV) as EU.
    pose proof (diagonal_multipliers_contract n l rho v Hn Hl Hl1 Hr Hv RR VV) as ES.
    set (e0 := (l * l + 2) / (n + (1 + n) * (l * l)) / v) in *.
    set (e1 := (2 / (l * rho) - (2 - (l * l + 2) / (n + (1 + n) * (l * l)) * n) / l / v) / (n * l)) in *.
    set (e2 := (1 / rho - (1 - (l * l + 2) / (n + (1 + n) * (l * l)) * n) / v) / n) in *.
    set (g1 := 2 / (l * rho) / l - e1) in *.
    pose proof (diagonal_dual_value I HI kappa g1 e0 e1 e2 G1 G2 G3 G4 _ HW) as VC. fold d n in VC.
    pose proof (covariance_margin I HI _ kappa HW) as VS. fold d in VS.
    set (Y := diagonal_dual I g1 e0 e1 e2) in *. set (Sg := difference_covariance I) in *.
    set (W := query_key r WQ WK) in *. set (m := kappa * sqrt (INR d)) in *.
    pose proof (dimension_pos I HI) as HD. fold d in HD.
    set (Z := fun a b => / INR d * Y a b + / s * Sg a b).
    assert (PZ : pairing d Z W = / INR d * pairing d Y W + / s * pairing d Sg W).
    { unfold pairing, Z. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros a _.
      rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring. }
    assert (BZ : form_bounded d Z 1).
    { intros x y.
      assert (E : bilinear d Z x y = / INR d * bilinear d Y x y + / s * bilinear d Sg x y).
      { unfold bilinear, Z. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros a _.
        rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring. }
      assert (F : 2 * bilinear d Y x y <= frame_square I x + frame_square I y).
      { unfold Y, diagonal_dual. fold n l. rewrite EM, EC. apply copy_dual_frame; [assumption|exact EU|exact ES]. }
      pose proof (covariance_remainder I HI s x y Hs) as G. fold d Sg in G.
      pose proof (pythagoras I HI x) as Px. pose proof (pythagoras I HI y) as Py. fold d in Px, Py.
      apply (Rmult_le_compat_l (/ INR d)) in F; [|left; now apply Rinv_0_lt_compat].
      apply (Rmult_le_compat_l (/ s)) in G; [|left; now apply Rinv_0_lt_compat].
      rewrite <- Rmult_plus_distr_l, <- (Rmult_assoc (/ s) s), Rinv_l, Rmult_1_l in G by lra.
      rewrite E, Px, Py. lra. }
    pose proof (pairing_form_bounded d r Z 1 WQ WK BZ) as B. fold W in B.
    rewrite PZ in B.
    apply (Rmult_le_compat_l (/ INR d)) in VC; [|left; now apply Rinv_0_lt_compat].
    apply (Rmult_le_compat_l (/ s)) in VS; [|left; now apply Rinv_0_lt_compat].
    rewrite EV in VC.
    assert (T1 : 4 * kappa * sqrt (INR d) / s = 2 * (/ s * (2 * m))) by (unfold m; field; lra).
    assert (T2 : 2 * kappa / sqrt (INR d) * diagonal_copy I = 2 * (/ INR d * (m * ((n - 1) * rho + v)))).
    { unfold diagonal_copy. fold n l rho v. unfold m.
      pose proof (sqrt_lt_R0 _ HD) as Hsq. rewrite <- (sqrt_sqrt (INR d)) at 2 by lra. field. lra. }
    rewrite T1, T2. fold d. lra.
  Qed.

  Context (kappa s : R) (g : nat).
  Context (Hk : 0 <= kappa) (Hs0 : 0 < s) (Hs : top_at_most I s) (Hdelta : 0 < delta I) (Hg : sizes_at_least I g).

  (** "the first term is >= 2 kappa sqrt(d) r_eff (g-1)/(g delta^2)". *)
  Lemma top_term :
    2 * kappa * sqrt (INR d) * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
    <= 4 * kappa * sqrt (INR d) / s.
  Proof using HI Hk Hs0 Hdelta Hg.
    pose proof (covariance_trace_le I HI g Hg) as T. fold d in T. destruct Hg as [Hg2 _].
    assert (G : 2 <= INR g) by (change 2 with (INR 2); now apply le_INR).
    pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hsq. fold d in Hsq.
    assert (He : 0 < delta I * delta I) by now apply Rmult_lt_0_compat.
    unfold effective_rank. fold d. set (t := trace d (difference_covariance I)) in *.
    set (e := delta I * delta I) in *. set (q := sqrt (INR d)) in *.
    assert (Hge : 0 < INR g * e) by (apply Rmult_lt_0_compat; lra).
    apply (Rmult_le_reg_r (s * (INR g * e))); [now apply Rmult_lt_0_compat|].
    replace (2 * kappa * q * (t / s) * (INR g - 1) / (INR g * e) * (s * (INR g * e)))
      with (2 * kappa * q * (t * (INR g - 1))) by (field; lra).
    replace (4 * kappa * q / s * (s * (INR g * e))) with (2 * kappa * q * (2 * INR g * e)) by (field; lra).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact T].
  Qed.

  Theorem diagonal_cost_rank :
    cost_at_least I (fun W => diagonal_pattern I W kappa)
      (2 * kappa * sqrt (INR d) * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
       + 2 * kappa / sqrt (INR d) * diagonal_copy I).
  Proof using HI Hk Hs0 Hs Hdelta Hg.
    intros r WQ WK HW. pose proof (diagonal_cost_top kappa s Hs0 Hs r WQ WK HW). pose proof top_term. lra.
  Qed.

  (** The copy part is at least twice the sink's bracket. *)
  Lemma diagonal_copy_bracket : 2 * sink_bracket I <= diagonal_copy I.
  Proof using HI.
    pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl. fold n in Hn. fold l in Hl.
    assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    assert (Hz : 0 < n + (1 + n) * (l * l)).
    { assert (0 < (1 + n) * (l * l)) by (apply Rmult_lt_0_compat; lra). lra. }
    unfold sink_bracket, diagonal_copy. fold n l.
    rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
    - replace (2 * ((n - 1) / l)) with ((n - 1) * (2 / l)) by (field; lra).
      apply Rmult_le_compat_l; [lra|].
      rewrite <- (sqrt_square (2 / l)) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
      apply sqrt_le_1_alt. replace (2 / l * (2 / l)) with (4 / (l * l)) by (field; lra). lra.
    - replace (2 * (1 / sqrt (n + l * l))) with (sqrt (4 / (n + l * l))).
      + apply sqrt_le_1_alt. apply (Rmult_le_reg_r ((n + l * l) * (n + (1 + n) * (l * l))));
          [apply Rmult_lt_0_compat; lra|].
        replace (4 / (n + l * l) * ((n + l * l) * (n + (1 + n) * (l * l)))) with (4 * (n + (1 + n) * (l * l)))
          by (field; lra).
        replace ((n + 4 + l * l) / (n + (1 + n) * (l * l)) * ((n + l * l) * (n + (1 + n) * (l * l))))
          with ((n + 4 + l * l) * (n + l * l)) by (field; lra).
        pose proof (Rle_0_sqr (n - l * l)) as Q. unfold Rsqr in Q. lra.
      + rewrite sqrt_div_alt by lra. replace 4 with (2 * 2) by ring. rewrite sqrt_square by lra. unfold Rdiv. ring.
  Qed.

  (** "the diagonal's copy part is twice that". *)
  Theorem diagonal_cost_bracket :
    cost_at_least I (fun W => diagonal_pattern I W kappa)
      (2 * kappa * sqrt (INR d) * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
       + 2 * kappa / sqrt (INR d) * (2 * sink_bracket I)).
  Proof using HI Hk Hs0 Hs Hdelta Hg.
    intros r WQ WK HW. pose proof (diagonal_cost_rank r WQ WK HW) as H.
    pose proof (Rmult_le_compat_l _ _ _ (unit_nonneg I HI kappa Hk) diagonal_copy_bracket) as G. fold d in G. lra.
  Qed.

  (** "L_diag >= kappa sqrt(d) r_eff(Sigma)/delta^2 + kappa C/(2 sqrt d)". *)
  Theorem diagonal_cost_published :
    cost_at_least I (fun W => diagonal_pattern I W kappa)
      (kappa * sqrt (INR d) * effective_rank I s / (delta I * delta I) + kappa * n / (2 * sqrt (INR d))).
  Proof using HI Hk Hs0 Hs Hdelta Hg.
    intros r WQ WK HW. pose proof (diagonal_cost_rank r WQ WK HW) as H.
    eapply Rle_trans; [|exact H]. apply Rplus_le_compat.
    - destruct Hg as [Hg2 _]. assert (G : 2 <= INR g) by (change 2 with (INR 2); now apply le_INR).
      pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hsq. fold d in Hsq.
      assert (He : 0 < delta I * delta I) by now apply Rmult_lt_0_compat.
      assert (HR : 0 <= effective_rank I s).
      { unfold effective_rank. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
        rewrite covariance_trace. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; now apply pair_count_pos].
        apply sum_nonneg. intros. apply sum_nonneg. intros. apply sum_nonneg. intros. apply dot_self_nonneg. }
      set (A := kappa * sqrt (INR d) * effective_rank I s / (delta I * delta I)).
      assert (HA : 0 <= A).
      { unfold A. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
        apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]. }
      replace (2 * kappa * sqrt (INR d) * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I)))
        with (A + A * ((INR g - 2) / INR g)) by (unfold A; field; lra).
      assert (0 <= A * ((INR g - 2) / INR g)); [|lra].
      apply Rmult_le_pos; [assumption|]. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
    - pose proof (groups_ge_1 I HI) as Hn. pose proof (lam_positive I HI) as Hl. fold n in Hn. fold l in Hl.
      pose proof (lam_below I HI) as Hl1. fold l in Hl1.
      pose proof (sqrt_lt_R0 _ (dimension_pos I HI)) as Hsq. fold d in Hsq.
      replace (kappa * n / (2 * sqrt (INR d))) with (2 * kappa / sqrt (INR d) * (n / 4)) by (field; lra).
      apply Rmult_le_compat_l; [apply (unit_nonneg I HI kappa Hk)|].
      assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
      assert (Hz : 0 < n + (1 + n) * (l * l)).
      { assert (0 < (1 + n) * (l * l)) by (apply Rmult_lt_0_compat; lra). lra. }
      assert (H1 : 1 <= sqrt (1 + 4 / (l * l))).
      { rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt. assert (0 < 4 / (l * l)) by (apply Rdiv_lt_0_compat; lra). lra. }
      assert (H2 : / 2 <= sqrt ((n + 4 + l * l) / (n + (1 + n) * (l * l)))).
      { rewrite <- (sqrt_square (/ 2)) by lra. apply sqrt_le_1_alt.
        apply (Rmult_le_reg_r (n + (1 + n) * (l * l))); [assumption|].
        unfold Rdiv. rewrite (Rmult_assoc (n + 4 + l * l)), Rinv_l by lra.
        assert (n * (l * l) <= n * 1) by (apply Rmult_le_compat_l; lra). lra. }
      unfold diagonal_copy. fold n l.
      assert (n - 1 <= (n - 1) * sqrt (1 + 4 / (l * l))).
      { rewrite <- (Rmult_1_r (n - 1)) at 1. apply Rmult_le_compat_l; lra. }
      lra.
  Qed.
End DiagonalBounds.
