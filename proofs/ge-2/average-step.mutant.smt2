; Mutant of average-step.smt2: S >= 0 is asked in place of S >= r M.
(set-logic QF_NRA)
(declare-const M Real)
(declare-const S Real)
(declare-const m Real)
(declare-const p Real)
(declare-const r Real)
(assert (>= S (* 0 r M)))
(assert (>= p 0))
(assert (>= m r))
; the negated conclusion
(assert (< (+ S (* p m)) (* r (+ M p))))
; one place to look for the counterexample
(assert (= S 0))
(assert (= M 1))
(assert (= r 1))
(assert (= m 1))
(assert (= p 0))
(check-sat)
