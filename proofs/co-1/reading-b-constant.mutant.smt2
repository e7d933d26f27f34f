; Mutant of reading-b-constant.smt2: 6 C m in place of 4 C m.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const m Real)
; eight groups or more
(assert (>= C 8))
(assert (<= (* 5 m) 2))
; the negated conclusion
(assert (< (* (- (* 3.25 C) (* 2 (- C 1) 1.414214)) (- (* 3.25 C) (* 2 (- C 1) 1.414214)))
           (+ (- (* 3 C) 0.64) (* 6 C m))))
; one place to look for the counterexample
(assert (= C 8))
(assert (= m 0.4))
(check-sat)
