; x > 0 and y >= 1 imply x y >= x
(set-logic QF_NRA)
(declare-const x Real)
(declare-const y Real)
(assert (> x 0))
(assert (>= y 1))
(assert (< (* x y) (* 1 x)))
(check-sat)
