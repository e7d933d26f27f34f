; tc-7 (a), trigger row. BOS factors F and E in the two heads, values +P and -P, m = j - 1 tokens of sum S, target y
; = S/m: the output misses y by at most F/(F+m) + m/(E+m), multiplied out, since |y| <= 1.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const F Real)
(declare-const S Real)
(declare-const m Real)
(declare-const o Real)
(declare-const y Real)
(assert (> E 0))
(assert (> F 0))
(assert (>= m 2))
(assert (= (* y m) S))
(assert (<= y 1))
(assert (>= y (- 0 1)))
(assert (= (* o (+ F m) (+ E m)) (* S (- E F))))
; the negated conclusion
(assert (> (* (- y o) (+ F m) (+ E m)) (+ (* F (+ E m)) (* m (+ F m)))))
(check-sat)
