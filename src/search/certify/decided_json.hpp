// A decided property as a journal keeps it (journal.hpp).
#pragma once

#include <optional>
#include <vector>

#include "certify/entries.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// Of bounds and of what is sampled; of no theorem. Without the seconds. `whole` is the certificate
// they are for.
json::Value to_json(const std::vector<Decided>& decided, const certificate::Checkpoint& whole);

// The inverse; nothing for anything else than such a value. An enclosed property has both bounds
// and what the certificate, which says the rest of `whole`, states of it.
std::optional<std::vector<Decided>> decided_from_json(const json::Value& value,
                                                      const certificate::Checkpoint& whole);

}  // namespace sinkproof::certify
