// Exact matrices over the given vectors, in whole numbers: Gram products, score differences,
// multiplier matrices. What the rounded evidence of cost, infeasible and representable is tested
// with before anybody else sees it (VECTOR_RULES.md, 6.2 to 6.5).
#pragma once

#include <optional>
#include <vector>

#include "measure/margin_system.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

using IntegerMatrix = exact::Matrix<exact::Integer>;

// L: y at (query, above), -y at (query, below), summed; T x T. Precondition: an entry of y for each
// constraint.
IntegerMatrix multiplier_matrix(const MarginSystem& system, const std::vector<exact::Integer>& y,
                                std::size_t count);

// The least (S_ja - S_ji) / weight over the constraints, S = scores over 2^scale: the system holds
// up to the factor margin / that.
exact::Rational least_margin(const MarginSystem& system, const DyadicMatrix& scores);

// tr(A^T B) for matrices of one shape.
exact::Integer trace_product(const IntegerMatrix& a, const IntegerMatrix& b);

// The constraints with y > 0, weighted by it.
std::vector<certificate::WeightedTriple> positive(const MarginSystem& system,
                                                  const std::vector<exact::Integer>& y);

// The whole number nearest to value. Precondition: finite.
exact::Integer rounded(double value);

// A row times a number that is not 0.
struct Share {
  std::size_t row = 0;
  exact::Rational factor;
};

// Exact linear dependence. `pivots` are rows forming a basis of the span of the listed rows; if
// `dependent` is set, it is the first row of the list that is a combination of those before it:
// exactly the sum of `combination`, whose rows are pivots, increasing in the list's order.
struct Rank {
  std::size_t rank = 0;
  std::vector<std::size_t> pivots;
  std::optional<std::size_t> dependent;
  std::vector<Share> combination;
};

// Of the listed rows (numbers of rows of a Gram matrix), by fraction-free elimination of their Gram
// matrix: exact, since a sum of rows is zero when its norm is.
Rank exact_rank(const IntegerMatrix& gram, const std::vector<std::size_t>& rows);

}  // namespace sinkproof::measure
