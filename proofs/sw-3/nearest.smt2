; sw-3, the test for the nearest point: q = o.o, b = o.o' >= q for another output o' of squared length P, and
; |o' - o|^2 = P - 2 b + q >= 0. Then P >= q.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const b Real)
(declare-const q Real)
(assert (>= (+ (- P (* 2 b)) q) 0))
(assert (>= b (- q 0)))
(assert (>= q 0))
; the negated conclusion
(assert (< P q))
(check-sat)
