// What it costs to give back rows z_1..z_n, as squared Frobenius norms of weights that are chosen
// for them: a map W_O W_V, and an MLP z -> W_2 relu(W_1 z), each without biases
// (docs/THEORY_COSTS.md, co-7). Nothing here is of a model's own weights.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "exact/exp_enclosure.hpp"
#include "measure/identity_mlp.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

struct IdentityCost {
  exact::Rational map;   // the least ||W_V||^2 + ||W_O||^2: exact
  exact::Enclosure mlp;  // of the least ||W_1||^2 + ||W_2||^2
};

// Of the listed rows. Precondition: at least one.
IdentityCost identity_cost(const DyadicMatrix& rows, const std::vector<std::size_t>& listed);

// At least what an MLP costs that gives back the rows exactly: the given one, and beside it what
// puts right the errors it leaves. None where the rows are dependent.
std::optional<exact::Rational> cost_put_right(const DyadicMatrix& rows, const ReluMlp& mlp);

}  // namespace sinkproof::measure
