#include "measure/cost.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "check/check.hpp"
#include "measure/map_file.hpp"
#include "measure/representable.hpp"
#include "output/safetensors.hpp"
#include "output/temporary_folder.hpp"

using namespace sinkproof;
using certificate::PatternKind;
using exact::Integer;
using exact::Rational;
using measure::DyadicMatrix;
using IntegerGram = measure::IntegerMatrix;

namespace {

DyadicMatrix rows_of(std::size_t count, std::size_t width, const std::vector<int>& entries) {
  std::vector<Rational> values(entries.begin(), entries.end());
  return measure::dyadic_matrix(count, width, values);
}

measure::Cost cost_of(const DyadicMatrix& rows, const certificate::Pattern& pattern, double gap) {
  const auto system = measure::margin_system(pattern);
  REQUIRE(system);
  const DyadicMatrix gram = measure::exact_gram(rows);
  const auto rank = measure::exact_rank(gram.entries, system->named());
  auto cost = measure::certified_cost(rows, gram, pattern, *system, rank.pivots, {gap, 20, {}});
  REQUIRE(cost);
  return *cost;
}

certificate::Pattern margins(const std::string& constraints, std::size_t count) {
  const auto pattern = measure::parse_constraints(constraints, count, 1, "test");
  REQUIRE(pattern);
  return *pattern;
}

std::string code_of(const std::string& roles) {
  const auto read = measure::parse_roles(roles, 5, "test");
  return read ? "" : read.error().code;
}

}  // namespace

TEST_CASE("Patterns stand for the triples of section 5") {
  const measure::Roles roles{0, {{1, 2}, {3, 4}}, {5, 6}};
  const auto triples = [&](PatternKind kind) {
    const auto system = measure::margin_system(measure::pattern_of(kind, roles, 1));
    REQUIRE(system);
    std::set<certificate::Triple> all;
    for (const auto& constraint : system->constraints) all.insert(constraint.triple);
    CHECK(all.size() == system->constraints.size());
    return all;
  };
  const auto sink_a = triples(PatternKind::kSinkA);
  const auto sink_b = triples(PatternKind::kSinkB);
  const auto diagonal = triples(PatternKind::kDiagonal);
  CHECK(sink_a.size() == 44);
  CHECK(sink_b.size() == 52);
  CHECK(diagonal.size() == 52);
  CHECK(sink_a.count({1, 0, 1}) == 1);  // a dormant token scores BOS above itself
  CHECK(sink_a.count({5, 1, 5}) == 1);  // a copy query scores its group above itself
  CHECK(sink_a.count({5, 1, 2}) == 0);
  CHECK(sink_b.count({5, 0, 3}) == 1);
  CHECK(sink_a.count({5, 0, 3}) == 0);
  CHECK(diagonal.count({1, 1, 0}) == 1);
  CHECK(diagonal.count({5, 5, 0}) == 1);
  CHECK(diagonal.count({5, 5, 1}) == 0);
}

TEST_CASE("Roles that make no sense are told apart") {
  CHECK(code_of(R"({"bos":0,"groups":[[1,2]],"copies":[3]})").empty());
  CHECK(code_of(R"({"bos":0,"groups":[[1,2]]})") == "SP1601");
  CHECK(code_of(R"({"bos":0,"groups":[[1,2]],"copies":[3,4]})") == "SP1601");
  CHECK(code_of(R"({"bos":0,"groups":[[1,9]],"copies":[]})") == "SP1602");
  CHECK(code_of(R"({"bos":0,"groups":[[1,-1]],"copies":[]})") == "SP1602");
  CHECK(code_of(R"({"bos":0,"groups":[[1,0]],"copies":[]})") == "SP1603");
  CHECK(code_of(R"({"bos":0,"groups":[[1],[]],"copies":[]})") == "SP1604");
  CHECK(code_of(R"({"bos":0,"groups":[],"copies":[]})") == "SP1604");
}

