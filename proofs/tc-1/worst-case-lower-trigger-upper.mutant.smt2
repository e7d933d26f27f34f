; Mutant of worst-case-lower-trigger-upper.smt2: by at most eta/2 is claimed.
(set-logic QF_NRA)
(declare-const delta Real)
(declare-const eta Real)
(declare-const phi Real)
(declare-const r Real)
; delta nonnegative
(assert (>= delta 0))
; eta nonnegative
(assert (>= eta 0))
; phi positive
(assert (> phi 0))
; r at least one
(assert (>= (- r 1) 0))
; the negated conclusion
(assert (< (- (* (+ phi r 1) (+ r (* 0.5 (+ r 1) eta))) (* (+ r 1) (- (+ (* r (- 1 delta)) (* 2 eta) delta) (* phi eta)))) 0))
; one place to look for the counterexample
(assert (= r 1))
(assert (= phi 0.01))
(assert (= eta 0.1))
(assert (= delta 0.1))
(check-sat)
