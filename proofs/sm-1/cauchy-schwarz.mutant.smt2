; Mutant of cauchy-schwarz.smt2: the middle term without its 2.
(set-logic QF_NRA)
(declare-const b Real)
(declare-const q Real)
(declare-const t Real)
(assert (> t 0))
(assert (>= (+ (- (* (* t t) b) (* 1 t (* q q))) (* (* q q) t)) 0))
; the negated conclusion
(assert (> (* q q) (* b t)))
; one place to look for the counterexample
(assert (= t 1))
(assert (= b 1))
(assert (= q 2))
(check-sat)
