; co-6, one row a of W_Q and one row b of W_K against a 1 x 1 matrix y with -t <= y <= t: with p = a b, q = a^2 + b^2,
; so that 2 p <= 1 q and -2 p <= q, 2 y p <= t q.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const q Real)
(declare-const t Real)
(declare-const y Real)
(assert (<= y t))
(assert (<= (- t) y))
(assert (<= (* 2 p) (* 1 q)))
(assert (<= (* (- 2) p) q))
; the negated conclusion
(assert (> (* 2 y p) (* t q)))
(check-sat)
