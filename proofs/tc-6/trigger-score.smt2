; tc-6, the trigger row. Flags b + t + c = 1 of a key, each 0 or more; score s = t_q (t_k + c_k) with t_q = 1.
; Then s = 1 - b_k and relu leaves it as it is, s >= 0: score 1 for b_k = 0, 0 for BOS.
(set-logic QF_NRA)
(declare-const bk Real)
(declare-const ck Real)
(declare-const s Real)
(declare-const tk Real)
(declare-const tq Real)
(assert (= tq 1))
(assert (>= bk 0))
(assert (>= tk 0))
(assert (>= ck 0))
(assert (= (+ bk tk ck) 1))
(assert (= s (* tq (+ tk ck))))
; the negated conclusion
(assert (not (and (= s (- 1 bk)) (>= s 0))))
(check-sat)
