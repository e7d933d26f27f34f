; Mutant of trace.smt2: (g-0) in place of (g-1).
(set-logic QF_NRA)
(declare-const e Real)
(declare-const g Real)
(declare-const n Real)
(assert (>= e 0))
(assert (>= n g))
(assert (>= g 2))
; the negated conclusion
(assert (> (* (- g 0) 2 e (* n n)) (* 2 g e n (- n 1))))
; one place to look for the counterexample
(assert (= e 1))
(assert (= g 2))
(assert (= n 2))
(check-sat)
