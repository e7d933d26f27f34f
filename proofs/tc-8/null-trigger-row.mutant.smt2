; Mutant of null-trigger-row.smt2: E may be 0, b negative.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const e Real)
(declare-const m Real)
(assert (>= E 0))
(assert (>= L 4))
(assert (>= m 2))
(assert (= (* e (+ E 1 (* E E m))) (+ E 1)))
; the negated conclusion
(assert (> (* e (+ E L)) (- L 1)))
; one place to look for the counterexample
(assert (= E 0))
(assert (= L 4))
(assert (= m 2))
(check-sat)
