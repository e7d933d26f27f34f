#include "measure/exact_scores.hpp"

#include <cmath>

#include "rounded/double.hpp"

namespace sinkproof::measure {

using exact::Integer;
using exact::Rational;

namespace {

// Row `target` of an eliminated Gram matrix as a combination of the pivot rows before it. `left`
// holds, in each pivot's row, its fraction-free elimination: solving backwards, with the last pivot
// (the pivots' Gram determinant) as the common denominator, every quotient is whole by Cramer's
// rule.
std::vector<Share> combination_of(const IntegerMatrix& left, const std::vector<std::size_t>& places,
                                  std::size_t target, const std::vector<std::size_t>& rows) {
  if (places.empty()) return {};
  const Integer& denominator = left(places.back(), places.back());
  std::vector<Integer> numerators(places.size());
  for (std::size_t p = places.size(); p-- > 0;) {
    const std::size_t row = places[p];
    Integer sum = denominator * left(row, target);
    for (std::size_t q = p + 1; q < places.size(); ++q) sum -= left(row, places[q]) * numerators[q];
    numerators[p] = sum / left(row, row);
  }
  std::vector<Share> combination;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (numerators[p] == 0) continue;
    combination.push_back({rows[places[p]], exact::make_rational(numerators[p], denominator)});
  }
  return combination;
}

}  // namespace

IntegerMatrix multiplier_matrix(const MarginSystem& system, const std::vector<Integer>& y,
                                std::size_t count) {
  IntegerMatrix sum(count, count);
  for (std::size_t k = 0; k < y.size(); ++k) {
    const certificate::Triple& triple = system.constraints[k].triple;
    sum(triple.query, triple.above) += y[k];
    sum(triple.query, triple.below) -= y[k];
  }
  return sum;
}

Rational least_margin(const MarginSystem& system, const DyadicMatrix& scores) {
  std::optional<Rational> least;
  for (const auto& [triple, weight] : system.constraints) {
    const Rational share = exact::make_rational(
        scores.entries(triple.query, triple.above) - scores.entries(triple.query, triple.below),
        weight);
    if (!least || share < *least) least = share;
  }
  return *least * exact::power_of_two(-static_cast<long>(scores.scale));
}

Integer trace_product(const IntegerMatrix& a, const IntegerMatrix& b) {
  Integer sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) sum += a(i, j) * b(i, j);
  }
  return sum;
}

std::vector<certificate::WeightedTriple> positive(const MarginSystem& system,
                                                  const std::vector<Integer>& y) {
  std::vector<certificate::WeightedTriple> result;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (y[k] > 0) result.push_back({system.constraints[k].triple, y[k]});
  }
  return result;
}

Integer rounded(double value) {
  const Rational exact = rounded::from_double(value) + Rational(1, 2);
  return exact::floor(exact);
}

Rank exact_rank(const IntegerMatrix& gram, const std::vector<std::size_t>& rows) {
  const std::size_t n = rows.size();
  IntegerMatrix left(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) left(i, j) = gram(rows[i], rows[j]);
  }
  Rank result;
  std::vector<std::size_t> places;  // of the pivots in the list
  Integer previous = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const Integer pivot = left(k, k);  // a Gram determinant: 0 exactly for a dependent row
    if (pivot == 0) {
      if (!result.dependent) {
        result.dependent = rows[k];
        result.combination = combination_of(left, places, k, rows);
      }
      continue;
    }
    places.push_back(k);
    result.pivots.push_back(rows[k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) {
        left(i, j) = (pivot * left(i, j) - left(i, k) * left(k, j)) / previous;
      }
    }
    previous = pivot;
  }
  result.rank = result.pivots.size();
  return result;
}

}  // namespace sinkproof::measure
