; Mutant of conclusion.smt2: the mass off the anchor may be 2 eps.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const eps Real)
(declare-const n Real)
(declare-const q Real)
(declare-const s Real)
(declare-const z Real)
(assert (>= s 0))
(assert (<= q (* 2 eps)))
(assert (<= D (* q s)))
(assert (<= n (+ z D)))
; the negated conclusion
(assert (> n (+ z (* eps s))))
; one place to look for the counterexample
(assert (= s 1))
(assert (= eps 0.5))
(assert (= z 0))
(check-sat)
