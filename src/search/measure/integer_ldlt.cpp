#include "measure/integer_ldlt.hpp"

namespace sinkproof::measure {

bool is_positive_semidefinite(exact::Matrix<exact::Integer> a) {
  const std::size_t n = a.rows();
  exact::Integer previous = 1;  // the last pivot that was not zero
  for (std::size_t k = 0; k < n; ++k) {
    const exact::Integer pivot = a(k, k);
    if (pivot < 0) return false;
    if (pivot == 0) {
      for (std::size_t i = k + 1; i < n; ++i) {
        if (a(i, k) != 0) return false;
      }
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) {
        a(i, j) = (pivot * a(i, j) - a(i, k) * a(j, k)) / previous;
      }
    }
    previous = pivot;
  }
  return true;
}

}  // namespace sinkproof::measure
