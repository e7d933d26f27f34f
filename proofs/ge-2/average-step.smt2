; ge-2, an average of margins, one step: margins of at least r, weights p >= 0 with sum M so far.
(set-logic QF_NRA)
(declare-const M Real)
(declare-const S Real)
(declare-const m Real)
(declare-const p Real)
(declare-const r Real)
(assert (>= S (* 1 r M)))
(assert (>= p 0))
(assert (>= m r))
; the negated conclusion
(assert (< (+ S (* p m)) (* r (+ M p))))
(check-sat)
