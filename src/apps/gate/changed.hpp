// What a pull request leaves as it was (--only-changed BASE). When in doubt a thing has changed:
// only what git tracks, and what it finds equal to the base, need not be decided again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::gate {

class Unchanged {
 public:
  // The point where HEAD left `base` (a branch, a tag, a commit), in the repository that holds
  // `folder`. SP1704: git is not installed, this is not a repository, the base does not exist or no
  // common ancestor (a shallow clone has none).
  static exact::Result<Unchanged> since(const std::string& base,
                                        const std::filesystem::path& folder);

  // Whether every path (a file, or a folder with all that is in it) is tracked, is neither reached
  // through a symbolic link nor holds one, holds nothing untracked or ignored and no submodule, and
  // has the base's bytes in the working tree, unfiltered; those of `if_any` may instead be absent
  // now and in the base. SP1704: git failed.
  [[nodiscard]] exact::Result<bool> holds_for(
      const std::vector<std::filesystem::path>& paths,
      const std::vector<std::filesystem::path>& if_any) const;

 private:
  Unchanged(std::string git, std::filesystem::path folder, std::string commit)
      : git_(std::move(git)), folder_(std::move(folder)), commit_(std::move(commit)) {}
  [[nodiscard]] exact::Result<bool> is_unchanged(const std::filesystem::path& path) const;
  [[nodiscard]] exact::Result<bool> was_and_is_absent(const std::filesystem::path& path) const;
  [[nodiscard]] exact::Result<bool> has_bytes_of_base(const std::filesystem::path& path) const;

  std::string git_;
  std::filesystem::path folder_;
  std::string commit_;
};

}  // namespace sinkproof::gate
