#include "report/bound_text.hpp"

#include <fmt/format.h>

#include "exact/decimal.hpp"

namespace sinkproof::report {
namespace {

constexpr unsigned kDigits = 7;

}  // namespace

std::string down(const exact::Rational& lower) { return exact::decimal_down(lower, kDigits); }

std::string up(const exact::Rational& upper) { return exact::decimal_up(upper, kDigits); }

std::string interval_text(const exact::Enclosure& interval) {
  return fmt::format("[{}, {}]", down(interval.lower), up(interval.upper));
}

}  // namespace sinkproof::report
