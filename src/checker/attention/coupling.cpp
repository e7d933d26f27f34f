#include "attention/coupling.hpp"

#include <tuple>

#include "certificate/rule.hpp"
#include "exact/whole.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;
using Numbers = std::vector<Rational>;

constexpr std::size_t kFlags = 3;

// The lower triangle of [2 diag(first), X^T; X, 2 diag(second)], X_kl = entry(k, l) / denominator,
// in units of 2^-64 of its largest diagonal entry, rounded down, and m less on the diagonal.
template <typename Entry>
exact::IntegerMatrix rounded_block(const Numbers& first, const Numbers& second,
                                   const Integer& denominator, const Entry& entry) {
  const std::size_t d = first.size();
  Rational largest = 0;
  for (std::size_t k = 0; k < d; ++k) {
    largest = exact::max(largest, 2 * exact::max(first[k], second[k]));
  }
  const Rational units = exact::power_of_two(64) / largest;
  exact::IntegerMatrix block(2 * d, 2 * d);
  for (std::size_t k = 0; k < d; ++k) {
    block(k, k) = exact::floor(2 * first[k] * units) - 2 * d;
    block(d + k, d + k) = exact::floor(2 * second[k] * units) - 2 * d;
    for (std::size_t l = 0; l < d; ++l) {
      block(d + k, l) = exact::floor(Rational(entry(k, l)) * units / Rational(denominator));
    }
  }
  return block;
}

// LDL^T whose Schur complements are rounded: what is taken away at each step is diagonally
// dominant.
bool is_shown(exact::IntegerMatrix a) {
  const std::size_t m = a.rows();
  for (std::size_t k = 0; k < m; ++k) {
    const Integer pivot = a(k, k);
    if (pivot <= 0) return false;
    for (std::size_t i = k + 1; i < m; ++i) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = k + 1; j <= i; ++j) {
        if (a(j, k) != 0) a(i, j) -= ceil_div(a(i, k) * a(j, k), pivot);
      }
      a(i, i) -= m;
    }
  }
  return true;
}

// sum_k m(l, k) v_k for l = 0..d-1, m the noise part of a matrix.
std::vector<Integer> product(const exact::IntegerMatrix& matrix, const std::vector<int>& v) {
  using certificate::kNoise;
  std::vector<Integer> result(v.size());
  for (std::size_t l = 0; l < v.size(); ++l) {
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (v[k] != 0) add_product(result[l], matrix(kNoise + l, kNoise + k), v[k]);
    }
  }
  return result;
}

// multiplier_k y_k, and sum_k multiplier_k (16^2 + y_k^2).
std::pair<std::vector<Integer>, Integer> weighed_squares(const std::vector<Integer>& multipliers,
                                                         const std::vector<int>& y) {
  std::pair<std::vector<Integer>, Integer> result;
  for (std::size_t k = 0; k < y.size(); ++k) {
    result.first.push_back(multipliers[k] * y[k]);
    result.second += multipliers[k] * (256 + y[k] * y[k]);
  }
  return result;
}

}  // namespace

Coupling::Coupling(const exact::RationalMatrix& logit)
    : logit_(scaled(logit)),
      transposed_(exact::transpose(logit_.entries)),
      key_sums_(logit.rows() - kFlags) {
  for (std::size_t l = 0; l < dimension(); ++l) {
    const Rational& square = logit(certificate::kNoise + l, certificate::kNoise + l);
    (square > 0 ? squares_above_ : squares_below_) += exact::abs(square);
    for (std::size_t k = 0; k < dimension(); ++k) {
      key_sums_[l] += boost::multiprecision::abs(noise(k, l));
      if (k < l) own_sum_ += boost::multiprecision::abs(own(k, l));
    }
  }
}

void Coupling::require_shown(const certificate::Multipliers& multipliers) {
  const auto noise_entry = [this](std::size_t k, std::size_t l) { return noise(k, l); };
  const auto own_entry = [this](std::size_t k, std::size_t l) { return own(k, l); };
  require(
      is_shown(rounded_block(multipliers.keys, multipliers.queries, denominator(), noise_entry)),
      "multipliers.keys", "with queries, not shown positive semidefinite");
  require(is_shown(rounded_block(multipliers.own, multipliers.own, denominator(), own_entry)),
          "multipliers.own", "not shown positive semidefinite");
  Numbers all = multipliers.keys;
  all.insert(all.end(), multipliers.queries.begin(), multipliers.queries.end());
  all.insert(all.end(), multipliers.own.begin(), multipliers.own.end());
  const exact::ScaledMatrix whole = exact::scaled({3, dimension(), std::move(all)});
  ShownMultipliers& shown = shown_.emplace();
  shown.denominator = whole.denominator;
  for (std::size_t k = 0; k < dimension(); ++k) {
    shown.keys.push_back(denominator() * whole.entries(0, k));
    shown.queries.push_back(denominator() * whole.entries(1, k));
    shown.own.push_back(denominator() * whole.entries(2, k));
  }
}

PointImage Coupling::image(const certificate::Point& point) const {
  PointImage image;
  image.y = point.empty() ? std::vector<int>(dimension()) : point.front();
  image.keys = product(transposed_, image.y);
  image.own = product(logit_.entries, image.y);
  for (std::size_t k = 0; k < dimension(); ++k) {
    image.own[k] += image.keys[k] - 2 * image.y[k] * noise(k, k);
    add_product(image.own_product, image.own[k], image.y[k]);
  }
  std::tie(image.query_slopes, image.query_squares) = weighed_squares(shown_->queries, image.y);
  std::tie(image.own_slopes, image.own_squares) = weighed_squares(shown_->own, image.y);
  for (std::size_t g = 1; g < point.size(); ++g) {
    image.groups.push_back({point[g], product(logit_.entries, point[g])});
  }
  return image;
}

}  // namespace sinkproof::check
