; Mutant of probe.smt2: eta may be as large as 1/6 in place of 1/12.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const eta Real)
(declare-const r0 Real)
(declare-const r1 Real)
(assert (> S 0))
(assert (<= (* 12 eta) 2))
(assert (<= (- eta) r0))
(assert (<= r0 eta))
(assert (<= (- eta) r1))
(assert (<= r1 eta))
; the negated conclusion
(assert (< (- (* 2 (+ S 1) (+ 2 (* 3 r1))) (* 3 S (+ 1 (* 2 r0)))) (- 4 (* 6 eta))))
; one place to look for the counterexample
(assert (= S 100))
(check-sat)
