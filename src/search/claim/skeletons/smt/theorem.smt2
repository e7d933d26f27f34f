; b >= 1 - 2 eta and eta <= 1/10 imply b >= 4/5.
(set-logic QF_LRA)
(declare-const b Real)
(declare-const eta Real)
(assert (>= b (- 1 (* 2 eta))))
(assert (<= (* 10 eta) 2))
; the negated conclusion
(assert (< (* 5 b) 4))
(check-sat)
