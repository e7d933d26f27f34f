; Mutant of overlap-large.smt2: A may be as small as 0.0104.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const Q Real)
(declare-const r Real)
(assert (>= (* 2500 A) 26))
(assert (<= (* 100 Q) 43))
(assert (>= r 0))
; the negated conclusion
(assert (< (* 2 A) (- r (* 12 (- 1 Q) r r))))
; one place to look for the counterexample
(assert (= Q 0.43))
(assert (= r 0.07))
(check-sat)
