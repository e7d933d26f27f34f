(** * co-2: what a diagonal costs at least

    Claim (docs/THEORY.md, co-2).  Sigma = average of x x^T over the same-group differences
    x = eta_ci - eta_cj (all ordered pairs i <> j of all groups), s any number with u^T Sigma u <= s |u|^2 for
    all u (||Sigma||_op is the least), r_eff = tr Sigma/s.  Every factorisation W_Q, W_K, of any head width, whose
    scores have the diagonal pattern with margin kappa >= 0 costs
        >= kappa sqrt(d) r_eff/delta^2 + kappa C/(2 sqrt d)                                 [diagonal_lower]
    and, sharper, with g >= 2 a lower bound of the group sizes,
        >= 2 kappa sqrt(d) r_eff (g-1)/(g delta^2)
           + (4 kappa/sqrt d) [(C-1)/lam + 1/sqrt(C + lam^2)]                               [diagonal_lower_bracket].

    More is true, and proved first [diagonal_lower_top]:
        >= 4 kappa sqrt(d)/s
           + (2 kappa/sqrt d) [(C-1) sqrt(1 + 4/lam^2) + sqrt((C+4+lam^2)/(C+(1+C) lam^2))]
    whose second part is at least 2 sqrt(2) kappa C/sqrt d [diagonal_lower_linear].

    The two parts add because the dual matrix of the copy rows has its rows and columns in the span of
    b, mean_c, q_c and Sigma has its in the orthogonal complement: cost_lower_bounds.v,
    [diagonal_cost_top], by Pythagoras.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/co-2/diagonal_lower.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds.
Open Scope R_scope.

Theorem diagonal_lower_top I kappa s :
  valid_instance I -> 0 < s -> top_at_most I s ->
  let C := INR (groups I) in let d := INR (dimension I) in let ll := lam I * lam I in
  forall width WQ WK, diagonal_pattern I (query_key width WQ WK) kappa ->
  4 * kappa * sqrt d / s
  + 2 * kappa / sqrt d * ((C - 1) * sqrt (1 + 4 / ll) + sqrt ((C + 4 + ll) / (C + (1 + C) * ll)))
  <= factor_cost (dimension I) width WQ WK.
Proof. intros HI Hs Ht C d ll. exact (diagonal_cost_top I HI kappa s Hs Ht). Qed.

(** r_eff in place of s: tr Sigma <= 2 g delta^2/(g-1). *)
Theorem diagonal_lower_rank I kappa s g :
  valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s -> 0 < delta I -> sizes_at_least I g ->
  let C := INR (groups I) in let d := INR (dimension I) in let ll := lam I * lam I in
  forall width WQ WK, diagonal_pattern I (query_key width WQ WK) kappa ->
  2 * kappa * sqrt d * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
  + 2 * kappa / sqrt d * ((C - 1) * sqrt (1 + 4 / ll) + sqrt ((C + 4 + ll) / (C + (1 + C) * ll)))
  <= factor_cost (dimension I) width WQ WK.
Proof. intros HI Hk Hs Ht Hd Hg C d ll. exact (diagonal_cost_rank I HI kappa s g Hk Hs Ht Hd Hg). Qed.

(** The page's sharper form: the copy part is twice the sink's. *)
Theorem diagonal_lower_bracket I kappa s g :
  valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s -> 0 < delta I -> sizes_at_least I g ->
  let C := INR (groups I) in let d := INR (dimension I) in
  forall width WQ WK, diagonal_pattern I (query_key width WQ WK) kappa ->
  2 * kappa * sqrt d * effective_rank I s * (INR g - 1) / (INR g * (delta I * delta I))
  + 4 * kappa / sqrt d * ((C - 1) / lam I + 1 / sqrt (C + lam I * lam I))
  <= factor_cost (dimension I) width WQ WK.
Proof.
  intros HI Hk Hs Ht Hd Hg C d r WQ WK HW.
  pose proof (diagonal_cost_bracket I HI kappa s g Hk Hs Ht Hd Hg r WQ WK HW) as H.
  fold d in H. unfold sink_bracket in H. fold C in H.
  replace (4 * kappa / sqrt d * ((C - 1) / lam I + 1 / sqrt (C + lam I * lam I)))
    with (2 * kappa / sqrt d * (2 * ((C - 1) / lam I + 1 / sqrt (C + lam I * lam I)))) by (unfold Rdiv; ring).
  exact H.
Qed.

(** The published bound; every valid instance has two members in each group. *)
Theorem diagonal_lower I kappa s :
  valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s -> 0 < delta I ->
  let C := INR (groups I) in let d := INR (dimension I) in
  forall width WQ WK, diagonal_pattern I (query_key width WQ WK) kappa ->
  kappa * sqrt d * effective_rank I s / (delta I * delta I) + kappa * C / (2 * sqrt d)
  <= factor_cost (dimension I) width WQ WK.
Proof.
  intros HI Hk Hs Ht Hd C d. apply (diagonal_cost_published I HI kappa s 2 Hk Hs Ht Hd).
  split; [lia|]. exact (two_members I HI).
Qed.

(** ||Sigma||_op is such an s, and the least one is what makes r_eff largest. *)
Theorem operator_norm_top I s : 0 <= s ->
  operator_norm_le (dimension I) (difference_covariance I) s -> top_at_most I s.
Proof.
  intros Hs H u. apply (operator_norm_form _ _ _ Hs) in H. specialize (H u u). unfold inner. lra.
Qed.

(** The copy part grows at least like sqrt(2) C; equality is approached at C = 1, lam -> 1. *)
Lemma copy_part_linear I : valid_instance I -> sqrt 2 * INR (groups I) <= diagonal_copy I.
Proof.
  intros HI. pose proof (lam_positive I HI) as Hl. pose proof (lam_below I HI) as Hl1.
  pose proof (some_group I HI) as Hg. unfold diagonal_copy.
  set (x := lam I * lam I) in *. assert (Hx : 0 < x) by now apply Rmult_lt_0_compat.
  pose proof (sqrt_pos 2) as P2. pose proof (sqrt_sqrt 2 ltac:(lra)) as S2.
  assert (U2 : sqrt 2 <= 71 / 50).
  { apply Rsqr_incr_0; unfold Rsqr; lra. }
  assert (R1 : 11 / 5 <= sqrt (1 + 4 / x)).
  { rewrite <- (sqrt_square (11 / 5)) by lra. apply sqrt_le_1_alt.
    assert (H : 4 <= 4 / x); [|lra]. apply (Rmult_le_reg_r x); [assumption|].
    replace (4 / x * x) with 4 by (field; lra). lra. }
  set (C := INR (groups I)). assert (HC : 1 <= C) by exact (groups_ge_1 I HI).
  assert (Hz : 0 < C + (1 + C) * x) by (assert (0 < (1 + C) * x) by (apply Rmult_lt_0_compat; lra); lra).
  set (v := sqrt ((C + 4 + x) / (C + (1 + C) * x))). assert (Hv : 0 <= v) by apply sqrt_pos.
  assert (V : (C + 5) / (2 * C + 1) <= (C + 4 + x) / (C + (1 + C) * x)).
  { apply (Rmult_le_reg_r ((2 * C + 1) * (C + (1 + C) * x))); [apply Rmult_lt_0_compat; lra|].
    replace ((C + 5) / (2 * C + 1) * ((2 * C + 1) * (C + (1 + C) * x)))
      with ((C + 5) * (C + (1 + C) * x)) by (field; lra).
    replace ((C + 4 + x) / (C + (1 + C) * x) * ((2 * C + 1) * (C + (1 + C) * x)))
      with ((C + 4 + x) * (2 * C + 1)) by (field; lra).
    assert (0 <= (C * C + 4 * C + 4) * (1 - x)); [|lra].
    apply Rmult_le_pos; [|lra]. assert (0 <= C * C) by (apply Rmult_le_pos; lra). lra. }
  assert (D : (groups I = 1 \/ groups I = 2 \/ 3 <= groups I)%nat) by lia.
  destruct D as [D|[D|D]].
  - assert (E : C = 1) by (unfold C; now rewrite D).
    assert (F : (C + 5) / (2 * C + 1) = 2) by (rewrite E; field).
    assert (sqrt 2 <= v) by (apply sqrt_le_1_alt; lra).
    rewrite E at 1 2. lra.
  - assert (E : C = 2) by (unfold C; rewrite D; simpl; ring).
    assert (F : (C + 5) / (2 * C + 1) = 7 / 5) by (rewrite E; field).
    assert (1 <= v) by (rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt; lra).
    rewrite E at 1 2. lra.
  - assert (E : 3 <= C) by (unfold C; replace 3 with (INR 3) by (simpl; ring); now apply le_INR).
    assert ((C - 1) * (11 / 5) <= (C - 1) * sqrt (1 + 4 / x)) by (apply Rmult_le_compat_l; lra).
    assert (sqrt 2 * C <= 71 / 50 * C) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem diagonal_lower_linear I kappa s :
  valid_instance I -> 0 <= kappa -> 0 < s -> top_at_most I s ->
  let C := INR (groups I) in let d := INR (dimension I) in
  forall width WQ WK, diagonal_pattern I (query_key width WQ WK) kappa ->
  4 * kappa * sqrt d / s + 2 * sqrt 2 * kappa * C / sqrt d <= factor_cost (dimension I) width WQ WK.
Proof.
  intros HI Hk Hs Ht C d r WQ WK HW. pose proof (diagonal_cost_top I HI kappa s Hs Ht r WQ WK HW) as H.
  pose proof (Rmult_le_compat_l _ _ _ (unit_nonneg I HI kappa Hk) (copy_part_linear I HI)) as G.
  fold d in H, G. fold C in G.
  replace (2 * sqrt 2 * kappa * C / sqrt d) with (2 * kappa / sqrt d * (sqrt 2 * C)) by (unfold Rdiv; ring). lra.
Qed.

Print Assumptions diagonal_lower_top.
Print Assumptions diagonal_lower_rank.
Print Assumptions diagonal_lower_bracket.
Print Assumptions diagonal_lower.
Print Assumptions operator_norm_top.
Print Assumptions diagonal_lower_linear.
