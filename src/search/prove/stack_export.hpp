// A stack given as data, NAME.stack.json, as a model of any width: a construction of several layers
// that no step of a claim is about, for what reads checkpoints. examples/stacks/README.md has the
// format; proofs/tc-9 the theorems about the two stacks there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "exact/error.hpp"
#include "prove/exported_model.hpp"

namespace sinkproof::prove {

inline constexpr std::size_t kMaxExportedWeights = std::size_t{1} << 25U;

// The stack in `text` with n = d_model coordinates: scores and values are the doubles nearest to
// the sums in the file. SP0301: no strict JSON. SP1315: a field is missing, unknown or of the wrong
// form. SP0504, SP0101: a number is not a formula in the parameters. SP1316: over
// kMaxExportedWeights numbers.
// Precondition: kMinExportWidth <= d_model <= kMaxExportWidth.
exact::Result<ExportedModel> export_stack(std::string_view text, std::size_t d_model,
                                          const std::string& where);

}  // namespace sinkproof::prove
