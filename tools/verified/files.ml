(* Files, hashes of claim folders and of models (FORMAT.md, section 2). *)

open Json

exception Missing of string

let missing what = raise (Missing what)

let read path limit =
  match open_in_bin path with
  | exception Sys_error what -> missing what
  | channel ->
    Fun.protect ~finally:(fun () -> close_in channel) (fun () ->
        if (Unix.fstat (Unix.descr_of_in_channel channel)).st_kind <> Unix.S_REG then missing (path ^ ": not a regular file");
        let length = in_channel_length channel in
        require (length <= limit) (Printf.sprintf "%s is longer than %d bytes" path limit);
        really_input_string channel length)

let sha256 text = Sha256.to_hex (Sha256.string text)

let hash_string value what =
  let found = text value what in
  let is_hex c = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') in
  require (String.length found = 64 && String.for_all is_hex found) (what ^ " is not a hash");
  found

let left_out name =
  let ends = List.exists (Filename.check_suffix name) [ ".vo"; ".vok"; ".vos"; ".glob" ] in
  List.mem name [ "README.md"; ".lia.cache"; ".nia.cache" ] || ends
  || (name.[0] = '.' && Filename.check_suffix name ".aux")

let claim_files folder =
  let fit c = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || String.contains "._-" c in
  let rec walk relative depth =
    let names = try Sys.readdir (Filename.concat folder relative) with Sys_error what -> missing what in
    List.concat_map
      (fun name ->
         let path = if relative = "" then name else relative ^ "/" ^ name in
         let kind = (Unix.lstat (Filename.concat folder path)).st_kind in
         if kind = Unix.S_REG && left_out name then []
         else begin
           require (String.for_all fit name) "the claim folder holds a name with a forbidden character";
           match kind with
           | Unix.S_REG -> [ path ]
           | Unix.S_DIR ->
             require (depth < 8) "the claim folder is more than 8 folders deep";
             walk path (depth + 1)
           | _ -> refuse "the claim folder holds something that is neither file nor folder"
         end)
      (Array.to_list names) in
  walk "" 0

let claim_hash folder =
  let kind = (Unix.lstat folder).st_kind in
  require (kind <> Unix.S_LNK) "the claim folder is a link";
  require (kind = Unix.S_DIR) "the claim folder is not a folder";
  let files = List.sort compare (claim_files folder) in
  require (files <> []) "the claim folder holds no file";
  require (List.length files <= 1000) "the claim folder holds more than 1000 files";
  let together = ref 0 in
  let line path =
    let bytes = read (Filename.concat folder path) 16777216 in
    together := !together + String.length bytes;
    require (!together <= 268435456) "the claim folder holds more than 268435456 bytes";
    Printf.sprintf "%s\000%s\n" path (sha256 bytes) in
  sha256 (String.concat "" (List.map line files))

let max_model = 1 lsl 32

(* The safetensors file of one of the folders that has this SHA-256. *)
let find_model hash folders =
  let is_model name = Filename.extension name = ".safetensors" in
  let has_hash path =
    try
      let stat = Unix.stat path in
      stat.st_kind = Unix.S_REG && stat.st_size <= max_model && Sha256.to_hex (Sha256.file path) = hash
    with Unix.Unix_error _ | Sys_error _ -> false in
  let in_folder folder =
    let names = try Sys.readdir folder with Sys_error what -> missing what in
    Array.sort compare names;
    List.map (Filename.concat folder) (List.filter is_model (Array.to_list names)) in
  match List.find_opt has_hash (List.concat_map in_folder folders) with
  | Some path -> path
  | None -> missing ("no model with SHA-256 " ^ hash)
