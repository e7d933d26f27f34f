; ge-1, nearest points: r0 nearest without b, rho = r + m b orthogonal to b; X = <r0, rho>, R = |r0|^2, P = |rho|^2,
; q = <b, r0> < 0. The new coefficient m is not negative.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const R Real)
(declare-const X Real)
(declare-const m Real)
(declare-const q Real)
(assert (< q 0))
(assert (>= (- X (* m q)) R))
(assert (>= X P))
(assert (>= (+ P R) (* 2 X)))
; the negated conclusion
(assert (< m 0))
(check-sat)
