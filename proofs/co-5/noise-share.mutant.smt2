; Mutant of noise-share.smt2: 3 delta^2 in place of 2 delta^2.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const d Real)
(declare-const del2 Real)
(assert (> d 0))
(assert (>= (* 2 L) 1))
(assert (<= del2 (* (- 1 L) d)))
; the negated conclusion
(assert (< d (* 3 del2)))
; one place to look for the counterexample
(assert (= L 0.5))
(assert (= d 4))
(assert (= del2 2))
(check-sat)
