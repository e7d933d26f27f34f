// Rows of a pass as tensors, for statements about given vectors (VECTOR_RULES.md): the cost of a
// sink for a layer's inputs (co-6), whether one can be represented (ge-1), a head's switch
// (sw-1). The rows are estimates; what is then proved is about them as they are stored.
#pragma once

#include "estimate/tokens.hpp"
#include "exact/error.hpp"
#include "language/model.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::estimate {

// Of T tokens, float64: `layers.{l}.input` [T, n], `layers.{l}.normed` [T, n] (what attention
// reads), `output` [T, n] (the last layer's, before the final norm), and of each head
// `layers.{l}.heads.{h}.keys`, `.values` and `.outputs` [T, w], those before a gate. Preconditions
// and errors of pass().
exact::Result<safetensors::Contents> saved_rows(const language::Model& model, const Tokens& tokens,
                                                unsigned threads);

}  // namespace sinkproof::estimate
