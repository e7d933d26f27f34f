(* Coq's own functions on whole numbers, as they are, for mappings.ml. *)
From Coq Require Import ZArith Extraction ExtrOcamlBasic.
Extraction "plain.ml" Z.add Z.sub Z.mul Z.opp Z.abs Z.max Z.min Z.eqb Z.leb Z.ltb Z.div Z.pow Z.shiftl Z.shiftr Z.log2_up Z.of_nat Z.to_nat.
