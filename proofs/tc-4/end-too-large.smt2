; tc-4. If all D factors exceeded rho then f = 1 - A_i1 would exceed R = rho^D >= eps; but tc-3 for the rollout
; says f <= eps. So some factor is at most rho.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const eps Real)
(declare-const f Real)
; all factors large
(assert (> (- f (* 1 R)) 0))
; rho power
(assert (>= (- R eps) 0))
; the negated conclusion
(assert (<= (- f (* 1 eps)) 0))
(check-sat)
