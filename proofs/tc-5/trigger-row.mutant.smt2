; Mutant of trigger-row.smt2: the denominator is 1 + E (j-3) in place of 1 + E (j-1).
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const j Real)
(assert (> E 0))
(assert (>= j 3))
(assert (<= j L))
; the negated conclusion
(assert (> (+ E (- L 1)) (* (- L 1) (+ 1 (* E (- j 3))))))
; one place to look for the counterexample
(assert (= j 3))
(assert (= L 4))
(assert (= E 2))
(check-sat)
