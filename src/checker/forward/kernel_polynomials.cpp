#include "forward/kernel_polynomials.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

// The sum of coefficient times letter^t, t = 0, 1, ..
Polynomials power_series(const Monomial& letter, const std::vector<Integer>& coefficients) {
  Polynomials result = constant({coefficients.front()});
  Monomial power;
  for (std::size_t t = 1; t < coefficients.size(); ++t) {
    power.own.insert(power.own.end(), letter.own.begin(), letter.own.end());
    power.key.insert(power.key.end(), letter.key.begin(), letter.key.end());
    result[power][0] = coefficients[t];
  }
  return result;
}

// exp(radius * letter) for a radius <= 2^p.
Polynomials exponential_series(const LiftedKeys& keys, std::size_t degree, unsigned p) {
  std::vector<Integer> coefficients = {unit(p)};
  for (std::size_t t = 1; t <= degree; ++t) {
    coefficients.emplace_back((coefficients.back() * keys.radius / t) >> p);
  }
  Polynomials result = power_series(keys.letter, coefficients);
  // Each coefficient is less than 2 below the series', of which what is left is at most twice its
  // first term.
  const Integer next = (coefficients.back() * keys.radius / (degree + 1)) >> p;
  result.remainder[0] = 2 * (next + Integer(degree) + 2);
  return result;
}

Polynomials without_remainder(Polynomials x) {
  x.remainder.assign(x.size, 0);
  return x;
}

// Close to 1/x for an x with a positive constant term: Newton's iteration.
Polynomials near_reciprocal(const Polynomials& x, std::size_t degree, std::size_t keys,
                            unsigned p) {
  constexpr int kSteps = 3;
  Polynomials result = constant({unit(2 * p) / x.terms.at({})[0]});
  for (int step = 0; step < kSteps; ++step) {
    Polynomials factor = constant({unit(p + 1)});
    add(factor, scaled(x, result, degree, keys, p), -1);
    result = without_remainder(scaled(result, factor, degree, keys, p));
  }
  return result;
}

Range below_top(const Range& logit, const Integer& top, unsigned p) {
  return exponential({logit.lower - top, logit.upper - top}, p);
}

// The kernels of exp, over exp(top).
std::vector<Polynomials> exponential_kernels(const LiftedRow& row, const Integer& top, unsigned p) {
  std::vector<Polynomials> kernels;
  for (const LiftedKeys& keys : row.keys) {
    if (keys.radius > unit(p)) {
      kernels.push_back(interval(below_top(keys.logit, top, p)));
      continue;
    }
    const Polynomials at_centre = interval(below_top({keys.centre, keys.centre}, top, p));
    kernels.push_back(
        scaled(at_centre, exponential_series(keys, row.degree, p), row.degree, keys.others, p));
  }
  return kernels;
}

// What each kernel is over the sum of all and of `null`.
std::optional<std::vector<Polynomials>> shares_of(const LiftedRow& row,
                                                  const std::vector<Polynomials>& kernels,
                                                  const Polynomials& null, unsigned p) {
  Polynomials sum = null;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const LiftedKeys& keys = row.keys[k];
    if (keys.count == 0) continue;
    if (keys.letter.key.empty()) {
      add(sum, kernels[k], 1);
      continue;
    }
    const Polynomials all = sum_over_keys(kernels[k], keys.count - 1);
    add(sum, row.kept != 0 ? all : without_others(all, keys.count), 1);
  }
  const Integer& middle = sum.terms.at({})[0];
  const Integer least = 2 * middle - reach(sum, 0, row.kept);
  if (middle <= 0 || least <= 0) return std::nullopt;
  const Polynomials reciprocal = near_reciprocal(sum, row.degree, row.kept, p);
  const std::size_t others = row.kept != 0 ? row.kept - 1 : 0;
  const Polynomials sum_from_key = seen_from_key(sum, others);
  const Polynomials reciprocal_from_key = seen_from_key(reciprocal, others);
  std::vector<Polynomials> shares;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const LiftedKeys& keys = row.keys[k];
    const bool from_key = !keys.letter.key.empty();
    Polynomials share = without_remainder(scaled(
        kernels[k], from_key ? reciprocal_from_key : reciprocal, row.degree, keys.others, p));
    // kernel/sum - share = (kernel - share sum)/sum.
    Polynomials rest = scaled(share, from_key ? sum_from_key : sum, row.degree, keys.others, p);
    add(rest, kernels[k], -1);
    share.remainder[0] = ceil_div(reach(rest, 0, keys.others) << p, least);
    shares.push_back(std::move(share));
  }
  return shares;
}

std::optional<std::vector<Polynomials>> exponential_shares(const LiftedRow& row, unsigned p) {
  std::optional<Integer> top;
  if (row.null) top = row.null->upper;
  for (const LiftedKeys& keys : row.keys) {
    const bool is_wide = keys.radius > unit(p);
    const Integer& most = is_wide ? keys.logit.upper : keys.centre;
    if (!top || most > *top) top = most;
  }
  const Polynomials null = row.null ? interval(below_top(*row.null, *top, p)) : constant({0});
  return shares_of(row, exponential_kernels(row, *top, p), null, p);
}

