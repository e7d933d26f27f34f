(** * tc-9: the trade between BOS attention and the size of the values

    Proves [residual_trade], [residual_trade_closed], [plain_trade] of trade_statement.v.

    Two inputs whose noise coordinate r differs by 2 delta on rows 2..j meet the same weights, so half the
    difference B^i of their streams at row i passes through the layers linearly.  It is 0 at BOS and delta e_r at
    the other rows; [M] bounds its size and [W] how much it varies over the rows 2..j.  A head's output varies
    by at most W + p M ([mean_varies]: means with masses that differ by p), hence
    W' <= (s + v) W + (sum_h p_h ||V_h||) M and M' <= (s + v) M, s = 1 with residual connections and 0
    without.  At the end coordinate r of the trigger's row exceeds that of row 2 by delta - 2 eta. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task anchored_values residual_stack.
From Claim Require Import trade_statement.
Open Scope R_scope.

(** ** Norms *)

Lemma maximum_ge m f k : (k < m)%nat -> f k <= maximum m f.
Proof.
  induction m as [|m IH]; intros Hk; [lia|]. cbn [maximum].
  destruct (Nat.eq_dec k m) as [->|E]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia|apply Rmax_l].
Qed.

Lemma maximum_nonneg m f : 0 <= maximum m f.
Proof. induction m as [|m IH]; cbn [maximum]; [lra|]. eapply Rle_trans; [exact IH|apply Rmax_l]. Qed.

Lemma value_norm_nonneg n V : 0 <= value_norm n V.
Proof. apply maximum_nonneg. Qed.

Lemma layer_norm_nonneg n l : 0 <= layer_norm n l.
Proof. apply sum_nonneg. intros. apply value_norm_nonneg. Qed.

(** ||V y|| <= ||V|| b when ||y|| <= b. *)
Lemma linear_value_norm n V y b r :
  (r < n)%nat -> (forall c, (c < n)%nat -> Rabs (y c) <= b) ->
  Rabs (linear_value n V y r) <= value_norm n V * b.
Proof.
  intros Hr Hy. assert (Hb : 0 <= b) by (eapply Rle_trans; [apply Rabs_pos|apply (Hy r Hr)]).
  eapply Rle_trans; [apply sum_abs|].
  apply Rle_trans with (sum n (fun c => Rabs (V r c)) * b).
  - rewrite <- sum_scal_r. apply sum_le. intros c Hc. rewrite Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos|auto].
  - apply Rmult_le_compat_r; [assumption|].
    apply (maximum_ge n (fun r => sum n (fun c => Rabs (V r c))) r Hr).
Qed.

Lemma linear_value_minus n V y z r :
  linear_value n V y r - linear_value n V z r = linear_value n V (fun c => y c - z c) r.
Proof. unfold linear_value. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.

(** V of a weighted sum. *)
Lemma linear_value_possum n V i (a : nat -> R) (y : nat -> token) r :
  possum i (fun k => a k * linear_value n V (y k) r)
  = linear_value n V (fun c => possum i (fun k => a k * y k c)) r.
Proof.
  unfold linear_value, possum.
  rewrite (sum_ext i _ (fun k => sum n (fun c => V r c * (a (S k) * y (S k) c)))).
  - rewrite sum_swap. apply sum_ext. intros c _. apply sum_scal.
  - intros k _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(** ** Means over rows whose masses differ *)

(** The least of finitely many numbers. *)
Lemma least_value m (f : nat -> R) :
  exists k, (k <= m)%nat /\ forall l, (l <= m)%nat -> f k <= f l.
Proof.
  induction m as [|m (k & Hk & Hl)].
  - exists 0%nat. split; [lia|]. intros l H. replace l with 0%nat by lia. lra.
  - destruct (Rle_dec (f k) (f (S m))) as [H|H].
    + exists k. split; [lia|]. intros l Hm. destruct (Nat.eq_dec l (S m)) as [->|E]; [exact H|]. apply Hl. lia.
    + exists (S m). split; [lia|]. intros l Hm. destruct (Nat.eq_dec l (S m)) as [->|E]; [lra|].
      apply Rle_trans with (f k); [lra|apply Hl; lia].
