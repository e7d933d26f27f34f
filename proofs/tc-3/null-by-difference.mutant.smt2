; Mutant of null-by-difference.smt2: eta may be up to D/3.
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
(assert (> (- D (* 3 eta)) 0))
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
; one place to look for the counterexample
(assert (= D 0.4))
(assert (= eta 0.12))
(assert (= sigma3 0))
(assert (= sigmaJ 0))
(check-sat)
