; Mutant of lacking-symmetric.smt2: q may be as large as 1 in place of 1/2.
(set-logic QF_NRA)
(declare-const e3 Real)
(declare-const e4 Real)
(declare-const q Real)
(declare-const s Real)
(assert (>= e3 0))
(assert (>= q 0))
(assert (<= (* 2 q) 2))
(assert (>= e4 (- (* 2 q (- 1 e3)) (* q q))))
(assert (<= (+ e3 e4) s))
; the negated conclusion
(assert (> (- (* 2 q) (* q q)) s))
; one place to look for the counterexample
(assert (= e3 0.5))
(assert (= q 0.9))
(check-sat)
