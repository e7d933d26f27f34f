#include "language/rows.hpp"

#include <algorithm>
#include <utility>

#include "forward/whole.hpp"
#include "language/product.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Balls;
using forward::ceil_shift;
using forward::floor_shift;
using forward::magnitude;
using forward::Range;

Integer largest(const Balls& x, std::size_t row) {
  Integer most = 0;
  for (std::size_t j = 0; j < x.columns(); ++j) most = std::max(most, magnitude(x.centre(row, j)));
  return most;
}

// The midpoint of a range, and no less than its distance to the ends.
std::pair<Integer, Integer> ball_of(const Range& range) {
  Integer middle = floor_shift(range.lower + range.upper, 1);
  Integer radius = range.upper - middle;
  return {std::move(middle), std::move(radius)};
}

// Numbers of a row in whole units: deviations from the mean, times n where there is a mean.
struct Deviations {
  std::vector<Integer> d;
  Range deviation;  // n sqrt(mean of squares + epsilon) where d is n times the deviation, in units
};

Deviations deviations(const Balls& x, std::size_t row, std::size_t begin, std::size_t n, Norm norm,
                      const exact::Rational& epsilon, unsigned p) {
  Deviations result;
  const Integer times = norm == Norm::kLayer ? n : 1;
  Integer total = 0;
  if (norm == Norm::kLayer) {
    for (std::size_t j = 0; j < n; ++j) total += x.centre(row, begin + j);
  }
  Integer squares = 0;
  for (std::size_t j = 0; j < n; ++j) {
    result.d.push_back(times * x.centre(row, begin + j) - total);
    forward::add_product(squares, result.d.back(), result.d.back());
  }
  // Square of the deviation, with 2p more places to take the root of.
  const Range extra = forward::range_of(exact::Rational(times * times) * epsilon, 4 * p);
  const Range square{forward::floor_div(squares << (2 * p), n) + extra.lower,
                     forward::ceil_div(squares << (2 * p), n) + extra.upper};
  result.deviation = forward::root_of(square, 0);  // in units of 2^-2p
  return result;
}

// Weight and bias of a norm in units of 2^-p.
struct Weighted {
  std::vector<Element> weight;
  std::vector<Element> bias;
};

Weighted weighted(const NormWeights& weights, std::size_t n, unsigned p) {
  Weighted result;
  for (std::size_t j = 0; j < n; ++j) {
    result.weight.push_back(element(*weights.weight, j, p));
    result.bias.push_back(weights.bias == nullptr ? Element{0, false}
                                                  : element(*weights.bias, j, p));
  }
  return result;
}

// y = deviation / (deviation's size): with x within r of the row, |y_j - y'_j| <= r (2 + |y_j|) /
// (s - r), s the size (1 + |y_j| for no mean).
bool normalise(const Balls& x, std::size_t row, std::size_t begin, std::size_t n,
               const Weighted& weights, Norm norm, const exact::Rational& epsilon, unsigned p,
               Balls& result) {
  const Deviations found = deviations(x, row, begin, n, norm, epsilon, p);
  const Integer times = norm == Norm::kLayer ? n : 1;
  const Integer moved = times * x.radius[row] << p;  // as the deviation: units of 2^-2p
  if (found.deviation.lower <= moved) return false;
  const Integer room = found.deviation.lower - moved;
  Integer radius = 0;
  const Integer one = Integer(1) << p;
  for (std::size_t j = 0; j < n; ++j) {
    const Integer above = found.d[j] << p;
    const auto [y, rounding] = ball_of(forward::over({above, above}, found.deviation, p));
    const Integer spread = forward::ceil_div(
        moved * ((norm == Norm::kLayer ? 2 : 1) * one + magnitude(y) + rounding), room);
    const Element& g = weights.weight[j];
    const Element& b = weights.bias[j];
    result.centre(row, begin + j) = floor_shift(g.value * y, p) + b.value;
    const Integer weight = magnitude(g.value) + (g.rounded ? 1 : 0);
    Integer needed = ceil_shift(weight * (spread + rounding), p) + 1 + (b.rounded ? 1 : 0);
    if (g.rounded) needed += ceil_shift(magnitude(y), p);
    radius = std::max(radius, needed);
  }
  result.radius[row] = std::max(result.radius[row], radius);
  return true;
}

