; co-4, the bracket is weaker: 1/rho < N/lam for rho = sqrt(C + lam^2) and N > 1. Multiplied out.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const lam Real)
(declare-const rho Real)
(assert (> N 1))
(assert (> lam 0))
(assert (> rho 0))
(assert (>= (* rho rho) (* lam lam)))
; the negated conclusion
(assert (<= (* N rho) (* 1 lam)))
(check-sat)
