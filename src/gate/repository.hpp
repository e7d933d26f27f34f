// Where things are: the repository the gate runs in, which the places in its findings are relative
// to, and the folder sinkproof's own theorems were installed in.
#pragma once

#include <filesystem>
#include <string>

#include "exact/error.hpp"

namespace sinkproof::gate {

// The nearest folder at or above `folder` that holds .git; `folder` itself when there is none.
std::filesystem::path repository_root(const std::filesystem::path& folder);

// `path` seen from the root, with '/' between its parts; its file name alone when it lies outside.
std::string seen_from(const std::filesystem::path& root, const std::filesystem::path& path);

// The folder with proofs/ and certificates/ that this program came with: ../share/sinkproof, or
// two levels above it (a build tree): in this order, for a program unpacked in somebody's
// repository has that repository's own claims two levels above it. SP1719: there is none.
exact::Result<std::filesystem::path> shipped_folder();

}  // namespace sinkproof::gate
