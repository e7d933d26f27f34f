; tc-3, worst case, the model that attains it: at a trigger position J >= 4 the trigger flag is (1 - 2 eta)(1 -
; eta)/(J - 1) in place of 1/(J - 1): an error e of at most eta.
(set-logic QF_NRA)
(declare-const J Real)
(declare-const e Real)
(declare-const eta Real)
; J above one
(assert (> (- J 1) 0))
; J large
(assert (>= (- J 4) 0))
; error is fraction
(assert (= (- (- 1 (* 1 (- 1 (* 2 eta)) (- 1 eta))) (* e (- J 1))) 0))
; eta nonnegative
(assert (>= eta 0))
; the negated conclusion
(assert (< (- eta e) 0))
(check-sat)
