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

(* Every term that the kernel holds of the modules: types and bodies of constants, and of types the
   parameters, indices and constructors, which may have neither projections nor schemes. [check] is
   given the name of the constant or type. *)
let iter_terms env is_wanted check =
  let constant name body () =
    if is_wanted (Names.Constant.modpath name) then begin
      let check = check (Names.Label.to_id (Names.Constant.label name)) in
      check body.Declarations.const_type;
      match Global.body_of_constant_body Library.indirect_accessor body with
      | Some (term, _, _) -> check term
      | None -> ()
    end in
  let inductive name types () =
    if is_wanted (Names.MutInd.modpath name) then
      Array.iter
        (fun packet ->
           let open Declarations in
           let check = check packet.mind_typename in
           check (Term.it_mkProd_or_LetIn Constr.mkProp packet.mind_arity_ctxt);
           Array.iter check packet.mind_user_lc)
        types.Declarations.mind_packets in
  Environ.fold_constants constant env ();
  Environ.fold_inductives inductive env ()

(* Greek letters, as a statement spells them. *)
let greek = [
  "alpha"; "beta"; "gamma"; "delta"; "epsilon"; "zeta"; "eta"; "theta"; "iota"; "kappa"; "lambda"; "mu"; "nu"; "xi";
  "omicron"; "pi"; "rho"; "sigma"; "tau"; "upsilon"; "phi"; "chi"; "psi"; "omega" ]

(* What any reader takes for a variable: a letter, perhaps with digits, primes or underscores behind. *)
let is_letter id =
  let name = Names.Id.to_string id in
  let rec stem n =
    if n > 1 && String.contains "0123456789'_" name.[n - 1] then stem (n - 1) else String.sub name 0 n in
  let stem = stem (String.length name) in
  String.length stem = 1 || List.mem (String.uncapitalize_ascii stem) greek

(* Whether a variable of that type could be read as what a library calls by its name, and what is imported here
   shows. A letter could where it has the type of the library's, or where no type is written: in a pattern. *)
let is_of_library env id typ =
  match Nametab.locate_extended (Libnames.qualid_of_ident id) with
  | exception Not_found -> false
  | Globnames.Abbrev _ -> not (is_letter id)
  | Globnames.TrueGlobal found ->
    let from = match modpath found with Some path -> Paths.file_of path | None -> [] in
    let has_type_of_library typ =
      let expected, _ = Typeops.type_of_global_in_context env found in
      let is_sort typ = match Constr.kind (Reduction.whd_all env typ) with Constr.Sort _ -> true | _ -> false in
      Vars.closed0 typ
      && ((is_sort typ && is_sort expected)
          || (match Reduction.conv env typ expected with () -> true | exception Reduction.NotConvertible -> false)) in
    (match from with
     | ("Claim" | "Sinkproof") :: _ -> false
     | [ "Coq"; "Init"; "Specif" ] -> false  (* value, error: of no use in a statement *)
     | _ -> not (is_letter id) || (match typ with None -> true | Some typ -> has_type_of_library typ))

(* Variables of these modules whose name is taken. A recursive function is bound under its own. *)
let check_variables env is_wanted is_taken =
  let rec check own term =
    let is_own id = Names.Id.equal id own in
    let name ?(except = fun _ -> false) binder typ =
      match Context.binder_name binder with
      | Names.Name id when is_taken id typ && not (except id) ->
        refuse ("a variable of " ^ Names.Id.to_string own ^ " is called " ^ Names.Id.to_string id
                ^ ", as a definition or something of Coq's is: give it another name")
      | _ -> () in
    (match Constr.kind term with
     | Constr.Prod (binder, typ, _) | Constr.Lambda (binder, typ, _) | Constr.LetIn (binder, _, typ, _) ->
       name binder (Some typ)
     | Constr.Fix (_, (binders, types, _)) | Constr.CoFix (_, (binders, types, _)) ->
       Array.iteri (fun k binder -> name ~except:is_own binder (Some types.(k))) binders
     | Constr.Case (_, _, _, (binders, _), _, _, branches) ->
       let of_pattern binder = name binder None in
       Array.iter of_pattern binders;
       Array.iter (fun (binders, _) -> Array.iter of_pattern binders) branches
     | _ -> ());
    Constr.iter (check own) term in
  iter_terms env is_wanted check

let is_among names id = List.exists (fun (_, other) -> Names.Id.equal id other) names

(* Of a file that is loaded but not imported, beside what it imports. *)
let check_fresh file =
  let env = Global.env () in
  let path = Names.ModPath.MPfile (Libnames.dirpath_of_string file) in
  let is_own = Names.ModPath.equal path in
  let own = labels_of env is_own in
  let check (_, id) =
    match Nametab.locate_extended (Libnames.qualid_of_ident id) with
    | exception Not_found -> ()
    | _ -> refuse (Names.Id.to_string id ^ " has a meaning already") in
  List.iter check own;
  let definitions = labels_of env is_definitions in
  List.iter check_not_hidden definitions;
  (* A record's own fields are variables of its constructor and of its projections. *)
  let is_no_field (path, id) =
    let name = Names.Constant.make2 path (Names.Label.of_id id) in
    not (Structures.Structure.is_projection name) in
  let of_theory = List.filter is_no_field definitions in
  check_variables env is_definitions (fun id _ -> is_among of_theory id);
  let taken = definitions @ List.filter is_no_field own in
  check_variables env is_own (fun id typ -> is_among taken id || is_of_library env id typ)

(* Of the definition files, beside what they import. A name that one of them defines is shown to readers. *)
let check_fresh_definitions () =
  let env = Global.env () in
  let definitions = labels_of env is_definitions in
  check_variables env is_definitions
    (fun id typ -> not (is_among definitions id) && is_of_library env id typ)

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
