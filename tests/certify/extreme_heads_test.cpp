// Heads far from what training gives, with the sizes and scales that once crashed the search or had
// the checker refuse what it found: certify has bounds for all of them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>

#include "certify/accepted.hpp"
#include "check/check.hpp"
#include "model/attention_model.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "output/temporary_folder.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"

using namespace sinkproof;

namespace {

safetensors::Tensor float64_tensor(std::vector<std::uint64_t> shape,
                                   const std::vector<double>& values) {
  safetensors::Tensor tensor;
  tensor.dtype_name = "F64";
  tensor.shape = std::move(shape);
  tensor.bytes.resize(values.size() * sizeof(double));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

struct Recipe {
  std::string attention;
  std::size_t width;
  std::size_t length;
  double deviation;   // of query and key weights
  double values = 1;  // of value and output weights
  std::size_t heads = 1;
};

std::string gaussian_layer(const Recipe& recipe, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 1);
  const std::size_t n = recipe.width;
  const std::size_t wide = n * recipe.heads;
  safetensors::Contents contents;
  contents.metadata = {{"attention", recipe.attention},
                       {"num_heads", std::to_string(recipe.heads)},
                       {"seq_len", std::to_string(recipe.length)}};
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape,
                       double deviation) {
    std::vector<double> values(shape.size() == 1 ? shape[0] : shape[0] * shape[1]);
    for (double& value : values) value = deviation * normal(random);
    contents.tensors[name] = float64_tensor(std::move(shape), values);
  };
  add("W_Q.weight", {wide, n}, recipe.deviation);
  add("W_K.weight", {wide, n}, recipe.deviation);
  add("W_V.weight", {wide, n}, recipe.values);
  add("W_O.weight", {n, wide}, recipe.values);
  if (recipe.attention == "softmax-gated") {
    add("W_G.weight", {recipe.heads, n}, recipe.values);
    add("W_G.bias", {recipe.heads}, recipe.values);
  }
  if (recipe.attention == "softmax-sink") add("sinks", {recipe.heads}, recipe.deviation);
  return output::serialize(contents);
}

// A head with the given M and V.
std::string head_of(const std::string& attention, std::size_t length,
                    const std::vector<double>& logit, const std::vector<double>& value) {
  const auto width = static_cast<std::size_t>(std::sqrt(static_cast<double>(logit.size())));
  std::vector<double> identity(width * width);
  for (std::size_t i = 0; i < width; ++i) identity[i * width + i] = 1;
  safetensors::Contents contents;
  contents.metadata = {{"attention", attention}, {"seq_len", std::to_string(length)}};
  const std::pair<const char*, const std::vector<double>*> parts[] = {{"W_Q.weight", &identity},
                                                                      {"W_K.weight", &logit},
                                                                      {"W_V.weight", &value},
                                                                      {"W_O.weight", &identity}};
  for (const auto& [name, entries] : parts) {
    contents.tensors[name] = float64_tensor({width, width}, *entries);
  }
  return output::serialize(contents);
}

constexpr auto kSwitchValue = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                               0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};

// A trained checkpoint with every weight times a factor.
std::string scaled_checkpoint(const std::string& name, float factor) {
  const auto path = std::filesystem::path(SINKPROOF_SOURCE_DIR) / "tests" / "checkpoints" / name;
  auto contents = safetensors::read(path);
  REQUIRE(contents.has_value());
  for (auto& [tensor_name, tensor] : contents->tensors) {
    auto values = *output::float32_values(tensor, tensor_name);
    for (float& value : values) value *= factor;
    tensor = output::float32_tensor(tensor.shape, values);
  }
  return output::serialize(*contents);
}

exact::Result<certify::Certification> certify_bytes(const std::string& bytes,
                                                    certify::Options options = {}) {
  const output::TemporaryFolder folder;
  const auto path = folder / "head.safetensors";
  REQUIRE(output::replace(path, bytes).has_value());
  const auto model = model::load(path, {});
  REQUIRE(model.has_value());
  options.claim_hash = std::string(64, '0');
  options.effort.nodes = 2000;
  return certify::certify_accepted(*model, options, [&](const json::Value& certificate) {
    const auto outcome = check::check_checkpoint(certificate, {bytes});
    return outcome.exit_code == 0 ? exact::Result<void>()
                                  : exact::fail(outcome.code, "test", outcome.reason);
  });
}

