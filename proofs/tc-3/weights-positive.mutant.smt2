; Mutant of weights-positive.smt2: 5 in place of 4.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const m Real)
(declare-const sigma3 Real)
(declare-const sigmaJ Real)
(declare-const y Real)
; difference case
(assert (>= (- (+ (* 1 m) (* (- (- 5 sigma3) sigmaJ) y)) (* D G)) 0))
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
; one place to look for the counterexample
(assert (= sigma3 0))
(assert (= sigmaJ 0))
(assert (= y 1))
(assert (= D 0.5))
(assert (= G 9))
(assert (= m 0))
(check-sat)
