#include "report/bound_tables.hpp"

#include <catch2/catch.hpp>

#include "heads.hpp"
#include "report/chart/interval_plot.hpp"

using namespace sinkproof::report;
using sinkproof::exact::make_rational;
using sinkproof::exact::Rational;

namespace {

const Outcome kAccepted = test::outcome_of("proved", "exact", "", 0);

Bound bound(const std::string& name, const Rational& lower, const Rational& upper) {
  Bound result;
  result.name = name;
  result.verdict = "enclosed";
  result.lower = lower;
  result.upper = upper;
  result.is_loss = name.starts_with("sup-loss");
  result.is_floor = name.find("-floor") != std::string::npos;
  if (name.starts_with("null-")) result.paid = Paid::kNull;
  if (name.starts_with("rollout-")) result.paid = Paid::kRollout;
  return result;
}

Checkpoint with(const Bound& one) {
  Checkpoint head;
  head.bounds = {one};
  return head;
}

bool has_number(const std::string& table, const std::string& number) {
  const std::string cell = ">" + number + "<";
  const std::size_t at = table.find(cell);
  if (at == std::string::npos) return false;
  const std::size_t tag = table.rfind('<', at);
  return table.compare(tag, 15, "<td class=\"num\"") == 0;
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
  CHECK(paid_plot(Paid::kBos, {}, head.theorems).find(">0.6666666 → 0.8888888<") !=
        std::string::npos);
  CHECK(theorem_table({}, kAccepted).empty());
}

TEST_CASE(
    "Weights that do not sum to one: a floor's ratio is upper by lower, negatives have none") {
  Checkpoint head = with(bound("bos-floor.pre", make_rational(1, 3), make_rational(4, 7)));
  head.normalised = false;
  CHECK(has_number(bound_table(head, kAccepted), "1.7143"));  // 12/7
  CHECK(bound_table(head, kAccepted).find("for floors") == std::string::npos);
  head.bounds = {bound("bos-floor.pre", make_rational(-2, 3), make_rational(-1, 3))};
  const std::string table = bound_table(head, kAccepted);
  CHECK(has_number(table, "-0.6666667"));  // outward
  CHECK(has_number(table, "-0.3333333"));
  CHECK(has_number(table, "—"));
}

TEST_CASE("A bound's meaning names its quantity, its rows and all the heads it is about") {
  const auto words = [](const std::string& name, std::size_t heads) {
    Checkpoint head = with(bound(name, 0, 1));
    head.num_heads = heads;
    const std::string table = bound_table(head, kAccepted);
    const std::size_t begin = table.find("class=\"file\">") + 13;
    return table.substr(begin, table.find('<', begin + 1) - begin);
  };
  const auto says = [&](const std::string& name, std::size_t heads, const std::string& quantity,
                        const std::string& rows) {
    const std::string meaning = words(name, heads);
    INFO(name << ": " << meaning);
    CHECK(meaning.find(quantity) != std::string::npos);
    CHECK(meaning.find(rows) != std::string::npos);
    CHECK((meaning.find("all heads") != std::string::npos) ==
          (heads > 1 && quantity != "error"));  // a loss is the model's
  };
  says("sup-loss", 1, "error", "all rows");
  says("sup-loss.pre", 3, "error", "rows i &lt; j");
  says("bos-floor.pre", 1, "BOS", "rows 2 ≤ i &lt; j");
  says("bos-floor.trigger", 2, "BOS", "row i = j");
  says("bos-ceiling.post", 2, "BOS", "rows i &gt; j");
  says("null-floor.pre", 1, "null slot", "rows 2 ≤ i &lt; j");
  says("null-ceiling.trigger", 1, "null slot", "row i = j");
  CHECK(words("bos-floor.pre", 1) != words("bos-ceiling.pre", 1));
}

TEST_CASE("A sampled floor says its probability, its confidence and its samples") {
  Checkpoint head;
  Theorem theorem{"theorem.tc-2",       "tc-2",
                  "statistical",        make_rational(1, 30),
                  make_rational(9, 10), make_rational(8, 9)};
  theorem.sampling = {3000, 7, make_rational(1, 100), make_rational(1, 700), make_rational(2, 3)};
  head.theorems = {theorem};
  const std::string table = theorem_table(head, kAccepted);
  for (const char* words :
       {"≥ 0.9</span>", "with probability ≥ 0.6666666 for a random sequence", "at confidence 99 %",
        "of 3000 random sequences 7 had a loss above 0.03333334", "≤ 0.001428572",
        "threshold 0.03333334", "</svg>statistical</span>"}) {
    INFO(words);
    CHECK(table.find(words) != std::string::npos);
  }
  // A floor that may fail is not drawn beside floors that cannot.
  CHECK(paid_plot(Paid::kBos, {}, head.theorems).empty());
}
