; Mutant of unnormalised-quiet-row.smt2: the sum may be twice as large.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const m Real)
(declare-const o Real)
(declare-const v Real)
(assert (>= m 1))
(assert (>= v 0))
(assert (<= S (* 2 m)))
(assert (= (* o m) (* v S)))
; the negated conclusion
(assert (> o v))
; one place to look for the counterexample
(assert (= S 3))
(assert (= m 2))
(assert (= v 1))
(check-sat)
