// A construction as a checkpoint: a one-layer model whose scores are the doubles nearest to the
// construction's, so that whatever reads checkpoints can be held against its exact figures. The
// figures are those of the exact scores; rounding moves the checkpoint's by about 1e-16 times the
// scores.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "exact/error.hpp"
#include "prove/exported_model.hpp"

namespace sinkproof::prove {

// The construction in `text`, the bytes of a NAME.construction.json, with n = d_model coordinates.
// Scores: ln k for the softmax kinds, ln(k/(1-k)) for the sigmoid kinds, ln k (k <= 1) or
// k - 1 (k > 1) for the elu1 kinds, k itself for relu and linear. A gate is sigmoid(gate . x_i).
// SP0301, SP0503, SP0101: `text` is not a construction. SP0716: a figure is wrong, so it is not
// exported. Precondition: kMinExportWidth <= d_model <= kMaxExportWidth.
exact::Result<ExportedModel> export_construction(std::string_view text, std::size_t d_model,
                                                 const std::string& where);

}  // namespace sinkproof::prove
