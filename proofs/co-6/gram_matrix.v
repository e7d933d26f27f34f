(** * co-6: operator norm and null matrix, read off the Gram matrix

    Every vector is a combination of the tokens plus a vector orthogonal to all of them (Gram-Schmidt on the
    tokens one by one), so no rank is assumed.

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/co-6 Claim gram_matrix.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost.
From Claim Require Import statement.
Open Scope R_scope.

(** ** Linear algebra over T tokens *)

Definition apply_matrix (T : nat) (A : matrix) (x : vector) : vector := fun i => sum T (fun j => A i j * x j).

Definition token_products (d : nat) (X : nat -> vector) (u : vector) : vector := fun i => dot d (X i) u.

(** The combination sum_i c_i x_i of the tokens. *)
Definition token_sum (T : nat) (X : nat -> vector) (c : vector) : vector := fun a => sum T (fun i => c i * X i a).

Lemma apply_product T A B x i : apply_matrix T (product T A B) x i = apply_matrix T A (apply_matrix T B x) i.
Proof.
  unfold apply_matrix, product.
  transitivity (sum T (fun j => sum T (fun k => A i k * B k j * x j))).
  - apply sum_ext. intros. now rewrite sum_scal_r.
  - rewrite sum_swap. apply sum_ext. intros k _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma apply_ext T A x y i : (forall j, (j < T)%nat -> x j = y j) -> apply_matrix T A x i = apply_matrix T A y i.
Proof. intros H. unfold apply_matrix. apply sum_ext. intros. now rewrite H. Qed.

Lemma bilinear_apply T A x y : bilinear T A x y = dot T x (apply_matrix T A y).
Proof. exact (bilinear_dot T A x y). Qed.

Lemma bilinear_transpose T A x y : bilinear T A x y = bilinear T (transpose A) y x.
Proof.
  unfold bilinear, transpose. rewrite sum_swap. apply sum_ext. intros. apply sum_ext. intros. ring.
Qed.

Lemma bilinear_product T A B x y : bilinear T (product T A B) x y = bilinear T A x (apply_matrix T B y).
Proof.
  rewrite !bilinear_apply. apply dot_ext; [reflexivity|]. intros. apply apply_product.
Qed.

Lemma gram_symmetric d X i j : gram d X i j = gram d X j i.
Proof. apply dot_comm. Qed.

Lemma dot_token_sum d T X c v : dot d (token_sum T X c) v = dot T c (token_products d X v).
Proof.
  unfold token_sum, token_products, dot.
  transitivity (sum d (fun a => sum T (fun i => c i * (X i a * v a)))).
  - apply sum_ext. intros a _. rewrite <- sum_scal_r. apply sum_ext. intros. ring.
  - rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scal.
Qed.

Lemma products_of_sum d T X c i : token_products d X (token_sum T X c) i = apply_matrix T (gram d X) c i.
Proof.
  unfold token_products. rewrite dot_comm, dot_token_sum. unfold apply_matrix, token_products, dot at 1.
  apply sum_ext. intros j _. rewrite gram_symmetric. unfold gram. ring.
Qed.

Lemma dot_sum_sum d T X c e : dot d (token_sum T X c) (token_sum T X e) = bilinear T (gram d X) c e.
Proof.
  rewrite dot_token_sum, bilinear_apply. apply dot_ext; [reflexivity|]. intros. apply products_of_sum.
Qed.

(** u^T (X^T L X) v = (X u)^T L (X v). *)
Lemma bilinear_token_matrix d T X L u v :
  bilinear d (token_matrix T X L) u v = bilinear T L (token_products d X u) (token_products d X v).
Proof.
  transitivity (sum d (fun a => sum d (fun b => sum T (fun i => sum T (fun j =>
                  L i j * (X i a * u a) * (X j b * v b)))))).
  - unfold bilinear, token_matrix. apply sum_ext. intros a _. apply sum_ext. intros b _.
    rewrite (Rmult_comm (u a)), Rmult_assoc, <- sum_scal_r. apply sum_ext. intros i _.
    rewrite <- sum_scal_r. apply sum_ext. intros. ring.
  - transitivity (sum T (fun i => sum T (fun j => sum d (fun a => sum d (fun b =>
                    L i j * (X i a * u a) * (X j b * v b)))))).
    + transitivity (sum d (fun a => sum T (fun i => sum T (fun j => sum d (fun b =>
                      L i j * (X i a * u a) * (X j b * v b)))))).
      * apply sum_ext. intros a _. rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
      * rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
    + unfold bilinear, token_products, dot. apply sum_ext. intros i _. apply sum_ext. intros j _.
      transitivity (sum d (fun a => L i j * (X i a * u a) * sum d (fun b => X j b * v b))).
      * apply sum_ext. intros a _. now rewrite sum_scal.
      * rewrite sum_scal_r, sum_scal. ring.
Qed.

(** Y^T w = X^T (L^T X w): the tokens combined with coefficients L^T X w. *)
Lemma transposed_token_matrix d T X L w v :
  dot d (transposed_image d (token_matrix T X L) w) v
  = dot d (token_sum T X (apply_matrix T (transpose L) (token_products d X w))) v.
Proof.
  rewrite <- bilinear_transposed, bilinear_token_matrix, bilinear_transpose, bilinear_apply, dot_comm.
  now rewrite dot_token_sum.
Qed.

Lemma transposed_token_square d T X L w :
  let g := apply_matrix T (transpose L) (token_products d X w) in
  dot d (transposed_image d (token_matrix T X L) w) (transposed_image d (token_matrix T X L) w)
  = bilinear T (gram d X) g g.
Proof.
  intros g. rewrite transposed_token_matrix, dot_comm, transposed_token_matrix. apply dot_sum_sum.
Qed.

(** Every vector is a combination of the tokens plus a vector orthogonal to all of them: no rank assumption. *)
Lemma orthogonal_part d T X w :
  exists c, forall i, (i < T)%nat -> dot d (X i) (vsub w (token_sum T X c)) = 0.
Proof.
  revert w. induction T as [|T IH]; intros w; [exists (fun _ => 0); intros; lia|].
  destruct (IH w) as [c Hc]. destruct (IH (X T)) as [e He].
  set (r := vsub (X T) (token_sum T X e)) in *. set (v := vsub w (token_sum T X c)) in *.
  destruct (Req_dec (dot d r r) 0) as [R0|R0].
  - (* x_T depends on the others *)
    exists (fun i => if (i =? T)%nat then 0 else c i).
    assert (E : forall x, dot d x (vsub w (token_sum (S T) X (fun i => if (i =? T)%nat then 0 else c i))) = dot d x v).
    { intros x. apply dot_ext; [reflexivity|]. intros a _. unfold v, vsub, token_sum. cbn [sum].
      rewrite Nat.eqb_refl, Rmult_0_l, Rplus_0_r. f_equal. apply sum_ext. intros k Hk.
      destruct (Nat.eqb_spec k T); [lia|reflexivity]. }
    intros i Hi. rewrite E. destruct (Nat.eq_dec i T) as [->|Ei]; [|apply Hc; lia].
    assert (Z : dot d (X T) v = dot d (token_sum T X e) v).
    { apply dot_ext; [|reflexivity]. intros a Ha. pose proof (dot_self_zero d r R0 a Ha) as Q.
      unfold r, vsub in Q. lra. }
    rewrite Z, dot_token_sum. unfold dot at 1. apply sum_zero. intros k Hk. unfold token_products.
    rewrite Hc by assumption. ring.
  - set (al := dot d (X T) v / dot d r r).
    exists (fun i => if (i =? T)%nat then al else c i - al * e i).
    assert (E : forall x, dot d x (vsub w (token_sum (S T) X (fun i => if (i =? T)%nat then al else c i - al * e i)))
                = dot d x v - al * dot d x r).
    { intros x. rewrite <- dot_vscal_r, <- dot_vsub_r. apply dot_ext; [reflexivity|]. intros a _.
      unfold v, r, vsub, vscal, token_sum. cbn [sum]. rewrite Nat.eqb_refl.
      rewrite (sum_ext T _ (fun i => c i * X i a - al * (e i * X i a))).
      - rewrite sum_minus, sum_scal. ring.
      - intros k Hk. destruct (Nat.eqb_spec k T); [lia|ring]. }
    intros i Hi. rewrite E. destruct (Nat.eq_dec i T) as [->|Ei].
    + assert (Z : dot d (X T) r = dot d r r).
      { assert (Y : dot d (token_sum T X e) r = 0).
        { rewrite dot_token_sum. unfold dot at 1. apply sum_zero. intros k Hk. unfold token_products.
          rewrite He by assumption. ring. }
        unfold r at 2. rewrite dot_vsub_l, Y. ring. }
      rewrite Z. unfold al. field. exact R0.
    + rewrite Hc, He by lia. ring.
Qed.

(** ** The operator norm and the null matrix, read off the Gram matrix *)

Lemma gram_bilinear_left T d X c x : bilinear T (gram d X) c x = dot T (apply_matrix T (gram d X) c) x.
Proof.
  rewrite bilinear_transpose.
  rewrite (bilinear_ext T (transpose (gram d X)) (gram d X) x x c c);
    [|intros; apply gram_symmetric|reflexivity|reflexivity].
  rewrite bilinear_apply. apply dot_comm.
Qed.

(** c^T (t^2 G - G L G L^T G) c with g = L^T G c. *)
Lemma gram_gap_form d T X L t c :
  let g := apply_matrix T (transpose L) (apply_matrix T (gram d X) c) in
  bilinear T (gram_gap T d X L t) c c = t * t * bilinear T (gram d X) c c - bilinear T (gram d X) g g.
Proof.
  intros g. set (Q := product T (product T (gram_null T d X L) (transpose L)) (gram d X)).
  transitivity (t * t * bilinear T (gram d X) c c - bilinear T Q c c).
  - unfold bilinear, gram_gap. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros a _.
    rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros b _. fold Q. ring.
  - f_equal. unfold Q. rewrite !bilinear_product. fold g. unfold gram_null. rewrite !bilinear_product.
    rewrite gram_bilinear_left. set (p := apply_matrix T (gram d X) c) in *. set (h := apply_matrix T (gram d X) g).
    rewrite <- bilinear_apply, bilinear_transpose, bilinear_apply. fold g.
    rewrite dot_comm. symmetry. apply bilinear_apply.
Qed.

Theorem gram_operator_norm : statement.gram_operator_norm.
Proof.
  intros d T X L t Ht. rewrite <- (transposed_operator_norm d (token_matrix T X L) t Ht). split.
  - intros H w. destruct (orthogonal_part d T X w) as [c Hc]. specialize (H c). rewrite gram_gap_form in H.
    rewrite transposed_token_square. set (v := vsub w (token_sum T X c)) in *.
    assert (P : forall i, (i < T)%nat -> token_products d X w i = apply_matrix T (gram d X) c i).
    { intros i Hi. rewrite <- products_of_sum. unfold token_products. specialize (Hc i Hi). unfold v in Hc.
      rewrite dot_vsub_r in Hc. lra. }
    set (g := apply_matrix T (transpose L) (apply_matrix T (gram d X) c)) in *.
    set (h := apply_matrix T (transpose L) (token_products d X w)).
    rewrite (bilinear_ext T (gram d X) (gram d X) h g h g); [|reflexivity| |];
      try (intros i _; apply apply_ext; exact P).
    assert (N : bilinear T (gram d X) c c <= dot d w w).
    { rewrite <- dot_sum_sum. set (s := token_sum T X c) in *.
      assert (O : dot d s v = 0).
      { unfold s. rewrite dot_token_sum. unfold dot at 1. apply sum_zero. intros k Hk. unfold token_products.
        rewrite Hc by assumption. ring. }
      assert (V : dot d v v = dot d w w - 2 * dot d s w + dot d s s).
      { unfold v. fold s. rewrite dot_vsub_l, !dot_vsub_r, (dot_comm d w s). ring. }
      unfold v in O. fold s in O. rewrite dot_vsub_r in O.
      pose proof (dot_self_nonneg d v). lra. }
    assert (t * t * bilinear T (gram d X) c c <= t * t * dot d w w)
      by (apply Rmult_le_compat_l; [now apply Rmult_le_pos|exact N]).
    lra.
  - intros H c. specialize (H (token_sum T X c)). rewrite transposed_token_square in H. rewrite gram_gap_form.
    rewrite dot_sum_sum in H.
    set (g := apply_matrix T (transpose L) (apply_matrix T (gram d X) c)) in *.
    set (k := apply_matrix T (transpose L) (token_products d X (token_sum T X c))) in *.
    rewrite (bilinear_ext T (gram d X) (gram d X) k g k g) in H; [exact H|reflexivity| |];
      intros i _; apply apply_ext; intros j _; apply products_of_sum.
Qed.

Theorem gram_zero : statement.gram_zero.
Proof.
  intros d T X L.
  assert (F : forall c e, bilinear T (gram_null T d X L) c e
            = bilinear d (token_matrix T X L) (token_sum T X c) (token_sum T X e)).
  { intros c e. unfold gram_null. rewrite !bilinear_product, bilinear_token_matrix.
    rewrite gram_bilinear_left, <- bilinear_apply.
    apply bilinear_ext; [reflexivity| |]; intros i _; symmetry; apply products_of_sum. }
  split.
  - intros H.
    assert (Z : forall u v, bilinear d (token_matrix T X L) u v = 0).
    { intros u v. destruct (orthogonal_part d T X u) as [c Hc]. destruct (orthogonal_part d T X v) as [e He].
      transitivity (bilinear d (token_matrix T X L) (token_sum T X c) (token_sum T X e)).
      - rewrite !bilinear_token_matrix. apply bilinear_ext; [reflexivity| |]; intros i Hi; unfold token_products.
        + specialize (Hc i Hi). rewrite dot_vsub_r in Hc. lra.
        + specialize (He i Hi). rewrite dot_vsub_r in He. lra.
      - rewrite <- F. unfold bilinear. apply sum_zero. intros i Hi. apply sum_zero. intros j Hj.
        rewrite H by assumption. ring. }
    intros a b Ha Hb.
    rewrite <- (Z (fun k => if (a =? k)%nat then 1 else 0) (fun k => if (b =? k)%nat then 1 else 0)).
    unfold bilinear. rewrite (sum_single d _ a Ha).
    + rewrite (sum_single d _ b Hb); [rewrite !Nat.eqb_refl; ring|].
      intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
    + intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. apply sum_zero. intros. ring.
  - intros H i j Hi Hj.
    assert (Z : bilinear T (gram_null T d X L) (fun k => if (i =? k)%nat then 1 else 0)
                  (fun k => if (j =? k)%nat then 1 else 0) = 0).
    { rewrite F. unfold bilinear. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb.
      rewrite H by assumption. ring. }
    rewrite <- Z. unfold bilinear. rewrite (sum_single T _ i Hi).
    + rewrite (sum_single T _ j Hj); [rewrite !Nat.eqb_refl; ring|].
      intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
    + intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. apply sum_zero. intros. ring.
Qed.

Print Assumptions gram_operator_norm.
Print Assumptions gram_zero.
