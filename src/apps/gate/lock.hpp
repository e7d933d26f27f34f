// sinkproof.lock beside sinkproof.toml: what a person has read and accepted as what the gate asks,
// and of what. A table for each claim and checkpoint, a line for each field and each entry of a
// list, always in the same order: a reviewer of a pull request reads its diff.
#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::gate {

// What is asked of one item: the values of each field (asked.hpp), one or a list.
using Asked = std::map<std::string, std::vector<std::string>>;

struct ItemName {
  std::string suite;  // "theory", "claims", "checkpoints", "models"
  std::string name;   // a shipped claim's id, a claim folder seen from sinkproof.toml, a model
  auto operator<=>(const ItemName&) const = default;
};

using Lock = std::map<ItemName, Asked>;

// Where the lock of a sinkproof.toml is.
std::filesystem::path lock_path(const std::filesystem::path& config);

// Nothing when there is none. SP1720: a link, or a file of another form than write_lock's, such as
// an earlier version's. SP0201, SP0202: it cannot be read.
exact::Result<std::optional<Lock>> read_lock(const std::filesystem::path& path);

// The same bytes for the same lock, in ASCII. SP0203: it cannot be written.
exact::Result<void> write_lock(const std::filesystem::path& path, const Lock& lock);

// How what is asked now differs from what was accepted, field by field, in words; "" when it does
// not.
std::string difference(const Asked& accepted, const Asked& now);

}  // namespace sinkproof::gate
