// At which lengths a checkpoint certificate's statements hold (CHECKPOINT_RULES.md, 4.20).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "certificate/checkpoint.hpp"

namespace sinkproof::certificate {

// Whether what a property of this name says of all inputs of a length holds for shorter sequences,
// too: bounds, and what theorems imply.
bool holds_when_shorter(std::string_view name);

// The words for that: "bounds for every length up to 16", "... from 5 to 16" where the trigger is
// at 5 at the earliest; "" where there is no shorter one.
std::string lengths_text(std::size_t first_trigger, std::size_t length);
// What is said beside a certificate's bounds; "" where it has none.
std::string lengths_text(const Checkpoint& checkpoint);

}  // namespace sinkproof::certificate
