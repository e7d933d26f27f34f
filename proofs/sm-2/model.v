(** * sm-2: the model, and numbers at which each case occurs

    [smoothing_of_model]: a model's c is [cosine] of its four numbers (theory/second_moments.v).  The examples are models on
    the line, whose turning points are bracketed by the sign of the quartic.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sm-2 Claim <proofs>/sm-2/model.v (after monotonicity.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch second_moments.
From Claim Require Import statement.
From Claim Require Import monotonicity.
Open Scope R_scope.

Theorem smoothing_of_model : statement.smoothing_of_model.
Proof.
  intros Omega integrable E d k X mu B beta W i l HE HX Hi Hil Hl. split.
  - apply (numbers_of_model Omega integrable E d k X); [assumption|now apply independent_is_uncorrelated|lia].
  - intros lam. unfold expected_cosine, cosine. f_equal; [|f_equal; f_equal].
    + now apply (pair_moment Omega integrable E d k X mu B beta W lam i l).
    + apply (own_moment Omega integrable E d k X mu B beta W lam i); [assumption|assumption|lia].
    + apply (own_moment Omega integrable E d k X mu B beta W lam l); [assumption|assumption|lia].
Qed.

Lemma increasing_ext f g a b : (forall x, f x = g x) -> strictly_increasing g a b -> strictly_increasing f a b.
Proof. intros E H x y Hx Hxy Hy. rewrite !E. now apply H. Qed.

Lemma decreasing_ext f g a b : (forall x, f x = g x) -> strictly_decreasing g a b -> strictly_decreasing f a b.
Proof. intros E H x y Hx Hxy Hy. rewrite !E. now apply H. Qed.

Theorem dense_attention_smooths_more : statement.dense_attention_smooths_more.
Proof.
  intros Omega integrable E d k X mu B beta W i l HE HX Hi Hil Hl Hs Ht.
  destruct (smoothing_of_model Omega integrable E d k X mu B beta W i l HE HX Hi Hil Hl) as [HM Ec].
  exact (increasing_ext _ _ _ _ Ec (smoothing_increases _ _ _ _ i l Hi Hil HM Hs Ht)).
Qed.

(** *** The numbers on the line, beta = 1, variance 1, W = w, mean mu: p = 1, s = w, t = w^2,
    N0 = (1 + w)^2 mu^2; rows 2 and 3. *)

Lemma line_moments w mu : moments 1 w (w * w) ((1 + w) * (1 + w) * (mu * mu)).
Proof.
  constructor; [lra| | |lra].
  - apply Rle_0_sqr.
  - apply Rmult_le_pos; apply Rle_0_sqr.
Qed.

Ltac evaluate := unfold turning, cross_moment, moment, theta; simpl INR; lra.

(** (b) w = -9/10, mu = 0: s + t = -9/100 < 0, and c rises again from some point between 1/10 and 1/5 on. *)
Lemma rise_numbers :
  let w := - (9 / 10) in
  let c := cosine 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 in
  exists z, 1 / 10 < z < 1 / 5 /\ strictly_decreasing c 0 z /\ strictly_increasing c z 1.
Proof.
  intros w c. assert (Hs : w + w * w < 0) by (unfold w; lra).
  pose proof (line_moments w 0) as HM. set (P := turning 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3).
  assert (H1 : P (1 / 10) < 0) by (unfold P, w; evaluate).
  assert (H2 : 0 < P (1 / 5)) by (unfold P, w; evaluate).
  destruct (turning_root 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 (1 / 10) (1 / 5)) as (z' & Hz' & Ez');
    [lra|fold P; nra|].
  destruct (falls_then_rises 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 ltac:(lia) ltac:(lia) HM Hs)
    as [Hd|(z & Hz & _ & Hr & Hd & Hi)].
  - exfalso.
    assert (Hinc : strictly_increasing c z' 1).
    { apply increasing_where_positive; [lia|lia|assumption|unfold w; lra|left; lra|].
      intros y Hy. apply (turning_stays_positive 1 w (w * w) _ 2 3 ltac:(lia) ltac:(lia) HM z' y);
        [unfold w; lra|assumption|lra|lra|rewrite Ez'; lra]. }
    specialize (Hinc z' 1). specialize (Hd z' 1). unfold c in *. lra.
  - exists z. replace z with z' in *; [now repeat split|]. apply Hr; [lra|assumption].
Qed.

(** (d) w = -2, mu = 1: s = -2, t = 4; the norms turn at 1/2, c turns between 3/5 and 7/10. *)
Lemma fall_numbers :
  let w := -2 in
  let c := cosine 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3 in
  exists z, 3 / 5 < z < 7 / 10 /\ strictly_increasing c 0 z /\ strictly_decreasing c z 1.
Proof.
  intros w c. assert (Em : 1 + w / (w * w) = 1 / 2) by (unfold w; field).
  pose proof (line_moments w 1) as HM. set (P := turning 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3).
  assert (H1 : 0 < P (3 / 5)) by (unfold P, w; evaluate).
  assert (H2 : P (7 / 10) < 0) by (unfold P, w; evaluate).
  assert (H3 : P 1 < 0) by (unfold P, w; evaluate).
  destruct (turning_root 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3 (3 / 5) (7 / 10)) as (z' & Hz' & Ez');
    [lra|fold P; nra|].
  destruct (rises_then_falls 1 w (w * w) ((1 + w) * (1 + w) * (1 * 1)) 2 3 ltac:(lia) ltac:(lia) HM
              ltac:(unfold w; lra) ltac:(unfold w; lra)) as (_ & _ & [[H _]|(_ & z & Hz & Hr & Hi & Hd)]).
  - fold P in H. lra.
  - exists z. replace z with z' in *; [now repeat split|]. apply Hr; [rewrite Em; lra|assumption].
Qed.

(** (d) w = -10, mu = 0: c increases up to 1 although the norms turn at 9/10. *)
Lemma no_turn_numbers :
  let w := -10 in
  strictly_increasing (cosine 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3) 0 1.
Proof.
  intros w.
  destruct (rises_then_falls 1 w (w * w) ((1 + w) * (1 + w) * (0 * 0)) 2 3 ltac:(lia) ltac:(lia)
              (line_moments w 0) ltac:(unfold w; lra) ltac:(unfold w; lra))
    as (_ & _ & [[_ H]|(H & _)]); [exact H|exfalso].
  revert H. apply Rle_not_lt. unfold w. evaluate.
Qed.

(** *** The models *)

Lemma line_cosine Omega integrable (E : (Omega -> R) -> R) X mean w :
  expectation integrable E -> independent integrable E 1 3 X (fun _ => mean) (fun _ _ => 1) ->
  forall lam, expected_cosine E 1 3 1 (fun _ _ => w) X 2 3 lam
              = cosine 1 w (w * w) ((1 + w) * (1 + w) * (mean * mean)) 2 3 lam.
Proof.
  intros HE HX lam.
  destruct (smoothing_of_model Omega integrable E 1%nat 3%nat X (fun _ => mean) (fun _ _ => 1) 1 (fun _ _ => w) 2%nat 3%nat
              HE HX ltac:(lia) ltac:(lia) ltac:(lia)) as [_ H].
  rewrite H. f_equal; unfold p_of, s_of, t_of, N_0, dot, mean_output, matrix_trace, matrix_times, matrix_transpose;
    simpl; ring.
Qed.

Theorem rise_example : statement.rise_example.
Proof.
  intros Omega integrable E X HE HX. pose proof (line_cosine Omega integrable E X 0 (- (9 / 10)) HE HX) as Ec.
  destruct rise_numbers as (z & Hz & Hd & Hi). exists z. split; [exact Hz|].
  split; [exact (decreasing_ext _ _ _ _ Ec Hd)|exact (increasing_ext _ _ _ _ Ec Hi)].
Qed.

Theorem fall_example : statement.fall_example.
Proof.
  intros Omega integrable E X HE HX. pose proof (line_cosine Omega integrable E X 1 (-2) HE HX) as Ec.
  destruct fall_numbers as (z & Hz & Hi & Hd). exists z. split; [exact Hz|].
  split; [exact (increasing_ext _ _ _ _ Ec Hi)|exact (decreasing_ext _ _ _ _ Ec Hd)].
Qed.

Theorem no_turn_example : statement.no_turn_example.
Proof.
  intros Omega integrable E X HE HX.
  exact (increasing_ext _ _ _ _ (line_cosine Omega integrable E X 0 (-10) HE HX) no_turn_numbers).
Qed.

Print Assumptions smoothing_of_model.
Print Assumptions dense_attention_smooths_more.
Print Assumptions rise_example.
Print Assumptions fall_example.
Print Assumptions no_turn_example.
