// Every value of small heads' certificates is changed in many ways, one at a time. A mutant must be
// rejected, or the change must be one that leaves its statement true: another multiplier, tree or
// witness that the checker re-verified, or a bound that is looser than what is known anyway.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "exact/rational.hpp"
#include "rounded/double.hpp"
#include "small_heads.hpp"

using namespace sinkproof;
using exact::Rational;
using json::Value;
using test::SmallHead;

namespace {

enum class Change { kNumber, kTree, kForm };  // kForm: types, keys, lists, words: never acceptable

struct Mutant {
  std::string where;  // JSON pointer of what changed
  std::string how;
  Change change;
  Value value;
};

using Replacement = std::tuple<std::string, Change, Value>;

bool is_tree(const std::string& where) {
  return where.ends_with("/tree") || where.find("/trees/") != std::string::npos ||
         where.ends_with("_zero") || where.ends_with("/above") || where.ends_with("/below");
}

std::vector<Replacement> changed_tree(const std::string& tree) {
  std::vector<Replacement> changes = {
      {"emptied", Change::kForm, ""},
      {"leaf added", Change::kForm, tree + "0"},
      {"split added", Change::kForm, tree + "1"},
      {"last leaf dropped", Change::kForm, tree.substr(0, tree.size() - 1)},
      {"leaf of another letter", Change::kForm, tree + "2"}};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    std::string flipped = tree;
    flipped[i] = tree[i] == '0' ? '1' : '0';
    // One flip changes the number of leaves the tree needs, so it is never well-formed.
    changes.emplace_back("bit flipped", Change::kForm, flipped);
  }
  // Well-formed trees: the one leaf, and the full tree of one coordinate.
  for (const std::string other : {"0", "100"}) {
    changes.emplace_back("replaced by " + other, Change::kTree, other);
  }
  return changes;
}

std::vector<Replacement> changed_number(const Rational& value) {
  std::vector<Replacement> changes;
  const auto add = [&](const std::string& how, const Rational& changed) {
    changes.emplace_back(how, Change::kNumber, exact::to_string(changed));
  };
  const Rational little = exact::power_of_two(-30);
  add("up by a hair", value * (1 + little));
  add("down by a hair", value * (1 - little));
  add("up by a tenth", value * exact::make_rational(11, 10));
  add("down by a tenth", value * exact::make_rational(9, 10));
  add("doubled", value * 2);
  add("halved", value / 2);
  add("negated", -value);
  add("zero", 0);
  add("plus one", value + 1);
  add("huge", exact::power_of_two(60));
  changes.emplace_back("not in lowest terms", Change::kForm, exact::to_string(value) + "/1");
  changes.emplace_back("with a plus", Change::kForm, "+" + exact::to_string(value));
  changes.emplace_back("with a point", Change::kForm, exact::to_string(value) + ".0");
  changes.emplace_back("as a JSON number", Change::kForm, 1);
  return changes;
}

std::vector<Replacement> changed_string(const std::string& text, const std::string& where) {
  std::vector<Replacement> changes;
  const auto number = exact::parse_rational(text);
  if (is_tree(where)) {
    changes = changed_tree(text);
  } else if (number) {
    changes = changed_number(*number);
  } else {
    changes = {{"emptied", Change::kForm, ""}, {"longer", Change::kForm, text + "x"}};
  }
  changes.emplace_back("null", Change::kForm, nullptr);
  changes.emplace_back("boolean", Change::kForm, true);
  changes.emplace_back("wrapped in a list", Change::kForm, Value::array({text}));
  return changes;
}

