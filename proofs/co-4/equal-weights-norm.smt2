; co-4, equal weights: of the two singular values lam (C+1) and sqrt(C + lam^2) the first is the larger,
; x = lam^2 >= 1/2, p = C + 1.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const p Real)
(declare-const x Real)
(assert (>= C 1))
(assert (>= (* 2 x) 1))
(assert (= p (+ C 1)))
; the negated conclusion
(assert (< (* x (* p p)) (+ C x)))
(check-sat)
