; ge-1, (a) and (b) exclude each other, one step: the sum S of multiplier times score, over the
; constraints so far, is at least the sum M of the multipliers; so it stays.
(set-logic QF_NRA)
(declare-const M Real)
(declare-const S Real)
(declare-const l Real)
(declare-const m Real)
(assert (>= S M))
(assert (>= l 0))
(assert (>= m 1))
; the negated conclusion
(assert (< (+ S (* l m)) (+ M l)))
(check-sat)
