(** * tc-1: 2 eta is right to first order

    A family of heads of the class, with linear values, whose sup loss is at most eta; at row L-1 of the
    noise-free sequence whose trigger is at L it has the mass (L-2)/(E + L-2) off BOS ([sharp_family]).
    Two choices of its parameters: mass exactly 2 eta/(1 + eta) ([first_order_sharp]), and masses as near
    2 eta/(1 - 4 eta/(L-3)) as one likes ([second_order_lower]).

    Values: in the content flag -eta for BOS, tau for the trigger, 1 - delta for content; P elsewhere.
    Kernel: the trigger weighs BOS phi and the rest 1.  A token without noise weighs BOS E, content without
    noise 1 and the rest [small].  Any other token weighs BOS L/eta and the rest 1.  The test "noise = 0" is
    discontinuous: no softmax of a bilinear form.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-1 Claim sharp_heads.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task switch_family noise_free.
From Claim Require Import statement.
Open Scope R_scope.

Definition sharp_value (n : nat) (eta delta tau : R) : matrix :=
  fun r c => if (c =? 0)%nat then (if (r =? n - 1)%nat then - eta else 0)
             else if (r =? n - 1)%nat then
               (if (c =? 1)%nat then tau else if (c =? n - 1)%nat then 1 - delta else 0)
             else if (r =? c)%nat then 1 else 0.

Lemma sharp_value_content n eta delta tau y :
  (4 <= n)%nat ->
  linear_value n (sharp_value n eta delta tau) y (n - 1)%nat
  = - eta * y 0%nat + tau * y 1%nat + (1 - delta) * y (n - 1)%nat.
Proof.
  intros Hn. unfold linear_value, sharp_value.
  replace (sum n _) with (sum (S (S (n - 2))) (fun c => (if (c =? 0)%nat then - eta else
    if (c =? 1)%nat then tau else if (c =? n - 1)%nat then 1 - delta else 0) * y c)).
  2:{ replace (S (S (n - 2))) with n by lia. apply sum_ext. intros c _. now rewrite Nat.eqb_refl. }
  rewrite !sum_first, (sum_single (n - 2) _ (n - 3)%nat); [|lia|].
  - replace (S (S (n - 3))) with (n - 1)%nat by lia. rewrite (Nat.eqb_refl (n - 1)).
    destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|]. cbn [Nat.eqb]. ring.
  - intros k Hk Hk'. destruct (Nat.eqb_spec (S (S k)) 0); [lia|]. destruct (Nat.eqb_spec (S (S k)) 1); [lia|].
    destruct (Nat.eqb_spec (S (S k)) (n - 1)); [lia|ring].
Qed.

Lemma sharp_value_elsewhere n eta delta tau y r :
  (r < n)%nat -> r <> (n - 1)%nat ->
  linear_value n (sharp_value n eta delta tau) y r = if (r =? 0)%nat then 0 else y r.
Proof.
  intros Hr E. rewrite <- (linear_projector n y r Hr). apply sum_ext. intros c _. f_equal.
  unfold sharp_value, projector. apply Nat.eqb_neq in E. rewrite E.
  destruct (Nat.eqb_spec c 0) as [->|Ec]; destruct (Nat.eqb_spec r 0) as [->|Er]; cbn [Nat.eqb]; try reflexivity.
  destruct c; [lia|reflexivity].
Qed.

Definition sharp_kernel (n L : nat) (eta phi small E : R) : kernel :=
  fun q k =>
    if Req_EM_T (q 1%nat) 1 then (if Req_EM_T (k 0%nat) 1 then phi else 1)
    else if Req_EM_T (noise_size n q) 0 then
      if Req_EM_T (k 0%nat) 1 then E
      else if Req_EM_T (noise_size n k) 0 then (if Req_EM_T (k 1%nat) 1 then small else 1)
      else small
    else if Req_EM_T (k 0%nat) 1 then INR L / eta else 1.

