; tc-2, overlap: the polynomial of overlap.smt2 is not negative for 1/5 <= Q <= 0.43. Its first term A is at least 0.0184
; (overlap-corner.smt2), and 1 - 6Q + 6Q^2 = 6 (Q - 1/2)^2 - 1/2 >= -1/2.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const Q Real)
(declare-const r Real)
(assert (>= (* 2500 A) 46))
(assert (<= (* 100 Q) 43))
(assert (>= r 0))
; the negated conclusion
(assert (< (* 2 A) (- r (* 12 (- 1 Q) r r))))
(check-sat)
