#include "report/bound_tables.hpp"

#include <catch2/catch.hpp>

#include "report/interval_plot.hpp"

using namespace sinkproof::report;
using sinkproof::exact::make_rational;
using sinkproof::exact::Rational;

namespace {

const Outcome kAccepted = {"proved", "exact", {}, 0};

Bound bound(const std::string& name, const Rational& lower, const Rational& upper) {
  Bound result;
  result.name = name;
  result.verdict = "enclosed";
  result.lower = lower;
  result.upper = upper;
  result.is_loss = name.starts_with("sup-loss");
  result.is_floor = name.starts_with("bos-floor");
  return result;
}

Checkpoint with(const Bound& one) {
  Checkpoint head;
  head.bounds = {one};
  return head;
}

bool has_number(const std::string& table, const std::string& number) {
  return table.find("<td class=\"num\">" + number + "<") != std::string::npos;
}

}  // namespace

TEST_CASE("Bounds and their ratio are rounded outward, in the table and beside the chart") {
  const Bound loss = bound("sup-loss.pre", make_rational(3, 7), make_rational(2, 3));
  const std::string table = bound_table(with(loss), kAccepted);
  CHECK(has_number(table, "0.4285714"));  // 0.42857142...
  CHECK(has_number(table, "0.6666667"));
  CHECK(has_number(table, "1.5556"));  // 14/9
  CHECK(table.find("largest error, rows i &lt; j") != std::string::npos);
  CHECK(loss_plot({loss}).find(">0.4285714 … 0.6666667<") != std::string::npos);
  const Bound low = bound("sup-loss.post", make_rational(5, 7), 1);  // 0.71428571...
  CHECK(has_number(bound_table(with(low), kAccepted), "0.7142857"));
  const Bound next = bound("sup-loss.post", make_rational(2, 3), 1);
  CHECK(has_number(bound_table(with(next), kAccepted), "0.6666666"));
  CHECK(loss_plot({next}).find(">0.6666666 … 1<") != std::string::npos);
}

TEST_CASE("A floor's ratio is that of the attention BOS lacks") {
  const Bound floor = bound("bos-floor.pre", make_rational(1, 3), make_rational(4, 7));
  CHECK(has_number(bound_table(with(floor), kAccepted), "1.5556"));  // (2/3)/(3/7)
  const Bound full = bound("bos-floor.pre", make_rational(1, 3), 1);
  CHECK(has_number(bound_table(with(full), kAccepted), "—"));
  CHECK(has_number(bound_table(with(bound("sup-loss", 0, 1)), kAccepted), "—"));
  CHECK(has_number(bound_table(with(bound("sup-loss", 0, 0)), kAccepted), "exact"));
}

TEST_CASE("A theorem's loss is rounded up and its floors down") {
  Checkpoint head;
  head.theorems = {{"theorem.tc-1", "tc-1", "proved", make_rational(1, 30), make_rational(2, 3),
                    make_rational(8, 9)},
                   {"theorem.tc-3", "tc-3", "not-applicable", make_rational(1, 30), {}, {}}};
  const std::string table = theorem_table(head, kAccepted);
  CHECK(has_number(table, "≤ 0.03333334"));
  CHECK(has_number(table, "≥ 0.6666666"));
  CHECK(has_number(table, "≥ 0.8888888"));
  CHECK(has_number(table, "—"));
  CHECK(table.find("</svg>not-applicable</span>") != std::string::npos);
  CHECK(bos_plot({}, head.theorems).find(">0.6666666 → 0.8888888<") != std::string::npos);
  CHECK(theorem_table({}, kAccepted).empty());
}
