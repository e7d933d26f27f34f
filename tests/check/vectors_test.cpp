// Rules for given vectors (VECTOR_RULES.md) on instances whose optima are known in closed form, and
// one lie for each clause.
#include "vectors/vectors.hpp"

#include <catch2/catch.hpp>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "certificate/schema.hpp"
#include "certificate/sha256.hpp"
#include "check/check.hpp"
#include "exact/scaled_matrix.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"
#include "vectors/margin_constraints.hpp"

using namespace sinkproof;
using json::Value;

namespace {

const Value kUnitVectors = Value::parse(R"([["1","0","0","0"],["0","1","0","0"],
                                            ["0","0","1","0"],["0","0","0","1"]])");
const Value kSink =
    Value::parse(R"({"kind":"sink-A","bos":0,"groups":[[1,2,3]],"copies":[],"margin":"1"})");

Value step_statement(const Value& property, const Value& vectors = kUnitVectors) {
  return {{"scope", "all"}, {"vectors", vectors}, {"property", property}};
}

// "holds", or why not.
std::string verdict(const Value& property, const Value& evidence,
                    const Value& vectors = kUnitVectors) {
  const auto held = certificate::result_of(
      [&] { check::check_vectors_step(step_statement(property, vectors), evidence, "t"); });
  return held ? "holds" : held.error().code + " " + held.error().what;
}

// All nine constraints (j; 0, y) with multiplier 1.
Value equal_multipliers() {
  Value list = Value::array();
  for (int j = 1; j <= 3; ++j) {
    for (int y = 1; y <= 3; ++y) list.push_back({j, 0, y, "1"});
  }
  return list;
}

// Four orthonormal tokens, token 0 the sink of the three others: W = u v^T with u the sum of the
// others and v = (3, -1, -1, -1)/4. Its cost is 2 |u| |v| = 3, split over two rows of whole
// numbers because the balanced factor of one row is irrational.
Value cost_statement() {
  return {{"property", "cost"}, {"pattern", kSink}, {"lower", "3"}, {"upper", "3"}};
}
Value cost_evidence() {
  return {{"query", Value::parse(R"({"denominator":"2","rows":[["0","1","1","1"],
                                                               ["0","1","1","1"]]})")},
          {"key", Value::parse(R"({"denominator":"4","rows":[["3","-1","-1","-1"],
                                                             ["3","-1","-1","-1"]]})")},
          {"multipliers", equal_multipliers()},
          {"norm", "6"}};
}

struct Lie {
  std::string name;
  std::function<void(Value& statement, Value& evidence)> tell;
};

void require_rejected(const Value& statement, const Value& evidence, const std::vector<Lie>& lies,
                      const Value& vectors = kUnitVectors) {
  REQUIRE(verdict(statement, evidence, vectors) == "holds");
  for (const Lie& lie : lies) {
    Value lying_statement = statement;
    Value lying_evidence = evidence;
    lie.tell(lying_statement, lying_evidence);
    INFO(lie.name);
    const std::string outcome = verdict(lying_statement, lying_evidence, vectors);
    CHECK(outcome != "holds");
    CHECK_FALSE(
        outcome.starts_with("SP0101"));  // a false certificate about numbers, not their spelling
  }
}

exact::IntegerMatrix symmetric(std::size_t n, const std::vector<long>& rows) {
  exact::IntegerMatrix matrix(n, n);
  for (std::size_t i = 0; i < n * n; ++i) matrix(i / n, i % n) = rows[i];
  return matrix;
}

std::size_t count_of(const std::string& pattern, std::size_t count) {
  return check::margins_of(
             certificate::read<certificate::Pattern>(Value::parse(pattern), "t", count))
      .list.size();
}

}  // namespace

