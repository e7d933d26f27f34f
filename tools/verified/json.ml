(* Strict JSON: UTF-8, whole numbers only, no key twice in one object, at most 64 deep (FORMAT.md, section 1). *)

exception Refused of string

let refuse what = raise (Refused what)
let require condition what = if not condition then refuse what

type value =
  | Null
  | Bool of bool
  | Int of Z.t
  | String of string
  | List of value list
  | Object of (string * value) list

let max_depth = 64
let least = Z.neg (Z.shift_left Z.one 63)
let most = Z.pred (Z.shift_left Z.one 64)

(* UTF-8 without overlong forms, surrogates and codes beyond U+10FFFF. *)
let is_utf_8 text =
  let length = String.length text in
  let byte k = if k < length then Char.code text.[k] else 0 in
  let later k = byte k land 0xC0 = 0x80 in
  let rec go k =
    if k >= length then true
    else
      let first = byte k and second = byte (k + 1) in
      if first < 0x80 then go (k + 1)
      else if first >= 0xC2 && first <= 0xDF then later (k + 1) && go (k + 2)
      else if first >= 0xE0 && first <= 0xEF then
        later (k + 1) && later (k + 2)
        && (first <> 0xE0 || second >= 0xA0)
        && (first <> 0xED || second < 0xA0)
        && go (k + 3)
      else if first >= 0xF0 && first <= 0xF4 then
        later (k + 1) && later (k + 2) && later (k + 3)
        && (first <> 0xF0 || second >= 0x90)
        && (first <> 0xF4 || second < 0x90)
        && go (k + 4)
      else false in
  go 0

let parse text =
  let length = String.length text in
  let place = ref 0 in
  let bad what = refuse (Printf.sprintf "not JSON: %s at byte %d" what !place) in
  let peek () = if !place < length then text.[!place] else '\000' in
  let take c = if !place < length && text.[!place] = c then incr place else bad (Printf.sprintf "expected %C" c) in
  let rec blanks () =
    if !place < length && String.contains " \t\r\n" text.[!place] then (incr place; blanks ()) in
  let word name value =
    String.iter take name;
    value in
  let hex4 () =
    if !place + 4 > length then bad "a cut escape";
    let digits = String.sub text !place 4 in
    String.iter (fun c -> if not (String.contains "0123456789abcdefABCDEF" c) then bad "a bad escape") digits;
    place := !place + 4;
    int_of_string ("0x" ^ digits) in
  let string () =
    take '"';
    let out = Buffer.create 16 in
    let rec go () =
      if !place >= length then bad "a string without end";
      let c = text.[!place] in
      if c = '"' then incr place
      else if Char.code c < 32 then bad "a control character in a string"
      else if c = '\\' then begin
        incr place;
        let e = peek () in
        incr place;
        (match e with
         | '"' | '\\' | '/' -> Buffer.add_char out e
         | 'b' -> Buffer.add_char out '\b'
         | 'f' -> Buffer.add_char out '\012'
         | 'n' -> Buffer.add_char out '\n'
         | 'r' -> Buffer.add_char out '\r'
         | 't' -> Buffer.add_char out '\t'
         | 'u' ->
           let first = hex4 () in
           let code =
             if first >= 0xD800 && first < 0xDC00 then begin
               take '\\';
               take 'u';
               let second = hex4 () in
               if second < 0xDC00 || second > 0xDFFF then bad "half a surrogate pair";
               0x10000 + ((first - 0xD800) lsl 10) + (second - 0xDC00)
             end
             else if first >= 0xDC00 && first < 0xE000 then bad "half a surrogate pair"
             else first in
           Buffer.add_utf_8_uchar out (Uchar.of_int code)
         | _ -> bad "a bad escape");
        go ()
      end
      else (Buffer.add_char out c; incr place; go ()) in
    go ();
    Buffer.contents out in
  let number () =
    let start = !place in
    if peek () = '-' then incr place;
    let first = !place in
    while !place < length && text.[!place] >= '0' && text.[!place] <= '9' do incr place done;
    let digits = !place - first in
    if digits = 0 || (digits > 1 && text.[first] = '0') then bad "a bad number";
    if String.contains ".eE" (peek ()) && !place < length then bad "a number that is not whole";
    let spelled = String.sub text start (!place - start) in
    if String.length spelled > 20 || spelled = "-0" then bad "a number out of range";
    let value = Z.of_string spelled in
    if Z.lt value least || Z.gt value most then bad "a number out of range";
    Int value in
  let rec value depth =
    blanks ();
    if depth > max_depth && (peek () = '{' || peek () = '[') then refuse "nested deeper than 64";
    let found =
      match peek () with
      | '{' ->
        incr place;
        blanks ();
        if peek () = '}' then (incr place; Object [])
        else begin
          let seen = Hashtbl.create 8 in
          let rec members found =
            blanks ();
            let key = string () in
            if Hashtbl.mem seen key then refuse "a key occurs twice in one object";
            Hashtbl.add seen key ();
            blanks ();
            take ':';
            let found = (key, value (depth + 1)) :: found in
            if peek () = ',' then (incr place; members found) else (take '}'; List.rev found) in
          Object (members [])
        end
      | '[' ->
        incr place;
        blanks ();
        if peek () = ']' then (incr place; List [])
        else begin
          let rec items found =
            let found = value (depth + 1) :: found in
            if peek () = ',' then (incr place; items found) else (take ']'; List.rev found) in
          List (items [])
        end
      | '"' -> String (string ())
      | 't' -> word "true" (Bool true)
      | 'f' -> word "false" (Bool false)
      | 'n' -> word "null" Null
      | _ -> number () in
    blanks ();
    found in
  if not (is_utf_8 text) then refuse "not UTF-8";
  let found = value 1 in
  if !place < length then bad "text after the value";
  found

