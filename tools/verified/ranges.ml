(* The ranges of kernels, as what Checker takes (CHECKPOINT_RULES.md, 4.5 and 4.9). *)

open Json
open Model
open Statements
open Trees

(* The multipliers of each head, over one unit. *)
let read_multipliers (m : model) value =
  let d = m.n - 3 in
  let most = Z.pow (Z.of_int 10) 100 in
  let head value =
    let of_key = fields value [ "keys"; "queries"; "own" ] "multipliers of a head" in
    let numbers key =
      let all = List.map (fun x -> rational x "a multiplier") (list (List.assoc key of_key) "multipliers") in
      require (List.length all = d) "a list of multipliers does not have d entries";
      List.iter (fun (p, q) -> require (Z.sign p > 0 && Z.lt p most && Z.divisible most q) "a multiplier is not positive, or too long") all;
      all in
    let keys = numbers "keys" and queries = numbers "queries" and own = numbers "own" in
    let unit = List.fold_left (fun unit (_, q) -> Z.lcm unit q) Z.one (keys @ queries @ own) in
    let over = List.map (fun (p, q) -> Z.mul p (Z.divexact unit q)) in
    { Checker.key_multipliers = over keys; query_multipliers = over queries; own_multipliers = over own; multiplier_unit = unit } in
  let heads = Array.of_list (List.map head (list value "multipliers")) in
  require (Array.length heads = m.heads) "multipliers does not have one entry for each head";
  fun h -> heads.(h)

type kernels = { low : Z.t * Z.t; high : Z.t * Z.t; least : Z.t * Z.t; greatest : Z.t * Z.t }

let read_class value =
  let of_key = fields value [ "low"; "high"; "least"; "greatest" ] "a class of kernels" in
  let get key = rational (List.assoc key of_key) key in
  require (compared (get "least") (get "greatest") <= 0) "least is above greatest";
  { low = get "low"; high = get "high"; least = get "least"; greatest = get "greatest" }

(* The ends of a head's kernels have one denominator, as rule layer-row takes them. *)
let over_one_unit classes =
  let unit = List.fold_left (fun unit (_, k) -> Z.lcm (Z.lcm unit (snd k.least)) (snd k.greatest)) Z.one classes in
  let over (p, q) = { Checker.top = Z.mul p (Z.divexact unit q); bottom = unit } in
  List.map (fun (key, k) -> (key, { Checker.class_low = number k.low; class_high = number k.high; class_least = over k.least; class_greatest = over k.greatest })) classes

let read_box (m : model) box =
  let all = intervals m box in
  let unit = List.fold_left (fun unit ((_, q), (_, q')) -> Z.lcm (Z.lcm unit q) q') Z.one all in
  let over (p, q) = Z.mul p (Z.divexact unit q) in
  { Checker.middle = List.map (fun (low, high) -> Z.add (over low) (over high)) all;
    spread = List.map (fun (low, high) -> Z.sub (over high) (over low)) all; box_unit = Z.shift_left unit 1 }

let names = [ (Checker.Content_flag, "content"); (Checker.Trigger_flag, "trigger"); (Checker.Bos_flag, "bos") ]
let queries = [ Checker.Content_flag; Checker.Trigger_flag ]

let read_frame (m : model) (scope : Statements.scope) multipliers =
  (task_in scope m scope.box, { Checker.frame_box = read_box m scope.box; frame_multipliers = Option.map (read_multipliers m) multipliers })

let read (m : model) has_multipliers value =
  let d = m.n - 3 in
  let has_points = match value with Object members -> List.mem_assoc "points" members | _ -> false in
  let of_key = fields value ([ "order"; "heads"; "trees" ] @ if has_points then [ "points" ] else []) "ranges" in
  let order = permutation d (List.assoc "order" of_key) "ranges.order" in
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
    let gates =
      if m.kind <> Checker.Softmax_gated then begin
        require (get "gates" = Null) "gates is not null: this attention has none";
        fun _ -> let one = number (Z.one, Z.one) in (one, one)
      end
      else begin
        let of_flag = fields (get "gates") (List.map snd names) "gates" in
        let read name =
          let of_key = fields (List.assoc name of_flag) [ "least"; "greatest" ] "a gate" in
          let get key = rational (List.assoc key of_key) key in
          require (compared (get "least") (get "greatest") <= 0) "the least gate is above the greatest";
          (number (get "least"), number (get "greatest")) in
        let all = List.map (fun (flag, name) -> (flag, read name)) names in
        fun flag -> List.assoc flag all
      end in
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
    let classes = over_one_unit (List.map (fun key -> (key, read_class (List.assoc (key_name key) of_class))) keys) in
    let place = List.mapi (fun k key -> (key, 2 * ((index * List.length keys) + k))) keys in
    let bos = fields (get "bos") [ "least"; "greatest" ] "bos" in
    let end_of key = rational (List.assoc key bos) key in
    require (compared (end_of "least") (end_of "greatest") <= 0) "bos: least is above greatest";
    { Checker.content_reference = references "content"; trigger_reference = references "trigger";
      class_of = (fun f key -> List.assoc (f, key) classes);
      trees_of = (fun f key -> let k = List.assoc (f, key) place in (trees.(k), trees.(k + 1)));
      bos_least = number (end_of "least"); bos_greatest = number (end_of "greatest"); gates_of = gates } in
  let heads = Array.of_list (List.mapi head heads) in
  let members = match value with Object members -> members | _ -> [] in
  { Checker.range_order = order; range_points = read_points d has_multipliers members; range_heads = (fun h -> heads.(h)) }
