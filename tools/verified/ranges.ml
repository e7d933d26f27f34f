(* The ranges of kernels, as what Checker takes (CHECKPOINT_RULES.md, 4.5 and 4.9). *)

open Json
open Model
open Statements

let max_tree = 4194304

(* A tree as it is written: 1 splits, 0 is a leaf. Leaves with numbers are not covered. *)
exception Numbered

let read_tree d value =
  let text = text value "a tree" in
  require (String.length text <= max_tree) "a tree has more than 4194304 characters";
  let place = ref 0 in
  let rec node depth =
    require (!place < String.length text) "a tree ends too early";
    let c = text.[!place] in
    incr place;
    match c with
    | '0' -> Checker.Leaf
    | '1' ->
      require (depth < d) "a tree splits where no coordinate is left";
      let low = node (depth + 1) in
      Checker.Split (low, node (depth + 1))
    | '[' -> raise Numbered
    | _ -> refuse "a tree holds a character that is none of 0, 1 and [" in
  let tree = node 0 in
  require (!place = String.length text) "a tree goes on after its end";
  tree

let read_class value =
  let of_key = fields value [ "low"; "high"; "least"; "greatest" ] "a class of kernels" in
  let get key = rational (List.assoc key of_key) key in
  require (compared (get "least") (get "greatest") <= 0) "least is above greatest";
  let number_of key = number (get key) in
  { Checker.class_low = number_of "low"; class_high = number_of "high"; class_least = number_of "least"; class_greatest = number_of "greatest" }

let read_box (m : model) box =
  let all = intervals m box in
  let unit = List.fold_left (fun unit ((_, q), (_, q')) -> Z.lcm (Z.lcm unit q) q') Z.one all in
  let over (p, q) = Z.mul p (Z.divexact unit q) in
  { Checker.middle = List.map (fun (low, high) -> Z.add (over low) (over high)) all;
    spread = List.map (fun (low, high) -> Z.sub (over high) (over low)) all; box_unit = Z.shift_left unit 1 }

let names = [ (Checker.Content_flag, "content"); (Checker.Trigger_flag, "trigger"); (Checker.Bos_flag, "bos") ]
let queries = [ Checker.Content_flag; Checker.Trigger_flag ]

let read (m : model) scope value =
  let d = m.n - 3 in
  let of_key = fields value [ "order"; "heads"; "trees" ] "ranges" in
  let order = List.map (fun x -> integer ~low:0 ~high:(d - 1) x "ranges.order") (list (List.assoc "order" of_key) "ranges.order") in
  require (List.length order = d && List.length (List.sort_uniq compare order) = d) "ranges.order is not a permutation of 0..d-1";
  let keys = List.concat_map (fun f -> List.map (fun k -> (f, Checker.Key k)) [ Checker.Bos_flag; Checker.Content_flag; Checker.Trigger_flag ]) queries
             @ (if has_slot m then List.map (fun f -> (f, Checker.Null)) queries else []) in
  let key_name = function f, Checker.Key k -> List.assoc f names ^ "_" ^ List.assoc k names | f, Checker.Null -> List.assoc f names ^ "_null" in
  let heads = list (List.assoc "heads" of_key) "ranges.heads" in
  require (List.length heads = m.heads) "ranges.heads does not have one entry for each head";
  let trees = List.map (read_tree d) (list (List.assoc "trees" of_key) "ranges.trees") in
  require (List.length trees = 2 * List.length keys * m.heads) "ranges.trees does not have two trees for each class and head";
  let trees = Array.of_list trees in
  let head index value =
    let of_key = fields value [ "bos"; "classes"; "gates"; "references" ] "a head of ranges" in
    let get key = List.assoc key of_key in
    require (get "gates" = Null) "gates is not null: this attention has none";
    let references =
      if not (is_softmax m) then (require (get "references" = Null) "references is not null"; fun _ -> Checker.Bos_flag)
      else begin
        let of_query = fields (get "references") [ "content"; "trigger" ] "references" in
        let named key = match List.assoc key of_query with
          | String "bos" -> Checker.Bos_flag
          | String "content" -> Checker.Content_flag
          | _ -> refuse "a reference is neither bos nor content" in
        named
      end in
    let of_class = fields (get "classes") (List.map key_name keys) "classes" in
    let classes = List.map (fun key -> (key, read_class (List.assoc (key_name key) of_class))) keys in
    let place = List.mapi (fun k key -> (key, 2 * ((index * List.length keys) + k))) keys in
    let bos = fields (get "bos") [ "least"; "greatest" ] "bos" in
    let end_of key = rational (List.assoc key bos) key in
    require (compared (end_of "least") (end_of "greatest") <= 0) "bos: least is above greatest";
    { Checker.content_reference = references "content"; trigger_reference = references "trigger";
      class_of = (fun f key -> List.assoc (f, key) classes);
      trees_of = (fun f key -> let k = List.assoc (f, key) place in (trees.(k), trees.(k + 1)));
      bos_least = number (end_of "least"); bos_greatest = number (end_of "greatest") } in
  let heads = Array.of_list (List.mapi head heads) in
  (task_in scope m scope.box, { Checker.range_order = order; range_box = read_box m scope.box; range_heads = (fun h -> heads.(h)) })
