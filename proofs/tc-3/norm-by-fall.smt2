; tc-3, eps = 1, case ||g||_1 = |g1 - g2| with sigma3 >= sigmaJ, so m = sigma3 - sigmaJ: D G - 3 y <= 1.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const m Real)
(declare-const sigma3 Real)
(declare-const sigmaJ Real)
(declare-const y Real)
; difference case
(assert (>= (- (+ (* 1 m) (* (- (- 4 sigma3) sigmaJ) y)) (* D G)) 0))
; error at most one
(assert (>= (- 1 y) 0))
; sigma3 at most one
(assert (>= (- 1 sigma3) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sigmaJ at most one
(assert (>= (- 1 sigmaJ) 0))
; sigmaJ nonnegative
(assert (>= sigmaJ 0))
; spread
(assert (= (- m (- sigma3 sigmaJ)) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (< (+ (- 1 (* D G)) (* 3 y)) 0))
(check-sat)
