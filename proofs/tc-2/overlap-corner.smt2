; tc-2, overlap: the first term Q^2 (1-2Q) of the polynomial of overlap.implication.json is at least 0.0184 for 1/5 <= Q <= 0.43.
(set-logic QF_NRA)
(declare-const Q Real)
(assert (>= (* 5 Q) 1))
(assert (<= (* 100 Q) 43))
; the negated conclusion
(assert (< (* 2500 (* Q Q (- 1 (* 2 Q)))) 46))
(check-sat)
