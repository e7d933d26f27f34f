(** * tc-2: small loss with high probability forces the sink with high probability

    docs/THEORY.md, tc-2; the setting is proofs/theory/definitions/task.v.  One layer, one head, positive
    content-based kernel K, ANY value map v.  Sequences are random: noise vectors drawn independently, position by
    position, from one law; the trigger position uniform on 3..L.  The law is ANY finite one, points 0..N-1 with
    weights w >= 0 that sum to 1, so expectations are finite sums: no measure theory, and of the continuous
    uniform law only its grids. *)

From Coq Require Import Reals Arith List.
From Sinkproof Require Import task anchored_values.
Open Scope R_scope.

(** ** Loss of one sequence: "l(x) = max_i ||out_i - y_i||_inf" *)

Definition row_error (n j : nat) (out : model) (x : sequence) (i : nat) : R :=
  maximum n (fun r => Rabs (out x i r - target j x i r)).

Definition loss (n L j : nat) (out : model) (x : sequence) : R :=
  maximum L (fun i => row_error n j out x (S i)).

(** ** Finite laws of tokens *)

(** c(u) = (0,0,u,1) and t(u) = (0,1,u,0): coordinate r carries the noise u r, for 2 <= r <= n-2. *)
Definition content_token (n : nat) (u : nat -> R) : token :=
  fun r => if (r <? 2)%nat then 0 else if (r <? n - 1)%nat then u r
           else if (r =? n - 1)%nat then 1 else 0.

Definition trigger_token (n : nat) (u : nat -> R) : token :=
  fun r => if (r =? 0)%nat then 0 else if (r =? 1)%nat then 1
           else if (r <? n - 1)%nat then u r else 0.

(** Point k < N has weight w k; it is the noise vector u k, in the box. *)
Record noise_law (n N : nat) (w : nat -> R) (u : nat -> nat -> R) : Prop := {
  noise_weight : forall k, (k < N)%nat -> 0 <= w k;
  noise_total : sum N w = 1;
  noise_point : forall k r, (k < N)%nat -> (2 <= r)%nat -> (r <= n - 2)%nat -> -1 <= u k r <= 1
}.

(** More generally: point k is the content token c k where content is wanted, the trigger t k where the trigger
    stands. *)
Record token_law (n N : nat) (w : nat -> R) (c t : nat -> token) : Prop := {
  token_weight : forall k, (k < N)%nat -> 0 <= w k;
  token_total : sum N w = 1;
  token_content : forall k, (k < N)%nat -> is_content n (c k);
  token_trigger : forall k, (k < N)%nat -> is_trigger n (t k)
}.

(** The tokens of noise points. *)
Definition contents (n : nat) (u : nat -> nat -> R) : nat -> token := fun k => content_token n (u k).
Definition triggers (n : nat) (u : nat -> nat -> R) : nat -> token := fun k => trigger_token n (u k).

(** ** Random sequences *)

(** An outcome is a trigger position j and the list of the L - 1 points drawn for the positions 2, 3, .., L. *)
Definition random_sequence (c t : nat -> token) (j : nat) (draws : list nat) : sequence :=
  fun i => if (i =? 1)%nat then bos
           else if (i =? j)%nat then t (nth (i - 2) draws 0%nat)
           else c (nth (i - 2) draws 0%nat).

(** The mean of f over p independent draws: the sum over all lists of p points below N of the product of their
    weights times f. *)
Fixpoint mean_draws (N : nat) (w : nat -> R) (p : nat) (f : list nat -> R) : R :=
  match p with
  | O => f nil
  | S p' => sum N (fun k => w k * mean_draws N w p' (fun l => f (cons k l)))
  end.

Definition indicator (b : bool) : R := if b then 1 else 0.

(** An event says yes or no to (j, draws).  j is uniform on 3..L. *)
Definition event := nat -> list nat -> bool.

Definition probability (L N : nat) (w : nat -> R) (A : event) : R :=
  sum (L - 2) (fun a => mean_draws N w (L - 1) (fun l => indicator (A (a + 3)%nat l))) / INR (L - 2).

(** x <= y as a boolean. *)
Definition at_most (x y : R) : bool := if Rle_dec x y then true else false.

(** The event l(x) > eta, and the event: BOS attention >= p at every position 1..j-1. *)
Definition loss_above (n L : nat) (out : model) (c t : nat -> token) (eta : R) : event :=
  fun j draws => negb (at_most (loss n L j out (random_sequence c t j draws)) eta).

Definition sink_before_trigger (a : attention) (c t : nat -> token) (p : R) : event :=
  fun j draws => forallb (fun i => at_most p (bos_attention a (random_sequence c t j draws) i)) (seq 1 (j - 1)).

(** ** P is a probability *)

Definition probability_true : Prop :=
  forall L N w, (3 <= L)%nat -> sum N w = 1 -> probability L N w (fun _ _ => true) = 1.

Definition probability_not : Prop :=
  forall L N w A, (3 <= L)%nat -> sum N w = 1 ->
  probability L N w (fun j l => negb (A j l)) = 1 - probability L N w A.

(** ** The claim *)

