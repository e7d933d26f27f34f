// A stack run forward, to have rows to measure: the inputs of every layer, each number the double
// nearest to the middle of what the rigorous pass (forward/) encloses it in. Exact statements are
// about the stored rows (docs/THEORY.md, section 6).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/matrix.hpp"
#include "measure/vectors.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::measure {

using Rows = exact::Matrix<double>;

// The inputs of layers 0..D-1 and, last, the outputs of the stack, one below the other: D + 1
// matrices of the shape of `tokens`, whose rows are sequences of `length` one after the other.
// SP1505: tokens are not d_model wide. SP1510: a value is beyond the range of doubles.
// Precondition: length divides the number of rows.
exact::Result<std::vector<Rows>> forward(const model::AttentionModel& model,
                                         const DyadicMatrix& tokens, std::size_t length);

// What forward() gives as a safetensors file in memory, all F64: `layers.{l}.input` for each layer
// and `output`. Errors as forward().
exact::Result<NamedFile> stack_inputs(const model::AttentionModel& model,
                                      const DyadicMatrix& tokens, std::size_t length,
                                      std::map<std::string, std::string> metadata,
                                      std::string path);

}  // namespace sinkproof::measure
