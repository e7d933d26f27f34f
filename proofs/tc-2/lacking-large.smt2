; tc-2, counting, sharper. Notation of lacking-symmetric.smt2, e4 <= s - e3 inserted. The other case: q >= 1/2 needs
; s >= 3/4, and then the theorem's bound is negative.
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
(assert (< (* 4 s) 3))
(check-sat)
