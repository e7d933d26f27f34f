; ge-1, shared keys: the score of W = u v^T is (z_j.u)(v.(z_0 - z_i)) = a b; both factors at least 1.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(assert (>= a 1))
(assert (>= b 1))
; the negated conclusion
(assert (< (* a b) 1))
(check-sat)
