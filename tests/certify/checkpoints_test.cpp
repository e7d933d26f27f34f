// The trained checkpoints shipped in tests/checkpoints: accepted by the trusted checker, and tight.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "certify/certify.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;

namespace {

struct Certified {
  std::map<std::string, certify::Property> properties;
  json::Value certificate;
  check::Outcome outcome;
};

Certified certify_file(const std::string& name, unsigned jobs = 1) {
  const std::filesystem::path path =
      std::filesystem::path(SINKPROOF_SOURCE_DIR) / "tests" / "checkpoints" / name;
  const auto model = model::load(path, {});
  REQUIRE(model.has_value());
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.jobs = jobs;
  auto certification = certify::certify(*model, options);
  REQUIRE(certification.has_value());
  Certified result;
  for (auto& property : certification->properties) result.properties[property.name] = property;
  result.certificate = certification->certificate();
  result.outcome = check::check_checkpoint(result.certificate, {*file::read(path)});
  return result;
}

exact::Rational decimal(int numerator, int denominator) {
  return exact::make_rational(numerator, denominator);
}

// upper <= 1.10 lower, and exactly 0 where 0 is attained.
void require_tight(const certify::Property& property) {
  INFO(property.name << " " << rounded::to_double_estimate(*property.lower) << " "
                     << rounded::to_double_estimate(*property.upper));
  CHECK(*property.lower <= *property.upper);
  CHECK(*property.upper <= decimal(110, 100) * *property.lower);
}

}  // namespace

TEST_CASE("the PyTorch softmax checkpoint certifies within 1.10 of what its witnesses attain") {
  const Certified result = certify_file("pytorch-1l1h-softmax.safetensors");
  INFO(result.outcome.reason);
  REQUIRE(result.outcome.exit_code == 0);
  for (const char* rows : {"pre", "trigger", "post"}) {
    require_tight(result.properties.at(std::string("sup-loss.") + rows));
  }
  // At least what a long independent attack attains.
  CHECK(*result.properties.at("sup-loss.trigger").lower >= decimal(191, 10000));
  CHECK(*result.properties.at("sup-loss.pre").lower >= decimal(255, 1000000));
  CHECK(*result.properties.at("sup-loss.post").lower >= decimal(269, 1000000));
  for (const char* rows : {"pre", "post"}) {
    const auto& floor = result.properties.at(std::string("bos-floor.") + rows);
    CHECK(*floor.upper - *floor.lower <= decimal(1, 100));
    CHECK(*floor.lower <= *floor.upper);
    CHECK(*floor.lower >= decimal(9997, 10000));
  }
  // At its trigger the head looks away from BOS.
  require_tight(result.properties.at("bos-floor.trigger"));
  CHECK(*result.properties.at("bos-floor.trigger").upper <= decimal(1, 1000));
  const auto& theorem = result.properties.at("theorem.tc-1");
  CHECK(theorem.verdict == "proved");
  CHECK(*theorem.implied <= *theorem.certified);
  CHECK(*theorem.implied >= decimal(94, 100));
  CHECK(*result.properties.at("theorem.tc-3").implied >= decimal(89, 100));
}

TEST_CASE("the PyTorch ReLU checkpoint certifies, and its other rows are exactly zero") {
  const Certified result = certify_file("pytorch-1l1h-relu.safetensors");
  INFO(result.outcome.reason);
  REQUIRE(result.outcome.exit_code == 0);
  for (const char* rows : {"pre", "trigger", "post"}) {
    require_tight(result.properties.at(std::string("sup-loss.") + rows));
  }
  CHECK(*result.properties.at("sup-loss.pre").upper == 0);
  CHECK(*result.properties.at("sup-loss.post").upper == 0);
  CHECK(*result.properties.at("sup-loss.trigger").lower >= decimal(470, 10000));
  CHECK(*result.properties.at("bos-ceiling.pre").upper == 0);
  require_tight(result.properties.at("bos-ceiling.trigger"));
}

TEST_CASE("our own small checkpoints certify tightly") {
  for (const char* name : {"softmax-d8-l8.safetensors", "relu-d8-l8.safetensors",
                           "softmax-d16-l16.safetensors", "relu-d16-l16.safetensors"}) {
    const Certified result = certify_file(name);
    INFO(name << " " << result.outcome.reason);
    REQUIRE(result.outcome.exit_code == 0);
    for (const char* rows : {"pre", "trigger", "post"}) {
      require_tight(result.properties.at(std::string("sup-loss.") + rows));
    }
  }
}

TEST_CASE("the certificate does not depend on the number of threads") {
  CHECK(certify_file("softmax-d8-l8.safetensors", 1).certificate ==
        certify_file("softmax-d8-l8.safetensors", 3).certificate);
}
