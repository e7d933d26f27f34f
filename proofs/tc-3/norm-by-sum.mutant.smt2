; Mutant of norm-by-sum.smt2: D G <= 1 is claimed.
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
(assert (< (+ (- 1 (* D G)) (* 0 y)) 0))
; one place to look for the counterexample
(assert (= D 0.5))
(assert (= sigma3 1))
(assert (= y 0.5))
(check-sat)