TEST_CASE("semidefinite: the fraction-free test knows the edges") {
  CHECK(exact::is_positive_semidefinite(symmetric(2, {1, 1, 1, 1})));
  CHECK(exact::is_positive_semidefinite(symmetric(2, {0, 0, 0, 0})));
  CHECK_FALSE(exact::is_positive_semidefinite(symmetric(2, {0, 1, 1, 5})));
  CHECK_FALSE(exact::is_positive_semidefinite(symmetric(2, {1, 2, 2, 3})));
  CHECK_FALSE(exact::is_positive_semidefinite(symmetric(1, {-1})));
  CHECK_FALSE(exact::is_positive_semidefinite(symmetric(2, {1, 0, 1, 1})));  // not symmetric
  // A zero pivot in the middle: the step after it divides by the pivot before it.
  CHECK(exact::is_positive_semidefinite(symmetric(3, {4, 2, 2, 2, 1, 1, 2, 1, 3})));
  CHECK_FALSE(exact::is_positive_semidefinite(symmetric(3, {4, 2, 2, 2, 1, 1, 2, 1, 0})));
  CHECK_FALSE(exact::is_positive_semidefinite(symmetric(3, {4, 2, 2, 2, 1, 2, 2, 2, 9})));
}

TEST_CASE("semidefinite: Gram matrices of fewer vectors than rows, and those minus a little") {
  for (int seed = 1; seed <= 20; ++seed) {
    const std::size_t n = 6;
    const std::size_t rank = 1 + static_cast<std::size_t>(seed) % 4;
    exact::IntegerMatrix rows(n, rank);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < rank; ++j) {
        rows(i, j) =
            static_cast<long>((7 * i * i + 5 * j * static_cast<std::size_t>(seed) + 3 * i) % 11) -
            5;
      }
    }
    exact::IntegerMatrix gram = rows * exact::transpose(rows);
    CHECK(exact::is_positive_semidefinite(gram));
    // The kernel of a matrix of lower rank meets e_5 somewhere, or the matrix has rank 0 there.
    for (std::size_t i = 0; i < n; ++i) gram(i, i) = gram(i, i) * 1000 - 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j) gram(i, j) *= 1000;
      }
    }
    CHECK_FALSE(exact::is_positive_semidefinite(gram));
  }
}

TEST_CASE("margin systems: patterns stand for the triples of the page") {
  // Two groups of two, two copies: D has 4, Q 2 tokens.
  const std::string roles = R"("bos":0,"groups":[[1,2],[3,4]],"copies":[5,6],"margin":"1"})";
  // dormant 4 * 6; copies 2 * (2 * (1 + 2 + 2)).
  CHECK(count_of(R"({"kind":"sink-A",)" + roles, 7) == 24 + 20);
  CHECK(count_of(R"({"kind":"sink-B",)" + roles, 7) == 24 + 20 + 2 * 4);
  // dormant 4 * (1 + 3 + 2); copies 2 * (2 * 5 + 1 + 2 + 1).
  CHECK(count_of(R"({"kind":"diagonal",)" + roles, 7) == 24 + 20 + 2 * 4);
  const auto diagonal = check::margins_of(certificate::read<certificate::Pattern>(
      Value::parse(R"({"kind":"diagonal",)" + roles), "t", std::size_t{7}));
  const auto has = [&](std::size_t j, std::size_t a, std::size_t i) {
    for (const auto& constraint : diagonal.list) {
      if (constraint.triple == certificate::Triple{j, a, i}) return true;
    }
    return false;
  };
  CHECK(has(1, 1, 0));
  CHECK(has(1, 1, 2));
  CHECK(has(5, 1, 5));
  CHECK(has(5, 1, 6));
  CHECK(has(5, 5, 0));
  CHECK(has(5, 5, 3));
  CHECK(has(5, 5, 6));
  CHECK_FALSE(has(5, 5, 1));
  CHECK_FALSE(has(5, 1, 2));
  CHECK_FALSE(has(0, 0, 1));
}

