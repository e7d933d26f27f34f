#include "report/status.hpp"

#include <fmt/format.h>

#include <string_view>

#include "accept/accept.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using accept::Standing;
using accept::standing_of;
using text::escape;
using text::without_folders;

// Each kind of badge has its own outline, not only its own colour.
struct Badge {
  std::string_view css;
  std::string_view icon;
};

constexpr Badge kGood{"good", R"(<circle cx="8" cy="8" r="7"/><path d="M4.5 8.2l2.4 2.4 4.6-5"/>)"};
// A value lies between two bounds: nothing was asked of it, and they may be far apart.
constexpr Badge kBetween{"between",
                         R"(<path d="M5.5 2h-4v12h4M10.5 2h4v12h-4"/><path d="M5 8h6"/>)"};
constexpr Badge kBad{"bad", R"(<path d="M1.5 1.5h13v13h-13z"/><path d="M5 5l6 6M11 5l-6 6"/>)"};
constexpr Badge kOpen{"open",
                      R"(<path d="M8 .8l7.2 7.2L8 15.2.8 8z"/><path d="M8 4.4v4.4M8 11v.6"/>)"};
constexpr Badge kEstimate{"estimate", R"(<path d="M2 6c3-4 9 4 12 0M2 11c3-4 9 4 12 0"/>)"};
constexpr Badge kIdle{"idle", R"(<circle cx="8" cy="8" r="7"/><path d="M4.6 8h6.8"/>)"};

Badge badge_of(std::string_view word) {
  if (word == "proved") return kGood;
  if (word == "enclosed") return kBetween;
  if (word == "estimate") return kEstimate;
  if (word == "rejected" || word == "refuted") return kBad;
  if (word == "not-applicable" || word == "not checked" || word == "open") return kIdle;
  return kOpen;
}

std::string badge(std::string_view word) {
  const Badge one = badge_of(word);
  return fmt::format(
      R"(<span class="badge {}"><svg viewBox="0 0 16 16" aria-hidden="true">{}</svg>{}</span>)",
      one.css, one.icon, escape(word));
}

}  // namespace

std::string verdict_word(const Outcome& outcome) {
  switch (standing_of(outcome)) {
    case Standing::kAccepted:
    case Standing::kPartly:
      return outcome.verdict;
    case Standing::kRejected:
      return "rejected";
    case Standing::kNotChecked:
      break;
  }
  return outcome.verdict == "refuted" && outcome.exit_code == 1 ? "refuted" : "not checked";
}

std::string kind_of(const Input& input) {
  if (!input.certificate.is_object()) return "";
  const auto found = input.certificate.find("kind");
  const bool is_text = found != input.certificate.end() && found->is_string();
  return is_text ? found->get<std::string>() : "";
}

std::string verdict_word(const Input& input) {
  if (input.estimate) return "estimate";
  std::string word = verdict_word(input.outcome);
  const std::string kind = kind_of(input);
  const bool states_bounds = kind == "checkpoint" || kind == "language" || kind == "cover";
  if (!states_bounds || !shows_bounds(input.outcome)) return word;
  for (const char* const worse : {"refuted", "unknown"}) {
    for (const Threshold& threshold : input.thresholds) {
      if (threshold.verdict == worse) return worse;
    }
  }
  return word == "proved" && input.thresholds.empty() ? "enclosed" : word;
}

std::string verdict_badge(const Input& input) { return badge(verdict_word(input)); }

std::string threshold_badge(const Threshold& threshold) { return badge(threshold.verdict); }

std::string property_badge(const Outcome& outcome, const std::string& verdict) {
  return badge(standing_of(outcome) == Standing::kAccepted ? verdict : verdict_word(outcome));
}

std::string reason_text(const Outcome& outcome) { return escape(without_folders(outcome.reason)); }

}  // namespace sinkproof::report
