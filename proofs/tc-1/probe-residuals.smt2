; tc-1, sharper probe, first half. In the content-flag coordinate: v is the value of x; S > 0 the summed weight of all
; keys but x, in units of K(t,x). The trigger rows with x and without it miss their targets m/(m+1) and (m-1)/m by r1
; and r0, at most eta. So m (m+1) v = m (S+1) (m + (m+1) r1) - (m+1) S (m - 1 + m r0). These residuals cost at most
; m (m+1) (2S+1) eta: m (m+1) v >= m^2 + S (1 - 2 m (m+1) eta) - m (m+1) eta. Multiplied out: no division.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const eta Real)
(declare-const m Real)
(declare-const r0 Real)
(declare-const r1 Real)
(assert (> m 0))
(assert (> S 0))
(assert (<= (- eta) r0))
(assert (<= r0 eta))
(assert (<= (- eta) r1))
(assert (<= r1 eta))
; the negated conclusion
(assert (< (- (* m (+ S 1) (+ m (* (+ m 1) r1))) (* (+ m 1) S (+ (- m 1) (* m r0))))
           (- (+ (* m m) (* S (- 1 (* 2 m (+ m 1) eta)))) (* m (+ m 1) eta))))
(check-sat)
