#include "exact/decimal.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace sinkproof::exact {
Rational power_of_ten(long exponent) {
  const Integer power = pow(Integer(10), static_cast<unsigned>(std::labs(exponent)));
  return exponent >= 0 ? Rational(power) : make_rational(1, power);
}

Result<Rational> parse_decimal(std::string_view text) {
  static const std::regex form(
      R"((-?)([0-9]{1,400})(?:\.([0-9]{1,400}))?(?:[eE]([-+]?[0-9]{1,4}))?)");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(text.begin(), text.end(), match, form)) {
    return fail("SP0103", "number \"" + std::string(text.substr(0, 40)) + "\"",
                "is not a decimal number; write one such as 0.02 or 2e-2");
  }
  const long exponent = match[4].matched ? std::strtol(match[4].str().c_str(), nullptr, 10) : 0;
  if (std::labs(exponent) > 1000) {
    return fail("SP0103", "number \"" + std::string(text.substr(0, 40)) + "\"",
                "has an exponent out of range");
  }
  std::string digits = match[2].str() + match[3].str();
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const Rational value =
      Rational(Integer(digits)) * power_of_ten(exponent - static_cast<long>(match[3].length()));
  return match[1].length() > 0 ? Rational(-value) : value;
}

}  // namespace sinkproof::exact
