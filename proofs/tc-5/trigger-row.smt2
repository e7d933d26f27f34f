; tc-5, the trigger row. Logit -b on BOS, E = e^b: weights 1 on BOS and E on each of the other j - 1 keys, so that
; the row misses its target by at most 1/(1 + E (j-1)). That is no more than (L-1)/(E+L-1). Multiplied out.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const j Real)
(assert (> E 0))
(assert (>= j 3))
(assert (<= j L))
; the negated conclusion
(assert (> (+ E (- L 1)) (* (- L 1) (+ 1 (* E (- j 1))))))
(check-sat)
