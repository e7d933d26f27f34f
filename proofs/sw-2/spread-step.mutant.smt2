; Mutant of spread-step.smt2: the new key's distance may be twice the spread.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const D Real)
(declare-const a Real)
(declare-const d Real)
(declare-const s Real)
(assert (<= D (* A s)))
(assert (<= d (* 2 s)))
(assert (>= a 0))
; the negated conclusion
(assert (> (+ D (* a d)) (* (+ A a) s)))
; one place to look for the counterexample
(assert (= s 1))
(assert (= a 1))
(check-sat)
