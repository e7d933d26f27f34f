(** * The check as an OCaml program

    Whole numbers become those of tools/verified/whole.ml, which are Zarith's.  Natural numbers, which
    count rows and coordinates, become OCaml's int; the program bounds what it counts before it calls
    [check]. *)

From Coq Require Import ZArith Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Verified Require Import check.

Extract Inductive positive => "Whole.t"
  [ "Whole.twice_and_one" "Whole.twice" "Whole.one" ] "Whole.match_positive".
Extract Inductive Z => "Whole.t" [ "Whole.zero" "" "Whole.negative" ] "Whole.match_whole".

Extract Inlined Constant Z.add => "Whole.add".
Extract Inlined Constant Z.sub => "Whole.sub".
Extract Inlined Constant Z.mul => "Whole.mul".
Extract Inlined Constant Z.opp => "Whole.opp".
Extract Inlined Constant Z.abs => "Whole.abs".
Extract Inlined Constant Z.max => "Whole.max".
Extract Inlined Constant Z.min => "Whole.min".
Extract Inlined Constant Z.eqb => "Whole.eqb".
Extract Inlined Constant Z.leb => "Whole.leb".
Extract Inlined Constant Z.ltb => "Whole.ltb".
Extract Inlined Constant Z.div => "Whole.div".
Extract Inlined Constant Z.pow => "Whole.pow".
Extract Inlined Constant Z.shiftl => "Whole.shiftl".
Extract Inlined Constant Z.shiftr => "Whole.shiftr".
Extract Inlined Constant Z.log2_up => "Whole.log2_up".
Extract Inlined Constant Z.of_nat => "Whole.of_nat".
Extract Inlined Constant Z.to_nat => "Whole.to_nat".

Extraction "checker.ml" check.check.
