(** * tc-7: the rows of heads that see flags only, linear values, noise in coordinate 2

    Flipping the noise and halving the difference of two rows leaves nu_h = V_h[2][2] and the kernels: the
    trigger row with m copies of a content token ([trigger_rows]) and row m + 1 before it ([quiet_rows_bound]).
    Used by two_head_floor.v and flag_heads.v.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/flag_rows.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement.
Open Scope R_scope.

(** Noise u in coordinate 2, else 0. *)
Definition noisy_content (n : nat) (u : R) : token := fun k => constant_content n 0 k + (if (k =? 2)%nat then u else 0).
Definition noisy_trigger (n : nat) (u : R) : token := fun k => constant_trigger n 0 k + (if (k =? 2)%nat then u else 0).

Lemma noisy_content_is_content n u : (4 <= n)%nat -> -1 <= u <= 1 -> is_content n (noisy_content n u).
Proof.
  intros Hn Hu0. destruct (constant_content_is_content n 0) as [H0 H1 Hc Hu Hd]; [assumption|lra|].
  unfold noisy_content. split.
  - unfold bos_flag in *. rewrite H0. cbn [Nat.eqb]. ring.
  - unfold trigger_flag in *. rewrite H1. cbn [Nat.eqb]. ring.
  - unfold content_flag in *. rewrite Hc. destruct (Nat.eqb_spec (n - 1) 2); [lia|ring].
  - intros k K1 K2. rewrite constant_content_noise by assumption. destruct (k =? 2)%nat; lra.
  - intros k Hk. rewrite Hd by assumption. destruct (Nat.eqb_spec k 2); [lia|ring].
Qed.

Lemma noisy_trigger_is_trigger n u : (4 <= n)%nat -> -1 <= u <= 1 -> is_trigger n (noisy_trigger n u).
Proof.
  intros Hn Hu0. destruct (constant_trigger_is_trigger n 0) as [H0 H1 Hc Hu Hd]; [assumption|lra|].
  unfold noisy_trigger. split.
  - unfold bos_flag in *. rewrite H0. cbn [Nat.eqb]. ring.
  - unfold trigger_flag in *. rewrite H1. cbn [Nat.eqb]. ring.
  - unfold content_flag in *. rewrite Hc. destruct (Nat.eqb_spec (n - 1) 2); [lia|ring].
  - intros k K1 K2. rewrite constant_trigger_noise by assumption. destruct (k =? 2)%nat; lra.
  - intros k Hk. rewrite Hd by assumption. destruct (Nat.eqb_spec k 2); [lia|ring].
Qed.

Lemma content_same_flags n x y : is_content n x -> is_content n y -> same_flags n x y.
Proof. intros [A B C _ _] [D E F _ _]. repeat split; congruence. Qed.

Lemma trigger_same_flags n x y : is_trigger n x -> is_trigger n y -> same_flags n x y.
Proof. intros [A B C _ _] [D E F _ _]. repeat split; congruence. Qed.

Lemma same_flags_refl n x : same_flags n x x.
Proof. repeat split. Qed.

Lemma linear_noise n V (x : token) u r :
  (4 <= n)%nat ->
  linear_value n V (fun k => x k + (if (k =? 2)%nat then u else 0)) r = linear_value n V x r + u * V r 2%nat.
Proof.
  intros Hn. unfold linear_value.
  rewrite (sum_ext n _ (fun c => V r c * x c + V r c * (if (c =? 2)%nat then u else 0))) by (intros; ring).
  rewrite sum_plus. f_equal. rewrite (sum_single n _ 2%nat); [rewrite Nat.eqb_refl; ring|lia|].
  intros k _ Hk. apply Nat.eqb_neq in Hk. rewrite Hk. ring.
Qed.

Section Model.
  Context (n L H : nat) (K : nat -> kernel) (V : nat -> matrix) (eta : R)
          (Hn : (4 <= n)%nat) (HK : forall h, positive_kernel (K h)) (Hflag : forall h, flag_kernel n (K h))
          (Hloss : sup_loss_le n L (linear_heads n H K V) eta).

  Let c := noisy_content n 0.
  Let t := noisy_trigger n 0.
  Let nu h := V h 2%nat 2%nat.

  Lemma Hc : is_content n c.
  Proof using Hn. apply noisy_content_is_content; [assumption|lra]. Qed.

  Lemma Ht : is_trigger n t.
  Proof using Hn. apply noisy_trigger_is_trigger; [assumption|lra]. Qed.

  (** The trigger row of (BOS, c(u)^m, t(v)), coordinate 2. *)
  Lemma trigger_row_value h u v m :
    -1 <= u <= 1 -> -1 <= v <= 1 ->
    head (kernel_attention (K h)) (linear_value n (V h)) (probe (noisy_content n u) (noisy_trigger n v) (m + 2))
      (m + 2)%nat 2%nat
    = (K h t bos * linear_value n (V h) bos 2%nat
       + INR m * (K h t c * (linear_value n (V h) (constant_content n 0) 2%nat + u * nu h))
       + K h t t * (linear_value n (V h) (constant_trigger n 0) 2%nat + v * nu h))
      / (K h t bos + INR m * K h t c + K h t t).
  Proof using Hn Hflag.
    intros Hu Hv. rewrite kernel_head_quotient, probe_trigger by lia.
    assert (Hcu : is_content n (noisy_content n u)) by (now apply noisy_content_is_content).
    assert (Htv : is_trigger n (noisy_trigger n v)) by (now apply noisy_trigger_is_trigger).
    rewrite (probe_sum _ _ (m + 2) (fun y => K h (noisy_trigger n v) y)) by lia.
    rewrite (probe_sum _ _ (m + 2) (fun y => K h (noisy_trigger n v) y * linear_value n (V h) y 2%nat)) by lia.
    replace (m + 2 - 2)%nat with m by lia.
    rewrite (Hflag h (noisy_trigger n v) t bos bos)
      by (apply same_flags_refl || (apply trigger_same_flags; [assumption|apply Ht])).
    rewrite (Hflag h (noisy_trigger n v) t (noisy_content n u) c)
      by ((apply trigger_same_flags; [assumption|apply Ht]) || (apply content_same_flags; [assumption|apply Hc])).
    rewrite (Hflag h (noisy_trigger n v) t (noisy_trigger n v) t) by (apply trigger_same_flags; [assumption|apply Ht]).
    unfold noisy_content at 1, noisy_trigger at 1. rewrite !linear_noise by assumption. reflexivity.
  Qed.

  (** Row m+1 of the same sequence. *)
  Lemma quiet_row_value h u m :
    -1 <= u <= 1 -> (1 <= m)%nat ->
    head (kernel_attention (K h)) (linear_value n (V h)) (probe (noisy_content n u) t (m + 2)) (m + 1)%nat 2%nat
    = (K h c bos * linear_value n (V h) bos 2%nat
       + INR m * (K h c c * (linear_value n (V h) (constant_content n 0) 2%nat + u * nu h)))
      / (K h c bos + INR m * K h c c).
  Proof using Hn Hflag.
    intros Hu Hm. rewrite kernel_head_quotient.
    assert (Hcu : is_content n (noisy_content n u)) by (now apply noisy_content_is_content).
    assert (Hprobe : forall k, (2 <= k)%nat -> (k <= m + 1)%nat ->
              probe (noisy_content n u) t (m + 2) k = noisy_content n u).
    { intros k K1 K2. unfold probe. destruct (Nat.eqb_spec k 1); [lia|].
      destruct (Nat.eqb_spec k (m + 2)); [lia|reflexivity]. }
    assert (Hsum : forall g : token -> R, possum (m + 1) (fun k => g (probe (noisy_content n u) t (m + 2) k))
                                          = g bos + INR m * g (noisy_content n u)).
    { intros g. rewrite possum_first by lia. change (probe (noisy_content n u) t (m + 2) 1%nat) with bos. f_equal.
      replace (m + 1 - 1)%nat with m by lia. rewrite <- sum_const. apply sum_ext. intros k Hk.
      rewrite Hprobe by lia. reflexivity. }
    rewrite Hprobe by lia.
    rewrite (Hsum (fun y => K h (noisy_content n u) y)),
      (Hsum (fun y => K h (noisy_content n u) y * linear_value n (V h) y 2%nat)).
    rewrite (Hflag h (noisy_content n u) c bos bos)
      by (apply same_flags_refl || (apply content_same_flags; [assumption|apply Hc])).
    rewrite (Hflag h (noisy_content n u) c (noisy_content n u) c) by (apply content_same_flags; [assumption|apply Hc]).
    unfold noisy_content at 1. rewrite linear_noise by assumption. reflexivity.
  Qed.

  Lemma target_value u v m :
    (1 <= m)%nat ->
    target (m + 2) (probe (noisy_content n u) (noisy_trigger n v) (m + 2)) (m + 2)%nat 2%nat
    = (INR m * u + v) / (INR m + 1).
  Proof using Hn.
    intros Hm. unfold target, mean_from_2. rewrite Nat.eqb_refl.
    replace (m + 2 - 1)%nat with (S m) by lia. rewrite S_INR. f_equal. cbn [sum]. f_equal.
    - rewrite <- sum_const. apply sum_ext. intros k Hk. unfold probe, noisy_content.
      destruct (Nat.eqb_spec (k + 2) 1); [lia|]. destruct (Nat.eqb_spec (k + 2) (m + 2)); [lia|].
      rewrite constant_content_noise by lia. cbn [Nat.eqb]. ring.
    - rewrite probe_trigger by lia. unfold noisy_trigger. rewrite constant_trigger_noise by lia. cbn [Nat.eqb]. ring.
  Qed.

  (** Flipping the noise and halving the difference. *)
  Lemma half_difference p q y : Rabs (p - y) <= eta -> Rabs (q - - y) <= eta -> Rabs ((p - q) / 2 - y) <= eta.
  Proof using. intros H1 H2. apply abs_bounds in H1, H2. apply Rabs_le. lra. Qed.

  Lemma half_sum (f g : nat -> R) : (sum H f - sum H g) / 2 = sum H (fun h => (f h - g h) / 2).
  Proof using. unfold Rdiv. now rewrite <- sum_minus, <- sum_scal_r. Qed.

  Lemma trigger_rows m u v :
    (1 <= m)%nat -> (m + 2 <= L)%nat -> -1 <= u <= 1 -> -1 <= v <= 1 ->
    Rabs (sum H (fun h => nu h * (INR m * K h t c * u + K h t t * v) / (K h t bos + INR m * K h t c + K h t t))
          - (INR m * u + v) / (INR m + 1)) <= eta.
  Proof using Hn HK Hflag Hloss.
    intros Hm HmL Hu Hv.
    assert (Hval : forall u v, -1 <= u <= 1 -> -1 <= v <= 1 ->
              valid n L (m + 2) (probe (noisy_content n u) (noisy_trigger n v) (m + 2))).
    { intros u' v' Hu' Hv'. apply probe_valid; try lia.
      - now apply noisy_content_is_content.
      - now apply noisy_trigger_is_trigger. }
    pose proof (Hloss _ _ (Hval u v Hu Hv) (m + 2)%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as P.
    pose proof (Hloss _ _ (Hval (- u) (- v) ltac:(lra) ltac:(lra)) (m + 2)%nat 2%nat
                  ltac:(lia) ltac:(lia) ltac:(lia)) as Q.
    rewrite target_value in P, Q by assumption.
    replace ((INR m * - u + - v) / (INR m + 1)) with (- ((INR m * u + v) / (INR m + 1))) in Q
      by (unfold Rdiv; ring).
    pose proof (half_difference _ _ _ P Q) as B. unfold linear_heads, kernel_heads, multi_head in B.
    rewrite half_sum in B. eapply Rle_trans; [|exact B]. apply Req_le. f_equal. f_equal.
    apply sum_ext. intros h _. rewrite !trigger_row_value by lra.
    pose proof (HK h t bos). pose proof (HK h t c). pose proof (HK h t t). pose proof (pos_INR m).
    assert (0 <= INR m * K h t c) by (apply Rmult_le_pos; lra). field. lra.
  Qed.

  Lemma quiet_rows_bound m :
    (1 <= m)%nat -> (m + 2 <= L)%nat ->
    Rabs (sum H (fun h => nu h * (INR m * K h c c) / (K h c bos + INR m * K h c c))) <= eta.
  Proof using Hn HK Hflag Hloss.
    intros Hm HmL.
    assert (Hval : forall u, -1 <= u <= 1 -> valid n L (m + 2) (probe (noisy_content n u) t (m + 2))).
    { intros u' Hu'. apply probe_valid; try lia; [now apply noisy_content_is_content|apply Ht]. }
    pose proof (Hloss _ _ (Hval 1 ltac:(lra)) (m + 1)%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as P.
    pose proof (Hloss _ _ (Hval (-1) ltac:(lra)) (m + 1)%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)) as Q.
    rewrite target_off_trigger in P, Q by lia. replace 0 with (- 0) in Q by ring.
    pose proof (half_difference _ _ _ P Q) as B. unfold linear_heads, kernel_heads, multi_head in B.
    rewrite half_sum, Rminus_0_r in B. eapply Rle_trans; [|exact B]. apply Req_le. f_equal.
    apply sum_ext. intros h _. rewrite !quiet_row_value by (lra || assumption).
    pose proof (HK h c bos). pose proof (HK h c c). pose proof (pos_INR m).
    assert (0 <= INR m * K h c c) by (apply Rmult_le_pos; lra). field. lra.
  Qed.
End Model.
