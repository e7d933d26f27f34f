(* sinkproof-check-verified: accepts a certificate where Checker.check, which is proved in proofs/checker, does. *)

let usage = "Usage: sinkproof-check-verified [--models DIR] [--claims DIR] FILE ..."

let check path claims models =
  let folder = Filename.dirname path in
  let claims = match claims with Some place -> [ place ] | None -> [ Filename.concat folder "../proofs"; "proofs" ] in
  let models = Option.to_list models @ [ folder ] in
  match Certificate.read path claims models with
  | certificate, remarks ->
    if Checker.check certificate then (0, "proved (exact)", String.concat "; " remarks)
    else (4, "rejected", "the properties are not shown by the forward pass")
  | exception Json.Refused what -> (4, "rejected", what)
  | exception Files.Missing what -> (2, "unknown", what)
  | exception Certificate.Not_covered what ->
    (3, "unknown", what ^ " is not covered by this checker; use sinkproof-check")
  | exception Stack_overflow -> (3, "unknown", "the check needs more stack; allow more with ulimit -s")
  | exception Out_of_memory -> (3, "unknown", "the check needs more memory")

let () =
  let claims = ref None and models = ref None and files = ref [] in
  let keep place = Arg.String (fun folder -> place := Some folder) in
  let options = [ ("--models", keep models, "DIR  folder with the models"); ("--claims", keep claims, "DIR  folder with the claim folders") ] in
  Arg.parse options (fun file -> files := file :: !files) usage;
  if !files = [] then (Arg.usage options usage; exit 2);
  let outcome path =
    let code, verdict, reason = check path !claims !models in
    print_endline (String.concat "  " (List.filter (( <> ) "") [ verdict; String.escaped path; String.escaped reason ]));
    code in
  let codes = List.map outcome (List.rev !files) in
  exit (match List.find_opt (fun code -> List.mem code codes) [ 5; 4; 2; 3 ] with Some code -> code | None -> 0)
