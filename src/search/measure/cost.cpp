#include "measure/cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/dense.hpp"
#include "measure/digits.hpp"
#include "measure/integer_ldlt.hpp"
#include "measure/nuclear_norm.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"

namespace sinkproof::measure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using exact::fail;
using exact::Integer;
using exact::Rational;
using exact::Result;

// Coordinates in an orthonormal basis Q (d x r) of the span: row k of `tokens` is `size` times
// coordinates.row(k) Q^T.
struct Coordinates {
  std::vector<std::size_t> tokens;  // the system's
  MatrixXd coordinates;             // n x r
  Orthonormal base;                 // Q, and the basis tokens' rows are triangle^T Q^T
  double size = 1;
};

MatrixXd doubles(const DyadicMatrix& rows, const std::vector<std::size_t>& chosen) {
  MatrixXd result(chosen.size(), rows.columns());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      result(static_cast<Index>(i), static_cast<Index>(j)) =
          rounded::to_double_estimate(rows.at(chosen[i], j));
    }
  }
  return result;
}

Coordinates coordinates_of(const DyadicMatrix& rows, const MarginSystem& system,
                           const std::vector<std::size_t>& basis) {
  Coordinates result;
  result.tokens = system.named();
  result.base = orthonormal_columns(doubles(rows, basis).transpose());
  result.coordinates = product(doubles(rows, result.tokens), result.base.columns);
  result.size =
      std::sqrt(result.coordinates.squaredNorm() / static_cast<double>(result.coordinates.rows()));
  result.coordinates /= result.size;
  return result;
}

NuclearNormProblem float_problem(const MarginSystem& system, const Coordinates& coordinates) {
  std::map<std::size_t, Index> place;
  for (const std::size_t token : coordinates.tokens) {
    place.emplace(token, static_cast<Index>(place.size()));
  }
  NuclearNormProblem problem;
  problem.coordinates = coordinates.coordinates;
  for (const auto& [triple, weight] : system.constraints) {
    problem.constraints.push_back({place[triple.query], place[triple.above], place[triple.below],
                                   weight.convert_to<double>()});
  }
  return problem;
}

// Row by row whole numbers over 2^bits; the factors are put on the basis tokens.
struct Factor {
  IntegerMatrix entries;  // r x T
  unsigned bits = 0;
};

Factor rounded_factor(const MatrixXd& rows, const Coordinates& coordinates,
                      const std::vector<std::size_t>& basis, std::size_t count) {
  const MatrixXd weights = solve_upper(coordinates.base.triangle, rows.transpose()).transpose();
  constexpr int kBits = 62;
  const int exponent = std::ilogb(std::max(weights.cwiseAbs().maxCoeff(), 1e-300));
  Factor factor;
  factor.bits = static_cast<unsigned>(std::max(kBits, kBits - exponent));
  factor.entries = IntegerMatrix(static_cast<std::size_t>(rows.rows()), count);
  for (Index i = 0; i < weights.rows(); ++i) {
    for (std::size_t b = 0; b < basis.size(); ++b) {
      const double scaled =
          std::ldexp(weights(i, static_cast<Index>(b)), static_cast<int>(factor.bits));
      factor.entries(static_cast<std::size_t>(i), basis[b]) = rounded(scaled);
    }
  }
  return factor;
}

struct Upper {
  Rational bound;
  exact::ScaledMatrix query;
  exact::ScaledMatrix key;
  MatrixXd query_rows;  // r x d
  MatrixXd key_rows;
};

// Evidence for the upper bound; nothing when rounding has lost the margins altogether.
std::optional<Upper> rounded_map(const NuclearNormEstimate& estimate,
                                 const Coordinates& coordinates,
                                 const std::vector<std::size_t>& basis, const DyadicMatrix& gram,
                                 const MarginSystem& system) {
  const auto [left, values, right] = singular_value_decomposition(estimate.map);
  Index rank = 1;
  constexpr double kNegligible = 1e-9;
  while (rank < values.size() && values(rank) > kNegligible * values(0)) ++rank;
  // W is for margins of `weight` alone; the factors carry the system's margin.
  const double scale = std::sqrt(rounded::to_double_estimate(system.margin)) / coordinates.size;
  const Eigen::VectorXd roots = scale * values.head(rank).cwiseSqrt();
  const MatrixXd query = roots.asDiagonal() * left.leftCols(rank).transpose();
  const MatrixXd key = roots.asDiagonal() * right.leftCols(rank).transpose();
  const std::size_t count = gram.rows();
  const Factor a = rounded_factor(query, coordinates, basis, count);
  const Factor b = rounded_factor(key, coordinates, basis, count);
  const IntegerMatrix a_gram = a.entries * gram.entries;
  const IntegerMatrix b_gram = b.entries * gram.entries;
  const DyadicMatrix scores{transpose(a_gram) * b_gram, 2 * gram.scale + a.bits + b.bits};
  const Rational ratio = least_margin(system, scores) / system.margin;
  if (ratio <= 0) return std::nullopt;
  const Integer one = 1;
  const Integer denominator = exact::floor(ratio * Rational(one << a.bits));
  if (denominator <= 0) return std::nullopt;
  const Rational unit = exact::power_of_two(-static_cast<long>(gram.scale));
  const Rational cost_a =
      unit * exact::make_rational(trace_product(a_gram, a.entries), denominator * denominator);
  const Rational cost_b =
      unit * exact::make_rational(trace_product(b_gram, b.entries), one << (2 * b.bits));
  const double stretch = 1 / rounded::to_double_estimate(ratio);
  return Upper{rounded::round_up_decimal(cost_a + cost_b, kDigits),
               {a.entries, denominator},
               {b.entries, one << b.bits},
               product(stretch * query, coordinates.base.columns.transpose()),
               product(key, coordinates.base.columns.transpose())};
}

