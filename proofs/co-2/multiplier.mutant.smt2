; Mutant of multiplier.smt2: p = C + 4 in place of C + 2.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const p Real)
(declare-const x Real)
(assert (>= C 1))
(assert (> x 0))
(assert (< x 1))
(assert (= p (+ C 4)))
; the negated conclusion
(assert (> (* x (* p p) (+ 4 x)) (* 4 (+ C (* (+ 1 C) x)) (+ C 4 x))))
; one place to look for the counterexample
(assert (= C 1))
(check-sat)
