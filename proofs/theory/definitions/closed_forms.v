(** * The closed forms of docs/THEORY.md, section 5: what sinks and diagonals cost

    Costs of maps in units of 2 kappa/sqrt d unless said; K stands for the number of groups, l for lam. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns map_cost.
Open Scope R_scope.

(** ** Upper bounds *)

(** D = C + (C+1) lam^2. *)
Definition spread (K l : R) : R := K + (K + 1) * (l * l).

(** nu_A = sqrt(C/lam^2 + 1/D + 2C/(lam sqrt D)). *)
Definition group_sum_cost (K l : R) : R :=
  sqrt (K / (l * l) + / spread K l + 2 * K / (l * sqrt (spread K l))).

Definition sink_cost (K l : R) : R := (K - 1) / l + group_sum_cost K l.

(** nu_B = sqrt((C^2 (1+lam^2)^2 + 4 lam^2)/(lam^2 D) + 4C/(lam sqrt D)). *)
Definition group_sum_cost_with_bos (K l : R) : R :=
  sqrt ((K * K * ((1 + l * l) * (1 + l * l)) + 4 * (l * l)) / (l * l * spread K l)
        + 4 * K / (l * sqrt (spread K l))).

Definition sink_cost_with_bos (K l : R) : R := 2 * (K - 1) / l + group_sum_cost_with_bos K l.

(** With q = sqrt(C + lam^2), y = sqrt D. *)
Definition sink_cost_with_bos_many (K l : R) : R :=
  2 * (K - 1) / l + K / (l * sqrt (K + l * l)) + K * (2 + l * l) / (sqrt (K + l * l) * sqrt (spread K l)).

(** Where that can be had: from 4 to 10 groups whatever lam, and for some other pairs of C and lam. *)
Definition neither_few_nor_many (K l : R) : Prop :=
  K * l <= (K - 2) * sqrt (spread K l)
  /\ (K - 2) * (K - 2) * (l * sqrt (spread K l)) < K * K * (2 + l * l).

(** (1/lam^2) sqrt((1 + 4 lam^2)(4 + lam^2)). *)
Definition diagonal_group_cost (l : R) : R := sqrt ((1 + 4 * (l * l)) * (4 + l * l)) / (l * l).

(** The page's bracket. *)
Definition page_sink_cost (K l : R) : R := sqrt (2 * K) / l + K * (1 / l + 1 / (l * l)).

(** Reading B's constant: 6.5004.., attained at C = 4, lam^2 = 1/2. *)
Definition reading_b_constant : R := 3 * sqrt 2 + 4 / 3 + 10 / (3 * sqrt 13).

(** kappa C/sqrt d. *)
Definition unit_cost (I : instance) (kappa : R) : R := kappa * INR (groups I) / sqrt (INR (dimension I)).

(** ** Lower bounds *)

(** "(C-1)/lam + 1/sqrt(C + lam^2)", the bracket of co-4. *)
Definition sink_bracket (I : instance) : R :=
  (INR (groups I) - 1) / lam I + 1 / sqrt (INR (groups I) + lam I * lam I).

(** With E = sqrt(1 + C + C/lam^2): (C - 1 + sqrt(C + 2C/E + 1/E^2))/lam. *)
Definition sink_root (I : instance) : R :=
  sqrt (1 + INR (groups I) + INR (groups I) / (lam I * lam I)).

Definition sink_norm (I : instance) : R :=
  sqrt (INR (groups I) + 2 * INR (groups I) / sink_root I + 1 / (sink_root I * sink_root I)).

Definition sink_least (I : instance) : R := (INR (groups I) - 1 + sink_norm I) / lam I.

(** (C-1) sqrt(1 + 4/lam^2) + sqrt((C + 4 + lam^2)/(C + (1+C) lam^2)). *)
Definition diagonal_copy (I : instance) : R :=
  (INR (groups I) - 1) * sqrt (1 + 4 / (lam I * lam I))
  + sqrt ((INR (groups I) + 4 + lam I * lam I)
          / (INR (groups I) + (1 + INR (groups I)) * (lam I * lam I))).

(** "Sigma = average of x x^T over same-group differences x = eta_ci - eta_cj": over all ordered pairs
    i <> j of all groups (the pairs i = j add nothing to the sum). *)
Definition difference (I : instance) (c i j : nat) : vector := fun r => noise I c i r - noise I c j r.

Definition pair_count (I : instance) : R :=
  sum (groups I) (fun c => INR (size I c) * (INR (size I c) - 1)).

Definition difference_covariance (I : instance) : matrix :=
  fun a b => sum (groups I) (fun c => sum (size I c) (fun i => sum (size I c) (fun j =>
               difference I c i j a * difference I c i j b))) / pair_count I.

Definition trace (n : nat) (Y : matrix) : R := sum n (fun a => Y a a).

(** [top_at_most I s]: u^T Sigma u <= s |u|^2 for all u; the operator norm of Sigma is the least such s. *)
Definition top_at_most (I : instance) (s : R) : Prop :=
  forall u, bilinear (dimension I) (difference_covariance I) u u <= s * inner I u u.

(** r_eff = tr Sigma / ||Sigma||_op, with any s of [top_at_most] in place of the norm. *)
Definition effective_rank (I : instance) (s : R) : R :=
  trace (dimension I) (difference_covariance I) / s.

(** [least_size I g]: every group has at least g >= 2 members. *)
Definition sizes_at_least (I : instance) (g : nat) : Prop :=
  (2 <= g)%nat /\ forall c, (c < groups I)%nat -> (g <= size I c)%nat.
