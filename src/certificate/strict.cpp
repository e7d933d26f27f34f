#include "certificate/strict.hpp"

#include "certificate/work.hpp"

namespace sinkproof::certificate {

Rejected rejected_by(const exact::Error& error) {
  return {error, error.code == kOverBudget ? 3 : 4};
}

void require(bool condition, const std::string& where, const std::string& what,
             const std::string& code) {
  if (!condition) throw rejected_by({code, where, what});
}

}  // namespace sinkproof::certificate
