; Mutant of nearest.smt2: b >= q - 1 is enough.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const b Real)
(declare-const q Real)
(assert (>= (+ (- P (* 2 b)) q) 0))
(assert (>= b (- q 1)))
(assert (>= q 0))
; the negated conclusion
(assert (< P q))
; one place to look for the counterexample
(assert (= q 2))
(assert (= b 1))
(check-sat)
