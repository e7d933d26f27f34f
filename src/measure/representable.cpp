#include "measure/representable.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "measure/min_norm_point.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Triple;
using certificate::WeightedTriple;
using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

template <typename Number>
Number weight_of(const WeightedTriple& constraint);
template <>
double weight_of<double>(const WeightedTriple& constraint) {
  return constraint.weight.convert_to<double>();
}
template <>
Rational weight_of<Rational>(const WeightedTriple& constraint) {
  return Rational(constraint.weight);
}

// The matrices v_j (v_a - v_i)^T over their constraint's weight, as points.
template <typename Number>
class MarginPoints final : public PointSet<Number> {
 public:
  MarginPoints(exact::Matrix<Number> gram, const MarginSystem& system)
      : gram_(std::move(gram)), system_(system) {}

  [[nodiscard]] std::size_t count() const override { return system_.constraints.size(); }

  [[nodiscard]] Number inner(std::size_t k, std::size_t l) const override {
    const Triple& p = system_.constraints[k].triple;
    const Triple& q = system_.constraints[l].triple;
    const Number keys = gram_(p.above, q.above) - gram_(p.above, q.below) -
                        gram_(p.below, q.above) + gram_(p.below, q.below);
    return gram_(p.query, q.query) * keys / (weight(k) * weight(l));
  }

  [[nodiscard]] Least<Number> least(const Combination<Number>& x) const override {
    std::vector<Number> multipliers;
    for (std::size_t s = 0; s < x.support.size(); ++s) {
      multipliers.push_back(x.weights[s] / weight(x.support[s]));
    }
    const auto matrix = multiplier_matrix(system_, x.support, multipliers, gram_.rows());
    const exact::Matrix<Number> scores = gram_ * (matrix * gram_);
    Least<Number> best;
    for (std::size_t k = 0; k < count(); ++k) {
      const Triple& t = system_.constraints[k].triple;
      const Number product =
          Number(scores(t.query, t.above) - scores(t.query, t.below)) / weight(k);
      if (k == 0 || product < best.value) best = {k, product};
    }
    return best;
  }

 private:
  [[nodiscard]] Number weight(std::size_t k) const {
    return weight_of<Number>(system_.constraints[k]);
  }

  exact::Matrix<Number> gram_;
  const MarginSystem& system_;
};

exact::Matrix<double> estimate_of(const RationalMatrix& gram) {
  exact::Matrix<double> result(gram.rows(), gram.columns());
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.columns(); ++j) {
      result(i, j) = exact::to_double_estimate(gram(i, j));
    }
  }
  return result;
}

// Whole multipliers of the constraints themselves, strictly increasing; not empty.
using Multipliers = std::map<std::size_t, Integer>;

// A point's weights are of the constraints over their weights.
Multipliers multipliers_of(const Combination<Integer>& point, const MarginSystem& system) {
  Integer common = 1;
  for (const std::size_t k : point.support) {
    common = boost::multiprecision::lcm(common, system.constraints[k].weight);
  }
  Multipliers result;
  for (std::size_t s = 0; s < point.support.size(); ++s) {
    const std::size_t k = point.support[s];
    result[k] = point.weights[s] * (common / system.constraints[k].weight);
  }
  return result;
}

// The largest weight becomes about 2^50.
Combination<Integer> rounded(const Combination<double>& point) {
  constexpr int kBits = 50;
  const double largest = *std::max_element(point.weights.begin(), point.weights.end());
  Combination<Integer> result;
  for (std::size_t s = 0; s < point.support.size(); ++s) {
    const Integer weight(std::floor(std::ldexp(point.weights[s] / largest, kBits)));
    if (weight <= 0) continue;
    result.support.push_back(point.support[s]);
    result.weights.push_back(weight);
  }
  return result;
}

