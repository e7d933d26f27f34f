#include "rounded/double.hpp"

#include <gmp.h>

namespace sinkproof::rounded {

exact::Rational from_double(double value) {
  exact::Rational result;
  mpq_set_d(result.backend().data(), value);
  return result;
}

double to_double_estimate(const exact::Rational& value) {
  return mpq_get_d(value.backend().data());
}

}  // namespace sinkproof::rounded
