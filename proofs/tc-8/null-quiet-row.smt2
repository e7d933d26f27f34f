; tc-8, null slot, rows other than the trigger's: weight 1/(E+i) per key, M a sum of i - 1 coordinates in [-1,1]: o
; = M/(E+i) <= (L-1)/(E+L).
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const M Real)
(declare-const i Real)
(declare-const o Real)
(assert (> E 0))
(assert (>= i 1))
(assert (<= i L))
(assert (<= M (- i 1)))
(assert (= (* o (+ E i)) M))
; the negated conclusion
(assert (> (* o (+ E L)) (- L 1)))
(check-sat)
