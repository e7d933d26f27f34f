; sw-1: the floor on the anchor's weight is positive when eta < g: p (g + w) >= g - eta and g + w > 0 give p > 0.
(set-logic QF_NRA)
(declare-const eta Real)
(declare-const g Real)
(declare-const p Real)
(declare-const w Real)
(assert (>= (* p (+ g w)) (- g eta)))
(assert (> (+ g w) 0))
(assert (< eta (+ g 0)))
; the negated conclusion
(assert (<= p 0))
(check-sat)
