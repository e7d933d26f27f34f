// Hull distances and switch bounds with answers known by hand; against sampled attention; and what
// they hand to the trusted checker.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "check/check.hpp"
#include "files.hpp"
#include "measure/cosine.hpp"
#include "measure/measure.hpp"
#include "measure/rounded_weights.hpp"
#include "rounded/double.hpp"
#include "rounded/square_root.hpp"

using namespace sinkproof;
using exact::Rational;
using measure::HullDistance;
using measure::Kind;
using measure::Measurement;
using measure::Request;
using measure::Subject;
using measure::SwitchBounds;

namespace {

using Rows = std::vector<std::vector<double>>;

const std::string kHash(64, 'a');

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

exact::RationalMatrix gram_of(const Rows& rows) {
  return measure::gram_matrix(test::dyadic_rows(rows));
}

Rows random_rows(std::mt19937_64& random, std::size_t count, std::size_t width, double shift) {
  std::normal_distribution<double> normal(0, 1);
  Rows rows(count, std::vector<double>(width));
  for (auto& row : rows) {
    for (double& value : row) value = normal(random);
    row[0] += shift;
  }
  return rows;
}

double estimate(const Rational& value) { return rounded::to_double_estimate(value); }

struct Output {
  double norm;
  double anchor;
};

// The output of random attention, some of it concentrated on few vectors.
Output random_output(std::mt19937_64& random, const Rows& values) {
  std::exponential_distribution<double> exponential(1);
  std::vector<double> weights(values.size());
  double sum = 0;
  for (double& weight : weights) {
    weight = std::pow(exponential(random), 1 + static_cast<double>(random() % 4));
    sum += weight;
  }
  double square = 0;
  for (std::size_t c = 0; c < values[0].size(); ++c) {
    double entry = 0;
    for (std::size_t k = 0; k < values.size(); ++k) entry += weights[k] / sum * values[k][c];
    square += entry * entry;
  }
  return {std::sqrt(square), weights[0] / sum};
}

void check_accepted(const Subject& subject, const Measurement& measurement) {
  std::vector<std::string> files = {subject.input->bytes};
  if (subject.model != nullptr) files.push_back(subject.model->bytes);
  const auto outcome = check::check_vectors(measurement.certificate, files);
  INFO(outcome.code << " " << outcome.reason);
  CHECK(outcome.exit_code == 0);
}

Measurement measured(const Subject& subject, const Request& request) {
  auto measurement = measure::measure(subject, request, kHash);
  REQUIRE(measurement);
  check_accepted(subject, *measurement);
  return std::move(*measurement);
}

std::string error_of(const Subject& subject, const Request& request) {
  const auto measurement = measure::measure(subject, request, kHash);
  return measurement ? "none" : measurement.error().code;
}

}  // namespace

TEST_CASE("square roots and cosines are enclosed tightly") {
  for (const Rational& value :
       {Rational(2), Rational(exact::make_rational(1, 3)), exact::power_of_two(-1001),
        exact::power_of_two(999), Rational(1)}) {
    const auto root = rounded::square_root(value);
    CHECK(root.lower * root.lower <= value);
    CHECK(value <= root.upper * root.upper);
    CHECK(root.upper - root.lower <= root.lower * exact::power_of_two(-60));
  }
  CHECK(rounded::square_root(9).lower == 3);
  CHECK(rounded::square_root(9).upper == 3);
  CHECK(rounded::square_root(0).upper == 0);
  const auto half = measure::cosine(-1, 2, 2);
  CHECK(half.lower == exact::make_rational(-1, 2));
  CHECK(half.upper == exact::make_rational(-1, 2));
  const auto third = measure::cosine(-1, 3, 1);
  CHECK(third.lower < third.upper);
  CHECK(third.lower * third.lower >= exact::make_rational(1, 3));
  CHECK(third.upper * third.upper <= exact::make_rational(1, 3));
  CHECK(third.upper < 0);
}

TEST_CASE("a hull's distance, rounded, contains the exact one") {
  std::mt19937_64 random(21);
  for (int round = 0; round < 20; ++round) {
    const Rows rows = random_rows(random, 12, 5, 2.5);
    const auto gram = gram_of(rows);
    const HullDistance exactly = measure::hull_distance(gram, all_of(12));
    CHECK(exactly.exact());
    const HullDistance rounded = measure::hull_distance(gram, all_of(12), {1});
    CHECK_FALSE(rounded.exact());
    CHECK(rounded.lower <= exactly.lower);
    CHECK(exactly.upper <= rounded.upper);
    CHECK(rounded.upper - rounded.lower <= rounded.upper * exact::power_of_two(-90));
  }
}

