(** * tc-6: ReLU attention solves the task exactly with no sink, and stably so

    The task is that of docs/THEORY.md, section 0 (theory/definitions/task.v), its ReLU attention too:
    a_ik = relu(x_i^T M x_k)/max(1, i-1). *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task.
Open Scope R_scope.

(** e_1 (e_1 + e_{n-1})^T. *)
Definition relu_matrix (n : nat) : matrix :=
  fun r c => if (r =? 1)%nat then (if (c =? 1)%nat then 1 else if (c =? n - 1)%nat then 1 else 0) else 0.

(** The head with query-key matrix M and value matrix V. *)
Definition relu_model (n : nat) (M V : matrix) : model := head (relu_attention n M) (linear_value n V).

(** Entrywise distance at most delta. *)
Definition entries_within (n : nat) (delta : R) (A B : matrix) : Prop :=
  forall r c, (r < n)%nat -> (c < n)%nat -> Rabs (A r c - B r c) <= delta.

(** s = n - 2. *)
Definition robust_bound (s delta : R) : R := delta * (s * s) * (1 + delta * s) + delta * s * (1 + delta).

(** The matrix is W_Q^T W_K for projections of width 1: W_Q = e_1^T, W_K = (e_1 + e_{n-1})^T. *)
Definition relu_matrix_factors : Prop :=
  forall n (r c : nat), (4 <= n)%nat ->
  relu_matrix n r c
  = query_key 1 (fun _ a => if (a =? 1)%nat then 1 else 0)
                (fun _ b => (if (b =? 1)%nat then 1 else 0) + (if (b =? n - 1)%nat then 1 else 0)) r c.

(** With values V = I the output is the target, in every row and coordinate of every sequence. *)
Definition relu_exact : Prop :=
  forall n L x j i r,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
  relu_model n (relu_matrix n) identity x i r = target j x i r.

(** BOS attention is 0 at every row. *)
Definition relu_no_sink : Prop :=
  forall n L x j i,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  bos_attention (relu_attention n (relu_matrix n)) x i = 0.

(** The other weights: 1/(j-1) on the positions 2..j of the trigger row, 0 in every other row. *)
Definition relu_rows : Prop :=
  forall n L x j i k,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> (2 <= k)%nat -> (k <= i)%nat ->
  relu_attention n (relu_matrix n) x i k = if (i =? j)%nat then 1 / INR (j - 1) else 0.

(** M and V within delta of these: the sup loss; there is no L in the bound. *)
Definition relu_robust_loss : Prop :=
  forall n (L : nat) M V delta,
  (4 <= n)%nat -> entries_within n delta M (relu_matrix n) -> entries_within n delta V identity ->
  sup_loss_le n L (relu_model n M V) (robust_bound (INR (n - 2)) delta).

(** BOS attention at the rows i >= 2, and at row 1. *)
Definition relu_robust_bos_attention : Prop :=
  forall n L M delta x j i,
  (4 <= n)%nat -> entries_within n delta M (relu_matrix n) ->
  valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
  0 <= bos_attention (relu_attention n M) x i <= delta * INR (n - 2) / INR (i - 1).

Definition relu_robust_bos_attention_first : Prop :=
  forall n L M delta x j,
  (4 <= n)%nat -> entries_within n delta M (relu_matrix n) -> valid n L j x ->
  0 <= bos_attention (relu_attention n M) x 1%nat <= delta.
