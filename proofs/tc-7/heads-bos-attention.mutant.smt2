; Mutant of heads-bos-attention.smt2: one other key.
(set-logic QF_NRA)
(declare-const F Real)
(declare-const M Real)
(declare-const p Real)
(declare-const x Real)
(assert (> F 0))
(assert (<= F M))
(assert (>= x 1))
(assert (= (* p (+ F x)) F))
; the negated conclusion
(assert (> (* p (+ M 2)) M))
; one place to look for the counterexample
(assert (= F 1))
(assert (= M 1))
(assert (= x 1))
(check-sat)
