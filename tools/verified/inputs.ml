(* Given inputs and witnesses: sequences of tokens, as what Checker takes (CHECKPOINT_RULES.md, 4.6 and 4.18). *)

open Json
open Model

let max_length = 1024
let max_weights = 16777216
let max_unit = Z.pow (Z.of_int 10) 400

(* Numerators and denominators have at most 400 digits, those of the common denominator included. *)
let short_unit unit (p, q) =
  let small x = require (Z.lt (Z.abs x) max_unit) "numbers of more than 400 digits" in
  small p;
  let unit = if Z.divisible unit q then unit else Z.lcm unit q in
  small unit;
  unit

(* Each of the values is a list of [length] tokens; all have one common denominator. *)
let written m length values =
  let row value =
    let numbers = list value "a token" in
    require (List.length numbers = m.n) "a token does not have d_model entries";
    List.map (fun x -> rational x "a token") numbers in
  let sequence value =
    let rows = list value "a sequence" in
    require (List.length rows = length) "a sequence does not have length tokens";
    List.map row rows in
  let found = List.map sequence values in
  let unit = List.fold_left (List.fold_left (List.fold_left short_unit)) Z.one found in
  let over (p, q) = Z.mul p (Z.divexact unit q) in
  List.map (fun rows -> { Checker.tokens = List.map (List.map over) rows; over = unit }) found

let of_tensor m length most hash name folders =
  let file = Tensors.read (Files.find_model hash folders) in
  let t = match List.assoc_opt name file.tensors with Some t -> t | None -> refuse "no tensor of that name" in
  (match t.shape with
   | [ rows; columns ] ->
     require (rows >= 1 && columns = m.n && rows mod length = 0 && rows / length <= most)
       "the input is too large or does not hold sequences"
   | _ -> refuse "the input is no 2-dimensional tensor");
  let values = Tensors.values file name in
  let sequence k =
    let whole, shift = Tensors.over_power (Array.sub values (k * length * m.n) (length * m.n)) in
    { Checker.tokens = Tensors.rows m.n whole; over = Z.shift_left Z.one shift } in
  List.init (Array.length values / (length * m.n)) sequence

(* Sequences of the task drawn as in 4.17: [key] is what is hashed before the sequence's index and the block's. Each comes
   with its trigger's position, from [first] to [last]; the box has an interval for each noise coordinate. *)
let grid = 65536

let drawn length key (first, last) box count =
  let unit = List.fold_left (fun unit ((_, q), (_, q')) -> Z.lcm (Z.lcm unit q) q') Z.one box in
  let over (p, q) = Z.mul p (Z.divexact unit q) in
  let ends = List.map (fun (low, high) -> (over low, over high)) box in
  let whole = Z.mul unit (Z.of_int (2 * grid)) in
  let sequence index =
    let block = ref 0 and words = ref "" and next = ref 0 in
    let word () =
      if !next = String.length !words then begin
        words := Sha256.to_bin (Sha256.string (Printf.sprintf "%s%d\n%d\n" key index !block));
        incr block;
        next := 0
      end;
      next := !next + 2;
      String.get_uint16_be !words (!next - 2) in
    let choices = last - first + 1 in
    let bound = choices * (grid / choices) in
    let rec choose () = let w = word () in if w >= bound then choose () else first + (w mod choices) in
    let trigger = choose () in
    (* centre + radius (2 v + 1 - grid) / grid *)
    let noise (low, high) =
      let v = Z.of_int ((2 * word ()) + 1 - grid) in
      Z.add (Z.mul (Z.add low high) (Z.of_int grid)) (Z.mul (Z.sub high low) v) in
    let token k =
      let flag here = if here then whole else Z.zero in
      let noise = if k = 1 then List.map (fun _ -> Z.zero) ends else List.map noise ends in
      (flag (k = 1) :: flag (k = trigger) :: noise) @ [ flag (k <> 1 && k <> trigger) ] in
    let rec tokens k = if k > length then [] else let first = token k in first :: tokens (k + 1) in
    (trigger, { Checker.tokens = tokens 1; over = whole }) in
  List.init count sequence

let lines parts = String.concat "" (List.map (fun part -> part ^ "\n") parts)
let unit_box (m : model) = List.init (m.n - 3) (fun _ -> ((Z.minus_one, Z.one), (Z.one, Z.one)))

let read_inputs m length value folders =
  require (length <= max_length) "length is over 1024 in a certificate with inputs";
  let most = max_weights / (length * m.heads * m.depth) in
  let members = match value with Object members -> members | _ -> refuse "inputs is not an object" in
  let has key = List.mem_assoc key members in
  if has "sequences" then begin
    let sequences = list (List.assoc "sequences" (fields value [ "sequences" ] "inputs")) "inputs.sequences" in
    let count = List.length sequences in
    require (1 <= count && count <= most) "there are no inputs, or too many";
    written m length sequences
  end
  else if has "tensor" then begin
    let of_key = fields value [ "sha256"; "tensor" ] "inputs" in
    let hash = Files.hash_string (List.assoc "sha256" of_key) "inputs.sha256" in
    of_tensor m length most hash (text (List.assoc "tensor" of_key) "inputs.tensor") folders
  end
  else begin
    let of_key = fields value [ "count"; "seed" ] "inputs" in
    let count = integer ~low:1 ~high:most (List.assoc "count" of_key) "inputs.count" in
    let seed = match List.assoc "seed" of_key with Int z -> z | _ -> refuse "inputs.seed is not an integer" in
    require (Z.sign seed >= 0 && Z.numbits seed <= 63) "inputs.seed is out of range";
    require (m.n >= 4 && length >= 3) "the task has no sequences of this width or length";
    let key = lines [ "sinkproof inputs"; m.sha256; string_of_int length; Z.to_string seed ] in
    List.map snd (drawn length key (3, length) (unit_box m) count)
  end
