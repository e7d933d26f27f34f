(** * tc-9 (b): two residual layers of two softmax heads need no sink

    The architecture of arXiv:2603.11487's own two-layer experiments: bilinear softmax, linear values,
    residual connections, no positions, no biases.  Two such layers with two heads each solve the residual
    task of docs/THEORY.md, section 0, to within any eta > 0, for every n >= 4 and L >= 3, while no head
    gives BOS more than delta of any row but BOS's own, whatever delta > 0.

    [two_heads n Lambda kappa] is such a stack: BOS attention is at most 1/(1 + e^kappa), and as Lambda grows
    the loss falls exponentially, at a rate and with a factor that are stated exactly.  kappa = 0 is the
    plainest case, with BOS attention at most 1/2. *)

From Coq Require Import Reals.
From Sinkproof Require Import task residual_stack.
Open Scope R_scope.

(** The unit vector e_k: e_0, e_1 and e_{n-1} read the BOS, the trigger and the content flag. *)
Definition unit_vector (k : nat) : token := fun r => if (r =? k)%nat then 1 else 0.

(** BOS is worth w = e^-kappa of another token to a query with t + c = 1.  The heads of layer 1 write
    (1 + w)/(2 + w) P and its negative; then the trigger's row has t + c = 2 (1 + w)/(2 + w), and its own
    token is worth [trigger_odds] of BOS; the heads of layer 2 write [second_factor] P and its negative. *)
Definition bos_worth (kappa : R) : R := exp (- kappa).
Definition first_factor (kappa : R) : R := (1 + bos_worth kappa) / (2 + bos_worth kappa).
Definition trigger_odds (kappa : R) : R := exp (2 * first_factor kappa * kappa).
Definition second_factor (kappa : R) : R := (1 + trigger_odds kappa) / (1 + bos_worth kappa).

(** What a trigger in head h of layer d looks for. *)
Definition two_heads_key (n : nat) (kappa : R) (d h : nat) : token :=
  fun r =>
  match d, h with
  | O, O => - unit_vector 0 r
  | O, S _ => - unit_vector (n - 1) r
  | S _, O => unit_vector 1 r
  | S _, S _ => unit_vector 0 r + (unit_vector 1 r + unit_vector (n - 1) r) / (2 * first_factor kappa)
  end.

(** The logit of query q and key k is Lambda t(q) (key . k) - kappa (t + c)(q) b(k). *)
Definition two_heads_scores (n : nat) (Lambda kappa : R) (d h : nat) : matrix :=
  fun a b => unit_vector 1 a * (Lambda * two_heads_key n kappa d h b)
             + (unit_vector 1 a + unit_vector (n - 1) a) * (- kappa * unit_vector 0 b).

Definition two_heads_values (kappa : R) (d h : nat) : matrix :=
  fun a b => (match d with O => first_factor kappa | S _ => second_factor kappa end)
             * (match h with O => 1 | S _ => -1 end) * projector a b.

(** Layers of two bilinear softmax heads with linear values: W d h = W_Q^T W_K and V d h = W_O W_V are those of
    head h of layer d. *)
Definition softmax_stack (n : nat) (W V : nat -> nat -> matrix) (d : nat) : layer := {|
  head_count := 2;
  weights := fun h => kernel_attention (softmax_kernel n (W d h));
  values := V d
|}.

Definition two_heads (n : nat) (Lambda kappa : R) : nat -> layer :=
  softmax_stack n (two_heads_scores n Lambda kappa) (two_heads_values kappa).

(** Rows other than the trigger's are returned unchanged, whatever the real numbers Lambda and kappa. *)
Definition two_heads_quiet_rows : Prop :=
  forall n L Lambda kappa x j i r,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j -> (r < n)%nat ->
  residual_stack n 2 (two_heads n Lambda kappa) x i r = x i r.

(** There BOS attention is the same in both heads of both layers: 1/i if kappa = 0. *)
Definition two_heads_quiet_bos_attention : Prop :=
  forall n L Lambda kappa x j i d h,
  (4 <= n)%nat -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> i <> j -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (two_heads n Lambda kappa) d h x i = 1 / (1 + (INR i - 1) * exp kappa).

(** BOS attention at every row but BOS's own, the trigger's included, in both heads of both layers, for
    every Lambda >= 0. *)
Definition two_heads_bos_attention : Prop :=
  forall n L Lambda kappa x j i d h,
  (4 <= n)%nat -> 0 <= Lambda -> 0 <= kappa ->
  valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (two_heads n Lambda kappa) d h x i <= 1 / (1 + exp kappa).

(** The leading term of the loss: its exponential and all of it. *)
Definition two_heads_decay (L : nat) (Lambda kappa : R) : R :=
  exp (- (Lambda * (bos_worth kappa / (2 * (2 + bos_worth kappa))) * (INR L / (INR L - 1)))).

Definition two_heads_leading (L : nat) (Lambda kappa : R) : R :=
  (INR L - 2) * trigger_odds kappa / (1 + bos_worth kappa)
  * (1 + 2 * first_factor kappa * trigger_odds kappa / ((1 + trigger_odds kappa) * (INR L - 1)))
  * two_heads_decay L Lambda kappa.

(** The bound: the leading term and two smaller ones. *)
Definition two_heads_bound (L : nat) (Lambda kappa : R) : R :=
  two_heads_leading L Lambda kappa
  + 2 * second_factor kappa * (INR L - 1) * exp (- (first_factor kappa ^ 2 * Lambda))
  + ((2 + trigger_odds kappa) * (INR L - 1) + trigger_odds kappa / 4 * (Lambda + 2 * kappa)) * exp (- Lambda).

(** The sup loss on the residual task. *)
Definition two_heads_loss : Prop :=
  forall n L Lambda kappa,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda -> 0 <= kappa ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda kappa)) (two_heads_bound L Lambda kappa).

