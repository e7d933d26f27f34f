#include "model/ldlt.hpp"

namespace sinkproof::model {
namespace {

using exact::Rational;
using exact::RationalMatrix;

// x with L^T x = y for unit lower triangular L, of which the first `known` columns are filled in.
std::vector<Rational> solve_transposed(const RationalMatrix& lower, std::vector<Rational> y,
                                       std::size_t known) {
  for (std::size_t step = known; step-- > 0;) {
    for (std::size_t row = step + 1; row < y.size(); ++row) y[step] -= lower(row, step) * y[row];
  }
  return y;
}

}  // namespace

PsdDecision decide_psd(const RationalMatrix& a) {
  const std::size_t n = a.rows();
  RationalMatrix schur = a;  // what is left of A after the first k steps, in its lower right corner
  Ldlt factors{RationalMatrix(n, n), {}};
  for (std::size_t k = 0; k < n; ++k) {
    const Rational pivot = schur(k, k);
    std::vector<Rational> direction(n);
    direction[k] = 1;
    if (pivot < 0) return {std::nullopt, solve_transposed(factors.lower, direction, k)};
    factors.diagonal.push_back(pivot);
    factors.lower(k, k) = 1;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (pivot == 0) {
        if (schur(i, k) == 0) continue;
        // (t e_k + e_i) gives 2 t s_ik + s_ii, negative for t = -(s_ii + 1) / (2 s_ik).
        direction[k] = -(schur(i, i) + 1) / (2 * schur(i, k));
        direction[i] = 1;
        return {std::nullopt, solve_transposed(factors.lower, direction, k)};
      }
      factors.lower(i, k) = schur(i, k) / pivot;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) schur(i, j) -= factors.lower(i, k) * schur(k, j);
    }
  }
  return {std::move(factors), {}};
}

Rational quadratic_form(const RationalMatrix& a, const std::vector<Rational>& x) {
  Rational value = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) value += x[i] * a(i, j) * x[j];
  }
  return value;
}

}  // namespace sinkproof::model