struct Lower {
  Rational bound;
  Rational norm;
  std::vector<certificate::WeightedTriple> multipliers;
};

// t^2 G - (G L) G (G L)^T >= 0, in whole numbers.
class NormTest {
 public:
  NormTest(const DyadicMatrix& gram, const IntegerMatrix& multipliers) : gram_(gram) {
    const IntegerMatrix left = gram.entries * multipliers;
    square_ = left * gram.entries * transpose(left);
  }
  [[nodiscard]] bool holds(const Rational& t) const {
    const Integer p = numerator(t * t);
    const Integer q = denominator(t * t);
    const Integer shift = Integer(1) << (2 * gram_.scale);
    IntegerMatrix test(square_.rows(), square_.rows());
    for (std::size_t i = 0; i < test.rows(); ++i) {
      for (std::size_t j = 0; j < test.rows(); ++j) {
        test(i, j) = p * shift * gram_.entries(i, j) - q * square_(i, j);
      }
    }
    return is_positive_semidefinite(std::move(test));
  }

 private:
  const DyadicMatrix& gram_;
  IntegerMatrix square_;  // over 2^(3 scale)
};

double float_norm(const Coordinates& coordinates, const MarginSystem& system,
                  const std::vector<Integer>& y) {
  const NuclearNormProblem problem = float_problem(system, coordinates);
  const Index n = problem.coordinates.rows();
  MatrixXd sum = MatrixXd::Zero(n, n);
  for (std::size_t k = 0; k < y.size(); ++k) {
    const FloatConstraint& c = problem.constraints[k];
    sum(c.query, c.above) += y[k].convert_to<double>();
    sum(c.query, c.below) -= y[k].convert_to<double>();
  }
  const MatrixXd map = product(problem.coordinates.transpose(), sum, problem.coordinates);
  return coordinates.size * coordinates.size * singular_values(map)(0);
}

Lower rounded_multipliers(const NuclearNormEstimate& estimate, const Coordinates& coordinates,
                          const DyadicMatrix& gram, const MarginSystem& system) {
  Lower lower;
  if (estimate.multipliers.size() == 0) return lower;
  constexpr double kLargest = 16777216;  // 2^24: rounding costs far less than the gap
  std::vector<Integer> y;
  Rational weighted = 0;
  for (std::size_t k = 0; k < system.constraints.size(); ++k) {
    const double share =
        estimate.multipliers(static_cast<Index>(k)) / estimate.multipliers.maxCoeff();
    y.push_back(rounded(std::max(0.0, share) * kLargest));
    weighted += Rational(y.back() * system.constraints[k].weight);
  }
  const NormTest test(gram, multiplier_matrix(system, y, gram.rows()));
  const double norm = float_norm(coordinates, system, y);
  double room = 1e-10;
  while (room < 1) {
    const Rational t = rounded::from_double(norm * (1 + room));
    if (test.holds(t)) {
      lower.norm = t;
      lower.bound = rounded::round_down_decimal(2 * weighted * system.margin / t, kDigits);
      lower.multipliers = positive(system, y);
      break;
    }
    room *= 30;
  }
  return lower;
}

}  // namespace

Result<Cost> certified_cost(const DyadicMatrix& rows, const DyadicMatrix& gram,
                            const certificate::Pattern& pattern, const MarginSystem& system,
                            const std::vector<std::size_t>& basis, const CostOptions& options) {
  const Coordinates coordinates = coordinates_of(rows, system, basis);
  const NuclearNormEstimate estimate = minimise_nuclear_norm(
      float_problem(system, coordinates), {options.gap, options.seconds, options.progress});
  const std::string where = name_of(pattern.kind);
  if (!std::isfinite(estimate.upper)) {
    return fail("SP1612", where, "found no map within the budget; give a larger --seconds");
  }
  const auto upper = rounded_map(estimate, coordinates, basis, gram, system);
  if (!upper) {
    return fail("SP1613", where,
                "the tokens are too nearly dependent for a search in doubles; leave some out");
  }
  const Lower lower = rounded_multipliers(estimate, coordinates, gram, system);
  Cost cost;
  cost.lower = lower.bound;
  cost.upper = upper->bound;
  cost.query = upper->query_rows;
  cost.key = upper->key_rows;
  cost.newton_steps = estimate.newton_steps;
  cost.property = certificate::Cost{pattern,    {cost.lower, cost.upper}, upper->query,
                                    upper->key, lower.multipliers,        lower.norm};
  return cost;
}

}  // namespace sinkproof::measure
