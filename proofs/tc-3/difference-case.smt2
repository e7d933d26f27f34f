; tc-3, case ||g||_1 = |g1 - g2|. Q = g1 - g2, G = sign Q = ||g||_1; r3 = g.E_3, rJ = g.E_J; T_J = (1/2 + D, 1/2 -
; D); m is at least |sigmaJ - sigma3|. Then D G <= eps m + (4 - sigma3 - sigmaJ) y.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const G Real)
(declare-const P Real)
(declare-const Q Real)
(declare-const eps Real)
(declare-const m Real)
(declare-const r3 Real)
(declare-const rJ Real)
(declare-const sigma3 Real)
(declare-const sigmaJ Real)
(declare-const sign Real)
(declare-const y Real)
; eps nonnegative
(assert (>= eps 0))
; norm is difference
(assert (= (- G (* sign Q)) 0))
; row 3
(assert (= (- (- (* 2 eps sigma3) P) (* 2 r3)) 0))
; row 3 error
(assert (>= (- (* (- 2 sigma3) y) (* sign r3)) 0))
; row J
(assert (= (- (- (- (* 2 eps sigmaJ) P) (* 2 D Q)) (* 2 rJ)) 0))
; row J error
(assert (>= (+ (* (- 2 sigmaJ) y) (* sign rJ)) 0))
; spread
(assert (>= (- m (* sign (- sigmaJ sigma3))) 0))
; the negated conclusion
(assert (< (- (+ (* eps m) (* (- (- 4 sigma3) sigmaJ) y)) (* D G)) 0))
(check-sat)
