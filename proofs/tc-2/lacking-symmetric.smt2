; tc-2, counting, sharper. Notation of lacking.smt2. Row 4 is symmetric in x and y, so it is bad also where y lacks a
; pair and row 3 of (x,t) is good: e4 >= 2 q (1 - e3) - q^2. If q <= 1/2 then 1 - (1-q)^2 <= s: q <= 1 - sqrt(1-s).
(set-logic QF_NRA)
(declare-const e3 Real)
(declare-const e4 Real)
(declare-const q Real)
(declare-const s Real)
(assert (>= e3 0))
(assert (>= q 0))
(assert (<= (* 2 q) 1))
(assert (>= e4 (- (* 2 q (- 1 e3)) (* q q))))
(assert (<= (+ e3 e4) s))
; the negated conclusion
(assert (> (- (* 2 q) (* q q)) s))
(check-sat)
