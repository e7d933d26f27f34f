; tc-3, eps = 0, second case: D G <= (4 - sigma3 - sigmaJ) y, 4 eta < D, y = G eta. Then G <= 0.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const eta Real)
(declare-const sigma3 Real)
(declare-const sigmaJ Real)
(declare-const y Real)
; G nonnegative
(assert (>= G 0))
; difference case
(assert (>= (- (* (- (- 4 sigma3) sigmaJ) y) (* D G)) 0))
; eta below
(assert (> (- D (* 4 eta)) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sigmaJ nonnegative
(assert (>= sigmaJ 0))
; y is G eta
(assert (= (- y (* G eta)) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (< (- G) 0))
(check-sat)
