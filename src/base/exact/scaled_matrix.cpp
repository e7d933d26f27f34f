#include "exact/scaled_matrix.hpp"

#include <algorithm>
#include <utility>

namespace sinkproof::exact {

ScaledMatrix scaled(const RationalMatrix& matrix) {
  ScaledMatrix result{IntegerMatrix(matrix.rows(), matrix.columns()), 1};
  for (const Rational& value : matrix.values()) {
    result.denominator = lcm(result.denominator, denominator(value));
  }
  std::transform(matrix.values().begin(), matrix.values().end(), result.entries.values().begin(),
                 [&](const Rational& value) {
                   return numerator(value) * (result.denominator / denominator(value));
                 });
  return result;
}

ScaledMatrix reduced(ScaledMatrix matrix) {
  Integer common = matrix.denominator;
  for (const Integer& entry : matrix.entries.values()) {
    common = gcd(common, entry);
  }
  matrix.denominator /= common;
  for (Integer& entry : matrix.entries.values()) entry /= common;
  return matrix;
}

ScaledMatrix product(const ScaledMatrix& a, const ScaledMatrix& b) {
  return {a.entries * b.entries, a.denominator * b.denominator};
}

ScaledMatrix gram_of(const ScaledMatrix& rows) { return reduced(product(rows, transpose(rows))); }

Integer inner(const IntegerMatrix& a, const IntegerMatrix& b) {
  Integer sum = 0;
  for (std::size_t k = 0; k < a.values().size(); ++k) {
    add_product(sum, a.values()[k], b.values()[k]);
  }
  return sum;
}

// After the pivots p_1, .., p_r > 0 the entry (i, j) is the minor of their rows and columns with
// row i and column j added: p_r (the last minor) times the entry of the Schur complement. So the
// signs are those of LDL^T, and the division is exact.
bool is_positive_semidefinite(IntegerMatrix matrix) {
  const std::size_t n = matrix.rows();
  if (matrix != transpose(matrix)) return false;
  Integer last = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const Integer pivot = matrix(k, k);
    if (pivot < 0) return false;
    if (pivot == 0) {
      for (std::size_t i = k + 1; i < n; ++i) {
        if (matrix(i, k) != 0) return false;
      }
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        matrix(j, i) = (matrix(j, i) * pivot - matrix(i, k) * matrix(j, k)) / last;
      }
    }
    last = pivot;
  }
  return true;
}

}  // namespace sinkproof::exact
