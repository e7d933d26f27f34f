; sw-3, evidence without roots: X = d.d, P = o.o, x = d.o >= l >= 0 and x^2 <= X P (Cauchy-Schwarz). Then X P >= l^2.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const X Real)
(declare-const l Real)
(declare-const x Real)
(assert (<= (* x x) (* X P)))
(assert (>= x l))
(assert (>= (+ l 0) 0))
; the negated conclusion
(assert (< (* X P) (* l l)))
(check-sat)
