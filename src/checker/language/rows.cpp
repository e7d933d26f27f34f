#include "language/rows.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"
#include "language/product.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Balls;
using forward::entry_of;
using forward::Range;
using forward::times;

// An entry becomes the middle of a range, and its row's radius is at least its distance to the
// ends.
void put(Balls& rows, std::size_t i, std::size_t j, const Range& range) {
  rows.centre(i, j) = floor_shift(range.lower + range.upper, 1);
  rows.radius[i] = std::max(rows.radius[i], Integer(range.upper - rows.centre(i, j)));
}

// Rows of the same shape, of these ranges.
template <typename Entry>
Balls of_entries(const Balls& like, const Entry& entry) {
  Balls result(like.rows(), like.columns());
  for (std::size_t t = 0; t < like.rows(); ++t) {
    for (std::size_t j = 0; j < like.columns(); ++j) put(result, t, j, entry(t, j));
  }
  return result;
}

// What a row is normalised by; its numbers are whole.
struct Deviations {
  Integer unit;            // n for a norm with a mean, else 1
  std::vector<Integer> d;  // from the mean (or 0), times `unit`
  Range size;              // `unit` times sqrt(mean of squares + epsilon), in units of 2^-2p
};

Deviations deviations(const Balls& x, std::size_t row, std::size_t begin, std::size_t n, Norm norm,
                      const exact::Rational& epsilon, unsigned p) {
  Deviations result{norm == Norm::kLayer ? n : 1, {}, {}};
  Integer total = 0;
  if (norm == Norm::kLayer) {
    for (std::size_t j = 0; j < n; ++j) total += x.centre(row, begin + j);
  }
  Integer squares = 0;
  for (std::size_t j = 0; j < n; ++j) {
    result.d.push_back(result.unit * x.centre(row, begin + j) - total);
    add_product(squares, result.d.back(), result.d.back());
  }
  squares <<= 2 * p;  // more places to take the root of
  const exact::Rational extra = exact::Rational(result.unit * result.unit) * epsilon;
  result.size = forward::root_of(
      forward::divided({squares, squares}, n) + forward::range_of(extra, 4 * p), 0);
  return result;
}

std::vector<Range> ranges_of(const safetensors::View* tensor, std::size_t n, int otherwise,
                             unsigned p) {
  std::vector<Range> result(n, forward::range_of(otherwise, p));
  for (std::size_t j = 0; tensor != nullptr && j < n; ++j) result[j] = element(*tensor, j, p);
  return result;
}

Range activation_at(const Integer& x, Activation activation, const Constants& constants) {
  const unsigned p = constants.p;
  const Range point{x, x};
  switch (activation) {
    case Activation::kRelu:
      break;
    case Activation::kSilu:
      return times(point, forward::logistic_around(point, p), p);
    case Activation::kGelu:
      return times(point, forward::normal_at(x, constants.density, p), p);
    case Activation::kGeluTanh: {
      // x times the logistic function of 2 sqrt(2/pi) (x + .044715 x^3).
      const Integer cube = floor_div(x * x * x * 44'715, Integer(1'000'000) << (2 * p));
      const Range inside = times({x + cube, x + cube + 1}, constants.tanh, p);
      return times(point, forward::logistic_around(inside, p), p);
    }
  }
  return {std::max(Integer(0), x), std::max(Integer(0), x)};
}

}  // namespace

Constants::Constants(unsigned precision) : p(precision) {
  const unsigned fine = 2 * p + 64;
  const Range circle = forward::coarser(forward::pi(fine + 4), 3);  // 2 pi
  const Range one{unit(fine), unit(fine)};
  density = forward::over(one, forward::root_of(circle, fine), fine);  // 1/sqrt(2 pi)
  // 2 sqrt(2/pi) = 4/sqrt(2 pi).
  tanh = forward::coarser({4 * density.lower, 4 * density.upper}, fine - p);
}