// A file's values by their tensor's names, times 2^exponent.
std::string times_powers(const std::string& bytes, const std::map<std::string, int>& exponents) {
  auto contents = safetensors::parse(bytes, "test");
  REQUIRE(contents.has_value());
  for (const auto& [name, exponent] : exponents) {
    safetensors::Tensor& tensor = contents->tensors.at(name);
    std::vector<double> values(tensor.bytes.size() / sizeof(double));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    for (double& value : values) value = std::ldexp(value, exponent);
    tensor = float64_tensor(tensor.shape, values);
  }
  return output::serialize(*contents);
}

void require_bounds(const exact::Result<certify::Certification>& certification) {
  if (!certification) FAIL(certification.error().code << " " << certification.error().what);
  for (const auto& property : certification->properties) {
    if (property.name.starts_with("theorem.")) continue;
    INFO(property.name);
    REQUIRE(property.lower.has_value());
    REQUIRE(property.upper.has_value());
    CHECK(*property.lower <= *property.upper);
  }
}

const certify::Property& property_of(const certify::Certification& certification,
                                     const std::string& name) {
  for (const auto& property : certification.properties) {
    if (property.name == name) return property;
  }
  FAIL("no property " << name);
  throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("Gaussian softmax heads that overflowed the search's doubles get bounds") {
  const auto [deviation, n, length] = GENERATE(table<double, std::size_t, std::size_t>(
      {{0.3, 16, 16}, {0.8, 8, 8}, {1.5, 4, 8}, {2, 4, 8}, {3, 4, 8}}));
  for (const unsigned seed : {1U, 2U, 3U}) {
    INFO("deviation " << deviation << ", d_model " << n << ", length " << length << ", seed "
                      << seed);
    require_bounds(
        certify_bytes(gaussian_layer({"softmax", n, length, deviation, deviation}, seed)));
  }
}

TEST_CASE("trained heads times 300 and 10^4 get bounds, and the sink stays certified") {
  const float factor = GENERATE(300.0F, 1e4F);
  INFO("factor " << factor);
  const auto softmax = certify_bytes(scaled_checkpoint("softmax-d8-l8.safetensors", factor));
  require_bounds(softmax);
  for (const char* name : {"bos-floor.pre", "bos-floor.post"}) {
    CHECK(*property_of(*softmax, name).lower >= exact::make_rational(999, 1000));
  }
  require_bounds(certify_bytes(scaled_checkpoint("relu-d8-l8.safetensors", factor)));
}

TEST_CASE("kernels that need no exp have bounds however large their logits") {
  for (const char* attention : {"relu", "elu1", "linear"}) {
    INFO(attention);
    require_bounds(certify_bytes(gaussian_layer({attention, 5, 6, 100, 1, 2}, 1)));
  }
  // elu + 1 of -4096 and less is 0 to the checker, so a row may have no weight at all: all that is
  // known of its shares is that they are some.
  const auto vanishing = certify_bytes(gaussian_layer({"elu1-normalised", 5, 6, 100, 1, 2}, 1));
  require_bounds(vanishing);
  CHECK(*property_of(*vanishing, "bos-floor.post").lower == 0);
  CHECK(*property_of(*vanishing, "bos-ceiling.post").upper == 1);
}

TEST_CASE("logits beyond the checker's exp are refused where nothing else bounds the weights") {
  // Logistic weights lie in [0, 1] by rule `stack`, unless numbers are beyond its range, too.
  require_bounds(certify_bytes(gaussian_layer({"sigmoid", 5, 6, 100, 1, 2}, 1)));
  const auto refused = certify_bytes(gaussian_layer({"sigmoid", 5, 6, 100, 1e25, 2}, 1));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == "SP1403");
  // So do shares of a sum.
  for (const char* attention : {"softmax", "softmax-null", "softmax-sink", "softmax-gated"}) {
    INFO(attention);
    require_bounds(certify_bytes(gaussian_layer({attention, 5, 6, 100, 1, 2}, 1)));
  }
  // A gate alone.
  require_bounds(certify_bytes(gaussian_layer({"softmax-gated", 5, 6, 0.1, 3000, 1}, 1)));
}

