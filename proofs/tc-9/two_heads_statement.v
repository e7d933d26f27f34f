(** * tc-9 (b): two residual layers of two softmax heads need no sink

    The architecture of arXiv:2603.11487's own two-layer experiments: bilinear softmax, linear values,
    residual connections, no positions, no biases.  Two such layers with two heads each solve the residual
    task of docs/THEORY.md, section 0, to within any eta > 0, for every n >= 4 and L >= 3, and no head
    gives BOS more than 1/2 of any row but BOS's own.  [two_heads n Lambda] is one such stack; with larger
    Lambda its loss falls like e^(-Lambda L/(6(L-1))). *)

From Coq Require Import Reals.
From Sinkproof Require Import task residual_stack.
Open Scope R_scope.

(** The unit vector e_k: e_0, e_1 and e_{n-1} read the BOS, the trigger and the content flag. *)
Definition unit_vector (k : nat) : token := fun r => if (r =? k)%nat then 1 else 0.

(** What head h of layer d looks for: its logit of query q and key k is Lambda t(q) (key . k). *)
Definition two_heads_key (n d h : nat) : token :=
  fun r =>
  match d, h with
  | O, O => - unit_vector 0 r
  | O, S _ => - unit_vector (n - 1) r
  | S _, O => unit_vector 1 r
  | S _, S _ => unit_vector 0 r + 3 / 4 * (unit_vector 1 r + unit_vector (n - 1) r)
  end.

Definition two_heads_scores (n : nat) (Lambda : R) (d h : nat) : matrix :=
  fun a b => unit_vector 1 a * (Lambda * two_heads_key n d h b).

(** The two heads of a layer write opposite values: 2/3 P and -2/3 P, then P and -P. *)
Definition two_heads_values (d h : nat) : matrix :=
  fun a b =>
  (match d with O => 2 / 3 | S _ => 1 end) * (match h with O => 1 | S _ => -1 end) * projector a b.

Definition two_heads (n : nat) (Lambda : R) (d : nat) : layer := {|
  head_count := 2;
  weights := fun h => kernel_attention (softmax_kernel n (two_heads_scores n Lambda d h));
  values := two_heads_values d
|}.

(** Rows other than the trigger's are returned unchanged, whatever the real number Lambda. *)
Definition two_heads_quiet_rows : Prop :=
  forall n L Lambda x j i r,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat ->
  residual_stack n 2 (two_heads n Lambda) x i r = x i r.

(** There both heads of both layers attend uniformly: BOS attention is 1/i. *)
Definition two_heads_quiet_bos_attention : Prop :=
  forall n L Lambda x j i d h,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (two_heads n Lambda) d h x i = 1 / INR i.

(** BOS attention is at most 1/2 at every row but BOS's own, the trigger's included, in both heads of both
    layers, for every Lambda >= 0. *)
Definition two_heads_bos_attention : Prop :=
  forall n L Lambda x j i d h,
  (4 <= n)%nat -> 0 <= Lambda -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (two_heads n Lambda) d h x i <= 1 / 2.

(** The leading term of the loss. *)
Definition two_heads_leading (L : nat) (Lambda : R) : R :=
  (INR L - 2) * (3 * INR L - 1) / (6 * (INR L - 1)) * exp (- (Lambda * INR L / (6 * (INR L - 1)))).

(** The sup loss on the residual task is at most the leading term and two smaller ones. *)
Definition two_heads_loss : Prop :=
  forall n L Lambda,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda))
    (two_heads_leading L Lambda + 2 * (INR L - 1) * exp (- (4 / 9 * Lambda))
     + (INR L - 1 + Lambda / 8) * exp (- Lambda)).

(** The leading term is the true one: for every L the quotient of loss and leading term tends to 1. *)
Definition two_heads_loss_at_least : Prop :=
  forall n L Lambda eta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda)) eta ->
  two_heads_leading L Lambda
  * (1 - (INR L - 2) / 2 * exp (- (Lambda * INR L / (6 * (INR L - 1)))) - (INR L - 2) / 24 * (Lambda * exp (- Lambda)))
  - 2 * (INR L - 1) * exp (- (4 / 9 * Lambda)) <= eta.

(** In short. *)
Definition two_heads_loss_short : Prop :=
  forall n L Lambda,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda)) (4 * INR L * exp (- (Lambda / 6))).

(** Layers of bilinear softmax heads with linear values, H in each. *)
Definition softmax_heads (n H : nat) (layers : nat -> layer) : Prop :=
  forall d, head_count (layers d) = H /\
  forall h, exists W, weights (layers d) h = kernel_attention (softmax_kernel n W).

(** Hence no sink is forced: every positive loss is reached by two layers of two heads with BOS attention
    at most 1/2 at every row but BOS's own. *)
Definition two_heads_escape : Prop :=
  forall n L eta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta ->
  exists layers, softmax_heads n 2 layers /\
  residual_sup_loss_le n L (residual_stack n 2 layers) eta /\
  forall x j i d h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n layers d h x i <= 1 / 2.
