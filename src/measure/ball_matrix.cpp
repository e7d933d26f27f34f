#include "measure/ball_matrix.hpp"

#include <gmp.h>

#include <algorithm>
#include <utility>

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;

mpz_ptr raw(Integer& n) { return n.backend().data(); }
mpz_srcptr raw(const Integer& n) { return n.backend().data(); }

Integer magnitude(const Integer& n) { return n < 0 ? Integer(-n) : n; }

void add_product(Integer& sum, const Integer& a, const Integer& b) {
  mpz_addmul(raw(sum), raw(a), raw(b));
}

// floor(n / 2^bits) in place; true when that dropped something.
bool drop(Integer& n, unsigned bits) {
  const bool exact = mpz_divisible_2exp_p(raw(n), bits) != 0;
  mpz_fdiv_q_2exp(raw(n), raw(n), bits);
  return !exact;
}

// floor(value 2^bits); `inexact` is set when that is not the value itself.
Integer fixed(const Rational& value, unsigned bits, bool& inexact) {
  Integer scaled = boost::multiprecision::numerator(value) << bits;
  const Integer divisor = boost::multiprecision::denominator(value);
  if (divisor == 1) return scaled;
  if (mpz_divisible_p(raw(scaled), raw(divisor)) == 0) inexact = true;
  mpz_fdiv_q(raw(scaled), raw(scaled), raw(divisor));
  return scaled;
}

// The places after the binary point that hold every weight, or `bits` when more would be needed.
unsigned places(const exact::RationalMatrix& values, unsigned bits) {
  unsigned most = 0;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.columns(); ++j) {
      const Integer divisor = boost::multiprecision::denominator(values(i, j));
      const auto top = boost::multiprecision::msb(divisor);
      if (top != boost::multiprecision::lsb(divisor)) return bits;
      most = std::max(most, static_cast<unsigned>(top));
    }
  }
  return std::min(most, bits);
}

Integer row_sum(const exact::Matrix<Integer>& matrix, std::size_t row, std::size_t begin,
                std::size_t width) {
  Integer sum = 0;
  for (std::size_t j = begin; j < begin + width; ++j) sum += magnitude(matrix(row, j));
  return sum;
}

}  // namespace

Integer floor_shift(const Integer& n, unsigned bits) {
  Integer result;
  mpz_fdiv_q_2exp(raw(result), raw(n), bits);
  return result;
}

Integer ceil_shift(const Integer& n, unsigned bits) {
  Integer result;
  mpz_cdiv_q_2exp(raw(result), raw(n), bits);
  return result;
}

BallMatrix ball_matrix(const exact::RationalMatrix& values, unsigned bits) {
  BallMatrix result{exact::Matrix<Integer>(values.rows(), values.columns()),
                    std::vector<Integer>(values.rows())};
  for (std::size_t i = 0; i < values.rows(); ++i) {
    bool inexact = false;
    for (std::size_t j = 0; j < values.columns(); ++j) {
      result.centre(i, j) = fixed(values(i, j), bits, inexact);
    }
    result.radius[i] = inexact ? 1 : 0;
  }
  return result;
}

BallMap ball_map(const exact::RationalMatrix& weight, const std::vector<Rational>& bias,
                 unsigned bits) {
  BallMap map;
  map.scale = places(weight, bits);
  map.weight = exact::Matrix<Integer>(weight.rows(), weight.columns());
  bool inexact = false;
  for (std::size_t i = 0; i < weight.rows(); ++i) {
    for (std::size_t j = 0; j < weight.columns(); ++j) {
      map.weight(i, j) = fixed(weight(i, j), map.scale, inexact);
    }
    map.row_sum = std::max(map.row_sum, row_sum(map.weight, i, 0, weight.columns()));
  }
  map.weight_error = inexact ? 1 : 0;
  inexact = false;
  map.bias.assign(weight.rows(), 0);
  for (std::size_t i = 0; i < bias.size(); ++i) map.bias[i] = fixed(bias[i], bits, inexact);
  map.bias_error = inexact ? 1 : 0;
  return map;
}

