(** * tc-9 (a): one stack for all lengths

    For a whole number c = N, g_k = prod_{a < N} (m_k + a)/(E + 1 + a) ([read_growth_mass]: a telescoping
    product), so layer 2's weights are rational functions of the flags, without L: with s the sum of a
    row's flags, m = E c/(1 + c - s).  The kernel is such a function w where it is positive, written
    exp (ln w) to be positive everywhere.  It is continuous at the rows that occur: no denominator
    vanishes there ([trigger_extra_continuous]), and w > 0. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack switch_family.
From Claim Require Import one_head_statement one_head one_head_kernels.
Open Scope R_scope.

(** g as a function of m. *)
Definition read_growth (E : R) (N : nat) (m : R) : R := product N (fun a => (m + INR a) / (E + 1 + INR a)).

(** What a trigger query adds to the weight of BOS, as a function of m. *)
Definition trigger_extra (E : R) (N : nat) (m : R) : R :=
  read_growth E N (m + 1) * m / (INR N + 1) * (/ (1 - m / (INR N * (m - E))) - 1).

(** m as a function of the flags' sum. *)
Definition read_mass (E c s : R) : R := E * c / (1 + c - s).

Definition rational_weight (n : nat) (E : R) (N : nat) (q k : token) : R :=
  let c := INR N in
  bos_flag k * (E / (c + 1) + trigger_mark n E c q
                * (/ (1 + (1 + c - flag_sum n q) / E) * trigger_extra E N (read_mass E c (flag_sum n q))))
  + (1 - bos_flag k) * read_growth E N (read_mass E c (flag_sum n k)).

Definition rational_kernel (n : nat) (E : R) (N : nat) : kernel :=
  fun q k => exp (ln (rational_weight n E N q k)).

(** ** Its values *)

Lemma read_growth_step E N m :
  0 < E -> 0 < m -> read_growth E N (m + 1) = read_growth E N m * (1 + INR N / m).
Proof.
  intros HE Hm. unfold read_growth. induction N as [|N IH]; [simpl; field; lra|].
  cbn [product]. rewrite IH, S_INR. pose proof (pos_INR N). field. lra.
Qed.

Lemma read_growth_mass E N p : 0 < E -> growth E (INR N) p = read_growth E N (row_mass E (p + 2)).
Proof.
  intros HE. induction p as [|p IH].
  - unfold read_growth. rewrite product_one; [reflexivity|]. intros a _.
    unfold row_mass. simpl. pose proof (pos_INR a). field. lra.
  - change (growth E (INR N) (S p)) with (growth E (INR N) p * (1 + INR N / row_mass E (p + 2))).
    rewrite IH, <- read_growth_step by (assumption || now apply row_mass_pos).
    f_equal. rewrite (row_mass_next E (S p)). do 2 f_equal. lia.
Qed.

Section Values.
  Context (n L j : nat) (x : sequence) (E : R) (N : nat).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x) (HE : 0 < E) (HE1 : E <= 1) (HN : (2 < N)%nat).

  Let c : R := INR N.
  Let X : sequence := state n E c x.

  Let Hc : 2 < c.
  Proof. apply (lt_INR 2). exact HN. Qed.

  Lemma read_mass_state i :
    (2 <= i)%nat -> (i <= L)%nat -> read_mass E c (flag_sum n (X i)) = row_mass E i.
  Proof using Hn Hx HE Hc.
    intros H1 H2. unfold X. rewrite (state_flag_sum n L j) by assumption. unfold read_mass, flag_node.
    replace (i - 2 + 1)%nat with (i - 1)%nat by lia. replace (i - 2 + 2)%nat with i by lia.
    pose proof (row_mass_pos E HE i). unfold row_mass in *. field. repeat split; try lra.
    replace (_ - _) with (c * E) by ring. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
  Qed.

  Lemma rational_weight_bos i :
    (1 <= i)%nat -> (i <= L)%nat -> rational_weight n E N (X i) (X 1%nat) = bos_weight j E c i.
  Proof using Hn Hx HE Hc.
    intros H1 H2. pose proof (trigger_from_3 _ _ _ _ Hx). unfold rational_weight. fold c.
    replace (bos_flag (X 1%nat)) with 1.
    2:{ unfold bos_flag, X. rewrite (state_bos n L j) by (assumption || lia). reflexivity. }
    rewrite (Rminus_diag_eq 1 1 eq_refl), Rmult_0_l, Rplus_0_r, Rmult_1_l.
    unfold X at 1. rewrite (state_mark n L j) by assumption. unfold bos_weight.
    destruct (Nat.eqb_spec i j) as [->|Hij]; [|ring].
    rewrite read_mass_state by lia.
    replace (1 + (1 + c - flag_sum n (X j)) / E) with (1 + c / row_mass E j).
    2:{ unfold X. rewrite (state_flag_sum n L j) by (assumption || lia). unfold flag_node.
        pose proof (row_mass_pos E HE j) as Hm. unfold row_mass in *.
        replace (j - 2 + 1)%nat with (j - 1)%nat by lia. replace (j - 2 + 2)%nat with j by lia. field. lra. }
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l.
    2:{ pose proof (Rdiv_lt_0_compat c _ ltac:(lra) (row_mass_pos E HE j)). lra. }
    unfold trigger_bos_weight, trigger_extra, total_weight, trigger_share. fold c.
    replace (row_mass E j + 1) with (row_mass E (j - 1 + 2)).
    2:{ rewrite row_mass_next. do 2 f_equal. lia. }
    rewrite <- (read_growth_mass E N) by assumption. fold c.
    replace (row_mass E j - E) with (INR (j - 1)) by (unfold row_mass; ring). reflexivity.
  Qed.

  Lemma rational_weight_other i k :
    (2 <= k)%nat -> (k <= L)%nat -> rational_weight n E N (X i) (X k) = growth E c (k - 2).
  Proof using Hn Hx HE Hc.
    intros H1 H2. unfold rational_weight. fold c.
    replace (bos_flag (X k)) with 0 by (symmetry; now apply (state_bos_flag n L j)).
    rewrite (read_mass_state k) by assumption. unfold c. rewrite (read_growth_mass E N) by assumption.
    replace (k - 2 + 2)%nat with k by lia. ring.
  Qed.

  Lemma rational_weight_decodes : decodes n L j x E c (rational_weight n E N).
  Proof using Hn Hx HE Hc.
    intros i k H1 H2 H3 H4. unfold wanted_weight. destruct (Nat.eqb_spec k 1) as [->|H].
    - now apply rational_weight_bos.
    - apply rational_weight_other; lia.
  Qed.

  Lemma rational_weight_pos i k :
    (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat -> 0 < rational_weight n E N (X i) (X k).
  Proof using Hn Hx HE HE1 Hc.
    intros H1 H2 H3 H4. unfold X. rewrite rational_weight_decodes by assumption.
    apply (wanted_weight_pos n L j x); lra || assumption.
  Qed.

  Lemma rational_kernel_decodes : decodes n L j x E c (rational_kernel n E N).
  Proof using Hn Hx HE HE1 Hc.
    intros i k H1 H2 H3 H4. unfold rational_kernel. rewrite exp_ln by now apply rational_weight_pos.
    now apply rational_weight_decodes.
  Qed.
End Values.

(** ** Its continuity *)

Lemma inverse_continuous a : a <> 0 -> continuity_pt (fun s => / s) a.
Proof. intros Ha. apply (continuity_pt_inv (fun s => s)); [apply derivable_continuous_pt, derivable_pt_id|exact Ha]. Qed.

Lemma read_growth_continuous E N : continuity (read_growth E N).
Proof. apply product_continuous. intros a s. unfold Rdiv. reg. Qed.

Lemma read_mass_continuous E c s : s <> 1 + c -> continuity_pt (read_mass E c) s.
Proof. intros Hs. unfold read_mass, Rdiv. reg. lra. Qed.

Lemma trigger_extra_continuous E N m :
  INR N * (m - E) <> 0 -> 1 - m / (INR N * (m - E)) <> 0 -> continuity_pt (trigger_extra E N) m.
Proof.
  intros H1 H2. unfold trigger_extra.
  apply (continuity_pt_mult (fun m => read_growth E N (m + 1) * m / (INR N + 1))
                            (fun m => / (1 - m / (INR N * (m - E))) - 1)).
  - apply (continuity_pt_mult (fun m => read_growth E N (m + 1) * m) (fun _ => / (INR N + 1))); [|reg].
    apply (continuity_pt_mult (fun m => read_growth E N (m + 1)) (fun m => m)); [|reg].
    apply (continuity_pt_comp (fun m => m + 1) (read_growth E N)); [reg|apply read_growth_continuous].
  - apply (continuity_pt_minus (fun m => / (1 - m / (INR N * (m - E)))) (fun _ => 1)); [|reg].
    apply (continuity_pt_comp (fun m => 1 - m / (INR N * (m - E))) (fun s => / s)); [|now apply inverse_continuous].
    unfold Rdiv. reg.
Qed.

Lemma rational_weight_continuous n E N q k :
  let c := INR N in let m := read_mass E c (flag_sum n q) in
  flag_sum n q <> 1 + c -> flag_sum n k <> 1 + c -> 1 + (1 + c - flag_sum n q) / E <> 0 ->
  c * (m - E) <> 0 -> 1 - m / (c * (m - E)) <> 0 ->
  continuous_in_flags_at n (rational_weight n E N) q k.
Proof.
  intros c m Hq Hk H1 H2 H3. change (continuous_there n q k (rational_weight n E N)).
  unfold rational_weight. fold c.
  assert (Hu : continuity_pt (fun s => / (1 + (1 + c - s) / E) * trigger_extra E N (read_mass E c s)) (flag_sum n q)).
  { apply (continuity_pt_mult (fun s => / (1 + (1 + c - s) / E)) (fun s => trigger_extra E N (read_mass E c s))).
    - apply (continuity_pt_comp (fun s => 1 + (1 + c - s) / E) (fun s => / s)); [unfold Rdiv; reg|].
      now apply inverse_continuous.
    - apply (continuity_pt_comp (read_mass E c) (trigger_extra E N)); [now apply read_mass_continuous|].
      now apply trigger_extra_continuous. }
  apply plus_continuous; apply times_continuous.
  - apply key_flag_continuous; tauto.
  - apply (continuous_ext n q k (fun q' _ =>
      1 * (trigger_mark n E c q'
           * (/ (1 + (1 + c - flag_sum n q') / E) * trigger_extra E N (read_mass E c (flag_sum n q'))))
      + E / (c + 1))); [intros; ring|].
    apply affine_continuous, times_continuous; [apply trigger_mark_continuous|].
    apply (function_continuous n q k (fun s => / (1 + (1 + c - s) / E) * trigger_extra E N (read_mass E c s)));
      [exact Hu|apply query_flag_sum_continuous].
  - apply not_bos_continuous.
  - apply (function_continuous n q k (fun s => read_growth E N (read_mass E c s))); [|apply key_flag_sum_continuous].
    apply (continuity_pt_comp (read_mass E c) (read_growth E N)); [now apply read_mass_continuous|].
    apply read_growth_continuous.
Qed.

(** Where the weight is positive the kernel is as continuous. *)
Lemma rational_kernel_continuous n E N q k :
  0 < rational_weight n E N q k -> continuous_in_flags_at n (rational_weight n E N) q k ->
  continuous_in_flags_at n (rational_kernel n E N) q k.
Proof.
  intros H Hw. apply (function_continuous n q k (fun s => exp (ln s))); [|exact Hw].
  apply (continuity_pt_comp ln exp); [|apply derivable_continuous_pt, derivable_exp].
  apply derivable_continuous_pt. exists (/ rational_weight n E N q k). now apply derivable_pt_lim_ln.
Qed.

Section Occurring.
  Context (n L j : nat) (x : sequence) (E : R) (N : nat).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x) (HE : 0 < E) (HE1 : E <= 1) (HN : (2 < N)%nat).

  Let c : R := INR N.
  Let X : sequence := state n E c x.

  Let Hc : 2 < c.
  Proof. apply (lt_INR 2). exact HN. Qed.

  Lemma state_flag_sum_lt i : (1 <= i)%nat -> (i <= L)%nat -> flag_sum n (X i) < 1 + c.
  Proof using Hn Hx HE Hc.
    intros H1 H2. destruct (Nat.eq_dec i 1) as [->|H3].
    - unfold flag_sum, trigger_flag, content_flag, X. rewrite !(state_bos n L j), !bos_pos by (assumption || lia). lra.
    - unfold X. rewrite (state_flag_sum n L j) by (assumption || lia). unfold flag_node.
      apply Rplus_lt_compat_l, quotient_lt; [now apply row_mass_pos|]. apply Rmult_lt_compat_l; [lra|].
      unfold row_mass. replace (i - 2 + 2 - 1)%nat with (i - 2 + 1)%nat by lia. lra.
  Qed.

  (** At a row above layer 1 none of the denominators vanishes: with m its [read_mass],
      m/(c (m - E)) is -1 for BOS and at most (E+1)/c < 1 for the others. *)
  Lemma state_denominators i :
    (1 <= i)%nat -> (i <= L)%nat -> let m := read_mass E c (flag_sum n (X i)) in
    c * (m - E) <> 0 /\ 1 - m / (c * (m - E)) <> 0.
  Proof using Hn Hx HE HE1 Hc.
    intros H1 H2 m. destruct (Nat.eq_dec i 1) as [->|H3].
    - assert (Hm : m = E * c / (1 + c)).
      { unfold m, read_mass, flag_sum, trigger_flag, content_flag, X.
        rewrite !(state_bos n L j), !bos_pos by (assumption || lia). f_equal. ring. }
      assert (HmE : c * (m - E) = - m) by (rewrite Hm; field; lra).
      assert (0 < m) by (rewrite Hm; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
      rewrite HmE. split; [lra|]. replace (1 - m / - m) with 2 by (field; lra). lra.
    - assert (Hm : m = row_mass E i) by (apply (read_mass_state n L j x E N); assumption || lia).
      assert (HmE : m - E = INR (i - 1)) by (rewrite Hm; unfold row_mass; ring).
      assert (Hi : 1 <= INR (i - 1)) by (apply (le_INR 1); lia).
      assert (Hci : 0 < c * (m - E)) by (apply Rmult_lt_0_compat; lra).
      split; [lra|]. apply Rgt_not_eq, Rlt_Rminus, quotient_lt; [assumption|]. rewrite HmE.
      replace m with (E + INR (i - 1)) by lra. nra.
  Qed.

  Lemma rational_kernel_continuous_at_states i k :
    (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    continuous_in_flags_at n (rational_kernel n E N) (X i) (X k).
  Proof using Hn Hx HE HE1 HN Hc.
    intros H1 H2 H3 H4. pose proof (state_flag_sum_lt i H1 H2) as Hi. pose proof (state_flag_sum_lt k H3 H4) as Hk.
    destruct (state_denominators i H1 H2) as [D1 D2].
    apply rational_kernel_continuous; [now apply (rational_weight_pos n L j x E N)|].
    apply rational_weight_continuous; fold c; try assumption; try lra.
    pose proof (Rdiv_lt_0_compat (1 + c - flag_sum n (X i)) E ltac:(lra) HE). lra.
  Qed.
End Occurring.

(** ** One stack for all lengths *)

Theorem one_head_any_length : one_head_statement.one_head_any_length.
Proof.
  intros n delta Hn H0 H1. pose proof (small_parameters delta H0 H1).
  destruct (archimed_cor1 (delta / 2)) as (N & HN & HN0); [lra|]. apply lt_0_INR in HN0.
  assert (HNd : 2 / delta < INR N).
  { apply quotient_lt; [assumption|]. apply (Rmult_lt_compat_l (INR N)) in HN; [|assumption].
    rewrite Rinv_r in HN; lra. }
  set (E := delta / 2). set (c := INR N).
  assert (HE : 0 < E) by (unfold E; lra). assert (HE1 : E <= 1) by (unfold E; lra).
  assert (Hs : 1 + E / 2 < c) by (unfold E, c; lra).
  assert (H2 : 2 <= 2 / delta).
  { apply (Rmult_le_reg_r delta); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (HN2 : (2 < N)%nat) by (apply INR_lt; simpl; lra).
  exists (switch_matrix n (ln E) (ln E)), (scaled_projector c), (scaled_projector (- (c / (1 + c)))),
         (rational_kernel n E N).
  split; [intros q k; apply exp_pos|]. intros stack L HL.
  assert (HD : forall x j, valid n L j x -> decodes n L j x E c (rational_kernel n E N)).
  { intros x j Hx. now apply rational_kernel_decodes. }
  split; [|intros x j Hx; split].
  - intros x j Hx i r Hi HiL Hr. change stack with (stack_with n E c (rational_kernel n E N)).
    rewrite (stack_output n L j) by (assumption || now apply HD).
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - intros i k Hi HiL Hk HkL. now apply (rational_kernel_continuous_at_states n L j).
  - intros i d Hi HiL Hd. apply (small_bos n L j); try assumption; try (now apply HD); try reflexivity. unfold c. lra.
Qed.

Theorem one_head_any_length_instance : exists (n : nat) (delta : R), (4 <= n)%nat /\ 0 < delta /\ delta <= 1.
Proof. exists 5%nat, (/ 2). repeat split; lia || lra. Qed.

Print Assumptions one_head_any_length.
Print Assumptions one_head_any_length_instance.
