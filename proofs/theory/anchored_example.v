(** * A head in the plane: an instance of docs/THEORY.md, section 2

    Values v_0 = (-w, 0), v_1 = (1, 1), v_2 = (1, -1) with weights p, (1-p)/2, (1-p)/2: the output is
    (1 - p (1 + w), 0), and u = (1, 0) has u.v_0 = -w, u.v_1 = u.v_2 = 1.  With it the claims sw-1 to sw-3 show
    that what they assume can be met.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/anchored_example.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
Open Scope R_scope.

Definition in_plane (x y : R) : vector := fun r => if (r =? 0)%nat then x else y.

Definition plane_values (w : R) : nat -> vector :=
  fun k => if (k =? 0)%nat then in_plane (- w) 0 else if (k =? 1)%nat then in_plane 1 1 else in_plane 1 (-1).

Definition plane_weights (p : R) : nat -> R := fun k => if (k =? 0)%nat then p else (1 - p) / 2.

Lemma plane_simplex p : 0 <= p <= 1 -> simplex 2 (plane_weights p).
Proof. intros Hp. split; [intros [|k] _; unfold plane_weights; simpl; lra|simpl; unfold plane_weights; simpl; lra]. Qed.

Lemma plane_output p w r : (r < 2)%nat -> output 2 (plane_weights p) (plane_values w) r = in_plane (1 - p * (1 + w)) 0 r.
Proof.
  intros Hr. destruct r as [|[|]]; [| |lia]; unfold output, plane_weights, plane_values, in_plane; simpl; field.
Qed.

Lemma plane_euclidean x : euclidean_norm 2 (in_plane x 0) = Rabs x.
Proof. rewrite <- sqrt_Rsqr_abs. unfold euclidean_norm, dot, in_plane. simpl. f_equal. unfold Rsqr. ring. Qed.

Lemma plane_sup x : sup_norm 2 (in_plane x 0) = Rabs x.
Proof.
  unfold sup_norm, in_plane. simpl. rewrite Rabs_R0, (Rmax_right 0) by apply Rabs_pos.
  apply Rmax_left, Rabs_pos.
Qed.

Lemma plane_output_euclidean p w :
  euclidean_norm 2 (output 2 (plane_weights p) (plane_values w)) = Rabs (1 - p * (1 + w)).
Proof.
  rewrite <- plane_euclidean. apply (norm_reads_m 2 _ (euclidean_is_norm 2)). intros. now apply plane_output.
Qed.

Lemma plane_output_sup p w :
  sup_norm 2 (output 2 (plane_weights p) (plane_values w)) = Rabs (1 - p * (1 + w)).
Proof. rewrite <- plane_sup. apply (norm_reads_m 2 _ (sup_norm_is_norm 2)). intros. now apply plane_output. Qed.

Lemma plane_unit : euclidean_norm 2 (in_plane 1 0) <= 1.
Proof. rewrite plane_euclidean, Rabs_R1. apply Rle_refl. Qed.

Lemma plane_dual : dual_norm_le_1 2 (euclidean_norm 2) (in_plane 1 0).
Proof. apply dual_euclidean, plane_unit. Qed.

Lemma plane_margin w k : (1 <= k)%nat -> dot 2 (in_plane 1 0) (plane_values w k) = 1.
Proof.
  intros Hk. destruct k as [|[|k]]; [lia| |]; unfold dot, plane_values, in_plane; simpl; ring.
Qed.

Lemma plane_anchor w : dot 2 (in_plane 1 0) (plane_values w 0%nat) = - w.
Proof. unfold dot, plane_values, in_plane. simpl. ring. Qed.
