#include "measure/min_norm_point.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/corral_factor.hpp"

namespace sinkproof::measure {
namespace {

// The state of Wolfe's algorithm in doubles: a corral, its weights and its factor.
class Walk {
 public:
  explicit Walk(const PointSet<double>& points) : points_(points), factor_(scale_of(points)) {
    enter(0);
    point_.weights = {1};
    scale_ = points_.inner(0, 0);
  }

  [[nodiscard]] const Combination<double>& point() const { return point_; }
  [[nodiscard]] double scale() const { return scale_; }

  [[nodiscard]] bool holds(std::size_t index) const {
    return std::find(point_.support.begin(), point_.support.end(), index) != point_.support.end();
  }

  // False when the point is, to rounding, in the corral's affine hull.
  bool enter(std::size_t index) {
    std::vector<double> products;
    products.reserve(point_.support.size());
    for (const std::size_t k : point_.support) products.push_back(points_.inner(k, index));
    const double square = points_.inner(index, index);
    if (!factor_.append(products, square)) return false;
    products.push_back(square);
    products_.push_back(std::move(products));
    point_.support.push_back(index);
    point_.weights.push_back(0);
    scale_ = std::max(scale_, square);
    return true;
  }

  // Wolfe's minor cycle: towards the affine minimiser until it is inside the hull.
  void settle() {
    while (true) {
      const std::vector<double> target = factor_.affine_weights();
      double step = 1;
      std::size_t first_out = target.size();
      for (std::size_t s = 0; s < target.size(); ++s) {
        if (target[s] > kZero) continue;
        const double reach = point_.weights[s] / std::max(point_.weights[s] - target[s], kZero);
        if (first_out == target.size() || reach < step) {
          first_out = s;
          step = std::min(step, reach);
        }
      }
      for (std::size_t s = 0; s < target.size(); ++s) {
        point_.weights[s] += step * (target[s] - point_.weights[s]);
      }
      if (first_out == target.size()) return;
      point_.weights[first_out] = 0;
      drop_zeros();
    }
  }

  [[nodiscard]] double squared_norm() const {
    double sum = 0;
    for (std::size_t s = 0; s < products_.size(); ++s) {
      double row = 0;
      for (std::size_t r = 0; r < s; ++r) row += point_.weights[r] * products_[s][r];
      sum += point_.weights[s] * (2 * row + point_.weights[s] * products_[s][s]);
    }
    return std::max(sum, 0.0);
  }

 private:
  // Weights below this are rounding.
  static constexpr double kZero = 1e-15;

  static double scale_of(const PointSet<double>& points) {
    return std::max(points.inner(0, 0), points.inner(points.count() - 1, points.count() - 1));
  }

  void drop_zeros() {
    for (std::size_t s = point_.support.size(); s-- > 0;) {
      if (point_.weights[s] > kZero || point_.support.size() == 1) continue;
      const auto place = static_cast<std::ptrdiff_t>(s);
      factor_.remove(s);
      products_.erase(products_.begin() + place);
      for (std::size_t r = s; r < products_.size(); ++r) {
        products_[r].erase(products_[r].begin() + place);
      }
      point_.support.erase(point_.support.begin() + place);
      point_.weights.erase(point_.weights.begin() + place);
    }
    normalise();
  }

  void normalise() {
    const double sum = std::accumulate(point_.weights.begin(), point_.weights.end(), 0.0);
    if (sum <= 0) {
      std::fill(point_.weights.begin(), point_.weights.end(),
                1.0 / static_cast<double>(point_.weights.size()));
      return;
    }
    for (double& weight : point_.weights) weight /= sum;
  }

  const PointSet<double>& points_;
  Combination<double> point_;
  std::vector<std::vector<double>> products_;  // row s: <p_s, p_r> for r <= s, in support's order
  CorralFactor factor_;
  double scale_ = 0;
};

}  // namespace

MinNormPoint min_norm_point(const PointSet<double>& points, const MinNormOptions& options) {
  Walk walk(points);
  MinNormPoint result;
  while (true) {
    result.squared_norm = walk.squared_norm();
    result.point = walk.point();
    const Least<double> least = points.least(walk.point());
    result.least_product = least.value;
    const double scale = std::max(walk.scale(), points.inner(least.index, least.index));
    result.converged = result.squared_norm - least.value <= options.tolerance * scale;
    if (result.converged || result.steps == options.max_steps) return result;
    ++result.steps;
    if (walk.holds(least.index) || !walk.enter(least.index)) return result;
    walk.settle();
    if (!(walk.squared_norm() < result.squared_norm)) return result;  // as near as doubles come
  }
}

}  // namespace sinkproof::measure
