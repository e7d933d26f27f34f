#include "measure/switch_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/rounded_weights.hpp"
#include "rounded/double.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

// u . v_k.
Rational product_with(const RationalMatrix& gram, const Combination<Integer>& direction,
                      std::size_t k) {
  Rational product = 0;
  for (std::size_t s = 0; s < direction.support.size(); ++s) {
    product += Rational(direction.weights[s]) * gram(direction.support[s], k);
  }
  return product;
}

Rational squared_length(const RationalMatrix& gram, const Combination<Integer>& direction) {
  Rational square = 0;
  for (std::size_t s = 0; s < direction.support.size(); ++s) {
    square += Rational(direction.weights[s]) * product_with(gram, direction, direction.support[s]);
  }
  return square;
}

// sqrt(G_kk - 2 G_k0 + G_00) at most, over the others.
Rational spread_of(const RationalMatrix& gram, std::size_t anchor,
                   const std::vector<std::size_t>& others) {
  Rational largest = 0;
  for (const std::size_t k : others) {
    largest = exact::max(largest, gram(k, k) - 2 * gram(k, anchor) + gram(anchor, anchor));
  }
  return rounded::square_root(largest).upper;
}

// The points v_k and (1 - level) v_k + level v_0, k over the others: their hull is what the head
// can put out with attention at most `level` on its anchor.
class LimitedAttention final : public PointSet<double> {
 public:
  LimitedAttention(const exact::Matrix<double>& gram, std::size_t anchor,
                   const std::vector<std::size_t>& others, double level)
      : gram_(gram), anchor_(anchor), others_(others), level_(level) {}

  [[nodiscard]] std::size_t count() const override { return 2 * others_.size(); }

  [[nodiscard]] double inner(std::size_t k, std::size_t l) const override {
    const double p = share(k);
    const double q = share(l);
    const std::size_t a = other(k);
    const std::size_t b = other(l);
    return (1 - p) * (1 - q) * gram_(a, b) + (1 - p) * q * gram_(a, anchor_) +
           p * (1 - q) * gram_(anchor_, b) + p * q * gram_(anchor_, anchor_);
  }

  [[nodiscard]] Least<double> least(const Combination<double>& x) const override {
    const std::map<std::size_t, double> coefficients = coefficients_of(x);
    const auto along = [&](std::size_t vector) {
      double product = 0;
      for (const auto& [k, coefficient] : coefficients) product += coefficient * gram_(k, vector);
      return product;
    };
    const double along_anchor = along(anchor_);
    Least<double> best;
    for (std::size_t k = 0; k < others_.size(); ++k) {
      const double alone = along(others_[k]);
      if (k == 0 || alone < best.value) best = {k, alone};
      const double mixed = (1 - level_) * alone + level_ * along_anchor;
      if (mixed < best.value) best = {k + others_.size(), mixed};
    }
    return best;
  }

  // x in terms of the vectors, its coefficients rounded to whole multiples of 2^-60.
  [[nodiscard]] Combination<Integer> in_vectors(const Combination<double>& x) const {
    Combination<Integer> result;
    for (const auto& [k, coefficient] : coefficients_of(x)) {
      result.support.push_back(k);
      result.weights.push_back(
          exact::floor(rounded::from_double(coefficient) * exact::power_of_two(60)));
    }
    return result;
  }

 private:
  [[nodiscard]] std::map<std::size_t, double> coefficients_of(const Combination<double>& x) const {
    std::map<std::size_t, double> coefficients;
    for (std::size_t s = 0; s < x.support.size(); ++s) {
      const double p = share(x.support[s]);
      coefficients[other(x.support[s])] += (1 - p) * x.weights[s];
      coefficients[anchor_] += p * x.weights[s];
    }
    return coefficients;
  }

  [[nodiscard]] std::size_t other(std::size_t k) const { return others_[k % others_.size()]; }
  [[nodiscard]] double share(std::size_t k) const { return k < others_.size() ? 0 : level_; }

