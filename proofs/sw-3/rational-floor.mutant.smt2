; Mutant of rational-floor.smt2: l may be as low as -1.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const X Real)
(declare-const l Real)
(declare-const x Real)
(assert (<= (* x x) (* X P)))
(assert (>= x l))
(assert (>= (+ l 1) 0))
; the negated conclusion
(assert (< (* X P) (* l l)))
; one place to look for the counterexample
(assert (= X 0))
(assert (= P 0))
(assert (= x 0))
(check-sat)
