// Rollouts of stacks without residual connections, and tc-4 on a certified loss: the stack of
// examples/stacks/rollout.stack.json at d_model 4, whose rollout does not depend on the noise.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using exact::Rational;

namespace {

constexpr std::size_t kLength = 5;
const std::filesystem::path kSource = SINKPROOF_SOURCE_DIR;
const std::filesystem::path kFile = kSource / "tests/reject/checkpoint/models/rollout.safetensors";

model::AttentionModel stack() {
  auto model = model::load(kFile, {});
  REQUIRE(model.has_value());
  model->length = kLength;
  return *model;
}

certify::Certification certified(const model::AttentionModel& model,
                                 const certify::StackOptions& stack = {}) {
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.stack = stack;
  auto certification = certify::certify(model, options);
  REQUIRE(certification.has_value());
  return *std::move(certification);
}

std::map<std::string, certify::Property> by_name(const certify::Certification& certification) {
  std::map<std::string, certify::Property> result;
  for (const auto& property : certification.properties) {
    if (!property.head) REQUIRE(result.emplace(property.name, property).second);
  }
  return result;
}

check::Outcome checked(const json::Value& certificate) {
  return check::check_checkpoint(certificate, {*file::read(kFile)});
}

double share(double score, const std::vector<double>& scores) {
  double sum = 0;
  for (const double other : scores) sum += std::exp(other - score);
  return 1 / sum;
}

// By the scores the file's data write down, trigger at j.
std::vector<double> rollout(std::size_t j) {
  constexpr double kLambda = 8;
  std::vector<double> bos;  // what a row of the first layer pays BOS
  for (std::size_t i = 1; i <= kLength; ++i) {
    std::vector<double> scores = {i == 1 || i == j ? 0 : kLambda};
    for (std::size_t k = 2; k <= i; ++k) scores.push_back(i == j ? kLambda : 0);
    bos.push_back(share(scores[0], scores));
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < kLength; ++i) {
    std::vector<double> scores;
    for (std::size_t k = 0; k <= i; ++k) {
      scores.push_back(kLambda * (bos[i] * bos[k] + (1 - bos[i]) * (1 - bos[k])));
    }
    double sum = 0;
    for (std::size_t k = 0; k <= i; ++k) sum += share(scores[k], scores) * bos[k];
    result.push_back(sum);
  }
  return result;
}

// The least and the greatest over rows i >= 2 of a class.
std::pair<double, double> extremes(const std::string& rows) {
  std::pair<double, double> found = {1, 0};
  for (std::size_t j = 3; j <= kLength; ++j) {
    const std::vector<double> all = rollout(j);
    for (std::size_t i = 2; i <= kLength; ++i) {
      if (rows != (i < j ? "pre" : i == j ? "trigger" : "post")) continue;
      found.first = std::min(found.first, all[i - 1]);
      found.second = std::max(found.second, all[i - 1]);
    }
  }
  return found;
}

double estimate(const Rational& x) { return rounded::to_double_estimate(x); }

}  // namespace

TEST_CASE("a stack's rollout is enclosed near its exact values, and tc-4 stands beside it") {
  const auto certification = certified(stack());
  const auto found = by_name(certification);
  for (const std::string rows : {"pre", "trigger", "post"}) {
    INFO(rows);
    const auto [least, most] = extremes(rows);
    const certify::Property& floor = found.at("rollout-floor." + rows);
    const certify::Property& ceiling = found.at("rollout-ceiling." + rows);
    CHECK(estimate(*floor.upper) == Approx(least).margin(2e-9));
    CHECK(estimate(*ceiling.lower) == Approx(most).margin(2e-9));
    CHECK(*floor.lower <= *floor.upper);
    CHECK(*ceiling.lower <= *ceiling.upper);
    CHECK(estimate(*floor.lower) >= least - 2e-5);
    CHECK(estimate(*ceiling.upper) <= most + 2e-5);
  }
  const certify::Property& depth = found.at("theorem.tc-4");
  const Rational eta = *found.at("sup-loss").upper;
  const Rational gap = exact::make_rational(1, 4);  // D_J at J = 5
  CHECK(depth.verdict == "proved");
  CHECK(*depth.implied == 1 - 2 * eta / (gap - 2 * eta));
  CHECK(*depth.certified ==
        exact::min(*found.at("rollout-floor.pre").lower, *found.at("rollout-floor.post").lower));
  CHECK(*depth.implied < *depth.certified);
  CHECK(checked(certification.certificate()).exit_code == 0);
}

// Found before anybody looks at the floor's own proof.
TEST_CASE("an input whose rollout is below what tc-4 implies is exit 5") {
  json::Value certificate = certified(stack()).certificate();
  json::Value& properties = certificate["properties"];
  std::rotate(properties.begin(), properties.end() - 1, properties.end());
  REQUIRE(properties[0]["name"] == "theorem.tc-4");
  REQUIRE(checked(certificate).exit_code == 0);
  for (json::Value& property : properties) {
    if (property["name"] != "rollout-floor.post") continue;
    property["lower"] = "0";
    property["upper"] = "9/10";
  }
  const check::Outcome outcome = checked(certificate);
  CHECK(outcome.exit_code == 5);
  CHECK(outcome.reason.find("contradicts the theorem") != std::string::npos);
}

TEST_CASE("rollouts are of a whole stack, and tc-4 of all positions of the trigger") {
  const auto model = stack();
  certify::StackOptions some;
  some.triggers = certify::TriggerRange{3, 4};
  some.every_head = true;
  const auto certification = certified(model, some);
  const auto found = by_name(certification);
  CHECK(found.contains("rollout-floor.post"));
  CHECK(!found.contains("theorem.tc-4"));
  CHECK(std::none_of(certification.properties.begin(), certification.properties.end(),
                     [](const certify::Property& property) {
                       return property.head && property.name.starts_with("rollout-");
                     }));
  CHECK(checked(certification.certificate()).exit_code == 0);

  auto residual = model;
  residual.residual = true;
  auto null = model;
  null.attention = model::Attention::kSoftmaxNull;
  auto single = model;
  single.layers.resize(1);
  for (const auto& other : {residual, null, single}) {
    for (const std::string& name : certify::property_names(other)) {
      CHECK_FALSE(name.starts_with("rollout-"));
      CHECK(name != "theorem.tc-4");
    }
  }
  // Of one layer rule stack does not decide the theorems of one layer.
  const auto one_layer = by_name(certified(single, some));
  CHECK(std::none_of(one_layer.begin(), one_layer.end(),
                     [](const auto& each) { return each.first.starts_with("theorem."); }));
}
