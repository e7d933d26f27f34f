; sw-2, conclusion. ||o|| <= z + D with z = ||v_0|| and D = the norm of sum a_k (v_k - v_0), at most q s, q = 1 - a_0 <= eps
; and s = the spread max ||v_k - v_0||. Then ||o|| <= z + eps s.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const eps Real)
(declare-const n Real)
(declare-const q Real)
(declare-const s Real)
(declare-const z Real)
(assert (>= s 0))
(assert (<= q (* 1 eps)))
(assert (<= D (* q s)))
(assert (<= n (+ z D)))
; the negated conclusion
(assert (> n (+ z (* eps s))))
(check-sat)
