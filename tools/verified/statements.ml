(* What the properties of a checkpoint certificate state, as what Checker takes, and what this checker does not cover
   (CHECKPOINT_RULES.md, 4.7 and 4.18). *)

open Json
open Model

let is_label name =
  let fit c = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') in
  let label = if String.length name > 6 then String.sub name 6 (String.length name - 6) else "" in
  String.length name > 6 && String.sub name 0 6 = "value." && String.length label <= 60 && fit label.[0]
  && String.for_all (fun c -> fit c || c = '.' || c = '-') label

(* Indices beyond what there is are left for Checker.check to refuse. *)
let index of_key key = integer ~low:0 ~high:Inputs.max_weights (List.assoc key of_key) ("readout." ^ key)

let read_readout value =
  let members = match value with Object members -> members | _ -> refuse "readout is not an object" in
  let kind = match List.assoc_opt "kind" members with Some (String kind) -> kind | _ -> refuse "the readout has no kind" in
  let with_keys keys = index (fields value ("kind" :: "sequence" :: keys) "the readout") in
  let readout =
    match kind with
    | "output" -> let get = with_keys [ "row"; "coordinate" ] in Checker.Output_of (get "row", get "coordinate")
    | "loss" -> let get = with_keys [ "row"; "trigger" ] in Checker.Loss_of (get "row", get "trigger")
    | "attention" ->
      let get = with_keys [ "layer"; "head"; "row"; "key" ] in
      Checker.Attention_of (get "layer", get "head", get "row", get "key")
    | "alpha" ->
      let get = with_keys [ "layer"; "head"; "position" ] in
      Checker.Alpha_of (get "layer", get "head", get "position")
    | _ -> refuse "the readout has no known kind" in
  (readout, match List.assoc "sequence" members with Null -> None | _ -> Some (index members "sequence"))

(* ** The rest of a certificate, as far as statements depend on it *)

type scope = { length : int; first : int; last : int; box : ((Z.t * Z.t) * (Z.t * Z.t)) list; has_multipliers : bool }

let number (p, q) = { Checker.top = p; bottom = q }
let minus (p, q) = (Z.neg p, q)
let equals (p, q) (p', q') = Z.equal p p' && Z.equal q q'
let compared (p, q) (p', q') = Z.compare (Z.mul p q') (Z.mul p' q)

(* The box has one interval for all n-3 noise coordinates, or one for each. *)
let intervals (m : model) box = match box with [ one ] -> List.init (m.n - 3) (fun _ -> one) | _ -> box

let task_in scope m box =
  let noise = List.map (fun (low, high) -> (number low, number high)) (intervals m box) in
  { Checker.noise; first_trigger = scope.first; last_trigger = scope.last }

(* ** Statements: each is a part of a property *)

(* Covered: Checker.check decides it. Assumed: it is stated to Checker.check as true, and others may follow from it. *)
type standing = Covered of Checker.property * Checker.evidence | Assumed of Checker.property * string | Not_covered of string

type statement = { property : string; part : string; standing : standing }

let rule_of value =
  match value with
  | Object members ->
    (match List.assoc_opt "proof" members with
     | Some (Object proof) ->
       (match List.assoc_opt "rule" proof with Some (String rule) -> rule | _ -> refuse "proof has no rule")
     | _ -> refuse "proof has no rule")
  | _ -> refuse "a property is not an object"

let name_of value =
  match value with
  | Object members -> (match List.assoc_opt "name" members with Some (String name) -> name | _ -> refuse "a property has no name")
  | _ -> refuse "a property is not an object"

let is_softmax m = String.length m.attention >= 7 && String.sub m.attention 0 7 = "softmax"
let has_slot m = m.kind = Checker.Softmax_null || m.kind = Checker.Softmax_sink
let averages m = List.mem m.kind [ Checker.Softmax; Checker.Sigmoid_normalised; Checker.Elu1_normalised ]
let is_normalised m = not (List.mem m.kind [ Checker.Relu; Checker.Sigmoid; Checker.Elu1; Checker.Linear ])
let rests_on_ranges m rule =
  List.mem rule [ "layer-row"; "layer-attention"; "separable-row" ] || (rule = "row" && not (is_softmax m))

let begins prefix name = String.length name >= String.length prefix && String.sub name 0 (String.length prefix) = prefix
let after prefix name = String.sub name (String.length prefix) (String.length name - String.length prefix)

type family = Loss | Weight of int | Rollout
type bound = { family : family; is_floor : bool; class_ : Checker.row_class }

let quantity b where_ =
  match b.family with Loss -> Checker.Error | Weight key -> Checker.Weight_of (key, where_) | Rollout -> Checker.Rollout

