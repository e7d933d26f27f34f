// How Coq's compiler is run: with an empty environment, with the folders it may load from named one
// by one, without its virtual machine and its native compiler, and, where asked, in a sandbox. So
// what is installed, set or left elsewhere on the machine cannot take the place of a file that was
// read, and what a file of somebody else's does stays in its folder.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

class CoqProgram {
 public:
  // A folder on disk and the name its files have, with those of folders below it ("Sinkproof").
  using Mapping = std::pair<std::filesystem::path, std::string>;

  // SP0701: coqc or its standard library is not installed; the commands that questions are asked by
  // (coq_plugin/) are not beside this program; a sandbox is asked for and bwrap is not installed.
  static exact::Result<CoqProgram> find(bool in_sandbox);

  // Compiles `file` in `folder`: what Coq complains of, "" where it accepts. In a sandbox (bwrap)
  // there is no network, and nothing but `folder` can be written to. SP0701: it cannot be started.
  // SP0710: it ran out of time.
  [[nodiscard]] exact::Result<std::string> compile(const std::string& file,
                                                   const std::filesystem::path& folder,
                                                   const std::vector<Mapping>& mappings,
                                                   const std::string& where) const;

 private:
  std::vector<std::string> command_;  // what stands before the mappings
  std::string sandbox_;               // bwrap's path, "" where none is asked for
};

}  // namespace sinkproof::prove
