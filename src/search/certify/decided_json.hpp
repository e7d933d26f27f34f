// A decided property as a journal keeps it (journal.hpp).
#pragma once

#include <optional>
#include <vector>

#include "certify/entries.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// Of bounds and of what is sampled; of no theorem. Without the seconds.
json::Value to_json(const std::vector<Decided>& decided);

// The inverse; nothing for anything else than such a value. An enclosed property has both bounds
// and an entry that names its proof's rule.
std::optional<std::vector<Decided>> decided_from_json(const json::Value& value);

}  // namespace sinkproof::certify