(** P[l > eta] <= delta: the sink, 1 - 3 eta at all positions before the trigger, has probability at least
    1 - delta (L-1)(L-2)/2. *)
Definition necessity_high_probability : Prop :=
  forall n L N w u K v eta delta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> noise_law n N w u ->
  probability L N w (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta ->
  probability L N w (sink_before_trigger (kernel_attention K) (contents n u) (triggers n u) (1 - 3 * eta))
  >= 1 - delta * ((INR L - 1) * (INR L - 2) / 2).

(** Sharper for (L-2) delta <= 2/3: 1 - (L-1)/2 (1 - sqrt(1 - (L-2) delta)). *)
Definition necessity_high_probability_sharp : Prop :=
  forall n L N w u K v eta delta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> noise_law n N w u ->
  probability L N w (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta ->
  (INR L - 2) * delta <= 2 / 3 ->
  probability L N w (sink_before_trigger (kernel_attention K) (contents n u) (triggers n u) (1 - 3 * eta))
  >= 1 - (INR L - 1) / 2 * (1 - sqrt (1 - (INR L - 2) * delta)).

(** So, to first order in delta, 1 - delta (L-1)(L-2)/4. *)
Definition necessity_high_probability_first_order : Prop :=
  forall n L N w u K v eta delta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> noise_law n N w u ->
  probability L N w (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta ->
  (INR L - 2) * delta <= 2 / 3 ->
  probability L N w (sink_before_trigger (kernel_attention K) (contents n u) (triggers n u) (1 - 3 * eta))
  >= 1 - delta * ((INR L - 1) * (INR L - 2) / 4) * (1 + (INR L - 2) * delta).

(** The first two bounds for any finite law of tokens: a point's content token and its trigger token may have
    different noise. *)
Definition necessity_high_probability_law : Prop :=
  forall n L N w c t K v eta delta,
  (4 <= n)%nat -> (4 <= L)%nat -> positive_kernel K -> eta <= 1 / 12 -> token_law n N w c t ->
  probability L N w (loss_above n L (head (kernel_attention K) v) c t eta) <= delta ->
  probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta))
  >= 1 - delta * ((INR L - 1) * (INR L - 2) / 2) /\
  ((INR L - 2) * delta <= 2 / 3 ->
   probability L N w (sink_before_trigger (kernel_attention K) c t (1 - 3 * eta))
   >= 1 - (INR L - 1) / 2 * (1 - sqrt (1 - (INR L - 2) * delta))).

(** tc-1's other constants: m >= 2, eta <= 1/(2m(m+1)). *)
Definition necessity_high_probability_any_m : Prop :=
  forall n L m N w u K v eta delta,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) -> noise_law n N w u ->
  probability L N w (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) eta) <= delta ->
  probability L N w (sink_before_trigger (kernel_attention K) (contents n u) (triggers n u)
                       (1 - 2 * (1 + 1 / INR m) * eta))
  >= 1 - delta * (1 + (INR L - 1) * (INR L - 2) / 2).

(** At eta = 1/12 no factor kappa below (L-1)(L-2)/4 will do, however small delta is asked to be. *)
Definition high_probability_tight : Prop :=
  forall n L kappa small,
  (4 <= n)%nat -> (4 <= L)%nat -> kappa < (INR L - 1) * (INR L - 2) / 4 -> 0 < small ->
  exists w u K v delta,
    noise_law n 2 w u /\ positive_kernel K /\ 0 < delta <= small /\
    probability L 2 w (loss_above n L (head (kernel_attention K) v) (contents n u) (triggers n u) (1 / 12)) <= delta /\
    probability L 2 w (sink_before_trigger (kernel_attention K) (contents n u) (triggers n u) (1 - 3 * (1 / 12)))
    < 1 - kappa * delta.

(** ** The deterministic core *)

(** x is ONE sequence with loss at most eta; for each content token x_k before its trigger there are content tokens
    y_1..y_{m-1} and a trigger t such that the trigger rows of z = (BOS,x_k,y_1,..,y_{m-1},t,..) and of
    z' = (BOS,y_1,..,y_{m-1},t,..) are within eta of their targets.  Nothing is assumed about other sequences. *)
Definition sink_from_probes : Prop :=
  forall n L m K v eta x j,
  (4 <= n)%nat -> (2 <= m)%nat -> (m + 2 <= L)%nat -> positive_kernel K ->
  eta <= 1 / (2 * INR m * (INR m + 1)) ->
  valid n L j x -> loss n L j (head (kernel_attention K) v) x <= eta ->
  (forall k, (2 <= k)%nat -> (k < j)%nat ->
     exists z z', valid n L (m + 2) z /\ valid n L (m + 1) z' /\ z 2%nat = x k /\
                  (forall i, (3 <= i)%nat -> (i <= m + 2)%nat -> z i = z' (i - 1)%nat) /\
                  row_error n (m + 2) (head (kernel_attention K) v) z (m + 2) <= eta /\
                  row_error n (m + 1) (head (kernel_attention K) v) z' (m + 1) <= eta) ->
  forall i, (1 <= i)%nat -> (i < j)%nat ->
  bos_attention (kernel_attention K) x i >= 1 - 2 * (1 + 1 / INR m) * eta.
