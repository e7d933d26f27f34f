#include "exact/rational.hpp"

#include "exact/whole.hpp"

namespace sinkproof::exact {
namespace {

bool is_canonical_natural(std::string_view digits) {
  return !digits.empty() && digits.size() <= kMaxDigits &&
         digits.find_first_not_of("0123456789") == std::string_view::npos &&
         (digits[0] != '0' || digits == "0");
}

}  // namespace

Result<Rational> parse_rational(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view magnitude = text.substr(negative ? 1 : 0);
  const std::size_t slash = magnitude.find('/');
  const bool is_whole = slash == std::string_view::npos;
  const std::string_view numerator = magnitude.substr(0, slash);
  const std::string_view denominator = is_whole ? "1" : magnitude.substr(slash + 1);
  if (is_canonical_natural(numerator) && is_canonical_natural(denominator) && denominator != "0" &&
      (is_whole || denominator != "1") && (!negative || numerator != "0")) {
    const Integer p{std::string(numerator)};
    const Integer q{std::string(denominator)};
    if (gcd(p, q) == 1) return make_rational(negative ? Integer(-p) : p, q);
  }
  constexpr std::size_t shown = 40;
  return fail(
      "SP0101",
      "number \"" + std::string(text.substr(0, shown)) + (text.size() > shown ? "...\"" : "\""),
      "is not a canonical rational; write p or p/q in lowest terms with q > 1");
}

std::string to_string(const Rational& value) { return value.str(); }

Rational make_rational(const Integer& numerator, const Integer& denominator) {
  return Rational(numerator) / Rational(denominator);
}

Rational power_of_two(long exponent) {
  const Integer power = Integer(1) << static_cast<unsigned long>(std::labs(exponent));
  return exponent >= 0 ? Rational(power) : make_rational(1, power);
}

Integer floor(const Rational& value) { return floor_div(numerator(value), denominator(value)); }
Integer ceil(const Rational& value) { return ceil_div(numerator(value), denominator(value)); }

Rational round_down(const Rational& value, unsigned bits) {
  const Integer scale = unit(bits);
  return make_rational(floor(value * Rational(scale)), scale);
}

Rational round_up(const Rational& value, unsigned bits) {
  const Integer scale = unit(bits);
  return make_rational(ceil(value * Rational(scale)), scale);
}

}  // namespace sinkproof::exact
