; sw-3, a convex set away from 0 lies in a half-space. I the infimum of x.x, k = (1-s)^2 x.x for a nearly shortest x,
; b = x.y, Y = y.y; the point (1-s) x + s y has squared length at least I. Then 2 (I - b) <= s (1 + I - 2 b + Y), and
; s -> 0 gives b >= I.
(set-logic QF_NRA)
(declare-const I Real)
(declare-const Y Real)
(declare-const b Real)
(declare-const k Real)
(declare-const s Real)
(assert (> s 0))
(assert (<= s 1))
(assert (<= k (+ (* (- 1 s) (- 1 s) I) (* s s))))
(assert (>= (+ k (* 2 s (- 1 s) b) (* s s Y)) I))
; the negated conclusion
(assert (> (* 2 (- I b)) (* s (+ (- (+ 1 I) (* 2 b)) Y))))
(check-sat)
