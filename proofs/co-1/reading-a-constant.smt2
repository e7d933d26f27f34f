; co-1, reading A: for C >= 3 groups the group sums cost at most sqrt 2 (C/2 + 1). Here m = 1/(lam sqrt D), of
; which m^2 (3C+1) <= 4 is known, and nu^2 <= 2C + 2/(3C+1) + 2 C m. So C >= 3 gives m <= 2/3 and then
; nu^2 <= 2C + 1/5 + 2 C m <= 2 (C/2 + 1)^2.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const m Real)
; three groups or more
(assert (>= C 3))
; m from the spread
(assert (>= m 0))
(assert (<= (* m m (+ (* 3 C) 1)) 4))
; the negated conclusion
(assert (< (* 2 (+ (* 0.5 C) 1) (+ (* 0.5 C) 1)) (+ (* 2 C) 0.2 (* 2 C m))))
(check-sat)
