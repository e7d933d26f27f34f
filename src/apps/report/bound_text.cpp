#include "report/bound_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rounded/decimal.hpp"
#include "rounded/double.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::Rational;

constexpr unsigned kDigits = 7;

// Towards 0.
std::string cut(const Rational& value, unsigned digits) {
  return value < 0 ? rounded::decimal_up(value, digits) : rounded::decimal_down(value, digits);
}

// So many digits, zeros at the end too, and "…" after them; an exponent stays behind.
std::string going_on(const std::string& text, unsigned digits) {
  const std::size_t end = std::min(text.find('e'), text.size());
  std::string shown = text.substr(0, end);
  const std::size_t first = shown.find_first_of("123456789");
  std::size_t known = shown.size() - first;
  const std::size_t point = shown.find('.');
  if (point != std::string::npos && point > first) --known;
  if (point == std::string::npos && known < digits) shown += '.';
  if (known < digits) shown.append(digits - known, '0');
  return shown + "…" + text.substr(end);
}

}  // namespace

std::string down(const exact::Rational& lower) { return rounded::decimal_down(lower, kDigits); }

std::string up(const exact::Rational& upper) { return rounded::decimal_up(upper, kDigits); }

std::string interval_text(const exact::Enclosure& interval) {
  return fmt::format("[{}, {}]", down(interval.lower), up(interval.upper));
}

std::string certain_text(const Enclosure& number) {
  constexpr unsigned kShown = 4;
  constexpr std::size_t kWidest = 15;  // longer whole parts are written with an exponent
  const std::size_t whole = exact::floor(exact::abs(number.lower)).str().size();
  // No digit before the point is left out, or zeros in its place would say too much.
  const unsigned least = whole <= kWidest ? std::max(2U, static_cast<unsigned>(whole)) : 2;
  const unsigned most = std::max(kShown, least);
  const bool exactly = number.lower == number.upper &&
                       rounded::round_down_decimal(number.lower, most) == number.lower;
  if (exactly) return rounded::decimal_down(number.lower, most);
  if (exact::sign(number.lower) * exact::sign(number.upper) > 0) {
    for (unsigned digits = most; digits >= least; --digits) {
      const std::string text = cut(number.lower, digits);
      if (text == cut(number.upper, digits)) return going_on(text, digits);
    }
  }
  return fmt::format("[{}, {}]", rounded::decimal_down(number.lower, kShown),
                     rounded::decimal_up(number.upper, kShown));
}

std::string estimate_text(const exact::Rational& number) {
  return fmt::format("≈ {:.4g}", rounded::to_double_estimate(number));
}

}  // namespace sinkproof::report
