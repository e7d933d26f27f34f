#include "model/ldlt.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace sinkproof::exact;
using namespace sinkproof::model;

namespace {

RationalMatrix random_matrix(std::mt19937_64& random, std::size_t rows, std::size_t columns) {
  RationalMatrix result(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      result(i, j) = make_rational(static_cast<int>(random() % 21) - 10, 1 + random() % 7);
    }
  }
  return result;
}

RationalMatrix rebuild(const Ldlt& factors) {
  const std::size_t n = factors.diagonal.size();
  RationalMatrix scaled = factors.lower;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) scaled(i, j) *= factors.diagonal[j];
  }
  return scaled * transpose(factors.lower);
}

}  // namespace

TEST_CASE("Gram matrices, singular ones included, factor exactly") {
  std::mt19937_64 random(5);
  for (std::size_t n = 1; n <= 7; ++n) {
    for (std::size_t rank = 1; rank <= n; ++rank) {
      const RationalMatrix b = random_matrix(random, n, rank);
      const RationalMatrix gram = b * transpose(b);
      const PsdDecision decision = decide_psd(gram);
      REQUIRE(decision.factors.has_value());
      CHECK(rebuild(*decision.factors) == gram);
      for (const Rational& pivot : decision.factors->diagonal) CHECK(pivot >= 0);
    }
  }
}

TEST_CASE("matrices that are not positive semidefinite come back with a negative direction") {
  std::mt19937_64 random(6);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 6;
    const RationalMatrix b = random_matrix(random, n, 1 + random() % n);
    RationalMatrix a = b * transpose(b);
    const std::size_t i = random() % n;
    a(i, i) -= make_rational(static_cast<int>(random() % 100), 10);
    const PsdDecision decision = decide_psd(a);
    if (decision.factors) {
      CHECK(rebuild(*decision.factors) == a);
    } else {
      ++refused;
      CHECK(quadratic_form(a, decision.negative) < 0);
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("a zero pivot with a non-zero column is not positive semidefinite") {
  const RationalMatrix a(2, 2, {0, 1, 1, 5});
  const PsdDecision decision = decide_psd(a);
  REQUIRE_FALSE(decision.factors.has_value());
  CHECK(quadratic_form(a, decision.negative) < 0);
}
