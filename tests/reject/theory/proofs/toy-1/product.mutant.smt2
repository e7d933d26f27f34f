; Mutant of product.smt2: y may be 0.
(set-logic QF_NRA)
(declare-const x Real)
(declare-const y Real)
(assert (> x 0))
(assert (>= y 0))
(assert (< (* x y) x))
(assert (= x 2))
(check-sat)
