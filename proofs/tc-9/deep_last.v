(** * tc-9: the two layers of the flags

    Lemmas for deep.v.  Write a = 1/(j-1).  The first layer turns the content flag of content rows into 2 and gives the
    trigger's row the flags t = 1 + a, c = 1 - (5/3) a, up to decay.  In the last layer 8b + 5t + 3c is 8 at BOS
    and at the trigger, and 6 at content: content rows average contents and return to c = 1, and the trigger's
    row sees BOS and itself, half each, which makes c = 1 - a. *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task anchored_values residual_stack.
From Claim Require Import deep_statement deep_layers.
Open Scope R_scope.

(** A sum of one term. *)
Lemma possum_indicator i c v :
  (1 <= c)%nat -> possum i (fun k => if (k =? c)%nat then v else 0) = if (c <=? i)%nat then v else 0.
Proof.
  intros Hc. destruct (Nat.leb_spec c i) as [H|H].
  - unfold possum. rewrite (sum_single i _ (c - 1)%nat); [|lia|].
    + replace (S (c - 1)) with c by lia. now rewrite Nat.eqb_refl.
    + intros k Hk E. destruct (Nat.eqb_spec (S k) c); [lia|reflexivity].
  - unfold possum. apply sum_zero. intros k Hk. destruct (Nat.eqb_spec (S k) c); [lia|reflexivity].
Qed.

Lemma average_indicator i w c :
  (1 <= c)%nat -> average i w (fun k => if (k =? c)%nat then 1 else 0) = if (c <=? i)%nat then w c else 0.
Proof.
  intros Hc. unfold average. rewrite <- (possum_indicator i c (w c) Hc). apply possum_ext.
  intros k _ _. destruct (Nat.eqb_spec k c) as [->|_]; ring.
Qed.

(** Two weights of sum at most 1 whose logits differ by at most s. *)
Lemma near_tie a b s th :
  0 <= a -> 0 <= b -> a + b <= 1 -> b = exp s * a -> Rabs s <= th -> Rabs (b - a) <= th.
Proof.
  intros Ha Hb Hab E Hs. apply abs_bounds in Hs.
  assert (Ea : a = exp (- s) * b).
  { rewrite E, <- Rmult_assoc, <- exp_plus. replace (- s + s) with 0 by ring. rewrite exp_0. ring. }
  pose proof (exp_ineq1_le s) as H1. pose proof (exp_ineq1_le (- s)) as H2.
  assert (s * a <= b - a).
  { rewrite E. replace (exp s * a - a) with ((exp s - 1) * a) by ring. apply Rmult_le_compat_r; lra. }
  assert (- s * b <= a - b).
  { rewrite Ea at 1. replace (exp (- s) * b - b) with ((exp (- s) - 1) * b) by ring. apply Rmult_le_compat_r; lra. }
  assert (B : forall c, 0 <= c <= 1 -> - th <= s * c <= th).
  { intros c Hc. destruct (Rle_dec 0 s) as [P|P].
    - split; [apply Rle_trans with 0; [lra|apply Rmult_le_pos; lra]|].
      apply Rle_trans with (s * 1); [apply Rmult_le_compat_l; lra|lra].
    - assert (0 <= - s * c) by (apply Rmult_le_pos; lra).
      assert (- s * c <= - s * 1) by (apply Rmult_le_compat_l; lra). lra. }
  pose proof (B a ltac:(lra)). pose proof (B b ltac:(lra)). apply Rabs_le. lra.
Qed.

Section Last.
  Context (n L j : nat) (x : sequence) (Lam : R).
  Context (Hn : (4 <= n)%nat) (Hx : valid n L j x).
  Notation e := (decay Lam).
  Notation wt := (w n x Lam).
  Context (Hbig : 200 * (INR n + INR L) * e <= 1) (HLam : 0 <= Lam).

  (** Its input: flags as at the start, but for small rests in the BOS flag. *)
  Context (z : sequence) (Hflag : flagged n L j z) (Hbos : z 1%nat 0%nat = 1)
          (Hrest : Rabs (z j 0%nat) <= 16 * INR L * e)
          (Hquiet : forall i, (2 <= i)%nat -> (i <= L)%nat -> i <> j -> Rabs (z i 0%nat) <= 3 * INR n * e).

  Definition z5 := residual_layer n (flag_layer n Lam) z.
  Definition z6 := residual_layer n (last_layer n Lam) z5.

  (** *** The first of the two *)

  Lemma flag_weights i k :
    (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat -> weights (flag_layer n Lam) 0 z i k = wt 0 i k.
  Proof using Hn Hx Hflag.
    intros H1 Hk Hi. rewrite <- (noise_weights n L j x Lam Hn Hx z 2 0) by assumption. reflexivity.
  Qed.

  Lemma z5_other i a : a <> 1%nat -> a <> (n - 1)%nat -> z5 i a = z i a.
  Proof using Hn.
    intros H1 Hc. unfold z5, flag_layer. rewrite softmax_step.
    rewrite (average_ext i _ (weights (flag_layer n Lam) 0 z i) _ (fun k => 0 * 0)); [|reflexivity|].
    - rewrite average_scal. ring.
    - intros k _ _. rewrite linear_outers. unfold flags. destruct (Nat.eqb_spec a 1); [lia|].
      destruct (Nat.eqb_spec a (n - 1)); [lia|]. destruct (a =? 0)%nat; ring.
  Qed.

  (** The weight of the trigger's key. *)
  Definition on_trigger (i : nat) : R := if (j <=? i)%nat then wt 0 i j else 0.

  Lemma z5_flags i :
    (1 <= i)%nat -> (i <= L)%nat ->
    z5 i 1%nat = is_trigger_key j i + on_trigger i /\
    z5 i (n - 1)%nat = is_content_key j i + (1 - wt 0 i 1%nat - 5 / 3 * on_trigger i).
  Proof using Hn Hx Hflag.
    intros H1 Hi. pose proof (trigger_from_3 _ _ _ _ Hx).
    assert (T : average i (wt 0 i) (is_trigger_key j) = on_trigger i) by (apply average_indicator; lia).
    assert (C : average i (wt 0 i) (is_content_key j) = 1 - wt 0 i 1%nat - on_trigger i).
    { destruct (w_weights n L j x Lam Hn Hx 0 i H1) as [_ Hs].
      pose proof (average_indicator i (wt 0 i) 1 (le_n 1)) as B. destruct (Nat.leb_spec 1 i); [|lia].
      rewrite <- Hs, <- T, <- B. unfold average, possum. rewrite <- !sum_minus. apply sum_ext. intros k _. keys. }
    assert (E : forall a, z5 i a = z i a + average i (wt 0 i) (fun k =>
                  flags n 0 1 0 a * is_trigger_key j k
                  + flags n 0 0 1 a * (is_content_key j k + -2 / 3 * is_trigger_key j k))).
    { intros a. unfold z5, flag_layer. rewrite softmax_step. f_equal. apply average_ext.
      - intros. now apply flag_weights.
      - intros k Hk Hki. rewrite linear_outers, !dot_flags by assumption.
        destruct (Hflag k) as [-> ->]; try lia. ring. }
    destruct (Hflag i H1 Hi) as [F1 F2].
    assert (V : forall a, average i (wt 0 i) (fun k => flags n 0 1 0 a * is_trigger_key j k
                  + flags n 0 0 1 a * (is_content_key j k + -2 / 3 * is_trigger_key j k))
                = flags n 0 1 0 a * on_trigger i + flags n 0 0 1 a * (1 - wt 0 i 1%nat - 5 / 3 * on_trigger i)).
    { intros a. rewrite average_plus, !average_scal, average_plus, average_scal, T, C. field. }
    rewrite !E, !V, F1, F2. unfold flags. cbn [Nat.eqb].
    destruct (Nat.eqb_spec 1 (n - 1)); [lia|]. destruct (Nat.eqb_spec (n - 1) 0); [lia|].
    destruct (Nat.eqb_spec (n - 1) 1); [lia|]. destruct (Nat.eqb_spec (n - 1) (n - 1)); [|lia]. split; ring.
  Qed.

  Lemma e_pos : 0 < e.
  Proof using. apply exp_pos. Qed.

  Lemma sizes : 3 <= INR L /\ 4 <= INR n /\ 1400 * e <= 1 /\ 600 * e <= 200 * INR L * e /\ 800 * e <= 200 * INR n * e.
  Proof using Hn Hx Hbig.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx). pose proof e_pos as He.
    assert (H3 : 3 <= INR L) by (apply Rle_trans with (INR 3); [simpl; lra|apply le_INR; lia]).
    assert (H4 : 4 <= INR n) by (apply Rle_trans with (INR 4); [simpl; lra|apply le_INR; lia]).
    assert (600 * e <= 200 * INR L * e) by (apply Rmult_le_compat_r; lra).
    assert (800 * e <= 200 * INR n * e) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma z5_first : z5 1%nat 0%nat = 1 /\ z5 1%nat 1%nat = 0 /\ z5 1%nat (n - 1)%nat = 0.
  Proof using Hn Hx Hflag Hbos.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    destruct (z5_flags 1 ltac:(lia) ltac:(lia)) as [-> ->].
    destruct (w_weights n L j x Lam Hn Hx 0 1 ltac:(lia)) as [_ Hs]. unfold possum in Hs. cbn [sum] in Hs.
    rewrite z5_other by lia. unfold on_trigger. destruct (Nat.leb_spec j 1); [lia|].
    split; [exact Hbos|]. split; keys; lra.
  Qed.

  (** Content rows: t in [0, e], c in [2 - 3e, 2], 2t - c in [-2, -2 + 5e]. *)
  Lemma z5_content i :
    (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
    0 <= z5 i 1%nat <= e /\ 2 - 3 * e <= z5 i (n - 1)%nat <= 2 /\
    2 * z5 i 1%nat - z5 i (n - 1)%nat <= -2 + 5 * e.
  Proof using Hn Hx Hflag.
    intros H2 Hi E. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof e_pos as He.
    destruct (w_weights n L j x Lam Hn Hx 0 i ltac:(lia)) as [Hpos _].
    pose proof (Hpos 1%nat ltac:(lia) ltac:(lia)).
    pose proof (w_content_row n L j x Lam Hn Hx 0 i 1%nat H2 Hi E (or_introl eq_refl) ltac:(lia)).
    assert (0 <= on_trigger i <= e).
    { unfold on_trigger. destruct (Nat.leb_spec j i) as [Hj|Hj]; [|lra].
      split; [apply Hpos; lia|apply (w_content_row n L j); auto]. }
    destruct (z5_flags i ltac:(lia) Hi) as [-> ->].
    replace (is_trigger_key j i) with 0 by keys. replace (is_content_key j i) with 1 by keys. lra.
  Qed.

  (** The trigger's row, alpha = 1/(j - 1 + e). *)
  Definition alpha : R := wt 0 j j.

  Lemma alpha_bounds : 0 <= alpha <= / 2 /\ Rabs (alpha - 1 / INR (j - 1)) <= e /\ 0 <= e * alpha <= e / 2.
  Proof using Hn Hx.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx). pose proof e_pos as He.
    destruct (w_trigger_0 n L j x Lam Hn Hx) as [E1 Ek].
    destruct (w_weights n L j x Lam Hn Hx 0 j ltac:(lia)) as [Hpos Hs].
    rewrite possum_first, E1 in Hs by lia.
    rewrite (sum_ext _ _ (fun _ => wt 0 j j)), sum_const in Hs by (intros; apply Ek; lia).
    fold alpha in Hs. assert (Ha : 0 <= alpha) by (apply Hpos; lia).
    assert (J2 : 2 <= INR (j - 1)) by (apply (le_INR 2); lia).
    assert (H2a : 2 * alpha <= INR (j - 1) * alpha) by (apply Rmult_le_compat_r; lra).
    assert (Hea : 0 <= e * alpha) by (apply Rmult_le_pos; lra).
    assert (Hea2 : e * alpha <= e * / 2) by (apply Rmult_le_compat_l; lra).
    split; [lra|]. split; [|lra]. apply (abs_scale (INR (j - 1))); [lra|].
    replace (INR (j - 1) * (alpha - 1 / INR (j - 1))) with (- (e * alpha)).
    2:{ transitivity (INR (j - 1) * alpha - 1); [lra|field; lra]. }
    rewrite Rabs_Ropp, Rabs_pos_eq by lra.
    assert (2 * e <= INR (j - 1) * e) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma z5_trigger : z5 j 1%nat = 1 + alpha /\ z5 j (n - 1)%nat = 1 - e * alpha - 5 / 3 * alpha.
  Proof using Hn Hx Hflag.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    destruct (w_trigger_0 n L j x Lam Hn Hx) as [E1 _].
    destruct (z5_flags j ltac:(lia) ltac:(lia)) as [-> ->]. rewrite E1. unfold on_trigger. fold alpha.
    destruct (Nat.leb_spec j j); [|lia].
    replace (is_trigger_key j j) with 1 by keys. replace (is_content_key j j) with 0 by keys. split; ring.
  Qed.

  (** *** The last layer *)

  Definition last_weights (i : nat) : nat -> R := weights (last_layer n Lam) 0 z5 i.
  Definition query (i : nat) : R := 2 * z5 i 1%nat - z5 i (n - 1)%nat.
  Definition key (k : nat) : R := 8 * z5 k 0%nat + 5 * z5 k 1%nat + 3 * z5 k (n - 1)%nat.
  Definition value (k : nat) : R := z5 k (n - 1)%nat - z5 k 1%nat.

  Lemma last_is_weights i : (1 <= i)%nat -> is_weights i (last_weights i).
  Proof using. apply softmax_weights. Qed.

  Lemma last_ratio i k l : last_weights i k = exp (Lam * (query i * (key k - key l))) * last_weights i l.
  Proof using Hn.
    unfold last_weights, last_layer. rewrite (softmax_ratio _ _ _ _ _ i k l). do 3 f_equal.
    rewrite !bilinear_outer, !dot_flags by assumption. unfold query, key. ring.
  Qed.

  Lemma last_small i k l :
    (1 <= l)%nat -> (l <= i)%nat -> query i * (key k - key l) <= -1 -> last_weights i k <= e.
  Proof using Hn HLam.
    intros H1 Hl H. rewrite (last_ratio i k l), <- (Rmult_1_r e).
    destruct (last_is_weights i ltac:(lia)) as [Hpos Hs].
    apply Rmult_le_compat; [left; apply exp_pos|now apply Hpos| |].
    - assert (Hm : Lam * (query i * (key k - key l)) <= Lam * -1) by (apply Rmult_le_compat_l; assumption).
      unfold decay. destruct (Req_dec (Lam * (query i * (key k - key l))) (- Lam)) as [->|Hne]; [lra|].
      left. apply exp_increasing. lra.
    - apply (weight_le_1 i); [now apply last_is_weights; lia|assumption|assumption].
  Qed.

  Lemma z6_other i a : a <> (n - 1)%nat -> z6 i a = z5 i a.
  Proof using Hn.
    intros Ha. unfold z6, last_layer. rewrite outer_step.
    replace (flags n 0 0 (- 1 / 2) a) with 0; [ring|]. unfold flags.
    destruct (Nat.eqb_spec a (n - 1)); [lia|]. destruct (a =? 0)%nat; destruct (a =? 1)%nat; reflexivity.
  Qed.

  Lemma z6_content_flag i : z6 i (n - 1)%nat = z5 i (n - 1)%nat - average i (last_weights i) value / 2.
  Proof using Hn.
    unfold z6, last_layer. rewrite outer_step.
    replace (flags n 0 0 (- 1 / 2) (n - 1)%nat) with (- 1 / 2).
    - rewrite (average_ext i _ (last_weights i) _ value); [field|reflexivity|].
      intros k _ _. rewrite dot_flags by assumption. unfold value. ring.
    - unfold flags. destruct (Nat.eqb_spec (n - 1) 0); [lia|]. destruct (Nat.eqb_spec (n - 1) 1); [lia|].
      destruct (Nat.eqb_spec (n - 1) (n - 1)); [reflexivity|lia].
  Qed.

  Lemma bos_key : key 1 = 8 /\ value 1 = 0.
  Proof using Hn Hx Hflag Hbos.
    destruct z5_first as (E0 & E1 & Ec). unfold key, value. rewrite E0, E1, Ec. lra.
  Qed.

  Lemma content_key k :
    (2 <= k)%nat -> (k <= L)%nat -> k <> j ->
    29 / 5 <= key k <= 31 / 5 /\ 2 - 4 * e <= value k <= 2.
  Proof using Hn Hx Hflag Hquiet Hbig.
    intros H2 Hk E. destruct (z5_content k H2 Hk E) as (Ht & Hc & _). pose proof (abs_bounds _ _ (Hquiet k H2 Hk E)).
    destruct sizes as (S1 & S2 & S3 & S4 & S5). pose proof e_pos.
    unfold key, value. rewrite z5_other by lia. lra.
  Qed.

  Lemma trigger_key :
    Rabs (key j - 8) <= 129 * INR L * e /\ 73 / 10 <= key j <= 87 / 10 /\ value j = - (e * alpha) - 8 / 3 * alpha /\
    1 <= query j <= 3.
  Proof using Hn Hx Hflag Hrest Hbig.
    destruct z5_trigger as (Et & Ec). destruct alpha_bounds as (Ha & _ & Hea).
    destruct sizes as (S1 & S2 & S3 & S4 & S5). pose proof e_pos. pose proof (abs_bounds _ _ Hrest) as HB.
    assert (E0 : z5 j 0%nat = z j 0%nat) by (apply z5_other; lia).
    assert (Hkey : Rabs (key j - 8) <= 129 * INR L * e).
    { unfold key. rewrite E0, Et, Ec. apply Rabs_le. lra. }
    split; [exact Hkey|]. apply abs_bounds in Hkey.
    unfold value, query. rewrite Et, Ec. lra.
  Qed.

  (** Content rows return to c = 1, and see nearly nothing of BOS. *)
  Lemma last_content_row i :
    (2 <= i)%nat -> (i <= L)%nat -> i <> j ->
    last_weights i 1%nat <= e /\ Rabs (z6 i (n - 1)%nat - 1) <= 9 * e.
  Proof using Hn Hx Hflag Hbos Hrest Hquiet Hbig HLam.
    intros H2 Hi E. pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    pose proof e_pos as He. destruct sizes as (_ & _ & S3 & _ & _).
    destruct (z5_content i H2 Hi E) as (Ht & Hc & Hq). fold (query i) in Hq.
    destruct (content_key i H2 Hi E) as (Hki & _). destruct bos_key as (Hk1 & Hv1).
    destruct trigger_key as (_ & Hkj & Hvj & _). destruct alpha_bounds as (Ha & _ & Hea).
    assert (Hlow : forall k, 73 / 10 <= key k -> last_weights i k <= e).
    { intros k Hk. apply (last_small i k i); try lia.
      assert (query i * (key k - key i) <= - (19 / 10) * (key k - key i)) by (apply Rmult_le_compat_r; lra). lra. }
    split; [apply Hlow; lra|].
    destruct (last_is_weights i ltac:(lia)) as [Hpos Hs].
    assert (A : Rabs (average i (last_weights i) value - 2) <= 4 * e + 2 * e + 4 * e).
    { eapply Rle_trans; [apply (average_near i _ _ _ (fun k => last_weights i k * (4 * e)
          + (if (k =? 1)%nat then 2 * e else 0) + (if (k =? j)%nat then 4 * e else 0)));
          [now apply last_is_weights; lia|]|].
      - intros k H1 Hki'. specialize (Hpos k H1 Hki').
        assert (P : 0 <= last_weights i k * (4 * e)) by (apply Rmult_le_pos; lra).
        destruct (Nat.eqb_spec k 1) as [->|E1]; [|destruct (Nat.eqb_spec k j) as [->|Ej]].
        + assert (last_weights i 1%nat * Rabs (value 1 - 2) <= e * 2).
          { apply Rmult_le_compat; [assumption|apply Rabs_pos|apply Hlow; lra|apply Rabs_le; lra]. }
          destruct (1 =? j)%nat; lra.
        + assert (last_weights i j * Rabs (value j - 2) <= e * 4).
          { apply Rmult_le_compat; [assumption|apply Rabs_pos|apply Hlow; lra|apply Rabs_le; lra]. }
          lra.
        + destruct (content_key k ltac:(lia) ltac:(lia) Ej) as (_ & Hv).
          rewrite !Rplus_0_r. apply Rmult_le_compat_l; [assumption|]. apply Rabs_le. lra.
      - rewrite !possum_plus, possum_scal_r, Hs, !possum_indicator by lia.
        destruct (1 <=? i)%nat; destruct (j <=? i)%nat; lra. }
    apply abs_bounds in A. rewrite z6_content_flag. apply Rabs_le. lra.
  Qed.

  (** The trigger's row: BOS and itself, nearly half each. *)
  Lemma last_trigger_row :
    last_weights j 1%nat <= / 2 + 200 * INR L * Lam * e /\
    Rabs (z6 j (n - 1)%nat - (1 - 1 / INR (j - 1))) <= (32 * INR L + 200 * INR L * Lam) * e.
  Proof using Hn Hx Hflag Hbos Hrest Hquiet Hbig HLam.
    pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
    pose proof e_pos as He. destruct sizes as (S1 & S2 & S3 & _ & _).
    destruct bos_key as (Hk1 & Hv1). destruct trigger_key as (Hd & Hkj & Hvj & Hq).
    destruct alpha_bounds as (Ha & Hmean & Hea). destruct z5_trigger as (_ & Ec).
    destruct (last_is_weights j ltac:(lia)) as [Hpos Hs].
    set (W := last_weights j) in *.
    set (th := 387 * (Lam * (INR L * e))).
    assert (HLe : 0 <= INR L * e) by (apply Rmult_le_pos; lra).
    assert (HLLe : 0 <= Lam * (INR L * e)) by (apply Rmult_le_pos; lra).
    pose proof (Hpos 1%nat ltac:(lia) ltac:(lia)) as W1. pose proof (Hpos j ltac:(lia) ltac:(lia)) as Wj.
    (* BOS and trigger nearly tie *)
    assert (Htie : Rabs (W j - W 1%nat) <= th).
    { apply (near_tie _ _ (Lam * (query j * (key j - key 1%nat)))); try assumption.
      - pose proof (two_weights_le_1 j W (last_is_weights j ltac:(lia)) ltac:(lia)). lra.
      - apply last_ratio.
      - rewrite Hk1, Rabs_mult, (Rabs_pos_eq Lam), Rabs_mult, (Rabs_pos_eq (query j)) by lra. unfold th.
        replace (387 * (Lam * (INR L * e))) with (Lam * (3 * (129 * INR L * e))) by ring.
        apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat; try lra. apply Rabs_pos. }
    (* contents are nearly unseen *)
    set (sigma := sum (j - 2) (fun k => W (k + 2)%nat)).
    assert (Hmid : forall k, (k < j - 2)%nat -> 0 <= W (k + 2)%nat <= e).
    { intros k Hk. split; [apply Hpos; lia|]. apply (last_small j (k + 2) 1); try lia.
      destruct (content_key (k + 2)) as (Hkk & _); try lia. rewrite Hk1.
      assert (query j * (8 - key (k + 2)%nat) >= 1 * (8 - key (k + 2)%nat))
        by (apply Rle_ge, Rmult_le_compat_r; lra). lra. }
    assert (Hsig0 : 0 <= sigma) by (apply sum_nonneg; intros; now apply Hmid).
    assert (Hsig : sigma <= INR L * e).
    { apply Rle_trans with (INR (j - 2) * e).
      - rewrite <- sum_const. apply sum_le. intros. now apply Hmid.
      - apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
    assert (Hmass : W 1%nat + sigma + W j = 1) by (rewrite possum_ends in Hs by lia; exact Hs).
    apply abs_bounds in Htie. split; [unfold th in Htie; lra|].
    assert (Havg : Rabs (average j W value - value j / 2) <= 3 * sigma + th).
    { unfold average. rewrite possum_ends, Hv1, Rmult_0_r, Rplus_0_l by lia.
      assert (Hc : Rabs (sum (j - 2) (fun k => W (k + 2)%nat * value (k + 2)%nat)) <= 2 * sigma).
      { eapply Rle_trans; [apply sum_abs|]. unfold sigma. rewrite <- sum_scal. apply sum_le. intros k Hk.
        destruct (Hmid k Hk) as [P _]. destruct (content_key (k + 2)) as (_ & Hv); try lia.
        rewrite Rabs_mult, Rabs_pos_eq, Rmult_comm by assumption. apply Rmult_le_compat_r; [assumption|].
        apply Rabs_le. lra. }
      assert (Ht : Rabs ((W j - / 2) * value j) <= (th / 2 + sigma / 2) * 2).
      { rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; apply Rabs_le; lra. }
      apply abs_bounds in Hc. apply abs_bounds in Ht. apply Rabs_le. lra. }
    rewrite z6_content_flag. fold W. rewrite Ec.
    apply abs_bounds in Havg. apply abs_bounds in Hmean. rewrite Hvj in Havg. unfold th in Havg.
    assert (3 * e <= INR L * e) by (apply Rmult_le_compat_r; lra).
    apply Rabs_le. lra.
  Qed.
End Last.
