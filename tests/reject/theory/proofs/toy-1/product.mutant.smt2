; Mutant of product.smt2: x y >= 3 x is claimed.
(set-logic QF_NRA)
(declare-const x Real)
(declare-const y Real)
(assert (> x 0))
(assert (>= y 1))
(assert (< (* x y) (* 3 x)))
(assert (= x 2))
(check-sat)
