// Each checkpoint rule on small heads: the producer's certificates are accepted, what they state
// holds on every input of a grid, and bounds that these inputs refute are not accepted whatever
// else the certificate says.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "attention/rules.hpp"
#include "certificate/rule.hpp"
#include "certificate/sha256.hpp"
#include "exact/rational.hpp"
#include "rounded/double.hpp"
#include "small_heads.hpp"

using namespace sinkproof;
using json::Value;
using test::SmallHead;

namespace {

exact::Rational bound(const Value& entry, const std::string& key) {
  const auto value = exact::parse_rational(entry[key].get<std::string>());
  REQUIRE(value.has_value());
  return *value;
}

const Value& property(const SmallHead& head, const std::string& name) {
  for (const Value& entry : head.certificate["properties"]) {
    if (entry["name"] == name) return entry;
  }
  throw std::runtime_error("no property " + name);
}

const SmallHead& head_named(const std::string& name) {
  for (const SmallHead& head : test::small_heads()) {
    if (head.name == name) return head;
  }
  throw std::runtime_error("no head " + name);
}

// The certificate with the one property, its proof replaced by `proof` and its upper bound too.
std::string refusal_with(const SmallHead& head, const std::string& name, const Value& proof,
                         const exact::Rational& upper) {
  Value certificate = test::only(head, {name});
  certificate["properties"][0]["proof"] = proof;
  certificate["properties"][0]["upper"] = exact::to_string(upper);
  return test::refusal(test::settled(certificate, head.certificate["ranges"]), head);
}

}  // namespace

TEST_CASE("Certificates of small heads are accepted and between them use every rule") {
  std::set<std::string> rules;
  std::set<std::string> verdicts;
  std::set<std::string> bounds;
  for (const SmallHead& head : test::small_heads()) {
    INFO(head.name);
    CHECK(test::refusal(head.certificate, head) == "accepted");
    for (const Value& entry : head.certificate["properties"]) {
      const std::string rule = entry["proof"]["rule"].get<std::string>();
      rules.insert(rule);
      if (rule == "theorem") verdicts.insert(entry["verdict"].get<std::string>());
      if (rule == "separable-row") {
        bounds.insert(entry["proof"]["parameters"]["bound"].get<std::string>());
      }
    }
  }
  CHECK(rules == std::set<std::string>{"layer-attention", "layer-row", "maximum", "row",
                                       "separable-row", "softmax-floor", "theorem"});
  CHECK(verdicts == std::set<std::string>{"not-applicable", "proved"});
  CHECK(bounds == std::set<std::string>{"chord", "product"});
}

TEST_CASE("No input of the grid is outside what a certificate states") {
  int compared = 0;
  for (const SmallHead& head : test::small_heads()) {
    const auto extremes = test::extremes(head);
    for (const Value& entry : head.certificate["properties"]) {
      const std::string name = entry["name"].get<std::string>();
      if (!entry.contains("upper")) continue;
      INFO(head.name << " " << name);
      REQUIRE(extremes.contains(name));
      const double lower = rounded::to_double_estimate(bound(entry, "lower"));
      const double upper = rounded::to_double_estimate(bound(entry, "upper"));
      CHECK(extremes.at(name) <= upper + 1e-12);
      if (name.starts_with("bos-floor")) CHECK(extremes.at(name) >= lower - 1e-12);
      ++compared;
    }
  }
  CHECK(compared >= 25);
}

TEST_CASE("A bound an input refutes is rejected, however little it is wrong") {
  int tried = 0;
  for (const SmallHead& head : test::small_heads()) {
    for (const Value& entry : head.certificate["properties"]) {
      const std::string name = entry["name"].get<std::string>();
      if (!entry.contains("upper") || name == "sup-loss") continue;
      INFO(head.name << " " << name);
      const bool floor = name.starts_with("bos-floor");
      const exact::Rational attained = bound(entry, floor ? "upper" : "lower");
      if (attained == 0) continue;
      Value wrong = test::only(head, {name});
      const exact::Rational nudge = exact::power_of_two(-40);
      wrong["properties"][0][floor ? "lower" : "upper"] =
          exact::to_string(floor ? attained * (1 + nudge) : attained * (1 - nudge));
      wrong["properties"][0][floor ? "upper" : "lower"] = floor ? "1" : "0";
      CHECK(test::refusal(wrong, head) != "accepted");
      ++tried;
    }
  }
  CHECK(tried >= 20);
}

