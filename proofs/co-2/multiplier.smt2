; co-2, the multiplier of a copy query itself over another group is not negative: with x = lam^2, z = C + (1+C) x,
; p = C + 2, p^2 x/(z (C+4+x)) <= 4/(4+x). Multiplied out.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const p Real)
(declare-const x Real)
(assert (>= C 1))
(assert (> x 0))
(assert (< x 1))
(assert (= p (+ C 2)))
; the negated conclusion
(assert (> (* x (* p p) (+ 4 x)) (* 4 (+ C (* (+ 1 C) x)) (+ C 4 x))))
(check-sat)
