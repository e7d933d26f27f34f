(** * tc-9: what is still forced, a trade between BOS attention and the size of the values

    Stacks of any depth with any number of heads, row-stochastic weights and linear values.  If the weights
    take no notice of one noise coordinate, then small differences of BOS attention between rows have to be
    paid for with large values. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values residual_stack.
Open Scope R_scope.

(** ||V||_inf: the operator norm of V for the sup norm of R^n, the largest row sum of absolute values. *)
Definition value_norm (n : nat) (V : matrix) : R := maximum n (fun r => sum n (fun c => Rabs (V r c))).

(** v_d = sum_h ||V_{d,h}||_inf. *)
Definition layer_norm (n : nat) (l : layer) : R := sum (head_count l) (fun h => value_norm n (values l h)).

(** [product m f] = f 0 * f 1 * ... * f (m-1). *)
Fixpoint product (m : nat) (f : nat -> R) : R := match m with O => 1 | S p => product p f * f p end.

(** N = prod_d (1 + v_d). *)
Definition growth (n D : nat) (layers : nat -> layer) : R := product D (fun d => 1 + layer_norm n (layers d)).

(** The same layers without residual connections. *)
Fixpoint plain_states (n : nat) (layers : nat -> layer) (d : nat) (x : sequence) : sequence :=
  match d with O => x | S p => layer_output n (layers p) (plain_states n layers p x) end.

(** Below, [states d x] is the sequence below layer d on input x; only rows up to the trigger's, j, are read.
    Every row of weights is nonnegative and sums to 1. *)
Definition stochastic_rows (D : nat) (layers : nat -> layer) (states : nat -> model) (j : nat) (x : sequence) : Prop :=
  forall d h i, (d < D)%nat -> (h < head_count (layers d))%nat -> (1 <= i)%nat -> (i <= j)%nat ->
  (forall k, (1 <= k)%nat -> (k <= i)%nat -> 0 <= weights (layers d) h (states d x) i k) /\
  possum i (weights (layers d) h (states d x) i) = 1.

(** The weights agree on x and y. *)
Definition same_weights (D : nat) (layers : nat -> layer) (states : nat -> model) (j : nat) (x y : sequence) : Prop :=
  forall d h i k, (d < D)%nat -> (h < head_count (layers d))%nat -> (1 <= k)%nat -> (k <= i)%nat -> (i <= j)%nat ->
  weights (layers d) h (states d x) i k = weights (layers d) h (states d y) i k.

(** BOS attention of head h of layer d differs by at most p d h between the rows 2..j. *)
Definition bos_spread_le (D : nat) (layers : nat -> layer) (states : nat -> model) (j : nat) (x : sequence)
  (p : nat -> nat -> R) : Prop :=
  forall d h i i', (d < D)%nat -> (h < head_count (layers d))%nat ->
  (2 <= i)%nat -> (i <= j)%nat -> (2 <= i')%nat -> (i' <= j)%nat ->
  Rabs (bos_attention (weights (layers d) h) (states d x) i
        - bos_attention (weights (layers d) h) (states d x) i') <= p d h.

(** Noise coordinate r of the tokens 2..j is larger in x than in y, by 2 delta; all else agrees.  (delta = 1:
    it is +1 throughout in x and -1 throughout in y.) *)
Definition differ_in_noise (n j r : nat) (delta : R) (x y : sequence) : Prop :=
  (2 <= r)%nat /\ (r <= n - 2)%nat /\
  forall i c, (2 <= i)%nat -> (i <= j)%nat -> (c < n)%nat -> x i c - y i c = if (c =? r)%nat then 2 * delta else 0.

(** Weights read the flags alone (and positions), and the values write no noise into flags. *)
Definition is_flag (n r : nat) : Prop := r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat.

Definition flag_stack (n L D : nat) (layers : nat -> layer) : Prop :=
  forall d h, (d < D)%nat -> (h < head_count (layers d))%nat ->
  (forall x y, (forall i r, (1 <= i)%nat -> (i <= L)%nat -> is_flag n r -> x i r = y i r) ->
     forall i k, (1 <= k)%nat -> (k <= i)%nat -> (i <= L)%nat ->
     weights (layers d) h x i k = weights (layers d) h y i k) /\
  (forall r c, is_flag n r -> (2 <= c)%nat -> (c <= n - 2)%nat -> values (layers d) h r c = 0).

(** ** The claim *)

(** Residual stacks, each head with a spread of its own: N sum_d (sum_h p_{d,h} ||V_{d,h}||_inf)/(1 + v_d) is
    at least 1 - 2 eta/delta. *)
Definition residual_trade : Prop :=
  forall n L D layers j r delta x y p eta,
  valid n L j x -> valid n L j y -> 0 < delta -> differ_in_noise n j r delta x y ->
  stochastic_rows D layers (hidden_states n layers) j x ->
  same_weights D layers (hidden_states n layers) j x y ->
  bos_spread_le D layers (hidden_states n layers) j x p ->
  residual_sup_loss_le n L (residual_stack n D layers) eta ->
  growth n D layers * sum D (fun d => sum (head_count (layers d)) (fun h => p d h * value_norm n (values (layers d) h))
                                      / (1 + layer_norm n (layers d)))
  >= 1 - 2 * eta / delta.

(** One spread p for all heads, in closed form: p >= (1 - 2 eta/delta)/(N ln N), where N > 1. *)
Definition residual_trade_closed : Prop :=
  forall n L D layers j r delta x y p eta,
  valid n L j x -> valid n L j y -> 0 < delta -> differ_in_noise n j r delta x y ->
  stochastic_rows D layers (hidden_states n layers) j x ->
  same_weights D layers (hidden_states n layers) j x y ->
  bos_spread_le D layers (hidden_states n layers) j x (fun _ _ => p) ->
  residual_sup_loss_le n L (residual_stack n D layers) eta -> eta < delta / 2 ->
  p * (growth n D layers * sum D (fun d => layer_norm n (layers d) / (1 + layer_norm n (layers d))))
    >= 1 - 2 * eta / delta /\
  1 < growth n D layers /\ p >= (1 - 2 * eta / delta) / (growth n D layers * ln (growth n D layers)).

(** Without residual connections: p D prod_d v_d >= 1 - 2 eta/delta. *)
Definition plain_trade : Prop :=
  forall n L D layers j r delta x y p eta,
  valid n L j x -> valid n L j y -> 0 < delta -> differ_in_noise n j r delta x y ->
  stochastic_rows D layers (plain_states n layers) j x ->
  same_weights D layers (plain_states n layers) j x y ->
  bos_spread_le D layers (plain_states n layers) j x (fun _ _ => p) ->
  sup_loss_le n L (plain_states n layers D) eta ->
  p * INR D * product D (fun d => layer_norm n (layers d)) >= 1 - 2 * eta / delta.

(** Residual stacks that read flags and positions alone: on EVERY sequence some spread is that large ... *)
Definition flag_stack_trade : Prop :=
  forall n L D layers j x p eta,
  (4 <= n)%nat -> valid n L j x -> flag_stack n L D layers ->
  stochastic_rows D layers (hidden_states n layers) j x ->
  bos_spread_le D layers (hidden_states n layers) j x (fun _ _ => p) ->
  residual_sup_loss_le n L (residual_stack n D layers) eta -> eta < / 2 ->
  1 < growth n D layers /\ p >= (1 - 2 * eta) / (growth n D layers * ln (growth n D layers)).

(** ... so BOS attention at most p at all rows 2..j of all heads costs N ln N >= (1 - 2 eta)/p. *)
Definition small_bos_attention_costs : Prop :=
  forall n L D layers j x p eta,
  (4 <= n)%nat -> valid n L j x -> flag_stack n L D layers ->
  stochastic_rows D layers (hidden_states n layers) j x ->
  (forall d h i, (d < D)%nat -> (h < head_count (layers d))%nat -> (2 <= i)%nat -> (i <= j)%nat ->
     stack_bos_attention n layers d h x i <= p) ->
  residual_sup_loss_le n L (residual_stack n D layers) eta -> eta < / 2 ->
  0 < p /\ growth n D layers * ln (growth n D layers) >= (1 - 2 * eta) / p.

(** The trade is exact at one layer: for every 0 < p < 1/2 two softmax heads that read flags have loss 0 at
    L = 3, spread p on every sequence, and p N sum_d v_d/(1 + v_d) = 1. *)
Definition trade_attained : Prop :=
  forall n p, (4 <= n)%nat -> 0 < p < / 2 -> exists layers,
  (forall d, head_count (layers d) = 2%nat /\
     forall h, exists W, weights (layers d) h = kernel_attention (softmax_kernel n W)) /\
  flag_stack n 3 1 layers /\
  (forall j x, valid n 3 j x -> bos_spread_le 1 layers (hidden_states n layers) j x (fun _ _ => p)) /\
  residual_sup_loss_le n 3 (residual_stack n 1 layers) 0 /\
  p * (growth n 1 layers * sum 1 (fun d => layer_norm n (layers d) / (1 + layer_norm n (layers d)))) = 1.
