#include "gate/selection.hpp"

#include <fnmatch.h>

#include <set>

#include "claim/claim.hpp"

namespace sinkproof::gate {

exact::Result<std::vector<std::string>> matching_claims(const ClaimGroup& group,
                                                        const std::string& where) {
  const auto ids = claim::list_claims(group.proofs);
  if (!ids) return exact::fail("SP1703", where, "no claims in " + group.proofs.string());
  std::set<std::string> matched;
  for (const std::string& pattern : group.match) {
    bool found = false;
    for (const std::string& id : *ids) {
      if (::fnmatch(pattern.c_str(), id.c_str(), 0) != 0) continue;
      matched.insert(id);
      found = true;
    }
    if (!found) {
      return exact::fail(
          "SP1703", where,
          "\"" + pattern.substr(0, 80) + "\" matches no claim in " + group.proofs.string());
    }
  }
  return std::vector<std::string>(matched.begin(), matched.end());
}

}  // namespace sinkproof::gate
