; Mutant of norm-by-rise.smt2: D G - 2 y <= 1 is claimed.
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
(assert (= (- m (- sigmaJ sigma3)) 0))
; y nonnegative
(assert (>= y 0))
; the negated conclusion
(assert (< (+ (- 1 (* D G)) (* 2 y)) 0))
; one place to look for the counterexample
(assert (= y 1))
(assert (= sigma3 0))
(assert (= sigmaJ 0))
(assert (= D 0.5))
(check-sat)
