; Mutant of row-two.smt2: beta = 2 a21 is claimed.
(set-logic QF_NRA)
(declare-const a21 Real)
(declare-const beta Real)
(declare-const c Real)
(declare-const lost Real)
; average
(assert (= (- (* beta c) lost) 0))
; chain positive
(assert (> c 0))
; one row left
(assert (= (- lost (* 1 c a21)) 0))
; the negated conclusion
(assert (not (= (- beta (* 2 a21)) 0)))
; one place to look for the counterexample
(assert (= c 1))
(check-sat)