// y = deviation / size: where the row is within r of x, y_j moves by at most r (2 + |y_j|) /
// (size - r), or r (1 + |y_j|) / (size - r) without a mean.
Balls normalised(const Balls& x, const NormWeights& weights, Norm norm,
                 const exact::Rational& epsilon, std::size_t width, unsigned p) {
  const std::vector<Range> weight = ranges_of(weights.weight, width, 1, p);
  const std::vector<Range> bias = ranges_of(weights.bias, width, 0, p);
  const Integer moves = norm == Norm::kLayer ? unit(p + 1) : unit(p);
  Balls result(x.rows(), x.columns());
  for (std::size_t row = 0; row < x.rows(); ++row) {
    for (std::size_t begin = 0; begin < x.columns(); begin += width) {
      const Deviations of = deviations(x, row, begin, width, norm, epsilon, p);
      const Integer moved = of.unit * x.radius[row] << p;  // as the size: units of 2^-2p
      if (of.size.lower <= moved) throw forward::TooCoarse();
      for (std::size_t j = 0; j < width; ++j) {
        const Integer above = of.d[j] << p;
        const Range y = forward::over({above, above}, of.size, p);
        const Integer spread =
            ceil_div(moved * (moves + forward::absolute(y).upper), of.size.lower - moved);
        put(result, row, begin + j, times(weight[j], y + Range{-spread, spread}, p) + bias[j]);
      }
    }
  }
  return result;
}

Balls activated(const Balls& x, Activation activation, const Constants& constants,
                const ForEach& each) {
  Balls result(x.rows(), x.columns());
  // No slope exceeds 2: of x S(t(x)), it is S + x t' S (1 - S), where x t' is at most 3 t and
  // t S(t) (1 - S(t)) below 1/4; of x times the normal function, 1 + .25. That of relu is 1.
  const Integer slope = activation == Activation::kRelu ? 1 : 2;
  each(x.rows(), [&](std::size_t t) {
    const Range around{-slope * x.radius[t], slope * x.radius[t]};
    for (std::size_t j = 0; j < x.columns(); ++j) {
      put(result, t, j, activation_at(x.centre(t, j), activation, constants) + around);
    }
  });
  return result;
}

// Of relu less a line only the ends count: it is convex, and 0 at 0. The others lie at most .3
// below relu, and their second derivatives are at most 2 in size, so that within a range of width w
// they lie at most w^2/4 from the line between the ends.
Line line_beside(const Range& x, Activation activation, const Constants& constants) {
  const unsigned p = constants.p;
  const Integer width = x.upper - x.lower;
  if (activation != Activation::kRelu && width <= unit(p)) {
    const Range first = activation_at(x.lower, activation, constants);
    const Range last = activation_at(x.upper, activation, constants);
    Line line;
    if (width > 0) line.slope = floor_div((last.lower - first.lower) << p, width);
    const auto less = [&](const Range& value, const Integer& at) {
      const Integer of_line = line.slope * at;
      return value - forward::coarser({of_line, of_line}, p);
    };
    const Integer bend = ceil_shift(width * width, p + 2);
    line.rest = forward::hull(less(first, x.lower), less(last, x.upper)) + Range{-bend, bend};
    return line;
  }
  const Integer least = activation == Activation::kRelu ? 0 : -ceil_div(3 * unit(p), 10);
  if (x.lower >= 0) return {unit(p), {least, 0}};
  if (x.upper <= 0) return {0, {least, 0}};
  const Integer slope = floor_div(x.upper << p, width);
  const Integer most = std::max<Integer>(-slope * x.lower, (unit(p) - slope) * x.upper);
  return {slope, {least, ceil_shift(most, p)}};
}

Balls product(const Balls& a, const Balls& b, unsigned p) {
  return of_entries(a, [&](std::size_t t, std::size_t j) {
    return times(entry_of(a, t, j), entry_of(b, t, j), p);
  });
}

Balls scaled(const Balls& x, const Range& factor, unsigned p) {
  return of_entries(
      x, [&](std::size_t t, std::size_t j) { return times(entry_of(x, t, j), factor, p); });
}

void rotate(Balls& x, std::size_t row, std::size_t head_width, const Angles& angles, unsigned p) {
  const Integer radius = x.radius[row];  // which `put` may raise
  const Range around{-radius, radius};
  for (std::size_t begin = 0; begin < x.columns(); begin += head_width) {
    for (std::size_t j = begin; j < begin + angles.size(); ++j) {
      const auto& [cosine, sine] = angles[j - begin];
      const std::size_t k = j + angles.size();
      const Range first = Range{x.centre(row, j), x.centre(row, j)} + around;
      const Range second = Range{x.centre(row, k), x.centre(row, k)} + around;
      put(x, row, j, times(first, cosine, p) - times(second, sine, p));
      put(x, row, k, times(second, cosine, p) + times(first, sine, p));
    }
  }
}

}  // namespace sinkproof::language
