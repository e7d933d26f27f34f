#include "claim/verdict.hpp"

#include <algorithm>

namespace sinkproof::claim {

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "proved";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kEnclosed:
      return "enclosed";
    case Verdict::kBounded:
      return "bounded";
    case Verdict::kStatistical:
      return "statistical";
    case Verdict::kHoley:
      return "holey";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kOpen:
      return "open";
    case Verdict::kNotApplicable:
      return "not-applicable";
  }
  return {};
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
    case Verdict::kEnclosed:
    case Verdict::kOpen:
    case Verdict::kNotApplicable:
      return 0;
    case Verdict::kRefuted:
      return 1;
    case Verdict::kBounded:
    case Verdict::kStatistical:
    case Verdict::kHoley:
    case Verdict::kUnknown:
      return 3;
  }
  return 5;
}

int combined_exit_code(const std::vector<int>& codes) {
  for (const int code : {5, 4, 1, 2, 3}) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return 0;
}

}  // namespace sinkproof::claim
