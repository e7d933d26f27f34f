(** * tc-7 (f), the lower bound: kernels that see flags only, linear values, every n >= 4

    [too_few_flag_heads]: H heads have no sup loss 0 if L >= H + 3, nor if L = H + 2 is odd.

    Proof.  With flag_rows.v at eta = 0, M = L - 2 and, for every head, beta = (K(t,BOS) + K(t,t))/K(t,c),
    tau = K(t,t)/K(t,c) < beta, gamma = K(c,BOS)/K(c,c):
    - quiet rows: sum nu_h/(gamma_h + m) = 0, m = 1..H, so sum nu_h = 0;
    - trigger rows, noise on the contents or on the trigger: sum nu_h/(beta_h + m) = 1/(m+1)
      = sum nu_h tau_h/(beta_h + m), m = 1..M.
    Over the common denominator N(x)/D(x) of the first sum, F(x) = (x+1) N(x) - D(x) has degree H, leading
    coefficient sum nu_h - 1 = -1 and roots 1..M.  M > H is impossible.  For M = H, F = - (x-1)..(x-H): at
    x = -beta_h it is not 0, so nu_h and the residue of N there are not 0, and then the difference of the
    two sums, which vanishes, says tau_h = 1.  So every beta_h > 1 and D(-1) = prod (beta_h - 1) > 0;
    but D(-1) = -F(-1) = (-1)^H (H+1)!, negative for odd H.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/flag_heads.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement polynomials flag_rows.
Open Scope R_scope.

Section Scalars.
  Context (H M : nat) (nu beta gamma tau : nat -> R)
          (Hgamma : forall h, 0 < gamma h) (Htau : forall h, 0 < tau h < beta h)
          (Hquiet : forall m, (1 <= m)%nat -> (m <= M)%nat -> sum H (fun h => nu h / (gamma h + INR m)) = 0)
          (Hcontent : forall m, (1 <= m)%nat -> (m <= M)%nat ->
             sum H (fun h => nu h / (beta h + INR m)) = 1 / (INR m + 1))
          (Htrigger : forall m, (1 <= m)%nat -> (m <= M)%nat ->
             sum H (fun h => nu h * tau h / (beta h + INR m)) = 1 / (INR m + 1))
          (HM : (H <= M)%nat).

  Lemma beta_positive h : 0 < beta h.
  Proof using Htau. specialize (Htau h). lra. Qed.

  Definition residual (x : R) : R := (x + 1) * numerator nu beta H x - denominator beta H x.

  Lemma residual_poly : poly H residual (-1).
  Proof using Hgamma Hquiet HM.
    assert (Hsum : sum H nu = 0) by (apply (quiet_rows_lemma nu gamma); auto; intros; apply Hquiet; lia).
    apply (poly_ext _ (fun x => x * numerator nu beta H x + (numerator nu beta H x + -1 * denominator beta H x))).
    { intros x. unfold residual. ring. }
    pose proof (poly_add _ _ _ _ _ (numerator_poly nu beta H) (poly_add _ _ _ _ _ (numerator_low nu beta H)
                  (poly_scal _ _ _ (-1) (denominator_poly beta H)))) as G.
    rewrite Hsum in G. replace (0 + (0 + -1 * 1)) with (-1) in G by ring. exact G.
  Qed.

  Lemma residual_root m : (1 <= m)%nat -> (m <= M)%nat -> residual (INR m) = 0.
  Proof using Htau Hcontent.
    intros H1 H2. pose proof (Hcontent m H1 H2) as E. pose proof (pos_INR m).
    rewrite fraction_sum in E by (exact beta_positive || assumption).
    pose proof (denominator_pos beta H (INR m) beta_positive ltac:(assumption)) as Hd. unfold residual.
    replace (numerator nu beta H (INR m)) with (1 / (INR m + 1) * denominator beta H (INR m)).
    - field. lra.
    - rewrite <- E. field. lra.
  Qed.

  (** F(x) = - (x - 1)..(x - H). *)
  Lemma residual_product x : residual x = -1 * product H (fun k => x - INR (S k)).
  Proof using Hgamma Htau Hquiet Hcontent HM.
    apply (poly_from_roots H residual (-1) residual_poly). intros k Hk. apply residual_root; lia.
  Qed.

  Lemma not_more_rows : (M <= H)%nat.
  Proof using Hgamma Htau Hquiet Hcontent HM.
    destruct (Nat.le_gt_cases M H) as [|HMH]; [assumption|exfalso].
    pose proof (residual_product (INR (S H))) as E. rewrite residual_root in E by lia.
    assert (0 < product H (fun k => INR (S H) - INR (S k))); [|lra].
    apply product_pos. intros k Hk. apply Rlt_Rminus, lt_INR. lia.
  Qed.

  (** The difference of the two sums vanishes identically. *)
  Lemma difference_zero x : numerator (fun h => nu h * (1 - tau h)) beta H x = 0.
  Proof using Htau Hcontent Htrigger HM.
    rewrite (poly_from_roots H _ 0 (numerator_low (fun h => nu h * (1 - tau h)) beta H)); [ring|].
    intros k Hk. pose proof (pos_INR (S k)).
    pose proof (denominator_pos beta H (INR (S k)) beta_positive ltac:(assumption)) as Hd.
    apply (Rmult_eq_reg_r (/ denominator beta H (INR (S k)))); [|apply Rinv_neq_0_compat; lra].
    rewrite Rmult_0_l.
    change (numerator (fun h => nu h * (1 - tau h)) beta H (INR (S k)) / denominator beta H (INR (S k)) = 0).
    rewrite <- fraction_sum by (exact beta_positive || assumption).
    rewrite (sum_ext H _ (fun h => nu h / (beta h + INR (S k)) - nu h * tau h / (beta h + INR (S k))))
      by (intros; unfold Rdiv; ring).
    rewrite sum_minus, Hcontent, Htrigger by lia. ring.
  Qed.

  Lemma tau_one h : (h < H)%nat -> tau h = 1.
  Proof using Hgamma Htau Hquiet Hcontent Htrigger HM.
    intros Hh. destruct (numerator_residue beta H h Hh) as [rest Hrest].
    assert (Hne : nu h * rest <> 0).
    { intros E. pose proof (residual_product (- beta h)) as P. unfold residual in P.
      rewrite Hrest, E, denominator_root in P by assumption.
      apply (product_nonzero H (fun k => - beta h - INR (S k))); [|lra].
      intros k _. pose proof (beta_positive h). pose proof (pos_INR (S k)). lra. }
    pose proof (difference_zero (- beta h)) as D. rewrite Hrest in D.
    apply (Rmult_eq_reg_l (nu h * rest)); [|assumption]. lra.
  Qed.

  Lemma even_count : Nat.Even H.
  Proof using Hgamma Htau Hquiet Hcontent Htrigger HM.
    destruct (Nat.Even_or_Odd H) as [|[q Hq]]; [assumption|exfalso].
    assert (Hpos : 0 < denominator beta H (-1)).
    { assert (G : forall k, (k <= H)%nat -> 0 < denominator beta k (-1)); [|now apply G].
      induction k as [|k IH]; intros Hk; simpl; [lra|]. apply Rmult_lt_0_compat; [apply IH; lia|].
      pose proof (Htau k). rewrite tau_one in * by lia. lra. }
    assert (Hneg : product H (fun k => -1 - INR (S k)) < 0).
    { rewrite (product_ext H _ (fun k => - INR (k + 2))) by (intros; rewrite plus_INR, S_INR; simpl; ring).
      rewrite Hq. replace (2 * q + 1)%nat with (S (2 * q)) by lia. cbn [product].
      rewrite product_opposite by (now exists q).
      assert (0 < product (2 * q) (fun k => INR (k + 2)) * INR (2 * q + 2)); [|lra].
      apply Rmult_lt_0_compat; [apply product_pos; intros|]; apply lt_0_INR; lia. }
    pose proof (residual_product (-1)) as P. unfold residual in P. lra.
  Qed.
End Scalars.

Theorem too_few_flag_heads n L H K V :
  (4 <= n)%nat -> (3 <= L)%nat -> (forall h, positive_kernel (K h)) -> (forall h, flag_kernel n (K h)) ->
  sup_loss_le n L (linear_heads n H K V) 0 -> (H + 2 <= L)%nat -> H = (L - 2)%nat /\ Nat.Even L.
Proof.
  intros Hn HL HK Hflag Hloss HH.
  set (c := noisy_content n 0). set (t := noisy_trigger n 0). set (nu := fun h => V h 2%nat 2%nat).
  set (beta := fun h => (K h t bos + K h t t) / K h t c). set (tau := fun h => K h t t / K h t c).
  set (gamma := fun h => K h c bos / K h c c).
  assert (Hpos : forall h, 0 < K h t bos /\ 0 < K h t c /\ 0 < K h t t) by (intros; repeat split; apply HK).
  assert (Hgamma : forall h, 0 < gamma h) by (intros h; apply Rdiv_lt_0_compat; apply HK).
  assert (Htau : forall h, 0 < tau h < beta h).
  { intros h. destruct (Hpos h) as (?&?&?). split; [now apply Rdiv_lt_0_compat|].
    apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|lra]. }
  assert (Hm1 : forall m, (1 <= m)%nat -> 1 <= INR m) by (intros; now apply (le_INR 1)).
  assert (Hquiet : forall m, (1 <= m)%nat -> (m <= L - 2)%nat ->
            sum H (fun h => nu h / (gamma h + INR m)) = 0).
  { intros m H1 H2. pose proof (quiet_rows_bound n L H K V 0 Hn HK Hflag Hloss m H1 ltac:(lia)) as E.
    apply abs_bounds in E. apply (Rmult_eq_reg_l (INR m)); [|specialize (Hm1 m H1); lra].
    rewrite Rmult_0_r, <- sum_scal.
    rewrite (sum_ext H _ (fun h => nu h * (INR m * K h c c) / (K h c bos + INR m * K h c c)));
      [fold c in E; unfold nu; lra|].
    intros h _. unfold gamma. pose proof (HK h c bos). pose proof (HK h c c). specialize (Hm1 m H1).
    assert (0 < INR m * K h c c) by (apply Rmult_lt_0_compat; lra). field. repeat split; lra. }
  assert (Hrow : forall m u v, (1 <= m)%nat -> (m <= L - 2)%nat -> -1 <= u <= 1 -> -1 <= v <= 1 ->
            sum H (fun h => nu h * (INR m * u + tau h * v) / (beta h + INR m)) = (INR m * u + v) / (INR m + 1)).
  { intros m u v H1 H2 Hu Hv.
    pose proof (trigger_rows n L H K V 0 Hn HK Hflag Hloss m u v H1 ltac:(lia) Hu Hv) as E.
    apply abs_bounds in E. fold c t in E.
    rewrite (sum_ext H _ (fun h => nu h * (INR m * K h t c * u + K h t t * v)
                                   / (K h t bos + INR m * K h t c + K h t t))); [unfold nu; lra|].
    intros h _. unfold beta, tau. destruct (Hpos h) as (?&?&?). specialize (Hm1 m H1).
    assert (0 < INR m * K h t c) by (apply Rmult_lt_0_compat; lra). field. repeat split; lra. }
  assert (Hcontent : forall m, (1 <= m)%nat -> (m <= L - 2)%nat ->
            sum H (fun h => nu h / (beta h + INR m)) = 1 / (INR m + 1)).
  { intros m H1 H2. pose proof (Hrow m 1 0 H1 H2 ltac:(lra) ltac:(lra)) as E. specialize (Hm1 m H1).
    apply (Rmult_eq_reg_l (INR m)); [|lra]. rewrite <- sum_scal.
    rewrite (sum_ext H _ (fun h => nu h * (INR m * 1 + tau h * 0) / (beta h + INR m)))
      by (intros; unfold Rdiv; ring).
    rewrite E. field. lra. }
  assert (Htrigger : forall m, (1 <= m)%nat -> (m <= L - 2)%nat ->
            sum H (fun h => nu h * tau h / (beta h + INR m)) = 1 / (INR m + 1)).
  { intros m H1 H2. pose proof (Hrow m 0 1 H1 H2 ltac:(lra) ltac:(lra)) as E. specialize (Hm1 m H1).
    rewrite (sum_ext H _ (fun h => nu h * (INR m * 0 + tau h * 1) / (beta h + INR m)))
      by (intros; unfold Rdiv; ring).
    rewrite E. field. lra. }
  assert (HM : (H <= L - 2)%nat) by lia.
  pose proof (not_more_rows H (L - 2) nu beta gamma tau Hgamma Htau Hquiet Hcontent HM).
  split; [lia|].
  destruct (even_count H (L - 2) nu beta gamma tau Hgamma Htau Hquiet Hcontent Htrigger HM) as [q Hq].
  exists (S q). lia.
Qed.