TEST_CASE("cost: the optimum of four orthonormal tokens, and lies about it") {
  require_rejected(
      cost_statement(), cost_evidence(),
      {{"upper below the cost", [](Value& s, Value&) { s["upper"] = "2999/1000"; }},
       {"lower above the bound", [](Value& s, Value&) { s["lower"] = "3001/1000"; }},
       {"lower negative", [](Value& s, Value&) { s["lower"] = "-1"; }},
       {"norm too small", [](Value&, Value& e) { e["norm"] = "5999/1000"; }},
       {"norm negative", [](Value&, Value& e) { e["norm"] = "-6"; }},
       {"norm zero", [](Value&, Value& e) { e["norm"] = "0"; }},
       {"larger margin", [](Value& s, Value&) { s["pattern"]["margin"] = "1001/1000"; }},
       {"smaller margin", [](Value& s, Value&) { s["pattern"]["margin"] = "999/1000"; }},
       {"margin zero", [](Value& s, Value&) { s["pattern"]["margin"] = "0"; }},
       {"a factor's row is missing", [](Value&, Value& e) { e["key"]["rows"].erase(1); }},
       {"an entry of the factor", [](Value&, Value& e) { e["key"]["rows"][0][0] = "2"; }},
       {"the factor's denominator", [](Value&, Value& e) { e["key"]["denominator"] = "5"; }},
       {"denominator negative",
        [](Value&, Value& e) {
          e["key"]["denominator"] = "-4";
          e["query"]["denominator"] = "-2";
        }},
       {"a fraction for a whole number", [](Value&, Value& e) { e["key"]["rows"][0][0] = "6/2"; }},
       {"no rows",
        [](Value&, Value& e) {
          e["key"]["rows"] = Value::array();
          e["query"]["rows"] = Value::array();
        }},
       {"a triple outside the margins",
        [](Value&, Value& e) {
          e["multipliers"].insert(e["multipliers"].begin(), Value{0, 1, 2, "1"});
        }},
       {"a multiplier is negative", [](Value&, Value& e) { e["multipliers"][0][3] = "-1"; }},
       {"a multiplier twice",
        [](Value&, Value& e) {
          e["multipliers"].push_back({3, 0, 3, "1"});
        }},
       {"too long a multiplier",
        [](Value&, Value& e) { e["multipliers"][0][3] = "1" + std::string(40, '0'); }},
       {"multipliers with lower 0", [](Value& s, Value&) { s["lower"] = "0"; }},
       {"a key too many", [](Value&, Value& e) { e["note"] = "x"; }},
       {"a key too few", [](Value& s, Value&) { s.erase("lower"); }},
       {"another property", [](Value& s, Value&) { s["property"] = "price"; }},
       {"a token named twice",
        [](Value& s, Value&) {
          s["pattern"]["groups"] = {{1, 2, 3}, {3}};
        }},
       {"an empty group", [](Value& s, Value&) { s["pattern"]["groups"][1] = Value::array(); }},
       {"copies that do not fit",
        [](Value& s, Value&) {
          s["pattern"]["groups"] = {{1}, {2}};
          s["pattern"]["copies"] = {3};
        }},
       {"a token out of range", [](Value& s, Value&) { s["pattern"]["bos"] = 4; }},
       {"a harder pattern", [](Value& s, Value&) { s["pattern"]["kind"] = "diagonal"; }}});
}

TEST_CASE("cost: one constraint between oblique tokens with denominators") {
  // x = (3, 4)/2, b - x = (5, 12)/2: the least ||W||_* is 1/(|x| |b - x|) = 4/65. Two rows again:
  // 8^2 + 1^2 = 65.
  const Value vectors = Value::parse(R"([["4","8"],["3/2","2"]])");
  const Value pattern =
      Value::parse(R"({"kind":"margins","margin":"1/3","constraints":[[1,0,1,"3"]]})");
  const Value statement = {
      {"property", "cost"}, {"pattern", pattern}, {"lower", "8/65"}, {"upper", "8/65"}};
  const Value evidence = {
      {"query", Value::parse(R"({"denominator":"325","rows":[["0","32"],["0","4"]]})")},
      {"key", Value::parse(R"({"denominator":"845","rows":[["32","-32"],["4","-4"]]})")},
      {"multipliers", Value::parse(R"([[1,0,1,"1"]])")},
      {"norm", "65/4"}};
  require_rejected(
      statement, evidence,
      {{"norm too small", [](Value&, Value& e) { e["norm"] = "406/25"; }},
       {"norm a little too small", [](Value&, Value& e) { e["norm"] = "1624999/100000"; }},
       {"a larger weight", [](Value& s, Value&) { s["pattern"]["constraints"][0][3] = "4"; }},
       {"lower above", [](Value& s, Value&) { s["lower"] = "9/65"; }},
       {"upper below", [](Value& s, Value&) { s["upper"] = "7/65"; }}},
      vectors);
  // Scaled evidence proves the same: only the ratio of the multipliers to the norm counts.
  Value twice = evidence;
  twice["multipliers"][0][3] = "2";
  twice["norm"] = "65/2";
  CHECK(verdict(statement, twice, vectors) == "holds");
}

