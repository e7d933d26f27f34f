(* sinkproof-check-verified: judges each statement of a certificate by Checker.check, which is
   proved in proofs/checker, and accepts a certificate if all of them are proved.

   Each file is checked in a process of its own, which is this program with the first argument --child; a shell sets its
   limits, and only an outcome that arrives whole counts. *)

type outcome = { code : int; claim : string; verdict : string; evidence : string; reason : string; statements : Json.value list }

let rejected reason = { code = 4; claim = ""; verdict = "rejected"; evidence = ""; reason; statements = [] }
let unknown code reason = { (rejected reason) with code; verdict = "unknown" }
let advice = "check the file with sinkproof-check"

let refusal (s : Statements.statement) =
  match s.standing with
  | Covered (_, Checker.By_witness _) -> Printf.sprintf "%s: the witness does not attain %s, or it is no input of the task" s.property s.part
  | Covered (_, Checker.By_ranges) -> Printf.sprintf "%s: %s does not follow from the ranges of kernels, or they are not shown" s.property s.part
  | Covered (_, Checker.By_trees _) -> Printf.sprintf "%s: the trees and points do not show %s" s.property s.part
  | Covered (_, Checker.By_others) -> Printf.sprintf "%s: %s does not follow from the other properties" s.property s.part
  | _ -> "the forward pass does not show what the properties state"

(* Each statement with its verdict: "proved", or why it is not. *)
let judged (c : Certificate.t) =
  let covered = List.filter_map (fun (s : Statements.statement) -> match s.standing with Covered (p, e) -> Some (p, e) | _ -> None) c.statements in
  let properties, evidence = List.split covered in
  let rec join (statements : Statements.statement list) verdicts =
    match (statements, verdicts) with
    | [], _ -> []
    | ({ standing = Assumed (_, rule); _ } as s) :: rest, _ | ({ standing = Not_covered rule; _ } as s) :: rest, _ ->
      (s, "not covered (" ^ rule ^ ")") :: join rest verdicts
    | s :: rest, Checker.Proved :: others -> (s, "proved") :: join rest others
    | s :: rest, Checker.Conditional :: others -> (s, "not covered (follows from bounds that are not covered)") :: join rest others
    | s :: _, _ -> Json.refuse (refusal s) in
  join c.statements (Checker.check { c.checked with properties } c.frame c.ranges evidence)

(* Whether certificates about drawn sequences are accepted: [statistical]. *)
let check path claims models statistical =
  match
    let c = Certificate.read path claims models in
    (c, judged c)
  with
  | c, judged ->
    let row ((s : Statements.statement), verdict) =
      Json.Object [ ("property", Json.String s.property); ("part", Json.String s.part); ("verdict", Json.String verdict) ] in
    let all = List.length judged and open_ = List.length (List.filter (fun (_, verdict) -> verdict <> "proved") judged) in
    let reason = if open_ = 0 then c.remarks
      else Printf.sprintf "%d of %d statements are proved, the other %d are not covered by this checker; %s" (all - open_) all open_ advice :: c.remarks in
    let found = { code = 3; claim = "checkpoint"; verdict = "unknown"; evidence = ""; reason = String.concat "; " reason; statements = List.map row judged } in
    let is_statistical ((s : Statements.statement), _) = match s.standing with Covered (Checker.Drawn _, _) -> true | _ -> false in
    if open_ > 0 then found
    else if List.exists is_statistical judged then { found with code = (if statistical then 0 else 3); verdict = "statistical"; evidence = "exact" }
    else { found with code = 0; verdict = "proved"; evidence = "exact" }
  | exception Json.Refused what -> rejected what
  | exception Files.Missing what -> unknown 2 what
  | exception Certificate.Not_covered what -> unknown 3 (what ^ " is not covered by this checker; " ^ advice)

(* ** The child: an outcome as one line of JSON *)

let visible text =
  let shown = Buffer.create (String.length text) in
  String.iter (fun c -> if Char.code c < 32 || Char.code c > 126 then Printf.bprintf shown "\\x%02x" (Char.code c) else Buffer.add_char shown c) text;
  Buffer.contents shown

let row file o =
  Json.Object
    [ ("file", Json.String file); ("claim", Json.String o.claim); ("verdict", Json.String o.verdict);
      ("evidence", Json.String o.evidence); ("reason", Json.String o.reason); ("statements", Json.List o.statements) ]

let child path claims models statistical =
  let o = check path claims models statistical in
  print_string (Json.canonical (Json.List [ Json.Int (Z.of_int o.code); row (visible path) { o with reason = visible o.reason } ]) ^ "\n")

(* ** The parent *)

let held = 16384 (* kilobytes that the program has before it reads a file *)

let limited = "ulimit -S -s \"$(ulimit -H -s)\"; ulimit -c 0; ulimit -t \"$1\"; ulimit -d \"$2\"; shift 2; exec \"$@\" 2>&1"

let read_all channel =
  let text = Buffer.create 256 in
  (try while true do Buffer.add_channel text channel 1 done with End_of_file -> ());
  Buffer.contents text

