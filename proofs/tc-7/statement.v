(** * tc-7: several heads escape the sink

    The task is that of docs/THEORY.md, section 0 (theory/definitions/task.v), several heads too: their outputs
    add up.  Heads count from 0; of families K, V, F, c .. of H heads only the members h < H are read. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task switch_model.
Open Scope R_scope.

(** Head h: softmax, BOS logit tau_h for the trigger query, beta for the others, values c_h P. *)
Definition switch_heads (n : nat) (beta : R) (tau c : nat -> R) : nat -> model :=
  fun h => switch_head n beta (tau h) (c h).

(** Heads 0 and 1. *)
Definition alternate (u v : R) : nat -> R := fun h => if (h =? 0)%nat then u else v.

Definition cancelling_pair (n : nat) (b : R) : model :=
  multi_head 2 (switch_heads n 0 (alternate (- b) b) (alternate 1 (- 1))).

(** e1 + e2 = e^-b/(e^-b + j-1) + (j-1)/(e^b + j-1). *)
Definition pair_error (b : R) (j : nat) : R :=
  exp (- b) / (exp (- b) + INR (j - 1)) + INR (j - 1) / (exp b + INR (j - 1)).

Definition two_heads (n : nat) : model :=
  multi_head 2 (switch_heads n 0 (alternate (ln 2) (ln 3)) (alternate 10 (- 10))).

(** Distinct positive factors F_0, .., F_{H-1}, and their product. *)
Definition distinct_positive (H : nat) (F : nat -> R) : Prop :=
  (forall h, (h < H)%nat -> 0 < F h) /\
  (forall h g, (h < H)%nat -> (g < H)%nat -> h <> g -> F h <> F g).

Fixpoint product (m : nat) (f : nat -> R) : R :=
  match m with
  | O => 1
  | S p => product p f * f p
  end.

(** H heads with kernels K_h and any value maps; with linear ones. *)
Definition kernel_heads (H : nat) (K : nat -> kernel) (v : nat -> token -> token) : model :=
  multi_head H (fun h => head (kernel_attention (K h)) (v h)).

Definition linear_heads (n H : nat) (K : nat -> kernel) (V : nat -> matrix) : model :=
  kernel_heads H K (fun h => linear_value n (V h)).

(** The kernel sees nothing but the flags of its two tokens. *)
Definition same_flags (n : nat) (x y : token) : Prop :=
  bos_flag x = bos_flag y /\ trigger_flag x = trigger_flag y /\ content_flag n x = content_flag n y.

Definition flag_kernel (n : nat) (K : kernel) : Prop :=
  forall q q' k k', same_flags n q q' -> same_flags n k k' -> K q k = K q' k'.

(** The logits of a switch: tau t(q) bos(k) + beta (bos(q) + c(q)) bos(k). *)
Definition switch_logits : Prop :=
  forall n (beta tau : R) (q k : token), (4 <= n)%nat ->
  bilinear n (switch_matrix n beta tau) q k
  = (beta * bos_flag q + tau * trigger_flag q + beta * content_flag n q) * bos_flag k.

(** *** (a) The cancelling pair *)

(** Its sup loss is the maximum of e1 + e2 over the trigger positions. *)
Definition pair_sup_loss : Prop :=
  forall n L (b eta : R), (4 <= n)%nat -> (3 <= L)%nat ->
  (sup_loss_le n L (cancelling_pair n b) eta <->
   forall j, (3 <= j)%nat -> (j <= L)%nat -> pair_error b j <= eta).

(** BOS attention 1/i off the trigger, in both heads. *)
Definition pair_bos_attention : Prop :=
  forall n L (b : R) x j i,
  (4 <= n)%nat -> valid n L j x -> (1 <= i)%nat -> (i <= L)%nat -> i <> j ->
  forall h, bos_attention (switch_attention n 0 (alternate (- b) b h)) x i = 1 / INR i.

Definition pair_sup_loss_small : Prop :=
  forall n L eta, (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta ->
  exists b, sup_loss_le n L (cancelling_pair n b) eta.

(** *** (b) Two heads, L = 4: loss 0, BOS attention at most 3/5 at every row i >= 2 *)

Definition two_heads_zero_loss : Prop :=
  forall n, (4 <= n)%nat -> sup_loss_le n 4 (two_heads n) 0.

Definition two_heads_bos_attention : Prop :=
  forall n x j i,
  (4 <= n)%nat -> valid n 4 j x -> (2 <= i)%nat -> (i <= 4)%nat ->
  forall h, bos_attention (switch_attention n 0 (alternate (ln 2) (ln 3) h)) x i <= 3 / 5.

(** *** (c) Every L: L - 1 heads *)

(** Coefficients with sum c_h = 0 and sum_h c_h/(F_h + m) = 1/m for m = 2..L-1 give loss 0. *)
Definition system_zero_loss : Prop :=
  forall n L H (beta : R) tau c,
  (4 <= n)%nat -> sum H c = 0 ->
  (forall j, (3 <= j)%nat -> (j <= L)%nat ->
     sum H (fun h => c h / (exp (tau h) + INR (j - 1))) = 1 / INR (j - 1)) ->
  sup_loss_le n L (multi_head H (switch_heads n beta tau c)) 0.

(** For any L - 1 distinct factors F_h > 0 and any factor E > 0 off the trigger there are such. *)
Definition many_heads_zero_loss : Prop :=
  forall n L E (F : nat -> R),
  (4 <= n)%nat -> (3 <= L)%nat -> 0 < E -> distinct_positive (L - 1) F ->
  exists c : nat -> R,
    sum (L - 1) c = 0 /\
    (forall j, (3 <= j)%nat -> (j <= L)%nat ->
       sum (L - 1) (fun h => c h / (F h + INR (j - 1))) = 1 / INR (j - 1)) /\
    sup_loss_le n L (multi_head (L - 1) (switch_heads n (ln E) (fun h => ln (F h)) c)) 0.

(** BOS attention of a head with these factors, at the rows i >= 2. *)
Definition many_heads_bos_attention : Prop :=
  forall n L E F x j i,
  (4 <= n)%nat -> valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> 0 < E -> 0 < F ->
  bos_attention (switch_attention n (ln E) (ln F)) x i <= if (i =? j)%nat then F / (F + 2) else E / (E + 1).

(** Loss 0 with BOS attention below any bound, at every row i >= 2, in every head. *)
Definition sink_free_exact : Prop :=
  forall n L delta, (4 <= n)%nat -> (3 <= L)%nat -> 0 < delta ->
  exists beta (tau c : nat -> R),
    sup_loss_le n L (multi_head (L - 1) (switch_heads n beta tau c)) 0 /\
    forall x j i h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
      bos_attention (switch_attention n beta (tau h)) x i <= delta.

(** So no threshold eta0 and constant C make "loss eta <= eta0 forces BOS attention >= 1 - C eta in some head
    at some row i >= 2" true of L - 1 heads. *)
Definition tc1_fails_for_several_heads : Prop :=
  forall n L eta0 (C : R), (4 <= n)%nat -> (3 <= L)%nat -> 0 < eta0 ->
  exists beta (tau c : nat -> R) eta,
    0 <= eta <= eta0 /\
    sup_loss_le n L (multi_head (L - 1) (switch_heads n beta tau c)) eta /\
    forall x j i h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
      bos_attention (switch_attention n beta (tau h)) x i < 1 - C * eta.

(** *** (c') Every even L: L - 2 heads, any distinct F_h > 0 of product (L-1)! *)

Definition even_length : Prop :=
  forall n L E (F : nat -> R),
  (4 <= n)%nat -> (3 <= L)%nat -> Nat.Even L -> 0 < E -> distinct_positive (L - 2) F ->
  product (L - 2) F = INR (fact (L - 1)) ->
  exists c : nat -> R,
    sum (L - 2) c = 0 /\
    sup_loss_le n L (multi_head (L - 2) (switch_heads n (ln E) (fun h => ln (F h)) c)) 0.

(** BOS attention below any bound off the trigger, at most (L-1)/(L+1) at it. *)
Definition even_length_exact : Prop :=
  forall n L delta, (4 <= n)%nat -> (4 <= L)%nat -> Nat.Even L -> 0 < delta ->
  exists beta (tau c : nat -> R),
    sup_loss_le n L (multi_head (L - 2) (switch_heads n beta tau c)) 0 /\
    forall x j i h, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat -> (h < L - 2)%nat ->
      bos_attention (switch_attention n beta (tau h)) x i
      <= if (i =? j)%nat then (INR L - 1) / (INR L + 1) else delta.

(** *** (d) Too few heads *)

(** H heads, any positive kernels and any value maps: no loss 0 for L >= H + 3 and n >= H + 3. *)
Definition too_few_heads : Prop :=
  forall n L H (K : nat -> kernel) (v : nat -> token -> token),
  (4 <= n)%nat -> (H + 3 <= n)%nat -> (H + 3 <= L)%nat -> (forall h, positive_kernel (K h)) ->
  ~ sup_loss_le n L (kernel_heads H K v) 0.

(** So for even L and n >= L the least number of heads with loss 0 is L - 2. *)
Definition even_length_least : Prop :=
  forall n L, (4 <= L)%nat -> (L <= n)%nat -> Nat.Even L ->
  (exists W V, sup_loss_le n L (linear_heads n (L - 2) (fun h => softmax_kernel n (W h)) V) 0) /\
  (forall H (K : nat -> kernel) (v : nat -> token -> token),
     (H < L - 2)%nat -> (forall h, positive_kernel (K h)) ->
     ~ sup_loss_le n L (kernel_heads H K v) 0).

(** *** (e) Two heads of the flags, linear values, BOS attention at most 9/10 at every row i >= 2 *)

Definition two_heads_floor : Prop :=
  forall n L K V eta,
  (4 <= n)%nat -> (5 <= L)%nat -> (forall h, positive_kernel (K h)) -> (forall h, flag_kernel n (K h)) ->
  (forall h x j i, valid n L j x -> (2 <= i)%nat -> (i <= L)%nat ->
     bos_attention (kernel_attention (K h)) x i <= 9 / 10) ->
  sup_loss_le n L (linear_heads n 2 K V) eta ->
  eta > 1 / 1000.

(** *** (f) Kernels of the flags and linear values: the least number of heads at every n >= 4 *)

(** L - 2 for even L, L - 1 for odd L. *)
Definition flag_only_least : Prop :=
  forall n L H, (4 <= n)%nat -> (3 <= L)%nat -> H = (if Nat.even L then L - 2 else L - 1)%nat ->
  (exists W V, (forall h, flag_kernel n (softmax_kernel n (W h))) /\
     sup_loss_le n L (linear_heads n H (fun h => softmax_kernel n (W h)) V) 0) /\
  (forall H' (K : nat -> kernel) (V : nat -> matrix),
     (H' < H)%nat -> (forall h, positive_kernel (K h)) -> (forall h, flag_kernel n (K h)) ->
     ~ sup_loss_le n L (linear_heads n H' K V) 0).
