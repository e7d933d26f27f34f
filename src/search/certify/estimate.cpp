#include "certify/estimate.hpp"

#include <gmp.h>

#include <algorithm>
#include <cmath>

#include "rounded/double.hpp"

namespace sinkproof::certify {

double estimate(const exact::Rational& value) {
  return std::clamp(rounded::to_double_estimate(value), -kLargestEstimate, kLargestEstimate);
}

long double wide_estimate(const exact::Rational& value) {
  long up = 0;
  long down = 0;
  const double numerator = mpz_get_d_2exp(&up, mpq_numref(value.backend().data()));
  const double denominator = mpz_get_d_2exp(&down, mpq_denref(value.backend().data()));
  return std::scalbln(static_cast<long double>(numerator) / denominator, up - down);
}

std::optional<exact::Rational> exact_value(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return rounded::from_double(value);
}

}  // namespace sinkproof::certify