TEST_CASE(
    "weights whose products leave the doubles get bounds: above, below, and out of the file") {
  for (const auto attention : model::kAttentions) {
    const std::string kind = model::to_string(attention);
    INFO(kind);
    require_bounds(certify_bytes(gaussian_layer({kind, 5, 5, 1e-200, 1e-3}, 1)));
    require_bounds(certify_bytes(gaussian_layer({kind, 5, 5, 1e-320, 1}, 2)));
    if (kind != "softmax-gated") {
      require_bounds(certify_bytes(gaussian_layer({kind, 5, 5, 1e-3, 1e200}, 3)));
    }
  }
  // Nothing bounds shares at such logits.
  const auto shares = certify_bytes(gaussian_layer({"softmax", 5, 5, 1e200, 1e200}, 4));
  REQUIRE_FALSE(shares.has_value());
  CHECK(shares.error().code == "SP1403");
  for (const char* kind : {"relu", "linear", "elu1"}) {
    INFO(kind);
    require_bounds(certify_bytes(gaussian_layer({kind, 5, 5, 1e150, 1e150}, 4)));
    // Outputs of 1e800: beyond the forward pass, which ends at 2^2048.
    const auto beyond = certify_bytes(gaussian_layer({kind, 5, 5, 1e200, 1e200}, 4));
    REQUIRE_FALSE(beyond.has_value());
    CHECK(beyond.error().code == "SP1403");
  }
}

TEST_CASE("with all sinks 0, the certificate of softmax-sink is that of softmax-null") {
  const std::size_t heads = GENERATE(1, 2);
  const auto null = certify_bytes(gaussian_layer({"softmax-null", 6, 6, 0.7, 0.7, heads}, 5));
  require_bounds(null);
  auto contents =
      *safetensors::parse(gaussian_layer({"softmax-null", 6, 6, 0.7, 0.7, heads}, 5), "");
  contents.metadata["attention"] = "softmax-sink";
  contents.tensors["sinks"] = float64_tensor({heads}, std::vector<double>(heads));
  const auto sink = certify_bytes(output::serialize(contents));
  require_bounds(sink);
  CHECK(sink->certificate()["model"]["attention"] == "softmax-sink");
  json::Value renamed = sink->certificate();
  for (const char* key : {"attention", "sha256"}) {
    CHECK(renamed["model"][key] != null->certificate()["model"][key]);
    renamed["model"][key] = null->certificate()["model"][key];
  }
  CHECK(json::canonical(renamed) == json::canonical(null->certificate()));
  // Other sinks, other bounds.
  contents.tensors["sinks"] = float64_tensor({heads}, std::vector<double>(heads, 0.25));
  const auto other = certify_bytes(output::serialize(contents));
  require_bounds(other);
  for (const char* name : {"null-floor.pre", "null-ceiling.post", "bos-floor.trigger"}) {
    CHECK(*property_of(*other, name).upper != *property_of(*sink, name).upper);
  }
}

TEST_CASE("kernels that all vanish in doubles do not mislead the attack") {
  std::vector<double> logit(16);
  for (std::size_t query = 0; query < 4; ++query) {
    for (const std::size_t key : {0, 1, 3}) logit[key * 4 + query] = query == 2 ? 0 : -2000;
  }
  for (const char* kind : {"sigmoid-normalised", "elu1-normalised"}) {
    const auto certification = certify_bytes(head_of(kind, 5, logit, kSwitchValue));
    INFO(kind);
    require_bounds(certification);
    // All keys count alike.
    CHECK(*property_of(*certification, "bos-floor.pre").lower >= exact::make_rational(249, 1000));
  }
}

