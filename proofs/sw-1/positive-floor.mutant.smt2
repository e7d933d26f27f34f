; Mutant of positive-floor.smt2: eta up to g + 1.
(set-logic QF_NRA)
(declare-const eta Real)
(declare-const g Real)
(declare-const p Real)
(declare-const w Real)
(assert (>= (* p (+ g w)) (- g eta)))
(assert (> (+ g w) 0))
(assert (< eta (+ g 1)))
; the negated conclusion
(assert (<= p 0))
; one place to look for the counterexample
(assert (= g 1))
(assert (= w 0))
(assert (= p 0))
(check-sat)
