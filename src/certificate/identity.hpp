// The statement of rule `polynomial-identity` (FORMAT.md, section 3): pairs of formulas claimed to
// be the same polynomial. Read here, compared in check/ and prove/.
#pragma once

#include <string>
#include <vector>

#include "certificate/formula.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

struct Identity {
  std::string name;
  Formula left;
  Formula right;
};

// The identities in the order of the file, at least one. Throws Rejected: SP0503, SP0504, SP0101
// naming the field; SP0503 also for an identity whose two sides are the same text, which says
// nothing. SP0905: over the budget.
std::vector<Identity> read_identities(const json::Value& value, Work& work,
                                      const std::string& where);

}  // namespace sinkproof::certificate
