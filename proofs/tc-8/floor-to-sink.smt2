; tc-8, normalised kernels: a row before the trigger with BOS attention p, value b >= -eta of BOS and N >= (1-p)(2/3
; - eta) from the other keys, output at most eta: p >= 1 - 3 eta.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const b Real)
(declare-const eta Real)
(declare-const p Real)
(assert (>= p 0))
(assert (<= p 1))
(assert (>= b (- 0 eta)))
(assert (>= (* 3 N) (* (- 1 p) (- 2 (* 3 eta)))))
(assert (<= (+ (* p b) N) eta))
; the negated conclusion
(assert (< p (- 1 (* 3 eta))))
(check-sat)
