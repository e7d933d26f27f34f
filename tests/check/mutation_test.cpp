// Values of every committed theory certificate are changed in several ways: every one in the label
// full (SINKPROOF_ALL_MUTANTS is set), an even sample otherwise. A mutant must be
// rejected, or still prove the same claim: then only evidence changed that was re-verified (a
// witness, the order of a sum) or that the checker reports as not re-verified (the axioms Coq
// named).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "certificate/construction.hpp"
#include "certificate/envelope.hpp"
#include "certificate/schema.hpp"
#include "certificate/strict.hpp"
#include "construction_oracle.hpp"
#include "theory/steps.hpp"
#include "theory/theory.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using json::Value;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;

struct Mutant {
  std::string how;
  std::string where;  // JSON pointer of what changed
  Value changed;      // what stands there now

  [[nodiscard]] Value of(Value root) const {
    root[Value::json_pointer(where)] = changed;
    return root;
  }
};

std::vector<std::pair<std::string, Value>> changed_strings(const std::string& text) {
  std::vector<std::pair<std::string, Value>> changes = {
      {"emptied", ""}, {"appended", text + "1"}, {"number", 1}, {"null", nullptr}};
  if (!text.empty()) {
    std::string other = text;
    other.back() = other.back() == '2' ? '3' : '2';
    changes.emplace_back("last character", other);
    changes.emplace_back("negated", text[0] == '-' ? text.substr(1) : "-" + text);
    changes.emplace_back("last character dropped", text.substr(0, text.size() - 1));
  }
  return changes;
}

std::vector<std::pair<std::string, Value>> changed_array(const Value& array) {
  std::vector<std::pair<std::string, Value>> changes = {{"emptied", Value::array()}};
  for (std::size_t i = 0; i < array.size(); ++i) {
    const auto at = static_cast<Value::difference_type>(i);
    Value shorter = array;
    shorter.erase(shorter.begin() + at);
    changes.emplace_back("element dropped", shorter);
    Value longer = array;
    longer.insert(longer.begin() + at, array[i]);
    changes.emplace_back("element repeated", longer);
    if (i == 0) continue;
    Value swapped = array;
    std::swap(swapped[i - 1], swapped[i]);
    changes.emplace_back("elements swapped", swapped);
  }
  return changes;
}

std::vector<std::pair<std::string, Value>> changed_object(const Value& object) {
  std::vector<std::pair<std::string, Value>> changes;
  for (const auto& item : object.items()) {
    Value fewer = object;
    fewer.erase(item.key());
    changes.emplace_back("key dropped", fewer);
  }
  Value more = object;
  more["zzz"] = "1";
  changes.emplace_back("key added", more);
  return changes;
}

void collect(const Value& root, const Value::json_pointer& here, std::vector<Mutant>& mutants) {
  const Value& value = root.at(here);
  std::vector<std::pair<std::string, Value>> changes;
  if (value.is_string()) changes = changed_strings(value.get<std::string>());
  if (value.is_number()) changes = {{"plus one", value.get<int>() + 1}, {"as text", value.dump()}};
  if (value.is_array()) changes = changed_array(value);
  if (value.is_object()) changes = changed_object(value);
  for (auto& [how, changed] : changes) {
    if (changed == value) continue;
    mutants.push_back({how, here.to_string(), std::move(changed)});
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(root, here / i, mutants);
  } else if (value.is_object()) {
    for (const auto& item : value.items()) collect(root, here / item.key(), mutants);
  }
}

// The mutant's change is inside the evidence of a step about given vectors, which the checker
// evaluates whatever it is.
bool is_vector_evidence(const Value& root, const Mutant& mutant) {
  const std::size_t begin = std::string("/steps/").size();
  const std::size_t end = mutant.where.find("/evidence", begin);
  if (!mutant.where.starts_with("/steps/") || end == std::string::npos) return false;
  const Value& step = root.at(Value::json_pointer(mutant.where.substr(0, end)));
  return step.value("rule", "") == "vectors";
}

bool may_be_accepted(const Value& root, const Mutant& mutant) {
  if (is_vector_evidence(root, mutant)) return true;
  const auto within = [&](const char* key) { return mutant.where.find(key) != std::string::npos; };
  if (within("/evidence/witness/")) return true;
  if (mutant.where.ends_with("/square") && mutant.how == "negated") return true;  // (-s)^2 = s^2
  if (within("/evidence/")) return mutant.how == "elements swapped";
  return within("/assumptions");
}