TEST_CASE("One constraint costs 2 m over the norm of its matrix") {
  // (1; 0, 1) over orthonormal tokens: A = e_1 (e_0 - e_1)^T has norm sqrt 2, so the cost is
  // sqrt 2.
  const DyadicMatrix rows = rows_of(2, 3, {1, 0, 0, 0, 1, 0});
  const auto pattern = measure::pattern_of(PatternKind::kSinkA, {0, {{1}}, {}}, 1);
  const measure::Cost cost = cost_of(rows, pattern, 1e-4);
  CHECK(cost.lower * cost.lower <= 2);
  CHECK(cost.upper * cost.upper >= 2);
  CHECK(1 - cost.lower / cost.upper < Rational(1, 5000));
}

TEST_CASE("Orthogonal queries share the price of a common key") {
  // Dormant e_1, .., e_3, BOS e_0: W = sum e_x (...) ; all six constraints per token symmetric.
  const DyadicMatrix rows = rows_of(4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  const auto pattern = measure::pattern_of(PatternKind::kSinkA, {0, {{1, 2, 3}}, {}}, 1);
  // Best by symmetry is W = (sum_x e_x)(p e_0 - q sum_y e_y)^T, p + q = 1: 2 sqrt(3 (p^2 + 3 q^2)),
  // least at q = 1/4: 2 sqrt(9/4) = 3.
  const measure::Cost cost = cost_of(rows, pattern, 1e-3);
  CHECK(cost.lower <= 3);
  CHECK(cost.upper >= 3);
  CHECK(cost.upper - cost.lower < Rational(1, 200));
}

TEST_CASE("The checker accepts what the search rounds, and the stored map keeps its margins") {
  safetensors::Contents contents;
  std::vector<float> values;
  for (int k = 0; k < 5 * 6; ++k) values.push_back(static_cast<float>((k * 37 % 23) - 11) / 7);
  contents.tensors["embeddings"] = output::float32_tensor({5, 6}, values);
  const auto file = measure::named_file("embeddings.safetensors", output::serialize(contents));
  REQUIRE(file);
  const auto tokens = measure::read_tokens(*file, std::nullopt);
  REQUIRE(tokens);
  std::vector<measure::Property> properties;
  for (const PatternKind kind :
       {PatternKind::kSinkA, PatternKind::kSinkB, PatternKind::kDiagonal}) {
    const auto pattern = measure::pattern_of(kind, {0, {{1, 2}, {3}}, {}}, Rational(1, 3));
    const measure::Cost cost = cost_of(tokens->rows, pattern, 0.02);
    CHECK(cost.lower > 0);
    CHECK((cost.upper - cost.lower) <= Rational(21, 1000) * cost.upper);
    properties.push_back(cost.property);
    const auto system = measure::margin_system(pattern);
    const output::TemporaryFolder folder;
    const std::string path = (folder / "map.safetensors").string();
    const auto saved = measure::save_map(path, tokens->rows, *system, cost.query, cost.key);
    REQUIRE(saved);
    CHECK(saved->cost <= cost.upper * Rational(1001, 1000));
    const auto found = measure::representable(measure::exact_gram(tokens->rows), pattern, *system);
    REQUIRE(found);
    CHECK(found->representable);
    CHECK(found->upper - found->lower <= found->upper / 1000000);
    properties.push_back(found->property);
  }
  std::vector<const measure::Property*> stated;
  for (const measure::Property& property : properties) stated.push_back(&property);
  stated.push_back(&properties.front());  // twice: it is stated once
  const json::Value certificate =
      measure::vector_certificate({file->sha256, "embeddings", {}}, std::string(64, '0'), stated);
  CHECK(certificate["properties"].size() == properties.size());
  const check::Outcome outcome = check::check_vectors(certificate, {file->bytes});
  CHECK(outcome.reason.empty());
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("Systems nobody can satisfy come back with exact multipliers") {
  const DyadicMatrix line = rows_of(3, 1, {1, 2, -1});
  const auto pattern = measure::pattern_of(PatternKind::kSinkA, {0, {{1, 2}}, {}}, 1);
  const auto system = measure::margin_system(pattern);
  REQUIRE(system);
  const auto found = measure::representable(measure::exact_gram(line), pattern, *system);
  REQUIRE(found);
  CHECK_FALSE(found->representable);
  CHECK(std::holds_alternative<certificate::Infeasible>(found->property));

  const DyadicMatrix plane = rows_of(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  const auto cycle = margins("[[1,0,2],[1,2,0]]", 3);
  const auto contradictory =
      measure::representable(measure::exact_gram(plane), cycle, *measure::margin_system(cycle));
  REQUIRE(contradictory);
  CHECK_FALSE(contradictory->representable);
  const auto one = margins("[[1,0,2,3]]", 3);
  const auto possible =
      measure::representable(measure::exact_gram(plane), one, *measure::margin_system(one));
  REQUIRE(possible);
  CHECK(possible->representable);
  CHECK(possible->lower <= Rational(2, 9));
  CHECK(possible->upper >= Rational(2, 9));
  CHECK(possible->upper - possible->lower < Rational(1, 1000000));  // |e_1 (e_0 - e_2)^T|^2 / 3^2
}

TEST_CASE("Rank is decided exactly") {
  const DyadicMatrix rows = rows_of(4, 3, {1, 2, 3, 2, 4, 6, 0, 1, 0, 1, 3, 3});
  const auto rank = measure::exact_rank(measure::exact_gram(rows).entries, {0, 1, 2, 3});
  CHECK(rank.rank == 2);
  CHECK(rank.pivots == std::vector<std::size_t>{0, 2});
  CHECK(rank.dependent == 1);
  REQUIRE(rank.combination.size() == 1);
  CHECK(rank.combination[0].row == 0);
  CHECK(rank.combination[0].factor == 2);
}

TEST_CASE("A dependent row is exactly the combination that is named") {
  // Row 3 = 2/3 row 0 - 5/3 row 2; row 1 takes no part.
  const DyadicMatrix rows =
      rows_of(5, 4, {3, 0, 6, 9, 1, 1, 1, 0, 0, 3, -3, 6, 2, -5, 9, -4, 7, 0, 0, 1});
  const IntegerGram gram = measure::exact_gram(rows).entries;
  const auto rank = measure::exact_rank(gram, {0, 1, 2, 3, 4});
  CHECK(rank.dependent == 3);
  REQUIRE(rank.combination.size() == 2);
  CHECK(rank.combination[0].row == 0);
  CHECK(rank.combination[0].factor == Rational(2, 3));
  CHECK(rank.combination[1].row == 2);
  CHECK(rank.combination[1].factor == Rational(-5, 3));
  // Rows are numbers of the matrix, not places in the list.
  const auto fewer = measure::exact_rank(gram, {2, 3, 0});
  CHECK(fewer.dependent == 0);
  REQUIRE(fewer.combination.size() == 2);
  CHECK(fewer.combination[0].row == 2);
  CHECK(fewer.combination[0].factor == Rational(5, 2));
  CHECK(fewer.combination[1].row == 3);
  CHECK(fewer.combination[1].factor == Rational(3, 2));
  CHECK(measure::exact_rank(gram, {0, 1, 2}).combination.empty());
}

TEST_CASE("Combinations of many rows add up") {
  constexpr std::size_t kWidth = 12;
  std::vector<int> entries;
  for (std::size_t k = 0; k < (kWidth + 1) * kWidth; ++k) {
    entries.push_back(static_cast<int>(k * k * 37 % 101) - 50);
  }
  const DyadicMatrix rows = rows_of(kWidth + 1, kWidth, entries);
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k <= kWidth; ++k) all.push_back(k);
  const auto rank = measure::exact_rank(measure::exact_gram(rows).entries, all);
  REQUIRE(rank.dependent == kWidth);
  CHECK(rank.combination.size() > 8);
  for (std::size_t j = 0; j < kWidth; ++j) {
    Rational sum = 0;
    for (const measure::Share& share : rank.combination) {
      sum += share.factor * rows.at(share.row, j);
    }
    CHECK(sum == rows.at(kWidth, j));
  }
}
