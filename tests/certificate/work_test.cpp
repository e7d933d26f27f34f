// The budget of FORMAT.md section 7: what is counted, and that it cannot be overrun or wrapped
// round.
#include "certificate/work.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "certificate/formula.hpp"
#include "certificate/strict.hpp"

using namespace sinkproof;
using certificate::Formula;
using certificate::Work;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kBudget = std::uint64_t{1} << 31U;

// "spent", or the code of what is thrown.
template <typename Spend>
std::string code(const Spend& spend) {
  const auto result = certificate::result_of(spend);
  return result ? "spent" : result.error().code;
}

// What is left of one budget, found by spending it in halves.
std::uint64_t left(Work work) {
  std::uint64_t spent = 0;
  for (std::uint64_t part = kBudget; part > 0; part /= 2) {
    if (code([&] { work.spend({part}, "t"); }) == "spent") spent += part;
  }
  return spent;
}

std::uint64_t units_of(const char* text) {
  Work work;
  const auto value = json::parse_strict(text, "t");
  REQUIRE(value.has_value());
  REQUIRE(code([&] { certificate::read_expression(*value, {"x", "y"}, work, "t"); }) == "spent");
  return kBudget - left(work);
}

}  // namespace

TEST_CASE("A budget is 2^31 units for every started MiB, and is spent or refused whole") {
  CHECK(left(Work(1)) == kBudget);
  CHECK(left(Work(0)) == kBudget);
  CHECK(left(Work(1U << 20U)) == kBudget);
  Work two((1U << 20U) + 1);
  CHECK(code([&] { two.spend({kBudget}, "t"); }) == "spent");
  CHECK(code([&] { two.spend({kBudget + 1}, "t"); }) == "SP0905");
  CHECK(code([&] { two.spend({kBudget}, "t"); }) == "spent");
  CHECK(code([&] { two.spend({1}, "t"); }) == "SP0905");
  CHECK(code([&] { two.spend({0, kMost}, "t"); }) == "spent");
}

TEST_CASE("Amounts that do not fit 64 bits are refused, not wrapped round") {
  Work work(kMost);
  CHECK(code([&] { work.spend({kMost, kMost}, "t"); }) == "SP0905");
  CHECK(code([&] { work.spend({1ULL << 32U, 1ULL << 32U}, "t"); }) == "SP0905");
  CHECK(certificate::product_of({1ULL << 32U, 1ULL << 32U}) == kMost);
  CHECK(certificate::product_of({kMost, 0}) == 0);
  CHECK(certificate::product_of({}) == 1);
  CHECK(certificate::sum_of({kMost, 1}) == kMost);
  CHECK(certificate::sum_of({3, 4}) == 7);
}

TEST_CASE("c and m of numbers of x bits") {
  CHECK(certificate::words_of(0) == 1);
  CHECK(certificate::words_of(63) == 1);
  CHECK(certificate::words_of(64) == 2);
  CHECK(certificate::cost_of(63) == 1);
  CHECK(certificate::cost_of(64 * 62) == 63);
  CHECK(certificate::cost_of(64 * 63) == 64 * 2);
  CHECK(certificate::cost_of(kMost) > kBudget);
}

TEST_CASE("An expression costs its products, its sums and what is kept of it") {
  const auto m = [](std::uint64_t characters) { return certificate::cost_of(4 * characters); };
  constexpr std::uint64_t kTerm = 5 + 2;  // of two variables
  constexpr std::uint64_t kKept = 300 + 8 * 2;
  CHECK(units_of(R"("x")") == kKept * m(1));
  CHECK(units_of(R"(["-","x"])") == kTerm * m(1) + kKept * m(1));
  CHECK(units_of(R"(["-",["-","x"]])") == 2 * kTerm * m(1) + kKept * m(1));
  CHECK(units_of(R"(["^",["^","x",1],1])") == kKept * m(1));
  CHECK(units_of(R"(["+","x","12"])") == kTerm * m(3) + kKept * 2 * m(3));
  // (x + 12)^2: two and two terms, then three of them; sizes 3 and 3.
  CHECK(units_of(R"(["^",["+","x","12"],2])") ==
        kTerm * m(3) + kTerm * 4 * m(6) + kKept * 3 * m(6));
  // Left to right: the right operand's terms count.
  CHECK(units_of(R"(["-","y",["+","x","12"]])") ==
        kTerm * m(3) + kTerm * 2 * m(4) + kKept * 3 * m(4));
  const std::string nines(390, '9');
  const std::string product = R"(["*",")" + nines + R"(",")" + nines + R"("])";
  CHECK(units_of(product.c_str()) == kTerm * m(780) + kKept * m(780));
}

TEST_CASE("Products and sums keep 3.7's limits and end where the budget does") {
  Work work;
  exact::Polynomial wide;
  for (std::size_t i = 0; i < 1001; ++i) {
    exact::Polynomial term = exact::Polynomial::constant(1);
    for (std::size_t k = 0; k < 10; ++k) {
      if ((i >> k & 1U) != 0) term = term * exact::Polynomial::variable(k);
    }
    wide += term;
  }
  const Formula many{wide, 1, 10};
  CHECK(code([&] { certificate::multiply(many, many, work, "t"); }) == "SP0504");
  const Formula long_one{exact::Polynomial::constant(1), kMost / 2, 10};
  CHECK(code([&] { certificate::multiply(many, long_one, work, "t"); }) == "SP0905");
  Formula sum = many;
  CHECK(code([&] { certificate::add(sum, long_one, work, "t"); }) == "SP0905");
  CHECK(sum.polynomial == many.polynomial);
}