BallMatrix apply(const BallMap& map, const BallMatrix& x) {
  const std::size_t in = x.columns();
  BallMatrix result{exact::Matrix<Integer>(x.rows(), map.weight.rows()),
                    std::vector<Integer>(x.rows())};
  for (std::size_t i = 0; i < x.rows(); ++i) {
    bool dropped = false;
    for (std::size_t j = 0; j < map.weight.rows(); ++j) {
      Integer& sum = result.centre(i, j);
      for (std::size_t k = 0; k < in; ++k) add_product(sum, x.centre(i, k), map.weight(j, k));
      dropped = drop(sum, map.scale) || dropped;
      sum += map.bias[j];
    }
    // |x w - centre(x) centre(w)| <= r |w| + (|centre(x)| + r) e, summed over k.
    const Integer& r = x.radius[i];
    const Integer spread =
        r * map.row_sum + (row_sum(x.centre, i, 0, in) + r * Integer(in)) * map.weight_error;
    result.radius[i] = ceil_shift(spread, map.scale) + (dropped ? 1 : 0) + map.bias_error;
  }
  return result;
}

BallMatrix operator+(const BallMatrix& a, const BallMatrix& b) {
  BallMatrix sum = a;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) sum.centre(i, j) += b.centre(i, j);
    sum.radius[i] += b.radius[i];
  }
  return sum;
}

BallBlock block(const BallMatrix& matrix, std::size_t begin, std::size_t width) {
  BallBlock result{&matrix, begin, width, {}, {}};
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    Integer largest = 0;
    for (std::size_t j = begin; j < begin + width; ++j) {
      largest = std::max(largest, magnitude(matrix.centre(i, j)));
    }
    result.row_sum.push_back(row_sum(matrix.centre, i, begin, width));
    result.row_largest.push_back(std::move(largest));
  }
  return result;
}

Bounds inner_product(const BallBlock& a, std::size_t i, const BallBlock& b, std::size_t j,
                     unsigned bits) {
  Integer sum = 0;
  for (std::size_t c = 0; c < a.width; ++c) {
    add_product(sum, a.matrix->centre(i, a.begin + c), b.matrix->centre(j, b.begin + c));
  }
  const Integer& r = a.matrix->radius[i];
  const Integer& s = b.matrix->radius[j];
  const Integer spread = r * b.row_sum[j] + s * (a.row_sum[i] + r * Integer(a.width));
  return {floor_shift(sum - spread, bits), ceil_shift(sum + spread, bits)};
}

BallRow combination(const std::vector<Bounds>& weights, const BallBlock& b, unsigned bits) {
  BallRow row{std::vector<Integer>(b.width), 0};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Integer centre = floor_shift(weights[k].lower + weights[k].upper, 1);
    const Integer error = weights[k].upper - centre;
    for (std::size_t c = 0; c < b.width; ++c) {
      add_product(row.centre[c], centre, b.matrix->centre(k, b.begin + c));
    }
    const Integer& r = b.matrix->radius[k];
    row.radius += error * (b.row_largest[k] + r) + magnitude(centre) * r;
  }
  bool dropped = false;
  for (Integer& entry : row.centre) dropped = drop(entry, bits) || dropped;
  row.radius = ceil_shift(row.radius, bits) + (dropped ? 1 : 0);
  return row;
}

BallRow scaled(const BallRow& row, const Bounds& factor, unsigned bits) {
  const Integer centre = floor_shift(factor.lower + factor.upper, 1);
  const Integer error = factor.upper - centre;
  BallRow result;
  bool dropped = false;
  Integer largest = 0;
  for (const Integer& entry : row.centre) {
    largest = std::max(largest, magnitude(entry));
    Integer product = entry * centre;
    dropped = drop(product, bits) || dropped;
    result.centre.push_back(std::move(product));
  }
  const Integer spread = error * (largest + row.radius) + magnitude(centre) * row.radius;
  result.radius = ceil_shift(spread, bits) + (dropped ? 1 : 0);
  return result;
}

}  // namespace sinkproof::measure
