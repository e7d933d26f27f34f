; Mutant of rank-one.smt2: a >= 0 is enough.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(assert (>= a 0))
(assert (>= b 1))
; the negated conclusion
(assert (< (* a b) 1))
; one place to look for the counterexample
(assert (= a 0))
(assert (= b 1))
(check-sat)
