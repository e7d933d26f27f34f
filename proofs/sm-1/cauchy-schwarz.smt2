; sm-1: x^2 tr B + 2 x y tr(BW) + y^2 t is never negative; x = t, y = -tr(BW) gives tr(BW)^2 <= tr(B) t.
(set-logic QF_NRA)
(declare-const b Real)
(declare-const q Real)
(declare-const t Real)
(assert (> t 0))
(assert (>= (+ (- (* (* t t) b) (* 2 t (* q q))) (* (* q q) t)) 0))
; the negated conclusion
(assert (> (* q q) (* b t)))
(check-sat)
