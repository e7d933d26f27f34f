(* Orders, trees and points, as what Checker takes (CHECKPOINT_RULES.md, 4.5). *)

open Json

let permutation d value what =
  let order = List.map (fun x -> integer ~low:0 ~high:(d - 1) x what) (list value what) in
  require (List.length order = d && List.length (List.sort_uniq compare order) = d) (what ^ " is not a permutation of 0..d-1");
  order

let max_tree = 4194304

(* A tree as it is written: 1 splits, 0 is a leaf, [e]0 is one of number e. *)
let read_tree d value =
  let text = text value "a tree" in
  require (String.length text <= max_tree) "a tree has more than 4194304 characters";
  let place = ref 0 in
  let next () =
    require (!place < String.length text) "a tree ends too early";
    incr place;
    text.[!place - 1] in
  let rec number digits =
    match next () with
    | ']' ->
      require (digits <> "" && String.length digits <= 9 && (digits = "0" || digits.[0] <> '0')) "the number of a leaf is not written as one of at most 9 digits";
      require (next () = '0') "a number in a tree is not that of a leaf";
      int_of_string digits
    | '0' .. '9' as c -> require (String.length digits < 9) "the number of a leaf has more than 9 digits"; number (digits ^ String.make 1 c)
    | _ -> refuse "the number of a leaf is not written as one" in
  let rec node depth =
    match next () with
    | '0' -> Checker.Leaf None
    | '[' -> Checker.Leaf (Some (number ""))
    | '1' ->
      require (depth < d) "a tree splits where no coordinate is left";
      let low = node (depth + 1) in
      Checker.Split (low, node (depth + 1))
    | _ -> refuse "a tree holds a character that is none of 0, 1 and [" in
  let tree = node 0 in
  require (!place = String.length text) "a tree goes on after its end";
  tree

(* Points of a proof or of ranges, by number. *)
let read_points d has_multipliers members =
  match List.assoc_opt "points" members with
  | None -> fun _ -> None
  | Some value ->
    let part value =
      let text = text value "a part of a point" in
      require (String.length text = d) "a part of a point does not have d characters";
      require (String.for_all (fun c -> c >= '0' && c <= 'P') text) "a character of a point stands for no number";
      List.init d (fun k -> Z.of_int (Char.code text.[k] - 64)) in
    let point value =
      let parts = list value "a point" in
      require (List.length parts <= 8) "a point has more than 8 parts";
      List.map part parts in
    let points = Array.of_list (List.map point (list value "points")) in
    require (has_multipliers || points = [||]) "points need multipliers";
    fun e -> if e >= 0 && e < Array.length points then Some points.(e) else None
