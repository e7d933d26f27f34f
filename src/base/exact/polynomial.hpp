// Multivariate polynomials over Q, so that an identity between formulas can be checked by expanding
// both sides. Sparse: a sorted map from monomials to nonzero coefficients, hence equal polynomials
// are equal maps. Multiplication costs (terms of a) x (terms of b) map insertions; meant for
// formulas people write, not for elimination theory.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::exact {

// Exponents of variable 0, 1, ...; no trailing zeros, so that the constant monomial is {}.
using Monomial = std::vector<unsigned>;

class Polynomial {
 public:
  Polynomial() = default;  // zero
  static Polynomial constant(const Rational& value);
  static Polynomial variable(std::size_t index);

  // Nonzero coefficients by monomial.
  [[nodiscard]] const std::map<Monomial, Rational>& terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  // Largest total degree of a term; 0 for the zero polynomial.
  [[nodiscard]] unsigned degree() const;

  Polynomial& operator+=(const Polynomial& other);
  Polynomial& operator-=(const Polynomial& other);
  friend Polynomial operator+(Polynomial a, const Polynomial& b) { return a += b; }
  friend Polynomial operator-(Polynomial a, const Polynomial& b) { return a -= b; }
  friend Polynomial operator-(const Polynomial& a) { return Polynomial() - a; }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial& a, const Polynomial& b) = default;

  // The value at a point. Precondition: `point` has a value for every variable that occurs.
  [[nodiscard]] Rational evaluate(const std::vector<Rational>& point) const;

 private:
  void add_term(const Monomial& monomial, const Rational& coefficient);

  std::map<Monomial, Rational> terms_;
};

}  // namespace sinkproof::exact
