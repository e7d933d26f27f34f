; Mutant of row.smt2: 2 p <= 3 q in place of 1 q.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const q Real)
(declare-const t Real)
(declare-const y Real)
(assert (<= y t))
(assert (<= (- t) y))
(assert (<= (* 2 p) (* 3 q)))
(assert (<= (* (- 2) p) q))
; the negated conclusion
(assert (> (* 2 y p) (* t q)))
; one place to look for the counterexample
(assert (= q 1))
(assert (= t 1))
(check-sat)
