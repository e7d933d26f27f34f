(* A checkpoint certificate, read into what Checker.check takes (CHECKPOINT_RULES.md, 4.1). *)

open Json

exception Not_covered of string

let rec require_short = function
  | String text -> require (String.length text <= 2000) "a string has more than 2000 characters"
  | List items -> List.iter require_short items
  | Object members -> List.iter (fun (key, value) -> if not (List.mem key [ "tokens"; "trees"; "points" ]) then require_short value) members
  | _ -> ()

let keys = [ "format"; "kind"; "claim"; "claim_sha256"; "semantics"; "length"; "box"; "triggers"; "model"; "inputs"; "ranges"; "properties" ]

type t = {
  remarks : string list; checked : Checker.certificate; frame : (Checker.given_task * Checker.frame) option; ranges : Checker.ranges option;
  statements : Statements.statement list
}

let read_scope (m : Model.model) length box triggers has_multipliers =
  if box = Null then begin
    require (triggers = Null) "triggers is not null, but box is";
    { Statements.length; first = 0; last = 0; box = []; has_multipliers }
  end
  else begin
    require (m.n >= 4 && length >= 3) "d_model is below 4 or length below 3 in a certificate with a box";
    let pair what value = match list value what with [ a; b ] -> (a, b) | _ -> refuse (what ^ " does not have 2 entries") in
    let interval value =
      let low, high = pair "an interval" value in
      let low = rational ~longest:100 low "box" and high = rational ~longest:100 high "box" in
      require (Statements.compared low high <= 0) "an interval of the box is empty";
      (low, high) in
    let box = List.map interval (list box "box") in
    require (List.length box = 1 || List.length box = m.n - 3) "box does not have one interval, or one for each noise coordinate";
    ignore (List.fold_left (fun unit (low, high) -> Inputs.short_unit (Inputs.short_unit unit low) high) Z.one box);
    let first, last = pair "triggers" triggers in
    let first = integer ~low:3 ~high:length first "triggers" in
    { Statements.length; first; last = integer ~low:first ~high:length last "triggers"; box; has_multipliers }
  end

(* What the rules of the properties ask of the rest. *)
let require_whole (m : Model.model) (scope : Statements.scope) get properties =
  let rules = List.map (fun value -> (Statements.rule_of value, Statements.name_of value)) properties in
  let all_given = List.for_all (fun (rule, _) -> rule = "forward") rules in
  let of_stack (rule, name) = List.mem rule [ "stack"; "moments"; "maximum"; "random" ] || name = "theorem.tc-4" in
  require ((get "box" = Null) = all_given) "box is null exactly where all inputs are given";
  require ((get "inputs" <> Null) = List.exists (fun (rule, _) -> rule = "forward") rules) "inputs are for properties of rule forward, and no others";
  require ((get "ranges" <> Null) = List.exists (fun (rule, _) -> Statements.rests_on_ranges m rule) rules) "ranges are for rules that rest on them, and no others";
  if not (all_given || List.for_all of_stack rules) then
    require (m.depth = 1 && (not m.residual) && scope.first = 3 && scope.last = scope.length)
      "num_layers is not 1, residual not false or triggers not [3,L] for these rules"

let is_claim_id claim =
  let fit c = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c = '.' || c = '-' in
  String.length claim <= 64 && claim <> "" && claim.[0] >= 'a' && claim.[0] <= 'z' && String.for_all fit claim

(* The certificate of this file, and remarks on how it reads the model. *)
let read path claims models =
  let bytes = Files.read path 268435456 in
  let value = parse bytes in
  let members = match value with Object members -> members | _ -> refuse "not a JSON object" in
  require (canonical value ^ "\n" = bytes) "not in canonical form";
  let get key = match List.assoc_opt key members with Some value -> value | None -> refuse ("no key " ^ key) in
  let claim = text (get "claim") "claim" in
  require (is_claim_id claim) "claim is not a claim id";
  (match get "kind" with
   | String "checkpoint" -> ()
   | String ("theory" | "language" | "vectors" | "cover" as kind) -> raise (Not_covered ("certificates of kind " ^ kind))
   | _ -> refuse "unknown kind");
  require (integer (get "format") "format" = 2) "format is not 2";
  let properties = list (get "properties") "properties" in
  require (properties <> []) "properties is empty";
  let has_multipliers = List.mem_assoc "multipliers" members in
  ignore (fields value (keys @ if has_multipliers then [ "multipliers" ] else []) "the certificate");
  require (claim = "checkpoint") "claim is not checkpoint";
  require (get "semantics" = String "real") "semantics is not real";
  let length = integer ~low:1 ~high:1000000 (get "length") "length" in
  let m = Model.read_model (get "model") in
  let scope = read_scope m length (get "box") (get "triggers") has_multipliers in
  require_whole m scope get properties;
  let has_trees value = List.mem (Statements.rule_of value) [ "row"; "softmax-floor"; "separable-row" ] in
  require (get "ranges" <> Null || List.exists has_trees properties || not has_multipliers) "multipliers are there, but no rule asks for them";
  List.iter (fun key -> if List.mem_assoc key members then require_short (get key)) [ "multipliers"; "properties"; "ranges" ];
  let multipliers = List.assoc_opt "multipliers" members in
  let frame = if get "box" = Null || m.depth > 1 then None else Some (Ranges.read_frame m scope multipliers) in
  let ranges = if get "ranges" = Null then None else Some (Ranges.read m has_multipliers (get "ranges")) in
  let member key = function Object members -> List.assoc_opt key members | _ -> None in
  let places = List.map (fun value -> (Statements.name_of value, member "layer" value, member "head" value)) properties in
  require (List.length (List.sort_uniq compare places) = List.length places) "a property occurs twice";
  let of_all = List.filter (fun value -> member "head" value = None) properties in
  let named = List.map (fun value -> (Statements.name_of value, value)) of_all in
  let statements = List.concat_map (fun value -> Statements.read m scope value named) properties in
  let stated = Files.hash_string (get "claim_sha256") "claim_sha256" in
  let exists folder = try ignore (Unix.lstat folder); true with Unix.Unix_error _ -> false in
  (match List.find_opt exists (List.map (fun place -> Filename.concat place claim) claims) with
   | None -> Files.missing ("no claim folder proofs/" ^ claim)
   | Some folder -> require (Files.claim_hash folder = stated) ("claim_sha256 is not the hash of the folder proofs/" ^ claim));
  let of_network = Model.load_network m models in
  let inputs = if get "inputs" = Null then [] else Inputs.read_inputs m length (get "inputs") models in
  let remarks = (if m.overrides = [] then [] else [ "overrides the model file's metadata: " ^ String.concat ", " m.overrides ])
                @ if m.scale = "1" then [] else [ "logits scaled by " ^ m.scale ] in
  let assumed = List.filter_map (fun (s : Statements.statement) -> match s.standing with Assumed (p, _) -> Some p | _ -> None) statements in
  { remarks; checked = { Checker.of_network; sequence_length = length; inputs; samples = Statements.drawn_for m scope statements; assumed; properties = [] }; frame; ranges; statements }
