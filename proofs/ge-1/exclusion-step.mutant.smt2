; Mutant of exclusion-step.smt2: a score of 0 is enough.
(set-logic QF_NRA)
(declare-const M Real)
(declare-const S Real)
(declare-const l Real)
(declare-const m Real)
(assert (>= S M))
(assert (>= l 0))
(assert (>= m 0))
; the negated conclusion
(assert (< (+ S (* l m)) (+ M l)))
; one place to look for the counterexample
(assert (= S 1))
(assert (= M 1))
(assert (= l 1))
(check-sat)