// `factor` over `divisor` times x.
Polynomials multiple(const Integer& factor, const Integer& divisor, const Polynomials& x,
                     std::size_t keys, unsigned p) {
  return apply({exact::Matrix<Integer>(1, 2, {factor, 0}), divisor}, x, keys, p);
}

// How large max(0, x) y may be, x <= `most`: for every t > 0 at most max(0, t x + y/t)^2/4, as a
// product is at most a quarter of the square of a sum.
Integer product_at_most(const Polynomials& x, const Integer& most, const Polynomials& y,
                        std::size_t keys, bool sharply, unsigned p) {
  const Integer reach = range(y, 0, keys).upper;
  if (reach <= 0) return 0;
  Integer plain = ceil_shift(most * reach, p);
  if (!sharply) return plain;
  // t = s/2^16, near the square root of reach/most.
  constexpr unsigned kScaleBits = 16;
  const Integer s = boost::multiprecision::sqrt(Integer((reach << (2 * kScaleBits)) / most));
  if (s == 0) return plain;
  Polynomials sum = multiple(s, unit(kScaleBits), x, keys, p);
  add(sum, multiple(unit(kScaleBits), s, y, keys, p), 1);
  const Integer root = std::max(Integer(0), range(sum, 0, keys).upper);
  return std::min(plain, Integer(ceil_shift(root * root, p) / 4 + 1));
}

// Coordinate c times `sign`.
Polynomials coordinate(const Polynomials& x, std::size_t c, int sign) {
  Polynomials result(1);
  for (const auto& [monomial, row] : x.terms) result[monomial][0] = sign * row[c];
  result.remainder[0] = x.remainder[c];
  return result;
}

}  // namespace

// The derivatives 0 to `last` of the logistic function s over their factorials, where s lies in
// `at`: s' = s (1 - s), and both sides' series are the same.
std::vector<Range> logistic_derivatives(const Range& at, std::size_t last, unsigned p) {
  const Range one{unit(p), unit(p)};
  std::vector<Range> found = {at};
  for (std::size_t m = 0; m < last; ++m) {
    Range sum = m == 0 ? times(at, one - at, 0) : times(found[m], one - at - at, 0);
    for (std::size_t i = 1; i < m; ++i) sum = sum - times(found[i], found[m - i], 0);
    found.push_back(divided(sum, Integer(m + 1) << p));
  }
  return found;
}

std::optional<std::vector<Polynomials>> lifted_weights(const certificate::AttentionKind& kind,
                                                       const LiftedRow& row, unsigned p) {
  if (kind.kernel == certificate::Kernel::kExp) return exponential_shares(row, p);
  std::vector<Polynomials> kernels;
  std::size_t count = 0;
  for (const LiftedKeys& keys : row.keys) {
    kernels.push_back(logistic_polynomial(keys, row.degree, p));
    count += keys.count;
  }
  if (kind.normalised) return shares_of(row, kernels, constant({0}), p);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    kernels[k] = divided(kernels[k], std::max<std::size_t>(1, count - 1), row.keys[k].others);
  }
  return kernels;
}

Polynomials logistic_polynomial(const LiftedKeys& keys, std::size_t degree, unsigned p) {
  const Range at = logistic(keys.logit, p);
  if (keys.radius > unit(p + 1)) return interval(at);
  const auto centre = logistic_derivatives(logistic({keys.centre, keys.centre}, p), degree, p);
  Integer power = 1;  // radius^t, in units of 2^-shift
  unsigned shift = 0;
  std::vector<Integer> coefficients;
  Integer remainder = 0;
  for (const Range& of : centre) {
    const Integer middle = floor_div(of.lower + of.upper, 2);
    coefficients.push_back(floor_shift(middle * power, shift));
    remainder += ceil_shift((of.upper - middle) * power, shift) + 1;
    power *= keys.radius;
    shift += p;
  }
  const Range rest = logistic_derivatives(at, degree + 1, p).back();
  remainder += ceil_shift(std::max(Integer(-rest.lower), rest.upper) * power, shift);
  Polynomials result = power_series(keys.letter, coefficients);
  result.remainder[0] = remainder;
  return result;
}

Polynomials rectified(const Polynomials& x, const Range& at, std::size_t keys, unsigned p) {
  if (at.upper <= 0) return constant({0});
  if (at.lower >= 0) return x;
  if (at.upper <= -at.lower) return interval({0, at.upper});
  // u x/(u - l) <= max(0, x) <= u (x - l)/(u - l).
  const Integer width = at.upper - at.lower;
  Polynomials result = multiple(at.upper, width, x, keys, p);
  add(result, interval({0, ceil_div(-at.lower * at.upper, width)}), 1);
  return result;
}

Polynomials rectified_products(const Polynomials& x, const Integer& most, const Polynomials& value,
                               std::size_t keys, bool sharply, unsigned p) {
  std::vector<Range> products;
  for (std::size_t c = 0; c < value.size; ++c) {
    const auto at_most = [&](int sign) {
      return product_at_most(x, most, coordinate(value, c, sign), keys, sharply, p);
    };
    products.push_back({-at_most(-1), at_most(1)});
  }
  return intervals(products);
}

}  // namespace sinkproof::forward
