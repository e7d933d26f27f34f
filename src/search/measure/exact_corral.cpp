// The exact half of min_norm_point.hpp.
#include <algorithm>
#include <numeric>

#include "measure/exact_scores.hpp"
#include "measure/min_norm_point.hpp"
#include "rounded/double.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

Integer numerator_of(const Rational& value) { return boost::multiprecision::numerator(value); }
Integer denominator_of(const Rational& value) { return boost::multiprecision::denominator(value); }

Integer common_denominator(const RationalMatrix& gram) {
  Integer common = 1;
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      common = boost::multiprecision::lcm(common, denominator_of(gram(i, j)));
    }
  }
  return common;
}

// [D G + e e^T | e], an integer matrix.
IntegerMatrix bordered(const RationalMatrix& gram, const Integer& denominator) {
  const std::size_t n = gram.rows();
  IntegerMatrix system(n, n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      system(i, j) = numerator_of(Rational(gram(i, j) * Rational(denominator))) + 1;
    }
    system(i, n) = 1;
  }
  return system;
}

// Bareiss elimination of a symmetric positive semidefinite matrix with one right-hand side: upper
// triangular, its diagonal the leading minors. False when one of them is 0: singular.
bool eliminate(IntegerMatrix& system) {
  const std::size_t n = system.rows();
  Integer previous = 1;
  for (std::size_t k = 0; k < n; ++k) {
    if (system(k, k) == 0) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Integer factor = system(k, i);  // = system(i, k): the rest stays symmetric
      for (std::size_t j = i; j <= n; ++j) {
        system(i, j) = (system(k, k) * system(i, j) - factor * system(k, j)) / previous;
      }
    }
    previous = system(k, k);
  }
  return true;
}

// The solution times the determinant.
std::vector<Integer> substitute_back(const IntegerMatrix& system) {
  const std::size_t n = system.rows();
  const Integer& determinant = system(n - 1, n - 1);
  std::vector<Integer> solution(n);
  for (std::size_t i = n; i-- > 0;) {
    Integer right = determinant * system(i, n);
    for (std::size_t j = i + 1; j < n; ++j) right -= system(i, j) * solution[j];
    solution[i] = right / system(i, i);
  }
  return solution;
}

void divide_by_common_factor(std::vector<Integer>& weights) {
  Integer common = 0;
  for (const Integer& weight : weights) common = boost::multiprecision::gcd(common, weight);
  for (Integer& weight : weights) weight /= common;
}

RationalMatrix gram_of(const PointSet<Rational>& points, const std::vector<std::size_t>& support) {
  RationalMatrix gram(support.size(), support.size());
  for (std::size_t i = 0; i < support.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      gram(i, j) = points.inner(support[i], support[j]);
      gram(j, i) = gram(i, j);
    }
  }
  return gram;
}

// The most bits an integer of the elimination can have, by Hadamard's inequality.
std::size_t elimination_bits(const RationalMatrix& gram) {
  const Integer denominator = common_denominator(gram);
  std::size_t bits = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    const Integer entry = numerator_of(Rational(gram(i, i) * Rational(denominator))) + 1;
    bits += boost::multiprecision::msb(entry) + 1;
  }
  return bits;
}

// Wolfe's algorithm over Q. The weights have sum 1.
class ExactWalk {
 public:
  ExactWalk(const PointSet<Rational>& points, const Combination<double>& start,
            std::size_t max_bits)
      : points_(points), max_bits_(max_bits) {
    for (std::size_t s = 0; s < start.support.size(); ++s) {
      if (!(start.weights[s] > 0)) continue;
      point_.support.push_back(start.support[s]);
      point_.weights.push_back(rounded::from_double(start.weights[s]));
    }
    if (point_.support.empty()) point_ = {{0}, {1}};
    normalise();
  }

  // Drops points until the rest is a corral, and goes to its minimiser. False: too many bits.
  bool settle() {
    while (true) {
      const RationalMatrix gram = gram_of(points_, point_.support);
      if (elimination_bits(gram) > max_bits_) return false;
      auto target = affine_minimiser(gram);
      if (!target) {
        drop_lightest();
      } else if (step_towards(target->weights)) {
        minimiser_ = std::move(*target);
        return true;
      }
    }
  }

