#include "exact/decimal.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace sinkproof::exact {
namespace {

Rational power_of_ten(long exponent) {
  const Integer power =
      boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::labs(exponent)));
  return exponent >= 0 ? Rational(power) : make_rational(1, power);
}

// A non-zero value as significand * 10^exponent with `digits` digits, rounded as asked.
struct Scientific {
  Integer significand;
  long exponent;
};

Scientific scientific(const Rational& value, unsigned digits, bool up) {
  const Rational magnitude = abs(value);
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
  Integer significand = up ? ceil(scaled) : floor(scaled);
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

Result<Rational> parse_decimal(std::string_view text) {
  static const std::regex form(
      R"((-?)([0-9]{1,400})(?:\.([0-9]{1,400}))?(?:[eE]([-+]?[0-9]{1,4}))?)");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(text.begin(), text.end(), match, form)) {
    return fail("SP0103", "number \"" + std::string(text.substr(0, 40)) + "\"",
                "not a decimal number such as 0.02 or 2e-2");
  }
  const long exponent = match[4].matched ? std::strtol(match[4].str().c_str(), nullptr, 10) : 0;
  if (std::labs(exponent) > 1000) {
    return fail("SP0103", "number \"" + std::string(text.substr(0, 40)) + "\"",
                "exponent out of range");
  }
  std::string digits = match[2].str() + match[3].str();
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const Rational value =
      Rational(Integer(digits)) * power_of_ten(exponent - static_cast<long>(match[3].length()));
  return match[1].length() > 0 ? Rational(-value) : value;
}

}  // namespace sinkproof::exact
