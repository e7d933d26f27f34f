(* Whole's functions against those of Coq that they replace, on small numbers and on drawn ones of every size. *)

module P = Plain
module C = Plain.Z

let rec positive x =
  if Z.equal x Z.one then P.XH
  else if Z.testbit x 0 then P.XI (positive (Z.shift_right x 1))
  else P.XO (positive (Z.shift_right x 1))

let plain x = match Z.sign x with 0 -> P.Z0 | 1 -> P.Zpos (positive x) | _ -> P.Zneg (positive (Z.neg x))

let rec of_positive = function
  | P.XH -> Z.one
  | P.XO p -> Z.shift_left (of_positive p) 1
  | P.XI p -> Z.succ (Z.shift_left (of_positive p) 1)

let whole = function P.Z0 -> Z.zero | P.Zpos p -> of_positive p | P.Zneg p -> Z.neg (of_positive p)
let rec nat k = if k = 0 then P.O else P.S (nat (k - 1))
let rec of_nat = function P.O -> 0 | P.S n -> 1 + of_nat n

let compared = ref 0

let same name equal show left right =
  incr compared;
  if not (equal left right) then (Printf.eprintf "%s: %s is not %s\n" name (show left) (show right); exit 1)

let draw () =
  let bits = 1 + Random.int 200 in
  let rec go x k = if k = 0 then x else go (Z.add (Z.shift_left x 1) (Z.of_int (Random.int 2))) (k - 1) in
  let x = go Z.zero bits in
  if Random.bool () then x else Z.neg x

let () =
  Random.init 1;
  let small = List.init 21 (fun k -> Z.of_int (k - 10)) in
  let edges = List.concat_map (fun k -> let p = Z.shift_left Z.one k in [ Z.pred p; p; Z.succ p; Z.neg p ]) [ 62; 63; 64; 128 ] in
  let numbers = small @ edges @ List.init 60 (fun _ -> draw ()) in
  let of_two name whole_function plain_function =
    List.iter
      (fun x ->
         List.iter
           (fun y -> same name Z.equal Z.to_string (whole_function x y) (whole (plain_function (plain x) (plain y))))
           numbers)
      numbers in
  let test name whole_function plain_function =
    List.iter
      (fun x ->
         List.iter
           (fun y -> same name ( = ) string_of_bool (whole_function x y) (plain_function (plain x) (plain y)))
           numbers)
      numbers in
  let of_one name whole_function plain_function =
    List.iter (fun x -> same name Z.equal Z.to_string (whole_function x) (whole (plain_function (plain x)))) numbers in
  of_two "add" Whole.add C.add;
  of_two "sub" Whole.sub C.sub;
  of_two "mul" Whole.mul C.mul;
  of_two "max" Whole.max C.max;
  of_two "min" Whole.min C.min;
  of_two "div" Whole.div C.div;
  test "eqb" Whole.eqb C.eqb;
  test "leb" Whole.leb C.leb;
  test "ltb" Whole.ltb C.ltb;
  of_one "opp" Whole.opp C.opp;
  of_one "abs" Whole.abs C.abs;
  of_one "log2_up" Whole.log2_up C.log2_up;
  of_one "twice" Whole.twice (fun x -> C.mul (plain (Z.of_int 2)) x);
  of_one "negative" Whole.negative C.opp;
  List.iter
    (fun x ->
       List.iter
         (fun n -> same "pow" Z.equal Z.to_string (Whole.pow x (Z.of_int n)) (whole (C.pow (plain x) (plain (Z.of_int n)))))
         [ -2; -1; 0; 1; 2; 3; 7; 12 ])
    numbers;
  let steps = List.init 141 (fun k -> Z.of_int (k - 70)) in
  List.iter
    (fun x ->
       List.iter
         (fun n ->
            same "shiftl" Z.equal Z.to_string (Whole.shiftl x n) (whole (C.shiftl (plain x) (plain n)));
            same "shiftr" Z.equal Z.to_string (Whole.shiftr x n) (whole (C.shiftr (plain x) (plain n))))
         steps)
    numbers;
  List.iter (fun k -> same "of_nat" Z.equal Z.to_string (Whole.of_nat k) (whole (C.of_nat (nat k)))) [ 0; 1; 2; 3; 100; 1000 ];
  List.iter
    (fun x -> same "to_nat" ( = ) string_of_int (Whole.to_nat x) (of_nat (C.to_nat (plain x))))
    (small @ [ Z.of_int 1000 ]);
  (* A match sees the constructor that Coq sees. *)
  let shape x =
    Whole.match_whole (fun () -> 0)
      (fun p -> Whole.match_positive (fun q -> 1 + (3 * Z.hash q)) (fun q -> 2 + (3 * Z.hash q)) (fun () -> 3) p)
      (fun p -> - Whole.match_positive (fun q -> 1 + (3 * Z.hash q)) (fun q -> 2 + (3 * Z.hash q)) (fun () -> 3) p) x in
  let plain_shape x =
    let of_p = function P.XI q -> 1 + (3 * Z.hash (of_positive q)) | P.XO q -> 2 + (3 * Z.hash (of_positive q)) | P.XH -> 3 in
    match x with P.Z0 -> 0 | P.Zpos p -> of_p p | P.Zneg p -> - (of_p p) in
  List.iter (fun x -> same "match" ( = ) string_of_int (shape x) (plain_shape (plain x))) numbers;
  Printf.printf "%d comparisons\n" !compared
