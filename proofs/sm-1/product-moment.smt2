; sm-1: E[Y_i.Y_l], i < l: i - 1 tokens both rows see with weights lam/i, lam/l and token i itself, which row i
; sees with 1 - lam + lam/i and the residual; u = 1/i, v = 1/l.
(set-logic QF_NRA)
(declare-const N0 Real)
(declare-const i Real)
(declare-const lam Real)
(declare-const s Real)
(declare-const t Real)
(declare-const u Real)
(declare-const v Real)
(assert (= (* i u) 1))
; the negated conclusion
(assert (not (= (+ N0 (* (- i 1) lam u lam v t) (* lam v (+ s (* (+ (- 1 lam) (* lam u)) t)))) (+ N0 (* lam v (+ s t))))))
(check-sat)
