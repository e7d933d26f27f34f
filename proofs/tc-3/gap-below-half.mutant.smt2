; Mutant of gap-below-half.smt2: D < 1/3 is claimed.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const J Real)
; J above one
(assert (> (- J 1) 0))
; gap
(assert (= (- (* 2 (- J 1) D) (- J 3)) 0))
; the negated conclusion
(assert (<= (- 1 (* 3 D)) 0))
; one place to look for the counterexample
(assert (= J 11))
(check-sat)
