#include "report/gate_words.hpp"

#include <cmath>

namespace sinkproof::report {
namespace {

constexpr double kMostSeconds = 1000.0 * 366 * 24 * 3600;

}  // namespace

GateCounts gate_counts(const GateSummary& summary) {
  GateCounts counts;
  for (const GateFinding& finding : summary.findings) {
    switch (finding.level) {
      case GateLevel::kPass:
        ++counts.passes;
        break;
      case GateLevel::kWarning:
        ++counts.warnings;
        break;
      case GateLevel::kError:
        ++counts.errors;
        break;
      case GateLevel::kUnchanged:
        ++counts.unchanged;
        break;
    }
  }
  return counts;
}

bool gate_is_red(const GateSummary& summary) {
  return summary.exit_code != 0 || gate_counts(summary).errors > 0;
}

std::string_view level_word(GateLevel level) {
  switch (level) {
    case GateLevel::kPass:
      return "pass";
    case GateLevel::kWarning:
      return "warning";
    case GateLevel::kUnchanged:
      return "unchanged";
    case GateLevel::kError:
      break;
  }
  return "error";
}

std::string bounds_text(const GateFinding& finding) {
  if (finding.lower.empty() && finding.upper.empty()) return "";
  if (finding.upper.empty()) return ">= " + finding.lower;
  if (finding.lower.empty()) return "<= " + finding.upper;
  return "[" + finding.lower + ", " + finding.upper + "]";
}

std::string finding_sentence(const GateFinding& finding) {
  return finding.subject + ", asked " + finding.asked + ": " + finding.message;
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

}  // namespace sinkproof::report
