(** * The trigger-conditional task: the setting of docs/THEORY.md, section 0

    The statement language of the claims tc-*.  No proofs here.

    Conventions.  A vector of R^n is a function [nat -> R] read at the indices below n; coordinates
    count from 0 and positions of a sequence count from 1, as on the page.  A function on sequences
    may look at whatever it likes: that only makes a "for every model" theorem stronger. *)

From Coq Require Import Reals Arith.
Open Scope R_scope.

(** *** Finite sums *)

(** [sum m f] = f 0 + f 1 + ... + f (m-1). *)
Fixpoint sum (m : nat) (f : nat -> R) : R :=
  match m with
  | O => 0
  | S p => sum p f + f p
  end.

(** [possum i f] = f 1 + f 2 + ... + f i: a sum over positions, which count from 1. *)
Definition possum (i : nat) (f : nat -> R) : R := sum i (fun k => f (S k)).

(** *** Tokens.  "Tokens live in R^n, n >= 4. Coordinates from 0: `0` BOS flag, `1` trigger flag,
    `2..n-2` noise, `n-1` content flag." *)

Definition token := nat -> R.

Definition bos_flag (x : token) : R := x 0%nat.
Definition trigger_flag (x : token) : R := x 1%nat.
Definition content_flag (n : nat) (x : token) : R := x (n - 1)%nat.

(** Vectors of R^n: nothing beyond coordinate n-1. *)
Definition in_dimension (n : nat) (x : token) : Prop := forall k, (n <= k)%nat -> x k = 0.

(** "u in [-1,1]^d": the noise coordinates 2..n-2 lie in the box. *)
Definition noise_in_box (n : nat) (x : token) : Prop :=
  forall k, (2 <= k)%nat -> (k <= n - 2)%nat -> -1 <= x k <= 1.

(** "BOS: e_0." *)
Definition bos : token := fun k => if (k =? 0)%nat then 1 else 0.

(** "Content token c(u) = (0,0,u,1), u in [-1,1]^d." *)
Record is_content (n : nat) (x : token) : Prop := {
  content_bos_flag : bos_flag x = 0;
  content_trigger_flag : trigger_flag x = 0;
  content_content_flag : content_flag n x = 1;
  content_noise : noise_in_box n x;
  content_dimension : in_dimension n x
}.

(** "Trigger token t(u) = (0,1,u,0), u in [-1,1]^d." *)
Record is_trigger (n : nat) (x : token) : Prop := {
  trigger_bos_flag : bos_flag x = 0;
  trigger_trigger_flag : trigger_flag x = 1;
  trigger_content_flag : content_flag n x = 0;
  trigger_noise : noise_in_box n x;
  trigger_dimension : in_dimension n x
}.

(** *** Sequences.  "A sequence x_1..x_L (positions from 1): x_1 = BOS, exactly one trigger at j in
    {3..L}, all others content." *)

Definition sequence := nat -> token.

Record valid (n L j : nat) (x : sequence) : Prop := {
  first_is_bos : x 1%nat = bos;
  trigger_from_3 : (3 <= j)%nat;
  trigger_to_L : (j <= L)%nat;
  trigger_at_j : is_trigger n (x j);
  content_elsewhere : forall i, (2 <= i)%nat -> (i <= L)%nat -> i <> j -> is_content n (x i)
}.

(** *** Targets.  "Target (no residual): y_i = 0 for i != j; y_j = mean of x_2..x_j (trigger
    included)." *)

Definition mean_from_2 (x : sequence) (j r : nat) : R :=
  sum (j - 1) (fun k => x (k + 2)%nat r) / INR (j - 1).

Definition target (j : nat) (x : sequence) (i r : nat) : R :=
  if (i =? j)%nat then mean_from_2 x j r else 0.

(** "Target (residual): y_i = x_i for i != j; y_j = x_j + mean of x_2..x_j." *)
Definition residual_target (j : nat) (x : sequence) (i r : nat) : R := x i r + target j x i r.

(** *** Models, loss, sup loss.  A model maps a sequence to an output vector at every position. *)

Definition model := sequence -> nat -> token.

(** "Loss on one sequence: l(x) = max_i ||out_i - y_i||_inf.  Sup loss eta = sup of l over all
    sequences of length L (all noise values in the box, all j)."  A number is one of the
    |out_i,r - y_i,r| that the maximum and the supremum run over: *)
Definition is_error (n L : nat) (out : model) (e : R) : Prop :=
  exists x j i r, valid n L j x /\ (1 <= i)%nat /\ (i <= L)%nat /\ (r < n)%nat /\
                  e = Rabs (out x i r - target j x i r).

(** eta is the sup loss; eta bounds the sup loss. *)
Definition is_sup_loss (n L : nat) (out : model) (eta : R) : Prop := is_lub (is_error n L out) eta.

Definition sup_loss_le (n L : nat) (out : model) (eta : R) : Prop :=
  forall x j, valid n L j x ->
  forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
  Rabs (out x i r - target j x i r) <= eta.

(** The same bound against the residual target. *)
Definition residual_sup_loss_le (n L : nat) (out : model) (eta : R) : Prop :=
  forall x j, valid n L j x ->
  forall i r, (1 <= i)%nat -> (i <= L)%nat -> (r < n)%nat ->
  Rabs (out x i r - residual_target j x i r) <= eta.

(** *** Causal attention.  "weights a_ik (k <= i), out_i = sum_{k<=i} a_ik v(x_k)."  The weights may
    depend on the whole sequence and on the positions. *)

Definition attention := sequence -> nat -> nat -> R.

Definition head (a : attention) (v : token -> token) : model :=
  fun x i r => possum i (fun k => a x i k * v (x k) r).

(** "BOS attention of row i: a_i1." *)
Definition bos_attention (a : attention) (x : sequence) (i : nat) : R := a x i 1%nat.

(** "normalised (row-stochastic): a_ik >= 0, sum_k a_ik = 1." *)
Definition row_stochastic (n L : nat) (a : attention) : Prop :=
  forall x j, valid n L j x -> forall i, (1 <= i)%nat -> (i <= L)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= a x i k) /\ possum i (a x i) = 1.

(** "Positive content-based kernel: a_ik = K(x_i,x_k)/sum_{l<=i} K(x_i,x_l), K > 0." *)
Definition kernel := token -> token -> R.

Definition positive_kernel (K : kernel) : Prop := forall q k, 0 < K q k.

Definition kernel_attention (K : kernel) : attention :=
  fun x i k => K (x i) (x k) / possum i (fun l => K (x i) (x l)).

(** "softmax: K = exp(x_i^T W_Q^T W_K x_k)."  [bilinear n W q k] = q^T W k. *)
Definition matrix := nat -> nat -> R.

Definition bilinear (n : nat) (W : matrix) (q k : token) : R :=
  sum n (fun a => sum n (fun b => q a * W a b * k b)).

Definition softmax_kernel (n : nat) (W : matrix) : kernel := fun q k => exp (bilinear n W q k).

(** W_Q^T W_K for projections of any width. *)
Definition query_key (width : nat) (WQ WK : matrix) : matrix :=
  fun a b => sum width (fun c => WQ c a * WK c b).

(** "linear value map: v(x) = V x" on R^n. *)
Definition linear_value (n : nat) (V : matrix) : token -> token :=
  fun x r => sum n (fun c => V r c * x c).

(** "ReLU attention: a_ik = relu(x_i^T W_Q^T W_K x_k)/max(1, i-1)." *)
Definition relu_attention (n : nat) (M : matrix) : attention :=
  fun x i k => Rmax 0 (bilinear n M (x i) (x k)) / INR (Nat.max 1 (i - 1)).

(** Several heads (tc-7): the outputs of the heads 0 .. H-1 add up. *)
Definition multi_head (H : nat) (heads : nat -> model) : model :=
  fun x i r => sum H (fun h => heads h x i r).

(** "P = I - e_0 e_0^T." *)
Definition projector : matrix := fun r c => if (r =? c)%nat then (if (r =? 0)%nat then 0 else 1) else 0.

Definition identity : matrix := fun r c => if (r =? c)%nat then 1 else 0.

(** The content token c(u,u,..,u) and the trigger token t(u,u,..,u): the setting is inhabited. *)
Definition constant_content (n : nat) (u : R) : token :=
  fun k => if (k <? 2)%nat then 0 else if (k <? n - 1)%nat then u
           else if (k =? n - 1)%nat then 1 else 0.

Definition constant_trigger (n : nat) (u : R) : token :=
  fun k => if (k =? 0)%nat then 0 else if (k =? 1)%nat then 1
           else if (k <? n - 1)%nat then u else 0.

(** *** Probe sequences (BOS, x, .., x, t, x, ..): trigger t at position j, content x elsewhere. *)

Definition probe (x t : token) (j : nat) : sequence :=
  fun i => if (i =? 1)%nat then bos else if (i =? j)%nat then t else x.

(** D_J = (J-3)/(2(J-1)). *)
Definition trigger_gap (J : nat) : R := (INR J - 3) / (2 * (INR J - 1)).
