; Mutant of theorem.smt2: b >= 1 is claimed in place of b >= 4/5.
(set-logic QF_LRA)
(declare-const b Real)
(declare-const eta Real)
(assert (>= b (- 1 (* 2 eta))))
(assert (<= (* 10 eta) 2))
; the negated conclusion
(assert (< (* 5 b) 5))
(check-sat)
