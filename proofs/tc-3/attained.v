(** * tc-3: 4 eta is attained, so it is the exact worst case

    The model: V BOS = -eta in both flags, V diagonal, (1-2 eta)(1-eta) on the trigger flag and 1-eta on the rest;
    row 4 after a trigger at 3, tokens without noise, has mass 4 eta off BOS.  Its weights ask whether the noise of
    x_2 and x_3 is 0: discontinuous, no softmax.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-3 Claim attained.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task noise_free row_normalised_core row_normalised_exact.
From Claim Require Import statement worst_case.
Open Scope R_scope.

(** V: diagonal (0, (1-2 eta)(1-eta), 1-eta, .., 1-eta), and V BOS = -eta in the two other flags. *)
Definition worst_diagonal (eta : R) (r : nat) : R :=
  if (r =? 0)%nat then 0 else if (r =? 1)%nat then (1 - 2 * eta) * (1 - eta) else 1 - eta.

Definition worst_bos (n : nat) (eta : R) (r : nat) : R :=
  if (r =? 1)%nat then - eta else if (r =? n - 1)%nat then - eta else 0.

Definition worst_value (n : nat) (eta : R) : matrix :=
  fun r c => if (c =? 0)%nat then worst_bos n eta r else if (r =? c)%nat then worst_diagonal eta r else 0.

Lemma worst_value_apply n eta y r :
  (4 <= n)%nat -> (r < n)%nat ->
  linear_value n (worst_value n eta) y r = worst_bos n eta r * y 0%nat + worst_diagonal eta r * y r.
Proof.
  intros Hn Hr. unfold linear_value, worst_value.
  destruct (Nat.eq_dec r 0) as [->|E].
  - rewrite (sum_single n _ 0%nat); [|lia|].
    + cbn [Nat.eqb]. unfold worst_diagonal. cbn [Nat.eqb]. ring.
    + intros k _ Hk. apply Nat.eqb_neq in Hk. rewrite Hk. rewrite Nat.eqb_sym, Hk. ring.
  - rewrite (sum_two n _ 0%nat r); try lia.
    + apply Nat.eqb_neq in E. cbn [Nat.eqb]. rewrite E, Nat.eqb_refl. reflexivity.
    + intros k _ K0 Kr. apply Nat.eqb_neq in K0. rewrite K0.
      apply not_eq_sym, Nat.eqb_neq in Kr. rewrite Kr. ring.
Qed.

(** The noise of x_2 and x_3. *)
Definition early_noise (n : nat) (x : sequence) : R := noise_size n (x 2%nat) + noise_size n (x 3%nat).

Lemma early_noise_zero n x r :
  early_noise n x = 0 -> (2 <= r)%nat -> (r <= n - 2)%nat -> x 2%nat r = 0 /\ x 3%nat r = 0.
Proof.
  unfold early_noise. intros H H2 Hr.
  pose proof (noise_size_nonneg n (x 2%nat)). pose proof (noise_size_nonneg n (x 3%nat)).
  split; apply (noise_size_zero n); auto; lra.
Qed.

(** Trigger rows read the mean, slightly tilted at j = 3; row 4 after a trigger at 3, when the first two
    tokens have no noise, gives them 4 eta in all; every other row looks at BOS only. *)
Definition worst_attention (n : nat) (eta : R) : attention :=
  fun x i k =>
    if Req_EM_T (x i 1%nat) 1 then
      if (i =? 3)%nat then
        if (k =? 1)%nat then 0 else if (k =? 2)%nat then (/ 2 - eta) / (1 - eta) else / (2 * (1 - eta))
      else if (k =? 1)%nat then 0 else / INR (i - 1)
    else if (i =? 4)%nat then
      if Req_EM_T (x 3%nat 1%nat) 1 then
        if Req_EM_T (early_noise n x) 0 then
          if (k =? 1)%nat then 1 - 4 * eta
          else if (k =? 2)%nat then 2 * eta * (1 - 2 * eta) / (1 - eta)
          else if (k =? 3)%nat then 2 * eta / (1 - eta) else 0
        else if (k =? 1)%nat then 1 else 0
      else if (k =? 1)%nat then 1 else 0
    else if (k =? 1)%nat then 1 else 0.

Lemma bos_only_sum i f : (1 <= i)%nat -> possum i (fun k => (if (k =? 1)%nat then 1 else 0) * f k) = f 1%nat.
Proof.
  intros Hi. rewrite possum_first by assumption. cbn [Nat.eqb].
  rewrite sum_zero; [ring|]. intros k _. destruct (Nat.eqb_spec (k + 2) 1); [lia|ring].
Qed.

Lemma possum_three (f : nat -> R) : possum 3 f = f 1%nat + f 2%nat + f 3%nat.
Proof. unfold possum. cbn [sum]. ring. Qed.

Lemma possum_four (f : nat -> R) : possum 4 f = f 1%nat + f 2%nat + f 3%nat + f 4%nat.
Proof. unfold possum. cbn [sum]. ring. Qed.

Section Attained.
  Context (n L : nat) (eta : R) (Hn : (4 <= n)%nat) (HL : (4 <= L)%nat) (He : 0 <= eta) (Heta : eta <= / 4).

  Lemma worst_row_stochastic : row_stochastic n L (worst_attention n eta).
  Proof using Hn HL He Heta.
    intros x j Hx i Hi HiL. pose proof (trigger_from_3 _ _ _ _ Hx) as H3.
    assert (Hp : 0 < 1 - eta) by lra.
    assert (Hinv : 0 < / (1 - eta)) by (now apply Rinv_0_lt_compat).
    assert (Hbos : (forall k : nat, (1 <= k)%nat -> (k <= i)%nat -> 0 <= (if (k =? 1)%nat then 1 else 0)) /\
                   possum i (fun k => if (k =? 1)%nat then 1 else 0) = 1).
    { split; [intros k _ _; destruct (k =? 1)%nat; lra|].
      transitivity (possum i (fun k => (if (k =? 1)%nat then 1 else 0) * 1)).
      - apply possum_ext. intros k _ _. ring.
      - now rewrite (bos_only_sum i (fun _ => 1)). }
    unfold worst_attention. destruct (Req_EM_T (x i 1%nat) 1) as [Et|Et].
    - assert (Ei : i = j).
      { destruct (Nat.eq_dec i j) as [|E]; [assumption|exfalso].
        destruct (Nat.eq_dec i 1) as [->|E1].
        - rewrite (first_is_bos _ _ _ _ Hx) in Et. unfold bos in Et. cbn [Nat.eqb] in Et. lra.
        - pose proof (content_trigger_flag n _ (content_elsewhere _ _ _ _ Hx i ltac:(lia) HiL E)) as T.
          unfold trigger_flag in T. lra. }
      destruct (Nat.eqb_spec i 3) as [->|E3].
      + split.
        * intros k _ _. destruct (k =? 1)%nat; [lra|]. destruct (k =? 2)%nat.
          -- apply Rmult_le_pos; lra.
          -- left. apply Rinv_0_lt_compat. lra.
        * rewrite possum_three. cbn [Nat.eqb]. field. lra.
      + assert (HI : 0 < INR (i - 1)) by (apply lt_0_INR; lia).
        split.
        * intros k _ _. destruct (k =? 1)%nat; [lra|]. left. now apply Rinv_0_lt_compat.
        * rewrite possum_first by assumption. cbn [Nat.eqb].
          rewrite (sum_ext _ _ (fun _ => / INR (i - 1))).
          -- rewrite sum_const. field. lra.
          -- intros k _. destruct (Nat.eqb_spec (k + 2) 1); [lia|reflexivity].
    - destruct (Nat.eqb_spec i 4) as [->|]; [|exact Hbos].
      destruct (Req_EM_T (x 3%nat 1%nat) 1); [|exact Hbos].
      destruct (Req_EM_T (early_noise n x) 0); [|exact Hbos].
      split.
      + intros k _ _. destruct (k =? 1)%nat; [lra|]. destruct (k =? 2)%nat.
        * repeat apply Rmult_le_pos; lra.
        * destruct (k =? 3)%nat; [|lra]. repeat apply Rmult_le_pos; lra.
      + rewrite possum_four. cbn [Nat.eqb]. field. lra.
  Qed.

  (** The four kinds of coordinates. *)
  Lemma coordinates r :
    (r < n)%nat -> r = 0%nat \/ r = 1%nat \/ ((2 <= r)%nat /\ (r <= n - 2)%nat) \/ r = (n - 1)%nat.
  Proof using Hn. clear HL. lia. Qed.

  Lemma worst_sup_loss_le :
    sup_loss_le n L (head (worst_attention n eta) (linear_value n (worst_value n eta))) eta.
  Proof using Hn HL He Heta.
    intros x j Hx i r Hi HiL Hr.
    pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
    assert (Hb : Rabs (linear_value n (worst_value n eta) bos r) <= eta).
    { rewrite worst_value_apply by assumption. rewrite bos_0. unfold worst_bos, worst_diagonal.
      destruct (Nat.eqb_spec r 0) as [->|E0].
      - change (0 =? 1)%nat with false. cbv iota. destruct (Nat.eqb_spec 0 (n - 1)); [lia|]. apply Rabs_le. lra.
      - rewrite bos_pos by lia. destruct (r =? 1)%nat, (r =? n - 1)%nat; apply Rabs_le; lra. }
    assert (Hquiet : i <> j ->
              Rabs (possum i (fun k => (if (k =? 1)%nat then 1 else 0) *
                      linear_value n (worst_value n eta) (x k) r) - target j x i r) <= eta).
    { intros E. rewrite target_off_trigger, Rminus_0_r by assumption.
      rewrite (bos_only_sum i (fun k => linear_value n (worst_value n eta) (x k) r)) by assumption.
      now rewrite (first_is_bos _ _ _ _ Hx). }
    unfold head, worst_attention. destruct (Req_EM_T (x i 1%nat) 1) as [Et|Et].
    - assert (Ei : i = j).
      { destruct (Nat.eq_dec i j) as [|E]; [assumption|exfalso].
        destruct (Nat.eq_dec i 1) as [->|E1].
        - rewrite (first_is_bos _ _ _ _ Hx) in Et. unfold bos in Et. cbn [Nat.eqb] in Et. lra.
        - pose proof (content_trigger_flag n _ (content_elsewhere _ _ _ _ Hx i ltac:(lia) HiL E)) as T.
          unfold trigger_flag in T. lra. }
      subst i.
      assert (Hval : forall k, (2 <= k)%nat -> (k <= L)%nat ->
                linear_value n (worst_value n eta) (x k) r = worst_diagonal eta r * x k r).
      { intros k K2 KL. rewrite worst_value_apply, (valid_bos_flag n L j x Hx Hn) by assumption. ring. }
      destruct (Nat.eqb_spec j 3) as [->|E3].
      + rewrite possum_three. cbn [Nat.eqb]. rewrite (Hval 2%nat), (Hval 3%nat) by lia.
        unfold target, mean_from_2. cbn [Nat.eqb]. cbn [sum Nat.sub Nat.add]. simpl (INR 2).
        assert (A2 : Rabs (x 2%nat r) <= 1) by (apply (valid_abs_le_1 n L 3 x Hx Hn); lia).
        apply abs_bounds in A2. unfold worst_diagonal.
        destruct (coordinates r Hr) as [->|[->|[[R2 Rn]| ->]]].
        * cbn [Nat.eqb]. rewrite !(valid_bos_flag n L 3 x Hx Hn) by lia. apply Rabs_le. lra.
        * cbn [Nat.eqb]. rewrite !(valid_trigger_flag n L 3 x Hx Hn) by lia. cbn [Nat.eqb].
          replace (0 * linear_value n (worst_value n eta) (x 1%nat) 1%nat +
             (/ 2 - eta) / (1 - eta) * ((1 - 2 * eta) * (1 - eta) * 0) +
             / (2 * (1 - eta)) * ((1 - 2 * eta) * (1 - eta) * 1) - (0 + 0 + 1) / (1 + 1)) with (- eta)
            by (field; lra).
          apply Rabs_le. lra.
        * destruct (Nat.eqb_spec r 0); [lia|]. destruct (Nat.eqb_spec r 1); [lia|].
          replace (0 * linear_value n (worst_value n eta) (x 1%nat) r +
             (/ 2 - eta) / (1 - eta) * ((1 - eta) * x 2%nat r) +
             / (2 * (1 - eta)) * ((1 - eta) * x 3%nat r) - (0 + x 2%nat r + x 3%nat r) / (1 + 1))
            with (- eta * x 2%nat r) by (field; lra).
          rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq eta) by assumption.
          rewrite <- (Rmult_1_r eta) at 2. apply Rmult_le_compat_l; [assumption|]. now apply Rabs_le.
        * destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
          rewrite !(valid_content_flag n L 3 x Hx Hn) by lia. cbn [Nat.eqb].
          replace (0 * linear_value n (worst_value n eta) (x 1%nat) (n - 1)%nat +
             (/ 2 - eta) / (1 - eta) * ((1 - eta) * 1) +
             / (2 * (1 - eta)) * ((1 - eta) * 0) - (0 + 1 + 0) / (1 + 1)) with (- eta) by (field; lra).
          apply Rabs_le. lra.
      + rewrite possum_first by assumption. cbn [Nat.eqb].
        assert (HJ3 : 3 <= INR (j - 1)) by (replace 3 with (INR 3) by (simpl; ring); apply le_INR; lia).
        rewrite (sum_ext _ _ (fun k => worst_diagonal eta r * / INR (j - 1) * x (k + 2)%nat r)).
        2:{ intros k Hk. destruct (Nat.eqb_spec (k + 2) 1); [lia|]. rewrite Hval by lia. ring. }
        rewrite sum_scal.
        assert (Em : sum (j - 1) (fun k => x (k + 2)%nat r) = INR (j - 1) * target j x j r).
        { unfold target, mean_from_2. rewrite Nat.eqb_refl. field. lra. }
        rewrite Em. set (m := target j x j r) in *.
        replace (0 * linear_value n (worst_value n eta) (x 1%nat) r +
                 worst_diagonal eta r * / INR (j - 1) * (INR (j - 1) * m) - m)
          with (- ((1 - worst_diagonal eta r) * m)) by (field; lra).
        rewrite Rabs_Ropp.
        assert (Hm : Rabs m <= 1).
        { apply (Rmult_le_reg_l (INR (j - 1))); [lra|].
          rewrite <- (Rabs_pos_eq (INR (j - 1))) at 1 by lra. rewrite <- Rabs_mult, <- Em, Rmult_1_r.
          now apply (valid_sum_abs_le n L j x Hx Hn). }
        unfold worst_diagonal. destruct (coordinates r Hr) as [->|[->|[[R2 Rn]| ->]]].
        * cbn [Nat.eqb]. replace m with 0.
          -- rewrite Rmult_0_r, Rabs_R0. assumption.
          -- assert (S0 : sum (j - 1) (fun k => x (k + 2)%nat 0%nat) = 0).
             { apply sum_zero. intros k Hk. apply (valid_bos_flag n L j x Hx Hn); lia. }
             rewrite Em in S0. apply Rmult_integral in S0. destruct S0; lra.
        * cbn [Nat.eqb]. unfold m. rewrite (target_trigger_flag n L j x Hx Hn).
          assert (Hi3 : 0 < / INR (j - 1)) by (apply Rinv_0_lt_compat; lra).
          assert (Hi3' : / INR (j - 1) <= / 3) by (apply Rinv_le_contravar; lra).
          assert (H0 : 0 <= eta * (1 - 4 * eta)) by (apply Rmult_le_pos; lra).
          assert (H1 : 0 <= 1 - (1 - 2 * eta) * (1 - eta)) by lra.
          assert (H2 : 0 <= (1 - (1 - 2 * eta) * (1 - eta)) * (/ 3 - / INR (j - 1))) by (apply Rmult_le_pos; lra).
          assert (H4 : 0 <= (1 - (1 - 2 * eta) * (1 - eta)) * / INR (j - 1)) by (apply Rmult_le_pos; lra).
          assert (H5 : 0 <= eta * eta) by (apply Rmult_le_pos; lra).
          unfold Rdiv. rewrite Rmult_1_l. apply Rabs_le. lra.
        * destruct (Nat.eqb_spec r 0); [lia|]. destruct (Nat.eqb_spec r 1); [lia|].
          replace (1 - (1 - eta)) with eta by ring. rewrite Rabs_mult, (Rabs_pos_eq eta) by assumption.
          rewrite <- (Rmult_1_r eta) at 2. now apply Rmult_le_compat_l.
        * destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
          replace (1 - (1 - eta)) with eta by ring. rewrite Rabs_mult, (Rabs_pos_eq eta) by assumption.
          rewrite <- (Rmult_1_r eta) at 2. now apply Rmult_le_compat_l.
    - assert (Eij : i <> j).
      { intros ->. apply Et. pose proof (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx)) as T.
        unfold trigger_flag in T. exact T. }
      destruct (Nat.eqb_spec i 4) as [->|]; [|now apply Hquiet].
      destruct (Req_EM_T (x 3%nat 1%nat) 1) as [E31|]; [|now apply Hquiet].
      destruct (Req_EM_T (early_noise n x) 0) as [E0|]; [|now apply Hquiet].
      assert (Ej : j = 3%nat).
      { destruct (Nat.eq_dec j 3) as [|E]; [assumption|exfalso].
        rewrite (valid_trigger_flag n L j x Hx Hn) in E31 by lia.
        destruct (Nat.eqb_spec 3 j); [lia|lra]. }
      subst j. rewrite target_off_trigger, Rminus_0_r by lia.
      rewrite possum_four. cbn [Nat.eqb].
      rewrite !worst_value_apply by assumption. rewrite (first_is_bos _ _ _ _ Hx), bos_0.
      rewrite !(valid_bos_flag n L 3 x Hx Hn) by lia.
      assert (Hp : 0 <= eta * (1 - 4 * eta)) by (apply Rmult_le_pos; lra).
      unfold worst_bos, worst_diagonal. destruct (coordinates r Hr) as [->|[->|[[R2 Rn]| ->]]].
      + change (0 =? 1)%nat with false. change (0 =? 0)%nat with true. cbv iota.
        destruct (Nat.eqb_spec 0 (n - 1)); [lia|]. apply Rabs_le. lra.
      + cbn [Nat.eqb]. rewrite !(valid_trigger_flag n L 3 x Hx Hn) by lia. rewrite bos_pos by lia. cbn [Nat.eqb].
        match goal with |- Rabs ?e <= _ => replace e with eta by (field; lra) end.
        rewrite Rabs_pos_eq; lra.
      + destruct (Nat.eqb_spec r 0); [lia|]. destruct (Nat.eqb_spec r 1); [lia|].
        destruct (Nat.eqb_spec r (n - 1)); [lia|].
        destruct (early_noise_zero n x r E0 R2 Rn) as [-> ->]. rewrite bos_pos by lia.
        match goal with |- Rabs ?e <= _ => replace e with 0 by ring end. rewrite Rabs_R0. assumption.
      + destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
        rewrite Nat.eqb_refl. rewrite !(valid_content_flag n L 3 x Hx Hn) by lia. rewrite bos_pos by lia.
        cbn [Nat.eqb].
        match goal with |- Rabs ?e <= _ => replace e with eta by (field; lra) end.
        rewrite Rabs_pos_eq; lra.
  Qed.
