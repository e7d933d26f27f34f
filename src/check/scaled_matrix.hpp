// Products of rational matrices kept as integers over one denominator. VECTOR_RULES.md speaks of
// such denominators where it limits sizes.
#pragma once

#include "exact/matrix.hpp"
#include "forward/whole.hpp"

namespace sinkproof::check {

using IntegerMatrix = exact::Matrix<exact::Integer>;

using exact::ScaledMatrix;

// sum += a b and sum += |a|, without a temporary: that is most of the time of long sums.
using forward::add_product;
inline void add_product(exact::Integer& sum, const exact::Integer& a, int b) {
  const auto add = b < 0 ? &mpz_submul_ui : &mpz_addmul_ui;
  add(sum.backend().data(), a.backend().data(), static_cast<unsigned long>(b < 0 ? -b : b));
}
inline void add_magnitude(exact::Integer& sum, const exact::Integer& a) {
  if (a < 0) {
    sum -= a;
  } else {
    sum += a;
  }
}

// The same matrix over the least common denominator of its entries.
ScaledMatrix scaled(const exact::RationalMatrix& matrix);
ScaledMatrix reduced(ScaledMatrix matrix);

ScaledMatrix product(const ScaledMatrix& a, const ScaledMatrix& b);

// X X^T over its least common denominator: G_kl = x_k . x_l for the rows of X.
ScaledMatrix gram_of(const ScaledMatrix& rows);

// sum of a_ij b_ij.
exact::Integer inner(const IntegerMatrix& a, const IntegerMatrix& b);

// LDL^T without pivoting, fraction free (Bareiss), as VECTOR_RULES.md 6.2 defines it. Cubic in the
// size; the numbers grow to the size of the leading minors. Precondition: `matrix` is square. A
// matrix that is not symmetric is not semidefinite.
bool is_positive_semidefinite(IntegerMatrix matrix);

}  // namespace sinkproof::check
