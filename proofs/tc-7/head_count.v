(** * tc-7 (d): exact zero loss needs at least L - 2 heads

    too_few_heads of statement.v: H positive kernels, ANY value maps, L >= H + 3, n >= H + 3.

    Proof.  Let b = BOS, t the trigger token without noise, p_h = K_h(t,b) v_h(b) + K_h(t,t) v_h(t).  Take f in
    R^n with f.p_h = 0 for all h, supported on the coordinates 2..n-1 (n - 2 >= H + 1 unknowns, H equations:
    [nontrivial_solution]); then f.b = f.t = 0.  Fix a content token x and put A_h = f.v_h(x), X = f.x.
    - Trigger row of (BOS,x^m,t): sum_h m A_h/(beta_h + m) = m X/(m+1) with
      beta_h = (K_h(t,b) + K_h(t,t))/K_h(t,x), for m = 1..H+1.  Both sides vanish at m = 0.  Cleared of denominators:
      a polynomial of degree H + 1 with leading coefficient sum_h A_h - X and H + 2 roots, so sum_h A_h = X.
    - Row m+1 of (BOS,x,..,x,t,..), m = 1..H: with w_h = f.v_h(b) and gamma_h = K_h(x,b)/K_h(x,x),
      sum_h (gamma_h w_h + m A_h)/(gamma_h + m) = 0, and sum_h w_h = 0 from row 1, so
      sum_h m (A_h - w_h)/(gamma_h + m) = 0: degree H, leading coefficient sum_h A_h, H + 1 roots, so
      sum_h A_h = 0.
    Hence f.x = 0 for every content token x; c(0) and c(e_r) then give f = 0, a contradiction.
    (The trigger rows alone leave the case beta_h = 1 open; the quiet rows close it.)

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/head_count.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement polynomials.
Open Scope R_scope.

(** ** H linear equations in more than H unknowns have a nonzero solution *)

(** The indices other than c, in order. *)
Definition skip (c r : nat) : nat := if (r <? c)%nat then r else S r.

Lemma sum_skip N c g :
  (c <= N)%nat -> sum (S N) g = g c + sum N (fun r => g (skip c r)).
Proof.
  revert c. induction N as [|N IH]; intros c Hc.
  - replace c with 0%nat by lia. simpl. ring.
  - destruct (Nat.eq_dec c (S N)) as [->|E].
    + change (sum (S (S N)) g) with (sum (S N) g + g (S N)). rewrite Rplus_comm. f_equal.
      apply sum_ext. intros r Hr. unfold skip. destruct (Nat.ltb_spec r (S N)); [reflexivity|lia].
    + change (sum (S (S N)) g) with (sum (S N) g + g (S N)). rewrite (IH c) by lia.
      change (sum (S N) (fun r => g (skip c r))) with (sum N (fun r => g (skip c r)) + g (skip c N)).
      replace (skip c N) with (S N); [ring|].
      unfold skip. destruct (Nat.ltb_spec N c); [lia|reflexivity].
Qed.

(** A vector is 0 or has a nonzero entry. *)
Lemma zero_or_pivot N (p : nat -> R) :
  (forall r, (r < N)%nat -> p r = 0) \/ exists c, (c < N)%nat /\ p c <> 0.
Proof.
  induction N as [|N [IH|(c & Hc & E)]].
  - left. intros; lia.
  - destruct (Req_dec (p N) 0) as [E|E].
    + left. intros r Hr. destruct (Nat.eq_dec r N) as [->|E']; [assumption|apply IH; lia].
    + right. exists N. split; [lia|assumption].
  - right. exists c. split; [lia|assumption].
Qed.

Lemma nontrivial_solution H :
  forall N (p : nat -> nat -> R), (H < N)%nat ->
  exists f : nat -> R, (exists r, (r < N)%nat /\ f r <> 0) /\
    forall h, (h < H)%nat -> sum N (fun r => f r * p h r) = 0.
Proof.
  induction H as [|H IH]; intros N p HN.
  - exists (fun _ => 1). split; [exists 0%nat; split; [lia|lra]|]. intros; lia.
  - destruct (zero_or_pivot N (p H)) as [Hz|(c & Hc & Hpc)].
    + destruct (IH N p ltac:(lia)) as (f & Hf & Hs). exists f. split; [assumption|].
      intros h Hh. destruct (Nat.eq_dec h H) as [->|E]; [|apply Hs; lia].
      apply sum_zero. intros r Hr. rewrite Hz by assumption. ring.
    + destruct N as [|N]; [lia|].
      destruct (IH N (fun h r => p h (skip c r) - p h c / p H c * p H (skip c r)) ltac:(lia))
        as (f & (r0 & Hr0 & Ef) & Hs).
      set (s := sum N (fun r => f r * p H (skip c r))).
      set (unskip := fun r => if (r <? c)%nat then r else (r - 1)%nat).
      exists (fun r => if (r =? c)%nat then - s / p H c else f (unskip r)).
      assert (Hskip : forall r, skip c r <> c /\ unskip (skip c r) = r).
      { intros r. unfold skip, unskip. destruct (Nat.ltb_spec r c).
        - destruct (Nat.ltb_spec r c); lia.
        - destruct (Nat.ltb_spec (S r) c); lia. }
      assert (Hval : forall r, (if (skip c r =? c)%nat then - s / p H c else f (unskip (skip c r))) = f r).
      { intros r. destruct (Hskip r) as [E1 E2]. apply Nat.eqb_neq in E1. now rewrite E1, E2. }
      split.
      * exists (skip c r0). split; [|now rewrite Hval].
        unfold skip. destruct (Nat.ltb_spec r0 c); lia.
      * intros h Hh. rewrite (sum_skip N c) by lia. rewrite Nat.eqb_refl.
        rewrite (sum_ext N _ (fun r => f r * p h (skip c r))) by (intros; now rewrite Hval).
        destruct (Nat.eq_dec h H) as [->|E].
        -- fold s. field. assumption.
        -- specialize (Hs h ltac:(lia)). cbv beta in Hs.
           rewrite (sum_ext N _ (fun r => f r * p h (skip c r)
                      - p h c / p H c * (f r * p H (skip c r)))) in Hs by (intros; ring).
           rewrite sum_minus, sum_scal in Hs. fold s in Hs.
           replace (sum N (fun r => f r * p h (skip c r))) with (p h c / p H c * s) by lra.
           field. assumption.
Qed.

(** ** The theorem *)

(** f.y over the coordinates 2..n-1. *)
Definition pair_with (n : nat) (f : nat -> R) (y : token) : R := sum (n - 2) (fun r => f r * y (r + 2)%nat).

Lemma pair_with_sum n f m (w : nat -> R) (y : nat -> token) z :
  (forall r, (r < n)%nat -> sum m (fun k => w k * y k r) = z r) ->
  sum m (fun k => w k * pair_with n f (y k)) = pair_with n f z.
Proof.
  intros Hz. unfold pair_with.
  rewrite (sum_ext m _ (fun k => sum (n - 2) (fun r => f r * (w k * y k (r + 2)%nat)))).
  - rewrite sum_swap. apply sum_ext. intros r Hr. rewrite sum_scal, Hz by lia. reflexivity.
  - intros k _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma pair_with_multi n f m (y : nat -> token) :
  pair_with n f (fun r => sum m (fun h => y h r)) = sum m (fun h => pair_with n f (y h)).
Proof.
  symmetry. rewrite (sum_ext m _ (fun h => 1 * pair_with n f (y h))) by (intros; ring).
  apply pair_with_sum. intros r _. apply sum_ext. intros; ring.
Qed.

(** The output of a kernel head, paired with f. *)
Lemma pair_with_head n f K v x i :
  pair_with n f (head (kernel_attention K) v x i)
  = possum i (fun k => K (x i) (x k) * pair_with n f (v (x k))) / possum i (fun l => K (x i) (x l)).
Proof.
  unfold head, kernel_attention, Rdiv. rewrite <- possum_scal_r. symmetry.
  unfold possum.
  rewrite (sum_ext i _ (fun k => (K (x i) (x (S k)) * / sum i (fun l => K (x i) (x (S l))))
                                 * pair_with n f (v (x (S k))))) by (intros; ring).
  apply pair_with_sum. intros r _. reflexivity.
Qed.

(** c(e_r): noise 1 in coordinate r + 2, else 0. *)
Definition one_noise (n r : nat) : token :=
  fun k => constant_content n 0 k + (if (k =? r + 2)%nat then 1 else 0).

Lemma one_noise_is_content n r : (4 <= n)%nat -> (r < n - 3)%nat -> is_content n (one_noise n r).
Proof.
  intros Hn Hr. destruct (constant_content_is_content n 0) as [H0 H1 Hc Hu Hd]; [assumption|lra|].
  unfold one_noise. split.
  - unfold bos_flag in *. rewrite H0. destruct (Nat.eqb_spec 0 (r + 2)); [lia|ring].
  - unfold trigger_flag in *. rewrite H1. destruct (Nat.eqb_spec 1 (r + 2)); [lia|ring].
  - unfold content_flag in *. rewrite Hc. destruct (Nat.eqb_spec (n - 1) (r + 2)); [lia|ring].
  - intros k K1 K2. rewrite constant_content_noise by assumption.
    destruct (k =? r + 2)%nat; lra.
  - intros k Hk. rewrite Hd by assumption. destruct (Nat.eqb_spec k (r + 2)); [lia|ring].
Qed.

(** f.c(0) = f_{n-3}, f.c(e_r) = f_r + f_{n-3}. *)
Lemma pair_with_content n f : (4 <= n)%nat -> pair_with n f (constant_content n 0) = f (n - 3)%nat.
Proof.
  intros Hn. unfold pair_with. rewrite (sum_single _ _ (n - 3)%nat); [|lia|].
  - replace (n - 3 + 2)%nat with (n - 1)%nat by lia.
    destruct (constant_content_is_content n 0) as [_ _ Hc _ _]; [assumption|lra|].
    unfold content_flag in Hc. rewrite Hc. ring.
  - intros k Hk E. rewrite constant_content_noise by lia. ring.
Qed.

Lemma pair_with_one_noise n f r :
  (4 <= n)%nat -> (r < n - 3)%nat -> pair_with n f (one_noise n r) = f r + f (n - 3)%nat.
Proof.
  intros Hn Hr. rewrite <- (pair_with_content n f Hn). unfold pair_with, one_noise.
  rewrite (sum_ext _ _ (fun k => f k * constant_content n 0 (k + 2)%nat
                                 + f k * (if (k + 2 =? r + 2)%nat then 1 else 0))) by (intros; ring).
  rewrite sum_plus, Rplus_comm. f_equal.
  rewrite (sum_single _ _ r); [|lia|].
  - rewrite Nat.eqb_refl. ring.
  - intros k _ E. destruct (Nat.eqb_spec (k + 2) (r + 2)); [lia|ring].
Qed.

Lemma pair_with_trigger n f : (4 <= n)%nat -> pair_with n f (constant_trigger n 0) = 0.
Proof.
  intros Hn. unfold pair_with. apply sum_zero. intros k Hk.
  unfold constant_trigger. destruct (Nat.eqb_spec (k + 2) 0); [lia|].
  destruct (Nat.eqb_spec (k + 2) 1); [lia|]. destruct (k + 2 <? n - 1)%nat; ring.
Qed.

Section Heads.
  Context (n L H : nat) (K : nat -> kernel) (v : nat -> token -> token)
          (Hn : (4 <= n)%nat) (HL : (H + 3 <= L)%nat) (HK : forall h, positive_kernel (K h))
          (Hloss : sup_loss_le n L (multi_head H (fun h => head (kernel_attention (K h)) (v h))) 0).

  Let t := constant_trigger n 0.

  Lemma t_trigger : is_trigger n t.
  Proof using Hn. apply constant_trigger_is_trigger; [assumption|lra]. Qed.

  (** Zero loss, paired with f. *)
  Lemma row f x j i :
    valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
    sum H (fun h => possum i (fun k => K h (x i) (x k) * pair_with n f (v h (x k)))
                    / possum i (fun l => K h (x i) (x l)))
    = pair_with n f (target j x i).
  Proof using Hloss.
    intros Hx H1 H2.
    rewrite (sum_ext H _ (fun h => pair_with n f (head (kernel_attention (K h)) (v h) x i))).
    - rewrite <- (pair_with_multi n f H (fun h => head (kernel_attention (K h)) (v h) x i)).
      unfold pair_with. apply sum_ext. intros r Hr. f_equal.
      pose proof (Hloss x j Hx i (r + 2)%nat H1 H2 ltac:(clear - Hr; lia)) as E. apply abs_bounds in E.
      unfold multi_head in E. lra.
    - intros h _. symmetry. apply pair_with_head.
  Qed.

  Context (f : nat -> R)
          (Hf : forall h, (h < H)%nat ->
                  K h t bos * pair_with n f (v h bos) + K h t t * pair_with n f (v h t) = 0).

  (** The mean of (x^m, t), paired with f. *)
  Lemma probe_target x m :
    (1 <= m)%nat ->
    pair_with n f (target (m + 2) (probe x t (m + 2)) (m + 2)%nat) = INR m * pair_with n f x / (INR m + 1).
  Proof using Hn.
    clear Hf Hloss HL. intros Hm. unfold target, mean_from_2. rewrite Nat.eqb_refl.
    replace (INR (m + 2 - 1)) with (INR m + 1).
    2:{ replace (m + 2 - 1)%nat with (m + 1)%nat by lia. now rewrite plus_INR. }
    assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
    transitivity (INR m / (INR m + 1) * pair_with n f x + / (INR m + 1) * pair_with n f t).
    - unfold pair_with. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros r _.
      pose proof (probe_sum x t (m + 2) (fun y => y (r + 2)%nat) ltac:(clear; lia)) as P.
      rewrite possum_first in P by lia. change (probe x t (m + 2) 1%nat) with bos in P.
      replace (m + 2 - 2)%nat with m in P by lia.
      rewrite bos_pos, !Rplus_0_l in P by lia. rewrite P. field. lra.
    - unfold t. rewrite pair_with_trigger by assumption. field. lra.
  Qed.

  (** f.x = 0 for every content token x. *)
  Lemma content_orthogonal x : is_content n x -> pair_with n f x = 0.
  Proof using Hn HL HK Hloss Hf.
    intros Hx. pose proof t_trigger as Ht.
    set (A := fun h => pair_with n f (v h x)). set (w := fun h => pair_with n f (v h bos)).
    (* trigger rows *)
    assert (E1 : sum H A = pair_with n f x).
    { apply (trigger_rows_lemma A (fun h => (K h t bos + K h t t) / K h t x)).
      - intros h. apply Rdiv_lt_0_compat; [|apply HK].
        pose proof (HK h t bos). pose proof (HK h t t). lra.
      - intros m Hm HmH. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
        assert (Hv : valid n L (m + 2) (probe x t (m + 2))) by (apply probe_valid; auto; lia).
        pose proof (row f _ _ (m + 2)%nat Hv ltac:(lia) ltac:(lia)) as E.
        rewrite probe_target in E by assumption.
        apply (Rmult_eq_reg_l (INR m)); [|lra].
        replace (INR m * (pair_with n f x / (INR m + 1))) with (INR m * pair_with n f x / (INR m + 1)) by (field; lra).
        rewrite <- E, <- sum_scal. apply sum_ext. intros h Hh.
        rewrite probe_trigger by lia.
        rewrite (probe_sum x t (m + 2) (fun y => K h t y)) by lia.
        rewrite (probe_sum x t (m + 2) (fun y => K h t y * pair_with n f (v h y))) by lia.
        replace (m + 2 - 2)%nat with m by lia. fold (A h).
        replace (K h t bos * pair_with n f (v h bos) + INR m * (K h t x * A h) + K h t t * pair_with n f (v h t))
          with (INR m * (K h t x * A h)) by (specialize (Hf h Hh); lra).
        pose proof (HK h t bos). pose proof (HK h t t). pose proof (HK h t x).
        assert (0 < INR m * K h t x) by (apply Rmult_lt_0_compat; lra).
        field. repeat split; lra. }
    (* quiet rows of (BOS, x, .., x, t, ..) with the trigger at H + 3 *)
    assert (Hv : valid n L (H + 3) (probe x t (H + 3))) by (apply probe_valid; auto; lia).
    assert (Hprobe : forall k, (2 <= k)%nat -> (k < H + 3)%nat -> probe x t (H + 3) k = x).
    { intros k K1 K2. unfold probe. destruct (Nat.eqb_spec k 1); [lia|].
      destruct (Nat.eqb_spec k (H + 3)); [lia|reflexivity]. }
    assert (Hzero : forall i, i <> (H + 3)%nat ->
              pair_with n f (target (H + 3) (probe x t (H + 3)) i) = 0).
    { intros i Hi. unfold pair_with. apply sum_zero. intros r _.
      rewrite target_off_trigger by (apply not_eq_sym; congruence || assumption). ring. }
    assert (Ew : sum H w = 0).
    { pose proof (row f _ _ 1%nat Hv ltac:(lia) ltac:(lia)) as E. rewrite Hzero in E by lia.
      rewrite <- E. apply sum_ext. intros h _. unfold possum. cbn [sum].
      change (probe x t (H + 3) 1%nat) with bos. unfold w.
      pose proof (HK h bos bos). field. lra. }
    assert (E0 : sum H (fun h => A h - w h) = 0).
    { apply (quiet_rows_lemma (fun h => A h - w h) (fun h => K h x bos / K h x x)).
      - intros h. apply Rdiv_lt_0_compat; apply HK.
      - intros m Hm HmH. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
        pose proof (row f _ _ (m + 1)%nat Hv ltac:(lia) ltac:(lia)) as E. rewrite Hzero in E by lia.
        rewrite Hprobe in E by lia.
        assert (Hsum : forall g : token -> R, possum (m + 1) (fun k => g (probe x t (H + 3) k)) = g bos + INR m * g x).
        { intros g. rewrite possum_first by lia. change (probe x t (H + 3) 1%nat) with bos. f_equal.
          replace (m + 1 - 1)%nat with m by lia. rewrite <- sum_const. apply sum_ext. intros k Hk.
          rewrite Hprobe by lia. reflexivity. }
        rewrite (sum_ext H _ (fun h => w h + INR m * ((A h - w h) / (K h x bos / K h x x + INR m)))) in E.
        + rewrite sum_plus, Ew, sum_scal, Rplus_0_l in E.
          apply (Rmult_eq_reg_l (INR m)); [rewrite E; ring|lra].
        + intros h _.
          rewrite (Hsum (fun y => K h x y)), (Hsum (fun y => K h x y * pair_with n f (v h y))).
          fold (w h). fold (A h). pose proof (HK h x bos). pose proof (HK h x x).
          assert (0 < INR m * K h x x) by (apply Rmult_lt_0_compat; lra).
          field. repeat split; lra. }
    rewrite sum_minus, Ew, E1 in E0. lra.
  Qed.
End Heads.

Theorem too_few_heads : statement.too_few_heads.
Proof.
  intros n L H K v Hn HnH HL HK Hloss.
  set (t := constant_trigger n 0).
  destruct (nontrivial_solution H (n - 2)
              (fun h r => K h t bos * v h bos (r + 2)%nat + K h t t * v h t (r + 2)%nat)) as (f & (r & Hr & Efr) & Hs);
    [lia|].
  assert (Hf : forall h, (h < H)%nat ->
            K h t bos * pair_with n f (v h bos) + K h t t * pair_with n f (v h t) = 0).
  { intros h Hh. rewrite <- (Hs h Hh). unfold pair_with. rewrite <- !sum_scal, <- sum_plus.
    apply sum_ext. intros. ring. }
  pose proof (content_orthogonal n L H K v Hn HL HK Hloss f Hf) as Hx.
  assert (E0 : f (n - 3)%nat = 0).
  { rewrite <- (pair_with_content n f Hn). apply Hx. apply constant_content_is_content; [assumption|lra]. }
  destruct (Nat.eq_dec r (n - 3)) as [->|E]; [contradiction|].
  apply Efr. pose proof (Hx (one_noise n r) (one_noise_is_content n r Hn ltac:(lia))) as E1.
  rewrite pair_with_one_noise in E1 by lia. lra.
Qed.

Print Assumptions too_few_heads.
