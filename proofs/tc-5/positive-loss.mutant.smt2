; Mutant of positive-loss.smt2: p < 2 in place of p < 1.
(set-logic QF_NRA)
(declare-const eta Real)
(declare-const p Real)
(assert (>= p (- 1 (* 3 eta))))
(assert (< p 2))
; the negated conclusion
(assert (<= eta 0))
; one place to look for the counterexample
(assert (= eta 0))
(check-sat)
