#include "claim/authoring_step.hpp"

#include <algorithm>

namespace sinkproof::claim {
namespace {

struct CodeRange {
  std::string_view first;
  std::string_view last;  // inclusive
  AuthoringStep step;
};

// Increasing, without overlap. Codes have one length, so they compare as text.
constexpr CodeRange kRanges[] = {
    // Rationals, files, JSON, safetensors: what the evidence is made of.
    {"SP0101", "SP0202", AuthoringStep::kShow},
    {"SP0203", "SP0204", AuthoringStep::kRun},
    {"SP0205", "SP0205", AuthoringStep::kShow},
    {"SP0301", "SP0405", AuthoringStep::kShow},
    {"SP0501", "SP0501", AuthoringStep::kSay},
    {"SP0502", "SP0502", AuthoringStep::kRun},
    {"SP0503", "SP0504", AuthoringStep::kShow},
    {"SP0505", "SP0505", AuthoringStep::kRun},
    // claim.toml and its folder; then a pinned model and the thresholds on it.
    {"SP0601", "SP0609", AuthoringStep::kSay},
    {"SP0610", "SP0610", AuthoringStep::kShow},
    {"SP0611", "SP0611", AuthoringStep::kClose},
    {"SP0612", "SP0613", AuthoringStep::kSay},
    // Solvers, Coq, exact evidence.
    {"SP0701", "SP0701", AuthoringStep::kRun},
    {"SP0702", "SP0703", AuthoringStep::kShow},
    {"SP0704", "SP0704", AuthoringStep::kRun},
    {"SP0705", "SP0707", AuthoringStep::kShow},
    {"SP0708", "SP0708", AuthoringStep::kRun},
    {"SP0709", "SP0717", AuthoringStep::kShow},
    {"SP0718", "SP0718", AuthoringStep::kRun},
    {"SP0719", "SP0723", AuthoringStep::kShow},
    {"SP0724", "SP0724", AuthoringStep::kSay},
    // The trusted checker: stale certificates are made again, wrong evidence is corrected.
    {"SP0801", "SP0802", AuthoringStep::kRun},
    {"SP0803", "SP0807", AuthoringStep::kShow},
    {"SP0808", "SP0808", AuthoringStep::kRun},
    {"SP0809", "SP0809", AuthoringStep::kShow},
    {"SP0810", "SP0810", AuthoringStep::kRun},
    {"SP0901", "SP0901", AuthoringStep::kShow},
    {"SP0902", "SP0999", AuthoringStep::kRun},
    // Models, thresholds, what certify refuses.
    {"SP1101", "SP1115", AuthoringStep::kShow},
    {"SP1301", "SP1301", AuthoringStep::kRun},
    {"SP1302", "SP1302", AuthoringStep::kSay},
    {"SP1303", "SP1304", AuthoringStep::kRun},
    {"SP1310", "SP1314", AuthoringStep::kSay},
    {"SP1401", "SP1405", AuthoringStep::kShow},
};

}  // namespace

std::string to_string(AuthoringStep step) {
  switch (step) {
    case AuthoringStep::kSay:
      return "step 1 of 4 in adding a claim: say it";
    case AuthoringStep::kShow:
      return "step 2 of 4 in adding a claim: show it";
    case AuthoringStep::kClose:
      return "step 3 of 4 in adding a claim: close it";
    case AuthoringStep::kRun:
      return "step 4 of 4 in adding a claim: run it";
  }
  return {};
}

std::optional<AuthoringStep> authoring_step(std::string_view code) {
  const auto holds = [&](const CodeRange& range) {
    return code.size() == range.first.size() && range.first <= code && code <= range.last;
  };
  const auto found = std::find_if(std::begin(kRanges), std::end(kRanges), holds);
  return found == std::end(kRanges) ? std::nullopt : std::optional(found->step);
}

exact::Error with_authoring_step(exact::Error error) {
  if (const auto step = authoring_step(error.code)) error.what += " (" + to_string(*step) + ")";
  return error;
}

}  // namespace sinkproof::claim
