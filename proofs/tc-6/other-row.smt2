; tc-6, rows other than the trigger's. The query's trigger flag is 0, so every score t_q (t_k + c_k) is 0, BOS's
; too, and so is what relu leaves of it.
(set-logic QF_NRA)
(declare-const ck Real)
(declare-const s Real)
(declare-const tk Real)
(declare-const tq Real)
(assert (= tq 0))
(assert (= s (* tq (+ tk ck))))
; the negated conclusion
(assert (not (= s 0)))
(check-sat)
