// Exact LDL^T over Q without pivoting: decides positive semidefiniteness, with a witness either
// way.
#pragma once

#include <optional>
#include <vector>

#include "exact/matrix.hpp"

namespace sinkproof::exact {

struct Ldlt {
  RationalMatrix lower;            // unit lower triangular L, n x n
  std::vector<Rational> diagonal;  // D >= 0; A = L D L^T
};

struct PsdDecision {
  std::optional<Ldlt> factors;     // present exactly when A is positive semidefinite
  std::vector<Rational> negative;  // otherwise x with x^T A x < 0
};

// Precondition: a is square and symmetric.
PsdDecision decide_psd(const RationalMatrix& a);

// x^T A x.
Rational quadratic_form(const RationalMatrix& a, const std::vector<Rational>& x);

}  // namespace sinkproof::exact