let outcome_of path seconds memory arguments =
  let kilobytes = (memory * 1000000 / 1024) + held in
  let command = [ "/bin/sh"; "-c"; limited; "sh"; string_of_int seconds; string_of_int kilobytes; Sys.executable_name; "--child" ] in
  let channel = Unix.open_process_args_in "/bin/sh" (Array.of_list (command @ arguments @ [ path ])) in
  let text = read_all channel in
  let status = Unix.close_process_in channel in
  let has part =
    let n = String.length part in
    let rec go k = k + n <= String.length text && (String.sub text k n = part || go (k + 1)) in
    go 0 in
  let limit what option now =
    unknown 3 (Printf.sprintf "SP0905 the check needs more than %s, its limit; to allow more, check it with --%s %d" what option (10 * now)) in
  match (status, Json.parse text) with
  | Unix.WEXITED 0, Json.List [ Json.Int code; Json.Object row ] ->
    let get key = match List.assoc key row with Json.String text -> text | _ -> "" in
    { code = Z.to_int code; claim = get "claim"; verdict = get "verdict"; evidence = get "evidence"; reason = get "reason";
      statements = (match List.assoc "statements" row with Json.List all -> all | _ -> []) }
  | _ -> { (unknown 5 "the check left no outcome") with verdict = "internal error" }
  | exception Json.Refused _ ->
    let by_time = match status with Unix.WSIGNALED signal -> signal = Sys.sigxcpu || signal = Sys.sigkill | _ -> false in
    if by_time then limit (Printf.sprintf "%d s of processor time" seconds) "seconds" seconds
    else if has "emory" || has "cannot allocate" || has "tack overflow" then limit (Printf.sprintf "%d MB of memory" memory) "memory" memory
    else { (unknown 5 ("the check ended: " ^ visible text)) with verdict = "internal error" }

(* A line for each property: what of it is proved. *)
let rec print_statements = function
  | [] -> ()
  | first :: _ as statements ->
    let get key statement = match statement with Json.Object members -> Json.text (List.assoc key members) key | _ -> "" in
    let same, rest = List.partition (fun s -> get "property" s = get "property" first) statements in
    let shown s = (if get "part" s = "" then "" else get "part" s ^ " ") ^ get "verdict" s in
    Printf.printf "  %s: %s\n" (get "property" first) (String.concat "; " (List.map shown same));
    print_statements rest

let usage = "Usage: sinkproof-check-verified [OPTIONS] FILE ..."

let () =
  let claims = ref None and models = ref None and files = ref [] in
  let seconds = ref 300 and memory = ref 2000 and format = ref "text" and quiet = ref false and is_child = ref false in
  let folder place = Arg.String (fun folder -> place := Some folder) in
  let up_to place =
    Arg.String
      (fun text ->
        match int_of_string_opt text with
        | Some x when x >= 1 && x <= 1000000 && string_of_int x = text -> place := x
        | _ -> raise (Arg.Bad "a limit is a whole number from 1 to 1000000"))
  in
  let accept = ref [] in
  let accepted kinds =
    let known kind = List.mem kind [ "smt"; "coq"; "statistical" ] in
    accept := String.split_on_char ',' kinds;
    if not (List.for_all known !accept) then raise (Arg.Bad "--accept takes smt, coq and statistical") in
  let rec help () = raise (Arg.Help (Arg.usage_string (options ()) usage))
  and options () =
    [ ("--models", folder models, "DIR  Folder with the models; they are found by their SHA-256");
      ("--claims", folder claims, "DIR  Folder with the claim folders (default: proofs)");
      ("--seconds", up_to seconds, "S  Processor time that the check of one file may take (default: 300)");
      ("--memory", up_to memory, "MB  Memory that the check of one file may take (default: 2000)");
      ("--accept", Arg.String accepted, "KINDS  Accept without verification: smt, coq, statistical");
      ("--format", Arg.Symbol ([ "text"; "json" ], fun word -> format := word), "  Form of the output (default: text)");
      ("--quiet", Arg.Set quiet, "  Print nothing; report the result by exit code only");
      ("-h", Arg.Unit help, "  Print this help and exit");
      ("--help", Arg.Unit help, "  Print this help and exit");
      ("-help", Arg.Unit help, "");
      ("--child", Arg.Set is_child, "") ] in
  Arg.parse (options ()) (fun file -> files := file :: !files) usage;
  let files = List.rev !files in
  if files = [] then (prerr_endline "A certificate to check is missing. Run with --help for more information."; exit 2);
  let of_folder name = function Some folder -> [ name; folder ] | None -> [] in
  if !is_child then
    let path = List.hd files in
    let beside = Filename.dirname path in
    let program = try Filename.dirname (Unix.readlink "/proc/self/exe") with Unix.Unix_error _ -> "." in
    let around = [ Filename.concat beside "../proofs"; "proofs" ]
                 @ List.map (Filename.concat program) [ "../../proofs"; "../share/sinkproof/proofs" ] in
    let claims = match !claims with Some place -> [ place ] | None -> around in
    child path claims (Option.to_list !models @ [ beside ]) (List.mem "statistical" !accept)
  else begin
    let arguments = of_folder "--models" !models @ of_folder "--claims" !claims @ (if !accept = [] then [] else [ "--accept"; String.concat "," !accept ]) in
    let one path =
      let o = outcome_of path !seconds !memory arguments in
      let evidence = if o.evidence = "" then "" else Printf.sprintf " (%s)" o.evidence in
      if !format = "text" && not !quiet then
        print_endline (String.concat "  " (List.filter (( <> ) "") [ o.verdict ^ evidence; o.claim; visible path; o.reason ]));
      if !format = "text" && (not !quiet) && o.code = 3 then print_statements o.statements;
      (path, o) in
    let outcomes = List.map one files in
    if !format = "json" && not !quiet then begin
      let rows = List.map (fun (path, o) -> row path o) outcomes in
      print_endline (Json.canonical (Json.Object [ ("schema", Json.Int Z.one); ("files", Json.List rows) ]))
    end;
    exit (match List.find_opt (fun code -> List.exists (fun (_, o) -> o.code = code) outcomes) [ 5; 4; 2; 3 ] with Some code -> code | None -> 0)
  end