TEST_CASE("cost: lower 0 takes no multipliers") {
  Value statement = cost_statement();
  Value evidence = cost_evidence();
  statement["lower"] = "0";
  evidence["multipliers"] = Value::array();
  evidence["norm"] = "0";
  CHECK(verdict(statement, evidence) == "holds");
  evidence["norm"] = "1";
  CHECK(verdict(statement, evidence) != "holds");
}

TEST_CASE("infeasible: two constraints that contradict each other, and dependent tokens") {
  const Value cycle =
      Value::parse(R"({"kind":"margins","margin":"1","constraints":[[1,0,2,"1"],[1,2,0,"3"]]})");
  const Value statement = {{"property", "infeasible"}, {"pattern", cycle}};
  const Value evidence = {{"multipliers", Value::parse(R"([[1,0,2,"5"],[1,2,0,"5"]])")}};
  require_rejected(statement, evidence,
                   {{"unbalanced", [](Value&, Value& e) { e["multipliers"][0][3] = "4"; }},
                    {"none", [](Value&, Value& e) { e["multipliers"] = Value::array(); }},
                    {"one", [](Value&, Value& e) { e["multipliers"].erase(1); }}});
  // Token 0 is the mean of 1 and 2: it cannot score above both.
  const Value mean = Value::parse(R"([["1","1"],["2","0"],["0","2"]])");
  const Value above = {{"property", "infeasible"},
                       {"pattern", Value::parse(R"({"kind":"margins","margin":"1/7",
                                    "constraints":[[1,0,1,"1"],[1,0,2,"1"]]})")}};
  const Value halves = {{"multipliers", Value::parse(R"([[1,0,1,"1"],[1,0,2,"1"]])")}};
  CHECK(verdict(above, halves, mean) == "holds");
  CHECK(verdict(above, halves, Value::parse(R"([["1","1"],["2","0"],["0","3"]])")) != "holds");
}

TEST_CASE("representable: the Frobenius margin is exact") {
  const Value statement = {
      {"property", "representable"}, {"pattern", kSink}, {"lower", "4/9"}, {"upper", "4/9"}};
  const Value evidence = {{"matrix", Value::parse(R"({"denominator":"4","rows":[["0","0","0","0"],
          ["3","-1","-1","-1"],["3","-1","-1","-1"],["3","-1","-1","-1"]]})")},
                          {"multipliers", equal_multipliers()}};
  require_rejected(
      statement, evidence,
      {{"lower above", [](Value& s, Value&) { s["lower"] = "5/9"; }},
       {"lower zero", [](Value& s, Value&) { s["lower"] = "0"; }},
       {"upper below", [](Value& s, Value&) { s["upper"] = "43/100"; }},
       {"an entry", [](Value&, Value& e) { e["matrix"]["rows"][1][1] = "0"; }},
       {"a row short", [](Value&, Value& e) { e["matrix"]["rows"].erase(0); }},
       {"a smaller matrix", [](Value&, Value& e) { e["matrix"]["denominator"] = "5"; }},
       {"no multipliers", [](Value&, Value& e) { e["multipliers"] = Value::array(); }},
       {"worse multipliers", [](Value&, Value& e) { e["multipliers"][0][3] = "2"; }}});
}

