; Mutant of conclusion.smt2: 1 eta in place of 2 eta.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const eta Real)
(declare-const s Real)
; below three
(assert (> (- D (* 3 eta)) 0))
; eta nonnegative
(assert (>= eta 0))
; g norm
(assert (>= (- 1 (* G (- D (* 3 eta)))) 0))
; row
(assert (>= (- (* (- 2 s) eta G) s) 0))
; s at most one
(assert (>= (- 1 s) 0))
; the negated conclusion
(assert (< (- (* 1 eta) (* s (- D (* 2 eta)))) 0))
; one place to look for the counterexample
(assert (= D 0.5))
(assert (= eta 0.1))
(check-sat)
