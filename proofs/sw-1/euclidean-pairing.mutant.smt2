; Mutant of euclidean-pairing.smt2: u of length up to 2 in square.
(set-logic QF_NRA)
(declare-const O Real)
(declare-const U Real)
(declare-const eta Real)
(declare-const x Real)
(assert (<= (* x x) (* U O)))
(assert (<= U 2))
(assert (>= O 0))
(assert (> eta 0))
(assert (<= O (* eta eta)))
; the negated conclusion
(assert (> x eta))
; one place to look for the counterexample
(assert (= eta 1))
(assert (= O 1))
(check-sat)
