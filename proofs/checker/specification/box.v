(** * The trigger task with its noise in a box

    Sections 4.1 and 4.6 of CHECKPOINT_RULES.md.  This file has to be read; it holds definitions only.
    The sequences are those of task.v, where every noise coordinate has an interval of its own. *)

From Coq Require Import Reals.
From Sinkproof Require Import task.
Open Scope R_scope.

(** The interval of each noise coordinate 2..n-2. *)
Definition box := nat -> R * R.

Definition noise_within (n : nat) (B : box) (x : token) : Prop :=
  forall k, (2 <= k)%nat -> (k <= n - 2)%nat -> fst (B k) <= x k <= snd (B k).

(** A token with these trigger and content flags. *)
Record task_token (n : nat) (B : box) (trigger content : R) (x : token) : Prop := {
  no_bos_flag : bos_flag x = 0;
  its_trigger_flag : trigger_flag x = trigger;
  its_content_flag : content_flag n x = content;
  its_noise : noise_within n B x;
  its_dimension : in_dimension n x
}.

(** BOS, one trigger token at position j, content tokens elsewhere. *)
Record task_sequence (n L j : nat) (B : box) (x : sequence) : Prop := {
  first_token : x 1%nat = bos;
  trigger_position : (3 <= j <= L)%nat;
  trigger_token : task_token n B 1 0 (x j);
  content_tokens : forall i, (2 <= i <= L)%nat -> i <> j -> task_token n B 0 1 (x i)
}.
