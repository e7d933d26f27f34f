// Interventions as they are asked for and named: "evict 4,28", "evict 4,28,renumbered", "ablate
// 5,1".
#pragma once

#include <optional>
#include <string_view>

#include "certificate/intervention.hpp"

namespace sinkproof::estimate {

// Of "S,W" or "S,W,renumbered", W >= 1; nothing for any other text.
std::optional<certificate::Intervention> eviction_of(std::string_view text);

// Of "LAYER,HEAD", both from 0.
std::optional<certificate::Intervention> ablation_of(std::string_view text);

// Of a name.
std::optional<certificate::Intervention> intervention_of(std::string_view name);

}  // namespace sinkproof::estimate
