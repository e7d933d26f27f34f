// measure --property representable (ge-1): systems whose margins are known by hand, systems nobody
// can satisfy, and what the trusted checker says to both.
#include <catch2/catch.hpp>
#include <random>

#include "check/check.hpp"
#include "files.hpp"
#include "measure/measure.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using certificate::PatternKind;
using exact::make_rational;
using exact::Rational;
using measure::Kind;
using measure::Measurement;
using measure::PatternAnswer;
using measure::Request;
using measure::Subject;

namespace {

using Rows = std::vector<std::vector<double>>;

const std::string kHash(64, 'a');

struct Given {
  measure::NamedFile file;
  Subject subject;

  explicit Given(const Rows& rows) : file(test::file_of({{"x", test::rows64(rows)}})) {
    subject = {&file, *measure::read_tokens(file, std::nullopt), rows.size(), nullptr, {}};
  }
};

Request request(std::optional<std::size_t> anchor = std::nullopt) {
  return {{Kind::kRepresentable}, anchor, std::nullopt, 0, {}};
}

int checked(const Given& given, const json::Value& certificate) {
  const auto outcome = check::check_vectors(certificate, {given.file.bytes});
  INFO(outcome.code << " " << outcome.reason);
  return outcome.exit_code;
}

Measurement measured(const Given& given, const Request& asked) {
  auto found = measure::measure(given.subject, asked, kHash);
  REQUIRE(found);
  CHECK(checked(given, found->certificate) == 0);
  return std::move(*found);
}

PatternAnswer only(const Measurement& measurement) {
  REQUIRE(measurement.patterns.size() == 1);
  REQUIRE(measurement.patterns[0].found);
  return measurement.patterns[0];
}

std::string error_of(const Given& given, const Request& asked) {
  const auto found = measure::measure(given.subject, asked, kHash);
  return found ? "none" : found.error().code;
}

// sum y v_j (v_a - v_i)^T, from its definition.
bool combine_to_zero(const Rows& rows,
                     const std::vector<certificate::WeightedTriple>& multipliers) {
  const std::size_t width = rows[0].size();
  for (std::size_t p = 0; p < width; ++p) {
    for (std::size_t q = 0; q < width; ++q) {
      Rational sum = 0;
      for (const auto& [triple, y] : multipliers) {
        sum += Rational(y) * rounded::from_double(rows[triple.query][p]) *
               (rounded::from_double(rows[triple.above][q]) -
                rounded::from_double(rows[triple.below][q]));
      }
      if (sum != 0) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("Row 0 is BOS and the other rows one group unless something else is asked") {
  // W = sum_x e_x (3/4 e_0 - 1/4 sum_y e_y)^T is best by symmetry: |W|^2 = 3 (9/16 + 3/16) = 9/4.
  const Given given({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
  const Measurement found = measured(given, request());
  const PatternAnswer answer = only(found);
  CHECK(answer.pattern.kind == PatternKind::kSinkA);
  CHECK(answer.pattern.bos == 0);
  CHECK(answer.pattern.groups == std::vector<std::vector<std::size_t>>{{1, 2, 3}});
  CHECK(answer.constraints == 9);
  CHECK(answer.found->representable);
  CHECK(answer.found->lower <= make_rational(4, 9));
  CHECK(answer.found->upper >= make_rational(4, 9));
  CHECK(answer.found->upper - answer.found->lower <= make_rational(1, 1'000'000'000));
  // The checker would notice a larger margin.
  auto lie = found.certificate;
  lie["properties"][0]["statement"]["lower"] = "1/2";
  CHECK(checked(given, lie) == 4);
}

TEST_CASE("A margin known exactly is stated so, and is the margin's own unit") {
  const Given given({{1, 0}, {0, 1}});
  const PatternAnswer one = only(measured(given, request()));
  CHECK(one.found->lower == 2);  // |e_1 (e_0 - e_1)^T|^2
  CHECK(one.found->upper == 2);
  Request asked = request();
  asked.demand.margin = 3;
  const PatternAnswer three = only(measured(given, asked));
  CHECK(three.found->lower == make_rational(2, 9));
  CHECK(three.found->upper == make_rational(2, 9));
}

TEST_CASE("Rows equal to the anchor are BOS too") {
  const Given given({{0, 1}, {1, 0}, {0, 1}, {1, 0}});
  const PatternAnswer answer = only(measured(given, request(1)));
  CHECK(answer.pattern.bos == 1);
  CHECK(answer.pattern.groups == std::vector<std::vector<std::size_t>>{{0, 2}});
  CHECK(answer.found->representable);
  Request asked = request(1);
  asked.vectors = std::vector<std::size_t>{1, 2};
  CHECK(only(measured(given, asked)).pattern.groups == std::vector<std::vector<std::size_t>>{{2}});
}

TEST_CASE("What no matrix does is refuted by multipliers that combine to zero") {
  std::mt19937_64 random(31);
  int refuted = 0;
  for (int round = 0; round < 30; ++round) {
    Rows rows(5, std::vector<double>(2));
    for (auto& row : rows) {
      for (double& value : row) value = static_cast<double>(random() % 9) - 4;
    }
    rows[0] = {5, 0};  // no row is equal to it
    const Given given(rows);
    const PatternAnswer answer = only(measured(given, request()));
    if (answer.found->representable) continue;
    ++refuted;
    CHECK_FALSE(answer.found->multipliers.empty());
    CHECK(combine_to_zero(rows, answer.found->multipliers));
  }
  CHECK(refuted > 5);
  CHECK(refuted < 30);
}

TEST_CASE("Several patterns in one certificate, each with its own answer") {
  const Given given({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}});
  Request asked = request();
  asked.demand.kinds = {PatternKind::kSinkA, PatternKind::kDiagonal};
  asked.demand.constraints =
      *measure::parse_constraints("[[1,0,2],[1,2,0]]", 4, Rational(1), "test");
  const Measurement found = measured(given, asked);
  REQUIRE(found.patterns.size() == 3);
  CHECK(found.patterns[0].found->representable);
  CHECK_FALSE(found.patterns[1].found->representable);  // rows 1 and 3 are one token
  CHECK_FALSE(found.patterns[2].found->representable);
  CHECK(found.certificate["properties"].size() == 3);
  asked.demand.roles = measure::Roles{2, {{0, 1}}, {}};
  CHECK(measured(given, asked).patterns[1].found->representable);
}

TEST_CASE("Representability that cannot be asked has codes") {
  const Given given({{1, 0}, {0, 1}, {1, 0}});
  CHECK(error_of(given, request()) == "none");
  Request only_anchors = request();
  only_anchors.vectors = std::vector<std::size_t>{0, 2};
  CHECK(error_of(given, only_anchors) == "SP1503");
  CHECK(error_of(given, request(3)) == "SP1506");
  Request no_margins = request();
  no_margins.demand.roles = measure::Roles{0, {}, {}};
  CHECK(error_of(given, no_margins) == "SP1606");
  Rows many(257, {1, 0});
  many[0] = {0, 1};
  CHECK(error_of(Given(many), request()) == "SP1614");
}
