; sw-3, positive weights. b > 0 the weight of a value with u.v = d, the others contribute R >= (1 - b) g. If the sum is at
; most g then d <= g: no value with positive weight may lie strictly inside.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const b Real)
(declare-const d Real)
(declare-const g Real)
(assert (> (+ b 0) 0))
(assert (<= b 1))
(assert (>= R (* (- 1 b) g)))
(assert (<= (+ (* b d) R) g))
; the negated conclusion
(assert (> d g))
(check-sat)
