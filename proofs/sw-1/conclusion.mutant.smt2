; Mutant of conclusion.smt2: the output's size eta is left out of the bound.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const eta Real)
(declare-const g Real)
(declare-const p Real)
(declare-const s Real)
(declare-const w Real)
(assert (>= p 0))
(assert (>= s (- w)))
(assert (>= R (* (- 1 p) g)))
(assert (<= (+ (* p s) R) eta))
; the negated conclusion
(assert (< (* p (+ g w)) (- g (* 0 eta))))
; one place to look for the counterexample
(assert (= g 1))
(assert (= w 1))
(assert (= eta 0.5))
(check-sat)
