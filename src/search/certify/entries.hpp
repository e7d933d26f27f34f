// What all searches write alike: witnesses, the words for rows, the object around the properties
// (src/checker/certificate/CHECKPOINT_RULES.md, 4.1), and which properties were asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// One property and its entry in the certificate.
struct Decided {
  Property property;
  json::Value entry;
  std::optional<exact::Error> failure{};  // why it could not be decided at all
};

// "1 <= i < j" and the like; of properties of attention from row 2 on.
std::string rows_text(RowClass rows, bool from_two);

json::Value witness_entry(const Witness& witness);

json::Value checkpoint_object(const model::AttentionModel& model, const Options& options,
                              const TriggerRange& triggers, json::Value ranges,
                              json::Value properties);

// Those of `all` that are asked for, and the ones their proofs refer to, in the order of `all`.
// SP1402: a name that is not among them.
exact::Result<std::vector<std::string>> named_properties(const model::AttentionModel& model,
                                                         const std::vector<std::string>& asked,
                                                         const std::vector<std::string>& all);

}  // namespace sinkproof::certify
