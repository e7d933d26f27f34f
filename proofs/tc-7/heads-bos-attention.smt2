; tc-7 (c), trigger row: with BOS factor F at most M and x >= 2 other keys, BOS attention p is at most M/(M+2).
(set-logic QF_NRA)
(declare-const F Real)
(declare-const M Real)
(declare-const p Real)
(declare-const x Real)
(assert (> F 0))
(assert (<= F M))
(assert (>= x 2))
(assert (= (* p (+ F x)) F))
; the negated conclusion
(assert (> (* p (+ M 2)) M))
(check-sat)
