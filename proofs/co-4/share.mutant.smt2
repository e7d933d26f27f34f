; Mutant of share.smt2: F >= 0 + 2 C in place of 1 + 2 C.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const F Real)
(assert (> C 0))
(assert (>= F (+ 0 (* 2 C))))
; the negated conclusion
(assert (< (+ (* C F F) F) (+ (* C C F) (* (+ 1 C) (+ 1 C)))))
; one place to look for the counterexample
(assert (= C 0.25))
(check-sat)
