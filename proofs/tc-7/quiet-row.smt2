; tc-7, rows other than the trigger's. All heads share the BOS factor E; head h has values c_h P, C = sum c_h = 0;
; the i - 1 tokens sum to S. The output o = C S/(E + i - 1) is 0.
(set-logic QF_NRA)
(declare-const C Real)
(declare-const E Real)
(declare-const S Real)
(declare-const i Real)
(declare-const o Real)
(assert (> E 0))
(assert (>= i 2))
(assert (= C 0))
(assert (= (* o (+ E (- i 1))) (* C S)))
; the negated conclusion
(assert (not (= o 0)))
(check-sat)
