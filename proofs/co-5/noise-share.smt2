; co-5: dormant tokens no longer than the others, delta^2 <= (1 - lam^2) d with L = lam^2 >= 1/2, have
; d >= 2 delta^2: the noises' share d/(2 delta^2) of the diagonal's cost is at least 1. Here del2 = delta^2.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const d Real)
(declare-const del2 Real)
(assert (> d 0))
(assert (>= (* 2 L) 1))
(assert (<= del2 (* (- 1 L) d)))
; the negated conclusion
(assert (< d (* 2 del2)))
(check-sat)
