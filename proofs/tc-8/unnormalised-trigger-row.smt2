; tc-8, rows divided by j - 1 = m, at the trigger: with weight u/m per key, u <= 1, and a mean y <= 1 the output is
; o = u y (expanded exactly in the implication file); it misses y by at most 1 - u = g.
(set-logic QF_NRA)
(declare-const g Real)
(declare-const o Real)
(declare-const u Real)
(declare-const y Real)
(assert (= g (- 1 u)))
(assert (>= g 0))
(assert (<= y 1))
(assert (= o (* u y)))
; the negated conclusion
(assert (> (- y o) g))
(check-sat)
