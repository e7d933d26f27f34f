; Mutant of anchor-line.smt2: a may be p + 1.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const eta Real)
(declare-const g Real)
(declare-const p Real)
(declare-const s Real)
(assert (>= a 0))
(assert (<= a (+ p 1)))
(assert (> p 0))
(assert (>= g eta))
(assert (>= (+ (* p s) (* (- 1 p) g)) eta))
; the negated conclusion
(assert (< (+ (* a s) (* (- 1 a) g)) eta))
; one place to look for the counterexample
(assert (= p 0.5))
(assert (= a 1))
(assert (= eta 0))
(check-sat)
