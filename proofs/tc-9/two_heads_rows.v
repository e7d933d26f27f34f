(** * tc-9 (b), the rows of the stack [two_heads]

    The logits in terms of the flags ([key_logit]); rows other than the trigger's, where the two heads of a
    layer have equal weights and opposite values ([two_heads_quiet_rows], [two_heads_quiet_bos_attention]);
    the trigger's row of a head in terms of three weights, of BOS, of a content token and of itself
    ([three_weights_head]). *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack.
From Claim Require Import two_heads_statement.
Open Scope R_scope.

(** ** Logits *)

Lemma unit_vector_same k : unit_vector k k = 1.
Proof. unfold unit_vector. now rewrite Nat.eqb_refl. Qed.

Lemma unit_vector_other k r : r <> k -> unit_vector k r = 0.
Proof. intros H. unfold unit_vector. apply Nat.eqb_neq in H. now rewrite H. Qed.

(** unit_vector k . x = x k *)
Lemma unit_vector_sum n k (x : token) : (k < n)%nat -> sum n (fun r => unit_vector k r * x r) = x k.
Proof.
  intros Hk. rewrite (sum_single n _ k Hk).
  - rewrite unit_vector_same. ring.
  - intros r _ Hr. rewrite unit_vector_other by assumption. ring.
Qed.

(** A sum of two rank-one matrices. *)
Lemma bilinear_two n (u1 u2 g1 g2 q k : token) :
  bilinear n (fun a b => u1 a * g1 b + u2 a * g2 b) q k
  = sum n (fun a => u1 a * q a) * sum n (fun b => g1 b * k b)
    + sum n (fun a => u2 a * q a) * sum n (fun b => g2 b * k b).
Proof.
  unfold bilinear. rewrite <- !sum_scal_r, <- sum_plus. apply sum_ext. intros a _.
  rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring.
Qed.

(** What a trigger in head h of layer d reads off a token with these BOS, trigger and content flags. *)
Definition key_reading (kappa : R) (d h : nat) (b t c : R) : R :=
  match d, h with
  | O, O => - b
  | O, S _ => - c
  | S _, O => t
  | S _, S _ => b + (t + c) / (2 * first_factor kappa)
  end.

Lemma key_reading_spec n kappa d h k :
  (4 <= n)%nat ->
  sum n (fun r => two_heads_key n kappa d h r * k r)
  = key_reading kappa d h (bos_flag k) (trigger_flag k) (content_flag n k).
Proof.
  intros Hn. unfold two_heads_key, key_reading, bos_flag, trigger_flag, content_flag.
  assert (Hneg : forall m, (m < n)%nat -> sum n (fun r => - unit_vector m r * k r) = - k m).
  { intros m Hm. rewrite (sum_ext _ _ (fun r => -1 * (unit_vector m r * k r))) by (intros; ring).
    rewrite sum_scal, unit_vector_sum by assumption. ring. }
  destruct d, h; [apply Hneg; lia|apply Hneg; lia|apply unit_vector_sum; lia|].
  rewrite (sum_ext _ _ (fun r => unit_vector 0 r * k r
             + / (2 * first_factor kappa) * (unit_vector 1 r * k r + unit_vector (n - 1) r * k r)))
    by (intros; unfold Rdiv; ring).
  rewrite sum_plus, sum_scal, sum_plus, !unit_vector_sum by lia. unfold Rdiv. ring.
Qed.

(** The logit is Lambda t(q) times the reading of the key, less kappa (t + c)(q) b(k). *)
Lemma key_logit n Lambda kappa d h q k :
  (4 <= n)%nat ->
  bilinear n (two_heads_scores n Lambda kappa d h) q k
  = trigger_flag q * (Lambda * key_reading kappa d h (bos_flag k) (trigger_flag k) (content_flag n k))
    + (trigger_flag q + content_flag n q) * (- kappa * bos_flag k).
Proof.
  intros Hn. unfold two_heads_scores. rewrite bilinear_two. f_equal; f_equal.
  - apply unit_vector_sum. lia.
  - rewrite <- key_reading_spec, <- sum_scal by assumption. apply sum_ext. intros. ring.
  - rewrite (sum_ext _ _ (fun a => unit_vector 1 a * q a + unit_vector (n - 1) a * q a)) by (intros; ring).
    rewrite sum_plus, !unit_vector_sum by lia. reflexivity.
  - rewrite (sum_ext _ _ (fun b => - kappa * (unit_vector 0 b * k b))) by (intros; ring).
    rewrite sum_scal, unit_vector_sum by lia. reflexivity.
Qed.

(** ** Rows whose token has trigger flag 0 *)

Definition head_kernel (n : nat) (Lambda kappa : R) (d h : nat) : kernel :=
  softmax_kernel n (two_heads_scores n Lambda kappa d h).

Lemma quiet_kernel n Lambda kappa d h q k :
  (4 <= n)%nat -> trigger_flag q = 0 ->
  head_kernel n Lambda kappa d h q k = exp (content_flag n q * (- kappa * bos_flag k)).
Proof.
  intros Hn Ht. unfold head_kernel, softmax_kernel. rewrite key_logit, Ht by assumption. f_equal. ring.
Qed.

(** The factor in front of P in the values of head h of layer d. *)
Definition value_factor (kappa : R) (d h : nat) : R :=
  (match d with O => first_factor kappa | S _ => second_factor kappa end) * (match h with O => 1 | S _ => -1 end).

(** P removes the BOS flag. *)
Lemma value_spec n kappa d h y r :
  (r < n)%nat ->
  linear_value n (two_heads_values kappa d h) y r = value_factor kappa d h * (if (r =? 0)%nat then 0 else y r).
Proof.
  intros Hr. rewrite <- (linear_projector n y r Hr). unfold linear_value. rewrite <- sum_scal.
  apply sum_ext. intros. unfold two_heads_values. fold (value_factor kappa d h). ring.
Qed.

Definition two_heads_head (n : nat) (Lambda kappa : R) (d h : nat) : model :=
  head (kernel_attention (head_kernel n Lambda kappa d h)) (linear_value n (two_heads_values kappa d h)).

Lemma layer_heads n Lambda kappa d y i r :
  residual_layer n (two_heads n Lambda kappa d) y i r
  = y i r
    + (two_heads_head n Lambda kappa d 0 y i r + two_heads_head n Lambda kappa d 1 y i r).
Proof.
  unfold residual_layer, layer_output, multi_head. cbn [head_count two_heads softmax_stack sum].
  now rewrite Rplus_0_l.
Qed.

(** Equal weights and opposite values cancel. *)
Lemma quiet_row n Lambda kappa d y i r :
  (4 <= n)%nat -> (r < n)%nat -> trigger_flag (y i) = 0 ->
  residual_layer n (two_heads n Lambda kappa d) y i r = y i r.
Proof.
  intros Hn Hr Ht. rewrite layer_heads. unfold two_heads_head, head. rewrite <- possum_plus.
  rewrite <- (Rplus_0_r (y i r)) at 2. f_equal. unfold possum at 1. apply sum_zero. intros k _.
  unfold kernel_attention. rewrite !quiet_kernel, !value_spec by assumption.
  rewrite (possum_ext _ (fun l => head_kernel n Lambda kappa d 1 (y i) (y l))
             (fun l => head_kernel n Lambda kappa d 0 (y i) (y l))).
  - unfold value_factor, Rdiv. ring.
  - intros. now rewrite !quiet_kernel.
Qed.

(** No head writes to the BOS flag. *)
Lemma bos_flag_kept n Lambda kappa d y i :
  (4 <= n)%nat -> bos_flag (residual_layer n (two_heads n Lambda kappa d) y i) = bos_flag (y i).
Proof.
  intros Hn. unfold bos_flag. rewrite layer_heads. unfold two_heads_head, head, possum.
  rewrite !sum_zero; [ring| |]; intros; rewrite value_spec by lia; cbn; ring.
Qed.

Lemma quiet_trigger_flag n L x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> trigger_flag (x i) = 0.
Proof.
  intros Hn Hx H1 H2 E. unfold trigger_flag. rewrite (valid_trigger_flag n L j x Hx Hn i H1 H2).
  apply Nat.eqb_neq in E. now rewrite E.
Qed.

(** Below and above layer d every row but the trigger's is that of the input. *)
Lemma quiet_states n L Lambda kappa x j i d r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat ->
  hidden_states n (two_heads n Lambda kappa) d x i r = x i r.
Proof.
  intros Hn Hx H1 H2 E. revert r. induction d as [|d IH]; intros r Hr; [reflexivity|].
  cbn [hidden_states]. rewrite quiet_row; [now apply IH|assumption|assumption|].
  unfold trigger_flag. rewrite IH by lia. now apply (quiet_trigger_flag n L x j).
Qed.

Lemma states_bos_flag n Lambda kappa x i d :
  (4 <= n)%nat -> bos_flag (hidden_states n (two_heads n Lambda kappa) d x i) = bos_flag (x i).
Proof. intros Hn. induction d as [|d IH]; [reflexivity|]. cbn [hidden_states]. now rewrite bos_flag_kept. Qed.

Theorem two_heads_quiet_rows : two_heads_statement.two_heads_quiet_rows.
Proof. intros n L Lambda kappa x j i r Hn Hx H1 H2 E Hr. now apply (quiet_states n L Lambda kappa x j). Qed.

Theorem two_heads_quiet_bos_attention : two_heads_statement.two_heads_quiet_bos_attention.
Proof.
  intros n L Lambda kappa x j i d h Hn Hx H1 H2 E _ _.
  change (stack_bos_attention n (two_heads n Lambda kappa) d h x i)
    with (kernel_attention (head_kernel n Lambda kappa d h)
            (hidden_states n (two_heads n Lambda kappa) d x) i 1%nat).
  set (y := hidden_states n (two_heads n Lambda kappa) d x).
  assert (Hq : forall k, head_kernel n Lambda kappa d h (y i) (y k) = exp (- kappa * bos_flag (x k))).
  { intros k. rewrite quiet_kernel; [|assumption|].
    - unfold y. rewrite states_bos_flag by assumption. unfold content_flag.
      rewrite (quiet_states n L Lambda kappa x j), (valid_content_flag n L j x Hx Hn) by (assumption || lia).
      apply Nat.eqb_neq in E. rewrite E, Rmult_1_l. reflexivity.
    - unfold y, trigger_flag. rewrite (quiet_states n L Lambda kappa x j) by (assumption || lia).
      apply (quiet_trigger_flag n L x j); assumption || lia. }
  unfold kernel_attention. rewrite possum_first, !Hq, (first_is_bos _ _ _ _ Hx) by lia.
  rewrite (sum_ext _ _ (fun _ => 1)).
  2:{ intros k Hk. rewrite Hq. unfold bos_flag. rewrite (valid_bos_flag n L j x Hx Hn) by lia.
      rewrite Rmult_0_r. apply exp_0. }
  rewrite sum_const, minus_INR by lia. change (bos_flag bos) with 1. rewrite !Rmult_1_r, exp_Ropp.
  change (INR 1) with 1. pose proof (exp_pos kappa). apply le_INR in H1. simpl in H1.
  assert (0 < (INR i - 1) * exp kappa) by (apply Rmult_lt_0_compat; lra). field. lra.
Qed.

(** ** The trigger's row *)

(** The sum of the content tokens before the trigger. *)
Definition content_sum (x : sequence) (j r : nat) : R := sum (j - 2) (fun k => x (k + 2)%nat r).

(** A query that gives weight wb to BOS, wc to each of the j - 2 tokens between, wt to itself. *)
Section ThreeWeights.
  Context (K : kernel) (y : sequence) (j : nat) (wb wc wt : R) (Hj : (2 <= j)%nat)
          (Hb : K (y j) (y 1%nat) = wb)
          (Hc : forall k, (2 <= k)%nat -> (k < j)%nat -> K (y j) (y k) = wc)
          (Ht : K (y j) (y j) = wt).

  Lemma three_weights_total : possum j (fun l => K (y j) (y l)) = wb + INR (j - 2) * wc + wt.
  Proof using Hj Hb Hc Ht.
    rewrite possum_ends, Hb, Ht by assumption. rewrite <- sum_const. do 2 f_equal.
    apply sum_ext. intros. apply Hc; lia.
  Qed.

  Lemma three_weights_bos : kernel_attention K y j 1%nat = wb / (wb + INR (j - 2) * wc + wt).
  Proof using Hj Hb Hc Ht. unfold kernel_attention. now rewrite three_weights_total, Hb. Qed.

  (** BOS flags are 0 from position 2 on, and BOS has no other coordinates: so P does nothing else than
      remove BOS. *)
  Lemma three_weights_head n kappa d h r :
    (r < n)%nat -> (forall k, (2 <= k)%nat -> (k <= j)%nat -> bos_flag (y k) = 0) ->
    (r <> 0%nat -> y 1%nat r = 0) ->
    head (kernel_attention K) (linear_value n (two_heads_values kappa d h)) y j r
    = value_factor kappa d h * ((wc * content_sum y j r + wt * y j r) / (wb + INR (j - 2) * wc + wt)).
  Proof using Hj Hb Hc Ht.
    intros Hr H0 H1.
    assert (Hv : forall k, (2 <= k)%nat -> (k <= j)%nat ->
              linear_value n (two_heads_values kappa d h) (y k) r = value_factor kappa d h * y k r).
    { intros k Hk1 Hk2. rewrite value_spec by assumption. destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity].
      now rewrite <- (H0 k Hk1 Hk2). }
    rewrite kernel_head_quotient, three_weights_total, possum_ends by assumption.
    rewrite Hb, Ht, (Hv j) by lia. rewrite (sum_ext _ _ (fun k => (value_factor kappa d h * wc) * y (k + 2)%nat r)).
    2:{ intros. rewrite Hc, Hv by lia. ring. }
    rewrite sum_scal. fold (content_sum y j r). rewrite value_spec by assumption.
    replace (if (r =? 0)%nat then 0 else y 1%nat r) with 0.
    2:{ destruct (Nat.eqb_spec r 0) as [|E]; [reflexivity|]. now rewrite H1. }
    unfold Rdiv. ring.
  Qed.
End ThreeWeights.

(** ** The hypotheses can be met *)

Theorem two_heads_quiet_rows_instance :
  exists n L (Lambda kappa : R) x j i r,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j /\ (r < n)%nat.
Proof.
  exists 5%nat, 6%nat, 8, 1. destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists x, 4%nat, 6%nat, 2%nat. repeat (split; [lia || exact Hx|]); lia.
Qed.

Theorem two_heads_quiet_bos_attention_instance :
  exists n L (Lambda kappa : R) x j i d h,
  (4 <= n)%nat /\ valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ i <> j /\ (d < 2)%nat /\ (h < 2)%nat.
Proof.
  exists 5%nat, 6%nat, 8, 1. destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists x, 4%nat, 6%nat, 1%nat, 1%nat. repeat (split; [lia || exact Hx|]); lia.
Qed.

Print Assumptions two_heads_quiet_rows.
Print Assumptions two_heads_quiet_rows_instance.
Print Assumptions two_heads_quiet_bos_attention.
Print Assumptions two_heads_quiet_bos_attention_instance.
