#include "forward/ball.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;
using exact::Rational;

// floor(n / 2^bits) in place; true when that dropped something.
bool drop(Integer& n, unsigned bits) {
  const bool exact = mpz_divisible_2exp_p(raw(n), bits) != 0;
  mpz_fdiv_q_2exp(raw(n), raw(n), bits);
  return !exact;
}

unsigned places(const Rational& value) {
  return static_cast<unsigned>(
      boost::multiprecision::msb(Integer(boost::multiprecision::denominator(value))));
}

// value 2^shift, a whole number.
Integer whole(const Rational& value, unsigned shift) {
  return Integer(boost::multiprecision::numerator(value)) << (shift - places(value));
}

}  // namespace

Range entry_of(const Balls& rows, std::size_t i, std::size_t j) {
  return {rows.centre(i, j) - rows.radius[i], rows.centre(i, j) + rows.radius[i]};
}

WholeMap whole_map(const Affine& map) {
  WholeMap result;
  for (std::size_t i = 0; i < map.weight.rows(); ++i) {
    result.shift = std::max(result.shift, places(map.bias[i]));
    for (std::size_t j = 0; j < map.weight.columns(); ++j) {
      result.shift = std::max(result.shift, places(map.weight(i, j)));
    }
  }
  result.weight = exact::Matrix<Integer>(map.weight.rows(), map.weight.columns());
  for (std::size_t i = 0; i < map.weight.rows(); ++i) {
    Integer sum = 0;
    for (std::size_t j = 0; j < map.weight.columns(); ++j) {
      result.weight(i, j) = whole(map.weight(i, j), result.shift);
      sum += magnitude(result.weight(i, j));
    }
    result.row_sum = std::max(result.row_sum, sum);
    result.bias.push_back(whole(map.bias[i], result.shift));
  }
  return result;
}

Balls balls(const exact::RationalMatrix& rows, unsigned p) {
  Balls result(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      const Range range = range_of(rows(i, j), p);
      result.centre(i, j) = range.lower;
      if (range.lower != range.upper) result.radius[i] = 1;
    }
  }
  return result;
}

Balls apply(const WholeMap& map, const Balls& x, std::size_t first, unsigned p) {
  Balls result(x.rows(), map.weight.rows());
  for (std::size_t i = first; i < x.rows(); ++i) {
    bool dropped = false;
    for (std::size_t j = 0; j < map.weight.rows(); ++j) {
      Integer sum = map.bias[j] << p;
      for (std::size_t k = 0; k < x.columns(); ++k) {
        add_product(sum, x.centre(i, k), map.weight(j, k));
      }
      dropped = drop(sum, map.shift) || dropped;
      result.centre(i, j) = std::move(sum);
    }
    result.radius[i] = ceil_shift(x.radius[i] * map.row_sum, map.shift) + (dropped ? 1 : 0);
  }
  return result;
}

Block block(const Balls& rows, std::size_t first, std::size_t count, std::size_t begin,
            std::size_t width) {
  Block result{
      &rows, first, begin, width, std::vector<Integer>(count), std::vector<Integer>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < width; ++c) {
      const Integer size = magnitude(result.centre(i, c));
      result.sum[i] += size;
      result.largest[i] = std::max(result.largest[i], size);
    }
  }
  return result;
}

Range logit(const Block& a, std::size_t i, const Block& b, std::size_t k, const Rational& scale,
            unsigned p) {
  Integer product = 0;
  for (std::size_t c = 0; c < a.width; ++c) {
    add_product(product, a.centre(i, c), b.centre(k, c));
  }
  const Integer& r = a.radius(i);
  const Integer& s = b.radius(k);
  const Integer error = r * b.sum[k] + s * a.sum[i] + r * s * Integer(a.width);
  const Integer up = boost::multiprecision::numerator(scale);
  const Integer down = Integer(boost::multiprecision::denominator(scale)) << p;
  return {floor_div(up * (product - error), down), ceil_div(up * (product + error), down)};
}

Balls combination(const std::vector<Range>& weights, const Block& b, unsigned p) {
  Balls row(1, b.width);
  Integer spread = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    Integer middle = weights[k].lower + weights[k].upper;
    drop(middle, 1);
    for (std::size_t c = 0; c < b.width; ++c) {
      add_product(row.centre(0, c), middle, b.centre(k, c));
    }
    const Integer& r = b.radius(k);
    spread += magnitude(middle) * r + (weights[k].upper - middle) * (b.largest[k] + r);
  }
  bool dropped = false;
  for (std::size_t c = 0; c < b.width; ++c) dropped = drop(row.centre(0, c), p) || dropped;
  row.radius[0] = ceil_shift(spread, p) + (dropped ? 1 : 0);
  return row;
}

Balls times(const Range& factor, const Balls& row, unsigned p) {
  return combination({factor}, block(row), p);
}

void put(Balls& rows, std::size_t i, std::size_t begin, const Balls& row) {
  for (std::size_t c = 0; c < row.columns(); ++c) rows.centre(i, begin + c) = row.centre(0, c);
  rows.radius[i] = std::max(rows.radius[i], row.radius[0]);
}

void add(Balls& a, const Balls& b, int sign, std::size_t first) {
  const auto add_to = sign > 0 ? mpz_add : mpz_sub;
  for (std::size_t i = first; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) {
      add_to(raw(a.centre(i, j)), raw(a.centre(i, j)), raw(b.centre(i, j)));
    }
    a.radius[i] += b.radius[i];
  }
}

bool is_small(const Integer& n, unsigned p) {
  return mpz_size(raw(n)) * GMP_NUMB_BITS <= 2ULL * p || mpz_sizeinbase(raw(n), 2) <= 2ULL * p;
}

bool is_small(const Range& range, unsigned p) {
  return is_small(range.lower, p) && is_small(range.upper, p);
}
bool is_small(const Balls& rows, unsigned p) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!is_small(rows.radius[i], p)) return false;
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      if (!is_small(rows.centre(i, j), p)) return false;
    }
  }
  return true;
}

}  // namespace sinkproof::forward
