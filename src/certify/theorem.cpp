#include "certify/theorem.hpp"

#include <algorithm>

namespace sinkproof::certify {

using exact::Rational;

namespace {

// tc-1's bound that reads a noise coordinate as well (proofs/tc-1, step 4), with the parameters
// that make its constant least: m as large as it gets, p = 4 or as near as the length allows.
std::optional<Implied> implied_by_noise_probe(const Rational& eta, std::size_t length) {
  if (length < 4) return std::nullopt;
  const Rational m(length - 2);
  const Rational p(std::min<std::size_t>(length - 2, 4));
  const Rational constant = 4 / (m - 1) + (p + 1) * (p + 3) / ((p - 1) * (m + 1));
  const bool applies = eta <= (m - 1) / (4 * (m + 1)) && constant * eta < 1;
  if (!applies) return std::nullopt;
  return Implied{length - 2, 1 - 2 * eta / (1 - constant * eta)};
}

}  // namespace

std::optional<Rational> loss_unit(const certificate::Box& box) {
  Rational unit = 1;
  for (const auto& [least, greatest] : box.intervals) {
    if (least + greatest != 0 || least == greatest) return std::nullopt;
    unit = std::min(unit, greatest);
  }
  return unit;
}

std::optional<Implied> implied_by_tc1(const Rational& eta, std::size_t length) {
  std::optional<Implied> best;
  for (std::size_t m = 2; m + 2 <= length && Rational(2 * m * (m + 1)) * eta <= 1; ++m) {
    best = Implied{m, 1 - 2 * (1 + exact::make_rational(1, m)) * eta};
  }
  const std::optional<Implied> sharper = implied_by_noise_probe(eta, length);
  return sharper && (!best || best->floor <= sharper->floor) ? sharper : best;
}

std::optional<Implied> implied_by_tc3(const Rational& eta, std::size_t length) {
  if (length < 4) return std::nullopt;
  const Rational d = exact::make_rational(length - 3, 2 * (length - 1));
  if (4 * eta >= d) return std::nullopt;
  if (eta * (16 + 22 * d) <= d) return Implied{length, 1 - 4 * eta};
  return Implied{length, 1 - 2 * eta / (d - 2 * eta)};
}

}  // namespace sinkproof::certify
