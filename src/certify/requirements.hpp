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

// Sets the verdicts of required properties, of several requirements on one the worst; the exit code
// (docs/DESIGN.md) of all of them and of properties that stayed unknown.
int decide(const std::vector<claim::Requirement>& requirements, Certification& certification);

}  // namespace sinkproof::certify
