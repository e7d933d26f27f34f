(** * tc-9: one bilinear softmax head a layer, no positions, depth 4n - 10

    An explicit residual stack, its values independent of the length, whose loss tends to 0 with the scale Lam of
    its logits while no row but the trigger's has more than e^-Lam of its attention on BOS, and the trigger's
    row no more than 1/2 + o(1). *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task residual_stack.
Open Scope R_scope.

(** The vector with beta, tau, gamma at the three flags, and the one with s at noise coordinate r. *)
Definition flags (n : nat) (beta tau gamma : R) : token :=
  fun k => if (k =? 0)%nat then beta else if (k =? 1)%nat then tau else if (k =? n - 1)%nat then gamma else 0.

Definition noise_at (r : nat) (s : R) : token := fun k => if (k =? r)%nat then s else 0.

(** u v^T and u v^T + u' v'^T. *)
Definition outer (u v : token) : matrix := fun a b => u a * v b.

Definition outers (u v u' v' : token) : matrix := fun a b => u a * v b + u' a * v' b.

(** One softmax head with logits Lam q^T M k and values V. *)
Definition softmax_layer (n : nat) (Lam : R) (M V : matrix) : layer := {|
  head_count := 1;
  weights := fun _ => kernel_attention (softmax_kernel n (fun a b => Lam * M a b));
  values := fun _ => V
|}.

(** The four layers of noise coordinate r, with b, t, c the flags' unit vectors:
    0. V = b e_r^T, M = c c^T + t (c + t)^T;           1. V = 2 e_r (b + t)^T, M = c c^T + t t^T;
    2. V = - 2 e_r (b + t)^T, M = c c^T - t c^T;       3. V = - b e_r^T, M = c c^T. *)
Definition noise_layer (n : nat) (Lam : R) (r q : nat) : layer :=
  let c := flags n 0 0 1 in
  let t := flags n 0 1 0 in
  match q with
  | 0%nat => softmax_layer n Lam (outers c c t (flags n 0 1 1)) (outer (flags n 1 0 0) (noise_at r 1))
  | 1%nat => softmax_layer n Lam (outers c c t t) (outer (noise_at r 2) (flags n 1 1 0))
  | 2%nat => softmax_layer n Lam (outers c c t (flags n 0 0 (- 1))) (outer (noise_at r (- 2)) (flags n 1 1 0))
  | _ => softmax_layer n Lam (outer c c) (outer (flags n (- 1) 0 0) (noise_at r 1))
  end.

(** The two layers of the flags: V = t t^T + c (c - (2/3) t)^T, M = c c^T + t (c + t)^T; then
    V = - (1/2) c (c - t)^T, M = (2t - c) (8b + 5t + 3c)^T. *)
Definition flag_layer (n : nat) (Lam : R) : layer :=
  softmax_layer n Lam (outers (flags n 0 0 1) (flags n 0 0 1) (flags n 0 1 0) (flags n 0 1 1))
    (outers (flags n 0 1 0) (flags n 0 1 0) (flags n 0 0 1) (flags n 0 (- 2 / 3) 1)).

Definition last_layer (n : nat) (Lam : R) : layer :=
  softmax_layer n Lam (outer (flags n 0 2 (- 1)) (flags n 8 5 3))
    (outer (flags n 0 0 (- 1 / 2)) (flags n 0 (- 1) 1)).

(** Four layers for each of the noise coordinates 2..n-2, then those two: 4 (n - 3) + 2 = 4n - 10 layers. *)
Definition deep_layers (n : nat) (Lam : R) : nat -> layer := fun d =>
  if (d <? 4 * (n - 3))%nat then noise_layer n Lam (2 + d / 4) (d mod 4)
  else if (d =? 4 * (n - 3))%nat then flag_layer n Lam
  else last_layer n Lam.

Definition deep_stack (n : nat) (Lam : R) : model := residual_stack n (4 * n - 10) (deep_layers n Lam).

(** ** The claim *)

(** The loss is at most (3n + 32L + 200 L Lam) e^-Lam, once e^Lam >= 200 (n + L). *)
Definition deep_loss : Prop :=
  forall n L Lam, (4 <= n)%nat -> 200 * (INR n + INR L) <= exp Lam ->
  residual_sup_loss_le n L (deep_stack n Lam) ((3 * INR n + 32 * INR L + 200 * INR L * Lam) * exp (- Lam)).

(** Then BOS attention is at most e^-Lam at every row i >= 2 but the trigger's, and at most
    1/2 + 200 L Lam e^-Lam there, in every layer. *)
Definition deep_bos_attention : Prop :=
  forall n L Lam j x d i, (4 <= n)%nat -> 200 * (INR n + INR L) <= exp Lam -> valid n L j x ->
  (d < 4 * n - 10)%nat -> (2 <= i)%nat -> (i <= L)%nat ->
  stack_bos_attention n (deep_layers n Lam) d 0 x i
  <= if (i =? j)%nat then / 2 + 200 * INR L * Lam * exp (- Lam) else exp (- Lam).

(** In the limit: for every eta > 0, all large Lam have loss at most eta, and BOS attention at most 1/2 + eta at
    the trigger's row and at most eta at all other rows i >= 2. *)
Definition deep_limit : Prop :=
  forall n L eta, (4 <= n)%nat -> 0 < eta -> exists Lam0, forall Lam, Lam0 <= Lam ->
  residual_sup_loss_le n L (deep_stack n Lam) eta /\
  (forall j x d i, valid n L j x -> (d < 4 * n - 10)%nat -> (2 <= i)%nat -> (i <= L)%nat ->
     stack_bos_attention n (deep_layers n Lam) d 0 x i <= if (i =? j)%nat then / 2 + eta else eta).
