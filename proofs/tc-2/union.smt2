; tc-2, last step. sink = P[BOS attention >= 1 - 3 eta before the trigger], bad = P[l > eta]. Without the sink the loss
; is large or one of the (L-1)/2 (on average) content tokens before the trigger lacks a pair; q <= (L-2) delta.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const bad Real)
(declare-const delta Real)
(declare-const q Real)
(declare-const sink Real)
(assert (>= L 4))
(assert (<= bad delta))
(assert (>= (* 2 (+ sink bad)) (- 2 (* (- L 1) q))))
(assert (<= q (* (- L 2) delta)))
; the negated conclusion
(assert (< (* 2 sink) (- 2 (* delta (+ 2 (* (- L 1) (- L 2)))))))
(check-sat)
