; Mutant of quiet-row.smt2: the coefficients sum to 1.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const E Real)
(declare-const S Real)
(declare-const i Real)
(declare-const o Real)
(assert (> E 0))
(assert (>= i 2))
(assert (= C 1))
(assert (= (* o (+ E (- i 1))) (* C S)))
; the negated conclusion
(assert (not (= o 0)))
; one place to look for the counterexample
(assert (= E 1))
(assert (= S 1))
(assert (= i 2))
(check-sat)
