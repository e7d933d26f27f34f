// LayerNorm and RMSNorm in doubles.
#pragma once

#include <cstddef>

#include "estimate/rows.hpp"
#include "exact/rational.hpp"
#include "language/model.hpp"

namespace sinkproof::estimate {

// Each group of `group` coordinates of each row, normalised on its own; y may hold x. False: a
// weight is a NaN or an infinity. Preconditions: the weights are [group], group divides x.columns.
bool normalise(language::Norm norm, const exact::Rational& epsilon,
               const language::NormWeights& weights, const Rows& x, std::size_t group, Matrix& y);

// z, what attention of a layer reads: its input x normalised, or x itself where a model normalises
// after its layers or not at all. False: a weight is a NaN or an infinity.
bool attention_inputs(const language::Model& model, std::size_t layer, const Rows& x, Matrix& z);

}  // namespace sinkproof::estimate
