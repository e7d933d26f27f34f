; Mutant of floor-of-output.smt2: u.v_0 = -1.
(set-logic QF_NRA)
(declare-const R Real)
(declare-const g Real)
(declare-const n Real)
(declare-const p Real)
(declare-const s Real)
(assert (= (+ s 1) 0))
(assert (>= p 0))
(assert (<= p 1))
(assert (>= n (+ (* p s) R)))
(assert (>= R (* (- 1 p) g)))
; the negated conclusion
(assert (< n (* (- 1 p) g)))
; one place to look for the counterexample
(assert (= p 1))
(assert (= g 1))
(check-sat)
