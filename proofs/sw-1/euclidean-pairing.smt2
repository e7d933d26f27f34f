; sw-1, the Euclidean norm: U = u.u <= 1, O = o.o <= eta^2, x = u.o with x^2 <= U O (Cauchy-Schwarz). Then x <= eta.
(set-logic QF_NRA)
(declare-const O Real)
(declare-const U Real)
(declare-const eta Real)
(declare-const x Real)
(assert (<= (* x x) (* U O)))
(assert (<= U 1))
(assert (>= O 0))
(assert (> eta 0))
(assert (<= O (* eta eta)))
; the negated conclusion
(assert (> x eta))
(check-sat)
