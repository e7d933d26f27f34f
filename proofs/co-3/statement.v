(** * co-3: what a diagonal can be had for, and the least constants

    Instances, patterns and map costs are those of docs/THEORY.md, section 5: C groups, dimension d, margin
    kappa, 1/2 <= lam^2 < 1.  Delta > 0 is a lower bound of the squared distances within groups ([separated]),
    r = r_eta the length of an orthonormal basis of the noises' span ([noise_basis]).  [cost_at_most I p K]:
    some W_Q, W_K, of some head width, have the pattern p and ||W_Q||_F^2 + ||W_K||_F^2 <= K. *)

From Coq Require Import Reals Arith.
From Sinkproof Require Import task anchored_values patterns.
Open Scope R_scope.

(** (kappa C/sqrt d) sqrt((1 + 4 lam^2)(4 + lam^2))/lam^2 + 4 kappa sqrt(d) r/Delta. *)
Definition diagonal_cost : Prop :=
  forall I kappa Delta r f, valid_instance I -> 0 < kappa -> separated I Delta -> noise_basis I r f ->
  cost_at_most I (fun W => diagonal_pattern I W kappa)
    (kappa * INR (groups I) / sqrt (INR (dimension I))
       * (sqrt ((1 + 4 * (lam I * lam I)) * (4 + lam I * lam I)) / (lam I * lam I))
     + 4 * kappa * sqrt (INR (dimension I)) * INR r / Delta).

(** "U_diag <= a kappa C/sqrt d + b kappa sqrt(d) r/Delta" for every instance. *)
Definition valid_constants (a b : R) : Prop :=
  forall I kappa Delta r f, valid_instance I -> 0 < kappa -> separated I Delta -> noise_basis I r f ->
  cost_at_most I (fun W => diagonal_pattern I W kappa)
    (a * (kappa * INR (groups I) / sqrt (INR (dimension I)))
     + b * (kappa * sqrt (INR (dimension I)) * INR r / Delta)).

(** 3 sqrt 6 and 4 are valid (published: 13 and 4). *)
Definition constants_are_enough : Prop := valid_constants (3 * sqrt 6) 4.

(** With the 4 kept, 13 cannot be replaced by anything below 3 sqrt 6. *)
Definition group_constant_is_least : Prop := forall a, valid_constants a 4 -> 3 * sqrt 6 <= a.

(** 4 cannot be replaced by anything smaller, whatever stands in place of 13. *)
Definition noise_constant_is_least : Prop := forall a b, valid_constants a b -> 4 <= b.

(** With the published 13 and 4: a diagonal and an identity on the dormant span, of cost 2(r + C), together. *)
Definition cheap_diagonal : Prop :=
  forall I kappa Delta r f, valid_instance I -> 0 < kappa -> separated I Delta -> noise_basis I r f ->
  exists width WQ WK width' WO WV,
    diagonal_pattern I (query_key width WQ WK) kappa /\ fixes_dormant I (query_key width' WO WV)
    /\ factor_cost (dimension I) width WQ WK + factor_cost (dimension I) width' WO WV
       <= 13 * (kappa * INR (groups I) / sqrt (INR (dimension I)))
          + 4 * (kappa * sqrt (INR (dimension I)) * INR r / Delta) + 2 * (INR r + INR (groups I)).
