; Mutant of sum-case.smt2: 1 eps sigma3 in place of 2.
(set-logic QF_NRA)
(declare-const G Real)
(declare-const P Real)
(declare-const eps Real)
(declare-const r3 Real)
(declare-const sigma3 Real)
(declare-const sign Real)
(declare-const y Real)
; eps nonnegative
(assert (>= eps 0))
; norm is sum
(assert (= (- G (* sign P)) 0))
; row 3
(assert (= (- (- (* 2 eps sigma3) P) (* 2 r3)) 0))
; row 3 error
(assert (>= (+ (* (- 2 sigma3) y) (* sign r3)) 0))
; sigma3 nonnegative
(assert (>= sigma3 0))
; sign at most one
(assert (>= (- 1 sign) 0))
; the negated conclusion
(assert (< (- (+ (* 1 eps sigma3) (* 2 (- 2 sigma3) y)) G) 0))
; one place to look for the counterexample
(assert (= y 0))
(assert (= eps 1))
(assert (= sigma3 1))
(check-sat)
