; tc-3, worst case. eta (16 + 22 D) <= D makes the diagonal of K exceed twice the deviations: 2 eta (1 + 2 D) N <=
; D kappa.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const N Real)
(declare-const eta Real)
(declare-const kappa Real)
; N nonnegative
(assert (>= N 0))
; eta small
(assert (>= (- D (* eta (+ 16 (* 22 D)))) 0))
; size bound
(assert (>= (- (* 3 D kappa) (* N (- D (* 10 eta (+ 1 D))))) 0))
; the negated conclusion
(assert (< (- (* D kappa) (* 2 eta (+ 1 (* 2 D)) N)) 0))
(check-sat)
