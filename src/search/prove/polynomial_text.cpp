#include "prove/polynomial_text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sinkproof::prove {
namespace {

using exact::Monomial;
using exact::Rational;

constexpr std::size_t kShownTerms = 8;

std::string monomial_text(const Monomial& monomial, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < monomial.size(); ++i) {
    if (monomial[i] == 0) continue;
    text += (text.empty() ? "" : "*") + names[i];
    if (monomial[i] > 1) text += "^" + std::to_string(monomial[i]);
  }
  return text;
}

std::string term_text(const Rational& coefficient, const std::string& monomial, bool first) {
  const Rational size = exact::abs(coefficient);
  std::string text = coefficient < 0 ? (first ? "-" : " - ") : (first ? "" : " + ");
  if (monomial.empty()) return text + exact::to_string(size);
  return text + (size == 1 ? "" : exact::to_string(size) + "*") + monomial;
}

}  // namespace

std::string polynomial_text(const exact::Polynomial& polynomial,
                            const std::vector<std::string>& names) {
  if (polynomial.is_zero()) return "0";
  std::vector<std::pair<Monomial, Rational>> terms(polynomial.terms().begin(),
                                                   polynomial.terms().end());
  const auto degree = [](const Monomial& m) { return std::accumulate(m.begin(), m.end(), 0U); };
  std::stable_sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) {
    const unsigned of_a = degree(a.first);
    const unsigned of_b = degree(b.first);
    return of_a != of_b ? of_a > of_b : a.first > b.first;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(terms.size(), kShownTerms); ++i) {
    text += term_text(terms[i].second, monomial_text(terms[i].first, names), i == 0);
  }
  if (terms.size() <= kShownTerms) return text;
  return text + " and " + std::to_string(terms.size() - kShownTerms) + " more terms";
}

}  // namespace sinkproof::prove
