; tc-8, null slot, trigger row with m = j - 1 >= 2: it misses a mean of 1 by e = (E+1)/(E+1+E^2 m), at most
; (L-1)/(E+L) for E >= 1 and L >= 4.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const L Real)
(declare-const e Real)
(declare-const m Real)
(assert (>= E 1))
(assert (>= L 4))
(assert (>= m 2))
(assert (= (* e (+ E 1 (* E E m))) (+ E 1)))
; the negated conclusion
(assert (> (* e (+ E L)) (- L 1)))
(check-sat)
