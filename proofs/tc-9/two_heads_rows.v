(** * tc-9 (b), the rows of the stack [two_heads]

    The logits in terms of the flags ([key_logit]); rows other than the trigger's, where all four heads
    attend uniformly and the two heads of a layer cancel ([quiet_rows], [quiet_bos_attention]); the
    trigger's row of a head in terms of its three weights, of BOS, of a content token, of itself
    ([trigger_head]). *)

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

(** What the key of head h of layer d reads off a token. *)
Definition key_reading (n d h : nat) (k : token) : R :=
  match d, h with
  | O, O => - bos_flag k
  | O, S _ => - content_flag n k
  | S _, O => trigger_flag k
  | S _, S _ => bos_flag k + 3 / 4 * (trigger_flag k + content_flag n k)
  end.

Lemma key_reading_spec n d h k :
  (4 <= n)%nat -> sum n (fun b => two_heads_key n d h b * k b) = key_reading n d h k.
Proof.
  intros Hn. unfold two_heads_key, key_reading, bos_flag, trigger_flag, content_flag.
  assert (Hneg : forall m, (m < n)%nat -> sum n (fun b => - unit_vector m b * k b) = - k m).
  { intros m Hm. rewrite (sum_ext _ _ (fun b => -1 * (unit_vector m b * k b))) by (intros; ring).
    rewrite sum_scal, unit_vector_sum by assumption. ring. }
  destruct d, h; [apply Hneg; lia|apply Hneg; lia|apply unit_vector_sum; lia|].
  rewrite (sum_ext _ _ (fun b => unit_vector 0 b * k b
             + 3 / 4 * (unit_vector 1 b * k b + unit_vector (n - 1) b * k b))) by (intros; ring).
  rewrite sum_plus, sum_scal, sum_plus, !unit_vector_sum by lia. reflexivity.
Qed.

(** The logit is Lambda t(q) times the reading of the key. *)
Lemma key_logit n Lambda d h q k :
  (4 <= n)%nat ->
  bilinear n (two_heads_scores n Lambda d h) q k = trigger_flag q * (Lambda * key_reading n d h k).
Proof.
  intros Hn. unfold bilinear, two_heads_scores, trigger_flag.
  rewrite (sum_single n _ 1%nat); [|lia|].
  - rewrite unit_vector_same, <- key_reading_spec, <- !sum_scal by assumption.
    apply sum_ext. intros. ring.
  - intros a _ Ha. apply sum_zero. intros. rewrite unit_vector_other by assumption. ring.
Qed.

(** ** Rows whose token has trigger flag 0 *)

Definition head_weights (n : nat) (Lambda : R) (d h : nat) : attention :=
  kernel_attention (softmax_kernel n (two_heads_scores n Lambda d h)).

Lemma uniform_weights n Lambda d h (y : sequence) i k :
  (4 <= n)%nat -> trigger_flag (y i) = 0 -> head_weights n Lambda d h y i k = 1 / INR i.
Proof.
  intros Hn Ht. unfold head_weights, kernel_attention, softmax_kernel.
  rewrite key_logit, Ht, Rmult_0_l, exp_0 by assumption. f_equal. unfold possum.
  rewrite (sum_ext _ _ (fun _ => 1)).
  - rewrite sum_const. ring.
  - intros. now rewrite key_logit, Ht, Rmult_0_l, exp_0.
Qed.

(** The factor in front of P in the values of head h of layer d. *)
Definition value_factor (d h : nat) : R :=
  (match d with O => 2 / 3 | S _ => 1 end) * (match h with O => 1 | S _ => -1 end).

(** P removes the BOS flag. *)
Lemma value_spec n d h y r :
  (r < n)%nat ->
  linear_value n (two_heads_values d h) y r = value_factor d h * (if (r =? 0)%nat then 0 else y r).
Proof.
  intros Hr. rewrite <- (linear_projector n y r Hr). unfold linear_value. rewrite <- sum_scal.
  apply sum_ext. intros. unfold two_heads_values. fold (value_factor d h). ring.
Qed.

Lemma layer_heads n Lambda d y i r :
  residual_layer n (two_heads n Lambda d) y i r
  = y i r + (head (head_weights n Lambda d 0) (linear_value n (two_heads_values d 0)) y i r
             + head (head_weights n Lambda d 1) (linear_value n (two_heads_values d 1)) y i r).
Proof. unfold residual_layer, layer_output, multi_head. cbn [head_count two_heads sum]. now rewrite Rplus_0_l. Qed.

