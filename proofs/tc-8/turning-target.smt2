; tc-8, positive weights never reach loss 0. With v(BOS) = 0 and v(x) = 0 the trigger row is w v(t) for noise +1 of
; x_2 and z v(t) for noise -1, w and z positive; the noise of the target is +1/2 and -1/2.
(set-logic QF_NRA)
(declare-const d Real)
(declare-const w Real)
(declare-const z Real)
(assert (> w 0))
(assert (> z 0))
(assert (= (* 2 w d) 1))
; the negated conclusion
(assert (= (* 2 z d) (- 0 1)))
(check-sat)
