; tc-5, rows other than the trigger's. Logit b on BOS and 0 elsewhere, E = e^b: output o = M/(E + i - 1), M a sum
; of i - 1 coordinates in [-1,1]. Then o <= (L-1)/(E+L-1), and with -M in place of M the same for -o.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const M Real)
(declare-const i Real)
(declare-const o Real)
(assert (> E 0))
(assert (>= i 2))
(assert (<= i L))
(assert (<= M (- i 1)))
(assert (= (* o (+ E (- i 1))) M))
; the negated conclusion
(assert (> (* o (+ E (- L 1))) (- L 1)))
(check-sat)