TEST_CASE("hull-distance: three unit vectors are 1/sqrt(3) from the origin") {
  const Value statement = {
      {"property", "hull-distance"}, {"vectors", {1, 2, 3}}, {"lower", "1/3"}, {"upper", "1/3"}};
  const Value evidence = {{"weights", Value::parse(R"([[1,"7"],[2,"7"],[3,"7"]])")},
                          {"direction", Value::parse(R"([[1,"2"],[2,"2"],[3,"2"]])")}};
  require_rejected(statement, evidence,
                   {{"upper below", [](Value& s, Value&) { s["upper"] = "33/100"; }},
                    {"lower above", [](Value& s, Value&) { s["lower"] = "17/50"; }},
                    {"lower above, just", [](Value& s, Value&) { s["lower"] = "3334/10001"; }},
                    {"a weight outside",
                     [](Value& s, Value&) {
                       s["vectors"] = {1, 2};
                     }},
                    {"a vector more",
                     [](Value& s, Value&) {
                       s["vectors"] = {0, 1, 2, 3};
                     }},
                    {"uneven weights", [](Value&, Value& e) { e["weights"][0][1] = "8"; }},
                    {"a negative weight", [](Value&, Value& e) { e["weights"][0][1] = "-7"; }},
                    {"no weights", [](Value&, Value& e) { e["weights"] = Value::array(); }},
                    {"backwards",
                     [](Value&, Value& e) {
                       for (auto& pair : e["direction"]) pair[1] = "-2";
                     }},
                    {"no direction", [](Value&, Value& e) { e["direction"] = Value::array(); }},
                    {"another direction", [](Value&, Value& e) { e["direction"][0][1] = "3"; }},
                    {"numbers out of order", [](Value& s, Value&) {
                       s["vectors"] = {2, 1, 3};
                     }}});
  // (3, 4)/2 is 5/2 from the origin.
  const Value half = Value::parse(R"([["3/2","2"]])");
  const Value one = {{"weights", Value::parse(R"([[0,"3"]])")},
                     {"direction", Value::parse(R"([[0,"5"]])")}};
  const auto at = [](const std::string& lower, const std::string& upper) {
    return Value{
        {"property", "hull-distance"}, {"vectors", {0}}, {"lower", lower}, {"upper", upper}};
  };
  CHECK(verdict(at("25/4", "25/4"), one, half) == "holds");
  CHECK(verdict(at("251/40", "13/2"), one, half) != "holds");
  CHECK(verdict(at("6", "249/40"), one, half) != "holds");
  const Value opposite = Value::parse(R"([["1"],["-2"]])");
  const Value zero = {
      {"property", "hull-distance"}, {"vectors", {0, 1}}, {"lower", "0"}, {"upper", "0"}};
  Value weights = {{"weights", Value::parse(R"([[0,"2"],[1,"1"]])")},
                   {"direction", Value::array()}};
  CHECK(verdict(zero, weights, opposite) == "holds");
  weights["direction"] = Value::parse(R"([[0,"1"]])");
  CHECK(verdict(zero, weights, opposite) != "holds");
}

