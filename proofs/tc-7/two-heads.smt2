; tc-7 (b), L = 4. BOS factors 2 and 3, values +10 P and -10 P; m = j - 1 is 2 or 3 tokens of sum S, target y = S/m.
; The two heads add up to y.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const m Real)
(declare-const o1 Real)
(declare-const o2 Real)
(declare-const y Real)
(assert (or (= m 2) (= m 3)))
(assert (= (* o1 (+ 2 m)) (* 10 S)))
(assert (= (* o2 (+ 3 m)) (- 0 (* 10 S))))
(assert (= (* y m) S))
; the negated conclusion
(assert (not (= (+ o1 o2) y)))
(check-sat)
