; Mutant of worst-case-diagonal.smt2: 21 in place of 22.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const N Real)
(declare-const eta Real)
(declare-const kappa Real)
; N nonnegative
(assert (>= N 0))
; eta small
(assert (>= (- D (* eta (+ 16 (* 21 D)))) 0))
; size bound
(assert (>= (- (* 3 D kappa) (* N (- D (* 10 eta (+ 1 D))))) 0))
; the negated conclusion
(assert (< (- (* D kappa) (* 2 eta (+ 1 (* 2 D)) N)) 0))
; one place to look for the counterexample
(assert (= D 0.5))
(assert (= N 1))
(check-sat)
