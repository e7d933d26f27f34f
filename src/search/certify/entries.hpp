// What all searches state alike: witnesses, bounds, the words for rows, the certificate around the
// properties (src/checker/certificate/CHECKPOINT_RULES.md, 4.1), and which properties were asked
// for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certify/certify.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// One property, and what the certificate states of it; none where it is unknown.
struct Decided {
  Property property;
  std::optional<certificate::Property> stated{};
  std::optional<exact::Error> failure{};  // why it could not be decided at all
};

// "1 <= i < j" and the like; of properties of attention from row 2 on.
std::string rows_text(RowClass rows, bool from_two);

certificate::Witness stated_witness(const Witness& witness);

// `property`, a bound of this name with ends and a witness, as proved.
certificate::Property stated_bound(const Property& property, certificate::Proof by);

// sup-loss, of which all rows' losses are parts.
Decided largest_loss(const std::vector<const Property*>& parts);

// The certificate without properties and what proves them.
certificate::Checkpoint certificate_of(const model::AttentionModel& model, const Options& options);

// Those of `all` that are asked for, and the ones their proofs refer to, in the order of `all`.
// SP1402: a name that is not among them.
exact::Result<std::vector<std::string>> named_properties(const model::AttentionModel& model,
                                                         const std::vector<std::string>& asked,
                                                         const std::vector<std::string>& all);

}  // namespace sinkproof::certify