let bound_named m scope name =
  let of_family, of_class = match String.index_opt name '.' with
    | None -> (name, "")
    | Some k -> (String.sub name 0 k, String.sub name (k + 1) (String.length name - k - 1)) in
  let family, is_floor = match of_family with
    | "sup-loss" -> (Loss, false)
    | "bos-floor" -> (Weight 1, true)
    | "bos-ceiling" -> (Weight 1, false)
    | "null-floor" when has_slot m -> (Weight 0, true)
    | "null-ceiling" when has_slot m -> (Weight 0, false)
    | "rollout-floor" | "rollout-ceiling" ->
      require (m.heads = 1 && averages m && not m.residual) (name ^ " is not about this kind of attention");
      (Rollout, of_family = "rollout-floor")
    | _ -> refuse ("no such property: " ^ name) in
  let class_ = match of_class with
    | "pre" -> Checker.Before
    | "trigger" -> Checker.Trigger
    | "post" -> require (scope.first < scope.length) "there are no rows after the trigger at this length"; Checker.After
    | "" when name = "sup-loss" -> Checker.Any
    | _ -> refuse ("no such property: " ^ name) in
  { family; is_floor; class_ }

let allowed_rules m b =
  let moments = if (is_softmax m && averages m) || not (is_normalised m) then [ "moments" ] else [] in
  match b.family with
  | Rollout -> [ "stack" ]
  | Weight _ -> [ "stack"; "layer-attention" ] @ moments @ (if b.is_floor && is_softmax m then [ "softmax-floor" ] else [])
  | Loss when b.class_ = Checker.Any -> [ "maximum" ]
  | Loss -> [ "stack"; "layer-row" ] @ moments @ (if m.heads > 1 then [] else if is_normalised m then [ "row" ] else [ "separable-row" ])

let read_witness m scope b value =
  let of_key = fields value [ "trigger"; "tokens"; "row"; "coordinate"; "sign" ] "witness" in
  let get key low high = integer ~low ~high (List.assoc key of_key) ("witness." ^ key) in
  let sign = get "sign" (-1) 1 in
  require (sign <> 0) "witness.sign is 0";
  let row = get "row" (if b.family = Loss then 1 else 2) scope.length in
  { Checker.trigger_at = get "trigger" scope.first scope.last; row_at = row; coordinate_at = get "coordinate" 0 (m.n - 1); above_target = sign = 1;
    whole = List.hd (Inputs.written m scope.length [ List.assoc "tokens" of_key ]) }

(* The trees of rule softmax-floor, one for each head that the property covers. *)
let read_floor m scope value where_ =
  let members = match value with Object members -> members | _ -> [] in
  let of_key = fields value ([ "rule"; "order"; "parameters"; "trees" ] @ if List.mem_assoc "points" members then [ "points" ] else []) "proof" in
  let get key = List.assoc key of_key in
  let d = m.n - 3 in
  ignore (fields (get "parameters") [] "parameters");
  let trees = Array.of_list (List.map (Trees.read_tree d) (list (get "trees") "trees")) in
  require (Array.length trees = (if where_ = None then m.heads else 1)) "proof.trees does not have one tree for each head of the property";
  { Checker.floor_order = Trees.permutation d (get "order") "proof.order"; floor_points = Trees.read_points d scope.has_multipliers members;
    floor_trees = (fun h -> trees.(if where_ = None then h else 0)) }

let side is_floor = if is_floor then Checker.At_least else Checker.At_most
let other is_floor = side (not is_floor)

(* The bound that is proved for every input, and what a witness attains. *)
let proved_part is_floor = if is_floor then "lower" else "upper"
let attained_part is_floor = if is_floor then "upper" else "lower"

let has_keys of_key keys =
  List.iter (fun key -> require (List.mem_assoc key of_key) ("a property lacks the key " ^ key)) keys

let ends of_key may_be_negative =
  let get key = rational (List.assoc key of_key) key in
  let lower = get "lower" and upper = get "upper" in
  require (compared lower upper <= 0 && (may_be_negative || Z.sign (fst lower) >= 0)) "lower is negative or above upper";
  (lower, upper)

