#include "check/semidefinite.hpp"

namespace sinkproof::check {

// After the pivots p_1, .., p_r > 0 the entry (i, j) is the minor of their rows and columns with
// row i and column j added: p_r (the last minor) times the entry of the Schur complement. So the
// signs are those of LDL^T, and the division is exact.
bool is_positive_semidefinite(IntegerMatrix matrix) {
  const std::size_t n = matrix.rows();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (matrix(i, j) != matrix(j, i)) return false;
    }
  }
  exact::Integer last = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const exact::Integer pivot = matrix(k, k);
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

}  // namespace sinkproof::check
