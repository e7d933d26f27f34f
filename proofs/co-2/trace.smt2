; co-2, one group of n >= g members: its squared differences sum to 2 e n^2, e = delta^2, over n (n-1) pairs:
; (g-1) 2 e n^2 <= 2 g e n (n-1).
(set-logic QF_NRA)
(declare-const e Real)
(declare-const g Real)
(declare-const n Real)
(assert (>= e 0))
(assert (>= n g))
(assert (>= g 2))
; the negated conclusion
(assert (> (* (- g 1) 2 e (* n n)) (* 2 g e n (- n 1))))
(check-sat)
