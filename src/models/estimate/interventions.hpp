// Interventions as they are asked for and named: "evict 4,28", "evict 4,28,renumbered", "ablate
// 5,1", "ablate 3,0+3,5".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "certificate/intervention.hpp"

namespace sinkproof::estimate {

// Of "S,W" or "S,W,renumbered", W >= 1; nothing for any other text.
std::optional<certificate::Intervention> eviction_of(std::string_view text);

// Of "LAYER,HEAD", both from 0, or of several heads, each once: "LAYER,HEAD+LAYER,HEAD".
std::optional<certificate::Intervention> ablation_of(std::string_view text);

// Of a name.
std::optional<certificate::Intervention> intervention_of(std::string_view name);

// "evict 4,28,renumbered", or "ablate 3,0+3,5" with the heads in ascending order.
std::string name_of(const certificate::Intervention& intervention);

}  // namespace sinkproof::estimate
