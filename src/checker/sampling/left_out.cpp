// In place of the room's rules where they are left out of the checker.
#include <algorithm>

#include "certificate/rule.hpp"
#include "sampling/sampling.hpp"

namespace sinkproof::check {

void require_sampled(const forward::Prepared&, const certificate::Checkpoint&,
                     const certificate::Sampled&) {
  refuse_left_out("sampling");
}

bool require_random(const forward::Prepared&, const certificate::Checkpoint& stated) {
  const auto is_random = [](const certificate::Property& property) {
    return std::holds_alternative<certificate::RandomStatement>(property.content);
  };
  const auto& all = stated.properties;
  if (std::any_of(all.begin(), all.end(), is_random)) refuse_left_out("sampling");
  return false;
}

}  // namespace sinkproof::check