(** Equal weights and opposite values cancel. *)
Lemma quiet_row n Lambda d y i r :
  (4 <= n)%nat -> (r < n)%nat -> trigger_flag (y i) = 0 ->
  residual_layer n (two_heads n Lambda d) y i r = y i r.
Proof.
  intros Hn Hr Ht. rewrite layer_heads. unfold head. rewrite <- possum_plus.
  rewrite <- (Rplus_0_r (y i r)) at 2. f_equal. unfold possum. apply sum_zero. intros k _.
  rewrite !uniform_weights, !value_spec by assumption. unfold value_factor. ring.
Qed.

Lemma quiet_trigger_flag n L x j i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> trigger_flag (x i) = 0.
Proof.
  intros Hn Hx H1 H2 E. unfold trigger_flag. rewrite (valid_trigger_flag n L j x Hx Hn i H1 H2).
  apply Nat.eqb_neq in E. now rewrite E.
Qed.

(** Below and above layer d every row but the trigger's is that of the input. *)
Lemma quiet_states n L Lambda x j i d r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat ->
  hidden_states n (two_heads n Lambda) d x i r = x i r.
Proof.
  intros Hn Hx H1 H2 E. revert r. induction d as [|d IH]; intros r Hr; [reflexivity|].
  cbn [hidden_states]. rewrite quiet_row; [now apply IH|assumption|assumption|].
  unfold trigger_flag. rewrite IH by lia. now apply (quiet_trigger_flag n L x j).
Qed.

Theorem two_heads_quiet_rows : two_heads_statement.two_heads_quiet_rows.
Proof. intros n L Lambda x j i r Hn Hx H1 H2 E Hr. now apply (quiet_states n L Lambda x j). Qed.

Theorem two_heads_quiet_bos_attention : two_heads_statement.two_heads_quiet_bos_attention.
Proof.
  intros n L Lambda x j i d h Hn Hx H1 H2 E _ _.
  apply (uniform_weights n Lambda d h); [assumption|]. unfold trigger_flag.
  rewrite (quiet_states n L Lambda x j) by (assumption || lia). now apply (quiet_trigger_flag n L x j).
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
  Lemma three_weights_head n d h r :
    (r < n)%nat -> (forall k, (2 <= k)%nat -> (k <= j)%nat -> bos_flag (y k) = 0) ->
    (r <> 0%nat -> y 1%nat r = 0) ->
    head (kernel_attention K) (linear_value n (two_heads_values d h)) y j r
    = value_factor d h * ((wc * content_sum y j r + wt * y j r) / (wb + INR (j - 2) * wc + wt)).
  Proof using Hj Hb Hc Ht.
    intros Hr H0 H1.
    assert (Hv : forall k, (2 <= k)%nat -> (k <= j)%nat ->
              linear_value n (two_heads_values d h) (y k) r = value_factor d h * y k r).
    { intros k Hk1 Hk2. rewrite value_spec by assumption. destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity].
      now rewrite <- (H0 k Hk1 Hk2). }
    rewrite kernel_head_quotient, three_weights_total, possum_ends by assumption.
    rewrite Hb, Ht, (Hv j) by lia. rewrite (sum_ext _ _ (fun k => (value_factor d h * wc) * y (k + 2)%nat r)).
    2:{ intros. rewrite Hc, Hv by lia. ring. }
    rewrite sum_scal. fold (content_sum y j r). rewrite value_spec by assumption.
    replace (if (r =? 0)%nat then 0 else y 1%nat r) with 0.
    2:{ destruct (Nat.eqb_spec r 0) as [|E]; [reflexivity|]. now rewrite H1. }
    unfold Rdiv. ring.
  Qed.
End ThreeWeights.

(** ** The hypotheses can be met *)

Theorem two_heads_quiet_rows_instance :
  exists n L (Lambda : R) x j i r,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j /\ (r < n)%nat.
Proof.
  exists 5%nat, 6%nat, 8. destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists x, 4%nat, 6%nat, 2%nat. repeat (split; [lia || exact Hx|]); lia.
Qed.

Theorem two_heads_quiet_bos_attention_instance :
  exists n L (Lambda : R) x j i d h,
  (4 <= n)%nat /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j /\ (d < 2)%nat /\ (h < 2)%nat.
Proof.
  exists 5%nat, 6%nat, 8. destruct (valid_exists 5 6 4) as [x Hx]; try lia.
  exists x, 4%nat, 6%nat, 1%nat, 1%nat. repeat (split; [lia || exact Hx|]); lia.
Qed.

Print Assumptions two_heads_quiet_rows.
Print Assumptions two_heads_quiet_rows_instance.
Print Assumptions two_heads_quiet_bos_attention.
Print Assumptions two_heads_quiet_bos_attention_instance.
