; Mutant of other-row.smt2: the query's trigger flag is 1.
(set-logic QF_NRA)
(declare-const ck Real)
(declare-const s Real)
(declare-const tk Real)
(declare-const tq Real)
(assert (= tq 1))
(assert (= s (* tq (+ tk ck))))
; the negated conclusion
(assert (not (= s 0)))
; one place to look for the counterexample
(assert (= tk 0))
(assert (= ck 1))
(check-sat)
