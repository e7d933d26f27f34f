(** * tc-7 (e): two heads of the flags without a sink cannot come close to zero loss

    two_heads_floor of statement.v.  That BOS attention is bounded at the trigger too matters: off the trigger
    alone the pair of (a) has BOS attention 1/i and losses that tend to 0.

    Proof.  Noise coordinate 2; flipping the noise and halving the difference removes everything but
    nu_h = V_h[2][2].  With m copies of a content token, b_h = (K(t,BOS) + K(t,t))/K(t,c), F_h = K(t,BOS)/K(t,c),
    B_h = K(c,BOS)/K(c,c), sg = nu_1 + nu_2, D_m = (b_1 + m)(b_2 + m):
    - quiet rows m = 1, 3: |sg| <= 0.074, since B_h <= 9;
    - all noise flipped at the trigger: sum nu_h F_h/(b_h + m) = sg - 1 up to eta; its second difference after
      multiplication by D_m, m = 1, 2, 3, says 2(1 - sg) <= eta (D_1 + 2 D_2 + D_3): b_1 or b_2 is large;
    - content noise flipped: sum nu_h m/(b_h + m) = m/(m+1) up to eta; the same second difference says
      |(b_1 - 1)(b_2 - 1)| <= 12 eta (D_1 + D_2 + D_3/3): with b_1 <= b_2, b_1 is near 1;
    - then at m = 1 the second head's nu_2 is at most (sg - 1 + eta)/0.9, so nu_1/(b_1 + 1) is above 1/2 + eta.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/two_head_floor.v *)

From Coq Require Import Reals Lra Lia Psatz Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement flag_rows.
Open Scope R_scope.

(** ** The scalar core, eta = 1/1000 *)

Lemma product_bounds D th eta : 0 < D -> Rabs th <= eta -> - (D * eta) <= D * th <= D * eta.
Proof.
  intros HD H. apply abs_bounds in H.
  assert (0 <= D * (eta - th)) by (apply Rmult_le_pos; lra).
  assert (0 <= D * (eta + th)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma quiet_sigma n1 n2 B1 B2 :
  0 < B1 <= 9 -> 0 < B2 <= 9 ->
  Rabs (n1 * (1 / (B1 + 1)) + n2 * (1 / (B2 + 1))) <= / 1000 ->
  Rabs (n1 * (3 / (B1 + 3)) + n2 * (3 / (B2 + 3))) <= / 1000 ->
  -0.074 <= n1 + n2 <= 0.074.
Proof.
  intros H1 H2 Q1 Q3.
  set (e1 := n1 * (1 / (B1 + 1)) + n2 * (1 / (B2 + 1))) in *.
  set (e3 := n1 * (3 / (B1 + 3)) + n2 * (3 / (B2 + 3))) in *.
  assert (E1 : n1 * (B2 + 1) + n2 * (B1 + 1) = (B1 + 1) * (B2 + 1) * e1) by (unfold e1; field; lra).
  assert (E3 : 3 * (n1 * (B2 + 3) + n2 * (B1 + 3)) = (B1 + 3) * (B2 + 3) * e3) by (unfold e3; field; lra).
  assert (P1 : 0 < (B1 + 1) * (B2 + 1) <= 100) by nra.
  assert (P3 : 0 < (B1 + 3) * (B2 + 3) <= 144) by nra.
  pose proof (product_bounds _ _ _ (proj1 P1) Q1). pose proof (product_bounds _ _ _ (proj1 P3) Q3). lra.
Qed.

(** b1 near 1, b2 large. *)
Lemma near_one b1 b2 :
  0 < b1 -> b1 <= b2 ->
  1834 <= 8 * (b1 + b2) + 4 * (b1 * b2) ->
  1 - (b1 + b2) + b1 * b2 <= 0.012 * (8 + 4 * (b1 + b2) + 7 / 3 * (b1 * b2)) ->
  b1 <= 1.107 /\ 113 <= b2.
Proof.
  intros H0 H12 HA HB.
  assert (Hlt : b1 < 2).
  { destruct (Rlt_le_dec b1 2) as [|H2]; [assumption|exfalso].
    assert (C1 : b1 <= 2.2) by nra.
    assert (C2 : b2 <= 3) by nra. nra. }
  assert (Hb2 : 113 <= b2) by nra. split; [nra|assumption].
Qed.

Lemma ordered_core n1 n2 b1 b2 F1 F2 :
  0 < b1 -> b1 <= b2 -> 0 <= F1 -> 0 <= F2 -> F1 <= 0.9 * (b1 + 1) -> F2 <= 0.9 * (b2 + 1) ->
  -0.074 <= n1 + n2 <= 0.074 ->
  (forall m, m = 1 \/ m = 2 \/ m = 3 ->
     Rabs (n1 * F1 / (b1 + m) + n2 * F2 / (b2 + m) - (n1 + n2 - 1)) <= / 1000 /\
     Rabs (n1 * m / (b1 + m) + n2 * m / (b2 + m) - m / (m + 1)) <= / 1000) -> False.
Proof.
  intros H0 H12 HF1 HF2 HB1 HB2 Hsg Hrows.
  set (s := n1 + n2) in *.
  destruct (Hrows 1) as [X1 Y1]; [auto|]. destruct (Hrows 2) as [X2 Y2]; [auto|].
  destruct (Hrows 3) as [X3 Y3]; [auto|].
  set (x1 := n1 * F1 / (b1 + 1) + n2 * F2 / (b2 + 1) - (s - 1)) in *.
  set (x2 := n1 * F1 / (b1 + 2) + n2 * F2 / (b2 + 2) - (s - 1)) in *.
  set (x3 := n1 * F1 / (b1 + 3) + n2 * F2 / (b2 + 3) - (s - 1)) in *.
  set (y1 := n1 * 1 / (b1 + 1) + n2 * 1 / (b2 + 1) - 1 / (1 + 1)) in *.
  set (y2 := n1 * 2 / (b1 + 2) + n2 * 2 / (b2 + 2) - 2 / (2 + 1)) in *.
  set (y3 := n1 * 3 / (b1 + 3) + n2 * 3 / (b2 + 3) - 3 / (3 + 1)) in *.
  assert (D1 : 0 < (b1 + 1) * (b2 + 1)) by nra.
  assert (D2 : 0 < (b1 + 2) * (b2 + 2)) by nra.
  assert (D3 : 0 < (b1 + 3) * (b2 + 3)) by nra.
  assert (EX1 : n1 * F1 * (b2 + 1) + n2 * F2 * (b1 + 1) = (b1 + 1) * (b2 + 1) * (s - 1) + (b1 + 1) * (b2 + 1) * x1)
    by (unfold x1; field; lra).
  assert (EX2 : n1 * F1 * (b2 + 2) + n2 * F2 * (b1 + 2) = (b1 + 2) * (b2 + 2) * (s - 1) + (b1 + 2) * (b2 + 2) * x2)
    by (unfold x2; field; lra).
  assert (EX3 : n1 * F1 * (b2 + 3) + n2 * F2 * (b1 + 3) = (b1 + 3) * (b2 + 3) * (s - 1) + (b1 + 3) * (b2 + 3) * x3)
    by (unfold x3; field; lra).
  assert (EY1 : n1 * (b2 + 1) + n2 * (b1 + 1) = (b1 + 1) * (b2 + 1) * / 2 + (b1 + 1) * (b2 + 1) * y1)
    by (unfold y1; field; lra).
  assert (EY2 : n1 * (b2 + 2) + n2 * (b1 + 2) = (b1 + 2) * (b2 + 2) * / 3 + (b1 + 2) * (b2 + 2) * y2 * / 2)
    by (unfold y2; field; lra).
  assert (EY3 : n1 * (b2 + 3) + n2 * (b1 + 3) = (b1 + 3) * (b2 + 3) * / 4 + (b1 + 3) * (b2 + 3) * y3 * / 3)
    by (unfold y3; field; lra).
  pose proof (product_bounds _ _ _ D1 X1) as PX1. pose proof (product_bounds _ _ _ D2 X2) as PX2.
  pose proof (product_bounds _ _ _ D3 X3) as PX3. pose proof (product_bounds _ _ _ D1 Y1) as PY1.
  pose proof (product_bounds _ _ _ D2 Y2) as PY2. pose proof (product_bounds _ _ _ D3 Y3) as PY3.
  assert (A : 1834 <= 8 * (b1 + b2) + 4 * (b1 * b2)).
  { assert (Z : (b1 + 3) * (b2 + 3) * (s - 1) - 2 * ((b1 + 2) * (b2 + 2) * (s - 1)) + (b1 + 1) * (b2 + 1) * (s - 1)
                = 2 * (s - 1)) by ring.
    assert (W : n1 * F1 * (b2 + 3) + n2 * F2 * (b1 + 3) - 2 * (n1 * F1 * (b2 + 2) + n2 * F2 * (b1 + 2))
                + (n1 * F1 * (b2 + 1) + n2 * F2 * (b1 + 1)) = 0) by ring.
    rewrite EX1, EX2, EX3 in W. lra. }
  assert (B : 1 - (b1 + b2) + b1 * b2 <= 0.012 * (8 + 4 * (b1 + b2) + 7 / 3 * (b1 * b2))).
  { assert (W : n1 * (b2 + 3) + n2 * (b1 + 3) - 2 * (n1 * (b2 + 2) + n2 * (b1 + 2))
                + (n1 * (b2 + 1) + n2 * (b1 + 1)) = 0) by ring.
    rewrite EY1, EY2, EY3 in W. lra. }
  destruct (near_one b1 b2 H0 H12 A B) as [Hb1 Hb2].
  set (a := / (b1 + 1)). set (c := / (b2 + 1)).
  assert (Ha : 0.474 <= a).
  { unfold a. apply (Rmult_le_reg_r (b1 + 1)); [lra|]. rewrite Rinv_l by lra. lra. }
  assert (Hc : 0 < c <= 0.0088).
  { unfold c. split; [apply Rinv_0_lt_compat; lra|].
    apply (Rmult_le_reg_r (b2 + 1)); [lra|]. rewrite Rinv_l by lra. lra. }
  set (f1 := F1 * a). set (f2 := F2 * c).
  assert (Hf1 : 0 <= f1 <= 0.9).
  { unfold f1, a. split; [apply Rmult_le_pos; [assumption|left; apply Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (b1 + 1)); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hf2 : 0 <= f2 <= 0.9).
  { unfold f2, c. split; [apply Rmult_le_pos; [assumption|left; apply Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (b2 + 1)); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (GX : x1 = n1 * f1 + n2 * f2 - (s - 1)) by (unfold x1, f1, f2, a, c; field; lra).
  assert (GY : y1 = n1 * a + n2 * c - / 2) by (unfold y1, a, c; field; lra).
  rewrite GX in X1. rewrite GY in Y1. apply abs_bounds in X1. apply abs_bounds in Y1.
  clearbody a c f1 f2. clear - Hsg Ha Hc Hf1 Hf2 X1 Y1. unfold s in *.
  destruct (Rle_lt_dec 0 n2) as [N2|N2].
  - assert (0 <= n2 * f2) by (apply Rmult_le_pos; lra).
    assert (N1 : n1 < 0) by nra.
    assert (n1 * 0.9 <= n1 * f1) by nra.
    assert (n1 * a <= n1 * 0.474) by nra. assert (n2 * c <= n2 * 0.0088) by nra. lra.
  - destruct (Rle_lt_dec 0 n1) as [N1|N1].
    + assert (0 <= n1 * f1) by (apply Rmult_le_pos; lra).
      assert (n2 * 0.9 <= n2 * f2) by nra.
      assert (n1 * 0.474 <= n1 * a) by nra. assert (n2 * 0.0088 <= n2 * c) by nra. lra.
    + assert (n1 * a <= 0) by nra. assert (n2 * c <= 0) by nra. lra.
Qed.

(** Whichever of b1, b2 is smaller. *)
Lemma scalar_core n1 n2 b1 b2 F1 F2 :
  0 < b1 -> 0 < b2 -> 0 <= F1 -> 0 <= F2 -> F1 <= 0.9 * (b1 + 1) -> F2 <= 0.9 * (b2 + 1) ->
  -0.074 <= n1 + n2 <= 0.074 ->
  (forall m, m = 1 \/ m = 2 \/ m = 3 ->
     Rabs (n1 * F1 / (b1 + m) + n2 * F2 / (b2 + m) - (n1 + n2 - 1)) <= / 1000 /\
     Rabs (n1 * m / (b1 + m) + n2 * m / (b2 + m) - m / (m + 1)) <= / 1000) -> False.
Proof.
  intros H1 H2 HF1 HF2 HB1 HB2 Hsg Hrows. destruct (Rle_lt_dec b1 b2) as [C|C].
  - now apply (ordered_core n1 n2 b1 b2 F1 F2).
  - apply (ordered_core n2 n1 b2 b1 F2 F1); auto; try lra. intros m Hm.
    destruct (Hrows m Hm) as [X Y]. split.
    + rewrite (Rplus_comm (n2 * F2 / _)), (Rplus_comm n2). exact X.
    + rewrite (Rplus_comm (n2 * m / _)). exact Y.
Qed.

Theorem two_heads_floor : statement.two_heads_floor.
Proof.
  intros n L K V eta Hn HL HK Hflag Hbos Hloss. destruct (Rlt_le_dec (1 / 1000) eta) as [|He]; [assumption|exfalso].
  set (c := noisy_content n 0). set (t := noisy_trigger n 0). set (nu := fun h => V h 2%nat 2%nat).
  assert (Hval : valid n L 3 (probe c t 3)).
  { apply probe_valid; try lia; [apply Hc|apply Ht]; assumption. }
  (* BOS attention at rows 2 and 3 *)
  assert (HB : forall h, K h c bos <= 9 * K h c c).
  { intros h. pose proof (Hbos h _ _ 2%nat Hval ltac:(lia) ltac:(lia)) as H.
    unfold bos_attention, kernel_attention, possum in H. cbn [sum] in H.
    change (probe c t 3 2%nat) with c in H. change (probe c t 3 1%nat) with bos in H.
    pose proof (HK h c bos). pose proof (HK h c c).
    apply (Rmult_le_compat_r (0 + K h c bos + K h c c)) in H; [|lra].
    unfold Rdiv in H at 1. rewrite Rmult_assoc, Rinv_l in H by lra. lra. }
  assert (HF : forall h, K h t bos <= 0.9 * (K h t bos + K h t c + K h t t)).
  { intros h. pose proof (Hbos h _ _ 3%nat Hval ltac:(lia) ltac:(lia)) as H.
    unfold bos_attention, kernel_attention, possum in H. cbn [sum] in H.
    change (probe c t 3 3%nat) with t in H. change (probe c t 3 2%nat) with c in H.
    change (probe c t 3 1%nat) with bos in H.
    pose proof (HK h t bos). pose proof (HK h t c). pose proof (HK h t t).
    apply (Rmult_le_compat_r (0 + K h t bos + K h t c + K h t t)) in H; [|lra].
    unfold Rdiv in H at 1. rewrite Rmult_assoc, Rinv_l in H by lra. lra. }
  assert (HB9 : forall h, 0 < K h c bos / K h c c <= 9).
  { intros h. pose proof (HK h c bos). pose proof (HK h c c). pose proof (HB h).
    split; [now apply Rdiv_lt_0_compat|].
    apply (Rmult_le_reg_r (K h c c)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hsg : -0.074 <= nu 0%nat + nu 1%nat <= 0.074).
  { apply (quiet_sigma (nu 0%nat) (nu 1%nat) (K 0%nat c bos / K 0%nat c c) (K 1%nat c bos / K 1%nat c c)).
    - apply HB9.
    - apply HB9.
    - pose proof (quiet_rows_bound n L 2 K V eta Hn HK Hflag Hloss 1 ltac:(lia) ltac:(lia)) as H.
      change (INR 1) with 1 in H. cbn [sum] in H. rewrite Rplus_0_l in H.
      eapply Rle_trans; [|eapply Rle_trans; [exact H|lra]]. apply Req_le. f_equal. fold c. unfold nu.
      pose proof (HK 0%nat c bos). pose proof (HK 0%nat c c). pose proof (HK 1%nat c bos). pose proof (HK 1%nat c c).
      field. repeat split; lra.
    - pose proof (quiet_rows_bound n L 2 K V eta Hn HK Hflag Hloss 3 ltac:(lia) ltac:(lia)) as H.
      replace (INR 3) with 3 in H by (simpl; ring). cbn [sum] in H. rewrite Rplus_0_l in H.
      eapply Rle_trans; [|eapply Rle_trans; [exact H|lra]]. apply Req_le. f_equal. fold c. unfold nu.
      pose proof (HK 0%nat c bos). pose proof (HK 0%nat c c). pose proof (HK 1%nat c bos). pose proof (HK 1%nat c c).
      field. repeat split; lra. }
  set (b := fun h => (K h t bos + K h t t) / K h t c). set (F := fun h => K h t bos / K h t c).
  assert (Hpos : forall h, 0 < K h t bos /\ 0 < K h t c /\ 0 < K h t t) by (intros; repeat split; apply HK).
  assert (Hb : forall h, 0 < b h) by (intros h; destruct (Hpos h) as (?&?&?); apply Rdiv_lt_0_compat; lra).
  assert (HF0 : forall h, 0 <= F h) by (intros h; destruct (Hpos h) as (?&?&?); left; apply Rdiv_lt_0_compat; lra).
  assert (HF9 : forall h, F h <= 0.9 * (b h + 1)).
  { intros h. destruct (Hpos h) as (?&?&?). pose proof (HF h). unfold F, b.
    apply (Rmult_le_reg_r (K h t c)); [assumption|].
    replace (K h t bos / K h t c * K h t c) with (K h t bos) by (field; lra).
    replace (0.9 * ((K h t bos + K h t t) / K h t c + 1) * K h t c) with (0.9 * (K h t bos + K h t c + K h t t))
      by (field; lra).
    assumption. }
  apply (scalar_core (nu 0%nat) (nu 1%nat) (b 0%nat) (b 1%nat) (F 0%nat) (F 1%nat)); auto.
  intros m Hm.
  assert (Hnat : exists k, (1 <= k)%nat /\ (k <= 3)%nat /\ INR k = m).
  { destruct Hm as [->|[->| ->]]; [exists 1%nat|exists 2%nat|exists 3%nat]; repeat split; try lia; simpl; ring. }
  destruct Hnat as (k & K1 & K3 & <-). assert (Hk : 1 <= INR k) by (now apply (le_INR 1)).
  destruct (Hpos 0%nat) as (?&?&?). destruct (Hpos 1%nat) as (?&?&?).
  assert (0 < INR k * K 0%nat t c) by (apply Rmult_lt_0_compat; lra).
  assert (0 < INR k * K 1%nat t c) by (apply Rmult_lt_0_compat; lra).
  split.
  - pose proof (trigger_rows n L 2 K V eta Hn HK Hflag Hloss k 1 1 K1 ltac:(lia) ltac:(lra) ltac:(lra)) as Hr.
    cbn [sum] in Hr. rewrite Rplus_0_l in Hr.
    fold c t in Hr. apply abs_bounds in Hr.
    replace (nu 0%nat * F 0%nat / (b 0%nat + INR k) + nu 1%nat * F 1%nat / (b 1%nat + INR k)
             - (nu 0%nat + nu 1%nat - 1))
      with (- (V 0%nat 2%nat 2%nat * (INR k * K 0%nat t c * 1 + K 0%nat t t * 1)
                 / (K 0%nat t bos + INR k * K 0%nat t c + K 0%nat t t)
               + V 1%nat 2%nat 2%nat * (INR k * K 1%nat t c * 1 + K 1%nat t t * 1)
                 / (K 1%nat t bos + INR k * K 1%nat t c + K 1%nat t t)
               - (INR k * 1 + 1) / (INR k + 1))).
    + apply Rabs_le. lra.
    + unfold nu, F, b. field. repeat split; lra.
  - pose proof (trigger_rows n L 2 K V eta Hn HK Hflag Hloss k 1 0 K1 ltac:(lia) ltac:(lra) ltac:(lra)) as Hr.
    cbn [sum] in Hr. rewrite Rplus_0_l in Hr.
    fold c t in Hr. apply abs_bounds in Hr.
    replace (nu 0%nat * INR k / (b 0%nat + INR k) + nu 1%nat * INR k / (b 1%nat + INR k) - INR k / (INR k + 1))
      with (V 0%nat 2%nat 2%nat * (INR k * K 0%nat t c * 1 + K 0%nat t t * 0)
                 / (K 0%nat t bos + INR k * K 0%nat t c + K 0%nat t t)
            + V 1%nat 2%nat 2%nat * (INR k * K 1%nat t c * 1 + K 1%nat t t * 0)
                 / (K 1%nat t bos + INR k * K 1%nat t c + K 1%nat t t)
            - (INR k * 1 + 0) / (INR k + 1)).
    + apply Rabs_le. lra.
    + unfold nu, b. field. repeat split; lra.
Qed.

Print Assumptions two_heads_floor.
