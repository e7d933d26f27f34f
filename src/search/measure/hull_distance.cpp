#include "measure/hull_distance.hpp"

#include <numeric>

#include "measure/rounded_weights.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

RationalMatrix rows_of(const RationalMatrix& gram, const std::vector<std::size_t>& rows) {
  RationalMatrix part(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) part(i, j) = gram(rows[i], rows[j]);
  }
  return part;
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// The corral's weights rounded to whole numbers, those that are not positive left out.
Combination<Integer> rounded(const RationalMatrix& gram, std::vector<std::size_t> support) {
  std::sort(support.begin(), support.end());
  const std::vector<Integer> weights = rounded_affine_weights(rows_of(gram, support));
  Combination<Integer> kept;
  for (std::size_t s = 0; s < support.size(); ++s) {
    if (weights[s] <= 0) continue;
    kept.support.push_back(support[s]);
    kept.weights.push_back(weights[s]);
  }
  if (kept.support.empty()) kept = {{support[0]}, {1}};
  return kept;
}

struct Bounds {
  Rational lower;
  Rational upper;
};

// What weights a prove (6.6): upper = |sum a v|^2 / (sum a)^2, lower from the direction sum a v.
Bounds bounds_of(const RationalMatrix& gram, const Combination<Integer>& nearest) {
  Rational sum = 0;
  for (const Integer& weight : nearest.weights) sum += Rational(weight);
  Rational square = 0;
  Rational least;
  for (std::size_t k = 0; k < gram.rows(); ++k) {
    Rational product = 0;
    for (std::size_t s = 0; s < nearest.support.size(); ++s) {
      product += Rational(nearest.weights[s]) * gram(nearest.support[s], k);
    }
    if (k == 0 || product < least) least = product;
    for (std::size_t s = 0; s < nearest.support.size(); ++s) {
      if (nearest.support[s] == k) square += Rational(nearest.weights[s]) * product;
    }
  }
  Bounds bounds{0, square / (sum * sum)};
  if (least > 0) bounds.lower = least * least / square;
  return bounds;
}

}  // namespace

HullDistance hull_distance(const RationalMatrix& gram, const std::vector<std::size_t>& vectors,
                           const HullOptions& options) {
  const RationalMatrix part = rows_of(gram, vectors);
  const exact::Matrix<double> estimate = scaled_doubles(part);
  const auto start =
      min_norm_point(GramPoints<double>(estimate, first(vectors.size())), MinNormOptions());
  const auto found = exact_min_norm_point(GramPoints<Rational>(part, first(vectors.size())),
                                          start.point, options.max_bits);
  HullDistance result;
  result.vectors = vectors;
  if (found) {
    result.nearest = found->point;
    result.lower = found->squared_norm;
    result.upper = found->squared_norm;
  } else {
    result.nearest = rounded(part, start.point.support);
    const Bounds bounds = bounds_of(part, result.nearest);
    constexpr unsigned kManyDigits = 30;
    result.lower = rounded::round_down_decimal(bounds.lower, kManyDigits);
    result.upper = rounded::round_up_decimal(bounds.upper, kManyDigits);
  }
  for (std::size_t& index : result.nearest.support) index = vectors[index];
  const certificate::Combination weights = terms_of(result.nearest);
  result.property =
      certificate::HullDistance{vectors,
                                {result.lower, result.upper},
                                weights,
                                result.lower > 0 ? weights : certificate::Combination()};
  return result;
}

}  // namespace sinkproof::measure