(** From below: any bound of the loss is at least the leading term but for smaller ones. *)
Definition two_heads_loss_at_least : Prop :=
  forall n L Lambda kappa eta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda -> 0 <= kappa ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda kappa)) eta ->
  two_heads_leading L Lambda kappa
  * (1 - (INR L - 2) * (two_heads_decay L Lambda kappa + (1 + Lambda / 6) * exp (- Lambda)))
  - 2 * second_factor kappa * (INR L - 1) * exp (- (first_factor kappa ^ 2 * Lambda)) <= eta.

(** So the quotient of the loss and its leading term tends to 1 as Lambda grows, for every L and kappa. *)
Definition two_heads_loss_asymptotic : Prop :=
  forall n L kappa eps,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= kappa -> 0 < eps ->
  exists Lambda_0, forall Lambda, Lambda_0 <= Lambda ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda kappa))
    ((1 + eps) * two_heads_leading L Lambda kappa) /\
  forall eta, residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda kappa)) eta ->
  (1 - eps) * two_heads_leading L Lambda kappa <= eta.

(** In short, for every Lambda >= 0. *)
Definition two_heads_loss_short : Prop :=
  forall n L Lambda kappa,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda -> 0 <= kappa ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda kappa))
    (9 * INR L * trigger_odds kappa ^ 2 * exp (- (bos_worth kappa / 6 * Lambda))).

(** kappa = 0: the values are 2/3 P, -2/3 P, P, -P and BOS attention is at most 1/2. *)
Definition two_heads_plain : Prop :=
  forall n L Lambda,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda ->
  residual_sup_loss_le n L (residual_stack n 2 (two_heads n Lambda 0))
    ((INR L - 2) * (3 * INR L - 1) / (6 * (INR L - 1)) * exp (- (Lambda / 6 * (INR L / (INR L - 1))))
     + 2 * (INR L - 1) * exp (- (4 / 9 * Lambda)) + (3 * (INR L - 1) + Lambda / 4) * exp (- Lambda)) /\
  forall x j i d h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (two_heads n Lambda 0) d h x i <= 1 / 2.

(** Hence no sink is forced: two layers of two heads with loss at most eta, exact off the trigger, BOS
    attention at most delta at every row but BOS's own and values of size at most 2/delta. *)
Definition two_heads_escape : Prop :=
  forall n L eta delta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta -> 0 < delta -> delta <= 1 / 2 ->
  exists W V,
  (forall d h a b, Rabs (V d h a b) <= 2 / delta) /\
  residual_sup_loss_le n L (residual_stack n 2 (softmax_stack n W V)) eta /\
  forall x j, valid n L j x -> forall i, (i <= L)%nat ->
  ((1 <= i)%nat -> i <> j -> forall r, (r < n)%nat -> residual_stack n 2 (softmax_stack n W V) x i r = x i r) /\
  ((2 <= i)%nat -> forall d h, (d < 2)%nat -> (h < 2)%nat ->
   stack_bos_attention n (softmax_stack n W V) d h x i <= delta).

(** All weights of the first two layers within rho of one another, entry by entry. *)
Definition stack_within (n : nat) (rho : R) (W V W' V' : nat -> nat -> matrix) : Prop :=
  forall d h a b, (d < 2)%nat -> (h < 2)%nat -> (a < n)%nat -> (b < n)%nat ->
  Rabs (W' d h a b - W d h a b) <= rho /\ Rabs (V' d h a b - V d h a b) <= rho.

(** How far logits move if weights move by rho and tokens by m; how far the tokens below layer d move. *)
Definition moved_logit (n : nat) (Lambda kappa rho m : R) : R :=
  rho * (INR n * (4 / 3 + m)) ^ 2 + 3 * (Lambda + kappa) * m * (8 / 3 + m).

Fixpoint moved_state (n : nat) (Lambda kappa rho : R) (d : nat) : R :=
  match d with
  | O => 0
  | S p => let m := moved_state n Lambda kappa rho p in
           m + 2 * (rho * INR n * (4 / 3 + m)
                    + 2 * exp kappa * (m + 4 / 3 * (exp (2 * moved_logit n Lambda kappa rho m) - 1)))
  end.

(** Moved weights: what loss and BOS attention become.  No L enters the change. *)
Definition two_heads_robust : Prop :=
  forall n L Lambda kappa rho W V,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 <= Lambda -> 0 <= kappa ->
  stack_within n rho (two_heads_scores n Lambda kappa) (two_heads_values kappa) W V ->
  residual_sup_loss_le n L (residual_stack n 2 (softmax_stack n W V))
    (two_heads_bound L Lambda kappa + moved_state n Lambda kappa rho 2) /\
  forall x j i d h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (softmax_stack n W V) d h x i
  <= exp (2 * moved_logit n Lambda kappa rho (moved_state n Lambda kappa rho d)) / (1 + exp kappa).

(** Hence the stacks with loss at most eta and BOS attention at most delta contain a full neighbourhood of
    weights: the escape is no accident of exact values. *)
Definition two_heads_robust_escape : Prop :=
  forall n L eta delta,
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta -> 0 < delta ->
  exists W V rho, 0 < rho /\ forall W' V', stack_within n rho W V W' V' ->
  residual_sup_loss_le n L (residual_stack n 2 (softmax_stack n W' V')) eta /\
  forall x j i d h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> (h < 2)%nat ->
  stack_bos_attention n (softmax_stack n W' V') d h x i <= delta.
