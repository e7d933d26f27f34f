; tc-3, worst case. N = the largest ||K_n - a K_c - b K_t||_1 over the four corners a, b = 1 or -1; kappa =
; |K_nn|; tc, tn, ct, cn = |K_tc|, ... , ncc = |K_nn - K_cc|, ncn = |K_nc - K_cn|, ntt, ntn likewise. The corners
; bound D times each; then N (D - 10 eta (1 + D)) <= 3 D kappa.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const E Real)
(declare-const N Real)
(declare-const cn Real)
(declare-const ct Real)
(declare-const eta Real)
(declare-const kappa Real)
(declare-const ncc Real)
(declare-const ncn Real)
(declare-const ntn Real)
(declare-const ntt Real)
(declare-const tc Real)
(declare-const tn Real)
; E is eta N
(assert (= (- E (* eta N)) 0))
; dev cn
(assert (>= (- (* E (+ 1 (* 2 D))) (* D cn)) 0))
; dev ct
(assert (>= (- (* E (+ 1 (* 2 D))) (* D ct)) 0))
; dev ncc
(assert (>= (- E (* D ncc)) 0))
; dev ncn
(assert (>= (- E (* D ncn)) 0))
; dev ntn
(assert (>= (- (* E (+ 1 (* 2 D))) (* D ntn)) 0))
; dev ntt
(assert (>= (- (* E (+ 1 (* 2 D))) (* D ntt)) 0))
; dev tc
(assert (>= (- E (* D tc)) 0))
; dev tn
(assert (>= (- E (* D tn)) 0))
; gap positive
(assert (> D 0))
; size
(assert (>= (- (+ (* 3 kappa) ncn (* 2 cn) ncc tc ntn (* 2 tn) ct ntt) N) 0))
; the negated conclusion
(assert (< (- (* 3 D kappa) (* N (- D (* 10 eta (+ 1 D))))) 0))
(check-sat)
