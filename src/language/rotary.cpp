#include "language/rotary.hpp"

#include <algorithm>

#include "forward/elementary.hpp"
#include "forward/whole.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using exact::Rational;
using forward::over;
using forward::plus;
using forward::Range;
using forward::range_of;
using forward::times;

constexpr unsigned kGuard = 64;  // bits of a position

Range negative(const Range& x) { return {-x.upper, -x.lower}; }

// Of all numbers between 0 and 1 that lie within.
Range clamped(const Range& x, unsigned q) {
  const Integer one = Integer(1) << q;
  return {std::clamp(x.lower, Integer(0), one), std::clamp(x.upper, Integer(0), one)};
}

// share f + (1 - share) f / factor.
Range mixed(const Range& f, const Range& share, const Rational& factor, unsigned q) {
  const Integer one = Integer(1) << q;
  const Range rest = plus({one, one}, negative(share));
  const Range slower = times(f, range_of(1 / factor, q), q);
  return plus(times(share, f, q), times(rest, slower, q));
}

// The share of a frequency that stays, by its wavelength 2 pi / f against the context: none where
// context / wavelength is below `low`, all above `high`, linear in between.
Range llama3_share(const Range& f, const RotaryScaling& scaling, unsigned q) {
  const Range circle = forward::pi(q);
  const Range turns =
      over(times(f, range_of(scaling.context, q), q), {2 * circle.lower, 2 * circle.upper}, q);
  const Rational width = scaling.high - scaling.low;
  const Range above = plus(turns, negative(range_of(scaling.low, q)));
  return clamped(times(above, range_of(1 / width, q), q), q);
}

// The index, from 0 and not whole, of the frequency that turns so often within the context.
Range yarn_index(const Rational& turns, const Rotary& rotary, unsigned q) {
  const Range circle = forward::pi(q);
  const Range log = plus(forward::logarithm(rotary.scaling.context / turns, q),
                         negative(forward::logarithm(Rational(2), q)));
  // ln(context / (2 pi turns)); ln pi = ln of a dyadic number close to it, plus the rest's bound.
  const Rational near = exact::make_rational(circle.lower, Integer(1) << q);
  Range log_pi = forward::logarithm(near, q);
  log_pi.upper += 2;  // pi / near - 1 is below 2^(1-q)
  const Range top = plus(log, negative(log_pi));
  const Range base = forward::logarithm(rotary.base, q);
  const Range index = over(top, {2 * base.lower, 2 * base.upper}, q);
  return times(index, range_of(Rational(rotary.coordinates), q), q);
}

struct Ramp {
  Range low;
  Range width;
};

std::optional<Ramp> yarn_ramp(const Rotary& rotary, unsigned q) {
  Range low = yarn_index(rotary.scaling.high, rotary, q);
  Range high = yarn_index(rotary.scaling.low, rotary, q);
  const Integer one = Integer(1) << q;
  if (rotary.scaling.truncate) {
    const Integer l = forward::floor_div(low.lower, one);
    const Integer h = forward::ceil_div(high.upper, one);
    if (l != forward::floor_div(low.upper, one) || h != forward::ceil_div(high.lower, one)) {
      return std::nullopt;
    }
    low = {l << q, l << q};
    high = {h << q, h << q};
  }
  const Integer last = Integer(rotary.coordinates - 1) << q;
  low = {std::max(Integer(0), low.lower), std::max(Integer(0), low.upper)};
  high = {std::min(last, high.lower), std::min(last, high.upper)};
  Range width = plus(high, negative(low));
  if (width.upper == 0 && width.lower == 0) width = range_of(Rational(1, 1000), q);
  if (width.lower <= 0) return std::nullopt;
  return Ramp{low, width};
}

}  // namespace

std::optional<Rotation> Rotation::make(const Rotary& rotary, unsigned p) {
  const unsigned q = p + kGuard;
  const RotaryScaling& scaling = rotary.scaling;
  using Kind = RotaryScaling::Kind;
  std::optional<Ramp> ramp;
  if (scaling.kind == Kind::kYarn && !(ramp = yarn_ramp(rotary, q))) return std::nullopt;
  Rotation result;
  result.p_ = p;
  const std::size_t n = rotary.coordinates;
  const Integer one = Integer(1) << q;
  const Range log = forward::logarithm(rotary.base, q);
  for (std::size_t j = 0; j < n / 2; ++j) {
    // base^(-2j/n)
    Range f = forward::exponential({forward::floor_div(-2 * Integer(j) * log.upper, n),
                                    forward::ceil_div(-2 * Integer(j) * log.lower, n)},
                                   q);
    if (scaling.kind == Kind::kLinear) f = times(f, range_of(1 / scaling.factor, q), q);
    if (scaling.kind == Kind::kLlama3) {
      f = mixed(f, llama3_share(f, scaling, q), scaling.factor, q);
    }
    if (scaling.kind == Kind::kYarn) {
      const Range along = plus({Integer(j) << q, Integer(j) << q}, negative(ramp->low));
      const Range share = plus({one, one}, negative(clamped(over(along, ramp->width, q), q)));
      f = mixed(f, share, scaling.factor, q);
    }
    result.frequencies_.push_back(f);
  }
  if (scaling.kind == Kind::kYarn) {
    const Range tenth =
        times(forward::logarithm(scaling.factor, p), range_of(Rational(1, 10), p), p);
    const Integer unit = Integer(1) << p;
    result.factor_ = scaling.attention_factor ? range_of(*scaling.attention_factor, p)
                                              : plus({unit, unit}, tenth);
  }
  return result;
}

Angles Rotation::at(std::size_t position) const {
  Angles angles;
  const Integer here = position;
  for (const Range& f : frequencies_) {
    const Range angle{forward::floor_shift(here * f.lower, kGuard),
                      forward::ceil_shift(here * f.upper, kGuard)};
    angles.push_back(forward::cosine_sine(angle, p_));
    if (!factor_) continue;
    angles.back().cosine = times(angles.back().cosine, *factor_, p_);
    angles.back().sine = times(angles.back().sine, *factor_, p_);
  }
  return angles;
}

}  // namespace sinkproof::language