TEST_CASE("switch: the anchor opposite, the others ahead") {
  // v_0 = (-3, 4), v_1 = (2, 1), v_2 = (2, -1): u = e_1 has gap 2, anchor loss 3, |v_0| = 5.
  const Value vectors = Value::parse(R"([["-3","4"],["2","1"],["2","-1"]])");
  const Value statement = {{"property", "switch"}, {"anchor", 0},        {"others", {1, 2}},
                           {"gap", "2"},           {"anchor_loss", "3"}, {"anchor_norm", "5"},
                           {"spread", "8"}};
  const Value evidence = {{"direction", Value::parse(R"([[1,"1"],[2,"1"]])")}};
  require_rejected(
      statement, evidence,
      {{"gap", [](Value& s, Value&) { s["gap"] = "201/100"; }},
       {"gap zero", [](Value& s, Value&) { s["gap"] = "0"; }},
       {"anchor loss", [](Value& s, Value&) { s["anchor_loss"] = "299/100"; }},
       {"anchor loss negative", [](Value& s, Value&) { s["anchor_loss"] = "-3"; }},
       {"anchor norm", [](Value& s, Value&) { s["anchor_norm"] = "499/100"; }},
       {"spread", [](Value& s, Value&) { s["spread"] = "7"; }},
       {"the anchor among the others",
        [](Value& s, Value&) {
          s["others"] = {0, 1, 2};
        }},
       {"no others", [](Value& s, Value&) { s["others"] = Value::array(); }},
       {"direction zero", [](Value&, Value& e) { e["direction"] = Value::array(); }},
       {"direction back",
        [](Value&, Value& e) { e["direction"] = Value::parse(R"([[1,"-1"],[2,"-1"]])"); }}},
      vectors);
  // The same, divided by 2.
  const Value halves = Value::parse(R"([["-3/2","2"],["1","1/2"],["1","-1/2"]])");
  const Value half = {{"property", "switch"}, {"anchor", 0},          {"others", {1, 2}},
                      {"gap", "1"},           {"anchor_loss", "3/2"}, {"anchor_norm", "5/2"},
                      {"spread", "4"}};
  require_rejected(half, evidence,
                   {{"gap", [](Value& s, Value&) { s["gap"] = "101/100"; }},
                    {"anchor loss", [](Value& s, Value&) { s["anchor_loss"] = "149/100"; }},
                    {"anchor norm", [](Value& s, Value&) { s["anchor_norm"] = "249/100"; }},
                    {"spread", [](Value& s, Value&) { s["spread"] = "7/2"; }}},
                   halves);
}

namespace {

safetensors::Tensor floats(std::vector<std::uint64_t> shape, const std::vector<float>& values) {
  return output::float32_tensor(std::move(shape), values);
}

// Two heads of width 1 in the plane; head 1 has W_V = (1 2)/2, c = 3/2, W_O = (8, 10)^T: the same
// as (1 2), 3, (4, 5)^T, with denominators on the way.
std::string head_file() {
  safetensors::Contents contents;
  contents.tensors["layers.3.W_V.weight"] = floats({2, 2}, {9, 9, 0.5F, 1});
  contents.tensors["layers.3.W_V.bias"] = floats({2}, {9, 1.5F});
  contents.tensors["layers.3.W_O.weight"] = floats({2, 2}, {9, 8, 9, 10});
  return output::serialize(contents);
}

std::string token_file(float last = 1) {
  safetensors::Contents contents;
  contents.tensors["x"] = floats({2, 2}, {1, -2, 3, last});
  return output::serialize(contents);
}

Value certificate_of(const Value& property, const Value& evidence) {
  return {{"format", 1},
          {"kind", "vectors"},
          {"claim", "vectors"},
          {"claim_sha256", std::string(64, '0')},
          {"input",
           {{"sha256", certificate::sha256_hex(token_file())},
            {"tensor", "x"},
            {"head",
             {{"sha256", certificate::sha256_hex(head_file())},
              {"prefix", "layers.3."},
              {"num_heads", 2},
              {"head", 1}}}}},
          {"properties", {{{"statement", property}, {"evidence", evidence}}}}};
}

std::string checked(const Value& certificate) {
  const check::Outcome outcome = check::check_vectors(certificate, {token_file(), head_file()});
  return outcome.exit_code == 0 ? "holds" : outcome.reason;
}

}  // namespace

