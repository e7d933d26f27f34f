; tc-5, no zero loss. tc-1 with m = 2 bounds BOS attention p of a pre-trigger row by p >= 1 - 3 eta; a positive
; kernel gives every other key of the row a positive weight, so p < 1. Then eta > 0.
(set-logic QF_NRA)
(declare-const eta Real)
(declare-const p Real)
(assert (>= p (- 1 (* 3 eta))))
(assert (< p 1))
; the negated conclusion
(assert (<= eta 0))
(check-sat)
