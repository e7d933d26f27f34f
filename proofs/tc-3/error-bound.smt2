; tc-3. |e1|, |e2| <= m and |g1| <= G1, |g2| <= G2: then g.e <= (G1 + G2) m. (The same with -e bounds it from
; below.)
(set-logic QF_NRA)
(declare-const G1 Real)
(declare-const G2 Real)
(declare-const e1 Real)
(declare-const e2 Real)
(declare-const g1 Real)
(declare-const g2 Real)
(declare-const m Real)
; G1 lower
(assert (>= (+ G1 g1) 0))
; G1 upper
(assert (>= (- G1 g1) 0))
; G2 lower
(assert (>= (+ G2 g2) 0))
; G2 upper
(assert (>= (- G2 g2) 0))
; e1 lower
(assert (>= (+ m e1) 0))
; e1 upper
(assert (>= (- m e1) 0))
; e2 lower
(assert (>= (+ m e2) 0))
; e2 upper
(assert (>= (- m e2) 0))
; the negated conclusion
(assert (< (- (* (+ G1 G2) m) (+ (* g1 e1) (* 1 g2 e2))) 0))
(check-sat)