TEST_CASE("vectors: values of a head, bias included") {
  // W_V x + c: (1 - 4 + 3, 3 + 2 + 3) = (0, 8), so v_0 = 0 and v_1 = (32, 40).
  const Value statement = {
      {"property", "hull-distance"}, {"vectors", {1}}, {"lower", "2624"}, {"upper", "2624"}};
  const Value evidence = {{"weights", Value::parse(R"([[1,"1"]])")},
                          {"direction", Value::parse(R"([[1,"1"]])")}};
  const Value good = certificate_of(statement, evidence);
  REQUIRE(checked(good) == "holds");
  const std::vector<std::pair<std::string, std::function<void(Value&)>>> lies = {
      {"another head", [](Value& c) { c["input"]["head"]["head"] = 0; }},
      {"no such head", [](Value& c) { c["input"]["head"]["head"] = 2; }},
      {"another number of heads", [](Value& c) { c["input"]["head"]["num_heads"] = 1; }},
      {"another prefix", [](Value& c) { c["input"]["head"]["prefix"] = "layers.2."; }},
      {"a strange prefix", [](Value& c) { c["input"]["head"]["prefix"] = "layers.03."; }},
      {"no head", [](Value& c) { c["input"]["head"] = nullptr; }},
      {"another tensor", [](Value& c) { c["input"]["tensor"] = "y"; }},
      {"another input",
       [](Value& c) { c["input"]["sha256"] = certificate::sha256_hex(token_file(2)); }},
      {"a property twice", [](Value& c) { c["properties"].push_back(c["properties"][0]); }},
      {"no property", [](Value& c) { c["properties"] = Value::array(); }},
      {"a key too many", [](Value& c) { c["verdict"] = "proved"; }}};
  for (const auto& [name, tell] : lies) {
    Value lie = good;
    tell(lie);
    INFO(name);
    CHECK(checked(lie) != "holds");
  }
}

TEST_CASE("vectors: what is wrong without the files is stated before a missing file is") {
  // So that a certificate whose files are elsewhere is called wrong, not unknown, by every checker.
  const Value statement = {
      {"property", "hull-distance"}, {"vectors", {1}}, {"lower", "2624"}, {"upper", "2624"}};
  const Value one = Value::parse(R"([[1,"1"]])");
  Value missing = certificate_of(statement, {{"weights", one}, {"direction", one}});
  missing["input"]["sha256"] = std::string(64, '0');
  REQUIRE(check::check_vectors(missing, {token_file(), head_file()}).exit_code == 2);
  const std::vector<std::pair<std::string, std::function<void(Value&)>>> lies = {
      {"a strange prefix", [](Value& c) { c["input"]["head"]["prefix"] = "layers.03."; }},
      {"no such head", [](Value& c) { c["input"]["head"]["head"] = 2; }},
      {"a key of the head", [](Value& c) { c["input"]["head"].erase("prefix"); }},
      {"the head's hash", [](Value& c) { c["input"]["head"]["sha256"] = "0"; }},
      {"a property twice", [](Value& c) { c["properties"].push_back(c["properties"][0]); }},
      {"no statement", [](Value& c) { c["properties"][0]["statement"] = nullptr; }},
      {"too many searches", [](Value& c) {
         for (int i = 0; i < 17; ++i) {
           c["properties"].push_back(
               {{"statement", {{"property", "cost"}, {"upper", i}}}, {"evidence", nullptr}});
         }
       }}};
  for (const auto& [name, tell] : lies) {
    Value lie = missing;
    tell(lie);
    INFO(name);
    CHECK(check::check_vectors(lie, {token_file(), head_file()}).exit_code == 4);
  }
  // How many vectors there are, the file alone says.
  missing["properties"][0]["statement"]["vectors"] = {1023};
  CHECK(check::check_vectors(missing, {token_file(), head_file()}).exit_code == 2);
}

TEST_CASE("smoothing: mean, covariance and the traces of a head by hand") {
  // Tokens (1,-2), (3,1): mu = (2,-1/2), deviations -+(1,3/2). W = (4,5)^T (1,2) = (4 8; 5 10).
  // W (1,3/2) = (16,20): t = 656, s = beta (16 + 30) = 46 beta, tr B = 13/4.
  // (W mu + W_O c) = (4,5)(2 - 1 + 3) = (16,20); beta = 2: (20, 19), squared 761.
  const auto point = [](const std::string& value) { return Value{value, value}; };
  const Value statement = {{"property", "smoothing"},  {"beta", "2"},
                           {"s", point("92")},         {"t", point("656")},
                           {"s_plus_t", point("748")}, {"mean_norm", point("761")},
                           {"spread", point("13/4")}};
  const Value good = certificate_of(statement, Value::object());
  REQUIRE(checked(good) == "holds");
  for (const std::string name : {"s", "t", "s_plus_t", "mean_norm", "spread"}) {
    for (const auto& range :
         {Value{"0", "1"}, Value{"1000", "1001"}, Value{"1000", "0"}, Value{"0"}, Value{0, 1000}}) {
      Value lie = good;
      lie["properties"][0]["statement"][name] = range;
      INFO(name << " " << range.dump());
      CHECK(checked(lie) != "holds");
    }
  }
  Value lie = good;
  lie["properties"][0]["statement"]["beta"] = "1";
  CHECK(checked(lie) != "holds");
  lie = good;
  lie["input"]["head"] = nullptr;
  CHECK(checked(lie) != "holds");
}

