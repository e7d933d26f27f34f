(* The model of a checkpoint certificate, as what Checker takes (CHECKPOINT_RULES.md, 4.1 and 4.2). *)

open Json

let kinds =
  [ ("softmax", Checker.Softmax); ("softmax-gated", Checker.Softmax_gated);
    ("sigmoid-normalised", Checker.Sigmoid_normalised); ("elu1-normalised", Checker.Elu1_normalised);
    ("softmax-null", Checker.Softmax_null); ("softmax-sink", Checker.Softmax_sink); ("relu", Checker.Relu);
    ("sigmoid", Checker.Sigmoid); ("elu1", Checker.Elu1); ("linear", Checker.Linear) ]

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
