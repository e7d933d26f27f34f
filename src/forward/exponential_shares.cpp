#include "forward/exponential_shares.hpp"

#include <algorithm>
#include <utility>

#include "forward/elementary.hpp"
#include "forward/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

// exp(radius * letter) for a radius <= 2^p.
Polynomials series(const LiftedKeys& keys, std::size_t degree, unsigned p) {
  Polynomials result = constant({Integer(1) << p});
  Integer coefficient = Integer(1) << p;
  Monomial power;
  for (std::size_t t = 1; t <= degree; ++t) {
    coefficient = (coefficient * keys.radius / t) >> p;
    power.own.insert(power.own.end(), keys.letter.own.begin(), keys.letter.own.end());
    power.key.insert(power.key.end(), keys.letter.key.begin(), keys.letter.key.end());
    result[power][0] = coefficient;
  }
  // Each coefficient is less than 2 below the series', of which what is left is at most twice its
  // first term.
  const Integer next = (coefficient * keys.radius / (degree + 1)) >> p;
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
  Polynomials result = constant({(Integer(1) << (2 * p)) / x.terms.at({})[0]});
  for (int step = 0; step < kSteps; ++step) {
    Polynomials factor = constant({Integer(2) << p});
    add(factor, scaled(x, result, degree, keys, p), -1);
    result = without_remainder(scaled(result, factor, degree, keys, p));
  }
  return result;
}

}  // namespace

std::optional<std::vector<Polynomials>> exponential_shares(const LiftedRow& row, unsigned p) {
  const Integer one = Integer(1) << p;
  Integer top = row.null ? row.null->upper : row.keys.front().centre;
  for (const LiftedKeys& keys : row.keys) {
    if (keys.radius > one) return std::nullopt;
    top = std::max(top, keys.centre);
  }
  std::vector<Polynomials> kernels;
  Polynomials sum = constant({0});
  if (row.null) {
    add(sum, interval(exponential({row.null->lower - top, row.null->upper - top}, p)), 1);
  }
  for (const LiftedKeys& keys : row.keys) {
    const Integer at = keys.centre - top;
    kernels.push_back(scaled(interval(exponential({at, at}, p)), series(keys, row.degree, p),
                             row.degree, keys.others, p));
    if (keys.count == 0) continue;
    if (keys.letter.key.empty()) {
      add(sum, kernels.back(), 1);
      continue;
    }
    const Polynomials all = sum_over_keys(kernels.back(), keys.count - 1);
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

}  // namespace sinkproof::forward