TEST_CASE("a switch of logits beyond the checker's exp: proved, and not sampled") {
  // A content query sees BOS 5000 above all else, a trigger 5000 below.
  std::vector<double> logit(16);
  logit[3 * 4 + 0] = 5000;
  logit[1 * 4 + 0] = -5000;
  certify::Options options;
  options.samples = 200;
  const auto certification = certify_bytes(head_of("softmax", 5, logit, kSwitchValue), options);
  require_bounds(certification);
  CHECK(*property_of(*certification, "sup-loss").upper <= exact::make_rational(1, 1000000));
  CHECK(property_of(*certification, "theorem.tc-1").verdict == "proved");
  CHECK(property_of(*certification, "theorem.tc-2").verdict == "unknown");
}

TEST_CASE("bounds too small for a certificate's numbers are rounded outward") {
  // A content query sees BOS 5000 below the trigger: exp(-5000) is 10^-2171.
  std::vector<double> logit(16);
  logit[3 * 4 + 0] = -2000;
  logit[3 * 4 + 1] = 3000;
  const auto softmax = certify_bytes(head_of("softmax", 5, logit, kSwitchValue));
  require_bounds(softmax);
  const exact::Rational least =
      1 / exact::Rational(boost::multiprecision::pow(exact::Integer(10), 900));
  CHECK(*property_of(*softmax, "bos-floor.post").lower == 0);
  CHECK(*property_of(*softmax, "bos-ceiling.post").upper == least);
  // Products of subnormal weights, which nothing moves: 2148 binary places each.
  std::vector<double> tiny(16);
  for (std::size_t flag : {0, 1, 3}) tiny[3 * 4 + flag] = 4.9406564584124654e-324;
  const auto contents = [&](const char* kind) {
    auto head = *safetensors::parse(head_of(kind, 5, tiny, kSwitchValue), "");
    head.tensors["W_Q.weight"] = head.tensors["W_K.weight"];
    head.tensors["W_V.weight"] = head.tensors["W_K.weight"];
    head.tensors["W_O.weight"] = head.tensors["W_K.weight"];
    return output::serialize(head);
  };
  for (const char* kind : {"relu", "linear"}) {
    INFO(kind);
    require_bounds(certify_bytes(contents(kind)));
  }
}

TEST_CASE("numbers that are tiny or long are stated as they are", "[seconds]") {
  // Kernels of BOS on itself: exp of less than -2100 for some heads; products of subnormal weights.
  const bool subnormal = GENERATE(false, true);
  const Recipe recipe =
      subnormal ? Recipe{"linear", 5, 6, 1e-320, 1, 16} : Recipe{"elu1", 5, 6, 50, 1, 12};
  const auto layer = certify_bytes(gaussian_layer(recipe, 1));
  require_bounds(layer);
  const json::Value ranges = layer->certificate()["ranges"];
  const auto& heads = ranges["heads"];
  CHECK(std::any_of(heads.begin(), heads.end(), [](const json::Value& head) {
    const auto greatest = exact::parse_rational(head["bos"]["greatest"].get<std::string>());
    return *greatest != 0 && exact::abs(*greatest) < exact::power_of_two(-300);
  }));
  const auto& trees = ranges["trees"];
  const bool searched =
      std::any_of(trees.begin(), trees.end(), [](const json::Value& tree) { return tree != "0"; });
  CHECK(searched == !subnormal);  // doubles do not tell such logits apart
}

TEST_CASE("a width beyond the certificate's format is refused") {
  model::AttentionModel model;
  model.d_model = 4097;
  model.length = 4;
  model.layers.resize(1);
  const auto refused = certify::certify(model, {});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == "SP1408");
}

