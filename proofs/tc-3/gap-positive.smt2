; tc-3, the gap. D = (J-3)/(2(J-1)) is positive when J >= 4. Multiplied out: 2 (J-1) D = J - 3.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const J Real)
; J above one
(assert (> (- J 1) 0))
; J large
(assert (>= (- J 4) 0))
; gap
(assert (= (- (* 2 (- J 1) D) (- J 3)) 0))
; the negated conclusion
(assert (<= D 0))
(check-sat)
