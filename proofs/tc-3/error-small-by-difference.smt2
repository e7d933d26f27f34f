; tc-3, eps = 1, case ||g||_1 = |g1 - g2|: the error y = G eta is below 1.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const m Real)
(declare-const sigma3 Real)
(declare-const sigmaJ Real)
(declare-const y Real)
; difference case
(assert (>= (- (+ (* 1 m) (* (- (- 4 sigma3) sigmaJ) y)) (* D G)) 0))
; gap beats error
(assert (> (- (* D G) (* 4 y)) 0))
; spread small
(assert (>= (- (+ sigma3 sigmaJ) m) 0))
; weights positive
(assert (> (+ sigma3 sigmaJ) 0))
; the negated conclusion
(assert (<= (- 1 (* 1 y)) 0))
(check-sat)
