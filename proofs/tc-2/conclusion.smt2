; tc-2, conclusion. A pre-trigger row in the content-flag coordinate: BOS attention p, b = v(BOS), U the weighted
; sum over all other keys, whose values are at least 2/3 - eta and whose weights sum to 1 - p. The row is p b + U,
; its target 0. Then p >= 1 - 3 eta.
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
(assert (< p (- 1 (* 3 eta))))
(check-sat)