  // The corral with its whole weights.
  [[nodiscard]] Combination<Rational> scaled_point() const {
    return {point_.support, {minimiser_.weights.begin(), minimiser_.weights.end()}};
  }

  void enter(std::size_t index) {
    point_.support.push_back(index);
    point_.weights.emplace_back(0);
  }

  [[nodiscard]] ExactMinNormPoint result() const {
    std::vector<std::size_t> order(point_.support.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return point_.support[a] < point_.support[b];
    });
    ExactMinNormPoint sorted{{}, minimiser_.squared_norm};
    for (const std::size_t s : order) {
      sorted.point.support.push_back(point_.support[s]);
      sorted.point.weights.push_back(minimiser_.weights[s]);
    }
    return sorted;
  }

  [[nodiscard]] const Rational& squared_norm() const { return minimiser_.squared_norm; }

 private:
  void normalise() {
    Rational sum = 0;
    for (const Rational& weight : point_.weights) sum += weight;
    for (Rational& weight : point_.weights) weight /= sum;
  }

  void drop(std::size_t s) {
    point_.support.erase(point_.support.begin() + static_cast<std::ptrdiff_t>(s));
    point_.weights.erase(point_.weights.begin() + static_cast<std::ptrdiff_t>(s));
  }

  void drop_lightest() {
    const auto lightest = std::min_element(point_.weights.begin(), point_.weights.end());
    drop(static_cast<std::size_t>(lightest - point_.weights.begin()));
    normalise();
  }

  // True when the target, scaled to sum 1, is inside and reached; otherwise goes as far as the hull
  // reaches and drops what has weight 0 there.
  bool step_towards(const std::vector<Integer>& target) {
    const Rational sum(std::accumulate(target.begin(), target.end(), Integer(0)));
    Rational step = 1;
    bool inside = true;
    for (std::size_t s = 0; s < target.size(); ++s) {
      if (target[s] > 0) continue;
      inside = false;
      // Above 0: only a point that has just entered weighs 0, and towards that one the minimiser
      // lies (Wolfe's lemma).
      const Rational& weight = point_.weights[s];
      step = exact::min(step, Rational(weight / (weight - Rational(target[s]) / sum)));
    }
    for (std::size_t s = target.size(); s-- > 0;) {
      const Rational there = Rational(target[s]) / sum;
      point_.weights[s] += step * (there - point_.weights[s]);
      if (!inside && point_.weights[s] == 0 && target[s] <= 0) drop(s);
    }
    return inside;
  }

  const PointSet<Rational>& points_;
  std::size_t max_bits_;
  Combination<Rational> point_;
  AffineMinimiser minimiser_;
};

}  // namespace

std::optional<AffineMinimiser> affine_minimiser(const RationalMatrix& gram) {
  const Integer denominator = common_denominator(gram);
  IntegerMatrix system = bordered(gram, denominator);
  if (!eliminate(system)) return std::nullopt;
  const Integer determinant = system(system.rows() - 1, system.rows() - 1);
  AffineMinimiser result{substitute_back(system), 0};
  // With b = (D G + e e^T)^-1 e and beta = e.b: D |x|^2 = 1/beta - 1.
  Integer sum = 0;
  for (const Integer& weight : result.weights) sum += weight;
  result.squared_norm = (exact::make_rational(determinant, sum) - 1) / Rational(denominator);
  divide_by_common_factor(result.weights);
  return result;
}

std::optional<ExactMinNormPoint> exact_min_norm_point(const PointSet<Rational>& points,
                                                      const Combination<double>& start,
                                                      std::size_t max_bits) {
  ExactWalk walk(points, start, max_bits);
  while (true) {
    if (!walk.settle()) return std::nullopt;
    if (walk.squared_norm() == 0) return walk.result();
    // x times the sum of its whole weights: no fractions for the oracle to reduce.
    const Combination<Rational> scaled = walk.scaled_point();
    Rational sum = 0;
    for (const Rational& weight : scaled.weights) sum += weight;
    const Least<Rational> least = points.least(scaled);
    if (least.value >= sum * walk.squared_norm()) return walk.result();
    walk.enter(least.index);
  }
}

}  // namespace sinkproof::measure
