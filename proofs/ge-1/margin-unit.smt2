; ge-1, Frobenius margin: x = <O, W>, r = ||O||, WW = ||W||^2 <= 1; ||O - r W||^2 >= 0 gives x <= r.
(set-logic QF_NRA)
(declare-const OO Real)
(declare-const WW Real)
(declare-const r Real)
(declare-const x Real)
(assert (> r 0))
(assert (= OO (* r r)))
(assert (<= WW 1))
(assert (>= (+ (- OO (* 2 r x)) (* (* r r) WW)) 0))
; the negated conclusion
(assert (> x r))
(check-sat)
