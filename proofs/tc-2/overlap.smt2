; tc-2, overlap. Notation of lacking-symmetric.smt2; Q = 1 - sqrt(1-s), so s = 2Q - Q^2; r = Q - q. At j = 4 a sequence
; that lacks a pair has a large loss already, unless row 3 of its other token is bad. So what is lost besides
; (L-1)(L-2)/2 q is s - 2 q (1 - e3) = 2r - Q^2 + 2 q e3; it is at most 3r, that is, 2 q e3 <= r + Q^2. Multiplied by
; 1 - 2q > 0, with E = e3 (1 - 2q). The bound on E is that of lacking-symmetric.smt2, the polynomial that of
; overlap-small.smt2 and overlap-large.smt2.
(set-logic QF_NRA)
(declare-const E Real)
(declare-const q Real)
(declare-const r Real)
(assert (>= q 0))
(assert (>= r 0))
(assert (<= E (* r (- 2 (* 2 q) r))))
(assert (>= (+ (* (+ q r) (+ q r) (- 1 (* 2 (+ q r)))) (* r (+ (- 1 (* 6 (+ q r))) (* 6 (+ q r) (+ q r)))) (* 6 (- 1 (+ q r)) r r)) 0))
; the negated conclusion
(assert (> (* 2 q E) (* (- 1 (* 2 q)) (+ r (* (+ q r) (+ q r))))))
(check-sat)
