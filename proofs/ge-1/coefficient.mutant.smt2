; Mutant of coefficient.smt2: P + R >= X only.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const R Real)
(declare-const X Real)
(declare-const m Real)
(declare-const q Real)
(assert (< q 0))
(assert (>= (- X (* m q)) R))
(assert (>= X P))
(assert (>= (+ P R) (* 1 X)))
; the negated conclusion
(assert (< m 0))
; one place to look for the counterexample
(assert (= R 1))
(assert (= P 1))
(assert (= X 2))
(check-sat)
