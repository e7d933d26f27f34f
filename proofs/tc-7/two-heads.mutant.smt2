; Mutant of two-heads.smt2: four tokens, L = 5.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const m Real)
(declare-const o1 Real)
(declare-const o2 Real)
(declare-const y Real)
(assert (or (= m 2) (= m 4)))
(assert (= (* o1 (+ 2 m)) (* 10 S)))
(assert (= (* o2 (+ 3 m)) (- 0 (* 10 S))))
(assert (= (* y m) S))
; the negated conclusion
(assert (not (= (+ o1 o2) y)))
; one place to look for the counterexample
(assert (= S 4))
(assert (= m 4))
(check-sat)
