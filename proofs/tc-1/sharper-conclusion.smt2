; tc-1, conclusion after the sharper probe. Notation of conclusion.smt2; the other keys' values v satisfy
; m (m+1) v >= m^2 + m - 1 - m (m+1) (2m-1) eta. Then
; (1-p) (m^2 + m - 1 - 2 m (m+1) (m-1) eta) <= 2 m (m+1) eta; m = 2: (1-p) (5 - 12 eta) <= 12 eta.
(set-logic QF_NRA)
(declare-const U Real)
(declare-const b Real)
(declare-const eta Real)
(declare-const m Real)
(declare-const p Real)
(assert (>= m 2))
(assert (>= p 0))
(assert (<= (- eta) b))
(assert (<= b eta))
(assert (<= (- eta) (+ (* p b) U)))
(assert (<= (+ (* p b) U) eta))
(assert (>= (* m (+ m 1) U)
            (* (- 1 p) (- (+ (* m m) (- m 1)) (* m (+ m 1) (- (* 2 m) 1) eta)))))
; the negated conclusion
(assert (> (* (- 1 p) (- (+ (* m m) (- m 1)) (* 2 m (+ m 1) (- m 1) eta)))
           (* 2 m (+ m 1) eta)))
(check-sat)
