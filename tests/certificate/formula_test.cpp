// Sums and products of formulas end at the limits of FORMAT.md, 3.7.
#include "certificate/formula.hpp"

#include <catch2/catch.hpp>

#include "certificate/strict.hpp"

using namespace sinkproof;
using exact::Polynomial;

namespace {

// "made", or the code of what is thrown.
template <typename Make>
std::string code(const Make& make) {
  const auto result = certificate::result_of(make);
  return result ? "made" : result.error().code;
}

// So many terms: products of the variables that the bits of a number select, from variable `first`.
Polynomial of_terms(std::size_t count, std::size_t first) {
  Polynomial sum;
  for (std::size_t i = 0; i < count; ++i) {
    Polynomial term = Polynomial::constant(1);
    for (std::size_t k = 0; k < 14; ++k) {
      if ((i >> k & 1U) != 0) term = term * Polynomial::variable(first + k);
    }
    sum += term;
  }
  return sum;
}

}  // namespace

TEST_CASE("A product of more than 1000000 pairs of terms is refused, and one of 10001 terms") {
  CHECK(code([] { certificate::multiply(of_terms(1001, 0), of_terms(1000, 0), "t"); }) == "SP0504");
  CHECK(code([] { certificate::multiply(of_terms(100, 0), of_terms(100, 20), "t"); }) == "made");
  CHECK(code([] { certificate::multiply(of_terms(100, 0), of_terms(101, 20), "t"); }) == "SP0504");
}

TEST_CASE("A sum of 10001 terms is refused") {
  for (const auto& [more, told] :
       {std::pair<std::size_t, std::string>{4999, "made"}, {5000, "made"}, {5001, "SP0504"}}) {
    Polynomial sum = of_terms(5001, 0);
    const Polynomial other = of_terms(more, 20);  // the constant is in both
    CHECK(code([&, &other = other] { certificate::add(sum, other, "t"); }) == told);
  }
}
