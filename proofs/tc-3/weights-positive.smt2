; tc-3, eps = 1, case ||g||_1 = |g1 - g2|: sigma3 + sigmaJ > 0. From D G <= m + (4 - sigma3 - sigmaJ) y, m <=
; sigma3 + sigmaJ and 4 y < D G.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const m Real)
(declare-const sigma3 Real)
(declare-const sigmaJ Real)
(declare-const y Real)
; difference case
(assert (>= (- (+ (* 1 m) (* (- (- 4 sigma3) sigmaJ) y)) (* D G)) 0))
; gap beats error
(assert (> (- (* D G) (* 4 y)) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sigmaJ nonnegative
(assert (>= sigmaJ 0))
; spread small
(assert (>= (- (+ sigma3 sigmaJ) m) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (<= (+ sigma3 sigmaJ) 0))
(check-sat)
