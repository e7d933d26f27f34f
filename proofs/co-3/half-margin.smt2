; co-3: with alpha Delta = 2 m (m = kappa sqrt d) and Delta <= 4 delta^2 the noise gives a dormant token half of
; its margin over a copy token: alpha delta^2 >= m/2. Here del2 = delta^2.
(set-logic QF_NRA)
(declare-const Delta Real)
(declare-const alpha Real)
(declare-const del2 Real)
(declare-const m Real)
(assert (>= alpha 0))
(assert (<= Delta (* 4 del2)))
(assert (= (* alpha Delta) (* 2 m)))
; the negated conclusion
(assert (< (* 2 alpha del2) (* 1 m)))
(check-sat)
