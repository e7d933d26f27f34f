#include "report/status.hpp"

#include <fmt/format.h>

#include <string_view>

#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;
using text::without_folders;

bool approves(std::string_view verdict) { return verdict == "proved" || verdict == "enclosed"; }

// The outcomes with exit 3 that say something: "unknown" without evidence is a certificate nobody
// checked to its end, over the budget.
bool is_partial(const Outcome& outcome) {
  if (outcome.verdict == "unknown") return !outcome.evidence.empty();
  return outcome.verdict == "holey" || outcome.verdict == "bounded" ||
         outcome.verdict == "statistical";
}

// Each kind of badge has its own outline, not only its own colour.
struct Look {
  std::string_view css;
  std::string_view icon;
};

constexpr Look kGood{"good", R"(<circle cx="8" cy="8" r="7"/><path d="M4.5 8.2l2.4 2.4 4.6-5"/>)"};
constexpr Look kBad{"bad", R"(<path d="M1.5 1.5h13v13h-13z"/><path d="M5 5l6 6M11 5l-6 6"/>)"};
constexpr Look kOpen{"open",
                     R"(<path d="M8 .8l7.2 7.2L8 15.2.8 8z"/><path d="M8 4.4v4.4M8 11v.6"/>)"};
constexpr Look kIdle{"idle", R"(<circle cx="8" cy="8" r="7"/><path d="M4.6 8h6.8"/>)"};

Look look_of(std::string_view word) {
  if (approves(word)) return kGood;
  if (word == "rejected" || word == "refuted") return kBad;
  if (word == "not-applicable" || word == "not checked" || word == "open") return kIdle;
  return kOpen;
}

std::string badge(std::string_view word) {
  const Look look = look_of(word);
  return fmt::format(
      R"(<span class="badge {}"><svg viewBox="0 0 16 16" aria-hidden="true">{}</svg>{}</span>)",
      look.css, look.icon, escape(word));
}

}  // namespace

Status status_of(const Outcome& outcome) {
  if (outcome.exit_code == 4 || outcome.verdict == "rejected") return Status::kRejected;
  // "statistical" with exit 0: whoever asked accepts a bound in confidence.
  const bool good = approves(outcome.verdict) || outcome.verdict == "statistical";
  if (outcome.exit_code == 0 && good) return Status::kAccepted;
  if (outcome.exit_code == 3 && is_partial(outcome)) return Status::kPartly;
  return Status::kNotChecked;
}

bool shows_bounds(Status status) {
  return status == Status::kAccepted || status == Status::kPartly;
}

std::string verdict_word(const Outcome& outcome) {
  switch (status_of(outcome)) {
    case Status::kAccepted:
    case Status::kPartly:
      return outcome.verdict;
    case Status::kRejected:
      return "rejected";
    case Status::kNotChecked:
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
  const std::string word = verdict_word(input.outcome);
  if (kind_of(input) != "checkpoint" || !shows_bounds(status_of(input.outcome))) return word;
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
  return badge(status_of(outcome) == Status::kAccepted ? verdict : verdict_word(outcome));
}

std::string reasons_text(const Outcome& outcome) {
  std::string text;
  for (const std::string& reason : outcome.reasons) {
    if (reason.empty()) continue;
    text += (text.empty() ? "" : "; ") + escape(without_folders(reason));
  }
  return text;
}

}  // namespace sinkproof::report
