; Mutant of floor-to-sink.smt2: values of at least 1/3 - eta only.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const b Real)
(declare-const eta Real)
(declare-const p Real)
(assert (>= p 0))
(assert (<= p 1))
(assert (>= b (- 0 eta)))
(assert (>= (* 3 N) (* (- 1 p) (- 1 (* 3 eta)))))
(assert (<= (+ (* p b) N) eta))
; the negated conclusion
(assert (< p (- 1 (* 3 eta))))
; one place to look for the counterexample
(assert (= p 0))
(check-sat)
