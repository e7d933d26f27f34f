(* The name of the file that a module is in, from its root: "Sinkproof"; "definitions"; "task". *)
let rec file_of = function
  | Names.ModPath.MPfile folder -> List.rev_map Names.Id.to_string (Names.DirPath.repr folder)
  | Names.ModPath.MPdot (outer, _) -> file_of outer
  | Names.ModPath.MPbound _ -> []
