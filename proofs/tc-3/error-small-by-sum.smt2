; tc-3, eps = 1, case ||g||_1 = |g1 + g2|: the error y = G eta is at most 1/2. From G <= 2 sigma3 + 2 (2 - sigma3)
; y, D <= 1/2 and 4 y < D G (that is 4 eta < D).
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const sigma3 Real)
(declare-const y Real)
; G nonnegative
(assert (>= G 0))
; gap at most half
(assert (>= (- 1 (* 2 D)) 0))
; gap beats error
(assert (> (- (* D G) (* 4 y)) 0))
; sigma3 at most one
(assert (>= (- 1 sigma3) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sum case
(assert (>= (- (+ (* 2 sigma3) (* 2 (- 2 sigma3) y)) G) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (< (- 1 (* 2 y)) 0))
(check-sat)
