; tc-3, conclusion. ||g||_1 = G <= 1/(D - 3 eta) and a row with s = 1 - BOS attention has s <= (2 - s) eta G. Then
; s (D - 2 eta) <= 2 eta.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const eta Real)
(declare-const s Real)
; below three
(assert (> (- D (* 3 eta)) 0))
; eta nonnegative
(assert (>= eta 0))
; g norm
(assert (>= (- 1 (* G (- D (* 3 eta)))) 0))
; row
(assert (>= (- (* (- 2 s) eta G) s) 0))
; s at most one
(assert (>= (- 1 s) 0))
; the negated conclusion
(assert (< (- (* 2 eta) (* s (- D (* 2 eta)))) 0))
(check-sat)
