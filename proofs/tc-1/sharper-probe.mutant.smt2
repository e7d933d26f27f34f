; Mutant of sharper-probe.smt2: S may be as small as m - 3.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const g Real)
(declare-const m Real)
(assert (> m 0))
(assert (>= S (- m 3)))
(assert (<= (* 2 g) 1))
; the negated conclusion
(assert (< (- (+ (* m m) (* S (- 1 (* 2 g)))) g)
           (- (+ (* m m) (- m 1)) (* (- (* 2 m) 1) g))))
; one place to look for the counterexample
(assert (= m 3))
(assert (= S 1))
(check-sat)
