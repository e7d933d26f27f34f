#include "ci/words.hpp"

#include <cmath>

namespace sinkproof::ci {
namespace {

constexpr double kMostSeconds = 1000.0 * 366 * 24 * 3600;

}  // namespace

Counts counts_of(const Summary& summary) {
  Counts counts;
  for (const Finding& finding : summary.findings) {
    switch (finding.level) {
      case Level::kPass:
        ++counts.passes;
        break;
      case Level::kWarning:
        ++counts.warnings;
        break;
      case Level::kError:
        ++counts.errors;
        break;
      case Level::kUnchanged:
        ++counts.unchanged;
        break;
    }
  }
  return counts;
}

bool is_red(const Summary& summary) {
  return summary.exit_code != 0 || counts_of(summary).errors > 0;
}

std::string_view level_word(Level level) {
  switch (level) {
    case Level::kPass:
      return "pass";
    case Level::kWarning:
      return "warning";
    case Level::kUnchanged:
      return "unchanged";
    case Level::kError:
      break;
  }
  return "error";
}

std::string bounds_text(const Finding& finding) {
  if (finding.lower.empty() && finding.upper.empty()) return "";
  if (finding.upper.empty()) return ">= " + finding.lower;
  if (finding.lower.empty()) return "<= " + finding.upper;
  return "[" + finding.lower + ", " + finding.upper + "]";
}

std::string asked_text(const Finding& finding) {
  if (finding.length == 0) return finding.asked;
  return finding.asked + " at length " + std::to_string(finding.length) + ", box " + finding.box;
}

std::string finding_sentence(const Finding& finding) {
  return finding.subject + ", asked " + asked_text(finding) + ": " + finding.message;
}

std::string_view exit_code_words(int exit_code) {
  switch (exit_code) {
    case 0:
      return "everything asked holds";
    case 1:
      return "refuted";
    case 2:
      return "usage or configuration";
    case 3:
      return "not decided, or weaker than asked";
    case 4:
      return "certificate rejected";
    default:
      return "internal error, or two checkers or solvers disagree";
  }
}

std::int64_t milliseconds(double seconds) {
  if (!(seconds > 0)) return 0;
  return std::llround(std::fmin(seconds, kMostSeconds) * 1000);
}

}  // namespace sinkproof::ci
