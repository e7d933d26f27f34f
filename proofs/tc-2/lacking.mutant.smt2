; Mutant of lacking.smt2: s may be as large as 2 in place of 1.
(set-logic QF_NRA)
(declare-const e3 Real)
(declare-const e4 Real)
(declare-const q Real)
(declare-const s Real)
(assert (>= e3 0))
(assert (>= e4 0))
(assert (>= e4 (* q (- 1 e3))))
(assert (<= (+ e3 e4) s))
(assert (< s 2))
; the negated conclusion
(assert (> q s))
; one place to look for the counterexample
(assert (= e3 1))
(assert (= q 2))
(check-sat)
