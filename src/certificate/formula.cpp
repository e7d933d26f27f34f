#include "certificate/formula.hpp"

#include <fmt/format.h>

#include "certificate/expression.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::uint64_t kUnitsOfTerm = 5;
constexpr std::uint64_t kBitsOfCharacter = 4;

std::uint64_t cost_of_term(const Formula& a, const Formula& b) {
  return product_of(
      {kUnitsOfTerm, cost_of(product_of({kBitsOfCharacter, sum_of({a.size, b.size})}))});
}

exact::Result<void> limited(const Formula& result, const std::string& where) {
  if (result.polynomial.terms().size() <= kMaxTerms) return {};
  return exact::fail("SP0504", where, fmt::format("more than {} terms after expansion", kMaxTerms));
}

}  // namespace

exact::Result<void> keep(const Formula& formula, Work& work, const std::string& where) {
  constexpr std::uint64_t kUnitsOfKeptTerm = 200;
  return work.spend({kUnitsOfKeptTerm, formula.polynomial.terms().size(),
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
  Formula product{a.polynomial * b.polynomial, sum_of({a.size, b.size})};
  if (auto small = limited(product, where); !small) return tl::unexpected(small.error());
  return product;
}

exact::Result<void> add(Formula& sum, const Formula& b, Work& work, const std::string& where) {
  if (auto spent = work.spend({b.polynomial.terms().size(), cost_of_term(sum, b)}, where); !spent) {
    return spent;
  }
  sum.polynomial += b.polynomial;
  sum.size = sum_of({sum.size, b.size});
  return limited(sum, where);
}

}  // namespace sinkproof::certificate
