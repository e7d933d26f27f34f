(** * co-6: what a certificate for given embeddings proves

    Claim (docs/THEORY.md, co-6).  T tokens in R^d, any embeddings; a pattern is a finite list of linear margin
    constraints on the scores x_i^T W x_j.  The map cost of the pattern is the infimum of
    ||W_Q||_F^2 + ||W_K||_F^2 over all factors, of any head width, whose scores meet it.

    These are the sentences a checker of such a certificate relies on.  Nothing is assumed of T, d or the rank
    of the embeddings.

    - [feasible_upper], [coefficients_upper]: factors that meet the pattern bound the infimum from above; for
      factors A X, B X (A, B are r x T, X holds the tokens as rows) the scores are G A^T B G and the cost is
      tr(A G A^T) + tr(B G B^T), G = X X^T.
    - [dual_lower]: multipliers y >= 0 of constraints x_k^T W z_k >= m_k with t^2 |w|^2 - |Y^T w|^2 >= 0 for all w,
      Y = sum_k y_k x_k z_k^T, t > 0: every cost is at least (2/t) sum_k y_k m_k.
    - [gram_operator_norm]: for Y = X^T L X, ||Y||_op <= t exactly if t^2 G - G L G L^T G is positive semidefinite
      (a T x T matrix: no root, no basis).  [gram_lower]: the lower bound in that form.
    - [gram_zero]: Y = 0 exactly if G L G = 0.  [dual_infeasible], [gram_infeasible]: then, if
      sum_k y_k m_k > 0, no W meets the pattern.
    - [cheaper]: U_1 < L_2 implies that pattern 1 is strictly cheaper than pattern 2.
    - [least_cost_exists]: a pattern that can be met has a least cost (the infimum is a number);
      [least_cost_scales]: c > 0 times the margins, c times the least cost (kappa sqrt(d) need not be rational);
      [rule_attained]: an instance whose bounds meet.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/co-6/certified_optimum.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal factor_cost.
Open Scope R_scope.

(** ** Definitions: tokens, Gram matrix, patterns *)

(** Token i is the vector X i of R^d, row i of the T x d matrix X. *)
Definition gram (d : nat) (X : nat -> vector) : matrix := fun i j => dot d (X i) (X j).

Definition scores (d : nat) (X : nat -> vector) (W : matrix) : matrix := fun i j => bilinear d W (X i) (X j).

(** Products of T x T matrices. *)
Definition product (T : nat) (A B : matrix) : matrix := fun i j => sum T (fun k => A i k * B k j).

Definition transpose (A : matrix) : matrix := fun i j => A j i.

(** "Positive semidefinite". *)
Definition semidefinite (T : nat) (M : matrix) : Prop := forall c : vector, 0 <= bilinear T M c c.

(** Constraint k < n: sum_ij E_k(i,j) score(i,j) >= m_k. *)
Definition meets (T n : nat) (E : nat -> matrix) (m : nat -> R) (S : matrix) : Prop :=
  forall k, (k < n)%nat -> m k <= pairing T (E k) S.

(** A margin: query i scores key j at least m above key l. *)
Definition margin (i j l : nat) : matrix :=
  fun a b => if (a =? i)%nat then (if (b =? j)%nat then 1 else 0) - (if (b =? l)%nat then 1 else 0) else 0.

(** L = sum_k y_k E_k. *)
Definition combined (n : nat) (y : nat -> R) (E : nat -> matrix) : matrix :=
  fun i j => sum n (fun k => y k * E k i j).

(** Y = X^T L X. *)
Definition token_matrix (T : nat) (X : nat -> vector) (L : matrix) : matrix :=
  fun a b => sum T (fun i => sum T (fun j => X i a * L i j * X j b)).

(** G L G, and t^2 G - G L G L^T G. *)
Definition gram_null (T d : nat) (X : nat -> vector) (L : matrix) : matrix :=
  product T (product T (gram d X) L) (gram d X).

Definition gram_gap (T d : nat) (X : nat -> vector) (L : matrix) (t : R) : matrix :=
  fun i j => t * t * gram d X i j
             - product T (product T (gram_null T d X L) (transpose L)) (gram d X) i j.

(** W_Q = A X for an r x T matrix A of coefficients. *)
Definition times_tokens (T : nat) (A : matrix) (X : nat -> vector) : matrix :=
  fun k a => sum T (fun i => A k i * X i a).

(** (G A^T B G)(i,j), and tr(A G A^T). *)
Definition coefficient_scores (T r d : nat) (X : nat -> vector) (A B : matrix) : matrix :=
  product T (product T (gram d X) (query_key r A B)) (gram d X).

Definition coefficient_cost (T r d : nat) (X : nat -> vector) (A : matrix) : R :=
  sum r (fun k => sum T (fun i => sum T (fun j => A k i * gram d X i j * A k j))).

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

Theorem gram_operator_norm d T X L t :
  0 <= t -> semidefinite T (gram_gap T d X L t) <-> operator_norm_le d (token_matrix T X L) t.
Proof.
  intros Ht. rewrite <- (transposed_operator_norm d (token_matrix T X L) t Ht). split.
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

Theorem gram_zero d T X L :
  (forall i j, (i < T)%nat -> (j < T)%nat -> gram_null T d X L i j = 0) <->
  (forall a b, (a < d)%nat -> (b < d)%nat -> token_matrix T X L a b = 0).
Proof.
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

(** ** Lower bounds *)

(** (2) as it stands, for constraints x_k^T W z_k >= m_k on any vectors. *)
Theorem dual_lower d n x z m y t :
  0 < t -> (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall w, 0 <= t * t * dot d w w - dot d (transposed_image d (combination n y x z) w)
                                            (transposed_image d (combination n y x z) w)) ->
  cost_bounded_below d (satisfies d n x z m) (2 / t * sum n (fun k => y k * m k)).
Proof.
  intros Ht Hy HY r WQ WK HW. apply (weak_duality d r n x z m y t WQ WK Ht Hy); [|exact HW].
  apply transposed_operator_norm; [lra|exact HY].
Qed.

(** (3). *)
Theorem dual_infeasible d n x z m y W :
  (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall a b, (a < d)%nat -> (b < d)%nat -> combination n y x z a b = 0) ->
  0 < sum n (fun k => y k * m k) -> ~ satisfies d n x z m W.
Proof. exact (infeasible d n x z m y W). Qed.

(** <X^T L X, W> = sum_ij L(i,j) score(i,j). *)
Lemma pairing_token_matrix d T X L W : pairing d (token_matrix T X L) W = pairing T L (scores d X W).
Proof.
  unfold pairing, token_matrix, scores, bilinear.
  transitivity (sum d (fun a => sum d (fun b => sum T (fun i => sum T (fun j => L i j * (X i a * W a b * X j b)))))).
  - apply sum_ext. intros a _. apply sum_ext. intros b _. rewrite <- sum_scal_r. apply sum_ext. intros i _.
    rewrite <- sum_scal_r. apply sum_ext. intros. ring.
  - transitivity (sum T (fun i => sum T (fun j => sum d (fun a => sum d (fun b => L i j * (X i a * W a b * X j b)))))).
    + transitivity (sum d (fun a => sum T (fun i => sum T (fun j => sum d (fun b => L i j * (X i a * W a b * X j b)))))).
      * apply sum_ext. intros a _. rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
      * rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_swap.
    + apply sum_ext. intros i _. apply sum_ext. intros j _. rewrite <- sum_scal. apply sum_ext. intros a _.
      now rewrite sum_scal.
Qed.

Lemma pairing_combined T n y E S :
  pairing T (combined n y E) S = sum n (fun k => y k * pairing T (E k) S).
Proof.
  unfold pairing, combined.
  transitivity (sum T (fun i => sum n (fun k => y k * sum T (fun j => E k i j * S i j)))).
  - apply sum_ext. intros i _.
    transitivity (sum T (fun j => sum n (fun k => y k * (E k i j * S i j)))).
    + apply sum_ext. intros j _. rewrite <- sum_scal_r. apply sum_ext. intros. ring.
    + rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
  - rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal.
Qed.

(** What a margin constraint says: score(i,j) - score(i,l). *)
Theorem margin_pairing T i j l S :
  (i < T)%nat -> (j < T)%nat -> (l < T)%nat -> pairing T (margin i j l) S = S i j - S i l.
Proof.
  intros Hi Hj Hl. unfold pairing, margin. rewrite (sum_single T _ i Hi).
  - rewrite Nat.eqb_refl.
    rewrite (sum_ext T _ (fun b => S i b * (if (j =? b)%nat then 1 else 0) - S i b * (if (l =? b)%nat then 1 else 0))).
    + rewrite sum_minus, (sum_single T _ j Hj), (sum_single T _ l Hl).
      * rewrite !Nat.eqb_refl. ring.
      * intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
      * intros k _ E. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
    + intros b _. rewrite (Nat.eqb_sym j b), (Nat.eqb_sym l b). ring.
  - intros k _ E. apply Nat.eqb_neq in E. rewrite E. apply sum_zero. intros. ring.
Qed.

(** The pattern as a property of W. *)
Definition token_pattern (d T n : nat) (X : nat -> vector) (E : nat -> matrix) (m : nat -> R) (W : matrix) : Prop :=
  meets T n E m (scores d X W).

Lemma multipliers_value d T n X E m y W :
  (forall k, (k < n)%nat -> 0 <= y k) -> token_pattern d T n X E m W ->
  sum n (fun k => y k * m k) <= pairing d (token_matrix T X (combined n y E)) W.
Proof.
  intros Hy HW. rewrite pairing_token_matrix, pairing_combined. apply sum_le. intros k Hk.
  apply Rmult_le_compat_l; [now apply Hy|now apply HW].
Qed.

(** (4), lower: the T x T test bounds every factorisation from below. *)
Theorem gram_lower d T n X E m y t :
  0 < t -> (forall k, (k < n)%nat -> 0 <= y k) -> semidefinite T (gram_gap T d X (combined n y E) t) ->
  cost_bounded_below d (token_pattern d T n X E m) (2 / t * sum n (fun k => y k * m k)).
Proof.
  intros Ht Hy HY r WQ WK HW.
  apply (gram_operator_norm d T X (combined n y E) t (Rlt_le _ _ Ht)) in HY.
  pose proof (pairing_cost d r _ t WQ WK (Rlt_le _ _ Ht) HY) as P.
  pose proof (multipliers_value d T n X E m y _ Hy HW) as V.
  apply (Rmult_le_reg_l (t / 2)); [lra|].
  replace (t / 2 * (2 / t * sum n (fun k => y k * m k))) with (sum n (fun k => y k * m k)) by (field; lra). lra.
Qed.

(** (4), infeasible. *)
Theorem gram_infeasible d T n X E m y W :
  (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall i j, (i < T)%nat -> (j < T)%nat -> gram_null T d X (combined n y E) i j = 0) ->
  0 < sum n (fun k => y k * m k) -> ~ token_pattern d T n X E m W.
Proof.
  intros Hy HY Hm HW. rewrite (gram_zero d T X (combined n y E)) in HY.
  pose proof (multipliers_value d T n X E m y W Hy HW) as V.
  assert (P : pairing d (token_matrix T X (combined n y E)) W = 0).
  { unfold pairing. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb. rewrite HY by assumption. ring. }
  lra.
Qed.

(** ** Upper bounds *)

(** (1). *)
Theorem feasible_upper d (pattern : matrix -> Prop) r WQ WK i :
  pattern (query_key r WQ WK) -> is_least_cost d pattern i -> i <= factor_cost d r WQ WK.
Proof. intros H [Hi _]. now apply Hi. Qed.

Theorem coefficients_scores d T r X A B i j :
  scores d X (query_key r (times_tokens T A X) (times_tokens T B X)) i j = coefficient_scores T r d X A B i j.
Proof.
  unfold scores, coefficient_scores. rewrite bilinear_query_key.
  assert (R : forall M k v, dot d (times_tokens T M X k) v = dot T (M k) (token_products d X v))
    by (intros M k v; exact (dot_token_sum d T X (M k) v)).
  rewrite (sum_ext r _ (fun k => dot T (A k) (token_products d X (X i)) * dot T (B k) (token_products d X (X j))))
    by (intros; now rewrite !R).
  rewrite <- (bilinear_query_key T r A B). unfold product.
  unfold bilinear. rewrite sum_swap. apply sum_ext. intros b _. rewrite <- sum_scal_r.
  apply sum_ext. intros a _. unfold token_products, gram. rewrite (dot_comm d (X a) (X i)). ring.
Qed.

Theorem coefficients_cost d T r X A B :
  factor_cost d r (times_tokens T A X) (times_tokens T B X)
  = coefficient_cost T r d X A + coefficient_cost T r d X B.
Proof.
  rewrite factor_cost_dot, sum_plus. unfold coefficient_cost.
  f_equal; apply sum_ext; intros k _.
  - exact (dot_sum_sum d T X (A k) (A k)).
  - exact (dot_sum_sum d T X (B k) (B k)).
Qed.

(** (4), upper: rational A, B whose scores G A^T B G meet the pattern. *)
Theorem coefficients_upper d T n r X E m A B i :
  meets T n E m (coefficient_scores T r d X A B) -> is_least_cost d (token_pattern d T n X E m) i ->
  i <= coefficient_cost T r d X A + coefficient_cost T r d X B.
Proof.
  intros H Hi. rewrite <- coefficients_cost. apply feasible_upper with (2 := Hi). intros k Hk.
  specialize (H k Hk). eapply Rle_trans; [exact H|]. apply Req_le. unfold pairing.
  apply sum_ext. intros a _. apply sum_ext. intros b _. now rewrite coefficients_scores.
Qed.

(** ** Which pattern is cheaper *)

Theorem cheaper d p1 p2 U1 L2 i1 i2 :
  cost_attained d p1 U1 -> cost_bounded_below d p2 L2 -> U1 < L2 ->
  is_least_cost d p1 i1 -> is_least_cost d p2 i2 -> i1 < i2.
Proof.
  intros (r & WQ & WK & H & ->) HL Hlt [H1 _] [_ H2]. specialize (H1 r WQ WK H). specialize (H2 L2 HL). lra.
Qed.

Theorem least_cost_exists d pattern c : cost_attained d pattern c -> exists i, is_least_cost d pattern i.
Proof.
  intros Hc. set (S := fun x => cost_attained d pattern (- x)).
  destruct (completeness S) as [u [Hu1 Hu2]].
  - exists 0. intros x (r & WQ & WK & _ & E). pose proof (factor_cost_nonneg d r WQ WK). lra.
  - exists (- c). unfold S. now rewrite Ropp_involutive.
  - exists (- u). split.
    + intros r WQ WK H. assert (G : - factor_cost d r WQ WK <= u); [|lra].
      apply Hu1. unfold S. rewrite Ropp_involutive. now exists r, WQ, WK.
    + intros l Hl. assert (G : u <= - l); [|lra]. apply Hu2. intros x (r & WQ & WK & H & E).
      specialize (Hl r WQ WK H). lra.
Qed.

(** *** The unit of the margins does not matter: c times the margins, c times the least cost *)

Lemma scaled_attained d T n X E m c C :
  0 < c -> cost_attained d (token_pattern d T n X E m) C ->
  cost_attained d (token_pattern d T n X E (fun k => c * m k)) (c * C).
Proof.
  intros Hc (r & WQ & WK & H & ->).
  exists r, (fun k => vscal (sqrt c) (WQ k)), (fun k => vscal (sqrt c) (WK k)).
  pose proof (sqrt_sqrt c (Rlt_le _ _ Hc)) as Sc. split.
  - intros k Hk. specialize (H k Hk). apply (Rmult_le_compat_l c) in H; [|lra].
    eapply Rle_trans; [exact H|]. apply Req_le. unfold pairing. rewrite <- sum_scal. apply sum_ext. intros i _.
    rewrite <- sum_scal. apply sum_ext. intros j _.
    assert (S : scores d X (query_key r (fun k => vscal (sqrt c) (WQ k)) (fun k => vscal (sqrt c) (WK k))) i j
                = c * scores d X (query_key r WQ WK) i j); [|rewrite S; ring].
    unfold scores. rewrite !bilinear_query_key, <- sum_scal. apply sum_ext. intros h _.
    rewrite !dot_vscal_l. rewrite <- Sc at 3. ring.
  - rewrite !factor_cost_dot, <- sum_scal. apply sum_ext. intros h _.
    rewrite !dot_vscal_l, !dot_vscal_r. rewrite <- Sc at 1. ring.
Qed.

Theorem least_cost_scales d T n X E m c i :
  0 < c -> is_least_cost d (token_pattern d T n X E m) i ->
  is_least_cost d (token_pattern d T n X E (fun k => c * m k)) (c * i).
Proof.
  intros Hc [H1 H2]. assert (Hi : 0 < / c) by now apply Rinv_0_lt_compat. split.
  - intros r WQ WK H.
    destruct (scaled_attained d T n X E (fun k => c * m k) (/ c) (factor_cost d r WQ WK) Hi) as (q & VQ & VK & V & EV).
    { now exists r, WQ, WK. }
    assert (G : i <= / c * factor_cost d r WQ WK).
    { rewrite EV. apply H1. intros k Hk. specialize (V k Hk). cbn beta in V.
      rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l in V by lra. exact V. }
    apply (Rmult_le_compat_l c) in G; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in G by lra. exact G.
  - intros l Hl. apply (Rmult_le_reg_l (/ c)); [assumption|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    apply H2. intros r WQ WK H.
    destruct (scaled_attained d T n X E m c (factor_cost d r WQ WK) Hc) as (q & VQ & VK & V & EV).
    { now exists r, WQ, WK. }
    specialize (Hl q VQ VK V). rewrite <- EV in Hl. apply (Rmult_le_compat_l (/ c)) in Hl; [|lra].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l in Hl by lra. exact Hl.
Qed.

(** *** Neither constant of the rule can be improved: one token 1 in R^1, score(0,0) >= m.  The multiplier 1
    passes the test at t = 1 and bounds every cost by 2m; the coefficient sqrt m costs 2m. *)
Theorem rule_attained m : 0 < m ->
  let X := fun _ _ : nat => 1 in let E := fun _ i j : nat => 1 in
  semidefinite 1 (gram_gap 1 1 X (combined 1 (fun _ => 1) E) 1) /\
  2 / 1 * sum 1 (fun k => 1 * m) = 2 * m /\
  cost_attained 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m) /\
  is_least_cost 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m).
