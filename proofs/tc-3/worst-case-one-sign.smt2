; tc-3, worst case. K_nn = kappa >= 0 (the other sign is the same with -K); e = eta (1 + 2 D) N; k = K_cc or K_tt,
; o = K_tc or K_ct. Then l_c = K_cc + K_tc and l_t = K_tt + K_ct are nonnegative.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const e Real)
(declare-const k Real)
(declare-const kappa Real)
(declare-const o Real)
; deviation other
(assert (>= (+ e (* D o)) 0))
; deviation own
(assert (>= (+ e (* D (- k kappa))) 0))
; diagonal
(assert (>= (- (* D kappa) (* 2 e)) 0))
; gap positive
(assert (> D 0))
; the negated conclusion
(assert (< (* D (+ k (* 1 o))) 0))
(check-sat)
