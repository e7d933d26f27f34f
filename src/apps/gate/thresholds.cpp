#include "gate/thresholds.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "accept/accept.hpp"
#include "claim/verdict.hpp"
#include "gate/checkpoint_proof.hpp"
#include "gate/digits.hpp"
#include "report/status.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::gate {
namespace {

using claim::Verdict;

std::string enclosures(const std::vector<RequirementProof>& parts) {
  std::string text;
  for (const RequirementProof& part : parts) {
    text += fmt::format("{}{} in [{}, {}]", text.empty() ? "" : ", ", part.requirement.property,
                        rounded::decimal_down(part.lower, kDigits),
                        rounded::decimal_up(part.upper, kDigits));
  }
  return text;
}

struct Decided {
  Verdict verdict;
  std::string found;
};

// What an accepted checkpoint certificate decides of a threshold; nothing when it does not state
// the property.
exact::Result<std::optional<Decided>> decided(const claim::Requirement& requirement,
                                              const json::Value& certificate) {
  const auto bounds = certified_bounds(certificate);
  if (!bounds) return tl::unexpected(bounds.error());
  std::vector<std::string> stated;
  for (const CertifiedBounds& one : *bounds) stated.push_back(one.property);
  const auto length = certificate.at("length").get<std::size_t>();
  const auto parts = decide_requirements({requirement}, stated, length, *bounds, "--require");
  if (parts) {
    return Decided{verdict_of(*parts), enclosures(*parts)};
  }
  if (parts.error().code == "SP1302") return std::nullopt;
  return Decided{Verdict::kUnknown, "the certificate does not state it at all rows"};
}

}  // namespace

exact::Result<std::set<int>> put_thresholds(const std::vector<claim::Requirement>& requirements,
                                            std::vector<report::Input>& inputs) {
  std::set<int> codes;
  for (const claim::Requirement& requirement : requirements) {
    bool is_put = false;
    for (report::Input& input : inputs) {
      const bool accepted = accept::shows_bounds(input.outcome);
      if (!accepted || report::kind_of(input) != "checkpoint") continue;
      const auto threshold = decided(requirement, input.certificate);
      if (!threshold) return tl::unexpected(threshold.error());
      if (!*threshold) continue;
      is_put = true;
      codes.insert(claim::exit_code((*threshold)->verdict));
      input.thresholds.push_back(
          {requirement.text, claim::to_string((*threshold)->verdict), (*threshold)->found});
    }
    if (!is_put) {
      return exact::fail("SP1206", "--require \"" + requirement.text + "\"",
                         "is about a property that no accepted checkpoint certificate on the page "
                         "states; name one of a property table of the report");
    }
  }
  return codes;
}

}  // namespace sinkproof::gate
