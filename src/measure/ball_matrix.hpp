// Matrices of enclosures in fixed point: whole centres and one whole radius per row, in units of
// 2^-bits. A forward pass is mostly inner products, and those of intervals whose ends are rounded
// one operation at a time (exact/interval.hpp) cost ten times as much as products of whole numbers
// that are summed exactly and rounded once; so the linear maps are here, and intervals are left for
// exp and division (measure/attention_weights.hpp).
//
// Every function returns enclosures of the exact result for every choice of points in its
// arguments. Nothing is rounded away unseen: what a shift drops goes into the radius, and a radius
// stays 0 where nothing was dropped. `bits` is the same throughout one pass.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::measure {

// Entry (i, j) lies within radius[i] of centre(i, j).
struct BallMatrix {
  exact::Matrix<exact::Integer> centre;
  std::vector<exact::Integer> radius;  // >= 0

  [[nodiscard]] std::size_t rows() const { return centre.rows(); }
  [[nodiscard]] std::size_t columns() const { return centre.columns(); }
};

// [lower, upper], in units of 2^-bits.
struct Bounds {
  exact::Integer lower;
  exact::Integer upper;
};

// x -> W x + b on the rows of a matrix. Dyadic weights are held exactly, whatever `bits`, unless
// they need more than `bits` places; those and other rationals are rounded to `bits` places and
// their error is accounted for.
struct BallMap {
  exact::Matrix<exact::Integer> weight;  // [out, in], in units of 2^-scale
  unsigned scale = 0;
  exact::Integer weight_error;  // of each weight, in its units
  exact::Integer row_sum;       // the largest sum of a row's |weight|
  std::vector<exact::Integer> bias;
  exact::Integer bias_error;
};

// floor(n / 2^bits) and ceil(n / 2^bits).
exact::Integer floor_shift(const exact::Integer& n, unsigned bits);
exact::Integer ceil_shift(const exact::Integer& n, unsigned bits);

BallMatrix ball_matrix(const exact::RationalMatrix& values, unsigned bits);
// An empty bias is zero.
BallMap ball_map(const exact::RationalMatrix& weight, const std::vector<exact::Rational>& bias,
                 unsigned bits);

// The rows of x mapped. Precondition: x.columns() = map.weight.columns().
BallMatrix apply(const BallMap& map, const BallMatrix& x);

// a + b. Precondition: equal shapes.
BallMatrix operator+(const BallMatrix& a, const BallMatrix& b);

// Some columns of a matrix, with the sums and the largest of their absolute centres row by row,
// which the radii of products need.
struct BallBlock {
  const BallMatrix* matrix = nullptr;
  std::size_t begin = 0;
  std::size_t width = 0;
  std::vector<exact::Integer> row_sum;
  std::vector<exact::Integer> row_largest;
};

// Columns begin..begin+width-1; `matrix` must outlive it.
BallBlock block(const BallMatrix& matrix, std::size_t begin, std::size_t width);

// The inner product of row i of a and row j of b. Precondition: equal widths.
Bounds inner_product(const BallBlock& a, std::size_t i, const BallBlock& b, std::size_t j,
                     unsigned bits);

// sum_k weights[k] b_k over the first weights.size() rows of b: centres of b.width entries, and
// their one radius.
struct BallRow {
  std::vector<exact::Integer> centre;
  exact::Integer radius;
};
BallRow combination(const std::vector<Bounds>& weights, const BallBlock& b, unsigned bits);
// The row times a number.
BallRow scaled(const BallRow& row, const Bounds& factor, unsigned bits);

}  // namespace sinkproof::measure
