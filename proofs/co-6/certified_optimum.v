(** * co-6: what a certificate for given embeddings proves

    Weak duality for factors of any width (proofs/theory/factor_cost.v), in the Gram form of gram_matrix.v; upper
    bounds from factors A X, B X; the infimum and its scaling; one token, where the two bounds meet.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-6 Claim certified_optimum.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost.
From Claim Require Import statement gram_matrix.
Open Scope R_scope.

(** ** Lower bounds *)

(** (2) as it stands, for constraints x_k^T W z_k >= m_k on any vectors. *)
Theorem dual_lower : statement.dual_lower.
Proof.
  intros d n x z m y t Ht Hy HY r WQ WK HW. apply (weak_duality d r n x z m y t WQ WK Ht Hy); [|exact HW].
  apply transposed_operator_norm; [lra|exact HY].
Qed.

(** (3). *)
Theorem dual_infeasible : statement.dual_infeasible.
Proof. intros d n x z m y W. exact (infeasible d n x z m y W). Qed.

(** <X^T L X, W> = sum_ij L(i,j) score(i,j). *)
Lemma pairing_token_matrix d T X L W : pairing d (token_matrix T X L) W = pairing T L (scores d X W).
Proof.
  unfold pairing, token_matrix, scores, bilinear.
  transitivity (sum d (fun a => sum d (fun b => sum T (fun i => sum T (fun j => L i j * (X i a * W a b * X j b)))))).
  - apply sum_ext. intros a _. apply sum_ext. intros b _. rewrite <- sum_scal_r. apply sum_ext. intros i _.
    rewrite <- sum_scal_r. apply sum_ext. intros. ring.
  - transitivity (sum T (fun i => sum T (fun j => sum d (fun a => sum d (fun b => L i j * (X i a * W a b * X j b)))))).
    + transitivity (sum d (fun a => sum T (fun i => sum T (fun j => sum d (fun b => L i j * (X i a * W a b * X j b)))))).
      * apply sum_ext. intros a _. rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
      * rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
    + apply sum_ext. intros i _. apply sum_ext. intros j _. rewrite <- sum_scal. apply sum_ext. intros a _.
      now rewrite sum_scal.
Qed.

Lemma pairing_combined T n y E S :
  pairing T (combined n y E) S = sum n (fun k => y k * pairing T (E k) S).
Proof.
  unfold pairing, combined.
  transitivity (sum T (fun i => sum n (fun k => y k * sum T (fun j => E k i j * S i j)))).
  - apply sum_ext. intros i _.
    transitivity (sum T (fun j => sum n (fun k => y k * (E k i j * S i j)))).
    + apply sum_ext. intros j _. rewrite <- sum_scal_r. apply sum_ext. intros. ring.
    + rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
  - rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
Qed.

(** What a margin constraint says: score(i,j) - score(i,l). *)
Theorem margin_pairing : statement.margin_pairing.
Proof.
  intros T i j l S Hi Hj Hl. unfold pairing, margin. rewrite (sum_single T _ i Hi).
  - rewrite Nat.eqb_refl.
    rewrite (sum_ext T _ (fun b => S i b * (if (j =? b)%nat then 1 else 0) - S i b * (if (l =? b)%nat then 1 else 0))).
    + rewrite sum_minus, (sum_single T _ j Hj), (sum_single T _ l Hl).
      * rewrite !Nat.eqb_refl. ring.
      * intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
      * intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
    + intros b _. rewrite (Nat.eqb_sym j b), (Nat.eqb_sym l b). ring.
  - intros k _ E. apply Nat.eqb_neq in E. rewrite E. apply sum_zero. intros. ring.
Qed.

Lemma multipliers_value d T n X E m y W :
  (forall k, (k < n)%nat -> 0 <= y k) -> token_pattern d T n X E m W ->
  sum n (fun k => y k * m k) <= pairing d (token_matrix T X (combined n y E)) W.
Proof.
  intros Hy HW. rewrite pairing_token_matrix, pairing_combined. apply sum_le. intros k Hk.
  apply Rmult_le_compat_l; [now apply Hy|now apply HW].
Qed.

(** (4), lower: the T x T test bounds every factorisation from below. *)
Theorem gram_lower : statement.gram_lower.
Proof.
  intros d T n X E m y t Ht Hy HY r WQ WK HW.
  apply (gram_operator_norm d T X (combined n y E) t (Rlt_le _ _ Ht)) in HY.
  pose proof (pairing_cost d r _ t WQ WK (Rlt_le _ _ Ht) HY) as P.
  pose proof (multipliers_value d T n X E m y _ Hy HW) as V.
  apply (Rmult_le_reg_l (t / 2)); [lra|].
  replace (t / 2 * (2 / t * sum n (fun k => y k * m k))) with (sum n (fun k => y k * m k)) by (field; lra). lra.
Qed.

(** (4), infeasible. *)
Theorem gram_infeasible : statement.gram_infeasible.
Proof.
  intros d T n X E m y W Hy HY Hm HW. rewrite (gram_zero d T X (combined n y E)) in HY.
  pose proof (multipliers_value d T n X E m y W Hy HW) as V.
  assert (P : pairing d (token_matrix T X (combined n y E)) W = 0).
  { unfold pairing. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb. rewrite HY by assumption. ring. }
  lra.
Qed.

(** ** Upper bounds *)

(** (1). *)
Theorem feasible_upper : statement.feasible_upper.
Proof. intros d pattern r WQ WK i H [Hi _]. now apply Hi. Qed.

Theorem coefficients_scores : statement.coefficients_scores.
Proof.
  intros d T r X A B i j.
  unfold scores, coefficient_scores. rewrite bilinear_query_key.
  assert (R : forall M k v, dot d (times_tokens T M X k) v = dot T (M k) (token_products d X v))
    by (intros M k v; exact (dot_token_sum d T X (M k) v)).
  rewrite (sum_ext r _ (fun k => dot T (A k) (token_products d X (X i)) * dot T (B k) (token_products d X (X j))))
    by (intros; now rewrite !R).
  rewrite <- (bilinear_query_key T r A B). unfold product.
  unfold bilinear. rewrite sum_swap. apply sum_ext. intros b _. rewrite <- sum_scal_r.
  apply sum_ext. intros a _. unfold token_products, gram. rewrite (dot_comm d (X a) (X i)). ring.
Qed.

Theorem coefficients_cost : statement.coefficients_cost.
Proof.
  intros d T r X A B.
  rewrite factor_cost_dot, sum_plus. unfold coefficient_cost.
  f_equal; apply sum_ext; intros k _.
  - exact (dot_sum_sum d T X (A k) (A k)).
  - exact (dot_sum_sum d T X (B k) (B k)).
Qed.

(** (4), upper: rational A, B whose scores G A^T B G meet the pattern. *)
Theorem coefficients_upper : statement.coefficients_upper.
Proof.
  intros d T n r X E m A B i H Hi. rewrite <- (coefficients_cost d).
  refine (feasible_upper d _ _ _ _ i _ Hi). intros k Hk.
  specialize (H k Hk). eapply Rle_trans; [exact H|]. apply Req_le. unfold pairing.
  apply sum_ext. intros a _. apply sum_ext. intros b _. now rewrite (coefficients_scores d T r X A B).
Qed.

(** ** Which pattern is cheaper *)

Theorem cheaper : statement.cheaper.
Proof.
  intros d p1 p2 U1 L2 i1 i2 (r & WQ & WK & H & ->) HL Hlt [H1 _] [_ H2].
  specialize (H1 r WQ WK H). specialize (H2 L2 HL). lra.
Qed.

Theorem least_cost_exists : statement.least_cost_exists.
Proof.
  intros d pattern c Hc. set (S := fun x => cost_attained d pattern (- x)).
  destruct (completeness S) as [u [Hu1 Hu2]].
  - exists 0. intros x (r & WQ & WK & _ & E). pose proof (factor_cost_nonneg d r WQ WK). lra.
  - exists (- c). unfold S. now rewrite Ropp_involutive.
  - exists (- u). split.
    + intros r WQ WK H. assert (G : - factor_cost d r WQ WK <= u); [|lra].
      apply Hu1. unfold S. rewrite Ropp_involutive. now exists r, WQ, WK.
    + intros l Hl. assert (G : u <= - l); [|lra]. apply Hu2. intros x (r & WQ & WK & H & E).
      specialize (Hl r WQ WK H). lra.
Qed.

(** *** The unit of the margins does not matter: c times the margins, c times the least cost *)

Lemma scaled_attained d T n X E m c C :
  0 < c -> cost_attained d (token_pattern d T n X E m) C ->
  cost_attained d (token_pattern d T n X E (fun k => c * m k)) (c * C).
Proof.
  intros Hc (r & WQ & WK & H & ->).
  exists r, (fun k => vscal (sqrt c) (WQ k)), (fun k => vscal (sqrt c) (WK k)).
  pose proof (sqrt_sqrt c (Rlt_le _ _ Hc)) as Sc. split.
  - intros k Hk. specialize (H k Hk). apply (Rmult_le_compat_l c) in H; [|lra].
    eapply Rle_trans; [exact H|]. apply Req_le. unfold pairing. rewrite <- sum_scal. apply sum_ext. intros i _.
    rewrite <- sum_scal. apply sum_ext. intros j _.
    assert (S : scores d X (query_key r (fun k => vscal (sqrt c) (WQ k)) (fun k => vscal (sqrt c) (WK k))) i j
                = c * scores d X (query_key r WQ WK) i j); [|rewrite S; ring].
    unfold scores. rewrite !bilinear_query_key, <- sum_scal. apply sum_ext. intros h _.
    rewrite !dot_vscal_l. rewrite <- Sc at 3. ring.
  - rewrite !factor_cost_dot, <- sum_scal. apply sum_ext. intros h _.
    rewrite !dot_vscal_l, !dot_vscal_r. rewrite <- Sc at 1. ring.
Qed.

Theorem least_cost_scales : statement.least_cost_scales.
Proof.
  intros d T n X E m c i Hc [H1 H2]. assert (Hi : 0 < / c) by now apply Rinv_0_lt_compat. split.
  - intros r WQ WK H.
    destruct (scaled_attained d T n X E (fun k => c * m k) (/ c) (factor_cost d r WQ WK) Hi) as (q & VQ & VK & V & EV).
    { now exists r, WQ, WK. }
    assert (G : i <= / c * factor_cost d r WQ WK).
    { rewrite EV. apply H1. intros k Hk. specialize (V k Hk). cbn beta in V.
      rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l in V by lra. exact V. }
    apply (Rmult_le_compat_l c) in G; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in G by lra. exact G.
  - intros l Hl. apply (Rmult_le_reg_l (/ c)); [assumption|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    apply H2. intros r WQ WK H.
    destruct (scaled_attained d T n X E m c (factor_cost d r WQ WK) Hc) as (q & VQ & VK & V & EV).
    { now exists r, WQ, WK. }
    specialize (Hl q VQ VK V). rewrite <- EV in Hl. apply (Rmult_le_compat_l (/ c)) in Hl; [|lra].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l in Hl by lra. exact Hl.
Qed.

(** *** Neither constant of the rule can be improved: one token 1 in R^1, score(0,0) >= m.  The multiplier 1
    passes the test at t = 1 and bounds every cost by 2m; the coefficient sqrt m costs 2m. *)
Theorem rule_attained : statement.rule_attained.
Proof.
  intros m Hm X E. pose proof (sqrt_sqrt m (Rlt_le _ _ Hm)) as Sm.
  assert (P : semidefinite 1 (gram_gap 1 1 X (combined 1 (fun _ => 1) E) 1)).
  { intros c. apply Req_le. unfold bilinear, gram_gap, gram_null, product, transpose, combined, gram, dot, X, E.
    cbn [sum]. ring. }
  assert (A : cost_attained 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m)).
  { exists 1%nat, (fun _ _ => sqrt m), (fun _ _ => sqrt m). split.
    - intros k _. apply Req_le. unfold pairing, scores, bilinear, query_key, X, E. cbn [sum]. lra.
    - rewrite factor_cost_dot. unfold dot. cbn [sum]. lra. }
  assert (L : cost_bounded_below 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m)).
  { replace (2 * m) with (2 / 1 * sum 1 (fun k => 1 * m)) by (cbn [sum]; field).
    apply (gram_lower 1%nat 1%nat 1%nat X E (fun _ => m) (fun _ => 1) 1); [lra|intros; lra|exact P]. }
  repeat split; try assumption.
  - cbn [sum]. field.
  - intros l Hl. destruct A as (r & WQ & WK & H & EA). rewrite EA. now apply Hl.
Qed.

Print Assumptions dual_lower.
Print Assumptions dual_infeasible.
Print Assumptions margin_pairing.
Print Assumptions gram_lower.
Print Assumptions gram_infeasible.
Print Assumptions feasible_upper.
Print Assumptions coefficients_scores.
Print Assumptions coefficients_cost.
Print Assumptions coefficients_upper.
Print Assumptions cheaper.
Print Assumptions least_cost_exists.
Print Assumptions least_cost_scales.
Print Assumptions rule_attained.
