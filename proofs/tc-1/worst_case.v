(** * tc-1, the constant to first order

    With one noise coordinate read as well as the content flag: BOS attention at least 1 - 2 eta/(1 - C eta)
    before the trigger ([worst_case]; m = p = 2, L = 4: 1 - 2 eta/(1 - 9 eta), [worst_case_two]), where theorem
    [necessity_sharp] has 12 eta/5 at best for L = 4.  first_order_sharp.v: 2 is right to first order.

    Proof.  x a content token with noise u, t_w a trigger with noise w = 1 or -1, S = (K(t_w,BOS) + K(t_w,t_w))/K(t_w,x).
    Values relative to v(BOS) = beta.  The trigger rows of (BOS,x^a,t_w) for a = 1 and a = m have, in the content flag,
      v(x) - beta >= 1 - beta + (S-1)/(2(m+1)) - (2S+m+1) eta/(m-1)                           ([content_row])
    and for a = 1 and a = p, in the noise,
      v(x) - beta = u - beta + (u-w)(S-1)/(2(p+1)) up to (2S+p+1) eta/(p-1)                   ([noise_row]).
    v(x) does not know w: so (1-u)(1-S_+) + (1+u)(1-S_-) is small, and S_+ or S_- is nearly at least 1
    ([some_weight_large]); then v(x) is nearly at least 1 in the content flag ([content_floor]), which forces the sink
    ([floor_to_sink] of proofs/theory/probe.v).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-1 Claim worst_case.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task probe.
From Claim Require Import statement.
Open Scope R_scope.

(** ** Arithmetic *)

(** Two trigger rows, with 1 and with M copies of x: values X of x and Y of t (times its weight), relative
    to BOS and in units of K(t,x); targets T1, TM. *)
Lemma row_difference M S X Y beta T1 TM e1 eM eta :
  1 < M -> 0 <= S -> Rabs e1 <= eta -> Rabs eM <= eta ->
  X + Y = (S + 1) * (T1 - beta + e1) -> M * X + Y = (S + M) * (TM - beta + eM) ->
  Rabs ((M - 1) * X - ((S + M) * (TM - beta) - (S + 1) * (T1 - beta))) <= (2 * S + M + 1) * eta.
Proof.
  intros HM HS H1 H2 E1 EM. apply abs_bounds in H1, H2.
  replace ((M - 1) * X - ((S + M) * (TM - beta) - (S + 1) * (T1 - beta))) with ((S + M) * eM - (S + 1) * e1) by lra.
  assert (0 <= (S + M) * (eta - eM)) by (apply Rmult_le_pos; lra).
  assert (0 <= (S + M) * (eta + eM)) by (apply Rmult_le_pos; lra).
  assert (0 <= (S + 1) * (eta - e1)) by (apply Rmult_le_pos; lra).
  assert (0 <= (S + 1) * (eta + e1)) by (apply Rmult_le_pos; lra).
  apply Rabs_le. lra.
Qed.

(** Content flag: targets 1/2 and M/(M+1). *)
Lemma content_algebra M S : 1 < M ->
  forall beta, (S + M) * (M / (M + 1) - beta) - (S + 1) * (/ 2 - beta)
  = (M - 1) * (1 - beta + (S - 1) / (2 * (M + 1))).
Proof. intros HM beta. field. lra. Qed.

(** Noise: targets (u+w)/2 and (M u + w)/(M+1). *)
Lemma noise_algebra M S u w : 1 < M ->
  forall beta, (S + M) * ((M * u + w) / (M + 1) - beta) - (S + 1) * ((u + w) / 2 - beta)
  = (M - 1) * (u - beta + (u - w) * (S - 1) / (2 * (M + 1))).
Proof. intros HM beta. field. lra. Qed.

(** With triggers of noise 1 and -1 one of the weights is nearly at least 1. *)
Lemma some_weight_large P u Sp Sm X beta eta :
  1 < P -> -1 <= u <= 1 -> 0 <= eta -> Sp < 1 -> Sm < 1 ->
  Rabs ((P - 1) * X - (P - 1) * (u - beta + (u - 1) * (Sp - 1) / (2 * (P + 1)))) <= (2 * Sp + P + 1) * eta ->
  Rabs ((P - 1) * X - (P - 1) * (u - beta + (u - -1) * (Sm - 1) / (2 * (P + 1)))) <= (2 * Sm + P + 1) * eta ->
  (P - 1) * (1 - Sp) <= 2 * (P + 1) * (P + 3) * eta \/ (P - 1) * (1 - Sm) <= 2 * (P + 1) * (P + 3) * eta.
Proof.
  intros HP Hu He Hp Hm Bp Bm. apply abs_bounds in Bp, Bm.
  set (c := 2 * (P + 1) * (P + 3) * eta).
  assert (Hc : (1 - u) * ((P - 1) * (1 - Sp)) + (1 + u) * ((P - 1) * (1 - Sm)) <= 2 * c).
  { assert (E : (1 - u) * ((P - 1) * (1 - Sp)) + (1 + u) * ((P - 1) * (1 - Sm))
              = 2 * (P + 1) * (((P - 1) * X - (P - 1) * (u - beta + (u - -1) * (Sm - 1) / (2 * (P + 1)))) * -1
                 + ((P - 1) * X - (P - 1) * (u - beta + (u - 1) * (Sp - 1) / (2 * (P + 1)))))
              * -1).
    { field. lra. }
    rewrite E. unfold c.
    set (bp := (P - 1) * X - (P - 1) * (u - beta + (u - 1) * (Sp - 1) / (2 * (P + 1)))) in *.
    set (bm := (P - 1) * X - (P - 1) * (u - beta + (u - -1) * (Sm - 1) / (2 * (P + 1)))) in *.
    assert (H1 : 0 <= (1 - Sp) * eta) by (apply Rmult_le_pos; lra).
    assert (H2 : 0 <= (1 - Sm) * eta) by (apply Rmult_le_pos; lra).
    assert (H3 : 0 <= (P + 1) * (2 * (P + 3) * eta - (bm - bp))) by (apply Rmult_le_pos; lra). lra. }
  destruct (Rle_lt_dec ((P - 1) * (1 - Sp)) c) as [|G1]; [now left|].
  destruct (Rle_lt_dec ((P - 1) * (1 - Sm)) c) as [|G2]; [now right|exfalso].
  assert (0 <= (1 - u) * ((P - 1) * (1 - Sp) - c)) by (apply Rmult_le_pos; lra).
  assert (0 <= (1 + u) * ((P - 1) * (1 - Sm) - c)) by (apply Rmult_le_pos; lra).
  destruct (Rle_lt_dec u 0).
  - assert (0 < (1 - u) * ((P - 1) * (1 - Sp) - c)) by (apply Rmult_lt_0_compat; lra). lra.
  - assert (0 < (1 + u) * ((P - 1) * (1 - Sm) - c)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** What the floor of the values loses. *)
Definition floor_loss (M P : R) : R := (M + 3) / (M - 1) + (P + 1) * (P + 3) / ((P - 1) * (M + 1)).

Lemma floor_from_weight M P S X beta eta :
  1 < M -> 1 < P -> 0 <= eta -> eta <= (M - 1) / (4 * (M + 1)) ->
  1 <= S \/ S < 1 /\ (P - 1) * (1 - S) <= 2 * (P + 1) * (P + 3) * eta ->
  Rabs ((M - 1) * X - (M - 1) * (1 - beta + (S - 1) / (2 * (M + 1)))) <= (2 * S + M + 1) * eta ->
  1 - beta - floor_loss M P * eta <= X.
Proof.
  intros HM HP He Heta HS B. apply abs_bounds in B. destruct B as [B _].
  set (g := / (2 * (M + 1))). assert (Hg : 0 < g) by (apply Rinv_0_lt_compat; lra).
  assert (HgM : g * (2 * (M + 1)) = 1) by (apply Rinv_l; lra).
  assert (Hgeta : 2 * eta <= (M - 1) * g).
  { apply (Rmult_le_compat_l 2) in Heta; [|lra]. eapply Rle_trans; [exact Heta|]. apply Req_le. unfold g. field. lra. }
  replace ((S - 1) / (2 * (M + 1))) with ((S - 1) * g) in B by (unfold g; field; lra).
  assert (HX : (M - 1) * (1 - beta) - (M + 3) * eta + (S - 1) * ((M - 1) * g - 2 * eta) <= (M - 1) * X) by lra.
  set (kappa := (P + 1) * (P + 3) / (P - 1)).
  assert (Hk : 0 < kappa) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (HL : (M - 1) * (floor_loss M P * eta) = (M + 3) * eta + (M - 1) * (2 * g * kappa * eta)).
  { unfold floor_loss, kappa, g. field. lra. }
  assert (Hgk : 0 <= 2 * g * kappa) by (apply Rmult_le_pos; lra).
  assert (Hke : 0 <= (M - 1) * (2 * g * kappa * eta)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
  apply (Rmult_le_reg_l (M - 1)); [lra|].
  destruct HS as [HS|[HS1 HS2]].
  - assert (0 <= (S - 1) * ((M - 1) * g - 2 * eta)) by (apply Rmult_le_pos; lra). lra.
  - assert (H1S : 1 - S <= 2 * kappa * eta).
    { apply (Rmult_le_reg_l (P - 1)); [lra|]. eapply Rle_trans; [exact HS2|]. apply Req_le. unfold kappa. field. lra. }
    assert (H2 : 0 <= (M - 1) * g * (2 * kappa * eta - (1 - S))).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]. }
    assert (H3 : 0 <= (1 - S) * eta) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** Rows *)

