; tc-1, sharper probe, first half. Notation of probe.smt2. The residuals r0, r1 cost at most
; m (m+1) (2S+1) eta: m (m+1) v >= m^2 + S (1 - 2 m (m+1) eta) - m (m+1) eta.
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
