// The words for a checkpoint certificate that speaks of the weights under another reading than the
// file's own (`overrides` of CHECKPOINT_RULES.md 4.1). Whoever shows a verdict shows them.
#pragma once

#include <string>
#include <vector>

namespace sinkproof::certificate {

// "reads attention, residual otherwise than the model file's metadata"; "" when there are no keys.
std::string overrides_text(const std::vector<std::string>& keys);

}  // namespace sinkproof::certificate
