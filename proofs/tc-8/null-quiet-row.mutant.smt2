; Mutant of null-quiet-row.smt2: M may be as large as i.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const M Real)
(declare-const i Real)
(declare-const o Real)
(assert (> E 0))
(assert (>= i 1))
(assert (<= i L))
(assert (<= M (- i 0)))
(assert (= (* o (+ E i)) M))
; the negated conclusion
(assert (> (* o (+ E L)) (- L 1)))
; one place to look for the counterexample
(assert (= E 1))
(assert (= L 4))
(assert (= i 4))
(check-sat)
