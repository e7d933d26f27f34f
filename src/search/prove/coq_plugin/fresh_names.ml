(* What a statement file calls by a new name must not have meant something before: a reader would take
   it for what it meant. Names are those the kernel holds, whatever form introduced them. *)

let refuse what = CErrors.user_err Pp.(str what)

let labels_of env is_wanted =
  let add label found = if List.mem label found then found else label :: found in
  let constant name _ found =
    let path = Names.Constant.modpath name in
    if is_wanted path then add (path, Names.Label.to_id (Names.Constant.label name)) found
    else found in
  let inductive name types found =
    let path = Names.MutInd.modpath name in
    if not (is_wanted path) then found
    else
      Array.fold_left
        (fun found packet ->
           let open Declarations in
           Array.fold_left (fun found id -> add (path, id) found)
             (add (path, packet.mind_typename) found) packet.mind_consnames)
        found types.Declarations.mind_packets in
  Environ.fold_inductives inductive env (Environ.fold_constants constant env [])

let is_definitions path =
  match Paths.file_of path with "Sinkproof" :: "definitions" :: _ -> true | _ -> false

(* A definition that something imported behind it has taken the name of. *)
let modpath = function
  | Names.GlobRef.ConstRef name -> Some (Names.Constant.modpath name)
  | Names.GlobRef.IndRef (name, _) | Names.GlobRef.ConstructRef ((name, _), _) ->
    Some (Names.MutInd.modpath name)
  | Names.GlobRef.VarRef _ -> None

let check_not_hidden (path, id) =
  let is_it = function
    | Globnames.TrueGlobal found -> Option.equal Names.ModPath.equal (modpath found) (Some path)
    | Globnames.Abbrev _ -> false in
  match Nametab.locate_extended (Libnames.qualid_of_ident id) with
  | exception Not_found -> ()
  | found ->
    if not (is_it found) then
      refuse (Names.Id.to_string id ^ ", which " ^ Names.ModPath.to_string path
              ^ " defines, means something else here: import that file last")

(* Variables within a file's definitions that bear the name of one of the theory's. *)
let check_variables env path definitions =
  let rec check term =
    let name binder =
      match Context.binder_name binder with
      | Names.Name id when List.exists (fun (_, other) -> Names.Id.equal id other) definitions ->
        refuse ("a variable is called " ^ Names.Id.to_string id ^ ", as a definition is")
      | _ -> () in
    (match Constr.kind term with
     | Constr.Prod (binder, _, _) | Constr.Lambda (binder, _, _) | Constr.LetIn (binder, _, _, _) ->
       name binder
     | Constr.Case (_, _, _, (binders, _), _, _, branches) ->
       Array.iter name binders;
       Array.iter (fun (binders, _) -> Array.iter name binders) branches
     | _ -> ());
    Constr.iter check term in
  let constant name body () =
    if Names.ModPath.equal (Names.Constant.modpath name) path then begin
      check body.Declarations.const_type;
      match Global.body_of_constant_body Library.indirect_accessor body with
      | Some (term, _, _) -> check term
      | None -> ()
    end in
  Environ.fold_constants constant env ()

(* Of a file that is loaded but not imported, beside what it imports. *)
let check_fresh file =
  let env = Global.env () in
  let path = Names.ModPath.MPfile (Libnames.dirpath_of_string file) in
  let check (_, id) =
    match Nametab.locate_extended (Libnames.qualid_of_ident id) with
    | exception Not_found -> ()
    | _ -> refuse (Names.Id.to_string id ^ " has a meaning already") in
  List.iter check (labels_of env (Names.ModPath.equal path));
  let definitions = labels_of env is_definitions in
  List.iter check_not_hidden definitions;
  check_variables env path definitions

(* No two definition files of the theory that are loaded introduce one name. *)
let check_distinct () =
  let seen = Hashtbl.create 500 in
  List.iter
    (fun (path, id) ->
       match Hashtbl.find_opt seen id with
       | Some other ->
         refuse (Printf.sprintf "%s is defined by %s and by %s" (Names.Id.to_string id)
                   (Names.ModPath.to_string other) (Names.ModPath.to_string path))
       | None -> Hashtbl.add seen id path)
    (labels_of (Global.env ()) is_definitions)
