(** * tc-1: 2 eta is right to first order

    A positive kernel with linear values, sup loss at most eta and mass exactly 2 eta/(1 + eta) off BOS at row
    L-1 of the noise-free probe whose trigger is at L, for every n >= 4, L >= 4, 0 < eta < 1.  V = P, but
    V BOS = -eta in the content flag.  The kernel asks whether a token's noise is 0, so it is discontinuous; no
    softmax of a bilinear form.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-1 Claim first_order_sharp.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task noise_free.
From Claim Require Import statement.
Open Scope R_scope.

(** V = P, but V BOS = -eta in the content flag. *)
Definition sharp_value (n : nat) (eta : R) : matrix :=
  fun r c => if (c =? 0)%nat then (if (r =? n - 1)%nat then - eta else 0) else if (r =? c)%nat then 1 else 0.

Lemma sharp_value_apply n eta y r :
  (4 <= n)%nat -> (r < n)%nat ->
  linear_value n (sharp_value n eta) y r
  = (if (r =? n - 1)%nat then - eta else 0) * y 0%nat + (if (r =? 0)%nat then 0 else y r).
Proof.
  intros Hn Hr. unfold linear_value, sharp_value.
  destruct (Nat.eqb_spec r 0) as [->|E].
  - rewrite (sum_single n _ 0%nat); [|lia|].
    + change (0 =? 0)%nat with true. cbv iota. ring.
    + intros k _ Hk. destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec 0 k); [lia|ring].
  - rewrite (sum_two n _ 0%nat r); try lia.
    + change (0 =? 0)%nat with true. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r 0); [lia|]. cbv iota. ring.
    + intros k _ K0 Kr. destruct (Nat.eqb_spec k 0); [lia|]. destruct (Nat.eqb_spec r k); [lia|ring].
Qed.

(** Queries: the trigger weighs BOS eta, the rest 1.  A token without noise weighs BOS E = (L-2)(1-eta)/(2 eta), content
    without noise 1, the rest (1-eta)/4.  Other tokens weigh BOS (L-1)/eta, the rest 1. *)
Definition sharp_kernel (n L : nat) (eta : R) : kernel :=
  fun q k =>
    if Req_EM_T (q 1%nat) 1 then (if Req_EM_T (k 0%nat) 1 then eta else 1)
    else if Req_EM_T (noise_size n q) 0 then
      if Req_EM_T (k 0%nat) 1 then (INR L - 2) * (1 - eta) / (2 * eta)
      else if Req_EM_T (noise_size n k) 0 then (if Req_EM_T (k 1%nat) 1 then (1 - eta) / 4 else 1)
      else (1 - eta) / 4
    else if Req_EM_T (k 0%nat) 1 then (INR L - 1) / eta else 1.

