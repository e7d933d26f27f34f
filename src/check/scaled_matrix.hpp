// A rational matrix as integers over one denominator: sums and products of many entries without a
// gcd at every step. VECTOR_RULES.md speaks of such denominators where it limits sizes.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/matrix.hpp"

namespace sinkproof::check {

using IntegerMatrix = exact::Matrix<exact::Integer>;

struct ScaledMatrix {
  IntegerMatrix entries;
  exact::Integer denominator = 1;  // > 0

  [[nodiscard]] std::size_t rows() const { return entries.rows(); }
  [[nodiscard]] std::size_t columns() const { return entries.columns(); }
};

// The same matrix over the least common denominator of its entries.
ScaledMatrix scaled(const exact::RationalMatrix& matrix);
ScaledMatrix reduced(ScaledMatrix matrix);

ScaledMatrix product(const ScaledMatrix& a, const ScaledMatrix& b);

// X X^T over its least common denominator: G_kl = x_k . x_l for the rows of X.
ScaledMatrix gram_of(const ScaledMatrix& rows);

// sum of a_ij b_ij.
exact::Integer inner(const IntegerMatrix& a, const IntegerMatrix& b);

}  // namespace sinkproof::check
