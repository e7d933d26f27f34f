; Mutant of conclusion.smt2: p >= 1 - 2 eta is claimed, with 2 in place of 3.
(set-logic QF_NRA)
(declare-const U Real)
(declare-const b Real)
(declare-const eta Real)
(declare-const p Real)
(assert (>= p 0))
(assert (<= (- eta) b))
(assert (<= b eta))
(assert (<= (- eta) (+ (* p b) U)))
(assert (<= (+ (* p b) U) eta))
(assert (>= (* 3 U) (* (- 1 p) (- 2 (* 3 eta)))))
; the negated conclusion
(assert (< p (- 1 (* 2 eta))))
; one place to look for the counterexample
(assert (= eta 0.05))
(check-sat)
