#include "measure/vectors.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "files.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using exact::Rational;
using test::file_of;
using test::rows64;
using test::tensor64;

namespace {

std::string tokens_error(const measure::NamedFile& file,
                         const std::optional<std::string>& tensor = std::nullopt) {
  const auto tokens = measure::read_tokens(file, tensor);
  return tokens ? "none" : tokens.error().code;
}

std::string head_error(const measure::NamedFile& file, const measure::HeadPlace& place) {
  const auto head = measure::read_head(file, place);
  return head ? "none" : head.error().code;
}

}  // namespace

TEST_CASE("the Gram matrix is exact, whatever the exponents") {
  std::mt19937_64 random(1);
  for (const double scale : {1.0, 1e290, 1e-300}) {
    std::vector<std::vector<double>> rows(5, std::vector<double>(3));
    for (auto& row : rows) {
      for (double& value : row) {
        value = std::ldexp(static_cast<double>(random() % 2001) - 1000,
                           static_cast<int>(random() % 40));
        value *= scale;
      }
    }
    const auto gram = measure::gram_matrix(test::dyadic_rows(rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        Rational sum = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          sum += rounded::from_double(rows[i][c]) * rounded::from_double(rows[j][c]);
        }
        CHECK(gram(i, j) == sum);
      }
    }
  }
}

TEST_CASE("rows are read from the only matrix, or by name") {
  const auto file = file_of({{"x", rows64({{1, 0.5}, {2, -3}})}, {"bias", tensor64({2}, {1, 1})}});
  const auto tokens = measure::read_tokens(file, std::nullopt);
  REQUIRE(tokens);
  CHECK(tokens->tensor == "x");
  CHECK(tokens->rows.at(0, 1) == exact::make_rational(1, 2));
  CHECK(tokens->rows.at(1, 1) == -3);
  const auto two = file_of({{"a", rows64({{1}})}, {"b", rows64({{2}})}});
  CHECK(tokens_error(two) == "SP1501");
  CHECK(measure::read_tokens(two, "b")->rows.at(0, 0) == 2);
}

TEST_CASE("tensors that are not rows are refused with a code") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(tokens_error(file_of({{"x", tensor64({2}, {1, 2})}})) == "SP1501");
  CHECK(tokens_error(file_of({{"x", rows64({{1}})}}), "y") == "SP1501");
  CHECK(tokens_error(file_of({{"x", tensor64({2}, {1, 2})}}), "x") == "SP1502");
  CHECK(tokens_error(file_of({{"x", tensor64({1, 1, 1}, {1})}}), "x") == "SP1502");
  CHECK(tokens_error(file_of({{"x", tensor64({0, 4}, {})}})) == "SP1502");
  CHECK(tokens_error(file_of({{"x", tensor64({4, 0}, {})}})) == "SP1502");
  CHECK(tokens_error(file_of({{"x", tensor64({1025, 1}, std::vector<double>(1025))}})) == "SP1502");
  CHECK(tokens_error(file_of({{"x", tensor64({1024, 1}, std::vector<double>(1024))}})) == "none");
  // T d is at most 4194304 (VECTOR_RULES.md, 6.1); this is 16 more.
  CHECK(tokens_error(file_of({{"x", tensor64({65, 64528}, std::vector<double>(65 * 64528))}})) ==
        "SP1502");
  CHECK(tokens_error(file_of({{"x", rows64({{1, nan}})}})) == "SP0405");
  CHECK(tokens_error(file_of({{"x", rows64({{HUGE_VAL, 1}})}})) == "SP0405");
  auto integers = rows64({{1, 2}});
  integers.dtype_name = "I64";
  CHECK(tokens_error(file_of({{"x", integers}})) == "SP0404");
}

TEST_CASE("a head's values are W_O (W_V x + c) of its own rows and columns") {
  // Two heads of width 1 in d = 2, m = 3.
  const auto file = file_of({{"layers.3.W_V.weight", rows64({{1, 2}, {4, 0.25}})},
                             {"layers.3.W_O.weight", rows64({{1, 10}, {0, 20}, {-1, 0.5}})},
                             {"layers.3.W_V.bias", tensor64({2}, {7, 0.125})}});
  const auto tokens = test::dyadic_rows({{1, 1}, {0, 2}});
  const auto first = measure::read_head(file, {3, 2, 0});
  REQUIRE(first);
  CHECK(first->prefix == "layers.3.");
  const auto a = measure::values_of(*first, tokens);
  const std::vector<std::vector<int>> expected = {{10, 0, -10}, {11, 0, -11}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) CHECK(a.at(i, j) == expected[i][j]);
  }
  const auto second = measure::read_head(file, {3, 2, 1});
  REQUIRE(second);
  const auto b = measure::values_of(*second, tokens);
  CHECK(b.at(0, 0) == exact::make_rational(175, 4));  // 10 (4 + 1/4 + 1/8)
  CHECK(b.at(1, 1) == exact::make_rational(25, 2));   // 20 (1/2 + 1/8)
  CHECK(b.at(1, 2) == exact::make_rational(5, 16));
  // As one head of width 2: the sum of both.
  const auto both = measure::read_head(file, {3, 1, 0});
  REQUIRE(both);
  const auto sum = measure::values_of(*both, tokens);
  for (std::size_t j = 0; j < 3; ++j) CHECK(sum.at(1, j) == a.at(1, j) + b.at(1, j));
}

TEST_CASE("heads that do not exist or do not fit are refused with a code") {
  const auto weight = rows64({{1, 2}, {3, 4}});
  const auto file = file_of({{"W_V.weight", weight}, {"W_O.weight", weight}});
  CHECK(head_error(file, {0, 1, 0}) == "none");
  CHECK(head_error(file, {0, 2, 1}) == "none");
  CHECK(head_error(file, {1, 1, 0}) == "SP1504");
  CHECK(head_error(file, {0, 1, 1}) == "SP1504");
  CHECK(head_error(file, {0, 0, 0}) == "SP1504");
  CHECK(head_error(file, {0, 1025, 0}) == "SP1504");
  CHECK(head_error(file, {0, 3, 0}) == "SP1502");
  CHECK(head_error(file_of({{"W_V.weight", weight}}), {0, 1, 0}) == "SP1501");
  CHECK(head_error(file_of({{"W_V.weight", weight}, {"W_O.weight", rows64({{1, 2, 3}})}}),
                   {0, 1, 0}) == "SP1502");
  CHECK(head_error(file_of({{"W_V.weight", weight},
                            {"W_O.weight", weight},
                            {"W_V.bias", tensor64({3}, {1, 2, 3})}}),
                   {0, 1, 0}) == "SP1502");
}
