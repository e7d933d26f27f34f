#include "check/rejected.hpp"

#include "certificate/work.hpp"

namespace sinkproof::check {

Rejected rejected_by(const exact::Error& error) {
  return {error, error.code == certificate::kOverBudget ? 3 : 4};
}

void require(bool condition, const std::string& where, const std::string& what) {
  if (!condition) throw Rejected{{"SP0901", where, what}};
}

}  // namespace sinkproof::check