Section Rows.
  Context (n L : nat) (K : kernel) (v : token -> token) (eta : R)
          (Hn : (4 <= n)%nat) (HL : (3 <= L)%nat) (HK : positive_kernel K)
          (Hloss : sup_loss_le n L (head (kernel_attention K) v) eta).

  Let beta r := v bos r.
  Let weight x t := (K t bos + K t t) / K t x.

  (** The trigger row of (BOS, x^q, t, x, ..). *)
  Lemma trigger_row x t q r :
    is_content n x -> is_trigger n t -> (1 <= q)%nat -> (q + 2 <= L)%nat -> (r < n)%nat ->
    exists e, Rabs e <= eta /\
      INR q * (v x r - beta r) + K t t * (v t r - beta r) / K t x
      = (weight x t + INR q) * ((INR q * x r + t r) / (INR q + 1) - beta r + e).
  Proof using Hn HL HK Hloss.
    intros Hx Ht Hq HqL Hr.
    destruct (kernel_probe_row n L K v eta Hn HL (positive_is_nonnegative n L K HK) Hloss x t q r) as [_ H]; try assumption.
    eexists. split; [exact H|].
    pose proof (HK t bos). pose proof (HK t x). pose proof (HK t t). pose proof (pos_INR q).
    assert (0 <= INR q * K t x) by (apply Rmult_le_pos; lra).
    unfold weight, beta. field. repeat split; lra.
  Qed.

  Lemma weight_nonneg x t : 0 <= weight x t.
  Proof using HK.
    clear Hn HL Hloss. pose proof (HK t bos). pose proof (HK t x). pose proof (HK t t).
    unfold weight. left. apply Rdiv_lt_0_compat; lra.
  Qed.

  Lemma content_row x t m :
    is_content n x -> is_trigger n t -> (2 <= m)%nat -> (m + 2 <= L)%nat ->
    Rabs ((INR m - 1) * (v x (n - 1)%nat - beta (n - 1)%nat)
          - (INR m - 1) * (1 - beta (n - 1)%nat + (weight x t - 1) / (2 * (INR m + 1))))
      <= (2 * weight x t + INR m + 1) * eta.
  Proof using Hn HL HK Hloss.
    intros Hx Ht Hm HmL. assert (HM : 2 <= INR m) by (now apply (le_INR 2)).
    destruct (trigger_row x t 1 (n - 1)%nat Hx Ht) as (e1 & He1 & E1); try lia.
    destruct (trigger_row x t m (n - 1)%nat Hx Ht) as (em & Hem & Em); try lia.
    destruct Hx as [_ _ Hxc _ _]. destruct Ht as [_ _ Htc _ _]. unfold content_flag in *. rewrite Hxc, Htc in *.
    change (INR 1) with 1 in E1.
    rewrite <- (content_algebra (INR m) (weight x t)) by lra.
    apply (row_difference (INR m) (weight x t) _ (K t t * (v t (n - 1)%nat - beta (n - 1)%nat) / K t x)
             (beta (n - 1)%nat) (/ 2) (INR m / (INR m + 1)) e1 em eta); try assumption; try lra.
    apply weight_nonneg.
  Qed.

  Lemma noise_row x w p :
    is_content n x -> -1 <= w <= 1 -> (2 <= p)%nat -> (p + 2 <= L)%nat ->
    let S := weight x (constant_trigger n w) in
    Rabs ((INR p - 1) * (v x 2%nat - beta 2%nat)
          - (INR p - 1) * (x 2%nat - beta 2%nat + (x 2%nat - w) * (S - 1) / (2 * (INR p + 1))))
      <= (2 * S + INR p + 1) * eta.
  Proof using Hn HL HK Hloss.
    intros Hx Hw Hp HpL S. assert (HP : 2 <= INR p) by (now apply (le_INR 2)).
    assert (Ht : is_trigger n (constant_trigger n w)) by (now apply constant_trigger_is_trigger).
    set (t := constant_trigger n w) in *.
    assert (Htw : t 2%nat = w) by (unfold t; apply constant_trigger_noise; lia).
    destruct (trigger_row x t 1 2%nat Hx Ht) as (e1 & He1 & E1); try lia.
    destruct (trigger_row x t p 2%nat Hx Ht) as (em & Hem & Em); try lia.
    rewrite Htw in *. change (INR 1) with 1 in E1. fold S in E1, Em.
    rewrite <- (noise_algebra (INR p) S) by lra.
    apply (row_difference (INR p) S _ (K t t * (v t 2%nat - beta 2%nat) / K t x)
             (beta 2%nat) ((x 2%nat + w) / 2) ((INR p * x 2%nat + w) / (INR p + 1)) e1 em eta);
      try assumption; try lra.
    apply weight_nonneg.
  Qed.

  Context (m p : nat) (Hm : (2 <= m)%nat) (HmL : (m + 2 <= L)%nat) (Hp : (2 <= p)%nat) (HpL : (p + 2 <= L)%nat)
          (Heta : eta <= (INR m - 1) / (4 * (INR m + 1))).

  Lemma content_floor x : is_content n x -> 1 - floor_loss (INR m) (INR p) * eta <= v x (n - 1)%nat.
  Proof using Hn HL HK Hloss Hm HmL Hp HpL Heta.
    intros Hx. assert (HM : 2 <= INR m) by (now apply (le_INR 2)). assert (HP : 2 <= INR p) by (now apply (le_INR 2)).
    assert (He : 0 <= eta) by (apply (sup_loss_nonneg n L _ eta Hn) in Hloss; [assumption|lia]).
    assert (Hu : -1 <= x 2%nat <= 1) by (apply (content_noise n x Hx); lia).
    assert (Hend : forall w, -1 <= w <= 1 ->
              let S := weight x (constant_trigger n w) in
              1 <= S \/ S < 1 /\ (INR p - 1) * (1 - S) <= 2 * (INR p + 1) * (INR p + 3) * eta ->
              1 - floor_loss (INR m) (INR p) * eta <= v x (n - 1)%nat).
    { intros w Hw S HS.
      assert (B : 1 - beta (n - 1)%nat - floor_loss (INR m) (INR p) * eta <= v x (n - 1)%nat - beta (n - 1)%nat); [|lra].
      apply (floor_from_weight (INR m) (INR p) S); try assumption; try lra.
      apply content_row; try assumption. now apply constant_trigger_is_trigger. }
    destruct (Rle_lt_dec 1 (weight x (constant_trigger n 1))) as [G1|G1].
    { apply (Hend 1); [lra|now left]. }
    destruct (Rle_lt_dec 1 (weight x (constant_trigger n (-1)))) as [G2|G2].
    { apply (Hend (-1)); [lra|now left]. }
    destruct (some_weight_large (INR p) (x 2%nat) _ _ (v x 2%nat - beta 2%nat) (beta 2%nat) eta
                ltac:(lra) Hu He G1 G2) as [Q|Q].
    - apply (noise_row x 1 p Hx); try assumption; lra.
    - apply (noise_row x (-1) p Hx); try assumption; lra.
    - apply (Hend 1); [lra|right; split; assumption].
    - apply (Hend (-1)); [lra|right; split; assumption].
  Qed.
