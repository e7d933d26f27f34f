// A Cholesky factor that follows the corral of Wolfe's algorithm: L L^T = c e e^T + G for the Gram
// matrix G of its points and e = (1,..,1), c > 0. That matrix is positive definite exactly when the
// points are affinely independent, and its solution b of (c e e^T + G) b = e is a multiple of the
// affine minimiser's weights. Adding or removing one of s points costs O(s^2).
#pragma once

#include <cstddef>
#include <vector>

namespace sinkproof::measure {

class CorralFactor {
 public:
  // Precondition: scale >= 0, about the largest |p|^2; c is that, or 1 for scale 0.
  explicit CorralFactor(double scale);

  // products[s] = <p_s, p> in order of entry. False, and no change, when p is within rounding of
  // the affine hull.
  bool append(const std::vector<double>& products, double square);
  // Precondition: index is that of a point inside.
  void remove(std::size_t index);
  // b with (c e e^T + G) b = right. Precondition: right has an entry per point.
  [[nodiscard]] std::vector<double> solve(const std::vector<double>& right) const;
  // Sum 1, any signs. Precondition: not empty.
  [[nodiscard]] std::vector<double> affine_weights() const;

 private:
  double shift_;
  std::vector<std::vector<double>> rows_;  // rows_[i] has i + 1 entries
};

}  // namespace sinkproof::measure
