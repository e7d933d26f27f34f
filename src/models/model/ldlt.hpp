// Exact LDL^T over Q without pivoting: decides positive semidefiniteness, with a witness either
// way.
#pragma once

#include <optional>
#include <vector>

#include "exact/matrix.hpp"

namespace sinkproof::model {

struct Ldlt {
  exact::RationalMatrix lower;            // unit lower triangular L, n x n
  std::vector<exact::Rational> diagonal;  // D >= 0; A = L D L^T
};

struct PsdDecision {
  std::optional<Ldlt> factors;            // present exactly when A is positive semidefinite
  std::vector<exact::Rational> negative;  // otherwise x with x^T A x < 0
};

// Precondition: a is square and symmetric.
PsdDecision decide_psd(const exact::RationalMatrix& a);

// x^T A x.
exact::Rational quadratic_form(const exact::RationalMatrix& a,
                               const std::vector<exact::Rational>& x);

}  // namespace sinkproof::model
