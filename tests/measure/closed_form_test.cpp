// The closed forms co-1 to co-4 against costs that the search certifies for the same tokens, and
// the codes that say which hypothesis fails.
#include "measure/closed_form.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "measure/cost.hpp"

using namespace sinkproof;
using certificate::Pattern;
using certificate::PatternKind;
using exact::make_rational;
using exact::Rational;
using measure::DyadicMatrix;

namespace {

// d = 16: BOS 4 e_0, copies 4 e_{1+c}, means 4 lam e_{1+C+c}; each group has a token at each end of
// `directions` orthogonal noise directions, which the groups share from the last coordinate on.
struct Instance {
  std::size_t groups = 1;
  std::size_t directions = 1;
  Rational lam = make_rational(3, 4);
  Rational noise = 2;
  bool shared = false;

  [[nodiscard]] measure::Roles roles() const {
    measure::Roles roles;
    for (std::size_t c = 0; c < groups; ++c) {
      roles.copies.push_back(1 + c);
      std::vector<std::size_t> group;
      for (std::size_t i = 0; i < 2 * directions; ++i) {
        group.push_back(1 + groups + 2 * directions * c + i);
      }
      roles.groups.push_back(group);
    }
    return roles;
  }

  [[nodiscard]] std::vector<Rational> entries() const {
    std::vector<Rational> all((1 + groups + 2 * directions * groups) * 16);
    for (std::size_t k = 0; k <= groups; ++k) all[k * 16 + k] = 4;
    for (std::size_t c = 0; c < groups; ++c) {
      for (std::size_t i = 0; i < 2 * directions; ++i) {
        const std::size_t row = 1 + groups + 2 * directions * c + i;
        const std::size_t direction = i / 2 + (shared ? 0 : directions * c);
        all[row * 16 + 1 + groups + c] = 4 * lam;
        all[row * 16 + 1 + 2 * groups + direction] = i % 2 == 0 ? noise : Rational(-noise);
      }
    }
    return all;
  }

  [[nodiscard]] DyadicMatrix rows() const {
    return measure::dyadic_matrix(entries().size() / 16, 16, entries());
  }
};

const Instance kInstances[] = {{1, 1, make_rational(3, 4), 2, false},
                               {1, 2, make_rational(31, 32), 1, false},
                               {2, 1, make_rational(13, 16), 3, false},
                               {2, 2, make_rational(13, 16), 2, true},
                               {3, 1, make_rational(23, 32), make_rational(1, 2), false}};

exact::Result<model::ClosedForm> closed_form(const DyadicMatrix& rows, const Pattern& pattern) {
  return measure::closed_forms(rows, {pattern}).at(0);
}

measure::Cost cost_of(const DyadicMatrix& rows, const Pattern& pattern) {
  const auto system = measure::margin_system(pattern);
  REQUIRE(system);
  const DyadicMatrix gram = measure::exact_gram(rows);
  const auto rank = measure::exact_rank(gram.entries, system->named());
  auto cost = measure::certified_cost(rows, gram, pattern, *system, rank.pivots, {0.01, 60, {}});
  REQUIRE(cost);
  return *cost;
}

// The code for the second instance after a change of its entries (row, column -> value).
std::string code_after(const std::function<void(std::vector<Rational>&, Pattern&)>& change) {
  const Instance instance = kInstances[2];
  std::vector<Rational> entries = instance.entries();
  Pattern pattern = measure::pattern_of(PatternKind::kDiagonal, instance.roles(), 1);
  change(entries, pattern);
  const auto closed =
      closed_form(measure::dyadic_matrix(entries.size() / 16, 16, entries), pattern);
  return closed ? "none" : closed.error().code;
}

void set_lambda(std::vector<Rational>& entries, const Rational& lam) {
  for (std::size_t row = 3; row < 7; ++row) entries[row * 16 + 3 + (row - 3) / 2] = 4 * lam;
}

}  // namespace

TEST_CASE("Closed forms and certified costs of the same tokens agree") {
  for (const Instance& instance : kInstances) {
    for (const PatternKind kind :
         {PatternKind::kSinkA, PatternKind::kSinkB, PatternKind::kDiagonal}) {
      INFO(instance.groups << " groups, " << instance.directions << " directions, "
                           << measure::name_of(kind));
      const Pattern pattern = measure::pattern_of(kind, instance.roles(), make_rational(5, 2));
      const auto closed = closed_form(instance.rows(), pattern);
      REQUIRE(closed);
      const measure::Cost cost = cost_of(instance.rows(), pattern);
      CHECK(closed->lower.lower <= cost.upper);
      CHECK(cost.lower <= closed->upper.upper);
      CHECK(cost.upper - cost.lower <= cost.upper * make_rational(11, 1000));
      CHECK_FALSE(model::contradicts(*closed, cost.lower, cost.upper));
      // Both are of the cost itself and no farther from it than this:
      CHECK(closed->upper.upper <= 2 * cost.upper);
      CHECK(closed->lower.lower >= cost.lower / 2);
    }
  }
}

