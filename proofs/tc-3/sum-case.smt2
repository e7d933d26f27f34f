; tc-3, case ||g||_1 = |g1 + g2|. P = g1 + g2, sign = 1 or -1, G = sign P = ||g||_1; r3 = g.E_3, at most (2 -
; sigma3) y in size with y = G eta; g.(T_3 + E_3) = eps sigma3, T_3 = (1/2, 1/2). Then G <= 2 eps sigma3 + 2 (2 -
; sigma3) y.
(set-logic QF_NRA)
(declare-const G Real)
(declare-const P Real)
(declare-const eps Real)
(declare-const r3 Real)
(declare-const sigma3 Real)
(declare-const sign Real)
(declare-const y Real)
; eps nonnegative
(assert (>= eps 0))
; norm is sum
(assert (= (- G (* sign P)) 0))
; row 3
(assert (= (- (- (* 2 eps sigma3) P) (* 2 r3)) 0))
; row 3 error
(assert (>= (+ (* (- 2 sigma3) y) (* sign r3)) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sign at most one
(assert (>= (- 1 sign) 0))
; the negated conclusion
(assert (< (- (+ (* 2 eps sigma3) (* 2 (- 2 sigma3) y)) G) 0))
(check-sat)
