; Mutant of bracket.smt2: 2 lam in place of 1 lam.
(set-logic QF_NRA)
(declare-const N Real)
(declare-const lam Real)
(declare-const rho Real)
(assert (> N 1))
(assert (> lam 0))
(assert (> rho 0))
(assert (>= (* rho rho) (* lam lam)))
; the negated conclusion
(assert (<= (* N rho) (* 2 lam)))
; one place to look for the counterexample
(assert (= N 1.5))
(assert (= lam 1))
(assert (= rho 1))
(check-sat)
