; tc-7 (e), last step. a = 1/(b1+1) with b1 at most 1.107, c = 1/(b2+1) with b2 at least 113, f1 and f2 the BOS
; attentions of the two heads at the trigger (position 3), at most 9/10, s = n1 + n2 small: the rows n1 f1 + n2 f2 =
; s - 1 and n1 a + n2 c = 1/2 cannot both hold up to 1/1000. Here n2 < 0 <= n1.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const c Real)
(declare-const f1 Real)
(declare-const f2 Real)
(declare-const n1 Real)
(declare-const n2 Real)
(assert (>= (* 1000 a) 474))
(assert (> c 0))
(assert (<= (* 10000 c) 88))
(assert (>= f1 0))
(assert (>= f2 0))
(assert (<= (* 10 f2) 9))
(assert (<= (* 1000 (+ n1 n2)) 74))
(assert (>= (* 1000 (+ n1 n2)) (- 0 74)))
(assert (>= n1 0))
(assert (< n2 0))
(assert (<= (* 1000 (- (+ (* n1 f1) (* n2 f2)) (- (+ n1 n2) 1))) 1))
; the negated conclusion
(assert (<= (* 1000 (+ (* n1 a) (* n2 c))) 501))
(check-sat)
