; co-4, the multiplier of a group over another group is not negative: (C E + 1 + C)^2 <= C E^4 + 2 C E^3 + E^2. With
; F = E^2 >= 1 + 2 C the odd powers of E are plain (F >= 1 + C); left is C^2 F + (1 + C)^2 <= C F^2 + F.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const F Real)
(assert (> C 0))
(assert (>= F (+ 1 (* 2 C))))
; the negated conclusion
(assert (< (+ (* C F F) F) (+ (* C C F) (* (+ 1 C) (+ 1 C)))))
(check-sat)
