// The point of least Euclidean norm in the convex hull of finitely many points, by Wolfe's
// algorithm (P. Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11,
// 1976). It walks from corral to corral (affinely independent points whose affine hull has its
// least point inside their convex hull), so it ends with few points and positive weights: exactly
// what a certificate needs. Claims sw-3, ge-1 and ge-2.
//
// First in doubles, with nothing but inner products, so that hundreds of thousands of points in
// thousands of dimensions need never be written down; then exactly, from the corral the doubles
// found. One step costs one call of the oracle and O(s^2) for s points in the corral.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::measure {

// x = sum_s weights[s] p_{support[s]}; the two lists have equal length and no point occurs twice.
template <typename Number>
struct Combination {
  std::vector<std::size_t> support;
  std::vector<Number> weights;
};

// A point and its inner product with some x.
template <typename Number>
struct Least {
  std::size_t index = 0;
  Number value = 0;
};

// Points p_0..p_{count-1} of a Euclidean space, known by inner products alone.
template <typename Number>
class PointSet {
 public:
  PointSet() = default;
  PointSet(const PointSet&) = default;
  PointSet(PointSet&&) = default;
  PointSet& operator=(const PointSet&) = default;
  PointSet& operator=(PointSet&&) = default;
  virtual ~PointSet() = default;

  // At least 1.
  [[nodiscard]] virtual std::size_t count() const = 0;
  // <p_k, p_l>.
  [[nodiscard]] virtual Number inner(std::size_t k, std::size_t l) const = 0;
  // A k that minimises <x, p_k>, and that product.
  [[nodiscard]] virtual Least<Number> least(const Combination<Number>& x) const = 0;
};

// Some rows' points, by their Gram matrix: point number k is row rows[k] of it.
template <typename Number>
class GramPoints final : public PointSet<Number> {
 public:
  // Preconditions: gram is square and outlives this; rows is not empty and within it.
  GramPoints(const exact::Matrix<Number>& gram, std::vector<std::size_t> rows)
      : gram_(&gram), rows_(std::move(rows)) {}

  [[nodiscard]] std::size_t count() const override { return rows_.size(); }
  [[nodiscard]] Number inner(std::size_t k, std::size_t l) const override {
    return (*gram_)(rows_[k], rows_[l]);
  }
  [[nodiscard]] Least<Number> least(const Combination<Number>& x) const override {
    Least<Number> best;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Number product = 0;
      for (std::size_t s = 0; s < x.support.size(); ++s) {
        product += x.weights[s] * inner(x.support[s], k);
      }
      if (k == 0 || product < best.value) best = {k, product};
    }
    return best;
  }

 private:
  const exact::Matrix<Number>* gram_;
  std::vector<std::size_t> rows_;
};

struct MinNormOptions {
  // Stop once |x|^2 - min_k <x, p_k> <= tolerance * (the largest |p_k|^2 seen).
  double tolerance = 1e-14;
  std::size_t max_steps = 100000;
};

struct MinNormPoint {
  Combination<double> point;  // a corral: positive weights of sum 1
  double squared_norm = 0;    // |x|^2
  double least_product = 0;   // min_k <x, p_k>: the distance is at least this over |x|
  bool converged = false;     // the tolerance was reached, not max_steps or the end of precision
  std::size_t steps = 0;
};

// An estimate, in doubles. Precondition: points.count() >= 1, all inner products finite.
MinNormPoint min_norm_point(const PointSet<double>& points, const MinNormOptions& options = {});

// The point of least norm in the AFFINE hull of points with the given Gram matrix, exactly: weights
// with no common factor and a positive sum (weight over sum is the coordinate), of any signs.
struct AffineMinimiser {
  std::vector<exact::Integer> weights;
  exact::Rational squared_norm;
};

// Nothing when the points are affinely dependent. Fraction-free elimination, O(s^3) products of
// integers of up to s times the Gram matrix's bits. Precondition: gram is symmetric, positive
// semidefinite and at least 1 x 1.
std::optional<AffineMinimiser> affine_minimiser(const exact::RationalMatrix& gram);

// The exact point of least norm in the convex hull: weights > 0 with no common factor, support
// strictly increasing, affinely independent points; squared_norm = 0 exactly when 0 is in the hull.
struct ExactMinNormPoint {
  Combination<exact::Integer> point;
  exact::Rational squared_norm;
};

// Wolfe's algorithm in rational arithmetic, from the corral of `start` (an estimate of the same
// points). Ends for every start; a good one makes it a single linear system. Nothing when a
// system's integers could exceed `max_bits` bits: round instead.
std::optional<ExactMinNormPoint> exact_min_norm_point(const PointSet<exact::Rational>& points,
                                                      const Combination<double>& start,
                                                      std::size_t max_bits);

}  // namespace sinkproof::measure