(** A row off the trigger with BOS weight E and weights w on values c: content flag or another coordinate. *)
Lemma quiet_quotient eta (E : R) (m : nat) (w c : nat -> R) (content : bool) :
  0 < eta -> 0 < E -> (forall k, (k < m)%nat -> 0 <= w k) ->
  (content = false -> Rabs (sum m (fun k => w k * c k)) <= eta * E) ->
  (content = true -> 0 <= sum m (fun k => w k * c k) /\ sum m (fun k => w k * (c k - eta)) <= 2 * eta * E) ->
  Rabs ((E * (if content then - eta else 0) + sum m (fun k => w k * c k)) / (E + sum m w)) <= eta.
Proof.
  intros He HE Hw Hf Ht. pose proof (sum_nonneg m w Hw) as Hs.
  set (S := sum m w) in *. set (X := sum m (fun k => w k * c k)) in *.
  assert (HES : 0 < E + S) by lra.
  assert (HeS : 0 <= eta * S) by (apply Rmult_le_pos; lra).
  assert (HeE : 0 < eta * E) by (apply Rmult_lt_0_compat; lra).
  assert (B : Rabs (E * (if content then - eta else 0) + X) <= eta * (E + S)).
  { apply Rabs_le. destruct content.
    - destruct (Ht eq_refl) as [T1 T2].
      assert (ET : sum m (fun k => w k * (c k - eta)) = X - eta * S).
      { unfold X, S. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros. ring. }
      rewrite ET in T2. lra.
    - specialize (Hf eq_refl). apply abs_bounds in Hf. lra. }
  unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ (E + S))) by (left; now apply Rinv_0_lt_compat).
  apply (Rmult_le_reg_r (E + S)); [assumption|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact B.
Qed.

(** The content flag of a trigger row with M content tokens before the trigger. *)
Lemma trigger_content_error eta delta tau phi M :
  1 <= M -> 0 < phi -> 0 <= eta ->
  phi + M * delta - tau <= eta * (M + 1) -> tau - M * delta <= eta * (M + 1) ->
  Rabs ((phi * - eta + (M * (1 - delta) + tau)) / (phi + (M + 1)) - M / (M + 1)) <= eta.
Proof.
  intros HM Hphi He H1 H2. set (q := M / (M + 1)).
  assert (Hq : 0 <= q <= 1).
  { unfold q. split; [left; apply Rdiv_lt_0_compat; lra|]. apply (Rmult_le_reg_r (M + 1)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Eq : q * (M + 1) = M) by (unfold q; field; lra).
  assert (P1 : 0 <= phi * (1 - q)) by (apply Rmult_le_pos; lra).
  assert (P2 : 0 <= phi * q) by (apply Rmult_le_pos; lra).
  assert (P3 : 0 <= phi * eta) by (apply Rmult_le_pos; lra).
  replace ((phi * - eta + (M * (1 - delta) + tau)) / (phi + (M + 1)) - q)
    with ((phi * - eta + (M * (1 - delta) + tau) - q * (phi + (M + 1))) * / (phi + (M + 1))) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_reg_r (phi + (M + 1))); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rabs_le. lra.
Qed.

Section Family.
  Context (n L : nat) (eta delta tau phi small E : R) (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (He : 0 < eta)
          (Hphi : 0 < phi <= eta) (Hsmall : 0 < small <= 1) (Hdelta0 : 0 <= delta) (Hdelta : delta + eta <= 1)
          (Htau : 0 <= tau <= 2) (HE : 0 < E)
          (Hnoise : (INR L - 1) * small <= eta * E)
          (Hcontent : (INR L - 2) * (1 - delta - eta) + small * tau <= 2 * eta * E)
          (Hlow : forall M, 1 <= M <= INR L - 2 -> phi + M * delta - tau <= eta * (M + 1))
          (Hhigh : forall M, 1 <= M <= INR L - 2 -> tau - M * delta <= eta * (M + 1)).
  Let K := sharp_kernel n L eta phi small E.
  Let v := linear_value n (sharp_value n eta delta tau).

  Lemma INR_L_ge_4 : 4 <= INR L.
  Proof. replace 4 with (INR 4) by (simpl; ring). now apply le_INR. Qed.

  Lemma far_weight : 0 < INR L / eta.
  Proof. pose proof INR_L_ge_4. apply Rdiv_lt_0_compat; lra. Qed.

  Lemma sharp_positive : positive_kernel K.
  Proof.
    intros q k. pose proof far_weight. unfold K, sharp_kernel. repeat destruct Req_EM_T; lra.
  Qed.

  Section Sequence.
    Context (x : sequence) (j : nat) (Hx : valid n L j x).

    Lemma value_bos r : (r < n)%nat -> v bos r = if (r =? n - 1)%nat then - eta else 0.
    Proof.
      intros Hr. unfold v. destruct (Nat.eqb_spec r (n - 1)) as [->|E1].
      - rewrite sharp_value_content by assumption. rewrite bos_0, !bos_pos by lia. ring.
      - rewrite sharp_value_elsewhere by assumption. destruct (Nat.eqb_spec r 0); [reflexivity|].
        now rewrite bos_pos by lia.
    Qed.

    Lemma value_key k r : (2 <= k)%nat -> (k <= L)%nat -> (r < n)%nat ->
      v (x k) r = if (r =? n - 1)%nat then (if (k =? j)%nat then tau else 1 - delta) else x k r.
    Proof.
      intros H2 Hk Hr. unfold v. destruct (Nat.eqb_spec r (n - 1)) as [->|E1].
      - rewrite sharp_value_content by assumption.
        rewrite (valid_bos_flag n L j x Hx Hn), (valid_trigger_flag n L j x Hx Hn), (valid_content_flag n L j x Hx Hn) by lia.
        destruct (k =? j)%nat; ring.
      - rewrite sharp_value_elsewhere by assumption. destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity].
        now rewrite (valid_bos_flag n L j x Hx Hn) by lia.
    Qed.

    Lemma key_not_bos k : (2 <= k)%nat -> (k <= L)%nat -> x k 0%nat <> 1.
    Proof. intros. rewrite (valid_bos_flag n L j x Hx Hn) by lia. lra. Qed.

    Lemma trigger_row r : (r < n)%nat -> Rabs (head (kernel_attention K) v x j r - target j x j r) <= eta.
    Proof.
      intros Hr. pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
      assert (Hq : x j 1%nat = 1) by exact (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx)).
      assert (HKb : K (x j) bos = phi).
      { unfold K, sharp_kernel. destruct (Req_EM_T (x j 1%nat) 1); [|lra].
        destruct (Req_EM_T (bos 0%nat) 1) as [_|E1]; [reflexivity|]. rewrite bos_0 in E1. lra. }
      assert (HKx : forall k, (k < j - 1)%nat -> K (x j) (x (k + 2)%nat) = 1).
      { intros k Hk. unfold K, sharp_kernel. destruct (Req_EM_T (x j 1%nat) 1); [|lra].
        destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1) as [E1|_]; [|reflexivity].
        exfalso. apply (key_not_bos (k + 2)); [lia|lia|exact E1]. }
      rewrite kernel_head_quotient, !possum_first, (first_is_bos _ _ _ _ Hx), HKb, value_bos by lia.
      rewrite (sum_ext _ (fun k => K (x j) (x (k + 2)%nat)) (fun _ => 1)) by exact HKx.
      rewrite sum_const, Rmult_1_r.
      set (M := INR (j - 2)).
      assert (HM : 1 <= M) by (apply (le_INR 1); lia).
      assert (HML : M <= INR L - 2).
      { replace (INR L - 2) with (INR (L - 2)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
      assert (HM1 : INR (j - 1) = M + 1).
      { unfold M. rewrite <- S_INR. f_equal. lia. }
      destruct (Nat.eqb_spec r (n - 1)) as [->|Ec].
      - rewrite (sum_ext _ _ (fun k => if (k =? j - 2)%nat then tau else 1 - delta)).
        2:{ intros k Hk. rewrite HKx, value_key, Nat.eqb_refl by lia.
            destruct (Nat.eqb_spec (k + 2) j), (Nat.eqb_spec k (j - 2)); try lia; ring. }
        replace (sum (j - 1) (fun k => if (k =? j - 2)%nat then tau else 1 - delta)) with (M * (1 - delta) + tau).
        2:{ replace (j - 1)%nat with (S (j - 2)) by lia. cbn [sum]. rewrite Nat.eqb_refl. f_equal.
            rewrite (sum_ext _ _ (fun _ => 1 - delta)); [now rewrite sum_const|].
            intros k Hk. destruct (Nat.eqb_spec k (j - 2)); [lia|reflexivity]. }
        rewrite (target_content_flag n L) by assumption. fold M. rewrite HM1. apply trigger_content_error; auto; lra.
      - rewrite (sum_ext _ _ (fun k => x (k + 2)%nat r)).
        2:{ intros k Hk. rewrite HKx, value_key by lia. apply Nat.eqb_neq in Ec. rewrite Ec. ring. }
        rewrite (switch_target n), Rmult_0_r, Rplus_0_l, HM1 by assumption.
        eapply Rle_trans; [apply switch_trigger_error; try lra|].
        + rewrite <- HM1. apply (valid_sum_abs_le n L j x Hx Hn j r HjL Hr).
        + apply (Rmult_le_reg_r (phi + (M + 1))); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
          assert (0 <= eta * (phi + M)) by (apply Rmult_le_pos; lra). lra.
    Qed.

    (** Off the trigger: the weights of a row's keys, by whether its token has noise. *)
    Lemma quiet_weight_bos i : (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
      K (x i) bos = if Req_EM_T (noise_size n (x i)) 0 then E else INR L / eta.
    Proof.
      intros Hi HiL Eij. unfold K, sharp_kernel.
      rewrite (valid_trigger_flag n L j x Hx Hn) by assumption. destruct (Nat.eqb_spec i j); [lia|].
      destruct (Req_EM_T 0 1); [lra|]. rewrite bos_0. destruct (Req_EM_T 1 1); [reflexivity|lra].
    Qed.

    Lemma quiet_weight i k : (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (2 <= k)%nat -> (k <= L)%nat ->
      K (x i) (x k) = if Req_EM_T (noise_size n (x i)) 0 then
                        (if Req_EM_T (noise_size n (x k)) 0 then (if (k =? j)%nat then small else 1) else small)
                      else 1.
    Proof.
      intros Hi HiL Eij Hk HkL. unfold K, sharp_kernel.
      rewrite !(valid_trigger_flag n L j x Hx Hn) by lia. destruct (Nat.eqb_spec i j); [lia|].
      destruct (Req_EM_T 0 1); [lra|]. destruct (Req_EM_T (x k 0%nat) 1) as [E1|_].
      - exfalso. apply (key_not_bos k); assumption.
      - destruct (k =? j)%nat; destruct (Req_EM_T 1 1), (Req_EM_T 0 1); try lra; reflexivity.
    Qed.

    (** Without noise, content other than BOS and the trigger is 0 outside the content flag. *)
    Lemma noise_free_coordinate k r : (2 <= k)%nat -> (k <= L)%nat -> k <> j -> (r < n)%nat -> r <> (n - 1)%nat ->
      noise_size n (x k) = 0 -> x k r = 0.
    Proof.
      intros Hk HkL Ek Hr Er E0.
      destruct (Nat.eq_dec r 0) as [->|R0]; [apply (valid_bos_flag n L j x Hx Hn); lia|].
      destruct (Nat.eq_dec r 1) as [->|R1].
      - rewrite (valid_trigger_flag n L j x Hx Hn) by lia. destruct (Nat.eqb_spec k j); [lia|reflexivity].
      - apply (noise_size_zero n); [assumption| |]; lia.
    Qed.

    Lemma quiet_noise i r : (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat -> r <> (n - 1)%nat ->
      Rabs (sum (i - 1) (fun k => K (x i) (x (k + 2)%nat) * x (k + 2)%nat r)) <= eta * K (x i) bos.
    Proof.
      intros Hi HiL Eij Hr Er. pose proof INR_L_ge_4.
      assert (HiR : INR (i - 1) <= INR L - 1).
      { replace (INR L - 1) with (INR (L - 1)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
      rewrite quiet_weight_bos by assumption.
      assert (Habs : forall k, (k < i - 1)%nat -> Rabs (x (k + 2)%nat r) <= 1).
      { intros k Hk. apply (valid_abs_le_1 n L j x Hx Hn); lia. }
      destruct (Req_EM_T (noise_size n (x i)) 0) as [E0|E0].
      - apply Rle_trans with (INR (i - 1) * small).
        2:{ assert (0 <= small * (INR L - 1 - INR (i - 1))) by (apply Rmult_le_pos; lra). lra. }
        apply sum_abs_le. intros k Hk. specialize (Habs k Hk). rewrite quiet_weight by lia.
        assert (Hs : Rabs (small * x (k + 2)%nat r) <= small).
        { rewrite Rabs_mult, Rabs_pos_eq by lra. rewrite <- (Rmult_1_r small) at 2. apply Rmult_le_compat_l; lra. }
        destruct (Req_EM_T (noise_size n (x i)) 0); [|contradiction].
        destruct (Req_EM_T (noise_size n (x (k + 2)%nat)) 0) as [Ek|_]; [|exact Hs].
        destruct (Nat.eqb_spec (k + 2) j); [exact Hs|].
        rewrite noise_free_coordinate, Rmult_0_r, Rabs_R0 by (assumption || lia). lra.
      - replace (eta * (INR L / eta)) with (INR L) by (field; lra).
        apply Rle_trans with (INR (i - 1) * 1); [|lra].
        apply sum_abs_le. intros k Hk. specialize (Habs k Hk). rewrite quiet_weight by lia.
        destruct (Req_EM_T (noise_size n (x i)) 0); [contradiction|]. now rewrite Rmult_1_l.
    Qed.

    (** What the keys of a quiet row bring to the content flag beyond eta. *)
    Lemma quiet_content i : (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
      sum (i - 1) (fun k => K (x i) (x (k + 2)%nat) * ((if (k + 2 =? j)%nat then tau else 1 - delta) - eta))
      <= 2 * eta * K (x i) bos.
    Proof.
      intros Hi HiL Eij. pose proof INR_L_ge_4.
      pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
      assert (HiR : INR (i - 1) <= INR L - 1).
      { replace (INR L - 1) with (INR (L - 1)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
      rewrite quiet_weight_bos by assumption.
      destruct (Req_EM_T (noise_size n (x i)) 0) as [E0|E0].
      - eapply Rle_trans; [|exact Hcontent]. set (c := 1 - delta - eta) in *.
        assert (Hst : 0 <= small * tau) by (apply Rmult_le_pos; lra).
        apply Rle_trans with (sum (i - 1) (fun k => c + (if (k =? j - 2)%nat then small * tau - c else 0))).
        + apply sum_le. intros k Hk. rewrite quiet_weight by lia.
          destruct (Req_EM_T (noise_size n (x i)) 0); [|contradiction].
          assert (Hse : 0 <= small * eta) by (apply Rmult_le_pos; lra).
          assert (Hsc : 0 <= (1 - small) * c) by (apply Rmult_le_pos; unfold c; lra).
          destruct (Nat.eqb_spec (k + 2) j), (Nat.eqb_spec k (j - 2)); try lia;
            destruct (Req_EM_T (noise_size n (x (k + 2)%nat)) 0); unfold c in *; lra.
        + rewrite sum_plus, sum_const. destruct (Nat.lt_ge_cases i j) as [Hij|Hij].
          * assert (Hi2 : INR (i - 1) <= INR L - 2).
            { replace (INR L - 2) with (INR (L - 2)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
            rewrite (sum_zero (i - 1)).
            2:{ intros k Hk. destruct (Nat.eqb_spec k (j - 2)); [lia|reflexivity]. }
            assert (0 <= c * (INR L - 2 - INR (i - 1))) by (apply Rmult_le_pos; unfold c; lra). lra.
          * rewrite (sum_single (i - 1) _ (j - 2)%nat); [|lia|].
            -- rewrite Nat.eqb_refl.
               assert (0 <= c * (INR L - 1 - INR (i - 1))) by (apply Rmult_le_pos; unfold c; lra). lra.
            -- intros k _ Ek. apply Nat.eqb_neq in Ek. now rewrite Ek.
      - replace (2 * eta * (INR L / eta)) with (2 * INR L) by (field; lra).
        apply Rle_trans with (INR (i - 1) * 2); [|lra]. rewrite <- sum_const.
        apply sum_le. intros k Hk. rewrite quiet_weight by lia.
        destruct (Req_EM_T (noise_size n (x i)) 0); [contradiction|].
        destruct (k + 2 =? j)%nat; lra.
    Qed.

    Lemma quiet_row i r : (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat ->
      Rabs (head (kernel_attention K) v x i r - target j x i r) <= eta.
    Proof.
      intros Hi HiL Eij Hr. rewrite target_off_trigger, Rminus_0_r by assumption.
      rewrite kernel_head_quotient, !possum_first, (first_is_bos _ _ _ _ Hx), value_bos by assumption.
      apply quiet_quotient; [assumption|apply sharp_positive|intros; left; apply sharp_positive| |].
      - intros Er. apply Nat.eqb_neq in Er. rewrite (sum_ext _ _ (fun k => K (x i) (x (k + 2)%nat) * x (k + 2)%nat r)).
        + now apply quiet_noise.
        + intros k Hk. rewrite value_key by lia. apply Nat.eqb_neq in Er. now rewrite Er.
      - intros Er. split.
        + apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [left; apply sharp_positive|].
          rewrite value_key, Er by lia. destruct (k + 2 =? j)%nat; lra.
        + rewrite (sum_ext _ _ (fun k => K (x i) (x (k + 2)%nat) * ((if (k + 2 =? j)%nat then tau else 1 - delta) - eta))).
          * now apply quiet_content.
          * intros k Hk. rewrite value_key, Er by lia. reflexivity.
    Qed.
  End Sequence.

  Lemma sharp_sup_loss_le : sup_loss_le n L (head (kernel_attention K) v) eta.
  Proof.
    intros x j Hx i r Hi HiL Hr. destruct (Nat.eq_dec i j) as [->|E1]; [now apply trigger_row|now apply quiet_row].
  Qed.

  Lemma sharp_family :
    exists K V x j i, positive_kernel K /\ sup_loss_le n L (head (kernel_attention K) (linear_value n V)) eta /\
      valid n L j x /\ (1 <= i)%nat /\ (i < j)%nat /\
      1 - bos_attention (kernel_attention K) x i = (INR L - 2) / (E + (INR L - 2)).
  Proof.
    set (x := probe (constant_content n 0) (constant_trigger n 0) L).
    assert (Hc : is_content n (constant_content n 0)) by (apply constant_content_is_content; [assumption|lra]).
    assert (Hx : valid n L L x).
    { apply probe_valid; try lia; [assumption|apply constant_trigger_is_trigger; [assumption|lra]]. }
    exists K, (sharp_value n eta delta tau), x, L, (L - 1)%nat.
    split; [apply sharp_positive|]. split; [apply sharp_sup_loss_le|]. split; [exact Hx|]. do 2 (split; [lia|]).
    assert (Hxk : forall k, (2 <= k)%nat -> (k < L)%nat -> noise_size n (x k) = 0).
    { intros k H2 Hk. unfold x, probe. destruct (Nat.eqb_spec k 1); [lia|]. destruct (Nat.eqb_spec k L); [lia|].
      apply noise_size_constant_content. }
    pose proof INR_L_ge_4. unfold bos_attention, kernel_attention. rewrite possum_first, (first_is_bos _ _ _ _ Hx) by lia.
    rewrite (quiet_weight_bos x L Hx (L - 1)) by lia. rewrite (Hxk (L - 1)%nat) by lia.
    destruct (Req_EM_T 0 0); [|lra].
    rewrite (sum_ext _ _ (fun _ => 1)).
    2:{ intros k Hk. rewrite (quiet_weight x L Hx) by lia. rewrite !Hxk by lia.
        destruct (Req_EM_T 0 0); [|lra]. destruct (Nat.eqb_spec (k + 2) L); [lia|reflexivity]. }
    rewrite sum_const. replace (INR (L - 1 - 1)) with (INR L - 2).
    2:{ replace (L - 1 - 1)%nat with (L - 2)%nat by lia. rewrite minus_INR by lia. reflexivity. }
    field. lra.
  Qed.
End Family.

(** delta = tau = 0, phi = eta, E = (L-2)(1-eta)/(2 eta). *)
Theorem first_order_sharp : statement.first_order_sharp.
Proof.
  intros n L eta Hn HL [He He1]. pose proof (INR_L_ge_4 L HL) as HLR.
  assert (HP : 0 < (INR L - 2) * (1 - eta)) by (apply Rmult_lt_0_compat; lra).
  set (E := (INR L - 2) * (1 - eta) / (2 * eta)).
  assert (HE : 2 * eta * E = (INR L - 2) * (1 - eta)) by (unfold E; field; lra).
  destruct (sharp_family n L eta 0 0 eta ((1 - eta) / 4) E) as (K & V & x & j & i & H); try assumption; try lra.
  - unfold E. apply Rdiv_lt_0_compat; lra.
  - assert (0 <= (INR L - 3) * (1 - eta)) by (apply Rmult_le_pos; lra). lra.
  - intros M [HM _]. assert (0 <= eta * M) by (apply Rmult_le_pos; lra). lra.
  - intros M [HM _]. assert (0 <= eta * (M + 1)) by (apply Rmult_le_pos; lra). lra.
  - exists K, V, x, j, i. replace (2 * eta / (1 + eta)) with ((INR L - 2) / (E + (INR L - 2))); [exact H|].
    unfold E. field. repeat split; try lra.
    assert (0 < (INR L - 2) * (1 + eta)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** Room for a positive phi below the limit. *)
Lemma small_enough eta X s : 0 < eta -> 0 < X -> s < 2 * eta / X ->
  exists phi, 0 < phi <= eta /\ s * (X + 2 * phi) <= 2 * eta.
Proof.
  intros He HX Hs. destruct (Rle_lt_dec s 0) as [H0|H0].
  { exists eta. split; [lra|]. assert (0 <= - s * (X + 2 * eta)) by (apply Rmult_le_pos; lra). lra. }
  assert (HsX : s * X < 2 * eta).
  { apply (Rmult_lt_compat_r X) in Hs; [|assumption]. unfold Rdiv in Hs. rewrite Rmult_assoc, Rinv_l in Hs; lra. }
  set (p := (2 * eta - s * X) / (2 * s)). assert (Hp : 0 < p) by (apply Rdiv_lt_0_compat; lra).
  assert (Ep : s * (X + 2 * p) = 2 * eta) by (unfold p; field; lra).
  exists (Rmin eta p). split; [split; [now apply Rmin_glb_lt|apply Rmin_l]|].
  pose proof (Rmin_r eta p). assert (0 <= s * (p - Rmin eta p)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** delta = ((L+1) eta - phi)/(L-3), tau = 2 eta + delta, phi small and [small] smaller. *)
Theorem second_order_lower : statement.second_order_lower.
Proof.
  intros n L eta s Hn HL He Hgap Hs. pose proof (INR_L_ge_4 L HL) as HLR. unfold trigger_gap in Hgap.
  set (l := INR L) in *.
  assert (Hg : 2 * (l - 1) * eta <= l - 3).
  { apply (Rmult_le_compat_l (2 * (l - 1))) in Hgap; [|lra].
    replace (2 * (l - 1) * ((l - 3) / (2 * (l - 1)))) with (l - 3) in Hgap by (field; lra). exact Hgap. }
  assert (He2 : 2 * eta <= 1).
  { apply (Rmult_le_reg_l (l - 1)); [lra|]. lra. }
  set (X := 1 - 4 * eta / (l - 3)) in *.
  assert (HX : (l - 3) * X = l - 3 - 4 * eta) by (unfold X; field; lra).
  assert (HX0 : 0 < X).
  { apply (Rmult_lt_reg_l (l - 3)); [lra|]. rewrite HX.
    assert (0 <= (l - 4) * eta) by (apply Rmult_le_pos; lra). lra. }
  destruct (small_enough eta X s He HX0 Hs) as (phi & Hphi & Hsphi).
  set (delta := ((l + 1) * eta - phi) / (l - 3)).
  assert (Hd : (l - 3) * delta = (l + 1) * eta - phi) by (unfold delta; field; lra).
  assert (Hle : 0 <= (l - 4) * eta) by (apply Rmult_le_pos; lra).
  assert (Hd0 : 0 <= delta) by (apply (Rmult_le_reg_l (l - 3)); lra).
  assert (Hc : phi <= (l - 3) * (1 - delta - eta)) by lra.
  assert (Hc0 : 0 < 1 - delta - eta) by (apply (Rmult_lt_reg_l (l - 3)); lra).
  set (small := phi / (2 * (l - 1))).
  assert (Hsm : (l - 1) * small = phi / 2) by (unfold small; field; lra).
  assert (Hsm0 : 0 < small) by (apply Rdiv_lt_0_compat; lra).
  assert (Hsm1 : 3 * small <= phi / 2).
  { assert (0 <= (l - 4) * small) by (apply Rmult_le_pos; lra). lra. }
  assert (Hst : 0 <= small * (2 * eta + delta) <= 2 * small).
  { split; [apply Rmult_le_pos; lra|]. assert (0 <= small * (2 - (2 * eta + delta))) by (apply Rmult_le_pos; lra). lra. }
  set (E := ((l - 2) * (1 - delta - eta) + small * (2 * eta + delta)) / (2 * eta)).
  assert (HE : 2 * eta * E = (l - 2) * (1 - delta - eta) + small * (2 * eta + delta)) by (unfold E; field; lra).
  assert (HE0 : 0 < E).
  { apply Rdiv_lt_0_compat; [|lra]. assert (0 < (l - 2) * (1 - delta - eta)) by (apply Rmult_lt_0_compat; lra). lra. }
  destruct (sharp_family n L eta delta (2 * eta + delta) phi small E) as (K & V & x & j & i & HK & Hl & Hx & Hi & Hij & Hm);
    fold l; try assumption; try lra.
  - intros M [HM HML]. apply (Rmult_le_reg_l (l - 3)); [lra|].
    assert (0 <= (l - 2 - M) * (4 * eta - phi)) by (apply Rmult_le_pos; lra).
    replace ((l - 3) * (phi + M * delta - (2 * eta + delta)))
      with ((l - 3) * (phi - 2 * eta) + (M - 1) * ((l - 3) * delta)) by ring.
    rewrite Hd. lra.
  - intros M [HM HML]. assert (0 <= (M - 1) * (delta + eta)) by (apply Rmult_le_pos; lra). lra.
  - exists K, V, x, j, i. do 5 (split; [assumption|]). rewrite Hm. fold l. apply Rle_ge.
    assert (Hs2 : s * (E + (l - 2)) <= l - 2).
    { destruct (Rle_lt_dec s 0) as [H0|H0].
      { assert (0 <= - s * (E + (l - 2))) by (apply Rmult_le_pos; lra). lra. }
      apply (Rmult_le_reg_l (2 * eta)); [lra|].
      replace (2 * eta * (s * (E + (l - 2)))) with (s * (2 * eta * E + (l - 2) * (2 * eta))) by ring. rewrite HE.
      assert (HB : (l - 2) * (1 - delta - eta) + small * (2 * eta + delta) + (l - 2) * (2 * eta) <= (l - 2) * (X + 2 * phi)).
      { assert (Hq : 1 - delta + eta <= X + phi).
        { apply (Rmult_le_reg_l (l - 3)); [lra|]. replace ((l - 3) * (X + phi)) with ((l - 3) * X + (l - 3) * phi) by ring. rewrite HX.
          assert (0 <= (l - 4) * phi) by (apply Rmult_le_pos; lra). lra. }
        apply (Rmult_le_compat_l (l - 2)) in Hq; [|lra].
        assert (0 <= (l - 3) * phi) by (apply Rmult_le_pos; lra). lra. }
      apply Rle_trans with (s * ((l - 2) * (X + 2 * phi))); [apply Rmult_le_compat_l; lra|].
      apply (Rmult_le_compat_l (l - 2)) in Hsphi; [|lra]. lra. }
    apply (Rmult_le_reg_r (E + (l - 2))); [lra|].
    replace ((l - 2) / (E + (l - 2)) * (E + (l - 2))) with (l - 2) by (field; lra). exact Hs2.
Qed.

Print Assumptions first_order_sharp.
Print Assumptions second_order_lower.