Section Sharp.
  Context (n L : nat) (eta : R) (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (He : 0 < eta) (He1 : eta < 1).
  Let K := sharp_kernel n L eta.
  Let v := linear_value n (sharp_value n eta).

  Lemma INR_L_ge_4 : 4 <= INR L.
  Proof using HL. replace 4 with (INR 4) by (simpl; ring). now apply le_INR. Qed.

  Lemma sharp_positive : positive_kernel K.
  Proof using Hn HL He He1.
    intros q k. pose proof INR_L_ge_4. unfold K, sharp_kernel.
    assert (0 < (INR L - 2) * (1 - eta) / (2 * eta)).
    { apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
    assert (0 < (INR L - 1) / eta) by (apply Rdiv_lt_0_compat; lra).
    repeat destruct Req_EM_T; lra.
  Qed.

  (** A row off the trigger, BOS weight E, weights w on the rest. *)
  Lemma quiet_quotient (E : R) (m : nat) (w c : nat -> R) (content : bool) :
    0 < E -> (forall k, (k < m)%nat -> 0 <= w k) ->
    (content = false -> Rabs (sum m (fun k => w k * c k)) <= eta * E) ->
    (content = true -> 0 <= sum m (fun k => w k * c k) /\ sum m (fun k => w k * (c k - eta)) <= 2 * eta * E) ->
    Rabs ((E * (if content then - eta else 0) + sum m (fun k => w k * c k)) / (E + sum m w)) <= eta.
  Proof using He.
    intros HE Hw Hf Ht. pose proof (sum_nonneg m w Hw) as Hs.
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

  Lemma sharp_sup_loss_le : sup_loss_le n L (head (kernel_attention K) v) eta.
  Proof using Hn HL He He1.
    intros x j Hx i r Hi HiL Hr. pose proof INR_L_ge_4 as HLR.
    pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    rewrite kernel_head_quotient. rewrite !possum_first by assumption. rewrite (first_is_bos _ _ _ _ Hx).
    assert (Hvb : v bos r = if (r =? n - 1)%nat then - eta else 0).
    { unfold v. rewrite sharp_value_apply by assumption. rewrite bos_0.
      destruct (Nat.eqb_spec r 0) as [->|E]; [ring|]. rewrite bos_pos by lia. ring. }
    assert (Hvx : forall k, (k < i - 1)%nat -> v (x (k + 2)%nat) r = x (k + 2)%nat r).
    { intros k Hk. unfold v. rewrite sharp_value_apply by assumption.
      rewrite (valid_bos_flag n L j x Hx Hn (k + 2)) by lia.
      destruct (Nat.eqb_spec r 0) as [->|E]; [|ring]. rewrite (valid_bos_flag n L j x Hx Hn) by lia. ring. }
    rewrite (sum_ext _ _ (fun k => K (x i) (x (k + 2)%nat) * x (k + 2)%nat r)).
    2:{ intros k Hk. now rewrite Hvx. }
    assert (Hk0 : forall k, (k < i - 1)%nat -> x (k + 2)%nat 0%nat <> 1).
    { intros k Hk. rewrite (valid_bos_flag n L j x Hx Hn) by lia. lra. }
    rewrite Hvb. destruct (Nat.eq_dec i j) as [Eij|Eij].
    - (* the trigger row *)
      subst i. assert (Hq : x j 1%nat = 1) by exact (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx)).
      assert (HKb : K (x j) bos = eta).
      { unfold K, sharp_kernel. destruct (Req_EM_T (x j 1%nat) 1); [|lra].
        destruct (Req_EM_T (bos 0%nat) 1) as [_|E]; [reflexivity|]. rewrite bos_0 in E. lra. }
      assert (HKx : forall k, (k < j - 1)%nat -> K (x j) (x (k + 2)%nat) = 1).
      { intros k Hk. unfold K, sharp_kernel. destruct (Req_EM_T (x j 1%nat) 1); [|lra].
        destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1) as [E|_]; [|reflexivity]. now destruct (Hk0 k Hk). }
      rewrite HKb. rewrite (sum_ext _ (fun k => K (x j) (x (k + 2)%nat)) (fun _ => 1)) by exact HKx.
      rewrite (sum_ext _ _ (fun k => x (k + 2)%nat r)) by (intros k Hk; rewrite HKx by assumption; ring).
      rewrite sum_const. unfold target, mean_from_2. rewrite Nat.eqb_refl.
      assert (HJ : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
      pose proof (valid_sum_abs_le n L j x Hx Hn j r HjL Hr) as HS.
      set (S := sum (j - 1) (fun k => x (k + 2)%nat r)) in *. set (M := INR (j - 1)) in *.
      set (b := if (r =? n - 1)%nat then - eta else 0).
      assert (Hb : Rabs b <= eta) by (unfold b; destruct (r =? n - 1)%nat; apply Rabs_le; lra).
      replace ((eta * b + S) / (eta + M * 1) - S / M) with (eta * (b - S / M) * / (eta + M)) by (field; lra).
      assert (HSM : Rabs (S / M) <= 1).
      { unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ M)) by (left; apply Rinv_0_lt_compat; lra).
        apply (Rmult_le_reg_r M); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      rewrite !Rabs_mult, (Rabs_pos_eq eta) by lra.
      rewrite (Rabs_pos_eq (/ (eta + M))) by (left; apply Rinv_0_lt_compat; lra).
      assert (Hd : Rabs (b - S / M) <= 2).
      { apply abs_bounds in Hb, HSM. apply Rabs_le. lra. }
      apply (Rmult_le_reg_r (eta + M)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rmult_le_compat_l; lra.
    - rewrite target_off_trigger, Rminus_0_r by assumption.
      assert (Hq : x i 1%nat <> 1).
      { rewrite (valid_trigger_flag n L j x Hx Hn) by assumption. destruct (Nat.eqb_spec i j); [lia|lra]. }
      (* content flags of the keys *)
      assert (Hc0 : forall k, (k < i - 1)%nat -> 0 <= x (k + 2)%nat (n - 1)%nat <= 1).
      { intros k Hk. rewrite (valid_content_flag n L j x Hx Hn) by lia. destruct (k + 2 =? j)%nat; lra. }
      assert (HiLR : INR (i - 1) <= INR L - 1).
      { replace (INR L - 1) with (INR (L - 1)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
      apply quiet_quotient; try (intros; left; apply sharp_positive).
      + apply sharp_positive.
      + (* trigger flag and noise *)
        intros Ef. apply Nat.eqb_neq in Ef. unfold K, sharp_kernel.
        destruct (Req_EM_T (x i 1%nat) 1) as [|_]; [lra|].
        destruct (Req_EM_T (bos 0%nat) 1) as [_|E]; [|rewrite bos_0 in E; lra].
        destruct (Req_EM_T (noise_size n (x i)) 0) as [_|_].
        * replace (eta * ((INR L - 2) * (1 - eta) / (2 * eta))) with ((INR L - 2) * (1 - eta) / 2) by (field; lra).
          apply Rle_trans with (INR (i - 1) * ((1 - eta) / 4)).
          -- apply sum_abs_le. intros k Hk. specialize (Hk0 k Hk).
             pose proof (valid_abs_le_1 n L j x Hx Hn (k + 2)%nat r ltac:(lia) ltac:(lia) Hr) as Habs.
             destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1); [lra|].
             assert (Hsmall : Rabs ((1 - eta) / 4 * x (k + 2)%nat r) <= (1 - eta) / 4).
             { rewrite Rabs_mult, Rabs_pos_eq by lra. rewrite <- (Rmult_1_r ((1 - eta) / 4)) at 2.
               apply Rmult_le_compat_l; lra. }
             destruct (Req_EM_T (noise_size n (x (k + 2)%nat)) 0) as [E0|_]; [|exact Hsmall].
             destruct (Req_EM_T (x (k + 2)%nat 1%nat) 1) as [_|E1]; [exact Hsmall|].
             assert (Hz : x (k + 2)%nat r = 0).
             { destruct (Nat.eq_dec r 0) as [->|R0]; [apply (valid_bos_flag n L j x Hx Hn); lia|].
               destruct (Nat.eq_dec r 1) as [->|R1].
               - rewrite (valid_trigger_flag n L j x Hx Hn) in E1 |- * by lia.
                 destruct (k + 2 =? j)%nat; [lra|reflexivity].
               - apply (noise_size_zero n); [assumption| |]; lia. }
             rewrite Hz, Rmult_0_r, Rabs_R0. lra.
          -- assert (0 <= (1 - eta) * (INR L - 1 - INR (i - 1))) by (apply Rmult_le_pos; lra).
             assert (0 <= (1 - eta) * (INR L - 3)) by (apply Rmult_le_pos; lra). lra.
        * replace (eta * ((INR L - 1) / eta)) with (INR L - 1) by (field; lra).
          apply Rle_trans with (INR (i - 1) * 1); [|lra].
          apply sum_abs_le. intros k Hk. specialize (Hk0 k Hk).
          destruct (Req_EM_T (x (k + 2)%nat 0%nat) 1); [lra|]. rewrite Rmult_1_l.
          apply (valid_abs_le_1 n L j x Hx Hn); lia.
      + (* content flag *)
        intros Et. apply Nat.eqb_eq in Et. rewrite Et. split.
        * apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [left; apply sharp_positive|]. now apply Hc0.
        * assert (Hw1 : forall k, (k < i - 1)%nat -> K (x i) (x (k + 2)%nat) <= 1).
          { intros k Hk. specialize (Hk0 k Hk). unfold K, sharp_kernel.
            destruct (Req_EM_T (x i 1%nat) 1) as [|_]; [lra|]. repeat destruct Req_EM_T; lra. }
          assert (Hterm : forall k, (k < i - 1)%nat ->
                    K (x i) (x (k + 2)%nat) * (x (k + 2)%nat (n - 1)%nat - eta)
                    <= (1 - eta) - (if (k =? j - 2)%nat then 1 - eta else 0)).
          { intros k Hk. specialize (Hw1 k Hk). pose proof (sharp_positive (x i) (x (k + 2)%nat)) as Hw0. fold K in Hw0.
            rewrite (valid_content_flag n L j x Hx Hn) by lia.
            destruct (Nat.eqb_spec (k + 2) j), (Nat.eqb_spec k (j - 2)); try lia.
            - assert (0 <= K (x i) (x (k + 2)%nat) * eta) by (apply Rmult_le_pos; lra). lra.
            - assert (0 <= (1 - K (x i) (x (k + 2)%nat)) * (1 - eta)) by (apply Rmult_le_pos; lra). lra. }
          apply Rle_trans with ((INR L - 2) * (1 - eta)).
          -- eapply Rle_trans; [apply sum_le; exact Hterm|]. rewrite sum_minus, sum_const.
             destruct (Nat.lt_ge_cases i j) as [Hij|Hij].
             ++ assert (Hi2 : INR (i - 1) <= INR L - 2).
                { replace (INR L - 2) with (INR (L - 2)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
                assert (0 <= (1 - eta) * (INR L - 2 - INR (i - 1))) by (apply Rmult_le_pos; lra).
                assert (0 <= sum (i - 1) (fun k => if (k =? j - 2)%nat then 1 - eta else 0)).
                { apply sum_nonneg. intros k _. destruct (k =? j - 2)%nat; lra. } lra.
             ++ rewrite (sum_single (i - 1) _ (j - 2)%nat); [|lia|].
                ** rewrite Nat.eqb_refl.
                   assert (0 <= (1 - eta) * (INR L - 1 - INR (i - 1))) by (apply Rmult_le_pos; lra). lra.
                ** intros k _ E. apply Nat.eqb_neq in E. now rewrite E.
          -- unfold K, sharp_kernel. destruct (Req_EM_T (x i 1%nat) 1) as [|_]; [lra|].
             destruct (Req_EM_T (bos 0%nat) 1) as [_|E]; [|rewrite bos_0 in E; lra].
             destruct (Req_EM_T (noise_size n (x i)) 0) as [_|_].
             ++ apply Req_le. field. lra.
             ++ replace (2 * eta * ((INR L - 1) / eta)) with (2 * (INR L - 1)) by (field; lra).
                assert (0 <= eta * (INR L - 2)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Sharp.

Theorem first_order_sharp : statement.first_order_sharp.
Proof.
  intros n L eta Hn HL [He He1].
  set (x := probe (constant_content n 0) (constant_trigger n 0) L).
  assert (Hc : is_content n (constant_content n 0)) by (apply constant_content_is_content; [assumption|lra]).
  assert (Hx : valid n L L x).
  { apply probe_valid; try lia; [assumption|apply constant_trigger_is_trigger; [assumption|lra]]. }
  exists (sharp_kernel n L eta), (sharp_value n eta), x, L, (L - 1)%nat.
  split; [now apply sharp_positive|]. split; [now apply sharp_sup_loss_le|].
  split; [exact Hx|]. do 2 (split; [lia|]).
  assert (HLR : 4 <= INR L) by (replace 4 with (INR 4) by (simpl; ring); now apply le_INR).
  assert (Hz : noise_size n (constant_content n 0) = 0) by apply noise_size_constant_content.
  assert (Hxk : forall k, (2 <= k)%nat -> (k < L)%nat -> x k = constant_content n 0).
  { intros k H2 Hk. unfold x, probe. destruct (Nat.eqb_spec k 1); [lia|]. destruct (Nat.eqb_spec k L); [lia|reflexivity]. }
  unfold bos_attention, kernel_attention. rewrite possum_first by lia.
  rewrite (first_is_bos _ _ _ _ Hx). rewrite (Hxk (L - 1)%nat) by lia.
  set (q := constant_content n 0) in *.
  assert (Hq1 : q 1%nat = 0) by reflexivity. assert (Hq0 : q 0%nat = 0) by reflexivity.
  assert (HB : sharp_kernel n L eta q bos = (INR L - 2) * (1 - eta) / (2 * eta)).
  { unfold sharp_kernel. rewrite Hq1, Hz. destruct (Req_EM_T 0 1); [lra|]. destruct (Req_EM_T 0 0); [|lra].
    rewrite bos_0. destruct (Req_EM_T 1 1); [reflexivity|lra]. }
  assert (HQ : sharp_kernel n L eta q q = 1).
  { unfold sharp_kernel. rewrite Hq1, Hq0, Hz. destruct (Req_EM_T 0 1); [lra|]. destruct (Req_EM_T 0 0); [|lra]. reflexivity. }
  rewrite (sum_ext _ _ (fun _ => 1)).
  2:{ intros k Hk. rewrite Hxk by lia. exact HQ. }
  rewrite sum_const, HB. replace (INR (L - 1 - 1)) with (INR L - 2).
  2:{ replace (L - 1 - 1)%nat with (L - 2)%nat by lia. rewrite minus_INR by lia. reflexivity. }
  field. assert (0 < (INR L - 2) * (1 + eta)) by (apply Rmult_lt_0_compat; lra). repeat split; lra.
Qed.

Print Assumptions first_order_sharp.
