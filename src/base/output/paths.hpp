// The files a command reads and writes, checked together before it starts: no output takes the
// place of an input or of another output, and every output can be written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::output {

enum class Use {
  kReads,     // a file, or a folder of which checkpoints and language models' files are read
  kReadsAll,  // a file, or a folder of which any file may be read, at any depth
  kReadsCertificate,      // a file; models are looked for in its folder
  kWrites,                // a file
  kWritesBeginning,       // files whose names begin with this path and end in .safetensors
  kWritesFolder,          // a folder; it and its parents are made where they are missing
  kReadsAndWritesFolder,  // a folder whose files are written again by this command alone
};

struct UsedPath {
  std::string option;  // as messages name it: "--output"
  std::filesystem::path path;
  Use use;
};

// Checks all paths of a command. Files are the same when device and inode are, whatever they are
// called; what does not exist yet is known by its folder and name. From then on replace() refuses
// to replace an input, which holds for names that only the run makes.
// SP0204: an output is an input, or two outputs are one file. SP0203: an output is in no folder
// that may be written, or what has its name is not a regular file (a folder, for kWritesFolder).
exact::Result<void> check_paths(const std::vector<UsedPath>& paths);

// SP0204 if `path` is an input of the last check_paths().
exact::Result<void> check_not_read(const std::filesystem::path& path);

}  // namespace sinkproof::output