std::vector<Replacement> changed_integer(const Value& value) {
  const auto number = value.get<std::int64_t>();
  return {{"plus one", Change::kNumber, number + 1},
          {"minus one", Change::kNumber, number - 1},
          {"negated", Change::kNumber, -number},
          {"minus 2^32", Change::kNumber, number - (std::int64_t{1} << 32)},
          {"plus 2^32", Change::kNumber, number + (std::int64_t{1} << 32)},
          {"largest", Change::kForm, UINT64_MAX},
          {"as text", Change::kForm, std::to_string(number)},
          {"boolean", Change::kForm, number != 0},
          {"null", Change::kForm, nullptr},
          {"wrapped in a list", Change::kForm, Value::array({number})}};
}

// The elements worth visiting of a list of `size`: all of a short one, some of a long one.
std::vector<std::size_t> sample(std::size_t size) {
  std::vector<std::size_t> indices;
  const std::size_t step = size <= 5 ? 1 : size / 4;
  for (std::size_t i = 0; i < size; i += step) indices.push_back(i);
  if (!indices.empty() && indices.back() + 1 != size) indices.push_back(size - 1);
  return indices;
}

std::vector<Replacement> changed_array(const Value& array) {
  std::vector<Replacement> changes = {{"null", Change::kForm, nullptr},
                                      {"made an object", Change::kForm, Value::object()},
                                      {"made a string", Change::kForm, ""}};
  if (!array.empty()) changes.emplace_back("emptied", Change::kForm, Value::array());
  for (const std::size_t i : sample(array.size())) {
    const auto at = static_cast<Value::difference_type>(i);
    Value shorter = array;
    shorter.erase(shorter.begin() + at);
    changes.emplace_back("element dropped", Change::kForm, shorter);
    Value longer = array;
    longer.insert(longer.begin() + at, array[i]);
    changes.emplace_back("element repeated", Change::kForm, longer);
    if (i == 0) continue;
    Value swapped = array;
    std::swap(swapped[i - 1], swapped[i]);
    changes.emplace_back("elements swapped", Change::kNumber, swapped);
  }
  return changes;
}

std::vector<Replacement> changed_object(const Value& object) {
  std::vector<Replacement> changes = {{"null", Change::kForm, nullptr},
                                      {"made a list", Change::kForm, Value::array()},
                                      {"made a string", Change::kForm, "x"}};
  for (const auto& item : object.items()) {
    Value fewer = object;
    fewer.erase(item.key());
    changes.emplace_back("key " + item.key() + " dropped", Change::kForm, fewer);
  }
  Value more = object;
  more["zzz"] = "1";
  changes.emplace_back("key added", Change::kForm, more);
  return changes;
}

void collect(const Value& root, const std::string& where, std::vector<Mutant>& mutants) {
  const Value::json_pointer here(where);
  const Value& value = root.at(here);
  std::vector<Replacement> changes;
  if (value.is_string()) changes = changed_string(value.get<std::string>(), where);
  if (value.is_number()) changes = changed_integer(value);
  if (value.is_array()) changes = changed_array(value);
  if (value.is_object()) changes = changed_object(value);
  if (value.is_null()) changes = {{"a tree", Change::kForm, "0"}, {"zero", Change::kForm, "x"}};
  for (const auto& [how, change, changed] : changes) {
    if (changed == value && changed.type() == value.type()) continue;
    Mutant mutant{where, how, change, root};
    mutant.value[here] = changed;
    mutants.push_back(std::move(mutant));
  }
  if (value.is_object()) {
    for (const auto& item : value.items()) collect(root, where + "/" + item.key(), mutants);
  }
  if (value.is_array()) {
    for (const std::size_t i : sample(value.size())) {
      collect(root, where + "/" + std::to_string(i), mutants);
    }
  }
}

double estimate(const Value& text) {
  const auto value = exact::parse_rational(text.get<std::string>());
  REQUIRE(value.has_value());
  return rounded::to_double_estimate(*value);
}