End Rows.

Theorem worst_case : statement.worst_case.
Proof.
  intros n L m p K v eta Hn Hm HmL Hp HpL HK Heta HC Hloss x j i Hx Hi Hij.
  assert (HM : 2 <= INR m) by (now apply (le_INR 2)). assert (HP : 2 <= INR p) by (now apply (le_INR 2)).
  assert (HL : (3 <= L)%nat) by lia.
  set (F := 1 - floor_loss (INR m) (INR p) * eta).
  assert (E : 1 - second_order_constant m p * eta = F + eta).
  { unfold F, floor_loss, second_order_constant. field. lra. }
  rewrite E. apply Rle_ge.
  apply (floor_to_sink n L K v eta Hn HL (positive_is_nonnegative n L K HK) Hloss F x j i); auto; [lra|].
  intros y Hy. now apply (content_floor n L K v eta Hn HL HK Hloss m p).
Qed.

Theorem worst_case_two : statement.worst_case_two.
Proof.
  intros n L K v eta Hn HL HK Heta Hloss x j i Hx Hi Hij.
  assert (HC : second_order_constant 2 2 = 9) by (unfold second_order_constant; simpl; field; lra).
  rewrite <- HC. apply (worst_case n L 2%nat 2%nat K v eta) with (j := j); auto; simpl; rewrite ?HC; lra.
Qed.

Print Assumptions worst_case.
Print Assumptions worst_case_two.
