(** * tc-3, limits: encodings ADDED to the values refute the bound

    tc-3 is about out_i = V sum_k a_ik x_k.  With out_i = sum_k a_ik (P x_k + c_k), c_2 = -e_{n-1}, c_3 = +e_{n-1}, it
    is false, for every n >= 4 and L >= 3, at loss exactly 0 ([added_encodings_refute]).  Trigger rows: weight
    1/(j-1) on 2..j; c_2 and c_3 cancel.  Position 2 then carries P x_2 - e_{n-1}, which is 0 when x_2 has no noise:
    every other row i >= 2 looks at position 2 only, and not at BOS.  If x_2 has noise the rows look at BOS, and on
    a token with noise 1 row 2 must ([added_encodings_row_two]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-3 Claim added_encodings.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task heads noise_free.
From Claim Require Import statement.
Open Scope R_scope.

(** Trigger rows read the mean; the others read position 2 when its token has no noise, else BOS. *)
Definition avoiding_attention (n : nat) : attention :=
  fun x i k =>
    if Req_EM_T (x i 1%nat) 1 then (if (k =? 1)%nat then 0 else / INR (i - 1))
    else if (2 <=? i)%nat then
      if Req_EM_T (noise_size n (x 2%nat)) 0 then (if (k =? 2)%nat then 1 else 0)
      else if (k =? 1)%nat then 1 else 0
    else if (k =? 1)%nat then 1 else 0.

Lemma one_position i c f :
  (1 <= c)%nat -> (c <= i)%nat -> possum i (fun k => (if (k =? c)%nat then 1 else 0) * f k) = f c.
Proof.
  intros H1 H2. unfold possum. rewrite (sum_single i _ (c - 1)%nat); [|lia|].
  - replace (S (c - 1)) with c by lia. rewrite Nat.eqb_refl. ring.
  - intros k _ E. destruct (Nat.eqb_spec (S k) c); [lia|ring].
Qed.

Lemma one_position_stochastic i c :
  (1 <= c)%nat -> (c <= i)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= (if (k =? c)%nat then 1 else 0)) /\
  possum i (fun k => if (k =? c)%nat then 1 else 0) = 1.
Proof.
  intros H1 H2. split; [intros k _ _; destruct (k =? c)%nat; lra|].
  transitivity (possum i (fun k => (if (k =? c)%nat then 1 else 0) * 1)).
  - apply possum_ext. intros k _ _. ring.
  - now rewrite (one_position i c (fun _ => 1)).
Qed.

Lemma flag_is_trigger n L j x i :
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> x i 1%nat = 1 -> i = j.
Proof.
  intros Hn Hx H1 H2 E. rewrite (valid_trigger_flag n L j x Hx Hn) in E by assumption.
  destruct (Nat.eqb_spec i j); [assumption|lra].
Qed.

Lemma avoiding_row_stochastic n L : (4 <= n)%nat -> row_stochastic n L (avoiding_attention n).
Proof.
  intros Hn x j Hx i Hi HiL. pose proof (trigger_from_3 _ _ _ _ Hx) as H3. unfold avoiding_attention.
  destruct (Req_EM_T (x i 1%nat) 1) as [E|E].
  - pose proof (flag_is_trigger n L j x i Hn Hx Hi HiL E) as Ej.
    assert (HI : 0 < INR (i - 1)) by (apply lt_0_INR; lia). split.
    + intros k _ _. destruct (k =? 1)%nat; [lra|]. left. now apply Rinv_0_lt_compat.
    + rewrite possum_first by assumption. cbn [Nat.eqb]. rewrite (sum_ext _ _ (fun _ => / INR (i - 1))).
      * rewrite sum_const. field. lra.
      * intros k _. destruct (Nat.eqb_spec (k + 2) 1); [lia|reflexivity].
  - destruct (Nat.leb_spec 2 i).
    + destruct (Req_EM_T (noise_size n (x 2%nat)) 0); apply one_position_stochastic; lia.
    + apply one_position_stochastic; lia.
Qed.

Lemma avoiding_exact n L : (4 <= n)%nat -> sup_loss_le n L (encoded_head n (avoiding_attention n) (pair_encoding n)) 0.
Proof.
  intros Hn x j Hx i r Hi HiL Hr.
  pose proof (trigger_from_3 _ _ _ _ Hx) as H3. pose proof (trigger_to_L _ _ _ _ Hx) as HjL.
  assert (Hbos : linear_value n projector (x 1%nat) r + pair_encoding n 1 r = 0).
  { rewrite (first_is_bos _ _ _ _ Hx), linear_projector by assumption. unfold pair_encoding. cbn [Nat.eqb].
    destruct (Nat.eqb_spec r 0) as [->|E]; [|rewrite bos_pos by lia]; destruct (_ =? n - 1)%nat; ring. }
  assert (Hval : forall k, (2 <= k)%nat -> (k <= L)%nat -> linear_value n projector (x k) r = x k r).
  { intros k Hk HkL. rewrite linear_projector by assumption.
    destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity]. now rewrite (valid_bos_flag n L j x Hx) by lia. }
  match goal with |- Rabs ?e <= 0 => assert (H0 : e = 0) end.
  2:{ rewrite H0, Rabs_R0. lra. }
  unfold encoded_head, avoiding_attention. destruct (Req_EM_T (x i 1%nat) 1) as [E|E].
  - pose proof (flag_is_trigger n L j x i Hn Hx Hi HiL E) as Ej. subst i.
    assert (HI : 0 < INR (j - 1)) by (apply lt_0_INR; lia).
    unfold target, mean_from_2. rewrite Nat.eqb_refl. rewrite possum_first by assumption.
    change (1 =? 1)%nat with true. cbv iota. rewrite Rmult_0_l, Rplus_0_l.
    rewrite (sum_ext _ _ (fun k => (x (k + 2)%nat r + pair_encoding n (k + 2) r) * / INR (j - 1))).
    2:{ intros k Hk. destruct (Nat.eqb_spec (k + 2) 1); [lia|]. rewrite Hval by lia. ring. }
    rewrite sum_scal_r, sum_plus.
    replace (sum (j - 1) (fun k => pair_encoding n (k + 2) r)) with 0; [field; lra|].
    rewrite (sum_two _ _ 0%nat 1%nat); try lia.
    + unfold pair_encoding. destruct (r =? n - 1)%nat; cbn; ring.
    + intros k _ K0 K1. unfold pair_encoding. destruct (r =? n - 1)%nat; [|reflexivity].
      destruct (Nat.eqb_spec (k + 2) 2); [lia|]. destruct (Nat.eqb_spec (k + 2) 3); [lia|reflexivity].
  - assert (Eij : i <> j).
    { intros ->. apply E. exact (trigger_trigger_flag _ _ (trigger_at_j _ _ _ _ Hx)). }
    rewrite target_off_trigger, Rminus_0_r by assumption.
    destruct (Nat.leb_spec 2 i).
    + destruct (Req_EM_T (noise_size n (x 2%nat)) 0) as [E0|E0].
      * rewrite (one_position i 2 (fun k => linear_value n projector (x k) r + pair_encoding n k r)) by lia.
        rewrite Hval by lia. unfold pair_encoding. cbn [Nat.eqb].
        destruct (Nat.eqb_spec r (n - 1)) as [->|Er].
        -- rewrite (valid_content_flag n L j x Hx Hn) by lia. destruct (Nat.eqb_spec 2 j); [lia|ring].
        -- rewrite Rplus_0_r. destruct (Nat.eq_dec r 0) as [->|R0]; [apply (valid_bos_flag n L j x Hx Hn); lia|].
           destruct (Nat.eq_dec r 1) as [->|R1].
           ++ rewrite (valid_trigger_flag n L j x Hx Hn) by lia. destruct (Nat.eqb_spec 2 j); [lia|reflexivity].
           ++ apply (noise_size_zero n); [assumption| |]; lia.
      * rewrite (one_position i 1 (fun k => linear_value n projector (x k) r + pair_encoding n k r)) by lia. exact Hbos.
    + rewrite (one_position i 1 (fun k => linear_value n projector (x k) r + pair_encoding n k r)) by lia. exact Hbos.