// The one property an accepted mutant states is still true: the proved side is beyond every input
// of the grid and beyond the exact witness, the attained side short of what was proved.
void check_statement(const Value& original, const Value& mutant, double extreme) {
  const std::string name = original["name"].get<std::string>();
  REQUIRE(mutant["name"] == original["name"]);
  const double slack = 1e-12;
  if (name.starts_with("bos-floor")) {
    CHECK(estimate(mutant["lower"]) <= extreme + slack);
    CHECK(estimate(mutant["lower"]) <= estimate(original["upper"]));
    CHECK(estimate(mutant["upper"]) >= estimate(original["lower"]));
  } else {
    CHECK(estimate(mutant["upper"]) >= extreme - slack);
    CHECK(estimate(mutant["upper"]) >= estimate(original["lower"]));
    CHECK(estimate(mutant["lower"]) <= estimate(original["upper"]));
  }
}

bool may_change(const std::string& where) {
  return where.ends_with("/lower") || where.ends_with("/upper") ||
         where.find("/proof/") != std::string::npos || where.find("/witness/") != std::string::npos;
}

// Balances: separable-row takes the best of a list at each leaf, so that more or fewer may do, and
// has a bound without the query's own.
bool is_choice(const std::string& where) {
  const std::string parameters = "/proof/parameters/";
  for (const char* list : {"content/", "own/", "trigger/"}) {
    if (where.find(parameters + list) != std::string::npos) return true;
  }
  return false;
}

struct Count {
  int mutants = 0;
  int accepted = 0;
};

Count run(const SmallHead& head, const Value& certificate, double extreme) {
  Count count;
  std::vector<Mutant> mutants;
  collect(certificate, "/properties/0", mutants);
  for (const Mutant& mutant : mutants) {
    ++count.mutants;
    if (test::refusal(mutant.value, head) != "accepted") continue;
    ++count.accepted;
    INFO(head.name << " " << mutant.where << " " << mutant.how);
    CHECK((mutant.change != Change::kForm || is_choice(mutant.where)));
    CHECK(may_change(mutant.where));
    check_statement(certificate["properties"][0], mutant.value["properties"][0], extreme);
  }
  return count;
}

}  // namespace

TEST_CASE("A mutant of a property with its proof is rejected or still true", "[seconds][slow]") {
  std::map<std::string, Count> counts;  // by rule
  for (const SmallHead& head : test::small_heads()) {
    const auto extremes = test::extremes(head);
    for (const Value& entry : head.certificate["properties"]) {
      const std::string name = entry["name"].get<std::string>();
      if (name == "sup-loss" || name.starts_with("theorem")) continue;
      const Count count = run(head, test::only(head, {name}), extremes.at(name));
      Count& total = counts[entry["proof"]["rule"].get<std::string>()];
      total.mutants += count.mutants;
      total.accepted += count.accepted;
    }
  }
  CHECK(counts.size() == 5);
  for (const auto& [rule, count] : counts) {
    INFO(rule << ": " << count.accepted << " of " << count.mutants << " mutants accepted");
    CHECK(count.mutants >= 100);
    CHECK(count.accepted > 0);  // otherwise the originals were rejected too, and nothing was tested
    CHECK(count.accepted < count.mutants / 2);
  }
}

TEST_CASE("The maximum, the theorems and the frame admit no mutant at all") {
  for (const SmallHead& head : test::small_heads()) {
    std::vector<Mutant> mutants;
    for (std::size_t i = 0; i < head.certificate["properties"].size(); ++i) {
      const std::string name = head.certificate["properties"][i]["name"].get<std::string>();
      if (name != "sup-loss" && !name.starts_with("theorem")) continue;
      collect(head.certificate, "/properties/" + std::to_string(i), mutants);
    }
    for (const std::string key : {"semantics", "claim"}) {
      collect(head.certificate, "/" + key, mutants);
    }
    CHECK(mutants.size() >= 60);
    for (const Mutant& mutant : mutants) {
      INFO(head.name << " " << mutant.where << " " << mutant.how);
      CHECK(test::refusal(mutant.value, head) != "accepted");
    }
  }
}
