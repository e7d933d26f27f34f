; tc-4. f, f1: probability of not being at BOS after s and after s+1 layers; R = rho^s <= f. If the next factor
; exceeds rho, f1 > rho f, then f1 > rho^(s+1). The induction over s is Coq's.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const f Real)
(declare-const f1 Real)
(declare-const rho Real)
; factor large
(assert (> (- f1 (* 1 rho f)) 0))
; rho nonnegative
(assert (>= rho 0))
; so far
(assert (>= (- f R) 0))
; the negated conclusion
(assert (<= (- f1 (* 1 rho R)) 0))
(check-sat)
