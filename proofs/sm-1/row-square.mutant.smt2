; Mutant of row-square.smt2: i - 2 others.
(set-logic QF_NRA)
(declare-const i Real)
(declare-const lam Real)
(declare-const th Real)
(declare-const u Real)
(assert (= (* i u) 1))
(assert (= th (- 1 u)))
; the negated conclusion
(assert (not (= (+ (* (+ (- 1 lam) (* lam u)) (+ (- 1 lam) (* lam u))) (* (- i 2) (* (* lam u) (* lam u)))) (- 1 (* th (- 1 (* (- 1 lam) (- 1 lam))))))))
; one place to look for the counterexample
(assert (= i 3))
(assert (= lam 1))
(check-sat)
