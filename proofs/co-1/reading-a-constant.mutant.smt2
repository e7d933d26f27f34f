; Mutant of reading-a-constant.smt2: (C/2 + 1)^2 is multiplied by 1 in place of 2.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const m Real)
; three groups or more
(assert (>= C 3))
; m from the spread
(assert (>= m 0))
(assert (<= (* m m (+ (* 3 C) 1)) 4))
; the negated conclusion
(assert (< (* 1 (+ (* 0.5 C) 1) (+ (* 0.5 C) 1)) (+ (* 2 C) 0.2 (* 2 C m))))
; one place to look for the counterexample
(assert (= C 3))
(assert (= m 0.5))
(check-sat)
