; tc-3, eps = 0: a left null vector g of N would have ||g||_1 = 0. First case: G <= 2 (2 - sigma3) y, D <= 1/2, 4
; eta < D, y = G eta. Then G <= 0.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const eta Real)
(declare-const sigma3 Real)
(declare-const y Real)
; G nonnegative
(assert (>= G 0))
; eta below
(assert (> (- D (* 4 eta)) 0))
; gap at most half
(assert (>= (- 1 (* 2 D)) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sum case
(assert (>= (- (* 2 (- 2 sigma3) y) G) 0))
; y is G eta
(assert (= (- y (* G eta)) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (< (- G) 0))
(check-sat)
