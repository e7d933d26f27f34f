#include "certificate/formula.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "certificate/expression.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::uint64_t kBitsOfCharacter = 4;

std::uint64_t cost_of_term(std::uint64_t size, std::uint64_t variables) {
  return product_of({units_of_term(variables), cost_of(product_of({kBitsOfCharacter, size}))});
}

std::uint64_t cost_of_term(const Formula& a, const Formula& b) {
  return cost_of_term(sum_of({a.size, b.size}), std::max(a.variables, b.variables));
}

exact::Result<void> limited(const Formula& result, const std::string& where) {
  if (result.polynomial.terms().size() <= kMaxTerms) return {};
  return exact::fail("SP0504", where, fmt::format("more than {} terms after expansion", kMaxTerms));
}

}  // namespace

std::uint64_t units_of_term(std::uint64_t variables) { return 5 + variables; }

exact::Result<void> keep(const Formula& formula, Work& work, const std::string& where) {
  return work.spend({300 + 8 * formula.variables, formula.polynomial.terms().size(),
                     cost_of(product_of({kBitsOfCharacter, formula.size}))},
                    where);
}

exact::Result<Formula> multiply(const Formula& a, const Formula& b, Work& work,
                                const std::string& where) {
  const std::size_t pairs = a.polynomial.terms().size() * b.polynomial.terms().size();
  if (pairs > kMaxProducts) {
    return exact::fail("SP0504", where,
                       fmt::format("a product of more than {} pairs of terms", kMaxProducts));
  }
  if (auto spent = work.spend({pairs, cost_of_term(a, b)}, where); !spent) {
    return tl::unexpected(spent.error());
  }
  Formula product{a.polynomial * b.polynomial, sum_of({a.size, b.size}),
                  std::max(a.variables, b.variables)};
  if (auto small = limited(product, where); !small) return tl::unexpected(small.error());
  return product;
}

exact::Result<void> add(Formula& sum, const Formula& b, Work& work, const std::string& where) {
  if (auto spent = work.spend({b.polynomial.terms().size(), cost_of_term(sum, b)}, where); !spent) {
    return spent;
  }
  sum.polynomial += b.polynomial;
  sum.size = sum_of({sum.size, b.size});
  sum.variables = std::max(sum.variables, b.variables);
  return limited(sum, where);
}

exact::Result<void> negate(Formula& a, Work& work, const std::string& where) {
  if (auto spent =
          work.spend({a.polynomial.terms().size(), cost_of_term(a.size, a.variables)}, where);
      !spent) {
    return spent;
  }
  a.polynomial = -a.polynomial;
  return {};
}

}  // namespace sinkproof::certificate
