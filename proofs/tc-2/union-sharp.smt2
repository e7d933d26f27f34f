; tc-2, last step, sharper. Notation of union.smt2 and overlap.smt2, with g = q (1 - e3), r = Q - q and loss = (L-2) bad:
; without the sink with probability at most (L-1)/2 Q.
(set-logic QF_NRA)
(declare-const L Real)
(declare-const Q Real)
(declare-const g Real)
(declare-const loss Real)
(declare-const r Real)
(declare-const s Real)
(declare-const sink Real)
(assert (>= L 4))
(assert (<= loss s))
(assert (>= r 0))
(assert (<= (- s (* 2 g)) (* 3 r)))
(assert (<= (* 2 (- L 2) (- 1 sink)) (- (+ (* 2 loss) (* (- L 1) (- L 2) (- Q r))) (* 4 g))))
; the negated conclusion
(assert (< (* 2 sink) (- 2 (* (- L 1) Q))))
(check-sat)
