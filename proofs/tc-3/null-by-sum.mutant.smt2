; Mutant of null-by-sum.smt2: eta may be D, not D/4.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const eta Real)
(declare-const sigma3 Real)
(declare-const y Real)
; G nonnegative
(assert (>= G 0))
; eta below
(assert (> (- D (* 1 eta)) 0))
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
; one place to look for the counterexample
(assert (= D 0.5))
(assert (= eta 0.4))
(assert (= sigma3 0))
(check-sat)
