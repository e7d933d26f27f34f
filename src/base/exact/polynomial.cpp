#include "exact/polynomial.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sinkproof::exact {
namespace {

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial sum = a.size() >= b.size() ? a : b;
  const Monomial& shorter = a.size() >= b.size() ? b : a;
  for (std::size_t i = 0; i < shorter.size(); ++i) sum[i] += shorter[i];
  return sum;
}

}  // namespace

Polynomial Polynomial::constant(const Rational& value) {
  Polynomial result;
  result.add_term({}, value);
  return result;
}

Polynomial Polynomial::variable(std::size_t index) {
  Monomial monomial(index + 1, 0);
  monomial[index] = 1;
  Polynomial result;
  result.add_term(monomial, 1);
  return result;
}

unsigned Polynomial::degree() const {
  unsigned most = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    most = std::max(most, std::accumulate(monomial.begin(), monomial.end(), 0U));
  }
  return most;
}

void Polynomial::add_term(const Monomial& monomial, const Rational& coefficient) {
  if (coefficient == 0) return;
  const auto [position, is_new] = terms_.try_emplace(monomial, coefficient);
  if (is_new) return;
  position->second += coefficient;
  if (position->second == 0) terms_.erase(position);
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  if (&other == this) return *this += Polynomial(other);
  for (const auto& [monomial, coefficient] : other.terms_) add_term(monomial, coefficient);
  return *this;
}

Polynomial& Polynomial::operator-=(const Polynomial& other) {
  if (&other == this) return *this = Polynomial();
  for (const auto& [monomial, coefficient] : other.terms_) {
    add_term(monomial, Rational(-coefficient));
  }
  return *this;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [left, p] : a.terms_) {
    for (const auto& [right, q] : b.terms_) result.add_term(product(left, right), Rational(p * q));
  }
  return result;
}

Rational Polynomial::evaluate(const std::vector<Rational>& point) const {
  Rational sum = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    if (monomial.size() > point.size()) throw std::logic_error("a variable without a value");
    Rational term = coefficient;
    for (std::size_t i = 0; i < monomial.size(); ++i) {
      for (unsigned k = 0; k < monomial[i]; ++k) term *= point[i];
    }
    sum += term;
  }
  return sum;
}

}  // namespace sinkproof::exact
