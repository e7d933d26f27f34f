; Mutant of turning-target.smt2: the second target is +1/2 too.
(set-logic QF_NRA)
(declare-const d Real)
(declare-const w Real)
(declare-const z Real)
(assert (> w 0))
(assert (> z 0))
(assert (= (* 2 w d) 1))
; the negated conclusion
(assert (= (* 2 z d) (- 2 1)))
; one place to look for the counterexample
(assert (= d 1))
(check-sat)
