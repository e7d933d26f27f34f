// The words for a checkpoint certificate that speaks of the weights under another reading than the
// file's own (`overrides` of CHECKPOINT_RULES.md 4.1). Whoever shows a verdict shows them.
#pragma once

#include <string>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::certificate {

// "reads attention, residual otherwise than the model file's metadata"; "" when there are no keys.
std::string overrides_text(const std::vector<std::string>& keys);

// "logits unscaled", "logits scaled by 1/4": whoever forgot 1/sqrt(d) sees another model.
std::string scale_text(const exact::Rational& scale);

// What of both is out of the ordinary: "" where nothing is overridden and logits are unscaled.
std::string reading_text(const std::vector<std::string>& keys, const exact::Rational& scale);

}  // namespace sinkproof::certificate
