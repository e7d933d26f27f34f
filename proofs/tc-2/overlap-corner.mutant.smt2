; Mutant of overlap-corner.smt2: Q may be as large as 0.49 in place of 0.43.
(set-logic QF_NRA)
(declare-const Q Real)
(assert (>= (* 5 Q) 1))
(assert (<= (* 100 Q) 49))
; the negated conclusion
(assert (< (* 2500 (* Q Q (- 1 (* 2 Q)))) 46))
; one place to look for the counterexample
(assert (= Q 0.48))
(check-sat)
