// Where things are: the repository the gate runs in, which the places in its findings are relative
// to, and the folder sinkproof's own theorems were installed in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::gate {

// The nearest folder at or above `folder` that holds .git; `folder` itself when there is none.
std::filesystem::path repository_root(const std::filesystem::path& folder);

// `path` seen from the root, with '/' between its parts; its file name alone when it lies outside.
std::string seen_from(const std::filesystem::path& root, const std::filesystem::path& path);

// Whether `inner` is `outer` or lies below it. Both absolute, without links.
bool is_within(const std::filesystem::path& inner, const std::filesystem::path& outer);

// Whether it lies in the repository and in no .git folder. Absolute, without links.
bool is_of_repository(const std::filesystem::path& path, const std::filesystem::path& root);

struct Output {
  std::filesystem::path folder;  // of the reports, seen from `base` unless it is absolute
  std::filesystem::path base;
  std::filesystem::path config;             // the folder of sinkproof.toml
  std::vector<std::filesystem::path> kept;  // folders that hold other files, such as proofs/
};

// Whether the gate may write its reports there. SP1702 where it is the repository's root, lies in a
// .git folder or in one of those to be kept (but for such as hold sinkproof.toml itself), leads
// through a symbolic link of the repository, or is not a folder. Nothing is written.
exact::Result<void> check_output(const Output& output, const std::filesystem::path& root);

// The folder with proofs/ and certificates/ that this program came with: ../share/sinkproof, or
// two levels above it (a build tree): in this order, for a program unpacked in somebody's
// repository has that repository's own claims two levels above it. SP1719: there is none.
exact::Result<std::filesystem::path> shipped_folder();

}  // namespace sinkproof::gate
