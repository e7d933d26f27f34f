// The structure of docs/THEORY.md section 5: found where it holds, refused for one broken clause
// each, and its closed forms against their formulas in doubles.
#include "model/sink_and_diagonal.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "rounded/double.hpp"

using namespace sinkproof;
using certificate::Pattern;
using certificate::PatternKind;
using exact::make_rational;
using exact::Rational;
using exact::RationalMatrix;
using rounded::to_double_estimate;

namespace {

// d = 16, two groups: BOS 4 e_0, copies 4 e_1, 4 e_2, means 4 e_3, 4 e_4, lam = 13/16; noise of
// group 0: +-2 e_5; of group 1, three tokens of norm 2 and sum 0 along e_6..e_8 (two dimensions).
struct Example {
  RationalMatrix tokens{8, 16};
  Pattern pattern;

  Example() {
    pattern.kind = PatternKind::kSinkA;
    pattern.margin = 1;
    pattern.bos = 0;
    pattern.copies = {1, 2};
    pattern.groups = {{3, 4}, {5, 6}};
    for (std::size_t k = 0; k < 3; ++k) tokens(k, k) = 4;
    for (std::size_t i = 3; i < 7; ++i) {
      const std::size_t group = (i - 3) / 2;
      tokens(i, 3 + group) = make_rational(13, 4);
      tokens(i, 5 + group) = i % 2 == 1 ? 2 : -2;
    }
    tokens(7, 0) = 1000;  // no role: not looked at
  }
};

std::string why_not(const std::function<void(Example&)>& change) {
  Example example;
  change(example);
  const auto search = model::find_sink_and_diagonal(example.tokens, example.pattern);
  return search.found ? "found" : search.why_not;
}

model::SinkAndDiagonal found(const Example& example) {
  const auto search = model::find_sink_and_diagonal(example.tokens, example.pattern);
  INFO(search.why_not);
  REQUIRE(search.found.has_value());
  return *search.found;
}

bool encloses(const exact::Enclosure& enclosure, double value) {
  const double lower = to_double_estimate(enclosure.lower);
  const double upper = to_double_estimate(enclosure.upper);
  return lower <= value * (1 + 1e-12) && value * (1 - 1e-12) <= upper &&
         upper - lower <= 1e-9 * value;
}

}  // namespace

TEST_CASE("The structure of section 5 is found, with its numbers") {
  const auto structure = found(Example());
  CHECK(structure.dimension == 16);
  CHECK(structure.groups == 2);
  CHECK(structure.sizes == std::vector<std::size_t>{2, 2});
  CHECK(structure.lam_squared == make_rational(169, 256));
  CHECK(structure.noise_squared == 4);
  CHECK(structure.separation == 16);
  CHECK(structure.noise_rank == 2);
  // Differences +-4 e_5 and +-4 e_6: Sigma = 8 (e_5 e_5^T + e_6 e_6^T).
  CHECK(structure.covariance_norm.lower == 8);
  CHECK(structure.covariance_norm.upper == 8);
}

