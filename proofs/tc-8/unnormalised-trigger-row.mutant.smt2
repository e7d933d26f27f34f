; Mutant of unnormalised-trigger-row.smt2: the mean may be 2.
(set-logic QF_NRA)
(declare-const g Real)
(declare-const o Real)
(declare-const u Real)
(declare-const y Real)
(assert (= g (- 1 u)))
(assert (>= g 0))
(assert (<= y 2))
(assert (= o (* u y)))
; the negated conclusion
(assert (> (- y o) g))
; one place to look for the counterexample
(assert (= u 0))
(assert (= y 2))
(check-sat)