Proof.
  intros Hm X E. pose proof (sqrt_sqrt m (Rlt_le _ _ Hm)) as Sm.
  assert (P : semidefinite 1 (gram_gap 1 1 X (combined 1 (fun _ => 1) E) 1)).
  { intros c. apply Req_le. unfold bilinear, gram_gap, gram_null, product, transpose, combined, gram, dot, X, E.
    cbn [sum]. ring. }
  assert (A : cost_attained 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m)).
  { exists 1%nat, (fun _ _ => sqrt m), (fun _ _ => sqrt m). split.
    - intros k _. apply Req_le. unfold pairing, scores, bilinear, query_key, X, E. cbn [sum]. lra.
    - rewrite factor_cost_dot. unfold dot. cbn [sum]. lra. }
  assert (L : cost_bounded_below 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m)).
  { replace (2 * m) with (2 / 1 * sum 1 (fun k => 1 * m)) by (cbn [sum]; field).
    apply (gram_lower 1 1 1 X E (fun _ => m) (fun _ => 1) 1); [lra|intros; lra|exact P]. }
  repeat split; try assumption.
  - cbn [sum]. field.
  - intros l Hl. destruct A as (r & WQ & WK & H & EA). rewrite EA. now apply Hl.
Qed.

Print Assumptions gram_operator_norm.
Print Assumptions gram_zero.
Print Assumptions dual_lower.
Print Assumptions dual_infeasible.
Print Assumptions margin_pairing.
Print Assumptions gram_lower.
Print Assumptions gram_infeasible.
Print Assumptions feasible_upper.
Print Assumptions coefficients_scores.
Print Assumptions coefficients_cost.
Print Assumptions coefficients_upper.
Print Assumptions cheaper.
Print Assumptions least_cost_exists.
Print Assumptions least_cost_scales.
Print Assumptions rule_attained.
