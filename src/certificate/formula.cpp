#include "certificate/formula.hpp"

#include <algorithm>

#include "certificate/expression.hpp"
#include "certificate/strict.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::uint64_t kBitsOfCharacter = 4;

std::uint64_t cost_of_term(std::uint64_t size, std::uint64_t variables) {
  return product_of({units_of_term(variables), cost_of(product_of({kBitsOfCharacter, size}))});
}

std::uint64_t cost_of_term(const Formula& a, const Formula& b) {
  return cost_of_term(sum_of({a.size, b.size}), std::max(a.variables, b.variables));
}

void require_few_terms(const Formula& result, const std::string& where) {
  require(result.polynomial.terms().size() <= kMaxTerms, where,
          "more than 10000 terms after expansion", "SP0504");
}

}  // namespace

std::uint64_t units_of_term(std::uint64_t variables) { return 5 + variables; }

void keep(const Formula& formula, Work& work, const std::string& where) {
  work.spend({300 + 8 * formula.variables, formula.polynomial.terms().size(),
              cost_of(product_of({kBitsOfCharacter, formula.size}))},
             where);
}

Formula multiply(const Formula& a, const Formula& b, Work& work, const std::string& where) {
  const std::size_t pairs = a.polynomial.terms().size() * b.polynomial.terms().size();
  require(pairs <= kMaxProducts, where, "a product of more than 1000000 pairs of terms", "SP0504");
  work.spend({pairs, cost_of_term(a, b)}, where);
  Formula product{a.polynomial * b.polynomial, sum_of({a.size, b.size}),
                  std::max(a.variables, b.variables)};
  require_few_terms(product, where);
  return product;
}

void add(Formula& sum, const Formula& b, Work& work, const std::string& where) {
  work.spend({b.polynomial.terms().size(), cost_of_term(sum, b)}, where);
  sum.polynomial += b.polynomial;
  sum.size = sum_of({sum.size, b.size});
  sum.variables = std::max(sum.variables, b.variables);
  require_few_terms(sum, where);
}

void negate(Formula& a, Work& work, const std::string& where) {
  work.spend({a.polynomial.terms().size(), cost_of_term(a.size, a.variables)}, where);
  a.polynomial = -a.polynomial;
}

}  // namespace sinkproof::certificate
