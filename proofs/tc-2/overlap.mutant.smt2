; Mutant of overlap.smt2: 9 q E in place of 2 q E.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const q Real)
(declare-const r Real)
(assert (>= q 0))
(assert (>= r 0))
(assert (<= E (* r (- 2 (* 2 q) r))))
(assert (>= (+ (* (+ q r) (+ q r) (- 1 (* 2 (+ q r)))) (* r (+ (- 1 (* 6 (+ q r))) (* 6 (+ q r) (+ q r)))) (* 6 (- 1 (+ q r)) r r)) 0))
; the negated conclusion
(assert (> (* 9 q E) (* (- 1 (* 2 q)) (+ r (* (+ q r) (+ q r))))))
; one place to look for the counterexample
(assert (= q 0.1))
(assert (= r 0.3))
(check-sat)