Qed.

Lemma noise_free_token n y : (forall r, (2 <= r)%nat -> (r <= n - 2)%nat -> y r = 0) -> noise_size n y = 0.
Proof.
  intros H. unfold noise_size. apply sum_zero. intros r _.
  destruct (Nat.leb_spec 2 r); [|reflexivity]. destruct (Nat.leb_spec r (n - 2)); [|reflexivity].
  rewrite H by assumption. apply Rabs_R0.
Qed.

Theorem added_encodings_refute : statement.added_encodings_refute.
Proof.
  intros n L Hn HL. exists (avoiding_attention n).
  split; [now apply avoiding_row_stochastic|]. split; [now apply avoiding_exact|]. split.
  - intros x j i Hx Hz Hi HiL. unfold bos_attention, avoiding_attention.
    destruct (Req_EM_T _ 1); [reflexivity|]. destruct (Nat.leb_spec 2 i); [|lia].
    destruct (Req_EM_T _ 0) as [_|E]; [reflexivity|]. now destruct (E (noise_free_token n (x 2%nat) Hz)).
  - exists (probe (constant_content n 0) (constant_trigger n 0) 3), 3%nat. split.
    + apply probe_valid; try lia; [apply constant_content_is_content|apply constant_trigger_is_trigger]; lra || lia.
    + intros r H2 Hr. change (constant_content n 0 r = 0). now apply constant_content_noise.
