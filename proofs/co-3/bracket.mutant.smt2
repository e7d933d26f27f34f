; Mutant of bracket.smt2: 53 in place of 54.
(set-logic QF_NRA)
(declare-const L Real)
(assert (>= (* 2 L) 1))
; the negated conclusion
(assert (< (* 53 L L) (* (+ 1 (* 4 L)) (+ 4 L))))
; one place to look for the counterexample
(assert (= L 0.5))
(check-sat)
