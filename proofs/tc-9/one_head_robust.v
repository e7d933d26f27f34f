(** * tc-9 (a): the exact stack is not a knife's edge

    Weights moved by at most e times themselves move attention weights by at most 4e times themselves
    ([attention_moved]), hence a head's output by little ([head_moved]).  Layer 1 reads the sequence itself;
    layer 2 reads moved rows, but their flags take finitely many values before they are moved, so its
    kernel is uniformly continuous there ([uniformly_continuous]). *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task residual_stack switch_family.
From Claim Require Import one_head_statement one_head one_head_kernels.
Open Scope R_scope.

(** ** Heads *)

Lemma abs_mult_le a b x y : Rabs a <= x -> Rabs b <= y -> Rabs (a * b) <= x * y.
Proof. intros Ha Hb. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

Lemma abs_moved a b e y : Rabs (a - b) <= e -> Rabs b <= y -> Rabs a <= y + e.
Proof. intros Ha Hb. replace a with (b + (a - b)) by ring. eapply Rle_trans; [apply Rabs_triang|lra]. Qed.

Lemma possum_abs_le i f g :
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (f k) <= g k) -> Rabs (possum i f) <= possum i g.
Proof. intros H. eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros. apply H; lia. Qed.

Section Weights.
  Context (i : nat) (w w' : nat -> R) (e : R) (Hi : (1 <= i)%nat) (He : 0 <= e <= / 2).
  Context (Hw : forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 < w k).
  Context (Hw' : forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (w' k - w k) <= e * w k).

  Lemma attention_moved k :
    (1 <= k)%nat -> (k <= i)%nat ->
    Rabs (w' k / possum i w' - w k / possum i w) <= 4 * e * (w k / possum i w).
  Proof using Hi He Hw Hw'.
    intros H1 H2. assert (HS : 0 < possum i w) by (apply possum_pos; assumption).
    assert (HT : Rabs (possum i w' - possum i w) <= e * possum i w).
    { unfold possum. rewrite <- sum_minus, <- sum_scal. eapply Rle_trans; [apply sum_abs|].
      apply sum_le. intros. apply Hw'; lia. }
    set (S := possum i w) in *. set (T := possum i w') in *.
    pose proof (Hw k H1 H2) as Hk. pose proof (Hw' k H1 H2) as Hk'.
    assert (HT2 : S / 2 <= T) by (apply abs_bounds in HT; nra).
    replace (w' k / T - w k / S) with (((w' k - w k) * S - w k * (T - S)) * / (T * S)) by (field; lra).
    assert (0 < T * S) by (apply Rmult_lt_0_compat; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ (T * S))) by (left; now apply Rinv_0_lt_compat).
    apply Rle_trans with (2 * e * w k * S * / (T * S)).
    - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
      pose proof (abs_mult_le _ S _ S Hk' ltac:(rewrite Rabs_pos_eq; lra)).
      pose proof (abs_mult_le (w k) _ (w k) _ ltac:(rewrite Rabs_pos_eq; lra) HT). lra.
    - replace (2 * e * w k * S * / (T * S)) with (2 * e * w k * / T) by (field; lra).
      replace (4 * e * (w k / S)) with (2 * e * w k * (/ (S / 2))) by (field; lra).
      apply Rmult_le_compat_l; [repeat apply Rmult_le_pos; lra|]. apply Rinv_le_contravar; lra.
  Qed.
End Weights.

(** A head of kernel K and values v on Y; a head of kernel K' and values v' on Y'. *)
Section Head.
  Context (K K' : kernel) (v v' : token -> token) (Y Y' : sequence) (i : nat) (e g b : R).
  Context (Hi : (1 <= i)%nat) (He : 0 <= e <= / 2) (Hg : 0 <= g) (Hb : 0 <= b).
  Context (HK : forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 < K (Y i) (Y k)).
  Context (HK' : forall k, (1 <= k)%nat -> (k <= i)%nat ->
    Rabs (K' (Y' i) (Y' k) - K (Y i) (Y k)) <= e * K (Y i) (Y k)).

  Let a (k : nat) : R := kernel_attention K Y i k.
  Let a' (k : nat) : R := kernel_attention K' Y' i k.

  Lemma weight_moved k : (1 <= k)%nat -> (k <= i)%nat -> Rabs (a' k - a k) <= 4 * e * a k.
  Proof using Hi He HK HK'.
    apply (attention_moved i (fun k => K (Y i) (Y k)) (fun k => K' (Y' i) (Y' k))); assumption.
  Qed.

  Lemma weights_sum : possum i a = 1.
  Proof using Hi HK.
    apply kernel_attention_sum. apply Rgt_not_eq, possum_pos; assumption.
  Qed.

  Lemma weight_nonneg k : (1 <= k)%nat -> (k <= i)%nat -> 0 <= a k.
  Proof using Hi HK.
    intros H1 H2. apply Rlt_le, Rdiv_lt_0_compat; [now apply HK|]. now apply possum_pos.
  Qed.

  Lemma bos_weight_moved : Rabs (a' 1%nat - a 1%nat) <= 4 * e.
  Proof using Hi He HK HK'.
    eapply Rle_trans; [apply weight_moved; lia|].
    assert (a 1%nat <= 1).
    { rewrite <- weights_sum. unfold possum. apply (sum_term_le i (fun k => a (S k)) 0%nat); [|lia].
      intros. apply weight_nonneg; lia. }
    pose proof (weight_nonneg 1 ltac:(lia) Hi). nra.
  Qed.

  Lemma head_moved r :
    (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (v (Y k) r) <= b) ->
    (forall k, (1 <= k)%nat -> (k <= i)%nat -> Rabs (v' (Y' k) r - v (Y k) r) <= g) ->
    Rabs (head (kernel_attention K') v' Y' i r - head (kernel_attention K) v Y i r) <= 3 * g + 4 * e * b.
  Proof using Hi He Hg Hb HK HK'.
    intros Hv Hv'. unfold head. fold a a'.
    replace (possum i _ - possum i _)
      with (possum i (fun k => a' k * (v' (Y' k) r - v (Y k) r) + (a' k - a k) * v (Y k) r)).
    2:{ unfold possum. rewrite <- sum_minus. apply sum_ext. intros. unfold a, a'. ring. }
    rewrite <- (Rmult_1_r (3 * g + 4 * e * b)), <- weights_sum, <- possum_scal.
    apply possum_abs_le. intros k H1 H2.
    pose proof (weight_nonneg k H1 H2) as Ha. pose proof (weight_moved k H1 H2) as Hm.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Ha' : Rabs (a' k) <= 3 * a k).
    { eapply Rle_trans; [apply (abs_moved _ (a k) _ (a k) Hm); rewrite Rabs_pos_eq; lra|]. nra. }
    pose proof (abs_mult_le _ _ _ _ Ha' (Hv' k H1 H2)). pose proof (abs_mult_le _ _ _ _ Hm (Hv k H1 H2)). lra.
  Qed.
End Head.

(** ** Matrices *)

Lemma linear_bound n V y r v b :
  (forall s, (s < n)%nat -> Rabs (V r s) <= v) -> (forall s, (s < n)%nat -> Rabs (y s) <= b) ->
  Rabs (linear_value n V y r) <= INR n * (v * b).
Proof. intros HV Hy. apply sum_abs_le. intros. apply abs_mult_le; auto. Qed.

Lemma linear_moved n V V' y y' r eps v b x :
  matrix_within n eps V' V -> (r < n)%nat -> 0 <= x -> (forall s, (s < n)%nat -> Rabs (V r s) <= v) ->
  (forall s, (s < n)%nat -> Rabs (y s) <= b) -> (forall s, (s < n)%nat -> Rabs (y' s - y s) <= x) ->
  Rabs (linear_value n V' y' r - linear_value n V y r) <= INR n * (eps * (b + x) + v * x).
Proof.
  intros HV' Hr Hx HV Hy Hy'. unfold linear_value. rewrite <- sum_minus. apply sum_abs_le. intros s Hs.
  replace (V' r s * y' s - V r s * y s) with ((V' r s - V r s) * y' s + V r s * (y' s - y s)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; apply abs_mult_le; auto.
  apply (abs_moved _ (y s)); auto.
Qed.

Lemma bilinear_moved n M M' q k eps :
  matrix_within n eps M' M -> (forall s, (s < n)%nat -> Rabs (q s) <= 1) -> (forall s, (s < n)%nat -> Rabs (k s) <= 1) ->
  Rabs (bilinear n M' q k - bilinear n M q k) <= INR n * (INR n * eps).
Proof.
  intros HM Hq Hk. unfold bilinear. rewrite <- sum_minus. apply sum_abs_le. intros a Ha.
  rewrite <- sum_minus. apply sum_abs_le. intros b Hb.
  replace (q a * M' a b * k b - q a * M a b * k b) with (q a * (M' a b - M a b) * k b) by ring.
  replace eps with (1 * eps * 1) by ring. repeat apply abs_mult_le; auto.
Qed.

(** |e^u - 1| <= 2|u| for |u| <= 1/2. *)
Lemma exp_near_0 u : Rabs u <= / 2 -> Rabs (exp u - 1) <= 2 * Rabs u.
Proof.
  intros Hu. pose proof (exp_pos u) as Hp.
  assert (H1 : 1 + u <= exp u) by (destruct (Req_dec u 0) as [->|H]; [rewrite exp_0; lra|left; now apply exp_ineq1]).
  assert (H2 : 1 - u <= exp (- u)).
  { destruct (Req_dec u 0) as [->|H]; [rewrite Ropp_0, exp_0; lra|]. left. apply (exp_ineq1 (- u)). lra. }
  assert (H3 : exp u * (1 - u) <= 1).
  { apply Rle_trans with (exp u * exp (- u)); [apply Rmult_le_compat_l; lra|].
    rewrite <- exp_plus, Rplus_opp_r, exp_0. lra. }
  unfold Rabs in *. destruct (Rcase_abs u), (Rcase_abs (exp u - 1)); nra.
Qed.

Lemma scaled_projector_entry a r s : Rabs (scaled_projector a r s) <= Rabs a.
Proof.
  unfold scaled_projector, projector. rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs a)) at 2.
  apply Rmult_le_compat_l; [apply Rabs_pos|].
  destruct (r =? s)%nat, (r =? 0)%nat; rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.

(** ** Uniform continuity of layer 2's kernel *)

(** One bound for finitely many conditions. *)
Lemma common_bound m (P : nat -> R -> Prop) :
  (forall a d d', P a d -> d' <= d -> P a d') -> (forall a, (a <= m)%nat -> exists d, 0 < d /\ P a d) ->
  exists d, 0 < d /\ forall a, (a <= m)%nat -> P a d.
Proof.
  intros HP H. induction m as [|m IH].
  - destruct (H 0%nat) as (d & Hd & Hp); [lia|]. exists d. split; [assumption|].
    intros a Ha. now replace a with 0%nat by lia.
  - destruct IH as (d & Hd & Hp); [intros; apply H; lia|]. destruct (H (S m)) as (e & He & Hq); [lia|].
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros a Ha. destruct (Nat.eq_dec a (S m)) as [->|E].
    + apply (HP _ e); [assumption|apply Rmin_r].
    + apply (HP _ d); [apply Hp; lia|apply Rmin_l].
Qed.

(** The flags of a sequence with a given trigger position are what they are. *)
Lemma same_flags n L j x y k r :
  (4 <= n)%nat -> valid n L j x -> valid n L j y -> r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat ->
  (1 <= k)%nat -> (k <= L)%nat -> x k r = y k r.
Proof.
  intros Hn Hx Hy Hr H1 H2. destruct (Nat.eq_dec k 1) as [->|E].
  - now rewrite (first_is_bos _ _ _ _ Hx), (first_is_bos _ _ _ _ Hy).
  - destruct Hr as [->|[->| ->]].
    + rewrite (valid_bos_flag n L j x Hx), (valid_bos_flag n L j y Hy) by lia. reflexivity.
    + rewrite (valid_trigger_flag n L j x Hx Hn), (valid_trigger_flag n L j y Hy Hn) by lia. reflexivity.
    + rewrite (valid_content_flag n L j x Hx Hn), (valid_content_flag n L j y Hy Hn) by lia. reflexivity.
Qed.

Lemma same_state_flags n L j x y E c i r :
  (4 <= n)%nat -> 0 < E -> valid n L j x -> valid n L j y -> r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat ->
  (1 <= i)%nat -> (i <= L)%nat -> state n E c x i r = state n E c y i r.
Proof.
  intros Hn HE Hx Hy Hr H1 H2. assert (r < n)%nat by (destruct Hr as [->|[->| ->]]; lia).
  rewrite (first_state n L j x E c), (first_state n L j y E c) by assumption. f_equal.
  - now apply (same_flags n L j).
  - f_equal. apply sum_ext. intros k Hk. apply (same_flags n L j); assumption || lia.
Qed.

Section Robust.
  Context (n L : nat) (E c : R) (K2 : kernel).
  Context (Hn : (4 <= n)%nat) (HE : 0 < E) (Hs : 1 + E / 2 < c).
  Context (HD : forall x j, valid n L j x -> decodes n L j x E c K2).
  Context (HC : forall x j, valid n L j x -> forall i k, (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    continuous_in_flags_at n K2 (state n E c x i) (state n E c x k)).

  Definition moves_little (omega : R) (j i k : nat) (d : R) : Prop :=
    forall x, valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    forall q' k', flags_within n (state n E c x i) (state n E c x k) d q' k' ->
    Rabs (K2 q' k' - K2 (state n E c x i) (state n E c x k)) <= omega.

  Lemma moves_little_le omega j i k d d' : moves_little omega j i k d -> d' <= d -> moves_little omega j i k d'.
  Proof using.
    intros H Hd x Hx H1 H2 H3 H4 q' k' Hf. apply H; try assumption. now apply (flags_within_le _ _ _ d').
  Qed.

  Lemma moves_little_exists omega j i k : 0 < omega -> exists d, 0 < d /\ moves_little omega j i k d.
  Proof using Hn HE HD HC.
    intros Ho.
    destruct (le_dec 3 j) as [J1|J1]; [|exists 1; split; [lra|]; intros x Hx; destruct Hx; lia].
    destruct (le_dec j L) as [J2|J2]; [|exists 1; split; [lra|]; intros x Hx; destruct Hx; lia].
    destruct (le_dec 1 i) as [I1|I1]; [|exists 1; split; [lra|]; intros x Hx ?; lia].
    destruct (le_dec i L) as [I2|I2]; [|exists 1; split; [lra|]; intros x Hx ? ?; lia].
    destruct (le_dec 1 k) as [K1|K1]; [|exists 1; split; [lra|]; intros x Hx ? ? ?; lia].
    destruct (le_dec k L) as [K3|K3]; [|exists 1; split; [lra|]; intros x Hx ? ? ? ?; lia].
    destruct (valid_exists n L j Hn J1 J2) as [y Hy].
    destruct (HC y j Hy i k I1 I2 K1 K3 omega Ho) as (d & Hd & Hc).
    exists d. split; [assumption|]. intros x Hx _ _ _ _ q' k' Hf.
    rewrite (HD x j Hx), <- (HD y j Hy) by assumption. apply Hc. intros r Hr.
    rewrite <- !(same_state_flags n L j x y) by assumption. now apply Hf.
  Qed.

  Lemma uniformly_continuous omega :
    0 < omega -> exists d, 0 < d /\ forall j i k, (j <= L)%nat -> (i <= L)%nat -> (k <= L)%nat -> moves_little omega j i k d.
  Proof using Hn HE HD HC.
    intros Ho.
    destruct (common_bound L (fun j d => forall i, (i <= L)%nat -> forall k, (k <= L)%nat -> moves_little omega j i k d))
      as (d & Hd & H).
    - intros j d d' H Hd i Hi k Hk. apply (moves_little_le _ _ _ _ d); auto.
    - intros j _. apply common_bound.
      + intros i d d' H Hd k Hk. apply (moves_little_le _ _ _ _ d); auto.
      + intros i _. apply common_bound.
        * intros k d d'. apply moves_little_le.
        * intros k _. now apply moves_little_exists.
    - exists d. split; [assumption|]. auto.
  Qed.

  (** ** The two layers, moved *)

  Lemma token_le_1 j x k r : valid n L j x -> (1 <= k)%nat -> (k <= L)%nat -> (r < n)%nat -> Rabs (x k r) <= 1.
  Proof using Hn.
    intros Hx H1 H2 Hr. destruct (Nat.eq_dec k 1) as [->|H].
    - rewrite (first_is_bos _ _ _ _ Hx). destruct r; [rewrite bos_0, Rabs_R1|rewrite bos_S, Rabs_R0]; lra.
    - apply (valid_abs_le_1 n L j); assumption || lia.
  Qed.

  Lemma state_le j x i r :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (state n E c x i r) <= 1 + c.
  Proof using Hn HE Hs.
    intros Hx H1 H2 Hr. rewrite (first_state n L j) by assumption.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [now apply (token_le_1 j)|].
    pose proof (row_mass_pos E HE i) as Hm. pose proof (valid_sum_abs_le n L j x Hx Hn i r H2 Hr) as HS.
    assert (Hq : 0 < c / row_mass E i) by (apply Rdiv_lt_0_compat; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (c / row_mass E i)) by lra.
    apply Rle_trans with (c / row_mass E i * row_mass E i); [|right; field; lra].
    apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [exact HS|]. unfold row_mass. lra.
  Qed.

  Section Moved.
    Context (j : nat) (x : sequence) (Hx : valid n L j x) (eps : R) (Heps : 0 < eps).

    Let X : sequence := state n E c x.
    Let u : R := INR n * (INR n * eps).

    Lemma size_pos : 4 <= INR n.
    Proof using Hn. apply (le_INR 4) in Hn. simpl in Hn. lra. Qed.

    Lemma u_pos : 0 < u.
    Proof using Hn Heps. pose proof size_pos. repeat apply Rmult_lt_0_compat; lra. Qed.

    Section First.
      Context (M V1 : matrix) (HM : matrix_within n eps M (switch_matrix n (ln E) (ln E))).
      Context (HV1 : matrix_within n eps V1 (scaled_projector c)) (Hu : u <= / 4).

      Lemma first_kernel_moved i k :
        (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
        Rabs (softmax_kernel n M (x i) (x k) - first_kernel n E (x i) (x k)) <= 2 * u * first_kernel n E (x i) (x k).
      Proof using Hn Hx HM Hu.
        intros H1 H2 H3 H4. unfold first_kernel, softmax_kernel.
        pose proof (bilinear_moved n (switch_matrix n (ln E) (ln E)) M (x i) (x k) eps HM) as Hb.
        specialize (Hb (fun s => token_le_1 j x i s Hx H1 H2) (fun s => token_le_1 j x k s Hx H3 H4)). fold u in Hb.
        set (l := bilinear n (switch_matrix n (ln E) (ln E)) (x i) (x k)) in *.
        set (l' := bilinear n M (x i) (x k)) in *.
        replace (exp l' - exp l) with ((exp (l' - l) - 1) * exp l).
        2:{ replace l' with ((l' - l) + l) at 2 by ring. rewrite exp_plus. ring. }
        pose proof (exp_pos l). rewrite Rabs_mult, (Rabs_pos_eq (exp l)) by lra. apply Rmult_le_compat_r; [lra|].
        eapply Rle_trans; [apply exp_near_0; lra|]. lra.
      Qed.

      Lemma first_moved i r :
        (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
        Rabs (residual_layer n (one_head_layer (softmax_kernel n M) V1) x i r - X i r)
        <= 3 * (INR n * eps) + 4 * (2 * u) * c.
      Proof using Hn HE Hs Hx Heps HM HV1 Hu.
        intros H1 H2 Hr.
        change (residual_layer n (one_head_layer (softmax_kernel n M) V1) x i r)
          with (x i r + (0 + head (kernel_attention (softmax_kernel n M)) (linear_value n V1) x i r)).
        change (X i r)
          with (x i r + (0 + head (kernel_attention (first_kernel n E)) (linear_value n (scaled_projector c)) x i r)).
        match goal with |- Rabs (?a + (0 + ?b) - (?a + (0 + ?d))) <= _ =>
          replace (a + (0 + b) - (a + (0 + d))) with (b - d) by ring end.
        pose proof u_pos. pose proof size_pos.
        apply head_moved; try assumption; try lra.
        - apply Rmult_le_pos; lra.
        - intros k _ _. apply exp_pos.
        - intros k K1 K3. apply first_kernel_moved; assumption || lia.
        - intros k K1 K3. rewrite scaled_projector_value by assumption. rewrite <- (Rmult_1_r c) at 2.
          apply abs_mult_le; [rewrite Rabs_pos_eq; lra|].
          destruct (r =? 0)%nat; [rewrite Rabs_R0; lra|]. apply (token_le_1 j); assumption || lia.
        - intros k K1 K3.
          replace (INR n * eps) with (INR n * (eps * (1 + 0) + c * 0)) by ring.
          apply linear_moved; try assumption; try lra.
          + intros s Hs'. eapply Rle_trans; [apply scaled_projector_entry|]. rewrite Rabs_pos_eq; lra.
          + intros s Hs'. apply (token_le_1 j); assumption || lia.
          + intros s Hs'. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
      Qed.

      Lemma first_bos_moved i :
        (1 <= i)%nat -> (i <= L)%nat ->
        Rabs (kernel_attention (softmax_kernel n M) x i 1%nat - kernel_attention (first_kernel n E) x i 1%nat)
        <= 4 * (2 * u).
      Proof using Hn Hx Heps HM Hu.
        intros H1 H2. pose proof u_pos. apply bos_weight_moved; try assumption; try lra.
        - intros k _ _. apply exp_pos.
        - intros k K1 K3. apply first_kernel_moved; assumption || lia.
      Qed.
    End First.

    Section Second.
      Context (K : kernel) (V2 : matrix) (X' : sequence) (xi e : R) (Hxi : 0 <= xi) (He : 0 <= e <= / 2).
      Context (HV2 : matrix_within n eps V2 (scaled_projector (- (c / (1 + c))))).
      Context (HX' : forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat -> Rabs (X' i r - X i r) <= xi).
      Context (HK : forall i k, (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
        Rabs (K (X' i) (X' k) - K2 (X i) (X k)) <= e * K2 (X i) (X k)).

      Lemma second_pos i k :
        (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat -> 0 < K2 (X i) (X k).
      Proof using Hn HE Hs HD Hx.
        intros H1 H2 H3 H4. unfold X. rewrite (HD x j Hx) by assumption.
        apply (wanted_weight_pos n L j x); assumption.
      Qed.

      Lemma second_entry r s : Rabs (scaled_projector (- (c / (1 + c))) r s) <= 1.
      Proof using HE Hs.
        eapply Rle_trans; [apply scaled_projector_entry|]. rewrite Rabs_Ropp.
        assert (0 < c / (1 + c)) by (apply Rdiv_lt_0_compat; lra).
        rewrite Rabs_pos_eq by lra. left. apply quotient_lt; lra.
      Qed.

      Lemma second_moved i r :
        (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
        Rabs (residual_layer n (one_head_layer K V2) X' i r - residual_stack n 2 (stack_with n E c K2) x i r)
        <= xi + (3 * (INR n * (eps * (1 + c + xi) + 1 * xi)) + 4 * e * (INR n * (1 * (1 + c)))).
      Proof using Hn HE Hs HD Hx Heps Hxi He HV2 HX' HK.
        intros H1 H2 Hr.
        change (residual_layer n (one_head_layer K V2) X' i r)
          with (X' i r + (0 + head (kernel_attention K) (linear_value n V2) X' i r)).
        change (residual_stack n 2 (stack_with n E c K2) x i r)
          with (X i r + (0 + head (kernel_attention K2) (linear_value n (scaled_projector (- (c / (1 + c))))) X i r)).
        match goal with |- Rabs (?a + (0 + ?b) - (?d + (0 + ?f))) <= _ =>
          replace (a + (0 + b) - (d + (0 + f))) with ((a - d) + (b - f)) by ring end.
        eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [now apply HX'|].
        pose proof size_pos.
        apply head_moved; try assumption.
        - assert (0 <= eps * (1 + c + xi)) by (apply Rmult_le_pos; lra). apply Rmult_le_pos; lra.
        - apply Rmult_le_pos; lra.
        - intros k K1 K3. apply second_pos; lia.
        - intros k K1 K3. apply HK; lia.
        - intros k K1 K3. apply linear_bound; [intros; apply second_entry|].
          intros s Hs'. apply (state_le j); assumption || lia.
        - intros k K1 K3. apply linear_moved; try assumption.
          + intros s Hs'. apply second_entry.
          + intros s Hs'. apply (state_le j); assumption || lia.
          + intros s Hs'. apply HX'; lia.
      Qed.

      Lemma second_bos_moved i :
        (1 <= i)%nat -> (i <= L)%nat ->
        Rabs (kernel_attention K X' i 1%nat - kernel_attention K2 X i 1%nat) <= 4 * e.
      Proof using Hn HE Hs HD Hx He HK.
        intros H1 H2. apply bos_weight_moved; try assumption.
        - intros k K1 K3. apply second_pos; lia.
        - intros k K1 K3. apply HK; lia.
      Qed.
    End Second.
  End Moved.
End Robust.

(** ** The sentence *)

Lemma below a b : 0 < a -> 0 < b -> exists m, 0 < m /\ m <= a /\ m <= b.
Proof. intros Ha Hb. exists (Rmin a b). split; [now apply Rmin_glb_lt|split; [apply Rmin_l|apply Rmin_r]]. Qed.

(** Layer 2's weights are bounded below. *)
Lemma wanted_weight_ge n L j x E c i k :
  0 < E -> 1 + E / 2 < c -> valid n L j x -> Rmin 1 (E / (c + 1)) <= wanted_weight j E c i k.
Proof.
  intros HE Hs Hx. pose proof (trigger_from_3 _ _ _ _ Hx) as H3. assert (Hc : 0 < c) by lra.
  unfold wanted_weight, bos_weight. destruct (k =? 1)%nat.
  - eapply Rle_trans; [apply Rmin_r|]. destruct (i =? j)%nat; [|lra].
    unfold trigger_bos_weight. destruct (trigger_share_bounds E c HE Hc j Hs H3) as [R1 R2].
    pose proof (total_weight_pos E c HE Hc j).
    assert (1 < / trigger_share E c j) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
    assert (0 < total_weight E c j * (/ trigger_share E c j - 1)) by (apply Rmult_lt_0_compat; lra). lra.
  - eapply Rle_trans; [apply Rmin_l|]. apply growth_ge_1; assumption.
Qed.

Lemma quotient_bound a b e : 0 < b -> e <= a / b -> e * b <= a.
Proof. intros Hb H. apply (Rmult_le_compat_r b) in H; [|lra]. unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H; lra. Qed.

Theorem one_head_robust : one_head_statement.one_head_robust.
Proof.
  intros n L E c eta Hn _ HE Hs Heta. assert (Hc : 0 < c) by lra. pose proof (size_pos n Hn) as HN.
  set (K2 := second_kernel n L E c). set (N := INR n) in *.
  assert (HD : forall x j, valid n L j x -> decodes n L j x E c K2) by (intros; now apply second_kernel_decodes).
  assert (HC : forall x j, valid n L j x -> forall i k, (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    continuous_in_flags_at n K2 (state n E c x i) (state n E c x k)).
  { intros. apply second_kernel_continuous. }
  set (B := N * (1 * (1 + c))). assert (HB : 4 <= B) by (unfold B; nra).
  set (kappa := Rmin 1 (E / (c + 1))).
  assert (Hkappa : 0 < kappa) by (apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]).
  destruct (below (/ 2) (eta / (16 * B))) as (e & He & He1 & He2); [lra|apply Rdiv_lt_0_compat; lra|].
  apply quotient_bound in He2; [|lra].
  assert (Hek : 0 < e * kappa) by now apply Rmult_lt_0_compat.
  destruct (uniformly_continuous n L E c K2 Hn HE HD HC (e * kappa / 2)) as (d & Hd & Huc); [lra|].
  assert (HNc : 0 < 12 * (N * (3 + c))) by (apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  destruct (below (eta / (12 * (N * (3 + c)))) d) as (t & Ht & Ht1 & Ht2); [now apply Rdiv_lt_0_compat|assumption|].
  apply quotient_bound in Ht1; [|assumption].
  destruct (below 1 (eta / 4)) as (xi1 & Hxi1 & Hxi2 & Hxi3); [lra..|].
  destruct (below t xi1) as (xi0 & Hxi & Hxit & Hxi4); [assumption..|].
  set (A := 3 * N + 8 * (N * N) * c).
  assert (HNN : 16 <= N * N) by nra. assert (HA : 0 < A) by (unfold A; nra).
  destruct (below (xi0 / A) t) as (eps1 & Heps1 & HepsA & Hepst); [now apply Rdiv_lt_0_compat|assumption|].
  apply quotient_bound in HepsA; [|assumption].
  destruct (below (e * kappa / 2) (/ 4 / (N * N))) as (eps2 & Heps2 & Hepso & Hepsu); [lra|apply Rdiv_lt_0_compat; lra|].
  apply quotient_bound in Hepsu; [|lra].
  destruct (below eps2 (eta / (8 * (N * N)))) as (eps3 & Heps3 & Heps32 & Hepsb); [lra|apply Rdiv_lt_0_compat; lra|].
  apply quotient_bound in Hepsb; [|lra].
  destruct (below eps1 eps3) as (eps & Heps & Heps11 & Heps33); [assumption..|].
  exists eps. split; [assumption|]. intros M V1 V2 K HM HV1 HV2 HK stack.
  assert (Hu : N * (N * eps) <= / 4) by nra.
  set (xi := 3 * (N * eps) + 4 * (2 * (N * (N * eps))) * c).
  assert (Hxi0 : 0 <= xi <= xi0).
  { replace xi with (eps * A) by (unfold xi, A; ring). split; [apply Rmult_le_pos; lra|]. nra. }
  set (X' := residual_layer n (one_head_layer (softmax_kernel n M) V1)).
  assert (HX' : forall x j, valid n L j x -> forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
    Rabs (X' x i r - state n E c x i r) <= xi).
  { intros x j Hx i r H1 H2 Hr. now apply (first_moved n L E c Hn HE Hs j). }
  assert (HK' : forall x j, valid n L j x -> forall i k, (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
    Rabs (K (X' x i) (X' x k) - K2 (state n E c x i) (state n E c x k)) <= e * K2 (state n E c x i) (state n E c x k)).
  { intros x j Hx i k H1 H2 H3 H4.
    apply Rle_trans with (e * kappa).
    - replace (K (X' x i) (X' x k) - K2 (state n E c x i) (state n E c x k))
        with ((K (X' x i) (X' x k) - K2 (X' x i) (X' x k))
              + (K2 (X' x i) (X' x k) - K2 (state n E c x i) (state n E c x k))) by ring.
      replace (e * kappa) with (e * kappa / 2 + e * kappa / 2) by field.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
      + apply Rle_trans with eps; [|lra]. apply HK. intros r Hr.
        replace (2 + c) with (1 + c + 1) by ring.
        split; (eapply abs_moved; [eapply Rle_trans; [now apply (HX' x j)|lra]|now apply (state_le n L E c Hn HE Hs j)]).
      + apply (Huc j i k); try assumption; [apply (trigger_to_L _ _ _ _ Hx)|].
        intros r Hr. assert (r < n)%nat by (destruct Hr as [->|[->| ->]]; lia).
        split; (eapply Rle_trans; [now apply (HX' x j)|lra]).
    - apply Rmult_le_compat_l; [lra|]. rewrite (HD x j Hx) by assumption. now apply (wanted_weight_ge n L j x). }
  split.
  - intros x j Hx i r H1 H2 Hr.
    rewrite <- (stack_output n L j x E c Hn Hx HE Hs K2 (HD x j Hx)) by assumption.
    eapply Rle_trans.
    + apply (second_moved n L E c K2 Hn HE Hs HD j x Hx eps Heps K V2 (X' x) xi e); try assumption; try lra.
      * now apply (HX' x j).
      * now apply (HK' x j).
    + fold N. fold B.
      assert (Hxt : eps * (1 + c + xi) + 1 * xi <= t * (3 + c)) by nra.
      assert (N * (eps * (1 + c + xi) + 1 * xi) <= N * (t * (3 + c))) by (apply Rmult_le_compat_l; lra).
      lra.
  - intros x j Hx i l H1 H2 Hl. destruct l as [|[|l]]; [| |lia].
    + change (Rabs (kernel_attention (softmax_kernel n M) x i 1%nat - kernel_attention (first_kernel n E) x i 1%nat) <= eta).
      eapply Rle_trans; [apply (first_bos_moved n L E Hn j x Hx eps Heps M HM Hu); assumption|]. fold N. nra.
    + change (Rabs (kernel_attention K (X' x) i 1%nat - kernel_attention K2 (state n E c x) i 1%nat) <= eta).
      eapply Rle_trans.
      * apply (second_bos_moved n L E c K2 Hn HE Hs HD j x Hx K (X' x) e); try assumption; try lra. now apply (HK' x j).
      * nra.
Qed.

Theorem one_head_robust_instance :
  exists (n L : nat) (E c eta : R), (4 <= n)%nat /\ (3 <= L)%nat /\ 0 < E /\ 1 + E / 2 < c /\ 0 < eta.
Proof. exists 5%nat, 6%nat, (/ 2), 2, (/ 10). repeat split; lia || lra. Qed.

Print Assumptions one_head_robust.
Print Assumptions one_head_robust_instance.
