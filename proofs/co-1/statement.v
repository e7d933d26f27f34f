(** * co-1: what a sink costs

    Instances, patterns and map costs are those of docs/THEORY.md, section 5: C groups, dimension d, margin
    kappa, 1/2 <= lam^2 < 1.  A map cost is ||W_Q||_F^2 + ||W_K||_F^2, for matrices of any head width.
    D = C + (C+1) lam^2. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns closed_forms.
Open Scope R_scope.

(** ** Reading A *)

(** The least map cost, of every instance:
    (2 kappa/sqrt d)[(C-1)/lam + sqrt(C/lam^2 + 1/D + 2C/(lam sqrt D))]. *)
Definition least_sink_cost : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa ->
  let C := INR (groups I) in let l := lam I in let D := C + (C + 1) * (l * l) in
  least_map_cost I (fun W => sink_pattern I W kappa)
    (2 * kappa / sqrt (INR (dimension I))
     * ((C - 1) / l + sqrt (C / (l * l) + / D + 2 * C / (l * sqrt D)))).

(** 3 sqrt 2 kappa C/sqrt d is enough for every instance. *)
Definition constant_is_enough : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa ->
  cost_at_most I (fun W => sink_pattern I W kappa)
    (3 * sqrt 2 * (kappa * INR (groups I) / sqrt (INR (dimension I)))).

(** On one instance no smaller constant is, whatever the margin. *)
Definition constant_is_least : Prop :=
  exists I, valid_instance I /\ forall kappa k, 0 < kappa ->
  cost_at_most I (fun W => sink_pattern I W kappa) (k * (kappa * INR (groups I) / sqrt (INR (dimension I)))) ->
  3 * sqrt 2 <= k.

(** ** Reading B *)

(** A bound for every instance:
    (2 kappa/sqrt d)[2(C-1)/lam + sqrt((C^2 (1+lam^2)^2 + 4 lam^2)/(lam^2 D) + 4C/(lam sqrt D))]. *)
Definition cheap_sink_with_bos : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa ->
  let C := INR (groups I) in let l := lam I in let D := C + (C + 1) * (l * l) in
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa)
    (2 * kappa / sqrt (INR (dimension I))
     * (2 * (C - 1) / l
        + sqrt ((C * C * ((1 + l * l) * (1 + l * l)) + 4 * (l * l)) / (l * l * D) + 4 * C / (l * sqrt D)))).

(** Neither few groups nor many: C lam <= (C-2) sqrt D and (C-2)^2 lam sqrt D < C^2 (2 + lam^2). *)
Definition middle (C l : R) : Prop :=
  let D := C + (C + 1) * (l * l) in
  C * l <= (C - 2) * sqrt D /\ (C - 2) * (C - 2) * (l * sqrt D) < C * C * (2 + l * l).

(** There the least map cost is known, with q = sqrt(C + lam^2):
    (2 kappa/sqrt d)[2(C-1)/lam + C/(lam q) + C(2 + lam^2)/(q sqrt D)]. *)
Definition least_sink_with_bos_cost : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa -> middle (INR (groups I)) (lam I) ->
  let C := INR (groups I) in let l := lam I in let D := C + (C + 1) * (l * l) in let q := sqrt (C + l * l) in
  least_map_cost I (fun W => sink_pattern_with_bos I W kappa)
    (2 * kappa / sqrt (INR (dimension I))
     * (2 * (C - 1) / l + C / (l * q) + C * (2 + l * l) / (q * sqrt D))).

(** From 4 to 10 groups are in the middle, whatever lam. *)
Definition four_to_ten_groups : Prop :=
  forall I, valid_instance I -> (4 <= groups I)%nat -> (groups I <= 10)%nat -> middle (INR (groups I)) (lam I).

(** (3 sqrt 2 + 4/3 + 10/(3 sqrt 13)) kappa C/sqrt d is enough for every instance. *)
Definition reading_b_constant_is_enough : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa ->
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa)
    ((3 * sqrt 2 + 4 / 3 + 10 / (3 * sqrt 13)) * (kappa * INR (groups I) / sqrt (INR (dimension I)))).

(** On one instance no smaller constant is, whatever the margin. *)
Definition reading_b_constant_is_least : Prop :=
  exists I, valid_instance I /\ forall kappa k, 0 < kappa ->
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa)
    (k * (kappa * INR (groups I) / sqrt (INR (dimension I)))) ->
  3 * sqrt 2 + 4 / 3 + 10 / (3 * sqrt 13) <= k.

(** ** The page's own bracket, and the value map *)

(** (2 kappa/sqrt d)(sqrt(2C)/lam + C(1/lam + 1/lam^2)) is enough for reading B, and at most
    (8 + 2 sqrt 2) kappa C/sqrt d. *)
Definition page_sink : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa ->
  let C := INR (groups I) in let l := lam I in
  let page := 2 * kappa / sqrt (INR (dimension I)) * (sqrt (2 * C) / l + C * (1 / l + 1 / (l * l))) in
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa) page
  /\ page <= (8 + 2 * sqrt 2) * (kappa * C / sqrt (INR (dimension I))).

(** The identity on the dormant span: 2(r_eta + C), the least cost, r the length of an orthonormal basis of
    the noises' span. *)
Definition identity_cost : Prop :=
  forall I r f, valid_instance I -> noise_basis I r f ->
  least_map_cost I (fixes_dormant I) (2 * (INR r + INR (groups I))).

(** Both together, with the published 12: a sink of reading B and an identity on the dormant span. *)
Definition cheap_sink : Prop :=
  forall I kappa r f, valid_instance I -> 0 < kappa -> noise_basis I r f ->
  exists width WQ WK width' WO WV,
    sink_pattern_with_bos I (query_key width WQ WK) kappa /\ fixes_dormant I (query_key width' WO WV)
    /\ factor_cost (dimension I) width WQ WK + factor_cost (dimension I) width' WO WV
       <= 12 * (kappa * INR (groups I) / sqrt (INR (dimension I))) + 2 * (INR r + INR (groups I)).
