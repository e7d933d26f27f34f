; ge-2, shared keys: P = |P|^2, Q = |Q|^2, x = P.z_j >= P, y = Q.(z_0 - z_i) >= Q: the score x y of P Q^T
; is at least P Q.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const Q Real)
(declare-const x Real)
(declare-const y Real)
(assert (> P 0))
(assert (> Q 0))
(assert (>= x (* 1 P)))
(assert (>= y Q))
; the negated conclusion
(assert (< (* x y) (* P Q)))
(check-sat)
