; sw-1, conclusion. Anchor weight p, s = u.v_0 >= -w, R = the weighted sum of u.v_k over k >= 1, whose weights sum to
; 1 - p and whose values are at least g. u.o = p s + R is at most ||o|| <= eta. Then p (g + w) >= g - eta.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const eta Real)
(declare-const g Real)
(declare-const p Real)
(declare-const s Real)
(declare-const w Real)
(assert (>= p 0))
(assert (>= s (- w)))
(assert (>= R (* (- 1 p) g)))
(assert (<= (+ (* p s) R) eta))
; the negated conclusion
(assert (< (* p (+ g w)) (- g (* 1 eta))))
(check-sat)
