// Fixed point with its error: whole centres and one whole radius for each row, in units of 2^-p,
// and ranges. CHECKPOINT_RULES.md, 4.6. A forward pass is mostly inner products; sums of products
// of whole numbers are exact and are rounded once.
//
// Every function returns an enclosure of the exact result for every choice of points in its
// arguments. Nothing is rounded away unseen: what a shift drops goes into the radius, and a radius
// stays 0 where nothing was dropped.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"
#include "forward/model.hpp"
#include "forward/range.hpp"

namespace sinkproof::forward {

// Entry (i, j) lies within radius[i] of centre(i, j).
struct Balls {
  exact::Matrix<exact::Integer> centre;
  std::vector<exact::Integer> radius;  // >= 0

  Balls() = default;
  Balls(std::size_t rows, std::size_t columns) : centre(rows, columns), radius(rows) {}
  [[nodiscard]] std::size_t rows() const { return centre.rows(); }
  [[nodiscard]] std::size_t columns() const { return centre.columns(); }
};

// What entry (i, j) lies in.
Range entry_of(const Balls& rows, std::size_t i, std::size_t j);

// An affine map over whole numbers: weight and bias times 2^shift.
struct WholeMap {
  exact::Matrix<exact::Integer> weight;  // [out, in]
  std::vector<exact::Integer> bias;
  unsigned shift = 0;
  exact::Integer row_sum;  // the largest sum of a row's |weight|
};

// Precondition: every entry is dyadic.
WholeMap whole_map(const Affine& map);

// Rows of rationals.
Balls balls(const exact::RationalMatrix& rows, unsigned p);

// Rows first .. rows() - 1 of x, mapped. Precondition: x.columns() = map.weight.columns().
Balls apply(const WholeMap& map, const Balls& x, std::size_t first, unsigned p);

// Columns begin .. begin + width - 1 of `count` rows of a matrix, the first of which is its row
// `first`, with what products with them need of each row.
struct Block {
  const Balls* matrix;
  std::size_t first;
  std::size_t begin;
  std::size_t width;
  std::vector<exact::Integer> sum = {};      // of the absolute centres
  std::vector<exact::Integer> largest = {};  // of them

  [[nodiscard]] std::size_t rows() const { return sum.size(); }
  [[nodiscard]] const exact::Integer& centre(std::size_t i, std::size_t c) const {
    return matrix->centre(first + i, begin + c);
  }
  [[nodiscard]] const exact::Integer& radius(std::size_t i) const {
    return matrix->radius[first + i];
  }
};
Block block(const Balls& rows, std::size_t first, std::size_t count, std::size_t begin,
            std::size_t width);
// Of all rows and columns.
inline Block block(const Balls& rows) { return block(rows, 0, rows.rows(), 0, rows.columns()); }

// `scale` times the inner product of row i of a and row k of b. Precondition: equal widths, scale >
// 0.
Range logit(const Block& a, std::size_t i, const Block& b, std::size_t k,
            const exact::Rational& scale, unsigned p);

// One row: the sum of weights[k] times row k of b, over the first weights.size() rows.
Balls combination(const std::vector<Range>& weights, const Block& b, unsigned p);
// The one row times a number.
Balls times(const Range& factor, const Balls& row, unsigned p);
// The one row becomes entries begin .. of row i, whose radius is the larger one.
void put(Balls& rows, std::size_t i, std::size_t begin, const Balls& row);

// Rows first .. of b added, or (sign -1) taken away. Precondition: equal shapes.
void add(Balls& a, const Balls& b, int sign, std::size_t first = 0);

// Whether |n| < 2^(2p).
bool is_small(const exact::Integer& n, unsigned p);
bool is_small(const Range& range, unsigned p);
bool is_small(const Balls& rows, unsigned p);

// A number of a pass is too large, or known too badly; another precision may do. Never leaves the
// pass it is thrown in.
struct TooCoarse {};

// What is given. Throws TooCoarse unless it is small.
template <typename Numbers>
Numbers fitting(Numbers numbers, unsigned p) {
  if (!is_small(numbers, p)) throw TooCoarse();
  return numbers;
}

}  // namespace sinkproof::forward
