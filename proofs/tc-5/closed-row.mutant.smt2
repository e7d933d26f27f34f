; Mutant of closed-row.smt2: M may be as large as i, one more than there are tokens.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const M Real)
(declare-const i Real)
(declare-const o Real)
(assert (> E 0))
(assert (>= i 2))
(assert (<= i L))
(assert (<= M (- i 0)))
(assert (= (* o (+ E (- i 1))) M))
; the negated conclusion
(assert (> (* o (+ E (- L 1))) (- L 1)))
; one place to look for the counterexample
(assert (= i 3))
(assert (= L 4))
(assert (= E 1))
(check-sat)