// Values of 2^150 leave the range of the checker's passes over samples; doubles see them cancel.
TEST_CASE("Samples that the checker cannot follow leave a statement unknown, alone or not") {
  const std::string plain = gaussian_layer({"softmax", 4, 5, 0.5}, 1);
  const std::string large = times_powers(plain, {{"W_V.weight", 150}, {"W_O.weight", -150}});
  certify::Options options;
  options.samples = 60;
  options.eta = 8;
  options.properties = {"random.loss"};
  const auto followed = certify_bytes(plain, options);
  REQUIRE(followed.has_value());
  CHECK(property_of(*followed, "random.loss").verdict == "statistical");
  const auto alone = certify_bytes(large, options);
  REQUIRE(alone.has_value());
  CHECK(alone->properties.size() == 1);
  CHECK(alone->properties.front().verdict == "unknown");
  CHECK(!alone->properties.front().reason.empty());
  CHECK(alone->certificate()["properties"].empty());
  // All samples are beyond the threshold.
  options.eta = exact::make_rational(1, 1000000);
  const auto none = certify_bytes(plain, options);
  REQUIRE(none.has_value());
  CHECK(none->properties.front().verdict == "unknown");
}

// Averages what it sees but for a little noise that couples all coordinates: no tree is deep enough
// for it. Balances that are best at vertices give 1.35.
TEST_CASE("A wide ReLU head near the task has balances chosen where points close") {
  constexpr std::size_t kWidth = 28;
  constexpr std::size_t kContent = kWidth - 1;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> logit(kWidth * kWidth);
  std::vector<double> value(kWidth * kWidth);
  for (std::size_t i = 1; i < kWidth; ++i) value[i * kWidth + i] = 1.0 / 3;
  for (std::size_t i = 2; i < kContent; ++i) {
    for (std::size_t j = 2; j < kContent; ++j) {
      logit[i * kWidth + j] = 0.01 * normal(random);
      value[i * kWidth + j] += 0.005 * normal(random);
    }
  }
  for (const std::size_t key : {std::size_t{1}, kContent}) {
    logit[kWidth + key] = 3;
    logit[kContent * kWidth + key] = -1.5;
  }
  certify::Options options;
  options.properties = {"sup-loss.trigger"};
  const auto certification = certify_bytes(head_of("relu", 16, logit, value), options);
  require_bounds(certification);
  const auto& loss = property_of(*certification, "sup-loss.trigger");
  CHECK(*loss.upper < exact::make_rational(129, 100) * *loss.lower);
  UNSCOPED_INFO(rounded::to_double_estimate(*loss.upper / *loss.lower));
  CHECK(*loss.upper > *loss.lower);
}

TEST_CASE("Bounds do not depend on how two factors share a power of two") {
  const auto attention = GENERATE(as<std::string>{}, "softmax", "relu", "sigmoid-normalised");
  const auto heads = GENERATE(std::size_t{1}, std::size_t{2});
  // Few bits each, which 2^-1000 leaves as they are.
  const auto whole = [](std::string bytes) {
    auto contents = *safetensors::parse(bytes, "test");
    for (auto& [name, tensor] : contents.tensors) {
      std::vector<double> values(tensor.bytes.size() / sizeof(double));
      std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      for (double& value : values) value = std::round(value * 64) / 64;
      tensor = float64_tensor(tensor.shape, values);
    }
    return output::serialize(contents);
  };
  const std::string plain = whole(gaussian_layer({attention, 4, 4, 0.5, 0.5, heads}, 7));
  certify::Options options;
  options.properties = {"sup-loss.pre", "sup-loss.trigger", "bos-floor.trigger"};
  options.effort.pass_units = 0;  // rule `stack` ends with the time, not the numbers
  const auto expected = certify_bytes(plain, options);
  require_bounds(expected);
  CHECK(*property_of(*expected, "sup-loss.trigger").lower > 0);
  const auto k = GENERATE(1, 40, 200, 502, 1000, -502);
  const std::pair<const char*, const char*> factors[] = {{"W_Q.weight", "W_K.weight"},
                                                         {"W_O.weight", "W_V.weight"}};
  for (const auto& [first, second] : factors) {
    INFO(attention << " " << heads << " " << first << " 2^" << k);
    const auto found = certify_bytes(times_powers(plain, {{first, k}, {second, -k}}), options);
    require_bounds(found);
    for (const std::string& name : options.properties) {
      CHECK(*property_of(*found, name).lower == *property_of(*expected, name).lower);
      CHECK(*property_of(*found, name).upper == *property_of(*expected, name).upper);
    }
  }
}
