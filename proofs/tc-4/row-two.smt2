; tc-4. At i = 2 only row 2 is left off BOS: the average BOS attention is a_21 itself.
(set-logic QF_NRA)
(declare-const a21 Real)
(declare-const beta Real)
(declare-const c Real)
(declare-const lost Real)
; average
(assert (= (- (* beta c) lost) 0))
; chain positive
(assert (> c 0))
; one row left
(assert (= (- lost (* 1 c a21)) 0))
; the negated conclusion
(assert (not (= (- beta (* 1 a21)) 0)))
(check-sat)
