#include "forward/range.hpp"

#include <algorithm>

#include "exact/whole.hpp"

namespace sinkproof::forward {

using exact::Integer;
using exact::Rational;

Range operator-(const Range& x) { return {-x.upper, -x.lower}; }
Range operator+(const Range& a, const Range& b) { return {a.lower + b.lower, a.upper + b.upper}; }
Range operator-(const Range& a, const Range& b) { return {a.lower - b.upper, a.upper - b.lower}; }

Range times(const Range& a, const Range& b, unsigned p) {
  const auto [least, most] = std::minmax<Integer>(
      {a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
  return coarser({least, most}, p);
}

Range over(const Range& a, const Range& b, unsigned p) {
  return {floor_div(a.lower << p, a.lower < 0 ? b.lower : b.upper),
          ceil_div(a.upper << p, a.upper < 0 ? b.upper : b.lower)};
}

Range divided(const Range& x, const Integer& by) {
  return {floor_div(x.lower, by), ceil_div(x.upper, by)};
}

Range share(const Range& part, const Range& rest, unsigned p) {
  return {part.lower == 0 ? Integer(0) : floor_div(part.lower << p, part.lower + rest.upper),
          part.upper == 0 ? Integer(0) : ceil_div(part.upper << p, part.upper + rest.lower)};
}

Range absolute(const Range& x) {
  const Integer least = std::max({Integer(0), x.lower, Integer(-x.upper)});
  return {least, std::max(magnitude(x.lower), magnitude(x.upper))};
}

Range clamped(const Range& x, const Integer& least, const Integer& most) {
  return {std::clamp(x.lower, least, most), std::clamp(x.upper, least, most)};
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Range coarser(const Range& x, unsigned bits) {
  return {floor_shift(x.lower, bits), ceil_shift(x.upper, bits)};
}

Range range_of(const Rational& x, unsigned p) {
  const Rational scaled = x * unit(p);
  return {exact::floor(scaled), exact::ceil(scaled)};
}

exact::Enclosure enclosure(const Range& range, unsigned p) {
  return {exact::make_rational(range.lower, unit(p)), exact::make_rational(range.upper, unit(p))};
}

Range root_of(const Range& x, unsigned p) {
  Range root{x.lower << p, x.upper << p};
  mpz_sqrt(raw(root.lower), raw(root.lower));
  mpz_sqrt(raw(root.upper), raw(root.upper));
  root.upper += 1;
  return root;
}

}  // namespace sinkproof::forward
