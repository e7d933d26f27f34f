(** * co-5: when the sink is certainly cheaper than the diagonal

    docs/THEORY.md, co-5 (ours): with map costs, every instance of section 5, any s >= ||Sigma||_op in
    r_eff = tr Sigma / s and any g with at least g members in every group,
      sqrt(2C)/lam + C(1/lam + 1/lam^2) < (d/delta^2) r_eff (g-1)/g + 2[(C-1)/lam + 1/sqrt(C + lam^2)]
    implies that some sink (reading B, hence A) costs less than every diagonal, by a fixed amount.  kappa and
    Delta drop out.

    Sharper: the left side may be co-1's closed form of either reading, the last bracket co-2's copy part.
    And a case where nothing has to be computed: if delta^2 <= (1 - lam^2) d (dormant tokens no longer than
    the others, |lam m_c + eta_ci|^2 <= d) the sink of reading A is always cheaper ([always_cheaper]).

    Upper bounds: proofs/theory/sink_and_diagonal_upper.v, sink_cost_forms.v (co-1); lower bounds:
    proofs/theory/cost_lower_bounds.v (co-2, co-4).

    Compile:  coqc -q -R <proofs>/theory Sinkproof crossover.v *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_and_diagonal_example sink_cost_forms.
Open Scope R_scope.

(** Some factorisation with pattern p costs less than every factorisation with pattern q, by a fixed amount. *)
Definition cheaper (I : instance) (p q : matrix -> Prop) : Prop :=
  exists low high, low < high /\ cost_at_most I p low /\ cost_at_least I q high.

(** In words: one W_Q, W_K beats them all. *)
Lemma cheaper_means I p q : cheaper I p q ->
  exists width WQ WK, p (query_key width WQ WK) /\
  forall width' WQ' WK', q (query_key width' WQ' WK') ->
  factor_cost (dimension I) width WQ WK < factor_cost (dimension I) width' WQ' WK'.
Proof.
  intros (low & high & H & (width & WQ & WK & HW & HC) & HL). exists width, WQ, WK. split; [assumption|].
  intros width' WQ' WK' Hq. specialize (HL width' WQ' WK' Hq). lra.
Qed.