TEST_CASE("A closed form at another margin contradicts the certified cost") {
  const Instance& instance = kInstances[2];
  const auto pattern = [&](const Rational& margin) {
    return measure::pattern_of(PatternKind::kSinkA, instance.roles(), margin);
  };
  const measure::Cost cost = cost_of(instance.rows(), pattern(1));
  const auto contradicted = [&](const Rational& margin) {
    const auto closed = closed_form(instance.rows(), pattern(margin));
    REQUIRE(closed);
    return model::contradicts(*closed, cost.lower, cost.upper);
  };
  CHECK_FALSE(contradicted(1));
  CHECK(contradicted(make_rational(21, 20)));
  CHECK(contradicted(make_rational(19, 20)));
}

TEST_CASE("The hypothesis that fails has its code") {
  CHECK(code_after([](auto&, auto&) {}) == "none");
  CHECK(code_after([](auto&, Pattern& p) { p.copies.clear(); }) == "SP1616");
  CHECK(code_after([](auto&, Pattern& p) { p.groups[1] = {5}; }) == "SP1616");
  CHECK(code_after([](auto&, Pattern& p) {
          p = Pattern();
          p.margin = 1;
          p.constraints = {{{1, 0, 1}, 1}};
        }) == "SP1616");
  CHECK(code_after([](auto& e, auto&) { e[0] += exact::power_of_two(-60); }) == "SP1617");
  CHECK(code_after([](auto& e, auto&) { e[3 * 16 + 1] = exact::power_of_two(-60); }) == "SP1617");
  CHECK(code_after([](auto& e, auto&) { set_lambda(e, 1); }) == "SP1618");
  CHECK(code_after([](auto& e, auto&) { set_lambda(e, 1 - exact::power_of_two(-60)); }) == "none");
  CHECK(code_after([](auto& e, auto&) { set_lambda(e, 1 + exact::power_of_two(-60)); }) ==
        "SP1618");
  CHECK(code_after([](auto& e, auto&) { set_lambda(e, make_rational(45, 64)); }) == "SP1618");
  CHECK(code_after([](auto& e, auto&) {
          e[5 * 16 + 6] *= 2;
          e[6 * 16 + 6] *= 2;
        }) == "SP1619");
  CHECK(code_after([](auto& e, auto&) {
          for (std::size_t row = 3; row < 7; ++row) e[row * 16 + 5] = e[row * 16 + 6] = 0;
        }) == "SP1619");
  CHECK(code_after([](auto& e, Pattern& p) {
          for (std::size_t row = 7; row < 132; ++row) {
            for (std::size_t j = 0; j < 16; ++j) e.push_back(e[3 * 16 + j]);
            p.groups[0].push_back(row);
          }
        }) == "SP1620");
}

TEST_CASE("Each pattern has its own answer") {
  const Instance& instance = kInstances[2];
  const DyadicMatrix rows = instance.rows();
  const auto pattern = [&](PatternKind kind) {
    return measure::pattern_of(kind, instance.roles(), 1);
  };
  Pattern listed;
  listed.margin = 1;
  listed.constraints = {{{1, 0, 1}, 1}};
  Pattern others = pattern(PatternKind::kDiagonal);
  others.copies = {2, 1};
  others.bos = 3;
  others.groups[0][0] = 0;
  const auto all = measure::closed_forms(
      rows, {pattern(PatternKind::kSinkA), listed, pattern(PatternKind::kDiagonal), others});
  REQUIRE(all.size() == 4);
  REQUIRE(all[0]);
  CHECK(all[1].error().code == "SP1616");
  REQUIRE(all[2]);
  CHECK(all[2]->upper.lower > all[0]->upper.upper);
  CHECK(all[2]->upper.upper == closed_form(rows, pattern(PatternKind::kDiagonal))->upper.upper);
  CHECK(all[3].error().code == "SP1617");
}

TEST_CASE("A lambda that is exactly 1 is named") {
  Instance instance = kInstances[0];
  instance.lam = 1;
  const auto closed =
      closed_form(instance.rows(), measure::pattern_of(PatternKind::kSinkA, instance.roles(), 1));
  REQUIRE_FALSE(closed);
  CHECK(closed.error().what == "lambda^2 = 1 is not in [1/2, 1)");
}
