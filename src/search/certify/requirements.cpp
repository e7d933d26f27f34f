#include "certify/requirements.hpp"

#include "claim/verdict.hpp"

namespace sinkproof::certify {

exact::Result<std::vector<claim::Requirement>> read_requirements(
    const std::vector<std::string>& texts, const model::AttentionModel& model,
    const std::string& where) {
  const auto known = property_names(model);
  std::vector<claim::Requirement> requirements;
  for (const std::string& text : texts) {
    const auto requirement = claim::parse_requirement(text, where);
    if (!requirement) return tl::unexpected(requirement.error());
    const auto parts = claim::expand(*requirement, known, model.length, where);
    if (!parts) return tl::unexpected(parts.error());
    requirements.insert(requirements.end(), parts->begin(), parts->end());
  }
  return requirements;
}

void add_required(const std::vector<claim::Requirement>& requirements, Options& options) {
  if (options.properties.empty()) return;
  for (const claim::Requirement& requirement : requirements) {
    options.properties.push_back(requirement.property);
  }
}

std::vector<Decision> decide(const std::vector<claim::Requirement>& requirements,
                             Certification& certification) {
  std::vector<Decision> decisions;
  for (const claim::Requirement& requirement : requirements) {
    for (std::size_t i = 0; i < certification.properties.size(); ++i) {
      Property& property = certification.properties[i];
      if (property.name != requirement.property) continue;
      const claim::Verdict decided = claim::decide(requirement, property.lower, property.upper);
      decisions.push_back({requirement, i, decided});
      const std::string verdict = claim::to_string(decided);
      const bool first = property.verdict == "enclosed";
      if (first || verdict == "refuted" || (verdict == "unknown" && property.verdict == "proved")) {
        property.verdict = verdict;
        property.reason = requirement.text;
      }
    }
  }
  return decisions;
}

int exit_code(const std::vector<Decision>& decisions, const Certification& certification) {
  std::vector<int> codes;
  codes.reserve(decisions.size() + certification.properties.size());
  for (const Decision& decision : decisions) codes.push_back(claim::exit_code(decision.verdict));
  for (const Property& property : certification.properties) {
    if (property.verdict == "unknown") codes.push_back(claim::exit_code(claim::Verdict::kUnknown));
  }
  return claim::combined_exit_code(codes);
}

}  // namespace sinkproof::certify
