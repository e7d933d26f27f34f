; sm-2: at lam = 0 (and for row 1) D = N0 + p + 2 s + t is positive when t > 0 and s + t != 0; u = -s; multiplied
; by t.
(set-logic QF_NRA)
(declare-const N0 Real)
(declare-const p Real)
(declare-const t Real)
(declare-const u Real)
(assert (>= (* N0 t) 0))
(assert (>= (* p t) (* u u)))
(assert (> t 0))
(assert (> (* (- t u) (- t u)) 0))
; the negated conclusion
(assert (<= (+ (* N0 t) (* p t) (* t t)) (* 2 u t)))
(check-sat)
