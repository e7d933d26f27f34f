; tc-4. The factor f1/f of a layer is at most rho, f1 = f - lost, and beta = lost/f is the layer's average BOS
; attention. Then beta >= 1 - rho.
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
(assert (< (+ (- beta 1) (* 1 rho)) 0))
(check-sat)
