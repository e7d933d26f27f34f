; Mutant of two-values.smt2: at least x y + 1 - b^2.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(declare-const x Real)
(declare-const y Real)
(assert (>= x 0))
(assert (>= y 0))
; the negated conclusion
(assert (< (* (+ (* a a x) (* 2 a (- 1 a) b) (* (- 1 a) (- 1 a) y)) (+ (- x (* 2 b)) y)) (- (+ (* x y) 1) (* b b))))
; one place to look for the counterexample
(assert (= x 1))
(assert (= y 1))
(assert (= b 0))
(check-sat)
