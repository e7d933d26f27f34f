; sw-3 for two values, any norm from a dot product: x = v_0.v_0, y = v_1.v_1, b = v_0.v_1. Every mixture's squared length
; times |v_0 - v_1|^2 is at least x y - b^2, the least where 0 projects between them.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(declare-const x Real)
(declare-const y Real)
(assert (>= x 0))
(assert (>= y 0))
; the negated conclusion
(assert (< (* (+ (* a a x) (* 2 a (- 1 a) b) (* (- 1 a) (- 1 a) y)) (+ (- x (* 2 b)) y)) (- (+ (* x y) 0) (* b b))))
(check-sat)
