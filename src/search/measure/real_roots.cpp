#include "measure/real_roots.hpp"

#include <algorithm>

namespace sinkproof::measure {
namespace {

using exact::Enclosure;
using exact::Rational;

void trim(Univariate& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

Univariate derivative(const Univariate& p) {
  Univariate result;
  for (std::size_t k = 1; k < p.size(); ++k) result.push_back(p[k] * Rational(k));
  return result;
}

struct Division {
  Univariate quotient;
  Univariate remainder;
};

// Precondition: divisor is trimmed and not zero.
Division divide(Univariate dividend, const Univariate& divisor) {
  trim(dividend);
  Division result;
  if (dividend.size() >= divisor.size()) {
    result.quotient.resize(dividend.size() - divisor.size() + 1);
  }
  while (dividend.size() >= divisor.size()) {
    const std::size_t shift = dividend.size() - divisor.size();
    const Rational factor = dividend.back() / divisor.back();
    result.quotient[shift] = factor;
    for (std::size_t k = 0; k < divisor.size(); ++k) dividend[shift + k] -= factor * divisor[k];
    trim(dividend);
  }
  result.remainder = std::move(dividend);
  return result;
}

Univariate square_free(const Univariate& p) {
  Univariate a = p;
  Univariate b = derivative(p);
  trim(a);
  trim(b);
  const Univariate whole = a;
  while (!b.empty()) {
    Univariate rest = divide(a, b).remainder;
    a = std::move(b);
    b = std::move(rest);
  }
  return divide(whole, a).quotient;
}

// p, p', and each next one minus the remainder of the two before.
std::vector<Univariate> sturm_chain(const Univariate& p) {
  std::vector<Univariate> chain = {p, derivative(p)};
  trim(chain.back());
  while (!chain.back().empty()) {
    Univariate rest = divide(chain[chain.size() - 2], chain.back()).remainder;
    for (Rational& coefficient : rest) coefficient = -coefficient;
    chain.push_back(std::move(rest));
  }
  chain.pop_back();
  return chain;
}

int variations(const std::vector<Univariate>& chain, const Rational& x) {
  int count = 0;
  int last = 0;
  for (const Univariate& p : chain) {
    const int sign = exact::sign(value_at(p, x));
    if (sign == 0) continue;
    if (last != 0 && sign != last) ++count;
    last = sign;
  }
  return count;
}

// Halves (lower, upper], which holds `count` roots, until each part holds one and is narrow.
void isolate(const std::vector<Univariate>& chain, const Enclosure& part, int count,
             const Rational& width, std::vector<Enclosure>& roots) {
  if (count == 0) return;
  if (count == 1 && value_at(chain[0], part.upper) == 0) {
    roots.push_back({part.upper, part.upper});
    return;
  }
  if (count == 1 && part.upper - part.lower <= width) {
    roots.push_back(part);
    return;
  }
  const Rational middle = (part.lower + part.upper) / 2;
  const int left = variations(chain, part.lower) - variations(chain, middle);
  isolate(chain, {part.lower, middle}, left, width, roots);
  isolate(chain, {middle, part.upper}, count - left, width, roots);
}

}  // namespace

Univariate sum(const Univariate& a, const Univariate& b) {
  Univariate result(std::max(a.size(), b.size()));
  for (std::size_t k = 0; k < a.size(); ++k) result[k] += a[k];
  for (std::size_t k = 0; k < b.size(); ++k) result[k] += b[k];
  return result;
}

Univariate product(const Univariate& a, const Univariate& b) {
  if (a.empty() || b.empty()) return {};
  Univariate result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

Rational value_at(const Univariate& p, const Rational& x) {
  Rational value = 0;
  for (std::size_t k = p.size(); k-- > 0;) value = value * x + p[k];
  return value;
}

std::vector<Enclosure> real_roots(const Univariate& p, const Rational& lower, const Rational& upper,
                                  const Rational& width) {
  std::vector<Enclosure> roots;
  const std::vector<Univariate> chain = sturm_chain(square_free(p));
  const int count = variations(chain, lower) - variations(chain, upper);
  isolate(chain, {lower, upper}, count, width, roots);
  return roots;
}

}  // namespace sinkproof::measure
