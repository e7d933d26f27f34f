; Mutant of worst-case-attained-later-triggers.smt2: J = 3 is allowed.
(set-logic QF_NRA)
(declare-const J Real)
(declare-const e Real)
(declare-const eta Real)
; J above one
(assert (> (- J 1) 0))
; J large
(assert (>= (- J 3) 0))
; error is fraction
(assert (= (- (- 1 (* 1 (- 1 (* 2 eta)) (- 1 eta))) (* e (- J 1))) 0))
; eta nonnegative
(assert (>= eta 0))
; the negated conclusion
(assert (< (- eta e) 0))
; one place to look for the counterexample
(assert (= J 3))
(assert (= eta 0.1))
(check-sat)
