; Mutant of end-too-large.smt2: f > 2 eps is claimed.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const eps Real)
(declare-const f Real)
; all factors large
(assert (> (- f (* 1 R)) 0))
; rho power
(assert (>= (- R eps) 0))
; the negated conclusion
(assert (<= (- f (* 2 eps)) 0))
; one place to look for the counterexample
(assert (= f 1))
(assert (= R 0.5))
(assert (= eps 0.5))
(check-sat)
