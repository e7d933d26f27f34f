; co-1, reading B, for C >= 8 groups: nu^2 <= (9 C^2 + 8)/(3C+1) + 4 C m <= 3C - 0.64 + 4 C m with m <= 2/5, and
; nu <= 3.25 C - 2 (C-1) 1.414214, so that 2 (C-1)/lam + nu <= 6.5 C/2.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const m Real)
; eight groups or more
(assert (>= C 8))
(assert (<= (* 5 m) 2))
; the negated conclusion
(assert (< (* (- (* 3.25 C) (* 2 (- C 1) 1.414214)) (- (* 3.25 C) (* 2 (- C 1) 1.414214)))
           (+ (- (* 3 C) 0.64) (* 4 C m))))
(check-sat)