Section Crossover.
  Context (I : instance) (HI : valid_instance I) (kappa : R) (Hk : 0 < kappa) (Hdelta : 0 < delta I).

  Let d := INR (dimension I).
  Let C := INR (groups I).
  Let l := lam I.
  Let unit := 2 * kappa / sqrt d.

  Lemma unit_positive : 0 < unit.
  Proof using HI Hk.
    unfold unit. apply Rdiv_lt_0_compat; [lra|]. apply sqrt_lt_R0. apply (sink_and_diagonal_upper.dimension_pos I HI).
  Qed.

  (** (d/delta^2) r_eff (g-1)/g: the noises' share of the diagonal. *)
  Definition noise_share (s : R) (g : nat) : R :=
    INR (dimension I) / (delta I * delta I) * effective_rank I s * ((INR g - 1) / INR g).

  Section Bounds.
    Context (s : R) (g : nat) (Hs0 : 0 < s) (Hs : top_at_most I s) (Hg : sizes_at_least I g).

    (** co-2 and co-4 in units of 2 kappa/sqrt d. *)
    Lemma diagonal_lower :
      cost_at_least I (fun W => diagonal_pattern I W kappa) (unit * (noise_share s g + diagonal_copy I)).
    Proof using HI Hk Hdelta Hs0 Hs Hg.
      intros width WQ WK HW.
      pose proof (diagonal_cost_rank I HI kappa s g (Rlt_le _ _ Hk) Hs0 Hs Hdelta Hg width WQ WK HW) as H.
      eapply Rle_trans; [|exact H]. apply Req_le. fold d. unfold noise_share, unit. fold d.
      pose proof (sink_and_diagonal_upper.dimension_pos I HI) as Hd. fold d in Hd.
      pose proof (sqrt_lt_R0 d Hd) as Hr. pose proof (sqrt_sqrt d (Rlt_le _ _ Hd)) as Er.
      assert (G : 0 < INR g) by (apply lt_0_INR; destruct Hg; lia).
      set (q := sqrt d) in *. rewrite <- Er. field. repeat split; lra.
    Qed.

    (** Reading B, the closed forms. *)
    Theorem crossover_with_bos :
      sink_cost_with_bos C l < noise_share s g + diagonal_copy I ->
      cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa).
    Proof using HI Hk Hdelta Hs0 Hs Hg.
      intros H. do 2 eexists. split; [|split; [apply (sink_with_bos_upper I kappa HI Hk)|apply diagonal_lower]].
      apply Rmult_lt_compat_l; [apply unit_positive|exact H].
    Qed.

    (** Reading A, the closed forms. *)
    Theorem crossover_sink :
      sink_cost C l < noise_share s g + diagonal_copy I ->
      cheaper I (fun W => sink_pattern I W kappa) (fun W => diagonal_pattern I W kappa).
    Proof using HI Hk Hdelta Hs0 Hs Hg.
      intros H. do 2 eexists. split; [|split; [apply (sink_upper I kappa HI Hk)|apply diagonal_lower]].
      apply Rmult_lt_compat_l; [apply unit_positive|exact H].
    Qed.

    (** The page's inequality. *)
    Theorem crossover :
      sqrt (2 * C) / l + C * (1 / l + 1 / (l * l))
      < d / (delta I * delta I) * effective_rank I s * ((INR g - 1) / INR g)
        + 2 * ((C - 1) / l + 1 / sqrt (C + l * l)) ->
      cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa)
      /\ cheaper I (fun W => sink_pattern I W kappa) (fun W => diagonal_pattern I W kappa).
    Proof using HI Hk Hdelta Hs0 Hs Hg.
      intros H.
      assert (B : cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa)).
      { apply crossover_with_bos.
        pose proof (diagonal_copy_bracket I HI) as H2. unfold sink_bracket in H2. fold C l in H2.
        pose proof (sink_cost_page C l (groups_from_1 I HI) (lam_positive I HI) (lam_from I HI) (lam_below I HI)) as H1.
        unfold page_sink_cost in H1. unfold noise_share. fold d. lra. }
      split; [exact B|]. destruct B as (low & high & HL & HA & HD). exists low, high. repeat split; try assumption.
      apply (cost_at_most_weaken I (fun W => sink_pattern_with_bos I W kappa)); [|assumption].
      intros W HW. apply HW.
    Qed.
  End Bounds.

  (** *** Dormant tokens no longer than the others *)

  (** ||Sigma||_op <= tr Sigma <= 4 delta^2. *)
  Lemma top_at_most_4 : top_at_most I (4 * (delta I * delta I)).
  Proof using HI.
    intros u. rewrite covariance_form.
    assert (T : trace (dimension I) (difference_covariance I) <= 4 * (delta I * delta I)).
    { assert (G : sizes_at_least I 2) by (split; [lia|apply (two_members I HI)]).
      pose proof (covariance_trace_le I HI 2 G) as T. simpl INR in T. lra. }
    assert (U : 0 <= inner I u u) by apply dot_self_nonneg.
    apply Rle_trans with (inner I u u * trace (dimension I) (difference_covariance I)).
    - rewrite covariance_trace, pair_average_scal. apply (pair_average_le I HI). intros c i j _ _ _.
      pose proof (cauchy_schwarz (dimension I) (difference I c i j) u) as S1.
      pose proof (cauchy_schwarz (dimension I) (difference I c i j) (fun r => - 1 * u r)) as S2.
      rewrite dot_scal in S2.
      assert (N2 : euclidean_norm (dimension I) (fun r => - 1 * u r) = euclidean_norm (dimension I) u).
      { unfold euclidean_norm. f_equal. apply sum_ext. intros. ring. }
      rewrite N2 in S2. unfold inner.
      rewrite <- (euclidean_square (dimension I) u), <- (euclidean_square (dimension I) (difference I c i j)).
      set (x := dot (dimension I) (difference I c i j) u) in *.
      set (p := euclidean_norm _ _) in *. set (q := euclidean_norm _ _) in *. nra.
    - rewrite Rmult_comm. now apply Rmult_le_compat_r.
  Qed.

  (** The diagonal costs at least (2 kappa/sqrt d)(d/(2 delta^2) + copy part). *)
  Lemma diagonal_lower_simple :
    cost_at_least I (fun W => diagonal_pattern I W kappa)
      (unit * (d / (2 * (delta I * delta I)) + diagonal_copy I)).
  Proof using HI Hk Hdelta.
    intros width WQ WK HW.
    assert (Hdd : 0 < delta I * delta I) by now apply Rmult_lt_0_compat.
    pose proof (diagonal_cost_top I HI kappa (4 * (delta I * delta I)) ltac:(lra) top_at_most_4 width WQ WK HW) as H.
    eapply Rle_trans; [|exact H]. apply Req_le. fold d. unfold unit.
    pose proof (sink_and_diagonal_upper.dimension_pos I HI) as Hd. fold d in Hd.
    pose proof (sqrt_lt_R0 d Hd) as Hr. pose proof (sqrt_sqrt d (Rlt_le _ _ Hd)) as Er.
    set (q := sqrt d) in *. rewrite <- Er at 1. field. repeat split; lra.
  Qed.

  (** The copy part is at least sqrt 5 (C-1) + sqrt((C+5)/(2C+1)). *)
  Lemma diagonal_copy_ge : (C - 1) * sqrt 5 + sqrt ((C + 5) / (2 * C + 1)) <= diagonal_copy I.
  Proof using HI.
    pose proof (groups_from_1 I HI) as HC. pose proof (lam_positive I HI) as Hl. pose proof (lam_below I HI) as L2.
    unfold diagonal_copy. fold C l. fold C in HC. fold l in Hl, L2. assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
    apply Rplus_le_compat.
    - apply Rmult_le_compat_l; [lra|]. apply sqrt_le_1_alt.
      assert (4 <= 4 / (l * l)); [|lra].
      apply (Rmult_le_reg_r (l * l)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - apply sqrt_le_1_alt. assert (Hz : 0 < C + (1 + C) * (l * l)) by nra.
      apply (Rmult_le_reg_r ((2 * C + 1) * (C + (1 + C) * (l * l)))); [apply Rmult_lt_0_compat; lra|].
      replace ((C + 5) / (2 * C + 1) * ((2 * C + 1) * (C + (1 + C) * (l * l))))
        with ((C + 5) * (C + (1 + C) * (l * l))) by (field; lra).
      replace ((C + 4 + l * l) / (C + (1 + C) * (l * l)) * ((2 * C + 1) * (C + (1 + C) * (l * l))))
        with ((C + 4 + l * l) * (2 * C + 1)) by (field; lra).
      nra.
  Qed.

  Theorem always_cheaper :
    delta I * delta I <= (1 - l * l) * d ->
    cheaper I (fun W => sink_pattern I W kappa) (fun W => diagonal_pattern I W kappa).
  Proof using HI Hk Hdelta.
    intros Hshort. pose proof (groups_from_1 I HI) as HC. pose proof (lam_positive I HI) as Hl.
    pose proof (lam_from I HI) as L1. pose proof (sink_and_diagonal_upper.dimension_pos I HI) as Hd.
    fold C in HC. fold l in Hl, L1. fold d in Hd.
    assert (Hdd : 0 < delta I * delta I) by now apply Rmult_lt_0_compat.
    do 2 eexists. split; [|split; [apply (sink_upper I kappa HI Hk)|apply diagonal_lower_simple]].
    apply Rmult_lt_compat_l; [apply unit_positive|]. fold C l.
    assert (N : 1 <= d / (2 * (delta I * delta I))).
    { apply (Rmult_le_reg_r (2 * (delta I * delta I))); [lra|].
      replace (d / (2 * (delta I * delta I)) * (2 * (delta I * delta I))) with d by (field; lra). nra. }
    pose proof diagonal_copy_ge as H. pose proof (sink_cost_le (groups I) l (some_group I HI) Hl L1) as S.
    fold C in S. pose proof sqrt2_bounds as [_ W].
    assert (Q5 : 2.236 <= sqrt 5).
    { apply le_by_square; [apply sqrt_pos|]. rewrite sqrt_sqrt; lra. }
    assert (P : (C - 1) * 2.236 <= (C - 1) * sqrt 5) by (apply Rmult_le_compat_l; lra).
    assert (S2 : sink_cost C l <= 2.121321 * C) by nra.
    assert (Hx : forall x, 0 <= x -> x * x * (2 * C + 1) <= C + 5 -> x <= sqrt ((C + 5) / (2 * C + 1))).
    { intros x Hx0 Hx. rewrite <- (sqrt_square x) by assumption. apply sqrt_le_1_alt.
      apply (Rmult_le_reg_r (2 * C + 1)); [lra|].
      replace ((C + 5) / (2 * C + 1) * (2 * C + 1)) with (C + 5) by (field; lra). exact Hx. }
    pose proof (whole_cases (groups I) (some_group I HI)) as Cases. fold C in Cases.
    destruct Cases as [E|[E|[E|[E|Cases]]]].
    - pose proof (Hx 1.4 ltac:(lra) ltac:(rewrite E; lra)). rewrite E in *. lra.
    - pose proof (Hx 1.18 ltac:(lra) ltac:(rewrite E; lra)). rewrite E in *. lra.
    - pose proof (Hx 1.06 ltac:(lra) ltac:(rewrite E; lra)). rewrite E in *. lra.
    - pose proof (Hx 1 ltac:(lra) ltac:(rewrite E; lra)). rewrite E in *. lra.
    - assert (H5 : 5 <= C) by lra. pose proof (Hx 0.7 ltac:(lra) ltac:(lra)). lra.
  Qed.
End Crossover.

(** The hypotheses can be met: one group, lam^2 = 1/2, d = 4, delta = 1 (delta^2 <= d/2). *)
Theorem always_cheaper_is_not_empty : exists I, valid_instance I /\ 0 < delta I /\
  delta I * delta I <= (1 - lam I * lam I) * INR (dimension I).
Proof.
  destruct root2 as [Ew Hw].
  assert (Hll : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult; now rewrite Ew).
  exists (pair_instance 1 1 (fun _ => 0%nat) (/ sqrt 2) 1). split; [|split].
  - apply pair_instance_valid; intros; try lia; try lra. now apply Rinv_0_lt_compat.
  - cbn [delta pair_instance]. lra.
  - cbn [delta lam dimension pair_instance]. rewrite Hll. simpl INR. lra.
Qed.

Print Assumptions crossover.
Print Assumptions crossover_with_bos.
Print Assumptions crossover_sink.
Print Assumptions always_cheaper.
Print Assumptions cheaper_means.
Print Assumptions always_cheaper_is_not_empty.