json::Value triples_json(const Multipliers& multipliers, const MarginSystem& system) {
  json::Value list = json::Value::array();
  for (const auto& [k, y] : multipliers) {
    const Triple& t = system.constraints[k].triple;
    list.push_back({t.query, t.above, t.below, y.str()});
  }
  return list;
}

RationalMatrix matrix_of(const Multipliers& multipliers, const MarginSystem& system,
                         std::size_t count) {
  std::vector<std::size_t> which;
  std::vector<Rational> values;
  for (const auto& [k, y] : multipliers) {
    which.push_back(k);
    values.emplace_back(y);
  }
  return multiplier_matrix(system, which, values, count);
}

Representability infeasible(const Multipliers& multipliers, const MarginSystem& system) {
  Representability result;
  result.property = {{{"property", "infeasible"}, {"pattern", system.pattern}},
                     {{"multipliers", triples_json(multipliers, system)}}};
  return result;
}

// {"denominator", "rows"} of factor * matrix, whose entries are whole.
json::Value coefficients_json(const RationalMatrix& matrix, const Rational& factor) {
  const Integer top = boost::multiprecision::numerator(factor);
  json::Value rows = json::Value::array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    json::Value row = json::Value::array();
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      row.push_back(Integer(boost::multiprecision::numerator(matrix(i, j)) * top).str());
    }
    rows.push_back(std::move(row));
  }
  return {{"denominator", boost::multiprecision::denominator(factor).str()},
          {"rows", std::move(rows)}};
}

// What the multipliers' own combination proves of the margin, from both sides; nothing when some
// constraint fails for it.
std::optional<Representability> feasible(const Multipliers& multipliers, const MarginSystem& system,
                                         const RationalMatrix& gram) {
  const RationalMatrix matrix = matrix_of(multipliers, system, gram.rows());
  const RationalMatrix scores = gram * (matrix * gram);
  std::optional<Rational> least;
  for (const WeightedTriple& constraint : system.constraints) {
    const Triple& t = constraint.triple;
    const Rational margin =
        (scores(t.query, t.above) - scores(t.query, t.below)) / Rational(constraint.weight);
    if (!least || margin < *least) least = margin;
  }
  if (*least <= 0) return std::nullopt;
  Rational square = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) square += matrix(i, j) * scores(i, j);
  }
  Rational weight = 0;
  for (const auto& [k, y] : multipliers) weight += Rational(y * system.constraints[k].weight);
  Representability result;
  result.feasible = true;
  const Rational factor = system.margin / *least;
  result.lower = 1 / (factor * factor * square);
  result.upper = square / (weight * weight * system.margin * system.margin);
  result.property = {{{"property", "representable"},
                      {"pattern", system.pattern},
                      {"lower", exact::to_string(result.lower)},
                      {"upper", exact::to_string(result.upper)}},
                     {{"matrix", coefficients_json(matrix, factor)},
                      {"multipliers", triples_json(multipliers, system)}}};
  return result;
}

}  // namespace

exact::Result<Representability> representable(const RationalMatrix& gram,
                                              const MarginSystem& system,
                                              const RepresentableOptions& options) {
  const MarginPoints<double> estimates(estimate_of(gram), system);
  const MinNormPoint found = min_norm_point(estimates);
  const MarginPoints<Rational> points(gram, system);
  if (const auto least = exact_min_norm_point(points, found.point, options.max_bits)) {
    const Multipliers multipliers = multipliers_of(least->point, system);
    if (least->squared_norm == 0) return infeasible(multipliers, system);
    if (auto result = feasible(multipliers, system, gram)) return *std::move(result);
  } else if (auto result = feasible(multipliers_of(rounded(found.point), system), system, gram)) {
    return *std::move(result);
  }
  return exact::fail("SP1509", "representable",
                     "neither a matrix nor multipliers could be made exact; the best margin found "
                     "is too near to zero (estimate of its square: " +
                         std::to_string(found.squared_norm) + ")");
}

}  // namespace sinkproof::measure
