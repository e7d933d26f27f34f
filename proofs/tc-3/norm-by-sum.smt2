; tc-3, eps = 1, case ||g||_1 = |g1 + g2|: D G - 3 y <= 1, that is ||g||_1 (D - 3 eta) <= 1.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const sigma3 Real)
(declare-const y Real)
; G nonnegative
(assert (>= G 0))
; gap at most half
(assert (>= (- 1 (* 2 D)) 0))
; sigma3 at most one
(assert (>= (- 1 sigma3) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sum case
(assert (>= (- (+ (* 2 sigma3) (* 2 (- 2 sigma3) y)) G) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (< (+ (- 1 (* D G)) (* 3 y)) 0))
(check-sat)
