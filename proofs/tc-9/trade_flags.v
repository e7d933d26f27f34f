(** * tc-9: the trade for stacks that read flags and positions alone, and models of every hypothesis

    Proves [flag_stack_trade] and [small_bos_attention_costs] of trade_statement.v: the flags of all hidden states
    are those of the input with any other noise, so the weights agree on the inputs whose first noise
    coordinate is +1 and -1 throughout.  The model of all hypotheses is one layer of the two softmax heads of tc-7
    (b): n = 4, L = 4, loss 0, BOS attention at most 3/5. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family anchored_values residual_stack.
From Claim Require Import trade_statement trade.
Open Scope R_scope.

(** ** Flag stacks *)

(** The same sequence with noise coordinate 2 set to u at every row but BOS. *)
Definition set_noise (u : R) (x : sequence) : sequence :=
  fun i c => if (i =? 1)%nat then bos c else if (c =? 2)%nat then u else x i c.

Lemma set_noise_valid n L j x u :
  (4 <= n)%nat -> -1 <= u <= 1 -> valid n L j x -> valid n L j (set_noise u x).
Proof.
  intros Hn Hu [Hbos H3 HL [T0 T1 Tc Tu Td] Hc]. unfold set_noise.
  assert (E2 : (n - 1 =? 2)%nat = false) by (apply Nat.eqb_neq; lia).
  split; try assumption; [reflexivity| |].
  - destruct (Nat.eqb_spec j 1); [lia|]. split; unfold bos_flag, trigger_flag, content_flag in *;
      [exact T0|exact T1|now rewrite E2| |].
    + intros c H1 H2. destruct (c =? 2)%nat; auto.
    + intros c H. destruct (Nat.eqb_spec c 2); [lia|]. now apply Td.
  - intros i H2 Hi E. destruct (Nat.eqb_spec i 1); [lia|].
    destruct (Hc i H2 Hi E) as [C0 C1 Cc Cu Cd].
    split; unfold bos_flag, trigger_flag, content_flag in *; [exact C0|exact C1|now rewrite E2| |].
    + intros c H1 H4. destruct (c =? 2)%nat; auto.
    + intros c H. destruct (Nat.eqb_spec c 2); [lia|]. now apply Cd.
Qed.

Lemma set_noise_flags n L j x u i r :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> is_flag n r -> set_noise u x i r = x i r.
Proof.
  intros Hn Hx Hi Hr. unfold set_noise. destruct (Nat.eqb_spec i 1) as [->|E].
  - now rewrite (first_is_bos _ _ _ _ Hx).
  - destruct (Nat.eqb_spec r 2); [|reflexivity]. unfold is_flag in Hr. lia.
Qed.

Section FlagStack.
  Context (n L D : nat) (layers : nat -> layer) (x y : sequence).
  Context (Hn : (4 <= n)%nat) (Hflag : flag_stack n L D layers)
          (Hxy : forall i r, (1 <= i)%nat -> (i <= L)%nat -> is_flag n r -> x i r = y i r).

  Lemma hidden_flags d :
    (d <= D)%nat -> forall i r, (1 <= i)%nat -> (i <= L)%nat -> is_flag n r ->
    hidden_states n layers d x i r = hidden_states n layers d y i r.
  Proof using Hn Hflag Hxy.
    induction d as [|d IH]; intros Hd i r H1 Hi Hr; [now apply Hxy|].
    cbn [hidden_states]. unfold residual_layer. rewrite IH by (assumption || lia). f_equal.
    unfold layer_output, multi_head. apply sum_ext. intros h Hh. unfold head.
    destruct (Hflag d h) as [Hw Hv]; try lia.
    apply possum_ext. intros k Hk1 Hk.
    rewrite (Hw _ (hidden_states n layers d y)) by (assumption || lia || (intros; apply IH; assumption || lia)).
    f_equal. apply sum_ext. intros c Hc.
    assert (Hcase : is_flag n c \/ ((2 <= c)%nat /\ (c <= n - 2)%nat)) by (unfold is_flag; lia).
    destruct Hcase as [Hcf|[Hc2 Hcn]].
    - rewrite IH by (assumption || lia). reflexivity.
    - rewrite Hv by assumption. ring.
  Qed.

  Lemma flag_weights d h i k :
    (d < D)%nat -> (h < head_count (layers d))%nat -> (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat ->
    weights (layers d) h (hidden_states n layers d x) i k = weights (layers d) h (hidden_states n layers d y) i k.
  Proof using Hn Hflag Hxy.
    intros Hd Hh Hk Hki Hi. apply (Hflag d h); try assumption.
    intros; apply hidden_flags; assumption || lia.
  Qed.
End FlagStack.

Theorem flag_stack_trade : trade_statement.flag_stack_trade.
Proof.
  intros n L D layers j x p eta Hn Hx Hflag Hrows Hspread Hloss Heta.
  pose proof (trigger_to_L _ _ _ _ Hx) as HL.
  assert (Hw : forall u d h i k, (d < D)%nat -> (h < head_count (layers d))%nat ->
            (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat ->
            weights (layers d) h (hidden_states n layers d (set_noise u x)) i k
            = weights (layers d) h (hidden_states n layers d x) i k).
  { intros u d h i k. apply (flag_weights n L D); try assumption.
    intros a b Ha _ Hb. exact (set_noise_flags n L j x u a b Hn Hx Ha Hb). }
  destruct (residual_trade_closed n L D layers j 2%nat 1 (set_noise 1 x) (set_noise (-1) x) p eta)
    as (_ & H1 & H2); try assumption; try lra.
  - apply set_noise_valid; auto; lra.
  - apply set_noise_valid; auto; lra.
  - split; [lia|]. split; [lia|]. intros i c Hi _ _. unfold set_noise.
    destruct (Nat.eqb_spec i 1); [lia|]. destruct (c =? 2)%nat; ring.
  - intros d h i Hd Hh Hi Hij. destruct (Hrows d h i Hd Hh Hi Hij) as [Hpos Hsum]. split.
    + intros k Hk Hki. rewrite Hw by lia. now apply Hpos.
    + rewrite <- Hsum. apply possum_ext. intros k Hk Hki. apply Hw; lia.
  - intros d h i k Hd Hh Hk Hki Hi. rewrite !Hw by lia. reflexivity.
  - intros d h i i' Hd Hh Hi Hij Hi' Hij'. unfold bos_attention. rewrite !Hw by lia. now apply Hspread.
Qed.

Theorem small_bos_attention_costs : trade_statement.small_bos_attention_costs.
Proof.
  intros n L D layers j x p eta Hn Hx Hflag Hrows Hbos Hloss Heta.
  destruct (flag_stack_trade n L D layers j x p eta) as (HN & Hp); try assumption.
  { intros d h i i' Hd Hh Hi Hij Hi' Hij'.
    pose proof (Hbos d h i Hd Hh Hi Hij) as B. pose proof (Hbos d h i' Hd Hh Hi' Hij') as B'.
    destruct (Hrows d h i) as [P _]; try lia. destruct (Hrows d h i') as [P' _]; try lia.
    specialize (P 1%nat ltac:(lia) ltac:(lia)). specialize (P' 1%nat ltac:(lia) ltac:(lia)).
    unfold stack_bos_attention, bos_attention in *. apply Rabs_le. lra. }
  set (N := growth n D layers) in *.
  assert (HlnN : 0 < ln N) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (HNlnN : 0 < N * ln N) by (apply Rmult_lt_0_compat; lra).
  assert (Hquot : 0 < (1 - 2 * eta) / (N * ln N)) by (apply Rdiv_lt_0_compat; lra).
  assert (Hp0 : 0 < p) by lra. split; [assumption|].
  apply Rle_ge. apply (Rmult_le_reg_r p); [assumption|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rge_le, (Rmult_le_compat_r (N * ln N)) in Hp; [|lra].
  unfold Rdiv in Hp. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Hp by lra. lra.
Qed.

(** ** Two BOS switches *)

(** Two softmax heads: BOS factor F_h for the trigger query and 1 for others, values c_h P. *)
Definition switch_layer (n : nat) (F c : nat -> R) : layer := {|
  head_count := 2;
  weights := fun h => switch_attention n 0 (ln (F h));
  values := fun h => scaled_projector (c h)
|}.

Lemma switch_layer_stochastic n F c states j x : stochastic_rows 1 (fun _ => switch_layer n F c) states j x.
Proof.
  intros d h i _ _ H1 _. cbn [weights switch_layer].
  pose proof (kernel_row_sum_pos (softmax_kernel n (switch_matrix n 0 (ln (F h)))) (states d x) i
                (softmax_positive _ _) H1) as Hs. split.
  - intros k _ _. left. apply Rdiv_lt_0_compat; [apply exp_pos|exact Hs].
  - apply kernel_attention_sum. lra.
Qed.

(** They read flags alone. *)
Lemma switch_layer_flags n L F c : (4 <= n)%nat -> flag_stack n L 1 (fun _ => switch_layer n F c).
Proof.
  intros Hn d h _ _. cbn [switch_layer weights values]. split.
  - intros x y Hxy i k Hk Hki Hi.
    assert (HK : forall l, (1 <= l)%nat -> (l <= i)%nat ->
              softmax_kernel n (switch_matrix n 0 (ln (F h))) (x i) (x l)
              = softmax_kernel n (switch_matrix n 0 (ln (F h))) (y i) (y l)).
    { intros l H1 H2. unfold softmax_kernel. rewrite !switch_logit by lia.
      unfold bos_flag, trigger_flag, content_flag, is_flag in *.
      rewrite !(Hxy i), (Hxy l) by lia. reflexivity. }
    unfold switch_attention, kernel_attention. rewrite HK by assumption. f_equal.
    apply possum_ext. intros. now apply HK.
  - intros r a Hr H2 Ha. unfold scaled_projector, projector, is_flag in *.
    destruct (Nat.eqb_spec r a); [lia|ring].
Qed.

(** Loss 0, if c_0 + c_1 = 0 and c_0/(F_0 + m) + c_1/(F_1 + m) = 1/m for m = 2..L-1. *)
Lemma switch_layer_exact n L F c :
  (4 <= n)%nat -> (forall h, 0 < F h) -> c 0%nat + c 1%nat = 0 ->
  (forall j, (3 <= j)%nat -> (j <= L)%nat ->
     c 0%nat / (F 0%nat + INR (j - 1)) + c 1%nat / (F 1%nat + INR (j - 1)) = 1 / INR (j - 1)) ->
  sup_loss_le n L (layer_output n (switch_layer n F c)) 0.
Proof.
  intros Hn HF Hc Hsys x j Hx i r H1 Hi Hr. apply Req_le.
  pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  unfold layer_output, multi_head. cbn [head_count switch_layer sum weights values].
  set (S := sum (i - 1) (fun k => x (k + 2)%nat r)).
  assert (E : forall h, head (switch_attention n 0 (ln (F h))) (linear_value n (scaled_projector (c h))) x i r
                        = c h * S / ((if (i =? j)%nat then F h else 1) + INR (i - 1))).
  { intros h. pose proof (switch_output n L j x Hx Hn 0 (ln (F h)) (c h) i r H1 Hi Hr) as Hout.
    unfold switch_head in Hout. rewrite Hout. unfold bos_factor. rewrite exp_ln, exp_0 by apply HF. reflexivity. }
  rewrite !E. destruct (Nat.eqb_spec i j) as [->|Eij].
  - rewrite (switch_target n j x r Hr). fold S. rewrite Rminus_diag_eq; [apply Rabs_R0|].
    transitivity (S * (c 0%nat / (F 0%nat + INR (j - 1)) + c 1%nat / (F 1%nat + INR (j - 1)))).
    + unfold Rdiv. ring.
    + rewrite Hsys by assumption. unfold Rdiv. ring.
  - rewrite target_off_trigger by assumption. rewrite Rminus_diag_eq; [apply Rabs_R0|].
    replace (c 1%nat) with (- c 0%nat) by lra. unfold Rdiv. ring.
Qed.

(** ** The hypotheses hold of the two heads of tc-7 (b): F = 2, 3 and values 10 P, - 10 P *)

Definition bos_weight (h : nat) : R := if (h =? 0)%nat then 2 else 3.
Definition two_heads : layer := switch_layer 4 bos_weight (fun h => if (h =? 0)%nat then 10 else - 10).
Definition model_layers : nat -> layer := fun _ => two_heads.

Definition input (u : R) : sequence := probe (constant_content 4 u) (constant_trigger 4 u) 3.

Lemma input_valid u : -1 <= u <= 1 -> valid 4 4 3 (input u).
Proof.
  intros Hu. apply probe_valid; [apply constant_content_is_content|apply constant_trigger_is_trigger|lia|lia];
    assumption || lia.
Qed.

Lemma inputs_differ : differ_in_noise 4 3 2 1 (input 1) (input (-1)).
Proof.
  split; [lia|]. split; [lia|]. intros i c H2 H3 Hc.
  assert (Hi : i = 2%nat \/ i = 3%nat) by lia.
  do 4 (destruct c as [|c]; [destruct Hi; subst i; unfold input, probe, constant_content, constant_trigger; simpl; ring|]).
  lia.
Qed.

Lemma bos_weight_pos h : 0 < bos_weight h.
Proof. unfold bos_weight. destruct (h =? 0)%nat; lra. Qed.

Lemma two_heads_sup_loss : sup_loss_le 4 4 (layer_output 4 two_heads) 0.
Proof.
  apply switch_layer_exact; [lia|apply bos_weight_pos|cbn [Nat.eqb]; ring|].
  intros j H3 H4. assert (Hj : j = 3%nat \/ j = 4%nat) by lia. unfold bos_weight. cbn [Nat.eqb].
  destruct Hj; subst j; simpl; field.
Qed.

(** BOS attention at most 3/5 on rows 2..j. *)
Lemma two_heads_bos u d h i :
  -1 <= u <= 1 -> (2 <= i)%nat -> (i <= 3)%nat -> d = 0%nat ->
  0 <= stack_bos_attention 4 model_layers d h (input u) i <= 3 / 5.
Proof.
  intros Hu H2 H3 ->. unfold stack_bos_attention. cbn [hidden_states model_layers two_heads switch_layer weights].
  rewrite (switch_bos_attention 4 4 3 (input u) (input_valid u Hu)) by lia.
  unfold bos_factor. rewrite exp_0, exp_ln by apply bos_weight_pos.
  assert (Hi : i = 2%nat \/ i = 3%nat) by lia. unfold bos_weight.
  destruct Hi; subst i; simpl; [|destruct (h =? 0)%nat]; split; lra.
Qed.

Lemma two_heads_same_weights states :
  (forall x, states 0%nat x = x) -> same_weights 1 model_layers states 3 (input 1) (input (-1)).
Proof.
  intros H0 d h i k Hd Hh Hk Hki Hi. replace d with 0%nat by lia. rewrite !H0.
  apply (switch_layer_flags 4 4 bos_weight _ (le_n 4) 0%nat h); try lia; [exact Hh|].
  intros a r Ha _ Hr. unfold input, probe, constant_content, constant_trigger.
  unfold is_flag in Hr. destruct (Nat.eqb_spec a 1); [reflexivity|].
  destruct (Nat.eqb_spec a 3); destruct Hr as [->|[->| ->]]; reflexivity.
Qed.

Lemma two_heads_spread states u :
  -1 <= u <= 1 -> (forall x, states 0%nat x = x) -> bos_spread_le 1 model_layers states 3 (input u) (fun _ _ => 3 / 5).
Proof.
  intros Hu H0 d h i i' Hd _ H2 Hi H2' Hi'. replace d with 0%nat by lia. rewrite H0.
  pose proof (two_heads_bos u 0 h i Hu H2 Hi eq_refl) as A.
  pose proof (two_heads_bos u 0 h i' Hu H2' Hi' eq_refl) as B.
  unfold stack_bos_attention in A, B. cbn [hidden_states] in A, B. apply Rabs_le. lra.
Qed.

Lemma two_heads_residual_loss : residual_sup_loss_le 4 4 (residual_stack 4 1 model_layers) 0.
Proof. apply (residual_sup_loss_iff 4 4 (layer_output 4 two_heads)), two_heads_sup_loss. Qed.

Theorem residual_trade_instance :
  exists n L D layers j r delta x y p eta,
  valid n L j x /\ valid n L j y /\ 0 < delta /\ differ_in_noise n j r delta x y /\
  stochastic_rows D layers (hidden_states n layers) j x /\
  same_weights D layers (hidden_states n layers) j x y /\
  bos_spread_le D layers (hidden_states n layers) j x p /\
  residual_sup_loss_le n L (residual_stack n D layers) eta.
Proof.
  exists 4%nat, 4%nat, 1%nat, model_layers, 3%nat, 2%nat, 1, (input 1), (input (-1)), (fun _ _ => 3 / 5), 0.
  repeat match goal with |- _ /\ _ => split end; try (apply input_valid); try lra.
  - exact inputs_differ.
  - apply switch_layer_stochastic.
  - now apply two_heads_same_weights.
  - apply two_heads_spread; [lra|reflexivity].
  - exact two_heads_residual_loss.
Qed.

Theorem residual_trade_closed_instance :
  exists n L D layers j r delta x y p eta,
  valid n L j x /\ valid n L j y /\ 0 < delta /\ differ_in_noise n j r delta x y /\
  stochastic_rows D layers (hidden_states n layers) j x /\
  same_weights D layers (hidden_states n layers) j x y /\
  bos_spread_le D layers (hidden_states n layers) j x (fun _ _ => p) /\
  residual_sup_loss_le n L (residual_stack n D layers) eta /\ eta < delta / 2.
Proof.
  exists 4%nat, 4%nat, 1%nat, model_layers, 3%nat, 2%nat, 1, (input 1), (input (-1)), (3 / 5), 0.
  repeat match goal with |- _ /\ _ => split end; try (apply input_valid); try lra.
  - exact inputs_differ.
  - apply switch_layer_stochastic.
  - now apply two_heads_same_weights.
  - apply two_heads_spread; [lra|reflexivity].
  - exact two_heads_residual_loss.
Qed.

Theorem plain_trade_instance :
  exists n L D layers j r delta x y p eta,
  valid n L j x /\ valid n L j y /\ 0 < delta /\ differ_in_noise n j r delta x y /\
  stochastic_rows D layers (plain_states n layers) j x /\
  same_weights D layers (plain_states n layers) j x y /\
  bos_spread_le D layers (plain_states n layers) j x (fun _ _ => p) /\
  sup_loss_le n L (plain_states n layers D) eta.
Proof.
  exists 4%nat, 4%nat, 1%nat, model_layers, 3%nat, 2%nat, 1, (input 1), (input (-1)), (3 / 5), 0.
  repeat match goal with |- _ /\ _ => split end; try (apply input_valid); try lra.
  - exact inputs_differ.
  - apply switch_layer_stochastic.
  - now apply two_heads_same_weights.
  - apply two_heads_spread; [lra|reflexivity].
  - exact two_heads_sup_loss.
Qed.

Theorem flag_stack_trade_instance :
  exists n L D layers j x p eta,
  (4 <= n)%nat /\ valid n L j x /\ flag_stack n L D layers /\
  stochastic_rows D layers (hidden_states n layers) j x /\
  bos_spread_le D layers (hidden_states n layers) j x (fun _ _ => p) /\
  residual_sup_loss_le n L (residual_stack n D layers) eta /\ eta < / 2.
Proof.
  exists 4%nat, 4%nat, 1%nat, model_layers, 3%nat, (input 1), (3 / 5), 0.
  repeat match goal with |- _ /\ _ => split end; try (apply input_valid); try lra; [lia| | | |].
  - apply switch_layer_flags. lia.
  - apply switch_layer_stochastic.
  - apply two_heads_spread; [lra|reflexivity].
  - exact two_heads_residual_loss.
Qed.

Theorem small_bos_attention_costs_instance :
  exists n L D layers j x p eta,
  (4 <= n)%nat /\ valid n L j x /\ flag_stack n L D layers /\
  stochastic_rows D layers (hidden_states n layers) j x /\
  (forall d h i, (d < D)%nat -> (h < head_count (layers d))%nat -> (2 <= i)%nat -> (i <= j)%nat ->
     stack_bos_attention n layers d h x i <= p) /\
  residual_sup_loss_le n L (residual_stack n D layers) eta /\ eta < / 2.
Proof.
  exists 4%nat, 4%nat, 1%nat, model_layers, 3%nat, (input 1), (3 / 5), 0.
  repeat match goal with |- _ /\ _ => split end; try (apply input_valid); try lra; [lia| | | |].
  - apply switch_layer_flags. lia.
  - apply switch_layer_stochastic.
  - intros d h i Hd _ H2 Hi. apply two_heads_bos; lra || lia.
  - exact two_heads_residual_loss.
Qed.

Print Assumptions flag_stack_trade.
Print Assumptions small_bos_attention_costs.
Print Assumptions residual_trade_instance.
Print Assumptions residual_trade_closed_instance.
Print Assumptions plain_trade_instance.
Print Assumptions flag_stack_trade_instance.
Print Assumptions small_bos_attention_costs_instance.
