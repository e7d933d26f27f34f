(* A checkpoint certificate about given inputs, read into what Checker.check takes (CHECKPOINT_RULES.md, 4.1 and 4.18). *)

open Json

exception Not_covered of string

let kinds =
  [ ("softmax", Checker.Softmax); ("softmax-gated", Checker.Softmax_gated);
    ("sigmoid-normalised", Checker.Sigmoid_normalised); ("elu1-normalised", Checker.Elu1_normalised);
    ("softmax-null", Checker.Softmax_null); ("softmax-sink", Checker.Softmax_sink); ("relu", Checker.Relu);
    ("sigmoid", Checker.Sigmoid); ("elu1", Checker.Elu1); ("linear", Checker.Linear) ]

let max_length = 1024
let max_weights = 16777216
let max_unit = Z.pow (Z.of_int 10) 400

let rational_of ?longest value what =
  let top, bottom = rational ?longest value what in
  { Checker.top; bottom }

(* ** The model *)

type model = {
  sha256 : string; attention : string; kind : Checker.kind; n : int; heads : int; head_width : int; depth : int;
  residual : bool; scale : string; overrides : string list
}

let read_model value =
  let keys = [ "sha256"; "attention"; "d_model"; "num_heads"; "head_width"; "num_layers"; "residual"; "scale"; "overrides" ] in
  let of_key = fields value keys "model" in
  let get key = List.assoc key of_key in
  let size key high = integer ~low:1 ~high (get key) ("model." ^ key) in
  let sha256 = Files.hash_string (get "sha256") "model.sha256" in
  let attention = text (get "attention") "model.attention" in
  require (List.mem_assoc attention kinds) "model.attention is unknown";
  let heads = size "num_heads" 64 and head_width = size "head_width" 4096 in
  require (heads * head_width <= 65536) "model.head_width is out of range";
  let residual = match get "residual" with Bool b -> b | _ -> refuse "model.residual is not a boolean" in
  let top, _ = rational ~longest:100 (get "scale") "model.scale" in
  require (Z.sign top > 0) "model.scale is not positive";
  let overrides = List.map (fun x -> text x "an override") (list (get "overrides") "model.overrides") in
  { sha256; attention; kind = List.assoc attention kinds; n = size "d_model" 4096; heads; head_width;
    depth = size "num_layers" 64; residual; scale = text (get "scale") "model.scale"; overrides }

let load_network m folders =
  let file = Tensors.read (Files.find_model m.sha256 folders) in
  let has name = List.mem_assoc name file.tensors in
  let size = m.heads * m.head_width in
  let gated = m.kind = Checker.Softmax_gated and sinks = m.kind = Checker.Softmax_sink in
  let maps = [ ("W_Q", [ size; m.n ]); ("W_K", [ size; m.n ]); ("W_V", [ size; m.n ]); ("W_O", [ m.n; size ]) ]
             @ if gated then [ ("W_G", [ m.heads; m.n ]) ] else [] in
  let of_map (name, shape) =
    [ (name ^ ".weight", (shape, true)); (name ^ ".bias", ([ List.hd shape ], name = "W_G")) ] in
  let of_layer = List.concat_map of_map maps @ if sinks then [ ("sinks", ([ m.heads ], true)) ] else [] in
  let prefixes = if m.depth = 1 && has "W_Q.weight" then [ "" ] else List.init m.depth (Printf.sprintf "layers.%d.") in
  let known = List.concat_map (fun prefix -> List.map (fun (name, of_name) -> (prefix ^ name, of_name)) of_layer) prefixes in
  List.iter (fun (name, (_, needed)) -> require (has name || not needed) ("the model has no tensor " ^ name)) known;
  List.iter
    (fun (name, (t : Tensors.tensor)) ->
       match List.assoc_opt name known with
       | None -> refuse (Printf.sprintf "the model has the tensor %S: it is another model" name)
       | Some (shape, _) -> require (t.shape = shape) (name ^ " does not have its shape"))
    file.tensors;
  let said = [ ("attention", m.attention); ("d_model", string_of_int m.n); ("num_heads", string_of_int m.heads);
               ("num_layers", string_of_int m.depth); ("residual", string_of_bool m.residual); ("scale", m.scale) ] in
  let differs (key, said) = match List.assoc_opt key file.metadata with None -> false | Some text -> text <> said in
  require (m.overrides = List.sort compare (List.map fst (List.filter differs said)))
    "overrides does not list what the model's metadata says otherwise";
  let map prefix name =
    match List.assoc_opt name maps with
    | None -> { Checker.rows = []; offsets = []; shift = Z.zero }
    | Some shape ->
      let values of_map = Tensors.values file (prefix ^ name ^ of_map) in
      let rows = List.hd shape and columns = List.nth shape 1 in
      let bias = if has (prefix ^ name ^ ".bias") then values ".bias" else Array.make rows (Z.zero, 0) in
      let whole, shift = Tensors.over_power (Array.append bias (values ".weight")) in
      { Checker.rows = Tensors.rows columns (Array.sub whole rows (rows * columns));
        offsets = Array.to_list (Array.sub whole 0 rows); shift = Z.of_int shift } in
  let layer prefix =
    let slots = if sinks then Tensors.values file (prefix ^ "sinks") else Array.make m.heads (Z.zero, 0) in
    let slots, slot_shift = Tensors.over_power slots in
    { Checker.given_query = map prefix "W_Q"; given_key = map prefix "W_K"; given_value = map prefix "W_V";
      given_output = map prefix "W_O"; given_gates = map prefix "W_G"; given_slots = Array.to_list slots; slot_shift = Z.of_int slot_shift } in
  let top, bottom = rational (String m.scale) "model.scale" in
  { Checker.given_kind = m.kind; given_width = m.n; given_heads = m.heads; given_head_width = m.head_width;
    given_residual = m.residual; scale_top = top; scale_bottom = bottom; given_layers = List.map layer prefixes }

