(* The hypotheses of a sentence, so that somebody can be asked to show that they hold together.

   Each [forall x : A] becomes [exists x : A], each [H ->] becomes [H /\], and conjunctions are
   entered. The conclusion drops out, but only if its head is known to be no hypothesis in disguise.
   A sentence whose hypotheses are True needs no example. A binder counts as a hypothesis, too, unless
   its type is one of those below, which everybody knows to have an element. *)

open Constr

let refuse what = CErrors.user_err Pp.(str what)

let path_of reference =
  Libnames.string_of_path (Nametab.path_of_global reference)

let is_claim path = match Paths.file_of path with "Claim" :: _ -> true | _ -> false

let push name domain env =
  Environ.push_rel (Context.Rel.Declaration.LocalAssum (name, domain)) env

(* To a head that is no definition of the claim's own. *)
let rec head_form env term =
  let term = Reduction.whd_betaiotazeta env term in
  let head, arguments = decompose_app term in
  match kind head with
  | Const (name, instance) when is_claim (Names.Constant.modpath name) ->
    (match Environ.constant_opt_value_in env (name, instance) with
     | Some body -> head_form env (Term.applist (body, arguments))
     | None -> term)
  | _ -> term

(* Types with an element: numbers, truth values, lists and pairs of such, functions to such. *)
let plain_types = [
  "Coq.Init.Datatypes.nat"; "Coq.Init.Datatypes.bool"; "Coq.Init.Datatypes.unit";
  "Coq.Numbers.BinNums.Z"; "Coq.Numbers.BinNums.N"; "Coq.Numbers.BinNums.positive";
  "Coq.QArith.QArith_base.Q"; "Coq.Reals.Rdefinitions.RbaseSymbolsImpl.R";
  "Coq.Init.Datatypes.list"; "Coq.Init.Datatypes.option" ]

let rec has_element env typ =
  let typ = Reduction.whd_all env typ in
  match kind typ with
  | Sort _ -> true
  | Prod (name, domain, codomain) ->
    has_element (push name domain env) codomain
  | _ ->
    let head, arguments = decompose_app typ in
    (match kind head with
     | Const (name, _) -> List.mem (path_of (Names.GlobRef.ConstRef name)) plain_types
     | Ind (name, _) ->
       let path = path_of (Names.GlobRef.IndRef name) in
       List.mem path plain_types
       || (path = "Coq.Init.Datatypes.prod" && List.for_all (has_element env) arguments)
     | _ -> false)

(* What a conclusion may say: a relation of numbers or a limit, what a variable stands for, or what the
   shared theory defines. *)
let plain_relations = [
  "Coq.Init.Logic.eq"; "Coq.Init.Logic.False"; "Coq.Init.Peano.le";
  "Coq.Init.Peano.lt"; "Coq.Init.Peano.ge"; "Coq.Init.Peano.gt"; "Coq.ZArith.BinInt.Z.le";
  "Coq.ZArith.BinInt.Z.lt"; "Coq.ZArith.BinInt.Z.ge"; "Coq.ZArith.BinInt.Z.gt";
  "Coq.NArith.BinNat.N.le"; "Coq.NArith.BinNat.N.lt"; "Coq.QArith.QArith_base.Qle"; "Coq.QArith.QArith_base.Qlt";
  "Coq.QArith.QArith_base.Qeq"; "Coq.Reals.Rdefinitions.Rle";
  "Coq.Reals.Rdefinitions.RbaseSymbolsImpl.Rlt"; "Coq.Reals.Rdefinitions.Rge";
  "Coq.Reals.Rdefinitions.Rgt"; "Coq.Reals.Raxioms.is_lub"; "Coq.Reals.Ranalysis1.derivable_pt_lim"; "Coq.Reals.Rseries.Un_cv";
  "Coquelicot.Derive.is_derive"; "Coquelicot.Lim_seq.is_lim_seq"; "Coquelicot.Continuity.is_lim";
  "Coquelicot.RInt.is_RInt" ]

let connectives = [
  "Coq.Init.Logic.and"; "Coq.Init.Logic.or"; "Coq.Init.Logic.iff"; "Coq.Init.Logic.not" ]

let is_definition path =
  let root = "Sinkproof.definitions." in
  String.length path > String.length root && String.sub path 0 (String.length root) = root

(* [open_records]: those whose fields are being read. *)
let rec check_conclusion open_records env term =
  let term = head_form env term in
  let check = check_conclusion open_records in
  match kind term with
  | Prod (name, domain, body) | Lambda (name, domain, body) -> check (push name domain env) body
  | Rel _ -> ()
  | _ ->
    let head, arguments = decompose_app term in
    let refuse_head path =
      refuse ("the conclusion is stated by " ^ path ^ ", which could hide a hypothesis: state it by \
                relations of numbers, equality, and, or, not, iff, exists and records of such, or define it in \
                theory/definitions") in
    (match kind head with
     | Rel _ -> ()
     | Const (name, _) -> check_path refuse_head check env (Names.GlobRef.ConstRef name) arguments
     | Ind (name, instance) ->
       if is_claim (Names.MutInd.modpath (fst name)) then
         check_record open_records refuse_head env (name, instance)
       else check_path refuse_head check env (Names.GlobRef.IndRef name) arguments
     | _ -> refuse_head "a term that is no relation")

and check_path refuse_head check env reference arguments =
  let path = path_of reference in
  if path = "Coq.Init.Logic.ex" then check env (List.nth arguments 1)
  else if List.mem path connectives then List.iter (check env) arguments
  else if not (List.mem path plain_relations || is_definition path) then refuse_head path

(* A record of the claim's own says what its fields say, and has at least one. *)
and check_record open_records refuse_head env (name, instance) =
  let path = path_of (Names.GlobRef.IndRef name) in
  let types, packet = Inductive.lookup_mind_specif env name in
  let open Declarations in
  if List.mem path open_records || Array.length packet.mind_consnames <> 1
     || packet.mind_consnrealargs.(0) = 0 then refuse_head path;
  let rec go parameters env constructor =
    match kind (Reduction.whd_betaiotazeta env constructor) with
    | Prod (binder, domain, body) ->
      if parameters = 0 then begin
        let sort =
          Retyping.get_sort_family_of env (Evd.from_env env) (EConstr.of_constr domain) in
        if sort = Sorts.InProp then check_conclusion (path :: open_records) env domain
      end;
      go (max 0 (parameters - 1)) (push binder domain env) body
    | _ -> () in
  go types.mind_nparams env
    (Inductive.type_of_constructor ((name, 1), instance) (types, packet))

let logical name = UnivGen.constr_of_monomorphic_global (Global.env ()) (Coqlib.lib_ref name)

let conjunction left right =
  match left, right with
  | None, other | other, None -> other
  | Some left, Some right ->
    Some (mkApp (logical "core.and.type", [| left; right |]))

(* None where there are none. *)
let rec hypotheses env sigma term =
  let term = head_form env term in
  match kind term with
  | Prod (name, domain, body) ->
    let inner = push name domain env in
    let rest = hypotheses inner sigma body in
    let sort = Retyping.get_sort_family_of env sigma (EConstr.of_constr domain) in
    let exists_such body =
      Some (mkApp (logical "core.ex.type", [| domain; mkLambda (name, domain, body) |])) in
    if sort = Sorts.InProp && Vars.noccurn 1 body then
      conjunction (Some domain) (Option.map (Vars.lift (-1)) rest)
    else
      (match rest with
       | Some body -> exists_such body
       | None when sort <> Sorts.InProp && has_element env domain -> None
       | None -> exists_such (logical "core.True.type"))
  | _ ->
    let head, arguments = decompose_app term in
    (match kind head, arguments with
     | Ind (name, _), [left; right]
       when path_of (Names.GlobRef.IndRef name) = "Coq.Init.Logic.and" ->
       conjunction (hypotheses env sigma left) (hypotheses env sigma right)
     | _ -> check_conclusion [] env term; None)

(* Defines [name] as the hypotheses of the sentence. *)
let define name sentence =
  let env = Global.env () in
  let sigma = Evd.from_env env in
  let term = match sentence with
    | Names.GlobRef.ConstRef constant -> mkConst constant
    | _ -> refuse "a sentence is a Definition" in
  let body = match hypotheses env sigma term with Some body -> body | None -> logical "core.True.type" in
  let body = EConstr.of_constr body in
  let sigma, _ = Typing.type_of env sigma body in
  let info = Declare.Info.make () in
  let cinfo = Declare.CInfo.make ~name ~typ:None () in
  ignore (Declare.declare_definition ~info ~cinfo ~opaque:false ~body sigma)
