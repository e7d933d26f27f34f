(** * tc-9 (a): two residual layers of ONE head each solve the residual task exactly, without a sink

    An explicit stack for every length L, with parameters E > 0 and c > 1 + E/2.  Below,
    m_i = E + i - 1 ([row_mass]), g_k = prod_{2 <= l < k} (1 + c/m_l) ([growth] counts from 0:
    g_k = growth (k - 2)), P = I - e_0 e_0^T.

    Layer 1: a softmax head, BOS weighs E and every other key 1; values c P.  Row i >= 2 then has flags
    t + c = 1 + c (i-1)/m_i, which tell its position.
    Layer 2: key k >= 2 weighs g_k; BOS weighs E/(c+1), but more for the trigger query; values
    -(c/(1+c)) P.  Its logits are polynomials in the flags of query and key that take the wanted values
    at the positions 2 .. L. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task residual_stack switch_model.
Open Scope R_scope.

Definition row_mass (E : R) (i : nat) : R := E + INR (i - 1).

Fixpoint product (m : nat) (f : nat -> R) : R :=
  match m with
  | O => 1
  | S p => product p f * f p
  end.

Definition growth (E c : R) (p : nat) : R := product p (fun l => 1 + c / row_mass E (l + 2)).

(** Layer 2's summed weights at a row i that is not the trigger: g_{i+1} m_i/(c+1). *)
Definition total_weight (E c : R) (i : nat) : R := growth E c (i - 1) * row_mass E i / (c + 1).

(** At a trigger j all attention off BOS is to be 1 - m_j/(c (j-1)) times as large: *)
Definition trigger_share (E c : R) (j : nat) : R := 1 - row_mass E j / (c * INR (j - 1)).

Definition trigger_bos_weight (E c : R) (j : nat) : R :=
  E / (c + 1) + total_weight E c j * (/ trigger_share E c j - 1).

(** Lagrange's polynomial through (node k, value k), k < m. *)
Definition interpolation (m : nat) (node value : nat -> R) (s : R) : R :=
  sum m (fun k => value k * product m (fun l => if (l =? k)%nat then 1 else (s - node l) / (node k - node l))).

(** t + c of a token, and what it is above layer 1 at position p + 2. *)
Definition flag_sum (n : nat) (x : token) : R := trigger_flag x + content_flag n x.
Definition flag_node (E c : R) (p : nat) : R := 1 + c * INR (p + 1) / row_mass E (p + 2).

(** Above layer 1: 1 + c/m_j at the trigger j, 0 at every other position. *)
Definition trigger_mark (n : nat) (E c : R) (x : token) : R :=
  trigger_flag x * (trigger_flag x - (1 + c - flag_sum n x) / E).

Definition second_logit (n L : nat) (E c : R) (q k : token) : R :=
  bos_flag k * (ln (E / (c + 1)) + trigger_mark n E c q
                * interpolation (L - 1) (flag_node E c) (fun p =>
                    ln (trigger_bos_weight E c (p + 2) / (E / (c + 1))) / (1 + c / row_mass E (p + 2)))
                  (flag_sum n q))
  + (1 - bos_flag k)
    * interpolation (L - 1) (flag_node E c) (fun p => ln (growth E c p)) (flag_sum n k).

Definition first_kernel (n : nat) (E : R) : kernel := softmax_kernel n (switch_matrix n (ln E) (ln E)).
Definition second_kernel (n L : nat) (E c : R) : kernel := fun q k => exp (second_logit n L E c q k).

(** A layer of one head with kernel K and values V; two of them. *)
Definition one_head_layer (K : kernel) (V : matrix) : layer :=
  {| head_count := 1; weights := fun _ => kernel_attention K; values := fun _ => V |}.

Definition two_layers (K1 : kernel) (V1 : matrix) (K2 : kernel) (V2 : matrix) : nat -> layer :=
  fun d => if (d =? 0)%nat then one_head_layer K1 V1 else one_head_layer K2 V2.

Definition one_head_stack (n L : nat) (E c : R) : nat -> layer :=
  two_layers (first_kernel n E) (scaled_projector c) (second_kernel n L E c) (scaled_projector (- (c / (1 + c)))).

(** K is continuous in the flags at (q, k): where the flags of query and key are near those of q and k, K is
    near K q k (so it is K q k where they are equal). *)
Definition continuous_in_flags_at (n : nat) (K : kernel) (q k : token) : Prop :=
  forall eps, 0 < eps -> exists d, 0 < d /\ forall q' k',
  (forall r, r = 0%nat \/ r = 1%nat \/ r = (n - 1)%nat -> Rabs (q' r - q r) <= d /\ Rabs (k' r - k r) <= d) ->
  Rabs (K q' k' - K q k) <= eps.

Definition continuous_in_flags (n : nat) (K : kernel) : Prop := forall q k, continuous_in_flags_at n K q k.

(** Entrywise distance at most eps. *)
Definition matrix_within (n : nat) (eps : R) (A B : matrix) : Prop :=
  forall r c, (r < n)%nat -> (c < n)%nat -> Rabs (A r c - B r c) <= eps.

(** ** Sentences *)

(** The explicit stack's loss on the residual task is exactly 0. *)
Definition one_head_exact : Prop :=
  forall n L E c, (4 <= n)%nat -> (3 <= L)%nat -> 0 < E -> 1 + E / 2 < c ->
  residual_sup_loss_le n L (residual_stack n 2 (one_head_stack n L E c)) 0.

(** Its kernels are positive, and functions of the flags of query and key only, continuous everywhere. *)
Definition one_head_kernels : Prop :=
  forall n L E c, (4 <= n)%nat ->
  positive_kernel (first_kernel n E) /\ continuous_in_flags n (first_kernel n E) /\
  positive_kernel (second_kernel n L E c) /\ continuous_in_flags n (second_kernel n L E c).

(** BOS attention in layer 1 is E/m_i. *)
Definition one_head_first_bos : Prop :=
  forall n L E c x j i, (4 <= n)%nat -> 0 < E -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat ->
  stack_bos_attention n (one_head_stack n L E c) 0 0 x i = E / row_mass E i.

(** In layer 2 it is E/(m_i g_{i+1}) = E/((m_i + c) g_i) at every row but the trigger's ... *)
Definition one_head_second_bos : Prop :=
  forall n L E c x j i, (4 <= n)%nat -> 0 < E -> 1 + E / 2 < c -> valid n L j x ->
  (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  stack_bos_attention n (one_head_stack n L E c) 1 0 x i = E / (row_mass E i * growth E c (i - 1)).

(** ... and 1 - (1 - m_j/(c (j-1))) (1 - E/(m_j g_{j+1})) there. *)
Definition one_head_trigger_bos : Prop :=
  forall n L E c x j, (4 <= n)%nat -> 0 < E -> 1 + E / 2 < c -> valid n L j x ->
  stack_bos_attention n (one_head_stack n L E c) 1 0 x j
  = 1 - trigger_share E c j * (1 - E / (row_mass E j * growth E c (j - 1))).

(** E = delta/2, c = 2/delta: BOS attention is below delta at every row but the first, in both layers. *)
Definition one_head_small_bos : Prop :=
  forall n L delta x j i d, (4 <= n)%nat -> 0 < delta -> delta <= 1 -> valid n L j x ->
  (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat ->
  stack_bos_attention n (one_head_stack n L (delta / 2) (2 / delta)) d 0 x i < delta.

(** So two residual layers of one head each, a softmax head and a head with a positive kernel continuous
    in the flags, with linear values, need no sink: loss exactly 0, BOS attention below any delta. *)
Definition residual_one_head_escapes : Prop :=
  forall n L delta, (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta -> delta <= 1 ->
  exists (M V1 V2 : matrix) (K : kernel),
    positive_kernel K /\ continuous_in_flags n K /\
    let stack := two_layers (softmax_kernel n M) V1 K V2 in
    residual_sup_loss_le n L (residual_stack n 2 stack) 0 /\
    forall x j, valid n L j x -> forall i d, (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat ->
    stack_bos_attention n stack d 0 x i < delta.

(** One such stack does it at every length: the weights need not know L.  Its second kernel is
    continuous in the flags at the tokens that it meets. *)
Definition one_head_any_length : Prop :=
  forall n delta, (4 <= n)%nat -> 0 < delta -> delta <= 1 ->
  exists (M V1 V2 : matrix) (K : kernel),
    positive_kernel K /\
    let stack := two_layers (softmax_kernel n M) V1 K V2 in
    forall L, (3 <= L)%nat ->
    residual_sup_loss_le n L (residual_stack n 2 stack) 0 /\
    forall x j, valid n L j x ->
    (forall i k, (1 <= i)%nat -> (i <= L)%nat -> (1 <= k)%nat -> (k <= L)%nat ->
     continuous_in_flags_at n K (hidden_states n stack 1 x i) (hidden_states n stack 1 x k)) /\
    (forall i d, (2 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat -> stack_bos_attention n stack d 0 x i < delta).

(** Nothing hinges on exact weights: moving query-key and value matrices, and the second kernel on tokens
    with coordinates up to 2 + c, by little enough moves the loss and BOS attention by at most eta. *)
Definition one_head_robust : Prop :=
  forall n L E c eta, (4 <= n)%nat -> (3 <= L)%nat -> 0 < E -> 1 + E / 2 < c -> 0 < eta ->
  exists eps, 0 < eps /\ forall (M V1 V2 : matrix) (K : kernel),
    matrix_within n eps M (switch_matrix n (ln E) (ln E)) ->
    matrix_within n eps V1 (scaled_projector c) ->
    matrix_within n eps V2 (scaled_projector (- (c / (1 + c)))) ->
    (forall q k, (forall r, (r < n)%nat -> Rabs (q r) <= 2 + c /\ Rabs (k r) <= 2 + c) ->
     Rabs (K q k - second_kernel n L E c q k) <= eps) ->
    let stack := two_layers (softmax_kernel n M) V1 K V2 in
    residual_sup_loss_le n L (residual_stack n 2 stack) eta /\
    forall x j, valid n L j x -> forall i d, (1 <= i)%nat -> (i <= L)%nat -> (d < 2)%nat ->
    Rabs (stack_bos_attention n stack d 0 x i - stack_bos_attention n (one_head_stack n L E c) d 0 x i) <= eta.

(** One such layer is too few: with any positive kernel and any values its loss is not 0. *)
Definition one_layer_too_few : Prop :=
  forall n L (K : kernel) (V : matrix), (4 <= n)%nat -> (3 <= L)%nat -> positive_kernel K ->
  ~ residual_sup_loss_le n L (residual_stack n 1 (fun _ => one_head_layer K V)) 0.
