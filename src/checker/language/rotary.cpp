#include "language/rotary.hpp"

#include <algorithm>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using exact::Rational;
using forward::over;
using forward::Range;
using forward::range_of;
using forward::times;

constexpr unsigned kGuard = 64;  // bits of a position

// Of all numbers between 0 and 1 that lie within.
Range share_within(const Range& x, unsigned q) { return clamped(x, 0, unit(q)); }

// share f + (1 - share) f / factor.
Range mixed(const Range& f, const Range& share, const Rational& factor, unsigned q) {
  const Range slower = times(f, range_of(1 / factor, q), q);
  return times(share, f, q) + times(range_of(1, q) - share, slower, q);
}

// The share of a frequency that stays, by its wavelength 2 pi / f against the context: none where
// context / wavelength is below `low`, all above `high`, linear in between.
Range llama3_share(const Range& f, const RotaryScaling& scaling, unsigned q) {
  const Range circle = forward::pi(q);
  const Range turns = over(times(f, range_of(scaling.context, q), q), circle + circle, q);
  const Range above = turns - range_of(scaling.low, q);
  return share_within(times(above, range_of(1 / (scaling.high - scaling.low), q), q), q);
}

// The index, from 0 and not whole, of the frequency that turns so often within the context.
Range yarn_index(const Rational& turns, const Rotary& rotary, unsigned q) {
  const Range circle = forward::pi(q);
  // ln(context / (2 pi turns)); ln pi = ln of a dyadic number close to it, plus the rest's bound.
  const Rational near = exact::make_rational(circle.lower, unit(q));
  Range log_pi = forward::logarithm(near, q);
  log_pi.upper += 2;  // pi / near - 1 is below 2^(1-q)
  const Range top = forward::logarithm(rotary.scaling.context / (2 * turns), q) - log_pi;
  const Range base = forward::logarithm(rotary.base, q);
  return times(over(top, base + base, q), range_of(Rational(rotary.coordinates), q), q);
}

// Either end may be the larger one: transformers divides by the difference as it is.
struct Ramp {
  Range low;
  Range width;  // of one sign
};

Ramp yarn_ramp(const Rotary& rotary, unsigned q) {
  Range low = yarn_index(rotary.scaling.high, rotary, q);
  Range high = yarn_index(rotary.scaling.low, rotary, q);
  if (rotary.scaling.truncate) {
    // To whole numbers.
    const auto below = [q](const Integer& n) { return Integer(floor_shift(n, q) << q); };
    const auto above = [q](const Integer& n) { return Integer(ceil_shift(n, q) << q); };
    low = {below(low.lower), below(low.upper)};
    high = {above(high.lower), above(high.upper)};
    if (low.lower != low.upper || high.lower != high.upper) throw forward::TooCoarse();
  }
  const Integer last = Integer(rotary.coordinates - 1) << q;
  low = {std::max(Integer(0), low.lower), std::max(Integer(0), low.upper)};
  high = {std::min(last, high.lower), std::min(last, high.upper)};
  Range width = high - low;
  if (width.upper == 0 && width.lower == 0) width = range_of(Rational(1, 1000), q);
  if (width.lower <= 0 && width.upper >= 0) throw forward::TooCoarse();
  return {low, width};
}

// In units of 2^-q.
std::vector<Range> frequencies(const Rotary& rotary, unsigned q) {
  const RotaryScaling& scaling = rotary.scaling;
  using Kind = RotaryScaling::Kind;
  const Ramp ramp = scaling.kind == Kind::kYarn ? yarn_ramp(rotary, q) : Ramp{};
  const std::size_t n = rotary.coordinates;
  std::vector<Range> result;
  const Range log = forward::logarithm(rotary.base, q);
  for (std::size_t j = 0; j < n / 2; ++j) {
    // base^(-2j/n)
    const Integer turns = 2 * j;
    const Range exponent = forward::divided({turns * log.lower, turns * log.upper}, n);
    Range f = forward::exponential(-exponent, q);
    if (scaling.kind == Kind::kLinear) f = times(f, range_of(1 / scaling.factor, q), q);
    if (scaling.kind == Kind::kLlama3) {
      f = mixed(f, llama3_share(f, scaling, q), scaling.factor, q);
    }
    if (scaling.kind == Kind::kYarn) {
      const Range along = range_of(Rational(j), q) - ramp.low;
      const Range done =
          ramp.width.lower > 0 ? over(along, ramp.width, q) : over(-along, -ramp.width, q);
      const Range share = range_of(1, q) - share_within(done, q);
      f = mixed(f, share, scaling.factor, q);
    }
    result.push_back(f);
  }
  return result;
}

}  // namespace

std::vector<Angles> rotary_angles(const Rotary& rotary, std::size_t positions, unsigned p) {
  const RotaryScaling& scaling = rotary.scaling;
  Range factor = range_of(1, p);
  if (scaling.kind == RotaryScaling::Kind::kYarn) {
    const Range tenth = range_of(Rational(1, 10), p);
    factor = scaling.attention_factor
                 ? range_of(*scaling.attention_factor, p)
                 : factor + times(forward::logarithm(scaling.factor, p), tenth, p);
  }
  const std::vector<Range> of_one = frequencies(rotary, p + kGuard);
  std::vector<Angles> result(positions);
  for (std::size_t i = 0; i < positions; ++i) {
    for (const Range& f : of_one) {
      const auto [cosine, sine] =
          forward::cosine_sine(forward::coarser({i * f.lower, i * f.upper}, kGuard), p);
      result[i].push_back({times(cosine, factor, p), times(sine, factor, p)});
    }
  }
  return result;
}

}  // namespace sinkproof::language
