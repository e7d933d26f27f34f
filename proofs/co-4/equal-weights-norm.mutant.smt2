; Mutant of equal-weights-norm.smt2: p = C + 0 in place of C + 1.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const p Real)
(declare-const x Real)
(assert (>= C 1))
(assert (>= (* 2 x) 1))
(assert (= p (+ C 0)))
; the negated conclusion
(assert (< (* x (* p p)) (+ C x)))
; one place to look for the counterexample
(assert (= C 1))
(check-sat)
