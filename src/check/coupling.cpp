#include "check/coupling.hpp"

#include "check/rejected.hpp"
#include "forward/whole.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;
using Numbers = std::vector<Rational>;

// The lower triangle of [2 diag(first), X^T; X, 2 diag(second)], X_kl = entry(k, l), in units of
// 2^-64 of its largest diagonal entry, rounded down, and m less on the diagonal.
template <typename Entry>
IntegerMatrix rounded_block(const Numbers& first, const Numbers& second, const Entry& entry) {
  const std::size_t d = first.size();
  Rational largest = 0;
  for (std::size_t k = 0; k < d; ++k) {
    largest = exact::max(largest, 2 * exact::max(first[k], second[k]));
  }
  const Rational units = exact::power_of_two(64) / largest;
  IntegerMatrix block(2 * d, 2 * d);
  for (std::size_t k = 0; k < d; ++k) {
    block(k, k) = exact::floor(2 * first[k] * units) - 2 * d;
    block(d + k, d + k) = exact::floor(2 * second[k] * units) - 2 * d;
    for (std::size_t l = 0; l < d; ++l) block(d + k, l) = exact::floor(entry(k, l) * units);
  }
  return block;
}

// LDL^T whose Schur complements are rounded: what is taken away at each step is diagonally
// dominant.
bool is_shown(IntegerMatrix a) {
  const std::size_t m = a.rows();
  for (std::size_t k = 0; k < m; ++k) {
    const Integer pivot = a(k, k);
    if (pivot <= 0) return false;
    for (std::size_t i = k + 1; i < m; ++i) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = k + 1; j <= i; ++j) {
        if (a(j, k) != 0) a(i, j) -= forward::ceil_div(a(i, k) * a(j, k), pivot);
      }
      a(i, i) -= m;
    }
  }
  return true;
}

// sum_k entry(l, k) v_k / 16 for l = 0..d-1, over integer entries.
template <typename Entry>
Numbers product(const std::vector<int>& v, const Integer& denominator, const Entry& entry) {
  Numbers result;
  for (std::size_t l = 0; l < v.size(); ++l) {
    Integer sum = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (v[k] != 0) sum += entry(l, k) * v[k];
    }
    result.push_back(exact::make_rational(sum, 16 * denominator));
  }
  return result;
}

Numbers sixteenths(const std::vector<int>& v) {
  Numbers result;
  for (const int number : v) result.push_back(exact::make_rational(number, 16));
  return result;
}

ScaledMatrix noise_part(const exact::RationalMatrix& logit) {
  const std::size_t d = logit.rows() - 3;
  exact::RationalMatrix result(d, d);
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t l = 0; l < d; ++l)
      result(k, l) = logit(certificate::kNoise + k, certificate::kNoise + l);
  }
  return scaled(result);
}

}  // namespace

Coupling::Coupling(const exact::RationalMatrix& logit)
    : noise_(noise_part(logit)), key_sums_(noise_.rows()) {
  for (std::size_t l = 0; l < dimension(); ++l) {
    for (std::size_t k = 0; k < dimension(); ++k) {
      key_sums_[l] += exact::abs(noise(k, l));
      if (k < l) own_sum_ += exact::abs(own(k, l));
    }
  }
}

Rational Coupling::noise(std::size_t k, std::size_t l) const {
  return exact::make_rational(noise_.entries(k, l), noise_.denominator);
}

Rational Coupling::own(std::size_t k, std::size_t l) const {
  return k == l ? Rational(0) : noise(k, l) + noise(l, k);
}

void Coupling::require_shown(const certificate::Multipliers& multipliers) {
  const auto noise_entry = [this](std::size_t k, std::size_t l) { return noise(k, l); };
  const auto own_entry = [this](std::size_t k, std::size_t l) { return own(k, l); };
  require(is_shown(rounded_block(multipliers.keys, multipliers.queries, noise_entry)),
          "multipliers.keys", "with queries, not shown positive semidefinite");
  require(is_shown(rounded_block(multipliers.own, multipliers.own, own_entry)), "multipliers.own",
          "not shown positive semidefinite");
  multipliers_ = multipliers;
}

PointImage Coupling::image(const certificate::Point& point) const {
  const IntegerMatrix& n = noise_.entries;
  const std::vector<int> zero(dimension());
  const std::vector<int>& y = point.empty() ? zero : point.front();
  const Integer& unit = noise_.denominator;
  PointImage image{
      sixteenths(y),
      product(y, unit, [&](std::size_t l, std::size_t k) { return n(k, l); }),
      product(y, unit,
              [&](std::size_t l, std::size_t k) { return k == l ? 0 : n(k, l) + n(l, k); }),
      {}};
  for (std::size_t g = 1; g < point.size(); ++g) {
    image.groups.push_back({sixteenths(point[g]), product(point[g], unit, n)});
  }
  return image;
}

}  // namespace sinkproof::check