// What the mutants' outcomes are counted by.
struct Tally {
  int rejected = 0;
  int accepted = 0;
};

// Each mutant has the whole certificate checked again, so of a long one only `most` are tried.
Tally check_mutants(const fs::path& path, const fs::path& claim, std::size_t most) {
  const auto envelope = certificate::read_envelope(path);
  REQUIRE(envelope.has_value());
  std::vector<Mutant> mutants;
  collect(envelope->value, Value::json_pointer(), mutants);
  Tally tally;
  const bool all = std::getenv("SINKPROOF_ALL_MUTANTS") != nullptr;
  const std::size_t stride = all ? 1 : std::max<std::size_t>(1, mutants.size() / most);
  for (std::size_t i = 0; i < mutants.size(); i += stride) {
    const Mutant& mutant = mutants[i];
    INFO(path.filename().string() << " " << mutant.where << ": " << mutant.how);
    const auto read = certificate::parse_envelope(
        certificate::certificate_bytes(mutant.of(envelope->value)), "m");
    const bool accepted =
        read && certificate::result_of([&] { return check::check_theory(read->value, claim); });
    if (accepted) {
      CHECK(may_be_accepted(envelope->value, mutant));
      ++tally.accepted;
    } else {
      ++tally.rejected;
    }
  }
  return tally;
}

}  // namespace

TEST_CASE("No mutant of a committed theory certificate proves anything else", "[slow]") {
  std::size_t claims = 0;
  for (const auto& file : fs::directory_iterator(kSource / "certificates")) {
    const std::string id = file.path().stem().string();
    constexpr std::size_t kSample = 60;
    const auto tally = check_mutants(file.path(), kSource / "proofs" / id, kSample);
    INFO(id << ": " << tally.rejected << " rejected, " << tally.accepted << " still prove it");
    CHECK(tally.rejected > 40);
    CHECK(tally.accepted < tally.rejected / 5);
    ++claims;
  }
  CHECK(claims >= 22);
}

TEST_CASE("No mutant of the fixture's certificate proves anything else") {
  const fs::path fixture = kSource / "tests" / "reject" / "theory";
  const auto tally =
      check_mutants(fixture / "accepted.json", fixture / "proofs" / "toy-1", SIZE_MAX);
  CHECK(tally.rejected > 300);
}

TEST_CASE("No mutant of the constructions' certificate proves anything else", "[seconds]") {
  const fs::path fixture = kSource / "tests" / "reject" / "theory" / "construction";
  const auto tally =
      check_mutants(fixture / "accepted.json", fixture / "proofs" / "toy-2", SIZE_MAX);
  CHECK(tally.rejected > 2000);
  CHECK(tally.accepted == 0);
}

// Here certificate and folder would say the same, so that the figures alone can be wrong. A mutant
// that is still a statement holds exactly when running the model it describes says so.
TEST_CASE("A mutant of a construction holds only when the model it describes has its figures",
          "[figures]") {
  const fs::path fixture = kSource / "tests" / "reject" / "theory" / "construction";
  const auto envelope = certificate::read_envelope(fixture / "accepted.json");
  REQUIRE(envelope.has_value());
  int wrong_figures = 0;
  int still_true = 0;
  for (const Value& step : envelope->value.at("steps")) {
    std::vector<Mutant> mutants;
    collect(step.at("statement"), Value::json_pointer(), mutants);
    for (const Mutant& mutant : mutants) {
      INFO(step.at("file") << " " << mutant.where << ": " << mutant.how);
      const Value statement = mutant.of(step.at("statement"));
      const auto read = certificate::result_of([&] {
        return certificate::read<certificate::Construction>({{"statement", statement}}, "m");
      });
      const bool holds =
          read && certificate::result_of([&] { check::check_exactly(*read, "m"); }).has_value();
      const bool is_true = read && test::same_figures(*read, test::simulated(*read, 4));
      CHECK(holds == is_true);
      if (mutant.where.find("_attention") != std::string::npos || mutant.where == "/sup_loss") {
        CHECK_FALSE(holds);
      }
      if (read && !holds) ++wrong_figures;
      if (holds) ++still_true;
    }
  }
  INFO(wrong_figures << " with wrong figures, " << still_true << " still true");
  CHECK(wrong_figures > 500);
  CHECK(still_true > 50);
}
