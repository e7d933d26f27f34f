; Mutant of margin-unit.smt2: ||W||^2 up to 4.
(set-logic QF_NRA)
(declare-const OO Real)
(declare-const WW Real)
(declare-const r Real)
(declare-const x Real)
(assert (> r 0))
(assert (= OO (* r r)))
(assert (<= WW 4))
(assert (>= (+ (- OO (* 2 r x)) (* (* r r) WW)) 0))
; the negated conclusion
(assert (> x r))
; one place to look for the counterexample
(assert (= r 1))
(assert (= WW 4))
(assert (= x 2))
(check-sat)