(* ** The inputs *)

let written m length most value =
  let sequences = list value "inputs.sequences" in
  let count = List.length sequences in
  require (1 <= count && count <= most) "there are no inputs, or too many";
  let row value =
    let numbers = list value "a token" in
    require (List.length numbers = m.n) "a token does not have d_model entries";
    List.map (fun x -> rational x "a token") numbers in
  let sequence value =
    let rows = list value "a sequence" in
    require (List.length rows = length) "a sequence does not have length tokens";
    List.map row rows in
  let found = List.map sequence sequences in
  let small x = require (Z.lt (Z.abs x) max_unit) "the tokens have over 400 digits" in
  let common unit (p, q) =
    small p;
    let unit = if Z.divisible unit q then unit else Z.lcm unit q in
    small unit;
    unit in
  let unit = List.fold_left (List.fold_left (List.fold_left common)) Z.one found in
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

(* Sequences of the task drawn as in 4.17, noise in [-1,1]. *)
let grid = 65536

let drawn m length count seed =
  let sequence index =
    let block = ref 0 and words = ref "" and next = ref 0 in
    let word () =
      if !next = String.length !words then begin
        let said = Printf.sprintf "sinkproof inputs\n%s\n%d\n%s\n%d\n%d\n" m.sha256 length (Z.to_string seed) index !block in
        words := Sha256.to_bin (Sha256.string said);
        incr block;
        next := 0
      end;
      next := !next + 2;
      String.get_uint16_be !words (!next - 2) in
    let choices = length - 2 in
    let bound = choices * (grid / choices) in
    let rec choose () = let w = word () in if w >= bound then choose () else 3 + (w mod choices) in
    let trigger = choose () in
    let token k =
      let flag here = if here then Z.of_int grid else Z.zero in
      let noise = if k = 1 then List.init (m.n - 3) (fun _ -> Z.zero)
        else List.map (fun _ -> Z.of_int ((2 * word ()) + 1 - grid)) (List.init (m.n - 3) Fun.id) in
      (flag (k = 1) :: flag (k = trigger) :: noise) @ [ flag (k <> 1 && k <> trigger) ] in
    let rec tokens k = if k > length then [] else let first = token k in first :: tokens (k + 1) in
    { Checker.tokens = tokens 1; over = Z.of_int grid } in
  List.init count sequence

let read_inputs m length value folders =
  require (length <= max_length) "length is over 1024 in a certificate with inputs";
  let most = max_weights / (length * m.heads * m.depth) in
  let members = match value with Object members -> members | _ -> refuse "inputs is not an object" in
  let has key = List.mem_assoc key members in
  if has "sequences" then written m length most (List.assoc "sequences" (fields value [ "sequences" ] "inputs"))
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
    drawn m length count seed
  end

(* ** The properties *)

