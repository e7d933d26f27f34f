(** * co-6: what a certificate for given embeddings proves

    T tokens in R^d, any embeddings; a pattern is a finite list of linear margin constraints on the scores
    x_i^T W x_j.  The map cost of the pattern is the infimum of ||W_Q||_F^2 + ||W_K||_F^2 over all factors, of any
    head width, whose scores meet it ([is_least_cost]).  Nothing is assumed of T, d or the rank of the embeddings.
    These are the sentences a checker of such a certificate relies on. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns map_cost.
Open Scope R_scope.

(** ** Tokens, Gram matrix, patterns *)

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

(** The pattern as a property of W. *)
Definition token_pattern (d T n : nat) (X : nat -> vector) (E : nat -> matrix) (m : nat -> R) (W : matrix) : Prop :=
  meets T n E m (scores d X W).

(** ** The operator norm and the null matrix, read off the Gram matrix *)

(** ||X^T L X||_op <= t exactly if t^2 G - G L G L^T G is positive semidefinite. *)
Definition gram_operator_norm : Prop :=
  forall (d T : nat) (X : nat -> vector) (L : matrix) t, 0 <= t ->
  semidefinite T (gram_gap T d X L t) <-> operator_norm_le d (token_matrix T X L) t.

(** X^T L X = 0 exactly if G L G = 0. *)
Definition gram_zero : Prop :=
  forall d T X L,
  (forall i j, (i < T)%nat -> (j < T)%nat -> gram_null T d X L i j = 0) <->
  (forall a b, (a < d)%nat -> (b < d)%nat -> token_matrix T X L a b = 0).

(** ** Lower bounds *)

(** Multipliers y >= 0 of constraints x_k^T W z_k >= m_k on any vectors, t^2 |w|^2 - |Y^T w|^2 >= 0 for all w,
    Y = sum_k y_k x_k z_k^T: every cost is at least (2/t) sum_k y_k m_k. *)
Definition dual_lower : Prop :=
  forall d n x z (m : nat -> R) y t,
  0 < t -> (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall w, 0 <= t * t * dot d w w - dot d (transposed_image d (combination n y x z) w)
                                            (transposed_image d (combination n y x z) w)) ->
  cost_bounded_below d (satisfies d n x z m) (2 / t * sum n (fun k => y k * m k)).

(** Y = 0 and sum_k y_k m_k > 0: no W meets the constraints. *)
Definition dual_infeasible : Prop :=
  forall d n x z m y (W : matrix),
  (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall a b, (a < d)%nat -> (b < d)%nat -> combination n y x z a b = 0) ->
  0 < sum n (fun k => y k * m k) -> ~ satisfies d n x z m W.

(** What a margin constraint says: score(i,j) - score(i,l). *)
Definition margin_pairing : Prop :=
  forall T i j l (S : matrix),
  (i < T)%nat -> (j < T)%nat -> (l < T)%nat -> pairing T (margin i j l) S = S i j - S i l.

(** The lower bound with T x T matrices only. *)
Definition gram_lower : Prop :=
  forall d T n X E (m : nat -> R) y t,
  0 < t -> (forall k, (k < n)%nat -> 0 <= y k) -> semidefinite T (gram_gap T d X (combined n y E) t) ->
  cost_bounded_below d (token_pattern d T n X E m) (2 / t * sum n (fun k => y k * m k)).

(** And the refutation. *)
Definition gram_infeasible : Prop :=
  forall d T n X E m y (W : matrix),
  (forall k, (k < n)%nat -> 0 <= y k) ->
  (forall i j, (i < T)%nat -> (j < T)%nat -> gram_null T d X (combined n y E) i j = 0) ->
  0 < sum n (fun k => y k * m k) -> ~ token_pattern d T n X E m W.

(** ** Upper bounds *)

(** Factors that meet the pattern bound the infimum from above. *)
Definition feasible_upper : Prop :=
  forall d (pattern : matrix -> Prop) r WQ WK i,
  pattern (query_key r WQ WK) -> is_least_cost d pattern i -> i <= factor_cost d r WQ WK.

(** Factors A X, B X have the scores G A^T B G, *)
Definition coefficients_scores : Prop :=
  forall d T r X A B i j,
  scores d X (query_key r (times_tokens T A X) (times_tokens T B X)) i j = coefficient_scores T r d X A B i j.

(** and cost tr(A G A^T) + tr(B G B^T). *)
Definition coefficients_cost : Prop :=
  forall d T r X A B,
  factor_cost d r (times_tokens T A X) (times_tokens T B X)
  = coefficient_cost T r d X A + coefficient_cost T r d X B.

(** So that is an upper bound if these scores meet the pattern. *)
Definition coefficients_upper : Prop :=
  forall d T n r X E m A B i,
  meets T n E m (coefficient_scores T r d X A B) -> is_least_cost d (token_pattern d T n X E m) i ->
  i <= coefficient_cost T r d X A + coefficient_cost T r d X B.

(** ** The infimum *)

(** Which pattern is cheaper. *)
Definition cheaper : Prop :=
  forall d p1 p2 U1 L2 i1 i2,
  cost_attained d p1 U1 -> cost_bounded_below d p2 L2 -> U1 < L2 ->
  is_least_cost d p1 i1 -> is_least_cost d p2 i2 -> i1 < i2.

(** A pattern that can be met has a least cost: the infimum is a number. *)
Definition least_cost_exists : Prop :=
  forall d pattern c, cost_attained d pattern c -> exists i, is_least_cost d pattern i.

(** The unit of the margins does not matter: c times the margins, c times the least cost. *)
Definition least_cost_scales : Prop :=
  forall d T n X E m c i,
  0 < c -> is_least_cost d (token_pattern d T n X E m) i ->
  is_least_cost d (token_pattern d T n X E (fun k => c * m k)) (c * i).

(** Neither constant of the rule can be improved: one token 1 in R^1, score(0,0) >= m.  The multiplier 1 passes
    the test at t = 1 and bounds every cost by 2m; the coefficient sqrt m costs 2m. *)
Definition rule_attained : Prop :=
  forall m, 0 < m ->
  let X := fun _ _ : nat => 1 in let E := fun _ i j : nat => 1 in
  semidefinite 1 (gram_gap 1 1 X (combined 1 (fun _ => 1) E) 1) /\
  2 / 1 * sum 1 (fun k => 1 * m) = 2 * m /\
  cost_attained 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m) /\
  is_least_cost 1 (token_pattern 1 1 1 X E (fun _ => m)) (2 * m).
