; Mutant of product-moment.smt2: i - 2 tokens are seen by both.
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
(assert (not (= (+ N0 (* (- i 2) lam u lam v t) (* lam v (+ s (* (+ (- 1 lam) (* lam u)) t)))) (+ N0 (* lam v (+ s t))))))
; one place to look for the counterexample
(assert (= i 3))
(assert (= lam 1))
(assert (= v 1))
(assert (= t 1))
(check-sat)
