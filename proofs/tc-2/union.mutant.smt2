; Mutant of union.smt2: (L-1)(L-3)/2 in place of (L-1)(L-2)/2.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const bad Real)
(declare-const delta Real)
(declare-const q Real)
(declare-const sink Real)
(assert (>= L 4))
(assert (<= bad delta))
(assert (>= (* 2 (+ sink bad)) (- 2 (* (- L 1) q))))
(assert (<= q (* (- L 2) delta)))
; the negated conclusion
(assert (< (* 2 sink) (- 2 (* delta (+ 2 (* (- L 1) (- L 3)))))))
; one place to look for the counterexample
(assert (= L 4))
(assert (= delta 0.01))
(check-sat)
