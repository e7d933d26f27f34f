// Thresholds that a certification has to meet.
#pragma once

#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "claim/requirement.hpp"
#include "exact/error.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

// Each text as requirements on single properties of the model. SP1302, SP1314: claim::expand;
// `where` is where they were said.
exact::Result<std::vector<claim::Requirement>> read_requirements(
    const std::vector<std::string>& texts, const model::AttentionModel& model,
    const std::string& where);

// A search for some properties only looks for the required ones too.
void add_required(const std::vector<claim::Requirement>& requirements, Options& options);

// A requirement on one property, and what its bounds [lower, upper] make of it.
struct Decision {
  claim::Requirement requirement;
  std::size_t property = 0;  // in certification.properties
  claim::Verdict verdict = claim::Verdict::kUnknown;

  // The side of the bounds that refutes it: the lower one, else the upper one.
  [[nodiscard]] bool refuted_from_below(const Property& of) const {
    return claim::refuted_from_below(requirement, of.lower);
  }
};

// Sets the verdicts of required properties, of several requirements on one the worst.
std::vector<Decision> decide(const std::vector<claim::Requirement>& requirements,
                             Certification& certification);

// The exit code (docs/DESIGN.md) of all of them and of properties that stayed unknown.
int exit_code(const std::vector<Decision>& decisions, const Certification& certification);

}  // namespace sinkproof::certify
