; Mutant of moment-positive-start.smt2: 3 u in place of 2 u.
(set-logic QF_NRA)
(declare-const N0 Real)
(declare-const p Real)
(declare-const t Real)
(declare-const u Real)
(assert (>= (* N0 t) 0))
(assert (>= (* p t) (* u u)))
(assert (> t 0))
(assert (> (* (- t u) (- t u)) 0))
; the negated conclusion
(assert (<= (+ (* N0 t) (* p t) (* t t)) (* 3 u t)))
; one place to look for the counterexample
(assert (= u 2))
(assert (= t 1))
(assert (= p 4))
(assert (= N0 0))
(check-sat)
