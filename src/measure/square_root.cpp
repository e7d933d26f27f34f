#include "measure/square_root.hpp"

namespace sinkproof::measure {

using exact::Enclosure;
using exact::Integer;
using exact::Rational;

namespace {

constexpr long kBits = 64;

// floor(log2(value)) or one less. Precondition: value > 0.
long exponent_of(const Rational& value) {
  return static_cast<long>(boost::multiprecision::msb(boost::multiprecision::numerator(value))) -
         static_cast<long>(boost::multiprecision::msb(boost::multiprecision::denominator(value))) -
         1;
}

// Multiples of 2^-shift on either side of the root.
Enclosure root_between(const Rational& value, long shift) {
  const Integer root =
      boost::multiprecision::sqrt(exact::floor(value * exact::power_of_two(2 * shift)));
  const Rational unit = exact::power_of_two(-shift);
  const Rational lower = Rational(root) * unit;
  if (lower * lower == value) return {lower, lower};
  return {lower, Rational(root + 1) * unit};
}

}  // namespace

Enclosure square_root(const Rational& value) {
  if (value == 0) return {0, 0};
  const long exponent = exponent_of(value);
  return root_between(value, kBits - (exponent >= 0 ? exponent / 2 : (exponent - 1) / 2));
}

Enclosure cosine(const Rational& dot, const Rational& square_a, const Rational& square_b) {
  const Enclosure size = root_between(dot * dot / (square_a * square_b), kBits);
  if (dot >= 0) return size;
  return {-size.upper, -size.lower};
}

}  // namespace sinkproof::measure