TEST_CASE("huge and tiny vectors are measured as well as others") {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    const auto gram = gram_of({{2 * scale, scale}, {3 * scale, 0}, {2 * scale, -scale}});
    const HullDistance hull = measure::hull_distance(gram, all_of(3));
    CHECK(hull.lower == 4 * rounded::from_double(scale) * rounded::from_double(scale));
    CHECK(hull.nearest.support == std::vector<std::size_t>{0, 2});
    const HullDistance rounded = measure::hull_distance(gram, all_of(3), {1});
    CHECK(rounded.upper - rounded.lower <= rounded.upper * exact::power_of_two(-90));
  }
}

TEST_CASE("a switch with round numbers") {
  // Anchor (-1, 0), others (1, 1) and (1, -1): no output without at least half on the anchor.
  const Rows rows = {{-1, 0}, {1, 1}, {1, -1}};
  const auto gram = gram_of(rows);
  const auto bounds = measure::switch_bounds(gram, 0, {1, 2}, {{1, 2}, {1, 1}});
  REQUIRE(bounds);
  CHECK(bounds->gap == 1);
  CHECK(bounds->anchor_loss == 1);
  CHECK(bounds->anchor_norm == 1);
  CHECK(estimate(bounds->spread) == Approx(std::sqrt(5)));
  CHECK(bounds->floor(0) == exact::make_rational(1, 2));
  CHECK(bounds->floor(exact::make_rational(1, 2)) == exact::make_rational(1, 4));
  CHECK(bounds->floor(1) == 0);
  CHECK_FALSE(measure::switch_bounds(gram, 0, {1, 2}, {{1}, {1}}));  // (1, 1).(1, -1) = 0
  const auto best = measure::best_switch_bounds(gram, 0, measure::hull_distance(gram, {1, 2}));
  REQUIRE(best.size() == 1);
  CHECK(best[0].floor(0) == exact::make_rational(1, 2));
}

TEST_CASE("a tilted direction is stated where it promises more") {
  // Along (1, 0) the anchor loses 1; nothing the head puts out is shorter than 10/sqrt(104).
  const auto gram = gram_of({{-1, -10}, {1, 0}});
  const auto best = measure::best_switch_bounds(gram, 0, measure::hull_distance(gram, {1}));
  REQUIRE(best.size() == 2);
  CHECK(best[0].gap == 1);
  CHECK(best[0].anchor_loss == 1);
  CHECK(estimate(best[1].gap) == Approx(10 / std::sqrt(104.0)));
  CHECK(estimate(best[1].anchor_loss) == Approx(0).margin(1e-12));
}

TEST_CASE("no random attention contradicts a switch bound") {
  std::mt19937_64 random(22);
  int tilted = 0;
  int bounding = 0;
  for (int round = 0; round < 25; ++round) {
    Rows rows = random_rows(random, 7, 4, 3);
    for (double& value : rows[0]) value = -value / 2;
    const auto gram = gram_of(rows);
    const auto others = measure::hull_distance(gram, {1, 2, 3, 4, 5, 6});
    const auto all = measure::best_switch_bounds(gram, 0, others);
    REQUIRE_FALSE(all.empty());
    tilted += all.size() == 2 ? 1 : 0;
    for (const SwitchBounds& bounds : all) {
      const double gap = estimate(bounds.gap);
      const double loss = estimate(bounds.anchor_loss);
      for (int sample = 0; sample < 2000; ++sample) {
        const Output output = random_output(random, rows);
        if (output.norm < gap) {
          CHECK(output.anchor >= (gap - output.norm) / (gap + loss) - 1e-12);
          bounding += output.anchor < (gap - output.norm) / (gap + loss) + 0.05 ? 1 : 0;
        }
        CHECK(output.norm <=
              estimate(bounds.anchor_norm) + (1 - output.anchor) * estimate(bounds.spread) + 1e-12);
      }
    }
  }
  CHECK(tilted > 5);
  CHECK(bounding > 50);  // the bounds are near what happens
}

TEST_CASE("what is measured about rows is accepted") {
  const auto file = test::file_of({{"x", test::rows64({{-1, 0}, {1, 1}, {1, -1}, {-1, 0}})}});
  const Subject subject{&file, *measure::read_tokens(file, std::nullopt), 4, nullptr, {}};
  const Request request{{Kind::kHullDistance, Kind::kHalfSpace, Kind::kSwitch}, 0, std::nullopt, 0};
  const Measurement found = measured(subject, request);
  REQUIRE(found.hulls.size() == 3);
  CHECK(found.hulls[0].hull.upper == 0);
  CHECK(found.hulls[1].name == "hull-distance without the anchor");
  CHECK(found.hulls[1].hull.lower == 1);
  CHECK(found.hulls[1].hull.vectors == std::vector<std::size_t>{1, 2});  // row 3 is the anchor
  CHECK(found.hulls[2].name == "half-space");
  REQUIRE(found.switches.size() == 1);
  // half-space and hull-distance say the same of the same rows: once is enough.
  CHECK(found.certificate["properties"].size() == 3);
  // The checker would notice another number.
  auto lie = found.certificate;
  lie["properties"][1]["statement"]["lower"] = "11/10";
  CHECK(check::check_vectors(lie, {file.bytes}).exit_code == 4);
}