End Attained.

Theorem worst_case_attained : statement.worst_case_attained.
Proof.
  intros n L eta Hn HL [He Heta].
  set (x := probe (constant_content n 0) (constant_trigger n 0) 3).
  assert (Hx : valid n L 3 x).
  { apply probe_valid; try lia; [apply constant_content_is_content|apply constant_trigger_is_trigger]; lra || lia. }
  exists (worst_attention n eta), (worst_value n eta), x, 3%nat, 4%nat.
  split; [now apply worst_row_stochastic|]. split; [now apply worst_sup_loss_le|].
  split; [exact Hx|]. do 3 (split; [lia|]).
  unfold bos_attention, worst_attention.
  destruct (Req_EM_T (x 4%nat 1%nat) 1) as [E|_].
  { rewrite (valid_trigger_flag n L 3 x Hx Hn) in E by lia. cbn [Nat.eqb] in E. lra. }
  cbn [Nat.eqb]. destruct (Req_EM_T (x 3%nat 1%nat) 1) as [_|E].
  2:{ exfalso. apply E. now rewrite (valid_trigger_flag n L 3 x Hx Hn) by lia. }
  destruct (Req_EM_T (early_noise n x) 0) as [_|E]; [reflexivity|exfalso].
  apply E. unfold early_noise.
  change (x 2%nat) with (constant_content n 0). change (x 3%nat) with (constant_trigger n 0).
  rewrite noise_size_constant_content, noise_size_constant_trigger. ring.
Qed.

Theorem worst_case_exact : statement.worst_case_exact.
Proof.
  intros n L eta Hn HL He Heta.
  assert (Hatt : off_bos_mass n L eta (4 * eta)).
  { destruct (worst_case_attained n L eta Hn HL) as (a & V & x & j & i & A & B & C & E & F & G & H).
    - split; [assumption|]. pose proof (trigger_gap_bounds L HL) as [HD HD2].
      assert (0 <= eta * trigger_gap L) by (apply Rmult_le_pos; lra). lra.
    - exists a, V, x, j, i. repeat (split; [assumption|]). lra. }
  split; [|exact Hatt]. split.
  - intros s (a & V & x & j & i & A & B & C & E & F & G & ->).
    pose proof (worst_case n L L a V eta Hn HL (le_n L) A Heta B x j i C E F G). lra.
  - intros b Hb. now apply Hb.
Qed.

Print Assumptions worst_case_attained.
Print Assumptions worst_case_exact.
