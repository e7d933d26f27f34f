(* Safetensors files (CHECKPOINT_RULES.md, section 4.2), as whole numbers over a power of two. *)

open Json

type tensor = { dtype : string; shape : int list; first : int; last : int }
type file = { bytes : string; start : int; tensors : (string * tensor) list; metadata : (string * string) list }

let bytes_of = function
  | "BOOL" | "U8" | "I8" | "F8_E4M3" | "F8_E5M2" -> Some 1
  | "U16" | "I16" | "F16" | "BF16" -> Some 2
  | "U32" | "I32" | "F32" -> Some 4
  | "U64" | "I64" | "F64" -> Some 8
  | _ -> None

let read path =
  let bytes = Files.read path Files.max_model in
  let size = String.length bytes in
  require (size >= 8) "the model file is too short";
  let length = String.get_int64_le bytes 0 in
  require (Int64.compare length 0L >= 0 && Int64.compare length (Int64.of_int (min (1 lsl 24) (size - 8))) <= 0)
    "the model's header is longer than its file or 16 MiB";
  let length = Int64.to_int length in
  let header = String.sub bytes 8 length in
  require (length > 0 && header.[0] = '{') "the model's header is not an object";
  let rec trimmed k = if k > 0 && header.[k - 1] = ' ' then trimmed (k - 1) else k in
  require (header.[trimmed length - 1] = '}') "the model's header goes on after its object";
  let members = match parse header with Object members -> members | _ -> refuse "the model's header is not an object" in
  let metadata =
    match List.assoc_opt "__metadata__" members with
    | None -> []
    | Some (Object said) -> List.map (fun (key, value) -> (key, text value "the model's metadata")) said
    | Some _ -> refuse "the model's metadata is bad" in
  let tensor (name, value) =
    let of_key = fields value [ "dtype"; "shape"; "data_offsets" ] "a tensor of the model" in
    let shape = List.map (fun x -> integer ~low:0 x "a tensor's shape") (list (List.assoc "shape" of_key) "a shape") in
    let dtype = text (List.assoc "dtype" of_key) "a tensor's dtype" in
    let fit c = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c = '_' in
    require (dtype <> "" && String.for_all fit dtype) "a tensor's dtype is no name";
    let first, last =
      match list (List.assoc "data_offsets" of_key) "data_offsets" with
      | [ a; b ] -> (integer ~low:0 a "a tensor's offset", integer ~low:0 b "a tensor's offset")
      | _ -> refuse "data_offsets are not two" in
    let count = List.fold_left (fun product x -> Z.mul product (Z.of_int x)) Z.one shape in
    let fits each = Z.equal (Z.of_int (last - first)) (Z.mul count (Z.of_int each)) in
    let right_size = match bytes_of dtype with None -> true | Some each -> fits each in
    require (List.length shape <= 64 && first <= last && right_size) "a tensor's size is wrong";
    (name, { dtype; shape; first; last }) in
  let tensors = List.map tensor (List.filter (fun (name, _) -> name <> "__metadata__") members) in
  let spans = List.sort compare (List.map (fun (_, t) -> (t.first, t.last)) tensors) in
  let last = List.fold_left (fun at (first, last) -> require (first = at) "the tensors overlap or leave a gap"; last) 0 spans in
  require (8 + length + last = size) "the model's tensors do not fill its file";
  { bytes; start = 8 + length; tensors; metadata }

(* Of a dtype: bytes, bits of the exponent and of the fraction. *)
let layout = function
  | "F64" -> (8, 11, 52)
  | "F32" -> (4, 8, 23)
  | "F16" -> (2, 5, 10)
  | "BF16" -> (2, 8, 7)
  | _ -> refuse "a tensor is not F64, F32, F16 or BF16"

(* The values m 2^e of a tensor, as an array of pairs (m, e), m odd or 0. *)
let values file name =
  let t = List.assoc name file.tensors in
  let size, exponent_bits, fraction_bits = layout t.dtype in
  let highest = (1 lsl exponent_bits) - 1 and bias = (1 lsl (exponent_bits - 1)) - 1 in
  let value k =
    let at = file.start + t.first + (k * size) in
    let bits =
      match size with
      | 8 -> String.get_int64_le file.bytes at
      | 4 -> Int64.logand (Int64.of_int32 (String.get_int32_le file.bytes at)) 0xFFFFFFFFL
      | _ -> Int64.of_int (String.get_uint16_le file.bytes at) in
    let field shift width = Int64.to_int (Int64.logand (Int64.shift_right_logical bits shift) (Int64.pred (Int64.shift_left 1L width))) in
    let fraction = field 0 fraction_bits and exponent = field fraction_bits exponent_bits in
    require (exponent < highest) (name ^ " holds a number that is not finite");
    let m = if exponent = 0 then fraction else fraction + (1 lsl fraction_bits) in
    let e = max exponent 1 - bias - fraction_bits in
    if m = 0 then (Z.zero, 0)
    else
      let zeros = Z.trailing_zeros (Z.of_int m) in
      let odd = Z.of_int (m asr zeros) in
      ((if field (exponent_bits + fraction_bits) 1 = 1 then Z.neg odd else odd), e + zeros) in
  Array.init ((t.last - t.first) / size) value

(* Such values as whole numbers over 2^shift, the least shift there is. *)
let over_power values =
  let shift = Array.fold_left (fun least (_, e) -> max least (-e)) 0 values in
  (Array.map (fun (m, e) -> Z.shift_left m (e + shift)) values, shift)

(* Rows of n numbers, as lists. *)
let rows n numbers = List.init (Array.length numbers / n) (fun k -> Array.to_list (Array.sub numbers (k * n) n))
