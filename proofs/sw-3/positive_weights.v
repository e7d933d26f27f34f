(** * sw-3: softmax weights are positive

    Proves the sentences of softmax_statement.v, for every m, T, family of values and norm of R^m: positive weights have the
    minimum of minimax.v as their infimum; when they attain it; when they reach output 0 (Stiemke's theorem, from
    [farkas]); small instances of each case.

    The criterion is not that 0 is in the relative interior of the hull ([attained_away_from_zero]) but that some
    point of least norm is: the points sum a_k v_k with all a_k > 0 ([attained_iff]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sw-3 Claim <proofs>/sw-3/positive_weights.v *)

From Coq Require Import Reals Lra Lia Arith Classical.
From Sinkproof Require Import trigger_task hard_switch softmax_weights.
From Claim Require Import softmax_statement.
Open Scope R_scope.

Theorem softmax_is_positive : softmax_statement.softmax_is_positive.
Proof.
  intros T l.
  assert (H : 0 < sum (S T) (fun j => exp (l j))) by (apply sum_pos; [lia|intros; apply exp_pos]).
  split.
  - intros k _. apply Rdiv_lt_0_compat; [apply exp_pos|assumption].
  - unfold softmax, Rdiv. rewrite (sum_scal_r (S T) _ (fun k => exp (l k))). now apply Rinv_r, Rgt_not_eq.
Qed.

Theorem positive_is_softmax : softmax_statement.positive_is_softmax.
Proof.
  intros T a [Hpos Hsum]. exists (fun k => ln (a k)). intros k Hk. unfold softmax.
  rewrite exp_ln by now apply Hpos.
  rewrite (sum_ext _ _ a) by (intros j Hj; apply exp_ln, Hpos; lia). rewrite Hsum. field.
Qed.

Lemma positive_simplex T a : positive_weights T a -> simplex T a.
Proof. intros [H1 H2]. split; [|assumption]. intros k Hk. now apply Rlt_le, H1. Qed.

Lemma mixed_sum T a b s :
  sum (S T) a = 1 -> sum (S T) b = 1 -> sum (S T) (fun k => (1 - s) * a k + s * b k) = 1.
Proof.
  intros Ha Hb. rewrite (sum_plus (S T) (fun k => (1 - s) * a k) (fun k => s * b k)).
  rewrite !sum_scal, Ha, Hb. ring.
Qed.

(** Moving towards b costs at most s (||b's output|| - ||a's output||). *)
Lemma mixed_norm m T N a b s v :
  is_norm m N -> 0 <= s <= 1 ->
  N (output T (fun k => (1 - s) * a k + s * b k) v) <= (1 - s) * N (output T a v) + s * N (output T b v).
Proof.
  intros HN Hs.
  rewrite (norm_reads_m m N HN _ (fun r => (1 - s) * output T a v r + s * output T b v r)).
  - eapply Rle_trans; [apply (norm_triangle m N HN)|].
    rewrite !(norm_scal m N HN), !Rabs_pos_eq by lra. lra.
  - intros r _. unfold output. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring.
Qed.

Definition uniform (T : nat) : nat -> R := fun _ => / INR (S T).

Lemma uniform_positive T : positive_weights T (uniform T).
Proof.
  assert (H : 0 < INR (S T)) by (apply lt_0_INR; lia). split.
  - intros k _. now apply Rinv_0_lt_compat.
  - unfold uniform. rewrite sum_const. now apply Rinv_r, Rgt_not_eq.
Qed.

Theorem same_infimum : softmax_statement.same_infimum.
Proof.
  intros m T N v a e HN [Hpos Hsum] He. set (c := uniform T). destruct (uniform_positive T) as [Hc1 Hc2]. fold c in Hc1, Hc2.
  pose proof (norm_nonneg m N HN (output T a v)) as Na. pose proof (norm_nonneg m N HN (output T c v)) as Nc.
  set (s := e / (e + N (output T c v))).
  assert (Hs : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  assert (Hse : s * (e + N (output T c v)) = e) by (unfold s; field; lra).
  assert (Hs1 : s <= 1) by (apply (Rmult_le_reg_r (e + N (output T c v))); lra).
  exists (fun k => (1 - s) * a k + s * c k). split; [split|].
  - intros k Hk. apply Rplus_le_lt_0_compat; [apply Rmult_le_pos; [lra|auto]|].
    apply Rmult_lt_0_compat; auto.
  - now apply mixed_sum.
  - eapply Rle_trans; [apply (mixed_norm m T N a c s v HN); lra|].
    assert (0 <= s * N (output T a v)) by (apply Rmult_le_pos; lra).
    assert (0 <= s * e) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Complementary slackness. *)
Theorem slackness : softmax_statement.slackness.
Proof.
  intros m T N u v b g HN Hu Hg [Hpos Hsum] Ho k Hk.
  pose proof (dual_pairing m N u HN Hu (output T b v)) as P. rewrite dot_output in P.
  assert (Hterm : forall j, (j < S T)%nat -> 0 <= b j * (dot m u (v j) - g)).
  { intros j Hj. apply Rmult_le_pos; [apply Rlt_le, Hpos; lia|]. specialize (Hg j ltac:(lia)). lra. }
  pose proof (sum_term_le (S T) (fun j => b j * (dot m u (v j) - g)) k Hterm ltac:(lia)) as G.
  cbn beta in G.
  rewrite (sum_ext (S T) (fun j => b j * (dot m u (v j) - g)) (fun j => b j * dot m u (v j) - b j * g)) in G
    by (intros; ring).
  rewrite sum_minus, (sum_scal_r (S T) g), Hsum in G.
  specialize (Hg k Hk). specialize (Hpos k Hk). apply Rle_antisym; [|assumption].
  apply (Rmult_le_reg_l (b k)); [assumption|]. lra.
Qed.

Corollary not_attained : softmax_statement.not_attained.
Proof.
  intros m T N u v b g j HN Hu Hg Hj Hlt Hb. destruct (Rle_lt_dec (N (output T b v)) g) as [E|]; [exfalso|assumption].
  pose proof (slackness m T N u v b g HN Hu Hg Hb E j Hj). lra.
Qed.

(** Positive weights reach the minimum iff each value takes part in some minimiser. *)
Theorem attained_iff : softmax_statement.attained_iff.
Proof.
  intros m T N v HN. split.
  - intros (b & [Hpos _] & Hb) k Hk. exists b. auto.
  - intros H.
    assert (G : forall q, (q <= T)%nat -> exists b, minimiser T N v b /\ forall k, (k <= q)%nat -> 0 < b k).
    { induction q as [|q IH]; intros Hq.
      - destruct (H 0%nat Hq) as (a & Ha & Ha0). exists a. split; [assumption|].
        intros k Hk. now replace k with 0%nat by lia.
      - destruct (IH ltac:(lia)) as (b & Hb & Hbq). destruct (H (S q) Hq) as (a & Ha & Haq).
        destruct Hb as [[Hb1 Hb2] Hbmin]. destruct Ha as [[Ha1 Ha2] Hamin].
        exists (fun k => (1 - / 2) * b k + / 2 * a k). split; [split; [split|]|].
        + intros k Hk. specialize (Hb1 k Hk). specialize (Ha1 k Hk). lra.
        + now apply mixed_sum.
        + intros c Hc. eapply Rle_trans; [apply (mixed_norm m T N b a (/ 2) v HN); lra|].
          specialize (Hbmin c Hc). specialize (Hamin c Hc). lra.
        + intros k Hk. destruct (Nat.eq_dec k (S q)) as [->|E].
          * specialize (Hb1 (S q) Hq). lra.
          * specialize (Hbq k ltac:(lia)). specialize (Ha1 k ltac:(lia)). lra. }
    destruct (G T (Nat.le_refl T)) as (b & Hb & Hpos). exists b. split; [|assumption].
    split; [assumption|apply Hb].
Qed.

(** *** Output exactly 0 *)

(** Farkas' lemma: b is a nonnegative combination of w_0, .., w_{n-1}, or a direction shows that it is not. *)
Lemma farkas m n : forall (w : nat -> vector) (b : vector),
  (exists c, (forall i, (i < n)%nat -> 0 <= c i) /\
             forall r, (r < m)%nat -> b r = sum n (fun i => c i * w i r)) \/
  (exists u, (forall i, (i < n)%nat -> 0 <= dot m u (w i)) /\ dot m u b < 0).
Proof.
  assert (Hlin : forall u y z s t, dot m u (fun r => s * y r + t * z r) = s * dot m u y + t * dot m u z).
  { intros. unfold dot. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring. }
  induction n as [|n IH]; intros w b.
  - destruct (Rle_lt_or_eq_dec 0 (dot m b b) (dot_self_nonneg m b)) as [Hpos|Hzero].
    + right. exists (fun r => - b r). split; [lia|].
      replace (dot m (fun r => - b r) b) with (- dot m b b); [lra|].
      rewrite <- (Rmult_1_l (dot m b b)), Ropp_mult_distr_l. unfold dot. rewrite <- sum_scal.
      apply sum_ext. intros. ring.
    + left. exists (fun _ => 0). split; [intros; lra|]. intros r Hr. cbn [sum].
      assert (E : 0 <= b r * b r <= 0).
      { split; [apply Rle_0_sqr|]. rewrite Hzero.
        apply (sum_term_le m (fun r => b r * b r)); [intros; apply Rle_0_sqr|assumption]. }
      apply Rsqr_eq_0. unfold Rsqr. lra.
  - destruct (IH w b) as [(c & Hc & Hb)|(u & Hu & Hub)].
    { left. exists (fun i => if (i =? n)%nat then 0 else c i). split.
      - intros i Hi. destruct (Nat.eqb_spec i n); [lra|apply Hc; lia].
      - intros r Hr. cbn [sum]. rewrite Nat.eqb_refl, (Hb r Hr).
        rewrite (sum_ext n _ (fun i => (if (i =? n)%nat then 0 else c i) * w i r)); [ring|].
        intros i Hi. destruct (Nat.eqb_spec i n); [lia|reflexivity]. }
    set (z := w n). destruct (Rle_lt_dec 0 (dot m u z)) as [Hz|Hz].
    { right. exists u. split; [|assumption]. intros i Hi.
      destruct (Nat.eq_dec i n) as [->|E]; [assumption|apply Hu; lia]. }
    (* remove the part along z = w_n: x' = (u.x) z - (u.z) x has u.x' = 0 *)
    set (p := - dot m u z). assert (Hp : 0 < p) by (unfold p; lra).
    destruct (IH (fun i r => dot m u (w i) * z r + p * w i r) (fun r => dot m u b * z r + p * b r))
      as [(c & Hc & Hb)|(y & Hy & Hyb)].
    + left. set (q := sum n (fun i => c i * dot m u (w i)) - dot m u b).
      assert (Hq : 0 <= q).
      { assert (0 <= sum n (fun i => c i * dot m u (w i))); [|unfold q; lra].
        apply sum_nonneg. intros i Hi. apply Rmult_le_pos; auto. }
      exists (fun i => if (i =? n)%nat then q / p else c i). split.
      * intros i Hi. destruct (Nat.eqb_spec i n) as [_|E]; [|apply Hc; lia].
        apply Rmult_le_pos; [assumption|left; now apply Rinv_0_lt_compat].
      * intros r Hr. cbn [sum]. rewrite Nat.eqb_refl. fold z.
        rewrite (sum_ext n _ (fun i => c i * w i r)).
        2:{ intros i Hi. destruct (Nat.eqb_spec i n); [lia|reflexivity]. }
        specialize (Hb r Hr). cbn beta in Hb.
        rewrite (sum_ext n _ (fun i => c i * dot m u (w i) * z r + p * (c i * w i r))) in Hb by (intros; ring).
        rewrite sum_plus, (sum_scal_r n (z r)), sum_scal in Hb.
        apply (Rmult_eq_reg_l p); [|lra].
        replace (p * (sum n (fun i => c i * w i r) + q / p * z r))
          with (p * sum n (fun i => c i * w i r) + q * z r) by (field; lra).
        unfold q. lra.
    + right. exists (fun r => dot m y z * u r + p * y r).
      assert (E : forall x, dot m (fun r => dot m y z * u r + p * y r) x
                            = dot m y (fun r => dot m u x * z r + p * x r)).
      { intros x. rewrite Hlin. unfold dot at 1.
        rewrite (sum_ext m _ (fun r => dot m y z * (u r * x r) + p * (y r * x r))) by (intros; ring).
        rewrite sum_plus, !sum_scal. fold (dot m u x) (dot m y x). ring. }
      split.
      * intros i Hi. rewrite E. destruct (Nat.eq_dec i n) as [->|Ei]; [|apply Hy; lia].
        fold z. rewrite Hlin. unfold p. lra.
      * now rewrite E.
Qed.

(** Scaled to the simplex, with a share of its own for value j. *)
Lemma nonnegative_to_simplex T c j :
  (j <= T)%nat -> (forall k, (k <= T)%nat -> 0 <= c k) ->
  exists a t, simplex T a /\ 0 < a j /\ 0 < t /\
              forall k, (k <= T)%nat -> a k = t * (c k + if (k =? j)%nat then 1 else 0).
Proof.
  intros Hj Hc. set (s := sum (S T) c).
  assert (Hs : 0 <= s) by (apply sum_nonneg; intros; apply Hc; lia).
  assert (Ht : 0 < / (s + 1)) by (apply Rinv_0_lt_compat; lra).
  exists (fun k => / (s + 1) * (c k + if (k =? j)%nat then 1 else 0)), (/ (s + 1)).
  split; [split|split; [|now split]].
  - intros k Hk. apply Rmult_le_pos; [lra|]. specialize (Hc k Hk). destruct (k =? j)%nat; lra.
  - rewrite sum_scal, sum_plus. rewrite (sum_single (S T) (fun k => if (k =? j)%nat then 1 else 0) j).
    + rewrite Nat.eqb_refl. change (/ (s + 1) * (s + 1) = 1). apply Rinv_l. lra.
    + lia.
    + intros k _ Hk. apply Nat.eqb_neq in Hk. now rewrite Hk.
  - rewrite Nat.eqb_refl. specialize (Hc j Hj). apply Rmult_lt_0_compat; lra.
Qed.

(** Exactly one holds (Stiemke): some softmax has output exactly 0, or a direction shows that none has. *)
Theorem zero_reached_or_not : softmax_statement.zero_reached_or_not.
Proof.
  intros m T v. split.
  - destruct (classic (zero_barred m T v)) as [|Hnot]; [now right|left].
    assert (HN := euclidean_is_norm m).
    assert (Hzero : forall a, (forall r, (r < m)%nat -> output T a v r = 0) ->
              euclidean_norm m (output T a v) = 0).
    { intros a Ha. unfold euclidean_norm. rewrite <- sqrt_0. f_equal. apply sum_zero.
      intros r Hr. rewrite Ha by assumption. ring. }
    assert (Heach : forall j, (j <= T)%nat -> exists a, minimiser T (euclidean_norm m) v a /\ 0 < a j /\
                      euclidean_norm m (output T a v) = 0).
    { intros j Hj. destruct (farkas m (S T) v (fun r => -1 * v j r)) as [(c & Hc & Hv)|(u & Hu & Hub)].
      - destruct (nonnegative_to_simplex T c j Hj) as (a & t & Ha & Haj & Ht & E).
        { intros k Hk. apply Hc. lia. }
        assert (Ho : euclidean_norm m (output T a v) = 0).
        { apply Hzero. intros r Hr. unfold output.
          rewrite (sum_ext (S T) _ (fun k => t * (c k * v k r) + t * ((if (k =? j)%nat then 1 else 0) * v k r))).
          2:{ intros k Hk. rewrite E by lia. ring. }
          rewrite sum_plus, !sum_scal, <- (Hv r Hr). rewrite (sum_single (S T) _ j); [|lia|].
          - rewrite Nat.eqb_refl. ring.
          - intros k _ Hk. apply Nat.eqb_neq in Hk. rewrite Hk. ring. }
        exists a. repeat split; try assumption; try apply Ha. intros d _. rewrite Ho. apply sqrt_pos.
      - exfalso. apply Hnot. exists u. split; [intros k Hk; apply Hu; lia|]. exists j. split; [assumption|].
        rewrite dot_scal in Hub. lra. }
    destruct (proj2 (attained_iff m T (euclidean_norm m) v HN)) as (b & Hb & [_ Hmin]).
    { intros k Hk. destruct (Heach k Hk) as (a & Ha & Hak & _). now exists a. }
    destruct (Heach 0%nat ltac:(lia)) as (a & [Ha _] & _ & Ho). specialize (Hmin a Ha). rewrite Ho in Hmin.
    destruct (positive_is_softmax T b Hb) as [l Hl]. exists l. intros r Hr.
    replace (output T (softmax T l) v r) with (output T b v r).
    + apply (norm_definite m _ HN); [|assumption]. apply Rle_antisym; [assumption|apply sqrt_pos].
    + unfold output. apply sum_ext. intros k Hk. now rewrite Hl by lia.
  - intros [(l & Hl) (u & Hu & j & Hj & Hlt)]. destruct (softmax_is_positive T l) as [Hpos _].
    assert (E : dot m u (output T (softmax T l) v) = 0).
    { apply sum_zero. intros r Hr. rewrite Hl by assumption. ring. }
    rewrite dot_output in E.
    pose proof (sum_term_le (S T) (fun k => softmax T l k * dot m u (v k)) j) as G. cbn beta in G. rewrite E in G.
    assert (0 < softmax T l j * dot m u (v j)) by (apply Rmult_lt_0_compat; [now apply Hpos|assumption]).
    assert (softmax T l j * dot m u (v j) <= 0); [|lra]. apply G; [|lia].
    intros k Hk. apply Rmult_le_pos; [apply Rlt_le, Hpos; lia|apply Hu; lia].
Qed.

(** The usual sink: an anchor of value 0.  The head is never quite off. *)
Theorem zero_anchor_never_off : softmax_statement.zero_anchor_never_off.
Proof.
  intros m T N u v l g HN HT Hu Hg Hk H0. destruct (softmax_is_positive T l) as [Hpos Hsum]. set (a := softmax T l) in *.
  rewrite sum_first in Hsum.
  assert (Hrest : 0 < sum T (fun k => a (S k))) by (apply sum_pos; [lia|intros; apply Hpos; lia]). split.
  - eapply Rle_trans; [|apply (dual_pairing m N u HN Hu)]. rewrite dot_output, sum_first.
    replace (dot m u (v 0%nat)) with 0.
    2:{ symmetry. apply sum_zero. intros r Hr. rewrite H0 by assumption. ring. }
    replace (1 - a 0%nat) with (sum T (fun k => a (S k))) by lra.
    rewrite Rmult_0_r, Rplus_0_l, <- sum_scal_r. apply sum_le. intros k HkT.
    apply Rmult_le_compat_l; [apply Rlt_le, Hpos; lia|apply Hk; lia].
  - apply Rmult_lt_0_compat; lra.
Qed.

(** Instances in R^1, T = 1. *)

Lemma pair_norm x y a : sup_norm 1 (output 1 a (pair_of_values x y)) = Rabs (a 0%nat * x + a 1%nat * y).
Proof.
  unfold sup_norm, output, pair_of_values. cbn [maximum sum Nat.eqb].
  rewrite Rmax_right by apply Rabs_pos. f_equal. ring.
Qed.

Theorem attained_at_zero : softmax_statement.attained_at_zero.
Proof.
  exists (uniform 1).
  assert (E : sup_norm 1 (output 1 (uniform 1) (pair_of_values (-1) 1)) = 0).
  { rewrite pair_norm. unfold uniform. transitivity (Rabs 0); [f_equal; simpl; field|apply Rabs_R0]. }
  split; [apply uniform_positive|]. split; [|exact E]. split; [apply positive_simplex, uniform_positive|].
  intros c _. rewrite E, pair_norm. apply Rabs_pos.
Qed.

Theorem attained_away_from_zero : softmax_statement.attained_away_from_zero.
Proof.
  exists (uniform 1).
  assert (E : forall a, sum 2 a = 1 -> sup_norm 1 (output 1 a (pair_of_values 1 1)) = 1).
  { intros a Ha. rewrite pair_norm. cbn [sum] in Ha. transitivity (Rabs 1); [f_equal; lra|apply Rabs_R1]. }
  destruct (uniform_positive 1) as [H1 H2].
  split; [now split|]. split; [split|now apply E].
  - apply positive_simplex, uniform_positive.
  - intros c [_ Hc]. rewrite !E by assumption. lra.
Qed.

Theorem missed : softmax_statement.missed.
Proof.
  split.
  - exists (fun k => if (k =? 0)%nat then 1 else 0).
    assert (E : sup_norm 1 (output 1 (fun k => if (k =? 0)%nat then 1 else 0) (pair_of_values 0 1)) = 0).
    { rewrite pair_norm. cbn [Nat.eqb]. transitivity (Rabs 0); [f_equal; ring|apply Rabs_R0]. }
    split; [split; [split|]|exact E].
    + intros k _. destruct (k =? 0)%nat; lra.
    + cbn [sum Nat.eqb]. ring.
    + intros c _. rewrite E, pair_norm. apply Rabs_pos.
  - intros b [Hpos _]. rewrite pair_norm. rewrite Rmult_0_r, Rplus_0_l, Rmult_1_r.
    specialize (Hpos 1%nat ltac:(lia)). rewrite Rabs_pos_eq; lra.
Qed.

Theorem slack_not_enough : softmax_statement.slack_not_enough.
Proof.
  assert (E : forall a, sum 2 a = 1 ->
            euclidean_norm 2 (output 1 a flat_pair) = sqrt (1 + a 1%nat * a 1%nat)).
  { intros a Ha. unfold euclidean_norm. f_equal. unfold dot, output, flat_pair. cbn [sum Nat.eqb] in *.
    replace (0 + a 0%nat * 1 + a 1%nat * 1) with 1 by lra. simpl INR. ring. }
  split; [|split].
  - intros k. unfold dot, flat_pair. cbn [sum Nat.eqb]. simpl INR. ring.
  - exists (fun k => if (k =? 0)%nat then 1 else 0).
    assert (Ha : sum 2 (fun k => if (k =? 0)%nat then 1 else 0) = 1) by (cbn [sum Nat.eqb]; ring).
    assert (E1 : euclidean_norm 2 (output 1 (fun k => if (k =? 0)%nat then 1 else 0) flat_pair) = 1).
    { rewrite (E _ Ha). cbn [Nat.eqb]. rewrite Rmult_0_r, Rplus_0_r. apply sqrt_1. }
    split; [split; [split|]|exact E1]; [intros k _; destruct (k =? 0)%nat; lra|exact Ha|].
    intros c [_ Hc]. rewrite E1, (E c Hc). rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt.
    pose proof (Rle_0_sqr (c 1%nat)) as G. unfold Rsqr in G. lra.
  - intros b [Hpos Hsum]. rewrite (E b Hsum). rewrite <- sqrt_1 at 1. apply sqrt_lt_1_alt.
    assert (0 < b 1%nat * b 1%nat) by (apply Rmult_lt_0_compat; apply Hpos; lia). lra.
Qed.

Print Assumptions softmax_is_positive.
Print Assumptions positive_is_softmax.
Print Assumptions same_infimum.
Print Assumptions slackness.
Print Assumptions not_attained.
Print Assumptions attained_iff.
Print Assumptions zero_reached_or_not.
Print Assumptions zero_anchor_never_off.
Print Assumptions attained_at_zero.
Print Assumptions attained_away_from_zero.
Print Assumptions missed.
Print Assumptions slack_not_enough.
