; Mutant of turning-target.smt2: the weight z may be negative.
(set-logic QF_NRA)
(declare-const d Real)
(declare-const w Real)
(declare-const z Real)
(assert (> w 0))
(assert (> z (- 0 1)))
(assert (= (* 2 w d) 1))
; the negated conclusion
(assert (= (* 2 z d) (- 0 1)))
; one place to look for the counterexample
(assert (= d 1))
(check-sat)
