; Mutant of worst-case-size.smt2: 4 in place of 10.
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
(assert (< (- (* 3 D kappa) (* N (- D (* 4 eta (+ 1 D))))) 0))
; one place to look for the counterexample
(assert (= D 0.5))
(assert (= eta 0.01))
(assert (= N 1))
(assert (= E 0.01))
(assert (= tc 0.02))
(assert (= tn 0.02))
(assert (= ncc 0.02))
(assert (= ncn 0.02))
(assert (= ct 0.04))
(assert (= cn 0.04))
(assert (= ntt 0.04))
(assert (= ntn 0.04))
(check-sat)