let is_label name =
  let fit c = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') in
  let label = if String.length name > 6 then String.sub name 6 (String.length name - 6) else "" in
  String.length name > 6 && String.sub name 0 6 = "value." && String.length label <= 60 && fit label.[0]
  && String.for_all (fun c -> fit c || c = '.' || c = '-') label

(* Indices beyond what there is are left for Checker.check to refuse. *)
let index of_key key = integer ~low:0 ~high:max_weights (List.assoc key of_key) ("readout." ^ key)

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

let read_property value =
  let members = match value with Object members -> members | _ -> refuse "a property is not an object" in
  let name = match List.assoc_opt "name" members with Some (String name) -> name | _ -> refuse "a property has no name" in
  let of_keys keys =
    let of_key = fields value ([ "name"; "verdict"; "lower"; "upper"; "proof" ] @ keys) ("property " ^ name) in
    ignore (fields (List.assoc "proof" of_key) [ "rule" ] "proof");
    require (List.assoc "verdict" of_key = String "enclosed") "verdict is not enclosed";
    fun key -> List.assoc key of_key in
  if name = "sink-share" then
    let get = of_keys [ "epsilon"; "position" ] in
    let number key = rational_of (get key) key in
    Checker.Sink_share (number "epsilon", number "lower", number "upper", integer ~low:1 ~high:max_length (get "position") "position")
  else begin
    require (is_label name) "no such property of given inputs";
    let get = of_keys [ "readout" ] in
    let readout, where = read_readout (get "readout") in
    Checker.Value (rational_of (get "lower") "lower", rational_of (get "upper") "upper", readout, where)
  end

let rule_of value =
  match value with
  | Object members ->
    (match List.assoc_opt "proof" members with
     | Some (Object proof) ->
       (match List.assoc_opt "rule" proof with Some (String rule) -> rule | _ -> refuse "proof has no rule")
     | _ -> refuse "proof has no rule")
  | _ -> refuse "a property is not an object"

let name_of value = match value with Object members -> List.assoc_opt "name" members | _ -> None

let rec strings = function
  | String text -> [ text ]
  | List items -> List.concat_map strings items
  | Object members -> List.concat_map (fun (_, value) -> strings value) members
  | _ -> []

let certificate_keys =
  [ "format"; "kind"; "claim"; "claim_sha256"; "semantics"; "length"; "box"; "triggers"; "model"; "inputs"; "ranges"; "properties" ]

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
   | String ("theory" | "language" | "vectors" as kind) -> raise (Not_covered ("certificates of kind " ^ kind))
   | _ -> refuse "unknown kind");
  require (integer (get "format") "format" = 2) "format is not 2";
  let properties = list (get "properties") "properties" in
  require (properties <> []) "properties is empty";
  let rules = List.sort_uniq compare (List.map rule_of properties) in
  List.iter (fun rule -> if rule <> "forward" then raise (Not_covered ("rule " ^ rule))) rules;
  ignore (fields value certificate_keys "the certificate");
  require (claim = "checkpoint") "claim is not checkpoint";
  require (get "semantics" = String "real") "semantics is not real";
  let names = List.map name_of properties in
  require (List.length (List.sort_uniq compare names) = List.length names) "a property occurs twice";
  let length = integer ~low:1 ~high:1000000 (get "length") "length" in
  List.iter (fun key -> require (get key = Null) (key ^ " is not null")) [ "box"; "triggers"; "ranges" ];
  let m = read_model (get "model") in
  require (List.for_all (fun text -> String.length text <= 2000) (strings (get "properties"))) "a string has more than 2000 characters";
  let stated = Files.hash_string (get "claim_sha256") "claim_sha256" in
  let exists folder = try ignore (Unix.lstat folder); true with Unix.Unix_error _ -> false in
  (match List.find_opt exists (List.map (fun place -> Filename.concat place claim) claims) with
   | None -> Files.missing ("no claim folder proofs/" ^ claim)
   | Some folder -> require (Files.claim_hash folder = stated) ("claim_sha256 is not the hash of the folder proofs/" ^ claim));
  let of_network = load_network m models in
  let found = List.map read_property properties in
  let inputs = read_inputs m length (get "inputs") models in
  let remarks = (if m.overrides = [] then [] else [ "reads " ^ String.concat ", " m.overrides ^ " otherwise than the model file's metadata" ])
                @ if m.scale = "1" then [] else [ "logits scaled by " ^ m.scale ] in
  ({ Checker.of_network; sequence_length = length; inputs; properties = found }, remarks)
