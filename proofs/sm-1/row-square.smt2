; sm-1: the squares of row i's weights, 1 - lam + lam/i on itself and lam/i on i - 1 others, sum to
; 1 - theta (1 - (1-lam)^2); u = 1/i, th = theta_i.
(set-logic QF_NRA)
(declare-const i Real)
(declare-const lam Real)
(declare-const th Real)
(declare-const u Real)
(assert (= (* i u) 1))
(assert (= th (- 1 u)))
; the negated conclusion
(assert (not (= (+ (* (+ (- 1 lam) (* lam u)) (+ (- 1 lam) (* lam u))) (* (- i 1) (* (* lam u) (* lam u)))) (- 1 (* th (- 1 (* (- 1 lam) (- 1 lam))))))))
(check-sat)
