// Values of polynomials at points of the box.
#pragma once

#include <vector>

#include "forward/polynomial.hpp"

namespace sinkproof::test {

using exact::Rational;
using forward::Letters;
using forward::Monomial;
using forward::Polynomials;

using Noise = std::vector<Rational>;  // letter 2 first

struct Point {
  Noise own;
  Noise key;
  std::vector<Noise> others;
};

inline Rational power(const Letters& letters, const Noise& noise) {
  Rational value = 1;
  for (const std::uint32_t letter : letters) value *= noise[letter - 2];
  return value;
}

// The sum over all ways to choose distinct keys for the monomial's others from `next` on.
inline Rational chosen(const Monomial& monomial, std::size_t next, std::vector<bool>& taken,
                       const std::vector<Noise>& keys) {
  if (next == monomial.others.size()) return 1;
  Rational sum = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (taken[k]) continue;
    taken[k] = true;
    sum += power(monomial.others[next], keys[k]) * chosen(monomial, next + 1, taken, keys);
    taken[k] = false;
  }
  return sum;
}

// Without the remainder, in units of 2^-p.
inline Rational value(const Polynomials& x, std::size_t c, const Point& at) {
  Rational sum = 0;
  for (const auto& [monomial, row] : x.terms) {
    std::vector<bool> taken(at.others.size());
    sum += Rational(row[c]) * power(monomial.own, at.own) * power(monomial.key, at.key) *
           chosen(monomial, 0, taken, at.others);
  }
  return sum;
}

}  // namespace sinkproof::test
