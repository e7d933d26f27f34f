; sw-2: one more key. If sum a_k ||v_k - v_0|| <= A s over some keys, A their weight, then so with one more.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const D Real)
(declare-const a Real)
(declare-const d Real)
(declare-const s Real)
(assert (<= D (* A s)))
(assert (<= d (* 1 s)))
(assert (>= a 0))
; the negated conclusion
(assert (> (+ D (* a d)) (* (+ A a) s)))
(check-sat)
