#include "rounded/decimal.hpp"

#include "exact/decimal.hpp"

namespace sinkproof::rounded {
namespace {

using exact::Integer;
using exact::power_of_ten;
using exact::Rational;

// A non-zero value as significand * 10^exponent with `digits` digits, rounded as asked.
struct Scientific {
  Integer significand;
  long exponent;
};

Scientific scientific(const Rational& value, unsigned digits, bool up) {
  const Rational magnitude = exact::abs(value);
  // Start from the sizes in bits and walk to the exponent with exactly `digits` digits before the
  // point.
  const auto bits = [](const Integer& n) {
    return static_cast<long>(boost::multiprecision::msb(n));
  };
  long exponent = (bits(boost::multiprecision::numerator(magnitude)) -
                   bits(boost::multiprecision::denominator(magnitude))) *
                      30103 / 100000 -
                  static_cast<long>(digits);
  const Rational top(power_of_ten(digits));
  while (magnitude / power_of_ten(exponent) >= top) ++exponent;
  while (magnitude / power_of_ten(exponent) < top / 10) --exponent;
  const Rational scaled = value / power_of_ten(exponent);
  Integer significand = up ? exact::ceil(scaled) : exact::floor(scaled);
  while (significand != 0 && significand % 10 == 0) {
    significand /= 10;
    ++exponent;
  }
  return {significand, exponent};
}

std::string text_of(const Rational& value, unsigned digits, bool up) {
  if (value == 0) return "0";
  const Scientific form = scientific(value, digits, up);
  const bool negative = form.significand < 0;
  std::string text = Integer(negative ? Integer(-form.significand) : form.significand).str();
  const long point = static_cast<long>(text.size()) + form.exponent;  // digits before the point
  constexpr long kWidest = 15;
  constexpr long kSmallest = -5;
  if (form.exponent >= 0 && point <= kWidest) {
    text.append(static_cast<std::size_t>(form.exponent), '0');
  } else if (point > 0 && form.exponent < 0) {
    text.insert(static_cast<std::size_t>(point), ".");
  } else if (point > kSmallest && point <= 0) {
    text.insert(0, "0." + std::string(static_cast<std::size_t>(-point), '0'));
  } else {
    const long shown = point - 1;
    if (text.size() > 1) text.insert(1, ".");
    text += "e" + std::to_string(shown);
  }
  return negative ? "-" + text : text;
}

}  // namespace

Rational round_down_decimal(const Rational& value, unsigned digits) {
  if (value == 0) return value;
  const Scientific form = scientific(value, digits, false);
  return Rational(form.significand) * power_of_ten(form.exponent);
}

Rational round_up_decimal(const Rational& value, unsigned digits) {
  if (value == 0) return value;
  const Scientific form = scientific(value, digits, true);
  return Rational(form.significand) * power_of_ten(form.exponent);
}

std::string decimal_down(const Rational& value, unsigned digits) {
  return text_of(value, digits, false);
}

std::string decimal_up(const Rational& value, unsigned digits) {
  return text_of(value, digits, true);
}

}  // namespace sinkproof::rounded
