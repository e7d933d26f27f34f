(** * tc-9: what four noise layers do to their coordinate

    Lemmas for deep.v.  On rows that are not the trigger's layers 1 and 2 cancel exactly, and layers 0 and 3 up to
    decay, for the trigger's key alone.  At the trigger the BOS flag takes the mean m of the noise coordinate over
    2..j; layer 1 adds 2 (1 + m) (the key is itself), layer 2 takes 2 + m away (BOS and itself, half each), so m
    is left; layer 3 averages uniformly over 1..j, which is m again, and clears the BOS flag.  The errors do not
    grow from group to group: a rest z_j0 of the BOS flag is multiplied by 1 - 1/j. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task anchored_values residual_stack.
From Claim Require Import deep_statement deep_layers.
Open Scope R_scope.

Section Group.
  Context (n L j : nat) (x : sequence) (Lam : R).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x).
  Notation e := (decay Lam).
  Notation wt := (w n x Lam).
  Context (Hsmall : 16 * INR L * e <= 1).

  (** The group's coordinate and its input. *)
  Context (r : nat) (Hr2 : (2 <= r)%nat) (Hrn : (r <= n - 2)%nat) (z : sequence).
  Context (Hflag : flagged n L j z) (Hbos : z 1%nat 0%nat = 1)
          (Hnoise : forall i, (1 <= i)%nat -> (i <= L)%nat -> z i r = x i r)
          (Hbefore : forall i, (2 <= i)%nat -> (i < j)%nat -> z i 0%nat = 0)
          (Hrest : Rabs (z j 0%nat) <= 16 * INR L * e).

  Definition step (q : nat) (y : sequence) : sequence := residual_layer n (noise_layer n Lam r q) y.

  (** A layer of values u v^T changes the coordinates of u alone. *)
  Lemma step_write q y i a :
    step q y i a
    = y i a + match q with
              | 0%nat => flags n 1 0 0 a * average i (weights (noise_layer n Lam r q) 0 y i) (fun k => y k r)
              | 1%nat => noise_at r 2 a * average i (weights (noise_layer n Lam r q) 0 y i) (fun k => y k 0%nat + y k 1%nat)
              | 2%nat => noise_at r (-2) a * average i (weights (noise_layer n Lam r q) 0 y i) (fun k => y k 0%nat + y k 1%nat)
              | _ => flags n (-1) 0 0 a * average i (weights (noise_layer n Lam r q) 0 y i) (fun k => y k r)
              end.
  Proof using Hn Hr2 Hrn.
    unfold step. destruct q as [|[|[|q]]]; cbn [noise_layer]; rewrite outer_step; do 2 f_equal;
      apply average_ext; try reflexivity; intros k _ _;
      rewrite ?dot_flags, ?dot_noise by lia; ring.
  Qed.

  Lemma step_other q y i a : a <> 0%nat -> a <> r -> step q y i a = y i a.
  Proof using Hn Hr2 Hrn.
    intros H0 Hr. rewrite step_write. unfold flags, noise_at.
    destruct (Nat.eqb_spec a 0); [lia|]. destruct (Nat.eqb_spec a r); [lia|].
    destruct q as [|[|[|q]]]; destruct (a =? 1)%nat; destruct (a =? n - 1)%nat; ring.
  Qed.

  Lemma step_flagged q y : flagged n L j y -> flagged n L j (step q y).
  Proof using Hn Hr2 Hrn.
    intros H i H1 Hi. rewrite !step_other by lia. now apply H.
  Qed.

  (** The written coordinates, with the weights of the input. *)
  Lemma step_bos q y i c :
    (q = 0%nat /\ c = 1) \/ (q = 3%nat /\ c = -1) -> flagged n L j y -> (1 <= i)%nat -> (i <= L)%nat ->
    step q y i 0%nat = y i 0%nat + c * average i (wt q i) (fun k => y k r) /\ step q y i r = y i r.
  Proof using Hn Hx Hr2 Hrn.
    intros Hq Hy H1 Hi.
    assert (E : average i (weights (noise_layer n Lam r q) 0 y i) (fun k => y k r) = average i (wt q i) (fun k => y k r)).
    { apply average_ext; [|reflexivity]. intros. now apply (noise_weights n L j). }
    rewrite !step_write, E. unfold flags. cbn [Nat.eqb].
    destruct (Nat.eqb_spec r 0); [lia|]. destruct (Nat.eqb_spec r 1); [lia|]. destruct (Nat.eqb_spec r (n - 1)); [lia|].
    destruct Hq as [[-> ->]|[-> ->]]; split; ring.
  Qed.

  Lemma step_noise q y i c :
    (q = 1%nat /\ c = 2) \/ (q = 2%nat /\ c = -2) -> flagged n L j y -> (1 <= i)%nat -> (i <= L)%nat ->
    step q y i r = y i r + c * average i (wt q i) (fun k => y k 0%nat + y k 1%nat)
    /\ step q y i 0%nat = y i 0%nat.
  Proof using Hn Hx Hr2 Hrn.
    intros Hq Hy H1 Hi.
    assert (E : average i (weights (noise_layer n Lam r q) 0 y i) (fun k => y k 0%nat + y k 1%nat)
                = average i (wt q i) (fun k => y k 0%nat + y k 1%nat)).
    { apply average_ext; [|reflexivity]. intros. now apply (noise_weights n L j). }
    rewrite !step_write, E. unfold noise_at. rewrite Nat.eqb_refl.
    destruct (Nat.eqb_spec 0 r); [lia|]. destruct Hq as [[-> ->]|[-> ->]]; split; ring.
  Qed.

  Definition z1 := step 0 z.
  Definition z2 := step 1 z1.
  Definition z3 := step 2 z2.
  Definition z4 := step 3 z3.

  (** What layer 0 writes at row i. *)
  Definition taken (i : nat) : R := average i (wt 0 i) (fun k => x k r).

  Lemma z1_flagged : flagged n L j z1. Proof using Hn Hr2 Hrn Hflag. now apply step_flagged. Qed.
  Lemma z2_flagged : flagged n L j z2. Proof using Hn Hr2 Hrn Hflag. now apply step_flagged, z1_flagged. Qed.
  Lemma z3_flagged : flagged n L j z3. Proof using Hn Hr2 Hrn Hflag. now apply step_flagged, z2_flagged. Qed.

  Lemma z1_bos i : (1 <= i)%nat -> (i <= L)%nat -> z1 i 0%nat = z i 0%nat + taken i.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi. destruct (step_bos 0 z i 1 (or_introl (conj eq_refl eq_refl)) Hflag H1 Hi) as [E _].
    unfold z1, taken. rewrite E, Rmult_1_l. f_equal. apply average_ext; [reflexivity|].
    intros. apply Hnoise; lia.
  Qed.

  (** What layers 1 and 2 add to the noise coordinate. *)
  Definition change (i : nat) : R :=
    2 * average i (wt 1 i) (fun k => z1 k 0%nat + z1 k 1%nat) - 2 * average i (wt 2 i) (fun k => z1 k 0%nat + z1 k 1%nat).

  Lemma z3_noise i : (1 <= i)%nat -> (i <= L)%nat -> z3 i r = x i r + change i.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi.
    destruct (step_noise 2 z2 i (-2) (or_intror (conj eq_refl eq_refl)) z2_flagged H1 Hi) as [E3 _].
    destruct (step_noise 1 z1 i 2 (or_introl (conj eq_refl eq_refl)) z1_flagged H1 Hi) as [E2 _].
    destruct (step_bos 0 z i 1 (or_introl (conj eq_refl eq_refl)) Hflag H1 Hi) as [_ E1].
    change (z3 i r = z2 i r + -2 * average i (wt 2 i) (fun k => z2 k 0%nat + z2 k 1%nat)) in E3.
    change (z2 i r = z1 i r + 2 * average i (wt 1 i) (fun k => z1 k 0%nat + z1 k 1%nat)) in E2.
    change (z1 i r = z i r) in E1. rewrite E3, E2, E1, Hnoise by assumption.
    replace (average i (wt 2 i) (fun k => z2 k 0%nat + z2 k 1%nat))
      with (average i (wt 2 i) (fun k => z1 k 0%nat + z1 k 1%nat)).
    - unfold change. ring.
    - apply average_ext; [reflexivity|]. intros k Hk Hki. unfold z2.
      destruct (step_noise 1 z1 k 2 (or_introl (conj eq_refl eq_refl)) z1_flagged Hk ltac:(lia)) as [_ ->].
      rewrite step_other by lia. reflexivity.
  Qed.

  Lemma z4_bos i :
    (1 <= i)%nat -> (i <= L)%nat ->
    z4 i 0%nat = z i 0%nat + taken i - average i (wt 3 i) (fun k => x k r + change k).
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi.
    destruct (step_bos 3 z3 i (-1) (or_intror (conj eq_refl eq_refl)) z3_flagged H1 Hi) as [E4 _].
    destruct (step_noise 2 z2 i (-2) (or_intror (conj eq_refl eq_refl)) z2_flagged H1 Hi) as [_ E3].
    destruct (step_noise 1 z1 i 2 (or_introl (conj eq_refl eq_refl)) z1_flagged H1 Hi) as [_ E2].
    change (z4 i 0%nat = z3 i 0%nat + -1 * average i (wt 3 i) (fun k => z3 k r)) in E4.
    change (z3 i 0%nat = z2 i 0%nat) in E3. change (z2 i 0%nat = z1 i 0%nat) in E2.
    rewrite E4, E3, E2, z1_bos by assumption.
    replace (average i (wt 3 i) (fun k => z3 k r)) with (average i (wt 3 i) (fun k => x k r + change k)).
    - ring.
    - apply average_ext; [reflexivity|]. intros. rewrite z3_noise by lia. reflexivity.
  Qed.

  Lemma z4_noise i : (1 <= i)%nat -> (i <= L)%nat -> z4 i r = x i r + change i.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi.
    destruct (step_bos 3 z3 i (-1) (or_intror (conj eq_refl eq_refl)) z3_flagged H1 Hi) as [_ E4].
    unfold z4. now rewrite E4, z3_noise.
  Qed.

  Lemma z4_other i a : a <> 0%nat -> a <> r -> z4 i a = z i a.
  Proof using Hn Hr2 Hrn. intros H0 Hr. unfold z4, z3, z2, z1. now rewrite !step_other. Qed.

  (** ** Rows that are not the trigger's *)

  Lemma quiet_change i : (1 <= i)%nat -> (i <= L)%nat -> i <> j -> change i = 0.
  Proof using Hn Hx.
    intros H1 Hi E. unfold change.
    rewrite (average_ext i (wt 1 i) (wt 2 i) _ (fun k => z1 k 0%nat + z1 k 1%nat)); [ring| |reflexivity].
    intros k Hk Hki. rewrite (w_quiet n L j x Lam Hn Hx 1), (w_quiet n L j x Lam Hn Hx 2) by assumption.
    reflexivity.
  Qed.

  Lemma quiet_bos i :
    (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
    z4 i 0%nat = z i 0%nat - (if (j <=? i)%nat then wt 3 i j * change j else 0).
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi E. pose proof (trigger_from_3 _ _ _ _ Hx). rewrite z4_bos by assumption. unfold taken.
    rewrite (average_ext i (wt 0 i) (wt 3 i) _ (fun k => x k r)); [|intros; apply (w_quiet n L j); assumption|reflexivity].
    destruct (Nat.leb_spec j i) as [Hji|Hij].
    - pose proof (average_differs_at i (wt 3 i) (fun k => x k r + change k) (fun k => x k r) j ltac:(lia) Hji) as D.
      cbv beta in D. assert (Hd : forall k, (1 <= k)%nat -> (k <= i)%nat -> k <> j -> x k r + change k = x k r).
      { intros k Hk Hki Hkj. rewrite quiet_change by lia. ring. }
      specialize (D Hd). lra.
    - rewrite (average_ext i (wt 3 i) (wt 3 i) (fun k => x k r + change k) (fun k => x k r)); [ring|reflexivity|].
      intros k Hk Hki. rewrite quiet_change by lia. ring.
  Qed.

  (** ** The trigger's row *)

  Lemma input_size k : (1 <= k)%nat -> (k <= L)%nat -> Rabs (x k r) <= 1.
  Proof using Hn Hx Hr2 Hrn.
    intros H1 Hk. destruct (Nat.eq_dec k 1) as [->|E].
    - rewrite (first_is_bos _ _ _ _ Hx), bos_pos, Rabs_R0 by lia. lra.
    - apply (valid_abs_le_1 n L j x Hx Hn); lia.
  Qed.

  Lemma taken_size i : (1 <= i)%nat -> (i <= L)%nat -> Rabs (taken i) <= 1.
  Proof using Hn Hx Hr2 Hrn.
    intros H1 Hi. apply average_size; [now apply (w_weights n L j)|]. intros. apply input_size; lia.
  Qed.

  Lemma e_pos : 0 < e.
  Proof using. apply exp_pos. Qed.

  Lemma j_real : 2 <= INR (j - 1) /\ INR j = INR (j - 1) + 1 /\ INR (j - 2) = INR (j - 1) - 1 /\ INR (j - 1) <= INR L - 1.
  Proof using Hn Hx Hr2 Hrn.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    rewrite !minus_INR by lia. change (INR 1) with 1. change (INR 2) with 2.
    assert (3 <= INR j) by (apply (le_INR 3) in H; simpl in H; lra). apply le_INR in H0. lra.
  Qed.

  (** BOS plus trigger flag above layer 0. *)
  Definition sight (k : nat) : R := z1 k 0%nat + z1 k 1%nat.

  Lemma sight_values :
    sight 1 = 1 /\ (forall k, (2 <= k)%nat -> (k < j)%nat -> Rabs (sight k) <= 1) /\
    sight j = 1 + z j 0%nat + taken j.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise Hbos Hbefore.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx). unfold sight.
    assert (F : forall k, (1 <= k)%nat -> (k <= L)%nat -> z1 k 1%nat = is_trigger_key j k).
    { intros k H1 Hk. apply z1_flagged; assumption. }
    split; [|split].
    - rewrite z1_bos, F, Hbos by lia. unfold taken, average, possum. cbn [sum].
      rewrite (first_is_bos _ _ _ _ Hx), bos_pos by lia. keys.
    - intros k H2 Hk. rewrite z1_bos, F, Hbefore by lia.
      replace (0 + taken k + is_trigger_key j k) with (taken k) by keys. apply taken_size; lia.
    - rewrite z1_bos, F by lia. keys.
  Qed.

  Lemma trigger_change : Rabs (change j - (z j 0%nat + taken j)) <= (16 * INR L - 24) * e.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise Hbos Hbefore Hrest Hsmall.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    destruct sight_values as (S1 & Sk & Sj). destruct j_real as (J2 & _ & Jm & JL). pose proof e_pos as He.
    pose proof (abs_bounds _ _ (taken_size j ltac:(lia) ltac:(lia))) as HA.
    pose proof (abs_bounds _ _ Hrest) as HB.
    (* sums over 1..j by the keys BOS, contents, trigger *)
    assert (Hsplit : forall q F, average j (wt q j) sight - F
              = wt q j 1%nat * (sight 1 - F) + sum (j - 2) (fun k => wt q j (k + 2)%nat * (sight (k + 2) - F))
                + wt q j j * (sight j - F)).
    { intros q F. destruct (w_weights n L j x Lam Hn Hx q j ltac:(lia)) as [_ Hs].
      unfold average. rewrite possum_ends in Hs |- * by lia.
      rewrite (sum_ext _ (fun k => wt q j (k + 2)%nat * (sight (k + 2) - F))
                 (fun k => wt q j (k + 2)%nat * sight (k + 2) - wt q j (k + 2)%nat * F)) by (intros; ring).
      rewrite sum_minus, sum_scal_r.
      replace F with (F * 1) at 1 by ring. rewrite <- Hs at 1. ring. }
    assert (Hmid : forall q F, Rabs F <= 3 -> (forall k, (2 <= k)%nat -> (k < j)%nat -> wt q j k <= e) ->
              Rabs (sum (j - 2) (fun k => wt q j (k + 2)%nat * (sight (k + 2) - F))) <= INR (j - 2) * (e * 4)).
    { intros q F HF Hq. apply sum_abs_le. intros k Hk.
      destruct (w_weights n L j x Lam Hn Hx q j ltac:(lia)) as [Hpos _].
      pose proof (abs_bounds _ _ (Sk (k + 2)%nat ltac:(lia) ltac:(lia))). apply abs_bounds in HF.
      rewrite Rabs_mult, (Rabs_pos_eq (wt q j (k + 2)%nat)) by (apply Hpos; lia).
      apply Rmult_le_compat; [apply Hpos; lia|apply Rabs_pos|apply Hq; lia|apply Rabs_le; lra]. }
    (* layer 1: the trigger's own key *)
    assert (A1 : Rabs (average j (wt 1 j) sight - sight j) <= INR (j - 2) * (e * 4) + e * 4).
    { rewrite Hsplit. rewrite Rminus_diag_eq with (r1 := sight j) by reflexivity.
      rewrite Rmult_0_r, Rplus_0_r, Rplus_comm.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
      - apply Hmid; [apply Rabs_le; lra|]. intros. apply (w_trigger_1 n L j); auto; lia.
      - destruct (w_weights n L j x Lam Hn Hx 1 j ltac:(lia)) as [Hpos _].
        rewrite Rabs_mult, Rabs_pos_eq by (apply Hpos; lia).
        apply Rmult_le_compat; [apply Hpos; lia|apply Rabs_pos|apply (w_trigger_1 n L j); auto; lia|apply Rabs_le; lra]. }
    (* layer 2: BOS and the trigger's own key, half each *)
    assert (A2 : Rabs (average j (wt 2 j) sight - (1 + sight j) / 2) <= INR (j - 2) * (e * 4)).
    { destruct (w_trigger_2 n L j x Lam Hn Hx) as [E1 Ek].
      rewrite Hsplit, E1, S1.
      match goal with |- Rabs (?a * ?b + ?s + ?a * ?c) <= _ => replace (a * b + s + a * c) with s by field end.
      apply Hmid; [apply Rabs_le; lra|exact Ek]. }
    apply abs_bounds in A1. apply abs_bounds in A2. unfold change.
    change (fun k => z1 k 0%nat + z1 k 1%nat) with sight.
    rewrite Jm in A1, A2.
    assert (HJe : INR (j - 1) * e <= (INR L - 1) * e) by (apply Rmult_le_compat_r; lra).
    apply Rabs_le. lra.
  Qed.

  (** What layer 0 takes, times j - 1 + decay, is the sum over 2..j. *)
  Lemma taken_sum : taken j * (INR (j - 1) + e) = sum (j - 1) (fun k => x (k + 2)%nat r).
  Proof using Hn Hx Hr2 Hrn.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    destruct (w_trigger_0 n L j x Lam Hn Hx) as [E1 Ek].
    destruct (w_weights n L j x Lam Hn Hx 0 j ltac:(lia)) as [_ Hs].
    rewrite possum_first, E1 in Hs by lia.
    rewrite (sum_ext _ _ (fun _ => wt 0 j j)), sum_const in Hs by (intros; apply Ek; lia).
    unfold taken, average. rewrite possum_first by lia.
    rewrite (first_is_bos _ _ _ _ Hx), bos_pos, Rmult_0_r, Rplus_0_l by lia.
    rewrite (sum_ext _ _ (fun k => wt 0 j j * x (k + 2)%nat r)) by (intros; rewrite Ek by lia; reflexivity).
    rewrite sum_scal. replace (wt 0 j j * sum (j - 1) (fun k => x (k + 2)%nat r) * (INR (j - 1) + e))
      with ((e * wt 0 j j + INR (j - 1) * wt 0 j j) * sum (j - 1) (fun k => x (k + 2)%nat r)) by ring.
    rewrite Hs. ring.
  Qed.

  Lemma taken_mean : Rabs (taken j - mean_from_2 x j r) <= e.
  Proof using Hn Hx Hr2 Hrn.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    destruct j_real as (J2 & _ & _ & _). pose proof e_pos as He.
    pose proof (abs_bounds _ _ (taken_size j ltac:(lia) ltac:(lia))) as HA.
    unfold mean_from_2. rewrite <- taken_sum. apply (abs_scale (INR (j - 1))); [lra|].
    replace (INR (j - 1) * (taken j - taken j * (INR (j - 1) + e) / INR (j - 1))) with (- taken j * e) by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq e) by lra. apply Rmult_le_compat_r; [lra|]. apply Rabs_le. lra.
  Qed.

  Lemma z4_trigger_bos : Rabs (z4 j 0%nat) <= 16 * INR L * e.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise Hbos Hbefore Hrest Hsmall.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    destruct j_real as (J2 & J & _ & JL). pose proof e_pos as He.
    pose proof (abs_bounds _ _ (taken_size j ltac:(lia) ltac:(lia))) as HA.
    pose proof (abs_bounds _ _ Hrest) as HB. pose proof (abs_bounds _ _ trigger_change) as HC.
    destruct (w_weights n L j x Lam Hn Hx 3 j ltac:(lia)) as [_ Hs].
    rewrite (possum_ext j _ (fun _ => wt 3 j j)) in Hs by (intros; apply (w_trigger_3 n L j x Lam Hn Hx); assumption).
    unfold possum in Hs. rewrite sum_const, J in Hs.
    (* the uniform mean of x_2 .. x_(j-1), x_j + change *)
    assert (E : average j (wt 3 j) (fun k => x k r + change k)
                = wt 3 j j * (taken j * (INR (j - 1) + e) + change j)).
    { rewrite average_plus, taken_sum. unfold average.
      rewrite (possum_ext j _ (fun k => wt 3 j j * x k r)).
      2:{ intros k H1 Hk. now rewrite (w_trigger_3 n L j x Lam Hn Hx). }
      rewrite (possum_ext j (fun k => wt 3 j k * change k) (fun k => wt 3 j j * (if (k =? j)%nat then change j else 0))).
      2:{ intros k H1 Hk. rewrite (w_trigger_3 n L j x Lam Hn Hx) by assumption.
          destruct (Nat.eqb_spec k j) as [->|Ek]; [reflexivity|]. rewrite quiet_change by lia. reflexivity. }
      rewrite !possum_scal, <- Rmult_plus_distr_l. f_equal. f_equal.
      - rewrite possum_first by lia. rewrite (first_is_bos _ _ _ _ Hx), bos_pos by lia. ring.
      - unfold possum. rewrite (sum_single j _ (j - 1)%nat); [|lia|].
        + replace (S (j - 1)) with j by lia. now rewrite Nat.eqb_refl.
        + intros k Hk Ek. destruct (Nat.eqb_spec (S k) j); [lia|reflexivity]. }
    rewrite z4_bos, E by lia. apply (abs_scale (INR (j - 1) + 1)); [lra|].
    replace ((INR (j - 1) + 1) * (z j 0%nat + taken j - wt 3 j j * (taken j * (INR (j - 1) + e) + change j)))
      with (INR (j - 1) * z j 0%nat - taken j * e - (change j - (z j 0%nat + taken j))).
    2:{ transitivity ((INR (j - 1) + 1) * (z j 0%nat + taken j)
                      - ((INR (j - 1) + 1) * wt 3 j j) * (taken j * (INR (j - 1) + e) + change j)); [rewrite Hs; ring|ring]. }
    assert (HAe : - e <= taken j * e <= e).
    { split; [apply Rle_trans with (- 1 * e)|apply Rle_trans with (1 * e)]; try lra; apply Rmult_le_compat_r; lra. }
    assert (HBe : Rabs (INR (j - 1) * z j 0%nat) <= INR (j - 1) * (16 * INR L * e)).
    { rewrite Rabs_mult, Rabs_pos_eq by lra. apply Rmult_le_compat_l; lra. }
    apply abs_bounds in HBe. apply Rabs_le. lra.
  Qed.

  Lemma z4_trigger_noise : Rabs (z4 j r - (x j r + mean_from_2 x j r)) <= 32 * INR L * e.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise Hbos Hbefore Hrest Hsmall.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx). pose proof e_pos as He.
    pose proof (abs_bounds _ _ Hrest) as HB. pose proof (abs_bounds _ _ trigger_change) as HC.
    pose proof (abs_bounds _ _ taken_mean) as HM.
    rewrite z4_noise by lia. apply Rabs_le. lra.
  Qed.

  Lemma change_size : Rabs (change j) <= 3.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise Hbos Hbefore Hrest Hsmall.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx). pose proof e_pos as He.
    pose proof (abs_bounds _ _ Hrest) as HB. pose proof (abs_bounds _ _ trigger_change) as HC.
    pose proof (abs_bounds _ _ (taken_size j ltac:(lia) ltac:(lia))) as HA. apply Rabs_le. lra.
  Qed.

  (** Rows after the trigger keep their BOS flag up to 3 decay; rows before it keep it. *)
  Lemma z4_after i : (j < i)%nat -> (i <= L)%nat -> Rabs (z4 i 0%nat - z i 0%nat) <= 3 * e.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise Hbos Hbefore Hrest Hsmall.
    intros Hj Hi. pose proof (trigger_from_3 _ _ _ _ Hx). rewrite quiet_bos by lia.
    destruct (Nat.leb_spec j i); [|lia].
    replace (z i 0%nat - wt 3 i j * change j - z i 0%nat) with (- (wt 3 i j * change j)) by ring.
    destruct (w_weights n L j x Lam Hn Hx 3 i ltac:(lia)) as [Hpos _].
    rewrite Rabs_Ropp, Rabs_mult, Rabs_pos_eq, Rmult_comm by (apply Hpos; lia).
    apply Rmult_le_compat; [apply Rabs_pos|apply Hpos; lia|exact change_size|].
    apply (w_content_row n L j); auto; lia.
  Qed.

  Lemma z4_before i : (1 <= i)%nat -> (i < j)%nat -> z4 i 0%nat = z i 0%nat.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi. pose proof (trigger_to_L _ _ _ _ Hx). rewrite quiet_bos by lia.
    destruct (Nat.leb_spec j i); [lia|ring].
  Qed.

  Lemma z4_quiet_noise i : (1 <= i)%nat -> (i <= L)%nat -> i <> j -> z4 i r = x i r.
  Proof using Hn Hx Hr2 Hrn Hflag Hnoise.
    intros H1 Hi E. rewrite z4_noise, quiet_change by assumption. ring.
  Qed.
End Group.