  const exact::Matrix<double>& gram_;
  std::size_t anchor_;
  const std::vector<std::size_t>& others_;
  double level_;
};

// The direction with the highest floor for outputs of norm eta: the largest level at which the
// least output still has that norm, by bisection, and its least output.
Combination<Integer> direction_for(const exact::Matrix<double>& gram, std::size_t anchor,
                                   const std::vector<std::size_t>& others, double eta) {
  double below = 0;
  double above = 1;
  constexpr int kRounds = 30;
  Combination<Integer> direction;
  for (int round = 0; round < kRounds; ++round) {
    const double level = round == 0 ? 1 : (below + above) / 2;
    const LimitedAttention points(gram, anchor, others, level);
    const MinNormPoint found = min_norm_point(points);
    if (std::sqrt(found.squared_norm) >= eta) {
      below = level;
      direction = points.in_vectors(found.point);
    } else {
      above = level;
    }
    if (above <= below) break;
  }
  return direction;
}

}  // namespace

Rational SwitchBounds::floor(const Rational& eta) const {
  if (eta >= gap) return 0;
  return (gap - eta) / (gap + anchor_loss);
}

std::optional<SwitchBounds> switch_bounds(const RationalMatrix& gram, std::size_t anchor,
                                          const std::vector<std::size_t>& others,
                                          const Combination<Integer>& direction) {
  Rational least = product_with(gram, direction, others[0]);
  for (const std::size_t k : others) {
    least = exact::min(least, product_with(gram, direction, k));
  }
  if (least <= 0) return std::nullopt;
  const Rational square = squared_length(gram, direction);
  const Rational along_anchor = product_with(gram, direction, anchor);
  SwitchBounds bounds;
  bounds.anchor = anchor;
  bounds.others = others;
  bounds.gap = rounded::square_root(least * least / square).lower;
  if (along_anchor < 0) {
    bounds.anchor_loss = rounded::square_root(along_anchor * along_anchor / square).upper;
  }
  bounds.anchor_norm = rounded::square_root(gram(anchor, anchor)).upper;
  bounds.spread = spread_of(gram, anchor, others);
  bounds.property = certificate::Switch{anchor,
                                        others,
                                        bounds.gap,
                                        bounds.anchor_loss,
                                        bounds.anchor_norm,
                                        bounds.spread,
                                        terms_of(direction)};
  return bounds;
}

std::vector<SwitchBounds> best_switch_bounds(const RationalMatrix& gram, std::size_t anchor,
                                             const HullDistance& without) {
  const std::vector<std::size_t>& others = without.vectors;
  if (without.lower == 0) return {};
  auto widest = switch_bounds(gram, anchor, others,
                              {without.nearest.support, shortened(without.nearest.weights)});
  if (!widest) return {};
  widest->direction = "largest gap";
  std::vector<SwitchBounds> all = {std::move(*widest)};
  if (all[0].anchor_loss == 0) return all;
  const Rational eta = all[0].gap / 10;
  // eta in the units of the scaled Gram matrix.
  const exact::Matrix<double> estimate = scaled_doubles(gram);
  Rational ratio = 0;
  for (std::size_t k = 0; k < gram.rows() && ratio == 0; ++k) {
    if (gram(k, k) > 0) ratio = rounded::from_double(estimate(k, k)) / gram(k, k);
  }
  const double scaled_eta = std::sqrt(rounded::to_double_estimate(eta * eta * ratio));
  auto sharper =
      switch_bounds(gram, anchor, others, direction_for(estimate, anchor, others, scaled_eta));
  if (sharper && sharper->floor(eta) > all[0].floor(eta)) {
    sharper->direction = "highest floor for outputs of a tenth of the largest gap";
    all.push_back(std::move(*sharper));
  }
  return all;
}

}  // namespace sinkproof::measure