let read_bound m scope name value all =
  let b = bound_named m scope name in
  let members = match value with Object members -> members | _ -> [] in
  let has key = List.mem_assoc key members in
  let of_head = (match b.family with Weight _ -> has "layer" || has "head" | _ -> false) in
  let of_key = fields value ([ "name"; "verdict"; "lower"; "upper"; "witness"; "proof" ] @ if of_head then [ "layer"; "head" ] else []) ("property " ^ name) in
  require (List.assoc "verdict" of_key = String "enclosed") "verdict is not enclosed";
  let rule = rule_of value in
  require (List.mem rule (allowed_rules m b)) "no such rule for these rows and this attention";
  let may_be_negative = m.kind = Checker.Linear && (match b.family with Weight _ -> true | _ -> false) in
  let lower, upper = ends of_key may_be_negative in
  let where_ = if not of_head then None
    else Some (integer ~low:0 ~high:(m.depth - 1) (List.assoc "layer" of_key) "layer", integer ~low:0 ~high:(m.heads - 1) (List.assoc "head" of_key) "head") in
  let statement part standing = { property = name; part; standing } in
  let proved, attained = if b.is_floor then (lower, upper) else (upper, lower) in
  let q = quantity b where_ in
  let bounded = Checker.Bounded (task_in scope m scope.box, b.class_, q, side b.is_floor, number proved) in
  let reached = Checker.Attained (task_in scope m scope.box, b.class_, q, other b.is_floor, number attained) in
  if b.class_ = Checker.Any then begin
    let parts = [ "sup-loss.pre"; "sup-loss.trigger" ] @ if scope.first < scope.length then [ "sup-loss.post" ] else [] in
    let proof = fields (List.assoc "proof" of_key) [ "rule"; "of" ] "proof" in
    require (List.assoc "of" proof = List (List.map (fun part -> String part) parts)) "sup-loss is not the maximum over all classes of rows";
    let ends_of part = match List.assoc_opt part all with
      | Some (Object members) -> has_keys members [ "lower"; "upper" ]; (part, ends members false)
      | _ -> refuse ("sup-loss needs the property " ^ part) in
    let of_parts = List.map ends_of parts in
    let largest read = List.fold_left (fun most (_, e) -> if compared most (read e) < 0 then read e else most) (Z.zero, Z.one) of_parts in
    require (equals lower (largest fst) && equals upper (largest snd)) "sup-loss is not the maximum of its parts";
    let from = text (List.assoc "from" (fields (List.assoc "witness" of_key) [ "from" ] "witness")) "witness.from" in
    require (match List.assoc_opt from of_parts with Some (low, _) -> equals low lower | None -> false) "witness.from does not attain lower";
    [ statement "lower" (Covered (reached, Checker.By_others)); statement "upper" (Covered (bounded, Checker.By_others)) ]
  end
  else begin
    let witness = read_witness m scope b (List.assoc "witness" of_key) in
    let reached = statement (attained_part b.is_floor) (Covered (reached, Checker.By_witness witness)) in
    let standing =
      match rule with
      | "layer-attention" ->
        ignore (fields (List.assoc "proof" of_key) [ "rule" ] "proof");
        Covered (bounded, Checker.By_ranges)
      | "layer-row" when m.kind <> Checker.Softmax_gated ->
        ignore (fields (List.assoc "proof" of_key) [ "rule" ] "proof");
        require (scope.length <= 4096) "length is over 4096";
        Covered (bounded, Checker.By_ranges)
      | "softmax-floor" -> Covered (bounded, Checker.By_trees (read_floor m scope (List.assoc "proof" of_key) where_))
      | _ -> Assumed (bounded, "rule " ^ rule) in
    let bounded = statement (proved_part b.is_floor) standing in
    if b.is_floor then [ bounded; reached ] else [ reached; bounded ]
  end

let read_largest_box m scope name value all =
  let inner = after "largest-box." name in
  let b = bound_named m scope inner in
  let of_key = fields value [ "name"; "verdict"; "lower"; "upper"; "threshold"; "attained"; "witness"; "proof" ] ("property " ^ name) in
  let get key = List.assoc key of_key in
  require (get "verdict" = String "enclosed") "verdict is not enclosed";
  let proof = fields (get "proof") [ "rule"; "of" ] "proof" in
  require (rule_of value = "maximum" && List.assoc "of" proof = List [ String inner ]) (name ^ " does not rest on " ^ inner);
  let lower = rational (get "lower") "lower" and threshold = rational (get "threshold") "threshold" in
  require (match scope.box with [ (low, high) ] -> equals low (minus lower) && equals high lower | _ -> false)
    (name ^ " needs the box [-lower, lower]");
  (match List.assoc_opt inner all with Some (Object members) -> has_keys members [ "lower"; "upper" ] | _ -> refuse (name ^ " needs the property " ^ inner));
  let within = match List.assoc inner all with Object members -> ends members true | _ -> assert false in
  let sign = if b.is_floor then -1 else 1 in
  require (sign * compared (if b.is_floor then fst within else snd within) threshold <= 0) (name ^ ": its box is not shown to meet the threshold");
  let statement part standing = { property = name; part; standing } in
  let beyond =
    if get "upper" = Null then begin
      List.iter (fun key -> require (get key = Null) (key ^ " is not null")) [ "attained"; "witness" ];
      None
    end
    else begin
      let upper = rational ~longest:100 (get "upper") "upper" and attained = rational (get "attained") "attained" in
      require (compared upper lower > 0) "upper is not above lower";
      require (sign * compared attained threshold > 0) (name ^ ": what is attained meets the threshold");
      Some (upper, attained, read_witness m scope b (get "witness"))
    end in
  let q = quantity b None in
  statement "lower" (Covered (Checker.Bounded (task_in scope m scope.box, b.class_, q, side b.is_floor, number threshold), Checker.By_others))
  :: (match beyond with
      | None -> []
      | Some (upper, attained, witness) ->
        let larger = task_in scope m [ (minus upper, upper) ] in
        [ statement "attained" (Covered (Checker.Attained (larger, b.class_, q, other b.is_floor, number attained), Checker.By_witness witness));
          statement "upper" (Covered (Checker.Attained (larger, b.class_, q, (if b.is_floor then Checker.Below else Checker.Above), number threshold), Checker.By_others)) ])

