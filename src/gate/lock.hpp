// sinkproof.lock beside sinkproof.toml: which bytes a person has accepted as what each claim says
// (claim/said.hpp). A claim may be proved again by anybody; that it still says the same is what the
// lock is for. TOML, a table for each claim: "statement.v" = "<SHA-256>".
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "claim/said.hpp"
#include "exact/error.hpp"

namespace sinkproof::gate {

using Lock = std::map<std::string, claim::Said>;  // by claim id

// Where the lock of a sinkproof.toml is.
std::filesystem::path lock_path(const std::filesystem::path& config);

// Empty when there is none. SP1720: it is no such file.
exact::Result<Lock> read_lock(const std::filesystem::path& path);

// Sorted, a line each, the same bytes for the same lock. SP0203: it cannot be written.
exact::Result<void> write_lock(const std::filesystem::path& path, const Lock& lock);

}  // namespace sinkproof::gate
