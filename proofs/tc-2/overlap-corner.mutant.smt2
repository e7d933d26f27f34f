; Mutant of overlap-corner.smt2: at least 0.0244 is claimed in place of 0.0184.
(set-logic QF_NRA)
(declare-const Q Real)
(assert (>= (* 5 Q) 1))
(assert (<= (* 100 Q) 43))
; the negated conclusion
(assert (< (* 2500 (* Q Q (- 1 (* 2 Q)))) 61))
; one place to look for the counterexample
(assert (= Q 0.2))
(check-sat)
