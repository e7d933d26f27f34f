; ge-2: x = P^T W Q, r = |P||Q|, WW = ||W||_F^2 <= 1; ||P Q^T - r W||^2 >= 0 gives x <= r.
(set-logic QF_NRA)
(declare-const WW Real)
(declare-const r Real)
(declare-const x Real)
(assert (> r 0))
(assert (<= WW 1))
(assert (>= (+ (- (* r r) (* 2 r x)) (* (* r r) WW)) 0))
; the negated conclusion
(assert (> x r))
(check-sat)
