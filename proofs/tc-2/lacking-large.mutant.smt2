; Mutant of lacking-large.smt2: s >= 1 is claimed in place of s >= 3/4.
(set-logic QF_NRA)
(declare-const e3 Real)
(declare-const q Real)
(declare-const s Real)
(assert (>= e3 0))
(assert (>= (* 2 q) 1))
(assert (<= q 1))
(assert (>= (- s e3) (* q (- 1 e3))))
(assert (>= (- s e3) (- (* 2 q (- 1 e3)) (* q q))))
; the negated conclusion
(assert (< (* 4 s) 4))
; one place to look for the counterexample
(assert (= e3 0))
(assert (= q 0.5))
(check-sat)
