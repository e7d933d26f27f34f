(** * co-5: when the sink is certainly cheaper than the diagonal

    Upper bounds: proofs/theory/sink_and_diagonal_upper.v, sink_cost_forms.v (co-1); lower bounds:
    proofs/theory/cost_lower_bounds.v (co-2).  In units of 2 kappa/sqrt d some sink costs at most X, every diagonal
    at least Y; X < Y decides.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-5 Claim crossover.v *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost cost_lower_bounds
  sink_and_diagonal_upper sink_cost_forms.
From Claim Require Import statement.
Open Scope R_scope.

Theorem cheaper_means : statement.cheaper_means.
Proof.
  intros I p q (low & high & H & (width & WQ & WK & HW & HC) & HL). exists width, WQ, WK. split; [assumption|].
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

  (** A sink that costs at most x units, diagonals that cost y > x units or more. *)
  Lemma units_decide p q x y : cost_at_most I p (unit * x) -> cost_at_least I q (unit * y) -> x < y -> cheaper I p q.
  Proof using HI Hk.
    intros Hp Hq H. exists (unit * x), (unit * y). split; [|now split].
    apply Rmult_lt_compat_l; [apply unit_positive|exact H].
  Qed.

  (** co-2 in units of 2 kappa/sqrt d. *)
  Lemma diagonal_lower s g : 0 < s -> top_at_most I s -> sizes_at_least I g ->
    cost_at_least I (fun W => diagonal_pattern I W kappa) (unit * (noise_share I s g + diagonal_copy I)).
  Proof using HI Hk Hdelta.
    intros Hs0 Hs Hg width WQ WK HW.
    pose proof (diagonal_cost_rank I HI kappa s g (Rlt_le _ _ Hk) Hs0 Hs Hdelta Hg width WQ WK HW) as H.
    eapply Rle_trans; [|exact H]. apply Req_le. fold d. unfold noise_share, unit. fold d.
    pose proof (sink_and_diagonal_upper.dimension_pos I HI) as Hd. fold d in Hd.
    pose proof (sqrt_lt_R0 d Hd) as Hr. pose proof (sqrt_sqrt d (Rlt_le _ _ Hd)) as Er.
    assert (G : 0 < INR g) by (apply lt_0_INR; destruct Hg; lia).
    set (q := sqrt d) in *. rewrite <- Er. field. repeat split; lra.
  Qed.

  (** The diagonal costs at least (2 kappa/sqrt d)(d/(2 delta^2) + copy part). *)
  Lemma diagonal_lower_simple :
    cost_at_least I (fun W => diagonal_pattern I W kappa)
      (unit * (d / (2 * (delta I * delta I)) + diagonal_copy I)).
  Proof using HI Hk Hdelta.
    intros width WQ WK HW.
    assert (Hdd : 0 < delta I * delta I) by now apply Rmult_lt_0_compat.
    pose proof (diagonal_cost_top I HI kappa (4 * (delta I * delta I)) ltac:(lra) (top_at_most_4 I HI) width WQ WK HW) as H.
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

  (** Dormant tokens no longer than the others: the scalars. *)
  Lemma short_noises :
    delta I * delta I <= (1 - l * l) * d -> sink_cost C l < d / (2 * (delta I * delta I)) + diagonal_copy I.
  Proof using HI Hdelta.
    intros Hshort. pose proof (groups_from_1 I HI) as HC. pose proof (lam_positive I HI) as Hl.
    pose proof (lam_from I HI) as L1. pose proof (sink_and_diagonal_upper.dimension_pos I HI) as Hd.
    fold C in HC. fold l in Hl, L1. fold d in Hd.
    assert (Hdd : 0 < delta I * delta I) by now apply Rmult_lt_0_compat.
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

Theorem crossover_sink : statement.crossover_sink.
Proof.
  intros I kappa s g HI Hk Hdelta Hs0 Hs Hg H.
  exact (units_decide I HI kappa Hk _ _ _ _ (sink_upper I kappa HI Hk) (diagonal_lower I HI kappa Hk Hdelta s g Hs0 Hs Hg) H).
Qed.

Theorem crossover_with_bos : statement.crossover_with_bos.
Proof.
  intros I kappa s g HI Hk Hdelta Hs0 Hs Hg H.
  exact (units_decide I HI kappa Hk _ _ _ _ (sink_with_bos_upper I kappa HI Hk) (diagonal_lower I HI kappa Hk Hdelta s g Hs0 Hs Hg) H).
Qed.

Theorem crossover_with_bos_middle : statement.crossover_with_bos_middle.
Proof.
  intros I kappa s g HI Hk Hdelta Hs0 Hs Hg Hm H.
  exact (units_decide I HI kappa Hk _ _ _ _ (sink_with_bos_upper_many I kappa HI Hk Hm) (diagonal_lower I HI kappa Hk Hdelta s g Hs0 Hs Hg) H).
Qed.

(** The page's bracket is at least reading B's closed form, twice co-4's bracket at most the copy part. *)
Theorem crossover : statement.crossover.
Proof.
  intros I kappa s g HI Hk Hdelta Hs0 Hs Hg H.
  assert (B : cheaper I (fun W => sink_pattern_with_bos I W kappa) (fun W => diagonal_pattern I W kappa)).
  { apply (crossover_with_bos I kappa s g HI Hk Hdelta Hs0 Hs Hg).
    pose proof (diagonal_copy_bracket I HI) as H2. unfold sink_bracket in H2.
    pose proof (sink_cost_page _ _ (groups_from_1 I HI) (lam_positive I HI) (lam_from I HI) (lam_below I HI)) as H1.
    unfold page_sink_cost in H1. lra. }
  split; [exact B|]. destruct B as (low & high & HL & HA & HD). exists low, high. repeat split; try assumption.
  apply (cost_at_most_weaken I (fun W => sink_pattern_with_bos I W kappa)); [|assumption].
  intros W HW. apply HW.
Qed.

Theorem always_cheaper : statement.always_cheaper.
Proof.
  intros I kappa HI Hk Hdelta H.
  exact (units_decide I HI kappa Hk _ _ _ _ (sink_upper I kappa HI Hk) (diagonal_lower_simple I HI kappa Hk Hdelta)
           (short_noises I HI Hdelta H)).
Qed.

Print Assumptions cheaper_means.
Print Assumptions crossover_sink.
Print Assumptions crossover_with_bos.
Print Assumptions crossover_with_bos_middle.
Print Assumptions crossover.
Print Assumptions always_cheaper.