TEST_CASE("A rule proves only the rows and the attention it is about") {
  const SmallHead& soft = head_named("switch");
  const SmallHead& relu = head_named("exact");
  const Value row = property(soft, "sup-loss.pre")["proof"];
  const Value trigger = property(soft, "sup-loss.trigger")["proof"];
  const Value separable = property(relu, "sup-loss.trigger")["proof"];
  CHECK(refusal_with(soft, "sup-loss.trigger", row, 100) != "accepted");
  // Far above what any row loses the roots do, whichever of both classes they were found for.
  CHECK(refusal_with(soft, "sup-loss.post", row, 100) == "accepted");
  CHECK(refusal_with(soft, "sup-loss.pre", trigger, 100) != "accepted");
  CHECK(refusal_with(soft, "sup-loss.pre", separable, 100) != "accepted");
  CHECK(refusal_with(soft, "sup-loss.trigger", separable, 100) != "accepted");
  CHECK(refusal_with(relu, "sup-loss.trigger", separable, 100) == "accepted");
  CHECK(refusal_with(relu, "sup-loss.pre", separable, 1000000) == "accepted");
  CHECK(refusal_with(relu, "sup-loss.post", separable, 100) != "accepted");
  CHECK(refusal_with(relu, "bos-ceiling.pre", {{"rule", "softmax-floor"}}, 100) != "accepted");
  CHECK(refusal_with(soft, "sup-loss.pre", {{"rule", "maximum"}}, 100) != "accepted");
  CHECK(refusal_with(soft, "sup-loss.pre", {{"rule", ""}}, 100) != "accepted");
}

TEST_CASE("Theorem entries are tied to the certified loss and to the floors") {
  const SmallHead& head = head_named("switch");
  REQUIRE(property(head, "theorem.tc-1")["verdict"] == "proved");
  REQUIRE(property(head, "theorem.tc-3")["verdict"] == "proved");
  const auto without = [&](const std::string& dropped) {
    std::vector<std::string> names;
    for (const Value& entry : head.certificate["properties"]) {
      if (entry["name"] != dropped) names.push_back(entry["name"].get<std::string>());
    }
    return test::refusal(test::only(head, names), head);
  };
  CHECK(without("sup-loss") != "accepted");
  CHECK(without("sup-loss.post") != "accepted");
  CHECK(without("bos-floor.pre") != "accepted");
  CHECK(without("bos-floor.post") != "accepted");
  CHECK(without("theorem.tc-1") == "accepted");
}

// Content queries look at all keys alike; the trigger's logits, relative to BOS, are at most -1/2
// on a content key (-1, and its noise times 1/2) and -5/2 on itself (-3, and its own noise times
// 1/2).
TEST_CASE("A floor of BOS attention is about the query and the keys of its own rows") {
  check::Head head{4, 1, 5, exact::RationalMatrix(4, 4), exact::RationalMatrix(4, 4), {}, {}};
  head.logit(check::kTriggerFlag, check::kBosFlag) = 2;
  head.logit(check::kTriggerFlag, 3) = 1;
  head.logit(check::kTriggerFlag, check::kTriggerFlag) = -1;
  head.logit(check::kTriggerFlag, 2) = exact::make_rational(1, 2);
  head.coupling = check::Coupling(head.logit);
  const check::Layer layer{certificate::kind_of(certificate::Attention::kSoftmax), {head}, {}, {}};
  const certificate::Trees trees{{0}, {"0"}, {}};
  const auto proves = [&](check::Rows rows, long ten_thousandths) {
    certificate::Bound bound;
    bound.readout = certificate::Readout::kBosFloor;
    bound.rows = rows;
    bound.lower = exact::make_rational(ten_thousandths, 10000);
    try {
      check::require_bound(layer, bound, certificate::BySoftmaxFloor{trees});
      return true;
    } catch (const check::Rejected&) {
      return false;
    }
  };
  const double trigger = 1 / (1 + 3 * std::exp(-0.5) + std::exp(-2.5));
  CHECK(proves(check::Rows::kTrigger, std::lround(std::floor(trigger * 10000))));
  CHECK_FALSE(proves(check::Rows::kTrigger, std::lround(std::ceil(trigger * 10000))));
  CHECK(proves(check::Rows::kPre, 2499));  // row 4: BOS, two content keys, itself
  CHECK_FALSE(proves(check::Rows::kPre, 2501));
  CHECK(proves(check::Rows::kPost, 1999));
  CHECK_FALSE(proves(check::Rows::kPost, 2001));
}

