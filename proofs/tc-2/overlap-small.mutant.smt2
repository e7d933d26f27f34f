; Mutant of overlap-small.smt2: Q may be as large as 3/5 in place of 1/5.
(set-logic QF_NRA)
(declare-const Q Real)
(declare-const r Real)
(assert (>= r 0))
(assert (>= Q 0))
(assert (<= (* 5 Q) 3))
; the negated conclusion
(assert (< (+ (* Q Q (- 1 (* 2 Q))) (* r (+ (- 1 (* 6 Q)) (* 6 Q Q))) (* 6 (- 1 Q) r r)) 0))
; one place to look for the counterexample
(assert (= Q 0.55))
(assert (= r 0.1))
(check-sat)
