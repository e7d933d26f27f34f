; Mutant of error-small-by-difference.smt2: y < 1/2 is claimed.
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
; spread small
(assert (>= (- (+ sigma3 sigmaJ) m) 0))
; weights positive
(assert (> (+ sigma3 sigmaJ) 0))
; the negated conclusion
(assert (<= (- 1 (* 2 y)) 0))
; one place to look for the counterexample
(assert (= sigma3 0))
(assert (= sigmaJ 1))
(assert (= y 0.75))
(assert (= m 1))
(assert (= D 0.5))
(check-sat)
