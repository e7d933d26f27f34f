; tc-2, overlap: the polynomial of overlap.smt2 is not negative for 0 <= Q <= 1/5 and r >= 0.
(set-logic QF_NRA)
(declare-const Q Real)
(declare-const r Real)
(assert (>= r 0))
(assert (>= Q 0))
(assert (<= (* 5 Q) 1))
; the negated conclusion
(assert (< (+ (* Q Q (- 1 (* 2 Q))) (* r (+ (- 1 (* 6 Q)) (* 6 Q Q))) (* 6 (- 1 Q) r r)) 0))
(check-sat)
