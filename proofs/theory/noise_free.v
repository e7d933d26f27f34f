(** * Tokens without noise: what the models that attain a constant test for *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
Open Scope R_scope.

(** The sum of the absolute noise coordinates. *)
Definition noise_size (n : nat) (y : token) : R :=
  sum n (fun r => if (2 <=? r)%nat then if (r <=? n - 2)%nat then Rabs (y r) else 0 else 0).

Lemma noise_size_nonneg n y : 0 <= noise_size n y.
Proof.
  apply sum_nonneg. intros k _. destruct (2 <=? k)%nat, (k <=? n - 2)%nat; try lra. apply Rabs_pos.
Qed.

Lemma noise_size_zero n y r : noise_size n y = 0 -> (2 <= r)%nat -> (r <= n - 2)%nat -> y r = 0.
Proof.
  intros H H2 Hr.
  pose proof (sum_term_le n (fun r => if (2 <=? r)%nat then if (r <=? n - 2)%nat then Rabs (y r) else 0 else 0) r) as T.
  cbv beta in T. destruct (Nat.leb_spec 2 r); [|lia]. destruct (Nat.leb_spec r (n - 2)); [|lia].
  assert (T' : Rabs (y r) <= 0).
  { rewrite <- H. apply T; [|lia]. intros k _. destruct (2 <=? k)%nat, (k <=? n - 2)%nat; try lra. apply Rabs_pos. }
  pose proof (abs_bounds _ _ T'). lra.
Qed.

Lemma noise_size_constant_content n : noise_size n (constant_content n 0) = 0.
Proof.
  unfold noise_size. apply sum_zero. intros r Hr.
  destruct (Nat.leb_spec 2 r); [|reflexivity]. destruct (Nat.leb_spec r (n - 2)); [|reflexivity].
  rewrite constant_content_noise by assumption. apply Rabs_R0.
Qed.

Lemma noise_size_constant_trigger n : noise_size n (constant_trigger n 0) = 0.
Proof.
  unfold noise_size. apply sum_zero. intros r Hr.
  destruct (Nat.leb_spec 2 r); [|reflexivity]. destruct (Nat.leb_spec r (n - 2)); [|reflexivity].
  rewrite constant_trigger_noise by assumption. apply Rabs_R0.
Qed.
