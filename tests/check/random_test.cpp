// Properties random.* of a trained stack: what certify samples is accepted, and every way to claim
// more is not.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "certify/certify.hpp"
#include "check/check.hpp"
#include "exact/rational.hpp"
#include "file/file.hpp"
#include "model/attention_model.hpp"
#include "rounded/decimal.hpp"

using namespace sinkproof;
using exact::Rational;
using json::Value;

namespace {

constexpr std::uint64_t kSamples = 120;

struct Made {
  std::string model_bytes;
  Value certificate;
};

certify::Options asked() {
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.properties = {"random.loss", "random.sink", "random.no-sink"};
  options.samples = kSamples;
  return options;
}

Made certified(const certify::Options& options, const std::string& kind = "softmax") {
  const std::string path =
      SINKPROOF_SOURCE_DIR "/tests/checkpoints/pytorch-2l2h-" + kind + ".safetensors";
  model::Overrides shorter;
  shorter.length = 6;
  const auto model = model::load(path, shorter);
  REQUIRE(model.has_value());
  const auto certification = certify::certify(*model, options);
  REQUIRE(certification.has_value());
  return {*file::read(path), certification->certificate()};
}

// At thresholds that all samples keep to.
const Made& all_within() {
  static const Made made = certified(asked());
  return made;
}

Value& property(Value& certificate, const std::string& name) {
  for (Value& entry : certificate["properties"]) {
    if (entry["name"] == name) return entry;
  }
  throw std::runtime_error(name);
}

// The checker's reason after fields of a property were replaced; "" when it accepts.
std::string reason_with(const Made& made, const std::string& name,
                        const std::map<std::string, Value>& changes) {
  Value certificate = made.certificate;
  for (const auto& [key, value] : changes) property(certificate, name)[key] = value;
  const auto outcome = check::check_checkpoint(certificate, {made.model_bytes});
  return outcome.exit_code == 0 ? "" : outcome.reason;
}

Rational field(const Made& made, const std::string& name, const std::string& key) {
  Value certificate = made.certificate;
  return *exact::parse_rational(property(certificate, name)[key].get<std::string>());
}

bool says(const std::string& reason, const std::string& words) {
  return reason.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("statements about random sequences of a stack are accepted as statistical") {
  const auto outcome =
      check::check_checkpoint(all_within().certificate, {all_within().model_bytes});
  INFO(outcome.reason);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.verdict == "statistical");
  CHECK(all_within().certificate["properties"].size() == 3);
}

TEST_CASE("a random statement's delta is what its samples show and its threshold costs") {
  for (const char* name : {"random.loss", "random.sink", "random.no-sink"}) {
    CAPTURE(name);
    const Rational step = exact::make_rational(1, 1000000);
    const Rational delta = field(all_within(), name, "delta");
    const auto with = [&](const std::map<std::string, Value>& changes) {
      return reason_with(all_within(), name, changes);
    };
    CHECK(says(with({{"delta", exact::to_string(delta - step)}}), "delta is below"));
    CHECK(with({{"delta", exact::to_string(delta + step)}}).empty());
    CHECK(says(with({{"alpha", "1/200"}}), "delta is below"));
    CHECK(says(with({{"samples", kSamples - 1}}), "delta is below"));
    // A longer fraction is one of more choices.
    const Rational threshold = field(all_within(), name, "threshold");
    const Rational longer = threshold + exact::make_rational(1, 1000003);
    CHECK(says(with({{"threshold", exact::to_string(longer)}}), "delta is below"));
    CHECK(says(with({{"threshold", "0"}}), "must be positive"));
    CHECK(says(with({{"threshold", "1/1000000000000"}}), "e + f"));
    CHECK(says(with({{"proof", {{"rule", "sampling"}, {"floors", Value::array()}}}}), "rule"));
  }
}

TEST_CASE("samples beyond the threshold are counted, each property its own") {
  for (const char* name : {"random.loss", "random.sink", "random.no-sink"}) {
    CAPTURE(name);
    // Every sequence of the softmax stack has a full sink.
    const std::string kind = name == std::string("random.no-sink") ? "relu" : "softmax";
    certify::Options options = asked();
    options.properties = {name};
    const Rational below =
        field(certified(options, kind), name, "threshold") * exact::make_rational(9, 10);
    options.eta = rounded::round_down_decimal(below, 2);
    options.epsilon = options.eta;
    const Made made = certified(options, kind);
    Value certificate = made.certificate;
    const auto exceeding = property(certificate, name)["exceeding"].get<std::int64_t>();
    REQUIRE(exceeding > 0);
    CHECK(reason_with(made, name, {}).empty());
    CHECK(says(reason_with(made, name, {{"exceeding", exceeding - 1}}), "more samples exceed"));
  }
}

TEST_CASE("other triggers are other sequences") {
  Value certificate = all_within().certificate;
  certificate["triggers"] = {3, 3};
  Value loss = property(certificate, "random.loss");
  // Of the trigger at 3, other losses: the least threshold of one law is not the other's.
  certify::Options options = asked();
  options.stack.triggers = certify::TriggerRange{3, 3};
  const Made early = certified(options);
  CHECK(check::check_checkpoint(early.certificate, {early.model_bytes}).exit_code == 0);
  CHECK(early.certificate["triggers"] == Value({3, 3}));
  CHECK(field(early, "random.loss", "threshold") !=
        *exact::parse_rational(loss["threshold"].get<std::string>()));
}

TEST_CASE("samples of too many tokens are refused") {
  Value certificate = all_within().certificate;
  const auto length = certificate["length"].get<std::uint64_t>();
  const std::uint64_t most = 2'000'000 / length;
  for (const std::uint64_t samples : {most + 1, std::uint64_t{100'001}}) {
    for (Value& entry : certificate["properties"]) entry["samples"] = samples;
    CHECK(check::check_checkpoint(certificate, {all_within().model_bytes}).exit_code == 4);
  }
}
