#include "certify/proof.hpp"

#include <cmath>

#include "exact/decimal.hpp"

namespace sinkproof::certify {
namespace {
constexpr unsigned kDigits = 6;
constexpr int kMultiplierBits = 16;
}  // namespace

exact::Rational bound_above(double value) {
  return exact::round_up_decimal(exact::from_double(value), kDigits);
}

exact::Rational bound_below(double value) {
  return exact::round_down_decimal(exact::from_double(value), kDigits);
}

exact::Rational short_dyadic(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return exact::Rational(exact::Integer(std::lround(std::ldexp(fraction, kMultiplierBits)))) *
         exact::power_of_two(exponent - kMultiplierBits);
}

}  // namespace sinkproof::certify
