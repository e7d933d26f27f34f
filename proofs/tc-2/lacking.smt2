; tc-2, counting. q = P[x lacks a pair]; e3, e4 the probabilities of loss > eta given trigger position 3, 4;
; s = (L-2) delta bounds their sum. x lacks a pair: row 4 of (x,y,t) is bad wherever row 3 of (y,t) is good, so
; e4 >= q (1 - e3). Then q <= s if s < 1: that is, e4/(1 - e3) <= s.
(set-logic QF_NRA)
(declare-const e3 Real)
(declare-const e4 Real)
(declare-const q Real)
(declare-const s Real)
(assert (>= e3 0))
(assert (>= e4 0))
(assert (>= e4 (* q (- 1 e3))))
(assert (<= (+ e3 e4) s))
(assert (< s 1))
; the negated conclusion
(assert (> q s))
(check-sat)