Qed.

(** A weighted sum over 1..i of numbers that vanish at 1 and lie between lo and hi elsewhere. *)
Lemma mean_between i a f lo hi :
  (1 <= i)%nat -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a k) -> possum i a = 1 -> f 1%nat = 0 ->
  (forall k, (2 <= k)%nat -> (k <= i)%nat -> lo <= f k <= hi) ->
  (1 - a 1%nat) * lo <= possum i (fun k => a k * f k) <= (1 - a 1%nat) * hi.
Proof.
  intros Hi Ha Hs H1 Hf. rewrite possum_first in Hs by assumption.
  replace (1 - a 1%nat) with (sum (i - 1) (fun k => a (k + 2)%nat)) by lra.
  rewrite possum_first, H1, Rmult_0_r, Rplus_0_l, <- !sum_scal_r by assumption.
  split; apply sum_le; intros k Hk; (apply Rmult_le_compat_l; [apply Ha; lia|apply Hf; lia]).
Qed.

(** Two such sums, of numbers at most M that vary by at most W, differ by at most W + p M. *)
Lemma mean_varies j i i' a b f M W p :
  (2 <= i)%nat -> (i <= j)%nat -> (2 <= i')%nat -> (i' <= j)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a k) -> possum i a = 1 ->
  (forall k, (1 <= k)%nat -> (k <= i')%nat -> 0 <= b k) -> possum i' b = 1 ->
  f 1%nat = 0 -> (forall k, (2 <= k)%nat -> (k <= j)%nat -> Rabs (f k) <= M) ->
  (forall k l, (2 <= k)%nat -> (k <= j)%nat -> (2 <= l)%nat -> (l <= j)%nat -> Rabs (f k - f l) <= W) ->
  Rabs (a 1%nat - b 1%nat) <= p ->
  Rabs (possum i (fun k => a k * f k) - possum i' (fun k => b k * f k)) <= W + p * M.
Proof.
  intros Hi Hij Hi' Hij' Ha Hsa Hb Hsb H1 HM HW Hp.
  destruct (least_value (j - 2) (fun k => f (k + 2)%nat)) as (q & Hq & Hl).
  set (lo := f (q + 2)%nat) in *.
  assert (Hf : forall k, (2 <= k)%nat -> (k <= j)%nat -> lo <= f k <= lo + W).
  { intros k H2 Hk. specialize (Hl (k - 2)%nat ltac:(lia)). replace (k - 2 + 2)%nat with k in Hl by lia.
    pose proof (abs_bounds _ _ (HW k (q + 2)%nat H2 Hk ltac:(lia) ltac:(lia))). unfold lo in *. lra. }
  assert (A := mean_between i a f lo (lo + W) ltac:(lia) Ha Hsa H1 ltac:(intros; apply Hf; lia)).
  assert (B := mean_between i' b f lo (lo + W) ltac:(lia) Hb Hsb H1 ltac:(intros; apply Hf; lia)).
  assert (HW0 : 0 <= W) by (eapply Rle_trans; [apply Rabs_pos|apply (HW 2%nat 2%nat); lia]).
  assert (HaW : 0 <= a 1%nat * W) by (apply Rmult_le_pos; [apply Ha; lia|exact HW0]).
  assert (HbW : 0 <= b 1%nat * W) by (apply Rmult_le_pos; [apply Hb; lia|exact HW0]).
  assert (HpM : Rabs ((a 1%nat - b 1%nat) * lo) <= p * M).
  { rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. apply HM; lia. }
  apply abs_bounds in HpM. apply Rabs_le. lra.
Qed.

(** The size of such a sum. *)
Lemma mean_size i a f M :
  (1 <= i)%nat -> (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a k) -> possum i a = 1 ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (f k) <= M) ->
  Rabs (possum i (fun k => a k * f k)) <= M.
Proof.
  intros Hi Ha Hs Hf. rewrite <- (Rmult_1_l M), <- Hs, <- possum_scal_r.
  eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros k Hk.
  rewrite Rabs_mult, Rabs_pos_eq by (apply Ha; lia). apply Rmult_le_compat_l; [apply Ha|apply Hf]; lia.
Qed.

(** ** Half the difference of two streams through a stack *)

Section Streams.
  Context (n D j r : nat) (layers : nat -> layer) (states : nat -> model) (s : R)
          (x y : sequence) (delta : R) (p : nat -> nat -> R).
  Context (Hs : 0 <= s) (Hj : (3 <= j)%nat) (Hdelta : 0 < delta) (Hfirst : x 1%nat = y 1%nat)
          (Hxy : differ_in_noise n j r delta x y)
          (Hstart : forall z, states 0%nat z = z)
          (Hstep : forall d z i c, states (S d) z i c
                                   = s * states d z i c + layer_output n (layers d) (states d z) i c)
          (Hrows : stochastic_rows D layers states j x)
          (Hsame : same_weights D layers states j x y)
          (Hspread : bos_spread_le D layers states j x p).

  Definition half_difference (d i : nat) : token := fun c => (states d x i c - states d y i c) / 2.

  Definition gain (d : nat) : R := s + layer_norm n (layers d).

  Definition added (d : nat) : R :=
    sum (head_count (layers d)) (fun h => p d h * value_norm n (values (layers d) h)).

  (** Bounds of its size and of its variation below layer d. *)
  Definition M (d : nat) : R := delta * product d gain.

  Fixpoint W (d : nat) : R := match d with O => 0 | S e => gain e * W e + added e * M e end.

  (** What head h of layer d hands to V. *)
  Definition head_mean (d h i : nat) : token :=
    fun c => possum i (fun k => weights (layers d) h (states d x) i k * half_difference d k c).

  Lemma half_difference_step d i c :
    (d < D)%nat -> (i <= j)%nat ->
    half_difference (S d) i c
    = s * half_difference d i c
      + sum (head_count (layers d)) (fun h => linear_value n (values (layers d) h) (head_mean d h i) c).
  Proof using Hstep Hsame Hj.
    intros Hd Hi. unfold half_difference at 1. rewrite !Hstep.
    unfold layer_output, multi_head.
    replace (sum (head_count (layers d)) (fun h => linear_value n (values (layers d) h) (head_mean d h i) c))
      with ((sum (head_count (layers d)) (fun h => head (weights (layers d) h)
               (linear_value n (values (layers d) h)) (states d x) i c)
             - sum (head_count (layers d)) (fun h => head (weights (layers d) h)
               (linear_value n (values (layers d) h)) (states d y) i c)) / 2).
    { unfold half_difference. field. }
    rewrite <- sum_minus. unfold Rdiv. rewrite <- sum_scal_r. apply sum_ext. intros h Hh.
    unfold head_mean. rewrite <- linear_value_possum. unfold head.
    unfold possum. rewrite <- sum_minus, <- sum_scal_r. apply sum_ext. intros k Hk.
    rewrite <- (Hsame d h i (S k)) by (assumption || lia).
    unfold half_difference, linear_value.
    rewrite <- Rmult_minus_distr_l, <- sum_minus, Rmult_assoc. f_equal.
    rewrite <- sum_scal_r. apply sum_ext. intros. field.
  Qed.

  Lemma half_difference_bos d : (d <= D)%nat -> forall c, half_difference d 1 c = 0.
  Proof using Hstart Hstep Hsame Hfirst Hj.
    induction d as [|d IH]; intros Hd c.
    - unfold half_difference. rewrite !Hstart, Hfirst. field.
    - rewrite half_difference_step, IH, Rmult_0_r, Rplus_0_l by lia.
      apply sum_zero. intros h _. apply sum_zero. intros b _.
      unfold head_mean, possum. cbn [sum]. rewrite IH by lia. ring.
  Qed.

  (** A bound of what the heads write, from bounds of what they read. *)
  Lemma heads_bound d (z : nat -> token) (b : nat -> R) c :
    (c < n)%nat -> (forall h e, (h < head_count (layers d))%nat -> (e < n)%nat -> Rabs (z h e) <= b h) ->
    Rabs (sum (head_count (layers d)) (fun h => linear_value n (values (layers d) h) (z h) c))
    <= sum (head_count (layers d)) (fun h => value_norm n (values (layers d) h) * b h).
  Proof using.
    intros Hc Hz. eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros h Hh.
    apply linear_value_norm; auto.
  Qed.

  Lemma half_difference_size d :
    (d <= D)%nat -> forall i c, (1 <= i)%nat -> (i <= j)%nat -> (c < n)%nat -> Rabs (half_difference d i c) <= M d.
  Proof using Hs Hj Hdelta Hfirst Hxy Hstart Hstep Hrows Hsame.
    induction d as [|d IH]; intros Hd i c H1 Hi Hc.
    - unfold M. cbn [product]. rewrite Rmult_1_r.
      destruct (Nat.eq_dec i 1) as [->|E]; [rewrite half_difference_bos, Rabs_R0 by lia; lra|].
      unfold half_difference. rewrite !Hstart. destruct Hxy as (_ & _ & H). rewrite H by lia.
      destruct (c =? r)%nat; apply Rabs_le; lra.
    - rewrite half_difference_step by lia.
      replace (M (S d)) with (s * M d + layer_norm n (layers d) * M d) by (unfold M, gain; cbn [product]; ring).
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
      + rewrite Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; auto. apply IH; lia.
      + unfold layer_norm. rewrite <- sum_scal_r. apply heads_bound; [assumption|].
        intros h e Hh He. destruct (Hrows d h i) as [Hpos Hsum]; try lia.
        apply mean_size; auto. intros k Hk1 Hk. apply IH; lia.
  Qed.

  Lemma half_difference_varies d :
    (d <= D)%nat -> forall i i' c, (2 <= i)%nat -> (i <= j)%nat -> (2 <= i')%nat -> (i' <= j)%nat -> (c < n)%nat ->
    Rabs (half_difference d i c - half_difference d i' c) <= W d.
  Proof using Hs Hj Hdelta Hfirst Hxy Hstart Hstep Hrows Hsame Hspread.
    induction d as [|d IH]; intros Hd i i' c H2 Hi H2' Hi' Hc.
    - unfold half_difference. rewrite !Hstart. destruct Hxy as (_ & _ & H). rewrite !H by lia.
      rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. simpl. lra.
    - rewrite !half_difference_step by lia.
      replace (s * half_difference d i c + sum (head_count (layers d)) (fun h =>
                 linear_value n (values (layers d) h) (head_mean d h i) c)
               - (s * half_difference d i' c + sum (head_count (layers d)) (fun h =>
                 linear_value n (values (layers d) h) (head_mean d h i') c)))
        with (s * (half_difference d i c - half_difference d i' c)
              + sum (head_count (layers d)) (fun h => linear_value n (values (layers d) h)
                      (fun e => head_mean d h i e - head_mean d h i' e) c)).
      2:{ rewrite (sum_ext _ _ _ (fun h _ => eq_sym (linear_value_minus n (values (layers d) h)
                     (head_mean d h i) (head_mean d h i') c))), sum_minus. ring. }
      replace (W (S d)) with (s * W d + sum (head_count (layers d)) (fun h =>
                                value_norm n (values (layers d) h) * (W d + p d h * M d))).
      2:{ cbn [W]. unfold gain, layer_norm, added. rewrite Rmult_plus_distr_r, Rplus_assoc.
          f_equal. rewrite <- !sum_scal_r, <- sum_plus. apply sum_ext. intros. ring. }
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
      + rewrite Rabs_mult, Rabs_pos_eq by assumption. apply Rmult_le_compat_l; auto. apply IH; lia.
      + apply heads_bound; [assumption|]. intros h e Hh He. unfold head_mean.
        destruct (Hrows d h i) as [Hpos Hsum]; try lia. destruct (Hrows d h i') as [Hpos' Hsum']; try lia.
        apply (mean_varies j i i' (weights (layers d) h (states d x) i)
                 (weights (layers d) h (states d x) i') (fun k => half_difference d k e));
          try assumption.
        * apply half_difference_bos. lia.
        * intros. apply half_difference_size; lia.
        * intros. apply IH; lia.
        * apply (Hspread d h i i'); lia.
  Qed.
End Streams.

(** ** At the end of the stack *)

(** Half the difference of the targets: delta more at the trigger than elsewhere. *)
Lemma target_half_difference n j r delta x y :
  (3 <= j)%nat -> differ_in_noise n j r delta x y ->
  target j x j r - target j y j r = 2 * delta.
Proof.
  intros Hj (H2 & Hr & H). unfold target, mean_from_2. rewrite Nat.eqb_refl.
  assert (Hm : 0 < INR (j - 1)) by (apply lt_0_INR; lia).
  replace (sum (j - 1) (fun k => x (k + 2)%nat r)) with (sum (j - 1) (fun k => y (k + 2)%nat r) + INR (j - 1) * (2 * delta)).
  - field. lra.
  - rewrite <- sum_const, <- sum_plus. apply sum_ext. intros k Hk.
    specialize (H (k + 2)%nat r ltac:(lia) ltac:(lia) ltac:(lia)). rewrite Nat.eqb_refl in H. lra.
Qed.

(** A stack whose outputs are within eta of base + target, where base is the input's row (s = 1) or 0. *)
Lemma trade n L D j r layers states s x y delta p eta :
  0 <= s -> 0 < delta -> valid n L j x -> valid n L j y -> differ_in_noise n j r delta x y ->
  (forall z, states 0%nat z = z) ->
  (forall d z i c, states (S d) z i c = s * states d z i c + layer_output n (layers d) (states d z) i c) ->
  stochastic_rows D layers states j x -> same_weights D layers states j x y -> bos_spread_le D layers states j x p ->
  (forall z, valid n L j z -> forall i c, (1 <= i)%nat -> (i <= L)%nat -> (c < n)%nat ->
     Rabs (states D z i c - (s * z i c + target j z i c)) <= eta) ->
  delta - 2 * eta <= W n layers s delta p D.
Proof.
  intros Hs Hdelta Hx Hy Hxy Hstart Hstep Hrows Hsame Hspread Hloss.
  pose proof (trigger_from_3 _ _ _ _ Hx) as Hj. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
  assert (Hfirst : x 1%nat = y 1%nat) by now rewrite (first_is_bos _ _ _ _ Hx), (first_is_bos _ _ _ _ Hy).
  pose proof Hxy as (H2 & Hr & Hnoise).
  pose proof (half_difference_varies n D j r layers states s x y delta p Hs Hj Hdelta Hfirst Hxy Hstart
                Hstep Hrows Hsame Hspread D (le_n D) j 2%nat r) as H.
  specialize (H ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)).
  apply abs_bounds in H. unfold half_difference in H.
  pose proof (abs_bounds _ _ (Hloss x Hx j r ltac:(lia) ltac:(lia) ltac:(lia))) as X1.
  pose proof (abs_bounds _ _ (Hloss y Hy j r ltac:(lia) ltac:(lia) ltac:(lia))) as Y1.
  pose proof (abs_bounds _ _ (Hloss x Hx 2%nat r ltac:(lia) ltac:(lia) ltac:(lia))) as X2.
  pose proof (abs_bounds _ _ (Hloss y Hy 2%nat r ltac:(lia) ltac:(lia) ltac:(lia))) as Y2.
  rewrite target_off_trigger in X2, Y2 by lia.
  pose proof (target_half_difference n j r delta x y Hj Hxy) as T.
  pose proof (Hnoise j r ltac:(lia) ltac:(lia) ltac:(lia)) as Nj.
  pose proof (Hnoise 2%nat r ltac:(lia) ltac:(lia) ltac:(lia)) as N2.
  rewrite Nat.eqb_refl in Nj, N2.
  assert (S1 : s * x j r - s * y j r = s * x 2%nat r - s * y 2%nat r).
  { rewrite <- !Rmult_minus_distr_l, Nj, N2. reflexivity. }
  lra.
Qed.

(** ** Closed forms *)

Lemma product_pos m f : (forall k, (k < m)%nat -> 0 < f k) -> 0 < product m f.
Proof.
  induction m as [|m IH]; intros H; cbn [product]; [lra|].
  apply Rmult_lt_0_compat; [apply IH; intros; apply H|apply H]; lia.
Qed.

(** Solved, for positive gains. *)
Lemma W_closed n layers s delta p D :
  (forall d, 0 < gain n layers s d) ->
  W n layers s delta p D
  = delta * (product D (gain n layers s) * sum D (fun d => added n layers p d / gain n layers s d)).
Proof.
  intros Hg. induction D as [|D IH]; cbn [W product sum]; [ring|].
  rewrite IH. unfold M. field. apply Rgt_not_eq, Hg.
Qed.

(** One spread for all heads, whatever the gains: p D prod v when s = 0. *)
Lemma W_uniform n layers delta p D :
  W n layers 0 delta (fun _ _ => p) D
  = delta * (p * INR D * product D (fun d => layer_norm n (layers d))).
Proof.
  induction D as [|D IH]; [simpl; ring|].
  cbn [W]. rewrite IH, S_INR. unfold M. cbn [product].
  assert (Hg : forall d, gain n layers 0 d = layer_norm n (layers d)) by (intros; unfold gain; ring).
  assert (Hp : product D (gain n layers 0) = product D (fun d => layer_norm n (layers d))).
  { clear IH. induction D as [|D IH]; cbn [product]; [reflexivity|]. now rewrite IH, Hg. }
  rewrite Hp, Hg. unfold added. rewrite sum_scal. unfold layer_norm. ring.
Qed.

Lemma divide_by_delta delta eta w : 0 < delta -> delta - 2 * eta <= delta * w -> w >= 1 - 2 * eta / delta.
Proof.
  intros Hd H. apply Rle_ge. apply (Rmult_le_reg_l delta); [assumption|].
  replace (delta * (1 - 2 * eta / delta)) with (delta - 2 * eta) by (field; lra). exact H.
Qed.

Lemma residual_step n layers d z i c :
  hidden_states n layers (S d) z i c
  = 1 * hidden_states n layers d z i c + layer_output n (layers d) (hidden_states n layers d z) i c.
Proof. cbn [hidden_states]. unfold residual_layer. ring. Qed.

Lemma plain_step n layers d z i c :
  plain_states n layers (S d) z i c
  = 0 * plain_states n layers d z i c + layer_output n (layers d) (plain_states n layers d z) i c.
Proof. cbn [plain_states]. ring. Qed.

Theorem residual_trade : trade_statement.residual_trade.
Proof.
  intros n L D layers j r delta x y p eta Hx Hy Hdelta Hxy Hrows Hsame Hspread Hloss.
  apply divide_by_delta; [assumption|].
  pose proof (trade n L D j r layers (hidden_states n layers) 1 x y delta p eta) as H.
  rewrite W_closed in H.
  2:{ intros d. unfold gain. pose proof (layer_norm_nonneg n (layers d)). lra. }
  apply H; try assumption.
  - lra.
  - reflexivity.
  - apply residual_step.
  - intros z Hz i c H1 Hi Hc. rewrite Rmult_1_l. now apply (Hloss z j Hz).
Qed.

(** v/(1+v) <= ln(1+v), so N sum v/(1+v) <= N ln N. *)
Lemma fraction_le_ln v : 0 <= v -> v / (1 + v) <= ln (1 + v).
Proof.
  intros Hv. pose proof (exp_ineq1_le (- ln (1 + v))) as H.
  rewrite exp_Ropp, exp_ln in H by lra.
  replace (v / (1 + v)) with (1 - / (1 + v)) by (field; lra). lra.
Qed.

Lemma growth_pos n D layers : 0 < growth n D layers.
Proof. apply product_pos. intros d _. pose proof (layer_norm_nonneg n (layers d)). lra. Qed.

Lemma fractions_le_ln n D layers :
  sum D (fun d => layer_norm n (layers d) / (1 + layer_norm n (layers d))) <= ln (growth n D layers).
Proof.
  induction D as [|D IH]; cbn [sum]; [unfold growth; cbn [product]; rewrite ln_1; lra|].
  pose proof (layer_norm_nonneg n (layers D)) as Hv. pose proof (growth_pos n D layers).
  unfold growth. cbn [product]. fold (growth n D layers). rewrite ln_mult by lra.
  pose proof (fraction_le_ln _ Hv). lra.
Qed.

Theorem residual_trade_closed : trade_statement.residual_trade_closed.
Proof.
  intros n L D layers j r delta x y p eta Hx Hy Hdelta Hxy Hrows Hsame Hspread Hloss Heta.
  pose proof (residual_trade n L D layers j r delta x y (fun _ _ => p) eta
                Hx Hy Hdelta Hxy Hrows Hsame Hspread Hloss) as H.
  cbv beta in H. set (N := growth n D layers) in *. pose proof (growth_pos n D layers) as HN. fold N in HN.
  pose proof (fractions_le_ln n D layers) as HS. fold N in HS.
  set (S := sum D (fun d => layer_norm n (layers d) / (1 + layer_norm n (layers d)))) in *.
  replace (sum D (fun d => sum (head_count (layers d)) (fun h => p * value_norm n (values (layers d) h))
                           / (1 + layer_norm n (layers d)))) with (p * S) in H.
  2:{ unfold S. rewrite <- sum_scal. apply sum_ext. intros d _. rewrite sum_scal. unfold layer_norm, Rdiv. ring. }
  assert (He : 0 < 1 - 2 * eta / delta).
  { assert (eta / delta < / 2); [|unfold Rdiv in *; lra].
    apply (Rmult_lt_reg_r delta); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (HS0 : 0 <= S).
  { apply sum_nonneg. intros d _. pose proof (layer_norm_nonneg n (layers d)).
    apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. lra. }
  assert (Hprod : 0 < p * (N * S)) by lra.
  assert (HSpos : 0 < S).
  { destruct HS0 as [HS0|HS0]; [assumption|]. rewrite <- HS0 in Hprod. lra. }
  assert (Hp : 0 < p).
  { apply (Rmult_lt_reg_r (N * S)); [now apply Rmult_lt_0_compat|]. lra. }
  assert (HlnN : 0 < ln N) by lra.
  assert (HN1 : 1 < N) by (apply ln_lt_inv; [lra|assumption|rewrite ln_1; exact HlnN]).
  split; [lra|]. split; [assumption|]. apply Rle_ge.
  apply (Rmult_le_reg_r (N * ln N)); [now apply Rmult_lt_0_compat|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r
    by (apply Rgt_not_eq; now apply Rmult_lt_0_compat).
  apply Rle_trans with (p * (N * S)); [lra|].
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.

Theorem plain_trade : trade_statement.plain_trade.
Proof.
  intros n L D layers j r delta x y p eta Hx Hy Hdelta Hxy Hrows Hsame Hspread Hloss.
  apply divide_by_delta; [assumption|]. rewrite <- W_uniform.
  apply (trade n L D j r layers (plain_states n layers) 0 x y delta (fun _ _ => p) eta); try assumption.
  - lra.
  - reflexivity.
  - apply plain_step.
  - intros z Hz i c H1 Hi Hc. rewrite Rmult_0_l, Rplus_0_l. now apply (Hloss z j Hz).
Qed.

Print Assumptions residual_trade.
Print Assumptions residual_trade_closed.
Print Assumptions plain_trade.
