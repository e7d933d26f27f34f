; tc-3, worst case. Notation of worst-case-near-z.smt2: D m.t <= (1 + 2 D) E.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const E Real)
(declare-const b Real)
(declare-const d3 Real)
(declare-const dJ Real)
(declare-const mt Real)
(declare-const mz Real)
; b lower
(assert (>= (+ E b) 0))
; b upper
(assert (>= (- E b) 0))
; d3 lower
(assert (>= (+ E d3) 0))
; d3 upper
(assert (>= (- E d3) 0))
; dJ lower
(assert (>= (+ E dJ) 0))
; dJ upper
(assert (>= (- E dJ) 0))
; gap at most half
(assert (>= (- 1 (* 2 D)) 0))
; gap positive
(assert (> D 0))
; row 3
(assert (= (+ (- (* 2 d3) (* 2 b)) mz mt) 0))
; row J
(assert (= (+ (- (* 2 dJ) (* 2 b)) (* mz (+ 1 (* 2 D))) (* mt (- 1 (* 2 D)))) 0))
; the negated conclusion
(assert (< (- (* E (+ 1 (* 2 D))) (* 1 D mt)) 0))
(check-sat)