let read_given name value =
  let of_keys keys =
    let of_key = fields value ([ "name"; "verdict"; "lower"; "upper"; "proof" ] @ keys) ("property " ^ name) in
    ignore (fields (List.assoc "proof" of_key) [ "rule" ] "proof");
    require (rule_of value = "forward") "the rule is not forward";
    require (List.assoc "verdict" of_key = String "enclosed") "verdict is not enclosed";
    fun key -> List.assoc key of_key in
  let get = of_keys (if name = "sink-share" then [ "epsilon"; "position" ] else [ "readout" ]) in
  let number_of key = number (rational (get key) key) in
  let stated =
    if name = "sink-share" then
      Checker.Sink_share (number_of "epsilon", number_of "lower", number_of "upper", integer ~low:1 ~high:Inputs.max_length (get "position") "position")
    else begin
      require (is_label name) "no such property of given inputs";
      let readout, where_ = read_readout (get "readout") in
      Checker.Value (number_of "lower", number_of "upper", readout, where_)
    end in
  [ { property = name; part = ""; standing = Covered (stated, Checker.By_inputs) } ]

(* Of a property random.*: how many sequences it is about, and what it states. *)
let read_drawn m scope name value =
  require (scope.first > 0 && scope.length <= 4096) (name ^ " needs a box, and a length of at most 4096");
  let kind = match name with
    | "random.loss" -> Checker.Small_loss
    | "random.sink" -> Checker.Some_sink
    | "random.no-sink" -> Checker.No_sink
    | _ -> refuse ("no such property: " ^ name) in
  let of_key = fields value [ "name"; "verdict"; "samples"; "exceeding"; "threshold"; "alpha"; "delta"; "proof" ] ("property " ^ name) in
  let get key = List.assoc key of_key in
  require (get "verdict" = String "statistical") "verdict is not statistical";
  ignore (fields (get "proof") [ "rule" ] "proof");
  require (rule_of value = "random") "the rule is not random";
  let count = integer ~low:1 ~high:100000 (get "samples") "samples" in
  require (count * scope.length <= 2000000) "samples times length is over 2000000";
  let exceeding = integer ~low:0 ~high:(min count 1000) (get "exceeding") "exceeding" in
  let threshold = rational (get "threshold") "threshold" in
  let share key =
    let p, q = rational (get key) key in
    require (Z.sign p > 0 && Z.lt p q) (key ^ " is not between 0 and 1");
    (p, q) in
  let alpha = share "alpha" and delta = share "delta" in
  require (Z.leq (snd delta) (Z.of_int 1000000000)) "the denominator of delta is over 10^9";
  require (Z.sign (fst threshold) > 0 && Z.leq (Z.add (fst threshold) (snd threshold)) (Z.of_int 1000000000000))
    "threshold e/f is not positive, or e + f is over 10^12";
  let stated = Checker.Drawn (task_in scope m scope.box, kind, number threshold, count, exceeding, number alpha, number delta) in
  [ { property = name; part = ""; standing = Covered (stated, Checker.By_inputs) } ]

(* The sequences of the properties random.*. *)
let drawn_for m scope statements =
  let count s = match s.standing with Covered (Checker.Drawn (_, _, _, count, _, _, _), _) -> count | _ -> 0 in
  let number_of = string_of_int in
  let key = Inputs.lines [ "sinkproof random"; m.sha256; number_of scope.length; number_of scope.first; number_of scope.last ] in
  match List.fold_left (fun most s -> max most (count s)) 0 statements with
  | 0 -> []
  | most -> Inputs.drawn scope.length key (scope.first, scope.last) (intervals m scope.box) most

(* [all] are the properties of all heads by name. *)
let read m scope value all =
  let name = name_of value in
  if begins "random." name then read_drawn m scope name value
  else if begins "theorem." name then [ { property = name; part = ""; standing = Not_covered ("rule " ^ rule_of value) } ]
  else if name = "sink-share" || begins "value." name then read_given name value
  else begin
    require (scope.first > 0) (name ^ " needs an input box, but the certificate has none");
    if begins "largest-box." name then read_largest_box m scope name value all else read_bound m scope name value all
  end