Range activation_at(const Integer& x, Activation activation, const Constants& constants) {
  const unsigned p = constants.p;
  const Range point{x, x};
  switch (activation) {
    case Activation::kRelu:
      break;
    case Activation::kSilu:
      return forward::times(point, forward::logistic(point, p), p);
    case Activation::kGelu:
      return forward::times(point, forward::normal_at(x, constants.density, p), p);
    case Activation::kGeluTanh: {
      // x times the logistic function of 2 sqrt(2/pi) (x + .044715 x^3).
      const Integer cube = forward::floor_div(x * x * x * 44'715, Integer(1'000'000) << (2 * p));
      const Range inside = forward::times({x + cube, x + cube + 1}, constants.tanh, p);
      return forward::times(point, forward::logistic(inside, p), p);
    }
  }
  return {std::max(Integer(0), x), std::max(Integer(0), x)};
}

}  // namespace

Constants::Constants(unsigned precision) : p(precision) {
  const unsigned fine = 2 * p + 64;
  const Range circle = forward::pi(fine + 4);
  const Range one{Integer(1) << fine, Integer(1) << fine};
  const Range half_circle{circle.lower >> 5U, (circle.upper >> 5U) + 1};  // pi/2
  const Range root = forward::root_of({4 * half_circle.lower, 4 * half_circle.upper}, fine);
  density = forward::over(one, root, fine);  // 1/sqrt(2 pi)
  // 2 sqrt(2/pi) = 4/sqrt(2 pi).
  tanh = {floor_shift(4 * density.lower, fine - p), ceil_shift(4 * density.upper, fine - p)};
}

std::optional<Balls> normalised(const Balls& x, const NormWeights& weights, Norm norm,
                                const exact::Rational& epsilon, std::size_t width, unsigned p) {
  const Weighted values = weighted(weights, width, p);
  Balls result(x.rows(), x.columns());
  for (std::size_t row = 0; row < x.rows(); ++row) {
    for (std::size_t begin = 0; begin < x.columns(); begin += width) {
      if (!normalise(x, row, begin, width, values, norm, epsilon, p, result)) return std::nullopt;
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
    Integer rounding = 0;
    for (std::size_t j = 0; j < x.columns(); ++j) {
      auto [middle, radius] = ball_of(activation_at(x.centre(t, j), activation, constants));
      result.centre(t, j) = std::move(middle);
      rounding = std::max(rounding, radius);
    }
    result.radius[t] = slope * x.radius[t] + rounding;
  });
  return result;
}

Balls product(const Balls& a, const Balls& b, unsigned p) {
  Balls result(a.rows(), a.columns());
  for (std::size_t t = 0; t < a.rows(); ++t) {
    for (std::size_t j = 0; j < a.columns(); ++j) {
      result.centre(t, j) = floor_shift(a.centre(t, j) * b.centre(t, j), p);
    }
    const Integer& r = a.radius[t];
    const Integer& s = b.radius[t];
    result.radius[t] = ceil_shift(r * largest(b, t) + s * largest(a, t) + r * s, p) + 1;
  }
  return result;
}

Balls scaled(const Balls& x, const Range& factor, unsigned p) {
  const auto [middle, spread] = ball_of(factor);
  Balls result(x.rows(), x.columns());
  for (std::size_t t = 0; t < x.rows(); ++t) {
    for (std::size_t j = 0; j < x.columns(); ++j) {
      result.centre(t, j) = floor_shift(middle * x.centre(t, j), p);
    }
    const Integer& r = x.radius[t];
    result.radius[t] = ceil_shift(magnitude(middle) * r + spread * (largest(x, t) + r), p) + 1;
  }
  return result;
}

void rotate(Balls& x, std::size_t row, std::size_t head_width, const Angles& angles, unsigned p) {
  const std::size_t half = angles.size();
  const Integer before = x.radius[row];
  Integer after = before;  // of coordinates that are not turned
  for (std::size_t begin = 0; begin < x.columns(); begin += head_width) {
    for (std::size_t j = 0; j < half; ++j) {
      Integer& first = x.centre(row, begin + j);
      Integer& second = x.centre(row, begin + j + half);
      const auto [cosine, c_radius] = ball_of(angles[j].cosine);
      const auto [sine, s_radius] = ball_of(angles[j].sine);
      const Integer size = std::max(magnitude(first), magnitude(second)) + before;
      const Integer turned = first * cosine - second * sine;
      second = floor_shift(second * cosine + first * sine, p);
      first = floor_shift(turned, p);
      const Integer spread =
          (magnitude(cosine) + magnitude(sine)) * before + (c_radius + s_radius) * size;
      after = std::max(after, Integer(ceil_shift(spread, p) + 1));
    }
  }
  x.radius[row] = after;
}

}  // namespace sinkproof::language
