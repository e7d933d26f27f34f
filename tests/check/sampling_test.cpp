// Property theorem.tc-2: what certify samples is accepted, and every way to claim more is not.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "certify/certify.hpp"
#include "check/check.hpp"
#include "exact/rational.hpp"
#include "file/file.hpp"
#include "model/attention_model.hpp"

using namespace sinkproof;
using exact::Rational;
using json::Value;

namespace {

struct Sampled {
  std::string model_bytes;
  Value certificate;
  std::size_t index = 0;  // of theorem.tc-2 among the properties
};

Sampled sampled_over(const std::string& box) {
  const std::string path = SINKPROOF_SOURCE_DIR "/tests/checkpoints/softmax-d8-l8.safetensors";
  model::Overrides overrides;
  overrides.box = box;
  const auto model = model::load(path, overrides);
  REQUIRE(model.has_value());
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.properties = {"theorem.tc-2"};
  options.samples = 1000;
  // Below the largest loss, so that some samples exceed.
  options.eta = exact::make_rational(1, 250);
  const auto certification = certify::certify(*model, options);
  REQUIRE(certification.has_value());
  Sampled result{*file::read(path), certification->certificate()};
  for (const Value& property : result.certificate["properties"]) {
    if (property["name"] == "theorem.tc-2") break;
    ++result.index;
  }
  return result;
}

const Sampled& sampled() {
  static const Sampled made = sampled_over("1");
  return made;
}

// The checker's reason after fields of the property were replaced; "" when it accepts.
std::string reason_with(const std::map<std::string, Value>& changes) {
  Value certificate = sampled().certificate;
  for (const auto& [key, value] : changes) certificate["properties"][sampled().index][key] = value;
  const auto outcome = check::check_checkpoint(certificate, {sampled().model_bytes});
  return outcome.exit_code == 0 ? "" : outcome.reason;
}

Rational field(const std::string& key) {
  return *exact::parse_rational(
      sampled().certificate["properties"][sampled().index][key].get<std::string>());
}

// delta and what it implies at length 8.
std::map<std::string, Value> with_delta(const Rational& delta) {
  return {{"delta", exact::to_string(delta)}, {"implied", exact::to_string(1 - 21 * delta)}};
}

bool says(const std::string& reason, const std::string& words) {
  return reason.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("sampled exceedances are accepted, with a statistical verdict", "[seconds]") {
  const auto outcome = check::check_checkpoint(sampled().certificate, {sampled().model_bytes});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.verdict == "statistical");
  CHECK(says(outcome.reason, "tc-2"));
}

TEST_CASE("claiming more than the samples show is rejected", "[seconds][slow]") {
  const auto exceeding =
      sampled().certificate["properties"][sampled().index]["exceeding"].get<std::int64_t>();
  REQUIRE(exceeding > 0);
  CHECK(says(reason_with({{"exceeding", exceeding - 1}}), "more samples exceed"));
  // One unit of the search's own resolution less is too little.
  const Rational less = field("delta") - exact::make_rational(1, 1000000);
  CHECK(says(reason_with(with_delta(less)), "delta is below"));
  CHECK(reason_with(with_delta(field("delta") + exact::make_rational(1, 1000000))).empty());
  CHECK(says(reason_with({{"alpha", exact::to_string(field("alpha") / 2)}}), "delta is below"));
  CHECK(
      says(reason_with({{"implied", exact::to_string(field("implied") / 2)}}), "implied must be"));
  CHECK(says(reason_with({{"floor", "1"}}), "floor must be"));
  CHECK(says(reason_with({{"certified", "1"}}), "certified floor"));
}

TEST_CASE("another eta or number of samples is another draw and must be paid for") {
  const auto at = [](const Rational& eta) {
    return std::map<std::string, Value>{{"eta", exact::to_string(eta)},
                                        {"floor", exact::to_string(1 - 3 * eta)}};
  };
  // A long denominator costs confidence, before any sample is looked at.
  CHECK(
      says(reason_with(at(field("eta") + exact::make_rational(1, 1000000007))), "delta is below"));
  CHECK(says(reason_with(at(exact::make_rational(1, 11))), "needs 0 < eta <= 1/12"));
  CHECK(says(reason_with(at(field("eta") + exact::power_of_two(-60))), "denominator of eta"));
  CHECK(says(reason_with(at(exact::make_rational(1, 100000))), "may exceed eta"));
  CHECK(says(reason_with({{"samples", 100001}}), "samples must be"));
  CHECK(says(reason_with({{"samples", 0}, {"exceeding", 0}}), "samples must be"));
  CHECK(says(reason_with({{"verdict", "proved"}}), "verdict must be statistical"));
  CHECK(says(reason_with({{"claim", "tc-1"}}), "names another claim"));
}

TEST_CASE("over a box [-r,r] the loss counts 1/r times, and over others tc-2 says nothing",
          "[seconds][slow]") {
  const auto verdict = [](const Sampled& sampled, const Value& entry) {
    Value certificate = sampled.certificate;
    certificate["properties"][sampled.index] = entry;
    const auto outcome = check::check_checkpoint(certificate, {sampled.model_bytes});
    return outcome.exit_code == 0 ? outcome.verdict : outcome.reason;
  };
  const Sampled narrow = sampled_over("0.75");
  Value entry = narrow.certificate["properties"][narrow.index];
  CHECK(verdict(narrow, entry) == "statistical");
  CHECK(entry["floor"] == exact::to_string(1 - exact::make_rational(4, 250)));
  CHECK(says(verdict(sampled(), entry), "floor must be"));
  entry["floor"] = exact::to_string(1 - exact::make_rational(3, 250));
  CHECK(says(verdict(narrow, entry), "floor must be"));
  const Sampled shifted = sampled_over("-1..0.75");
  REQUIRE(shifted.index == shifted.certificate["properties"].size());
  entry["certified"] = "0";
  CHECK(says(verdict(shifted, entry), "does not apply to this box"));
}