(* The one spelling of a value: sorted keys, no blanks. *)
let canonical value =
  let out = Buffer.create 4096 in
  let string text =
    Buffer.add_char out '"';
    String.iter
      (fun c ->
         match c with
         | '"' -> Buffer.add_string out "\\\""
         | '\\' -> Buffer.add_string out "\\\\"
         | '\b' -> Buffer.add_string out "\\b"
         | '\012' -> Buffer.add_string out "\\f"
         | '\n' -> Buffer.add_string out "\\n"
         | '\r' -> Buffer.add_string out "\\r"
         | '\t' -> Buffer.add_string out "\\t"
         | c when Char.code c < 32 -> Buffer.add_string out (Printf.sprintf "\\u%04x" (Char.code c))
         | c -> Buffer.add_char out c)
      text;
    Buffer.add_char out '"' in
  let between opening closing write items =
    Buffer.add_char out opening;
    List.iteri (fun k item -> if k > 0 then Buffer.add_char out ','; write item) items;
    Buffer.add_char out closing in
  let rec write = function
    | Null -> Buffer.add_string out "null"
    | Bool b -> Buffer.add_string out (string_of_bool b)
    | Int z -> Buffer.add_string out (Z.to_string z)
    | String text -> string text
    | List items -> between '[' ']' write items
    | Object members ->
      let member (key, value) = string key; Buffer.add_char out ':'; write value in
      between '{' '}' member (List.sort (fun (a, _) (b, _) -> compare a b) members) in
  write value;
  Buffer.contents out

(* Reading a value as what it must be. *)

let is_among keys (key, _) = List.mem key keys

let fields value keys what =
  match value with
  | Object members ->
    List.iter (fun key -> require (List.mem_assoc key members) (Printf.sprintf "%s lacks the key %s" what key)) keys;
    require (List.for_all (is_among keys) members) (what ^ " has an unknown key");
    members
  | _ -> refuse (what ^ " is not an object")

let integer ?(low = min_int) ?(high = max_int) value what =
  match value with
  | Int z ->
    require (Z.leq (Z.of_int low) z && Z.leq z (Z.of_int high)) (what ^ " is out of range");
    Z.to_int z
  | _ -> refuse (what ^ " is not an integer")

let text value what = match value with String text -> text | _ -> refuse (what ^ " is not a string")
let list value what = match value with List items -> items | _ -> refuse (what ^ " is not a list")

let is_digits text = text <> "" && String.for_all (fun c -> c >= '0' && c <= '9') text
let is_whole text = is_digits text && (text = "0" || text.[0] <> '0')

let max_digits = 20000

(* A rational number in its one spelling: (numerator, denominator). *)
let rational ?(longest = 2 * max_digits + 2) value what =
  let spelled = text value what in
  require (String.length spelled <= longest) (Printf.sprintf "%s has more than %d characters" what longest);
  let top, bottom =
    match String.index_opt spelled '/' with
    | None -> (spelled, "1")
    | Some k -> (String.sub spelled 0 k, String.sub spelled (k + 1) (String.length spelled - k - 1)) in
  let size = if top <> "" && top.[0] = '-' then String.sub top 1 (String.length top - 1) else top in
  let canonical = is_whole size && is_whole bottom && bottom <> "0" && spelled <> "-0"
                  && (bottom <> "1" || not (String.contains spelled '/')) in
  require canonical (what ^ " is not a canonical rational");
  require (String.length size <= max_digits && String.length bottom <= max_digits) (what ^ " has over 20000 digits");
  let p = Z.of_string top and q = Z.of_string bottom in
  require (Z.equal (Z.gcd p q) Z.one || Z.equal q Z.one) (what ^ " is not in lowest terms");
  (p, q)