Qed.

Theorem added_encodings_refute_instance : exists n L, (4 <= n)%nat /\ (3 <= L)%nat.
Proof. exists 5%nat, 8%nat. lia. Qed.

(** The noise coordinate 2 of row 2, which the encodings leave alone. *)
Theorem added_encodings_row_two : statement.added_encodings_row_two.
Proof.
  intros n L a eta Hn HL Ha Hloss x j Hx Hu.
  pose proof (trigger_from_3 _ _ _ _ Hx). pose proof (trigger_to_L _ _ _ _ Hx).
  pose proof (Hloss x j Hx 2%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as H1.
  destruct (Ha x j Hx 2%nat) as [_ Hs]; try lia.
  rewrite target_off_trigger, Rminus_0_r in H1 by lia.
  unfold encoded_head, possum in H1. unfold possum in Hs. cbn [sum] in H1, Hs.
  rewrite !linear_projector, (first_is_bos _ _ _ _ Hx), Hu in H1 by lia.
  cbn [Nat.eqb] in H1. rewrite bos_S in H1.
  assert (Hc : forall k, pair_encoding n k 2%nat = 0).
  { intros k. unfold pair_encoding. destruct (Nat.eqb_spec 2 (n - 1)); [lia|reflexivity]. }
  rewrite !Hc in H1. apply abs_bounds in H1. unfold bos_attention. lra.
Qed.

Theorem added_encodings_row_two_instance :
  exists n L a eta,
  (4 <= n)%nat /\ (3 <= L)%nat /\ row_stochastic n L a /\
  sup_loss_le n L (encoded_head n a (pair_encoding n)) eta /\
  exists x j, valid n L j x /\ x 2%nat 2%nat = 1.
Proof.
  exists 5%nat, 8%nat, (avoiding_attention 5), 0. do 2 (split; [lia|]).
  split; [apply avoiding_row_stochastic; lia|]. split; [apply avoiding_exact; lia|].
  exists (probe (constant_content 5 1) (constant_trigger 5 0) 6), 6%nat. split; [|reflexivity].
  apply probe_valid; try lia; [apply constant_content_is_content|apply constant_trigger_is_trigger]; lra || lia.
Qed.

Print Assumptions added_encodings_refute.
Print Assumptions added_encodings_refute_instance.
Print Assumptions added_encodings_row_two.
Print Assumptions added_encodings_row_two_instance.
