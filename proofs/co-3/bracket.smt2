; co-3: the bracket (1/lam^2) sqrt((1 + 4 lam^2)(4 + lam^2)) is at most sqrt 54 = 3 sqrt 6 when L = lam^2 >= 1/2.
(set-logic QF_NRA)
(declare-const L Real)
(assert (>= (* 2 L) 1))
; the negated conclusion
(assert (< (* 54 L L) (* (+ 1 (* 4 L)) (+ 4 L))))
(check-sat)
