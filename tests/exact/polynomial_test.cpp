#include "exact/polynomial.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

using namespace sinkproof::exact;

namespace {

constexpr std::size_t kVariables = 4;

// Random polynomials as sums of a few random products, kept beside the list of products itself: the
// reference evaluates that list term by term and never sees a map.
struct Sample {
  struct Product {
    Rational coefficient;
    std::vector<std::size_t> variables;
  };
  std::vector<Product> products;
  Polynomial polynomial;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : engine_(seed) {}

  Rational rational() {
    return make_rational(static_cast<int>(below(41)) - 20, static_cast<int>(below(9)) + 1);
  }
  std::vector<Rational> point() {
    std::vector<Rational> values;
    for (std::size_t i = 0; i < kVariables; ++i) values.push_back(rational());
    return values;
  }
  Sample sample() {
    Sample result;
    const std::size_t count = below(6);
    for (std::size_t k = 0; k < count; ++k) {
      Sample::Product product{rational(), {}};
      const std::size_t degree = below(4);
      Polynomial term = Polynomial::constant(product.coefficient);
      for (std::size_t d = 0; d < degree; ++d) {
        product.variables.push_back(below(kVariables));
        term = term * Polynomial::variable(product.variables.back());
      }
      result.polynomial += term;
      result.products.push_back(product);
    }
    return result;
  }

 private:
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  std::mt19937 engine_;
};

Rational reference(const Sample& sample, const std::vector<Rational>& point) {
  Rational sum = 0;
  for (const auto& product : sample.products) {
    Rational term = product.coefficient;
    for (const std::size_t variable : product.variables) term *= point[variable];
    sum += term;
  }
  return sum;
}

}  // namespace

TEST_CASE("Random polynomials obey the laws of a commutative ring") {
  Generator generator(20240601);
  for (int round = 0; round < 300; ++round) {
    const Polynomial a = generator.sample().polynomial;
    const Polynomial b = generator.sample().polynomial;
    const Polynomial c = generator.sample().polynomial;
    const Polynomial one = Polynomial::constant(1);
    CHECK(a + b == b + a);
    CHECK((a + b) + c == a + (b + c));
    CHECK(a * b == b * a);
    CHECK((a * b) * c == a * (b * c));
    CHECK(a * (b + c) == a * b + a * c);
    CHECK((a - a).is_zero());
    CHECK(a + (-a) == Polynomial());
    CHECK(a * one == a);
    CHECK((a * Polynomial()).is_zero());
  }
}

TEST_CASE("Evaluation agrees with the reference and respects sums and products") {
  Generator generator(7);
  for (int round = 0; round < 300; ++round) {
    const Sample a = generator.sample();
    const Sample b = generator.sample();
    const auto point = generator.point();
    CHECK(a.polynomial.evaluate(point) == reference(a, point));
    CHECK((a.polynomial + b.polynomial).evaluate(point) ==
          reference(a, point) + reference(b, point));
    CHECK((a.polynomial - b.polynomial).evaluate(point) ==
          reference(a, point) - reference(b, point));
    CHECK((a.polynomial * b.polynomial).evaluate(point) ==
          reference(a, point) * reference(b, point));
  }
}

TEST_CASE("Equal polynomials have equal terms; unequal ones differ") {
  const Polynomial x = Polynomial::variable(0);
  const Polynomial y = Polynomial::variable(1);
  const Polynomial difference = (x + y) * (x + y) - (x - y) * (x - y);
  CHECK(difference == Polynomial::constant(4) * x * y);
  CHECK(difference.terms().size() == 1);
  CHECK(difference.degree() == 2);
  CHECK(x != y);
  CHECK(x + Polynomial::constant(make_rational(1, 1000000007)) != x);
  Polynomial twice = x;
  const Polynomial& same = twice;
  twice += same;
  CHECK(twice == Polynomial::constant(2) * x);
  twice -= same;
  CHECK(twice.is_zero());
  CHECK_THROWS_AS(y.evaluate({Rational(1)}), std::logic_error);
}
