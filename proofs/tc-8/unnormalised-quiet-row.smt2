; tc-8, rows divided by i - 1 = m, off the trigger: weight v/m per key, S a sum of m coordinates in [-1,1]: the
; output o is at most v.
(set-logic QF_NRA)
(declare-const S Real)
(declare-const m Real)
(declare-const o Real)
(declare-const v Real)
(assert (>= m 1))
(assert (>= v 0))
(assert (<= S (* 1 m)))
(assert (= (* o m) (* v S)))
; the negated conclusion
(assert (> o v))
(check-sat)
