#include "attention/theorem.hpp"

namespace sinkproof::check {

using exact::Rational;

std::optional<Rational> loss_unit(const certificate::Box& box) {
  Rational unit = 1;
  for (const certificate::Interval& interval : box.intervals) {
    if (interval.least != -interval.greatest || interval.greatest == 0) return std::nullopt;
    unit = exact::min(unit, interval.greatest);
  }
  return unit;
}

std::optional<Implied> implied_by_tc1(const Rational& eta, std::size_t length) {
  std::optional<Implied> result;
  for (std::size_t m = 2; m + 2 <= length; ++m) {
    if (2 * Rational(m) * Rational(m + 1) * eta > 1) break;
    result = Implied{m, 1 - 2 * (1 + exact::make_rational(1, m)) * eta};
  }
  if (length < 4) return result;
  const std::size_t m = length - 2;
  const std::size_t p = m < 4 ? m : 4;
  const Rational c = Rational(4) / Rational(m - 1) +
                     Rational((p + 1) * (p + 3)) / (Rational(p - 1) * Rational(m + 1));
  if (4 * Rational(m + 1) * eta > Rational(m - 1) || c * eta >= 1) return result;
  const Rational floor = 1 - 2 * eta / (1 - c * eta);
  if (!result || floor >= result->floor) result = Implied{m, floor};
  return result;
}

// D_J at J = L.
Rational trigger_gap(std::size_t length) {
  return Rational(length - 3) / Rational(2 * (length - 1));
}

std::optional<Implied> implied_by_tc3(const Rational& eta, std::size_t length) {
  auto result = implied_by_tc4(eta, length);
  const Rational d = trigger_gap(length);
  if (result && (16 + 22 * d) * eta <= d) result->floor = 1 - 4 * eta;
  return result;
}

std::optional<Implied> implied_by_tc4(const Rational& eta, std::size_t length) {
  const Rational d = trigger_gap(length);
  if (length < 4 || 4 * eta >= d) return std::nullopt;
  return Implied{length, 1 - 2 * eta / (d - 2 * eta)};
}

}  // namespace sinkproof::check