// A head whose rows are plain averages, with BOS out of reach of the trigger and V = 1 + 1/128 on
// the noise: the trigger row is off by at most 1/128. Logits of BOS at 0 take a share of it.
TEST_CASE("A trigger row is as far off as its rows of few keys say") {
  const auto with = [&](int bos_logit, std::size_t rows, const std::string& upper) {
    exact::RationalMatrix logit(4, 4);
    logit(check::kTriggerFlag, check::kBosFlag) = bos_logit;
    exact::RationalMatrix value(4, 4);
    for (std::size_t i = 1; i < 4; ++i) value(i, i) = 1;
    value(2, 2) = exact::make_rational(129, 128);
    const SmallHead head = test::head_of("averages", true, 5, logit, value);
    // Of rows = 4 the mixtures of 2, 3 and 4 keys, on both sides; of rows = 2 those of 2 keys and
    // 4 + 3 + 3 points. Of a flag 3 mixtures, or 1 and 3 points.
    const std::size_t sided = rows == 4 ? 9 : 12;
    const std::size_t flag = rows == 4 ? 3 : 4;
    const Value reference = std::to_string(bos_logit);
    const Value proof = {
        {"rule", "row"},
        {"order", {0U}},
        {"parameters",
         {{"cells", 1},
          {"references", {{"bos", reference}, {"null", nullptr}, {"trigger", "0"}}},
          {"rows", rows}}},
        {"trees", Value(2 * 2 * sided + 6 * flag, "0")}};
    const Value token = {"0", "0", "1", "1"};
    const Value witness = {
        {"trigger", 5},
        {"row", 5},
        {"coordinate", 2},
        {"sign", 1},
        {"tokens", {{"1", "0", "0", "0"}, token, token, token, {"0", "1", "1", "0"}}}};
    Value certificate = head_named("switch").certificate;
    certificate["length"] = 5;
    certificate["triggers"] = {3, 5};
    certificate["ranges"] = nullptr;
    certificate["model"]["sha256"] = certificate::sha256_hex(head.model_bytes);
    certificate["properties"] = Value::array({{{"name", "sup-loss.trigger"},
                                               {"verdict", "enclosed"},
                                               {"lower", "0"},
                                               {"upper", upper},
                                               {"witness", witness},
                                               {"proof", proof}}});
    const auto read = json::parse_strict(json::canonical(certificate), "test");
    REQUIRE(read.has_value());
    return test::refusal(*read, head);
  };
  CHECK(with(-128, 4, "1001/128000") == "accepted");
  CHECK(with(-128, 4, "999/128000") == "coordinate 2, sign 1: a leaf does not close");
  // With rows 3 and 4 between points: tau = 1 - 2 b is taken by less than it can be.
  CHECK(with(-128, 2, "1001/128000") == "accepted");
  CHECK(with(-128, 2, "999/128000") == "coordinate 2, sign 1: a leaf does not close");
  // BOS takes a third of a row of two other keys: 1 - (129/128) (2/3) = 42/128 is missing, and of
  // the flags, whose values are 1, a sixth.
  CHECK(with(0, 4, "42001/128000") == "accepted");
  CHECK(with(0, 4, "41999/128000") == "coordinate 2, sign 1: a leaf does not close");
}

// The trigger's logit is u_0 u_1, a content key's u_0 w_1, BOS's 0, as is its value. Of output 0
// the trigger or the content key has value 4, the other -2. At a bound b, those of -2 and BOS have
// the shares 2 + b and b in the mean of forms that is added to the other's: the first one's alone,
// and the form itself, are coupled, each 1 at most.
TEST_CASE("Forms of a trigger row that are added up keep what couples their noise") {
  const auto proves = [](int content, int trigger, double bound) {
    check::Head head{5, 2, 3, exact::RationalMatrix(5, 5), exact::RationalMatrix(5, 5), {}, {}};
    head.logit(2, 3) = 1;
    head.value(0, 4) = content;
    head.value(0, check::kTriggerFlag) = trigger;
    head.token = certificate::token_map(5, {{{-1, 1}}});
    head.coupling = check::Coupling(head.logit);
    const check::Layer layer{
        certificate::kind_of(certificate::Attention::kSoftmax), {head}, {}, {0, 0, 0, 0, 0}};
    const certificate::ByRow by{
        {{0, 1}, std::vector<std::string>(6 + 2 * 2 * 4, "0"), {}}, {{2, 1}}, 0, 0, {}};
    certificate::Bound stated;
    stated.rows = check::Rows::kTrigger;
    stated.upper = exact::make_rational(std::lround(bound * 10000), 10000);
    try {
      check::require_bound(layer, stated, by);
      return true;
    } catch (const check::Rejected&) {
      return false;
    }
  };
  double most = 4;
  for (double step = 2; step > 1e-6; step /= 2) {
    const double b = most - step;
    if ((4 - b) * std::exp(1 + (2 + b) / (2 + 2 * b)) <= 2 + 2 * b) most = b;
  }
  CHECK(proves(4, -2, most + 2e-4));
  CHECK_FALSE(proves(4, -2, most - 2e-4));
  CHECK(proves(-2, 4, most + 2e-4));
  CHECK_FALSE(proves(-2, 4, most - 2e-4));
}
