#include "gate/thresholds.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/cover.hpp"
#include "certificate/strict.hpp"
#include "claim/verdict.hpp"
#include "gate/checkpoint_proof.hpp"
#include "gate/digits.hpp"
#include "gate/model_item.hpp"
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

exact::Result<std::vector<CertifiedBounds>> cover_bounds(const json::Value& certificate) {
  return certificate::result_of([&] { return certificate::read_cover(certificate); })
      .map([](const certificate::Cover& cover) { return bounds_of(cover); });
}

// What an accepted certificate decides of a threshold; nothing when it does not state
// the property.
exact::Result<std::optional<Decided>> decided(const claim::Requirement& requirement,
                                              const json::Value& certificate) {
  const auto bounds =
      certificate.at("kind") == "cover" ? cover_bounds(certificate) : certified_bounds(certificate);
  if (!bounds) return tl::unexpected(bounds.error());
  std::vector<std::string> stated;
  for (const CertifiedBounds& one : *bounds) stated.push_back(one.property);
  const auto length = certificate.value("length", std::size_t{0});
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
      const std::string kind = report::kind_of(input);
      if (!accepted || (kind != "checkpoint" && kind != "cover")) continue;
      const auto threshold = decided(requirement, input.certificate);
      if (!threshold) return tl::unexpected(threshold.error());
      if (!*threshold) continue;
      is_put = true;
      codes.insert(claim::exit_code((*threshold)->verdict));
      input.thresholds.push_back(
          {requirement.text, claim::to_string((*threshold)->verdict), (*threshold)->found});
    }
    if (!is_put) {
      return exact::fail(
          "SP1206", "--require \"" + requirement.text + "\"",
          "is about a property that no accepted certificate of a checkpoint or cover on "
          "the page states; name one of a property table of the report");
    }
  }
  return codes;
}

}  // namespace sinkproof::gate
