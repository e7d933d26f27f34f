(* Coq's whole numbers as Zarith's: what proofs/checker/extraction.v puts in the place of Coq's functions. Each is
   compared with the function it stands for in tests/verified. *)

type t = Z.t

(* Coq's constructors, and what a match over them does. *)
let one = Z.one
let zero = Z.zero
let twice x = Z.shift_left x 1
let twice_and_one x = Z.succ (Z.shift_left x 1)
let negative = Z.neg

let match_positive odd even one x =
  if Z.equal x Z.one then one ()
  else if Z.testbit x 0 then odd (Z.shift_right x 1)
  else even (Z.shift_right x 1)

let match_whole zero positive negative x =
  let sign = Z.sign x in
  if sign = 0 then zero () else if sign > 0 then positive x else negative (Z.neg x)

let add = Z.add
let sub = Z.sub
let mul = Z.mul
let opp = Z.neg
let abs = Z.abs
let max = Z.max
let min = Z.min
let eqb = Z.equal
let leb = Z.leq
let ltb = Z.lt

(* Rounds down; division by 0 gives 0. *)
let div a b = if Z.sign b = 0 then Z.zero else Z.fdiv a b
let pow x n = if Z.sign n < 0 then Z.zero else Z.pow x (Z.to_int n)
let shiftl x n = if Z.sign n >= 0 then Z.shift_left x (Z.to_int n) else Z.shift_right x (Z.to_int (Z.neg n))
let shiftr x n = if Z.sign n >= 0 then Z.shift_right x (Z.to_int n) else Z.shift_left x (Z.to_int (Z.neg n))
let log2_up x = if Z.leq x Z.one then Z.zero else Z.of_int (Z.numbits (Z.pred x))
let of_nat = Z.of_int
let to_nat x = if Z.sign x <= 0 then 0 else Z.to_int x
