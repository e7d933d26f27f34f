(** * co-4: what a sink costs at least

    Instances, patterns and map costs are those of docs/THEORY.md, section 5: C groups, dimension d, margin
    kappa, 1/2 <= lam^2 < 1.  [cost_at_least I p K]: every W_Q, W_K, of any head width, whose scores have the
    pattern p has ||W_Q||_F^2 + ||W_K||_F^2 >= K. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns.
Open Scope R_scope.

(** E = sqrt(1 + C + C/lam^2), and the bracket (C - 1 + sqrt(C + 2C/E + 1/E^2))/lam. *)
Definition root (C l : R) : R := sqrt (1 + C + C / (l * l)).

Definition bracket (C l : R) : R :=
  (C - 1 + sqrt (C + 2 * C / root C l + 1 / (root C l * root C l))) / l.

(** 2 kappa/sqrt d. *)
Definition cost_unit (I : instance) (kappa : R) : R := 2 * kappa / sqrt (INR (dimension I)).

(** ** Reading A *)

(** Any margin, even kappa <= 0. *)
Definition sink_lower_exact : Prop :=
  forall I (kappa : R), valid_instance I ->
  cost_at_least I (fun W => sink_pattern I W kappa) (cost_unit I kappa * bracket (INR (groups I)) (lam I)).

(** And it can be had for that. *)
Definition sink_lower_attained : Prop :=
  forall I kappa, valid_instance I -> 0 < kappa ->
  cost_at_most I (fun W => sink_pattern I W kappa) (cost_unit I kappa * bracket (INR (groups I)) (lam I)).

(** The bracket with D = C + (C+1) lam^2. *)
Definition sink_lower_closed_form : Prop :=
  forall I, valid_instance I ->
  let C := INR (groups I) in let l := lam I in let D := C + (C + 1) * (l * l) in
  bracket C l = (C - 1) / l + sqrt (C / (l * l) + / D + 2 * C / (l * sqrt D)).

(** It is above the page's bracket and above C/lam, and not above (C + sqrt C)/lam. *)
Definition sink_lower_rate : Prop :=
  forall I, valid_instance I ->
  let C := INR (groups I) in let l := lam I in
  (C - 1) / l + 1 / sqrt (C + l * l) < bracket C l /\ C / l < bracket C l /\ bracket C l <= (C + sqrt C) / l.

(** The page's (2 kappa/sqrt d)[(C-1)/lam + 1/sqrt(C + lam^2)]. *)
Definition sink_lower_bracket : Prop :=
  forall I kappa, valid_instance I -> 0 <= kappa ->
  let C := INR (groups I) in let l := lam I in
  cost_at_least I (fun W => sink_pattern I W kappa) (cost_unit I kappa * ((C - 1) / l + 1 / sqrt (C + l * l))).

(** 2 kappa C/(lam sqrt d). *)
Definition sink_lower_linear : Prop :=
  forall I kappa, valid_instance I -> 0 <= kappa ->
  cost_at_least I (fun W => sink_pattern I W kappa)
    (2 * kappa * INR (groups I) / (lam I * sqrt (INR (dimension I)))).

(** The published kappa C/(2 sqrt d). *)
Definition sink_lower : Prop :=
  forall I kappa, valid_instance I -> 0 <= kappa ->
  cost_at_least I (fun W => sink_pattern I W kappa) (kappa * INR (groups I) / (2 * sqrt (INR (dimension I)))).

(** ** Reading B *)

(** Reading B asks for more, so it costs no less. *)
Definition sink_lower_with_bos : Prop :=
  forall I (kappa : R), valid_instance I ->
  cost_at_least I (fun W => sink_pattern_with_bos I W kappa) (cost_unit I kappa * bracket (INR (groups I)) (lam I)).

(** With q = sqrt(C + lam^2), D = C + (C+1) lam^2: (2 kappa/sqrt d)[2(C-1)/lam + C/(lam q) + C(2 + lam^2)/(q sqrt D)].
    Any margin, even kappa <= 0. *)
Definition sink_with_bos_lower : Prop :=
  forall I (kappa : R), valid_instance I ->
  let C := INR (groups I) in let l := lam I in let D := C + (C + 1) * (l * l) in let q := sqrt (C + l * l) in
  cost_at_least I (fun W => sink_pattern_with_bos I W kappa)
    (cost_unit I kappa * (2 * (C - 1) / l + C / (l * q) + C * (2 + l * l) / (q * sqrt D))).

(** So no less than 4 kappa (C-1)/(lam sqrt d): for many groups about twice reading A. *)
Definition sink_with_bos_lower_linear : Prop :=
  forall I kappa, valid_instance I -> 0 <= kappa ->
  cost_at_least I (fun W => sink_pattern_with_bos I W kappa)
    (4 * kappa * (INR (groups I) - 1) / (lam I * sqrt (INR (dimension I)))).
