; Mutant of slackness.smt2: the weight b may be 0.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const b Real)
(declare-const d Real)
(declare-const g Real)
(assert (> (+ b 1) 0))
(assert (<= b 1))
(assert (>= R (* (- 1 b) g)))
(assert (<= (+ (* b d) R) g))
; the negated conclusion
(assert (> d g))
; one place to look for the counterexample
(assert (= b 0))
(assert (= g 1))
(assert (= d 2))
(check-sat)
