#include "measure/representable.hpp"

#include <algorithm>
#include <boost/multiprecision/integer.hpp>
#include <cmath>

#include "measure/digits.hpp"
#include "measure/margin_points.hpp"
#include "measure/rounded_weights.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;
using exact::Result;

constexpr std::size_t kMostOptimumCharacters = 400;  // of an exact optimum that is stated as it is
constexpr std::size_t kMaxBits = 60000;  // of exact multipliers: 6.2 allows 20000 digits

// Whole multipliers with weight * y proportional to the weights of a combination of points.
std::vector<Integer> multipliers_of(const MarginSystem& system, const Combination<Integer>& point) {
  Integer common = 1;
  for (const std::size_t k : point.support) {
    common = boost::multiprecision::lcm(common, system.constraints[k].weight);
  }
  std::vector<Integer> y(system.constraints.size());
  for (std::size_t s = 0; s < point.support.size(); ++s) {
    const std::size_t k = point.support[s];
    y[k] = point.weights[s] * (common / system.constraints[k].weight);
  }
  return y;
}

bool is_zero(const IntegerMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      if (matrix(i, j) != 0) return false;
    }
  }
  return true;
}

// The property `representable` from whole multipliers near the optimum; nothing if their
// combination misses a margin.
std::optional<Representability> enclosed(const DyadicMatrix& gram,
                                         const certificate::Pattern& pattern,
                                         const MarginSystem& system,
                                         const std::vector<Integer>& y) {
  const IntegerMatrix sum = multiplier_matrix(system, y, gram.rows());
  const DyadicMatrix scores{gram.entries * sum * gram.entries, 2 * gram.scale};
  const Rational ratio = least_margin(system, scores) / system.margin;
  if (ratio <= 0) return std::nullopt;
  // M = L / ratio, spelled with a whole denominator.
  const Integer stretch = denominator(ratio);
  const Integer below = numerator(ratio);
  constexpr unsigned kRoom = 128;
  const bool shorten = below > (Integer(1) << (2 * kRoom));
  const unsigned cut = shorten ? static_cast<unsigned>(msb(below)) - kRoom : 0;
  const Integer divisor = below >> cut;
  const Integer factor = (stretch >> cut) + (cut == 0 ? 0 : 1);
  IntegerMatrix entries = sum;
  for (std::size_t i = 0; i < entries.rows(); ++i) {
    for (std::size_t j = 0; j < entries.columns(); ++j) entries(i, j) *= factor;
  }
  const Rational unit = exact::power_of_two(-2 * static_cast<long>(gram.scale));
  const Rational square = unit * Rational(trace_product(scores.entries, sum));
  const Rational stretched = exact::make_rational(factor, divisor);
  Rational weighted = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    weighted += Rational(y[k] * system.constraints[k].weight) * system.margin;
  }
  Representability result;
  result.representable = true;
  result.lower = 1 / (square * stretched * stretched);
  result.upper = square / (weighted * weighted);
  if (result.lower != result.upper ||
      exact::to_string(result.lower).size() > kMostOptimumCharacters) {
    result.lower = rounded::round_down_decimal(result.lower, kDigits);
    result.upper = rounded::round_up_decimal(result.upper, kDigits);
  }
  result.property = certificate::Representable{
      pattern, {result.lower, result.upper}, {entries, divisor}, positive(system, y)};
  return result;
}

// Whole weights proportional to the doubles, the largest of 50 bits.
Combination<Integer> rounded_point(const Combination<double>& point) {
  constexpr int kWeightBits = 50;
  const double most = *std::max_element(point.weights.begin(), point.weights.end());
  Combination<Integer> result;
  for (std::size_t s = 0; s < point.support.size(); ++s) {
    const Integer weight = rounded(std::ldexp(point.weights[s] / most, kWeightBits));
    if (weight <= 0) continue;
    result.support.push_back(point.support[s]);
    result.weights.push_back(weight);
  }
  return result;
}

}  // namespace

Result<Representability> representable(const DyadicMatrix& gram,
                                       const certificate::Pattern& pattern,
                                       const MarginSystem& system) {
  const exact::RationalMatrix exact_gram = rationals(gram);
  const exact::Matrix<double> float_gram = scaled_doubles(exact_gram);
  std::vector<double> float_weights;
  std::vector<Rational> weights;
  for (const auto& constraint : system.constraints) {
    float_weights.push_back(constraint.weight.convert_to<double>());
    weights.emplace_back(constraint.weight);
  }
  const MarginPoints<double> points(float_gram, system, float_weights);
  const MinNormPoint near = min_norm_point(points);
  if (near.least_product > 0) {
    auto found = enclosed(gram, pattern, system, multipliers_of(system, rounded_point(near.point)));
    if (found) return std::move(*found);
  }
  const MarginPoints<Rational> exact_points(exact_gram, system, weights);
  const auto nearest = exact_min_norm_point(exact_points, near.point, kMaxBits);
  if (nearest && nearest->squared_norm > 0) {
    auto found = enclosed(gram, pattern, system, multipliers_of(system, nearest->point));
    if (found) return std::move(*found);
  }
  if (nearest && nearest->squared_norm == 0) {
    const std::vector<Integer> y = multipliers_of(system, nearest->point);
    const IntegerMatrix sum = multiplier_matrix(system, y, gram.rows());
    if (is_zero(gram.entries * sum * gram.entries)) {
      Representability result;
      result.multipliers = positive(system, y);
      result.property = certificate::Infeasible{pattern, result.multipliers};
      return result;
    }
  }
  return exact::fail("SP1611", name_of(pattern.kind),
                     "is undecided: neither a matrix nor exact multipliers were found");
}

}  // namespace sinkproof::measure
