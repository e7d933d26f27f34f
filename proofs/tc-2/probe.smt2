; tc-2, probe with a free y. In the content-flag coordinate: v is the value of x; S > 0 the summed weight of BOS,
; y and t in units of K(t,x). The trigger rows of (BOS,x,y,t) and (BOS,y,t) miss their targets 2/3 and 1/2 by r1 and r0,
; at most eta. So 3 v = (S+1)(2 + 3 r1) - (3/2) S (1 + 2 r0), and then v >= 2/3 - eta. Multiplied out: no division.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const eta Real)
(declare-const r0 Real)
(declare-const r1 Real)
(assert (> S 0))
(assert (<= (* 12 eta) 1))
(assert (<= (- eta) r0))
(assert (<= r0 eta))
(assert (<= (- eta) r1))
(assert (<= r1 eta))
; the negated conclusion
(assert (< (- (* 2 (+ S 1) (+ 2 (* 3 r1))) (* 3 S (+ 1 (* 2 r0)))) (- 4 (* 6 eta))))
(check-sat)
