; tc-1, worst case, the construction: trigger row with r content tokens before it, BOS weight phi, values 1 -
; delta of content and 2 eta + delta of the trigger in the content flag: the output exceeds r/(r+1) by at most
; eta.
(set-logic QF_NRA)
(declare-const delta Real)
(declare-const eta Real)
(declare-const phi Real)
(declare-const r Real)
; delta nonnegative
(assert (>= delta 0))
; eta nonnegative
(assert (>= eta 0))
; phi positive
(assert (> phi 0))
; r at least one
(assert (>= (- r 1) 0))
; the negated conclusion
(assert (< (- (* (+ phi r 1) (+ r (* 1 (+ r 1) eta))) (* (+ r 1) (- (+ (* r (- 1 delta)) (* 2 eta) delta) (* phi eta)))) 0))
(check-sat)
