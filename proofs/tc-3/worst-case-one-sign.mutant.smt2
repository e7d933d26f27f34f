; Mutant of worst-case-one-sign.smt2: k + 2 o.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const e Real)
(declare-const k Real)
(declare-const kappa Real)
(declare-const o Real)
; deviation other
(assert (>= (+ e (* D o)) 0))
; deviation own
(assert (>= (+ e (* D (- k kappa))) 0))
; diagonal
(assert (>= (- (* D kappa) (* 2 e)) 0))
; gap positive
(assert (> D 0))
; the negated conclusion
(assert (< (* D (+ k (* 2 o))) 0))
; one place to look for the counterexample
(assert (= D 0.5))
(assert (= kappa 2))
(assert (= e 0.5))
(check-sat)
