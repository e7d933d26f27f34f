; tc-1, sharper probe, second half. If all further content tokens equal x then S >= m - 1, and the bound of
; probe-residuals.smt2 is at least m^2 + m - 1 - m (m+1) (2m-1) eta. Here g = m (m+1) eta.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const g Real)
(declare-const m Real)
(assert (> m 0))
(assert (>= S (- m 1)))
(assert (<= (* 2 g) 1))
; the negated conclusion
(assert (< (- (+ (* m m) (* S (- 1 (* 2 g)))) g)
           (- (+ (* m m) (- m 1)) (* (- (* 2 m) 1) g))))
(check-sat)
