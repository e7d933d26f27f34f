; Mutant of large-factors-step.smt2: f1 > 2 rho R is claimed.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const f Real)
(declare-const f1 Real)
(declare-const rho Real)
; factor large
(assert (> (- f1 (* 1 rho f)) 0))
; rho nonnegative
(assert (>= rho 0))
; so far
(assert (>= (- f R) 0))
; the negated conclusion
(assert (<= (- f1 (* 2 rho R)) 0))
; one place to look for the counterexample
(assert (= rho 0.5))
(assert (= f 1))
(assert (= R 1))
(assert (= f1 0.75))
(check-sat)
