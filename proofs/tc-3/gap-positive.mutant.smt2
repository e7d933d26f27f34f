; Mutant of gap-positive.smt2: J may be 3.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const J Real)
; J above one
(assert (> (- J 1) 0))
; J large
(assert (>= (- J 3) 0))
; gap
(assert (= (- (* 2 (- J 1) D) (- J 3)) 0))
; the negated conclusion
(assert (<= D 0))
; one place to look for the counterexample
(assert (= J 3))
(check-sat)