TEST_CASE("smoothing: each of several statements about one head is looked at") {
  // The tokens and the head of the test before; beta = 0 and -1: |nu|^2 = 656, (14, 41/2)^2.
  const auto statement = [](const std::string& beta, const std::string& s, const std::string& sum,
                            const std::string& norm) {
    return Value{{"property", "smoothing"},   {"beta", beta},           {"s", {s, s}},
                 {"t", {"656", "656"}},       {"s_plus_t", {sum, sum}}, {"mean_norm", {norm, norm}},
                 {"spread", {"13/4", "13/4"}}};
  };
  const Value hull = {
      {"property", "hull-distance"}, {"vectors", {1}}, {"lower", "2624"}, {"upper", "2624"}};
  const Value one = Value::parse(R"([[1,"1"]])");
  Value good = certificate_of(statement("0", "0", "656", "656"), Value::object());
  good["properties"].push_back(
      {{"statement", hull}, {"evidence", {{"weights", one}, {"direction", one}}}});
  good["properties"].push_back(
      {{"statement", statement("-1", "-46", "610", "2465/4")}, {"evidence", Value::object()}});
  REQUIRE(checked(good) == "holds");
  for (const std::size_t index : {0U, 2U}) {
    Value lie = good;
    lie["properties"][index]["statement"]["mean_norm"] = {"0", "616"};
    CHECK(checked(lie) == "mean_norm: does not lie between these");
  }
}

TEST_CASE("smoothing: 256 statements about one head take little more than one") {
  // 2^22 products for the head's outputs, which no statement changes.
  const std::uint64_t size = 128;
  std::vector<float> entries(size * size);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = static_cast<float>((i * i + 3 * i) % 251) / 256.0F - 0.5F;
  }
  safetensors::Contents contents;
  for (const std::string name : {"x", "W_V.weight", "W_O.weight"}) {
    contents.tensors[name] = floats({size, size}, entries);
  }
  const std::string file = output::serialize(contents);
  const auto seconds = [&](int statements) {
    Value certificate = certificate_of({}, {});
    certificate["input"]["sha256"] = certificate::sha256_hex(file);
    certificate["input"]["head"] = {
        {"sha256", certificate::sha256_hex(file)}, {"prefix", ""}, {"num_heads", 1}, {"head", 0}};
    certificate["properties"] = Value::array();
    const Value wide = {"-1000000000", "1000000000"};
    for (int beta = 1; beta <= statements; ++beta) {
      certificate["properties"].push_back({{"statement",
                                            {{"property", "smoothing"},
                                             {"beta", std::to_string(beta)},
                                             {"s", wide},
                                             {"t", wide},
                                             {"s_plus_t", wide},
                                             {"mean_norm", wide},
                                             {"spread", wide}}},
                                           {"evidence", Value::object()}});
    }
    const std::clock_t start = std::clock();
    CHECK(check::check_vectors(certificate, {file}).reason.empty());
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double one = seconds(1);
  CHECK(seconds(256) < 20 * one);
}

TEST_CASE("vectors: numbers too long to decide are refused at once") {
  Value statement = cost_statement();
  Value vectors = kUnitVectors;
  vectors[1][1] = "1" + std::string(399, '0');
  Value evidence = cost_evidence();
  CHECK(verdict(statement, evidence, vectors) != "holds");
  vectors[1][1] = "1" + std::string(400, '0');
  CHECK(verdict(statement, evidence, vectors).find("400 digits") != std::string::npos);
}
