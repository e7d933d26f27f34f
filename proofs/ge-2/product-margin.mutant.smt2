; Mutant of product-margin.smt2: x >= 0 P is enough.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const Q Real)
(declare-const x Real)
(declare-const y Real)
(assert (> P 0))
(assert (> Q 0))
(assert (>= x (* 0 P)))
(assert (>= y Q))
; the negated conclusion
(assert (< (* x y) (* P Q)))
; one place to look for the counterexample
(assert (= P 1))
(assert (= Q 1))
(assert (= y 1))
(assert (= x 0))
(check-sat)
