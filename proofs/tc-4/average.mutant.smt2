; Mutant of average.smt2: beta >= 1 is claimed.
(set-logic QF_NRA)
(declare-const beta Real)
(declare-const f Real)
(declare-const f1 Real)
(declare-const lost Real)
(declare-const rho Real)
; absorbing
(assert (= (+ (- f1 f) lost) 0))
; alive positive
(assert (> f 0))
; average
(assert (= (- (* 1 beta f) lost) 0))
; factor small
(assert (>= (- (* rho f) f1) 0))
; the negated conclusion
(assert (< (+ (- beta 1) (* 0 rho)) 0))
; one place to look for the counterexample
(assert (= f 1))
(assert (= rho 0.5))
(check-sat)
