// What the page concludes from certified intervals: which pattern is cheaper, which way a head
// smooths. Each conclusion must follow from every pair of numbers in the intervals.
#include <catch2/catch.hpp>
#include <cmath>

#include "report/cost_findings.hpp"
#include "report/smoothing_block.hpp"
#include "rounded/double.hpp"

using namespace sinkproof::report;
using sinkproof::exact::Enclosure;
using sinkproof::exact::make_rational;
using sinkproof::exact::Rational;
using sinkproof::rounded::to_double_estimate;

namespace {

Enclosure point(const Rational& value) { return {value, value}; }

Smoothing smoothing(const Enclosure& s, const Enclosure& t, const Enclosure& both) {
  return {1, s, t, both, point(1), point(1)};
}

SmoothingCase case_of(int s, int t) {
  return smoothing_case(smoothing(point(s), point(t), point(s + t)));
}

bool holds(const Enclosure& enclosure, double value) {
  return to_double_estimate(enclosure.lower) <= value + 1e-12 &&
         value - 1e-12 <= to_double_estimate(enclosure.upper);
}

// A head W = w on the line with tokens 1 and 3: mu = 2, B = 1.
Smoothing line(const Rational& w, const Rational& slack) {
  const auto around = [&](const Rational& value) {
    return Enclosure{value - slack, value + slack};
  };
  return {1, around(w), around(w * w), around(w + w * w), around(4 * (1 + w) * (1 + w)), around(1)};
}

}  // namespace

TEST_CASE("A pattern is cheaper only where the intervals lie apart") {
  const auto sink = compare_costs({10, 12}, {15, 18});
  CHECK(sink.cheaper == Cheaper::kSink);
  CHECK(sink.difference.lower == 3);
  CHECK(sink.difference.upper == 8);
  CHECK(sink.ratio->lower == make_rational(5, 4));
  CHECK(sink.ratio->upper == make_rational(9, 5));
  CHECK(compare_costs({15, 18}, {10, 12}).cheaper == Cheaper::kDiagonal);
  CHECK(compare_costs({15, 18}, {10, 12}).difference.upper == -3);
  CHECK(compare_costs({10, 15}, {14, 18}).cheaper == Cheaper::kNotDecided);
  CHECK(compare_costs({10, 12}, {12, 18}).cheaper == Cheaper::kNotDecided);
  CHECK(compare_costs({12, 18}, {10, 12}).cheaper == Cheaper::kNotDecided);
  CHECK(compare_costs({3, 3}, {3, 3}).cheaper == Cheaper::kNotDecided);
  const auto free = compare_costs({0, 1}, {2, 3});
  CHECK(free.cheaper == Cheaper::kSink);
  CHECK_FALSE(free.ratio.has_value());
}

TEST_CASE("The cases of sm-2") {
  CHECK(case_of(1, 2) == SmoothingCase::kIncreases);
  CHECK(case_of(0, 2) == SmoothingCase::kIncreases);
  CHECK(case_of(-1, 2) == SmoothingCase::kTurns);
  CHECK(case_of(-2, 2) == SmoothingCase::kBalanced);
  CHECK(case_of(-3, 2) == SmoothingCase::kDecreases);
  CHECK(case_of(0, 0) == SmoothingCase::kConstant);
}

TEST_CASE("An interval that leaves a sign open decides nothing that needs it") {
  CHECK(smoothing_case(smoothing({-1, 1}, point(2), {1, 3})) == SmoothingCase::kNotDecided);
  CHECK(smoothing_case(smoothing({-1, 1}, {0, 2}, {-1, 3})) == SmoothingCase::kNotDecided);
  CHECK(smoothing_case(smoothing(point(-1), {0, 2}, {0, 1})) == SmoothingCase::kNotDecided);
  CHECK(smoothing_case(smoothing(point(-1), {make_rational(1, 2), 2}, {-1, 1})) ==
        SmoothingCase::kNotDecided);
  // s >= 0 but perhaps t = 0.
  CHECK(smoothing_case(smoothing(point(0), {0, 1}, {0, 1})) == SmoothingCase::kNotDecided);
  Smoothing centred = smoothing(point(-2), point(2), point(0));
  centred.mean_norm = {0, 1};
  CHECK(smoothing_case(centred) == SmoothingCase::kNotDecided);
}

TEST_CASE("Norms turn at 1 + s/t, whichever interval tells more") {
  CHECK(turning_point(line(make_rational(-1, 2), 0)).lower < 0);  // not in [0, 1]: s + t < 0
  const Enclosure exact = turning_point(line(-2, 0));
  CHECK(exact.lower == make_rational(1, 2));
  CHECK(exact.upper == make_rational(1, 2));
  const Enclosure wide = turning_point(smoothing({-3, -1}, point(4), point(2)));
  CHECK(wide.lower == make_rational(1, 2));
  CHECK(wide.upper == make_rational(1, 2));
  const Enclosure also = turning_point(smoothing(point(-2), {4, 5}, {1, 3}));
  CHECK(also.lower == make_rational(1, 2));
  CHECK(also.upper == make_rational(3, 5));
}

TEST_CASE("Predicted norms and cosines are those of the model, and enclose them when widened") {
  // Y_i = X_i + w sum_l a_il X_l on the line, from the definition of a_i(lambda): with c_il the
  // coefficient of X_l in Y_i, E[Y_i Y_k] = mu^2 (sum c_i)(sum c_k) + sum_l c_il c_kl.
  const auto moment = [](double w, double lambda, int i, int k) {
    const auto coefficient = [&](int row, int l) {
      const double own = row == l ? 1 + w * (1 - lambda) : 0;
      return own + (l <= row ? w * lambda / row : 0);
    };
    double sum_i = 0;
    double sum_k = 0;
    double shared = 0;
    for (int l = 1; l <= std::max(i, k); ++l) {
      sum_i += coefficient(i, l);
      sum_k += coefficient(k, l);
      shared += coefficient(i, l) * coefficient(k, l);
    }
    return 4 * sum_i * sum_k + shared;
  };
  for (const int w : {-3, -1, 2}) {
    for (const int quarters : {0, 1, 3, 4}) {
      const Rational lambda = make_rational(quarters, 4);
      const double at = quarters / 4.0;
      for (const Rational& slack : {Rational(0), make_rational(1, 100)}) {
        const Smoothing head = line(w, slack);
        INFO("w " << w << " lambda " << at);
        const Enclosure square = predicted_square(head, 5, lambda);
        CHECK(holds(square, moment(w, at, 5, 5)));
        CHECK((square.lower == square.upper) == (slack == 0));
        const auto cosine = predicted_cosine(head, 4, lambda);
        if (moment(w, at, 4, 4) < 0.2) continue;  // the widened norm may be 0
        REQUIRE(cosine.has_value());
        CHECK(holds(*cosine,
                    moment(w, at, 4, 5) / std::sqrt(moment(w, at, 4, 4) * moment(w, at, 5, 5))));
        if (slack == 0) CHECK(to_double_estimate(cosine->upper - cosine->lower) < 1e-12);
      }
    }
  }
  Smoothing nothing = line(-1, 0);
  nothing.spread = point(-1);
  nothing.mean_norm = {0, 1};
  CHECK_FALSE(predicted_cosine(nothing, 1, 0).has_value());
}
