(* Which terms Coq's kernel may have accepted, beyond its own checks: those in which every recursion
   is plain. The guard checker of Coq 8.16 accepts some functions that do not terminate (rocq-prover
   issues 20413, 20455, 20555, 21683), and coqchk agrees with it. This module reads the terms that
   the kernel holds, so no tactic, notation or command can hide a recursion from it.

   A recursion is plain if it defines one function, and each occurrence of that function is applied
   so that its structural argument is a variable bound by a pattern: of a match on the structural
   argument itself, or of a match on such a variable. *)

open Constr

type binder =
  | Other
  | Defined of int * int  (* recursion number, position of its structural argument *)
  | Structural of int     (* the structural argument of that recursion *)
  | Part of int           (* a variable of a pattern, so a part of that argument *)

let refuse name what = CErrors.user_err Pp.(str name ++ str (": " ^ what))

let recursions = ref 0

let others binders = List.map (fun _ -> Other) (Array.to_list binders)

(* [scope] says what each variable is, the innermost first. *)
let rec check name scope term =
  let check_here = check name scope in
  let check_under binders = check name (binders @ scope) in
  let binder n = List.nth scope (n - 1) in
  match kind term with
  | Rel n ->
    (match binder n with
     | Defined _ -> refuse name "a recursive function is passed on without its structural argument"
     | Other | Structural _ | Part _ -> ())
  | Sort Sorts.SProp -> refuse name "the term holds SProp"
  | Sort _ | Const _ | Ind _ | Construct _ -> ()
  | Var _ -> refuse name "a section's variable is left in the term"
  | Cast (inner, _, typ) -> check_here inner; check_here typ
  | Prod (_, typ, body) | Lambda (_, typ, body) -> check_here typ; check_under [Other] body
  | LetIn (_, value, typ, body) -> check_here value; check_here typ; check_under [Other] body
  | App (head, arguments) ->
    (match kind head with
     | Rel n ->
       (match binder n with
        | Defined (recursion, position) ->
          let is_part argument =
            match kind argument with Rel m -> binder m = Part recursion | _ -> false in
          if Array.length arguments <= position || not (is_part arguments.(position)) then
            refuse name
              "the structural argument of a recursive call is not a variable bound by a match on \
               the structural argument; pass that variable itself, with no let, if, match or \
               function around it"
        | Other | Structural _ | Part _ -> ())
     | _ -> check_here head);
    Array.iter check_here arguments
  | Case (info, _, parameters, (binders, result), inversion, matched, branches) ->
    Array.iter check_here parameters;
    check_under (others binders) result;
    (match inversion with
     | NoInvert -> ()
     | CaseInvert { indices } -> Array.iter check_here indices);
    check_here matched;
    let of_pattern =
      match kind matched with
      | Rel n ->
        (match binder n with
         | Structural recursion | Part recursion -> Part recursion
         | Other | Defined _ -> Other)
      | _ -> Other in
    Array.iteri
      (fun i (variables, body) ->
         (* A constructor with a let binds variables that are no parts. *)
         let bound =
           if info.ci_cstr_ndecls.(i) = info.ci_cstr_nargs.(i) then of_pattern else Other in
         check_under (List.map (fun _ -> bound) (Array.to_list variables)) body)
      branches
  | Fix ((positions, _), (_, types, bodies)) ->
    if Array.length bodies <> 1 then
      refuse name "functions are defined by mutual recursion; define one function";
    check_here types.(0);
    incr recursions;
    enter name scope !recursions positions.(0) bodies.(0)
  | CoFix _ -> refuse name "a function is corecursive"
  | Proj (_, record) -> check_here record
  | Int _ | Float _ | Array _ -> refuse name "the term holds a primitive number or array"
  | Meta _ | Evar _ -> refuse name "the term is not complete"

(* The body of a recursion: as many functions as it takes to reach the structural argument. *)
and enter name scope recursion position body =
  let rec go left scope body =
    match kind body with
    | Lambda (_, typ, inner) ->
      check name scope typ;
      if left = 0 then check name (Structural recursion :: scope) inner
      else go (left - 1) (Other :: scope) inner
    | _ -> refuse name "a recursive function does not bind its structural argument" in
  go position (Defined (recursion, position) :: scope) body

let is_ours path =
  match Paths.file_of path with ("Claim" | "Sinkproof") :: _ -> true | _ -> false

(* The kernel's word once more, under its usual checks: a file may have switched one off where Coq forgot
   to say so (issues 20550, 12155). *)
let check_type env name term typ =
  let env = Environ.set_typing_flags (Declareops.safe_flags Conv_oracle.empty) env in
  match Reduction.conv_leq env (Typeops.infer env term).Environ.uj_type typ with
  | () -> ()
  | exception e when CErrors.noncritical e ->
    refuse name "the kernel does not accept the term with all its checks switched on"

(* Every constant and every inductive type of a claim or of the shared theory that is loaded; those of
   [file] are typed once more. *)
let check_all file =
  let env = Global.env () in
  let file = Names.ModPath.MPfile (Libnames.dirpath_of_string file) in
  let constant name body () =
    if is_ours (Names.Constant.modpath name) then begin
      let shown = Names.Constant.to_string name in
      check shown [] body.Declarations.const_type;
      match Global.body_of_constant_body Library.indirect_accessor body with
      | Some (term, _, _) ->
        check shown [] term;
        if Names.ModPath.equal (Names.Constant.modpath name) file then
          check_type env shown term body.Declarations.const_type
      | None -> ()
    end in
  let inductive name types () =
    if is_ours (Names.MutInd.modpath name) then begin
      let open Declarations in
      let shown = Names.MutInd.to_string name in
      if types.mind_finite = CoFinite then refuse shown "a type is coinductive";
      if types.mind_ntypes <> 1 then
        refuse shown "types are defined by mutual induction; define one type";
      (* Of such a definition the kernel may take two values for one (issue 22378). *)
      let has_definition packet =
        packet.mind_consnrealdecls <> packet.mind_consnrealargs
        || Context.Rel.length packet.mind_arity_ctxt
           <> Context.Rel.nhyps packet.mind_arity_ctxt in
      if Array.exists has_definition types.mind_packets then
        refuse shown "a constructor, a record or a parameter holds a definition (:=)";
      let scope = others types.mind_packets in
      Array.iter
        (fun packet ->
           check shown [] (Term.it_mkProd_or_LetIn (mkSort Sorts.set) packet.mind_arity_ctxt);
           Array.iter (check shown scope) packet.mind_user_lc)
        types.mind_packets
    end in
  Environ.fold_constants constant env ();
  Environ.fold_inductives inductive env ()