TEST_CASE("Groups of two sizes weigh their differences, and share nuisance directions") {
  Example example;
  // Group 1 gets a third token: noise 2 e_6 rotated by thirds of a turn is irrational, so four
  // tokens at the corners of a square instead.
  example.tokens = RationalMatrix(9, 16);
  for (std::size_t k = 0; k < 3; ++k) example.tokens(k, k) = 4;
  for (std::size_t i = 3; i < 9; ++i) {
    example.tokens(i, i < 5 ? 3 : 4) = 3;
  }
  example.tokens(3, 5) = 2;
  example.tokens(4, 5) = -2;
  example.tokens(5, 5) = 2;
  example.tokens(6, 5) = -2;
  example.tokens(7, 6) = 2;
  example.tokens(8, 6) = -2;
  example.pattern.groups = {{3, 4}, {5, 6, 7, 8}};
  const auto structure = found(example);
  CHECK(structure.noise_rank == 2);
  CHECK(structure.separation == 8);
  // P = 2 + 12; Sigma = (1/14)(2 * 2 * 8 + 2 * 4 * 8) on e_5 and (1/14)(2 * 4 * 8) on e_6.
  const Rational norm = make_rational(96, 14);
  CHECK(structure.covariance_norm.lower <= norm);
  CHECK(structure.covariance_norm.upper >= norm);
  CHECK(structure.covariance_norm.upper - structure.covariance_norm.lower <=
        norm * make_rational(1, 1'000'000'000));
}

TEST_CASE("One broken clause and the structure is not there") {
  const Rational little = exact::power_of_two(-1000);
  CHECK(why_not([](Example&) {}) == "found");
  const std::vector<std::pair<std::string, std::function<void(Example&)>>> broken = {
      {"not one copy token", [](Example& e) { e.pattern.copies.clear(); }},
      {"fewer than two",
       [](Example& e) {
         e.pattern.groups = {{3, 4}, {5}};
       }},
      {"BOS has not the norm", [&](Example& e) { e.tokens(0, 0) += little; }},
      {"a copy token has not", [&](Example& e) { e.tokens(2, 2) += little; }},
      {"BOS and the copy tokens",
       [](Example& e) {
         e.tokens(1, 0) = make_rational(12, 5);
         e.tokens(1, 1) = make_rational(16, 5);
       }},
      {"not orthogonal to BOS", [&](Example& e) { e.tokens(4, 0) = little; }},
      {"not orthogonal to BOS", [&](Example& e) { e.tokens(4, 2) = little; }},
      {"not equally long", [&](Example& e) { e.tokens(4, 3) += little; }},
      {"of another group", [](Example& e) { e.tokens(5, 3) = e.tokens(6, 3) = 1; }},
      {"of another group",
       [](Example& e) {
         e.tokens(5, 3) = 1;
         e.tokens(6, 3) = -1;
       }},
      {"[1/2, 1)",
       [](Example& e) {
         for (std::size_t i = 3; i < 7; ++i) e.tokens(i, i < 5 ? 3 : 4) = 4;
       }},
      {"[1/2, 1)",
       [](Example& e) {
         for (std::size_t i = 3; i < 7; ++i) e.tokens(i, i < 5 ? 3 : 4) = make_rational(11, 4);
       }},
      {"equal norms",
       [](Example& e) {
         e.tokens(5, 6) = 3;
         e.tokens(6, 6) = -3;
       }},
      {"are equal", [](Example& e) {
         for (std::size_t i = 3; i < 7; ++i) e.tokens(i, 5) = e.tokens(i, 6) = 0;
       }}};
  for (const auto& [words, change] : broken) {
    INFO(words);
    CHECK(why_not(change).find(words) != std::string::npos);
  }
}

TEST_CASE("The hypothesis that fails is told") {
  const auto violated = [](const std::function<void(Example&)>& change) {
    Example example;
    change(example);
    return model::find_sink_and_diagonal(example.tokens, example.pattern).violated;
  };
  const auto means = [](const Rational& length) {
    return [length](Example& e) {
      for (std::size_t i = 3; i < 7; ++i) e.tokens(i, i < 5 ? 3 : 4) = length;
    };
  };
  CHECK_FALSE(violated([](Example&) {}).has_value());
  CHECK(violated([](Example& e) { e.pattern.copies.clear(); }) == model::Hypothesis::kRoles);
  CHECK(violated([](Example& e) { e.tokens(0, 0) = 5; }) == model::Hypothesis::kFrame);
  CHECK(violated([](Example& e) { e.tokens(4, 0) = 1; }) == model::Hypothesis::kFrame);
  CHECK(violated([](Example& e) { e.tokens(4, 3) = 4; }) == model::Hypothesis::kFrame);
  CHECK(violated(means(4)) == model::Hypothesis::kLambda);
  CHECK(why_not(means(4)) == "lambda^2 = 1 is not in [1/2, 1)");
  CHECK(why_not(means(2)) == "lambda^2 = 1/4 is not in [1/2, 1)");
  CHECK(why_not(means(4 + exact::power_of_two(-300))) == "lambda^2 = 1... is not in [1/2, 1)");
  CHECK(violated([](Example& e) {
          e.tokens(5, 6) = 3;
          e.tokens(6, 6) = -3;
        }) == model::Hypothesis::kNoise);
}

TEST_CASE("Closed forms are the formulas of co-1 to co-4") {
  const auto structure = found(Example());
  const double m = 7;
  const double d = 16;
  const double groups = 2;
  const double lam = 13.0 / 16;
  const double square = lam * lam;
  const double spread = groups + (groups + 1) * square;
  const auto sink = model::closed_form_cost(structure, PatternKind::kSinkA, 7);
  // From above: the construction's cost. It meets the lower bound, written in another way.
  const double construction =
      2 * m / d *
      ((groups - 1) / lam +
       std::sqrt(groups / square + 1 / spread + 2 * groups / (lam * std::sqrt(spread))));
  CHECK(encloses(sink.lower, construction));
  CHECK(encloses(sink.upper, construction));
  const auto with_bos = model::closed_form_cost(structure, PatternKind::kSinkB, 7);
  const double f = std::sqrt(groups + square);
  const double averages = groups / (lam * f) + groups * (2 + square) / (f * std::sqrt(spread));
  CHECK(encloses(with_bos.lower, 2 * m / d * (2 * (groups - 1) / lam + averages)));
  CHECK(with_bos.lower.lower > sink.upper.upper);
  const double both =
      2 * m / d *
      (2 * (groups - 1) / lam +
       std::sqrt((groups * groups * (1 + square) * (1 + square) + 4 * square) / (square * spread) +
                 4 * groups / (lam * std::sqrt(spread))));
  CHECK(encloses(with_bos.upper, both));
  const auto diagonal = model::closed_form_cost(structure, PatternKind::kDiagonal, 7);
  CHECK(encloses(diagonal.lower, 4 * m / 8 + 2 * m / d *
                                                 ((groups - 1) * std::sqrt(1 + 4 / square) +
                                                  std::sqrt((groups + 4 + square) /
                                                            (groups + (1 + groups) * square)))));
  CHECK(encloses(
      diagonal.upper,
      m * groups / d * std::sqrt((1 + 4 * square) * (4 + square)) / square + 4 * m * 2 / 16));
}
