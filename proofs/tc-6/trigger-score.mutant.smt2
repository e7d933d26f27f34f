; Mutant of trigger-score.smt2: the query's trigger flag is 2.
(set-logic QF_NRA)
(declare-const bk Real)
(declare-const ck Real)
(declare-const s Real)
(declare-const tk Real)
(declare-const tq Real)
(assert (= tq 2))
(assert (>= bk 0))
(assert (>= tk 0))
(assert (>= ck 0))
(assert (= (+ bk tk ck) 1))
(assert (= s (* tq (+ tk ck))))
; the negated conclusion
(assert (not (and (= s (- 1 bk)) (>= s 0))))
; one place to look for the counterexample
(assert (= bk 0))
(assert (= tk 0))
(check-sat)
