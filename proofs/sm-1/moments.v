(** * sm-1: second moments of outputs under smoothed attention

    Proves the sentences of statement.v.  The moments are theory/second_moments.v, which sm-2 uses too; the derivative
    is taken from the difference quotient.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/sm-1 Claim <proofs>/sm-1/moments.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch second_moments.
From Claim Require Import statement.
Open Scope R_scope.

Theorem independent_uncorrelated : statement.independent_uncorrelated.
Proof. intros Omega integrable E d k X mu B. now apply independent_is_uncorrelated. Qed.

Theorem attention_moment : statement.attention_moment.
Proof. intros Omega integrable E d k X mu B beta W a i l. now apply general_moment. Qed.

Theorem second_moment : statement.second_moment.
Proof.
  intros Omega integrable E d k X mu B beta W lam i HE HX Hi.
  exact (own_moment Omega integrable E d k X mu B beta W lam i HE HX Hi).
Qed.

Theorem product_moment : statement.product_moment.
Proof. intros Omega integrable E d k X mu B beta W lam i l. now apply pair_moment. Qed.

Theorem moment_bounds : statement.moment_bounds.
Proof.
  intros Omega integrable E d k X mu B beta W HE HX Hk.
  destruct (numbers_of_model Omega integrable E d k X mu B beta W HE HX Hk). auto.
Qed.

Theorem second_moment_derivative : statement.second_moment_derivative.
Proof.
  intros p s t N0 i lam. set (c := N0 + p). set (th := theta i).
  assert (H : forall h, c + 2 * (1 - (lam + h) * th) * s + (1 - th * (1 - (1 - (lam + h)) ^ 2)) * t
      - (c + 2 * (1 - lam * th) * s + (1 - th * (1 - (1 - lam) ^ 2)) * t)
      = h * (-2 * th * (s + (1 - lam) * t)) + h * h * (th * t)) by (intros; ring).
  intros eps Heps.
  assert (Hd : 0 < eps / (Rabs (th * t) + 1)).
  { apply Rdiv_lt_0_compat; [assumption|]. pose proof (Rabs_pos (th * t)). lra. }
  exists (mkposreal _ Hd). intros h Hh0 Hh. cbv beta. rewrite H. simpl in Hh.
  replace ((h * (-2 * th * (s + (1 - lam) * t)) + h * h * (th * t)) / h - -2 * th * (s + (1 - lam) * t))
    with (h * (th * t)) by (field; assumption).
  rewrite Rabs_mult. pose proof (Rabs_pos (th * t)) as Hp.
  assert (Rabs h * (Rabs (th * t) + 1) < eps).
  { apply (Rmult_lt_compat_r (Rabs (th * t) + 1)) in Hh; [|lra].
    replace (eps / (Rabs (th * t) + 1) * (Rabs (th * t) + 1)) with eps in Hh by (field; lra). assumption. }
  pose proof (Rabs_pos h). nra.
Qed.

Print Assumptions attention_moment.
Print Assumptions second_moment.
Print Assumptions second_moment_derivative.
Print Assumptions product_moment.
Print Assumptions independent_uncorrelated.
Print Assumptions moment_bounds.
