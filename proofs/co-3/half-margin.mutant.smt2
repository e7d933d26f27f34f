; Mutant of half-margin.smt2: the whole margin, 2 m in place of 1 m.
(set-logic QF_NRA)
(declare-const Delta Real)
(declare-const alpha Real)
(declare-const del2 Real)
(declare-const m Real)
(assert (>= alpha 0))
(assert (<= Delta (* 4 del2)))
(assert (= (* alpha Delta) (* 2 m)))
; the negated conclusion
(assert (< (* 2 alpha del2) (* 2 m)))
; one place to look for the counterexample
(assert (= alpha 1))
(assert (= del2 1))
(assert (= Delta 4))
(check-sat)
