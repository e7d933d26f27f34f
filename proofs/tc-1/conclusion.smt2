; tc-1, conclusion. A pre-trigger row in the content-flag coordinate: BOS attention p, b = v(BOS), U the weighted
; sum over all other keys, whose values are at least m/(m+1) - eta and whose weights sum to 1 - p. The row is
; p b + U, its target 0. Then p >= 1 - 2 (1 + 1/m) eta, that is, m p >= m - 2 (m+1) eta.
(set-logic QF_NRA)
(declare-const U Real)
(declare-const b Real)
(declare-const eta Real)
(declare-const m Real)
(declare-const p Real)
(assert (>= m 2))
(assert (>= p 0))
(assert (<= (- eta) b))
(assert (<= b eta))
(assert (<= (- eta) (+ (* p b) U)))
(assert (<= (+ (* p b) U) eta))
(assert (>= (* (+ m 1) U) (* (- 1 p) (- m (* (+ m 1) eta)))))
; the negated conclusion
(assert (< (* m p) (- m (* 2 (+ m 1) eta))))
(check-sat)