TEST_CASE("without a gap there is a way to put out nothing") {
  const auto file = test::file_of({{"x", test::rows64({{5, 5}, {1, 0}, {-1, 2}, {-1, -2}})}});
  const Subject subject{&file, *measure::read_tokens(file, std::nullopt), 4, nullptr, {}};
  const Measurement found = measured(subject, {{Kind::kSwitch}, 0, std::nullopt, 0});
  CHECK(found.asked_switch);
  CHECK(found.switches.empty());
  REQUIRE(found.hulls.size() == 1);
  CHECK(found.hulls[0].hull.upper == 0);
  CHECK(found.hulls[0].hull.nearest.support == std::vector<std::size_t>{1, 2, 3});
  CHECK(found.hulls[0].hull.nearest.weights ==
        std::vector<exact::Integer>{exact::Integer(2), exact::Integer(1), exact::Integer(1)});
}

TEST_CASE("certificates of random heads are accepted") {
  std::mt19937_64 random(23);
  for (int round = 0; round < 12; ++round) {
    const std::size_t width = 3 + random() % 4;
    Rows tokens = random_rows(random, 9, width, 1.5);
    const auto input = test::file_of({{"x", test::rows64(tokens)}});
    const auto model =
        test::file_of({{"W_V.weight", test::rows64(random_rows(random, 4, width, 0.5))},
                       {"W_O.weight", test::rows64(random_rows(random, width, 4, 0.5))},
                       {"W_V.bias", test::tensor64({4}, {0.5, -0.25, 1, 2})}});
    const auto head = measure::read_head(model, {0, 2, random() % 2});
    REQUIRE(head);
    const Subject subject{&input, *measure::read_tokens(input, std::nullopt), 3, &model, *head};
    const Measurement found =
        measured(subject, {{Kind::kHullDistance, Kind::kSwitch, Kind::kSmoothing},
                           std::nullopt,
                           std::nullopt,
                           exact::make_rational(3, 4)});
    CHECK(found.anchor == 0U);
    CHECK(found.smoothing);
    for (const auto& named : found.hulls) CHECK(named.hull.exact());
  }
}

TEST_CASE("requests that cannot be answered have codes") {
  const auto file = test::file_of({{"x", test::rows64({{1, 0}, {1, 1}, {1, 0}})}});
  const Subject subject{&file, *measure::read_tokens(file, std::nullopt), 3, nullptr, {}};
  const std::vector<std::size_t> same = {0, 2};
  CHECK(error_of(subject, {{Kind::kSwitch}, 0, std::nullopt, 0}) == "none");
  CHECK(error_of(subject, {{Kind::kSwitch}, 0, same, 0}) == "SP1503");
  CHECK(error_of(subject, {{Kind::kHullDistance}, std::nullopt, std::vector<std::size_t>(), 0}) ==
        "SP1503");
  CHECK(error_of(subject, {{Kind::kSwitch}, 3, std::nullopt, 0}) == "SP1506");
  CHECK(error_of(subject, {{Kind::kSwitch}, 0, std::vector<std::size_t>{0, 3}, 0}) == "SP1506");
  CHECK(error_of(subject, {{Kind::kSwitch}, 0, std::vector<std::size_t>{1, 1}, 0}) == "SP1506");

  const auto narrow = test::file_of(
      {{"W_V.weight", test::rows64({{1, 2}})}, {"W_O.weight", test::rows64({{1}, {2}, {3}})}});
  Subject with_head = subject;
  with_head.model = &narrow;
  with_head.head = *measure::read_head(narrow, {0, 1, 0});
  CHECK(error_of(with_head, {{Kind::kSwitch}, 0, std::nullopt, 0}) == "none");
  CHECK(error_of(with_head, {{Kind::kSmoothing}, 0, std::nullopt, 0}) == "SP1507");
  const auto wide = test::file_of(
      {{"W_V.weight", test::rows64({{1, 2, 3}})}, {"W_O.weight", test::rows64({{1}, {2}})}});
  with_head.model = &wide;
  with_head.head = *measure::read_head(wide, {0, 1, 0});
  CHECK(error_of(with_head, {{Kind::kSwitch}, 0, std::nullopt, 0}) == "SP1505");
}
