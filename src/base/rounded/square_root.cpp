#include "rounded/square_root.hpp"

namespace sinkproof::rounded {
namespace {

using exact::Enclosure;
using exact::Integer;
using exact::make_rational;
using exact::power_of_two;
using exact::Rational;

constexpr long kBits = 64;

// Half of log2(value), rounded down, or one less. Precondition: value > 0.
long half_exponent(const Rational& value) {
  const auto bits = [](const Integer& number) {
    return static_cast<long>(boost::multiprecision::msb(number));
  };
  const long exponent = bits(boost::multiprecision::numerator(value)) -
                        bits(boost::multiprecision::denominator(value)) - 1;
  return exponent >= 0 ? exponent / 2 : (exponent - 1) / 2;
}

}  // namespace

Enclosure square_root(const Rational& value) {
  if (value == 0) return {0, 0};
  const Integer top = boost::multiprecision::sqrt(boost::multiprecision::numerator(value));
  const Integer bottom = boost::multiprecision::sqrt(boost::multiprecision::denominator(value));
  const Rational exact_root = make_rational(top, bottom);
  if (exact_root * exact_root == value) return {exact_root, exact_root};
  const long shift = kBits - half_exponent(value);
  const Rational unit = power_of_two(-shift);
  const Integer root = boost::multiprecision::sqrt(exact::floor(value * power_of_two(2 * shift)));
  return {Rational(root) * unit, Rational(root + 1) * unit};
}

Enclosure square_root(const Enclosure& square) {
  return {square_root(square.lower).lower, square_root(square.upper).upper};
}

}  // namespace sinkproof::rounded
