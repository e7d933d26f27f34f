(** * tc-9 (a): the kernels are continuous in the flags; two layers of one head escape

    Continuity at a pair (query, key) is built up from the six flags: sums, continuous functions of one
    variable, and products as differences of squares.  [residual_one_head_escapes] puts together what
    one_head.v proves of the explicit stack at E = delta/2, c = 2/delta. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack switch_family.
From Claim Require Import one_head_statement one_head.
Open Scope R_scope.

(** ** Continuity in the flags of query and key *)

Section Continuity.
  Context (n : nat) (q k : token).

  Definition flags_within (d : R) (q' k' : token) : Prop :=
    forall r, r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat -> Rabs (q' r - q r) <= d /\ Rabs (k' r - k r) <= d.

  Definition continuous_there (f : kernel) : Prop := continuous_in_flags_at n f q k.

  Lemma flags_within_le d e q' k' : d <= e -> flags_within d q' k' -> flags_within e q' k'.
  Proof using. intros Hd H r Hr. destruct (H r Hr). lra. Qed.

  Lemma query_flag_continuous r :
    r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat -> continuous_there (fun q' _ => q' r).
  Proof using. intros Hr eps He. exists eps. split; [assumption|]. intros q' k' H. apply H, Hr. Qed.

  Lemma key_flag_continuous r :
    r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat -> continuous_there (fun _ k' => k' r).
  Proof using. intros Hr eps He. exists eps. split; [assumption|]. intros q' k' H. apply H, Hr. Qed.

  Lemma plus_continuous f g :
    continuous_there f -> continuous_there g -> continuous_there (fun q' k' => f q' k' + g q' k').
  Proof using.
    intros Hf Hg eps He. destruct (Hf (eps / 2)) as (d & Hd & Hf'); [lra|].
    destruct (Hg (eps / 2)) as (e & He' & Hg'); [lra|].
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros q' k' H.
    specialize (Hf' q' k' (flags_within_le _ _ _ _ (Rmin_l d e) H)).
    specialize (Hg' q' k' (flags_within_le _ _ _ _ (Rmin_r d e) H)).
    replace (f q' k' + g q' k' - (f q k + g q k)) with ((f q' k' - f q k) + (g q' k' - g q k)) by ring.
    eapply Rle_trans; [apply Rabs_triang|lra].
  Qed.

  Lemma function_continuous (h : R -> R) f :
    continuity_pt h (f q k) -> continuous_there f -> continuous_there (fun q' k' => h (f q' k')).
  Proof using.
    intros Hh Hf eps He. destruct (Hh eps He) as (a & Ha & Hh').
    destruct (Hf (a / 2)) as (d & Hd & Hf'); [lra|].
    exists d. split; [assumption|]. intros q' k' H. specialize (Hf' q' k' H).
    destruct (Req_dec (f q k) (f q' k')) as [E|E]; [rewrite E, Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
    apply Rlt_le, (Hh' (f q' k')). split; [split; [exact I|exact E]|].
    simpl. unfold R_dist. lra.
  Qed.

  Lemma affine_continuous a b f : continuous_there f -> continuous_there (fun q' k' => a * f q' k' + b).
  Proof using. apply (function_continuous (fun s => a * s + b)). reg. Qed.

  Lemma continuous_ext f g :
    (forall q' k', f q' k' = g q' k') -> continuous_there f -> continuous_there g.
  Proof using.
    intros H Hf eps He. destruct (Hf eps He) as (d & Hd & Hf'). exists d. split; [assumption|].
    intros q' k'. rewrite <- !H. apply Hf'.
  Qed.

  Lemma times_continuous f g :
    continuous_there f -> continuous_there g -> continuous_there (fun q' k' => f q' k' * g q' k').
  Proof using.
    intros Hf Hg. pose (square := fun s : R => s * s).
    assert (Hs : continuity square) by (intros s; unfold square; reg).
    apply (continuous_ext (fun q' k' => / 4 * square (f q' k' + g q' k')
                                        + (- / 4 * square (f q' k' + (-1 * g q' k' + 0)) + 0))).
    - intros q' k'. unfold square. field.
    - apply plus_continuous.
      + apply (continuous_ext (fun q' k' => / 4 * square (f q' k' + g q' k') + 0)); [intros; ring|].
        apply affine_continuous, function_continuous, plus_continuous; auto.
      + apply affine_continuous, function_continuous, plus_continuous; auto using affine_continuous.
  Qed.
End Continuity.

(** ** Polynomials of one variable *)

Lemma sum_continuous m (f : nat -> R -> R) :
  (forall k, continuity (f k)) -> continuity (fun s => sum m (fun k => f k s)).
Proof.
  intros H. induction m as [|m IH]; [intros s; apply continuity_const; now intros|].
  exact (continuity_plus _ (f m) IH (H m)).
Qed.

Lemma product_continuous m (f : nat -> R -> R) :
  (forall k, continuity (f k)) -> continuity (fun s => product m (fun k => f k s)).
Proof.
  intros H. induction m as [|m IH]; [intros s; apply continuity_const; now intros|].
  exact (continuity_mult _ (f m) IH (H m)).
Qed.

Lemma interpolation_continuous m node value : continuity (interpolation m node value).
Proof.
  unfold interpolation. apply sum_continuous. intros k.
  apply (continuity_scal (fun s => product m (fun l => if (l =? k)%nat then 1
                                                        else (s - node l) / (node k - node l)))).
  apply product_continuous. intros l. destruct (l =? k)%nat.
  - intros s. apply continuity_const. now intros.
  - intros s. unfold Rdiv. reg.
Qed.

(** ** The kernels *)

Lemma first_kernel_continuous n E : (4 <= n)%nat -> continuous_in_flags n (first_kernel n E).
Proof.
  intros Hn q k. change (continuous_there n q k (first_kernel n E)).
  apply (continuous_ext n q k (fun q' k' =>
    exp ((ln E * (q' 0%nat + (q' 1%nat + q' (n - 1)%nat)) + 0) * k' 0%nat))).
  - intros q' k'. unfold first_kernel, softmax_kernel. rewrite switch_logit by assumption.
    unfold bos_flag, trigger_flag, content_flag. f_equal. ring.
  - apply (function_continuous n q k exp); [apply derivable_continuous_pt, derivable_exp|].
    apply times_continuous; [|apply key_flag_continuous; tauto].
    apply affine_continuous. repeat apply plus_continuous; apply query_flag_continuous; tauto.
Qed.

Lemma query_flag_sum_continuous n q k : continuous_there n q k (fun q' _ => flag_sum n q').
Proof. apply plus_continuous; apply query_flag_continuous; tauto. Qed.

Lemma key_flag_sum_continuous n q k : continuous_there n q k (fun _ k' => flag_sum n k').
Proof. apply plus_continuous; apply key_flag_continuous; tauto. Qed.

Lemma trigger_mark_continuous n E c q k : continuous_there n q k (fun q' _ => trigger_mark n E c q').
Proof.
  apply (times_continuous n q k (fun q' _ => trigger_flag q')
           (fun q' _ => trigger_flag q' - (1 + c - flag_sum n q') / E)).
  - apply query_flag_continuous; tauto.
  - apply (continuous_ext n q k (fun q' _ => trigger_flag q' + (/ E * flag_sum n q' + - ((1 + c) / E)))).
    + intros q' k'. unfold Rdiv. ring.
    + apply plus_continuous; [apply query_flag_continuous; tauto|].
      apply affine_continuous, query_flag_sum_continuous.
Qed.

Lemma not_bos_continuous n q k : continuous_there n q k (fun _ k' => 1 - bos_flag k').
Proof.
  apply (continuous_ext n q k (fun _ k' => -1 * bos_flag k' + 1)); [intros; ring|].
  apply affine_continuous, key_flag_continuous; tauto.
Qed.

Lemma second_kernel_continuous n L E c : continuous_in_flags n (second_kernel n L E c).
Proof.
  intros q k. change (continuous_there n q k (second_kernel n L E c)).
  apply (function_continuous n q k exp); [apply derivable_continuous_pt, derivable_exp|].
  unfold second_logit. apply plus_continuous.
  - apply times_continuous; [apply key_flag_continuous; tauto|].
    set (p := fun p => ln (trigger_bos_weight E c (p + 2) / (E / (c + 1))) / (1 + c / row_mass E (p + 2))).
    apply (continuous_ext n q k (fun q' _ =>
      1 * (trigger_mark n E c q' * interpolation (L - 1) (flag_node E c) p (flag_sum n q')) + ln (E / (c + 1)))).
    + intros. ring.
    + apply affine_continuous, times_continuous; [apply trigger_mark_continuous|].
      apply function_continuous; [apply interpolation_continuous|apply query_flag_sum_continuous].
  - apply times_continuous; [apply not_bos_continuous|].
    apply function_continuous; [apply interpolation_continuous|apply key_flag_sum_continuous].
Qed.

Theorem one_head_kernels : one_head_statement.one_head_kernels.
Proof.
  intros n L E c Hn. split; [apply softmax_positive|]. split; [now apply first_kernel_continuous|].
  split; [intros q k; apply exp_pos|apply second_kernel_continuous].
Qed.

(** ** Two residual layers of one head need no sink *)

Theorem residual_one_head_escapes : one_head_statement.residual_one_head_escapes.
Proof.
  intros n L delta Hn HL Hd Hd1. pose proof (small_parameters delta Hd Hd1).
  exists (switch_matrix n (ln (delta / 2)) (ln (delta / 2))), (scaled_projector (2 / delta)),
         (scaled_projector (- (2 / delta / (1 + 2 / delta)))), (second_kernel n L (delta / 2) (2 / delta)).
  split; [intros q k; apply exp_pos|]. split; [apply second_kernel_continuous|].
  split.
  - apply (one_head_exact n L (delta / 2) (2 / delta)); lra || assumption.
  - intros x j Hx i d H1 H2 Hd2. exact (one_head_small_bos n L delta x j i d Hn Hd Hd1 Hx H1 H2 Hd2).
Qed.

(** ** Instances: n = 5, L = 6, E = 1/2, c = 2, delta = 1/2, a trigger of noise -1/2 at 4 *)

Definition example : sequence := probe (constant_content 5 (/ 2)) (constant_trigger 5 (- / 2)) 4.

Lemma example_valid : valid 5 6 4 example.
Proof.
  apply probe_valid; try lia; [apply constant_content_is_content|apply constant_trigger_is_trigger]; lia || lra.
Qed.

Theorem one_head_exact_instance :
  exists (n L : nat) (E c : R), (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < E /\ 1 + E / 2 < c.
Proof. exists 5%nat, 6%nat, (/ 2), 2. repeat split; lia || lra. Qed.

(** The hypotheses of continuity, for each of the two kernels, are an eps > 0. *)
Theorem one_head_kernels_instance :
  exists (n L : nat) (E c : R), (4 <= n)%nat /\
  (exists (q k : token) (eps : R), 0 < eps) /\ (exists (q k : token) (eps : R), 0 < eps).
Proof.
  exists 5%nat, 6%nat, (/ 2), 2. split; [lia|]. split; exists (example 4%nat), (example 3%nat), (/ 2); lra.
Qed.

Theorem one_head_first_bos_instance :
  exists (n L : nat) (E c : R) (x : sequence) (j i : nat),
  (4 <= n)%nat /\ 0 < E /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat.
Proof.
  exists 5%nat, 6%nat, (/ 2), 2, example, 4%nat, 3%nat. do 2 (split; [lia || lra|]).
  split; [apply example_valid|lia].
Qed.

Theorem one_head_second_bos_instance :
  exists (n L : nat) (E c : R) (x : sequence) (j i : nat),
  (4 <= n)%nat /\ 0 < E /\ 1 + E / 2 < c /\ valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ i <> j.
Proof.
  exists 5%nat, 6%nat, (/ 2), 2, example, 4%nat, 3%nat. do 3 (split; [lia || lra|]).
  split; [apply example_valid|lia].
Qed.

Theorem one_head_trigger_bos_instance :
  exists (n L : nat) (E c : R) (x : sequence) (j : nat),
  (4 <= n)%nat /\ 0 < E /\ 1 + E / 2 < c /\ valid n L j x.
Proof.
  exists 5%nat, 6%nat, (/ 2), 2, example, 4%nat. do 3 (split; [lia || lra|]). apply example_valid.
Qed.

Theorem one_head_small_bos_instance :
  exists (n L : nat) (delta : R) (x : sequence) (j i d : nat),
  (4 <= n)%nat /\ 0 < delta /\ delta <= 1 /\ valid n L j x /\ (2 <= i)%nat /\ (i <= L)%nat /\ (d < 2)%nat.
Proof.
  exists 5%nat, 6%nat, (/ 2), example, 4%nat, 3%nat, 1%nat. do 3 (split; [lia || lra|]).
  split; [apply example_valid|lia].
Qed.

Theorem residual_one_head_escapes_instance :
  exists (n L : nat) (delta : R), (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < delta /\ delta <= 1.
Proof. exists 5%nat, 6%nat, (/ 2). repeat split; lia || lra. Qed.

Print Assumptions one_head_kernels.
Print Assumptions residual_one_head_escapes.
Print Assumptions one_head_exact_instance.
Print Assumptions one_head_kernels_instance.
Print Assumptions one_head_first_bos_instance.
Print Assumptions one_head_second_bos_instance.
Print Assumptions one_head_trigger_bos_instance.
Print Assumptions one_head_small_bos_instance.
Print Assumptions residual_one_head_escapes_instance.
