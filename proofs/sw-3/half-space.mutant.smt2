; Mutant of half-space.smt2: 3 (I - b) is claimed.
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
(assert (> (* 3 (- I b)) (* s (+ (- (+ 1 I) (* 2 b)) Y))))
; one place to look for the counterexample
(assert (= s 1))
(assert (= I 2))
(assert (= b 0))
(assert (= k 0))
(check-sat)
