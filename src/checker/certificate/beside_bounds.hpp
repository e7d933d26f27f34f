// The words that whoever shows a certificate's bounds shows beside them: which reading of the
// weights they are about (CHECKPOINT_RULES.md, 4.1; LANGUAGE_RULES.md, 5.2), and at which lengths
// they hold (4.20).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/checkpoint.hpp"

namespace sinkproof::certificate {

// "overrides the model file's metadata: attention, residual"; "" when there are no keys.
std::string overrides_text(const std::vector<std::string>& keys);

// "logits unscaled", "logits scaled by 1/4": whoever forgot 1/sqrt(d) sees another model.
std::string scale_text(const exact::Rational& scale);

// What of both is out of the ordinary: "" where nothing is overridden and logits are unscaled.
std::string reading_text(const std::vector<std::string>& keys, const exact::Rational& scale);

// Whether what a property of this name says of all inputs of a length holds for shorter sequences,
// too: bounds, and what theorems imply.
bool holds_when_shorter(std::string_view name);

// To which inputs all bounds are restricted: {"the trigger at 3 to 7", "noise in [-1/2,1/2]"}; none
// for all inputs of the task, and where a certificate is not about a box.
std::vector<std::string> restrictions(const Checkpoint& checkpoint);

// The same in one line: "only for the trigger at 3 to 7; only for noise in [-1/2,1/2]".
std::string inputs_text(const Checkpoint& checkpoint);

// The words for the lengths: "bounds for every length up to 16", "... from 5 to 16" where the
// trigger is at 5 at the earliest; "" where there is no shorter one, or nothing that holds there.
std::string lengths_text(std::size_t first_trigger, std::size_t length);
std::string lengths_text(const Checkpoint& checkpoint);

}  // namespace sinkproof::certificate
